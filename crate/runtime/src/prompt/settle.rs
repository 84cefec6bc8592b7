//! Settling a prompt: by the user's answer or by its expiry, once, together with what it means for the call.

use super::{Answer, OpenAndSettled, PromptRow, tell};
use crate::Core;
use crate::bundle::{BundleRow, WithCall};
use crate::call::CallRow;
use crate::connection::{self, Choice};
use crate::http::ApiError;
use crate::later::later;
use crate::mcp::{self, Reaction};
use crate::store::{Batch, Durability, StoreError, Stored};
use crate::tool::{self, Output, ToolResult};
use crate::vault::{Closed, Scope, VaultError};
use crate::{bundle, call, dapp, message, policy};
use derive::Code;
use serde_json::Value;
use std::rc::Rc;
use wire::api::{CallState, Source};
use wire::audit::AuditRecord;
use wire::failure::Failure;
use wire::json::FieldError;
use wire::policy::{ToolRule, Who};
use wire::prompt::{PasswordReason, Prompt, PromptOutcome, Question};
use wire::vault::Vault;

/// How often an answer is tried again because records it depends on changed in the meantime.
const MAX_CONFLICTS: u32 = 20;

/// Why an answer is refused. The prompt stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Code)]
pub enum AnswerError {
    /// No prompt has this id, or it was settled more than a day ago.
    #[error("there is no such question")]
    PromptNotFound,
    /// The prompt is settled.
    #[error("this question has its answer")]
    AlreadyAnswered,
    /// The answer names another digest than the prompt's.
    #[error("the answer was given to something else")]
    StaleAnswer,
    /// The records that the answer depends on changed again and again.
    #[error("the records changed too often")]
    Conflict,
    /// A field of the answer does not fit the prompt.
    #[error("{problem}")]
    #[code("invalid_request")]
    Field {
        /// Which.
        path: &'static str,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A form is not filled in as it must be.
    #[error("{path} {problem}")]
    #[code("invalid_request")]
    Content {
        /// Which field, as a JSON pointer into the answer.
        path: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The vault did not open.
    #[error(transparent)]
    #[code(transparent)]
    Vault(#[from] VaultError),
    /// The store failed.
    #[error(transparent)]
    #[code(transparent)]
    Store(#[from] StoreError),
}

impl From<FieldError> for AnswerError {
    fn from(error: FieldError) -> Self {
        Self::Content { path: error.path().to_owned(), problem: error.problem() }
    }
}

impl From<AnswerError> for ApiError {
    fn from(error: AnswerError) -> Self {
        let status = match &error {
            AnswerError::PromptNotFound => 404,
            AnswerError::AlreadyAnswered | AnswerError::StaleAnswer | AnswerError::Conflict => 409,
            AnswerError::Field { path, problem } => return Self::invalid(*path, *problem),
            AnswerError::Content { path, problem } => return Self::invalid(path.clone(), problem.clone()),
            AnswerError::Vault(error) => return error.clone().into(),
            AnswerError::Store(error) => return error.clone().into(),
        };
        Self::new(status, error.code(), error.to_string())
    }
}

/// Why a call ends without having run, as its sender is told.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Code)]
pub(crate) enum DeclinedError {
    /// The prompt expired.
    #[error("no answer in time")]
    ConsentExpired,
    /// The user said no, with this reason.
    #[error("{0}")]
    RejectedByUser(String),
    /// The user set the kill switch.
    #[error("everything was stopped before it was approved")]
    KillSwitch,
    /// The web page that asks is no longer connected.
    #[error("the page is not connected any more")]
    NotConnected,
}

/// What settles a prompt.
#[derive(Clone, Copy)]
enum Settlement<'a> {
    /// The user's answer.
    Answered(&'a Answer),
    /// Its time is over.
    Expired,
    /// The kill switch.
    KillSwitch,
    /// The call that waits is cancelled.
    Cancelled,
}

impl Settlement<'_> {
    fn outcome(self) -> PromptOutcome {
        match self {
            Self::Answered(answer) => answer.outcome(),
            Self::Expired => PromptOutcome::Expired,
            Self::KillSwitch | Self::Cancelled => PromptOutcome::Rejected,
        }
    }

    /// Why the call ends, if it does not go on.
    fn declined(self) -> Failure {
        let error = match self {
            Self::Answered(answer) => {
                let reason = answer.reason.clone();
                DeclinedError::RejectedByUser(reason.unwrap_or_else(|| "the user said no".to_owned()))
            }
            Self::Expired => DeclinedError::ConsentExpired,
            Self::KillSwitch => DeclinedError::KillSwitch,
            Self::Cancelled => return tool::cancelled(),
        };
        error.failure()
    }
}

impl DeclinedError {
    pub(crate) fn failure(&self) -> Failure {
        Failure::of(self.code(), self)
    }
}

/// Takes the user's answer. The first one counts.
pub(crate) async fn answer(core: &Rc<Core>, id: &str, answer: &Answer) -> Result<Prompt, AnswerError> {
    for _ in 0..MAX_CONFLICTS {
        let OpenAndSettled { open, settled, kill_switch } = core.prompts.open_and_settled(id).await?;
        if kill_switch && answer.approve && !open.is_empty() {
            // A worker ended between the switch and these. The next read finds them settled.
            settle_all(core, open, Settlement::KillSwitch).await?;
            continue;
        }
        let (due, open) = split_due(core, open);
        let expires = due.iter().any(|prompt| prompt.record.id == id);
        settle_all(core, due, Settlement::Expired).await?;
        let prompt = match open.into_iter().find(|prompt| prompt.record.id == id) {
            Some(prompt) => prompt,
            // The next read finds it settled.
            None if expires => continue,
            None if settled => return Err(AnswerError::AlreadyAnswered),
            None => return Err(AnswerError::PromptNotFound),
        };
        if answer.digest != prompt.record.digest {
            return Err(AnswerError::StaleAnswer);
        }
        match settle(core, prompt, Settlement::Answered(answer)).await {
            // Another answer came first, which the next read shows; or a record it depends on changed.
            Err(AnswerError::Store(StoreError::Conflict { .. })) => {}
            other => return other.map(Prompt::from),
        }
    }
    Err(AnswerError::Conflict)
}

/// Settles the open prompts that are due.
pub(crate) async fn expire_due(core: &Rc<Core>) -> Result<(), StoreError> {
    let (due, _) = split_due(core, core.prompts.open().await?);
    settle_all(core, due, Settlement::Expired).await
}

/// Refuses every open prompt: the user set the kill switch.
pub(crate) async fn refuse_open(core: &Rc<Core>) -> Result<(), StoreError> {
    let open = core.prompts.open().await?;
    settle_all(core, open, Settlement::KillSwitch).await
}

/// Settles the prompt of a call that is cancelled, together with the call. A conflict if it was settled meanwhile.
pub(crate) async fn cancel(core: &Rc<Core>, id: &str) -> Result<(), StoreError> {
    let open = core.prompts.open().await?.into_iter().find(|prompt| prompt.record.id == id);
    let prompt = open.ok_or_else(|| StoreError::conflict("prompts", id))?;
    match settle(core, prompt, Settlement::Cancelled).await {
        Err(AnswerError::Store(error)) => Err(error),
        // Only an answer can be refused.
        Ok(_) | Err(_) => Ok(()),
    }
}

/// The open prompts whose time is over, and the others.
fn split_due(core: &Core, open: Vec<Stored<PromptRow>>) -> (Vec<Stored<PromptRow>>, Vec<Stored<PromptRow>>) {
    let now = core.now();
    open.into_iter().partition(|prompt| prompt.record.expires_at <= now)
}

/// Settles prompts without an answer.
async fn settle_all(
    core: &Rc<Core>,
    prompts: Vec<Stored<PromptRow>>,
    settlement: Settlement<'_>,
) -> Result<(), StoreError> {
    for prompt in prompts {
        match settle(core, prompt, settlement).await {
            // The user was faster.
            Err(AnswerError::Store(StoreError::Conflict { .. })) => {}
            Err(AnswerError::Store(error)) => return Err(error),
            // Only an answer can be refused.
            Ok(_) | Err(_) => {}
        }
    }
    Ok(())
}

/// What follows the commit of an outcome.
#[derive(Default)]
struct After {
    /// Copies of an open vault that another replaces.
    replaced: Closed,
    /// The bundle that ended, with the copies that it no longer needs.
    ended_bundle: Option<Closed>,
}

/// Commits the outcome together with what it means for the call that waits.
async fn settle(
    core: &Rc<Core>,
    prompt: Stored<PromptRow>,
    settlement: Settlement<'_>,
) -> Result<PromptRow, AnswerError> {
    let outcome = settlement.outcome();
    let mut batch = Batch::new(Durability::Strict);
    let prompt = core.prompts.stage_outcome(prompt, outcome, &mut batch);
    let approved = outcome == PromptOutcome::Approved;
    let WithCall { call, bundle, vault } = match prompt.question.call_id() {
        Some(id) => core.bundles.with_call(id).await?,
        None => WithCall { call: None, bundle: None, vault: None },
    };
    let next = call.as_ref().map(|call| (call.record.lane.clone(), call.record.id.clone()));
    let origin = match (&prompt.question, call.as_ref().map(|call| &call.record.source)) {
        (Question::ConnectDapp { origin, .. }, _) | (_, Some(Source::Dapp { origin })) => {
            Some(origin.clone())
        }
        _ => None,
    };
    if let (Some(origin), Settlement::Answered(answer)) = (&origin, settlement) {
        later(core, of_page(core, origin, &prompt, answer, &mut batch)).await?;
    }
    let after = match call {
        None => {
            tell(&prompt, None, &mut batch);
            After::default()
        }
        Some(call) => match settlement {
            Settlement::Answered(answer) if approved => {
                approve(core, &prompt, call, (bundle, vault), answer, &mut batch).await?
            }
            Settlement::Answered(_) | Settlement::Expired if prompt.asks_for_server() => {
                let reaction = match settlement {
                    Settlement::Expired => Reaction::Expired,
                    _ => Reaction::Declined,
                };
                given(core, &call.record.id, reaction, &mut batch).await?;
                let call = call::stage_state(call, CallState::Approved, &mut batch);
                tell(&prompt, Some(&call), &mut batch);
                After::default()
            }
            _ => decline(core, &prompt, call, settlement, &mut batch).await?,
        },
    };
    batch.note(AuditRecord::Decision {
        prompt_id: prompt.id.clone(),
        call_id: prompt.question.call_id().map(str::to_owned),
        question: prompt.question.name().to_owned(),
        shown: prompt.digest.clone(),
        outcome,
    });
    core.commit(batch).await?;
    if let (Question::ConnectDapp { origin, .. }, true) = (&prompt.question, approved) {
        core.ports.host.pages_changed(Some(origin));
    }
    core.vaults.forget(after.replaced).await;
    if let Some((lane, call_id)) = next {
        core.journal.runs_next(call_id);
        call::run_lane(core, &lane);
    }
    if let Some(closed) = after.ended_bundle {
        bundle::after_bundle(core, closed).await?;
    }
    // The prompt is settled, even if the badge cannot be updated.
    let shown = super::show_attention(core).await;
    core.wake_after(shown).await;
    Ok(prompt)
}

/// Stages what the answer to a request of a web page means for the page.
async fn of_page(
    core: &Core,
    origin: &str,
    prompt: &PromptRow,
    answer: &Answer,
    batch: &mut Batch,
) -> Result<(), AnswerError> {
    if let (Question::ConnectDapp { chains, .. }, true) = (&prompt.question, answer.approve) {
        let choice = Choice::read("/grant", &answer.grant)?;
        connection::stage_grant(core, origin, chains, &choice, batch).await?;
    }
    Ok(dapp::stage_answered(core, origin, answer.approve, batch).await?)
}

/// Stages that the call goes on, with what the answer brought.
async fn approve(
    core: &Rc<Core>,
    prompt: &PromptRow,
    call: Stored<CallRow>,
    bundle: (Option<Rc<BundleRow>>, Option<Vault>),
    answer: &Answer,
    batch: &mut Batch,
) -> Result<After, AnswerError> {
    let mut after = After::default();
    match &prompt.question {
        Question::TxBundleApproval { .. } => {
            if let Some(blocked) = bundle::consent(core, &prompt.id, &call.record, bundle, batch).await? {
                tell(prompt, Some(&call.record), batch);
                let result = ToolResult::of_call(&call.record, core.now(), blocked);
                call::end_call(core, batch, call, result).await?;
                return Ok(after);
            }
        }
        Question::PasswordRequired { vault_id, why, .. } => {
            // Where the approval was skipped, the password opens the vault for one bundle only.
            let keep = answer.keep_unlocked && *why != PasswordReason::ApprovalSkipped;
            let minutes = core.settings.read().await?.auto_lock_minutes;
            let scope = if keep { Scope::Minutes(minutes) } else { Scope::Call(&call.record.id) };
            if core.vaults.get(vault_id).await?.is_none() {
                return Err(VaultError::VaultNotFound.into());
            }
            if answer.password.is_empty() {
                return Err(AnswerError::Field { path: "/password", problem: "is missing" });
            }
            after.replaced = core.vaults.open(vault_id, &answer.password, scope, batch).await?;
        }
        Question::Elicitation { call_id, schema, .. } => {
            let reaction = later(core, accepted(core, schema.as_ref(), answer)).await?;
            given(core, call_id, reaction, batch).await?;
        }
        Question::MessageApproval { .. } => {
            if let Some(blocked) =
                later(core, message::consent(core, &prompt.id, &call.record, batch)).await?
            {
                tell(prompt, Some(&call.record), batch);
                let result = ToolResult::of_call(&call.record, core.now(), blocked);
                call::end_call(core, batch, call, result).await?;
                return Ok(after);
            }
        }
        Question::ConfirmationRequired { .. } | Question::ConnectDapp { .. } => {
            remember(core, &call.record, answer, batch).await?;
            for host in &prompt.hosts {
                policy::stage_host(host, core.now(), batch);
            }
            if let Some(pin) = &prompt.pin {
                mcp::stage_pin(pin, batch);
            }
        }
    }
    let call = call::stage_state(call, CallState::Approved, batch);
    tell(prompt, Some(&call), batch);
    Ok(after)
}

/// What the person filled in, checked against the form; nothing where an address was opened.
async fn accepted(core: &Core, schema: Option<&Value>, answer: &Answer) -> Result<Reaction, AnswerError> {
    let content = answer.content.clone().unwrap_or_default();
    let Some(schema) = schema else { return Ok(Reaction::Accepted(None)) };
    match mcp::check_content(core, schema, content).await {
        Ok(content) => Ok(Reaction::Accepted(Some(content))),
        Err(violation) => Err(AnswerError::Content {
            path: ["/content", &violation.path].concat(),
            problem: violation.message,
        }),
    }
}

/// Stages what a person says to an MCP server's question, with the call that waits for it.
async fn given(
    core: &Rc<Core>,
    call_id: &str,
    reaction: Reaction,
    batch: &mut Batch,
) -> Result<(), AnswerError> {
    let staged = later(core, mcp::stage_given(core, call_id, reaction, batch)).await?;
    staged.ok_or_else(|| StoreError::conflict("mcp", call_id).into())
}

/// Stages that the call ends without having run.
async fn decline(
    core: &Rc<Core>,
    prompt: &PromptRow,
    call: Stored<CallRow>,
    settlement: Settlement<'_>,
    batch: &mut Batch,
) -> Result<After, AnswerError> {
    if let Settlement::Answered(answer) = settlement {
        remember(core, &call.record, answer, batch).await?;
    }
    tell(prompt, Some(&call.record), batch);
    let why = settlement.declined();
    let mut after = After::default();
    let output = match prompt.question {
        Question::PasswordRequired { why: PasswordReason::Secrets, .. } => Output::failed(why),
        Question::PasswordRequired { why: PasswordReason::Message, .. } => {
            core.vaults.close_with_call(&call.record.id, batch).await?;
            Output::failed(why)
        }
        // A bundle that has begun ends with what it did so far.
        Question::PasswordRequired { .. } => {
            let (output, closed) = bundle::close_bundle(core, &call.record, Some(why), batch).await?;
            after.ended_bundle = Some(closed);
            output
        }
        Question::TxBundleApproval { .. } => bundle::refused(why),
        _ => Output::failed(why),
    };
    let result = ToolResult::of_call(&call.record, core.now(), output);
    call::end_call(core, batch, call, result).await?;
    Ok(after)
}

/// Stages the rule that the user wants to hold from now on. A permission needs the password.
async fn remember(
    core: &Core,
    call: &CallRow,
    answer: &Answer,
    batch: &mut Batch,
) -> Result<(), AnswerError> {
    let (Some(decision), Some(tool)) = (&answer.remember, &call.tool) else {
        return Ok(());
    };
    let who = match &call.source {
        Source::Agent { .. } => Who::Agent,
        Source::Dapp { origin } => Who::Dapp { origin: origin.clone() },
        // Rules name senders, and the user is none.
        Source::User => {
            return Err(AnswerError::Field { path: "/remember", problem: "is for requests of others" });
        }
    };
    let rule = ToolRule { tool: tool.clone(), who, decision: decision.clone() };
    if let Some(loosening) = core.policy.stage_tool_rule(rule, batch).await? {
        let loosening = loosening.kind.at("/remember");
        core.vaults.allow_loosening(loosening, &answer.password, batch).await?;
    }
    Ok(())
}
