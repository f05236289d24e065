//! The same bytes as elements of another type.

use weft_device::{Device, Element};
use weft_tensor::{InShape, Result};

use crate::view::View;
use crate::view_mut::ViewMut;

impl<'a, T: Element, D: Device> View<'a, T, D> {
    /// The same bytes seen as elements of `U`: of the same size, or with the last axis longer or shorter.
    ///
    /// PyTorch's rules for `view(dtype)`: a last axis of neighbours, whose size, like all strides and the offset,
    /// divides by the ratio of the sizes where elements grow. The address must be a multiple of the alignment of `U`;
    /// that of a tensor is.
    ///
    /// # Errors
    ///
    /// `TooFewAxes`, `LastStride`, `NotDivisible`; `Misaligned` with the address.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let x = Host.arange(0.0f32..24.0)?.reshape([3, 8])?;
    /// let quads = x.view().recast::<F32x4>()?;
    /// assert_eq!(quads.layout().to_string(), "(3,2):(2,1)@0");
    /// assert_eq!(quads[[1, 0]], F32x4([8.0, 9.0, 10.0, 11.0]));
    /// assert_eq!(quads.recast::<f32>()?.layout(), x.layout());
    /// let refused = x.view().narrow(1, 1, 4)?.recast::<F32x4>().unwrap_err();
    /// assert_eq!(refused.to_string(), "recast: offset 1 does not divide by 4 in shape [3, 4]");
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    #[doc(alias("view", "view_dtype", "bitcast", "reinterpret", "transmute"))]
    pub fn recast<U: Element>(&self) -> Result<View<'a, U, D>> {
        let layout = self.layout.recast(size_of::<T>(), size_of::<U>()).in_shape(&self.layout)?;
        // V1: the new layout reaches the bytes of the old one, and `BufferRef` keeps all elements that are whole.
        Ok(View { buffer: self.buffer.recast::<U>()?, layout, extent: self.extent })
    }
}

impl<'a, T: Element, D: Device> ViewMut<'a, T, D> {
    /// [`View::recast`] of a unique view, which it consumes: [`reborrow`](ViewMut::reborrow) to keep it.
    ///
    /// # Errors
    ///
    /// As [`View::recast`].
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let mut x = Host.zeros::<f32>([2, 4])?;
    /// x.view_mut().recast::<F32x4>()?.select(0, 1)?.fill(F32x4([1.0, 2.0, 3.0, 4.0]))?;
    /// assert_eq!(x.to_vec()?, [0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0]);
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    pub fn recast<U: Element>(self) -> Result<ViewMut<'a, U, D>> {
        // V2: every element becomes several of its own, or several neighbours become one. Elements have no invalid
        // bits.
        self.view.recast().map(ViewMut::unique)
    }
}
