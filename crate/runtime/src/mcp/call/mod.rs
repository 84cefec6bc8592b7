//! Tools of MCP servers as tools of the pipeline.

mod run;

use super::error::McpError;
use super::pins::{self, Allowed};
use super::protocol::definition::Definition as Served;
use super::protocol::header;
use super::row::{self, Kept};
use crate::Core;
use crate::call::CallRow;
use crate::id::digest;
use crate::policy::{Assessment, DefinitionStanding, Outbound, ToSign};
use crate::store::{Batch, StoreError, Stored, json};
use crate::tool::{Admission, Context, Definition, Outcome, Prepared, Proposal, Shown, Tool};
use crate::tools::check_arguments;
use async_trait::async_trait;
pub(super) use run::Parked;
use run::Runner;
use serde_json::Value;
use wire::audit::AuditRecord;
use wire::tool::Preview;

/// The beginning of the arguments that are shown.
const SHOWN: usize = 8 << 10;
/// What the audit log and the preview call a call.
const METHOD: &str = "tools/call";

/// A tool of an MCP server.
pub(crate) struct McpTool {
    id: String,
    definition: Definition,
    server_id: String,
    /// As the server gave it.
    served: Served,
}

impl McpTool {
    /// Of a record; none if it cannot be read.
    pub(crate) fn new(id: String, definition: Definition, record: &Value) -> Option<Self> {
        let parts = record.get("impl")?;
        let server_id = parts.get("serverId")?.as_str()?.to_owned();
        let served = Served::kept(parts.get("definition")?.clone());
        Some(Self { id, definition, server_id, served })
    }

    /// What the user is shown of a call.
    fn preview(&self, server: &row::ServerRow, call: &CallRow) -> Preview {
        let arguments = json(&call.params);
        let mut shown = arguments.clone();
        if shown.len() > SHOWN {
            shown.truncate(shown.floor_char_boundary(SHOWN));
            shown.push('\u{2026}');
        }
        let headers =
            header::declared(self.served.input_schema().unwrap_or(&Value::Null)).unwrap_or_default();
        let mut named = vec![("MCP server".to_owned(), server.name.clone())];
        named.push(("Mcp-Name".to_owned(), self.served.name().to_owned()));
        named.extend(header::of_arguments(&headers, &call.params));
        let words =
            ["mcp call", &server.id, &server.url, self.served.name(), &self.served.digest(), &arguments];
        Preview {
            tool: self.definition.name.clone().into_owned(),
            tool_id: self.id.clone(),
            host: server.host().to_owned(),
            method: METHOD.to_owned(),
            url: server.url.clone(),
            headers: named.into_iter().collect(),
            body: Some(shown),
            secrets: Vec::new(),
            digest: digest(&words),
            steps: Vec::new(),
        }
    }

    /// The server, if the tool may be called there.
    async fn server(&self, core: &Core) -> Result<Result<row::ServerRow, McpError>, StoreError> {
        Ok(match row::server(core, &self.server_id).await? {
            Some(server) if server.record.allows(self.served.name()) => Ok(*server.record),
            Some(_) => Err(McpError::ToolNotAllowed),
            None => Err(McpError::ServerGone),
        })
    }
}

#[async_trait(?Send)]
impl Tool for McpTool {
    fn definition(&self) -> &Definition {
        &self.definition
    }

    fn acts_in_steps(&self) -> bool {
        true
    }

    fn reaches_out(&self) -> bool {
        true
    }

    async fn validate(&self, call: &mut CallRow, context: &mut Context<'_>) -> Result<Admission, StoreError> {
        let core = context.wallet.core;
        let server = match self.server(core).await? {
            Ok(server) => server,
            Err(error) => return Ok(Err(error.into())),
        };
        // What is absent is the server's to fill in: arguments are sent as they came.
        if let Err(refusal) = check_arguments(core, &self.definition, call.params.clone()).await {
            return Ok(Err(refusal));
        }
        call.tool = Some(self.definition.name.clone().into_owned());
        call.tool_id = Some(self.id.clone());
        call.visible = Some(false);
        call.preview = Some(self.preview(&server, call));
        Ok(Ok(()))
    }

    async fn prepare(&self, call: &CallRow, context: &mut Context<'_>) -> Result<Prepared, StoreError> {
        let core = context.wallet.core;
        let allowed = pins::read(core, &self.server_id, &self.served).await?;
        let host = call.preview.as_ref().map(|preview| preview.host.clone()).unwrap_or_default();
        let outbound = [Outbound { tool_id: self.id.clone(), host, secrets: Vec::new() }];
        Ok(Prepared::Proposal(Box::new(Proposed { outbound, allowed })))
    }

    async fn execute(
        &self,
        call: &Stored<CallRow>,
        context: &mut Context<'_>,
    ) -> Result<Outcome, StoreError> {
        let output = Runner::begin(self, call, context).await?.run().await?;
        Ok(match output {
            Some(output) => Outcome::Ended(context.result(&self.definition, output)),
            None => Outcome::Suspended,
        })
    }

    async fn stage_cancelled(
        &self,
        core: &Core,
        call: &CallRow,
        batch: &mut Batch,
    ) -> Result<(), StoreError> {
        core.mcp_streams.drop_call(&call.id);
        let run = Kept::read(core, &call.id).await?.run;
        if run.sent.is_some() {
            note(call, run.attempts, OUTCOME_UNKNOWN, batch);
        }
        Ok(())
    }
}

/// What the audit log says of a call that may have been executed.
const OUTCOME_UNKNOWN: &str = "outcome_unknown";

/// One entry of the audit log for each request.
fn note(call: &CallRow, attempt: u32, outcome: &str, batch: &mut Batch) {
    batch.note(AuditRecord::ToolRequest {
        call_id: Some(call.id.clone()),
        tool: call.tool.clone().unwrap_or_default(),
        host: call.preview.as_ref().map(|preview| preview.host.clone()).unwrap_or_default(),
        method: METHOD.to_owned(),
        attempt,
        outcome: outcome.to_owned(),
    });
}

/// Where a call goes, and what the user decided about the tool's definition.
struct Proposed {
    outbound: [Outbound; 1],
    allowed: Allowed,
}

impl Proposal for Proposed {
    fn to_sign(&self) -> Option<ToSign<'_>> {
        None
    }

    fn outbound(&self) -> &[Outbound] {
        &self.outbound
    }

    fn standing(&self) -> DefinitionStanding {
        self.allowed.standing
    }

    fn pin(&self) -> Option<pins::Pin> {
        Some(self.allowed.pin.clone())
    }

    fn judged(&mut self, _: &Assessment, batch: &mut Batch) {
        self.allowed.expect(batch);
    }

    fn shown(&self, call: &CallRow) -> Shown {
        Shown::call(call)
    }
}
