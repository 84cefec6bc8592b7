//! A request that becomes a call: journaled under the page's origin and the request's id, so that one that is sent again
//! finds its call.

use super::chains_of;
use super::error::RpcError;
use super::page::{Page, not_connected};
use super::requests::admit;
use crate::Core;
use crate::call::{self, Sender};
use crate::id::derived;
use crate::store::{Batch, Durability, StoreError};
use serde_json::{Map, Value};
use std::rc::Rc;
use wire::action::ActionResult;
use wire::api::Source;
use wire::evm::Filled;

/// How often a request looks again because its site's record changed.
const MAX_CONFLICTS: u32 = 20;

/// Begins a call of a tool for a page, or finds the one that the same request began; returns its id. Refused if the site asks
/// too much; what is wrong with the parameters must be said before.
pub(crate) async fn begin(
    core: &Rc<Core>,
    page: &Page,
    tool: &str,
    title: &str,
    params: Map<String, Value>,
) -> Result<String, RpcError> {
    record(core, page).await?;
    let source = Source::Dapp { origin: page.origin.clone() };
    let lane = lane(page);
    let sender = Sender { source, lane: &lane, turn: &page.request_id, inputs: None };
    let journaled = call::journal(core, &sender, 0, &[action(page, tool, title, params)]).await?;
    call::run_lane(core, &lane);
    let id = journaled.first().map(|call| call.id().to_owned());
    id.ok_or(RpcError::InvalidRequest("could not be recorded"))
}

/// A call that a page asks for, with what the wallet filled in.
pub(crate) struct Asked {
    pub(crate) tool: &'static str,
    pub(crate) title: &'static str,
    pub(crate) params: Map<String, Value>,
    pub(crate) filled: Option<Filled>,
}

/// As [`begin`], with what `beside` stages in the same commit.
pub(crate) async fn begin_filled(
    core: &Rc<Core>,
    page: &Page,
    asked: Asked,
    beside: impl FnOnce(&str, &mut Batch),
) -> Result<String, RpcError> {
    record(core, page).await?;
    let Asked { tool, title, params, filled } = asked;
    let source = Source::Dapp { origin: page.origin.clone() };
    let lane = lane(page);
    let sender = Sender { source, lane: &lane, turn: &page.request_id, inputs: None };
    let action = action(page, tool, title, params);
    let journaled =
        call::journal_filled(core, &sender, &action, filled, |call, batch| beside(&call.id, batch)).await?;
    call::run_lane(core, &lane);
    Ok(journaled.id().to_owned())
}

/// The lane of a page's request. It is a part of keys, where `/` divides: an origin as it is has no place there.
fn lane(page: &Page) -> String {
    ["dapp-", &derived(&[&page.origin, &page.request_id])].concat()
}

fn action(page: &Page, tool: &str, title: &str, params: Map<String, Value>) -> Value {
    let mut action = Map::new();
    action.insert("id".to_owned(), page.request_id.clone().into());
    action.insert("type".to_owned(), tool.into());
    action.insert("title".to_owned(), title.into());
    action.insert("params".to_owned(), Value::Object(params));
    Value::Object(action)
}

/// Notes that a request waits for the user, if its site may ask and it is not noted already.
pub(crate) async fn record(core: &Rc<Core>, page: &Page) -> Result<(), RpcError> {
    for _ in 0..MAX_CONFLICTS {
        if core.page_requests.get(&page.origin, &page.request_id).await?.is_some() {
            return Ok(());
        }
        let site = admit(core, page).await?;
        let mut batch = Batch::new(Durability::Strict);
        core.page_requests.stage_open(page, None, &mut batch);
        site.stage(&mut batch);
        match core.commit(batch).await {
            Ok(()) => return Ok(()),
            // The site asked for something else at the same time.
            Err(StoreError::Conflict { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(StoreError::conflict("sites", &page.origin).into())
}

/// Waits for the result of a call; a failed one is an error.
pub(crate) async fn finish(core: &Rc<Core>, call_id: &str) -> Result<ActionResult, RpcError> {
    let result = core.journal.wait_for_result(call_id).await?;
    if result.success {
        return Ok(result);
    }
    Err(told(core, call_id, RpcError::of_result(&result)).await?)
}

/// What a page is told of a call that failed: what ends with the grant is no rejection of the request.
pub(crate) async fn told(core: &Core, call_id: &str, error: RpcError) -> Result<RpcError, StoreError> {
    if error == RpcError::Rejected
        && let Some(call) = core.journal.call(call_id).await?
        && let Source::Dapp { origin } = &call.record.source
    {
        let grant = core.connections.grant(origin).await?;
        let lost = |chain| grant.as_ref().is_none_or(|grant| !grant.has(chain));
        if grant.is_none() || chains_of(&call.record.params).any(lost) {
            return Ok(not_connected());
        }
    }
    Ok(error)
}
