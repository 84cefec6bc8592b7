//! A proxy in front of a node, for tests: records requests, plays faults, and holds requests where a test acts on the
//! wallet.
//!
//! A request is named by its JSON-RPC method, or by its path if it has none. A name that ends in `*` matches by
//! prefix: `/dashboards/transaction/*`.
//!
//! Every request has its own connection. On a reused connection, a browser takes a lost answer for an idle
//! connection's end and silently sends again, and a test would count a request that the wallet did not send.

mod call;
mod fault;
mod serve;

pub use crate::gate::When;
pub use call::{Answer, Call, CallerOutcome};
pub use fault::Fault;

use crate::Error;
use crate::gate::{self, Gate, Named};
use crate::http::Http;
use crate::process::PATIENCE;
use fault::Script;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// The test's end of a hold. Dropping it releases the request.
pub type Held = gate::Held<Call>;

/// A running proxy; dropping it closes its port and every connection.
#[derive(Debug)]
pub struct Proxy {
    shared: Arc<Shared>,
    port: u16,
    accepting: JoinHandle<()>,
}

/// State shared by the proxy and its connections.
#[derive(Debug)]
struct Shared {
    /// The node's URL, without a trailing slash.
    target: String,
    http: Http,
    state: watch::Sender<State>,
}

#[derive(Debug, Default)]
struct State {
    calls: Vec<Call>,
    script: Script,
    gates: Vec<Gate<Call>>,
}

impl Proxy {
    /// Starts a proxy in front of the node at `target`.
    pub async fn start(target: &str) -> Result<Self, Error> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let port = listener.local_addr()?.port();
        let target = target.trim_end_matches('/').to_owned();
        let state = watch::Sender::new(State::default());
        let shared = Arc::new(Shared { target, http: Http::new(), state });
        let accepting = tokio::spawn(serve::accept(listener, Arc::clone(&shared)));
        Ok(Self { shared, port, accepting })
    }

    /// Its URL, without a trailing slash.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Every request, in order of arrival.
    pub fn calls(&self) -> Vec<Call> {
        self.shared.state.borrow().calls.clone()
    }

    /// The number of requests of a name, with any outcome.
    pub fn count(&self, name: &str) -> usize {
        self.shared.state.borrow().calls.iter().filter(|call| call.is(name)).count()
    }

    /// The distinct signed transactions that arrived, in the chain's encoding: hex for EVM and Bitcoin, base64
    /// elsewhere.
    pub fn sent_raw(&self) -> Vec<String> {
        let mut raw = Vec::new();
        for transaction in self.shared.state.borrow().calls.iter().filter_map(Call::raw) {
            if !raw.contains(&transaction) {
                raw.push(transaction);
            }
        }
        raw
    }

    /// Plays a fault for the next requests of a name. Faults of the same name are played one after the other.
    pub fn next(&self, times: usize, name: &str, fault: Fault) {
        self.shared.state.send_modify(|state| state.script.add(name, fault, Some(times)));
    }

    /// Plays a fault for every request of a name, until [`Proxy::clear`].
    pub fn always(&self, name: &str, fault: Fault) {
        self.shared.state.send_modify(|state| state.script.add(name, fault, None));
    }

    /// Removes all faults.
    pub fn clear(&self) {
        self.shared.state.send_modify(|state| state.script = Script::default());
    }

    /// Holds the next request of a name, until the [`Held`] decides.
    pub fn hold(&self, name: &str, when: When) -> Held {
        let (gate, held) = gate::pair(name, when);
        self.shared.state.send_modify(|state| state.gates.push(gate));
        held
    }

    /// Waits until `look` returns a value from the requests; it is called now and after every change.
    pub async fn wait_for<T>(
        &self,
        what: &str,
        mut look: impl FnMut(&[Call]) -> Option<T>,
        timeout: Duration,
    ) -> Result<T, Error> {
        let mut changes = self.shared.state.subscribe();
        let mut found = None;
        let waited = tokio::time::timeout(
            timeout,
            changes.wait_for(|state| {
                found = look(&state.calls);
                found.is_some()
            }),
        )
        .await;
        drop(waited);
        found.ok_or_else(|| {
            let names: Vec<String> = self.calls().into_iter().map(|call| call.name).collect();
            Error::Timeout { what: what.to_owned(), timeout, seen: format!("there were {names:?}") }
        })
    }

    /// Waits until this many requests of a name have arrived.
    pub async fn wait_count(&self, name: &str, count: usize) -> Result<(), Error> {
        let enough =
            |calls: &[Call]| (calls.iter().filter(|call| call.is(name)).count() >= count).then_some(());
        self.wait_for(&format!("{count} of {name}"), enough, PATIENCE).await
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Named for Call {
    fn is(&self, name: &str) -> bool {
        Self::is(self, name)
    }
}

/// Whether a name matches a pattern.
pub(crate) fn is_meant(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == pattern,
    }
}
