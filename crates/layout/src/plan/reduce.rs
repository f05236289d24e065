//! Adding up into a destination that does not move along every axis: [`ReducePlan`].

use core::ops::Range;

use super::axes::Sorter;
use super::{IndexWidth, Plan, index_width, same_shape};
use crate::error::{Op, Result};
use crate::layout::Layout;

/// The plan of `dst += src` where `dst` is broadcast to the shape of `src`: the gradient of a broadcast.
///
/// The axes along which the destination moves are kept, those of stride 0 are summed over. For every pair of offsets of
/// [`keep`](ReducePlan::keep), and every offset of [`reduce`](ReducePlan::reduce) on top of the source's, one element is
/// added.
///
/// The order of the sum into one element is that of the walk over `reduce`: its axes sorted by |stride| of the source, the
/// smallest innermost, equal ones in the order of the axes, stride 0 outermost, every axis walked towards higher offsets.
/// It follows from shape and strides of the source alone. An engine that adds up in several accumulators or threads groups
/// this order and has to say how.
///
/// ```
/// use weft_layout::{Layout, ReducePlan};
/// let grad = Layout::row_major([3])?;
/// let ones = Layout::row_major([4, 3])?;
/// let plan = ReducePlan::new(&grad.broadcast_to([4, 3])?, &ones)?;
/// assert_eq!(plan.keep().to_string(), "(3):(1)@0;(1)@0");
/// assert_eq!(plan.reduce().to_string(), "(4):(3)@0");
/// assert_eq!(plan.numel(), 12);
/// # Ok::<(), weft_layout::LayoutError>(())
/// ```
#[doc(alias = "sum_to_size")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReducePlan {
    keep: Plan<2>,
    reduce: Plan<1>,
    spans: [Range<usize>; 2],
}

impl ReducePlan {
    /// A plan that adds every element of `src` to the element of `dst` with the same coordinate.
    ///
    /// `dst` has the shape of `src`; its axes of stride 0 (see [`broadcast_to`](Layout::broadcast_to)) are summed over.
    ///
    /// # Errors
    ///
    /// `RankMismatch` and `ShapeMismatch` where the shapes differ; operand 0 is `dst`.
    ///
    /// ```
    /// use weft_layout::{Layout, ReducePlan};
    /// let refused = ReducePlan::new(&Layout::row_major([3])?, &Layout::row_major([4, 3])?).unwrap_err();
    /// assert_eq!(refused.to_string(), "reduce_plan: operand 1 has 2 axes, operand 0 has 1");
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    pub fn new(dst: &Layout, src: &Layout) -> Result<ReducePlan> {
        let shape = same_shape(Op::Reduce, &[dst, src])?;
        if dst.is_empty() {
            return Ok(ReducePlan { keep: Plan::empty(), reduce: Plan::empty(), spans: [0..0, 0..0] });
        }
        let (mut keep, mut reduce) = (Sorter::new([dst.offset(), src.offset()]), Sorter::new([0]));
        for axis in (0..shape.len()).rev() {
            match (dst.strides()[axis], src.strides()[axis]) {
                (0, src) => reduce.add(shape[axis], [src]),
                (dst, src) => keep.add(shape[axis], [dst, src]),
            }
        }
        let (keep, mut offsets) = keep.finish();
        let (reduce, [back]) = reduce.finish();
        // Turned axes moved the start of the sum from 0 to the lowest offset of the source, which L3 keeps in range:
        // `back` is the wrapped distance. What is left of the sum has no negative stride.
        offsets[1] = offsets[1].wrapping_add(back);
        let keep = Plan::from_axes(keep, offsets);
        let reduce = Plan::from_axes(reduce, [0]);
        Ok(ReducePlan { keep, reduce, spans: [dst.span(), src.span()] })
    }

    /// Where the sums go and where each of them starts: destination and source.
    #[inline]
    #[must_use]
    pub fn keep(&self) -> &Plan<2> {
        &self.keep
    }

    /// What is summed into one destination element: offsets on top of the source offset of [`keep`](ReducePlan::keep).
    #[inline]
    #[must_use]
    pub fn reduce(&self) -> &Plan<1> {
        &self.reduce
    }

    /// All offsets reached in the destination and in the source, in elements; `0..0` when empty.
    #[inline]
    #[must_use]
    pub fn spans(&self) -> &[Range<usize>; 2] {
        &self.spans
    }

    /// How many elements are added: the elements of the source.
    #[inline]
    #[must_use]
    pub fn numel(&self) -> usize {
        // L2 of the source.
        self.keep.numel() * self.reduce.numel()
    }

    /// Whether there is nothing to add.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.numel() == 0
    }

    /// Whether 32-bit integers can index destination, source and the count of the additions.
    #[must_use]
    pub fn index_width(&self) -> IndexWidth {
        index_width(self.numel(), &self.spans)
    }
}
