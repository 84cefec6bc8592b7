//! An HTTP server for HTTP tools, for tests: it records requests, holds them where a test acts on the wallet, and
//! answers well or badly, by the path alone or as a test says.
//!
//! It sends no CORS headers unless a test allows pages: most servers send none, and the extension must do without.
//! Every request has its own connection, for the reason given in [`crate::proxy`].
//!
//! | path | answer |
//! |---|---|
//! | `/weather?city=` | JSON about a city; 404 with JSON for `Atlantis` |
//! | `/text` | two lines of text |
//! | `/echo` | the request: `{method, path, query, headers, body}` |
//! | `/orders` | POST makes an order, once for every `Idempotency-Key`: [`ToolServer::orders`] |
//! | `/status/{code}` | this status, with JSON where a body is allowed |
//! | `/slow/{ms}` | JSON after a delay |
//! | `/silent` | nothing, until the caller leaves |
//! | `/flaky/{n}/{code}/…` | the code for the first n requests of exactly this path, then `{"attempt"}` |
//! | `/limited/{n}/{seconds}/…` | the same with 429 and `Retry-After` in seconds |
//! | `/limited-until/{n}/{seconds}/…` | the same with `Retry-After` as a date |
//! | `/redirect/{code}?to=` | a redirect, to `/echo` unless told otherwise |
//! | `/drop` | the connection ends without an answer |
//! | `/cut`, `/cut-chunked` | the connection ends in the middle of the body |
//! | `/length/{says}` | `{"value":"truth"}`, 17 bytes, with another `Content-Length` |
//! | `/large/{bytes}` | a JSON string of exactly this many bytes, quotes included |
//! | `/endless`, `/endless/{ms}` | a JSON array without an end, fast, or an element every few milliseconds |
//! | `/events/{n}/{ms}` | n server-sent events with pauses, then `done`; without an end for `/events/endless/{ms}` |
//! | `/broken-json`, `/bom`, `/gzip`, `/latin` | JSON cut short, after a byte order mark, compressed, in Latin-1 |
//! | `/headers/{bytes}` | JSON with a response header of this size |
//! | `/cookie` | JSON with a cookie |
//! | `/bearer`, `/basic`, `/key`, `/hmac/{algorithm}/{encoding}` | JSON for the [`credentials`], otherwise 401 |
//! | `/oauth` | JSON for an access token of the server that [`ToolServer::trust`] names, otherwise 401 |

mod answer;
pub mod credentials;
mod request;
mod routes;
mod serve;

pub use crate::gate::{Held, When};
pub use answer::{Answer, Length, Piece};
pub use request::{CallerOutcome, ToolRequest};
pub use routes::Order;

use crate::Error;
use crate::Oidc;
use crate::gate::{self, Gate};
use crate::http::Http;
use crate::process::PATIENCE;
use crate::proxy::is_meant;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// A running server; dropping it closes its port and every connection.
#[derive(Debug)]
pub struct ToolServer {
    shared: Arc<Shared>,
    port: u16,
    accepting: JoinHandle<()>,
}

/// State shared by the server and its connections.
#[derive(Debug)]
struct Shared {
    http: Http,
    state: watch::Sender<State>,
}

#[derive(Debug, Default)]
struct State {
    requests: Vec<ToolRequest>,
    answers: Vec<SetAnswer>,
    gates: Vec<Gate<ToolRequest>>,
    orders: Vec<Order>,
    /// Whether web pages may read the answers.
    open_to_pages: bool,
    /// Where access tokens are checked, with the `Authorization` of this server there.
    introspection: Option<(String, String)>,
}

/// An answer that a test set for a path.
#[derive(Debug)]
struct SetAnswer {
    path: String,
    answer: Answer,
    /// How many more; unlimited if absent.
    left: Option<usize>,
}

