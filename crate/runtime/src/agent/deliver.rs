//! Delivery: the turns of a conversation, one at a time, each until it is fully answered.
//!
//! A turn leaves the outbox only when its answer was read to the end. A worker that dies anywhere before sends
//! the same bytes under the same key again; the backend answers from its record, we recognise the actions by
//! their ids, and nothing happens twice.

use super::AgentError;
use super::inputs;
use super::outbox::{Queued, Subject, Turn};
use super::reply::{whole, within};
use super::timeline::{Record, Remote, put_message};
use crate::Core;
use crate::agent::reply;
use crate::call;
use crate::ports::{NetError, NetRequest, NetResponse};
use crate::store::{Batch, Durability, StoreError, Stored};
use crate::trim;
use crate::work::until_rest;
use serde_json::{Value, json};
use std::rc::Rc;
use wire::api::{Delivery, MessageState, Millis};
use wire::event::Event;

/// Waits between attempts: short ones by a timer, long ones by the alarm, which a dead worker hears too.
const BACK_OFF: [Millis; 12] =
    [500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 30_000, 30_000, 30_000, 60_000, 300_000];
/// A worker may be kept alive for a wait of at most this long.
const LONGEST_TIMER: Millis = 10_000;
/// The longest wait there is.
const LONGEST_WAIT: Millis = 300_000;
/// How long a result is offered before it counts as refused.
const OFFERED_FOR: Millis = 24 * 60 * 60 * 1000;
/// How often an answer that breaks off after 2xx is asked for again.
const MAX_BROKEN_ANSWERS: u32 = 6;
/// How long the backend may take to begin its answer, and to name a conversation.
const HEAD_TIMEOUT: Millis = 60_000;

