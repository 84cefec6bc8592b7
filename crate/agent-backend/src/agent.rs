//! A running agent: a scripted agent on a port of 127.0.0.1, and a view of what it received.

use crate::declared::DeclaredTool;
use crate::fault::Fault;
use crate::record::{ReceivedItem, ReceivedRequest, ReceivedResult, Record};
use crate::script::Script;
use crate::scripted::{ScriptedAgent, fresh_seed};
use crate::server::{Server, router};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, watch};

/// Options for starting an agent.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The bearer token that clients must send; none by default.
    pub token: Option<String>,
    /// The port; a free one by default.
    pub port: Option<u16>,
    /// The seed of ids; a new one for every start by default.
    pub seed: Option<u64>,
}

/// Why an agent did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The port could not be opened.
    #[error("cannot listen on 127.0.0.1:{port}: {source}")]
    Listen {
        /// The port, 0 for a free one.
        port: u16,
        /// Why.
        source: io::Error,
    },
}

/// A condition did not hold in time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not within {waited:?}; {seen}")]
pub struct Timeout {
    /// How long was waited.
    pub waited: Duration,
    /// What was seen instead, for the message of a failing test.
    pub seen: String,
}

/// The state of an agent at a moment.
#[derive(Debug)]
pub struct State {
    pub(crate) scripted: ScriptedAgent,
    pub(crate) held: usize,
    /// Number of releases so far; a held request waits for the next number.
    pub(crate) released: u64,
}

impl State {
    /// Everything received.
    pub fn record(&self) -> &Record {
        self.scripted.record()
    }

    /// Results in order of arrival, repeats included.
    pub fn results(&self) -> &[ReceivedResult] {
        &self.record().results
    }

    /// Requests in order of arrival, refused ones included.
    pub fn requests(&self) -> &[ReceivedRequest] {
        &self.record().requests
    }

    /// Protocol violations of the client.
    pub fn violations(&self) -> &[String] {
        &self.record().violations
    }

    /// The tools that the client declared last.
    pub fn tools(&self) -> &[DeclaredTool] {
        &self.record().tools
    }

    /// Items of the inbox in order of arrival, repeats included.
    pub fn inbox(&self) -> &[ReceivedItem] {
        &self.record().inbox
    }

    /// The number of requests held now.
    pub fn held(&self) -> usize {
        self.held
    }
}

/// A running agent. Clones are the same agent; it stops when the last one is dropped.
#[derive(Debug, Clone)]
pub struct Agent {
    state: Arc<watch::Sender<State>>,
    port: u16,
    server: Arc<Mutex<Option<Server>>>,
}

impl Agent {
    /// Starts an agent on 127.0.0.1.
    pub async fn start(script: Script, options: Options) -> Result<Self, StartError> {
        let mut scripted = ScriptedAgent::new(script, options.seed.unwrap_or_else(fresh_seed));
        if let Some(token) = options.token {
            scripted = scripted.with_token(token);
        }
        let state = Arc::new(watch::Sender::new(State { scripted, held: 0, released: 0 }));
        let server = listen(options.port.unwrap_or(0), &state).await?;
        Ok(Self { state, port: server.port, server: Arc::new(Mutex::new(Some(server))) })
    }

    /// Its URL, without a trailing slash.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Results in order of arrival, repeats included.
    pub fn results(&self) -> Vec<ReceivedResult> {
        self.state.borrow().results().to_vec()
    }

    /// Requests in order of arrival, refused ones included.
    pub fn requests(&self) -> Vec<ReceivedRequest> {
        self.state.borrow().requests().to_vec()
    }

    /// Protocol violations of the client.
    pub fn violations(&self) -> Vec<String> {
        self.state.borrow().violations().to_vec()
    }

    /// The tools that the client declared last.
    pub fn tools(&self) -> Vec<DeclaredTool> {
        self.state.borrow().tools().to_vec()
    }

    /// Items of the inbox in order of arrival, repeats included.
    pub fn inbox(&self) -> Vec<ReceivedItem> {
        self.state.borrow().inbox().to_vec()
    }

    /// The number of requests held now.
    pub fn held(&self) -> usize {
        self.state.borrow().held()
    }

    /// Waits until `look` returns a value; it is called now and after every change.
    pub async fn wait_for<T>(
        &self,
        mut look: impl FnMut(&State) -> Option<T>,
        timeout: Duration,
    ) -> Result<T, Timeout> {
        let mut changes = self.state.subscribe();
        let found = async {
            loop {
                if let Some(found) = look(&changes.borrow_and_update()) {
                    return Some(found);
                }
                changes.changed().await.ok()?;
            }
        };
        match tokio::time::timeout(timeout, found).await {
            Ok(Some(found)) => Ok(found),
            _ => Err(Timeout { waited: timeout, seen: self.seen() }),
        }
    }

    /// Adds a fault, in addition to those of the script's turns.
    pub fn set_fault(&self, fault: Fault) {
        self.state.send_modify(|state| state.scripted.set_fault(fault));
    }

    /// Removes the faults set with [`Agent::set_fault`]. Held requests stay held: see [`Agent::release`].
    pub fn clear_faults(&self) {
        self.state.send_modify(|state| state.scripted.clear_faults());
    }

    /// Releases every held request, and removes stalls set with [`Agent::set_fault`].
    pub fn release(&self) {
        release(&self.state);
    }

    /// Stops: connections are dropped, new ones refused. The state is kept for [`Agent::restart`].
    pub async fn stop(&self) {
        if let Some(server) = self.server.lock().await.take() {
            server.stop().await;
        }
    }

    /// Starts again on the same port with the same state, stopping first if it runs.
    pub async fn restart(&self) -> Result<(), StartError> {
        self.stop().await;
        *self.server.lock().await = Some(listen(self.port, &self.state).await?);
        Ok(())
    }

    fn seen(&self) -> String {
        let state = self.state.borrow();
        let results: Vec<_> = state
            .results()
            .iter()
            .map(|result| {
                format!("{} {}{}", result.action, result.success, if result.repeat { " again" } else { "" })
            })
            .collect();
        let requests: Vec<_> =
            state.requests().iter().map(|request| format!("{} {}", request.path, request.status)).collect();
        format!(
            "results {results:?}, requests {requests:?}, held {}, violations {:?}",
            state.held(),
            state.violations()
        )
    }
}

pub(crate) fn release(state: &watch::Sender<State>) {
    state.send_modify(|state| {
        state.released += 1;
        state.scripted.clear_stalls();
    });
}

async fn listen(port: u16, state: &Arc<watch::Sender<State>>) -> Result<Server, StartError> {
    Server::start(port, router(Arc::clone(state))).await.map_err(|source| StartError::Listen { port, source })
}
