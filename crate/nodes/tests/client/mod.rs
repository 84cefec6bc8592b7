//! A client that sees what a wallet would: an answer, or a connection that ended without one.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// Sends a request; `None` if the connection ended before an answer.
pub(crate) async fn send(url: &str, method: &str, path: &str, body: &str) -> Option<Reply> {
    let (head, body) = exchange(
        url,
        method,
        path,
        "origin: chrome-extension://x\r\ncontent-type: application/json\r\n",
        body,
    )
    .await?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    Some(Reply { status, head, body: String::from_utf8(body).unwrap() })
}

/// Sends a request with more lines of its head. Returns head and body of the answer as they came.
pub(crate) async fn exchange(
    url: &str,
    method: &str,
    path: &str,
    headers: &str,
    body: &str,
) -> Option<(String, Vec<u8>)> {
    let host = url.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(host).await.ok()?;
    let request = format!(
        "{method} {path} HTTP/1.1\r\nhost: {host}\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.ok()?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.ok()?;
    let end = bytes.windows(4).position(|end| end == b"\r\n\r\n")?;
    let body = bytes.split_off(end + 4);
    Some((String::from_utf8(bytes).unwrap().trim_end().to_ascii_lowercase(), body))
}

/// A JSON-RPC request.
pub(crate) async fn rpc(url: &str, method: &str, params: serde_json::Value) -> Option<Reply> {
    let body = serde_json::json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
    send(url, "POST", "/", &body.to_string()).await
}
