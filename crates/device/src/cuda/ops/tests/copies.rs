//! Fills, copies and transpositions of every element size: tails, edges of tiles, narrow forms, flips, many axes, far ends.

use weft_cuda_sim::exec::{Blocks, Check};
use weft_layout::{Layout, Plan};

use super::super::launch::BLOCK;
use super::super::{copy, fill};
use super::simulated::{FORMS, Random, Sample, Sim, bytes_of, moved, samples};
use crate::cuda::desc::MAX_AXES;
use crate::element::F32x4;
use crate::{Buffer, Host, ops};

fn layout(shape: &[usize], strides: &[isize], offset: usize) -> Layout {
    Layout::from_parts(shape, strides, offset).unwrap()
}

/// Copies on the host and by kernels of both widths. The kernels that ran must have the word in their names.
#[track_caller]
fn check_copy<T: Sample>(to: &Layout, from: &Layout, kernel: &str) {
    let (before, values) = (samples::<T>(1, to.span().end + 3), samples::<T>(2, from.span().end));
    let (dst, src) = (Buffer::from_slice(&Host, &before).unwrap(), Buffer::from_slice(&Host, &values).unwrap());
    // SAFETY: D5: `dst` is ours, and no test writes an element twice.
    unsafe { ops::copy(&Plan::new([to, from]).unwrap(), dst.borrowed(), src.borrowed()).unwrap() };
    for (by, blocks) in FORMS {
        let mut sim = Sim::new(blocks);
        let (dst_at, src_at) = (sim.upload(&before), sim.upload(&values));
        let plan = Plan::new([&moved(to, by), &moved(from, by)]).unwrap();
        for part in plan.peel(MAX_AXES) {
            let size = size_of::<T>();
            let mut launch = copy::launch(&part, size, dst_at - by * size, src_at - by * size);
            assert!(launch.entry.contains(kernel), "{launch} is not of {kernel}");
            sim.run(&mut launch);
        }
        let copied = sim.download::<T>(dst_at, before.len());
        assert!(bytes_of(&copied) == bytes_of(&dst.to_vec().unwrap()), "{plan}: {copied:?} for {dst:?}");
    }
}

/// Every element size.
macro_rules! for_every_size {
    ($check:ident($($argument:expr),*)) => {{
        $check::<u8>($($argument),*);
        $check::<u16>($($argument),*);
        $check::<u32>($($argument),*);
        $check::<u64>($($argument),*);
        $check::<F32x4>($($argument),*);
    }};
}

#[test]
fn copies_of_any_length_end_where_they_should() {
    for n in [1, 2, 3, 15, 16, 17, 31, 32, 33, 255, 256, 257, 1000] {
        for (dst_offset, src_offset, stride) in [(0, 0, 1), (1, 1, 1), (2, 0, 1), (3, 8, 1), (0, 0, 2), (4, 0, 0)] {
            let to = layout(&[n], &[1], dst_offset);
            let from = layout(&[n], &[stride], src_offset);
            for_every_size!(check_copy(&to, &from, "copy"));
            for_every_size!(check_copy(&to, &from.flip([0]).unwrap(), "copy"));
        }
    }
}

#[test]
fn copies_of_any_strides_are_the_hosts() {
    let mut random = Random(7);
    for _ in 0..60 {
        let rank = 1 + random.below(5);
        let shape: Vec<usize> = (0..rank).map(|_| 1 + random.below(5)).collect();
        let mut order: Vec<usize> = (0..rank).collect();
        (1..rank).for_each(|i| order.swap(i, random.below(i + 1)));
        let dense = Layout::row_major(&order.iter().map(|&axis| shape[axis]).collect::<Vec<_>>()[..]).unwrap();
        let mut inverse = vec![0; rank];
        order.iter().enumerate().for_each(|(at, &axis)| inverse[axis] = at);
        let to = dense.permute(&inverse[..]).unwrap();
        let to = if random.below(2) == 0 { to.flip([random.below(rank)]).unwrap() } else { to };
        let strides: Vec<isize> = (0..rank).map(|_| random.below(9) as isize - 4).collect();
        let low: usize =
            shape.iter().zip(&strides).map(|(&n, &s)| if s < 0 { (n - 1) * s.unsigned_abs() } else { 0 }).sum();
        for_every_size!(check_copy(&to, &layout(&shape, &strides, low), "copy"));
    }
}

