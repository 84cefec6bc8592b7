//! What a transaction does: every output read from its script.

use super::script::{address, read_text};
use super::spend::{Lock, Purpose, Spend};
use crate::encoding::{hex, readable};
use crate::explain::{Asset, Effect, Explanation, Swap};
use crate::transaction::Account;
use crate::{Amount, Chain, thorchain_memo};

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
    effects.extend(texts.map(|text| Effect::other("text", [("data", text)])));
    name_swap(spend, memo.as_deref(), &mut effects);
    foreign_inputs(spend, &mut effects);
    Explanation {
        chain: account.chain,
        from: account.address.clone(),
        target: None,
        effects,
        memo,
        fee: spend.fee().map(Amount::from),
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

/// A payment that the memo or the payload makes a swap is explained as one, if it is the only payment.
fn name_swap(spend: &Spend, memo: Option<&str>, effects: &mut [Effect]) {
    let mut payments = effects.iter_mut().filter(|effect| matches!(effect, Effect::Transfer { .. }));
    let (Some(payment), None) = (payments.next(), payments.next()) else { return };
    let Effect::Transfer { to, amount, .. } = &*payment else { return };
    let by_memo = |network, memo| thorchain_memo::effect(network, memo, to, &Asset::Native, *amount);
    let swap = match (&spend.swap, memo) {
        (Some(Purpose::Memo(network)), Some(memo)) => by_memo(*network, memo),
        (Some(Purpose::Deposit { provider, buy, recipient }), _) => Some(Effect::Swap(Swap {
            provider: provider.clone(),
            router: to.clone(),
            sell: Asset::Native,
            amount: *amount,
            buy: buy.clone(),
            minimum_out: None,
            recipient: recipient.clone(),
        })),
        (None, Some(memo)) => either(by_memo(Chain::ThorChain, memo), by_memo(Chain::MayaChain, memo)),
        _ => None,
    };
    if let Some(swap) = swap {
        *payment = swap;
    }
}

/// A swap that does not name its network of the two: what they would read alike.
fn either(thorchain: Option<Effect>, mayachain: Option<Effect>) -> Option<Effect> {
    let (Some(Effect::Swap(mut swap)), Some(Effect::Swap(other))) = (thorchain, mayachain) else {
        return None;
    };
    swap.provider = format!("{} or {}", swap.provider, other.provider);
    if swap.buy != other.buy {
        swap.buy = None;
    }
    Some(Effect::Swap(swap))
}

/// Inputs of other accounts are named: with them the fee is unknown and the bytes are not complete.
fn foreign_inputs(spend: &Spend, effects: &mut Vec<Effect>) {
    let foreign = spend.spent.iter().filter(|spent| spent.lock == Lock::Foreign).count();
    if foreign > 0 {
        effects.push(Effect::other("inputs of others", [("count", foreign.to_string())]));
    }
}
