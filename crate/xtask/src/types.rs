//! TypeScript declarations of what crosses the worker's boundary, written from the types of `wire`.

use crate::project::{Project, create_dir, list, read, write};
use anyhow::{Context, Result, bail};
use runtime::plain::{FIRST_READS, PlainRead};
use runtime::store::migration::VERSION;
use std::collections::BTreeSet;
use std::path::Path;
use ts_rs::{Config, TS};

/// Exports each named type and those it is made of.
macro_rules! export {
    ($config:expr, $($name:ty),+ $(,)?) => {
        $(<$name as TS>::export_all($config).with_context(|| concat!("in ", stringify!($name)))?;)+
    };
}

/// Writes `extension/generated/<Type>.ts`, and `index.ts` that names them all.
pub(crate) fn export(project: &Project) -> Result<()> {
    export_into(&project.generated(), project)
}

fn export_into(folder: &Path, project: &Project) -> Result<()> {
    create_dir(folder)?;
    for old in list(folder)?.into_iter().filter(|path| path.extension().is_some_and(|ext| ext == "ts")) {
        std::fs::remove_file(&old).with_context(|| format!("could not delete {}", old.display()))?;
    }

    // What JSON.parse gives for any number is a `number`.
    let config = Config::new().with_out_dir(folder).with_large_int("number");
    {
        use wire::{action::*, address_book::*, api::*, archive::*, audit::*, coins::*, event::*, policy::*};
        use wire::{
            connection::*, dapp::*, mcp::*, message::*, node::*, pending::*, prompt::*, run::*, secrets::*,
            tool::*, vault::*,
        };
        export!(&config, ActionResult, Event);
        export!(
            &config,
            Entry,
            GetAddressBookResult,
            Rows<AddedEntry>,
            Rows<DeletedEntry>,
            AddedEntry,
            DeletedEntry
        );
        export!(&config, Coins, Rows<AddedToken>, Rows<AddedChain>, AddedToken, AddedChain);
        export!(&config, Rows<RemovedToken>, RemovedToken);
        export!(&config, ErrorBody, Health, Contacts, Settings, ActionResults, AcceptedCalls, Calls, Prompts);
        export!(&config, Conversations, Timeline, PromptOutcome);
        export!(&config, Vaults, ExportedFile, Bundles, Question, Policy, AuditPage, AuditRecord, AuditCheck);
        export!(&config, ToolDefinition, ToolResult, ToolOutcome);
        export!(&config, PackedBundle, ImportedBundle, RefusedArchive);
        export!(&config, Connections, ConnectionState, Finding, Secrets, SignInState, SignInAddress);
        export!(&config, PageState, PageAddresses, Sites, SiteList, MessageView);
        export!(&config, wire::evm::ChooseFee, wire::calls::CallBatch);
        export!(&config, PendingCalls, SubmittedResult, McpServers, McpSignIn, McpSignInOrigins);
        export!(&config, wire::descriptor::DescriptorPacks, wire::descriptor::AddedDescriptorPack);
        export!(&config, wire::descriptor::AddDescriptorPack, wire::descriptor::Description);
        // A view of it has its fields, and not its name.
        export!(&config, wire::bundle::Bundle);
    }

    write(&folder.join("ErrorCode.ts"), error_codes())?;
    let exported = exported(folder)?;
    let mut index = String::from("// Written by `cargo xtask build` from crate/wire.\n");
    for name in &exported {
        index.push_str(&format!("export type * from \"./{name}\";\n"));
    }
    write(&folder.join("index.ts"), index)?;
    write(&folder.join("chains.ts"), chain_facts())?;
    write(&folder.join("reads.ts"), first_reads())?;
    complete(project, &exported)
}

/// Every code that an error of the worker can have: the popup has words for each, or does not compile.
fn error_codes() -> String {
    let codes: BTreeSet<&str> = runtime::CODES
        .iter()
        .copied()
        .flatten()
        .chain(signer::CODES)
        .chain(toolbox::CODES.iter().copied().flatten())
        .chain(clear::CODES.iter().copied().flatten())
        .copied()
        .collect();
    let codes: String = codes.iter().map(|code| format!("\n  | {code:?}")).collect();
    format!(
        "// Written by `cargo xtask build` from the errors of crate/runtime, crate/signer, crate/toolbox and crate/clear.\n\
         export type ErrorCode ={codes};\n"
    )
}

