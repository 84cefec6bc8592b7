//! Small things of JavaScript's that several ports need.

use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::prelude::*;

/// A promise with its own resolve function.
pub(crate) fn deferred() -> (Promise, Function) {
    let mut resolver = None;
    let promise = Promise::new(&mut |resolve, _| resolver = Some(resolve));
    (promise, resolver.unwrap_or_else(|| JsValue::UNDEFINED.unchecked_into()))
}

/// What JavaScript says of an error: its name and message.
pub(crate) fn describe(error: &JsValue) -> String {
    let field = |name: &str| Reflect::get(error, &name.into()).ok().and_then(|value| value.as_string());
    match (field("name"), field("message")) {
        (Some(name), Some(message)) => format!("{name}: {message}"),
        _ => error.as_string().unwrap_or_else(|| "an error without words".to_owned()),
    }
}
