//! The way to the toolbox: a wasm module of its own, which the shell loads when it is first asked for something.

use async_trait::async_trait;
use js_sys::Promise;
use runtime::ports::Toolbox;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use wire::json::{from_text, to_text};
use wire::toolbox::{Reply, Request, ToolboxError};

#[wasm_bindgen]
extern "C" {
    /// What the shell gives us of the toolbox.
    pub type JsToolbox;

    /// JSON in, JSON out; rejects when it cannot be loaded, or crashed.
    #[wasm_bindgen(method)]
    fn ask(this: &JsToolbox, request: &str) -> Promise;
}

/// The toolbox, as the runtime sees it.
pub(crate) struct Module(JsToolbox);

impl Module {
    pub(crate) const fn new(toolbox: JsToolbox) -> Self {
        Self(toolbox)
    }
}

#[async_trait(?Send)]
impl Toolbox for Module {
    async fn ask(&self, request: Request) -> Result<Reply, ToolboxError> {
        let answer = JsFuture::from(self.0.ask(&to_text(&request))).await;
        let answer = answer.ok().and_then(|answer| answer.as_string());
        match answer.and_then(|answer| from_text(&answer).ok()) {
            Some(Reply::Refused(error)) => Err(error),
            Some(reply) => Ok(reply),
            None => Err(ToolboxError::unavailable()),
        }
    }
}
