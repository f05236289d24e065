//! Walking a layout: every offset in row-major order, runs of neighbours, and the cache lines a walk touches.

use core::borrow::Borrow;
use core::iter::FusedIterator;
use core::ops::Range;

use crate::dims::{Shape, Strides};
use crate::error::{LayoutError, LayoutErrorKind, Op, Result};
use crate::layout::Layout;
use crate::plan::Plan;

impl Layout {
    /// Every offset in row-major order of the coordinates. One addition a step; carries cost amortised constant time.
    ///
    /// Internal iteration (`for_each`, `sum`, `fold`, `collect`) runs the innermost axis as a plain loop.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// let t = Layout::row_major([3, 4])?.t()?;
    /// assert_eq!(t.offsets().collect::<Vec<_>>(), [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]);
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[doc(alias = "strided_index")]
    #[must_use]
    pub fn offsets(&self) -> Offsets<&Layout> {
        Offsets { layout: self, coord: Shape::from_fn(self.ndim(), |_| 0), next: self.offset, left: self.numel() }
    }

    /// [`offsets`](Layout::offsets) of a layout that the iterator keeps.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// let columns = Layout::row_major([2, 2])?.t()?.into_offsets();
    /// assert_eq!(columns.collect::<Vec<_>>(), [0, 2, 1, 3]);
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn into_offsets(self) -> Offsets<Layout> {
        Offsets { coord: Shape::from_fn(self.ndim(), |_| 0), next: self.offset, left: self.numel(), layout: self }
    }

    /// The runs of neighbouring offsets that a row-major walk reads, as `(start, len)` with one `len` for all.
    ///
    /// A contiguous layout is one block; a transposed matrix has blocks of one element.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// let part = Layout::row_major([3, 4])?.narrow(1, 1, 3)?;
    /// let blocks = part.blocks();
    /// assert_eq!(blocks.block_len(), 3);
    /// assert_eq!(blocks.collect::<Vec<_>>(), [1..4, 5..8, 9..12]);
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[doc(alias = "strided_blocks")]
    #[must_use]
    pub fn blocks(&self) -> Blocks {
        if self.is_empty() {
            return Blocks { outer: self.clone(), coord: self.shape.clone(), next: self.offset, left: 0, len: 0 };
        }
        // The longest suffix of axes that is one run; axes of size 1 belong to any run.
        let (mut len, mut axes) = (1, self.ndim());
        while axes > 0 {
            let size = self.shape[axes - 1];
            if size != 1 {
                if self.strides[axes - 1] != len as isize {
                    break;
                }
                len *= size;
            }
            axes -= 1;
        }
        let outer = Layout {
            shape: Shape::from_slice(&self.shape[..axes]),
            strides: Strides::from_slice(&self.strides[..axes]),
            offset: self.offset,
        };
        let (coord, next, left) = (Shape::from_fn(axes, |_| 0), outer.offset, outer.numel());
        Blocks { outer, coord, next, left, len }
    }

    /// How many cache lines of `line_bytes` hold the elements of this layout, for elements of `element_bytes` and a buffer
    /// that starts on a line.
    ///
    /// Each line counts once, however often it is read. Costs a walk over the elements, each run of them once, and memory
    /// for each range of lines that is apart from the one before: for inspection, not for hot paths.
    ///
    /// # Errors
    ///
    /// `Zero` where `line_bytes` or `element_bytes` is 0.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// let l = Layout::row_major([1024, 1024])?;
    /// assert_eq!(l.select(0, 0)?.lines_touched(64, 4)?, 64);
    /// assert_eq!(l.select(1, 0)?.lines_touched(64, 4)?, 1024);
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    pub fn lines_touched(&self, line_bytes: usize, element_bytes: usize) -> Result<usize> {
        for (what, value) in [("line_bytes", line_bytes), ("element_bytes", element_bytes)] {
            if value == 0 {
                return Err(LayoutError::new(Op::Lines, LayoutErrorKind::Zero { what, axis: u32::MAX }));
            }
        }
        // A repeated axis touches nothing new, and a walk from the smallest stride outwards meets neighbouring lines one after
        // the other: so few ranges are kept.
        let moving = |axis: &usize| self.strides[*axis] != 0;
        let once = Layout {
            shape: (0..self.ndim()).filter(moving).map(|axis| self.shape[axis]).collect(),
            strides: (0..self.ndim()).filter(moving).map(|axis| self.strides[axis]).collect(),
            offset: self.offset,
        };
        let mut ranges = alloc::vec::Vec::<Range<u128>>::new();
        let mut touch = |start: usize, len: usize| {
            let first = start as u128 * element_bytes as u128 / line_bytes as u128;
            let end = ((start + len) as u128 * element_bytes as u128 - 1) / line_bytes as u128 + 1;
            match ranges.last_mut() {
                Some(last) if last.start <= first && first <= last.end => last.end = last.end.max(end),
                _ => ranges.push(first..end),
            }
        };
        if !self.is_empty() {
            Plan::new([&once])?.for_each_run(|[at], run| match run.strides {
                [1] => touch(at, run.size),
                [stride] => (0..run.size as isize).for_each(|i| touch(at.wrapping_add_signed(i * stride), 1)),
            });
        }
        ranges.sort_unstable_by_key(|range| range.start);
        let (mut lines, mut seen) = (0u128, 0);
        for range in ranges {
            lines += range.end.saturating_sub(range.start.max(seen));
            seen = seen.max(range.end);
        }
        // No more lines than elements times lines an element: what does not fit is not walked in a lifetime.
        Ok(usize::try_from(lines).unwrap_or(usize::MAX))
    }
}

