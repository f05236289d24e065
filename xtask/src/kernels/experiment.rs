//! `cargo xtask kernels --out DIR [--compiler nvcc|clang|PATH]`: PTX for trying things, which is never the committed one.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::{File, OPTIONS, Places, WIDTHS, at, compile, process, read};
use crate::Outcome;

/// Compiles every family into `folder`; without a compiler by the pinned one.
pub(super) fn run(places: &Places, folder: &Path, compiler: Option<&str>) -> Outcome {
    fs::create_dir_all(folder).map_err(|e| at(folder, &e))?;
    let is_committed = |place: &Path| place.canonicalize().is_ok_and(|p| folder.canonicalize().is_ok_and(|f| p == f));
    if is_committed(&places.ptx) || is_committed(&places.sources) {
        return Err(format!("kernels: {}: experiments go elsewhere", folder.display()));
    }
    match compiler {
        None => {
            for File { name, text } in compile(places)? {
                let path = folder.join(name);
                fs::write(&path, text).map_err(|e| at(&path, &e))?;
            }
        }
        Some(compiler) => {
            for source in read(&places.sources, "cu")? {
                for (width, define) in WIDTHS {
                    let to = folder.join(format!("{}_{width}.ptx", source.stem()));
                    process::output(command(compiler, &places.sources.join(&source.name), &to).arg(define))?;
                }
            }
        }
    }
    println!("kernels: PTX in {}", folder.display());
    Ok(true)
}

/// One file by a compiler of the machine: clang if its name says so, or else something that takes nvcc's options.
fn command(compiler: &str, from: &Path, to: &Path) -> Command {
    let is_clang = Path::new(compiler).file_name().is_some_and(|n| n.to_string_lossy().contains("clang"));
    let mut command = Command::new(compiler);
    if is_clang {
        command.args(["-x", "cuda", "--cuda-device-only", "-S", "-O3", "-std=c++17", "-ffp-contract=off"]);
        command.args(["-nocudainc", "-nocudalib", "--cuda-gpu-arch=sm_70", "-Xclang", "-target-feature"]);
        command.args(["-Xclang", "+ptx70"]);
    } else {
        // nvcc 13 no longer knows the architecture of the committed PTX.
        let known = |option: &'static str| option.replace("compute_70", "compute_75");
        command.arg("-ptx").args(OPTIONS.map(known));
    }
    command.arg(from).arg("-o").arg(to).stdin(Stdio::null());
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clang_is_known_by_its_name() {
        let says = |compiler| format!("{:?}", command(compiler, Path::new("a.cu"), Path::new("a.ptx")));
        assert!(says("/usr/bin/clang++-19").contains("-ffp-contract=off"));
        assert!(says("nvcc").contains("--fmad=false"));
    }
}
