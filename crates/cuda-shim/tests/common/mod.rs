//! Runs a test in a process of its own, because a process chooses its driver once; and compiles the driver that is none.

use std::path::PathBuf;
use std::process::Command;

use weft_cuda_shim::DRIVER_ENV;

const CHILD: &str = "WEFT_SHIM_TEST_CHILD";

/// Runs `body` in a new process, in which [`DRIVER_ENV`] is `driver`, or not set. `test` is the name of the test that calls.
#[track_caller]
pub(crate) fn alone(test: &str, driver: Option<&str>, body: impl FnOnce()) {
    if std::env::var_os(CHILD).is_some_and(|child| child == test) {
        return body();
    }
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args([test, "--exact", "--nocapture", "--test-threads=1"]).env(CHILD, test).env_remove(DRIVER_ENV);
    child.envs(driver.map(|driver| (DRIVER_ENV, driver)));
    let out = child.output().unwrap();
    let printed = String::from_utf8_lossy(&out.stdout);
    // A name that no test has would run none, and succeed.
    assert!(
        out.status.success() && printed.contains("1 passed"),
        "{test} alone: {}\n{printed}\n{}",
        out.status,
        String::from_utf8_lossy(&out.stderr)
    );
}

/// The path of the fake driver, compiled for the test of this name. The child of that test finds it there.
pub(crate) fn fake_driver(test: &str) -> PathBuf {
    let library = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("libfake-{test}.so"));
    if std::env::var_os(CHILD).is_none() {
        let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        rustc.args(["--edition=2024", "--crate-type=cdylib", "--crate-name=fake", "-Anon_snake_case", "-Copt-level=1"]);
        rustc.arg("-o").arg(&library).arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fake/driver.rs"));
        let out = rustc.output().unwrap();
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    }
    library
}
