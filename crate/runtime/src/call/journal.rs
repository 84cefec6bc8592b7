//! The journal: calls from their arrival to their one result.

use super::CallRow;
use crate::Core;
use crate::agent::outbox::Told;
use crate::agent::timeline;
use crate::audit::digest;
use crate::database::Database;
use crate::store::{
    self, Batch, Durability, Many, One, Range, Reads, StoreError, Stored, get, owned_tables, scan,
};
use crate::tool::ToolResult;
use crate::tools;
use crate::trim::surplus;
use std::cell::RefCell;
use std::rc::Rc;
use wire::action::ActionResult;
use wire::api::{CallState, Delivery, MessageState, Millis, Source};
use wire::audit::AuditRecord;
use wire::event::Event;
use wire::failure::Failure;

owned_tables! {
    /// Call id → call.
    CALLS: CallsRight = Calls, CallRow;
    /// Sender (of the agent: the conversation) and action id → call id: what has been journaled is never run again.
    ACTIONS: ActionsRight = Actions, String;
    /// Lane and call id → nothing: calls that have not ended.
    PENDING: PendingRight = Pending, ();
    /// Call id → how often its result went out again.
    REPEATS: RepeatsRight = Repeats, u32;
    /// Conversation id → the call of its last `tx_ready`.
    TX_READY: TxReadyRight = TxReady, String;
}

/// How often a result goes out again because the backend repeats its action; a backend that asks for ever is
/// answered no more.
const MAX_REPEATS: u32 = 8;
/// No more ended calls than these are kept, except those of the last two days.
const MAX_CALLS: usize = 10_000;
/// The largest answer to a page that every page is told of.
const LARGEST_TOLD: usize = 16 << 10;
/// Characters that the audit log keeps of an unknown type's name.
const LONGEST_NAME: usize = 100;

/// Calls from their arrival to their one result. The only writer of `calls`, `actions` and `pending`.
pub(crate) struct Journal {
    database: Rc<Database>,
    /// The call that ended last, and its result.
    ended: RefCell<Option<(String, ActionResult)>>,
    /// The call that most likely runs next: it is read together with the list that says so.
    next: RefCell<String>,
}

impl Journal {
    pub(crate) const fn new(database: Rc<Database>) -> Self {
        Self { database, ended: RefCell::new(None), next: RefCell::new(String::new()) }
    }

    /// A call.
    pub(crate) async fn call(&self, id: &str) -> Result<Option<Stored<CallRow>>, StoreError> {
        get(self.database.store(), CALLS, id).await
    }

