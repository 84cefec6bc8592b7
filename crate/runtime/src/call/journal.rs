//! Arrival: every element of an `actions` array becomes a call on disk, or is recognised as one already there.

use crate::Core;
use crate::agent::classify::classify;
use crate::agent::timeline;
use crate::audit::digest;
use crate::call::pending_key;
use crate::id::derived;
use crate::store::{self, Batch, Durability, StoreError, Stored, Table, read};
use crate::tool::{self, Category, Output};
use serde_json::{Map, Value};
use std::rc::Rc;
use wire::action::{Action, ActionResult, MalformedActionError};
use wire::api::{Call, CallState, Delivery, Millis, Source};
use wire::audit::AuditRecord;
use wire::event::Event;
use wire::failure::Failure;

/// How often a result goes out again because the backend repeats its action; a backend that asks for ever is
/// answered no more.
const MAX_REPEATS: u32 = 8;
/// The largest answer to a page that every page is told of.
const LARGEST_TOLD: usize = 16 << 10;
/// Characters that the audit log keeps of a type that nobody knows.
const LONGEST_NAME: usize = 100;

/// Who sends a list of actions, and how to recognise the list.
pub(crate) struct Sender<'a> {
    /// Who.
    pub(crate) source: Source,
    /// The lane that its calls run in.
    pub(crate) lane: &'a str,
    /// Names the delivery, the same when it is read again.
    pub(crate) turn: &'a str,
}

/// An element that was written down.
pub(crate) enum Journaled {
    /// Now, as this call.
    New(Box<Stored<Call>>),
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
pub(crate) fn durability(call: &Call) -> Durability {
    let looks = tool::definition(call.tool.as_deref()).is_some_and(|tool| tool.category == Category::Read);
    if looks && call.source == Source::User { Durability::Relaxed } else { Durability::Strict }
}

impl Core {
    /// Writes down every element before any of them runs. `first` is the place of the first element in its
    /// delivery: elements without an id of their own are recognised by place.
    pub(crate) async fn journal(
        self: &Rc<Self>,
        sender: &Sender<'_>,
        first: usize,
        elements: &[Value],
    ) -> Result<Vec<Journaled>, StoreError> {
        let mut calls = Vec::with_capacity(elements.len());
        for (index, element) in elements.iter().enumerate() {
            calls.push(self.journal_one(sender, first + index, element).await?);
        }
        Ok(calls)
    }

    async fn journal_one(
        self: &Rc<Self>,
        sender: &Sender<'_>,
        index: usize,
        element: &Value,
    ) -> Result<Journaled, StoreError> {
        let (key, call) = self.new_call(sender, index, element);
        let mut batch = Batch::new(durability(&call));
        batch.expect(Table::Actions, &key, None);
        batch.put(Table::Actions, &key, &call.id);
        batch.put(Table::Calls, &call.id, &call);
        batch.put(Table::Pending, &pending_key(&call), &());
        if let Source::Agent { conversation_id } = &sender.source {
            timeline::mark_call(&mut batch, conversation_id, &call.id);
        }
        batch.tell(&Event::ToolStarted { call: call.clone() });
        match self.commit(batch).await {
            Ok(()) => Ok(Journaled::New(Box::new(Stored { text: store::json(&call), record: call }))),
            // Nearly always it is new: only if not, the one that was there is looked up.
            Err(conflict @ StoreError::Conflict { .. }) => {
                let known = read::<String>(&*self.ports.store, Table::Actions, &key).await?;
                let id = known.ok_or(conflict)?.record;
                self.repeat_result(&id).await?;
                Ok(Journaled::Known(id))
            }
            Err(error) => Err(error),
        }
    }

    /// The call that an element becomes, and the key by which it is recognised.
    pub(super) fn new_call(&self, sender: &Sender<'_>, index: usize, element: &Value) -> (String, Call) {
        let parsed = Action::parse(element);
        let key = action_key(sender, index, &parsed);
        (key, new_call(self.ids.next(), sender, self.now(), parsed))
    }

    /// The backend sent an action again: it gets the stored result again (T000-2), unless that is on its way.
    async fn repeat_result(&self, call_id: &str) -> Result<(), StoreError> {
        let Some(call) = read::<Call>(&*self.ports.store, Table::Calls, call_id).await? else {
            return Ok(());
        };
        let CallState::Done { result, .. } = &call.record.state else {
            return Ok(());
        };
        let Source::Agent { conversation_id } = &call.record.source else {
            return Ok(());
        };
        if call.record.delivery != Delivery::Delivered {
            return Ok(());
        }
        let repeats_key = format!("repeats/{call_id}");
        let repeats = read::<u32>(&*self.ports.store, Table::Counters, &repeats_key).await?;
        let count = repeats.as_ref().map_or(0, |stored| stored.record);
        if count >= MAX_REPEATS {
            return Ok(());
        }
        let mut again = call.record.clone();
        again.delivery = Delivery::Pending;
        let mut batch = Batch::new(Durability::Strict);
        batch.expect(Table::Calls, call_id, Some(&call.text));
        batch.put(Table::Calls, call_id, &again);
        batch.put(Table::Counters, &repeats_key, &(count + 1));
        self.enqueue_result(&mut batch, conversation_id, call_id, result, true).await?;
        match self.commit(batch).await {
            // Somebody else is repeating it already.
            Err(StoreError::Conflict { .. }) => Ok(()),
            other => other,
        }
    }

