//! Tensors as text, to the letter as NumPy prints arrays: brackets and line breaks in `grid`, the numbers in `number` and `float`.
//!
//! Up to [`THRESHOLD`] elements are printed whole; of more, the first and last [`EDGE`] along each longer axis. Only what is
//! printed is read.

mod float;
mod grid;
mod number;

use core::fmt;

use weft_device::{DType, Device, Element};
use weft_layout::Shape;

use crate::tensor::Tensor;

/// Arrays of more elements are summarised (NumPy's `threshold`).
const THRESHOLD: usize = 1000;
/// How many elements a summary shows at each end of an axis (NumPy's `edgeitems`).
const EDGE: usize = 3;
/// Lines are broken before they pass this many characters (NumPy's `linewidth`).
const LINE_WIDTH: isize = 75;

/// Writes an array as NumPy's `str` writes it; `element` gives the element at a coordinate. For `weft-view`.
///
/// What NumPy does not have is printed as its nearest relative there: `Bf16` as `F16`, and `F32x4` as one more axis of four `f32`.
///
/// # Errors
///
/// What `out` says.
#[doc(hidden)]
pub fn write_array<T: Element>(
    out: &mut dyn fmt::Write,
    shape: &[usize],
    element: &mut dyn FnMut(&[usize]) -> T,
) -> fmt::Result {
    let lanes = T::DTYPE == DType::F32x4;
    let axes: Shape = shape.iter().copied().chain(lanes.then_some(4)).collect();
    if axes.contains(&0) {
        return out.write_str("[]");
    }
    if axes.is_empty() {
        return out.write_str(&number::scalar(element(&[])));
    }
    // More elements than an integer counts are more than the threshold.
    let numel = axes.iter().try_fold(1usize, |product, &size| product.checked_mul(size));
    let grid = grid::Grid::new(&axes, numel.is_none_or(|numel| numel > THRESHOLD));
    let mut shown = Vec::new();
    // The lanes of one element come together, so each element is read once.
    grid.visit(shape.len(), &mut |coord| shown.push(element(coord)));
    out.write_str(&grid.write(&mut number::words(&shown).into_iter()))
}

/// As NumPy's `str`, down to the last space. Where the elements cannot be fetched from the device, `<` the reason `>`.
///
/// ```
/// use weft_device::Host;
/// use weft_tensor::Factory;
/// let x = Host.tensor(&[1.0f32, 2.5, -0.125, f32::NAN], [2, 2])?;
/// assert_eq!(x.to_string(), "[[ 1.     2.5  ]\n [-0.125    nan]]");
/// assert_eq!(Host.arange(0u8..3)?.to_string(), "[0 1 2]");
/// # Ok::<(), weft_tensor::Error>(())
/// ```
impl<T: Element, D: Device> fmt::Display for Tensor<T, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_vec() {
            Err(error) => write!(f, "<{error}>"),
            Ok(values) => write_array(f, self.shape(), &mut |coord| values[position(coord, self.shape())]),
        }
    }
}

/// A line about type, layout, device and gradient, then what `Display` prints.
///
/// ```
/// use weft_device::Host;
/// use weft_tensor::Factory;
/// let x = Host.eye::<i32>(2)?;
/// assert_eq!(format!("{x:?}"), "Tensor<i32> (2,2):(2,1)@0 on host, with gradient\n[[1 0]\n [0 1]]");
/// # Ok::<(), weft_tensor::Error>(())
/// ```
impl<T: Element, D: Device> fmt::Debug for Tensor<T, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let grad = if self.has_grad() { "with" } else { "without" };
        writeln!(f, "Tensor<{}> {} on {}, {grad} gradient", T::DTYPE, self.layout, self.device().name())?;
        fmt::Display::fmt(self, f)
    }
}

/// Where a coordinate comes in row-major order.
fn position(coord: &[usize], shape: &[usize]) -> usize {
    coord.iter().zip(shape).fold(0, |position, (&at, &size)| position * size + at)
}
