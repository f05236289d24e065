//! `cargo xtask bench`: the benchmarks are a workspace of their own (they build other people's tensor crates), run from here.

mod data;
mod page;
mod peers;
mod plot;
mod record;
mod svg;

use std::path::Path;
use std::process::{Command, Stdio};

use crate::Outcome;
use crate::metadata::Workspace;
use crate::process::{cargo, root};

const MANIFEST: &str = "benches/Cargo.toml";

/// The benchmarks that criterion runs.
const BY_CRITERION: [&str; 2] = ["metadata", "simulator"];

/// Whether this tree has benchmarks.
pub(crate) fn exist() -> bool {
    root().join(MANIFEST).exists()
}

/// Builds the benchmarks as tests, in which criterion runs each body once, the host benchmark checks each row, and nobody times.
pub(crate) fn smoke(workspace: &Workspace) -> Command {
    let mut command = cargo(&["test", "--manifest-path", MANIFEST, "--benches"]);
    command.env("CARGO_TARGET_DIR", &workspace.target);
    command
}

/// One call of `cargo bench`: the benchmark, and what it is told.
#[derive(Debug, PartialEq, Eq)]
struct Part<'a> {
    benches: Vec<&'a str>,
    args: Vec<&'a str>,
}

/// Runs them for real, as the caller says.
pub(crate) fn run(args: &[String]) -> Outcome {
    if !exist() {
        return Err(format!("{MANIFEST}: there are no benchmarks in this tree"));
    }
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let target = Workspace::load()?.target;
    let interpreter = if args.contains(&"--peers") { peers::python(&target)? } else { String::new() };
    let args = with_interpreter(&args, &interpreter);
    match args[..] {
        ["page"] => return page::write().map(|()| true),
        ["record", what, ref options @ ..] => return record::run(what, options),
        _ => {}
    }
    for part in parts(&args) {
        let status = command(&part.benches, &part.args, &target).status();
        if !status.map_err(|e| format!("cannot start cargo: {e}"))?.success() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The arguments with the interpreter behind each `--peers`.
fn with_interpreter<'a>(args: &[&'a str], interpreter: &'a str) -> Vec<&'a str> {
    let words = |arg: &&'a str| if *arg == "--peers" { vec![*arg, interpreter] } else { vec![*arg] };
    args.iter().flat_map(words).collect()
}

fn command(benches: &[&str], args: &[&str], target: &Path) -> Command {
    let mut command = cargo(&["bench", "--manifest-path", MANIFEST]);
    benches.iter().for_each(|bench| _ = command.args(["--bench", bench]));
    command.arg("--").args(args).env("CARGO_TARGET_DIR", target).stdin(Stdio::inherit());
    command
}

/// What is run: without arguments everything; the host benchmark where its name or an option stands first; else what the words
/// after a name, or after `--`, select of criterion's.
fn parts<'a>(args: &[&'a str]) -> Vec<Part<'a>> {
    let criterion = |benches: &[&'a str], args: &[&'a str]| Part { benches: benches.into(), args: args.into() };
    match args {
        [] => vec![criterion(&["host"], &["--threads", "1,2"]), criterion(&BY_CRITERION, &[])],
        ["host", options @ ..] => vec![criterion(&["host"], options)],
        ["--", filter @ ..] => vec![criterion(&BY_CRITERION, filter)],
        [name, filter @ ..] if BY_CRITERION.contains(name) => vec![criterion(&[name], filter)],
        [option, ..] if option.starts_with("--") => vec![criterion(&["host"], args)],
        filter => vec![criterion(&BY_CRITERION, filter)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_says_which_benchmark() {
        let part =
            |benches: &[&'static str], args: &[&'static str]| Part { benches: benches.into(), args: args.into() };
        assert_eq!(parts(&["--quick", "--only", "a"]), [part(&["host"], &["--quick", "--only", "a"])]);
        assert_eq!(parts(&["host", "--seed", "7"]), [part(&["host"], &["--seed", "7"])]);
        assert_eq!(parts(&["--", "create"]), [part(&BY_CRITERION, &["create"])]);
        assert_eq!(parts(&["simulator", "copy"]), [part(&["simulator"], &["copy"])]);
        assert_eq!(parts(&["weft"]), [part(&BY_CRITERION, &["weft"])]);
        assert_eq!(parts(&[]).len(), 2);
        assert_eq!(with_interpreter(&["host", "--peers", "--quick"], "py"), ["host", "--peers", "py", "--quick"]);
    }
}
