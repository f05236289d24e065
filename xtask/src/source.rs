//! Rust text as the tidy checks need it: the files of the tree, with comments and strings blanked out, and where functions lie.
//!
//! This is not a parser. It knows comments, literals, brackets and the word `fn`, which is enough to look for words in code.

use core::ops::Range;
use std::path::{Path, PathBuf};

/// One text file of the tree.
#[derive(Debug)]
pub(crate) struct Source {
    /// Relative to the root, with `/`.
    pub(crate) path: String,
    pub(crate) text: String,
    /// The text of the same length with comments and the insides of literals replaced by spaces. Line numbers are the same.
    pub(crate) code: String,
    pub(crate) functions: Vec<Function>,
}

/// A function with a name, as byte ranges of the file.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    /// From its visibility to the end of its return type and `where` clause.
    pub(crate) header: Range<usize>,
    /// Empty where it has none (a trait's declaration).
    pub(crate) body: Range<usize>,
    pub(crate) is_public: bool,
    pub(crate) is_const: bool,
}

impl Source {
    pub(crate) fn new(path: &str, text: &str) -> Source {
        let code = if path.ends_with(".rs") { blank(text) } else { String::new() };
        let functions = functions(&code);
        Source { path: path.into(), text: text.into(), code, functions }
    }

    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Whether the path says that this is test code.
    pub(crate) fn is_test_file(&self) -> bool {
        self.path.split('/').any(|part| matches!(part, "tests" | "tests.rs" | "benches" | "examples"))
    }

    /// Source that is compiled into one of the published crates.
    pub(crate) fn is_library_of(&self, folder: &str) -> bool {
        self.is_rust() && self.path.starts_with(&format!("{folder}/src/")) && !self.is_test_file()
    }

    /// The code with every `#[cfg(test)]` item blanked as well.
    pub(crate) fn code_without_tests(&self) -> String {
        let mut code = self.code.clone().into_bytes();
        for (at, _) in self.code.match_indices("#[cfg(test)]") {
            let end = item_end(&self.code, at + "#[cfg(test)]".len());
            code[at..end].iter_mut().filter(|b| **b != b'\n').for_each(|b| *b = b' ');
        }
        String::from_utf8_lossy(&code).into_owned()
    }

    pub(crate) fn line(&self, at: usize) -> usize {
        self.text.as_bytes()[..at].iter().filter(|b| **b == b'\n').count() + 1
    }

    /// `path:line`, as a terminal can open it.
    pub(crate) fn place(&self, at: usize) -> String {
        format!("{}:{}", self.path, self.line(at))
    }

    /// The innermost function whose body holds `at`.
    pub(crate) fn enclosing(&self, at: usize) -> Option<&Function> {
        self.functions.iter().filter(|f| f.body.contains(&at)).min_by_key(|f| f.body.len())
    }

    /// Whether `at` lies in an `impl … for …`, whose functions are as public as the trait.
    pub(crate) fn implements_trait_at(&self, at: usize) -> bool {
        words(&self.code, "impl").any(|start| {
            let header = self.code[start..].split('{').next().unwrap_or_default();
            let block = start..item_end(&self.code, start);
            !header.contains(';')
                && words(header, "for").any(|w| !header[w..].starts_with("for<"))
                && block.contains(&at)
        })
    }

