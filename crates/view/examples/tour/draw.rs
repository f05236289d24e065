//! Pictures of views in plain text: the grid, the memory under it, how often each cell is read, and in which order.

use core::fmt::Display;
use std::io::{self, Write};

use weft_view::prelude::*;

use super::Failure;

/// No line is wider than this.
const WIDTH: usize = 100;
/// Longest memory that is drawn cell by cell.
const CELLS: usize = 24;
/// What stands where nothing is read, or where there is no memory.
const NOTHING: &str = "·";

/// Where the tour is drawn: text comes out wrapped, pictures aligned.
pub(crate) struct Page<'a> {
    out: &'a mut dyn Write,
    chapter: usize,
}

impl<'a> Page<'a> {
    pub(crate) fn new(out: &'a mut dyn Write) -> Page<'a> {
        Page { out, chapter: 0 }
    }

    /// The title of the next chapter.
    pub(crate) fn chapter(&mut self, title: &str) -> io::Result<()> {
        self.chapter += 1;
        let title = format!("{}  {title} ", self.chapter);
        writeln!(self.out, "\n{title}{}\n", "═".repeat(WIDTH - length(&title)))
    }

    /// A paragraph.
    pub(crate) fn say(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "{}\n", indented("", text))
    }

    /// A view, drawn over the memory of the tensor that it reads. What is drawn was read by the device, through the view.
    pub(crate) fn view<T: Element, D: Device>(
        &mut self,
        code: &str,
        view: &View<'_, T, D>,
        owner: &Tensor<T, D>,
    ) -> Result<(), Failure> {
        self.view_with(code, view, owner, T::to_string)
    }

    /// [`view`](Page::view), with elements that are shown in their own way.
    pub(crate) fn view_with<T: Element, D: Device>(
        &mut self,
        code: &str,
        view: &View<'_, T, D>,
        owner: &Tensor<T, D>,
        show: fn(&T) -> String,
    ) -> Result<(), Failure> {
        if view.shares_memory(owner) != Some(true) {
            return Err(format!("{code} reads other memory than it is drawn over").into());
        }
        let offsets: Vec<_> = view.layout().offsets().map(Some).collect();
        self.code(code)?;
        self.facts(view.layout(), "a view: no byte moves")?;
        Ok(self.picture(view.shape(), &texts(&view.to_vec()?, show), &offsets, &texts(&memory(owner)?, show))?)
    }

    /// A tensor that was filled by a copy, drawn over its own memory.
    pub(crate) fn copy<T: Element, D: Device>(&mut self, code: &str, copy: &Tensor<T, D>) -> Result<(), Failure> {
        let offsets: Vec<_> = copy.layout().offsets().map(Some).collect();
        self.code(code)?;
        self.facts(copy.layout(), &copied_text(copy))?;
        Ok(self.picture(
            copy.shape(),
            &texts(&copy.to_vec()?, T::to_string),
            &offsets,
            &texts(&memory(copy)?, T::to_string),
        )?)
    }

    /// A view some of whose positions have no memory: zero is read there.
    pub(crate) fn lazy<T: Element, D: Device>(
        &mut self,
        code: &str,
        lazy: &LazyView<'_, T, D>,
        owner: &Tensor<T, D>,
    ) -> Result<(), Failure> {
        let offsets: Vec<_> = lazy.map().offsets().collect();
        self.code(code)?;
        writeln!(self.out, "    {}   a view with a mask: no byte moves\n", lazy.map())?;
        let values = lazy.to_vec(T::ZERO)?;
        Ok(self.picture(
            lazy.shape(),
            &texts(&values, T::to_string),
            &offsets,
            &texts(&memory(owner)?, T::to_string),
        )?)
    }

    /// A view that was not possible, and why.
    pub(crate) fn refusal<T, E: Display>(&mut self, code: &str, refused: Result<T, E>) -> Result<(), Failure> {
        let Err(error) = refused else { return Err(format!("{code} was not refused").into()) };
        self.code(code)?;
        Ok(writeln!(self.out, "{}\n", indented("    refused  ", &error.to_string()))?)
    }

    /// Rows of two columns or more; the first row is the head.
    pub(crate) fn table<const N: usize>(&mut self, rows: &[[String; N]]) -> io::Result<()> {
        let widths: [usize; N] =
            core::array::from_fn(|k| rows.iter().map(|row| length(&row[k])).max().unwrap_or_default());
        for (k, row) in rows.iter().enumerate() {
            let cells = row.iter().zip(widths).map(|(text, width)| padded(text, width));
            writeln!(self.out, "    {}", cells.collect::<Vec<_>>().join("   ").trim_end())?;
            if k == 0 {
                writeln!(self.out, "    {}", widths.map(|width| "─".repeat(width)).join("   "))?;
            }
        }
        writeln!(self.out)
    }

    /// Lines as they are.
    pub(crate) fn lines(&mut self, lines: &[String]) -> io::Result<()> {
        for line in lines {
            writeln!(self.out, "{}", format!("    {line}").trim_end())?;
        }
        writeln!(self.out)
    }

    /// Statements, on lines of their own. The compiler, which hands them over as text, breaks lines where it likes.
    pub(crate) fn say_code(&mut self, code: &str) -> io::Result<()> {
        writeln!(self.out, "{}\n", indented("    ", code))
    }

