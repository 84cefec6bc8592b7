//! The agent without a socket: it answers requests and records them.

use crate::conversation::Conversation;
use crate::declared::DeclaredTool;
use crate::fault::{Fault, Kind, Scope};
use crate::record::{ReceivedItem, ReceivedRequest, ReceivedResult, Record};
use crate::reply::{self, Reply, Timed};
use crate::request::{Message, RefusalError, Request, public_key};
use crate::script::{Dialect, Script};
use crate::sse::Event;
use crate::template;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

/// The answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// What happens before the status line: nothing, [`Piece::Stall`] or [`Piece::Cut`].
    pub before_headers: Option<Piece>,
    /// The HTTP status.
    pub status: u16,
    /// The headers.
    pub headers: Vec<(String, String)>,
    /// The body, in order.
    pub body: Vec<Piece>,
}

/// A part of a body, or an event in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// These bytes arrive together.
    Bytes(Vec<u8>),
    /// A pause; only if a script asks for it.
    Pause(Duration),
    /// Nothing until the agent is released.
    Stall,
    /// The connection ends here. Always the last.
    Cut,
}

impl Answer {
    /// The bytes before the first stall or cut.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        if self.before_headers.is_none() {
            for piece in &self.body {
                match piece {
                    Piece::Bytes(more) => bytes.extend_from_slice(more),
                    Piece::Pause(_) => {}
                    Piece::Stall | Piece::Cut => break,
                }
            }
        }
        bytes
    }
}

/// A scripted agent.
#[derive(Debug, Clone)]
pub struct ScriptedAgent {
    script: Script,
    seed: u64,
    token: Option<String>,
    conversations: BTreeMap<String, Conversation>,
    kept: BTreeMap<String, StoredAnswer>,
    faults: Vec<Fault>,
    record: Record,
}

/// The answer stored under its `Idempotency-Key`, and its request.
#[derive(Debug, Clone)]
struct StoredAnswer {
    conversation: String,
    body: Map<String, Value>,
    reply: Reply,
}

impl ScriptedAgent {
    /// An agent that follows a script. The same seed and the same requests give the same ids.
    pub fn new(script: Script, seed: u64) -> Self {
        Self {
            script,
            seed,
            token: None,
            conversations: BTreeMap::new(),
            kept: BTreeMap::new(),
            faults: Vec::new(),
            record: Record::default(),
        }
    }

    /// The same, requiring this bearer token.
    pub fn with_token(self, token: impl Into<String>) -> Self {
        Self { token: Some(token.into()), ..self }
    }

    /// Everything received so far.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Adds a fault, in addition to those of the script's turns.
    pub fn set_fault(&mut self, fault: Fault) {
        self.faults.push(fault);
    }

    /// Removes the faults set with [`ScriptedAgent::set_fault`].
    pub fn clear_faults(&mut self) {
        self.faults.clear();
    }

    /// Removes those of them that stall an answer.
    pub fn clear_stalls(&mut self) {
        self.faults.retain(|fault| !matches!(fault.kind, Kind::Stall(_)));
    }

    /// Answers a request and records it.
    pub fn answer(&mut self, request: Request) -> Answer {
        let mut repeat = false;
        let (answer, refused) = match self.route(&request, &mut repeat) {
            Ok(answer) => (answer, None),
            Err(refusal) => {
                if refusal.violation {
                    let line =
                        format!("{} {}: {}: {}", request.method, request.path, refusal.code, refusal.message);
                    self.record.violations.push(line);
                }
                (refusal.answer(), Some(refusal.code.to_owned()))
            }
        };
        self.record.requests.push(ReceivedRequest {
            at_ms: request.at_ms,
            key: request.get("idempotency-key").map(str::to_owned),
            body: request.recorded_body(),
            method: request.method,
            path: request.path,
            status: answer.status,
            refused,
            repeat,
        });
        answer
    }

