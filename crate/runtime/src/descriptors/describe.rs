//! What descriptors say of what is to be signed.

use super::{Found, any, compare, find};
use crate::Core;
use crate::later::later;
use crate::store::StoreError;
use serde_json::Value;
use std::collections::BTreeSet;
use wire::bundle::{Decoded, Step};
use wire::descriptor::{
    CallData, Described, Description, DescriptionDiagnostic, DescriptionOutcome, DescriptorError, Known,
    KnownName, KnownToken, NameSource, Place, Reply, Request,
};
use wire::explain::Explanation;
use wire::signer::TokenName;

/// How often more descriptors are looked up, for calls inside calls.
const ROUNDS: usize = 4;

/// Adds to every transaction of a bundle what a descriptor says of it. The calls that the signer gave for this are taken out:
/// they are in the bytes.
pub(crate) async fn describe_steps(
    core: &Core,
    steps: &mut [Step],
    tokens: &[TokenName],
) -> Result<(), StoreError> {
    let mut calls = Vec::new();
    for decoded in steps.iter_mut().flat_map(|step| &mut step.transactions) {
        if let Some(call) = decoded.call.take() {
            calls.push((decoded, *call));
        }
    }
    if calls.is_empty() || !any(core).await? {
        return Ok(());
    }
    later(core, describe_calls(core, calls, tokens)).await
}

async fn describe_calls(
    core: &Core,
    calls: Vec<(&mut Decoded, CallData)>,
    tokens: &[TokenName],
) -> Result<(), StoreError> {
    for (decoded, call) in calls {
        let place = Place { chain_id: call.chain_id, address: call.to.to_ascii_lowercase() };
        let found = find(core, &[key("call", &place)]).await?;
        if found.is_empty() {
            continue;
        }
        let known = known(&decoded.explanation, tokens);
        let ask = |descriptors, known| Request::Call { call: call.clone(), descriptors, known };
        let description = describe(core, found, known, ask).await?;
        decoded.description = description.map(|description| compared(description, &decoded.explanation));
    }
    Ok(())
}

/// Adds to typed data (EIP-712) that an account would sign what a descriptor says of it. `typed_data` is the JSON text of
/// `{types, primaryType, domain, message}`; what it becomes in `decoded` stays as it is.
pub(crate) async fn describe_typed_data(
    core: &Core,
    typed_data: &str,
    account: &str,
    decoded: &mut Decoded,
    tokens: &[TokenName],
) -> Result<(), StoreError> {
    if !any(core).await? {
        return Ok(());
    }
    later(core, describe_message(core, typed_data, account, decoded, tokens)).await
}

async fn describe_message(
    core: &Core,
    typed_data: &str,
    account: &str,
    decoded: &mut Decoded,
    tokens: &[TokenName],
) -> Result<(), StoreError> {
    let Ok(data) = wire::json::parse(typed_data) else { return Ok(()) };
    let mut keys = vec!["typed/*".to_owned()];
    if let Some(place) = data.get("domain").and_then(place) {
        keys.push(key("typed", &place));
    }
    let found = find(core, &keys).await?;
    if found.is_empty() {
        return Ok(());
    }
    let ask = |descriptors, known| Request::TypedData {
        data: data.clone(),
        from: account.to_owned(),
        descriptors,
        known,
    };
    let description = describe(core, found, known(&decoded.explanation, tokens), ask).await?;
    decoded.description = description.map(|description| compared(description, &decoded.explanation));
    Ok(())
}

fn compared(mut description: Description, explanation: &Explanation) -> Box<Description> {
    compare::compare(explanation, &mut description);
    Box::new(description)
}

