//! T002-84: a tool from a `curl` command.
//!
//! What looks like a secret does not stay in the tool: it is replaced by a placeholder, and the person is told its name.

mod secrets;
mod words;

pub(crate) use secrets::is_secret;

use crate::bounds::CURL_BYTES;
use crate::record::{BodyKind, body_kind, is_header};
use derive::Code;
use secrets::{Found, Secrets};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use url::Url;
use wire::toolbox::Reply;

/// Why a command is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Code)]
pub(crate) enum CurlError {
    /// Longer than anything that is typed or copied.
    #[error("the command is too long")]
    #[code("invalid_command")]
    TooLong,
    /// A quote without an end.
    #[error("a quote is not closed")]
    #[code("invalid_command")]
    Unclosed,
    /// A pipe, a redirection, a second command.
    #[error("only one curl command can be read, without pipes or redirections")]
    #[code("invalid_command")]
    NotOneCommand,
    /// Another program.
    #[error("the command does not begin with curl")]
    #[code("invalid_command")]
    NotCurl,
    /// An option without its value.
    #[error("{option} has no value")]
    #[code("invalid_command")]
    NoValue {
        /// The option.
        option: String,
    },
    /// An option that a tool cannot have.
    #[error("a tool cannot do what {option} asks for")]
    #[code("invalid_command")]
    Unsupported {
        /// The option.
        option: String,
    },
    /// No address, or one that is none.
    #[error("the command has no address that can be read")]
    #[code("invalid_command")]
    NoAddress,
}

/// A command that was read.
#[derive(Debug, Default)]
struct Command {
    method: Option<String>,
    url: Option<String>,
    headers: Vec<(String, String)>,
    data: Vec<String>,
    is_json: bool,
    /// The data go into the query.
    get: bool,
    head: bool,
    user: Option<String>,
    timeout_ms: Option<u64>,
    retries: Option<u64>,
    notes: Vec<String>,
}

/// Options without a value that change nothing for a tool.
const IGNORED: &[&str] = &[
    "--compressed",
    "--silent",
    "-s",
    "--show-error",
    "-S",
    "--verbose",
    "-v",
    "--globoff",
    "-g",
    "--fail",
    "-f",
    "--http1.1",
    "--http2",
    "--no-buffer",
    "-N",
    "--include",
    "-i",
    "--fail-with-body",
    "--no-progress-meter",
    "-sS",
    "-sSL",
    "-sL",
    "-#",
];
/// Options with a value that change nothing for a tool.
const IGNORED_WITH_VALUE: &[&str] =
    &["-o", "--output", "-w", "--write-out", "--connect-timeout", "--retry-delay"];

/// Makes a tool of a command.
pub(crate) fn draft(line: &str) -> Result<Reply, CurlError> {
    if line.len() > CURL_BYTES {
        return Err(CurlError::TooLong);
    }
    let mut words = words::words(line)?.into_iter();
    if words.next().as_deref() != Some("curl") {
        return Err(CurlError::NotCurl);
    }
    let mut command = Command::default();
    while let Some(word) = words.next() {
        let (option, joined) = option(&word);
        let mut value = || {
            let value = joined.map(str::to_owned).or_else(|| words.next());
            value.ok_or_else(|| CurlError::NoValue { option: option.to_owned() })
        };
        read(&mut command, option, &mut value)?;
    }
    tool(command)
}

/// An option and the value that is part of its word: `--data=x`, `-Xx`.
fn option(word: &str) -> (&str, Option<&str>) {
    let short = |word: &str| {
        word.starts_with('-') && !word.starts_with("--") && word.len() > 2 && !IGNORED.contains(&word)
    };
    match word.split_once('=') {
        Some((option, value)) if option.starts_with("--") => (option, Some(value)),
        _ if short(word) => match word.split_at_checked(2) {
            Some((option, value))
                if !option.ends_with(['s', 'S', 'L', 'k', 'v', 'i', 'f', 'g', 'N', 'G', 'I']) =>
            {
                (option, Some(value))
            }
            _ => (word, None),
        },
        _ => (word, None),
    }
}

fn read(
    command: &mut Command,
    option: &str,
    value: &mut dyn FnMut() -> Result<String, CurlError>,
) -> Result<(), CurlError> {
    let unsupported = || CurlError::Unsupported { option: option.to_owned() };
    match option {
        "-X" | "--request" => command.method = Some(value()?.to_ascii_uppercase()),
        "-H" | "--header" => {
            let header = value()?;
            if let Some((name, value)) = header.split_once(':') {
                command.headers.push((name.trim().to_owned(), value.trim().to_owned()));
            }
        }
        "-d" | "--data" | "--data-ascii" | "--data-binary" => {
            let data = value()?;
            if data.starts_with('@') {
                return Err(CurlError::Unsupported { option: format!("{option} {data}") });
            }
            command.data.push(data);
        }
        "--data-raw" => command.data.push(value()?),
        "--data-urlencode" => {
            let data = value()?;
            if data.starts_with('@') {
                return Err(CurlError::Unsupported { option: format!("{option} {data}") });
            }
            let encoded = match data.split_once('=') {
                Some(("", value)) => encode(value),
                Some((name, value)) => format!("{name}={}", encode(value)),
                None => encode(&data),
            };
            command.data.push(encoded);
        }
        "--json" => {
            command.data.push(value()?);
            command.is_json = true;
        }
        "-G" | "--get" => command.get = true,
        "-I" | "--head" => command.head = true,
        "-u" | "--user" => command.user = Some(value()?),
        "-A" | "--user-agent" => {
            value()?;
            command.notes.push("the User-Agent was left out: the browser sends its own".to_owned());
        }
        "-b" | "--cookie" => {
            value()?;
            command.notes.push("cookies were left out: a tool sends none".to_owned());
        }
        "-e" | "--referer" => {
            value()?;
            command.notes.push("the Referer was left out: the browser sets it".to_owned());
        }
        "-m" | "--max-time" => {
            let seconds = value()?.parse::<f64>().ok().filter(|seconds| (0.001..300.0).contains(seconds));
            command.timeout_ms = seconds.map(|seconds| (seconds * 1000.0) as u64);
        }
        "--retry" => command.retries = value()?.parse().ok().filter(|retries| *retries <= 10),
        "--url" => command.url = Some(value()?),
        "-L" | "--location" => command.notes.push("redirects are not followed".to_owned()),
        "-k" | "--insecure" => command.notes.push("certificates are always checked".to_owned()),
        "--" => {}
        ignored if IGNORED.contains(&ignored) => {}
        ignored if IGNORED_WITH_VALUE.contains(&ignored) => drop(value()?),
        other if other.starts_with('-') => return Err(unsupported()),
        _ if command.url.is_some() => return Err(CurlError::NotOneCommand),
        address => command.url = Some(address.to_owned()),
    }
    Ok(())
}

