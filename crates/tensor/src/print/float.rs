//! Floats in decimal: the fewest digits that tell a value from its neighbours, at most eight after the point, and one
//! notation and one width for all numbers of an array.

use weft_device::{Bf16, F16};

/// NumPy's `precision`: how many digits after the point an array shows at most.
const FRACTION: usize = 8;

/// Which neighbours a float has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Precision {
    F16,
    Bf16,
    F32,
    F64,
}

impl Precision {
    /// The value of this precision that is nearest to `x`.
    fn round(self, x: f64) -> f64 {
        match self {
            Precision::F16 => F16::from_f64(x).into(),
            Precision::Bf16 => Bf16::from_f64(x).into(),
            Precision::F32 => (x as f32).into(),
            Precision::F64 => x,
        }
    }

    /// From this size on a number alone is printed with an exponent: ten to the number of decimal digits that are certain.
    fn exponent_from(self) -> f64 {
        match self {
            Precision::F16 | Precision::Bf16 => 1e3,
            Precision::F32 => 1e6,
            Precision::F64 => 1e16,
        }
    }

    /// From this size on an array is.
    fn array_exponent_from(self) -> f64 {
        self.exponent_from().min(1e8)
    }
}

/// A finite number in decimal: the digits `d.ddd` and a power of ten.
struct Decimal {
    negative: bool,
    /// ASCII digits without trailing zeros, at least one.
    digits: String,
    exponent: i32,
}

impl Decimal {
    /// From what Rust prints with `{:e}`.
    fn parse(text: &str) -> Decimal {
        let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let negative = mantissa.starts_with('-');
        let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
        let significant = digits.trim_end_matches('0').len().max(1);
        Decimal { negative, digits: digits[..significant].to_string(), exponent: exponent.parse().unwrap_or(0) }
    }

    /// The fewest digits from which `x` is found again among the values of its precision; of several such numbers the nearest
    /// to `x`, of two equally near ones the even one.
    fn shortest(x: f64, precision: Precision) -> Decimal {
        // Fewer digits than Rust prints do not do; how many that is for 16 bits, Rust cannot tell.
        let least = match precision {
            Precision::F64 => Decimal::parse(&format!("{x:e}")),
            Precision::F32 => Decimal::parse(&format!("{:e}", x as f32)),
            Precision::F16 | Precision::Bf16 => {
                // Powers of two lie further from their neighbour outwards: there the next number may do where the nearest does not.
                let near = (1..5).map(|digits| Decimal::rounded(x, digits));
                let found = near.flat_map(|near| [near.outward(), near]).find(|near| near.is(x, precision));
                found.unwrap_or_else(|| Decimal::rounded(x, 5))
            }
        };
        // Between equally near ones Rust takes any.
        let even = Decimal::rounded(x, least.digits.len());
        if even.is(x, precision) { even } else { least }
    }

    /// The next number of as many digits away from zero.
    fn outward(&self) -> Decimal {
        // At most five digits.
        let digits = (self.digits.parse().unwrap_or(0u32) + 1).to_string();
        let grown = (digits.len() - self.digits.len()) as i32;
        let text = format!("{}{}.{}e{}", self.sign(false), &digits[..1], &digits[1..], self.exponent + grown);
        Decimal::parse(&text)
    }

    /// Whether this is read as `x`.
    fn is(&self, x: f64, precision: Precision) -> bool {
        let text = format!("{}{}e{}", self.sign(false), self.digits, self.exponent + 1 - self.digits.len() as i32);
        match precision {
            Precision::F64 => text.parse() == Ok(x),
            Precision::F32 => text.parse() == Ok(x as f32),
            Precision::F16 | Precision::Bf16 => text.parse().map(|near: f64| precision.round(near)) == Ok(x),
        }
    }

    /// [`shortest`](Decimal::shortest), but `x` itself rounded to `digits` digits where that is fewer.
    fn shortest_within(x: f64, precision: Precision, digits: usize) -> Decimal {
        let shortest = Decimal::shortest(x, precision);
        if shortest.digits.len() <= digits { shortest } else { Decimal::rounded(x, digits) }
    }

    /// `x` rounded to `digits` digits, at least one.
    fn rounded(x: f64, digits: usize) -> Decimal {
        Decimal::parse(&format!("{x:.*e}", digits.saturating_sub(1)))
    }

    fn sign(&self, plus: bool) -> &'static str {
        match (self.negative, plus) {
            (true, _) => "-",
            (false, true) => "+",
            (false, false) => "",
        }
    }

    /// What stands before and after the point when the number is written out.
    fn positional(&self, plus: bool) -> (String, String) {
        let sign = self.sign(plus);
        match usize::try_from(self.exponent) {
            Err(_) => {
                let zeros = self.exponent.unsigned_abs() as usize - 1;
                (format!("{sign}0"), "0".repeat(zeros) + &self.digits)
            }
            Ok(exponent) => {
                let before = self.digits.len().min(exponent + 1);
                let zeros = "0".repeat(exponent + 1 - before);
                (
                    format!("{sign}{}{zeros}", &self.digits[..before]),
                    self.digits[before..].trim_end_matches('0').to_string(),
                )
            }
        }
    }
}

