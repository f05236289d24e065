//! Broadcasting: the shape that operands share, and the view that reads an axis of size 1 again and again.
//!
//! Shapes are aligned at their last axes. Size 1 stretches to anything, 0 included; nothing else does, so 0 does not
//! stretch to 1.

use crate::args::{IntoShape, small};
use crate::dims::{Shape, Strides};
use crate::error::{LayoutError, LayoutErrorKind, Op, Result};
use crate::layout::{Layout, check_sizes};

/// The shape to which all of `shapes` broadcast together. No operands give rank 0.
///
/// # Errors
///
/// `BroadcastPair` with both operands, their axes and their sizes; `SizeOverflow` where the result is too large.
///
/// ```
/// use weft_layout::broadcast_shapes;
/// assert_eq!(broadcast_shapes(&[&[5, 1, 3], &[4, 1]])?, [5, 4, 3]);
/// let refused = broadcast_shapes(&[&[4, 3], &[2]]).unwrap_err();
/// assert_eq!(refused.to_string(), "broadcast_shapes: operand 1 has size 2 on axis 0, operand 0 has size 3 on axis 1");
/// # Ok::<(), weft_layout::LayoutError>(())
/// ```
pub fn broadcast_shapes(shapes: &[&[usize]]) -> Result<Shape> {
    let ndim = shapes.iter().map(|shape| shape.len()).max().unwrap_or(0);
    let mut result = Shape::from_fn(ndim, |_| 1);
    // Which operand set each size: it is named when another disagrees.
    let mut set_by = Shape::from_fn(ndim, |_| 0);
    for (operand, shape) in shapes.iter().enumerate() {
        let lead = ndim - shape.len();
        for (axis, &size) in shape.iter().enumerate() {
            let have = result[lead + axis];
            if size == 1 || size == have {
                continue;
            }
            if have != 1 {
                let first = set_by[lead + axis];
                let first_axis = lead + axis - (ndim - shapes[first].len());
                return Err(pair_error((first, first_axis, have), (operand, axis, size)));
            }
            result.as_mut_slice()[lead + axis] = size;
            set_by.as_mut_slice()[lead + axis] = operand;
        }
    }
    check_sizes(Op::BroadcastShapes, &result)?;
    Ok(result)
}

#[cold]
fn pair_error(first: (usize, usize, usize), second: (usize, usize, usize)) -> LayoutError {
    let short = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
    let kind = LayoutErrorKind::BroadcastPair {
        first: (short(first.0), short(first.1)),
        first_size: first.2,
        second: (short(second.0), short(second.1)),
        second_size: second.2,
    };
    LayoutError::new(Op::BroadcastShapes, kind)
}

impl Layout {
    /// The layout read at a larger shape: axes of size 1 stretch with stride 0, new leading axes have stride 0, equal sizes
    /// keep their stride.
    ///
    /// Many coordinates then share one element: such a view cannot be written through.
    ///
    /// # Errors
    ///
    /// `BroadcastRank` where `shape` has fewer axes, `BroadcastSize` where an axis does not stretch, `SizeOverflow`.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// let row = Layout::row_major([4])?;
    /// assert_eq!(row.broadcast_to([3, 4])?.to_string(), "(3,4):(0,1)@0");
    /// let refused = row.broadcast_to([3, 5]).unwrap_err();
    /// let text = "broadcast_to: axis 0 has size 4 and does not stretch to 5 (axis 1 of the target)";
    /// assert_eq!(refused.to_string(), text);
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[doc(alias = "expand")]
    #[doc(alias = "broadcast_as")]
    #[inline]
    pub fn broadcast_to(&self, shape: impl IntoShape) -> Result<Layout> {
        shape.with_shape(|target| {
            let Some(lead) = target.len().checked_sub(self.ndim()) else {
                let kind = LayoutErrorKind::BroadcastRank { ndim: small(self.ndim()), target: small(target.len()) };
                return Err(LayoutError::new(Op::BroadcastTo, kind));
            };
            for (axis, (&size, &want)) in self.shape.iter().zip(&target[lead..]).enumerate() {
                if size != want && size != 1 {
                    let (axis, target_axis) = (small(axis), small(lead + axis));
                    let kind = LayoutErrorKind::BroadcastSize { axis, size, target_axis, target: want };
                    return Err(LayoutError::new(Op::BroadcastTo, kind));
                }
            }
            let strides = Strides::from_fn(target.len(), |i| match i.checked_sub(lead) {
                Some(axis) if self.shape[axis] == target[i] => self.strides[axis],
                _ => 0,
            });
            // L3: new axes have stride 0 and reach nothing new; a layout that becomes empty reaches nothing. L2: checked.
            check_sizes(Op::BroadcastTo, target)?;
            Ok(Layout { shape: Shape::from_slice(target), strides, offset: self.offset })
        })
    }
}
