//! Tools: what a call resolves to. A tool says what it is ([`Definition`]), reads its parameters, reads the
//! store, and stages its writes; the pipeline asks, commits, records and delivers for all of them.

pub mod address_book;
pub mod coins;
mod error;

pub(crate) use error::resolve;
pub use error::{RequestError, ToolError};

use crate::bundle;
use crate::call::CallRow;
use crate::coins::{Coins, TokenFacts};
use crate::contacts::Contacts;
use crate::id::Ids;
use crate::ports::Signer;
use crate::store::{Batch, Store};
use serde_json::{Map, Value};
use wire::action::ActionResult;
use wire::address_book::AddedBy;
use wire::api::{Millis, Source};
use wire::failure::Failure;
use wire::json::{ToJson, to_value};

/// What a tool does to the world (specification 003).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Category {
    /// Looks only.
    Read,
    /// Changes records.
    Write,
    /// Removes records.
    Delete,
    /// Reaches beyond the wallet: sends, signs, calls.
    SideEffect,
}

/// How grave a mistake would be; independent of the category.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consequence {
    /// Easily undone.
    Low,
    /// Undone with effort.
    Medium,
    /// Not undone.
    High,
}

/// What the pipeline and the pages know of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Definition {
    /// The action type.
    pub name: &'static str,
    /// What it does and when to use it.
    pub description: &'static str,
    /// What it does to the world.
    pub category: Category,
    /// How grave a mistake would be.
    pub consequence: Consequence,
    /// Whether the user is always asked, also when the sender says not to.
    pub requires_confirmation: bool,
}

/// What a tool may touch.
pub struct Context<'a> {
    /// Records, for reading.
    pub store: &'a dyn Store,
    /// Which checks addresses.
    pub signer: &'a dyn Signer,
    /// Saved addresses.
    pub(crate) contacts: &'a Contacts,
    /// What the vaults hold.
    pub(crate) coins: &'a Coins,
    /// What the chains' nodes say of tokens.
    pub(crate) facts: TokenFacts<'a>,
    /// New ids.
    pub ids: &'a Ids,
    /// Who asks.
    pub added_by: AddedBy,
    /// The time of the call's run.
    pub now: Millis,
    /// The tool's writes, with what they rely on; committed together with the result.
    pub batch: Batch,
    /// Whether pages must read contacts, chains or tokens again.
    pub vault_modified: bool,
}

/// What a tool gives.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    data: Option<Value>,
    error: Option<Failure>,
}

impl Output {
    /// It worked.
    pub fn done(data: &dyn ToJson) -> Self {
        Self { data: Some(to_value(data)), error: None }
    }

    /// It did not, and there is nothing to show.
    pub fn failed(error: impl Into<Failure>) -> Self {
        Self { data: None, error: Some(error.into()) }
    }

    /// What came of another call.
    pub(crate) fn of(result: ActionResult) -> Self {
        Self { data: result.data, error: result.error.as_deref().map(Failure::parse) }
    }

    /// What there is to show, and what went wrong if something did.
    pub(crate) fn with(data: &dyn ToJson, error: Option<Failure>) -> Self {
        Self { data: Some(to_value(data)), error }
    }

    /// One row for each entry; a failure only if every entry failed (D12).
    pub(crate) fn rows<'a>(data: &dyn ToJson, errors: impl Iterator<Item = Option<&'a Failure>>) -> Self {
        let errors: Vec<Option<&Failure>> = errors.collect();
        Self { data: Some(to_value(data)), error: summary(&errors) }
    }

    /// The answer to a call. A call in an old form gets the old scalar fields beside the new array (D9).
    pub(crate) fn into_result(self, call: &CallRow) -> ActionResult {
        let data =
            if call.legacy { self.data.map(|data| with_scalars(data, &call.params)) } else { self.data };
        ActionResult {
            action: call.kind.clone(),
            action_id: call.action_id.clone(),
            success: self.error.is_none(),
            data,
            error: self.error.as_ref().map(Failure::to_string),
        }
    }
}

/// The code where the rows of a call failed for different reasons.
pub const ALL_ENTRIES_FAILED: &str = "all_entries_failed";

