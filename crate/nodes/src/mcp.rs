//! MCP servers that others wrote: the project's reference server for the revisions with sessions, and a server on the
//! project's library for 2026-07-28.
//!
//! Both listen on 127.0.0.1 only. For lost answers put a [`crate::Proxy`] in front; it reads an answer to its end before it
//! passes it on, so a stream arrives at once.

use crate::Error;
use crate::script::Script;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// How the reference server is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// One endpoint, with sessions and streams that can be resumed (2025-03-26 and later).
    Http,
    /// A stream of events and an endpoint that it names (2024-11-05).
    Sse,
}

/// `@modelcontextprotocol/server-everything` as it is; dropping it stops it.
#[derive(Debug)]
pub struct Everything {
    _script: Script,
    url: String,
}

impl Everything {
    /// Starts the server with one endpoint.
    pub async fn start() -> Result<Self, Error> {
        Self::with(Transport::Http).await
    }

    /// Starts the server with this transport.
    pub async fn with(transport: Transport) -> Result<Self, Error> {
        let script = Script::start("everything").await?;
        let mode = match transport {
            Transport::Http => "streamableHttp",
            Transport::Sse => "sse",
        };
        let url = url(script.ask(json!({ "command": "start", "mode": mode })).await?)?;
        Ok(Self { _script: script, url })
    }

    /// Its endpoint.
    pub fn url(&self) -> &str {
        &self.url
    }
}

/// How the modern server behaves. Every field can be changed while it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct McpOptions {
    /// Tools on a page of the list; 0 is all of them. The cursor of the second page is the empty string.
    pub page_size: u32,
    /// How long the list may be kept.
    pub ttl_millis: u64,
    /// Whether a request of a browser is refused with 403 and "Invalid Origin", as some hosted servers do.
    pub refuses_origin: bool,
    /// Whether `initialize` of the earlier revisions is answered. Fixed at the start.
    pub legacy: bool,
}

impl Default for McpOptions {
    fn default() -> Self {
        Self { page_size: 0, ttl_millis: 0, refuses_origin: false, legacy: true }
    }
}

impl McpOptions {
    fn request(self, command: &str) -> Value {
        json!({
            "command": command, "page_size": self.page_size, "ttl_millis": self.ttl_millis,
            "refuses_origin": self.refuses_origin, "legacy": self.legacy,
        })
    }
}

/// How often each tool ran. A call that asks for input runs once more with each answer.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct McpCounts {
    /// By tool.
    pub calls: BTreeMap<String, u32>,
    /// Those whose caller left before the end.
    pub left: BTreeMap<String, u32>,
}

/// A request as it arrived.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct McpRequest {
    /// `POST`, `GET` or `DELETE`.
    pub http: String,
    /// The JSON-RPC method.
    pub method: Option<String>,
    /// The tool of a call.
    pub tool: Option<String>,
    /// The JSON-RPC id.
    pub id: Value,
    /// Header values by their name in lower case.
    pub headers: BTreeMap<String, String>,
    /// The whole message.
    pub body: Value,
}

/// A server of 2026-07-28; dropping it stops it. Its tools are in `scripts/mcp-modern/tools.mjs`.
#[derive(Debug)]
pub struct ModernMcp {
    script: Script,
    url: String,
}

impl ModernMcp {
    /// Starts a server that lists all tools at once.
    pub async fn start() -> Result<Self, Error> {
        Self::with(McpOptions::default()).await
    }

    /// Starts a server.
    pub async fn with(options: McpOptions) -> Result<Self, Error> {
        let script = Script::start("mcp-modern").await?;
        let url = url(script.ask(options.request("start")).await?)?;
        Ok(Self { script, url })
    }

    /// Its endpoint.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Changes how it behaves.
    pub async fn set(&self, options: McpOptions) -> Result<(), Error> {
        self.script.ask(options.request("set")).await.map(drop)
    }

    /// Replaces fields of a tool's definition, such as `description` or `inputSchema`.
    pub async fn redefine(&self, tool: &str, changes: Map<String, Value>) -> Result<(), Error> {
        let request = json!({ "command": "redefine", "tool": tool, "changes": changes });
        self.script.ask(request).await.map(drop)
    }

    /// Lets every call of the tool `hold` end.
    pub async fn release(&self) -> Result<(), Error> {
        self.script.ask(json!({ "command": "release" })).await.map(drop)
    }

    /// How often tools ran.
    pub async fn counts(&self) -> Result<McpCounts, Error> {
        let answer = self.script.ask(json!({ "command": "counts" })).await?;
        serde_json::from_value(answer).map_err(|error| Error::shape("the counts", error))
    }

    /// How often one tool ran.
    pub async fn count(&self, tool: &str) -> Result<u32, Error> {
        Ok(self.counts().await?.calls.get(tool).copied().unwrap_or_default())
    }

    /// Every request, oldest first.
    pub async fn requests(&self) -> Result<Vec<McpRequest>, Error> {
        let mut answer = self.script.ask(json!({ "command": "requests" })).await?;
        let list = answer.get_mut("requests").map(Value::take).unwrap_or_default();
        serde_json::from_value(list).map_err(|error| Error::shape("the requests", error))
    }
}

fn url(answer: Value) -> Result<String, Error> {
    let url = answer.get("url").and_then(Value::as_str).map(str::to_owned);
    url.ok_or_else(|| Error::shape("an address", answer))
}
