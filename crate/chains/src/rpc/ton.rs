//! TON through toncenter: version 2 of its API takes a letter (`sendBocReturnHash`), version 3 finds the transaction
//! that a letter led to (`transactionsByMessage`).
//!
//! A node runs the wallet's code on a letter before it passes it on, and what the code threw stands in a sentence. The
//! code knows no letter twice: a number that is used up or a time that is over may mean that this very letter got
//! through before, so those are looked up and not believed.

use super::{Broadcast, Dialect, Method, Request, Response, Status};
use crate::encoding;
use serde_json::{Value, json};

pub(super) static DIALECT: Dialect = Dialect {
    broadcast: |_, signed| {
        let body = json!({ "boc": encoding::base64(&signed.bytes) });
        Request { method: Method::Post(body.to_string()), path: "/v2/sendBocReturnHash".to_owned() }
    },
    read_broadcast,
    status: |_, id| {
        let path = format!("/v3/transactionsByMessage?direction=in&msg_hash={id}");
        vec![Request { method: Method::Get, path }]
    },
    read_status: |_, responses| responses.first().map_or_else(no_answer, read_status),
};

/// How the same letter sent again is answered.
const KNOWN: [&str; 2] = ["duplicate message", "duplicate msg_seqno"];
/// What the wallet's code throws when the letter is not for it: another subwallet, a signature by another key.
const REFUSALS: [(&str, &str); 2] = [("exitcode=34", "34"), ("exitcode=35", "35")];

fn read_broadcast(response: &Response) -> Broadcast {
    let ambiguous = || Broadcast::Ambiguous { reason: response.excerpt() };
    let Some(answer) = response.json() else {
        return ambiguous();
    };
    if answer.get("ok").and_then(Value::as_bool) == Some(true) && response.status == 200 {
        return Broadcast::Accepted;
    }
    let Some(reason) = answer.get("error").and_then(Value::as_str) else {
        return ambiguous();
    };
    if KNOWN.iter().any(|words| reason.to_ascii_lowercase().contains(words)) {
        return Broadcast::AlreadyKnown;
    }
    match REFUSALS.iter().find(|(words, _)| contains_word(reason, words)) {
        Some((_, code)) => Broadcast::Rejected { code: (*code).to_owned(), reason: reason.to_owned() },
        None => ambiguous(),
    }
}

/// Whether `words` stands there and is not the beginning of a longer number.
fn contains_word(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(place, found)| {
        let next = text.get(place + found.len()..).and_then(|rest| rest.chars().next());
        !next.is_some_and(|next| next.is_ascii_digit())
    })
}

fn no_answer() -> Status {
    Status::Unclear { reason: "no answer".to_owned() }
}

fn read_status(response: &Response) -> Status {
    let unclear = || Status::Unclear { reason: response.excerpt() };
    let answer = response.json().filter(|_| response.status == 200);
    let Some(transactions) =
        answer.as_ref().and_then(|answer| answer.get("transactions")).and_then(Value::as_array)
    else {
        return unclear();
    };
    let Some(transaction) = transactions.first() else {
        return Status::NotFound;
    };
    if transaction.get("emulated").and_then(Value::as_bool) == Some(true) {
        return Status::Pending;
    }
    let Some(description) = transaction.get("description") else {
        return unclear();
    };
    match failure(description) {
        Some(reason) => Status::Failed { reason },
        None => Status::Confirmed { block: transaction.get("mc_block_seqno").and_then(Value::as_u64) },
    }
}

