//! One request and what is heard until its answer: progress, questions, and a stream that is taken up again where it broke.

use super::aside::Lane;
use super::error::McpError;
use super::link::{Link, Outgoing, Posted, rpc};
use super::protocol::elicit::Wanted;
use super::protocol::era::Era;
use super::protocol::list::{ListError, Page, Pages};
use super::protocol::message::{self, Incoming, RpcError};
use super::row::SentRow;
use super::stream::{Messages, Next};
use crate::agent::within;
use serde_json::{Map, Value, json};
use std::future::poll_fn;
use std::task::Poll;
use wire::api::Millis;
use wire::event::Progress;

/// How long a request other than a call may take (M12).
pub(super) const TIMEOUT: Millis = 30_000;
/// How often a stream is taken up again without anything being heard in between.
const MAX_RESUMED: u32 = 5;
/// When it is, where the server does not say.
const RETRY: Millis = 1_000;
/// A server that wants to be left alone for longer is not waited for.
const MAX_RETRY: Millis = 60_000;
/// The longest message of progress.
const MAX_MESSAGE: usize = 300;

/// A request whose answer is being read.
pub(super) struct Exchange {
    pub(super) id: String,
    status: u16,
    messages: Lane,
    /// A legacy server's own stream.
    aside: Lane,
    /// How often the stream was taken up since something was heard.
    resumed: u32,
    /// From where the stream can be taken up again, and when.
    last_event: Option<String>,
    retry: Option<Millis>,
    /// Whether something was heard that says that the list of tools changed (M4).
    pub(super) list_changed: bool,
}

/// What was heard.
pub(super) enum Heard {
    /// The answer.
    Answer(Result<Value, RpcError>),
    /// How far the tool is.
    Progress(Progress),
    /// The server wants to know something; none where it is something that was not declared.
    Question {
        /// Of the server's request.
        id: Value,
        wanted: Option<Wanted>,
    },
    /// From where the stream can be taken up again.
    Position,
}

impl Exchange {
    /// Sends a request.
    pub(super) async fn begin(link: &mut Link<'_>, request: &Outgoing) -> Result<Self, McpError> {
        let Posted { status, messages, .. } = link.request(request).await?;
        let mut exchange = Self::of(request.id.clone(), status, messages);
        // The answers of HTTP+SSE come on the stream that is open.
        if let Some((stream, _)) = link.sse.take() {
            exchange.messages = Lane::Idle(stream);
        }
        Ok(exchange)
    }

    /// Sends a call, and listens to what a legacy server asks beside its answer.
    pub(super) async fn call(link: &mut Link<'_>, request: &Outgoing) -> Result<Self, McpError> {
        link.connect().await?;
        let (before, mut aside) = (link.server.era.clone(), Lane::beside(link).await);
        let mut exchange = Self::begin(link, request).await?;
        // The session may have been lost and begun again.
        if link.server.era != before {
            aside = Lane::beside(link).await;
        }
        exchange.aside = aside;
        Ok(exchange)
    }

    /// Leaves the stream beside the answer to the next call.
    pub(super) fn leave(self, link: &Link<'_>) {
        self.aside.leave(link);
    }

    fn of(id: String, status: u16, messages: Messages) -> Self {
        let (messages, aside) = (Lane::Idle(messages), Lane::Closed);
        Self { id, status, messages, aside, resumed: 0, last_event: None, retry: None, list_changed: false }
    }

    /// Takes up a request of a worker that was stopped.
    pub(super) async fn resume(link: &mut Link<'_>, sent: &SentRow) -> Result<Self, McpError> {
        let broken = || McpError::Broken { problem: "the wallet was stopped meanwhile".to_owned() };
        let last_event = sent.last_event.as_deref().ok_or_else(broken)?;
        let same = matches!(&link.server.era, Some(Era::Legacy { session }) if *session == sent.session);
        if !same {
            return Err(broken());
        }
        let messages = link.resume(last_event).await.map_err(|_| broken())?;
        let mut exchange = Self::of(sent.id.clone(), 200, messages);
        (exchange.last_event, exchange.retry) = (sent.last_event.clone(), sent.retry);
        Ok(exchange)
    }

    /// The last event, and after how long the stream may be taken up again.
    pub(super) fn position(&self) -> (Option<String>, Option<Millis>) {
        (self.last_event.clone(), self.retry)
    }

    /// What comes next of the answer, or of the stream beside it.
    async fn next(&mut self) -> Result<Next, McpError> {
        poll_fn(|context| {
            if let Poll::Ready(next) = self.messages.poll_next(context) {
                self.note_position();
                return Poll::Ready(next);
            }
            loop {
                match self.aside.poll_next(context) {
                    Poll::Ready(Ok(Next::Message(message))) => {
                        return Poll::Ready(Ok(Next::Message(message)));
                    }
                    // It is not taken up again: the answer is what counts.
                    Poll::Ready(Ok(Next::Position)) => {}
                    Poll::Ready(_) => self.aside = Lane::Closed,
                    Poll::Pending => return Poll::Pending,
                }
            }
        })
        .await
    }

    fn note_position(&mut self) {
        if let Lane::Idle(messages) = &self.messages {
            if let Some(last) = messages.last_id() {
                self.last_event = Some(last.to_owned());
            }
            self.retry = messages.retry().or(self.retry);
        }
    }

