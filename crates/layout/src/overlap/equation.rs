//! One linear equation over boxes, `sum of coef * x = target` with `0 <= x <= max`: the question behind every overlap.
//!
//! What rules decide is decided here, without a budget: bounds, greatest common divisors, terms that cannot interact, and
//! two terms in closed form. What is left goes to the two searches.
//!
//! Every magnitude is far from the ends of `i128`: by L3 a coefficient times its largest value is below 2^64, at most 124
//! terms have a value to choose, and sums of them stay below 2^66 (L3 bounds the sum over a layout, and an equation holds at
//! most three such sums). The only product of two unbounded numbers is taken modulo a coefficient, so below 2^126.

use smallvec::SmallVec;

use crate::args::INLINE;
use crate::overlap::{depth, sums};

/// An unknown `x` in `0..=max` with its positive coefficient.
#[derive(Clone, Copy, Debug)]
pub(super) struct Term {
    pub(super) coef: i128,
    pub(super) max: i128,
}

pub(super) type Terms = SmallVec<[Term; 2 * INLINE]>;
pub(super) type Values = SmallVec<[i128; INLINE]>;

/// What is known of an equation.
#[derive(Debug)]
pub(super) enum Answer {
    /// No values solve it.
    Unsolvable,
    /// These do, in the order of the terms.
    Solved(Values),
    /// The steps ran out.
    Undecided,
}

/// Solves the equation, spending at most `steps`.
pub(super) fn solve(terms: &[Term], target: i128, steps: &mut u64) -> Answer {
    // Terms of one coefficient are one term: slices of one array meet with equal strides all the time.
    let mut merged = Terms::from_slice(terms);
    merged.retain(|term| term.max > 0);
    merged.sort_unstable_by_key(|term| term.coef);
    merged.dedup_by(|next, kept| {
        let same = next.coef == kept.coef;
        if same {
            kept.max += next.max;
        }
        same
    });
    let mut found = match solve_merged(&merged, target, steps) {
        Answer::Solved(found) => found,
        other => return other,
    };
    let give = |term: &Term| {
        if term.max == 0 {
            return 0;
        }
        // Present, because `merged` was made from `terms`; what one term cannot take is left for the next of its kind.
        let at = merged.partition_point(|other| other.coef < term.coef);
        let taken = found[at].min(term.max);
        found[at] -= taken;
        taken
    };
    Answer::Solved(terms.iter().map(give).collect())
}

/// Cuts the equation where the larger coefficients cannot help the smaller ones, and solves the pieces.
///
/// Where the divisor `g` of all larger coefficients exceeds what the smaller terms reach, the smaller terms must produce
/// exactly `target mod g`. Views that slicing makes fall apart into single terms here.
fn solve_merged(terms: &[Term], target: i128, steps: &mut u64) -> Answer {
    if target < 0 || target > reach(terms) {
        return Answer::Unsolvable;
    }
    let mut divisors = Values::from_elem(0, terms.len() + 1);
    for (at, term) in terms.iter().enumerate().rev() {
        divisors[at] = gcd(term.coef, divisors[at + 1]);
    }
    let mut values = Values::new();
    let (mut rest, mut first, mut near, mut undecided) = (target, 0, 0, false);
    for end in 1..=terms.len() {
        near += terms[end - 1].coef * terms[end - 1].max;
        let divisor = divisors[end];
        if divisor != 0 && divisor <= near {
            continue;
        }
        let part = if divisor == 0 { rest } else { rest % divisor };
        rest -= part;
        match solve_piece(&terms[first..end], part, steps) {
            Answer::Solved(part) => values.extend(part),
            Answer::Unsolvable => return Answer::Unsolvable,
            // Another piece may still be unsolvable.
            Answer::Undecided => undecided = true,
        }
        first = end;
    }
    if undecided { Answer::Undecided } else { Answer::Solved(values) }
}

/// Solves terms, sorted by coefficient, that do interact.
fn solve_piece(terms: &[Term], target: i128, steps: &mut u64) -> Answer {
    let divisor = terms.iter().fold(0, |divisor, term| gcd(divisor, term.coef));
    if target > reach(terms) || target % divisor != 0 {
        return Answer::Unsolvable;
    }
    let target = target / divisor;
    let terms: Terms = terms.iter().map(|term| Term { coef: term.coef / divisor, max: term.max }).collect();
    match *terms {
        [_] => Answer::Solved(Values::from_slice(&[target])),
        [a, b] => match Pair::new(a, b).solve(target) {
            Some((x, y)) => Answer::Solved(Values::from_slice(&[x, y])),
            None => Answer::Unsolvable,
        },
        _ => {
            // Depth first needs no memory and is short where few values fit; sums are short where values are dense. Neither
            // is known in advance, so each gets half.
            let mut half = steps.div_ceil(2);
            *steps -= half;
            let answer = depth::search(&terms, target, &mut half);
            *steps += half;
            match answer {
                Answer::Undecided => sums::search(&terms, target, steps),
                decided => decided,
            }
        }
    }
}

/// Two terms, prepared: their equation is solved in closed form.
#[derive(Debug)]
pub(super) struct Pair {
    a: Term,
    b: Term,
    divisor: i128,
    inverse: i128,
}

impl Pair {
    pub(super) fn new(a: Term, b: Term) -> Pair {
        let divisor = gcd(a.coef, b.coef);
        let (a, b) = (Term { coef: a.coef / divisor, ..a }, Term { coef: b.coef / divisor, ..b });
        Pair { a, b, divisor, inverse: inverse(a.coef, b.coef) }
    }

    /// The solution with the smallest first value.
    pub(super) fn solve(&self, target: i128) -> Option<(i128, i128)> {
        if target < 0 || target % self.divisor != 0 {
            return None;
        }
        let (a, b, target) = (self.a, self.b, target / self.divisor);
        let low = ceil_div(target - b.coef * b.max, a.coef).max(0);
        let high = (target / a.coef).min(a.max);
        let x = first_congruent(low, target % b.coef * self.inverse, b.coef);
        (x <= high).then(|| (x, (target - a.coef * x) / b.coef))
    }
}

/// The largest sum that the terms reach.
pub(super) fn reach(terms: &[Term]) -> i128 {
    terms.iter().map(|term| term.coef * term.max).sum()
}

/// The greatest common divisor; that with 0 is the other number.
pub(super) fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The number `x` in `0..modulus` with `a * x` congruent to 1, for coprime `a` and `modulus`; 0 where `modulus` is 1.
pub(super) fn inverse(a: i128, modulus: i128) -> i128 {
    let (mut old, mut new) = ((a % modulus, 1), (modulus, 0));
    while new.0 != 0 {
        let quotient = old.0 / new.0;
        (old, new) = (new, (old.0 - quotient * new.0, old.1 - quotient * new.1));
    }
    old.1.rem_euclid(modulus)
}

/// The smallest number from `low` on that is congruent to `residue`.
pub(super) fn first_congruent(low: i128, residue: i128, modulus: i128) -> i128 {
    low + (residue - low).rem_euclid(modulus)
}

/// The quotient rounded up, for a positive divisor.
pub(super) fn ceil_div(n: i128, divisor: i128) -> i128 {
    -(-n).div_euclid(divisor)
}
