//! A trial run on a Cosmos SDK node: `/cosmos/tx/v1beta1/simulate`, and of the events that it gives back those of the bank,
//! `coin_spent` and `coin_received`, and those of CW20 contracts. Nodes before CometBFT 0.37 write names and values in
//! base64.
//!
//! The bank also reports the fee, where the node runs the part of a transaction that takes it; then there is an event
//! `tx` with the fee in it. A node runs one transaction at a time, so only the first of several is run.

use super::{Tx, table};
use crate::explain::Asset;
use crate::rpc::trial::{Ran, Sums, Trial, named, unusable};
use crate::rpc::{Method, Request, Response};
use crate::transaction::Account;
use crate::{Amount, Chain, amount, encoding};
use prost::Message as _;
use serde_json::{Value, json};
use wire::trial::NoTrialReason;

/// gRPC's `UNIMPLEMENTED`.
const UNIMPLEMENTED: u64 = 12;

/// The request for a trial run. A signature must be there and is not looked at.
pub(super) fn request(tx: &Tx) -> Request {
    let body = json!({ "tx_bytes": encoding::base64(&tx.raw(vec![vec![0; 64]]).encode_to_vec()) });
    Request { method: Method::Post(body.to_string()), path: "/cosmos/tx/v1beta1/simulate".to_owned() }
}

pub(super) fn read(tx: &Tx, account: &Account, later: usize, answers: &[Response]) -> Trial {
    let Some((status, body)) = answers.first().and_then(|answer| Some((answer.status, answer.json()?)))
    else {
        return unusable(answers.first());
    };
    if status == 200 {
        return outcome(tx, account, later, &body).unwrap_or(Trial::UNREADABLE);
    }
    match super::check::verdict(&body) {
        Some(reason) => {
            let ran = Ran::new(Sums::default(), fee(tx, account.chain), 1);
            Trial::Ran(ran.failing(0, reason))
        }
        None if status == 501 || body.get("code").and_then(Value::as_u64) == Some(UNIMPLEMENTED) => {
            Trial::NotRun(NoTrialReason::NodeHasNone)
        }
        None => Trial::NotRun(NoTrialReason::NoAnswer),
    }
}

fn outcome(tx: &Tx, account: &Account, later: usize, body: &Value) -> Option<Trial> {
    let events = body.pointer("/result/events")?.as_array()?;
    let mut sums = Sums::default();
    let mut fee_taken = false;
    for event in events {
        let attributes = Attributes::read(event)?;
        match event.get("type")?.as_str()? {
            "coin_spent" => attributes.coins(account, "spender", |asset, amount| sums.lose(asset, amount))?,
            "coin_received" => {
                attributes.coins(account, "receiver", |asset, amount| sums.gain(asset, amount))?;
            }
            "wasm" => attributes.tokens(account, &mut sums),
            "tx" => fee_taken |= attributes.has("fee"),
            _ => {}
        }
    }
    let fee_part = tx.auth_info.fee.as_ref();
    let pays = fee_part
        .is_none_or(|fee| fee.granter.is_empty() && (fee.payer.is_empty() || fee.payer == account.address));
    if fee_taken && pays {
        for coin in fee_part.iter().flat_map(|fee| &fee.amount) {
            sums.gain(asset(account.chain, &coin.denom)?, amount::parse("fee", &coin.amount).ok()?);
        }
    }
    Some(Trial::of_first(sums, fee(tx, account.chain), later))
}

/// The fee in the native coin; unknown where it is paid in another, or the chain takes its own.
fn fee(tx: &Tx, chain: Chain) -> Option<Amount> {
    let row = table::row(chain).filter(|row| row.style == table::Style::Sdk)?;
    let mut coins = tx.auth_info.fee.iter().flat_map(|fee| &fee.amount);
    coins.try_fold(Amount::ZERO, |sum, coin| {
        let amount = amount::parse("fee", &coin.amount).ok().filter(|_| coin.denom == row.denom)?;
        Some(sum.saturating_add(amount))
    })
}

fn asset(chain: Chain, denom: &str) -> Option<Asset> {
    if table::row(chain).is_some_and(|row| row.denom == denom) { Some(Asset::Native) } else { named(denom) }
}

/// Names and values of an event, in its order.
struct Attributes(Vec<(String, String)>);

impl Attributes {
    fn read(event: &Value) -> Option<Self> {
        let attribute = |attribute: &Value| {
            let text = |name: &str| match attribute.get(name) {
                None | Some(Value::Null) => Some(String::new()),
                Some(text) => text.as_str().map(str::to_owned),
            };
            Some((text("key")?, text("value")?))
        };
        let plain = event.get("attributes")?.as_array()?.iter().map(attribute).collect::<Option<Vec<_>>>()?;
        Some(Self(decoded(&plain).unwrap_or(plain)))
    }

    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(key, _)| key == name)
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Hands on the coins of an event of the bank, if it is about the account. `None` if they cannot be read.
    fn coins(&self, account: &Account, who: &str, mut each: impl FnMut(Asset, Amount)) -> Option<()> {
        if self.get(who) != Some(&account.address) {
            return Some(());
        }
        for coin in self.get("amount")?.split(',').filter(|coin| !coin.is_empty()) {
            let digits = coin.bytes().take_while(u8::is_ascii_digit).count();
            let (number, denom) = coin.split_at_checked(digits)?;
            each(asset(account.chain, denom)?, amount::parse("amount", number).ok()?);
        }
        Some(())
    }

    /// Adds what CW20 contracts say of the account. The contracts of one message may share an event: each begins with its
    /// address. A contract may emit what it likes, so what cannot be read says nothing.
    fn tokens(&self, account: &Account, sums: &mut Sums) {
        let starts = self.0.iter().enumerate().filter(|(_, (key, _))| key == "_contract_address");
        for (start, (_, contract)) in starts {
            let rest = self.0.get(start + 1..).unwrap_or_default();
            let end = rest.iter().position(|(key, _)| key == "_contract_address").unwrap_or(rest.len());
            let part = Self(rest.get(..end).unwrap_or_default().to_vec());
            let amount = part.get("amount").and_then(|text| amount::parse("amount", text).ok());
            if let (Some(asset), Some(amount), true) = (named(contract), amount, part.moves()) {
                let own = |name| part.get(name) == Some(&account.address);
                sums.moved(&asset, amount, own("from"), own("to"));
            }
        }
    }

    /// Whether a CW20 contract says that tokens moved.
    fn moves(&self) -> bool {
        let moves = ["transfer", "transfer_from", "send", "send_from", "mint", "burn", "burn_from"];
        self.get("action").is_some_and(|action| moves.contains(&action))
    }
}

/// The same in plain text, if all names are base64 of a name.
fn decoded(attributes: &[(String, String)]) -> Option<Vec<(String, String)>> {
    let text = |text: &String| String::from_utf8(encoding::from_base64("attributes", text).ok()?).ok();
    let name = |key: &String| {
        let name = text(key)?;
        let is_name =
            name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_' || byte.is_ascii_digit());
        (is_name && !name.is_empty()).then_some(name)
    };
    attributes.iter().map(|(key, value)| Some((name(key)?, text(value)?))).collect()
}

#[cfg(test)]
mod tests;
