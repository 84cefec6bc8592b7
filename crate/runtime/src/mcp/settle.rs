//! What a person answers to a server's question: checked, and kept with the call in the commit that settles the prompt.

use super::protocol::elicit::{Given, Wanted};
use super::row::Kept;
use crate::Core;
use crate::store::{Batch, StoreError};
use crate::tools::check_arguments_of;
use serde_json::{Map, Value};
use wire::toolbox::Violation;

/// How a question was settled.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Reaction {
    /// The person agreed, with what was filled in.
    Accepted(Option<Map<String, Value>>),
    /// The person said no.
    Declined,
    /// No answer came in time.
    Expired,
}

/// What was filled in, with the form's defaults; or where it breaks the form's rules.
pub(crate) async fn check_content(
    core: &Core,
    schema: &Value,
    content: Map<String, Value>,
) -> Result<Map<String, Value>, Violation> {
    check_arguments_of(core, schema, content).await
}

/// Stages the person's answer. None if no question is open: the call was taken up otherwise.
pub(crate) async fn stage_given(
    core: &Core,
    call_id: &str,
    reaction: Reaction,
    batch: &mut Batch,
) -> Result<Option<()>, StoreError> {
    let mut kept = Kept::read(core, call_id).await?;
    let open = kept.run.questions.iter_mut().find(|question| question.given.is_none());
    let Some(question) = open else { return Ok(None) };
    question.given = Some(match (reaction, &question.wanted) {
        (Reaction::Accepted(content), Wanted::Form { .. }) => {
            Given::Accept { content: Some(content.unwrap_or_default()) }
        }
        (Reaction::Accepted(_), Wanted::Url { .. }) => Given::Accept { content: None },
        (Reaction::Declined, _) => Given::Decline,
        (Reaction::Expired, _) => Given::Cancel,
    });
    kept.stage(call_id, batch);
    Ok(Some(()))
}
