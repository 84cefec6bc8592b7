//! What the agent is told of the tools that it may call: `context.tools` of a request to its backend.

use super::{Moment, SWITCHES, TOOLS, built_in, index};
use crate::Core;
use crate::id::digest;
use crate::later::later;
use crate::store::{Range, Reads, StoreError, json};
use crate::tool::built_in_definitions;
use derive::{FromJson, ToJson};
use serde_json::Value;
use std::rc::Rc;
use wire::json::{from_text, to_value};
use wire::tool_index::{Find, IndexReply, IndexedTool};

/// So many tools of the user's are declared, and no more than fit into so many bytes: the newest.
const MAX_TOOLS: usize = 100;
const MAX_BYTES: usize = 64 << 10;

/// What is declared, in a state of the store.
pub(crate) struct Declared {
    /// The state, and the hosts that tools may reach.
    of: (u64, Vec<String>),
    /// `{"tools":[…]}`.
    pub(crate) context: Value,
    /// Of the same.
    pub(crate) digest: String,
}

#[derive(ToJson)]
struct Declaration {
    name: String,
    description: String,
    schema: Value,
    /// Whether the user is asked each time.
    asks: bool,
}

/// What is declared of a record.
#[derive(FromJson)]
#[serde(rename_all = "camelCase")]
struct Facts {
    description: String,
    arg_schema: Value,
    requires_confirmation: bool,
}

/// The tools that the agent may call now. Without tools of the user's nothing but the switches is read.
pub(crate) async fn declared(core: &Core) -> Result<Rc<Declared>, StoreError> {
    let state = Moment::read(core).await?.state;
    let of = (state.generation, core.settings.read().await?.allowed_hosts);
    if let Some(known) = core.tools.declared.borrow().as_ref().filter(|known| known.of == of) {
        return Ok(Rc::clone(known));
    }
    let mut tools = built_in(core).await?;
    if state.tools > 0 {
        tools.extend(later(core, stored(core)).await?);
    }
    let context = to_value(&Context { tools });
    let declared = Rc::new(Declared { of, digest: digest(&[&json(&context)]), context });
    core.tools.declared.replace(Some(Rc::clone(&declared)));
    Ok(declared)
}

#[derive(ToJson)]
struct Context {
    tools: Vec<Declaration>,
}

async fn built_in(core: &Core) -> Result<Vec<Declaration>, StoreError> {
    let mut reads = Reads::new();
    let switches = reads.scan(SWITCHES, Range::all());
    let off = reads.from(core.tools.database.store()).await?.keys(switches);
    let is_off = |id: &str| off.iter().any(|off| off == id);
    if is_off(built_in::BUNDLE) {
        return Ok(Vec::new());
    }
    let on =
        built_in_definitions().filter(|tool| !built_in::id_of_name(&tool.name).is_some_and(|id| is_off(&id)));
    Ok(on
        .map(|tool| Declaration {
            name: tool.name.clone().into_owned(),
            description: tool.description.clone().into_owned(),
            schema: tool.schema.json(),
            asks: tool.requires_confirmation,
        })
        .collect())
}

/// The user's own. A toolbox that is not there declares none of them.
async fn stored(core: &Core) -> Result<Vec<Declaration>, StoreError> {
    let Ok(IndexReply::Tools { tools, .. }) = index::find(core, Find::Callable {}).await else {
        return Ok(Vec::new());
    };
    let own: Vec<IndexedTool> = tools.into_iter().filter(|tool| !tool.is_built_in).take(MAX_TOOLS).collect();
    let mut reads = Reads::new();
    let slots: Vec<_> = own.iter().map(|tool| reads.get(TOOLS, &tool.key)).collect();
    let snapshot = reads.from(core.tools.database.store()).await?;
    let mut left = MAX_BYTES;
    let mut declared = Vec::new();
    for (tool, slot) in own.into_iter().zip(slots) {
        let facts = snapshot.text(slot).and_then(|text| from_text::<Facts>(text).ok());
        let Some(Facts { description, arg_schema, requires_confirmation }) = facts else { continue };
        let schema = if arg_schema.is_object() { arg_schema } else { Value::Object(serde_json::Map::new()) };
        let asks = requires_confirmation;
        let declaration = Declaration { name: tool.name, description, schema, asks };
        match left.checked_sub(json(&declaration).len()) {
            Some(rest) => left = rest,
            None => continue,
        }
        declared.push(declaration);
    }
    Ok(declared)
}
