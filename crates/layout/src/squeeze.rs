//! Views that add or drop axes of size 1.

use crate::args::{Axis, resolve_axis, small};
use crate::dims::{Shape, Strides};
use crate::error::{LayoutError, LayoutErrorKind, Op, Result};
use crate::layout::Layout;
use crate::order::continuation;

impl Layout {
    /// One axis of size 1 dropped.
    ///
    /// An axis of another size is an error, as in NumPy; PyTorch leaves it alone silently.
    ///
    /// # Errors
    ///
    /// `AxisOutOfRange`, `NotUnit`.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// assert_eq!(Layout::row_major([3, 1, 4])?.squeeze(1)?.shape(), [3, 4]);
    /// let refused = Layout::row_major([3, 4])?.squeeze(0).unwrap_err();
    /// assert_eq!(refused.to_string(), "squeeze: axis 0 has size 3, not 1");
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[doc(alias = "remove_axis")]
    pub fn squeeze(&self, axis: impl Axis) -> Result<Layout> {
        let axis = resolve_axis(Op::Squeeze, axis.to_signed(), self.ndim())?;
        let size = self.shape[axis];
        if size != 1 {
            return Err(LayoutError::new(Op::Squeeze, LayoutErrorKind::NotUnit { axis: small(axis), size }));
        }
        Ok(self.picked(self.ndim() - 1, |i| if i < axis { i } else { i + 1 }))
    }

    /// All axes of size 1 dropped.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// assert_eq!(Layout::row_major([1, 3, 1, 4])?.squeeze_all().shape(), [3, 4]);
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn squeeze_all(&self) -> Layout {
        let kept = || self.shape.iter().zip(self.strides.iter()).filter(|&(&size, _)| size != 1);
        Layout {
            shape: kept().map(|(&size, _)| size).collect::<Shape>(),
            strides: kept().map(|(_, &stride)| stride).collect::<Strides>(),
            offset: self.offset,
        }
    }

    /// A new axis of size 1 before axis `axis` of the result; it never moves and gets a canonical stride.
    ///
    /// `axis` runs over the axes of the result: `0..=ndim`, and -1 puts the new axis last.
    ///
    /// # Errors
    ///
    /// `AxisOutOfRange`.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// let l = Layout::row_major([3, 4])?;
    /// assert_eq!(l.unsqueeze(0)?.to_string(), "(1,3,4):(12,4,1)@0");
    /// assert_eq!(l.unsqueeze(-1)?.to_string(), "(3,4,1):(4,1,1)@0");
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[doc(alias = "expand_dims")]
    #[doc(alias = "insert_axis")]
    pub fn unsqueeze(&self, axis: impl Axis) -> Result<Layout> {
        let axis = resolve_axis(Op::Unsqueeze, axis.to_signed(), self.ndim() + 1)?;
        Ok(self.inserted(axis))
    }

    /// A new axis of size 1 at `axis`, which is at most the rank.
    pub(crate) fn inserted(&self, axis: usize) -> Layout {
        let stride = continuation(&self.shape[axis..], &self.strides[axis..]);
        let len = self.ndim() + 1;
        Layout {
            shape: Shape::from_fn(len, |i| if i == axis { 1 } else { self.shape[i - usize::from(i > axis)] }),
            strides: Strides::from_fn(
                len,
                |i| if i == axis { stride } else { self.strides[i - usize::from(i > axis)] },
            ),
            offset: self.offset,
        }
    }
}
