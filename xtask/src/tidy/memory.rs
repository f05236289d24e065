//! Unsafe code and panics.

use super::{Findings, library};
use crate::source::{Function, Source, words};

/// Invariant 1: `layout` is arithmetic. (Its tests may count allocations, which is unsafe.)
pub(crate) fn layout_has_no_unsafe(sources: &[Source]) -> Findings {
    let mut findings = Findings::new();
    for source in sources.iter().filter(|s| s.is_library_of("crates/layout")) {
        findings.extend(words(&source.code, "unsafe").map(|at| format!("{}: unsafe in layout", source.place(at))));
    }
    findings
}

/// Every `unsafe {` and `unsafe impl` has a `// SAFETY:` comment of its own. (Clippy looks too; it does not see every macro.)
pub(crate) fn unsafe_has_its_reason(sources: &[Source]) -> Findings {
    let mut findings = Findings::new();
    for source in sources.iter().filter(|s| s.is_rust()) {
        for at in words(&source.code, "unsafe") {
            let next = source.code[at + "unsafe".len()..].trim_start();
            if (next.starts_with('{') || next.starts_with("impl")) && !reason_above(source, at) {
                findings.push(format!("{}: unsafe without a `// SAFETY:` comment", source.place(at)));
            }
        }
    }
    findings
}

/// Looks up from the line of `at`, over the rest of its statement and attributes, for a comment block with the reason.
fn reason_above(source: &Source, at: usize) -> bool {
    let line = source.line(at) - 1;
    let text: Vec<&str> = source.text.lines().collect();
    let code: Vec<&str> = source.code.lines().collect();
    if text[line].contains("SAFETY:") {
        return true;
    }
    let mut in_comment = false;
    for i in (0..line).rev() {
        if text[i].trim_start().starts_with("//") {
            in_comment = true;
            if text[i].contains("SAFETY:") {
                return true;
            }
        } else if in_comment || code[i].trim_end().ends_with(['{', '}', ';']) || code[i].trim().is_empty() {
            return false;
        }
    }
    false
}

/// Invariant 7: a panic is for `Index` (or for what only `Index` calls), for constants, where it is a compile error, and for
/// debug assertions.
pub(crate) fn nothing_panics(sources: &[Source]) -> Findings {
    let mut findings = Findings::new();
    for source in library(sources) {
        let code = source.code_without_tests();
        for word in ["panic", "assert", "assert_eq", "assert_ne"] {
            for at in words(&code, word).filter(|at| code[at + word.len()..].starts_with('!')) {
                let allowed = source.enclosing(at).is_none_or(|f| {
                    let never_returns = source.signature(f).ends_with("-> !");
                    f.is_const || is_index(f) || (never_returns && only_index_calls(sources, &f.name))
                });
                if !allowed && !in_const_block(&code, at) {
                    findings.push(format!("{}: {word}! outside of Index; return an error", source.place(at)));
                }
            }
        }
    }
    findings
}

fn is_index(function: &Function) -> bool {
    matches!(&function.name[..], "index" | "index_mut")
}

/// Whether every call of the function `name` in the crates stands in an `index` or `index_mut`.
fn only_index_calls(sources: &[Source], name: &str) -> bool {
    library(sources).all(|s| {
        let is_call = |at: &usize| {
            let before = s.code[..*at].trim_end();
            s.code[at + name.len()..].starts_with('(') && !before.ends_with("fn")
        };
        words(&s.code, name).filter(is_call).all(|at| s.enclosing(at).is_some_and(is_index))
    })
}

/// Whether the innermost block around `at` is a `const { … }`.
fn in_const_block(code: &str, at: usize) -> bool {
    let mut depth = 0;
    for (i, c) in code[..at].char_indices().rev() {
        match c {
            '}' => depth += 1,
            '{' if depth == 0 => return code[..i].trim_end().ends_with("const"),
            '{' => depth -= 1,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::one;
    use super::*;

    #[test]
    fn unsafe_in_layout_is_seen() {
        let bad = "#![forbid(unsafe_code)]\n// unsafe\nfn a() { unsafe { x() } }";
        assert_eq!(layout_has_no_unsafe(&one("crates/layout/src/a.rs", bad)).len(), 1);
        assert!(layout_has_no_unsafe(&one("crates/device/src/a.rs", bad)).is_empty());
        assert!(layout_has_no_unsafe(&one("crates/layout/tests/a.rs", bad)).is_empty());
    }

    #[test]
    fn unsafe_without_reason_is_seen() {
        for bad in [
            "fn a() { unsafe { x() } }",
            "// SAFETY: A1.\nunsafe impl Send for A {}\nunsafe impl Sync for A {}",
            "// SAFETY: of something else\nlet a = 1;\nlet b = unsafe { x() };",
            "// Not a reason.\nunsafe { x() }",
        ] {
            assert_eq!(unsafe_has_its_reason(&one("a.rs", bad)).len(), 1, "{bad}");
        }
        for good in [
            "// SAFETY: A1, and a\n// second line.\n#[inline]\nunsafe impl Send for A {}",
            "// SAFETY: A1.\nlet b =\n    call(unsafe { x() });",
            "let a = unsafe { x() }; // SAFETY: A1.",
            "unsafe fn a();\n#![deny(unsafe_op_in_unsafe_fn)]",
        ] {
            assert!(unsafe_has_its_reason(&one("a.rs", good)).is_empty(), "{good}");
        }
    }

    #[test]
    fn a_panic_is_seen_where_it_may_not_be() {
        let bad = "fn a() { panic!(\"x\") }\nfn b(x: u8) { assert_eq!(x, 1); }\n";
        assert_eq!(nothing_panics(&one("crates/view/src/a.rs", bad)).len(), 2);
        let good = "const _: () = assert!(true);\nconst fn c() { assert!(true) }\nfn index(&self) { panic!() }\n\
                    fn d() { debug_assert!(true); const { assert!(N > 0) } }\n#[cfg(test)]\nmod tests { fn e() { assert!(true) } }";
        assert!(nothing_panics(&one("crates/view/src/a.rs", good)).is_empty());
        assert!(nothing_panics(&one("crates/view/tests/a.rs", bad)).is_empty());
        let helper = "fn index(&self) { out(1) }\nfn out(x: u8) -> ! { panic!() }\n";
        assert!(nothing_panics(&one("crates/view/src/a.rs", helper)).is_empty());
        assert_eq!(nothing_panics(&one("crates/view/src/a.rs", &format!("{helper}fn get() {{ out(2) }}"))).len(), 1);
    }
}
