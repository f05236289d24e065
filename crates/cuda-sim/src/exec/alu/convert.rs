//! `cvt`: between integers of all widths and floats of 16, 32 and 64 bits.

use super::float::{bits32, f32_of, f64_of};
use super::lanes;
use crate::exec::op::Fn1;
use crate::ptx::types::{Class, Type};

/// From `from` to `to` with the modifiers `rounding` (`rn`, `rzi`, …, or none) and `.sat`, into a register of `register` bytes.
pub(crate) fn convert(to: Type, from: Type, rounding: &str, saturate: &str, register: u8) -> Option<Fn1> {
    match (to.is_float(), from.is_float()) {
        (false, false) if rounding.is_empty() => integers(to, from, saturate, register),
        (true, false) if rounding == "rn" && saturate.is_empty() => to_float(to, from),
        (false, true) => to_integer(to, from, rounding, register),
        (true, true) if saturate.is_empty() => floats(to, from, rounding),
        _ => None,
    }
}

macro_rules! by_integer {
    ($of:expr, $T:ident => $e:expr) => {
        match ($of.class, $of.bytes) {
            (Class::Signed, 1) => {
                type $T = i8;
                $e
            }
            (Class::Signed, 2) => {
                type $T = i16;
                $e
            }
            (Class::Signed, 4) => {
                type $T = i32;
                $e
            }
            (Class::Signed, 8) => {
                type $T = i64;
                $e
            }
            (Class::Unsigned, 1) => {
                type $T = u8;
                $e
            }
            (Class::Unsigned, 2) => {
                type $T = u16;
                $e
            }
            (Class::Unsigned, 4) => {
                type $T = u32;
                $e
            }
            (Class::Unsigned, 8) => {
                type $T = u64;
                $e
            }
            _ => None,
        }
    };
}

/// An integer result in its register: extended by its sign where it is signed and the register is wider.
macro_rules! extended {
    ($register:expr, $T:ident, |$a:ident| $e:expr) => {
        match $register {
            1 | 2 => lanes!(|$a| u64::from(($e as $T) as i64 as u16)),
            4 => lanes!(|$a| u64::from(($e as $T) as i64 as u32)),
            8 => lanes!(|$a| ($e as $T) as i64 as u64),
            _ => None,
        }
    };
}

fn integers(to: Type, from: Type, saturate: &str, register: u8) -> Option<Fn1> {
    match saturate {
        "" => by_integer!(from, F => by_integer!(to, T => extended!(register, T, |a| (a as F)))),
        "sat" => by_integer!(from, F => by_integer!(to, T => extended!(register, T, |a| {
            i128::from(a as F).clamp(i128::from(T::MIN), i128::from(T::MAX))
        }))),
        _ => None,
    }
}

fn to_float(to: Type, from: Type) -> Option<Fn1> {
    match (to.class, to.bytes) {
        (Class::Float, 4) => by_integer!(from, F => lanes!(|a| u64::from((a as F as f32).to_bits()))),
        (Class::Float, 8) => by_integer!(from, F => lanes!(|a| (a as F as f64).to_bits())),
        // What f64 cannot hold exactly is above 2^53, and infinite in f16 whichever way it was rounded.
        (Class::Float, 2) => by_integer!(from, F => lanes!(|a| u64::from(narrow(a as F as f64, HALF)))),
        _ => None,
    }
}

fn to_integer(to: Type, from: Type, rounding: &str, register: u8) -> Option<Fn1> {
    // Rust's `as` does what PTX says of what is out of range: the nearest that is in it. A NaN becomes 0 where neither the source
    // nor the result has 64 bits, and the top bit alone elsewhere (PTX ISA 9.0, cvt).
    macro_rules! whole {
        ($T:ident, $is_wide:expr, $value:expr, $round:expr) => {{
            let value: f64 = $value;
            let round: fn(f64) -> f64 = $round;
            if value.is_nan() && ($is_wide || $T::BITS == 64) { 1 << ($T::BITS - 1) } else { round(value) as $T }
        }};
    }
    macro_rules! rounded {
        ($round:expr) => {
            match (from.class, from.bytes) {
                (Class::Float, 2) => {
                    by_integer!(to, T => extended!(register, T, |a| whole!(T, false, wide_half(a), $round)))
                }
                (Class::Float, 4) => {
                    by_integer!(to, T => extended!(register, T, |a| whole!(T, false, f64::from(f32_of(a)), $round)))
                }
                (Class::Float, 8) => {
                    by_integer!(to, T => extended!(register, T, |a| whole!(T, true, f64_of(a), $round)))
                }
                _ => None,
            }
        };
    }
    match rounding {
        "rzi" => rounded!(f64::trunc),
        "rni" => rounded!(f64::round_ties_even),
        "rmi" => rounded!(f64::floor),
        "rpi" => rounded!(f64::ceil),
        _ => None,
    }
}

