//! The rows as their formulas say them, word by word.

use crate::host::kernel::{RowKernels, Store, Strip, Word};

pub(in crate::host) fn table<W: Word>() -> RowKernels<W> {
    RowKernels {
        copy: copy::<W>,
        reverse: reverse::<W>,
        step: step::<W>,
        fill: fill::<W>,
        interleave: interleave::<W>,
        deinterleave: deinterleave::<W>,
    }
}

/// # Safety
///
/// K1 to K4.
unsafe fn copy<W: Word>(dst: *mut W, src: *const W, n: usize, strip: Strip, store: Store) {
    // SAFETY: the caller's.
    unsafe { step(dst, src, 1, n, strip, store) };
}

/// # Safety
///
/// K1 to K4.
unsafe fn reverse<W: Word>(dst: *mut W, src: *const W, n: usize, strip: Strip, store: Store) {
    // SAFETY: the caller's.
    unsafe { step(dst, src, -1, n, strip, store) };
}

/// # Safety
///
/// K1 to K4.
unsafe fn fill<W: Word>(dst: *mut W, src: *const W, n: usize, strip: Strip, store: Store) {
    // SAFETY: the caller's.
    unsafe { step(dst, src, 0, n, strip, store) };
}

/// # Safety
///
/// K1 to K4.
unsafe fn step<W: Word>(dst: *mut W, src: *const W, step: isize, n: usize, strip: Strip, _: Store) {
    for r in 0..strip.rows as isize {
        for i in 0..n as isize {
            // SAFETY: K1, K3.
            unsafe {
                let word = src.offset(r * strip.src + i * step).read_unaligned();
                dst.offset(r * strip.dst + i).write_unaligned(word);
            }
        }
    }
}

/// # Safety
///
/// K1 to K4.
unsafe fn interleave<W: Word>(
    dst: *mut W,
    src: *const W,
    pitch: isize,
    k: usize,
    n: usize,
    strip: Strip,
    store: Store,
) {
    for c in 0..k as isize {
        for r in 0..strip.rows as isize {
            for i in 0..n as isize {
                // SAFETY: K1, K3.
                unsafe {
                    let word = src.offset(r * strip.src + c * pitch + i).read_unaligned();
                    dst.offset(r * strip.dst + i * k as isize + c).write_unaligned(word);
                }
            }
        }
    }
    _ = store;
}

/// # Safety
///
/// K1 to K4.
unsafe fn deinterleave<W: Word>(
    dst: *mut W,
    pitch: isize,
    src: *const W,
    k: usize,
    n: usize,
    strip: Strip,
    store: Store,
) {
    for c in 0..k as isize {
        for r in 0..strip.rows as isize {
            for i in 0..n as isize {
                // SAFETY: K1, K3.
                unsafe {
                    let word = src.offset(r * strip.src + i * k as isize + c).read_unaligned();
                    dst.offset(r * strip.dst + c * pitch + i).write_unaligned(word);
                }
            }
        }
    }
    _ = store;
}
