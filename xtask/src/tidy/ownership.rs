//! What each crate may know, and what no public signature may hand out.

use super::{Findings, library};
use crate::source::{Source, words};

/// Invariant 2: `cust` is named by `device` alone.
pub(crate) fn only_device_names_cust(sources: &[Source]) -> Findings {
    let mut findings = Findings::new();
    for source in sources.iter().filter(|s| !s.path.starts_with("crates/device/")) {
        for word in ["cust", "cust_derive", "cust_core", "cust_raw"] {
            let used = words(&source.code, word).filter(|at| source.code[at + word.len()..].starts_with("::"));
            findings.extend(used.map(|at| format!("{}: names {word}; only weft-device may", source.place(at))));
            if source.path.ends_with("/Cargo.toml") {
                let key = |l: &&str| l.split(['=', '.']).next().is_some_and(|k| k.trim() == word);
                let hits = source.text.lines().filter(key);
                findings.extend(hits.map(|_| format!("{}: depends on {word}; only weft-device may", source.path)));
            }
        }
    }
    findings
}

/// Invariant 2: nobody needs cust to call us.
pub(crate) fn no_cust_type_is_public(sources: &[Source]) -> Findings {
    let mut findings = Findings::new();
    for source in library(sources).filter(|s| s.path.starts_with("crates/device/")) {
        let mut names = vec!["cust".to_owned()];
        for (at, _) in source.code.match_indices("use cust") {
            let statement = source.code[at..].split(';').next().unwrap_or_default();
            let used = statement.split(|c: char| !c.is_alphanumeric() && c != '_');
            // Modules are lower case, and `cust` itself is in the list already.
            names.extend(used.filter(|n| n.starts_with(char::is_uppercase)).map(str::to_owned));
        }
        let mentions = |text: &str| names.iter().any(|n| words(text, n).next().is_some());
        for function in source.functions.iter().filter(|f| f.is_public) {
            if mentions(&source.code[function.header.clone()]) {
                findings.push(format!(
                    "{}: a cust type in {}",
                    source.place(function.header.end),
                    source.signature(function)
                ));
            }
        }
        for (at, _) in source.code.match_indices("pub ") {
            let item = &source.code[at + 4..];
            let end = item.find([',', ';', '{', '}', '\n']).unwrap_or(item.len());
            let is_item = ["use ", "type ", "static ", "const "].iter().any(|k| item.starts_with(k));
            let is_field = item[..end].split_once(':').is_some_and(|(name, _)| !name.trim().contains(['(', ' ']));
            if (is_item || is_field) && mentions(&item[..end]) {
                findings.push(format!("{}: pub {}: a cust type", source.place(at), item[..end].trim()));
            }
        }
    }
    findings
}

/// Writes a layout down for a kernel of the user's, as it is: the one place in `device` that sees one.
const SEES_LAYOUT: &str = "crates/device/src/cuda/arg.rs";

/// Invariant 2: `device` executes plans and does no view algebra.
pub(crate) fn device_knows_plans_only(sources: &[Source]) -> Findings {
    let mut findings = Findings::new();
    for source in library(sources).filter(|s| s.path.starts_with("crates/device/") && s.path != SEES_LAYOUT) {
        let code = source.code_without_tests();
        // `core::alloc::Layout` is another one, so only what comes from weft_layout counts.
        for at in words(&code, "weft_layout") {
            let path = code[at..].split([';', '(', ')']).next().unwrap_or_default();
            if words(path, "Layout").next().is_some() {
                findings.push(format!("{}: device knows plans, not Layout", source.place(at)));
            }
        }
    }
    findings
}

/// A `&mut Buffer` or `&mut Layout` handed out can be swapped with another tensor's, and then nothing said about it is true.
pub(crate) fn no_exclusive_buffer_is_public(sources: &[Source]) -> Findings {
    let mut findings = Findings::new();
    for source in library(sources).filter(|s| !s.path.starts_with("crates/layout/")) {
        for function in source.functions.iter().filter(|f| f.is_public) {
            let signature = source.signature(function);
            if has_exclusive(&signature, "Buffer") || has_exclusive(&signature, "Layout") {
                findings.push(format!("{}: {signature}", source.place(function.header.end)));
            }
        }
    }
    findings
}

fn has_exclusive(signature: &str, name: &str) -> bool {
    words(signature, name).any(|at| {
        let before = signature[..at].trim_end();
        let Some(before) = before.strip_suffix("mut") else { return false };
        let before = before.trim_end();
        before.ends_with('&') || before.rsplit('&').next().is_some_and(|l| l.starts_with('\'') && !l.contains(' '))
    })
}

/// A tensor moves or is copied by name; memory, not the tensor, frees itself (a field of a type with Drop cannot be moved out).
pub(crate) fn tensors_have_no_drop_copy_or_clone(sources: &[Source]) -> Findings {
    let mut findings = Findings::new();
    for source in library(sources) {
        for name in ["Tensor", "Buffer"] {
            for banned in ["Drop", "Copy", "Clone"] {
                let text = format!("{banned} for {name}");
                findings.extend(words(&source.code, &text).map(|at| format!("{}: impl {text}", source.place(at))));
            }
            for at in words(&source.code, &format!("pub struct {name}")) {
                let attributes = source.code[..at].rsplit(['}', ';']).next().unwrap_or_default();
                let derives = attributes.split("derive(").skip(1).filter_map(|d| d.split(')').next());
                for derive in
                    derives.flat_map(|d| d.split(',')).map(str::trim).filter(|d| matches!(*d, "Copy" | "Clone"))
                {
                    findings.push(format!("{}: derive({derive}) on {name}", source.place(at)));
                }
            }
        }
    }
    findings
}

