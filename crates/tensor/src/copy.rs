//! The copies of a whole tensor, each with a name that says so: a second tensor, another device, a vector, one number.

use weft_device::{Buffer, Device, Element, ops};
use weft_layout::{IntoAxes, IntoTarget, Layout, Plan, Shape};

use crate::error::{Error, InShape, Refused, Result};
use crate::tensor::Tensor;

impl<T: Element, D: Device> Tensor<T, D> {
    /// A second tensor with the same elements, gradient and order of axes, on the same device.
    ///
    /// Two allocations and two copies within the device; one and one without a gradient.
    ///
    /// # Errors
    ///
    /// `Device` where there is no room for it.
    ///
    /// ```
    /// use weft_device::Host;
    /// use weft_tensor::Factory;
    /// let x = Host.tensor(&[1, 2, 3, 4], [4])?;
    /// let mut copy = x.try_clone()?;
    /// copy[[0]] = 99;
    /// assert_eq!(x.to_vec()?, [1, 2, 3, 4]);
    /// # Ok::<(), weft_tensor::Error>(())
    /// ```
    #[doc(alias("clone", "copy", "deep_copy"))]
    pub fn try_clone(&self) -> Result<Tensor<T, D>> {
        let data = self.data.try_clone()?;
        let grad = self.grad.as_ref().map(Buffer::try_clone).transpose()?;
        Ok(Tensor { data, grad, layout: self.layout.clone() })
    }

    /// A copy of elements and gradient on `device`, in the same order of axes. A copy also where it is the same device.
    ///
    /// # Errors
    ///
    /// `Device` where there is no room for it.
    ///
    /// ```
    /// use weft_device::Host;
    /// use weft_tensor::Factory;
    /// let x = Host.arange(0..3)?;
    /// assert_eq!(x.to_device(&Host)?.to_vec()?, [0, 1, 2]);
    /// # Ok::<(), weft_tensor::Error>(())
    /// ```
    #[doc(alias("to", "cuda", "cpu"))]
    pub fn to_device<E: Device>(&self, device: &E) -> Result<Tensor<T, E>> {
        let data = self.data.to_device(device)?;
        let grad = self.grad.as_ref().map(|grad| grad.to_device(device)).transpose()?;
        Ok(Tensor { data, grad, layout: self.layout.clone() })
    }

    /// The elements on the host, in row-major order of their coordinates whatever the order in memory.
    ///
    /// A tensor in another order is first re-laid on its device, which takes as much memory again there.
    ///
    /// # Errors
    ///
    /// `Device` where the host, or the device, has no room.
    ///
    /// ```
    /// use weft_device::Host;
    /// use weft_tensor::Factory;
    /// let x = Host.options().col_major().tensor(&[1, 2, 3, 4], [2, 2])?;
    /// assert_eq!((x.as_slice(), x.to_vec()?), (&[1, 3, 2, 4][..], vec![1, 2, 3, 4]));
    /// # Ok::<(), weft_tensor::Error>(())
    /// ```
    #[doc(alias("tolist", "to_vec1", "flatten"))]
    pub fn to_vec(&self) -> Result<Vec<T>> {
        Ok(match self.row_major_data()? {
            None => self.data.to_vec()?,
            Some(ordered) => ordered.to_vec()?,
        })
    }

    /// Copies the elements to `out`, in row-major order; `out` has exactly as many.
    ///
    /// # Errors
    ///
    /// `Length`; `Device` where a tensor in another order has to be re-laid and there is no room for that.
    ///
    /// ```
    /// use weft_device::Host;
    /// use weft_tensor::Factory;
    /// let mut out = [0; 4];
    /// Host.arange(0..4)?.copy_to_slice(&mut out)?;
    /// assert_eq!(out, [0, 1, 2, 3]);
    /// # Ok::<(), weft_tensor::Error>(())
    /// ```
    pub fn copy_to_slice(&self, out: &mut [T]) -> Result<()> {
        if out.len() != self.numel() {
            let shape = Shape::from_slice(self.shape());
            return Err(Error::Length { op: "copy_to_slice", given: out.len(), shape });
        }
        match self.row_major_data()? {
            None => self.data.copy_to_slice(out)?,
            Some(ordered) => ordered.copy_to_slice(out)?,
        }
        Ok(())
    }

