//! The way to the reader of descriptors: a wasm module of its own, which the shell loads when it is first asked for something.

use async_trait::async_trait;
use js_sys::Promise;
use runtime::ports::DescriptorReader;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use wire::descriptor::{DescriptorError, Reply, Request};
use wire::json::{from_text, to_text};

#[wasm_bindgen]
extern "C" {
    /// What the shell gives us of the module.
    pub type JsClear;

    /// JSON in, JSON out; rejects when it cannot be loaded, or crashed.
    #[wasm_bindgen(method)]
    fn ask(this: &JsClear, request: &str) -> Promise;
}

/// The module, as the runtime sees it.
pub(crate) struct Module(JsClear);

impl Module {
    pub(crate) const fn new(module: JsClear) -> Self {
        Self(module)
    }
}

#[async_trait(?Send)]
impl DescriptorReader for Module {
    async fn ask(&self, request: Request) -> Result<Reply, DescriptorError> {
        let answer = JsFuture::from(self.0.ask(&to_text(&request))).await;
        let answer = answer.ok().and_then(|answer| answer.as_string());
        match answer.and_then(|answer| from_text(&answer).ok()) {
            Some(Reply::Refused(error)) => Err(error),
            Some(reply) => Ok(reply),
            None => Err(DescriptorError::unavailable()),
        }
    }
}
