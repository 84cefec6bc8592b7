//! What a payment does, read from the body that is signed and from the auxiliary data that it names.

use super::body::{Body, Output};
use super::{Payment, metadata};
use crate::Amount;
use crate::address::cardano as address;
use crate::encoding::hex;
use crate::explain::{Asset, Effect, Explanation, Fee};
use crate::transaction::Account;

pub(super) fn explain(payment: &Payment, account: &Account) -> Explanation {
    let body = Body::decode("body", &payment.body);
    let mut effects = match &body {
        Ok(body) => body.outputs.iter().flat_map(|output| told(account, output)).collect(),
        Err(_) => vec![Effect::Unknown { what: "transaction body".to_owned(), bytes: payment.body.len() }],
    };
    let memo = payment.auxiliary.as_deref().and_then(|bytes| match metadata::decode(bytes) {
        Ok(memo) => Some(memo),
        Err(_) => {
            effects.push(Effect::Unknown { what: "auxiliary data".to_owned(), bytes: bytes.len() });
            None
        }
    });
    if let Some(slot) = body.as_ref().ok().and_then(|body| body.last_slot) {
        effects.push(Effect::note("valid until", [("slot", slot.to_string())]));
    }
    Explanation {
        chain: account.chain,
        from: account.address.clone(),
        target: None,
        effects,
        memo,
        parties: Vec::new(),
        fee: body.map_or(Fee::Unknown, |body| Fee::AtMost(Amount::from(body.fee))),
        gas_limit: None,
        nonce: None,
    }
}

fn told(account: &Account, output: &Output) -> Vec<Effect> {
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
        return effects;
    }
    for (id, amount) in &output.tokens {
        let asset = Asset::Token { id: id.text() };
        effects.push(Effect::Transfer { asset, to: to.clone(), amount: Amount::from(*amount) });
    }
    effects.push(Effect::Transfer { asset: Asset::Native, to, amount });
    if output.extra > 0 {
        effects.push(Effect::Unknown { what: "datum or script".to_owned(), bytes: output.extra });
    }
    effects
}
