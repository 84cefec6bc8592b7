//! What a transaction does, from its fields.

use super::Fields;
use super::call::Call;
use crate::address::evm;
use crate::encoding::plain_text;
use crate::explain::{Asset, Effect};
use crate::{Account, Amount, Chain, thorchain_memo};

/// The effects, and the text that goes with a plain transfer.
pub(super) fn of(
    fields: &Fields,
    account: &Account,
    through: Option<Chain>,
) -> (Vec<Effect>, Option<String>) {
    let Some(contract) = fields.to else {
        return (vec![Effect::Create { value: fields.value, bytes: fields.data.len() }], None);
    };
    let to = evm::encode(&contract);
    let transfer = |amount| Effect::Transfer { asset: Asset::Native, to: to.clone(), amount };
    if fields.data.is_empty() {
        return (vec![transfer(fields.value)], None);
    }
    let call = Call { account, contract, value: fields.value, through, depth: 0 };
    if let Some(mut effects) = call.known(&fields.data) {
        let rest = fields.value.saturating_sub(native(&effects));
        if !rest.is_zero() {
            effects.push(transfer(rest));
        }
        return (effects, None);
    }
    // Data that a person can read. The arguments of a call have zeros in them and are no text.
    let memo = plain_text(&fields.data);
    let told = through.zip(memo).map(|(network, memo)| {
        let told = thorchain_memo::effect(network, memo, &to, &Asset::Native, fields.value);
        vec![told.unwrap_or_else(|| transfer(fields.value))]
    });
    // Unless the payload says that it is a memo, text is a call too: a contract reads the first four letters as a function.
    (told.unwrap_or_else(|| call.effects(&fields.data)), memo.map(str::to_owned))
}

/// Native coins that the effects account for.
fn native(effects: &[Effect]) -> Amount {
    let amount = |effect: &Effect| match effect {
        Effect::Swap(swap) if swap.sell == Asset::Native => swap.amount,
        Effect::Transfer { asset: Asset::Native, amount, .. } => *amount,
        Effect::Call { value, .. } => *value,
        _ => Amount::ZERO,
    };
    effects.iter().map(amount).fold(Amount::ZERO, Amount::saturating_add)
}
