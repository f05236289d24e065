//! Blocks without gaps on AVX2: the lanes of a vector are the blocks, and each block is added up in its order.
//!
//! Four values of each of eight blocks are loaded and transposed in registers, so that an addition of two vectors adds the next
//! value to every block. The sums of the blocks are then put together as the tree does it.

use core::arch::x86_64::*;

use super::pairwise::BLOCK;
use crate::element::{DType, Element};

/// Whether there is a kernel for the type.
pub(super) const fn serves<T: Element>() -> bool {
    matches!(T::DTYPE, DType::F32 | DType::F16 | DType::Bf16 | DType::F64 | DType::C32)
}

/// The height of the greatest subtree with a kernel that comes next after `blocks` blocks, if `left` more are there.
#[inline(always)]
pub(super) fn height(blocks: usize, left: usize) -> Option<usize> {
    [6, 3].into_iter().find(|height| left >> height != 0 && blocks & ((1 << height) - 1) == 0)
}

/// The sum of 2^`height` blocks, where `height` comes from [`height`].
///
/// # Safety
///
/// They can be read; `T` is [served](serves); K4.
#[target_feature(enable = "avx2,f16c")]
#[inline]
pub(super) unsafe fn subtree<T: Element>(src: *const T, height: usize) -> T::Sum {
    // SAFETY: the caller's; the sums of a type have the type of the kernel.
    unsafe {
        match T::DTYPE {
            DType::F64 => same(pairs(src.cast(), height, |a, b| _mm256_add_pd(a, b))),
            DType::C32 => same(pairs(src.cast(), height, |a, b| {
                _mm256_castps_pd(_mm256_add_ps(_mm256_castpd_ps(a), _mm256_castpd_ps(b)))
            })),
            DType::F32 => same(fours(src.cast::<f32>(), height, |src| _mm_loadu_ps(src))),
            DType::F16 => same(fours(src.cast::<u16>(), height, |src| _mm_cvtph_ps(_mm_loadl_epi64(src.cast())))),
            _ => same(fours(src.cast::<u16>(), height, |src| {
                _mm_castsi128_ps(_mm_slli_epi32::<16>(_mm_cvtepu16_epi32(_mm_loadl_epi64(src.cast()))))
            })),
        }
    }
}

/// A value of one type as the other that it is.
///
/// # Safety
///
/// They have the same size, and every value of one is a value of the other.
#[inline(always)]
unsafe fn same<A, B>(a: A) -> B {
    debug_assert_eq!(size_of::<A>(), size_of::<B>());
    // SAFETY: the caller's.
    unsafe { core::mem::transmute_copy(&a) }
}

/// Values that are added in `f32`; `load` gives four of them.
///
/// # Safety
///
/// 2^`height` blocks can be read, and K4.
#[target_feature(enable = "avx2,f16c")]
#[inline]
unsafe fn fours<W>(src: *const W, height: usize, load: impl Fn(*const W) -> __m128 + Copy) -> f32 {
    // SAFETY: the caller's: eight blocks at a time.
    unsafe {
        let one = if height == 3 {
            eight_by_four(src, load)
        } else {
            let of = |i: usize| eight_by_four(src.add(8 * BLOCK * i), load);
            let pairs = |i: usize| _mm256_hadd_ps(of(i), of(i + 1));
            // Halves of four groups of eight blocks, side by side.
            let left = _mm256_hadd_ps(pairs(0), pairs(2));
            let right = _mm256_hadd_ps(pairs(4), pairs(6));
            _mm256_add_ps(_mm256_permute2f128_ps::<0x20>(left, right), _mm256_permute2f128_ps::<0x31>(left, right))
        };
        let pairs = _mm256_hadd_ps(one, one);
        let halves = _mm256_hadd_ps(pairs, pairs);
        _mm_cvtss_f32(_mm_add_ss(_mm256_castps256_ps128(halves), _mm256_extractf128_ps::<1>(halves)))
    }
}

