//! Whole buffers: the gradient dropped, made or zeroed, the data filled. Parts are reached through the views of `weft-view`.

use weft_device::{Buffer, Device, Element, ops};
use weft_layout::Plan;

use crate::error::{Error, Refused, Result};
use crate::tensor::Tensor;

impl<T: Element, D: Device> Tensor<T, D> {
    /// The same tensor with its gradient freed; asking for it then is an error. Copies nothing.
    ///
    /// ```
    /// use weft_device::Host;
    /// use weft_tensor::Factory;
    /// let mut x = Host.zeros::<f32>([2, 3])?.without_grad();
    /// assert!(!x.has_grad());
    /// assert_eq!(x.zero_grad().unwrap_err().to_string(), "zero_grad: the tensor has no gradient");
    /// # Ok::<(), weft_tensor::Error>(())
    /// ```
    #[must_use]
    #[doc(alias("detach", "no_grad", "requires_grad_"))]
    pub fn without_grad(self) -> Tensor<T, D> {
        Tensor { grad: None, ..self }
    }

    /// The same tensor with a gradient: a zeroed one where it has none, otherwise the one it has. One allocation at most.
    ///
    /// # Errors
    ///
    /// `Device` where there is no room for it; the tensor comes back.
    ///
    /// ```
    /// use weft_device::Host;
    /// use weft_tensor::Factory;
    /// let x = Host.zeros::<f32>([2, 3])?.without_grad().with_grad()?;
    /// assert!(x.has_grad());
    /// # Ok::<(), weft_tensor::Error>(())
    /// ```
    #[doc(alias("requires_grad", "requires_grad_"))]
    pub fn with_grad(self) -> Result<Tensor<T, D>, Refused<Tensor<T, D>>> {
        if self.has_grad() {
            return Ok(self);
        }
        match Buffer::new_zeroed(self.device(), self.data.len()) {
            Ok(grad) => Ok(Tensor { grad: Some(grad), ..self }),
            Err(error) => Err(Refused::new(error, self)),
        }
    }

    /// Writes zeros to every element of the gradient.
    ///
    /// # Errors
    ///
    /// `NoGrad`; `Device`.
    ///
    /// ```
    /// use weft_device::Host;
    /// use weft_tensor::Factory;
    /// let mut x = Host.ones::<f32>([2, 3])?;
    /// x.zero_grad()?;
    /// assert_eq!(x.to_vec()?, [1.0; 6]); // the data stay
    /// # Ok::<(), weft_tensor::Error>(())
    /// ```
    #[doc(alias = "zero_grad_")]
    pub fn zero_grad(&mut self) -> Result<()> {
        let grad = self.grad.as_ref().ok_or(Error::NoGrad { op: "zero_grad" })?;
        let all = Plan::new([&self.layout])?;
        // SAFETY: D5: the tensor, and with it its gradient, is borrowed uniquely (T2).
        unsafe { ops::fill(&all, grad.borrowed(), T::ZERO)? };
        Ok(())
    }

    /// Writes `value` to every element of the data.
    ///
    /// # Errors
    ///
    /// `Device`.
    ///
    /// ```
    /// use weft_device::Host;
    /// use weft_tensor::Factory;
    /// let mut x = Host.zeros::<i32>([2, 2])?;
    /// x.fill(7)?;
    /// assert_eq!(x.to_vec()?, [7; 4]);
    /// # Ok::<(), weft_tensor::Error>(())
    /// ```
    #[doc(alias = "fill_")]
    pub fn fill(&mut self, value: T) -> Result<()> {
        let all = Plan::new([&self.layout])?;
        // SAFETY: D5: the tensor, and with it its data, is borrowed uniquely (T2).
        unsafe { ops::fill(&all, self.data.borrowed(), value)? };
        Ok(())
    }
}