    fn route(&mut self, request: &Request, repeat: &mut bool) -> Result<Answer, RefusalError> {
        let path: Vec<&str> = request.path.trim_matches('/').split('/').collect();
        let found =
            matches!(path.as_slice(), ["agent", "conversations"] | ["agent", "conversations", _, "messages"]);
        if !found {
            return Err(RefusalError::new(404, "not_found", "no such route"));
        }
        if request.method != "POST" {
            return Err(RefusalError::new(405, "method_not_allowed", "only POST"));
        }
        if let Some(token) = &self.token
            && request.get("authorization") != Some(format!("Bearer {token}").as_str())
        {
            return Err(RefusalError::new(401, "unauthorized", "the bearer token is missing or wrong"));
        }
        match path.as_slice() {
            ["agent", "conversations", id, "messages"] => self.message(request, id, repeat),
            _ => self.open(request),
        }
    }

    fn open(&mut self, request: &Request) -> Result<Answer, RefusalError> {
        let body = request.json()?;
        public_key(&body)?;
        refuse(&mut self.faults, Scope::All)?;
        let conversation = Conversation::new(self.seed, self.conversations.len() as u64 + 1);
        let title = body.get("title").cloned().unwrap_or_default();
        let document = json!({"id": conversation.id, "title": title}).to_string();
        self.conversations.insert(conversation.id.clone(), conversation);
        let events = [Event::Raw(document.into_bytes()).into()];
        let faults = self.due(Scope::All, None, |kind| reply::has_place(kind, &events));
        Ok(written(&events, Dialect::Json, &faults))
    }

    fn message(&mut self, request: &Request, id: &str, repeat: &mut bool) -> Result<Answer, RefusalError> {
        let Some(key) = request.get("idempotency-key").filter(|key| !key.is_empty()) else {
            return Err(RefusalError::violation(
                400,
                "idempotency_key_missing",
                "Idempotency-Key must be there",
            ));
        };
        let mut body = request.json()?;
        let message = Message::read(&body)?;
        let tools = DeclaredTool::read_all(&body)?;
        // Not a part of the message: repeated later, it may come with other tools.
        body.remove("context");
        let sort = match message {
            Message::Content(_) => Scope::Messages,
            Message::Result(_) => Scope::Results,
            Message::Inbox(_) => Scope::Inbox,
        };
        let Some(conversation) = self.conversations.get_mut(id) else {
            return Err(RefusalError::new(404, "unknown_conversation", "no such conversation"));
        };
        if let Some(kept) = self.kept.get(key)
            && (kept.conversation != id || kept.body != body)
        {
            return Err(RefusalError::violation(
                409,
                "idempotency_key_reused",
                "the key came with another request",
            ));
        }
        refuse(&mut self.faults, sort)?;

        *repeat = self.kept.contains_key(key);
        if let Some(tools) = tools {
            conversation.declare(tools.clone());
            self.record.tools = tools;
        }
        if let Message::Result(result) = &message {
            let (again, wrong) = conversation.take(result, key);
            self.record.violations.extend(wrong);
            self.record.results.push(ReceivedResult {
                at_ms: request.at_ms,
                conversation: id.to_owned(),
                key: key.to_owned(),
                action: result.action.clone(),
                action_id: result.action_id.clone(),
                success: result.success,
                data: result.data.clone(),
                error: result.error.clone(),
                repeat: again,
            });
        }
        if let Message::Inbox(items) = &message {
            for item in items {
                let (again, wrong) = conversation.take_item(item, key);
                self.record.violations.extend(wrong);
                self.record.inbox.push(ReceivedItem {
                    at_ms: request.at_ms,
                    conversation: id.to_owned(),
                    key: key.to_owned(),
                    id: item.id.clone(),
                    item: item.item.clone(),
                    repeat: again,
                });
            }
        }
        let reply = match self.kept.get(key) {
            Some(kept) => kept.reply.clone(),
            None => {
                let reply = conversation.reply(&self.script, &message, request.at_ms);
                let kept = StoredAnswer { conversation: id.to_owned(), body, reply: reply.clone() };
                self.kept.insert(key.to_owned(), kept);
                reply
            }
        };
        self.write(&reply, sort, id, request.takes_stream())
    }

