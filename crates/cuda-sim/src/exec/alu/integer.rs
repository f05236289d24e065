//! Integers: two's complement, wrapping.

use super::{by_width, lanes};
use crate::exec::op::{Fn1, Fn2, Fn3};
use crate::ptx::types::{Class, Type};

/// `neg`, `abs`, `not`, and the functions that count or reverse bits.
pub(crate) fn integer1(name: &str, of: Type) -> Option<Fn1> {
    match (name, of.class) {
        ("neg", Class::Signed) => by_width!(of.bytes, lanes!(|a| u64::from((a as U).wrapping_neg()))),
        ("abs", Class::Signed) => by_width!(of.bytes, lanes!(|a| u64::from((a as S).wrapping_abs() as U))),
        ("not", Class::Bits) => by_width!(of.bytes, lanes!(|a| u64::from(!(a as U)))),
        ("popc", Class::Bits) if of.bytes > 2 => by_width!(of.bytes, lanes!(|a| u64::from((a as U).count_ones()))),
        ("clz", Class::Bits) if of.bytes > 2 => by_width!(of.bytes, lanes!(|a| u64::from((a as U).leading_zeros()))),
        ("brev", Class::Bits) if of.bytes > 2 => by_width!(of.bytes, lanes!(|a| u64::from((a as U).reverse_bits()))),
        _ => None,
    }
}

/// Two operands of one width; `mul.wide` gives twice the width, and shifts take a 32-bit count.
pub(crate) fn integer2(name: &str, of: Type) -> Option<Fn2> {
    let signed = of.class == Class::Signed;
    if !of.is_integer() && !matches!(name, "and" | "or" | "xor" | "shl" | "shr") {
        return None;
    }
    if of.is_integer() && matches!(name, "and" | "or" | "xor" | "shl") {
        return None;
    }
    match (name, signed) {
        ("add", _) => by_width!(of.bytes, lanes!(|a, b| u64::from((a as U).wrapping_add(b as U)))),
        ("sub", _) => by_width!(of.bytes, lanes!(|a, b| u64::from((a as U).wrapping_sub(b as U)))),
        ("mul.lo", _) => by_width!(of.bytes, lanes!(|a, b| u64::from((a as U).wrapping_mul(b as U)))),
        ("mul.hi", false) => {
            by_width!(of.bytes, lanes!(|a, b| ((u128::from(a as U) * u128::from(b as U)) >> U::BITS) as U as u64))
        }
        ("mul.hi", true) => {
            by_width!(of.bytes, lanes!(|a, b| u64::from(((i128::from(a as S) * i128::from(b as S)) >> U::BITS) as U)))
        }
        ("mul.wide", false) if of.bytes == 2 => lanes!(|a, b| u64::from(a as u16 as u32 * b as u16 as u32)),
        ("mul.wide", true) if of.bytes == 2 => {
            lanes!(|a, b| u64::from((i32::from(a as i16) * i32::from(b as i16)) as u32))
        }
        ("mul.wide", false) if of.bytes == 4 => lanes!(|a, b| u64::from(a as u32) * u64::from(b as u32)),
        ("mul.wide", true) if of.bytes == 4 => lanes!(|a, b| (i64::from(a as i32) * i64::from(b as i32)) as u64),
        // A division by zero has no defined result; all ones is what the hardware's sequence for it leaves.
        ("div", false) => by_width!(of.bytes, lanes!(|a, b| u64::from((a as U).checked_div(b as U).unwrap_or(U::MAX)))),
        ("div", true) => by_width!(
            of.bytes,
            lanes!(|a, b| if b as S == 0 { u64::from(U::MAX) } else { u64::from((a as S).wrapping_div(b as S) as U) })
        ),
        ("rem", false) => by_width!(of.bytes, lanes!(|a, b| u64::from((a as U).checked_rem(b as U).unwrap_or(U::MAX)))),
        ("rem", true) => by_width!(
            of.bytes,
            lanes!(|a, b| if b as S == 0 { u64::from(U::MAX) } else { u64::from((a as S).wrapping_rem(b as S) as U) })
        ),
        ("min", false) => by_width!(of.bytes, lanes!(|a, b| u64::from((a as U).min(b as U)))),
        ("min", true) => by_width!(of.bytes, lanes!(|a, b| u64::from((a as S).min(b as S) as U))),
        ("max", false) => by_width!(of.bytes, lanes!(|a, b| u64::from((a as U).max(b as U)))),
        ("max", true) => by_width!(of.bytes, lanes!(|a, b| u64::from((a as S).max(b as S) as U))),
        ("and", _) => lanes!(|a, b| a & b),
        ("or", _) => lanes!(|a, b| a | b),
        ("xor", _) => lanes!(|a, b| a ^ b),
        // Counts beyond the width shift everything out.
        ("shl", _) => by_width!(of.bytes, lanes!(|a, b| u64::from((a as U).checked_shl(b as u32).unwrap_or(0)))),
        ("shr", false) => by_width!(of.bytes, lanes!(|a, b| u64::from((a as U).checked_shr(b as u32).unwrap_or(0)))),
        ("shr", true) => {
            by_width!(of.bytes, lanes!(|a, b| u64::from(((a as S) >> (b as u32).min(U::BITS - 1)) as U)))
        }
        _ => None,
    }
}

