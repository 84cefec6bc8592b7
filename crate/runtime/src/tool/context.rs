//! What a tool may touch while it is executed, and nothing else.

use super::{Definition, Output, ToolResult};
use crate::call::{CallRow, Cancel, durability};
use crate::coins::{Coins, TokenFacts};
use crate::contacts::Contacts;
use crate::id::Ids;
use crate::ports::{Lock, Net, NetError, NetRequest, NetResponse, Signer, Task};
use crate::store::{Batch, Store, StoreError};
use crate::{Core, vault};
use derive::Code;
use std::rc::Rc;
use wire::address_book::AddedBy;
use wire::api::{Millis, Source};

/// What a tool may touch.
pub struct Context<'a> {
    /// Raised when the call is cancelled. A tool that is cancelled is not polled again: it cannot read, fetch or write after that.
    pub cancel: Cancel,
    /// Who the user is, and the way to secrets without their values.
    pub auth: Auth<'a>,
    /// HTTP; the only network of a tool.
    pub client: Client<'a>,
    /// Records, for reading.
    pub store: &'a dyn Store,
    /// New ids.
    pub ids: &'a Ids,
    /// The time of the attempt.
    pub now: Millis,
    /// What the wallet's own tools use besides.
    pub(crate) wallet: Services<'a>,
    /// The tool's writes, with what they rely on; committed together with the result.
    pub batch: Batch,
    /// Whether pages must read contacts, chains or tokens again.
    pub vault_modified: bool,
    /// What follows the commit.
    pub(crate) after: Vec<Task>,
    /// What keeps others from acting for the call, until its end is committed.
    pub(crate) alone: Option<Lock>,
}

impl<'a> Context<'a> {
    pub(crate) fn new(core: &'a Rc<Core>, call: &CallRow, cancel: Cancel) -> Self {
        let store = &*core.ports.store;
        Self {
            cancel,
            auth: Auth { store },
            client: Client::new(core, Vec::new()),
            store,
            ids: &core.ids,
            now: core.now(),
            wallet: Services { core, added_by: added_by(&call.source) },
            batch: Batch::new(durability(call)),
            vault_modified: false,
            after: Vec::new(),
            alone: None,
        }
    }

    /// Waits; whether the call is not cancelled meanwhile.
    pub(crate) async fn pause(&self, millis: Millis) -> bool {
        let slept = self.wallet.core.ports.host.sleep(millis);
        self.cancel.or(Box::pin(slept), std::future::pending()).await.is_some()
    }

    /// What a tool gave, at the time of this attempt.
    pub(crate) fn result(&self, tool: &Definition, output: Output) -> ToolResult {
        ToolResult { tool: tool.name.clone().into_owned(), fetched_at: self.now, output }
    }

    /// Takes what was staged, to be committed now.
    pub(crate) fn take_batch(&mut self) -> Batch {
        let durability = self.batch.durability();
        std::mem::replace(&mut self.batch, Batch::new(durability))
    }

    /// Forgets what was staged: nothing of it is written.
    pub(crate) fn discard(&mut self) {
        self.take_batch();
        self.vault_modified = false;
        self.after.clear();
    }
}

/// Services beyond the standard ones. Another is another method here, and no tool that does without it is touched.
#[derive(Clone)]
pub(crate) struct Services<'a> {
    /// Owners of everything that is stored.
    pub(crate) core: &'a Rc<Core>,
    /// Who a record says it came from.
    pub(crate) added_by: AddedBy,
}

impl<'a> Services<'a> {
    /// Which checks addresses.
    pub(crate) fn signer(&self) -> &'a dyn Signer {
        &*self.core.ports.signer
    }

    /// Saved addresses.
    pub(crate) fn contacts(&self) -> &'a Contacts {
        &self.core.contacts
    }

    /// What the vaults hold.
    pub(crate) fn coins(&self) -> &'a Coins {
        &self.core.coins
    }

    /// What the chains' nodes say of tokens.
    pub(crate) fn facts(&self) -> TokenFacts<'a> {
        TokenFacts::new(self.core)
    }
}

/// Who the user is. A tool has this handle and never a secret: what needs one names it, and the signer fills it in.
#[derive(Clone, Copy)]
pub struct Auth<'a> {
    store: &'a dyn Store,
}

impl Auth<'_> {
    /// The id of the active vault, whose secrets may be named; empty without a vault.
    pub async fn user_id(&self) -> Result<String, StoreError> {
        let vault = vault::active(self.store).await?;
        Ok(vault.map(|vault| vault.record.id().to_owned()).unwrap_or_default())
    }
}

/// HTTP for tools: to hosts that the user allowed, and to no others.
pub struct Client<'a> {
    net: &'a dyn Net,
    /// As the settings have them.
    pub allowed_hosts: Vec<String>,
}

/// Why a tool's request was not sent, or has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Code)]
pub enum ClientError {
    /// The user did not allow the host.
    #[error("the host is not among those that you allowed")]
    HostNotAllowed,
    /// The network failed.
    #[error("{0}")]
    Unreachable(NetError),
}

impl<'a> Client<'a> {
    /// To these hosts.
    pub(crate) fn new(core: &'a Core, allowed_hosts: Vec<String>) -> Self {
        Self { net: &*core.ports.net, allowed_hosts }
    }

    /// Sends a request, if its host is allowed. Dropping the answer, or the call, ends it.
    pub async fn send(&self, request: NetRequest) -> Result<NetResponse, ClientError> {
        let authority = request.url.split_once("://").map_or("", |(_, rest)| rest);
        let authority = authority.split(['/', '?', '#']).next().unwrap_or_default();
        if authority.contains('@') || !self.allowed_hosts.iter().any(|host| host == authority) {
            return Err(ClientError::HostNotAllowed);
        }
        self.net.send(request).await.map_err(ClientError::Unreachable)
    }
}

/// Who a record says it came from.
fn added_by(source: &Source) -> AddedBy {
    match source {
        Source::Agent { .. } => AddedBy::Agent,
        Source::User => AddedBy::User,
        Source::Dapp { origin } => AddedBy::Dapp { origin: origin.clone() },
    }
}
