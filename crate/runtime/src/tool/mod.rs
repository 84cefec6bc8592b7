//! Tools: what a call resolves to. A tool says what it is ([`Definition`]), reads the store and the world through its
//! [`Context`], and stages its writes; the pipeline (`call::pipeline`) validates, asks, commits, records and delivers for
//! all of them.

pub mod address_book;
pub mod coins;
mod context;
mod definition;
mod error;
mod notes;
mod result;
pub mod shape;
mod spaces;

pub use context::{Auth, Client, ClientError, Context};
pub(crate) use definition::About;
pub use definition::{Category, Consequence, DEFAULT_TIMEOUT, Definition, Schema, Words};
pub(crate) use error::resolve;
pub use error::{RequestError, ToolError};
pub(crate) use result::cancelled;
pub use result::{ALL_ENTRIES_FAILED, CANCELLED, Output, ToolResult};

use crate::call::CallRow;
use crate::mcp::Pin;
use crate::policy::{Assessment, DefinitionStanding, Outbound, ToSign};
use crate::store::{Batch, StoreError, Stored};
use crate::{Awaited, Core, bundle, message};
use async_trait::async_trait;
use serde_json::{Map, Value};
use std::ops::Deref;
use std::rc::Rc;
use wire::api::Millis;
use wire::failure::Failure;
use wire::prompt::Question;

/// The parameters of a call.
pub(crate) type Params = Map<String, Value>;

/// A tool of any kind.
#[async_trait(?Send)]
pub(crate) trait Tool {
    /// What it is.
    fn definition(&self) -> &Definition;

    /// What a refusal looks like; a tool may have something to report beside the error.
    fn refused(&self, why: Failure) -> Output {
        Output::failed(why)
    }

    /// Whether it acts beyond the store, step by step: its intent is recorded before it is executed, it commits what it
    /// did by itself, and it is taken up again where it stood. Such a tool is stopped, never dropped.
    fn acts_in_steps(&self) -> bool {
        false
    }

    /// Whether what it does beyond the store is to send something to a host. The kill switch stops it for others, also where
    /// it only reads; its first request is recorded together with the call's approval, in one write; and a call that is
    /// cancelled ends at once, with the request that is under way.
    fn reaches_out(&self) -> bool {
        false
    }

    /// Checks the arguments of a call that has just arrived, before anybody is asked, and completes its record: what is
    /// written here is written with the call's next state.
    async fn validate(
        &self,
        call: &mut CallRow,
        _context: &mut Context<'_>,
    ) -> Result<Admission, StoreError> {
        Ok(match &self.definition().schema {
            Schema::Shape(shape) => {
                shape.check(&call.params).map_err(|error| RequestError::from(error).into())
            }
            Schema::Json(_) => Ok(()),
        })
    }

    /// What must be known of a call before the policy and the user can judge it.
    async fn prepare(&self, _call: &CallRow, _context: &mut Context<'_>) -> Result<Prepared, StoreError> {
        Ok(Prepared::Plain)
    }

    /// Does what the call asks for. An error of any kind is a result; a question to the user is a suspension. Only the
    /// store's own failure is neither: nothing was done, and the call is tried again.
    async fn execute(&self, call: &Stored<CallRow>, context: &mut Context<'_>)
    -> Result<Outcome, StoreError>;

    /// Stages what the audit log is told of a call that ends where it stands, because it was cancelled.
    async fn stage_cancelled(
        &self,
        _core: &Core,
        _call: &CallRow,
        _batch: &mut Batch,
    ) -> Result<(), StoreError> {
        Ok(())
    }

    /// Stops a call that may have begun to act; whether it could have. One that could not is ended by the pipeline.
    async fn stop(&self, _core: &Rc<Core>, _call: &CallRow) -> Result<bool, StoreError> {
        Ok(false)
    }
}

/// Whether the arguments of a call are as its tool needs them.
pub(crate) type Admission = Result<(), Refusal>;

/// Why a call is refused before anybody is asked.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Refusal {
    pub(crate) failure: Failure,
    /// Where in the arguments, as a JSON pointer.
    pub(crate) path: Option<String>,
    /// After how long it is worth another attempt.
    pub(crate) retry_after: Option<Millis>,
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self { failure, path: None, retry_after: None }
    }
}

impl From<RequestError> for Refusal {
    fn from(error: RequestError) -> Self {
        let path = match &error {
            RequestError::InvalidParams { path, .. } => Some(path.clone()),
            _ => None,
        };
        Self { failure: error.into(), path, retry_after: None }
    }
}

/// A tool of a call.
pub(crate) enum AnyTool {
    /// Compiled in.
    BuiltIn(&'static dyn Tool),
    /// Of the store.
    Stored(Box<dyn Tool>),
}

impl Deref for AnyTool {
    type Target = dyn Tool;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::BuiltIn(tool) => *tool,
            Self::Stored(tool) => &**tool,
        }
    }
}

/// How far an execution got.
pub(crate) enum Outcome {
    /// To its end.
    Ended(ToolResult),
    /// To its end, with an answer for the sender: the tool's own result comes later.
    Deferred(ToolResult),
    /// It waits for the user, or for a time that an alarm knows.
    Suspended,
}

/// A call before it is judged.
pub(crate) enum Prepared {
    /// Its record says everything.
    Plain,
    /// There is more to judge and to show.
    Proposal(Box<dyn Proposal>),
    /// It cannot run.
    Refused(Output),
}

