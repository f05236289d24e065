//! One value for each element of a destination: what `fill`, `convert`, `binary` and sums of one value have in common.
//!
//! A plan is cut into tiles: rows that are contiguous in the destination, several at a time. An operand that is contiguous along
//! another axis is transposed into a stage in the nearest cache first, so that the loop itself sees rows side by side; a
//! large destination is made on a stage and streamed past the caches. Threads get tiles.
//!
//! All reads of a tile come before its writes or belong to the same element, so a destination may be an operand itself (D5).

mod rows;
mod stage;
#[cfg(test)]
mod tests;

use weft_layout::{Plan, PlanAxis};

use super::compiled::{self, Loop};
use super::shared::Shared;
use super::{Exec, Isa, threads, walk};
use rows::Rows;
use stage::Stages;

/// Destination bytes from which on it is streamed: what is larger than the caches gains nothing from passing through them.
const STREAM_FROM: usize = 12 << 20;

/// Rows shorter than this many bytes are not worth streaming: the lines at both ends are written in parts.
const STREAM_ROW: usize = 256;

/// Bytes that one more thread is worth, for rows and for transpositions.
const GRAIN: usize = 2 << 20;
const TRANSPOSED_GRAIN: usize = 256 << 10;

/// Bytes up to which no tiles are made: of plain rows, and of any.
const SMALL: usize = 256 << 10;
const TINY: usize = 4 << 10;

/// Elements of a tile without a stage.
const TILE: usize = 16 << 10;

/// P2 and P3: more axes of size 2 or above would have more elements than fit `isize`.
const MOST_AXES: usize = usize::BITS as usize + 2;

/// The walk of a destination and two operands. An operand without a size takes no part.
#[derive(Clone, Debug)]
pub(super) struct Elements {
    axes: [PlanAxis<3>; MOST_AXES],
    ndim: usize,
    start: [isize; 3],
    numel: usize,
}

impl Elements {
    /// The walk of a plan; `operands` says which of its operands is which.
    pub(super) fn new<const K: usize>(plan: &Plan<K>, operands: [Option<usize>; 3]) -> Elements {
        let pick = |of: &[isize; K]| operands.map(|k| k.map_or(0, |k| of[k]));
        let mut axes = [PlanAxis { size: 1, strides: [0; 3] }; MOST_AXES];
        for (to, axis) in axes.iter_mut().zip(plan.axes()) {
            *to = PlanAxis { size: axis.size, strides: pick(&axis.strides) };
        }
        let start = pick(&plan.offsets().map(|offset| offset as isize));
        Elements { axes, ndim: plan.axes().len(), start, numel: plan.numel() }
    }

    /// The axes, of which there is one at least.
    fn axes(&self) -> &[PlanAxis<3>] {
        &self.axes[..self.ndim.max(1)]
    }
}

/// How an operation is cut into tiles.
#[derive(Clone, Debug)]
struct Tiling {
    /// The outer axes, then the steps of the tiles along a row and from row to row; the last two operands count elements.
    axes: [PlanAxis<5>; MOST_AXES],
    ndim: usize,
    start: [isize; 5],
    /// Along a row, and from row to row.
    along: PlanAxis<3>,
    down: PlanAxis<3>,
    /// Elements of a tile along these two.
    n: usize,
    rows: usize,
    /// Which operands are staged.
    staged: [bool; 3],
    stream: bool,
    threads: usize,
}

