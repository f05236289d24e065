//! Reductions against their naive twin: one addition for each coordinate, in row-major order.
#![cfg(feature = "alloc")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![cfg(feature = "alloc")]

mod operands;

use std::collections::BTreeMap;

use insta::assert_snapshot;
use operands::{any_operands, each_pair, layout, naive};
use proptest::prelude::*;
use weft_layout::{IndexWidth, Layout, ReducePlan};

/// Every pair of offsets in the order of the plan: all of `reduce` for each of `keep`.
fn walk(plan: &ReducePlan) -> Vec<[usize; 2]> {
    let mut pairs = Vec::new();
    let moved = |at: usize, step: usize, stride: isize| at.wrapping_add_signed(step as isize * stride);
    plan.keep().for_each_run(|[dst, src], run| {
        for step in 0..run.size {
            let (dst, src) = (moved(dst, step, run.strides[0]), moved(src, step, run.strides[1]));
            plan.reduce().for_each_run(|[from], run| {
                pairs.extend((0..run.size).map(|step| [dst, src + moved(from, step, run.strides[0])]));
            });
        }
    });
    pairs
}

#[track_caller]
fn check(dst: &Layout, src: &Layout) {
    let plan = ReducePlan::new(dst, src).unwrap();
    let mut pairs = walk(&plan);
    let mut expected = naive([dst, src]);
    assert_eq!((plan.numel(), plan.is_empty()), (expected.len(), expected.is_empty()), "{dst} += {src}");
    for k in 0..2 {
        let reached = expected.iter().map(|pair| pair[k]);
        let span = reached.clone().min().map_or(0..0, |first| first..reached.max().unwrap() + 1);
        assert_eq!(plan.spans()[k], span, "operand {k} of {dst} += {src}");
    }
    // Each destination element of a plain destination is one stretch of the walk: the sum can stay in a register.
    assert!(plan.keep().axes().iter().all(|axis| axis.strides[0] > 0), "{plan:?}");
    assert!(plan.reduce().axes().iter().all(|axis| axis.strides[0] >= 0), "{plan:?}");

    pairs.sort_unstable();
    expected.sort_unstable();
    assert_eq!(pairs, expected, "{dst} += {src}");
}

#[test]
fn every_pair_of_rank_2_with_small_strides() {
    each_pair(check);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn random_pairs([dst, src] in any_operands::<2>(5, 4)) {
        check(&dst, &src);
    }

    /// The gradient of a broadcast, in numbers: what the naive loop adds, the plan adds.
    #[test]
    fn gradient_of_a_broadcast(
        [src] in any_operands::<1>(4, 4),
        stretched in prop::collection::vec(any::<bool>(), 4),
    ) {
        let shape: Vec<usize> = src.shape().iter().zip(&stretched).map(|(&n, &all)| if all { 1 } else { n }).collect();
        let grad = Layout::row_major(&shape).unwrap();
        let dst = grad.broadcast_to(src.shape()).unwrap();
        let mut sums = BTreeMap::<usize, usize>::new();
        for [to, from] in naive([&dst, &src]) {
            *sums.entry(to).or_default() += from * from + 1;
        }
        let mut planned = BTreeMap::<usize, usize>::new();
        for [to, from] in walk(&ReducePlan::new(&dst, &src).unwrap()) {
            *planned.entry(to).or_default() += from * from + 1;
        }
        prop_assert_eq!(planned, sums);
    }
}

#[test]
fn the_book_adds_up_to_four_and_eight() {
    let dst = Layout::row_major([3]).unwrap().broadcast_to([4, 3]).unwrap();
    let plan = ReducePlan::new(&dst, &Layout::row_major([4, 3]).unwrap()).unwrap();
    let mut grad = [0; 3];
    for expected in [[4, 4, 4], [8, 8, 8]] {
        for [to, _] in walk(&plan) {
            grad[to] += 1;
        }
        assert_eq!(grad, expected);
    }
}

#[track_caller]
fn shown(dst: &Layout, src: &Layout) -> String {
    let plan = ReducePlan::new(dst, src).unwrap();
    format!("{} over {}", plan.keep(), plan.reduce())
}

