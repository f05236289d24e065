//! The kernels of the host's copies: small loops over plain bits, one table of them for each instruction set and word size.
//!
//! A kernel knows no plan, no shape and no thread. It is told where to read, where to write and how much, and every kernel
//! has a naive twin (`rows/naive.rs`, `panel/naive.rs`) that the tests compare it with.
//!
//! # Invariants
//!
//! The drivers in [`copy`](super::copy) uphold these; the kernels cite them.
//!
//! * **K1** every element that the formula of a kernel reads lies inside the source's buffer, every one that it writes inside
//!   the destination's; nothing else is read or written, not even for a moment (`step` alone has the CPU load words between those
//!   that it reads, and drops them: `rows/avx2/step.rs`);
//! * **K2** no two steps write one element, and no step reads an element that another step of the operation writes (D5). In `copy`
//!   alone a step may read the very element that it writes;
//! * **K3** pointers are aligned for nothing: words are moved by unaligned loads and stores;
//! * **K4** the CPU runs the instruction set of the table ([`Exec::isa`](super::Exec)).

pub(super) mod panel;
pub(super) mod rows;

use super::Isa;

/// The plain bits of an element of 1, 2, 4, 8 or 16 bytes.
pub(super) trait Word: Copy + Default + Send + Sync + PartialEq + core::fmt::Debug + 'static {
    const BYTES: usize = size_of::<Self>();
    /// The kernels for this word.
    fn kernels(isa: Isa) -> Kernels<Self>;
}

macro_rules! word {
    ($($word:ty),*) => {
        $(impl Word for $word {
            fn kernels(isa: Isa) -> Kernels<Self> {
                Kernels { rows: rows::table!($word, isa), panel: <$word as panel::Panels>::panel(isa) }
            }
        })*
    };
}
word!(u8, u16, u32, u64, u128);

/// All kernels of one word size and one instruction set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kernels<W> {
    pub(super) rows: RowKernels<W>,
    pub(super) panel: Panel<W>,
}

/// How a kernel stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Store {
    /// Through the caches.
    Cached,
    /// Around them, where a whole line of 64 bytes is written at once. The driver fences before the operation ends.
    Stream,
}

/// Rows one after another: how many, and how far both sides move from one to the next, in words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Strip {
    pub(super) rows: usize,
    pub(super) dst: isize,
    pub(super) src: isize,
}

/// Kernels whose destination is a contiguous row of `n` words (or several: `deinterleave`), for each row of a [`Strip`].
///
/// All are `unsafe`: K1 to K4.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowKernels<W> {
    /// `dst[i] = src[i]`
    pub(super) copy: unsafe fn(dst: *mut W, src: *const W, n: usize, strip: Strip, store: Store),
    /// `dst[i] = src[-i]`: `src` is the word that is read first.
    pub(super) reverse: unsafe fn(dst: *mut W, src: *const W, n: usize, strip: Strip, store: Store),
    /// `dst[i] = src[i * step]`, for any step.
    pub(super) step: unsafe fn(dst: *mut W, src: *const W, step: isize, n: usize, strip: Strip, store: Store),
    /// `dst[i] = src[0]`
    pub(super) fill: unsafe fn(dst: *mut W, src: *const W, n: usize, strip: Strip, store: Store),
    /// `dst[i * k + c] = src[c * pitch + i]` for `c < k`, `i < n`; `k` is 2, 3 or 4.
    pub(super) interleave:
        unsafe fn(dst: *mut W, src: *const W, pitch: isize, k: usize, n: usize, strip: Strip, store: Store),
    /// `dst[c * pitch + i] = src[i * k + c]` for `c < k`, `i < n`; `k` is 2, 3 or 4.
    pub(super) deinterleave:
        unsafe fn(dst: *mut W, pitch: isize, src: *const W, k: usize, n: usize, strip: Strip, store: Store),
}

/// Where the rows of a panel begin in the source, in words.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rows<'a> {
    /// Row `i` at `i * pitch`.
    Pitch(isize),
    /// Row `i` at `table[i]`.
    Table(&'a [isize]),
}

/// A transposition: `dst[j * dst_pitch + i] = src[rows(i) + j]` for `i < m`, `j < n`. Both sides are contiguous, the
/// destination along `i`, the source along `j`.
///
/// `unsafe`: K1 to K4.
pub(super) type Panel<W> =
    unsafe fn(dst: *mut W, dst_pitch: isize, src: *const W, rows: Rows<'_>, m: usize, n: usize, store: Store);
