//! `cargo xtask sanitize`: the tests of the crates with `unsafe` host code under the address sanitizer, which only a nightly compiler has.

use std::process::Command;

use crate::Outcome;
use crate::metadata::Workspace;
use crate::process::{output, root};
use crate::report::Report;

/// The crates, cheapest first. The CUDA crates are another process's memory and a simulator's: they are not part of it.
const PACKAGES: [&str; 4] = ["weft-layout", "weft-device", "weft-tensor", "weft-view"];

const NIGHTLY: &str = "nightly";

/// Runs them, each crate as one step: a finding ends the test program, and so fails its step.
pub(crate) fn run() -> Outcome {
    let version = output(&mut nightly("rustc", &["-vV"])).map_err(|why| {
        format!("sanitize: there is no nightly toolchain (`rustup toolchain install {NIGHTLY}`)\n{}", why.trim())
    })?;
    let host = line(&version, "host: ").ok_or("sanitize: rustc does not say what it runs on")?;
    println!("rustc {}, {host}, -Zsanitizer=address", line(&version, "release: ").unwrap_or("nightly"));
    let folder = Workspace::load()?.target.join("xtask/sanitize");
    let mut report = Report::new(folder.clone())?;
    for package in PACKAGES {
        report.tests(&format!("{package} under the address sanitizer"), &mut tests(package, host, &folder));
    }
    Ok(report.finish())
}

/// Unit and integration tests. Not the examples in documentation: each would be linked with the sanitizer's library, which takes minutes, and
/// they are run as tests elsewhere.
fn tests(package: &str, host: &str, folder: &std::path::Path) -> Command {
    // The standard library is not instrumented: nightly's comes without its source, and what is looked for is in our own code. With
    // `--target`, build scripts and procedural macros are left alone.
    let mut command = nightly("cargo", &["test", "--no-fail-fast", "--target", host, "--package", package]);
    command.args(["--lib", "--tests"]).current_dir(root()).stdin(std::process::Stdio::null());
    command.env("CARGO_TARGET_DIR", folder).env("RUSTFLAGS", "-Zsanitizer=address -Cforce-frame-pointers=yes");
    // Tests ask for more memory than there is: that is to be refused, and is no finding.
    command.env("ASAN_OPTIONS", "allocator_may_return_null=1");
    // What must not compile has the messages of the pinned compiler.
    command.args(["--", "--exact", "--skip", "ui", "--skip", "refused_by_the_compiler"]);
    command.env("INSTA_UPDATE", "no").env("CARGO_TERM_COLOR", "never").env_remove("WEFT_CUDA_DRIVER");
    command
}

fn nightly(program: &str, args: &[&str]) -> Command {
    let mut command = Command::new("rustup");
    command.args(["run", NIGHTLY, program]).args(args);
    // cargo tells those whom it runs which tools it uses; these are others.
    for ours in ["RUSTUP_TOOLCHAIN", "CARGO", "RUSTC", "RUSTDOC", "RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS"] {
        command.env_remove(ours);
    }
    command
}

fn line<'a>(text: &'a str, starts: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.strip_prefix(starts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_compiler_says_what_it_runs_on() {
        let version =
            "rustc 1.99.0-nightly (abc 2026-01-01)\nbinary: rustc\nhost: aarch64-unknown-linux-gnu\nrelease: 1.99\n";
        assert_eq!(line(version, "host: "), Some("aarch64-unknown-linux-gnu"));
        assert_eq!(line(version, "LLVM version: "), None);
    }

    #[test]
    fn every_crate_with_host_code_is_one_of_ours() {
        let workspace = Workspace::load().unwrap();
        for package in PACKAGES {
            assert!(workspace.packages.iter().any(|p| p.name == package), "{package}");
        }
    }
}
