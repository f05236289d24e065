//! The integers: addition, subtraction and multiplication wrap as two's complement, division that has no quotient is found.

use super::arithmetic::Arithmetic;
use super::{DType, Element, Indivisible};

/// Implements [`Element`] for integers; the literal says whether the type has a `-1` to overflow with.
macro_rules! integers {
    ($($type:ident $dtype:ident $overflow:expr;)*) => {$(
        impl Arithmetic for $type {
            type Sum = $type;

            const INDIVISIBLE: bool = true;
            const MAX: Option<fn($type, $type) -> $type> = Some(Ord::max);
            const MIN: Option<fn($type, $type) -> $type> = Some(Ord::min);

            #[inline]
            fn add(self, other: $type) -> $type {
                self.wrapping_add(other)
            }
            #[inline]
            fn sub(self, other: $type) -> $type {
                self.wrapping_sub(other)
            }
            #[inline]
            fn mul(self, other: $type) -> $type {
                self.wrapping_mul(other)
            }
            #[inline]
            fn div(self, other: $type) -> $type {
                self.wrapping_div(other)
            }
            #[inline]
            fn indivisible(self, divisor: $type) -> Option<Indivisible> {
                let overflow: fn($type, $type) -> bool = $overflow;
                match divisor {
                    0 => Some(Indivisible::Zero),
                    _ if overflow(self, divisor) => Some(Indivisible::Overflow),
                    _ => None,
                }
            }
            #[inline]
            fn to_sum(self) -> $type {
                self
            }
            #[inline]
            fn add_sums(a: $type, b: $type) -> $type {
                a.wrapping_add(b)
            }
            #[inline]
            fn plus_sum(self, sum: $type) -> $type {
                self.wrapping_add(sum)
            }
        }

        // SAFETY: a primitive integer has no padding and no invalid bits.
        unsafe impl Element for $type {
            const DTYPE: DType = DType::$dtype;
            const ZERO: $type = 0;
            const ONE: $type = 1;
        }
    )*};
}

integers! {
    u8 U8 |_, _| false;
    u16 U16 |_, _| false;
    u32 U32 |_, _| false;
    u64 U64 |_, _| false;
    i8 I8 |a, b| a == i8::MIN && b == -1;
    i16 I16 |a, b| a == i16::MIN && b == -1;
    i32 I32 |a, b| a == i32::MIN && b == -1;
    i64 I64 |a, b| a == i64::MIN && b == -1;
}