/// A number of its own, not one of an array: every digit it needs. `point` asks for a `.0` after a whole number.
pub(super) fn scalar_text(x: f64, precision: Precision, point: bool) -> String {
    if !x.is_finite() {
        return non_finite(x, false);
    }
    let decimal = Decimal::shortest(x, precision);
    if x == 0.0 || (1e-4..precision.exponent_from()).contains(&x.abs()) {
        return match decimal.positional(false) {
            (before, after) if !after.is_empty() => format!("{before}.{after}"),
            (before, _) if point => format!("{before}.0"),
            (before, _) => before,
        };
    }
    let (first, rest) = decimal.digits.split_at(1);
    let dot = if rest.is_empty() { "" } else { "." };
    format!("{}{first}{dot}{rest}e{}", decimal.sign(false), exponent_text(decimal.exponent, 2))
}

fn non_finite(x: f64, plus: bool) -> String {
    let sign = match (x.is_sign_negative() && !x.is_nan(), plus) {
        (true, _) => "-",
        (false, true) => "+",
        (false, false) => "",
    };
    format!("{sign}{}", if x.is_nan() { "nan" } else { "inf" })
}

/// An exponent with its sign and at least `digits` digits.
fn exponent_text(exponent: i32, digits: usize) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{sign}{:0digits$}", exponent.unsigned_abs())
}

/// How the numbers of one array are written: their notation, and how much room each needs before and after the point.
pub(super) struct FloatFormat {
    precision: Precision,
    /// Whether positive numbers have a `+`: those of imaginary parts.
    plus: bool,
    notation: Notation,
    before: usize,
    after: usize,
}

enum Notation {
    Positional,
    /// With `fraction` digits after the point and an exponent of at least `exponent` digits.
    Scientific {
        fraction: usize,
        exponent: usize,
    },
}

impl FloatFormat {
    /// The format that fits all of `values`.
    pub(super) fn fit(values: &[f64], precision: Precision, plus: bool) -> FloatFormat {
        let finite = || values.iter().copied().filter(|x| x.is_finite());
        let (mut before, mut after) = (0, 0);
        let notation = if wants_exponent(finite(), precision) {
            let (mut fraction, mut exponent) = (0, 0);
            for x in finite() {
                let decimal = Decimal::shortest_within(x, precision, 1 + FRACTION);
                fraction = fraction.max(decimal.digits.len() - 1);
                exponent = exponent.max(exponent_text(decimal.exponent, 2).len() - 1);
                before = before.max(decimal.sign(plus).len() + 1);
            }
            // The letter and the sign of the exponent.
            after = fraction + exponent + 2;
            Notation::Scientific { fraction, exponent }
        } else {
            for x in finite() {
                let parts = positional(x, precision, plus);
                before = before.max(parts.0.len());
                after = after.max(parts.1.len());
            }
            Notation::Positional
        };
        if values.iter().any(|x| !x.is_finite()) {
            // NumPy's count: as for an infinity, with its sign where one of them has a sign.
            let signed = plus || values.contains(&f64::NEG_INFINITY);
            before = before.max((3 + usize::from(signed)).saturating_sub(after + 1));
        }
        FloatFormat { precision, plus, notation, before, after }
    }

    /// `x` in this format.
    pub(super) fn word(&self, x: f64) -> String {
        let width = self.before + 1 + self.after;
        if !x.is_finite() {
            return format!("{:>width$}", non_finite(x, self.plus));
        }
        match self.notation {
            Notation::Positional => {
                let (before, after) = positional(x, self.precision, self.plus);
                format!("{before:>0$}.{after:<1$}", self.before, self.after)
            }
            Notation::Scientific { fraction, exponent } => {
                // Not padded with zeros but with more of the digits of `x`.
                let shortest = Decimal::shortest(x, self.precision);
                let decimal =
                    if shortest.digits.len() == fraction + 1 { shortest } else { Decimal::rounded(x, fraction + 1) };
                let (first, rest) = decimal.digits.split_at(1);
                let mantissa = format!("{}{first}.{rest:0<fraction$}", decimal.sign(self.plus));
                format!("{:>width$}", format!("{mantissa}e{}", exponent_text(decimal.exponent, exponent)))
            }
        }
    }
}

/// `x` written out, with at most [`FRACTION`] digits after the point.
fn positional(x: f64, precision: Precision, plus: bool) -> (String, String) {
    let shortest = Decimal::shortest(x, precision);
    let room = shortest.exponent + 1 + FRACTION as i32;
    Decimal::shortest_within(x, precision, usize::try_from(room).unwrap_or(0)).positional(plus)
}

/// Whether numbers this large, this small or this far apart are written with exponents. Compared in their own precision.
fn wants_exponent(finite: impl Iterator<Item = f64>, precision: Precision) -> bool {
    let sizes = finite.filter(|&x| x != 0.0).map(f64::abs);
    let Some((least, greatest)) = sizes.fold(None, |range: Option<(f64, f64)>, x| match range {
        None => Some((x, x)),
        Some((least, greatest)) => Some((least.min(x), greatest.max(x))),
    }) else {
        return false;
    };
    greatest >= precision.array_exponent_from()
        || least < precision.round(1e-4)
        || precision.round(greatest / least) > precision.round(1000.0)
}
