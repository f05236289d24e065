//! The slow twins: coordinates one by one, and arithmetic written a second time from its definition.

use proptest::prelude::*;
use weft_device::{Bf16, BinaryOp, Buffer, C32, C64, Device, Element, F16, F32x4, Number, Real};
use weft_layout::Layout;

/// Guard elements before and after what a layout reaches. Nothing may touch them.
pub(crate) const GUARD: usize = 5;

/// One axis of a random walk over a destination without overlap and two operands with any strides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    size: usize,
    key: u8,
    gap: usize,
    flip: bool,
    operands: [Step; 2],
}

/// How an operand moves along an axis.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// As the destination does, so that runs are contiguous on both sides often enough.
    Along,
    By(isize),
}

/// Shapes of rank 0 to 4, sizes 0 to 4; a destination permuted, with gaps, flipped; operands with strides of either sign and zero.
pub(crate) fn axes() -> impl Strategy<Value = Vec<Axis>> {
    let size = prop_oneof![1 => Just(0usize), 2 => Just(1), 12 => 2usize..5];
    let gap = prop_oneof![3 => Just(0usize), 1 => 1usize..3];
    let step = || prop_oneof![3 => Just(Step::Along), 1 => Just(Step::By(0)), 4 => (-6isize..7).prop_map(Step::By)];
    let axis = (size, 0u8..4, gap, any::<bool>(), [step(), step()]);
    let axis = axis.prop_map(|(size, key, gap, flip, operands)| Axis { size, key, gap, flip, operands });
    prop::collection::vec(axis, 0..5)
}

fn shape(axes: &[Axis]) -> Vec<usize> {
    axes.iter().map(|axis| axis.size).collect()
}

/// A layout with these strides whose lowest offset is [`GUARD`], and the length of a buffer for it with a guard behind.
pub(crate) fn placed(shape: &[usize], strides: &[isize]) -> (Layout, usize) {
    let moves = shape.iter().zip(strides).map(|(&size, &stride)| stride * (size as isize - 1));
    let empty = shape.contains(&0);
    let (low, high) = moves.fold((0, 0), |(low, high), by| (low + by.min(0), high + by.max(0)));
    let (low, high) = if empty { (0, 0) } else { (low, high) };
    let layout = Layout::from_parts(shape, strides, GUARD + low.unsigned_abs()).unwrap();
    (layout, 2 * GUARD + (high - low) as usize + 1)
}

/// A destination: no two coordinates share an element.
pub(crate) fn destination(axes: &[Axis]) -> (Layout, usize) {
    let mut order: Vec<usize> = (0..axes.len()).collect();
    order.sort_by_key(|&axis| axes[axis].key);
    let (mut strides, mut extent) = (vec![0; axes.len()], 1);
    for axis in order {
        let Axis { size, gap, flip, .. } = axes[axis];
        extent += gap as isize;
        strides[axis] = if flip { -extent } else { extent };
        extent *= size.max(1) as isize;
    }
    placed(&shape(axes), &strides)
}

/// An operand, which may read an element many times.
pub(crate) fn operand(axes: &[Axis], which: usize) -> (Layout, usize) {
    let (along, _) = destination(axes);
    let step = |(axis, &along): (&Axis, &isize)| match axis.operands[which] {
        Step::Along => along,
        Step::By(stride) => stride,
    };
    let strides: Vec<isize> = axes.iter().zip(along.strides()).map(step).collect();
    placed(&shape(axes), &strides)
}

/// The shape of the gradient of a broadcast: the axes whose key is even are summed over.
pub(crate) fn broadcast_destination(axes: &[Axis]) -> (Layout, usize) {
    let (dense, len) = destination(axes);
    let strides: Vec<isize> =
        axes.iter().zip(dense.strides()).map(|(axis, &s)| if axis.key % 2 == 0 { 0 } else { s }).collect();
    let (layout, needed) = placed(&shape(axes), &strides);
    (layout, len.max(needed))
}

/// Every coordinate's offset, last axis fastest: nothing but `offset + coordinate · strides`.
pub(crate) fn offsets(layout: &Layout) -> Vec<usize> {
    let mut all = vec![layout.offset() as isize];
    for (&size, &stride) in layout.shape().iter().zip(layout.strides()) {
        all = all.iter().flat_map(|&at| (0..size as isize).map(move |i| at + i * stride)).collect();
    }
    all.into_iter().map(|at| usize::try_from(at).unwrap()).collect()
}

