//! The copies of a whole tensor, each with a name that says so: a second tensor, another device, a vector, one number.

use weft_device::{Buffer, Device, Element};
use weft_layout::{Layout, Shape};

use crate::error::{Error, InShape, Result};
use crate::order::relaid;
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

    /// The data in row-major order, or `None` where they are in that order already.
    fn row_major_data(&self) -> Result<Option<Buffer<T, D>>> {
        if self.layout.is_contiguous() {
            return Ok(None);
        }
        let ordered = Layout::row_major(self.shape()).in_shape(&self.layout)?;
        relaid(&ordered, &self.data, &self.layout).map(Some)
    }
}
