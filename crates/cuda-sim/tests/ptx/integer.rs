//! Integer instructions, one by one, against Rust's own arithmetic in 128 bits.

use crate::harness::{check, integers};

fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

/// The value of the low bits as a number with or without a sign.
fn number(value: u64, bits: u32, kind: &str) -> i128 {
    let value = i128::from(value & mask(bits));
    if kind == "s" && value >> (bits - 1) == 1 { value - (1 << bits) } else { value }
}

/// Runs `name.type $d, $a, $b` for each kind (`s`, `u` or `b`) and width.
#[track_caller]
fn two(name: &str, kinds: &[&str], widths: &[u32], f: impl Fn(i128, i128, u32) -> i128) {
    for kind in kinds {
        for bits in widths {
            let operands = [(*bits, integers(*bits)), (*bits, integers(*bits))];
            check(&format!("{name}.{kind}{bits} $d, $a, $b;"), *bits, &operands, |v| {
                f(number(v[0], *bits, kind), number(v[1], *bits, kind), *bits) as u64 & mask(*bits)
            });
        }
    }
}

#[track_caller]
fn one(name: &str, kinds: &[&str], widths: &[u32], f: impl Fn(i128, u32) -> i128) {
    for kind in kinds {
        for bits in widths {
            check(&format!("{name}.{kind}{bits} $d, $a;"), *bits, &[(*bits, integers(*bits))], |v| {
                f(number(v[0], *bits, kind), *bits) as u64 & mask(*bits)
            });
        }
    }
}

const ALL: [u32; 3] = [16, 32, 64];

#[test]
fn sums_and_products() {
    two("add", &["s", "u"], &ALL, |a, b, _| a + b);
    two("sub", &["s", "u"], &ALL, |a, b, _| a - b);
    two("mul.lo", &["s", "u"], &ALL, |a, b, _| a.wrapping_mul(b));
    two("mul.hi", &["s"], &ALL, |a, b, bits| (a * b) >> bits);
    two("mul.hi", &["u"], &ALL, |a, b, bits| ((a as u128 * b as u128) >> bits) as i128);
    one("neg", &["s"], &ALL, |a, _| -a);
    one("abs", &["s"], &ALL, |a, _| a.abs());
}

#[test]
fn wide_and_fused() {
    for kind in ["s", "u"] {
        for bits in [16, 32] {
            let operand = || (bits, integers(bits));
            let product = |v: &[u64]| number(v[0], bits, kind) * number(v[1], bits, kind);
            let wide = mask(bits * 2);
            check(&format!("mul.wide.{kind}{bits} $d, $a, $b;"), bits * 2, &[operand(), operand()], |v| {
                product(v) as u64 & wide
            });
            let added = (bits * 2, integers(bits * 2));
            check(&format!("mad.wide.{kind}{bits} $d, $a, $b, $c;"), bits * 2, &[operand(), operand(), added], |v| {
                (product(v) as u64).wrapping_add(v[2]) & wide
            });
        }
        for bits in ALL {
            let operand = || (bits, integers(bits));
            check(&format!("mad.lo.{kind}{bits} $d, $a, $b, $c;"), bits, &[operand(), operand(), operand()], |v| {
                v[0].wrapping_mul(v[1]).wrapping_add(v[2]) & mask(bits)
            });
        }
    }
}

#[test]
fn quotients() {
    // A division by zero has no defined result, and is not compared.
    let not_zero = |bits| (bits, integers(bits).into_iter().filter(|v| *v != 0).collect::<Vec<_>>());
    for kind in ["s", "u"] {
        for bits in ALL {
            let operands = || [(bits, integers(bits)), not_zero(bits)];
            let value = |v: u64| number(v, bits, kind);
            check(&format!("div.{kind}{bits} $d, $a, $b;"), bits, &operands(), |v| {
                (value(v[0]) / value(v[1])) as u64 & mask(bits)
            });
            check(&format!("rem.{kind}{bits} $d, $a, $b;"), bits, &operands(), |v| {
                (value(v[0]) % value(v[1])) as u64 & mask(bits)
            });
        }
    }
}

#[test]
fn order() {
    two("min", &["s", "u"], &ALL, |a, b, _| a.min(b));
    two("max", &["s", "u"], &ALL, |a, b, _| a.max(b));
    type Test = fn(i128, i128) -> bool;
    let tests: [(&str, Test); 6] = [
        ("eq", |a, b| a == b),
        ("ne", |a, b| a != b),
        ("lt", |a, b| a < b),
        ("le", |a, b| a <= b),
        ("gt", |a, b| a > b),
        ("ge", |a, b| a >= b),
    ];
    for (name, test) in tests {
        for bits in ALL {
            for kind in ["s", "u", "b"] {
                if kind == "b" && !matches!(name, "eq" | "ne") {
                    continue;
                }
                let operands = [(bits, integers(bits)), (bits, integers(bits))];
                check(&format!("setp.{name}.{kind}{bits} $d, $a, $b;"), 1, &operands, |v| {
                    u64::from(test(number(v[0], bits, kind), number(v[1], bits, kind)))
                });
            }
        }
    }
}

