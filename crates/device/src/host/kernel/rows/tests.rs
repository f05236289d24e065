//! Every row kernel against its naive twin: all tails, misaligned ends, strips, both ways of storing.
//!
//! Around what may be written lie guards, which are compared too. The source is an allocation that begins and ends with what may be
//! read, so that the address sanitizer sees a kernel that reads beyond.

use super::naive;
use crate::host::Isa;
use crate::host::kernel::{RowKernels, Store, Strip, Word};

const GUARD: usize = 192;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Formula {
    Copy,
    Reverse,
    Fill,
    Step(isize),
    Interleave(usize, isize),
    Deinterleave(usize, isize),
}

use Formula::*;

impl Formula {
    fn all(n: usize) -> Vec<Formula> {
        let mut all = vec![Copy, Reverse, Fill];
        all.extend((-5..=5).chain([17, -40]).map(Step));
        let apart = n as isize + 2;
        all.extend((2..=4).flat_map(|k| [Interleave(k, apart), Interleave(k, -apart), Interleave(k, apart + 30)]));
        all.extend(
            (2..=4).flat_map(|k| [Deinterleave(k, apart), Deinterleave(k, -apart), Deinterleave(k, apart + 30)]),
        );
        all
    }

    /// The lowest and the highest word of one row: of the destination, of the source.
    fn reach(self, n: usize) -> [[isize; 2]; 2] {
        let last = n as isize - 1;
        let between = |a: isize, b: isize| [a.min(b), a.max(b)];
        let planes = |k: usize, pitch: isize| {
            let far = (k as isize - 1) * pitch;
            [far.min(0), far.max(0) + last]
        };
        match self {
            Copy => [[0, last]; 2],
            Reverse => [[0, last], [-last, 0]],
            Fill => [[0, last], [0, 0]],
            Step(step) => [[0, last], between(0, step * last)],
            Interleave(k, pitch) => [[0, (last + 1) * k as isize - 1], planes(k, pitch)],
            Deinterleave(k, pitch) => [planes(k, pitch), [0, (last + 1) * k as isize - 1]],
        }
    }

    /// # Safety
    ///
    /// K1 to K4.
    unsafe fn run<W: Word>(
        self,
        kernels: &RowKernels<W>,
        dst: *mut u8,
        src: *const u8,
        n: usize,
        strip: Strip,
        store: Store,
    ) {
        let (dst, src) = (dst.cast(), src.cast());
        // SAFETY: the caller's.
        unsafe {
            match self {
                Copy => (kernels.copy)(dst, src, n, strip, store),
                Reverse => (kernels.reverse)(dst, src, n, strip, store),
                Fill => (kernels.fill)(dst, src, n, strip, store),
                Step(step) => (kernels.step)(dst, src, step, n, strip, store),
                Interleave(k, pitch) => (kernels.interleave)(dst, src, pitch, k, n, strip, store),
                Deinterleave(k, pitch) => (kernels.deinterleave)(dst, pitch, src, k, n, strip, store),
            }
        }
    }
}

