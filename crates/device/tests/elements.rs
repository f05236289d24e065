//! Element types against slow twins: rounding to 16 bits by searching all values, `as` by writing `as`.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use proptest::prelude::*;
use weft_device::{Bf16, C32, C64, Converts, DType, Element, F16, F32x4, Number, Real};

/// An exact number to be rounded: integers beyond 2^53 do not fit `f64`.
#[derive(Clone, Copy, Debug)]
enum Exact {
    Integer(i128),
    Float(f64),
}

impl Exact {
    /// Compares with a number that is exact in `f64`.
    fn versus(self, other: f64) -> core::cmp::Ordering {
        match self {
            Exact::Float(x) => x.partial_cmp(&other).unwrap(),
            // Below 2^53 the integer is exact in f64; above it the other number, with few bits, is an integer.
            Exact::Integer(n) if n.unsigned_abs() < 1 << 53 => (n as f64).partial_cmp(&other).unwrap(),
            Exact::Integer(n) => n.cmp(&(other as i128)),
        }
    }

    fn negative(self) -> bool {
        match self {
            Exact::Float(x) => x.is_sign_negative(),
            Exact::Integer(n) => n < 0,
        }
    }

    fn negated(self) -> Exact {
        match self {
            Exact::Float(x) => Exact::Float(-x),
            Exact::Integer(n) => Exact::Integer(-n),
        }
    }
}

/// Rounds to nearest, ties to even, by searching the non-negative values of a 16-bit float; returns bits.
/// `past` is what the value after the greatest one would be.
fn nearest(x: Exact, value_of: impl Fn(u16) -> f64, infinity: u16, past: f64) -> u16 {
    if x.negative() {
        return nearest(x.negated(), value_of, infinity, past) | 0x8000;
    }
    let value = |bits: u16| if bits == infinity { past } else { value_of(bits) };
    // The greatest finite value that is not above x.
    let (mut low, mut high) = (0, infinity);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if x.versus(value(middle)).is_ge() { low = middle } else { high = middle }
    }
    let half_way = (value(low) + value(high)) / 2.0;
    match x.versus(half_way) {
        core::cmp::Ordering::Less => low,
        core::cmp::Ordering::Greater => high,
        core::cmp::Ordering::Equal => low + (low & 1),
    }
}

/// The value of a 16-bit float by its definition: sign, exponent, fraction.
fn by_definition(bits: u16, exponent_bits: u32) -> f64 {
    let fraction_bits = 15 - exponent_bits;
    let bias = (1 << (exponent_bits - 1)) - 1;
    let fraction = f64::from(bits & ((1 << fraction_bits) - 1)) / f64::from(1 << fraction_bits);
    let exponent = i32::from((bits & 0x7fff) >> fraction_bits);
    let magnitude = match exponent {
        0 => fraction * 2f64.powi(1 - bias),
        e if e == (1 << exponent_bits) - 1 => {
            if fraction == 0.0 {
                f64::INFINITY
            } else {
                f64::NAN
            }
        }
        e => (1.0 + fraction) * 2f64.powi(e - bias),
    };
    if bits & 0x8000 == 0 { magnitude } else { -magnitude }
}

fn f16(x: Exact) -> u16 {
    nearest(x, |bits| by_definition(bits, 5), 0x7c00, 65536.0)
}

fn bf16(x: Exact) -> u16 {
    nearest(x, |bits| by_definition(bits, 8), 0x7f80, 2f64.powi(128))
}

#[test]
fn every_16_bit_value_is_what_its_bits_say() {
    for bits in 0..=u16::MAX {
        let (h, b) = (F16::from_bits(bits), Bf16::from_bits(bits));
        for (given, defined) in [(h.to_f32(), by_definition(bits, 5)), (b.to_f32(), by_definition(bits, 8))] {
            assert!(f64::from(given).to_bits() == defined.to_bits() || given.is_nan() && defined.is_nan(), "{bits:#x}");
        }
        // And back; a NaN stays one, of the same sign.
        for (back, nan, sign) in [
            (F16::from_f32(h.to_f32()).to_bits(), h.to_f32().is_nan(), F16::from_f32(h.to_f32()).to_f32()),
            (Bf16::from_f32(b.to_f32()).to_bits(), b.to_f32().is_nan(), Bf16::from_f32(b.to_f32()).to_f32()),
        ] {
            assert!(back == bits || nan && sign.is_nan() && (back ^ bits) & 0x8000 == 0, "{bits:#x} {back:#x}");
        }
    }
}

