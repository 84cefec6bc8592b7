//! Arrival: every element of an `actions` array becomes a call on disk, or is recognised as one already there.

use super::journal::{announce, repeat_result, stage_arrival};
use crate::Core;
use crate::agent::classify::classify;
use crate::agent::inputs::Inputs;
use crate::call::CallRow;
use crate::id::derived;
use crate::store::{Batch, Durability, StoreError, Stored};
use crate::tool::{self, Category};
use serde_json::{Map, Value};
use std::rc::Rc;
use wire::action::{Action, MalformedActionError};
use wire::api::{CallState, Delivery, Millis, Source};
use wire::evm::Filled;
use wire::failure::Failure;

/// Who sends a list of actions, and how to recognise the list.
pub(crate) struct Sender<'a> {
    /// Who.
    pub(crate) source: Source,
    /// The lane that its calls run in.
    pub(crate) lane: &'a str,
    /// Names the delivery, the same when it is read again.
    pub(crate) turn: &'a str,
    /// Arguments that pages have seen on their way.
    pub(crate) inputs: Option<&'a Inputs>,
}

/// An element that was written down.
pub(crate) enum Journaled {
    /// Now, as this call.
    New(Box<Stored<CallRow>>),
    /// Before, as the call of this id.
    Known(String),
}

impl Journaled {
    pub(crate) fn id(&self) -> &str {
        match self {
            Self::New(call) => &call.record.id,
            Self::Known(id) => id,
        }
    }
}

/// A record that precedes an effect, or a result that the backend will be told, must be on the medium. What a page
/// merely looks up may be looked up again.
pub(crate) fn durability(call: &CallRow) -> Durability {
    let tool = call.tool.as_deref().and_then(tool::built_in);
    let looks = tool.is_some_and(|tool| tool.definition().category == Category::Read);
    if looks && call.source == Source::User { Durability::Relaxed } else { Durability::Strict }
}

/// Writes down every element before any of them runs. An action whose id stands twice among them is one action (D18).
/// `first` is the place of the first element in its delivery:
/// elements without an id of their own are recognised by place.
pub(crate) async fn journal(
    core: &Rc<Core>,
    sender: &Sender<'_>,
    first: usize,
    elements: &[Value],
) -> Result<Vec<Journaled>, StoreError> {
    let mut calls = Vec::with_capacity(elements.len());
    let mut keys: Vec<(String, String)> = Vec::with_capacity(elements.len());
    for (index, element) in elements.iter().enumerate() {
        let (key, call) = read_action(core, sender, first + index, element);
        if let Some((_, id)) = keys.iter().find(|(known, _)| *known == key) {
            calls.push(Journaled::Known(id.clone()));
            continue;
        }
        let journaled = journal_one(core, sender, &key, call).await?;
        keys.push((key, journaled.id().to_owned()));
        calls.push(journaled);
    }
    Ok(calls)
}

/// Writes down a web page's action, with what the wallet filled in and what `beside` stages in the same commit. A conflict
/// that is not the action's own is of what was staged beside it.
pub(crate) async fn journal_filled(
    core: &Rc<Core>,
    sender: &Sender<'_>,
    element: &Value,
    filled: Option<Filled>,
    beside: impl FnOnce(&CallRow, &mut Batch),
) -> Result<Journaled, StoreError> {
    let (key, mut call) = read_action(core, sender, 0, element);
    call.filled = filled;
    let mut batch = Batch::new(durability(&call));
    beside(&call, &mut batch);
    let text = stage_arrival(&mut batch, &key, &call);
    announce(&mut batch, &call);
    match core.commit(batch).await {
        Ok(()) => Ok(Journaled::New(Box::new(Stored { text, record: Box::new(call) }))),
        Err(conflict @ StoreError::Conflict { .. }) => {
            Ok(Journaled::Known(core.journal.known(&key).await?.ok_or(conflict)?))
        }
        Err(error) => Err(error),
    }
}

/// Writes down an element that is not run, and why: it is answered like one that is malformed.
pub(crate) async fn journal_refused(
    core: &Rc<Core>,
    sender: &Sender<'_>,
    index: usize,
    element: &Value,
    why: Failure,
) -> Result<(), StoreError> {
    let (key, call) = read_action(core, sender, index, element);
    let call = CallRow { problem: Some(why), tool: None, ..call };
    journal_one(core, sender, &key, call).await.map(|_| ())
}

