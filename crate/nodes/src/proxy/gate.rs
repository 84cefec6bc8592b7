//! Holds a request before or after the node.

use super::Call;
use crate::Error;
use crate::process::PATIENCE;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// Where a request is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// Before the node gets it.
    Before,
    /// After the node has answered, before the caller gets the answer.
    After,
}

/// What happens to a held request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Decision {
    GoOn,
    Drop,
}

/// The proxy's end of a hold.
#[derive(Debug)]
pub(super) struct Gate {
    name: String,
    when: When,
    arrived: oneshot::Sender<Call>,
    decision: oneshot::Receiver<Decision>,
}

/// The test's end of a hold. Dropping it releases the request.
#[derive(Debug)]
#[must_use = "a request is held only as long as this lives"]
pub struct Held {
    name: String,
    arrived: oneshot::Receiver<Call>,
    decision: oneshot::Sender<Decision>,
}

pub(super) fn pair(name: &str, when: When) -> (Gate, Held) {
    let (arrive, arrived) = oneshot::channel();
    let (decide, decision) = oneshot::channel();
    let gate = Gate { name: name.to_owned(), when, arrived: arrive, decision };
    (gate, Held { name: name.to_owned(), arrived, decision: decide })
}

impl Gate {
    pub(super) fn is_for(&self, call: &Call, when: When) -> bool {
        self.when == when && !self.arrived.is_closed() && call.is(&self.name)
    }

    /// Reports that the request has arrived, and waits.
    pub(super) async fn pass(self, call: Call) -> Decision {
        // A test may decide without waiting for the arrival.
        let _ = self.arrived.send(call);
        self.decision.await.unwrap_or(Decision::GoOn)
    }
}

impl Held {
    /// Waits until a request is held here.
    pub async fn wait_arrived(&mut self) -> Result<Call, Error> {
        let missing = |seen: &str| {
            let what = format!("{} to arrive", self.name);
            Error::Timeout { what, timeout: PATIENCE, seen: seen.to_owned() }
        };
        match timeout(PATIENCE, &mut self.arrived).await {
            Ok(Ok(call)) => Ok(call),
            Ok(Err(_)) => Err(missing("the proxy is gone, or the arrival was already awaited")),
            Err(_) => Err(missing("it did not")),
        }
    }

    /// Releases the request, or its answer. The node gets it even if the caller is gone: a request in transit is not
    /// cancelled by its sender.
    pub fn release(self) {
        let _ = self.decision.send(Decision::GoOn);
    }

    /// Drops the connection. A request that was held before the node never gets there.
    pub fn drop_connection(self) {
        let _ = self.decision.send(Decision::Drop);
    }
}
