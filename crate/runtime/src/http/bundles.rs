//! `/api/bundles`: what was asked to be signed, decoded, and how far it got.

use super::routes::{PAGE, parameter};
use super::{ApiError, Reply, RouteError};
use crate::Core;
use crate::bundle::rows::BundleRow;
use crate::bundle::stop_by_user;
use crate::dapp;
use chains::Chain;
use std::rc::Rc;
use wire::run::{BundleState, BundleView, Bundles};

/// Reads of the store for one page: a filter that hardly anything passes must not hold the worker for a whole history.
const MAX_READS: usize = 20;

/// Which bundles are wanted. A field that is not named matches all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Filter {
    state: Option<BundleState>,
    /// Of those that have ended: whether everything ran.
    success: Option<bool>,
    chain: Option<Chain>,
}

/// Newest first. A page is short where it is the last, or where the filter passed little of what was read for it.
pub(super) async fn list(core: &Core, query: &str) -> Result<Reply, ApiError> {
    let filter = Filter::parse(query)?;
    let mut cursor = given(query, "cursor").map(str::to_owned);
    let mut bundles = Vec::new();
    for _ in 0..MAX_READS {
        let mut read = core.bundles.newest(cursor.take(), PAGE + 1).await?;
        let more = read.len() > PAGE as usize;
        read.truncate(PAGE as usize);
        for (place, bundle) in read.iter().enumerate() {
            if filter.concerns(bundle) {
                let view = core.bundles.view(&bundle.id).await?;
                bundles.extend(view.filter(|view| filter.passes(view)));
            }
            if bundles.len() == PAGE as usize {
                let cursor = (more || place + 1 < read.len()).then(|| bundle.id.clone());
                return Ok(Reply::json(200, &Bundles { bundles, cursor }));
            }
        }
        cursor = read.last().filter(|_| more).map(|bundle| bundle.id.clone());
        if cursor.is_none() {
            break;
        }
    }
    Ok(Reply::json(200, &Bundles { bundles, cursor }))
}

/// By the id of its call.
pub(super) async fn get(core: &Core, id: &str) -> Result<Reply, ApiError> {
    let view = core.bundles.view(id).await?;
    Ok(Reply::json(200, &view.ok_or(RouteError::BundleNotFound)?))
}

/// Ends a bundle before its next step.
pub(super) async fn stop(core: &Rc<Core>, id: &str) -> Result<Reply, ApiError> {
    Ok(Reply::json(200, &stop_by_user(core, id).await?))
}

/// Another fee for a bundle whose approval waits.
pub(super) async fn choose_fee(core: &Rc<Core>, id: &str, body: &str) -> Result<Reply, ApiError> {
    let choice = wire::json::from_text(body)?;
    Ok(Reply::json(200, &dapp::choose_fee(core, id, &choice).await?))
}

/// A batch of calls of a web page, by its bundle's id or by the page's own, escaped as in a path.
pub(super) async fn call_batch(core: &Rc<Core>, id: &str) -> Result<Reply, ApiError> {
    let id = super::unescaped(id).ok_or(RouteError::BatchNotFound)?;
    Ok(Reply::json(200, &dapp::batch_view(core, &id).await?.ok_or(RouteError::BatchNotFound)?))
}

impl Filter {
    fn parse(query: &str) -> Result<Self, ApiError> {
        let state = match given(query, "state") {
            None => None,
            Some("asking") => Some(BundleState::Asking),
            Some("approved") => Some(BundleState::Approved),
            Some("running") => Some(BundleState::Running),
            Some("done") => Some(BundleState::Done),
            Some(_) => {
                return Err(ApiError::invalid("?state", "must be asking, approved, running or done"));
            }
        };
        let success = match given(query, "outcome") {
            None => None,
            Some("success") => Some(true),
            Some("failed") => Some(false),
            Some(_) => return Err(ApiError::invalid("?outcome", "must be success or failed")),
        };
        let chain = given(query, "chain").map(|name| {
            Chain::parse(name).ok_or_else(|| ApiError::from(RouteError::UnknownChain).at("?chain"))
        });
        Ok(Self { state, success, chain: chain.transpose()? })
    }

    /// What can be told without knowing how far it got.
    fn concerns(&self, bundle: &BundleRow) -> bool {
        self.chain.is_none_or(|chain| bundle.steps.iter().any(|step| step.chain == chain.name()))
    }

    fn passes(&self, view: &BundleView) -> bool {
        self.state.is_none_or(|state| view.state == state)
            && self.success.is_none_or(|success| view.success == Some(success))
    }
}

/// A parameter that says something.
fn given<'a>(query: &'a str, name: &str) -> Option<&'a str> {
    parameter(query, name).filter(|value| !value.is_empty())
}
