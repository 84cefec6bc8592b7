//! From an element of `actions` to its one result at the backend (specification 000, Transport).

use agent_backend::{At, Dialect, ExtraEvent, Fault, Kind, Script, ScriptedAgent, Turn, When};
use countersign_tests::world::*;
use runtime::store::Table;
use serde_json::{Value, json};

fn on_any_message() -> When {
    When { any_message: true, ..When::default() }
}

/// T000-12, T000-13, T000-14, T000-16: the whole body that the backend receives, field by field.
#[tokio::test(start_paused = true)]
async fn result_is_nested_in_the_next_request() {
    let world = World::proposing(json!([read_book("a1")])).await;
    let ids = world.save(&[("Alice", ALICE, "ethereum")]).await;
    world.say("go").await;
    let sent = world.messages_sent();
    let public_key = &sent[0].body["public_key"];
    assert!(public_key.as_str().is_some_and(|key| key.starts_with("guest-")), "{public_key}");
    // What it may call is declared beside what is said (`tools_agent::the_agent_knows_its_tools`).
    let without_context = |mut body: Value| {
        body.as_object_mut().expect("a body is an object").remove("context");
        body
    };
    assert_eq!(
        sent.iter().map(|sent| without_context(sent.body.clone())).collect::<Vec<_>>(),
        [
            json!({"public_key": public_key, "content": "go"}),
            json!({"public_key": public_key, "action_result": {
                "action": "get_address_book",
                "action_id": "a1",
                "success": true,
                "data": {
                    "entries": [{"id": ids[0], "title": "Alice", "address": ALICE, "chain": "Ethereum",
                        "chain_kind": "evm", "added_by": {"kind": "user"}, "confirmed": true}],
                    "total_count": 1,
                },
            }}),
        ]
    );
    assert_eq!(world.violations(), [""; 0]);
}

/// T000-13: a type is echoed as sent: legacy names, unknown names, and none.
#[tokio::test(start_paused = true)]
async fn type_is_echoed_as_sent() {
    let kinds = ["address_book_add", "ADD_ADDRESS_BOOK", "add_address_book", "sign_tx", "nonsense"];
    let actions: Vec<Value> = kinds.iter().map(|kind| action(kind, kind, json!({}))).collect();
    let world = World::proposing(json!(actions)).await;
    world.say("go").await;
    let echoed: Vec<Value> = world.results().iter().map(|result| result["action"].clone()).collect();
    assert_eq!(echoed, kinds);
    assert_eq!(world.violations(), [""; 0]);
}

/// T000-15: for every way a call can end, `error` is present and not empty exactly if it failed.
#[tokio::test(start_paused = true)]
async fn error_is_present_exactly_on_failure() {
    let entry = json!({"title": "A", "address": ALICE, "chain": "Ethereum"});
    let nowhere = json!({"title": "A", "address": ALICE, "chain": "Nowhere"});
    let ask = |id: &str| with(save_entry(id, "PageRequest"), "auto_execute", json!(false));
    let world = World::proposing(json!([
        read_book("read"),
        save_entry("written", "A"),
        action("partly", "add_address_book", json!({"entries": [nowhere, entry]})),
        action("not at all", "add_address_book", json!({"entries": [nowhere]})),
        action("in two ways", "add_address_book", json!({"entries": [nowhere, {}]})),
        action("badly", "add_address_book", json!({"entries": 1})),
        action("unknown", "make_coffee", json!({})),
        action("empty", "sign_transaction_bundle", json!({})),
        7,
        ask("refused"),
        ask("refused with a word"),
        ask("unanswered"),
    ]))
    .await;
    world.say("go").await;
    world.answer(json!({"approve": false})).await;
    world.answer(json!({"approve": false, "reason": "not today"})).await;
    world.pass(11 * 60_000).await;
    let ends: Vec<Value> = world
        .results()
        .iter()
        .map(|result| json!([result["action_id"], result["success"], result.get("error")]))
        .collect();
    assert_eq!(
        ends,
        [
            json!(["read", true, null]),
            json!(["written", true, null]),
            json!(["partly", true, null]),
            json!(["not at all", false, "unknown_chain: \"Nowhere\""]),
            json!(["in two ways", false, "all_entries_failed: 2 of 2: unknown_chain, invalid_params"]),
            json!(["badly", false, "invalid_params: /entries must be an array"]),
            json!(["unknown", false, "unknown_tool: there is no tool for the type \"make_coffee\""]),
            json!(["empty", false, "invalid_params: /transactions must be an array"]),
            json!(["", false, "malformed_action: is not an object"]),
            json!(["refused", false, "rejected_by_user: the user said no"]),
            json!(["refused with a word", false, "rejected_by_user: not today"]),
            json!(["unanswered", false, "consent_expired: no answer in time"]),
        ]
    );
    assert!(world.results().iter().all(|result| result["success"] == false || result.get("error").is_none()));
    assert_eq!(world.violations(), [""; 0]);
}

