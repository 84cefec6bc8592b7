//! EVM nodes speak Ethereum JSON-RPC (EIP-1474); what an error means stands in its text, which every client words
//! differently.
//!
//! "Nonce too low" is no refusal of these bytes: the node says it too when they are in a block already.

use super::{Broadcast, Dialect, Request, Response, Status};
use crate::transaction::Signed;
use crate::{Amount, Chain, encoding};
use serde_json::{Value, json};

pub(super) static DIALECT: Dialect = Dialect { broadcast, read_broadcast, status, read_status };

/// The node has the transaction. These and the following are letters and digits alone, in lower case.
const KNOWN: &[&str] = &[
    "alreadyknown",
    "transactionalreadyexists",
    "txalreadyinmempool",
    "knowntransaction",
    "alreadyimported",
    "alreadyexistsincache",
];

/// The nonce was used, perhaps by these very bytes.
const USED: &[&str] = &["noncetoolow", "nonceistoolow", "oldnonce", "invalidnonce", "accountsequence"];

/// The rules refuse these bytes.
const REFUSED: &[&str] = &[
    "insufficientfunds",
    "notenoughbalance",
    "exceedsaccountbalance",
    "intrinsicgastoolow",
    "exceedsblockgaslimit",
    "exceedsthelimit",
    "gaslimittoohigh",
    "underpriced",
    "feetoolow",
    "lessthanblockbasefee",
    "maxfeepergasless",
    "tiphigherthan",
    "priorityfeepergashigherthan",
    "invalidsender",
    "invalidsignature",
    "invalidtxsignature",
    "invalidchainid",
    "chainidmismatch",
    "incorrectchainid",
    "wrongchainid",
    "typenotsupported",
    "oversizeddata",
    "initcodesize",
    "rlp",
];

/// EIP-1474: invalid parameters, transaction rejected.
const REFUSALS: [i64; 2] = [-32_602, -32_003];

fn broadcast(_: Chain, signed: &Signed) -> Request {
    let bytes = format!("0x{}", encoding::hex(&signed.bytes));
    Request::json_rpc("eth_sendRawTransaction", &json!([bytes]))
}

fn read_broadcast(response: &Response) -> Broadcast {
    let ambiguous = || Broadcast::Ambiguous { reason: response.excerpt() };
    let Some(answer) = response.answer() else { return ambiguous() };
    if let Some(hash) = answer.get("result").and_then(Value::as_str) {
        let right = encoding::array_from_hex::<32>("result", hash).is_ok();
        return if right { Broadcast::Accepted } else { ambiguous() };
    }
    let Some(error) = answer.get("error") else { return ambiguous() };
    let code = error.get("code").and_then(Value::as_i64);
    let reason = error.get("message").and_then(Value::as_str).unwrap_or_default().to_owned();
    let letters = letters(&reason);
    let any = |texts: &[&str]| texts.iter().any(|text| letters.contains(text));
    if any(KNOWN) {
        return Broadcast::AlreadyKnown;
    }
    let refused = any(REFUSED) || code.is_some_and(|code| REFUSALS.contains(&code));
    if refused && !any(USED) {
        let code = code.map_or_else(String::new, |code| code.to_string());
        return Broadcast::Rejected { code, reason };
    }
    ambiguous()
}

fn status(_: Chain, id: &str) -> Vec<Request> {
    let by_hash = |method| Request::json_rpc(method, &json!([id]));
    vec![by_hash("eth_getTransactionReceipt"), by_hash("eth_getTransactionByHash")]
}

fn read_status(_: Chain, responses: &[Response]) -> Status {
    let [receipt, transaction] = responses else {
        return Status::Unclear { reason: "two answers are needed".to_owned() };
    };
    let unclear = |response: &Response| Status::Unclear { reason: response.excerpt() };
    match receipt.result() {
        Some(Value::Object(fields)) => {
            let text = |name| fields.get(name).and_then(Value::as_str);
            let block = text("blockNumber").and_then(quantity).and_then(|block| u64::try_from(block).ok());
            match (block, text("status")) {
                (None, _) => Status::Pending,
                (block, Some("0x1")) => Status::Confirmed { block },
                (_, Some("0x0")) => Status::Failed { reason: "reverted".to_owned() },
                _ => unclear(receipt),
            }
        }
        Some(Value::Null) => match transaction.result() {
            Some(Value::Object(_)) => Status::Pending,
            Some(Value::Null) => Status::NotFound,
            _ => unclear(transaction),
        },
        _ => unclear(receipt),
    }
}

/// `0x` and hexadecimal digits.
pub(crate) fn quantity(text: &str) -> Option<Amount> {
    let digits = text.strip_prefix("0x").filter(|digits| !digits.is_empty())?;
    digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| Amount::from_str_radix(digits, 16).ok())?
}

