//! Holds a request before or after it is handled.

use crate::Error;
use crate::process::PATIENCE;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// Where a request is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// Before the node or server gets it.
    Before,
    /// After the node or server has answered, before the caller gets the answer.
    After,
}

/// A recorded request that tests select by its name.
pub(crate) trait Named {
    /// Whether the request has this name.
    fn is(&self, name: &str) -> bool;
}

/// What happens to a held request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decision {
    GoOn,
    Drop,
}

/// The server's end of a hold.
#[derive(Debug)]
pub(crate) struct Gate<T> {
    name: String,
    when: When,
    arrived: oneshot::Sender<T>,
    decision: oneshot::Receiver<Decision>,
}

/// The test's end of a hold. Dropping it releases the request.
#[derive(Debug)]
#[must_use = "a request is held only as long as this lives"]
pub struct Held<T> {
    name: String,
    arrived: oneshot::Receiver<T>,
    decision: oneshot::Sender<Decision>,
}

pub(crate) fn pair<T>(name: &str, when: When) -> (Gate<T>, Held<T>) {
    let (arrive, arrived) = oneshot::channel();
    let (decide, decision) = oneshot::channel();
    let gate = Gate { name: name.to_owned(), when, arrived: arrive, decision };
    (gate, Held { name: name.to_owned(), arrived, decision: decide })
}

impl<T: Named + Clone> Gate<T> {
    /// Removes the first of these gates that holds the request here.
    pub(crate) fn take(gates: &mut Vec<Self>, request: &T, when: When) -> Option<Self> {
        let holds = |gate: &Self| gate.when == when && !gate.arrived.is_closed() && request.is(&gate.name);
        let place = gates.iter().position(holds)?;
        Some(gates.remove(place))
    }

    /// Reports that the request has arrived, and waits.
    pub(crate) async fn pass(self, request: T) -> Decision {
        // A test may decide without waiting for the arrival.
        let _ = self.arrived.send(request);
        self.decision.await.unwrap_or(Decision::GoOn)
    }
}

impl<T> Held<T> {
    /// Waits until a request is held here.
    pub async fn wait_arrived(&mut self) -> Result<T, Error> {
        let missing = |seen: &str| {
            let what = format!("{} to arrive", self.name);
            Error::Timeout { what, timeout: PATIENCE, seen: seen.to_owned() }
        };
        match timeout(PATIENCE, &mut self.arrived).await {
            Ok(Ok(request)) => Ok(request),
            Ok(Err(_)) => Err(missing("the server is gone, or the arrival was already awaited")),
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
