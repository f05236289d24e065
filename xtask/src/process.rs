//! Runs cargo, with its output in a log file, so that a step prints one line when it is well and everything when it is not.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    // `cargo run` sets the variable; the constant serves a binary that is started by itself.
    let here = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    here.parent().map_or(here.clone(), Path::to_path_buf)
}

/// A cargo command in the workspace root, with nothing from outside that could update expected results or hang on a prompt, and
/// with the driver of the machine: a test that wants another one says so itself.
pub(crate) fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(args).current_dir(root()).stdin(Stdio::null());
    command.env("CARGO_TERM_COLOR", "never").env("INSTA_UPDATE", "no");
    for changes in ["TRYBUILD", "INSTA_FORCE_UPDATE", "INSTA_FORCE_PASS", "RUSTDOCFLAGS", "WEFT_CUDA_DRIVER"] {
        command.env_remove(changes);
    }
    command
}

/// Runs `command` with both its streams in `log`, and says how it went and what it printed.
pub(crate) fn logged(command: &mut Command, log: &Path) -> Result<(bool, String), String> {
    let told = |e: std::io::Error| format!("{}: {e}", log.display());
    let out = File::create(log).map_err(told)?;
    let err = out.try_clone().map_err(told)?;
    let program = command.get_program().to_string_lossy().into_owned();
    let status = command.stdout(out).stderr(err).status().map_err(|e| format!("cannot start {program}: {e}"))?;
    let printed = std::fs::read(log).map_err(told)?;
    Ok((status.success(), String::from_utf8_lossy(&printed).into_owned()))
}

/// Runs `command` and gives its standard output, or its standard error as the error.
pub(crate) fn output(command: &mut Command) -> Result<String, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let out = command.output().map_err(|e| format!("cannot start {program}: {e}"))?;
    if out.status.success() {
        Ok(String::from_utf8_lossy(&out.stdout).into_owned())
    } else {
        Err(String::from_utf8_lossy(&out.stderr).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_outside_changes_no_result() {
        let command = cargo(&["test"]);
        let is = |name: &str| command.get_envs().find(|(n, _)| *n == name).map(|(_, value)| value);
        assert_eq!(is("WEFT_CUDA_DRIVER"), Some(None));
        assert_eq!(is("TRYBUILD"), Some(None));
        assert_eq!(is("INSTA_UPDATE"), Some(Some("no".as_ref())));
        assert_eq!(is("WEFT_REQUIRE_CUDA"), None);
    }
}
