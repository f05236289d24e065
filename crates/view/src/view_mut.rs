//! [`ViewMut`]: borrowed elements that nobody else can reach, to write. Its operations consume it and keep it unique.

use core::marker::PhantomData;

use weft_device::{BufferRef, DType, Device, Element, Host};
use weft_layout::{Axis, IntoShape, Layout};
use weft_tensor::{InShape, Result};

use crate::view::{Extent, View, facts};

/// Borrowed elements under a layout that reaches each of them once, to read and to write.
///
/// It is to [`View`] what `&mut [T]` is to `&[T]`: no `Clone`, and its layout operations consume it, so that there is
/// one way to each element. [`reborrow`](ViewMut::reborrow) keeps it; [`as_view`](ViewMut::as_view) reads through it.
/// Nothing that would read an element twice exists here.
///
/// The invariants are those of [`View`].
///
/// ```
/// use weft_view::prelude::*;
/// let mut x = Host.arange(0i32..6)?.reshape([2, 3])?;
/// x.view_mut().t()?[[0, 1]] = 100; // (3,2): column 1, row 0
/// assert_eq!(x[[1, 0]], 100);
/// # Ok::<(), weft_view::Error>(())
/// ```
#[doc(alias("ArrayViewMut", "ArrayViewMutD"))]
pub struct ViewMut<'a, T: Element, D: Device = Host> {
    /// Never leaves without a borrow of `self` (V4).
    pub(crate) view: View<'a, T, D>,
    unique: PhantomData<&'a mut T>,
}

impl<'a, T: Element, D: Device> ViewMut<'a, T, D> {
    /// The caller answers for V2 and V4.
    #[inline]
    pub(crate) fn unique(view: View<'a, T, D>) -> ViewMut<'a, T, D> {
        ViewMut { view, unique: PhantomData }
    }

    /// Establishes V1 and V2. The caller answers for V4: the whole of `buffer` is borrowed uniquely and may be written.
    pub(crate) fn over(buffer: BufferRef<'a, T, D>, layout: Layout) -> Result<ViewMut<'a, T, D>> {
        let view = View::over(buffer, layout)?;
        require_injective(&view.layout)?;
        Ok(ViewMut::unique(view))
    }

    /// The same view for a shorter time; this one comes back when that one is gone.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let mut x = Host.zeros::<f32>([2, 2])?;
    /// let mut w = x.view_mut();
    /// w.reborrow().select(0, 0)?.fill(1.0)?;
    /// w.select(1, 1)?.fill(2.0)?;
    /// assert_eq!(x.to_vec()?, [1.0, 2.0, 0.0, 2.0]);
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    #[inline]
    #[must_use]
    #[doc(alias = "view_mut")]
    pub fn reborrow(&mut self) -> ViewMut<'_, T, D> {
        ViewMut::unique(self.view.clone())
    }

    /// The same elements, to read for as long as this is borrowed.
    #[inline]
    #[must_use]
    pub fn as_view(&self) -> View<'_, T, D> {
        self.view.clone()
    }

