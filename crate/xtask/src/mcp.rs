//! `mcp`: the official conformance suite for MCP clients against the built extension in Chromium.

use crate::process::{cargo, output};
use crate::project::{Project, create_dir, write};
use crate::{build, setup};
use anyhow::{Context, Result, bail};
use serde_json::Value;

/// Where the list of what passes stands, below the project's root.
const REPORT: &str = "docs/mcp-conformance.md";

/// Scenarios of the suite that are not run, and why.
const NOT_RUN: &[(&str, &str)] = &[
    ("auth/client-credentials-*", "an extension: a program signs in as itself; here a user signs in"),
    ("auth/enterprise-managed-authorization", "an extension: needs an identity provider of a company"),
    ("auth/dpop, auth/dpop-nonce", "an extension: tokens bound to a key are not implemented"),
    ("auth/wif-jwt-bearer", "an extension: for workloads of a cloud, not for users"),
    ("sep-2640-client-*", "an extension: skills are not implemented"),
];

/// Sets up, builds, runs the scenarios that the words choose, or all; a run of all of them writes the report.
pub(crate) fn run(project: &Project, words: &[String]) -> Result<()> {
    setup::all(project)?;
    build::extension(project)?;
    let scenarios = scenarios(project, words)?;
    if words.is_empty() {
        write(&project.root.join(REPORT), report(&scenarios))?;
        println!("the list is in {REPORT}");
    }
    judge(&scenarios)
}

/// As a step of `test`: all scenarios, with the extension as it is built.
pub(crate) fn check(project: &Project) -> Result<()> {
    if !project.dist_extension().is_dir() {
        bail!("{} is not built: cargo xtask build", project.dist_extension().display());
    }
    judge(&scenarios(project, &[])?)
}

/// Runs `webdriver/examples/mcp`.
fn scenarios(project: &Project, words: &[String]) -> Result<Vec<Value>> {
    setup::mcp(project)?;
    let results = project.cache().join("mcp");
    create_dir(&results)?;
    let mut command = cargo(project, "run");
    command
        .env("COUNTERSIGN_EXTENSION", project.dist_extension())
        .env("COUNTERSIGN_MCP_SUITE", project.mcp())
        .env("COUNTERSIGN_MCP_RESULTS", &results);
    command.args(["--quiet", "--package", "countersign-webdriver", "--example", "mcp", "--"]).args(words);
    let measured: Value =
        serde_json::from_slice(&output(&mut command)?).context("the results are not JSON")?;
    let scenarios = measured.get("scenarios").and_then(Value::as_array).context("no scenarios")?;
    Ok(scenarios.clone())
}

/// Fails if a required scenario did not pass.
fn judge(scenarios: &[Value]) -> Result<()> {
    let failed: Vec<&Value> = scenarios.iter().filter(|one| !flag(one, "passed")).collect();
    for one in &failed {
        println!("{} {}", text(one, "revision"), text(one, "scenario"));
        for problem in one.get("problems").and_then(Value::as_array).into_iter().flatten() {
            println!("  {}", problem.as_str().unwrap_or_default());
        }
    }
    println!("{} of {} scenarios passed", scenarios.len() - failed.len(), scenarios.len());
    if failed.iter().any(|one| flag(one, "required")) {
        bail!(
            "a required scenario of the conformance suite failed; what it saw is in xtask/mcp of cargo's target folder"
        );
    }
    Ok(())
}

fn report(scenarios: &[Value]) -> String {
    let mut text = String::from(HEAD);
    for revision in revisions(scenarios) {
        let of_revision = || scenarios.iter().filter(|one| self::text(one, "revision") == revision);
        let required = || of_revision().filter(|one| flag(one, "required"));
        let passed = required().filter(|one| flag(one, "passed")).count();
        let summary = match required().count() {
            0 => "The suite has no set of required scenarios.".to_owned(),
            count => format!("{passed} of {count} required scenarios pass."),
        };
        text.push_str(&format!(
            "\n## {revision}\n\n{summary}\n\n\
             | scenario | result | checks passed | failed | not applicable |\n|---|---|---|---|---|\n"
        ));
        of_revision().for_each(|one| text.push_str(&row(one)));
    }
    text.push_str("\n## Not run\n\n| scenario | why |\n|---|---|\n");
    for (scenario, why) in NOT_RUN {
        text.push_str(&format!("| `{scenario}` | {why} |\n"));
    }
    text
}

/// Before the tables.
const HEAD: &str = "# Conformance of the MCP client

`cargo xtask mcp` writes this file: the results of the official suite, `@modelcontextprotocol/conformance` 0.2.0-alpha.12, against
the built extension in Chromium. The suite plays the servers. A page of the extension adds each server, signs in where it is wanted,
lists the tools and calls them; prompts are answered as a user would. A scenario passes if the suite says so and at least one of
its checks succeeded: in two scenarios a client that does nothing fails no check. A check is not applicable where it is about
something that a client need not do and the wallet does not: resources, prompts, roots and sampling, and the handshake of another
revision.

What is not driven word for word:

- `http-custom-headers` wants a call with `null` for a parameter whose schema says boolean. The wallet checks arguments against the
  schema and refuses that call before it sends anything. The parameter is left out instead: the check is about null or absent.
- `auth/basic-cimd` and `auth/pre-registration` name the client that the suite expects. It is given when the server is added.
";

fn row(one: &Value) -> String {
    let count = |name: &str| one.get(name).and_then(Value::as_u64).unwrap_or_default();
    let extra = if flag(one, "required") { "" } else { " (not required)" };
    format!(
        "| `{}`{extra} | {} | {} | {} | {} |\n",
        text(one, "scenario"),
        if flag(one, "passed") { "passes" } else { "**fails**" },
        count("successes"),
        count("failures"),
        count("skipped")
    )
}

fn revisions(scenarios: &[Value]) -> Vec<&str> {
    let mut revisions: Vec<&str> = scenarios.iter().map(|one| text(one, "revision")).collect();
    revisions.dedup();
    revisions
}

fn text<'a>(one: &'a Value, field: &str) -> &'a str {
    one.get(field).and_then(Value::as_str).unwrap_or_default()
}

fn flag(one: &Value, field: &str) -> bool {
    one.get(field).and_then(Value::as_bool).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::{judge, report};
    use serde_json::{Value, json};

    fn scenario(name: &str, passed: bool, required: bool) -> Value {
        json!({
            "revision": "2026-07-28", "scenario": name, "passed": passed, "required": required,
            "successes": 2, "failures": 1, "skipped": 3, "problems": ["check: words"],
        })
    }

    #[test]
    fn report_shows_every_scenario() {
        let text = report(&[scenario("tools_call", true, true), scenario("other", false, false)]);
        assert!(text.contains("\n## 2026-07-28\n\n1 of 1 required scenarios pass.\n"), "{text}");
        assert!(text.contains("| `tools_call` | passes | 2 | 1 | 3 |\n"), "{text}");
        assert!(text.contains("| `other` (not required) | **fails** | 2 | 1 | 3 |\n"), "{text}");
    }

    #[test]
    fn only_a_required_scenario_fails_the_run() {
        assert!(judge(&[scenario("other", false, false)]).is_ok());
        assert!(judge(&[scenario("tools_call", false, true)]).is_err());
    }
}
