//! What was measured, as lines for a person and as values for a file.

use serde_json::{Value, json};

use crate::cases::{Case, Target};
use crate::rounds::Time;

/// A row that was measured.
pub(crate) struct Row {
    pub(crate) case: Case,
    pub(crate) is_variant: bool,
    pub(crate) times: Vec<Time>,
}

impl Row {
    fn of(&self, name: &str, threads: usize) -> Option<&Time> {
        self.times.iter().find(|time| time.name == name && time.threads == threads)
    }

    pub(crate) fn weft(&self, threads: usize) -> Option<f64> {
        self.of("weft", threads).map(|time| time.ratio)
    }

    /// What the row is to reach with that many threads.
    pub(crate) fn target(&self, threads: usize) -> Option<f64> {
        match self.case.target {
            Target::Floor(one, two) => [one, two].get(threads - 1).copied().flatten(),
            Target::OfPrepared(part) => self.of("prepared", threads).map(|time| time.ratio * part),
        }
    }

    /// The fastest of the others with at most that many threads.
    pub(crate) fn best(&self, threads: usize) -> Option<&Time> {
        let others = self.times.iter().filter(|time| !matches!(time.name, "memcpy" | "weft" | "prepared"));
        others.filter(|time| time.threads <= threads).max_by(|a, b| a.ratio.total_cmp(&b.ratio))
    }

    pub(crate) fn to_json(&self) -> Value {
        let targets: Vec<Option<f64>> = [1, 2].map(|n| self.target(n).map(round)).to_vec();
        let times = self.times.iter().filter(|time| time.name != "memcpy");
        let times = times.map(|t| json!({ "name": t.name, "threads": t.threads, "ratio": round(t.ratio) }));
        json!({
            "class": self.case.class,
            "name": self.case.name,
            "variant": self.is_variant,
            "type": self.case.dtype.name(),
            "bytes": self.case.bytes(),
            "memcpy_ms": round(self.times[0].seconds * 1e3),
            "targets": targets,
            "times": times.collect::<Vec<_>>(),
        })
    }
}

/// Four digits: more is noise.
pub(crate) fn round(value: f64) -> f64 {
    let scale = 10f64.powi(3 - value.abs().max(1e-9).log10().floor() as i32);
    (value * scale).round() / scale
}

pub(crate) fn head(threads: &[usize]) -> String {
    let mut line =
        format!("{:<58} {:>6} {:>6}", "x memcpy (\"!\": below the target; \"<\": below a peer)", "MiB", "GB/s");
    for n in threads {
        line += &format!("   {:>9} {:>6}   {:<17}", format!("weft {n}t"), "target", "best peer");
    }
    line
}

pub(crate) fn line(row: &Row, threads: &[usize]) -> String {
    let (bytes, memcpy) = (row.case.bytes() as f64, row.times[0].seconds);
    let mut line = format!("  {:<56} {:>6.1} {:>6.1}", row.case.name, bytes / 1048576.0, 2e-9 * bytes / memcpy);
    for &n in threads {
        let (weft, target, best) = (row.weft(n), row.target(n), row.best(n));
        let short = |than: Option<f64>| weft.zip(than).is_some_and(|(weft, than)| weft < than);
        let mark = if short(target) { "!" } else { "" };
        let behind = if short(best.map(|best| best.ratio)) { "<" } else { "" };
        let best = best.map(|best| format!("{:.2} {}", best.ratio, best.name)).unwrap_or_default();
        line += &format!("   {:>7}{mark:<1}{behind:<1} {:>6}   {best:<17}", number(weft), number(target));
    }
    line
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(|| "-".into(), |value| format!("{value:.2}"))
}

/// The geometric mean of weft over a class, and of weft by the best peer.
pub(crate) fn means(rows: &[&Row], threads: &[usize]) -> String {
    let mut line = format!("  {:<70}", "geometric mean; by the best peer (at least 1.1)");
    for &n in threads {
        let by_peer = |row: &&Row| Some(row.weft(n)? / row.best(n)?.ratio);
        let weft = geometric(rows.iter().filter_map(|row| row.weft(n)));
        let peer = geometric(rows.iter().filter_map(by_peer));
        let mark = if peer.is_some_and(|peer| peer < 1.1) { "<" } else { "" };
        line += &format!("   {:>7}            {:>5}{mark:<1}            ", number(weft), number(peer));
    }
    line
}

pub(crate) fn geometric(values: impl Iterator<Item = f64>) -> Option<f64> {
    let logs: Vec<f64> = values.map(f64::ln).collect();
    (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
}

/// How many rows fall short, in words.
pub(crate) fn verdict(rows: &[Row], threads: &[usize]) -> String {
    let mut text = String::new();
    for &n in threads {
        let judged = rows.iter().filter_map(|row| Some((row.weft(n)?, row.target(n)?)));
        let (met, missed): (Vec<_>, Vec<_>) = judged.partition(|(weft, target)| weft >= target);
        let compared = rows.iter().filter_map(|row| Some((row.weft(n)?, row.best(n)?.ratio)));
        let (ahead, behind): (Vec<_>, Vec<_>) = compared.partition(|(weft, best)| weft >= best);
        text += &format!(
            "{n} thread(s): {} of {} rows reach their targets, {} of {} are at least as fast as the best peer\n",
            met.len(),
            met.len() + missed.len(),
            ahead.len(),
            ahead.len() + behind.len(),
        );
    }
    text
}
