//! Adding a source into a smaller destination: the gradient of a broadcast.
//!
//! The order of every sum is fixed: the walk of [`ReducePlan::reduce`], in blocks of 16, in a balanced tree over the blocks.
//! What can be chosen is which sums run side by side: blocks of one sum where its values lie together (`pairwise.rs`), or the
//! sums of several destination elements (`across.rs`). For threads, destination elements are shared out; where there are too few
//! of them, the walk is cut into pieces that are whole subtrees. No choice changes a bit.

mod across;
#[cfg(target_arch = "x86_64")]
mod lanes;
mod pairwise;
#[cfg(test)]
mod tests;

use core::mem::MaybeUninit;
use core::ops::Range;

use weft_layout::{PlanAxis, ReducePlan};

use super::compiled::{self, Loop};
use super::elementwise;
use super::shared::Shared;
use super::{Exec, Isa, threads, walk};
use crate::element::Element;
use across::{Panel, across};
use pairwise::{BLOCK, Pairwise};

/// Bytes of the source that one more thread is worth.
const GRAIN: usize = 2 << 20;

/// Sums of pieces that wait to be put together.
const PARTIALS: usize = 1024;

/// Columns below which a destination is not worth sharing out.
const FEW: usize = 16;

/// # Safety
///
/// D2 to D5; several steps may add to one destination element.
pub(super) unsafe fn accumulate<T: Element>(exec: Exec, plan: &ReducePlan, dst: *mut T, src: *const T) {
    if plan.reduce().numel() == 1 {
        let walk = (plan.keep(), [Some(0), Some(0), Some(1)]);
        // SAFETY: the caller's; each destination element is read by the step that writes it.
        unsafe { elementwise::run(exec, walk, dst, dst, src, |to: T, value: T| to.plus_sum(value.to_sum())) };
        return;
    }
    let threads = exec.threads_for(plan.numel().saturating_mul(size_of::<T>()), GRAIN);
    // SAFETY: the caller's.
    unsafe { on_threads(exec.isa, threads, plan, dst, src) };
}

/// # Safety
///
/// As of [`accumulate`].
unsafe fn on_threads<T: Element>(isa: Isa, threads: usize, plan: &ReducePlan, dst: *mut T, src: *const T) {
    let job = Job::new::<T>(isa, plan, threads);
    let (dst, src) = (Shared::new(dst), Shared::new(src.cast_mut()));
    // SAFETY: the caller's.
    unsafe {
        match job.pieces(threads) {
            Some(height) => in_pieces(&job, threads, height, dst, src),
            None => by_destination(&job, threads, dst, src),
        }
    }
}

/// A sum for each column, side by side or one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    Along,
    Across,
}

/// How one accumulation runs.
struct Job<'a> {
    isa: Isa,
    method: Method,
    reduce: &'a [PlanAxis<1>],
    /// How many values are added into each element.
    values: usize,
    /// The first offset of destination and source, and 0.
    start: [isize; 3],
    /// The kept axes but one, and that one in steps of `columns`; the third operand counts its elements.
    axes: [PlanAxis<3>; MOST_AXES],
    ndim: usize,
    /// The axis that was left out.
    column: PlanAxis<2>,
    columns: usize,
}

/// P2 and P3: more axes of size 2 or above would have more elements than fit `isize`.
const MOST_AXES: usize = usize::BITS as usize;

