//! Small scopes, all of them: every layout of rank up to 3 with sizes 0 to 4 and strides -6 to 6.
#![cfg(feature = "alloc")]
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use common::Table;
use common::facts::{check_blocks, check_canonical, check_span};
use weft_layout::Layout;

const SIZES: core::ops::RangeInclusive<usize> = 0..=4;
const STRIDES: core::ops::RangeInclusive<isize> = -6..=6;

/// Calls `f` with every layout of the scope of rank `ndim`, each as far to the front as it can be.
fn every_layout(ndim: usize, mut f: impl FnMut(&Layout)) -> usize {
    let all = |count: usize| {
        (0..count.pow(ndim as u32)).map(move |n| (0..ndim as u32).map(|d| n / count.pow(d) % count).collect())
    };
    let mut layouts = 0;
    for sizes in all(SIZES.count()) {
        let shape: Vec<usize> = Vec::into_iter(sizes).map(|i| SIZES.start() + i).collect();
        for strides in all(STRIDES.count()) {
            let strides: Vec<isize> = Vec::into_iter(strides).map(|i: usize| STRIDES.start() + i as isize).collect();
            let back = |(&size, &stride): (&usize, &isize)| size.saturating_sub(1) * stride.min(0).unsigned_abs();
            let back: usize = if shape.contains(&0) { 0 } else { shape.iter().zip(&strides).map(back).sum() };
            f(&Layout::from_parts(&shape, &strides, back).unwrap());
            layouts += 1;
            if back > 0 {
                assert!(
                    Layout::from_parts(&shape, &strides, back - 1).is_err(),
                    "{shape:?} {strides:?} from {}",
                    back - 1
                );
            }
        }
    }
    layouts
}

/// The facts of one layout by loops over its offsets: the twin without its allocations.
#[track_caller]
fn check(layout: &Layout) {
    let (shape, strides) = (layout.shape(), layout.strides());
    let at = |axis: usize| (shape.get(axis).copied().unwrap_or(1), strides.get(axis).copied().unwrap_or(0));
    let ((n0, s0), (n1, s1), (n2, s2)) = (at(0), at(1), at(2));
    let offset = |i: usize, j: usize, k: usize| {
        usize::try_from(layout.offset() as isize + i as isize * s0 + j as isize * s1 + k as isize * s2).unwrap()
    };
    let (mut rows, mut cols) = (Vec::with_capacity(64), Vec::with_capacity(64));
    for i in 0..n0 {
        for j in 0..n1 {
            rows.extend((0..n2).map(|k| offset(i, j, k)));
        }
    }
    for k in 0..n2 {
        for j in 0..n1 {
            cols.extend((0..n0).map(|i| offset(i, j, k)));
        }
    }
    let run = |offsets: &[usize]| offsets.windows(2).all(|pair| pair[1] == pair[0] + 1);
    assert_eq!(layout.is_contiguous(), run(&rows), "{layout}: is_contiguous");
    assert_eq!(layout.is_col_major(), run(&cols), "{layout}: is_col_major");
    cols.sort_unstable();
    assert_eq!(layout.is_dense(), run(&cols), "{layout}: is_dense");
    let still = shape.iter().zip(strides).any(|(&size, &stride)| size > 1 && stride == 0);
    assert_eq!(layout.is_broadcast(), still && !rows.is_empty(), "{layout}: is_broadcast");
    let mut walked = layout.offsets();
    assert!(rows.iter().all(|&at| walked.next() == Some(at)) && walked.next().is_none(), "{layout}: offsets");
    let table = Table { shape: shape.to_vec(), offsets: rows };
    check_span(layout, &table);
    check_blocks(layout, &table);
}

#[test]
fn every_small_layout() {
    let mut layouts = 0;
    for ndim in 0..=3 {
        layouts += every_layout(ndim, check);
    }
    assert_eq!(layouts, 1 + 65 + 65 * 65 + 65 * 65 * 65);
}

/// Canonical strides, over all layouts of rank 2 and those of rank 3 in which some axis cannot move.
#[test]
fn every_canonical_layout() {
    for ndim in 0..=3 {
        every_layout(ndim, |layout| {
            if ndim < 3 || layout.shape().iter().any(|&size| size < 2) {
                check_canonical(layout, &Table::of(layout));
            } else {
                assert_eq!(layout.canonical(), *layout, "nothing to change");
            }
        });
    }
}

/// Every reshape of every layout of rank 2 into every shape of rank 3 and less: a view exactly where strides exist.
#[test]
fn every_small_reshape() {
    let targets: Vec<Vec<usize>> = [1usize, 2, 3, 4, 6, 8, 12]
        .iter()
        .flat_map(|&a| [1usize, 2, 3, 4, 6].iter().map(move |&b| (a, b)))
        .flat_map(|(a, b)| [vec![a * b], vec![a, b], vec![b, a], vec![a, 1, b], vec![b, 2, a]])
        .collect();
    let (mut views, mut refusals) = (0, 0);
    every_layout(2, |layout| {
        if layout.shape().iter().any(|&size| size < 2) {
            return;
        }
        let table = Table::of(layout);
        for target in targets.iter().filter(|target| target.iter().product::<usize>() == layout.numel()) {
            let expected = Table { shape: target.clone(), offsets: table.offsets.clone() };
            match layout.reshape(target) {
                Ok(view) => {
                    assert_eq!(Table::of(&view), expected, "{layout} to {target:?}: {view}");
                    views += 1;
                }
                Err(error) => {
                    assert_eq!(expected.strides(), None, "{layout} to {target:?}: {error}");
                    refusals += 1;
                }
            }
        }
    });
    assert!(views > 1000 && refusals > 1000, "{views} views and {refusals} refusals");
}
