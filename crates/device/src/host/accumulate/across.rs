//! Many sums side by side: rows of the source are added into a panel of sums, one for each destination element.

use core::mem::MaybeUninit;

use weft_layout::PlanAxis;

use super::pairwise::BLOCK;
use crate::element::Element;
use crate::host::Isa;
use crate::host::compiled::{self, Loop};
use crate::host::walk;

/// Rows that are read at once: more would compete for one set of the cache where they are a power of two apart.
const ROWS: usize = 8;

/// Sums of one tree for each column: level by level, with the block that is open in front.
#[repr(align(64))]
pub(super) struct Panel {
    bytes: [MaybeUninit<u8>; PANEL_BYTES],
}

const PANEL_BYTES: usize = 48 << 10;

/// Sums of one row of the panel at most, in bytes: several lines, and all levels of a long sum together stay in the cache.
const ROW_BYTES: usize = 4 << 10;

impl Panel {
    pub(super) fn new() -> Panel {
        Panel { bytes: [MaybeUninit::uninit(); PANEL_BYTES] }
    }

    /// Where its sums begin.
    pub(super) fn start<S>(&mut self) -> *mut S {
        self.bytes.as_mut_ptr().cast()
    }
}

/// How many columns go through the panel at once where `numel` values are added into each: every one has room for the open
/// block and a tree.
pub(super) fn columns<T: Element>(numel: usize) -> usize {
    let levels = 2 + numel.div_ceil(BLOCK).ilog2() as usize;
    (PANEL_BYTES / levels).min(ROW_BYTES) / size_of::<T::Sum>()
}

/// Adds up the steps `range` of the walk over `axes`, for `n` columns that are `step` elements apart, in the order of the walk.
/// Gives the sums, one for each column, in the panel.
///
/// # Safety
///
/// Every element can be read; `n` is at most what [`columns`] gives for the length of the range, which is not 0; K4.
pub(super) unsafe fn across<T: Element>(
    isa: Isa,
    panel: &mut Panel,
    axes: &[PlanAxis<1>],
    range: core::ops::Range<usize>,
    src: *const T,
    step: isize,
    n: usize,
) -> *mut T::Sum {
    let open: *mut T::Sum = panel.start();
    // SAFETY: `columns`: there is room for the open block and for as many levels as the tree has.
    let level = |k: usize| unsafe { open.add((1 + k) * n) };
    let inner = axes.last().map_or(0, |axis| axis.strides[0]);
    let mut rows = [src; ROWS];
    let (mut waiting, mut filled, mut blocks) = (0, 0, 0usize);
    walk::runs(axes, [0], range, &mut |[at], len| {
        for i in 0..len as isize {
            rows[waiting] = src.wrapping_offset(at + i * inner);
            waiting += 1;
            if waiting == ROWS {
                // SAFETY: the caller's; the open block has room for `n`, and begins with the first rows of a block.
                unsafe { compiled::run(isa, Add { sums: open, first: filled == 0, rows: &rows, step, n }) };
                (waiting, filled) = (0, filled + ROWS);
                if filled == BLOCK {
                    filled = 0;
                    let mut slot = blocks.count_ones() as usize;
                    for _ in 0..blocks.trailing_ones() {
                        slot -= 1;
                        // SAFETY: both have `n` sums that were written.
                        unsafe { compiled::run(isa, Merge::<T> { left: level(slot), right: open, n }) };
                    }
                    // SAFETY: both have room for `n` sums; a level that was carried is free.
                    unsafe { core::ptr::copy_nonoverlapping(open, level(slot), n) };
                    blocks += 1;
                }
            }
        }
    });
    if waiting > 0 {
        // SAFETY: as above.
        unsafe { compiled::run(isa, Add { sums: open, first: filled == 0, rows: &rows[..waiting], step, n }) };
    }
    let mut slot = blocks.count_ones() as usize;
    if waiting + filled == 0 {
        slot -= 1;
        // SAFETY: as above: there is a block, because the range is not empty.
        unsafe { core::ptr::copy_nonoverlapping(level(slot), open, n) };
    }
    while slot > 0 {
        slot -= 1;
        // SAFETY: as above.
        unsafe { compiled::run(isa, Merge::<T> { left: level(slot), right: open, n }) };
    }
    open
}

/// Adds rows to sums, in their order; the first of them starts the sums.
struct Add<'a, T: Element> {
    sums: *mut T::Sum,
    first: bool,
    rows: &'a [*const T],
    step: isize,
    n: usize,
}

