//! Whether a call may run: the sender's hint, the tool's category, a person's one answer.

use countersign_tests::world::*;
use runtime::store::Table;
use serde_json::{Value, json};

const TEN_MINUTES: u64 = 10 * 60_000;

/// An action with a hint, or without one.
fn hinted(action: Value, hint: Option<bool>) -> Value {
    match hint {
        Some(hint) => with(action, "auto_execute", json!(hint)),
        None => without(action, "auto_execute"),
    }
}

/// T000-7: whether a call asks, for every hint and for tools that look and tools that write. Without a hint, looking
/// needs no tap and writing does (D2). The same for the agent and for a page.
#[tokio::test(start_paused = true)]
async fn who_is_asked() {
    let table = [
        (read_book("a1"), Some(true), false),
        (read_book("a1"), Some(false), true),
        (read_book("a1"), None, false),
        (save_entry("a1", "Alice"), Some(true), false),
        (save_entry("a1", "Alice"), Some(false), true),
        (save_entry("a1", "Alice"), None, true),
        (action("a1", "delete_address_book", json!({"entries": [{"title": "Zoe"}]})), Some(true), false),
        (action("a1", "delete_address_book", json!({"entries": [{"title": "Zoe"}]})), None, true),
        (
            action("a1", "address_book_add", json!({"name": "A", "address": ALICE, "chain": "Base"})),
            None,
            true,
        ),
    ];
    for (action, hint, asks) in table {
        let world = World::proposing(json!([hinted(action.clone(), hint)])).await;
        world.say("go").await;
        let state = if asks { "waiting" } else { "done" };
        assert_eq!(world.calls().await[0]["state"]["name"], state, "{action} {hint:?}");
        let actions = json!({"actions": [hinted(action.clone(), hint)]});
        let (status, body) = world.call("POST", "/api/actions?wait=false", actions).await;
        assert_eq!(status, 202);
        world.settle().await;
        let call = world.get(&format!("/api/calls/{}", body["callIds"][0].as_str().unwrap())).await;
        assert_eq!(call["state"]["name"], state, "{action} {hint:?}");
        assert_eq!(
            (world.prompts().await.len(), world.browser.attention()),
            if asks { (2, 2) } else { (0, 0) }
        );
    }
}

/// T000-7: a hint that is neither true nor false is no hint.
#[tokio::test(start_paused = true)]
async fn a_hint_of_another_type_is_none() {
    let world =
        World::proposing(json!([with(save_entry("a1", "Alice"), "auto_execute", json!("true"))])).await;
    world.say("go").await;
    assert_eq!((world.prompts().await.len(), world.book().await.len()), (1, 0));
}

/// T000-7: nothing of a call that waits has been done; after the tap it runs once, whoever died meanwhile.
#[tokio::test(start_paused = true)]
async fn a_tap_lets_it_run() {
    let world = World::proposing(json!([hinted(save_entry("a1", "Alice"), Some(false))])).await;
    world.say("go").await;
    world.restart().await;
    world.pass(TEN_MINUTES - 5_000).await;
    assert_eq!((world.book().await, world.results()), (vec![], vec![]));
    let asked = world.prompts().await[0].clone();
    let (status, answered) = world.answer(json!({"approve": true})).await;
    assert_eq!((status, answered), (200, with(asked, "outcome", json!("approved"))));
    world.restart().await;
    world.settle().await;
    let book = world.book().await;
    let row = json!({"id": book[0]["id"], "title": "Alice", "address": ALICE, "chain": "Ethereum",
        "success": true, "error": null});
    let result =
        json!({"action": "add_address_book", "action_id": "a1", "success": true, "data": {"results": [row]}});
    assert_eq!((book.len(), world.results()), (1, vec![result]));
    assert_eq!((world.prompts().await, world.browser.attention()), (vec![], 0));
}

/// The question as a page sees it, in the list and in the event.
#[tokio::test(start_paused = true)]
async fn a_question_says_what_is_asked() {
    let world = World::proposing(json!([hinted(save_entry("a1", "Alice"), None)])).await;
    world.say("go").await;
    let call = world.calls().await[0].clone();
    let prompts = world.prompts().await;
    let asked_at = prompts[0]["createdAt"].as_u64().unwrap();
    let prompt = json!({"id": prompts[0]["id"], "kind": "confirmation_required", "callId": call["id"],
        "title": "Title of a1", "reasons": prompts[0]["reasons"], "digest": prompts[0]["digest"], "createdAt": asked_at, "expiresAt": asked_at + TEN_MINUTES, "outcome": null});
    assert_eq!(json!(prompts), json!([prompt]));
    assert_eq!(
        (&prompt["reasons"][0]["code"], prompt["digest"].as_str().map(str::len)),
        (&json!("tap_wanted"), Some(64))
    );
    assert_eq!(call["state"], json!({"name": "waiting", "promptId": prompt["id"]}));
    let events = world.events().await;
    let event = events.iter().find(|event| event.name == "confirmation_required").unwrap();
    assert_eq!(event.data, json!({"prompt": prompt, "call": call}));
    assert_eq!(world.browser.alarm(), Some(asked_at + TEN_MINUTES), "nobody else would end it");
}

