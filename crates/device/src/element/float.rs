//! `f32` and `f64`: IEEE 754, one rounding an operation, never fused; `max` and `min` propagate NaN.

use super::arithmetic::Arithmetic;
use super::{DType, Element};

/// Implements [`Element`] for the primitive floats.
macro_rules! floats {
    ($($type:ident $dtype:ident;)*) => {$(
        impl Arithmetic for $type {
            type Sum = $type;

            const MAX: Option<fn($type, $type) -> $type> = Some($type::greater);
            const MIN: Option<fn($type, $type) -> $type> = Some($type::lesser);

            #[inline]
            fn add(self, other: $type) -> $type {
                self + other
            }
            #[inline]
            fn sub(self, other: $type) -> $type {
                self - other
            }
            #[inline]
            fn mul(self, other: $type) -> $type {
                self * other
            }
            #[inline]
            fn div(self, other: $type) -> $type {
                self / other
            }
            #[inline]
            fn to_sum(self) -> $type {
                self
            }
            #[inline]
            fn add_sums(a: $type, b: $type) -> $type {
                a + b
            }
            #[inline]
            fn plus_sum(self, sum: $type) -> $type {
                self + sum
            }
        }

        impl Extremes for $type {
            #[inline]
            fn greater(self, other: $type) -> $type {
                if self.is_nan() || other.is_nan() {
                    $type::NAN
                } else if self == other {
                    // Equal values differ in no bit but the sign of a zero, and +0 is the greater zero.
                    $type::from_bits(self.to_bits() & other.to_bits())
                } else if self > other {
                    self
                } else {
                    other
                }
            }
            #[inline]
            fn lesser(self, other: $type) -> $type {
                if self.is_nan() || other.is_nan() {
                    $type::NAN
                } else if self == other {
                    $type::from_bits(self.to_bits() | other.to_bits())
                } else if self < other {
                    self
                } else {
                    other
                }
            }
        }

        // SAFETY: a primitive float has no padding and no invalid bits, and zero bits are 0.0.
        unsafe impl Element for $type {
            const DTYPE: DType = DType::$dtype;
            const ZERO: $type = 0.0;
            const ONE: $type = 1.0;
        }
    )*};
}

/// `maximum` and `minimum` of IEEE 754-2019, which core offers only as an unstable feature; a NaN comes out canonical.
pub(super) trait Extremes {
    fn greater(self, other: Self) -> Self;
    fn lesser(self, other: Self) -> Self;
}

floats! {
    f32 F32;
    f64 F64;
}
