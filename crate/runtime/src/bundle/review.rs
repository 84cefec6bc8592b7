//! Before anybody is asked: the bundle is read, decoded and judged whole.

use super::{SIGN_TRANSACTION_BUNDLE, consent_digest, request};
use crate::Core;
use crate::agent::forms;
use crate::bundle::request::BundleRequest;
use crate::call::{self, Advance, stage_state};
use crate::policy::{ToSign, assess, blocked};
use crate::prompt::{self, Ask};
use crate::store::{Batch, Durability, StoreError, Stored, Table, read};
use crate::tool::{Output, coins};
use std::rc::Rc;
use wire::api::{Call, CallState};
use wire::bundle::{Bundle, Decoded, Step, StepRequest};
use wire::failure::Failure;
use wire::policy::Verdict;
use wire::prompt::Question;
use wire::signer::{Refusal, Reply, Request, TokenName};
use wire::vault::{Vault, VaultAccount, VaultKind};

/// Why a bundle was refused before anybody was asked, as `code: sentence`; or the store failed.
enum Refused {
    Said(String),
    Store(StoreError),
}

impl From<StoreError> for Refused {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl Core {
    /// Brings a bundle from its arrival to a refusal, to a question, or to its approval.
    pub(crate) async fn review(self: &Rc<Self>, call: Stored<Call>) -> Result<Advance, StoreError> {
        if call.record.legacy && !call.record.params.contains_key("transactions") {
            let output = forms::became_of_ready(self, &call.record).await?;
            return call::end_with(self, call, output).await;
        }
        match self.read_bundle(&call.record).await {
            Ok((bundle, vault, wish)) => self.put_to_policy(call, bundle, &vault, wish).await,
            Err(Refused::Said(reason)) => call::end_with(self, call, Output::failed(reason)).await,
            Err(Refused::Store(error)) => Err(error),
        }
    }

    /// The bundle with its steps decoded, the vault that would sign, and whether the sender wishes no question.
    async fn read_bundle(&self, call: &Call) -> Result<(Bundle, Vault, bool), Refused> {
        let request =
            request::parse(&call.params).map_err(|error| Refused::Said(Failure::from(error).to_string()))?;
        let vault = self.signing_vault().await?;
        let BundleRequest { mut steps, skip_approval, label } = request;
        self.add_network_facts(&mut steps).await;
        let decoded = self.decode(&vault, &steps).await?;
        let mut decoded: Vec<Step> = steps.iter().cloned().zip(decoded).map(with_transactions).collect();
        self.check_steps(&vault, &steps, &mut decoded).await.map_err(Refused::Said)?;
        let steps = decoded;
        let bundle = Bundle {
            id: call.id.clone(),
            label,
            vault_id: vault.id().to_owned(),
            vault_name: vault.name.clone(),
            source: call.source.clone(),
            digest: consent_digest(vault.id(), &steps),
            steps,
            verdict: Verdict::Allow,
            skipped_approval: false,
            created_at: call.received_at,
        };
        Ok((bundle, vault, skip_approval))
    }

    async fn signing_vault(&self) -> Result<Vault, Refused> {
        let said = |reason: &str| Refused::Said(reason.to_owned());
        let vault = self.vaults.active().await?.map(|stored| stored.record);
        let vault = vault.ok_or_else(|| said("no_vault: there is no vault yet that could sign"))?;
        match vault.kind {
            VaultKind::Local => Ok(vault),
            VaultKind::Watch => Err(said("watch_only: the vault in use has no private keys")),
            VaultKind::Shares => {
                Err(said("no_signer: the vault in use is of shares, with which nothing here signs yet"))
            }
        }
    }

    async fn decode(&self, vault: &Vault, steps: &[StepRequest]) -> Result<Vec<Vec<Decoded>>, Refused> {
        let held = coins::of_vault(&*self.ports.store, vault.id()).await?;
        let tokens = held.into_iter().filter_map(|coin| {
            let id = coin.contract_address?;
            Some(TokenName { chain: coin.chain, id, ticker: coin.ticker, decimals: coin.decimals })
        });
        let signs = |account: &&VaultAccount| steps.iter().any(|step| step.chain == account.chain);
        let accounts = vault.accounts.iter().filter(signs).cloned().collect();
        let request = Request::Inspect { accounts, steps: steps.to_vec(), tokens: tokens.collect() };
        match self.ports.signer.ask(request).await {
            Ok(Reply::Inspected { steps: decoded }) if decoded.len() == steps.len() => Ok(decoded),
            Ok(_) => Err(Refused::Said("signer_unavailable: the signer's answer made no sense".to_owned())),
            Err(refusal) => Err(Refused::Said(in_words(&refusal, steps))),
        }
    }