/// The code must end with 0 or 1 and every message must have been sent. One that could not be sent is passed over,
/// because the letter says so; then nothing moved although nothing was aborted.
fn failure(description: &Value) -> Option<String> {
    let number = |path| description.pointer(path).and_then(Value::as_i64);
    let aborted = description.get("aborted").and_then(Value::as_bool) == Some(true);
    match number("/compute_ph/exit_code") {
        Some(code) if code != 0 && code != 1 => return Some(format!("the wallet ended with code {code}")),
        code if aborted => return Some(format!("aborted, code {}", code.unwrap_or_default())),
        _ => {}
    }
    match number("/action/skipped_actions") {
        Some(skipped) if skipped > 0 => Some(format!("{skipped} of the messages could not be sent")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Chain;
    use crate::rpc;
    use crate::transaction::Signed;

    fn answer(status: u16, body: &str) -> Response {
        Response { status, body: body.as_bytes().to_vec() }
    }

    fn broadcast(status: u16, body: &str) -> Broadcast {
        rpc::read_broadcast(Chain::Ton, &answer(status, body))
    }

    fn status(body: &str) -> Status {
        rpc::read_status(Chain::Ton, &[answer(200, body)])
    }

    fn refusal(exit: &str) -> String {
        format!(
            r#"{{"ok":false,"code":500,"error":"LITE_SERVER_UNKNOWN: cannot apply external message to current state : External message was not accepted\nCannot run message on account: inbound external message rejected by transaction 7AB1: {exit}, steps=30, gas_used=0"}}"#
        )
    }

    #[test]
    fn asks_two_versions_of_the_api() {
        let signed = Signed { bytes: vec![0xb5, 0xee], detached: None, id: "ab".to_owned() };
        let sent = rpc::broadcast(Chain::Ton, &signed);
        assert_eq!(sent.path, "/v2/sendBocReturnHash");
        assert_eq!(sent.method, Method::Post(r#"{"boc":"te4="}"#.to_owned()));
        let path = "/v3/transactionsByMessage?direction=in&msg_hash=ab".to_owned();
        assert_eq!(rpc::status(Chain::Ton, "ab"), [Request { method: Method::Get, path }]);
    }

    #[test]
    fn reads_what_became_of_a_broadcast() {
        let accepted = r#"{"ok":true,"result":{"@type":"raw.extMessageInfo","hash":"hsDC"}}"#;
        assert_eq!(broadcast(200, accepted), Broadcast::Accepted);
        let known = r#"{"ok":false,"error":"LITE_SERVER_UNKNOWN: Duplicate message","code":500}"#;
        assert_eq!(broadcast(500, known), Broadcast::AlreadyKnown);
        let Broadcast::Rejected { code, reason } = broadcast(500, &refusal("exitcode=35")) else {
            panic!("a wrong signature stays wrong")
        };
        assert_eq!(code, "35");
        assert!(reason.contains("not accepted"));
    }

    #[test]
    fn what_may_have_got_through_before_is_ambiguous() {
        for exit in ["exitcode=33", "exitcode=36", "exitcode=350", "exitcode=-14"] {
            assert!(matches!(broadcast(500, &refusal(exit)), Broadcast::Ambiguous { .. }), "{exit}");
        }
        let unfunded = r#"{"ok":false,"error":"LITE_SERVER_UNKNOWN: Failed to unpack account state"}"#;
        for (status, body) in [
            (500, unfunded),
            (429, r#"{"ok":false,"result":"Ratelimit exceed","code":429}"#),
            (502, "<html>"),
            (500, r#"{"ok":true}"#),
            (200, "[]"),
            (200, ""),
        ] {
            assert!(matches!(broadcast(status, body), Broadcast::Ambiguous { .. }), "{body}");
        }
    }

    #[test]
    fn reads_where_a_transaction_is() {
        let done = r#"{"transactions":[{"mc_block_seqno":41,"emulated":false,"description":
            {"type":"ord","aborted":false,"compute_ph":{"skipped":false,"success":true,"exit_code":0},
             "action":{"success":true,"result_code":0,"skipped_actions":0}}}]}"#;
        assert_eq!(status(done), Status::Confirmed { block: Some(41) });
        assert_eq!(status(&done.replace("false,\"description", "true,\"description")), Status::Pending);
        assert_eq!(status(r#"{"transactions":[],"address_book":{}}"#), Status::NotFound);
        let aborted = done.replace("\"aborted\":false", "\"aborted\":true");
        assert_eq!(status(&aborted), Status::Failed { reason: "aborted, code 0".to_owned() });
        let threw = done.replace("\"exit_code\":0", "\"exit_code\":37");
        assert_eq!(status(&threw), Status::Failed { reason: "the wallet ended with code 37".to_owned() });
        let alternative = done.replace("\"exit_code\":0", "\"exit_code\":1");
        assert_eq!(status(&alternative), Status::Confirmed { block: Some(41) });
    }

    #[test]
    fn a_message_that_was_passed_over_is_a_failure() {
        let skipped = r#"{"transactions":[{"mc_block_seqno":41,"description":
            {"aborted":false,"compute_ph":{"exit_code":0},"action":{"success":true,"skipped_actions":1}}}]}"#;
        assert!(matches!(status(skipped), Status::Failed { .. }));
    }

    #[test]
    fn an_answer_that_cannot_be_read_is_no_news() {
        for body in ["", "<html>", "{}", "[]", r#"{"transactions":null}"#, r#"{"transactions":[{}]}"#] {
            assert!(matches!(status(body), Status::Unclear { .. }), "{body}");
        }
        let limited = answer(429, r#"{"transactions":[]}"#);
        assert!(matches!(rpc::read_status(Chain::Ton, &[limited]), Status::Unclear { .. }));
        assert!(matches!(rpc::read_status(Chain::Ton, &[]), Status::Unclear { .. }));
    }
}
