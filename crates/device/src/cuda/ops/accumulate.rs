//! `accumulate` as launches: into which chunks sums are cut, who adds up a chunk, and the passes until one sum is left.
//!
//! | the sums | a chunk is added up by | why |
//! |---|---|---|
//! | 512 elements or more, and the source is denser along a sum than from one sum to the next | a block | neighbours of one sum are read together |
//! | anything else | a thread | neighbours of many sums are read together, or there is little to read |
//!
//! Chunks are 16·2^k elements, whole subtrees of the host's tree, so the bits are the host's whatever is chosen here.

use weft_layout::{IndexWidth, Plan, ReducePlan};

use super::launch::{Args, BLOCK, Family, Launch};
use super::walk::Walk;
use crate::cuda::desc::{Index, Reduce, Sums};
use crate::element::DType;

/// Elements that are added up one after another: `LEAF` of `kernels/accumulate.cu`.
const LEAF: usize = 16;

/// How many leaves of the tree a thread takes: 2^`LEVELS` of `kernels/accumulate.cu`.
const LEAVES: usize = 64;

/// A block is worth its while from this length on.
const FOR_A_BLOCK: usize = 512;

/// Sums that are too long for a thread are cut into chunks of 256 to 1024 elements, the smaller ones while there are fewer
/// than so many. What one thread can add up is not cut: partial sums need memory, and a pass more.
const BUSY: usize = 1 << 14;

/// Who adds up a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Thread,
    /// So many threads: `Together` of `kernels/accumulate.cu`.
    Block(u32),
}

/// How the sums of a plan are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    form: Form,
    /// Elements of a sum, and of a chunk.
    elements: usize,
    chunk: usize,
    outputs: usize,
    index: IndexWidth,
}

/// The name of the type whose kernels add: two's complement is one addition for both signs.
const fn adder(dtype: DType) -> &'static str {
    match dtype {
        DType::I8 => "u8",
        DType::I16 => "u16",
        DType::I32 => "u32",
        DType::I64 => "u64",
        other => other.name(),
    }
}

impl Cut {
    /// How to add up `reduce` for every step of `keep`, a part of the plan's.
    pub(super) fn new(plan: &ReducePlan, keep: &Plan<2>, dtype: DType) -> Cut {
        let (elements, outputs) = (plan.reduce().numel(), keep.numel());
        let along = plan.reduce().axes().last().map_or(0, |axis| axis.strides[0].unsigned_abs());
        let between = keep.axes().last().map_or(usize::MAX, |axis| axis.strides[1].unsigned_abs());
        let form = if elements >= FOR_A_BLOCK && along < between {
            Form::Block(if dtype.size() <= 4 { BLOCK } else { 1024 / dtype.size() as u32 })
        } else {
            Form::Thread
        };
        let chunk = match form {
            Form::Block(threads) => threads as usize * LEAF,
            Form::Thread if elements <= LEAF * LEAVES => LEAF * LEAVES,
            Form::Thread => {
                let smallest = [256, 512].into_iter().find(|&chunk| outputs * elements.div_ceil(chunk) <= BUSY);
                smallest.unwrap_or(LEAF * LEAVES)
            }
        };
        Cut { form, elements, chunk, outputs, index: plan.index_width() }
    }

    /// How many chunks a sum has.
    pub(super) fn chunks(&self) -> usize {
        self.elements.div_ceil(self.chunk)
    }

    /// How many partial sums the first pass leaves; none where it makes the whole sums.
    pub(super) fn partial_sums(&self) -> usize {
        // At most one for every 256 elements of the source.
        if self.chunks() == 1 { 0 } else { self.chunks() * self.outputs }
    }

    /// The first pass, from the source to partial sums or, where there is one chunk, into the destination.
    pub(super) fn first(
        &self,
        plan: &ReducePlan,
        keep: &Plan<2>,
        dtype: DType,
        [dst, src, partial]: [usize; 3],
    ) -> Launch {
        let keep = Walk::new(keep, 1);
        let (offsets, reduce) = (plan.reduce().offsets(), plan.reduce().axes());
        let args = match self.index {
            IndexWidth::U32 => Args::default().with(self.sums::<u32>(&keep)).with(Reduce::<u32>::new(reduce, offsets)),
            IndexWidth::U64 => Args::default().with(self.sums::<u64>(&keep)).with(Reduce::<u64>::new(reduce, offsets)),
        };
        let args = args.with(dst as u64).with(src as u64).with(partial as u64);
        let (work, name) = (self.outputs * self.chunks(), adder(dtype));
        match self.form {
            Form::Thread => {
                Launch::of_threads(Family::Accumulate, self.index, format_args!("accumulate_{name}"), work, args)
            }
            Form::Block(threads) => {
                let kernel = format_args!("accumulate_block_{name}");
                Launch::of_blocks(Family::Accumulate, self.index, kernel, work, [threads, 1], args)
            }
        }
    }

    /// The pass after this one: its leaves are the sums of these chunks.
    pub(super) fn next(&self) -> Option<Cut> {
        let left = self.chunks();
        (left > 1).then_some(Cut { form: Form::Thread, elements: left, chunk: LEAVES, ..*self })
    }

    /// A later pass, from partial sums to fewer or into the destination.
    pub(super) fn tree(&self, keep: &Plan<2>, dtype: DType, [dst, from, partial]: [usize; 3]) -> Launch {
        let keep = Walk::new(keep, 1);
        let args = match self.index {
            IndexWidth::U32 => Args::default().with(self.sums::<u32>(&keep)),
            IndexWidth::U64 => Args::default().with(self.sums::<u64>(&keep)),
        };
        let args = args.with(dst as u64).with(from as u64).with(partial as u64);
        let (work, kernel) = (self.outputs * self.chunks(), adder(dtype));
        Launch::of_threads(Family::Accumulate, self.index, format_args!("accumulate_tree_{kernel}"), work, args)
    }

    fn sums<I: Index>(&self, keep: &Walk<2>) -> Sums<I> {
        Sums {
            leaves: I::of(self.elements),
            chunk: I::of(self.chunk),
            chunks: I::of(self.chunks()),
            outputs: I::divider(self.outputs),
            keep: keep.unravel(),
        }
    }
}
