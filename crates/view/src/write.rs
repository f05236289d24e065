//! Writing through a view: `fill`, `copy_from`, `copy_to`, and `accumulate`, the gradient of a broadcast.

use weft_device::{Device, Element, ops};
use weft_layout::{Plan, ReducePlan};
use weft_tensor::{InShape, Result};

use crate::operand::AsView;
use crate::view::View;
use crate::view_mut::ViewMut;

impl<T: Element, D: Device> ViewMut<'_, T, D> {
    /// Writes `value` to every element.
    ///
    /// # Errors
    ///
    /// What the device says.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let mut x = Host.zeros::<i32>([2, 3])?;
    /// x.view_mut().step(1, 2)?.fill(7)?;
    /// assert_eq!(x.to_vec()?, [7, 0, 7, 7, 0, 7]);
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    #[doc(alias("fill_", "full_like"))]
    pub fn fill(&mut self, value: T) -> Result<()> {
        let plan = Plan::new([&self.view.layout])?;
        // SAFETY: D5 by V2 and V4: each element of the plan is reached once, and is ours alone.
        unsafe { ops::fill(&plan, self.view.buffer, value)? };
        Ok(())
    }

    /// Writes the elements of `source` to those of this view, after broadcasting it to this shape.
    ///
    /// # Errors
    ///
    /// `BroadcastRank`, `BroadcastSize`; `DeviceMismatch`; what the device says. Nothing is written then.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let mut x = Host.zeros::<i32>([2, 3])?;
    /// x.view_mut().copy_from(Host.arange(0i32..3)?)?;
    /// assert_eq!(x.to_vec()?, [0, 1, 2, 0, 1, 2]);
    /// let refused = x.view_mut().copy_from(Host.arange(0i32..2)?).unwrap_err();
    /// let why = "broadcast_to: axis 0 has size 2 and does not stretch to 3 (axis 1 of the target) in shape [2]";
    /// assert_eq!(refused.to_string(), why);
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    #[doc(alias("copy_", "assign", "clone_from"))]
    pub fn copy_from(&mut self, source: impl AsView<T, D>) -> Result<()> {
        let source = source.as_view();
        let source = source.broadcast_to(self.shape())?;
        let plan = Plan::new([&self.view.layout, &source.layout])?;
        // SAFETY: D5 by V2 and V4: each element of the destination is reached once and is ours alone; `source` is
        // borrowed beside this unique borrow, so it reads none of them.
        unsafe { ops::copy(&plan, self.view.buffer, source.buffer)? };
        Ok(())
    }

    /// Adds `source`, summed over every axis along which this view would have to be broadcast to have its shape:
    /// what a broadcast did to values, undone for their gradient.
    ///
    /// Where no axis is broadcast, it is a plain `+=`. Integers wrap; floats are summed pairwise, those of 16
    /// bits in `f32`, and rounded to 16 bits once, with the destination's value in the sum.
    ///
    /// # Errors
    ///
    /// `BroadcastRank`, `BroadcastSize` where this shape does not broadcast to that of `source`; `DeviceMismatch`;
    /// what the device says. Nothing is written then.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let mut grad = Host.zeros::<f32>([3])?;
    /// let upstream = Host.ones::<f32>([4, 3])?;
    /// grad.view_mut().accumulate(&upstream)?;
    /// assert_eq!(grad.to_vec()?, [4.0, 4.0, 4.0]);
    /// grad.view_mut().accumulate(&upstream)?; // adds, does not overwrite
    /// assert_eq!(grad.to_vec()?, [8.0, 8.0, 8.0]);
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    #[doc(alias("sum_to_size", "unbroadcast", "scatter_add", "scaled_add"))]
    pub fn accumulate(&mut self, source: impl AsView<T, D>) -> Result<()> {
        let source = source.as_view();
        let wide = self.view.layout.broadcast_to(source.shape()).in_shape(&self.view.layout)?;
        let plan = ReducePlan::new(&wide, &source.layout)?;
        // SAFETY: D5 by V2 and V4: but for the axes that are summed, each element of the destination is reached once;
        // it is ours alone, and `source` reads none of them.
        unsafe { ops::accumulate(&plan, self.view.buffer, source.buffer)? };
        Ok(())
    }
}

impl<T: Element, D: Device> View<'_, T, D> {
    /// Writes these elements to `destination`, broadcast to its shape.
    ///
    /// # Errors
    ///
    /// As [`ViewMut::copy_from`].
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let x = Host.arange(0i32..4)?.reshape([2, 2])?;
    /// let mut y = Host.zeros::<i32>([2, 2])?;
    /// x.view().t()?.copy_to(&mut y.view_mut())?;
    /// assert_eq!(y.to_vec()?, [0, 2, 1, 3]);
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    #[doc(alias = "assign_to")]
    pub fn copy_to(&self, destination: &mut ViewMut<'_, T, D>) -> Result<()> {
        destination.copy_from(self)
    }
}
