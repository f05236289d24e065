//! [`Layout`]: shape, strides and offset, and the numbered invariants that the rest of the workspace cites.

use core::fmt;

use crate::args::{IntoShape, small};
use crate::dims::{Shape, Strides};
use crate::error::{LayoutError, LayoutErrorKind, Op, Result};

/// A rule for reading one long row of elements as an array: `offset + coordinate · strides`.
///
/// Sizes, strides and the offset count elements, never bytes. Strides are signed: a negative one walks backwards, a
/// zero one reads the same element again. `offset` is where the coordinate of all zeros lives.
/// Printed, a layout is `shape:strides@offset`.
///
/// # Invariants
///
/// Every `Layout` that exists upholds these; `unsafe` code elsewhere cites them by number.
///
/// * **L1** shape and strides have the same length, the rank;
/// * **L2** the product of the non-zero sizes fits `isize` (so [`numel`](Layout::numel) cannot wrap, nor any
///   product over some of the axes);
/// * **L3** every reachable offset lies in `0..=isize::MAX`, and so does `offset` itself;
/// * **L4** a layout alone proves nothing about a buffer: where the two meet, [`span`](Layout::span) is checked against the
///   buffer's length.
///
/// ```
/// use weft_layout::Layout;
/// let l = Layout::row_major([3, 4])?;
/// assert_eq!(l.to_string(), "(3,4):(4,1)@0");
/// assert_eq!(l.t()?.to_string(), "(4,3):(1,4)@0");
/// assert_eq!(l.offset_of(&[2, 1])?, 9);
/// # Ok::<(), weft_layout::LayoutError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Layout {
    // Whoever builds one with a struct literal (this crate only) owes L1 to L3.
    pub(crate) shape: Shape,
    pub(crate) strides: Strides,
    pub(crate) offset: usize,
}

impl Layout {
    /// A layout from its parts: `shape` and `strides` in elements, outermost axis first; `offset` in elements.
    ///
    /// Strides of axes that cannot move (size 1, or any axis of an empty layout) are kept as given and never used.
    ///
    /// # Errors
    ///
    /// `Rank` where the lengths differ, `SizeOverflow`, `OffsetTooLarge`, `OffsetOverflow` and `NegativeOffset` where L2 or
    /// L3 would not hold.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// assert_eq!(Layout::from_parts(&[3, 2], &[-2, 1], 4)?.span(), 0..6);
    /// let refused = Layout::from_parts(&[3, 2], &[-2, 1], 3).unwrap_err();
    /// assert_eq!(refused.to_string(), "from_parts: reachable offset -1 lies before the buffer");
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    pub fn from_parts(shape: &[usize], strides: &[isize], offset: usize) -> Result<Layout> {
        Layout::checked(Op::FromParts, shape, strides, offset)
    }

    /// [`from_parts`](Layout::from_parts), and every reachable offset must lie inside a buffer of `len` elements.
    ///
    /// # Errors
    ///
    /// As [`from_parts`](Layout::from_parts), and `OutOfBuffer`.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// let refused = Layout::as_strided([4], &[5], 2, 16).unwrap_err();
    /// assert_eq!(refused.to_string(), "as_strided: needs a buffer of 18 elements, there are 16");
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    pub fn as_strided(shape: impl IntoShape, strides: &[isize], offset: usize, len: usize) -> Result<Layout> {
        let layout = shape.with_shape(|shape| Layout::checked(Op::AsStrided, shape, strides, offset))?;
        layout.check_len(Op::AsStrided, len)?;
        Ok(layout)
    }

    pub(crate) fn checked(op: Op, shape: &[usize], strides: &[isize], offset: usize) -> Result<Layout> {
        if shape.len() != strides.len() {
            let kind = LayoutErrorKind::Rank { needed: small(shape.len()), given: small(strides.len()) };
            return Err(LayoutError::new(op, kind));
        }
        let empty = check_sizes(op, shape)?;
        if isize::try_from(offset).is_err() {
            return Err(LayoutError::new(op, LayoutErrorKind::OffsetTooLarge { offset }));
        }
        if !empty {
            check_reach(op, shape, strides, offset)?;
        }
        Ok(Layout { shape: Shape::from_slice(shape), strides: Strides::from_slice(strides), offset })
    }

