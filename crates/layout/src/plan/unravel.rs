//! From the number of a step to its offsets without a division: [`Plan::unravel`].

use smallvec::SmallVec;

use super::{Plan, PlanAxis};
use crate::divider::Divider64;

impl<const K: usize> Plan<K> {
    /// The table that finds the offsets of the `n`-th step of the walk by multiplications.
    ///
    /// Costs one wide division an axis, so make it once and use it often.
    ///
    /// ```
    /// use weft_layout::{Layout, Plan};
    /// let plan = Plan::new([&Layout::row_major([3, 4])?, &Layout::row_major([4, 3])?.t()?])?;
    /// let unravel = plan.unravel();
    /// assert_eq!(unravel.offsets(5), [5, 4]);
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[doc(alias = "unravel_index")]
    #[must_use]
    pub fn unravel(&self) -> Unravel<K> {
        // P2: no size is 0, so every axis has a divider.
        let axes = self.axes.iter().filter_map(|&axis| Some((Divider64::new(axis.size as u64)?, axis))).collect();
        Unravel { axes, start: self.offsets, numel: self.numel }
    }
}

/// The dividers of a plan: [`Plan::unravel`].
#[derive(Clone, Debug)]
pub struct Unravel<const K: usize> {
    axes: SmallVec<[(Divider64, PlanAxis<K>); 8]>,
    start: [usize; K],
    numel: usize,
}

impl<const K: usize> Unravel<K> {
    /// The offsets of the `step`-th tuple of the walk, in elements.
    ///
    /// Only a number: past [`numel`](Plan::numel) it means nothing. Debug builds assert that bound.
    #[inline]
    #[must_use]
    pub fn offsets(&self, step: usize) -> [usize; K] {
        debug_assert!(step < self.numel, "step {step} of {}", self.numel);
        let (mut rest, mut at) = (step as u64, self.start);
        let mut add = |axis: &PlanAxis<K>, coord: u64| {
            for (at, stride) in at.iter_mut().zip(&axis.strides) {
                // P1: a reachable offset after every axis.
                *at = at.wrapping_add_signed(stride.wrapping_mul(coord as isize));
            }
        };
        let Some(((_, outermost), inner)) = self.axes.split_first() else { return self.start };
        for (divider, axis) in inner.iter().rev() {
            let (quotient, coord) = divider.div_rem(rest);
            add(axis, coord);
            rest = quotient;
        }
        // What is left is below the size of the outermost axis: no division.
        add(outermost, rest);
        at
    }
}
