//! Splitting a plan into plans of few axes, for launches that take only so many: [`Plan::peel`].

use core::iter::FusedIterator;

use smallvec::SmallVec;

use super::axes::{Axes, advance};
use super::{Plan, PlanAxis};

impl<const K: usize> Plan<K> {
    /// Plans of at most `max_axes` axes each that together visit what this one does, in its order.
    ///
    /// The outer axes are iterated, each of the plans walks the inner ones from another start. An empty plan gives none, a
    /// plan of few enough axes gives itself. Peeling down to 0 axes gives one plan for each element.
    ///
    /// ```
    /// use weft_layout::{Layout, Plan};
    /// let src = Layout::row_major([4, 3, 2])?.reverse_axes();
    /// let plan = Plan::new([&Layout::row_major([2, 3, 4])?, &src])?;
    /// let parts: Vec<String> = plan.peel(2).map(|part| part.to_string()).collect();
    /// assert_eq!(parts, ["(3,4):(4,1)@0;(2,6)@0", "(3,4):(4,1)@12;(2,6)@1"]);
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn peel(&self, max_axes: usize) -> Peel<'_, K> {
        let (outer, inner) = self.axes.split_at(self.axes.len().saturating_sub(max_axes));
        let left = if self.is_empty() { 0 } else { outer.iter().map(|axis| axis.size).product() };
        Peel { outer, inner, coord: SmallVec::from_elem(0, outer.len()), at: self.offsets, left }
    }
}

/// Iterator over the parts of a plan: [`Plan::peel`].
#[derive(Clone, Debug)]
pub struct Peel<'a, const K: usize> {
    outer: &'a [PlanAxis<K>],
    inner: &'a [PlanAxis<K>],
    coord: SmallVec<[usize; 8]>,
    at: [usize; K],
    left: usize,
}

impl<const K: usize> Iterator for Peel<'_, K> {
    type Item = Plan<K>;

    fn next(&mut self) -> Option<Plan<K>> {
        self.left = self.left.checked_sub(1)?;
        let part = Plan::from_axes(Axes::from_slice(self.inner), self.at);
        advance(self.outer, &mut self.coord, &mut self.at);
        Some(part)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<const K: usize> ExactSizeIterator for Peel<'_, K> {}
impl<const K: usize> FusedIterator for Peel<'_, K> {}
