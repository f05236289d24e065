//! What `cargo metadata` knows about the workspace: packages, their features and dependencies, and the feature sets worth building.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde_json::Value;

use crate::process::{cargo, output};

/// The members of the workspace, in name order.
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    pub(crate) target: PathBuf,
    pub(crate) packages: Vec<Package>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Package {
    pub(crate) name: String,
    /// Relative to the root of the workspace, such as `crates/layout`.
    pub(crate) folder: String,
    pub(crate) description: String,
    pub(crate) features: BTreeMap<String, Vec<String>>,
    pub(crate) dependencies: Vec<Dependency>,
    pub(crate) examples: Vec<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Normal,
    Dev,
    Build,
}

/// One way of building a package: its name in reports, the arguments that select it, and the package's own features that are on.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FeatureSet {
    pub(crate) name: String,
    pub(crate) args: Vec<String>,
    on: BTreeSet<String>,
}

impl Workspace {
    pub(crate) fn load() -> Result<Workspace, String> {
        let text = output(&mut cargo(&["metadata", "--no-deps", "--format-version", "1"]))?;
        let json: Value = serde_json::from_str(&text).map_err(|e| format!("cargo metadata: {e}"))?;
        let root = PathBuf::from(string(&json["workspace_root"]));
        let mut packages: Vec<Package> =
            list(&json["packages"]).map(|p| Package::from_json(p, &string(&json["workspace_root"]))).collect();
        packages.sort_by(|a, b| a.name.cmp(&b.name));
        if packages.is_empty() {
            return Err("cargo metadata: the workspace has no packages".into());
        }
        Ok(Workspace { root, target: PathBuf::from(string(&json["target_directory"])), packages })
    }
}

impl Package {
    fn from_json(json: &Value, root: &str) -> Package {
        let manifest = string(&json["manifest_path"]);
        let folder = manifest.trim_start_matches(root).trim_start_matches('/').trim_end_matches("/Cargo.toml");
        Package {
            name: string(&json["name"]),
            folder: folder.into(),
            description: string(&json["description"]),
            features: json["features"]
                .as_object()
                .map(|f| f.iter().map(|(name, on)| (name.clone(), list(on).map(string).collect())).collect())
                .unwrap_or_default(),
            dependencies: list(&json["dependencies"]).map(Dependency::from_json).collect(),
            examples: list(&json["targets"])
                .filter(|t| list(&t["kind"]).any(|k| k == "example"))
                .map(|t| string(&t["name"]))
                .collect(),
        }
    }

    /// The distinct feature sets: none, the defaults, each feature alone, and all. Two that turn on the same features are one.
    pub(crate) fn feature_sets(&self) -> Vec<FeatureSet> {
        let set = |name: &str, args: &[&str], on| FeatureSet {
            name: name.into(),
            args: args.iter().map(|a| (*a).into()).collect(),
            on,
        };
        let mut sets = vec![
            set("default features", &[], self.closure(["default"])),
            set("no features", &["--no-default-features"], BTreeSet::new()),
            set("all features", &["--all-features"], self.closure(self.features.keys().map(String::as_str))),
        ];
        for feature in self.features.keys().filter(|f| *f != "default") {
            let args = ["--no-default-features", "--features", feature];
            sets.push(set(&format!("feature {feature}"), &args, self.closure([feature.as_str()])));
        }
        let mut seen = Vec::new();
        sets.retain(|s| {
            !seen.contains(&s.on) && {
                seen.push(s.on.clone());
                true
            }
        });
        sets
    }

    /// The features of this package that `from` turn on, `default` itself aside.
    fn closure<'a>(&'a self, from: impl IntoIterator<Item = &'a str>) -> BTreeSet<String> {
        let mut on = BTreeSet::new();
        let mut left: Vec<&str> = from.into_iter().collect();
        while let Some(name) = left.pop() {
            let Some(turns_on) = self.features.get(name) else { continue };
            if on.insert(name.to_owned()) {
                left.extend(turns_on.iter().map(String::as_str));
            }
        }
        on.remove("default");
        on
    }

    /// Whether the default features are all there are.
    pub(crate) fn is_all_on_by_default(&self) -> bool {
        self.closure(["default"]) == self.closure(self.features.keys().map(String::as_str))
    }

    /// Whether it depends on another package of this workspace, whose features the workspace may widen.
    pub(crate) fn uses_workspace(&self) -> bool {
        self.dependencies.iter().any(|d| d.name.starts_with("weft-"))
    }

    pub(crate) fn normal_dependencies(&self) -> impl Iterator<Item = &str> {
        self.dependencies.iter().filter(|d| d.kind != Kind::Dev).map(|d| d.name.as_str())
    }
}

impl FeatureSet {
    /// Whether the package's own default features are part of the set: examples in documentation may count on them.
    pub(crate) fn has_defaults(&self, package: &Package) -> bool {
        package.closure(["default"]).is_subset(&self.on)
    }
}

impl Dependency {
    fn from_json(json: &Value) -> Dependency {
        let kind = match json["kind"].as_str() {
            Some("dev") => Kind::Dev,
            Some("build") => Kind::Build,
            _ => Kind::Normal,
        };
        Dependency { name: string(&json["name"]), kind }
    }
}

fn string(json: &Value) -> String {
    json.as_str().unwrap_or_default().to_owned()
}

fn list(json: &Value) -> impl Iterator<Item = &Value> {
    json.as_array().into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(features: &[(&str, &[&str])]) -> Package {
        let features = features.iter().map(|(n, on)| ((*n).into(), on.iter().map(|o| (*o).into()).collect())).collect();
        Package { features, ..Package::default() }
    }

    fn names(p: &Package) -> Vec<String> {
        p.feature_sets().into_iter().map(|s| s.name).collect()
    }

    #[test]
    fn feature_sets_that_build_the_same_are_one() {
        assert_eq!(names(&package(&[])), ["default features"]);
        let layout = package(&[("default", &["alloc"]), ("alloc", &["dep:smallvec"])]);
        assert_eq!(names(&layout), ["default features", "no features"]);
        let three = package(&[("default", &["a"]), ("a", &[]), ("b", &["c"]), ("c", &["a"])]);
        assert_eq!(names(&three), ["default features", "no features", "all features", "feature c"]);
    }

    #[test]
    fn defaults_are_recognised_in_a_larger_set() {
        let p = package(&[("default", &["a"]), ("a", &[]), ("b", &[])]);
        let with: Vec<bool> = p.feature_sets().iter().map(|s| s.has_defaults(&p)).collect();
        assert_eq!(names(&p), ["default features", "no features", "all features", "feature b"]);
        assert_eq!(with, [true, false, true, false]);
    }

    #[test]
    fn this_workspace_is_read() {
        let workspace = Workspace::load().unwrap();
        let xtask = workspace.packages.iter().find(|p| p.name == "xtask").unwrap();
        assert_eq!(xtask.folder, "xtask");
        assert_eq!(xtask.normal_dependencies().collect::<Vec<_>>(), ["libloading", "serde_json", "sha2"]);
    }
}
