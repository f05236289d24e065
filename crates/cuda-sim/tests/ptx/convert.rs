//! `cvt`, in all directions.

use half::{bf16, f16};

use crate::harness::{check, doubles, integers, singles};

fn single(value: f32) -> u64 {
    if value.is_nan() { 0x7fff_ffff } else { u64::from(value.to_bits()) }
}

fn register(bits: u32) -> u32 {
    bits.max(16)
}

fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

fn number(value: u64, bits: u32, signed: bool) -> i128 {
    let value = i128::from(value & mask(bits));
    if signed && value >> (bits - 1) == 1 { value - (1 << bits) } else { value }
}

fn name(bits: u32, signed: bool) -> String {
    format!("{}{bits}", if signed { "s" } else { "u" })
}

const WIDTHS: [u32; 4] = [8, 16, 32, 64];

/// The least and the greatest number of a type.
fn range(bits: u32, signed: bool) -> (i128, i128) {
    if signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

#[test]
fn integers_to_integers() {
    for from in WIDTHS {
        for to in WIDTHS {
            for (from_signed, to_signed) in [(false, false), (false, true), (true, false), (true, true)] {
                let (f, t) = (name(from, from_signed), name(to, to_signed));
                let values = || [(register(from), integers(register(from)))];
                // A narrow result fills its register by its own sign.
                let kept = |value: i128| number(value as u64, to, to_signed) as u64 & mask(register(to));
                check(&format!("cvt.{t}.{f} $d, $a;"), register(to), &values(), |v| {
                    kept(number(v[0], from, from_signed))
                });
                let (least, most) = range(to, to_signed);
                check(&format!("cvt.sat.{t}.{f} $d, $a;"), register(to), &values(), |v| {
                    kept(number(v[0], from, from_signed).clamp(least, most))
                });
            }
        }
    }
    // The register may be wider than both types.
    check("cvt.s8.s8 $d, $a;", 32, &[(32, integers(32))], |v| u64::from(v[0] as i8 as i32 as u32));
    check("cvt.u8.u32 $d, $a;", 32, &[(32, integers(32))], |v| v[0] & 255);
    check("cvt.s16.s32 $d, $a;", 64, &[(32, integers(32))], |v| v[0] as i16 as i64 as u64);
}

#[test]
fn integers_to_floats() {
    for from in WIDTHS {
        for signed in [false, true] {
            let f = name(from, signed);
            let values = || [(register(from), integers(register(from)))];
            let value = |v: &[u64]| number(v[0], from, signed);
            check(&format!("cvt.rn.f32.{f} $d, $a;"), 32, &values(), |v| u64::from((value(v) as f32).to_bits()));
            check(&format!("cvt.rn.f64.{f} $d, $a;"), 64, &values(), |v| (value(v) as f64).to_bits());
            check(&format!("cvt.rn.f16.{f} $d, $a;"), 16, &values(), |v| {
                // All that f16 can hold is exact in f64.
                u64::from(f16::from_f64(value(v) as f64).to_bits())
            });
        }
    }
}

#[test]
fn floats_to_integers() {
    type Round = fn(f64) -> f64;
    let rounds: [(&str, Round); 4] =
        [("rzi", f64::trunc), ("rni", f64::round_ties_even), ("rmi", f64::floor), ("rpi", f64::ceil)];
    for (mode, round) in rounds {
        for to in WIDTHS {
            for signed in [false, true] {
                let t = name(to, signed);
                let (least, most) = range(to, signed);
                // What is out of range becomes the nearest number that is in it. A NaN becomes 0 where neither side has 64 bits,
                // and elsewhere the top bit: the least number of a signed type, half the range of the others.
                let kept = |value: f64, is_wide: bool| {
                    let whole = match (value.is_nan(), is_wide || to == 64) {
                        (true, false) => 0,
                        (true, true) if signed => least,
                        (true, true) => most / 2 + 1,
                        (false, _) => (round(value) as i128).clamp(least, most),
                    };
                    whole as u64 & mask(register(to))
                };
                check(&format!("cvt.{mode}.{t}.f32 $d, $a;"), register(to), &[(32, singles())], |v| {
                    kept(f64::from(f32::from_bits(v[0] as u32)), false)
                });
                check(&format!("cvt.{mode}.{t}.f64 $d, $a;"), register(to), &[(64, doubles())], |v| {
                    kept(f64::from_bits(v[0]), true)
                });
            }
        }
    }
}

#[test]
fn floats_to_floats() {
    check("cvt.f64.f32 $d, $a; setp.nan.f64 %p6, $d, $d; selp.b64 $d, 5, $d, %p6;", 64, &[(32, singles())], |v| {
        let value = f64::from(f32::from_bits(v[0] as u32));
        if value.is_nan() { 5 } else { value.to_bits() }
    });
    check("cvt.rn.f32.f64 $d, $a;", 32, &[(64, doubles())], |v| single(f64::from_bits(v[0]) as f32));
    type Round = fn(f32) -> f32;
    let rounds: [(&str, Round); 4] =
        [("rzi", f32::trunc), ("rni", f32::round_ties_even), ("rmi", f32::floor), ("rpi", f32::ceil)];
    for (mode, round) in rounds {
        check(&format!("cvt.{mode}.f32.f32 $d, $a;"), 32, &[(32, singles())], |v| {
            single(round(f32::from_bits(v[0] as u32)))
        });
    }
}

#[test]
fn every_half_is_exact() {
    let all: Vec<u64> = (0..=0xffff).collect();
    check("cvt.f32.f16 $d, $a;", 32, &[(16, all)], |v| single(f16::from_bits(v[0] as u16).to_f32()));
}

/// Around every number of a 16-bit format: it, the middle between it and the next one, and the numbers next to the middle.
fn around(value: impl Fn(u16) -> f32) -> Vec<u64> {
    let mut all = singles();
    for bits in (0..0x8000).step_by(7).chain(0x7bf0..0x7c00) {
        let (here, next) = (value(bits), value(bits + 1));
        let middle = (here / 2.0 + next / 2.0).to_bits();
        all.extend([here.to_bits(), middle, middle.wrapping_sub(1), middle + 1, middle | 1 << 31].map(u64::from));
    }
    all
}

#[test]
fn halves_are_rounded_once() {
    check("cvt.rn.f16.f32 $d, $a;", 16, &[(32, around(|b| f16::from_bits(b).to_f32()))], |v| {
        let half = f16::from_f32(f32::from_bits(v[0] as u32));
        if half.is_nan() { 0x7fff } else { u64::from(half.to_bits()) }
    });
    check("cvt.rn.bf16.f32 $d, $a;", 16, &[(32, around(|b| bf16::from_bits(b).to_f32()))], |v| {
        let half = bf16::from_f32(f32::from_bits(v[0] as u32));
        if half.is_nan() { 0x7fff } else { u64::from(half.to_bits()) }
    });
}
