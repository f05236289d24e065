//! Views as text: as NumPy prints arrays, through the printer of `weft-tensor`.

use core::cell::OnceCell;
use core::fmt;

use weft_device::{Device, Element};
use weft_tensor::{Error, Result, write_array};

use crate::chunks::{Chunks, ChunksMut};
use crate::lazy::LazyView;
use crate::view::View;
use crate::view_mut::ViewMut;

/// Views of at most this many elements are fetched in one piece; of larger ones, only what is printed, one by one.
const AT_ONCE: usize = 1000;

/// As NumPy's `str`; large views are summarised. Where the elements cannot be fetched from the device, `<` the reason
/// `>`.
///
/// ```
/// use weft_view::prelude::*;
/// let x = Host.arange(0i32..6)?.reshape([2, 3])?;
/// assert_eq!(x.view().t()?.to_string(), "[[0 3]\n [1 4]\n [2 5]]");
/// # Ok::<(), weft_view::Error>(())
/// ```
impl<T: Element, D: Device> fmt::Display for View<'_, T, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let failed = OnceCell::<Error>::new();
        let or_zero = |element: Result<T>| {
            element.unwrap_or_else(|error| {
                failed.get_or_init(|| error);
                T::ZERO
            })
        };
        let mut text = String::new();
        if self.numel() <= AT_ONCE {
            let values = self.to_vec();
            let linear = |at: &[usize]| at.iter().zip(self.shape()).fold(0, |linear, (&at, &size)| linear * size + at);
            write_array(&mut text, self.shape(), &mut |at| match &values {
                Ok(values) => values[linear(at)],
                Err(error) => or_zero(Err(error.clone())),
            })?;
        } else {
            write_array(&mut text, self.shape(), &mut |at| or_zero(self.fetch(at)))?;
        }
        match failed.get() {
            None => f.write_str(&text),
            Some(error) => write!(f, "<{error}>"),
        }
    }
}

impl<T: Element, D: Device> View<'_, T, D> {
    fn fetch(&self, at: &[usize]) -> Result<T> {
        let mut view = self.clone();
        for &index in at {
            view = view.narrow(0, index, 1)?.squeeze(0)?;
        }
        Ok(view.to_vec()?[0])
    }

    fn headline(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{name}<{}> {} on {}", T::DTYPE, self.layout, self.device().name())?;
        fmt::Display::fmt(self, f)
    }
}

/// A line about type, layout and device, then what `Display` prints.
///
/// ```
/// use weft_view::prelude::*;
/// let x = Host.arange(0i32..4)?.reshape([2, 2])?;
/// assert_eq!(format!("{:?}", x.view().t()?), "View<i32> (2,2):(1,2)@0 on host\n[[0 2]\n [1 3]]");
/// # Ok::<(), weft_view::Error>(())
/// ```
impl<T: Element, D: Device> fmt::Debug for View<'_, T, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.headline("View", f)
    }
}

impl<T: Element, D: Device> fmt::Display for ViewMut<'_, T, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.view, f)
    }
}

impl<T: Element, D: Device> fmt::Debug for ViewMut<'_, T, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view.headline("ViewMut", f)
    }
}

/// The map and the device; a mask has no NumPy form.
impl<T: Element, D: Device> fmt::Debug for LazyView<'_, T, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LazyView<{}> {} on {}", T::DTYPE, self.map(), self.device().name())
    }
}

impl<T: Element, D: Device> fmt::Debug for Chunks<'_, T, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Chunks({} left)", self.len())
    }
}

impl<T: Element, D: Device> fmt::Debug for ChunksMut<'_, T, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ChunksMut({} left)", self.len())
    }
}
