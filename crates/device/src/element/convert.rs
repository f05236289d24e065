//! Conversion between element types: [`Real`] types through [`Number`], with the meaning of Rust's `as`.

use super::{Bf16, C32, C64, Element, F16, F32x4};

/// A real number of any element type, without loss: the middle of every conversion between real types.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// From `i8`..`i64`.
    Signed(i64),
    /// From `u8`..`u64`.
    Unsigned(u64),
    /// From the floats.
    Float(f64),
}

/// An element type of real, ordered numbers: the integers and the floats, but neither complex numbers nor [`F32x4`].
///
/// ```
/// use weft_device::{Number, Real};
/// assert_eq!((-1i8).number(), Number::Signed(-1));
/// assert_eq!(u8::from_number(Number::Float(300.7)), 255); // as `300.7 as u8`
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an element type of real numbers",
    note = "complex numbers and F32x4 have no order and no conversion to real numbers"
)]
pub trait Real: Element + PartialOrd {
    /// This value, exactly.
    #[must_use]
    fn number(self) -> Number;

    /// The value as Rust's `as` gives it: integers keep their low bits, floats round to nearest with ties to even, and
    /// a float turned integer is truncated and clamped, a NaN becoming 0.
    #[must_use]
    fn from_number(number: Number) -> Self;
}

macro_rules! real {
    ($($variant:ident $wide:ty: $($type:ty),*;)*) => {$($(
        impl Real for $type {
            #[inline]
            fn number(self) -> Number {
                Number::$variant(<$wide>::from(self))
            }
            #[inline]
            fn from_number(number: Number) -> $type {
                match number {
                    Number::Signed(n) => n as $type,
                    Number::Unsigned(n) => n as $type,
                    Number::Float(x) => x as $type,
                }
            }
        }
    )*)*};
}

real! {
    Signed i64: i8, i16, i32, i64;
    Unsigned u64: u8, u16, u32, u64;
    Float f64: f32, f64;
}

macro_rules! real16 {
    ($($type:ty),*) => {$(
        impl Real for $type {
            #[inline]
            fn number(self) -> Number {
                Number::Float(f64::from(self))
            }
            #[inline]
            fn from_number(number: Number) -> $type {
                match number {
                    Number::Signed(n) => <$type>::from_f64(integer_to_odd(n.unsigned_abs(), n < 0)),
                    Number::Unsigned(n) => <$type>::from_f64(integer_to_odd(n, false)),
                    Number::Float(x) => <$type>::from_f64(x),
                }
            }
        }
    )*};
}

real16!(F16, Bf16);

/// The `f32` that a later rounding to 16 bits rounds as if it had seen `value` itself.
///
/// Rounding twice to nearest can go wrong: a first rounding that lands on a tie hides which side the value was on.
/// Rounding to odd the first time (of the two neighbours of an inexact value, the one whose last bit is 1) never lands on a tie, and
/// keeps the side. (Boldo and Melquiond, "When double rounding is odd", 2005: right if two more bits are kept.)
#[inline]
pub(super) fn round_to_odd(value: f64) -> f32 {
    let near = value as f32;
    if near.is_nan() || f64::from(near) == value || near.to_bits() & 1 == 1 {
        return near;
    }
    // Bits of one sign count up with the magnitude, through zero's and infinity's neighbours too.
    let toward = if f64::from(near).abs() > value.abs() { near.to_bits() - 1 } else { near.to_bits() + 1 };
    f32::from_bits(toward)
}

/// An integer as the `f64` that later roundings to fewer bits round as if they had seen the integer itself.
#[inline]
fn integer_to_odd(magnitude: u64, negative: bool) -> f64 {
    // 53 bits hold every integer up to 2^53; above that a sticky lowest bit stands for the eleven that are cut off.
    let kept = if magnitude >> 53 == 0 {
        magnitude
    } else {
        (magnitude & !0x7ff) | if magnitude & 0x7ff == 0 { 0 } else { 0x800 }
    };
    if negative { -(kept as f64) } else { kept as f64 }
}

/// What may be converted to `T`: real to real with the meaning of Rust's `as`, real to complex with an imaginary part of 0,
/// complex to complex part by part.
///
/// Complex to real is refused by the compiler: which part is meant is for the caller to say. [`F32x4`] converts to itself only;
/// it is four numbers, reached by viewing the memory as `f32`.
#[diagnostic::on_unimplemented(
    message = "elements of type `{Self}` cannot be converted to `{T}`",
    note = "complex numbers become real ones only by taking a part; F32x4 is seen as f32 by `recast`"
)]
pub trait Converts<T: Element>: Element {
    /// The value in the other type.
    #[must_use]
    fn convert(self) -> T;
}

impl<S: Real, T: Real> Converts<T> for S {
    #[inline]
    fn convert(self) -> T {
        T::from_number(self.number())
    }
}

macro_rules! to_complex {
    ($($complex:ident $part:ident;)*) => {$(
        impl<S: Real> Converts<$complex> for S {
            #[inline]
            fn convert(self) -> $complex {
                $complex::new($part::from_number(self.number()), 0.0)
            }
        }
    )*};
}

to_complex! {
    C32 f32;
    C64 f64;
}

impl Converts<C32> for C32 {
    #[inline]
    fn convert(self) -> C32 {
        self
    }
}

impl Converts<C64> for C32 {
    #[inline]
    fn convert(self) -> C64 {
        C64::new(f64::from(self.re), f64::from(self.im))
    }
}

impl Converts<C32> for C64 {
    #[inline]
    fn convert(self) -> C32 {
        C32::new(self.re as f32, self.im as f32)
    }
}

impl Converts<C64> for C64 {
    #[inline]
    fn convert(self) -> C64 {
        self
    }
}

impl Converts<F32x4> for F32x4 {
    #[inline]
    fn convert(self) -> F32x4 {
        self
    }
}
