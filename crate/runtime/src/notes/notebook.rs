//! Notes of one kind of one agent, read at one moment and changed in one batch.

use crate::store::{Batch, Owned, Range, Store, StoreError, scan};

/// Notes of one kind. What is changed is staged with what it was when it was read.
pub(crate) struct Notebook<T: Owned> {
    table: T,
    agent: String,
    notes: Vec<Note<T::Row>>,
}

struct Note<R> {
    id: String,
    /// The text on disk.
    before: Option<String>,
    row: Option<R>,
    changed: bool,
}

impl<T: Owned> Notebook<T>
where
    T::Row: Clone,
{
    pub(super) async fn open(store: &dyn Store, table: T, agent: &str) -> Result<Self, StoreError> {
        let prefix = key(agent, "");
        let rows = scan(store, table, Range::prefix(prefix.clone())).await?;
        let note = |id: String, text: String, row: T::Row| Note {
            id,
            before: Some(text),
            row: Some(row),
            changed: false,
        };
        let id = |key: &str| key.strip_prefix(&prefix).unwrap_or_default().to_owned();
        let notes = rows.into_iter().map(|row| note(id(&row.key), row.text, row.record)).collect();
        Ok(Self { table, agent: agent.to_owned(), notes })
    }

    /// The key of a note, in its table.
    pub(crate) fn key(&self, id: &str) -> String {
        key(&self.agent, id)
    }

    /// All of them, by id.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &T::Row> {
        self.notes.iter().filter_map(|note| note.row.as_ref())
    }

    /// The note of an id.
    pub(crate) fn get(&self, id: &str) -> Option<&T::Row> {
        self.notes.iter().find(|note| note.id == id)?.row.as_ref()
    }

    /// Writes a note, new or not.
    pub(crate) fn put(&mut self, id: &str, row: T::Row) {
        match self.notes.iter_mut().find(|note| note.id == id) {
            Some(note) => (note.row, note.changed) = (Some(row), true),
            None => {
                self.notes.push(Note { id: id.to_owned(), before: None, row: Some(row), changed: true });
            }
        }
    }

    /// Removes a note; what it was.
    pub(crate) fn remove(&mut self, id: &str) -> Option<T::Row> {
        let note = self.notes.iter_mut().find(|note| note.id == id)?;
        note.changed = true;
        note.row.take()
    }

    /// Stages what was changed.
    pub(crate) fn stage(&self, batch: &mut Batch) {
        for note in self.notes.iter().filter(|note| note.changed) {
            let key = self.key(&note.id);
            batch.expect(self.table, &key, note.before.as_deref());
            match &note.row {
                Some(row) => batch.put(self.table, &key, row),
                None => batch.delete(self.table, &key),
            }
        }
    }
}

/// An origin has no slash after its host: the notes of one agent are not among those of another.
fn key(agent: &str, id: &str) -> String {
    [agent, "/", id].concat()
}