#[test]
fn transpositions_end_at_the_edges_of_tiles() {
    for (rows, columns) in [(16, 16), (31, 33), (32, 32), (33, 31), (64, 17), (65, 96)] {
        let to = layout(&[rows, columns], &[columns as isize + 1, 1], 2);
        let from = layout(&[rows, columns], &[1, rows as isize + 1], 1);
        for_every_size!(check_copy(&to, &from, "transpose"));
        for_every_size!(check_copy(&to, &from.flip([0]).unwrap(), "transpose"));
        for_every_size!(check_copy(&to, &from.flip([1]).unwrap(), "transpose"));
    }
}

#[test]
fn batches_of_transpositions_come_from_and_go_to_anywhere() {
    let to = Layout::row_major([2, 3, 17, 2, 35]).unwrap();
    let from = Layout::row_major([35, 3, 2, 2, 17]).unwrap().permute([3, 1, 4, 2, 0]).unwrap();
    for_every_size!(check_copy(&to, &from, "transpose"));
    let broadcast = Layout::row_major([35, 17]).unwrap().t().unwrap().broadcast_to([4, 17, 35]).unwrap();
    for_every_size!(check_copy(&Layout::row_major([4, 17, 35]).unwrap(), &broadcast, "transpose"));
}

#[test]
fn small_blocks_of_neighbours_are_transposed_as_larger_elements() {
    let to = Layout::row_major([20, 40, 2]).unwrap();
    let from = Layout::row_major([40, 20, 2]).unwrap().transpose(0, 1).unwrap();
    check_copy::<u8>(&to, &from, "transpose_b2");
    check_copy::<u16>(&to, &from, "transpose_b4");
    check_copy::<u32>(&to, &from, "transpose_b8");
    check_copy::<u64>(&to, &from, "transpose_b16");
}

#[test]
fn more_axes_than_a_launch_takes_are_peeled() {
    // Every axis apart from the others: nothing fuses.
    let shape = [2; 10];
    let strides: Vec<isize> = (0..10).map(|axis| 3isize.pow(9 - axis)).collect();
    let to = layout(&shape, &strides, 0);
    let from = Layout::row_major(shape).unwrap().reverse_axes();
    check_copy::<u16>(&to, &from, "copy");
    check_copy::<F32x4>(&to, &from, "copy");
}

#[test]
fn a_copy_onto_itself_changes_nothing() {
    let values = samples::<u32>(3, 40 * 40);
    for layout in [Layout::row_major([40, 40]).unwrap(), layout(&[20, 39], &[80, 1], 1)] {
        let mut sim = Sim::new(u32::MAX);
        let at = sim.upload(&values);
        sim.run(&mut copy::launch(&Plan::new([&layout, &layout]).unwrap(), 4, at, at));
        assert_eq!(sim.download::<u32>(at, values.len()), values);
    }
}

#[track_caller]
fn check_fill<T: Sample>(to: &Layout) {
    let (before, value) = (samples::<T>(1, to.span().end + 3), samples::<T>(5, 1)[0]);
    let dst = Buffer::from_slice(&Host, &before).unwrap();
    // SAFETY: D5: `dst` is ours.
    unsafe { ops::fill(&Plan::new([to]).unwrap(), dst.borrowed(), value).unwrap() };
    for (by, blocks) in FORMS {
        let mut sim = Sim::new(blocks);
        let at = sim.upload(&before);
        for part in Plan::new([&moved(to, by)]).unwrap().peel(MAX_AXES) {
            sim.run(&mut fill::launch(&part, bytes_of(&[value]), at - by * size_of::<T>()));
        }
        let filled = sim.download::<T>(at, before.len());
        assert!(bytes_of(&filled) == bytes_of(&dst.to_vec().unwrap()), "{to}: {filled:?} for {dst:?}");
    }
}

