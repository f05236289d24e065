//! [`View`]: elements on a device, borrowed, and a layout to read them under. Here stand the numbered invariants of
//! views.

use weft_device::{Buffer, BufferRef, DType, Device, Element, Host};
use weft_layout::{CopyPlan, IntoShape, IntoTarget, Layout};
use weft_tensor::{Error, InShape, Result};

/// Borrowed elements under a layout: a tensor, a buffer or plain memory, read in any shape and order without moving a
/// byte.
///
/// A view may read one element many times (broadcasts, windows), so it only reads; [`ViewMut`](crate::ViewMut)
/// writes. Its methods take `&self` and give views with the lifetime of what is borrowed, so chains over temporaries
/// work, and `Clone` costs no more than the layout. What copies is named `to_*` or `try_*`.
///
/// # Invariants
///
/// `unsafe` code in this crate cites these, L1 to L4 of [`Layout`], and D1 to D5 of [`Device`] by number.
///
/// * **V1** every offset that the layout reaches lies inside the buffer, whose elements are all written (D2);
/// * **V2** the layout of a [`ViewMut`](crate::ViewMut) is injective: no two coordinates share an element.
///   Constructors and `as_strided` check it, and every other operation on `ViewMut` keeps it; the ones that do not
///   (`broadcast_to`, `windows`) do not exist there;
/// * **V3** memory is only reached through the raw pointer of the [`BufferRef`]; nobody makes a reference to the
///   whole of it while a `ViewMut` lives (D1);
/// * **V4** the elements that the layout of a `View<'a>` reaches are written by nobody during `'a`; those that the
///   layout of a `ViewMut<'a>` reaches are touched by nobody else during `'a`. The same holds for the whole buffer as
///   long as the view is not a [piece](crate::ViewMut::split_at_mut): the other elements around a piece belong to
///   somebody else. The view inside a `ViewMut` never leaves it but under a borrow of that `ViewMut`;
/// * **V5** no slice is made over a span: only references to single elements, or slices over a layout that is proved
///   contiguous.
///
/// ```
/// use weft_view::prelude::*;
/// let x = Host.arange(0.0f32..12.0)?.reshape([3, 4])?;
/// let y = x.view().t()?.slice_axis(0, 1..)?;
/// assert_eq!(y.layout().to_string(), "(3,3):(1,4)@1");
/// assert_eq!(y[[2, 1]], 7.0);
/// assert_eq!(y.to_vec()?, [1.0, 5.0, 9.0, 2.0, 6.0, 10.0, 3.0, 7.0, 11.0]);
/// # Ok::<(), weft_view::Error>(())
/// ```
#[doc(alias("TensorView", "ArrayView", "ArrayViewD", "CowArray", "view"))]
pub struct View<'a, T: Element, D: Device = Host> {
    pub(crate) buffer: BufferRef<'a, T, D>,
    pub(crate) layout: Layout,
    pub(crate) extent: Extent,
}

/// Whose the buffer's elements outside of the layout are (V4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// This borrow's.
    Whole,
    /// Somebody else's: the view is a part of a `ViewMut` that was split.
    Piece,
}

impl<'a, T: Element, D: Device> View<'a, T, D> {
    /// All elements of a buffer, or some, under `layout`.
    ///
    /// # Errors
    ///
    /// `OutOfBuffer` where the layout reaches past the end.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let buffer = Buffer::from_slice(&Host, &[1u8, 2, 3, 4, 5, 6])?;
    /// let v = View::from_buffer(&buffer, Layout::col_major([3, 2])?)?;
    /// assert_eq!(v.to_vec()?, [1, 4, 2, 5, 3, 6]);
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    pub fn from_buffer(buffer: &'a Buffer<T, D>, layout: Layout) -> Result<View<'a, T, D>> {
        View::over(buffer.borrowed(), layout)
    }

    /// Establishes V1. The caller answers for V4: the whole of `buffer` is borrowed for reading.
    pub(crate) fn over(buffer: BufferRef<'a, T, D>, layout: Layout) -> Result<View<'a, T, D>> {
        layout.fits(buffer.len()).in_shape(&layout)?;
        Ok(View { buffer, layout, extent: Extent::Whole })
    }

    /// The same elements under another layout, which keeps V1 and V4.
    #[inline]
    pub(crate) fn with_layout(&self, layout: Layout) -> View<'a, T, D> {
        debug_assert!(layout.required_len() <= self.buffer.len(), "V1");
        View { buffer: self.buffer, layout, extent: self.extent }
    }

    /// Other elements of the same buffer: a layout from `shape`, `strides` and `offset`, all in elements and counted
    /// from the start of the buffer, whatever this view reads.
    ///
    /// # Errors
    ///
    /// As [`Layout::as_strided`]: `Rank`, `NegativeOffset`, `OutOfBuffer` and the overflows; `Piece` for
    /// a part of a [split](crate::ViewMut::split_at_mut), around which the elements belong to somebody else.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let x = Host.arange(0i32..6)?;
    /// assert_eq!(x.view().as_strided([2, 3], &[1, 2], 0)?.to_vec()?, [0, 2, 4, 1, 3, 5]);
    /// let refused = x.view().as_strided([4], &[2], 0).unwrap_err();
    /// assert_eq!(refused.to_string(), "as_strided: needs a buffer of 7 elements, there are 6 in shape [6]");
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    pub fn as_strided(&self, shape: impl IntoShape, strides: &[isize], offset: usize) -> Result<View<'a, T, D>> {
        if self.extent == Extent::Piece {
            return Err(Error::Piece { op: "as_strided" });
        }
        let layout = Layout::as_strided(shape, strides, offset, self.buffer.len()).in_shape(&self.layout)?;
        Ok(self.with_layout(layout))
    }

