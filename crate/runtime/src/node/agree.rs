//! When one node's word is not enough.
//!
//! A node that lies, or that follows a fork, could end a bundle by itself: with a receipt that is not there, a revert, a
//! nonce that is not used. Where the user named two or more nodes of a chain, an answer that ends something counts only
//! when a second node says the same. What ends nothing (a transaction that waits, or that can be sent) is believed of
//! one node: no second one is asked for it.
//!
//! A new kind of query says here which of its answers end something ([`ends`]), and when two are the same ([`agree`]).

use super::endpoints::same_node;
use super::{disputed, host, unclear};
use wire::evm::{Filling, GasNeed};
use wire::node::{Broadcast, Checked, NetworkFacts, NodeQuery, NodeResult, Status};
use wire::trial::{NoTrialReason, TrialOutcome};

/// How much of a node's own words is repeated in the reason of a dispute.
const LONGEST_QUOTE: usize = 120;

/// How far an answer ends the search for a better one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Certainty {
    /// No answer, or one that cannot be used.
    Unclear,
    /// True if no other node contradicts it.
    Weak,
    /// The chain's word.
    Clear,
}

/// What the nodes of a chain answered to the same queries, in the order in which they were asked.
pub(super) struct Poll<'a> {
    queries: &'a [NodeQuery],
    endpoints: &'a [String],
    /// Whether what ends something needs a second node.
    needs_second: bool,
    said: Vec<Said<'a>>,
}

/// What one node answered.
struct Said<'a> {
    endpoint: &'a str,
    /// One for each query.
    results: Vec<NodeResult>,
    /// Whether the node certainly did nothing with what it was sent.
    untouched: bool,
}

impl<'a> Poll<'a> {
    /// Nothing is answered yet.
    pub(super) fn new(queries: &'a [NodeQuery], endpoints: &'a [String]) -> Self {
        let needs_second = endpoints
            .split_first()
            .is_some_and(|(first, others)| others.iter().any(|other| !same_node(first, other)));
        Self { queries, endpoints, needs_second, said: Vec::new() }
    }

    /// Whether this node can add something: not if it is the one that waits for a second.
    pub(super) fn wants(&self, endpoint: &str) -> bool {
        !self.needs_second
            || !self.said.iter().any(|said| said.first().is_some_and(ends) && said.is_of(endpoint))
    }

    /// Takes a node's answer; whether no further node has to be asked.
    pub(super) fn add(&mut self, endpoint: &'a str, results: Vec<NodeResult>, untouched: bool) -> bool {
        let tried = self.said.iter().any(|said| !said.untouched);
        let results = match !self.needs_second && tried {
            true => results.into_iter().map(downgraded).collect(),
            false => results,
        };
        let clear = certainty_of(&results) == Certainty::Clear;
        self.said.push(Said { endpoint, results, untouched });
        if self.needs_second { self.decided().is_some() } else { clear }
    }

    /// The answer to each query; `None` if no node was asked.
    pub(super) fn conclude(self) -> Option<Vec<NodeResult>> {
        if !self.needs_second {
            let best = self.best();
            return self.said.into_iter().nth(best).map(|said| said.results);
        }
        let ending = self.said.iter().find(|said| said.first().is_some_and(ends));
        let Some(ending) = ending else { return self.results_of(self.best()) };
        // Without an answer that is decided, two that say the same outweigh the one.
        let agreed = || (0..self.said.len()).find(|at| self.is_seconded(*at));
        if let Some(at) = self.decided().or_else(agreed) {
            return self.results_of(at);
        }
        let reason = self.dispute(ending);
        let answer = |(place, query)| match place {
            0 => disputed(query, reason.clone()),
            _ => unclear(query, reason.clone()),
        };
        Some(self.queries.iter().enumerate().map(answer).collect())
    }

    /// The most certain answer to the first query; of two equal ones the later, which is closer to now.
    fn best(&self) -> usize {
        let all = self.said.iter().enumerate();
        all.max_by_key(|(_, said)| certainty_of(&said.results)).map_or(0, |(at, _)| at)
    }

    /// The answer that no further node can change, if the newest is one, or seconds one.
    fn decided(&self) -> Option<usize> {
        let newest = self.said.len().checked_sub(1)?;
        let result = self.said.get(newest)?.first()?;
        match result {
            // A node of another network is passed over: all others are asked before it is believed.
            NodeResult::Checked(Checked::WrongNetwork { .. }) => None,
            // Whatever the others say, this node has the bytes.
            NodeResult::Broadcast(Broadcast::Accepted) => Some(newest),
            _ if ends(result) => self
                .is_seconded(newest)
                .then(|| self.said.iter().position(|said| said.says(result)).unwrap_or(newest)),
            _ if certainty(result) != Certainty::Clear => None,
            _ => (!self.is_contested() || self.is_seconded(newest)).then_some(newest),
        }
    }

