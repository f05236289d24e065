//! The whole example of `docs/simulator.md`, word by word, in a folder outside of weft's workspace: built, tested, run on the
//! library, and compared with what the page says it prints.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PAGE: &str = include_str!("../../../docs/simulator.md");

/// The files of the example: a paragraph that begins with a path in backquotes, and the block after it.
fn files() -> Vec<(&'static str, String)> {
    let (mut files, mut path, mut body) = (Vec::new(), None, None);
    for line in PAGE.lines() {
        match (&mut body, line.strip_prefix('`')) {
            (Some(_), Some("``")) => files.extend(path.take().zip(body.take())),
            (Some(text), _) => *text = format!("{text}{line}\n"),
            (None, Some(rest)) if rest.starts_with("``") => body = path.map(|_| String::new()),
            (None, Some(rest)) => path = rest.split_once('`').map(|(path, _)| path),
            (None, None) if line.is_empty() => {}
            (None, None) => path = None,
        }
    }
    files
}

/// The block of plain text under a heading.
fn printed_under(heading: &str) -> &'static str {
    let section = PAGE.split_once(heading).unwrap().1;
    section.split_once("```text\n").unwrap().1.split_once("```").unwrap().0
}

/// A command in the example's folder, without what cargo set for this test.
fn command(program: impl AsRef<std::ffi::OsStr>, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).env_remove("CUDA_LIBRARY_PATH").env_remove("WEFT_CUDA_DRIVER");
    command
}

#[track_caller]
fn succeed(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}\n{out}\n{err}");
    output
}

fn library() -> PathBuf {
    std::env::current_exe().unwrap().parent().unwrap().join("libweft_cuda_sim_so.so")
}

/// A folder that goes away also when the test fails.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn the_example_of_the_page_works() {
    let weft = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let scratch = Scratch(std::env::temp_dir().join(format!("weft-simulator-{}", std::process::id())));
    let folder = scratch.0.join("doubled");
    let found = files();
    let names: Vec<&str> = found.iter().map(|(path, _)| *path).collect();
    assert_eq!(names, ["Cargo.toml", ".cargo/config.toml", "src/lib.rs", "src/main.rs", "tests/simulated.rs"]);
    for (path, text) in found {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    std::os::unix::fs::symlink(weft, scratch.0.join("weft")).unwrap();
    // The versions that weft itself is tested with, and a place where what is built can be found again.
    fs::copy(weft.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("doubled");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    succeed(command(&cargo, &folder).args(["test", "--quiet"]).env("CARGO_TARGET_DIR", &target));
    succeed(command(&cargo, &folder).args(["build", "--quiet"]).env("CARGO_TARGET_DIR", &target));
    let program = target.join("debug/doubled");
    let on_library = |arguments: &[&str]| {
        let mut run = command(&program, &folder);
        succeed(run.args(arguments).env("WEFT_CUDA_DRIVER", library()).env("WEFT_CUDA_SIM_REPORT", "1"))
    };
    let right = on_library(&[]);
    assert_eq!(String::from_utf8(right.stdout).unwrap(), "[2, 4, 6]\n");
    let wrong = on_library(&["4"]);
    let (out, err) = (String::from_utf8(wrong.stdout).unwrap(), String::from_utf8(wrong.stderr).unwrap());
    assert_eq!(format!("{out}{err}"), printed_under("## How a fault reads"));
}
