//! An independent check of the audit log: it implements the documented rule and uses none of the code that writes it.

use runtime::store::Row;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// `,"hash":"` before the hash, `"}` behind it.
const HASH_FIELD: usize = 9 + 64 + 2;

/// Checks that every line of an export continues one hash chain; the error names the first that does not.
pub fn check_lines<'a>(lines: impl Iterator<Item = &'a str>) -> Result<(), String> {
    let mut previous = "0".repeat(64);
    for (line, number) in lines.zip(1u64..) {
        let entry: Value = serde_json::from_str(line).map_err(|error| format!("audit {number}: {error}"))?;
        let body = format!("{}}}", &line[..line.len() - HASH_FIELD]);
        let hash: String = Sha256::digest(body.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
        if entry["number"] != number || entry["previous"] != previous || entry["hash"] != hash {
            return Err(format!("audit {number} does not follow: {line}"));
        }
        previous = hash;
    }
    Ok(())
}

/// The same check on stored records.
pub fn check(rows: &[Row]) -> Result<(), String> {
    check_lines(rows.iter().map(|row| row.text.as_str()))
}

/// Checks that the log has exactly one result entry for each of these calls.
pub fn ends<'a>(rows: &[Row], calls: impl Iterator<Item = &'a String>) -> Result<(), String> {
    let mut ends: BTreeMap<String, u32> = BTreeMap::new();
    for row in rows {
        let entry: Value = serde_json::from_str(&row.text).map_err(|error| error.to_string())?;
        if entry["kind"] == "result" {
            *ends.entry(entry["callId"].as_str().unwrap_or_default().to_owned()).or_default() += 1;
        }
    }
    let expected: BTreeMap<String, u32> = calls.map(|call| (call.clone(), 1)).collect();
    if ends == expected { Ok(()) } else { Err(format!("audit: ends {ends:?} of calls {expected:?}")) }
}
