//! Transactions of a Safe, and delegations: to vote, and to act for the account.

use super::{Case, Meaning, Reader, millis};
use crate::Amount;
use crate::evm::{explain_call, wanted_by_call};
use crate::explain::{Effect, PartyRole};
use crate::message::typed::Value;
use crate::transaction::Account;
use wire::message::MessageKind;

pub(super) const SHAPES: &[(&str, Reader)] = &[
    (
        "SafeTx(address to,uint256 value,bytes data,uint8 operation,uint256 safeTxGas,uint256 baseGas,\
         uint256 gasPrice,address gasToken,address refundReceiver,uint256 nonce)",
        safe,
    ),
    ("Delegation(address delegatee,uint256 nonce,uint256 expiry)", votes),
    (
        "Delegation(address delegate,address delegator,bytes32 authority,Caveat[] caveats,uint256 salt)\
         Caveat(address enforcer,bytes terms)",
        delegation,
    ),
];

pub(super) fn find(shape: &str) -> Option<Reader> {
    SHAPES.iter().find(|(known, _)| *known == shape).map(|(_, reader)| *reader)
}

/// What the Safe would do with this owner's signature. It is the Safe that sends, so its address stands for the account's.
fn safe(case: &Case<'_>, message: &Value) -> Option<Meaning> {
    let (to, value) = (message.address("to")?, message.number("value")?);
    let data = message.bytes("data")?;
    let account = Account { address: case.here(), ..case.account.clone() };
    let nonce = message.number("nonce")?.to_string();
    let mut effects = vec![Effect::note("Safe", [("safe", case.here()), ("nonce", nonce)])];
    let mut meaning = match message.number("operation")? {
        Amount::ZERO => {
            let call = (to, value, data);
            let (inner, parties) = explain_call(&account, case.facts, call);
            effects.extend(inner);
            let wanted = wanted_by_call(&account, call);
            Meaning { parties, wanted, ..Meaning::new(MessageKind::SafeTransaction, effects, None) }
        }
        // The called code runs as the Safe itself: it may do anything.
        _ => {
            effects.push(Effect::other("delegatecall", [("bytes", data.len().to_string())]));
            Meaning::new(MessageKind::SafeTransaction, effects, None).party(to, PartyRole::Contract)
        }
    };
    if !message.number("gasPrice")?.is_zero() {
        meaning = meaning.party(message.address("refundReceiver")?, PartyRole::FeePayee);
        meaning
            .effects
            .push(Effect::other("gas refund", [("price", message.number("gasPrice")?.to_string())]));
    }
    Some(meaning)
}

/// Votes of a token: nothing leaves, and another decides.
fn votes(case: &Case<'_>, message: &Value) -> Option<Meaning> {
    let effect = Effect::note("delegate votes", [("token", case.here())]);
    let until = Some(millis(message.number("expiry")?));
    let meaning = Meaning::new(MessageKind::Delegation, vec![effect], until);
    Some(meaning.party(message.address("delegatee")?, PartyRole::Authority))
}

/// ERC-7710: the delegate may act as the account, as far as the caveats let it. They are not read.
fn delegation(case: &Case<'_>, message: &Value) -> Option<Meaning> {
    if !case.is_own(message.address("delegator")?) {
        return None;
    }
    let caveats = message.list("caveats")?.len().to_string();
    let effect = Effect::other("Delegation", [("caveats", caveats)]);
    let meaning = Meaning::new(MessageKind::Delegation, vec![effect], None);
    Some(meaning.party(message.address("delegate")?, PartyRole::Authority))
}