/// A stream of values made from a seed; not good randomness, but the same everywhere.
pub(crate) fn values<T: Twin>(seed: u64, len: usize) -> Vec<T> {
    let mut state = seed | 1;
    (0..len)
        .map(|_| {
            let mut next = || {
                state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
                state >> 11 ^ state >> 43
            };
            T::sample(&mut next)
        })
        .collect()
}

/// A buffer of these values on the device.
pub(crate) fn upload<T: Element, D: Device>(device: &D, values: &[T]) -> Buffer<T, D> {
    Buffer::from_slice(device, values).unwrap()
}

/// Whether what a device left is what the twin left, element by element.
#[track_caller]
pub(crate) fn assert_agree<T: Twin, D: Device>(given: &Buffer<T, D>, twin: &[T], what: &dyn core::fmt::Debug) {
    let given = given.to_vec().unwrap();
    assert_eq!(given.len(), twin.len());
    for (at, (&g, &t)) in given.iter().zip(twin).enumerate() {
        assert!(g.agrees(t), "element {at} is {g:?}, the twin says {t:?}: {what:?}");
    }
}

/// An element type whose arithmetic is written a second time.
pub(crate) trait Twin: Element {
    /// Any value: small ones, extremes, and any bits.
    fn sample(next: &mut dyn FnMut() -> u64) -> Self;
    /// A value of small magnitude, whose sums are exact in every type.
    fn small(n: i64) -> Self;
    /// The operation by its definition; `None` where it has no answer.
    fn eval(op: BinaryOp, a: Self, b: Self) -> Option<Self>;
    /// The same bits, or both not a number.
    fn agrees(self, other: Self) -> bool;
}

macro_rules! integers {
    ($($t:ident)*) => {$(impl Twin for $t {
        fn sample(next: &mut dyn FnMut() -> u64) -> $t {
            match next() % 8 {
                0 => $t::MIN,
                1 => $t::MAX,
                2 => (0 as $t).wrapping_sub(1),
                3 => next() as $t % 4,
                _ => next() as $t,
            }
        }
        fn small(n: i64) -> $t {
            n as $t
        }
        fn eval(op: BinaryOp, a: $t, b: $t) -> Option<$t> {
            let (x, y) = (i128::from(a), i128::from(b));
            // Exact in 128 bits, then the low bits.
            Some(match op {
                BinaryOp::Add => (x + y) as $t,
                BinaryOp::Sub => (x - y) as $t,
                BinaryOp::Mul => x.wrapping_mul(y) as $t,
                BinaryOp::Div => return x.checked_div(y).and_then(|q| $t::try_from(q).ok()),
                BinaryOp::Max => if x > y { a } else { b },
                BinaryOp::Min => if x < y { a } else { b },
                _ => unreachable!("an operation without a twin"),
            })
        }
        fn agrees(self, other: $t) -> bool {
            self == other
        }
    })*};
}

integers!(u8 u16 u32 u64 i8 i16 i32 i64);

/// The greater or lesser of two floats: +0 is above -0, NaN wins.
fn extreme(op: BinaryOp, x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    let x_above = x.total_cmp(&y).is_gt();
    if x_above == (op == BinaryOp::Max) { x } else { y }
}

macro_rules! floats {
    ($($t:ident $bits:ident)*) => {$(impl Twin for $t {
        fn sample(next: &mut dyn FnMut() -> u64) -> $t {
            match next() % 8 {
                0 => $t::NAN,
                1 => $t::INFINITY,
                2 => -0.0,
                3 => 0.0,
                4 => next() as i8 as $t,
                5 => next() as $t / 1e17,
                _ => $t::from_bits(next() as $bits ^ (next() as $bits).rotate_right(20)),
            }
        }
        fn small(n: i64) -> $t {
            n as $t
        }
        fn eval(op: BinaryOp, a: $t, b: $t) -> Option<$t> {
            Some(match op {
                BinaryOp::Add => a + b,
                BinaryOp::Sub => a - b,
                BinaryOp::Mul => a * b,
                BinaryOp::Div => a / b,
                _ => extreme(op, a.into(), b.into()) as $t,
            })
        }
        fn agrees(self, other: $t) -> bool {
            self.to_bits() == other.to_bits() || self.is_nan() && other.is_nan()
        }
    })*};
}

