//! Sui by GraphQL (`/graphql` of an indexer such as graphql.mainnet.sui.io): JSON-RPC is being retired.
//!
//! `executeTransaction` waits until the transaction is final and returns its effects, also for one that was executed
//! before; a failure of the Move code is in the effects, not an error. Errors have a code in `extensions`.
//! `transaction` is null for what the indexer does not know (yet).

use super::{Broadcast, Dialect, Method, Request, Response, Status};
use crate::Chain;
use crate::encoding::base64;
use crate::transaction::Signed;
use serde_json::{Value, json};

pub(super) static DIALECT: Dialect = Dialect { broadcast, read_broadcast, status, read_status };

const EXECUTE: &str = "mutation($bytes:Base64!,$signatures:[Base64!]!){\
                       executeTransaction(transactionDataBcs:$bytes,signatures:$signatures){\
                       effects{digest status}}}";
const LOOK_UP: &str = "query($digest:String!){transaction(digest:$digest){\
                       effects{status checkpoint{sequenceNumber} executionError{message}}}}";

/// The code of an error that is the sender's fault.
const BAD_INPUT: &str = "BAD_USER_INPUT";
/// Parts of refusals that do not end with waiting, under any code.
const FINAL: &[&str] =
    &["invalid user signature", "invalid signature", "required signature", "balance of gas object"];
/// Parts of refusals that also those get whose transaction is on its way: a coin is in use, a node is behind.
const PASSING: &[&str] =
    &["consumption", "locked", "reserved", "retr", "timed out", "overload", "epoch", "conflict"];

pub(crate) fn graphql(query: &str, variables: &Value) -> Request {
    let body = json!({ "query": query, "variables": variables });
    Request { method: Method::Post(body.to_string()), path: "/graphql".to_owned() }
}

fn broadcast(_: Chain, signed: &Signed) -> Request {
    let signatures: Vec<String> = signed.detached.iter().map(|signature| base64(signature)).collect();
    graphql(EXECUTE, &json!({ "bytes": base64(&signed.bytes), "signatures": signatures }))
}

fn read_broadcast(response: &Response) -> Broadcast {
    let ambiguous = || Broadcast::Ambiguous { reason: response.excerpt() };
    let Some(answer) = response.json().filter(|_| response.status == 200) else { return ambiguous() };
    if answer.pointer("/data/executeTransaction/effects/digest").is_some_and(Value::is_string) {
        return Broadcast::Accepted;
    }
    let Some(error) = answer.pointer("/errors/0") else { return ambiguous() };
    let reason = error.get("message").and_then(Value::as_str).unwrap_or_default().to_owned();
    let code = error.pointer("/extensions/code").and_then(Value::as_str).unwrap_or_default();
    let text = format!("{reason} {}", error.pointer("/extensions/chain").unwrap_or(&Value::Null))
        .to_ascii_lowercase();
    let any = |parts: &[&str]| parts.iter().any(|part| text.contains(part));
    if any(&["already been executed", "already executed"]) {
        return Broadcast::AlreadyKnown;
    }
    if any(FINAL) || (code == BAD_INPUT && !any(PASSING)) {
        return Broadcast::Rejected { code: code.to_owned(), reason };
    }
    ambiguous()
}

fn status(_: Chain, id: &str) -> Vec<Request> {
    vec![graphql(LOOK_UP, &json!({ "digest": id }))]
}

fn read_status(_: Chain, responses: &[Response]) -> Status {
    let [response] = responses else { return Status::Unclear { reason: String::new() } };
    let unclear = || Status::Unclear { reason: response.excerpt() };
    let Some(answer) = response.json().filter(|_| response.status == 200) else { return unclear() };
    if answer.get("errors").is_some() {
        return unclear();
    }
    match answer.pointer("/data/transaction") {
        Some(Value::Null) => Status::NotFound,
        Some(transaction) => read_effects(transaction.get("effects")).unwrap_or_else(unclear),
        None => unclear(),
    }
}

/// What became of a known transaction.
fn read_effects(effects: Option<&Value>) -> Option<Status> {
    let effects = effects.filter(|effects| !effects.is_null());
    let Some(effects) = effects else { return Some(Status::Pending) };
    match effects.get("status").and_then(Value::as_str) {
        Some("SUCCESS") => Some(match effects.pointer("/checkpoint/sequenceNumber") {
            None | Some(Value::Null) => Status::Pending,
            Some(number) => Status::Confirmed { block: checkpoint(number) },
        }),
        Some("FAILURE") => {
            let message = effects.pointer("/executionError/message").and_then(Value::as_str);
            Some(Status::Failed { reason: message.unwrap_or("the transaction failed").to_owned() })
        }
        None => Some(Status::Pending),
        Some(_) => None,
    }
}