async fn journal_one(
    core: &Rc<Core>,
    sender: &Sender<'_>,
    key: &str,
    mut call: CallRow,
) -> Result<Journaled, StoreError> {
    let mut batch = Batch::new(durability(&call));
    let prepared = sender.inputs.and_then(|inputs| inputs.prepared(&call.action_id));
    if let Some(prepared) = prepared {
        prepared.call_id().clone_into(&mut call.id);
        prepared.stage_arrived(&call.params, &mut batch);
        call.is_started = true;
    }
    // Whether its conversation shows it is the tool's to say, which is looked up when it runs.
    call.unannounced = call.tool.is_none() && call.problem.is_none();
    let text = stage_arrival(&mut batch, key, &call);
    if !call.unannounced {
        announce(&mut batch, &call);
    }
    match core.commit(batch).await {
        Ok(()) => Ok(Journaled::New(Box::new(Stored { text, record: Box::new(call) }))),
        // Nearly always it is new: only if not, the one that was there is looked up.
        Err(conflict @ StoreError::Conflict { .. }) => {
            let id = core.journal.known(key).await?.ok_or(conflict)?;
            repeat_result(core, &id).await?;
            Ok(Journaled::Known(id))
        }
        Err(error) => Err(error),
    }
}

/// The call that an element becomes, and the key by which it is recognised.
pub(super) fn read_action(
    core: &Core,
    sender: &Sender<'_>,
    index: usize,
    element: &Value,
) -> (String, CallRow) {
    let parsed = Action::parse(element);
    let key = action_key(sender, index, &parsed);
    (key, new_call(core.ids.next(), sender, core.now(), parsed))
}

/// Under which key an element is journaled: the sender and the action's id, so that one sender can neither
/// answer nor silence another's action. A conversation is with one backend for good, so it names both. An element
/// without an id is known by its turn, which is of one conversation.
fn action_key(sender: &Sender<'_>, index: usize, parsed: &Result<Action, MalformedActionError>) -> String {
    let id = match parsed {
        Ok(action) => Some(&action.id),
        Err(malformed) => malformed.id.as_ref(),
    };
    let who = match &sender.source {
        Source::Agent { conversation_id } if id.is_some() => agent(conversation_id),
        Source::Agent { .. } => "agent".to_owned(),
        Source::User => "user".to_owned(),
        Source::Dapp { origin } => dapp(origin),
    };
    match id {
        Some(id) => format!("{who}/id/{id}"),
        None => format!("{who}/turn/{}", derived(&[sender.turn, &index.to_string()])),
    }
}

fn agent(conversation_id: &str) -> String {
    format!("agent:{conversation_id}")
}

fn dapp(origin: &str) -> String {
    format!("dapp:{origin}")
}

/// The call that a web page's request became.
pub(crate) async fn call_of_request(
    core: &Core,
    origin: &str,
    request_id: &str,
) -> Result<Option<String>, StoreError> {
    core.journal.known(&[&dapp(origin), "/id/", request_id].concat()).await
}

/// Whether an agent's action is a call already.
pub(crate) async fn is_journaled(
    core: &Core,
    conversation_id: &str,
    action_id: &str,
) -> Result<bool, StoreError> {
    let key = [&agent(conversation_id), "/id/", action_id].concat();
    Ok(core.journal.known(&key).await?.is_some())
}

impl CallRow {
    /// A call of which nothing is known but who sends it.
    pub(super) fn new(id: String, sender: &Sender<'_>, now: Millis) -> Self {
        Self {
            id,
            action_id: String::new(),
            kind: String::new(),
            tool: None,
            tool_id: None,
            title: String::new(),
            description: None,
            legacy: false,
            problem: None,
            params: Map::new(),
            auto_execute: None,
            source: sender.source.clone(),
            lane: sender.lane.to_owned(),
            state: CallState::Received,
            received_at: now,
            delivery: Delivery::None,
            preview: None,
            run_id: sender.turn.to_owned(),
            visible: None,
            space: None,
            unannounced: false,
            is_started: false,
            fetched_at: None,
            filled: None,
        }
    }
}

fn new_call(
    id: String,
    sender: &Sender<'_>,
    now: Millis,
    parsed: Result<Action, MalformedActionError>,
) -> CallRow {
    let base = CallRow::new(id, sender, now);
    match parsed {
        Ok(action) => {
            let classified = classify(&action);
            let title = action.title.filter(|title| !title.trim().is_empty());
            let silent =
                classified.tool.and_then(tool::built_in).filter(|tool| tool.definition().own_records);
            CallRow {
                action_id: action.id,
                title: title.unwrap_or_else(|| action.kind.replace('_', " ")),
                kind: action.kind,
                tool: classified.tool.map(str::to_owned),
                description: action.description,
                legacy: classified.legacy,
                params: classified.params,
                auto_execute: action.auto_execute,
                visible: silent.map(|_| false),
                ..base
            }
        }
        Err(malformed) => CallRow {
            action_id: malformed.id.clone().unwrap_or_default(),
            kind: malformed.kind.clone().unwrap_or_default(),
            title: "A request that cannot be read".to_owned(),
            problem: Some(malformed.failure()),
            ..base
        },
    }
}
