//! Coalescing: the same offsets in the same order, from no more axes than needed.
#![cfg(feature = "alloc")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![cfg(feature = "alloc")]

mod operands;

use insta::assert_snapshot;
use operands::{any_operands, each_pair, layout, lowest_offset, naive};
use proptest::prelude::*;
use weft_layout::Layout;

/// How many axes the order of offsets needs at least: found by trying every way to cut the numbers into a nest of loops.
fn fewest_axes(offsets: &[usize]) -> usize {
    if offsets.len() <= 1 {
        return 0;
    }
    let step = |a: usize, b: usize| b as isize - a as isize;
    // The innermost loop has some length that divides the count; everything outside it repeats.
    (2..=offsets.len())
        .filter(|&len| offsets.len().is_multiple_of(len))
        .filter(|&len| {
            let stride = step(offsets[0], offsets[1]);
            offsets.chunks(len).all(|run| run.windows(2).all(|pair| step(pair[0], pair[1]) == stride))
        })
        .map(|len| 1 + fewest_axes(&offsets.iter().copied().step_by(len).collect::<Vec<_>>()))
        .min()
        .unwrap_or(usize::MAX)
}

#[track_caller]
fn check(l: &Layout) {
    let coalesced = l.coalesce();
    let order = naive([l]);
    assert_eq!(naive([&coalesced]), order, "{l} to {coalesced}");
    assert_eq!(coalesced.span(), l.span(), "{l}");
    assert_eq!(coalesced.coalesce(), coalesced, "{l}");
    let offsets: Vec<usize> = order.iter().map(|tuple| tuple[0]).collect();
    let fewest = if offsets.is_empty() { 1 } else { fewest_axes(&offsets) };
    assert_eq!(coalesced.ndim(), fewest, "{l} to {coalesced}");
}

#[test]
fn every_layout_of_rank_2_with_small_strides() {
    let mut last = None;
    each_pair(|a, _| {
        if last.as_ref() != Some(a) {
            check(a);
            last = Some(a.clone());
        }
    });
}

#[test]
fn every_layout_of_rank_3_with_small_strides() {
    for shape in (0..125).map(|code| [code / 25, code / 5 % 5, code % 5]) {
        for strides in (0..13 * 13 * 13).map(|code| [code / 169 - 6, code / 13 % 13 - 6, code % 13 - 6]) {
            let l = layout(&shape, &strides, lowest_offset(&shape, &strides));
            let coalesced = l.coalesce();
            assert!(l.offsets().eq(coalesced.offsets()), "{l} to {coalesced}");
            for axis in 1..coalesced.ndim() {
                let (size, stride) = (coalesced.shape()[axis] as isize, coalesced.strides()[axis]);
                assert_ne!(coalesced.strides()[axis - 1], size * stride, "{l} to {coalesced}");
            }
            assert!(!coalesced.shape().contains(&1), "{l} to {coalesced}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn random_layouts([l] in any_operands::<1>(6, 3)) {
        check(&l);
    }
}

/// tinygrad's `_merge_dims` on unmasked shapes, and what its tests expect.
#[test]
fn tinygrad_merge_dims() {
    let shown = |shape: &[usize], strides: &[isize]| layout(shape, strides, 0).coalesce().to_string();
    assert_snapshot!(shown(&[2, 3, 4], &[12, 4, 1]), @"(24):(1)@0");
    assert_snapshot!(shown(&[2, 3, 4], &[0, 4, 1]), @"(2,12):(0,1)@0");
    assert_snapshot!(shown(&[2, 3, 4], &[0, 0, 1]), @"(6,4):(0,1)@0");
    assert_snapshot!(shown(&[2, 3, 4], &[3, 1, 0]), @"(6,4):(1,0)@0");
    assert_snapshot!(shown(&[2, 3, 4], &[0, 0, 0]), @"(24):(0)@0");
    // "minify": wherever the axes of size 1 stand.
    assert_snapshot!(layout(&[2, 1, 2], &[30, 0, 2], 7).coalesce(), @"(2,2):(30,2)@7");
    assert_snapshot!(layout(&[1, 2, 2, 1], &[9, 30, 2, 5], 7).coalesce(), @"(2,2):(30,2)@7");
}

#[test]
fn one_element_and_none() {
    assert_snapshot!(layout(&[1, 1], &[isize::MAX, isize::MIN], 3).coalesce(), @"():()@3");
    assert_snapshot!(layout(&[], &[], 3).coalesce(), @"():()@3");
    assert_snapshot!(layout(&[4, 0, 2], &[7, 7, 7], 3).coalesce(), @"(0):(1)@3");
    // A stride times a size past `isize` is not a stride that wraps.
    assert_snapshot!(layout(&[2, 2], &[1, isize::MAX - 1], 0).coalesce(), @"(2,2):(1,9223372036854775806)@0");
}
