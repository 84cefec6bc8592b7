//! Before the approval: the bundle is read, decoded and judged whole.

use super::BUNDLES;
use super::check::check_steps;
use super::ending::refused;
use super::error::BundleError;
use super::facts::add_network_facts;
use super::rows::BundleRow;
use super::trial::run_trials;
use super::{SIGN_TRANSACTION_BUNDLE, consent_digest, request};
use crate::Core;
use crate::agent::forms;
use crate::bundle::request::BundleRequest;
use crate::call::CallRow;
use crate::call::{self, Advance, stage_state};
use crate::policy::{ToSign, assess, blocked};
use crate::prompt::{self, Ask};
use crate::store::{Batch, Durability, StoreError, Stored};
use crate::tool::Output;
use std::rc::Rc;
use wire::api::{CallState, Millis};
use wire::bundle::{Decoded, Step, StepRequest};
use wire::failure::Failure;
use wire::policy::Verdict;
use wire::prompt::Question;
use wire::signer::{DecodeRequest, Refusal, Reply, TokenName};
use wire::vault::{Vault, VaultAccount, VaultKind};

/// The user is asked after the chains' nodes had this long, with or without their answers.
const PATIENCE: Millis = 8_000;

/// Why a bundle goes to no approval.
enum ReviewError {
    /// It is refused.
    Refused(Failure),
    /// The store failed.
    Store(StoreError),
}

impl From<StoreError> for ReviewError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<BundleError> for ReviewError {
    fn from(error: BundleError) -> Self {
        Self::Refused(error.into())
    }
}

/// Brings a bundle from its arrival to a refusal, to a question, or to its approval.
pub(crate) async fn review(core: &Rc<Core>, call: Stored<CallRow>) -> Result<Advance, StoreError> {
    if call.record.legacy && !call.record.params.contains_key("transactions") {
        let output = forms::became_of_ready(core, &call.record).await?;
        return call::end_with(core, call, output).await;
    }
    match read_bundle(core, &call.record).await {
        Ok((bundle, vault, wish)) => put_to_policy(core, call, bundle, &vault, wish).await,
        Err(ReviewError::Refused(why)) => call::end_with(core, call, refused(why)).await,
        Err(ReviewError::Store(error)) => Err(error),
    }
}

/// The bundle with its steps decoded, the vault that would sign, and whether the sender asks to skip the approval.
async fn read_bundle(core: &Core, call: &CallRow) -> Result<(BundleRow, Vault, bool), ReviewError> {
    let request = request::parse(&call.params).map_err(|error| ReviewError::Refused(error.into()))?;
    let vault = signing_vault(core).await?;
    let BundleRequest { mut steps, skip_approval, label } = request;
    let (accounts, tokens) = signing_names(core, &vault, &steps).await?;
    add_network_facts(core, &accounts, &tokens, &mut steps).await;
    let decoded = decode(core, accounts, tokens.clone(), &steps).await?;
    let mut decoded: Vec<Step> = steps.iter().cloned().zip(decoded).map(with_transactions).collect();
    let until = core.now() + PATIENCE;
    check_steps(core, &vault, &steps, &mut decoded, until).await?;
    let trial = run_trials(core, &vault, (&steps, &tokens), &mut decoded, until).await;
    let steps = decoded;
    let bundle = BundleRow {
        id: call.id.clone(),
        label,
        vault_id: vault.id().to_owned(),
        vault_name: vault.name.clone(),
        source: call.source.clone(),
        digest: consent_digest(vault.id(), &steps),
        shown: String::new(),
        steps,
        trial,
        verdict: Verdict::Allow,
        skipped_approval: false,
        created_at: call.received_at,
        payees: Vec::new(),
    };
    Ok((bundle, vault, skip_approval))
}

async fn signing_vault(core: &Core) -> Result<Vault, ReviewError> {
    let vault = core.vaults.active().await?.map(|stored| stored.record);
    let vault = vault.ok_or(BundleError::NoVault("there is no vault yet that could sign"))?;
    match vault.kind {
        VaultKind::Local => Ok(*vault),
        VaultKind::Watch => Err(BundleError::WatchOnly.into()),
        VaultKind::Shares => Err(BundleError::NoSigner.into()),
    }
}

/// The accounts that would sign, and the vault's names for tokens.
async fn signing_names(
    core: &Core,
    vault: &Vault,
    steps: &[StepRequest],
) -> Result<(Vec<VaultAccount>, Vec<TokenName>), StoreError> {
    let held = core.coins.of_vault(vault.id()).await?;
    let tokens = held.into_iter().filter_map(|coin| {
        let id = coin.contract_address?;
        let (ticker, decimals) = (coin.ticker, coin.decimals);
        Some(TokenName { chain: coin.chain, id, ticker, decimals, by_agent: !coin.confirmed })
    });
    let signs = |account: &&VaultAccount| steps.iter().any(|step| step.chain == account.chain);
    Ok((vault.accounts.iter().filter(signs).cloned().collect(), tokens.collect()))
}

