//! Random plans, each on every way of running: instruction sets, stores, numbers of threads.

use core::num::NonZero;

use proptest::prelude::*;
use weft_layout::{Layout, Plan};

use super::super::choice::Choice;
use super::super::{by_element, run_words};
use crate::host::kernel::{Store, Word};
use crate::host::{Exec, Isa};

/// Bytes before and after everything that a copy may touch.
const GUARD: usize = 192;

/// An axis: its size, its place in the order of the destination, a gap behind it there, whether it is flipped, and how the
/// source moves along it.
#[derive(Clone, Copy, Debug)]
struct Axis {
    size: usize,
    key: u8,
    gap: usize,
    flip: bool,
    source: Source,
}

#[derive(Clone, Copy, Debug)]
enum Source {
    /// Dense in an order of its own, which makes transpositions.
    Dense {
        key: u8,
        gap: usize,
        flip: bool,
    },
    By(isize),
}

fn axes() -> impl Strategy<Value = Vec<Axis>> {
    let size = prop_oneof![4 => 1usize..5, 2 => 5usize..20, 1 => 20usize..70];
    let gap = || prop_oneof![6 => Just(0usize), 1 => 1usize..3];
    let dense = (0u8..8, gap(), prop::bool::weighted(0.2));
    let source = prop_oneof![
        8 => dense.prop_map(|(key, gap, flip)| Source::Dense { key, gap, flip }),
        1 => Just(Source::By(0)),
        1 => (-9isize..10).prop_map(Source::By),
    ];
    let axis = (size, 0u8..8, gap(), prop::bool::weighted(0.2), source);
    let axis = axis.prop_map(|(size, key, gap, flip, source)| Axis { size, key, gap, flip, source });
    prop::collection::vec(axis, 0..7).prop_map(|mut axes| {
        // Enough for several blocks of a kernel, few enough for thousands of cases.
        let mut numel = 1;
        for axis in &mut axes {
            axis.size = axis.size.min((30_000 / numel).max(1));
            numel *= axis.size;
        }
        axes
    })
}

/// Strides of axes packed in the order of their keys.
fn packed(axes: impl Iterator<Item = (usize, Option<(u8, usize, bool)>)> + Clone) -> Vec<Option<isize>> {
    let mut order: Vec<(u8, usize)> =
        axes.clone().enumerate().filter_map(|(at, (_, dense))| Some((dense?.0, at))).collect();
    order.sort_unstable();
    let axes: Vec<_> = axes.collect();
    let (mut strides, mut extent) = (vec![None; axes.len()], 1);
    for (_, at) in order {
        let (size, Some((_, gap, flip))) = axes[at] else { continue };
        extent += gap as isize;
        strides[at] = Some(if flip { -extent } else { extent });
        extent *= size as isize;
    }
    strides
}

/// A layout with these strides whose lowest offset is 0, and how many elements it spans.
fn placed(shape: &[usize], strides: &[isize]) -> (Layout, usize) {
    let moves = shape.iter().zip(strides).map(|(&size, &stride)| stride * (size as isize - 1));
    let (low, high) = moves.fold((0, 0), |(low, high), by| (low + by.min(0), high + by.max(0)));
    (Layout::from_parts(shape, strides, low.unsigned_abs()).unwrap(), (high - low) as usize + 1)
}

/// The plan, and how many elements the destination and the source span.
fn plan(axes: &[Axis]) -> (Plan<2>, [usize; 2]) {
    let shape: Vec<usize> = axes.iter().map(|axis| axis.size).collect();
    let dst = packed(axes.iter().map(|axis| (axis.size, Some((axis.key, axis.gap, axis.flip)))));
    let dst: Vec<isize> = dst.into_iter().map(Option::unwrap).collect();
    let dense = |axis: &Axis| match axis.source {
        Source::Dense { key, gap, flip } => Some((key, gap, flip)),
        Source::By(_) => None,
    };
    let src = packed(axes.iter().map(|axis| (axis.size, dense(axis))));
    let src: Vec<isize> = src
        .into_iter()
        .zip(axes)
        .map(|(stride, axis)| match axis.source {
            Source::By(by) => by,
            Source::Dense { .. } => stride.unwrap(),
        })
        .collect();
    let ((dst, dst_len), (src, src_len)) = (placed(&shape, &dst), placed(&shape, &src));
    (Plan::new([&dst, &src]).unwrap(), [dst_len, src_len])
}

