//! Writing one value to every element of a plan.

use weft_layout::Plan;

use super::Exec;
use super::elementwise;

/// # Safety
///
/// D2 to D5.
pub(super) unsafe fn fill<T: Copy + Sync>(exec: Exec, plan: &Plan<1>, dst: *mut T, value: T) {
    let walk = (plan, [Some(0), None, None]);
    let nothing = core::ptr::dangling::<()>();
    // SAFETY: the caller's; both operands have no bytes.
    unsafe { elementwise::run(exec, walk, dst, nothing, nothing, move |(), ()| value) };
}
