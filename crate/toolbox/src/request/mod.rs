//! From a tool and its arguments to a request with holes for secrets, and from the response to a value.
//!
//! An argument that was not given is left out with what it stands in: a pair of the query or of a form, a header, a member of
//! a JSON object, where nothing but such arguments is its value. Anywhere else it is an error: a request that is not
//! the one that was meant is not sent. `null` counts as not given, except as a value of its own in a JSON body.

mod args;
mod auth;
mod expand;
mod finish;
mod json;
mod pieces;
mod text;
mod url;

pub(crate) use expand::expand;
pub(crate) use finish::finish;
pub(crate) use json::check_json_body;
pub(crate) use url::check_url;

use crate::error::AnswerError;
use crate::record::{ArgumentsPlace, BodyKind, Check, Fields, HttpRecord, HttpTool, arguments_of, body_kind};
use crate::template::{Scope, parse};
use crate::{hosts, schema};
use pieces::Pieces;
use serde_json::{Map, Value};
use wire::pieces::{HeaderPieces, Piece, RequestPieces, masked};
use wire::tool::Preview;
use wire::toolbox::{HttpPlan, OAuthServer, Violation};

/// Why no request was built.
#[derive(Debug)]
pub(crate) enum PrepareError {
    /// An argument cannot stand where it would.
    Argument(Violation),
    /// The tool, or where it would send to.
    Answer(AnswerError),
}

impl PrepareError {
    fn argument(path: &str, message: &str) -> Self {
        Self::Argument(Violation { path: path.to_owned(), message: message.to_owned() })
    }
}

impl From<AnswerError> for PrepareError {
    fn from(error: AnswerError) -> Self {
        Self::Answer(error)
    }
}

/// What came of the preparation.
pub(crate) enum Prepared {
    /// A request.
    Plan(Box<HttpPlan>),
    /// The arguments are wrong.
    Violations(Vec<Violation>),
}

/// Builds the request of an HTTP tool.
pub(crate) fn prepare(tool: &Value, args: &Value, allowed: &[String]) -> Result<Prepared, AnswerError> {
    let schema = tool.get("argSchema").unwrap_or(&Value::Bool(true));
    let args = match schema::arguments(schema, args)? {
        Ok(args) => args,
        Err(violations) => return Ok(Prepared::Violations(violations)),
    };
    match plan(tool, schema, args, allowed) {
        Ok(plan) => Ok(Prepared::Plan(Box::new(plan))),
        Err(PrepareError::Argument(violation)) => Ok(Prepared::Violations(vec![violation])),
        Err(PrepareError::Answer(error)) => Err(error),
    }
}

/// What a tool sends, before its arguments are known: its templates, and names in the place of secrets.
pub(crate) fn outline(tool: &Value) -> Result<Preview, AnswerError> {
    let HttpTool { record, origin, secrets } =
        read_tool(tool, tool.get("argSchema").unwrap_or(&Value::Bool(true)))?;
    let template = origin.as_deref().unwrap_or(&record.url_template);
    let authority = template.split_once("://").map_or(template, |(_, rest)| rest);
    let host = authority.split(['/', '?', '#']).next().unwrap_or_default().to_owned();
    let body = Some(record.body_template).filter(|body| !body.is_empty());
    Ok(Preview {
        host,
        method: record.method,
        url: record.url_template,
        headers: record.headers.into_iter().collect(),
        body,
        secrets,
        ..Preview::default()
    })
}

/// The block of a stored record, checked again: another version may have written it.
fn read(tool: &Value, schema: &Value) -> Result<HttpRecord, AnswerError> {
    read_tool(tool, schema).map(|tool| tool.record)
}

fn read_tool(tool: &Value, schema: &Value) -> Result<HttpTool, AnswerError> {
    let mut check = Check::default();
    let is_http = tool.get("type").is_some_and(|kind| kind == "http");
    let block = tool.get("impl").and_then(Value::as_object).filter(|_| is_http);
    let read = block.and_then(|block| {
        HttpTool::read(&Fields::new(block, "/impl".to_owned()), Some(&arguments_of(schema)), &mut check)
    });
    match (read, check.finish().into_iter().next()) {
        (Some(tool), None) => Ok(tool),
        (_, error) => Err(AnswerError::InvalidTool {
            path: error.as_ref().and_then(|error| error.path.clone()).unwrap_or_default(),
            problem: error.map_or_else(|| "not an HTTP tool".to_owned(), |error| error.message),
        }),
    }
}

/// T002-79: the address at which a person lets a tool use its OAuth 2 server, and the server. Its tokens are fetched from a
/// host that is allowed, or not at all: with them goes the secret that proves who asks.
pub(crate) fn sign_in(
    tool: &Value,
    allowed: &[String],
    sent: &[(&str, &str)],
) -> Result<(String, OAuthServer), AnswerError> {
    let record = read(tool, tool.get("argSchema").unwrap_or(&Value::Bool(true)))?;
    let Some(server) = record.auth.as_ref().and_then(auth::server) else {
        return Err(AnswerError::NoSignIn);
    };
    check_token_url(&server, allowed)?;
    let mut url = parse_url(&server.authorization_url)?;
    {
        let mut query = url.query_pairs_mut();
        query.append_pair("response_type", "code").append_pair("client_id", &server.client_id);
        if !server.scopes.is_empty() {
            query.append_pair("scope", &server.scopes.join(" "));
        }
        query.extend_pairs(sent).append_pair("code_challenge_method", "S256");
    }
    Ok((url.into(), server))
}

fn check_token_url(server: &OAuthServer, allowed: &[String]) -> Result<(), AnswerError> {
    check_target(&parse_url(&server.token_url)?, allowed)
}