#[test]
fn half_way_points_of_all_neighbours_round_to_even_and_their_neighbours_to_the_nearer() {
    let mut checked = 0;
    for bits in 0..0x7f80u16 {
        for (exponent, infinity) in [(5, 0x7c00), (8, 0x7f80)] {
            if bits >= infinity - 1 {
                continue;
            }
            let middle = (by_definition(bits, exponent) + by_definition(bits + 1, exponent)) / 2.0;
            for x in [middle, middle.next_up(), middle.next_down(), -middle, -middle.next_up()] {
                let (given, twin) = match exponent {
                    5 => (F16::from_f64(x).to_bits(), f16(Exact::Float(x))),
                    _ => (Bf16::from_f64(x).to_bits(), bf16(Exact::Float(x))),
                };
                assert_eq!(given, twin, "{x:e} with {exponent} bits of exponent");
                checked += 1;
            }
        }
    }
    assert!(checked > 300_000);
}

#[test]
fn integers_round_once_on_their_way_to_16_bits() {
    for shift in 8..64u32 {
        for delta in [-1i128, 0, 1] {
            for odd in [0b1_0000_0001u128, 0b1_0000_0011, 0b1_1111_1111] {
                // Nine bits: a tie for the eight of Bf16, at every magnitude that u64 has.
                let n = (odd << (shift - 8)) as i128 + delta;
                let Ok(n) = u64::try_from(n) else { continue };
                assert_eq!(
                    Bf16::from_number(Number::Unsigned(n)).to_bits(),
                    bf16(Exact::Integer(n.into())),
                    "bf16 of {n}"
                );
                assert_eq!(
                    F16::from_number(Number::Unsigned(n)).to_bits(),
                    f16(Exact::Integer(n.into())),
                    "f16 of {n}"
                );
                if let Ok(n) = i64::try_from(n) {
                    assert_eq!(
                        Bf16::from_number(Number::Signed(-n)).to_bits(),
                        bf16(Exact::Integer((-n).into())),
                        "bf16 of -{n}"
                    );
                }
            }
        }
    }
    assert_eq!(Bf16::from_number(Number::Signed(i64::MIN)).to_f32(), -(2f32.powi(63)));
}

proptest! {
    #[test]
    fn arithmetic_of_16_bits_is_exact_arithmetic_rounded_once(a in any::<u16>(), b in any::<u16>(), n in any::<i64>(), bits in any::<u64>()) {
        let x = f64::from_bits(bits);
        if !x.is_nan() {
            let clamped = x.clamp(-1e300, 1e300);
            prop_assert_eq!(F16::from_f64(clamped).to_bits(), f16(Exact::Float(clamped)));
            prop_assert_eq!(Bf16::from_f64(clamped).to_bits(), bf16(Exact::Float(clamped)));
        }
        prop_assert_eq!(F16::from_number(Number::Signed(n)).to_bits(), f16(Exact::Integer(n.into())));
        prop_assert_eq!(Bf16::from_number(Number::Signed(n)).to_bits(), bf16(Exact::Integer(n.into())));
        prop_assert_eq!(Bf16::from_number(Number::Unsigned(n as u64)).to_bits(), bf16(Exact::Integer((n as u64).into())));
        // Few digits, so that printing tells them apart.
        let (h, w) = (F16::from_bits(a), Bf16::from_bits(b));
        if !h.to_f32().is_nan() {
            prop_assert_eq!(h.to_string().parse::<f32>().map(F16::from_f32), Ok(h));
            prop_assert_eq!(format!("{h:?}").parse::<f32>().map(F16::from_f32), Ok(h));
        }
        if !w.to_f32().is_nan() {
            prop_assert_eq!(w.to_string().parse::<f32>().map(Bf16::from_f32), Ok(w));
        }
    }
}