    async fn put_to_policy(
        self: &Rc<Self>,
        call: Stored<Call>,
        mut bundle: Bundle,
        vault: &Vault,
        skip_approval: bool,
    ) -> Result<Advance, StoreError> {
        let to_sign = ToSign { vault, steps: &bundle.steps, digest: &bundle.digest, skip_approval };
        let assessment = assess(self, &call.record, &SIGN_TRANSACTION_BUNDLE, Some(to_sign)).await?;
        bundle.verdict = assessment.verdict.clone();
        let mut batch = Batch::new(Durability::Strict);
        match &assessment.verdict {
            Verdict::Block { reasons } => {
                batch.put(Table::Bundles, &bundle.id, &bundle);
                assessment.stage_note(&call.record, &bundle.digest, &mut batch);
                let result = call::end_call(self, &mut batch, call, Output::failed(blocked(reasons))).await?;
                self.commit(batch).await?;
                Ok(Advance::Ended(Box::new(result)))
            }
            Verdict::Ask { reasons } => {
                batch.put(Table::Bundles, &bundle.id, &bundle);
                assessment.stage_proposal(&bundle.digest, &bundle.id, &mut batch);
                assessment.stage_note(&call.record, &bundle.digest, &mut batch);
                let ask = Ask {
                    question: Question::TxBundleApproval { call_id: bundle.id },
                    title: bundle.label.unwrap_or_else(|| call.record.title.clone()),
                    reasons: reasons.clone(),
                    digest: bundle.digest,
                };
                let prompt = prompt::ask_for_call(self, call, ask, &mut batch);
                self.commit(batch).await?;
                prompt::notify(self, &prompt).await?;
                Ok(Advance::Waits)
            }
            Verdict::Allow => {
                bundle.skipped_approval = true;
                batch.put(Table::Bundles, &bundle.id, &bundle);
                assessment.stage_proposal(&bundle.digest, &bundle.id, &mut batch);
                assessment.stage_uses(&mut batch);
                stage_state(call, CallState::Approved, &mut batch);
                self.commit(batch).await?;
                Ok(Advance::Further)
            }
        }
    }
}

/// The user approved the bundle: the limits are checked once more, in the batch that records the consent, since other
/// calls may have used them up. Returns the call's end if they are.
pub(crate) async fn consent(
    core: &Core,
    prompt_id: &str,
    call: &Call,
    batch: &mut Batch,
) -> Result<Option<Output>, StoreError> {
    let store = &*core.ports.store;
    let bundle = read::<Bundle>(store, Table::Bundles, &call.id).await?;
    let Some(Stored { record: bundle, .. }) = bundle else {
        return Ok(Some(Output::failed("bundle_gone: its record is no longer there".to_owned())));
    };
    let Some(vault) = core.vaults.get(&bundle.vault_id).await? else {
        return Ok(Some(Output::failed("no_vault: the vault is no longer here".to_owned())));
    };
    let (steps, digest) = (&bundle.steps, &bundle.digest);
    let to_sign = ToSign { vault: &vault.record, steps, digest, skip_approval: false };
    let assessment = assess(core, call, &SIGN_TRANSACTION_BUNDLE, Some(to_sign)).await?;
    if let Verdict::Block { reasons } = &assessment.verdict {
        return Ok(Some(Output::failed(blocked(reasons))));
    }
    assessment.stage_uses(batch);
    assessment.stage_consent(prompt_id, &bundle.vault_id, digest, batch);
    Ok(None)
}

fn with_transactions((request, transactions): (StepRequest, Vec<Decoded>)) -> Step {
    let StepRequest { id, sequence, chain, action, details, .. } = request;
    let StepRequest { wait_for_receipt, receipt_timeout_seconds, network_facts, .. } = request;
    Step {
        id,
        sequence,
        chain,
        action,
        details,
        transactions,
        findings: Vec::new(),
        wait_for_receipt,
        receipt_timeout_seconds,
        network_facts,
    }
}

/// What the signer refused, with the step as its sender numbers it.
pub(super) fn in_words(refusal: &Refusal, steps: &[StepRequest]) -> String {
    let Refusal { code, message, step, field } = refusal;
    let step = step.and_then(|index| steps.get(index));
    let place = step.map(|step| format!("step {}: ", step.sequence)).unwrap_or_default();
    let field = field.as_ref().filter(|field| !message.contains(field.as_str()));
    let field = field.map(|field| format!("{field} ")).unwrap_or_default();
    format!("{code}: {place}{field}{message}")
}