/// What a call would do, as the policy judges it and the user is asked about it.
pub(crate) trait Proposal {
    /// What would be signed.
    fn to_sign(&self) -> Option<ToSign<'_>>;
    /// Where something would be sent.
    fn outbound(&self) -> &[Outbound] {
        &[]
    }
    /// What the user decided about the tool's definition.
    fn standing(&self) -> DefinitionStanding {
        DefinitionStanding::Own
    }
    /// The definition that an approval of the call allows.
    fn pin(&self) -> Option<Pin> {
        None
    }
    /// Takes the verdict in, and stages what is kept of it.
    fn judged(&mut self, assessment: &Assessment, batch: &mut Batch);
    /// How the user is asked about it.
    fn shown(&self, call: &CallRow) -> Shown;
}

/// How the user is asked about a call.
pub(crate) struct Shown {
    pub(crate) question: Question,
    pub(crate) title: String,
    /// Digest of the record that is shown.
    pub(crate) subject: String,
    /// Digest of what is asked for, for the audit log.
    pub(crate) digest: String,
}

impl Shown {
    /// The call as it was journaled.
    pub(crate) fn call(call: &CallRow) -> Self {
        let subject = call.shown();
        let question = Question::ConfirmationRequired { call_id: call.id.clone() };
        Self { question, title: call.title.clone(), digest: subject.clone(), subject }
    }
}

/// A tool that is compiled in and ends in one step.
pub(crate) struct BuiltIn {
    pub(crate) definition: Definition,
    /// Boxed: the browser compiles a function when it first runs, and a call runs one tool.
    pub(crate) run:
        for<'a, 'c> fn(&'a CallRow, &'a mut Context<'c>) -> Awaited<'a, Result<Output, ToolError>>,
}

#[async_trait(?Send)]
impl Tool for BuiltIn {
    fn definition(&self) -> &Definition {
        &self.definition
    }

    async fn execute(
        &self,
        call: &Stored<CallRow>,
        context: &mut Context<'_>,
    ) -> Result<Outcome, StoreError> {
        let output = match (self.run)(&call.record, context).await {
            Ok(output) => output,
            Err(ToolError::Store(error)) => return Err(error),
            Err(ToolError::Refused(error)) => Output::failed(error),
        };
        Ok(Outcome::Ended(context.result(&self.definition, output)))
    }
}

/// Every tool that is compiled in.
static BUILT_IN: [&(dyn Tool + Sync); 19] = [
    &address_book::GET_ADDRESS_BOOK,
    &address_book::ADD_ADDRESS_BOOK,
    &address_book::DELETE_ADDRESS_BOOK,
    &coins::ADD_CHAIN,
    &coins::ADD_TOKEN,
    &coins::REMOVE_TOKEN,
    &bundle::SignTransactionBundle,
    &spaces::ENTER_SPACE,
    &spaces::LEAVE_SPACE,
    &spaces::SEND_MESSAGE,
    &spaces::READ_MESSAGES,
    &spaces::SKIP,
    &notes::SET_GOALS,
    &notes::DELETE_GOALS,
    &notes::SET_MEMORIES,
    &notes::DELETE_MEMORIES,
    &notes::SET_PLANS,
    &notes::DELETE_PLANS,
    &notes::GET_PLANS,
];

/// Tools that web pages use through their own methods: no list has them, and an agent is refused.
static FOR_PAGES: [&(dyn Tool + Sync); 2] = [&message::SignMessage, &bundle::SignTransaction];

/// The built-in of a name.
pub(crate) fn built_in(name: &str) -> Option<&'static dyn Tool> {
    BUILT_IN
        .into_iter()
        .chain(FOR_PAGES)
        .find(|tool| tool.definition().name == name)
        .map(|tool| tool as &dyn Tool)
}

/// What every built-in is, in the order of their table.
pub fn built_in_definitions() -> impl Iterator<Item = &'static Definition> {
    BUILT_IN.into_iter().map(|tool| tool.definition())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn is_snake_case(name: &str) -> bool {
        let word = |word: &str| {
            !word.is_empty()
                && word.bytes().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit())
        };
        name.starts_with(|letter: char| letter.is_ascii_lowercase()) && name.split('_').all(word)
    }

    /// T003-1, T003-4, T003-7: every built-in has the one definition, whole: a name of its
    /// own in snake_case, a description, a schema of an object, whether it asks, a time, tags and a version.
    #[test]
    fn built_ins_conform() {
        let mut names = Vec::new();
        for definition in built_in_definitions() {
            let view = serde_json::to_value(definition.view()).unwrap();
            let keys: Vec<&String> = view.as_object().unwrap().keys().collect();
            let name = view["name"].as_str().unwrap();
            assert!(is_snake_case(name) && !names.contains(&definition.name), "{name}");
            assert_eq!(built_in(name).map(|tool| tool.definition()), Some(definition));
            assert!(view["description"].as_str().unwrap().ends_with('.'), "{name}");
            assert_eq!((&view["schema"]["type"], &view["version"]), (&json!("object"), &json!("v1")));
            assert_eq!(
                view["timeout"].as_u64().unwrap() == DEFAULT_TIMEOUT,
                name != "sign_transaction_bundle"
            );
            assert_ne!(view["tags"], json!([]), "{name}");
            let mut expected = vec![
                "name",
                "description",
                "schema",
                "category",
                "consequenceLevel",
                "requiresConfirmation",
                "timeout",
                "tags",
                "version",
                "dependsOn",
            ];
            expected.sort_unstable();
            let mut found: Vec<&str> = keys.into_iter().map(String::as_str).collect();
            found.sort_unstable();
            assert_eq!(found, expected);
            names.push(definition.name.clone());
        }
        assert_eq!(names.len(), 19);
        assert!(built_in("add_coin").is_none() && built_in("").is_none());
    }
}
