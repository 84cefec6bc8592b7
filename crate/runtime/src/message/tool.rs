//! `sign_message` as a tool of the pipeline: reviewed before the gate, signed after it.

use super::error::SignMessageError;
use super::review::read_message;
use super::row::MessageRow;
use super::sign::sign_message;
use super::{MESSAGES, SIGN_MESSAGE};
use crate::call::CallRow;
use crate::later::later;
use crate::policy::{Assessment, ToSign};
use crate::store::{Batch, StoreError, Stored};
use crate::tool::{
    Admission, Context, Definition, Outcome, Prepared, Proposal, RequestError, Schema, Shown, Tool,
};
use async_trait::async_trait;
use wire::api::Source;
use wire::failure::Failure;
use wire::prompt::Question;
use wire::vault::Vault;

/// The tool.
pub(crate) struct SignMessage;

#[async_trait(?Send)]
impl Tool for SignMessage {
    fn definition(&self) -> &Definition {
        &SIGN_MESSAGE
    }

    /// An agent has no use for a signature that no chain is sent, and every use for one that it should not have.
    async fn validate(&self, call: &mut CallRow, _: &mut Context<'_>) -> Result<Admission, StoreError> {
        if !matches!(call.source, Source::Dapp { .. }) {
            return Ok(Err(Failure::from(SignMessageError::OnlyForPages).into()));
        }
        Ok(match &SIGN_MESSAGE.schema {
            Schema::Shape(shape) => {
                shape.check(&call.params).map_err(|error| RequestError::from(error).into())
            }
            Schema::Json(_) => Ok(()),
        })
    }

    async fn prepare(&self, call: &CallRow, context: &mut Context<'_>) -> Result<Prepared, StoreError> {
        let core = context.wallet.core;
        later(core, read_message(core, call)).await
    }

    async fn execute(
        &self,
        call: &Stored<CallRow>,
        context: &mut Context<'_>,
    ) -> Result<Outcome, StoreError> {
        let core = context.wallet.core;
        later(core, sign_message(call, context)).await
    }
}

/// A message that is explained, before it is judged.
pub(super) struct Reviewed {
    pub(super) message: MessageRow,
    /// Which would sign.
    pub(super) vault: Vault,
}

impl Reviewed {
    /// As the policy judges it.
    pub(super) fn signing(&self) -> ToSign<'_> {
        let MessageRow { step, digest, notices, .. } = &self.message;
        let steps = std::slice::from_ref(step);
        ToSign { vault: &self.vault, steps, trial: &[], digest, skip_approval: false, notices }
    }
}

impl Proposal for Reviewed {
    fn to_sign(&self) -> Option<ToSign<'_>> {
        Some(self.signing())
    }

    fn judged(&mut self, assessment: &Assessment, batch: &mut Batch) {
        let message = &mut self.message;
        message.verdict = assessment.verdict.clone();
        assessment.name_parties(std::slice::from_mut(&mut message.step));
        message.seal();
        batch.put(MESSAGES, &message.id, message);
    }

    fn shown(&self, call: &CallRow) -> Shown {
        let MessageRow { id, shown, digest, .. } = &self.message;
        Shown {
            question: Question::MessageApproval { call_id: id.clone() },
            title: call.title.clone(),
            subject: shown.clone(),
            digest: digest.clone(),
        }
    }
}
