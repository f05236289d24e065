//! Element types: what a buffer may hold, and what arithmetic means for it.
//!
//! The set is closed, because every type must exist on every device with the same bits. The arithmetic itself sits in a
//! private trait: users say what to do through operations, and devices do it.

mod bits16;
mod complex;
mod convert;
mod float;
mod half16;
mod integer;
mod lanes;

use core::fmt;

pub use complex::{C32, C64};
pub use convert::{Converts, Number, Real};
pub use half16::{Bf16, F16};
pub use lanes::F32x4;

/// A type that buffers can hold: the integers, `f32`, `f64`, [`F16`], [`Bf16`], [`F32x4`], [`C32`] and [`C64`].
///
/// The trait is sealed.
///
/// ```
/// use weft_device::{C32, DType, Element, F16};
/// assert_eq!(F16::DTYPE, DType::F16);
/// assert_eq!(C32::ONE.to_string(), "1+0i");
/// ```
///
/// # Safety
///
/// It is `unsafe` because buffers are bytes: an element has no padding, its every bit pattern is a value, all-zero bits are
/// [`ZERO`](Element::ZERO), its size is 1, 2, 4, 8 or 16 bytes and its alignment divides its size.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an element type",
    note = "elements are u8..u64, i8..i64, f32, f64, F16, Bf16, F32x4, C32 and C64"
)]
pub unsafe trait Element:
    arithmetic::Arithmetic + Copy + PartialEq + Default + fmt::Debug + fmt::Display + Send + Sync + 'static
{
    /// The type as a value.
    const DTYPE: DType;
    /// Zero, which is also all-zero bits.
    const ZERO: Self;
    /// One; for [`F32x4`] one in every lane.
    const ONE: Self;
}

/// Declares [`DType`] from the list of element types.
macro_rules! dtypes {
    ($($variant:ident $type:ty, $name:literal;)*) => {
        /// An element type as a value: for messages, files and choices made at run time.
        ///
        /// ```
        /// use weft_device::DType;
        /// assert_eq!((DType::Bf16.name(), DType::Bf16.size()), ("bf16", 2));
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum DType {
            $(#[doc = concat!("`", stringify!($type), "`")] $variant,)*
        }

        impl DType {
            /// Every element type.
            pub const ALL: &'static [DType] = &[$(DType::$variant),*];

            /// The name in lower case, as messages print it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(DType::$variant => $name,)* }
            }

            /// The size of one element, in bytes.
            #[must_use]
            #[doc(alias("itemsize", "element_size", "size_in_bytes"))]
            pub const fn size(self) -> usize {
                match self { $(DType::$variant => size_of::<$type>(),)* }
            }
        }

        $(const _: () = {
            assert!(<$type as Element>::DTYPE as u8 == DType::$variant as u8);
            assert!(matches!(size_of::<$type>(), 1 | 2 | 4 | 8 | 16));
            assert!(size_of::<$type>() % align_of::<$type>() == 0);
        };)*
    };
}

dtypes! {
    U8 u8, "u8";
    U16 u16, "u16";
    U32 u32, "u32";
    U64 u64, "u64";
    I8 i8, "i8";
    I16 i16, "i16";
    I32 i32, "i32";
    I64 i64, "i64";
    F16 F16, "f16";
    Bf16 Bf16, "bf16";
    F32 f32, "f32";
    F64 f64, "f64";
    F32x4 F32x4, "f32x4";
    C32 C32, "c32";
    C64 C64, "c64";
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why an integer division has no quotient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indivisible {
    /// The divisor is zero.
    Zero,
    /// The least value divided by minus one.
    Overflow,
}

/// The sealing module: the trait is public for the compiler and unreachable for everybody else.
pub(crate) mod arithmetic {
    use super::Indivisible;

    /// What devices compute with elements. Documented for users on [`BinaryOp`](crate::BinaryOp).
    pub trait Arithmetic: Sized {
        /// What sums are carried in until the destination is in them.
        type Sum: Copy + Default;

        /// Whether [`indivisible`](Arithmetic::indivisible) can find anything.
        const INDIVISIBLE: bool = false;
        /// The greater of two; `None` where the type has no order.
        const MAX: Option<fn(Self, Self) -> Self> = None;
        /// The lesser of two; `None` where the type has no order.
        const MIN: Option<fn(Self, Self) -> Self> = None;

        fn add(self, other: Self) -> Self;
        fn sub(self, other: Self) -> Self;
        fn mul(self, other: Self) -> Self;
        /// Called only where [`indivisible`](Arithmetic::indivisible) found nothing.
        fn div(self, other: Self) -> Self;
        fn indivisible(self, _divisor: Self) -> Option<Indivisible> {
            None
        }

        fn to_sum(self) -> Self::Sum;
        fn add_sums(a: Self::Sum, b: Self::Sum) -> Self::Sum;
        /// `self + sum`, computed as [`Sum`](Arithmetic::Sum) and then rounded to this type.
        fn plus_sum(self, sum: Self::Sum) -> Self;
    }
}
