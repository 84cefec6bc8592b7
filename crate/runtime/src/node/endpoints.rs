//! Which nodes a query goes to, and which of them are not asked for now.
//!
//! Failures are remembered in memory only: a worker that starts anew may ask every node once.

use super::NodeError;
use chains::Chain;
use std::cell::RefCell;
use wire::api::{Endpoint, Millis};
use wire::node::{FactQuery, NodeQuery};
use wire::sorted::SortedMap;

/// A node that failed once is not asked for so long, and twice as long after each further failure.
const FIRST_PAUSE: Millis = 1_000;
/// The longest pause of a node that does not say how long.
const LONGEST_PAUSE: Millis = 60_000;
/// The longest pause that a node can ask for.
const LONGEST_WISH: Millis = 60 * 60 * 1_000;

/// The nodes that failed lately, by their address.
#[derive(Debug, Default)]
pub(super) struct Pauses(RefCell<SortedMap<String, Pause>>);

/// What is known of a node that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Pause {
    /// How often in a row.
    failures: u32,
    /// When the last one was.
    since: Millis,
    /// When it may be asked again.
    until: Millis,
}

impl Pauses {
    /// Whether a node is not to be asked now.
    pub(super) fn paused(&self, endpoint: &str, now: Millis) -> bool {
        self.0.borrow().get(endpoint).is_some_and(|rest| rest.until > now)
    }

    /// When the first of these may be asked, if none may be now; otherwise 0.
    pub(super) fn all_paused_until(&self, endpoints: &[String], now: Millis) -> Millis {
        let rests = self.0.borrow();
        let free_at = |endpoint: &String| rests.get(endpoint.as_str()).map_or(0, |rest| rest.until);
        endpoints.iter().map(free_at).min().filter(|until| *until > now).unwrap_or(0)
    }

    /// A node answered.
    pub(super) fn clear(&self, endpoint: &str) {
        self.0.borrow_mut().remove(endpoint);
    }

    /// A node failed: it is not asked for as long as it wishes, or else the longer the more often it failed. `chance`
    /// decides about half of the latter, so that many wallets do not come back in the same moment.
    pub(super) fn failed(
        &self,
        endpoint: &str,
        began: Millis,
        now: Millis,
        wish: Option<Millis>,
        chance: u16,
    ) {
        let mut rests = self.0.borrow_mut();
        let known = rests.get(endpoint).copied().unwrap_or(Pause { failures: 0, since: 0, until: 0 });
        // Questions that were under way together fail together, and that is one failure.
        let again = known.failures == 0 || began >= known.since;
        let failures = if again { known.failures.saturating_add(1) } else { known.failures };
        let wait = match wish {
            Some(wish) => wish.clamp(FIRST_PAUSE, LONGEST_WISH),
            None if again => pause(failures, chance),
            None => 0,
        };
        let until = known.until.max(now + wait);
        rests.insert(endpoint.to_owned(), Pause { failures, since: now, until });
    }
}

/// From half to the whole of a time that doubles with each failure.
fn pause(failures: u32, chance: u16) -> Millis {
    let whole = FIRST_PAUSE.saturating_mul(1 << failures.saturating_sub(1).min(16)).min(LONGEST_PAUSE);
    let half = whole / 2;
    half + half * Millis::from(chance) / Millis::from(u16::MAX)
}

/// The nodes that queries go to, the first choice first: the user's, or the table's where the user chose none. Queries
/// that go to different nodes are not asked together: those of the first are chosen.
pub(super) fn choice(
    name: &str,
    chosen: Option<&Endpoint>,
    queries: &[NodeQuery],
) -> Result<Vec<String>, NodeError> {
    let chain = Chain::parse(name).ok_or_else(|| NodeError::UnknownChain(name.to_owned()))?;
    Ok(nodes(chain, chosen, queries.first()))
}

/// The nodes of a chain, the first choice first; none if there is no such chain.
pub(super) fn nodes_of(name: &str, chosen: Option<&Endpoint>) -> Vec<String> {
    Chain::parse(name).map(|chain| nodes(chain, chosen, None)).unwrap_or_default()
}

/// Whether a status query and a check go to the same nodes.
pub(crate) fn same_nodes(name: &str, chosen: Option<&Endpoint>) -> bool {
    let status = NodeQuery::Status { id: String::new() };
    Chain::parse(name).is_some_and(|chain| nodes(chain, chosen, Some(&status)) == nodes(chain, chosen, None))
}

/// Whether two addresses are of the same node: of one host and port, however they are spelled. Who answers for one
/// answers for the other, so the two do not confirm each other.
pub(super) fn same_node(one: &str, other: &str) -> bool {
    let (host, port) = place(one);
    let (other_host, other_port) = place(other);
    port == other_port && host.eq_ignore_ascii_case(other_host)
}

/// Host and port of an address.
fn place(endpoint: &str) -> (&str, &str) {
    let default = if endpoint.starts_with("http://") { "80" } else { "443" };
    let authority = super::host(endpoint);
    let (host, port) = match authority.rsplit_once(':') {
        // The colons of an IPv6 address are inside brackets.
        Some((host, port)) if !port.contains(']') => (host, if port.is_empty() { default } else { port }),
        _ => (authority, default),
    };
    let host = host.trim_end_matches('.');
    (if host.eq_ignore_ascii_case("localhost") { "127.0.0.1" } else { host }, port)
}

