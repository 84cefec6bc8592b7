//! Other bytes for a bundle that waits for its approval: the user chose another fee. The old prompt is settled as replaced,
//! and a new one of the same call takes its place, in one commit: a worker that dies before it leaves the old prompt, one
//! that dies after it the new one.

use super::SIGN_TRANSACTION_BUNDLE;
use super::error::BundleError;
use super::review::read_bundle;
use crate::Core;
use crate::call::CallRow;
use crate::policy::{DefinitionStanding, assess, blocked};
use crate::prompt::{self, Ask, Found};
use crate::store::{Batch, Durability, StoreError, Stored};
use crate::tool::{Output, Prepared, Shown};
use std::rc::Rc;
use wire::api::CallState;
use wire::failure::Failure;
use wire::policy::Verdict;
use wire::prompt::Question;

/// Puts `next`, which is the call with other bytes, in the place of a call that waits for its approval. The error says why
/// the bytes stay as they are.
pub(crate) async fn replace_bytes(
    core: &Rc<Core>,
    call: &Stored<CallRow>,
    next: CallRow,
) -> Result<Result<(), Failure>, StoreError> {
    let CallState::Waiting { prompt_id } = &call.record.state else {
        return Ok(Err(BundleError::NotAsking.into()));
    };
    let old = match core.prompts.get(prompt_id).await? {
        Some(Found::Open(old)) if matches!(old.record.question, Question::TxBundleApproval { .. }) => old,
        _ => return Ok(Err(BundleError::NotAsking.into())),
    };
    let mut proposal = match read_bundle(core, &next).await? {
        Prepared::Proposal(proposal) => proposal,
        Prepared::Refused(Output::Failed { error, .. }) => return Ok(Err(error)),
        Prepared::Refused(Output::Data(_)) | Prepared::Plain => {
            return Ok(Err(BundleError::BundleGone.into()));
        }
    };
    let assessment =
        assess(core, &next, &SIGN_TRANSACTION_BUNDLE, proposal.to_sign(), &[], DefinitionStanding::Own)
            .await?;
    let reasons = match &assessment.verdict {
        Verdict::Ask { reasons } => reasons.clone(),
        Verdict::Block { reasons } => return Ok(Err(blocked(reasons))),
        // Only a sender that asks to skip the approval gets here, and none whose bytes can be replaced does.
        Verdict::Allow => return Ok(Err(BundleError::NotAsking.into())),
    };
    let mut batch = Batch::new(Durability::Strict);
    proposal.judged(&assessment, &mut batch);
    let Shown { question, title, subject, digest } = proposal.shown(&next);
    assessment.stage_note(&next, &digest, &mut batch);
    let ask = Ask { question, title, reasons, subject: Some(subject), hosts: Vec::new(), pin: None };
    let prompt = prompt::replace(core, old, (&call.text, next), ask, &mut batch);
    core.commit(batch).await?;
    prompt::notify(core, &prompt).await?;
    Ok(Ok(()))
}
