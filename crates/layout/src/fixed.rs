//! Layouts whose rank is known when compiled: [`FixedLayout`], for constants and for targets without an allocator.

#[cfg(feature = "alloc")]
mod convert;

use core::fmt;
use core::ops::Range;

use crate::error::{LayoutError, LayoutErrorKind, Op, Result};

/// Shape, strides and offset of `N` axes in arrays: `Copy`, `const`, no allocator.
///
/// Upholds the same invariants L1 to L3 as `Layout`. Everything is in elements.
///
/// ```
/// use weft_layout::FixedLayout;
/// // A table made when compiled: sizes that overflow would be a compile error.
/// const IMAGE: FixedLayout<3> = FixedLayout::row_major([2, 3, 4]);
/// assert_eq!(IMAGE.strides(), &[12, 4, 1]);
/// assert_eq!(IMAGE.offset_of([1, 1, 2])?, 18);
/// assert_eq!(IMAGE.transpose(1, 2)?.to_string(), "(2,4,3):(12,1,4)@0");
/// # Ok::<(), weft_layout::LayoutError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct FixedLayout<const N: usize> {
    shape: [usize; N],
    strides: [isize; N],
    offset: usize,
}

impl<const N: usize> FixedLayout<N> {
    /// The fresh row-major layout: the last axis has stride 1. For constants.
    ///
    /// # Panics
    ///
    /// Where the product of the non-zero sizes passes `isize::MAX`; in a constant that is a compile error. For sizes that
    /// are not known when compiled there is [`try_row_major`](FixedLayout::try_row_major).
    ///
    /// ```
    /// const L: weft_layout::FixedLayout<2> = weft_layout::FixedLayout::row_major([10, 20]);
    /// assert_eq!(L.strides(), &[20, 1]);
    /// ```
    #[must_use]
    pub const fn row_major(shape: [usize; N]) -> FixedLayout<N> {
        match FixedLayout::try_row_major(shape) {
            Ok(layout) => layout,
            Err(_) => panic!("row_major: the product of the sizes passes isize::MAX"),
        }
    }

    /// The fresh column-major layout: the first axis has stride 1. For constants.
    ///
    /// # Panics
    ///
    /// As [`row_major`](FixedLayout::row_major); see [`try_col_major`](FixedLayout::try_col_major).
    ///
    /// ```
    /// const L: weft_layout::FixedLayout<2> = weft_layout::FixedLayout::col_major([5, 2]);
    /// assert_eq!(L.strides(), &[1, 5]);
    /// ```
    #[must_use]
    pub const fn col_major(shape: [usize; N]) -> FixedLayout<N> {
        match FixedLayout::try_col_major(shape) {
            Ok(layout) => layout,
            Err(_) => panic!("col_major: the product of the sizes passes isize::MAX"),
        }
    }

    /// The fresh row-major layout of sizes that are known at run time.
    ///
    /// # Errors
    ///
    /// `SizeOverflow` where the product of the non-zero sizes passes `isize::MAX`.
    ///
    /// ```
    /// use weft_layout::FixedLayout;
    /// let refused = FixedLayout::try_row_major([1 << 40, 0, 1 << 40]).unwrap_err();
    /// assert_eq!(
    ///     refused.to_string(),
    ///     "row_major: the product of the sizes passes 9223372036854775807 at axis 2 (size 1099511627776)"
    /// );
    /// ```
    pub const fn try_row_major(shape: [usize; N]) -> Result<FixedLayout<N>> {
        if let Err(refused) = check_sizes(Op::RowMajor, &shape) {
            return Err(refused);
        }
        let mut strides = [1; N];
        let (mut next, mut axis) = (1, N);
        while axis > 0 {
            axis -= 1;
            strides[axis] = next;
            next *= extent(shape[axis]);
        }
        Ok(FixedLayout { shape, strides, offset: 0 })
    }

    /// The fresh column-major layout of sizes that are known at run time.
    ///
    /// # Errors
    ///
    /// As [`try_row_major`](FixedLayout::try_row_major).
    ///
    /// ```
    /// assert_eq!(weft_layout::FixedLayout::try_col_major([2, 3, 4])?.strides(), &[1, 2, 6]);
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    pub const fn try_col_major(shape: [usize; N]) -> Result<FixedLayout<N>> {
        if let Err(refused) = check_sizes(Op::ColMajor, &shape) {
            return Err(refused);
        }
        let mut strides = [1; N];
        let (mut next, mut axis) = (1, 0);
        while axis < N {
            strides[axis] = next;
            next *= extent(shape[axis]);
            axis += 1;
        }
        Ok(FixedLayout { shape, strides, offset: 0 })
    }

