//! What an EVM node is asked when the wallet builds transactions itself: which chain it is of, the account's nonces and
//! balance, the latest block, what was paid for gas lately (`eth_feeHistory`, `eth_maxPriorityFeePerGas`,
//! `eth_gasPrice`), and what gas the calls need.
//!
//! One call is tried alone (`eth_estimateGas`). Several are run on top of each other (`eth_simulateV1`), because a later
//! one mostly fails without those before it; the first is tried alone too, which counts what rollups charge for data.

use super::evm::quantity;
use super::{Request, Response};
use crate::evm::{reason, verdict};
use crate::{Amount, Chain, encoding};
use serde_json::{Value, json};
use wire::evm::{EvmCall, EvmLog, EvmNetwork, EvmReceipt, FeeMarket, FillQuery, Filling, GasNeed};

/// Blocks of which the fees are looked at.
const BLOCKS: &str = "0xa";
/// Which fees: those of the cheapest tenth, of the middle, of the dearest tenth.
const PERCENTILES: [u32; 3] = [10, 50, 90];
/// Topics of an event, at most.
const MOST_TOPICS: usize = 4;

/// The requests of a fill; all are sent.
pub fn fill(query: &FillQuery) -> Vec<Request> {
    let FillQuery { address, calls } = query;
    let count = |block: &str| Request::json_rpc("eth_getTransactionCount", &json!([address, block]));
    let mut requests = vec![
        Request::json_rpc("eth_chainId", &json!([])),
        count("latest"),
        count("pending"),
        Request::json_rpc("eth_getBalance", &json!([address, "latest"])),
        Request::json_rpc("eth_getBlockByNumber", &json!(["latest", false])),
        Request::json_rpc("eth_feeHistory", &json!([BLOCKS, "latest", PERCENTILES])),
        Request::json_rpc("eth_maxPriorityFeePerGas", &json!([])),
        Request::json_rpc("eth_gasPrice", &json!([])),
    ];
    if let Some(first) = calls.first() {
        requests.extend(estimate(address, std::slice::from_ref(first)));
    }
    if calls.len() > 1 {
        let calls: Vec<Value> = calls.iter().map(|call| trial(address, call)).collect();
        let payload = json!({ "blockStateCalls": [{ "calls": calls }], "validation": false });
        requests.push(Request::json_rpc("eth_simulateV1", &json!([payload, "latest"])));
    }
    requests
}

/// Reads the answers to [`fill`], in the order of the requests.
pub fn read_fill(chain: Chain, query: &FillQuery, answers: &[Response]) -> Filling {
    read_network(chain, query, answers).unwrap_or_else(|end| end)
}

#[allow(clippy::result_large_err, reason = "both are the answer, and there is one at a time")]
fn read_network(chain: Chain, query: &FillQuery, answers: &[Response]) -> Result<Filling, Filling> {
    let unclear = |index: usize| {
        let reason = answers.get(index).map_or_else(|| "no answer".to_owned(), Response::excerpt);
        Filling::Unclear { reason }
    };
    let number = |index: usize| {
        let result = answers.get(index).and_then(Response::result);
        result.and_then(|result| quantity(result.as_str()?)).ok_or_else(|| unclear(index))
    };
    let count = |index| number(index).and_then(|count| u64::try_from(count).map_err(|_| unclear(index)));
    let chain_id = number(0)?;
    let own = chain.evm_id().unwrap_or_default();
    if chain_id != Amount::from(own) {
        let reason = format!("The node is of chain id {chain_id}, {chain} is {own}.");
        return Ok(Filling::WrongNetwork { reason });
    }
    let nonce = count(1)?;
    let block = answers.get(4).and_then(Response::result).unwrap_or_default();
    let gas_price = number(7);
    let history = answers.get(5).and_then(Response::result).unwrap_or_default();
    let market = match market(&block, &history, number(6).ok(), gas_price.as_ref().ok().copied()) {
        Some(market) => market,
        None => return Err(unclear(7)),
    };
    Ok(Filling::Known(EvmNetwork {
        nonce,
        // Some nodes do not know what waits: the latest block counts.
        pending_nonce: count(2).unwrap_or(nonce).max(nonce),
        balance: number(3).ok().map(|balance| balance.to_string()),
        block_gas_limit: field(&block, "gasLimit").and_then(|limit| u64::try_from(limit).ok()),
        market,
        gas: gas(query.calls.len(), answers.get(8), answers.get(9)),
    }))
}

