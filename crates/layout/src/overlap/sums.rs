//! The second search: all sums that some of the terms reach, as a sorted list of intervals, met by the last term.
//!
//! A term with `n` values is added in about log2(n) doublings, each a union of the list with itself moved along. Sums that
//! the rest of the terms cannot complete are dropped at once. Where sums are dense they melt into few intervals: that
//! decides the hard case of NumPy's `mem_overlap.c` (five terms of 1049 values each), which depth first does not.

use alloc::vec::Vec;
use core::ops::RangeInclusive;

use crate::overlap::equation::{Answer, Term, Values, ceil_div, reach};

/// Sums, as disjoint intervals in rising order: first and last.
type Sums = Vec<(i128, i128)>;

/// One doubling: `sums` became the union of itself with itself moved by `times * coef`.
struct Doubling {
    sums: Sums,
    term: usize,
    times: i128,
}

/// Solves terms, sorted by coefficient; one step (and up to 32 bytes of memory until the answer) for each interval made.
pub(super) fn search(terms: &[Term], target: i128, steps: &mut u64) -> Answer {
    // The term that is not listed but met costs no more for having many values.
    let Some((met, last)) = terms.iter().enumerate().max_by_key(|(_, term)| term.max) else {
        return if target == 0 { Answer::Solved(Values::new()) } else { Answer::Unsolvable };
    };
    let mut sums: Sums = Vec::from([(0, 0)]);
    let mut history = Vec::new();
    let mut open = reach(terms);
    for (at, term) in terms.iter().enumerate().filter(|&(at, _)| at != met) {
        let mut values = 1;
        while values <= term.max {
            let times = values.min(term.max + 1 - values);
            let moved = times * term.coef;
            open -= moved;
            let Some(next) = union(&sums, moved, target - open..=target, steps) else {
                return Answer::Undecided;
            };
            history.push(Doubling { sums: core::mem::replace(&mut sums, next), term: at, times });
            values += times;
        }
    }
    let Some((mut sum, value)) = meet(&sums, last, target) else {
        return Answer::Unsolvable;
    };
    // Back through the doublings: each sum was there before, or is a moved one.
    let mut values = Values::from_elem(0, terms.len());
    values[met] = value;
    for doubling in history.iter().rev() {
        if !contains(&doubling.sums, sum) {
            sum -= doubling.times * terms[doubling.term].coef;
            values[doubling.term] += doubling.times;
        }
    }
    Answer::Solved(values)
}

/// A sum that a value of `last` completes to the target, and that value.
fn meet(sums: &Sums, last: &Term, target: i128) -> Option<(i128, i128)> {
    sums.iter().find_map(|&(low, high)| {
        let value = ceil_div(target - high, last.coef).max(0);
        let sum = target - value * last.coef;
        (value <= last.max && low <= sum).then_some((sum, value))
    })
}

fn contains(sums: &Sums, sum: i128) -> bool {
    let after = sums.partition_point(|&(low, _)| low <= sum);
    after > 0 && sum <= sums[after - 1].1
}

/// `sums` together with `sums` moved up, of which only what touches `useful` is kept; `None` when steps or memory ran out.
fn union(sums: &Sums, moved: i128, useful: RangeInclusive<i128>, steps: &mut u64) -> Option<Sums> {
    let mut merged = Sums::new();
    let mut stay = sums.iter().copied().peekable();
    let mut move_up = sums.iter().map(|&(low, high)| (low + moved, high + moved)).peekable();
    loop {
        let next = match (stay.peek(), move_up.peek()) {
            (Some(a), Some(b)) if a <= b => stay.next(),
            (_, Some(_)) => move_up.next(),
            (_, None) => stay.next(),
        };
        let Some((low, high)) = next else {
            return Some(merged);
        };
        *steps = steps.checked_sub(1)?;
        if low > *useful.end() || high < *useful.start() {
            continue;
        }
        match merged.last_mut() {
            Some((_, end)) if low <= *end + 1 => *end = high.max(*end),
            _ => {
                merged.try_reserve(1).ok()?;
                merged.push((low, high));
            }
        }
    }
}
