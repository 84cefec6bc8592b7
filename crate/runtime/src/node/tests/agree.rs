//! With several nodes, what ends something needs two of them.

use super::bench::{Bench, Node, check};
use super::{A, B, C, accepted, answer, each, rejected};
use crate::node::agree::{Poll, agree, ends};
use crate::node::endpoints::same_node;
use proptest::prelude::*;
use wire::node::{Broadcast, Checked, NodeQuery, NodeResult, SignedBytes, Status};

/// The same node as [`A`].
const A_AGAIN: &str = "https://A.EXAMPLE:443/again";

fn status() -> NodeQuery {
    NodeQuery::Status { id: "ab".to_owned() }
}

fn confirmed() -> NodeResult {
    NodeResult::Status(Status::Confirmed { block: Some(7) })
}

fn failed() -> NodeResult {
    NodeResult::Status(Status::Failed { reason: "failed".to_owned() })
}

fn stale() -> NodeResult {
    NodeResult::Checked(Checked::Stale { reason: "stale".to_owned() })
}

fn wrong_network() -> NodeResult {
    NodeResult::Checked(Checked::WrongNetwork { reason: "wrong network".to_owned() })
}

fn sendable() -> NodeResult {
    NodeResult::Checked(Checked::Sendable { findings: Vec::new() })
}

fn disputed_status(reason: &str) -> NodeResult {
    NodeResult::Status(Status::Disputed { reason: reason.to_owned() })
}

fn disputed_check(reason: &str) -> NodeResult {
    NodeResult::Checked(Checked::Disputed { reason: reason.to_owned() })
}

fn disputed_broadcast(reason: &str) -> NodeResult {
    NodeResult::Broadcast(Broadcast::Disputed { reason: reason.to_owned() })
}

/// What the nodes answer, in the order of their addresses, one after the other from A.
async fn two(first: Node, second: Node) -> Bench {
    Bench::new(&[A, B], each(vec![(A, first), (B, second)])).await
}

/// Which nodes were asked, each once.
fn nodes_asked(bench: &Bench) -> Vec<&'static str> {
    let asked = bench.asked();
    [A, B, C].into_iter().filter(|node| asked.iter().any(|url| url.starts_with(node))).collect()
}

/// A different height of the same confirmation, and another reason for the same revert, are agreement.
#[tokio::test(start_paused = true)]
async fn two_nodes_that_agree_end_a_step() {
    for (first, second, result) in [
        ("confirmed", "confirmed", confirmed()),
        ("confirmed", "confirmed later", confirmed()),
        ("failed", "failed", failed()),
    ] {
        let bench = two(Node::Says(first), Node::Says(second)).await;
        assert_eq!(bench.status().await, answer(result, 0));
        assert_eq!(nodes_asked(&bench), [A, B]);
    }
    for (word, result) in [("stale", stale()), ("wrong network", wrong_network())] {
        let bench = two(Node::Says(word), Node::Says(word)).await;
        assert_eq!(bench.check().await, answer(result, 0));
    }
    let bench = two(Node::Says("rejected"), Node::Says("rejected")).await;
    assert_eq!(bench.broadcast().await, answer(rejected(), 0));
    assert_eq!(bench.asked(), [A, B]);
}

#[tokio::test(start_paused = true)]
async fn a_receipt_of_one_node_is_disputed_wherever_it_stands() {
    let on = "Two nodes disagree";
    for (first, second, reason) in [
        ("confirmed", "not found", "a.example says confirmed, b.example does not know it"),
        ("confirmed", "pending", "a.example says confirmed, b.example says it waits for a block"),
        ("confirmed", "failed", "a.example says confirmed, b.example says failed (failed)"),
        ("failed", "confirmed", "a.example says failed (failed), b.example says confirmed"),
        ("not found", "confirmed", "b.example says confirmed, a.example does not know it"),
        ("not found", "failed", "b.example says failed (failed), a.example does not know it"),
    ] {
        let bench = two(Node::Says(first), Node::Says(second)).await;
        assert_eq!(bench.status().await, answer(disputed_status(&format!("{on}: {reason}")), 0));
    }
    let bench = two(Node::Says("confirmed"), Node::Says("moo")).await;
    let reason = "Two nodes must agree: a.example says confirmed, b.example gives no usable answer";
    assert_eq!(bench.status().await, answer(disputed_status(reason), 0));
}

