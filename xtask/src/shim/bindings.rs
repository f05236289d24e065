//! Reads the driver calls out of cust_raw's source, as the list writes them: the list must say the same.

use serde_json::Value;

use crate::process::{cargo, output};

/// The source of the bindings, where cargo has unpacked it; `None` where nothing in this workspace uses them.
pub(super) fn source() -> Result<Option<String>, String> {
    let text = output(&mut cargo(&["metadata", "--all-features", "--format-version", "1"]))?;
    let json: Value = serde_json::from_str(&text).map_err(|e| format!("cargo metadata: {e}"))?;
    let packages = json["packages"].as_array().into_iter().flatten();
    let Some(package) = packages.into_iter().find(|p| p["name"] == "cust_raw") else { return Ok(None) };
    let manifest = package["manifest_path"].as_str().unwrap_or_default();
    let path = manifest.replace("Cargo.toml", "src/cuda.rs");
    std::fs::read_to_string(&path).map(Some).map_err(|e| format!("{path}: {e}"))
}

/// Every `pub fn cu…(…) -> CUresult;`, in the form of the list, in order.
pub(super) fn calls(source: &str) -> Result<Vec<String>, String> {
    let mut calls = Vec::new();
    for declaration in source.split("pub fn ").skip(1).filter(|d| d.starts_with("cu")) {
        let declaration = declaration.split(';').next().unwrap_or_default();
        let wrong = || format!("cust_raw: not the declaration of a call: {declaration}");
        let (call, result) = declaration.split_once("->").ok_or_else(wrong)?;
        let (name, arguments) = call.trim_end().trim_end_matches(')').split_once('(').ok_or_else(wrong)?;
        if result.trim() != "CUresult" {
            return Err(wrong());
        }
        let arguments = arguments.split(',').map(str::trim).filter(|a| !a.is_empty());
        let listed: Result<Vec<String>, String> = arguments
            .map(|argument| {
                let (argument, kind) = argument.split_once(": ").ok_or_else(wrong)?;
                Ok(format!("{argument}: {}", passed_as(kind, source)?))
            })
            .collect();
        calls.push(format!("{name}({})", listed?.join(", ")));
    }
    Ok(calls)
}

/// What the C ABI passes for a type of the bindings.
fn passed_as(kind: &str, source: &str) -> Result<&'static str, String> {
    let known = match kind.strip_prefix("::std::os::raw::").unwrap_or(kind) {
        k if k.starts_with('*') || k.starts_with("::std::option::Option<") => "ptr",
        "c_int" => "i32",
        "c_uint" | "CUresult" => "u32",
        "c_uchar" => "u8",
        "c_ushort" => "u16",
        "c_ulonglong" => "u64",
        "f32" => "f32",
        "usize" => "usize",
        _ => "",
    };
    let after = |text: String| source.split_once(&text).map(|(_, after)| after.trim_start());
    if !known.is_empty() {
        return Ok(known);
    }
    if let Some(other) = after(format!("pub type {kind} =")) {
        return passed_as(other.split(';').next().unwrap_or_default().trim(), source);
    }
    if source.contains(&format!("pub enum {kind} {{")) {
        return Ok("i32");
    }
    if let Some((before, _)) = source.split_once(&format!(" as {kind};")) {
        return passed_as(before.rsplit("self::").next().unwrap_or_default(), source);
    }
    let is_64_bytes = after(format!("pub struct {kind} {{"))
        .is_some_and(|s| s.starts_with("pub reserved: [::std::os::raw::c_char; 64usize],"));
    if is_64_bytes { Ok("bytes64") } else { Err(format!("cust_raw: how {kind} is passed is not known")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "\
pub type CUdevice_v1 = ::std::os::raw::c_int;
pub type CUdevice = CUdevice_v1;
pub enum CUlimit_enum {
    A = 0,
}
pub use self::CUlimit_enum as CUlimit;
pub type CUhostFn =
    ::std::option::Option<unsafe extern \"C\" fn(userData: *mut ::std::os::raw::c_void)>;
pub struct Handle_st {
    pub reserved: [::std::os::raw::c_char; 64usize],
}
pub struct Other_st {
    pub x: u8,
}
extern \"C\" {
    pub fn cuA(dev: CUdevice, limit: CUlimit, out: *mut CUdevice) -> CUresult;
}
extern \"C\" {
    pub fn cuB(
        handle: Handle_st,
        call: CUhostFn,
        n: ::std::os::raw::c_uint,
    ) -> CUresult;
}
extern \"C\" {
    pub fn cuC() -> CUresult;
}
";

    #[test]
    fn declarations_are_read_as_the_list_writes_them() {
        let expected = ["cuA(dev: i32, limit: i32, out: ptr)", "cuB(handle: bytes64, call: ptr, n: u32)", "cuC()"];
        assert_eq!(calls(SOURCE).unwrap(), expected);
    }

    #[test]
    fn what_is_not_understood_is_no_call() {
        let strange = format!("{SOURCE}pub fn cuD(x: Other_st) -> CUresult;");
        assert_eq!(calls(&strange).unwrap_err(), "cust_raw: how Other_st is passed is not known");
        assert!(calls("pub fn cuE(x: u8) -> u8;").is_err());
    }
}
