//! A call on disk.

use crate::id::digest;
use crate::store::json;
use derive::Record;
use serde_json::{Map, Value};
use wire::api::{Call, CallState, Delivery, ExecutionType, Millis, Source};
use wire::event::{CallChange, CallStart};
use wire::evm::Filled;
use wire::failure::Failure;
use wire::tool::{Preview, ToolOutcome, ToolResult, iso_time};

/// A call on disk. Pages see a [`Call`], which is made of it here.
#[derive(Debug, Clone, PartialEq, Record)]
#[serde(rename_all = "camelCase")]
pub struct CallRow {
    /// Ours; sorts by time of arrival.
    pub(crate) id: String,
    /// The action's own id; empty where it had none.
    pub(crate) action_id: String,
    /// The type as it was sent.
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// The tool it resolves to; none for an unknown type or a malformed action.
    pub(crate) tool: Option<String>,
    /// The stored tool's exact record; none for a built-in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tool_id: Option<String>,
    /// What to show while it runs.
    pub(crate) title: String,
    /// More detail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    /// Whether it came in a legacy form: its result then has the legacy fields beside the new ones.
    pub(crate) legacy: bool,
    /// Why it can never run: what was malformed about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) problem: Option<Failure>,
    /// The tool's input, legacy forms already converted.
    pub(crate) params: Map<String, Value>,
    /// The sender's hint.
    pub(crate) auto_execute: Option<bool>,
    /// The sender.
    pub(crate) source: Source,
    /// Calls of one lane run one after the other.
    pub(crate) lane: String,
    /// Where it is.
    pub(crate) state: CallState,
    /// When it arrived.
    pub(crate) received_at: Millis,
    /// What has become of the result on its way to the backend.
    pub(crate) delivery: Delivery,
    /// What it sends, for a tool that sends requests: what the user is shown, and consents to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) preview: Option<Preview>,
    /// The run that it belongs to: the turn of the conversation that brought it, or the request of a page.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) run_id: String,
    /// Whether its conversation shows it; false for one of which only its sender learns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) visible: Option<bool>,
    /// Where a visible tool's call is shown, and how.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) space: Option<InSpace>,
    /// Whether the pages have not been told of it: which tool it is for is not known yet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) unannounced: bool,
    /// Whether pages were told that it began while its arguments were still on their way.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_started: bool,
    /// When the tool was attempted, once it has ended and the answer is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) fetched_at: Option<Millis>,
    /// What the wallet filled in, of transactions that a web page asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) filled: Option<Filled>,
}

/// Where a visible tool's call is shown: as a message of the space that its sender was in when it began.
#[derive(Debug, Clone, PartialEq, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InSpace {
    /// The conversation.
    pub(crate) id: String,
    /// How the tool gets its result.
    pub(crate) execution: ExecutionType,
    /// What a person's result must be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) result_schema: Option<Value>,
}

impl CallRow {
    /// Whether it has not ended.
    pub(crate) const fn is_open(&self) -> bool {
        !matches!(self.state, CallState::Done { .. })
    }

    /// What the tool gave, once it has ended and the answer is kept. The report beside an error is the action's alone.
    pub(crate) fn tool_result(&self) -> Option<ToolResult> {
        let (CallState::Done { result, .. }, Some(at)) = (&self.state, self.fetched_at) else { return None };
        let outcome = match &result.error {
            Some(error) => ToolOutcome::Error(error.clone()),
            None => ToolOutcome::Data(result.data.clone().unwrap_or_default()),
        };
        let tool = self.tool.as_ref().unwrap_or(&self.kind).clone();
        Some(ToolResult { tool, fetched_at: iso_time(at), outcome })
    }

    /// The digest of what was asked for, as a prompt about it shows it.
    pub(crate) fn shown(&self) -> String {
        let Self { kind, tool, title, description, .. } = self;
        let (tool, description) = (tool.as_deref().unwrap_or_default(), description.as_deref());
        let (source, params) = (json(&self.source), json(&self.params));
        // That there is no description is not that it is empty.
        let has_description = if description.is_some() { "described" } else { "" };
        let description = description.unwrap_or_default();
        let words = ["call", &self.id, &source, kind, tool, title, has_description, description, &params];
        match &self.preview {
            Some(preview) => digest(&[&digest(&words), &json(preview)]),
            None => digest(&words),
        }
    }

    /// That it was journaled, for the pages.
    pub(crate) fn start(&self) -> CallStart {
        CallStart {
            id: self.id.clone(),
            action_id: self.action_id.clone(),
            kind: self.kind.clone(),
            title: self.title.clone(),
            description: self.description.clone(),
            source: self.source.clone(),
            received_at: self.received_at,
            run_id: self.run_id.clone(),
            visible: self.visible,
        }
    }

    /// What of it changed, for the pages.
    pub(crate) fn change(&self, state: Option<CallState>, delivery: Option<Delivery>) -> CallChange {
        let (id, action_id, source) = (self.id.clone(), self.action_id.clone(), self.source.clone());
        CallChange { id, action_id, source, state, delivery }
    }
}

impl From<CallRow> for Call {
    fn from(row: CallRow) -> Self {
        let shown = matches!(row.state, CallState::Waiting { .. }).then(|| row.shown());
        let CallRow { id, action_id, kind, tool, title, description, legacy, problem, .. } = row;
        let CallRow { params, auto_execute, source, lane, state, received_at, delivery, preview, .. } = row;
        let CallRow { run_id, visible, .. } = row;
        Self {
            id,
            action_id,
            kind,
            tool,
            title,
            description,
            legacy,
            problem,
            params,
            auto_execute,
            source,
            lane,
            state,
            received_at,
            delivery,
            run_id,
            visible,
            shown,
            preview,
            tool_result: None,
        }
    }
}
