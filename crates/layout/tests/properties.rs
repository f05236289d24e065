//! Every operation against its naive twin on random layouts: the same table, or both refuse.
#![cfg(feature = "alloc")]
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use common::facts::{check_canonical, check_facts};
use common::random::{Dice, MOST, cases, layouts};
use common::{Table, coordinates, upholds_invariants};
use proptest::prelude::*;
use weft_layout::{Layout, broadcast_shapes};

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn facts_agree_with_the_table(layout in layouts()) {
        check_facts(&layout, &Table::of(&layout));
    }

    /// Several calls on each layout, so that every operation meets every kind of layout.
    #[test]
    fn each_view_agrees_with_the_twin(layout in layouts(), seed in any::<u64>()) {
        let (table, mut dice) = (Table::of(&layout), Dice(seed));
        for _ in 0..24 {
            let view = dice.view(layout.shape());
            let Some(outcome) = view.apply(&layout) else { continue };
            match (outcome, view.apply_naive(&table)) {
                (Ok(result), Some(expected)) => {
                    prop_assert_eq!(&Table::of(&result), &expected, "{} {:?} gives {}", layout, view, result);
                    upholds_invariants(&result);
                }
                (Err(_), None) => {}
                (Ok(result), None) => prop_assert!(false, "{layout} {view:?} gives {result}, should be refused"),
                (Err(error), Some(right)) => prop_assert!(false, "{layout} {view:?}: {error}, should be {right:?}"),
            }
        }
    }

    /// Ten operations one after the other, facts included: what a user's program does to one layout.
    #[test]
    fn chains_agree_with_the_twin(layout in layouts(), seeds in prop::collection::vec(any::<u64>(), 10)) {
        let (mut at, mut table) = (layout, None);
        for seed in seeds {
            let before = table.take().unwrap_or_else(|| Table::of(&at));
            let view = Dice(seed).view(at.shape());
            match (view.apply(&at), view.apply_naive(&before)) {
                (Some(Ok(result)), Some(expected)) => {
                    if expected.numel() > MOST {
                        return Ok(());
                    }
                    prop_assert_eq!(&Table::of(&result), &expected, "{} {:?} gives {}", at, view, result);
                    upholds_invariants(&result);
                    check_canonical(&result, &expected);
                    at = result;
                    table = Some(expected);
                }
                (Some(Err(_)) | None, None) => table = Some(before),
                (got, expected) => prop_assert!(false, "{at} {view:?}: {got:?}, should be {expected:?}"),
            }
        }
        check_facts(&at, &Table::of(&at));
    }

    /// Arguments from the ends of their types never panic, and what is accepted upholds the invariants.
    #[test]
    fn hostile_arguments_are_refused_or_right(layout in layouts(), seed in any::<u64>()) {
        let mut dice = Dice(seed);
        for _ in 0..40 {
            let view = dice.hostile_view(layout.ndim());
            if let Some(Ok(result)) = view.apply(&layout) {
                upholds_invariants(&result);
                let _ = (result.is_contiguous(), result.is_col_major(), result.is_dense(), result.canonical());
                prop_assert!(result.span().end <= isize::MAX as usize + 1);
                // Views read what was there before; only a recast counts in another unit.
                if !matches!(view, common::views::View::Recast(..)) && !result.is_empty() {
                    let (outer, inner) = (layout.span(), result.span());
                    prop_assert!(outer.start <= inner.start && inner.end <= outer.end, "{layout} {view:?}: {result}");
                }
            }
        }
    }

    /// Hostile parts: refused, or a layout that works.
    #[test]
    fn hostile_parts_are_refused_or_right(seed in any::<u64>()) {
        let mut dice = Dice(seed);
        let ndim = dice.index(4);
        let shape: Vec<usize> = (0..ndim).map(|_| dice.unsigned()).collect();
        let strides: Vec<isize> = (0..ndim).map(|_| dice.signed()).collect();
        let offset = dice.unsigned();
        let nonzero = shape.iter().filter(|&&size| size > 0);
        let numel = nonzero.map(|&size| size as i128).try_fold(1i128, i128::checked_mul);
        let most = isize::MAX as i128;
        let sizes_fit = numel.is_some_and(|numel| numel <= most);
        let reach = |sign: isize| -> i128 {
            let moves = shape.iter().zip(&strides).filter(|&(_, stride)| stride.signum() == sign);
            moves.map(|(&size, &stride)| (size as i128 - 1).saturating_mul(stride as i128)).fold(0, i128::saturating_add)
        };
        let offsets_fit = offset as i128 <= most
            && (shape.contains(&0) || offset as i128 + reach(-1) >= 0 && (offset as i128).saturating_add(reach(1)) <= most);
        let layout = Layout::from_parts(&shape, &strides, offset);
        prop_assert_eq!(layout.is_ok(), sizes_fit && offsets_fit, "{:?} {:?} {}: {:?}", shape, strides, offset, layout);
        prop_assert_eq!(Layout::row_major(&shape).is_ok(), sizes_fit);
        prop_assert_eq!(Layout::col_major(&shape).is_ok(), sizes_fit);
        if let Ok(layout) = layout {
            for _ in 0..8 {
                if let Some(Ok(result)) = dice.hostile_view(layout.ndim()).apply(&layout) {
                    upholds_invariants(&result);
                }
            }
        }
    }

    #[test]
    fn coordinates_and_linear_indices_agree(layout in layouts()) {
        let table = Table::of(&layout);
        for (k, coord) in coordinates(layout.shape()).iter().enumerate() {
            prop_assert_eq!(layout.offset_of(coord), Ok(table.offsets[k]));
            prop_assert_eq!(layout.offset_of_unchecked(coord), table.offsets[k]);
            prop_assert_eq!(layout.offset_of_linear(k), Ok(table.offsets[k]));
            prop_assert_eq!(&*layout.coords_of_linear(k).unwrap(), &coord[..]);
        }
        for k in [layout.numel(), usize::MAX] {
            prop_assert!(layout.offset_of_linear(k).is_err() && layout.coords_of_linear(k).is_err());
        }
        for axis in 0..layout.ndim() {
            let mut outside = vec![0; layout.ndim()];
            outside[axis] = layout.shape()[axis];
            prop_assert!(layout.offset_of(&outside).is_err());
        }
        prop_assert!(layout.offset_of(&vec![0; layout.ndim() + 1]).is_err());
    }

    /// `offsets()` by `next`, by `fold`, and by `fold` after some calls of `next`.
    #[test]
    fn offsets_iterate_in_every_way(layout in layouts(), taken in 0usize..40) {
        let table = Table::of(&layout);
        let mut by_next = vec![];
        let mut offsets = layout.offsets();
        prop_assert_eq!(offsets.len(), table.numel());
        while let Some(offset) = offsets.next() {
            by_next.push(offset);
            prop_assert_eq!(offsets.len() + by_next.len(), table.numel());
        }
        prop_assert_eq!(offsets.next(), None);
        prop_assert_eq!(&by_next, &table.offsets);
        let mut rest = layout.offsets();
        let mut split: Vec<usize> = rest.by_ref().take(taken).collect();
        rest.for_each(|offset| split.push(offset));
        prop_assert_eq!(&split, &table.offsets);
        prop_assert_eq!(&layout.into_offsets().collect::<Vec<_>>(), &table.offsets);
    }

    #[test]
    fn lines_touched_counts_each_line_once(
        layout in layouts(),
        line_bytes in prop_oneof![Just(64usize), Just(16), Just(1), 1usize..100],
        element_bytes in prop_oneof![Just(4usize), Just(8), Just(1), 1usize..20],
    ) {
        let expected = Table::of(&layout).lines_touched(line_bytes, element_bytes);
        prop_assert_eq!(layout.lines_touched(line_bytes, element_bytes), Ok(expected), "{}", layout);
    }

    /// Same map, by definition: the same shape and the same table.
    #[test]
    fn same_map_is_equality_of_tables(a in layouts(), axis in 0usize..5, stride in -9isize..=9, offset in 0usize..3) {
        let mut strides = a.strides().to_vec();
        if let Some(at) = strides.get_mut(axis) {
            *at = stride;
        }
        if let Ok(b) = Layout::from_parts(a.shape(), &strides, a.offset() + offset) {
            let same = Table::of(&a) == Table::of(&b);
            prop_assert!(a.same_map(&b) == same && b.same_map(&a) == same, "{a} and {b}: {same}");
        }
        prop_assert!(a.same_map(&a) && a == a.clone());
    }

    /// A copy plan, carried out on real buffers: the same elements in the same order, with as few copied as can be told.
    #[test]
    fn copy_plans_copy_the_right_elements(layout in layouts(), seed in any::<u64>()) {
        let (table, mut dice) = (Table::of(&layout), Dice(seed));
        for _ in 0..4 {
            let common::views::View::Reshape(to, _) = common::views::View::random_reshape(&mut dice, layout.shape()) else {
                unreachable!()
            };
            let Ok(plan) = layout.copy_plan(&to) else { continue };
            upholds_invariants(plan.source());
            upholds_invariants(plan.result());
            // What memory holds is its own address.
            let copied: Vec<usize> = plan.source().offsets().collect();
            prop_assert_eq!(copied.len(), plan.copied());
            prop_assert!(plan.result().fits(copied.len()).is_ok());
            let read: Vec<usize> = plan.result().offsets().map(|at| copied[at]).collect();
            prop_assert_eq!(&read, &table.offsets, "{} to {:?}", layout, to);
            // Every element that is read is copied, and without stride 0 nothing is saved.
            let mut distinct = table.offsets.clone();
            distinct.sort_unstable();
            distinct.dedup();
            prop_assert!(distinct.len() <= plan.copied() && plan.copied() <= table.numel().max(1));
            if !layout.is_broadcast() {
                prop_assert_eq!(plan.copied(), table.numel());
            }
            prop_assert!(plan.source().ndim() <= layout.ndim(), "{} for {}", plan.source(), layout);
            // The smallest copy: only the axes of the target along which something changes.
            let target = Table { shape: plan.result().shape().to_vec(), offsets: table.offsets.clone() };
            let changing = (0..target.ndim()).filter(|&axis| !target.stands_still(axis));
            let least = if layout.is_empty() { 0 } else { changing.map(|axis| target.shape[axis]).product() };
            prop_assert_eq!(plan.copied(), least, "{} to {}", layout, plan.result());
        }
    }

    /// Bytes and back is the identity, and the byte strides are the strides times the size.
    #[test]
    fn byte_strides_and_back(layout in layouts(), element_bytes in 1usize..20) {
        let layout = layout.canonical();
        let bytes = layout.byte_strides(element_bytes).unwrap();
        for (axis, &stride) in layout.strides().iter().enumerate() {
            prop_assert_eq!(bytes[axis], stride * element_bytes as isize);
        }
        let again = Layout::from_byte_strides(layout.shape(), &bytes, layout.offset() * element_bytes, element_bytes);
        prop_assert_eq!(again.as_ref(), Ok(&layout));
    }

    #[test]
    fn recast_and_back_is_the_same_map(layout in layouts(), ratio in 1usize..5) {
        if let Ok(small) = layout.recast(4 * ratio, 4) {
            let again = small.recast(4, 4 * ratio).unwrap();
            prop_assert!(again.same_map(&layout), "{layout} to {small} and back to {again}");
        }
    }

    /// Several shapes together, axis by axis: the one size that is not 1, and it must be one.
    #[test]
    fn broadcast_shapes_by_definition(shapes in prop::collection::vec(prop::collection::vec(0usize..4, 0..4), 0..4)) {
        let ndim = shapes.iter().map(Vec::len).max().unwrap_or(0);
        let mut expected = Some(vec![]);
        for axis in 0..ndim {
            let mut sizes: Vec<usize> =
                shapes.iter().filter_map(|shape| shape.get((axis + shape.len()).checked_sub(ndim)?).copied()).collect();
            sizes.retain(|&size| size != 1);
            sizes.dedup();
            let size = if sizes.is_empty() { 1 } else { sizes[0] };
            expected = if sizes.len() > 1 { None } else { expected.map(|shape| [&shape[..], &[size]].concat()) };
        }
        let borrowed: Vec<&[usize]> = shapes.iter().map(Vec::as_slice).collect();
        let got = broadcast_shapes(&borrowed).ok().map(|shape| shape.to_vec());
        prop_assert_eq!(&got, &expected);
        if let Some(shape) = got {
            for one in &shapes {
                prop_assert!(Layout::row_major(one).unwrap().broadcast_to(&shape).is_ok());
            }
        }
    }

    /// What changes nothing changes nothing: not the strides of axes that never move either.
    #[test]
    fn identities_are_literal(layout in layouts(), axis in 0usize..5) {
        let whole: Vec<usize> = (0..layout.ndim()).collect();
        prop_assert_eq!(layout.permute(&whole), Ok(layout.clone()));
        prop_assert_eq!(layout.broadcast_to(layout.shape()), Ok(layout.clone()));
        prop_assert_eq!(&layout.reverse_axes().reverse_axes(), &layout);
        prop_assert_eq!(layout.recast(4, 4), Ok(layout.clone()));
        prop_assert_eq!(layout.flip(&whole).and_then(|flipped| flipped.flip(&whole)), Ok(layout.clone()));
        if axis < layout.ndim() {
            prop_assert_eq!(layout.transpose(axis, axis), Ok(layout.clone()));
            prop_assert_eq!(layout.move_axis(axis, axis), Ok(layout.clone()));
            prop_assert_eq!(layout.unsqueeze(axis).and_then(|wider| wider.squeeze(axis)), Ok(layout.clone()));
            let there = layout.move_axis(axis, 0).unwrap();
            prop_assert_eq!(there.move_axis(0, axis), Ok(layout.clone()));
        }
    }

    /// Fresh layouts in any order are dense, and reading the axes in that order is one run.
    #[test]
    fn with_order_is_dense_in_that_order(shape in prop::collection::vec(0usize..5, 0..6), seed in any::<u64>()) {
        let mut order: Vec<usize> = (0..shape.len()).collect();
        Dice(seed).shuffle(&mut order);
        let layout = Layout::with_order(&shape, &order).unwrap();
        prop_assert!(layout.is_dense() && layout.permute(&order).unwrap().is_contiguous());
        prop_assert_eq!(layout.offset(), 0);
        // The product of max(size, 1) over the axes that come later in the order.
        for (place, &axis) in order.iter().enumerate() {
            let expected: usize = order[place + 1..].iter().map(|&later| shape[later].max(1)).product();
            prop_assert_eq!(layout.strides()[axis], expected as isize);
        }
        let forwards: Vec<usize> = (0..shape.len()).collect();
        prop_assert_eq!(Layout::with_order(&shape, &forwards), Layout::row_major(&shape));
        let backwards: Vec<usize> = (0..shape.len()).rev().collect();
        prop_assert_eq!(Layout::with_order(&shape, &backwards), Layout::col_major(&shape));
    }
}

/// Row-major of `[m,n]` transposed is col-major of `[n,m]`: the identity that BLAS and cuBLAS rest on.
#[test]
fn row_major_transposed_is_col_major() {
    for (m, n) in [(2, 3), (5, 1), (1, 7), (0, 4), (10, 20)] {
        assert_eq!(Layout::row_major([m, n]).unwrap().t(), Layout::col_major([n, m]));
    }
}

/// Ranks above the inline capacity spill to the heap and nothing else changes.
#[test]
fn rank_is_not_limited() {
    let layout = Layout::row_major([2; 12]).unwrap();
    check_facts(&layout, &Table::of(&layout));
    let backwards = layout.reverse_axes();
    assert_eq!(Ok(backwards.clone()), Layout::col_major([2; 12]));
    assert!(backwards.is_col_major() && !backwards.is_contiguous());
    assert_eq!(layout.reshape([4; 6]).unwrap().reshape([2; 12]), Ok(layout.clone()));
    assert_eq!(layout.flatten(0, -1), Layout::row_major([4096]));
    let deep = Layout::row_major([1; 100]).unwrap();
    assert_eq!(deep.squeeze_all().ndim(), 0);
    assert_eq!(deep.offsets().collect::<Vec<_>>(), [0]);
}
