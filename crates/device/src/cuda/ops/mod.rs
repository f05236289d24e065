//! The operations as launches: from a plan to kernels, grids and descriptors. What is chosen is plain data; only the
//! functions of this file talk to the device.
//!
//! A launch takes at most 8 axes; a plan of more is peeled, one launch for each of its parts.

mod accumulate;
mod binary;
mod convert;
mod copy;
mod fill;
mod launch;
#[cfg(test)]
mod tests;
mod walk;

use weft_layout::{Plan, ReducePlan};

use super::desc::MAX_AXES;
use super::{Cuda, CudaPointer};
use crate::device::Device;
use crate::element::arithmetic::Arithmetic;
use crate::element::{Converts, Element};
use crate::error::{DeviceError, DeviceErrorKind, Result};
use crate::ops::BinaryOp;
pub(crate) use launch::{Family, Launch};

/// # Safety
///
/// D2 to D5, and the plan is not empty.
pub(super) unsafe fn fill<T: Element>(cuda: &Cuda, plan: &Plan<1>, dst: CudaPointer, value: T) -> Result<()> {
    // SAFETY: an element is as many initialised bytes as its size says (`Element`).
    let value = unsafe { core::slice::from_raw_parts((&raw const value).cast::<u8>(), size_of::<T>()) };
    for part in plan.peel(MAX_AXES) {
        // SAFETY: the caller's D2 to D5; the parts together visit what the plan does.
        unsafe { cuda.launch("fill", fill::launch(&part, value, Cuda::address(dst)))? };
    }
    Ok(())
}

/// # Safety
///
/// D2 to D5, and the plan is not empty.
pub(super) unsafe fn copy<T: Element>(cuda: &Cuda, plan: &Plan<2>, dst: CudaPointer, src: CudaPointer) -> Result<()> {
    for part in plan.peel(MAX_AXES) {
        let launch = copy::launch(&part, size_of::<T>(), Cuda::address(dst), Cuda::address(src));
        // SAFETY: the caller's D2 to D5.
        unsafe { cuda.launch("copy", launch)? };
    }
    Ok(())
}

/// # Safety
///
/// D2 to D5 (several steps may add to one destination element), and the plan is not empty.
pub(super) unsafe fn accumulate<T: Element>(
    cuda: &Cuda,
    plan: &ReducePlan,
    dst: CudaPointer,
    src: CudaPointer,
) -> Result<()> {
    const OP: &str = "accumulate";
    let [dst, src] = [dst, src].map(Cuda::address);
    let parts: Vec<_> =
        plan.keep().peel(MAX_AXES).map(|keep| (accumulate::Cut::new(plan, &keep, T::DTYPE), keep)).collect();
    // All scratch memory before the first launch: without it nothing has been written. Parts follow each other, so they share.
    let bytes = |sums: usize| sums * size_of::<<T as Arithmetic>::Sum>();
    let most = |sums: &dyn Fn(&accumulate::Cut) -> usize| parts.iter().map(|(cut, _)| sums(cut)).max().unwrap_or(0);
    // SAFETY: every pass reads the partial sums that the pass before it has written.
    let scratch = unsafe {
        [
            cuda.alloc_uninit(bytes(most(&accumulate::Cut::partial_sums)))?,
            cuda.alloc_uninit(bytes(most(&|cut| cut.next().map_or(0, |next| next.partial_sums()))))?,
        ]
    };
    let [first, second] = [&scratch[0], &scratch[1]].map(|memory| Cuda::address(Cuda::pointer(memory)));
    for (cut, keep) in &parts {
        let (mut from, mut to) = (first, second);
        // SAFETY: the caller's D2 to D5; the scratch memory holds the sums of both kinds of pass.
        unsafe { cuda.launch(OP, cut.first(plan, keep, T::DTYPE, [dst, src, from]))? };
        let mut pass = *cut;
        while let Some(next) = pass.next() {
            // SAFETY: as above.
            unsafe { cuda.launch(OP, next.tree(keep, T::DTYPE, [dst, from, to]))? };
            (pass, from, to) = (next, to, from);
        }
    }
    Ok(())
}

/// # Safety
///
/// D2 to D5, and the plan is not empty.
pub(super) unsafe fn binary<T: Element>(
    cuda: &Cuda,
    op: BinaryOp,
    plan: &Plan<3>,
    dst: CudaPointer,
    a: CudaPointer,
    b: CudaPointer,
) -> Result<()> {
    let at = [dst, a, b].map(Cuda::address);
    let has_order = match op {
        BinaryOp::Max => T::MAX.is_some(),
        BinaryOp::Min => T::MIN.is_some(),
        _ => true,
    };
    if !has_order {
        return Err(DeviceError::new(op.name(), DeviceErrorKind::NotOrdered { dtype: T::DTYPE }));
    }
    if op == BinaryOp::Div && T::INDIVISIBLE {
        // SAFETY: the caller's D2 to D4; nothing but the answer is written.
        unsafe { check_quotients::<T>(cuda, plan, [at[1], at[2]])? };
    }
    for part in plan.peel(MAX_AXES) {
        // SAFETY: the caller's D2 to D5.
        unsafe { cuda.launch(op.name(), binary::launch(op, &part, T::DTYPE, at))? };
    }
    Ok(())
}

/// Finds the divisions that have no quotient before anything is written, the lowest offset first, as on the host.
///
/// # Safety
///
/// D2 to D4, and the plan is not empty.
unsafe fn check_quotients<T: Element>(cuda: &Cuda, plan: &Plan<3>, at: [usize; 2]) -> Result<()> {
    const NONE: u64 = u64::MAX;
    let op = BinaryOp::Div.name();
    let mut found = [NONE; 2];
    // SAFETY: written by the upload, before anything reads it.
    let memory = unsafe { cuda.alloc_uninit(size_of_val(&found))? };
    let flags = Cuda::pointer(&memory);
    // SAFETY: both sides are as long as `found`, and nobody else knows them.
    unsafe { cuda.upload(flags, 0, found.as_ptr().cast(), size_of_val(&found))? };
    for part in plan.peel(MAX_AXES) {
        // SAFETY: the caller's D2 to D4; the flags are ours.
        unsafe { cuda.launch(op, binary::check(&part, T::DTYPE, at, Cuda::address(flags)))? };
    }
    // SAFETY: both sides are as long as `found`.
    unsafe { cuda.download(flags, 0, found.as_mut_ptr().cast(), size_of_val(&found))? };
    let kind = match found {
        [NONE, NONE] => return Ok(()),
        [NONE, overflow] => DeviceErrorKind::DivisionOverflow { offset: overflow as usize },
        [zero, _] => DeviceErrorKind::DivisionByZero { offset: zero as usize },
    };
    Err(DeviceError::new(op, kind))
}

/// # Safety
///
/// D2 to D5, and the plan is not empty; the two memories do not overlap unless the types are the same.
pub(super) unsafe fn convert<S: Converts<T>, T: Element>(
    cuda: &Cuda,
    plan: &Plan<2>,
    dst: CudaPointer,
    src: CudaPointer,
) -> Result<()> {
    if S::DTYPE == T::DTYPE {
        // SAFETY: the caller's; one type to itself is bit by bit.
        return unsafe { copy::<T>(cuda, plan, dst, src) };
    }
    let at = [dst, src].map(Cuda::address);
    for part in plan.peel(MAX_AXES) {
        // SAFETY: the caller's D2 to D5.
        unsafe { cuda.launch("convert", convert::launch(&part, [T::DTYPE, S::DTYPE], at))? };
    }
    Ok(())
}
