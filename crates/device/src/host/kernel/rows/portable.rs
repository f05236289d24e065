//! The rows for any CPU: loops over words with constant steps, which the compiler vectorises with what the target has.
//!
//! They know no stores around the caches: [`Store::Stream`] is [`Store::Cached`] here.

use super::short::{ends, short};
use crate::host::kernel::{RowKernels, Store, Strip, Word};

pub(in crate::host) fn table<W: Word>() -> RowKernels<W> {
    RowKernels {
        copy: copy::<W>,
        reverse: reverse::<W>,
        step: step::<W>,
        fill: fill::<W>,
        interleave: interleave::<W>,
        deinterleave: deinterleave::<W>,
    }
}

/// # Safety
///
/// K1 to K4.
unsafe fn copy<W: Word>(dst: *mut W, src: *const W, n: usize, strip: Strip, _: Store) {
    let bytes = n * W::BYTES;
    for_rows(dst, src, strip, |dst, src| match bytes {
        // SAFETY: K1 for this row, which shares nothing with its source or is in place (K2).
        ..64 => unsafe { short(dst.cast(), src.cast(), bytes) },
        // SAFETY: the same.
        64..=128 => unsafe { ends::<[u8; 64]>(dst.cast(), src.cast(), bytes) },
        // SAFETY: the same.
        _ => unsafe { core::ptr::copy(src.cast::<u8>(), dst.cast(), bytes) },
    });
}

/// # Safety
///
/// K1 to K4.
unsafe fn reverse<W: Word>(dst: *mut W, src: *const W, n: usize, strip: Strip, _: Store) {
    // SAFETY: K1.
    for_rows(dst, src, strip, |dst, src| unsafe { steps(dst, src, -1, n) });
}

/// # Safety
///
/// K1 to K4.
unsafe fn step<W: Word>(dst: *mut W, src: *const W, step: isize, n: usize, strip: Strip, _: Store) {
    // Steps that the compiler knows are those that it vectorises.
    for_rows(dst, src, strip, |dst, src| match step {
        // SAFETY: K1.
        2 => unsafe { steps(dst, src, 2, n) },
        // SAFETY: K1.
        3 => unsafe { steps(dst, src, 3, n) },
        // SAFETY: K1.
        4 => unsafe { steps(dst, src, 4, n) },
        // SAFETY: K1.
        -2 => unsafe { steps(dst, src, -2, n) },
        // SAFETY: K1.
        _ => unsafe { steps(dst, src, step, n) },
    });
}

/// # Safety
///
/// K1 to K4.
unsafe fn fill<W: Word>(dst: *mut W, src: *const W, n: usize, strip: Strip, _: Store) {
    for_rows(dst, src, strip, |dst, src| {
        if n == 0 {
            return;
        }
        // SAFETY: K1, K3: a row that is not empty reads its word.
        unsafe {
            let word = src.read_unaligned();
            for i in 0..n {
                dst.add(i).write_unaligned(word);
            }
        }
    });
}

/// # Safety
///
/// K1 to K4.
unsafe fn interleave<W: Word>(dst: *mut W, src: *const W, pitch: isize, k: usize, n: usize, strip: Strip, _: Store) {
    for_rows(dst, src, strip, |dst, src| match k {
        // SAFETY: K1.
        2 => unsafe { weave::<W, 2>(dst, [1, 2], src, [pitch, 1], n) },
        // SAFETY: K1.
        3 => unsafe { weave::<W, 3>(dst, [1, 3], src, [pitch, 1], n) },
        // SAFETY: K1.
        _ => unsafe { weave::<W, 4>(dst, [1, 4], src, [pitch, 1], n) },
    });
}

/// # Safety
///
/// K1 to K4.
unsafe fn deinterleave<W: Word>(dst: *mut W, pitch: isize, src: *const W, k: usize, n: usize, strip: Strip, _: Store) {
    for_rows(dst, src, strip, |dst, src| match k {
        // SAFETY: K1.
        2 => unsafe { weave::<W, 2>(dst, [pitch, 1], src, [1, 2], n) },
        // SAFETY: K1.
        3 => unsafe { weave::<W, 3>(dst, [pitch, 1], src, [1, 3], n) },
        // SAFETY: K1.
        _ => unsafe { weave::<W, 4>(dst, [pitch, 1], src, [1, 4], n) },
    });
}

/// Calls `row` with where each row of a strip begins.
#[inline(always)]
fn for_rows<W: Word>(dst: *mut W, src: *const W, strip: Strip, row: impl Fn(*mut W, *const W)) {
    let (mut dst, mut src) = (dst, src);
    for _ in 0..strip.rows {
        row(dst, src);
        // Behind the last row they may point anywhere, and are not used.
        (dst, src) = (dst.wrapping_offset(strip.dst), src.wrapping_offset(strip.src));
    }
}

/// # Safety
///
/// `n` words at `dst`, and one at every `step` words from `src` on; they share none.
#[inline(always)]
unsafe fn steps<W: Word>(dst: *mut W, src: *const W, step: isize, n: usize) {
    for i in 0..n {
        // SAFETY: the caller's; K3.
        unsafe { dst.add(i).write_unaligned(src.offset(i as isize * step).read_unaligned()) };
    }
}

/// `dst[c * to[0] + i * to[1]] = src[c * from[0] + i * from[1]]`.
///
/// # Safety
///
/// All these words, for `c < K` and `i < n`; they share none.
#[inline(always)]
unsafe fn weave<W: Word, const K: usize>(dst: *mut W, to: [isize; 2], src: *const W, from: [isize; 2], n: usize) {
    for i in 0..n as isize {
        let mut words = [W::default(); K];
        for (c, word) in words.iter_mut().enumerate() {
            // SAFETY: the caller's; K3.
            *word = unsafe { src.offset(c as isize * from[0] + i * from[1]).read_unaligned() };
        }
        for (c, word) in words.into_iter().enumerate() {
            // SAFETY: the caller's; K3.
            unsafe { dst.offset(c as isize * to[0] + i * to[1]).write_unaligned(word) };
        }
    }
}
