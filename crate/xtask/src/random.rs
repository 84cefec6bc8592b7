//! `crash` and `fuzz`: the long form of the random tests, of which `test` runs a short one.

use crate::process::{cargo, run as execute};
use crate::project::Project;
use anyhow::{Context, Result, bail};

/// How many times as many rounds as in `test`, unless `--rounds` says otherwise.
const LONG: u32 = 20;
/// Cases of a property without a number of its own; proptest's own default.
const CASES: u32 = 256;

/// Crashes of the worker at random points, and bundles through them.
pub(crate) fn crash(project: &Project, words: &[String]) -> Result<()> {
    let rounds = rounds(words)?;
    long(project, rounds, &["--package=countersign-tests", "--test=suites"], &["crash::", "schedules::"])
}

/// Input of every kind: through the whole runtime, and for the properties of the pure crates.
pub(crate) fn fuzz(project: &Project, words: &[String]) -> Result<()> {
    let rounds = rounds(words)?;
    long(project, rounds, &["--package=countersign-tests", "--test=suites"], &["fuzz::"])?;
    let crates = ["wire", "chains", "vault", "signer", "runtime"];
    let packages: Vec<String> = crates.iter().map(|name| format!("--package=countersign-{name}")).collect();
    long(project, rounds, &packages.iter().map(String::as_str).collect::<Vec<_>>(), &[])
}

/// Runs tests of some packages; of those whose names begin so, if any are given.
fn long(project: &Project, rounds: u32, packages: &[&str], names: &[&str]) -> Result<()> {
    let mut command = cargo(project, "test");
    command.env("COUNTERSIGN_ROUNDS", rounds.to_string());
    command.env("PROPTEST_CASES", CASES.saturating_mul(rounds).to_string());
    execute(command.args(packages).args(["--", "--nocapture"]).args(names))
}

/// Nothing, or `--rounds N`.
fn rounds(words: &[String]) -> Result<u32> {
    match words {
        [] => Ok(LONG),
        [word, rounds] if word == "--rounds" => rounds.parse().context("--rounds wants a number"),
        _ => bail!("this command takes nothing, or `--rounds N`"),
    }
}
