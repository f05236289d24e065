//! [`Tensor`]: what it owns, what it knows about itself, and the seam through which `weft-view` borrows it.

use weft_device::{Buffer, DType, Device, Element, Host};
use weft_layout::{Layout, Shape};

use crate::error::{Error, Refused, Result};

/// Owns the elements of an array on one device, and a gradient of the same shape.
///
/// Made by the methods of [`Factory`](crate::Factory): `dev.zeros::<f32>([2, 3])?`. It moves for free, is duplicated by
/// [`try_clone`](Tensor::try_clone) only, and is read in other shapes and orders through the views of `weft-view`.
///
/// # Invariants
///
/// * **T1** the layout is dense with offset 0: each element of the buffer is read exactly once;
/// * **T2** the data, and the gradient where there is one, have exactly `numel` elements, on one device.
///
/// Nothing public changes the layout or replaces a buffer in place, so both hold for as long as the tensor does.
///
/// ```
/// use weft_device::Host;
/// use weft_tensor::{Factory, Tensor};
/// let dev = Host;
/// let x: Tensor<f32> = dev.arange(0.0f32..6.0)?.reshape([2, 3])?;
/// assert_eq!((x.shape(), x.strides(), x.numel()), (&[2, 3][..], &[3, 1][..], 6));
/// assert_eq!(x[[1, 0]], 3.0);
/// assert_eq!(x.to_string(), "[[0. 1. 2.]\n [3. 4. 5.]]");
/// # Ok::<(), weft_tensor::Error>(())
/// ```
#[doc(alias("ndarray", "Array", "ArrayD", "parameter"))]
pub struct Tensor<T: Element, D: Device = Host> {
    // In this order: a tensor frees its data, then its gradient.
    pub(crate) data: Buffer<T, D>,
    pub(crate) grad: Option<Buffer<T, D>>,
    pub(crate) layout: Layout,
}

impl<T: Element, D: Device> Tensor<T, D> {
    /// Sizes of the axes in elements, outermost first.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        self.layout.shape()
    }

    /// Strides of the axes in elements, outermost first: how memory is ordered.
    #[must_use]
    pub fn strides(&self) -> &[isize] {
        self.layout.strides()
    }

    /// Shape and strides; the offset is always 0.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// How many axes there are: the rank.
    #[must_use]
    #[doc(alias("rank", "dim"))]
    pub fn ndim(&self) -> usize {
        self.layout.ndim()
    }

    /// How many elements there are.
    #[must_use]
    #[doc(alias("size", "len", "elem_count"))]
    pub fn numel(&self) -> usize {
        self.layout.numel()
    }

    /// Whether there are no elements: some axis has size 0.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.layout.is_empty()
    }

    /// The type of the elements, as a value.
    ///
    /// ```
    /// use weft_device::{DType, Host};
    /// use weft_tensor::Factory;
    /// assert_eq!(Host.zeros::<f32>([2])?.dtype(), DType::F32);
    /// # Ok::<(), weft_tensor::Error>(())
    /// ```
    #[must_use]
    pub fn dtype(&self) -> DType {
        T::DTYPE
    }

    /// The device on which the elements are.
    #[must_use]
    pub fn device(&self) -> &D {
        self.data.device()
    }

    /// Whether there is a gradient.
    #[must_use]
    #[doc(alias = "requires_grad")]
    pub fn has_grad(&self) -> bool {
        self.grad.is_some()
    }

    /// Data, gradient and layout, to look at. For `weft-view`.
    #[doc(hidden)]
    #[must_use]
    pub fn parts(&self) -> (&Buffer<T, D>, Option<&Buffer<T, D>>, &Layout) {
        (&self.data, self.grad.as_ref(), &self.layout)
    }

    /// The same under a unique borrow of the tensor, for as long as the parts are held. For `weft-view`.
    ///
    /// The references are shared ones: an exclusive `&mut Buffer` could be swapped with another tensor's, and then T2 would
    /// be broken by safe code. Whoever holds them may write the elements, because nobody else can reach them meanwhile.
    #[doc(hidden)]
    #[must_use]
    pub fn parts_mut(&mut self) -> (&Buffer<T, D>, Option<&Buffer<T, D>>, &Layout) {
        (&self.data, self.grad.as_ref(), &self.layout)
    }

    /// A tensor without a gradient over a buffer of its own. For `weft-view`.
    ///
    /// # Errors
    ///
    /// `Length` where the buffer does not have as many elements as the layout, `NotDense` where T1 would not hold. The buffer
    /// comes back.
    #[doc(hidden)]
    pub fn from_dense(data: Buffer<T, D>, layout: Layout) -> Result<Tensor<T, D>, Refused<Buffer<T, D>>> {
        match dense_over(&layout, data.len()) {
            Ok(()) => Ok(Tensor { data, grad: None, layout }),
            Err(error) => Err(Refused::new(error, data)),
        }
    }
}

/// T1 and T2 for `layout` over a buffer of `len` elements.
fn dense_over(layout: &Layout, len: usize) -> Result<()> {
    let op = "from_dense";
    let shape = || Shape::from_slice(layout.shape());
    if len != layout.numel() {
        return Err(Error::Length { op, given: len, shape: shape() });
    }
    if !layout.is_dense() || layout.offset() != 0 {
        return Err(Error::NotDense { op, shape: shape() });
    }
    Ok(())
}
