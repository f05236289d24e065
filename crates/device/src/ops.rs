//! The operations every device offers, each over a plan: `fill`, `copy`, `accumulate`, `binary`, `convert`.
//!
//! This is the one place where a plan meets buffers. The functions check what can be checked: that every
//! operand's buffer is long enough for the plan (D3) and that all operands are on one device (D4). They are `unsafe` for what
//! cannot be: that the destination's elements are the caller's alone (D5 of [`Device`]). The views of
//! `weft-view` make that promise to their users.
//!
//! A call that fails has written nothing. An empty plan asks nothing of the device.

use core::fmt;
use core::ops::Range;

use weft_layout::{Plan, ReducePlan};

use crate::buffer::BufferRef;
use crate::device::Device;
use crate::element::{Converts, Element};
use crate::error::{DeviceError, DeviceErrorKind, Result};

/// An elementwise operation on two operands. What it computes is the same on every device:
///
/// | | integers | floats | [`C32`](crate::C32), [`C64`](crate::C64) | [`F32x4`](crate::F32x4) |
/// |---|---|---|---|---|
/// | add, sub, mul | wrap as two's complement | IEEE 754, never fused | by the textbook's formula, never fused | lane by lane |
/// | div | truncates; `x / 0` and `MIN / -1` are errors | IEEE 754 | numerator times conjugate, over the norm | lane by lane |
/// | max, min | by value | by value, +0 above -0; a NaN on either side gives NaN | `NotOrdered` | `NotOrdered` |
///
/// [`F16`](crate::F16) and [`Bf16`](crate::Bf16) compute in `f32` and round once, to nearest with ties to even.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BinaryOp {
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    #[doc(alias("multiply", "hadamard"))]
    Mul,
    /// `a / b`
    Div,
    /// The greater of the two.
    #[doc(alias = "maximum")]
    Max,
    /// The lesser of the two.
    #[doc(alias = "minimum")]
    Min,
}

impl BinaryOp {
    /// The name as messages print it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            BinaryOp::Add => "add",
            BinaryOp::Sub => "sub",
            BinaryOp::Mul => "mul",
            BinaryOp::Div => "div",
            BinaryOp::Max => "max",
            BinaryOp::Min => "min",
        }
    }
}

impl fmt::Display for BinaryOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Writes `value` to every element of the plan.
///
/// # Errors
///
/// `OutOfBuffer`.
///
/// # Safety
///
/// D5 of [`Device`]: the elements of the destination are the caller's alone.
///
/// ```
/// use weft_device::{Buffer, Host, ops};
/// use weft_layout::{Layout, Plan};
/// let row = Buffer::<u8>::new_zeroed(&Host, 6)?;
/// let every_other = Plan::new([&Layout::from_parts(&[3], &[2], 1)?])?;
/// // SAFETY: `row` is ours, nobody else uses it.
/// unsafe { ops::fill(&every_other, row.borrowed(), 7)? };
/// assert_eq!(row.to_vec()?, [0, 7, 0, 7, 0, 7]);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
pub unsafe fn fill<T: Element, D: Device>(plan: &Plan<1>, dst: BufferRef<'_, T, D>, value: T) -> Result<()> {
    check("fill", plan.spans(), [dst.len()])?;
    if plan.is_empty() {
        return Ok(());
    }
    // SAFETY: D2 by `BufferRef`, D3 and D4 checked (one operand), D5 the caller's.
    unsafe { dst.device().fill(plan, dst.pointer(), value) }
}

