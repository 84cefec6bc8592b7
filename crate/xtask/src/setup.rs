//! `setup`: what building and testing need, installed where it is missing. Running it again changes nothing.

use crate::process::{npm, on_path, quiet_output, run};
use crate::project::{Project, read, write};
use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};
use std::path::Path;
use std::process::Command;

/// The target of the worker.
pub(crate) const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// Everything that `build`, `test`, `demo` and `bench` need.
pub(crate) fn all(project: &Project) -> Result<()> {
    to_build(project)?;
    nodes(project)?;
    browser()
}

/// What `build` needs: no browser.
pub(crate) fn to_build(project: &Project) -> Result<()> {
    wasm_target(project)?;
    packages(&project.extension(), &["ci", "--ignore-scripts"])
}

/// As `ci`, which refuses a lock file that lacks the programs of other systems than the one it was made on.
const AS_LOCKED: &[&str] = &["install", "--no-save", "--ignore-scripts", "--loglevel=error"];

/// The chain nodes that suites and demo run against.
fn nodes(project: &Project) -> Result<()> {
    packages(&project.nodes(), AS_LOCKED)?;
    // Not every system has this one, and building does without; the tests that need it fail and say so.
    if let Err(error) = system_packages(&[("litecoind", "litecoind")], "litecoind") {
        eprintln!("  going on without litecoind: {error:#}");
    }
    Ok(())
}

/// What the tests against the nodes of others need.
pub(crate) fn peers(project: &Project) -> Result<()> {
    nodes(project)?;
    packages(&project.peers(), AS_LOCKED)?;
    packages(&project.peers().join("polkadot"), AS_LOCKED)?;
    // Bitcoin Core's consensus library is compiled from its source.
    system_packages(&[("c++", "g++")], "a C++ compiler")
}

/// The conformance suite for MCP clients, with the Node that it needs: only its own step installs that much.
pub(crate) fn mcp(project: &Project) -> Result<()> {
    packages(&project.mcp(), AS_LOCKED)
}

/// The dapps and client libraries that judge the provider: only their own step installs them.
pub(crate) fn dapps(project: &Project) -> Result<()> {
    packages(&project.dapps(), AS_LOCKED)
}

fn wasm_target(project: &Project) -> Result<()> {
    // A toolchain from elsewhere than rustup brings its targets itself; the build says so if it does not.
    if !on_path("rustup") {
        eprintln!("  {WASM_TARGET}: there is no rustup here, the toolchain is taken as it is");
        return Ok(());
    }
    let rustup = || {
        let mut command = Command::new("rustup");
        command.current_dir(&project.root);
        command
    };
    let installed = String::from_utf8(quiet_output(rustup().args(["target", "list", "--installed"]))?)?;
    if installed.lines().any(|target| target == WASM_TARGET) {
        eprintln!("  {WASM_TARGET}: there");
        return Ok(());
    }
    run(rustup().args(["target", "add", WASM_TARGET]))
}

/// Installs, unless the folder was installed from this very lock file.
fn packages(folder: &Path, install: &[&str]) -> Result<()> {
    let lock = read(&folder.join("package-lock.json"))?;
    let hash: String = Sha256::digest(&lock).iter().map(|byte| format!("{byte:02x}")).collect();
    let stamp = folder.join("node_modules/.stamp");
    if std::fs::read_to_string(&stamp).is_ok_and(|found| found == hash) {
        eprintln!("  npm packages: there");
        return Ok(());
    }
    run(npm(folder).args(install))
        .context("the npm packages were not installed; is the registry reachable (`npm ping`)?")?;
    write(&stamp, hash)
}

/// Chromium and its driver, from the system's packages.
fn browser() -> Result<()> {
    system_packages(
        &[("chromium", "chromium"), ("chromedriver", "chromium-driver")],
        "chromium and chromedriver",
    )
}

/// Installs what is missing of programs and the system's packages they come in.
fn system_packages(programs: &[(&str, &str)], what: &str) -> Result<()> {
    if programs.iter().all(|(program, _)| on_path(program)) {
        eprintln!("  {what}: there");
        return Ok(());
    }
    let packages: Vec<&str> = programs.iter().map(|(_, package)| *package).collect();
    let by_hand = format!(
        "put {what} on the PATH (Debian: apt-get install {}), then run this again",
        packages.join(" ")
    );
    if !on_path("apt-get") {
        bail!("{what} missing, and no apt-get to install it: {by_hand}");
    }
    let user = String::from_utf8(quiet_output(Command::new("id").arg("-u"))?)?;
    if user.trim() != "0" {
        bail!("installing {what} needs root: {by_hand}");
    }
    let apt = || {
        let mut command = Command::new("apt-get");
        command.env("DEBIAN_FRONTEND", "noninteractive");
        command
    };
    run(apt().args(["update", "-qq"]))?;
    run(apt().args(["install", "-y", "-qq"]).args(packages)).context(by_hand)
}