#[test]
fn comparisons_combine() {
    let small = || (32, vec![0, 1, u64::from(u32::MAX)]);
    let flag = || (1, vec![0, 1]);
    for (name, f) in [("and", (|x, y| x & y) as fn(bool, bool) -> bool), ("or", |x, y| x | y), ("xor", |x, y| x ^ y)] {
        check(&format!("setp.lt.{name}.s32 $d, $a, $b, $c;"), 1, &[small(), small(), flag()], |v| {
            u64::from(f((v[0] as i32) < v[1] as i32, v[2] == 1))
        });
        check(&format!("setp.lt.{name}.u32 $d, $a, $b, !$c;"), 1, &[small(), small(), flag()], |v| {
            u64::from(f(v[0] < v[1], v[2] == 0))
        });
    }
    check("setp.lt.u32 %p6|$d, $a, $b;", 1, &[small(), small()], |v| u64::from(v[0] >= v[1]));
    check("setp.lt.u32 $d|%p6, $a, $b;", 1, &[small(), small()], |v| u64::from(v[0] < v[1]));
}

#[test]
fn bits() {
    two("and", &["b"], &ALL, |a, b, _| a & b);
    two("or", &["b"], &ALL, |a, b, _| a | b);
    two("xor", &["b"], &ALL, |a, b, _| a ^ b);
    one("not", &["b"], &ALL, |a, _| !a);
    for bits in ALL {
        let operands = || [(bits, integers(bits)), (32, vec![0, 1, 5, 15, 16, 31, 32, 63, 64, 65, 0xffff_ffff])];
        let most = |count: u64| (count.min(100)) as u32;
        check(&format!("shl.b{bits} $d, $a, $b;"), bits, &operands(), |v| {
            ((u128::from(v[0]) << most(v[1])) as u64) & mask(bits)
        });
        check(&format!("shr.u{bits} $d, $a, $b;"), bits, &operands(), |v| (u128::from(v[0]) >> most(v[1])) as u64);
        check(&format!("shr.b{bits} $d, $a, $b;"), bits, &operands(), |v| (u128::from(v[0]) >> most(v[1])) as u64);
        check(&format!("shr.s{bits} $d, $a, $b;"), bits, &operands(), |v| {
            (number(v[0], bits, "s") >> most(v[1])) as u64 & mask(bits)
        });
    }
}

#[test]
fn counts_and_fields() {
    for bits in [32u32, 64] {
        check(&format!("popc.b{bits} $d, $a;"), 32, &[(bits, integers(bits))], |v| u64::from(v[0].count_ones()));
        check(&format!("clz.b{bits} $d, $a;"), 32, &[(bits, integers(bits))], |v| {
            u64::from(v[0].leading_zeros() - (64 - bits))
        });
        check(&format!("brev.b{bits} $d, $a;"), bits, &[(bits, integers(bits))], |v| {
            (0..bits).fold(0, |r, i| r | (v[0] >> i & 1) << (bits - 1 - i))
        });
        let place = || (32, vec![0, 1, 7, 31, 32, 40, 64, 255, 256 + 3]);
        for kind in ["s", "u"] {
            let operands = [(bits, integers(bits)), place(), place()];
            check(&format!("bfe.{kind}{bits} $d, $a, $b, $c;"), bits, &operands, |v| {
                // As the documentation defines it, bit by bit.
                let (pos, len) = ((v[1] & 255) as u32, (v[2] & 255) as u32);
                let sign_at = (pos + len).saturating_sub(1).min(bits - 1);
                let sign = if kind == "u" || len == 0 { 0 } else { v[0] >> sign_at & 1 };
                (0..bits).fold(0, |r, i| {
                    let bit = if i < len && pos + i < bits { v[0] >> (pos + i) & 1 } else { sign };
                    r | bit << i
                })
            });
        }
        let operands =
            [(bits, integers(bits)[10..16].to_vec()), (bits, integers(bits)[10..16].to_vec()), place(), place()];
        check(&format!("bfi.b{bits} $d, $a, $b, $c, $e;"), bits, &operands, |v| {
            let (pos, len) = ((v[2] & 255) as u32, (v[3] & 255) as u32);
            (0..len)
                .take_while(|i| pos + i < bits)
                .fold(v[1], |r, i| (r & !(1 << (pos + i))) | (v[0] >> i & 1) << (pos + i))
        });
    }
}

#[test]
fn bytes_and_tables() {
    let words = || (32, integers(32)[12..].to_vec());
    check(
        "prmt.b32 $d, $a, $b, $c;",
        32,
        &[words(), words(), (32, vec![0x3210, 0x7654, 0x0123, 0x8f9d, 0xffff_5410])],
        |v| {
            let all = v[1] << 32 | v[0];
            (0..4).fold(0, |r, i| {
                let pick = v[2] >> (i * 4) & 15;
                let byte = all >> ((pick & 7) * 8) & 255;
                let byte = if pick & 8 == 0 { byte } else { (byte >> 7) * 255 };
                r | byte << (i * 8)
            })
        },
    );
    for (left, mode) in [(true, "wrap"), (true, "clamp"), (false, "wrap"), (false, "clamp")] {
        let name = format!("shf.{}.{mode}.b32 $d, $a, $b, $c;", if left { "l" } else { "r" });
        check(&name, 32, &[words(), words(), (32, vec![0, 1, 31, 32, 33, 64])], |v| {
            let both = u128::from(v[1] << 32 | v[0]);
            let n = if mode == "wrap" { v[2] & 31 } else { v[2].min(32) } as u32;
            if left { (both << n >> 32) as u64 & mask(32) } else { (both >> n) as u64 & mask(32) }
        });
    }
    for table in [0x00, 0x80, 0xe8, 0x96, 0xca, 0x1b, 0xff] {
        check(&format!("lop3.b32 $d, $a, $b, $c, {table};"), 32, &[words(), words(), words()], |v| {
            (0..32).fold(0, |r, i| {
                let index = (v[0] >> i & 1) << 2 | (v[1] >> i & 1) << 1 | (v[2] >> i & 1);
                r | (table >> index & 1) << i
            })
        });
    }
}
