//! T002-79: how an HTTP tool shows who asks. Every block names its secrets; none holds one.

use crate::bounds::{HEADER_BYTES, LIST_LENGTH, URL_BYTES};
use crate::hosts::is_loopback;
use crate::record::check::{Check, Fields, RecordError};
use crate::record::http::Templates;
use crate::record::name;
use crate::template::{Part, parse};
use derive::ToJson;
use url::Url;
use wire::json::Named;
use wire::pieces::{DigestEncoding, HashAlgorithm};

/// The block `auth`.
#[derive(Debug, Clone, ToJson)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(crate) enum Auth {
    /// `Authorization: Bearer …`.
    Bearer { token: String },
    /// `Authorization: Basic …`.
    Basic { username: String, password: String },
    /// A key in a header or in the query.
    ApiKey {
        #[serde(rename = "in")]
        place: KeyPlace,
        name: String,
        value: String,
    },
    /// A signature over the request.
    Hmac {
        algorithm: HashAlgorithm,
        key: String,
        header: String,
        encoding: DigestEncoding,
        message: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        timestamp_header: Option<String>,
    },
    /// A token of an OAuth 2 server.
    Oauth2 {
        authorization_url: String,
        token_url: String,
        client_id: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        client_secret: Option<String>,
        scopes: Vec<String>,
    },
}

/// Where a key stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ToJson)]
#[serde(rename_all = "camelCase")]
pub(crate) enum KeyPlace {
    /// In a header.
    Header,
    /// In the query.
    Query,
}

/// What the message of a signature may name besides arguments and secrets.
pub(crate) const SIGNED: &[&str] = &["method", "path", "timestamp", "body"];

const AUTHORIZATION: &str = "Authorization";

impl Auth {
    /// Reads the block.
    pub(crate) fn read(
        fields: &Fields<'_>,
        templates: &mut Templates<'_>,
        check: &mut Check,
    ) -> Option<Self> {
        fields.required("type", check)?;
        match fields.choice("type", &["bearer", "basic", "apiKey", "hmac", "oauth2"], "", check) {
            "bearer" => Some(Self::Bearer { token: secret("token", fields, templates, check)? }),
            "basic" => {
                let username = fields.required_text("username", HEADER_BYTES, check)?.to_owned();
                templates.check(&username, &fields.place("username"), &[], check);
                if username.contains(':') {
                    check.fail(fields.place("username"), RecordError::invalid("must not contain a colon"));
                }
                Some(Self::Basic { username, password: secret("password", fields, templates, check)? })
            }
            "apiKey" => api_key(fields, templates, check),
            "hmac" => hmac(fields, templates, check),
            "oauth2" => oauth(fields, templates, check),
            _ => None,
        }
    }

    /// The headers that it sets.
    pub(crate) fn headers(&self) -> Vec<&str> {
        match self {
            Self::Bearer { .. } | Self::Basic { .. } | Self::Oauth2 { .. } => vec![AUTHORIZATION],
            Self::ApiKey { place: KeyPlace::Header, name, .. } => vec![name],
            Self::ApiKey { place: KeyPlace::Query, .. } => Vec::new(),
            Self::Hmac { header, timestamp_header, .. } => {
                timestamp_header.iter().chain([header]).map(String::as_str).collect()
            }
        }
    }
}

/// A text with a secret in it.
fn secret(
    name: &str,
    fields: &Fields<'_>,
    templates: &mut Templates<'_>,
    check: &mut Check,
) -> Option<String> {
    let text = fields.required_text(name, HEADER_BYTES, check)?;
    templates.check_secret(text, &fields.place(name), check);
    Some(text.to_owned())
}

/// The name of a header.
fn header(name: &str, fields: &Fields<'_>, check: &mut Check) -> Option<String> {
    let header = fields.text(name, HEADER_BYTES, check)?;
    check.take(&fields.place(name), name::header(header))?;
    Some(header.to_owned())
}

