//! The index arithmetic of a map as source text, in Rust and in CUDA C: [`OffsetMap::to_expr`].
//!
//! One stage needs neither division nor modulo: its loops run over the axes, and each offset is a sum of products.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Write};

use super::{OffsetMap, Window};

/// The language of a rendering.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// Rust; loop variables are `isize`.
    Rust,
    /// CUDA C, and C; loop variables are `long long`.
    Cuda,
}

/// Where a map reads, as an expression over its loop variables `i, j, k, l, m, n`, and from the seventh axis on `i6, i7, …`.
///
/// `Display` gives the offset alone, which reads the same in both languages. No partial sum leaves 64 bits where the guard
/// holds.
///
/// ```
/// use weft_layout::{Language, Layout, OffsetMap};
/// let map = OffsetMap::from(Layout::row_major([3, 4])?).pad(&[(0, 0), (1, 1)])?;
/// let expr = map.to_expr();
/// assert_eq!(expr.to_string(), "4*i + j - 1");
/// assert_eq!(expr.guard(), "1 <= j && j < 5");
/// assert_eq!(
///     expr.to_loops(Language::Rust),
///     "\
/// for i in 0..3 {
///     for j in 0..6 {
///         out.push(if 1 <= j && j < 5 { buf[(4*i + j - 1) as usize] } else { fill });
///     }
/// }
/// "
/// );
/// # Ok::<(), weft_layout::LayoutError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexExpr {
    sizes: Vec<usize>,
    offset: String,
    guard: Vec<String>,
}

impl OffsetMap {
    /// The index arithmetic of this map.
    ///
    /// Axes that never move do not occur; a position without memory is excluded by the guard.
    ///
    /// ```
    /// use weft_layout::{Layout, OffsetMap};
    /// let matrix = Layout::row_major([3, 4])?;
    /// assert_eq!(OffsetMap::from(matrix.reshape([2, 6])?).to_expr().to_string(), "6*i + j");
    /// assert_eq!(OffsetMap::from(matrix.t()?).to_expr().to_string(), "i + 4*j");
    /// assert_eq!(OffsetMap::from(matrix.flip([1])?).to_expr().to_string(), "4*i - j + 3");
    /// assert_eq!(OffsetMap::from(Layout::row_major([4])?.broadcast_to([3, 4])?).to_expr().to_string(), "j");
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn to_expr(&self) -> IndexExpr {
        let sizes = self.shape.to_vec();
        let Some(window) = &self.window else {
            return IndexExpr { sizes, offset: "0".into(), guard: alloc::vec!["false".into()] };
        };
        let guard = (0..self.ndim()).filter_map(|axis| self.condition(window, axis)).collect();
        IndexExpr { sizes, offset: offset(window), guard }
    }

    /// What has to hold of one loop variable; nothing where the whole axis has memory.
    fn condition(&self, window: &Window, axis: usize) -> Option<String> {
        let (valid, size, name) = (window.range(axis), self.shape[axis], variable(axis));
        match (valid.start > 0, valid.end < size) {
            (false, false) => None,
            _ if valid.len() == 1 => Some(format!("{name} == {}", valid.start)),
            (true, false) => Some(format!("{} <= {name}", valid.start)),
            (false, true) => Some(format!("{name} < {}", valid.end)),
            (true, true) => Some(format!("{} <= {name} && {name} < {}", valid.start, valid.end)),
        }
    }
}

/// The offset of a coordinate inside the window.
fn offset(window: &Window) -> String {
    let layout = &window.layout;
    let moving = || (0..layout.ndim()).filter(|&axis| layout.shape[axis] > 1 && layout.strides[axis] != 0);
    let stride = |axis: usize| layout.strides[axis] as i128;
    let before = |axis: usize| window.before[axis] as i128;
    // With the padding folded into the constant, a partial sum is at most this far from 0.
    let farthest = moving()
        .map(|axis| stride(axis).abs().saturating_mul(window.range(axis).end as i128))
        .fold(layout.offset as i128, i128::saturating_add);
    let folded = farthest.saturating_mul(2) <= isize::MAX as i128;

    let mut text = String::new();
    let mut constant = layout.offset as i128;
    for axis in moving() {
        let mut name = variable(axis);
        if folded {
            constant -= stride(axis) * before(axis);
        } else if before(axis) > 0 {
            name = format!("({name} - {})", before(axis));
        }
        let size = stride(axis).abs();
        let term = if size == 1 { name } else { format!("{size}*{name}") };
        append(&mut text, stride(axis) < 0, &term);
    }
    if constant != 0 || text.is_empty() {
        append(&mut text, constant < 0, &format!("{}", constant.abs()));
    }
    text
}

fn append(text: &mut String, negative: bool, term: &str) {
    text.push_str(match (text.is_empty(), negative) {
        (true, false) => "",
        (true, true) => "-",
        (false, false) => " + ",
        (false, true) => " - ",
    });
    text.push_str(term);
}

fn variable(axis: usize) -> String {
    match "ijklmn".get(axis..=axis) {
        Some(letter) => letter.into(),
        None => format!("i{axis}"),
    }
}

impl IndexExpr {
    /// The condition under which a position has memory, the same in both languages; empty where every position has.
    #[must_use]
    pub fn guard(&self) -> String {
        self.guard.join(" && ")
    }

    /// The loops that a person would write: they read `buf` through the map in row-major order, with `fill` where there is no
    /// memory, and hand each value on, in Rust with `out.push(…)`, in CUDA C with `*out++ = …`.
    ///
    /// An axis of size 1 is a loop of one round.
    ///
    /// ```
    /// use weft_layout::{Language, Layout, OffsetMap};
    /// let expr = OffsetMap::from(Layout::row_major([3, 4])?.t()?).to_expr();
    /// assert_eq!(
    ///     expr.to_loops(Language::Cuda),
    ///     "\
    /// for (long long i = 0; i < 4; ++i)
    ///     for (long long j = 0; j < 3; ++j)
    ///         *out++ = buf[i + 4*j];
    /// "
    /// );
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn to_loops(&self, language: Language) -> String {
        let mut text = String::new();
        for (axis, size) in self.sizes.iter().enumerate() {
            let (pad, name) = (indent(axis), variable(axis));
            text += &match language {
                Language::Rust => format!("{pad}for {name} in 0..{size} {{\n"),
                Language::Cuda => format!("{pad}for (long long {name} = 0; {name} < {size}; ++{name})\n"),
            };
        }
        let (pad, offset, guard) = (indent(self.sizes.len()), &self.offset, self.guard());
        text += &match (language, guard.is_empty()) {
            (Language::Rust, true) => format!("{pad}out.push(buf[({offset}) as usize]);\n"),
            (Language::Rust, false) => {
                format!("{pad}out.push(if {guard} {{ buf[({offset}) as usize] }} else {{ fill }});\n")
            }
            (Language::Cuda, true) => format!("{pad}*out++ = buf[{offset}];\n"),
            (Language::Cuda, false) => format!("{pad}*out++ = {guard} ? buf[{offset}] : fill;\n"),
        };
        if language == Language::Rust {
            for axis in (0..self.sizes.len()).rev() {
                let _ = writeln!(text, "{}}}", indent(axis));
            }
        }
        text
    }
}

fn indent(depth: usize) -> String {
    "    ".repeat(depth)
}

impl fmt::Display for IndexExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.offset)
    }
}
