//! Packs: brought in, listed, removed.

use super::{DOCUMENTS, DocumentRow, KEYS, MAX_PACKS, PACKS, PackError, PackRow};
use crate::Core;
use crate::agent::within;
use crate::http::ApiError;
use crate::id::digest;
use crate::ports::NetRequest;
use crate::settings::check_url;
use crate::store::{self, Batch, Durability, Keyed, Range, Reads, StoreError};
use wire::audit::AuditRecord;
use wire::descriptor::{
    AddDescriptorPack, AddedDescriptorPack, DescriptorError, DescriptorPack, DescriptorPacks, PackDescriptor,
    PackFile, PackSource, Reply, Request,
};
use wire::toolbox::{self, ToolboxError};

/// Bytes that an address may give: what an archive may have.
const MAX_FETCHED: usize = 4 << 20;
/// How long an address may take, in milliseconds.
const TIMEOUT: u64 = 30_000;
/// Letters of a pack's name.
const NAME: usize = 64;

/// All packs, in the order in which they were brought in.
pub(crate) async fn list(core: &Core) -> Result<DescriptorPacks, StoreError> {
    let mut packs: Vec<DescriptorPack> = rows(core).await?.into_iter().map(|row| row.record.into()).collect();
    packs.sort_by_key(|pack| pack.added_at);
    Ok(DescriptorPacks { packs })
}

async fn rows(core: &Core) -> Result<Vec<Keyed<PackRow>>, StoreError> {
    store::scan(core.database.store(), PACKS, Range::all()).await
}

/// What was given, before it is read.
enum Given {
    Text(String),
    Archive(String),
    Files(Vec<PackFile>),
}

/// Takes a pack, or shows what an address gives.
pub(crate) async fn add(core: &Core, body: AddDescriptorPack) -> Result<AddedDescriptorPack, ApiError> {
    let AddDescriptorPack { name, file, files, url, digest: accepted } = body;
    let name = name.trim();
    if name.is_empty() || name.chars().count() > NAME || name.chars().any(char::is_control) {
        return Err(ApiError::invalid("/name", "must have 1 to 64 letters"));
    }
    let (source, given, digest) = match (file, files, url) {
        (Some(base64), None, None) => {
            let bytes = chains::encoding::from_base64("file", &base64);
            let bytes = bytes.map_err(|_| ApiError::invalid("/file", "must be base64"))?;
            (PackSource::File {}, given(&bytes, "/file")?, of_bytes(&bytes))
        }
        (None, Some(files), None) => {
            let words: Vec<&str> =
                files.iter().flat_map(|file| [file.path.as_str(), file.text.as_str()]).collect();
            let digest = digest(&[&["descriptor files"], words.as_slice()].concat());
            (PackSource::File {}, Given::Files(files), digest)
        }
        (None, None, Some(url)) => {
            let url = check_url("/url", &url)?;
            let bytes = fetch(core, &url).await?;
            let digest = of_bytes(&bytes);
            (PackSource::Address { url }, given(&bytes, "/url")?, digest)
        }
        _ => return Err(ApiError::invalid("", "must have exactly one of file, files and url")),
    };
    let descriptors = read(core, given).await?;
    let pack = PackRow {
        id: core.ids.next(),
        name: name.to_owned(),
        source,
        digest,
        count: u32::try_from(descriptors.len()).unwrap_or(u32::MAX),
        added_at: core.now(),
    };
    Ok(take(core, pack, descriptors, accepted.as_deref()).await?)
}

/// SHA-256 of the bytes themselves: what other programs print for the same file.
fn of_bytes(bytes: &[u8]) -> String {
    chains::encoding::hex(&chains::hash::sha256(bytes))
}

fn given(bytes: &[u8], path: &str) -> Result<Given, ApiError> {
    if bytes.starts_with(b"PK") {
        return Ok(Given::Archive(chains::encoding::base64(bytes)));
    }
    let text = String::from_utf8(bytes.to_vec());
    text.map(Given::Text).map_err(|_| ApiError::invalid(path, "must be a JSON text or a ZIP"))
}