/// Iterator over the offsets of a layout, borrowed or kept: [`Layout::offsets`], [`Layout::into_offsets`].
#[derive(Clone, Debug)]
pub struct Offsets<L> {
    layout: L,
    /// The coordinate of the next element.
    coord: Shape,
    /// Its offset.
    next: usize,
    /// How many elements are left.
    left: usize,
}

/// Moves `coord` one step in row-major order over the first `axes` axes and `offset` with it.
#[inline]
fn advance(shape: &[usize], strides: &[isize], coord: &mut [usize], offset: usize) -> usize {
    let mut offset = offset;
    for axis in (0..shape.len()).rev() {
        coord[axis] += 1;
        if coord[axis] < shape[axis] {
            return offset.wrapping_add_signed(strides[axis]);
        }
        // Back to the start of this axis; the wrap cancels out at the next axis (L3), or this was the last element.
        coord[axis] = 0;
        offset = offset.wrapping_add_signed(strides[axis].wrapping_mul(1 - shape[axis] as isize));
    }
    offset
}

impl<L: Borrow<Layout>> Iterator for Offsets<L> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        self.left = self.left.checked_sub(1)?;
        let offset = self.next;
        let layout = self.layout.borrow();
        self.next = advance(&layout.shape, &layout.strides, self.coord.as_mut_slice(), offset);
        Some(offset)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }

    /// The innermost axis as a counted loop: the compiler unrolls and vectorises what the closure allows.
    fn fold<B, F: FnMut(B, usize) -> B>(mut self, init: B, mut f: F) -> B {
        let layout = self.layout.borrow();
        let (Some((&size, outer_shape)), Some((&stride, outer_strides))) =
            (layout.shape.split_last(), layout.strides.split_last())
        else {
            return if self.left == 0 { init } else { f(init, self.next) };
        };
        let mut acc = init;
        let mut started = self.coord.last().copied().unwrap_or(0);
        while self.left > 0 {
            let run = (size - started).min(self.left);
            if stride == 1 {
                for offset in self.next..self.next + run {
                    acc = f(acc, offset);
                }
            } else {
                let mut offset = self.next;
                for _ in 0..run {
                    acc = f(acc, offset);
                    offset = offset.wrapping_add_signed(stride);
                }
            }
            self.left -= run;
            let row = self.next.wrapping_add_signed(stride.wrapping_mul(-(started as isize)));
            let outer = outer_shape.len();
            self.next = advance(outer_shape, outer_strides, &mut self.coord.as_mut_slice()[..outer], row);
            started = 0;
        }
        acc
    }
}

impl<L: Borrow<Layout>> ExactSizeIterator for Offsets<L> {}
impl<L: Borrow<Layout>> FusedIterator for Offsets<L> {}

/// Iterator over runs of neighbouring offsets: [`Layout::blocks`].
#[derive(Clone, Debug)]
pub struct Blocks {
    outer: Layout,
    coord: Shape,
    next: usize,
    left: usize,
    len: usize,
}

impl Blocks {
    /// How many elements each block has; 0 where there is no element.
    #[must_use]
    pub fn block_len(&self) -> usize {
        self.len
    }
}

impl Iterator for Blocks {
    type Item = Range<usize>;

    #[inline]
    fn next(&mut self) -> Option<Range<usize>> {
        self.left = self.left.checked_sub(1)?;
        let start = self.next;
        self.next = advance(&self.outer.shape, &self.outer.strides, self.coord.as_mut_slice(), start);
        Some(start..start + self.len)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Blocks {}
impl FusedIterator for Blocks {}
