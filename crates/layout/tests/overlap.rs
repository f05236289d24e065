//! Overlap against brute force: the oracle tables, every small layout, random layouts, and the bugs of others.
#![cfg(feature = "alloc")]
#![allow(clippy::unwrap_used, reason = "a failed unwrap in a helper is a failed test too")]

use proptest::prelude::*;
use serde::Deserialize;
use weft_layout::{Layout, Overlap};

const BUDGET: u64 = Layout::DEFAULT_BUDGET;

/// A layout of these strides, placed so that its lowest offset is `lowest`.
#[track_caller]
fn layout(shape: &[usize], strides: &[isize], lowest: usize) -> Layout {
    let back: usize = shape
        .iter()
        .zip(strides)
        .map(|(&size, &stride)| if stride < 0 { size.saturating_sub(1) * stride.unsigned_abs() } else { 0 })
        .sum();
    Layout::from_parts(shape, strides, lowest + back).unwrap()
}

/// The naive twin: a table of every offset.
fn collides(layout: &Layout) -> bool {
    let mut seen = std::collections::HashSet::new();
    layout.offsets().any(|offset| !seen.insert(offset))
}

fn meets(a: &Layout, b: &Layout) -> bool {
    let seen: std::collections::HashSet<usize> = a.offsets().collect();
    b.offsets().any(|offset| seen.contains(&offset))
}

/// Checks that the answer for one layout is `expected`, and that a witness is one.
#[track_caller]
fn check_self(layout: &Layout, expected: bool) {
    match layout.self_overlap(BUDGET) {
        Overlap::Disjoint => assert!(!expected, "{layout} does overlap"),
        Overlap::Overlapping { a, b } => {
            assert!(expected, "{layout} does not overlap");
            assert!(a.as_slice() < b.as_slice(), "{layout}: {a} and {b} are not in order");
            assert_eq!(layout.offset_of(&a).unwrap(), layout.offset_of(&b).unwrap(), "{layout}: {a} and {b}");
        }
        other => panic!("{layout}: {other:?}"),
    }
}

/// Checks that the answer for two layouts is `expected`, both ways, and that a witness is one.
#[track_caller]
fn check_pair(left: &Layout, right: &Layout, expected: bool) {
    for (x, y) in [(left, right), (right, left)] {
        match x.overlap_with(y, BUDGET) {
            Overlap::Disjoint => assert!(!expected, "{x} and {y} do overlap"),
            Overlap::Overlapping { a, b } => {
                assert!(expected, "{x} and {y} do not overlap");
                assert_eq!(x.offset_of(&a).unwrap(), y.offset_of(&b).unwrap(), "{x} at {a} and {y} at {b}");
            }
            Overlap::Identical => {
                assert!(expected, "{x} and {y} hold nothing");
                assert!(x.same_map(y), "{x} and {y} are not the same map");
            }
            other => panic!("{x} and {y}: {other:?}"),
        }
    }
}

#[derive(Deserialize)]
struct SelfRow {
    shape: Vec<usize>,
    strides: Vec<isize>,
    overlap: bool,
}

#[derive(Deserialize)]
struct Parts {
    shape: Vec<usize>,
    strides: Vec<isize>,
    offset: usize,
}

impl Parts {
    fn layout(&self) -> Layout {
        // Some rows reach below 0, which a layout may not; moving all of them changes no answer.
        Layout::from_parts(&self.shape, &self.strides, self.offset + 1000).unwrap()
    }
}

#[derive(Deserialize)]
struct PairRow {
    a: Parts,
    b: Parts,
    overlap: bool,
}