/// `len` bytes that begin `at` bytes behind a multiple of 64, with guards of 0xA5 around them and no two equal neighbours in them.
struct Bytes {
    all: Vec<u8>,
    from: usize,
    len: usize,
}

impl Bytes {
    fn new(at: usize, len: usize, seed: u8) -> Bytes {
        let mut all = vec![0xA5; len + 2 * GUARD + 64];
        let from = GUARD + all[GUARD..].as_ptr().align_offset(64) + at % 64;
        for (i, byte) in all[from..from + len].iter_mut().enumerate() {
            *byte = (i as u8).wrapping_mul(31) ^ (i >> 8) as u8 ^ seed;
        }
        Bytes { all, from, len }
    }

    fn pointer<T>(&mut self) -> *mut T {
        self.all[self.from..].as_mut_ptr().cast()
    }

    fn inside(&self) -> &[u8] {
        &self.all[self.from..self.from + self.len]
    }

    fn guards_are_whole(&self) -> bool {
        let outside = self.all[..self.from].iter().chain(&self.all[self.from + self.len..]);
        outside.into_iter().all(|&byte| byte == 0xA5)
    }
}

fn check<T: Copy>(axes: &[Axis], misaligned: [usize; 2]) {
    let bytes = size_of::<T>();
    let (plan, lens) = plan(axes);
    // As far from a line as elements allow.
    let at = misaligned.map(|at| at * align_of::<T>());
    let mut src = Bytes::new(at[1], lens[1] * bytes, 0);
    let mut twin = Bytes::new(at[0], lens[0] * bytes, 0xFF);
    // SAFETY: the buffers have the plan's spans; the destination has no two coordinates at one element.
    unsafe { by_element::<T>(&plan, twin.pointer(), src.pointer()) };
    for isa in [Isa::Portable, Isa::best()] {
        for (store, threads) in [(Store::Cached, 1), (Store::Stream, 1), (Store::Cached, 2), (Store::Stream, 3)] {
            let exec = Exec { isa, threads: NonZero::<usize>::MIN };
            let choice = Choice::new(exec, &plan, bytes).unwrap().forced(store, threads);
            let mut dst = Bytes::new(at[0], lens[0] * bytes, 0xFF);
            // SAFETY: as above.
            unsafe {
                let (dst, src) = (dst.pointer::<T>(), src.pointer::<T>());
                match choice.word_bytes {
                    1 => run_words::<u8, T>(exec, &choice, dst, src),
                    2 => run_words::<u16, T>(exec, &choice, dst, src),
                    4 => run_words::<u32, T>(exec, &choice, dst, src),
                    8 => run_words::<u64, T>(exec, &choice, dst, src),
                    _ => run_words::<u128, T>(exec, &choice, dst, src),
                }
            }
            let what = || format!("{isa:?} {store:?} {threads} threads: {choice}\n{plan}\n{axes:?}");
            assert!(dst.guards_are_whole(), "a guard was written: {}", what());
            if dst.inside() != twin.inside() {
                let at = dst.inside().iter().zip(twin.inside()).position(|(a, b)| a != b);
                panic!("byte {at:?} differs: {}", what());
            }
        }
    }
}

#[derive(Clone, Copy)]
#[repr(transparent)]
struct Pair([f64; 2]);

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn every_word_size_copies_as_the_naive_twin(axes in axes(), misaligned in [0usize..64, 0usize..64]) {
        check::<u8>(&axes, misaligned);
        check::<u16>(&axes, misaligned);
        check::<u32>(&axes, misaligned);
        check::<u64>(&axes, misaligned);
        check::<Pair>(&axes, misaligned);
    }
}

#[test]
fn words_are_as_wide_as_their_names() {
    assert_eq!([u8::BYTES, u16::BYTES, u32::BYTES, u64::BYTES, u128::BYTES], [1, 2, 4, 8, 16]);
}
