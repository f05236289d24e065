//! Floats: IEEE 754, round to nearest even. A NaN that `f32` arithmetic makes is the one that the hardware makes, `0x7fffffff`.

use super::lanes;
use crate::exec::op::{Fn1, Fn2, Fn3};
use crate::ptx::types::{Class, Type};

/// The bits of an `f32` result.
#[inline(always)]
pub(super) fn bits32(value: f32) -> u64 {
    if value.is_nan() { 0x7fff_ffff } else { u64::from(value.to_bits()) }
}

#[inline(always)]
pub(super) fn f32_of(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

#[inline(always)]
pub(super) fn f64_of(bits: u64) -> f64 {
    f64::from_bits(bits)
}

pub(crate) fn float1(name: &str, of: Type) -> Option<Fn1> {
    match (name, of.class, of.bytes) {
        // The sign alone: a NaN keeps its bits.
        ("neg", Class::Float, 4) => lanes!(|a| (a ^ 1 << 31) & 0xffff_ffff),
        ("neg", Class::Float, 8) => lanes!(|a| a ^ 1 << 63),
        ("abs", Class::Float, 4) => lanes!(|a| a & 0x7fff_ffff),
        ("abs", Class::Float, 8) => lanes!(|a| a & !(1 << 63)),
        ("sqrt", Class::Float, 4) => lanes!(|a| bits32(f32_of(a).sqrt())),
        ("sqrt", Class::Float, 8) => lanes!(|a| f64_of(a).sqrt().to_bits()),
        ("rcp", Class::Float, 4) => lanes!(|a| bits32(1.0 / f32_of(a))),
        ("rcp", Class::Float, 8) => lanes!(|a| (1.0 / f64_of(a)).to_bits()),
        _ => None,
    }
}

pub(crate) fn float2(name: &str, of: Type) -> Option<Fn2> {
    if of.class != Class::Float {
        return None;
    }
    match (name, of.bytes) {
        ("add", 4) => lanes!(|a, b| bits32(f32_of(a) + f32_of(b))),
        ("add", 8) => lanes!(|a, b| (f64_of(a) + f64_of(b)).to_bits()),
        ("sub", 4) => lanes!(|a, b| bits32(f32_of(a) - f32_of(b))),
        ("sub", 8) => lanes!(|a, b| (f64_of(a) - f64_of(b)).to_bits()),
        ("mul", 4) => lanes!(|a, b| bits32(f32_of(a) * f32_of(b))),
        ("mul", 8) => lanes!(|a, b| (f64_of(a) * f64_of(b)).to_bits()),
        ("div", 4) => lanes!(|a, b| bits32(f32_of(a) / f32_of(b))),
        ("div", 8) => lanes!(|a, b| (f64_of(a) / f64_of(b)).to_bits()),
        ("min", 4) => lanes!(|a, b| bits32(least(f64::from(f32_of(a)), f64::from(f32_of(b))) as f32)),
        ("min", 8) => lanes!(|a, b| least(f64_of(a), f64_of(b)).to_bits()),
        ("max", 4) => lanes!(|a, b| bits32(-least(-f64::from(f32_of(a)), -f64::from(f32_of(b))) as f32)),
        ("max", 8) => lanes!(|a, b| (-least(-f64_of(a), -f64_of(b))).to_bits()),
        ("min.NaN", 4) => {
            lanes!(|a, b| either_nan(a, b)
                .unwrap_or_else(|| bits32(least(f64::from(f32_of(a)), f64::from(f32_of(b))) as f32)))
        }
        ("max.NaN", 4) => {
            lanes!(|a, b| either_nan(a, b)
                .unwrap_or_else(|| bits32(-least(-f64::from(f32_of(a)), -f64::from(f32_of(b))) as f32)))
        }
        _ => None,
    }
}

pub(crate) fn fma(of: Type) -> Option<Fn3> {
    match (of.class, of.bytes) {
        (Class::Float, 4) => lanes!(|a, b, c| bits32(f32_of(a).mul_add(f32_of(b), f32_of(c)))),
        (Class::Float, 8) => lanes!(|a, b, c| f64_of(a).mul_add(f64_of(b), f64_of(c)).to_bits()),
        _ => None,
    }
}

/// The lesser one; -0 is less than +0; a NaN loses against a number.
fn least(a: f64, b: f64) -> f64 {
    if a.is_nan() {
        b
    } else if b.is_nan() || a < b || (a == b && a.is_sign_negative()) {
        a
    } else {
        b
    }
}

fn either_nan(a: u64, b: u64) -> Option<u64> {
    (f32_of(a).is_nan() || f32_of(b).is_nan()).then_some(0x7fff_ffff)
}
