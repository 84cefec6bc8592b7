//! Reading an answer as it arrives: text to the page, actions to the journal, before the next bytes are awaited.

use super::AgentError;
use super::classify::bundle_of_transactions;
use super::deliver::{Cut, given_up};
use super::dialect::{self, Said, body};
use super::forms::Forms;
use super::inputs::{self, Inputs};
use super::outbox::Turn;
use super::timeline::MessageRow;
use super::timeline::put_message;
use crate::Core;
use crate::call::{self, Journaled, Sender};
use crate::later::later;
use crate::pending;
use crate::ports::{Body, Host, NetError, NetResponse};
use crate::store::{Batch, Durability, StoreError};
use serde_json::Value;
use std::rc::Rc;
use wire::api::{MessageState, Millis, Role, Source};
use wire::event::Event;
use wire::failure::Failure;
use wire::sse::Decoder;

/// The backend sends a comment every 15 s; a stream that is silent for this long is dead.
const SILENCE: Millis = 120_000;
/// The largest plain JSON answer.
const MAX_BODY: usize = 8 << 20;
/// The largest answer in a stream.
pub(super) const MAX_STREAM: usize = 32 << 20;
/// An answer is read for so long, however it drips.
pub(super) const LONGEST_ANSWER: Millis = 30 * 60 * 1000;
/// Actions in one answer. The first one over is refused, which tells the sender, and the answer ends there: to refuse each
/// of any number would be without bound.
pub(super) const MAX_ACTIONS: usize = 100;
/// The longest text of one message that is kept.
const MAX_TEXT: usize = 1 << 20;

/// An answer being read.
struct Reply<'a> {
    turn: &'a Turn,
    message: MessageRow,
    /// On disk already.
    shown: bool,
    /// Elements of `actions` journaled so far, of this answer.
    actions: usize,
    /// Arguments of actions that are on their way.
    inputs: Inputs,
    /// Requests seen so far in this answer, with those that wait for its end.
    seen: usize,
    /// The first request over [`MAX_ACTIONS`].
    surplus: Option<Value>,
    /// What it wants signed, as far as that is known only at its end.
    forms: Forms,
    /// Said to be complete.
    complete: bool,
    failed: Option<String>,
}

/// Reads an answer to its end. An answer that breaks off is the network's error: it is asked for again.
pub(super) async fn read_reply(core: &Rc<Core>, turn: &Turn, response: NetResponse) -> Result<(), Cut> {
    let mut reply = Reply::new(turn, core.now());
    let read = if response.content_type.starts_with("text/event-stream") {
        read_stream(core, &mut reply, response.body).await
    } else {
        read_body(core, &mut reply, response.body).await
    };
    let broken = match read {
        Ok(()) if reply.failed.is_some() || reply.complete => None,
        Ok(()) => Some(NetError("the answer broke off before its end".to_owned())),
        Err(Cut::Net(error)) => Some(error),
        Err(other) => return Err(other),
    };
    if let Some(error) = broken {
        // What was held for its end is answered all the same, once the rest is no longer asked for.
        if given_up(turn, core.now()) {
            settle_forms(core, &mut reply, false).await?;
        }
        return Err(error.into());
    }
    let whole = reply.failed.is_none();
    settle_forms(core, &mut reply, whole).await?;
    refuse_surplus(core, &mut reply).await?;
    Ok(close_reply(core, &mut reply).await?)
}

async fn read_stream(core: &Rc<Core>, reply: &mut Reply<'_>, mut body: Box<dyn Body>) -> Result<(), Cut> {
    let mut decoder = Decoder::default();
    let (until, mut received) = (core.now() + LONGEST_ANSWER, 0);
    while reply.surplus.is_none() {
        let left = until.saturating_sub(core.now());
        let chunk = within(&*core.ports.host, left.min(SILENCE), body.chunk()).await;
        let chunk = match chunk {
            _ if core.now() >= until => {
                reply.cut(AgentError::AnswerTooLong);
                break;
            }
            Err(error) => return Err(Cut::Net(error)),
            Ok(None) => break,
            Ok(Some(chunk)) => chunk,
        };
        received += chunk.len();
        if received > MAX_STREAM {
            reply.cut(AgentError::StreamTooLarge);
            break;
        }
        let mut said = Vec::new();
        let decoded = decoder.push(&chunk, &mut |event| said.extend(dialect::event(event.name, event.data)));
        take(core, reply, said).await?;
        if let Err(error) = decoded {
            // Asking again would bring the same: the answer ends here, and says so.
            reply.failed = Some(Failure::of(error.code(), &error).to_string());
            break;
        }
    }
    Ok(())
}

