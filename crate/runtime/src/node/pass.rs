//! Requests of web pages that are passed on to a node as they are.

use super::endpoints::nodes_of;
use super::exchange::ExchangeError;
use super::{Nodes, host};
use wire::api::{Endpoint, Millis};
use wire::node::NodeRequest;

/// Why a request has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PassError {
    /// The answer is too large to be passed on.
    TooLarge,
    /// Every node wants to be left alone for so long.
    Paused(Millis),
    /// No node answered, for this reason.
    Unreachable(String),
}

impl Nodes {
    /// Hands a request by JSON-RPC to the nodes of a chain, one after the other, until one gives an answer that makes sense.
    pub(crate) async fn pass_on(
        &self,
        chain: &str,
        chosen: Option<&Endpoint>,
        body: &str,
        makes_sense: &dyn Fn(&str) -> bool,
    ) -> Result<String, PassError> {
        let endpoints = nodes_of(chain, chosen);
        let request = NodeRequest { path: String::new(), body: Some(body.to_owned()) };
        let mut reason = None;
        for endpoint in &endpoints {
            let began = self.host.now();
            if self.pauses.paused(endpoint, began) {
                continue;
            }
            match self.one(endpoint, &request).await {
                Ok((response, _)) if makes_sense(&response.body) => {
                    self.pauses.clear(endpoint);
                    return Ok(response.body);
                }
                // How long the answer is, the page decides and not the node.
                Err(ExchangeError::TooLarge) => return Err(PassError::TooLarge),
                Err(error) => {
                    self.failed(endpoint, began, &error);
                    reason = Some(format!("{}: {error}", host(endpoint)));
                }
                Ok((response, error)) => {
                    if let Some(error) = error {
                        self.failed(endpoint, began, &error);
                    }
                    reason =
                        Some(format!("{}: the answer ({}) made no sense", host(endpoint), response.status));
                }
            }
        }
        let now = self.host.now();
        Err(match (reason, self.pauses.all_paused_until(&endpoints, now)) {
            (None, until) if until > now => PassError::Paused(until - now),
            (reason, _) => PassError::Unreachable(reason.unwrap_or_else(|| "none is known".to_owned())),
        })
    }
}
