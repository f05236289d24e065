//! Cost against size: five operations on square matrices of `f32`, from 1 KiB to 1 GiB.

use serde_json::{Value, json};

use crate::cases::{Case, Step, Target, Type, Work};
use crate::field::Field;
use crate::rounds::Patience;
use crate::table::round;

/// Sides of the matrices: each has four times the bytes of the one before.
const SIDES: [usize; 11] = [16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384];

/// The operations, and how many bytes they read and write for one byte of the matrix.
const OPERATIONS: [(&str, f64); 5] =
    [("copy", 2.0), ("transpose", 2.0), ("flip", 2.0), ("broadcast", 1.0), ("sum", 1.0)];

/// Measures all of it, prints a line for each, and gives them as values.
pub(crate) fn run(only: Option<&str>, field: &Field, patience: Patience) -> Result<Vec<Value>, String> {
    let threads = &field.threads;
    let mut values = Vec::new();
    for (name, moved) in OPERATIONS.into_iter().filter(|(name, _)| only.is_none_or(|only| name.contains(only))) {
        println!("{name}: KiB, then GB/s of memcpy and of weft with {threads:?} threads");
        for side in SIDES {
            let case = case(name, side);
            // The source, a result for each number of threads, the expected one, and the values on their way there.
            let needed = case.bytes() * (4 + threads.len());
            if available().is_some_and(|available| needed > available) {
                println!("  {:>9}  left out: {} MiB of memory are needed", case.bytes() >> 10, needed >> 20);
                continue;
            }
            // One round of the largest takes as long as twenty of those that the cache does not hold.
            let rounds = if case.bytes() > 128 << 20 { patience.rounds[0].min(3) } else { patience.rounds[0] };
            let patience = Patience { rounds: [rounds, patience.rounds[1]], ..patience };
            let times = field.alone(&case, patience).map_err(|why| format!("{name} of {side}x{side}: {why}"))?;
            let bytes = case.bytes() as f64;
            let weft = times.iter().filter(|time| time.name == "weft");
            let weft: Vec<f64> = weft.map(|time| 1e-9 * bytes * moved / time.seconds).collect();
            let memcpy = 2e-9 * bytes / times[0].seconds;
            let line: String = weft.iter().map(|speed| format!(" {speed:>8.2}")).collect();
            println!("  {:>9} {memcpy:>8.2}{line}", case.bytes() >> 10);
            let weft: Vec<f64> = weft.into_iter().map(round).collect();
            values.push(json!({ "name": name, "bytes": case.bytes(), "memcpy": round(memcpy), "weft": weft }));
        }
    }
    Ok(values)
}

fn case(name: &str, side: usize) -> Case {
    let steps = match name {
        "transpose" => vec![Step::Permute(vec![1, 0])],
        "flip" => vec![Step::Flip(1)],
        "broadcast" => vec![Step::Stretch(0, side)],
        _ => Vec::new(),
    };
    Case {
        class: "sweep",
        name: name.into(),
        work: if name == "sum" { Work::Sum(1) } else { Work::Copy },
        dtype: Type::F32,
        base: if name == "broadcast" { vec![1, side] } else { vec![side, side] },
        steps,
        target: Target::Floor(None, None),
    }
}

/// Bytes of memory that are free for the asking, where the system says so.
fn available() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.split_whitespace().next()?.parse::<usize>().ok().map(|kib| kib << 10)
}
