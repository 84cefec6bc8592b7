//! An independent check of the audit log: it implements the documented rule and uses none of the code that writes it.

use runtime::store::Row;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// `,"hash":"` before the hash, `"}` behind it.
const HASH_FIELD: usize = 9 + 64 + 2;

/// Checks that every line of an export continues one hash chain, which begins at its first entry or where the last
/// checkpoint says; the error names the first that does not.
pub fn check_lines<'a>(lines: impl Iterator<Item = &'a str>) -> Result<(), String> {
    let mut end: Option<(u64, String)> = None;
    let (mut begin, mut checkpoint) = (None, None);
    for line in lines {
        let entry: Value = serde_json::from_str(line).map_err(|error| format!("{error}: {line}"))?;
        let own =
            (entry["number"].as_u64().unwrap_or_default(), entry["previous"].as_str().unwrap_or_default());
        let (number, previous) = end.unwrap_or_else(|| (own.0.saturating_sub(1), own.1.to_owned()));
        let hash = hash_of(&format!("{}}}", &line[..line.len() - HASH_FIELD]));
        if own != (number + 1, previous.as_str()) || entry["hash"] != hash {
            return Err(format!("audit {} does not follow: {line}", number + 1));
        }
        begin = begin.or(Some((number, previous)));
        if entry["kind"] == "checkpoint" {
            checkpoint = entry["through"].as_u64().zip(entry["lastHash"].as_str().map(str::to_owned));
        }
        end = Some((number + 1, hash));
    }
    let from_the_first = begin.as_ref().is_none_or(|(number, hash)| *number == 0 && *hash == "0".repeat(64));
    if from_the_first || begin == checkpoint {
        return Ok(());
    }
    Err(format!("the log begins after {begin:?}, its checkpoint says {checkpoint:?}"))
}

/// SHA-256 in hex.
fn hash_of(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A chain of this many entries, made by the documented rule: their lines, and the record of the chain's end.
pub fn chain(entries: u64) -> (Vec<String>, String) {
    let mut previous = "0".repeat(64);
    let mut lines = Vec::new();
    for number in 1..=entries {
        let what = r#""kind":"change","what":"vault_locked","subject":null"#;
        let body = format!(r#"{{"number":{number},"at":{number},{what},"previous":"{previous}"}}"#);
        previous = hash_of(&body);
        lines.push(format!(r#"{},"hash":"{previous}"}}"#, &body[..body.len() - 1]));
    }
    (lines, format!(r#"{{"number":{entries},"hash":"{previous}"}}"#))
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
