//! A person's answer to a question: the first one counts, every other is told so.

use super::record;
use crate::Core;
use crate::http::ApiError;
use crate::store::{self, Batch, Durability, StoreError, Stored, Table};
use crate::tool::Output;
use serde_json::{Map, Value};
use std::rc::Rc;
use wire::api::{Call, CallState};
use wire::prompt::{Prompt, PromptOutcome};

/// How often an answer is tried again because records it rests on changed under it.
const MAX_CONFLICTS: u32 = 20;
/// The longest reason that is handed on.
const MAX_REASON: usize = 500;

/// What a person said.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    approve: bool,
    /// Reaches the sender.
    reason: Option<String>,
    /// Of what the person saw.
    digest: Option<String>,
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
            reason: reason.map(|reason| reason.chars().take(MAX_REASON).collect()),
            digest: text(&mut body, "digest")?,
        })
    }

    fn outcome(&self) -> PromptOutcome {
        if self.approve { PromptOutcome::Approved } else { PromptOutcome::Rejected }
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
                Err(StoreError::Conflict { .. }) => {}
                other => return Ok(other?),
            }
        }
        Err(ApiError::new(409, "conflict", "the records changed too often"))
    }

    /// The question's time is over.
    pub(super) async fn expire(self: &Rc<Self>, prompt: Stored<Prompt>) -> Result<(), StoreError> {
        self.settle(prompt, PromptOutcome::Expired, &Answer::default()).await.map(|_| ())
    }

    /// Writes the outcome and what it means for whoever waits, together.
    async fn settle(
        self: &Rc<Self>,
        prompt: Stored<Prompt>,
        outcome: PromptOutcome,
        answer: &Answer,
    ) -> Result<Prompt, StoreError> {
        let Stored { text, record: mut prompt } = prompt;
        prompt.outcome = Some(outcome);
        let mut batch = Batch::new(Durability::Strict);
        batch.expect(Table::Prompts, &prompt.id, Some(&text));
        let call = match prompt.question.call_id() {
            Some(id) => store::read::<Call>(&*self.ports.store, Table::Calls, id).await?,
            None => None,
        };
        let lane = call.as_ref().map(|call| call.record.lane.clone());
        match (&prompt.question, call) {
            (_, None) => record(&mut batch, &prompt, None),
            (_, Some(mut call)) if outcome == PromptOutcome::Approved => {
                call.record.state = CallState::Approved;
                batch.expect(Table::Calls, &call.record.id, Some(&call.text));
                batch.put(Table::Calls, &call.record.id, &call.record);
                record(&mut batch, &prompt, Some(&call.record));
            }
            (_, Some(call)) => {
                record(&mut batch, &prompt, Some(&call.record));
                self.end_call(&mut batch, call, Output::failed(refusal(outcome, answer))).await?;
            }
        }
        self.commit(batch).await?;
        if let Some(lane) = lane {
            self.run_lane(&lane);
        }
        // It is settled, whatever becomes of the badge.
        let shown = self.show_attention().await;
        self.wake_after(shown).await;
        Ok(prompt)
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
