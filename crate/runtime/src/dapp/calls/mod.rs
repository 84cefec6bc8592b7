//! EIP-5792: batches of calls that a page sends, and their status; and bundles over several chains, which go beyond it.
//!
//! A batch is a bundle of as many steps, run one after the other by the same engine and approved as a whole. It is not
//! atomic, which its capabilities say: `atomicRequired` is refused with 5760 unless there is one call. No account is ever
//! upgraded, so no user is asked for an upgrade and 5750 is never answered.
//!
//! An id names one batch of one page. One of which nothing was begun, because the user rejected it or the wallet refused it,
//! was never submitted: its status is 400, and its id is free for the next attempt.

mod bundle;
mod capabilities;
mod owner;
mod params;
mod status;

pub(super) use bundle::{bundle_status, sign_bundle};
pub(super) use capabilities::get_capabilities;
pub(crate) use owner::{CallBatchRow, CallBatches};

use super::asked::{Asked, begin_filled, record, told};
use super::page::chain_id;
use super::send::fill::{Fill, bundle_params, fill, until_decided};
use super::send::{Begun, check_addresses, own_account, refusal, still_granted, wait_until_begun};
use super::{Page, RpcError};
use crate::Core;
use crate::call;
use crate::node::{query_nodes, together};
use crate::ports::NetError;
use crate::store::{StoreError, Stored};
use chains::Chain;
use params::{SendCalls, VERSION, chain_of, only_id, send_calls as read_params};
use serde_json::{Map, Value};
use status::{Included, PENDING, Standing, standing};
use std::rc::Rc;
use wire::action::ActionResult;
use wire::api::CallState;
use wire::calls::{BatchKind, CallBatch};
use wire::evm::EvmReceipt;
use wire::node::{NodeQuery, NodeResult};
use wire::vault::VaultAccount;

/// Beyond EIP-5792: a bundle over several chains.
const BUNDLE_METHOD: &str = "countersign_signTransactionBundle";

/// `wallet_sendCalls`: answered when the user has approved.
pub(super) async fn send_calls(core: &Rc<Core>, page: &Page, params: &Value) -> Result<Value, RpcError> {
    if let Some(answer) = earlier(core, page).await? {
        return Ok(answer);
    }
    connected(page)?;
    let SendCalls { id, from, chain_id, calls } = read_params(params)?;
    let chain = chain_of(&chain_id).ok_or(RpcError::UnsupportedChain(chain_id))?;
    let account = match &from {
        Some(from) => own_account(core, page, chain, from).await?,
        None => page.account(core, chain).await?,
    };
    let FreeId { id, was } = free_id(core, page, id).await?;
    check_addresses(core, chain, &calls, |index| format!("/0/calls/{index}")).await?;
    let row = CallBatchRow {
        origin: page.origin.clone(),
        id,
        kind: BatchKind::Calls,
        call_id: String::new(),
        chain: Some(chain.name().to_owned()),
        calls: u32::try_from(calls.len()).unwrap_or(u32::MAX),
        created_at: core.now(),
        receipts: Vec::new(),
    };
    record(core, page).await?;
    let alone = core.ports.host.lock(&lock(&account)).await;
    if let Some(answer) = earlier(core, page).await? {
        return Ok(answer);
    }
    let flight = until_decided(core, &account).await?;
    still_granted(core, page, chain, &account).await?;
    let Fill { filled, ignored } = fill(core, &account, flight, &calls).await?;
    let params = bundle_params(core, &filled, &ignored).await?;
    let title = if calls.len() == 1 { "Send a transaction" } else { "Send several transactions" };
    let asked = Asked { tool: "sign_transaction_bundle", title, params, filled: Some(filled) };
    let call_id = begin(core, page, asked, &row, was.as_deref()).await?;
    drop(alone);
    approved(core, &call_id, &row.id).await
}

fn lock(account: &VaultAccount) -> String {
    format!("fill/{}/{}", account.chain, account.address)
}

