//! After the approval: the vault is opened, and every step is signed. Sending comes with the engine; until then the
//! signed bytes are dropped and the sender is told so.

use super::request;
use super::review::in_words;
use crate::Core;
use crate::call::Advance;
use crate::judge::stored_policy;
use crate::prompt::Ask;
use crate::store::{Batch, Durability, Range, StoreError, Stored, Table, parse, read};
use crate::tool::Output;
use std::rc::Rc;
use wire::api::Call;
use wire::bundle::Bundle;
use wire::prompt::{PasswordReason, Prompt, PromptOutcome, Question};
use wire::signer::{Opened, Reply, Request};
use wire::vault::Vault;

impl Core {
    /// Runs an approved bundle, once its vault is open.
    pub(crate) async fn run_bundle(self: &Rc<Self>, call: Stored<Call>) -> Result<Advance, StoreError> {
        let store = &*self.ports.store;
        let Some(bundle) = read::<Bundle>(store, Table::Bundles, &call.record.id).await? else {
            let gone = "bundle_gone: its record is no longer there";
            return self.end_with(call, Output::failed(gone.to_owned())).await;
        };
        let bundle = bundle.record;
        let Some(vault) = read::<Vault>(store, Table::Vaults, &bundle.vault_id).await? else {
            let gone = "no_vault: the vault is no longer here";
            return self.end_with(call, Output::failed(gone.to_owned())).await;
        };
        if stored_policy(store).await?.1.kill_switch {
            let stopped = "kill_switch: everything was stopped before it was signed";
            return self.end_bundle(call, &bundle, Output::failed(stopped.to_owned())).await;
        }
        // Whoever skipped the approval must be there now: an open vault is not enough.
        let fresh_only = bundle.skipped_approval;
        match self.opened(&bundle.vault_id, Some(&call.record.id), fresh_only).await? {
            Some(opened) => {
                let output = self.sign_all(&call.record, &bundle, &vault.record, opened).await;
                self.end_bundle(call, &bundle, output).await
            }
            None => self.ask_for_password(call, bundle).await,
        }
    }

    async fn ask_for_password(
        self: &Rc<Self>,
        call: Stored<Call>,
        bundle: Bundle,
    ) -> Result<Advance, StoreError> {
        let why = match bundle.skipped_approval {
            true => PasswordReason::ApprovalSkipped,
            false if self.password_was_given(&call.record.id).await? => PasswordReason::LockedMeanwhile,
            false => PasswordReason::Sign,
        };
        let Bundle { vault_id, vault_name, digest, label, .. } = bundle;
        let ask = Ask {
            question: Question::PasswordRequired {
                call_id: call.record.id.clone(),
                vault_id,
                vault_name,
                why,
            },
            title: label.unwrap_or_else(|| call.record.title.clone()),
            reasons: Vec::new(),
            digest,
        };
        let mut batch = Batch::new(Durability::Strict);
        let prompt = self.wait_for_answer(call, ask, &mut batch);
        self.commit(batch).await?;
        self.asked(&prompt).await?;
        Ok(Advance::Waits)
    }

    async fn password_was_given(&self, call_id: &str) -> Result<bool, StoreError> {
        for row in self.ports.store.scan(Table::Prompts, Range::all()).await? {
            let prompt: Prompt = parse(Table::Prompts, &row.key, &row.text)?;
            let given = matches!(prompt.question, Question::PasswordRequired { .. })
                && prompt.question.call_id() == Some(call_id)
                && prompt.outcome == Some(PromptOutcome::Approved);
            if given {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Signs every transaction of every step, in order; stops at the first that is refused.
    async fn sign_all(&self, call: &Call, bundle: &Bundle, vault: &Vault, opened: Opened) -> Output {
        let steps = match request::parse(&call.params) {
            Ok(request) => request.steps,
            Err(reason) => return Output::failed(reason),
        };
        let mut signed = 0;
        for (position, (step, decoded)) in steps.iter().zip(&bundle.steps).enumerate() {
            for (index, transaction) in decoded.transactions.iter().enumerate() {
                let request = Request::Sign {
                    opened: opened.clone(),
                    keys: vault.keys.clone(),
                    step: step.clone(),
                    index,
                    digest: transaction.digest.clone(),
                };
                match self.ports.signer.ask(request).await {
                    Ok(Reply::Signed(_)) => signed += 1,
                    Ok(_) => {
                        return Output::failed(
                            "signer_unavailable: the signer's answer made no sense".to_owned(),
                        );
                    }
                    Err(mut refusal) => {
                        refusal.step = Some(position);
                        return Output::failed(in_words(&refusal, &steps));
                    }
                }
            }
        }
        Output::failed(format!(
            "broadcast_unsupported: {signed} transactions were approved and signed; this version does not send them"
        ))
    }

    /// Ends the call and closes what was opened for it alone.
    async fn end_bundle(
        self: &Rc<Self>,
        call: Stored<Call>,
        bundle: &Bundle,
        output: Output,
    ) -> Result<Advance, StoreError> {
        let mut batch = Batch::new(Durability::Strict);
        let closed = self.close_for_call(&bundle.vault_id, &call.record.id, &mut batch).await?;
        let result = self.end_call(&mut batch, call, output).await?;
        self.commit(batch).await?;
        self.forget(closed).await;
        Ok(Advance::Ended(Box::new(result)))
    }
}
