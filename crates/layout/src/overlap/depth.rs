//! The first search: depth first over the values of all but two terms, which are left to the closed form.
//!
//! A value is tried only where the terms after it can still reach the target and where the remainder divides by their
//! common divisor, so near-nested strides try one or two values a level.

use smallvec::SmallVec;

use crate::args::INLINE;
use crate::overlap::equation::{Answer, Pair, Term, Terms, Values, ceil_div, first_congruent, gcd, inverse, reach};

/// A term that is tried value by value.
struct Level {
    term: Term,
    /// The largest sum of all later terms.
    after: i128,
    /// Common divisor of this coefficient and that of all later terms: it divides every remainder that arrives here.
    divisor: i128,
    /// Values that leave a multiple of the later divisor are this far apart.
    step: i128,
    /// The inverse of `coef / divisor` modulo `step`.
    inverse: i128,
}

impl Level {
    /// How many values can come into question at most, less one.
    fn choices(&self) -> i128 {
        self.term.max.min(self.after / self.term.coef) / self.step
    }
}

type Order = SmallVec<[usize; 2 * INLINE]>;

struct Search {
    levels: SmallVec<[Level; 2 * INLINE]>,
    pair: Pair,
    /// For each level, then for the pair: which term it is.
    order: Order,
}

/// Solves three or more terms, sorted by coefficient, whose common divisor is 1; one step for each value tried.
pub(super) fn search(terms: &[Term], target: i128, steps: &mut u64) -> Answer {
    // Small coefficients first are pinned by the divisor of the larger ones (slices of one array); large ones first are pinned
    // by how far the smaller ones reach; and the two largest boxes, if they came first, might be endless. Whichever order
    // has the smallest bound is walked.
    let rising: Order = (0..terms.len()).collect();
    let falling: Order = (0..terms.len()).rev().collect();
    let mut boxes = falling.clone();
    boxes.sort_by_key(|&at| terms[at].max);
    let inner = boxes.len() - 2;
    boxes[..inner].sort_unstable_by(|a, b| b.cmp(a));
    let mut chosen = Search::new(terms, rising);
    for order in [falling, boxes] {
        let other = Search::new(terms, order);
        if other.bound() < chosen.bound() {
            chosen = other;
        }
    }

    let mut tried = Values::from_elem(0, chosen.levels.len());
    match chosen.descend(0, target, &mut tried, steps) {
        None => Answer::Undecided,
        Some(None) => Answer::Unsolvable,
        Some(Some((x, y))) => {
            tried.extend([x, y]);
            let mut values = Values::from_elem(0, terms.len());
            for (&at, &value) in chosen.order.iter().zip(&tried) {
                values[at] = value;
            }
            Answer::Solved(values)
        }
    }
}

impl Search {
    fn new(terms: &[Term], order: Order) -> Search {
        let sorted: Terms = order.iter().map(|&at| terms[at]).collect();
        let inner = sorted.len() - 2;
        let levels = (0..inner).map(|at| {
            let (term, later) = (sorted[at], &sorted[at + 1..]);
            let after_divisor = later.iter().fold(0, |divisor, term| gcd(divisor, term.coef));
            let divisor = gcd(term.coef, after_divisor);
            let step = after_divisor / divisor;
            Level { term, after: reach(later), divisor, step, inverse: inverse(term.coef / divisor, step) }
        });
        Search { levels: levels.collect(), pair: Pair::new(sorted[inner], sorted[inner + 1]), order }
    }

    /// No more values than this are tried.
    fn bound(&self) -> i128 {
        self.levels.iter().fold(1, |bound: i128, level| bound.saturating_mul(level.choices() + 1))
    }

    /// The values of the pair that complete what was tried, `Some(None)` where nothing does, `None` when the steps ran out.
    fn descend(&self, at: usize, rest: i128, tried: &mut [i128], steps: &mut u64) -> Option<Option<(i128, i128)>> {
        let Some(level) = self.levels.get(at) else {
            return Some(self.pair.solve(rest));
        };
        let coef = level.term.coef;
        let low = ceil_div(rest - level.after, coef).max(0);
        let high = (rest / coef).min(level.term.max);
        let residue = rest / level.divisor % level.step * level.inverse;
        let mut value = first_congruent(low, residue, level.step);
        while value <= high {
            *steps = steps.checked_sub(1)?;
            tried[at] = value;
            let found = self.descend(at + 1, rest - coef * value, tried, steps)?;
            if found.is_some() {
                return Some(found);
            }
            value += level.step;
        }
        Some(None)
    }
}
