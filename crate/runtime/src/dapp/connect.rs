//! Letting a page in: one open prompt for each origin, which all its requests wait for.

use super::error::RpcError;
use super::page::{Page, not_connected};
use super::requests::admit;
use crate::connection::Grant;
use crate::prompt::{self, Ask, Found};
use crate::store::{Batch, Durability, StoreError};
use crate::{Core, vault};
use chains::{Chain, Kind};
use std::rc::Rc;
use wire::prompt::{PromptOutcome, Question};
use wire::vault::Vault;

/// How often a request looks again because the records changed.
const MAX_ROUNDS: u32 = 20;

/// What a page wants to be let in for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Wanted {
    /// The accounts of the EVM chains, any of them.
    Evm,
    /// All of these chains.
    Chains(Vec<Chain>),
    /// All of these chains, or those of them that the user chooses.
    Some(Vec<Chain>),
}

/// What became of asking.
enum Asked {
    /// A prompt is open.
    Open(String),
    /// The user approved this before.
    Approved(Question),
}

impl Wanted {
    /// Whether a grant has it.
    fn is_in(&self, grant: &Grant) -> bool {
        match self {
            Self::Evm => evm_chains(grant).next().is_some(),
            Self::Chains(chains) | Self::Some(chains) => chains.iter().all(|chain| grant.has(*chain)),
        }
    }

    /// Whether a grant has as much of it as the user must give.
    fn is_enough_in(&self, grant: &Grant) -> bool {
        match self {
            Self::Some(chains) => chains.iter().any(|chain| grant.has(*chain)),
            Self::Evm | Self::Chains(_) => self.is_in(grant),
        }
    }

    /// The user approved, and gave none of it.
    const fn denied(&self) -> RpcError {
        match self {
            Self::Some(_) => RpcError::SessionRefused,
            Self::Evm | Self::Chains(_) => RpcError::Rejected,
        }
    }

    fn names(&self) -> Vec<String> {
        match self {
            Self::Evm => Vec::new(),
            Self::Chains(chains) | Self::Some(chains) => {
                chains.iter().map(|chain| chain.name().to_owned()).collect()
            }
        }
    }
}

/// The EVM chains of a grant.
pub(super) fn evm_chains(grant: &Grant) -> impl Iterator<Item = Chain> + '_ {
    grant.chains.iter().filter_map(|name| Chain::parse(name)).filter(|chain| chain.kind() == Kind::Evm)
}

/// What a page that has what it wants may do; nothing if the user must be asked.
pub(super) async fn granted(
    core: &Core,
    page: &Page,
    wanted: &Wanted,
) -> Result<Option<(Grant, Vault)>, RpcError> {
    let Some(grant) = core.connections.grant(&page.origin).await? else { return Ok(None) };
    let vault = core.vaults.active().await?.map(|stored| *stored.record);
    let vault = vault.filter(|vault| grant.vault_ids.iter().any(|id| id == vault.id()));
    Ok(vault.filter(|_| wanted.is_in(&grant)).map(|vault| (grant, vault)))
}

/// The same, after the user approved.
async fn enough(core: &Core, page: &Page, wanted: &Wanted) -> Result<Option<(Grant, Vault)>, RpcError> {
    let found = granted(core, page, &Wanted::Chains(Vec::new())).await?;
    Ok(found.filter(|(grant, _)| wanted.is_enough_in(grant)))
}

/// Lets a page in, if need be by asking the user.
pub(super) async fn connect(
    core: &Rc<Core>,
    page: &Page,
    wanted: &Wanted,
) -> Result<(Grant, Vault), RpcError> {
    for _ in 0..MAX_ROUNDS {
        if let Some(granted) = granted(core, page, wanted).await? {
            return Ok(granted);
        }
        if vault::active(core.database.store()).await?.is_none() {
            return Err(RpcError::Unauthorized("there is no vault in the wallet yet".to_owned()));
        }
        // Two requests at once must not both find no prompt and make one each.
        let alone = core.ports.host.lock(&["connect/", &page.origin].concat()).await;
        let asked = match ask_or_join(core, page, wanted).await {
            Err(RpcError::Store(StoreError::Conflict { .. })) => continue,
            other => other?,
        };
        drop(alone);
        let question = match asked {
            Asked::Approved(question) => question,
            Asked::Open(id) => {
                if prompt::wait_for_outcome(core, &id).await? != Some(PromptOutcome::Approved) {
                    return Err(refused(core, page).await?);
                }
                match core.prompts.get(&id).await? {
                    Some(Found::Settled(prompt)) => prompt.question,
                    _ => continue,
                }
            }
        };
        if let Some(granted) = enough(core, page, wanted).await? {
            return Ok(granted);
        }
        // The user was asked for all of it and gave less, or took it back.
        if asks_for(&question, wanted) {
            return Err(wanted.denied());
        }
    }
    Err(RpcError::AlreadyPending)
}

