//! `cargo xtask instructions`: how many instructions planning and six copies take, counted by valgrind and compared with what is committed.
//!
//! Times tell nothing on a machine that others use; counts are the same every time. valgrind is called directly: the crates that wrap
//! callgrind need a runner program of exactly their version, installed apart from cargo's dependencies.

use core::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::Outcome;
use crate::metadata::Workspace;
use crate::process::{cargo, output, root};

const MANIFEST: &str = "benches/Cargo.toml";

/// What is committed: a case, an instruction set, a count and how far it may be exceeded.
const EXPECTED: &str = "benches/instructions.txt";

const SETS: [&str; 2] = ["portable", "avx2"];

/// In percent, for a case that is new. The library's memcpy, which a copy may call, is another one on another CPU.
const TOLERANCE: u64 = 3;

#[derive(Clone, Debug, PartialEq, Eq)]
struct Count {
    case: String,
    set: String,
    instructions: u64,
    tolerance: u64,
}

/// Counts and compares; with `update`, writes what it counted instead.
pub(crate) fn run(update: bool) -> Outcome {
    output(Command::new("valgrind").arg("--version"))
        .map_err(|why| format!("instructions: valgrind is needed, which counts them: {}", why.trim()))?;
    let target = Workspace::load()?.target;
    let program = build(&target)?;
    let expected = parse(&fs::read_to_string(root().join(EXPECTED)).unwrap_or_default())?;
    let mut counted = Vec::new();
    for case in output(Command::new(&program).arg("--list"))?.lines() {
        for set in SETS {
            let before = expected.iter().find(|count| count.case == case && count.set == set);
            match count(&program, &target, case, set)? {
                None => println!("{case}, {set}: not on this CPU, not counted"),
                Some(instructions) => {
                    let tolerance = before.map_or(TOLERANCE, |before| before.tolerance);
                    let count = Count { case: case.into(), set: set.into(), instructions, tolerance };
                    println!("{}", compared(&count, before));
                    counted.push(count);
                }
            }
        }
    }
    if update {
        fs::write(root().join(EXPECTED), written(&counted)).map_err(|e| format!("{EXPECTED}: {e}"))?;
        println!("{EXPECTED} is written; say in the commit why the counts changed");
        return Ok(true);
    }
    let more: Vec<&Count> = counted.iter().filter(|count| is_more(count, &expected)).collect();
    match more.len() {
        0 => println!("instructions: none takes more than is committed"),
        n => println!("instructions: {n} take more than {EXPECTED} allows; if that is meant, run with --update"),
    }
    Ok(more.is_empty())
}

/// Builds the program of the cases, optimised, and says where it is.
fn build(target: &Path) -> Result<PathBuf, String> {
    let mut command = cargo(&["bench", "--no-run", "--manifest-path", MANIFEST, "--bench", "instructions"]);
    let messages = output(command.args(["--message-format", "json"]).env("CARGO_TARGET_DIR", target))?;
    let built = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let programs = built.filter(|m| m["target"]["name"] == "instructions");
    programs
        .filter_map(|m| m["executable"].as_str().map(PathBuf::from))
        .next_back()
        .ok_or("cargo names no program".into())
}

/// `None` where this CPU, or valgrind's, lacks the instruction set.
fn count(program: &Path, target: &Path, case: &str, set: &str) -> Result<Option<u64>, String> {
    let file = target.join("xtask/callgrind.out");
    fs::create_dir_all(target.join("xtask")).map_err(|e| format!("{}: {e}", target.display()))?;
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--toggle-collect=*instructions::measured*"]);
    valgrind.arg(format!("--callgrind-out-file={}", file.display())).arg(program).args([case, set]);
    if output(&mut valgrind)?.contains("missing") {
        return Ok(None);
    }
    let text = fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
    total(&text).map(Some).ok_or_else(|| format!("{}: has no total", file.display()))
}

/// The total of a callgrind file.
fn total(text: &str) -> Option<u64> {
    let line =
        text.lines().find_map(|line| line.strip_prefix("summary: ").or_else(|| line.strip_prefix("totals: ")))?;
    line.split_whitespace().next()?.parse().ok().filter(|total| *total > 0)
}

fn compared(count: &Count, before: Option<&Count>) -> String {
    let line = format!("{:<36} {:<9} {:>12}", count.case, count.set, count.instructions);
    let Some(before) = before else { return format!("{line}  new") };
    let change = 100.0 * (count.instructions as f64 / before.instructions as f64 - 1.0);
    let verdict = match is_more(count, core::slice::from_ref(before)) {
        true => format!("MORE, {}% allowed", before.tolerance),
        false if change < -(before.tolerance as f64) => "fewer: --update keeps that".into(),
        false => "ok".into(),
    };
    format!("{line}  before {:>12}  {change:>+7.2}%  {verdict}", before.instructions)
}

/// Whether it takes more than its tolerance above what is expected. What nobody expects is not more.
fn is_more(count: &Count, expected: &[Count]) -> bool {
    let before = expected.iter().find(|before| before.case == count.case && before.set == count.set);
    before.is_some_and(|before| {
        u128::from(count.instructions) * 100 > u128::from(before.instructions) * u128::from(100 + before.tolerance)
    })
}

fn parse(text: &str) -> Result<Vec<Count>, String> {
    let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let parse = |line: &str| {
        let [case, set, instructions, tolerance] = line.split('|').map(str::trim).collect::<Vec<_>>()[..] else {
            return None;
        };
        let (instructions, tolerance) = (instructions.parse().ok()?, tolerance.strip_suffix('%')?.parse().ok()?);
        Some(Count { case: case.into(), set: set.into(), instructions, tolerance })
    };
    lines.map(|line| parse(line).ok_or_else(|| format!("{EXPECTED}: not understood: {line}"))).collect()
}

fn written(counts: &[Count]) -> String {
    let mut text = String::from(
        "# What `cargo xtask instructions` counts: case | instruction set | instructions | how much more is allowed.\n",
    );
    for Count { case, set, instructions, tolerance } in counts {
        let _ = writeln!(text, "{case:<36} | {set:<8} | {instructions:>12} | {tolerance}%");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(instructions: u64) -> Count {
        Count { case: "a copy".into(), set: "avx2".into(), instructions, tolerance: 3 }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let counts = [one(1234), Count { set: "portable".into(), ..one(7) }];
        assert_eq!(parse(&written(&counts)).unwrap(), counts);
        assert!(parse("a copy | avx2 | many | 3%").unwrap_err().contains("not understood"));
    }

    #[test]
    fn more_than_the_tolerance_is_seen_and_less_is_told() {
        let expected = [one(1000)];
        let judged = [900, 1030, 1031].map(|n| is_more(&one(n), &expected));
        assert_eq!(judged, [false, false, true]);
        assert!(compared(&one(1031), expected.first()).ends_with("MORE, 3% allowed"));
        assert!(compared(&one(900), expected.first()).ends_with("--update keeps that"));
        assert!(compared(&one(900), None).ends_with("new"));
    }

    #[test]
    fn the_total_is_found() {
        assert_eq!(total("events: Ir\nfn=(1) a\n1 2\n\ntotals: 42\n"), Some(42));
        assert_eq!(total("events: Ir\nsummary: 0\n"), None);
    }

    #[test]
    fn the_committed_counts_are_readable() {
        parse(&fs::read_to_string(root().join(EXPECTED)).unwrap()).unwrap();
    }
}
