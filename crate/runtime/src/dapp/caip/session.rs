//! What a page proposes as its session, in both shapes of CAIP-25, and what it is answered.
//!
//! Earlier: `{requiredScopes?, optionalScopes?, scopedProperties?, sessionProperties?}` → `{sessionScopes, sessionProperties}`.
//! Current: `{scopes, properties?, scopedProperties?}` → `{scopes, properties}`.
//!
//! Scopes of chains that this wallet does not have are left out of the answer; if none is left, the request is refused before
//! the user is asked. So are methods and notifications that it does not have.

use super::scope::{Scope, chain_of, methods_of, scope_of};
use crate::connection::{Grant, is_offered};
use crate::dapp::error::RpcError;
use crate::dapp::params::no_others;
use chains::{Chain, Kind};
use serde_json::{Map, Value};
use wire::vault::Vault;

/// Scopes that a request may have, and references that a scope may have.
const MAX_SCOPES: usize = 100;
/// Methods and notifications of a scope.
const MAX_NAMES: usize = 200;

/// Which of the two shapes a request has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// With `sessionScopes`.
    Earlier,
    /// With `scopes`.
    Current,
}

/// What a page proposes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Proposal {
    pub(super) shape: Shape,
    /// Those of this wallet.
    pub(super) chains: Vec<Chain>,
}

/// Reads a request.
pub(super) fn proposal(params: &Value) -> Result<Proposal, RpcError> {
    let fields = match params {
        Value::Object(fields) => fields,
        Value::Array(values) => match values.as_slice() {
            [Value::Object(fields)] => fields,
            _ => return Err(RpcError::invalid("", "must be an object")),
        },
        _ => return Err(RpcError::invalid("", "must be an object")),
    };
    let shape = if fields.contains_key("scopes") { Shape::Current } else { Shape::Earlier };
    let known: &[&str] = match shape {
        Shape::Current => &["scopes", "properties", "scopedProperties", "sessionId"],
        Shape::Earlier => {
            &["requiredScopes", "optionalScopes", "scopedProperties", "sessionProperties", "sessionId"]
        }
    };
    no_others("", fields, known)?;
    properties(fields)?;
    let mut chains = Vec::new();
    let names: &[(&str, bool)] = match shape {
        Shape::Current => &[("scopes", false)],
        Shape::Earlier => &[("requiredScopes", true), ("optionalScopes", false)],
    };
    let mut any = false;
    for (name, required) in names {
        match fields.get(*name) {
            None | Some(Value::Null) => {}
            Some(Value::Object(scopes)) => {
                any |= !scopes.is_empty();
                read_scopes(name, scopes, *required, &mut chains)?;
            }
            Some(_) => return Err(RpcError::invalid(format!("/{name}"), "must be an object")),
        }
    }
    if !any {
        let (first, _) = names.last().copied().unwrap_or_default();
        return Err(RpcError::invalid(format!("/{first}"), "must have at least one scope"));
    }
    match chains.is_empty() {
        true => Err(RpcError::ScopesUnsupported),
        false => Ok(Proposal { shape, chains }),
    }
}

/// Properties are objects; an empty one is no property (5302). What they hold is not used.
fn properties(fields: &Map<String, Value>) -> Result<(), RpcError> {
    for name in ["properties", "sessionProperties"] {
        match fields.get(name) {
            None | Some(Value::Null) => {}
            Some(Value::Object(properties)) if !properties.is_empty() || name == "properties" => {}
            Some(_) => return Err(RpcError::SessionProperties),
        }
    }
    match fields.get("scopedProperties") {
        None | Some(Value::Null) => Ok(()),
        Some(Value::Object(scoped)) if scoped.values().all(Value::is_object) => Ok(()),
        Some(_) => Err(RpcError::invalid("/scopedProperties", "must be an object of objects")),
    }
}

