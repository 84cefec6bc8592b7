//! Arguments of actions that are still on their way (specification 004): pages see them grow, under the id that the call will
//! have. The action itself is what counts: what never comes is told as an error when the answer has ended.

use super::AgentError;
use super::outbox::Turn;
use super::partial::{MAX_BYTES, PartialJson, certain};
use super::reply::MAX_ACTIONS;
use crate::Core;
use crate::call;
use crate::later::later;
use crate::store::{
    Batch, Durability, Many, Range, Reads, Snapshot, StoreError, Stored, get, json, owned_tables, scan,
};
use crate::tool;
use derive::Record;
use serde_json::{Map, Value};
use wire::action::MAX_ID_LENGTH;
use wire::api::{Source, ToolInput};
use wire::event::{CallStart, Event};

owned_tables! {
    /// Conversation id and action id → its arguments, as far as they came.
    INPUTS: ToolInputsRight = ToolInputs, InputRow;
}

/// Arguments that are on their way.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InputRow {
    /// The id that the call will have.
    call_id: String,
    /// The action's type.
    name: String,
    /// JSON that is not whole.
    text: String,
    /// The turn whose answer brings it.
    turn: String,
}

/// The arguments of the actions of one answer.
#[derive(Debug, Default)]
pub(crate) struct Inputs(Vec<Input>);

#[derive(Debug)]
struct Input {
    action_id: String,
    name: Option<String>,
    text: String,
    partial: PartialJson,
    standing: Standing,
    changed: bool,
}

/// What pages know of an input.
#[derive(Debug)]
enum Standing {
    /// Nothing.
    New,
    /// What is on disk.
    Told(Prepared),
    /// Its call is journaled: nothing more is told of its arguments.
    Arrived,
}

/// An input that pages know of.
#[derive(Debug, Clone)]
pub(crate) struct Prepared {
    key: String,
    row: Stored<InputRow>,
    args: Value,
}

impl Prepared {
    /// The id that the call has.
    pub(crate) fn call_id(&self) -> &str {
        &self.row.record.call_id
    }

    /// Stages that the action is there, with all of its arguments.
    pub(crate) fn stage_arrived(&self, params: &Map<String, Value>, batch: &mut Batch) {
        batch.expect(INPUTS, &self.key, Some(&self.row.text));
        batch.delete(INPUTS, &self.key);
        tell(batch, self.call_id(), Value::Object(params.clone()));
    }
}

impl Inputs {
    /// Takes more of the arguments of an action.
    pub(super) fn take(&mut self, action_id: &str, name: Option<String>, delta: &str) {
        if action_id.is_empty() || action_id.len() > MAX_ID_LENGTH {
            return;
        }
        if !self.0.iter().any(|input| input.action_id == action_id) {
            if self.0.len() == MAX_ACTIONS {
                return;
            }
            self.0.push(Input {
                action_id: action_id.to_owned(),
                name: None,
                text: String::new(),
                partial: PartialJson::default(),
                standing: Standing::New,
                changed: true,
            });
        }
        if let Some(input) = self.0.iter_mut().find(|input| input.action_id == action_id) {
            input.name =
                input.name.take().or(name.filter(|name| !name.is_empty() && name.len() <= MAX_ID_LENGTH));
            if input.text.len() + delta.len() <= MAX_BYTES {
                input.text.push_str(delta);
                input.partial.push(delta);
                input.changed = true;
            }
        }
    }

    /// The input of an action, if pages know of it.
    pub(crate) fn prepared(&self, action_id: &str) -> Option<&Prepared> {
        self.0.iter().find(|input| input.action_id == action_id).and_then(|input| match &input.standing {
            Standing::Told(prepared) => Some(prepared),
            Standing::New | Standing::Arrived => None,
        })
    }

    /// That actions were journaled.
    pub(super) fn arrived(&mut self, elements: &[Value]) {
        let ids = elements.iter().filter_map(|element| element.get("id").and_then(Value::as_str));
        for id in ids {
            if let Some(input) = self.0.iter_mut().find(|input| input.action_id == id) {
                input.standing = Standing::Arrived;
            }
        }
    }
}

/// Writes down what came, and tells the pages of it. An answer that is read again tells nothing twice: what was told is on
/// disk.
pub(super) async fn show(core: &Core, turn: &Turn, inputs: &mut Inputs) -> Result<(), StoreError> {
    match inputs.0.iter().any(|input| input.changed) {
        true => later(core, show_changed(core, turn, inputs)).await,
        false => Ok(()),
    }
}

async fn show_changed(core: &Core, turn: &Turn, inputs: &mut Inputs) -> Result<(), StoreError> {
    for input in inputs.0.iter_mut().filter(|input| input.changed) {
        input.changed = false;
        if matches!(input.standing, Standing::New) {
            begin(core, turn, input).await?;
        }
        grow(core, input).await?;
    }
    Ok(())
}

