//! One line a route, then what each does.

use super::{
    ApiError, MAX_BODY, Reply, RouteError, audit, bundles, coins, connections, contacts, descriptors, mcp,
    messages, oauth, pending, policy, prompts, secrets, settings, sites, tools, vaults,
};
use crate::agent::timeline;
use crate::call::{self, CallRow, Journaled, Sender};
use crate::later::later;
use crate::trim;
use crate::{Awaited, Core};
use serde_json::{Map, Value};
use std::rc::Rc;
use wire::api::{AcceptedCalls, ActionResults, Call, Calls, Conversations, Source};
use wire::json::Body;
use wire::secret::SecretText;

/// Records on one page of a log.
pub(super) const PAGE: u32 = 50;
/// Actions in one request.
const MAX_ACTIONS: usize = 100;

impl Core {
    /// Answers one request of an extension page. `target` is the path with its query.
    pub fn handle<'a>(
        self: &'a Rc<Self>,
        method: &'a str,
        target: &'a str,
        body: &'a str,
    ) -> Awaited<'a, Reply> {
        let answer = async move { route(self, method, target, body).await.unwrap_or_else(ApiError::reply) };
        Box::pin(answer)
    }
}

/// One future a route: the browser compiles a function when it first runs, and a worker that has just been
/// started should not compile them all for one answer. [`later`] stands where a start is not waited for.
fn route<'a>(core: &'a Rc<Core>, method: &'a str, target: &'a str, body: &'a str) -> Answer<'a> {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let segments: Vec<&str> = path.split('/').skip(1).collect();
    match (method, segments.as_slice()) {
        ("GET", ["api", "health"]) => answer(async { Ok(Reply::json(200, &core.health())) }),
        ("GET", ["api", "settings"]) => answer(settings::get(core)),
        ("PATCH", ["api", "settings"]) => later(core, settings::patch(core, body)),
        ("POST", ["api", "actions"]) => answer(post_actions(core, body, query)),
        ("GET", ["api", "calls"]) => answer(get_calls(core, query)),
        ("GET", ["api", "calls", id]) => answer(get_call(core, id)),
        ("POST", ["api", "calls", id, "cancel"]) => answer(cancel_call(core, id)),
        ("GET", ["api", "conversations"]) => answer(get_conversations(core)),
        ("POST", ["api", "conversations"]) => answer(post_conversation(core, body)),
        ("GET", ["api", "conversations", id, "messages"]) => answer(get_messages(core, id)),
        ("POST", ["api", "conversations", id, "messages"]) => answer(post_message(core, id, body)),
        ("GET", ["api", "prompts"]) => answer(prompts::list(core)),
        ("GET", ["api", "prompts", id]) => answer(prompts::get(core, id)),
        ("POST", ["api", "prompts", id]) => answer(prompts::answer(core, id, body)),
        ("GET", ["api", "vaults"]) => answer(vaults::list(core)),
        ("POST", ["api", "vaults"]) => later(core, vaults::create(core, body)),
        ("PATCH", ["api", "vaults", id]) => later(core, vaults::rename(core, id, body)),
        ("DELETE", ["api", "vaults", id]) => later(core, vaults::delete(core, id, body)),
        ("POST", ["api", "vaults", id, "activate"]) => answer(vaults::activate(core, id)),
        ("POST", ["api", "vaults", id, "unlock"]) => answer(vaults::unlock(core, id, body)),
        ("POST", ["api", "vaults", id, "lock"]) => answer(vaults::lock(core, id)),
        ("POST", ["api", "vaults", id, "export"]) => later(core, vaults::export(core, id, body)),
        ("POST", ["api", "vaults", id, "password"]) => later(core, vaults::change_password(core, id, body)),
        ("GET", ["api", "vaults", id, "accounts"]) => later(core, coins::accounts(core, id)),
        ("GET", ["api", "vaults", id, "coins"]) => answer(coins::list(core, id)),
        ("DELETE", ["api", "vaults", id, "coins", chain, contract]) => {
            later(core, coins::remove(core, id, [chain, contract]))
        }
        ("POST", ["api", "vaults", id, "coins", chain, contract, "confirm"]) => {
            later(core, coins::confirm(core, id, [chain, contract]))
        }
        ("GET", ["api", "pending-calls"]) => later(core, pending::list(core)),
        ("POST", ["api", "runs", id, "tool-results"]) => later(core, pending::post(core, id, body)),
        ("GET", ["api", "secrets"]) => later(core, secrets::list(core)),
        ("PUT", ["api", "secrets", name]) => later(core, secrets::save(core, name, body)),
        ("DELETE", ["api", "secrets", name]) => later(core, secrets::delete(core, name)),
        ("GET", ["api", "oauth", tool]) => later(core, oauth::state(core, tool)),
        ("DELETE", ["api", "oauth", tool]) => later(core, oauth::sign_out(core, tool)),
        ("POST", ["api", "oauth", tool, "begin"]) => later(core, oauth::begin(core, tool, body)),
        ("POST", ["api", "oauth", tool, "finish"]) => later(core, oauth::finish(core, tool, body)),
        ("GET", ["api", "contacts"]) => answer(contacts::get(core, query)),
        ("POST", ["api", "contacts", id, "confirm"]) => later(core, contacts::confirm(core, id)),
        ("GET", ["api", "policy"]) => answer(policy::get(core)),
        ("PUT", ["api", "policy"]) => later(core, policy::replace(core, body)),
        ("GET", ["api", "connections"]) => answer(connections::list(core)),
        ("POST", ["api", "connections"]) => later(core, connections::create(core, body)),
        ("DELETE", ["api", "connections", origin]) => later(core, connections::delete(core, origin)),
        ("PATCH", ["api", "connections", origin]) => later(core, connections::patch(core, origin, body)),
        ("GET", ["api", "sites"]) => later(core, sites::list(core)),
        ("GET", ["api", "sites", "list"]) => later(core, sites::get_list(core)),
        ("PUT", ["api", "sites", "list"]) => later(core, sites::put_list(core, body)),
        ("PATCH", ["api", "sites", origin]) => later(core, sites::patch(core, origin, body)),
        ("GET", ["api", "descriptors"]) => later(core, descriptors::list(core)),
        ("POST", ["api", "descriptors"]) => later(core, descriptors::add(core, body)),
        ("DELETE", ["api", "descriptors", id]) => later(core, descriptors::remove(core, id)),
        ("GET", ["api", "bundles"]) => answer(bundles::list(core, query)),
        ("GET", ["api", "bundles", id]) => answer(bundles::get(core, id)),
        ("POST", ["api", "bundles", id, "stop"]) => answer(bundles::stop(core, id)),
        ("GET", ["api", "messages", id]) => later(core, messages::get(core, id)),
        ("POST", ["api", "bundles", id, "fee"]) => later(core, bundles::choose_fee(core, id, body)),
        ("GET", ["api", "call-batches", id]) => later(core, bundles::call_batch(core, id)),
        ("GET", ["api", "audit"]) => answer(audit::list(core, query)),
        ("GET", ["api", "audit", "check"]) => later(core, audit::check(core)),
        ("GET", ["api", "audit", "export"]) => later(core, audit::export(core)),
        ("GET", ["api", "events"]) => answer(get_events(core, query)),
        (_, ["api", "mcp", "servers", rest @ ..]) => match mcp::route(core, method, rest, body) {
            Some(reply) => reply,
            None if mcp::is_route(rest) => refused(RouteError::MethodNotAllowed, method, path),
            None => refused(RouteError::NoSuchRoute, method, path),
        },
        (_, ["tools", rest @ ..]) => match tools::route(core, method, rest, query, body) {
            Some(reply) => reply,
            None if tools::is_route(rest) => refused(RouteError::MethodNotAllowed, method, path),
            None => refused(RouteError::NoSuchRoute, method, path),
        },
        (
            _,
            ["api", "health" | "settings" | "actions" | "calls" | "conversations" | "prompts" | "events"]
            | [
                "api",
                "calls" | "prompts" | "bundles" | "messages" | "connections" | "descriptors" | "sites"
                | "secrets" | "oauth",
                _,
            ]
            | ["api", "oauth", _, "begin" | "finish"]
            | [
                "api",
                "bundles" | "audit" | "connections" | "sites" | "contacts" | "descriptors" | "policy"
                | "secrets",
            ]
            | ["api", "audit", "check" | "export"]
            | ["api", "bundles", _, "stop" | "fee"]
            | ["api", "call-batches", _]
            | ["api", "calls", _, "cancel"]
            | ["api", "conversations", _, "messages"]
            | ["api", "pending-calls"]
            | ["api", "runs", _, "tool-results"]
            | ["api", "vaults"]
            | ["api", "vaults", _]
            | [
                "api",
                "vaults",
                _,
                "activate" | "unlock" | "lock" | "export" | "password" | "coins" | "accounts",
            ]
            | ["api", "vaults", _, "coins", _, _]
            | ["api", "vaults", _, "coins", _, _, "confirm"]
            | ["api", "contacts", _, "confirm"],
        ) => refused(RouteError::MethodNotAllowed, method, path),
        _ => refused(RouteError::NoSuchRoute, method, path),
    }
}

