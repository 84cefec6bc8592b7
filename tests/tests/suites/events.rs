//! Events as pages receive them: complete, in order, live or resumed (T000-111).

use agent_backend::{Dialect, Turn, When};
use countersign_tests::world::*;
use serde_json::{Value, json};

/// The event in one line: its name, and the call or message it is about.
fn line(event: &ReceivedEvent) -> String {
    let subject =
        ["/call/actionId", "/message/content"].iter().find_map(|path| event.data.pointer(path)?.as_str());
    format!("{} {}", event.name, subject.unwrap_or_default()).trim_end().to_owned()
}

fn lines(events: &[ReceivedEvent]) -> Vec<String> {
    events.iter().map(line).collect()
}

/// What an event says of a call: which it is, and these fields.
fn change(call: &Value, names: &[&str]) -> Value {
    let said = ["id", "actionId", "source"].iter().chain(names);
    said.map(|name| ((*name).to_owned(), call[*name].clone())).collect::<serde_json::Map<_, _>>().into()
}

/// T000-111: every call has events from start to delivery, with its result, in the order in which it happened.
#[tokio::test(start_paused = true)]
async fn call_events_from_start_to_delivery() {
    let ask = with(save_entry("asked", "Alice"), "auto_execute", json!(false));
    let world = World::proposing(json!([read_book("first"), ask, read_book("last")])).await;
    let before = world.events().await.len() as u64;
    world.say("go").await;
    world.answer(json!({"approve": true})).await;
    let received = world.events_after(before).await;
    // The change of contacts is an event just before or after the result.
    let calls: Vec<String> = lines(&received).into_iter().filter(|line| line != "vaultModified").collect();
    assert_eq!(
        calls,
        [
            "message go",
            "message go",
            "tool.started first",
            "tool.started asked",
            "tool.started last",
            "action_result first",
            "tool.done",
            "confirmation_required asked",
            "result_delivered first",
            "confirmation_required asked",
            "action_result asked",
            "tool.done",
            "action_result last",
            "tool.done",
            "result_delivered asked",
            "result_delivered last",
        ]
    );
    let calls = world.calls().await;
    let reported = |name: &str| received.iter().filter(move |event| event.name == name).collect::<Vec<_>>();
    for (event, call) in reported("action_result").into_iter().zip(&calls) {
        let call = with(call.clone(), "delivery", json!("pending"));
        assert_eq!(event.data, json!({"call": change(&call, &["state", "delivery"])}));
    }
    for (event, call) in reported("result_delivered").into_iter().zip(&calls) {
        assert_eq!(event.data, json!({"call": change(call, &["delivery"])}));
    }
    let outcomes: Vec<&Value> =
        reported("confirmation_required").iter().map(|event| &event.data["prompt"]["outcome"]).collect();
    assert_eq!(outcomes, [&json!(null), &json!("approved")]);
}

/// T000-111: events are numbered from one without gaps; a page that connects late, or again, gets everything after
/// the number it names, also from the next worker.
#[tokio::test(start_paused = true)]
async fn resumed_page_misses_nothing() {
    let world = World::proposing(json!([save_entry("1", "A"), save_entry("2", "B")])).await;
    world.say("go").await;
    let all = world.events().await;
    assert_eq!(
        all.iter().map(|event| event.id).collect::<Vec<_>>(),
        (1..=all.len() as u64).collect::<Vec<_>>()
    );
    for after in 0..=all.len() {
        assert_eq!(world.events_after(after as u64).await, all[after..]);
    }
    world.restart().await;
    assert_eq!(world.events().await, all);
    world.act(json!([read_book("3"), read_book("4")])).await;
    let more = world.events_after(all.len() as u64).await;
    assert_eq!(
        lines(&more),
        ["tool.started 3", "tool.started 4", "action_result 3", "tool.done", "action_result 4", "tool.done"]
    );
    assert_eq!(more[0].id, all.len() as u64 + 1);
}

/// T000-111: a connected page receives an event when it happens.
#[tokio::test(start_paused = true)]
async fn connected_page_is_notified() {
    let world = World::new().await;
    let (received, _) = tokio::join!(world.next_events(0), async {
        world.pass(5_000).await;
        world.act(json!([save_entry("1", "A")])).await
    });
    assert_eq!(line(&received[0]), "tool.started 1");
    let last = world.events().await.len() as u64;
    let (first, second, _) = tokio::join!(
        world.next_events(last),
        world.next_events(last),
        world.act(json!([save_entry("2", "B")])),
    );
    assert_eq!(
        (line(&first[0]), line(&second[0])),
        ("tool.started 2".to_owned(), "tool.started 2".to_owned())
    );
}

/// T000-111: results of different senders are reported in order of completion, not of start.
#[tokio::test(start_paused = true)]
async fn results_in_order_of_completion() {
    let ask = without(save_entry("begun first", "Alice"), "auto_execute");
    let world = World::proposing(json!([ask])).await;
    world.say("go").await;
    world.act(json!([save_entry("ended first", "Bob")])).await;
    world.answer(json!({"approve": true})).await;
    let received = world.events().await;
    let about = |name: &str| -> Vec<&Value> {
        received
            .iter()
            .filter(|event| event.name == name)
            .map(|event| &event.data["call"]["actionId"])
            .collect()
    };
    assert_eq!(about("tool.started"), ["begun first", "ended first"]);
    assert_eq!(about("action_result"), ["ended first", "begun first"]);
}

