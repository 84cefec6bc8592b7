//! The space that a sender is in.

use crate::database::Database;
use crate::store::{StoreError, get, owned_tables};
use derive::Record;
use std::rc::Rc;
use wire::api::{Millis, Source};

owned_tables! {
    /// Conversation id of an agent, or `user` → the conversation that it is in.
    ACTIVE: ActiveSpacesRight = ActiveSpaces, ActiveSpace;
}

/// That a sender is in a space.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ActiveSpace {
    space_id: String,
    entered_at: Millis,
}

/// The spaces that senders are in. The only writer of `ActiveSpaces`.
pub(crate) struct Spaces {
    database: Rc<Database>,
}

impl Spaces {
    pub(crate) const fn new(database: Rc<Database>) -> Self {
        Self { database }
    }

    /// The conversation that a sender is in; web pages are in none.
    pub(crate) async fn active(&self, source: &Source) -> Result<Option<String>, StoreError> {
        let key = match source {
            Source::Agent { conversation_id } => conversation_id,
            Source::User => "user",
            Source::Dapp { .. } => return Ok(None),
        };
        Ok(get(self.database.store(), ACTIVE, key).await?.map(|stored| stored.record.space_id))
    }
}