    /// Checks L4: every reachable offset lies inside a buffer of `len` elements. An empty layout reaches none: it fits any
    /// buffer, whatever its offset (PyTorch's rule for `as_strided` too).
    ///
    /// # Errors
    ///
    /// `OutOfBuffer` with the length needed.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// let l = Layout::row_major([2, 3])?;
    /// assert!(l.fits(6).is_ok());
    /// let refused = l.fits(5).unwrap_err();
    /// assert_eq!(refused.to_string(), "fits: needs a buffer of 6 elements, there are 5");
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    pub fn fits(&self, len: usize) -> Result<()> {
        self.check_len(Op::Fits, len)
    }

    fn check_len(&self, op: Op, len: usize) -> Result<()> {
        // Nothing is read of an empty layout, so its offset may be anywhere.
        let required = self.required_len();
        if required > len {
            return Err(LayoutError::new(op, LayoutErrorKind::OutOfBuffer { required, len }));
        }
        Ok(())
    }

    /// Sizes of the axes in elements, outermost first.
    #[inline]
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Strides of the axes in elements, outermost first.
    ///
    /// ```
    /// assert_eq!(weft_layout::Layout::row_major([2, 3, 4])?.strides(), [12, 4, 1]);
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn strides(&self) -> &[isize] {
        &self.strides
    }

    /// The offset of the coordinate of all zeros, in elements.
    ///
    /// ```
    /// let flipped = weft_layout::Layout::row_major([4])?.flip([0])?;
    /// assert_eq!(flipped.offset(), 3);
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[inline]
    #[must_use]
    #[doc(alias = "storage_offset")]
    #[doc(alias = "start_offset")]
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// How many axes there are: the rank.
    #[doc(alias = "rank")]
    #[doc(alias = "dim")]
    #[inline]
    #[must_use]
    pub fn ndim(&self) -> usize {
        self.shape.len()
    }

    /// How many elements there are to read: the product of the sizes. An element read twice counts twice.
    ///
    /// ```
    /// let l = weft_layout::Layout::row_major([4])?;
    /// assert_eq!(l.broadcast_to([3, 4])?.numel(), 12);
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[doc(alias = "size")]
    #[doc(alias = "elem_count")]
    #[doc(alias = "len")]
    #[inline]
    #[must_use]
    pub fn numel(&self) -> usize {
        // L2: no wrap.
        self.shape.iter().product()
    }

    /// Whether there is nothing to read: some axis has size 0.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.shape.contains(&0)
    }
}

/// L2 for `shape`; tells whether a size is 0.
#[inline]
pub(crate) fn check_sizes(op: Op, shape: &[usize]) -> Result<bool> {
    let mut product: usize = 1;
    let mut empty = false;
    for (axis, &size) in shape.iter().enumerate() {
        match size {
            0 => empty = true,
            _ => match product.checked_mul(size) {
                Some(next) if next <= isize::MAX.unsigned_abs() => product = next,
                _ => {
                    return Err(LayoutError::new(op, LayoutErrorKind::SizeOverflow { axis: small(axis), size }));
                }
            },
        }
    }
    Ok(empty)
}

/// L3 for a layout without a size of 0.
///
/// The forward and the backward reach are summed apart, so that the verdict does not depend on the order of the axes.
fn check_reach(op: Op, shape: &[usize], strides: &[isize], offset: usize) -> Result<()> {
    let (mut highest, mut back) = (offset, 0usize);
    for (axis, (&size, &stride)) in shape.iter().zip(strides).enumerate() {
        let reach = (size - 1).checked_mul(stride.unsigned_abs());
        let sum = if stride < 0 { &mut back } else { &mut highest };
        match reach.and_then(|reach| sum.checked_add(reach)) {
            Some(next) if next <= isize::MAX.unsigned_abs() => *sum = next,
            _ => {
                let kind = LayoutErrorKind::OffsetOverflow { axis: small(axis), size, stride };
                return Err(LayoutError::new(op, kind));
            }
        }
    }
    if back > offset {
        // Both fit isize, and so does their difference.
        let lowest = (offset as isize) - (back as isize);
        return Err(LayoutError::new(op, LayoutErrorKind::NegativeOffset { lowest }));
    }
    Ok(())
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}@{}", self.shape, self.strides, self.offset)
    }
}

/// The same as `Display`: snapshots and assertion messages stay on one line.
impl fmt::Debug for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
