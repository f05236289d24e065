//! The arithmetic of `arange` and `linspace`: how many elements there are, and what each is.

use weft_device::{Number, Real};

use crate::error::{Error, Result};

/// `ceil(stop - start)`, at least 0: the length of `arange` with steps of 1. The difference is taken in `T`, as NumPy takes it.
pub(crate) fn steps<T: Real>(start: T, stop: T) -> Result<usize> {
    match (start.number(), stop.number()) {
        // Two numbers of 64 bits are less than 2^64 apart.
        (Number::Signed(start), Number::Signed(stop)) if start < stop => Ok(stop.abs_diff(start) as usize),
        (Number::Unsigned(start), Number::Unsigned(stop)) => Ok(stop.saturating_sub(start) as usize),
        (Number::Float(start), Number::Float(stop)) => {
            let Number::Float(length) = T::from_number(Number::Float(stop - start)).number() else { return Ok(0) };
            if length.is_finite() {
                // A length past `usize::MAX` saturates; no layout has either.
                Ok(length.ceil().max(0.0) as usize)
            } else {
                Err(Error::Endless { op: "arange", start, stop })
            }
        }
        _ => Ok(0),
    }
}

/// `start + i` for every `i`, each rounded once.
pub(crate) fn write_steps<T: Real>(start: T, out: &mut [T]) {
    for (i, value) in out.iter_mut().enumerate() {
        *value = T::from_number(match start.number() {
            // The last element is below `stop`, which the type holds.
            Number::Signed(start) => Number::Signed(start.wrapping_add_unsigned(i as u64)),
            Number::Unsigned(start) => Number::Unsigned(start.wrapping_add(i as u64)),
            Number::Float(start) => Number::Float(start + i as f64),
        });
    }
}

/// Evenly spaced points; the first is `start` and the last `stop`, exactly.
pub(crate) fn write_points<T: Real>(start: T, stop: T, out: &mut [T]) {
    let Some((last, points)) = out.split_last_mut() else { return };
    let (from, to, spaces) = (as_f64(start), as_f64(stop), points.len() as f64);
    // The difference of two finite numbers may be infinite, that of their parts is not.
    let step = if (to - from).is_finite() { (to - from) / spaces } else { to / spaces - from / spaces };
    *last = stop;
    for (i, point) in points.iter_mut().enumerate() {
        *point = T::from_number(Number::Float(from + i as f64 * step));
    }
    if let Some(first) = out.first_mut() {
        *first = start;
    }
}

fn as_f64<T: Real>(value: T) -> f64 {
    match value.number() {
        Number::Signed(n) => n as f64,
        Number::Unsigned(n) => n as f64,
        Number::Float(x) => x,
    }
}
