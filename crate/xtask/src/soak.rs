//! `soak`: many bundles in a browser whose worker keeps dying. It takes an hour and is no part of `test`.

use crate::process::{cargo, run as execute};
use crate::project::Project;
use crate::{build, setup};
use anyhow::Result;

/// Sets up, builds, and hands over to `webdriver/examples/soak`, with the words as they are.
pub(crate) fn run(project: &Project, words: &[String]) -> Result<()> {
    setup::all(project)?;
    build::extension(project)?;
    let example = ["--package", "countersign-webdriver", "--example", "soak"];
    let mut soak = cargo(project, "run");
    soak.env("COUNTERSIGN_EXTENSION", project.dist_extension()).arg("--quiet").args(example);
    execute(soak.arg("--").args(words))
}
