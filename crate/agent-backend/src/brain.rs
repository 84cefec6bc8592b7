//! The whole agent without a socket: a request goes in, an answer comes out, and the record grows.

use crate::conversation::Conversation;
use crate::fault::{Fault, Kind, Scope};
use crate::record::{ReceivedRequest, ReceivedResult, Record};
use crate::reply::{self, Reply, Timed};
use crate::request::{Message, Refusal, Request, public_key};
use crate::script::{Dialect, Script};
use crate::sse::Event;
use crate::template;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

/// What a request is answered with.
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

/// A part of a body, or something that happens to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// These bytes arrive together.
    Bytes(Vec<u8>),
    /// Nothing for this long; only where a script asks for it.
    Pause(Duration),
    /// Nothing until the agent is told to let go.
    Stall,
    /// The connection ends here. Always the last.
    Cut,
}

impl Answer {
    /// The bytes that come without waiting for a release: those before the first stall or cut.
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
pub struct Brain {
    script: Script,
    seed: u64,
    token: Option<String>,
    conversations: BTreeMap<String, Conversation>,
    kept: BTreeMap<String, Kept>,
    faults: Vec<Fault>,
    record: Record,
}

/// An answer under its `Idempotency-Key`, and what it answered.
#[derive(Debug, Clone)]
struct Kept {
    conversation: String,
    body: Map<String, Value>,
    reply: Reply,
}

impl Brain {
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

    /// The same, for clients that bring this bearer token.
    pub fn with_token(self, token: impl Into<String>) -> Self {
        Self { token: Some(token.into()), ..self }
    }

    /// What was received so far.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Misbehaves from now on, beside the faults of the script's turns.
    pub fn set_fault(&mut self, fault: Fault) {
        self.faults.push(fault);
    }

    /// Ends the faults set with [`Brain::set_fault`].
    pub fn clear_faults(&mut self) {
        self.faults.clear();
    }

    /// Ends those of them that make an answer wait.
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

    fn route(&mut self, request: &Request, repeat: &mut bool) -> Result<Answer, Refusal> {
        let path: Vec<&str> = request.path.trim_matches('/').split('/').collect();
        let found =
            matches!(path.as_slice(), ["agent", "conversations"] | ["agent", "conversations", _, "messages"]);
        if !found {
            return Err(Refusal::new(404, "not_found", "no such route"));
        }
        if request.method != "POST" {
            return Err(Refusal::new(405, "method_not_allowed", "only POST"));
        }
        if let Some(token) = &self.token
            && request.get("authorization") != Some(format!("Bearer {token}").as_str())
        {
            return Err(Refusal::new(401, "unauthorized", "the bearer token is missing or wrong"));
        }
        match path.as_slice() {
            ["agent", "conversations", id, "messages"] => self.message(request, id, repeat),
            _ => self.open(request),
        }
    }

    fn open(&mut self, request: &Request) -> Result<Answer, Refusal> {
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

    fn message(&mut self, request: &Request, id: &str, repeat: &mut bool) -> Result<Answer, Refusal> {
        let Some(key) = request.get("idempotency-key").filter(|key| !key.is_empty()) else {
            return Err(Refusal::violation(400, "idempotency_key_missing", "Idempotency-Key must be there"));
        };
        let body = request.json()?;
        let message = Message::read(&body)?;
        let sort = match message {
            Message::Content(_) => Scope::Messages,
            Message::Result(_) => Scope::Results,
        };
        let Some(conversation) = self.conversations.get_mut(id) else {
            return Err(Refusal::new(404, "unknown_conversation", "no such conversation"));
        };
        if let Some(kept) = self.kept.get(key)
            && (kept.conversation != id || kept.body != body)
        {
            return Err(Refusal::violation(
                409,
                "idempotency_key_reused",
                "the key came with another request",
            ));
        }
        refuse(&mut self.faults, sort)?;

        *repeat = self.kept.contains_key(key);
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
        let reply = match self.kept.get(key) {
            Some(kept) => kept.reply.clone(),
            None => {
                let reply = conversation.reply(&self.script, &message, request.at_ms);
                let kept = Kept { conversation: id.to_owned(), body, reply: reply.clone() };
                self.kept.insert(key.to_owned(), kept);
                reply
            }
        };
        self.write(&reply, sort, id, request.takes_stream())
    }

    /// An answer as bytes, with the faults that are due.
    fn write(&mut self, reply: &Reply, sort: Scope, id: &str, streamed: bool) -> Result<Answer, Refusal> {
        let dialect = if streamed { reply.dialect } else { Dialect::Json };
        let turn = reply.turn.map(|turn| (id, turn));
        // A status set in a turn comes after the request was taken: the client cannot know, and must ask again.
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

    /// The faults that happen now, of the run time and of the turn; each is counted as having happened.
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

/// The faults of the run time that happen now. One that has happened often enough is gone.
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

/// A status set at run time refuses unseen: nothing is recorded as received, nothing is kept.
fn refuse(faults: &mut Vec<Fault>, sort: Scope) -> Result<(), Refusal> {
    let statuses = due(faults, sort, |kind| matches!(kind, Kind::Status { .. }));
    statuses.first().map_or(Ok(()), |status| Err(refused(status)))
}

fn refused(kind: &Kind) -> Refusal {
    let (status, retry_after) = match kind {
        Kind::Status { status, retry_after } => (*status, *retry_after),
        _ => (500, None),
    };
    Refusal { retry_after, ..Refusal::new(status, "fault", "the agent was asked to answer this") }
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

/// A seed that no earlier run had: clients remember action ids for good.
pub(crate) fn fresh_seed() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(template::uuid(0, &[]))
}