/// T000-16: rows are present when some entries succeed, and also when none does (D12).
#[tokio::test(start_paused = true)]
async fn rows_are_present_on_failure() {
    let bad = json!({"title": "Bad", "address": "0x1", "chain": "Ethereum"});
    let good = json!({"title": "Good", "address": ALICE, "chain": "Ethereum"});
    let world = World::proposing(json!([
        action("some", "add_address_book", json!({"entries": [bad, good]})),
        action("none", "add_address_book", json!({"entries": [bad]})),
    ]))
    .await;
    world.say("go").await;
    let id = world.book().await[0]["id"].clone();
    let error = "invalid_address: Ethereum: an address of this form is not 1 long";
    let row = json!({"id": null, "title": "Bad", "address": "0x1", "chain": "Ethereum", "success": false,
        "error": error});
    let stored = json!({"id": id, "title": "Good", "address": ALICE, "chain": "Ethereum", "success": true,
        "error": null});
    assert_eq!(
        world.results(),
        [
            json!({"action": "add_address_book", "action_id": "some", "success": true,
                "data": {"results": [row, stored]}}),
            json!({"action": "add_address_book", "action_id": "none", "success": false, "error": error,
                "data": {"results": [row]}}),
        ]
    );
}

/// T000-2: a journaled id never runs again, with other content or after restarts: the stored result is sent again
/// under the same key.
#[tokio::test(start_paused = true)]
async fn an_id_runs_once() {
    let world = World::scripted(vec![
        turn(when_said("one"), json!([save_entry("same", "Alice")])),
        turn(when_said("two"), json!([save_entry("same", "Somebody else")])),
    ])
    .await;
    world.say("one").await;
    world.restart().await;
    world.say("two").await;
    let titles: Vec<Value> = world.book().await.iter().map(|entry| entry["title"].clone()).collect();
    assert_eq!(titles, ["Alice"]);
    let results: Vec<Sent> =
        world.messages_sent().into_iter().filter(|sent| sent.body.get("action_result").is_some()).collect();
    assert_eq!(results.len(), 2);
    assert_eq!((&results[0].body, &results[0].key), (&results[1].body, &results[1].key));
    assert_eq!(world.violations(), [""; 0]);
}

/// T000-2: the same id twice in one answer is one call and one result.
#[tokio::test(start_paused = true)]
async fn an_action_repeated_in_one_answer_is_one_call() {
    let world = World::proposing(json!([save_entry("a1", "Alice"), save_entry("a2", "Bob")])).await;
    world.set_fault(Fault::new(Kind::RepeatActions { action: None }).on_messages());
    world.say("go").await;
    let answered: Vec<Value> = world.results().iter().map(|result| result["action_id"].clone()).collect();
    assert_eq!((answered, world.book().await.len()), (vec![json!("a1"), json!("a2")], 2));
}

/// T000-2: a page's ids are unique among pages, and separate from a backend's ids.
#[tokio::test(start_paused = true)]
async fn page_ids_are_separate() {
    let world = World::proposing(json!([save_entry("same", "From the agent")])).await;
    world.say("go").await;
    let first = world.act(json!([save_entry("same", "By the user")])).await;
    let second = world.act(json!([save_entry("same", "By the user, again")])).await;
    assert_eq!(first, second);
    let titles: Vec<Value> = world.book().await.iter().map(|entry| entry["title"].clone()).collect();
    assert_eq!(titles, ["By the user", "From the agent"]);
}

/// T000-3: an unknown type is answered with its name, and has no effect.
#[tokio::test(start_paused = true)]
async fn unknown_type_is_answered() {
    let world = World::proposing(json!([action("a1", "empty_the_vault", json!({"entries": [1]}))])).await;
    world.say("go").await;
    let error = "unknown_tool: there is no tool for the type \"empty_the_vault\"";
    assert_eq!(world.results(), [failure("a1", "empty_the_vault", error)]);
    assert_eq!(
        world.event_names(&["message", "conversation", "text_delta"]).await,
        ["tool.started", "action_result", "tool.error", "result_delivered"]
    );
}

