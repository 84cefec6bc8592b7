//! Solana's JSON-RPC: `sendTransaction` and `getSignatureStatuses`.

use super::{Broadcast, Dialect, Request, Response, Status};
use crate::encoding;
use serde_json::{Value, json};

pub(super) static DIALECT: Dialect = Dialect {
    broadcast: |_, signed| {
        let options = json!({ "encoding": "base64", "preflightCommitment": "confirmed" });
        Request::json_rpc("sendTransaction", &json!([encoding::base64(&signed.bytes), options]))
    },
    read_broadcast,
    status: |_, id| {
        let options = json!({ "searchTransactionHistory": true });
        vec![Request::json_rpc("getSignatureStatuses", &json!([[id], options]))]
    },
    read_status: |_, responses| match responses {
        [response] => read_status(response),
        _ => Status::Unclear { reason: "one answer was expected".to_owned() },
    },
};

/// The node ran the transaction on its newest state, and it failed.
const PREFLIGHT_FAILURE: i64 = -32002;
/// Codes that speak of the bytes and not of the node: a bad signature, a bad number of them, not a transaction.
const BAD_BYTES: [i64; 3] = [-32003, -32013, -32602];

/// Failures of a trial run that pass by themselves, or that a transaction in the chain would give as well. A blockhash
/// that is not found may be too new for this node, or too old: then the transaction may long be in a block.
const PASSING: [&str; 10] = [
    "BlockhashNotFound",
    "AccountInUse",
    "ClusterMaintenance",
    "WouldExceedMaxBlockCostLimit",
    "WouldExceedMaxAccountCostLimit",
    "WouldExceedMaxVoteCostLimit",
    "WouldExceedAccountDataBlockLimit",
    "WouldExceedAccountDataTotalLimit",
    "ProgramCacheHitMaxLimit",
    "ResanitizationNeeded",
];

fn read_broadcast(response: &Response) -> Broadcast {
    let ambiguous = || Broadcast::Ambiguous { reason: response.excerpt() };
    if response.status == 429 || response.status >= 500 {
        return ambiguous();
    }
    let Some(answer) = response.json() else { return ambiguous() };
    if let Some(error) = answer.get("error") {
        return refused(error).unwrap_or_else(ambiguous);
    }
    match answer.get("result").and_then(Value::as_str) {
        Some(id) if response.status == 200 && !id.is_empty() => Broadcast::Accepted,
        _ => ambiguous(),
    }
}

/// What an error says of the transaction; nothing if it speaks of the node.
fn refused(error: &Value) -> Option<Broadcast> {
    let code = error.get("code").and_then(Value::as_i64)?;
    let message = error.get("message").and_then(Value::as_str).unwrap_or_default();
    let failure = error.get("data").and_then(|data| data.get("err")).filter(|err| !err.is_null());
    let name = failure.map(failure_name).unwrap_or_default();
    if name == "AlreadyProcessed" || message.contains("already been processed") {
        return Some(Broadcast::AlreadyKnown);
    }
    let passing = passes(&name) || message.contains("Blockhash not found");
    match code {
        PREFLIGHT_FAILURE if !passing && !name.is_empty() => {
            let detail = failure.map(Value::to_string).unwrap_or_default();
            Some(Broadcast::Rejected { code: name, reason: format!("{message} ({detail})") })
        }
        _ if BAD_BYTES.contains(&code) => {
            Some(Broadcast::Rejected { code: code.to_string(), reason: message.to_owned() })
        }
        _ => None,
    }
}

/// A failure is its name, or an object with its name and details.
pub(crate) fn failure_name(failure: &Value) -> String {
    match failure {
        Value::String(name) => name.clone(),
        Value::Object(fields) => fields.keys().next().cloned().unwrap_or_default(),
        _ => String::new(),
    }
}

/// Whether a failure of a trial run passes by itself.
pub(crate) fn passes(name: &str) -> bool {
    PASSING.contains(&name)
}

