//! EVM chains in memory, and the nodes through which a wallet sees them: correct and strict, unless a fault is set.
//!
//! ```ignore
//! let chains = Chains::new();                    // Ethereum and Arbitrum, at the addresses that the wallet knows
//! chains.serve(&world);
//! chains.fault(Fault::on("eth_sendRawTransaction", FaultKind::LostAnswer));
//! …
//! assert_eq!(chains.on("Ethereum").nonces(), [7, 8]);
//! ```

mod ledger;
pub mod signed;
mod trial;

pub use ledger::{Ledger, Mined, RpcError, Sent};
pub use trial::{TrialScript, coins, tokens};

use crate::world::{Answer, World};
use chains::Chain;
use serde_json::{Value, json};
use std::cell::{RefCell, RefMut};
use std::collections::BTreeMap;
use std::rc::Rc;

/// How a node fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FaultKind {
    /// No connection.
    Down,
    /// A connection without any data.
    Silent,
    /// The answer after a delay in milliseconds.
    Slow(u64),
    /// A status without a body.
    Status(u16),
    /// Rate limited, with a `Retry-After` in seconds.
    RetryAfter(u64),
    /// An answer that is not JSON.
    Garbage,
    /// An answer that exceeds the size limit.
    Oversized,
    /// The request takes effect, and the answer is lost.
    LostAnswer,
    /// A JSON-RPC error: code and message.
    Error(i64, &'static str),
    /// This result instead of the real one.
    Result(Value),
}

/// How a node fails, on which method, and how often.
#[derive(Debug, Clone)]
pub struct Fault {
    node: Option<String>,
    method: Option<&'static str>,
    times: u32,
    kind: FaultKind,
}

impl Fault {
    /// On every request, until it is cleared.
    pub const fn always(kind: FaultKind) -> Self {
        Self { node: None, method: None, times: u32::MAX, kind }
    }

    /// On one method, once.
    pub const fn on(method: &'static str, kind: FaultKind) -> Self {
        Self { node: None, method: Some(method), times: 1, kind }
    }

    /// This often.
    pub fn times(self, times: u32) -> Self {
        Self { times, ..self }
    }

    /// On one node only.
    pub fn of(self, url: &str) -> Self {
        Self { node: Some(url.to_owned()), ..self }
    }

    fn concerns(&self, url: &str, method: &str) -> bool {
        self.times > 0
            && self.node.as_deref().is_none_or(|node| node == url)
            && self.method.is_none_or(|own| own == method)
    }
}

struct State {
    ledgers: BTreeMap<&'static str, Ledger>,
    /// URL → chain.
    nodes: BTreeMap<String, &'static str>,
    faults: Vec<Fault>,
    /// Requests: time, URL, method.
    asked: Vec<(u64, String, String)>,
    /// Whether nodes take no batches.
    unbatched: bool,
    /// Chain → what its nodes say of trial runs; without it they offer none.
    trials: BTreeMap<&'static str, TrialScript>,
}

/// Chains and their nodes; clones share the same state.
#[derive(Clone)]
pub struct Chains(Rc<RefCell<State>>);

impl Default for Chains {
    fn default() -> Self {
        Self::new()
    }
}

impl Chains {
    /// Ethereum and Arbitrum, each with a node at the wallet's default endpoint.
    pub fn new() -> Self {
        let state = State {
            ledgers: BTreeMap::new(),
            nodes: BTreeMap::new(),
            faults: Vec::new(),
            asked: Vec::new(),
            unbatched: false,
            trials: BTreeMap::new(),
        };
        let chains = Self(Rc::new(RefCell::new(state)));
        for chain in [Chain::Ethereum, Chain::Arbitrum] {
            let ledger = Ledger::new(chain.evm_id().expect("is an EVM chain"));
            chains.0.borrow_mut().ledgers.insert(chain.name(), ledger);
            chains.add_node(chain.name(), chain.facts().endpoint);
        }
        chains
    }

    /// The same, but transactions are mined only by a call of `mine`.
    pub fn mined_manually() -> Self {
        let chains = Self::new();
        chains.each(|ledger| ledger.delay = u64::MAX);
        chains
    }

    /// Adds a node.
    pub fn add_node(&self, chain: &str, url: &str) {
        let mut state = self.0.borrow_mut();
        let name = state.ledgers.keys().copied().find(|name| *name == chain).expect("is one of the chains");
        state.nodes.insert(url.to_owned(), name);
    }

    /// Connects the chains to a world.
    pub fn serve(&self, world: &World) {
        let chains = self.clone();
        world.set_nodes(move |call| chains.answer(&call.url, &call.body, call.at));
    }