    /// Some calls, in the order of their ids as given.
    pub(crate) async fn calls<'a>(
        &self,
        ids: impl Iterator<Item = &'a str>,
    ) -> Result<Vec<Option<CallRow>>, StoreError> {
        let mut reads = Reads::new();
        let slots: Vec<_> = ids.map(|id| reads.get(CALLS, id)).collect();
        let snapshot = reads.from(self.database.store()).await?;
        slots.into_iter().map(|slot| Ok(snapshot.one(slot)?.map(|stored| *stored.record))).collect()
    }

    /// At most `limit` calls before one, newest first.
    pub(crate) async fn newest(
        &self,
        before: Option<String>,
        limit: u32,
    ) -> Result<Vec<CallRow>, StoreError> {
        let range = Range { before, descending: true, limit: Some(limit), ..Range::all() };
        let rows = scan(self.database.store(), CALLS, range).await?;
        Ok(rows.into_iter().map(|row| row.record).collect())
    }

    /// The call that an action became before.
    pub(super) async fn known(&self, key: &str) -> Result<Option<String>, StoreError> {
        Ok(get(self.database.store(), ACTIONS, key).await?.map(|stored| *stored.record))
    }

    /// The call that an action of an agent's conversation became.
    pub(crate) async fn call_of_action(
        &self,
        conversation_id: &str,
        action_id: &str,
    ) -> Result<Option<String>, StoreError> {
        self.known(&["agent:", conversation_id, "/id/", action_id].concat()).await
    }

    /// Whether the call that a request of a web page became has not ended; `None` if it became none.
    pub(crate) async fn is_open_action(&self, origin: &str, id: &str) -> Result<Option<bool>, StoreError> {
        let call = self.known_call(&["dapp:", origin, "/id/", id].concat()).await?;
        Ok(call.map(|call| call.is_open()))
    }

    /// The calls of a web page that have not ended.
    pub(crate) async fn open_of_page(&self, origin: &str) -> Result<Vec<CallRow>, StoreError> {
        let mut reads = Reads::new();
        let pending = reads.scan(PENDING, Range::prefix("dapp-".to_owned()));
        let keys = reads.from(self.database.store()).await?.keys(pending);
        let ids = keys.iter().filter_map(|key| key.split_once('/')).map(|(_, id)| id);
        let calls = self.calls(ids).await?.into_iter().flatten();
        let asks = |call: &CallRow| matches!(&call.source, Source::Dapp { origin: of } if of == origin);
        Ok(calls.filter(asks).collect())
    }

    /// The call that an action became before, whole.
    pub(super) async fn known_call(&self, key: &str) -> Result<Option<CallRow>, StoreError> {
        match self.known(key).await? {
            Some(id) => Ok(self.call(&id).await?.map(|stored| *stored.record)),
            None => Ok(None),
        }
    }

    /// The lanes in which calls have not ended.
    pub(crate) async fn open_lanes(&self) -> Result<Vec<String>, StoreError> {
        let mut reads = Reads::new();
        let pending = read_pending(&mut reads);
        let keys = reads.from(self.database.store()).await?.keys(pending);
        let lane = |key: &String| key.split_once('/').map(|(lane, _)| lane.to_owned());
        let mut lanes: Vec<String> = keys.iter().filter_map(lane).collect();
        lanes.dedup();
        Ok(lanes)
    }

    /// That a call may run now.
    pub(crate) fn runs_next(&self, id: String) {
        self.next.replace(id);
    }

    /// The first call of a lane that has not ended.
    pub(super) async fn first_pending(&self, lane: &str) -> Result<Option<Stored<CallRow>>, StoreError> {
        let likely = self.next.borrow().clone();
        let mut reads = Reads::new();
        let pending = reads.scan(PENDING, Range::prefix(format!("{lane}/")).first(1));
        let call = reads.get(CALLS, &likely);
        let snapshot = reads.from(self.database.store()).await?;
        let pending = snapshot.keys(pending);
        let Some((_, id)) = pending.first().and_then(|key| key.split_once('/')) else {
            return Ok(None);
        };
        if id == likely
            && let Some(call) = snapshot.one(call)?
        {
            return Ok(Some(call));
        }
        let missing = || StoreError::corrupt("calls", id, "is missing".to_owned());
        self.call(id).await?.map(Some).ok_or_else(missing)
    }

    /// Calls that are too old or too many, oldest first, each with the key by which its action is recognised.
    pub(crate) async fn surplus(&self, now: Millis) -> Result<Vec<(String, String)>, StoreError> {
        let actions = scan(self.database.store(), ACTIONS, Range::all()).await?;
        let calls = actions.into_iter().map(|row| (row.record, row.key)).collect();
        Ok(surplus(calls, MAX_CALLS, now))
    }

    /// Stages the removal of a call that was read, if it has ended and is delivered. Whether it has.
    pub(crate) fn stage_trimmed(
        &self,
        (id, key): &(String, String),
        call: Option<&Stored<CallRow>>,
        batch: &mut Batch,
    ) -> bool {
        if call.is_some_and(|call| call.record.is_open() || call.record.delivery == Delivery::Pending) {
            return false;
        }
        batch.expect(CALLS, id, call.map(|call| call.text.as_str()));
        batch.delete(CALLS, id);
        batch.delete(ACTIONS, key);
        batch.delete(REPEATS, id);
        true
    }

    /// Stages that a conversation is removed.
    pub(crate) fn stage_conversation_trimmed(&self, conversation_id: &str, batch: &mut Batch) {
        batch.delete(TX_READY, conversation_id);
    }

    /// The call of the last `tx_ready` in a conversation.
    pub(crate) async fn last_ready(&self, conversation_id: &str) -> Result<Option<String>, StoreError> {
        Ok(get(self.database.store(), TX_READY, conversation_id).await?.map(|stored| *stored.record))
    }

    /// Notes the call of a `tx_ready`. One that is read again does not become the last: ids sort by time.
    pub(crate) async fn note_ready(&self, conversation_id: &str, call_id: &str) -> Result<(), StoreError> {
        if self.last_ready(conversation_id).await?.as_deref() >= Some(call_id) {
            return Ok(());
        }
        let mut batch = Batch::new(Durability::Strict);
        batch.put(TX_READY, conversation_id, &call_id.to_owned());
        self.database.commit(batch).await
    }

    /// Waits until a call has ended.
    pub(crate) async fn wait_for_result(&self, call_id: &str) -> Result<ActionResult, StoreError> {
        loop {
            let seen = self.database.pending.version();
            let call = self.call(call_id).await?;
            if let Some(CallState::Done { result, .. }) = call.map(|call| call.record.state) {
                return Ok(result);
            }
            self.database.pending.changed_since(seen).await;
            if let Some((_, result)) = self.ended.take().filter(|(ended, _)| ended == call_id) {
                return Ok(result);
            }
        }
    }

    /// Hands over the result of a call whose end was committed just now: a page that waits for it need not read it.
    pub(crate) fn hand_over(&self, call_id: String, result: ActionResult) {
        self.ended.replace(Some((call_id, result)));
    }
}

