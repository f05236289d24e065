//! Words of 2 bytes: eight by eight in registers of 16 bytes, sixteen of which are a square of 32 by 32.

use core::arch::x86_64::{
    __m128i, _mm_loadu_si128, _mm_storeu_si128, _mm_unpackhi_epi16, _mm_unpackhi_epi32, _mm_unpackhi_epi64,
    _mm_unpacklo_epi16, _mm_unpacklo_epi32, _mm_unpacklo_epi64,
};

use super::{Registers, Square, fetch, load, put};
use crate::host::kernel::panel::loops::{At, Tile};

/// Eight rows become eight columns.
#[inline(always)]
unsafe fn turn(r: [__m128i; 8]) -> [__m128i; 8] {
    // SAFETY: K4.
    unsafe {
        let low = |k: usize| _mm_unpacklo_epi16(r[k], r[k + 1]);
        let high = |k: usize| _mm_unpackhi_epi16(r[k], r[k + 1]);
        let four = |a: __m128i, b: __m128i| (_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b));
        // Columns 0 and 1, 2 and 3, ... of rows 0 to 3, and of rows 4 to 7.
        let (a01, a23) = four(low(0), low(2));
        let (a45, a67) = four(high(0), high(2));
        let (b01, b23) = four(low(4), low(6));
        let (b45, b67) = four(high(4), high(6));
        let both = |a: __m128i, b: __m128i| [_mm_unpacklo_epi64(a, b), _mm_unpackhi_epi64(a, b)];
        let ([c0, c1], [c2, c3]) = (both(a01, b01), both(a23, b23));
        let ([c4, c5], [c6, c7]) = (both(a45, b45), both(a67, b67));
        [c0, c1, c2, c3, c4, c5, c6, c7]
    }
}

impl Tile<u16> for Registers {
    const SMALL: usize = 8;

    #[inline(always)]
    unsafe fn small<R: At>(dst: *mut u16, pitch: isize, src: *const u16, rows: R, first: usize) {
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
    unsafe fn square<R: At, const STREAM: bool>(dst: *mut u16, pitch: isize, src: *const u16, rows: R, first: usize) {
        let mut square = Square::<2048>::new();
        let square: *mut u16 = square.pointer();
        // SAFETY: the caller's; the square has 32 rows of 32 words, all written before they are read.
        unsafe {
            for i in (0..32).step_by(8) {
                for j in (0..32).step_by(8) {
                    Self::small(square.add(j * 32 + i), 32, src.add(j), rows, first + i);
                }
                if STREAM {
                    for i in i..i + 8 {
                        fetch(src.offset(rows.at(first + i)).wrapping_add(32));
                    }
                }
            }
            for j in 0..32 {
                let line = square.add(j * 32);
                put::<u16, STREAM>(dst.offset(j as isize * pitch), load(line), load(line.add(16)));
            }
        }
    }
}