    /// One of the chains.
    pub fn on(&self, chain: &str) -> RefMut<'_, Ledger> {
        RefMut::map(self.0.borrow_mut(), |state| state.ledgers.get_mut(chain).expect("is one of the chains"))
    }

    /// Changes all chains.
    pub fn each(&self, mut change: impl FnMut(&mut Ledger)) {
        self.0.borrow_mut().ledgers.values_mut().for_each(&mut change);
    }

    /// Adds a fault; of several the oldest applies first.
    pub fn fault(&self, fault: Fault) {
        self.0.borrow_mut().faults.push(fault);
    }

    /// Removes all faults.
    pub fn clear_faults(&self) {
        self.0.borrow_mut().faults.clear();
    }

    /// The times of all requests for a method.
    pub fn request_times(&self, method: &str) -> Vec<u64> {
        let state = self.0.borrow();
        state.asked.iter().filter(|(_, _, asked)| asked == method).map(|(at, _, _)| *at).collect()
    }

    /// The answer to a request, or to a batch of them.
    pub fn answer(&self, url: &str, body: &Value, now: u64) -> Answer {
        let Value::Array(calls) = body else { return self.answer_one(url, body, now) };
        if self.0.borrow().unbatched {
            let error = json!({"code": -32_600, "message": "batches are not supported"});
            return Answer::json(&json!({"jsonrpc": "2.0", "id": null, "error": error}));
        }
        let ids: Vec<&Value> = calls.iter().map(|call| &call["id"]).collect();
        assert!(ids.iter().enumerate().all(|(place, id)| !ids[..place].contains(id)), "{body}");
        let (mut parts, mut slow) = (Vec::new(), None);
        for call in calls {
            let mut answer = self.answer_one(url, call, now);
            if let Answer::Slow(millis, later) = answer {
                slow = slow.max(Some(millis));
                answer = *later;
            }
            match answer {
                Answer::Http(200, "application/json", text) if text.len() < 1 << 20 => {
                    parts.push(serde_json::from_str(&text).expect("is JSON"));
                }
                // What happens to one of them happens to the response as a whole.
                other => return other,
            }
        }
        // In any order: they are told apart by their ids.
        parts.reverse();
        let answer = Answer::json(&Value::Array(parts));
        slow.map_or(answer.clone(), |millis| Answer::Slow(millis, Box::new(answer)))
    }

    /// Nodes take no batches from now on.
    pub fn refuse_batches(&self) {
        self.0.borrow_mut().unbatched = true;
    }

    /// The nodes of a chain answer trial runs from now on, as this says.
    pub fn set_trial(&self, chain: &'static str, trial: TrialScript) {
        self.0.borrow_mut().trials.insert(chain, trial);
    }

    fn answer_one(&self, url: &str, body: &Value, now: u64) -> Answer {
        let mut state = self.0.borrow_mut();
        let state = &mut *state;
        let Some(chain) = state.nodes.get(url).copied() else { return Answer::Down };
        let method = body["method"].as_str().unwrap_or_default().to_owned();
        assert_eq!((&body["jsonrpc"], body["params"].is_array()), (&json!("2.0"), true), "{body}");
        state.asked.push((now, url.to_owned(), method.clone()));
        let kind = state.faults.iter_mut().find(|fault| fault.concerns(url, &method)).map(|fault| {
            fault.times = fault.times.saturating_sub(u32::from(fault.times < u32::MAX));
            fault.kind.clone()
        });
        let ledger = state.ledgers.get_mut(chain).expect("a node is of one of the chains");
        ledger.place = state.asked.len();
        match kind {
            Some(FaultKind::Down) => Answer::Down,
            Some(FaultKind::Silent) => Answer::Silent,
            Some(FaultKind::Status(status)) => Answer::status(status),
            Some(FaultKind::RetryAfter(seconds)) => Answer::RetryAfter(429, seconds),
            Some(FaultKind::Garbage) => Answer::Http(200, "text/html", "<html>It works!</html>".to_owned()),
            Some(FaultKind::Oversized) => Answer::Http(200, "application/json", "7".repeat((1 << 20) + 1)),
            Some(FaultKind::Error(code, words)) => wrap(body, Err((code, words.to_owned()))),
            Some(FaultKind::Result(value)) => wrap(body, Ok(value)),
            Some(FaultKind::LostAnswer) => {
                let _ = rpc(ledger, &method, &body["params"], now);
                Answer::Down
            }
            Some(FaultKind::Slow(millis)) => {
                let answer = wrap(body, rpc(ledger, &method, &body["params"], now));
                Answer::Slow(millis, Box::new(answer))
            }
            None if method == "eth_simulateV1" && state.trials.contains_key(chain) => {
                wrap(body, Ok(state.trials[chain].answer(&body["params"])))
            }
            None => wrap(body, rpc(ledger, &method, &body["params"], now)),
        }
    }
}