impl<T: Element> Loop for Add<'_, T> {
    type Output = ();

    #[inline(always)]
    unsafe fn run(self) {
        let Add { sums, first, rows, step, n } = self;
        // SAFETY: `across` gives rows of `n` elements and room for `n` sums.
        unsafe {
            match (<&[*const T; ROWS]>::try_from(rows), step) {
                (Ok(rows), 1) if first => add_rows::<T, true>(sums, rows, n),
                (Ok(rows), 1) => add_rows::<T, false>(sums, rows, n),
                _ => add_rows_of(sums, first, rows, step, n),
            }
        }
    }
}

/// [`ROWS`] rows without gaps: a part of two lines stays in registers for all of them.
///
/// # Safety
///
/// There are rows of `n` elements and room for `n` sums.
#[inline(always)]
unsafe fn add_rows<T: Element, const FIRST: bool>(sums: *mut T::Sum, rows: &[*const T; ROWS], n: usize) {
    // SAFETY: the caller's.
    unsafe {
        match size_of::<T::Sum>() {
            1 => add_parts::<T, FIRST, 128>(sums, rows, n),
            2 => add_parts::<T, FIRST, 64>(sums, rows, n),
            4 => add_parts::<T, FIRST, 32>(sums, rows, n),
            8 => add_parts::<T, FIRST, 16>(sums, rows, n),
            _ => add_parts::<T, FIRST, 8>(sums, rows, n),
        }
    }
}

/// # Safety
///
/// As of [`add_rows`].
#[inline(always)]
unsafe fn add_parts<T: Element, const FIRST: bool, const W: usize>(
    sums: *mut T::Sum,
    rows: &[*const T; ROWS],
    n: usize,
) {
    let mut at = 0;
    while at + W <= n {
        // SAFETY: the caller's: `W` more elements and sums from `at` on.
        unsafe { add_part::<T, FIRST, W>(sums, rows, at) };
        at += W;
    }
    while at + 4 <= n {
        // SAFETY: as above.
        unsafe { add_part::<T, FIRST, 4>(sums, rows, at) };
        at += 4;
    }
    while at < n {
        // SAFETY: as above.
        unsafe { add_part::<T, FIRST, 1>(sums, rows, at) };
        at += 1;
    }
}

/// # Safety
///
/// There are `W` elements in each row and room for `W` sums from `at` on.
#[inline(always)]
unsafe fn add_part<T: Element, const FIRST: bool, const W: usize>(
    sums: *mut T::Sum,
    rows: &[*const T; ROWS],
    at: usize,
) {
    // SAFETY: the caller's.
    unsafe {
        let value = |row: usize, i: usize| rows[row].add(at + i).read().to_sum();
        let mut part: [T::Sum; W] =
            core::array::from_fn(
                |i| {
                    if FIRST { value(0, i) } else { T::add_sums(sums.add(at + i).read(), value(0, i)) }
                },
            );
        for row in 1..ROWS {
            for (i, sum) in part.iter_mut().enumerate() {
                *sum = T::add_sums(*sum, value(row, i));
            }
        }
        for (i, sum) in part.into_iter().enumerate() {
            sums.add(at + i).write(sum);
        }
    }
}

/// Any rows, one after another.
///
/// # Safety
///
/// As of [`add_rows`].
#[inline(always)]
unsafe fn add_rows_of<T: Element>(sums: *mut T::Sum, first: bool, rows: &[*const T], step: isize, n: usize) {
    for (row, &src) in rows.iter().enumerate() {
        // SAFETY: the caller's.
        unsafe {
            for i in 0..n {
                let value = src.offset(i as isize * step).read().to_sum();
                let sum = if first && row == 0 { value } else { T::add_sums(sums.add(i).read(), value) };
                sums.add(i).write(sum);
            }
        }
    }
}

/// Adds sums that came before to those that come later, in place of the latter.
struct Merge<T: Element> {
    left: *const T::Sum,
    right: *mut T::Sum,
    n: usize,
}

impl<T: Element> Loop for Merge<T> {
    type Output = ();

    #[inline(always)]
    unsafe fn run(self) {
        let Merge { left, right, n } = self;
        for i in 0..n {
            // SAFETY: `across` gives two rows of `n` sums.
            unsafe { right.add(i).write(T::add_sums(left.add(i).read(), right.add(i).read())) };
        }
    }
}
