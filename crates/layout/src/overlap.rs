//! Do two coordinates share an element? Decided exactly and with a witness, for one layout and for two.
//!
//! The question is one linear equation over boxes, hard in general and easy for what people write. In this order:
//! an axis of stride 0; axes that cannot interact, because the common divisor of all larger strides exceeds the reach of the
//! smaller ones (nested strides are the common case: every group is one axis); two axes in closed form; then, within a
//! budget of steps, a search depth first and a search over sums.
//!
//! Bounds, divisors and the closed form are known from NumPy's `mem_overlap.c` and the literature on equality knapsacks.
//! The pigeonhole (more elements than offsets) is not asked: it proves a collision and shows none, every answer here shows
//! one, and to begin the search where the pigeonhole first holds saved no steps on 300 such layouts.

mod depth;
mod equation;
mod sums;
#[cfg(test)]
mod tests;

use core::cmp::Ordering;

use smallvec::SmallVec;

use crate::args::INLINE;
use crate::dims::Shape;
use crate::error::{LayoutError, LayoutErrorKind, Op, Result};
use crate::layout::Layout;
use equation::{Answer, Term, Terms, gcd, solve};

/// Whether coordinates share an element: the answer of [`Layout::self_overlap`] and [`Layout::overlap_with`].
///
/// All four cases are here to be matched; there will be no fifth.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Overlap {
    /// No two coordinates share an element.
    Disjoint,
    /// These two do: their offsets are equal.
    Overlapping {
        /// A coordinate of the first layout.
        a: Shape,
        /// A coordinate of the second; for one layout, a later coordinate in row-major order.
        b: Shape,
    },
    /// Both layouts are the same map: every coordinate meets itself.
    Identical,
    /// Not decided within the budget.
    Unknown {
        /// The steps that were allowed.
        budget: u64,
    },
}

impl Overlap {
    /// Whether it is certain that no element is shared. `false` also where it is not known.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// let (left, right) = Layout::row_major([3, 4])?.split_at(1, 2)?;
    /// assert!(left.overlap_with(&right, Layout::DEFAULT_BUDGET).is_disjoint());
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn is_disjoint(&self) -> bool {
        matches!(self, Overlap::Disjoint)
    }
}

/// An axis that moves, walked forwards: `stride` is positive and `last` at least 1.
#[derive(Clone, Copy, Debug)]
struct Moving {
    axis: usize,
    stride: i128,
    last: i128,
    backwards: bool,
}

type MovingAxes = SmallVec<[Moving; INLINE]>;

impl Layout {
    /// The budget for callers without a wish of their own: 2^20 steps.
    ///
    /// A step is one value tried or one interval of sums made, and costs tens of nanoseconds and at most 32 bytes until the
    /// answer; so the whole budget is in the order of 0.1 s and 16 MB, spent only on layouts that nobody writes by hand. What
    /// slicing, permuting and windows make of one array costs no step, two such layouts cost some hundreds at most. 2^20 is
    /// the first power of two that decides the hard pair in NumPy's `mem_overlap.c`.
    pub const DEFAULT_BUDGET: u64 = 1 << 20;

    /// Whether two different coordinates of this layout have one offset, and which.
    ///
    /// A budget of 0 asks for what the rules alone decide. Never [`Identical`](Overlap::Identical).
    ///
    /// ```
    /// use weft_layout::{Layout, Overlap, Shape};
    /// let wide = Layout::row_major([4])?.broadcast_to([3, 4])?;
    /// let (a, b) = (Shape::from_slice(&[0, 0]), Shape::from_slice(&[1, 0]));
    /// assert_eq!(wide.self_overlap(Layout::DEFAULT_BUDGET), Overlap::Overlapping { a, b });
    /// // Interleaved, and yet each element has one coordinate: 0 3, 2 5, 4 7.
    /// let odd = Layout::from_parts(&[3, 2], &[2, 3], 0)?;
    /// assert_eq!(odd.self_overlap(Layout::DEFAULT_BUDGET), Overlap::Disjoint);
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[doc(alias = "has_internal_overlap")]
    #[doc(alias = "is_unique")]
    #[doc(alias = "is_injective")]
    pub fn self_overlap(&self, budget: u64) -> Overlap {
        if self.is_empty() {
            return Overlap::Disjoint;
        }
        let still = |&(_, (&size, &stride)): &(usize, (&usize, &isize))| size > 1 && stride == 0;
        if let Some((axis, _)) = self.shape.iter().zip(self.strides.iter()).enumerate().find(still) {
            let a = Shape::from_fn(self.ndim(), |_| 0);
            let b = Shape::from_fn(self.ndim(), |i| usize::from(i == axis));
            return Overlap::Overlapping { a, b };
        }
        let mut axes = self.moving();
        axes.sort_by_key(|axis| axis.stride);
        let mut steps = budget;
        let (mut first, mut reach, mut undecided) = (0, 0, false);
        for end in 1..=axes.len() {
            reach += axes[end - 1].stride * axes[end - 1].last;
            let larger = axes[end..].iter().fold(0, |divisor, axis| gcd(divisor, axis.stride));
            if larger != 0 && larger <= reach {
                continue;
            }
            match collide(&axes[first..end], &mut steps) {
                Answer::Solved(difference) => return self.witness(&axes[first..end], &difference),
                Answer::Unsolvable => {}
                // Another group may still collide.
                Answer::Undecided => undecided = true,
            }
            first = end;
        }
        if undecided { Overlap::Unknown { budget } } else { Overlap::Disjoint }
    }

