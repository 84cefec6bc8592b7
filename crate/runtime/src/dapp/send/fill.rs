//! Fills in what a page leaves open: nonce, gas limits and fees, from the user's node; then the bytes are built.

use super::fees::{self, ceiling, gas_limit, most_spent, price, sane_price};
use super::params::Wanted;
use crate::Core;
use crate::agent::within;
use crate::bundle::{InFlight, in_flight};
use crate::dapp::RpcError;
use crate::node::query_nodes;
use crate::ports::NetError;
use chains::{Amount, Chain, amount};
use serde_json::{Map, Value};
use std::rc::Rc;
use wire::api::Millis;
use wire::evm::{EvmCall, EvmNetwork, EvmTransaction, FillQuery, Filled, Filling, GasNeed, Speed};
use wire::node::{NodeQuery, NodeResult};
use wire::signer::{BuiltTransaction, DecodeRequest, Reply};
use wire::vault::VaultAccount;

/// How long the nodes have to answer.
const PATIENCE: Millis = 15_000;
/// So many calls are tried alone, where no node runs them together.
const MOST_TRIED: usize = 16;
/// A node's words are repeated to a page so far.
const LONGEST_REASON: usize = 300;

/// What was filled in, and what of the page's wishes was not followed: one text for each transaction.
pub(crate) struct Fill {
    pub(crate) filled: Filled,
    pub(crate) ignored: Vec<Option<String>>,
}

/// Waits until the numbers of an account are decided: until every bundle that the wallet numbered is signed, or will not be.
/// Two prompts with the same number could both be approved; two in a row would leave a gap if the first were rejected.
pub(crate) async fn until_decided(core: &Core, account: &VaultAccount) -> Result<InFlight, RpcError> {
    loop {
        let seen = core.database.changed.version();
        let flight = in_flight(core, &account.chain, &account.address).await?;
        if !flight.undecided {
            return Ok(flight);
        }
        core.database.changed.changed_since(seen).await;
    }
}

/// Fills in transactions that run one after the other.
pub(crate) async fn fill(
    core: &Core,
    account: &VaultAccount,
    flight: InFlight,
    wanted: &[Wanted],
) -> Result<Fill, RpcError> {
    let calls: Vec<EvmCall> = wanted.iter().map(|wanted| wanted.call.clone()).collect();
    let mut network = ask(core, account, calls.clone()).await?;
    if calls.len() > 1 && network.gas.iter().skip(1).all(|need| *need == GasNeed::Unknown) {
        try_alone(core, account, calls, &mut network).await;
    }
    let next = network.pending_nonce.max(flight.next);
    let mut ignored = Vec::with_capacity(wanted.len());
    let mut transactions = Vec::with_capacity(wanted.len());
    let mut speed = Speed::Normal;
    for (place, wanted) in wanted.iter().enumerate() {
        let need = network.gas.get(place).unwrap_or(&GasNeed::Unknown);
        let nonce = next.saturating_add(place as u64);
        let mut not_followed = Vec::new();
        if wanted.nonce.is_some_and(|named| named != Amount::from(nonce)) {
            not_followed.push("nonce");
        }
        let limit = match wanted.gas {
            Some(gas) => sane_limit(gas, need, &network).unwrap_or_else(|| {
                not_followed.push("gas limit");
                gas_limit(need, &network)
            }),
            None => gas_limit(need, &network),
        };
        let named = wanted.price.map(|named| sane_price(&network.market, named));
        if named == Some(None) {
            not_followed.push("fee");
        }
        let price = match named.flatten() {
            Some(named) => {
                speed = Speed::Page;
                named
            }
            None => price(&network.market, Speed::Normal),
        };
        transactions.push(EvmTransaction { call: wanted.call.clone(), nonce, gas_limit: limit, price });
        ignored.push(told(&not_followed));
    }
    enough(account, &network, &transactions)?;
    let EvmNetwork { market, block_gas_limit, .. } = network;
    let VaultAccount { chain, address, .. } = account.clone();
    Ok(Fill { filled: Filled { chain, address, transactions, market, speed, block_gas_limit }, ignored })
}

/// The limit that a page names, if the transaction can run within it and a block takes it.
fn sane_limit(named: Amount, need: &GasNeed, network: &EvmNetwork) -> Option<u64> {
    let least = match need {
        GasNeed::Estimated { gas } | GasNeed::Used { gas } => *gas,
        GasNeed::Fails { .. } | GasNeed::Unknown => fees::LEAST_GAS,
    };
    u64::try_from(named).ok().filter(|gas| (least..=ceiling(network.block_gas_limit)).contains(gas))
}

/// What the page named and the wallet did not follow, as it is shown: the page's claim.
fn told(not_followed: &[&str]) -> Option<String> {
    let (first, rest) = not_followed.split_first()?;
    let names = rest.iter().fold((*first).to_owned(), |names, name| format!("{names}, {name}"));
    Some(format!("The page named another {names} than can be used."))
}