    /// The signature on one line, with single spaces.
    pub(crate) fn signature(&self, function: &Function) -> String {
        self.code[function.header.clone()].split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// Where `word` stands in `code` as a whole word.
pub(crate) fn words<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let is_word = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    code.match_indices(word).map(|(at, _)| at).filter(move |&at| {
        let bytes = code.as_bytes();
        !is_word(at.checked_sub(1).and_then(|i| bytes.get(i))) && !is_word(bytes.get(at + word.len()))
    })
}

/// Every file under `root` that is not built or git's own, in name order.
pub(crate) fn walk(root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let is_folder = entry.file_type().is_ok_and(|t| t.is_dir());
            if is_folder && !matches!(entry.file_name().to_str(), Some("target" | ".git")) {
                folders.push(path);
            } else if !is_folder {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Replaces comments, and what stands inside string and character literals, by spaces.
fn blank(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let after_word = at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_');
        let end = if rest.starts_with(b"//") {
            at + rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len())
        } else if rest.starts_with(b"/*") {
            at + block_comment(rest)
        } else if rest[0] == b'"' {
            at + quoted(rest, b'"')
        } else if let Some(length) = raw_string(rest).filter(|_| !after_word || bytes[at - 1] == b'b') {
            at + length
        } else if let Some(length) = character(rest) {
            at + length
        } else {
            at += 1;
            continue;
        };
        out[at..end].iter_mut().filter(|b| **b != b'\n').for_each(|b| *b = b' ');
        at = end;
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn block_comment(text: &[u8]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        match &text[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

fn quoted(text: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < text.len() && text[at] != quote {
        at += if text[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(text.len())
}

fn raw_string(text: &[u8]) -> Option<usize> {
    let hashes = text.strip_prefix(b"r")?.iter().take_while(|b| **b == b'#').count();
    let inside = text.get(1 + hashes..)?.strip_prefix(b"\"")?;
    let closing: Vec<u8> = [b'"'].into_iter().chain(core::iter::repeat_n(b'#', hashes)).collect();
    let length = inside.windows(closing.len()).position(|w| w == closing)?;
    Some(1 + hashes + 1 + length + closing.len())
}

/// The length of a character literal; a lifetime is none.
fn character(text: &[u8]) -> Option<usize> {
    match text {
        [b'\'', b'\\', ..] => Some(quoted(text, b'\'')),
        [b'\'', first, ..] => {
            let width =
                if *first < 0x80 { 1 } else { text[1..].iter().skip(1).take_while(|b| *b & 0xc0 == 0x80).count() + 1 };
            (text.get(1 + width) == Some(&b'\'')).then_some(width + 2)
        }
        _ => None,
    }
}

fn functions(code: &str) -> Vec<Function> {
    let public_traits: Vec<Range<usize>> = ["pub trait ", "pub unsafe trait "]
        .iter()
        .flat_map(|t| code.match_indices(t))
        .map(|(at, _)| at..item_end(code, at))
        .collect();
    let mut found = Vec::new();
    for at in words(code, "fn") {
        let name: String =
            code[at + 2..].trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        if name.is_empty() {
            continue;
        }
        let start = code[..at].rfind(['{', '}', ';', ']', ')']).map_or(0, |i| i + 1);
        // The `)` of `pub(crate)` ends the search too, and that is right: such a function is not public.
        let before = code[start..at].trim_start();
        let header_end = at + ends_at_depth_zero(&code[at..], &['{', ';']);
        let body_end = item_end(code, at);
        found.push(Function {
            name,
            header: start..header_end,
            body: header_end..if code[header_end..].starts_with('{') { body_end } else { header_end },
            is_public: before.starts_with("pub ") || public_traits.iter().any(|t| t.contains(&at)),
            is_const: words(before, "const").next().is_some(),
        });
    }
    found
}

/// Where the item that starts at `from` ends: behind its matching `}`, or behind its `;` where it has no body.
pub(crate) fn item_end(code: &str, from: usize) -> usize {
    let open = from + ends_at_depth_zero(&code[from..], &['{', ';']);
    if !code[open..].starts_with('{') {
        return (open + 1).min(code.len());
    }
    let mut depth = 0;
    for (i, c) in code[open..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return open + i + 1;
        }
    }
    code.len()
}

/// The first of `stops` outside round and square brackets: `[usize; N]` has no end in it.
fn ends_at_depth_zero(code: &str, stops: &[char]) -> usize {
    let mut depth = 0;
    for (i, c) in code.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            c if depth <= 0 && stops.contains(&c) => return i,
            _ => {}
        }
    }
    code.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_blanked_in_place() {
        let text = "a /* x /* y */ z */ \"q\\\"r\" r#\"raw \" in\"# 'c' '\\'' 'é' &'a str // tail é\nb";
        let code = blank(text);
        assert_eq!(code.len(), text.len());
        assert_eq!(code.split_whitespace().collect::<Vec<_>>(), ["a", "&'a", "str", "b"]);
    }

    #[test]
    fn functions_have_names_visibility_and_bodies() {
        let s = Source::new(
            "a.rs",
            "pub fn one(a: [u8; 2]) -> u8 { inner(|| { 1 }) }\npub(crate) const fn two() {}\n\
             pub trait T { fn three(&self); }\nimpl X { #[inline] pub const fn four() { fn five() { here } } }",
        );
        let seen: Vec<_> = s.functions.iter().map(|f| (f.name.as_str(), f.is_public, f.is_const)).collect();
        let expected = [("one", true, false), ("two", false, true), ("three", true, false), ("four", true, true)];
        assert_eq!(seen[..4], expected);
        assert_eq!(s.signature(&s.functions[0]), "pub fn one(a: [u8; 2]) -> u8");
        assert_eq!(s.enclosing(s.code.find("here").unwrap()).unwrap().name, "five");
        assert_eq!(s.enclosing(s.code.find("inner").unwrap()).unwrap().name, "one");
        assert!(s.functions[2].body.is_empty());
    }

    #[test]
    fn test_modules_are_left_out() {
        let s = Source::new(
            "a.rs",
            "fn a() { x }\n#[cfg(test)]\nmod tests { fn b() { y } }\nfn c() { z }\n#[cfg(test)] mod u;",
        );
        let code = s.code_without_tests();
        assert_eq!(code.len(), s.text.len());
        assert!(code.contains('x') && code.contains('z') && !code.contains('y') && !code.contains("mod"));
    }

    #[test]
    fn words_are_whole_and_lines_count_from_one() {
        assert_eq!(words("unsafe_code unsafe xunsafe", "unsafe").collect::<Vec<_>>(), [12]);
        let s = Source::new("crates/layout/src/a.rs", "x\ny");
        assert_eq!(s.place(2), "crates/layout/src/a.rs:2");
        assert!(s.is_library_of("crates/layout") && !s.is_library_of("crates/device"));
    }
}
