//! The chains' nodes: which are asked, in which order, and for how long.
//!
//! Queries go to one node at a time, in the order of the user's choice, until the answer is clear; one that would end
//! something also needs a second node, where there are several. A node that fails is not asked again for a while. What no
//! node could say is unclear, never a failure: only the chain's own word is.

mod agree;
mod endpoints;
mod exchange;
mod pass;
#[cfg(test)]
pub(crate) mod tests;

use crate::Core;
use crate::ports::{Host, Net, Ports, Signer};
use agree::{Certainty, Poll, certainty_of};
use derive::Code;
pub(crate) use endpoints::same_nodes;
use endpoints::{Pauses, choice};
pub(crate) use exchange::{ExchangeError, together};
pub(crate) use pass::PassError;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use wire::api::{Endpoint, Millis};
use wire::evm::{Filling, GasNeed};
use wire::failure::Failure;
use wire::node::{
    Broadcast, Checked, NetworkFacts, NodeQuery, NodeRequest, NodeResponses, NodeResult, Status,
};
use wire::signer::{DecodeRequest, Reply};
use wire::sorted::SortedSet;
use wire::trial::{NoTrialReason, TrialOutcome};

/// What the nodes of a chain answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answers {
    /// One for each query.
    pub(crate) results: Vec<NodeResult>,
    /// When a node may be asked again, if none may be asked before; otherwise 0.
    pub(crate) not_before: Millis,
}

/// How many built requests are kept: those of a broadcast, and of the lookup and the check that follow it.
const KEPT: usize = 2;

/// Asks the chains' nodes, and remembers which of them failed. Owns no table: a worker that starts anew asks every node
/// once.
pub(crate) struct Nodes {
    net: Rc<dyn Net>,
    host: Rc<dyn Host>,
    signer: Rc<dyn Signer>,
    pauses: Pauses,
    /// Nodes that take no batches.
    unbatched: RefCell<SortedSet<String>>,
    /// The last requests: built before they are needed, and again and again the same for a receipt.
    built: RefCell<VecDeque<Rc<Built>>>,
}

/// Queries, and the requests that put them to a node.
struct Built {
    chain: String,
    queries: Vec<NodeQuery>,
    requests: Vec<Vec<NodeRequest>>,
    batch: Option<NodeRequest>,
}

impl Nodes {
    pub(crate) fn new(ports: &Ports) -> Self {
        Self {
            net: Rc::clone(&ports.net),
            host: Rc::clone(&ports.host),
            signer: Rc::clone(&ports.signer),
            pauses: Pauses::default(),
            unbatched: RefCell::default(),
            built: RefCell::default(),
        }
    }

    /// Asks the nodes of a chain, one after the other, until the answer to the first query is clear: one that would end
    /// something is disputed until two nodes say it, where there are several. The answers to the other queries are
    /// those of the same node, or unclear.
    pub(crate) async fn query(
        &self,
        chain: &str,
        chosen: Option<&Endpoint>,
        queries: Vec<NodeQuery>,
    ) -> Answers {
        let unanswered = queries.clone();
        self.ask_each(chain, chosen, queries).await.unwrap_or_else(|reason| Answers {
            results: unclear_all(&unanswered, &reason.to_string()),
            not_before: 0,
        })
    }

    /// Builds the requests of queries that come next, while something else is waited for.
    pub(crate) async fn prepare(&self, chain: &str, upcoming: [Vec<NodeQuery>; 2]) {
        for queries in upcoming {
            // What cannot be built is reported by the query itself.
            let _ = self.build(chain, queries).await;
        }
    }

