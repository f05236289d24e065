//! Streaming for kernels that cannot begin on a line: rows are made in the nearest cache, and leave it in whole lines.

use core::mem::MaybeUninit;

use super::*;
use crate::host::kernel::rows::short::short;

/// Bytes of a stage. All of them, the source's lines and the stack share 32 KiB.
const STAGE: usize = 4096;

/// What one call of `make` may write to one stage.
const ROOM: usize = STAGE - 2 * LINE;

#[repr(C, align(64))]
struct Stage([MaybeUninit<u8>; STAGE]);

/// Writes `n` units of `unit` bytes to each of `K` rows. `make(to, at, count)` makes the units from `at` on, one row each at `to`.
///
/// A byte lies on its stage where it will lie in its line, so what is loaded from the stage is aligned. The bytes of the last line
/// that is not full wait for the next call.
///
/// # Safety
///
/// `dst` has room for the rows; `make` writes `count` units to each address, and nothing else.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn rows<const K: usize>(
    dst: [*mut u8; K],
    n: usize,
    unit: usize,
    make: impl Fn([*mut u8; K], usize, usize),
) {
    let mut stages = [const { Stage([MaybeUninit::uninit(); STAGE]) }; K];
    let bases: [*mut u8; K] = stages.each_mut().map(|stage| stage.0.as_mut_ptr().cast());
    // Where the row's next byte lies in its line; up to the first line that is whole, where the row begins in it.
    let (mut filled, mut begins) = (dst.map(|dst| dst.addr() % LINE), dst.map(|dst| dst.addr() % LINE));
    let mut lines = dst;
    for k in 0..K {
        lines[k] = dst[k].wrapping_sub(begins[k]);
    }
    // Whole vectors of any word.
    let at_once = (ROOM / unit / VECTOR * VECTOR).max(1);
    let mut at = 0;
    while at < n {
        let count = at_once.min(n - at);
        let mut to = bases;
        for k in 0..K {
            // SAFETY: less than a line.
            to[k] = unsafe { bases[k].add(filled[k]) };
        }
        make(to, at, count);
        at += count;
        for k in 0..K {
            let end = filled[k] + count * unit;
            let whole = end / LINE * LINE;
            // SAFETY: `begins..end` was made, and lies in the row from `lines` on. A line and what is left over fit behind `whole`.
            unsafe {
                let mut next = 0;
                if whole > 0 && begins[k] > 0 {
                    short(lines[k].add(begins[k]), bases[k].add(begins[k]), LINE - begins[k]);
                    (next, begins[k]) = (LINE, 0);
                }
                while next < whole {
                    let from = bases[k].add(next);
                    stream(lines[k].wrapping_add(next), [load(from), load(from.add(VECTOR))]);
                    next += LINE;
                }
                if whole > 0 {
                    core::ptr::copy_nonoverlapping(bases[k].add(whole), bases[k], LINE);
                }
            }
            lines[k] = lines[k].wrapping_add(whole);
            filled[k] = end - whole;
        }
    }
    for k in 0..K {
        // SAFETY: what is left is less than a line, was made and lies in the row.
        unsafe { short(lines[k].wrapping_add(begins[k]), bases[k].add(begins[k]), filled[k] - begins[k]) };
    }
}
