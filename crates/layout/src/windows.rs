//! Views that read elements more than once or aslant: sliding windows and diagonals.

use crate::args::{Axis, resolve_axis, small};
use crate::error::{LayoutError, LayoutErrorKind, Op, Result};
use crate::layout::{Layout, check_sizes};

impl Layout {
    /// Sliding windows over one axis: the axis becomes the position of the window, a new last axis runs inside it.
    ///
    /// `size` elements a window, windows start `step` apart, elements of one window lie `dilation` apart. An axis of `n`
    /// elements holds `(n - ((size - 1) * dilation + 1)) / step + 1` windows. Several axes: call it again, axes keep
    /// their numbers.
    ///
    /// # Errors
    ///
    /// `AxisOutOfRange`; `Zero` for a size, step or dilation of 0; `WindowTooLarge`; `SizeOverflow`.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// let l = Layout::row_major([6])?;
    /// assert_eq!(l.windows(0, 3, 1, 1)?.to_string(), "(4,3):(1,1)@0");
    /// assert_eq!(Layout::row_major([10])?.windows(0, 3, 2, 1)?.to_string(), "(4,3):(2,1)@0");
    /// assert_eq!(Layout::row_major([10])?.windows(0, 3, 1, 2)?.to_string(), "(6,3):(1,2)@0");
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[doc(alias = "unfold")]
    #[doc(alias = "sliding_window_view")]
    pub fn windows(&self, axis: impl Axis, size: usize, step: usize, dilation: usize) -> Result<Layout> {
        let axis = resolve_axis(Op::Windows, axis.to_signed(), self.ndim())?;
        for (what, value) in [("window size", size), ("step", step), ("dilation", dilation)] {
            if value == 0 {
                return Err(LayoutError::new(Op::Windows, LayoutErrorKind::Zero { what, axis: small(axis) }));
            }
        }
        let len = self.shape[axis];
        let window = (size - 1).saturating_mul(dilation).saturating_add(1);
        if window > len {
            let kind = LayoutErrorKind::WindowTooLarge { axis: small(axis), window, size: len };
            return Err(LayoutError::new(Op::Windows, kind));
        }
        let stride = self.strides[axis];
        let mut layout = self.clone();
        layout.shape.as_mut_slice()[axis] = (len - window) / step + 1;
        // A step or dilation beyond isize leaves an axis of size 1: whatever the product wraps to, it never moves.
        layout.strides.as_mut_slice()[axis] = stride.wrapping_mul(step as isize);
        layout.shape.push(size);
        layout.strides.push(stride.wrapping_mul(dilation as isize));
        check_sizes(Op::Windows, &layout.shape)?;
        Ok(layout)
    }

    /// A diagonal of the plane of axes `a` and `b`, as a new last axis in place of both: elements `(i, i + k)`.
    ///
    /// `k > 0` lies above the main diagonal (the column starts at `k`), `k < 0` below it. A diagonal outside the plane is
    /// empty, as in NumPy.
    ///
    /// # Errors
    ///
    /// `AxisOutOfRange`; `RepeatedAxis` where `a` and `b` are one axis.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// let l = Layout::row_major([3, 4])?;
    /// assert_eq!(l.diagonal(0, 1, 0)?.to_string(), "(3):(5)@0");
    /// assert_eq!(l.diagonal(0, 1, 2)?.to_string(), "(2):(5)@2");
    /// assert_eq!(l.diagonal(0, 1, -1)?.to_string(), "(2):(5)@4");
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[doc(alias = "diag")]
    pub fn diagonal(&self, a: impl Axis, b: impl Axis, k: isize) -> Result<Layout> {
        let a = resolve_axis(Op::Diagonal, a.to_signed(), self.ndim())?;
        let b = resolve_axis(Op::Diagonal, b.to_signed(), self.ndim())?;
        if a == b {
            return Err(LayoutError::new(Op::Diagonal, LayoutErrorKind::RepeatedAxis { axis: small(a) }));
        }
        let (rows, cols) = (self.shape[a], self.shape[b]);
        let (skip_rows, skip_cols) = if k < 0 { (k.unsigned_abs(), 0) } else { (0, k.unsigned_abs()) };
        let size = rows.saturating_sub(skip_rows).min(cols.saturating_sub(skip_cols));
        // Where one step along the diagonal exists, L3 bounds the sum; elsewhere the axis never moves.
        let stride = self.strides[a].wrapping_add(self.strides[b]);
        let mut layout = self.clone();
        for axis in [a.max(b), a.min(b)] {
            layout.shape.remove(axis);
            layout.strides.remove(axis);
        }
        layout.shape.push(size);
        layout.strides.push(stride);
        if size > 0 && !self.is_empty() {
            let step = |index: usize, axis: usize| (index as isize).wrapping_mul(self.strides[axis]);
            layout.offset = self.offset.wrapping_add_signed(step(skip_rows, a)).wrapping_add_signed(step(skip_cols, b));
        }
        Ok(layout)
    }
}
