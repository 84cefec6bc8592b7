//! A trial run on a Solana node: what the accounts hold that the transaction writes (`getMultipleAccounts`), and what they
//! hold after it (`simulateTransaction` with `accounts`). A node runs one transaction at a time, so only the first of
//! several is run.
//!
//! Of the accounts those count that are the vault's: its own, whose lamports are the native coin, and those of a token
//! program whose owner it is, before or after. An account that gets another owner is a loss. What a lookup table names
//! is not known here.
//!
//! ```text
//! token account = mint (32 bytes) ‖ owner (32) ‖ amount (u64, little endian) ‖ …, 165 bytes or more
//! ```

use super::message::{Key, Message};
use super::{Envelope, Slots, base58, explain, program};
use crate::explain::Asset;
use crate::facts::Facts;
use crate::reader::Reader;
use crate::rpc::solana::failure_name;
use crate::rpc::trial::{Ran, Sums, Trial, no_run, unusable};
use crate::rpc::{Request, Response};
use crate::transaction::Account;
use crate::{Amount, encoding};
use serde_json::{Value, json};
use wire::trial::TrialGap;

/// The length of a token account without extensions.
const TOKEN_ACCOUNT: usize = 165;

pub(super) fn ask(envelope: &Envelope) -> Vec<Request> {
    let written: Vec<String> = written(&envelope.message).map(base58).collect();
    let held = json!([written, { "encoding": "base64", "commitment": "processed" }]);
    let slots = Slots { signatures: envelope.signatures.clone(), message: envelope.message.clone() };
    let options = json!({
        "encoding": "base64",
        "commitment": "processed",
        "sigVerify": false,
        "replaceRecentBlockhash": true,
        "accounts": { "encoding": "base64", "addresses": written },
    });
    vec![
        Request::json_rpc("getMultipleAccounts", &held),
        Request::json_rpc("simulateTransaction", &json!([encoding::base64(&slots.encode()), options])),
    ]
}

pub(super) fn read(envelope: &Envelope, account: &Account, later: usize, answers: &[Response]) -> Trial {
    let [before, after] = answers else { return Trial::UNREADABLE };
    for answer in [before, after] {
        let Some(answer) = answer.answer() else { return unusable(Some(answer)) };
        if let Some(error) = answer.get("error").filter(|error| !error.is_null()) {
            return no_run(error);
        }
    }
    outcome(envelope, account, later, before, after).unwrap_or(Trial::UNREADABLE)
}

fn outcome(
    envelope: &Envelope,
    account: &Account,
    later: usize,
    before: &Response,
    after: &Response,
) -> Option<Trial> {
    let (before, after) = (before.result()?, after.result()?);
    let (before, after) = (before.get("value")?.as_array()?, after.get("value")?);
    let message = &envelope.message;
    let stated = explain::explain(message, account, Facts::default()).fee.known();
    let own = super::key(account).ok()?;
    let pays = message.payer() == Some(&own);
    // Newer nodes say what the run cost.
    let fee = after.get("fee").and_then(Value::as_u64).map(Amount::from).or(stated);
    let failure = after.get("err").filter(|err| !err.is_null());
    if let Some(failure) = failure {
        let logs = after.get("logs").and_then(Value::as_array);
        let last = logs.and_then(|logs| logs.last()?.as_str()).map(|line| format!(", {line}"));
        let reason = format!("{}{}", failure_name(failure), last.unwrap_or_default());
        return Some(Trial::Ran(Ran::new(Sums::default(), fee, 1).failing(0, &reason)));
    }
    let after = after.get("accounts")?.as_array()?;
    let keys: Vec<&Key> = written(message).collect();
    if before.len() != keys.len() || after.len() != keys.len() {
        return None;
    }
    let mut sums = Sums::default();
    for (key, (before, after)) in keys.into_iter().zip(before.iter().zip(after)) {
        let (before, after) = (Held::read(before)?, Held::read(after)?);
        if *key == own {
            let paid = fee.filter(|_| pays).unwrap_or_default();
            sums.lose(Asset::Native, Amount::from(before.lamports));
            // What is left, and the fee that was taken from it.
            sums.gain(Asset::Native, Amount::from(after.lamports).saturating_add(paid));
        }
        if let Some((mint, amount)) = before.tokens_of(&own) {
            sums.lose(mint, amount);
        }
        if let Some((mint, amount)) = after.tokens_of(&own) {
            sums.gain(mint, amount);
        }
    }
    let mut trial = Trial::of_first(sums, fee, later);
    if let Trial::Ran(ran) = &mut trial
        && message.lookups.iter().any(|lookup| !lookup.writable.is_empty())
    {
        ran.gaps.push(TrialGap::TableAccounts);
    }
    Some(trial)
}

/// The accounts that the message names and writes: at most as many as fit into a transaction.
fn written(message: &Message) -> impl Iterator<Item = &Key> {
    let signers = usize::from(message.header.signers);
    let written_signers = signers.saturating_sub(usize::from(message.header.readonly_signers));
    let written_others = message.keys.len().saturating_sub(usize::from(message.header.readonly_others));
    let keys = message.keys.iter().enumerate();
    keys.filter(move |(place, _)| *place < written_signers || (signers..written_others).contains(place))
        .map(|(_, key)| key)
}

/// What an account holds.
struct Held {
    lamports: u64,
    program: Option<Key>,
    data: Vec<u8>,
}

impl Held {
    /// `null` is an account that is not there.
    fn read(account: &Value) -> Option<Self> {
        if account.is_null() {
            return Some(Self { lamports: 0, program: None, data: Vec::new() });
        }
        let data = account.get("data")?;
        if data.get(1)?.as_str()? != "base64" {
            return None;
        }
        let mut program = Key::default();
        bs58::decode(account.get("owner")?.as_str()?).onto(&mut program).ok()?;
        Some(Self {
            lamports: account.get("lamports")?.as_u64()?,
            program: Some(program),
            data: encoding::from_base64("data", data.get(0)?.as_str()?).ok()?,
        })
    }

    /// The mint and the amount, if it is a token account of `owner`.
    fn tokens_of(&self, owner: &Key) -> Option<(Asset, Amount)> {
        let of_tokens = [Some(program::TOKEN), Some(program::TOKEN_2022)].contains(&self.program);
        if !of_tokens || self.data.len() < TOKEN_ACCOUNT {
            return None;
        }
        let mut reader = Reader::new("data", &self.data);
        let (mint, found): (Key, Key) = (reader.array().ok()?, reader.array().ok()?);
        let amount = u64::from_le_bytes(reader.array().ok()?);
        (found == *owner).then(|| (Asset::Token { id: base58(&mint) }, Amount::from(amount)))
    }
}

#[cfg(test)]
mod tests;
