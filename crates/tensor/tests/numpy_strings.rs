//! `Display` against NumPy's own strings: `data/numpy_strings.jsonl`.

use serde::Deserialize;
use weft_device::{C32, C64, Element, F16, Host, Real};
use weft_tensor::Factory;

/// One line of the table.
#[derive(Deserialize)]
struct Case {
    dtype: String,
    shape: Vec<usize>,
    #[serde(default)]
    bits: Vec<serde_json::Number>,
    ramp: Option<u64>,
    text: String,
}

impl Case {
    fn numel(&self) -> usize {
        self.shape.iter().product()
    }

    /// Bit patterns, `parts` for each element.
    fn bits(&self, parts: usize) -> Vec<u64> {
        assert_eq!(self.bits.len(), parts * self.numel());
        self.bits.iter().map(|n| n.as_u64().expect("a bit pattern")).collect()
    }

    /// Elements from the bit pattern of each, or from the ramp.
    fn floats<T: Element>(&self, from_bits: impl Fn(u64) -> T, from_f64: impl Fn(f64) -> T) -> String {
        match self.ramp {
            Some(factor) => self.print(&self.ramp(f64::from_bits(factor)).map(from_f64).collect::<Vec<_>>()),
            None => self.print(&self.bits(1).into_iter().map(from_bits).collect::<Vec<_>>()),
        }
    }

    fn complex<T: Element>(&self, from_bits: impl Fn(u64, u64) -> T, from_f64: impl Fn(f64) -> T) -> String {
        match self.ramp {
            Some(factor) => self.print(&self.ramp(f64::from_bits(factor)).map(from_f64).collect::<Vec<_>>()),
            None => self.print(&self.bits(2).chunks(2).map(|pair| from_bits(pair[0], pair[1])).collect::<Vec<_>>()),
        }
    }

    fn integers<T: Real>(&self) -> String {
        let values: Vec<T> = match self.ramp {
            Some(_) => (0..self.numel()).map(|i| T::from_number(weft_device::Number::Unsigned(i as u64))).collect(),
            None => self
                .bits
                .iter()
                .map(|n| match n.as_u64() {
                    Some(n) => T::from_number(weft_device::Number::Unsigned(n)),
                    None => T::from_number(weft_device::Number::Signed(n.as_i64().expect("an integer"))),
                })
                .collect(),
        };
        self.print(&values)
    }

    fn ramp(&self, factor: f64) -> impl Iterator<Item = f64> {
        (0..self.numel()).map(move |i| i as f64 * factor)
    }

    /// What weft prints, after it printed the same from column-major memory.
    fn print<T: Element>(&self, values: &[T]) -> String {
        let text = Host.tensor(values, &self.shape).expect("a tensor").to_string();
        let turned = Host.options().col_major().tensor(values, &self.shape).expect("a tensor");
        assert_eq!(turned.to_string(), text);
        text
    }

    fn weft(&self) -> String {
        match self.dtype.as_str() {
            "f16" => self.floats(|bits| F16::from_bits(bits as u16), F16::from_f64),
            "f32" => self.floats(|bits| f32::from_bits(bits as u32), |x| x as f32),
            "f64" => self.floats(f64::from_bits, |x| x),
            "c32" => self.complex(
                |re, im| C32::new(f32::from_bits(re as u32), f32::from_bits(im as u32)),
                |x| C32::new(x as f32, 0.0),
            ),
            "c64" => self.complex(|re, im| C64::new(f64::from_bits(re), f64::from_bits(im)), |x| C64::new(x, 0.0)),
            "u8" => self.integers::<u8>(),
            "u16" => self.integers::<u16>(),
            "u32" => self.integers::<u32>(),
            "u64" => self.integers::<u64>(),
            "i8" => self.integers::<i8>(),
            "i16" => self.integers::<i16>(),
            "i32" => self.integers::<i32>(),
            "i64" => self.integers::<i64>(),
            other => panic!("unknown dtype {other}"),
        }
    }
}

#[test]
fn every_string_of_numpy() {
    let table = include_str!("data/numpy_strings.jsonl");
    let cases = table.lines().map(|line| serde_json::from_str::<Case>(line).expect("a case"));
    let (mut seen, mut wrong) = (0, Vec::new());
    for case in cases {
        seen += 1;
        let found = case.weft();
        if found != case.text {
            wrong.push(format!(
                "{} {:?} {:?}\nnumpy: {}\nweft:  {found}\n",
                case.dtype,
                case.shape,
                case.bits.iter().take(8).collect::<Vec<_>>(),
                case.text
            ));
        }
    }
    assert!(seen > 1000, "only {seen} cases: the table is not whole");
    assert!(wrong.is_empty(), "{} of {seen} differ:\n{}", wrong.len(), wrong[..wrong.len().min(30)].join("\n"));
}
