//! The way to the signer: a wasm module of its own, which the shell loads when it is first asked for something.

use async_trait::async_trait;
use js_sys::Promise;
use runtime::ports::Signer;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use wire::json::{from_text, to_text};
use wire::signer::{Refusal, Reply, Request};
use zeroize::Zeroizing;

#[wasm_bindgen]
extern "C" {
    /// What the shell gives us of the signer.
    pub type JsSigner;

    /// Asks the instance that sees secrets. JSON in, JSON out; rejects when it cannot be loaded, or crashed.
    #[wasm_bindgen(method)]
    fn keys(this: &JsSigner, request: &str) -> Promise;

    /// The same of the instance that sees none.
    #[wasm_bindgen(method)]
    fn decode(this: &JsSigner, request: &str) -> Promise;
}

/// The signer, as the runtime sees it.
pub(crate) struct Module(JsSigner);

impl Module {
    pub(crate) const fn new(signer: JsSigner) -> Self {
        Self(signer)
    }
}

#[async_trait(?Send)]
impl Signer for Module {
    async fn ask(&self, request: Request) -> Result<Reply, Refusal> {
        let answer = match &request {
            Request::Key(request) => self.0.keys(&Zeroizing::new(to_text(request))),
            Request::Decode(request) => self.0.decode(&to_text(request)),
        };
        let answer = JsFuture::from(answer).await;
        let answer = answer.ok().and_then(|answer| answer.as_string()).map(Zeroizing::new);
        let answer = answer.ok_or_else(|| unavailable("it stopped"))?;
        match from_text(&answer).map_err(unavailable)? {
            Reply::Refused(refusal) => Err(refusal),
            reply => Ok(reply),
        }
    }
}

fn unavailable(reason: impl std::fmt::Display) -> Refusal {
    Refusal {
        code: "signer_unavailable".to_owned(),
        message: format!("the signer gave no answer: {reason}"),
        step: None,
        field: None,
    }
}
