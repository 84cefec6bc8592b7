//! MCP servers as pages see them: `/api/mcp/servers`. camelCase.

use crate::api::Millis;
use derive::Record;
use serde_json::Value;

/// GET `/api/mcp/servers`: in the order in which they were added.
#[derive(Debug, Clone, PartialEq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct McpServers {
    /// All of them.
    pub servers: Vec<McpServer>,
}

/// An MCP server.
#[derive(Debug, Clone, PartialEq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct McpServer {
    /// Ours.
    pub id: String,
    /// The user's name for it. In snake_case it stands before the names of its tools: `github_tools__list_prs`.
    pub name: String,
    /// Its address.
    pub url: String,
    /// `http`: Streamable HTTP, or HTTP+SSE of 2024 where the server offers no more.
    pub transport: String,
    /// The tools that are listed and called; all that it offers where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub allowed_tools: Option<Vec<String>>,
    /// Whether its tools are offered.
    pub is_enabled: bool,
    /// The bundle of the tool store that holds its tools.
    #[serde(rename = "bundleID")]
    pub bundle_id: String,
    /// Whether the `Origin` header is left out of requests to its address, as the user chose.
    pub without_origin: bool,
    /// What is known of it.
    pub state: McpState,
    /// Its tools, by name.
    pub tools: Vec<McpTool>,
    /// When its tools were last listed; none before the first time.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub listed_at: Option<Millis>,
    /// When the list is too old to be used without asking again.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub stale_at: Option<Millis>,
    /// The protocol version that it speaks, once that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub protocol_version: Option<String>,
    /// What it says of itself; its own word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub server_info: Option<String>,
}

/// What is known of an MCP server.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "name")]
pub enum McpState {
    /// It was not asked yet.
    New,
    /// It answered.
    Ready,
    /// It wants the user to sign in.
    SignInRequired,
    /// It refuses requests of browser extensions because of their `Origin` header.
    OriginRefused,
    /// It could not be reached, or its answer could not be used.
    Failed {
        /// Why, as `code: sentence`.
        error: String,
    },
}

/// A tool of an MCP server.
#[derive(Debug, Clone, PartialEq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct McpTool {
    /// The server's name for it.
    pub name: String,
    /// What the agent calls it; none if it cannot be called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub callable_as: Option<String>,
    /// A title for people; the server's word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub title: Option<String>,
    /// What it does; the server's word.
    pub description: String,
    /// Digest of its definition as it is now (hex).
    pub digest: String,
    /// Whether the user allowed this definition.
    pub standing: McpStanding,
    /// Why it cannot be called, as `code: sentence`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub problem: Option<String>,
}

/// What the user decided about a tool's definition.
#[derive(Debug, Clone, PartialEq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "name")]
pub enum McpStanding {
    /// Nothing yet: the first call is asked about.
    New,
    /// The user allowed this definition.
    Allowed,
    /// The user allowed another one: the next call is asked about, with the difference.
    Changed {
        /// What is different.
        changes: Vec<McpChange>,
    },
}

/// A part of a definition that is no longer what the user allowed.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct McpChange {
    /// `description`, `inputSchema`, `outputSchema`, `annotations`, `title`.
    pub field: String,
    /// What was allowed; `null` where there was nothing.
    #[cfg_attr(feature = "ts", ts(type = "unknown"))]
    pub before: Value,
    /// What it is now; `null` where there is nothing.
    #[cfg_attr(feature = "ts", ts(type = "unknown"))]
    pub after: Value,
}

/// POST `/api/mcp/servers/{id}/sign-in`: what the browser opens, and whose page it is.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct McpSignIn {
    /// Where the browser lets the user decide.
    pub authorization_url: String,
    /// The authorization server.
    pub issuer: String,
    /// Where the wallet fetches the tokens: the browser must have let it reach this host.
    pub token_url: String,
}

/// POST `/api/mcp/servers/{id}/sign-in/origins`: the hosts that a sign-in reaches.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct McpSignInOrigins {
    /// Origins of the authorization servers that the MCP server names.
    pub origins: Vec<String>,
}
