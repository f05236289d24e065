//! [`TensorOptions`]: where, in which order of axes and with or without a gradient a tensor is made; and the constructors.

use core::any::Any;

use weft_device::{Buffer, Device, Element, Host, Real, ops};
use weft_layout::{IntoAxes, IntoShape, Layout, LayoutError, Plan, Shape};

use crate::error::{Error, InShape, Refused, Result};
use crate::sequence;
use crate::tensor::Tensor;

/// How a tensor is to be made: on which device, in which order of axes, with a gradient or without.
///
/// [`Factory::options`](crate::Factory::options) starts one; the constructors are those of
/// [`Factory`](crate::Factory), where each is described.
///
/// ```
/// use weft_device::Host;
/// use weft_tensor::Factory;
/// let fortran = Host.options().col_major().zeros::<f64>([2, 3])?;
/// assert_eq!(fortran.strides(), [1, 2]);
/// let channels_last = Host.options().order([0, 2, 3, 1]).without_grad().zeros::<f32>([2, 3, 4, 5])?;
/// assert_eq!(channels_last.strides(), [60, 1, 15, 3]);
/// assert!(!channels_last.has_grad());
/// # Ok::<(), weft_tensor::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "options make nothing by themselves: call a constructor"]
pub struct TensorOptions<'a, D: Device = Host> {
    device: &'a D,
    order: AxisOrder,
    grad: bool,
}

/// The order of the axes in memory.
#[derive(Clone, Debug)]
enum AxisOrder {
    RowMajor,
    ColMajor,
    /// As the caller wrote it, slowest first.
    Axes(Vec<isize>),
}