/// T000-4: a title is shown from the call's start, while it waits, and on a page that is opened again.
/// T000-5: so is a description, if present.
#[tokio::test(start_paused = true)]
async fn title_is_shown_from_the_start() {
    let told = json!({"id": "told", "type": "add_address_book", "title": "Save Alice", "description": "A friend",
        "params": {"entries": [{"title": "Alice", "address": ALICE, "chain": "Ethereum"}]}});
    let bare = without(with(told.clone(), "id", json!("bare")), "description");
    let unnamed = without(with(bare.clone(), "id", json!("unnamed")), "title");
    let world = World::proposing(json!([told, bare, unnamed])).await;
    world.say("go").await;
    let expected = [
        json!(["told", "Save Alice", "A friend"]),
        json!(["bare", "Save Alice", null]),
        json!(["unnamed", "add address book", null]),
    ];
    let shown = |call: &Value| json!([call["actionId"], call["title"], call.get("description")]);
    let started: Vec<Value> = world
        .events()
        .await
        .iter()
        .filter(|event| event.name == "tool.started")
        .map(|event| shown(&event.data["call"]))
        .collect();
    assert_eq!(started, expected);
    for _ in 0..2 {
        let calls = world.calls().await;
        assert_eq!(calls.iter().map(shown).collect::<Vec<_>>(), expected);
        let states: Vec<&Value> = calls.iter().map(|call| &call["state"]["name"]).collect();
        assert_eq!(states, ["waiting", "received", "received"]);
        assert_eq!(world.prompts().await[0]["title"], "Save Alice");
        world.restart().await;
    }
}

/// T000-6: parameters are checked before any change; the error has the path. Absent parameters are `{}`.
#[tokio::test(start_paused = true)]
async fn invalid_parameters_change_nothing() {
    let world = World::new().await;
    world.save(&[("Alice", ALICE, "Ethereum")]).await;
    let before = world.table(Table::Contacts).await;
    let cases = [
        ("get_address_book", json!({"chain": 7}), "invalid_params: /chain must be a string"),
        ("get_address_book", json!({"query": ["a"]}), "invalid_params: /query must be a string"),
        ("get_address_book", json!({"chain": "Nowhere"}), "unknown_chain: \"Nowhere\""),
        ("add_address_book", json!({}), "invalid_params: /entries must be an array"),
        ("add_address_book", json!({"entries": {}}), "invalid_params: /entries must be an array"),
        ("add_address_book", json!({"entries": []}), "invalid_params: /entries must have at least one entry"),
        ("delete_address_book", json!({}), "invalid_params: /entries must be an array"),
        ("delete_address_book", json!({"entries": null}), "invalid_params: /entries must be an array"),
        (
            "delete_address_book",
            json!({"entries": []}),
            "invalid_params: /entries must have at least one entry",
        ),
    ];
    for (kind, params, error) in cases {
        let result = world.act_once(kind, params.clone()).await;
        assert_eq!(without(result, "action_id"), without(failure("", kind, error), "action_id"), "{params}");
    }
    assert_eq!(world.table(Table::Contacts).await, before);
    let none = world.act(json!([{"id": "none", "type": "get_address_book"}])).await;
    let null = world.act(json!([{"id": "null", "type": "get_address_book", "params": null}])).await;
    assert_eq!((&none[0]["data"]["total_count"], &none[0]["data"]), (&json!(1), &null[0]["data"]));
}

/// T000-9: the actions of an answer run in order, one after the other, with one result each; one that waits for the
/// user blocks those after it.
#[tokio::test(start_paused = true)]
async fn actions_run_in_order() {
    let world = World::proposing(json!([
        save_entry("1", "First"),
        read_book("2"),
        with(save_entry("3", "Second"), "auto_execute", json!(false)),
        read_book("4"),
        action("5", "delete_address_book", json!({"entries": [{"title": "First"}]})),
        read_book("6"),
    ]))
    .await;
    let seen = |results: &[Value]| -> Vec<Value> {
        let count = |result: &Value| result["data"]["total_count"].clone();
        results.iter().map(|result| json!([result["action_id"], count(result)])).collect()
    };
    world.say("go").await;
    assert_eq!(seen(&world.results()), [json!(["1", null]), json!(["2", 1])]);
    world.answer(json!({"approve": true})).await;
    assert_eq!(
        seen(&world.results()),
        [
            json!(["1", null]),
            json!(["2", 1]),
            json!(["3", null]),
            json!(["4", 2]),
            json!(["5", null]),
            json!(["6", 1])
        ]
    );
}

