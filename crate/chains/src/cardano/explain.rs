//! What a payment does, read from the body that is signed and from the auxiliary data that it names.

use super::body::{Body, Output};
use super::{Payment, metadata};
use crate::address::cardano as address;
use crate::encoding::hex;
use crate::explain::{Asset, Effect, Explanation, Fee};
use crate::facts::Facts;
use crate::transaction::Account;
use crate::{Amount, thorchain_memo};

pub(super) fn explain(payment: &Payment, account: &Account, facts: Facts<'_>) -> Explanation {
    let body = Body::decode("body", &payment.body);
    let memo = memo(payment);
    let paid = |to: &str, amount| {
        let memo = memo.as_deref().unwrap_or_default();
        thorchain_memo::payment(account.chain, facts, memo, to, Asset::Native, amount)
    };
    let mut effects = match &body {
        Ok(body) => body.outputs.iter().flat_map(|output| told(account, output, paid)).collect(),
        Err(_) => vec![Effect::Unknown { what: "transaction body".to_owned(), bytes: payment.body.len() }],
    };
    if let Some(bytes) = payment.auxiliary.as_ref().filter(|_| memo.is_none()) {
        effects.push(Effect::Unknown { what: "auxiliary data".to_owned(), bytes: bytes.len() });
    }
    if let Some(slot) = body.as_ref().ok().and_then(|body| body.last_slot) {
        effects.push(Effect::note("valid until", [("slot", slot.to_string())]));
    }
    Explanation {
        chain: account.chain,
        from: account.address.clone(),
        target: None,
        effects,
        parties: memo.as_deref().map(thorchain_memo::parties).unwrap_or_default(),
        memo,
        // The ledger takes no other: inputs have as much more than outputs.
        fee: body.map_or(Fee::Unknown, |body| Fee::AtMost(Amount::from(body.fee))),
        gas_limit: None,
        nonce: None,
    }
}

/// The memo, where the auxiliary data are one.
pub(super) fn memo(payment: &Payment) -> Option<String> {
    metadata::decode(payment.auxiliary.as_deref()?).ok()
}

fn told(account: &Account, output: &Output, paid: impl Fn(&str, Amount) -> Effect) -> Vec<Effect> {
    let to = address::encode(&output.address).unwrap_or_else(|| hex(&output.address));
    let amount = Amount::from(output.coins);
    let mut effects = Vec::new();
    if to == account.address {
        effects.push(Effect::Change { to, amount });
        let fields: Vec<_> =
            output.tokens.iter().map(|(id, amount)| (id.text(), amount.to_string())).collect();
        if !fields.is_empty() {
            effects.push(Effect::Note { name: "tokens that return".to_owned(), fields });
        }
    } else {
        for (id, amount) in &output.tokens {
            let asset = Asset::Token { id: id.text() };
            effects.push(Effect::Transfer { asset, to: to.clone(), amount: Amount::from(*amount) });
        }
        effects.push(paid(&to, amount));
    }
    if output.extra > 0 {
        effects.push(Effect::Unknown { what: "datum or script".to_owned(), bytes: output.extra });
    }
    effects
}
