//! The way to a server: its era found out and remembered, sessions opened, requests sent with what each era wants.

use super::SERVERS;
use super::error::McpError;
use super::oauth::{self, Bearer, Challenge};
use super::protocol::era::{self, Era, MODERN, Probe, Session};
use super::protocol::header::encoded;
use super::protocol::message::{self, Incoming, RpcError};
use super::row::ServerRow;
use super::stream::{Messages, Next, text_of};
use crate::Core;
use crate::ports::{NetRequest, NetResponse};
use crate::store::{self, Batch, Durability, Stored};
use crate::tool::{Client, ClientError};
use serde_json::{Map, Value};
use std::rc::Rc;
use wire::event::Event;

/// How often a row is written again because it changed meanwhile.
const MAX_CONFLICTS: u32 = 20;

/// A request to a server.
pub(super) struct Outgoing {
    /// Ours, never used twice.
    pub(super) id: String,
    pub(super) method: &'static str,
    pub(super) params: Map<String, Value>,
    /// The tool, for `Mcp-Name`.
    pub(super) name: Option<String>,
    /// Arguments in headers.
    pub(super) headers: Vec<(String, String)>,
}

/// The way to a server.
pub(super) struct Link<'a> {
    pub(super) core: &'a Rc<Core>,
    pub(super) server: ServerRow,
    /// The call that it is for: its password may have been given.
    call_id: Option<&'a str>,
    /// The token of the last request.
    token: Option<Bearer>,
    /// The stream of HTTP+SSE and where messages go.
    pub(super) sse: Option<(Messages, String)>,
    endpoint: Option<String>,
}

/// What HTTP said beside an answer.
pub(super) struct Posted {
    pub(super) status: u16,
    pub(super) session: Option<String>,
    pub(super) messages: Messages,
}

impl<'a> Link<'a> {
    pub(super) fn new(core: &'a Rc<Core>, server: ServerRow, call_id: Option<&'a str>) -> Self {
        Self { core, server, call_id, token: None, sse: None, endpoint: None }
    }

    /// A text of the server's, in which the token is not left: a server may repeat what it was sent.
    pub(super) fn masked(&self, value: Value) -> Value {
        let Some(token) = &self.token else { return value };
        serde_json::from_str(&token.masked(value.to_string())).unwrap_or_default()
    }

    /// Changes the server's row, on disk and here.
    pub(super) async fn save(&mut self, change: impl Fn(&mut ServerRow)) -> Result<(), McpError> {
        self.server = save(self.core, &self.server.id, change).await?.ok_or(McpError::ServerGone)?;
        Ok(())
    }

    async fn save_era(&mut self, era: Option<Era>) -> Result<(), McpError> {
        self.save(|server| server.era.clone_from(&era)).await
    }

    /// Finds out what the server speaks, and opens a session where it needs one.
    pub(super) async fn connect(&mut self) -> Result<(), McpError> {
        if self.server.era.is_none() {
            self.probe().await?;
        }
        match &self.server.era {
            Some(Era::Legacy { session: None }) => self.open_session().await,
            Some(Era::Sse) if self.sse.is_none() => self.open_stream().await,
            _ => Ok(()),
        }
    }

    /// Sends a modern request: its answer says what the server speaks.
    async fn probe(&mut self) -> Result<(), McpError> {
        let request = self.outgoing("server/discover", Map::new());
        let id = request.id.clone();
        self.server.era = Some(Era::Modern);
        let answer = match self.post_request(&request).await {
            Ok(posted) => {
                let (status, mut messages) = (posted.status, posted.messages);
                (status, answer_of(&mut messages, &id).await?)
            }
            Err(McpError::Rpc { status, code, message, data }) => {
                (status, Some(Err(RpcError { code, message, data })))
            }
            Err(McpError::Status { status }) if (400..500).contains(&status) => (status, None),
            Err(McpError::SessionLost) => (404, None),
            Err(error) => {
                self.server.era = None;
                return Err(error);
            }
        };
        let (status, outcome) = answer;
        match era::judge(status, outcome.as_ref()) {
            Probe::Modern => {
                let info = outcome.and_then(Result::ok).and_then(|result| era::server_info(&result));
                self.save(|server| {
                    server.era = Some(Era::Modern);
                    server.server_info.clone_from(&info);
                })
                .await
            }
            Probe::Legacy => self.save_era(Some(Era::Legacy { session: None })).await,
            Probe::Unsupported => {
                self.server.era = None;
                Err(McpError::UnsupportedVersion)
            }
        }
    }

