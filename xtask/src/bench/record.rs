//! `cargo xtask bench record`: measures, and writes what it measured and the machine into `docs/benchmarks`, for the page.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Map, Value, json};

use super::data::{self, list};
use super::{command, page};
use crate::metadata::Workspace;
use crate::process::output;

/// Measures one of `host`, `sweep` and `metadata`, and makes the page anew. A second run of `host` stands beside the first with
/// `--again`; other words are for the benchmark.
pub(super) fn run(what: &str, options: &[&str]) -> Result<bool, String> {
    let target = Workspace::load()?.target;
    let recorded = match what {
        "host" | "sweep" => {
            let file = target.join("xtask/measured.json");
            let path = file.to_str().ok_or("the target folder has no UTF-8 name")?;
            let mut args = vec!["--json", path];
            if what == "sweep" {
                args.push("--sweep");
            }
            if !options.contains(&"--threads") {
                args.extend(["--threads", "1,2"]);
            }
            args.extend(options.iter().filter(|option| **option != "--again"));
            fs::create_dir_all(target.join("xtask")).map_err(|e| format!("{}: {e}", target.display()))?;
            let status = command(&["host"], &args, &target).status().map_err(|e| format!("cannot start cargo: {e}"))?;
            if !status.success() {
                return Ok(false);
            }
            let text = fs::read_to_string(&file).map_err(|e| format!("{path}: {e}"))?;
            let mut measured: Value = serde_json::from_str(&text).map_err(|e| format!("{path}: {e}"))?;
            if what == "sweep" {
                measured["machine"] = machine();
                measured
            } else {
                let before = if options.contains(&"--again") { data::load("host")? } else { Value::Null };
                let runs: Vec<Value> = list(&before["runs"]).cloned().chain([measured]).collect();
                json!({ "machine": machine(), "runs": runs })
            }
        }
        "metadata" => {
            let status = command(&super::BY_CRITERION, options, &target).status();
            if !status.map_err(|e| format!("cannot start cargo: {e}"))?.success() {
                return Ok(false);
            }
            json!({ "machine": machine(), "nanoseconds": estimates(&target.join("criterion"))? })
        }
        _ => return Err(format!("bench record: `{what}` is none of host, sweep, metadata")),
    };
    data::store(what, &recorded)?;
    page::write()?;
    Ok(true)
}

/// criterion's medians in nanoseconds, of one element where a benchmark says how many it treats.
fn estimates(folder: &Path) -> Result<Value, String> {
    let mut all = Map::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        folders.extend(entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()));
        if !folder.ends_with("new") {
            continue;
        }
        let read =
            |name: &str| -> Option<Value> { serde_json::from_str(&fs::read_to_string(folder.join(name)).ok()?).ok() };
        if let Some((benchmark, estimates)) = read("benchmark.json").zip(read("estimates.json")) {
            let elements = benchmark["throughput"]["Elements"].as_f64().unwrap_or(1.0);
            let median = estimates["median"]["point_estimate"].as_f64().unwrap_or(f64::NAN) / elements;
            all.insert(data::text(&benchmark["full_id"]), json!((median * 1e4).round() / 1e4));
        }
    }
    Ok(Value::Object(all))
}

/// What the figures were measured on, as far as the system says.
fn machine() -> Value {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let said =
        |program: &str, args: &[&str]| output(Command::new(program).args(args)).unwrap_or_default().trim().to_owned();
    let cpu = read("/proc/cpuinfo");
    let of_cpu = |name: &str| {
        let line = cpu.lines().find(|line| line.split(':').next().is_some_and(|key| key.trim() == name));
        line.and_then(|line| line.split_once(':')).map(|(_, value)| value.trim().to_owned()).unwrap_or_default()
    };
    let is_virtual = of_cpu("flags").split(' ').any(|flag| flag == "hypervisor");
    let caches = (0..8).filter_map(|index| {
        let of =
            |name: &str| read(&format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{name}")).trim().to_owned();
        let kind = match &of("type")[..] {
            "Instruction" => "i",
            "Data" => "d",
            _ => "",
        };
        (!of("size").is_empty()).then(|| format!("L{}{kind} {}", of("level"), of("size").replace('K', " KiB")))
    });
    let sets: Vec<&str> = ["avx2", "avx512f"].into_iter().filter(|set| cpu.contains(set)).collect();
    let system = read("/etc/os-release");
    let system =
        system.lines().find_map(|line| line.strip_prefix("PRETTY_NAME=")).unwrap_or_default().trim_matches('"');
    let gibibytes = said("getconf", &["_PHYS_PAGES"]).parse().unwrap_or(0.0) * 4096.0 / f64::from(1 << 30);
    json!({
        "CPU": format!("{}, family {} model {}; {}", of_cpu("model name"), of_cpu("cpu family"), of_cpu("model"), sets.join(", ")),
        "cores": format!("{}{}", said("getconf", &["_NPROCESSORS_ONLN"]), if is_virtual { ", virtual" } else { "" }),
        "caches": caches.collect::<Vec<_>>().join(", "),
        "memory": format!("{gibibytes:.0} GiB"),
        "system": format!("{system}, Linux {}, {}", read("/proc/sys/kernel/osrelease").split(['-', '\n']).next().unwrap_or_default(), said("getconf", &["GNU_LIBC_VERSION"])),
        "compiler": said("rustc", &["--version"]),
    })
}
