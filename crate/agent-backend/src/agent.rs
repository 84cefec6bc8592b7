//! An agent that can be reached: a brain behind a port of 127.0.0.1, and a view on what it received.

use crate::brain::{Brain, fresh_seed};
use crate::fault::Fault;
use crate::record::{ReceivedRequest, ReceivedResult, Record};
use crate::script::Script;
use crate::server::Server;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, watch};

/// How an agent is started.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The bearer token that clients must bring; none if not said.
    pub token: Option<String>,
    /// The port; a free one if not said.
    pub port: Option<u16>,
    /// What ids are derived from; another one for every start if not said.
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

/// A condition did not come to hold in time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not within {waited:?}; {seen}")]
pub struct Timeout {
    /// How long it was waited for.
    pub waited: Duration,
    /// What there was instead, for the message of a failing test.
    pub seen: String,
}

/// What an agent knows at a moment.
#[derive(Debug)]
pub struct State {
    pub(crate) brain: Brain,
    pub(crate) held: usize,
    /// How often everything held was let go; who is held waits for the next number.
    pub(crate) released: u64,
}

impl State {
    /// Everything received.
    pub fn record(&self) -> &Record {
        self.brain.record()
    }

    /// Results in order of arrival, repeats included.
    pub fn results(&self) -> &[ReceivedResult] {
        &self.record().results
    }

    /// Requests in order of arrival, refused ones included.
    pub fn requests(&self) -> &[ReceivedRequest] {
        &self.record().requests
    }

    /// Departures of the client from the protocol.
    pub fn violations(&self) -> &[String] {
        &self.record().violations
    }

    /// How many requests are being held right now.
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
        let mut brain = Brain::new(script, options.seed.unwrap_or_else(fresh_seed));
        if let Some(token) = options.token {
            brain = brain.with_token(token);
        }
        let state = Arc::new(watch::Sender::new(State { brain, held: 0, released: 0 }));
        let server = listen(options.port.unwrap_or(0), &state).await?;
        Ok(Self { state, port: server.port, server: Arc::new(Mutex::new(Some(server))) })
    }

    /// Where it is reached, without a slash at the end.
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

    /// Departures of the client from the protocol.
    pub fn violations(&self) -> Vec<String> {
        self.state.borrow().violations().to_vec()
    }

    /// How many requests are being held right now.
    pub fn held(&self) -> usize {
        self.state.borrow().held()
    }

    /// Waits until `look` finds something; it looks now and after every change.
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

    /// Misbehaves from now on, beside the faults of the script's turns.
    pub fn set_fault(&self, fault: Fault) {
        self.state.send_modify(|state| state.brain.set_fault(fault));
    }

    /// Ends the faults set with [`Agent::set_fault`]. What is held stays held: see [`Agent::release`].
    pub fn clear_faults(&self) {
        self.state.send_modify(|state| state.brain.clear_faults());
    }

    /// Lets go of everything held, and holds nothing more: stalls set with [`Agent::set_fault`] end.
    pub fn release(&self) {
        release(&self.state);
    }

    /// Goes away: connections are dropped, new ones refused. What is known is kept for [`Agent::restart`].
    pub async fn stop(&self) {
        if let Some(server) = self.server.lock().await.take() {
            server.stop().await;
        }
    }

    /// Comes back on the same port with all it knew, stopping first if it runs.
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
        state.brain.clear_stalls();
    });
}

async fn listen(port: u16, state: &Arc<watch::Sender<State>>) -> Result<Server, StartError> {
    Server::start(port, Arc::clone(state)).await.map_err(|source| StartError::Listen { port, source })
}
