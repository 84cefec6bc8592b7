//! Internal tools (T004-16): the arguments are the result, at once.

use super::visible::Visibility;
use super::{About, check_arguments};
use crate::call::CallRow;
use crate::store::{StoreError, Stored};
use crate::tool::{Admission, Context, Definition, Outcome, Output, Tool};
use async_trait::async_trait;
use serde_json::json;

/// A stored tool that only shows something.
pub(super) struct InternalTool {
    id: String,
    definition: Definition,
    visibility: Visibility,
}

impl InternalTool {
    pub(super) fn new(about: About) -> Self {
        let About { id, definition, visibility, .. } = about;
        Self { id, definition, visibility }
    }
}

#[async_trait(?Send)]
impl Tool for InternalTool {
    fn definition(&self) -> &Definition {
        &self.definition
    }

    async fn validate(&self, call: &mut CallRow, context: &mut Context<'_>) -> Result<Admission, StoreError> {
        let core = context.wallet.core;
        call.tool = Some(self.definition.name.clone().into_owned());
        call.tool_id = Some(self.id.clone());
        // Its arguments stay as they were sent: defaults are not added.
        if let Err(refusal) = check_arguments(core, &self.definition, call.params.clone()).await {
            call.visible = Some(false);
            return Ok(Err(refusal));
        }
        self.visibility.admit(call, core).await
    }

    async fn execute(
        &self,
        call: &Stored<CallRow>,
        context: &mut Context<'_>,
    ) -> Result<Outcome, StoreError> {
        let output = Output::Data(json!({ "success": true, "args": call.record.params }));
        Ok(Outcome::Ended(context.result(&self.definition, output)))
    }
}
