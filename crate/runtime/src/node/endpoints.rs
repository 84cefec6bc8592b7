//! Which nodes a question goes to, and which of them are left alone for now.
//!
//! What is known of a node's failures is in memory only: a worker that starts anew may ask everybody once.

use super::exchange::ExchangeError;
use crate::Core;
use chains::Chain;
use std::cell::RefCell;
use std::collections::BTreeMap;
use wire::api::{Endpoint, Millis};
use wire::node::NodeQuery;

/// A node that failed once is left alone for so long, and twice as long after each further failure.
const FIRST_REST: Millis = 1_000;
/// The longest rest of a node that does not say how long.
const LONGEST_REST: Millis = 60_000;
/// The longest rest that a node can ask for.
const LONGEST_WISH: Millis = 60 * 60 * 1_000;

/// The nodes that failed lately, by their address.
#[derive(Debug, Default)]
pub(crate) struct Nodes(RefCell<BTreeMap<String, Rest>>);

/// What is known of a node that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Rest {
    /// How often in a row.
    failures: u32,
    /// When the last one was.
    since: Millis,
    /// When it may be asked again.
    until: Millis,
}

impl Nodes {
    /// Whether a node is not to be asked now.
    pub(super) fn rests(&self, endpoint: &str, now: Millis) -> bool {
        self.0.borrow().get(endpoint).is_some_and(|rest| rest.until > now)
    }

    /// When the first of these may be asked, if none may be now; otherwise 0.
    pub(super) fn all_rest_until(&self, endpoints: &[String], now: Millis) -> Millis {
        let rests = self.0.borrow();
        let free_at = |endpoint: &String| rests.get(endpoint).map_or(0, |rest| rest.until);
        endpoints.iter().map(free_at).min().filter(|until| *until > now).unwrap_or(0)
    }

    /// A node answered.
    pub(super) fn fine(&self, endpoint: &str) {
        self.0.borrow_mut().remove(endpoint);
    }

    /// A node failed: it rests as long as it wishes, or else the longer the more often it failed. `chance` decides
    /// about half of the latter, so that many wallets do not come back in the same moment.
    fn failed(&self, endpoint: &str, began: Millis, now: Millis, wish: Option<Millis>, chance: u16) {
        let mut rests = self.0.borrow_mut();
        let known = rests.get(endpoint).copied().unwrap_or(Rest { failures: 0, since: 0, until: 0 });
        // Questions that were under way together fail together, and that is one failure.
        let again = known.failures == 0 || began >= known.since;
        let failures = if again { known.failures.saturating_add(1) } else { known.failures };
        let wait = match wish {
            Some(wish) => wish.clamp(FIRST_REST, LONGEST_WISH),
            None if again => rest(failures, chance),
            None => 0,
        };
        let until = known.until.max(now + wait);
        rests.insert(endpoint.to_owned(), Rest { failures, since: now, until });
    }
}

/// From half to the whole of a time that doubles with each failure.
fn rest(failures: u32, chance: u16) -> Millis {
    let whole = FIRST_REST.saturating_mul(1 << failures.saturating_sub(1).min(16)).min(LONGEST_REST);
    let half = whole / 2;
    half + half * Millis::from(chance) / Millis::from(u16::MAX)
}

impl Core {
    /// The nodes that a question goes to, the first choice first.
    pub(super) async fn endpoints(&self, name: &str, query: &NodeQuery) -> Result<Vec<String>, String> {
        let chain = Chain::parse(name).ok_or_else(|| format!("unknown_chain: {name}"))?;
        let mut settings = self.settings.read().await.map_err(|error| error.to_string())?;
        Ok(choice(chain, settings.endpoints.remove(chain.name()), query))
    }

    /// Takes note of a node's failure in an exchange that began at a time.
    pub(super) fn leave_alone(&self, endpoint: &str, began: Millis, error: &ExchangeError) {
        let mut chance = [0; 2];
        self.ports.host.random(&mut chance);
        let wish = error.retry_after().map(|seconds| seconds.saturating_mul(1_000));
        self.nodes.failed(endpoint, began, self.now(), wish, u16::from_le_bytes(chance));
    }
}

