//! HTTP tools: the block `impl` of a record.

use crate::bounds::{
    BODY_BYTES, EXPRESSION_BYTES, HEADER_BYTES, LIST_LENGTH, REQUEST_BYTES, RESPONSE_BYTES, RETRIES,
    TIMEOUT_MS, URL_BYTES,
};
use crate::expression;
use crate::record::auth::Auth;
use crate::record::check::{Check, Fields, RecordError};
use crate::record::name;
use crate::request;
use crate::template::{Part, parse};
use derive::ToJson;
use std::collections::BTreeMap;
use wire::json::Named;
use wire::toolbox::{Encoding, ErrorMode};

/// An HTTP tool whose templates are templates.
#[derive(Debug)]
pub(crate) struct HttpTool {
    pub(crate) record: HttpRecord,
    /// Where it sends to, where no argument is part of it.
    pub(crate) origin: Option<String>,
    /// The secrets that it needs.
    pub(crate) secrets: Vec<String>,
}

/// What is stored of it.
#[derive(Debug, Clone, ToJson)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HttpRecord {
    pub(crate) method: String,
    pub(crate) url_template: String,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body_template: String,
    /// Where arguments go that no template has a place for; nowhere without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) send_args: Option<ArgumentsPlace>,
    pub(crate) success_codes: Vec<u16>,
    pub(crate) timeout_ms: u64,
    pub(crate) response_encoding: Encoding,
    pub(crate) extract_expr: String,
    pub(crate) error_mode: ErrorMode,
    pub(crate) max_retries: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) idempotency_header: Option<String>,
    pub(crate) max_request_bytes: u64,
    pub(crate) max_response_bytes: u64,
    pub(crate) stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) auth: Option<Auth>,
}

/// Where arguments go that no template has a place for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, derive::Record)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ArgumentsPlace {
    /// A pair of the query each.
    Query,
    /// An object of JSON.
    Body,
}

pub(crate) const METHODS: &[&str] = &["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

/// How a body is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyKind {
    /// As JSON.
    Json,
    /// `name=value&…`.
    Form,
    /// As it stands.
    Text,
}

/// How a body is written: as its content type says, and without one as it looks.
pub(crate) fn body_kind(headers: &BTreeMap<String, String>, body: &str) -> BodyKind {
    let is_content_type = |name: &str| name.eq_ignore_ascii_case("content-type");
    match headers.iter().find(|(name, _)| is_content_type(name)) {
        Some((_, kind)) if kind.to_ascii_lowercase().contains("json") => BodyKind::Json,
        Some((_, kind)) if kind.to_ascii_lowercase().contains("x-www-form-urlencoded") => BodyKind::Form,
        Some(_) => BodyKind::Text,
        None if body.trim_start().starts_with(['{', '[']) => BodyKind::Json,
        None => BodyKind::Text,
    }
}

impl HttpTool {
    /// Reads the block of a record whose schema has these properties.
    pub(crate) fn read(
        fields: &Fields<'_>,
        properties: Option<&[String]>,
        check: &mut Check,
    ) -> Option<Self> {
        let mut templates = Templates { properties, secrets: Vec::new() };
        let method = fields.choice("method", METHODS, "GET", check);
        let url_template = fields.required_text("urlTemplate", URL_BYTES, check).unwrap_or_default();
        let url_place = fields.place("urlTemplate");
        templates.check(url_template, &url_place, &[], check);
        let origin = match url_template {
            "" => None,
            template => check.take(&url_place, request::check_url(template)).flatten(),
        };
        let auth = fields.object("auth", check).and_then(|auth| Auth::read(&auth, &mut templates, check));
        let headers = headers(fields, auth.as_ref(), &mut templates, check);
        let body_template = fields.text("bodyTemplate", BODY_BYTES, check).unwrap_or_default();
        let body_place = fields.place("bodyTemplate");
        templates.check(body_template, &body_place, &[], check);
        if check.is_clean() && body_kind(&headers, body_template) == BodyKind::Json {
            check.take(&body_place, request::check_json_body(body_template));
        }
        let send_args = send_args(fields, method, body_template, check);
        let response_encoding =
            match fields.choice("responseEncoding", <Encoding as Named>::NAMES, "json", check) {
                "text" => Encoding::Text,
                _ => Encoding::Json,
            };
        let extract_expr = fields.text("extractExpr", EXPRESSION_BYTES, check).unwrap_or_default();
        if !extract_expr.is_empty() {
            check.take(&fields.place("extractExpr"), expression::check(extract_expr, response_encoding));
        }
        let error_mode = match fields.choice("errorMode", <ErrorMode as Named>::NAMES, "fail", check) {
            "empty" => ErrorMode::Empty,
            _ => ErrorMode::Fail,
        };
        let idempotency_header = fields.text("idempotencyHeader", HEADER_BYTES, check);
        if let Some(header) = idempotency_header {
            check.take(&fields.place("idempotencyHeader"), name::header(header));
        }
        let mut number =
            |name, least, most, default| fields.number(name, least, most, check).unwrap_or(default);
        let record = HttpRecord {
            method: method.to_owned(),
            url_template: url_template.to_owned(),
            body_template: body_template.to_owned(),
            send_args,
            timeout_ms: number("timeoutMs", 1, TIMEOUT_MS, 10_000),
            max_retries: number("maxRetries", 0, RETRIES, 2),
            max_request_bytes: number("maxRequestBytes", 1, REQUEST_BYTES, 262_144),
            max_response_bytes: number("maxResponseBytes", 1, RESPONSE_BYTES, 1 << 20),
            success_codes: success_codes(fields, check),
            stream: fields.flag("stream", false, check),
            headers,
            response_encoding,
            extract_expr: extract_expr.to_owned(),
            error_mode,
            idempotency_header: idempotency_header.map(str::to_owned),
            auth,
        };
        Some(Self { record, origin, secrets: templates.secrets })
    }

