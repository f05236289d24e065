//! `cargo xtask tidy`: the invariants of ARCHITECTURE.md, checked as absences. Each check is a function from text to findings.

mod allocation;
mod dependencies;
mod hygiene;
mod memory;
mod ownership;
mod readme;

pub(crate) use dependencies::strangers;

use crate::metadata::Workspace;
use crate::source::{Source, walk};
use crate::{Outcome, shim};

/// Says where, and what is wrong there.
type Findings = Vec<String>;

/// The command: prints what it finds.
pub(crate) fn run() -> Outcome {
    let found = check(&Workspace::load()?);
    if let Err(findings) = &found {
        println!("{findings}");
    }
    println!("tidy: {}", if found.is_ok() { "ok" } else { "the invariants do not hold" });
    Ok(found.is_ok())
}

/// All checks on this workspace; the error is one finding a line.
pub(crate) fn check(workspace: &Workspace) -> Result<(), String> {
    let sources = read(workspace);
    let mut findings = Findings::new();
    for on_text in [
        hygiene::every_file_says_what_it_is_for,
        hygiene::no_long_files,
        hygiene::no_unfinished_code,
        hygiene::no_foreign_words,
        hygiene::lock_files_name_the_public_registry,
        hygiene::compile_fail_files_come_in_pairs,
        memory::layout_has_no_unsafe,
        memory::unsafe_has_its_reason,
        memory::nothing_panics,
        allocation::views_allocate_only_where_the_name_says,
        ownership::only_device_names_cust,
        ownership::no_cust_type_is_public,
        ownership::device_knows_plans_only,
        ownership::no_exclusive_buffer_is_public,
        ownership::tensors_have_no_drop_copy_or_clone,
        ownership::only_tensors_own_gradients,
        readme::ci_runs_the_command_of_the_readme,
    ] {
        findings.extend(on_text(&sources));
    }
    for on_packages in [
        dependencies::folders_and_names_agree,
        dependencies::dependencies_point_one_way,
        dependencies::the_simulator_is_for_tests,
        dependencies::the_shim_stands_apart,
        dependencies::xtask_stands_apart,
    ] {
        findings.extend(on_packages(&workspace.packages));
    }
    findings.extend(dependencies::layout_needs_smallvec_only());
    findings.extend(dependencies::nothing_turns_cuda_on());
    findings.extend(shim::is_current().err());
    findings.extend(dependencies::the_workspace_lists_its_crates(&sources));
    findings.extend(readme::commands_exist(&sources, &workspace.packages));
    if findings.is_empty() { Ok(()) } else { Err(findings.join("\n")) }
}

/// Every text file of the tree. What is not UTF-8 is data.
fn read(workspace: &Workspace) -> Vec<Source> {
    walk(&workspace.root)
        .into_iter()
        .filter_map(|path| {
            let text = std::fs::read_to_string(&path).ok()?;
            let relative = path.strip_prefix(&workspace.root).ok()?.to_string_lossy().replace('\\', "/");
            Some(Source::new(&relative, &text))
        })
        .collect()
}

/// The Rust files of the four crates that are compiled into a user's program.
fn library(sources: &[Source]) -> impl Iterator<Item = &Source> {
    sources.iter().filter(|s| {
        let folder = s.path.split('/').take(2).collect::<Vec<_>>().join("/");
        folder.starts_with("crates/") && s.is_library_of(&folder)
    })
}

#[cfg(test)]
fn one(path: &str, text: &str) -> [Source; 1] {
    [Source::new(path, text)]
}
