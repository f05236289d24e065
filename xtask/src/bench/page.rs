//! `docs/benchmarks.md`: the tables between its markers, and the pictures beside it, made from what is recorded.

use core::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use super::data::{self, Row, Side, text};
use super::plot;
use crate::process::root;

const PAGE: &str = "docs/benchmarks.md";

/// Writes the page and its pictures anew; what stands outside of the markers is kept.
pub(crate) fn write() -> Result<(), String> {
    for (path, text) in rendered()? {
        fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(())
}

/// The files as they must be.
fn rendered() -> Result<Vec<(PathBuf, String)>, String> {
    let [host, sweep, metadata] = ["host", "sweep", "metadata"].map(data::load);
    let (host, sweep, metadata) = (host?, sweep?, metadata?);
    let page = fs::read_to_string(root().join(PAGE)).map_err(|e| format!("{PAGE}: {e}"))?;
    let blocks = [
        ("machine", machine(&host)),
        ("host", host_table(&data::rows(&host, false))),
        ("short", short(&data::rows(&host, false))),
        ("near", near_table(&data::rows(&host, true))),
        ("metadata", metadata_table(&metadata)),
        ("simulator", simulator_table(&metadata)),
    ];
    let page = blocks.iter().try_fold(page, |page, (name, block)| replaced(&page, name, block))?;
    Ok(vec![
        (root().join(PAGE), page),
        (data::folder().join("classes.svg"), plot::classes(&host)),
        (data::folder().join("sizes.svg"), plot::sizes(&sweep)),
    ])
}

/// The page with another text between `<!-- name -->` and `<!-- end name -->`.
fn replaced(page: &str, name: &str, block: &str) -> Result<String, String> {
    let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- end {name} -->\n"));
    let missing = || format!("{PAGE}: the markers of `{name}` are missing");
    let (before, rest) = page.split_once(&begin).ok_or_else(missing)?;
    let (_, after) = rest.split_once(&end).ok_or_else(missing)?;
    Ok(format!("{before}{begin}{block}{end}{after}"))
}

fn machine(recorded: &Value) -> String {
    let mut line = String::new();
    for (name, value) in recorded["machine"].as_object().into_iter().flatten() {
        let _ = writeln!(line, "* {name}: {}", text(value));
    }
    for (name, version) in recorded["runs"][0]["python"].as_object().into_iter().flatten() {
        let _ = writeln!(line, "* {name}: {}", version.as_str().unwrap_or("not there"));
    }
    line
}

fn host_table(rows: &[Row]) -> String {
    let mut table = String::from(
        "| times of memcpy | MiB | weft, 1 thread | target | the best of the others | weft, 2 threads | target | the best of the others |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    for class in rows.chunk_by(|a, b| a.class == b.class) {
        let _ = writeln!(table, "| *{}* | | | | | | | |", class[0].class);
        for row in class {
            let [one, two] = row.by_threads.each_ref().map(cells);
            let _ = writeln!(table, "| {} | {} |{one}|{two}|", row.name, mebibytes(row.bytes));
        }
    }
    table
}

/// What weft reaches, its target, and the best of the others: bold where a target is missed, or where somebody else is faster.
fn cells(side: &Side) -> String {
    let bold = |text: String, is: bool| if is { format!("**{text}**") } else { text };
    let best = side.best.as_ref().filter(|_| !side.weft.is_empty());
    format!(
        " {} | {} | {} ",
        bold(numbers(&side.weft), side.is_short()),
        numbers(&side.targets),
        best.map_or("–".into(), |(name, ratios)| bold(format!("{name} {}", numbers(ratios)), side.is_behind()))
    )
}

fn near_table(rows: &[Row]) -> String {
    let mut table = String::from(
        "| drawn at random | MiB | weft, 1 thread | target | weft, 2 threads | target |\n|---|---|---|---|---|---|\n",
    );
    for row in rows {
        let [one, two] = row.by_threads.each_ref().map(|side| {
            let cell = numbers(&side.weft);
            let cell = if side.is_short() { format!("**{cell}**") } else { cell };
            format!(" {cell} | {} ", numbers(&side.targets))
        });
        let _ = writeln!(table, "| {} | {} |{one}|{two}|", row.name, mebibytes(row.bytes));
    }
    table
}

/// What misses its target, or is slower than another library, in words.
fn short(rows: &[Row]) -> String {
    let mut text = String::new();
    for (threads, at) in [("one thread", 0), ("two threads", 1)] {
        let sides = || rows.iter().map(|row| (row, &row.by_threads[at])).filter(|(_, side)| !side.weft.is_empty());
        let with_target = || sides().filter(|(_, side)| !side.targets.is_empty());
        let missed: Vec<String> = with_target().filter(|(_, side)| side.is_short()).map(named).collect();
        let behind: Vec<String> = sides().filter(|(_, side)| side.is_behind()).map(named).collect();
        let _ = writeln!(
            text,
            "* With {threads}, {} of {} rows reach their targets. Short of them: {}.",
            with_target().count() - missed.len(),
            with_target().count(),
            listed(&missed)
        );
        let _ = writeln!(text, "* Slower than the best of the others with {threads}: {}.", listed(&behind));
    }
    text
}

fn named((row, side): (&Row, &Side)) -> String {
    let in_class = match row.class.split_once(", ") {
        Some(("to_contiguous", memory)) => format!(" into {memory}"),
        _ => String::new(),
    };
    format!("{}{in_class} ({})", row.name, numbers(&side.weft))
}

fn listed(rows: &[String]) -> String {
    if rows.is_empty() { "none".into() } else { rows.join("; ") }
}

/// One number where the runs agree in what is printed.
fn numbers(values: &[f64]) -> String {
    let mut texts: Vec<String> = values.iter().map(|value| format!("{value:.2}")).collect();
    texts.dedup();
    if texts.is_empty() { "–".into() } else { texts.join(" / ") }
}

fn mebibytes(bytes: f64) -> String {
    let mebibytes = bytes / f64::from(1 << 20);
    if mebibytes < 10.0 { format!("{mebibytes:.2}") } else { format!("{mebibytes:.0}") }
}

/// A row of metadata: what it is, the benchmarks of weft, of ndarray with a fixed and a dynamic rank and of candle, and the target.
type Metadata = (&'static str, [&'static str; 4], &'static str);

const METADATA: [Metadata; 21] = [
    (
        "create from an array",
        ["create/weft/array", "create/ndarray/Ix4", "create/ndarray/IxDyn", "create/candle"],
        "12",
    ),
    ("create from a slice", ["create/weft/slice", "", "", ""], "12"),
    ("permute", ["permute/weft/permute", "permute/ndarray/Ix4", "permute/ndarray/IxDyn", ""], "10"),
    ("transpose", ["permute/weft/transpose", "", "", "permute/candle"], "10"),
    ("slice one axis", ["slice/weft/narrow", "slice/ndarray/Ix4", "slice/ndarray/IxDyn", "slice/candle"], "20"),
    ("slice four axes, `s![]`", ["slice/weft/slice4", "", "", ""], "–"),
    ("broadcast", ["broadcast/weft", "broadcast/ndarray/Ix4", "broadcast/ndarray/IxDyn", "broadcast/candle"], "10"),
    ("reshape: a view", ["reshape/weft/view", "reshape/ndarray/Ix4", "reshape/ndarray/IxDyn", ""], "12"),
    ("reshape: refused", ["reshape/weft/refused", "reshape/ndarray/refused", "", ""], "10"),
    (
        "is it contiguous?",
        [
            "facts/weft/is_contiguous",
            "facts/ndarray/Ix4/is_standard_layout",
            "facts/ndarray/IxDyn/is_standard_layout",
            "facts/candle/is_contiguous",
        ],
        "4.5",
    ),
    ("clone", ["facts/weft/clone", "", "", ""], "–"),
    (
        "index to offset, checked, in a loop",
        ["lookup/weft/offset_of", "lookup/ndarray/Ix4/get", "lookup/ndarray/IxDyn/get", ""],
        "2.5",
    ),
    ("unravel a linear index", ["lookup/weft/coords_of_linear", "", "", ""], "6.5"),
    ("linear index to offset", ["lookup/weft/offset_of_linear", "", "", ""], "–"),
    ("unravel through dividers, 32 bits", ["lookup/weft/dividers32", "", "", ""], "3"),
    ("the same, 64 bits", ["lookup/weft/dividers64", "", "", ""], "3"),
    ("plan of two operands", ["plan/weft/two operands", "", "", ""], "150"),
    ("plan of three operands", ["plan/weft/three operands", "", "", ""], "–"),
    ("each offset, inner axis contiguous", ["walk/weft/rows", "walk/ndarray/rows", "", ""], "0.1"),
    ("each offset, inner axis not contiguous", ["walk/weft/cols", "walk/ndarray/cols", "", ""], "1.0"),
    ("the same, by `next`", ["walk/weft/cols/next", "", "", ""], "–"),
];

fn metadata_table(recorded: &Value) -> String {
    let mut table = String::from(
        "| nanoseconds | weft | ndarray, fixed rank | ndarray, dynamic | candle | target |\n|---|---|---|---|---|---|\n",
    );
    for (name, benchmarks, target) in METADATA {
        let [weft, fixed, dynamic, candle] = benchmarks.map(|id| recorded["nanoseconds"][id].as_f64());
        let is_short = weft.zip(target.parse().ok()).is_some_and(|(weft, target): (f64, f64)| weft > target);
        let weft = if is_short { format!("**{}**", time(weft)) } else { time(weft) };
        let (fixed, dynamic, candle) = (time(fixed), time(dynamic), time(candle));
        let _ = writeln!(table, "| {name} | {weft} | {fixed} | {dynamic} | {candle} | {target} |");
    }
    table
}

fn time(nanoseconds: Option<f64>) -> String {
    match nanoseconds {
        None => "–".into(),
        Some(time) if time < 1.0 => format!("{time:.3}"),
        Some(time) if time < 100.0 => format!("{time:.1}"),
        Some(time) => format!("{time:.0}"),
    }
}

fn simulator_table(recorded: &Value) -> String {
    let mut table = String::from(
        "| kernel | bounds | and unwritten memory | everything: races too, in shuffled order |\n|---|---|---|---|\n",
    );
    let kernels =
        [("copy", "a copy"), ("transpose", "a transpose through shared memory"), ("arithmetic", "arithmetic alone")];
    for (kernel, name) in kernels {
        let _ = write!(table, "| {name}");
        for checks in ["bounds", "unwritten", "everything"] {
            let nanoseconds = recorded["nanoseconds"][format!("simulator/{kernel}/{checks}")].as_f64();
            let _ = write!(table, " | {}", nanoseconds.map_or("–".into(), |ns| format!("{:.0}", 1e3 / ns)));
        }
        table.push_str(" |\n");
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_and_its_pictures_are_those_of_the_data() {
        for (path, text) in rendered().unwrap() {
            let committed = fs::read_to_string(&path).unwrap_or_default();
            assert_eq!(committed, text, "{}: run `cargo xtask bench page`", path.display());
        }
    }

    #[test]
    fn only_what_stands_between_the_markers_changes() {
        let page = "a\n<!-- x -->\nold\n<!-- end x -->\nb\n";
        assert_eq!(replaced(page, "x", "new\n").unwrap(), "a\n<!-- x -->\nnew\n<!-- end x -->\nb\n");
        assert!(replaced(page, "y", "").unwrap_err().contains("markers of `y`"));
    }

    #[test]
    fn both_runs_are_shown_where_they_differ() {
        assert_eq!([numbers(&[0.5, 0.501]), numbers(&[0.5, 0.6]), numbers(&[])], ["0.50", "0.50 / 0.60", "–"]);
    }

    #[test]
    fn something_is_recorded() {
        assert!(data::rows(&data::load("host").unwrap(), false).len() > 40);
    }
}