#[tokio::test(start_paused = true)]
async fn a_used_nonce_of_one_node_refuses_nothing() {
    for (first, second, reason) in [
        (
            "stale",
            "sendable",
            "disagree: a.example says it can no longer be sent (stale), b.example says it can be sent",
        ),
        (
            "stale",
            "wrong network",
            "disagree: a.example says it can no longer be sent (stale), b.example is of another network",
        ),
        (
            "wrong network",
            "stale",
            "disagree: a.example is of another network, b.example says it can no longer be sent (stale)",
        ),
        (
            "wrong network",
            "moo",
            "must agree: a.example is of another network, b.example gives no usable answer",
        ),
    ] {
        let bench = two(Node::Says(first), Node::Says(second)).await;
        assert_eq!(bench.check().await, answer(disputed_check(&format!("Two nodes {reason}")), 0));
    }
    // The second is not asked for what refuses nothing, so it cannot lie.
    let bench = two(Node::Says("sendable"), Node::Says("stale")).await;
    assert_eq!(bench.check().await, answer(sendable(), 0));
    assert_eq!(bench.asked(), [A]);
}

#[tokio::test(start_paused = true)]
async fn a_rejection_of_one_node_is_not_final() {
    let bench = two(Node::Says("rejected"), Node::Says("accepted")).await;
    assert_eq!(bench.broadcast().await, answer(accepted(), 0));
    for (first, second, reason) in [
        (
            Node::Says("rejected"),
            Node::Down,
            "a.example rejects it (rejected), b.example gives no usable answer",
        ),
        (
            Node::Down,
            Node::Says("rejected"),
            "b.example rejects it (rejected), a.example gives no usable answer",
        ),
        (
            Node::Says("moo"),
            Node::Says("rejected"),
            "b.example rejects it (rejected), a.example gives no usable answer",
        ),
        // It certainly has not got the bytes, and has not said what it thinks of them either.
        (
            Node::Http(429, None, ""),
            Node::Says("rejected"),
            "b.example rejects it (rejected), a.example gives no usable answer",
        ),
    ] {
        let bench = two(first, second).await;
        let reason = format!("Two nodes must agree: {reason}");
        assert_eq!(bench.broadcast().await, answer(disputed_broadcast(&reason), 0));
    }
    // Two reject it, and a third may have it.
    let nodes = vec![(A, Node::Silent), (B, Node::Says("rejected")), (C, Node::Says("rejected"))];
    let bench = Bench::new(&[A, B, C], each(nodes)).await;
    let reason = "Two nodes must agree: b.example rejects it (rejected), a.example gives no usable answer";
    assert_eq!(bench.broadcast().await, answer(disputed_broadcast(reason), 0));
}

