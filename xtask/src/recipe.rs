//! Proof that a workspace of somebody else can use the feature `cuda` as the README of weft-cuda-shim says: its steps are read from
//! there, followed in a temporary folder, and the program is run without a driver.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::metadata::Workspace;
use crate::process::{cargo, output};
use crate::proofs::Temporary;

const README: &str = "crates/cuda-shim/README.md";

const PROGRAM: &str = "\
fn main() {
    match weft_view::Cuda::new(0) {
        Ok(_) => println!(\"a device\"),
        Err(error) => println!(\"{error}\"),
    }
}
";

const PRINTS: &str = "no CUDA-capable device is detected (100)";

pub(crate) fn check(workspace: &Workspace) -> Result<(), String> {
    let readme = fs::read_to_string(workspace.root.join(README)).map_err(|e| format!("{README}: {e}"))?;
    let (symptom, steps, configuration) = (block(&readme, "text")?, block(&readme, "sh")?, block(&readme, "toml")?);

    let folder = Temporary(std::env::temp_dir().join(format!("weft-recipe-{}", std::process::id())));
    let here = folder.0.as_path();
    let told = |e: std::io::Error| format!("{}: {e}", here.display());
    fs::create_dir_all(here.join("src")).map_err(told)?;
    fs::create_dir_all(here.join(".cargo")).map_err(told)?;
    fs::write(here.join("Cargo.toml"), manifest(workspace)).map_err(told)?;
    fs::write(here.join("src/main.rs"), PROGRAM).map_err(told)?;
    fs::copy(workspace.root.join("Cargo.lock"), here.join("Cargo.lock")).map_err(told)?;

    match output(&mut run(workspace, here)) {
        Ok(_) if toolkit_is_installed() => {}
        Ok(_) => return Err(format!("without the recipe it must not build, but it did; {README} says otherwise")),
        Err(why) if why.contains(symptom.trim()) => {}
        Err(why) => return Err(format!("without the recipe it must fail with `{}`, not\n{why}", symptom.trim())),
    }

    output(Command::new("sh").args(["-e", "-c", steps]).current_dir(here))?;
    fs::write(here.join(".cargo/config.toml"), configuration).map_err(told)?;
    expect_no_device("from its root", &mut run(workspace, here))?;
    expect_no_device("from a folder below", &mut run(workspace, &here.join("src")))?;
    let mut elsewhere = run(workspace, &std::env::temp_dir());
    elsewhere.arg("--manifest-path").arg(here.join("Cargo.toml")).env("CUDA_LIBRARY_PATH", here.join("cuda-link"));
    expect_no_device("from elsewhere, with the variable", &mut elsewhere)
}

fn manifest(workspace: &Workspace) -> String {
    let view = workspace.root.join("crates/view").display().to_string();
    format!(
        "[package]\nname = \"recipe\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n\
         weft-view = {{ path = {view:?}, features = [\"cuda\"] }}\n"
    )
}

/// `cargo run` as somebody else would call it: without the variable that cargo sets for whom it runs in our workspace.
fn run(workspace: &Workspace, folder: &Path) -> Command {
    let mut command = cargo(&["run", "--quiet"]);
    command.current_dir(folder).env("CARGO_TARGET_DIR", workspace.target.join("xtask/recipe"));
    command.env_remove("CUDA_LIBRARY_PATH").env("WEFT_CUDA_DRIVER", "none");
    command
}

fn expect_no_device(how: &str, command: &mut Command) -> Result<(), String> {
    let printed = output(command).map_err(|why| format!("{how}: {why}"))?;
    if printed.contains(PRINTS) { Ok(()) } else { Err(format!("{how}: it printed {printed:?}, not `{PRINTS}`")) }
}

/// The first block of the README in that language.
fn block<'a>(readme: &'a str, language: &str) -> Result<&'a str, String> {
    let (_, after) = readme
        .split_once(&format!("```{language}\n"))
        .ok_or_else(|| format!("{README}: has no block of {language}"))?;
    after.split_once("```").map(|(block, _)| block).ok_or_else(|| format!("{README}: a block of {language} has no end"))
}

/// Where cust's build scripts look besides the variable: there, no recipe is needed.
fn toolkit_is_installed() -> bool {
    let versions = fs::read_dir("/usr/local").into_iter().flatten().flatten().map(|entry| entry.path());
    let folders = versions.filter(|p| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with("cuda")));
    folders.chain(["/opt/cuda".into()]).any(|folder| folder.join("lib64").is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_found_by_their_language() {
        let readme = "```rust\nfn a() {}\n```\n```sh\none\ntwo\n```\n```sh\nthree\n```\n```toml\nopen";
        assert_eq!(block(readme, "sh").unwrap(), "one\ntwo\n");
        assert!(block(readme, "text").unwrap_err().contains("has no block of text"));
        assert!(block(readme, "toml").unwrap_err().contains("has no end"));
    }
}
