//! `cargo xtask kernels --report`: what becomes of the PTX on real GPUs, as far as a machine without one can see.
//!
//! ptxas is what a driver compiles PTX with, so this is also the nearest check without a GPU that a driver takes it.

use core::fmt::Write as _;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Places, at, process, read, tools};
use crate::Outcome;

/// The frozen report, next to the sources.
const NAME: &str = "report.txt";

/// Volta, Ampere, Hopper.
const ARCHITECTURES: [&str; 3] = ["sm_70", "sm_80", "sm_90"];

/// Those whose machine code the pinned nvdisasm reads.
const DISASSEMBLED: [&str; 2] = ["sm_80", "sm_90"];

const HEAD: &str = "\
# Frozen by `cargo xtask kernels --report`: registers of a thread on sm_70, sm_80 and sm_90, and the instructions that load and
# store 128 bits of global memory on sm_80 and sm_90. No kernel uses local memory: neither spills nor a stack.
";

/// One kernel on one architecture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Facts {
    registers: usize,
    /// Bytes of local memory: stack frame, spill stores, spill loads.
    local: usize,
    /// Instructions that move 128 bits: loads and stores.
    wide: [usize; 2],
}

/// By kernel, then by architecture.
type Table = BTreeMap<String, BTreeMap<&'static str, Facts>>;

/// Prints the report, and compares it with the frozen one. A new one is left beside it, to be moved over it by hand.
pub(super) fn run(places: &Places) -> Outcome {
    let tools = tools::install(places, tools::REPORT)?;
    let mut table = Table::new();
    for file in read(&places.ptx, "ptx")? {
        for architecture in ARCHITECTURES {
            let cubin = places.tools.join(format!("{}.{architecture}.cubin", file.stem()));
            let said = assemble(&tools, architecture, &places.ptx.join(&file.name), &cubin)?;
            for (kernel, facts) in usage(&said) {
                table.entry(kernel).or_default().insert(architecture, facts);
            }
            if DISASSEMBLED.contains(&architecture) {
                let code = process::output(Command::new(tools.join("nvidia/cu13/bin/nvdisasm")).arg(&cubin))?;
                for (kernel, wide) in wide_accesses(&code) {
                    table.entry(kernel).or_default().entry(architecture).or_default().wide = wide;
                }
            }
        }
    }
    let report = text(&table);
    print!("{report}");
    let spilled = spills(&table);
    for line in &spilled {
        println!("kernels: {line}");
    }
    Ok(is_frozen(&places.sources.join(NAME), &report)? && spilled.is_empty())
}

/// What `ptxas -v` says about one file.
fn assemble(tools: &Path, architecture: &str, ptx: &Path, cubin: &Path) -> Result<String, String> {
    let mut ptxas = Command::new(tools.join("nvidia/cuda_nvcc/bin/ptxas"));
    ptxas.args(["-v", "-arch", architecture, "-o"]).arg(cubin).arg(ptx);
    let out = ptxas.output().map_err(|e| format!("cannot start ptxas: {e}"))?;
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    if out.status.success() { Ok(said) } else { Err(format!("ptxas refuses {}:\n{said}", ptx.display())) }
}

/// Registers and local memory of every kernel in the words of ptxas.
fn usage(said: &str) -> Vec<(String, Facts)> {
    let mut kernels: Vec<(String, Facts)> = Vec::new();
    for line in said.lines() {
        if line.contains("Compiling entry function") {
            kernels.push((line.split('\'').nth(1).unwrap_or_default().to_owned(), Facts::default()));
        }
        let Some((_, facts)) = kernels.last_mut() else { continue };
        if line.contains("bytes stack frame") {
            facts.local = numbers(line).sum();
        } else if let Some((_, used)) = line.split_once("Used ") {
            facts.registers = numbers(used).next().unwrap_or_default();
        }
    }
    kernels
}

fn numbers(text: &str) -> impl Iterator<Item = usize> {
    text.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok())
}