impl Tiling {
    /// `sizes` are those of the elements in bytes; a destination of `stream_from` bytes is streamed.
    fn new(exec: Exec, elements: &Elements, sizes: [usize; 3], stream_from: usize) -> Tiling {
        let axes = elements.axes();
        let (inner, outer) = (axes.len() - 1, &axes[..axes.len() - 1]);
        let along = axes[inner];
        let rows_of = |axis: &PlanAxis<3>, k: usize| sizes[k] > 0 && axis.strides[k] == 1 && axis.size >= stage::FEW;
        let across = |k: usize| {
            let strided = sizes[k] > 0 && along.strides[0] == 1 && !matches!(along.strides[k], 0 | 1);
            if strided && along.size >= stage::FEW { outer.iter().rposition(|axis| rows_of(axis, k)) } else { None }
        };
        // One axis for both, if they want different ones: the other is gathered.
        let transposed = across(1).or(across(2));
        let down_at = transposed.or(outer.len().checked_sub(1));
        let down = down_at.map_or(PlanAxis { size: 1, strides: [0; 3] }, |at| axes[at]);
        let mut staged = [false; 3];
        for k in [1, 2] {
            staged[k] = sizes[k] > 0
                && along.strides[0] == 1
                && (transposed.is_some() && across(k) == transposed || matches!(along.strides[k], -1 | 2));
        }
        let bytes = elements.numel.saturating_mul(sizes.into_iter().max().unwrap_or(1));
        let stream = cfg!(target_arch = "x86_64")
            && along.strides[0] == 1
            && elements.numel.saturating_mul(sizes[0]) >= stream_from
            && along.size * sizes[0] >= STREAM_ROW;
        let threads = exec.threads_for(bytes, if transposed.is_some() { TRANSPOSED_GRAIN } else { GRAIN });
        let widest = sizes.into_iter().max().unwrap_or(1).max(1);
        let (n, rows) = if transposed.is_some() {
            // A piece of each row of the source, of as many rows as the stage has room for.
            let rows = stage::taken(widest).min(down.size);
            ((stage::BYTES / widest / rows).min(along.size), rows)
        } else {
            let most = if stream || staged != [false; 3] { stage::PIECE / widest } else { TILE };
            let n = most.min(along.size);
            (n, (most / n).clamp(1, down.size))
        };
        let mut all = [PlanAxis { size: 1, strides: [0; 5] }; MOST_AXES];
        let mut ndim = 0;
        let kept = outer.iter().enumerate().filter(|&(at, _)| Some(at) != down_at);
        for (_, PlanAxis { size, strides: [to, a, b] }) in kept {
            all[ndim] = PlanAxis { size: *size, strides: [*to, *a, *b, 0, 0] };
            ndim += 1;
        }
        let tiles = |axis: PlanAxis<3>, each: usize, which: [isize; 2]| {
            // Steps between elements that the plan reaches, if there is more than one tile.
            let [to, a, b] = axis.strides.map(|stride| stride.wrapping_mul(each as isize));
            let [i, j] = which.map(|counts| counts * each as isize);
            PlanAxis { size: axis.size.div_ceil(each), strides: [to, a, b, i, j] }
        };
        // Down the rows first: that is along the rows of what is transposed.
        let (ahead, below) = (tiles(along, n, [1, 0]), tiles(down, rows, [0, 1]));
        (all[ndim], all[ndim + 1]) = if transposed.is_some() { (ahead, below) } else { (below, ahead) };
        let [to, a, b] = elements.start;
        let start = [to, a, b, 0, 0];
        Tiling { axes: all, ndim: ndim + 2, start, along, down, n, rows, staged, stream, threads }
    }

    fn axes(&self) -> &[PlanAxis<5>] {
        &self.axes[..self.ndim]
    }
}

/// Writes `f` of the operands to every element of the destination; `operands` says which of the plan's operands are
/// destination, `a` and `b`.
///
/// # Safety
///
/// D2 to D5 for the plan; an operand that the plan does not have has no size.
pub(super) unsafe fn run<const K: usize, D: Copy, A: Copy, B: Copy>(
    exec: Exec,
    (plan, operands): (&Plan<K>, [Option<usize>; 3]),
    dst: *mut D,
    a: *const A,
    b: *const B,
    f: impl Fn(A, B) -> D + Copy + Sync,
) {
    let sizes = [size_of::<D>(), size_of::<A>(), size_of::<B>()];
    let bytes = plan.numel().saturating_mul(sizes.into_iter().max().unwrap_or(1));
    if let Some((along, down)) = at_once(plan, bytes) {
        let pick = |of: &[isize; K]| operands.map(|k| k.map_or(0, |k| of[k]));
        let [to, on_a, on_b] = pick(&plan.offsets().map(|offset| offset as isize));
        let (strides, steps) = (pick(&along.strides), pick(&down.strides));
        // SAFETY: the caller's: all the rows of the plan.
        unsafe {
            let (dst, a, b) = (dst.offset(to), a.offset(on_a), b.offset(on_b));
            compiled::run(exec.isa, Rows { rows: down.size, n: along.size, along: strides, down: steps, dst, a, b, f });
        }
        return;
    }
    let elements = Elements::new(plan, operands);
    let apart = [(sizes[1], a.addr()), (sizes[2], b.addr())].iter().all(|&(size, at)| size == 0 || at != dst.addr());
    // In place the lines are in the cache already.
    let tiling = Tiling::new(exec, &elements, sizes, if apart { STREAM_FROM } else { usize::MAX });
    // SAFETY: the caller's.
    unsafe { tiled(exec.isa, &tiling, dst, a, b, f) };
}

