//! The second wasm module: everything that touches keys, decodes transactions, or speaks a chain's own dialect.
//!
//! It is loaded when it is first needed, and keeps nothing between two requests: what it needs comes with the
//! request, secrets sealed, and what must last goes back with the reply. In JavaScript it is one function,
//! `answer`, from a request's JSON text to a reply's.

mod claims;
mod device;
mod error;
mod explain;
mod inspect;
mod node;
mod sign;
mod vaults;

pub use device::{Device, Platform};

use error::AnswerError;
use wire::signer::{Refusal, Reply, Request};
use zeroize::Zeroizing;

/// Every code that a refusal can have.
pub const CODES: &[&str] = AnswerError::CODES;

/// Answers one request, with what this platform has of randomness, time and text.
pub fn answer(request: Request) -> Reply {
    answer_on(&mut Platform::default(), request)
}

/// As [`answer`], on a device of the caller's.
pub fn answer_on(device: &mut dyn Device, request: Request) -> Reply {
    let reply = match request {
        Request::NewVault { name, password, origin } => vaults::create(name, &password, &origin, device),
        Request::WatchVault { name, keys } => vaults::watch(name, &keys),
        Request::Unlock { sealed, password, binding } => vaults::unlock(&sealed, &password, binding, device),
        Request::CheckPassword { sealed, password } => vaults::check_password(&sealed, &password, device),
        Request::ChangePassword { sealed, password, new_password } => {
            vaults::change_password(&sealed, &password, &new_password, device)
        }
        Request::Export { name, kind, keys, created_at, sealed, password } => {
            let file = vaults::File { name, kind, keys, created_at, sealed };
            vaults::export(file, &password, device)
        }
        Request::Inspect { accounts, steps, tokens } => inspect::inspect(&accounts, &steps, &tokens),
        Request::Sign { opened, account, step, index, digest } => {
            sign::sign(&opened, &account, &step, index, &digest).map_err(Refusal::from)
        }
        Request::BuildNodeRequests { chain, query } => {
            node::build_requests(&chain, &query).map_err(Refusal::from)
        }
        Request::ParseNodeResponses { chain, query, responses } => {
            node::parse_responses(&chain, &query, responses).map_err(Refusal::from)
        }
    };
    reply.unwrap_or_else(Reply::Refused)
}

/// Answers a request's JSON text with a reply's.
pub fn answer_text(device: &mut dyn Device, text: Zeroizing<String>) -> Zeroizing<String> {
    let reply = match wire::json::from_text(&text) {
        Ok(request) => answer_on(device, request),
        Err(_) => Reply::Refused(AnswerError::Malformed.into()),
    };
    Zeroizing::new(wire::json::to_text(&reply))
}

/// `answer`, as JavaScript sees it. What goes there is copied, so that both texts here can be wiped.
#[cfg(target_arch = "wasm32")]
#[wasm_bindgen::prelude::wasm_bindgen(js_name = answer)]
pub fn answer_javascript(text: String) -> js_sys::JsString {
    js_sys::JsString::from(answer_text(&mut Platform::default(), Zeroizing::new(text)).as_str())
}
