//! A folder served on 127.0.0.1, for pages outside the extension: suites, benches, dapps.

use crate::Error;
use std::net::SocketAddr;
use std::path::{Component, Path, PathBuf};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// The longest request head that is read.
const LONGEST_HEAD: usize = 64 * 1024;

/// A running server; dropping it stops it.
#[derive(Debug)]
pub struct Site {
    address: SocketAddr,
    task: JoinHandle<()>,
}

impl Site {
    /// Serves the files of a folder on a free port.
    pub async fn serve(folder: impl Into<PathBuf>) -> Result<Self, Error> {
        let folder = folder.into().canonicalize()?;
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let folder = folder.clone();
                // A browser that disconnects in the middle of an answer is ignored.
                tokio::spawn(async move { answer(stream, &folder).await.ok() });
            }
        });
        Ok(Self { address, task })
    }

    /// The URL of a file.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}/{}", self.address, path.trim_start_matches('/'))
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(mut stream: TcpStream, folder: &Path) -> std::io::Result<()> {
    let mut head = Vec::new();
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        if head.len() > LONGEST_HEAD || stream.read_buf(&mut head).await? == 0 {
            return Ok(());
        }
    }
    let head = String::from_utf8_lossy(&head);
    let mut words = head.split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let file = match file(folder, target) {
        Some(path) if matches!(method, "GET" | "HEAD") => {
            tokio::fs::read(&path).await.ok().map(|content| (path, content))
        }
        _ => None,
    };
    let (status, kind, content) = match file {
        Some((path, content)) => ("200 OK", media_type(&path), content),
        None => ("404 Not Found", "text/plain", b"not found".to_vec()),
    };
    // Cross-origin isolation gives pages microsecond clocks, which benches need.
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\ncache-control: no-store\r\n\
         cross-origin-opener-policy: same-origin\r\ncross-origin-embedder-policy: require-corp\r\n\
         connection: close\r\n\r\n",
        content.len()
    );
    stream.write_all(head.as_bytes()).await?;
    if method != "HEAD" {
        stream.write_all(&content).await?;
    }
    stream.shutdown().await
}

/// The requested file; `None` if the path leaves the folder.
fn file(folder: &Path, target: &str) -> Option<PathBuf> {
    let path = target.split(['?', '#']).next()?.strip_prefix('/')?;
    let path = Path::new(if path.is_empty() { "index.html" } else { path });
    let inside = path.components().all(|part| matches!(part, Component::Normal(_)));
    inside.then(|| folder.join(path))
}

fn media_type(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()).unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::file;
    use std::path::Path;

    #[test]
    fn paths_outside_the_folder_are_refused() {
        let folder = Path::new("/site");
        assert_eq!(file(folder, "/a/b.js?x=1"), Some(folder.join("a/b.js")));
        assert_eq!(file(folder, "/"), Some(folder.join("index.html")));
        assert_eq!(
            [file(folder, "/../etc/passwd"), file(folder, "//etc/passwd"), file(folder, "etc")],
            [None, None, None]
        );
    }
}