/// Every conversion among the primitive types is `as`.
macro_rules! as_does {
    ($($from:ident)*; $to:tt) => {$(as_does!(@ $from; $to);)*};
    (@ $from:ident; [$($to:ident)*]) => {
        for &x in samples::$from().iter() {$(
            let (given, twin): ($to, $to) = (x.convert(), x as $to);
            assert!(
                given.to_ne_bytes() == twin.to_ne_bytes() || format!("{given}") == "NaN" && format!("{twin}") == "NaN",
                "{x} as {}: {given}, not {twin}", stringify!($to),
            );
        )*}
    };
}

mod samples {
    macro_rules! integers {
        ($($t:ident)*) => {$(pub(super) fn $t() -> Vec<$t> {
            let mut all = vec![0, 1, 2, 127, $t::MAX, $t::MIN, $t::MAX - 1, $t::MIN + 1, $t::MAX / 2 + 1, 100];
            all.extend((0..$t::BITS).map(|bit| (1 as $t) << bit));
            all.extend((0..$t::BITS).map(|bit| ((1 as $t) << bit).wrapping_sub(1)));
            all.extend((0..$t::BITS).map(|bit| ((1 as $t) << bit).wrapping_add(1)));
            all.extend((0..$t::BITS).map(|bit| (0 as $t).wrapping_sub((1 as $t) << bit)));
            all
        })*};
    }
    integers!(u8 u16 u32 u64 i8 i16 i32 i64);
    macro_rules! floats {
        ($($t:ident)*) => {$(pub(super) fn $t() -> Vec<$t> {
            let mut all = vec![$t::NAN, $t::INFINITY, $t::MAX, $t::MIN_POSITIVE, $t::EPSILON, 0.0, 0.5, 0.999, 1.5, 2.5, 255.5, 1e-40, 300.7];
            for bit in 0..70 {
                let power = (2.0 as $t).powi(bit);
                all.extend([power, power.next_down(), power.next_up(), power + 1.0, power - 1.0]);
            }
            all.extend(all.clone().iter().map(|x| -x));
            all
        })*};
    }
    floats!(f32 f64);
}

#[test]
fn conversion_is_as() {
    as_does!(u8 u16 u32 u64 i8 i16 i32 i64 f32 f64; [u8 u16 u32 u64 i8 i16 i32 i64 f32 f64]);
}

#[test]
fn conversion_from_16_bits_is_that_of_their_value() {
    for bits in 0..=u16::MAX {
        let (h, b) = (F16::from_bits(bits), Bf16::from_bits(bits));
        assert_eq!(Converts::<i8>::convert(h), h.to_f32() as i8);
        assert_eq!(Converts::<u64>::convert(b), b.to_f32() as u64);
        let wide: Bf16 = h.convert();
        let narrow: F16 = b.convert();
        if !h.to_f32().is_nan() {
            assert_eq!(wide.to_bits(), bf16(Exact::Float(f64::from(h.to_f32()))), "{bits:#x}");
        }
        if !b.to_f32().is_nan() && b.to_f32().is_finite() {
            assert_eq!(narrow.to_bits(), f16(Exact::Float(f64::from(b.to_f32()))), "{bits:#x}");
        }
    }
}

#[test]
fn complex_numbers_convert_by_parts_and_from_real_ones() {
    assert_eq!(Converts::<C32>::convert(3u8), C32::new(3.0, 0.0));
    assert_eq!(Converts::<C64>::convert(F16::ONE), C64::new(1.0, 0.0));
    assert_eq!(Converts::<C32>::convert(16_777_217i64), C32::new(16_777_216.0, 0.0));
    assert_eq!(Converts::<C64>::convert(C32::new(0.1, -2.0)), C64::new(f64::from(0.1f32), -2.0));
    assert_eq!(Converts::<C32>::convert(C64::new(1e300, 0.1)), C32::new(f32::INFINITY, 0.1));
    static_assertions::assert_not_impl_any!(C32: Converts<f32>, Converts<i64>, Converts<F32x4>, Real);
    static_assertions::assert_not_impl_any!(F32x4: Converts<f32>, Converts<C32>, Real);
    static_assertions::assert_not_impl_any!(f32: Converts<F32x4>);
}