/// A second node that cannot be reached is left alone for a while as always; the answer counts when it is back.
#[tokio::test(start_paused = true)]
async fn a_second_node_that_is_down_or_limited_is_waited_for() {
    for (second, free_at) in
        [(Node::Down, 500), (Node::Silent, 10_500), (Node::Http(429, Some(60), ""), 60_000)]
    {
        let bench = two(Node::Says("confirmed"), second).await;
        let reason = "Two nodes must agree: a.example says confirmed, b.example gives no usable answer";
        assert_eq!(bench.status().await, answer(disputed_status(reason), 0));
        assert_eq!(nodes_asked(&bench), [A, B]);
        bench.set_nodes(|_| Node::Says("confirmed later"));
        let reason = "Two nodes must agree: a.example says confirmed, b.example failed or asked for a pause a moment ago";
        assert_eq!(bench.status().await, answer(disputed_status(reason), 0));
        assert_eq!(nodes_asked(&bench), [A]);
        bench.at(free_at).await;
        assert_eq!(bench.status().await.results, [NodeResult::Status(Status::Confirmed { block: Some(8) })]);
    }
    // The first is paused: the second's word waits for it.
    let bench = two(Node::Http(429, Some(60), ""), Node::Says("failed")).await;
    bench.status().await;
    let reason = "Two nodes must agree: b.example says failed (failed), a.example failed or asked for a pause a moment ago";
    assert_eq!(bench.status().await, answer(disputed_status(reason), 0));
}

/// Of three nodes one can lie or be away, wherever it stands.
#[tokio::test(start_paused = true)]
async fn two_of_three_are_enough() {
    for place in 0..3 {
        for odd in [Node::Down, Node::Http(429, Some(9), ""), Node::Says("not found"), Node::Says("failed")] {
            let nodes = [A, B, C]
                .into_iter()
                .enumerate()
                .map(|(at, url)| (url, if at == place { odd.clone() } else { Node::Says("confirmed") }));
            let bench = Bench::new(&[A, B, C], each(nodes.collect())).await;
            assert_eq!(bench.status().await, answer(confirmed(), 0), "{place} {odd:?}");
        }
    }
    // What two say that ends nothing outweighs one that would end it: the transaction is sent again.
    for word in ["pending", "not found"] {
        let nodes = vec![(A, Node::Says("confirmed")), (B, Node::Says(word)), (C, Node::Says(word))];
        let bench = Bench::new(&[A, B, C], each(nodes)).await;
        let found = bench.status().await.results;
        assert!(matches!(found[..], [NodeResult::Status(Status::Pending | Status::NotFound)]), "{found:?}");
    }
    let nodes = vec![(A, Node::Says("stale")), (B, Node::Says("sendable")), (C, Node::Says("sendable"))];
    let bench = Bench::new(&[A, B, C], each(nodes)).await;
    assert_eq!(bench.check().await, answer(sendable(), 0));
}

/// One host under two spellings is one node: asked as a single one is, and no second for another's word.
#[tokio::test(start_paused = true)]
async fn two_spellings_are_one_node() {
    let bench = Bench::new(&[A, A_AGAIN], |_| Node::Says("confirmed")).await;
    assert_eq!(bench.status().await, answer(confirmed(), 0));
    assert_eq!(bench.asked().len(), 2);
    let nodes =
        vec![(A, Node::Says("confirmed")), (A_AGAIN, Node::Says("confirmed")), (B, Node::Says("not found"))];
    let bench = Bench::new(&[A, A_AGAIN, B], each(nodes)).await;
    let reason = "Two nodes disagree: a.example says confirmed, b.example does not know it";
    assert_eq!(bench.status().await, answer(disputed_status(reason), 0));
    assert!(!bench.asked().iter().any(|url| url.starts_with(A_AGAIN)), "it can add nothing");
}

/// One node takes batches, the other does not: the same queries, each in its own form.
#[tokio::test(start_paused = true)]
async fn nodes_with_and_without_batches_agree() {
    let nodes = |url: &str| match url {
        "https://b.example/batch" => Node::Says("no batches"),
        _ => Node::Says("confirmed"),
    };
    let bench = Bench::batched(&[A, B], nodes).await;
    assert_eq!(bench.status().await, answer(confirmed(), 0));
    let once =
        ["https://a.example/batch", "https://b.example/batch", "https://b.example/1", "https://b.example/2"];
    assert_eq!(bench.asked(), once);
    bench.status().await;
    assert_eq!(bench.asked(), ["https://a.example/batch", "https://b.example/1", "https://b.example/2"]);
}