fn nodes(chain: Chain, chosen: Option<&Endpoint>, query: Option<&NodeQuery>) -> Vec<String> {
    let status = matches!(query, Some(NodeQuery::Status { .. }));
    let facts = matches!(
        query,
        Some(
            NodeQuery::NetworkFacts | NodeQuery::Fact(FactQuery::PreviousTransaction { json_rpc: true, .. })
        )
    );
    match chosen {
        Some(Endpoint { rpc_url: Some(url), .. }) if facts => vec![url.clone()],
        // The table's do not know it.
        None if facts => Vec::new(),
        Some(Endpoint { status_url: Some(url), .. }) if status => vec![url.clone()],
        Some(Endpoint { url, others, .. }) => {
            let mut all = vec![url.clone()];
            for other in others {
                if !all.contains(other) {
                    all.push(other.clone());
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
    fn pause_doubles_up_to_a_minute() {
        let shortest = [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000];
        for (failures, shortest) in (1..).zip(shortest) {
            assert_eq!((pause(failures, 0), pause(failures, u16::MAX)), (shortest, 2 * shortest));
        }
        assert_eq!(pause(u32::MAX, u16::MAX), LONGEST_PAUSE);
    }

    #[test]
    fn concurrent_failures_count_once() {
        let pauses = Pauses::default();
        let pause_of = |pauses: &Pauses| *pauses.0.borrow().get("a").unwrap();
        pauses.failed("a", 0, 100, None, 0);
        let once = pause_of(&pauses);
        pauses.failed("a", 50, 101, None, u16::MAX);
        assert_eq!(pause_of(&pauses), Pause { since: 101, ..once });
        pauses.failed("a", 700, 800, None, 0);
        assert_eq!(pause_of(&pauses), Pause { failures: 2, since: 800, until: 1_800 });
        // A wish is honoured all the same.
        pauses.failed("a", 799, 801, Some(30_000), 0);
        assert_eq!(pause_of(&pauses), Pause { failures: 2, since: 801, until: 30_801 });
    }

    #[test]
    fn requested_pause_has_bounds() {
        let pauses = Pauses::default();
        pauses.failed("a", 0, 10, Some(0), u16::MAX);
        assert!(pauses.paused("a", 1_009) && !pauses.paused("a", 1_010));
        pauses.failed("a", 2_000, 2_000, Some(Millis::MAX), 0);
        assert_eq!(pauses.all_paused_until(&["a".to_owned()], 2_000), 2_000 + LONGEST_WISH);
        pauses.clear("a");
        assert_eq!(pauses.all_paused_until(&["a".to_owned()], 2_000), 0);
    }

    #[test]
    fn an_address_has_many_spellings() {
        for same in [
            "https://a.example",
            "https://a.example/",
            "https://A.Example:443",
            "https://a.example./v3/key",
            "https://a.example:/v3/another-key",
        ] {
            assert!(same_node("https://a.example", same) && same_node(same, "https://a.example"), "{same}");
        }
        for (one, other) in [
            ("http://localhost:8545", "http://127.0.0.1:8545/rpc"),
            ("http://localhost", "http://127.0.0.1:80"),
            ("https://[2001:db8::1]", "https://[2001:DB8::1]:443"),
        ] {
            assert!(same_node(one, other), "{one} {other}");
        }
        for (one, other) in [
            ("https://a.example", "https://b.example"),
            ("https://a.example", "https://a.example.org"),
            ("https://a.example", "https://a.example:8443"),
            ("http://127.0.0.1:8545", "http://127.0.0.1:8546"),
            ("https://[2001:db8::1]", "https://[2001:db8::2]"),
        ] {
            assert!(!same_node(one, other), "{one} {other}");
        }
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
    fn chosen_nodes_replace_the_tables() {
        let status = NodeQuery::Status { id: "ab".to_owned() };
        let signed = wire::node::SignedBytes { bytes: String::new(), detached: None, id: String::new() };
        let broadcast = NodeQuery::Broadcast(signed);
        let polkadot = |chosen: Option<Endpoint>, query| nodes(Chain::Polkadot, chosen.as_ref(), Some(query));
        assert_eq!(polkadot(None, &broadcast), [Chain::Polkadot.facts().endpoint]);
        assert_eq!(polkadot(None, &status), [Chain::Polkadot.status_endpoint()]);
        assert_eq!(polkadot(Some(endpoint(None)), &broadcast), ["https://a", "https://b"]);
        assert_eq!(polkadot(Some(endpoint(None)), &status), ["https://a", "https://b"]);
        assert_eq!(polkadot(Some(endpoint(Some("https://s"))), &broadcast), ["https://a", "https://b"]);
        assert_eq!(polkadot(Some(endpoint(Some("https://s"))), &status), ["https://s"]);
        let facts =
            |chosen: Option<Endpoint>| nodes(Chain::Zcash, chosen.as_ref(), Some(&NodeQuery::NetworkFacts));
        assert_eq!(facts(None), Vec::<String>::new(), "the table's node does not know");
        assert_eq!(facts(Some(endpoint(Some("https://s")))), ["https://a", "https://b"]);
        let with_rpc = Endpoint { rpc_url: Some("https://r".to_owned()), ..endpoint(None) };
        assert_eq!(facts(Some(with_rpc.clone())), ["https://r"]);
        let earlier = |json_rpc| {
            let query = NodeQuery::Fact(FactQuery::PreviousTransaction { id: String::new(), json_rpc });
            nodes(Chain::Dash, Some(&with_rpc), Some(&query))
        };
        assert_eq!(earlier(true), ["https://r"]);
        assert_eq!(earlier(false), ["https://a", "https://b"]);
    }
}
