//! Elementwise operations on two operands.

use core::sync::atomic::{AtomicBool, Ordering};

use weft_layout::{Plan, PlanAxis};

use super::compiled::{self, Loop};
use super::elementwise;
use super::shared::Shared;
use super::{Exec, threads, walk};
use crate::element::{Element, Indivisible};
use crate::error::{DeviceError, DeviceErrorKind, Result};
use crate::ops::BinaryOp;

/// # Safety
///
/// D2 to D5.
pub(super) unsafe fn binary<T: Element>(
    exec: Exec,
    op: BinaryOp,
    plan: &Plan<3>,
    dst: *mut T,
    a: *const T,
    b: *const T,
) -> Result<()> {
    let walk = (plan, [Some(0), Some(1), Some(2)]);
    // Closures and not functions: a function's address would be called for every element.
    // SAFETY: the caller's D2 to D5, in every arm.
    unsafe {
        match op {
            BinaryOp::Add => elementwise::run(exec, walk, dst, a, b, |a: T, b: T| a.add(b)),
            BinaryOp::Sub => elementwise::run(exec, walk, dst, a, b, |a: T, b: T| a.sub(b)),
            BinaryOp::Mul => elementwise::run(exec, walk, dst, a, b, |a: T, b: T| a.mul(b)),
            BinaryOp::Div => {
                if T::INDIVISIBLE {
                    check_quotients(exec, plan, a, b)?;
                }
                elementwise::run(exec, walk, dst, a, b, |a: T, b: T| a.div(b));
            }
            BinaryOp::Max if T::MAX.is_some() => {
                elementwise::run(exec, walk, dst, a, b, |a: T, b: T| T::MAX.map_or(a, |max| max(a, b)));
            }
            BinaryOp::Min if T::MIN.is_some() => {
                elementwise::run(exec, walk, dst, a, b, |a: T, b: T| T::MIN.map_or(a, |min| min(a, b)));
            }
            BinaryOp::Max | BinaryOp::Min => return Err(not_ordered::<T>(op)),
        }
    }
    Ok(())
}

#[cold]
fn not_ordered<T: Element>(op: BinaryOp) -> DeviceError {
    DeviceError::new(op.name(), DeviceErrorKind::NotOrdered { dtype: T::DTYPE })
}

/// Bytes that one more thread is worth.
const GRAIN: usize = 2 << 20;

/// Looks for divisions that have no quotient before anything is written.
///
/// # Safety
///
/// D2 to D5.
unsafe fn check_quotients<T: Element>(exec: Exec, plan: &Plan<3>, a: *const T, b: *const T) -> Result<()> {
    let parts = exec.threads_for(plan.numel() * size_of::<T>(), GRAIN);
    let (a, b) = (Shared::new(a.cast_mut()), Shared::new(b.cast_mut()));
    let found = AtomicBool::new(false);
    let start = plan.offsets().map(|offset| offset as isize);
    let along = plan.axes().last().map_or([0; 3], |axis| axis.strides);
    threads::split(parts, |part| {
        walk::runs(plan.axes(), start, threads::share(plan.numel(), part, parts), &mut |[_, at_a, at_b], n| {
            // SAFETY: D3: offsets of the walk, and every step of the run.
            let any = unsafe {
                let (a, b) = (a.get().cast_const().offset(at_a), b.get().cast_const().offset(at_b));
                compiled::run(exec.isa, AnyIndivisible { a, b, steps: [along[1], along[2]], n })
            };
            if any {
                found.store(true, Ordering::Relaxed);
            }
        });
    });
    // SAFETY: the caller's.
    if found.into_inner() { unsafe { first_indivisible(plan, a.get(), b.get()) } } else { Ok(()) }
}

/// Whether a run has a division without a quotient.
struct AnyIndivisible<T> {
    a: *const T,
    b: *const T,
    steps: [isize; 2],
    n: usize,
}

impl<T: Element> Loop for AnyIndivisible<T> {
    type Output = bool;

    #[inline(always)]
    unsafe fn run(self) -> bool {
        let AnyIndivisible { a, b, steps, n } = self;
        let any = |steps: [isize; 2]| {
            // SAFETY: `check_quotients` gives a run.
            let none = |i: isize| unsafe {
                a.offset(i * steps[0]).read().indivisible(b.offset(i * steps[1]).read()).is_some()
            };
            // All of them: no branch between them.
            (0..n as isize).fold(false, |any, i| any | none(i))
        };
        match steps {
            [1, 1] => any([1, 1]),
            [1, 0] => any([1, 0]),
            [0, 1] => any([0, 1]),
            _ => any(steps),
        }
    }
}

/// The division that is reported: that of the lowest offset, a rule that does not depend on the order of the walk, so every
/// device reports the same.
///
/// # Safety
///
/// D2 to D5.
#[cold]
unsafe fn first_indivisible<T: Element>(plan: &Plan<3>, a: *const T, b: *const T) -> Result<()> {
    let (mut zero, mut overflow) = (usize::MAX, usize::MAX);
    plan.for_each_run(|[_, at_a, at_b], &PlanAxis { size, strides: [_, step_a, step_b] }| {
        for i in 0..size as isize {
            let (at_a, at_b) = (at_a.wrapping_add_signed(i * step_a), at_b.wrapping_add_signed(i * step_b));
            // SAFETY: D3: both offsets lie inside the buffers.
            match unsafe { a.add(at_a).read().indivisible(b.add(at_b).read()) } {
                None => {}
                Some(Indivisible::Zero) => zero = zero.min(at_b),
                Some(Indivisible::Overflow) => overflow = overflow.min(at_a),
            }
        }
    });
    let kind = if zero != usize::MAX {
        DeviceErrorKind::DivisionByZero { offset: zero }
    } else if overflow != usize::MAX {
        DeviceErrorKind::DivisionOverflow { offset: overflow }
    } else {
        return Ok(());
    };
    Err(DeviceError::new(BinaryOp::Div.name(), kind))
}