#[test]
fn zero_is_zero_bits_and_one_is_one() {
    macro_rules! check {
        ($($t:ty)*) => {$(
            assert_eq!(<$t>::ZERO, <$t>::default());
            assert_eq!(size_of::<$t>(), <$t>::DTYPE.size());
            assert_eq!(weft_device::Buffer::<$t>::new_zeroed(&weft_device::Host, 2).unwrap().to_vec().unwrap(), [<$t>::ZERO; 2]);
        )*};
    }
    check!(u8 u16 u32 u64 i8 i16 i32 i64 F16 Bf16 f32 f64 F32x4 C32 C64);
    assert_eq!((F16::ONE.to_f32(), Bf16::ONE.to_f32(), u8::ONE, f64::ONE), (1.0, 1.0, 1, 1.0));
    assert_eq!((F32x4::ONE, C32::ONE), (F32x4([1.0; 4]), C32::new(1.0, 0.0)));
}

#[test]
fn elements_print_as_people_write_them() {
    let table: Vec<String> =
        DType::ALL.iter().map(|dtype| format!("{dtype} {} bytes, {dtype:?}", dtype.size())).collect();
    insta::assert_snapshot!(table.join("\n"), @r"
    u8 1 bytes, U8
    u16 2 bytes, U16
    u32 4 bytes, U32
    u64 8 bytes, U64
    i8 1 bytes, I8
    i16 2 bytes, I16
    i32 4 bytes, I32
    i64 8 bytes, I64
    f16 2 bytes, F16
    bf16 2 bytes, Bf16
    f32 4 bytes, F32
    f64 8 bytes, F64
    f32x4 16 bytes, F32x4
    c32 8 bytes, C32
    c64 16 bytes, C64
    ");
    insta::assert_snapshot!([
        F16::from_f32(0.1).to_string(),
        format!("{:?}", F16::from_f32(2.0)),
        format!("{:.4}", F16::from_f32(0.1)),
        Bf16::from_f32(1e38).to_string(),
        F16::from_f32(1e6).to_string(),
        F16::from_bits(1).to_string(),
        format!("{:?}", F16::from_bits(0x7e00)),
        F32x4([1.0, -2.5, f32::NAN, 0.0]).to_string(),
        format!("{:.1}", F32x4([1.0, 2.0, 3.0, 4.0])),
        C32::new(1.0, -0.0).to_string(),
        format!("{:?}", C64::new(0.5, 2.0)),
        format!("{:.2}", C64::new(0.5, f64::NAN)),
    ].join("\n"), @r"
    0.1
    2.0
    0.1000
    100000000000000000000000000000000000000
    inf
    0.00000006
    NaN
    [1, -2.5, NaN, 0]
    [1.0, 2.0, 3.0, 4.0]
    1-0i
    C64 { re: 0.5, im: 2.0 }
    0.50+NaNi
    ");
}

#[cfg(feature = "half")]
#[test]
fn the_half_crate_is_met_without_loss() {
    for bits in 0..=u16::MAX {
        assert_eq!(half::f16::from(F16::from_bits(bits)).to_bits(), bits);
        assert_eq!(Bf16::from(half::bf16::from_bits(bits)).to_bits(), bits);
    }
}

#[cfg(feature = "num-complex")]
#[test]
fn num_complex_is_met_without_loss() {
    let z: num_complex::Complex<f64> = C64::new(1.0, 2.0).into();
    assert_eq!((z.re, z.im, C64::from(z)), (1.0, 2.0, C64::new(1.0, 2.0)));
    assert_eq!(C32::from(num_complex::Complex::new(1.0, 2.0)), C32::new(1.0, 2.0));
}
