//! What a server asks in the middle of a call: put to the person, and answered when the person has.

use super::{MAX_ROUNDS, ROUND_PAUSE, Runner, Step};
use crate::mcp::call::note;
use crate::mcp::error::McpError;
use crate::mcp::exchange::Exchange;
use crate::mcp::link::{Link, rpc};
use crate::mcp::protocol::content::CallResult;
use crate::mcp::protocol::elicit::Wanted;
use crate::mcp::protocol::message::{self, RpcError};
use crate::mcp::row::QuestionRow;
use crate::prompt::{self, Ask};
use crate::store::StoreError;
use serde_json::Value;
use wire::prompt::Question;
use wire::toolbox::{Reply, Request};

impl Runner<'_, '_> {
    /// A legacy server's question on the stream. One that cannot be asked is refused, and the call goes on.
    pub(super) async fn asked(
        &mut self,
        link: &mut Link<'_>,
        exchange: &mut Exchange,
        id: Value,
        wanted: Option<Wanted>,
    ) -> Result<Option<Step>, StoreError> {
        let wanted = match wanted {
            Some(wanted) if self.kept.run.rounds < MAX_ROUNDS && self.is_askable(&wanted).await => wanted,
            _ => {
                let _unheard = link.post_message(&message::unsupported(&id)).await;
                return Ok(None);
            }
        };
        self.kept.run.rounds += 1;
        self.kept.run.questions = vec![QuestionRow { key: id, wanted, given: None }];
        self.take_position(exchange);
        Ok(Some(Step::Asks))
    }

    /// Whether the schema of a form is one.
    async fn is_askable(&self, wanted: &Wanted) -> bool {
        let Wanted::Form { schema, .. } = wanted else { return true };
        let request = Request::CheckSchema { schema: schema.clone() };
        matches!(self.core().ports.toolbox.ask(request).await, Ok(Reply::Done {}))
    }

    /// What the server answered.
    pub(super) async fn answered(
        &mut self,
        link: &mut Link<'_>,
        status: u16,
        outcome: Result<Value, RpcError>,
    ) -> Result<Step, StoreError> {
        self.kept.run.sent = None;
        let result = match outcome {
            Ok(result) => CallResult::read(link.masked(result)).map_err(McpError::invalid),
            Err(error) => Err(rpc(status, error)),
        };
        match result {
            Ok(CallResult::Complete(content)) => {
                note(&self.call.record, self.kept.run.attempts, "200", &mut self.context.batch);
                Ok(Step::Ended(self.output(content).await))
            }
            Ok(CallResult::InputRequired { questions, state }) => self.input_required(questions, state).await,
            Err(error) => Ok(self.ended_by(link, error).await),
        }
    }

    /// MRTR: the person is asked, and the call is sent again with the answers and the state.
    pub(super) async fn input_required(
        &mut self,
        questions: Vec<(String, Wanted)>,
        state: Option<String>,
    ) -> Result<Step, StoreError> {
        self.kept.run.rounds += 1;
        if self.kept.run.rounds > MAX_ROUNDS {
            return Ok(McpError::TooManyQuestions.into());
        }
        for (_, wanted) in &questions {
            if !self.is_askable(wanted).await {
                return Ok(McpError::invalid("the form is not one that can be shown").into());
            }
        }
        let row = |(key, wanted): (String, Wanted)| QuestionRow { key: key.into(), wanted, given: None };
        self.kept.run.questions = questions.into_iter().map(row).collect();
        self.kept.run.request_state = state;
        if !self.kept.run.questions.is_empty() {
            return Ok(Step::Asks);
        }
        self.context.pause(ROUND_PAUSE.min(self.left())).await;
        Ok(if self.left() == 0 { McpError::TimedOut { millis: self.limit() }.into() } else { Step::Again })
    }

    /// Asks the person the first question that is open.
    pub(super) async fn suspend(&mut self) -> Result<(), StoreError> {
        let open = self.kept.run.questions.iter().find(|question| question.given.is_none());
        let Some(wanted) = open.map(|question| question.wanted.clone()) else { return Ok(()) };
        let server = match self.tool.server(self.core()).await? {
            Ok(server) => server.name,
            Err(_) => String::new(),
        };
        self.stop_clock();
        let call_id = self.call.record.id.clone();
        let question = match wanted {
            Wanted::Form { message, schema } => {
                Question::Elicitation { call_id, server, message, schema: Some(schema), url: None }
            }
            Wanted::Url { message, url } => {
                Question::Elicitation { call_id, server, message, schema: None, url: Some(url) }
            }
        };
        let call = &self.call.record;
        let ask = Ask {
            question,
            title: call.title.clone(),
            reasons: Vec::new(),
            subject: Some(call.shown()),
            hosts: Vec::new(),
            pin: None,
        };
        let mut batch = self.context.take_batch();
        self.kept.stage(&call.id, &mut batch);
        let prompt = prompt::ask_for_call(self.core(), self.call.clone(), ask, &mut batch);
        self.core().commit(batch).await?;
        prompt::notify(self.core(), &prompt).await
    }
}
