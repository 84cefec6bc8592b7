//! `eth_sendTransaction`: a page says what is to be done, the wallet fills in the rest from the user's node, and what comes of it
//! is a bundle of one step. The page is answered with the hash as soon as a node has the bytes.

mod choose;
pub(crate) mod fees;
pub(crate) mod fill;
pub(crate) mod params;
mod sent;

pub(crate) use choose::choose_fee;
pub(crate) use sent::{Begun, refusal, wait_until_begun};

use super::asked::{Asked, begin_filled, record};
use super::page::{self, chain_id};
use super::{Page, RpcError};
use crate::Core;
use crate::address;
use crate::call;
use chains::{Amount, Chain};
use fill::{Fill, bundle_params, fill, until_decided};
use params::{PageTransaction, Wanted};
use serde_json::Value;
use std::rc::Rc;
use wire::failure::Failure;
use wire::vault::VaultAccount;

/// `eth_sendTransaction`.
pub(super) async fn send_transaction(
    core: &Rc<Core>,
    page: &Page,
    params: &Value,
) -> Result<Value, RpcError> {
    // One that is sent again finds its call: nothing is filled in or signed twice.
    if let Some(id) = call::call_of_request(core, &page.origin, &page.request_id).await? {
        return Ok(sent::wait_until_sent(core, &id).await?.into());
    }
    let PageTransaction { from, wanted, chain_id: named } = params::transaction(params)?;
    let chain = page.chain();
    let account = own_account(core, page, chain, &from).await?;
    if named.is_some_and(|named| named != Amount::from(chain.evm_id().unwrap_or_default())) {
        let problem = format!("is another chain than the page's, {}", chain_id(chain));
        return Err(RpcError::invalid("/0/chainId", problem));
    }
    check_addresses(core, chain, std::slice::from_ref(&wanted), |_| "/0".to_owned()).await?;
    let id = begin(core, page, chain, &account, &[wanted]).await?;
    Ok(sent::wait_until_sent(core, &id).await?.into())
}

/// The page's account on a chain, which must be the one that it names.
pub(crate) async fn own_account(
    core: &Core,
    page: &Page,
    chain: Chain,
    from: &str,
) -> Result<VaultAccount, RpcError> {
    let account = page.account(core, chain).await?;
    if account.address.eq_ignore_ascii_case(from) {
        return Ok(account);
    }
    Err(RpcError::Unauthorized(format!("the user has not allowed this page to use {from}")))
}

/// Refuses addresses of mixed case without their checksum, before anything is recorded. `place` is where a call's fields are.
pub(crate) async fn check_addresses(
    core: &Core,
    chain: Chain,
    wanted: &[Wanted],
    place: impl Fn(usize) -> String,
) -> Result<(), RpcError> {
    let mut named: Vec<(String, &str)> = Vec::new();
    for (index, wanted) in wanted.iter().enumerate() {
        let at = place(index);
        named.extend(wanted.call.to.as_deref().map(|to| (format!("{at}/to"), to)));
        for (entry, access) in wanted.call.access_list.iter().enumerate() {
            named.push((format!("{at}/accessList/{entry}/address"), &access.address));
        }
    }
    let addresses = named.iter().map(|(_, address)| (chain, *address));
    let unavailable = |_| RpcError::Failed(Failure::bare("signer_unavailable".to_owned()));
    let checked = address::check(&*core.ports.signer, addresses).await.map_err(unavailable)?;
    for (path, address) in named {
        checked.canonical(chain, address).map_err(|error| RpcError::invalid(path, error.to_string()))?;
    }
    Ok(())
}

/// Refuses what the user no longer allows: a request may have waited for its number.
pub(crate) async fn still_granted(
    core: &Core,
    page: &Page,
    chain: Chain,
    account: &VaultAccount,
) -> Result<(), RpcError> {
    let page = Page { grant: page::grant(core, &page.origin).await?, ..page.clone() };
    own_account(core, &page, chain, &account.address).await.map(|_| ())
}

/// Fills in one transaction, and begins its call.
async fn begin(
    core: &Rc<Core>,
    page: &Page,
    chain: Chain,
    account: &VaultAccount,
    wanted: &[Wanted],
) -> Result<String, RpcError> {
    // It counts among what its site asks for from now on, also while it waits for its number.
    record(core, page).await?;
    let _alone = core.ports.host.lock(&format!("fill/{}/{}", account.chain, account.address)).await;
    // The same request may have been under way twice.
    if let Some(id) = call::call_of_request(core, &page.origin, &page.request_id).await? {
        return Ok(id);
    }
    let flight = until_decided(core, account).await?;
    still_granted(core, page, chain, account).await?;
    let Fill { filled, ignored } = fill(core, account, flight, wanted).await?;
    let params = bundle_params(core, &filled, &ignored).await?;
    let asked =
        Asked { tool: "sign_transaction_bundle", title: "Send a transaction", params, filled: Some(filled) };
    begin_filled(core, page, asked, |_, _| ()).await
}