floats!(f32 u32 f64 u64);

macro_rules! halves {
    ($($t:ident)*) => {$(impl Twin for $t {
        fn sample(next: &mut dyn FnMut() -> u64) -> $t {
            match next() % 4 {
                0 => $t::from_f32(next() as i8 as f32),
                1 => $t::from_f32([0.0, -0.0, f32::NAN, f32::INFINITY][next() as usize % 4]),
                _ => $t::from_bits(next() as u16),
            }
        }
        fn small(n: i64) -> $t {
            $t::from_number(Number::Signed(n))
        }
        fn eval(op: BinaryOp, a: $t, b: $t) -> Option<$t> {
            // In f64, which is exact for sums and products; tests/elements.rs checks that from_f64 rounds once.
            let (x, y) = (f64::from(a), f64::from(b));
            Some($t::from_f64(match op {
                BinaryOp::Add => x + y,
                BinaryOp::Sub => x - y,
                BinaryOp::Mul => x * y,
                BinaryOp::Div => x / y,
                _ => extreme(op, x, y),
            }))
        }
        fn agrees(self, other: $t) -> bool {
            self.to_bits() == other.to_bits() || self.to_f32().is_nan() && other.to_f32().is_nan()
        }
    })*};
}

halves!(F16 Bf16);

impl Twin for F32x4 {
    fn sample(next: &mut dyn FnMut() -> u64) -> F32x4 {
        F32x4([0; 4].map(|_| f32::sample(next)))
    }
    fn small(n: i64) -> F32x4 {
        F32x4([n as f32, -n as f32, 0.0, 1.0])
    }
    fn eval(op: BinaryOp, a: F32x4, b: F32x4) -> Option<F32x4> {
        if matches!(op, BinaryOp::Max | BinaryOp::Min) {
            return None;
        }
        let mut lanes = a.0;
        for (lane, b) in lanes.iter_mut().zip(b.0) {
            *lane = f32::eval(op, *lane, b)?;
        }
        Some(F32x4(lanes))
    }
    fn agrees(self, other: F32x4) -> bool {
        self.0.iter().zip(other.0).all(|(a, b)| a.agrees(b))
    }
}

macro_rules! complex {
    ($($t:ident $part:ident)*) => {$(impl Twin for $t {
        fn sample(next: &mut dyn FnMut() -> u64) -> $t {
            $t::new($part::sample(next), $part::sample(next))
        }
        fn small(n: i64) -> $t {
            $t::new(n as $part, -2.0 * n as $part)
        }
        fn eval(op: BinaryOp, a: $t, b: $t) -> Option<$t> {
            let ($t { re: p, im: q }, $t { re: r, im: s }) = (a, b);
            Some(match op {
                BinaryOp::Add => $t::new(p + r, q + s),
                BinaryOp::Sub => $t::new(p - r, q - s),
                BinaryOp::Mul => $t::new(p * r - q * s, p * s + q * r),
                BinaryOp::Div => {
                    let conjugate = $t::new(r, -s);
                    let (top, bottom) = ($t::eval(BinaryOp::Mul, a, conjugate)?, r * r + s * s);
                    $t::new(top.re / bottom, top.im / bottom)
                }
                _ => return None,
            })
        }
        fn agrees(self, other: $t) -> bool {
            // The sign of a zero may differ between p·r - q·(-s) and p·r + q·s: equal is equal.
            let part = |a: $part, b: $part| a == b || a.agrees(b);
            part(self.re, other.re) && part(self.im, other.im)
        }
    })*};
}

complex!(C32 f32 C64 f64);

/// Calls a generic function once for every element type.
macro_rules! for_every_element {
    ($name:ident($($argument:expr),*)) => {
        for_every_element!(@ $name($($argument),*)
            u8 u16 u32 u64 i8 i16 i32 i64 weft_device::F16 weft_device::Bf16 f32 f64 weft_device::F32x4 weft_device::C32 weft_device::C64)
    };
    (@ $name:ident $arguments:tt $($t:ty)*) => {{ $(for_every_element!(@@ $name $t, $arguments);)* }};
    (@@ $name:ident $t:ty, ($($argument:expr),*)) => { $name::<$t, _>($($argument),*) };
}
pub(crate) use for_every_element;