    /// Whether a coordinate of `self` and one of `other` have one offset, and which.
    ///
    /// Both layouts are taken to read the same memory. [`Identical`](Overlap::Identical) where both are the
    /// [same map](Layout::same_map) with at least one element; an empty layout is disjoint from everything.
    ///
    /// ```
    /// use weft_layout::{Layout, Overlap};
    /// let row = Layout::row_major([10])?;
    /// let (early, late) = (row.narrow(0, 0, 8)?, row.narrow(0, 2, 8)?);
    /// let Overlap::Overlapping { a, b } = early.overlap_with(&late, 0) else { panic!("they share 2 to 7") };
    /// assert_eq!(early.offset_of(&a)?, late.offset_of(&b)?);
    /// let (even, odd) = (row.step(0, 2)?, row.narrow(0, 1, 9)?.step(0, 2)?);
    /// assert_eq!(even.overlap_with(&odd, 0), Overlap::Disjoint);
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[doc(alias = "shares_memory")]
    #[doc(alias = "may_share_memory")]
    pub fn overlap_with(&self, other: &Layout, budget: u64) -> Overlap {
        if self.is_empty() || other.is_empty() {
            return Overlap::Disjoint;
        }
        if self.same_map(other) {
            return Overlap::Identical;
        }
        // With both walked forwards and `other` counted down from its last offset: first_a + sum(a) = last_b - sum(b).
        let (axes_a, axes_b) = (self.moving(), other.moving());
        let target = other.span().end as i128 - 1 - self.span().start as i128;
        let terms: Terms =
            axes_a.iter().chain(&axes_b).map(|axis| Term { coef: axis.stride, max: axis.last }).collect();
        let mut steps = budget;
        let values = match solve(&terms, target, &mut steps) {
            Answer::Unsolvable => return Overlap::Disjoint,
            Answer::Undecided => return Overlap::Unknown { budget },
            Answer::Solved(values) => values,
        };
        let (mut a, mut b) = (Shape::from_fn(self.ndim(), |_| 0), Shape::from_fn(other.ndim(), |_| 0));
        let (values_a, values_b) = values.split_at(axes_a.len());
        for (axis, &value) in axes_a.iter().zip(values_a) {
            a.as_mut_slice()[axis.axis] = index(if axis.backwards { axis.last - value } else { value });
        }
        for (axis, &value) in axes_b.iter().zip(values_b) {
            b.as_mut_slice()[axis.axis] = index(if axis.backwards { value } else { axis.last - value });
        }
        Overlap::Overlapping { a, b }
    }

    /// Refuses a layout that maps two coordinates to one element, or of which that is not known within the budget.
    ///
    /// This is what stands between a layout and writing through it.
    ///
    /// # Errors
    ///
    /// `Overlap` with both elements and their offset, `OverlapUnknown` with the budget.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// let windows = Layout::from_parts(&[2, 2], &[1, 1], 0)?;
    /// let refused = windows.require_injective(Layout::DEFAULT_BUDGET).unwrap_err();
    /// let text = "as_strided: elements 1 and 2 (in row-major order) are both at offset 1";
    /// assert_eq!(refused.to_string(), text);
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    pub fn require_injective(&self, budget: u64) -> Result<()> {
        let kind = match self.self_overlap(budget) {
            Overlap::Disjoint | Overlap::Identical => return Ok(()),
            Overlap::Unknown { budget } => LayoutErrorKind::OverlapUnknown { budget },
            Overlap::Overlapping { a, b } => LayoutErrorKind::Overlap {
                first: self.linear_of(&a),
                second: self.linear_of(&b),
                offset: self.offset_of_unchecked(&a),
            },
        };
        Err(LayoutError::new(Op::AsStrided, kind))
    }