/// T000-111: a timeline and the events after its number are complete together, at any moment of loading.
#[tokio::test(start_paused = true)]
async fn timeline_names_its_event_number() {
    for steps in (0..80).step_by(4) {
        let world = World::proposing(json!([save_entry("1", "A")])).await;
        world.post_message("go").await;
        world.steps(steps).await;
        let timeline = world.get(&format!("/api/conversations/{}/messages", world.conversation_id())).await;
        world.settle().await;
        let mut calls: Vec<Value> = timeline["items"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|item| item.get("call").cloned())
            .collect();
        for event in world.events_after(timeline["lastEventId"].as_u64().unwrap()).await {
            // A change of a call that the page has is put over it; a call that it does not have is loaded.
            let Some(change) = event.data.get("call") else { continue };
            match calls.iter_mut().find(|known| known["id"] == change["id"]) {
                Some(known) => known.as_object_mut().unwrap().extend(fields(change).clone()),
                None => {
                    let call = world.get(&format!("/api/calls/{}", change["id"].as_str().unwrap())).await;
                    // What the tool gave is told of one call, not of many.
                    calls.push(without(call, "toolResult"));
                }
            }
        }
        assert_eq!(calls, world.calls().await, "loaded after {steps} steps");
    }
}

/// Old events are trimmed; a page that asks for them gets a gap event and then all that remain. A page that names a
/// future number gets a gap event too.
#[tokio::test(start_paused = true)]
async fn trimmed_events_report_a_gap() {
    let world = World::new().await;
    let mut total = 0;
    while total < 2_600 {
        let actions: Vec<Value> = (0..100).map(|n| read_book(&format!("{total} {n}"))).collect();
        world.act(json!(actions)).await;
        // Its start, its result, and the end of its tool.
        total += 300;
    }
    // Reading trims.
    world.events_after(total - 1).await;
    let received = world.events_after(0).await;
    assert_eq!((received[0].name.as_str(), &received[0].data), ("gap", &json!({})));
    let left = &received[1..];
    assert_eq!((left.len(), left[1999].id), (2_000, total));
    assert!(left.iter().all(|event| event.name != "gap"));
    assert_eq!(left[0].id, received[0].id + 1, "a page continues after the gap");
    assert_eq!(world.events_after(received[0].id).await, left);
    let unknown = world.next_events(total + 5).await;
    assert_eq!(unknown, [ReceivedEvent { id: total, name: "gap".to_owned(), data: json!({}) }]);
}

/// The text of an answer, joined from its deltas as a page does, equals the text of the message: in every dialect,
/// beyond the first plane of Unicode, and when the agent replaces it.
#[tokio::test(start_paused = true)]
async fn text_deltas_add_up() {
    let replaced = agent_backend::ExtraEvent::Event {
        name: None,
        data: json!({"type": "text-replace", "replaces": "text", "text": "Rather 🦞 not."}).to_string(),
    };
    let more = agent_backend::ExtraEvent::Event {
        name: None,
        data: json!({"type": "text-delta", "id": "text", "delta": " Sorry."}).to_string(),
    };
    let table = [
        (Dialect::Events, vec![]),
        (Dialect::UiMessageStream, vec![]),
        (Dialect::UiMessageStream, vec![replaced, more]),
        (Dialect::Json, vec![]),
    ];
    for (dialect, events) in table {
        let when = When { any_message: true, ..When::default() };
        let text = "A 🦀 and é ćrab, word by word.".to_owned();
        let world =
            World::scripted(vec![Turn { text, dialect, events, delay_ms: 50, ..turn(when, json!([])) }])
                .await;
        world.say("go").await;
        world.pass(10_000).await;
        let mut content: Vec<u16> = Vec::new();
        let mut pieces = 0;
        let received = world.events().await;
        for event in received.iter().filter(|event| event.name == "text_delta") {
            let offset = event.data["offset"].as_u64().unwrap() as usize;
            assert!(offset <= content.len(), "{event:?}");
            content.truncate(offset);
            content.extend(event.data["delta"].as_str().unwrap().encode_utf16());
            pieces += 1;
        }
        let shown = String::from_utf16(&content).unwrap();
        assert_eq!(world.messages().await[1], json!(["agent", shown, "done"]), "{dialect:?}");
        assert!(
            shown.starts_with("A 🦀") && pieces >= if dialect == Dialect::Json { 1 } else { 5 },
            "{shown}"
        );
        let last = received.iter().rfind(|event| event.name == "message").unwrap();
        assert_eq!(last.data["message"]["content"], shown);
    }
}

/// What a page merely looked up is neither in the events nor in the call's record: it can be looked up again. The agent's
/// calls are in both as a whole.
#[tokio::test(start_paused = true)]
async fn looked_up_answers_are_not_stored() {
    let world = World::proposing(json!([read_book("agent")])).await;
    let title = "x".repeat(200);
    world.save(&vec![(title.as_str(), ALICE, "Ethereum"); 60]).await;
    world.say("go").await;
    let result = world.act(json!([read_book("page")])).await;
    assert_eq!(result[0]["data"]["total_count"], 60);
    let reported = async |id: &str| {
        let received = world.events().await;
        let event = received
            .iter()
            .rfind(|event| event.name == "action_result" && event.data["call"]["actionId"] == id);
        event.unwrap().data["call"].clone()
    };
    let (page, agent) = (reported("page").await, reported("agent").await);
    assert_eq!(
        page["state"]["result"],
        json!({"action": "get_address_book", "action_id": "page", "success": true})
    );
    assert_eq!(agent["state"]["result"]["data"], result[0]["data"]);
    let record = world.get(&format!("/api/calls/{}", page["id"].as_str().unwrap())).await;
    assert_eq!(record["state"]["result"], page["state"]["result"]);
}