impl<'a, D: Device> TensorOptions<'a, D> {
    pub(crate) fn new(device: &'a D) -> TensorOptions<'a, D> {
        TensorOptions { device, order: AxisOrder::RowMajor, grad: true }
    }

    /// For a tensor like `like`, whose layout the caller has at hand.
    pub(crate) fn like<T: Element, E: Device>(device: &'a D, like: &Tensor<T, E>) -> TensorOptions<'a, D> {
        TensorOptions { device, order: AxisOrder::RowMajor, grad: like.has_grad() }
    }

    /// The first axis moves fastest in memory: Fortran's order.
    #[doc(alias("fortran", "f_contiguous"))]
    pub fn col_major(self) -> Self {
        TensorOptions { order: AxisOrder::ColMajor, ..self }
    }

    /// The axes lie in memory in the order `axes`, slowest first: `[0, 1]` is row-major, `[1, 0]` column-major.
    ///
    /// Whether it fits the shape is seen when a tensor is made.
    #[doc(alias("memory_format", "channels_last"))]
    pub fn order(self, axes: impl IntoAxes) -> Self {
        TensorOptions { order: AxisOrder::Axes(axes.with_axes(<[isize]>::to_vec)), ..self }
    }

    /// No gradient is allocated.
    #[doc(alias = "no_grad")]
    pub fn without_grad(self) -> Self {
        TensorOptions { grad: false, ..self }
    }

    /// [`Factory::zeros`](crate::Factory::zeros) with these options.
    ///
    /// # Errors
    ///
    /// As there; `Layout` also where the order does not fit the shape.
    pub fn zeros<T: Element>(&self, shape: impl IntoShape) -> Result<Tensor<T, D>> {
        self.zeros_over(self.layout(shape)?)
    }

    /// [`Factory::ones`](crate::Factory::ones) with these options.
    ///
    /// # Errors
    ///
    /// As there; `Layout` also where the order does not fit the shape.
    pub fn ones<T: Element>(&self, shape: impl IntoShape) -> Result<Tensor<T, D>> {
        self.full(shape, T::ONE)
    }

    /// [`Factory::full`](crate::Factory::full) with these options.
    ///
    /// # Errors
    ///
    /// As there; `Layout` also where the order does not fit the shape.
    pub fn full<T: Element>(&self, shape: impl IntoShape, value: T) -> Result<Tensor<T, D>> {
        self.full_over(self.layout(shape)?, value)
    }

    /// [`Factory::arange`](crate::Factory::arange) with these options.
    ///
    /// # Errors
    ///
    /// As there; `Layout` also where the order is not one of one axis.
    pub fn arange<T: Real>(&self, range: core::ops::Range<T>) -> Result<Tensor<T, D>> {
        let layout = self.layout(sequence::steps(range.start, range.end)?)?;
        self.make(layout, |layout| written(self.device, layout.numel(), |out| sequence::write_steps(range.start, out)))
    }

    /// [`Factory::linspace`](crate::Factory::linspace) with these options.
    ///
    /// # Errors
    ///
    /// As there; `Layout` also where the order is not one of one axis.
    pub fn linspace<T: Real>(&self, start: T, stop: T, n: usize) -> Result<Tensor<T, D>> {
        let layout = self.layout(n)?;
        self.make(layout, |_| written(self.device, n, |out| sequence::write_points(start, stop, out)))
    }

    /// [`Factory::eye`](crate::Factory::eye) with these options.
    ///
    /// # Errors
    ///
    /// As there; `Layout` also where the order is not one of two axes.
    pub fn eye<T: Element>(&self, n: usize) -> Result<Tensor<T, D>> {
        let layout = self.layout([n, n])?;
        self.make(layout, |layout| {
            let data = Buffer::new_zeroed(self.device, layout.numel())?;
            let diagonal = Plan::new([&layout.diagonal(0, 1, 0).in_shape(layout)?])?;
            // SAFETY: D5: nobody else knows the new buffer.
            unsafe { ops::fill(&diagonal, data.borrowed(), T::ONE)? };
            Ok(data)
        })
    }

    /// [`Factory::tensor`](crate::Factory::tensor) with these options. `values` are in row-major order whatever the order of
    /// the axes in memory.
    ///
    /// # Errors
    ///
    /// As there; `Layout` also where the order does not fit the shape.
    ///
    /// ```
    /// use weft_device::Host;
    /// use weft_tensor::Factory;
    /// let x = Host.options().col_major().tensor(&[1, 2, 3, 4, 5, 6], [2, 3])?;
    /// assert_eq!(x.to_string(), "[[1 2 3]\n [4 5 6]]");
    /// assert_eq!(x.as_slice(), [1, 4, 2, 5, 3, 6]);
    /// # Ok::<(), weft_tensor::Error>(())
    /// ```
    pub fn tensor<T: Element>(&self, values: &[T], shape: impl IntoShape) -> Result<Tensor<T, D>> {
        self.filled_from("tensor", values, shape)
    }

    /// [`Factory::from_slice`](crate::Factory::from_slice) with these options.
    ///
    /// # Errors
    ///
    /// As [`tensor`](TensorOptions::tensor).
    pub fn from_slice<T: Element>(&self, values: &[T], shape: impl IntoShape) -> Result<Tensor<T, D>> {
        self.filled_from("from_slice", values, shape)
    }

    /// [`Factory::from_vec`](crate::Factory::from_vec) with these options.
    ///
    /// # Errors
    ///
    /// As [`tensor`](TensorOptions::tensor). The vector comes back.
    pub fn from_vec<T: Element>(&self, values: Vec<T>, shape: impl IntoShape) -> Result<Tensor<T, D>, Refused<Vec<T>>> {
        self.filled_from("from_vec", &values, shape).map_err(|error| Refused::new(error, values))
    }

    fn filled_from<T: Element>(&self, op: &'static str, values: &[T], shape: impl IntoShape) -> Result<Tensor<T, D>> {
        let layout = self.layout(shape)?;
        if values.len() != layout.numel() {
            return Err(Error::Length { op, given: values.len(), shape: Shape::from_slice(layout.shape()) });
        }
        self.make(layout, |layout| {
            if layout.is_contiguous() {
                return Ok(Buffer::from_slice(self.device, values)?);
            }
            written(self.device, values.len(), |out| {
                for (offset, &value) in layout.offsets().zip(values) {
                    out[offset] = value;
                }
            })
        })
    }

    /// Zeros in a new tensor that is dense over `layout`.
    pub(crate) fn zeros_over<T: Element>(&self, layout: Layout) -> Result<Tensor<T, D>> {
        self.make(layout, |layout| Ok(Buffer::new_zeroed(self.device, layout.numel())?))
    }

    /// `value` in every element of a new tensor that is dense over `layout`.
    pub(crate) fn full_over<T: Element>(&self, layout: Layout, value: T) -> Result<Tensor<T, D>> {
        self.make(layout, |layout| {
            // SAFETY: the fill below writes every element, or the buffer is dropped.
            let data = unsafe { Buffer::uninit(self.device, layout.numel())? };
            let all = Plan::new([layout])?;
            // SAFETY: D5: nobody else knows the new buffer.
            unsafe { ops::fill(&all, data.borrowed(), value)? };
            Ok(data)
        })
    }

    /// Data as `data` makes it, and a zeroed gradient where one is wanted. What fails frees what came before it.
    fn make<T: Element>(
        &self,
        layout: Layout,
        data: impl FnOnce(&Layout) -> Result<Buffer<T, D>>,
    ) -> Result<Tensor<T, D>> {
        let data = data(&layout)?;
        let grad = self.grad.then(|| Buffer::new_zeroed(self.device, data.len())).transpose()?;
        Ok(Tensor { data, grad, layout })
    }

    /// A fresh dense layout of `shape` in the order of these options.
    fn layout(&self, shape: impl IntoShape) -> Result<Layout> {
        shape.with_shape(|shape| {
            let layout = match &self.order {
                AxisOrder::RowMajor => Layout::row_major(shape),
                AxisOrder::ColMajor => Layout::col_major(shape),
                AxisOrder::Axes(axes) => Layout::with_order(shape, axes),
            };
            layout.map_err(|error: LayoutError| Error::in_shape(error, shape))
        })
    }
}

/// A buffer of `len` elements that `write` computes on the host. Only where the device is not the host are they copied.
fn written<T: Element, D: Device>(device: &D, len: usize, write: impl FnOnce(&mut [T])) -> Result<Buffer<T, D>> {
    let host = (device as &dyn Any).downcast_ref::<Host>().cloned().unwrap_or_default();
    let mut staged = Some(Buffer::<T, Host>::new_zeroed(&host, len)?);
    if let Some(staged) = &mut staged {
        write(staged.as_mut_slice());
    }
    // Where `D` is `Host`, this is the same type.
    if let Some(done) = (&mut staged as &mut dyn Any).downcast_mut::<Option<Buffer<T, D>>>().and_then(Option::take) {
        return Ok(done);
    }
    match staged {
        Some(staged) => Ok(staged.to_device(device)?),
        // Not reached: only the return above takes it.
        None => Ok(Buffer::new_zeroed(device, len)?),
    }
}
