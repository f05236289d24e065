//! Values for the tests of the host's operations, and how results are compared.

use crate::element::{Bf16, C32, C64, Element, F16, F32x4};

/// An element type with bits that depend on the order of additions, where any do.
pub(in crate::host) trait Sample: Element {
    fn sample(bits: u64) -> Self;
}

/// Between -1 and 1, with zeros of both signs among them.
fn float(bits: u64) -> f64 {
    match bits % 16 {
        0 => 0.0,
        1 => -0.0,
        _ => (bits >> 11) as f64 / (1u64 << 52) as f64 - 1.0,
    }
}

macro_rules! samples {
    ($($type:ty: $bits:ident => $value:expr;)*) => {$(
        impl Sample for $type {
            fn sample($bits: u64) -> $type {
                $value
            }
        }
    )*};
}

samples! {
    u8: bits => bits as u8;
    i16: bits => bits as i16;
    u32: bits => bits as u32;
    i64: bits => bits as i64;
    F16: bits => F16::from_f64(float(bits));
    Bf16: bits => Bf16::from_f64(float(bits));
    f32: bits => float(bits) as f32;
    f64: bits => float(bits);
    F32x4: bits => F32x4([0, 1, 2, 3].map(|i| float(bits.rotate_left(i * 16)) as f32));
    C32: bits => C32::new(float(bits) as f32, float(bits.rotate_left(32)) as f32);
    C64: bits => C64::new(float(bits), float(bits.rotate_left(32)));
}

/// The bits, for comparison.
pub(in crate::host) fn bytes<T: Element>(values: &[T]) -> &[u8] {
    // SAFETY: an element has no padding, and all bits are bytes.
    unsafe { core::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}

pub(in crate::host) struct Random(pub(in crate::host) u64);

impl Random {
    pub(in crate::host) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 ^ (self.0 >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) ^ (self.0 >> 32)
    }

    pub(in crate::host) fn below(&mut self, n: usize) -> usize {
        (self.next() >> 16) as usize % n
    }
}

/// The same bits, or no number on both sides: which one that is, is nobody's promise.
#[track_caller]
pub(in crate::host) fn assert_same<T: Element>(given: &[T], twin: &[T], what: &dyn core::fmt::Display) {
    assert_eq!(given.len(), twin.len());
    for (at, (given, twin)) in given.iter().zip(twin).enumerate() {
        let same = bytes(core::slice::from_ref(given)) == bytes(core::slice::from_ref(twin));
        #[expect(clippy::eq_op, reason = "what differs from itself is no number")]
        let neither = given != given && twin != twin;
        assert!(same || neither, "element {at} of {} is {given:?}, the twin says {twin:?}: {what}", T::DTYPE);
    }
}

/// Calls `check` for each of some types.
macro_rules! check_all {
    ($($type:ident)*; $arguments:tt) => {
        $(check::<$type> $arguments;)*
    };
}
pub(in crate::host) use check_all;