/// Three operands: multiply and add, bit fields, permutations of bytes, funnel shifts.
pub(crate) fn integer3(name: &str, of: Type) -> Option<Fn3> {
    let signed = of.class == Class::Signed;
    match (name, signed, of.bytes) {
        ("mad.lo", ..) if of.is_integer() => {
            by_width!(of.bytes, lanes!(|a, b, c| u64::from((a as U).wrapping_mul(b as U).wrapping_add(c as U))))
        }
        ("mad.hi", false, 4 | 8) if of.is_integer() => by_width!(
            of.bytes,
            lanes!(|a, b, c| {
                let high = ((u128::from(a as U) * u128::from(b as U)) >> U::BITS) as U;
                u64::from(high.wrapping_add(c as U))
            })
        ),
        ("mad.hi", true, 4 | 8) => by_width!(
            of.bytes,
            lanes!(|a, b, c| {
                let high = ((i128::from(a as S) * i128::from(b as S)) >> U::BITS) as U;
                u64::from(high.wrapping_add(c as U))
            })
        ),
        ("mad.wide", false, 2) if of.is_integer() => {
            lanes!(|a, b, c| u64::from((a as u16 as u32 * b as u16 as u32).wrapping_add(c as u32)))
        }
        ("mad.wide", true, 2) => {
            lanes!(|a, b, c| u64::from((i32::from(a as i16) * i32::from(b as i16)).wrapping_add(c as i32) as u32))
        }
        ("mad.wide", false, 4) if of.is_integer() => {
            lanes!(|a, b, c| (u64::from(a as u32) * u64::from(b as u32)).wrapping_add(c))
        }
        ("mad.wide", true, 4) => {
            lanes!(|a, b, c| (i64::from(a as i32) * i64::from(b as i32)).wrapping_add(c as i64) as u64)
        }
        ("bfe", _, 4 | 8) if of.is_integer() => {
            if signed {
                by_width!(of.bytes, lanes!(|a, b, c| u64::from(field_signed(a as S as i64, b, c, U::BITS) as U)))
            } else {
                by_width!(of.bytes, lanes!(|a, b, c| u64::from(field(u64::from(a as U), b, c) as U)))
            }
        }
        ("prmt", _, 4) if of.class == Class::Bits => lanes!(|a, b, c| permute(a, b, c)),
        ("shf.l.wrap", _, 4) => lanes!(|a, b, c| (((b << 32 | a) << (c & 31)) >> 32) & 0xffff_ffff),
        ("shf.r.wrap", _, 4) => lanes!(|a, b, c| ((b << 32 | a) >> (c & 31)) & 0xffff_ffff),
        ("shf.l.clamp", _, 4) => lanes!(|a, b, c| (((b << 32 | a) << (c as u32).min(32)) >> 32) & 0xffff_ffff),
        ("shf.r.clamp", _, 4) => lanes!(|a, b, c| ((b << 32 | a) >> (c as u32).min(32)) & 0xffff_ffff),
        _ => None,
    }
}

/// `bfe.u`: `len` bits from bit `at` on; beyond the top there are zeros.
fn field(value: u64, at: u64, len: u64) -> u64 {
    let (at, len) = ((at & 255) as u32, (len & 255) as u32);
    let shifted = value.checked_shr(at).unwrap_or(0);
    if len >= 64 { shifted } else { shifted & ((1 << len) - 1) }
}

/// `bfe.s`: the same, filled up with the sign of the field, which is the value's where the field goes over the top.
fn field_signed(value: i64, at: u64, len: u64, bits: u32) -> i64 {
    let (at, len) = ((at & 255) as u32, (len & 255) as u32);
    if len == 0 {
        return 0;
    }
    // `value` is sign-extended, so bits over the top are the sign already.
    let shifted = value >> at.min(63);
    let over = 64 - len.min(bits.saturating_sub(at).max(1)).min(64);
    if at >= bits { shifted } else { (shifted << over) >> over }
}

/// `prmt.b32`: byte `i` of the result is the one of the eight that digit `i` of `c` names, or its sign eight times.
fn permute(a: u64, b: u64, c: u64) -> u64 {
    let bytes = (b << 32 | a & 0xffff_ffff).to_le_bytes();
    let mut result = 0;
    for i in 0..4 {
        let digit = (c >> (4 * i)) as usize & 15;
        let byte = bytes[digit & 7];
        let byte = if digit & 8 == 0 { byte } else { ((byte as i8) >> 7) as u8 };
        result |= u64::from(byte) << (8 * i);
    }
    result
}