/// Letters and digits alone, in lower case: clients differ in the rest.
pub(crate) fn letters(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(status: u16, body: &str) -> Response {
        Response { status, body: body.as_bytes().to_vec() }
    }

    fn error(code: i64, message: &str) -> Response {
        let error = json!({ "jsonrpc": "2.0", "id": 1, "error": { "code": code, "message": message } });
        response(200, &error.to_string())
    }

    fn answered(result: &Value) -> Response {
        response(200, &json!({ "jsonrpc": "2.0", "id": 1, "result": result }).to_string())
    }

    #[test]
    fn what_is_sent() {
        let signed = Signed { bytes: vec![2, 0xc0], detached: None, id: String::new() };
        let body = r#"{"id":1,"jsonrpc":"2.0","method":"eth_sendRawTransaction","params":["0x02c0"]}"#;
        let super::super::Method::Post(sent) = broadcast(Chain::Base, &signed).method else {
            panic!("a POST")
        };
        assert_eq!(
            serde_json::from_str::<Value>(&sent).unwrap(),
            serde_json::from_str::<Value>(body).unwrap()
        );
        let asked: Vec<String> =
            status(Chain::Base, "0xab").iter().map(|request| format!("{request:?}")).collect();
        assert!(asked[0].contains("eth_getTransactionReceipt") && asked[0].contains("0xab"), "{asked:?}");
        assert!(asked[1].contains("eth_getTransactionByHash") && asked[1].contains("0xab"), "{asked:?}");
    }

    #[test]
    fn accepted() {
        let hash = format!("0x{}", "ab".repeat(32));
        assert_eq!(read_broadcast(&answered(&json!(hash))), Broadcast::Accepted);
    }

    #[test]
    fn already_known_is_as_good() {
        for message in [
            "already known",
            "Transaction already exists",
            "tx already in mempool",
            "AlreadyKnown",
            "ALREADY_EXISTS: already known",
            "known transaction: 0xab",
            "Transaction with the same hash was already imported.",
        ] {
            assert_eq!(read_broadcast(&error(-32_000, message)), Broadcast::AlreadyKnown, "{message}");
        }
    }

    #[test]
    fn rejected_with_the_nodes_code_and_reason() {
        for (code, message) in [
            (-32_000, "insufficient funds for gas * price + value: balance 0, tx cost 21000"),
            (-32_003, "Insufficient funds for gas * price + value"),
            (-32_000, "replacement transaction underpriced"),
            (-32_000, "intrinsic gas too low: gas 20000, minimum needed 21000"),
            (-32_000, "invalid chain id for signer: have 1 want 56"),
            (-32_000, "max fee per gas less than block base fee: address 0x1"),
            (-32_000, "rlp: expected input list for types.LegacyTx"),
            (-32_602, "failed to decode signed transaction"),
            (-32_003, "anything the node has no word for"),
        ] {
            let expected = Broadcast::Rejected { code: code.to_string(), reason: message.to_owned() };
            assert_eq!(read_broadcast(&error(code, message)), expected);
        }
    }

    #[test]
    fn what_may_have_arrived_is_ambiguous() {
        let hash = format!("0x{}", "ab".repeat(32));
        let accepted = json!({ "jsonrpc": "2.0", "id": 1, "result": hash }).to_string();
        for answer in [
            error(-32_000, "nonce too low: next nonce 5, tx nonce 4"),
            error(-32_003, "nonce too low"),
            error(-32_010, "OldNonce, Current nonce: 5, nonce of rejected tx: 4."),
            error(-32_005, "limit exceeded"),
            error(-32_603, "Internal error"),
            error(-32_601, "the method does not exist"),
            answered(&json!("0xab")),
            answered(&Value::Null),
            response(429, &accepted),
            response(500, "{}"),
            response(502, "<html>Bad Gateway</html>"),
            response(200, ""),
            response(200, "[]"),
            response(200, "{\"result\":"),
        ] {
            assert!(matches!(read_broadcast(&answer), Broadcast::Ambiguous { .. }), "{answer:?}");
        }
    }

    #[test]
    fn gateway_status_does_not_hide_the_node_error() {
        let mut answer = error(-32_000, "already known");
        answer.status = 400;
        assert_eq!(read_broadcast(&answer), Broadcast::AlreadyKnown);
    }

    fn read(receipt: &Value, transaction: &Value) -> Status {
        read_status(Chain::Ethereum, &[answered(receipt), answered(transaction)])
    }

    #[test]
    fn where_a_transaction_is() {
        let null = Value::Null;
        let known = json!({ "hash": "0xab", "blockNumber": null });
        assert_eq!(read(&null, &null), Status::NotFound);
        assert_eq!(read(&null, &known), Status::Pending);
        let receipt = json!({ "status": "0x1", "blockNumber": "0x10d4f" });
        assert_eq!(read(&receipt, &known), Status::Confirmed { block: Some(68_943) });
        let reverted = json!({ "status": "0x0", "blockNumber": "0x10d4f" });
        assert_eq!(read(&reverted, &known), Status::Failed { reason: "reverted".to_owned() });
        let early = json!({ "status": "0x1", "blockNumber": null });
        assert_eq!(read(&early, &known), Status::Pending);
    }

    #[test]
    fn no_usable_answer_is_no_news() {
        let fine = answered(&Value::Null);
        let receipt = answered(&json!({ "blockNumber": "0x1" }));
        for answers in [
            vec![],
            vec![fine.clone()],
            vec![response(429, ""), fine.clone()],
            vec![fine.clone(), response(500, "{}")],
            vec![fine.clone(), error(-32_005, "limit exceeded")],
            vec![error(-32_603, "Internal error"), fine.clone()],
            vec![receipt, fine.clone()],
            vec![answered(&json!(7)), fine],
        ] {
            let status = read_status(Chain::Ethereum, &answers);
            assert!(matches!(status, Status::Unclear { .. }), "{answers:?}: {status:?}");
        }
    }
}
