//! Dividers against the machine's own division, near every number where such methods break.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use proptest::prelude::*;
use weft_layout::{Divider32, Divider64};

/// The formula that a kernel computes from the four numbers, written once more.
fn kernel32(divider: Divider32, n: u32) -> u32 {
    let t = ((u64::from(divider.multiplier()) * u64::from(n)) >> 32) as u32;
    (t + ((n - t) >> divider.pre_shift())) >> divider.post_shift()
}

fn kernel64(divider: Divider64, n: u64) -> u64 {
    let t = ((u128::from(divider.multiplier()) * u128::from(n)) >> 64) as u64;
    (t + ((n - t) >> divider.pre_shift())) >> divider.post_shift()
}

#[track_caller]
fn check32(divisor: u32, dividends: impl IntoIterator<Item = u32>) {
    let divider = Divider32::new(divisor).unwrap();
    assert_eq!(divider.divisor(), divisor);
    for n in dividends {
        assert_eq!(divider.div(n), n / divisor, "{n} / {divisor}");
        assert_eq!(divider.div_rem(n), (n / divisor, n % divisor), "{n} / {divisor}");
        assert_eq!(kernel32(divider, n), n / divisor, "{n} / {divisor} in a kernel");
    }
}

#[track_caller]
fn check64(divisor: u64, dividends: impl IntoIterator<Item = u64>) {
    let divider = Divider64::new(divisor).unwrap();
    assert_eq!(divider.divisor(), divisor);
    for n in dividends {
        assert_eq!(divider.div(n), n / divisor, "{n} / {divisor}");
        assert_eq!(divider.div_rem(n), (n / divisor, n % divisor), "{n} / {divisor}");
        assert_eq!(kernel64(divider, n), n / divisor, "{n} / {divisor} in a kernel");
    }
}

/// `n` and its neighbours, as far as they exist.
fn near32(n: u64) -> impl Iterator<Item = u32> {
    (n.saturating_sub(2)..=n + 2).filter_map(|n| u32::try_from(n).ok())
}

fn near64(n: u128) -> impl Iterator<Item = u64> {
    (n.saturating_sub(2)..=n + 2).filter_map(|n| u64::try_from(n).ok())
}

/// Where an error would show: around the ends of the type and its halves, and around multiples of the divisor, low, in the
/// middle, and the last ones.
fn edges32(divisor: u32) -> impl Iterator<Item = u32> {
    let d = u64::from(divisor);
    let last = (1u64 << 32) / d;
    let multiples = [1, 2, 3, last / 3, last / 2, (1 << 31) / d, last.saturating_sub(1), last].map(|k| k * d);
    [0, 1 << 16, 1 << 31, 1 << 32].into_iter().chain(multiples).flat_map(near32)
}

fn edges64(divisor: u64) -> impl Iterator<Item = u64> {
    let d = u128::from(divisor);
    let last = (1u128 << 64) / d;
    let multiples = [1, 2, 3, last / 3, last / 2, (1 << 63) / d, last.saturating_sub(1), last].map(|k| k * d);
    [0, 1 << 32, 1 << 63, 1 << 64].into_iter().chain(multiples).flat_map(near64)
}

#[test]
fn every_divisor_below_2_16_and_its_mirror() {
    for divisor in 1..1 << 16 {
        check32(divisor, edges32(divisor));
        check32(u32::MAX - (divisor - 1), edges32(u32::MAX - (divisor - 1)));
        check64(u64::from(divisor), edges64(u64::from(divisor)));
        check64(u64::MAX - u64::from(divisor - 1), edges64(u64::MAX - u64::from(divisor - 1)));
    }
}

#[test]
fn powers_of_two_and_their_neighbours() {
    for log in 0..32 {
        for divisor in near32(1 << log).filter(|&divisor| divisor > 0) {
            check32(divisor, edges32(divisor).chain((0..=32).flat_map(|log| near32(1 << log))));
        }
    }
    for log in 0..64 {
        for divisor in near64(1 << log).filter(|&divisor| divisor > 0) {
            check64(divisor, edges64(divisor).chain((0..=64).flat_map(|log| near64(1 << log))));
        }
    }
}

#[test]
fn every_multiple_boundary_of_a_few_divisors() {
    // All k * d - 1 and k * d of the u32 range, for divisors large enough to finish.
    for divisor in [65_537u32, 99_991, 1_000_003, 0x7fff_ffff, 0x8000_0001] {
        check32(divisor, (1..=u32::MAX / divisor).flat_map(|k| [k * divisor - 1, k * divisor]));
    }
}

#[test]
fn every_small_pair() {
    for divisor in 1..=300 {
        check32(divisor, 0..=2000);
        check64(u64::from(divisor), 0..=2000);
    }
}

/// cubecl's fast division, before and after: these three gave 0, 0 and 161061273 there.
#[test]
fn past_three_times_2_30() {
    for (divisor, n, quotient) in
        [(3, 3_221_225_472, 1_073_741_824), (7, 3_758_096_384, 536_870_912), (10, u32::MAX, 429_496_729)]
    {
        assert_eq!(Divider32::new(divisor).unwrap().div(n), quotient);
        assert_eq!(Divider64::new(divisor.into()).unwrap().div(n.into()), quotient.into());
    }
}

#[test]
fn made_at_compile_time_and_never_of_zero() {
    const SIX: Option<Divider32> = Divider32::new(6);
    const REST: (u64, u64) = match Divider64::new(6) {
        Some(six) => six.div_rem(20),
        None => (0, 0),
    };
    assert_eq!(SIX.map(|six| six.div(20)), Some(3));
    assert_eq!(REST, (3, 2));
    assert_eq!(Divider32::new(0), None);
    assert_eq!(Divider64::new(0), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn random_u32(divisor in 1u32.., shift in 0u32..32, n: u32) {
        let divisor = (divisor >> shift).max(1);
        check32(divisor, edges32(divisor).chain([n]));
    }

    #[test]
    fn random_u64(divisor in 1u64.., shift in 0u32..64, n: u64) {
        let divisor = (divisor >> shift).max(1);
        check64(divisor, edges64(divisor).chain([n]));
    }
}
