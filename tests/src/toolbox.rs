//! The toolbox in the same process, as the core's port. In the browser it is a separate module.

use async_trait::async_trait;
use runtime::ports::Toolbox;
use wire::json::{from_text, to_text};
use wire::toolbox::{Reply, Request, ToolboxError};

/// The real toolbox, over the same texts as in the browser.
pub struct InProcessToolbox;

#[async_trait(?Send)]
impl Toolbox for InProcessToolbox {
    async fn ask(&self, request: Request) -> Result<Reply, ToolboxError> {
        match from_text(&toolbox::answer_text(&to_text(&request))) {
            Ok(Reply::Refused(error)) => Err(error),
            Ok(reply) => Ok(reply),
            Err(_) => Err(ToolboxError::unavailable()),
        }
    }
}
