//! `fill`: one vector that repeats the word, turned so that it fits the first aligned address.

use super::*;
use crate::host::kernel::Store;

/// # Safety
///
/// K1 to K4.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn fill<W: Word>(dst: *mut W, src: *const W, n: usize, strip: Strip, store: Store) {
    let bytes = n * W::BYTES;
    for_rows(dst, src, strip, |dst, src| {
        if n == 0 {
            return;
        }
        // SAFETY: K1: a row that is not empty reads its word and has `bytes` bytes.
        unsafe {
            let word = src.cast::<W>().read_unaligned();
            match store {
                Store::Stream if bytes >= STREAM_FROM => stream_row(dst, word, bytes),
                _ => row(dst, word, bytes),
            }
        }
    });
}

/// The word again and again.
#[inline]
#[target_feature(enable = "avx2")]
fn repeated<W: Word>(word: W) -> __m256i {
    let words = [word; 32];
    // SAFETY: 32 words have 32 bytes, and any bits are a vector.
    unsafe { load(words.as_ptr().cast()) }
}

/// # Safety
///
/// `bytes` bytes can be written, a whole number of words.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn row<W: Word>(dst: *mut u8, word: W, bytes: usize) {
    let vector = repeated(word);
    // SAFETY: the caller's: every store ends at or before `bytes`, and begins at a multiple of the word's size.
    unsafe {
        if bytes < VECTOR {
            for at in (0..bytes).step_by(W::BYTES) {
                dst.add(at).cast::<W>().write_unaligned(word);
            }
            return;
        }
        let mut at = 0;
        while at + 4 * VECTOR <= bytes {
            for k in 0..4 {
                put(dst.add(at + k * VECTOR), vector);
            }
            at += 4 * VECTOR;
        }
        while at + VECTOR <= bytes {
            put(dst.add(at), vector);
            at += VECTOR;
        }
        put(dst.add(bytes - VECTOR), vector);
    }
}

/// # Safety
///
/// `bytes` bytes can be written, a whole number of words, 128 or more.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn stream_row<W: Word>(dst: *mut u8, word: W, bytes: usize) {
    // Lines begin in the middle of a word where the words are not aligned: there the vector begins with the rest of a word.
    let words = [word; 64];
    let head = dst.align_offset(LINE);
    // SAFETY: the caller's: `head` is at most 63, `at` never passes `bytes`, and lines begin at multiples of 64. `words` has 64
    // bytes at least, 15 + 32 of which are read.
    unsafe {
        let (vector, turned) = (repeated(word), load(words.as_ptr().cast::<u8>().add(head % W::BYTES)));
        // Words that reach into the first line are written whole; the line repeats the bytes.
        put(dst, vector);
        put(dst.add(VECTOR), vector);
        let mut at = head;
        while at + LINE <= bytes {
            stream(dst.add(at), [turned, turned]);
            at += LINE;
        }
        put(dst.add(bytes - 2 * VECTOR), vector);
        put(dst.add(bytes - VECTOR), vector);
    }
}
