//! A person's answer to a question: the first one counts, every other is told so.

use super::record;
use crate::Core;
use crate::connection;
use crate::http::ApiError;
use crate::judge::{put_policy, stored_policy};
use crate::store::{self, Batch, Durability, StoreError, Stored, Table};
use crate::tool::Output;
use crate::vault::{Closed, Scope, UnlockError};
use serde_json::{Map, Value};
use std::rc::Rc;
use wire::api::{Call, CallState, Source};
use wire::audit::AuditRecord;
use wire::policy::{ToolDecision, ToolRule, Who};
use wire::prompt::{PasswordReason, Prompt, PromptOutcome, Question};
use wire::secret::SecretText;
use wire::vault::Vault;

/// How often an answer is tried again because records it rests on changed under it.
const MAX_CONFLICTS: u32 = 20;
/// The longest reason that is handed on.
const MAX_REASON: usize = 500;

/// What a person said.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    approve: bool,
    password: SecretText,
    /// Leave the vault open for the minutes of the settings.
    keep_unlocked: bool,
    /// Reaches the sender.
    reason: Option<String>,
    /// Of what the person saw.
    digest: Option<String>,
    /// What is to hold from now on.
    remember: Option<ToolDecision>,
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

    fn outcome(&self) -> PromptOutcome {
        if self.approve { PromptOutcome::Approved } else { PromptOutcome::Rejected }
    }
}

/// What is to hold from now on must be what is said now.
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

impl Core {
    /// Takes a person's answer.
    pub(crate) async fn answer_prompt(
        self: &Rc<Self>,
        id: &str,
        answer: &Answer,
    ) -> Result<Prompt, ApiError> {
        self.expire_prompts().await?;
        for _ in 0..MAX_CONFLICTS {
            let prompt = store::read::<Prompt>(&*self.ports.store, Table::Prompts, id)
                .await?
                .ok_or_else(|| ApiError::not_found("prompt_not_found", "there is no such question"))?;
            if prompt.record.outcome.is_some() {
                return Err(ApiError::new(409, "already_answered", "this question has its answer"));
            }
            if answer.digest.as_ref().is_some_and(|digest| *digest != prompt.record.digest) {
                return Err(ApiError::new(409, "stale_answer", "the answer was given to something else"));
            }
            match self.settle(prompt, answer.outcome(), answer).await {
                // Somebody else answered, which the next look shows; or a record it rests on changed.
                Err(SettleError::Store(StoreError::Conflict { .. })) => {}
                other => return Ok(other?),
            }
        }
        Err(ApiError::new(409, "conflict", "the records changed too often"))
    }

    /// The question's time is over.
    pub(super) async fn expire(self: &Rc<Self>, prompt: Stored<Prompt>) -> Result<(), StoreError> {
        match self.settle(prompt, PromptOutcome::Expired, &Answer::default()).await {
            Err(SettleError::Store(error)) => Err(error),
            // Only an answer can be refused.
            Ok(_) | Err(SettleError::Api(_)) => Ok(()),
        }
    }

    /// Writes the outcome and what it means for whoever waits, together.
    async fn settle(
        self: &Rc<Self>,
        prompt: Stored<Prompt>,
        outcome: PromptOutcome,
        answer: &Answer,
    ) -> Result<Prompt, SettleError> {
        let Stored { text, record: mut prompt } = prompt;
        prompt.outcome = Some(outcome);
        let mut batch = Batch::new(Durability::Strict);
        batch.expect(Table::Prompts, &prompt.id, Some(&text));
        if let Question::ConnectDapp { origin } = &prompt.question {
            connection::settled(self, origin, outcome == PromptOutcome::Approved, &mut batch);
        }
        let call = match prompt.question.call_id() {
            Some(id) => store::read::<Call>(&*self.ports.store, Table::Calls, id).await?,
            None => None,
        };
        let lane = call.as_ref().map(|call| call.record.lane.clone());
        let (mut closed, mut replaced) = (None, Closed::default());
        match (&prompt.question, call) {
            (_, None) => record(&mut batch, &prompt, None),
            (_, Some(call)) if outcome == PromptOutcome::Approved => {
                replaced = self.approve(&prompt, call, answer, &mut batch).await?;
            }
            (_, Some(call)) => {
                self.remember(&call.record, answer, &mut batch).await?;
                record(&mut batch, &prompt, Some(&call.record));
                let why = refusal(outcome, answer);
                let output = match prompt.question {
                    // A bundle that is under way ends with what it did so far.
                    Question::PasswordRequired { .. } => {
                        let (output, closes) = self.close_bundle(&call.record, Some(why), &mut batch).await?;
                        closed = Some(closes);
                        output
                    }
                    _ => Output::failed(why),
                };
                self.end_call(&mut batch, call, output).await?;
            }
        }
        batch.note(AuditRecord::Decision {
            prompt_id: prompt.id.clone(),
            call_id: prompt.question.call_id().map(str::to_owned),
            question: prompt.question.name().to_owned(),
            shown: prompt.digest.clone(),
            outcome,
        });
        self.commit(batch).await?;
        self.forget(replaced).await;
        if let Some(lane) = lane {
            self.run_lane(&lane);
        }
        if let Some(closed) = closed {
            self.after_bundle(closed).await?;
        }
        // It is settled, whatever becomes of the badge.
        let shown = self.show_attention().await;
        self.wake_after(shown).await;
        Ok(prompt)
    }

