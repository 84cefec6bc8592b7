//! `test peers`: our signed bytes before nodes, virtual machines and ledger rules that others wrote.

use crate::process::{cargo, run};
use crate::project::Project;
use crate::setup;
use anyhow::Result;

/// Installs the peers and runs the tests against them, one at a time: each starts processes of its own.
pub(crate) fn check(project: &Project) -> Result<()> {
    setup::peers(project)?;
    let mut command = cargo(project, "test");
    command.env("CARGO_TARGET_DIR", project.target.join("peers"));
    run(command.args(["--manifest-path", "tests/peers/Cargo.toml", "--", "--test-threads=1"]))
}
