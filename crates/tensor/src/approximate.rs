//! The traits of the `approx` crate for tensors on the host: equal shapes, and elements that are close at equal coordinates.

use approx::{AbsDiffEq, RelativeEq, UlpsEq};
use weft_device::{Element, Host};

use crate::tensor::Tensor;

/// Whether both have one shape and `close` holds for every pair of elements.
fn all<T: Element>(a: &Tensor<T, Host>, b: &Tensor<T, Host>, close: impl Fn(&T, &T) -> bool) -> bool {
    a.shape() == b.shape() && a.elements().zip(b.elements()).all(|(a, b)| close(a, b))
}

/// ```
/// use approx::assert_abs_diff_eq;
/// use weft_device::Host;
/// use weft_tensor::Factory;
/// let a = Host.tensor(&[1.0f64, 2.0], [2])?;
/// let b = Host.tensor(&[1.0f64, 2.001], [2])?;
/// assert_abs_diff_eq!(a, b, epsilon = 0.01);
/// # Ok::<(), weft_tensor::Error>(())
/// ```
impl<T: Element + AbsDiffEq<Epsilon: Clone>> AbsDiffEq for Tensor<T, Host> {
    type Epsilon = T::Epsilon;

    fn default_epsilon() -> T::Epsilon {
        T::default_epsilon()
    }

    fn abs_diff_eq(&self, other: &Tensor<T, Host>, epsilon: T::Epsilon) -> bool {
        all(self, other, |a, b| a.abs_diff_eq(b, epsilon.clone()))
    }
}

impl<T: Element + RelativeEq<Epsilon: Clone>> RelativeEq for Tensor<T, Host> {
    fn default_max_relative() -> T::Epsilon {
        T::default_max_relative()
    }

    fn relative_eq(&self, other: &Tensor<T, Host>, epsilon: T::Epsilon, max_relative: T::Epsilon) -> bool {
        all(self, other, |a, b| a.relative_eq(b, epsilon.clone(), max_relative.clone()))
    }
}

impl<T: Element + UlpsEq<Epsilon: Clone>> UlpsEq for Tensor<T, Host> {
    fn default_max_ulps() -> u32 {
        T::default_max_ulps()
    }

    fn ulps_eq(&self, other: &Tensor<T, Host>, epsilon: T::Epsilon, max_ulps: u32) -> bool {
        all(self, other, |a, b| a.ulps_eq(b, epsilon.clone(), max_ulps))
    }
}