/// The 128-bit loads and stores of every kernel in the listing of nvdisasm.
fn wide_accesses(code: &str) -> Vec<(String, [usize; 2])> {
    let mut kernels: Vec<(String, [usize; 2])> = Vec::new();
    for line in code.lines() {
        if let Some(name) = line.strip_prefix(".text.").and_then(|l| l.strip_suffix(':')) {
            kernels.push((name.to_owned(), [0; 2]));
        }
        let Some((_, wide)) = kernels.last_mut() else { continue };
        for (count, instruction) in wide.iter_mut().zip(["LDG.E", "STG.E"]) {
            let moves = |word: &str| word.starts_with(instruction) && word.split('.').any(|part| part == "128");
            *count += usize::from(line.split_whitespace().any(moves));
        }
    }
    kernels
}

fn text(table: &Table) -> String {
    let mut text = HEAD.to_owned();
    for (kernel, by_architecture) in table {
        let facts = |architecture: &str| by_architecture.get(architecture).cloned().unwrap_or_default();
        let [volta, ampere, hopper] = ARCHITECTURES.map(|a| facts(a).registers);
        let [on_ampere, on_hopper] =
            DISASSEMBLED.map(|a| facts(a).wide).map(|[loads, stores]| format!("{loads}/{stores}"));
        // Writing to a `String` does not fail.
        let _ = writeln!(text, "{kernel:<36} {volta:>3} {ampere:>3} {hopper:>3}  {on_ampere:>5} {on_hopper:>5}");
    }
    text
}

/// A line for every kernel that uses local memory.
fn spills(table: &Table) -> Vec<String> {
    let all =
        table.iter().flat_map(|(kernel, facts)| facts.iter().map(move |(architecture, f)| (kernel, architecture, f)));
    all.filter(|(_, _, f)| f.local > 0)
        .map(|(kernel, architecture, f)| format!("{kernel} uses {} bytes of local memory on {architecture}", f.local))
        .collect()
}

fn is_frozen(path: &PathBuf, report: &str) -> Outcome {
    if fs::read_to_string(path).is_ok_and(|frozen| frozen == report) {
        return Ok(true);
    }
    let new = path.with_extension("txt.new");
    fs::write(&new, report).map_err(|e| at(&new, &e))?;
    println!("kernels: {} is another report; if {} is right, move it over", path.display(), new.display());
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ptxas_says_is_read() {
        let said = "ptxas info    : Compiling entry function 'a' for 'sm_80'\nptxas info    : Function properties for a\n    \
                    8 bytes stack frame, 4 bytes spill stores, 0 bytes spill loads\nptxas info    : Used 12 registers, 560 \
                    bytes cmem[0]\nptxas info    : Compiling entry function 'b' for 'sm_80'\nptxas info    : Used 9 registers\n";
        let [(a, in_a), (b, in_b)] = usage(said).try_into().unwrap();
        assert_eq!((a.as_str(), in_a.registers, in_a.local), ("a", 12, 12));
        assert_eq!((b.as_str(), in_b.registers, in_b.local), ("b", 9, 0));
        let table = Table::from([(a, BTreeMap::from([("sm_80", in_a)])), (b, BTreeMap::from([("sm_80", in_b)]))]);
        assert_eq!(spills(&table), ["a uses 12 bytes of local memory on sm_80"]);
    }

    #[test]
    fn wide_accesses_are_counted_by_kernel() {
        let code = ".text.a:\n  /*0010*/ LDG.E.128 R4, [R2.64] ;\n  /*0020*/ @P0 STG.E.EF.128 [R2.64], R4 ;\n  /*0030*/ LDG.E R4, [R2+0x128] ;\n\
                    .text.b:\n  /*0010*/ LDS.128 R4, [R2] ;\n";
        assert_eq!(wide_accesses(code), [("a".to_owned(), [1, 1]), ("b".to_owned(), [0, 0])]);
    }
}
