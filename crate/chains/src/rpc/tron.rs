//! Tron's nodes over HTTP (java-tron's `FullNode` API): `broadcasthex` takes the whole transaction, and two questions
//! tell where it is. `gettransactioninfobyid` knows only what is in a block; `gettransactionbyid` knows a little more.
//!
//! Both answer `{}` about what they do not know. Only a contract's receipt has a result: a transfer that is in a block
//! has worked.

use super::{Broadcast, Dialect, Method, Request, Response, Status};
use crate::encoding;
use serde_json::{Value, json};

pub(super) static DIALECT: Dialect = Dialect {
    broadcast: |_, signed| {
        post("/wallet/broadcasthex", &json!({ "transaction": encoding::hex(&signed.bytes) }))
    },
    read_broadcast,
    status: |_, id| {
        let question = json!({ "value": id });
        vec![post("/wallet/gettransactioninfobyid", &question), post("/wallet/gettransactionbyid", &question)]
    },
    read_status: |_, responses| read_status(responses),
};

/// Codes by which the chain refuses a transaction for what it is. The others say something about the node: it is busy,
/// alone, behind. Two more are not here although they sound final: a transaction that was included long ago is
/// answered with `TRANSACTION_EXPIRATION_ERROR` or `TAPOS_ERROR` when it is sent again, so that must be looked up.
const REFUSALS: [&str; 5] = [
    "SIGERROR",
    "CONTRACT_VALIDATE_ERROR",
    "CONTRACT_EXE_ERROR",
    "BANDWITH_ERROR",
    "TOO_BIG_TRANSACTION_ERROR",
];

pub(crate) fn post(path: &str, body: &Value) -> Request {
    Request { method: Method::Post(body.to_string()), path: path.to_owned() }
}

fn read_broadcast(response: &Response) -> Broadcast {
    let ambiguous = || Broadcast::Ambiguous { reason: response.excerpt() };
    let Some(answer) = object(response) else { return ambiguous() };
    if answer.get("result").and_then(Value::as_bool) == Some(true) {
        return Broadcast::Accepted;
    }
    match answer.get("code").and_then(Value::as_str) {
        Some("DUP_TRANSACTION_ERROR") => Broadcast::AlreadyKnown,
        Some(code) if REFUSALS.contains(&code) => {
            Broadcast::Rejected { code: code.to_owned(), reason: words(answer.get("message"), code) }
        }
        Some(code) => Broadcast::Ambiguous { reason: words(answer.get("message"), code) },
        None => ambiguous(),
    }
}

fn read_status(responses: &[Response]) -> Status {
    let mut answers = responses.iter().map(object);
    let (info, transaction) = (answers.next().flatten(), answers.next().flatten());
    if let Some(info) = info.as_ref().filter(|info| is_known(info, "id")) {
        return in_block(info);
    }
    match (info, transaction) {
        (_, Some(transaction)) if is_known(&transaction, "txID") => Status::Pending,
        (Some(_), Some(_)) => Status::NotFound,
        _ => {
            Status::Unclear { reason: responses.iter().map(Response::excerpt).collect::<Vec<_>>().join("; ") }
        }
    }
}

/// Anything but no result or `SUCCESS` is a failure: `REVERT`, `OUT_OF_ENERGY`, and names not thought of yet.
fn in_block(info: &Value) -> Status {
    let result = info.pointer("/receipt/result").and_then(Value::as_str).unwrap_or("SUCCESS");
    let whole = info.get("result").and_then(Value::as_str).unwrap_or("SUCCESS");
    match (result, whole) {
        ("SUCCESS", "SUCCESS") => {
            Status::Confirmed { block: info.get("blockNumber").and_then(Value::as_u64) }
        }
        ("SUCCESS", other) | (other, _) => Status::Failed { reason: words(info.get("resMessage"), other) },
    }
}

/// A JSON object that is no error: both `{}` and an answer.
pub(crate) fn object(response: &Response) -> Option<Value> {
    let answer = response.json().filter(|answer| response.status == 200 && answer.is_object())?;
    answer.get("Error").is_none().then_some(answer)
}

fn is_known(answer: &Value, id: &str) -> bool {
    answer.get(id).is_some_and(Value::is_string)
}