/// One error for several rows: theirs if they agree, otherwise the codes that occur.
fn summary(errors: &[Option<&Failure>]) -> Option<Failure> {
    let failed: Vec<&Failure> = errors.iter().copied().collect::<Option<_>>()?;
    let (first, rest) = failed.split_first()?;
    if rest.is_empty() || rest.iter().all(|error| error == first) {
        return Some((*first).clone());
    }
    let mut codes = Vec::new();
    for code in failed.iter().map(|error| error.code()) {
        if !codes.contains(&code) {
            codes.push(code);
        }
    }
    let message = format!("{} of {}: {}", failed.len(), failed.len(), codes.join(", "));
    Some(Failure::new(ALL_ENTRIES_FAILED, message))
}

/// The old scalar fields beside the new array: those of the single entry, or of what a bundle sent last.
fn with_scalars(data: Value, params: &Params) -> Value {
    let Value::Object(mut fields) = data else {
        return data;
    };
    let mut scalars = match fields.get_mut("transactions") {
        Some(Value::Array(rows)) => bundle_scalars(rows, params),
        _ => entry_scalars(fields.get("results")),
    };
    scalars.append(&mut fields);
    Value::Object(scalars)
}

fn entry_scalars(results: Option<&Value>) -> Params {
    let single = match results {
        Some(Value::Array(rows)) if rows.len() == 1 => rows.first().and_then(Value::as_object).cloned(),
        _ => None,
    };
    let mut scalars = single.unwrap_or_default();
    if let Some(title) = scalars.get("title").cloned() {
        scalars.insert("name".to_owned(), title);
    }
    if let Some(ticker) = scalars.get("ticker").cloned() {
        scalars.insert("symbol".to_owned(), ticker);
    }
    scalars
}

/// An old client reported `{chain, tx_hash, transactions: [{label, tx_hash}]}`, the hash being the last that it sent.
/// The label is what the step was called.
fn bundle_scalars(rows: &mut [Value], params: &Params) -> Params {
    let empty = Vec::new();
    let steps = params.get("transactions").and_then(Value::as_array).unwrap_or(&empty);
    for row in rows.iter_mut().filter_map(Value::as_object_mut) {
        let step = steps.iter().find(|step| step.get("id").is_some() && step.get("id") == row.get("id"));
        if let Some(label) = step.and_then(|step| step.get("action")) {
            row.insert("label".to_owned(), label.clone());
        }
    }
    let sent = rows.iter().rev().find(|row| row.get("tx_hash").is_some_and(Value::is_string));
    let mut scalars = Params::new();
    for name in ["chain", "tx_hash"] {
        let value = sent.or(rows.last()).and_then(|row| row.get(name));
        scalars.extend(value.map(|value| (name.to_owned(), value.clone())));
    }
    scalars
}

/// Every tool there is.
const TOOLS: [&Definition; 7] = [
    &address_book::GET_ADDRESS_BOOK,
    &address_book::ADD_ADDRESS_BOOK,
    &address_book::DELETE_ADDRESS_BOOK,
    &coins::ADD_CHAIN,
    &coins::ADD_TOKEN,
    &coins::REMOVE_TOKEN,
    &bundle::SIGN_TRANSACTION_BUNDLE,
];

/// The tool of a name.
pub(crate) fn definition(name: Option<&str>) -> Option<&'static Definition> {
    TOOLS.into_iter().find(|tool| Some(tool.name) == name)
}

/// Runs a call's tool. Says which type is unknown, and what of a malformed action was wrong. Each tool is boxed: the
/// browser compiles a function when it first runs, and a call runs one tool.
pub(crate) async fn run(call: &CallRow, context: &mut Context<'_>) -> Result<Output, ToolError> {
    if let Some(problem) = &call.problem {
        return Err(ToolError::Malformed(problem.clone()));
    }
    match call.tool.as_deref() {
        Some("get_address_book") => Box::pin(address_book::get(&call.params, context)).await,
        Some("add_address_book") => Box::pin(address_book::add(&call.params, context)).await,
        Some("delete_address_book") => Box::pin(address_book::delete(&call.params, context)).await,
        Some("add_chain") => Box::pin(coins::add_chain(&call.params, context)).await,
        Some("add_token") => Box::pin(coins::add_token(call, context)).await,
        Some("remove_token") => Box::pin(coins::remove_token(&call.params, context)).await,
        // A bundle is not run here, but step by step.
        Some(_) | None => Err(RequestError::UnknownTool { kind: call.kind.clone() }.into()),
    }
}