async fn get_conversations(core: &Core) -> Result<Reply, ApiError> {
    Ok(Reply::json(200, &Conversations { conversations: core.conversations.list().await? }))
}

async fn post_conversation(core: &Core, body: &str) -> Result<Reply, ApiError> {
    let body = Body::new(object(body)?);
    let title = body.object().text("title")?;
    let public_key = core.settings.public_key().await?;
    let conversation = core.conversations.begin(core.ids.next(), title, public_key).await?;
    Ok(Reply::json(201, &conversation))
}

async fn get_messages(core: &Core, id: &str) -> Result<Reply, ApiError> {
    Ok(Reply::json(200, &timeline::timeline(core, id).await?))
}

async fn post_message(core: &Rc<Core>, id: &str, body: &str) -> Result<Reply, ApiError> {
    let body = Body::new(object(body)?);
    let content = body.object().text("content")?.unwrap_or_default();
    Ok(Reply::json(202, &timeline::say(core, id, content).await?))
}

/// Runs actions as a backend would send them; answers when all have ended, or at once with `?wait=false`.
async fn post_actions(core: &Rc<Core>, body: &str, query: &str) -> Result<Reply, ApiError> {
    let body = object(body)?;
    let elements = match body.get("actions") {
        Some(Value::Array(elements)) if elements.len() <= MAX_ACTIONS => elements,
        Some(Value::Array(_)) => return Err(ApiError::invalid("/actions", "has more than 100 elements")),
        _ => return Err(ApiError::invalid("/actions", "must be an array")),
    };
    let lane = format!("user-{}", core.ids.next());
    let sender = Sender { source: Source::User, lane: &lane, turn: &lane, inputs: None };
    let wait = parameter(query, "wait") != Some("false");
    if let ([element], true) = (elements.as_slice(), wait)
        && let Some(result) = call::look(core, &sender, element).await?
    {
        trim::when_due(core);
        return Ok(Reply::json(200, &ActionResults { results: vec![result] }));
    }
    let journaled = call::journal(core, &sender, 0, elements).await?;
    // The same action twice is answered once (D18).
    let mut call_ids: Vec<String> = Vec::with_capacity(journaled.len());
    for call in &journaled {
        if call_ids.iter().all(|id| id != call.id()) {
            call_ids.push(call.id().to_owned());
        }
    }
    if !wait {
        call::run_lane(core, &lane);
        return Ok(Reply::json(202, &AcceptedCalls { call_ids }));
    }
    let new = journaled.into_iter().filter_map(|call| match call {
        Journaled::New(call) => Some(*call),
        Journaled::Known(_) => None,
    });
    let mut in_hand = call::run_new(core, &lane, new.collect()).await.into_iter().peekable();
    let mut results = Vec::with_capacity(call_ids.len());
    for id in &call_ids {
        results.push(match in_hand.next_if(|(call, _)| call == id) {
            Some((_, result)) => result,
            None => core.journal.wait_for_result(id).await?,
        });
    }
    trim::when_due(core);
    Ok(Reply::json(200, &ActionResults { results }))
}

