//! What a page proposes as its session, in both shapes of CAIP-25, and what it is answered.
//!
//! Earlier: `{requiredScopes?, optionalScopes?, scopedProperties?, sessionProperties?}` → `{sessionScopes, sessionProperties}`.
//! Current: `{scopes, properties?, scopedProperties?}` → `{scopes, properties}`.
//!
//! Scopes of chains that this wallet does not have are left out of the answer; if none is left, the request is refused before
//! the user is asked. So are methods and notifications that it does not have. A required scope is refused for any of these.

use super::no_session_id;
use super::scope::{Scope, chain_of, has_method, methods_of, notifications_of, scope_of};
use crate::connection::{Grant, is_offered};
use crate::dapp::error::RpcError;
use crate::dapp::params::no_others;
use chains::Chain;
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
    no_session_id(fields)?;
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
        Some(_) => Err(RpcError::ScopedProperties),
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
        let scope = Scope::parse(key).ok_or_else(|| RpcError::invalid(at.clone(), "is not a scope"))?;
        let wanted = read_scope(&at, value)?;
        // `wallet:eip155` is of the wallet, and of no chain.
        if scope.namespace == "wallet" {
            continue;
        }
        let named = match (scope.reference, &wanted.references) {
            (Some(_), Some(_)) => {
                let problem = "is for scopes of a whole namespace";
                return Err(RpcError::invalid(format!("{at}/references"), problem));
            }
            (Some(_), None) => vec![scope.chain()],
            // Without references it is of no chain: it does not stand for all of the namespace.
            (None, references) => {
                let references = references.iter().flatten();
                references.map(|reference| chain_of(scope.namespace, reference)).collect()
            }
        };
        if required {
            wanted.check_required(&named)?;
        }
        for chain in named.into_iter().flatten().filter(|chain| is_offered(*chain)) {
            if !chains.contains(&chain) {
                chains.push(chain);
            }
        }
    }
    Ok(())
}

/// What a scope object asks for.
struct Wanted<'a> {
    references: Option<Vec<&'a str>>,
    methods: Vec<&'a str>,
    notifications: Vec<&'a str>,
}

impl Wanted<'_> {
    /// A required scope is granted with all that it has, or not at all.
    fn check_required(&self, chains: &[Option<Chain>]) -> Result<(), RpcError> {
        for chain in chains {
            let chain = chain.filter(|chain| is_offered(*chain)).ok_or(RpcError::ScopesUnsupported)?;
            if let Some(method) = self.methods.iter().find(|method| !has_method(chain, method)) {
                return Err(match is_known(method) {
                    true => RpcError::MethodsUnsupported(cut(method)),
                    false => RpcError::MethodsUnknown(cut(method)),
                });
            }
            let sent = notifications_of(chain);
            if let Some(name) = self.notifications.iter().find(|name| !sent.contains(*name)) {
                return Err(match OTHER_NOTIFICATIONS.contains(name) {
                    true => RpcError::NotificationsUnsupported(cut(name)),
                    false => RpcError::NotificationsUnknown(cut(name)),
                });
            }
        }
        Ok(())
    }
}

/// Notifications of other wallets.
const OTHER_NOTIFICATIONS: &[&str] =
    &["accountsChanged", "chainChanged", "connect", "disconnect", "eth_subscription", "message"];

/// Whether a method is one of those that wallets and nodes have, by what it begins with.
fn is_known(method: &str) -> bool {
    const FAMILIES: &[&str] = &["eth_", "net_", "personal_", "sign", "solana_", "sui_", "wallet_", "web3_"];
    FAMILIES.iter().any(|family| method.starts_with(family))
}

/// A name of the page's own, in an error.
fn cut(name: &str) -> String {
    name.chars().filter(|letter| !letter.is_control()).take(100).collect()
}

/// Checks a scope object. Members that are not known are ignored, as CAIP-217 says.
fn read_scope<'a>(at: &str, value: &'a Value) -> Result<Wanted<'a>, RpcError> {
    let Value::Object(fields) = value else { return Err(RpcError::invalid(at, "must be an object")) };
    if fields.contains_key("scopedProperties") {
        return Err(RpcError::ScopedPropertiesElsewhere);
    }
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
    names("accounts", MAX_NAMES)?;
    // Older pages name chains in full.
    let references = match names("references", MAX_SCOPES)? {
        Some(references) => Some(references),
        None => {
            let chains = names("chains", MAX_SCOPES)?;
            let reference = |chain: &'a str| chain.split_once(':').map_or(chain, |(_, reference)| reference);
            chains.map(|chains| chains.into_iter().map(reference).collect())
        }
    };
    let methods = names("methods", MAX_NAMES)?.unwrap_or_default();
    let notifications = names("notifications", MAX_NAMES)?.unwrap_or_default();
    Ok(Wanted { references, methods, notifications })
}

/// A grant as scopes, each with the account, the methods and the notifications of its chain.
pub(in crate::dapp) fn scopes(grant: &Grant, vault: &Vault) -> Map<String, Value> {
    let mut scopes = Map::new();
    for chain in grant.chains.iter().filter_map(|name| Chain::parse(name)) {
        let (Some(scope), Some(account)) = (scope_of(chain), vault.account(chain.name())) else { continue };
        let list = |names: &[&str]| names.iter().map(|name| Value::from(*name)).collect::<Vec<_>>();
        let mut fields = Map::new();
        fields.insert("methods".to_owned(), list(methods_of(chain)).into());
        fields.insert("notifications".to_owned(), list(notifications_of(chain)).into());
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
            (json!({"scopes": {"wallet:not a scope": {}}}), -32_602),
            (json!({"scopes": {"eip155": {}}}), 5_100),
            (json!({"scopes": {"eip155": {"references": []}}}), 5_100),
            (json!({"scopes": {"wallet": {}, "wallet:eip155": {}}}), 5_100),
            (json!({"requiredScopes": {"eip155:1": {"methods": ["eth_sign"]}}}), 5_101),
            (json!({"requiredScopes": {"eip155:1": {"methods": ["eth_subscribe"]}}}), 5_101),
            (json!({"requiredScopes": {"eip155:1": {"notifications": ["eth_subscription"]}}}), 5_102),
            (json!({"requiredScopes": {"eip155:1": {"methods": ["made_up"]}}}), 5_201),
            (json!({"requiredScopes": {"solana:mainnet": {"methods": ["get_balance"]}}}), 5_201),
            (json!({"requiredScopes": {"eip155:1": {"notifications": ["made_up"]}}}), 5_202),
            (json!({"scopedProperties": 7, "scopes": {"eip155:1": {}}}), 5_300),
            (json!({"scopedProperties": {"eip155:1": 7}, "scopes": {"eip155:1": {}}}), 5_300),
            (json!({"scopes": {"eip155:1": {"scopedProperties": {}}}}), 5_301),
            (json!({"sessionId": "0xdeadbeef", "scopes": {"eip155:1": {}}}), 5_500),
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