    /// The handshake of the legacy era.
    async fn open_session(&mut self) -> Result<(), McpError> {
        let request = self.outgoing("initialize", era::initialize(self.core.version()));
        let mut posted = match self.post_request(&request).await {
            Ok(posted) => posted,
            Err(
                McpError::Status { status: 400 | 404 | 405 } | McpError::Rpc { status: 400 | 404 | 405, .. },
            ) => {
                self.open_stream().await?;
                return self.save_era(Some(Era::Sse)).await;
            }
            Err(error) => return Err(error),
        };
        let result = match answer_of(&mut posted.messages, &request.id).await? {
            Some(Ok(result)) => result,
            Some(Err(error)) => return Err(rpc(posted.status, error)),
            None => return Err(McpError::invalid("no answer to initialize")),
        };
        let version = era::negotiated(&result).ok_or(McpError::UnsupportedVersion)?;
        let id = match posted.session.as_deref() {
            Some(id) => Some(era::session_id(id).ok_or_else(|| McpError::invalid("the session's id"))?),
            None => None,
        };
        let session = Session { id, version };
        let info = era::server_info(&result);
        self.save(|server| {
            server.era = Some(Era::Legacy { session: Some(session.clone()) });
            server.server_info.clone_from(&info);
        })
        .await?;
        self.post_message(&message::notification("notifications/initialized", Map::new())).await
    }

    /// HTTP+SSE of 2024: the stream comes first, and says where messages go.
    async fn open_stream(&mut self) -> Result<(), McpError> {
        let response = self.send("GET", &self.server.url.clone(), None, &[]).await?;
        let mut messages = Messages::of(response);
        if !messages.is_stream() {
            return Err(McpError::UnsupportedVersion);
        }
        let place = messages.endpoint().await?.ok_or(McpError::UnsupportedVersion)?;
        let place = resolved(&self.server.url, &place)
            .ok_or_else(|| McpError::invalid("the endpoint is elsewhere"))?;
        self.endpoint = Some(place.clone());
        self.sse = Some((messages, place));
        let request = self.outgoing("initialize", era::initialize(self.core.version()));
        self.post_request(&request).await?;
        let Some((messages, _)) = &mut self.sse else { return Err(McpError::UnsupportedVersion) };
        match answer_of(messages, &request.id).await? {
            Some(Ok(result)) => era::negotiated(&result).ok_or(McpError::UnsupportedVersion)?,
            Some(Err(error)) => return Err(rpc(200, error)),
            None => return Err(McpError::invalid("no answer to initialize")),
        };
        self.post_message(&message::notification("notifications/initialized", Map::new())).await
    }

    /// A request of ours with an id of its own.
    pub(super) fn outgoing(&self, method: &'static str, params: Map<String, Value>) -> Outgoing {
        Outgoing { id: self.core.ids.next(), method, params, name: None, headers: Vec::new() }
    }

    /// Sends a request in the way of the era. Where the session or the era is not what it was, the request was not executed:
    /// it is sent once more, in another session or era (M15).
    pub(super) async fn request(&mut self, request: &Outgoing) -> Result<Posted, McpError> {
        let mut again = true;
        loop {
            self.connect().await?;
            match self.post_request(request).await {
                Err(error) if again && self.is_other_era(&error) => {
                    again = false;
                    self.sse = None;
                    let legacy = matches!(error, McpError::SessionLost);
                    self.save_era(legacy.then_some(Era::Legacy { session: None })).await?;
                }
                other => return other,
            }
        }
    }

    /// Whether a refusal says that the session is gone, or that the server speaks another era by now.
    fn is_other_era(&self, error: &McpError) -> bool {
        match (error, &self.server.era) {
            (McpError::SessionLost, _) => true,
            (McpError::Status { status: 400 | 404 | 405 | 406 | 415 | 426 }, Some(_)) => true,
            (McpError::Rpc { status: 400, code, .. }, Some(Era::Modern)) => !matches!(
                *code,
                RpcError::HEADER_MISMATCH | RpcError::MISSING_CAPABILITY | RpcError::INVALID_PARAMS
            ),
            (McpError::Rpc { status: 400, code, .. }, Some(_)) => {
                matches!(*code, RpcError::HEADER_MISMATCH | RpcError::UNSUPPORTED_VERSION)
            }
            _ => false,
        }
    }

