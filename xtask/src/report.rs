//! Runs the steps of `cargo xtask test` one after another, prints each with its time, and adds up what they found.

use core::time::Duration;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use crate::{libtest, process};

/// How many lines of a failed step's log are printed; the file has them all.
const SHOWN_LINES: usize = 100;

/// What a step, or all of them, found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    /// One line a skipped test: its name and the reason.
    pub(crate) skips: Vec<String>,
}

impl Tally {
    pub(crate) fn one(passed: bool) -> Tally {
        Tally { passed: passed.into(), failed: (!passed).into(), skips: Vec::new() }
    }

    fn summary(&self) -> String {
        format!("{} passed, {} failed, {} skipped", self.passed, self.failed, self.skips.len())
    }
}

/// The steps that have run so far.
pub(crate) struct Report {
    /// Where logs go, and the files that tests write for us.
    folder: PathBuf,
    total: Tally,
    failed_steps: Vec<String>,
    times: Vec<(Duration, String)>,
    started: Instant,
}

impl Report {
    /// Starts with an empty folder for logs.
    pub(crate) fn new(folder: PathBuf) -> Result<Report, String> {
        let logs = folder.join("logs");
        if logs.exists() {
            std::fs::remove_dir_all(&logs).map_err(|e| format!("{}: {e}", logs.display()))?;
        }
        std::fs::create_dir_all(&logs).map_err(|e| format!("{}: {e}", logs.display()))?;
        let (total, failed_steps, times) = (Tally::default(), Vec::new(), Vec::new());
        Ok(Report { folder, total, failed_steps, times, started: Instant::now() })
    }

    /// A step that runs one command and counts as one test.
    pub(crate) fn command(&mut self, name: &str, command: &mut Command) {
        let log = self.log(name);
        self.step(name, || {
            let (succeeded, text) = process::logged(command, &log)?;
            Ok((Tally::one(succeeded), text))
        });
    }

    /// A step that runs `cargo test` and counts the tests in it.
    pub(crate) fn tests(&mut self, name: &str, command: &mut Command) {
        let log = self.log(name);
        let skip_file = log.with_extension("skips");
        self.step(name, || {
            let (succeeded, text) = process::logged(command.env("WEFT_SKIP_FILE", &skip_file), &log)?;
            let mut tally = libtest::count(&text, succeeded);
            libtest::subtract_skips(&mut tally, &std::fs::read_to_string(&skip_file).unwrap_or_default());
            Ok((tally, text))
        });
    }

    /// A step that is a function of ours and counts as one test; what it returns as error is what it prints.
    pub(crate) fn check(&mut self, name: &str, check: impl FnOnce() -> Result<(), String>) {
        self.step(name, || {
            let found = check();
            Ok((Tally::one(found.is_ok()), found.err().unwrap_or_default()))
        });
    }

    /// A step that cannot be judged, and why.
    pub(crate) fn skip(&mut self, name: &str, reason: &str) {
        self.step(name, || Ok((Tally { skips: vec![format!("{name}: {reason}")], ..Tally::default() }, String::new())));
    }

    /// How many failures there were until now.
    pub(crate) fn failures(&self) -> usize {
        self.total.failed
    }

    /// Prints the slowest steps, the reasons of skips, the steps that failed, and last of all the one line of totals.
    pub(crate) fn finish(mut self) -> bool {
        self.times.sort_by(|a, b| b.cmp(a));
        println!("\n{} steps in {}; the slowest:", self.times.len(), seconds(self.started.elapsed()));
        for (time, name) in self.times.iter().take(5) {
            println!("  {:>8}  {name}", seconds(*time));
        }
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        for skip in &self.total.skips {
            *reasons.entry(skip).or_default() += 1;
        }
        for (reason, times) in reasons {
            println!("skipped{}: {reason}", if times > 1 { format!(" {times} times") } else { String::new() });
        }
        for name in &self.failed_steps {
            println!("failed: {name}");
        }
        println!("{}", self.total.summary());
        self.total.failed == 0
    }

    fn log(&self, name: &str) -> PathBuf {
        let file: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        self.folder.join("logs").join(format!("{:02}-{file}.log", self.times.len() + 1))
    }

    fn step(&mut self, name: &str, run: impl FnOnce() -> Result<(Tally, String), String>) {
        print!("{name} ... ");
        // The line is only for the person who waits; that it cannot be flushed changes nothing.
        let _ = std::io::stdout().flush();
        let started = Instant::now();
        let (tally, text) = run().unwrap_or_else(|why| (Tally::one(false), why));
        let time = started.elapsed();
        let word = match (tally.failed, tally.passed, tally.skips.is_empty()) {
            (0, 0, false) => "skipped",
            (0, ..) => "ok",
            _ => "FAILED",
        };
        let counts = if tally == Tally::one(true) { String::new() } else { format!(" ({})", tally.summary()) };
        println!("{word}{counts} {}", seconds(time));
        if tally.failed > 0 {
            print_tail(&text);
            self.failed_steps.push(name.to_owned());
        }
        self.total.passed += tally.passed;
        self.total.failed += tally.failed;
        self.total.skips.extend(tally.skips);
        self.times.push((time, name.to_owned()));
    }
}

fn print_tail(text: &str) {
    let lines: Vec<&str> = text.lines().collect();
    let hidden = lines.len().saturating_sub(SHOWN_LINES);
    if hidden > 0 {
        println!("    ({hidden} lines more in target/xtask/logs)");
    }
    for line in &lines[hidden..] {
        println!("    {line}");
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_runs_and_one_failure_fails_the_whole() {
        let folder = std::env::temp_dir().join(format!("weft-report-{}", std::process::id()));
        let mut report = Report::new(folder.clone()).unwrap();
        report.check("bad", || Err("because".into()));
        report.check("good", || Ok(()));
        report.skip("third", "no reason");
        assert_eq!((report.total.passed, report.total.failed, report.total.skips.len()), (1, 1, 1));
        assert_eq!(report.failed_steps, ["bad"]);
        assert!(!report.finish());
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_command_that_cannot_start_is_a_failure() {
        let folder = std::env::temp_dir().join(format!("weft-report-start-{}", std::process::id()));
        let mut report = Report::new(folder.clone()).unwrap();
        report.command("nothing", &mut Command::new("weft-no-such-program"));
        assert_eq!(report.total.failed, 1);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
