//! The XRP ledger by the JSON-RPC of rippled: `submit` and `tx`, one object in `params`, an answer in `result`.
//!
//! `engine_result` is provisional and says by its first letters what it means: `tes` applied, `tec` applied without
//! effect but for the fee, `ter` may work later, `tef` and `tem` never, `tel` not on this server. Final is only what is
//! `validated`. Rule: xrpl.org, "Transaction Results", "Reliable Transaction Submission".

use super::{Broadcast, Dialect, Method, Request, Response, Status};
use crate::transaction::Signed;
use crate::{Chain, encoding};
use serde_json::{Value, json};

pub(super) static DIALECT: Dialect = Dialect { broadcast, read_broadcast, status, read_status };

/// Refusals that those get, too, whose transaction was applied before: its sequence or ticket is used up, or the
/// server has seen it. And a server's own trouble.
const UNSURE: &[&str] =
    &["tefALREADY", "tefPAST_SEQ", "tefNO_TICKET", "tefEXCEPTION", "tefFAILURE", "tefINTERNAL"];
/// Errors of `submit` that speak of the bytes.
const OF_THE_BYTES: &[&str] = &["invalidTransaction", "invalidParams"];

pub(crate) fn call(method: &str, params: &Value) -> Request {
    let body = json!({ "method": method, "params": [params] });
    Request { method: Method::Post(body.to_string()), path: String::new() }
}

fn broadcast(_: Chain, signed: &Signed) -> Request {
    call("submit", &json!({ "tx_blob": encoding::hex(&signed.bytes).to_ascii_uppercase() }))
}

fn read_broadcast(response: &Response) -> Broadcast {
    let ambiguous = || Broadcast::Ambiguous { reason: response.excerpt() };
    let Some(result) = result(response) else { return ambiguous() };
    let text = |name: &str| result.get(name).and_then(Value::as_str).unwrap_or_default();
    let rejected =
        |code: &str, reason: &str| Broadcast::Rejected { code: code.to_owned(), reason: reason.to_owned() };
    let error = text("error");
    if OF_THE_BYTES.contains(&error) {
        let reason =
            [text("error_exception"), text("error_message")].into_iter().find(|text| !text.is_empty());
        return rejected(error, reason.unwrap_or(error));
    }
    let code = text("engine_result");
    match code.get(..3) {
        Some("tes" | "tec") => Broadcast::Accepted,
        Some("ter") if code == "terQUEUED" => Broadcast::Accepted,
        Some("tem" | "tef") if !UNSURE.contains(&code) => rejected(code, text("engine_result_message")),
        _ => ambiguous(),
    }
}

fn status(_: Chain, id: &str) -> Vec<Request> {
    vec![call("tx", &json!({ "transaction": id, "binary": false }))]
}

fn read_status(_: Chain, responses: &[Response]) -> Status {
    let [response] = responses else { return Status::Unclear { reason: String::new() } };
    let unclear = || Status::Unclear { reason: response.excerpt() };
    let Some(result) = result(response) else { return unclear() };
    match result.get("error").and_then(Value::as_str) {
        Some("txnNotFound") => return Status::NotFound,
        Some(_) => return unclear(),
        None => {}
    }
    match result.get("validated").and_then(Value::as_bool) {
        Some(true) => {}
        // Known to the server, in no ledger that counts.
        _ if result.get("hash").is_some() => return Status::Pending,
        _ => return unclear(),
    }
    match result.pointer("/meta/TransactionResult").and_then(Value::as_str) {
        Some("tesSUCCESS") => Status::Confirmed { block: ledger(&result) },
        Some(code) => Status::Failed { reason: code.to_owned() },
        None => unclear(),
    }
}

pub(crate) fn result(response: &Response) -> Option<Value> {
    let answer = response.json().filter(|_| response.status == 200)?;
    answer.get("result").filter(|result| result.is_object()).cloned()
}

