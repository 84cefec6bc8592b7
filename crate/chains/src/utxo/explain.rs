//! What a transaction does: every output read from its script.

use super::script::{address, read_text};
use super::spend::{Lock, Spend};
use crate::Amount;
use crate::encoding::{hex, readable};
use crate::explain::{Asset, Effect, Explanation, Fee};
use crate::transaction::Account;

pub(super) fn explain(spend: &Spend, account: &Account) -> Explanation {
    let mut texts = Vec::new();
    let mut effects = Vec::new();
    for output in &spend.tx.outputs {
        if let Some(data) = read_text(&output.script) {
            texts.push(readable(data));
            if output.value > 0 {
                effects.push(Effect::other("burn", [("amount", output.value.to_string())]));
            }
            continue;
        }
        let amount = Amount::from(output.value);
        effects.push(match address(&spend.prefixes, &output.script) {
            Some(to) if to == account.address => Effect::Change { to, amount },
            Some(to) => Effect::Transfer { asset: Asset::Native, to, amount },
            None => {
                let what = format!("an output of {amount} with the script {}", hex(&output.script));
                Effect::Unknown { what, bytes: output.script.len() }
            }
        });
    }
    own_payment(&mut effects);
    let mut texts = texts.into_iter();
    let memo = texts.next();
    effects.extend(texts.map(|text| Effect::note("text", [("data", text)])));
    foreign_inputs(spend, &mut effects);
    Explanation {
        chain: account.chain,
        from: account.address.clone(),
        target: None,
        effects,
        memo,
        parties: Vec::new(),
        fee: spend.fee().map_or(Fee::Unknown, |fee| Fee::AtMost(Amount::from(fee))),
        gas_limit: None,
        nonce: None,
    }
}

/// Where everything returns to the signer, the first output is the payment: change comes after it.
fn own_payment(effects: &mut [Effect]) {
    if effects.iter().all(|effect| matches!(effect, Effect::Change { .. }))
        && let Some(first) = effects.first_mut()
        && let Effect::Change { to, amount } = first
    {
        *first = Effect::Transfer { asset: Asset::Native, to: std::mem::take(to), amount: *amount };
    }
}

/// Inputs of other accounts are named: with them the fee is unknown and the bytes are not complete.
fn foreign_inputs(spend: &Spend, effects: &mut Vec<Effect>) {
    let foreign = spend.spent.iter().filter(|spent| spent.lock == Lock::Foreign).count();
    if foreign > 0 {
        effects.push(Effect::other("inputs of others", [("count", foreign.to_string())]));
    }
}
