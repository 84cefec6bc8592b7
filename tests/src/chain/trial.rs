//! What a node says of a trial run (`eth_simulateV1`), as a test writes it: the events of each transaction, the balances
//! of tokens before and after, and where it fails.

use serde_json::{Value, json};
use std::collections::BTreeMap;

/// keccak256 of `Transfer(address,address,uint256)`.
const TRANSFER: &str = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
/// The address under which nodes list transfers of the native coin.
const NATIVE: &str = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";
/// `balanceOf(address)`.
const BALANCE_OF: &str = "0x70a08231";

/// A run of the transactions of one chain.
#[derive(Debug, Clone, Default)]
pub struct TrialScript {
    /// The events of each transaction, in order.
    pub events: Vec<Vec<Value>>,
    /// Token in lower case → what the account has of it before and after; others are no tokens.
    pub balances: BTreeMap<String, [u128; 2]>,
    /// The transaction that fails, and why.
    pub failure: Option<(usize, &'static str)>,
}

impl TrialScript {
    /// A run with these events of each transaction.
    pub fn of(events: &[&[Value]]) -> Self {
        Self { events: events.iter().map(|events| events.to_vec()).collect(), ..Self::default() }
    }

    /// The same, with the balances of a token before and after.
    pub fn holding(mut self, token: &str, before: u128, after: u128) -> Self {
        self.balances.insert(token.to_lowercase(), [before, after]);
        self
    }

    /// The same, failing at this transaction.
    pub fn failing(self, place: usize, reason: &'static str) -> Self {
        Self { failure: Some((place, reason)), ..self }
    }

    /// The result for these parameters of `eth_simulateV1`.
    pub(super) fn answer(&self, params: &Value) -> Value {
        let payload = &params[0];
        if payload.get("traceTransfers").is_none() {
            // Only what the calls need is asked for.
            let calls = payload["blockStateCalls"][0]["calls"].as_array().map_or(0, Vec::len);
            return json!([{ "calls": (0..calls).map(|place| self.outcome(place)).collect::<Vec<_>>() }]);
        }
        assert_eq!((&payload["traceTransfers"], &params[1]), (&json!(true), &json!("latest")), "{params}");
        let [block] = payload["blockStateCalls"].as_array().expect("is a list").as_slice() else {
            panic!("all transactions are run in one block: {params}")
        };
        let calls = block["calls"].as_array().expect("is a list");
        let (mut place, mut nonce, mut seen) = (0, None, BTreeMap::<String, usize>::new());
        let answers = calls.iter().map(|call| {
            let data = call["data"].as_str().unwrap_or_default();
            if data.starts_with(BALANCE_OF) && call.get("from").is_none() {
                let token = call["to"].as_str().expect("a token is called").to_owned();
                let time = seen.entry(token.clone()).or_default();
                *time += 1;
                return self.balance(&token, *time - 1);
            }
            let number = u64::from_str_radix(
                call["nonce"].as_str().expect("has a nonce").trim_start_matches("0x"),
                16,
            );
            assert!(
                nonce.replace(number.clone().expect("is hex")) < number.ok(),
                "in the order of the nonces"
            );
            place += 1;
            self.outcome(place - 1)
        });
        json!([{ "number": "0x65", "baseFeePerGas": "0x0", "calls": answers.collect::<Vec<_>>() }])
    }

    fn balance(&self, token: &str, time: usize) -> Value {
        match self.balances.get(token).and_then(|balances| balances.get(time)) {
            Some(balance) => {
                json!({ "returnData": format!("0x{balance:064x}"), "logs": [], "gasUsed": "0x64", "status": "0x1" })
            }
            None => json!({ "returnData": "0x", "logs": [], "gasUsed": "0x64", "status": "0x1" }),
        }
    }

    fn outcome(&self, place: usize) -> Value {
        match self.failure {
            Some((failing, reason)) if failing == place => {
                let error = json!({ "code": 3, "message": reason });
                json!({ "returnData": "0x", "logs": [], "gasUsed": "0x5208", "status": "0x0", "error": error })
            }
            _ => {
                let events = self.events.get(place).cloned().unwrap_or_default();
                json!({ "returnData": "0x", "logs": events, "gasUsed": "0x5208", "status": "0x1" })
            }
        }
    }
}

/// The event of tokens that move.
pub fn tokens(contract: &str, from: &str, to: &str, amount: u128) -> Value {
    let topic = |address: &str| format!("0x{:0>64}", address.trim_start_matches("0x").to_lowercase());
    json!({ "address": contract.to_lowercase(), "topics": [TRANSFER, topic(from), topic(to)],
        "data": format!("0x{amount:064x}") })
}

/// The event of native coins that move.
pub fn coins(from: &str, to: &str, amount: u128) -> Value {
    tokens(NATIVE, from, to, amount)
}