async fn read_body(core: &Rc<Core>, reply: &mut Reply<'_>, response: Box<dyn Body>) -> Result<(), Cut> {
    let text = within(&*core.ports.host, SILENCE, whole(response)).await?;
    match body(&text) {
        Some(said) => {
            take(core, reply, said).await?;
            reply.complete = true;
        }
        None => reply.failed = Some(AgentError::BadAnswer.text()),
    }
    Ok(())
}

/// Takes what one chunk said: its text as one event, its actions to disk before they run.
async fn take(core: &Rc<Core>, reply: &mut Reply<'_>, said: Vec<Said>) -> Result<(), StoreError> {
    let mut changed_from: Option<usize> = None;
    for one in said {
        match one {
            Said::Text(delta) => {
                changed_from.get_or_insert(reply.message.content.len());
                reply.push(&delta);
            }
            Said::Replace(text) => {
                changed_from = Some(0);
                reply.message.content.clear();
                reply.push(&text);
            }
            Said::Message(content) => {
                reply.complete = true;
                // A backend that streamed the text may leave it out at the end.
                let new = content.filter(|text| !text.is_empty() && *text != reply.message.content);
                if let Some(content) = new {
                    changed_from = Some(0);
                    reply.message.content.clear();
                    reply.push(&content);
                }
            }
            Said::Title(title) => core.conversations.rename(&reply.turn.conversation_id, &title).await?,
            Said::Input { id, name, delta } => reply.inputs.take(&id, name, &delta),
            Said::Actions(elements) => {
                show_text(core, reply, changed_from.take()).await?;
                inputs::show(core, reply.turn, &mut reply.inputs).await?;
                let elements = reply.admit(elements);
                let at_once = reply.forms.take_actions(elements);
                journal_actions(core, reply, &at_once).await?;
            }
            Said::Transactions(transactions) if transactions.is_empty() => {}
            Said::Transactions(transactions) if reply.seen < MAX_ACTIONS => {
                reply.seen += 1;
                reply.forms.take_transactions(transactions);
            }
            Said::Transactions(transactions) => {
                reply.surplus = Some(bundle_of_transactions(&reply.turn.idempotency_key, &transactions));
            }
            Said::ToolResults(elements) => {
                let conversation_id = &reply.turn.conversation_id;
                later(core, pending::submit_from_agent(core, conversation_id, elements)).await?;
            }
            Said::Ready(ready) => reply.forms.take_ready(ready),
            Said::Error(error) => reply.failed = Some(AgentError::Reported(error).text()),
            Said::Done => reply.complete = true,
        }
        if reply.surplus.is_some() {
            reply.failed = Some(AgentError::TooManyActions.text());
            break;
        }
    }
    show_text(core, reply, changed_from).await?;
    inputs::show(core, reply.turn, &mut reply.inputs).await
}

async fn journal_actions(
    core: &Rc<Core>,
    reply: &mut Reply<'_>,
    elements: &[Value],
) -> Result<Vec<Journaled>, StoreError> {
    let calls = call::journal(core, &sender(reply), reply.actions, elements).await?;
    reply.actions += elements.len();
    reply.inputs.arrived(elements);
    call::run_lane(core, &reply.turn.conversation_id);
    Ok(calls)
}

/// Answers the first request over the bound with why it and those after it were not taken.
async fn refuse_surplus(core: &Rc<Core>, reply: &mut Reply<'_>) -> Result<(), StoreError> {
    let Some(element) = reply.surplus.take() else { return Ok(()) };
    let why = AgentError::TooManyActions.into();
    call::journal_refused(core, &sender(reply), reply.actions, &element, why).await?;
    call::run_lane(core, &reply.turn.conversation_id);
    Ok(())
}

fn sender<'a>(reply: &'a Reply<'_>) -> Sender<'a> {
    let turn = reply.turn;
    let source = Source::Agent { conversation_id: turn.conversation_id.clone() };
    let inputs = Some(&reply.inputs);
    Sender { source, lane: &turn.conversation_id, turn: &turn.idempotency_key, inputs }
}

/// Journals what had to wait for the answer's end: old fields, and the actions that are about them.
async fn settle_forms(core: &Rc<Core>, reply: &mut Reply<'_>, whole: bool) -> Result<(), StoreError> {
    if reply.forms.is_empty() {
        return Ok(());
    }
    let turn = reply.turn;
    let earlier = core.journal.last_ready(&turn.conversation_id).await?;
    let forms = std::mem::take(&mut reply.forms);
    let settled = forms.settle(&turn.idempotency_key, earlier.as_deref(), whole);
    let calls = journal_actions(core, reply, &settled.elements).await?;
    match settled.ready_at.and_then(|at| calls.get(at)) {
        Some(call) => core.journal.note_ready(&turn.conversation_id, call.id()).await,
        None => Ok(()),
    }
}

