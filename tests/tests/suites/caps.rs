//! What a backend can make the wallet take: actions in one answer, the time and the size of an answer, events. Each bound is
//! tested where it begins.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use countersign_tests::world::*;
use runtime::store::Table;
use serde_json::{Value, json};

const MINUTE: u64 = 60_000;
const END: &str = "event: message\ndata: {\"message\":{\"content\":\"\"}}\n\nevent: done\ndata: {}\n\n";

fn reads(ids: std::ops::Range<usize>) -> Vec<Value> {
    ids.map(|id| read_book(&format!("r{id}"))).collect()
}

fn actions(elements: &[Value]) -> (&'static str, Value) {
    ("actions", json!({"actions": elements}))
}

/// A world whose backend answers the message `go` with this, and everything else with nothing.
async fn answering(answer: Answer) -> World {
    World::answering(move |sent| match sent.body["content"].as_str() {
        Some("go") => answer.clone(),
        _ => Answer::events(&[]),
    })
    .await
}

fn delta(text: &str) -> String {
    format!("event: text_delta\ndata: {}\n\n", json!({"delta": text}))
}

/// The ids and errors of the results that the backend got.
fn told(world: &World) -> Vec<(String, Option<String>)> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let one = |result: Value| (text(&result["action_id"]).unwrap_or_default(), text(&result["error"]));
    world.results().into_iter().map(one).collect()
}

const TOO_MANY: &str =
    "too_many_actions: an answer may have 100 actions: this one and those after it were not taken";

/// A hundred actions run. Of more the first hundred do, the next is refused and says so, and there the answer ends: in one
/// event, over several, in a plain body, and where actions wait for the answer's end.
#[tokio::test(start_paused = true)]
async fn an_answer_has_at_most_a_hundred_actions() {
    let all = reads(0..100);
    let world = answering(Answer::events(&[actions(&all)])).await;
    world.say("go").await;
    assert!(told(&world).iter().all(|(_, error)| error.is_none()));
    assert_eq!((told(&world).len(), world.messages().await.len()), (100, 1));

    let more = reads(0..150);
    let (first, rest) = more.split_at(60);
    let text = ("text_delta", json!({"delta": "after the bound"}));
    for answer in [
        Answer::events(&[actions(&more), text.clone()]),
        Answer::events(&[actions(first), actions(rest), text.clone()]),
        Answer::events(&[actions(first), actions(&rest[..41]), actions(&rest[41..]), text]),
        Answer::json(&json!({"actions": more})),
    ] {
        let world = answering(answer).await;
        world.say("go").await;
        world.pass(MINUTE).await;
        let told = told(&world);
        assert_eq!((told.len(), world.calls().await.len()), (101, 101));
        assert!(told[..100].iter().all(|(_, error)| error.is_none()));
        assert_eq!(told[100], ("r100".to_owned(), Some(TOO_MANY.to_owned())));
        assert_eq!(
            world.messages().await,
            [json!(["user", "go", "done"]), json!(["agent", "", "failed", TOO_MANY])]
        );
        assert_eq!(world.messages_sent().len(), 102, "the answer is not asked for again");
    }
}

/// What waits for the answer's end counts too: a `sign_tx` without a transaction and what follows it, and old fields.
#[tokio::test(start_paused = true)]
async fn held_requests_count() {
    let sign = json!({"id": "s", "type": "sign_tx", "params": {}});
    let held: Vec<Value> = [vec![sign], reads(0..120)].concat();
    let world = answering(Answer::events(&[actions(&held)])).await;
    world.say("go").await;
    world.pass(MINUTE).await;
    let ids: Vec<String> = told(&world).into_iter().map(|(id, _)| id).collect();
    assert_eq!((ids.len(), ids[0].as_str(), ids[100].as_str()), (101, "s", "r99"));
    assert_eq!(told(&world)[100].1.as_deref(), Some(TOO_MANY));

    let field = |number: usize| ("transactions", json!({"transactions": [{"label": number.to_string()}]}));
    for (count, refused) in [(100, 0), (101, 1), (300, 1)] {
        let fields: Vec<_> = (0..count).map(field).collect();
        let world = answering(Answer::events(&fields)).await;
        world.say("go").await;
        world.pass(MINUTE).await;
        let over = told(&world).iter().filter(|(_, error)| error.as_deref() == Some(TOO_MANY)).count();
        assert_eq!(over, refused, "{count}");
        assert!(world.calls().await.len() <= 100, "{count}");
    }
}

