//! Each of the two searches alone, against every assignment: an answer for one may not hide a slip of the other.

use alloc::vec::Vec;

use crate::overlap::equation::{Answer, Term, Terms, gcd, reach, solve};
use crate::overlap::{depth, sums};

/// SplitMix64: the same cases on every machine.
fn random(seed: &mut u64, below: u64) -> i128 {
    *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *seed;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    i128::from((z ^ (z >> 31)) % below)
}

/// Which targets the terms reach, by trying every assignment.
fn reached(terms: &[Term]) -> Vec<bool> {
    let mut seen = alloc::vec![false; reach(terms) as usize + 1];
    let mut sums = alloc::vec![0];
    for term in terms {
        let add = |sum: &i128| (0..=term.max).map(|value| sum + value * term.coef).collect::<Vec<_>>();
        sums = sums.iter().flat_map(add).collect();
    }
    sums.iter().for_each(|&sum| seen[sum as usize] = true);
    seen
}

#[track_caller]
fn check(answer: Answer, terms: &[Term], target: i128, expected: bool) {
    match answer {
        Answer::Unsolvable => assert!(!expected, "{terms:?} reach {target}"),
        Answer::Undecided => panic!("{terms:?} to {target} is undecided"),
        Answer::Solved(values) => {
            assert!(expected, "{terms:?} do not reach {target}");
            assert_eq!(values.len(), terms.len());
            assert!(
                values.iter().zip(terms).all(|(value, term)| (0..=term.max).contains(value)),
                "{values:?} {terms:?}"
            );
            let sum: i128 = values.iter().zip(terms).map(|(value, term)| value * term.coef).sum();
            assert_eq!(sum, target, "{values:?} {terms:?}");
        }
    }
}

#[test]
fn both_searches_agree_with_every_assignment() {
    let mut seed = 1049;
    let mut coprime = 0;
    for _ in 0..400 {
        let count = 3 + random(&mut seed, 2);
        let mut terms: Terms =
            (0..count).map(|_| Term { coef: 1 + random(&mut seed, 40), max: 1 + random(&mut seed, 6) }).collect();
        let seen = reached(&terms);
        for (target, &expected) in seen.iter().enumerate() {
            check(solve(&terms, target as i128, &mut (1 << 20)), &terms, target as i128, expected);
        }
        // What the searches are promised: rising coefficients without a common divisor.
        terms.sort_unstable_by_key(|term| term.coef);
        if terms.iter().fold(0, |divisor, term| gcd(divisor, term.coef)) == 1 {
            coprime += 1;
            for (target, &expected) in seen.iter().enumerate() {
                check(depth::search(&terms, target as i128, &mut (1 << 20)), &terms, target as i128, expected);
                check(sums::search(&terms, target as i128, &mut (1 << 20)), &terms, target as i128, expected);
            }
        }
    }
    assert!(coprime > 250, "{coprime}");
}