/// Invariant 3: a field that owns a gradient stands in `tensor` alone.
pub(crate) fn only_tensors_own_gradients(sources: &[Source]) -> Findings {
    let mut findings = Findings::new();
    for source in library(sources).filter(|s| !s.path.starts_with("crates/tensor/")) {
        for at in words(&source.code, "grad") {
            let after = source.code[at + "grad".len()..].trim_start();
            let Some(kind) = after.strip_prefix(':') else { continue };
            let kind = kind.trim_start();
            if ["Buffer", "Option<Buffer", "Tensor", "Option<Tensor"].iter().any(|k| kind.starts_with(k)) {
                findings.push(format!("{}: owns a gradient outside of weft-tensor", source.place(at)));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::one;
    use super::*;

    #[test]
    fn cust_outside_of_device_is_seen() {
        let bad = "use cust::memory::DeviceBox;";
        assert_eq!(only_device_names_cust(&one("crates/view/src/a.rs", bad)).len(), 1);
        assert_eq!(only_device_names_cust(&one("crates/view/Cargo.toml", "[dependencies]\ncust = \"1\"\n")).len(), 1);
        assert_eq!(
            only_device_names_cust(&one("crates/view/Cargo.toml", "[dependencies]\ncust.workspace = true\n")).len(),
            1
        );
        assert!(only_device_names_cust(&one("crates/device/src/a.rs", bad)).is_empty());
        assert!(only_device_names_cust(&one("Cargo.toml", "cust = \"1\"")).is_empty());
    }

    #[test]
    fn a_public_cust_type_is_seen() {
        for bad in [
            "pub fn a() -> cust::Context { x }",
            "use cust::context::{Context, ContextFlags};\nimpl A { pub fn a(&self) -> &Context { x } }",
            "pub use cust::stream::Stream;",
            "use cust::stream::Stream;\npub struct A { pub stream: Stream }",
        ] {
            assert_eq!(no_cust_type_is_public(&one("crates/device/src/a.rs", bad)).len(), 1, "{bad}");
        }
        let good = "use cust::stream::Stream;\npub struct A { stream: Stream }\npub fn a(x: &A) -> u8 { x.stream.len() }\n\
                    pub(crate) fn b() -> Stream { x }";
        assert!(no_cust_type_is_public(&one("crates/device/src/a.rs", good)).is_empty());
    }

    #[test]
    fn view_algebra_in_device_is_seen() {
        assert_eq!(
            device_knows_plans_only(&one("crates/device/src/a.rs", "use weft_layout::{Layout, Plan};")).len(),
            1
        );
        assert_eq!(
            device_knows_plans_only(&one("crates/device/src/a.rs", "fn f(l: &weft_layout::Layout) {}")).len(),
            1
        );
        assert!(device_knows_plans_only(&one(SEES_LAYOUT, "use weft_layout::Layout;")).is_empty());
        let good = "use core::alloc::Layout;\nuse weft_layout::{LayoutError, Plan};\n#[cfg(test)]\nmod tests { use weft_layout::Layout; }";
        assert!(device_knows_plans_only(&one("crates/device/src/a.rs", good)).is_empty());
    }

    #[test]
    fn an_exclusive_buffer_is_seen() {
        for bad in [
            "pub fn parts_mut(&mut self) -> (&mut Buffer<T, D>, &Layout) { x }",
            "pub fn a<'a>(b: &'a mut Buffer<T>) {}",
            "pub fn layout_mut(&mut self) -> &mut Layout { x }",
            "pub trait A { fn b(&mut self) -> Option<&mut Buffer<u8>>; }",
        ] {
            assert_eq!(no_exclusive_buffer_is_public(&one("crates/tensor/src/a.rs", bad)).len(), 1, "{bad}");
        }
        for good in [
            "fn a(b: &mut Buffer<T>) {}",
            "pub(crate) fn a(b: &mut Buffer<T>) {}",
            "pub fn a(&mut self) -> &Buffer<T> { x }",
        ] {
            assert!(no_exclusive_buffer_is_public(&one("crates/tensor/src/a.rs", good)).is_empty(), "{good}");
        }
    }

    #[test]
    fn a_copied_or_dropped_tensor_is_seen() {
        for bad in [
            "impl<T: Element, D: Device> Drop for Tensor<T, D> {}",
            "impl<T> Clone for Buffer<T> {}",
            "#[derive(Debug, Clone)]\npub struct Tensor<T> { x: T }",
            "#[derive(Copy)]\n#[must_use]\npub struct Tensor<T> { x: T }",
        ] {
            assert_eq!(tensors_have_no_drop_copy_or_clone(&one("crates/tensor/src/a.rs", bad)).len(), 1, "{bad}");
        }
        let good = "#[derive(Clone)]\npub struct TensorOptions;\n#[derive(Debug)]\npub struct Tensor<T> { x: T }\nimpl Drop for Memory {}";
        assert!(tensors_have_no_drop_copy_or_clone(&one("crates/tensor/src/a.rs", good)).is_empty());
    }

    #[test]
    fn a_second_owner_of_gradients_is_seen() {
        let bad = "pub struct V { grad: Option<Buffer<T, D>> }";
        assert_eq!(only_tensors_own_gradients(&one("crates/view/src/a.rs", bad)).len(), 1);
        assert!(only_tensors_own_gradients(&one("crates/tensor/src/a.rs", bad)).is_empty());
        assert!(only_tensors_own_gradients(&one("crates/view/src/a.rs", "fn f(grad: &View<'_, T>) {}")).is_empty());
    }
}