    /// A layout from its parts, in elements.
    ///
    /// # Errors
    ///
    /// `SizeOverflow`, `OffsetTooLarge`, `OffsetOverflow` and `NegativeOffset` where an offset that is reached would not lie
    /// in `0..=isize::MAX`.
    ///
    /// ```
    /// use weft_layout::FixedLayout;
    /// assert_eq!(FixedLayout::from_parts([3, 2], [-2, 1], 4)?.span(), 0..6);
    /// let refused = FixedLayout::from_parts([3, 2], [-2, 1], 3).unwrap_err();
    /// assert_eq!(refused.to_string(), "from_parts: reachable offset -1 lies before the buffer");
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    pub const fn from_parts(shape: [usize; N], strides: [isize; N], offset: usize) -> Result<FixedLayout<N>> {
        if let Err(refused) = check_sizes(Op::FromParts, &shape) {
            return Err(refused);
        }
        if offset > MOST {
            return Err(LayoutError::new(Op::FromParts, LayoutErrorKind::OffsetTooLarge { offset }));
        }
        let layout = FixedLayout { shape, strides, offset };
        if !layout.is_empty()
            && let Err(refused) = layout.check_reach()
        {
            return Err(refused);
        }
        Ok(layout)
    }

    /// Sizes of the axes in elements, outermost first.
    #[inline]
    #[must_use]
    pub const fn shape(&self) -> &[usize; N] {
        &self.shape
    }

    /// Strides of the axes in elements, outermost first.
    #[inline]
    #[must_use]
    pub const fn strides(&self) -> &[isize; N] {
        &self.strides
    }

    /// The offset of the coordinate of all zeros, in elements.
    #[inline]
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// How many elements there are to read.
    #[must_use]
    pub const fn numel(&self) -> usize {
        let (mut product, mut axis) = (1, 0);
        while axis < N {
            // L2: no wrap.
            product *= self.shape[axis];
            axis += 1;
        }
        product
    }

    /// Whether some axis has size 0.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        let mut axis = 0;
        while axis < N {
            if self.shape[axis] == 0 {
                return true;
            }
            axis += 1;
        }
        false
    }

    /// The reachable offsets, in elements: first .. one past the last. Empty where there is no element.
    ///
    /// ```
    /// use weft_layout::FixedLayout;
    /// assert_eq!(FixedLayout::from_parts([2, 2], [5, 1], 13)?.span(), 13..20);
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub const fn span(&self) -> Range<usize> {
        if self.is_empty() {
            return self.offset..self.offset;
        }
        let (mut first, mut last, mut axis) = (self.offset, self.offset, 0);
        while axis < N {
            // L3: every partial sum is in range.
            let reach = (self.shape[axis] - 1) * self.strides[axis].unsigned_abs();
            if self.strides[axis] < 0 {
                first -= reach;
            } else {
                last += reach;
            }
            axis += 1;
        }
        first..last + 1
    }

    /// The offset of a coordinate, in elements.
    ///
    /// # Errors
    ///
    /// `IndexOutOfRange` where an index is outside its axis.
    ///
    /// ```
    /// use weft_layout::FixedLayout;
    /// const L: FixedLayout<2> = FixedLayout::row_major([10, 20]);
    /// assert_eq!(L.offset_of([3, 7])?, 67);
    /// assert_eq!(
    ///     L.offset_of([3, 20]).unwrap_err().to_string(),
    ///     "offset_of: index 20 is out of range for axis 1 (size 20)"
    /// );
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[inline]
    pub const fn offset_of(&self, coord: [usize; N]) -> Result<usize> {
        let (mut offset, mut axis) = (self.offset, 0);
        while axis < N {
            if coord[axis] >= self.shape[axis] {
                return Err(index_error(axis, coord[axis], self.shape[axis]));
            }
            // L3: the full sum is in range, and wrapping addition reaches it whatever the order of the axes.
            offset = offset.wrapping_add_signed((coord[axis] as isize).wrapping_mul(self.strides[axis]));
            axis += 1;
        }
        Ok(offset)
    }

    /// The axes in another order: axis `d` of the result is axis `axes[d]` of this.
    ///
    /// # Errors
    ///
    /// `AxisOutOfRange` and `RepeatedAxis` where `axes` is not a permutation.
    ///
    /// ```
    /// use weft_layout::FixedLayout;
    /// const L: FixedLayout<3> = FixedLayout::row_major([2, 3, 4]);
    /// assert_eq!(L.permute([2, 0, 1])?.to_string(), "(4,2,3):(1,12,4)@0");
    /// assert_eq!(L.permute([2, 0, 2]).unwrap_err().to_string(), "permute: axis 2 is given twice");
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    pub const fn permute(&self, axes: [usize; N]) -> Result<FixedLayout<N>> {
        let mut permuted = *self;
        let mut seen = [false; N];
        let mut to = 0;
        while to < N {
            let from = axes[to];
            if from >= N {
                return Err(axis_error(Op::Permute, from, N));
            }
            if seen[from] {
                return Err(LayoutError::new(Op::Permute, LayoutErrorKind::RepeatedAxis { axis: from as u32 }));
            }
            seen[from] = true;
            permuted.shape[to] = self.shape[from];
            permuted.strides[to] = self.strides[from];
            to += 1;
        }
        Ok(permuted)
    }

    /// Two axes exchanged.
    ///
    /// # Errors
    ///
    /// `AxisOutOfRange`.
    ///
    /// ```
    /// use weft_layout::FixedLayout;
    /// const L: FixedLayout<2> = FixedLayout::row_major([3, 4]);
    /// assert_eq!(L.transpose(0, 1)?, FixedLayout::col_major([4, 3]));
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[doc(alias = "swapaxes")]
    pub const fn transpose(&self, a: usize, b: usize) -> Result<FixedLayout<N>> {
        if a >= N {
            return Err(axis_error(Op::Transpose, a, N));
        }
        if b >= N {
            return Err(axis_error(Op::Transpose, b, N));
        }
        let mut swapped = *self;
        (swapped.shape[a], swapped.shape[b]) = (self.shape[b], self.shape[a]);
        (swapped.strides[a], swapped.strides[b]) = (self.strides[b], self.strides[a]);
        Ok(swapped)
    }

    /// L3 for a layout without a size of 0. Forwards and backwards are summed apart, so that the order of the axes does not
    /// matter.
    const fn check_reach(&self) -> Result<()> {
        let (mut highest, mut back, mut axis) = (self.offset, 0usize, 0);
        while axis < N {
            let (size, stride) = (self.shape[axis], self.strides[axis]);
            let sum = if stride < 0 { &mut back } else { &mut highest };
            *sum = match (size - 1).checked_mul(stride.unsigned_abs()) {
                // Neither term passes isize::MAX twice: no wrap.
                Some(reach) if reach <= MOST && *sum + reach <= MOST => *sum + reach,
                _ => {
                    let kind = LayoutErrorKind::OffsetOverflow { axis: axis as u32, size, stride };
                    return Err(LayoutError::new(Op::FromParts, kind));
                }
            };
            axis += 1;
        }
        if back > self.offset {
            let lowest = self.offset as isize - back as isize;
            return Err(LayoutError::new(Op::FromParts, LayoutErrorKind::NegativeOffset { lowest }));
        }
        Ok(())
    }
}

