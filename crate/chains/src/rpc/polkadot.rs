//! Substrate nodes by JSON-RPC, and the indexers that know what became of an extrinsic.
//!
//! A node takes an extrinsic with `author_submitExtrinsic` and cannot be asked for one by its hash afterwards: its
//! database has blocks by hash, extrinsics only as contents of blocks. So the questions about status are for an
//! indexer, whose address comes before their paths: Subscan for Polkadot, Taostats behind a proxy for Bittensor.

use super::{Broadcast, Dialect, Method, Request, Response, Status};
use crate::{Chain, encoding};
use serde_json::{Value, json};

pub(super) static DIALECT: Dialect = Dialect {
    broadcast: |_, signed| {
        Request::json_rpc("author_submitExtrinsic", &json!([format!("0x{}", encoding::hex(&signed.bytes))]))
    },
    read_broadcast,
    status: |chain, id| vec![status(chain, id)],
    read_status: |chain, responses| match (responses, chain) {
        ([response], Chain::Bittensor) => read_taostats(response),
        ([response], _) => read_subscan(response),
        _ => Status::Unclear { reason: "one answer is due".to_owned() },
    },
};

/// The node's code for bytes that are no extrinsic, and for one that its runtime refuses.
const REFUSALS: [i64; 2] = [1001, 1010];
const ALREADY_IMPORTED: i64 = 1013;
/// What a runtime says of a transaction whose nonce or era is over: also of one that it included itself.
const OVER: [&str; 3] = ["outdated", "stale", "ancient"];
/// Subscan's codes for "no such record".
const NO_RECORD: [i64; 2] = [10_001, 10_004];

fn read_broadcast(response: &Response) -> Broadcast {
    let ambiguous = || Broadcast::Ambiguous { reason: response.excerpt() };
    let Some(answer) = response.json().filter(|_| response.status == 200) else { return ambiguous() };
    if answer.get("result").is_some_and(Value::is_string) {
        return Broadcast::Accepted;
    }
    let Some(error) = answer.get("error") else { return ambiguous() };
    let code = error.get("code").and_then(Value::as_i64).unwrap_or_default();
    let reason = words(error);
    let lower = reason.to_ascii_lowercase();
    let says = |text: &str| lower.contains(text);
    if code == ALREADY_IMPORTED || says("already imported") || says("already known") {
        Broadcast::AlreadyKnown
    } else if REFUSALS.contains(&code) && !OVER.into_iter().any(says) {
        Broadcast::Rejected { code: code.to_string(), reason }
    } else {
        Broadcast::Ambiguous { reason }
    }
}

/// Message and details, where there are any.
fn words(error: &Value) -> String {
    let message = error.get("message").and_then(Value::as_str).unwrap_or_default();
    match error.get("data") {
        Some(Value::String(data)) => format!("{message}: {data}"),
        Some(data) if !data.is_null() => format!("{message}: {data}"),
        _ => message.to_owned(),
    }
}

fn status(chain: Chain, id: &str) -> Request {
    if chain == Chain::Bittensor {
        return Request { method: Method::Get, path: format!("/tao-tx/v1?hash={id}") };
    }
    let body = json!({ "hash": id }).to_string();
    Request { method: Method::Post(body), path: "/api/scan/extrinsic".to_owned() }
}

/// `{ code, data: { success, finalized, block_num, error } }`. Before it is final a block can still go.
fn read_subscan(response: &Response) -> Status {
    let unclear = || Status::Unclear { reason: response.excerpt() };
    let Some(answer) = response.json().filter(|_| response.status == 200) else { return unclear() };
    let code = answer.get("code").and_then(Value::as_i64);
    let found = answer.get("data");
    match (code, found) {
        (Some(code), _) if NO_RECORD.contains(&code) => Status::NotFound,
        (Some(0), Some(Value::Null)) => Status::NotFound,
        (Some(0), Some(data)) => match (flag(data, "finalized"), flag(data, "success")) {
            (Some(false), _) => Status::Pending,
            (Some(true), Some(true)) => Status::Confirmed { block: number(data, "block_num") },
            (Some(true), Some(false)) => Status::Failed { reason: subscan_reason(data) },
            _ => unclear(),
        },
        _ => unclear(),
    }
}

