//! The agent without a socket: conversations, messages, and one stored answer for each key.

use super::answer::Answer;
use super::conversation::{Context, Conversation};
use super::http::{Bytes, Transport};
use super::model::{LlmOptions, Model};
use crate::declared::DeclaredTool;
use crate::request::{Message, RefusalError, Request, public_key};
use crate::scripted::{self, Piece, fresh_seed};
use crate::template;
use futures_util::{StreamExt, stream};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// An agent that asks a language model. Clones are the same agent.
///
/// A message is answered by a task of its own, in order within its conversation: a client that leaves does not end it, and a
/// client that comes again with the same key reads the same answer from the beginning, growing or whole.
#[derive(Clone)]
pub struct LlmAgent {
    shared: Arc<Shared>,
}

struct Shared {
    model: Model,
    seed: u64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    conversations: BTreeMap<String, Arc<Talk>>,
    kept: BTreeMap<String, StoredAnswer>,
}

/// A conversation, and what the wallet declared last in it.
struct Talk {
    context: Mutex<Context>,
    conversation: tokio::sync::Mutex<Conversation>,
}

/// The answer stored under its `Idempotency-Key`, and its request.
struct StoredAnswer {
    conversation: String,
    body: Map<String, Value>,
    answer: Answer,
}

/// The answer to a request, its body still growing.
pub struct LlmAnswer {
    /// The HTTP status.
    pub status: u16,
    /// The headers.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Bytes,
}

impl LlmAnswer {
    fn json(document: &Value) -> Self {
        let bytes = document.to_string().into_bytes();
        Self {
            status: 200,
            headers: vec![("content-type".to_owned(), "application/json".to_owned())],
            body: Box::pin(stream::iter([Ok(bytes)])),
        }
    }

    fn refused(refusal: &RefusalError) -> Self {
        let scripted::Answer { status, headers, body, .. } = refusal.answer();
        let bytes = body.into_iter().filter_map(|piece| match piece {
            Piece::Bytes(bytes) => Some(Ok(bytes)),
            _ => None,
        });
        Self { status, headers, body: Box::pin(stream::iter(bytes.collect::<Vec<_>>())) }
    }

    /// The answer when all of it is there.
    pub async fn whole(mut self) -> scripted::Answer {
        let mut body = Vec::new();
        while let Some(Ok(bytes)) = self.body.next().await {
            body.push(Piece::Bytes(bytes));
        }
        scripted::Answer { before_headers: None, status: self.status, headers: self.headers, body }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl LlmAgent {
    /// An agent that reaches its model through a transport.
    pub fn new(options: LlmOptions, transport: Arc<dyn Transport>) -> Self {
        let model = Model::new(options, transport);
        Self { shared: Arc::new(Shared { model, seed: fresh_seed(), state: Mutex::default() }) }
    }

    /// Answers a request. Must be called within a tokio runtime.
    pub async fn answer(&self, request: Request) -> LlmAnswer {
        let answer = match self.route(&request) {
            Ok(Routed::Opened(document)) => return LlmAnswer::json(&document),
            Ok(Routed::Answer(answer)) => answer,
            Err(refusal) => return LlmAnswer::refused(&refusal),
        };
        if !request.takes_stream() {
            return LlmAnswer::json(&answer.document().await);
        }
        let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        LlmAnswer {
            status: 200,
            headers: vec![header("content-type", "text/event-stream"), header("cache-control", "no-cache")],
            body: answer.stream(),
        }
    }

    fn route(&self, request: &Request) -> Result<Routed, RefusalError> {
        let path: Vec<&str> = request.path.trim_matches('/').split('/').collect();
        let conversation = match path.as_slice() {
            ["agent", "conversations"] => None,
            ["agent", "conversations", id, "messages"] => Some(*id),
            _ => return Err(RefusalError::new(404, "not_found", "no such route")),
        };
        if request.method != "POST" {
            return Err(RefusalError::new(405, "method_not_allowed", "only POST"));
        }
        if let Some(token) = &self.shared.model.options.token
            && request.get("authorization") != Some(format!("Bearer {token}").as_str())
        {
            return Err(RefusalError::new(401, "unauthorized", "the bearer token is missing or wrong"));
        }
        match conversation {
            None => self.open(request).map(Routed::Opened),
            Some(id) => self.message(request, id).map(Routed::Answer),
        }
    }

    fn open(&self, request: &Request) -> Result<Value, RefusalError> {
        let body = request.json()?;
        public_key(&body)?;
        let mut state = locked(&self.shared.state);
        let number = state.conversations.len() as u64 + 1;
        let id = template::uuid(self.shared.seed, &[number]);
        let talk = Talk {
            context: Mutex::default(),
            conversation: tokio::sync::Mutex::new(Conversation::new(self.shared.seed, number)),
        };
        state.conversations.insert(id.clone(), Arc::new(talk));
        Ok(json!({"id": id, "title": body.get("title").cloned().unwrap_or_default()}))
    }

    fn message(&self, request: &Request, id: &str) -> Result<Answer, RefusalError> {
        let Some(key) = request.get("idempotency-key").filter(|key| !key.is_empty()) else {
            return Err(RefusalError::new(400, "idempotency_key_missing", "Idempotency-Key must be there"));
        };
        let mut body = request.json()?;
        let message = Message::read(&body)?;
        let tools = DeclaredTool::read_all(&body)?;
        let mut state = locked(&self.shared.state);
        let Some(talk) = state.conversations.get(id).map(Arc::clone) else {
            return Err(RefusalError::new(404, "unknown_conversation", "no such conversation"));
        };
        let declared = body.clone();
        // Not a part of the message: repeated later, it may come with another context.
        body.remove("context");
        if let Some(kept) = state.kept.get(key) {
            if kept.conversation != id || kept.body != body {
                return Err(RefusalError::new(
                    409,
                    "idempotency_key_reused",
                    "the key came with another request",
                ));
            }
            locked(&talk.context).update(tools, &declared);
            return Ok(kept.answer.clone());
        }
        locked(&talk.context).update(tools, &declared);
        let answers = state.kept.len() as u64;
        let (answer, writer) = Answer::new(template::uuid(self.shared.seed, &[u64::MAX, answers]));
        let kept = StoredAnswer { conversation: id.to_owned(), body, answer: answer.clone() };
        state.kept.insert(key.to_owned(), kept);
        let shared = Arc::clone(&self.shared);
        tokio::spawn(async move {
            let mut conversation = talk.conversation.lock().await;
            let context = locked(&talk.context).clone();
            conversation.answer(&message, &context, &shared.model, &writer).await;
        });
        Ok(answer)
    }
}

enum Routed {
    Opened(Value),
    Answer(Answer),
}