async fn get_call(core: &Core, id: &str) -> Result<Reply, ApiError> {
    let call = core.journal.call(id).await?.ok_or(RouteError::CallNotFound)?;
    Ok(call_reply(*call.record))
}

/// Ends a call that has not ended.
async fn cancel_call(core: &Rc<Core>, id: &str) -> Result<Reply, ApiError> {
    Ok(call_reply(call::cancel_call(core, id).await?))
}

/// One call, with what its tool gave.
fn call_reply(call: CallRow) -> Reply {
    let tool_result = call.tool_result();
    Reply::json(200, &Call { tool_result, ..Call::from(call) })
}

/// The log of calls, newest first.
async fn get_calls(core: &Core, query: &str) -> Result<Reply, ApiError> {
    let before = parameter(query, "cursor").filter(|cursor| !cursor.is_empty()).map(str::to_owned);
    let mut calls = core.journal.newest(before, PAGE + 1).await?;
    let more = calls.len() > PAGE as usize;
    calls.truncate(PAGE as usize);
    let cursor = calls.last().filter(|_| more).map(|call| call.id.clone());
    let calls = calls.into_iter().map(Call::from).collect();
    Ok(Reply::json(200, &Calls { calls, cursor }))
}

/// Without `after`, from now on.
async fn get_events(core: &Core, query: &str) -> Result<Reply, ApiError> {
    let after = match parameter(query, "after") {
        Some(text) => text.parse().map_err(|_| ApiError::invalid("?after", "must be a number"))?,
        None => core.events.last_id().await?,
    };
    Ok(Reply { status: 200, body: String::new(), events_after: Some(after) })
}

