//! Plans against their naive twin: a walk over all coordinates that adds up every operand's offset.
#![cfg(feature = "alloc")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![cfg(feature = "alloc")]

mod operands;

use insta::assert_snapshot;
use operands::{any_operands, each_pair, layout, lowest_offset, naive};
use proptest::prelude::*;
use weft_layout::{IndexWidth, Layout, Plan, PlanAxis};

/// Every tuple of the walk, in its order.
fn walk<const K: usize>(plan: &Plan<K>) -> Vec<[usize; K]> {
    let mut tuples = Vec::new();
    plan.for_each_run(|start, run| {
        for step in 0..run.size {
            tuples.push(core::array::from_fn(|k| start[k].wrapping_add_signed(run.strides[k] * step as isize)));
        }
    });
    tuples
}

fn sorted<const K: usize>(mut tuples: Vec<[usize; K]>) -> Vec<[usize; K]> {
    tuples.sort_unstable();
    tuples
}

/// The order that the documentation states, as a key that the standard library sorts by: innermost first.
fn key<const K: usize>(axis: &PlanAxis<K>) -> [u64; K] {
    axis.strides.map(|stride| if stride == 0 { u64::MAX } else { stride.unsigned_abs() as u64 })
}

/// Everything a plan promises, against the naive walk of its operands.
#[track_caller]
fn check<const K: usize>(operands: [&Layout; K]) {
    let plan = Plan::new(operands).unwrap();
    let tuples = walk(&plan);
    let expected = naive(operands);
    assert_eq!(sorted(tuples.clone()), sorted(expected.clone()), "{operands:?}");
    assert_eq!((plan.numel(), plan.is_empty()), (expected.len(), expected.is_empty()), "{operands:?}");

    for k in 0..K {
        let reached = expected.iter().map(|tuple| tuple[k]);
        let span = match (reached.clone().min(), reached.max()) {
            (Some(first), Some(last)) => first..last + 1,
            _ => 0..0,
        };
        assert_eq!(plan.spans()[k], span, "operand {k} of {operands:?}");
    }

    let axes = plan.axes();
    assert!(axes.iter().all(|axis| axis.size > 1), "{plan:?}");
    assert!(axes.is_sorted_by(|outer, inner| key(outer) >= key(inner)), "{plan:?}");
    assert!(axes.iter().all(|axis| axis.strides.iter().find(|&&s| s != 0).is_none_or(|&s| s > 0)), "{plan:?}");
    for pair in axes.windows(2) {
        let one_run = (0..K).all(|k| pair[0].strides[k] == pair[1].strides[k] * pair[1].size as isize);
        assert!(!one_run, "{plan:?} could fuse");
    }

    let unravel = plan.unravel();
    let unravelled: Vec<_> = (0..plan.numel()).map(|step| unravel.offsets(step)).collect();
    assert_eq!(unravelled, tuples, "unravel of {plan:?}");

    for max_axes in 0..=axes.len() {
        let parts = plan.peel(max_axes);
        assert_eq!(parts.len(), parts.clone().count());
        let mut peeled = Vec::new();
        for part in parts {
            assert!(part.axes().len() <= max_axes, "{part:?}");
            assert!((0..K).all(|k| {
                let (part, whole) = (&part.spans()[k], &plan.spans()[k]);
                whole.start <= part.start && part.end <= whole.end
            }));
            let visited = walk(&part);
            assert_eq!(part.numel(), visited.len());
            for k in 0..K {
                let reached = visited.iter().map(|tuple| tuple[k]);
                assert_eq!(reached.clone().min(), Some(part.spans()[k].start));
                assert_eq!(reached.max(), Some(part.spans()[k].end - 1));
            }
            peeled.extend(visited);
        }
        assert_eq!(peeled, tuples, "peel({max_axes}) of {plan:?}");
    }
}

