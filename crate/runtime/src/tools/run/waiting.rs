//! Tools whose result comes from outside (specification 004): `external` and `space`.
//!
//! One that is asynchronous ends its call at once, and its result comes by the inbox. One that is not is suspended like a
//! call that waits for a prompt: its row, and with it the time that it has, is on disk with the call's approval.

use super::visible::Visibility;
use super::window::{self, Window};
use super::{About, RunError, check_arguments};
use crate::Core;
use crate::call::{self, CallRow};
use crate::pending::{self, PendingRow};
use crate::store::{Batch, StoreError, Stored};
use crate::tool::{
    Admission, Category, Consequence, Context, Definition, Outcome, Output, Schema, Tool, Words,
};
use crate::vault;
use async_trait::async_trait;
use derive::FromJson;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::rc::Rc;
use wire::api::{CallState, Millis, Source};
use wire::json::from_value;
use wire::pending::{PendingCall, PendingStatus};

/// The block `impl` of a record.
#[derive(FromJson)]
#[serde(rename_all = "camelCase")]
struct Block {
    is_async: bool,
    timeout: Millis,
    expires_in: Millis,
    #[record(default)]
    submitters: Vec<String>,
}

/// A stored tool whose result comes from outside.
pub(super) struct WaitingTool {
    id: String,
    definition: Definition,
    visibility: Visibility,
    /// How often it may be called in a minute.
    per_minute: Option<u32>,
    block: Block,
}

impl WaitingTool {
    pub(super) fn new(about: About, mut record: Value) -> Result<Self, RunError> {
        let About { id, definition, visibility, per_minute, .. } = about;
        let block = record.get_mut("impl").map(Value::take).unwrap_or_default();
        let block = from_value(block).map_err(|_| RunError::InvalidTool)?;
        Ok(Self { id, definition, visibility, per_minute, block })
    }

    /// The tool of a call that waits already: it goes on as it began, also if the record is gone.
    pub(super) async fn of_waiting(core: &Core, call: &CallRow) -> Result<Option<Self>, StoreError> {
        if call.state != CallState::Approved || call.tool_id.is_none() {
            return Ok(None);
        }
        let Some(row) = core.pending.get(&call.id).await? else { return Ok(None) };
        let PendingRow { call: waiting, execution, timeout, result_schema, .. } = *row.record;
        let definition = Definition {
            name: Cow::Owned(waiting.tool_name),
            description: Cow::Borrowed(""),
            schema: Schema::Json(Value::Bool(true)),
            category: Category::SideEffect,
            consequence: Consequence::Medium,
            requires_confirmation: false,
            timeout: crate::tool::DEFAULT_TIMEOUT,
            tags: Words::Fixed(&[]),
            version: None,
            depends_on: Words::Fixed(&[]),
            own_records: false,
        };
        let visibility = Visibility { visible: call.visible, execution, result_schema };
        let block = Block {
            is_async: false,
            timeout: timeout.unwrap_or_default(),
            expires_in: 0,
            submitters: Vec::new(),
        };
        let id = call.tool_id.clone().unwrap_or_default();
        Ok(Some(Self { id, definition, visibility, per_minute: None, block }))
    }

    /// The row of a call that begins now.
    async fn row(&self, core: &Core, call: &CallRow, now: Millis) -> Result<PendingRow, StoreError> {
        let vault = vault::active(core.database.store()).await?;
        let conversation_id = match &call.source {
            Source::Agent { conversation_id } => Some(conversation_id.clone()),
            Source::User | Source::Dapp { .. } => None,
        };
        let row = PendingRow {
            call: PendingCall {
                tool_call_id: call.id.clone(),
                agent_entity_id: vault.map(|vault| vault.record.id().to_owned()).unwrap_or_default(),
                run_id: call.run_id.clone(),
                tool_name: self.definition.name.clone().into_owned(),
                args: call.params.clone(),
                status: PendingStatus::Pending,
                result: None,
                created_at: now,
                waits_until: None,
                expires_at: None,
                resolved_at: None,
            },
            execution: self.visibility.execution,
            conversation_id,
            timeout: (!self.block.is_async).then_some(self.block.timeout),
            result_schema: self.visibility.result_schema.clone(),
            submitters: self.block.submitters.clone(),
            tokens: Vec::new(),
        };
        Ok(row.begin(now, self.block.expires_in))
    }