/// Declares a read of a call.
pub(crate) fn read(reads: &mut Reads, id: &str) -> One<CallsRight> {
    reads.get(CALLS, id)
}

/// Declares a read of the calls that have not ended. A key is a lane and a call id.
pub(crate) fn read_pending(reads: &mut Reads) -> Many<PendingRight> {
    reads.scan(PENDING, Range::all())
}

/// The key under which a call that has not ended is found by its lane.
fn pending_key(call: &CallRow) -> String {
    format!("{}/{}", call.lane, call.id)
}

/// Stages a new call; gives its text on disk.
pub(super) fn stage_arrival(batch: &mut Batch, key: &str, call: &CallRow) -> String {
    let text = store::json(call);
    batch.expect(ACTIONS, key, None);
    batch.put(ACTIONS, key, &call.id);
    batch.put_text(CALLS, &call.id, text.clone());
    batch.put(PENDING, &pending_key(call), &());
    text
}

/// Stages another state of a call, unless the call changed since it was read.
pub(crate) fn stage_state(call: Stored<CallRow>, state: CallState, batch: &mut Batch) -> CallRow {
    let Stored { text, record } = call;
    stage_change(&text, CallRow { state, ..*record }, batch)
}

/// Stages another state of a call together with other parameters: the user chose another fee.
pub(crate) fn stage_filled(before: &str, call: CallRow, state: CallState, batch: &mut Batch) -> CallRow {
    stage_change(before, CallRow { state, ..call }, batch)
}

/// Stages what became of a call's result on its way to the backend.
pub(crate) fn stage_delivery(call: Stored<CallRow>, delivery: Delivery, batch: &mut Batch) -> CallRow {
    let Stored { text, record } = call;
    stage_change(&text, CallRow { delivery, ..*record }, batch)
}

/// A call without a text on disk arrives with its first change. One that the pages have not been told of is told now.
fn stage_change(before: &str, mut call: CallRow, batch: &mut Batch) -> CallRow {
    let is_new = before.is_empty() || call.unannounced;
    call.unannounced = false;
    if is_new {
        announce(batch, &call);
        timeline::show_tool(batch, &call, MessageState::Streaming, None, None);
    }
    if before.is_empty() {
        stage_arrival(batch, &own_key(&call), &call);
        return call;
    }
    batch.expect(CALLS, &call.id, Some(before));
    batch.put(CALLS, &call.id, &call);
    call
}

