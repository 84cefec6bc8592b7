//! UTXO chains over Blockchair's REST API: `push/transaction` takes the bytes in hex, and
//! `dashboards/transaction` knows what is in a block or waits for one.
//!
//! An answer is `{"data": …, "context": {"code": …, "error": …}}`. Behind `Invalid transaction. Error: ` stand the
//! words of the chain's own node, without its number. There is no failed transaction on these chains: what is in a
//! block has worked.

use super::{Broadcast, Dialect, Method, Request, Response, Status};
use crate::encoding;
use serde_json::{Value, json};

pub(super) static DIALECT: Dialect = Dialect {
    broadcast: |_, signed| {
        let body = json!({ "data": encoding::hex(&signed.bytes) });
        Request { method: Method::Post(body.to_string()), path: "/push/transaction".to_owned() }
    },
    read_broadcast,
    status: |_, id| vec![Request { method: Method::Get, path: format!("/dashboards/transaction/{id}") }],
    read_status: |_, responses| read_status(responses),
};

/// How nodes say that they have a transaction already.
const KNOWN: [&str; 6] = [
    "txn-already-in-mempool",
    "txn-already-known",
    "already in block chain",
    "already in utxo set",
    "already exists",
    "already known",
];

/// How nodes say that they will never take these bytes. What may change is not here: coins that are missing or spent
/// (perhaps by this very transaction), a conflict, a full mempool, a lock time.
const REFUSALS: [&str; 14] = [
    "tx decode failed",
    "script-verify-flag-failed",
    "bad-txns-in-belowout",
    "bad-txns-inputs-duplicate",
    "bad-txns-vin-empty",
    "bad-txns-vout",
    "bad-txns-oversize",
    "min relay fee not met",
    "unpaid action limit",
    "max-fee-exceeded",
    "absurdly-high-fee",
    "scriptpubkey",
    "scriptsig",
    "dust",
];

fn read_broadcast(response: &Response) -> Broadcast {
    let ambiguous = || Broadcast::Ambiguous { reason: response.excerpt() };
    let Some(answer) = response.json().filter(|_| matches!(response.status, 200 | 400)) else {
        return ambiguous();
    };
    if answer.pointer("/data/transaction_hash").is_some_and(Value::is_string) {
        return Broadcast::Accepted;
    }
    let Some(error) = answer.pointer("/context/error").and_then(Value::as_str) else { return ambiguous() };
    let words = error.to_ascii_lowercase();
    if KNOWN.iter().any(|known| words.contains(known)) {
        return Broadcast::AlreadyKnown;
    }
    match REFUSALS.iter().find(|refusal| words.contains(*refusal)) {
        Some(code) => Broadcast::Rejected { code: (*code).to_owned(), reason: error.to_owned() },
        None => Broadcast::Ambiguous { reason: error.to_owned() },
    }
}

fn read_status(responses: &[Response]) -> Status {
    let Some(response) = responses.first() else { return Status::Unclear { reason: "no answer".to_owned() } };
    let unclear = || Status::Unclear { reason: response.excerpt() };
    let Some(answer) = response.json().filter(|_| matches!(response.status, 200 | 404)) else {
        return unclear();
    };
    let code = answer.pointer("/context/code").and_then(Value::as_u64);
    match (answer.get("data"), code) {
        (Some(Value::Object(entries)), Some(200)) => match entries.values().next() {
            Some(entry) => in_block(entry).unwrap_or_else(unclear),
            None => Status::NotFound,
        },
        (Some(Value::Null), Some(200 | 404)) => Status::NotFound,
        (Some(Value::Array(entries)), Some(200 | 404)) if entries.is_empty() => Status::NotFound,
        _ => unclear(),
    }
}

/// In the mempool the block is -1, or nothing.
fn in_block(entry: &Value) -> Option<Status> {
    let block = entry.pointer("/transaction/block_id")?;
    if block.is_null() || block.as_i64() == Some(-1) {
        return Some(Status::Pending);
    }
    block.as_u64().map(|block| Status::Confirmed { block: Some(block) })
}

/// Asks a node of Zcash for the consensus branch of the next block.
pub fn zcash_branch() -> Request {
    Request::json_rpc("getblockchaininfo", &json!([]))
}