/// The rows of the reads that pages begin with.
fn first_reads() -> String {
    let reads: String = FIRST_READS
        .iter()
        .filter_map(|(path, target)| {
            Some(format!("  [{path:?}, {:?}],\n", PlainRead::parse(target)?.needs()))
        })
        .collect();
    format!(
        "// Written by `cargo xtask build` from crate/runtime.\n\
         export const DATABASE_VERSION = {VERSION};\n\n\
         export const FIRST_READS: ReadonlyMap<string, string> = new Map([\n{reads}]);\n"
    )
}

/// The chains' names, for pages that let a person choose one, what stands before an address in the address of its page
/// in an explorer, and the node that is asked unless the user chose another.
fn chain_facts() -> String {
    let names: String = chains::Chain::ALL.iter().map(|chain| format!("  {:?},\n", chain.name())).collect();
    let by_name = |fact: fn(chains::Chain) -> String| -> String {
        chains::Chain::ALL
            .iter()
            .map(|chain| format!("  {:?}: {:?},\n", chain.name(), fact(*chain)))
            .collect()
    };
    let pages = by_name(|chain| chain.address_url(""));
    let endpoints = by_name(|chain| chain.facts().endpoint.to_owned());
    format!(
        "// Written by `cargo xtask build` from crate/chains.\n\
         export const CHAIN_NAMES = [\n{names}] as const;\n\n\
         export const ADDRESS_PAGES = {{\n{pages}}} as const;\n\n\
         export const DEFAULT_ENDPOINTS = {{\n{endpoints}}} as const;\n"
    )
}

fn exported(folder: &Path) -> Result<BTreeSet<String>> {
    let files = list(folder)?.into_iter().filter(|path| path.extension().is_some_and(|ext| ext == "ts"));
    Ok(files.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned())).collect())
}

/// A type that asks for a declaration and is not named above would be missing in TypeScript without a word.
fn complete(project: &Project, exported: &BTreeSet<String>) -> Result<()> {
    let mut missing = Vec::new();
    for file in list(&project.root.join("crate/wire/src"))? {
        if file.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let source = String::from_utf8(read(&file)?)?;
        missing.extend(
            declared(&source).into_iter().filter(|name| !exported.contains(*name)).map(str::to_owned),
        );
    }
    if !missing.is_empty() {
        bail!("no TypeScript was written for {}: name them in crate/xtask/src/types.rs", missing.join(", "));
    }
    Ok(())
}

/// The names of the types below a `derive(ts_rs::TS)`.
fn declared(source: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for part in source.split("derive(ts_rs::TS)").skip(1) {
        let item = part.lines().find_map(|line| {
            let line = line.trim();
            line.strip_prefix("pub struct ").or_else(|| line.strip_prefix("pub enum "))
        });
        let name = item.and_then(|item| item.split(|c: char| !c.is_alphanumeric() && c != '_').next());
        names.extend(name);
    }
    names
}

#[cfg(test)]
mod tests {
    use super::{declared, export_into};
    use crate::project::Project;

    #[test]
    fn every_declared_type_is_written() {
        let folder = std::env::temp_dir().join(format!("countersign-types-{}", std::process::id()));
        let outcome = export_into(&folder, &Project::find().unwrap());
        let index = std::fs::read_to_string(folder.join("index.ts"));
        std::fs::remove_dir_all(&folder).unwrap();
        outcome.unwrap();
        assert!(index.unwrap().contains("\"./Health\""));
    }

    #[test]
    fn finds_every_declared_type() {
        let source = "#[cfg_attr(feature = \"ts\", derive(ts_rs::TS))]\n#[serde(x)]\npub struct Rows<T> {\n}\n\
                      pub struct Other;\n#[cfg_attr(feature = \"ts\", derive(ts_rs::TS))]\npub enum Role {";
        assert_eq!(declared(source), ["Rows", "Role"]);
    }
}
