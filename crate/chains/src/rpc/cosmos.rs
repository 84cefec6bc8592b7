//! Cosmos SDK nodes by their REST interface (LCD), which both takes transactions and knows them; one endpoint is
//! enough. THORChain's and MayaChain's nodes have it too.
//!
//! A transaction is taken into the mempool or refused at once (`BROADCAST_MODE_SYNC`); refusals are `codespace` and
//! `code`. Errors of the node itself come in another shape, `code` and `message` of gRPC, and say nothing final.

use super::{Broadcast, Dialect, Method, Request, Response, Status};
use crate::encoding;
use serde_json::{Value, json};

pub(super) static DIALECT: Dialect = Dialect {
    broadcast: |_, signed| {
        let body = json!({ "tx_bytes": encoding::base64(&signed.bytes), "mode": "BROADCAST_MODE_SYNC" });
        Request { method: Method::Post(body.to_string()), path: PATH.to_owned() }
    },
    read_broadcast,
    status: |_, id| vec![Request { method: Method::Get, path: format!("{PATH}/{id}") }],
    read_status: |_, responses| responses.first().map_or_else(no_answer, read_status),
};

const PATH: &str = "/cosmos/tx/v1beta1/txs";

/// What nodes say to a transaction that they have, and to one that they took but did not see in a block in time.
const KNOWN: [&str; 2] = ["tx already exists in cache", "timed out waiting for tx to be included in a block"];

/// `ErrTxInMempoolCache` of the codespace `sdk`.
const IN_CACHE: u64 = 19;
/// `ErrMempoolIsFull`: another time, or another node.
const MEMPOOL_FULL: u64 = 20;
/// `ErrWrongSequence`: also the answer to a transaction that is in a block already.
const WRONG_SEQUENCE: u64 = 32;
/// gRPC's `NOT_FOUND`.
const NOT_FOUND: u64 = 5;

fn read_broadcast(response: &Response) -> Broadcast {
    let ambiguous = || Broadcast::Ambiguous { reason: response.excerpt() };
    let Some(answer) = response.json() else { return ambiguous() };
    let said = |pointer: &str| answer.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let knows = |text: &str| KNOWN.iter().any(|known| text.contains(known));
    if knows(said("/message")) || knows(said("/tx_response/raw_log")) {
        return Broadcast::AlreadyKnown;
    }
    let code = answer.pointer("/tx_response/code").and_then(Value::as_u64).filter(|_| response.status == 200);
    match (code, said("/tx_response/codespace")) {
        (Some(0), _) => Broadcast::Accepted,
        (Some(IN_CACHE), "sdk") => Broadcast::AlreadyKnown,
        (None, _) | (Some(MEMPOOL_FULL | WRONG_SEQUENCE), "sdk") => ambiguous(),
        (Some(code), codespace) => Broadcast::Rejected {
            code: format!("{codespace} {code}"),
            reason: said("/tx_response/raw_log").to_owned(),
        },
    }
}

fn no_answer() -> Status {
    Status::Unclear { reason: "no answer".to_owned() }
}