/// The second node is asked in the same call, right after the first, and not at all for what ends nothing.
#[tokio::test(start_paused = true)]
async fn the_second_node_is_asked_at_once() {
    let bench = two(Node::Slowly(100, "confirmed"), Node::Slowly(100, "confirmed")).await;
    assert_eq!(bench.status().await, answer(confirmed(), 0));
    assert_eq!((bench.asked_at(), bench.now()), (vec![0, 0, 100, 100], 200));
    let bench = two(Node::Says("pending"), Node::Silent).await;
    assert_eq!(bench.status().await, answer(NodeResult::Status(Status::Pending), 0));
    assert_eq!((nodes_asked(&bench), bench.now()), (vec![A], 0));
}

/// The check that goes with a lookup is one node's word: what it would refuse does not count without a second.
#[tokio::test(start_paused = true)]
async fn the_answer_that_comes_along_is_not_believed_alone() {
    let along = |url: &str| if url.ends_with("/1") { Node::Says("pending") } else { Node::Says("stale") };
    let bench = Bench::new(&[A, B], along).await;
    let [found, checked] = bench.ask_all(vec![status(), check("1")]).await.results.try_into().unwrap();
    assert_eq!(found, NodeResult::Status(Status::Pending));
    let reason = "only a.example was asked".to_owned();
    assert_eq!(checked, NodeResult::Checked(Checked::Unclear { reason }));
    // With one node it stays that node's word.
    let bench = Bench::new(&[A], along).await;
    assert_eq!(bench.ask_all(vec![status(), check("1")]).await.results[1], stale());
    // Both nodes say it.
    let both = |url: &str| if url.ends_with("/1") { Node::Says("confirmed") } else { Node::Says("stale") };
    let bench = Bench::new(&[A, B], both).await;
    assert_eq!(bench.ask_all(vec![status(), check("1")]).await.results, [confirmed(), stale()]);
    // A dispute leaves nothing of what came along.
    let nodes = vec![(A, Node::Says("confirmed")), (B, Node::Says("not found"))];
    let bench = Bench::new(&[A, B], each(nodes)).await;
    let [found, checked] = bench.ask_all(vec![status(), check("1")]).await.results.try_into().unwrap();
    assert!(matches!(found, NodeResult::Status(Status::Disputed { .. })), "{found:?}");
    assert!(matches!(checked, NodeResult::Checked(Checked::Unclear { .. })), "{checked:?}");
}

#[tokio::test(start_paused = true)]
async fn a_nodes_words_are_cut_and_its_key_is_not_named() {
    let long = "x".repeat(1_000);
    let said = NodeResult::Status(Status::Failed { reason: long });
    let endpoints = ["https://a.example/v3/key", B].map(str::to_owned);
    let queries = [status()];
    let mut poll = Poll::new(&queries, &endpoints);
    assert!(!poll.add(&endpoints[0], vec![said], false));
    let Some(Ok([NodeResult::Status(Status::Disputed { reason })])) = poll.conclude().map(<[_; 1]>::try_from)
    else {
        panic!("disputed")
    };
    assert!(!reason.contains("key") && reason.len() < 300, "{reason}");
}

/// Every answer to a query, usable or not.
fn answers_to(query: &NodeQuery) -> Vec<NodeResult> {
    let words: &[&str] = match query {
        NodeQuery::Broadcast(_) => &["accepted", "rejected", "moo"],
        NodeQuery::Status { .. } => {
            &["pending", "confirmed", "confirmed later", "failed", "not found", "moo"]
        }
        _ => &["sendable", "stale", "wrong network", "moo"],
    };
    words.iter().map(|word| super::bench::meaning(query, word)).collect()
}

fn any_query() -> impl Strategy<Value = NodeQuery> {
    let signed = SignedBytes { bytes: "02".to_owned(), detached: None, id: "ab".to_owned() };
    prop_oneof![Just(NodeQuery::Broadcast(signed)), Just(status()), Just(check("1"))]
}