/// What ends with the grant is no rejection of the request.
async fn refused(core: &Core, page: &Page) -> Result<RpcError, StoreError> {
    let ended = page.grant.is_some() && core.connections.grant(&page.origin).await?.is_none();
    Ok(if ended { not_connected() } else { RpcError::Rejected })
}

/// Asks the user about a page that asks for nothing itself; whether the user lets it in.
pub(super) async fn ask_for(core: &Rc<Core>, origin: &str) -> Result<bool, RpcError> {
    let page = Page::nobody(origin, None);
    for _ in 0..MAX_ROUNDS {
        let alone = core.ports.host.lock(&["connect/", origin].concat()).await;
        if core.connections.grant(origin).await?.is_some() {
            return Ok(true);
        }
        let asked = match ask_or_join(core, &page, &Wanted::Evm).await {
            Err(RpcError::Store(StoreError::Conflict { .. })) => continue,
            other => other?,
        };
        drop(alone);
        let Asked::Open(id) = asked else { return Ok(true) };
        return Ok(prompt::wait_for_outcome(core, &id).await? == Some(PromptOutcome::Approved));
    }
    Err(RpcError::AlreadyPending)
}

/// The prompt that decides: the one that the request waits for already, the origin's open one, or a new one.
async fn ask_or_join(core: &Rc<Core>, page: &Page, wanted: &Wanted) -> Result<Asked, RpcError> {
    // One that is due expires first: it gets no other answer.
    prompt::expire_due(core).await?;
    let known = core.page_requests.get(&page.origin, &page.request_id).await?;
    if let Some(prompt_id) = known.and_then(|row| row.record.prompt_id) {
        match core.prompts.get(&prompt_id).await? {
            Some(Found::Open(_)) => return Ok(Asked::Open(prompt_id)),
            Some(Found::Settled(prompt)) => {
                if prompt.outcome != Some(PromptOutcome::Approved) {
                    return Err(refused(core, page).await?);
                }
                if asks_for(&prompt.question, wanted) {
                    return Ok(Asked::Approved(prompt.question));
                }
            }
            None => {}
        }
    }
    if core.policy.rules().await?.kill_switch {
        return Err(RpcError::Unauthorized("everything is stopped in the wallet's settings".to_owned()));
    }
    let mut site = match page.is_nobody() {
        // The user asks, and not the page.
        true => core.sites.get(&page.origin).await?,
        false => admit(core, page).await?,
    };
    let open = match &site.row.connect_prompt {
        Some(id) if core.prompts.is_open(id).await? => Some(id.clone()),
        _ => None,
    };
    let mut batch = Batch::new(Durability::Strict);
    if let Some(id) = open {
        core.page_requests.check_joined(&page.origin, &id).await?;
        core.page_requests.stage_open(page, Some(&id), &mut batch);
        site.stage(&mut batch);
        core.commit(batch).await?;
        return Ok(Asked::Open(id));
    }
    let reasons = super::phishing::reasons(core, &page.origin, Some(&site.row)).await?;
    if let Some(listed) = reasons.iter().find(|reason| super::phishing::blocks(reason)) {
        // The user finds it among the sites, and can let it in all the same.
        site.stage(&mut batch);
        core.commit(batch).await?;
        return Err(RpcError::Listed(listed.message.clone()));
    }
    let ask = Ask {
        question: Question::ConnectDapp { origin: page.origin.clone(), chains: wanted.names() },
        title: ["Connect ", &page.origin].concat(),
        reasons,
        subject: None,
        hosts: Vec::new(),
        pin: None,
    };
    let prompt = core.prompts.stage(ask, &mut batch);
    core.page_requests.stage_open(page, Some(&prompt.id), &mut batch);
    site.row.connect_prompt = Some(prompt.id.clone());
    site.stage(&mut batch);
    core.commit(batch).await?;
    prompt::notify(core, &prompt).await?;
    Ok(Asked::Open(prompt.id))
}

/// Whether a prompt asked for all that is wanted.
fn asks_for(question: &Question, wanted: &Wanted) -> bool {
    let Question::ConnectDapp { chains, .. } = question else { return false };
    match wanted {
        Wanted::Evm => chains.is_empty() || chains.iter().any(|name| is_evm(name)),
        Wanted::Chains(wanted) | Wanted::Some(wanted) if chains.is_empty() => {
            wanted.iter().all(|chain| chain.kind() == Kind::Evm)
        }
        Wanted::Chains(wanted) | Wanted::Some(wanted) => {
            wanted.iter().all(|chain| chains.iter().any(|name| name == chain.name()))
        }
    }
}

fn is_evm(name: &str) -> bool {
    Chain::parse(name).is_some_and(|chain| chain.kind() == Kind::Evm)
}