    /// The same; the error is what keeps us from asking, or from understanding.
    async fn ask_each(
        &self,
        chain: &str,
        chosen: Option<&Endpoint>,
        queries: Vec<NodeQuery>,
    ) -> Result<Answers, Failure> {
        let built = self.build(chain, queries).await?;
        if built.requests.iter().all(Vec::is_empty) {
            // There is nothing that a node of this chain could say.
            let results = self
                .parse(&built, NodeResponses::Single(built.requests.iter().map(|_| Vec::new()).collect()));
            return Ok(Answers { results: results.await?.unwrap_or_default(), not_before: 0 });
        }
        let endpoints = choice(chain, chosen, &built.queries)?;
        let mut poll = Poll::new(&built.queries, &endpoints);
        for endpoint in &endpoints {
            if self.pauses.paused(endpoint, self.host.now()) || !poll.wants(endpoint) {
                continue;
            }
            let (results, untouched) = self.ask_one(endpoint, &built).await?;
            if poll.add(endpoint, results, untouched) {
                break;
            }
        }
        let not_before = self.pauses.all_paused_until(&endpoints, self.host.now());
        let paused =
            || unclear_all(&built.queries, "every node asked to be left alone, or failed a moment ago");
        Ok(Answers { results: poll.conclude().unwrap_or_else(paused), not_before })
    }

    /// What one node answers, and whether it certainly did nothing with what it was sent.
    async fn ask_one(&self, endpoint: &str, built: &Built) -> Result<(Vec<NodeResult>, bool), Failure> {
        let began = self.host.now();
        if let Some(batch) = &built.batch
            && !self.unbatched.borrow().contains(endpoint)
        {
            let batched = self.exchange_batch(endpoint, batch).await;
            if let Some(answered) = self.understand(endpoint, built, began, batched).await? {
                return Ok(answered);
            }
            self.unbatched.borrow_mut().insert(endpoint.to_owned());
        }
        let single = self.exchange(endpoint, &built.requests).await;
        let answered = self.understand(endpoint, built, began, single).await?;
        answered.ok_or_else(senseless)
    }

    /// What the responses say, `None` if the node takes no batches. A node that failed is not asked for a while.
    async fn understand(
        &self,
        endpoint: &str,
        built: &Built,
        began: Millis,
        exchanged: Result<exchange::Exchanged, ExchangeError>,
    ) -> Result<Option<(Vec<NodeResult>, bool)>, Failure> {
        let exchanged = match exchanged {
            Ok(exchanged) => exchanged,
            Err(error) => {
                // How long the answer to a trial run is, the bundle decides and not the node.
                let of_bundle = matches!(error, ExchangeError::TooLarge)
                    && matches!(built.queries.first(), Some(NodeQuery::TrialRun { .. }));
                if !of_bundle {
                    self.failed(endpoint, began, &error);
                }
                let reason = format!("{}: {}", host(endpoint), Failure::of(error.code(), &error));
                let untouched = matches!(error, ExchangeError::RateLimited { .. });
                return Ok(Some((unclear_all(&built.queries, &reason), untouched)));
            }
        };
        let Some(results) = self.parse(built, exchanged.responses).await? else { return Ok(None) };
        match exchanged.error {
            // Some nodes put the chain's own word into a response that looks like a server's failure.
            Some(error) if certainty_of(&results) == Certainty::Unclear => {
                self.failed(endpoint, began, &error);
            }
            _ => self.pauses.clear(endpoint),
        }
        Ok(Some((results, false)))
    }

    async fn build(&self, chain: &str, queries: Vec<NodeQuery>) -> Result<Rc<Built>, Failure> {
        let same = |built: &&Rc<Built>| built.chain == chain && built.queries == queries;
        if let Some(known) = self.built.borrow().iter().find(same) {
            return Ok(Rc::clone(known));
        }
        let request = DecodeRequest::BuildNodeRequests { chain: chain.to_owned(), queries: queries.clone() };
        match self.signer.ask(request.into()).await {
            Ok(Reply::NodeRequests { requests, batch }) if requests.len() == queries.len() => {
                let built = Rc::new(Built { chain: chain.to_owned(), queries, requests, batch });
                let mut kept = self.built.borrow_mut();
                kept.push_front(Rc::clone(&built));
                kept.truncate(KEPT);
                Ok(built)
            }
            Ok(_) => Err(senseless()),
            Err(refusal) => Err(Failure::new(refusal.code, refusal.message)),
        }
    }

