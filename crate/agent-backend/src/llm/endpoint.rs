//! Where the model is, which API it speaks, and its key.

use axum::http::Uri;
use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

/// The API of a model's server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Api {
    /// Chat completions: OpenAI, Ollama, llama.cpp, vLLM, LM Studio and many more.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
}

impl FromStr for Api {
    type Err = EndpointError;

    fn from_str(name: &str) -> Result<Self, EndpointError> {
        match name {
            "openai" => Ok(Self::OpenAi),
            "anthropic" => Ok(Self::Anthropic),
            _ => Err(EndpointError::Api(name.to_owned())),
        }
    }
}

/// Why a URL is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    /// It cannot be parsed, or has no host.
    #[error("`{0}` is not a URL of http or https")]
    Url(String),
    /// Neither `openai` nor `anthropic`.
    #[error("`{0}` is no API; there are openai and anthropic")]
    Api(String),
    /// The URL carries a name or password, which would be shown wherever the URL is.
    #[error("the URL must not contain a name or password; the key comes from COUNTERSIGN_LLM_KEY")]
    Credentials,
    /// Words and key would travel in the open.
    #[error("`{0}` is not of this machine or network: use https")]
    Unencrypted(String),
}

/// The URL to which requests are posted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// The API.
    pub api: Api,
    /// The whole URL.
    pub url: String,
    host: String,
}

impl Endpoint {
    /// The endpoint of a base URL, with or without `/v1`, or of the whole one. The API follows from the URL if not given.
    pub fn new(url: &str, api: Option<Api>) -> Result<Self, EndpointError> {
        let wrong = || EndpointError::Url(url.to_owned());
        let uri = Uri::from_str(url.trim()).map_err(|_| wrong())?;
        let scheme =
            uri.scheme_str().filter(|scheme| matches!(*scheme, "http" | "https")).ok_or_else(wrong)?;
        let authority = uri.authority().ok_or_else(wrong)?;
        if authority.as_str().contains('@') {
            return Err(EndpointError::Credentials);
        }
        let host = authority.host().to_ascii_lowercase();
        if scheme == "http" && !is_near(&host) {
            return Err(EndpointError::Unencrypted(host));
        }
        let path = uri.path().trim_end_matches('/');
        let api = api.unwrap_or_else(|| {
            let anthropic = path.ends_with("/v1/messages") || host == "api.anthropic.com";
            if anthropic { Api::Anthropic } else { Api::OpenAi }
        });
        let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
        Ok(Self { api, url: format!("{scheme}://{authority}{}{query}", whole(path, api)), host })
    }

    /// Whether it is one of the provider's own servers: a key named after a provider goes nowhere else.
    fn is_of_provider(&self) -> bool {
        match self.api {
            Api::OpenAi => self.host == "api.openai.com",
            Api::Anthropic => self.host == "api.anthropic.com",
        }
    }

    /// OpenAI's own servers name the bound of an answer differently.
    pub(super) fn is_openai(&self) -> bool {
        self.api == Api::OpenAi && self.is_of_provider()
    }
}

/// The path of requests: what the base URL lacks is added.
fn whole(path: &str, api: Api) -> String {
    let last = match api {
        Api::OpenAi => "/chat/completions",
        Api::Anthropic => "/messages",
    };
    let is_version = |part: &str| {
        part.strip_prefix('v').is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
    };
    if path.ends_with(last) {
        path.to_owned()
    } else if path.split('/').any(is_version) {
        format!("{path}{last}")
    } else {
        format!("{path}/v1{last}")
    }
}

/// Whether a host is this machine, or of the network around it.
fn is_near(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    match bare.parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) => address.is_loopback() || address.is_private() || address.is_link_local(),
        Ok(IpAddr::V6(address)) => {
            address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local()
        }
        Err(_) => {
            !host.contains('.') || [".local", ".localhost", ".internal"].iter().any(|end| host.ends_with(end))
        }
    }
}