/// The answer to a request that was sent before: it finds its call, and nothing is filled in or signed again.
async fn earlier(core: &Rc<Core>, page: &Page) -> Result<Option<Value>, RpcError> {
    let Some(call_id) = call::call_of_request(core, &page.origin, &page.request_id).await? else {
        return Ok(None);
    };
    approved(core, &call_id, &id_of(core, &call_id).await?).await.map(Some)
}

/// The id under which a page knows the batch of a call; empty where nothing was begun of it and its id names another now.
async fn id_of(core: &Core, call_id: &str) -> Result<String, StoreError> {
    let row = core.call_batches.find(call_id).await?.filter(|row| row.record.call_id == call_id);
    Ok(row.map(|row| row.record.id.clone()).unwrap_or_default())
}

fn connected(page: &Page) -> Result<(), RpcError> {
    let not_connected = || RpcError::Unauthorized("the user has not connected this page".to_owned());
    page.grant.as_ref().map(|_| ()).ok_or_else(not_connected)
}

/// An id that no batch of the page is known by.
struct FreeId {
    id: String,
    /// The row of a batch of which nothing was begun, as it was read.
    was: Option<String>,
}

/// The page's id, if no other batch of its has it; or one that cannot be guessed.
async fn free_id(core: &Core, page: &Page, id: Option<String>) -> Result<FreeId, RpcError> {
    let Some(id) = id else {
        let mut random = [0; 32];
        core.ports.host.random(&mut random);
        let digits: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        return Ok(FreeId { id: ["0x", &digits].concat(), was: None });
    };
    let Some(row) = core.call_batches.get(&page.origin, &id).await? else {
        return Ok(FreeId { id, was: None });
    };
    let call = core.journal.call(&row.record.call_id).await?;
    match call.map(|call| call.record.state) {
        Some(CallState::Done { result, .. }) if !result.success && !has_begun(&result) => {
            Ok(FreeId { id, was: Some(row.text) })
        }
        _ => Err(RpcError::DuplicateId),
    }
}

/// Begins the call of a batch; the batch is on disk with it, in the place of the row that `was` there.
async fn begin(
    core: &Rc<Core>,
    page: &Page,
    asked: Asked,
    row: &CallBatchRow,
    was: Option<&str>,
) -> Result<String, RpcError> {
    let old = core.call_batches.old().await?;
    let begun = begin_filled(core, page, asked, |call_id, batch| {
        let row = CallBatchRow { call_id: call_id.to_owned(), ..row.clone() };
        owner::stage(&row, was, &old, batch);
    });
    match begun.await {
        // Another request with the same id was faster.
        Err(RpcError::Store(StoreError::Conflict { .. })) => Err(RpcError::DuplicateId),
        other => other,
    }
}

/// Waits for the user; what comes of the batch afterwards is its status.
async fn approved(core: &Core, call_id: &str, id: &str) -> Result<Value, RpcError> {
    match wait_until_begun(core, call_id).await? {
        Begun::Ended(result) if !result.success && !has_begun(&result) => {
            Err(told(core, call_id, refusal(&result)).await?)
        }
        Begun::Running | Begun::Ended(_) => Ok(object(&[("id", id.into())])),
    }
}

/// Whether a step of an ended bundle was begun.
fn has_begun(result: &ActionResult) -> bool {
    let rows = result.data.as_ref().and_then(|data| data.get("transactions")?.as_array());
    rows.is_some_and(|rows| !rows.is_empty())
}

/// A batch of the page.
async fn batch(core: &Core, page: &Page, params: &Value) -> Result<Stored<CallBatchRow>, RpcError> {
    connected(page)?;
    let id = only_id(params)?;
    core.call_batches.get(&page.origin, &id).await?.ok_or(RpcError::UnknownBatch)
}