fn read_scopes(
    name: &str,
    scopes: &Map<String, Value>,
    required: bool,
    chains: &mut Vec<Chain>,
) -> Result<(), RpcError> {
    if scopes.len() > MAX_SCOPES {
        return Err(RpcError::invalid(format!("/{name}"), "has more scopes than there are chains"));
    }
    for (key, value) in scopes {
        let shown: String = key.chars().take(100).collect();
        let at = format!("/{name}/{shown}");
        // `wallet:eip155` is of the wallet, and of no chain.
        if key == "wallet" || key.starts_with("wallet:") {
            read_scope(&at, value)?;
            continue;
        }
        let scope = Scope::parse(key).ok_or_else(|| RpcError::invalid(at.clone(), "is not a scope"))?;
        let references = read_scope(&at, value)?;
        let named: Vec<Option<Chain>> = match (scope.reference, references) {
            (Some(_), Some(_)) => {
                return Err(RpcError::invalid(
                    format!("{at}/references"),
                    "is for scopes of a whole namespace",
                ));
            }
            (Some(_), None) => vec![scope.chain()],
            (None, references) => {
                let references = references.unwrap_or_default();
                references.iter().map(|reference| chain_of(scope.namespace, reference)).collect()
            }
        };
        if required && named.iter().any(Option::is_none) {
            return Err(RpcError::ScopesUnsupported);
        }
        for chain in named.into_iter().flatten().filter(|chain| is_offered(*chain)) {
            if !chains.contains(&chain) {
                chains.push(chain);
            }
        }
    }
    Ok(())
}

/// Checks a scope object; its references. Members that are not known are ignored, as CAIP-217 says.
fn read_scope<'a>(at: &str, value: &'a Value) -> Result<Option<Vec<&'a str>>, RpcError> {
    let Value::Object(fields) = value else { return Err(RpcError::invalid(at, "must be an object")) };
    let names = |name: &str, most: usize| -> Result<Option<Vec<&'a str>>, RpcError> {
        let at = format!("{at}/{name}");
        let values = match fields.get(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::Array(values)) if values.len() <= most => values,
            Some(Value::Array(_)) => {
                return Err(RpcError::invalid(at, format!("has more than {most} entries")));
            }
            Some(_) => return Err(RpcError::invalid(at, "must be an array")),
        };
        let read = |(index, value): (usize, &'a Value)| {
            value.as_str().ok_or_else(|| RpcError::invalid(format!("{at}/{index}"), "must be a string"))
        };
        values.iter().enumerate().map(read).collect::<Result<_, _>>().map(Some)
    };
    names("methods", MAX_NAMES)?;
    names("notifications", MAX_NAMES)?;
    names("accounts", MAX_NAMES)?;
    // Older pages name chains in full.
    match names("references", MAX_SCOPES)? {
        Some(references) => Ok(Some(references)),
        None => {
            let chains = names("chains", MAX_SCOPES)?;
            let reference = |chain: &'a str| chain.split_once(':').map_or(chain, |(_, reference)| reference);
            Ok(chains.map(|chains| chains.into_iter().map(reference).collect()))
        }
    }
}

/// A grant as scopes, each with the account, the methods and the notifications of its chain.
pub(in crate::dapp) fn scopes(grant: &Grant, vault: &Vault) -> Map<String, Value> {
    let mut scopes = Map::new();
    for chain in grant.chains.iter().filter_map(|name| Chain::parse(name)) {
        let (Some(scope), Some(account)) = (scope_of(chain), vault.account(chain.name())) else { continue };
        let list = |names: &[&str]| names.iter().map(|name| Value::from(*name)).collect::<Vec<_>>();
        let notifications: &[&str] = match chain.kind() {
            Kind::Evm => &["accountsChanged", "chainChanged"],
            _ => &[],
        };
        let mut fields = Map::new();
        fields.insert("methods".to_owned(), list(methods_of(chain)).into());
        fields.insert("notifications".to_owned(), list(notifications).into());
        let account = Value::from([&scope, ":", &account.address].concat());
        fields.insert("accounts".to_owned(), Value::Array(vec![account]));
        scopes.insert(scope, Value::Object(fields));
    }
    scopes
}

