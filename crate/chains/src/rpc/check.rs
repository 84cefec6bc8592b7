//! What the checks before signing have in common. Each kind's own is in its folder, because it reads the transaction:
//! `evm/check.rs` and its like say what a node is asked and what its answers mean.
//!
//! A refusal needs the chain's own verdict: a nonce that was read, a coin reported as spent. What cannot be read
//! is unclear where the check stands or falls with it, and left out where it is a trial run or a balance.

use super::Response;
use crate::transaction::Account;
use crate::{Amount, amount, encoding};
use wire::node::{Checked, Finding, FindingCode};

/// How much of a node's words is repeated to a person.
const LONGEST_REASON: usize = 200;

/// Warnings, or the outcome that ends the check.
pub(crate) type Found = Result<Vec<Finding>, Checked>;

/// The outcome of a check.
pub(crate) fn conclude(found: Found) -> Checked {
    found.map_or_else(|end| end, |findings| Checked::Sendable { findings })
}

/// An answer that cannot be used, or is not there.
pub(crate) fn unclear(answer: Option<&Response>) -> Checked {
    Checked::Unclear { reason: answer.map_or_else(|| "no answer".to_owned(), Response::excerpt) }
}

/// It can no longer be part of the chain.
pub(crate) const fn stale(reason: String) -> Checked {
    Checked::Stale { reason }
}

/// A warning.
pub(crate) const fn finding(code: FindingCode, message: String) -> Finding {
    Finding { code, message }
}

/// A trial run failed, in the node's words.
pub(crate) fn simulation_failed(reason: &str) -> Finding {
    finding(FindingCode::SimulationFailed, format!("Run as a trial, it fails: {}", quoted(reason)))
}

/// A node's words as a person can be shown them: not too many, and none that deceive.
pub(crate) fn quoted(words: &str) -> String {
    let words: String = words.trim().chars().take(LONGEST_REASON).collect();
    encoding::readable(words.as_bytes())
}

/// Compares a number that counts the account's transactions with the next one that the chain takes, `ahead` of which
/// go to transactions before this one.
pub(crate) fn place(number: u64, next: u64, ahead: u32) -> Result<Option<Finding>, Checked> {
    let due = next.saturating_add(ahead.into());
    if number < next {
        return Err(stale(format!("Its number {number} is used: the account's next is {next}.")));
    }
    if number < due {
        return Err(stale(format!(
            "Its number {number} goes to an earlier step: {due} is the next after it."
        )));
    }
    let gap = || format!("Its number is {number}, the account's next is {due}: it waits for those between.");
    Ok((number > due).then(|| finding(FindingCode::Gapped, gap())))
}

