//! Words of 16 bytes: two by two in registers, four of which are a square of 4 by 4.

use core::arch::x86_64::{_mm256_permute2x128_si256, _mm256_storeu_si256};

use super::{Registers, fetch, load, put};
use crate::host::kernel::panel::loops::{At, Tile};

impl Tile<u128> for Registers {
    const SMALL: usize = 2;

    #[inline(always)]
    unsafe fn small<R: At>(dst: *mut u128, pitch: isize, src: *const u128, rows: R, first: usize) {
        // SAFETY: the caller's K1 to K4.
        unsafe {
            let (a, b) = (load(src.offset(rows.at(first))), load(src.offset(rows.at(first + 1))));
            _mm256_storeu_si256(dst.cast(), _mm256_permute2x128_si256::<0x20>(a, b));
            _mm256_storeu_si256(dst.offset(pitch).cast(), _mm256_permute2x128_si256::<0x31>(a, b));
        }
    }

    #[inline(always)]
    unsafe fn square<R: At, const STREAM: bool>(dst: *mut u128, pitch: isize, src: *const u128, rows: R, first: usize) {
        // SAFETY: the caller's K1 to K4.
        unsafe {
            let row = |i: usize| {
                let row = src.offset(rows.at(first + i));
                if STREAM {
                    fetch(row.wrapping_add(4));
                }
                [load(row), load(row.add(2))]
            };
            let rows: [_; 4] = core::array::from_fn(row);
            for w in 0..2 {
                let [a, b, c, d] = rows.map(|row| row[w]);
                let dst = dst.offset(2 * w as isize * pitch);
                let (low, high) = (_mm256_permute2x128_si256::<0x20>(a, b), _mm256_permute2x128_si256::<0x20>(c, d));
                put::<u128, STREAM>(dst, low, high);
                let (low, high) = (_mm256_permute2x128_si256::<0x31>(a, b), _mm256_permute2x128_si256::<0x31>(c, d));
                put::<u128, STREAM>(dst.offset(pitch), low, high);
            }
        }
    }
}