fn parse_url(text: &str) -> Result<::url::Url, AnswerError> {
    ::url::Url::parse(text).map_err(|_| AnswerError::InvalidUrl { problem: "not an address" })
}

fn plan(
    tool: &Value,
    schema: &Value,
    args: Map<String, Value>,
    allowed: &[String],
) -> Result<HttpPlan, PrepareError> {
    let record = read(tool, schema)?;
    let version = tool.get("version").and_then(Value::as_str).unwrap_or_default();
    let scope = Scope::Call { args: &args, version };
    let mut address = url::read(&record.url_template).map_err(invalid_tool)?;
    if let Some(auth) = &record.auth {
        address.add_pair(auth::query(auth)?);
    }
    if record.send_args == Some(ArgumentsPlace::Query) {
        args::unplaced(&record, &address, &args)?.for_each(|pair| address.add_pair(Some(args::pair(pair))));
    }
    let (url, url_pieces) = address.expand(scope)?;
    check_target(&url, allowed)?;
    let oauth = record.auth.as_ref().and_then(auth::server);
    if let Some(server) = &oauth {
        check_token_url(server, allowed)?;
    }
    let mut request = RequestPieces { url: url_pieces, headers: headers(&record, scope)?, body: None };
    if let Some((body, content_type)) = body(&record, scope)? {
        let value = |kind: &str| HeaderPieces {
            name: "Content-Type".to_owned(),
            value: vec![Piece::Text(kind.to_owned())],
        };
        request.headers.extend(content_type.map(value));
        request.body = Some(body);
    }
    if let Some(auth) = &record.auth {
        request.headers.extend(auth::headers(auth, &record.method, scope)?);
    }
    let host = host(&url);
    let is_idempotent =
        record.idempotency_header.is_some() || !matches!(record.method.as_str(), "POST" | "PATCH");
    Ok(HttpPlan {
        origin: format!("{}://{host}", url.scheme()),
        host,
        secrets: request.secret_names().into_iter().map(str::to_owned).collect(),
        shown: shown(&record.method, &request),
        request,
        timeout_ms: record.timeout_ms,
        max_retries: u32::try_from(record.max_retries).unwrap_or_default(),
        is_idempotent,
        idempotency_header: record.idempotency_header,
        success_codes: record.success_codes,
        max_request_bytes: record.max_request_bytes,
        max_response_bytes: record.max_response_bytes,
        stream: record.stream,
        encoding: record.response_encoding,
        error_mode: record.error_mode,
        oauth,
        method: record.method,
        args,
    })
}

fn invalid_tool(error: crate::record::RecordError) -> AnswerError {
    AnswerError::InvalidTool { path: "/impl".to_owned(), problem: error.to_string() }
}

/// T002-31, T002-35: encrypted unless it stays on this machine, and to a host that is allowed.
fn check_target(url: &::url::Url, allowed: &[String]) -> Result<(), AnswerError> {
    if url.scheme() != "https" && !hosts::is_loopback(url) {
        return Err(AnswerError::InvalidUrl { problem: "http:// is for addresses of this machine only" });
    }
    match hosts::is_allowed(url, allowed) {
        true => Ok(()),
        false => Err(AnswerError::HostNotAllowed { host: host(url) }),
    }
}

/// The host, with the port where it is not the scheme's own.
pub(crate) fn host(url: &::url::Url) -> String {
    let host = hosts::host_of(url).unwrap_or_default();
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host,
    }
}

fn headers(record: &HttpRecord, scope: Scope<'_>) -> Result<Vec<HeaderPieces>, PrepareError> {
    let mut headers = Vec::new();
    for (name, template) in &record.headers {
        let parts = parse(template).map_err(|error| invalid_tool(error.into()))?;
        if let Some(value) = text::header(&parts, scope)? {
            headers.push(HeaderPieces { name: name.clone(), value: value.finish() });
        }
    }
    Ok(headers)
}

/// A body, and its content type where the tool names none.
type Body = (Vec<Piece>, Option<&'static str>);

/// T002-24: no body for GET and HEAD.
fn body(record: &HttpRecord, scope: Scope<'_>) -> Result<Option<Body>, PrepareError> {
    let template = &record.body_template;
    if record.send_args == Some(ArgumentsPlace::Body) {
        return args::body(record, scope).map(Some);
    }
    if template.is_empty() || matches!(record.method.as_str(), "GET" | "HEAD") {
        return Ok(None);
    }
    let parts = || parse(template).map_err(|error| PrepareError::from(invalid_tool(error.into())));
    let kind = body_kind(&record.headers, template);
    let body: Pieces = match kind {
        BodyKind::Json => json::fill(template, scope)?,
        BodyKind::Form => text::form(&parts()?, scope)?,
        BodyKind::Text => text::plain(&parts()?, scope)?,
    };
    if body.text_bytes() as u64 > record.max_request_bytes {
        return Err(AnswerError::RequestTooLarge.into());
    }
    let named = record.headers.keys().any(|name| name.eq_ignore_ascii_case("content-type"));
    let content_type = (kind == BodyKind::Json && !named).then_some("application/json");
    Ok(Some((body.finish(), content_type)))
}

/// The request as text, with names in the place of secrets.
fn shown(method: &str, request: &RequestPieces) -> String {
    let mut text = format!("{method} {}\n", masked(&request.url));
    for HeaderPieces { name, value } in &request.headers {
        text.extend([name, ": ", &masked(value), "\n"]);
    }
    if let Some(body) = &request.body {
        text.extend(["\n", &masked(body)]);
    }
    text
}
