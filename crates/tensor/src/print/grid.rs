//! Brackets, line breaks and the dots of a summary, around words that are ready.

use super::{EDGE, LINE_WIDTH};

/// Which coordinates of an array are printed.
pub(super) struct Grid<'a> {
    shape: &'a [usize],
    summarised: bool,
}

impl<'a> Grid<'a> {
    /// A grid for an array of at least one axis and one element.
    pub(super) fn new(shape: &'a [usize], summarised: bool) -> Grid<'a> {
        Grid { shape, summarised }
    }

    /// Whether dots stand for the middle of `axis`.
    fn cut(&self, axis: usize) -> bool {
        self.summarised && self.shape[axis] > 2 * EDGE
    }

    /// The indices of `axis` that are printed.
    fn shown(&self, axis: usize) -> impl Iterator<Item = usize> {
        let size = self.shape[axis];
        let (head, tail) = if self.cut(axis) { (EDGE, size - EDGE) } else { (0, 0) };
        (0..head).chain(tail..size)
    }

    /// Calls `f` with every coordinate that is printed, over the first `axes` axes, in row-major order.
    pub(super) fn visit(&self, axes: usize, f: &mut dyn FnMut(&[usize])) {
        let mut coord = Vec::with_capacity(axes);
        self.visit_from(&mut coord, axes, f);
    }

    fn visit_from(&self, coord: &mut Vec<usize>, axes: usize, f: &mut dyn FnMut(&[usize])) {
        if coord.len() == axes {
            return f(coord);
        }
        for index in self.shown(coord.len()) {
            coord.push(index);
            self.visit_from(coord, axes, f);
            coord.pop();
        }
    }

    /// The whole text; `words` come in the order of [`visit`](Grid::visit).
    pub(super) fn write(&self, words: &mut dyn Iterator<Item = String>) -> String {
        self.write_axis(0, words)
    }

    /// The text of the array that is left from `axis` on. Its first line is not indented.
    fn write_axis(&self, axis: usize, words: &mut dyn Iterator<Item = String>) -> String {
        let body = if axis + 1 == self.shape.len() { self.write_row(words) } else { self.write_rows(axis, words) };
        format!("[{body}]")
    }

    /// Nested arrays below each other, with one blank line more for every axis inwards.
    fn write_rows(&self, axis: usize, words: &mut dyn Iterator<Item = String>) -> String {
        let separator = "\n".repeat(self.shape.len() - 1 - axis) + &indent(axis);
        let mut parts: Vec<String> = self.shown(axis).map(|_| self.write_axis(axis + 1, words)).collect();
        if self.cut(axis) {
            parts.insert(EDGE, "...".to_string());
        }
        parts.join(&separator)
    }

    /// The words of the last axis, broken into lines.
    fn write_row(&self, words: &mut dyn Iterator<Item = String>) -> String {
        let axis = self.shape.len() - 1;
        let mut row: Vec<String> = words.take(self.shown(axis).count()).collect();
        if self.cut(axis) {
            row.insert(EDGE, "...".to_string());
        }
        let indent = indent(axis);
        // Room for one closing bracket of every axis.
        let width = LINE_WIDTH - self.shape.len() as isize;
        let (mut text, mut line) = (String::new(), indent.clone());
        for word in row {
            let started = line.len() > indent.len();
            if started && (line.len() + word.len()) as isize > width {
                text += line.trim_end();
                text += "\n";
                line.clone_from(&indent);
            }
            line += &word;
            line += " ";
        }
        line.pop();
        text += &line;
        text.split_off(indent.len())
    }
}

/// What stands to the left of an array from `axis` on: a space for every bracket that is open.
fn indent(axis: usize) -> String {
    " ".repeat(axis + 1)
}
