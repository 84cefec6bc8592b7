//! `countersign_signTransactionBundle`: transactions on one or several chains under one consent, with the parameters of
//! specification 000 §1.1; and its status. Every chain must be one that the user allowed the page. Whether the approval may be
//! skipped is not a page's to wish.

use super::params::batch_id;
use super::status::{Standing, standing};
use super::{
    BatchKind, CallBatchRow, FreeId, approved, batch, begin, connected, free_id, has_begun, id_of, object,
    value,
};
use crate::Core;
use crate::bundle::request::{self, BundleRequest};
use crate::call;
use crate::dapp::asked::{Asked, told};
use crate::dapp::send::refusal;
use crate::dapp::{Page, RpcError};
use crate::tool::RequestError;
use chains::Chain;
use serde_json::{Map, Value};
use std::rc::Rc;
use wire::run::BundleView;

/// What a page asks for.
struct SignBundle {
    params: Map<String, Value>,
    id: Option<String>,
    /// Whether the answer is the result, and not only the id.
    wait: bool,
}

/// `countersign_signTransactionBundle`: answered with the result when the bundle has ended or, with `wait: false`, with its id
/// when the user has approved.
pub(crate) async fn sign_bundle(core: &Rc<Core>, page: &Page, params: &Value) -> Result<Value, RpcError> {
    connected(page)?;
    let SignBundle { params, id, wait } = read(params)?;
    let known = call::call_of_request(core, &page.origin, &page.request_id).await?;
    let (call_id, id) = match known {
        Some(call_id) => {
            let id = id_of(core, &call_id).await?;
            (call_id, id)
        }
        None => {
            let count = check(core, page, &params).await?;
            let FreeId { id, was } = free_id(core, page, id).await?;
            let row = CallBatchRow {
                origin: page.origin.clone(),
                id,
                kind: BatchKind::Bundle,
                call_id: String::new(),
                chain: None,
                calls: count,
                created_at: core.now(),
                receipts: Vec::new(),
            };
            let title = "Sign a bundle";
            let asked = Asked { tool: "sign_transaction_bundle", title, params, filled: None };
            (begin(core, page, asked, &row, was.as_deref()).await?, row.id)
        }
    };
    if !wait {
        return approved(core, &call_id, &id).await;
    }
    let result = core.journal.wait_for_result(&call_id).await?;
    if !result.success && !has_begun(&result) {
        return Err(told(core, &call_id, refusal(&result)).await?);
    }
    let mut answer = match result.data {
        Some(Value::Object(data)) => data,
        _ => Map::new(),
    };
    answer.insert("id".to_owned(), id.into());
    if let Some(error) = result.error {
        answer.insert("error".to_owned(), error.into());
    }
    Ok(Value::Object(answer))
}

fn read(params: &Value) -> Result<SignBundle, RpcError> {
    let given = match params {
        Value::Object(given) => given,
        Value::Array(list) => match list.as_slice() {
            [Value::Object(given)] => given,
            _ => return Err(RpcError::invalid("", "must be one object")),
        },
        _ => return Err(RpcError::invalid("", "must be one object")),
    };
    let wait = match given.get("wait") {
        None | Some(Value::Null) => true,
        Some(Value::Bool(wait)) => *wait,
        Some(_) => return Err(RpcError::invalid("/wait", "must be true or false")),
    };
    let id = match given.get("id") {
        None | Some(Value::Null) => None,
        Some(Value::String(id)) => Some(batch_id("/id", id)?),
        Some(_) => return Err(RpcError::invalid("/id", "must be a text")),
    };
    // Only what a bundle is made of. `skip_approval` is not among it.
    let names = ["transactions", "bundle_label"];
    let params = given.iter().filter(|(name, _)| names.contains(&name.as_str()));
    Ok(SignBundle { params: params.map(|(name, value)| (name.clone(), value.clone())).collect(), id, wait })
}

/// Checks the parameters before there is a call; gives the number of steps.
async fn check(core: &Core, page: &Page, params: &Map<String, Value>) -> Result<u32, RpcError> {
    let BundleRequest { steps, .. } = request::parse(params).map_err(|error| match error {
        RequestError::InvalidParams { path, .. } if path == "/transactions" && too_many(params) => {
            RpcError::BatchTooLarge
        }
        RequestError::InvalidParams { path, problem } => RpcError::invalid(path, problem),
        RequestError::UnknownChain { name, .. } => RpcError::UnsupportedChain(name),
        other => RpcError::invalid("", other.to_string()),
    })?;
    for step in &steps {
        let chain =
            Chain::parse(&step.chain).ok_or_else(|| RpcError::UnsupportedChain(step.chain.clone()))?;
        page.account(core, chain).await?;
    }
    Ok(u32::try_from(steps.len()).unwrap_or(u32::MAX))
}

fn too_many(params: &Map<String, Value>) -> bool {
    params.get("transactions").and_then(Value::as_array).is_some_and(|steps| steps.len() > request::MAX_STEPS)
}

/// `countersign_getBundleStatus`: how far a bundle of the page is, step by step. Batches of `wallet_sendCalls` have it too.
pub(crate) async fn bundle_status(core: &Core, page: &Page, params: &Value) -> Result<Value, RpcError> {
    let row = batch(core, page, params).await?;
    let Some(view) = core.bundles.view(&row.record.call_id).await? else {
        let open = core.journal.call(&row.record.call_id).await?.is_some_and(|call| call.record.is_open());
        let status: u16 = if open { 100 } else { 400 };
        return Ok(object(&[
            ("id", row.record.id.clone().into()),
            ("status", status.into()),
            ("transactions", Value::Array(Vec::new())),
        ]));
    };
    let Standing { code, .. } = standing(&view);
    let mut answer = vec![
        ("id", row.record.id.clone().into()),
        ("status", code.into()),
        ("state", value(&view.state)),
        ("transactions", Value::Array(steps(&view))),
    ];
    if let Some(success) = view.success {
        answer.push(("bundle_success", success.into()));
    }
    if let Some(error) = view.error {
        answer.push(("error", error.into()));
    }
    Ok(object(&answer))
}

fn steps(view: &BundleView) -> Vec<Value> {
    let row = |(step, progress): (&wire::bundle::Step, &wire::run::StepProgress)| {
        object(&[
            ("id", step.id.clone().into()),
            ("sequence", step.sequence.into()),
            ("chain", step.chain.clone().into()),
            ("status", value(&progress.status)),
            ("tx_hash", progress.tx_hash.clone().map_or(Value::Null, Value::from)),
            ("error", progress.error.clone().map_or(Value::Null, Value::from)),
        ])
    };
    view.bundle.steps.iter().zip(&view.progress).map(row).collect()
}