/// Finds what is known of an input, or tells that it began.
async fn begin(core: &Core, turn: &Turn, input: &mut Input) -> Result<(), StoreError> {
    let Some(name) = input.name.clone() else { return Ok(()) };
    let key = key(&turn.conversation_id, &input.action_id);
    if call::is_journaled(core, &turn.conversation_id, &input.action_id).await? {
        input.standing = Standing::Arrived;
        return Ok(());
    }
    if let Some(row) = get(core.database.store(), INPUTS, &key).await? {
        let args = certain(&row.record.text);
        input.standing = Standing::Told(Prepared { key, row, args });
        return Ok(());
    }
    let row =
        InputRow { call_id: core.ids.next(), name, text: String::new(), turn: turn.idempotency_key.clone() };
    let mut batch = Batch::new(Durability::Relaxed);
    batch.expect(INPUTS, &key, None);
    batch.put(INPUTS, &key, &row);
    batch.tell(&Event::ToolStarted { call: start(core, turn, &input.action_id, &row) });
    core.commit(batch).await?;
    let row = Stored { text: json(&row), record: Box::new(row) };
    input.standing = Standing::Told(Prepared { key, row, args: Value::Object(Map::new()) });
    Ok(())
}

/// Tells what is new of an input. The longer it is, the more must be new: all of it is told each time.
async fn grow(core: &Core, input: &mut Input) -> Result<(), StoreError> {
    let Standing::Told(prepared) = &mut input.standing else { return Ok(()) };
    let told = prepared.row.record.text.len();
    if input.text.len() <= told + told / 16 {
        return Ok(());
    }
    let Some(args) = input.partial.value().filter(|args| *args != prepared.args) else { return Ok(()) };
    let row = InputRow { text: input.text.clone(), ..(*prepared.row.record).clone() };
    let mut batch = Batch::new(Durability::Relaxed);
    batch.expect(INPUTS, &prepared.key, Some(&prepared.row.text));
    batch.put(INPUTS, &prepared.key, &row);
    tell(&mut batch, &row.call_id, args.clone());
    core.commit(batch).await?;
    prepared.row = Stored { text: json(&row), record: Box::new(row) };
    prepared.args = args;
    Ok(())
}

/// Stages that the inputs of a turn whose answer has ended come no more.
pub(super) async fn stage_lost(core: &Core, turn: &Turn, batch: &mut Batch) -> Result<(), StoreError> {
    let range = Range::prefix(key(&turn.conversation_id, ""));
    for row in scan(core.database.store(), INPUTS, range).await? {
        if row.record.turn == turn.idempotency_key {
            batch.expect(INPUTS, &row.key, Some(&row.text));
            batch.delete(INPUTS, &row.key);
            let error = AgentError::ArgumentsLost.text();
            batch.tell(&Event::ToolError { call_id: row.record.call_id, error });
        }
    }
    Ok(())
}

/// Declares a read of the inputs of a conversation.
pub(super) fn read(conversation_id: &str, reads: &mut Reads) -> Many<ToolInputsRight> {
    reads.scan(INPUTS, Range::prefix(key(conversation_id, "")))
}

/// The inputs as pages see them. What only its sender learns of is not among them.
pub(super) fn view(snapshot: &Snapshot, slot: Many<ToolInputsRight>) -> Result<Vec<ToolInput>, StoreError> {
    let shown = |row: InputRow| {
        let InputRow { call_id, name, text, .. } = row;
        (!is_silent(&name)).then(|| ToolInput { call_id, name, args: certain(&text) })
    };
    Ok(snapshot.many(slot)?.into_iter().filter_map(|row| shown(row.record)).collect())
}

fn key(conversation_id: &str, action_id: &str) -> String {
    [conversation_id, "/", action_id].concat()
}

fn is_silent(name: &str) -> bool {
    tool::built_in(name).is_some_and(|tool| tool.definition().own_records)
}

fn tell(batch: &mut Batch, call_id: &str, args: Value) {
    let call_id = call_id.to_owned();
    batch.tell(&Event::ToolStreaming { call_id, data: String::new(), args: Some(args), progress: None });
}

fn start(core: &Core, turn: &Turn, action_id: &str, row: &InputRow) -> CallStart {
    CallStart {
        id: row.call_id.clone(),
        action_id: action_id.to_owned(),
        kind: row.name.clone(),
        title: row.name.replace('_', " "),
        description: None,
        source: Source::Agent { conversation_id: turn.conversation_id.clone() },
        received_at: core.now(),
        run_id: turn.idempotency_key.clone(),
        visible: is_silent(&row.name).then_some(false),
    }
}
