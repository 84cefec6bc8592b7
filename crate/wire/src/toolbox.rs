//! Between the core and the toolbox: a module of its own that is loaded when a tool's schema, expression or template is
//! used. It holds the libraries that are too heavy for the core.
//!
//! The toolbox sees no secret. What it keeps between two requests it could make again from the next one.
//!
//! In JSON the name of a request or reply stands around its fields, as in [`crate::signer`].

use crate::archive::{FileProblem, PackedBundle};
use crate::descriptor::PackFile;
use crate::pieces::RequestPieces;
use crate::tool::Preview;
use crate::tool_index::{IndexReply, IndexRequest};
use derive::Record;
use serde_json::{Map, Value};

/// What the toolbox is asked to do.
#[derive(Debug, Clone, PartialEq, Record)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Request {
    /// Whether a schema is one. Answered with [`Reply::Done`].
    CheckSchema {
        /// A JSON Schema: 2020-12, or draft-07 where `$schema` says so.
        schema: Value,
    },
    /// Checks a value against a schema. Answered with [`Reply::Validated`].
    Validate {
        /// The schema, which was checked when it was saved: it is not compared with its meta-schema again.
        schema: Value,
        /// The value.
        value: Value,
    },
    /// Whether an extraction expression is one. Answered with [`Reply::Done`].
    CheckExpression {
        /// The expression.
        expr: String,
        /// What it is applied to.
        encoding: Encoding,
    },
    /// Extracts a value from a response. Answered with [`Reply::Extracted`] or [`Reply::NoMatch`].
    Extract {
        /// The expression: JSONPath for JSON, a regular expression for text.
        expr: String,
        /// How the response is read.
        encoding: Encoding,
        /// The response.
        body: String,
    },
    /// Checks arguments against a schema, and gives those that are absent the defaults of the schema's top level (D11).
    /// Answered with [`Reply::Arguments`] or [`Reply::Validated`].
    CheckArguments {
        /// The schema, which was checked when it was saved.
        schema: Value,
        /// The arguments.
        args: Value,
    },
    /// Checks the body of a PUT of a tool. Answered with [`Reply::Tool`] or [`Reply::Rejected`].
    CheckTool {
        /// From the path.
        bundle_id: String,
        /// From the path.
        slug: String,
        /// From the path.
        version: String,
        /// The body.
        body: Value,
        /// The local functions that there are.
        functions: Vec<String>,
        /// Names that a tool cannot have: those of built-in tools, and of old action types.
        reserved: Vec<String>,
    },
    /// Makes the body of a tool's record of a configuration of specification 004. Answered with [`Reply::Config`] or
    /// [`Reply::Rejected`], whose places are in the configuration.
    CheckConfig {
        /// `{name, description, inputSchema, executionType, visible?, isAsync?, timeout?, execution?}`.
        config: Value,
        /// Names that a tool cannot have: those of built-in tools, and of old action types.
        reserved: Vec<String>,
    },
    /// Checks the body of a PUT of a bundle. Answered with [`Reply::Bundle`] or [`Reply::Rejected`].
    CheckBundle {
        /// From the path.
        bundle_id: String,
        /// The body.
        body: Value,
    },
    /// Checks entries of `allowedHosts`. Answered with [`Reply::Hosts`] or [`Reply::Rejected`].
    CheckHosts {
        /// The entries as they were typed.
        hosts: Vec<String>,
    },
    /// Builds the request of an HTTP tool. Answered with [`Reply::Prepared`], or with [`Reply::Validated`] where the
    /// arguments break the tool's schema.
    Prepare {
        /// The record.
        tool: Value,
        /// The arguments.
        args: Value,
        /// Where tools may send to.
        allowed_hosts: Vec<String>,
    },
    /// What an HTTP tool sends, as its templates say it. Answered with [`Reply::Outlined`].
    Outline {
        /// The record.
        tool: Value,
    },
    /// Reads the response to an HTTP tool. Answered with [`Reply::Finished`].
    Finish {
        /// The record.
        tool: Value,
        /// HTTP status.
        status: u16,
        /// The `Content-Type` header, or empty.
        content_type: String,
        /// The response; empty where it is a stream of events.
        body: String,
        /// The data of each event, where the response is a stream of them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        events: Option<Vec<String>>,
    },
    /// Builds the address at which a person lets a tool use an OAuth 2 server. Answered with [`Reply::SignIn`].
    SignIn {
        /// The record.
        tool: Value,
        /// Where tools may send to: the server's tokens are fetched there.
        allowed_hosts: Vec<String>,
        /// Where the server sends the person back to.
        redirect_uri: String,
        /// What the server repeats.
        state: String,
        /// Of the code verifier, by `S256` (RFC 7636).
        challenge: String,
    },
    /// Fills `${…}` in a template of JSON: of the arguments of a step, and of what a tool of several steps gives.
    /// Answered with [`Reply::Expanded`].
    Expand {
        /// A text that is one placeholder becomes its value; inside a text, it becomes text.
        template: Value,
        /// What placeholders are looked up in: `{"args":{…},"steps":{"a":…}}`.
        scope: Value,
    },
    /// Makes a tool of a `curl` command. Answered with [`Reply::Draft`].
    ParseCurl {
        /// The command, as it would be typed into a shell.
        line: String,
    },
    /// Writes a bundle of tools as a ZIP. Answered with [`Reply::Packed`], or [`Reply::Problems`] if it is too large.
    PackBundle {
        /// The bundle as GET answers it, JSON. Its switch is not written.
        bundle: String,
        /// The records of its tools, JSON, a line each. Their switches are not written.
        tools: String,
    },
    /// Reads a bundle of tools from a ZIP. Answered with [`Reply::Unpacked`] or [`Reply::Problems`].
    UnpackBundle {
        /// The archive.
        base64: String,
        /// Names that a tool cannot have: those of built-in tools, and of old action types.
        reserved: Vec<String>,
    },
    /// Reads the JSON files of a ZIP. Answered with [`Reply::Files`] or [`Reply::Problems`].
    UnpackFiles {
        /// The archive.
        base64: String,
    },
    /// To the index of tools. Answered with [`Reply::Index`].
    Index(IndexRequest),
}