    /// Posts a request.
    async fn post_request(&mut self, request: &Outgoing) -> Result<Posted, McpError> {
        let Outgoing { id, method, params, name, headers } = request;
        let (params, mut own) = match &self.server.era {
            Some(Era::Modern) => {
                let mut own = vec![
                    ("MCP-Protocol-Version".to_owned(), MODERN.to_owned()),
                    ("Mcp-Method".to_owned(), (*method).to_owned()),
                ];
                own.extend(name.as_ref().map(|name| ("Mcp-Name".to_owned(), encoded(name))));
                own.extend(headers.iter().cloned());
                (era::with_meta(params.clone(), self.core.version()), own)
            }
            _ => (params.clone(), Vec::new()),
        };
        if *method != "initialize" {
            own.extend(self.session_headers());
        }
        let message = message::request(id, method, params);
        let place = self.place();
        let response = self.send("POST", &place, Some(message.to_string()), &own).await?;
        let session = response.header("mcp-session-id").map(str::to_owned);
        Ok(Posted { status: response.status, session, messages: Messages::of(response) })
    }

    /// Posts what has no answer: a notification, or an answer of ours.
    pub(super) async fn post_message(&mut self, message: &Value) -> Result<(), McpError> {
        let (headers, place) = (self.session_headers(), self.place());
        self.send("POST", &place, Some(message.to_string()), &headers).await.map(drop)
    }

    /// Takes a stream up again after an event.
    pub(super) async fn resume(&mut self, last_event: &str) -> Result<Messages, McpError> {
        let mut headers = self.session_headers();
        headers.push(("Last-Event-ID".to_owned(), last_event.to_owned()));
        let response = self.send("GET", &self.server.url.clone(), None, &headers).await?;
        let messages = Messages::of(response);
        match messages.is_stream() {
            true => Ok(messages),
            false => Err(McpError::invalid("the stream is not taken up again")),
        }
    }

    /// Keeps the stream of HTTP+SSE for the next request.
    pub(super) fn keep_stream(&mut self, messages: Messages) {
        if let Some(place) = self.endpoint.clone() {
            self.sse = Some((messages, place));
        }
    }

    /// Where messages go.
    fn place(&self) -> String {
        let endpoint = self.endpoint.as_ref().filter(|_| matches!(self.server.era, Some(Era::Sse)));
        let endpoint = self.sse.as_ref().map(|(_, place)| place).or(endpoint);
        endpoint.unwrap_or(&self.server.url).clone()
    }

    fn session(&self) -> Option<&Session> {
        match &self.server.era {
            Some(Era::Legacy { session }) => session.as_ref(),
            _ => None,
        }
    }

    fn session_headers(&self) -> Vec<(String, String)> {
        let Some(Session { id, version }) = self.session() else { return Vec::new() };
        let version = ("MCP-Protocol-Version".to_owned(), version.clone());
        let id = id.as_ref().map(|id| ("Mcp-Session-Id".to_owned(), id.clone()));
        std::iter::once(version).chain(id).collect()
    }

    /// Sends, with the token where there is one; with another token once, where that is wanted. Gives a success.
    async fn send(
        &mut self,
        method: &str,
        url: &str,
        body: Option<String>,
        headers: &[(String, String)],
    ) -> Result<NetResponse, McpError> {
        let auth = self.server.auth();
        let mut again = false;
        self.token = oauth::bearer(self.core, &auth, self.call_id).await?;
        loop {
            let request = self.net_request(method, url, body.clone(), headers);
            let client = Client::new(self.core, vec![self.server.host().to_owned()]);
            let response = match client.send(request).await {
                Ok(response) => response,
                Err(ClientError::Unreachable(error)) => return Err(error.into()),
                Err(ClientError::HostNotAllowed) => return Err(McpError::invalid("it is on another host")),
            };
            if (200..300).contains(&response.status) {
                return Ok(response);
            }
            match self.refusal(response).await? {
                Refused::For(error) => return Err(error),
                Refused::Unauthorized(asked) => {
                    let refused = self.token.take();
                    let whose = (&auth, self.call_id);
                    self.token = Some(oauth::renewed(self.core, whose, refused, (&asked, again)).await?);
                    again = true;
                }
            }
        }
    }

    fn net_request(
        &self,
        method: &str,
        url: &str,
        body: Option<String>,
        own: &[(String, String)],
    ) -> NetRequest {
        let accept = if body.is_some() { "application/json, text/event-stream" } else { "text/event-stream" };
        let mut headers = vec![("Accept".to_owned(), accept.to_owned())];
        if body.is_some() {
            headers.push(("Content-Type".to_owned(), "application/json".to_owned()));
        }
        headers.extend_from_slice(own);
        headers.extend(self.token.as_ref().and_then(Bearer::header));
        NetRequest { method: method.to_owned(), url: url.to_owned(), headers, body }
    }

