//! `test conformance`: the suites of others for JSON Schema and JSONPath, over the code of the toolbox. `test erc7730`: the
//! registry's suite for clear signing, over the module that reads descriptors.

use crate::process::{cargo, run};
use crate::project::Project;
use anyhow::Result;
use std::path::PathBuf;

/// Names the folder instead of the one beside the project.
const VARIABLE: &str = "COUNTERSIGN_SUITES";

/// Beside the project's root.
const DEFAULT: &str = "../shared/suites";

/// Where the list of the cases of ERC-7730 is published, and what tells the test to write it.
const LIST: (&str, &str) = ("docs/erc7730-conformance.md", "COUNTERSIGN_ERC7730_LIST");

/// Runs the suites and shows the counts; passed over with a note where there is no folder.
pub(crate) fn check(project: &Project) -> Result<()> {
    suite(project, "countersign-toolbox", "conformance", &[])
}

/// Runs the cases of the ERC-7730 registry; fails if one of them does.
pub(crate) fn erc7730(project: &Project) -> Result<()> {
    suite(project, "countersign-clear", "erc7730", &[])
}

/// Runs them, and writes which of them pass.
pub(crate) fn publish_erc7730(project: &Project) -> Result<()> {
    let (file, variable) = LIST;
    suite(project, "countersign-clear", "erc7730", &[(variable, project.root.join(file))])
}

fn suite(project: &Project, package: &str, name: &str, variables: &[(&str, PathBuf)]) -> Result<()> {
    let folder = std::env::var_os(VARIABLE).map_or_else(|| project.root.join(DEFAULT), PathBuf::from);
    if !folder.is_dir() {
        println!("passed over: there is no folder of suites ({VARIABLE} can name one)");
        return Ok(());
    }
    let mut test = cargo(project, "test");
    test.env(VARIABLE, folder).envs(variables.iter().map(|(name, path)| (name, path)));
    test.args(["--quiet", "--package", package, "--test", name]);
    run(test.args(["--", "--nocapture", "--test-threads=1"]))
}
