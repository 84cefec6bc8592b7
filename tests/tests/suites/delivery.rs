//! Delivery of turns to the backend: in order, retried under the same key, until fully answered.

use agent_backend::{At, Fault, Kind, Script, ScriptedAgent, When};
use countersign_tests::world::*;
use serde_json::{Value, json};

const DAY: u64 = 24 * 60 * 60_000;

fn status(status: u16, retry_after: Option<u64>) -> Fault {
    Fault::new(Kind::Status { status, retry_after })
}

/// Send times of messages, in milliseconds since the first of them.
fn times(sent: &[Sent]) -> Vec<u64> {
    let begin = sent.first().map_or(0, |first| first.at);
    sent.iter().map(|one| one.at - begin).collect()
}

/// The idempotency keys in order, consecutive repeats counted once.
fn keys(sent: &[Sent]) -> Vec<String> {
    let mut keys: Vec<String> = sent.iter().map(|sent| sent.key.clone()).collect();
    keys.dedup();
    keys
}

/// A conversation is opened once, before its first message, with its own id as the key; every message has its id as
/// the key.
#[tokio::test(start_paused = true)]
async fn conversation_is_opened_once() {
    let world = World::proposing(json!([])).await;
    let first = world.say("one").await;
    world.restart().await;
    let second = world.say("two").await;
    let sent = world.sent();
    let shown: Vec<(&str, &str)> = sent.iter().map(|sent| (sent.path.as_str(), sent.key.as_str())).collect();
    let messages = sent[1].path.as_str();
    assert!(messages.starts_with("/agent/conversations/") && messages.ends_with("/messages"), "{messages}");
    assert_eq!(
        shown,
        [
            ("/agent/conversations", world.conversation_id().as_str()),
            (messages, first.as_str()),
            (messages, second.as_str())
        ]
    );
    let public_key = &sent[1].body["public_key"];
    assert_eq!(sent[0].body, json!({"public_key": public_key, "title": "New conversation"}));
    assert_eq!(world.violations(), [""; 0]);
}

/// If a backend refuses in any way to open a conversation, the message is not sent.
#[tokio::test(start_paused = true)]
async fn conversation_that_cannot_be_opened() {
    let usable = Answer::json(&json!({"id": "remote"}));
    let later = [
        Answer::status(409),
        Answer::status(503),
        Answer::Down,
        Answer::json(&json!({})),
        Answer::json(&json!({"id": "../../admin"})),
        Answer::Http(200, "text/plain", "hello".to_owned()),
    ];
    for answer in later {
        let (mut refuse, usable) = (true, usable.clone());
        let described = format!("{answer:?}");
        let world = World::answering_all(move |sent| match sent.path.as_str() {
            "/agent/conversations" if std::mem::take(&mut refuse) => answer.clone(),
            "/agent/conversations" => usable.clone(),
            _ => Answer::events(&[]),
        })
        .await;
        world.say("go").await;
        assert_eq!(world.messages().await, [json!(["user", "go", "sending"])], "{described}");
        world.pass(1_000).await;
        assert_eq!(world.messages().await, [json!(["user", "go", "done"])], "{described}");
        assert_eq!(keys(&world.sent()).len(), 2);
    }
    let world = World::answering_all(|_| Answer::status(400)).await;
    world.say("go").await;
    assert_eq!(
        world.messages().await,
        [json!(["user", "go", "failed", "refused: the backend answered 400"])]
    );
}

/// 401: nothing is lost; pages are notified; waiting messages are sent as soon as there is a valid token.
#[tokio::test(start_paused = true)]
async fn valid_token_releases_waiting_messages() {
    let script = Script { name: String::new(), turns: vec![turn(when_said("go"), json!([read_book("a1")]))] };
    let world = World::with_agent(ScriptedAgent::new(script, 1).with_token("right")).await;
    let token = |token: &str| json!({"backend": {"token": token}});
    world.say("go").await;
    assert_eq!(world.messages().await, [json!(["user", "go", "sending"])]);
    world.call("PATCH", "/api/settings", token("wrong")).await;
    world.settle().await;
    assert_eq!(world.messages().await, [json!(["user", "go", "sending"])]);
    let reported = world.events().await.iter().filter(|event| event.name == "auth_required").count();
    assert_eq!(reported, 2);
    world.call("PATCH", "/api/settings", token("right")).await;
    world.settle().await;
    assert_eq!(world.messages().await, [json!(["user", "go", "done"])]);
    let tokens: Vec<Option<String>> = world.sent().into_iter().map(|sent| sent.token).collect();
    let text = |token: &str| Some(token.to_owned());
    assert_eq!(tokens, [None, text("wrong"), text("right"), text("right"), text("right")]);
    assert_eq!((world.results().len(), world.violations()), (1, vec![]));
}