    /// Counts the call among those of the last minute.
    async fn count(&self, core: &Core, batch: &mut Batch) -> Result<Result<(), RunError>, StoreError> {
        let Some(most) = self.per_minute else { return Ok(Ok(())) };
        let window = Window::open(core, &self.id).await?;
        if let Err(error) = window.check(most, core.now()) {
            return Ok(Err(error));
        }
        window.stage(&self.id, core.now(), batch);
        Ok(Ok(()))
    }

    /// Ends the call with an answer that says where its result will be (T004-18, T004-41).
    async fn defer(&self, call: &Stored<CallRow>, context: &mut Context<'_>) -> Result<Outcome, StoreError> {
        let core = context.wallet.core;
        if let Err(error) = self.count(core, &mut context.batch).await? {
            return Ok(Outcome::Ended(context.result(&self.definition, Output::failed(error))));
        }
        let row = self.row(core, &call.record, core.now()).await?;
        core.pending.stage_new(&row, &mut context.batch);
        let own = Rc::clone(core);
        context.after.push(Box::pin(async move { own.wake_after(Ok(())).await }));
        let output = json!({ "status": "pending", "pendingToolCallId": call.record.id });
        Ok(Outcome::Deferred(context.result(&self.definition, Output::Data(output))))
    }

    /// Begins to wait, or goes on (T004-20).
    async fn wait(&self, call: &Stored<CallRow>, context: &mut Context<'_>) -> Result<Outcome, StoreError> {
        let (core, id) = (context.wallet.core, &call.record.id);
        let row = match core.pending.get(id).await? {
            Some(row) => *row.record,
            None => {
                let mut batch = context.take_batch();
                if batch.writes().is_empty() {
                    call::expect_unchanged(call, &mut batch);
                }
                if let Err(error) = self.count(core, &mut batch).await? {
                    core.commit(batch).await?;
                    return Ok(Outcome::Ended(context.result(&self.definition, Output::failed(error))));
                }
                let row = self.row(core, &call.record, core.now()).await?;
                core.pending.stage_new(&row, &mut batch);
                call::show_waiting(&call.record, &mut batch);
                core.commit(batch).await?;
                row
            }
        };
        match (row.call.status, row.call.waits_until, row.call.result) {
            (PendingStatus::Waiting, Some(until), _) => {
                pending::watch(core, id, until);
                Ok(Outcome::Suspended)
            }
            // Not reached: the row and the call's end are written together.
            (_, _, Some(result)) => {
                Ok(Outcome::Ended(context.result(&self.definition, Output::Data(result))))
            }
            _ => Ok(Outcome::Ended(context.result(&self.definition, Output::cancelled()))),
        }
    }
}

#[async_trait(?Send)]
impl Tool for WaitingTool {
    fn definition(&self) -> &Definition {
        &self.definition
    }

    fn acts_in_steps(&self) -> bool {
        !self.block.is_async
    }

    fn reaches_out(&self) -> bool {
        true
    }

    async fn validate(&self, call: &mut CallRow, context: &mut Context<'_>) -> Result<Admission, StoreError> {
        let core = context.wallet.core;
        call.tool = Some(self.definition.name.clone().into_owned());
        call.tool_id = Some(self.id.clone());
        match check_arguments(core, &self.definition, std::mem::take(&mut call.params)).await {
            Ok(args) => call.params = args,
            Err(refusal) => {
                call.visible = Some(false);
                return Ok(Err(refusal));
            }
        }
        if let Some(most) = self.per_minute
            && let Err(error) = window::check(core, &self.id, most).await?
        {
            return Ok(Err(error.into()));
        }
        self.visibility.admit(call, core).await
    }

    async fn execute(
        &self,
        call: &Stored<CallRow>,
        context: &mut Context<'_>,
    ) -> Result<Outcome, StoreError> {
        match self.block.is_async {
            true => self.defer(call, context).await,
            false => self.wait(call, context).await,
        }
    }

    async fn stage_cancelled(
        &self,
        core: &Core,
        call: &CallRow,
        batch: &mut Batch,
    ) -> Result<(), StoreError> {
        pending::stage_cancelled(core, &call.id, batch).await
    }
}
