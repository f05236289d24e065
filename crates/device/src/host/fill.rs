//! Writing one value to every element of a plan.

use weft_layout::Plan;

use super::Exec;
use super::elementwise::{self, Elements};

/// # Safety
///
/// D2 to D5.
pub(super) unsafe fn fill<T: Copy + Sync>(exec: Exec, plan: &Plan<1>, dst: *mut T, value: T) {
    let elements = Elements::new(plan, [Some(0), None, None]);
    let nothing = core::ptr::dangling::<()>();
    // SAFETY: the caller's; both operands have no bytes.
    unsafe { elementwise::run(exec, &elements, dst, nothing, nothing, move |(), ()| value) };
}