impl Job<'_> {
    fn new<T: Element>(isa: Isa, plan: &ReducePlan, threads: usize) -> Job<'_> {
        let (keep, reduce) = (plan.keep().axes(), plan.reduce().axes());
        // How far apart two neighbours are; what stands still is read again and again, and comes last.
        let apart = |stride: isize| stride.unsigned_abs().wrapping_sub(1);
        let nearest = (0..keep.len()).rev().min_by_key(|&axis| apart(keep[axis].strides[1]));
        let method = match (nearest, reduce.last()) {
            (Some(axis), Some(inner))
                if apart(inner.strides[0]) >= apart(keep[axis].strides[1]) || inner.size < BLOCK =>
            {
                Method::Across
            }
            _ => Method::Along,
        };
        let chosen = if method == Method::Across { nearest } else { keep.len().checked_sub(1) };
        let column = chosen.map_or(PlanAxis { size: 1, strides: [0; 2] }, |axis| keep[axis]);
        let mut axes = [PlanAxis { size: 1, strides: [0; 3] }; MOST_AXES];
        let mut ndim = 0;
        for (_, axis) in keep.iter().enumerate().filter(|&(axis, _)| Some(axis) != chosen) {
            axes[ndim] = PlanAxis { size: axis.size, strides: [axis.strides[0], axis.strides[1], 0] };
            ndim += 1;
        }
        // P3: a product over some of the sizes.
        let outer: usize = axes[..ndim].iter().map(|axis| axis.size).product();
        let values = plan.reduce().numel();
        // Twice as many units as threads, if the columns are enough.
        let share = column.size.div_ceil((2 * threads).div_ceil(outer)).max(FEW);
        let columns = across::columns::<T>(values).min(share).min(column.size);
        let [by, step] = column.strides;
        let far = columns as isize;
        // The steps are offsets that the walk reaches, if there is more than one.
        let strides = [by.wrapping_mul(far), step.wrapping_mul(far), far];
        axes[ndim] = PlanAxis { size: column.size.div_ceil(columns), strides };
        let [to, from] = plan.keep().offsets().map(|offset| offset as isize);
        let start = [to, from, 0];
        Job { isa, method, reduce, values, start, axes, ndim: ndim + 1, column, columns }
    }

    fn axes(&self) -> &[PlanAxis<3>] {
        &self.axes[..self.ndim]
    }

    /// Panels of columns.
    fn units(&self) -> usize {
        self.axes().iter().map(|axis| axis.size).product()
    }

    /// Destination elements.
    fn sums(&self) -> usize {
        self.axes[..self.ndim - 1].iter().map(|axis| axis.size).product::<usize>() * self.column.size
    }

    /// The height of the subtrees that are found apart from each other, if there are too few destination elements for
    /// the threads.
    fn pieces(&self, threads: usize) -> Option<usize> {
        let sums = self.sums();
        if threads == 1 || sums >= FEW * threads || sums > PARTIALS / 8 || self.values <= 2 * BLOCK {
            return None;
        }
        let most = (PARTIALS / sums).min(64);
        (0..).find(|height| self.values.div_ceil(BLOCK << height) <= most)
    }

    /// Calls `f` with destination, source and number of columns of the panels `range`.
    fn for_each_panel(&self, range: Range<usize>, mut f: impl FnMut(isize, isize, usize)) {
        let along = &self.axes[self.ndim - 1];
        walk::runs(self.axes(), self.start, range, &mut |at, len| {
            for i in 0..len {
                let [to, from, column] = walk::moved(at, along, i);
                f(to, from, self.columns.min(self.column.size - column as usize));
            }
        });
    }

    /// The sums of the steps `range` of the walk, for `n` columns of which the first begins at `src`.
    ///
    /// # Safety
    ///
    /// D2 to D4 for each of them; `n` is at most `columns`.
    unsafe fn sums_of<T: Element>(
        &self,
        panel: &mut Panel,
        src: *const T,
        n: usize,
        range: Range<usize>,
    ) -> *const T::Sum {
        let step = self.column.strides[1];
        if self.method == Method::Across {
            // SAFETY: the caller's.
            return unsafe { across::<T>(self.isa, panel, self.reduce, range, src, step, n) };
        }
        let sums: *mut T::Sum = panel.start();
        match *self.reduce {
            [PlanAxis { strides: [inner], .. }] => {
                let src = src.wrapping_offset(range.start as isize * inner);
                // SAFETY: the caller's; the panel has room for `columns` sums.
                unsafe {
                    compiled::run(self.isa, Along { isa: self.isa, sums, src, step, n, inner, values: range.len() });
                }
            }
            _ => {
                let mut sum = Pairwise::<T>::new();
                let step_inside = self.reduce.last().map_or(0, |axis| axis.strides[0]);
                for i in 0..n {
                    let src = src.wrapping_offset(i as isize * step);
                    walk::runs(self.reduce, [0], range.clone(), &mut |[at], n| {
                        let src = src.wrapping_offset(at);
                        // SAFETY: a run of the walk (D3); K4.
                        unsafe {
                            compiled::run(self.isa, Extend { sum: &mut sum, isa: self.isa, src, step: step_inside, n });
                        }
                    });
                    // SAFETY: the panel has room for `columns` sums.
                    unsafe { sums.add(i).write(sum.take(None)) };
                }
            }
        }
        sums
    }
}