/// One transaction that the account cannot pay is refused. What several bring to each other is not known before they run.
fn enough(
    account: &VaultAccount,
    network: &EvmNetwork,
    transactions: &[EvmTransaction],
) -> Result<(), RpcError> {
    let ([_], Some(balance)) = (transactions, &network.balance) else { return Ok(()) };
    let balance = Amount::from_str_radix(balance, 10).unwrap_or_default();
    let needed = most_spent(transactions);
    if needed <= balance {
        return Ok(());
    }
    let native = Chain::parse(&account.chain).map(Chain::native);
    let show = |units: Amount| {
        native.map_or_else(|| units.to_string(), |coin| amount::show(units, coin.decimals, coin.ticker))
    };
    let message = format!(
        "insufficient funds for gas * price + value: the account has {} on {}, and it takes up to {}",
        show(balance),
        account.chain,
        show(needed)
    );
    Err(RpcError::Node { code: -32_000, message, data: None })
}

async fn ask(core: &Core, account: &VaultAccount, calls: Vec<EvmCall>) -> Result<EvmNetwork, RpcError> {
    let VaultAccount { chain, address, .. } = account.clone();
    let disconnected = |reason: String| RpcError::ChainDisconnected {
        chain: account.chain.clone(),
        reason: reason.chars().take(LONGEST_REASON).collect(),
    };
    let query = NodeQuery::Fill(FillQuery { address, calls });
    match answer(core, &chain, query).await {
        Ok(Some(NodeResult::Filling(Filling::Known(network)))) => Ok(network),
        Ok(Some(NodeResult::Filling(Filling::WrongNetwork { reason } | Filling::Unclear { reason }))) => {
            Err(disconnected(reason))
        }
        Ok(_) => Err(disconnected("the nodes' answer made no sense".to_owned())),
        Err(NetError(reason)) => Err(disconnected(reason)),
    }
}

/// Tries calls alone. One that fails so may work behind the others: its need stays unknown.
async fn try_alone(core: &Core, account: &VaultAccount, mut calls: Vec<EvmCall>, network: &mut EvmNetwork) {
    calls.truncate(MOST_TRIED);
    let VaultAccount { chain, address, .. } = account.clone();
    let query = NodeQuery::Estimate { address, calls };
    let Ok(Some(NodeResult::Estimates(needs))) = answer(core, &chain, query).await else { return };
    for (need, alone) in network.gas.iter_mut().zip(needs).skip(1) {
        if matches!(alone, GasNeed::Estimated { .. }) {
            *need = alone;
        }
    }
}

async fn answer(core: &Core, chain: &str, query: NodeQuery) -> Result<Option<NodeResult>, NetError> {
    let asked = async { Ok(query_nodes(core, chain, vec![query]).await) };
    Ok(within(&*core.ports.host, PATIENCE, asked).await?.results.into_iter().next())
}

/// The parameters of `sign_transaction_bundle` for what was filled in.
pub(crate) async fn bundle_params(
    core: &Rc<Core>,
    filled: &Filled,
    ignored: &[Option<String>],
) -> Result<Map<String, Value>, RpcError> {
    let Filled { chain, transactions, .. } = filled;
    let request = DecodeRequest::BuildEvm { chain: chain.clone(), transactions: transactions.clone() };
    let built = match core.ports.signer.ask(request.into()).await {
        Ok(Reply::Built { transactions: built }) if built.len() == transactions.len() => built,
        Ok(_) => return Err(RpcError::Failed(wire::failure::Failure::bare("signer_unavailable".to_owned()))),
        // The address is spelled wrongly; what else could be is checked before.
        Err(refusal) => {
            let path = refusal.field.map(|field| ["/0/", &field].concat()).unwrap_or_default();
            return Err(RpcError::invalid(path, refusal.message));
        }
    };
    let chain_id = Chain::parse(chain).and_then(Chain::evm_id).unwrap_or_default();
    let steps = built.into_iter().enumerate().map(|(place, built)| {
        let claim = ignored.get(place).cloned().flatten();
        step(place, chain, chain_id, built, claim)
    });
    let mut params = Map::new();
    params.insert("transactions".to_owned(), Value::Array(steps.collect()));
    Ok(params)
}

fn step(place: usize, chain: &str, chain_id: u64, built: BuiltTransaction, claim: Option<String>) -> Value {
    let object = |fields: &[(&str, Value)]| {
        Value::Object(fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect())
    };
    let context = object(&[("chain_id", format!("{chain_id:#x}").into()), ("tx_type", built.tx_type.into())]);
    let mut fields = vec![
        ("id", (place + 1).to_string().into()),
        ("sequence", place.into()),
        ("chain", chain.into()),
        ("signing_mode", "ecdsa_secp256k1".into()),
        ("unsigned_tx_hex", built.bytes.into()),
        ("chain_context", context),
        ("wait_for_receipt", true.into()),
    ];
    if let Some(claim) = claim {
        fields.push(("tx_details", object(&[("description", claim.into())])));
    }
    object(&fields)
}
