//! What the user says of a server, read and checked.

use super::error::ServerError;
use super::row::host_of;
use crate::http::ApiError;
use crate::secrets::MAX_VALUE;
use serde_json::Value;
use wire::json::{FieldError, Object};
use wire::secret::SecretText;

/// The longest name of a server.
const MAX_NAME: usize = 64;
/// Letters of a server's name in the names of its tools.
const MAX_KEY: usize = 32;
/// The longest address.
const MAX_URL: usize = 2_000;

/// What the user says of a new server.
pub(super) struct Given {
    pub(super) name: String,
    pub(super) key: String,
    pub(super) url: String,
    pub(super) allowed_tools: Option<Vec<String>>,
    pub(super) without_origin: bool,
    pub(super) client_id: Option<String>,
    pub(super) client_secret: Option<SecretText>,
    pub(super) client_metadata_url: Option<String>,
}

impl Given {
    pub(super) fn read(fields: &Object<'_>) -> Result<Self, ApiError> {
        match fields.text("transport")? {
            None | Some("http") => {}
            Some("stdio") => return Err(ServerError::StdioUnsupported.into()),
            Some(_) => return Err(ApiError::invalid("/transport", "must be http")),
        }
        let (name, key) = read_name(fields.required_word("name")?)?;
        Ok(Self {
            name,
            key,
            url: read_url(fields.required_word("url")?)?,
            allowed_tools: allowed_tools(fields)?,
            without_origin: fields.flag("withoutOrigin")?,
            client_id: fields.word("clientId")?.map(str::to_owned),
            client_secret: client_secret(fields)?,
            client_metadata_url: fields.word("clientMetadataUrl")?.map(read_url).transpose()?,
        })
    }
}

/// A name, and the same in snake_case: what stands before the names of the server's tools.
pub(super) fn read_name(name: &str) -> Result<(String, String), ApiError> {
    let mut key = String::new();
    for letter in name.chars() {
        match letter.to_ascii_lowercase() {
            letter @ ('a'..='z' | '0'..='9') => key.push(letter),
            _ if !key.is_empty() && !key.ends_with('_') => key.push('_'),
            _ => {}
        }
    }
    let key: String = key.trim_end_matches('_').chars().take(MAX_KEY).collect();
    let key = key.trim_end_matches('_').to_owned();
    let fits = name.chars().count() <= MAX_NAME && !name.chars().any(char::is_control);
    match fits && key.starts_with(|first: char| first.is_ascii_lowercase()) {
        true => Ok((name.to_owned(), key)),
        false => Err(ApiError::invalid("/name", "must begin with a letter from a to z, and have at most 64")),
    }
}

/// `https`, or `http` on this machine, without a user and a fragment.
pub(super) fn read_url(url: &str) -> Result<String, ApiError> {
    let local = |rest: &str| {
        let host = |host: &str| {
            rest.strip_prefix(host).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/']))
        };
        ["127.0.0.1", "localhost", "[::1]"].into_iter().any(host)
    };
    let scheme = match url.split_once("://") {
        Some(("https", _)) => true,
        Some(("http", rest)) => local(rest),
        _ => false,
    };
    let host = host_of(url);
    let clean = url.chars().all(|letter| letter.is_ascii_graphic() && !matches!(letter, '\\' | '#'));
    match scheme && clean && !host.is_empty() && !host.contains('@') && url.len() <= MAX_URL {
        true => Ok(url.to_owned()),
        false => Err(ApiError::invalid("/url", "must be an https:// address, or http:// on this machine")),
    }
}

pub(super) fn allowed_tools(fields: &Object<'_>) -> Result<Option<Vec<String>>, FieldError> {
    if fields.get("allowedTools").is_none() {
        return Ok(None);
    }
    let names = fields.array("allowedTools")?;
    let name = |(place, name): (usize, &Value)| match name.as_str() {
        Some(name) if !name.is_empty() && name.len() <= 128 => Ok(name.to_owned()),
        _ => Err(FieldError::rule(fields.element("allowedTools", place), "must be the name of a tool")),
    };
    names.iter().enumerate().map(name).collect::<Result<_, _>>().map(Some)
}

pub(super) fn client_secret(fields: &Object<'_>) -> Result<Option<SecretText>, ApiError> {
    match fields.secret("clientSecret")? {
        Some(secret) if secret.is_empty() || secret.expose().len() > MAX_VALUE => {
            Err(ApiError::invalid("/clientSecret", "must have from 1 to 16384 bytes"))
        }
        secret => Ok(secret),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// M5: tools are named by the user's name for the server.
    #[test]
    fn names() {
        let key = |name: &str| read_name(name).ok().map(|(_, key)| key);
        for (name, expected) in
            [("GitHub Tools", "github_tools"), ("  a--b  ", "a_b"), ("Server 2", "server_2"), ("x!!", "x")]
        {
            assert_eq!(key(name.trim()).as_deref(), Some(expected), "{name}");
        }
        for name in ["", "!!", "2 fast", "日本", &"x".repeat(65)] {
            assert_eq!(key(name), None, "{name}");
        }
        assert_eq!(key(&"x".repeat(64)).map(|key| key.len()), Some(MAX_KEY));
    }

    /// T004-70: addresses of Streamable HTTP.
    #[test]
    fn addresses() {
        for url in [
            "https://mcp.example/mcp",
            "http://127.0.0.1:38471/mcp",
            "http://localhost/",
            "http://[::1]:1/x?y=1",
        ] {
            assert_eq!(read_url(url).ok().as_deref(), Some(url));
        }
        for url in [
            "http://mcp.example/",
            "ftp://a/",
            "https://",
            "https://u@a.example/",
            "https://a.example/#x",
            "stdio:ls",
            "http://127.0.0.1.evil.example/",
            "https://a.example/a b",
            "https://a.example\\@b/",
        ] {
            assert!(read_url(url).is_err(), "{url}");
        }
    }
}