    fn code(&mut self, code: &str) -> io::Result<()> {
        writeln!(self.out, "{}", indented("  ▸ ", code))
    }

    fn facts(&mut self, layout: &Layout, verdict: &str) -> io::Result<()> {
        let (shape, strides) = (tuple(layout.shape()), tuple(layout.strides()));
        writeln!(self.out, "    shape {shape}   strides {strides}   offset {}   {verdict}\n", layout.offset())
    }

    /// The grid, then the memory with its reads, then the order of reading with its jumps.
    fn picture(
        &mut self,
        shape: &[usize],
        values: &[String],
        offsets: &[Option<usize>],
        memory: &[String],
    ) -> io::Result<()> {
        assert!(memory.len() <= CELLS, "{} cells are too many to draw", memory.len());
        for line in grid(shape, values) {
            writeln!(self.out, "    {line}")?;
        }
        writeln!(self.out)?;

        let width = if memory.len() * 4 + 12 <= WIDTH { 4 } else { 3 };
        let mut reads = vec![0; memory.len()];
        for &offset in offsets.iter().flatten() {
            reads[offset] += 1;
        }
        if memory.iter().enumerate().any(|(offset, value)| *value != offset.to_string()) {
            self.row("offset", width, 0, (0..memory.len()).map(|offset| offset.to_string()))?;
        }
        self.row("memory", width, 0, memory.iter().cloned())?;
        let times = |count: usize| if count == 0 { NOTHING.to_owned() } else { format!("×{count}") };
        self.row("reads", width, 0, reads.into_iter().map(times))?;
        writeln!(self.out)?;

        let per_line = if offsets.len() * 4 + 14 <= WIDTH { offsets.len() } else { 12 };
        for (k, line) in offsets.chunks(per_line).enumerate() {
            let label = if k == 0 { "order" } else { "" };
            self.row(label, 4, 0, line.iter().map(|at| at.map_or(NOTHING.to_owned(), |offset| offset.to_string())))?;
            let ends = &offsets[k * per_line..];
            let jumps = ends.iter().zip(&ends[1..]).take(line.len()).map(|(a, b)| jump(*a, *b));
            if ends.len() > 1 {
                self.row(if k == 0 { "jumps" } else { "" }, 4, 2, jumps)?;
            }
        }
        writeln!(self.out)
    }

    /// A labelled row of right-aligned cells.
    fn row(&mut self, label: &str, width: usize, indent: usize, cells: impl Iterator<Item = String>) -> io::Result<()> {
        let cells: String = cells.map(|cell| format!("{cell:>width$}")).collect();
        writeln!(self.out, "{}", format!("    {label:<6}{}{cells}", " ".repeat(indent)).trim_end())
    }
}

/// How far the reader moves from one element to the next.
fn jump(from: Option<usize>, to: Option<usize>) -> String {
    match (from, to) {
        (Some(from), Some(to)) if to < from => format!("−{}", from - to),
        (Some(from), Some(to)) => format!("+{}", to - from),
        _ => String::new(),
    }
}

/// The last two axes as rows and columns; the axes before them as blocks beside each other.
fn grid(shape: &[usize], values: &[String]) -> Vec<String> {
    let columns = shape.last().copied().unwrap_or(1);
    let rows = if shape.len() < 2 { 1 } else { shape[shape.len() - 2] };
    let width = values.iter().map(|value| length(value)).max().unwrap_or_default().max(2);
    let line = |row: usize| {
        let blocks = values.chunks(rows * columns).map(|block| {
            let cells = &block[row * columns..][..columns];
            cells.iter().map(|cell| format!("{cell:>width$}")).collect::<Vec<_>>().join("  ")
        });
        format!("  {}", blocks.collect::<Vec<_>>().join("   │  "))
    };
    (0..rows).map(line).collect()
}

/// What a copy cost.
pub(crate) fn copied_text<T: Element, D: Device>(copy: &Tensor<T, D>) -> String {
    format!("a copy: {} elements, {} bytes", copy.numel(), copy.numel() * size_of::<T>())
}

/// The elements in the order of memory, whatever the order of the axes is.
fn memory<T: Element, D: Device>(owner: &Tensor<T, D>) -> Result<Vec<T>, Failure> {
    Ok(owner.view_as(&Layout::row_major(owner.numel())?)?.to_vec()?)
}

/// `(3,4)`
pub(crate) fn tuple(numbers: &[impl ToString]) -> String {
    format!("({})", numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(","))
}

fn texts<'t, T: 't>(values: impl IntoIterator<Item = &'t T>, show: fn(&T) -> String) -> Vec<String> {
    values.into_iter().map(show).collect()
}

/// How many columns `text` takes.
fn length(text: &str) -> usize {
    text.chars().count()
}

fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width - length(text)))
}

/// `text` after `label`, broken at spaces where a line ends; the lines that follow start under the text.
pub(crate) fn indented(label: &str, text: &str) -> String {
    let indent = length(label);
    let (mut lines, mut column) = (label.to_owned(), indent);
    for word in text.split_whitespace() {
        if column > indent && column + 1 + length(word) > WIDTH {
            lines.push('\n');
            lines.push_str(&" ".repeat(indent));
            column = indent;
        } else if column > indent {
            lines.push(' ');
            column += 1;
        }
        lines.push_str(word);
        column += length(word);
    }
    lines
}
