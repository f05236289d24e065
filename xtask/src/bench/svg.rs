//! A picture of lines, dots and words, as SVG text: the same text every time from the same calls.

use core::fmt::Write as _;

/// What stands beside a point that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

pub(super) struct Svg {
    text: String,
}

impl Svg {
    /// A white picture of that size, with a title for who cannot see it.
    pub(super) fn new(width: f64, height: f64, title: &str) -> Svg {
        let mut text = String::new();
        let _ = writeln!(
            text,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
             font-family=\"sans-serif\" font-size=\"12\" role=\"img\">\n<title>{}</title>\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>",
            escaped(title)
        );
        Svg { text }
    }

    pub(super) fn line(&mut self, (x, y): (f64, f64), (to_x, to_y): (f64, f64), color: &str, width: f64) {
        let _ = writeln!(
            self.text,
            "<line x1=\"{x:.1}\" y1=\"{y:.1}\" x2=\"{to_x:.1}\" y2=\"{to_y:.1}\" stroke=\"{color}\" stroke-width=\"{width}\"/>"
        );
    }

    pub(super) fn path(&mut self, points: &[(f64, f64)], color: &str, dashed: bool) {
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let dashes = if dashed { " stroke-dasharray=\"5 4\"" } else { "" };
        let _ = writeln!(
            self.text,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"{dashes}/>",
            points.join(" ")
        );
    }

    /// A disc, or a ring where it is not filled.
    pub(super) fn dot(&mut self, (x, y): (f64, f64), color: &str, filled: bool) {
        let fill = if filled { color } else { "white" };
        let _ = writeln!(
            self.text,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{fill}\" stroke=\"{color}\" stroke-width=\"2\"/>"
        );
    }

    pub(super) fn words(&mut self, (x, y): (f64, f64), anchor: Anchor, color: &str, words: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let words = escaped(words);
        let _ = writeln!(
            self.text,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{color}\">{words}</text>"
        );
    }

    pub(super) fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }
}

/// A logarithmic axis: values from `low` to `high` on pixels from `from` to `to`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) from: f64,
    pub(super) to: f64,
}

impl Axis {
    /// The pixel of a value; what lies outside lies on the edge.
    pub(super) fn at(self, value: f64) -> f64 {
        let part = (value.clamp(self.low, self.high) / self.low).ln() / (self.high / self.low).ln();
        self.from + part * (self.to - self.from)
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_has_its_ends_and_its_middle() {
        let axis = Axis { low: 0.1, high: 10.0, from: 100.0, to: 300.0 };
        assert_eq!([0.01, 0.1, 1.0, 10.0].map(|v| axis.at(v).round()), [100.0, 100.0, 200.0, 300.0]);
    }

    #[test]
    fn words_cannot_break_the_picture() {
        let mut svg = Svg::new(10.0, 10.0, "a<b");
        svg.words((1.0, 2.0), Anchor::End, "black", "x & y");
        let text = svg.finish();
        assert!(text.contains("<title>a&lt;b</title>") && text.contains(">x &amp; y</text>"), "{text}");
    }
}
