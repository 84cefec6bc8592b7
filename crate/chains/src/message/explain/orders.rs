//! Orders: one asset for another, which anyone may fill until they end.
//!
//! CoW Protocol, 1inch and 0x limit orders, Seaport (single and in bulk) and UniswapX. The contract must be the protocol's own.

use super::{Case, Meaning, Reader, millis, token};
use crate::address::evm;
use crate::explain::{Asset, Bought, Effect, PartyRole, Swap};
use crate::known::Protocol;
use crate::message::typed::Value;
use crate::{Amount, Chain};
use wire::message::MessageKind;

const SEAPORT: &str = "OrderComponents(address offerer,address zone,OfferItem[] offer,\
    ConsiderationItem[] consideration,uint8 orderType,uint256 startTime,uint256 endTime,bytes32 zoneHash,\
    uint256 salt,bytes32 conduitKey,uint256 counter)ConsiderationItem(uint8 itemType,address token,\
    uint256 identifierOrCriteria,uint256 startAmount,uint256 endAmount,address recipient)\
    OfferItem(uint8 itemType,address token,uint256 identifierOrCriteria,uint256 startAmount,uint256 endAmount)";

pub(super) const SHAPES: &[(&str, Reader)] = &[
    (
        "Order(address sellToken,address buyToken,address receiver,uint256 sellAmount,uint256 buyAmount,\
         uint32 validTo,bytes32 appData,uint256 feeAmount,string kind,bool partiallyFillable,\
         string sellTokenBalance,string buyTokenBalance)",
        cow,
    ),
    (
        "Order(uint256 salt,address maker,address receiver,address makerAsset,address takerAsset,\
         uint256 makingAmount,uint256 takingAmount,uint256 makerTraits)",
        one_inch,
    ),
    (
        "LimitOrder(address makerToken,address takerToken,uint128 makerAmount,uint128 takerAmount,\
         uint128 takerTokenFeeAmount,address maker,address taker,address sender,address feeRecipient,bytes32 pool,\
         uint64 expiry,uint256 salt)",
        zero_ex,
    ),
    (SEAPORT, seaport),
];

/// Seaport 1.1, 1.4, 1.5 and 1.6, at the same addresses on every chain (docs.opensea.io, "Seaport Models").
const SEAPORTS: [[u8; 20]; 4] = [
    address("00000000006c3852cbEf3e08E8dF289169EdE581"),
    address("00000000000001ad428e4906aE43D8F9852d0dD6"),
    address("00000000000000ADc04C56Bf30aC9d3c0aAF14dC"),
    address("0000000000000068F116a894984e2DB1123eB395"),
];
/// UniswapX's reactors for Dutch orders, their second version, and priority orders (Uniswap's uniswapx-sdk, constants.ts).
const REACTORS: [(Chain, [u8; 20]); 3] = [
    (Chain::Ethereum, address("6000da47483062A0D734Ba3dc7576Ce6A0B645C4")),
    (Chain::Ethereum, address("00000011F84B9aa48e5f8aA8B9897600006289Be")),
    (Chain::Base, address("000000001Ec5656dcdB24D90DFa42742738De729")),
];
/// No more orders of a bulk order are read.
const MAX_ORDERS: usize = 64;

/// Twenty bytes of hex, at compile time.
#[allow(clippy::panic, clippy::indexing_slicing, reason = "runs when it is compiled, on our own table")]
const fn address(hex: &str) -> [u8; 20] {
    const fn digit(byte: u8) -> u8 {
        match byte {
            b'0'..=b'9' => byte - b'0',
            b'a'..=b'f' => byte - b'a' + 10,
            b'A'..=b'F' => byte - b'A' + 10,
            _ => panic!("not hex"),
        }
    }
    let mut out = [0; 20];
    let mut left: &[u8] = hex.as_bytes();
    let mut at = 0;
    while let [high, low, rest @ ..] = left {
        out[at] = digit(*high) << 4 | digit(*low);
        at += 1;
        left = rest;
    }
    out
}