const WORDS: [&str; 11] = [
    "pending",
    "confirmed",
    "confirmed later",
    "failed",
    "not found",
    "moo",
    "accepted",
    "rejected",
    "sendable",
    "stale",
    "wrong network",
];

/// A node that says a word, is down, limited or broken.
fn any_node() -> impl Strategy<Value = Node> {
    let word = || prop::sample::select(&WORDS[..]);
    prop_oneof![
        8 => word().prop_map(Node::Says),
        1 => Just(Node::Down),
        1 => (word(), prop::option::of(0_u64..90)).prop_map(|(word, wish)| Node::Http(429, wish, word)),
        1 => (word(), prop::option::of(0_u64..90)).prop_map(|(word, wish)| Node::Http(500, wish, word)),
    ]
}

/// What a node says to a query, if it says something.
fn said(node: &Node, query: &NodeQuery) -> Option<NodeResult> {
    match node {
        Node::Says(word) | Node::Http(500, _, word) => Some(super::bench::meaning(query, word)),
        _ => None,
    }
}

proptest! {
    /// Whatever two nodes answer, several times in a row: what ends a bundle was said by both.
    #[test]
    fn two_nodes_end_a_bundle_only_together(
        query in any_query(),
        rounds in prop::collection::vec((any_node(), any_node(), 0_u64..2_000), 1..6),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let bench = two(Node::Down, Node::Down).await;
            for (first, second, pause) in rounds {
                bench.set_nodes(each(vec![(A, first.clone()), (B, second.clone())]));
                let results = bench.ask(&query).await.results;
                let both = [&first, &second].map(|node| said(node, &query));
                for result in results.iter().filter(|result| ends(result)) {
                    for said in &both {
                        prop_assert!(said.as_ref().is_some_and(|said| agree(said, result)), "{result:?} {both:?}");
                    }
                }
                bench.at(bench.now() + pause).await;
            }
            Ok(())
        })?;
    }

    /// Whatever any number of nodes answer, to several queries: what ends something was said by nodes of two hosts, and
    /// what is said at all was said by a node.
    #[test]
    fn nothing_ends_by_one_node(
        queries in prop::collection::vec(any_query(), 1..3),
        nodes in prop::collection::vec((0_usize..4, prop::collection::vec(any::<prop::sample::Index>(), 2), any::<bool>()), 1..6),
    ) {
        let hosts = [A, A_AGAIN, B, C];
        let endpoints: Vec<String> = nodes.iter().map(|(host, ..)| hosts[*host].to_owned()).collect();
        let several = endpoints.iter().any(|other| !same_node(&endpoints[0], other));
        let mut poll = Poll::new(&queries, &endpoints);
        let mut heard: Vec<(&String, Vec<NodeResult>)> = Vec::new();
        for (endpoint, (_, picks, untouched)) in endpoints.iter().zip(&nodes) {
            let results: Vec<_> = queries
                .iter()
                .zip(picks)
                .map(|(query, pick)| pick.get(&answers_to(query)).clone())
                .collect();
            heard.push((endpoint, results.clone()));
            if poll.add(endpoint, results, *untouched) {
                break;
            }
        }
        let results = poll.conclude().unwrap();
        prop_assert_eq!(results.len(), queries.len());
        for (place, result) in results.iter().enumerate() {
            let by: Vec<&str> = heard
                .iter()
                .filter(|(_, results)| agree(&results[place], result))
                .map(|(endpoint, _)| endpoint.as_str())
                .collect();
            if ends(result) {
                prop_assert!(!by.is_empty(), "{result:?}");
                prop_assert!(!several || by.iter().any(|other| !same_node(by[0], other)), "{result:?} {heard:?}");
            }
            if agree(result, result) {
                prop_assert!(!by.is_empty(), "{result:?} {heard:?}");
            }
        }
    }
}