/// How a response is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[serde(rename_all = "snake_case")]
pub enum Encoding {
    /// As JSON.
    Json,
    /// As text.
    Text,
}

/// What the toolbox answers.
#[derive(Debug, Clone, PartialEq, Record)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Reply {
    /// What was asked holds.
    Done {},
    /// A value was checked.
    Validated {
        /// Where it breaks its schema; empty if nowhere.
        violations: Vec<Violation>,
    },
    /// A value was extracted.
    Extracted {
        /// The value.
        value: Value,
    },
    /// The expression fits nothing in the response.
    NoMatch {},
    /// Arguments that fit their schema.
    Arguments {
        /// With defaults.
        args: Map<String, Value>,
    },
    /// A tool that can be stored.
    Tool(Box<CheckedTool>),
    /// The body of a record, made of a configuration. [`Request::CheckTool`] accepts it.
    Config {
        /// What agents call the tool.
        name: String,
        /// Made of the name.
        slug: String,
        /// The body.
        body: Value,
    },
    /// A bundle that can be stored.
    Bundle {
        /// `{slug, displayName, isEnabled, description}`.
        record: Map<String, Value>,
    },
    /// Entries of `allowedHosts` in their one spelling.
    Hosts {
        /// In the order of the request, each once.
        hosts: Vec<String>,
    },
    /// A record that cannot be stored.
    Rejected {
        /// What is wrong with it; never empty. The first is `name_taken` (409) only where nothing else is wrong (400).
        errors: Vec<ToolboxError>,
    },
    /// A request that can be sent.
    Prepared(Box<HttpPlan>),
    /// Where a person is asked.
    SignIn {
        /// With everything that was given.
        authorization_url: String,
        /// The server.
        server: OAuthServer,
    },
    /// What a tool sends, before its arguments are known.
    Outlined(Box<Preview>),
    /// The value of a tool's response.
    Finished {
        /// The value; `null` too where `errorMode` is `empty` and there is none.
        value: Value,
    },
    /// A template that was filled.
    Expanded {
        /// The value.
        value: Value,
    },
    /// A tool that was made of something else.
    Draft {
        /// Fields of a tool's body.
        tool: Map<String, Value>,
        /// Names for the secrets that it needs. Their values are not in it.
        secrets: Vec<String>,
        /// What was left out, for a person.
        notes: Vec<String>,
    },
    /// A bundle of tools as a ZIP.
    Packed(PackedBundle),
    /// A bundle of tools that can be stored.
    Unpacked(UnpackedBundle),
    /// An archive that cannot be read or written.
    Problems {
        /// What is wrong with it; never empty. All of them are `name_taken` (409), or the first is not (400).
        problems: Vec<FileProblem>,
    },
    /// The JSON files of a ZIP.
    Files {
        /// In the archive's order.
        files: Vec<PackFile>,
    },
    /// From the index of tools.
    Index(IndexReply),
    /// The request was refused.
    Refused(ToolboxError),
}