async fn fetch(core: &Core, url: &str) -> Result<Vec<u8>, PackError> {
    let unreachable = |problem: String| PackError::DescriptorPackUnreachable { problem };
    let request = NetRequest::json(url.to_owned(), Vec::new(), None);
    let answer = async {
        let mut response = core.ports.net.send(request).await?;
        if response.status != 200 {
            return Err(unreachable(format!("the address answers with status {}", response.status)));
        }
        let mut bytes = Vec::new();
        while let Some(chunk) = response.body.chunk().await? {
            if bytes.len() + chunk.len() > MAX_FETCHED {
                return Err(PackError::TooLarge);
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes)
    };
    within(&*core.ports.host, TIMEOUT, answer).await
}

/// The descriptors of a pack, includes merged.
async fn read(core: &Core, given: Given) -> Result<Vec<PackDescriptor>, PackError> {
    let request = match given {
        Given::Text(text) => Request::ReadPack { text },
        Given::Files(files) => Request::ReadFiles { files },
        Given::Archive(base64) => {
            match core.ports.toolbox.ask(toolbox::Request::UnpackFiles { base64 }).await {
                Ok(toolbox::Reply::Files { files }) => Request::ReadFiles { files },
                Ok(toolbox::Reply::Problems { problems }) => {
                    let error = problems.into_iter().next().map(|problem| ToolboxError {
                        code: problem.code,
                        message: problem.message,
                        path: problem.file,
                    });
                    return Err(PackError::Archive(error.unwrap_or_else(ToolboxError::unavailable)));
                }
                Ok(_) => return Err(PackError::Archive(ToolboxError::unavailable())),
                Err(error) => return Err(PackError::Archive(error)),
            }
        }
    };
    match core.ports.clear.ask(request).await {
        Ok(Reply::Pack { descriptors }) => Ok(descriptors),
        Ok(_) => Err(PackError::Refused(DescriptorError::unavailable())),
        Err(error) => Err(PackError::Refused(error)),
    }
}

/// Writes a pack that the user chose, or whose digest the user accepted; one of the same address is replaced.
async fn take(
    core: &Core,
    pack: PackRow,
    descriptors: Vec<PackDescriptor>,
    accepted: Option<&str>,
) -> Result<AddedDescriptorPack, PackError> {
    let _alone = core.ports.host.lock("descriptors").await;
    let packs = rows(core).await?;
    let is_address = matches!(pack.source, PackSource::Address { .. });
    let replaced = packs.iter().find(|row| is_address && row.record.source == pack.source);
    let same = |row: &&Keyed<PackRow>| row.record.digest == pack.digest;
    if let Some(row) = packs.iter().find(same) {
        return Err(PackError::DescriptorPackExists { name: row.record.name.clone() });
    }
    let replaces = replaced.map(|row| row.record.digest.clone());
    match accepted {
        Some(accepted) if accepted != pack.digest => {
            return Err(PackError::DescriptorPackChanged { digest: pack.digest });
        }
        None if is_address => return Ok(AddedDescriptorPack { pack: pack.into(), taken: false, replaces }),
        _ => {}
    }
    if replaced.is_none() && packs.len() >= MAX_PACKS {
        return Err(PackError::TooManyDescriptorPacks);
    }
    let mut batch = Batch::new(Durability::Strict);
    if let Some(row) = replaced {
        stage_removal(core, row, &mut batch).await?;
    }
    for (place, PackDescriptor { path, keys, document }) in descriptors.into_iter().enumerate() {
        let at = format!("{}/{place:04}", pack.id);
        for key in &keys {
            batch.put(KEYS, &format!("{key}/{at}"), &at);
        }
        batch.put(DOCUMENTS, &at, &DocumentRow { path, keys, document });
    }
    batch.expect(PACKS, &pack.id, None);
    batch.put(PACKS, &pack.id, &pack);
    batch.note(changed("descriptor_pack_added", &pack));
    core.commit(batch).await?;
    Ok(AddedDescriptorPack { pack: pack.into(), taken: true, replaces })
}

/// Removes a pack with all that it says.
pub(crate) async fn remove(core: &Core, id: &str) -> Result<(), PackError> {
    let _alone = core.ports.host.lock("descriptors").await;
    let packs = rows(core).await?;
    let row = packs.iter().find(|row| row.record.id == id).ok_or(PackError::DescriptorPackNotFound)?;
    let mut batch = Batch::new(Durability::Strict);
    stage_removal(core, row, &mut batch).await?;
    Ok(core.commit(batch).await?)
}

async fn stage_removal(core: &Core, row: &Keyed<PackRow>, batch: &mut Batch) -> Result<(), StoreError> {
    let id = &row.record.id;
    let mut reads = Reads::new();
    let documents = reads.scan(DOCUMENTS, Range::prefix([id, "/"].concat()));
    for document in reads.from(core.database.store()).await?.many(documents)? {
        for key in &document.record.keys {
            batch.delete(KEYS, &[key, "/", &document.key].concat());
        }
        batch.delete(DOCUMENTS, &document.key);
    }
    batch.expect(PACKS, id, Some(&row.text));
    batch.delete(PACKS, id);
    batch.note(changed("descriptor_pack_removed", &row.record));
    Ok(())
}

fn changed(what: &str, pack: &PackRow) -> AuditRecord {
    let subject = [&pack.name, " ", &pack.digest].concat();
    AuditRecord::Change { what: what.to_owned(), subject: Some(subject) }
}