fn subscan_reason(data: &Value) -> String {
    let text =
        |name: &str| data.pointer(&format!("/error/{name}")).and_then(Value::as_str).unwrap_or_default();
    match (text("module"), text("name")) {
        ("", "") => "the extrinsic failed".to_owned(),
        (module, name) => format!("{module}.{name}"),
    }
}

/// `{ data: [{ block_number, success }] }`, empty while it is not known.
fn read_taostats(response: &Response) -> Status {
    let unclear = || Status::Unclear { reason: response.excerpt() };
    let Some(answer) = response.json().filter(|_| response.status == 200) else { return unclear() };
    let Some(found) = answer.get("data").and_then(Value::as_array) else { return unclear() };
    let Some(extrinsic) = found.first() else { return Status::NotFound };
    match flag(extrinsic, "success") {
        Some(true) => Status::Confirmed { block: number(extrinsic, "block_number") },
        Some(false) => Status::Failed { reason: "the extrinsic failed".to_owned() },
        None => unclear(),
    }
}

fn flag(value: &Value, name: &str) -> Option<bool> {
    value.get(name).and_then(Value::as_bool)
}

fn number(value: &Value, name: &str) -> Option<u64> {
    value.get(name).and_then(Value::as_u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rpc;
    use crate::transaction::Signed;

    fn answer(status: u16, body: &str) -> Response {
        Response { status, body: body.as_bytes().to_vec() }
    }

    fn broadcast(body: &str) -> Broadcast {
        rpc::read_broadcast(Chain::Polkadot, &answer(200, body))
    }

    fn error(code: i64, message: &str, data: &str) -> Broadcast {
        let error = json!({ "code": code, "message": message, "data": data });
        broadcast(&json!({ "jsonrpc": "2.0", "id": 1, "error": error }).to_string())
    }

    fn status(chain: Chain, body: &str) -> Status {
        rpc::read_status(chain, &[answer(200, body)])
    }

    #[test]
    fn asks_the_node_and_the_indexer() {
        let signed = Signed { bytes: vec![0x3d, 2], detached: None, id: "0xab".to_owned() };
        let sent = rpc::broadcast(Chain::Bittensor, &signed);
        assert_eq!(sent, Request::json_rpc("author_submitExtrinsic", &json!(["0x3d02"])));
        let asked = rpc::status(Chain::Polkadot, "0xab");
        let body = Method::Post(r#"{"hash":"0xab"}"#.to_owned());
        assert_eq!(asked, [Request { method: body, path: "/api/scan/extrinsic".to_owned() }]);
        let asked = rpc::status(Chain::Bittensor, "0xab");
        assert_eq!(asked, [Request { method: Method::Get, path: "/tao-tx/v1?hash=0xab".to_owned() }]);
    }

    #[test]
    fn reads_what_became_of_a_broadcast() {
        assert_eq!(broadcast(r#"{"jsonrpc":"2.0","id":1,"result":"0xab"}"#), Broadcast::Accepted);
        assert_eq!(error(1013, "Transaction Already Imported", ""), Broadcast::AlreadyKnown);
        assert_eq!(error(-32_000, "tx already known", ""), Broadcast::AlreadyKnown);
        let reason = "Invalid Transaction: Transaction has a bad signature".to_owned();
        assert_eq!(
            error(1010, "Invalid Transaction", "Transaction has a bad signature"),
            Broadcast::Rejected { code: "1010".to_owned(), reason }
        );
        let poor =
            error(1010, "Invalid Transaction", "Inability to pay some fees (e.g. account balance too low)");
        assert!(matches!(poor, Broadcast::Rejected { .. }));
        assert!(matches!(error(1001, "Extrinsic has invalid format", ""), Broadcast::Rejected { .. }));
    }

    /// A nonce that is used up may have been used by this very transaction.
    #[test]
    fn what_an_included_transaction_is_told_is_ambiguous() {
        for data in ["Transaction is outdated", "Transaction has an ancient birth block", "Stale"] {
            assert!(
                matches!(error(1010, "Invalid Transaction", data), Broadcast::Ambiguous { .. }),
                "{data}"
            );
        }
        for (code, message) in [
            (1011, "Unknown Transaction Validity"),
            (1012, "Transaction is temporarily banned"),
            (1014, "Priority is too low"),
            (1016, "Immediately Dropped"),
            (-32_603, "Internal error"),
        ] {
            assert!(matches!(error(code, message, ""), Broadcast::Ambiguous { .. }), "{message}");
        }
        for body in ["", "<html>", "{}", "[]", r#"{"result":null}"#] {
            assert!(matches!(broadcast(body), Broadcast::Ambiguous { .. }), "{body}");
        }
        for status in [429, 500] {
            let limited = rpc::read_broadcast(Chain::Polkadot, &answer(status, r#"{"result":"0xab"}"#));
            assert!(matches!(limited, Broadcast::Ambiguous { .. }));
        }
    }

    #[test]
    fn reads_subscan() {
        let data = |data: &Value| {
            let body = json!({ "code": 0, "message": "Success", "data": data }).to_string();
            status(Chain::Polkadot, &body)
        };
        let included = json!({ "block_num": 7, "success": true, "finalized": false });
        assert_eq!(data(&included), Status::Pending);
        let done = json!({ "block_num": 7, "success": true, "finalized": true, "error": null });
        assert_eq!(data(&done), Status::Confirmed { block: Some(7) });
        let error = json!({ "module": "Token", "name": "FundsUnavailable", "doc": "" });
        let failed = json!({ "block_num": 7, "success": false, "finalized": true, "error": error });
        assert_eq!(data(&failed), Status::Failed { reason: "Token.FundsUnavailable".to_owned() });
        let unnamed = json!({ "success": false, "finalized": true });
        assert_eq!(data(&unnamed), Status::Failed { reason: "the extrinsic failed".to_owned() });
        assert_eq!(data(&Value::Null), Status::NotFound);
        let unknown = r#"{"code":10004,"message":"Record Not Found","data":null}"#;
        assert_eq!(status(Chain::Polkadot, unknown), Status::NotFound);
    }

    #[test]
    fn reads_taostats() {
        let read = |body: &str| status(Chain::Bittensor, body);
        let done = r#"{"data":[{"hash":"0xab","block_number":7,"success":true}]}"#;
        assert_eq!(read(done), Status::Confirmed { block: Some(7) });
        let failed = r#"{"data":[{"block_number":7,"success":false}]}"#;
        assert_eq!(read(failed), Status::Failed { reason: "the extrinsic failed".to_owned() });
        assert_eq!(read(r#"{"pagination":{"total":0},"data":[]}"#), Status::NotFound);
    }

    #[test]
    fn an_answer_that_cannot_be_read_is_no_news() {
        for chain in [Chain::Polkadot, Chain::Bittensor] {
            for body in [
                "",
                "<html>",
                "{}",
                r#"{"code":20008,"message":"API rate limit exceeded"}"#,
                r#"{"data":[{}]}"#,
            ] {
                assert!(matches!(status(chain, body), Status::Unclear { .. }), "{chain} {body}");
            }
            let done = r#"{"code":0,"data":[{"success":true,"finalized":true}]}"#;
            for code in [429, 500] {
                let limited = rpc::read_status(chain, &[answer(code, done)]);
                assert!(matches!(limited, Status::Unclear { .. }));
            }
            assert!(matches!(rpc::read_status(chain, &[]), Status::Unclear { .. }));
        }
    }
}