/// Copies element by element from operand 1 to operand 0; runs that are contiguous on both sides at once.
///
/// # Errors
///
/// `OutOfBuffer`, `DeviceMismatch`.
///
/// # Safety
///
/// D5 of [`Device`]: the elements of the destination are the caller's alone.
///
/// ```
/// use weft_device::{Buffer, Host, ops};
/// use weft_layout::{Layout, Plan};
/// let src = Buffer::from_slice(&Host, &[1u8, 2, 3, 4, 5, 6])?;
/// let dst = Buffer::new_zeroed(&Host, 6)?;
/// let transposed = Plan::new([&Layout::row_major([3, 2])?, &Layout::row_major([2, 3])?.t()?])?;
/// // SAFETY: `dst` is ours, nobody else uses it.
/// unsafe { ops::copy(&transposed, dst.borrowed(), src.borrowed())? };
/// assert_eq!(dst.to_vec()?, [1, 4, 2, 5, 3, 6]);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
pub unsafe fn copy<T: Element, D: Device>(
    plan: &Plan<2>,
    dst: BufferRef<'_, T, D>,
    src: BufferRef<'_, T, D>,
) -> Result<()> {
    check("copy", plan.spans(), [dst.len(), src.len()])?;
    same_device("copy", dst.device(), src.device())?;
    if plan.is_empty() {
        return Ok(());
    }
    // SAFETY: D2 by `BufferRef`, D3 and D4 checked, D5 the caller's.
    unsafe { dst.device().copy::<T>(plan, dst.pointer(), src.pointer()) }
}

/// Adds the source to the destination, summing over the axes along which the destination stands still.
///
/// Integers wrap. Floats are summed pairwise in the order that [`ReducePlan`] fixes, and the sum is added to the destination
/// last. `F16` and `Bf16` are added up in `f32`, the destination too, and only the result is rounded to 16 bits. The same
/// call gives the same bits every time.
///
/// # Errors
///
/// `OutOfBuffer`, `DeviceMismatch`.
///
/// # Safety
///
/// D5 of [`Device`]: the elements of the destination are the caller's alone.
///
/// ```
/// use weft_device::{Buffer, Host, ops};
/// use weft_layout::{Layout, ReducePlan};
/// let grad = Buffer::from_slice(&Host, &[10.0f32, 20.0, 30.0])?;
/// let upstream = Buffer::from_slice(&Host, &[1.0; 6])?;
/// let plan = ReducePlan::new(&Layout::row_major([3])?.broadcast_to([2, 3])?, &Layout::row_major([2, 3])?)?;
/// // SAFETY: `grad` is ours, nobody else uses it.
/// unsafe { ops::accumulate(&plan, grad.borrowed(), upstream.borrowed())? };
/// assert_eq!(grad.to_vec()?, [12.0, 22.0, 32.0]);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[doc(alias("sum_to_size", "scatter_add", "unbroadcast"))]
pub unsafe fn accumulate<T: Element, D: Device>(
    plan: &ReducePlan,
    dst: BufferRef<'_, T, D>,
    src: BufferRef<'_, T, D>,
) -> Result<()> {
    check("accumulate", plan.spans(), [dst.len(), src.len()])?;
    same_device("accumulate", dst.device(), src.device())?;
    if plan.is_empty() {
        return Ok(());
    }
    // SAFETY: D2 by `BufferRef`, D3 and D4 checked, D5 the caller's.
    unsafe { dst.device().accumulate::<T>(plan, dst.pointer(), src.pointer()) }
}

