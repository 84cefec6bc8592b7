//! Requests to the model's server over HTTP/1.1, one connection each. Redirects are not followed: the key goes to one host.

use async_trait::async_trait;
use axum::body::Body;
use axum::http::Uri;
use futures_util::{Stream, StreamExt, stream};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto};

const CONNECT: Duration = Duration::from_secs(20);

/// A request. It contains the key, and therefore cannot be printed.
#[derive(Clone)]
pub struct Post {
    /// The URL.
    pub url: String,
    /// The headers.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

/// The chunks of a body.
pub type Bytes = Pin<Box<dyn Stream<Item = Result<Vec<u8>, TransportError>> + Send>>;

/// An answer, its body still on the way.
pub struct Received {
    /// The HTTP status.
    pub status: u16,
    /// The headers; names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Bytes,
}

impl Received {
    /// An answer whose chunks are known.
    pub fn new(
        status: u16,
        headers: Vec<(String, String)>,
        chunks: Vec<Result<Vec<u8>, TransportError>>,
    ) -> Self {
        Self { status, headers, body: Box::pin(stream::iter(chunks)) }
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(have, _)| have.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// No connection, or one that broke.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TransportError(pub String);

/// The way to the model's server.
#[async_trait]
pub trait Transport: Send + Sync {
    /// Posts a request. Dropping the answer ends it.
    async fn post(&self, request: Post) -> Result<Received, TransportError>;
}

/// HTTP, with TLS for `https`.
pub struct HttpTransport {
    tls: Result<TlsConnector, TransportError>,
}

impl HttpTransport {
    /// A client that trusts the certificate authorities of Mozilla's list, and those of the file that `SSL_CERT_FILE` names:
    /// an organisation's own.
    pub fn new() -> Self {
        let mut roots: RootCertStore = webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect();
        let own = std::env::var_os("SSL_CERT_FILE").map(CertificateDer::pem_file_iter);
        if let Some(Ok(own)) = own {
            roots.add_parsable_certificates(own.flatten());
        }
        // Named, so that no other crate of a build decides which cryptography is used.
        let provider = Arc::new(crypto::ring::default_provider());
        let tls = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().map(
            |config| {
                let config = config.with_root_certificates(roots).with_no_client_auth();
                TlsConnector::from(Arc::new(config))
            },
        );
        Self { tls: tls.map_err(|error| failed("TLS")(error.to_string())) }
    }
}

impl Default for HttpTransport {
    fn default() -> Self {
        Self::new()
    }
}

fn failed(what: &str) -> impl Fn(String) -> TransportError {
    let what = what.to_owned();
    move |reason| TransportError(format!("{what}: {reason}"))
}

#[async_trait]
impl Transport for HttpTransport {
    async fn post(&self, request: Post) -> Result<Received, TransportError> {
        let uri: Uri = request.url.parse().map_err(|_| TransportError("not a URL".to_owned()))?;
        let host = uri.host().unwrap_or_default().to_owned();
        let secure = uri.scheme_str() == Some("https");
        let port = uri.port_u16().unwrap_or(if secure { 443 } else { 80 });
        let connect = async {
            let bare = host.trim_start_matches('[').trim_end_matches(']').to_owned();
            let stream = TcpStream::connect((bare.as_str(), port))
                .await
                .map_err(|error| failed("no connection")(error.to_string()))?;
            let _ = stream.set_nodelay(true);
            if !secure {
                return Ok(Box::new(stream) as Box<dyn Connection>);
            }
            let name = ServerName::try_from(bare).map_err(|error| failed("TLS")(error.to_string()))?;
            let tls = self.tls.as_ref().map_err(Clone::clone)?;
            let stream = tls.connect(name, stream).await.map_err(|error| failed("TLS")(error.to_string()))?;
            Ok(Box::new(stream) as Box<dyn Connection>)
        };
        let stream = tokio::time::timeout(CONNECT, connect)
            .await
            .map_err(|_| TransportError(format!("no connection within {} s", CONNECT.as_secs())))??;
        send(stream, &uri, request).await
    }
}

trait Connection: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Connection for T {}

/// Ends the task that drives a connection when the body is dropped.
struct Driver(tokio::task::JoinHandle<()>);

impl Drop for Driver {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn send(stream: Box<dyn Connection>, uri: &Uri, request: Post) -> Result<Received, TransportError> {
    let broken = failed("the connection broke");
    let (mut sender, connection) =
        http1::handshake(TokioIo::new(stream)).await.map_err(|error| broken(error.to_string()))?;
    let driver = Driver(tokio::spawn(async move {
        let _ = connection.await;
    }));
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    let authority = uri.authority().map_or("", |authority| authority.as_str());
    let mut http = hyper::Request::builder().method("POST").uri(path).header("host", authority);
    for (name, value) in &request.headers {
        http = http.header(name, value);
    }
    let http = http
        .body(Body::from(request.body))
        .map_err(|_| TransportError("the key or the URL cannot be sent in a header".to_owned()))?;
    let response = sender.send_request(http).await.map_err(|error| broken(error.to_string()))?;
    let headers = response
        .headers()
        .iter()
        .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
        .collect();
    let status = response.status().as_u16();
    let body = Body::new(response.into_body()).into_data_stream().map(move |chunk| {
        let _ = &driver;
        chunk
            .map(|bytes| bytes.to_vec())
            .map_err(|error| TransportError(format!("the connection broke: {error}")))
    });
    Ok(Received { status, headers, body: Box::pin(body) })
}
