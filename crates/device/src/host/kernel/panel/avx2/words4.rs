//! Words of 4 bytes: eight by eight in registers, four of which are a square of 16 by 16.

use core::arch::x86_64::{
    __m256, _mm256_castps_si256, _mm256_loadu_ps, _mm256_permute2f128_ps, _mm256_setzero_ps, _mm256_shuffle_ps,
    _mm256_storeu_ps, _mm256_unpackhi_ps, _mm256_unpacklo_ps,
};

use super::{Registers, Square, fetch, put};
use crate::host::kernel::panel::loops::{At, Tile};

/// Eight rows become eight columns.
#[inline(always)]
unsafe fn turn(r: [__m256; 8]) -> [__m256; 8] {
    // SAFETY: K4.
    unsafe {
        let a = |k: usize| _mm256_unpacklo_ps(r[k], r[k + 1]);
        let b = |k: usize| _mm256_unpackhi_ps(r[k], r[k + 1]);
        let (a0, b0, a2, b2) = (a(0), b(0), a(2), b(2));
        let (a4, b4, a6, b6) = (a(4), b(4), a(6), b(6));
        let c0 = _mm256_shuffle_ps::<0x44>(a0, a2);
        let c1 = _mm256_shuffle_ps::<0xEE>(a0, a2);
        let c2 = _mm256_shuffle_ps::<0x44>(b0, b2);
        let c3 = _mm256_shuffle_ps::<0xEE>(b0, b2);
        let c4 = _mm256_shuffle_ps::<0x44>(a4, a6);
        let c5 = _mm256_shuffle_ps::<0xEE>(a4, a6);
        let c6 = _mm256_shuffle_ps::<0x44>(b4, b6);
        let c7 = _mm256_shuffle_ps::<0xEE>(b4, b6);
        [
            _mm256_permute2f128_ps::<0x20>(c0, c4),
            _mm256_permute2f128_ps::<0x20>(c1, c5),
            _mm256_permute2f128_ps::<0x20>(c2, c6),
            _mm256_permute2f128_ps::<0x20>(c3, c7),
            _mm256_permute2f128_ps::<0x31>(c0, c4),
            _mm256_permute2f128_ps::<0x31>(c1, c5),
            _mm256_permute2f128_ps::<0x31>(c2, c6),
            _mm256_permute2f128_ps::<0x31>(c3, c7),
        ]
    }
}

impl Tile<u32> for Registers {
    const SMALL: usize = 8;

    #[inline(always)]
    unsafe fn small<R: At>(dst: *mut u32, pitch: isize, src: *const u32, rows: R, first: usize) {
        // SAFETY: the caller's K1 to K4.
        unsafe {
            let row = |i: usize| _mm256_loadu_ps(src.offset(rows.at(first + i)).cast());
            let columns = turn(core::array::from_fn(row));
            for (j, &column) in columns.iter().enumerate() {
                _mm256_storeu_ps(dst.offset(j as isize * pitch).cast(), column);
            }
        }
    }

    #[inline(always)]
    unsafe fn square<R: At, const STREAM: bool>(dst: *mut u32, pitch: isize, src: *const u32, rows: R, first: usize) {
        // Where the rows of the destination lie half a page or a multiple of it apart, sixteen of them do not stay in a first-level
        // cache of eight ways until their second half is written.
        let crowded = (pitch * 4) % 2048 == 0;
        if !STREAM && !crowded {
            // SAFETY: the caller's: four tiles of the square; both halves of a destination's line one after the other.
            return unsafe {
                for across in [0, 8] {
                    let (dst, src) = (dst.offset(across as isize * pitch), src.add(across));
                    Self::small(dst, pitch, src, rows, first);
                    Self::small(dst.add(8), pitch, src, rows, first + 8);
                }
            };
        }
        // Eight rows at a time: their lines lie in one set of the first-level cache where the pitch is a power of two.
        let mut square = Square::<1024>::new();
        let square: *mut f32 = square.pointer();
        // SAFETY: the caller's; the square has 16 rows of 16 words, all written before they are read.
        unsafe {
            for half in [0, 8] {
                let (mut low, mut high) = ([_mm256_setzero_ps(); 8], [_mm256_setzero_ps(); 8]);
                for i in 0..8 {
                    let row: *const f32 = src.offset(rows.at(first + half + i)).cast();
                    (low[i], high[i]) = (_mm256_loadu_ps(row), _mm256_loadu_ps(row.add(8)));
                    if STREAM {
                        fetch(row.wrapping_add(16));
                    }
                }
                let (low, high) = (turn(low), turn(high));
                for j in 0..8 {
                    _mm256_storeu_ps(square.add(j * 16 + half), low[j]);
                    _mm256_storeu_ps(square.add((8 + j) * 16 + half), high[j]);
                }
            }
            for j in 0..16 {
                let (low, high) = (_mm256_loadu_ps(square.add(j * 16)), _mm256_loadu_ps(square.add(j * 16 + 8)));
                let dst = dst.offset(j as isize * pitch);
                put::<u32, STREAM>(dst, _mm256_castps_si256(low), _mm256_castps_si256(high));
            }
        }
    }
}