fn ledger(result: &Value) -> Option<u64> {
    result.get("ledger_index").or_else(|| result.get("inLedger")).and_then(Value::as_u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(status: u16, result: &Value) -> Broadcast {
        read_broadcast(&Response { status, body: json!({ "result": result }).to_string().into_bytes() })
    }

    fn seen(status: u16, result: &Value) -> Status {
        let body = json!({ "result": result }).to_string().into_bytes();
        read_status(Chain::Ripple, &[Response { status, body }])
    }

    fn engine(code: &str) -> Value {
        json!({
            "accepted": true, "engine_result": code, "engine_result_code": 0, "engine_result_message": "why",
            "status": "success", "tx_blob": "12", "tx_json": { "hash": "AA" },
        })
    }

    #[test]
    fn the_blob_goes_in_upper_case() {
        let signed = Signed { bytes: vec![0x12, 0xab], detached: None, id: String::new() };
        let expected = "{\"method\":\"submit\",\"params\":[{\"tx_blob\":\"12AB\"}]}".to_owned();
        assert_eq!(
            broadcast(Chain::Ripple, &signed),
            Request { method: Method::Post(expected), path: String::new() }
        );
    }

    #[test]
    fn applied_queued_or_claimed_is_accepted() {
        for code in ["tesSUCCESS", "terQUEUED", "tecPATH_DRY", "tecUNFUNDED_PAYMENT"] {
            assert_eq!(sent(200, &engine(code)), Broadcast::Accepted, "{code}");
        }
    }

    #[test]
    fn malformed_and_failed_are_final() {
        for code in ["temBAD_FEE", "temINVALID", "tefBAD_AUTH", "tefMAX_LEDGER"] {
            let expected = Broadcast::Rejected { code: code.to_owned(), reason: "why".to_owned() };
            assert_eq!(sent(200, &engine(code)), expected);
        }
        let result = json!({ "error": "invalidTransaction", "status": "error",
            "error_exception": "fails local checks: Invalid signature." });
        let reason = "fails local checks: Invalid signature.".to_owned();
        assert_eq!(sent(200, &result), Broadcast::Rejected { code: "invalidTransaction".to_owned(), reason });
    }

    /// The same answers come to one whose transaction was applied a moment ago.
    #[test]
    fn what_may_have_been_applied_is_looked_up() {
        let codes = [
            "tefALREADY",
            "tefPAST_SEQ",
            "tefNO_TICKET",
            "terPRE_SEQ",
            "terRETRY",
            "telINSUF_FEE_P",
            "x",
            "",
        ];
        for code in codes {
            assert!(matches!(sent(200, &engine(code)), Broadcast::Ambiguous { .. }), "{code}");
        }
        assert!(matches!(sent(200, &json!({ "error": "tooBusy" })), Broadcast::Ambiguous { .. }));
        assert!(matches!(sent(503, &engine("tesSUCCESS")), Broadcast::Ambiguous { .. }));
        assert!(matches!(sent(429, &engine("temBAD_FEE")), Broadcast::Ambiguous { .. }));
        let garbage = Response { status: 200, body: b"<html>".to_vec() };
        assert!(matches!(read_broadcast(&garbage), Broadcast::Ambiguous { .. }));
    }

    #[test]
    fn the_hash_is_asked_for() {
        let expected =
            "{\"method\":\"tx\",\"params\":[{\"binary\":false,\"transaction\":\"AB\"}]}".to_owned();
        assert_eq!(
            status(Chain::Ripple, "AB"),
            [Request { method: Method::Post(expected), path: String::new() }]
        );
    }

    #[test]
    fn only_what_is_validated_is_final() {
        let result = |validated: bool, code: &str| {
            json!({ "Account": "r", "hash": "AB", "ledger_index": 97_710_000, "inLedger": 97_710_000,
                "meta": { "TransactionResult": code }, "status": "success", "validated": validated })
        };
        assert_eq!(seen(200, &result(true, "tesSUCCESS")), Status::Confirmed { block: Some(97_710_000) });
        let reason = "tecNO_DST_INSUF_XRP".to_owned();
        assert_eq!(seen(200, &result(true, &reason)), Status::Failed { reason });
        assert_eq!(seen(200, &result(false, "tesSUCCESS")), Status::Pending);
        assert_eq!(seen(200, &json!({ "hash": "AB", "status": "success" })), Status::Pending);
        let missing = json!({ "error": "txnNotFound", "error_code": 29, "status": "error" });
        assert_eq!(seen(200, &missing), Status::NotFound);
    }

    #[test]
    fn no_news_is_unclear() {
        assert!(matches!(seen(200, &json!({ "error": "tooBusy" })), Status::Unclear { .. }));
        assert!(matches!(seen(200, &json!({})), Status::Unclear { .. }));
        assert!(matches!(seen(200, &json!({ "validated": true, "hash": "AB" })), Status::Unclear { .. }));
        assert!(matches!(seen(500, &json!({ "error": "txnNotFound" })), Status::Unclear { .. }));
        assert!(matches!(read_status(Chain::Ripple, &[]), Status::Unclear { .. }));
    }
}