fn floats(to: Type, from: Type, rounding: &str) -> Option<Fn1> {
    match ((to.class, to.bytes), (from.class, from.bytes), rounding) {
        ((Class::Float, 8), (Class::Float, 4), "") => lanes!(|a| f64::from(f32_of(a)).to_bits()),
        ((Class::Float, 8), (Class::Float, 2), "") => lanes!(|a| wide_half(a).to_bits()),
        ((Class::Float, 4), (Class::Float, 2), "") => lanes!(|a| bits32(wide_half(a) as f32)),
        ((Class::Float, 4), (Class::Brain, 2), "") => lanes!(|a| bits32(f32::from_bits((a as u32) << 16))),
        ((Class::Float, 4), (Class::Float, 8), "rn") => lanes!(|a| bits32(f64_of(a) as f32)),
        ((Class::Float, 2), (Class::Float, 4), "rn") => lanes!(|a| u64::from(narrow(f64::from(f32_of(a)), HALF))),
        ((Class::Float, 2), (Class::Float, 8), "rn") => lanes!(|a| u64::from(narrow(f64_of(a), HALF))),
        ((Class::Brain, 2), (Class::Float, 4), "rn") => lanes!(|a| u64::from(narrow(f64::from(f32_of(a)), BRAIN))),
        ((Class::Float, 4), (Class::Float, 4), "rzi") => lanes!(|a| bits32(f32_of(a).trunc())),
        ((Class::Float, 4), (Class::Float, 4), "rni") => lanes!(|a| bits32(f32_of(a).round_ties_even())),
        ((Class::Float, 4), (Class::Float, 4), "rmi") => lanes!(|a| bits32(f32_of(a).floor())),
        ((Class::Float, 4), (Class::Float, 4), "rpi") => lanes!(|a| bits32(f32_of(a).ceil())),
        ((Class::Float, 8), (Class::Float, 8), "rzi") => lanes!(|a| f64_of(a).trunc().to_bits()),
        ((Class::Float, 8), (Class::Float, 8), "rni") => lanes!(|a| f64_of(a).round_ties_even().to_bits()),
        ((Class::Float, 8), (Class::Float, 8), "rmi") => lanes!(|a| f64_of(a).floor().to_bits()),
        ((Class::Float, 8), (Class::Float, 8), "rpi") => lanes!(|a| f64_of(a).ceil().to_bits()),
        _ => None,
    }
}

/// A float format of 16 bits: bits of its fraction, and the exponent of its smallest normal number.
type Format = (u32, i32);
const HALF: Format = (10, -14);
const BRAIN: Format = (7, -126);

/// The bits of the nearest number of a 16-bit format, ties to even.
fn narrow(value: f64, (fraction, least): Format) -> u16 {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    if value.is_nan() {
        return 0x7fff;
    }
    let infinity = ((1u32 << (15 - fraction)) - 1) << fraction;
    let size = value.abs();
    // The exponent of the last place; below the normal numbers it stands still.
    let exponent = (((size.to_bits() >> 52) as i32) - 1023).max(least);
    if exponent > 1 - least {
        return sign | infinity as u16;
    }
    // A power of two, so nothing is lost before the one rounding.
    let places = size * 2f64.powi(fraction as i32 - exponent);
    let rounded = places.round_ties_even() as u32;
    // A normal number counts its hidden bit once; rounding up to the next power carries into the exponent by itself.
    let bits = (((exponent - least) as u32) << fraction) + rounded;
    sign | bits.min(infinity) as u16
}

/// The value of an `f16`.
fn wide_half(bits: u64) -> f64 {
    let (exponent, fraction) = (bits >> 10 & 31, bits & 0x3ff);
    let size = match exponent {
        31 if fraction != 0 => return f64::NAN,
        31 => f64::INFINITY,
        0 => fraction as f64 * 2f64.powi(-24),
        _ => (1024 + fraction) as f64 * 2f64.powi(exponent as i32 - 25),
    };
    if bits & 0x8000 == 0 { size } else { -size }
}
