//! Elements as words: one number alone, and the numbers of an array, which share a width.

use core::any::Any;

use weft_device::{Bf16, C32, C64, Element, F16, F32x4};

use super::float::{FloatFormat, Precision, scalar_text};

/// An element as what is printed of it.
#[derive(Clone, Copy)]
enum Value {
    Integer(i128),
    Float(f64, Precision),
    Complex(f64, f64, Precision),
    Lanes([f32; 4]),
}

/// The value of an element, found through its type.
fn value<T: Element>(element: T) -> Value {
    let any: &dyn Any = &element;
    macro_rules! find {
        ($($type:ty: |$x:ident| $value:expr;)*) => {$(
            if let Some(&$x) = any.downcast_ref::<$type>() {
                return $value;
            }
        )*};
    }
    use Precision as P;
    find! {
        f32: |x| Value::Float(f64::from(x), P::F32);
        f64: |x| Value::Float(x, P::F64);
        F16: |x| Value::Float(f64::from(x), P::F16);
        Bf16: |x| Value::Float(f64::from(x), P::Bf16);
        C32: |x| Value::Complex(f64::from(x.re), f64::from(x.im), P::F32);
        C64: |x| Value::Complex(x.re, x.im, P::F64);
        F32x4: |x| Value::Lanes(x.0);
        u8: |x| Value::Integer(x.into());
        u16: |x| Value::Integer(x.into());
        u32: |x| Value::Integer(x.into());
        u64: |x| Value::Integer(x.into());
        i8: |x| Value::Integer(x.into());
        i16: |x| Value::Integer(x.into());
        i32: |x| Value::Integer(x.into());
        i64: |x| Value::Integer(x.into());
    }
    // `Element` is sealed and the list is complete: a new type has to be added above.
    debug_assert!(false, "no text for elements of type {}", T::DTYPE);
    Value::Integer(0)
}

/// The text of an array without axes, which NumPy prints as a bare number.
pub(super) fn scalar<T: Element>(element: T) -> String {
    match value(element) {
        Value::Integer(n) => n.to_string(),
        Value::Float(x, precision) => scalar_text(x, precision, true),
        Value::Complex(re, im, precision) => complex_scalar(re, im, precision),
        // Not reached: lanes are an axis, so there is no array of lanes without axes.
        Value::Lanes(lanes) => words(&lanes).join(" "),
    }
}

fn complex_scalar(re: f64, im: f64, precision: Precision) -> String {
    let imaginary = scalar_text(im, precision, false);
    if re == 0.0 && re.is_sign_positive() {
        return format!("{imaginary}j");
    }
    let plus = if imaginary.starts_with('-') { "" } else { "+" };
    format!("({}{plus}{imaginary}j)", scalar_text(re, precision, false))
}

/// The words of the elements of an array: of one width, each padded so that the columns stand below each other.
pub(super) fn words<T: Element>(elements: &[T]) -> Vec<String> {
    let values: Vec<Value> = elements.iter().map(|&element| value(element)).collect();
    match values.first() {
        None => Vec::new(),
        Some(Value::Integer(_)) => {
            let words = values.iter().map(|value| match value {
                Value::Integer(n) => n.to_string(),
                _ => String::new(),
            });
            let words: Vec<String> = words.collect();
            let width = words.iter().map(String::len).max().unwrap_or(0);
            words.iter().map(|word| format!("{word:>width$}")).collect()
        }
        Some(&Value::Float(_, precision)) => float_words(&parts(&values, 0), precision, false),
        Some(Value::Lanes(_)) => float_words(&parts(&values, 0), Precision::F32, false),
        Some(&Value::Complex(_, _, precision)) => {
            let real = float_words(&parts(&values, 0), precision, false);
            let imaginary = float_words(&parts(&values, 1), precision, true);
            real.iter().zip(&imaginary).map(|(re, im)| re.clone() + &with_unit(im)).collect()
        }
    }
}

/// The float parts of `values`: the real ones for `part` 0, the imaginary ones for 1, all lanes.
fn parts(values: &[Value], part: usize) -> Vec<f64> {
    let mut parts = Vec::with_capacity(values.len());
    for value in values {
        match *value {
            Value::Integer(_) => {}
            Value::Float(x, _) => parts.push(x),
            Value::Complex(re, im, _) => parts.push([re, im][part]),
            Value::Lanes(lanes) => parts.extend(lanes.map(f64::from)),
        }
    }
    parts
}

fn float_words(values: &[f64], precision: Precision, plus: bool) -> Vec<String> {
    let format = FloatFormat::fit(values, precision, plus);
    values.iter().map(|&x| format.word(x)).collect()
}

/// An imaginary part with its `j`, which stands before the spaces that pad it.
fn with_unit(imaginary: &str) -> String {
    let digits = imaginary.trim_end();
    format!("{digits}j{}", &imaginary[digits.len()..])
}
