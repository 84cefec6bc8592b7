//! What an agent keeps for itself (specification 004): goals, memories and plans. An agent is a backend, by its origin; a
//! page of the extension keeps its own under `user`. A plan that is due is told in the conversation that set it ([`due`]).

mod due;
mod notebook;
mod time;
mod told;

pub(crate) use due::{fire, planned, read_plans};
pub(crate) use notebook::Notebook;
pub(crate) use time::instant;
pub(crate) use told::{Notes as ToldNotes, read};

use crate::Core;
use crate::database::Database;
use crate::store::{StoreError, owned_tables};
use derive::Record;
use std::rc::Rc;
use wire::api::{Millis, Source};

owned_tables! {
    /// Agent and id → a goal.
    GOALS: GoalsRight = Goals, Goal;
    /// Agent and key → a memory.
    MEMORIES: MemoriesRight = Memories, Memory;
    /// Agent and id → a plan.
    PLANS: PlansRight = Plans, Plan;
}

/// Goals of an agent.
pub(crate) const MAX_GOALS: usize = 100;
/// Memories of an agent.
pub(crate) const MAX_MEMORIES: usize = 500;
/// Plans of an agent.
pub(crate) const MAX_PLANS: usize = 100;

/// What an agent wants to reach.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Goal {
    pub(crate) id: String,
    pub(crate) title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    pub(crate) status: GoalStatus,
    pub(crate) updated_at: Millis,
}

/// How far a goal is, in the agent's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[serde(rename_all = "snake_case")]
pub(crate) enum GoalStatus {
    Active,
    Paused,
    Done,
}

/// What an agent wants to know the next time.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Memory {
    pub(crate) key: String,
    pub(crate) value: String,
    pub(crate) updated_at: Millis,
}

/// What an agent wants to be told at a time.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Plan {
    pub(crate) id: String,
    pub(crate) title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    /// When; none once it was told and is not to be told again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) due_at: Option<Millis>,
    /// After how long it is due again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) every_minutes: Option<u32>,
    /// Where it is told; nowhere if a page set it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) conversation_id: Option<String>,
    /// When it was last told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) told_at: Option<Millis>,
    pub(crate) updated_at: Millis,
}

/// The notes of agents. The only writer of `Goals`, `Memories` and `Plans`.
pub(crate) struct Notes {
    database: Rc<Database>,
}

impl Notes {
    pub(crate) const fn new(database: Rc<Database>) -> Self {
        Self { database }
    }

    /// The goals of an agent.
    pub(crate) async fn goals(&self, agent: &str) -> Result<Notebook<GoalsRight>, StoreError> {
        Notebook::open(self.database.store(), GOALS, agent).await
    }

    /// The memories of an agent.
    pub(crate) async fn memories(&self, agent: &str) -> Result<Notebook<MemoriesRight>, StoreError> {
        Notebook::open(self.database.store(), MEMORIES, agent).await
    }

    /// The plans of an agent.
    pub(crate) async fn plans(&self, agent: &str) -> Result<Notebook<PlansRight>, StoreError> {
        Notebook::open(self.database.store(), PLANS, agent).await
    }
}

/// Whose notes a sender's are. A web page keeps none.
pub(crate) async fn agent_of(core: &Core, source: &Source) -> Result<Option<String>, StoreError> {
    match source {
        Source::Agent { conversation_id } => {
            let stored = core.conversations.get(conversation_id).await?;
            Ok(stored.and_then(|stored| stored.record.conversation.backend))
        }
        Source::User => Ok(Some("user".to_owned())),
        Source::Dapp { .. } => Ok(None),
    }
}