/// Why an exchange with the backend ended before its end.
#[derive(Debug, thiserror::Error)]
pub(super) enum Cut {
    /// Our own store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No answer, or one that broke off.
    #[error(transparent)]
    Net(#[from] NetError),
    /// The backend's head, or our own settings, say what to do about the turn.
    #[error("{0:?}")]
    Settled(Outcome),
}

/// What became of an attempt.
#[derive(Debug)]
pub(super) enum Outcome {
    /// Fully answered; the turn is done.
    Answered,
    /// Taken before, and not answered again: there is nothing left to do.
    Duplicate,
    /// No, or not yet: worth another attempt.
    Later { reason: String, retry_after: Option<Millis> },
    /// It is for another backend than the one in the settings, and waits for that address.
    Elsewhere { backend: String },
    /// The token is missing or wrong.
    Unauthorised,
    /// The backend will never take it.
    Refused { reason: String },
}

/// Takes up delivery in every conversation that has something to say.
pub(crate) async fn deliver_everything(core: &Rc<Core>) -> Result<(), StoreError> {
    for queued in core.outbox.turns().await? {
        deliver(core, &queued.turn.conversation_id);
    }
    Ok(())
}

/// The same at once, without the turns' pauses: the address or the token changed.
pub(crate) async fn deliver_now(core: &Rc<Core>) -> Result<(), StoreError> {
    for queued in core.outbox.turns().await? {
        if queued.turn.not_before > 0 {
            let turn = Turn { not_before: 0, attempts: 0, ..queued.turn.clone() };
            update_turn(core, &queued, &turn, Batch::new(Durability::Relaxed)).await?;
        }
        deliver(core, &queued.turn.conversation_id);
    }
    Ok(())
}

/// Delivers a conversation's turns, beside other work.
pub(crate) fn deliver(core: &Rc<Core>, conversation_id: &str) {
    let conversation_id = conversation_id.to_owned();
    core.spawn_single(format!("delivery {conversation_id}"), move |core| {
        let conversation_id = conversation_id.clone();
        async move {
            // As in a lane: an old worker's half-read answer must not be written over its successor's whole one.
            let _alone = core.ports.host.lock(&format!("delivery/{conversation_id}")).await;
            let outcome = until_rest(|| deliver_next(&core, &conversation_id)).await;
            core.wake_after(outcome).await;
            trim::when_due(&core);
        }
    });
}

/// Attempts the conversation's oldest turn; whether to go on at once.
async fn deliver_next(core: &Rc<Core>, conversation_id: &str) -> Result<bool, StoreError> {
    let Some(queued) =
        core.outbox.turns().await?.into_iter().find(|queued| queued.turn.conversation_id == conversation_id)
    else {
        return Ok(false);
    };
    let wait = queued.turn.not_before.saturating_sub(core.now());
    if wait > LONGEST_TIMER {
        return Ok(false);
    }
    if wait > 0 {
        sleep_or_change(core, &queued, wait).await?;
        return Ok(true);
    }
    let outcome = match attempt(core, &queued).await {
        Ok(()) => Outcome::Answered,
        Err(Cut::Net(NetError(reason))) => Outcome::Later { reason, retry_after: None },
        Err(Cut::Settled(outcome)) => outcome,
        Err(Cut::Store(error)) => return Err(error),
    };
    // The turn may have been acknowledged, and so rewritten, during the attempt.
    if let Some(now) = core.outbox.turn(&queued.key).await? {
        conclude(core, now, outcome).await?;
    }
    Ok(true)
}

/// Waits, unless the turn is changed meanwhile (the settings were).
async fn sleep_or_change(core: &Core, queued: &Queued, wait: Millis) -> Result<(), StoreError> {
    let mut slept = Box::pin(core.ports.host.sleep(wait));
    loop {
        let seen = core.database.changed.version();
        if core.outbox.turn(&queued.key).await?.is_none_or(|now| now.text != queued.text) {
            return Ok(());
        }
        let mut changed = Box::pin(core.database.changed.changed_since(seen));
        let woken = std::future::poll_fn(|context| match slept.as_mut().poll(context) {
            std::task::Poll::Ready(()) => std::task::Poll::Ready(true),
            std::task::Poll::Pending => changed.as_mut().poll(context).map(|()| false),
        })
        .await;
        if woken {
            return Ok(());
        }
    }
}

/// Sends the turn and reads the answer to its end. What a conversation has to say goes to its own backend and to no
/// other: the address and the token are of that origin, or nothing is sent.
async fn attempt(core: &Rc<Core>, queued: &Queued) -> Result<(), Cut> {
    let turn = &queued.turn;
    let Some(stored) = core.conversations.get(&turn.conversation_id).await? else {
        let reason = "conversation_not_found".to_owned();
        return Err(Cut::Settled(Outcome::Refused { reason }));
    };
    let settings = core.settings.read().await?;
    let own = stored.record.conversation.backend.clone();
    let Some(backend) = settings.backend().filter(|backend| own.as_ref() == Some(backend)) else {
        // Setting the address again sends everything at once.
        let backend = own.unwrap_or_else(|| "its agent".to_owned());
        return Err(Cut::Settled(Outcome::Elsewhere { backend }));
    };
    let backend = Backend { url: settings.backend_url, token: core.settings.token(&backend).await };
    let remote_id = remote_conversation(core, &backend, stored).await?;
    let path = format!("/agent/conversations/{remote_id}/messages");
    let response =
        post(core, &backend, &path, &turn.body, &turn.idempotency_key, "text/event-stream").await?;
    if let Some(outcome) = refusal(&response) {
        return Err(Cut::Settled(outcome));
    }
    acknowledge(core, queued).await?;
    reply::read_reply(core, turn, response).await
}

/// Where a turn is sent, and with which token.
struct Backend {
    url: String,
    token: Option<String>,
}

/// The backend's id of the conversation; each address is asked for its own once.
async fn remote_conversation(core: &Core, backend: &Backend, stored: Stored<Record>) -> Result<String, Cut> {
    if let Some(remote) = stored.record.remote.as_ref().filter(|remote| remote.backend_url == backend.url) {
        return Ok(remote.id.clone());
    }
    let body = json!({"public_key": stored.record.public_key, "title": stored.record.conversation.title});
    let key = &stored.record.conversation.id;
    let response = post(core, backend, "/agent/conversations", &body, key, "application/json").await?;
    match refusal(&response) {
        None => {}
        // A conflict here says nothing of the turn, which has not been sent.
        Some(Outcome::Duplicate) => {
            return Err(NetError("the conversation is in conflict".to_owned()).into());
        }
        Some(outcome) => return Err(Cut::Settled(outcome)),
    }
    let text = within(&*core.ports.host, HEAD_TIMEOUT, whole(response.body)).await?;
    let id = conversation_id_in(&text)
        .ok_or_else(|| NetError("the backend gave the conversation no usable id".to_owned()))?;
    let remote = Remote { backend_url: backend.url.clone(), id: id.clone() };
    core.conversations.set_remote(stored, remote).await?;
    Ok(id)
}

async fn post(
    core: &Core,
    Backend { url, token }: &Backend,
    path: &str,
    body: &Value,
    key: &str,
    accept: &str,
) -> Result<NetResponse, NetError> {
    let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let mut headers = vec![header("Accept", accept), header("Idempotency-Key", key)];
    if let Some(token) = token {
        headers.push(header("Authorization", &["Bearer ", token].concat()));
    }
    let url = format!("{url}{path}");
    let answer = core.ports.net.send(NetRequest::json(url, headers, Some(body.to_string())));
    within(&*core.ports.host, HEAD_TIMEOUT, answer).await
}

/// 2xx: the backend has it. Written before the answer is read, so that pages know.
async fn acknowledge(core: &Core, queued: &Queued) -> Result<(), StoreError> {
    if queued.turn.acknowledged {
        return Ok(());
    }
    let turn = Turn { acknowledged: true, attempts: 0, ..queued.turn.clone() };
    let mut batch = Batch::new(Durability::Strict);
    settle_subject(core, &mut batch, &turn, Delivery::Delivered, None).await?;
    update_turn(core, queued, &turn, batch).await
}

async fn update_turn(core: &Core, queued: &Queued, turn: &Turn, mut batch: Batch) -> Result<(), StoreError> {
    core.outbox.stage_update(&mut batch, queued, turn);
    match core.commit(batch).await {
        // Changed settings woke it in the same moment; it is read afresh.
        Err(StoreError::Conflict { .. }) => Ok(()),
        other => other,
    }
}

/// Writes what an attempt means for the turn.
async fn conclude(core: &Rc<Core>, queued: Queued, outcome: Outcome) -> Result<(), StoreError> {
    let now = core.now();
    let turn = &queued.turn;
    match outcome {
        Outcome::Answered => {
            // Not yet noted only if the turn was rewritten while its answer began.
            let delivery = (!turn.acknowledged).then_some(Delivery::Delivered);
            finish(core, &queued, delivery, None).await
        }
        Outcome::Duplicate => finish(core, &queued, Some(Delivery::Delivered), None).await,
        Outcome::Unauthorised => {
            let later = Turn { not_before: now + LONGEST_WAIT, attempts: turn.attempts + 1, ..turn.clone() };
            let mut batch = Batch::new(Durability::Relaxed);
            batch.tell(&Event::AuthRequired {});
            update_turn(core, &queued, &later, batch).await
        }
        Outcome::Refused { reason } if matches!(turn.subject, Subject::Message(_)) => {
            finish(core, &queued, Some(Delivery::Refused), Some(AgentError::Refused(reason))).await
        }
        Outcome::Later { reason, .. } | Outcome::Refused { reason } if given_up(turn, now) => {
            let delivery = (!turn.acknowledged).then_some(Delivery::Refused);
            reply::fail_reply(core, turn, AgentError::AnswerLost(reason.clone()).text()).await?;
            finish(core, &queued, delivery, Some(AgentError::Refused(reason))).await
        }
        Outcome::Elsewhere { backend } if offered_for_long(turn, now) => {
            let error = AgentError::BackendChanged(backend);
            if turn.acknowledged {
                reply::fail_reply(core, turn, error.text()).await?;
                return finish(core, &queued, None, None).await;
            }
            finish(core, &queued, Some(Delivery::Refused), Some(error)).await
        }
        // No attempt was made: it does not count as one.
        Outcome::Elsewhere { .. } => postpone(core, &queued, turn.attempts, LONGEST_WAIT).await,
        Outcome::Later { retry_after, .. } => {
            let step =
                BACK_OFF.get(turn.attempts as usize).or(BACK_OFF.last()).copied().unwrap_or(LONGEST_WAIT);
            // "At once" from a backend that cannot serve would be a loop without a pause.
            let shortest = BACK_OFF.first().copied().unwrap_or(step);
            let wait = retry_after.map_or(step, |asked| asked.max(shortest));
            postpone(core, &queued, turn.attempts + 1, wait).await
        }
        Outcome::Refused { .. } => {
            let wait = BACK_OFF.last().copied().unwrap_or(LONGEST_WAIT);
            postpone(core, &queued, turn.attempts + 1, wait).await
        }
    }
}

async fn postpone(core: &Core, queued: &Queued, attempts: u32, wait: Millis) -> Result<(), StoreError> {
    let turn = Turn { attempts, not_before: core.now() + wait, ..queued.turn.clone() };
    update_turn(core, queued, &turn, Batch::new(Durability::Relaxed)).await?;
    core.alarm.schedule().await
}

/// The turn leaves the outbox.
async fn finish(
    core: &Core,
    queued: &Queued,
    delivery: Option<Delivery>,
    error: Option<AgentError>,
) -> Result<(), StoreError> {
    let mut batch = Batch::new(Durability::Strict);
    if let Some(delivery) = delivery {
        settle_subject(core, &mut batch, &queued.turn, delivery, error.as_ref()).await?;
    }
    inputs::stage_lost(core, &queued.turn, &mut batch).await?;
    core.outbox.stage_removal(&mut batch, queued);
    core.commit(batch).await
}

/// Notes on the message or the call that the backend has it, or will not have it.
async fn settle_subject(
    core: &Core,
    batch: &mut Batch,
    turn: &Turn,
    delivery: Delivery,
    error: Option<&AgentError>,
) -> Result<(), StoreError> {
    match &turn.subject {
        Subject::Message(id) => {
            let Some(mut message) = core.conversations.message(&turn.conversation_id, id).await? else {
                return Ok(());
            };
            message.state =
                if delivery == Delivery::Refused { MessageState::Failed } else { MessageState::Done };
            message.error = error.map(AgentError::text);
            put_message(batch, &message);
            batch.tell(&Event::Message { message: message.into() });
        }
        Subject::Result(id) => {
            if let Some(call) = core.journal.call(id).await? {
                let call = call::stage_delivery(call, delivery, batch);
                batch.tell(&Event::ResultDelivered { call: call.change(None, Some(call.delivery)) });
            }
        }
        // The call's own result is what the pages show as delivered; an item has a record or a message of its own.
        Subject::Late(_) | Subject::Inbox(_) => {}
    }
    Ok(())
}

/// Whether an attempt that fails now is the last.
pub(super) const fn given_up(turn: &Turn, now: Millis) -> bool {
    (turn.acknowledged && turn.attempts >= MAX_BROKEN_ANSWERS) || offered_for_long(turn, now)
}

const fn offered_for_long(turn: &Turn, now: Millis) -> bool {
    now > turn.queued_at + OFFERED_FOR
}

/// The id in the backend's answer, if it can stand in an address.
fn conversation_id_in(body: &str) -> Option<String> {
    let body: Value = serde_json::from_str(body).ok()?;
    let id = body.get("id")?.as_str()?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    (!id.is_empty() && id.bytes().all(plain)).then(|| id.to_owned())
}

/// What a head that is not 2xx means; `None` for 2xx.
fn refusal(response: &NetResponse) -> Option<Outcome> {
    let status = response.status;
    let reason = format!("the backend answered {status}");
    match status {
        200..=299 => None,
        401 | 403 => Some(Outcome::Unauthorised),
        409 => Some(Outcome::Duplicate),
        408 | 425 | 429 | 500..=599 => Some(Outcome::Later {
            reason,
            retry_after: response.retry_after.map(|seconds| seconds.min(3_600) * 1000),
        }),
        _ => Some(Outcome::Refused { reason }),
    }
}
