//! Cardano through Ogmios, which submits (`submitTransaction`, JSON-RPC), and Koios, which counts confirmations
//! (`tx_status`).
//!
//! Ogmios numbers the ledger's refusals from 3100 on. Two of them are not taken for one: 3117, inputs that are not
//! there, is the answer to a transaction that is in the ledger already, and 3118, a time that is over, may be.

use super::{Broadcast, Dialect, Method, Request, Response, Status};
use crate::encoding;
use serde_json::{Value, json};

pub(super) static DIALECT: Dialect = Dialect {
    broadcast: |_, signed| {
        let params = json!({ "transaction": { "cbor": encoding::hex(&signed.bytes) } });
        Request { path: "/ada/".to_owned(), ..Request::json_rpc("submitTransaction", &params) }
    },
    read_broadcast,
    status: |_, id| {
        let body = json!({ "_tx_hashes": [id] });
        vec![Request { method: Method::Post(body.to_string()), path: "/cardano/tx_status".to_owned() }]
    },
    read_status: |_, responses| responses.first().map_or_else(no_answer, read_status),
};

const UNKNOWN_INPUTS: i64 = 3117;
const OUTSIDE_VALIDITY: i64 = 3118;

fn read_broadcast(response: &Response) -> Broadcast {
    let ambiguous = || Broadcast::Ambiguous { reason: response.excerpt() };
    let Some(answer) = response.json().filter(|_| matches!(response.status, 200 | 400)) else {
        return ambiguous();
    };
    if answer.pointer("/result/transaction/id").is_some_and(Value::is_string) {
        return Broadcast::Accepted;
    }
    match answer.pointer("/error/code").and_then(Value::as_i64) {
        Some(UNKNOWN_INPUTS) => Broadcast::AlreadyKnown,
        Some(code @ 3100..3200) if code != OUTSIDE_VALIDITY => {
            let reason = answer.pointer("/error/message").and_then(Value::as_str).unwrap_or_default();
            Broadcast::Rejected { code: code.to_string(), reason: reason.to_owned() }
        }
        _ => ambiguous(),
    }
}

fn no_answer() -> Status {
    Status::Unclear { reason: "no answer".to_owned() }
}

/// Koios names every transaction that was asked for, the ones it does not know with no number at all.
fn read_status(response: &Response) -> Status {
    let unclear = || Status::Unclear { reason: response.excerpt() };
    let answer = response.json().filter(|_| response.status == 200);
    let Some(list) = answer.as_ref().and_then(Value::as_array) else {
        return unclear();
    };
    match list.first().map(|entry| entry.get("num_confirmations")) {
        None | Some(Some(Value::Null)) => Status::NotFound,
        Some(Some(count)) if count.as_u64() == Some(0) => Status::Pending,
        Some(Some(count)) if count.is_u64() => Status::Confirmed { block: None },
        Some(_) => unclear(),
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
        rpc::read_broadcast(Chain::Cardano, &answer(status, body))
    }

    fn status(body: &str) -> Status {
        rpc::read_status(Chain::Cardano, &[answer(200, body)])
    }

    fn refusal(code: i64) -> String {
        format!(
            r#"{{"jsonrpc":"2.0","method":"submitTransaction","error":{{"code":{code},"message":"No.","data":{{}}}},"id":1}}"#
        )
    }

    #[test]
    fn submits_to_one_and_asks_the_other() {
        let signed = Signed { bytes: vec![0x84, 0xa4], detached: None, id: "ab".to_owned() };
        let sent = rpc::broadcast(Chain::Cardano, &signed);
        let Method::Post(body) = &sent.method else { panic!("submitting is a POST") };
        let body: Value = serde_json::from_str(body).unwrap();
        assert_eq!((sent.path.as_str(), &body["method"]), ("/ada/", &json!("submitTransaction")));
        assert_eq!(body["params"], json!({ "transaction": { "cbor": "84a4" } }));
        let asked = rpc::status(Chain::Cardano, "ab");
        let method = Method::Post(r#"{"_tx_hashes":["ab"]}"#.to_owned());
        assert_eq!(asked, [Request { method, path: "/cardano/tx_status".to_owned() }]);
    }

    #[test]
    fn reads_what_became_of_a_broadcast() {
        let accepted =
            r#"{"jsonrpc":"2.0","method":"submitTransaction","result":{"transaction":{"id":"ab"}},"id":1}"#;
        assert_eq!(broadcast(200, accepted), Broadcast::Accepted);
        assert_eq!(broadcast(400, &refusal(3117)), Broadcast::AlreadyKnown);
        let rejected = Broadcast::Rejected { code: "3125".to_owned(), reason: "No.".to_owned() };
        assert_eq!(broadcast(400, &refusal(3125)), rejected);
    }

    #[test]
    fn what_says_nothing_about_the_transaction_is_ambiguous() {
        for code in [3118, 3005, 3999, -32602, -32603, 0] {
            assert!(matches!(broadcast(400, &refusal(code)), Broadcast::Ambiguous { .. }), "{code}");
        }
        for (status, body) in [(429, ""), (500, "<html>"), (200, "{}"), (200, ""), (503, &refusal(3125))] {
            assert!(matches!(broadcast(status, body), Broadcast::Ambiguous { .. }), "{body}");
        }
    }

    #[test]
    fn reads_where_a_transaction_is() {
        let entry = |count: &str| format!(r#"[{{"tx_hash":"ab","num_confirmations":{count}}}]"#);
        assert_eq!(status(&entry("17")), Status::Confirmed { block: None });
        assert_eq!(status(&entry("0")), Status::Pending);
        assert_eq!(status(&entry("null")), Status::NotFound);
        assert_eq!(status("[]"), Status::NotFound);
    }

    #[test]
    fn an_answer_that_cannot_be_read_is_no_news() {
        for body in ["", "<html>", "{}", "[1]", r#"[{"tx_hash":"ab"}]"#, r#"[{"num_confirmations":-1}]"#] {
            assert!(matches!(status(body), Status::Unclear { .. }), "{body}");
        }
        let limited = answer(500, "[]");
        assert!(matches!(rpc::read_status(Chain::Cardano, &[limited]), Status::Unclear { .. }));
        assert!(matches!(rpc::read_status(Chain::Cardano, &[]), Status::Unclear { .. }));
    }
}