/// The chain and the contract of a domain, the chain by its number or by the salt.
fn place(domain: &Value) -> Option<Place> {
    let chain_id = match domain.get("chainId").or_else(|| domain.get("salt"))? {
        Value::Number(number) => number.as_u64()?,
        Value::String(text) => match text.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits.trim_start_matches('0'), 16).ok()?,
            None => text.parse().ok()?,
        },
        _ => return None,
    };
    let address = domain.get("verifyingContract")?.as_str()?.to_ascii_lowercase();
    Some(Place { chain_id, address })
}

fn key(kind: &str, Place { chain_id, address }: &Place) -> String {
    format!("{kind}/{chain_id}/{address}")
}

/// What the wallet knows itself: the user's tokens, and names of our own table.
fn known(explanation: &Explanation, tokens: &[TokenName]) -> Known {
    let chain = chains::Chain::parse(&explanation.chain);
    let chain_id = chain.and_then(chains::Chain::evm_id);
    let own = |token: &&TokenName| !token.by_agent && chains::Chain::parse(&token.chain) == chain;
    let token = |token: &TokenName| KnownToken {
        chain_id,
        address: token.id.clone(),
        symbol: token.ticker.clone(),
        decimals: token.decimals,
        name: None,
    };
    let named = explanation.parties.iter().filter_map(|party| {
        let name = party.name.clone()?;
        Some(KnownName { address: party.address.clone(), name, source: NameSource::Local })
    });
    Known { table: true, tokens: tokens.iter().filter(own).map(token).collect(), names: named.collect() }
}

/// Asks the module, with the descriptors of calls inside calls as far as it wants them.
async fn describe(
    core: &Core,
    mut found: Vec<Found>,
    known: Known,
    ask: impl Fn(Vec<Value>, Known) -> Request,
) -> Result<Option<Description>, StoreError> {
    let mut looked_up: BTreeSet<String> = BTreeSet::new();
    let mut rounds = ROUNDS;
    let outcome = loop {
        let documents = found.iter().map(|found| found.document.clone()).collect();
        let described = match core.ports.clear.ask(ask(documents, known.clone())).await {
            Ok(Reply::Described(described)) => described,
            Ok(_) => break Err(DescriptorError::unavailable()),
            Err(error) => break Err(error),
        };
        let calls = described.wanted.calls.iter().map(|place| key("call", place));
        let wanted: Vec<String> = calls.filter(|key| looked_up.insert(key.clone())).collect();
        rounds = rounds.saturating_sub(1);
        if wanted.is_empty() || rounds == 0 {
            break Ok(described);
        }
        let more = find(core, &wanted).await?;
        let is_new = |other: &Found| !found.iter().any(|known| known.key == other.key);
        let more: Vec<Found> = more.into_iter().filter(is_new).collect();
        if more.is_empty() {
            break Ok(described);
        }
        found.extend(more);
    };
    Ok(description(&found, outcome))
}

fn description(found: &[Found], outcome: Result<Described, DescriptorError>) -> Option<Description> {
    let (described, by) = match outcome {
        Ok(described) => {
            let by = described.by.and_then(|by| found.get(usize::try_from(by).ok()?));
            // None has a format for this function: there is nothing that anybody says.
            let silent = ["format_not_found", "descriptor_not_found"];
            let is_silent = |diagnostic: &DescriptionDiagnostic| silent.contains(&diagnostic.code.as_str());
            if described.rendering.is_none() && described.diagnostics.iter().any(is_silent) {
                return None;
            }
            (described, by)
        }
        Err(DescriptorError { code, message, .. }) => {
            let diagnostics = vec![DescriptionDiagnostic { code, message }];
            let outcome = DescriptionOutcome::Failure;
            (Described { by: None, outcome, rendering: None, diagnostics, wanted: Default::default() }, None)
        }
    };
    let by = by.or_else(|| found.first())?;
    Some(Description {
        pack: by.pack.name.clone(),
        digest: by.pack.digest.clone(),
        file: by.path.clone(),
        outcome: described.outcome,
        rendering: described.rendering,
        diagnostics: described.diagnostics,
        contradictions: Vec::new(),
    })
}
