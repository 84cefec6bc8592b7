//! Tools whose result comes from outside (specification 004): `external`, a program submits it, and `space`, a person gives
//! it. The block `impl` of a record.

use crate::bounds::LIST_LENGTH;
use crate::hosts::is_loopback;
use crate::record::check::{Check, Fields, RecordError};
use serde_json::{Value, json};
use url::Url;

/// How long an agent waits, where the tool does not say (T004-10).
pub(crate) const WAIT: u64 = 30_000;
/// The longest that an agent waits.
const LONGEST_WAIT: u64 = 600_000;
const DAY: u64 = 24 * 60 * 60 * 1000;
/// The longest that a result is taken after the call.
const LONGEST_EXPIRY: u64 = 30 * DAY;

/// Reads the block; returns what is stored of it.
pub(crate) fn read(fields: &Fields<'_>, kind: &str, check: &mut Check) -> Value {
    let is_async = fields.flag("isAsync", false, check);
    let timeout = wait(fields, check);
    let expires_in = fields.number("expiresIn", 1, LONGEST_EXPIRY, check).unwrap_or(DAY);
    let problem = "must be an origin: https://…, http://127.0.0.1:… or chrome-extension://…";
    let submitters = fields.texts("submitters", LIST_LENGTH, is_submitter, problem, check);
    let mut record = json!({ "isAsync": is_async, "timeout": timeout, "expiresIn": expires_in });
    match (kind, record.as_object_mut()) {
        ("external", Some(record)) => _ = record.insert("submitters".to_owned(), submitters.into()),
        _ if !submitters.is_empty() => {
            check.fail(fields.place("submitters"), RecordError::invalid("is for external tools only"));
        }
        _ => {}
    }
    record
}

/// T004-10: never without an end. Nothing, zero and less are the default, and no wait is longer than ten minutes.
pub(crate) fn wait(fields: &Fields<'_>, check: &mut Check) -> u64 {
    match fields.get("timeout") {
        None => WAIT,
        Some(value) => match (value.as_u64(), value.as_i64()) {
            (Some(0), _) => WAIT,
            (Some(millis), _) => millis.min(LONGEST_WAIT),
            (None, Some(_)) => WAIT,
            (None, None) => {
                let problem = "must be a whole number of milliseconds";
                check.fail(fields.place("timeout"), RecordError::invalid(problem));
                WAIT
            }
        },
    }
}

/// An origin as a browser spells it: of an encrypted page, of a page on this machine, or of an extension.
fn is_submitter(text: &str) -> bool {
    if let Some(id) = text.strip_prefix("chrome-extension://") {
        return id.len() == 32 && id.bytes().all(|byte| matches!(byte, b'a'..=b'p'));
    }
    Url::parse(text).is_ok_and(|url| {
        let secure = url.scheme() == "https" || (url.scheme() == "http" && is_loopback(&url));
        secure && url.origin().ascii_serialization() == text
    })
}
