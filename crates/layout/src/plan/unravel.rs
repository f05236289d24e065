//! From the number of a step to its offsets without a division: [`Plan::unravel`].

use smallvec::SmallVec;

use super::Plan;
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
        // Let q be `step` divided by the number of steps inside an axis. The coordinate there is q minus size times the q
        // of the next outer axis, so by summing up differently each q has one factor: the stride of its axis minus what
        // the next inner axis would have gone on by itself. The divisions then wait for nothing but `step`.
        let mut carries = SmallVec::new();
        let mut steps = 1;
        for pair in self.axes.windows(2).rev() {
            let [outer, inner] = pair else { continue };
            steps *= inner.size as u64;
            let jump = |k: usize| outer.strides[k].wrapping_sub(inner.strides[k].wrapping_mul(inner.size as isize));
            // P2: no size is 0, so every axis has a divider.
            carries.extend(Divider64::new(steps).map(|divider| (divider, core::array::from_fn(jump))));
        }
        let run = self.axes.last().map_or([0; K], |axis| axis.strides);
        Unravel { carries, run, start: self.offsets, numel: self.numel }
    }
}

/// The dividers of a plan: [`Plan::unravel`].
#[derive(Clone, Debug)]
pub struct Unravel<const K: usize> {
    /// After how many steps an outer axis moves, and how far that is on top of the steps.
    carries: SmallVec<[(Divider64, [isize; K]); 8]>,
    run: [isize; K],
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
        let mut at = self.start;
        // P1: the whole sum is a reachable offset, and wrapping arithmetic gets there from anywhere.
        let mut add = |times: usize, strides: &[isize; K]| {
            for (at, stride) in at.iter_mut().zip(strides) {
                *at = at.wrapping_add_signed(stride.wrapping_mul(times as isize));
            }
        };
        add(step, &self.run);
        for (divider, jump) in &self.carries {
            add(divider.div(step as u64) as usize, jump);
        }
        at
    }
}
