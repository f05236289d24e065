//! Adding a source into a smaller destination: the gradient of a broadcast.

use weft_layout::{PlanAxis, ReducePlan};

use crate::element::Element;

/// # Safety
///
/// D2 to D5; several steps may add to one destination element.
pub(super) unsafe fn accumulate<T: Element>(plan: &ReducePlan, dst: *mut T, src: *const T) {
    let mut sum = Pairwise::<T>::new();
    plan.keep().for_each_run(|[to, from], run| {
        for i in 0..run.size as isize {
            let from = from.wrapping_add_signed(i * run.strides[1]);
            plan.reduce().for_each_run(|[on_top], &PlanAxis { size, strides: [step] }| {
                for j in 0..size as isize {
                    // SAFETY: D3: the offset of `keep` and the one of `reduce` on top of it are an offset of the source.
                    sum.add(unsafe { src.add(from + on_top).offset(j * step).read() });
                }
            });
            // SAFETY: D3: an offset of the destination, which no source element of another step is (D5).
            unsafe {
                let dst = dst.add(to).offset(i * run.strides[0]);
                dst.write(dst.read().plus_sum(sum.take()));
            }
        }
    });
}

/// Adds up values in the order in which they come, in a balanced tree over blocks of [`BLOCK`]: the error grows with the
/// logarithm of the count and not with the count, and the bits depend on nothing but the values and their order.
struct Pairwise<T: Element> {
    block: Option<T::Sum>,
    filled: usize,
    /// Sums of 2^k blocks each, the largest first, as the ones of a binary counter of blocks.
    tree: [T::Sum; usize::BITS as usize],
    blocks: usize,
}

const BLOCK: usize = 16;

impl<T: Element> Pairwise<T> {
    fn new() -> Pairwise<T> {
        Pairwise { block: None, filled: 0, tree: [T::Sum::default(); usize::BITS as usize], blocks: 0 }
    }

    #[inline]
    fn add(&mut self, value: T) {
        // No starting zero: 0.0 + -0.0 would lose a sign.
        self.block = Some(self.block.map_or_else(|| value.to_sum(), |sum| T::add_sums(sum, value.to_sum())));
        self.filled += 1;
        if self.filled == BLOCK {
            self.close();
        }
    }

    /// Adds the finished block to the tree, carrying as a binary counter does.
    fn close(&mut self) {
        let Some(mut sum) = self.block.take() else { return };
        self.filled = 0;
        let mut height = self.blocks.count_ones() as usize;
        for _ in 0..self.blocks.trailing_ones() {
            height -= 1;
            sum = T::add_sums(self.tree[height], sum);
        }
        self.tree[height] = sum;
        self.blocks += 1;
    }

    /// The sum of everything added since the last call. There is something: no reduction is empty.
    fn take(&mut self) -> T::Sum {
        let mut height = self.blocks.count_ones() as usize;
        let mut sum = self.block.take();
        while height > 0 {
            height -= 1;
            let left = self.tree[height];
            sum = Some(sum.map_or(left, |right| T::add_sums(left, right)));
        }
        (self.filled, self.blocks) = (0, 0);
        sum.unwrap_or_default()
    }
}