/// Stages that the pages are told of a call. Its conversation has a mark of it, unless the tool says whether it is shown.
pub(super) fn announce(batch: &mut Batch, call: &CallRow) {
    if let (Source::Agent { conversation_id }, None) = (&call.source, call.visible) {
        timeline::mark_call(batch, conversation_id, &call.id);
    }
    if !call.is_started {
        batch.tell(&Event::ToolStarted { call: call.start() });
    }
}

/// Stages that a call is shown as one that waits for a result from outside.
pub(crate) fn show_waiting(call: &CallRow, batch: &mut Batch) {
    timeline::show_tool(batch, call, MessageState::RequiresAction, None, None);
}

/// Only if the call is still as it was read.
pub(crate) fn expect_unchanged(call: &Stored<CallRow>, batch: &mut Batch) {
    batch.expect(CALLS, &call.record.id, Some(&call.text));
}

/// The key under which a page's own call is recognised.
pub(super) fn own_key(call: &CallRow) -> String {
    ["user/id/", &call.action_id].concat()
}

/// The backend sent an action again: it gets the stored result again (T000-2), unless that is on its way.
pub(super) async fn repeat_result(core: &Core, call_id: &str) -> Result<(), StoreError> {
    let Some(call) = core.journal.call(call_id).await? else {
        return Ok(());
    };
    let (CallState::Done { result, .. }, Source::Agent { conversation_id }, Delivery::Delivered) =
        (call.record.state.clone(), call.record.source.clone(), call.record.delivery)
    else {
        return Ok(());
    };
    let repeats = get(core.database.store(), REPEATS, call_id).await?.map_or(0, |stored| *stored.record);
    if repeats >= MAX_REPEATS {
        return Ok(());
    }
    let mut batch = Batch::new(Durability::Strict);
    stage_delivery(call, Delivery::Pending, &mut batch);
    batch.put(REPEATS, call_id, &(repeats + 1));
    let reply_id = core.outbox.reply_id(call_id).await?.unwrap_or_else(|| core.ids.next());
    stage_result(core, &mut batch, &conversation_id, call_id, &result, reply_id).await?;
    match core.commit(batch).await {
        // Another worker is repeating it already.
        Err(StoreError::Conflict { .. }) => Ok(()),
        other => other,
    }
}

async fn stage_result(
    core: &Core,
    batch: &mut Batch,
    conversation_id: &str,
    call_id: &str,
    result: &ActionResult,
    reply_id: String,
) -> Result<(), StoreError> {
    let conversation = core.conversations.get(conversation_id).await?.map(|stored| *stored.record);
    let agent = conversation.as_ref().and_then(|record| record.conversation.backend.as_deref());
    let news = core.outbox.news(conversation_id, agent, &*tools::declared(core).await?).await?;
    let public_key = conversation.map(|record| record.public_key);
    let told = Told { conversation_id, public_key, subject: call_id, result, news };
    core.outbox.stage_result(batch, told, reply_id);
    Ok(())
}

/// Stages a call's end: the one result, its way to the backend, and the news for the pages.
pub(crate) async fn end_call(
    core: &Core,
    batch: &mut Batch,
    call: Stored<CallRow>,
    result: ToolResult,
) -> Result<ActionResult, StoreError> {
    let (call, result) = end(core, batch, call, result).await?;
    tell_end(batch, &call, &result);
    Ok(result)
}

/// Stages a call's end whose tool has no result yet: the pages are told of its end when that comes.
pub(crate) async fn end_deferred(
    core: &Core,
    batch: &mut Batch,
    call: Stored<CallRow>,
    result: ToolResult,
) -> Result<ActionResult, StoreError> {
    let (call, result) = end(core, batch, call, result).await?;
    timeline::show_tool(batch, &call, MessageState::RequiresAction, None, None);
    Ok(result)
}