fn read_status(response: &Response) -> Status {
    let unclear = || Status::Unclear { reason: response.excerpt() };
    let answer = if response.status == 200 { response.json() } else { None };
    let values = answer.as_ref().and_then(|answer| answer.get("result")?.get("value")?.as_array());
    match values.map(Vec::as_slice) {
        Some([Value::Null]) => Status::NotFound,
        Some([Value::Object(status)]) => {
            let Some(settled) = settled(status) else { return unclear() };
            match status.get("err").filter(|err| !err.is_null()) {
                _ if !settled => Status::Pending,
                Some(err) => Status::Failed { reason: err.to_string() },
                None => Status::Confirmed { block: status.get("slot").and_then(Value::as_u64) },
            }
        }
        _ => unclear(),
    }
}

/// Whether most of the stake voted for the block. What one node processed may still be forgotten, success or failure.
/// An old node does not name the level; it leaves `confirmations` empty once the block is final.
fn settled(status: &serde_json::Map<String, Value>) -> Option<bool> {
    match status.get("confirmationStatus") {
        Some(Value::String(level)) => match level.as_str() {
            "processed" => Some(false),
            "confirmed" | "finalized" => Some(true),
            _ => None,
        },
        None | Some(Value::Null) => status.get("confirmations").map(Value::is_null),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Chain;
    use crate::rpc::{Method, broadcast, read_broadcast, read_status, status};
    use crate::transaction::Signed;

    fn answer(status: u16, body: &str) -> Response {
        Response { status, body: body.as_bytes().to_vec() }
    }

    fn sent(status: u16, body: &str) -> Broadcast {
        read_broadcast(Chain::Solana, &answer(status, body))
    }

    fn error(code: i64, message: &str, err: &Value) -> Broadcast {
        let data = json!({ "accounts": null, "err": err, "logs": [], "unitsConsumed": 0 });
        let error = json!({ "code": code, "message": message, "data": data });
        sent(200, &json!({ "jsonrpc": "2.0", "id": 1, "error": error }).to_string())
    }

    fn found(value: &Value) -> Status {
        let body =
            json!({ "jsonrpc": "2.0", "id": 1, "result": { "context": { "slot": 9 }, "value": [value] } });
        read_status(Chain::Solana, &[answer(200, &body.to_string())])
    }

    #[test]
    fn a_transaction_is_sent_in_base64_and_tried_first() {
        let signed = Signed { bytes: vec![1, 2, 3], detached: None, id: String::new() };
        let Method::Post(body) = broadcast(Chain::Solana, &signed).method else { panic!("not a POST") };
        let expected = json!({
            "jsonrpc": "2.0", "id": 1, "method": "sendTransaction",
            "params": ["AQID", { "encoding": "base64", "preflightCommitment": "confirmed" }],
        });
        assert_eq!(serde_json::from_str::<Value>(&body).unwrap(), expected);
    }

    #[test]
    fn a_transaction_is_looked_for_in_the_history_too() {
        let requests = status(Chain::Solana, "5sig");
        let [Request { method: Method::Post(body), path }] = requests.as_slice() else { panic!("one POST") };
        let expected = json!({
            "jsonrpc": "2.0", "id": 1, "method": "getSignatureStatuses",
            "params": [["5sig"], { "searchTransactionHistory": true }],
        });
        assert_eq!(serde_json::from_str::<Value>(body).unwrap(), expected);
        assert_eq!(path, "");
    }

    #[test]
    fn a_signature_in_the_answer_means_accepted() {
        assert_eq!(sent(200, r#"{"jsonrpc":"2.0","result":"5nKh","id":1}"#), Broadcast::Accepted);
    }

    #[test]
    fn processed_before_means_known() {
        let message = "Transaction simulation failed: This transaction has already been processed";
        assert_eq!(error(-32002, message, &json!("AlreadyProcessed")), Broadcast::AlreadyKnown);
    }

    #[test]
    fn failed_simulation_is_rejected_by_name() {
        let message =
            "Transaction simulation failed: Error processing Instruction 2: custom program error: 0x1";
        let err = json!({ "InstructionError": [2, { "Custom": 1 }] });
        let reason = format!(r#"{message} ({{"InstructionError":[2,{{"Custom":1}}]}})"#);
        let expected = Broadcast::Rejected { code: "InstructionError".to_owned(), reason };
        assert_eq!(error(-32002, message, &err), expected);
        let message = "Transaction simulation failed: Insufficient funds for fee";
        let Broadcast::Rejected { code, .. } = error(-32002, message, &json!("InsufficientFundsForFee"))
        else {
            panic!("not rejected")
        };
        assert_eq!(code, "InsufficientFundsForFee");
    }

    #[test]
    fn bad_bytes_are_a_rejection() {
        let refused = [
            (-32003, "Transaction signature verification failure"),
            (-32602, "failed to deserialize solana_transaction::versioned::VersionedTransaction"),
            (-32602, "base64 encoded transaction too large: 1700 bytes (max: encoded/raw 1644/1232)"),
        ];
        for (code, message) in refused {
            let expected = Broadcast::Rejected { code: code.to_string(), reason: message.to_owned() };
            assert_eq!(error(code, message, &Value::Null), expected);
        }
    }

    #[test]
    fn blockhash_not_found_is_ambiguous() {
        let message = "Transaction simulation failed: Blockhash not found";
        for err in [json!("BlockhashNotFound"), Value::Null] {
            assert!(matches!(error(-32002, message, &err), Broadcast::Ambiguous { .. }));
        }
    }

    #[test]
    fn limits_and_nodes_in_trouble_are_ambiguous() {
        let rate_limit = r#"{"jsonrpc":"2.0","error":{"code":429,"message":"Too many requests"},"id":1}"#;
        let unhealthy =
            r#"{"jsonrpc":"2.0","error":{"code":-32005,"message":"Node is behind by 42 slots"},"id":1}"#;
        let answers = [
            (429, rate_limit),
            (200, rate_limit),
            (200, unhealthy),
            (500, r#"{"result":"5nKh"}"#),
            (502, "<html>Bad Gateway</html>"),
            (404, r#"{"result":"5nKh"}"#),
            (200, ""),
            (200, r#"{"jsonrpc":"2.0","result":null,"id":1}"#),
            (200, r#"{"jsonrpc":"2.0","error":"no","id":1}"#),
        ];
        for (status, body) in answers {
            assert!(matches!(sent(status, body), Broadcast::Ambiguous { .. }), "{status} {body}");
        }
    }

    #[test]
    fn most_votes_confirm() {
        for level in ["confirmed", "finalized"] {
            let value = json!({ "slot": 72, "confirmations": 10, "err": null, "confirmationStatus": level });
            assert_eq!(found(&value), Status::Confirmed { block: Some(72) });
        }
        let old_node = json!({ "slot": 72, "confirmations": null, "err": null });
        assert_eq!(found(&old_node), Status::Confirmed { block: Some(72) });
    }

    #[test]
    fn one_nodes_view_is_not_yet_an_outcome() {
        let err = json!({ "InstructionError": [0, { "Custom": 1 }] });
        for err in [Value::Null, err] {
            let value =
                json!({ "slot": 72, "confirmations": 0, "err": err, "confirmationStatus": "processed" });
            assert_eq!(found(&value), Status::Pending);
        }
    }

    #[test]
    fn a_failure_has_the_chains_reason() {
        let err = json!({ "InstructionError": [3, { "Custom": 6001 }] });
        let value =
            json!({ "slot": 72, "confirmations": null, "err": err, "confirmationStatus": "finalized" });
        let reason = r#"{"InstructionError":[3,{"Custom":6001}]}"#.to_owned();
        assert_eq!(found(&value), Status::Failed { reason });
    }

    #[test]
    fn null_means_not_found_and_anything_else_is_unclear() {
        assert_eq!(found(&Value::Null), Status::NotFound);
        let unclear =
            [(200, "{}"), (200, "garbage"), (429, "slow down"), (500, r#"{"result":{"value":[null]}}"#)];
        for (status, body) in unclear {
            let found = read_status(Chain::Solana, &[answer(status, body)]);
            assert!(matches!(found, Status::Unclear { .. }), "{status} {body}");
        }
        assert!(matches!(found(&json!({ "slot": 1, "confirmationStatus": "odd" })), Status::Unclear { .. }));
        assert!(matches!(read_status(Chain::Solana, &[]), Status::Unclear { .. }));
    }
}
