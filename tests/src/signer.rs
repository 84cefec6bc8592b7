//! The signer in the same process, as the core's port: what the browser runs as a module of its own.

use async_trait::async_trait;
use runtime::ports::Signer;
use wire::signer::{Refusal, Reply, Request};

/// The signer itself.
pub struct InProcess;

#[async_trait(?Send)]
impl Signer for InProcess {
    async fn ask(&self, request: Request) -> Result<Reply, Refusal> {
        match signer::answer(request) {
            Reply::Refused(refusal) => Err(refusal),
            reply => Ok(reply),
        }
    }
}