    /// The place of a coordinate in row-major order. L2: no wrap.
    fn linear_of(&self, coord: &[usize]) -> usize {
        coord.iter().zip(self.shape.iter()).fold(0, |linear, (&index, &size)| linear * size + index)
    }

    /// The axes that move. Not for empty layouts, where strides mean nothing.
    fn moving(&self) -> MovingAxes {
        let moves = |&(_, (&size, &stride)): &(usize, (&usize, &isize))| size > 1 && stride != 0;
        let forwards = |(axis, (&size, &stride)): (usize, (&usize, &isize))| Moving {
            axis,
            stride: stride.unsigned_abs() as i128,
            last: size as i128 - 1,
            backwards: stride < 0,
        };
        self.shape.iter().zip(self.strides.iter()).enumerate().filter(moves).map(forwards).collect()
    }

    /// Two coordinates that differ by `difference` along `axes`; the strides add up to nothing over it.
    fn witness(&self, axes: &[Moving], difference: &[i128]) -> Overlap {
        let (mut a, mut b) = (Shape::from_fn(self.ndim(), |_| 0), Shape::from_fn(self.ndim(), |_| 0));
        for (axis, &steps) in axes.iter().zip(difference) {
            let steps = if axis.backwards { -steps } else { steps };
            a.as_mut_slice()[axis.axis] = index(steps.max(0));
            b.as_mut_slice()[axis.axis] = index((-steps).max(0));
        }
        match a.as_slice().cmp(b.as_slice()) {
            Ordering::Greater => Overlap::Overlapping { a: b, b: a },
            _ => Overlap::Overlapping { a, b },
        }
    }
}

/// A value between 0 and the last index of an axis, as an index.
fn index(value: i128) -> usize {
    debug_assert!(usize::try_from(value).is_ok(), "{value} is not an index");
    value as usize
}

/// The difference of two coordinates with one offset, along axes sorted by stride, if there is one.
fn collide(axes: &[Moving], steps: &mut u64) -> Answer {
    if let Some(difference) = collide_pair(axes) {
        return Answer::Solved(difference);
    }
    // No two axes collide, so three or more would have to: some axis is the largest that takes part.
    let mut undecided = false;
    for at in 2..axes.len() {
        // An equal share of what is left, so that one hard axis does not starve the others.
        let mut share = steps.div_ceil((axes.len() - at) as u64);
        *steps -= share;
        let answer = collide_at(&axes[..=at], &mut share);
        *steps += share;
        match answer {
            Answer::Solved(mut difference) => {
                difference.resize(axes.len(), 0);
                return Answer::Solved(difference);
            }
            Answer::Unsolvable => {}
            Answer::Undecided => undecided = true,
        }
    }
    if undecided { Answer::Undecided } else { Answer::Unsolvable }
}

/// The closed form for two axes, on every two: steps of `b / g` along one and `a / g` along the other cancel out.
fn collide_pair(axes: &[Moving]) -> Option<equation::Values> {
    for (at, high) in axes.iter().enumerate() {
        for (other, low) in axes[..at].iter().enumerate() {
            let divisor = gcd(high.stride, low.stride);
            let (steps_high, steps_low) = (low.stride / divisor, high.stride / divisor);
            if steps_high <= high.last && steps_low <= low.last {
                let mut difference = equation::Values::from_elem(0, axes.len());
                difference[at] = steps_high;
                difference[other] = -steps_low;
                return Some(difference);
            }
        }
    }
    None
}

/// A difference whose last axis, the one with the largest stride, goes forwards by at least one.
///
/// With `z` the difference, `z - 1` of the last axis and `z + last` of each other one count from 0.
fn collide_at(axes: &[Moving], steps: &mut u64) -> Answer {
    let Some((top, smaller)) = axes.split_last() else {
        return Answer::Unsolvable;
    };
    let target = smaller.iter().map(|axis| axis.stride * axis.last).sum::<i128>() - top.stride;
    let mut terms: Terms = smaller.iter().map(|axis| Term { coef: axis.stride, max: 2 * axis.last }).collect();
    terms.push(Term { coef: top.stride, max: top.last - 1 });
    match solve(&terms, target, steps) {
        Answer::Solved(mut values) => {
            for (value, axis) in values.iter_mut().zip(smaller) {
                *value -= axis.last;
            }
            values[smaller.len()] += 1;
            Answer::Solved(values)
        }
        other => other,
    }
}
