//! What a transaction does: every output read from its script.

use super::script::{address, read_text, unspendable};
use super::spend::{Lock, Spend};
use crate::encoding::{hex, plain_text};
use crate::explain::{Asset, Effect, Explanation, Fee};
use crate::facts::Facts;
use crate::transaction::Account;
use crate::{Amount, thorchain_memo};

pub(super) fn explain(spend: &Spend, account: &Account, facts: Facts<'_>) -> Explanation {
    let memo = spend.texts().next().unwrap_or_default();
    let mut effects = Vec::new();
    for output in &spend.tx.outputs {
        if let Some(data) = unspendable(&output.script) {
            if output.value > 0 {
                effects.push(Effect::other("burn", [("amount", output.value.to_string())]));
            }
            if read_text(&output.script).and_then(plain_text).is_none() {
                let what = format!("data that another protocol may read: 0x{}", hex(data));
                effects.push(Effect::Unknown { what, bytes: data.len() });
            }
            continue;
        }
        let amount = Amount::from(output.value);
        effects.push(match address(&spend.prefixes, &output.script) {
            Some(to) if to == account.address => Effect::Change { to, amount },
            Some(to) => thorchain_memo::payment(account.chain, facts, memo, &to, Asset::Native, amount),
            None => {
                let what = format!("an output of {amount} with the script {}", hex(&output.script));
                Effect::Unknown { what, bytes: output.script.len() }
            }
        });
    }
    own_payment(&mut effects);
    effects.extend(spend.texts().skip(1).map(|text| Effect::note("text", [("data", text.to_owned())])));
    foreign_inputs(spend, &mut effects);
    Explanation {
        chain: account.chain,
        from: account.address.clone(),
        target: None,
        effects,
        memo: spend.texts().next().map(str::to_owned),
        parties: spend.texts().flat_map(thorchain_memo::parties).collect(),
        fee: spend.fee(facts).map_or(Fee::Unknown, |fee| Fee::AtMost(Amount::from(fee))),
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
