//! What several tests share: layouts from parts, small scopes, random operands, and the naive walk.
#![allow(dead_code, reason = "each test binary uses a part of it")]

use proptest::prelude::*;
use weft_layout::Layout;

#[track_caller]
pub(crate) fn layout(shape: &[usize], strides: &[isize], offset: usize) -> Layout {
    Layout::from_parts(shape, strides, offset).unwrap()
}

/// The least offset that keeps every reachable one at 0 or above.
pub(crate) fn lowest_offset(shape: &[usize], strides: &[isize]) -> usize {
    let back = |(&size, &stride): (&usize, &isize)| {
        if stride < 0 { size.saturating_sub(1) * stride.unsigned_abs() } else { 0 }
    };
    shape.iter().zip(strides).map(back).sum()
}

/// Every offset tuple, by nested counting in row-major order.
pub(crate) fn naive<const K: usize>(operands: [&Layout; K]) -> Vec<[usize; K]> {
    let shape = operands[0].shape();
    let mut tuples = vec![[0isize; K]];
    for (k, at) in tuples[0].iter_mut().enumerate() {
        *at = operands[k].offset() as isize;
    }
    for (axis, &size) in shape.iter().enumerate() {
        tuples = tuples
            .into_iter()
            .flat_map(|at| {
                (0..size).map(move |i| core::array::from_fn(|k| at[k] + i as isize * operands[k].strides()[axis]))
            })
            .collect();
    }
    tuples.into_iter().map(|tuple| tuple.map(|offset| usize::try_from(offset).unwrap())).collect()
}

/// All pairs of layouts of rank 0 to 2 with sizes 0..=3 and strides -4..=4.
pub(crate) fn each_pair(mut f: impl FnMut(&Layout, &Layout)) {
    for rank in 0..=2u32 {
        for sizes in 0..4usize.pow(rank) {
            let shape: Vec<usize> = (0..rank).map(|axis| sizes / 4usize.pow(axis) % 4).collect();
            let all: Vec<Layout> = (0..9usize.pow(rank))
                .map(|code| {
                    let strides: Vec<isize> =
                        (0..rank).map(|axis| (code / 9usize.pow(axis) % 9) as isize - 4).collect();
                    layout(&shape, &strides, lowest_offset(&shape, &strides))
                })
                .collect();
            for a in &all {
                for b in &all {
                    f(a, b);
                }
            }
        }
    }
}

/// Operands of one random shape: fresh strides in random orders, or random ones, flipped and broadcast here and there.
pub(crate) fn any_operands<const K: usize>(max_rank: usize, max_size: usize) -> impl Strategy<Value = [Layout; K]> {
    (0..=max_rank).prop_flat_map(move |rank| {
        let size = prop_oneof![1 => Just(0), 4 => Just(1), 20 => 2..=max_size.max(2)];
        prop::collection::vec(size, rank).prop_flat_map(|shape| {
            let operands: [_; K] = core::array::from_fn(|_| operand(shape.clone()));
            operands
        })
    })
}

fn operand(shape: Vec<usize>) -> impl Strategy<Value = Layout> {
    let rank = shape.len();
    let order = prop_oneof![
        Just((0..rank).collect::<Vec<_>>()),
        Just((0..rank).rev().collect::<Vec<_>>()),
        Just((0..rank).collect::<Vec<_>>()).prop_shuffle(),
    ];
    let twist = prop_oneof![12 => Just(1isize), 2 => Just(-1), 2 => Just(0), 1 => Just(2), 1 => Just(-3)];
    let twists = prop_oneof![1 => Just(vec![1; rank]), 3 => prop::collection::vec(twist, rank)];
    (order, twists, 0usize..4).prop_map(move |(order, twists, extra)| {
        let fresh = Layout::with_order(&shape, &order).unwrap();
        let strides: Vec<isize> = fresh.strides().iter().zip(&twists).map(|(stride, twist)| stride * twist).collect();
        layout(&shape, &strides, lowest_offset(&shape, &strides) + extra)
    })
}
