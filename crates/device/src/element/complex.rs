//! [`C32`] and [`C64`]: complex numbers of two `f32` or two `f64`, by the formulas of the textbooks.

use core::fmt;

use super::arithmetic::Arithmetic;
use super::{DType, Element};

/// Declares one complex type over a primitive float.
macro_rules! complex {
    ($(#[$doc:meta])* $name:ident $part:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        #[repr(C)]
        pub struct $name {
            /// The real part.
            pub re: $part,
            /// The imaginary part.
            pub im: $part,
        }

        impl $name {
            /// `re + im·i`.
            #[must_use]
            pub const fn new(re: $part, im: $part) -> $name {
                $name { re, im }
            }
        }

        impl fmt::Display for $name {
            /// `1+2i`; a precision applies to both parts.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let sign = if self.im.is_sign_negative() { "-" } else { "+" };
                let im = self.im.abs();
                match f.precision() {
                    Some(digits) => write!(f, "{:.*}{sign}{im:.*}i", digits, self.re, digits),
                    None => write!(f, "{}{sign}{im}i", self.re),
                }
            }
        }

        #[cfg(feature = "num-complex")]
        impl From<num_complex::Complex<$part>> for $name {
            fn from(value: num_complex::Complex<$part>) -> $name {
                $name::new(value.re, value.im)
            }
        }

        #[cfg(feature = "num-complex")]
        impl From<$name> for num_complex::Complex<$part> {
            fn from(value: $name) -> num_complex::Complex<$part> {
                num_complex::Complex::new(value.re, value.im)
            }
        }

        impl Arithmetic for $name {
            type Sum = $name;

            #[inline]
            fn add(self, other: $name) -> $name {
                $name::new(self.re + other.re, self.im + other.im)
            }
            #[inline]
            fn sub(self, other: $name) -> $name {
                $name::new(self.re - other.re, self.im - other.im)
            }
            #[inline]
            fn mul(self, other: $name) -> $name {
                $name::new(
                    self.re * other.re - self.im * other.im,
                    self.re * other.im + self.im * other.re,
                )
            }
            #[inline]
            fn div(self, other: $name) -> $name {
                let norm = other.re * other.re + other.im * other.im;
                $name::new(
                    (self.re * other.re + self.im * other.im) / norm,
                    (self.im * other.re - self.re * other.im) / norm,
                )
            }
            #[inline]
            fn to_sum(self) -> $name {
                self
            }
            #[inline]
            fn add_sums(a: $name, b: $name) -> $name {
                a.add(b)
            }
            #[inline]
            fn plus_sum(self, sum: $name) -> $name {
                self.add(sum)
            }
        }

        // SAFETY: two floats of one type leave no padding; zero bits are 0+0i.
        unsafe impl Element for $name {
            const DTYPE: DType = DType::$name;
            const ZERO: $name = $name::new(0.0, 0.0);
            const ONE: $name = $name::new(1.0, 0.0);
        }
    };
}

complex! {
    /// A complex number of two `f32`.
    ///
    /// ```
    /// use weft_device::C32;
    /// assert_eq!(C32::new(1.0, -2.5).to_string(), "1-2.5i");
    /// ```
    #[doc(alias("complex64", "cfloat", "Complex32", "cuComplex"))]
    C32 f32
}

complex! {
    /// A complex number of two `f64`.
    ///
    /// ```
    /// use weft_device::C64;
    /// assert_eq!(format!("{:.1}", C64::new(0.25, 1.0)), "0.2+1.0i");
    /// ```
    #[doc(alias("complex128", "cdouble", "Complex64", "cuDoubleComplex"))]
    C64 f64
}
