//! Tiles in AVX2 registers.
//!
//! The tiles are `#[inline(always)]` without a feature of their own: they become part of [`panel`], which has it.

mod words1;
mod words16;
mod words2;
mod words4;
mod words8;

use core::arch::x86_64::{
    __m256i, _MM_HINT_T0, _mm_prefetch, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_stream_si256,
};

use super::loops::{self, Tile};
use crate::host::kernel::{Rows, Store, Word};

/// # Safety
///
/// K1 to K4.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn panel<W: Word>(
    dst: *mut W,
    pitch: isize,
    src: *const W,
    rows: Rows<'_>,
    m: usize,
    n: usize,
    store: Store,
) where
    Registers: Tile<W>,
{
    // SAFETY: the caller's.
    unsafe { loops::panel::<W, Registers>(dst, pitch, src, rows, m, n, store) };
}

pub(super) struct Registers;

/// Half a line from anywhere.
#[inline(always)]
unsafe fn load<W>(src: *const W) -> __m256i {
    // SAFETY: the caller's K1, K3, K4.
    unsafe { _mm256_loadu_si256(src.cast()) }
}

/// A whole line of a row, in two halves.
#[inline(always)]
unsafe fn put<W, const STREAM: bool>(dst: *mut W, low: __m256i, high: __m256i) {
    // SAFETY: the caller's K1, K3, K4; with `STREAM` the address is a multiple of 64.
    unsafe {
        let dst: *mut __m256i = dst.cast();
        if STREAM {
            _mm256_stream_si256(dst, low);
            _mm256_stream_si256(dst.add(1), high);
        } else {
            _mm256_storeu_si256(dst, low);
            _mm256_storeu_si256(dst.add(1), high);
        }
    }
}

/// Asks for the line at an address, which need not exist.
#[inline(always)]
fn fetch<W>(at: *const W) {
    // SAFETY: a prefetch of any address is no access.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) };
}

/// Memory for one square, aligned to lines.
#[repr(align(64))]
struct Square<const BYTES: usize>(core::mem::MaybeUninit<[u8; BYTES]>);

impl<const BYTES: usize> Square<BYTES> {
    #[inline(always)]
    fn new() -> Square<BYTES> {
        Square(core::mem::MaybeUninit::uninit())
    }

    #[inline(always)]
    fn pointer<W>(&mut self) -> *mut W {
        self.0.as_mut_ptr().cast()
    }
}
