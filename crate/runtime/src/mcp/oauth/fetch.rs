//! Reads documents of servers: small ones, within a bounded time, without following anything.

use super::AuthError;
use super::address::Address;
use crate::Core;
use crate::agent::within;
use crate::ports::{NetError, NetRequest};
use crate::secrets::tokens::read;
use serde_json::{Map, Value};
use wire::api::Millis;
use wire::secret::SecretText;

/// How long one answer may take.
const TIMEOUT: Millis = 15_000;
/// How long all of them may take.
const TOGETHER: Millis = 60_000;
/// The largest document, in bytes.
const MAX_DOCUMENT: usize = 256 * 1024;

/// The requests that find out how to sign in.
pub(super) struct Fetch<'a> {
    core: &'a Core,
    ends_at: Millis,
}

/// What is at an address.
pub(super) enum Fetched {
    /// A document.
    Document(Map<String, Value>),
    /// None, as the host says.
    Absent,
    /// That is not known: there was no answer, or one that says nothing.
    Unknown,
}

impl<'a> Fetch<'a> {
    pub(super) fn new(core: &'a Core) -> Self {
        Self { core, ends_at: core.ports.host.monotonic() + TOGETHER }
    }

    /// The document at an address.
    pub(super) async fn document(&self, url: String) -> Fetched {
        let accept = ("Accept".to_owned(), "application/json".to_owned());
        match self.send(NetRequest::json(url, vec![accept], None)).await {
            Ok((200, text)) => match wire::json::parse(text.expose()) {
                Ok(Value::Object(fields)) => Fetched::Document(fields),
                // Many a server shows a page at every address.
                _ => Fetched::Absent,
            },
            Ok((status, _)) if status >= 500 || status == 429 => Fetched::Unknown,
            Ok(_) => Fetched::Absent,
            Err(error) if error.is_redirect() => Fetched::Absent,
            Err(_) => Fetched::Unknown,
        }
    }

    /// Posts a document; the status and the answer's text.
    pub(super) async fn post(&self, to: &Address<'_>, body: String) -> Result<(u16, SecretText), AuthError> {
        let accept = ("Accept".to_owned(), "application/json".to_owned());
        let request = NetRequest::json(to.text().to_owned(), vec![accept], Some(body));
        let sent = self.send(request).await;
        sent.map_err(|_| AuthError::Unreachable { origin: to.origin().to_owned() })
    }

    async fn send(&self, request: NetRequest) -> Result<(u16, SecretText), NetError> {
        let host = &*self.core.ports.host;
        let left = self.ends_at.saturating_sub(host.monotonic()).min(TIMEOUT);
        let answer = async {
            let response = self.core.ports.net.send(request).await?;
            let status = response.status;
            Ok((status, read(response, MAX_DOCUMENT).await?))
        };
        within(host, left, answer).await
    }
}