    /// Whether a node said what would end something, if a second had.
    fn is_contested(&self) -> bool {
        let wrong_network =
            |result: &NodeResult| matches!(result, NodeResult::Checked(Checked::WrongNetwork { .. }));
        self.said.iter().filter_map(Said::first).any(|result| ends(result) && !wrong_network(result))
    }

    /// Whether another node gives the same answer to the first query. Nodes reject bytes together only if no node that
    /// was sent them may have them.
    fn is_seconded(&self, at: usize) -> bool {
        let Some((said, result)) = self.said.get(at).and_then(|said| Some((said, said.first()?))) else {
            return false;
        };
        let rejected = matches!(result, NodeResult::Broadcast(Broadcast::Rejected { .. }));
        let nowhere = || self.said.iter().all(|other| other.untouched || other.says(result));
        self.said.iter().any(|other| !other.is_of(said.endpoint) && other.says(result))
            && (!rejected || nowhere())
    }

    /// The answers of one node. Only the first is decided by two: of the others, what ends something counts if another
    /// node happened to say it too.
    fn results_of(&self, at: usize) -> Option<Vec<NodeResult>> {
        let said = self.said.get(at)?;
        let mut results = said.results.clone();
        for (place, (result, query)) in results.iter_mut().zip(self.queries).enumerate().skip(1) {
            let same = |other: &Said<'_>| other.results.get(place).is_some_and(|other| agree(result, other));
            let alone = !self.said.iter().any(|other| !other.is_of(said.endpoint) && same(other));
            if ends(result) && alone {
                *result = unclear(query, format!("only {} was asked", host(said.endpoint)));
            }
        }
        Some(results)
    }

    /// Why an answer that would end something does not count, for a person: who says it, and what another node says.
    fn dispute(&self, ending: &Said<'_>) -> String {
        let claim = format!("{} {}", host(ending.endpoint), ending.first().map(words).unwrap_or_default());
        let same = |other: &Said<'_>| ending.first().is_some_and(|result| other.says(result));
        let others = self.said.iter().filter(|other| !other.is_of(ending.endpoint) && !same(other));
        let other = others
            .filter_map(|other| Some((other, other.first()?)))
            .max_by_key(|(_, result)| (ends(result), certainty(result)));
        match other {
            Some((other, result)) => {
                let opening = match certainty(result) {
                    Certainty::Unclear => "Two nodes must agree",
                    Certainty::Weak | Certainty::Clear => "Two nodes disagree",
                };
                format!("{opening}: {claim}, {} {}", host(other.endpoint), words(result))
            }
            None => {
                let other = self.endpoints.iter().find(|other| !same_node(other, ending.endpoint));
                let other = other.map_or("the other", |other| host(other));
                format!("Two nodes must agree: {claim}, {other} failed or asked for a pause a moment ago")
            }
        }
    }
}

impl Said<'_> {
    /// The answer to the first query, which decides.
    fn first(&self) -> Option<&NodeResult> {
        self.results.first()
    }

    fn is_of(&self, endpoint: &str) -> bool {
        same_node(self.endpoint, endpoint)
    }

    fn says(&self, result: &NodeResult) -> bool {
        self.first().is_some_and(|first| agree(first, result))
    }
}

/// Whether an answer ends a step or a bundle, or refuses it.
pub(super) const fn ends(result: &NodeResult) -> bool {
    matches!(
        result,
        NodeResult::Broadcast(Broadcast::Rejected { .. })
            | NodeResult::Status(Status::Confirmed { .. } | Status::Failed { .. })
            | NodeResult::Checked(Checked::Stale { .. } | Checked::WrongNetwork { .. })
    )
}

