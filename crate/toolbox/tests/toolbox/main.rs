//! The toolbox as the core asks it: a request in, a reply out.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod archives;
mod bombs;
mod configs;
mod curl;
mod expressions;
mod hostile;
mod properties;
mod records;
mod requests;
mod schemas;
mod zips;

use countersign_toolbox::answer;
use serde_json::Value;
use wire::toolbox::{Encoding, Reply, Request};

/// The code of a refusal.
fn refused(reply: Reply) -> (String, String) {
    match reply {
        Reply::Refused(error) => (error.code, error.path.unwrap_or_default()),
        other => panic!("was not refused: {other:?}"),
    }
}

/// Where a value breaks a schema.
fn violations(schema: &Value, value: &Value) -> Vec<(String, String)> {
    let request = Request::Validate { schema: schema.clone(), value: value.clone() };
    match answer(request) {
        Reply::Validated { violations } => {
            violations.into_iter().map(|violation| (violation.path, violation.message)).collect()
        }
        other => panic!("not validated: {other:?}"),
    }
}

/// What an expression finds.
fn extract(encoding: Encoding, expr: &str, body: &str) -> Option<Value> {
    match answer(Request::Extract { expr: expr.to_owned(), encoding, body: body.to_owned() }) {
        Reply::Extracted { value } => Some(value),
        Reply::NoMatch {} => None,
        other => panic!("nothing was extracted: {other:?}"),
    }
}

/// Not JSON, no request, a request of another version: refused, and nothing else.
#[test]
fn what_is_no_request_is_refused() {
    for text in ["", "{", "null", "{}", r#"{"other":{}}"#, r#"{"validate":{"schema":true}}"#] {
        let reply = countersign_toolbox::answer_text(text);
        assert!(reply.starts_with(r#"{"refused":{"code":"malformed_request""#), "{text}: {reply}");
    }
}