impl crate::sim::Chains for Chains {
    fn answer(&mut self, url: &str, body: Option<&str>, now: u64) -> agent_backend::Answer {
        let body = serde_json::from_str(body.unwrap_or("null")).expect("a body is JSON");
        crate::world::to_agent_answer(Self::answer(self, url, &body, now))
    }
}

fn wrap(body: &Value, outcome: Result<Value, RpcError>) -> Answer {
    let mut answer = json!({"jsonrpc": "2.0", "id": body["id"]});
    match outcome {
        Ok(result) => answer["result"] = result,
        Err((code, message)) => answer["error"] = json!({"code": code, "message": message}),
    }
    Answer::json(&answer)
}

/// The answer of a node without faults.
fn rpc(ledger: &mut Ledger, method: &str, params: &Value, now: u64) -> Result<Value, RpcError> {
    ledger.settle(now);
    let text = |place: usize| params[place].as_str().unwrap_or_default().to_owned();
    let quantity = |number: u128| Ok(json!(format!("{number:#x}")));
    match method {
        "eth_chainId" => quantity(ledger.chain_id.into()),
        "eth_getTransactionCount" if text(1) == "latest" => quantity(ledger.next_nonce(&text(0)).into()),
        "eth_getTransactionCount" if text(1) == "pending" => {
            let from = text(0).to_lowercase();
            let waiting = ledger.pool.iter().filter(|(_, signed)| signed.from == from).count() as u64;
            quantity((ledger.next_nonce(&from) + waiting).into())
        }
        "eth_getBalance" if text(1) == "latest" => quantity(ledger.balance),
        "eth_estimateGas" => quantity(ledger.gas.into()),
        "eth_getBlockByNumber" => {
            let mut block = json!({"number": "0x64", "gasLimit": "0x1c9c380"});
            if let Some(base_fee) = ledger.base_fee {
                block["baseFeePerGas"] = json!(format!("{base_fee:#x}"));
            }
            Ok(block)
        }
        "eth_feeHistory" if ledger.base_fee.is_some() => {
            let base_fee = format!("{:#x}", ledger.base_fee.unwrap_or_default());
            Ok(
                json!({"baseFeePerGas": [base_fee, base_fee], "reward": [["0x1", "0x3b9aca00", "0x77359400"]]}),
            )
        }
        "eth_maxPriorityFeePerGas" if ledger.base_fee.is_some() => quantity(1_000_000_000),
        "eth_gasPrice" => quantity(2_000_000_000),
        "eth_sendRawTransaction" => {
            let outcome = ledger.send(&text(0), now);
            ledger.settle(now);
            outcome.map(Value::from)
        }
        "eth_getTransactionReceipt" => Ok(receipt(ledger, &text(0))),
        "eth_getTransactionByHash" => Ok(transaction(ledger, &text(0))),
        _ => Err((-32_601, format!("the method {method} does not exist/is not available"))),
    }
}

fn receipt(ledger: &Ledger, hash: &str) -> Value {
    ledger.mined().iter().find(|mined| mined.signed.hash == hash).map_or(Value::Null, |mined| {
        let logs = if mined.worked && !mined.signed.data.is_empty() {
            json!([{"address": mined.signed.to, "data": "0x", "topics": [hash], "logIndex": "0x0"}])
        } else {
            json!([])
        };
        json!({"transactionHash": hash, "from": mined.signed.from, "to": mined.signed.to, "logs": logs,
            "gasUsed": "0x5208", "blockHash": format!("0x{:064x}", mined.block),
            "status": if mined.worked { "0x1" } else { "0x0" }, "blockNumber": format!("{:#x}", mined.block)})
    })
}

fn transaction(ledger: &Ledger, hash: &str) -> Value {
    let waiting =
        ledger.pool.iter().find(|(_, signed)| signed.hash == hash).map(|(_, signed)| (signed, None));
    let mined = ledger.mined().iter().find(|mined| mined.signed.hash == hash);
    let known = waiting.or(mined.map(|mined| (&mined.signed, Some(format!("{:#x}", mined.block)))));
    known.map_or(Value::Null, |(signed, block)| {
        json!({"hash": hash, "from": signed.from, "nonce": format!("{:#x}", signed.nonce), "blockNumber": block})
    })
}