/// Computes `dst = a op b` element by element; `dst` may be `a` or `b` itself (`w -= g`).
///
/// # Errors
///
/// `OutOfBuffer`, `DeviceMismatch`; `NotOrdered` for `Max` and `Min` of complex numbers and lanes; `DivisionByZero` and
/// `DivisionOverflow` for integers, found before anything is written.
///
/// # Safety
///
/// D5 of [`Device`]: the elements of the destination are the caller's alone.
///
/// ```
/// use weft_device::{BinaryOp, Buffer, Host, ops};
/// use weft_layout::{Layout, Plan};
/// let (w, g) = (Buffer::from_slice(&Host, &[5i32, 6])?, Buffer::from_slice(&Host, &[1, 0])?);
/// let l = Layout::row_major([2])?;
/// let plan = Plan::new([&l, &l, &l])?;
/// // SAFETY: `w` is ours, nobody else uses it; in place, element by element.
/// unsafe { ops::binary(BinaryOp::Sub, &plan, w.borrowed(), w.borrowed(), g.borrowed())? };
/// assert_eq!(w.to_vec()?, [4, 6]);
/// // SAFETY: as above.
/// let refused = unsafe { ops::binary(BinaryOp::Div, &plan, w.borrowed(), w.borrowed(), g.borrowed()) };
/// assert_eq!(refused.unwrap_err().to_string(), "div: the divisor at offset 1 is zero");
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
pub unsafe fn binary<T: Element, D: Device>(
    op: BinaryOp,
    plan: &Plan<3>,
    dst: BufferRef<'_, T, D>,
    a: BufferRef<'_, T, D>,
    b: BufferRef<'_, T, D>,
) -> Result<()> {
    check(op.name(), plan.spans(), [dst.len(), a.len(), b.len()])?;
    same_device(op.name(), dst.device(), a.device())?;
    same_device(op.name(), dst.device(), b.device())?;
    if plan.is_empty() {
        return Ok(());
    }
    // SAFETY: D2 by `BufferRef`, D3 and D4 checked, D5 the caller's.
    unsafe { dst.device().binary::<T>(op, plan, dst.pointer(), a.pointer(), b.pointer()) }
}

/// Copies element by element from operand 1 to operand 0, converting as [`Converts`] says; one type to itself bit by bit.
///
/// # Errors
///
/// `OutOfBuffer`, `DeviceMismatch`.
///
/// # Safety
///
/// D5 of [`Device`]: the elements of the destination are the caller's alone. Two different types do not share memory.
///
/// ```
/// use weft_device::{Buffer, Host, ops};
/// use weft_layout::{Layout, Plan};
/// let src = Buffer::from_slice(&Host, &[1.9f32, -3.0, f32::NAN])?;
/// let dst = Buffer::<u8>::new_zeroed(&Host, 3)?;
/// let l = Layout::row_major([3])?;
/// // SAFETY: `dst` is ours, nobody else uses it.
/// unsafe { ops::convert(&Plan::new([&l, &l])?, dst.borrowed(), src.borrowed())? };
/// assert_eq!(dst.to_vec()?, [1, 0, 0]);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[doc(alias("cast", "astype", "to_dtype"))]
pub unsafe fn convert<S: Converts<T>, T: Element, D: Device>(
    plan: &Plan<2>,
    dst: BufferRef<'_, T, D>,
    src: BufferRef<'_, S, D>,
) -> Result<()> {
    check("convert", plan.spans(), [dst.len(), src.len()])?;
    same_device("convert", dst.device(), src.device())?;
    if plan.is_empty() {
        return Ok(());
    }
    // SAFETY: D2 by `BufferRef`, D3 and D4 checked, D5 and no overlap the caller's.
    unsafe { dst.device().convert::<S, T>(plan, dst.pointer(), src.pointer()) }
}

/// Establishes D3: every buffer holds all offsets that the plan reaches in it.
fn check<const K: usize>(op: &'static str, spans: &[Range<usize>; K], lens: [usize; K]) -> Result<()> {
    for (operand, (span, len)) in spans.iter().zip(lens).enumerate() {
        if span.end > len {
            return Err(DeviceError::new(op, DeviceErrorKind::OutOfBuffer { operand, required: span.end, len }));
        }
    }
    Ok(())
}

/// Establishes D4: two handles of one device.
fn same_device<D: Device>(op: &'static str, left: &D, right: &D) -> Result<()> {
    if left.same(right) { Ok(()) } else { Err(mismatch(op, left, right)) }
}

#[cold]
fn mismatch<D: Device>(op: &'static str, left: &D, right: &D) -> DeviceError {
    let (left, right) = (left.name().into_boxed_str(), right.name().into_boxed_str());
    DeviceError::new(op, DeviceErrorKind::DeviceMismatch { left, right })
}
