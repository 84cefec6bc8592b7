//! What a tool gave (specification 003), and the answer to an action that is made of it (specification 000).

use super::Params;
use crate::call::CallRow;
use serde_json::Value;
use wire::action::ActionResult;
use wire::api::Millis;
use wire::failure::Failure;
use wire::json::{ToJson, to_value};

/// The whole error of a call that was cancelled.
pub const CANCELLED: &str = "Request was cancelled";

/// The code where the rows of a call failed for different reasons.
pub const ALL_ENTRIES_FAILED: &str = "all_entries_failed";

/// What an execution came to: a tool, when it was attempted, and its output.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolResult {
    /// The definition's name.
    pub tool: String,
    /// When it was attempted, also if it failed.
    pub fetched_at: Millis,
    /// What came of it.
    pub output: Output,
}

/// Data, or why there is none: never both.
#[derive(Debug, Clone, PartialEq)]
pub enum Output {
    /// It worked.
    Data(Value),
    /// It did not.
    Failed {
        /// Why.
        error: Failure,
        /// What the answer to an action has as `data` beside the error: a row for each entry or step (T000-16, D12, D17). It is
        /// no part of the tool's result.
        report: Option<Value>,
    },
}

impl Output {
    /// It worked.
    pub fn done(data: &dyn ToJson) -> Self {
        Self::Data(to_value(data))
    }

    /// It did not, and there is nothing to report.
    pub fn failed(error: impl Into<Failure>) -> Self {
        Self::Failed { error: error.into(), report: None }
    }

    /// It was cancelled.
    pub(crate) fn cancelled() -> Self {
        Self::failed(cancelled())
    }

    /// What came of another call.
    pub(crate) fn of(result: ActionResult) -> Self {
        match result.error {
            Some(error) => Self::Failed { error: Failure::parse(&error), report: result.data },
            None => Self::Data(result.data.unwrap_or_default()),
        }
    }

    /// What there is to show, and what went wrong if something did.
    pub(crate) fn with(data: &dyn ToJson, error: Option<Failure>) -> Self {
        let data = to_value(data);
        match error {
            Some(error) => Self::Failed { error, report: Some(data) },
            None => Self::Data(data),
        }
    }

    /// One row for each entry; a failure only if every entry failed (D12).
    pub(crate) fn rows<'a>(data: &dyn ToJson, errors: impl Iterator<Item = Option<&'a Failure>>) -> Self {
        let errors: Vec<Option<&Failure>> = errors.collect();
        Self::with(data, summary(&errors))
    }
}

/// Why a cancelled call has no data.
pub(crate) fn cancelled() -> Failure {
    Failure::bare(CANCELLED)
}

impl ToolResult {
    /// What came of a call whose tool did not run, or ran before.
    pub(crate) fn of_call(call: &CallRow, fetched_at: Millis, output: Output) -> Self {
        let tool = call.tool.as_ref().unwrap_or(&call.kind).clone();
        Self { tool, fetched_at, output }
    }

    /// The answer to the action. A call in an old form gets the old scalar fields beside the new array (D9).
    pub(crate) fn into_answer(self, call: &CallRow) -> ActionResult {
        let (data, error) = match self.output {
            Output::Data(data) => (Some(data), None),
            Output::Failed { error, report } => (report, Some(error)),
        };
        let data = if call.legacy { data.map(|data| with_scalars(data, &call.params)) } else { data };
        ActionResult {
            action: call.kind.clone(),
            action_id: call.action_id.clone(),
            success: error.is_none(),
            data,
            error: error.as_ref().map(Failure::to_string),
        }
    }
}

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
