//! What may be depended on: licences, sources, and one version of each crate in what is shipped.
//!
//! Advisories and yanked versions are not looked at: that needs a database from the network, and this check
//! runs without one.

use crate::build::MODULES;
use crate::licence::is_covered;
use crate::process::{cargo, quiet_output};
use crate::project::Project;
use crate::setup::WASM_TARGET;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Licences that ask for nothing but their text.
const ACCEPTED: &[&str] = &[
    "MIT",
    "MIT-0",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "0BSD",
    "ISC",
    "Zlib",
    "Unicode-3.0",
    "CC0-1.0",
    "Unlicense",
    "BSL-1.0",
];

/// Accepted besides for what runs here and is not shipped: the source of changed files is asked for (MPL), or it is data
/// whose terms go with it (CDLA: Mozilla's certificate authorities).
const ACCEPTED_IN_TOOLS: &[&str] = &["MPL-2.0", "CDLA-Permissive-2.0"];

/// Crates that may be shipped in two versions, with the reason.
const TWICE: &[(&str, &str)] = &[];

/// The only source besides this repository.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// A package as far as this check is concerned.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Package {
    name: String,
    version: String,
    licence: String,
}

/// Fails with all that is wrong.
pub(crate) fn check(project: &Project) -> Result<()> {
    let all = all(project)?;
    let shipped = shipped(project)?;
    let tools: Vec<&str> = ACCEPTED.iter().chain(ACCEPTED_IN_TOOLS).copied().collect();
    let mut problems = foreign(&all);
    problems.extend(licences(&packages(&all), &tools));
    problems.extend(licences(&shipped, ACCEPTED));
    problems.extend(duplicates(&shipped, TWICE));
    if !problems.is_empty() {
        problems.dedup();
        bail!("{}\nthe lists are in crate/xtask/src/dependencies.rs", problems.join("\n"));
    }
    println!("{} packages, {} of them shipped, one version of each there", all.len(), shipped.len());
    Ok(())
}

/// Every package of the lock file that is not our own, as cargo describes it.
fn all(project: &Project) -> Result<Vec<Value>> {
    let output = quiet_output(cargo(project, "metadata").arg("--format-version=1"))
        .context("if Cargo.lock is out of date: cargo build, then commit it")?;
    let metadata: Value = serde_json::from_slice(&output).context("cargo metadata is not JSON")?;
    let packages =
        metadata.get("packages").and_then(Value::as_array).context("cargo metadata has no packages")?;
    Ok(packages.iter().filter(|package| !field(package, "source").is_empty()).cloned().collect())
}

/// What is linked into the modules of the extension: no build scripts, no macros.
fn shipped(project: &Project) -> Result<BTreeSet<Package>> {
    let mut tree = cargo(project, "tree");
    tree.args(["--target", WASM_TARGET]);
    for module in MODULES {
        tree.args(["--package", module.package]);
    }
    tree.args(["--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}|{l}|"]);
    Ok(String::from_utf8(quiet_output(&mut tree)?)?.lines().filter_map(line_of_tree).collect())
}

/// Reads `name v1.0.0|MIT|`; our own crates have a path in brackets behind the version and are left out.
fn line_of_tree(line: &str) -> Option<Package> {
    let (package, rest) = line.split_once('|')?;
    let (name, version) = package.split_once(" v")?;
    if version.contains("(/") {
        return None;
    }
    let version = version.split(' ').next()?;
    Some(Package {
        name: name.to_owned(),
        version: version.to_owned(),
        licence: rest.split('|').next()?.to_owned(),
    })
}

fn field<'a>(package: &'a Value, name: &str) -> &'a str {
    package.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn packages(all: &[Value]) -> BTreeSet<Package> {
    let owned = |package: &Value, name: &str| field(package, name).to_owned();
    let package = |package: &Value| Package {
        name: owned(package, "name"),
        version: owned(package, "version"),
        licence: owned(package, "license"),
    };
    all.iter().map(package).collect()
}

