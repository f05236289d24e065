//! Words of 8 bytes: four by four in registers, four of which are a square of 8 by 8.

use core::arch::x86_64::{
    __m256i, _mm256_permute2x128_si256, _mm256_setzero_si256, _mm256_storeu_si256, _mm256_unpackhi_epi64,
    _mm256_unpacklo_epi64,
};

use super::{Registers, fetch, load, put};
use crate::host::kernel::panel::loops::{At, Tile};

/// Four rows become four columns.
#[inline(always)]
unsafe fn turn(r: [__m256i; 4]) -> [__m256i; 4] {
    // SAFETY: K4.
    unsafe {
        let (a, b) = (_mm256_unpacklo_epi64(r[0], r[1]), _mm256_unpackhi_epi64(r[0], r[1]));
        let (c, d) = (_mm256_unpacklo_epi64(r[2], r[3]), _mm256_unpackhi_epi64(r[2], r[3]));
        [
            _mm256_permute2x128_si256::<0x20>(a, c),
            _mm256_permute2x128_si256::<0x20>(b, d),
            _mm256_permute2x128_si256::<0x31>(a, c),
            _mm256_permute2x128_si256::<0x31>(b, d),
        ]
    }
}

impl Tile<u64> for Registers {
    const SMALL: usize = 4;

    #[inline(always)]
    unsafe fn small<R: At>(dst: *mut u64, pitch: isize, src: *const u64, rows: R, first: usize) {
        // SAFETY: the caller's K1 to K4.
        unsafe {
            let columns = turn(core::array::from_fn(|i| load(src.offset(rows.at(first + i)))));
            for (j, &column) in columns.iter().enumerate() {
                _mm256_storeu_si256(dst.offset(j as isize * pitch).cast(), column);
            }
        }
    }

    #[inline(always)]
    unsafe fn square<R: At, const STREAM: bool>(dst: *mut u64, pitch: isize, src: *const u64, rows: R, first: usize) {
        // SAFETY: the caller's K1 to K4.
        unsafe {
            // Half of every line of the source, for all eight rows, so that the four lines that come of it leave whole.
            for half in [0, 4] {
                let (mut upper, mut lower) = ([_mm256_setzero_si256(); 4], [_mm256_setzero_si256(); 4]);
                for i in 0..4 {
                    let row = src.offset(rows.at(first + i));
                    upper[i] = load(row.add(half));
                    let below = src.offset(rows.at(first + 4 + i));
                    lower[i] = load(below.add(half));
                    if STREAM && half == 0 {
                        fetch(row.wrapping_add(8));
                        fetch(below.wrapping_add(8));
                    }
                }
                let (upper, lower) = (turn(upper), turn(lower));
                for j in 0..4 {
                    put::<u64, STREAM>(dst.offset((half + j) as isize * pitch), upper[j], lower[j]);
                }
            }
        }
    }
}
