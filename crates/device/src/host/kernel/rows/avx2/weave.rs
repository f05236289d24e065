//! `interleave` and `deinterleave`: each 16 bytes of the result are 2 to 4 shuffles, put together.
//!
//! The shuffles are constants, which the compiler turns into cheaper ones (unpack, blend) where there are some.

use core::marker::PhantomData;

use super::*;
use crate::host::kernel::Store;

/// # Safety
///
/// K1 to K4.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn interleave<W: Word>(
    dst: *mut W,
    src: *const W,
    pitch: isize,
    k: usize,
    n: usize,
    strip: Strip,
    store: Store,
) {
    // SAFETY: the caller's.
    unsafe {
        match k {
            2 => interleave_rows::<W, 2>(dst, src, pitch, n, strip, store),
            3 => interleave_rows::<W, 3>(dst, src, pitch, n, strip, store),
            _ => interleave_rows::<W, 4>(dst, src, pitch, n, strip, store),
        }
    }
}

/// # Safety
///
/// K1 to K4.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn deinterleave<W: Word>(
    dst: *mut W,
    pitch: isize,
    src: *const W,
    k: usize,
    n: usize,
    strip: Strip,
    store: Store,
) {
    // SAFETY: the caller's.
    unsafe {
        match k {
            2 => deinterleave_rows::<W, 2>(dst, pitch, src, n, strip, store),
            3 => deinterleave_rows::<W, 3>(dst, pitch, src, n, strip, store),
            _ => deinterleave_rows::<W, 4>(dst, pitch, src, n, strip, store),
        }
    }
}

/// Which byte of which vector comes where, half by half; 0x80 is "none of this vector".
type Masks = [[[u8; 16]; 4]; 4];

struct Shuffles<W, const K: usize>(PhantomData<W>);

impl<W: Word, const K: usize> Shuffles<W, K> {
    /// `[v][c]`: from 16 bytes of plane `c` to the `v`th 16 bytes of the result.
    const INTERLEAVE: Masks = {
        let mut masks = [[[0x80; 16]; 4]; 4];
        let mut byte = 0;
        while byte < 16 * K {
            let (word, within) = (byte / W::BYTES, byte % W::BYTES);
            masks[byte / 16][word % K][byte % 16] = (word / K * W::BYTES + within) as u8;
            byte += 1;
        }
        masks
    };

    /// `[c][v]`: from the `v`th 16 bytes of the source to 16 bytes of plane `c`.
    const DEINTERLEAVE: Masks = {
        let mut masks = [[[0x80; 16]; 4]; 4];
        let mut byte = 0;
        while byte < 16 * K {
            let (word, within) = (byte / W::BYTES, byte % W::BYTES);
            masks[word % K][byte / 16][word / K * W::BYTES + within] = (byte % 16) as u8;
            byte += 1;
        }
        masks
    };
}

/// All results, half by half: `result[i]` is put together from all `parts`.
#[inline]
#[target_feature(enable = "avx2")]
fn shuffle<const K: usize>(parts: &[__m256i; K], masks: &Masks) -> [__m256i; K] {
    let mut results = [_mm256_setzero_si256(); K];
    for i in 0..K {
        for k in 0..K {
            results[i] = _mm256_or_si256(results[i], _mm256_shuffle_epi8(parts[k], both_halves(&masks[i][k])));
        }
    }
    results
}

/// # Safety
///
/// K1 to K4.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn interleave_rows<W: Word, const K: usize>(
    dst: *mut W,
    src: *const W,
    pitch: isize,
    n: usize,
    strip: Strip,
    store: Store,
) {
    for_rows(dst, src, strip, |dst, src| {
        let mut planes = [src; K];
        for (c, plane) in planes.iter_mut().enumerate() {
            *plane = src.cast::<W>().wrapping_offset(c as isize * pitch).cast();
        }
        // SAFETY: K1 to K3, for this row.
        unsafe {
            if store == Store::Stream && n * K * W::BYTES >= STREAM_FROM {
                stage::rows([dst], n, K * W::BYTES, |[to], at, n| {
                    interleave_row::<W, K, true>(to, planes.map(|plane| plane.add(at * W::BYTES)), n);
                });
            } else {
                interleave_row::<W, K, false>(dst, planes, n);
            }
        }
    });
}

