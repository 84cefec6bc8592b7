//! A trial run on an EVM node: `eth_simulateV1`, one block with all calls in their order and on top of each other
//! (execution-apis, "eth_simulateV1"). With `traceTransfers` a node also lists transfers of the native coin, as events of
//! a contract `0xeeee…` that there is not.
//!
//! Events are not enough: a wrapped coin that is made or unmade emits no `Transfer`, and a token may move less than it
//! says. So the tokens that the transactions name are asked for the account's balance before the first call and after
//! the last one, in the same block: the token's own word for what it is about to owe. That costs two small calls a
//! token and no further request. Events cover tokens that the steps do not name, where a theft would show.
//!
//! Without validation a node takes any nonce and any base fee, and has `balance ≥ gas · price + value` all the same. A
//! contract can tell such a run from the chain, where there is a base fee: a run that looks good proves nothing.

use super::logs::movements;
use super::{Address, EvmTransaction, Fields, check};
use crate::address::evm;
use crate::encoding::{array_from_hex, hex};
use crate::explain::{Asset, Bought, Effect};
use crate::facts::Facts;
use crate::rpc::evm::quantity;
use crate::rpc::trial::{Ran, Sums, Trial, no_run, unusable};
use crate::rpc::{Request, Response};
use crate::transaction::{Account, Transaction, Unsigned as _};
use crate::{Amount, Explanation};
use serde_json::{Value, json};

/// The address that traced transfers of the native coin are listed under.
const NATIVE: Address = [0xee; 20];
/// `balanceOf(address)`.
const BALANCE_OF: &str = "70a08231";
/// Enough for a balance behind a proxy; the calls of a block share its gas.
const PROBE_GAS: u32 = 200_000;
/// How many tokens are asked for balances.
const MOST_PROBED: usize = 12;

/// The transactions to run, and the tokens to ask.
struct Run<'a> {
    own: Address,
    transactions: Vec<&'a Fields>,
    tokens: Vec<Address>,
}

pub(super) fn ask(first: &EvmTransaction, account: &Account, later: &[Transaction]) -> Vec<Request> {
    let Some(run) = Run::new(first, account, later) else { return Vec::new() };
    let probes = || run.tokens.iter().map(|token| run.probe(token));
    let calls = run.transactions.iter().map(|fields| call(fields, account));
    let calls: Vec<Value> = probes().chain(calls).chain(probes()).collect();
    let payload =
        json!({ "blockStateCalls": [{ "calls": calls }], "traceTransfers": true, "validation": false });
    vec![Request::json_rpc("eth_simulateV1", &json!([payload, "latest"]))]
}

pub(super) fn read(
    first: &EvmTransaction,
    account: &Account,
    later: &[Transaction],
    answers: &[Response],
) -> Trial {
    let Some(answer) = answers.first().and_then(Response::answer) else { return unusable(answers.first()) };
    if let Some(error) = answer.get("error").filter(|error| !error.is_null()) {
        return check::verdict(error).map_or_else(|| no_run(error), |reason| Trial::failed(&reason));
    }
    let run = Run::new(first, account, later);
    run.and_then(|run| run.read(&answer)).map_or(Trial::UNREADABLE, Trial::Ran)
}

fn call(fields: &Fields, account: &Account) -> Value {
    let mut call = check::call(fields, account);
    if let Value::Object(members) = &mut call {
        let mut insert = |name: &str, number: Amount| {
            members.insert(name.to_owned(), json!(format!("{number:#x}")));
        };
        insert("gas", Amount::from(fields.gas_limit));
        insert("nonce", Amount::from(fields.nonce));
        match fields.envelope {
            super::Envelope::DynamicFee => {
                insert("maxFeePerGas", fields.max_fee);
                insert("maxPriorityFeePerGas", fields.priority_fee);
            }
            super::Envelope::Legacy | super::Envelope::AccessList => insert("gasPrice", fields.max_fee),
        }
    }
    call
}

impl<'a> Run<'a> {
    fn new(first: &'a EvmTransaction, account: &Account, later: &'a [Transaction]) -> Option<Self> {
        let mut transactions = vec![&first.fields];
        let mut tokens = Vec::new();
        name_tokens(&first.explain(account, Facts::default()), &mut tokens);
        for transaction in later {
            transactions.push(transaction.evm_fields()?);
            name_tokens(&transaction.explain(), &mut tokens);
        }
        tokens.truncate(MOST_PROBED);
        Some(Self { own: evm::decode(&account.address).ok()?, transactions, tokens })
    }

    fn probe(&self, token: &Address) -> Value {
        let data = format!("0x{BALANCE_OF}{:0>64}", hex(&self.own));
        json!({ "to": format!("0x{}", hex(token)), "data": data, "gas": format!("{PROBE_GAS:#x}") })
    }

