//! Requests of web pages. A page's request is a call in the journal like an agent's: it survives the window, the worker and
//! the browser, is decoded, judged, asked about and audited.
//!
//! [`Core::page`] answers one request. The content script sends an unanswered one again with the same id, and it finds what
//! it became.

mod asked;
mod caip;
mod calls;
mod connect;
mod envelope;
mod error;
mod evm;
mod families;
mod methods;
mod page;
mod params;
mod phishing;
mod requests;
mod results;
mod send;
mod sign;
mod sites;

pub(crate) use asked::{begin, finish};
pub(crate) use calls::{CallBatches, view as batch_view};
pub(crate) use error::RpcError;
pub(crate) use page::{KnownPages, Page};
pub(crate) use phishing::SiteLists;
pub(crate) use requests::PageRequests;
pub(crate) use send::{choose_fee, fees::choice as fee_choice};
pub(crate) use sites::{
    Sites, forget_old as forget_old_sites, list as list_sites, patch as patch_site, put_list, view_list,
};

use crate::call::cancel_call;
use crate::connection::is_origin;
use crate::later::later;
use crate::store::{Batch, StoreError, json};
use crate::{Awaited, Core, prompt};
use chains::Chain;
use envelope::Envelope;
use serde_json::{Map, Value};
use std::rc::Rc;
use wire::policy::Reason;
use wire::prompt::Question;

impl Core {
    /// Answers a request of a web page: JSON text in, `{"result"}` or `{"error"}` out. Origin, document and tab are the
    /// browser's word.
    pub fn page<'a>(
        self: &'a Rc<Self>,
        origin: &'a str,
        document: &'a str,
        tab: u32,
        text: &'a str,
    ) -> Awaited<'a, String> {
        Box::pin(async move {
            let answer = later(self, answer(self, origin, document, tab, text)).await;
            let (name, value) = match answer {
                Ok(result) => ("result", result),
                Err(error) => ("error", error.to_value()),
            };
            let mut fields = Map::new();
            fields.insert(name.to_owned(), value);
            Value::Object(fields).to_string()
        })
    }

    /// What a web page of this origin may know now: [`wire::dapp::PageState`] as JSON text.
    pub fn page_state<'a>(self: &'a Rc<Self>, origin: &'a str) -> Awaited<'a, Result<String, StoreError>> {
        Box::pin(async move {
            let known = later(self, page::known(self, origin)).await?;
            Ok(json(&known.state))
        })
    }

    /// A document of a web page is gone: its tab was closed, or shows something else. Its open prompts say so.
    pub fn page_gone<'a>(
        self: &'a Rc<Self>,
        origin: &'a str,
        document: &'a str,
    ) -> Awaited<'a, Result<(), StoreError>> {
        Box::pin(async move { later(self, gone(self, origin, document)).await })
    }
}

async fn answer(
    core: &Rc<Core>,
    origin: &str,
    document: &str,
    tab: u32,
    text: &str,
) -> Result<Value, RpcError> {
    if !is_origin(origin) && !is_extension(core, origin).await? {
        return Err(RpcError::Unauthorized("this page has no origin that could be connected".to_owned()));
    }
    let Envelope { id, method, params } = Envelope::parse(text)?;
    let (grant, endpoints) = match methods::is_plain(&method) {
        true => {
            let known = page::known(core, origin).await?;
            if let Some(told) = methods::told(&known.state, &method) {
                return Ok(told);
            }
            (known.grant.clone(), known.endpoints.clone())
        }
        false => {
            let (grant, settings) = page::grant_and_settings(core, origin).await?;
            (grant, settings.endpoints)
        }
    };
    let mut page = Page {
        origin: origin.to_owned(),
        document: document.to_owned(),
        tab,
        request_id: id.clone(),
        sent_as: id,
        params: requests::params_digest(&method, &params),
        method,
        grant,
        endpoints,
    };
    if let Some(grant) = &page.grant {
        core.connections.note_use(grant).await?;
    }
    let asks = methods::asks(&page.method);
    if asks {
        page.request_id = core.page_requests.resume(core, &page).await?;
    }
    let answer = methods::answer(core, &page, &page.method, params).await;
    if asks && !matches!(answer, Err(RpcError::Store(_))) {
        core.page_requests.answered(&page).await?;
    }
    answer
}

