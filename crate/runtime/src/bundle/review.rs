//! Before the approval: the bundle is read, decoded and judged whole.

use super::check::check_steps;
use super::ending::refused;
use super::error::BundleError;
use super::facts::add_network_facts;
use super::rows::BundleRow;
use super::tool::Reviewed;
use super::trial::run_trials;
use super::{consent_digest, definition, is_for_page, request};
use crate::Core;
use crate::bundle::request::BundleRequest;
use crate::call::CallRow;
use crate::dapp;
use crate::descriptors::describe_steps;
use crate::later::later;
use crate::policy::{DefinitionStanding, ToSign, assess, blocked};
use crate::store::{Batch, StoreError};
use crate::tool::{Output, Prepared, RequestError};
use chains::unsigned::PARTIAL;
use std::rc::Rc;
use wire::api::Millis;
use wire::bundle::{Decoded, Step, StepRequest, StepSource};
use wire::evm::FeeChoice;
use wire::failure::Failure;
use wire::json::FieldError;
use wire::policy::Verdict;
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

/// Reads, decodes and checks a bundle that has arrived, or says why it cannot run.
pub(super) async fn read_bundle(core: &Core, call: &CallRow) -> Result<Prepared, StoreError> {
    match decoded_bundle(core, call).await {
        Ok(reviewed) => Ok(Prepared::Proposal(Box::new(reviewed))),
        Err(ReviewError::Refused(why)) => Ok(Prepared::Refused(refused(why))),
        Err(ReviewError::Store(error)) => Err(error),
    }
}

async fn decoded_bundle(core: &Core, call: &CallRow) -> Result<Reviewed, ReviewError> {
    let request = request::parse(&call.params).map_err(|error| ReviewError::Refused(error.into()))?;
    let vault = signing_vault(core).await?;
    let BundleRequest { mut steps, skip_approval, label } = request;
    let for_page = is_for_page(call);
    if !for_page && steps.iter().any(is_partial) {
        let problem = "must not have tx_type partial: it would never be sent";
        return Err(ReviewError::Refused(
            RequestError::from(FieldError::rule("/transactions", problem)).into(),
        ));
    }
    let (accounts, tokens) = signing_names(core, &vault, &steps).await?;
    add_network_facts(core, &accounts, &tokens, &mut steps).await;
    let decoded = decode(core, accounts, tokens.clone(), &steps).await?;
    let mut decoded: Vec<Step> = steps.iter().cloned().zip(decoded).map(with_transactions).collect();
    describe_steps(core, &mut decoded, &tokens).await?;
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
        for_page,
        created_at: call.received_at,
        payees: Vec::new(),
        fees: fee_choice(core, call).await?,
    };
    Ok(Reviewed { bundle, vault, skip_approval })
}

/// The fees that can be chosen, where the wallet filled in the transactions.
async fn fee_choice(core: &Core, call: &CallRow) -> Result<Option<FeeChoice>, StoreError> {
    match &call.filled {
        Some(filled) => later(core, async { Ok(Some(dapp::fee_choice(filled))) }).await,
        None => Ok(None),
    }
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
    let definition = definition(call);
    let to_sign = ToSign { vault: &vault, steps, trial, digest, skip_approval: false, notices: &[] };
    let assessment = assess(core, call, definition, Some(to_sign), &[], DefinitionStanding::Own).await?;
    if let Verdict::Block { reasons } = &assessment.verdict {
        return Ok(Some(refused(blocked(reasons))));
    }
    assessment.stage_uses(batch);
    assessment.stage_consent(prompt_id, digest, batch);
    assessment.stage_room(&bundle.vault_id, batch);
    Ok(None)
}

/// Whether others may sign a step afterwards.
fn is_partial(step: &StepRequest) -> bool {
    matches!(&step.source, StepSource::Raw { tx_type: Some(kind), .. } if kind == PARTIAL)
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
