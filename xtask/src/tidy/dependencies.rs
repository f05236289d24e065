//! Who may depend on whom.

use super::Findings;
use crate::metadata::{Kind, Package};
use crate::process::{cargo, output};
use crate::source::Source;

/// The crates in their order: each may depend on those before it.
const ORDER: [&str; 4] = ["weft-layout", "weft-device", "weft-tensor", "weft-view"];

/// What the root manifest offers to the crates, whether or not one uses it yet.
const LISTED: [&str; 6] = ["cust", "cust_derive", "smallvec", "static_assertions", "approx", "insta"];

/// What xtask may build on.
const TOOLS: [&str; 3] = ["libloading", "serde_json", "sha2"];

/// Invariant 1, in what cargo resolves rather than in what a manifest says.
pub(crate) fn layout_needs_smallvec_only() -> Findings {
    let args = ["tree", "--package", "weft-layout", "--all-features", "--edges", "normal,build", "--prefix", "none"];
    match output(&mut cargo(&args)) {
        Ok(tree) => strangers(&tree, &["weft-layout", "smallvec"]),
        Err(why) => vec![format!("cargo tree: {why}")],
    }
}

/// The packages of a `cargo tree --prefix none` that are not `known`.
pub(crate) fn strangers(tree: &str, known: &[&str]) -> Findings {
    let mut names: Vec<&str> = tree.lines().filter_map(|l| l.split_whitespace().next()).collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() {
        return vec!["cargo tree: it printed nothing".into()];
    }
    let strange = names.into_iter().filter(|n| !known.contains(n));
    strange.map(|n| format!("{}: depends on {n}; only {} is allowed", known[0], known[1..].join(", "))).collect()
}

/// `layout <- device <- tensor <- view`, also in development and build dependencies. A crate may name itself for its tests,
/// to turn on a feature there.
pub(crate) fn dependencies_point_one_way(packages: &[Package]) -> Findings {
    let place = |name: &str| ORDER.iter().position(|o| *o == name);
    let mut findings = Findings::new();
    for package in packages {
        for dependency in &package.dependencies {
            if let (Some(user), Some(used)) = (place(&package.name), place(&dependency.name))
                && used > user
            {
                findings.push(format!("{}: depends on {}, which stands above it", package.name, dependency.name));
            }
        }
    }
    findings
}

/// Invariant 8: the simulator reaches nobody's program.
pub(crate) fn the_simulator_is_for_tests(packages: &[Package]) -> Findings {
    let uses_it = |p: &&Package| {
        p.name != "weft-cuda-sim-so" && p.normal_dependencies().any(|d| d == "weft-cuda-sim" || d == "weft-cuda-sim-so")
    };
    packages
        .iter()
        .filter(uses_it)
        .map(|p| format!("{}: depends on the simulator outside of its tests", p.name))
        .collect()
}

/// Invariant 8: the shim and the simulator define the same symbols. And the shim is device's affair.
pub(crate) fn the_shim_stands_apart(packages: &[Package]) -> Findings {
    let mut findings = Findings::new();
    for package in packages {
        for dependency in &package.dependencies {
            let uses_shim = dependency.name == "weft-cuda-shim";
            if package.name == "weft-cuda-shim" && dependency.name.starts_with("weft-") {
                findings.push(format!("weft-cuda-shim: depends on {}; it stands alone", dependency.name));
            } else if package.name.starts_with("weft-cuda-sim") && uses_shim {
                findings.push(format!("{}: depends on weft-cuda-shim, which defines what it serves", package.name));
            } else if package.name != "weft-device" && uses_shim && dependency.kind != Kind::Dev {
                findings.push(format!("{}: depends on weft-cuda-shim; only weft-device may", package.name));
            }
        }
    }
    findings
}

/// Invariant 9: the feature `cuda` is the user's choice. A member that turns it on, in its tests too, turns it on for every
/// command at the root and for none with `-p`: the same line would behave in two ways.
pub(crate) fn nothing_turns_cuda_on() -> Findings {
    match output(&mut cargo(&["tree", "--workspace", "--edges", "all", "--prefix", "none"])) {
        Ok(tree) => names_cust(&tree),
        Err(why) => vec![format!("cargo tree: {why}")],
    }
}

fn names_cust(tree: &str) -> Findings {
    if !tree.lines().any(|l| l.starts_with("weft-device ")) {
        return vec!["cargo tree: it does not show weft-device".into()];
    }
    let built = tree.lines().any(|l| l.starts_with("cust "));
    let finding = "the workspace builds cust by default; `cargo tree --workspace --edges all --invert cust` says why";
    if built { vec![finding.into()] } else { Findings::new() }
}

/// Invariant 5.
pub(crate) fn xtask_stands_apart(packages: &[Package]) -> Findings {
    let mut findings = Findings::new();
    for package in packages {
        if package.dependencies.iter().any(|d| d.name == "xtask") {
            findings.push(format!("{}: depends on xtask", package.name));
        }
        if package.name == "xtask" {
            let more = package.dependencies.iter().filter(|d| !TOOLS.contains(&&d.name[..]) || d.kind == Kind::Build);
            findings
                .extend(more.map(|d| format!("xtask: depends on {}; only {} is allowed", d.name, TOOLS.join(", "))));
        }
    }
    findings
}

/// `crates/layout` holds `weft-layout`, and says in its manifest what it is.
pub(crate) fn folders_and_names_agree(packages: &[Package]) -> Findings {
    let mut findings = Findings::new();
    for package in packages {
        let expected = package.folder.strip_prefix("crates/").map_or(package.folder.clone(), |f| format!("weft-{f}"));
        if package.name != expected {
            findings.push(format!("{}: holds the package {}, not {expected}", package.folder, package.name));
        }
        if package.description.len() < 20 {
            findings.push(format!("{}: its description says nothing", package.name));
        }
    }
    findings
}

