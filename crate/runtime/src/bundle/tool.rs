//! `sign_transaction_bundle` as a tool of the pipeline: reviewed before the gate, run after it, stopped where it runs.

use super::review::read_bundle;
use super::{
    BUNDLES, BundleRow, SIGN_TRANSACTION, SIGN_TRANSACTION_BUNDLE, refused, run_bundle, stop_bundle,
};
use crate::Core;
use crate::call::CallRow;
use crate::message::error::SignMessageError;
use crate::policy::{Assessment, ToSign};
use crate::store::{Batch, StoreError, Stored};
use crate::tool::{Admission, Context, Definition, Outcome, Output, Prepared, Proposal, Shown, Tool};
use async_trait::async_trait;
use std::rc::Rc;
use wire::api::Source;
use wire::failure::Failure;
use wire::policy::Verdict;
use wire::prompt::Question;
use wire::vault::Vault;

/// The tool.
pub(crate) struct SignTransactionBundle;

#[async_trait(?Send)]
impl Tool for SignTransactionBundle {
    fn definition(&self) -> &Definition {
        &SIGN_TRANSACTION_BUNDLE
    }

    fn refused(&self, why: Failure) -> Output {
        refused(why)
    }

    fn acts_in_steps(&self) -> bool {
        true
    }

    async fn prepare(&self, call: &CallRow, context: &mut Context<'_>) -> Result<Prepared, StoreError> {
        read_bundle(context.wallet.core, call).await
    }

    async fn execute(
        &self,
        call: &Stored<CallRow>,
        context: &mut Context<'_>,
    ) -> Result<Outcome, StoreError> {
        run_bundle(call, context).await
    }

    async fn stop(&self, core: &Rc<Core>, call: &CallRow) -> Result<bool, StoreError> {
        stop_bundle(core, &call.id).await
    }
}

/// The same without sending: the signed bytes are the result of a web page's request.
pub(crate) struct SignTransaction;

#[async_trait(?Send)]
impl Tool for SignTransaction {
    fn definition(&self) -> &Definition {
        &SIGN_TRANSACTION
    }

    fn refused(&self, why: Failure) -> Output {
        refused(why)
    }

    fn acts_in_steps(&self) -> bool {
        true
    }

    /// What is signed and not sent can be sent by its holder at any time: an agent does not get it.
    async fn validate(&self, call: &mut CallRow, _: &mut Context<'_>) -> Result<Admission, StoreError> {
        Ok(match call.source {
            Source::Dapp { .. } => Ok(()),
            _ => Err(Failure::from(SignMessageError::OnlyForPages).into()),
        })
    }

    async fn prepare(&self, call: &CallRow, context: &mut Context<'_>) -> Result<Prepared, StoreError> {
        read_bundle(context.wallet.core, call).await
    }

    async fn execute(
        &self,
        call: &Stored<CallRow>,
        context: &mut Context<'_>,
    ) -> Result<Outcome, StoreError> {
        run_bundle(call, context).await
    }

    async fn stop(&self, core: &Rc<Core>, call: &CallRow) -> Result<bool, StoreError> {
        stop_bundle(core, &call.id).await
    }
}

/// A bundle whose steps are decoded, before it is judged.
pub(super) struct Reviewed {
    pub(super) bundle: BundleRow,
    /// Which would sign.
    pub(super) vault: Vault,
    /// Whether the sender asks to skip the approval.
    pub(super) skip_approval: bool,
}

impl Proposal for Reviewed {
    fn to_sign(&self) -> Option<ToSign<'_>> {
        let BundleRow { steps, trial, digest, .. } = &self.bundle;
        Some(ToSign {
            vault: &self.vault,
            steps,
            trial,
            digest,
            skip_approval: self.skip_approval,
            notices: &[],
        })
    }

    fn judged(&mut self, assessment: &Assessment, batch: &mut Batch) {
        let bundle = &mut self.bundle;
        bundle.verdict = assessment.verdict.clone();
        assessment.name_parties(&mut bundle.steps);
        bundle.payees.clone_from(&assessment.payees);
        bundle.skipped_approval = assessment.verdict == Verdict::Allow;
        bundle.seal();
        batch.put(BUNDLES, &bundle.id, bundle);
        if !matches!(assessment.verdict, Verdict::Block { .. }) {
            assessment.stage_proposal(&bundle.digest, &bundle.id, batch);
        }
        if bundle.skipped_approval {
            assessment.stage_room(&bundle.vault_id, batch);
        }
    }

    fn shown(&self, call: &CallRow) -> Shown {
        let BundleRow { id, label, shown, digest, .. } = &self.bundle;
        Shown {
            question: Question::TxBundleApproval { call_id: id.clone() },
            title: label.as_ref().unwrap_or(&call.title).clone(),
            subject: shown.clone(),
            digest: digest.clone(),
        }
    }
}