    /// The smallest copy after which [`reshape`](View::reshape) to `target` is a view;
    /// [`to_contiguous_by`](View::to_contiguous_by) runs it.
    ///
    /// # Errors
    ///
    /// As [`reshape`](View::reshape), but for `Blocked`.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let x = Host.arange(0i32..12)?.reshape([3, 4])?;
    /// let wide = x.view().broadcast_to([8, 3, 4])?.transpose(1, 2)?;
    /// assert_eq!(wide.copy_plan([8, 12])?.copied(), 12); // not 96
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    pub fn copy_plan(&self, target: impl IntoTarget) -> Result<CopyPlan> {
        self.layout.copy_plan(target).in_shape(&self.layout)
    }
}

impl<'a, T: Element> View<'a, T, Host> {
    /// Plain memory under `layout`.
    ///
    /// # Errors
    ///
    /// `OutOfBuffer` where the layout reaches past the end of `values`.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let v = View::from_slice(&[0, 1, 2, 3, 4, 5], Layout::row_major([2, 3])?)?;
    /// assert_eq!(v.t()?.to_vec()?, [0, 3, 1, 4, 2, 5]);
    /// let refused = View::from_slice(&[0u8; 5], Layout::row_major([2, 3])?).unwrap_err();
    /// assert_eq!(refused.to_string(), "fits: needs a buffer of 6 elements, there are 5 in shape [2, 3]");
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    #[doc(alias("from_shape", "from_blob", "frombuffer"))]
    pub fn from_slice(values: &'a [T], layout: Layout) -> Result<View<'a, T, Host>> {
        View::over(BufferRef::from_slice(values), layout)
    }

    /// Memory behind a raw pointer, `len` elements of it, under `layout`.
    ///
    /// # Errors
    ///
    /// `OutOfBuffer` where the layout reaches past `len`.
    ///
    /// # Safety
    ///
    /// For all of `'a`: `pointer` is aligned for `T` and good for reading `len` written elements, of together at most
    /// `isize::MAX` bytes, and nobody writes them.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let values = [1u16, 2, 3];
    /// // SAFETY: `values` outlives the view and is not written.
    /// let v = unsafe { View::from_raw_parts(values.as_ptr(), 3, Layout::row_major([3])?.flip([0])?)? };
    /// assert_eq!(v.to_vec()?, [3, 2, 1]);
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    pub unsafe fn from_raw_parts(pointer: *const T, len: usize, layout: Layout) -> Result<View<'a, T, Host>> {
        // SAFETY: the caller's promise; a `View` writes nothing.
        View::over(unsafe { BufferRef::from_raw_parts(pointer.cast_mut(), len) }, layout)
    }
}

/// What a view knows about itself, for `View` and for `ViewMut`: `$view` is the path to the `View` in `self`.
macro_rules! facts {
    ($name:ident, |$this:ident| $view:expr) => {
        impl<T: Element, D: Device> $name<'_, T, D> {
            /// Shape, strides and offset, in elements.
            #[inline]
            #[must_use]
            pub fn layout(&self) -> &Layout {
                let $this = self;
                &$view.layout
            }

            /// Sizes of the axes in elements, outermost first.
            #[inline]
            #[must_use]
            pub fn shape(&self) -> &[usize] {
                self.layout().shape()
            }

            /// Strides of the axes in elements, outermost first.
            #[inline]
            #[must_use]
            pub fn strides(&self) -> &[isize] {
                self.layout().strides()
            }

            /// Where the coordinate of all zeros lives, in elements from the start of the buffer.
            #[inline]
            #[must_use]
            #[doc(alias = "storage_offset")]
            pub fn offset(&self) -> usize {
                self.layout().offset()
            }

            /// How many axes there are: the rank.
            #[inline]
            #[must_use]
            #[doc(alias("rank", "dim"))]
            pub fn ndim(&self) -> usize {
                self.layout().ndim()
            }

            /// How many elements there are to read; an element read twice counts twice.
            #[inline]
            #[must_use]
            #[doc(alias("size", "len", "elem_count"))]
            pub fn numel(&self) -> usize {
                self.layout().numel()
            }

            /// Whether there are no elements: some axis has size 0.
            #[inline]
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.layout().is_empty()
            }

            /// Whether the elements lie side by side in row-major order.
            #[inline]
            #[must_use]
            #[doc(alias = "is_standard_layout")]
            pub fn is_contiguous(&self) -> bool {
                self.layout().is_contiguous()
            }

            /// The type of the elements, as a value.
            #[inline]
            #[must_use]
            pub fn dtype(&self) -> DType {
                T::DTYPE
            }

            /// The device on which the elements are.
            #[inline]
            #[must_use]
            pub fn device(&self) -> &D {
                let $this = self;
                $view.buffer.device()
            }
        }
    };
}
pub(crate) use facts;

facts!(View, |this| this);

// By hand: the derived one would ask for `D: Clone` and `T: Clone`.
impl<T: Element, D: Device> Clone for View<'_, T, D> {
    #[inline]
    fn clone(&self) -> Self {
        View { buffer: self.buffer, layout: self.layout.clone(), extent: self.extent }
    }
}