fn field(object: &Value, name: &str) -> Option<Amount> {
    quantity(object.get(name)?.as_str()?)
}

/// The prices of gas; `None` where the node names none.
fn market(
    block: &Value,
    history: &Value,
    proposed: Option<Amount>,
    gas_price: Option<Amount>,
) -> Option<FeeMarket> {
    let legacy = || gas_price.map(|price| FeeMarket::Legacy { gas_price: price.to_string() });
    let Some(latest) = field(block, "baseFeePerGas") else { return legacy() };
    // The last is that of the block to come.
    let next = history.get("baseFeePerGas").and_then(Value::as_array).and_then(|fees| fees.last());
    let base_fee = next.and_then(|fee| quantity(fee.as_str()?)).unwrap_or(latest).max(latest);
    let tips = |place: usize| {
        let rewards = history.get("reward").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let paid = |rewards: &Value| quantity(rewards.as_array()?.get(place)?.as_str()?);
        // A block without transactions says nothing.
        let mut paid: Vec<Amount> = rewards.iter().filter_map(paid).filter(|tip| !tip.is_zero()).collect();
        paid.sort_unstable();
        paid.get(paid.len() / 2).copied()
    };
    // What the node proposes already has the base fee of chains that hide it in the price.
    let otherwise = || proposed.or_else(|| gas_price.map(|price| price.saturating_sub(base_fee)));
    let normal = tips(1).or_else(otherwise).unwrap_or_default();
    let slow = tips(0).unwrap_or(normal).min(normal);
    let fast = tips(2).unwrap_or(normal).max(normal);
    let [base_fee, slow, normal, fast] = [base_fee, slow, normal, fast].map(|amount| amount.to_string());
    Some(FeeMarket::Dynamic { base_fee, slow, normal, fast })
}

/// What each call needs: the first alone and, of several, all behind each other.
fn gas(calls: usize, first: Option<&Response>, run: Option<&Response>) -> Vec<GasNeed> {
    let alone = first.map_or(GasNeed::Unknown, read_one);
    let run = run.and_then(Response::result);
    let run = run
        .as_ref()
        .and_then(|result| result.pointer("/0/calls")?.as_array())
        .filter(|run| run.len() == calls);
    let needs = run.map(|run| run.iter().map(read_called).collect::<Vec<_>>());
    let mut needs = needs.unwrap_or_else(|| vec![GasNeed::Unknown; calls]);
    if let (Some(need), GasNeed::Estimated { .. } | GasNeed::Fails { .. }) = (needs.first_mut(), &alone) {
        *need = alone;
    }
    needs
}

fn read_called(call: &Value) -> GasNeed {
    let used = field(call, "gasUsed").and_then(|gas| u64::try_from(gas).ok());
    match (call.get("status").and_then(Value::as_str), used) {
        (Some("0x1"), Some(gas)) => GasNeed::Used { gas },
        (Some("0x0"), _) => {
            let error = call.get("error").unwrap_or(&Value::Null);
            let said = reason(error.get("data")).or_else(|| reason(call.get("returnData")));
            let words = || error.get("message").and_then(Value::as_str).unwrap_or("it reverts").to_owned();
            GasNeed::Fails { reason: super::check::quoted(&said.unwrap_or_else(words)) }
        }
        _ => GasNeed::Unknown,
    }
}