/// A number of 53 bits, which some servers write as text.
fn checkpoint(number: &Value) -> Option<u64> {
    number.as_u64().or_else(|| number.as_str()?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, body: &str) -> Response {
        Response { status, body: body.as_bytes().to_vec() }
    }

    fn sent(status: u16, body: &str) -> Broadcast {
        read_broadcast(&answer(status, body))
    }

    fn seen(status: u16, body: &str) -> Status {
        read_status(Chain::Sui, &[answer(status, body)])
    }

    fn error(message: &str, code: &str) -> String {
        json!({ "data": null, "errors": [{
            "message": message,
            "locations": [{ "line": 1, "column": 57 }],
            "path": ["executeTransaction"],
            "extensions": { "code": code },
        }] })
        .to_string()
    }

    #[test]
    fn bytes_and_signature_go_as_variables() {
        let signed = Signed { bytes: vec![0, 1, 2], detached: Some(vec![0; 3]), id: String::new() };
        let request = broadcast(Chain::Sui, &signed);
        assert_eq!(request.path, "/graphql");
        let Method::Post(body) = request.method else { panic!("a POST") };
        let body: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(body["variables"], json!({ "bytes": "AAEC", "signatures": ["AAAA"] }));
        assert!(body["query"].as_str().unwrap().starts_with("mutation("));
    }

    #[test]
    fn executed_is_accepted_with_any_effects() {
        for status in ["SUCCESS", "FAILURE"] {
            let body = json!({ "data": { "executeTransaction": { "effects": {
                "digest": "6EXHbjYutJpNPv2w2qseaD8XLUL3HUbVk1RJ5NUYPro7", "status": status,
            } } } });
            assert_eq!(sent(200, &body.to_string()), Broadcast::Accepted);
        }
    }

    #[test]
    fn executed_before() {
        let body = error("Transaction has already been executed", "INTERNAL_SERVER_ERROR");
        assert_eq!(sent(200, &body), Broadcast::AlreadyKnown);
    }

    #[test]
    fn the_senders_fault_is_final() {
        let reason = "Invalid BCS encoding for transaction data: unexpected end of input".to_owned();
        let code = BAD_INPUT.to_owned();
        assert_eq!(sent(200, &error(&reason, BAD_INPUT)), Broadcast::Rejected { code, reason });
        let reason = "Invalid user signature: Signature is not valid: Value was not equal".to_owned();
        let code = "INTERNAL_SERVER_ERROR".to_owned();
        assert_eq!(sent(200, &error(&reason, &code)), Broadcast::Rejected { code, reason });
    }

    #[test]
    fn everything_else_is_ambiguous() {
        let body = error("Object 0x1 version 5 is not available for consumption", BAD_INPUT);
        assert!(matches!(sent(200, &body), Broadcast::Ambiguous { .. }));
        let body = error("Request timed out after 40.00s", "REQUEST_TIMEOUT");
        assert!(matches!(sent(200, &body), Broadcast::Ambiguous { .. }));
        assert!(matches!(sent(429, "Too Many Requests"), Broadcast::Ambiguous { .. }));
        assert!(matches!(sent(500, &error("no", BAD_INPUT)), Broadcast::Ambiguous { .. }));
        assert!(matches!(sent(200, "<html>"), Broadcast::Ambiguous { .. }));
        assert!(matches!(sent(200, "{\"data\":null}"), Broadcast::Ambiguous { .. }));
    }

    #[test]
    fn the_digest_is_asked_for() {
        let requests = status(Chain::Sui, "6EXH");
        let [Request { method: Method::Post(body), .. }] = requests.as_slice() else { panic!("one POST") };
        assert!(body.contains("\"digest\":\"6EXH\""));
    }

    #[test]
    fn where_it_is() {
        let body = |effects: Value| json!({ "data": { "transaction": { "effects": effects } } }).to_string();
        let confirmed = json!({ "status": "SUCCESS", "checkpoint": { "sequenceNumber": 201_337_005 },
            "executionError": null });
        assert_eq!(seen(200, &body(confirmed)), Status::Confirmed { block: Some(201_337_005) });
        let text = json!({ "status": "SUCCESS", "checkpoint": { "sequenceNumber": "7" } });
        assert_eq!(seen(200, &body(text)), Status::Confirmed { block: Some(7) });
        let executed = json!({ "status": "SUCCESS", "checkpoint": null });
        assert_eq!(seen(200, &body(executed)), Status::Pending);
        assert_eq!(seen(200, &body(Value::Null)), Status::Pending);
        let failed = json!({ "status": "FAILURE", "checkpoint": { "sequenceNumber": 5 },
            "executionError": { "message": "InsufficientCoinBalance in command 0" } });
        let reason = "InsufficientCoinBalance in command 0".to_owned();
        assert_eq!(seen(200, &body(failed)), Status::Failed { reason });
        assert_eq!(seen(200, "{\"data\":{\"transaction\":null}}"), Status::NotFound);
    }

    #[test]
    fn no_news_is_unclear() {
        for (status, body) in [
            (429, "{\"data\":{\"transaction\":null}}"),
            (200, "garbage"),
            (200, "{}"),
            (200, "{\"data\":{\"transaction\":null},\"errors\":[{\"message\":\"pruned\"}]}"),
            (200, "{\"data\":{\"transaction\":{\"effects\":{\"status\":\"NEW\"}}}}"),
        ] {
            assert!(matches!(seen(status, body), Status::Unclear { .. }), "{body}");
        }
        assert!(matches!(read_status(Chain::Sui, &[]), Status::Unclear { .. }));
    }
}
