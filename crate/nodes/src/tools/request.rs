//! A request as the server saw it, and its outcome.

use crate::gate::Named;
use crate::proxy::is_meant;
use serde_json::{Map, Value, json};
use std::io;
use tokio::io::{AsyncRead, AsyncReadExt as _};

/// The largest head that is read.
const LONGEST_HEAD: usize = 1024 * 1024;
/// The largest body that is read: more than a wallet may send.
const LONGEST_BODY: usize = 64 * 1024 * 1024;

/// A request and its outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolRequest {
    /// The HTTP method.
    pub method: String,
    /// The path as it was sent, without its query.
    pub path: String,
    /// The query as it was sent, without its `?`; empty if there is none.
    pub query: String,
    /// The headers with lower-case names, in order.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// Whether the server did what was asked, with any outcome for the caller.
    pub handled: bool,
    /// What the caller received.
    pub outcome: CallerOutcome,
    /// The bytes of the answer's body that were written to the connection.
    pub sent: usize,
}

/// What a caller received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallerOutcome {
    /// Nothing yet, or a part.
    Pending,
    /// The whole answer.
    Answered,
    /// The server ended the connection early.
    Dropped,
    /// The caller ended the connection early.
    Left,
}

impl Named for ToolRequest {
    fn is(&self, name: &str) -> bool {
        Self::is(self, name)
    }
}

impl ToolRequest {
    /// Whether the request has this path. One that ends in `*` matches by prefix.
    pub fn is(&self, path: &str) -> bool {
        is_meant(path, &self.path)
    }

    /// The first header of a name, given in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// The decoded value of a name in the query.
    pub fn argument(&self, name: &str) -> Option<String> {
        let mut pairs = url::form_urlencoded::parse(self.query.as_bytes());
        pairs.find(|(own, _)| own == name).map(|(_, value)| value.into_owned())
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON; `null` if it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// The request as `/echo` answers it. Repeated names of query and headers become one, with their values joined.
    pub fn echo(&self) -> Value {
        let mut query = Map::new();
        for (name, value) in url::form_urlencoded::parse(self.query.as_bytes()) {
            join(&mut query, &name, &value);
        }
        let mut headers = Map::new();
        for (name, value) in &self.headers {
            join(&mut headers, name, value);
        }
        json!({ "method": self.method, "path": self.path, "query": query, "headers": headers, "body": self.text() })
    }

    /// Reads a request; `None` if it is none, or too large.
    pub(super) async fn read(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<Option<Self>> {
        let mut bytes = Vec::new();
        let head = loop {
            if let Some(end) = bytes.windows(4).position(|end| end == b"\r\n\r\n") {
                break end + 4;
            }
            if bytes.len() > LONGEST_HEAD || stream.read_buf(&mut bytes).await? == 0 {
                return Ok(None);
            }
        };
        let mut body = bytes.split_off(head);
        let Some(mut request) = Self::parse_head(&bytes) else { return Ok(None) };
        let length = request.header("content-length").map_or(Some(0), |length| length.parse().ok());
        let Some(length) = length.filter(|length| *length <= LONGEST_BODY) else { return Ok(None) };
        while body.len() < length {
            if stream.read_buf(&mut body).await? == 0 {
                return Ok(None);
            }
        }
        body.truncate(length);
        request.body = body;
        Ok(Some(request))
    }

    fn parse_head(head: &[u8]) -> Option<Self> {
        let mut headers = [httparse::EMPTY_HEADER; 256];
        let mut parsed = httparse::Request::new(&mut headers);
        if !parsed.parse(head).ok()?.is_complete() {
            return None;
        }
        let target = parsed.path?;
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let header = |header: &httparse::Header<'_>| {
            (header.name.to_ascii_lowercase(), String::from_utf8_lossy(header.value).into_owned())
        };
        Some(Self {
            method: parsed.method?.to_owned(),
            path: path.to_owned(),
            query: query.to_owned(),
            headers: parsed.headers.iter().map(header).collect(),
            body: Vec::new(),
            handled: false,
            outcome: CallerOutcome::Pending,
            sent: 0,
        })
    }
}

fn join(map: &mut Map<String, Value>, name: &str, value: &str) {
    let joined = match map.get(name).and_then(Value::as_str) {
        Some(before) => format!("{before}, {value}"),
        None => value.to_owned(),
    };
    map.insert(name.to_owned(), joined.into());
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(text: &str) -> Option<ToolRequest> {
        ToolRequest::read(&mut text.as_bytes()).await.unwrap()
    }

    #[tokio::test]
    async fn reads_what_is_complete() {
        let text = "POST /a%20b/c?x=1%202&y=&x=3 HTTP/1.1\r\nHost: h\r\nX-One: a\r\nx-one: b\r\ncontent-length: 4\r\n\r\n{\"a\"ignored";
        let request = read(text).await.unwrap();
        assert_eq!((request.path.as_str(), request.argument("x").as_deref()), ("/a%20b/c", Some("1 2")));
        assert_eq!(
            request.echo(),
            json!({
                "method": "POST", "path": "/a%20b/c", "query": { "x": "1 2, 3", "y": "" },
                "headers": { "host": "h", "x-one": "a, b", "content-length": "4" }, "body": "{\"a\"",
            })
        );
        assert!(request.is("/a%20b/*") && !request.is("/a%20b"));
    }

    #[tokio::test]
    async fn rejects_what_is_none() {
        for text in [
            "",
            "GET / HTTP/1.1\r\nhost: h\r\n",
            "nonsense\r\n\r\n",
            "POST / HTTP/1.1\r\ncontent-length: 5\r\n\r\nabcd",
            "POST / HTTP/1.1\r\ncontent-length: -1\r\n\r\n",
            "POST / HTTP/1.1\r\ncontent-length: 99999999999\r\n\r\n",
        ] {
            assert_eq!(read(text).await, None, "{text}");
        }
    }
}
