//! `test`: set-up and every check, step by step, stopping at the first that fails.

use crate::process::{cargo, npm, run as execute};
use crate::project::Project;
use crate::wasm::cargo_for_wasm;
use crate::{build, dependencies, harness, peers, setup, spec, vectors};
use anyhow::{Context, Result, bail};
use std::time::{Duration, Instant};

/// A name and what is done; `cargo xtask test <name>` does it alone.
type Step = (&'static str, fn(&Project) -> Result<()>);

/// In this order: what is quick to fail comes first, what needs the build comes after it.
const STEPS: &[Step] = &[
    ("setup", setup::all),
    ("format", format),
    ("lint", lint),
    ("lint-wasm", lint_wasm),
    ("dependencies", dependencies::check),
    ("native", native),
    ("vectors", vectors::check),
    ("peers", peers::check),
    ("build", build::extension),
    ("size", build::check_size),
    ("extension", extension),
    ("harness", harness::build),
    ("browser", browser),
    ("spec", spec),
];

/// The crates that are compiled to wasm.
const WASM_CRATES: &[&str] = &["worker", "signer", "runtime", "chains", "wire", "vault", "harness"];

/// A failure that has been told to the person already.
#[derive(Debug, thiserror::Error)]
#[error("a step failed")]
pub(crate) struct Reported;

/// Runs all steps, or those named.
pub(crate) fn run(project: &Project, names: &[String]) -> Result<()> {
    if let Some(unknown) = names.iter().find(|name| STEPS.iter().all(|(step, _)| step != name)) {
        let steps: Vec<&str> = STEPS.iter().map(|(name, _)| *name).collect();
        bail!("there is no step `{unknown}`; the steps are {}", steps.join(", "));
    }
    let wanted = |name: &str| names.is_empty() || names.iter().any(|wanted| wanted == name);
    let steps: Vec<&Step> = STEPS.iter().filter(|(name, _)| wanted(name)).collect();

    let mut times: Vec<(&str, Duration)> = Vec::new();
    let mut failed = None;
    for (index, (name, run)) in steps.iter().enumerate() {
        let step = format!("[{}/{}] {name}", index + 1, steps.len());
        println!("\n{step}");
        let start = Instant::now();
        let outcome = run(project);
        times.push((name, start.elapsed()));
        if let Err(error) = outcome {
            eprintln!("\n{name}: {error:#}\nalone: cargo xtask test {name}");
            failed = Some(*name);
            break;
        }
        println!("{step}: {:.1} s", start.elapsed().as_secs_f64());
    }

    println!();
    for (name, time) in &times {
        let mark = if failed == Some(*name) { "  failed" } else { "" };
        println!("{name:<13}{:>7.1} s{mark}", time.as_secs_f64());
    }
    let failures = usize::from(failed.is_some());
    println!("{} passed, {failures} failed", times.len() - failures);
    if failures == 0 { Ok(()) } else { Err(Reported.into()) }
}

fn format(project: &Project) -> Result<()> {
    execute(cargo(project).args(["fmt", "--all", "--check"])).context("cargo fmt --all mends it")
}

fn lint(project: &Project) -> Result<()> {
    execute(cargo(project).args(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))
}

fn lint_wasm(project: &Project) -> Result<()> {
    let mut clippy = cargo_for_wasm(project, "clippy");
    for name in WASM_CRATES {
        clippy.arg("--package").arg(format!("countersign-{name}"));
    }
    execute(clippy.args(["--lib", "--examples", "--", "-D", "warnings"]))
}

fn native(project: &Project) -> Result<()> {
    execute(cargo(project).args(["test", "--workspace", "--exclude", "countersign-webdriver"]))
}

fn extension(project: &Project) -> Result<()> {
    execute(npm(&project.extension()).args(["test", "--silent"]))
}

fn spec(project: &Project) -> Result<()> {
    spec::run(project, &["--check".to_owned()])
}

/// The suites in Chromium, one browser at a time.
fn browser(project: &Project) -> Result<()> {
    for (folder, command) in [(project.dist_extension(), "build"), (project.dist_harness(), "harness")] {
        if !folder.is_dir() {
            bail!("{} is not built: cargo xtask {command}", folder.display());
        }
    }
    let mut suites = cargo(project);
    suites
        .env("COUNTERSIGN_EXTENSION", project.dist_extension())
        .env("COUNTERSIGN_HARNESS", project.dist_harness());
    execute(suites.args(["test", "--package", "countersign-webdriver", "--", "--test-threads=1"]))
}