/// The requests that try calls, each alone; all are sent.
pub fn estimate(address: &str, calls: &[EvmCall]) -> Vec<Request> {
    let request = |call| Request::json_rpc("eth_estimateGas", &json!([trial(address, call)]));
    calls.iter().map(request).collect()
}

/// Reads the answers to [`estimate`], in the order of the calls.
pub fn read_estimate(answers: &[Response]) -> Vec<GasNeed> {
    answers.iter().map(read_one).collect()
}

fn read_one(answer: &Response) -> GasNeed {
    let Some(answer) = answer.answer() else { return GasNeed::Unknown };
    if let Some(gas) = answer.get("result").and_then(|gas| quantity(gas.as_str()?)) {
        return u64::try_from(gas).map_or(GasNeed::Unknown, |gas| GasNeed::Estimated { gas });
    }
    match answer.get("error").and_then(verdict) {
        Some(reason) => GasNeed::Fails { reason: super::check::quoted(&reason) },
        None => GasNeed::Unknown,
    }
}

/// A call as nodes take it.
fn trial(address: &str, call: &EvmCall) -> Value {
    let value = Amount::from_str_radix(&call.value, 10).unwrap_or_default();
    let mut trial =
        json!({ "from": address, "value": format!("{value:#x}"), "data": format!("0x{}", call.data) });
    if let Value::Object(members) = &mut trial {
        if let Some(to) = &call.to {
            members.insert("to".to_owned(), json!(to));
        }
        if !call.access_list.is_empty() {
            let entry = |entry: &wire::evm::EvmAccess| json!({ "address": entry.address, "storageKeys": entry.storage_keys });
            let list = call.access_list.iter().map(entry).collect();
            members.insert("accessList".to_owned(), Value::Array(list));
        }
    }
    trial
}

/// The request for the receipt of a transaction.
pub fn receipt(id: &str) -> Request {
    Request::json_rpc("eth_getTransactionReceipt", &json!([id]))
}

/// Reads the answer to [`receipt`]; `None` if it is not a receipt of this transaction.
pub fn read_receipt(id: &str, answer: &Response) -> Option<EvmReceipt> {
    let receipt = answer.result()?;
    let text = |name: &str| receipt.get(name).and_then(Value::as_str).map(str::to_ascii_lowercase);
    let number = |name: &str| field(&receipt, name).map(|number| format!("{number:#x}"));
    let status = text("status").filter(|status| matches!(status.as_str(), "0x0" | "0x1"))?;
    let transaction_hash = text("transactionHash").filter(|hash| hash.eq_ignore_ascii_case(id))?;
    let logs = receipt.get("logs")?.as_array()?.iter().map(log).collect::<Option<Vec<_>>>()?;
    Some(EvmReceipt {
        logs,
        status,
        block_hash: text("blockHash").filter(|hash| is_word(hash))?,
        block_number: number("blockNumber")?,
        gas_used: number("gasUsed")?,
        transaction_hash,
    })
}

fn log(log: &Value) -> Option<EvmLog> {
    let topics = log.get("topics")?.as_array()?;
    let topic = |topic: &Value| topic.as_str().filter(|topic| is_word(topic)).map(str::to_owned);
    let topics = topics.iter().map(topic).collect::<Option<Vec<_>>>()?;
    let data = log.get("data")?.as_str()?;
    let address = log.get("address")?.as_str()?;
    let sound = topics.len() <= MOST_TOPICS
        && data.starts_with("0x")
        && encoding::from_hex("data", data).is_ok()
        && encoding::array_from_hex::<20>("address", address).is_ok();
    sound.then(|| EvmLog { address: address.to_owned(), data: data.to_owned(), topics })
}

fn is_word(text: &str) -> bool {
    text.starts_with("0x") && encoding::array_from_hex::<32>("hash", text).is_ok()
}

#[cfg(test)]
mod tests;
