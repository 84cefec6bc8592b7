//! Definitions that the user allowed. A tool is what its definition says: a changed one is asked about again.

use super::PINS;
use super::protocol::definition::Definition;
use super::row::PinRow;
use crate::Core;
use crate::policy::DefinitionStanding;
use crate::store::{self, Batch, StoreError};
use derive::Record;
use serde_json::Value;
use wire::audit::AuditRecord;
use wire::mcp::McpStanding;

/// A definition that an approval allows.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Pin {
    pub(crate) server_id: String,
    pub(crate) tool: String,
    pub(crate) digest: String,
    pub(crate) definition: Value,
}

/// What the user decided about a tool's definition, as it was read.
#[derive(Debug, Clone)]
pub(super) struct Allowed {
    pub(super) standing: DefinitionStanding,
    /// What an approval would allow.
    pub(super) pin: Pin,
    /// The text on disk.
    text: Option<String>,
}

impl Allowed {
    /// Only if the user has decided nothing else since.
    pub(super) fn expect(&self, batch: &mut Batch) {
        batch.expect(PINS, &key(&self.pin.server_id, &self.pin.tool), self.text.as_deref());
    }
}

fn key(server_id: &str, tool: &str) -> String {
    [server_id, "/", tool].concat()
}

fn pin_of(server_id: &str, definition: &Definition) -> Pin {
    Pin {
        server_id: server_id.to_owned(),
        tool: definition.name().to_owned(),
        digest: definition.digest(),
        definition: definition.value(),
    }
}

/// What the user decided about a tool's definition.
pub(super) async fn read(
    core: &Core,
    server_id: &str,
    definition: &Definition,
) -> Result<Allowed, StoreError> {
    let pin = pin_of(server_id, definition);
    let stored = store::get(core.database.store(), PINS, &key(server_id, definition.name())).await?;
    let standing = match &stored {
        None => DefinitionStanding::New,
        Some(stored) if stored.record.digest == pin.digest => DefinitionStanding::Allowed,
        Some(_) => DefinitionStanding::Changed,
    };
    Ok(Allowed { standing, pin, text: stored.map(|stored| stored.text) })
}

/// The same as pages see it, with what is different.
pub(super) fn shown(pin: Option<&PinRow>, definition: &Definition) -> McpStanding {
    match pin {
        None => McpStanding::New,
        Some(pin) if pin.digest == definition.digest() => McpStanding::Allowed,
        Some(pin) => {
            let before = Definition::kept(pin.definition.clone());
            McpStanding::Changed { changes: definition.changes_since(&before) }
        }
    }
}

/// Stages that the user allowed a definition, in the batch that settles the prompt about it.
pub(crate) fn stage(pin: &Pin, batch: &mut Batch) {
    let Pin { server_id, tool, digest, definition } = pin;
    let row = PinRow { digest: digest.clone(), definition: definition.clone() };
    batch.put(PINS, &key(server_id, tool), &row);
    batch.note(AuditRecord::Change {
        what: "mcp_definition_allowed".to_owned(),
        subject: Some([tool.as_str(), " ", digest.get(..16).unwrap_or_default()].concat()),
    });
}

/// The same of a definition that a page shows.
pub(super) fn stage_allowed(server_id: &str, definition: &Definition, batch: &mut Batch) {
    stage(&pin_of(server_id, definition), batch);
}
