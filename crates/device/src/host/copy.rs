//! Copying from one plan to another: whole runs at once where both sides are contiguous, element by element elsewhere.

use weft_layout::Plan;

/// # Safety
///
/// D2 to D5.
pub(super) unsafe fn copy<T: Copy>(plan: &Plan<2>, dst: *mut T, src: *const T) {
    plan.for_each_run(|[to, from], run| {
        // SAFETY: D3: both offsets and every step of the run lie inside the buffers.
        unsafe {
            let (dst, src) = (dst.add(to), src.add(from));
            match run.strides {
                [1, 1] if !core::ptr::eq(dst, src) => {
                    // SAFETY: D5: what is written here is read by no other step, so the two runs share no element.
                    core::ptr::copy_nonoverlapping(src, dst, run.size);
                }
                [1, 1] => {}
                [by, step] => {
                    (0..run.size as isize).for_each(|i| dst.offset(i * by).write(src.offset(i * step).read()));
                }
            }
        }
    });
}
