//! Views that move axes: the numbers stay, their order changes.

use crate::args::{Axis, IntoAxes, resolve_axis, small};
use crate::dims::{Shape, Strides};
use crate::error::{LayoutError, LayoutErrorKind, Op, Result};
use crate::layout::Layout;
use crate::order::permutation;

impl Layout {
    /// The axes in the order `axes`: axis `i` of the result is axis `axes[i]` of `self`.
    ///
    /// # Errors
    ///
    /// `Rank`, `AxisOutOfRange` and `RepeatedAxis` where `axes` is not a permutation of the axes.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// let l = Layout::row_major([2, 3, 4])?.permute([2, 0, 1])?;
    /// assert_eq!(l.to_string(), "(4,2,3):(1,12,4)@0");
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[doc(alias = "permute_dims")]
    #[doc(alias = "permuted_axes")]
    #[inline]
    pub fn permute(&self, axes: impl IntoAxes) -> Result<Layout> {
        axes.with_axes(|axes| {
            let axes = permutation(Op::Permute, axes, self.ndim())?;
            Ok(self.picked(axes.len(), |i| axes[i]))
        })
    }

    /// Axes `a` and `b` exchanged. `a == b` changes nothing.
    ///
    /// # Errors
    ///
    /// `AxisOutOfRange`.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// let heads = Layout::row_major([2, 4, 10, 16])?.transpose(1, 2)?;
    /// assert_eq!(heads.to_string(), "(2,10,4,16):(640,16,160,1)@0");
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[doc(alias = "swapaxes")]
    #[doc(alias = "swap_axes")]
    #[doc(alias = "swap_dims")]
    #[inline]
    pub fn transpose(&self, a: impl Axis, b: impl Axis) -> Result<Layout> {
        let a = resolve_axis(Op::Transpose, a.to_signed(), self.ndim())?;
        let b = resolve_axis(Op::Transpose, b.to_signed(), self.ndim())?;
        Ok(self.swapped(a, b))
    }

    /// The last two axes exchanged: the transpose of a matrix, or of each matrix of a batch.
    ///
    /// This is PyTorch's `mT`; NumPy's `.T` reverses all axes, which is [`reverse_axes`](Layout::reverse_axes).
    ///
    /// # Errors
    ///
    /// `TooFewAxes` below rank 2.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// assert_eq!(Layout::row_major([3, 4])?.t()?.to_string(), "(4,3):(1,4)@0");
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[doc(alias = "mT")]
    #[doc(alias = "matrix_transpose")]
    #[inline]
    pub fn t(&self) -> Result<Layout> {
        let ndim = self.ndim();
        if ndim < 2 {
            return Err(LayoutError::new(Op::T, LayoutErrorKind::TooFewAxes { needed: 2, ndim: small(ndim) }));
        }
        Ok(self.swapped(ndim - 2, ndim - 1))
    }

    #[inline]
    fn swapped(&self, a: usize, b: usize) -> Layout {
        let from = |axis: usize| match axis {
            axis if axis == a => b,
            axis if axis == b => a,
            axis => axis,
        };
        self.picked(self.ndim(), from)
    }

    /// `len` axes, axis `i` of the result being axis `from(i)` of `self`.
    #[inline]
    pub(crate) fn picked(&self, len: usize, from: impl Fn(usize) -> usize) -> Layout {
        Layout {
            shape: Shape::from_fn(len, |i| self.shape[from(i)]),
            strides: Strides::from_fn(len, |i| self.strides[from(i)]),
            offset: self.offset,
        }
    }

    /// All axes in reverse: NumPy's `.T`.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// let l = Layout::row_major([2, 3, 4])?.reverse_axes();
    /// assert_eq!(l, Layout::col_major([4, 3, 2])?);
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[doc(alias = "T")]
    #[doc(alias = "reversed_axes")]
    #[must_use]
    pub fn reverse_axes(&self) -> Layout {
        let ndim = self.ndim();
        self.picked(ndim, |i| ndim - 1 - i)
    }

    /// Axis `from` moved to position `to`; the others keep their order.
    ///
    /// # Errors
    ///
    /// `AxisOutOfRange`.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// assert_eq!(Layout::row_major([2, 3, 4])?.move_axis(0, -1)?.shape(), [3, 4, 2]);
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[doc(alias = "moveaxis")]
    #[doc(alias = "movedim")]
    pub fn move_axis(&self, from: impl Axis, to: impl Axis) -> Result<Layout> {
        let from = resolve_axis(Op::MoveAxis, from.to_signed(), self.ndim())?;
        let to = resolve_axis(Op::MoveAxis, to.to_signed(), self.ndim())?;
        Ok(self.picked(self.ndim(), |i| {
            if i == to {
                from
            } else if from < to && (from..to).contains(&i) {
                i + 1
            } else if to < from && (to + 1..=from).contains(&i) {
                i - 1
            } else {
                i
            }
        }))
    }
}