/// A tool that can be stored.
#[derive(Debug, Clone, PartialEq, Record)]
pub struct CheckedTool {
    /// The record without `id`, `createdAt` and `modifiedAt`, every default filled in.
    pub record: Map<String, Value>,
    /// What agents call it; `null` where its slug gives no name, and it is called by its id.
    pub name: Option<String>,
    /// The origin that it sends to, where no argument is part of it: `https://api.example.org`.
    pub origin: Option<String>,
    /// The names of the secrets that it needs.
    pub secrets: Vec<String>,
    /// What could be better, for the person who writes the tool. Nothing in it prevents storing.
    pub warnings: Vec<ToolboxError>,
}

/// A bundle of tools from a ZIP.
#[derive(Debug, Clone, PartialEq, Record)]
#[serde(rename_all = "camelCase")]
pub struct UnpackedBundle {
    /// UUID version 7.
    pub bundle_id: String,
    /// `{slug, displayName, isEnabled, description}`.
    pub bundle: Map<String, Value>,
    /// Its tools, no two of one slug and version.
    pub tools: Vec<UnpackedTool>,
}

/// A tool from a ZIP.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
pub struct UnpackedTool {
    /// The file that it was in.
    pub file: String,
    /// The record as [`CheckedTool::record`], JSON in one line, switched off. One of a newer schema is as it was but for
    /// its switch, and without what the store adds.
    pub record: String,
}

/// A request of an HTTP tool, and how it is sent.
#[derive(Debug, Clone, PartialEq, Record)]
#[serde(rename_all = "camelCase")]
pub struct HttpPlan {
    /// `GET`, `POST`, ….
    pub method: String,
    /// Address, headers and body, with holes for secrets.
    pub request: RequestPieces,
    /// Where it goes: `api.example.org`, with the port where it is not the scheme's own.
    pub host: String,
    /// The same with its scheme.
    pub origin: String,
    /// The names of the secrets that are filled in.
    pub secrets: Vec<String>,
    /// The request as text, with names in the place of secrets.
    pub shown: String,
    /// The arguments, with defaults.
    pub args: Map<String, Value>,
    /// How long all attempts may take together.
    pub timeout_ms: u64,
    /// How many attempts may follow the first.
    pub max_retries: u32,
    /// Whether sending it twice does what sending it once does: by its method, or by its key.
    pub is_idempotent: bool,
    /// The header that carries a key which is the same for all attempts.
    pub idempotency_header: Option<String>,
    /// Statuses that mean success; 200 to 299 if empty.
    pub success_codes: Vec<u16>,
    /// Bytes that the body may have, filled.
    pub max_request_bytes: u64,
    /// Bytes that the response may have.
    pub max_response_bytes: u64,
    /// Whether the response is a stream of events that is shown while it comes.
    pub stream: bool,
    /// How the response is read.
    pub encoding: Encoding,
    /// Whether a failed request gives `null` instead of an error.
    pub error_mode: ErrorMode,
    /// The OAuth 2 server whose token is filled in.
    pub oauth: Option<OAuthServer>,
}

/// What a failed request gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[serde(rename_all = "snake_case")]
pub enum ErrorMode {
    /// An error.
    Fail,
    /// `null`.
    Empty,
}

/// An OAuth 2 server, as a tool names it.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub struct OAuthServer {
    /// Where a person is asked.
    pub authorization_url: String,
    /// Where tokens are given.
    pub token_url: String,
    /// Who we are there.
    pub client_id: String,
    /// The name of the secret that proves it, where there is one.
    pub client_secret: Option<String>,
    /// What is asked for.
    pub scopes: Vec<String>,
}

/// Where a value breaks its schema.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
pub struct Violation {
    /// The place in the value, as a JSON pointer.
    pub path: String,
    /// What is wrong there, for a person.
    pub message: String,
}

/// Why the toolbox refused a request.
#[derive(Debug, Clone, PartialEq, Eq, Record, thiserror::Error)]
#[error("{code}: {message}")]
pub struct ToolboxError {
    /// Stable, snake_case: `invalid_schema`, `too_expensive`, …
    pub code: String,
    /// For a person.
    pub message: String,
    /// The place it is about, as a JSON pointer into the checked schema, value or record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

impl ToolboxError {
    /// The code of a toolbox that could not be loaded, or crashed.
    pub const UNAVAILABLE: &'static str = "toolbox_unavailable";

    /// The toolbox gave no answer.
    pub fn unavailable() -> Self {
        let message = "the toolbox gave no answer".to_owned();
        Self { code: Self::UNAVAILABLE.to_owned(), message, path: None }
    }
}
