//! A web page that asks, and what it may know.

use super::caip;
use super::error::RpcError;
use crate::Core;
use crate::connection::{self, Grant};
use crate::settings::{self, SettingsRow, StoredSettings};
use crate::store::{Reads, StoreError};
use chains::Chain;
use std::cell::RefCell;
use std::rc::Rc;
use wire::api::Endpoint;
use wire::dapp::{PageAccount, PageState};
use wire::sorted::SortedMap;
use wire::vault::{Vault, VaultAccount};

/// The chain of a page that is not connected, or has not switched.
pub(crate) const FIRST_CHAIN: Chain = Chain::Ethereum;

/// A web page and its request. Who it is is the browser's word.
#[derive(Debug, Clone)]
pub(crate) struct Page {
    pub(crate) origin: String,
    /// The browser's id of the document.
    pub(crate) document: String,
    pub(crate) tab: u32,
    /// The same when the request is sent again, and when the document that a reload brought goes on with it.
    pub(crate) request_id: String,
    /// The id under which this document sent it.
    pub(crate) sent_as: String,
    pub(crate) method: String,
    /// Digest of the parameters.
    pub(crate) params: String,
    /// What the user granted; nothing if the page is not connected.
    pub(crate) grant: Option<Grant>,
    /// The nodes that the user chose, by chain.
    pub(crate) endpoints: SortedMap<String, Endpoint>,
}

impl Page {
    /// A page of an origin that asks for nothing.
    pub(super) fn nobody(origin: &str, grant: Option<Grant>) -> Self {
        let empty = String::new;
        Self {
            origin: origin.to_owned(),
            document: empty(),
            tab: 0,
            request_id: empty(),
            sent_as: empty(),
            method: empty(),
            params: empty(),
            grant,
            endpoints: SortedMap::default(),
        }
    }

    /// Whether it asks for nothing.
    pub(super) fn is_nobody(&self) -> bool {
        self.request_id.is_empty()
    }

    /// The EVM chain that it is on.
    pub(crate) fn chain(&self) -> Chain {
        let current = self.grant.as_ref().and_then(|grant| grant.current_chain.as_deref());
        current.and_then(Chain::parse).unwrap_or(FIRST_CHAIN)
    }

    /// The vault that it may use now: the active one, if the grant has it.
    pub(crate) async fn vault(&self, core: &Core) -> Result<Vault, RpcError> {
        let grant = self.grant.as_ref().ok_or_else(not_connected)?;
        let vault = core.vaults.active().await?.map(|stored| *stored.record);
        vault.filter(|vault| grant.vault_ids.iter().any(|id| id == vault.id())).ok_or_else(not_connected)
    }

    /// Its account on a chain that the grant has.
    pub(crate) async fn account(&self, core: &Core, chain: Chain) -> Result<VaultAccount, RpcError> {
        let vault = self.vault(core).await?;
        let granted = self.grant.iter().any(|grant| grant.has(chain));
        let account = vault.account(chain.name()).filter(|_| granted).cloned();
        account.ok_or_else(|| {
            RpcError::Unauthorized(format!("the user has not allowed this page to use {}", chain.name()))
        })
    }
}

pub(super) fn not_connected() -> RpcError {
    RpcError::Unauthorized("the user has not connected this page".to_owned())
}

/// What the user granted a page, and the user's settings. What version 10 granted is for results of tools alone.
pub(super) async fn grant_and_settings(
    core: &Core,
    origin: &str,
) -> Result<(Option<Grant>, SettingsRow), StoreError> {
    let mut reads = Reads::new();
    let (connection, settings) = (connection::read(origin, &mut reads), settings::read(&mut reads));
    let snapshot = reads.from(core.database.store()).await?;
    let grant = connection::granted(&snapshot, connection, core.now())?;
    let settings = StoredSettings::from(snapshot.one(settings)?).row;
    Ok((grant.filter(|grant| !grant.vault_ids.is_empty()), settings))
}

/// What the user granted a page.
pub(super) async fn grant(core: &Core, origin: &str) -> Result<Option<Grant>, StoreError> {
    Ok(grant_and_settings(core, origin).await?.0)
}

/// The account of a vault on a chain that a grant has.
pub(super) fn account(grant: &Grant, vault: &Vault, chain: Chain) -> Option<PageAccount> {
    let account = vault.account(chain.name()).filter(|_| grant.has(chain))?;
    Some(PageAccount { address: account.address.clone(), public_key: account.public_key.clone() })
}

/// How many origins have kept what is known of them.
const MAX_KNOWN: usize = 16;

/// What is known of pages, as it was read last: they ask for their accounts and chain, and read from nodes, all the time.
#[derive(Default)]
pub(crate) struct KnownPages {
    kept: RefCell<Vec<Rc<KnownPage>>>,
}

/// What was read of an origin. It decides about nothing that is signed: that is read anew.
pub(super) struct KnownPage {
    origin: String,
    /// The number of commits that could have changed it, before it was read.
    version: u64,
    pub(super) grant: Option<Grant>,
    pub(super) endpoints: SortedMap<String, Endpoint>,
    pub(super) state: PageState,
}

impl KnownPages {
    fn get(&self, core: &Core, origin: &str) -> Option<Rc<KnownPage>> {
        let (version, now) = (core.database.permissions.version(), core.now());
        let is_good = |known: &&Rc<KnownPage>| {
            known.origin == origin
                && known.version == version
                && known.grant.as_ref().is_none_or(|grant| grant.is_live(now))
        };
        self.kept.borrow().iter().find(is_good).map(Rc::clone)
    }

    fn keep(&self, new: Rc<KnownPage>) {
        let mut kept = self.kept.borrow_mut();
        kept.retain(|old| old.origin != new.origin);
        if kept.len() >= MAX_KNOWN {
            kept.remove(0);
        }
        kept.push(new);
    }
}

/// What is known of a page of this origin: as it was read last, unless something changed.
pub(super) async fn known(core: &Core, origin: &str) -> Result<Rc<KnownPage>, StoreError> {
    if let Some(known) = core.known_pages.get(core, origin) {
        return Ok(known);
    }
    let version = core.database.permissions.version();
    let (grant, SettingsRow { endpoints, .. }) = grant_and_settings(core, origin).await?;
    let state = read_state(core, origin, grant.clone()).await?;
    let known = Rc::new(KnownPage { origin: origin.to_owned(), version, grant, endpoints, state });
    core.known_pages.keep(Rc::clone(&known));
    Ok(known)
}

async fn read_state(core: &Core, origin: &str, grant: Option<Grant>) -> Result<PageState, StoreError> {
    let connected = grant.is_some();
    let page = Page::nobody(origin, grant);
    let mut state = PageState { connected, chain_id: chain_id(page.chain()), ..PageState::default() };
    let vault = match page.vault(core).await {
        Ok(vault) => vault,
        Err(RpcError::Store(error)) => return Err(error),
        Err(_) => return Ok(state),
    };
    let Some(grant) = &page.grant else { return Ok(state) };
    let of = |chain: Chain| account(grant, &vault, chain);
    state.accounts = of(page.chain()).map(|account| account.address).into_iter().collect();
    state.solana = of(Chain::Solana).into_iter().collect();
    state.sui = of(Chain::Sui).into_iter().collect();
    state.sessions = caip::scopes(grant, &vault);
    Ok(state)
}

/// An EVM chain's id: hex with `0x`.
pub(crate) fn chain_id(chain: Chain) -> String {
    format!("{:#x}", chain.evm_id().unwrap_or_default())
}
