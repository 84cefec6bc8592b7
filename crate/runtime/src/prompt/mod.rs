//! Questions to the person. A prompt is a record: it survives the page, the worker and the browser, is answered once,
//! by id, and expires.

mod answer;

pub(crate) use answer::Answer;

use crate::Core;
use crate::id::earliest;
use crate::store::{Batch, Durability, Range, StoreError, Stored, Table, parse};
use std::rc::Rc;
use wire::api::{Call, CallState, Millis};
use wire::event::Event;
use wire::policy::Reason;
use wire::prompt::{Prompt, Question};

/// How long a question stands before it counts as refused.
const LIFETIME: Millis = 10 * 60 * 1000;
/// How long a settled question is kept, so that a late answer can be told what became of it.
const KEPT: Millis = 24 * 60 * 60 * 1000;

/// What a person is asked.
pub(crate) struct Ask {
    pub(crate) question: Question,
    /// In the sender's words.
    pub(crate) title: String,
    /// Why a person is asked.
    pub(crate) reasons: Vec<Reason>,
    /// Of what is shown.
    pub(crate) digest: String,
}

impl Core {
    /// Writes a question of no call down. Nobody is shown anything before the batch is committed; then call
    /// [`Core::asked`].
    pub(crate) fn ask_person(&self, ask: Ask, batch: &mut Batch) -> Prompt {
        let prompt = self.new_prompt(ask);
        record(batch, &prompt, None);
        prompt
    }

    /// Writes a question down for whose answer a call waits.
    pub(crate) fn wait_for_answer(&self, call: Stored<Call>, ask: Ask, batch: &mut Batch) -> Prompt {
        let prompt = self.new_prompt(ask);
        let Stored { text, record: mut call } = call;
        call.state = CallState::Waiting { prompt_id: prompt.id.clone() };
        batch.expect(Table::Calls, &call.id, Some(&text));
        batch.put(Table::Calls, &call.id, &call);
        record(batch, &prompt, Some(&call));
        prompt
    }

    fn new_prompt(&self, ask: Ask) -> Prompt {
        let now = self.now();
        let Ask { question, title, reasons, digest } = ask;
        let (id, expires_at) = (self.ids.next(), now + LIFETIME);
        Prompt { id, question, title, reasons, digest, created_at: now, expires_at, outcome: None }
    }

    /// Fetches the person for a question that is on disk now.
    pub(crate) async fn asked(self: &Rc<Self>, prompt: &Prompt) -> Result<(), StoreError> {
        self.ports.host.summon(&prompt.id, &prompt.title);
        self.show_attention().await?;
        self.schedule_wake().await
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
            match self.expire(prompt).await {
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
        batch.delete_before(Table::Prompts, &end);
        batch.delete_before(Table::Consents, &end);
        self.commit(batch).await
    }

    pub(crate) async fn show_attention(&self) -> Result<(), StoreError> {
        self.ports.host.attention(self.open_prompts().await?.len());
        Ok(())
    }
}

/// A question as it is now, asked or settled, and the news of it.
fn record(batch: &mut Batch, prompt: &Prompt, call: Option<&Call>) {
    batch.put(Table::Prompts, &prompt.id, prompt);
    let (prompt, call) = (prompt.clone(), call.cloned());
    let event = match (&prompt.question, call) {
        (Question::TxBundleApproval { .. }, Some(call)) => Event::TxBundleApproval { prompt, call },
        (Question::PasswordRequired { .. }, Some(call)) => Event::PasswordRequired { prompt, call },
        (Question::ConfirmationRequired { .. }, Some(call)) => Event::ConfirmationRequired { prompt, call },
        (Question::ConnectDapp { .. }, _) => Event::ConnectDapp { prompt },
        // The call that asked is gone: nobody shows it any more.
        (_, None) => return,
    };
    batch.tell(&event);
}
