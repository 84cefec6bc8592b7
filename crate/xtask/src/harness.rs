//! `harness`: pages that run the native suites and benches inside a browser, with a module of their own.

use crate::build::{SIGNER, TOOLBOX};
use crate::process::{npm, run};
use crate::project::{Project, clean_dir, list, read, write};
use crate::wasm::Module;
use crate::{setup, types};
use anyhow::Result;
use std::path::PathBuf;
use std::process::Command;

/// The module that ours is timed against.
const PEER_MODULE: &str = "node_modules/@trustwallet/wallet-core/dist/lib/wallet-core.wasm";

/// The page of the suites; the others are of the benches.
const SUITES: &[&str] = &["index.html", "page.ts"];

/// Builds `dist/harness/`: the modules of `crate/harness`, its example `all-chains`, `crate/signer` and `crate/toolbox`, and the pages of
/// `extension/bench/`.
///
/// Each `.ts` there is an entry of its own and becomes a `.js`; pages, styles and data are copied as they are.
pub(crate) fn build(project: &Project) -> Result<()> {
    setup::to_build(project)?;
    clean_dir(&project.dist_harness())?;
    make(project, "countersign-harness", None, "harness")?;
    make(project, "countersign-harness", Some("all-chains"), "all-chains")?;
    // The signer and the toolbox as they are shipped, beside the modules that are made for the pages.
    make(project, SIGNER.package, None, SIGNER.name)?;
    make(project, TOOLBOX.package, None, TOOLBOX.name)?;
    let peer = read(&project.extension().join(PEER_MODULE))?;
    write(&project.dist_harness().join("wallet-core.wasm"), peer)?;
    let files = list(&project.extension().join("bench"))?;
    pages(project, files.into_iter().filter(|path| path.is_file()).collect())?;
    run(npm(&project.extension()).args(["run", "--silent", "check:bench"]))
}

/// Builds the part of it that the suites open.
pub(crate) fn build_for_suites(project: &Project) -> Result<()> {
    setup::to_build(project)?;
    clean_dir(&project.dist_harness())?;
    make(project, "countersign-harness", None, "harness")?;
    pages(project, SUITES.iter().map(|name| project.extension().join("bench").join(name)).collect())
}

fn make(project: &Project, package: &str, example: Option<&str>, name: &str) -> Result<()> {
    let (bindings, out) = (project.generated().join(name), project.dist_harness());
    Module { package, example, name, bindings, out, later: None }.make(project).map(drop)
}

/// Copies pages, and makes scripts of their sources.
fn pages(project: &Project, files: Vec<PathBuf>) -> Result<()> {
    let out = project.dist_harness();
    // The pages use the same types; a build has written them already, and one process can write them once.
    if !project.generated().join("index.ts").is_file() {
        types::export(project)?;
    }

    let (scripts, others): (Vec<_>, Vec<_>) = files
        .into_iter()
        .filter(|path| !path.to_string_lossy().ends_with(".d.ts"))
        .partition(|path| path.extension().is_some_and(|extension| extension == "ts"));
    for file in others {
        write(&out.join(file.file_name().unwrap_or_default()), read(&file)?)?;
    }
    // By npm's link: the file behind it is a script or a program, depending on whether install scripts may run.
    let mut esbuild = Command::new(project.extension().join("node_modules/.bin/esbuild"));
    esbuild.current_dir(project.extension()).args(scripts);
    esbuild.args(["--bundle", "--format=esm", "--target=chrome120", "--log-level=warning"]);
    // The peer's loader looks for files when it finds itself in Node.js.
    esbuild.args(["--loader:.proto=text", "--external:fs", "--external:path", "--external:crypto"]);
    run(esbuild.arg(format!("--outdir={}", out.display())))
}
