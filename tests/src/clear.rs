//! The reader of descriptors in the same process, as the core's port. In the browser it is a separate module.

use async_trait::async_trait;
use runtime::ports::DescriptorReader;
use wire::descriptor::{DescriptorError, Reply, Request};
use wire::json::{from_text, to_text};

/// The real module, over the same texts as in the browser.
pub struct InProcessReader;

#[async_trait(?Send)]
impl DescriptorReader for InProcessReader {
    async fn ask(&self, request: Request) -> Result<Reply, DescriptorError> {
        match from_text(&clear::answer_text(&to_text(&request))) {
            Ok(Reply::Refused(error)) => Err(error),
            Ok(reply) => Ok(reply),
            Err(_) => Err(DescriptorError::unavailable()),
        }
    }
}