/// Scopes as the answer to a request of a shape.
pub(super) fn answer(shape: Shape, scopes: Map<String, Value>) -> Value {
    let (scopes_name, properties) = match shape {
        Shape::Earlier => ("sessionScopes", "sessionProperties"),
        Shape::Current => ("scopes", "properties"),
    };
    let mut answer = Map::new();
    answer.insert(scopes_name.to_owned(), Value::Object(scopes));
    answer.insert(properties.to_owned(), Value::Object(Map::new()));
    Value::Object(answer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn scope() -> Value {
        json!({"methods": ["eth_call", "not_supported"], "notifications": []})
    }

    #[test]
    fn both_shapes_are_read() {
        let chains = |params: Value| proposal(&params).map(|proposal| (proposal.shape, proposal.chains));
        let earlier = json!({"requiredScopes": {"eip155": {"references": ["1", "8453"], "methods": []}},
            "optionalScopes": {"solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp": scope(), "eip155:1337": scope(), "wallet": {}},
            "sessionProperties": {"expiry": "x"}});
        assert_eq!(chains(earlier), Ok((Shape::Earlier, vec![Chain::Ethereum, Chain::Base, Chain::Solana])));
        let current =
            json!({"scopes": {"eip155:10": scope(), "cosmos:cosmoshub-4": scope()}, "properties": {}});
        assert_eq!(chains(current), Ok((Shape::Current, vec![Chain::Optimism])));
        let oldest = json!({"optionalScopes": {"eip155": {"chains": ["eip155:1", "eip155:137"]}}});
        assert_eq!(chains(oldest), Ok((Shape::Earlier, vec![Chain::Ethereum, Chain::Polygon])));
    }

    #[test]
    fn refusals_have_their_codes() {
        for (bad, code) in [
            (json!(null), -32_602),
            (json!([]), -32_602),
            (json!({}), -32_602),
            (json!({"optionalScopes": {}}), -32_602),
            (json!({"optionalScopes": []}), -32_602),
            (json!({"optionalScopes": {"eip155:1": 7}}), -32_602),
            (json!({"optionalScopes": {"not a scope": {}}}), -32_602),
            (json!({"optionalScopes": {"eip155:1": {"methods": "x"}}}), -32_602),
            (json!({"optionalScopes": {"eip155:1": {"methods": [7]}}}), -32_602),
            (json!({"optionalScopes": {"eip155:1": {"references": ["1"]}}}), -32_602),
            (json!({"optionalScopes": {"eip155:1": {}}, "bogus": 1}), -32_602),
            (json!({"scopes": {"eip155:1": {}}, "optionalScopes": {}}), -32_602),
            (json!({"scopedProperties": 7, "scopes": {"eip155:1": {}}}), -32_602),
            (json!({"optionalScopes": {"eip155:1337": {}}}), 5_100),
            (json!({"requiredScopes": {"eip155:1": {}, "eip155:1337": {}}}), 5_100),
            (json!({"scopes": {"cosmos:cosmoshub-4": {}}}), 5_100),
            (json!({"optionalScopes": {"eip155:1": {}}, "sessionProperties": {}}), 5_302),
            (json!({"optionalScopes": {"eip155:1": {}}, "sessionProperties": 7}), 5_302),
        ] {
            assert_eq!(proposal(&bad).unwrap_err().code(), code, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn any_request_is_read_or_refused(key in "[a-z0-9:]{0,20}", name in "[a-zA-Z]{0,12}", number in any::<i32>()) {
            for value in [json!(number), json!({&key: number}), json!({&key: {&name: [number]}}), json!([key]), Value::Null] {
                for field in ["requiredScopes", "optionalScopes", "scopes", "sessionProperties", name.as_str()] {
                    let _ = proposal(&json!({field: value.clone()}));
                }
            }
        }
    }
}