/// An answer that breaks off after too many actions, and is read again, is cut at the same place: nothing runs twice.
#[tokio::test(start_paused = true)]
async fn the_same_answer_is_cut_at_the_same_place() {
    for steps in (0..600).step_by(40) {
        let world = answering(Answer::events(&[actions(&reads(0..103))])).await;
        world.post_message("go").await;
        world.steps(steps).await;
        world.restart().await;
        world.pass(5 * MINUTE).await;
        let mut told = told(&world);
        told.sort();
        told.dedup();
        assert_eq!((told.len(), world.calls().await.len()), (101, 101), "{steps}");
    }
}

/// A stream is read for half an hour: one that ends before is whole, one that drips on is cut. What was received stands,
/// its actions are answered, and what the person says next goes out.
#[tokio::test(start_paused = true)]
async fn a_stream_is_read_for_half_an_hour() {
    let begin = format!("event: actions\ndata: {}\n\n{}", json!({"actions": [read_book("1")]}), delta("So"));
    let drips = |minutes: usize, end: &str| {
        let mut chunks = vec![(0, begin.clone())];
        chunks.extend((0..minutes).map(|_| (MINUTE, ": drip\n\n".to_owned())));
        chunks.push((MINUTE - 1_000, end.to_owned()));
        Answer::Drip(chunks)
    };
    let too_long = "answer_too_long: the answer did not end within 30 minutes";
    for (minutes, shown) in [
        (29, json!(["agent", "So", "done"])),
        (30, json!(["agent", "So", "failed", too_long])),
        (100, json!(["agent", "So", "failed", too_long])),
    ] {
        let world = answering(drips(minutes, END)).await;
        world.say("go").await;
        world.post_message("next").await;
        world.pass(31 * MINUTE).await;
        let messages = world.messages().await;
        let next = json!(["user", "next", "done"]);
        assert_eq!(messages, [json!(["user", "go", "done"]), shown, next], "{minutes}");
        assert_eq!((told(&world), world.work().await), (vec![("1".to_owned(), None)], json!([])));
        assert_eq!(world.messages_sent().len(), 3, "the answer is not asked for again");
    }
}

/// A stream that said that it is complete, and drips on, is whole.
#[tokio::test(start_paused = true)]
async fn a_complete_answer_that_drips_on_is_whole() {
    let mut chunks = vec![(0, format!("{}{END}", delta("All")))];
    chunks.extend((0..60).map(|_| (MINUTE, ": drip\n\n".to_owned())));
    let world = answering(Answer::Drip(chunks)).await;
    world.say("go").await;
    world.pass(35 * MINUTE).await;
    assert_eq!(world.messages().await, [json!(["user", "go", "done"]), json!(["agent", "All", "done"])]);
    assert_eq!(world.work().await, json!([]));
}

/// A stream may have 32 MiB, and not one byte more.
#[tokio::test(start_paused = true)]
async fn a_stream_has_a_largest_size() {
    let most = 32 << 20;
    let too_large = "stream_too_large: the answer is larger than 33554432 bytes";
    for (over, shown) in
        [(0, json!(["agent", "So", "done"])), (1, json!(["agent", "So", "failed", too_large]))]
    {
        let mut chunks = vec![(0, delta("So"))];
        let mut left = most - chunks[0].1.len() - END.len() + over;
        while left > 0 {
            let size = left.min(1 << 20);
            let padding = if size > 2 { format!(":{}\n", "x".repeat(size - 2)) } else { "\n".repeat(size) };
            chunks.push((0, padding));
            left -= size;
        }
        chunks.push((0, END.to_owned()));
        let world = answering(Answer::Drip(chunks)).await;
        world.say("go").await;
        world.pass(MINUTE).await;
        assert_eq!(world.messages().await, [json!(["user", "go", "done"]), shown]);
    }
}

/// However much an agent says while no page listens, no more than 2 500 events are kept; a page that comes is told of the
/// gap, and the text is whole.
#[tokio::test(start_paused = true)]
async fn events_are_bounded_without_a_reader() {
    let mut chunks: Vec<(u64, String)> = (0..6_000).map(|_| (0, delta("x"))).collect();
    chunks.push((0, END.to_owned()));
    let world = answering(Answer::Drip(chunks)).await;
    world.post_message("go").await;
    let mut most = 0;
    for _ in 0..400 {
        world.steps(100).await;
        most = most.max(world.table(Table::Events).await.len());
    }
    assert!((2_400..=2_500).contains(&most), "{most}");
    world.pass(MINUTE).await;
    assert_eq!(world.messages().await[1], json!(["agent", "x".repeat(6_000), "done"]));
    assert_eq!(world.events().await[0].name, "gap");
}