/// T000-10: unknown fields are ignored in an action, in its parameters and in an entry.
#[tokio::test(start_paused = true)]
async fn unknown_fields_are_ignored() {
    let entry = json!({"title": "Alice", "address": ALICE, "chain": "Ethereum", "colour": {"r": 1}});
    let params = json!({"entries": [entry], "dry_run": false});
    let world =
        World::proposing(json!([with(action("a1", "add_address_book", params), "priority", json!([1]))]))
            .await;
    world.say("go").await;
    let id = world.book().await[0]["id"].clone();
    let row = json!({"id": id, "title": "Alice", "address": ALICE, "chain": "Ethereum", "success": true,
        "error": null});
    assert_eq!(
        world.results(),
        [
            json!({"action": "add_address_book", "action_id": "a1", "success": true, "data": {"results": [row]}})
        ]
    );
}

/// T000-11: malformed elements are reported one by one, and the other elements run.
#[tokio::test(start_paused = true)]
async fn malformed_elements_do_not_affect_others() {
    let world = World::proposing(json!([
        save_entry("first", "First"),
        "text",
        null,
        {"type": "get_address_book"},
        {"id": "", "type": "get_address_book"},
        {"id": "no type"},
        {"id": "bad params", "type": "get_address_book", "params": []},
        save_entry("last", "Last"),
    ]))
    .await;
    world.say("go").await;
    let shown: Vec<Value> = world
        .results()
        .iter()
        .map(|result| json!([result["action"], result["action_id"], result["success"], result.get("error")]))
        .collect();
    let id = "malformed_action: /id must be a non-empty string of at most 256 bytes";
    assert_eq!(
        shown,
        [
            json!(["add_address_book", "first", true, null]),
            json!(["", "", false, "malformed_action: is not an object"]),
            json!(["", "", false, "malformed_action: is not an object"]),
            json!(["get_address_book", "", false, id]),
            json!(["get_address_book", "", false, id]),
            json!(["", "no type", false, "malformed_action: /type must be a non-empty string"]),
            json!(["get_address_book", "bad params", false, "malformed_action: /params must be an object"]),
            json!(["add_address_book", "last", true, null]),
        ]
    );
    let titles: Vec<Value> = world.book().await.iter().map(|entry| entry["title"].clone()).collect();
    assert_eq!(titles, ["First", "Last"]);
}

/// T000-11: an element without an id is one call, however often its answer is read and however it is split into
/// events.
#[tokio::test(start_paused = true)]
async fn malformed_element_is_reported_once() {
    let actions = json!([{"type": "get_address_book"}, 5]);
    let spoken = Turn { actions_per_event: Some(1), ..turn(on_any_message(), actions) };
    let world = World::scripted(vec![spoken]).await;
    world.set_fault(Fault::new(Kind::NoMessage).on_messages().times(2));
    world.say("go").await;
    world.pass(5_000).await;
    let messages = world.messages_sent().iter().filter(|sent| sent.body.get("content").is_some()).count();
    assert_eq!((messages, world.calls().await.len()), (3, 2));
}

/// T000-17: one result for each request, in the order of the actions, each under its own key (D1). A crash between
/// execution and delivery loses no result and repeats no action: the same bytes are sent under the same key.
#[tokio::test(start_paused = true)]
async fn results_survive_a_crash() {
    let world =
        World::proposing(json!([save_entry("1", "A"), save_entry("2", "B"), save_entry("3", "C")])).await;
    world.set_fault(Fault::hold_results());
    world.say("go").await;
    assert_eq!(world.results().len(), 1, "the second result waits for the first");
    world.clear_faults();
    world.restart().await;
    world.settle().await;
    let sent: Vec<Sent> =
        world.messages_sent().into_iter().filter(|sent| sent.body.get("action_result").is_some()).collect();
    let ids: Vec<&Value> = sent.iter().map(|sent| &sent.body["action_result"]["action_id"]).collect();
    assert_eq!(ids, ["1", "1", "2", "3"]);
    assert_eq!((&sent[0].key, &sent[0].body), (&sent[1].key, &sent[1].body));
    assert!(sent[1].key != sent[2].key && sent[2].key != sent[3].key && sent[1].key != sent[3].key);
    assert_eq!(world.book().await.len(), 3);
    let delivered: Vec<Value> = world.calls().await.iter().map(|call| call["delivery"].clone()).collect();
    assert_eq!(delivered, ["delivered"; 3]);
    assert_eq!(world.violations(), [""; 0]);
}

