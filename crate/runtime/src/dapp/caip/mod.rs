//! Sessions over several chains: CAIP-25 `wallet_createSession`, CAIP-312 `wallet_getSession`, CAIP-285
//! `wallet_revokeSession`, CAIP-27 `wallet_invokeMethod`. A session is a view of the page's one grant: there is no second
//! record that could say something else, and no session id.

mod scope;
mod session;

pub(super) use scope::chain_named;
pub(super) use session::scopes;

use super::connect::{Wanted, connect};
use super::error::RpcError;
use super::methods;
use super::page::{Page, not_connected};
use super::params::{no_others, only_object};
use crate::Core;
use crate::connection::{ConnectionError, leave, revoke};
use chains::Chain;
use scope::{Scope, method_in};
use serde_json::{Map, Value};
use session::{Shape, answer, proposal};
use std::rc::Rc;

/// Lets the page use the chains of its scopes that this wallet has.
pub(super) async fn create_session(core: &Rc<Core>, page: &Page, params: Value) -> Result<Value, RpcError> {
    let proposal = proposal(&params)?;
    let (grant, vault) = connect(core, page, &Wanted::Some(proposal.chains)).await?;
    Ok(answer(proposal.shape, scopes(&grant, &vault)))
}

/// The scopes as they are now; none before the page was let in.
pub(super) async fn get_session(core: &Core, page: &Page, params: &Value) -> Result<Value, RpcError> {
    session_params(params)?;
    match (&page.grant, page.vault(core).await) {
        (Some(grant), Ok(vault)) => Ok(answer(Shape::Earlier, scopes(grant, &vault))),
        (_, Err(error @ RpcError::Store(_))) => Err(error),
        _ => Ok(answer(Shape::Earlier, Map::new())),
    }
}

/// Ends the page's grant, or only what it has of the chains of `scopes`. A page that has none is answered alike.
pub(super) async fn revoke_session(core: &Rc<Core>, page: &Page, params: Value) -> Result<Value, RpcError> {
    let named = match session_params(&params)?.and_then(|fields| fields.get("scopes")) {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(named)) => named.iter().enumerate().map(named_chain).collect::<Result<_, _>>()?,
        Some(_) => return Err(RpcError::invalid("/scopes", "must be an array")),
    };
    if !named.is_empty() {
        leave(core, &page.origin, |chain| named.contains(&Some(chain))).await?;
        return Ok(true.into());
    }
    match revoke(core, &page.origin).await {
        Ok(()) | Err(ConnectionError::ConnectionNotFound) => Ok(true.into()),
        Err(ConnectionError::Store(error)) => Err(error.into()),
        Err(_) => Ok(true.into()),
    }
}

/// The chain of a scope, of those that this wallet has.
fn named_chain((index, scope): (usize, &Value)) -> Result<Option<Chain>, RpcError> {
    let scope = scope.as_str().and_then(Scope::parse);
    let scope = scope.ok_or_else(|| RpcError::invalid(format!("/scopes/{index}"), "is not a scope"))?;
    Ok(scope.chain())
}

/// The parameters of a request about the session as it is. There is one for each page, and it has no id.
fn session_params(params: &Value) -> Result<Option<&Map<String, Value>>, RpcError> {
    let fields = match params {
        Value::Null => return Ok(None),
        Value::Array(values) if values.is_empty() => return Ok(None),
        params => only_object(params)?.0,
    };
    no_others("", fields, &["sessionId", "scopes"])?;
    no_session_id(fields)?;
    Ok(Some(fields))
}

/// No session of this wallet has an id: one that is named is another's.
fn no_session_id(fields: &Map<String, Value>) -> Result<(), RpcError> {
    match fields.get("sessionId") {
        None | Some(Value::Null) => Ok(()),
        Some(_) => Err(RpcError::UnknownSession),
    }
}

/// Runs a method on the chain of a scope. The chain that the page is on stays as it is.
pub(super) async fn invoke_method(core: &Rc<Core>, page: &Page, params: Value) -> Result<Value, RpcError> {
    let Value::Object(fields) = params else { return Err(RpcError::invalid("", "must be an object")) };
    no_others("", &fields, &["scope", "request", "sessionId"])?;
    no_session_id(&fields)?;
    let scope = match fields.get("scope") {
        Some(Value::String(scope)) => scope,
        _ => return Err(RpcError::invalid("/scope", "must be a scope such as eip155:1")),
    };
    let Some(Value::Object(request)) = fields.get("request") else {
        return Err(RpcError::invalid("/request", "must be an object"));
    };
    no_others("/request", request, &["method", "params", "id", "jsonrpc"])?;
    let Some(Value::String(method)) = request.get("method") else {
        return Err(RpcError::invalid("/request/method", "must be a string"));
    };
    let params = request.get("params").cloned().unwrap_or_default();
    if !matches!(params, Value::Null | Value::Array(_) | Value::Object(_)) {
        return Err(RpcError::invalid("/request/params", "must be an array or an object"));
    }
    let grant = page.grant.as_ref().ok_or_else(not_connected)?;
    let scope = Scope::parse(scope).ok_or_else(|| RpcError::invalid("/scope", "is not a scope"))?;
    let chain = scope.chain().filter(|chain| grant.has(*chain)).ok_or_else(|| {
        RpcError::Unauthorized("the user has not allowed this page to use the chain of the scope".to_owned())
    })?;
    let method = method_in(chain, method).ok_or_else(|| RpcError::UnsupportedMethod(method.clone()))?;
    let mut page = page.clone();
    if let (Some(grant), Some(_)) = (&mut page.grant, chain.evm_id()) {
        grant.switch(chain);
    }
    methods::answer(core, &page, &method, params).await
}
