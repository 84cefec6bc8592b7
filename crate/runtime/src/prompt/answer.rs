//! POST `/api/prompts/{id}`: the user's answer, read and checked.

use crate::http::ApiError;
use crate::policy::{BOUND_RULE, unusable_bound};
use serde_json::{Map, Value};
use wire::json::{Body, Object};
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
    /// Of what the user saw: an answer without it could be meant for anything.
    pub(super) digest: String,
    /// A rule that holds from now on.
    pub(super) remember: Option<ToolDecision>,
    /// What was filled in, of a form of an MCP server's.
    pub(super) content: Option<Map<String, Value>>,
    /// What a web page is granted; read where it counts.
    pub(super) grant: Map<String, Value>,
}

impl Answer {
    /// Reads POST `/api/prompts/{id}`.
    pub(crate) fn parse(body: Map<String, Value>) -> Result<Self, ApiError> {
        let body = Body::new(body);
        let fields = body.object();
        let Some(approve) = fields.get("approve").and_then(Value::as_bool) else {
            return Err(ApiError::invalid("/approve", "must be true or false"));
        };
        let Some(digest) = fields.text("digest")? else {
            return Err(ApiError::invalid("/digest", "must be the digest of the prompt that was shown"));
        };
        Ok(Self {
            approve,
            password: fields.secret("password")?.unwrap_or_default(),
            keep_unlocked: fields.get("keepUnlocked").and_then(Value::as_bool).unwrap_or(false),
            reason: fields.text("reason")?.map(|reason| reason.chars().take(MAX_REASON).collect()),
            digest: digest.to_owned(),
            remember: remember(&fields, approve)?,
            content: match fields.get("content") {
                None => None,
                Some(Value::Object(content)) => Some(content.clone()),
                Some(_) => return Err(ApiError::invalid("/content", "must be an object")),
            },
            grant: match fields.get("grant") {
                None => Map::new(),
                Some(Value::Object(grant)) => grant.clone(),
                Some(_) => return Err(ApiError::invalid("/grant", "must be an object")),
            },
        })
    }

    pub(super) fn outcome(&self) -> PromptOutcome {
        if self.approve { PromptOutcome::Approved } else { PromptOutcome::Rejected }
    }
}

/// The rule must agree with the answer.
fn remember(fields: &Object<'_>, approve: bool) -> Result<Option<ToolDecision>, ApiError> {
    let Some(value) = fields.get("remember") else {
        return Ok(None);
    };
    let decision: ToolDecision = wire::json::from_value(value.clone())
        .map_err(|error| ApiError::invalid("/remember", error.to_string()))?;
    match (&decision, approve) {
        (ToolDecision::Allow { per_day: 1.., arguments, .. }, true) => match unusable_bound(arguments) {
            None => Ok(Some(decision)),
            Some(place) => Err(ApiError::invalid(format!("/remember/arguments{place}"), BOUND_RULE)),
        },
        (ToolDecision::Deny, false) => Ok(Some(decision)),
        (ToolDecision::Allow { .. }, true) => {
            Err(ApiError::invalid("/remember/perDay", "must be at least 1"))
        }
        _ => Err(ApiError::invalid("/remember", "contradicts the answer")),
    }
}