/// The root manifest's `[workspace.dependencies]`.
pub(crate) fn the_workspace_lists_its_crates(sources: &[Source]) -> Findings {
    let manifest = sources.iter().find(|s| s.path == "Cargo.toml").map_or("", |s| s.text.as_str());
    let table = manifest.split_once("[workspace.dependencies]").map_or("", |(_, t)| t.split("\n[").next().unwrap_or(t));
    let listed = |name: &&&str| table.lines().any(|l| l.split(['=', '.']).next().is_some_and(|k| k.trim() == **name));
    let missing = LISTED.iter().filter(|n| !listed(n));
    missing.map(|n| format!("Cargo.toml: [workspace.dependencies] lacks {n}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::Dependency;

    fn package(name: &str, folder: &str, dependencies: &[(&str, Kind)]) -> Package {
        let dependencies = dependencies.iter().map(|(n, kind)| Dependency { name: (*n).into(), kind: *kind }).collect();
        let description = "says what the package is for".into();
        Package { name: name.into(), folder: folder.into(), description, dependencies, ..Package::default() }
    }

    #[test]
    fn a_new_dependency_of_layout_is_seen() {
        let tree = "weft-layout v0.1.0 (/x)\nsmallvec v1.15.1\n";
        assert!(strangers(tree, &["weft-layout", "smallvec"]).is_empty());
        assert_eq!(strangers(&format!("{tree}libc v0.2\nlibc v0.2 (*)\n"), &["weft-layout", "smallvec"]).len(), 1);
        assert_eq!(strangers("", &["weft-layout"]).len(), 1);
    }

    #[test]
    fn an_upward_dependency_is_seen() {
        let up = package("weft-device", "crates/device", &[("weft-tensor", Kind::Dev), ("weft-device", Kind::Dev)]);
        let down = package("weft-view", "crates/view", &[("weft-tensor", Kind::Normal), ("half", Kind::Normal)]);
        assert_eq!(dependencies_point_one_way(&[up, down]).len(), 1);
    }

    #[test]
    fn the_simulator_outside_of_tests_is_seen() {
        let bad = package("weft-device", "crates/device", &[("weft-cuda-sim", Kind::Normal)]);
        let good = package("weft-view", "crates/view", &[("weft-cuda-sim", Kind::Dev)]);
        let wrapper = package("weft-cuda-sim-so", "crates/cuda-sim-so", &[("weft-cuda-sim", Kind::Normal)]);
        assert_eq!(the_simulator_is_for_tests(&[bad, good, wrapper]).len(), 1);
    }

    #[test]
    fn the_shim_in_the_wrong_place_is_seen() {
        for (name, folder, used, kind) in [
            ("weft-cuda-sim", "crates/cuda-sim", "weft-cuda-shim", Kind::Normal),
            ("weft-cuda-sim-so", "crates/cuda-sim-so", "weft-cuda-shim", Kind::Dev),
            ("weft-cuda-shim", "crates/cuda-shim", "weft-cuda-sim", Kind::Dev),
            ("weft-tensor", "crates/tensor", "weft-cuda-shim", Kind::Normal),
        ] {
            assert_eq!(the_shim_stands_apart(&[package(name, folder, &[(used, kind)])]).len(), 1, "{name}");
        }
        let device = package("weft-device", "crates/device", &[("weft-cuda-shim", Kind::Normal)]);
        let tests = package("weft-view", "crates/view", &[("weft-cuda-shim", Kind::Dev)]);
        let shim = package("weft-cuda-shim", "crates/cuda-shim", &[("libloading", Kind::Normal)]);
        assert!(the_shim_stands_apart(&[device, tests, shim]).is_empty());
    }

    #[test]
    fn a_member_that_turns_cuda_on_is_seen() {
        let tree = "weft-device v0.1.0 (/x)\nweft-cuda-shim v0.1.0 (/x)\ncustom v1.0.0\n";
        assert!(names_cust(tree).is_empty());
        assert_eq!(names_cust(&format!("{tree}cust v0.3.2\n")).len(), 1);
        assert_eq!(names_cust("").len(), 1);
    }

    #[test]
    fn xtask_in_or_out_is_seen() {
        let user = package("weft-view", "crates/view", &[("xtask", Kind::Dev)]);
        let fat = package("xtask", "xtask", &[("serde_json", Kind::Normal), ("regex", Kind::Normal)]);
        assert_eq!(xtask_stands_apart(&[user, fat]).len(), 2);
    }

    #[test]
    fn a_misnamed_or_undescribed_package_is_seen() {
        let misnamed = package("layout", "crates/layout", &[]);
        let silent = Package { description: "TBD".into(), ..package("xtask", "xtask", &[]) };
        assert_eq!(folders_and_names_agree(&[misnamed]).len(), 1);
        assert_eq!(folders_and_names_agree(&[silent]).len(), 1);
        assert!(folders_and_names_agree(&[package("weft-view", "crates/view", &[])]).is_empty());
    }

    #[test]
    fn a_missing_entry_of_the_workspace_is_seen() {
        let all = "[workspace.dependencies]\ncust = \"1\"\ncust_derive = \"1\"\nsmallvec.version = \"1\"\napprox = \"1\"\n\
                   static_assertions = \"1\"\ninsta = \"1\"\n\n[profile.test]\n";
        assert!(the_workspace_lists_its_crates(&super::super::one("Cargo.toml", all)).is_empty());
        let moved = all.replace("insta = \"1\"\n", "").replace("[profile.test]", "[profile.test]\ninsta = 1");
        assert_eq!(the_workspace_lists_its_crates(&super::super::one("Cargo.toml", &moved)).len(), 1);
    }
}