/// 403 on a message is treated like 401: the message is kept.
#[tokio::test(start_paused = true)]
async fn forbidden_message_waits() {
    let world = World::proposing(json!([])).await;
    world.set_fault(status(403, None).on_messages().times(1));
    world.say("go").await;
    assert_eq!(world.messages().await, [json!(["user", "go", "sending"])]);
    assert_eq!(world.event_names(&["conversation", "message"]).await, ["auth_required"]);
    world.pass(301_000).await;
    assert_eq!(world.messages().await, [json!(["user", "go", "done"])]);
}

/// 401 and 403 on results: they wait, are retried after five minutes, and arrive in order.
#[tokio::test(start_paused = true)]
async fn results_wait_for_a_token() {
    for code in [401, 403] {
        let world = World::proposing(json!([read_book("1"), read_book("2")])).await;
        world.set_fault(status(code, None).on_results());
        world.say("go").await;
        world.pass(299_000).await;
        assert_eq!(world.results().len(), 1);
        world.clear_faults();
        world.pass(2_000).await;
        let ids: Vec<Value> = world.results().iter().map(|result| result["action_id"].clone()).collect();
        assert_eq!(ids, ["1", "1", "2"]);
        let delivered: Vec<Value> = world.calls().await.iter().map(|call| call["delivery"].clone()).collect();
        assert_eq!(delivered, ["delivered", "delivered"]);
    }
}

/// `Retry-After` is honoured exactly, by a timer if short and by the alarm if long; at most an hour, at least half a
/// second.
#[tokio::test(start_paused = true)]
async fn retry_after_is_honoured() {
    for (seconds, millis) in
        [(7, 7_000), (10, 10_000), (90, 90_000), (3_600, 3_600_000), (86_400, 3_600_000), (0, 500)]
    {
        let world = World::proposing(json!([])).await;
        world.set_fault(status(429, Some(seconds)).on_messages().times(2));
        world.say("go").await;
        let short = seconds <= 10;
        assert_eq!(world.work().await.as_array().unwrap().is_empty(), !short, "{seconds}");
        world.pass(3 * 3_600_000).await;
        assert_eq!(times(&world.messages_sent()), [0, millis, 2 * millis], "{seconds}");
        assert_eq!(world.messages().await, [json!(["user", "go", "done"])]);
    }
}

/// Without `Retry-After` the delay grows from half a second to five minutes for every temporary failure; key and body
/// stay the same.
#[tokio::test(start_paused = true)]
async fn retry_delays_grow() {
    let failures = [
        status(408, None),
        status(425, None),
        status(429, None),
        status(500, None),
        status(503, None),
        Fault::cut(At::BeforeHeaders),
    ];
    for failure in failures {
        let described = format!("{failure:?}");
        let world = World::proposing(json!([])).await;
        world.set_fault(failure.on_messages().times(20));
        let id = world.say("go").await;
        world.pass(2 * 3_600_000).await;
        let sent = world.messages_sent();
        let waits: Vec<u64> = sent.windows(2).map(|pair| pair[1].at - pair[0].at).collect();
        assert!(waits.is_sorted(), "{described}: {waits:?}");
        assert_eq!(
            (waits.len(), waits.first(), waits.last()),
            (20, Some(&500), Some(&300_000)),
            "{described}: {waits:?}"
        );
        assert_eq!(keys(&sent), [id], "{described}");
        assert!(sent.iter().all(|one| one.body == sent[0].body), "{described}");
        assert_eq!(world.messages().await, [json!(["user", "go", "done"])], "{described}");
    }
}

