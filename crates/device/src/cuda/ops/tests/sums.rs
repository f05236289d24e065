//! Sums have the host's bits, for every type and every way of cutting them.

use weft_cuda_sim::exec::{Blocks, Check};
use weft_layout::{Layout, ReducePlan};

use super::super::accumulate::Cut;
use super::simulated::{FORMS, Random, Sample, Sim, assert_agree, for_every_element, moved, ordinary, samples};
use crate::cuda::desc::MAX_AXES;
use crate::element::arithmetic::Arithmetic;
use crate::{Buffer, Host, ops};

/// The sums of `src` into `dst` on the host and by kernels of both widths, which must have the word in their names.
#[track_caller]
fn check<T: Sample>(dst: &Layout, src: &Layout, seed: u64, kernel: &str) {
    check_of(dst, src, ordinary::<T>(seed, dst.span().end + 2), &ordinary::<T>(seed + 1, src.span().end), kernel);
}

#[track_caller]
fn check_of<T: Sample>(dst: &Layout, src: &Layout, before: Vec<T>, values: &[T], kernel: &str) {
    let (on_dst, on_src) = (Buffer::from_slice(&Host, &before).unwrap(), Buffer::from_slice(&Host, values).unwrap());
    let near = ReducePlan::new(dst, src).unwrap();
    // SAFETY: D5: `on_dst` is ours.
    unsafe { ops::accumulate(&near, on_dst.borrowed(), on_src.borrowed()).unwrap() };
    for (by, blocks) in FORMS {
        let mut sim = Sim::new(blocks);
        sim.seed = Some(values.len() as u64);
        let (dst_at, src_at) = (sim.upload(&before), sim.upload(values));
        let [to, from] = [dst_at, src_at].map(|at| at - by * size_of::<T>());
        let plan = ReducePlan::new(&moved(dst, by), &moved(src, by)).unwrap();
        for keep in plan.keep().peel(MAX_AXES) {
            let mut cut = Cut::new(&plan, &keep, T::DTYPE);
            let mut room = |cut: &Cut| sim.uninit((cut.partial_sums() * size_of::<<T as Arithmetic>::Sum>()).max(1));
            let mut partial = room(&cut);
            let mut launch = cut.first(&plan, &keep, T::DTYPE, [to, from, partial]);
            assert!(launch.entry.contains(kernel), "{launch} is not of {kernel}");
            sim.run(&mut launch);
            while let Some(next) = cut.next() {
                let mut room =
                    |cut: &Cut| sim.uninit((cut.partial_sums() * size_of::<<T as Arithmetic>::Sum>()).max(1));
                let left = room(&next);
                sim.run(&mut next.tree(&keep, T::DTYPE, [to, partial, left]));
                (cut, partial) = (next, left);
            }
        }
        let what = format!("{} of {} by {kernel}", near.reduce(), T::DTYPE);
        assert_agree(&sim.download::<T>(dst_at, before.len()), &on_dst.to_vec().unwrap(), &what);
    }
}

fn columns(rows: usize, columns: usize) -> [Layout; 2] {
    let dst = Layout::row_major([columns]).unwrap().broadcast_to([rows, columns]).unwrap();
    [dst, Layout::row_major([rows, columns]).unwrap()]
}

fn rows(rows: usize, columns: usize) -> [Layout; 2] {
    let dst = Layout::from_parts(&[rows, columns], &[2, 0], 1).unwrap();
    [dst, Layout::row_major([rows, columns]).unwrap()]
}

/// Zeros of both signs, infinities, NaN: in sums so short that not all is NaN.
#[test]
fn of_special_values() {
    fn check_special<T: Sample>([dst, src]: &[Layout; 2], seed: u64) {
        let (before, values) = (samples::<T>(seed, dst.span().end + 2), samples::<T>(seed + 1, src.span().end));
        check_of(dst, src, before, &values, "accumulate_");
    }
    for n in 1..4 {
        for_every_element!(check_special(&columns(n, 200), n as u64));
    }
}

#[test]
fn of_columns_by_threads() {
    for (seed, n) in [1, 2, 3, 15, 16, 17, 33, 48, 100, 255, 256, 257, 1000, 1023, 1024].into_iter().enumerate() {
        let [dst, src] = columns(n, 3);
        for_every_element!(check(&dst, &src, seed as u64 + 1, "accumulate_"));
    }
}

