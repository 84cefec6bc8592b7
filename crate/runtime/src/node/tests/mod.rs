mod agree;
mod bench;

pub(crate) use bench::{core, host};

use super::Answers;
use bench::{Bench, Node, check, ran};
use wire::node::{Broadcast, Checked, NodeResult, Status};
use wire::trial::{NoTrialReason, TrialOutcome};

const A: &str = "https://a.example";
const B: &str = "https://b.example";
const C: &str = "https://c.example";

fn answer(result: NodeResult, not_before: u64) -> Answers {
    Answers { results: vec![result], not_before }
}

fn accepted() -> NodeResult {
    NodeResult::Broadcast(Broadcast::Accepted)
}

fn rejected() -> NodeResult {
    NodeResult::Broadcast(Broadcast::Rejected { reason: "rejected".to_owned() })
}

fn ambiguous(reason: &str) -> NodeResult {
    NodeResult::Broadcast(Broadcast::Ambiguous { reason: reason.to_owned() })
}

fn unclear(reason: &str) -> NodeResult {
    NodeResult::Status(Status::Unclear { reason: reason.to_owned() })
}

/// A behaviour in which each node does the same every time; a node is known by how its address begins.
fn each(nodes: Vec<(&'static str, Node)>) -> impl Fn(&str) -> Node {
    move |url| nodes.iter().find(|(start, _)| url.starts_with(start)).expect("a known node").1.clone()
}

#[tokio::test(start_paused = true)]
async fn the_next_node_is_asked_and_the_broken_ones_are_left_alone() {
    let nodes = vec![(A, Node::Down), (B, Node::Http(502, None, "<html>")), (C, Node::Says("accepted"))];
    let bench = Bench::new(&[A, B, C], each(nodes)).await;
    assert_eq!(bench.broadcast().await, answer(accepted(), 0));
    assert_eq!(bench.asked(), [A, B, C]);
    assert_eq!(bench.broadcast().await, answer(accepted(), 0));
    assert_eq!(bench.asked(), [C]);
    bench.at(500).await;
    bench.broadcast().await;
    assert_eq!(bench.asked(), [A, B, C]);
}

#[tokio::test(start_paused = true)]
async fn a_limit_is_honoured_to_the_millisecond() {
    for status in [429, 503] {
        let bench = Bench::new(&[A], each(vec![(A, Node::Http(status, Some(120), "accepted?"))])).await;
        assert_eq!(bench.broadcast().await.not_before, 120_000);
        assert_eq!(bench.asked(), [A]);
        bench.at(119_999).await;
        let resting = ambiguous("every node asked to be left alone, or failed a moment ago");
        assert_eq!(bench.broadcast().await, answer(resting, 120_000));
        assert_eq!(bench.asked(), [""; 0]);
        bench.at(120_000).await;
        bench.set_nodes(|_| Node::Says("accepted"));
        assert_eq!(bench.broadcast().await, answer(accepted(), 0));
    }
}

#[tokio::test(start_paused = true)]
async fn a_limit_is_never_an_answer() {
    let nodes = vec![(A, Node::Http(429, None, "rejected")), (B, Node::Says("accepted"))];
    let bench = Bench::new(&[A, B], each(nodes)).await;
    assert_eq!(bench.broadcast().await, answer(accepted(), 0));
    assert_eq!(bench.asked(), [A, B]);
}

#[tokio::test(start_paused = true)]
async fn rests_grow_with_each_failure_and_end_with_an_answer() {
    for (chance, share) in [(0, 1), (255, 2)] {
        let bench = Bench::new(&[A], |_| Node::Down).await;
        bench.set_chance(chance);
        for shortest in [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000] {
            let before = bench.now();
            let Answers { not_before, results } = bench.status().await;
            assert_eq!(results, [unclear("a.example: no_answer: connection refused")]);
            assert_eq!(not_before - before, shortest * share);
            bench.at(not_before).await;
        }
        bench.set_nodes(|_| Node::Says("pending"));
        assert_eq!(bench.status().await, answer(NodeResult::Status(Status::Pending), 0));
        bench.set_nodes(|_| Node::Down);
        let before = bench.now();
        assert_eq!(bench.status().await.not_before - before, 500 * share);
    }
}

#[tokio::test(start_paused = true)]
async fn who_does_not_answer_in_time_is_passed_over() {
    for slow in [Node::Silent, Node::Stalls, Node::Slowly(10_001, "accepted")] {
        let bench = Bench::new(&[A, B], each(vec![(A, slow), (B, Node::Says("accepted"))])).await;
        assert_eq!(bench.broadcast().await, answer(accepted(), 0));
        assert_eq!(bench.asked_at(), [0, 10_000]);
    }
    let bench = Bench::new(&[A], each(vec![(A, Node::Slowly(9_999, "accepted"))])).await;
    assert_eq!(bench.broadcast().await, answer(accepted(), 0));
}

#[tokio::test(start_paused = true)]
async fn an_answer_has_a_largest_size() {
    let padded = |size| {
        let mut bytes = b"accepted".to_vec();
        bytes.resize(size, b' ');
        Node::Bytes(bytes)
    };
    let bench = Bench::new(&[A], each(vec![(A, padded(1 << 20))])).await;
    assert_eq!(bench.broadcast().await, answer(accepted(), 0));
    let bench = Bench::new(&[A], each(vec![(A, padded((1 << 20) + 1))])).await;
    let reason = "a.example: answer_too_large: the answer is larger than 1048576 bytes";
    assert_eq!(bench.broadcast().await, answer(ambiguous(reason), 500));
}

#[tokio::test(start_paused = true)]
async fn nonsense_is_no_answer_and_no_failure() {
    let nodes = vec![(A, Node::Bytes(vec![0xff, b'x'])), (B, Node::Says("moo"))];
    let bench = Bench::new(&[A, B], each(nodes)).await;
    for _ in 0..2 {
        assert_eq!(bench.broadcast().await, answer(ambiguous("moo"), 0));
        assert_eq!(bench.asked(), [A, B]);
    }
    let bench = Bench::new(&[A], |_| Node::Bytes(vec![0xff, b'x'])).await;
    assert_eq!(bench.status().await, answer(unclear("\u{fffd}x"), 0));
}

#[tokio::test(start_paused = true)]
async fn when_all_are_down_the_first_to_be_free_is_waited_for() {
    let nodes = vec![(A, Node::Http(429, Some(60), "")), (B, Node::Down), (C, Node::Http(500, Some(9), ""))];
    let bench = Bench::new(&[A, B, C], each(nodes)).await;
    assert_eq!(bench.broadcast().await, answer(ambiguous(""), 500));
    assert_eq!(bench.asked(), [A, B, C]);
    assert_eq!(bench.broadcast().await.not_before, 500);
    assert_eq!(bench.asked(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn nobody_knows_it_is_believed_after_everybody_was_asked() {
    for (second, result) in [
        (Node::Says("not found"), Status::NotFound),
        (Node::Says("moo"), Status::NotFound),
        (Node::Down, Status::NotFound),
        (Node::Says("pending"), Status::Pending),
    ] {
        let bench = Bench::new(&[A, B], each(vec![(A, Node::Says("not found")), (B, second)])).await;
        assert_eq!(bench.status().await, answer(NodeResult::Status(result), 0));
        let asked = bench.asked();
        assert!([A, B].iter().all(|node| asked.iter().any(|url| url.starts_with(node))), "{asked:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_clear_word_ends_the_search() {
    // An answer that ends nothing ends the search, also where there are several nodes.
    for (urls, word) in [(&[A, B][..], "pending"), (&[A], "confirmed"), (&[A], "failed")] {
        let bench = Bench::new(urls, move |_| Node::Says(word)).await;
        bench.status().await;
        assert_eq!(bench.asked().len(), 2, "{word}");
    }
    for (urls, word) in [(&[A, B][..], "accepted"), (&[A], "rejected")] {
        let bench = Bench::new(urls, move |_| Node::Says(word)).await;
        bench.broadcast().await;
        assert_eq!(bench.asked(), [A], "{word}");
    }
    for (urls, word) in [(&[A, B][..], "sendable"), (&[A], "stale"), (&[A], "wrong network")] {
        let bench = Bench::new(urls, move |_| Node::Says(word)).await;
        bench.check().await;
        assert_eq!(bench.asked(), [A], "{word}");
    }
}

#[tokio::test(start_paused = true)]
async fn another_network_is_passed_over() {
    let nodes = vec![(A, Node::Says("wrong network")), (B, Node::Says("sendable"))];
    let bench = Bench::new(&[A, B], each(nodes)).await;
    let sendable = NodeResult::Checked(Checked::Sendable { findings: Vec::new() });
    assert_eq!(bench.check().await, answer(sendable, 0));
    assert_eq!(bench.asked(), [A, B]);
}

/// The next node is asked where one offers no trial runs; that none offers them is said, and not that none answers.
#[tokio::test(start_paused = true)]
async fn another_node_may_offer_trial_runs() {
    let none = |reason| answer(NodeResult::TrialRun(TrialOutcome::NotRun { reason }), 0);
    for (second, expected) in [
        (Node::Says("ran"), answer(NodeResult::TrialRun(ran()), 0)),
        (Node::Says("no trial runs"), none(NoTrialReason::NodeHasNone)),
        (Node::Down, none(NoTrialReason::NodeHasNone)),
    ] {
        let bench = Bench::new(&[A, B], each(vec![(A, Node::Says("no trial runs")), (B, second)])).await;
        assert_eq!(bench.trial().await, expected);
        assert_eq!(bench.asked(), [A, B]);
    }
    let bench = Bench::new(&[A], |_| Node::Says("moo")).await;
    assert_eq!(bench.trial().await, none(NoTrialReason::Unreadable));
}

/// A bundle that makes the answer too long does not put the node to rest.
#[tokio::test(start_paused = true)]
async fn a_long_trial_run_is_not_the_nodes_fault() {
    let bench = Bench::new(&[A], |_| Node::Bytes(vec![b' '; (1 << 20) + 1])).await;
    let none = TrialOutcome::NotRun { reason: NoTrialReason::NoAnswer };
    assert_eq!(bench.trial().await, answer(NodeResult::TrialRun(none), 0));
    bench.set_nodes(|_| Node::Says("accepted"));
    assert_eq!(bench.broadcast().await, answer(accepted(), 0));
}

/// Two addresses of one node: the second stands in for the first, and no agreement is asked for.
#[tokio::test(start_paused = true)]
async fn a_refusal_is_doubted_where_the_bytes_may_have_arrived() {
    const AGAIN: &str = "https://A.example:443/again";
    for first in [Node::Silent, Node::Down, Node::Says("moo"), Node::Http(500, None, "moo")] {
        let bench = Bench::new(&[A, AGAIN], each(vec![(A, first), (AGAIN, Node::Says("rejected"))])).await;
        assert_eq!(bench.broadcast().await, answer(ambiguous("rejected"), 0));
    }
    let limited = vec![(A, Node::Http(429, None, "")), (AGAIN, Node::Says("rejected"))];
    let bench = Bench::new(&[A, AGAIN], each(limited)).await;
    assert_eq!(bench.broadcast().await, answer(rejected(), 0));
}

#[tokio::test(start_paused = true)]
async fn the_chains_word_counts_in_a_failure_too() {
    let bench = Bench::new(&[A], |_| Node::Http(500, None, "rejected")).await;
    assert_eq!(bench.broadcast().await, answer(rejected(), 0));
    assert_eq!(bench.broadcast().await, answer(rejected(), 0));
    assert_eq!(bench.asked(), [A, A]);
}

#[tokio::test(start_paused = true)]
async fn the_requests_of_a_question_are_under_way_together() {
    let bench = Bench::new(&[A], |_| Node::Slowly(1_000, "pending")).await;
    assert_eq!(bench.status().await, answer(NodeResult::Status(Status::Pending), 0));
    assert_eq!((bench.asked_at(), bench.now()), (vec![0, 0], 1_000));
    // One that fails ends the others.
    let one = |url: &str| if url.ends_with("/2") { Node::Down } else { Node::Silent };
    let bench = Bench::new(&[A], one).await;
    assert_eq!(bench.status().await.results, [unclear("a.example: no_answer: connection refused")]);
    assert_eq!(bench.now(), 0);
}

#[tokio::test(start_paused = true)]
async fn what_the_signer_refuses_is_unclear_and_nobody_is_asked() {
    let bench = Bench::new(&[A], |_| Node::Says("sendable")).await;
    let reason = "no_such_transaction: there is none".to_owned();
    assert_eq!(
        bench.ask(&check("refused")).await,
        answer(NodeResult::Checked(Checked::Unclear { reason }), 0)
    );
    let sendable = NodeResult::Checked(Checked::Sendable { findings: Vec::new() });
    assert_eq!(bench.ask(&check("nothing")).await, answer(sendable, 0));
    assert_eq!(bench.asked(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn without_a_choice_the_tables_node_is_asked() {
    let bench = Bench::new(&[], |_| Node::Says("accepted")).await;
    assert_eq!(bench.broadcast().await, answer(accepted(), 0));
    assert_eq!(bench.asked(), [chains::Chain::Ethereum.facts().endpoint]);
}

#[tokio::test(start_paused = true)]
async fn a_key_in_an_address_is_in_no_reason() {
    let bench = Bench::new(&["https://a.example/v3/key"], |_| Node::Down).await;
    assert_eq!(bench.broadcast().await.results, [ambiguous("a.example: no_answer: connection refused")]);
}
