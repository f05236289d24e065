//! `crates/device/ptx/MANIFEST`: what the committed PTX was made from. Comparing it needs neither compiler nor network.

use std::fs;

use sha2::{Digest as _, Sha256};

use super::{File, OPTIONS, Places, WIDTHS, at, read, tools};

pub(super) const NAME: &str = "MANIFEST";

const HEAD: &str = "# Written by `cargo xtask kernels`: SHA-256 of the compiler's pin, of the sources, and of the PTX made from them.\n";

/// The manifest that belongs to the sources as they are and to `ptx`.
pub(super) fn text(places: &Places, ptx: &[File]) -> Result<String, String> {
    let pin = places.sources.join(tools::COMPILER.file);
    let pin = fs::read(&pin).map_err(|e| at(&pin, &e))?;
    let mut text = format!("{HEAD}toolchain {}\noptions {}\n", hash(&pin), OPTIONS.join(" "));
    for (width, define) in WIDTHS {
        text += &format!("{width} {define}\n");
    }
    let sources = [read(&places.sources, "cu")?, read(&places.sources, "cuh")?];
    for file in sources.iter().flatten().chain(ptx) {
        text += &format!("{} {}\n", file.name, hash(file.text.as_bytes()));
    }
    Ok(text)
}

/// Whether the committed manifest is that of the sources and the PTX as they are.
pub(super) fn check(places: &Places) -> Result<(), String> {
    let path = places.ptx.join(NAME);
    let committed = fs::read_to_string(&path).map_err(|e| at(&path, &e))?;
    let expected = text(places, &read(&places.ptx, "ptx")?)?;
    let stale = changed(&committed, &expected);
    if stale.is_empty() {
        println!("kernels: the committed PTX belongs to these sources");
        return Ok(());
    }
    Err(format!("kernels: changed since the PTX was built: {}; run `cargo xtask kernels`", stale.join(", ")))
}

/// The first words of the lines that only one of the two has.
fn changed<'a>(committed: &'a str, expected: &'a str) -> Vec<&'a str> {
    let only = |a: &'a str, b: &'a str| a.lines().filter(move |line| b.lines().all(|other| other != *line));
    let mut names: Vec<&str> = only(committed, expected)
        .chain(only(expected, committed))
        .map(|line| line.split(' ').next().unwrap_or(line))
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

pub(super) fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_is_named() {
        let old = "options -O3\na.cu 11\nb.cu 22\n";
        assert_eq!(changed(old, old), [""; 0]);
        assert_eq!(changed(old, "options -O3\na.cu 12\nb.cu 22\n"), ["a.cu"]);
        assert_eq!(changed(old, "options -O2\na.cu 11\n"), ["b.cu", "options"]);
    }

    #[test]
    fn hashes_are_sha_256() {
        assert_eq!(hash(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }
}
