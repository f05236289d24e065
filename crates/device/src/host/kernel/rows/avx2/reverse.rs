//! `reverse`: a vector is turned round by one shuffle in its halves, which then change places.

use core::marker::PhantomData;

use super::*;
use crate::host::kernel::Store;

/// # Safety
///
/// K1 to K4.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn reverse<W: Word>(dst: *mut W, src: *const W, n: usize, strip: Strip, store: Store) {
    for_rows(dst, src, strip, |dst, src| {
        // SAFETY: K1 to K3, for this row.
        unsafe {
            if store == Store::Stream && n * W::BYTES >= STREAM_FROM {
                stage::rows([dst], n, W::BYTES, |[to], at, n| row::<W, true>(to, src.sub(at * W::BYTES), n));
            } else {
                row::<W, false>(dst, src, n);
            }
        }
    });
}

struct Mask<W>(PhantomData<W>);

impl<W: Word> Mask<W> {
    /// Turns 16 bytes round, word by word.
    const REVERSE: [u8; 16] = {
        let mut mask = [0; 16];
        let mut at = 0;
        while at < 16 {
            mask[at] = (16 - W::BYTES - at / W::BYTES * W::BYTES + at % W::BYTES) as u8;
            at += 1;
        }
        mask
    };
}

/// # Safety
///
/// `n` words at `dst`, and `n` that end with the one at `src`; they share none.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn row<W: Word, const FETCH: bool>(dst: *mut u8, src: *const u8, n: usize) {
    let lanes = VECTOR / W::BYTES;
    let mask = both_halves(&Mask::<W>::REVERSE);
    // SAFETY: the caller's, for the words from `at` to `at + lanes`.
    let block = |at: usize| unsafe {
        let from = src.sub((at + lanes - 1) * W::BYTES);
        if FETCH {
            prefetch(from.wrapping_sub(AHEAD));
        }
        let turned = _mm256_shuffle_epi8(load(from), mask);
        put(dst.add(at * W::BYTES), _mm256_permute4x64_epi64::<0b01_00_11_10>(turned));
    };
    if n < lanes {
        for at in 0..n {
            // SAFETY: the caller's; K3.
            unsafe {
                let word = src.sub(at * W::BYTES).cast::<W>().read_unaligned();
                dst.add(at * W::BYTES).cast::<W>().write_unaligned(word);
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
