//! What the toolbox's index holds: the store's documents, bundles and switches, in the state that a stamp names.

use super::{BUNDLES, Change, DOCUMENTS, Moment, SWITCHES, TOOLS, ToolStoreError, built_in, busy};
use crate::Core;
use crate::store::{Range, Reads, Table, json};
use wire::tool_index::{Find, IndexChange, IndexReply, IndexRequest, NamedDocument};
use wire::toolbox::{Reply, Request, ToolboxError};

/// How often the index is sent the store before the request is given up.
const MAX_ATTEMPTS: u32 = 5;
/// Records of which the toolbox makes documents at once.
const CHUNK: u32 = 200;

/// Names a state of this worker's store: an index that another worker filled is not taken for this one's.
fn stamp(core: &Core, generation: u64) -> String {
    [core.boot_id(), "/", &generation.to_string()].concat()
}

async fn ask(core: &Core, request: IndexRequest) -> Result<IndexReply, ToolboxError> {
    match core.ports.toolbox.ask(Request::Index(request)).await? {
        Reply::Index(reply) => Ok(reply),
        _ => Err(ToolboxError::unavailable()),
    }
}

/// Asks the index about the store as it is now.
pub(super) async fn find(core: &Core, find: Find) -> Result<IndexReply, ToolStoreError> {
    for _ in 0..MAX_ATTEMPTS {
        let at = stamp(core, Moment::read(core).await?.state.generation);
        let hosts = core.settings.read().await?.allowed_hosts;
        match ask(core, IndexRequest::Find { at, hosts, find: find.clone() }).await? {
            IndexReply::Stale {} => send(core).await?,
            reply => return Ok(reply),
        }
    }
    Err(busy())
}

/// Sends the whole store to the index, unless it changes meanwhile.
async fn send(core: &Core) -> Result<(), ToolStoreError> {
    let store = core.tools.database.store();
    let generation = Moment::read(core).await?.state.generation;
    let tools = store.lines(Table::ToolDocuments).await?;
    let mut reads = Reads::new();
    let (state, bundles) = (reads.get(super::STATE, ""), reads.scan(BUNDLES, Range::all()));
    let switches = reads.scan(SWITCHES, Range::all());
    let snapshot = reads.from(store).await?;
    if Moment::of(&snapshot, state)?.state.generation != generation {
        return Ok(());
    }
    let mut lines = json(&built_in::bundle());
    for row in snapshot.rows(&bundles) {
        lines.push('\n');
        lines.push_str(&row.text);
    }
    let disabled = snapshot.keys(switches);
    let built_in = built_in::records();
    let change = IndexChange { built_in, tools, bundles: lines, disabled, ..IndexChange::default() };
    let to = stamp(core, generation);
    let reply = ask(core, IndexRequest::Update { from: None, to: to.clone(), change }).await?;
    *core.tools.indexed.borrow_mut() = (reply == IndexReply::Updated {}).then_some(to);
    Ok(())
}

/// Tells the index of a change of this worker's, if it holds the state before it. Otherwise it is sent everything when it
/// is next asked.
pub(super) async fn follow(core: &Core, from: u64, to: u64, change: IndexChange) {
    let (from, to) = (stamp(core, from), stamp(core, to));
    if core.tools.indexed.borrow().as_ref() != Some(&from) {
        return;
    }
    let reply = ask(core, IndexRequest::Update { from: Some(from), to: to.clone(), change }).await;
    *core.tools.indexed.borrow_mut() = (reply == Ok(IndexReply::Updated {})).then_some(to);
}

/// The document of each record, and what else the store needs of it.
pub(super) async fn documents(core: &Core, records: String) -> Result<Vec<NamedDocument>, ToolStoreError> {
    match ask(core, IndexRequest::Document { records }).await? {
        IndexReply::Documents { documents } => Ok(documents),
        _ => Err(ToolboxError::unavailable().into()),
    }
}

/// Makes all documents anew from the records; how many there are.
pub(crate) async fn rebuild(core: &Core) -> Result<u32, ToolStoreError> {
    for _ in 0..MAX_ATTEMPTS {
        let mut change = Change::new(Moment::read(core).await?);
        let mut old = Reads::new();
        let old_documents = old.scan(DOCUMENTS, Range::all());
        for key in old.from(core.tools.database.store()).await?.keys(old_documents) {
            change.batch.delete(DOCUMENTS, &key);
        }
        let mut after = None;
        let mut count = 0;
        loop {
            let mut reads = Reads::new();
            let records = reads.scan(TOOLS, Range { after: after.clone(), ..Range::all() }.first(CHUNK));
            let snapshot = reads.from(core.tools.database.store()).await?;
            let rows = snapshot.rows(&records);
            let Some(last) = rows.last() else { break };
            after = Some(last.key.clone());
            let lines: Vec<&str> = rows.iter().map(|row| row.text.as_str()).collect();
            for made in documents(core, lines.join("\n")).await? {
                change.batch.put_text(DOCUMENTS, &made.key, made.text);
                count += 1;
            }
        }
        change.after.tools = count;
        // What the index is told of it would be everything.
        core.tools.indexed.borrow_mut().take();
        if change.commit(core).await? {
            return Ok(count);
        }
    }
    Err(busy())
}
