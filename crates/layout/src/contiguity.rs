//! Is this view one run of memory? Contiguity in both orders, density in any order, and broadcasting.
//!
//! Axes of size 1 never matter, and an empty layout is contiguous in every order, as in NumPy and PyTorch.

use smallvec::SmallVec;

use crate::args::INLINE;
use crate::layout::Layout;

impl Layout {
    /// Whether a row-major walk over the coordinates reads one run of memory forwards.
    ///
    /// The offset does not matter. Rank 0 and zero elements are contiguous; axes of size 1 are ignored.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// let l = Layout::row_major([3, 4])?;
    /// assert!(l.is_contiguous() && !l.t()?.is_contiguous());
    /// assert!(l.narrow(0, 1, 1)?.is_contiguous());
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[doc(alias = "is_standard_layout")]
    #[doc(alias = "is_row_major")]
    #[inline]
    #[must_use]
    pub fn is_contiguous(&self) -> bool {
        let mut next = 1;
        for (&size, &stride) in self.shape.iter().zip(self.strides.iter()).rev() {
            if size != 1 {
                if stride != next {
                    // Rare: only an empty layout is contiguous with other strides.
                    return self.is_empty();
                }
                // L2, and size 0 makes whatever follows irrelevant.
                next *= size as isize;
            }
        }
        true
    }

    /// How many elements there are, and whether they are one run as [`is_contiguous`](Layout::is_contiguous) says: one walk
    /// for both, without a branch.
    #[inline]
    pub(crate) fn numel_and_run(&self) -> (usize, bool) {
        let (mut next, mut one_run) = (1isize, true);
        for (&size, &stride) in self.shape.iter().zip(self.strides.iter()).rev() {
            one_run &= size == 1 || stride == next;
            // L2: no wrap.
            next *= size as isize;
        }
        (next as usize, one_run || next == 0)
    }

    /// Whether a column-major walk (first axis fastest) reads one run of memory forwards.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// assert!(Layout::row_major([3, 4])?.t()?.is_col_major());
    /// assert!(Layout::row_major([5])?.is_col_major());
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[doc(alias = "f_contiguous")]
    #[must_use]
    pub fn is_col_major(&self) -> bool {
        let mut next = 1;
        for (&size, &stride) in self.shape.iter().zip(self.strides.iter()) {
            if size != 1 {
                if stride != next {
                    return self.is_empty();
                }
                next *= size as isize;
            }
        }
        true
    }

    /// Whether the layout reads each element of one interval exactly once, in any order and with any signs.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// let l = Layout::row_major([2, 3, 4])?;
    /// assert!(l.permute([2, 0, 1])?.is_dense() && l.flip([0, 2])?.is_dense());
    /// assert!(!l.step(2, 2)?.is_dense() && !l.select(2, 0)?.is_dense());
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[doc(alias = "is_non_overlapping_and_dense")]
    #[must_use]
    pub fn is_dense(&self) -> bool {
        if self.is_empty() {
            return true;
        }
        let mut axes: SmallVec<[(usize, usize); INLINE]> = self
            .shape
            .iter()
            .zip(self.strides.iter())
            .filter(|&(&size, _)| size != 1)
            .map(|(&size, &stride)| (stride.unsigned_abs(), size))
            .collect();
        axes.sort_unstable();
        // L2: the running product cannot wrap.
        let mut next = 1;
        for (stride, size) in axes {
            if stride != next {
                return false;
            }
            next *= size;
        }
        true
    }

    /// Whether some element is read more than once because an axis of size 2 or more has stride 0.
    ///
    /// Windows overlap too and are not broadcasts: [`self_overlap`](Layout::self_overlap) decides that.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// assert!(Layout::row_major([4])?.broadcast_to([3, 4])?.is_broadcast());
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn is_broadcast(&self) -> bool {
        !self.is_empty() && self.shape.iter().zip(self.strides.iter()).any(|(&size, &stride)| size > 1 && stride == 0)
    }
}
