//! Frozen snapshots: every `.snap` file is one that some test compared against, and no unreviewed one lies about.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::source::walk;

/// Compares the snapshot files under `root` with the list that insta wrote into `references` while the tests ran.
pub(crate) fn check(root: &Path, references: &Path) -> Result<(), String> {
    // A workspace without one snapshot test never writes the file.
    let listed = std::fs::read_to_string(references).unwrap_or_default();
    let referenced = listed.lines().map(|l| canonical(&root.join(l))).collect();
    let on_disk: Vec<PathBuf> = walk(root);
    let wrong = unwanted(&on_disk, &referenced);
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

fn unwanted(on_disk: &[PathBuf], referenced: &BTreeSet<PathBuf>) -> Vec<String> {
    let mut wrong = Vec::new();
    for file in on_disk {
        let name = file.to_string_lossy();
        if name.ends_with(".snap.new") || name.ends_with(".pending-snap") {
            wrong.push(format!(
                "{name}: a snapshot nobody has accepted; look at it, then INSTA_UPDATE=always or delete it"
            ));
        } else if name.ends_with(".snap") && !referenced.contains(&canonical(file)) {
            wrong.push(format!("{name}: no test compares against this snapshot; delete it"));
        }
    }
    wrong
}

/// Insta writes paths as it builds them, such as `tests/../tests/snapshots`.
fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unreferenced_and_unaccepted_snapshots_are_found() {
        let on_disk =
            ["a/used.snap", "a/stale.snap", "a/new.snap.new", "a/.x.rs.pending-snap", "a/lib.rs"].map(PathBuf::from);
        let wrong = unwanted(&on_disk, &BTreeSet::from([PathBuf::from("a/used.snap")]));
        assert_eq!(wrong.len(), 3, "{wrong:?}");
        assert!(wrong[0].starts_with("a/stale.snap: no test") && wrong[1].starts_with("a/new.snap.new: a snapshot"));
    }
}