/// The person's nodes; the table's where the person chose none.
fn choice(chain: Chain, chosen: Option<Endpoint>, query: &NodeQuery) -> Vec<String> {
    let status = matches!(query, NodeQuery::Status { .. });
    let facts = matches!(query, NodeQuery::NetworkFacts);
    match chosen {
        Some(Endpoint { rpc_url: Some(url), .. }) if facts => vec![url],
        // The table's do not know it.
        None if facts => Vec::new(),
        Some(Endpoint { status_url: Some(url), .. }) if status => vec![url],
        Some(Endpoint { url, others, .. }) => {
            let mut all = vec![url];
            for other in others {
                if !all.contains(&other) {
                    all.push(other);
                }
            }
            all
        }
        None if status => vec![chain.status_endpoint().to_owned()],
        None => vec![chain.facts().endpoint.to_owned()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rest_doubles_up_to_a_minute_and_half_of_it_is_chance() {
        let shortest = [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000];
        for (failures, shortest) in (1..).zip(shortest) {
            assert_eq!((rest(failures, 0), rest(failures, u16::MAX)), (shortest, 2 * shortest));
        }
        assert_eq!(rest(u32::MAX, u16::MAX), LONGEST_REST);
    }

    #[test]
    fn questions_that_fail_together_are_one_failure() {
        let nodes = Nodes::default();
        let rest_of = |nodes: &Nodes| nodes.0.borrow()["a"];
        nodes.failed("a", 0, 100, None, 0);
        let once = rest_of(&nodes);
        nodes.failed("a", 50, 101, None, u16::MAX);
        assert_eq!(rest_of(&nodes), Rest { since: 101, ..once });
        nodes.failed("a", 700, 800, None, 0);
        assert_eq!(rest_of(&nodes), Rest { failures: 2, since: 800, until: 1_800 });
        // A wish is honoured all the same.
        nodes.failed("a", 799, 801, Some(30_000), 0);
        assert_eq!(rest_of(&nodes), Rest { failures: 2, since: 801, until: 30_801 });
    }

    #[test]
    fn a_wish_has_bounds() {
        let nodes = Nodes::default();
        nodes.failed("a", 0, 10, Some(0), u16::MAX);
        assert!(nodes.rests("a", 1_009) && !nodes.rests("a", 1_010));
        nodes.failed("a", 2_000, 2_000, Some(Millis::MAX), 0);
        assert_eq!(nodes.all_rest_until(&["a".to_owned()], 2_000), 2_000 + LONGEST_WISH);
        nodes.fine("a");
        assert_eq!(nodes.all_rest_until(&["a".to_owned()], 2_000), 0);
    }

    fn endpoint(status_url: Option<&str>) -> Endpoint {
        let others = ["https://b", "https://a", "https://b"].map(str::to_owned).to_vec();
        Endpoint {
            url: "https://a".to_owned(),
            others,
            status_url: status_url.map(str::to_owned),
            rpc_url: None,
        }
    }

    #[test]
    fn the_persons_nodes_come_instead_of_the_tables() {
        let status = NodeQuery::Status { id: "ab".to_owned() };
        let signed = wire::node::SignedBytes { bytes: String::new(), detached: None, id: String::new() };
        let broadcast = NodeQuery::Broadcast(signed);
        let polkadot = |chosen, query| choice(Chain::Polkadot, chosen, query);
        assert_eq!(polkadot(None, &broadcast), [Chain::Polkadot.facts().endpoint]);
        assert_eq!(polkadot(None, &status), [Chain::Polkadot.status_endpoint()]);
        assert_eq!(polkadot(Some(endpoint(None)), &broadcast), ["https://a", "https://b"]);
        assert_eq!(polkadot(Some(endpoint(None)), &status), ["https://a", "https://b"]);
        assert_eq!(polkadot(Some(endpoint(Some("https://s"))), &broadcast), ["https://a", "https://b"]);
        assert_eq!(polkadot(Some(endpoint(Some("https://s"))), &status), ["https://s"]);
        let facts = |chosen| choice(Chain::Zcash, chosen, &NodeQuery::NetworkFacts);
        assert_eq!(facts(None), Vec::<String>::new(), "the table's node does not know");
        assert_eq!(facts(Some(endpoint(Some("https://s")))), ["https://a", "https://b"]);
        let with_rpc = Endpoint { rpc_url: Some("https://r".to_owned()), ..endpoint(None) };
        assert_eq!(facts(Some(with_rpc)), ["https://r"]);
    }
}