/// Whether two answers say the same; words and heights may differ. What cannot be used agrees with nothing.
pub(super) fn agree(one: &NodeResult, other: &NodeResult) -> bool {
    match (one, other) {
        (NodeResult::Broadcast(one), NodeResult::Broadcast(other)) => matches!(
            (one, other),
            (Broadcast::Accepted, Broadcast::Accepted)
                | (Broadcast::Rejected { .. }, Broadcast::Rejected { .. })
        ),
        (NodeResult::Status(one), NodeResult::Status(other)) => matches!(
            (one, other),
            (Status::Confirmed { .. }, Status::Confirmed { .. })
                | (Status::Failed { .. }, Status::Failed { .. })
                | (Status::Pending, Status::Pending)
                | (Status::NotFound, Status::NotFound)
        ),
        (NodeResult::Checked(one), NodeResult::Checked(other)) => matches!(
            (one, other),
            (Checked::Sendable { .. }, Checked::Sendable { .. })
                | (Checked::Stale { .. }, Checked::Stale { .. })
                | (Checked::WrongNetwork { .. }, Checked::WrongNetwork { .. })
        ),
        (NodeResult::NetworkFacts(one), NodeResult::NetworkFacts(other)) => !one.is_empty() && one == other,
        _ => false,
    }
}

/// The first query decides.
pub(super) fn certainty_of(results: &[NodeResult]) -> Certainty {
    results.first().map_or(Certainty::Unclear, certainty)
}

fn certainty(result: &NodeResult) -> Certainty {
    match result {
        NodeResult::Broadcast(Broadcast::Accepted | Broadcast::Rejected { .. })
        | NodeResult::Status(Status::Confirmed { .. } | Status::Failed { .. } | Status::Pending)
        | NodeResult::Checked(Checked::Sendable { .. } | Checked::Stale { .. })
        | NodeResult::NetworkFacts(NetworkFacts { zcash_branch: Some(_), .. })
        | NodeResult::TrialRun(TrialOutcome::Ran { .. }) => Certainty::Clear,
        // One node may be behind, or of another network: the others are asked too before it is believed.
        NodeResult::Status(Status::NotFound)
        | NodeResult::Checked(Checked::WrongNetwork { .. })
        // Another node may offer it.
        | NodeResult::TrialRun(TrialOutcome::NotRun { reason: NoTrialReason::NodeHasNone })
        | NodeResult::Filling(Filling::WrongNetwork { .. })
        | NodeResult::Receipt(None) => Certainty::Weak,
        NodeResult::Broadcast(Broadcast::Ambiguous { .. } | Broadcast::Disputed { .. })
        | NodeResult::Status(Status::Unclear { .. } | Status::Disputed { .. })
        | NodeResult::Checked(Checked::Unclear { .. } | Checked::Disputed { .. })
        | NodeResult::NetworkFacts(NetworkFacts { zcash_branch: None, .. })
        | NodeResult::TrialRun(TrialOutcome::NotRun { .. }) => Certainty::Unclear,
        NodeResult::Facts(facts) if facts.is_empty() => Certainty::Unclear,
        NodeResult::Facts(_) | NodeResult::Filling(Filling::Known(_)) | NodeResult::Receipt(Some(_)) => {
            Certainty::Clear
        }
        NodeResult::Filling(Filling::Unclear { .. }) => Certainty::Unclear,
        NodeResult::Estimates(needs) => match needs.first() {
            None | Some(GasNeed::Unknown) => Certainty::Weak,
            Some(_) => Certainty::Clear,
        },
    }
}

/// Downgrades Rejected to Ambiguous once another node may have the transaction.
fn downgraded(result: NodeResult) -> NodeResult {
    match result {
        NodeResult::Broadcast(Broadcast::Rejected { reason }) => {
            NodeResult::Broadcast(Broadcast::Ambiguous { reason })
        }
        result => result,
    }
}

/// What a node says, after its name.
fn words(result: &NodeResult) -> String {
    let (words, reason) = match result {
        NodeResult::Broadcast(Broadcast::Accepted) => ("takes it", ""),
        NodeResult::Broadcast(Broadcast::Rejected { reason }) => ("rejects it", reason.as_str()),
        NodeResult::Status(Status::Confirmed { .. }) => ("says confirmed", ""),
        NodeResult::Status(Status::Failed { reason }) => ("says failed", reason.as_str()),
        NodeResult::Status(Status::Pending) => ("says it waits for a block", ""),
        NodeResult::Status(Status::NotFound) => ("does not know it", ""),
        NodeResult::Checked(Checked::Sendable { .. }) => ("says it can be sent", ""),
        NodeResult::Checked(Checked::Stale { reason }) => {
            ("says it can no longer be sent", reason.trim_end_matches('.'))
        }
        NodeResult::Checked(Checked::WrongNetwork { .. }) => ("is of another network", ""),
        _ => ("gives no usable answer", ""),
    };
    if reason.is_empty() {
        return words.to_owned();
    }
    let reason: String = reason.chars().take(LONGEST_QUOTE).collect();
    format!("{words} ({reason})")
}