/// # Safety
///
/// `n` words at each of `src`, `K` times as many at `dst`; they share none.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn interleave_row<W: Word, const K: usize, const FETCH: bool>(dst: *mut u8, src: [*const u8; K], n: usize) {
    let lanes = VECTOR / W::BYTES;
    // SAFETY: the caller's, for the words from `at` to `at + lanes`.
    let block = |at: usize| unsafe {
        let mut planes = [_mm256_setzero_si256(); K];
        for c in 0..K {
            let from = src[c].add(at * W::BYTES);
            if FETCH {
                prefetch(from.wrapping_add(AHEAD));
            }
            planes[c] = load(from);
        }
        let woven = shuffle(&planes, &Shuffles::<W, K>::INTERLEAVE);
        // The result is all low halves, then all high ones.
        let to = dst.add(at * K * W::BYTES);
        for pair in 0..K {
            let (first, second) = (2 * pair, 2 * pair + 1);
            let (a, b) = (woven[first % K], woven[second % K]);
            let vector = match (first / K, second / K) {
                (0, 0) => _mm256_permute2x128_si256::<0x20>(a, b),
                (0, _) => _mm256_permute2x128_si256::<0x30>(a, b),
                _ => _mm256_permute2x128_si256::<0x31>(a, b),
            };
            put(to.add(pair * VECTOR), vector);
        }
    };
    if n < lanes {
        for at in 0..n {
            for (c, plane) in src.iter().enumerate() {
                // SAFETY: the caller's; K3.
                unsafe {
                    let word = plane.add(at * W::BYTES).cast::<W>().read_unaligned();
                    dst.add((at * K + c) * W::BYTES).cast::<W>().write_unaligned(word);
                }
            }
        }
        return;
    }
    let mut at = 0;
    while at + lanes < n {
        block(at);
        at += lanes;
    }
    block(n - lanes);
}

/// # Safety
///
/// K1 to K4.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn deinterleave_rows<W: Word, const K: usize>(
    dst: *mut W,
    pitch: isize,
    src: *const W,
    n: usize,
    strip: Strip,
    store: Store,
) {
    for_rows(dst, src, strip, |dst, src| {
        let mut planes = [dst; K];
        for (c, plane) in planes.iter_mut().enumerate() {
            *plane = dst.cast::<W>().wrapping_offset(c as isize * pitch).cast();
        }
        // SAFETY: K1 to K3, for this row.
        unsafe {
            if store == Store::Stream && n * W::BYTES >= STREAM_FROM {
                stage::rows(planes, n, W::BYTES, |to, at, n| {
                    deinterleave_row::<W, K, true>(to, src.add(at * K * W::BYTES), n);
                });
            } else {
                deinterleave_row::<W, K, false>(planes, src, n);
            }
        }
    });
}

/// # Safety
///
/// `n` words at each of `dst`, `K` times as many at `src`; they share none.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn deinterleave_row<W: Word, const K: usize, const FETCH: bool>(dst: [*mut u8; K], src: *const u8, n: usize) {
    let lanes = VECTOR / W::BYTES;
    // SAFETY: the caller's, for the words from `at` to `at + lanes`.
    let block = |at: usize| unsafe {
        let from = src.add(at * K * W::BYTES);
        let mut parts = [_mm256_setzero_si256(); K];
        for (v, part) in parts.iter_mut().enumerate() {
            if FETCH {
                prefetch(from.wrapping_add(AHEAD + v * VECTOR));
            }
            // Half the words of each plane come from the first half of the block.
            *part = load_halves(from.add(16 * v), from.add(16 * (K + v)));
        }
        let planes = shuffle(&parts, &Shuffles::<W, K>::DEINTERLEAVE);
        for c in 0..K {
            put(dst[c].add(at * W::BYTES), planes[c]);
        }
    };
    if n < lanes {
        for at in 0..n {
            for (c, plane) in dst.iter().enumerate() {
                // SAFETY: the caller's; K3.
                unsafe {
                    let word = src.add((at * K + c) * W::BYTES).cast::<W>().read_unaligned();
                    plane.add(at * W::BYTES).cast::<W>().write_unaligned(word);
                }
            }
        }
        return;
    }
    let mut at = 0;
    while at + lanes < n {
        block(at);
        at += lanes;
    }
    block(n - lanes);
}