fn read_status(response: &Response) -> Status {
    let unclear = || Status::Unclear { reason: response.excerpt() };
    let Some(answer) = response.json() else { return unclear() };
    let Some(result) = answer.get("tx_response").filter(|_| response.status == 200) else {
        let code = answer.get("code").and_then(Value::as_u64);
        let message = answer.get("message").and_then(Value::as_str).unwrap_or_default();
        let not_found = code == Some(NOT_FOUND) || message.contains("tx not found");
        return if not_found && response.status != 200 { Status::NotFound } else { unclear() };
    };
    let text = |name: &str| result.get(name).and_then(Value::as_str);
    let height = text("height").and_then(|height| height.parse::<u64>().ok());
    match (result.get("code").and_then(Value::as_u64), height) {
        (Some(_), Some(0)) => Status::Pending,
        (Some(0), Some(height)) => Status::Confirmed { block: Some(height) },
        (Some(code), Some(_)) => {
            let (codespace, log) =
                (text("codespace").unwrap_or_default(), text("raw_log").unwrap_or_default());
            Status::Failed { reason: format!("{codespace} {code}: {log}") }
        }
        _ => unclear(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Chain;
    use crate::rpc;
    use crate::transaction::Signed;

    const HASH: &str = "63AB1F5B50DB7B76A6A216143C684DDBE389E6BFDE507C12A1B9C12C63FD6877";

    fn answer(status: u16, body: &str) -> Response {
        Response { status, body: body.as_bytes().to_vec() }
    }

    fn broadcast(status: u16, body: &str) -> Broadcast {
        rpc::read_broadcast(Chain::Osmosis, &answer(status, body))
    }

    fn status(status: u16, body: &str) -> Status {
        rpc::read_status(Chain::Osmosis, &[answer(status, body)])
    }

    fn taken(code: u64, codespace: &str, log: &str) -> String {
        json!({ "tx_response": {
            "height": "0", "txhash": HASH, "codespace": codespace, "code": code, "data": "", "raw_log": log,
            "logs": [], "info": "", "gas_wanted": "0", "gas_used": "0", "tx": null, "timestamp": "", "events": [],
        } })
        .to_string()
    }

    fn found(code: u64, height: &str) -> String {
        json!({ "tx": { "signatures": [] }, "tx_response": {
            "height": height, "txhash": HASH, "codespace": if code == 0 { "" } else { "wasm" }, "code": code,
            "raw_log": "failed to execute message", "gas_wanted": "200000", "gas_used": "81234",
        } })
        .to_string()
    }

    #[test]
    fn one_endpoint_takes_a_transaction_and_tells_of_it() {
        let signed = Signed { bytes: vec![0x0a, 0x00], detached: None, id: HASH.to_owned() };
        let sent = rpc::broadcast(Chain::ThorChain, &signed);
        let Method::Post(body) = &sent.method else { panic!("a broadcast is a POST") };
        let body: Value = serde_json::from_str(body).unwrap();
        assert_eq!(body, json!({ "tx_bytes": "CgA=", "mode": "BROADCAST_MODE_SYNC" }));
        assert_eq!(sent.path, "/cosmos/tx/v1beta1/txs");
        let path = format!("/cosmos/tx/v1beta1/txs/{HASH}");
        assert_eq!(rpc::status(Chain::ThorChain, HASH), [Request { method: Method::Get, path }]);
    }

    #[test]
    fn reads_what_became_of_a_broadcast() {
        assert_eq!(broadcast(200, &taken(0, "", "[]")), Broadcast::Accepted);
        let log = "insufficient funds: insufficient account funds; 1uosmo < 2uosmo";
        let rejected = Broadcast::Rejected { code: "sdk 5".to_owned(), reason: log.to_owned() };
        assert_eq!(broadcast(200, &taken(5, "sdk", log)), rejected);
        let other = broadcast(200, &taken(19, "wasm", "contract not found"));
        assert!(matches!(other, Broadcast::Rejected { code, .. } if code == "wasm 19"), "not the sdk's 19");
    }

    #[test]
    fn known_transaction_counts_as_accepted() {
        assert_eq!(broadcast(200, &taken(19, "sdk", "tx already in mempool")), Broadcast::AlreadyKnown);
        for message in ["tx already exists in cache", "timed out waiting for tx to be included in a block"] {
            let body = json!({ "code": 2, "message": format!("rpc error: {message}"), "details": [] });
            assert_eq!(broadcast(500, &body.to_string()), Broadcast::AlreadyKnown, "{message}");
        }
    }

    #[test]
    fn what_may_yet_be_in_a_block_is_ambiguous() {
        let sequence = "account sequence mismatch, expected 6, got 5: incorrect account sequence";
        let answers = [
            (200, taken(32, "sdk", sequence)),
            (200, taken(20, "sdk", "mempool is full")),
            (400, json!({ "code": 3, "message": "invalid request", "details": [] }).to_string()),
            (503, taken(5, "sdk", "from a proxy")),
            (429, String::new()),
            (500, "<html>".to_owned()),
            (200, "{}".to_owned()),
            (200, r#"{"tx_response":null}"#.to_owned()),
        ];
        for (status, body) in answers {
            assert!(matches!(broadcast(status, &body), Broadcast::Ambiguous { .. }), "{body}");
        }
    }

    #[test]
    fn reads_where_a_transaction_is() {
        assert_eq!(status(200, &found(0, "123")), Status::Confirmed { block: Some(123) });
        assert_eq!(status(200, &found(0, "0")), Status::Pending);
        let reason = "wasm 5: failed to execute message".to_owned();
        assert_eq!(status(200, &found(5, "123")), Status::Failed { reason });
        let missing =
            json!({ "code": 5, "message": format!("tx not found: {HASH}"), "details": [] }).to_string();
        assert_eq!(status(404, &missing), Status::NotFound);
        let older = json!({ "code": 2, "message": format!("rpc error: tx not found: {HASH}") }).to_string();
        assert_eq!(status(500, &older), Status::NotFound);
    }

    #[test]
    fn an_answer_that_cannot_be_read_is_no_news() {
        let no_index = json!({ "code": 2, "message": "transaction indexing is disabled" }).to_string();
        let no_height = found(0, "");
        let no_code = json!({ "tx_response": { "height": "7" } }).to_string();
        for (code, body) in [
            (404, "<html>404 Not Found</html>"),
            (500, &no_index),
            (200, &no_height),
            (200, &no_code),
            (200, "{}"),
            (200, r#"{"code":5}"#),
            (502, &found(0, "7")),
            (429, ""),
        ] {
            assert!(matches!(status(code, body), Status::Unclear { .. }), "{body}");
        }
        assert!(matches!(rpc::read_status(Chain::Osmosis, &[]), Status::Unclear { .. }));
    }
}