    fn read(&self, answer: &Value) -> Option<Ran> {
        let calls = answer.pointer("/result/0/calls")?.as_array()?;
        let (before, rest) = calls.split_at_checked(self.tokens.len())?;
        let (run, after) = rest.split_at_checked(self.transactions.len())?;
        if after.len() != before.len() {
            return None;
        }
        let run = run.iter().map(Called::read).collect::<Option<Vec<_>>>()?;
        let failed = run.iter().position(|called| called.failure.is_some());
        let worked = failed.unwrap_or(run.len());
        let mut sums = Sums::default();
        let mut collections = Vec::new();
        for log in run.iter().take(worked).flat_map(|called| called.logs) {
            self.sum(log, &mut sums, &mut collections)?;
        }
        if failed.is_none() {
            for (token, (before, after)) in self.tokens.iter().zip(before.iter().zip(after)) {
                // A collection answers with the number of its pieces.
                if let (false, Some(before), Some(after)) =
                    (collections.contains(token), balance(before), balance(after))
                {
                    sums.set(Asset::Token { id: evm::encode(token) }, before, after);
                }
            }
        }
        let counted = run.iter().zip(&self.transactions).take(worked + 1);
        let fee = counted.fold(Amount::ZERO, |sum, (called, fields)| {
            sum.saturating_add(called.gas.saturating_mul(fields.max_fee))
        });
        let ran = Ran::new(sums, Some(fee), run.len().min(worked + 1));
        Some(match run.get(worked).and_then(|called| called.failure.as_deref()) {
            Some(reason) => ran.failing(worked, reason),
            None => ran,
        })
    }

    /// Adds what an event says of the account.
    fn sum(&self, log: &Value, sums: &mut Sums, collections: &mut Vec<Address>) -> Option<()> {
        for moved in movements(log)? {
            let (leaves, comes) = (moved.from == self.own, moved.to == self.own);
            let asset = match moved.item {
                _ if !leaves && !comes => continue,
                _ if moved.contract == NATIVE => Asset::Native,
                None => Asset::Token { id: evm::encode(&moved.contract) },
                Some(id) => {
                    if !collections.contains(&moved.contract) {
                        collections.push(moved.contract);
                    }
                    Asset::Item { collection: evm::encode(&moved.contract), id }
                }
            };
            sums.moved(&asset, moved.amount, leaves, comes);
        }
        Some(())
    }
}

/// The contracts of an explanation that may be tokens, each once.
fn name_tokens(explanation: &Explanation, tokens: &mut Vec<Address>) {
    let mut name = |text: &str| {
        if let Ok(address) = evm::decode(text)
            && !tokens.contains(&address)
        {
            tokens.push(address);
        }
    };
    for effect in &explanation.effects {
        match effect {
            Effect::Transfer { asset: Asset::Token { id }, .. }
            | Effect::TransferFrom { asset: Asset::Token { id }, .. }
            | Effect::Approve { asset: Asset::Token { id }, .. } => name(id),
            Effect::Swap(swap) => {
                if let Asset::Token { id } = &swap.sell {
                    name(id);
                }
                if let Some(Bought::Here(Asset::Token { id })) = &swap.buy {
                    name(id);
                }
            }
            // A wrapped coin is called by its own functions.
            Effect::Call { contract, .. } => name(contract),
            _ => {}
        }
    }
}

/// What one call came to.
struct Called<'a> {
    gas: Amount,
    logs: &'a [Value],
    failure: Option<String>,
}

impl<'a> Called<'a> {
    fn read(call: &'a Value) -> Option<Self> {
        let gas = quantity(call.get("gasUsed")?.as_str()?)?;
        let failure = match call.get("status")?.as_str()? {
            "0x1" => None,
            "0x0" => Some(failure(call)),
            _ => return None,
        };
        let logs = match call.get("logs") {
            None | Some(Value::Null) if failure.is_some() => &[],
            logs => logs?.as_array()?.as_slice(),
        };
        Some(Self { gas, logs, failure })
    }
}

/// The contract's reason, or else the node's.
fn failure(call: &Value) -> String {
    let error = call.get("error").unwrap_or(&Value::Null);
    let said = check::reason(error.get("data")).or_else(|| check::reason(call.get("returnData")));
    let words = || error.get("message").and_then(Value::as_str).unwrap_or("it reverts");
    said.unwrap_or_else(|| words().to_owned())
}

/// A balance that a token answers with.
fn balance(call: &Value) -> Option<Amount> {
    let worked = call.get("status")?.as_str()? == "0x1";
    let word = array_from_hex::<32>("returnData", call.get("returnData")?.as_str()?).ok()?;
    worked.then(|| Amount::from_be_bytes(word))
}

#[cfg(test)]
mod tests;