/// # Safety
///
/// D2 to D5.
unsafe fn by_destination<T: Element>(job: &Job<'_>, threads: usize, dst: Shared<T>, src: Shared<T>) {
    let units = job.units();
    let threads = threads.min(units);
    threads::split(threads, |part| {
        let mut panel = Panel::new();
        job.for_each_panel(threads::share(units, part, threads), |to, from, n| {
            // SAFETY: D3: offsets of the walk; D5: destination elements of this panel alone.
            unsafe {
                let sums = job.sums_of::<T>(&mut panel, src.get().offset(from), n, 0..job.values);
                compiled::run(job.isa, Finish { dst: dst.get().offset(to), step: job.column.strides[0], sums, n });
            }
        });
    });
}

/// # Safety
///
/// D2 to D5; `height` is what `job.pieces` gave.
unsafe fn in_pieces<T: Element>(job: &Job<'_>, threads: usize, height: usize, dst: Shared<T>, src: Shared<T>) {
    let piece = BLOCK << height;
    let pieces = job.values.div_ceil(piece);
    let mut partials = [MaybeUninit::<T::Sum>::uninit(); PARTIALS];
    let shared = Shared::new(partials.as_mut_ptr());
    let threads = threads.min(pieces);
    threads::split(threads, |part| {
        let mut panel = Panel::new();
        for at in threads::share(pieces, part, threads) {
            let range = at * piece..job.values.min((at + 1) * piece);
            let mut column = 0;
            job.for_each_panel(0..job.units(), |_, from, n| {
                // SAFETY: D3: offsets of the walk; `pieces` times the columns are at most `PARTIALS`, one for each.
                unsafe {
                    let sums = job.sums_of::<T>(&mut panel, src.get().offset(from), n, range.clone());
                    for i in 0..n {
                        shared.get().add((column + i) * pieces + at).write(MaybeUninit::new(sums.add(i).read()));
                    }
                }
                column += n;
            });
        }
    });
    let whole = job.values / piece;
    let mut column = 0;
    job.for_each_panel(0..job.units(), |to, _, n| {
        for i in 0..n {
            // SAFETY: every piece of every column was written; D3 and D5 as above.
            unsafe {
                let of = |at: usize| partials[(column + i) * pieces + at].assume_init();
                let mut sum = Pairwise::<T>::new();
                (0..whole).for_each(|at| sum.push(height, of(at)));
                let sum = sum.take((whole < pieces).then(|| of(whole)));
                let dst = dst.get().offset(to + i as isize * job.column.strides[0]);
                dst.write(dst.read().plus_sum(sum));
            }
        }
        column += n;
    });
}

/// Adds up one run for each column.
struct Along<T: Element> {
    isa: Isa,
    sums: *mut T::Sum,
    src: *const T,
    step: isize,
    n: usize,
    inner: isize,
    values: usize,
}

impl<T: Element> Loop for Along<T> {
    type Output = ();

    #[inline(always)]
    unsafe fn run(self) {
        let Along { isa, sums, src, step, n, inner, values } = self;
        let mut sum = Pairwise::<T>::new();
        for i in 0..n {
            // SAFETY: `Job::sums_of` gives `n` runs of the walk (D3) and room for as many sums.
            unsafe {
                sum.extend(isa, src.wrapping_offset(i as isize * step), inner, values);
                sums.add(i).write(sum.take(None));
            }
        }
    }
}

/// Adds a run to one sum.
struct Extend<'a, T: Element> {
    sum: &'a mut Pairwise<T>,
    isa: Isa,
    src: *const T,
    step: isize,
    n: usize,
}

impl<T: Element> Loop for Extend<'_, T> {
    type Output = ();

    #[inline(always)]
    unsafe fn run(self) {
        // SAFETY: `Job::sums_of` gives a run of the walk (D3).
        unsafe { self.sum.extend(self.isa, self.src, self.step, self.n) };
    }
}

/// Adds sums to destination elements.
struct Finish<T: Element> {
    dst: *mut T,
    step: isize,
    sums: *const T::Sum,
    n: usize,
}

impl<T: Element> Loop for Finish<T> {
    type Output = ();

    #[inline(always)]
    unsafe fn run(self) {
        let Finish { dst, step, sums, n } = self;
        let add = |step: isize| {
            for i in 0..n {
                // SAFETY: `by_destination` gives `n` sums and as many destination elements (D3, D5).
                unsafe {
                    let dst = dst.offset(i as isize * step);
                    dst.write(dst.read().plus_sum(sums.add(i).read()));
                }
            }
        };
        if step == 1 { add(1) } else { add(step) }
    }
}