const MOST: usize = isize::MAX as usize;

/// L2: the product of the non-zero sizes fits `isize`.
const fn check_sizes(op: Op, shape: &[usize]) -> Result<()> {
    let (mut product, mut axis) = (1usize, 0);
    while axis < shape.len() {
        let size = shape[axis];
        product = match product.checked_mul(if size == 0 { 1 } else { size }) {
            Some(next) if next <= MOST => next,
            _ => return Err(LayoutError::new(op, LayoutErrorKind::SizeOverflow { axis: axis as u32, size })),
        };
        axis += 1;
    }
    Ok(())
}

/// A size as the factor it contributes to the strides of slower axes. L2: fits.
const fn extent(size: usize) -> isize {
    if size == 0 { 1 } else { size as isize }
}

const fn signed(n: usize) -> isize {
    if n > MOST { isize::MAX } else { n as isize }
}

#[cold]
const fn index_error(axis: usize, index: usize, size: usize) -> LayoutError {
    let kind = LayoutErrorKind::IndexOutOfRange { axis: axis as u32, index: signed(index), size };
    LayoutError::new(Op::OffsetOf, kind)
}

#[cold]
const fn axis_error(op: Op, axis: usize, ndim: usize) -> LayoutError {
    LayoutError::new(op, LayoutErrorKind::AxisOutOfRange { axis: signed(axis), ndim: ndim as u32 })
}

/// `(3,4):(4,1)@0`, as every layout.
impl<const N: usize> fmt::Display for FixedLayout<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn list<T: fmt::Display>(f: &mut fmt::Formatter<'_>, values: &[T]) -> fmt::Result {
            for (axis, value) in values.iter().enumerate() {
                write!(f, "{}{value}", if axis == 0 { "" } else { "," })?;
            }
            Ok(())
        }
        f.write_str("(")?;
        list(f, &self.shape)?;
        f.write_str("):(")?;
        list(f, &self.strides)?;
        write!(f, ")@{}", self.offset)
    }
}

/// The same as `Display`.
impl<const N: usize> fmt::Debug for FixedLayout<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