#[test]
fn fills_reach_every_element_of_their_layout_and_no_other() {
    for n in [1, 3, 16, 31, 33, 256, 257] {
        for offset in [0, 1, 2, 4, 8] {
            for_every_size!(check_fill(&layout(&[n], &[1], offset)));
            for_every_size!(check_fill(&layout(&[n], &[-3], 3 * (n - 1) + offset)));
        }
    }
    for_every_size!(check_fill(&layout(&[3, 5, 8], &[100, 16, 1], 4)));
    for_every_size!(check_fill(&layout(&[], &[], 2)));
    for_every_size!(check_fill(&layout(&[2; 10], &core::array::from_fn::<_, 10, _>(|i| 3isize.pow(9 - i as u32)), 0)));
}

/// The last step of a thread whose steps go past 2^31, with room for nothing behind it.
#[test]
fn the_far_end_of_more_than_2_to_the_31_elements_is_reached_and_not_passed() {
    const ELEMENTS: usize = (1 << 31) + 5;
    let all = layout(&[ELEMENTS], &[1], 0);
    let plan = Plan::new([&all, &all]).unwrap();
    let mut sim = Sim::new(u32::MAX);
    let (dst, src) = (sim.unbacked(ELEMENTS), sim.unbacked(ELEMENTS));
    let mut write = fill::launch(&Plan::new([&all]).unwrap(), &[7], src);
    let mut copy = copy::launch(&plan, 1, dst, src);
    assert_eq!(copy.to_string(), "weft_copy_b1_i64<<<65536, 256>>>");
    // Block 0 takes the five steps behind 2^31, and 128 rounds of others.
    for (blocks, first) in [([0, 0, 0], 0), ([65_535, 0, 0], 65_535 * BLOCK as usize)] {
        sim.blocks = Blocks::Only(vec![blocks]);
        sim.run(&mut write);
        sim.run(&mut copy);
        for round in [0, 1, 127] {
            let at = dst + first + round * 65_536 * BLOCK as usize;
            assert_eq!(sim.download::<u8>(at, BLOCK as usize), [7; BLOCK as usize]);
        }
    }
    assert_eq!(sim.download::<u8>(dst + (1 << 31), 5), [7; 5]);
}

/// The last tile of a matrix of more than 2^31 elements is the last round of one of the blocks.
#[test]
fn the_far_corner_of_a_huge_transposition_is_reached() {
    const SIDE: usize = 46_400;
    let (to, from) = (layout(&[SIDE, SIDE], &[SIDE as isize, 1], 0), layout(&[SIDE, SIDE], &[1, SIDE as isize], 0));
    let mut sim = Sim::new(u32::MAX);
    sim.unwritten = Check::Off;
    let (dst, src) = (sim.unbacked(SIDE * SIDE), sim.unbacked(SIDE * SIDE));
    sim.write(src + SIDE * SIDE - 3, &[1u8, 2, 3]);
    let mut launch = copy::launch(&Plan::new([&to, &from]).unwrap(), 1, dst, src);
    assert_eq!(launch.to_string(), "weft_transpose_b1_i64<<<65536, 32x8>>>");
    let tiles = (SIDE / 32) * (SIDE / 32);
    sim.blocks = Blocks::Only(vec![[(tiles as u32 - 1) % 65_536, 0, 0]]);
    sim.run(&mut launch);
    for (row, value) in [1u8, 2, 3].into_iter().enumerate() {
        let at = dst + (SIDE - 3 + row) * SIDE + SIDE - 1;
        assert_eq!(sim.download::<u8>(at, 1), [value]);
    }
}
