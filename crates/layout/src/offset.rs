//! From a coordinate or a linear index to an offset, and the span of all offsets.

use core::ops::Range;

use crate::args::small;
use crate::dims::Shape;
use crate::error::{LayoutError, LayoutErrorKind, Op, Result};
use crate::layout::Layout;

impl Layout {
    /// The reachable offsets, in elements: first .. one past the last. Empty where there is no element.
    ///
    /// This is what is checked against a buffer (L4): a view of rows 2 and 3 of a `(4,5)` array starts at 13 and needs 20.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// let part = Layout::row_major([4, 5])?.narrow(0, 2, 2)?.narrow(1, 3, 2)?;
    /// assert_eq!(part.span(), 13..20);
    /// assert_eq!(part.flip([0, 1])?.span(), 13..20);
    /// assert!(Layout::row_major([0, 3])?.span().is_empty());
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        if self.is_empty() {
            return self.offset..self.offset;
        }
        let (mut first, mut last) = (self.offset, self.offset);
        for (&size, &stride) in self.shape.iter().zip(self.strides.iter()) {
            // L3: each product and each partial sum stays inside 0..=isize::MAX. An axis of size 1 contributes 0.
            let reach = (size - 1) * stride.unsigned_abs();
            if stride < 0 {
                first -= reach;
            } else {
                last += reach;
            }
        }
        first..last + 1
    }

    /// How long a buffer must be, in elements, to hold every reachable offset: `span().end`; 0 for an empty layout.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// let l = Layout::from_parts(&[672, 3, 3], &[16, 1, 4], 0)?;
    /// assert_eq!(l.required_len(), 10747);
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[doc(alias = "required_span_size")]
    #[doc(alias = "cosize")]
    #[must_use]
    pub fn required_len(&self) -> usize {
        if self.is_empty() { 0 } else { self.span().end }
    }

    /// The offset of a coordinate, in elements.
    ///
    /// # Errors
    ///
    /// `Rank` where `coord` is not one index for each axis, `IndexOutOfRange` where one is outside its axis.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// let l = Layout::row_major([2, 3, 4])?;
    /// assert_eq!(l.offset_of(&[1, 1, 2])?, 18);
    /// let refused = l.offset_of(&[5, 0, 0]).unwrap_err();
    /// assert_eq!(refused.to_string(), "offset_of: index 5 is out of range for axis 0 (size 2)");
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[doc(alias = "ravel_multi_index")]
    #[inline]
    pub fn offset_of(&self, coord: &[usize]) -> Result<usize> {
        if coord.len() != self.ndim() {
            let kind = LayoutErrorKind::Rank { needed: small(self.ndim()), given: small(coord.len()) };
            return Err(LayoutError::new(Op::OffsetOf, kind));
        }
        let mut offset = self.offset;
        for (axis, ((&index, &size), &stride)) in
            coord.iter().zip(self.shape.iter()).zip(self.strides.iter()).enumerate()
        {
            if index >= size {
                return Err(index_error(Op::OffsetOf, axis, index, size));
            }
            // L3: the full sum is in range, and wrapping addition reaches it whatever the order of the axes.
            offset = offset.wrapping_add_signed((index as isize).wrapping_mul(stride));
        }
        Ok(offset)
    }

    /// [`offset_of`](Layout::offset_of) without the checks, for hot loops.
    ///
    /// Safe, because a number is all it returns: outside the shape the number means nothing. Debug builds assert rank and
    /// bounds.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// assert_eq!(Layout::row_major([10, 20])?.offset_of_unchecked(&[3, 7]), 67);
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn offset_of_unchecked(&self, coord: &[usize]) -> usize {
        debug_assert!(
            coord.len() == self.ndim() && coord.iter().zip(self.shape.iter()).all(|(index, size)| index < size),
            "coordinate {coord:?} lies outside shape {:?}",
            self.shape
        );
        coord.iter().zip(self.strides.iter()).fold(self.offset, |offset, (&index, &stride)| {
            offset.wrapping_add_signed((index as isize).wrapping_mul(stride))
        })
    }

    /// The offset of the `index`-th element in row-major order (last axis fastest), whatever the strides.
    ///
    /// # Errors
    ///
    /// `LinearOutOfRange` where there is no such element.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// let t = Layout::row_major([3, 4])?.t()?;
    /// assert_eq!(t.offset_of_linear(4)?, 5);
    /// assert_eq!(Layout::row_major(())?.offset_of_linear(0)?, 0);
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    pub fn offset_of_linear(&self, index: usize) -> Result<usize> {
        let mut offset = self.offset;
        let inside = self.unravel(index, |axis, coord| {
            offset = offset.wrapping_add_signed((coord as isize).wrapping_mul(self.strides[axis]));
        });
        if inside { Ok(offset) } else { Err(self.linear_error(Op::OffsetOfLinear, index)) }
    }

    /// The coordinate of the `index`-th element in row-major order.
    ///
    /// # Errors
    ///
    /// `LinearOutOfRange` where there is no such element.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// assert_eq!(Layout::row_major([3, 4])?.coords_of_linear(5)?, [1, 1]);
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[doc(alias = "unravel_index")]
    pub fn coords_of_linear(&self, index: usize) -> Result<Shape> {
        let mut inside = false;
        let coords =
            Shape::filled(self.ndim(), |coords| inside = self.unravel(index, |axis, coord| coords[axis] = coord));
        if inside { Ok(coords) } else { Err(self.linear_error(Op::CoordsOfLinear, index)) }
    }

    /// Hands on the coordinate of the `index`-th element, innermost axis first; tells whether there is such an element.
    ///
    /// What is left over counts the outermost axis: no division there, and no product of all sizes to check it against.
    #[inline]
    fn unravel(&self, index: usize, mut coord: impl FnMut(usize, usize)) -> bool {
        let Some((&outermost, inner)) = self.shape.split_first() else { return index == 0 };
        let mut rest = index;
        for (axis, &size) in inner.iter().enumerate().rev() {
            if size == 0 {
                return false;
            }
            coord(axis + 1, rest % size);
            rest /= size;
        }
        coord(0, rest);
        rest < outermost
    }

    #[cold]
    fn linear_error(&self, op: Op, index: usize) -> LayoutError {
        LayoutError::new(op, LayoutErrorKind::LinearOutOfRange { index, numel: self.numel() })
    }
}

#[cold]
pub(crate) fn index_error(op: Op, axis: usize, index: usize, size: usize) -> LayoutError {
    let index = isize::try_from(index).unwrap_or(isize::MAX);
    LayoutError::new(op, LayoutErrorKind::IndexOutOfRange { axis: small(axis), index, size })
}
