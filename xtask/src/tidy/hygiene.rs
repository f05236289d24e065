//! How files must look: a first sentence, a bearable length, nothing unfinished, nothing of one machine only.

use super::Findings;
use crate::source::{Source, words};

const LONGEST: usize = 500;

/// Longer files, each with its reason. The list is meant to be empty.
const MAY_BE_LONG: [(&str, &str); 0] = [];

/// Text that belongs to one machine or one mirror. In pieces, because this file is checked too.
const FOREIGN: [&str; 8] = [
    concat!("/wo", "rk/"),
    concat!("/ho", "me/"),
    concat!("/ro", "ot/"),
    concat!("/Us", "ers/"),
    concat!("index.cra", "tes.io"),
    concat!("static.cra", "tes.io"),
    concat!("py", "pi.org"),
    concat!("python", "hosted.org"),
];

const REGISTRY: &str = "\"registry+https://github.com/rust-lang/crates.io-index\"";

/// The first line of a Rust file is `//!`: what the file is for. trybuild's cases are exempt, their text is the test.
pub(crate) fn every_file_says_what_it_is_for(sources: &[Source]) -> Findings {
    let silent = sources.iter().filter(|s| s.is_rust() && !is_compile_fail_case(s) && !s.text.starts_with("//!"));
    silent.map(|s| format!("{}: does not start with `//!` and what the file is for", s.path)).collect()
}

pub(crate) fn no_long_files(sources: &[Source]) -> Findings {
    let mut findings = Findings::new();
    for source in sources.iter().filter(|s| s.is_rust()) {
        let lines = source.text.lines().count();
        if lines > LONGEST && !MAY_BE_LONG.iter().any(|(path, _)| *path == source.path) {
            findings.push(format!("{}: {lines} lines; a file is one idea, {LONGEST} lines at most", source.path));
        }
    }
    findings
}

/// No placeholder, no debugging aid, no test that does not run.
pub(crate) fn no_unfinished_code(sources: &[Source]) -> Findings {
    let mut findings = Findings::new();
    for source in sources.iter().filter(|s| s.is_rust()) {
        for word in ["todo", "unimplemented", "dbg"] {
            let calls = words(&source.code, word).filter(|at| source.code[at + word.len()..].starts_with('!'));
            findings.extend(calls.map(|at| format!("{}: {word}!", source.place(at))));
        }
        for (at, _) in source.code.match_indices("#[ignore") {
            findings.push(format!(
                "{}: an ignored test; see CONTRIBUTING.md for how a test says that it cannot run",
                source.place(at)
            ));
        }
        for fence in [concat!("```", "ignore"), concat!("```rust", ",ignore")] {
            let hits = source.text.match_indices(fence);
            findings.extend(hits.map(|(at, _)| format!("{}: an example that is not compiled", source.place(at))));
        }
    }
    findings
}

pub(crate) fn no_foreign_words(sources: &[Source]) -> Findings {
    let mut findings = Findings::new();
    for source in sources {
        for word in FOREIGN {
            let hits = source.text.match_indices(word);
            findings
                .extend(hits.map(|(at, _)| format!("{}: `{word}` means nothing on another machine", source.place(at))));
        }
    }
    findings
}

/// A mirror in a lock file would be asked for by everybody.
pub(crate) fn lock_files_name_the_public_registry(sources: &[Source]) -> Findings {
    let mut findings = Findings::new();
    for lock in sources.iter().filter(|s| s.path.ends_with("Cargo.lock")) {
        for line in lock.text.lines().filter(|l| l.starts_with("source = ") && !l.ends_with(REGISTRY)) {
            findings.push(format!("{}: {line}", lock.path));
        }
    }
    findings
}

/// A compile-fail case without its expected message, or a message without its case, tests nothing.
pub(crate) fn compile_fail_files_come_in_pairs(sources: &[Source]) -> Findings {
    let mut findings = Findings::new();
    for source in sources {
        if let Some(stem) = source.path.strip_suffix(".stderr") {
            let case = format!("{stem}.rs");
            if !sources.iter().any(|s| s.path == case) {
                findings.push(format!("{}: has no {case}", source.path));
            }
        }
    }
    findings
}

fn is_compile_fail_case(source: &Source) -> bool {
    source.path.contains("/tests/ui/")
}

#[cfg(test)]
mod tests {
    use super::super::one;
    use super::*;

    #[test]
    fn a_file_without_its_sentence_is_seen() {
        assert_eq!(every_file_says_what_it_is_for(&one("a/src/x.rs", "use core::fmt;\n")).len(), 1);
        assert!(every_file_says_what_it_is_for(&one("a/src/x.rs", "//! Says it.\n")).is_empty());
        assert!(every_file_says_what_it_is_for(&one("a/tests/ui/x.rs", "fn main() {}\n")).is_empty());
    }

    #[test]
    fn a_long_file_is_seen() {
        assert_eq!(no_long_files(&one("a.rs", &"\n".repeat(LONGEST + 1))).len(), 1);
        assert!(no_long_files(&one("a.rs", &"\n".repeat(LONGEST))).is_empty());
        assert!(no_long_files(&one("a.lock", &"\n".repeat(9000))).is_empty());
    }

    #[test]
    fn unfinished_code_is_seen_but_not_its_mention() {
        let bad =
            "fn a() { todo!() }\nfn b() { unimplemented!() }\nfn c() { dbg!(1); }\n#[ignore = \"slow\"]\nfn d() {}\n";
        assert_eq!(no_unfinished_code(&one("a.rs", bad)).len(), 4);
        assert!(no_unfinished_code(&one("a.rs", "// todo!() and \nfn a() { \"dbg!\"; my_dbg!() }")).is_empty());
        let example = concat!("/// ```", "ignore\n/// x\n/// ```\nfn a() {}");
        assert_eq!(no_unfinished_code(&one("a.rs", example)).len(), 1);
    }

    #[test]
    fn a_path_of_one_machine_is_seen() {
        for word in FOREIGN {
            assert_eq!(no_foreign_words(&one("README.md", &format!("see {word}x"))).len(), 1);
        }
        assert!(no_foreign_words(&one("README.md", "network, homework, target/xtask")).is_empty());
    }

    #[test]
    fn a_mirror_in_a_lock_file_is_seen() {
        let good = format!("[[package]]\nsource = {REGISTRY}\n");
        assert!(lock_files_name_the_public_registry(&one("Cargo.lock", &good)).is_empty());
        assert_eq!(
            lock_files_name_the_public_registry(&one("a/Cargo.lock", &good.replace("github.com", "mirror"))).len(),
            1
        );
    }

    #[test]
    fn a_message_without_its_case_is_seen() {
        assert_eq!(compile_fail_files_come_in_pairs(&one("a/tests/ui/x.stderr", "error")).len(), 1);
        let pair = [Source::new("a/tests/ui/x.stderr", "error"), Source::new("a/tests/ui/x.rs", "fn main() {}")];
        assert!(compile_fail_files_come_in_pairs(&pair).is_empty());
    }
}
