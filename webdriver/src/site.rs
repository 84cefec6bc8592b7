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

/// What is served, and how.
#[derive(Debug, Clone)]
struct Served {
    folder: PathBuf,
    /// Begins and ends with a slash.
    prefix: String,
    /// Cross-origin isolation gives pages microsecond clocks, which benches need; it also keeps frames of others out.
    is_isolated: bool,
}

impl Site {
    /// Serves the files of a folder on a free port, as any web server would.
    pub async fn serve(folder: impl Into<PathBuf>) -> Result<Self, Error> {
        Self::start(folder.into(), "/", false).await
    }

    /// Serves a folder below a path such as `/app/`.
    pub async fn serve_below(path: &str, folder: impl Into<PathBuf>) -> Result<Self, Error> {
        Self::start(folder.into(), path, false).await
    }

    /// Serves a folder with cross-origin isolation.
    pub async fn serve_isolated(folder: impl Into<PathBuf>) -> Result<Self, Error> {
        Self::start(folder.into(), "/", true).await
    }

    async fn start(folder: PathBuf, path: &str, is_isolated: bool) -> Result<Self, Error> {
        let folder = folder.canonicalize().map_err(|error| {
            Error::Input(format!("there is no folder {} to serve ({error})", folder.display()))
        })?;
        let prefix = match path.trim_matches('/') {
            "" => "/".to_owned(),
            path => format!("/{path}/"),
        };
        let served = Served { folder, prefix, is_isolated };
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let served = served.clone();
                // A browser that disconnects in the middle of an answer is ignored.
                tokio::spawn(async move { answer(stream, &served).await.ok() });
            }
        });
        Ok(Self { address, task })
    }

    /// The URL of a file.
    pub fn url(&self, path: &str) -> String {
        format!("{}/{}", self.origin(), path.trim_start_matches('/'))
    }

    /// The origin of its pages.
    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The URL of a file under the name `localhost`: another origin for browsers.
    pub fn localhost(&self, path: &str) -> String {
        format!("http://localhost:{}/{}", self.address.port(), path.trim_start_matches('/'))
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(mut stream: TcpStream, served: &Served) -> std::io::Result<()> {
    let mut head = Vec::new();
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        if head.len() > LONGEST_HEAD || stream.read_buf(&mut head).await? == 0 {
            return Ok(());
        }
    }
    let head = String::from_utf8_lossy(&head);
    let mut words = head.split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let file = match file(served, target) {
        Some(path) if matches!(method, "GET" | "HEAD") => {
            tokio::fs::read(&path).await.ok().map(|content| (path, content))
        }
        _ => None,
    };
    let (status, kind, content) = match file {
        Some((path, content)) => ("200 OK", media_type(&path), content),
        None => ("404 Not Found", "text/plain", b"not found".to_vec()),
    };
    let isolation = if served.is_isolated {
        "cross-origin-opener-policy: same-origin\r\ncross-origin-embedder-policy: require-corp\r\n"
    } else {
        ""
    };
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\ncache-control: no-cache\r\n\
         {isolation}connection: close\r\n\r\n",
        content.len()
    );
    stream.write_all(head.as_bytes()).await?;
    if method != "HEAD" {
        stream.write_all(&content).await?;
    }
    stream.shutdown().await
}

/// The requested file, `index.html` for a folder; `None` if the path is not below the prefix or leaves the folder.
fn file(served: &Served, target: &str) -> Option<PathBuf> {
    let path = target.split(['?', '#']).next()?.strip_prefix(&served.prefix)?;
    let inside = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
    let found = served.folder.join(path);
    let is_folder = path.is_empty() || path.ends_with('/');
    inside.then(|| if is_folder { found.join("index.html") } else { found })
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
    use super::{Served, file};
    use std::path::{Path, PathBuf};

    fn served(prefix: &str) -> Served {
        Served { folder: PathBuf::from("/site"), prefix: prefix.to_owned(), is_isolated: false }
    }

    #[test]
    fn paths_outside_the_folder_are_refused() {
        let (folder, root) = (Path::new("/site"), served("/"));
        assert_eq!(file(&root, "/a/b.js?x=1"), Some(folder.join("a/b.js")));
        assert_eq!(file(&root, "/"), Some(folder.join("index.html")));
        assert_eq!(file(&root, "/a/"), Some(folder.join("a/index.html")));
        assert_eq!(
            [file(&root, "/../etc/passwd"), file(&root, "//etc/passwd"), file(&root, "etc")],
            [None, None, None]
        );
    }

    #[test]
    fn a_prefix_is_part_of_every_path() {
        let below = served("/app/");
        assert_eq!(file(&below, "/app/main.js"), Some(PathBuf::from("/site/main.js")));
        assert_eq!([file(&below, "/main.js"), file(&below, "/app/../x")], [None, None]);
    }
}