/// Writes the text so far, with the news of what is new in it.
async fn show_text(core: &Core, reply: &mut Reply<'_>, from: Option<usize>) -> Result<(), StoreError> {
    let Some(from) = from else { return Ok(()) };
    let (before, delta) =
        reply.message.content.split_at_checked(from).unwrap_or(("", &reply.message.content));
    let event = Event::TextDelta {
        conversation_id: reply.message.conversation_id.clone(),
        message_id: reply.message.id.clone(),
        offset: before.encode_utf16().count(),
        delta: delta.to_owned(),
    };
    let mut batch = Batch::new(Durability::Relaxed);
    put_message(&mut batch, &reply.message);
    if !reply.shown {
        // Begins empty, also when an answer is read for the second time: the text follows.
        let message = MessageRow { content: String::new(), ..reply.message.clone() };
        batch.tell(&Event::Message { message: message.into() });
        reply.shown = true;
    }
    batch.tell(&event);
    core.commit(batch).await
}

/// The answer is complete, or said why it is not.
async fn close_reply(core: &Core, reply: &mut Reply<'_>) -> Result<(), StoreError> {
    if reply.message.content.is_empty() && !reply.shown && reply.failed.is_none() {
        return Ok(());
    }
    reply.message.state = if reply.failed.is_some() { MessageState::Failed } else { MessageState::Done };
    reply.message.error = reply.failed.clone();
    write_message(core, &reply.message).await
}

/// An answer that was never completed is shown as such.
pub(crate) async fn fail_reply(core: &Core, turn: &Turn, error: String) -> Result<(), StoreError> {
    let known = core.conversations.message(&turn.conversation_id, &turn.reply_id).await?;
    let mut message = known.unwrap_or_else(|| Reply::new(turn, core.now()).message);
    message.state = MessageState::Failed;
    message.error = Some(error);
    write_message(core, &message).await
}

async fn write_message(core: &Core, message: &MessageRow) -> Result<(), StoreError> {
    let mut batch = Batch::new(Durability::Relaxed);
    put_message(&mut batch, message);
    batch.tell(&Event::Message { message: message.clone().into() });
    core.commit(batch).await
}

impl<'a> Reply<'a> {
    fn new(turn: &'a Turn, now: Millis) -> Self {
        let message = MessageRow {
            id: turn.reply_id.clone(),
            conversation_id: turn.conversation_id.clone(),
            role: Role::Agent,
            content: String::new(),
            state: MessageState::Streaming,
            error: None,
            created_at: now,
            tool: None,
        };
        Self {
            turn,
            message,
            shown: false,
            actions: 0,
            inputs: Inputs::default(),
            seen: 0,
            surplus: None,
            forms: Forms::default(),
            complete: false,
            failed: None,
        }
    }

    /// Counts requests; gives those that one answer may have, and keeps the first that is too many.
    fn admit(&mut self, mut requests: Vec<Value>) -> Vec<Value> {
        let room = MAX_ACTIONS.saturating_sub(self.seen);
        if requests.len() > room {
            self.surplus = requests.drain(room..).next();
        }
        self.seen += requests.len();
        requests
    }

    /// Ends the answer where it is. What was received stands; one that was complete already is whole.
    fn cut(&mut self, error: AgentError) {
        if !self.complete {
            self.failed.get_or_insert(error.text());
        }
    }

    fn push(&mut self, text: &str) {
        let room = MAX_TEXT.saturating_sub(self.message.content.len());
        let end = (0..=text.len().min(room)).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        self.message.content.push_str(text.get(..end).unwrap_or_default());
    }
}

/// A whole body as text, within bounds.
pub(crate) async fn whole(mut body: Box<dyn Body>) -> Result<String, NetError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = body.chunk().await? {
        if bytes.len() + chunk.len() > MAX_BODY {
            return Err(NetError(format!("the answer is larger than {MAX_BODY} bytes")));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The network's answer, if it comes in time.
pub(crate) async fn within<T, E: From<NetError>>(
    host: &dyn Host,
    limit: Millis,
    answer: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    let mut answer = std::pin::pin!(answer);
    let mut late = std::pin::pin!(host.sleep(limit));
    std::future::poll_fn(|context| match answer.as_mut().poll(context) {
        std::task::Poll::Ready(answer) => std::task::Poll::Ready(answer),
        std::task::Poll::Pending => {
            late.as_mut().poll(context).map(|()| Err(NetError("no answer in time".to_owned()).into()))
        }
    })
    .await
}
