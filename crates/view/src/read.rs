//! Copies that end a view: `to_*` allocates a tensor, or a vector, and fills it.

use core::ops::Range;

use weft_device::{Buffer, BufferRef, Converts, Device, Element, ops};
use weft_layout::{Axis, CopyPlan, IntoAxes, IntoTarget, Layout, Plan, Shape};
use weft_tensor::{Error, InShape, Result, Tensor};

use crate::maybe_owned::MaybeOwned;
use crate::view::View;

/// A tensor without a gradient whose elements `write` writes, every one of them or it fails.
///
/// # Safety
///
/// `layout` is dense with offset 0. Where `write` succeeds, it has written every element.
pub(crate) unsafe fn written<T: Element, D: Device>(
    device: &D,
    layout: Layout,
    write: impl FnOnce(&Layout, BufferRef<'_, T, D>) -> Result<()>,
) -> Result<Tensor<T, D>> {
    // SAFETY: the caller's promise: nothing reads it before it is written, or it is dropped.
    let buffer = unsafe { Buffer::uninit(device, layout.numel())? };
    write(&layout, buffer.borrowed())?;
    Ok(Tensor::from_dense(buffer, layout)?)
}

impl<'a, T: Element, D: Device> View<'a, T, D> {
    /// A copy in row-major order, as a tensor without a gradient. Always a copy:
    /// [`to_contiguous_cow`](View::to_contiguous_cow) spares it where it can.
    ///
    /// # Errors
    ///
    /// What the device says: `OutOfMemory`.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let x = Host.arange(0i32..6)?.reshape([2, 3])?;
    /// let y = x.view().t()?.to_contiguous()?;
    /// assert_eq!((y.strides(), y.has_grad()), (&[2, 1][..], false));
    /// assert_eq!(y.to_vec()?, [0, 3, 1, 4, 2, 5]);
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    #[doc(alias("contiguous", "to_owned", "as_standard_layout", "ascontiguousarray", "clone"))]
    pub fn to_contiguous(&self) -> Result<Tensor<T, D>> {
        self.copied_to(Layout::row_major(self.shape())?)
    }

    /// A copy whose axes lie in memory in the order given, outermost first: `[0, 1]` is row-major, `[1, 0]`
    /// column-major.
    ///
    /// # Errors
    ///
    /// `Rank`, `AxisOutOfRange`, `RepeatedAxis`; `OutOfMemory`.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let x = Host.arange(0i32..6)?.reshape([2, 3])?;
    /// let y = x.view().to_order([1, 0])?;
    /// assert_eq!((y.strides(), y.to_vec()?), (&[1, 2][..], x.to_vec()?));
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    #[doc(alias("asfortranarray", "channels_last"))]
    pub fn to_order(&self, order: impl IntoAxes) -> Result<Tensor<T, D>> {
        self.copied_to(Layout::with_order(self.shape(), order).in_shape(&self.layout)?)
    }

    /// A copy of another element type, in row-major order; values are converted as Rust's `as` does.
    ///
    /// # Errors
    ///
    /// `OutOfMemory`.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let x = Host.tensor(&[1.9f32, -1.0, 300.0], 3)?;
    /// assert_eq!(x.view().to_dtype::<u8>()?.to_vec()?, [1, 0, 255]);
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    #[doc(alias("astype", "to", "cast"))]
    pub fn to_dtype<U: Element>(&self) -> Result<Tensor<U, D>>
    where
        T: Converts<U>,
    {
        // SAFETY: row-major; the plan reaches every element of the destination.
        unsafe {
            written(self.device(), Layout::row_major(self.shape())?, |layout, dst| {
                let plan = Plan::new([layout, &self.layout])?;
                // SAFETY: D5: the destination is new; V4 for the source.
                ops::convert(&plan, dst, self.buffer)?;
                Ok(())
            })
        }
    }

    /// A copy of some indices of one axis, in the order given; an index may come twice. In row-major order.
    ///
    /// # Errors
    ///
    /// `AxisOutOfRange`; `IndexOutOfRange`, before anything is allocated; `OutOfMemory`.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let x = Host.arange(0i32..6)?.reshape([2, 3])?;
    /// assert_eq!(x.view().to_selected(1, &[2, 0, 2])?.to_vec()?, [2, 0, 2, 5, 3, 5]);
    /// let refused = x.view().to_selected(1, &[3]).unwrap_err();
    /// assert_eq!(refused.to_string(), "select: index 3 is out of range for axis 1 (size 3) in shape [2, 3]");
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    #[doc(alias("index_select", "take", "gather", "select"))]
    pub fn to_selected(&self, axis: impl Axis, indices: &[usize]) -> Result<Tensor<T, D>> {
        self.layout.narrow(axis, 0, 0).in_shape(&self.layout)?;
        for &index in indices {
            self.layout.select(axis, isize::try_from(index).unwrap_or(isize::MAX)).in_shape(&self.layout)?;
        }
        let mut shape = self.shape().to_vec();
        let at = axis.to_signed();
        let at = if at < 0 { at.wrapping_add_unsigned(shape.len()) } else { at } as usize;
        shape[at] = indices.len();
        let layout = Layout::row_major(&shape).in_shape(&self.layout)?;
        // SAFETY: row-major; the runs make up all of `indices`, so every element is written.
        unsafe {
            written(self.device(), layout, |layout, dst| {
                for Range { start, end } in runs(indices) {
                    let to = layout.narrow(at, start, end - start)?;
                    let from = self.layout.narrow(at, indices[start], end - start)?;
                    // SAFETY: D5: the destination is new; V4 for the source.
                    ops::copy(&Plan::new([&to, &from])?, dst, self.buffer)?;
                }
                Ok(())
            })
        }
    }

    /// Another shape for the same elements in row-major order: a view where strides can say it, a copy otherwise.
    ///
    /// NumPy's and PyTorch's `reshape`, but the result tells which of the two happened.
    ///
    /// # Errors
    ///
    /// As [`reshape`](View::reshape), but for `Blocked`; `OutOfMemory`.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let x = Host.arange(0i32..6)?.reshape([2, 3])?;
    /// assert!(x.view().to_shape([3, 2])?.is_view());
    /// let copied = x.view().t()?.to_shape([2, 3])?;
    /// assert!(!copied.is_view());
    /// assert_eq!(copied.as_view().to_vec()?, [0, 3, 1, 4, 2, 5]);
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    #[doc(alias = "reshape")]
    pub fn to_shape(&self, target: impl IntoTarget) -> Result<MaybeOwned<'a, T, D>> {
        // The plan tells the shape, with -1 worked out, and refuses what no copy helps.
        let plan = self.copy_plan(target)?;
        let shape = plan.result().shape();
        match self.reshape(shape) {
            Ok(view) => Ok(MaybeOwned::View(view)),
            Err(_) => Ok(MaybeOwned::Tensor(self.to_contiguous()?.reshape(shape)?)),
        }
    }

    /// The elements in row-major order side by side: this view where they lie so, a copy otherwise.
    ///
    /// # Errors
    ///
    /// `OutOfMemory`.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let x = Host.arange(0i32..6)?.reshape([2, 3])?;
    /// assert!(x.view().to_contiguous_cow()?.is_view());
    /// assert!(!x.view().t()?.to_contiguous_cow()?.is_view());
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    #[doc(alias("contiguous", "as_standard_layout"))]
    pub fn to_contiguous_cow(&self) -> Result<MaybeOwned<'a, T, D>> {
        if self.is_contiguous() {
            Ok(MaybeOwned::View(self.clone()))
        } else {
            self.to_contiguous().map(MaybeOwned::Tensor)
        }
    }

    /// The copy that a plan of this view asks for: what is repeated (broadcast) outside of the axes that block is not
    /// copied. [`view_as`](crate::ViewAs::view_as) with [`CopyPlan::result`] reads the copy in the shape that was
    /// planned.
    ///
    /// # Errors
    ///
    /// `OtherPlan` where the plan was made from another layout, `OutOfMemory`.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let x = Host.arange(0i32..12)?.reshape([3, 4])?;
    /// let wide = x.view().t()?.broadcast_to([8, 4, 3])?;
    /// let plan = wide.copy_plan([8, 12])?;
    /// let copy = wide.to_contiguous_by(&plan)?;
    /// assert_eq!(copy.numel(), 12); // not 96
    /// let flat = copy.view_as(plan.result())?;
    /// assert_eq!((flat.shape(), flat.strides()), (&[8, 12][..], &[0, 1][..]));
    /// assert_eq!(flat.to_vec()?, wide.to_vec()?);
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    pub fn to_contiguous_by(&self, plan: &CopyPlan) -> Result<Tensor<T, D>> {
        // Only a plan of this very layout reads this view and nothing around it (V4).
        if self.copy_plan(plan.result().shape())? != *plan {
            return Err(Error::OtherPlan { op: "to_contiguous_by", shape: Shape::from_slice(self.shape()) });
        }
        self.with_layout(plan.source().clone()).to_contiguous()
    }

    /// The elements in row-major order, on the host.
    ///
    /// # Errors
    ///
    /// `OutOfMemory`; what the device says.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let x = Host.arange(0i32..4)?.reshape([2, 2])?;
    /// assert_eq!(x.view().t()?.to_vec()?, [0, 2, 1, 3]);
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    #[doc(alias("tolist", "to_cpu", "dtoh"))]
    pub fn to_vec(&self) -> Result<Vec<T>> {
        self.to_contiguous()?.to_vec()
    }

    fn copied_to(&self, layout: Layout) -> Result<Tensor<T, D>> {
        // SAFETY: the caller's layout is fresh and dense; the plan reaches every element of it.
        unsafe {
            written(self.device(), layout, |layout, dst| {
                let plan = Plan::new([layout, &self.layout])?;
                // SAFETY: D5: the destination is new; V4 for the source.
                ops::copy(&plan, dst, self.buffer)?;
                Ok(())
            })
        }
    }
}

/// The ranges of `indices` in which each index is one more than the one before it.
fn runs(indices: &[usize]) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    core::iter::from_fn(move || {
        let first = *indices.get(start)?;
        let len = indices[start..].iter().zip(first..).take_while(|&(&index, next)| index == next).count();
        start += len;
        Some(start - len..start)
    })
}