fn api_key(fields: &Fields<'_>, templates: &mut Templates<'_>, check: &mut Check) -> Option<Auth> {
    let value = secret("value", fields, templates, check);
    fields.required("in", check)?;
    let place = match fields.choice("in", &["header", "query"], "header", check) {
        "query" => KeyPlace::Query,
        _ => KeyPlace::Header,
    };
    let name = match place {
        KeyPlace::Header => {
            fields.required("name", check)?;
            header("name", fields, check)?
        }
        KeyPlace::Query => fields.required_text("name", HEADER_BYTES, check)?.to_owned(),
    };
    Some(Auth::ApiKey { place, name, value: value? })
}

fn hmac(fields: &Fields<'_>, templates: &mut Templates<'_>, check: &mut Check) -> Option<Auth> {
    let key = secret("key", fields, templates, check);
    let algorithm = match fields.choice("algorithm", <HashAlgorithm as Named>::NAMES, "sha256", check) {
        "sha512" => HashAlgorithm::Sha512,
        _ => HashAlgorithm::Sha256,
    };
    let encoding = match fields.choice("encoding", <DigestEncoding as Named>::NAMES, "hex", check) {
        "base64" => DigestEncoding::Base64,
        _ => DigestEncoding::Hex,
    };
    let message = fields.required_text("message", HEADER_BYTES, check);
    if let Some(message) = message {
        templates.check(message, &fields.place("message"), SIGNED, check);
    }
    fields.required("header", check)?;
    let header_name = header("header", fields, check)?;
    let timestamp_header = match fields.get("timestampHeader") {
        Some(_) => Some(header("timestampHeader", fields, check)?),
        None => None,
    };
    if timestamp_header.as_ref().is_some_and(|other| other.eq_ignore_ascii_case(&header_name)) {
        check.fail(fields.place("timestampHeader"), RecordError::invalid("must not be the same as header"));
    }
    Some(Auth::Hmac {
        algorithm,
        key: key?,
        header: header_name,
        encoding,
        message: message?.to_owned(),
        timestamp_header,
    })
}

fn oauth(fields: &Fields<'_>, templates: &mut Templates<'_>, check: &mut Check) -> Option<Auth> {
    let authorization_url = server("authorizationUrl", fields, check);
    let token_url = server("tokenUrl", fields, check);
    let client_id = fields.required_text("clientId", HEADER_BYTES, check);
    let client_secret = match fields.get("clientSecret") {
        Some(_) => Some(secret("clientSecret", fields, templates, check)?),
        None => None,
    };
    if client_secret.as_ref().is_some_and(|text| secret_name(text).is_none()) {
        check.fail(fields.place("clientSecret"), RecordError::SecretExpected);
    }
    let scope = |text: &str| !text.is_empty() && text.bytes().all(|byte| (0x21..0x7f).contains(&byte));
    let scopes = fields.texts("scopes", LIST_LENGTH, scope, "must be a scope, without blanks", check);
    Some(Auth::Oauth2 {
        authorization_url: authorization_url?,
        token_url: token_url?,
        client_id: client_id?.to_owned(),
        client_secret,
        scopes,
    })
}

/// The secret that a template is, and nothing else.
pub(crate) fn secret_name(template: &str) -> Option<String> {
    match parse(template).ok()?.as_slice() {
        [Part::Hole(hole)] if hole.is_secret() => Some(hole.name.clone()),
        _ => None,
    }
}

/// The address of a server: no template, encrypted unless it is on this machine.
fn server(name: &str, fields: &Fields<'_>, check: &mut Check) -> Option<String> {
    let text = fields.required_text(name, URL_BYTES, check)?;
    let url = Url::parse(text).ok().filter(|url| {
        let is_open = url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
        is_open && (url.scheme() == "https" || (url.scheme() == "http" && is_loopback(url)))
    });
    match url {
        Some(url) => Some(url.into()),
        None => {
            check
                .fail(fields.place(name), RecordError::InvalidUrl { problem: "must be an https:// address" });
            None
        }
    }
}
