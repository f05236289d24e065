//! What was measured, as it is committed: `docs/benchmarks/*.json`. Every figure on the page comes from here.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::process::root;

pub(super) fn folder() -> PathBuf {
    root().join("docs/benchmarks")
}

/// One of the files; `Null`, which has no rows, where nobody has recorded it yet.
pub(super) fn load(name: &str) -> Result<Value, String> {
    let path = folder().join(format!("{name}.json"));
    match fs::read_to_string(&path) {
        Ok(text) => serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display())),
        Err(_) => Ok(Value::Null),
    }
}

pub(super) fn store(name: &str, value: &Value) -> Result<(), String> {
    let path = folder().join(format!("{name}.json"));
    fs::create_dir_all(folder())
        .and_then(|()| fs::write(&path, format!("{value:#}\n")))
        .map_err(|e| format!("{}: {e}", path.display()))
}

/// A case of the host's tables, over the runs.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) class: String,
    pub(super) name: String,
    pub(super) bytes: f64,
    /// With one thread and with two.
    pub(super) by_threads: [Side; 2],
}

/// One number of threads.
#[derive(Clone, Debug, Default)]
pub(super) struct Side {
    /// Times of memcpy, one for each run.
    pub(super) weft: Vec<f64>,
    pub(super) targets: Vec<f64>,
    /// The fastest of the others, over all runs.
    pub(super) best: Option<(String, Vec<f64>)>,
}

impl Side {
    /// Whether a run stays below its target.
    pub(super) fn is_short(&self) -> bool {
        self.weft.iter().zip(&self.targets).any(|(weft, target)| weft < target)
    }

    /// Whether it is slower than the best of the others, in the mean of the runs.
    pub(super) fn is_behind(&self) -> bool {
        self.best.as_ref().is_some_and(|(_, best)| mean(&self.weft) < mean(best))
    }
}

/// The cases, or what was drawn near them, in the order of the first run.
pub(super) fn rows(host: &Value, variants: bool) -> Vec<Row> {
    let runs: Vec<&Value> = list(&host["runs"]).collect();
    let mut rows: Vec<Row> = Vec::new();
    for row in runs.iter().flat_map(|run| list(&run["rows"])).filter(|row| row["variant"] == variants) {
        let known = |known: &&Row| row["class"] == known.class && row["name"] == known.name;
        if rows.iter().find(known).is_none() {
            let same = |other: &&Value| other["class"] == row["class"] && other["name"] == row["name"];
            let each: Vec<&Value> = runs.iter().filter_map(|run| list(&run["rows"]).find(same)).collect();
            rows.push(Row {
                class: text(&row["class"]),
                name: text(&row["name"]),
                bytes: row["bytes"].as_f64().unwrap_or(0.0),
                by_threads: [1, 2].map(|threads| side(&each, threads)),
            });
        }
    }
    rows
}

fn side(runs: &[&Value], threads: usize) -> Side {
    let ratio = |run: &Value, name: &str, threads: usize| {
        let mut times = list(&run["times"]);
        times.find(|time| time["name"] == name && time["threads"] == threads).and_then(|time| time["ratio"].as_f64())
    };
    let mut side = Side {
        weft: runs.iter().filter_map(|run| ratio(run, "weft", threads)).collect(),
        targets: runs.iter().filter_map(|run| run["targets"][threads - 1].as_f64()).collect(),
        best: None,
    };
    for time in runs.first().into_iter().flat_map(|run| list(&run["times"])) {
        let (name, with) = (text(&time["name"]), time["threads"].as_u64().unwrap_or(1) as usize);
        if with <= threads && name != "weft" && name != "prepared" {
            let ratios: Vec<f64> = runs.iter().filter_map(|run| ratio(run, &name, with)).collect();
            if side.best.as_ref().is_none_or(|(_, best)| mean(&ratios) > mean(best)) {
                side.best = Some((name, ratios));
            }
        }
    }
    side
}

/// The geometric mean.
pub(super) fn mean(values: &[f64]) -> f64 {
    let logs: f64 = values.iter().map(|value| value.ln()).sum();
    (logs / values.len() as f64).exp()
}

pub(super) fn list(json: &Value) -> impl Iterator<Item = &Value> {
    json.as_array().into_iter().flatten()
}

pub(super) fn text(json: &Value) -> String {
    json.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn run(weft: f64, other: f64) -> Value {
        let times = json!([
            { "name": "weft", "threads": 1, "ratio": weft },
            { "name": "slow", "threads": 1, "ratio": other / 2.0 },
            { "name": "fast", "threads": 1, "ratio": other },
            { "name": "fast", "threads": 2, "ratio": other * 2.0 },
        ]);
        let row =
            json!({ "class": "c", "name": "n", "variant": false, "bytes": 4, "targets": [0.5, null], "times": times });
        json!({ "rows": [row] })
    }

    #[test]
    fn runs_stand_side_by_side() {
        let rows = rows(&json!({ "runs": [run(0.6, 0.4), run(0.4, 0.4)] }), false);
        let [one, two] = &rows[0].by_threads;
        assert_eq!((rows.len(), &one.weft[..], &one.targets[..]), (1, &[0.6, 0.4][..], &[0.5, 0.5][..]));
        assert_eq!(one.best, Some(("fast".into(), vec![0.4, 0.4])));
        assert_eq!((two.weft.len(), two.best.clone()), (0, Some(("fast".into(), vec![0.8, 0.8]))));
        assert_eq!((one.is_short(), one.is_behind(), two.is_short()), (true, false, false));
    }
}
