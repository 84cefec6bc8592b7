//! The second wasm module: what touches keys, decodes transactions, or speaks a chain's own dialect.
//!
//! It is loaded when it is first needed, and keeps nothing between two requests: what it needs comes with the request,
//! secrets sealed, and what must last goes back with the reply. The worker runs two instances: `answerKeys` is called on
//! one, `answerDecode` on the other, so that secrets and the bytes of nodes never share a memory. Each goes from a
//! request's JSON text to a reply's.

mod addresses;
mod build;
mod claims;
pub mod common;
mod device;
mod error;
mod explain;
mod inspect;
mod message;
mod node;
mod opened;
mod secrets;
mod sign;
mod tokens;
mod vaults;
mod wanted;

pub use device::{Device, Platform};

use error::AnswerError;
use wire::json::{from_text, to_text};
use wire::signer::{DecodeRequest, KeyRequest, Refusal, Reply, Request};
use zeroize::Zeroizing;

/// Every code that a refusal can have.
pub const CODES: &[&str] = AnswerError::CODES;

/// Answers one request, with what this platform has of randomness, time and text.
pub fn answer(request: impl Into<Request>) -> Reply {
    answer_on(&mut Platform::default(), request)
}

/// As [`answer`], on a device of the caller's.
pub fn answer_on(device: &mut dyn Device, request: impl Into<Request>) -> Reply {
    match request.into() {
        Request::Key(request) => answer_keys(device, request),
        Request::Decode(request) => answer_decode(request),
    }
}

/// Answers a request that carries a secret.
fn answer_keys(device: &mut dyn Device, request: KeyRequest) -> Reply {
    let reply = match request {
        KeyRequest::NewVault { name, password, origin } => vaults::create(name, &password, &origin, device),
        KeyRequest::Unlock { sealed, password, binding } => {
            vaults::unlock(&sealed, &password, binding, device)
        }
        KeyRequest::CheckPassword { sealed, password } => vaults::check_password(&sealed, &password, device),
        KeyRequest::ChangePassword { sealed, password, new_password } => {
            vaults::change_password(&sealed, &password, &new_password, device)
        }
        KeyRequest::Export { name, kind, keys, created_at, sealed, password } => {
            let file = vaults::File { name, kind, keys, created_at, sealed };
            vaults::export(file, &password, device)
        }
        KeyRequest::Sign { opened, account, step, index, digest } => {
            sign::sign(&opened, &account, &step, index, &digest).map_err(Refusal::from)
        }
        KeyRequest::SignMessage { opened, account, message, digest } => {
            message::sign(&opened, &account, &message, &digest).map_err(Refusal::from)
        }
        KeyRequest::SealSecret { opened, name, value } => {
            secrets::seal_secret(&opened, &name, &value, device).map_err(Refusal::from)
        }
        KeyRequest::SealTokens { opened, tool_id, access, refresh, earlier } => {
            let tokens = secrets::Tokens { access, refresh };
            secrets::seal_tokens(&opened, &tool_id, tokens, earlier.as_deref(), device).map_err(Refusal::from)
        }
        KeyRequest::FillRequest { opened, secrets, tokens, request, timestamp } => {
            secrets::fill(opened.as_ref(), &secrets, tokens.as_ref(), &request, &timestamp)
                .map_err(Refusal::from)
        }
    };
    reply.unwrap_or_else(Reply::Refused)
}

/// Answers a request without a secret.
fn answer_decode(request: DecodeRequest) -> Reply {
    let reply = match request {
        DecodeRequest::WatchVault { name, keys } => vaults::watch(name, &keys),
        DecodeRequest::Inspect { accounts, steps, tokens } => inspect::inspect(&accounts, &steps, &tokens),
        DecodeRequest::InspectMessage { account, message, tokens, facts, now } => {
            message::inspect(&account, &message, &tokens, &facts, now).map_err(Refusal::from)
        }
        DecodeRequest::WantFacts { accounts, steps, tokens } => Ok(wanted::want(&accounts, &steps, &tokens)),
        DecodeRequest::BuildEvm { chain, transactions } => {
            build::evm(&chain, &transactions).map_err(Refusal::from)
        }
        DecodeRequest::CheckAddresses { addresses } => addresses::check(&addresses).map_err(Refusal::from),
        DecodeRequest::CheckTokens { tokens } => tokens::check(&tokens).map_err(Refusal::from),
        DecodeRequest::BuildNodeRequests { chain, queries } => {
            node::build_requests(&chain, &queries).map_err(Refusal::from)
        }
        DecodeRequest::ParseNodeResponses { chain, queries, responses } => {
            node::parse_responses(&chain, &queries, responses).map_err(Refusal::from)
        }
    };
    reply.unwrap_or_else(Reply::Refused)
}

/// Answers the JSON text of a [`KeyRequest`] with a reply's.
pub fn answer_keys_text(device: &mut dyn Device, text: Zeroizing<String>) -> Zeroizing<String> {
    let reply = from_text(&text).map_or_else(|_| malformed(), |request| answer_keys(device, request));
    Zeroizing::new(to_text(&reply))
}

/// Answers the JSON text of a [`DecodeRequest`] with a reply's.
pub fn answer_decode_text(text: &str) -> String {
    to_text(&from_text(text).map_or_else(|_| malformed(), answer_decode))
}

fn malformed() -> Reply {
    Reply::Refused(AnswerError::Malformed.into())
}

/// What the instance that sees secrets answers. What goes to JavaScript is copied, so that both texts here can be wiped.
#[cfg(target_arch = "wasm32")]
#[wasm_bindgen::prelude::wasm_bindgen(js_name = answerKeys)]
pub fn answer_keys_javascript(text: String) -> js_sys::JsString {
    js_sys::JsString::from(answer_keys_text(&mut Platform::default(), Zeroizing::new(text)).as_str())
}

/// What the instance that sees no secret answers.
#[cfg(target_arch = "wasm32")]
#[wasm_bindgen::prelude::wasm_bindgen(js_name = answerDecode)]
pub fn answer_decode_javascript(text: &str) -> js_sys::JsString {
    js_sys::JsString::from(answer_decode_text(text).as_str())
}
