//! NVIDIA's tools from the Python package index, pinned by hash, in a folder of their own under `target`.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::{Places, at, manifest};

/// A list of packages with their hashes, in `kernels`.
#[derive(Clone, Copy)]
pub(super) struct Tools {
    pub(super) file: &'static str,
}

/// The compiler, NVRTC.
pub(super) const COMPILER: Tools = Tools { file: "toolchain.txt" };
/// What the machine code is looked at with: ptxas and nvdisasm.
pub(super) const REPORT: Tools = Tools { file: "report-tools.txt" };

/// The folder with the tools, which pip fills the first time. Needs no virtual environment: `--target` touches nothing else.
pub(super) fn install(places: &Places, tools: Tools) -> Result<PathBuf, String> {
    let pins = places.sources.join(tools.file);
    let bytes = fs::read(&pins).map_err(|e| at(&pins, &e))?;
    let folder = places.tools.join(&manifest::hash(&bytes)[..16]);
    let complete = folder.join("complete");
    if complete.exists() {
        return Ok(folder);
    }
    eprintln!("kernels: installing what {} pins", pins.display());
    let python = std::env::var_os("WEFT_PYTHON").unwrap_or_else(|| "python3".into());
    let mut pip = Command::new(&python);
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--root-user-action=ignore",
        "--upgrade",
    ]);
    pip.args(["--no-deps", "--only-binary=:all:", "--require-hashes"]);
    pip.arg("--target").arg(&folder).arg("--requirement").arg(&pins).stdin(Stdio::null());
    let out = pip.output().map_err(|e| format!("cannot start {}: {e}", python.to_string_lossy()))?;
    if !out.status.success() {
        let why = String::from_utf8_lossy(&out.stderr);
        return Err(format!("kernels: pip cannot install what {} pins:\n{}", pins.display(), why.trim_end()));
    }
    fs::write(&complete, "").map_err(|e| at(&complete, &e))?;
    Ok(folder)
}