/// An answer on its way.
pub(super) type Answer<'a> = Awaited<'a, Result<Reply, ApiError>>;

pub(super) fn answer<'a>(reply: impl Future<Output = Result<Reply, ApiError>> + 'a) -> Answer<'a> {
    Box::pin(reply)
}

fn refused<'a>(error: RouteError, method: &str, path: &str) -> Answer<'a> {
    let mut refusal = ApiError::from(error);
    refusal.0.message = format!("{method} {path} is not a route");
    answer(async move { Err(refusal) })
}

pub(super) fn object(body: &str) -> Result<Map<String, Value>, ApiError> {
    if body.len() > MAX_BODY {
        return Err(RouteError::BodyTooLarge.into());
    }
    match serde_json::from_str(body) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(ApiError::invalid("", "must be a JSON object")),
        Err(error) => Err(ApiError::invalid("", format!("is not JSON: {error}"))),
    }
}

/// The body without the password in it, and the password; empty if there is none.
pub(super) fn object_with_password(body: &str) -> Result<(Map<String, Value>, SecretText), ApiError> {
    let mut fields = object(body)?;
    match fields.remove("password") {
        None | Some(Value::Null) => Ok((fields, SecretText::default())),
        Some(Value::String(password)) => Ok((fields, SecretText::new(password))),
        Some(_) => Err(ApiError::invalid("/password", "must be a string")),
    }
}

/// A query's parameter. Our own are ids and numbers: nothing to unescape.
pub(super) fn parameter<'a>(query: &'a str, name: &str) -> Option<&'a str> {
    query
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .find(|(key, _)| *key == name)
        .map(|(_, value)| value)
}
