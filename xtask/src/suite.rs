//! `cargo xtask test`: the list of steps, cheapest first, and nothing else.

use crate::metadata::{FeatureSet, Package, Workspace};
use crate::process::cargo;
use crate::report::Report;
use crate::{Outcome, bench, kernels, proofs, recipe, snapshots, tidy};

/// What is tested of a crate without its default features: examples, in documentation or not, may count on those.
const WITHOUT_EXAMPLES: [&str; 3] = ["--lib", "--bins", "--tests"];

const DENY: [&str; 3] = ["--", "-D", "warnings"];

/// Clippy lets a `#[test]` unwrap, but not the helpers that it calls. That the crates themselves do not is seen without their tests.
const TESTS_UNWRAP: [&str; 2] = ["-A", "clippy::unwrap_used"];

pub(crate) fn run() -> Outcome {
    let workspace = Workspace::load()?;
    let folder = workspace.target.join("xtask");
    let mut report = Report::new(folder.clone())?;
    let references = folder.join("logs/snapshot-references");

    report.check("tidy", || tidy::check(&workspace));
    formatting(&mut report);
    compiled_kernels(&mut report);
    for package in &workspace.packages {
        for set in package.feature_sets() {
            // Without the tests first: what they depend on may turn on features that the crate itself lacks.
            let mut alone = cargo(&["clippy", "--no-deps", "--package", &package.name]);
            alone.args(&set.args).args(DENY);
            report.command(&format!("clippy {}, {}", package.name, set.name), &mut alone);
            let mut tests = cargo(&["clippy", "--no-deps", "--all-targets", "--package", &package.name]);
            tests.args(&set.args).args(DENY).args(TESTS_UNWRAP);
            report.command(&format!("clippy {}, {}, all targets", package.name, set.name), &mut tests);
        }
    }
    for features in [&[][..], &["--all-features"]] {
        let mut command = cargo(&["clippy", "--workspace", "--all-targets"]);
        command.args(features).args(DENY).args(TESTS_UNWRAP);
        report.command(&format!("clippy workspace {}", features.concat()), &mut command);
    }

    let tests = |args: &[&str]| {
        let mut command = cargo(&["test", "--no-fail-fast"]);
        command.args(args).env("INSTA_SNAPSHOT_REFERENCES_FILE", &references);
        command
    };
    let failures = report.failures();
    report.tests("tests and doc tests workspace, all features", &mut tests(&["--workspace", "--all-features"]));
    for package in workspace.packages.iter().filter(|p| p.name != "xtask") {
        for set in package.feature_sets().iter().filter(|s| is_worth_running(s, package)) {
            let mut command = tests(&["--package", &package.name]);
            command.args(&set.args);
            if !set.has_defaults(package) {
                command.args(WITHOUT_EXAMPLES);
            }
            report.tests(&format!("tests {} alone, {}", package.name, set.name), &mut command);
        }
    }
    if report.failures() > failures {
        report.skip("snapshots", "tests failed, so nobody can say which snapshots they use");
    } else {
        report.check("snapshots", || snapshots::check(&workspace.root, &references));
    }

    let mut documentation = cargo(&["doc", "--workspace", "--no-deps", "--all-features"]);
    report.command("documentation", documentation.env("RUSTDOCFLAGS", "-D warnings"));
    for (folder, may_use) in proofs::NO_STD {
        report.check(&format!("no_std proof {folder}"), || proofs::no_std(&workspace, folder, may_use));
    }
    report.check("consumer outside of the workspace", || proofs::outside(&workspace));
    report.check("CUDA outside of the workspace", || recipe::check(&workspace));
    if bench::exist() {
        report.command("benchmarks, each once", &mut bench::smoke(&workspace));
    }
    Ok(report.finish())
}

/// The committed PTX, compiled again. That it belongs to the sources is a unit test too, which needs no compiler.
fn compiled_kernels(report: &mut Report) {
    let required = std::env::var_os("WEFT_REQUIRE_KERNEL_TOOLS").is_some_and(|v| v == "1");
    match kernels::tools_are_here() {
        Err(why) if !required => {
            report.skip("kernels", why.lines().next().unwrap_or_default().trim_end_matches(':'));
        }
        tools => {
            report.check("kernels --check", || tools.and_then(|()| kernels::check()));
            report.check("kernels --report", kernels::check_report);
        }
    }
}

/// Every workspace of the tree is formatted alike.
fn formatting(report: &mut Report) {
    report.command("formatting", &mut cargo(&["fmt", "--all", "--check"]));
    let mut others: Vec<String> = proofs::NO_STD.iter().map(|(folder, _)| format!("{folder}/Cargo.toml")).collect();
    others.extend(bench::exist().then(|| "benches/Cargo.toml".to_owned()));
    for manifest in others {
        report
            .command(&format!("formatting {manifest}"), &mut cargo(&["fmt", "--check", "--manifest-path", &manifest]));
    }
}

/// A crate alone is tested as users get it (default features) and at its smallest. Clippy has built the sets between, and
/// the run of the whole workspace has tested the largest; a crate without features of its own or of crates below it would
/// only repeat that run.
fn is_worth_running(set: &FeatureSet, package: &Package) -> bool {
    let repeats = set.name == "default features" && package.is_all_on_by_default() && !package.uses_workspace();
    !repeats && matches!(&set.name[..], "default features" | "no features")
}