pub(super) fn find(shape: &str) -> Option<Reader> {
    let found = SHAPES.iter().find(|(known, _)| *known == shape).map(|(_, reader)| *reader);
    // BulkOrder(OrderComponents[2]…[2] tree), by the height of the tree.
    let bulk = || {
        let rest = shape.strip_prefix("BulkOrder(OrderComponents")?;
        let (tree, rest) = rest.split_once(" tree)")?;
        let height = tree.len() / 3;
        // The structs behind the first are sorted by name.
        let (order, items) = SEAPORT.split_once("ConsiderationItem(")?;
        let expected = format!("ConsiderationItem({items}{order}");
        (tree == "[2]".repeat(height) && (1..=24).contains(&height) && rest == expected)
            .then_some(bulk_order as Reader)
    };
    found.or_else(bulk)
}

/// One asset for another with this contract.
fn swap(case: &Case<'_>, provider: &'static str, sell: Asset, amount: Amount) -> Swap {
    Swap {
        provider: Some(provider),
        router: case.here(),
        sell,
        amount,
        buy: None,
        minimum_out: None,
        recipient: Some(case.account.address.clone()),
    }
}

fn order(effects: Vec<Effect>, end: Amount) -> Meaning {
    Meaning::new(MessageKind::Order, effects, Some(millis(end)))
}

/// The account itself where an order names none.
fn receiver(case: &Case<'_>, named: [u8; 20]) -> Option<String> {
    Some(if named == [0; 20] { case.account.address.clone() } else { evm::encode(&named) })
}

fn cow(case: &Case<'_>, message: &Value) -> Option<Meaning> {
    let name = case.known_as(Protocol::CowSettlement)?;
    let (sold, fee) = (message.number("sellAmount")?, message.number("feeAmount")?);
    let swap = Swap {
        buy: Some(Bought::Here(bought(message.address("buyToken")?))),
        minimum_out: message.number("buyAmount"),
        recipient: receiver(case, message.address("receiver")?),
        ..swap(case, name, token(message.address("sellToken")?), sold.saturating_add(fee))
    };
    Some(order(vec![Effect::Swap(swap)], message.number("validTo")?))
}

/// What is bought: protocols have an address that stands for the chain's coin.
fn bought(address: [u8; 20]) -> Asset {
    if address == [0xee; 20] { Asset::Native } else { token(address) }
}

/// The end of a 1inch order is in its traits: bits 80 to 119, and none is no end.
fn one_inch(case: &Case<'_>, message: &Value) -> Option<Meaning> {
    let name = case.known_as(Protocol::OneInchV6)?;
    if !case.is_own(message.address("maker")?) {
        return None;
    }
    let swap = Swap {
        buy: Some(Bought::Here(bought(message.address("takerAsset")?))),
        minimum_out: message.number("takingAmount"),
        recipient: receiver(case, message.address("receiver")?),
        ..swap(case, name, token(message.address("makerAsset")?), message.number("makingAmount")?)
    };
    let mask = Amount::from((1_u64 << 40) - 1);
    let end = (message.number("makerTraits")? >> 80_usize) & mask;
    let end = if end.is_zero() { Amount::MAX } else { end };
    Some(order(vec![Effect::Swap(swap)], end))
}

fn zero_ex(case: &Case<'_>, message: &Value) -> Option<Meaning> {
    let name = case.known_as(Protocol::ZeroExProxy)?;
    if !case.is_own(message.address("maker")?) {
        return None;
    }
    let swap = Swap {
        buy: Some(Bought::Here(token(message.address("takerToken")?))),
        minimum_out: message.number("takerAmount"),
        ..swap(case, name, token(message.address("makerToken")?), message.number("makerAmount")?)
    };
    let order = order(vec![Effect::Swap(swap)], message.number("expiry")?);
    Some(order.party(message.address("feeRecipient")?, PartyRole::FeePayee))
}

fn seaport(case: &Case<'_>, message: &Value) -> Option<Meaning> {
    if !SEAPORTS.contains(&case.contract) || !case.is_own(message.address("offerer")?) {
        return None;
    }
    let consideration = message.list("consideration")?;
    let own = |item: &&Value| item.address("recipient").is_some_and(|to| case.is_own(to));
    let first = consideration.iter().find(own).map(asset);
    let buy = match first {
        Some(asset) => Some(asset?),
        None => None,
    };
    let mut least = Amount::ZERO;
    for item in consideration.iter().filter(own) {
        if buy == asset(item) {
            least = least.saturating_add(item.number("startAmount")?.min(item.number("endAmount")?));
        }
    }
    // An order that gives nothing has no effect to show, and no use.
    let offer = message.list("offer").filter(|offer| !offer.is_empty())?;
    let mut effects = Vec::new();
    for item in offer {
        let amount = item.number("startAmount")?.max(item.number("endAmount")?);
        effects.push(Effect::Swap(Swap {
            buy: buy.clone().map(Bought::Here),
            minimum_out: buy.is_some().then_some(least),
            ..swap(case, "Seaport", asset(item)?, amount)
        }));
    }
    let mut meaning = order(effects, message.number("endTime")?);
    for item in consideration.iter().filter(|item| !own(item)) {
        meaning = meaning.party(item.address("recipient")?, PartyRole::FeePayee);
    }
    Some(meaning)
}

