//! `cargo xtask bench`: the benchmarks are a workspace of their own (they build other people's tensor crates), run from here.

use std::process::{Command, Stdio};

use crate::Outcome;
use crate::metadata::Workspace;
use crate::process::{cargo, root};

const MANIFEST: &str = "benches/Cargo.toml";

/// Whether this tree has benchmarks.
pub(crate) fn exist() -> bool {
    root().join(MANIFEST).exists()
}

/// Builds the benchmarks as tests, in which criterion runs each body once and times nothing.
pub(crate) fn smoke(workspace: &Workspace) -> Command {
    let mut command = cargo(&["test", "--manifest-path", MANIFEST, "--benches"]);
    command.env("CARGO_TARGET_DIR", &workspace.target);
    command
}

/// Runs them for real, with the caller's filters.
pub(crate) fn run(args: &[String]) -> Outcome {
    if !exist() {
        return Err(format!("{MANIFEST}: there are no benchmarks in this tree"));
    }
    let mut command = cargo(&["bench", "--manifest-path", MANIFEST]);
    let status = command
        .args(args)
        .env("CARGO_TARGET_DIR", Workspace::load()?.target)
        .stdin(Stdio::inherit())
        .status()
        .map_err(|e| format!("cannot start cargo: {e}"))?;
    Ok(status.success())
}