/// A permanent refusal marks the message as failed with the reason, and the next message is sent.
#[tokio::test(start_paused = true)]
async fn refused_message_is_marked_failed() {
    for code in [400, 404, 405, 410, 413, 415, 422, 301, 304] {
        let world = World::answering(move |sent| match sent.body["content"].as_str() {
            Some("bad") => Answer::status(code),
            _ => Answer::events(&[("text_delta", json!({"delta": "hello"}))]),
        })
        .await;
        world.say("bad").await;
        world.say("good").await;
        let refused = format!("refused: the backend answered {code}");
        assert_eq!(
            world.messages().await,
            [
                json!(["user", "bad", "failed", refused]),
                json!(["user", "good", "done"]),
                json!(["agent", "hello", "done"])
            ]
        );
        assert_eq!(world.messages_sent().len(), 2);
    }
}

/// A refused result is retried for a day and then marked; later results follow.
#[tokio::test(start_paused = true)]
async fn refused_result_is_retried_for_a_day() {
    let world = World::answering(|sent| match sent.body.get("content") {
        Some(_) => Answer::events(&[("actions", json!({"actions": [read_book("1"), read_book("2")]}))]),
        None if sent.body["action_result"]["action_id"] == "1" => Answer::status(422),
        None => Answer::events(&[]),
    })
    .await;
    world.say("go").await;
    let deliveries =
        async || -> Vec<Value> { world.calls().await.iter().map(|call| call["delivery"].clone()).collect() };
    world.pass(301_000).await;
    assert_eq!((world.results().len(), deliveries().await), (2, vec![json!("pending"), json!("pending")]));
    world.pass(DAY).await;
    assert_eq!(deliveries().await, ["refused", "delivered"]);
    let sent = world.messages_sent();
    assert_eq!(keys(&sent).len(), 3, "one key for the message and for each result");
}

/// Results wait for an unreachable backend, and arrive in order when it is back.
#[tokio::test(start_paused = true)]
async fn results_wait_for_the_backend() {
    let ask = without(save_entry("1", "A"), "auto_execute");
    let world = World::proposing(json!([ask, read_book("2"), save_entry("3", "C")])).await;
    world.say("go").await;
    world.set_down(true);
    world.answer(json!({"approve": true})).await;
    world.pass(45 * 60_000).await;
    assert_eq!(world.book().await.len(), 2, "later actions run");
    assert!(world.results().iter().all(|result| result["action_id"] == "1"));
    world.restart().await;
    world.set_down(false);
    world.pass(300_000).await;
    let mut ids: Vec<Value> = world.results().iter().map(|result| result["action_id"].clone()).collect();
    ids.dedup();
    assert_eq!(ids, ["1", "2", "3"]);
    let delivered: Vec<Value> = world.calls().await.iter().map(|call| call["delivery"].clone()).collect();
    assert_eq!((delivered, world.violations()), (vec![json!("delivered"); 3], vec![]));
}

/// A message that cannot be sent for a day is marked as failed.
#[tokio::test(start_paused = true)]
async fn unsent_message_fails_after_a_day() {
    let world = World::answering(|_| Answer::Down).await;
    world.say("go").await;
    world.pass(DAY - 600_000).await;
    assert_eq!(world.messages().await, [json!(["user", "go", "sending"])]);
    world.pass(1_200_000).await;
    assert_eq!(world.messages().await[0], json!(["user", "go", "failed", "refused: connection reset"]));
    let sent = world.messages_sent().len();
    world.pass(DAY).await;
    assert_eq!(world.messages_sent().len(), sent);
}

/// A stream that ends without its `message` event is requested again under the same key, and marked as failed if it
/// stays incomplete.
#[tokio::test(start_paused = true)]
async fn incomplete_answer_is_requested_again() {
    let world = World::answering(|sent| match sent.body["content"].as_str() {
        Some("go") => Answer::broken(&[("text_delta", json!({"delta": "Half of"}))]),
        _ => Answer::events(&[]),
    })
    .await;
    let id = world.say("go").await;
    let half = [json!(["user", "go", "done"]), json!(["agent", "Half of", "streaming"])];
    assert_eq!(world.messages().await, half, "the received part is shown");
    world.pass(10_000).await;
    assert_eq!(world.messages().await, half);
    world.pass(3_600_000).await;
    let lost = "answer_lost: the answer broke off before its end";
    assert_eq!(
        world.messages().await,
        [json!(["user", "go", "done"]), json!(["agent", "Half of", "failed", lost])]
    );
    let sent = world.messages_sent();
    assert_eq!((sent.len(), keys(&sent)), (7, vec![id]));
    world.say("next").await;
    assert_eq!(world.messages().await.last(), Some(&json!(["user", "next", "done"])));
}

