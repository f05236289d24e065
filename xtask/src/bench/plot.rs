//! The two pictures of the page: how each class of the host's tables does, and what size does to cost.

use serde_json::Value;

use super::data::{self, Row, list, mean, text};
use super::svg::{Anchor, Axis, Svg};

const INK: &str = "#333333";
const FAINT: &str = "#dddddd";
const WEFT: &str = "#0b63a5";
const OTHER: &str = "#d9730d";

/// The geometric means of each class: weft on one and two threads, the best of the others on one, and the target for one.
pub(super) fn classes(host: &Value) -> String {
    let rows = data::rows(host, false);
    let classes: Vec<&[Row]> = rows.chunk_by(|a, b| a.class == b.class).collect();
    let (left, step) = (250.0, 20.0);
    let bottom = 56.0 + step * classes.len() as f64;
    let axis = Axis { low: 0.02, high: 6.0, from: left, to: 780.0 };
    let mut svg = Svg::new(800.0, bottom + 24.0, "Times of memcpy, by class");
    let legend = [
        (250.0, WEFT, true, "weft, 1 thread"),
        (370.0, WEFT, false, "2 threads"),
        (470.0, OTHER, true, "the best of the others, 1 thread"),
    ];
    for (x, color, filled, words) in legend {
        svg.dot((x + 6.0, 16.0), color, filled);
        svg.words((x + 16.0, 20.0), Anchor::Start, INK, words);
    }
    svg.line((690.0, 10.0), (690.0, 22.0), INK, 2.0);
    svg.words((698.0, 20.0), Anchor::Start, INK, "target, 1 thread");
    for tick in [0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0] {
        let x = axis.at(tick);
        svg.line((x, 34.0), (x, bottom - 8.0), if tick == 1.0 { INK } else { FAINT }, 1.0);
        svg.words((x, bottom + 8.0), Anchor::Middle, INK, &tick.to_string());
    }
    svg.words((left - 24.0, bottom + 8.0), Anchor::End, INK, "times of memcpy");
    for (at, class) in classes.iter().enumerate() {
        let y = 46.0 + step * at as f64;
        svg.line((left, y), (axis.to, y), FAINT, 1.0);
        svg.words((left - 10.0, y + 4.0), Anchor::End, INK, &class[0].class);
        let over = |of: &dyn Fn(&Row) -> Vec<f64>| {
            let values: Vec<f64> = class.iter().flat_map(of).collect();
            (!values.is_empty()).then(|| mean(&values))
        };
        if let Some(target) = over(&|row| row.by_threads[0].targets.clone()) {
            svg.line((axis.at(target), y - 7.0), (axis.at(target), y + 7.0), INK, 2.0);
        }
        let other = |row: &Row| row.by_threads[0].best.clone().map(|(_, ratios)| ratios).unwrap_or_default();
        let dots = [
            (over(&other), OTHER, true),
            (over(&|row| row.by_threads[1].weft.clone()), WEFT, false),
            (over(&|row| row.by_threads[0].weft.clone()), WEFT, true),
        ];
        for (value, color, filled) in dots {
            if let Some(value) = value {
                svg.dot((axis.at(value), y), color, filled);
            }
        }
    }
    svg.finish()
}

const OPERATIONS: [(&str, &str); 5] =
    [("copy", WEFT), ("transpose", OTHER), ("flip", "#2f8f4e"), ("broadcast", "#8a4fae"), ("sum", "#b3272d")];

/// Bytes a second against bytes, for each number of threads that was measured.
pub(super) fn sizes(sweep: &Value) -> String {
    let threads: Vec<u64> = list(&sweep["threads"]).filter_map(Value::as_u64).collect();
    let mut svg = Svg::new(800.0, 380.0, "Gigabytes a second against the size of the result");
    let width = 700.0 / threads.len().max(1) as f64;
    for (panel, n) in threads.iter().enumerate() {
        let from = 70.0 + panel as f64 * (width + 15.0);
        let x = Axis { low: 1024.0, high: (1 << 30) as f64, from, to: from + width - 15.0 };
        let y = Axis { low: 0.5, high: 200.0, from: 320.0, to: 50.0 };
        svg.words(
            ((x.from + x.to) / 2.0, 44.0),
            Anchor::Middle,
            INK,
            if *n == 1 { "one thread" } else { "two threads" },
        );
        for tick in [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0] {
            svg.line((x.from, y.at(tick)), (x.to, y.at(tick)), FAINT, 1.0);
            if panel == 0 {
                svg.words((x.from - 8.0, y.at(tick) + 4.0), Anchor::End, INK, &tick.to_string());
            }
        }
        for (bits, name) in [(10, "1 KiB"), (15, "32"), (20, "1 MiB"), (25, "32"), (30, "1 GiB")] {
            let at = x.at((1u64 << bits) as f64);
            svg.line((at, y.from), (at, y.to), FAINT, 1.0);
            let anchor = if bits == 30 { Anchor::End } else { Anchor::Middle };
            svg.words((at, y.from + 18.0), anchor, INK, name);
        }
        let points = |name: &str, value: &dyn Fn(&Value) -> Option<f64>| -> Vec<(f64, f64)> {
            let rows = list(&sweep["rows"]).filter(|row| text(&row["name"]) == name);
            rows.filter_map(|row| Some((x.at(row["bytes"].as_f64()?), y.at(value(row)?)))).collect()
        };
        svg.path(&points("copy", &|row| row["memcpy"].as_f64()), "#999999", true);
        for (name, color) in OPERATIONS {
            svg.path(&points(name, &|row| row["weft"][panel].as_f64()), color, false);
        }
    }
    for (at, (name, color)) in OPERATIONS.into_iter().chain([("memcpy, 1 thread", "#999999")]).enumerate() {
        let x = 70.0 + 110.0 * at as f64;
        svg.line((x, 366.0), (x + 22.0, 366.0), color, 3.0);
        svg.words((x + 28.0, 370.0), Anchor::Start, INK, name);
    }
    svg.words((70.0, 20.0), Anchor::Start, INK, "GB/s, read and written, against the size of the result");
    svg.finish()
}
