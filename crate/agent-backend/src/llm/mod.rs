//! An agent that asks a language model: any server of chat completions (OpenAI's format) or Anthropic's messages API.
//!
//! ```text
//! wallet ── content ───────▶ agent ── messages, tools ──▶ model
//!        ◀── text, actions ─       ◀── text, tool calls ─
//!        ── action_result ─▶       (when every call of the turn has its result)
//!        ◀── text ──────────       ── results ──────────▶
//! ```
//!
//! [`LlmAgent`] is the agent without a socket, [`LlmServer`] serves it on 127.0.0.1. The model is reached through a
//! [`Transport`]: [`HttpTransport`], or a stand-in of a test. What the model sees is what the wallet sends and nothing else.
//!
//! Formats: <https://platform.openai.com/docs/api-reference/chat>, <https://platform.claude.com/docs/en/api/messages>.

mod agent;
mod answer;
mod anthropic;
mod completion;
mod conversation;
mod endpoint;
mod history;
mod http;
mod model;
mod names;
mod openai;
mod prompt;
mod schema;
mod serve;

pub use agent::{LlmAgent, LlmAnswer};
pub use endpoint::{Api, Endpoint, EndpointError, Key};
pub use http::{Bytes, HttpTransport, Post, Received, Transport, TransportError};
pub use model::{Limits, LlmOptions};
pub use serve::LlmServer;
