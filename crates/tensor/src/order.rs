//! The owner in another shape or another order of axes: both consume the tensor, and give it back where they refuse.

use weft_device::{Buffer, Device, Element, ops};
use weft_layout::{IntoAxes, IntoTarget, Layout, Plan};

use crate::error::{InShape, Refused, Result};
use crate::tensor::Tensor;

impl<T: Element, D: Device> Tensor<T, D> {
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
}

/// The elements that `from` reads in `buffer`, in a new buffer where the dense layout `to` reads them.
pub(crate) fn relaid<T: Element, D: Device>(to: &Layout, buffer: &Buffer<T, D>, from: &Layout) -> Result<Buffer<T, D>> {
    let plan = Plan::new([to, from])?;
    // SAFETY: T1: the copy below writes every element, or the buffer is dropped.
    let copy = unsafe { Buffer::uninit(buffer.device(), buffer.len())? };
    // SAFETY: D5: nobody else knows the new buffer.
    unsafe { ops::copy(&plan, copy.borrowed(), buffer.borrowed())? };
    Ok(copy)
}