/// The axes of a plan that is too small to be worth tiles: rows of few bytes, or of what fits the nearest caches where every
/// operand is contiguous or stands still.
fn at_once<const K: usize>(plan: &Plan<K>, bytes: usize) -> Option<(PlanAxis<K>, PlanAxis<K>)> {
    let one = PlanAxis { size: 1, strides: [0; K] };
    let (along, down) = match *plan.axes() {
        [] => (one, one),
        [along] => (along, one),
        [down, along] => (along, down),
        _ => return None,
    };
    let plain = along.strides.iter().all(|stride| matches!(stride, 0 | 1));
    (bytes <= if plain { SMALL } else { TINY }).then_some((along, down))
}

/// # Safety
///
/// D2 to D5 for the plan that `tiling` was made for; K4.
unsafe fn tiled<D: Copy, A: Copy, B: Copy>(
    isa: Isa,
    tiling: &Tiling,
    dst: *mut D,
    a: *const A,
    b: *const B,
    f: impl Fn(A, B) -> D + Copy + Sync,
) {
    let (dst, a, b) = (Shared::new(dst), Shared::new(a.cast_mut()), Shared::new(b.cast_mut()));
    let units = tiling.axes().iter().map(|axis| axis.size).product();
    let parts = tiling.threads.min(units);
    threads::split(parts, |part| {
        let mut stages = Stages::new();
        let last = &tiling.axes()[tiling.ndim - 1];
        walk::runs(tiling.axes(), tiling.start, threads::share(units, part, parts), &mut |at, len| {
            for i in 0..len {
                let [to, at_a, at_b, column, row] = walk::moved(at, last, i);
                let n = tiling.n.min(tiling.along.size - column as usize);
                let rows = tiling.rows.min(tiling.down.size - row as usize);
                // SAFETY: D3: offsets of the walk, and the elements of the tile are the walk's; D5: of this tile alone.
                unsafe {
                    let (dst, a, b) = (dst.get().offset(to), a.get().offset(at_a), b.get().offset(at_b));
                    tile(isa, tiling, &mut stages, rows, n, dst, a, b, f);
                }
            }
        });
        if tiling.stream {
            stage::fence();
        }
    });
}

/// # Safety
///
/// `rows` times `n` elements of each operand, one tile of the walk, are good; K4.
#[expect(clippy::too_many_arguments, reason = "a tile is where everything meets")]
unsafe fn tile<D: Copy, A: Copy, B: Copy>(
    isa: Isa,
    tiling: &Tiling,
    stages: &mut Stages,
    rows: usize,
    n: usize,
    dst: *mut D,
    a: *const A,
    b: *const B,
    f: impl Fn(A, B) -> D + Copy,
) {
    let (mut along, mut down) = (tiling.along.strides, tiling.down.strides);
    let [out, on_a, on_b] = stages.split();
    let (mut at_a, mut at_b, mut to) = (a, b, dst);
    let pitch = n as isize;
    // SAFETY: the caller's; a stage has room for a tile.
    unsafe {
        if tiling.staged[1] {
            stage::stage(isa, on_a.cast(), a, along[1], down[1], n, rows);
            (at_a, along[1], down[1]) = (on_a.cast_const().cast(), 1, pitch);
        }
        if tiling.staged[2] {
            stage::stage(isa, on_b.cast(), b, along[2], down[2], n, rows);
            (at_b, along[2], down[2]) = (on_b.cast_const().cast(), 1, pitch);
        }
        let stream = tiling.stream && n * size_of::<D>() >= STREAM_ROW;
        let pitch_of_dst = down[0];
        if stream {
            (to, down[0]) = (out.cast(), pitch);
        }
        compiled::run(isa, Rows { rows, n, along, down, dst: to, a: at_a, b: at_b, f });
        if stream {
            for row in 0..rows as isize {
                let (to, from) = (dst.offset(row * pitch_of_dst), to.cast_const().offset(row * pitch));
                stage::stream(to.cast(), from.cast(), n * size_of::<D>());
            }
        }
    }
}