/// Runs one formula on new buffers. `shift`: bytes by which the destination and the source are off.
fn compare<W: Word>(kernels: &RowKernels<W>, formula: Formula, n: usize, rows: usize, shift: [usize; 2], store: Store) {
    let [to, from] = formula.reach(n);
    let len = |[low, high]: [isize; 2]| high - low + 1;
    // The destination's rows one behind another with a gap, the source's in the other direction.
    let strip = Strip { rows, dst: len(to) + 3, src: -(len(from) + 1) };
    let far = rows as isize - 1;
    let (first, last) = (from[0] + far * strip.src, from[1]);
    let src_bytes = if n == 0 { 0 } else { (last - first + 1) as usize * W::BYTES };
    let mut seed = 1_u32;
    let src: Box<[u8]> = (0..shift[1] + src_bytes)
        .map(|_| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 24) as u8
        })
        .collect();
    let dst_bytes = (to[1] - to[0] + 1 + far * strip.dst) as usize * W::BYTES;
    // One line more, so that every shift is counted from a line.
    let mut got = vec![0xa5_u8; 2 * GUARD + 64 + 64 + dst_bytes];
    let mut expected = got.clone();
    let base = got.as_ptr().align_offset(64) + GUARD + shift[0];
    let at = |start: usize, words: isize| start.wrapping_add_signed(-words * W::BYTES as isize);
    // SAFETY: K1: the buffers have room for the reach of all rows; K2: the strips do not touch; K4: the caller's table.
    unsafe {
        let src = src.as_ptr().wrapping_add(at(shift[1], first));
        formula.run(kernels, got.as_mut_ptr().wrapping_add(at(base, to[0])), src, n, strip, store);
        #[cfg(target_arch = "x86_64")]
        core::arch::x86_64::_mm_sfence();
        formula.run(&naive::table::<W>(), expected.as_mut_ptr().wrapping_add(at(base, to[0])), src, n, strip, store);
    }
    if let Some(at) = (0..got.len()).find(|&at| got[at] != expected[at]) {
        let bytes = W::BYTES;
        let at = at as isize - base as isize;
        panic!("{formula:?}, {bytes}-byte words, {n} x {rows}, shifts {shift:?}, {store:?}: byte {at} is wrong");
    }
}

fn sweep<W: Word>(kernels: &RowKernels<W>) {
    let lanes = 32 / W::BYTES;
    let word = W::BYTES;
    // Longer than a stage, with several tails, and with streams that begin anywhere in a line.
    let long = [8192 / word, 4096 / word * 3 + 5, 5000 / word + 1];
    for n in (0..=4 * lanes + 3).chain(long) {
        for (k, formula) in Formula::all(n).into_iter().enumerate() {
            for (rows, shift) in [(1, [0, 0]), (1, [word, 3 * word]), (3, [1, 1]), (2, [64 - word, 0])] {
                compare(kernels, formula, n, rows, shift, Store::Cached);
                // Another shift for each, all of which come up.
                let shift = [(shift[0] + n * word + 7 * k) % 64, shift[1]];
                compare(kernels, formula, n, rows, shift, Store::Stream);
            }
        }
    }
    for shift in 0..64 {
        for formula in Formula::all(300) {
            compare(kernels, formula, 300, 1, [shift, 0], Store::Stream);
        }
    }
}

/// Rows in place stay as they are, however many moves overlap.
fn in_place<W: Word>(kernels: &RowKernels<W>) {
    for bytes in (0..300).chain([4096, 5008, 10000]) {
        let n = bytes / W::BYTES;
        let mut row: Vec<u8> = (0..n * W::BYTES).map(|at| (at % 251) as u8).collect();
        let before = row.clone();
        for store in [Store::Cached, Store::Stream] {
            let at: *mut W = row.as_mut_ptr().cast();
            // SAFETY: K1: `n` words; K2: each word is its own source; K4: the caller's table.
            unsafe { (kernels.copy)(at, at, n, Strip { rows: 1, dst: 0, src: 0 }, store) };
            assert!(row == before, "{n} words of {} bytes, {store:?}", W::BYTES);
        }
    }
}

fn check<W: Word>(isa: Isa) {
    if isa > Isa::best() {
        eprintln!("this CPU has no {isa:?}: its kernels are not compared");
        return;
    }
    let kernels = W::kernels(isa).rows;
    sweep(&kernels);
    in_place(&kernels);
}

macro_rules! tests {
    ($($name:ident: $word:ty, $isa:ident;)*) => {
        $(#[test]
        fn $name() {
            check::<$word>(Isa::$isa);
        })*
    };
}

tests! {
    avx2_1: u8, Avx2;
    avx2_2: u16, Avx2;
    avx2_4: u32, Avx2;
    avx2_8: u64, Avx2;
    avx2_16: u128, Avx2;
    portable_1: u8, Portable;
    portable_2: u16, Portable;
    portable_4: u32, Portable;
    portable_8: u64, Portable;
    portable_16: u128, Portable;
}