/// A code with what the node has to say about it, which is hex of the text in some versions.
pub(crate) fn words(message: Option<&Value>, code: &str) -> String {
    let message = message.and_then(Value::as_str).unwrap_or_default();
    let decoded = encoding::from_hex("message", message).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let message = decoded.unwrap_or_else(|| message.to_owned());
    if message.is_empty() { code.to_owned() } else { format!("{code}: {message}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Chain;
    use crate::rpc::{self, Response};
    use crate::transaction::Signed;

    fn answer(status: u16, body: &str) -> Response {
        Response { status, body: body.as_bytes().to_vec() }
    }

    fn broadcast(body: &str) -> Broadcast {
        rpc::read_broadcast(Chain::Tron, &answer(200, body))
    }

    fn status(info: &str, transaction: &str) -> Status {
        rpc::read_status(Chain::Tron, &[answer(200, info), answer(200, transaction)])
    }

    #[test]
    fn asks_by_path_and_json() {
        let signed = Signed { bytes: vec![0x0a, 0x02], detached: None, id: "ab".to_owned() };
        let sent = rpc::broadcast(Chain::Tron, &signed);
        assert_eq!(sent, post("/wallet/broadcasthex", &json!({ "transaction": "0a02" })));
        let asked = rpc::status(Chain::Tron, "ab");
        let paths: Vec<_> = asked.iter().map(|request| request.path.as_str()).collect();
        assert_eq!(paths, ["/wallet/gettransactioninfobyid", "/wallet/gettransactionbyid"]);
        assert!(asked.iter().all(|request| request.method == Method::Post(r#"{"value":"ab"}"#.to_owned())));
    }

    #[test]
    fn reads_what_became_of_a_broadcast() {
        let accepted = r#"{"result":true,"code":"SUCCESS","txid":"ab","message":""}"#;
        assert_eq!(broadcast(accepted), Broadcast::Accepted);
        let known = r#"{"result":false,"code":"DUP_TRANSACTION_ERROR","message":"64757020"}"#;
        assert_eq!(broadcast(known), Broadcast::AlreadyKnown);
        let text = "Validate signature error: sig error";
        let hex = encoding::hex(text.as_bytes());
        for message in [text, &hex] {
            let refused = format!(r#"{{"code":"SIGERROR","txid":"ab","message":"{message}"}}"#);
            let expected =
                Broadcast::Rejected { code: "SIGERROR".to_owned(), reason: format!("SIGERROR: {text}") };
            assert_eq!(broadcast(&refused), expected);
        }
    }

    #[test]
    fn what_says_nothing_about_the_transaction_is_ambiguous() {
        for code in ["SERVER_BUSY", "TRANSACTION_EXPIRATION_ERROR", "TAPOS_ERROR", "OTHER_ERROR", "NEW_ONE"] {
            let answer = format!(r#"{{"code":"{code}"}}"#);
            assert_eq!(broadcast(&answer), Broadcast::Ambiguous { reason: code.to_owned() });
        }
        for body in ["", "<html>", "[]", "{}", r#"{"Error":"NullPointerException"}"#] {
            assert!(matches!(broadcast(body), Broadcast::Ambiguous { .. }), "{body}");
        }
        for status in [429, 500] {
            let limited = answer(status, r#"{"result":true}"#);
            assert!(matches!(rpc::read_broadcast(Chain::Tron, &limited), Broadcast::Ambiguous { .. }));
        }
    }

    #[test]
    fn reads_where_a_transaction_is() {
        let transfer = r#"{"id":"ab","blockNumber":7,"receipt":{"net_usage":268}}"#;
        assert_eq!(status(transfer, "{}"), Status::Confirmed { block: Some(7) });
        let call = r#"{"id":"ab","blockNumber":7,"receipt":{"result":"SUCCESS"}}"#;
        assert_eq!(status(call, "{}"), Status::Confirmed { block: Some(7) });
        assert_eq!(status("{}", r#"{"txID":"ab"}"#), Status::Pending);
        assert_eq!(status("{}", "{}"), Status::NotFound);
    }

    #[test]
    fn a_result_that_is_not_success_is_a_failure() {
        let message = encoding::hex(b"REVERT opcode executed");
        let info = format!(
            r#"{{"id":"ab","blockNumber":7,"result":"FAILED","resMessage":"{message}","receipt":{{"result":"REVERT"}}}}"#
        );
        let reason = "REVERT: REVERT opcode executed".to_owned();
        assert_eq!(status(&info, "{}"), Status::Failed { reason });
        let whole = r#"{"id":"ab","result":"FAILED"}"#;
        assert_eq!(status(whole, "{}"), Status::Failed { reason: "FAILED".to_owned() });
    }

    #[test]
    fn an_answer_that_cannot_be_read_is_no_news() {
        for (info, transaction) in [("", ""), ("<html>", "{}"), ("{}", "<html>"), (r#"{"Error":"x"}"#, "{}")]
        {
            assert!(matches!(status(info, transaction), Status::Unclear { .. }), "{info} {transaction}");
        }
        assert!(matches!(rpc::read_status(Chain::Tron, &[]), Status::Unclear { .. }));
        let limited = [answer(429, r#"{"id":"ab"}"#), answer(500, "{}")];
        assert!(matches!(rpc::read_status(Chain::Tron, &limited), Status::Unclear { .. }));
    }
}
