//! Permits: a spender may take tokens without a transaction of the owner.
//!
//! ERC-2612, DAI's own, those of positions and items (ERC-4494), Uniswap's Permit2, and EIP-3009, which sends by itself.

use super::{Case, Meaning, Reader, millis, orders, token};
use crate::Amount;
use crate::address::evm;
use crate::amount::is_unlimited;
use crate::explain::{Asset, Effect, PartyRole};
use crate::known::Protocol;
use crate::message::typed::Value;
use wire::message::MessageKind;

pub(super) const SHAPES: &[(&str, Reader)] = &[
    ("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)", erc2612),
    ("Permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed)", dai),
    ("Permit(address spender,uint256 tokenId,uint256 nonce,uint256 deadline)", item),
    ("PermitForAll(address operator,bool approved,uint256 nonce,uint256 deadline)", all_items),
    (
        "PermitSingle(PermitDetails details,address spender,uint256 sigDeadline)\
         PermitDetails(address token,uint160 amount,uint48 expiration,uint48 nonce)",
        permit2,
    ),
    (
        "PermitBatch(PermitDetails[] details,address spender,uint256 sigDeadline)\
         PermitDetails(address token,uint160 amount,uint48 expiration,uint48 nonce)",
        permit2,
    ),
    (
        "PermitTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline)\
         TokenPermissions(address token,uint256 amount)",
        permit2_transfer,
    ),
    (
        "PermitBatchTransferFrom(TokenPermissions[] permitted,address spender,uint256 nonce,uint256 deadline)\
         TokenPermissions(address token,uint256 amount)",
        permit2_transfer,
    ),
    (
        "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,\
         bytes32 nonce)",
        erc3009,
    ),
    (
        "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,\
         bytes32 nonce)",
        erc3009,
    ),
    ("CancelAuthorization(address authorizer,bytes32 nonce)", cancel),
];

/// Permit2 with a witness: what the witness is, its own contract says.
const WITNESS: [&str; 2] = [
    "PermitWitnessTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,",
    "PermitBatchWitnessTransferFrom(TokenPermissions[] permitted,address spender,uint256 nonce,uint256 deadline,",
];

pub(super) fn find(shape: &str) -> Option<Reader> {
    let found = SHAPES.iter().find(|(known, _)| *known == shape).map(|(_, reader)| *reader);
    let witnessed = WITNESS.iter().any(|head| {
        // Behind the end of another struct, so that no longer name ends like it.
        let permissions = ")TokenPermissions(address token,uint256 amount)";
        shape.starts_with(head) && shape.contains(permissions)
    });
    found.or_else(|| witnessed.then_some(with_witness as Reader))
}

fn approve(asset: Asset, spender: [u8; 20], amount: Amount) -> Effect {
    Effect::Approve { asset, spender: evm::encode(&spender), amount, unlimited: is_unlimited(amount) }
}

fn erc2612(case: &Case<'_>, message: &Value) -> Option<Meaning> {
    if !case.is_own(message.address("owner")?) {
        return None;
    }
    let effect = approve(token(case.contract), message.address("spender")?, message.number("value")?);
    Some(Meaning::new(MessageKind::Permit, vec![effect], Some(millis(message.number("deadline")?))))
}

/// All or nothing; an expiry of zero is none.
fn dai(case: &Case<'_>, message: &Value) -> Option<Meaning> {
    if !case.is_own(message.address("holder")?) {
        return None;
    }
    let allowed = message.truth("allowed")?;
    let amount = if allowed { Amount::MAX } else { Amount::ZERO };
    let effect = approve(token(case.contract), message.address("spender")?, amount);
    let expiry = message.number("expiry")?;
    let until = millis(if expiry.is_zero() { Amount::MAX } else { expiry });
    let kind = if allowed { MessageKind::Permit } else { MessageKind::Revocation };
    Some(Meaning::new(kind, vec![effect], allowed.then_some(until)))
}

fn item(case: &Case<'_>, message: &Value) -> Option<Meaning> {
    let asset = Asset::Item { collection: case.here(), id: message.number("tokenId")? };
    let effect = approve(asset, message.address("spender")?, Amount::ONE);
    Some(Meaning::new(MessageKind::Permit, vec![effect], Some(millis(message.number("deadline")?))))
}

fn all_items(case: &Case<'_>, message: &Value) -> Option<Meaning> {
    let approved = message.truth("approved")?;
    let operator = evm::encode(&message.address("operator")?);
    let effect = Effect::ApproveAll { collection: case.here(), operator, approved };
    let kind = if approved { MessageKind::Permit } else { MessageKind::Revocation };
    let until = approved.then(|| message.number("deadline")).flatten().map(millis);
    Some(Meaning::new(kind, vec![effect], until))
}

/// The elements of a list, or the one struct.
fn each<'a>(message: &'a Value, name: &str) -> Option<Vec<&'a Value>> {
    match message.get(name)? {
        Value::List(list) => Some(list.iter().collect()),
        one => Some(vec![one]),
    }
}

/// Allowances within Permit2, each with an end of its own.
fn permit2(case: &Case<'_>, message: &Value) -> Option<Meaning> {
    case.known_as(Protocol::Permit2)?;
    let spender = message.address("spender")?;
    let (mut effects, mut until) = (Vec::new(), 0);
    for details in each(message, "details")? {
        effects.push(approve(token(details.address("token")?), spender, details.number("amount")?));
        until = until.max(millis(details.number("expiration")?));
    }
    if effects.is_empty() {
        return None;
    }
    Some(Meaning::new(MessageKind::Permit, effects, Some(until)))
}

/// What the spender may take once.
fn taken_once(case: &Case<'_>, message: &Value) -> Option<Meaning> {
    case.known_as(Protocol::Permit2)?;
    let spender = message.address("spender")?;
    let permitted = each(message, "permitted")?;
    let approve = |one: &&Value| Some(approve(token(one.address("token")?), spender, one.number("amount")?));
    let effects =
        permitted.iter().map(approve).collect::<Option<Vec<_>>>().filter(|effects| !effects.is_empty())?;
    Some(Meaning::new(MessageKind::Permit, effects, Some(millis(message.number("deadline")?))))
}

fn permit2_transfer(case: &Case<'_>, message: &Value) -> Option<Meaning> {
    taken_once(case, message)
}

/// The spender decides what the witness means. UniswapX's orders are read; of others only what may be taken is known.
fn with_witness(case: &Case<'_>, message: &Value) -> Option<Meaning> {
    let permit = taken_once(case, message)?;
    if let Some(order) = orders::uniswap_x(case, message) {
        return Some(order);
    }
    let effects = permit.effects.into_iter().chain([Effect::note("witness", [])]).collect();
    Some(Meaning { effects, ..permit })
}

/// Its submitter sends the tokens.
fn erc3009(case: &Case<'_>, message: &Value) -> Option<Meaning> {
    if !case.is_own(message.address("from")?) {
        return None;
    }
    let to = evm::encode(&message.address("to")?);
    let effect = Effect::Transfer { asset: token(case.contract), to, amount: message.number("value")? };
    Some(Meaning::new(MessageKind::Transfer, vec![effect], Some(millis(message.number("validBefore")?))))
}

fn cancel(case: &Case<'_>, message: &Value) -> Option<Meaning> {
    if !case.is_own(message.address("authorizer")?) {
        return None;
    }
    let effect = Effect::note("CancelAuthorization", [("token", case.here())]);
    Some(Meaning::new(MessageKind::Revocation, vec![effect], None).party(case.contract, PartyRole::Contract))
}