    /// The same elements, to read for as long as they are borrowed: gives up writing.
    #[inline]
    #[must_use]
    pub fn into_view(self) -> View<'a, T, D> {
        self.view
    }

    /// Two views that share no element: `0..mid` of `axis` and `mid..size`. Both can be written at once, by two
    /// threads too, even where they interleave in memory (the two halves of the columns).
    ///
    /// Both are pieces: [`as_strided`](ViewMut::as_strided) refuses them from here on, because it could reach the
    /// other half.
    ///
    /// # Errors
    ///
    /// `AxisOutOfRange`; `RangeOutOfBounds` where `mid` is past the end of the axis.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let mut x = Host.zeros::<i32>([2, 4])?;
    /// let (mut left, mut right) = x.view_mut().split_at_mut(1, 2)?;
    /// std::thread::scope(|s| {
    ///     s.spawn(move || left.fill(1));
    ///     s.spawn(move || right.fill(2));
    /// });
    /// assert_eq!(x.to_vec()?, [1, 1, 2, 2, 1, 1, 2, 2]);
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    #[doc(alias = "split_at")]
    pub fn split_at_mut(self, axis: impl Axis, mid: usize) -> Result<(ViewMut<'a, T, D>, ViewMut<'a, T, D>)> {
        let (first, second) = self.view.layout.split_at(axis, mid).in_shape(&self.view.layout)?;
        Ok((self.piece(first), self.piece(second)))
    }

    /// One of several disjoint parts of `self`; the caller hands out no two that meet (V4).
    #[inline]
    pub(crate) fn piece(&self, layout: Layout) -> ViewMut<'a, T, D> {
        // A part of an injective layout is injective (V2) and reaches nothing new (V1).
        ViewMut::unique(View { buffer: self.view.buffer, layout, extent: Extent::Piece })
    }

    /// Other elements of the same buffer, as [`View::as_strided`], for a layout that reaches each element once.
    ///
    /// That is decided exactly; the work is bounded, and only layouts that nobody writes by hand come near the bound.
    ///
    /// # Errors
    ///
    /// As [`View::as_strided`]; `Overlap` with two elements that are one, `OverlapUnknown` where the bound was reached.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let mut x = Host.zeros::<i32>([8])?;
    /// x.view_mut().as_strided([3, 2], &[2, 3], 0)?.fill(1)?;
    /// assert_eq!(x.to_vec()?, [1, 0, 1, 1, 1, 1, 0, 1]);
    /// let refused = x.view_mut().as_strided([3, 2], &[1, 2], 0).unwrap_err();
    /// let why = "as_strided: elements 1 and 4 (in row-major order) are both at offset 2 in shape [3, 2]";
    /// assert_eq!(refused.to_string(), why);
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    pub fn as_strided(self, shape: impl IntoShape, strides: &[isize], offset: usize) -> Result<ViewMut<'a, T, D>> {
        let view = self.view.as_strided(shape, strides, offset)?;
        require_injective(&view.layout)?;
        Ok(ViewMut::unique(view))
    }
}

/// Establishes V2.
fn require_injective(layout: &Layout) -> Result<()> {
    layout.require_injective(Layout::DEFAULT_BUDGET).in_shape(layout)
}

impl<'a, T: Element> ViewMut<'a, T, Host> {
    /// Plain memory under a layout that reaches each element at most once.
    ///
    /// # Errors
    ///
    /// `OutOfBuffer`; `Overlap` and `OverlapUnknown` as [`as_strided`](ViewMut::as_strided).
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let mut values = [0, 1, 2, 3, 4, 5];
    /// ViewMut::from_slice(&mut values, Layout::row_major([2, 3])?)?.select(1, 0)?.fill(9)?;
    /// assert_eq!(values, [9, 1, 2, 9, 4, 5]);
    /// let twice = Layout::row_major([3])?.broadcast_to([2, 3])?;
    /// let refused = ViewMut::from_slice(&mut values, twice).unwrap_err();
    /// let why = "as_strided: elements 0 and 3 (in row-major order) are both at offset 0 in shape [2, 3]";
    /// assert_eq!(refused.to_string(), why);
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    pub fn from_slice(values: &'a mut [T], layout: Layout) -> Result<ViewMut<'a, T, Host>> {
        ViewMut::over(BufferRef::from_mut_slice(values), layout)
    }

    /// Memory behind a raw pointer, `len` elements of it, under a layout that reaches each element at most once.
    ///
    /// # Errors
    ///
    /// As [`from_slice`](ViewMut::from_slice).
    ///
    /// # Safety
    ///
    /// For all of `'a`: `pointer` is aligned for `T` and good for reading and writing `len` written elements, of
    /// together at most `isize::MAX` bytes, and nobody else touches them.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let mut values = [1u16, 2, 3];
    /// // SAFETY: `values` outlives the view and is used by nobody else meanwhile.
    /// unsafe { ViewMut::from_raw_parts(values.as_mut_ptr(), 3, Layout::row_major([2])?)? }.fill(0)?;
    /// assert_eq!(values, [0, 0, 3]);
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    pub unsafe fn from_raw_parts(pointer: *mut T, len: usize, layout: Layout) -> Result<ViewMut<'a, T, Host>> {
        // SAFETY: the caller's promise.
        ViewMut::over(unsafe { BufferRef::from_raw_parts(pointer, len) }, layout)
    }
}

facts!(ViewMut, |this| this.view);
