//! Sorting, turning and fusing the axes of a plan, and walking them.

use core::cmp::Ordering;
use core::ops::Range;

use smallvec::SmallVec;

use super::PlanAxis;

/// Up to this many axes never touch the heap.
const INLINE: usize = 8;

/// The axes of a plan, outermost first.
pub(crate) type Axes<const K: usize> = SmallVec<[PlanAxis<K>; INLINE]>;

/// Takes the axes of some operands, innermost first, and puts them into the order of a plan.
pub(crate) struct Sorter<const K: usize> {
    /// Innermost first while collecting.
    axes: Axes<K>,
    offsets: [usize; K],
}

impl<const K: usize> Sorter<K> {
    pub(crate) fn new(offsets: [usize; K]) -> Sorter<K> {
        Sorter { axes: Axes::new(), offsets }
    }

    /// Adds the axis outside of all that were added before. `size` is not 0.
    #[inline]
    pub(crate) fn add(&mut self, size: usize, mut strides: [isize; K]) {
        if size == 1 {
            return;
        }
        if strides.iter().find(|&&stride| stride != 0).is_some_and(|&first| first < 0) {
            for (offset, stride) in self.offsets.iter_mut().zip(&mut strides) {
                // L3: the other end of an axis is a reachable offset, and no stride that moves is `isize::MIN`.
                *offset = offset.wrapping_add_signed((size as isize - 1).wrapping_mul(*stride));
                *stride = -*stride;
            }
        }
        let axis = PlanAxis { size, strides };
        if let Some(last) = self.axes.last_mut()
            && is_one_run(last, &axis)
        {
            // The common case of a contiguous operand: nothing to sort later.
            last.size *= size;
            return;
        }
        if self.axes.len() == INLINE {
            // Many axes that fuse into few stay off the heap.
            self.sort_and_fuse();
        }
        self.axes.push(axis);
    }

    /// The axes, outermost first, and where the walk starts.
    #[inline]
    pub(crate) fn finish(mut self) -> (Axes<K>, [usize; K]) {
        self.sort_and_fuse();
        self.axes.reverse();
        (self.axes, self.offsets)
    }

    fn sort_and_fuse(&mut self) {
        let axes = self.axes.as_mut_slice();
        // Insertion sort: stable, and a handful of axes, mostly in order.
        for end in 1..axes.len() {
            let mut at = end;
            while at > 0 && by_key(&axes[at], &axes[at - 1]) == Ordering::Less {
                axes.swap(at, at - 1);
                at -= 1;
            }
        }
        if axes.is_empty() {
            return;
        }
        let mut kept = 0;
        for next in 1..axes.len() {
            let axis = axes[next];
            if is_one_run(&axes[kept], &axis) {
                // L2: a product over some of the sizes.
                axes[kept].size *= axis.size;
            } else {
                kept += 1;
                axes[kept] = axis;
            }
        }
        self.axes.truncate(kept + 1);
    }
}

/// The order of axes, innermost first: by |stride|, destination first; an operand that does not move has no opinion on
/// being inside, so 0 counts as infinity.
#[inline]
fn by_key<const K: usize>(a: &PlanAxis<K>, b: &PlanAxis<K>) -> Ordering {
    for (a, b) in a.strides.iter().zip(&b.strides) {
        // 0 wraps to the largest number, which no |stride| - 1 reaches.
        let order = a.unsigned_abs().wrapping_sub(1).cmp(&b.unsigned_abs().wrapping_sub(1));
        if order.is_ne() {
            return order;
        }
    }
    Ordering::Equal
}

/// Whether a step of `outer` is where `inner` ends, for every operand.
#[inline]
fn is_one_run<const K: usize>(inner: &PlanAxis<K>, outer: &PlanAxis<K>) -> bool {
    // A product past `isize` is no stride.
    let size = inner.size as isize;
    inner.strides.iter().zip(&outer.strides).all(|(inner, &outer)| inner.checked_mul(size) == Some(outer))
}

/// The offsets that operand `k` reaches from `offset`, for axes that stay inside what some layout reaches (L3).
pub(super) fn reach<const K: usize>(axes: &[PlanAxis<K>], offset: usize, k: usize) -> Range<usize> {
    let (mut first, mut last) = (offset, offset);
    for axis in axes {
        let reach = (axis.size - 1) * axis.strides[k].unsigned_abs();
        if axis.strides[k] < 0 {
            first -= reach;
        } else {
            last += reach;
        }
    }
    first..last + 1
}

/// Calls `f` with the offsets of every coordinate of `axes`, last axis fastest. No axes are one coordinate.
pub(super) fn walk<const K: usize>(axes: &[PlanAxis<K>], start: [usize; K], mut f: impl FnMut([usize; K])) {
    let mut coord: SmallVec<[usize; INLINE]> = SmallVec::from_elem(0, axes.len());
    let mut at = start;
    loop {
        f(at);
        if !advance(axes, &mut coord, &mut at) {
            return;
        }
    }
}

/// Moves one step, last axis fastest; false, and back at the start, after the last one.
#[inline]
pub(super) fn advance<const K: usize>(axes: &[PlanAxis<K>], coord: &mut [usize], at: &mut [usize; K]) -> bool {
    for (axis, coord) in axes.iter().zip(coord).rev() {
        *coord += 1;
        let more = *coord < axis.size;
        // Either one step on, or back to the start of this axis. Both ends are reachable offsets.
        let steps = if more { 1 } else { 1 - axis.size as isize };
        for (at, stride) in at.iter_mut().zip(&axis.strides) {
            *at = at.wrapping_add_signed(stride.wrapping_mul(steps));
        }
        if more {
            return true;
        }
        *coord = 0;
    }
    false
}
