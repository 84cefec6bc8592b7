//! The suites of others: JSON-Schema-Test-Suite (2020-12 and draft-07) and the JSONPath compliance suite of RFC 9535.
//!
//! They are read from `../shared/suites` beside the project, or from where `COUNTERSIGN_SUITES` says; without them the
//! tests are passed over with a note. `cargo xtask test conformance` runs them and shows the counts.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod jsonpath;
mod schema;

use std::path::{Path, PathBuf};

/// The folder of the suites, if there is one.
fn suites() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/suites");
    let folder = std::env::var_os("COUNTERSIGN_SUITES").map_or(beside, PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("passed over: there is no folder of suites (COUNTERSIGN_SUITES can name one)");
    None
}

fn read_json(path: &Path) -> serde_json::Value {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The JSON files of a folder, and of those in it.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "json") {
            found.push(path);
        }
    }
    found
}