fn encode(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// A text in which nothing is a placeholder.
fn literal(text: &str) -> String {
    text.replace("${", "$${")
}

fn tool(mut command: Command) -> Result<Reply, CurlError> {
    let given = command.url.take().ok_or(CurlError::NoAddress)?;
    let given = if given.contains("://") { given } else { format!("https://{given}") };
    let mut url = Url::parse(&given).map_err(|_| CurlError::NoAddress)?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(CurlError::NoAddress);
    }
    url.set_fragment(None);
    let body = command.data.join(if command.is_json { "" } else { "&" });
    if command.get && !body.is_empty() {
        let query = [url.query().unwrap_or_default(), &body].join("&");
        url.set_query(Some(query.trim_start_matches('&')));
    }
    let body = if command.get { String::new() } else { body };
    let by_body = if body.is_empty() { "GET" } else { "POST" };
    let method = command.method.unwrap_or_else(|| if command.head { "HEAD" } else { by_body }.to_owned());
    let mut secrets = Secrets::of(&url);
    let user = command.user.take().or_else(|| user_of(&url));
    let (_, _) = (url.set_username(""), url.set_password(None));
    let mut auth = user.map(|user| secrets.basic(&user));
    let mut headers = BTreeMap::new();
    for (name, value) in &command.headers {
        match secrets.header(name, value) {
            Some(found) if auth.is_none() => auth = Some(found.auth),
            Some(Found { template: Some(template), .. }) => drop(headers.insert(name.clone(), template)),
            Some(_) => command.notes.push(format!("a second way to show who asks was left out: {name}")),
            None if is_header(name) => drop(headers.insert(name.clone(), literal(value))),
            None => command.notes.push(format!("{name} was left out: the browser sets it")),
        }
    }
    if command.is_json {
        headers.entry("Content-Type".to_owned()).or_insert_with(|| "application/json".to_owned());
    } else if !body.is_empty() && !headers.keys().any(|name| name.eq_ignore_ascii_case("content-type")) {
        // What curl itself says, unless the text can be nothing but JSON.
        let kind =
            if looks_like_json(&body) { "application/json" } else { "application/x-www-form-urlencoded" };
        headers.insert("Content-Type".to_owned(), kind.to_owned());
    }
    let body = match body_kind(&headers, &body) {
        BodyKind::Json => secrets.json(&body),
        BodyKind::Form => secrets.pairs(&body),
        BodyKind::Text => literal(&body),
    };
    let url_template = secrets.address(&url);
    let mut block = Map::new();
    block.insert("method".to_owned(), method.clone().into());
    block.insert("urlTemplate".to_owned(), url_template.into());
    block.insert(
        "headers".to_owned(),
        headers.into_iter().map(|(name, value)| (name, Value::from(value))).collect(),
    );
    block.insert("bodyTemplate".to_owned(), body.into());
    for (name, value) in [("timeoutMs", command.timeout_ms), ("maxRetries", command.retries)] {
        block.extend(value.map(|value| (name.to_owned(), value.into())));
    }
    block.extend(auth.map(|auth| ("auth".to_owned(), auth)));
    let title = format!("{method} {}{}", url.host_str().unwrap_or_default(), url.path());
    let mut tool = Map::new();
    tool.insert("displayName".to_owned(), title.chars().take(120).collect::<String>().into());
    tool.insert("type".to_owned(), "http".into());
    tool.insert(
        "argSchema".to_owned(),
        json!({ "type": "object", "properties": {}, "additionalProperties": false }),
    );
    tool.insert("impl".to_owned(), block.into());
    Ok(Reply::Draft { tool, secrets: secrets.names(), notes: command.notes })
}

fn looks_like_json(body: &str) -> bool {
    body.trim_start().starts_with(['{', '[']) && serde_json::from_str::<Value>(body).is_ok()
}

/// A user and a password in the address, decoded.
fn user_of(url: &Url) -> Option<String> {
    let decode = |text: &str| percent_decode(text);
    let user = decode(url.username());
    let password = url.password().map(decode);
    match (user.as_str(), password) {
        ("", None) => None,
        (user, password) => Some(format!("{user}:{}", password.unwrap_or_default())),
    }
}

fn percent_decode(text: &str) -> String {
    let pair = format!("x={}", text.replace('+', "%2B"));
    let decoded = url::form_urlencoded::parse(pair.as_bytes()).next();
    decoded.map(|(_, value)| value.into_owned()).unwrap_or_default()
}
