//! POST `/api/prompts/{id}`: the user's answer, read and checked.

use crate::http::ApiError;
use serde_json::{Map, Value};
use wire::policy::ToolDecision;
use wire::prompt::PromptOutcome;
use wire::secret::SecretText;

/// A longer reason is cut, in characters.
const MAX_REASON: usize = 500;

/// The user's answer.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(super) approve: bool,
    pub(super) password: SecretText,
    /// Leave the vault open for the minutes of the settings.
    pub(super) keep_unlocked: bool,
    /// Reaches the sender.
    pub(super) reason: Option<String>,
    /// Of what the user saw.
    pub(super) digest: Option<String>,
    /// A rule that holds from now on.
    pub(super) remember: Option<ToolDecision>,
}

impl Answer {
    /// Reads POST `/api/prompts/{id}`.
    pub(crate) fn parse(mut body: Map<String, Value>) -> Result<Self, ApiError> {
        let Some(approve) = body.get("approve").and_then(Value::as_bool) else {
            return Err(ApiError::invalid("/approve", "must be true or false"));
        };
        let reason = text(&mut body, "reason")?;
        Ok(Self {
            approve,
            password: SecretText::new(text(&mut body, "password")?.unwrap_or_default()),
            keep_unlocked: body.get("keepUnlocked").and_then(Value::as_bool).unwrap_or(false),
            reason: reason.map(|reason| reason.chars().take(MAX_REASON).collect()),
            digest: text(&mut body, "digest")?,
            remember: remember(&mut body, approve)?,
        })
    }

    pub(super) fn outcome(&self) -> PromptOutcome {
        if self.approve { PromptOutcome::Approved } else { PromptOutcome::Rejected }
    }
}

/// The rule must agree with the answer.
fn remember(body: &mut Map<String, Value>, approve: bool) -> Result<Option<ToolDecision>, ApiError> {
    let Some(value) = body.remove("remember").filter(|value| !value.is_null()) else {
        return Ok(None);
    };
    let decision: ToolDecision =
        wire::json::from_value(value).map_err(|error| ApiError::invalid("/remember", error.to_string()))?;
    match (&decision, approve) {
        (ToolDecision::Allow { per_day: 1.., .. }, true) | (ToolDecision::Deny, false) => Ok(Some(decision)),
        (ToolDecision::Allow { .. }, true) => {
            Err(ApiError::invalid("/remember/perDay", "must be at least 1"))
        }
        _ => Err(ApiError::invalid("/remember", "contradicts the answer")),
    }
}

fn text(body: &mut Map<String, Value>, name: &str) -> Result<Option<String>, ApiError> {
    match body.remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(ApiError::invalid(format!("/{name}"), "must be a string")),
    }
}
