//! The Python of `--peers`: an environment of its own under `target`, with NumPy and, where pip can install it, PyTorch.

use std::path::Path;
use std::process::Command;

use crate::process::output;

/// Makes it, if it is not there, and gives its interpreter. That PyTorch cannot be had is said and is no error.
pub(super) fn python(target: &Path) -> Result<String, String> {
    let folder = target.join("bench-python");
    let interpreter = folder.join("bin/python");
    let system = std::env::var_os("WEFT_PYTHON").unwrap_or_else(|| "python3".into());
    if !interpreter.exists() {
        output(Command::new(system).args(["-m", "venv"]).arg(&folder))
            .map_err(|why| format!("--peers: python cannot make an environment: {}", why.trim()))?;
    }
    let has = |module: &str| output(Command::new(&interpreter).args(["-c", &format!("import {module}")])).is_ok();
    let install = |module: &str| {
        println!("--peers: pip installs {module} in {}", folder.display());
        output(Command::new(&interpreter).args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            module,
        ]))
    };
    if !has("numpy") {
        install("numpy").map_err(|why| format!("--peers: pip cannot install numpy: {}", why.trim()))?;
    }
    // A few gigabytes with the libraries for GPUs that it comes with.
    if !has("torch")
        && let Err(why) = install("torch")
    {
        println!("--peers: PyTorch takes no part, because pip cannot install it: {}", why.trim());
    }
    interpreter.to_str().map(str::to_owned).ok_or_else(|| "--peers: the target folder has no UTF-8 name".into())
}
