//! `step`: every second to fourth word in either direction by shuffles, the rest word by word.
//!
//! A block reads whole vectors, and with them words between the wanted ones. It never reads beyond the first and the last wanted
//! word of a row: a block begins at a wanted word and ends before the next one, and the last block of a row, which has no next one, is
//! shifted so that it ends at its last word.

use core::marker::PhantomData;

use super::*;
use crate::host::kernel::Store;

/// # Safety
///
/// K1 to K4.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn step<W: Word>(dst: *mut W, src: *const W, step: isize, n: usize, strip: Strip, store: Store) {
    // SAFETY: the caller's.
    unsafe {
        match step {
            2 => shuffled::<W, 2, false>(dst, src, n, strip, store),
            3 => shuffled::<W, 3, false>(dst, src, n, strip, store),
            4 => shuffled::<W, 4, false>(dst, src, n, strip, store),
            -2 => shuffled::<W, 2, true>(dst, src, n, strip, store),
            -3 => shuffled::<W, 3, true>(dst, src, n, strip, store),
            -4 => shuffled::<W, 4, true>(dst, src, n, strip, store),
            _ => gathered(dst, src, step, n, strip, store),
        }
    }
}

struct Shuffles<W, const K: usize, const BACK: bool, const LATE: bool>(PhantomData<W>);

impl<W: Word, const K: usize, const BACK: bool, const LATE: bool> Shuffles<W, K, BACK, LATE> {
    /// `[v]`: from the `v`th 16 bytes of `16 * K` to 16 bytes of every `K`th word, the last of each `K` when `LATE`, the first
    /// otherwise; backwards when `BACK`.
    const PICK: [[u8; 16]; 4] = {
        let mut masks = [[0x80; 16]; 4];
        let words = 16 / W::BYTES;
        let mut at = 0;
        while at < 16 {
            let word = at / W::BYTES;
            let word = if BACK { words - 1 - word } else { word };
            let from = (word * K + if LATE { K - 1 } else { 0 }) * W::BYTES + at % W::BYTES;
            masks[from / 16][at] = (from % 16) as u8;
            at += 1;
        }
        masks
    };
}

/// # Safety
///
/// K1 to K4.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn shuffled<W: Word, const K: usize, const BACK: bool>(
    dst: *mut W,
    src: *const W,
    n: usize,
    strip: Strip,
    store: Store,
) {
    let step = if BACK { -(K as isize) } else { K as isize };
    for_rows(dst, src, strip, |dst, src| {
        // SAFETY: K1 to K3, for this row.
        unsafe {
            if store == Store::Stream && n * W::BYTES >= STREAM_FROM {
                stage::rows([dst], n, W::BYTES, |[to], at, n| {
                    shuffled_row::<W, K, BACK, true>(to, src.offset(at as isize * step * W::BYTES as isize), n);
                });
            } else {
                shuffled_row::<W, K, BACK, false>(dst, src, n);
            }
        }
    });
}

/// # Safety
///
/// `n` words at `dst`; every `K`th of `n` words from `src` on, upwards or (`BACK`) downwards. They share none.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn shuffled_row<W: Word, const K: usize, const BACK: bool, const FETCH: bool>(
    dst: *mut u8,
    src: *const u8,
    n: usize,
) {
    let lanes = VECTOR / W::BYTES;
    let step = if BACK { -(K as isize) } else { K as isize } * W::BYTES as isize;
    if n <= lanes {
        for at in 0..n {
            // SAFETY: the caller's; K3.
            unsafe {
                let word = src.offset(at as isize * step).cast::<W>().read_unaligned();
                dst.add(at * W::BYTES).cast::<W>().write_unaligned(word);
            }
        }
        return;
    }
    // A block of `lanes * K` words must not pass the ends of the row. Upwards it begins at its first wanted word and passes its last
    // one by `K - 1`, before the next wanted one; downwards the same from the other end.
    let mut at = 0;
    // SAFETY: the caller's: another wanted word follows the block. `n > lanes`, so another one comes before the last block.
    unsafe {
        while at + lanes < n {
            block::<W, K, BACK, BACK, FETCH>(dst.add(at * W::BYTES), src.offset(at as isize * step));
            at += lanes;
        }
        let last = n - lanes;
        let (to, from) = (dst.add(last * W::BYTES), src.offset(last as isize * step));
        if BACK {
            block::<W, K, BACK, false, FETCH>(to, from);
        } else {
            block::<W, K, BACK, true, FETCH>(to, from);
        }
    }
}

