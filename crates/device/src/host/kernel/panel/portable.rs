//! Tiles as arrays: the compiler finds what vectors it can.

use super::loops::{self, At, Tile};
use crate::host::kernel::{Rows, Store, Word};

/// # Safety
///
/// K1 to K3.
pub(super) unsafe fn panel<W: Word>(
    dst: *mut W,
    pitch: isize,
    src: *const W,
    rows: Rows<'_>,
    m: usize,
    n: usize,
    store: Store,
) {
    // SAFETY: the caller's.
    unsafe { loops::panel::<W, Arrays>(dst, pitch, src, rows, m, n, store) };
}

struct Arrays;

/// Words on each side of a tile.
const SIDE: usize = 4;

impl<W: Word> Tile<W> for Arrays {
    const SMALL: usize = SIDE;

    #[inline(always)]
    unsafe fn small<R: At>(dst: *mut W, pitch: isize, src: *const W, rows: R, first: usize) {
        // SAFETY: K1, K3.
        let word = |i: usize, j: usize| unsafe { src.offset(rows.at(first + i) + j as isize).read_unaligned() };
        let tile: [[W; SIDE]; SIDE] = core::array::from_fn(|j| core::array::from_fn(|i| word(i, j)));
        for (j, row) in tile.iter().enumerate() {
            // SAFETY: K1, K3.
            unsafe { dst.offset(j as isize * pitch).cast::<[W; SIDE]>().write_unaligned(*row) };
        }
    }

    #[inline(always)]
    unsafe fn square<R: At, const STREAM: bool>(dst: *mut W, pitch: isize, src: *const W, rows: R, first: usize) {
        let side = 64 / W::BYTES;
        for i in (0..side).step_by(SIDE) {
            for j in (0..side).step_by(SIDE) {
                // SAFETY: the caller's; a tile of the square.
                unsafe {
                    let dst = dst.offset(j as isize * pitch + i as isize);
                    Self::small(dst, pitch, src.add(j), rows, first + i);
                }
            }
        }
    }
}
