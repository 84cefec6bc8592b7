//! `demo`: from a fresh clone to an agent's bundle on two chains, approved in a browser.

use crate::process::{cargo, run as execute};
use crate::project::{Project, create_dir};
use crate::{build, setup};
use anyhow::{Context, Result, bail};

/// Sets up, builds, and hands over to `webdriver/examples/demo`, which takes the last three of the six steps.
///
/// A program of its own: with the driver and the agent linked in, every other command would compile twice as long.
pub(crate) fn run(project: &Project, words: &[String]) -> Result<()> {
    if let Some(unknown) = words.iter().find(|word| *word != "--headless") {
        bail!("demo knows `--headless`, not `{unknown}`");
    }
    println!("1/6 set up");
    setup::all(project)?;
    println!("2/6 build the extension");
    build::extension(project)?;

    println!("3/6 build what drives the browser");
    let example = ["--package", "countersign-webdriver", "--example", "demo"];
    execute(cargo(project, "build").args(example))?;
    let pictures = project.dist().join("pictures");
    create_dir(&pictures)?;
    let mut demo = cargo(project, "run");
    demo.env("COUNTERSIGN_EXTENSION", project.dist_extension()).arg("--quiet").args(example);
    execute(demo.arg("--").arg(&pictures).args(words)).context(
        "the demo did not reach its end; `cargo xtask test browser` tells more about what does not work",
    )
}
