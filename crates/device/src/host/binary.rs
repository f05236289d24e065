//! Elementwise operations on two operands.

use weft_layout::{Plan, PlanAxis};

use crate::element::{Element, Indivisible};
use crate::error::{DeviceError, DeviceErrorKind, Result};
use crate::ops::BinaryOp;

/// # Safety
///
/// D2 to D5.
pub(super) unsafe fn binary<T: Element>(
    op: BinaryOp,
    plan: &Plan<3>,
    dst: *mut T,
    a: *const T,
    b: *const T,
) -> Result<()> {
    // SAFETY: the caller's D2 to D5, in every arm.
    unsafe {
        match op {
            BinaryOp::Add => run_all(plan, dst, a, b, T::add),
            BinaryOp::Sub => run_all(plan, dst, a, b, T::sub),
            BinaryOp::Mul => run_all(plan, dst, a, b, T::mul),
            BinaryOp::Div => {
                if T::INDIVISIBLE {
                    check_quotients(plan, a, b)?;
                }
                run_all(plan, dst, a, b, T::div);
            }
            BinaryOp::Max => run_all(plan, dst, a, b, T::MAX.ok_or_else(|| not_ordered::<T>(op))?),
            BinaryOp::Min => run_all(plan, dst, a, b, T::MIN.ok_or_else(|| not_ordered::<T>(op))?),
        }
    }
    Ok(())
}

#[cold]
fn not_ordered<T: Element>(op: BinaryOp) -> DeviceError {
    DeviceError::new(op.name(), DeviceErrorKind::NotOrdered { dtype: T::DTYPE })
}

/// # Safety
///
/// D2 to D5.
#[inline(always)]
unsafe fn run_all<T: Element>(plan: &Plan<3>, dst: *mut T, a: *const T, b: *const T, f: impl Fn(T, T) -> T) {
    plan.for_each_run(|[to, at_a, at_b], run| {
        // SAFETY: D3: all offsets and every step of the run lie inside the buffers.
        unsafe {
            let (dst, a, b) = (dst.add(to), a.add(at_a), b.add(at_b));
            match run.strides {
                // An operand that stands still is read once: with two steps or more (P2) it is no destination (D5).
                [1, 1, 1] => (0..run.size).for_each(|i| dst.add(i).write(f(a.add(i).read(), b.add(i).read()))),
                [1, 1, 0] => {
                    let b = b.read();
                    (0..run.size).for_each(|i| dst.add(i).write(f(a.add(i).read(), b)));
                }
                [1, 0, 1] => {
                    let a = a.read();
                    (0..run.size).for_each(|i| dst.add(i).write(f(a, b.add(i).read())));
                }
                [by, step_a, step_b] => (0..run.size as isize).for_each(|i| {
                    dst.offset(i * by).write(f(a.offset(i * step_a).read(), b.offset(i * step_b).read()));
                }),
            }
        }
    });
}

/// Finds the divisions that have no quotient before anything is written, the lowest offset first: a rule that does not
/// depend on the order of the walk, so every device reports the same.
///
/// # Safety
///
/// D2 to D5.
unsafe fn check_quotients<T: Element>(plan: &Plan<3>, a: *const T, b: *const T) -> Result<()> {
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