/// Who a record says it came from.
pub(crate) fn added_by(source: &Source) -> AddedBy {
    match source {
        Source::Agent { .. } => AddedBy::Agent,
        Source::User => AddedBy::User,
        Source::Dapp { origin } => AddedBy::Dapp { origin: origin.clone() },
    }
}

/// The parameters of a call.
pub(crate) type Params = Map<String, Value>;

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn legacy(data: Value, steps: Value) -> Value {
        let params = json!({"transactions": steps});
        with_scalars(data, params.as_object().unwrap())
    }

    /// T000-109, D9: beside the rows of a bundle stand the chain and the hash of what was sent last, and each row says
    /// what its step was called; nothing of the new shape is changed.
    #[test]
    fn an_old_bundle_has_its_last_hash_beside_the_rows() {
        let row = |id: &str, chain: &str, hash: Value, status: &str| json!({"id": id, "sequence": 0, "chain": chain, "tx_hash": hash, "status": status, "error": null});
        let labelled = |mut row: Value, label: &str| {
            row["label"] = json!(label);
            row
        };
        let steps = json!([{"id": "a", "action": "approval"}, {"id": "b", "action": "swap"}]);
        let approval = row("a", "Ethereum", json!("0x1"), "confirmed");
        let swap = row("b", "Arbitrum", json!("0x2"), "pending");
        let refused = row("b", "Arbitrum", Value::Null, "failed");
        assert_eq!(
            legacy(json!({"transactions": [approval, swap], "bundle_success": true}), steps.clone()),
            json!({"chain": "Arbitrum", "tx_hash": "0x2", "bundle_success": true,
                "transactions": [labelled(approval.clone(), "approval"), labelled(swap, "swap")]})
        );
        assert_eq!(
            legacy(json!({"transactions": [approval, refused], "bundle_success": false}), steps.clone()),
            json!({"chain": "Ethereum", "tx_hash": "0x1", "bundle_success": false,
                "transactions": [labelled(approval.clone(), "approval"), labelled(refused.clone(), "swap")]}),
            "a step that failed before it was sent has no hash"
        );
        assert_eq!(
            legacy(json!({"transactions": [refused], "bundle_success": false}), json!([])),
            json!({"chain": "Arbitrum", "tx_hash": null, "bundle_success": false, "transactions": [refused]}),
            "nothing was sent, and the step has no name"
        );
        let empty = json!({"transactions": [], "bundle_success": false});
        assert_eq!(legacy(empty.clone(), steps), empty);
    }

    /// What has its scalars already keeps them: a result may be told again under another action's id.
    #[test]
    fn scalars_stay_as_they_are() {
        let data = json!({"chain": "Base", "tx_hash": "0x1", "bundle_success": true, "transactions": [
            {"id": "a", "chain": "Base", "tx_hash": "0x1", "label": "swap"}]});
        assert_eq!(with_scalars(data.clone(), &Params::new()), data);
    }

    #[test]
    fn a_summary_is_the_rows_own_word_where_they_agree() {
        let summary = |texts: &[Option<&str>]| {
            let errors: Vec<Option<Failure>> = texts.iter().map(|text| text.map(Failure::parse)).collect();
            let errors: Vec<Option<&Failure>> = errors.iter().map(Option::as_ref).collect();
            summary(&errors).map(|failure| failure.to_string())
        };
        assert_eq!(summary(&[Some("not_found"), Some("not_found")]).as_deref(), Some("not_found"));
        assert_eq!(summary(&[Some("not_found"), None]), None);
        assert_eq!(
            summary(&[Some("invalid_address: x"), Some("unknown_chain: y")]).as_deref(),
            Some("all_entries_failed: 2 of 2: invalid_address, unknown_chain")
        );
    }
}