/// A vector of words, the first of which is at `src`.
///
/// # Safety
///
/// A vector at `dst`; between the first and the last wanted word, and `K - 1` words on the side that `LATE` says (before the first in
/// memory when `LATE`, behind the last otherwise), words that can be read.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn block<W: Word, const K: usize, const BACK: bool, const LATE: bool, const FETCH: bool>(
    dst: *mut u8,
    src: *const u8,
) {
    let lanes = VECTOR / W::BYTES;
    // SAFETY: the caller's.
    unsafe {
        let lowest = if BACK { src.sub((lanes - 1) * K * W::BYTES) } else { src };
        let from = if LATE { lowest.sub((K - 1) * W::BYTES) } else { lowest };
        let mut picked = _mm256_setzero_si256();
        for v in 0..K {
            if FETCH {
                let ahead = v * VECTOR;
                prefetch(if BACK { from.wrapping_sub(AHEAD - ahead) } else { from.wrapping_add(AHEAD + ahead) });
            }
            let mask = both_halves(&Shuffles::<W, K, BACK, LATE>::PICK[v]);
            let (low, high) = (from.add(16 * v), from.add(16 * (K + v)));
            let part = if BACK { load_between(high, low) } else { load_between(low, high) };
            picked = _mm256_or_si256(picked, _mm256_shuffle_epi8(part, mask));
        }
        put(dst, picked);
    }
}

/// Two halves of a vector, some bytes of which belong to others.
///
/// These may be writing them right now, and a plain read would be a race by the rules of the language although no bit of what they
/// write is used. So it is the machine's load that is meant, and a debug build, which is what an address sanitizer looks at, reads.
///
/// # Safety
///
/// 16 bytes of each belong to one allocation, and those that are used can be read.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn load_between(low: *const u8, high: *const u8) -> __m256i {
    if cfg!(debug_assertions) {
        // SAFETY: the caller's; K3.
        return unsafe { load_halves(low, high) };
    }
    let halves: __m256i;
    // SAFETY: the caller's; the instructions read 16 bytes at any address and touch nothing but the register.
    unsafe {
        core::arch::asm!(
            "vmovdqu {halves:x}, xmmword ptr [{low}]",
            "vinserti128 {halves}, {halves}, xmmword ptr [{high}], 1",
            low = in(reg) low,
            high = in(reg) high,
            halves = out(ymm_reg) halves,
            options(pure, readonly, nostack, preserves_flags),
        );
    }
    halves
}

/// # Safety
///
/// K1 to K4.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn gathered<W: Word>(dst: *mut W, src: *const W, step: isize, n: usize, strip: Strip, store: Store) {
    let by = step * W::BYTES as isize;
    for_rows(dst, src, strip, |dst, src| {
        // SAFETY: K1 to K3, for this row.
        unsafe {
            if store == Store::Stream && n * W::BYTES >= STREAM_FROM {
                stage::rows([dst], n, W::BYTES, |[to], at, n| {
                    gathered_row::<W>(to, src.offset(at as isize * by), by, n);
                });
            } else {
                gathered_row::<W>(dst, src, by, n);
            }
        }
    });
}

/// # Safety
///
/// `n` words at `dst`, and one at every `by` bytes from `src` on; they share none.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn gathered_row<W: Word>(dst: *mut u8, src: *const u8, by: isize, n: usize) {
    for at in 0..n {
        // SAFETY: the caller's; K3.
        unsafe {
            let word = src.offset(at as isize * by).cast::<W>().read_unaligned();
            dst.add(at * W::BYTES).cast::<W>().write_unaligned(word);
        }
    }
}
