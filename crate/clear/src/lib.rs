//! The fourth wasm module: reads descriptors by ERC-7730 and says what they make of a call or of typed data.
//!
//! It is loaded when a descriptor is brought in, or speaks of what is to be signed. A request's JSON text goes in, a reply's
//! comes out; nothing is kept between two of them. Everything that it is given may be hostile: descriptors come from
//! registries, calldata and messages from pages and agents. So each has bounds ([`bounds`]), and what it does not know (a
//! token, a name, a descriptor of a call inside the call) it asks for in its reply: it fetches nothing.

mod abi;
pub mod bounds;
mod describe;
mod descriptor;
mod error;
mod field;
mod format;
mod pack;
mod path;
mod render;
mod typed;
mod value;

use error::{Degraded, PackError, RenderError};
use wire::descriptor::{Reply, Request};
use wire::json::{from_text, to_text};

/// Every code that a refusal or a diagnostic can have.
pub const CODES: &[&[&str]] = &[PackError::CODES, RenderError::CODES, Degraded::CODES];

/// Answers one request.
pub fn answer(request: Request) -> Reply {
    let pack = match request {
        Request::Call { call, descriptors, known } => {
            return Reply::Described(describe::call(&call, &descriptors, &known));
        }
        Request::TypedData { data, from, descriptors, known } => {
            return Reply::Described(describe::typed_data(&data, &from, &descriptors, &known));
        }
        Request::ReadPack { text } => pack::from_text(&text),
        Request::ReadFiles { files } => pack::from_files(files),
    };
    match pack {
        Ok(descriptors) => Reply::Pack { descriptors },
        Err(error) => Reply::Refused(error.into()),
    }
}

/// Answers the JSON text of a [`Request`] with a reply's.
pub fn answer_text(text: &str) -> String {
    let reply = from_text(text).map_or_else(|_| Reply::Refused(PackError::Malformed.into()), answer);
    to_text(&reply)
}

/// What the shell calls.
#[cfg(target_arch = "wasm32")]
#[wasm_bindgen::prelude::wasm_bindgen(js_name = answer)]
pub fn answer_javascript(text: &str) -> js_sys::JsString {
    js_sys::JsString::from(answer_text(text).as_str())
}