/// A model's key. It is sent to the endpoint and shown nowhere.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// A key.
    pub fn new(key: impl Into<String>) -> Self {
        Self(key.into())
    }

    /// The key for an endpoint from the environment: `COUNTERSIGN_LLM_KEY`, or the provider's own variable for the
    /// provider's own servers.
    pub fn of(endpoint: &Endpoint, variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let own = match endpoint.api {
            Api::OpenAi => "OPENAI_API_KEY",
            Api::Anthropic => "ANTHROPIC_API_KEY",
        };
        let names = ["COUNTERSIGN_LLM_KEY"].into_iter().chain(endpoint.is_of_provider().then_some(own));
        names.filter_map(variable).map(|key| key.trim().to_owned()).find(|key| !key.is_empty()).map(Self)
    }

    pub(super) fn secret(&self) -> &str {
        &self.0
    }

    /// A text without the key, should a server repeat it.
    pub(super) fn hidden(&self, text: &str) -> String {
        text.replace(&self.0, "(key)")
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Key(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls() {
        for (url, whole, api) in [
            ("http://127.0.0.1:11434", "http://127.0.0.1:11434/v1/chat/completions", Api::OpenAi),
            ("http://localhost:1234/v1/", "http://localhost:1234/v1/chat/completions", Api::OpenAi),
            ("http://[::1]:8080", "http://[::1]:8080/v1/chat/completions", Api::OpenAi),
            ("https://api.openai.com", "https://api.openai.com/v1/chat/completions", Api::OpenAi),
            ("https://a.example/openai", "https://a.example/openai/v1/chat/completions", Api::OpenAi),
            (
                "https://a.example/v1beta/openai",
                "https://a.example/v1beta/openai/chat/completions",
                Api::OpenAi,
            ),
            (
                "https://a.example/x/chat/completions?v=1",
                "https://a.example/x/chat/completions?v=1",
                Api::OpenAi,
            ),
            ("https://api.anthropic.com", "https://api.anthropic.com/v1/messages", Api::Anthropic),
            ("https://a.example/v1/messages", "https://a.example/v1/messages", Api::Anthropic),
        ] {
            let endpoint = Endpoint::new(url, None).unwrap();
            assert_eq!((endpoint.url.as_str(), endpoint.api), (whole, api), "{url}");
        }
        let said = Endpoint::new("http://10.0.0.2:80/v1", Some(Api::Anthropic)).unwrap();
        assert_eq!(said.url, "http://10.0.0.2:80/v1/messages");
    }

    #[test]
    fn refused_urls() {
        for (url, says) in [
            ("localhost", "not a URL"),
            ("ftp://a", "not a URL"),
            ("https://user:pass@a.example", "must not contain"),
            ("http://a.example", "https"),
            ("http://93.184.216.34", "https"),
        ] {
            let error = Endpoint::new(url, None).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }

    /// A provider's variable is used for the provider's own servers and nowhere else; no key is shown.
    #[test]
    fn keys() {
        let of = |url: &str, have: &[(&str, &str)]| {
            let endpoint = Endpoint::new(url, None).unwrap();
            let have: Vec<(String, String)> = have.iter().map(|(a, b)| ((*a).into(), (*b).into())).collect();
            Key::of(&endpoint, |name| {
                have.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone())
            })
        };
        let all = [("OPENAI_API_KEY", "o"), ("ANTHROPIC_API_KEY", "a")];
        assert_eq!(of("https://api.openai.com", &all), Some(Key::new("o")));
        assert_eq!(of("https://api.anthropic.com", &all), Some(Key::new("a")));
        assert_eq!(of("http://localhost:11434", &all), None);
        assert_eq!(of("https://a.example", &[("COUNTERSIGN_LLM_KEY", " c\n"), all[0]]), Some(Key::new("c")));
        assert_eq!(of("https://a.example", &[("COUNTERSIGN_LLM_KEY", "")]), None);
        assert_eq!(format!("{:?}", Key::new("secret")), "Key(…)");
        assert_eq!(Key::new("secret").hidden("wrong key secret!"), "wrong key (key)!");
    }
}
