//! MCP servers.

pub mod oauth;
