//! Web pages and other extensions that submit results: each call that is theirs is shown to them with a token, and a result
//! is taken from them with that token only.

use super::SubmitError;
use super::row::PendingRow;
use super::submit::{Submission, Submitter, submit};
use crate::connection::is_origin;
use crate::http::ApiError;
use crate::id::digest;
use crate::later::later;
use crate::store::{Batch, Durability, StoreError, json};
use crate::{Awaited, Core};
use derive::{FromJson, ToJson};
use serde_json::{Map, Value};
use std::rc::Rc;
use wire::json::{from_value, to_value};

/// Tokens of a call that count: so many pages of its submitters can be open at once.
const MAX_TOKENS: usize = 16;
/// How often the calls are shown again because they changed meanwhile.
const MAX_CONFLICTS: u32 = 20;
/// The largest message.
const MAX_MESSAGE: usize = 2 << 20;

/// What a page or an extension says.
#[derive(FromJson)]
#[serde(rename_all = "camelCase")]
struct Message {
    #[serde(rename = "type")]
    kind: String,
    #[record(default)]
    run_id: String,
    #[record(default)]
    call_id: String,
    #[record(default)]
    token: String,
}

/// The result of a call, as a page gives it.
#[derive(FromJson)]
#[serde(rename_all = "camelCase")]
struct Given {
    #[record(default)]
    run_id: String,
    #[record(default)]
    call_id: String,
    #[record(default)]
    token: String,
}

/// What it is answered.
#[derive(ToJson)]
struct Answer {
    /// As of HTTP.
    status: u16,
    body: Value,
}

/// The calls that a submitter may answer.
#[derive(ToJson)]
struct ExternalCalls {
    calls: Vec<ExternalCall>,
}

#[derive(ToJson)]
#[serde(rename_all = "camelCase")]
struct ExternalCall {
    run_id: String,
    call_id: String,
    tool_name: String,
    args: Map<String, Value>,
    token: String,
}

impl Core {
    /// Answers a message of a web page or of another extension, by the origin that the browser names: JSON text in, JSON
    /// text out.
    pub fn outside<'a>(self: &'a Rc<Self>, origin: &'a str, text: &'a str) -> Awaited<'a, String> {
        Box::pin(async move {
            match later(self, answer(self, origin, text)).await {
                Ok(text) => text,
                Err(error) => refused(&error),
            }
        })
    }
}

/// `countersign_externalCalls`: the calls that a connected page may answer.
pub(crate) async fn external_calls(core: &Core, origin: &str) -> Result<Value, ApiError> {
    known(core, origin).await?;
    Ok(to_value(&ExternalCalls { calls: calls(core, origin).await? }))
}

/// `countersign_submitToolResult`: a connected page gives the result of a call, with the call's token.
pub(crate) async fn submit_result(
    core: &Rc<Core>,
    origin: &str,
    mut fields: Map<String, Value>,
) -> Result<Value, ApiError> {
    known(core, origin).await?;
    let result = fields.remove("result");
    let Given { run_id, call_id, token } = from_value(Value::Object(fields))?;
    take(core, origin, [&run_id, &call_id, &token], result).await
}

async fn known(core: &Core, origin: &str) -> Result<(), ApiError> {
    if is_known(core, origin).await? { Ok(()) } else { Err(SubmitError::NotAllowed.into()) }
}

async fn take(
    core: &Rc<Core>,
    origin: &str,
    [run_id, call_id, token]: [&str; 3],
    result: Option<Value>,
) -> Result<Value, ApiError> {
    if call_id.is_empty() {
        return Err(ApiError::invalid("/callId", "is missing"));
    }
    let result = result.ok_or_else(|| ApiError::invalid("/result", "is missing"))?;
    let by = Submitter::Outside { origin, token };
    Ok(to_value(&submit(core, by, Submission { run_id, call_id, result }).await?))
}