/// Whether an origin is that of another extension that the user named.
async fn is_extension(core: &Core, origin: &str) -> Result<bool, StoreError> {
    let Some(id) = origin.strip_prefix("chrome-extension://") else { return Ok(false) };
    Ok(core.settings.read().await?.pages.extensions.iter().any(|named| named == id))
}

/// Asks the user about a page, for one of our own pages; whether it is connected then.
pub(crate) async fn let_in(core: &Rc<Core>, origin: &str) -> Result<bool, StoreError> {
    if core.connections.grant(origin).await?.is_some() {
        return Ok(true);
    }
    match connect::ask_for(core, origin).await {
        Ok(connected) => Ok(connected),
        Err(RpcError::Store(error)) => Err(error),
        Err(_) => Ok(false),
    }
}

/// What is to be said of a site on the prompts of its calls.
pub(crate) async fn site_reasons(core: &Core, origin: &str) -> Result<Vec<Reason>, StoreError> {
    phishing::reasons(core, origin, None).await
}

/// Stages what the user's answer to a request means for its site.
pub(crate) async fn stage_answered(
    core: &Core,
    origin: &str,
    approved: bool,
    batch: &mut Batch,
) -> Result<(), StoreError> {
    let mut site = core.sites.get(origin).await?;
    match approved {
        true => site.row.approve(),
        false => site.row.reject(core.now()),
    }
    site.stage(batch);
    Ok(())
}

/// The grant ended: what its page waits for is refused. A bundle that signed something ends after the step it is in.
pub(crate) async fn refuse_open(core: &Rc<Core>, origin: &str) -> Result<(), StoreError> {
    for prompt in core.prompts.open().await? {
        if matches!(&prompt.record.question, Question::ConnectDapp { origin: of, .. } if of == origin) {
            match prompt::cancel(core, &prompt.record.id).await {
                // The user was faster.
                Ok(()) | Err(StoreError::Conflict { .. }) => {}
                Err(error) => return Err(error),
            }
        }
    }
    for call in core.journal.open_of_page(origin).await? {
        // One that cannot be cancelled has ended.
        let _ = cancel_call(core, &call.id).await;
    }
    Ok(())
}

/// The page lost some of its chains: what it waits for on those is refused, as it is when the whole grant ends.
pub(crate) async fn refuse_lost(core: &Rc<Core>, origin: &str) -> Result<(), StoreError> {
    let Some(grant) = core.connections.grant(origin).await? else { return refuse_open(core, origin).await };
    for call in core.journal.open_of_page(origin).await? {
        if chains_of(&call.params).any(|chain| !grant.has(chain)) {
            // One that cannot be cancelled has ended.
            let _ = cancel_call(core, &call.id).await;
        }
    }
    Ok(())
}

/// The chains that a call of a page is on: that of a message, or those of a bundle's steps.
fn chains_of(params: &Map<String, Value>) -> impl Iterator<Item = Chain> + '_ {
    let steps = params.get("transactions").and_then(Value::as_array).into_iter().flatten();
    let named = steps.filter_map(|step| step.get("chain")).chain(params.get("chain"));
    named.filter_map(Value::as_str).filter_map(Chain::parse)
}

/// Marks the prompts of a document that is gone. One that another document waits for too is not marked.
async fn gone(core: &Rc<Core>, origin: &str, document: &str) -> Result<(), StoreError> {
    let left = core.page_requests.document_gone(origin, document).await?;
    if left.is_empty() {
        return Ok(());
    }
    let others = core.page_requests.open_of(origin).await?;
    let waited_for = |prompt_id: &str| {
        let waits = |row: &requests::RequestRow| {
            row.document != document && row.prompt_id.as_deref() == Some(prompt_id)
        };
        others.iter().any(waits)
    };
    let calls = core.journal.open_of_page(origin).await?;
    let is_left = |call_id: &str| {
        let call = calls.iter().find(|call| call.id == call_id);
        call.is_some_and(|call| left.iter().any(|row| row.id == call.action_id))
    };
    let reason = phishing::page_gone();
    core.prompts
        .add_reason(&reason, |prompt| match &prompt.question {
            Question::ConnectDapp { origin: of, .. } => of == origin && !waited_for(&prompt.id),
            question => question.call_id().is_some_and(is_left),
        })
        .await
}