/// An answer that is completed after several attempts is shown once, as a whole.
#[tokio::test(start_paused = true)]
async fn retried_answer_is_shown_once() {
    let mut broken = 3;
    let world = World::answering(move |_| {
        broken -= 1;
        let (first, rest) =
            (("text_delta", json!({"delta": "Half "})), ("text_delta", json!({"delta": "and half"})));
        let end = ("message", json!({"message": {"content": "Half and half"}}));
        if broken > 0 { Answer::broken(&[first]) } else { Answer::broken(&[first, rest, end]) }
    })
    .await;
    world.say("go").await;
    world.pass(10_000).await;
    assert_eq!(
        world.messages().await,
        [json!(["user", "go", "done"]), json!(["agent", "Half and half", "done"])]
    );
}

/// A backend that accepts the message and then sends nothing times out and is asked again.
#[tokio::test(start_paused = true)]
async fn silent_backend_times_out() {
    for (place, patience) in [(At::BeforeHeaders, 60_000), (At::AfterEvent(0), 120_000)] {
        let world = World::proposing(json!([])).await;
        world.set_fault(Fault::stall(place).on_messages().times(1));
        world.say("go").await;
        world.pass(patience + 1_000).await;
        assert_eq!(times(&world.messages_sent()), [0, patience + 500], "{place:?}");
        assert_eq!(world.messages().await, [json!(["user", "go", "done"])]);
    }
    let mut first = true;
    let world =
        World::answering(
            move |_| {
                if std::mem::take(&mut first) { Answer::Silent } else { Answer::events(&[]) }
            },
        )
        .await;
    world.say("go").await;
    world.pass(121_000).await;
    assert_eq!(times(&world.messages_sent()), [0, 120_500]);
}

/// An answer that reports its own failure, or cannot be parsed, is not requested again.
#[tokio::test(start_paused = true)]
async fn failed_answer_is_not_retried() {
    let cases = [
        (
            Answer::events(&[
                ("text_delta", json!({"delta": "I"})),
                ("error", json!({"error": "out of words"})),
            ]),
            json!(["agent", "I", "failed", "agent_error: out of words"]),
        ),
        (
            Answer::json(&json!({"error": "out of words", "message": null})),
            json!(["agent", "", "failed", "agent_error: out of words"]),
        ),
        (
            Answer::Http(200, "text/html", "<html>".to_owned()),
            json!(["agent", "", "failed", "bad_answer: the backend's answer is neither a stream nor JSON"]),
        ),
        (
            Answer::Http(200, "text/event-stream", format!("data: {}", "x".repeat(5 << 20))),
            json!([
                "agent",
                "",
                "failed",
                "line_too_long: a line of the event stream is longer than 4194304 bytes"
            ]),
        ),
    ];
    for (answer, shown) in cases {
        let world = World::answering(move |_| answer.clone()).await;
        world.say("go").await;
        world.pass(DAY).await;
        assert_eq!(world.messages().await, [json!(["user", "go", "done"]), shown]);
        assert_eq!(world.messages_sent().len(), 1);
    }
}

/// 409: the backend already has the message; it counts as delivered.
#[tokio::test(start_paused = true)]
async fn conflict_counts_as_delivered() {
    let world = World::answering(|sent| match sent.body.get("content") {
        Some(_) => Answer::events(&[("actions", json!({"actions": [read_book("1"), read_book("2")]}))]),
        None => Answer::status(409),
    })
    .await;
    world.say("go").await;
    world.pass(DAY).await;
    let delivered: Vec<Value> = world.calls().await.iter().map(|call| call["delivery"].clone()).collect();
    assert_eq!((delivered, world.results().len()), (vec![json!("delivered"), json!("delivered")], 2));
}

/// A change of settings during a retry does not lose the attempt: it is marked as delivered.
#[tokio::test(start_paused = true)]
async fn settings_change_during_a_retry() {
    let mut attempts = 0;
    let world = World::answering(move |_| {
        attempts += 1;
        match attempts {
            1 => Answer::status(503),
            _ => Answer::Slow(2_000, Box::new(Answer::events(&[]))),
        }
    })
    .await;
    world.say("go").await;
    world.pass(1_000).await;
    world.call("PATCH", "/api/settings", json!({"backend": {"token": "new"}})).await;
    world.pass(60_000).await;
    assert_eq!(
        (world.messages().await, world.work().await),
        (vec![json!(["user", "go", "done"])], json!([]))
    );
}

