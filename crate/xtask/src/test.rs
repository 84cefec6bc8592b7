//! `test`: set-up and every check. No further step starts once one has failed.

mod lanes;

use crate::process::{cargo, npm, run as execute};
use crate::project::Project;
use crate::wasm::cargo_for_wasm;
use crate::{
    bounds, browser, build, clock, conformance, dapps, dependencies, harness, mcp, owners, peers, reproduce,
    setup, spec, vectors,
};
use anyhow::{Context, Result};

/// A check; `cargo xtask test <name>` runs it alone.
struct Step {
    name: &'static str,
    run: fn(&Project) -> Result<()>,
}

const fn step(name: &'static str, run: fn(&Project) -> Result<()>) -> Step {
    Step { name, run }
}

/// Steps that run one after the other.
type Lane = &'static [Step];

/// The stages run one after the other; the lanes of a stage run side by side.
///
/// A lane is what cargo locks: the first compiles with the debug profile, the second with the release profile and then in
/// the workspace of the peers, so neither waits for the other. When the peers are done, the first runs its tests, and the
/// browser's suites can be compiled. Linking a module keeps one core busy, and so do most nodes
/// of the peers: the other core compiles and tests meanwhile. The browsers come last, two at a time.
const STAGES: &[&[Lane]] = &[
    &[&[step("setup", setup::all)]],
    &[
        &[
            step("format", format),
            step("spec", spec),
            step("owners", owners),
            step("dependencies", dependencies::check),
            step("lint", lint),
            step("lint-wasm", lint_wasm),
            step("native", native),
            step("vectors", vectors::check),
            step("conformance", conformance::check),
            step("erc7730", conformance::erc7730),
        ],
        &[
            step("build", build::extension),
            step("size", bounds::check),
            step("extension", extension),
            step("reproduce", reproduce::short),
            step("harness", harness::build_for_suites),
            step("peers", peers::check),
            step("suites", browser::compile),
        ],
    ],
    &[&[step("browser", browser::run), step("mcp", mcp::check), step("dapps", dapps::check)]],
];

/// The crates that are compiled to wasm.
const WASM_CRATES: &[&str] =
    &["boot", "worker", "signer", "toolbox", "clear", "runtime", "chains", "wire", "vault", "harness"];

/// A failure that has been told to the user already.
#[derive(Debug, thiserror::Error)]
#[error("a step failed")]
pub(crate) struct Reported;

/// Runs all steps in their lanes, or those named one after the other.
pub(crate) fn run(project: &Project, names: &[String]) -> Result<()> {
    if names.is_empty() {
        return lanes::run(STAGES);
    }
    for name in names {
        let step = steps().find(|step| step.name == name).with_context(|| {
            let names: Vec<&str> = steps().map(|step| step.name).collect();
            format!("there is no step `{name}`; the steps are {}", names.join(", "))
        })?;
        let clock = clock::Clock::start();
        if let Err(error) = (step.run)(project) {
            eprintln!("\n{name}: {error:#}\nalone: cargo xtask test {name}");
            return Err(Reported.into());
        }
        println!("{clock}");
    }
    Ok(())
}

fn steps() -> impl Iterator<Item = &'static Step> {
    STAGES.iter().flat_map(|lanes| lanes.iter()).flat_map(|lane| lane.iter())
}

fn format(project: &Project) -> Result<()> {
    execute(cargo(project, "fmt").args(["--all", "--check"])).context("cargo fmt --all mends it")
}

fn lint(project: &Project) -> Result<()> {
    execute(cargo(project, "clippy").args(["--workspace", "--all-targets", "--", "-D", "warnings"]))
}

fn lint_wasm(project: &Project) -> Result<()> {
    let mut clippy = cargo_for_wasm(project, "clippy");
    for name in WASM_CRATES {
        clippy.arg("--package").arg(format!("countersign-{name}"));
    }
    execute(clippy.args(["--lib", "--examples", "--", "-D", "warnings"]))
}

fn native(project: &Project) -> Result<()> {
    let mut test = cargo(project, "test");
    // Their tests need a browser.
    for name in ["countersign-webdriver", "countersign-webdriver-example"] {
        test.args(["--exclude", name]);
    }
    execute(test.arg("--workspace"))
}

fn extension(project: &Project) -> Result<()> {
    execute(npm(&project.extension()).args(["test", "--silent"]))
}

fn owners(project: &Project) -> Result<()> {
    owners::run(project, &["--check".to_owned()])
}

fn spec(project: &Project) -> Result<()> {
    spec::run(project, &["--check".to_owned()])
}