    /// The person said yes: the call goes on, with what the yes brought. What it replaces is to be forgotten after the
    /// commit.
    async fn approve(
        self: &Rc<Self>,
        prompt: &Prompt,
        mut call: Stored<Call>,
        answer: &Answer,
        batch: &mut Batch,
    ) -> Result<Closed, SettleError> {
        let mut replaced = Closed::default();
        match &prompt.question {
            Question::TxBundleApproval { .. } => {
                if let Some(blocked) = self.consent(prompt, &call.record, batch).await? {
                    record(batch, prompt, Some(&call.record));
                    self.end_call(batch, call, blocked).await?;
                    return Ok(replaced);
                }
            }
            Question::PasswordRequired { vault_id, why, .. } => {
                // Where nobody approved, the password stands for one bundle and no more.
                let keep = answer.keep_unlocked && *why != PasswordReason::ApprovalSkipped;
                let minutes = self.settings().await?.auto_lock_minutes;
                let scope = if keep { Scope::Minutes(minutes) } else { Scope::Call(&call.record.id) };
                replaced = self.open_with(vault_id, scope, &answer.password, batch).await?;
            }
            Question::ConfirmationRequired { .. } | Question::ConnectDapp { .. } => {
                self.remember(&call.record, answer, batch).await?;
            }
        }
        call.record.state = CallState::Approved;
        batch.expect(Table::Calls, &call.record.id, Some(&call.text));
        batch.put(Table::Calls, &call.record.id, &call.record);
        record(batch, prompt, Some(&call.record));
        Ok(replaced)
    }

    /// Opens the vault for the call, or for as long as the person ticked.
    async fn open_with(
        &self,
        vault_id: &str,
        scope: Scope<'_>,
        password: &SecretText,
        batch: &mut Batch,
    ) -> Result<Closed, SettleError> {
        let vault = store::read::<Vault>(&*self.ports.store, Table::Vaults, vault_id)
            .await?
            .ok_or_else(|| ApiError::not_found("vault_not_found", "the vault is no longer here"))?;
        if password.is_empty() {
            return Err(ApiError::invalid("/password", "is missing").into());
        }
        Ok(self.open_vault(&vault.record, password, scope, batch).await?)
    }

    /// Adds what the person wants to hold from now on to the rules.
    async fn remember(&self, call: &Call, answer: &Answer, batch: &mut Batch) -> Result<(), SettleError> {
        let (Some(decision), Some(tool)) = (&answer.remember, &call.tool) else {
            return Ok(());
        };
        let who = match &call.source {
            Source::Agent { .. } => Who::Agent,
            Source::Dapp { origin } => Who::Dapp { origin: origin.clone() },
            // A rule for the person would be one for everybody.
            Source::User => {
                return Err(ApiError::invalid("/remember", "is for requests of others").into());
            }
        };
        let (before, mut policy) = stored_policy(&*self.ports.store).await?;
        policy.tools.retain(|rule| rule.tool != *tool || rule.who != who);
        policy.tools.push(ToolRule { tool: tool.clone(), who, decision: decision.clone() });
        put_policy(batch, before.as_deref(), &policy);
        Ok(())
    }
}

/// What the sender learns of a no, or of silence.
fn refusal(outcome: PromptOutcome, answer: &Answer) -> String {
    match (outcome, &answer.reason) {
        (PromptOutcome::Expired, _) => "consent_expired: nobody answered in time".to_owned(),
        (_, Some(reason)) => format!("rejected_by_user: {reason}"),
        (_, None) => "rejected_by_user: the user said no".to_owned(),
    }
}

/// Why an answer was not taken.
enum SettleError {
    Store(StoreError),
    Api(ApiError),
}

impl From<StoreError> for SettleError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<ApiError> for SettleError {
    fn from(error: ApiError) -> Self {
        Self::Api(error)
    }
}

impl From<UnlockError> for SettleError {
    fn from(error: UnlockError) -> Self {
        match error {
            UnlockError::Store(error) => Self::Store(error),
            other => Self::Api(other.into()),
        }
    }
}

impl From<SettleError> for ApiError {
    fn from(error: SettleError) -> Self {
        match error {
            SettleError::Store(error) => error.into(),
            SettleError::Api(error) => error,
        }
    }
}