/// The sums of eight blocks.
///
/// # Safety
///
/// They can be read, and K4.
#[target_feature(enable = "avx2,f16c")]
#[inline]
unsafe fn eight_by_four<W>(src: *const W, load: impl Fn(*const W) -> __m128) -> __m256 {
    // SAFETY: the caller's: inside the eight blocks.
    unsafe {
        let mut sums = _mm256_setzero_ps();
        for quarter in 0..4 {
            // Four values of each block, blocks 0..4 in the lower half and 4..8 in the upper.
            let both = |block: usize| {
                let lower = load(src.add(block * BLOCK + quarter * 4));
                _mm256_insertf128_ps::<1>(
                    _mm256_castps128_ps256(lower),
                    load(src.add((block + 4) * BLOCK + quarter * 4)),
                )
            };
            let (a, b, c, d) = (both(0), both(1), both(2), both(3));
            let (ab, cd) = (_mm256_unpacklo_ps(a, b), _mm256_unpacklo_ps(c, d));
            let first = _mm256_shuffle_ps::<0x44>(ab, cd);
            let second = _mm256_shuffle_ps::<0xee>(ab, cd);
            let (ab, cd) = (_mm256_unpackhi_ps(a, b), _mm256_unpackhi_ps(c, d));
            let third = _mm256_shuffle_ps::<0x44>(ab, cd);
            let fourth = _mm256_shuffle_ps::<0xee>(ab, cd);
            sums = if quarter == 0 { first } else { _mm256_add_ps(sums, first) };
            sums = _mm256_add_ps(sums, second);
            sums = _mm256_add_ps(sums, third);
            sums = _mm256_add_ps(sums, fourth);
        }
        sums
    }
}

/// Values of eight bytes, of which `add` adds four.
///
/// # Safety
///
/// 2^`height` blocks can be read, and K4.
#[target_feature(enable = "avx2,f16c")]
#[inline]
unsafe fn pairs(src: *const f64, height: usize, add: impl Fn(__m256d, __m256d) -> __m256d + Copy) -> f64 {
    // SAFETY: the caller's: eight blocks at a time.
    unsafe {
        // The sums of eight blocks: pairs of them, then pairs of pairs.
        let eight = |src: *const f64| {
            let (low, high) = (four_by_two(src, add), four_by_two(src.add(4 * BLOCK), add));
            let pairs = add(_mm256_unpacklo_pd(low, high), _mm256_unpackhi_pd(low, high));
            let halves = _mm256_permute2f128_pd::<1>(pairs, pairs);
            let fours = add(pairs, halves);
            add(fours, _mm256_permute_pd::<1>(fours))
        };
        if height == 3 {
            return _mm256_cvtsd_f64(eight(src));
        }
        let of = |i: usize| eight(src.add(8 * BLOCK * i));
        let pair = |i: usize| add(of(i), of(i + 1));
        let (left, right) = (add(pair(0), pair(2)), add(pair(4), pair(6)));
        _mm256_cvtsd_f64(add(left, right))
    }
}

/// The sums of four blocks.
///
/// # Safety
///
/// They can be read, and K4.
#[target_feature(enable = "avx2,f16c")]
#[inline]
unsafe fn four_by_two(src: *const f64, add: impl Fn(__m256d, __m256d) -> __m256d) -> __m256d {
    // SAFETY: the caller's: inside the four blocks.
    unsafe {
        let mut sums = _mm256_setzero_pd();
        for half in 0..8 {
            // Two values of each block, blocks 0 and 1 in the lower half and 2 and 3 in the upper.
            let both = |block: usize| {
                let lower = _mm_loadu_pd(src.add(block * BLOCK + half * 2));
                let upper = _mm_loadu_pd(src.add((block + 2) * BLOCK + half * 2));
                _mm256_insertf128_pd::<1>(_mm256_castpd128_pd256(lower), upper)
            };
            let (a, b) = (both(0), both(1));
            let (first, second) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
            sums = if half == 0 { first } else { add(sums, first) };
            sums = add(sums, second);
        }
        sums
    }
}
