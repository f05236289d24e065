//! The copy engine: a plan, a choice of kernel and blocks, loops.
//!
//! | file | what |
//! |---|---|
//! | `axis.rs` | the axes of a copy, in words |
//! | `choice.rs` | which kernel, which blocks, how many threads: the table, with its reasons |
//! | `run.rs` | the loops around the kernels, on one thread or several |
//! | `explain.rs` | the choice as a text |
//! | `../kernel/` | the kernels |

mod axis;
mod choice;
mod explain;
mod run;
#[cfg(test)]
mod tests;

use weft_layout::Plan;

use super::Exec;
use super::kernel::Word;
use choice::Choice;
pub(super) use explain::explain;

/// # Safety
///
/// D2 to D5.
pub(super) unsafe fn copy<T: Copy>(exec: Exec, plan: &Plan<2>, dst: *mut T, src: *const T) {
    let Some(choice) = Choice::new(exec, plan, size_of::<T>()) else {
        // More axes than the engine keeps.
        // SAFETY: the caller's.
        return unsafe { by_element(plan, dst, src) };
    };
    // SAFETY: the caller's D2 to D5; the choice is made for this plan and the size of these elements.
    unsafe {
        match choice.word_bytes {
            1 => run_words::<u8, T>(exec, &choice, dst, src),
            2 => run_words::<u16, T>(exec, &choice, dst, src),
            4 => run_words::<u32, T>(exec, &choice, dst, src),
            8 => run_words::<u64, T>(exec, &choice, dst, src),
            _ => run_words::<u128, T>(exec, &choice, dst, src),
        }
    }
}

/// # Safety
///
/// D2 to D5 for the plan that `choice` was made for; its words have the size of `W`.
unsafe fn run_words<W: Word, T>(exec: Exec, choice: &Choice, dst: *mut T, src: *const T) {
    debug_assert_eq!(choice.word_bytes, W::BYTES);
    // SAFETY: D3: the offset of the first element, in bytes, where the walk of the choice begins too.
    unsafe {
        let (dst, src) = (dst.byte_add(choice.start[0]), src.byte_add(choice.start[1]));
        run::run::<W>(exec.isa, choice, dst.cast(), src.cast());
    }
}

/// The naive twin of the engine, which also serves what the engine does not: element by element along the runs of the plan.
///
/// # Safety
///
/// D2 to D5.
unsafe fn by_element<T: Copy>(plan: &Plan<2>, dst: *mut T, src: *const T) {
    plan.for_each_run(|[to, from], run| {
        for i in 0..run.size as isize {
            // SAFETY: D3: both offsets and every step of the run lie inside the buffers.
            unsafe {
                let (dst, src) = (dst.add(to).offset(i * run.strides[0]), src.add(from).offset(i * run.strides[1]));
                dst.write(src.read());
            }
        }
    });
}
