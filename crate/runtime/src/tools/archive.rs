//! T002-82: bundles of tools as ZIP. The toolbox writes and reads the archives; here is what becomes of them.

use super::check::{given, reserved};
use super::{
    BundleId, Change, MAX_CONFLICTS, Moment, STATE, TOOLS, ToolStoreError, built_in, bundles, busy,
    get_bundle, index,
};
use crate::Core;
use crate::mcp;
use crate::store::{Range, Reads};
use wire::archive::{ArchivedTool, FileProblem, ImportedBundle, PackedBundle};
use wire::tool::iso_time;
use wire::tool_index::NamedDocument;
use wire::toolbox::{Reply, Request, ToolboxError, UnpackedBundle};

/// What an archive gives, or everything that is wrong with it.
pub(crate) type Checked<T> = Result<T, Vec<FileProblem>>;

/// A bundle with its tools as an archive.
pub(crate) async fn export_bundle(
    core: &Core,
    id: &BundleId,
) -> Result<Checked<PackedBundle>, ToolStoreError> {
    if built_in::is_bundle(id) || mcp::is_server(core, id.as_str()).await? {
        return Err(ToolStoreError::NotExported);
    }
    let mut reads = Reads::new();
    let bundle = bundles::read(id, &mut reads);
    let tools = reads.scan(TOOLS, Range::prefix([id.as_str(), "/"].concat()));
    let snapshot = reads.from(core.tools.database.store()).await?;
    bundle.there(&snapshot)?;
    let lines: Vec<&str> = snapshot.rows(&tools).iter().map(|row| row.text.as_str()).collect();
    let request = Request::PackBundle { bundle: get_bundle(core, id).await?, tools: lines.join("\n") };
    match core.ports.toolbox.ask(request).await? {
        Reply::Packed(packed) => Ok(Ok(packed)),
        Reply::Problems { problems } => Ok(Err(problems)),
        _ => Err(ToolboxError::unavailable().into()),
    }
}

/// Makes the tools of an archive, all of them or none. A tool that is there stays as it is: it is a problem, or is skipped.
pub(crate) async fn import_bundle(
    core: &Core,
    base64: String,
    skip_existing: bool,
) -> Result<Checked<ImportedBundle>, ToolStoreError> {
    let request = Request::UnpackBundle { base64, reserved: reserved() };
    let unpacked = match core.ports.toolbox.ask(request).await? {
        Reply::Unpacked(unpacked) => unpacked,
        Reply::Problems { problems } => return Ok(Err(problems)),
        _ => return Err(ToolboxError::unavailable().into()),
    };
    let id = BundleId::parse(&unpacked.bundle_id)?;
    if built_in::is_bundle(&id) || mcp::is_server(core, id.as_str()).await? {
        return Err(ToolStoreError::ReadOnly);
    }
    let made = documents(core, &unpacked).await?;
    let tools: Vec<(String, NamedDocument)> =
        unpacked.tools.into_iter().map(|tool| tool.file).zip(made).collect();
    let given = given(unpacked.bundle)?;
    for _ in 0..MAX_CONFLICTS {
        let mut reads = Reads::new();
        let (state, bundle) = (reads.get(STATE, ""), bundles::read(&id, &mut reads));
        let slots: Vec<_> = tools.iter().map(|(_, made)| reads.get(TOOLS, &made.key)).collect();
        let snapshot = reads.from(core.tools.database.store()).await?;
        let mut change = Change::new(Moment::of(&snapshot, state)?);
        match bundle.open(&snapshot) {
            // What a bundle is called is not overwritten either.
            Ok(()) => {}
            Err(ToolStoreError::BundleNotFound | ToolStoreError::BundleDeleted) => {
                bundle.stage(&snapshot, &id, &given, core.now(), &mut change)?;
            }
            Err(error) => return Err(error),
        }
        let (mut imported, mut skipped, mut problems) = (Vec::new(), Vec::new(), Vec::new());
        for ((file, made), slot) in tools.iter().zip(slots) {
            if snapshot.text(slot).is_none() {
                change.add_tool()?;
                change.stage_tool(made);
                change.note("tool_imported", &made.key);
                imported.push(archived(file, made));
            } else if skip_existing {
                skipped.push(archived(file, made));
            } else {
                problems.push(exists(file));
            }
        }
        if !problems.is_empty() {
            return Ok(Err(problems));
        }
        let result = ImportedBundle { bundle_id: unpacked.bundle_id.clone(), imported, skipped };
        if change.is_empty() {
            return Ok(Ok(result));
        }
        if change.commit(core).await? {
            core.wake_after(Ok(())).await;
            return Ok(Ok(result));
        }
    }
    Err(busy())
}

/// The records with ids and times of their own, and their documents, in the order of the archive.
async fn documents(core: &Core, unpacked: &UnpackedBundle) -> Result<Vec<NamedDocument>, ToolStoreError> {
    let now = iso_time(core.now());
    let mut lines = Vec::new();
    for tool in &unpacked.tools {
        let Some(fields) = tool.record.strip_prefix('{') else {
            return Err(ToolboxError::unavailable().into());
        };
        let id = core.ids.next();
        lines.push(
            [r#"{"id":""#, &id, r#"","createdAt":""#, &now, r#"","modifiedAt":""#, &now, r#"","#, fields]
                .concat(),
        );
    }
    let made = index::documents(core, lines.join("\n")).await?;
    if made.len() == unpacked.tools.len() { Ok(made) } else { Err(ToolboxError::unavailable().into()) }
}

/// A tool as the answer names it.
fn archived(file: &str, made: &NamedDocument) -> ArchivedTool {
    let mut parts = made.key.rsplit('/').map(str::to_owned);
    let version = parts.next().unwrap_or_default();
    ArchivedTool { file: file.to_owned(), slug: parts.next().unwrap_or_default(), version }
}

/// The bundle has a tool of the slug and version of a file.
fn exists(file: &str) -> FileProblem {
    let error = ToolStoreError::ToolExists;
    FileProblem {
        code: error.code().to_owned(),
        message: error.to_string(),
        file: Some(file.to_owned()),
        path: None,
    }
}
