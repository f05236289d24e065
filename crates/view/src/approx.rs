//! Approximate comparison of host views, through the `approx` crate.

use approx::{AbsDiffEq, RelativeEq, UlpsEq};
use weft_device::{Element, Host};

use crate::view::View;

impl<'b, T, E> AbsDiffEq<View<'b, T, Host>> for View<'_, T, Host>
where
    T: Element + AbsDiffEq<Epsilon = E>,
    E: Copy,
{
    type Epsilon = E;

    fn default_epsilon() -> E {
        T::default_epsilon()
    }

    /// The same shape, and elements that differ by at most `epsilon`.
    fn abs_diff_eq(&self, other: &View<'b, T, Host>, epsilon: E) -> bool {
        all(self, other, |a, b| a.abs_diff_eq(b, epsilon))
    }
}

impl<'b, T, E> RelativeEq<View<'b, T, Host>> for View<'_, T, Host>
where
    T: Element + RelativeEq<Epsilon = E>,
    E: Copy,
{
    fn default_max_relative() -> E {
        T::default_max_relative()
    }

    fn relative_eq(&self, other: &View<'b, T, Host>, epsilon: E, max_relative: E) -> bool {
        all(self, other, |a, b| a.relative_eq(b, epsilon, max_relative))
    }
}

impl<'b, T, E> UlpsEq<View<'b, T, Host>> for View<'_, T, Host>
where
    T: Element + UlpsEq<Epsilon = E>,
    E: Copy,
{
    fn default_max_ulps() -> u32 {
        T::default_max_ulps()
    }

    fn ulps_eq(&self, other: &View<'b, T, Host>, epsilon: E, max_ulps: u32) -> bool {
        all(self, other, |a, b| a.ulps_eq(b, epsilon, max_ulps))
    }
}

fn all<T: Element>(a: &View<'_, T, Host>, b: &View<'_, T, Host>, near: impl Fn(&T, &T) -> bool) -> bool {
    a.shape() == b.shape() && a.iter().zip(b).all(|(a, b)| near(a, b))
}
