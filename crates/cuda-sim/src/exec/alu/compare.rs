//! Comparisons: one bit a lane.

use super::by_width;
use super::float::{f32_of, f64_of};
use crate::exec::op::{Compare, Lanes};
use crate::ptx::types::{Class, Type};

macro_rules! bits {
    (|$a:ident, $b:ident| $e:expr) => {{
        fn f(a: &Lanes, b: &Lanes) -> u32 {
            (0..32).fold(0, |all, i| {
                let ($a, $b) = (a[i], b[i]);
                all | u32::from($e) << i
            })
        }
        Some(f as Compare)
    }};
}

/// The comparison `name` of two values of a type.
pub(crate) fn compare(name: &str, of: Type) -> Option<Compare> {
    match of.class {
        Class::Bits | Class::Unsigned | Class::Signed => integers(name, of),
        Class::Float if of.bytes == 4 => floats32(name),
        Class::Float if of.bytes == 8 => floats64(name),
        _ => None,
    }
}

fn integers(name: &str, of: Type) -> Option<Compare> {
    let equality = matches!(name, "eq" | "ne");
    if of.class == Class::Bits && !equality {
        return None;
    }
    let name = match (name, of.class) {
        ("lo", Class::Unsigned) => "lt",
        ("ls", Class::Unsigned) => "le",
        ("hi", Class::Unsigned) => "gt",
        ("hs", Class::Unsigned) => "ge",
        (name, _) => name,
    };
    if of.class == Class::Signed {
        match name {
            "eq" => by_width!(of.bytes, bits!(|a, b| a as S == b as S)),
            "ne" => by_width!(of.bytes, bits!(|a, b| a as S != b as S)),
            "lt" => by_width!(of.bytes, bits!(|a, b| (a as S) < b as S)),
            "le" => by_width!(of.bytes, bits!(|a, b| a as S <= b as S)),
            "gt" => by_width!(of.bytes, bits!(|a, b| a as S > b as S)),
            "ge" => by_width!(of.bytes, bits!(|a, b| a as S >= b as S)),
            _ => None,
        }
    } else {
        match name {
            "eq" => by_width!(of.bytes, bits!(|a, b| a as U == b as U)),
            "ne" => by_width!(of.bytes, bits!(|a, b| a as U != b as U)),
            "lt" => by_width!(of.bytes, bits!(|a, b| (a as U) < b as U)),
            "le" => by_width!(of.bytes, bits!(|a, b| a as U <= b as U)),
            "gt" => by_width!(of.bytes, bits!(|a, b| a as U > b as U)),
            "ge" => by_width!(of.bytes, bits!(|a, b| a as U >= b as U)),
            _ => None,
        }
    }
}

/// The plain names are false where there is a NaN; those that end in `u` are true.
macro_rules! floats {
    ($name:ident, $of:ident) => {
        fn $name(name: &str) -> Option<Compare> {
            match name {
                "eq" => bits!(|a, b| $of(a) == $of(b)),
                "ne" => bits!(|a, b| $of(a) < $of(b) || $of(a) > $of(b)),
                "lt" => bits!(|a, b| $of(a) < $of(b)),
                "le" => bits!(|a, b| $of(a) <= $of(b)),
                "gt" => bits!(|a, b| $of(a) > $of(b)),
                "ge" => bits!(|a, b| $of(a) >= $of(b)),
                "equ" => bits!(|a, b| !($of(a) < $of(b) || $of(a) > $of(b))),
                "neu" => bits!(|a, b| $of(a) != $of(b)),
                "ltu" => bits!(|a, b| !($of(a) >= $of(b))),
                "leu" => bits!(|a, b| !($of(a) > $of(b))),
                "gtu" => bits!(|a, b| !($of(a) <= $of(b))),
                "geu" => bits!(|a, b| !($of(a) < $of(b))),
                "num" => bits!(|a, b| !$of(a).is_nan() && !$of(b).is_nan()),
                "nan" => bits!(|a, b| $of(a).is_nan() || $of(b).is_nan()),
                _ => None,
            }
        }
    };
}
floats!(floats32, f32_of);
floats!(floats64, f64_of);
