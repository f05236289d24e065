//! `cargo xtask shim`: writes the forwarding functions of weft-cuda-shim from its list of driver calls; `--check` compares.

mod bindings;

use std::collections::BTreeSet;
use std::fs;

use crate::Outcome;
use crate::process::root;

const LIST: &str = "crates/cuda-shim/driver-calls.txt";
const GENERATED: &str = "crates/cuda-shim/src/generated.rs";

/// These two are written by hand, because they also answer without a driver.
const BY_HAND: [&str; 2] = ["cuGetErrorString", "cuGetErrorName"];

/// How the list names a C type, and the Rust type that is passed alike.
const TYPES: [(&str, &str); 9] = [
    ("ptr", "Ptr"),
    ("i32", "i32"),
    ("u8", "u8"),
    ("u16", "u16"),
    ("u32", "u32"),
    ("u64", "u64"),
    ("f32", "f32"),
    ("usize", "usize"),
    ("bytes64", "Bytes64"),
];

pub(crate) fn write() -> Outcome {
    let path = root().join(GENERATED);
    fs::write(&path, generate(&read(LIST)?)?).map_err(|e| format!("{GENERATED}: {e}"))?;
    println!("shim: wrote {GENERATED}");
    Ok(true)
}

/// The command: prints what [`is_current`] and [`is_what_cust_raw_declares`] find.
pub(crate) fn check() -> Outcome {
    let found = is_current().and_then(|()| is_what_cust_raw_declares());
    println!("shim: {}", found.as_ref().err().map_or("ok", String::as_str));
    Ok(found.is_ok())
}

/// Whether the list has the calls of the bindings that the workspace uses, with the same arguments.
fn is_what_cust_raw_declares() -> Result<(), String> {
    let Some(source) = bindings::source()? else { return Err("nothing here uses cust_raw".into()) };
    let declared = bindings::calls(&source)?;
    let list = read(LIST)?;
    let listed: Vec<&str> = list.lines().filter(|l| l.starts_with("cu")).collect();
    let mut pairs = listed.iter().zip(&declared);
    if let Some((listed, declared)) = pairs.find(|(listed, declared)| listed != declared) {
        return Err(format!("{LIST}: has {listed} where cust_raw has {declared}"));
    }
    let (listed, declared) = (listed.len(), declared.len());
    if listed == declared { Ok(()) } else { Err(format!("{LIST}: {listed} calls, but cust_raw has {declared}")) }
}

/// Whether the generated file is what the list gives.
pub(crate) fn is_current() -> Result<(), String> {
    if generate(&read(LIST)?)? == read(GENERATED)? {
        Ok(())
    } else {
        Err(format!("{GENERATED}: is not what {LIST} gives; run `cargo xtask shim`"))
    }
}

fn read(path: &str) -> Result<String, String> {
    fs::read_to_string(root().join(path)).map_err(|e| format!("{path}: {e}"))
}

fn generate(list: &str) -> Result<String, String> {
    let mut names = BTreeSet::new();
    let mut calls = String::new();
    for (at, line) in list.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let wrong = |what: &str| format!("{LIST}:{}: {what}: {line}", at + 1);
        let (name, arguments) = parse(line).map_err(|what| wrong(&what))?;
        if !names.insert(name) {
            return Err(wrong("the same name again"));
        }
        if !BY_HAND.contains(&name) {
            calls += &format!("    {name}({arguments});\n");
        }
    }
    if let Some(missing) = BY_HAND.iter().find(|name| !names.contains(*name)) {
        return Err(format!("{LIST}: lacks {missing}"));
    }
    Ok(format!("{HEAD}{calls}}}\n"))
}

/// `cuInit(Flags: u32)` as the name and Rust's arguments. Their names stay in the list: they are C's and not ours.
fn parse(line: &str) -> Result<(&str, String), String> {
    let call = line.strip_suffix(')').and_then(|l| l.split_once('('));
    let Some((name, arguments)) = call else { return Err("not of the form name(argument: type, …)".into()) };
    if !name.starts_with("cu") || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
        return Err(format!("`{name}` is no driver call"));
    }
    let mut rust = Vec::new();
    for (at, argument) in arguments.split(',').filter(|a| !a.trim().is_empty()).enumerate() {
        let kind = argument.split_once(':').map_or("", |(_, kind)| kind.trim());
        let Some((_, kind)) = TYPES.iter().find(|(listed, _)| *listed == kind) else {
            return Err(format!("`{}` has no type of the list's", argument.trim()));
        };
        rust.push(format!("a{at}: {kind}"));
    }
    Ok((name, rust.join(", ")))
}

const HEAD: &str = "\
//! The forwarding functions. Written by `cargo xtask shim` from driver-calls.txt; do not edit.
#![allow(non_snake_case, reason = \"the names are the driver's\")]
#![allow(clippy::too_many_arguments, reason = \"the arguments are the driver's\")]

use crate::forward::{Bytes64, Ptr, forward};

forward! {
";

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str = "cuGetErrorString(error: u32, pStr: ptr)\ncuGetErrorName(error: u32, pStr: ptr)\n";

    #[test]
    fn calls_become_functions_and_the_two_by_hand_do_not() {
        let list = format!("# words\n\n{TWO}cuInit(Flags: u32)\ncuCtxSynchronize()\ncuX(a: ptr, b: bytes64)\n");
        let text = generate(&list).unwrap();
        assert!(text.ends_with(
            "forward! {\n    cuInit(a0: u32);\n    cuCtxSynchronize();\n    cuX(a0: Ptr, a1: Bytes64);\n}\n"
        ));
    }

    #[test]
    fn a_list_that_says_nonsense_is_refused() {
        for (line, what) in [
            ("cuInit", "not of the form"),
            ("malloc(n: usize)", "`malloc` is no driver call"),
            ("cuInit(Flags: unsigned)", "`Flags: unsigned` has no type"),
            ("cuInit(Flags)", "`Flags` has no type"),
            ("cuGetErrorName(error: u32, pStr: ptr)", "the same name again"),
        ] {
            let error = generate(&format!("{TWO}{line}\n")).unwrap_err();
            assert!(error.contains(what) && error.contains(":3: "), "{error}");
        }
        assert_eq!(generate("").unwrap_err(), format!("{LIST}: lacks cuGetErrorString"));
    }

    #[test]
    fn the_committed_file_is_current() {
        is_current().unwrap();
    }

    #[test]
    fn the_list_is_what_cust_raw_declares() {
        is_what_cust_raw_declares().unwrap();
    }
}
