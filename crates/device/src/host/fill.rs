//! Writing one value to every element of a plan.

use weft_layout::Plan;

/// # Safety
///
/// D2 to D5.
pub(super) unsafe fn fill<T: Copy>(plan: &Plan<1>, dst: *mut T, value: T) {
    plan.for_each_run(|[at], run| {
        // SAFETY: D3: `at` and every step of the run lie inside the buffer.
        unsafe {
            let dst = dst.add(at);
            match run.strides {
                [1] => core::slice::from_raw_parts_mut(dst.cast::<core::mem::MaybeUninit<T>>(), run.size)
                    .fill(core::mem::MaybeUninit::new(value)),
                [stride] => (0..run.size as isize).for_each(|i| dst.offset(i * stride).write(value)),
            }
        }
    });
}