    /// What is heard next.
    pub(super) async fn hear(&mut self, link: &mut Link<'_>) -> Result<Heard, McpError> {
        loop {
            let message = match self.next().await {
                Ok(Next::Message(message)) => message,
                Ok(Next::Position) => return Ok(Heard::Position),
                Ok(Next::End) => {
                    self.take_up(link, McpError::invalid("it ends without an answer")).await?;
                    continue;
                }
                Err(error @ McpError::TooLarge { .. }) => return Err(error),
                Err(error) => {
                    self.take_up(link, error).await?;
                    continue;
                }
            };
            self.resumed = 0;
            if let Some(heard) = self.sort(link, message).await? {
                return Ok(heard);
            }
        }
    }

    /// What a message is for this request; requests that were not declared are refused, and pings answered.
    async fn sort(&mut self, link: &mut Link<'_>, message: Incoming) -> Result<Option<Heard>, McpError> {
        Ok(match message {
            Incoming::Response { id, outcome } if id.as_str() == Some(&self.id) => {
                Some(Heard::Answer(outcome))
            }
            // M2: an answer to something else.
            Incoming::Response { .. } => None,
            Incoming::Notification { method, params } => {
                self.list_changed |= method == "notifications/tools/list_changed";
                match method.as_str() {
                    "notifications/progress" => progress(&params, &self.id).map(Heard::Progress),
                    _ => None,
                }
            }
            // M13: a modern server asks in its result, and never so.
            Incoming::Request { .. } if matches!(link.server.era, Some(Era::Modern)) => None,
            Incoming::Request { id, method, params } => match method.as_str() {
                "elicitation/create" => Some(Heard::Question { id, wanted: Wanted::read(&params) }),
                "ping" => {
                    let _unheard = link.post_message(&message::response(&id, &json!({}))).await;
                    None
                }
                _ => {
                    let _unheard = link.post_message(&message::unsupported(&id)).await;
                    None
                }
            },
        })
    }

    /// Takes the stream up again after its last event, where the server gave ids (legacy).
    async fn take_up(&mut self, link: &mut Link<'_>, why: McpError) -> Result<(), McpError> {
        let (last_event, retry) = self.position();
        let legacy = matches!(link.server.era, Some(Era::Legacy { .. }));
        let problem = why.to_string();
        let Some(last) = last_event.filter(|_| legacy && self.resumed < MAX_RESUMED) else {
            return Err(McpError::Broken { problem });
        };
        self.resumed += 1;
        let pause = retry.unwrap_or(RETRY);
        if pause > MAX_RETRY {
            return Err(McpError::Broken { problem });
        }
        link.core.ports.host.sleep(pause).await;
        match link.resume(&last).await {
            Ok(messages) => self.messages = Lane::Idle(messages),
            // The network may be back at the next attempt.
            Err(McpError::Unreachable(_)) => {}
            Err(_) => return Err(McpError::Broken { problem }),
        }
        Ok(())
    }

    /// The answer, with nothing else heard.
    async fn answer(&mut self, link: &mut Link<'_>) -> Result<Value, McpError> {
        loop {
            match self.hear(link).await? {
                Heard::Answer(Ok(result)) => return Ok(result),
                Heard::Answer(Err(error)) => return Err(rpc(self.status, error)),
                Heard::Question { id, .. } => {
                    let _unheard = link.post_message(&message::unsupported(&id)).await;
                }
                Heard::Progress(_) | Heard::Position => {}
            }
        }
    }

    /// Gives the stream of HTTP+SSE back, for the next request.
    fn end(self, link: &mut Link<'_>) {
        if let (Some(Era::Sse), None, Lane::Idle(messages)) = (&link.server.era, &link.sse, self.messages) {
            link.keep_stream(messages);
        }
    }

    /// HTTP status of the answer's head.
    pub(super) const fn status(&self) -> u16 {
        self.status
    }
}

/// M11: progress of this request, in numbers.
fn progress(params: &Value, token: &str) -> Option<Progress> {
    if params.get("progressToken").and_then(Value::as_str) != Some(token) {
        return None;
    }
    let number = |name: &str| params.get(name).filter(|value| value.is_number()).cloned();
    let message = params.get("message").and_then(Value::as_str);
    let message = message.map(|message| message.chars().take(MAX_MESSAGE).collect());
    Some(Progress { done: number("progress")?, total: number("total"), message })
}

/// A request that is no call: its result, in time.
pub(super) async fn ask(
    link: &mut Link<'_>,
    method: &'static str,
    params: Map<String, Value>,
) -> Result<Value, McpError> {
    let host = std::rc::Rc::clone(&link.core.ports.host);
    let work = async {
        let request = link.outgoing(method, params);
        let mut exchange = Exchange::begin(link, &request).await?;
        let answer = exchange.answer(link).await;
        exchange.end(link);
        answer
    };
    within(&*host, TIMEOUT, work).await
}

/// M3: every page of the tools that a server has.
pub(super) async fn list(link: &mut Link<'_>) -> Result<Pages, McpError> {
    let mut restarted = false;
    'list: loop {
        let (mut pages, mut cursor) = (Pages::default(), None);
        loop {
            let mut params = Map::new();
            params.extend(cursor.take().map(|cursor| ("cursor".to_owned(), Value::String(cursor))));
            let is_first = params.is_empty();
            let result = match ask(link, "tools/list", params).await {
                // The cursor is not good any more: from the beginning, once.
                Err(McpError::Rpc { code: RpcError::INVALID_PARAMS, .. }) if !is_first && !restarted => {
                    restarted = true;
                    continue 'list;
                }
                result => result?,
            };
            let page = Page::read(result).map_err(McpError::invalid)?;
            match pages.add(page).map_err(|error: ListError| McpError::invalid(error))? {
                Some(next) => cursor = Some(next),
                None => return Ok(pages),
            }
        }
    }
}