    /// What is stored.
    pub(crate) fn impl_record(&self) -> &HttpRecord {
        &self.record
    }
}

/// Where arguments go that no template has a place for. A body is made of them or of a template, not of both.
fn send_args(
    fields: &Fields<'_>,
    method: &str,
    body_template: &str,
    check: &mut Check,
) -> Option<ArgumentsPlace> {
    fields.get("sendArgs")?;
    let place = match fields.choice("sendArgs", <ArgumentsPlace as Named>::NAMES, "query", check) {
        "body" => ArgumentsPlace::Body,
        _ => ArgumentsPlace::Query,
    };
    if place == ArgumentsPlace::Body && (!body_template.is_empty() || matches!(method, "GET" | "HEAD")) {
        let problem = "cannot be body with a bodyTemplate, or for a request without a body";
        check.fail(fields.place("sendArgs"), RecordError::invalid(problem));
    }
    Some(place)
}

/// T002-25: statuses of HTTP.
fn success_codes(fields: &Fields<'_>, check: &mut Check) -> Vec<u16> {
    let mut codes = Vec::new();
    for (place, value) in fields.list("successCodes", 64, check) {
        let code =
            value.as_u64().and_then(|code| u16::try_from(code).ok()).filter(|code| (100..600).contains(code));
        match code {
            Some(code) if !codes.contains(&code) => codes.push(code),
            Some(_) => {}
            None => check.fail(place, RecordError::invalid("must be a status of HTTP, from 100 to 599")),
        }
    }
    codes
}

/// T002-23: headers that a browser lets a tool set, each once.
fn headers(
    fields: &Fields<'_>,
    auth: Option<&Auth>,
    templates: &mut Templates<'_>,
    check: &mut Check,
) -> BTreeMap<String, String> {
    let mut read: BTreeMap<String, String> = BTreeMap::new();
    let Some(headers) = fields.object("headers", check) else { return read };
    if headers.iter().count() > LIST_LENGTH {
        let problem = format!("must have at most {LIST_LENGTH} headers");
        check.fail(fields.place("headers"), RecordError::invalid(problem));
        return read;
    }
    for (name, _) in headers.iter() {
        let place = headers.place(name);
        check.take(&place, name::header(name));
        if name.eq_ignore_ascii_case("user-agent") {
            check.warn(&place, RecordError::HeaderNotSent { name: name.clone() });
        }
        let is_same = |other: &str| other.eq_ignore_ascii_case(name);
        if read.keys().any(|other| is_same(other)) {
            check.fail(place.clone(), RecordError::invalid("is there twice"));
        }
        if auth.is_some_and(|auth| auth.headers().into_iter().any(is_same)) {
            check.fail(place.clone(), RecordError::invalid("is set by auth"));
        }
        let Some(template) = headers.text(name, HEADER_BYTES, check) else { continue };
        templates.check(template, &place, &[], check);
        if template.bytes().any(|byte| !matches!(byte, b'\t' | 0x20..=0x7e)) {
            check.fail(place, RecordError::invalid("must be printable ASCII, in one line"));
        }
        read.insert(name.clone(), template.to_owned());
    }
    read
}

/// What the placeholders of a tool may be, and which secrets were among them.
pub(crate) struct Templates<'a> {
    /// The properties of the schema of its arguments; nothing where it is no schema.
    properties: Option<&'a [String]>,
    secrets: Vec<String>,
}

impl Templates<'_> {
    /// Fails where a placeholder stands for nothing; `more` names what only this template has.
    pub(crate) fn check(&mut self, text: &str, place: &str, more: &[&str], check: &mut Check) {
        let Some(parts) = check.take(place, parse(text)) else { return };
        for part in &parts {
            let Part::Hole(hole) = part else { continue };
            if hole.is_secret() {
                if !self.secrets.contains(&hole.name) {
                    self.secrets.push(hole.name.clone());
                }
            } else if !hole.is_version()
                && !more.contains(&hole.name.as_str())
                && self.properties.is_some_and(|properties| !properties.contains(&hole.name))
            {
                check.fail(place, RecordError::UnknownPlaceholder { name: hole.name.clone() });
            }
        }
    }

    /// The same of a text that is worth stealing: a secret must be part of it.
    pub(crate) fn check_secret(&mut self, text: &str, place: &str, check: &mut Check) {
        self.check(text, place, &[], check);
        let has_secret = |part: &Part| matches!(part, Part::Hole(hole) if hole.is_secret());
        if !parse(text).is_ok_and(|parts| parts.iter().any(has_secret)) {
            check.fail(place, RecordError::SecretExpected);
        }
    }
}