/// A change of settings sends waiting messages at once.
#[tokio::test(start_paused = true)]
async fn settings_change_ends_the_wait() {
    for seconds in [9, 3_000] {
        let world = World::proposing(json!([])).await;
        world.set_fault(status(503, Some(seconds)).on_messages().times(1));
        world.say("go").await;
        world.call("PATCH", "/api/settings", json!({"backend": {"token": "new"}})).await;
        world.settle().await;
        assert_eq!(world.messages().await, [json!(["user", "go", "done"])], "{seconds}");
    }
}

/// Messages are sent one at a time, in order, each after the one before was answered.
#[tokio::test(start_paused = true)]
async fn messages_are_sent_in_order() {
    let world = World::answering(|_| Answer::Slow(5_000, Box::new(Answer::events(&[])))).await;
    for text in ["one", "two", "three"] {
        world.post_message(text).await;
    }
    world.pass(20_000).await;
    let sent = world.messages_sent();
    let said: Vec<&Value> = sent.iter().map(|sent| &sent.body["content"]).collect();
    assert_eq!(
        (said, times(&sent)),
        (vec![&json!("one"), &json!("two"), &json!("three")], vec![0, 5_000, 10_000])
    );
}

/// A conversation whose backend fails does not block another one.
#[tokio::test(start_paused = true)]
async fn conversations_are_independent() {
    let world = World::answering(|sent| match sent.body["content"].as_str() {
        Some("stuck") => Answer::Silent,
        _ => Answer::events(&[]),
    })
    .await;
    world.say("stuck").await;
    let (_, other) = world.call("POST", "/api/conversations", json!({"title": "Other"})).await;
    let target = format!("/api/conversations/{}/messages", other["id"].as_str().unwrap());
    world.call("POST", &target, json!({"content": "hello"})).await;
    world.settle().await;
    assert_eq!(world.get(&target).await["items"][0]["message"]["state"], "done");
}

/// A backend that proposes the same action in reply to its result gets the result a few times, then no more.
#[tokio::test(start_paused = true)]
async fn repeated_proposals_are_bounded() {
    let again = || json!([save_entry("same", "Alice")]);
    let world = World::scripted(vec![
        turn(when_said("go"), again()),
        turn(When { any_result: true, ..When::default() }, again()),
    ])
    .await;
    world.say("go").await;
    world.pass(DAY).await;
    assert_eq!((world.results().len(), world.work().await, world.book().await.len()), (9, json!([]), 1));
    assert_eq!(keys(&world.messages_sent()).len(), 2);
}

/// The worker is kept alive only during an attempt and a short wait, not during a long one; at rest nothing is sent
/// and no alarm is set.
#[tokio::test(start_paused = true)]
async fn keep_alive_only_while_work_runs() {
    let mut attempts = 0;
    let world = World::answering(move |_| {
        attempts += 1;
        match attempts {
            1 => Answer::Slow(2_000, Box::new(Answer::status(503))),
            2..8 => Answer::status(503),
            _ => Answer::events(&[]),
        }
    })
    .await;
    let work = json!([format!("delivery {}", world.conversation_id())]);
    let alive = |world: &World| world.browser.keep_alive().last().copied();
    assert_eq!((world.work().await, alive(&world)), (json!([]), Some(false)));
    world.say("go").await;
    assert_eq!((world.work().await, alive(&world)), (work.clone(), Some(true)), "during the first attempt");
    world.pass(2_100).await;
    assert_eq!((world.work().await, alive(&world)), (work, Some(true)), "during a wait of half a second");
    world.pass(20_000).await;
    assert_eq!(
        (world.work().await, alive(&world)),
        (json!([]), Some(false)),
        "during a wait of half a minute"
    );
    assert!(world.browser.alarm().is_some_and(|at| at > world.browser.now()));
    world.pass(600_000).await;
    assert_eq!(world.messages().await, [json!(["user", "go", "done"])]);
    assert_eq!((world.work().await, alive(&world), world.browser.alarm()), (json!([]), Some(false), None));
    let changes = world.browser.keep_alive();
    assert!(changes.chunks(2).all(|pair| pair == [true, false]), "on and off in turn: {changes:?}");
    let sent = world.sent().len();
    world.pass(7 * DAY).await;
    assert_eq!(world.sent().len(), sent);
}
