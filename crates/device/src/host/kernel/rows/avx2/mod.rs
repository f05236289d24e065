//! The rows in AVX2: 32 bytes at a time, shuffled in registers.

mod copy;
mod fill;
mod reverse;
mod stage;
mod step;
mod weave;

use core::arch::x86_64::*;

use crate::host::kernel::{RowKernels, Strip, Word};

/// A row is streamed from so many bytes on: it has a whole line for certain, and two on most addresses.
const STREAM_FROM: usize = 128;

/// How far ahead of the loads the source is asked for, in bytes. The CPU's own prefetching stops at each page.
const AHEAD: usize = 1024;

/// A vector.
const VECTOR: usize = 32;

const LINE: usize = crate::host::kernel::rows::LINE;

/// The kernels for a word; K4 for AVX2.
pub(in crate::host) fn table<W: Word>() -> RowKernels<W> {
    RowKernels {
        copy: copy::copy::<W>,
        reverse: reverse::reverse::<W>,
        step: step::step::<W>,
        fill: fill::fill::<W>,
        interleave: weave::interleave::<W>,
        deinterleave: weave::deinterleave::<W>,
    }
}

/// Calls `row` with where each row of a strip begins, in bytes.
#[inline]
#[target_feature(enable = "avx2")]
fn for_rows<W: Word>(dst: *mut W, src: *const W, strip: Strip, mut row: impl FnMut(*mut u8, *const u8)) {
    let (mut dst, mut src) = (dst, src);
    for _ in 0..strip.rows {
        row(dst.cast(), src.cast());
        // Behind the last row they may point anywhere, and are not used.
        (dst, src) = (dst.wrapping_offset(strip.dst), src.wrapping_offset(strip.src));
    }
}

/// # Safety
///
/// 32 bytes can be read.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn load(from: *const u8) -> __m256i {
    // SAFETY: the caller's; K3.
    unsafe { _mm256_loadu_si256(from.cast()) }
}

/// Two halves of a vector.
///
/// # Safety
///
/// 16 bytes can be read at each.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn load_halves(low: *const u8, high: *const u8) -> __m256i {
    // SAFETY: the caller's; K3.
    unsafe { _mm256_loadu2_m128i(high.cast(), low.cast()) }
}

/// # Safety
///
/// 32 bytes can be written.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn put(to: *mut u8, vector: __m256i) {
    // SAFETY: the caller's; K3.
    unsafe { _mm256_storeu_si256(to.cast(), vector) };
}

/// Writes a line around the caches.
///
/// # Safety
///
/// 64 bytes can be written, at an address that is a multiple of 64.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn stream(to: *mut u8, [low, high]: [__m256i; 2]) {
    debug_assert!(to.addr().is_multiple_of(LINE));
    // SAFETY: the caller's.
    unsafe {
        _mm256_stream_si256(to.cast(), low);
        _mm256_stream_si256(to.add(VECTOR).cast(), high);
    }
}

/// Asks for the line of an address, which need not be one: a prefetch never faults.
#[inline]
#[target_feature(enable = "avx2")]
fn prefetch(at: *const u8) {
    _mm_prefetch::<_MM_HINT_T0>(at.cast());
}

/// A mask of 16 bytes in both halves of a vector.
#[inline]
#[target_feature(enable = "avx2")]
fn both_halves(mask: &[u8; 16]) -> __m256i {
    // SAFETY: 16 bytes.
    _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(mask.as_ptr().cast()) })
}