/// T000-7: a refusal ends the call at once, with the person's reason or without one, and nothing is done.
#[tokio::test(start_paused = true)]
async fn a_refusal_ends_it() {
    let long = "x".repeat(501);
    let cases = [
        (json!({"approve": false}), "rejected_by_user: the user said no".to_owned()),
        (json!({"approve": false, "reason": null}), "rejected_by_user: the user said no".to_owned()),
        (json!({"approve": false, "reason": "wrong address"}), "rejected_by_user: wrong address".to_owned()),
        (json!({"approve": false, "reason": long}), format!("rejected_by_user: {}", "x".repeat(500))),
    ];
    for (answer, error) in cases {
        let world = World::proposing(json!([hinted(save_entry("a1", "Alice"), None)])).await;
        world.say("go").await;
        assert_eq!(world.answer(answer).await.0, 200);
        assert_eq!(world.results(), [failure("a1", "add_address_book", &error)]);
        assert_eq!((world.book().await, world.browser.attention()), (vec![], 0));
    }
}

/// T000-7: a question that nobody answers ends after ten minutes by the alarm alone, also if the worker that asked is
/// dead.
#[tokio::test(start_paused = true)]
async fn nobody_answers() {
    for dies in [false, true] {
        let world = World::proposing(json!([hinted(save_entry("a1", "Alice"), None)])).await;
        world.say("go").await;
        let prompt = world.prompts().await[0].clone();
        if dies {
            world.restart().await;
        }
        world.pass(TEN_MINUTES - 2_000).await;
        assert_eq!(world.results(), Vec::<Value>::new());
        world.pass(4_000).await;
        let error = "consent_expired: nobody answered in time";
        assert_eq!(world.results(), [failure("a1", "add_address_book", error)]);
        assert_eq!(
            (world.book().await, world.prompts().await, world.browser.attention()),
            (vec![], vec![], 0)
        );
        let target = format!("/api/prompts/{}", prompt["id"].as_str().unwrap());
        let late = world.call("POST", &target, json!({"approve": true}));
        assert_eq!(late.await.0, 409);
        assert_eq!(world.book().await, Vec::<Value>::new());
    }
}

/// T000-7: an answer that comes when the time is over, and before the alarm, is too late.
#[tokio::test(start_paused = true)]
async fn an_answer_can_be_too_late() {
    let world = World::proposing(json!([hinted(save_entry("a1", "Alice"), None)])).await;
    world.say("go").await;
    // Time without the alarm, as in a browser that sleeps.
    world.run(tokio::time::sleep(std::time::Duration::from_millis(TEN_MINUTES))).await;
    let (status, body) = world.answer(json!({"approve": true})).await;
    assert_eq!((status, &body["error"]["code"]), (409, &json!("already_answered")));
    assert_eq!(world.results()[0]["error"], "consent_expired: nobody answered in time");
    assert_eq!(world.book().await, Vec::<Value>::new());
}

/// The first answer counts; every other one, at the same moment or later, is told so and changes nothing. An answer
/// must say yes or no, to a question that there is.
#[tokio::test(start_paused = true)]
async fn a_question_is_answered_once() {
    let world = World::proposing(json!([hinted(save_entry("a1", "Alice"), None)])).await;
    world.say("go").await;
    let target = format!("/api/prompts/{}", world.prompts().await[0]["id"].as_str().unwrap());
    let before = world.records().await;
    let invalid =
        json!({"error": {"code": "invalid_request", "message": "must be true or false", "path": "/approve"}});
    for body in [json!({}), json!({"approve": "yes"}), json!({"approve": null}), json!({"approve": 1})] {
        assert_eq!(world.call("POST", &target, body).await, (400, invalid.clone()));
    }
    let reason = json!({"approve": false, "reason": 7});
    let (status, body) = world.call("POST", &target, reason).await;
    assert_eq!((status, &body["error"]["path"]), (400, &json!("/reason")));
    let unknown = json!({"error": {"code": "prompt_not_found", "message": "there is no such question"}});
    assert_eq!(world.call("POST", "/api/prompts/unknown", json!({"approve": true})).await, (404, unknown));
    assert_eq!(world.records().await, before);

    let (no, yes) = tokio::join!(
        world.call("POST", &target, json!({"approve": false})),
        world.call("POST", &target, json!({"approve": true})),
    );
    let mut statuses = [no.0, yes.0];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409]);
    world.settle().await;
    let answered = json!({"error": {"code": "already_answered", "message": "this question has its answer"}});
    assert_eq!(world.call("POST", &target, json!({"approve": true})).await, (409, answered));
    assert_eq!(world.results().len(), 1);
    assert_eq!(world.results()[0]["success"], yes.0 == 200);
    assert_eq!(world.table(Table::Contacts).await.len(), usize::from(yes.0 == 200));
}

