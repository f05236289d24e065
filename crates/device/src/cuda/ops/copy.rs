//! `copy` as launches: which kernel moves the elements of a plan, and in what form.
//!
//! | the plan | the kernel | why |
//! |---|---|---|
//! | both operands dense on the innermost axis | `copy_b<w·size>` | fewer and wider accesses, up to 16 bytes |
//! | the source dense on another axis than the destination, both axes of 16 or more | `transpose_b<size>` | a warp would read 32 places 32 sectors apart |
//! | anything else | `copy_b<size>` | writes are dense where they can be; reads are what they are |
//!
//! The widest form is found first: `(n,h,w,4)` of `f32` permuted is a transposition of 16-byte elements.

use weft_layout::{IndexWidth, Plan, PlanAxis};

use super::launch::{Args, Family, Launch};
use super::walk::Walk;
use crate::cuda::desc::{Index, Tiles};

/// The side of a tile, and how many threads a block has along each side: `TILE` and `TILE_ROWS` of `kernels/transpose.cu`.
const TILE: usize = 32;
const THREADS: [u32; 2] = [32, 8];

/// Along axes shorter than half a tile, most threads of a tile would have nothing to do.
const SHORTEST: usize = TILE / 2;

/// A copy of elements of `bytes` bytes along a plan of few enough axes, between these addresses.
pub(super) fn launch(plan: &Plan<2>, bytes: usize, dst: usize, src: usize) -> Launch {
    let width = plan.vector_width([bytes; 2], [dst, src]);
    let walk = Walk::new(plan, width);
    let bytes = bytes * width;
    match transposed_axis(walk.axes()) {
        Some(across) => tiled(&walk, across, bytes, dst, src),
        None => {
            let args = match walk.index {
                IndexWidth::U32 => Args::default().with(walk.unravel::<u32, 7>()),
                IndexWidth::U64 => Args::default().with(walk.unravel::<u64, 7>()),
            };
            let args = args.with(dst as u64).with(src as u64);
            Launch::of_threads(Family::Copy, walk.index, format_args!("copy_b{bytes}"), walk.numel(), args)
        }
    }
}

/// Which axis, other than the innermost, the source is dense on, where tiles are worth their while.
fn transposed_axis(axes: &[PlanAxis<2>]) -> Option<usize> {
    let (inner, outer) = axes.split_last()?;
    let [1, reads] = inner.strides else { return None };
    if reads.unsigned_abs() < 2 || inner.size < SHORTEST {
        return None;
    }
    outer.iter().rposition(|axis| axis.strides[1].unsigned_abs() == 1 && axis.size >= SHORTEST)
}

/// The copy in tiles of the innermost axis and the one at `across`; the others are a batch.
fn tiled(walk: &Walk<2>, across: usize, bytes: usize, dst: usize, src: usize) -> Launch {
    let mut outer = Walk::start(walk.offsets, walk.index);
    let (mut matrix, mut tiles) = ([PlanAxis { size: 1, strides: [0; 2] }; 2], 1);
    for (i, &axis) in walk.axes().iter().enumerate() {
        if i == across || i + 1 == walk.axes().len() {
            matrix[usize::from(i != across)] = axis;
            tiles *= axis.size.div_ceil(TILE);
        } else {
            outer.push(axis.size, axis.strides);
            tiles *= axis.size;
        }
    }
    let args = match walk.index {
        IndexWidth::U32 => Args::default().with(descriptor::<u32>(tiles, matrix, &outer)),
        IndexWidth::U64 => Args::default().with(descriptor::<u64>(tiles, matrix, &outer)),
    };
    let args = args.with(dst as u64).with(src as u64);
    Launch::of_blocks(Family::Transpose, walk.index, format_args!("transpose_b{bytes}"), tiles, THREADS, args)
}

fn descriptor<I: Index>(tiles: usize, [across, inner]: [PlanAxis<2>; 2], outer: &Walk<2>) -> Tiles<I> {
    Tiles {
        tiles: I::of(tiles),
        inner: I::of(inner.size),
        inner_strides: inner.strides.map(I::wrapped),
        across: I::of(across.size),
        across_strides: across.strides.map(I::wrapped),
        inner_tiles: I::divider(inner.size.div_ceil(TILE)),
        across_tiles: I::divider(across.size.div_ceil(TILE)),
        outer: outer.unravel(),
    }
}
