//! `dapps`: the dapps and client libraries of others against the provider of the built extension in Chromium.

use crate::process::{cargo, output, run as execute};
use crate::project::{Project, read, write};
use crate::{build, setup};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::process::Command;

/// Where the table stands, below the project's root.
const REPORT: &str = "docs/dapps.md";
/// The lines around it.
const BEGIN: &str = "<!-- cargo xtask dapps -->\n";
const END: &str = "<!-- end -->";

/// Sets up, builds, runs the judges that the words choose, or all; a run of all of them writes the table.
pub(crate) fn run(project: &Project, words: &[String]) -> Result<()> {
    setup::all(project)?;
    build::extension(project)?;
    let cases = cases(project, words)?;
    if words.is_empty() {
        let path = project.root.join(REPORT);
        let page = String::from_utf8(read(&path)?)?;
        write(&path, with_table(&page, &table(&cases))?)?;
        println!("the table is in {REPORT}");
    }
    judge(&cases)
}

/// As a step of `test`: the example suite in JavaScript, with the extension as it is built. The judges are a command: they are not
/// steady enough yet.
pub(crate) fn check(project: &Project) -> Result<()> {
    if !project.dist_extension().is_dir() {
        bail!("{} is not built: cargo xtask build", project.dist_extension().display());
    }
    let mut node = Command::new("node");
    node.current_dir(project.webdriver_js()).args(["--test", "example/"]);
    execute(node.env("COUNTERSIGN_EXTENSION", project.dist_extension()))
}

/// Bundles the pages and runs `webdriver/examples/dapps`.
fn cases(project: &Project, words: &[String]) -> Result<Vec<Value>> {
    setup::dapps(project)?;
    let pages = project.cache().join("dapps");
    let mut bundle = Command::new("node");
    execute(bundle.current_dir(project.dapps()).arg("build.mjs").env("OUT", &pages))?;
    let mut command = cargo(project, "run");
    command
        .env("COUNTERSIGN_EXTENSION", project.dist_extension())
        .env("COUNTERSIGN_DAPPS", project.dapps())
        .env("COUNTERSIGN_DAPP_PAGES", &pages);
    command.args(["--quiet", "--package", "countersign-webdriver", "--example", "dapps", "--"]).args(words);
    let seen: Value = serde_json::from_slice(&output(&mut command)?).context("the results are not JSON")?;
    Ok(seen.get("cases").and_then(Value::as_array).context("no cases")?.clone())
}

/// Fails if a case did not end as it should.
fn judge(cases: &[Value]) -> Result<()> {
    let failed: Vec<&Value> = cases.iter().filter(|one| !passed(one)).collect();
    for one in &failed {
        println!("{}: {}: {}", text(one, "judge"), text(one, "case"), text(one, "problem"));
    }
    println!("{} of {} cases passed", cases.len() - failed.len(), cases.len());
    if !failed.is_empty() {
        bail!("a dapp or a library of others was not served as it expects");
    }
    Ok(())
}

/// One row a case, under one heading a judge.
fn table(cases: &[Value]) -> String {
    let mut table = String::new();
    let mut judge = "";
    for one in cases {
        if text(one, "judge") != judge {
            judge = text(one, "judge");
            let own = || cases.iter().filter(|one| text(one, "judge") == judge);
            let good = own().filter(|one| passed(one)).count();
            table.push_str(&format!("\n### {judge}: {good} of {}\n\n", own().count()));
            table.push_str("| case | method | result |\n|---|---|---|\n");
        }
        let result = if passed(one) { text(one, "result") } else { "**fails**" };
        table.push_str(&format!("| {} | `{}` | {result} |\n", text(one, "case"), text(one, "method")));
    }
    table.push('\n');
    table
}

/// The page with another table between its two lines.
fn with_table(page: &str, table: &str) -> Result<String> {
    let (head, rest) =
        page.split_once(BEGIN).with_context(|| format!("{REPORT} has no line {}", BEGIN.trim()))?;
    let (_, tail) = rest.split_once(END).with_context(|| format!("{REPORT} has no line {END}"))?;
    Ok(format!("{head}{BEGIN}{table}{END}{tail}"))
}

fn passed(one: &Value) -> bool {
    one.get("passed").and_then(Value::as_bool).unwrap_or(false)
}

fn text<'a>(one: &'a Value, field: &str) -> &'a str {
    one.get(field).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{judge, table, with_table};
    use serde_json::{Value, json};

    fn case(name: &str, passed: bool) -> Value {
        json!({ "judge": "viem", "case": name, "method": "eth_accounts", "result": "answered", "passed": passed,
            "problem": "words" })
    }

    #[test]
    fn table_stands_between_its_lines() {
        let page = "# Dapps\n<!-- cargo xtask dapps -->\nold\n<!-- end -->\nlast\n";
        let page = with_table(page, &table(&[case("accounts", true), case("events", false)])).unwrap();
        let rows = "\n### viem: 1 of 2\n\n| case | method | result |\n|---|---|---|\n\
            | accounts | `eth_accounts` | answered |\n| events | `eth_accounts` | **fails** |\n\n";
        assert_eq!(page, format!("# Dapps\n<!-- cargo xtask dapps -->\n{rows}<!-- end -->\nlast\n"));
    }

    #[test]
    fn one_failure_fails_the_run() {
        assert!(judge(&[case("accounts", true)]).is_ok());
        assert!(judge(&[case("accounts", true), case("events", false)]).is_err());
    }
}
