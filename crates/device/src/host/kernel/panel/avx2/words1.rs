//! Words of one byte: sixteen by sixteen in registers of 16 bytes, sixteen of which are a square of 64 by 64.

use core::arch::x86_64::{
    __m128i, _mm_loadu_si128, _mm_setzero_si128, _mm_storeu_si128, _mm_unpackhi_epi8, _mm_unpacklo_epi8,
};

use super::{Registers, Square, fetch, load, put};
use crate::host::kernel::panel::loops::{At, Tile};

/// Sixteen rows become sixteen columns: four perfect shuffles, each of which interleaves the first half of the rows with the
/// second, byte by byte.
#[inline(always)]
unsafe fn turn(mut rows: [__m128i; 16]) -> [__m128i; 16] {
    for _ in 0..4 {
        // SAFETY: K4.
        unsafe {
            let mut next = [_mm_setzero_si128(); 16];
            for i in 0..8 {
                next[2 * i] = _mm_unpacklo_epi8(rows[i], rows[i + 8]);
                next[2 * i + 1] = _mm_unpackhi_epi8(rows[i], rows[i + 8]);
            }
            rows = next;
        }
    }
    rows
}

impl Tile<u8> for Registers {
    const SMALL: usize = 16;

    #[inline(always)]
    unsafe fn small<R: At>(dst: *mut u8, pitch: isize, src: *const u8, rows: R, first: usize) {
        // SAFETY: the caller's K1 to K4.
        unsafe {
            let row = |i: usize| _mm_loadu_si128(src.offset(rows.at(first + i)).cast());
            let columns = turn(core::array::from_fn(row));
            for (j, &column) in columns.iter().enumerate() {
                _mm_storeu_si128(dst.offset(j as isize * pitch).cast(), column);
            }
        }
    }

    #[inline(always)]
    unsafe fn square<R: At, const STREAM: bool>(dst: *mut u8, pitch: isize, src: *const u8, rows: R, first: usize) {
        // First every line of the source once and whole: sixteen of them at a time would throw one another out of the
        // first-level cache where the pitch is a power of two.
        let (mut lines, mut square) = (Square::<4096>::new(), Square::<4096>::new());
        let (lines, square): (*mut u8, *mut u8) = (lines.pointer(), square.pointer());
        // SAFETY: the caller's; lines and square have 64 rows of 64 words, all written before they are read.
        unsafe {
            for i in 0..64 {
                let row = src.offset(rows.at(first + i));
                put::<u8, false>(lines.add(i * 64), load(row), load(row.add(32)));
                if STREAM {
                    fetch(row.wrapping_add(64));
                }
            }
            let even = Packed;
            for i in (0..64).step_by(16) {
                for j in (0..64).step_by(16) {
                    Self::small(square.add(j * 64 + i), 64, lines.add(j), even, i);
                }
            }
            for j in 0..64 {
                let line = square.add(j * 64);
                put::<u8, STREAM>(dst.offset(j as isize * pitch), load(line), load(line.add(32)));
            }
        }
    }
}

/// Rows of 64 words one behind the other.
#[derive(Clone, Copy)]
struct Packed;

impl At for Packed {
    #[inline(always)]
    fn at(self, i: usize) -> isize {
        i as isize * 64
    }
}
