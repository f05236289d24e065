//! Stages in the nearest cache: where operands are put in order before the loop, and results before they are streamed.

use core::mem::MaybeUninit;

use super::Loop;
use crate::host::Isa;
use crate::host::compiled;

/// Bytes of a stage.
pub(super) const BYTES: usize = 16 << 10;

/// Bytes of a piece of a row where there is no need for more: what is in use and the rows beside it share 32 KiB.
pub(super) const PIECE: usize = 8 << 10;

/// Elements that are taken of each source row of a transposition: several lines, and pieces of rows of the destination
/// that are no shorter.
pub(super) fn taken(widest: usize) -> usize {
    (256 / widest).min(64)
}

/// Fewer elements than this along an axis are not worth a transposition.
pub(super) const FEW: usize = 4;

/// Three stages: for results and for each operand.
#[repr(C, align(64))]
pub(super) struct Stages([[MaybeUninit<u8>; BYTES]; 3]);

impl Stages {
    pub(super) fn new() -> Stages {
        Stages([[MaybeUninit::uninit(); BYTES]; 3])
    }

    pub(super) fn split(&mut self) -> [*mut u8; 3] {
        self.0.each_mut().map(|stage| stage.as_mut_ptr().cast())
    }
}

/// Puts `rows` rows of `n` elements on a stage, row after row; `along` and `down` are the strides of the source.
///
/// # Safety
///
/// They can be read, and the stage has room for them; K4.
pub(super) unsafe fn stage<T: Copy>(
    isa: Isa,
    stage: *mut T,
    src: *const T,
    along: isize,
    down: isize,
    n: usize,
    rows: usize,
) {
    // SAFETY: the caller's. An element is moved as the bits that it has.
    unsafe {
        if down != 1 {
            return compiled::run(isa, Gather { stage, src, along, down, n, rows });
        }
        match size_of::<T>() {
            1 => transpose::<u8, 16>(stage.cast(), src.cast(), along, n, rows),
            2 => transpose::<u16, 8>(stage.cast(), src.cast(), along, n, rows),
            4 => transpose::<u32, 4>(stage.cast(), src.cast(), along, n, rows),
            8 => transpose::<u64, 2>(stage.cast(), src.cast(), along, n, rows),
            _ => transpose::<u128, 1>(stage.cast(), src.cast(), along, n, rows),
        }
    }
}

/// Rows that step through the source.
struct Gather<T> {
    stage: *mut T,
    src: *const T,
    along: isize,
    down: isize,
    n: usize,
    rows: usize,
}

impl<T: Copy> Loop for Gather<T> {
    type Output = ();

    #[inline(always)]
    unsafe fn run(self) {
        let Gather { stage, src, along, down, n, rows } = self;
        for row in 0..rows {
            let gather = |along: isize| {
                for i in 0..n {
                    // SAFETY: the caller of `stage`'s.
                    unsafe {
                        let src = src.offset(row as isize * down + i as isize * along);
                        stage.add(row * n + i).write(src.read());
                    }
                }
            };
            match along {
                -1 => gather(-1),
                2 => gather(2),
                _ => gather(along),
            }
        }
    }
}

/// A word of 1, 2, 4, 8 or 16 bytes; `N` of them are 16 bytes.
trait Word: Copy {
    /// Interleaves the lower halves and the upper halves of two vectors.
    #[cfg(target_arch = "x86_64")]
    fn zip(a: Vector, b: Vector) -> [Vector; 2];
}

#[cfg(target_arch = "x86_64")]
type Vector = core::arch::x86_64::__m128i;

macro_rules! words {
    ($($word:ty: $low:ident $high:ident;)*) => {$(
        impl Word for $word {
            #[cfg(target_arch = "x86_64")]
            #[inline(always)]
            fn zip(a: Vector, b: Vector) -> [Vector; 2] {
                use core::arch::x86_64::{$low, $high};
                // SAFETY: every CPU of the target has SSE2.
                #[allow(unused_unsafe, reason = "safe where the compiler knows that SSE2 is there")]
                unsafe { [$low(a, b), $high(a, b)] }
            }
        }
    )*};
}

