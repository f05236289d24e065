//! The project's own commands: this file reads the command line and picks one; `cargo xtask --help` explains them.

mod bench;
mod instructions;
mod kernels;
mod libtest;
mod metadata;
mod process;
mod proofs;
mod recipe;
mod report;
mod sanitize;
mod shim;
mod snapshots;
mod source;
mod suite;
mod tidy;

use std::process::ExitCode;

/// What a command answers: `Ok(true)` all is well, `Ok(false)` something it checked is not, `Err` it could not do its work.
type Outcome = Result<bool, String>;

const HELP: &str = "\
cargo xtask <command>

  test      The one command: formatting, clippy with warnings denied (each crate alone, each feature set), every test
            and doc test, documentation with warnings denied, the no_std proofs of weft-layout, consumers outside the
            workspace (one with CUDA), tidy, frozen snapshots, and a smoke run of the benchmarks. Every step runs, even
            after one has failed. The reasons of skipped tests follow, and the last line is `N passed, N failed,
            N skipped`; a step that is not a cargo test counts as one. Logs: target/xtask/logs. WEFT_CUDA_DRIVER is not
            handed on: the tests choose their drivers.
  tidy      The architecture's invariants alone: dependencies, ownership, panics, forbidden text. A second or two.
  bench     Runs the benchmarks in benches/, all or one:
              host [OPTIONS]  data movement beside memcpy, ndarray and candle, as times of memcpy, with the targets;
                              options alone mean this one. --quick takes under two minutes; --only TEXT takes the rows or
                              classes with TEXT in their names; --threads 1|2|1,2; --seed N and --variants N say which
                              rows are drawn at random near each class, and how many; --rounds N; --json FILE.
              metadata [TEXT], simulator [TEXT], -- TEXT  criterion's, those with TEXT in their names.
              host --peers    NumPy and PyTorch too, in a Python under target/ that pip fills (some gigabytes).
              host --sweep    cost against size, from 1 KiB to 1 GiB.
              record host|sweep|metadata [OPTIONS]  measures, and writes docs/benchmarks/*.json and the page;
                              `record host --again` sets a second run beside the first.
              page            docs/benchmarks.md and its pictures again from those files.
  kernels   Builds the GPU kernels: kernels/*.cu to PTX in crates/device/ptx, by a compiler that pip fetches. Instead,
              --check     compiles and compares, byte by byte;
              --manifest  compares hashes, with no compiler and no network;
              --report    prints registers and 128-bit accesses, and fails on spills or if kernels/report.txt differs;
              --out DIR [--compiler nvcc|clang|PATH]  builds elsewhere, for experiments.
  instructions  Counts the instructions of planning and of six copies, with valgrind, and fails where one takes more than
            benches/instructions.txt allows; --update writes that file anew. Not part of `test`.
  sanitize  The tests of layout, device, tensor and view under the address sanitizer, on the nightly toolchain (rustup
            toolchain install nightly). Not part of `test`. A finding fails it; logs: target/xtask/sanitize/logs.
  shim      Writes the forwarding functions of weft-cuda-shim from its list of driver calls; with --check, only compares.
  help      This text (also --help and -h).

Environment
  WEFT_PYTHON   the Python with NumPy that the comparison tests run, and whose pip fetches compilers (default: python3)
  WEFT_REQUIRE_CUDA=1           test: that there is no GPU is a failure and not a skip
  WEFT_REQUIRE_KERNEL_TOOLS=1   test: that pip cannot fetch the kernel compiler is a failure and not a skip

Exit codes
  0  everything asked for was done and is well
  1  a check failed, or the command could not do its work
  2  the command line was not understood
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["help" | "--help" | "-h"] | [_, "--help" | "-h"] => {
            print!("{HELP}");
            Ok(true)
        }
        ["test"] => suite::run(),
        ["tidy"] => tidy::run(),
        ["bench", ..] => bench::run(&args[1..]),
        ["kernels", ref how @ ..] => match kernels::run(how) {
            Some(outcome) => outcome,
            None => return misused(&format!("kernels: `{}` is not understood", how.join(" "))),
        },
        ["instructions"] => instructions::run(false),
        ["instructions", "--update"] => instructions::run(true),
        ["sanitize"] => sanitize::run(),
        ["shim"] => shim::write(),
        ["shim", "--check"] => shim::check(),
        [] => return misused("a command is missing"),
        [command, ..] => return misused(&format!("`{command}` is not a command, or takes no such arguments")),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("xtask: {why}");
            ExitCode::FAILURE
        }
    }
}

fn misused(why: &str) -> ExitCode {
    eprint!("xtask: {why}\n\n{HELP}");
    ExitCode::from(2)
}
