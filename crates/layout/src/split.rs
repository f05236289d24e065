//! Views that cut one axis: in two, or into chunks. The parts never share an element that the whole did not read twice.

use core::iter::FusedIterator;

use crate::args::{Axis, resolve_axis, small};
use crate::error::{LayoutError, LayoutErrorKind, Op, Result};
use crate::layout::Layout;

impl Layout {
    /// The first `mid` elements of an axis, and the rest.
    ///
    /// # Errors
    ///
    /// `AxisOutOfRange`; `RangeOutOfBounds` where `mid` is past the end of the axis.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// let (left, right) = Layout::row_major([2, 4])?.split_at(1, 1)?;
    /// assert_eq!((left.to_string(), right.to_string()), ("(2,1):(4,1)@0".into(), "(2,3):(4,1)@1".into()));
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    pub fn split_at(&self, axis: impl Axis, mid: usize) -> Result<(Layout, Layout)> {
        let axis = resolve_axis(Op::SplitAt, axis.to_signed(), self.ndim())?;
        let size = self.shape[axis];
        if mid > size {
            let kind = LayoutErrorKind::RangeOutOfBounds { axis: small(axis), start: 0, end: mid, size };
            return Err(LayoutError::new(Op::SplitAt, kind));
        }
        Ok((self.narrow(axis, 0, mid)?, self.narrow(axis, mid, size - mid)?))
    }

    /// An axis cut into chunks of `size` elements; the last one is shorter where `size` does not divide the axis.
    ///
    /// As `slice::chunks`: an axis of size 0 has no chunks.
    ///
    /// # Errors
    ///
    /// `AxisOutOfRange`; `Zero` for a size of 0.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// let l = Layout::row_major([5, 2])?;
    /// let rows: Vec<_> = l.chunks(0, 2)?.map(|chunk| chunk.to_string()).collect();
    /// assert_eq!(rows, ["(2,2):(2,1)@0", "(2,2):(2,1)@4", "(1,2):(2,1)@8"]);
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[doc(alias = "split")]
    #[doc(alias = "tensor_split")]
    pub fn chunks(&self, axis: impl Axis, size: usize) -> Result<Chunks<'_>> {
        let axis = resolve_axis(Op::Chunks, axis.to_signed(), self.ndim())?;
        if size == 0 {
            return Err(LayoutError::new(Op::Chunks, LayoutErrorKind::Zero { what: "chunk size", axis: small(axis) }));
        }
        Ok(Chunks { layout: self, axis, size, start: 0 })
    }
}

/// Iterator over the chunks of an axis: [`Layout::chunks`].
#[derive(Clone, Debug)]
pub struct Chunks<'a> {
    layout: &'a Layout,
    axis: usize,
    size: usize,
    start: usize,
}

impl Iterator for Chunks<'_> {
    type Item = Layout;

    fn next(&mut self) -> Option<Layout> {
        let left = self.layout.shape[self.axis] - self.start;
        let len = self.size.min(left);
        if len == 0 {
            return None;
        }
        // In range by construction, so `narrow` cannot refuse.
        let chunk = self.layout.narrow(self.axis, self.start, len).ok()?;
        self.start += len;
        Some(chunk)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = (self.layout.shape[self.axis] - self.start).div_ceil(self.size);
        (left, Some(left))
    }
}

impl ExactSizeIterator for Chunks<'_> {}
impl FusedIterator for Chunks<'_> {}