    /// Writes a call's end: the one result, its way to the backend, and the news for the pages.
    pub(crate) async fn end_call(
        &self,
        batch: &mut Batch,
        call: Stored<Call>,
        output: Output,
    ) -> Result<ActionResult, StoreError> {
        let Stored { text, record: mut call } = call;
        let result = output.into_result(&call);
        batch.expect(Table::Calls, &call.id, Some(&text));
        if let Source::Agent { conversation_id } = &call.source {
            call.delivery = Delivery::Pending;
            self.enqueue_result(batch, conversation_id, &call.id, &result, false).await?;
        }
        batch.delete(Table::Pending, &pending_key(&call));
        record_end(batch, call, result.clone(), self.now());
        Ok(result)
    }

    /// Waits until a call has ended.
    pub(crate) async fn wait_for_result(&self, call_id: &str) -> Result<ActionResult, StoreError> {
        loop {
            let seen = self.database.changed.version();
            let call: Option<Stored<Call>> = store::read(&*self.ports.store, Table::Calls, call_id).await?;
            if let Some(CallState::Done { result, .. }) = call.map(|call| call.record.state) {
                return Ok(result);
            }
            self.database.changed.changed_since(seen).await;
        }
    }
}

/// The call's record with its one result, and the news of it.
pub(super) fn record_end(batch: &mut Batch, mut call: Call, result: ActionResult, now: Millis) {
    let said = store::json(&result);
    batch.note(audited(&call, &result, &said));
    call.state = CallState::Done { result, at: now };
    batch.put(Table::Calls, &call.id, &call);
    batch.tell(&Event::ActionResult { call: for_pages(call, said.len()) });
}

/// What the audit log keeps of a call: what was asked and answered as digests only, for either may hold anything.
fn audited(call: &Call, result: &ActionResult, said: &str) -> AuditRecord {
    let tool = call.tool.as_ref().unwrap_or(&call.kind);
    AuditRecord::Result {
        call_id: call.id.clone(),
        source: call.source.clone(),
        // It stays for good: a sender's own word gets the room of a name.
        tool: tool.chars().take(LONGEST_NAME).collect(),
        params: digest(&store::json(&call.params)),
        success: result.success,
        error: result.error.as_deref().map(|error| Failure::parse(error).code().to_owned()),
        result: digest(said),
    }
}

/// A call as the pages are told of it. The page that asked has a large answer already; for the others it is in the
/// record, and need not crowd the events.
fn for_pages(mut call: Call, length: usize) -> Call {
    if let (Source::User, CallState::Done { result, .. }) = (&call.source, &mut call.state)
        && length > LARGEST_TOLD
    {
        result.data = None;
    }
    call
}

/// Under which key an element is journaled: the sender and the action's id, so that one sender can neither
/// answer nor silence another's action.
fn action_key(sender: &Sender<'_>, index: usize, parsed: &Result<Action, MalformedActionError>) -> String {
    let who = match &sender.source {
        Source::Agent { .. } => "agent".to_owned(),
        Source::User => "user".to_owned(),
        Source::Dapp { origin } => format!("dapp:{origin}"),
    };
    let id = match parsed {
        Ok(action) => Some(&action.id),
        Err(malformed) => malformed.id.as_ref(),
    };
    match id {
        Some(id) => format!("{who}/id/{id}"),
        None => format!("{who}/turn/{}", derived(&[sender.turn, &index.to_string()])),
    }
}

fn new_call(
    id: String,
    sender: &Sender<'_>,
    now: Millis,
    parsed: Result<Action, MalformedActionError>,
) -> Call {
    let base = Call {
        id,
        action_id: String::new(),
        kind: String::new(),
        tool: None,
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
    };
    match parsed {
        Ok(action) => {
            let classified = classify(&action);
            let title = action.title.filter(|title| !title.trim().is_empty());
            Call {
                action_id: action.id,
                title: title.unwrap_or_else(|| action.kind.replace('_', " ")),
                kind: action.kind,
                tool: classified.tool.map(str::to_owned),
                description: action.description,
                legacy: classified.legacy,
                params: classified.params,
                auto_execute: action.auto_execute,
                ..base
            }
        }
        Err(malformed) => Call {
            action_id: malformed.id.clone().unwrap_or_default(),
            kind: malformed.kind.clone().unwrap_or_default(),
            title: "A request that cannot be read".to_owned(),
            problem: Some(malformed.failure()),
            ..base
        },
    }
}
