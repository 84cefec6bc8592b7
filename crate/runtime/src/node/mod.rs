//! The chains' nodes: which are asked, in which order, and for how long.
//!
//! A question goes to one node at a time, the person's first choice before the others, until the answer is clear. A node
//! that fails is left alone for a while. What no node could say is unclear, never a failure: only the chain's own word is.

mod endpoints;
mod exchange;
#[cfg(test)]
mod tests;

pub(crate) use endpoints::Nodes;

use crate::Core;
use exchange::ExchangeError;
use wire::api::Millis;
use wire::node::{
    Broadcast, Checked, NetworkFacts, NodeQuery, NodeRequest, NodeResponse, NodeResult, Status,
};
use wire::signer::{Reply, Request};

/// What the nodes of a chain said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    /// What it means.
    pub(crate) result: NodeResult,
    /// When a node may be asked again, if all of them want to be left alone until then; otherwise 0.
    pub(crate) not_before: Millis,
}

/// What one answer does to the search for a better one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    /// No answer, or one that nobody can use.
    Unclear,
    /// Good if nobody says better.
    Weak,
    /// The chain's word.
    Clear,
}

impl Core {
    /// Asks the nodes of a chain, one after the other, until one gives a clear answer.
    pub(crate) async fn query_nodes(&self, chain: &str, query: &NodeQuery) -> Answer {
        match self.ask_each(chain, query).await {
            Ok(told) => told,
            Err(reason) => Answer { result: unclear(query, reason), not_before: 0 },
        }
    }

    /// The same; the error is what keeps us from asking anybody, or from understanding.
    async fn ask_each(&self, chain: &str, query: &NodeQuery) -> Result<Answer, String> {
        let requests = self.requests(chain, query).await?;
        if requests.is_empty() {
            // There is nothing that a node of this chain could say of it.
            return Ok(Answer { result: self.meaning(chain, query, Vec::new()).await?, not_before: 0 });
        }
        let endpoints = self.endpoints(chain, query).await?;
        let mut best: Option<NodeResult> = None;
        let mut tried = false;
        for endpoint in endpoints.iter().filter(|endpoint| !self.nodes.rests(endpoint, self.now())) {
            let (result, untouched) = self.ask_one(endpoint, chain, query, &requests).await?;
            let result = if tried { doubted(result) } else { result };
            tried |= !untouched;
            let found = weight(&result);
            // Of two that are equal the later one: it is closer to now.
            if best.as_ref().is_none_or(|best| weight(best) <= found) {
                best = Some(result);
            }
            if found == Weight::Clear {
                break;
            }
        }
        let not_before = self.nodes.all_rest_until(&endpoints, self.now());
        let resting =
            || unclear(query, "every node asked to be left alone, or failed a moment ago".to_owned());
        Ok(Answer { result: best.unwrap_or_else(resting), not_before })
    }

    /// What one node says, and whether it surely did nothing with what it was sent.
    async fn ask_one(
        &self,
        endpoint: &str,
        chain: &str,
        query: &NodeQuery,
        requests: &[NodeRequest],
    ) -> Result<(NodeResult, bool), String> {
        let began = self.now();
        let exchanged = match self.exchange(endpoint, requests).await {
            Ok(exchanged) => exchanged,
            Err(error) => {
                self.leave_alone(endpoint, began, &error);
                let reason = format!("{}: {error}", host(endpoint));
                return Ok((unclear(query, reason), matches!(error, ExchangeError::RateLimited { .. })));
            }
        };
        let result = self.meaning(chain, query, exchanged.responses).await?;
        match exchanged.error {
            // Some nodes put the chain's own word into an answer that looks like a server's failure.
            Some(error) if weight(&result) == Weight::Unclear => {
                self.leave_alone(endpoint, began, &error);
            }
            _ => self.nodes.fine(endpoint),
        }
        Ok((result, false))
    }

    async fn requests(&self, chain: &str, query: &NodeQuery) -> Result<Vec<NodeRequest>, String> {
        let request = Request::BuildNodeRequests { chain: chain.to_owned(), query: query.clone() };
        match self.ports.signer.ask(request).await {
            Ok(Reply::NodeRequests { requests }) => Ok(requests),
            Ok(_) => Err(senseless()),
            Err(refusal) => Err(refusal.to_string()),
        }
    }

    async fn meaning(
        &self,
        chain: &str,
        query: &NodeQuery,
        responses: Vec<NodeResponse>,
    ) -> Result<NodeResult, String> {
        let request =
            Request::ParseNodeResponses { chain: chain.to_owned(), query: query.clone(), responses };
        match self.ports.signer.ask(request).await {
            Ok(Reply::NodeResult(result)) => Ok(result),
            Ok(_) => Err(senseless()),
            Err(refusal) => Err(refusal.to_string()),
        }
    }
}

fn senseless() -> String {
    "signer_unavailable: the signer's answer made no sense".to_owned()
}

const fn weight(result: &NodeResult) -> Weight {
    match result {
        NodeResult::Broadcast(Broadcast::Accepted | Broadcast::Rejected { .. })
        | NodeResult::Status(Status::Confirmed { .. } | Status::Failed { .. } | Status::Pending)
        | NodeResult::Checked(Checked::Sendable { .. } | Checked::Stale { .. })
        | NodeResult::NetworkFacts(NetworkFacts { zcash_branch: Some(_) }) => Weight::Clear,
        // One node may be behind, or be somebody else's: the others are asked too before it is believed.
        NodeResult::Status(Status::NotFound) | NodeResult::Checked(Checked::WrongNetwork { .. }) => {
            Weight::Weak
        }
        NodeResult::Broadcast(Broadcast::Ambiguous { .. })
        | NodeResult::Status(Status::Unclear { .. })
        | NodeResult::Checked(Checked::Unclear { .. })
        | NodeResult::NetworkFacts(NetworkFacts { zcash_branch: None }) => Weight::Unclear,
    }
}

/// What a node says of bytes that another one may have taken a moment before: a refusal is no longer the last word.
fn doubted(result: NodeResult) -> NodeResult {
    match result {
        NodeResult::Broadcast(Broadcast::Rejected { reason }) => {
            NodeResult::Broadcast(Broadcast::Ambiguous { reason })
        }
        result => result,
    }
}

/// Nobody gave a usable answer.
fn unclear(query: &NodeQuery, reason: String) -> NodeResult {
    match query {
        NodeQuery::Broadcast(_) => NodeResult::Broadcast(Broadcast::Ambiguous { reason }),
        NodeQuery::Status { .. } => NodeResult::Status(Status::Unclear { reason }),
        NodeQuery::Check(_) => NodeResult::Checked(Checked::Unclear { reason }),
        NodeQuery::NetworkFacts => NodeResult::NetworkFacts(NetworkFacts { zcash_branch: None }),
    }
}

/// An endpoint's host: what follows it may be a key that somebody pays for.
fn host(endpoint: &str) -> &str {
    let rest = endpoint.split_once("://").map_or(endpoint, |(_, rest)| rest);
    rest.split('/').next().unwrap_or(rest)
}
