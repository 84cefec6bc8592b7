//! Configurations of specification 004: each becomes a tool of a bundle of its own (T004-3).

use super::check::{GivenBundle, check_tool, reserved};
use super::tool::text;
use super::{
    BundleId, Change, MAX_CONFLICTS, Moment, STATE, TOOLS, ToolKey, ToolStoreError, bundles, busy, get_tool,
};
use crate::Core;
use crate::store::{Keyed, Range, Reads};
use serde_json::{Map, Value};
use wire::toolbox::{Reply, Request, ToolboxError};

/// The bundle of tools that were made of configurations.
const BUNDLE: &str = "019a0000-0000-7000-8000-000000000002";

/// A configuration that was checked.
struct Config {
    slug: String,
    body: Value,
}

/// Makes tools of configurations, each at a place of the request. Whether one of them is new, and the records in their
/// order. Nothing is made where one of them is wrong.
pub(crate) async fn import_configs(
    core: &Core,
    configs: Vec<(String, Value)>,
) -> Result<(bool, Vec<String>), ToolStoreError> {
    let mut checked = Vec::with_capacity(configs.len());
    for (place, config) in configs {
        checked.push(check(core, &place, config).await?);
    }
    let (mut is_new, mut records) = (false, Vec::with_capacity(checked.len()));
    for config in &checked {
        let (key, made) = put(core, config).await?;
        is_new |= made;
        records.push(get_tool(core, &key).await?);
    }
    Ok((is_new, records))
}

async fn check(core: &Core, place: &str, config: Value) -> Result<Config, ToolStoreError> {
    let error = match core.ports.toolbox.ask(Request::CheckConfig { config, reserved: reserved() }).await? {
        Reply::Config { slug, body, .. } => return Ok(Config { slug, body }),
        Reply::Rejected { errors } => errors.into_iter().next(),
        _ => None,
    };
    let error = error.unwrap_or_else(ToolboxError::unavailable);
    let path = error.path.as_ref().map(|path| [place, path].concat());
    Err(ToolboxError { path, ..error }.into())
}

/// Makes a tool, unless the newest of its slug says the same. Where that is, and whether it is new.
async fn put(core: &Core, Config { slug, body }: &Config) -> Result<(ToolKey, bool), ToolStoreError> {
    let id = BundleId::parse(BUNDLE)?;
    for _ in 0..MAX_CONFLICTS {
        let mut reads = Reads::new();
        let (state, bundle) = (reads.get(STATE, ""), bundles::read(&id, &mut reads));
        let tools = reads.scan(TOOLS, Range::prefix([BUNDLE, "/", slug, "/"].concat()));
        let snapshot = reads.from(core.tools.database.store()).await?;
        let mut change = Change::new(Moment::of(&snapshot, state)?);
        match bundle.open(&snapshot) {
            Ok(()) => {}
            Err(ToolStoreError::BundleNotFound | ToolStoreError::BundleDeleted) => {
                bundle.stage(&snapshot, &id, &own_bundle(), core.now(), &mut change)?;
            }
            Err(error) => return Err(error),
        }
        let there = snapshot.many(tools)?;
        let newest = there.iter().max_by_key(|tool| number(tool));
        let version = format!("v{}", newest.map_or(0, number) + 1);
        let key = ToolKey::new(id.clone(), slug, &version)?;
        let (made, _) = check_tool(core, &key, body.clone()).await?;
        if let Some(newest) = newest
            && let Ok(Value::Object(record)) = serde_json::from_str(&made.record)
            && newest.record.as_object().is_some_and(|there| content(there) == content(&record))
        {
            let version = text(&newest.record, "version").unwrap_or_default();
            return Ok((ToolKey::new(id, slug, &version)?, false));
        }
        change.add_tool()?;
        change.stage_tool(&made);
        change.note("tool_imported", &made.key);
        if change.commit(core).await? {
            core.wake_after(Ok(())).await;
            return Ok((key, true));
        }
    }
    Err(busy())
}

fn own_bundle() -> GivenBundle {
    GivenBundle {
        slug: "agent-tools".to_owned(),
        display_name: "Agent tools".to_owned(),
        description: "Tools that were made of configurations.".to_owned(),
        is_enabled: true,
    }
}

/// The number in the version `v3`; none is 0.
fn number(tool: &Keyed<Value>) -> u32 {
    let version = tool.record.get("version").and_then(Value::as_str).unwrap_or_default();
    version.strip_prefix('v').and_then(|number| number.parse().ok()).unwrap_or_default()
}

/// What two versions of a tool may have in common.
fn content(record: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let own = ["id", "version", "createdAt", "modifiedAt", "isEnabled"];
    record.iter().filter(|(name, _)| !own.contains(&name.as_str())).collect()
}