async fn answer(core: &Rc<Core>, origin: &str, text: &str) -> Result<String, ApiError> {
    let mut message = match serde_json::from_str(text) {
        Ok(Value::Object(fields)) if text.len() <= MAX_MESSAGE => fields,
        _ => return Err(ApiError::invalid("", "must be a JSON object")),
    };
    let result = message.remove("result");
    let Message { kind, run_id, call_id, token } = from_value(Value::Object(message))?;
    known(core, origin).await?;
    match kind.as_str() {
        "countersign.externalCalls" => Ok(json(&ExternalCalls { calls: calls(core, origin).await? })),
        "countersign.toolResult" => {
            let body = take(core, origin, [&run_id, &call_id, &token], result).await?;
            Ok(json(&Answer { status: 200, body }))
        }
        _ => Err(ApiError::invalid("/type", "is not a message that the wallet takes")),
    }
}

fn refused(error: &ApiError) -> String {
    let mut detail = Map::new();
    detail.insert("code".to_owned(), error.code.clone().into_owned().into());
    detail.insert("message".to_owned(), error.message.clone().into());
    let mut body = Map::new();
    body.insert("error".to_owned(), Value::Object(detail));
    json(&Answer { status: error.status, body: Value::Object(body) })
}

/// Whether a sender may say anything: an extension, which only the user installs, or a page that is connected.
async fn is_known(core: &Core, origin: &str) -> Result<bool, StoreError> {
    if origin.starts_with("chrome-extension://") {
        return Ok(true);
    }
    if !is_origin(origin) {
        return Ok(false);
    }
    Ok(core.connections.grant(origin).await?.is_some())
}

/// The calls that take a result of this origin, each with a new token.
async fn calls(core: &Core, origin: &str) -> Result<Vec<ExternalCall>, StoreError> {
    for _ in 0..MAX_CONFLICTS {
        let mut batch = Batch::new(Durability::Relaxed);
        let mut calls = Vec::new();
        for row in core.pending.open().await? {
            if !row.record.submitters.iter().any(|submitter| submitter == origin) {
                continue;
            }
            let token = token(core);
            let before = row.into();
            let after = with_token(&before, origin, &token);
            core.pending.stage_change(&before, &after, &mut batch);
            let call = after.call;
            calls.push(ExternalCall {
                run_id: call.run_id,
                call_id: call.tool_call_id,
                tool_name: call.tool_name,
                args: call.args,
                token,
            });
        }
        if calls.is_empty() {
            return Ok(calls);
        }
        match core.commit(batch).await {
            Ok(()) => return Ok(calls),
            Err(StoreError::Conflict { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Err(StoreError::conflict("pending_calls", origin))
}

fn with_token(before: &crate::store::Stored<PendingRow>, origin: &str, token: &str) -> PendingRow {
    let mut row = (*before.record).clone();
    row.tokens.push(token_hash(&row, origin, token));
    let surplus = row.tokens.len().saturating_sub(MAX_TOKENS);
    row.tokens.drain(..surplus);
    row
}

/// Whether a token was given to this origin, for this call of this run.
pub(super) fn is_token_of(row: &PendingRow, origin: &str, token: &str) -> bool {
    let hash = token_hash(row, origin, token);
    row.submitters.iter().any(|submitter| submitter == origin) && row.tokens.contains(&hash)
}

/// What is kept of a token. It counts for no other run and no other origin.
fn token_hash(row: &PendingRow, origin: &str, token: &str) -> String {
    digest(&["tool-result", &row.call.run_id, &row.call.tool_call_id, origin, token])
}

/// 32 bytes of chance, base64url.
fn token(core: &Core) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut bytes = [0; 32];
    core.ports.host.random(&mut bytes);
    let letter = |number: u32| LETTERS.get(number as usize & 63).copied().map_or('A', char::from);
    let mut text = String::with_capacity(43);
    for three in bytes.chunks(3) {
        let number = three.iter().fold(0_u32, |number, byte| number << 8 | u32::from(*byte))
            << (8 * (3 - three.len()));
        text.extend((0..=three.len()).map(|place| letter(number >> (18 - 6 * place))));
    }
    text
}
