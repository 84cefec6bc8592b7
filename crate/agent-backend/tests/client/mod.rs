//! A client that sees every byte: a library would hide what a fault does to a connection.

#![allow(dead_code, reason = "every suite uses its own part")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test's helper fails the test"
)]

use agent_backend::{Agent, Options, Request, Script};
use serde_json::{Value, json};
use std::io;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The limit of a broken test; no test takes a fraction of it.
pub(crate) const LONG: Duration = Duration::from_secs(20);

/// An agent that answers "go" with a script's turn, `rest` being the turn's keys.
pub(crate) async fn agent(rest: &str) -> Agent {
    start(&format!("[[turn]]\nwhen.message = \"go\"\n{rest}")).await
}

pub(crate) async fn start(script: &str) -> Agent {
    Agent::start(Script::parse(script).unwrap(), Options { seed: Some(1), ..Options::default() })
        .await
        .unwrap()
}

/// A request in transit.
pub(crate) struct Call {
    stream: TcpStream,
    pub(crate) received: Vec<u8>,
}

/// The whole answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) chunks: Vec<Vec<u8>>,
    /// Whether the body ended properly.
    pub(crate) complete: bool,
}

impl Reply {
    pub(crate) fn body(&self) -> Vec<u8> {
        self.chunks.concat()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body()).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body()).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

impl Call {
    pub(crate) async fn send(agent: &Agent, request: &Request) -> io::Result<Self> {
        Self::send_to(&agent.url(), request).await
    }

    pub(crate) async fn send_to(url: &str, request: &Request) -> io::Result<Self> {
        let address = url.replace("http://", "");
        let mut stream = TcpStream::connect(&address).await?;
        let mut head = format!(
            "{} {} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Length: {}\r\n",
            request.method,
            request.path,
            request.body.len()
        );
        for (name, value) in &request.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        stream.write_all(head.as_bytes()).await?;
        stream.write_all(&request.body).await?;
        Ok(Self { stream, received: Vec::new() })
    }

    /// Reads until these bytes have arrived.
    pub(crate) async fn read_until(&mut self, needle: &str) {
        while !String::from_utf8_lossy(&self.received).contains(needle) {
            assert_ne!(self.read().await, 0, "the connection ended before {needle:?}");
        }
    }

    /// Reads to the end of the connection. `None` if nothing arrived.
    pub(crate) async fn finish(mut self) -> Option<Reply> {
        while self.read().await > 0 {}
        parse(&self.received)
    }

    async fn read(&mut self) -> usize {
        let read = tokio::time::timeout(LONG, self.stream.read_buf(&mut self.received)).await;
        read.expect("no data on an open connection").unwrap_or(0)
    }
}

fn parse(received: &[u8]) -> Option<Reply> {
    let end = received.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = String::from_utf8(received[..end].to_vec()).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let mut rest = &received[end + 4..];
    let mut reply = Reply { status, head, chunks: Vec::new(), complete: false };
    if reply.header("transfer-encoding").is_none() {
        let length: usize = reply.header("content-length").map_or(0, |length| length.parse().unwrap());
        reply.complete = rest.len() == length;
        reply.chunks.push(rest.to_vec());
        return Some(reply);
    }
    while let Some(line) = rest.windows(2).position(|window| window == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..line]).unwrap(), 16).unwrap();
        if size == 0 {
            reply.complete = true;
            break;
        }
        let Some(chunk) = rest.get(line + 2..line + 2 + size) else {
            break;
        };
        reply.chunks.push(chunk.to_vec());
        rest = rest.get(line + 2 + size + 2..).unwrap_or_default();
    }
    Some(reply)
}

pub(crate) async fn send(agent: &Agent, request: &Request) -> Option<Reply> {
    Call::send(agent, request).await.unwrap().finish().await
}

pub(crate) async fn send_to(url: &str, request: &Request) -> Option<Reply> {
    Call::send_to(url, request).await.unwrap().finish().await
}

pub(crate) async fn open(agent: &Agent) -> String {
    let reply = send(agent, &opening()).await.unwrap();
    reply.json()["id"].as_str().unwrap().to_owned()
}

pub(crate) fn opening() -> Request {
    Request::post("/agent/conversations", &json!({"public_key": "02ab"}))
}

pub(crate) fn message(conversation: &str, key: &str, body: &Value) -> Request {
    Request::post(format!("/agent/conversations/{conversation}/messages"), body)
        .header("Idempotency-Key", key)
}

pub(crate) fn said(conversation: &str, key: &str, content: &str) -> Request {
    message(conversation, key, &json!({"public_key": "02ab", "content": content}))
}

pub(crate) fn done(conversation: &str, key: &str, action: &str, action_id: &str) -> Request {
    let result = json!({"action": action, "action_id": action_id, "success": true, "data": {}});
    message(conversation, key, &json!({"public_key": "02ab", "action_result": result}))
}

/// The actions in a stream of named events.
pub(crate) fn actions(text: &str) -> Vec<Value> {
    events(text)
        .into_iter()
        .filter(|(name, _)| name == "actions")
        .flat_map(|(_, data)| {
            serde_json::from_str::<Value>(&data)
                .map_or(Vec::new(), |data| data["actions"].as_array().unwrap().clone())
        })
        .collect()
}

/// Names and data of the events in a stream with `
/// ` line endings; enough for this agent's own output.
pub(crate) fn events(text: &str) -> Vec<(String, String)> {
    text.split("\n\n")
        .filter(|block| !block.is_empty())
        .map(|block| {
            let field = |name: &str| {
                block.lines().filter_map(|line| line.strip_prefix(name)).collect::<Vec<_>>().join("\n")
            };
            (field("event: "), field("data: "))
        })
        .collect()
}