words! {
    u8: _mm_unpacklo_epi8 _mm_unpackhi_epi8;
    u16: _mm_unpacklo_epi16 _mm_unpackhi_epi16;
    u32: _mm_unpacklo_epi32 _mm_unpackhi_epi32;
    u64: _mm_unpacklo_epi64 _mm_unpackhi_epi64;
}

impl Word for u128 {
    #[cfg(target_arch = "x86_64")]
    fn zip(a: Vector, b: Vector) -> [Vector; 2] {
        [a, b]
    }
}

/// `stage[row * n + i] = src[i * pitch + row]`, in squares of `N`.
///
/// # Safety
///
/// As of [`stage`].
#[inline(always)]
unsafe fn transpose<W: Word, const N: usize>(stage: *mut W, src: *const W, pitch: isize, n: usize, rows: usize) {
    let (whole_n, whole_rows) = (n / N * N, rows / N * N);
    // SAFETY: the caller's, all along.
    unsafe {
        let one = |i: usize, row: usize| {
            let word = src.offset(i as isize * pitch + row as isize).read_unaligned();
            stage.add(row * n + i).write_unaligned(word);
        };
        for i in (0..whole_n).step_by(N) {
            for row in (0..whole_rows).step_by(N) {
                let from = src.offset(i as isize * pitch + row as isize);
                square::<W, N>(stage.add(row * n + i), n, from, pitch);
            }
            for i in i..i + N {
                (whole_rows..rows).for_each(|row| one(i, row));
            }
        }
        for i in whole_n..n {
            (0..rows).for_each(|row| one(i, row));
        }
    }
}

/// # Safety
///
/// `N` rows of 16 bytes can be read from `src` on and written from `dst` on.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn square<W: Word, const N: usize>(dst: *mut W, n: usize, src: *const W, pitch: isize) {
    // SAFETY: the caller's; unaligned words of 16 bytes.
    unsafe {
        let mut lines: [Vector; N] =
            core::array::from_fn(|i| src.offset(i as isize * pitch).cast::<Vector>().read_unaligned());
        // Interleaving the first half of the vectors with the second one turns the index by a bit: after all bits it is
        // transposed.
        for _ in 0..N.ilog2() {
            let before = lines;
            for i in 0..N / 2 {
                [lines[2 * i], lines[2 * i + 1]] = W::zip(before[i], before[i + N / 2]);
            }
        }
        for (row, line) in lines.into_iter().enumerate() {
            dst.add(row * n).cast::<Vector>().write_unaligned(line);
        }
    }
}

/// # Safety
///
/// `N` rows of 16 bytes can be read from `src` on and written from `dst` on.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
unsafe fn square<W: Word, const N: usize>(dst: *mut W, n: usize, src: *const W, pitch: isize) {
    for i in 0..N {
        for row in 0..N {
            // SAFETY: the caller's.
            unsafe {
                dst.add(row * n + i).write_unaligned(src.offset(i as isize * pitch + row as isize).read_unaligned())
            };
        }
    }
}

/// Copies `bytes` bytes past the caches, whole lines of them; [`fence`] comes before anybody else may look.
///
/// # Safety
///
/// Both are good for `bytes` bytes and do not overlap.
#[inline(always)]
pub(super) unsafe fn stream(dst: *mut u8, src: *const u8, bytes: usize) {
    // SAFETY: the caller's: less than a line up to the first whole one, then whole lines, then the rest.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        {
            let head = dst.align_offset(64).min(bytes);
            core::ptr::copy_nonoverlapping(src, dst, head);
            let lines = (bytes - head) / 64;
            for at in (head..head + lines * 64).step_by(16) {
                core::arch::x86_64::_mm_stream_si128(dst.add(at).cast(), src.add(at).cast::<Vector>().read_unaligned());
            }
            let done = head + lines * 64;
            core::ptr::copy_nonoverlapping(src.add(done), dst.add(done), bytes - done);
        }
        #[cfg(not(target_arch = "x86_64"))]
        core::ptr::copy_nonoverlapping(src, dst, bytes);
    }
}

/// Orders streaming stores before everything that this thread does next.
pub(super) fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every CPU of the target has SSE.
    #[allow(unused_unsafe, reason = "safe where the compiler knows that SSE is there")]
    unsafe {
        core::arch::x86_64::_mm_sfence();
    }
}
