//! The README's commands exist, and CI runs the one it names.

use super::Findings;
use crate::metadata::Package;
use crate::source::Source;

const COMMANDS: [&str; 7] = ["test", "tidy", "bench", "instructions", "sanitize", "kernels", "shim"];
const THE_COMMAND: &str = "cargo xtask test";

/// Each `cargo run --example x` and `cargo xtask x` in a code block of the README is one that exists.
pub(crate) fn commands_exist(sources: &[Source], packages: &[Package]) -> Findings {
    let mut findings = Findings::new();
    for command in commands(text(sources, "README.md")) {
        let words: Vec<&str> = command.split_whitespace().collect();
        let unknown = match words[..] {
            ["cargo", "xtask", name, ..] => !COMMANDS.contains(&name) && !name.starts_with('-'),
            ["cargo", "run", ..] => {
                let example = words.iter().position(|w| *w == "--example").and_then(|i| words.get(i + 1));
                example.is_none_or(|e| !packages.iter().any(|p| p.examples.iter().any(|x| x == e)))
            }
            _ => false,
        };
        if unknown {
            findings.push(format!("README.md: there is no `{command}`"));
        }
    }
    findings
}

/// `.ci/run` and the README name the same command.
pub(crate) fn ci_runs_the_command_of_the_readme(sources: &[Source]) -> Findings {
    let mut findings = Findings::new();
    if !commands(text(sources, "README.md")).any(|c| c == THE_COMMAND) {
        findings.push(format!("README.md: no code block has the line `{THE_COMMAND}`"));
    }
    let ci = text(sources, ".ci/run");
    if !ci.lines().any(|l| l.trim().trim_start_matches("exec ") == THE_COMMAND) {
        findings.push(format!(".ci/run: does not run `{THE_COMMAND}`"));
    }
    findings
}

fn text<'a>(sources: &'a [Source], path: &str) -> &'a str {
    sources.iter().find(|s| s.path == path).map_or("", |s| s.text.as_str())
}

/// The lines that start with `cargo` inside fenced blocks, without their comments and prompts.
fn commands(markdown: &str) -> impl Iterator<Item = &str> {
    let blocks = markdown.split("```").skip(1).step_by(2);
    let lines = blocks.flat_map(str::lines).map(|l| l.trim().trim_start_matches("$ "));
    lines.map(|l| l.split(" #").next().unwrap_or(l).trim()).filter(|l| l.starts_with("cargo "))
}

#[cfg(test)]
mod tests {
    use super::super::one;
    use super::*;

    fn readme(block: &str) -> [Source; 1] {
        one("README.md", &format!("# weft\n\n```sh\n{block}\n```\n\ncargo xtask nonsense is prose\n"))
    }

    #[test]
    fn a_command_that_does_not_exist_is_seen() {
        let packages = [Package { examples: vec!["tour".into()], ..Package::default() }];
        assert_eq!(commands_exist(&readme("cargo xtask tset"), &packages).len(), 1);
        assert_eq!(commands_exist(&readme("$ cargo run --release --example tuor"), &packages).len(), 1);
        let good = "cargo run --release --example tour   # draws\ncargo xtask test\ncargo xtask --help";
        assert!(commands_exist(&readme(good), &packages).is_empty());
    }

    #[test]
    fn another_command_in_ci_is_seen() {
        let [readme] = readme("cargo xtask test");
        let good = Source::new(".ci/run", "#!/usr/bin/env bash\nexec cargo xtask test\n");
        assert!(ci_runs_the_command_of_the_readme(&[readme, good]).is_empty());
        let bad = Source::new(".ci/run", "cargo test\n");
        assert_eq!(ci_runs_the_command_of_the_readme(&[bad]).len(), 2);
    }
}
