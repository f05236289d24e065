//! The loops around the kernels. Here a choice becomes addresses, and nowhere else.

use super::axis::Axes;
use super::choice::{Choice, Kernel, TABLE};
use crate::host::Isa;
use crate::host::kernel::{Kernels, Rows, Store, Strip, Word};
use crate::host::shared::Shared;
use crate::host::threads;

/// Runs a copy whose walk begins at these addresses.
///
/// # Safety
///
/// D2 to D5 for the plan that `choice` was made for; `W` has the size of its words; the CPU runs `isa`.
pub(super) unsafe fn run<W: Word>(isa: Isa, choice: &Choice, dst: *mut W, src: *const W) {
    let kernels = W::kernels(isa);
    // Most copies need no table, and clearing one costs more than a small copy.
    let mut room;
    let table = if choice.composite.is_empty() {
        &[][..]
    } else {
        room = [0; TABLE];
        tabulate(&choice.composite, &mut room)
    };
    let units = choice.outer.count() * choice.blocks[0].count() * choice.blocks[1].count();
    let parts = choice.threads.min(units);
    let (dst, src) = (Shared::new(dst), Shared::new(src.cast_mut()));
    threads::split(parts, |part| {
        let mut walk = Walk::new(choice, threads::share(units, part, parts));
        while let Some(unit) = walk.next() {
            // SAFETY: the offsets of a unit are those of one of its elements, which the plan reaches (D3), and the unit's elements are
            // the plan's: K1. The units of all parts are disjoint (D5): K2. K4 is the caller's.
            unsafe {
                let (dst, src) = (dst.get().offset(unit.at[0]), src.get().cast_const().offset(unit.at[1]));
                call(&kernels, choice, dst, src, &unit, table);
            }
        }
        if choice.store == Store::Stream {
            fence();
        }
    });
}

/// One call of the kernel: where it begins, and how much of each of its axes it does.
struct Unit {
    at: [isize; 2],
    /// The first step along the second axis: where a composite row's table is entered.
    first: usize,
    sizes: [usize; 2],
}

/// # Safety
///
/// K1, K2 and K4 for this unit.
#[inline(always)]
unsafe fn call<W: Word>(
    kernels: &Kernels<W>,
    choice: &Choice,
    dst: *mut W,
    src: *const W,
    unit: &Unit,
    table: &[isize],
) {
    let [a, b] = unit.sizes;
    let outer = choice.blocks[0].axis;
    let strip = Strip { rows: a, dst: outer.dst, src: outer.src };
    let store = choice.store;
    let rows = &kernels.rows;
    // SAFETY: the caller's K1 to K4; K3 holds for any address.
    unsafe {
        match choice.kernel {
            Kernel::Copy => (rows.copy)(dst, src, b, strip, store),
            Kernel::Fill => (rows.fill)(dst, src, b, strip, store),
            Kernel::Reverse => (rows.reverse)(dst, src, b, strip, store),
            Kernel::Step(step) => (rows.step)(dst, src, step, b, strip, store),
            Kernel::Interleave { k, pitch } => (rows.interleave)(dst, src, pitch, k, b, strip, store),
            Kernel::Deinterleave { k, pitch } => (rows.deinterleave)(dst, pitch, src, k, b, strip, store),
            Kernel::Panel { dst_pitch, pitch } => {
                (kernels.panel)(dst, dst_pitch, src, Rows::Pitch(pitch), b, a, store);
            }
            Kernel::Composite { dst_pitch } => {
                let rows = Rows::Table(&table[unit.first..unit.first + b]);
                (kernels.panel)(dst, dst_pitch, src, rows, b, a, store);
            }
            Kernel::Scatter { dst: to, src: from } => {
                for r in 0..a as isize {
                    for i in 0..b as isize {
                        let word = src.offset(r * strip.src + i * from).read_unaligned();
                        dst.offset(r * strip.dst + i * to).write_unaligned(word);
                    }
                }
            }
        }
    }
}

/// Where the rows of a composite row begin in the source, in the order of the destination.
fn tabulate<'a>(axes: &Axes, table: &'a mut [isize; TABLE]) -> &'a [isize] {
    let mut len = 1;
    table[0] = 0;
    for axis in axes.iter().rev() {
        for step in 1..axis.size {
            for at in 0..len {
                table[step * len + at] = table[at] + step as isize * axis.src;
            }
        }
        len *= axis.size;
    }
    &table[..len]
}

/// A walk over a range of units: the outer axes, then the blocks of the kernel's two axes, the last fastest.
struct Walk<'a> {
    choice: &'a Choice,
    counter: [usize; super::axis::MOST],
    /// Which block of either axis is next.
    block: [usize; 2],
    counts: [usize; 2],
    at: [isize; 2],
    left: usize,
}

impl<'a> Walk<'a> {
    fn new(choice: &'a Choice, units: core::ops::Range<usize>) -> Walk<'a> {
        let counts = choice.blocks.map(|block| block.count());
        let (mut rest, mut at) = (units.start, [0; 2]);
        let mut digit = |size: usize| {
            let digit = rest % size;
            rest /= size;
            digit
        };
        let inner = digit(counts[1]);
        let block = [digit(counts[0]), inner];
        let mut counter = [0; super::axis::MOST];
        for (counter, axis) in counter.iter_mut().zip(choice.outer.iter()).rev() {
            *counter = digit(axis.size);
            at[0] += *counter as isize * axis.dst;
            at[1] += *counter as isize * axis.src;
        }
        Walk { choice, counter, block, counts, at, left: units.len() }
    }

    #[inline(always)]
    fn next(&mut self) -> Option<Unit> {
        self.left = self.left.checked_sub(1)?;
        let (mut at, mut sizes, mut first) = (self.at, [0; 2], 0);
        for (k, block) in self.choice.blocks.iter().enumerate() {
            first = self.block[k] * block.at_once;
            sizes[k] = block.at_once.min(block.axis.size - first);
            at[0] += first as isize * block.axis.dst;
            at[1] += first as isize * block.axis.src;
        }
        self.advance();
        Some(Unit { at, first, sizes })
    }

    #[inline(always)]
    fn advance(&mut self) {
        for k in [1, 0] {
            self.block[k] += 1;
            if self.block[k] < self.counts[k] {
                return;
            }
            self.block[k] = 0;
        }
        for (counter, axis) in self.counter.iter_mut().zip(self.choice.outer.iter()).rev() {
            self.at[0] += axis.dst;
            self.at[1] += axis.src;
            *counter += 1;
            if *counter < axis.size {
                return;
            }
            self.at[0] -= axis.size as isize * axis.dst;
            self.at[1] -= axis.size as isize * axis.src;
            *counter = 0;
        }
    }
}

/// Makes stores that went around the caches visible to whoever comes after.
fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 CPU has it.
    unsafe {
        core::arch::x86_64::_mm_sfence();
    }
}
