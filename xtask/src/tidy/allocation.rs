//! Invariant 4: in `view` only `to_*` and `try_*` make memory for elements, by themselves or through what they call.

use std::collections::BTreeSet;

use super::{Findings, library};
use crate::source::{Function, Source, words};

/// What makes element memory. A name here is found wherever it is called.
const ALLOCATES: [&str; 10] = [
    "alloc_zeroed",
    "alloc_uninit",
    "Buffer::uninit",
    "Buffer::new_zeroed",
    "Buffer::from_slice",
    "Buffer::from_vec",
    ".zeros",
    ".full",
    ".empty",
    ".tensor",
];

/// Names that slices of numbers share with views: `shape.to_vec()` copies no element.
const AMBIGUOUS: [&str; 1] = ["to_vec"];

/// Follows calls by name: whoever calls a function that allocates, allocates.
pub(crate) fn views_allocate_only_where_the_name_says(sources: &[Source]) -> Findings {
    let crate_: Vec<Text> = library(sources).filter(|s| s.path.starts_with("crates/view/")).map(Text::new).collect();
    let mut names: BTreeSet<String> = BTreeSet::new();
    let mut findings = Findings::new();
    loop {
        let mut found = Vec::new();
        for text in &crate_ {
            let calls = ALLOCATES.into_iter().chain(names.iter().map(String::as_str)).flat_map(|n| text.calls(n));
            found.extend(calls.filter_map(|at| text.source.enclosing(at)).map(|f| (text, f)));
        }
        let before = names.len();
        names.extend(found.iter().map(|(_, f)| f.name.clone()).filter(|n| !AMBIGUOUS.contains(&&n[..])));
        if names.len() == before {
            for (text, function) in found {
                let named = function.name.starts_with("to_") || function.name.starts_with("try_");
                if text.is_exposed(function) && !named {
                    let place = text.source.place(function.header.end);
                    findings
                        .push(format!("{place}: {} allocates; its name must start with to_ or try_", function.name));
                }
            }
            findings.dedup();
            return findings;
        }
    }
}

/// A file without its tests, and where it implements traits.
struct Text<'a> {
    source: &'a Source,
    code: String,
}

impl<'a> Text<'a> {
    fn new(source: &'a Source) -> Text<'a> {
        Text { source, code: source.code_without_tests() }
    }

    fn calls<'b>(&'b self, name: &'b str) -> impl Iterator<Item = usize> + 'b {
        let starts_word = name.starts_with(|c: char| c.is_alphanumeric());
        let hits = if starts_word { words(&self.code, name).collect() } else { self.plain(name) };
        hits.into_iter().filter(move |at| {
            let after = &self.code[at + name.len()..];
            (after.starts_with('(') || after.starts_with("::<")) && !self.code[..*at].trim_end().ends_with("fn")
        })
    }

    fn plain(&self, name: &str) -> Vec<usize> {
        self.code.match_indices(name).map(|(at, _)| at).collect()
    }

    /// Whether users can call it: public, or a trait's.
    fn is_exposed(&self, function: &Function) -> bool {
        function.is_public || self.source.implements_trait_at(function.header.end)
    }
}

#[cfg(test)]
mod tests {
    use super::super::one;
    use super::*;

    fn count(text: &str) -> usize {
        views_allocate_only_where_the_name_says(&one("crates/view/src/a.rs", text)).len()
    }

    #[test]
    fn a_silent_allocation_is_seen() {
        assert_eq!(count("impl V { pub fn permute(&self) { self.device().zeros::<T>(shape) } }"), 1);
        assert_eq!(count("impl V { pub fn to_contiguous(&self) { self.device().zeros::<T>(shape) } }"), 0);
        assert_eq!(count("impl From<A> for V { fn from(a: A) -> V { Buffer::uninit(1) } }"), 1);
        let elsewhere = one("crates/tensor/src/a.rs", "pub fn ones() { Buffer::uninit(1) }");
        assert!(views_allocate_only_where_the_name_says(&elsewhere).is_empty());
    }

    #[test]
    fn a_silent_allocation_in_a_helper_is_seen() {
        let helpers = "fn made(n: usize) { unsafe { Buffer::uninit(n) } }\nfn filled(n: usize) { made(n) }\n";
        assert_eq!(count(helpers), 0);
        assert_eq!(count(&format!("{helpers}impl V {{ pub fn flip(&self) {{ filled(1) }} }}")), 1);
        assert_eq!(count(&format!("{helpers}impl V {{ pub fn try_add(&self) {{ filled(1) }} }}")), 0);
        assert_eq!(count("impl V { pub fn flip(&self) { self.shape().to_vec() } }"), 0);
    }
}
