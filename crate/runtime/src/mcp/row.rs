//! What is on disk of servers, of what the user allowed of them, and of calls that have not ended.

use super::oauth::ServerAuth;
use super::protocol::elicit::{Given, Wanted};
use super::protocol::era::{Era, MODERN, Session};
use super::{RUNS, SERVERS};
use crate::Core;
use crate::store::{self, Batch, StoreError, Stored};
use derive::Record;
use serde_json::{Map, Value};
use wire::api::Millis;
use wire::mcp::McpState;

/// An MCP server on disk.
#[derive(Debug, Clone, PartialEq, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ServerRow {
    pub(crate) id: String,
    /// The user's name for it.
    pub(crate) name: String,
    /// The same in snake_case: what stands before the names of its tools.
    pub(crate) key: String,
    pub(crate) url: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) allowed_tools: Option<Vec<String>>,
    pub(crate) without_origin: bool,
    /// Who we are at its authorization server, where the user registered us.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) client_id: Option<String>,
    /// Whether a secret proves it, saved under the server's name for it.
    #[record(default)]
    pub(crate) has_client_secret: bool,
    /// The address of a document that says who we are, where the user has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) client_metadata_url: Option<String>,
    pub(crate) state: McpState,
    /// What it speaks, once that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) era: Option<Era>,
    pub(crate) listed_at: Option<Millis>,
    pub(crate) stale_at: Option<Millis>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) server_info: Option<String>,
    /// Tools that it lists and that cannot be called.
    #[record(default)]
    pub(crate) problems: Vec<ProblemRow>,
}

/// A tool that cannot be called.
#[derive(Debug, Clone, PartialEq, Record)]
pub(crate) struct ProblemRow {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) digest: String,
    /// Why, as `code: sentence`.
    pub(crate) problem: String,
}

/// A definition that the user allowed.
#[derive(Debug, Clone, PartialEq, Record)]
pub(crate) struct PinRow {
    pub(crate) digest: String,
    pub(crate) definition: Value,
}

/// A call of an MCP tool. A request is on disk before it is sent.
#[derive(Debug, Clone, PartialEq, Default, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RunRow {
    /// When its clock began to run; 0 while a person is asked.
    pub(super) started_at: Millis,
    /// What it took before that.
    pub(super) spent: Millis,
    /// The request whose outcome is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) sent: Option<SentRow>,
    /// How often a request was sent.
    pub(super) attempts: u32,
    /// What the server wants to know.
    #[record(default)]
    pub(super) questions: Vec<QuestionRow>,
    /// What the server wants back with the answers, as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) request_state: Option<String>,
    /// How often the server asked.
    pub(super) rounds: u32,
    /// Requests of the server's that were answered: a stream that is taken up again may repeat them.
    #[record(default)]
    pub(super) answered: Vec<Value>,
}

/// A request that was sent.
#[derive(Debug, Clone, PartialEq, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SentRow {
    pub(super) id: String,
    /// The session it was sent in, where it can be taken up again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) session: Option<Session>,
    /// The last event that is known of its stream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) last_event: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) retry: Option<Millis>,
}

/// A question of the server's.
#[derive(Debug, Clone, PartialEq, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct QuestionRow {
    /// The server's key for it; its own id of the request in a legacy stream.
    pub(super) key: Value,
    pub(super) wanted: Wanted,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) given: Option<Given>,
}

impl ServerRow {
    /// Whether a tool is listed and called.
    pub(crate) fn allows(&self, tool: &str) -> bool {
        self.allowed_tools.as_ref().is_none_or(|allowed| allowed.iter().any(|name| name == tool))
    }

    /// What signing in to it needs.
    pub(crate) fn auth(&self) -> ServerAuth {
        let version = match &self.era {
            Some(Era::Modern) => Some(MODERN),
            Some(Era::Legacy { session }) => session.as_ref().map(|session| session.version.as_str()),
            Some(Era::Sse) => Some("2024-11-05"),
            None => None,
        };
        ServerAuth {
            id: self.id.clone(),
            url: self.url.clone(),
            protocol_version: version.map(str::to_owned),
            client_id: self.client_id.clone(),
            client_secret_name: self.has_client_secret.then(|| ServerAuth::secret_name(&self.id)),
            client_metadata_url: self.client_metadata_url.clone(),
        }
    }

    /// Host and port, as requests name them.
    pub(crate) fn host(&self) -> &str {
        host_of(&self.url)
    }
}

/// Host and port of an address.
pub(crate) fn host_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or_default()
}

/// A server.
pub(crate) async fn server(core: &Core, id: &str) -> Result<Option<Stored<ServerRow>>, StoreError> {
    store::get(core.database.store(), SERVERS, id).await
}

/// A call's record, with its text on disk.
#[derive(Debug, Clone, Default)]
pub(super) struct Kept {
    pub(super) run: RunRow,
    text: Option<String>,
}

impl Kept {
    pub(super) async fn read(core: &Core, call_id: &str) -> Result<Self, StoreError> {
        let stored = store::get(core.database.store(), RUNS, call_id).await?;
        Ok(stored.map_or_else(Self::default, |stored| Self { run: *stored.record, text: Some(stored.text) }))
    }

    /// Stages a change of it, unless another worker was faster.
    pub(super) fn stage(&mut self, call_id: &str, batch: &mut Batch) {
        let text = store::json(&self.run);
        batch.expect(RUNS, call_id, self.text.as_deref());
        batch.put_text(RUNS, call_id, text.clone());
        self.text = Some(text);
    }

    /// The time that the call took so far, without that of the person.
    pub(super) const fn spent(&self, now: Millis) -> Millis {
        let running = if self.run.started_at == 0 { 0 } else { now.saturating_sub(self.run.started_at) };
        self.run.spent.saturating_add(running)
    }
}

/// Whether a call has a request whose outcome is not known.
pub(crate) async fn is_in_flight(core: &Core, call_id: &str) -> Result<bool, StoreError> {
    Ok(Kept::read(core, call_id).await?.run.sent.is_some())
}

/// Stages that a call ended.
pub(crate) fn stage_ended(call_id: &str, batch: &mut Batch) {
    batch.delete(RUNS, call_id);
}

/// The answers that were given, by the server's keys.
pub(super) fn responses(questions: &[QuestionRow]) -> Map<String, Value> {
    let given = |question: &QuestionRow| {
        let key = question.key.as_str()?.to_owned();
        Some((key, question.given.as_ref()?.result()))
    };
    questions.iter().filter_map(given).collect()
}
