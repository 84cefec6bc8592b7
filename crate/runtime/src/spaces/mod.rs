//! Spaces (specification 004): conversations that an agent enters, to read and to speak there. What a visible tool shows
//! appears in the space that its caller is in; no tool is told which one that is.

mod history;

pub(crate) use history::{History, history};

use crate::Core;
use crate::agent::timeline;
use crate::database::Database;
use crate::store::{Batch, Many, Range, Reads, Snapshot, StoreError, Stored, get, owned_tables};
use derive::Record;
use std::rc::Rc;
use wire::api::{Millis, Source};

owned_tables! {
    /// Conversation id of an agent, or `user` → the space that it is in.
    ACTIVE: ActiveSpacesRight = ActiveSpaces, ActiveSpace;
}

/// That an agent is in a space.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ActiveSpace {
    space_id: String,
    entered_at: Millis,
}

/// Which agent is in which space. The only writer of `ActiveSpaces`.
pub(crate) struct Spaces {
    database: Rc<Database>,
}

impl Spaces {
    pub(crate) const fn new(database: Rc<Database>) -> Self {
        Self { database }
    }

    /// The space that a sender is in.
    pub(crate) async fn active(&self, source: &Source) -> Result<Option<String>, StoreError> {
        let Some(key) = key(source) else { return Ok(None) };
        let active = get(self.database.store(), ACTIVE, key).await?;
        Ok(active.map(|active| active.record.space_id))
    }

    /// Stages that a sender enters a space, and leaves the one that it is in.
    pub(crate) fn stage_enter(&self, source: &Source, space_id: &str, batch: &mut Batch) {
        if let Some(key) = key(source) {
            let active = ActiveSpace { space_id: space_id.to_owned(), entered_at: self.database.now() };
            batch.put(ACTIVE, key, &active);
        }
    }

    /// Stages that a sender leaves the space that it is in.
    pub(crate) fn stage_leave(&self, source: &Source, batch: &mut Batch) {
        if let Some(key) = key(source) {
            batch.delete(ACTIVE, key);
        }
    }

    /// Stages that a conversation is removed, as an agent and as a space.
    pub(crate) fn stage_conversation_trimmed(
        &self,
        id: &str,
        active: &[(String, String)],
        batch: &mut Batch,
    ) {
        for (agent, space) in active {
            if agent == id || space == id {
                batch.delete(ACTIVE, agent);
            }
        }
    }
}

/// Under which key a sender's space is kept. A web page is in none.
fn key(source: &Source) -> Option<&str> {
    match source {
        Source::Agent { conversation_id } => Some(conversation_id),
        Source::User => Some("user"),
        Source::Dapp { .. } => None,
    }
}

/// Declares a read of who is in which space.
pub(crate) fn read(reads: &mut Reads) -> Many<ActiveSpacesRight> {
    reads.scan(ACTIVE, Range::all())
}

/// Who is in which space.
pub(crate) fn rows(
    snapshot: &Snapshot,
    slot: Many<ActiveSpacesRight>,
) -> Result<Vec<(String, String)>, StoreError> {
    let rows = snapshot.many(slot)?.into_iter();
    Ok(rows.map(|row| (row.key, row.record.space_id)).collect())
}

/// A space that a sender may enter: of an agent, a conversation with its own backend; its own where none is named. One of
/// another backend is as unknown to it as one that does not exist.
pub(crate) async fn reachable(
    core: &Core,
    source: &Source,
    wanted: Option<&str>,
) -> Result<Option<Stored<timeline::Record>>, StoreError> {
    let own = match source {
        Source::Agent { conversation_id } => core.conversations.get(conversation_id).await?,
        Source::User => None,
        Source::Dapp { .. } => return Ok(None),
    };
    let Some(wanted) = wanted else { return Ok(own) };
    let Some(found) = core.conversations.get(wanted).await? else { return Ok(None) };
    let backend = |stored: &Stored<timeline::Record>| stored.record.conversation.backend.clone();
    let reachable = match &own {
        Some(own) => backend(own).is_some() && backend(own) == backend(&found),
        None => *source == Source::User,
    };
    Ok(Some(found).filter(|_| reachable))
}
