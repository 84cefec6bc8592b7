//! The committed vectors, made by other libraries (`tests/oracle/`), against the chains crate.

use countersign_tests::conformance::{Filter, Outcome, run};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Fewer cases mean that a folder is missing.
const LEAST: usize = 300;

fn folders() -> io::Result<Vec<PathBuf>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors");
    let entries: Vec<PathBuf> =
        fs::read_dir(root)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    // Vectors of vaults have another form: `vault.rs` runs them.
    Ok(entries.into_iter().filter(|path| path.is_dir() && !path.ends_with("vault")).collect())
}

#[test]
fn every_vector_agrees() {
    let (mut passed, mut failures) = (0, String::new());
    for folder in folders().expect("tests/vectors is committed") {
        for report in run(&folder, &Filter::default()).expect("a folder of vectors") {
            passed += report.passed();
            if report.cases.iter().any(|(_, outcome)| *outcome != Outcome::Passed) {
                failures.push_str(&format!("{}\n{report}\n", folder.display()));
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
    assert!(passed >= LEAST, "only {passed} cases");
}