/// T000-9: questions of one conversation come one after the other, in the order of the actions.
#[tokio::test(start_paused = true)]
async fn one_question_at_a_time() {
    let ask = |id: &str| hinted(save_entry(id, id), None);
    let world = World::proposing(json!([ask("1"), ask("2"), ask("3")])).await;
    world.say("go").await;
    for (title, approve) in [("Title of 1", true), ("Title of 2", false), ("Title of 3", true)] {
        assert_eq!((world.prompts().await[0]["title"].as_str(), world.browser.attention()), (Some(title), 1));
        world.answer(json!({"approve": approve})).await;
    }
    let ends: Vec<Value> =
        world.results().iter().map(|result| json!([result["action_id"], result["success"]])).collect();
    assert_eq!(ends, [json!(["1", true]), json!(["2", false]), json!(["3", true])]);
}

/// A call that waits holds its own conversation, and nobody else's.
#[tokio::test(start_paused = true)]
async fn a_question_holds_only_its_lane() {
    let world = World::proposing(json!([hinted(save_entry("a1", "Alice"), None)])).await;
    world.say("go").await;
    let result = world
        .act_once("add_address_book", json!({"entries": [{"title": "B", "address": BOB, "chain": "Base"}]}));
    assert_eq!(result.await["success"], true);
    assert_eq!((world.book().await.len(), world.prompts().await.len()), (1, 1));
}

/// Nothing keeps the worker alive while only a person is waited for.
#[tokio::test(start_paused = true)]
async fn waiting_for_a_person_needs_no_worker() {
    let world = World::proposing(json!([hinted(save_entry("a1", "Alice"), None)])).await;
    world.say("go").await;
    assert_eq!((world.work().await, world.browser.keep_alive().last()), (json!([]), Some(&false)));
}

/// An answer that holds from now on: the tool runs without a tap within its bounds, for the sender it was given to and
/// nobody else; what is over the bounds is asked about again.
#[tokio::test(start_paused = true)]
async fn always_within_bounds() {
    let saves = |id: &str| hinted(save_entry(id, id), None);
    let world = World::scripted(vec![turn(
        when_said("go"),
        json!([saves("a1"), saves("a2"), saves("a3"), saves("a4")]),
    )])
    .await;
    world.say("go").await;
    let remember = json!({"kind": "allow", "perDay": 2, "until": null});
    assert_eq!(world.answer(json!({"approve": true, "remember": remember})).await.0, 200);
    assert_eq!((world.results().len(), world.prompts().await.len()), (3, 1), "two more, then a question");
    assert_eq!(world.prompts().await[0]["reasons"][0]["code"], "bounds_used_up");
    let own = json!({"actions": [hinted(save_entry("mine", "Mine"), None)]});
    assert_eq!(world.call("POST", "/api/actions?wait=false", own).await.0, 202);
    world.settle().await;
    assert_eq!(world.prompts().await.len(), 2, "the agent's rule is not everybody's");
    world.pass(25 * 60 * 60_000).await;
    assert_eq!(world.prompts().await, [] as [Value; 0]);
}

/// An answer that denies for good ends the call, and every later one of that sender, without a question.
#[tokio::test(start_paused = true)]
async fn never_again() {
    let saves = |id: &str| hinted(save_entry(id, id), None);
    let world = World::proposing(json!([saves("a1"), saves("a2")])).await;
    world.say("go").await;
    let answer = json!({"approve": false, "reason": "no contacts", "remember": {"kind": "deny"}});
    assert_eq!(world.answer(answer).await.0, 200);
    let errors: Vec<Value> = world.results().iter().map(|result| result["error"].clone()).collect();
    assert_eq!(errors[0], "rejected_by_user: no contacts");
    assert!(errors[1].as_str().unwrap().starts_with("tool_denied: "), "{errors:?}");
    assert_eq!(world.book().await.len(), 0);
}

/// What is to hold must be what is said, and is for requests of others.
#[tokio::test(start_paused = true)]
async fn a_contradictory_answer_is_refused() {
    let world = World::proposing(json!([hinted(save_entry("a1", "Alice"), None)])).await;
    world.say("go").await;
    for (approve, remember) in [
        (true, json!({"kind": "deny"})),
        (false, json!({"kind": "allow", "perDay": 1, "until": null})),
        (true, json!({"kind": "allow", "perDay": 0, "until": null})),
        (true, json!({"kind": "sometimes"})),
        (true, json!(7)),
    ] {
        let (status, body) = world.answer(json!({"approve": approve, "remember": remember})).await;
        assert_eq!((status, &body["error"]["code"]), (400, &json!("invalid_request")), "{body}");
    }
    assert_eq!(world.answer(json!({"approve": false})).await.0, 200);
    let own = json!({"actions": [hinted(save_entry("mine", "Mine"), None)]});
    assert_eq!(world.call("POST", "/api/actions?wait=false", own).await.0, 202);
    world.settle().await;
    let remember = json!({"kind": "allow", "perDay": 1, "until": null});
    let (status, body) = world.answer(json!({"approve": true, "remember": remember})).await;
    assert_eq!((status, &body["error"]["path"]), (400, &json!("/remember")));
    assert_eq!(world.prompts().await.len(), 1, "it is still open");
}
