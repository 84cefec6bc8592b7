//! Local tools: a name, a description and a schema of the user's own for a function that is compiled in.

use super::error::RunError;
use super::visible::Visibility;
use super::{About, check_arguments, check_output};
use crate::Core;
use crate::call::CallRow;
use crate::store::{Batch, StoreError, Stored};
use crate::tool::{
    self, Admission, Category, Context, Definition, Outcome, Output, Prepared, Tool, ToolResult,
};
use async_trait::async_trait;
use serde_json::Value;
use std::rc::Rc;
use wire::failure::Failure;

/// A stored tool that runs a function.
pub(super) struct LocalTool {
    id: String,
    definition: Definition,
    visibility: Visibility,
    function: &'static dyn Tool,
    output_schema: Value,
}

impl LocalTool {
    pub(super) fn new(about: About, mut record: Value) -> Result<Self, RunError> {
        let About { id, mut definition, visibility, .. } = about;
        let name = ["goFunc", "function"].into_iter().find_map(|key| record.get("impl")?.get(key)?.as_str());
        let function = name.and_then(tool::built_in).ok_or(RunError::InvalidTool)?;
        // What the function demands is not lost under another name.
        let own = function.definition();
        definition.requires_confirmation |= own.requires_confirmation;
        if definition.category == Category::Read {
            definition.category = own.category;
        }
        let output_schema = record.get_mut("outputSchema").map(Value::take).unwrap_or_default();
        Ok(Self { id, definition, visibility, function, output_schema })
    }
}

#[async_trait(?Send)]
impl Tool for LocalTool {
    fn definition(&self) -> &Definition {
        &self.definition
    }

    fn refused(&self, why: Failure) -> Output {
        self.function.refused(why)
    }

    fn acts_in_steps(&self) -> bool {
        self.function.acts_in_steps()
    }

    async fn validate(&self, call: &mut CallRow, context: &mut Context<'_>) -> Result<Admission, StoreError> {
        let args = std::mem::take(&mut call.params);
        match check_arguments(context.wallet.core, &self.definition, args).await {
            Ok(args) => call.params = args,
            Err(refusal) => return Ok(Err(refusal)),
        }
        call.tool = Some(self.definition.name.clone().into_owned());
        call.tool_id = Some(self.id.clone());
        match self.function.validate(call, context).await? {
            Ok(()) => self.visibility.admit(call, context.wallet.core).await,
            refused => Ok(refused),
        }
    }

    async fn prepare(&self, call: &CallRow, context: &mut Context<'_>) -> Result<Prepared, StoreError> {
        self.function.prepare(call, context).await
    }

    async fn execute(
        &self,
        call: &Stored<CallRow>,
        context: &mut Context<'_>,
    ) -> Result<Outcome, StoreError> {
        let outcome = self.function.execute(call, context).await?;
        let Outcome::Ended(ToolResult { output, .. }) = outcome else { return Ok(Outcome::Suspended) };
        let output = match output {
            Output::Data(value) => {
                let checked = check_output(context.wallet.core, &self.output_schema, value).await;
                checked.map_or_else(Output::failed, Output::Data)
            }
            failed => failed,
        };
        Ok(Outcome::Ended(context.result(&self.definition, output)))
    }

    async fn stage_cancelled(
        &self,
        core: &Core,
        call: &CallRow,
        batch: &mut Batch,
    ) -> Result<(), StoreError> {
        self.function.stage_cancelled(core, call, batch).await
    }

    async fn stop(&self, core: &Rc<Core>, call: &CallRow) -> Result<bool, StoreError> {
        self.function.stop(core, call).await
    }
}
