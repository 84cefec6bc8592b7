//! Reads conformance vectors from the folder that `COUNTERSIGN_VECTORS` names.

use std::path::PathBuf;

/// One file of the folder, or `None` with a printed note where there is no such file.
#[expect(clippy::expect_used, reason = "a broken file must fail the test that reads it")]
pub(crate) fn vectors(file: &str) -> Option<serde_json::Value> {
    let folder = std::env::var_os("COUNTERSIGN_VECTORS").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/vectors"),
        PathBuf::from,
    );
    let path = folder.join(file);
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("passed over: no vectors at {}", path.display());
        return None;
    };
    Some(serde_json::from_str(&text).expect("vectors are JSON"))
}
