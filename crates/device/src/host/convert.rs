//! Copying from one element type to another.

use weft_layout::Plan;

use super::Exec;
use super::elementwise;
use crate::element::{Converts, Element};

/// # Safety
///
/// D2 to D5, and the memories do not overlap.
pub(super) unsafe fn convert<S: Converts<T>, T: Element>(exec: Exec, plan: &Plan<2>, dst: *mut T, src: *const S) {
    let walk = (plan, [Some(0), Some(1), None]);
    // SAFETY: the caller's; the second operand has no bytes.
    unsafe { elementwise::run(exec, walk, dst, src, core::ptr::dangling(), |value: S, (): ()| value.convert()) };
}
