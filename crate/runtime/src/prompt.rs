//! Questions to the person. A prompt is a record: it survives the page and the worker, is answered once, by id,
//! and expires.

use crate::Core;
use crate::http::ApiError;
use crate::id::earliest;
use crate::store::{self, Batch, Durability, Range, StoreError, Stored, Table, Write, parse};
use std::rc::Rc;
use wire::api::{Call, CallState, Millis};
use wire::event::Event;
use wire::prompt::{Prompt, PromptOutcome, Question};

/// How long a question stands before it counts as refused.
const LIFETIME: Millis = 10 * 60 * 1000;
/// How long a settled question is kept, so that a late answer can be told what became of it.
const KEPT: Millis = 24 * 60 * 60 * 1000;

impl Core {
    /// Asks whether a call may run. The question is on disk before anybody is shown anything.
    pub(crate) async fn ask(self: &Rc<Self>, mut call: Stored<Call>) -> Result<(), StoreError> {
        let now = self.now();
        let prompt = Prompt {
            id: self.ids.next(),
            question: Question::ConfirmationRequired { call_id: call.record.id.clone() },
            title: call.record.title.clone(),
            reasons: Vec::new(),
            digest: String::new(),
            created_at: now,
            expires_at: now + LIFETIME,
            outcome: None,
        };
        call.record.state = CallState::Waiting { prompt_id: prompt.id.clone() };
        let mut batch = Batch::new(Durability::Strict);
        batch.expect(Table::Calls, &call.record.id, Some(&call.text));
        batch.put(Table::Calls, &call.record.id, &call.record);
        batch.put(Table::Prompts, &prompt.id, &prompt);
        batch.tell(&Event::ConfirmationRequired { prompt, call: call.record });
        self.commit(batch).await?;
        self.show_attention().await?;
        self.schedule_wake().await
    }

    /// Takes a person's answer: the first one counts, every other is told so.
    pub(crate) async fn answer_prompt(
        self: &Rc<Self>,
        id: &str,
        approve: bool,
        reason: Option<&str>,
    ) -> Result<Prompt, ApiError> {
        self.expire_prompts().await?;
        let outcome = if approve { PromptOutcome::Approved } else { PromptOutcome::Rejected };
        let prompt = store::read::<Prompt>(&*self.ports.store, Table::Prompts, id)
            .await?
            .ok_or_else(|| ApiError::not_found("prompt_not_found", "there is no such question"))?;
        if prompt.record.outcome.is_some() {
            return Err(already_answered());
        }
        match self.settle(prompt, outcome, reason).await {
            Err(StoreError::Conflict { .. }) => Err(already_answered()),
            other => Ok(other?),
        }
    }

    /// Writes the outcome and what it means for the call, together.
    async fn settle(
        self: &Rc<Self>,
        prompt: Stored<Prompt>,
        outcome: PromptOutcome,
        reason: Option<&str>,
    ) -> Result<Prompt, StoreError> {
        let Stored { text, record: mut settled } = prompt;
        settled.outcome = Some(outcome);
        let mut batch = Batch::new(Durability::Strict);
        batch.expect(Table::Prompts, &settled.id, Some(&text));
        batch.put(Table::Prompts, &settled.id, &settled);
        let call_id = settled.question.call_id().unwrap_or_default().to_owned();
        let call = store::read::<Call>(&*self.ports.store, Table::Calls, &call_id).await?;
        let mut lane = None;
        if let Some(mut call) = call {
            lane = Some(call.record.lane.clone());
            if outcome == PromptOutcome::Approved {
                call.record.state = CallState::Approved;
                batch.expect(Table::Calls, &call.record.id, Some(&call.text));
                batch.put(Table::Calls, &call.record.id, &call.record);
                batch.tell(&Event::ConfirmationRequired { prompt: settled.clone(), call: call.record });
            } else {
                let error = match (outcome, reason) {
                    (PromptOutcome::Expired, _) => "consent_expired: nobody answered in time".to_owned(),
                    (_, Some(reason)) => format!("rejected_by_user: {reason}"),
                    (_, None) => "rejected_by_user: the user said no".to_owned(),
                };
                self.end_call(&mut batch, call, crate::tool::Output::failed(error)).await?;
            }
        }
        self.commit(batch).await?;
        if let Some(lane) = lane {
            self.run_lane(&lane);
        }
        // It is settled, whatever becomes of the badge.
        let shown = self.show_attention().await;
        self.wake_after(shown).await;
        Ok(settled)
    }

    /// Open questions, oldest first.
    pub(crate) async fn open_prompts(&self) -> Result<Vec<Stored<Prompt>>, StoreError> {
        let rows = self.ports.store.scan(Table::Prompts, Range::all()).await?;
        let mut open = Vec::new();
        for row in rows {
            let record: Prompt = parse(Table::Prompts, &row.key, &row.text)?;
            if record.outcome.is_none() {
                open.push(Stored { text: row.text, record });
            }
        }
        Ok(open)
    }

    /// Ends the questions whose time is over.
    pub(crate) async fn expire_prompts(self: &Rc<Self>) -> Result<(), StoreError> {
        let now = self.now();
        for prompt in self.open_prompts().await?.into_iter().filter(|prompt| prompt.record.expires_at <= now)
        {
            match self.settle(prompt, PromptOutcome::Expired, None).await {
                // A person was faster.
                Ok(_) | Err(StoreError::Conflict { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        self.forget_prompts(now.saturating_sub(KEPT)).await
    }

    /// Questions are settled long before they are this old: what became of them is in the log of calls.
    async fn forget_prompts(&self, before: Millis) -> Result<(), StoreError> {
        let oldest = self.ports.store.scan(Table::Prompts, Range::all().first(1)).await?;
        let end = earliest(before);
        if oldest.first().is_none_or(|row| row.key >= end) {
            return Ok(());
        }
        let mut batch = Batch::new(Durability::Relaxed);
        batch.writes.push(Write::DeleteBefore(Table::Prompts, end));
        self.commit(batch).await
    }

    pub(crate) async fn show_attention(&self) -> Result<(), StoreError> {
        self.ports.host.attention(self.open_prompts().await?.len());
        Ok(())
    }
}

fn already_answered() -> ApiError {
    ApiError::new(409, "already_answered", "this question has its answer")
}