/// T000-1: actions are read from `actions` in both stream dialects and in a JSON body.
#[tokio::test(start_paused = true)]
async fn actions_in_three_forms() {
    for dialect in [Dialect::Events, Dialect::UiMessageStream, Dialect::Json] {
        for faults in [vec![], vec![Fault::new(Kind::TinyChunks { size: Some(1) })]] {
            let spoken = Turn {
                text: "Saving two 🦀 friends.".to_owned(),
                title: Some("Friends".to_owned()),
                dialect,
                faults,
                actions_per_event: Some(1),
                ..turn(on_any_message(), json!([save_entry("1", "A"), save_entry("2", "B")]))
            };
            let world = World::scripted(vec![spoken]).await;
            world.say("go").await;
            let ids: Vec<Value> = world.results().iter().map(|result| result["action_id"].clone()).collect();
            assert_eq!(ids, ["1", "2"], "{dialect:?}");
            assert_eq!(
                world.messages().await,
                [json!(["user", "go", "done"]), json!(["agent", "Saving two 🦀 friends.", "done"])],
                "{dialect:?}"
            );
            assert_eq!(world.get("/api/conversations").await["conversations"][0]["title"], "Friends");
            assert_eq!((world.violations(), world.work().await), (vec![], json!([])));
        }
    }
}

/// T000-1: nothing else that looks like an action is one: not text, not the final message, not another event, not
/// another field, not the user's message.
#[tokio::test(start_paused = true)]
async fn only_the_actions_field_is_executed() {
    let actions = json!({"actions": [save_entry("evil", "Mallory")]});
    let look_alike =
        |name: &str, data: Value| ExtraEvent::Event { name: Some(name.to_owned()), data: data.to_string() };
    for dialect in [Dialect::Events, Dialect::UiMessageStream] {
        let spoken = Turn {
            text: actions.to_string(),
            dialect,
            events: vec![
                look_alike("tool_progress", actions.clone()),
                look_alike("text_delta", json!({"delta": actions.to_string()})),
                look_alike("title", json!({"title": actions.to_string()})),
                look_alike("suggestions", json!({"suggestions": actions["actions"]})),
                look_alike("action", actions["actions"][0].clone()),
                ExtraEvent::Raw(format!("data: {actions}\n\n")),
                ExtraEvent::Raw(format!(": event: actions\n: data: {actions}\n\n")),
            ],
            ..turn(on_any_message(), json!([read_book("real")]))
        };
        let world = World::scripted(vec![spoken]).await;
        world.say(&actions.to_string()).await;
        let ids: Vec<Value> = world.calls().await.iter().map(|call| call["actionId"].clone()).collect();
        assert_eq!(ids, ["real"], "{dialect:?}");
    }
}

/// T000-17: an answer that breaks off after its actions is requested again; completed actions do not run again, and
/// every result is delivered.
#[tokio::test(start_paused = true)]
async fn truncated_answer_is_requested_again() {
    let actions = json!([save_entry("1", "A"), save_entry("2", "B")]);
    for at in
        [At::BeforeHeaders, At::AfterEvent(0), At::InsideEvent(1), At::AfterEvent(1), At::InsideEvent(2)]
    {
        let script = Script { name: String::new(), turns: vec![turn(on_any_message(), actions.clone())] };
        let world = World::with_agent(ScriptedAgent::new(script, 1)).await;
        world.set_fault(Fault::cut(at).on_messages().times(1));
        world.say("go").await;
        world.pass(5_000).await;
        let messages: Vec<Sent> =
            world.messages_sent().into_iter().filter(|sent| sent.body.get("content").is_some()).collect();
        assert_eq!((messages.len(), &messages[0].key), (2, &messages[1].key), "{at:?}");
        assert_eq!(world.book().await.len(), 2, "{at:?}");
        let mut ids: Vec<String> =
            world.results().iter().map(|result| result["action_id"].to_string()).collect();
        ids.dedup();
        assert_eq!(ids, ["\"1\"", "\"2\""], "{at:?}");
        assert_eq!(world.violations(), [""; 0], "{at:?}");
    }
}