    /// An answer as bytes, with the faults that apply.
    fn write(
        &mut self,
        reply: &Reply,
        sort: Scope,
        id: &str,
        streamed: bool,
    ) -> Result<Answer, RefusalError> {
        let dialect = if streamed { reply.dialect } else { Dialect::Json };
        let turn = reply.turn.map(|turn| (id, turn));
        // A status in a turn comes after the request was accepted: the client does not know, and must send it again.
        let statuses = self.due(sort, turn, |kind| matches!(kind, Kind::Status { .. }));
        if let Some(status) = statuses.first() {
            return Err(refused(status));
        }
        let shape = self.due(sort, turn, |kind| match kind {
            Kind::RepeatActions { action: Some(at) } => *at < reply.actions.len(),
            Kind::RepeatActions { action: None } => !reply.actions.is_empty(),
            Kind::NoMessage => true,
            _ => false,
        });
        let events = reply.events(dialect, &shape);
        let faults = self.due(sort, turn, |kind| reply::has_place(kind, &events));
        Ok(written(&events, dialect, &faults))
    }

    /// The faults that apply now, of run time and of the turn; each is counted.
    fn due(&mut self, sort: Scope, turn: Option<(&str, usize)>, now: impl Fn(&Kind) -> bool) -> Vec<Kind> {
        let mut kinds = due(&mut self.faults, sort, &now);
        if let Some((id, place)) = turn
            && let Some(turn) = self.script.turns.get(place)
            && let Some(conversation) = self.conversations.get_mut(id)
        {
            for (at, fault) in turn.faults.iter().enumerate() {
                let done = conversation.faults_done.entry((place, at)).or_default();
                if fault.concerns(sort) && fault.times.is_none_or(|times| *done < times) && now(&fault.kind) {
                    *done += 1;
                    kinds.push(fault.kind.clone());
                }
            }
        }
        kinds
    }
}

/// The run-time faults that apply now. One that has applied often enough is removed.
fn due(faults: &mut Vec<Fault>, sort: Scope, now: impl Fn(&Kind) -> bool) -> Vec<Kind> {
    let mut kinds = Vec::new();
    faults.retain_mut(|fault| {
        if fault.times != Some(0) && fault.concerns(sort) && now(&fault.kind) {
            kinds.push(fault.kind.clone());
            fault.times = fault.times.map(|times| times - 1);
        }
        fault.times != Some(0)
    });
    kinds
}

/// A run-time status refuses before reading: nothing is recorded as received.
fn refuse(faults: &mut Vec<Fault>, sort: Scope) -> Result<(), RefusalError> {
    let statuses = due(faults, sort, |kind| matches!(kind, Kind::Status { .. }));
    statuses.first().map_or(Ok(()), |status| Err(refused(status)))
}

fn refused(kind: &Kind) -> RefusalError {
    let (status, retry_after) = match kind {
        Kind::Status { status, retry_after } => (*status, *retry_after),
        _ => (500, None),
    };
    RefusalError { retry_after, ..RefusalError::new(status, "fault", "the agent was asked to answer this") }
}

fn written(events: &[Timed], dialect: Dialect, faults: &[Kind]) -> Answer {
    let (before_headers, body) = reply::pieces(events, dialect, faults);
    let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let headers = match dialect {
        Dialect::Json => vec![header("content-type", "application/json")],
        Dialect::Events => {
            vec![header("content-type", "text/event-stream"), header("cache-control", "no-cache")]
        }
        Dialect::UiMessageStream => vec![
            header("content-type", "text/event-stream"),
            header("cache-control", "no-cache"),
            header("x-vercel-ai-ui-message-stream", "v1"),
        ],
    };
    Answer { before_headers, status: 200, headers, body }
}

/// A seed that no earlier run had: clients remember action ids permanently.
pub(crate) fn fresh_seed() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(template::uuid(0, &[]))
}
