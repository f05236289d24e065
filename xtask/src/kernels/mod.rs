//! `cargo xtask kernels`: turns `kernels/*.cu` into the committed PTX, and says whether the two still belong together.

mod experiment;
mod manifest;
mod nvrtc;
mod report;
mod tools;

use std::fs;
use std::path::{Path, PathBuf};

use crate::{Outcome, process};

/// Everything the compiler is told besides the sources. `MANIFEST` holds it, so a change makes the PTX stale.
///
/// One PTX for every GPU since Volta: the driver compiles it for the one it finds. Nothing is fused, so that results are
/// the host's bits; division and square root are IEEE's and denormals are kept because that is NVRTC's default.
const OPTIONS: [&str; 3] = ["--std=c++17", "--gpu-architecture=compute_70", "--fmad=false"];

/// Every source is compiled once for each integer that counts steps and offsets, so that a program loads what it uses:
/// the end of the name, and the macro.
const WIDTHS: [(&str, &str); 2] = [("i32", "-DINDEX_BITS=32"), ("i64", "-DINDEX_BITS=64")];

/// Where the sources are and where the PTX goes.
struct Places {
    /// `kernels`
    sources: PathBuf,
    /// `crates/device/ptx`: in the package that needs it.
    ptx: PathBuf,
    /// `target/cuda-tools`
    tools: PathBuf,
}

impl Places {
    fn new() -> Places {
        let root = process::root();
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        Places { sources: root.join("kernels"), ptx: root.join("crates/device/ptx"), tools: target.join("cuda-tools") }
    }
}

/// A file that the compiler reads or writes, by the bare name under which it is known: what comes out must not depend on
/// where the checkout lies.
struct File {
    name: String,
    text: String,
}

impl File {
    fn stem(&self) -> &str {
        self.name.split('.').next().unwrap_or_default()
    }
}

/// The command line after `kernels`; `None` where it is not understood.
pub(crate) fn run(args: &[&str]) -> Option<Outcome> {
    Some(match *args {
        [] => build(),
        ["--check"] => check().map(|()| true),
        ["--manifest"] => manifest::check(&Places::new()).map(|()| true),
        ["--report"] => report::run(&Places::new()),
        ["--out", folder] => experiment::run(&Places::new(), Path::new(folder), None),
        ["--out", folder, "--compiler", compiler] | ["--compiler", compiler, "--out", folder] => {
            experiment::run(&Places::new(), Path::new(folder), Some(compiler))
        }
        _ => return None,
    })
}

/// Whether pip can be asked for the pinned tools: `Err` says why not.
pub(crate) fn tools_are_here() -> Result<(), String> {
    let places = Places::new();
    tools::install(&places, tools::COMPILER)?;
    tools::install(&places, tools::REPORT).map(|_| ())
}

/// Compiles everything and compares it, byte by byte, with what is committed.
pub(crate) fn check() -> Result<(), String> {
    let places = Places::new();
    let stale: Vec<String> = differences(&places)?.into_iter().map(|(path, _)| path.display().to_string()).collect();
    if stale.is_empty() {
        println!("kernels: the committed PTX is what the sources compile to");
        return Ok(());
    }
    Err(format!("kernels: not what the sources compile to: {}; run `cargo xtask kernels`", stale.join(", ")))
}

/// What `--report` checks: no spills, and the registers and 128-bit accesses written down in `kernels/report.txt`.
pub(crate) fn check_report() -> Result<(), String> {
    match report::run(&Places::new())? {
        true => Ok(()),
        false => {
            Err("kernels: machine code and kernels/report.txt disagree; run `cargo xtask kernels --report`".into())
        }
    }
}

fn build() -> Outcome {
    let places = Places::new();
    fs::create_dir_all(&places.ptx).map_err(|e| at(&places.ptx, &e))?;
    let different = differences(&places)?;
    for (path, text) in &different {
        match text {
            Some(text) => fs::write(path, text).map_err(|e| at(path, &e))?,
            None => fs::remove_file(path).map_err(|e| at(path, &e))?,
        }
        println!("{} {}", if text.is_some() { "wrote" } else { "removed" }, path.display());
    }
    println!("kernels: {}", if different.is_empty() { "nothing has changed" } else { "built" });
    Ok(true)
}

/// The files of `crates/device/ptx` that a build would change, with their new text; `None` where it has no such file.
fn differences(places: &Places) -> Result<Vec<(PathBuf, Option<String>)>, String> {
    let ptx = compile(places)?;
    let manifest = manifest::text(places, &ptx)?;
    let mut different = Vec::new();
    for file in ptx.iter().chain([&File { name: manifest::NAME.into(), text: manifest }]) {
        let path = places.ptx.join(&file.name);
        if fs::read(&path).ok().as_deref() != Some(file.text.as_bytes()) {
            different.push((path, Some(file.text.clone())));
        }
    }
    let left_over = read(&places.ptx, "ptx")?.into_iter().filter(|old| ptx.iter().all(|new| new.name != old.name));
    different.extend(left_over.map(|old| (places.ptx.join(old.name), None)));
    Ok(different)
}

/// The PTX of every family and width by the pinned compiler.
fn compile(places: &Places) -> Result<Vec<File>, String> {
    let compiler = nvrtc::Nvrtc::load(&tools::install(places, tools::COMPILER)?)?;
    let headers = read(&places.sources, "cuh")?;
    let mut ptx = Vec::new();
    for source in read(&places.sources, "cu")? {
        for (width, define) in WIDTHS {
            let options: Vec<&str> = OPTIONS.into_iter().chain([define]).collect();
            let text = compiler.compile(&source, &headers, &options)?;
            ptx.push(File { name: format!("{}_{width}.ptx", source.stem()), text });
        }
    }
    Ok(ptx)
}

/// The files of a folder with this extension, by name.
fn read(folder: &Path, extension: &str) -> Result<Vec<File>, String> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(|e| at(folder, &e))? {
        let path = entry.map_err(|e| at(folder, &e))?.path();
        if path.extension().is_some_and(|e| e == extension) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            files.push(File { name, text: fs::read_to_string(&path).map_err(|e| at(&path, &e))? });
        }
    }
    files.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(files)
}

fn at(path: &Path, error: &dyn core::error::Error) -> String {
    format!("{}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_ptx_is_of_these_sources() {
        manifest::check(&Places::new()).unwrap();
    }

    #[test]
    fn a_command_line_that_is_not_understood_is_said_to_be() {
        assert!(run(&["--chekc"]).is_none());
        assert!(run(&["--compiler", "nvcc"]).is_none());
    }
}
