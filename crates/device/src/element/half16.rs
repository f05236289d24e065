//! The 16-bit floats: storage in two bytes, arithmetic in `f32` and one rounding to nearest, ties to even.
//!
//! An `f32` has more than twice the digits of either type, so computing in `f32` and rounding gives the same bits as exact
//! arithmetic rounded once.

use core::fmt;

use super::arithmetic::Arithmetic;
use super::bits16::{narrow_bf16, narrow_f16, widen_bf16, widen_f16};
use super::convert::round_to_odd;
use super::float::Extremes;
use super::{DType, Element};

/// The `f32` with the fewest decimal digits that `same` still takes for `value`: printed, it has no digits too many.
/// Five digits are enough for either type. With a precision given the value itself is printed.
fn shortest(value: f32, precision: Option<usize>, same: impl Fn(f32) -> bool) -> f32 {
    if precision.is_some() || !value.is_finite() {
        return value;
    }
    (0..5).filter_map(|digits| format!("{value:.digits$e}").parse().ok()).find(|&short| same(short)).unwrap_or(value)
}

/// Declares one 16-bit float as a newtype over the one of the `half` crate.
macro_rules! half16 {
    ($(#[$doc:meta])* $name:ident, $inner:ty, $dtype:ident, $one:literal, $widen:ident, $narrow:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Default, PartialEq, PartialOrd)]
        #[repr(transparent)]
        pub struct $name($inner);

        impl $name {
            /// The nearest value, ties to even; what is too large becomes an infinity, a NaN stays a NaN.
            #[inline]
            #[must_use]
            pub fn from_f32(value: f32) -> $name {
                $name::from_bits($narrow(value))
            }

            /// The nearest value, ties to even, rounded once (not first to `f32`).
            #[inline]
            #[must_use]
            pub fn from_f64(value: f64) -> $name {
                $name::from_f32(round_to_odd(value))
            }

            /// The same value in 32 bits: exact.
            #[inline]
            #[must_use]
            pub fn to_f32(self) -> f32 {
                $widen(self.to_bits())
            }

            /// The value whose bits these are.
            #[inline]
            #[must_use]
            pub const fn from_bits(bits: u16) -> $name {
                $name(<$inner>::from_bits(bits))
            }

            /// The bits of this value.
            #[inline]
            #[must_use]
            pub const fn to_bits(self) -> u16 {
                self.0.to_bits()
            }
        }

        impl From<$name> for f32 {
            #[inline]
            fn from(value: $name) -> f32 {
                value.to_f32()
            }
        }

        impl From<$name> for f64 {
            #[inline]
            fn from(value: $name) -> f64 {
                f64::from(value.to_f32())
            }
        }

        #[cfg(feature = "half")]
        impl From<$inner> for $name {
            fn from(value: $inner) -> $name {
                $name(value)
            }
        }

        #[cfg(feature = "half")]
        impl From<$name> for $inner {
            fn from(value: $name) -> $inner {
                value.0
            }
        }

        /// As few digits as tell the value from its neighbours, or as many as a precision asks for.
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&shortest(self.to_f32(), f.precision(), |x| $name::from_f32(x) == *self), f)
            }
        }

        /// As `Display`, and whole numbers keep a `.0`.
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&shortest(self.to_f32(), f.precision(), |x| $name::from_f32(x) == *self), f)
            }
        }

        impl Arithmetic for $name {
            type Sum = f32;

            const MAX: Option<fn($name, $name) -> $name> =
                Some(|a, b| $name::from_f32(a.to_f32().greater(b.to_f32())));
            const MIN: Option<fn($name, $name) -> $name> =
                Some(|a, b| $name::from_f32(a.to_f32().lesser(b.to_f32())));

            #[inline]
            fn add(self, other: $name) -> $name {
                $name::from_f32(self.to_f32() + other.to_f32())
            }
            #[inline]
            fn sub(self, other: $name) -> $name {
                $name::from_f32(self.to_f32() - other.to_f32())
            }
            #[inline]
            fn mul(self, other: $name) -> $name {
                $name::from_f32(self.to_f32() * other.to_f32())
            }
            #[inline]
            fn div(self, other: $name) -> $name {
                $name::from_f32(self.to_f32() / other.to_f32())
            }
            #[inline]
            fn to_sum(self) -> f32 {
                self.to_f32()
            }
            #[inline]
            fn add_sums(a: f32, b: f32) -> f32 {
                a + b
            }
            #[inline]
            fn plus_sum(self, sum: f32) -> $name {
                $name::from_f32(self.to_f32() + sum)
            }
        }

        // SAFETY: transparent over a transparent `u16`; zero bits are 0.0.
        unsafe impl Element for $name {
            const DTYPE: DType = DType::$dtype;
            const ZERO: $name = $name::from_bits(0);
            const ONE: $name = $name::from_bits($one);
        }
    };
}

half16! {
    /// IEEE 754 binary16: 11 significant bits, up to 65504, down to 2^-24.
    ///
    /// ```
    /// use weft_device::F16;
    /// assert_eq!(F16::from_f32(2049.0).to_f32(), 2048.0); // between 2048 and 2050: the tie goes to the even one
    /// assert_eq!(F16::from_f32(65520.0).to_f32(), f32::INFINITY);
    /// ```
    #[doc(alias("half", "float16", "f16"))]
    F16, half::f16, F16, 0x3c00, widen_f16, narrow_f16
}

half16! {
    /// bfloat16: the upper half of an `f32`; 8 significant bits and the range of `f32`.
    ///
    /// ```
    /// use weft_device::Bf16;
    /// assert_eq!(Bf16::from_f32(257.0).to_f32(), 256.0); // between 256 and 258: the tie goes to the even one
    /// assert_eq!(Bf16::from_f32(3.14).to_f32(), 3.140625);
    /// assert_eq!(Bf16::from_f32(3.14).to_string(), "3.14");
    /// ```
    #[doc(alias("bfloat16", "bf16"))]
    Bf16, half::bf16, Bf16, 0x3f80, widen_bf16, narrow_bf16
}
