//! [`F32x4`]: four `f32` moved as one 16-byte element, CUDA's `float4`.

use core::fmt;

use super::arithmetic::Arithmetic;
use super::{DType, Element};

/// Four `f32` side by side, aligned to 16 bytes: one vector load or store on a GPU. Arithmetic goes lane by lane.
///
/// ```
/// use weft_device::F32x4;
/// assert_eq!(F32x4([1.0, 2.0, 3.0, 4.0]).to_string(), "[1, 2, 3, 4]");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(16))]
#[doc(alias("float4", "simd"))]
pub struct F32x4(pub [f32; 4]);

impl fmt::Display for F32x4 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (lane, value) in self.0.iter().enumerate() {
            f.write_str(if lane == 0 { "[" } else { ", " })?;
            fmt::Display::fmt(value, f)?;
        }
        f.write_str("]")
    }
}

fn lanes(a: F32x4, b: F32x4, f: impl Fn(f32, f32) -> f32) -> F32x4 {
    F32x4(core::array::from_fn(|lane| f(a.0[lane], b.0[lane])))
}

impl Arithmetic for F32x4 {
    type Sum = F32x4;

    #[inline]
    fn add(self, other: F32x4) -> F32x4 {
        lanes(self, other, |a, b| a + b)
    }
    #[inline]
    fn sub(self, other: F32x4) -> F32x4 {
        lanes(self, other, |a, b| a - b)
    }
    #[inline]
    fn mul(self, other: F32x4) -> F32x4 {
        lanes(self, other, |a, b| a * b)
    }
    #[inline]
    fn div(self, other: F32x4) -> F32x4 {
        lanes(self, other, |a, b| a / b)
    }
    #[inline]
    fn to_sum(self) -> F32x4 {
        self
    }
    #[inline]
    fn add_sums(a: F32x4, b: F32x4) -> F32x4 {
        a.add(b)
    }
    #[inline]
    fn plus_sum(self, sum: F32x4) -> F32x4 {
        self.add(sum)
    }
}

// SAFETY: four `f32` fill the 16 bytes; zero bits are four zeros.
unsafe impl Element for F32x4 {
    const DTYPE: DType = DType::F32x4;
    const ZERO: F32x4 = F32x4([0.0; 4]);
    const ONE: F32x4 = F32x4([1.0; 4]);
}
