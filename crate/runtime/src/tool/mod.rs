//! Tools: what a call resolves to. A tool says what it is ([`Definition`]), reads its parameters, reads the
//! store, and stages its writes; the pipeline asks, commits, records and delivers for all of them.

pub mod address_book;
pub mod coins;
pub(crate) mod params;

use crate::bundle;
use crate::id::Ids;
use crate::store::{Batch, Store, StoreError};
use serde::Serialize;
use serde_json::{Map, Value};
use wire::action::ActionResult;
use wire::address_book::AddedBy;
use wire::api::{Call, Source};

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
    /// Whether a person is always asked, whatever the sender says.
    pub requires_confirmation: bool,
}

/// What a tool may touch.
pub struct Context<'a> {
    /// Records, for reading.
    pub store: &'a dyn Store,
    /// New ids.
    pub ids: &'a Ids,
    /// Who asks.
    pub added_by: AddedBy,
    /// The tool's writes, with what they rely on; committed together with the result.
    pub batch: Batch,
    /// Whether pages must read contacts, chains or tokens again.
    pub vault_modified: bool,
}

/// Why a tool gave no output.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// The store failed: the call stays where it is and is tried again.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The input was refused, as `code: sentence`; nothing changed.
    #[error("{0}")]
    Refused(String),
}

/// What a tool gives.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    data: Option<Value>,
    error: Option<String>,
}

impl Output {
    /// It worked.
    pub fn done(data: &impl Serialize) -> Self {
        Self { data: serde_json::to_value(data).ok(), error: None }
    }

    /// It did not, and there is nothing to show.
    pub const fn failed(error: String) -> Self {
        Self { data: None, error: Some(error) }
    }

    /// One row for each entry; a failure only if every entry failed (D12).
    pub(crate) fn rows<'a>(data: &impl Serialize, errors: impl Iterator<Item = Option<&'a str>>) -> Self {
        let errors: Vec<Option<&str>> = errors.collect();
        Self { data: serde_json::to_value(data).ok(), error: summary(&errors) }
    }

    /// The answer to a call. A call in an old form gets the old scalar fields beside the new array (D9).
    pub(crate) fn into_result(self, call: &Call) -> ActionResult {
        let data = if call.legacy { self.data.map(with_scalars) } else { self.data };
        ActionResult {
            action: call.kind.clone(),
            action_id: call.action_id.clone(),
            success: self.error.is_none(),
            data,
            error: self.error,
        }
    }
}

/// One error for several rows: theirs if they agree, otherwise the codes that occur.
fn summary(errors: &[Option<&str>]) -> Option<String> {
    let failed: Vec<&str> = errors.iter().copied().collect::<Option<_>>()?;
    let (first, rest) = failed.split_first()?;
    if rest.is_empty() || rest.iter().all(|error| error == first) {
        return Some((*first).to_owned());
    }
    let mut codes = Vec::new();
    for code in failed.iter().map(|error| error.split(':').next().unwrap_or(error)) {
        if !codes.contains(&code) {
            codes.push(code);
        }
    }
    Some(format!("all_entries_failed: {} of {}: {}", failed.len(), failed.len(), codes.join(", ")))
}

fn with_scalars(data: Value) -> Value {
    let Value::Object(mut fields) = data else {
        return data;
    };
    let single = match fields.get("results") {
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
    scalars.append(&mut fields);
    Value::Object(scalars)
}

/// Every tool there is.
const TOOLS: [&Definition; 6] = [
    &address_book::GET_ADDRESS_BOOK,
    &address_book::ADD_ADDRESS_BOOK,
    &address_book::DELETE_ADDRESS_BOOK,
    &coins::ADD_CHAIN,
    &coins::ADD_TOKEN,
    &bundle::SIGN_TRANSACTION_BUNDLE,
];

/// The tool of a name.
pub(crate) fn definition(name: Option<&str>) -> Option<&'static Definition> {
    TOOLS.into_iter().find(|tool| Some(tool.name) == name)
}

/// Runs a call's tool. Says which type is unknown, and what of a malformed action was wrong.
pub(crate) async fn run(call: &Call, context: &mut Context<'_>) -> Result<Output, ToolError> {
    if let Some(problem) = &call.problem {
        return Err(ToolError::Refused(problem.clone()));
    }
    match call.tool.as_deref() {
        Some("get_address_book") => address_book::get(&call.params, context).await,
        Some("add_address_book") => address_book::add(&call.params, context),
        Some("delete_address_book") => address_book::delete(&call.params, context).await,
        Some("add_chain") => coins::add_chain(&call.params, context).await,
        Some("add_token") => coins::add_token(&call.params, context).await,
        // A bundle is not run here, but step by step.
        Some(_) | None => {
            Err(ToolError::Refused(format!("unknown_tool: there is no tool for the type {:?}", call.kind)))
        }
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

    #[test]
    fn a_summary_is_the_rows_own_word_where_they_agree() {
        assert_eq!(summary(&[Some("not_found"), Some("not_found")]).as_deref(), Some("not_found"));
        assert_eq!(summary(&[Some("not_found"), None]), None);
        assert_eq!(
            summary(&[Some("invalid_address: x"), Some("unknown_chain: y")]).as_deref(),
            Some("all_entries_failed: 2 of 2: invalid_address, unknown_chain")
        );
    }
}
