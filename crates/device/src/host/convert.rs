//! Copying from one element type to another.

use weft_layout::Plan;

use crate::element::{Converts, Element};

/// # Safety
///
/// D2 to D5, and the memories do not overlap.
pub(super) unsafe fn convert<S: Converts<T>, T: Element>(plan: &Plan<2>, dst: *mut T, src: *const S) {
    plan.for_each_run(|[to, from], run| {
        // SAFETY: D3: both offsets and every step of the run lie inside the buffers.
        unsafe {
            let (dst, src) = (dst.add(to), src.add(from));
            match run.strides {
                [1, 1] => (0..run.size).for_each(|i| dst.add(i).write(src.add(i).read().convert())),
                [by, step] => {
                    (0..run.size as isize)
                        .for_each(|i| dst.offset(i * by).write(src.offset(i * step).read().convert()));
                }
            }
        }
    });
}
