//! A panel is cut into squares of a line by a line; what is left at the edges is covered by smaller tiles, the last of which reach
//! back over words that are written already, with the same values.

use crate::host::kernel::{Rows, Store, Word};

/// A line of cache, in bytes.
const LINE: usize = 64;

/// Where row `i` begins.
pub(super) trait At: Copy {
    fn at(self, i: usize) -> isize;
}

/// Rows at equal distances.
#[derive(Clone, Copy)]
pub(super) struct Even(isize);

impl At for Even {
    #[inline(always)]
    fn at(self, i: usize) -> isize {
        i as isize * self.0
    }
}

/// Rows wherever the table says.
#[derive(Clone, Copy)]
pub(super) struct Listed<'a>(&'a [isize]);

impl At for Listed<'_> {
    #[inline(always)]
    fn at(self, i: usize) -> isize {
        self.0[i]
    }
}

/// The tiles of one word and one instruction set. In all of them row `i` is the `first + i`-th.
pub(super) trait Tile<W: Word> {
    /// Words on each side of the small tile.
    const SMALL: usize;

    /// `dst[j * pitch + i] = src[rows(first + i) + j]` for `i`, `j` below `SMALL`, through the caches.
    ///
    /// # Safety
    ///
    /// K1 to K4.
    unsafe fn small<R: At>(dst: *mut W, pitch: isize, src: *const W, rows: R, first: usize);

    /// The same for a square of a whole line, which reads and writes every line as a whole.
    ///
    /// # Safety
    ///
    /// K1 to K4; with `STREAM` every row of the destination is aligned to a line.
    unsafe fn square<R: At, const STREAM: bool>(dst: *mut W, pitch: isize, src: *const W, rows: R, first: usize);
}

/// # Safety
///
/// K1 to K4.
#[inline(always)]
pub(super) unsafe fn panel<W: Word, T: Tile<W>>(
    dst: *mut W,
    pitch: isize,
    src: *const W,
    rows: Rows<'_>,
    m: usize,
    n: usize,
    store: Store,
) {
    // SAFETY: the caller's.
    unsafe {
        match rows {
            Rows::Pitch(by) => panel_at::<W, T, Even>(dst, pitch, src, Even(by), m, n, store),
            Rows::Table(table) => panel_at::<W, T, Listed<'_>>(dst, pitch, src, Listed(table), m, n, store),
        }
    }
}

/// # Safety
///
/// K1 to K4.
#[inline(always)]
unsafe fn panel_at<W: Word, T: Tile<W>, R: At>(
    dst: *mut W,
    pitch: isize,
    src: *const W,
    rows: R,
    m: usize,
    n: usize,
    store: Store,
) {
    // SAFETY: the caller's; a panel is a part of itself.
    unsafe {
        if m < T::SMALL || n < T::SMALL {
            return narrow(dst, pitch, src, rows, m, n);
        }
        // Rows that share lines go through the caches: a copy of them in a scratch, streamed from there with peeled ends, was
        // slower for words of 1, 4 and 8 bytes.
        let in_lines = (pitch * W::BYTES as isize) % LINE as isize == 0 && dst.addr().is_multiple_of(LINE);
        if store == Store::Stream && in_lines {
            squares::<W, T, R, true>(dst, pitch, src, rows, m, n);
        } else {
            squares::<W, T, R, false>(dst, pitch, src, rows, m, n);
        }
    }
}

/// # Safety
///
/// K1 to K4, `m` and `n` at least `T::SMALL`; with `STREAM` every row of the destination is aligned to a line.
#[inline(always)]
unsafe fn squares<W: Word, T: Tile<W>, R: At, const STREAM: bool>(
    dst: *mut W,
    pitch: isize,
    src: *const W,
    rows: R,
    m: usize,
    n: usize,
) {
    let side = LINE / W::BYTES;
    let (whole_m, whole_n) = (m - m % side, n - n % side);
    // SAFETY: the caller's: every square and tile lies within the panel.
    unsafe {
        for j in (0..whole_n).step_by(side) {
            for i in (0..whole_m).step_by(side) {
                let dst = dst.offset(j as isize * pitch + i as isize);
                T::square::<R, STREAM>(dst, pitch, src.add(j), rows, i);
            }
        }
        // Below the squares, and then beside them and the corner.
        if whole_m < m {
            smalls::<W, T, R>(dst, pitch, src, rows, whole_m..m, 0..whole_n);
        }
        if whole_n < n {
            smalls::<W, T, R>(dst, pitch, src, rows, 0..m, whole_n..n);
        }
    }
}

/// Small tiles over a part of the panel; where the part is no multiple of them, the last ones begin before it.
///
/// # Safety
///
/// K1 to K4 for the panel, whose sides are at least `T::SMALL`, and of which the ranges are a part.
#[inline(always)]
unsafe fn smalls<W: Word, T: Tile<W>, R: At>(
    dst: *mut W,
    pitch: isize,
    src: *const W,
    rows: R,
    is: core::ops::Range<usize>,
    js: core::ops::Range<usize>,
) {
    let mut j = js.start;
    while j < js.end {
        let at_j = j.min(js.end.saturating_sub(T::SMALL));
        let mut i = is.start;
        while i < is.end {
            let at_i = i.min(is.end.saturating_sub(T::SMALL));
            // SAFETY: both ranges end within the panel, so a tile that ends with them begins at 0 or later.
            unsafe {
                let dst = dst.offset(at_j as isize * pitch + at_i as isize);
                T::small(dst, pitch, src.add(at_j), rows, at_i);
            }
            i = at_i + T::SMALL;
        }
        j = at_j + T::SMALL;
    }
}

/// A panel too narrow for tiles: along its longer side.
///
/// # Safety
///
/// K1 to K4.
#[inline(always)]
unsafe fn narrow<W: Word, R: At>(dst: *mut W, pitch: isize, src: *const W, rows: R, m: usize, n: usize) {
    let step = |i: usize, j: usize| {
        // SAFETY: K1, K3: `i` is below `m` and `j` below `n`.
        unsafe {
            let word = src.offset(rows.at(i) + j as isize).read_unaligned();
            dst.offset(j as isize * pitch + i as isize).write_unaligned(word);
        }
    };
    if m < n {
        (0..n).for_each(|j| (0..m).for_each(|i| step(i, j)));
    } else {
        (0..m).for_each(|i| (0..n).for_each(|j| step(i, j)));
    }
}
