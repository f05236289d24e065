//! As few axes as say the same, in the same order: [`Layout::coalesce`].

use crate::dims::{Shape, Strides};
use crate::layout::Layout;

impl Layout {
    /// The layout with the fewest axes that visits the same offsets in the same row-major order.
    ///
    /// Axes of size 1 go, and neighbours that are one run (the outer stride is size times stride of the inner one) become
    /// one axis. No axis moves; a plan, which may also reorder, is [`Plan`](crate::Plan). One element gives rank 0, no
    /// element the single axis `(0):(1)`.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// assert_eq!(Layout::row_major([2, 3, 4])?.coalesce().to_string(), "(24):(1)@0");
    /// let heads = Layout::from_parts(&[2, 10, 1, 4, 16], &[640, 64, 99, 16, 1], 5)?;
    /// assert_eq!(heads.coalesce().to_string(), "(1280):(1)@5");
    /// let columns = Layout::row_major([3, 4])?.t()?;
    /// assert_eq!(columns.coalesce(), columns);
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[doc(alias = "merge_axes")]
    #[doc(alias = "simplify")]
    #[must_use]
    pub fn coalesce(&self) -> Layout {
        if self.is_empty() {
            return Layout { shape: Shape::from_slice(&[0]), strides: Strides::from_slice(&[1]), offset: self.offset };
        }
        // Filled from the front, outermost first; the axis at `last` may still take in the next one.
        let (mut shape, mut strides) = (Shape::from_slice(&[]), Strides::from_slice(&[]));
        for (&size, &stride) in self.shape.iter().zip(self.strides.iter()) {
            if size == 1 {
                continue;
            }
            match (shape.as_mut_slice().last_mut(), strides.as_mut_slice().last_mut()) {
                // A product past `isize` is no stride. L2: the product of the sizes fits.
                (Some(outer_size), Some(outer)) if stride.checked_mul(size as isize) == Some(*outer) => {
                    *outer_size *= size;
                    *outer = stride;
                }
                _ => {
                    shape.push(size);
                    strides.push(stride);
                }
            }
        }
        Layout { shape, strides, offset: self.offset }
    }
}