/// Reads the answer to [`zcash_branch`] into the bytes that enter signature hashes: the number backwards.
pub fn read_zcash_branch(response: &Response) -> Option<[u8; 4]> {
    let answer = response.json()?;
    let branch = answer.pointer("/result/consensus/nextblock")?.as_str()?;
    let mut bytes: [u8; 4] = encoding::array_from_hex("nextblock", branch).ok()?;
    bytes.reverse();
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Chain;
    use crate::transaction::Signed;

    const ID: &str = "91cb2e3540a8a7bc19c11d294fa71b9746384a0ab36898d805b9df5104852cbf";

    fn response(status: u16, body: &str) -> Response {
        Response { status, body: body.as_bytes().to_vec() }
    }

    /// An answer with an error of the node.
    fn error(reason: &str) -> Broadcast {
        let error = format!("Invalid transaction. Error: {reason}");
        let body = json!({ "data": null, "context": { "code": 400, "error": error } });
        read_broadcast(&response(400, &body.to_string()))
    }

    #[test]
    fn asks_by_path() {
        let signed = Signed { bytes: vec![1, 0xab], detached: None, id: ID.to_owned() };
        let request = crate::rpc::broadcast(Chain::Dash, &signed);
        assert_eq!(request.path, "/push/transaction");
        assert_eq!(request.method, Method::Post(r#"{"data":"01ab"}"#.to_owned()));
        let path = format!("/dashboards/transaction/{ID}");
        assert_eq!(crate::rpc::status(Chain::Zcash, ID), [Request { method: Method::Get, path }]);
    }

    #[test]
    fn accepted() {
        let body = format!(r#"{{"data":{{"transaction_hash":"{ID}"}},"context":{{"code":200}}}}"#);
        assert_eq!(read_broadcast(&response(200, &body)), Broadcast::Accepted);
    }

    #[test]
    fn already_known() {
        for reason in [
            "18: txn-already-in-mempool",
            "txn-already-known",
            "Transaction already in block chain",
            "Transaction outputs already in utxo set",
        ] {
            assert_eq!(error(reason), Broadcast::AlreadyKnown, "{reason}");
        }
    }

    #[test]
    fn rejected() {
        for (reason, expected) in [
            ("TX decode failed. Make sure the tx has at least one input.", "tx decode failed"),
            ("mandatory-script-verify-flag-failed (Signature must be zero)", "script-verify-flag-failed"),
            ("16: bad-txns-in-belowout, value in (1) < value out (2)", "bad-txns-in-belowout"),
            ("66: min relay fee not met, 10 < 110", "min relay fee not met"),
            ("64: dust", "dust"),
            ("tx unpaid action limit exceeded: 1 action(s) exceeds limit of 0", "unpaid action limit"),
        ] {
            let Broadcast::Rejected { code, reason: whole } = error(reason) else { panic!("{reason}") };
            assert_eq!(code, expected);
            assert!(whole.ends_with(reason));
        }
    }

    /// Missing coins may be spent by this very transaction; a rate limit is not about the bytes.
    #[test]
    fn ambiguous() {
        for reason in [
            "bad-txns-inputs-missingorspent",
            "Missing inputs",
            "txn-mempool-conflict",
            "mempool min fee not met, 1 < 2",
            "non-final",
        ] {
            assert!(matches!(error(reason), Broadcast::Ambiguous { .. }), "{reason}");
        }
        let limit = r#"{"data":null,"context":{"code":402,"error":"dust: limit exceeded"}}"#;
        for (status, body) in
            [(402, limit), (429, limit), (500, limit), (200, "<html>"), (200, "{}"), (400, "[]"), (200, "")]
        {
            let read = read_broadcast(&response(status, body));
            assert!(matches!(read, Broadcast::Ambiguous { .. }), "{status} {body}: {read:?}");
        }
    }

    #[test]
    fn pending_and_confirmed() {
        let status = |block: &str| {
            let body = format!(
                r#"{{"data":{{"{ID}":{{"transaction":{{"block_id":{block}}}}}}},"context":{{"code":200}}}}"#
            );
            read_status(&[response(200, &body)])
        };
        assert_eq!(status("-1"), Status::Pending);
        assert_eq!(status("null"), Status::Pending);
        assert_eq!(status("850123"), Status::Confirmed { block: Some(850_123) });
        assert!(matches!(status("-7"), Status::Unclear { .. }));
        assert!(matches!(status("\"850123\""), Status::Unclear { .. }));
    }

    #[test]
    fn not_found() {
        for (status, body) in [
            (404, r#"{"data":null,"context":{"code":404,"error":"not found"}}"#),
            (200, r#"{"data":null,"context":{"code":200,"results":0}}"#),
            (200, r#"{"data":[],"context":{"code":200,"results":0}}"#),
            (200, r#"{"data":{},"context":{"code":200,"results":0}}"#),
        ] {
            assert_eq!(read_status(&[response(status, body)]), Status::NotFound, "{body}");
        }
    }

    #[test]
    fn unclear() {
        let null = r#"{"data":null,"context":{"code":430}}"#;
        for (status, body) in [(404, "<html>"), (429, null), (200, null), (500, ""), (200, "{}"), (404, "{}")]
        {
            let read = read_status(&[response(status, body)]);
            assert!(matches!(read, Status::Unclear { .. }), "{status} {body}: {read:?}");
        }
        assert!(matches!(read_status(&[]), Status::Unclear { .. }));
    }

    #[test]
    fn branch_of_the_next_block_is_read_backwards() {
        let body = r#"{"result":{"consensus":{"chaintip":"c8e71055","nextblock":"4dec4df0"}},"id":1}"#;
        assert_eq!(read_zcash_branch(&response(200, body)), Some([0xf0, 0x4d, 0xec, 0x4d]));
        for body in ["", "{}", r#"{"result":{"consensus":{"nextblock":"4dec4d"}}}"#] {
            assert_eq!(read_zcash_branch(&response(200, body)), None);
        }
    }
}
