//! `/api/prompts`: questions to the user, and their answers.

use super::routes::object;
use super::{ApiError, Reply};
use crate::Core;
use crate::prompt::{self, Answer, AnswerError};
use std::rc::Rc;
use wire::prompt::Prompts;

/// The open ones, oldest first.
pub(super) async fn list(core: &Core) -> Result<Reply, ApiError> {
    let prompts = core.prompts.open().await?.into_iter().map(|prompt| (*prompt.record).into()).collect();
    Ok(Reply::json(200, &Prompts { prompts }))
}

/// A settled one too, for a day.
pub(super) async fn get(core: &Core, id: &str) -> Result<Reply, ApiError> {
    let prompt = core.prompts.get(id).await?.ok_or(AnswerError::PromptNotFound)?;
    Ok(Reply::json(200, &prompt.view()))
}

pub(super) async fn answer(core: &Rc<Core>, id: &str, body: &str) -> Result<Reply, ApiError> {
    let answer = Answer::parse(object(body)?)?;
    Ok(Reply::json(200, &prompt::answer(core, id, &answer).await?))
}