/// The one end of a call's tool, for the pages (T004-66).
fn tell_end(batch: &mut Batch, call: &CallRow, result: &ActionResult) {
    let (call_id, error) = (call.id.clone(), result.error.clone());
    let output = result.data.as_ref().filter(|_| error.is_none());
    let state = if error.is_some() { MessageState::Failed } else { MessageState::Done };
    timeline::show_tool(batch, call, state, output, error.clone());
    batch.tell(&match error {
        Some(error) => Event::ToolError { call_id, error },
        None => {
            let result = output.filter(|output| store::json(*output).len() <= LARGEST_TOLD).cloned();
            Event::ToolDone { call_id, result }
        }
    });
}

async fn end(
    core: &Core,
    batch: &mut Batch,
    call: Stored<CallRow>,
    result: ToolResult,
) -> Result<(CallRow, ActionResult), StoreError> {
    let Stored { text, record: mut call } = call;
    call.fetched_at = Some(result.fetched_at);
    let result = result.into_answer(&call);
    if text.is_empty() || call.unannounced {
        announce(batch, &call);
        call.unannounced = false;
    }
    if text.is_empty() {
        stage_arrival(batch, &own_key(&call), &call);
    } else {
        batch.expect(CALLS, &call.id, Some(&text));
    }
    if let Source::Agent { conversation_id } = &call.source {
        call.delivery = Delivery::Pending;
        let reply_id = core.ids.next();
        stage_result(core, batch, conversation_id, &call.id, &result, reply_id).await?;
    }
    if call.tool_id.is_some() {
        core.vaults.close_with_call(&call.id, batch).await?;
    }
    batch.delete(PENDING, &pending_key(&call));
    tools::stage_ended(&call, batch);
    let call = record_end(batch, *call, result.clone(), core.now());
    Ok((call, result))
}

/// Stages a call that was answered as it arrived: a page merely looked. The record holds what was asked, the audit log a
/// digest of the answer, and neither of them the answer, which can be had again.
pub(super) fn stage_looked(
    batch: &mut Batch,
    key: &str,
    mut call: CallRow,
    result: &ActionResult,
    now: Millis,
) {
    batch.expect(ACTIONS, key, None);
    batch.put(ACTIONS, key, &call.id);
    batch.note(audited(&call, result, &store::json(result)));
    let result = ActionResult { data: None, ..result.clone() };
    call.state = CallState::Done { result, at: now };
    batch.put(CALLS, &call.id, &call);
    let change = call.change(Some(call.state.clone()), Some(call.delivery));
    batch.tell(&Event::ActionResult { call: change });
}

/// The call's record with its one result, and the news of it.
fn record_end(batch: &mut Batch, mut call: CallRow, result: ActionResult, now: Millis) -> CallRow {
    let said = store::json(&result);
    batch.note(audited(&call, &result, &said));
    call.state = CallState::Done { result, at: now };
    batch.put(CALLS, &call.id, &call);
    let change = call.change(Some(told(&call, said.len())), Some(call.delivery));
    batch.tell(&Event::ActionResult { call: change });
    call
}

/// What the audit log keeps of a call: what was asked and answered as digests only, for either may hold anything.
fn audited(call: &CallRow, result: &ActionResult, said: &str) -> AuditRecord {
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

/// A call's end as the pages are told of it. The page that asked has a large answer already; for the others it is in the
/// record, and need not crowd the events.
fn told(call: &CallRow, length: usize) -> CallState {
    match (&call.source, &call.state) {
        (Source::User, CallState::Done { result, at }) if length > LARGEST_TOLD => {
            let ActionResult { action, action_id, success, error, .. } = result.clone();
            CallState::Done {
                result: ActionResult { action, action_id, success, data: None, error },
                at: *at,
            }
        }
        (_, state) => state.clone(),
    }
}