    /// What a status that is no success says.
    async fn refusal(&self, mut response: NetResponse) -> Result<Refused, McpError> {
        let status = response.status;
        let www_authenticate = response.header("www-authenticate").map(str::to_owned);
        let text = text_of(response.body.as_mut()).await.unwrap_or_default();
        let lower = text.to_lowercase();
        let has_session = self.session().is_some_and(|session| session.id.is_some());
        let wants_scope = www_authenticate.as_deref().is_some_and(|text| text.contains("insufficient_scope"));
        if status == 401 || status == 403 && wants_scope {
            return Ok(Refused::Unauthorized(Challenge { status, www_authenticate }));
        }
        Ok(Refused::For(match status {
            403 if lower.contains("origin") => McpError::OriginRefused,
            404 if has_session => McpError::SessionLost,
            // Some servers say so with another status.
            400 if has_session && lower.contains("session") => McpError::SessionLost,
            _ => match message::error_of(&text) {
                Some(error) => rpc(status, error),
                None => McpError::Status { status },
            },
        }))
    }
}

/// Why a request was refused.
enum Refused {
    For(McpError),
    /// Another token may help.
    Unauthorized(Challenge),
}

/// A server's error.
pub(super) fn rpc(status: u16, error: RpcError) -> McpError {
    let message = error.message.chars().take(500).collect();
    McpError::Rpc { status, code: error.code, message, data: error.data }
}

/// The answer to a request among the messages; other messages are left out. None at the end.
async fn answer_of(messages: &mut Messages, id: &str) -> Result<Option<Result<Value, RpcError>>, McpError> {
    loop {
        match messages.next().await? {
            Next::Message(Incoming::Response { id: of, outcome }) if of.as_str() == Some(id) => {
                return Ok(Some(outcome));
            }
            Next::Message(_) | Next::Position => {}
            Next::End => return Ok(None),
        }
    }
}

/// An address that a server names, if it is of the server's own origin.
fn resolved(url: &str, place: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let origin = [scheme, "://", authority].concat();
    let place = match place {
        absolute if absolute.contains("://") => {
            let path = absolute.strip_prefix(&origin)?;
            (path.is_empty() || path.starts_with(['/', '?'])).then(|| absolute.to_owned())?
        }
        path if path.starts_with('/') && !path.starts_with("//") => [&origin, path].concat(),
        other if other.starts_with("//") => return None,
        query if query.starts_with('?') => [url.split(['?', '#']).next().unwrap_or_default(), query].concat(),
        relative => {
            let base = url.split(['?', '#']).next().unwrap_or_default();
            let folder = base.rfind('/').filter(|at| *at >= origin.len()).and_then(|at| base.get(..=at));
            [folder.unwrap_or(&[&origin, "/"].concat()), relative].concat()
        }
    };
    let clean = place.chars().all(|letter| !letter.is_control() && !letter.is_whitespace() && letter != '\\');
    clean.then_some(place)
}

/// Changes a server's row; the row afterwards, or none if there is none.
pub(super) async fn save(
    core: &Core,
    id: &str,
    change: impl Fn(&mut ServerRow),
) -> Result<Option<ServerRow>, McpError> {
    for _ in 0..MAX_CONFLICTS {
        let Some(Stored { text, record }) = store::get(core.database.store(), SERVERS, id).await? else {
            return Ok(None);
        };
        let mut row = *record;
        let (state, listed_at) = (row.state.clone(), row.listed_at);
        change(&mut row);
        let after = store::json(&row);
        if after == text {
            return Ok(Some(row));
        }
        let mut batch = Batch::new(Durability::Relaxed);
        batch.expect(SERVERS, id, Some(&text));
        batch.put_text(SERVERS, id, after);
        if row.state != state || row.listed_at != listed_at {
            batch.tell(&Event::ToolsModified {});
        }
        match core.commit(batch).await {
            Ok(()) => return Ok(Some(row)),
            Err(store::StoreError::Conflict { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(store::StoreError::conflict("mcp", id).into())
}

#[cfg(test)]
mod tests {
    use super::resolved;

    /// T004-70: the address that a stream of HTTP+SSE names must be of the server's own origin.
    #[test]
    fn endpoints() {
        let url = "https://a.example/mcp/sse?x=1";
        for (place, expected) in [
            ("/messages?s=1", Some("https://a.example/messages?s=1")),
            ("https://a.example/m", Some("https://a.example/m")),
            ("messages", Some("https://a.example/mcp/messages")),
            ("?s=1", Some("https://a.example/mcp/sse?s=1")),
            ("//evil.example/m", None),
            ("https://evil.example/m", None),
            ("https://a.example.evil.example/m", None),
            ("https://a.example@evil.example/m", None),
            ("http://a.example/m", None),
            ("/a b", None),
            ("/a\\b", None),
        ] {
            let expected = expected.map(str::to_owned);
            assert_eq!(resolved(url, place), expected, "{place}");
        }
    }
}