fn rows<T: serde::de::DeserializeOwned>(table: &str) -> Vec<T> {
    table.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_row_of_the_self_table_is_decided() {
    let rows: Vec<SelfRow> = rows(include_str!("data/self_overlap.jsonl"));
    assert_eq!(rows.len(), 1500);
    let mut by_rules = 0;
    for row in &rows {
        let layout = layout(&row.shape, &row.strides, 0);
        check_self(&layout, row.overlap);
        by_rules += u32::from(!matches!(layout.self_overlap(0), Overlap::Unknown { .. }));
    }
    insta::assert_snapshot!(format!("{by_rules} of {} by rules alone", rows.len()), @"1411 of 1500 by rules alone");
}

#[test]
fn every_row_of_the_pair_table_is_decided() {
    let rows: Vec<PairRow> = rows(include_str!("data/pair_overlap.jsonl"));
    assert_eq!(rows.len(), 750);
    let mut by_rules = 0;
    for row in &rows {
        let (a, b) = (row.a.layout(), row.b.layout());
        check_pair(&a, &b, row.overlap);
        by_rules += u32::from(!matches!(a.overlap_with(&b, 0), Overlap::Unknown { .. }));
    }
    insta::assert_snapshot!(format!("{by_rules} of {} by rules alone", rows.len()), @"486 of 750 by rules alone");
}

#[test]
fn tiny_tables() {
    let cases: [(&[usize], &[isize], bool); 19] = [
        (&[2, 3], &[2, 1], true),
        (&[2, 3], &[3, 2], false),
        (&[3, 2], &[2, 3], false),
        (&[2, 3, 2], &[3, 2, 1], true),
        (&[2, 2, 2], &[8, 1, 2], false),
        (&[2, 2, 2], &[4, 2, 1], false),
        (&[5, 2], &[0, 0], true),
        (&[1, 3], &[0, 1], false),
        (&[4], &[2], false),
        (&[3], &[0], true),
        (&[4, 4], &[3, 4], false),
        (&[3, 4], &[4, 4], true),
        (&[5, 4], &[3, 4], true),
        (&[87, 22], &[0, -9993], true),
        (&[1, 22], &[0, -9993], false),
        (&[0, 22], &[0, -9993], false),
        (&[2], &[0], true),
        (&[1], &[0], false),
        (&[0], &[0], false),
    ];
    for (shape, strides, expected) in cases {
        check_self(&layout(shape, strides, 0), expected);
    }
}

/// Two layouts of the case, with the offset as printed.
fn from(shape: &[usize], strides: &[isize], offset: usize) -> Layout {
    Layout::from_parts(shape, strides, offset).unwrap()
}

#[track_caller]
fn check_witness(layout: &Layout, a: &[usize], b: &[usize]) {
    match layout.self_overlap(0) {
        Overlap::Overlapping { a: first, b: second } => assert_eq!((&first[..], &second[..]), (a, b), "{layout}"),
        other => panic!("{layout}: {other:?}"),
    }
}

/// ndarray refuses these strides; every element has one coordinate.
#[test]
fn b12_interleaved_and_unique() {
    let layout = from(&[3, 2], &[2, 3], 0);
    assert_eq!(layout.offsets().collect::<Vec<_>>(), [0, 3, 2, 5, 4, 7]);
    assert_eq!(layout.self_overlap(0), Overlap::Disjoint);
    assert!(layout.require_injective(0).is_ok());
}

/// rust-ndarray/ndarray#1609, PyO3/rust-numpy#527.
#[test]
fn b14_empty_layouts_with_zero_strides() {
    for shape in [[2, 0], [3, 0], [0, 2]] {
        let layout = from(&shape, &[0, 0], 0);
        assert_eq!(layout.self_overlap(0), Overlap::Disjoint, "{layout}");
        assert_eq!(layout.overlap_with(&layout, 0), Overlap::Disjoint, "{layout}");
    }
}

/// pytorch/pytorch#17935: writing through these would be wrong, and two of them run there today.
#[test]
fn b16_witnesses_of_writes_that_collide() {
    check_witness(&from(&[3], &[0], 0), &[0], &[1]);
    check_witness(&from(&[2, 2], &[1, 1], 0), &[0, 1], &[1, 0]);
    check_witness(&from(&[3, 4], &[0, 1], 0), &[0, 0], &[1, 0]);
    insta::assert_snapshot!(
        from(&[2, 2], &[1, 1], 5).require_injective(0).unwrap_err(),
        @"as_strided: elements 1 and 2 (in row-major order) are both at offset 6"
    );
}

/// numpy/numpy#26844: `a[2:][a[:-2]] = 3` reads what it writes.
#[test]
fn b19_source_and_destination_shifted() {
    let (read, written) = (from(&[8], &[1], 0), from(&[8], &[1], 2));
    check_pair(&read, &written, true);
    assert_eq!(read.overlap_with(&read, 0), Overlap::Identical);
}

/// The pairs of NumPy's `mem_overlap.c`; NumPy gives up on the last at 10,000 steps.
#[test]
fn b20_pairs_that_need_arithmetic() {
    check_pair(&from(&[4, 3], &[20, 7], 0), &from(&[4, 6], &[20, 3], 3), false);
    check_pair(&from(&[4, 3, 2], &[30, 12, 3], 0), &from(&[4, 2, 3], &[30, 18, 2], 0), true);
    let hard = from(&[1049; 3], &[36674, 61119, 85569], 0);
    check_pair(&hard, &from(&[1049; 2], &[12223, 12224], 64_023_025), false);
    // The same strides do meet elsewhere.
    let met = hard.offset_of(&[500, 600, 700]).unwrap() - 12223 * 3 - 12224 * 1048;
    check_pair(&hard, &from(&[1049; 2], &[12223, 12224], met), true);
}

#[test]
fn a_small_budget_is_honest() {
    let (a, b) = (from(&[1049; 3], &[36674, 61119, 85569], 0), from(&[1049; 2], &[12223, 12224], 64_023_025));
    for budget in [0, 1, 1000, BUDGET / 2] {
        assert_eq!(a.overlap_with(&b, budget), Overlap::Unknown { budget });
    }
    let knot = from(&[9, 9, 9, 9], &[101, 103, 107, 109], 0);
    insta::assert_snapshot!(
        knot.require_injective(0).unwrap_err(),
        @"as_strided: whether two elements share an offset is not decided within 0 steps"
    );
}

/// All layouts of rank up to 3, sizes 0 to 4, strides -6 to 6.
#[test]
fn every_small_layout() {
    let mut checked = 0;
    for rank in 0..=3usize {
        let sizes = 5usize.pow(rank as u32);
        let strides = 13usize.pow(rank as u32);
        for k in 0..sizes * strides {
            let digit = |k: usize, base: usize, axis: usize| k / base.pow(axis as u32) % base;
            let shape: Vec<usize> = (0..rank).map(|axis| digit(k / strides, 5, axis)).collect();
            let signed: Vec<isize> = (0..rank).map(|axis| digit(k % strides, 13, axis) as isize - 6).collect();
            let layout = layout(&shape, &signed, 0);
            check_self(&layout, collides(&layout));
            checked += 1;
        }
    }
    assert_eq!(checked, 1 + 65 + 65 * 65 + 65 * 65 * 65);
}

fn axes(max_rank: usize) -> impl Strategy<Value = Vec<(usize, isize)>> {
    prop::collection::vec((0usize..=7, -30isize..=30), 0..=max_rank)
}

fn of_axes(axes: &[(usize, isize)], lowest: usize) -> Layout {
    let (shape, strides): (Vec<_>, Vec<_>) = axes.iter().copied().unzip();
    layout(&shape, &strides, lowest)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn one_layout_agrees_with_its_table(axes in axes(4)) {
        let layout = of_axes(&axes, 0);
        check_self(&layout, collides(&layout));
    }

    #[test]
    fn two_layouts_agree_with_their_tables(a in axes(4), b in axes(4), lowest in 0usize..60) {
        let (a, b) = (of_axes(&a, lowest), of_axes(&b, 30));
        check_pair(&a, &b, meets(&a, &b));
    }

    /// Slices of one array: what people do. One such layout needs no search, two need a few steps.
    #[test]
    fn slices_of_one_array_are_decided_at_once(
        parts in prop::collection::vec(((0usize..6, 1usize..4), (0usize..6, 1usize..4)), 1..=4),
        flip in any::<bool>(),
    ) {
        let shape = vec![10usize; parts.len()];
        let array = Layout::row_major(&shape).unwrap();
        let cut = |first: bool| {
            let (mut sizes, mut strides, mut offset) = (vec![], vec![], 0);
            for (part, &stride) in parts.iter().zip(array.strides()) {
                let (start, step) = if first { part.0 } else { part.1 };
                sizes.push((10 - start).div_ceil(step));
                strides.push(stride * step as isize);
                offset += start * stride as usize;
            }
            let forwards = from(&sizes, &strides, offset);
            if !flip || first {
                return forwards;
            }
            for (stride, &size) in strides.iter_mut().zip(&sizes) {
                offset += (size - 1) * stride.unsigned_abs();
                *stride = -*stride;
            }
            from(&sizes, &strides, offset)
        };
        let (a, b) = (cut(true), cut(false));
        check_pair(&a, &b, meets(&a, &b));
        prop_assert_ne!(a.self_overlap(0), Overlap::Unknown { budget: 0 });
        prop_assert_ne!(a.overlap_with(&b, 1024), Overlap::Unknown { budget: 1024 });
    }

    /// More elements than offsets: a collision is certain, and a witness is found, without any table.
    #[test]
    fn pigeonhole_layouts_yield_a_witness(
        sizes in prop::collection::vec(1000usize..20_000, 3..=4),
        strides in prop::collection::vec(-2_000_000isize..=2_000_000, 4),
    ) {
        let axes: Vec<_> = sizes.iter().copied().zip(strides).collect();
        let layout = of_axes(&axes, 0);
        if layout.numel() > layout.span().len() {
            check_self(&layout, true);
        }
    }

    /// Nothing wraps and nothing panics, whatever the numbers.
    #[test]
    fn huge_numbers(
        a in prop::collection::vec((0usize..5, any::<isize>()), 0..=5),
        b in prop::collection::vec((0usize..1 << 40, -1000isize..=1000), 0..=3),
        offset in 0..=isize::MAX as usize,
    ) {
        let [a, b] = [a, b].map(|axes| {
            let (shape, strides): (Vec<_>, Vec<_>) = axes.into_iter().unzip();
            Layout::from_parts(&shape, &strides, offset)
        });
        for layout in [&a, &b].into_iter().flatten() {
            if let Overlap::Overlapping { a, b } = layout.self_overlap(4096) {
                prop_assert_eq!(layout.offset_of(&a), layout.offset_of(&b));
            }
        }
        if let (Ok(x), Ok(y)) = (&a, &b)
            && let Overlap::Overlapping { a, b } = x.overlap_with(y, 4096)
        {
            prop_assert_eq!(x.offset_of(&a), y.offset_of(&b));
        }
    }
}

/// The pigeonhole again, with five axes: more than the closed form and one level of search.
#[test]
fn certain_collisions_of_five_axes_are_found() {
    let mut seed = 5;
    let mut certain = 0;
    while certain < 300 {
        let axes: Vec<_> = (0..5)
            .map(|_| (40 + random(&mut seed) as usize % 40, 500_000 + (random(&mut seed) % 500_000) as isize))
            .collect();
        let layout = of_axes(&axes, 0);
        if layout.numel() > layout.span().len() {
            certain += 1;
            check_self(&layout, true);
        }
    }
}

#[test]
fn extreme_strides_and_sizes() {
    let last = isize::MAX;
    let cases: [(&[usize], &[isize], usize, bool); 7] = [
        // numpy#6683: an axis of size 1 may have any stride.
        (&[1, 1], &[last, isize::MIN], 0, false),
        (&[1, 4, 1], &[isize::MIN, 1, last], 0, false),
        (&[2], &[last], 0, false),
        (&[2, 2], &[-(last / 2), last / 2], last as usize / 2, true),
        (&[last as usize], &[1], 0, false),
        (&[1 << 31, 1 << 31], &[1 << 31, 1], 0, false),
        (&[1 << 31, 1 << 31], &[1 << 30, 1], 0, true),
    ];
    for (shape, strides, offset, expected) in cases {
        check_self(&from(shape, strides, offset), expected);
    }
    let (low, high) = (from(&[2], &[last], 0), from(&[2], &[-last], last as usize));
    check_pair(&low, &high, true);
    check_pair(&from(&[last as usize], &[1], 0), &from(&[1], &[0], last as usize), false);
    check_pair(&from(&[1 << 61], &[3], 0), &from(&[1 << 61], &[3], 1), false);
    check_pair(&from(&[1 << 60], &[3], 1), &from(&[1 << 60], &[5], 0), true);
}

/// Rank has no upper limit: 40 axes of size 2.
#[test]
fn many_axes() {
    let shape = [2; 40];
    let nested: Vec<isize> = (0..40).map(|axis| 1 << axis).collect();
    check_self(&from(&shape, &nested, 0), false);
    let mut knot = nested.clone();
    knot[39] = (1 << 39) - 1;
    check_self(&from(&shape, &knot, 0), true);
    check_pair(&from(&shape, &nested, 0), &from(&[2; 30], &nested[..30], 1 << 40), false);
}

/// A generator of our own (SplitMix64): the same layouts on every machine.
fn random(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *seed;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[test]
fn of_20_000_random_layouts_none_is_unknown() {
    let mut seed = 20_000;
    let mut counts = [0; 3];
    let mut by_rules = 0;
    for _ in 0..20_000 {
        let rank = 1 + random(&mut seed) as usize % 4;
        let axes: Vec<_> =
            (0..rank).map(|_| (random(&mut seed) as usize % 8, (random(&mut seed) % 61) as isize - 30)).collect();
        let layout = of_axes(&axes, 0);
        check_self(&layout, collides(&layout));
        counts[match layout.self_overlap(BUDGET) {
            Overlap::Disjoint => 0,
            Overlap::Overlapping { .. } => 1,
            _ => 2,
        }] += 1;
        by_rules += u32::from(!matches!(layout.self_overlap(0), Overlap::Unknown { .. }));
    }
    insta::assert_snapshot!(
        format!("disjoint {}, overlapping {}, unknown {}; {by_rules} by rules alone", counts[0], counts[1], counts[2]),
        @"disjoint 15624, overlapping 4376, unknown 0; 17911 by rules alone"
    );
}