/// `wallet_getCallsStatus`.
pub(super) async fn get_calls_status(core: &Core, page: &Page, params: &Value) -> Result<Value, RpcError> {
    let row = batch(core, page, params).await?;
    // A bundle over several chains has no chain id: its status has a method of its own.
    let chain = match (row.record.kind, &row.record.chain) {
        (BatchKind::Calls, Some(chain)) => Chain::parse(chain).ok_or(RpcError::UnknownBatch)?,
        _ => return Err(RpcError::UnknownBatch),
    };
    let Standing { mut code, included } = where_it_is(core, &row.record).await?;
    let receipts = receipts(core, &row, &included, code != PENDING).await?;
    if receipts.len() < included.len() {
        // Without all receipts it is not settled for the page.
        code = PENDING;
    }
    let mut answer = vec![
        ("version", VERSION.into()),
        ("id", row.record.id.clone().into()),
        ("chainId", chain_id(chain).into()),
        ("status", code.into()),
        // One call is one transaction: it runs whole or not at all.
        ("atomic", (row.record.calls == 1).into()),
    ];
    if !receipts.is_empty() {
        answer.push(("receipts", Value::Array(receipts.iter().map(|receipt| value(receipt)).collect())));
    }
    Ok(object(&answer))
}

/// Where a batch is. One that was refused before anything was decoded has no bundle.
async fn where_it_is(core: &Core, row: &CallBatchRow) -> Result<Standing, RpcError> {
    if let Some(view) = core.bundles.view(&row.call_id).await? {
        return Ok(standing(&view));
    }
    let open = core.journal.call(&row.call_id).await?.is_some_and(|call| call.record.is_open());
    Ok(Standing { code: if open { PENDING } else { 400 }, included: Vec::new() })
}

/// The receipts of transactions that are in a block, in the order of the chain: kept once all are settled.
async fn receipts(
    core: &Core,
    row: &Stored<CallBatchRow>,
    included: &[Included],
    settled: bool,
) -> Result<Vec<EvmReceipt>, RpcError> {
    let kept = |included: &Included| {
        row.record
            .receipts
            .iter()
            .find(|one| one.transaction_hash.eq_ignore_ascii_case(&included.hash))
            .cloned()
    };
    if let Some(kept) = included.iter().map(kept).collect::<Option<Vec<_>>>() {
        return Ok(kept);
    }
    let asked = included.iter().map(async |included| {
        let query = NodeQuery::Receipt { id: included.hash.clone() };
        let answers = query_nodes(core, &included.chain, vec![query]).await;
        Ok::<_, NetError>(match answers.results.into_iter().next() {
            Some(NodeResult::Receipt(receipt)) => receipt,
            _ => None,
        })
    });
    let found = together(asked.collect()).await.unwrap_or_default();
    let mut found: Vec<EvmReceipt> = found.into_iter().flatten().collect();
    let block = |receipt: &EvmReceipt| {
        u64::from_str_radix(receipt.block_number.trim_start_matches("0x"), 16).unwrap_or(u64::MAX)
    };
    // Each was sent when the one before was in a block; the order stays where blocks are equal.
    found.sort_by_key(block);
    if settled && !found.is_empty() && found.len() == included.len() {
        core.call_batches.keep(row, found.clone()).await?;
    }
    Ok(found)
}

/// `wallet_showCallsStatus`: opens the wallet at the bundle.
pub(super) async fn show_calls_status(core: &Core, page: &Page, params: &Value) -> Result<Value, RpcError> {
    let row = batch(core, page, params).await?;
    core.ports.host.show_bundle(&row.record.call_id);
    Ok(Value::Null)
}

/// A batch as the wallet's own pages see it.
pub(crate) async fn view(core: &Core, id: &str) -> Result<Option<CallBatch>, StoreError> {
    let Some(row) = core.call_batches.find(id).await? else { return Ok(None) };
    let status = match where_it_is(core, &row.record).await {
        Ok(standing) => standing.code,
        Err(RpcError::Store(error)) => return Err(error),
        Err(_) => PENDING,
    };
    let CallBatchRow { origin, id, kind, call_id, chain, calls, created_at, .. } = *row.record;
    Ok(Some(CallBatch { id, origin, bundle_id: call_id, kind, chain, calls, created_at, status }))
}

fn object(fields: &[(&str, Value)]) -> Value {
    Value::Object(
        fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect::<Map<_, _>>(),
    )
}

/// A record as a value.
fn value(record: &dyn wire::json::ToJson) -> Value {
    wire::json::to_value(record)
}
