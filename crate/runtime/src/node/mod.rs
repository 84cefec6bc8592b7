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
use exchange::Trouble;
use wire::api::Millis;
use wire::node::{About, Broadcast, Checked, Heard, NodeAnswer, NodeRequest, Status};
use wire::signer::{Reply, Request};

/// What the nodes of a chain said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Told {
    /// What it means.
    pub(crate) heard: Heard,
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
    pub(crate) async fn ask_nodes(&self, chain: &str, about: &About) -> Told {
        match self.ask_each(chain, about).await {
            Ok(told) => told,
            Err(reason) => Told { heard: unclear(about, reason), not_before: 0 },
        }
    }

    /// The same; the error is what keeps us from asking anybody, or from understanding.
    async fn ask_each(&self, chain: &str, about: &About) -> Result<Told, String> {
        let requests = self.requests(chain, about).await?;
        if requests.is_empty() {
            // There is nothing that a node of this chain could say of it.
            return Ok(Told { heard: self.meaning(chain, about, Vec::new()).await?, not_before: 0 });
        }
        let endpoints = self.endpoints(chain, about).await?;
        let mut best: Option<Heard> = None;
        let mut tried = false;
        for endpoint in endpoints.iter().filter(|endpoint| !self.nodes.rests(endpoint, self.now())) {
            let (heard, untouched) = self.ask_one(endpoint, chain, about, &requests).await?;
            let heard = if tried { doubted(heard) } else { heard };
            tried |= !untouched;
            let found = weight(&heard);
            // Of two that are equal the later one: it is closer to now.
            if best.as_ref().is_none_or(|best| weight(best) <= found) {
                best = Some(heard);
            }
            if found == Weight::Clear {
                break;
            }
        }
        let not_before = self.nodes.all_rest_until(&endpoints, self.now());
        let resting =
            || unclear(about, "every node asked to be left alone, or failed a moment ago".to_owned());
        Ok(Told { heard: best.unwrap_or_else(resting), not_before })
    }

    /// What one node says, and whether it surely did nothing with what it was sent.
    async fn ask_one(
        &self,
        endpoint: &str,
        chain: &str,
        about: &About,
        requests: &[NodeRequest],
    ) -> Result<(Heard, bool), String> {
        let began = self.now();
        let exchanged = match self.exchange(endpoint, requests).await {
            Ok(exchanged) => exchanged,
            Err(trouble) => {
                self.leave_alone(endpoint, began, &trouble);
                let reason = format!("{}: {trouble}", host(endpoint));
                return Ok((unclear(about, reason), matches!(trouble, Trouble::RateLimited { .. })));
            }
        };
        let heard = self.meaning(chain, about, exchanged.answers).await?;
        match exchanged.trouble {
            // Some nodes put the chain's own word into an answer that looks like a server's failure.
            Some(trouble) if weight(&heard) == Weight::Unclear => {
                self.leave_alone(endpoint, began, &trouble);
            }
            _ => self.nodes.fine(endpoint),
        }
        Ok((heard, false))
    }

    async fn requests(&self, chain: &str, about: &About) -> Result<Vec<NodeRequest>, String> {
        let request = Request::Ask { chain: chain.to_owned(), about: about.clone() };
        match self.ports.signer.ask(request).await {
            Ok(Reply::Asks { requests }) => Ok(requests),
            Ok(_) => Err(senseless()),
            Err(refusal) => Err(refusal.to_string()),
        }
    }

    async fn meaning(&self, chain: &str, about: &About, answers: Vec<NodeAnswer>) -> Result<Heard, String> {
        let request = Request::Hear { chain: chain.to_owned(), about: about.clone(), answers };
        match self.ports.signer.ask(request).await {
            Ok(Reply::Heard(heard)) => Ok(heard),
            Ok(_) => Err(senseless()),
            Err(refusal) => Err(refusal.to_string()),
        }
    }
}

fn senseless() -> String {
    "signer_unavailable: the signer's answer made no sense".to_owned()
}

const fn weight(heard: &Heard) -> Weight {
    match heard {
        Heard::Broadcast(Broadcast::Accepted | Broadcast::Rejected { .. })
        | Heard::Status(Status::Confirmed { .. } | Status::Failed { .. } | Status::Pending)
        | Heard::Checked(Checked::Sendable { .. } | Checked::Stale { .. }) => Weight::Clear,
        // One node may be behind, or be somebody else's: the others are asked too before it is believed.
        Heard::Status(Status::NotFound) | Heard::Checked(Checked::WrongNetwork { .. }) => Weight::Weak,
        Heard::Broadcast(Broadcast::Ambiguous { .. })
        | Heard::Status(Status::Unclear { .. })
        | Heard::Checked(Checked::Unclear { .. }) => Weight::Unclear,
    }
}

/// What a node says of bytes that another one may have taken a moment before: a refusal is no longer the last word.
fn doubted(heard: Heard) -> Heard {
    match heard {
        Heard::Broadcast(Broadcast::Rejected { reason }) => Heard::Broadcast(Broadcast::Ambiguous { reason }),
        heard => heard,
    }
}

/// Nobody gave a usable answer.
const fn unclear(about: &About, reason: String) -> Heard {
    match about {
        About::Broadcast(_) => Heard::Broadcast(Broadcast::Ambiguous { reason }),
        About::Status { .. } => Heard::Status(Status::Unclear { reason }),
        About::Check(_) => Heard::Checked(Checked::Unclear { reason }),
    }
}

/// An endpoint's host: what follows it may be a key that somebody pays for.
fn host(endpoint: &str) -> &str {
    let rest = endpoint.split_once("://").map_or(endpoint, |(_, rest)| rest);
    rest.split('/').next().unwrap_or(rest)
}
