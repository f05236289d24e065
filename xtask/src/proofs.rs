//! Proofs that `weft-layout` stands alone: without std, without an allocator, and in a crate outside of this workspace.

use std::fs;
use std::path::{Path, PathBuf};

use crate::metadata::Workspace;
use crate::process::{cargo, output};
use crate::tidy::strangers;

/// The crates that link without std, and what each may depend on.
pub(crate) const NO_STD: [(&str, &[&str]); 2] = [
    ("xtask/proofs/no-std-core", &["no-std-core", "weft-layout"]),
    ("xtask/proofs/no-std-alloc", &["no-std-alloc", "weft-layout", "smallvec"]),
];

/// Links the crate in `folder`. It brings its own panic handler, so one dependency on std would be a second one: E0152.
/// That this can fail is tried as well: with its feature `with-std` it must be refused for that very reason.
pub(crate) fn no_std(workspace: &Workspace, folder: &str, may_use: &[&str]) -> Result<(), String> {
    let manifest = format!("{folder}/Cargo.toml");
    let build = |more: &[&str]| {
        let mut command = cargo(&["build", "--manifest-path", &manifest]);
        output(command.args(more).env("CARGO_TARGET_DIR", workspace.target.join("xtask/proofs")))
    };
    build(&[])?;
    match build(&["--features", "with-std"]) {
        Err(why) if why.contains("E0152") => {}
        Err(why) => return Err(format!("with std it must be refused with E0152, but the reason was\n{why}")),
        Ok(_) => return Err("with std it must be refused, but it was built: the proof proves nothing".into()),
    }
    let tree =
        output(&mut cargo(&["tree", "--manifest-path", &manifest, "--edges", "normal,build", "--prefix", "none"]))?;
    let strange = strangers(&tree, may_use);
    if strange.is_empty() { Ok(()) } else { Err(strange.join("\n")) }
}

/// Builds and runs a crate in a temporary folder that has nothing but a `path` dependency on layout.
pub(crate) fn outside(workspace: &Workspace) -> Result<(), String> {
    let folder = Temporary(std::env::temp_dir().join(format!("weft-outside-{}", std::process::id())));
    consume(workspace, &folder.0, "default-features = false", CORE)?;
    consume(workspace, &folder.0, "", ALLOC)
}

/// Uses nothing that needs an allocator.
const CORE: (&str, &str) = (
    r#"use weft_layout::record::{Field, Record};
use weft_layout::{Divider32, FixedLayout, LayoutError};

const IMAGE: FixedLayout<3> = FixedLayout::row_major([2, 3, 4]);

fn main() -> Result<(), LayoutError> {
    println!("{} {}", IMAGE, IMAGE.offset_of([1, 1, 2])?);
    println!("{:?}", Divider32::new(7).map(|d| d.div_rem(100)));
    println!("{:?}", Record::new([Field::of::<u8>(), Field::of::<u32>()])?.offsets());
    Ok(())
}
"#,
    "(2,3,4):(12,4,1)@0 18\nSome((14, 2))\n[0, 4]\n",
);

/// The first thing anybody does.
const ALLOC: (&str, &str) = (
    r#"use weft_layout::{Layout, LayoutError};
fn main() -> Result<(), LayoutError> {
    let l = Layout::row_major([2, 3, 4])?.permute([2, 0, 1])?;
    println!("{l} {}", l.offset_of(&[2, 1, 1])?);
    println!("{}", l.permute([0, 0, 1]).is_err());
    Ok(())
}
"#,
    "(4,2,3):(1,12,4)@0 18\ntrue\n",
);

fn consume(workspace: &Workspace, folder: &Path, options: &str, (program, prints): (&str, &str)) -> Result<(), String> {
    let layout = workspace.root.join("crates/layout");
    let comma = if options.is_empty() { "" } else { ", " };
    let manifest = format!(
        "[package]\nname = \"outside\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n\
         weft-layout = {{ path = {:?}{comma}{options} }}\n",
        layout.display().to_string()
    );
    let told = |e: std::io::Error| format!("{}: {e}", folder.display());
    fs::create_dir_all(folder.join("src")).map_err(told)?;
    fs::write(folder.join("Cargo.toml"), manifest).map_err(told)?;
    fs::write(folder.join("src/main.rs"), program).map_err(told)?;
    // The same versions as here: cargo drops what this crate does not use.
    fs::copy(workspace.root.join("Cargo.lock"), folder.join("Cargo.lock")).map_err(told)?;
    let mut run = cargo(&["run", "--quiet"]);
    let printed = output(run.current_dir(folder).env("CARGO_TARGET_DIR", workspace.target.join("xtask/outside")))?;
    if printed == prints { Ok(()) } else { Err(format!("with {options:?} it printed {printed:?}, not {prints:?}")) }
}

/// A folder that goes away with this value.
pub(crate) struct Temporary(pub(crate) PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // What is left in a temporary folder does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}
