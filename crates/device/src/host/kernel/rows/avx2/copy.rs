//! `copy`: whole vectors, with overlaps instead of loops over single words at the ends.

use super::*;
use crate::host::kernel::Store;
use crate::host::kernel::rows::short::short;

/// From so many bytes on the C library is no slower, and knows more about the CPU.
const LONG: usize = 4096;

/// # Safety
///
/// K1 to K4.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn copy<W: Word>(dst: *mut W, src: *const W, n: usize, strip: Strip, store: Store) {
    let bytes = n * W::BYTES;
    if store == Store::Stream && bytes >= STREAM_FROM {
        // SAFETY: K1 to K4.
        return unsafe { stream_rows(dst, src, bytes, strip) };
    }
    // The length is tested once for all rows. A row in place (K2) is written as it was read, however the moves overlap.
    match bytes {
        // SAFETY: K1: `bytes` bytes at both addresses.
        ..64 => for_rows(dst, src, strip, |dst, src| unsafe { short(dst, src, bytes) }),
        // SAFETY: the same.
        64..=128 => for_rows(dst, src, strip, |dst, src| unsafe { two_to_four(dst, src, bytes) }),
        // SAFETY: the same.
        129..LONG => for_rows(dst, src, strip, |dst, src| unsafe { vectors(dst, src, bytes) }),
        // SAFETY: the same.
        LONG.. => for_rows(dst, src, strip, |dst, src| unsafe { core::ptr::copy(src, dst, bytes) }),
    }
}

/// # Safety
///
/// `bytes` bytes at both, 64 to 128.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn two_to_four(dst: *mut u8, src: *const u8, bytes: usize) {
    // SAFETY: the caller's: the first and the last 64 bytes, which may overlap.
    unsafe {
        let (a, b) = (load(src), load(src.add(32)));
        let (c, d) = (load(src.add(bytes - 64)), load(src.add(bytes - 32)));
        put(dst, a);
        put(dst.add(32), b);
        put(dst.add(bytes - 64), c);
        put(dst.add(bytes - 32), d);
    }
}

/// # Safety
///
/// `bytes` bytes at both, 128 or more.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn vectors(dst: *mut u8, src: *const u8, bytes: usize) {
    // SAFETY: the caller's: every move begins at or before `bytes - 128`.
    unsafe {
        let mut at = 0;
        while at + 128 < bytes {
            two_to_four(dst.add(at), src.add(at), 128);
            at += 128;
        }
        two_to_four(dst.add(bytes - 128), src.add(bytes - 128), 128);
    }
}

/// # Safety
///
/// `bytes` bytes at both ends of every row, at least 64.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn stream_rows<W: Word>(dst: *mut W, src: *const W, bytes: usize, strip: Strip) {
    for_rows(dst, src, strip, |dst, src| {
        let head = dst.align_offset(LINE).min(bytes);
        // SAFETY: the caller's: `at` never passes `bytes`, and lines begin at multiples of 64.
        unsafe {
            short(dst, src, head);
            let mut at = head;
            while at + 2 * LINE <= bytes {
                let from = src.add(at);
                prefetch(from.wrapping_add(AHEAD));
                prefetch(from.wrapping_add(AHEAD + LINE));
                let (a, b, c, d) = (load(from), load(from.add(32)), load(from.add(64)), load(from.add(96)));
                stream(dst.add(at), [a, b]);
                stream(dst.add(at + LINE), [c, d]);
                at += 2 * LINE;
            }
            if at + LINE <= bytes {
                stream(dst.add(at), [load(src.add(at)), load(src.add(at + 32))]);
                at += LINE;
            }
            short(dst.add(at), src.add(at), bytes - at);
        }
    });
}