/// Compares what the account has of the native coin with what is taken from it.
pub(crate) fn funds(account: &Account, balance: Amount, needed: Amount) -> Option<Finding> {
    let native = account.chain.native();
    let show = |amount| amount::show(amount, native.decimals, native.ticker);
    let message = || format!("The account has {}, and it takes up to {}.", show(balance), show(needed));
    (balance < needed).then(|| finding(FindingCode::InsufficientBalance, message()))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    /// An answer of JSON.
    pub(crate) fn json_answer(body: &Value) -> Response {
        Response { status: 200, body: body.to_string().into_bytes() }
    }

    /// A JSON-RPC answer.
    pub(crate) fn result(result: &Value) -> Response {
        json_answer(&json!({ "jsonrpc": "2.0", "id": 1, "result": result }))
    }

    /// A JSON-RPC error.
    pub(crate) fn error(code: i64, message: &str) -> Response {
        json_answer(&json!({ "jsonrpc": "2.0", "id": 1, "error": { "code": code, "message": message } }))
    }

    /// What nodes answer when they are not well.
    pub(crate) fn useless() -> Vec<Response> {
        let answer = |status, body: &str| Response { status, body: body.as_bytes().to_vec() };
        vec![
            answer(200, ""),
            answer(200, "{}"),
            answer(200, "[]"),
            answer(200, "<html>"),
            answer(429, "Too Many Requests"),
            answer(502, "<html>Bad Gateway</html>"),
            result(&Value::Null),
            result(&json!("garbage")),
            error(-32_005, "limit exceeded"),
        ]
    }

    /// The names in the answers that are read here.
    const NAMES: [&str; 24] = [
        "result",
        "error",
        "code",
        "message",
        "data",
        "value",
        "err",
        "logs",
        "account",
        "base_account",
        "sequence",
        "account_number",
        "address",
        "outputs",
        "is_spent",
        "context",
        "account_data",
        "Sequence",
        "ledger_current_index",
        "block_header",
        "raw_data",
        "timestamp",
        "ok",
        "specVersion",
    ];

    /// JSON with the names of honest answers and no value that means anything: no whole number, no digits.
    fn nonsense() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            (-1e9..-0.5_f64).prop_map(|number| json!(number)),
            (i64::MIN..0).prop_map(|number| json!(number)),
            "(0x)?[g-zG-Z +_-]{0,12}".prop_map(|text| json!(text)),
        ];
        let name = || prop::sample::select(&NAMES[..]).prop_map(str::to_owned);
        leaf.prop_recursive(5, 40, 4, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
                prop::collection::btree_map(name(), inner, 0..4)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    /// Answers from which nothing can be learned, in any number.
    pub(crate) fn garbage() -> impl Strategy<Value = Vec<Response>> {
        let body = prop_oneof![
            prop::collection::vec(any::<u8>(), 0..80),
            nonsense().prop_map(|value| value.to_string().into_bytes()),
            nonsense().prop_map(|value| json!({ "result": value }).to_string().into_bytes()),
        ];
        let status = prop_oneof![Just(200), Just(404), Just(429), Just(500), any::<u16>()];
        prop::collection::vec((status, body).prop_map(|(status, body)| Response { status, body }), 0..6)
    }

    /// Nothing to say.
    pub(crate) const fn fine() -> Checked {
        Checked::Sendable { findings: Vec::new() }
    }

    /// One warning.
    pub(crate) fn warned(code: FindingCode, message: &str) -> Checked {
        Checked::Sendable { findings: vec![finding(code, message.to_owned())] }
    }

    /// Whether it is unclear.
    pub(crate) const fn is_unclear(checked: &Checked) -> bool {
        matches!(checked, Checked::Unclear { .. })
    }

    /// Whether a refusal came of it.
    pub(crate) fn refuses(checked: &Checked) -> bool {
        matches!(checked, Checked::Stale { .. } | Checked::WrongNetwork { .. })
    }

    #[test]
    fn a_number_has_one_place() {
        let used = stale("Its number 4 is used: the account's next is 5.".to_owned());
        assert_eq!(place(4, 5, 0), Err(used.clone()));
        assert_eq!(place(4, 5, 3), Err(used));
        assert_eq!(place(5, 5, 0), Ok(None));
        assert_eq!(place(7, 5, 2), Ok(None));
        let taken = "Its number 6 goes to an earlier step: 7 is the next after it.".to_owned();
        assert_eq!(place(6, 5, 2), Err(stale(taken)));
        let gap = "Its number is 9, the account's next is 7: it waits for those between.".to_owned();
        assert_eq!(place(9, 5, 2), Ok(Some(finding(FindingCode::Gapped, gap))));
        assert_eq!(place(u64::MAX, u64::MAX, u32::MAX), Ok(None));
    }

    #[test]
    fn words_that_deceive_are_not_repeated() {
        assert_eq!(quoted(" execution reverted "), "execution reverted");
        assert_eq!(quoted("\u{202e}fine"), "0xe280ae66696e65");
        assert_eq!(quoted(&"a".repeat(1000)).len(), LONGEST_REASON);
    }
}