#[test]
fn of_long_columns_in_chunks() {
    for (seed, n) in [1025, 1279, 1280, 1281, 4097, 16_384, 17_000].into_iter().enumerate() {
        let [dst, src] = columns(n, 2);
        for_every_element!(check(&dst, &src, seed as u64 + 1, "accumulate_"));
    }
    // Two passes over partial sums, and chunks of every length.
    let [dst, src] = columns(40_000, 1);
    let backwards = src.flip([0]).unwrap();
    check::<f32>(&dst, &backwards, 3, "block");
    let [dst, src] = columns(40_000, 2);
    check::<f32>(&dst, &src, 3, "accumulate_f32");
}

#[test]
fn of_rows_by_blocks() {
    for (seed, n) in [512, 513, 1023, 1024, 1025, 2047, 2048, 4095, 4096, 4097, 8200].into_iter().enumerate() {
        let [dst, src] = rows(3, n);
        for_every_element!(check(&dst, &src, seed as u64 + 1, "block"));
    }
    let [dst, src] = rows(1, 300_000);
    check::<f32>(&dst, &src, 9, "block_f32");
    check::<crate::F16>(&dst, &src, 9, "block_f16");
}

#[test]
fn of_short_rows_by_threads() {
    for (seed, n) in [1, 5, 16, 40, 511].into_iter().enumerate() {
        let [dst, src] = rows(300, n);
        check::<f32>(&dst, &src, seed as u64 + 1, "accumulate_f32");
        check::<crate::Bf16>(&dst, &src, seed as u64 + 1, "accumulate_bf16");
    }
}

#[test]
fn along_several_axes_of_any_strides() {
    let mut random = Random(11);
    for case in 0..40 {
        let rank = 1 + random.below(5);
        let shape: Vec<usize> = (0..rank).map(|_| 1 + random.below(7)).collect();
        let dense = Layout::row_major(&shape[..]).unwrap();
        let kept: Vec<bool> = (0..rank).map(|_| random.below(2) == 0).collect();
        let to: Vec<isize> = dense.strides().iter().zip(&kept).map(|(&s, &keep)| if keep { s } else { 0 }).collect();
        let from: Vec<isize> = (0..rank).map(|_| random.below(13) as isize - 6).collect();
        let low: usize =
            shape.iter().zip(&from).map(|(&n, &s)| if s < 0 { (n - 1) * s.unsigned_abs() } else { 0 }).sum();
        let dst = Layout::from_parts(&shape, &to, 1).unwrap();
        let src = Layout::from_parts(&shape, &from, low).unwrap();
        for_every_element!(check(&dst, &src, case + 1, "accumulate_"));
    }
}

#[test]
fn along_more_axes_than_a_launch_takes() {
    // Summed over ten axes and kept along ten, none of which fuse.
    let apart = |n: u32| (0..n).map(|axis| 3isize.pow(n - 1 - axis)).collect::<Vec<_>>();
    let summed = Layout::from_parts(&[2; 10], &apart(10), 0).unwrap();
    let nowhere = Layout::from_parts(&[2; 10], &[0; 10], 0).unwrap();
    check::<f32>(&nowhere, &summed, 1, "block");
    check::<crate::C64>(&nowhere, &summed, 1, "block");
    let kept = Layout::from_parts(&[2; 10], &apart(10), 0).unwrap();
    check::<f32>(&kept, &summed, 2, "accumulate_f32");
}

/// The last chunk of a sum of more than 2^31 elements is the last round of block 0.
#[test]
fn of_more_than_2_to_the_31_elements() {
    const ELEMENTS: usize = (1 << 31) + 5;
    let src = Layout::row_major([ELEMENTS]).unwrap();
    let dst = Layout::from_parts(&[ELEMENTS], &[0], 0).unwrap();
    let plan = ReducePlan::new(&dst, &src).unwrap();
    let cut = Cut::new(&plan, plan.keep(), crate::DType::U8);
    let mut sim = Sim::new(u32::MAX);
    sim.unwritten = Check::Off;
    let (dst_at, src_at, partial) = (sim.upload(&[0u8]), sim.unbacked(ELEMENTS), sim.unbacked(cut.partial_sums()));
    sim.write(src_at + (1 << 31), &[1u8, 2, 3, 4, 5]);
    sim.blocks = Blocks::Only(vec![[0; 3]]);
    let mut launch = cut.first(&plan, plan.keep(), crate::DType::U8, [dst_at, src_at, partial]);
    assert_eq!(launch.to_string(), "weft_accumulate_block_u8_i64<<<65536, 256>>>");
    sim.run(&mut launch);
    assert_eq!(cut.partial_sums(), (1 << 19) + 1);
    assert_eq!(sim.download::<u8>(partial + (1 << 19), 1), [15]);
}
