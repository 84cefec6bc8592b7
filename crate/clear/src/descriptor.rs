//! A descriptor: the document with its includes merged, what it is bound to, and what it refers to inside of itself.

use crate::path::{Path, Root};
use crate::typed::TypedData;
use crate::value;
use serde_json::{Map, Value as Json};

/// A descriptor whose includes are merged.
#[derive(Clone, Copy)]
pub(crate) struct Descriptor<'a>(pub(crate) &'a Json);

impl<'a> Descriptor<'a> {
    /// What a path leads to in it.
    pub(crate) fn at(self, path: &Path) -> Option<&'a Json> {
        if path.root != Root::Descriptor {
            return None;
        }
        path.names()?.into_iter().try_fold(self.0, |value, name| value.get(name))
    }

    /// A text of `metadata`.
    pub(crate) fn metadata(self, name: &str) -> Option<String> {
        self.0.get("metadata")?.get(name)?.as_str().map(str::to_owned)
    }

    /// Keys and formats.
    pub(crate) fn formats(self) -> Option<&'a Map<String, Json>> {
        self.0.get("display")?.get("formats")?.as_object()
    }

    fn deployments(self, kind: &str) -> Option<Vec<(u64, [u8; 20])>> {
        let deployments = self.0.get("context")?.get(kind)?.get("deployments")?.as_array()?;
        let deployment = |deployment: &Json| {
            let chain = match deployment.get("chainId")? {
                Json::String(text) => text.parse().ok()?,
                number => number.as_u64()?,
            };
            Some((chain, value::address(deployment.get("address")?.as_str()?)?))
        };
        Some(deployments.iter().filter_map(deployment).collect())
    }

    /// Whether it may speak of calls of this contract.
    pub(crate) fn covers_call(self, chain_id: u64, contract: &[u8; 20]) -> bool {
        self.deployments("contract").is_some_and(|places| places.contains(&(chain_id, *contract)))
    }

    /// Whether it may speak of this message: every constraint that it names is met, and it names one.
    pub(crate) fn covers_message(self, data: &TypedData) -> bool {
        let Some(context) = self.0.get("context").and_then(|context| context.get("eip712")) else {
            return false;
        };
        let mut bound = false;
        if let Some(deployments) = self.deployments("eip712") {
            let place = data.chain_id().zip(data.contract());
            if !place.is_some_and(|place| deployments.contains(&place)) {
                return false;
            }
            bound = true;
        }
        if let Some(domain) = context.get("domain").and_then(Json::as_object) {
            if !domain.iter().all(|(name, wanted)| same_text(data.domain.get(name), wanted)) {
                return false;
            }
            bound = bound || domain.contains_key("verifyingContract") || domain.contains_key("name");
        }
        if let Some(separator) = context.get("domainSeparator").and_then(Json::as_str) {
            let wanted = chains::encoding::from_hex("separator", separator).ok();
            if data.separator.is_none_or(|found| wanted.as_deref() != Some(&found)) {
                return false;
            }
            bound = true;
        }
        bound
    }

    /// Where it is looked up in a store of descriptors.
    pub(crate) fn keys(self) -> Vec<String> {
        let mut keys = Vec::new();
        for (kind, prefix) in [("contract", "call"), ("eip712", "typed")] {
            match self.deployments(kind) {
                Some(places) => {
                    keys.extend(places.iter().map(|(chain, address)| {
                        format!("{prefix}/{chain}/{}", value::plain_address(address))
                    }))
                }
                None => {
                    if kind == "eip712"
                        && self.0.get("context").is_some_and(|context| context.get(kind).is_some())
                    {
                        keys.push("typed/*".to_owned());
                    }
                }
            }
        }
        keys.sort();
        keys.dedup();
        keys
    }
}

/// Whether a value of a domain is what a descriptor wants; numbers may be texts, addresses in any case.
fn same_text(found: Option<&Json>, wanted: &Json) -> bool {
    let text = |json: &Json| match json {
        Json::String(text) => Some(text.clone()),
        Json::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let Some((found, wanted)) = found.and_then(text).zip(text(wanted)) else { return false };
    let address = |text: &str| value::address(text);
    found == wanted || address(&found).is_some_and(|found| address(&wanted) == Some(found))
}

/// Merges a document into the one that it includes: what both have is taken from the including one, and fields are one
/// where they have the same path.
pub(crate) fn merge(included: &mut Json, including: Json) {
    match (included, including) {
        (Json::Object(included), Json::Object(including)) => {
            for (name, value) in including {
                match included.get_mut(&name) {
                    Some(Json::Array(fields)) if name == "fields" => merge_fields(fields, value),
                    Some(found) => merge(found, value),
                    None => {
                        included.insert(name, value);
                    }
                }
            }
        }
        (included, including) => *included = including,
    }
}

fn merge_fields(included: &mut Vec<Json>, including: Json) {
    let Json::Array(including) = including else { return };
    for field in including {
        let path = field.get("path").and_then(Json::as_str);
        let same = |other: &&mut Json| path.is_some() && other.get("path").and_then(Json::as_str) == path;
        match included.iter_mut().find(same) {
            Some(found) => merge(found, field),
            None => included.push(field),
        }
    }
}