impl ToolServer {
    /// Starts a server on a free port.
    pub async fn start() -> Result<Self, Error> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let port = listener.local_addr()?.port();
        let shared = Arc::new(Shared { http: Http::new(), state: watch::Sender::new(State::default()) });
        let accepting = tokio::spawn(serve::accept(listener, Arc::clone(&shared)));
        Ok(Self { shared, port, accepting })
    }

    /// The URL of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}/{}", self.host(), path.trim_start_matches('/'))
    }

    /// The same by another name of this machine: another host for a wallet, the same server.
    pub fn url_by_name(&self, path: &str) -> String {
        format!("http://localhost:{}/{}", self.port, path.trim_start_matches('/'))
    }

    /// Its host and port, as an entry of a list of allowed hosts.
    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Every request except CORS preflights, in order of arrival.
    pub fn requests(&self) -> Vec<ToolRequest> {
        self.shared.state.borrow().requests.clone()
    }

    /// The requests of a path, with any outcome. A path that ends in `*` matches by prefix.
    pub fn requests_of(&self, path: &str) -> Vec<ToolRequest> {
        self.requests().into_iter().filter(|request| request.is(path)).collect()
    }

    /// The number of requests of a path, with any outcome.
    pub fn count(&self, path: &str) -> usize {
        self.shared.state.borrow().requests.iter().filter(|request| request.is(path)).count()
    }

    /// Every `Idempotency-Key` of a path in order of arrival, repeats included.
    pub fn idempotency_keys(&self, path: &str) -> Vec<String> {
        let key = |request: &ToolRequest| request.header("idempotency-key").map(str::to_owned);
        self.requests_of(path).iter().filter_map(key).collect()
    }

    /// The orders made at `/orders`: what the requests have changed.
    pub fn orders(&self) -> Vec<Order> {
        self.shared.state.borrow().orders.clone()
    }

    /// Answers every request of a path so, from now on.
    pub fn always(&self, path: &str, answer: Answer) {
        self.set(path, answer, None);
    }

    /// Answers the next requests of a path so. Answers of the same path come one after the other.
    pub fn next(&self, times: usize, path: &str, answer: Answer) {
        self.set(path, answer, Some(times));
    }

    fn set(&self, path: &str, answer: Answer, left: Option<usize>) {
        let path = path.to_owned();
        self.shared.state.send_modify(|state| state.answers.push(SetAnswer { path, answer, left }));
    }

    /// Removes the answers that were set.
    pub fn clear(&self) {
        self.shared.state.send_modify(|state| state.answers.clear());
    }

    /// Holds the next request of a path, until the [`Held`] decides. A request that was held before it was handled
    /// is handled when released, also if the caller is gone.
    pub fn hold(&self, path: &str, when: When) -> Held<ToolRequest> {
        let (gate, held) = gate::pair(path, when);
        self.shared.state.send_modify(|state| state.gates.push(gate));
        held
    }

    /// Lets pages of any origin read the answers.
    pub fn open_to_pages(&self) {
        self.shared.state.send_modify(|state| state.open_to_pages = true);
    }

    /// Accepts the access tokens of this authorization server at `/oauth`. Each is checked there at every request.
    pub fn trust(&self, oidc: &Oidc) {
        let introspection = (oidc.introspection_url(), oidc.resource_authorization());
        self.shared.state.send_modify(|state| state.introspection = Some(introspection));
    }

    /// Waits until `look` returns a value from the requests; it is called now and after every change.
    pub async fn wait_for<T>(
        &self,
        what: &str,
        mut look: impl FnMut(&[ToolRequest]) -> Option<T>,
        timeout: Duration,
    ) -> Result<T, Error> {
        let mut changes = self.shared.state.subscribe();
        let mut found = None;
        let waited = tokio::time::timeout(
            timeout,
            changes.wait_for(|state| {
                found = look(&state.requests);
                found.is_some()
            }),
        )
        .await;
        drop(waited);
        found.ok_or_else(|| {
            let seen: Vec<String> =
                self.requests().iter().map(|one| format!("{} {:?}", one.path, one.outcome)).collect();
            Error::Timeout { what: what.to_owned(), timeout, seen: format!("there were {seen:?}") }
        })
    }

    /// Waits until this many requests of a path have arrived.
    pub async fn wait_count(&self, path: &str, count: usize) -> Result<(), Error> {
        let enough = |requests: &[ToolRequest]| {
            (requests.iter().filter(|request| request.is(path)).count() >= count).then_some(())
        };
        self.wait_for(&format!("{count} of {path}"), enough, PATIENCE).await
    }

    /// Waits until the last request of a path has an outcome, and returns it.
    pub async fn wait_ended(&self, path: &str) -> Result<ToolRequest, Error> {
        let ended = |requests: &[ToolRequest]| {
            let last = requests.iter().rfind(|request| request.is(path))?;
            (last.outcome != CallerOutcome::Pending).then(|| last.clone())
        };
        self.wait_for(&format!("the end of {path}"), ended, PATIENCE).await
    }
}

impl Drop for ToolServer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl State {
    /// Takes the answer that was set for a request.
    fn take_answer(&mut self, request: &ToolRequest) -> Option<Answer> {
        self.answers.retain(|set| set.left != Some(0));
        let set = self.answers.iter_mut().find(|set| is_meant(&set.path, &request.path))?;
        set.left = set.left.map(|left| left - 1);
        Some(set.answer.clone())
    }
}