#[test]
fn every_pair_of_rank_2_with_small_strides() {
    each_pair(|a, b| check([a, b]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn one_operand(operands in any_operands::<1>(5, 4)) {
        check(operands.each_ref());
    }

    #[test]
    fn two_operands(operands in any_operands::<2>(4, 4)) {
        check(operands.each_ref());
    }

    #[test]
    fn three_operands(operands in any_operands::<3>(4, 3)) {
        check(operands.each_ref());
    }

    /// Sizes of 2 keep many axes walkable: more than the eight that live inline, and more than fuse.
    #[test]
    fn many_axes(operands in any_operands::<2>(11, 2)) {
        check(operands.each_ref());
    }

    /// The order of the operands' axes does not matter where the destination is a plain one.
    #[test]
    fn permuted_operands_have_one_plan(
        (shape, order, src_order, shuffle) in (0usize..=6).prop_flat_map(|rank| {
            let axes = Just((0..rank).collect::<Vec<_>>());
            (
                prop::collection::vec(1usize..4, rank),
                axes.clone().prop_shuffle(),
                axes.clone().prop_shuffle(),
                axes.prop_shuffle(),
            )
        })
    ) {
        let dst = Layout::with_order(&shape, &order).unwrap();
        let src = Layout::with_order(&shape, &src_order).unwrap();
        let plan = Plan::new([&dst, &src]).unwrap();
        let permuted = Plan::new([&dst.permute(&shuffle).unwrap(), &src.permute(&shuffle).unwrap()]).unwrap();
        prop_assert_eq!(plan, permuted);
    }

    /// A plan is a fixed point: planning its own axes changes nothing.
    #[test]
    fn planning_a_plan_changes_nothing(operands in any_operands::<2>(4, 4)) {
        let plan = Plan::new(operands.each_ref()).unwrap();
        prop_assume!(!plan.is_empty());
        let shape: Vec<usize> = plan.axes().iter().map(|axis| axis.size).collect();
        let again: [Layout; 2] = core::array::from_fn(|k| {
            let strides: Vec<isize> = plan.axes().iter().map(|axis| axis.strides[k]).collect();
            Layout::from_parts(&shape, &strides, plan.offsets()[k]).unwrap()
        });
        prop_assert_eq!(Plan::new(again.each_ref()).unwrap(), plan);
    }

    /// The width is usable: every access it promises is aligned to its own size. And it is the widest for aligned buffers.
    #[test]
    fn vector_width_is_aligned(
        operands in any_operands::<2>(3, 9),
        logs in [0u32..5, 0u32..5],
        align_logs in [0u32..6, 0u32..6],
        scale in 0u32..3,
    ) {
        // Strides and offsets times 4, say, make wide accesses likely; the last axis keeps its unit stride.
        let operands = operands.map(|operand| {
            let mut strides: Vec<isize> = operand.strides().iter().map(|stride| stride << scale).collect();
            if let Some(last) = strides.last_mut() {
                *last = 1;
            }
            let offset = lowest_offset(operand.shape(), &strides) + ((operand.offset() % 3) << scale);
            layout(operand.shape(), &strides, offset)
        });
        let plan = Plan::new(operands.each_ref()).unwrap();
        let bytes = logs.map(|log| 1usize << log);
        let align = align_logs.map(|log| 1usize << log);
        let width = plan.vector_width(bytes, align);
        let usable = |width: usize| {
            let mut usable = true;
            plan.for_each_run(|start, run| {
                for k in 0..2 {
                    let access = width * bytes[k];
                    usable &= run.size % width == 0 && access <= 16 && (width == 1 || run.strides[k] == 1);
                    for step in (0..run.size).step_by(width) {
                        let offset = start[k].wrapping_add_signed(run.strides[k] * step as isize);
                        // The odd multiple: the worst address with this alignment.
                        usable &= width == 1 || (3 * align[k] + offset * bytes[k]).is_multiple_of(access);
                    }
                }
            });
            usable
        };
        prop_assert!(width.is_power_of_two());
        prop_assert!(usable(width) || (width == 1 && plan.is_empty()), "{} {}", plan, width);
        if !plan.is_empty() && (0..2).all(|k| align[k] >= 16) {
            prop_assert!(!usable(2 * width), "{} could go {}", plan, 2 * width);
        }
    }
}

#[track_caller]
fn shown<const K: usize>(operands: [&Layout; K]) -> String {
    Plan::new(operands).unwrap().to_string()
}

#[test]
fn numpy_nditer_coalescing() {
    // NumPy's test_iter_no_inner_dim_coalescing: an axis cut short fuses with what is inside it only.
    assert_snapshot!(shown([&layout(&[2, 3, 3], &[12, 4, 1], 0)]), @"(6,3):(4,1)@0");
    assert_snapshot!(shown([&layout(&[2, 2, 4], &[12, 4, 1], 0)]), @"(2,8):(12,1)@0");
    assert_snapshot!(shown([&layout(&[1, 3, 4], &[12, 4, 1], 0)]), @"(12):(1)@0");
    let ones = Layout::row_major([1, 1, 2, 1, 1, 3, 1, 1, 4, 1, 1]).unwrap();
    assert_snapshot!(shown([&ones]), @"(24):(1)@0");
    // Reversed along any of its axes, and permuted, a dense array is one run.
    for flips in 0..8 {
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let (mut strides, mut offset) = ([12, 4, 1], 0);
            for axis in (0..3).filter(|axis| flips >> axis & 1 == 1) {
                offset += strides[axis] as usize * ([2, 3, 4][axis] - 1);
                strides[axis] = -strides[axis];
            }
            let dense = layout(&[2, 3, 4], &strides, offset).permute(order).unwrap();
            assert_eq!(shown([&dense]), "(24):(1)@0");
            assert_eq!(shown([&dense, &dense]), "(24):(1)@0;(1)@0");
        }
    }
}

#[test]
fn worked_plans() {
    let (row, col) = (Layout::row_major([3, 4]).unwrap(), Layout::col_major([3, 4]).unwrap());
    assert_snapshot!(shown([&row, &row]), @"(12):(1)@0;(1)@0");
    assert_snapshot!(shown([&col, &col]), @"(12):(1)@0;(1)@0");
    assert_snapshot!(shown([&row, &col]), @"(3,4):(4,1)@0;(1,3)@0");
    assert_snapshot!(shown([&col, &row]), @"(4,3):(3,1)@0;(1,4)@0");
    // A broadcast source: 0 is infinitely large, and the destination decides anyway.
    assert_snapshot!(shown([&row, &layout(&[3, 4], &[0, 1], 0)]), @"(3,4):(4,1)@0;(0,1)@0");
    assert_snapshot!(shown([&row, &layout(&[3, 4], &[0, 0], 5)]), @"(12):(1)@0;(0)@5");
    // Both backwards is forwards; one backwards keeps the destination forwards.
    assert_snapshot!(shown([&layout(&[4], &[-1], 3), &layout(&[4], &[-2], 6)]), @"(4):(1)@0;(2)@0");
    assert_snapshot!(shown([&layout(&[4], &[-1], 3), &layout(&[4], &[1], 0)]), @"(4):(1)@0;(-1)@3");
    assert_snapshot!(shown([&layout(&[4], &[1], 0), &layout(&[4], &[-1], 3)]), @"(4):(1)@0;(-1)@3");
    assert_snapshot!(shown([&layout(&[2, 3], &[-3, 1], 3), &layout(&[2, 3], &[3, -1], 2)]), @"(6):(1)@0;(-1)@5");
    // The destination that does not move has no opinion; the source breaks the tie.
    assert_snapshot!(shown([&layout(&[3, 4], &[0, 0], 0), &layout(&[3, 4], &[1, 3], 0)]), @"(12):(0)@0;(1)@0");
    // Windows: equal strides keep the order of the axes.
    assert_snapshot!(shown([&layout(&[4, 3], &[1, 1], 0)]), @"(4,3):(1,1)@0");
    assert_snapshot!(shown([&layout(&[3, 4], &[1, 1], 0)]), @"(3,4):(1,1)@0");
    // One element, none, rank 0.
    assert_snapshot!(shown([&layout(&[1, 1], &[isize::MAX, isize::MIN], 7)]), @"():()@7");
    assert_snapshot!(shown([&layout(&[], &[], 7)]), @"():()@7");
    assert_snapshot!(shown([&layout(&[3, 0], &[isize::MAX, isize::MIN], 7)]), @"empty");
}

#[test]
fn attention_heads() {
    // (batch, position, head, feature) swapped to (batch, head, position, feature), copied.
    let dst = Layout::row_major([2, 10, 4, 16]).unwrap();
    let src = layout(&[2, 10, 4, 16], &[640, 16, 160, 1], 0);
    assert_snapshot!(shown([&dst, &src]), @"(2,10,4,16):(640,64,16,1)@0;(640,16,160,1)@0");
    assert_eq!(Plan::new([&dst, &src]).unwrap().vector_width([4, 4], [256, 256]), 4);
}

#[test]
fn refusals() {
    let refused = |operands: [&Layout; 3]| Plan::new(operands).unwrap_err().to_string();
    let a = Layout::row_major([2, 3, 4]).unwrap();
    assert_snapshot!(refused([&a, &a, &Layout::row_major([2, 5, 6]).unwrap()]), @"plan: operand 2 has size 5 on axis 1, operand 0 has 3");
    assert_snapshot!(refused([&a, &Layout::row_major([2, 3]).unwrap(), &a]), @"plan: operand 1 has 2 axes, operand 0 has 3");
    assert_snapshot!(refused([&a, &Layout::row_major(()).unwrap(), &a]), @"plan: operand 1 has 0 axes, operand 0 has 3");
    assert_snapshot!(refused([&a, &Layout::row_major([5, 3]).unwrap(), &a]), @"plan: operand 1 has 2 axes, operand 0 has 3");
    // An empty operand is no excuse for a wrong shape.
    assert_snapshot!(refused([&Layout::row_major([0, 3]).unwrap(), &Layout::row_major([0, 4]).unwrap(), &a]), @"plan: operand 1 has size 4 on axis 1, operand 0 has 3");
}

#[track_caller]
fn width(shape: &[usize], strides: &[isize], offset: usize) -> IndexWidth {
    Plan::new([&layout(shape, strides, offset)]).unwrap().index_width()
}

#[test]
fn index_width_at_both_ends() {
    use IndexWidth::{U32, U64};
    // NVIDIA/cutlass#3604: row 536870912 of stride 4 is 2^31 elements in.
    assert_eq!(width(&[536_870_913, 4], &[4, 1], 0), U64);
    assert_eq!(width(&[536_870_912, 4], &[4, 1], 0), U32);
    // FlagGems#4153: the last offset of (131072,16384) is i32::MAX.
    assert_eq!(width(&[131_072, 16_384], &[16_384, 1], 0), U32);
    assert_eq!(width(&[131_072, 16_384], &[16_384, 1], 1), U64);
    assert_eq!(width(&[4_194_305, 512], &[512, 1], 0), U64);
    assert_eq!(width(&[16_385], &[131_072], 0), U64);
    // NVIDIA/cutlass#3327: a huge stride of an axis that never moves decides nothing.
    assert_eq!(width(&[1, 16, 8, 64], &[1 << 40, 512, 64, 1], 0), U32);
    // Backwards, the offset is the far end.
    assert_eq!(width(&[2, 3], &[-((1 << 31) - 3), 1], (1 << 31) - 3), U32);
    assert_eq!(width(&[2, 3], &[-((1 << 31) - 2), 1], (1 << 31) - 2), U64);
    // Few offsets, too many steps; one operand decides for all.
    assert_eq!(width(&[1 << 16, 1 << 15], &[0, 0], 0), U32);
    assert_eq!(width(&[(1 << 16) + 1, 1 << 15], &[0, 0], 0), U64);
    let (near, far) = (layout(&[4], &[1], 0), layout(&[4], &[1 << 30], 0));
    assert_eq!(Plan::new([&near, &far]).unwrap().index_width(), U64);
    assert_eq!(Plan::new([&near, &near]).unwrap().index_width(), U32);
    assert_eq!(width(&[0, 1 << 40], &[1, 1], 1 << 50), U32);
}

#[test]
fn vector_width_by_hand() {
    let l = Layout::row_major([8, 24]).unwrap();
    let part = |layout: &Layout, bytes, align| Plan::new([layout]).unwrap().vector_width([bytes], [align]);
    assert_eq!([1, 2, 4, 8, 16].map(|bytes| part(&l, bytes, 256)), [16, 8, 4, 2, 1]);
    assert_eq!([1, 2, 4, 8, 16, 32].map(|align| part(&l, 4, align)), [1, 1, 1, 2, 4, 4]);
    // An address serves as its own alignment.
    assert_eq!([0x7f00, 0x7f08, 0x7f0c].map(|address| part(&l, 4, address)), [4, 2, 1]);
    // Offset, inner size, outer stride.
    assert_eq!(part(&layout(&[8, 24], &[24, 1], 2), 4, 256), 2);
    assert_eq!(part(&layout(&[8, 22], &[24, 1], 0), 4, 256), 2);
    assert_eq!(part(&layout(&[8, 24], &[26, 1], 0), 4, 256), 2);
    assert_eq!(part(&layout(&[8, 24], &[25, 1], 0), 4, 256), 1);
    // No unit stride, one element, no element, a size that is no power of two.
    assert_eq!(part(&layout(&[8, 24], &[48, 2], 0), 4, 256), 1);
    assert_eq!(part(&layout(&[], &[], 0), 4, 256), 1);
    assert_eq!(part(&layout(&[0], &[1], 0), 4, 256), 1);
    assert_eq!(part(&l, 12, 256), 1);
    assert_eq!(part(&l, 0, 256), 1);
    assert_eq!(part(&l, 32, 256), 1);
    // A broadcast scalar is not vectorised, a broadcast row is. The wider element decides.
    let pair = |src: &Layout, bytes| Plan::new([&l, src]).unwrap().vector_width(bytes, [256, 256]);
    assert_eq!(pair(&layout(&[8, 24], &[0, 0], 0), [4, 4]), 1);
    assert_eq!(pair(&layout(&[8, 24], &[0, 1], 0), [4, 4]), 4);
    assert_eq!(pair(&l, [2, 8]), 2);
    // vllm PR#40737: the stray stride of an axis of size 1 costs nothing.
    assert_eq!(part(&layout(&[8, 1, 16, 64], &[1024, 1, 64, 1], 0), 2, 16), 8);
}