    async fn parse(
        &self,
        built: &Built,
        responses: NodeResponses,
    ) -> Result<Option<Vec<NodeResult>>, Failure> {
        let (chain, queries) = (built.chain.clone(), built.queries.clone());
        let request = DecodeRequest::ParseNodeResponses { chain, queries, responses };
        match self.signer.ask(request.into()).await {
            Ok(Reply::NodeResults { results }) if results.len() == built.queries.len() => Ok(Some(results)),
            Ok(Reply::BatchRefused {}) => Ok(None),
            Ok(_) => Err(senseless()),
            Err(refusal) => Err(Failure::new(refusal.code, refusal.message)),
        }
    }

    /// Records a node's failure in an exchange that began at a time.
    fn failed(&self, endpoint: &str, began: Millis, error: &ExchangeError) {
        let mut chance = [0; 2];
        self.host.random(&mut chance);
        let wish = error.retry_after().map(|seconds| seconds.saturating_mul(1_000));
        self.pauses.failed(endpoint, began, self.host.now(), wish, u16::from_le_bytes(chance));
    }
}

/// Asks the nodes of a chain that the settings name now.
pub(crate) async fn query_nodes(core: &Core, chain: &str, queries: Vec<NodeQuery>) -> Answers {
    match core.settings.read().await {
        Ok(settings) => core.nodes.query(chain, settings.endpoints.get(chain), queries).await,
        Err(error) => Answers { results: unclear_all(&queries, &error.to_string()), not_before: 0 },
    }
}

/// Why no node is asked, or none is understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Code)]
pub(crate) enum NodeError {
    /// No chain has this name.
    #[error("{0}")]
    UnknownChain(String),
    /// The signer's answer cannot be used.
    #[error("the signer's answer made no sense")]
    SignerUnavailable,
}

impl From<NodeError> for Failure {
    fn from(error: NodeError) -> Self {
        Self::of(error.code(), &error)
    }
}

fn senseless() -> Failure {
    NodeError::SignerUnavailable.into()
}

fn unclear_all(queries: &[NodeQuery], reason: &str) -> Vec<NodeResult> {
    queries.iter().map(|query| unclear(query, reason.to_owned())).collect()
}

/// No node gave a usable answer.
fn unclear(query: &NodeQuery, reason: String) -> NodeResult {
    match query {
        NodeQuery::Broadcast(_) => NodeResult::Broadcast(Broadcast::Ambiguous { reason }),
        NodeQuery::Status { .. } => NodeResult::Status(Status::Unclear { reason }),
        NodeQuery::Check(_) => NodeResult::Checked(Checked::Unclear { reason }),
        NodeQuery::NetworkFacts => NodeResult::NetworkFacts(NetworkFacts::default()),
        NodeQuery::Fact(_) => NodeResult::Facts(Vec::new()),
        NodeQuery::Fill(_) => NodeResult::Filling(Filling::Unclear { reason }),
        NodeQuery::Estimate { calls, .. } => NodeResult::Estimates(vec![GasNeed::Unknown; calls.len()]),
        NodeQuery::Receipt { .. } => NodeResult::Receipt(None),
        NodeQuery::TrialRun { .. } => {
            NodeResult::TrialRun(TrialOutcome::NotRun { reason: NoTrialReason::NoAnswer })
        }
    }
}

/// The nodes do not agree.
fn disputed(query: &NodeQuery, reason: String) -> NodeResult {
    match query {
        NodeQuery::Broadcast(_) => NodeResult::Broadcast(Broadcast::Disputed { reason }),
        NodeQuery::Status { .. } => NodeResult::Status(Status::Disputed { reason }),
        NodeQuery::Check(_) => NodeResult::Checked(Checked::Disputed { reason }),
        // None of these ends anything, so no second node is asked.
        NodeQuery::NetworkFacts
        | NodeQuery::Fact(_)
        | NodeQuery::TrialRun { .. }
        | NodeQuery::Fill(_)
        | NodeQuery::Estimate { .. }
        | NodeQuery::Receipt { .. } => unclear(query, reason),
    }
}

/// An endpoint's host: what follows it may be a key that the user pays for.
fn host(endpoint: &str) -> &str {
    let rest = endpoint.split_once("://").map_or(endpoint, |(_, rest)| rest);
    rest.split('/').next().unwrap_or(rest)
}
