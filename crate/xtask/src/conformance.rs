//! `test conformance`: the suites of others for JSON Schema and JSONPath, over the code of the toolbox.

use crate::process::{cargo, run};
use crate::project::Project;
use anyhow::Result;
use std::path::PathBuf;

/// Names the folder instead of the one beside the project.
const VARIABLE: &str = "COUNTERSIGN_SUITES";

/// Beside the project's root.
const DEFAULT: &str = "../shared/suites";

/// Runs the suites and shows the counts; passed over with a note where there is no folder.
pub(crate) fn check(project: &Project) -> Result<()> {
    let folder = std::env::var_os(VARIABLE).map_or_else(|| project.root.join(DEFAULT), PathBuf::from);
    if !folder.is_dir() {
        println!("passed over: there is no folder of suites ({VARIABLE} can name one)");
        return Ok(());
    }
    let mut test = cargo(project, "test");
    test.env(VARIABLE, folder).args(["--quiet", "--package", "countersign-toolbox", "--test", "conformance"]);
    run(test.args(["--", "--nocapture", "--test-threads=1"]))
}