fn foreign(all: &[Value]) -> Vec<String> {
    let foreign = all.iter().filter(|package| field(package, "source") != REGISTRY);
    let told = |package: &Value| {
        format!("{} comes from {}, not from crates.io", field(package, "name"), field(package, "source"))
    };
    foreign.map(told).collect()
}

fn licences(packages: &BTreeSet<Package>, accepted: &[&str]) -> Vec<String> {
    let problem = |package: &Package| {
        let Package { name, version, licence } = package;
        match is_covered(licence, accepted) {
            Ok(true) => None,
            Ok(false) => Some(format!("{name} {version} is under {licence}, which is not on the list")),
            Err(error) => Some(format!("{name} {version} has the licence `{licence}`: {error}")),
        }
    };
    packages.iter().filter_map(problem).collect()
}

fn duplicates(packages: &BTreeSet<Package>, excused: &[(&str, &str)]) -> Vec<String> {
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in packages {
        versions.entry(&package.name).or_default().push(&package.version);
    }
    versions.retain(|_, versions| versions.len() > 1);
    let is_excused = |name: &str| excused.iter().any(|(excused, _)| *excused == name);
    let twice = versions.iter().filter(|(name, _)| !is_excused(name)).map(|(name, versions)| {
        let again = format!("cargo tree --target {WASM_TARGET} --invert {name}@<version>");
        format!("{name} is shipped as {}; who asks: {again}", versions.join(" and "))
    });
    let stale = excused.iter().filter(|(name, _)| !versions.contains_key(name));
    let stale = stale.map(|(name, _)| format!("{name} is there once only: take it off the list"));
    twice.chain(stale).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, version: &str, licence: &str) -> Package {
        Package { name: name.into(), version: version.into(), licence: licence.into() }
    }

    #[test]
    fn lines_of_the_tree_are_read() {
        assert_eq!(
            line_of_tree("sha2 v0.11.1|MIT OR Apache-2.0|"),
            Some(package("sha2", "0.11.1", "MIT OR Apache-2.0"))
        );
        assert_eq!(line_of_tree("sha2 v0.11.1|MIT| (*)"), Some(package("sha2", "0.11.1", "MIT")));
        assert_eq!(line_of_tree("countersign-wire v0.1.0 (/somewhere/crate/wire)|MIT OR Apache-2.0|"), None);
    }

    #[test]
    fn what_is_shipped_is_judged_more_strictly() {
        let packages = BTreeSet::from([package("a", "1.0.0", "MPL-2.0"), package("b", "1.0.0", "MIT")]);
        assert_eq!(licences(&packages, ACCEPTED), ["a 1.0.0 is under MPL-2.0, which is not on the list"]);
        assert_eq!(licences(&packages, ACCEPTED_IN_TOOLS).len(), 1);
        assert_eq!(licences(&BTreeSet::from([package("c", "1.0.0", "")]), ACCEPTED).len(), 1);
    }

    #[test]
    fn second_versions_need_an_excuse_that_is_true() {
        let packages =
            BTreeSet::from([package("a", "1.0.0", ""), package("a", "2.0.0", ""), package("b", "1.0.0", "")]);
        let [problem] = duplicates(&packages, &[]).try_into().unwrap();
        assert!(problem.contains("as 1.0.0 and 2.0.0"), "{problem}");
        assert_eq!(duplicates(&packages, &[("a", "traits only")]), Vec::<String>::new());
        assert_eq!(
            duplicates(&packages, &[("a", ""), ("b", "")]),
            ["b is there once only: take it off the list"]
        );
    }

    #[test]
    fn other_sources_are_refused() {
        let metadata = serde_json::json!([{ "name": "a", "source": REGISTRY }, { "name": "b", "source": "git+https://b" }]);
        assert_eq!(foreign(metadata.as_array().unwrap()), ["b comes from git+https://b, not from crates.io"]);
    }
}