async fn decode(
    core: &Core,
    accounts: Vec<VaultAccount>,
    tokens: Vec<TokenName>,
    steps: &[StepRequest],
) -> Result<Vec<Vec<Decoded>>, ReviewError> {
    let request = DecodeRequest::Inspect { accounts, steps: steps.to_vec(), tokens };
    match core.ports.signer.ask(request.into()).await {
        Ok(Reply::Inspected { steps: decoded }) if decoded.len() == steps.len() => Ok(decoded),
        Ok(_) => Err(BundleError::SignerUnavailable.into()),
        Err(refusal) => Err(ReviewError::Refused(with_step(&refusal, steps))),
    }
}

async fn put_to_policy(
    core: &Rc<Core>,
    call: Stored<CallRow>,
    mut bundle: BundleRow,
    vault: &Vault,
    skip_approval: bool,
) -> Result<Advance, StoreError> {
    let BundleRow { steps, trial, digest, .. } = &bundle;
    let to_sign = ToSign { vault, steps, trial, digest, skip_approval };
    let assessment = assess(core, &call.record, &SIGN_TRANSACTION_BUNDLE, Some(to_sign)).await?;
    bundle.verdict = assessment.verdict.clone();
    assessment.name_parties(&mut bundle.steps);
    bundle.payees.clone_from(&assessment.payees);
    bundle.skipped_approval = assessment.verdict == Verdict::Allow;
    let bundle = bundle.sealed();
    let mut batch = Batch::new(Durability::Strict);
    match &assessment.verdict {
        Verdict::Block { reasons } => {
            batch.put(BUNDLES, &bundle.id, &bundle);
            assessment.stage_note(&call.record, &bundle.digest, &mut batch);
            let result = call::end_call(core, &mut batch, call, refused(blocked(reasons))).await?;
            core.commit(batch).await?;
            Ok(Advance::Ended(Box::new(result)))
        }
        Verdict::Ask { reasons } => {
            batch.put(BUNDLES, &bundle.id, &bundle);
            assessment.stage_proposal(&bundle.digest, &bundle.id, &mut batch);
            assessment.stage_note(&call.record, &bundle.digest, &mut batch);
            let ask = Ask {
                question: Question::TxBundleApproval { call_id: bundle.id },
                title: bundle.label.unwrap_or_else(|| call.record.title.clone()),
                reasons: reasons.clone(),
                subject: Some(bundle.shown),
            };
            let prompt = prompt::ask_for_call(core, call, ask, &mut batch);
            core.commit(batch).await?;
            prompt::notify(core, &prompt).await?;
            Ok(Advance::Waits)
        }
        Verdict::Allow => {
            batch.put(BUNDLES, &bundle.id, &bundle);
            assessment.stage_proposal(&bundle.digest, &bundle.id, &mut batch);
            assessment.stage_uses(&mut batch);
            assessment.stage_room(&bundle.vault_id, &mut batch);
            stage_state(call, CallState::Approved, &mut batch);
            core.commit(batch).await?;
            Ok(Advance::Further)
        }
    }
}

/// The user approved the bundle: the limits are checked once more, in the batch that records the consent, since other
/// calls may have used them up. Returns the call's end if they are.
pub(crate) async fn consent(
    core: &Core,
    prompt_id: &str,
    call: &CallRow,
    (bundle, vault): (Option<Rc<BundleRow>>, Option<Vault>),
    batch: &mut Batch,
) -> Result<Option<Output>, StoreError> {
    let Some(bundle) = bundle else {
        return Ok(Some(refused(BundleError::BundleGone.into())));
    };
    let Some(vault) = vault else {
        return Ok(Some(refused(BundleError::NoVault("the vault is no longer here").into())));
    };
    let BundleRow { steps, trial, digest, .. } = &*bundle;
    let to_sign = ToSign { vault: &vault, steps, trial, digest, skip_approval: false };
    let assessment = assess(core, call, &SIGN_TRANSACTION_BUNDLE, Some(to_sign)).await?;
    if let Verdict::Block { reasons } = &assessment.verdict {
        return Ok(Some(refused(blocked(reasons))));
    }
    assessment.stage_uses(batch);
    assessment.stage_consent(prompt_id, digest, batch);
    assessment.stage_room(&bundle.vault_id, batch);
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

/// The signer's refusal, with the step as its sender numbers it.
pub(super) fn with_step(refusal: &Refusal, steps: &[StepRequest]) -> Failure {
    let Refusal { code, message, step, field } = refusal;
    let step = step.and_then(|index| steps.get(index));
    let place = step.map(|step| format!("step {}: ", step.sequence)).unwrap_or_default();
    let field = field.as_ref().filter(|field| !message.contains(field.as_str()));
    let field = field.map(|field| format!("{field} ")).unwrap_or_default();
    Failure::new(code.clone(), format!("{place}{field}{message}"))
}
