//! JSON-Schema-Test-Suite: <https://github.com/json-schema-org/JSON-Schema-Test-Suite>.

use crate::{files, read_json, suites};
use countersign_toolbox::conformance::{Draft, check};
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;

/// Required cases that are not run to their result, with the reason: (file, group, reason).
const SKIPPED: &[(&str, &str, &str)] = &[];

/// Optional files that are not claimed, with the reason.
const NOT_CLAIMED: &[(&str, &str)] = &[(
    "optional/format",
    "`format` is a note and not a check, which is what both drafts make of it by default",
)];

/// T002-19: 2020-12, required and the optional parts that are claimed.
#[test]
fn draft_2020_12() {
    run("draft2020-12", Draft::Draft202012);
}

/// T002-19: draft-07, required and the optional parts that are claimed.
#[test]
fn draft_7() {
    run("draft7", Draft::Draft7);
}

fn run(folder: &str, draft: Draft) {
    let Some(suites) = suites() else { return };
    let root = suites.join("json-schema");
    let remotes = remotes(&root.join("remotes"));
    let tests = root.join("tests").join(folder);
    let (mut required, mut optional, mut failures) = (Count::default(), Count::default(), Vec::new());
    for path in files(&tests) {
        let name = path.strip_prefix(&tests).unwrap().to_string_lossy().into_owned();
        let is_optional = name.starts_with("optional");
        if NOT_CLAIMED.iter().any(|(other, _)| name.starts_with(other)) {
            continue;
        }
        let count = if is_optional { &mut optional } else { &mut required };
        for group in read_json(&path).as_array().unwrap() {
            let description = group["description"].as_str().unwrap();
            let skipped = SKIPPED
                .iter()
                .any(|(file, group, _)| *file == name && (*group == description || *group == "*"));
            for case in group["tests"].as_array().unwrap() {
                count.all += 1;
                if skipped {
                    count.skipped += 1;
                    continue;
                }
                let expected = case["valid"].as_bool().unwrap();
                match check(&group["schema"], &case["data"], draft, &remotes) {
                    Ok(valid) if valid == expected => count.passed += 1,
                    other => {
                        failures.push(format!("{name}: {description}: {}: {other:?}", case["description"]))
                    }
                }
            }
        }
    }
    println!("{folder}: required {required}; optional and claimed {optional}");
    assert!(failures.is_empty(), "{} failed:\n{}", failures.len(), failures.join("\n"));
}

#[derive(Default)]
struct Count {
    all: usize,
    passed: usize,
    skipped: usize,
}

impl std::fmt::Display for Count {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} of {} ({} skipped)", self.passed, self.all, self.skipped)
    }
}

/// What the suite expects at `http://localhost:1234/`, from memory.
fn remotes(folder: &Path) -> HashMap<String, Value> {
    files(folder)
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
            (format!("http://localhost:1234/{name}"), read_json(&path))
        })
        .collect()
}
