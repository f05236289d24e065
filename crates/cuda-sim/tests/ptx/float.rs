//! Floating-point instructions, one by one, with the rules of PTX for NaN and subnormal numbers.

use crate::harness::{check, doubles, singles};

fn f(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

fn d(bits: u64) -> f64 {
    f64::from_bits(bits)
}

/// What PTX makes of a result in `f32`: every NaN is the same.
fn single(value: f32) -> u64 {
    if value.is_nan() { 0x7fff_ffff } else { u64::from(value.to_bits()) }
}

/// Runs an instruction of `f64` and compares; where a NaN is expected any NaN will do.
#[track_caller]
fn check_double(instruction: &str, count: usize, expected: impl Fn(&[u64]) -> f64) {
    // The comparison asks whether the result is a NaN, so that its bits do not matter.
    let text = format!("{instruction} setp.nan.f64 %p6, $d, $d; selp.b64 $d, 0xfff, $d, %p6;");
    check(&text, 64, &vec![(64, doubles()); count], |v| {
        let value = expected(v);
        if value.is_nan() { 0xfff } else { value.to_bits() }
    });
}

#[test]
fn single_precision() {
    type Two = fn(f32, f32) -> f32;
    let two: [(&str, Two); 6] = [
        ("add.f32", |a, b| a + b),
        ("add.rn.f32", |a, b| a + b),
        ("sub.rn.f32", |a, b| a - b),
        ("mul.f32", |a, b| a * b),
        ("mul.rn.f32", |a, b| a * b),
        ("div.rn.f32", |a, b| a / b),
    ];
    for (name, op) in two {
        check(&format!("{name} $d, $a, $b;"), 32, &[(32, singles()), (32, singles())], |v| {
            single(op(f(v[0]), f(v[1])))
        });
    }
    check("sqrt.rn.f32 $d, $a;", 32, &[(32, singles())], |v| single(f(v[0]).sqrt()));
    check("rcp.rn.f32 $d, $a;", 32, &[(32, singles())], |v| single(1.0 / f(v[0])));
    check("fma.rn.f32 $d, $a, $b, $c;", 32, &[(32, singles()), (32, singles()), (32, singles())], |v| {
        single(f(v[0]).mul_add(f(v[1]), f(v[2])))
    });
}

#[test]
fn double_precision() {
    type Two = fn(f64, f64) -> f64;
    let two: [(&str, Two); 5] = [
        ("add.f64", |a, b| a + b),
        ("add.rn.f64", |a, b| a + b),
        ("sub.rn.f64", |a, b| a - b),
        ("mul.rn.f64", |a, b| a * b),
        ("div.rn.f64", |a, b| a / b),
    ];
    for (name, op) in two {
        check_double(&format!("{name} $d, $a, $b;"), 2, |v| op(d(v[0]), d(v[1])));
    }
    check_double("sqrt.rn.f64 $d, $a;", 1, |v| d(v[0]).sqrt());
    check_double("fma.rn.f64 $d, $a, $b, $c;", 3, |v| d(v[0]).mul_add(d(v[1]), d(v[2])));
    check_double("neg.f64 $d, $a;", 1, |v| -d(v[0]));
    check_double("abs.f64 $d, $a;", 1, |v| d(v[0]).abs());
}

#[test]
fn signs_and_order() {
    // The sign bit of a NaN is nobody's business, here too.
    let numbers = || (32, singles().into_iter().filter(|v| !f(*v).is_nan()).collect::<Vec<_>>());
    check("neg.f32 $d, $a;", 32, &[numbers()], |v| u64::from((-f(v[0])).to_bits()));
    check("abs.f32 $d, $a;", 32, &[numbers()], |v| u64::from(f(v[0]).abs().to_bits()));
    // A number beats a NaN, and -0 is less than +0.
    fn pick(a: f32, b: f32, first: bool) -> f32 {
        match (a.is_nan(), b.is_nan()) {
            (true, _) => b,
            (_, true) => a,
            _ if first => a,
            _ => b,
        }
    }
    check("min.f32 $d, $a, $b;", 32, &[(32, singles()), (32, singles())], |v| {
        single(pick(f(v[0]), f(v[1]), f(v[0]).total_cmp(&f(v[1])).is_lt()))
    });
    check("max.f32 $d, $a, $b;", 32, &[(32, singles()), (32, singles())], |v| {
        single(pick(f(v[0]), f(v[1]), f(v[0]).total_cmp(&f(v[1])).is_gt()))
    });
}

#[test]
fn comparisons() {
    use core::cmp::Ordering::{self, Equal, Greater, Less};
    let tests: [(&str, &[Option<Ordering>]); 14] = [
        ("eq", &[Some(Equal)]),
        ("ne", &[Some(Less), Some(Greater)]),
        ("lt", &[Some(Less)]),
        ("le", &[Some(Less), Some(Equal)]),
        ("gt", &[Some(Greater)]),
        ("ge", &[Some(Greater), Some(Equal)]),
        ("equ", &[Some(Equal), None]),
        ("neu", &[Some(Less), Some(Greater), None]),
        ("ltu", &[Some(Less), None]),
        ("leu", &[Some(Less), Some(Equal), None]),
        ("gtu", &[Some(Greater), None]),
        ("geu", &[Some(Greater), Some(Equal), None]),
        ("num", &[Some(Less), Some(Equal), Some(Greater)]),
        ("nan", &[None]),
    ];
    for (name, holds) in tests {
        check(&format!("setp.{name}.f32 $d, $a, $b;"), 1, &[(32, singles()), (32, singles())], |v| {
            u64::from(holds.contains(&f(v[0]).partial_cmp(&f(v[1]))))
        });
        check(&format!("setp.{name}.f64 $d, $a, $b;"), 1, &[(64, doubles()), (64, doubles())], |v| {
            u64::from(holds.contains(&d(v[0]).partial_cmp(&d(v[1]))))
        });
    }
}
