//! The sum of values that come one after another: blocks of 16 in order, and a balanced tree over the blocks.

#[cfg(target_arch = "x86_64")]
use super::lanes;
use crate::element::Element;
use crate::host::Isa;

/// How many values are added up one after the other.
pub(super) const BLOCK: usize = 16;

/// Blocks whose sums are found side by side where the compiler arranges it.
const SIDE_BY_SIDE: usize = 8;

/// Adds up values in the order in which they come, in a balanced tree over blocks of [`BLOCK`]: the error grows with the
/// logarithm of the count and not with the count, and the bits depend on nothing but the values and their order.
pub(super) struct Pairwise<T: Element> {
    block: Option<T::Sum>,
    filled: usize,
    /// Sums of 2^k blocks each, the largest first, as the ones of a binary counter of blocks.
    tree: [T::Sum; usize::BITS as usize],
    blocks: usize,
}

impl<T: Element> Pairwise<T> {
    pub(super) fn new() -> Pairwise<T> {
        Pairwise { block: None, filled: 0, tree: [T::Sum::default(); usize::BITS as usize], blocks: 0 }
    }

    #[inline(always)]
    pub(super) fn add(&mut self, value: T) {
        // No starting zero: 0.0 + -0.0 would lose a sign.
        self.block = Some(self.block.map_or_else(|| value.to_sum(), |sum| T::add_sums(sum, value.to_sum())));
        self.filled += 1;
        if self.filled == BLOCK {
            self.filled = 0;
            if let Some(sum) = self.block.take() {
                self.push(0, sum);
            }
        }
    }

    /// Adds the sum of 2^`height` blocks, carrying as a binary counter does. The blocks before are a multiple of that.
    #[inline(always)]
    pub(super) fn push(&mut self, height: usize, mut sum: T::Sum) {
        let mut slot = self.blocks.count_ones() as usize;
        for _ in 0..(self.blocks >> height).trailing_ones() {
            slot -= 1;
            sum = T::add_sums(self.tree[slot], sum);
        }
        self.tree[slot] = sum;
        self.blocks += 1 << height;
    }

    /// The sum of everything added since the last call, and of `last` after it, which is less than any subtree so far. There is
    /// something: no reduction is empty.
    #[inline(always)]
    pub(super) fn take(&mut self, last: Option<T::Sum>) -> T::Sum {
        let mut slot = self.blocks.count_ones() as usize;
        let mut sum = self.block.take().or(last);
        while slot > 0 {
            slot -= 1;
            let left = self.tree[slot];
            sum = Some(sum.map_or(left, |right| T::add_sums(left, right)));
        }
        (self.filled, self.blocks) = (0, 0);
        sum.unwrap_or_default()
    }

    /// Adds `n` values, `step` elements apart: whole blocks side by side, as many as make a subtree.
    ///
    /// # Safety
    ///
    /// All of them can be read, and K4.
    #[inline(always)]
    pub(super) unsafe fn extend(&mut self, isa: Isa, mut src: *const T, step: isize, mut n: usize) {
        if T::INDIVISIBLE {
            // Wrapping sums are the same in any order and any grouping.
            let sum = |step: isize| {
                // SAFETY: the caller's.
                let value = |i: isize| unsafe { src.offset(i * step).read().to_sum() };
                (0..n as isize).map(value).reduce(T::add_sums)
            };
            let all = if step == 1 { sum(1) } else { sum(step) };
            self.block = match (self.block, all) {
                (Some(sum), Some(all)) => Some(T::add_sums(sum, all)),
                (sum, all) => sum.or(all),
            };
            return;
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = isa;
        // SAFETY: the caller's: `n` elements are left from `src` on, all along.
        unsafe {
            while self.filled != 0 && n > 0 {
                self.add(src.read());
                (src, n) = (src.wrapping_offset(step), n - 1);
            }
            #[cfg(target_arch = "x86_64")]
            if isa == Isa::Avx2 && step == 1 && lanes::serves::<T>() {
                while let Some(height) = lanes::height(self.blocks, n / BLOCK) {
                    self.push(height, lanes::subtree::<T>(src, height));
                    let done = BLOCK << height;
                    (src, n) = (src.add(done), n - done);
                }
            }
            while n >= BLOCK {
                let height = self.blocks.trailing_zeros().min((n / BLOCK).ilog2()).min(SIDE_BY_SIDE.ilog2());
                let sum = match height {
                    3 => blocks::<T, 8>(src, step),
                    2 => blocks::<T, 4>(src, step),
                    1 => blocks::<T, 2>(src, step),
                    _ => blocks::<T, 1>(src, step),
                };
                self.push(height as usize, sum);
                let done = BLOCK << height;
                (src, n) = (src.wrapping_offset(step * done as isize), n - done);
            }
            for _ in 0..n {
                self.add(src.read());
                src = src.wrapping_offset(step);
            }
        }
    }
}

/// The sum of `L` blocks as a subtree. The blocks are independent, so that their additions overlap.
///
/// # Safety
///
/// They can be read.
#[inline(always)]
unsafe fn blocks<T: Element, const L: usize>(src: *const T, step: isize) -> T::Sum {
    // SAFETY: the caller's.
    let at = |i: usize| unsafe { src.offset(i as isize * step).read().to_sum() };
    let mut sums: [T::Sum; L] = core::array::from_fn(|block| at(block * BLOCK));
    for i in 1..BLOCK {
        for (block, sum) in sums.iter_mut().enumerate() {
            *sum = T::add_sums(*sum, at(block * BLOCK + i));
        }
    }
    subtree::<T, L>(sums)
}

/// The sum of a power of two of blocks.
#[inline(always)]
fn subtree<T: Element, const L: usize>(mut sums: [T::Sum; L]) -> T::Sum {
    let mut len = L;
    while len > 1 {
        len /= 2;
        for i in 0..len {
            sums[i] = T::add_sums(sums[2 * i], sums[2 * i + 1]);
        }
    }
    sums[0]
}