    /// The one element of a tensor that has exactly one.
    ///
    /// # Errors
    ///
    /// `NotOneElement`; what the device says.
    ///
    /// ```
    /// use weft_device::Host;
    /// use weft_tensor::Factory;
    /// assert_eq!(Host.full([1, 1], 2.5f32)?.item()?, 2.5);
    /// let refused = Host.zeros::<f32>([2, 3])?.item().unwrap_err();
    /// assert_eq!(refused.to_string(), "item: needs exactly one element, there are 6 in shape [2, 3]");
    /// # Ok::<(), weft_tensor::Error>(())
    /// ```
    #[doc(alias("to_scalar", "into_scalar"))]
    pub fn item(&self) -> Result<T> {
        if self.numel() != 1 {
            return Err(Error::NotOneElement { op: "item", shape: Shape::from_slice(self.shape()) });
        }
        let mut out = [T::ZERO];
        self.data.copy_to_slice(&mut out)?;
        Ok(out[0])
    }

    /// The same elements in another shape, read in row-major order; one size may be -1. Never copies.
    ///
    /// # Errors
    ///
    /// `Layout` as [`weft_layout::Layout::reshape`]: the counts differ, or the axes lie in memory in an order that no strides
    /// can express in the new shape. The tensor comes back.
    ///
    /// ```
    /// use weft_device::Host;
    /// use weft_tensor::Factory;
    /// let x = Host.arange(0..6)?.reshape([2, -1])?;
    /// assert_eq!(x.shape(), [2, 3]);
    /// # Ok::<(), weft_tensor::Error>(())
    /// ```
    #[doc(alias("view", "into_shape", "into_shape_with_order"))]
    pub fn reshape(self, to: impl IntoTarget) -> Result<Tensor<T, D>, Refused<Tensor<T, D>>> {
        // T1: the same offsets are read, each once, from 0 on.
        match self.layout.reshape(to).in_shape(&self.layout) {
            Ok(layout) => Ok(Tensor { layout, ..self }),
            Err(error) => Err(Refused::new(error, self)),
        }
    }

    /// The same tensor with its axes in another order in memory, slowest first; coordinates keep their elements.
    ///
    /// Data and gradient are copied within the device, one allocation each; nothing is where the order is that already.
    ///
    /// # Errors
    ///
    /// `Layout` where `order` does not name each axis once; `Device` where there is no room. The tensor comes back.
    ///
    /// ```
    /// use weft_device::Host;
    /// use weft_tensor::Factory;
    /// let x = Host.tensor(&[1, 2, 3, 4], [2, 2])?.into_order([1, 0])?;
    /// assert_eq!((x[[0, 1]], x.as_slice()), (2, &[1, 3, 2, 4][..]));
    /// # Ok::<(), weft_tensor::Error>(())
    /// ```
    #[doc(alias("contiguous", "channels_last", "asfortranarray", "memory_format"))]
    pub fn into_order(self, order: impl IntoAxes) -> Result<Tensor<T, D>, Refused<Tensor<T, D>>> {
        match self.ordered(order) {
            Ok(None) => Ok(self),
            Ok(Some(ordered)) => Ok(ordered),
            Err(error) => Err(Refused::new(error, self)),
        }
    }

    /// A copy in another order, or `None` where the order is that already.
    fn ordered(&self, order: impl IntoAxes) -> Result<Option<Tensor<T, D>>> {
        let layout = Layout::with_order(self.shape(), order).in_shape(&self.layout)?;
        if layout.same_map(&self.layout) {
            return Ok(None);
        }
        let data = relaid(&layout, &self.data, &self.layout)?;
        let grad = self.grad.as_ref().map(|grad| relaid(&layout, grad, &self.layout)).transpose()?;
        Ok(Some(Tensor { data, grad, layout }))
    }

    /// The data in row-major order, or `None` where they are in that order already.
    fn row_major_data(&self) -> Result<Option<Buffer<T, D>>> {
        if self.layout.is_contiguous() {
            return Ok(None);
        }
        let ordered = Layout::row_major(self.shape()).in_shape(&self.layout)?;
        relaid(&ordered, &self.data, &self.layout).map(Some)
    }
}

/// The elements that `from` reads in `buffer`, in a new buffer where the dense layout `to` reads them.
fn relaid<T: Element, D: Device>(to: &Layout, buffer: &Buffer<T, D>, from: &Layout) -> Result<Buffer<T, D>> {
    let plan = Plan::new([to, from])?;
    // SAFETY: T1: the copy below writes every element, or the buffer is dropped.
    let copy = unsafe { Buffer::uninit(buffer.device(), buffer.len())? };
    // SAFETY: D5: nobody else knows the new buffer.
    unsafe { ops::copy(&plan, copy.borrowed(), buffer.borrowed())? };
    Ok(copy)
}