#[test]
fn worked_plans() {
    let (row, col) = (Layout::row_major([3, 4]).unwrap(), Layout::col_major([3, 4]).unwrap());
    let over_rows = Layout::row_major([4]).unwrap().broadcast_to([3, 4]).unwrap();
    let over_columns = Layout::row_major([3, 1]).unwrap().broadcast_to([3, 4]).unwrap();
    let scalar = Layout::row_major(()).unwrap().broadcast_to([3, 4]).unwrap();
    assert_snapshot!(shown(&over_rows, &row), @"(4):(1)@0;(1)@0 over (3):(4)@0");
    assert_snapshot!(shown(&over_columns, &row), @"(3):(1)@0;(4)@0 over (4):(1)@0");
    assert_snapshot!(shown(&scalar, &row), @"():()@0;()@0 over (12):(1)@0");
    // The sum follows the memory of the source, forwards.
    assert_snapshot!(shown(&scalar, &col), @"():()@0;()@0 over (12):(1)@0");
    assert_snapshot!(shown(&scalar, &row.flip([0, 1]).unwrap()), @"():()@0;()@0 over (12):(1)@0");
    assert_snapshot!(shown(&over_rows, &row.flip([0]).unwrap()), @"(4):(1)@0;(1)@0 over (3):(4)@0");
    assert_snapshot!(shown(&over_rows, &row.flip([1]).unwrap()), @"(4):(1)@0;(-1)@3 over (3):(4)@0");
    // Nothing to sum over: a plain addition.
    assert_snapshot!(shown(&row, &row), @"(12):(1)@0;(1)@0 over ():()@0");
    // The source repeats itself too.
    assert_snapshot!(shown(&over_rows, &over_rows), @"(4):(1)@0;(1)@0 over (3):(0)@0");
    assert_snapshot!(shown(&layout(&[0, 3], &[0, 1], 9), &layout(&[0, 3], &[3, 1], 9)), @"empty over empty");
}

#[test]
fn the_order_of_a_sum_is_the_documented_one() {
    // Reduced axes of source strides 0, 2, 12 and -1, sizes 2, 3, 2 and 2: 0 outermost, then 12, 2, 1 upwards.
    let dst = layout(&[2, 3, 2, 2], &[0; 4], 0);
    let src = layout(&[2, 3, 2, 2], &[0, 2, 12, -1], 1);
    let order: Vec<usize> = walk(&ReducePlan::new(&dst, &src).unwrap()).iter().map(|pair| pair[1]).collect();
    let half = [0, 1, 2, 3, 4, 5, 12, 13, 14, 15, 16, 17];
    assert_eq!(order, [half, half].concat());
}

#[test]
fn index_width_counts_the_whole_source() {
    let src = Layout::row_major([1 << 17, 1 << 14]).unwrap();
    let dst = Layout::row_major([1 << 14]).unwrap().broadcast_to([1 << 17, 1 << 14]).unwrap();
    let plan = ReducePlan::new(&dst, &src).unwrap();
    assert_eq!(plan.index_width(), IndexWidth::U32);
    // One element further, the kept axes alone still fit.
    let far = layout(&[1 << 17, 1 << 14], &[1 << 14, 1], 1);
    let plan = ReducePlan::new(&dst, &far).unwrap();
    assert_eq!((plan.keep().index_width(), plan.index_width()), (IndexWidth::U32, IndexWidth::U64));
}

#[test]
fn refusals() {
    let refused = |dst: &Layout, src: &Layout| ReducePlan::new(dst, src).unwrap_err().to_string();
    let (a, b) = (Layout::row_major([4, 3]).unwrap(), Layout::row_major([3]).unwrap());
    assert_snapshot!(refused(&b, &a), @"reduce_plan: operand 1 has 2 axes, operand 0 has 1");
    assert_snapshot!(refused(&a.t().unwrap(), &a), @"reduce_plan: operand 1 has size 4 on axis 0, operand 0 has 3");
}
