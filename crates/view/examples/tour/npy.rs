//! `.npy` files: read as they lie, in C or Fortran order, and written in C order. The format itself is `npyz`'s affair.

use std::io::{self, Write};

use npyz::{DType, NpyFile, NpyHeader, Order, TypeStr, WriterBuilder};
use weft_view::prelude::*;

use super::Failure;

/// The longest header that is read, in bytes: NumPy's own limit.
const LONGEST_HEADER: usize = 10_000;

/// A file whose header has been read.
pub(crate) struct Npy<'b> {
    header: NpyHeader,
    /// The element type, as NumPy writes it: `<f4`.
    pub(crate) element: TypeStr,
    /// How the file has its elements in order.
    pub(crate) layout: Layout,
    /// What follows the header.
    data: &'b [u8],
}

/// A type that `npyz` reads and writes, and the element type of weft with the same bits.
pub(crate) trait Stored: npyz::Deserialize + npyz::Serialize {
    type Element: Element;
    fn load(self) -> Self::Element;
    fn store(element: Self::Element) -> Self;
}

/// Declares stored types; by themselves where no conversion is given.
macro_rules! stored {
    ($($stored:ty => $element:ty, |$s:ident| $load:expr, |$e:ident| $store:expr;)*) => {$(
        impl Stored for $stored {
            type Element = $element;
            fn load(self) -> $element {
                let $s = self;
                $load
            }
            fn store($e: $element) -> $stored {
                $store
            }
        }
    )*};
    ($($same:ty)*) => { stored! { $($same => $same, |s| s, |e| e;)* } };
}
stored! { u8 u16 u32 u64 i8 i16 i32 i64 f32 f64 }
stored! {
    bool => u8, |s| u8::from(s), |e| e != 0;
    half::f16 => F16, |s| F16::from_bits(s.to_bits()), |e| half::f16::from_bits(e.to_bits());
    num_complex::Complex<f32> => C32, |s| C32::new(s.re, s.im), |e| num_complex::Complex::new(e.re, e.im);
    num_complex::Complex<f64> => C64, |s| C64::new(s.re, s.im), |e| num_complex::Complex::new(e.re, e.im);
}

impl<'b> Npy<'b> {
    /// Reads the header of a whole file.
    pub(crate) fn open(bytes: &'b [u8]) -> Result<Npy<'b>, Failure> {
        check_header(bytes)?;
        let mut data = bytes;
        let header = NpyHeader::from_reader(&mut data).map_err(|error| {
            // The parser explains itself in a drawing of several lines.
            let text = error.to_string();
            format!(
                "not a header of NumPy's: {}",
                text.split(" -->").next().unwrap_or(&text).trim_end_matches([' ', ':'])
            )
        })?;
        let element = match header.dtype() {
            DType::Plain(element) => element,
            other => return Err(format!("elements of a structured type, {}, are not supported", other.descr()).into()),
        };
        let shape = header.shape().iter().map(|&size| usize::try_from(size)).collect::<Result<Vec<_>, _>>()?;
        let layout = match header.order() {
            Order::C => Layout::row_major(shape)?,
            Order::Fortran => Layout::col_major(shape)?,
        };
        Ok(Npy { header, element, layout, data })
    }

    /// The elements in the order of the file: a buffer that [`layout`](Npy::layout) reads.
    pub(crate) fn elements<S: Stored>(&self) -> Result<Vec<S::Element>, Failure> {
        let (count, size) = (self.layout.numel(), size_of::<S>());
        let (needed, found) =
            (count.checked_mul(size).ok_or("the file has more bytes than memory could")?, self.data.len());
        if found < needed {
            return Err(
                format!("truncated: {count} elements of {size} bytes are {needed} bytes, there are {found}").into()
            );
        }
        let mut elements = Vec::new();
        elements.try_reserve_exact(count)?;
        for stored in NpyFile::with_header(self.header.clone(), self.data).data::<S>()? {
            elements.push(stored?.load());
        }
        Ok(elements)
    }
}

/// Writes a view in C order, as elements of the type `element`.
pub(crate) fn write<S: Stored>(to: impl Write, element: &TypeStr, view: &View<'_, S::Element>) -> io::Result<()> {
    let shape: Vec<u64> = view.shape().iter().map(|&size| size as u64).collect();
    let options = npyz::WriteOptions::new().dtype(DType::Plain(element.clone())).shape(&shape);
    let mut file = options.writer(to).begin_nd()?;
    file.extend(view.iter().map(|&element| S::store(element)))?;
    file.finish()
}

/// Refuses what `npyz` cannot survive: it trusts the length of the header, descends into brackets without a limit, and
/// multiplies the sizes unchecked. No array of NumPy's is refused for it, as long as memory could hold it.
fn check_header(bytes: &[u8]) -> Result<(), Failure> {
    if !bytes.starts_with(b"\x93NUMPY") {
        return Err("not a .npy file: it does not start with \\x93NUMPY".into());
    }
    let (start, length) = match bytes[6..] {
        [1, _, a, b, ..] => (10, usize::from(u16::from_le_bytes([a, b]))),
        [2 | 3, _, a, b, c, d, ..] => (12, u32::from_le_bytes([a, b, c, d]) as usize),
        [1..=3, ..] | [] => return Err(format!("truncated: the file ends after {} bytes", bytes.len()).into()),
        [version, ..] => return Err(format!("version {version} of the format is not known; 1, 2 and 3 are").into()),
    };
    if length > LONGEST_HEADER {
        return Err(format!("a header of {length} bytes is not believed; {LONGEST_HEADER} would be").into());
    }
    let Some(text) = bytes[start..].get(..length) else {
        let found = bytes.len() - start;
        return Err(format!("truncated: the header has {length} bytes, there are {found}").into());
    };
    let header = || text.trim_ascii().escape_ascii().to_string().replace("\\'", "'");
    let refused = |why: &str| Err(format!("{why} in the header {}", header()).into());

    let (mut depth, mut product) = (0, Some(1));
    let mut rest = text;
    while let [byte, after @ ..] = rest {
        rest = after;
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            b'+' | b'-' => return refused("a sign"),
            b'0'..=b'9' => {
                // The size of an element is among the numbers, so this is the product in bytes.
                let mut number = Some(usize::from(byte - b'0'));
                while let [digit @ b'0'..=b'9', after @ ..] = rest {
                    number = number.and_then(|n| n.checked_mul(10)?.checked_add(usize::from(digit - b'0')));
                    rest = after;
                }
                product = product.zip(number).and_then(|(p, n)| usize::checked_mul(p, n.max(1)));
                if matches!(rest, [b'_' | b'.' | b'a'..=b'z' | b'A'..=b'Z', ..]) {
                    return refused("a number that is not plain");
                }
            }
            _ => {}
        }
        if depth > 4 {
            return refused("more than 4 brackets inside each other");
        }
    }
    match product {
        Some(bytes) if isize::try_from(bytes).is_ok() => Ok(()),
        _ => refused("more bytes than memory could hold"),
    }
}
