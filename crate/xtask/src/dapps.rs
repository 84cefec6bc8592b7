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
        write(&path, with_table(&page(project)?, &table(&cases))?)?;
        println!("the table is in {REPORT}");
    }
    judge(&cases)
}

/// As a step of `test`: the example suite in JavaScript and all judges, with the extension as it is built. The table must be the one
/// that is published.
pub(crate) fn check(project: &Project) -> Result<()> {
    if !project.dist_extension().is_dir() {
        bail!("{} is not built: cargo xtask build", project.dist_extension().display());
    }
    let mut node = Command::new("node");
    node.current_dir(project.webdriver_js()).args(["--test", "example/"]);
    execute(node.env("COUNTERSIGN_EXTENSION", project.dist_extension()))?;
    let cases = cases(project, &[])?;
    judge(&cases)?;
    let published = page(project)?;
    if with_table(&published, &table(&cases))? != published {
        bail!("the table in {REPORT} is not that of this run: cargo xtask dapps writes it");
    }
    Ok(())
}

/// The page with the table.
fn page(project: &Project) -> Result<String> {
    Ok(String::from_utf8(read(&project.root.join(REPORT))?)?)
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

/// Says how each judge found and how long it took; fails if a case did not end as it should.
fn judge(cases: &[Value]) -> Result<()> {
    for (name, own) in judges(cases) {
        let seconds: f64 = own.iter().filter_map(|one| one.get("seconds")?.as_f64()).sum();
        println!("{name}: {} of {} in {seconds:.0} s", good(&own), own.len());
    }
    for one in cases.iter().filter(|one| !passed(one)) {
        println!("{}: {}: {}", text(one, "judge"), text(one, "case"), text(one, "problem"));
    }
    let good = cases.iter().filter(|one| passed(one)).count();
    println!("{good} of {} cases passed", cases.len());
    if good < cases.len() {
        bail!("a dapp or a library of others was not served as it expects");
    }
    Ok(())
}

/// The judges, in the order of their cases.
fn judges(cases: &[Value]) -> Vec<(&str, Vec<&Value>)> {
    let mut judges: Vec<(&str, Vec<&Value>)> = Vec::new();
    for one in cases {
        match judges.last_mut() {
            Some((name, own)) if *name == text(one, "judge") => own.push(one),
            _ => judges.push((text(one, "judge"), vec![one])),
        }
    }
    judges
}

fn good(cases: &[&Value]) -> usize {
    cases.iter().filter(|one| passed(one)).count()
}

/// One row a case, under one heading a judge.
fn table(cases: &[Value]) -> String {
    let mut table = String::new();
    for (name, own) in judges(cases) {
        table.push_str(&format!("\n### {name}: {} of {}\n\n", good(&own), own.len()));
        table.push_str("| case | method | result |\n|---|---|---|\n");
        for one in own {
            let result = if passed(one) { text(one, "result") } else { "**fails**" };
            table.push_str(&format!("| {} | `{}` | {result} |\n", text(one, "case"), text(one, "method")));
        }
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
