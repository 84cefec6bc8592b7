//! `vectors`: the conformance run over a folder of vectors made by other wallets' code.

use crate::process::{cargo, run as execute};
use crate::project::Project;
use anyhow::Result;
use std::path::PathBuf;

/// Names the folder instead of the one beside the project.
const VARIABLE: &str = "COUNTERSIGN_VECTORS";

/// Beside the project's root.
const DEFAULT: &str = "../shared/vectors";

/// `vectors [DIR] [--chain NAME]`.
pub(crate) fn run(project: &Project, words: &[String]) -> Result<()> {
    let has_folder = words.first().is_some_and(|word| !word.starts_with("--"));
    let folder = if has_folder { None } else { Some(folder(project)) };
    let mut command = cargo(project, "run");
    command
        .args(["--quiet", "--package", "countersign-tests", "--bin", "vectors", "--"])
        .args(folder)
        .args(words);
    execute(&mut command)
}

/// The step of `test`: passed over with a note where there is no folder.
pub(crate) fn check(project: &Project) -> Result<()> {
    let folder = folder(project);
    if folder.is_dir() {
        return run(project, &[]);
    }
    println!("passed over: there is no folder of vectors ({VARIABLE} can name one)");
    Ok(())
}

fn folder(project: &Project) -> PathBuf {
    std::env::var_os(VARIABLE).map_or_else(|| project.root.join(DEFAULT), PathBuf::from)
}