/// An item of an order. One that is chosen by criteria can be any of its collection: that is not read.
fn asset(item: &Value) -> Option<Asset> {
    let contract = item.address("token")?;
    match u8::try_from(item.number("itemType")?).ok()? {
        0 => Some(Asset::Native),
        1 => Some(token(contract)),
        2 | 3 => {
            Some(Asset::Item { collection: evm::encode(&contract), id: item.number("identifierOrCriteria")? })
        }
        _ => None,
    }
}

/// A tree of orders; places that nothing is in have no offerer.
fn bulk_order(case: &Case<'_>, message: &Value) -> Option<Meaning> {
    let mut leaves = Vec::new();
    collect(message.get("tree")?, &mut leaves);
    let mut whole = Meaning::new(MessageKind::Order, Vec::new(), None);
    let used: Vec<&Value> =
        leaves.into_iter().filter(|leaf| leaf.address("offerer") != Some([0; 20])).collect();
    if used.is_empty() || used.len() > MAX_ORDERS {
        return None;
    }
    for leaf in used {
        let meaning = seaport(case, leaf)?;
        whole.effects.extend(meaning.effects);
        whole.parties.extend(meaning.parties);
        whole.until = whole.until.max(meaning.until);
    }
    Some(whole)
}

fn collect<'a>(value: &'a Value, leaves: &mut Vec<&'a Value>) {
    match value {
        Value::List(values) => values.iter().for_each(|value| collect(value, leaves)),
        leaf => leaves.push(leaf),
    }
}

/// An order of UniswapX: the witness of a Permit2 transfer to the reactor that settles it.
pub(super) fn uniswap_x(case: &Case<'_>, message: &Value) -> Option<Meaning> {
    let kinds =
        ["DutchOrder", "ExclusiveDutchOrder", "V2DutchOrder", "V3DutchOrder", "PriorityOrder", "LimitOrder"];
    let is_order = kinds.iter().any(|kind| case.data.shape.contains(&format!(",{kind} witness)")));
    let witness = message.get("witness").filter(|_| is_order)?;
    let reactor = message.address("spender")?;
    if witness.address("info.reactor")? != reactor || !case.is_own(witness.address("info.swapper")?) {
        return None;
    }
    let outputs = witness.list("outputs").or_else(|| witness.list("baseOutputs"))?;
    let amount_of = |output: &Value| {
        let ends = ["endAmount", "minAmount", "amount"].iter().find_map(|name| output.number(name));
        ends.map(|end| output.number("startAmount").map_or(end, |start| start.min(end)))
    };
    let own = |output: &&Value| output.address("recipient").is_some_and(|to| case.is_own(to));
    let first = outputs.iter().find(own)?;
    let buy = first.address("token")?;
    let mut least = Amount::ZERO;
    for output in outputs.iter().filter(own).filter(|output| output.address("token") == Some(buy)) {
        least = least.saturating_add(amount_of(output)?);
    }
    let known = REACTORS.contains(&(case.account.chain, reactor));
    let buy = if buy == [0; 20] { Asset::Native } else { token(buy) };
    let swap = Swap {
        provider: known.then_some("UniswapX"),
        router: evm::encode(&reactor),
        buy: Some(Bought::Here(buy)),
        minimum_out: Some(least),
        ..swap(case, "", token(message.address("permitted.token")?), message.number("permitted.amount")?)
    };
    let mut meaning = order(vec![Effect::Swap(swap)], message.number("deadline")?);
    for output in outputs.iter().filter(|output| !own(output)) {
        meaning = meaning.party(output.address("recipient")?, PartyRole::FeePayee);
    }
    Some(meaning)
}
