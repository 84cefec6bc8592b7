//! The JSONPath compliance suite: <https://github.com/jsonpath-standard/jsonpath-compliance-test-suite>.

use crate::{read_json, suites};
use countersign_toolbox::conformance::select;
use serde_json::Value;

/// T002-28: every case of the suite, over the code that extracts.
#[test]
fn jsonpath_suite() {
    let Some(suites) = suites() else { return };
    let suite = read_json(&suites.join("jsonpath/cts.json"));
    let cases = suite["tests"].as_array().unwrap();
    let failed: Vec<String> = cases.iter().filter_map(problem).collect();
    println!("jsonpath: {} of {} cases", cases.len() - failed.len(), cases.len());
    assert_eq!(failed, Vec::<String>::new());
    assert!(cases.len() >= 703, "a suite of {}", cases.len());
}

fn problem(case: &Value) -> Option<String> {
    let (name, selector) = (case["name"].as_str()?, case["selector"].as_str()?);
    let found = select(selector, case.get("document").unwrap_or(&Value::Null));
    let accepted: Vec<&Value> = match (case.get("result"), case.get("results")) {
        (Some(result), _) => vec![result],
        (_, Some(results)) => results.as_array()?.iter().collect(),
        _ => Vec::new(),
    };
    match (case["invalid_selector"] == true, found) {
        (true, Err(_)) => None,
        (true, Ok(_)) => Some(format!("{name}: {selector} was accepted")),
        (false, Ok(nodes)) if accepted.contains(&&Value::Array(nodes.clone())) => None,
        (false, found) => Some(format!("{name}: {selector} gave {found:?}")),
    }
}
