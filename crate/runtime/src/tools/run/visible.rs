//! Whether a call of a tool is shown in its sender's space (specification 004).

use crate::Core;
use crate::call::{CallRow, InSpace};
use crate::store::StoreError;
use crate::tool::Admission;
use serde_json::Value;
use wire::api::ExecutionType;
use wire::failure::Failure;

/// What a record says of it.
pub(super) struct Visibility {
    /// None where the record does not say: its conversation has a mark of the call.
    pub(super) visible: Option<bool>,
    /// How the tool gets its result.
    pub(super) execution: ExecutionType,
    /// What a person's result must be.
    pub(super) result_schema: Option<Value>,
}

impl Visibility {
    /// Of a record of a type.
    pub(super) fn of(kind: &str, visible: Option<bool>, record: &Value) -> Self {
        let execution = match kind {
            "space" => ExecutionType::Space,
            "external" => ExecutionType::External,
            "internal" => ExecutionType::Internal,
            _ => ExecutionType::Gateway,
        };
        let is_outside = matches!(execution, ExecutionType::Space | ExecutionType::External);
        let result_schema = record.get("outputSchema").filter(|_| is_outside).cloned();
        Self { visible, execution, result_schema }
    }

    /// Writes down where a call is shown; the space is the one that its sender is in now (T004-30). A visible tool needs one
    /// (T004-23; the text is the specification's).
    pub(super) async fn admit(&self, call: &mut CallRow, core: &Core) -> Result<Admission, StoreError> {
        call.visible = self.visible;
        if self.visible != Some(true) {
            return Ok(Ok(()));
        }
        let Some(id) = core.spaces.active(&call.source).await? else {
            let name = call.tool.as_ref().unwrap_or(&call.kind);
            let text =
                format!("Tool \"{name}\" is visible but you are not in a space. Call enter_space first.");
            return Ok(Err(Failure::bare(text).into()));
        };
        let result_schema = self.result_schema.clone();
        call.space = Some(InSpace { id, execution: self.execution, result_schema });
        Ok(Ok(()))
    }
}
