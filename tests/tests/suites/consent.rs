//! Whether a call may run: the sender's `auto_execute` hint, the tool's category, the user's answer.

use countersign_tests::world::*;
use runtime::store::Table;
use serde_json::{Value, json};

const TEN_MINUTES: u64 = 10 * 60_000;

/// An action with or without a hint.
fn hinted(action: Value, hint: Option<bool>) -> Value {
    match hint {
        Some(hint) => with(action, "auto_execute", json!(hint)),
        None => without(action, "auto_execute"),
    }
}

/// T000-7: whether a call prompts, for every hint and for tools that read and tools that write. Without a hint, a
/// read needs no prompt and a write does (D2). The same for the agent and for a page.
#[tokio::test(start_paused = true)]
async fn hint_and_category_decide_about_a_prompt() {
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

/// T000-7: a hint that is not a boolean is ignored.
#[tokio::test(start_paused = true)]
async fn non_boolean_hint_is_ignored() {
    let world =
        World::proposing(json!([with(save_entry("a1", "Alice"), "auto_execute", json!("true"))])).await;
    world.say("go").await;
    assert_eq!((world.prompts().await.len(), world.book().await.len()), (1, 0));
}

/// T000-7: a waiting call has no effect; after the approval it runs once, also across restarts.
#[tokio::test(start_paused = true)]
async fn approved_call_runs_once() {
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

/// The prompt as a page sees it, in the list and in the event.
#[tokio::test(start_paused = true)]
async fn prompt_in_list_and_event() {
    let world = World::proposing(json!([hinted(save_entry("a1", "Alice"), None)])).await;
    world.say("go").await;
    let call = world.calls().await[0].clone();
    let prompts = world.prompts().await;
    let asked_at = prompts[0]["createdAt"].as_u64().unwrap();
    let prompt = json!({"id": prompts[0]["id"], "kind": "confirmation_required", "callId": call["id"],
        "title": "Title of a1", "reasons": prompts[0]["reasons"], "subject": call["shown"], "digest": prompts[0]["digest"], "createdAt": asked_at, "expiresAt": asked_at + TEN_MINUTES, "outcome": null});
    assert_eq!(json!(prompts), json!([prompt]));
    assert_eq!(
        (&prompt["reasons"][0]["code"], prompt["digest"].as_str().map(str::len)),
        (&json!("tap_wanted"), Some(64))
    );
    assert_eq!(call["state"], json!({"name": "waiting", "promptId": prompt["id"]}));
    let events = world.events().await;
    let event = events.iter().find(|event| event.name == "confirmation_required").unwrap();
    let asked = json!({"id": prompt["id"], "callId": call["id"], "outcome": null});
    let waits = json!({"id": call["id"], "actionId": "a1", "source": call["source"], "state": call["state"]});
    assert_eq!(event.data, json!({"prompt": asked, "call": waits}));
    assert_eq!(world.browser.alarm(), Some(asked_at + TEN_MINUTES), "only the alarm ends it");
}

/// T000-7: a rejection ends the call at once, with or without a reason, and without effect.
#[tokio::test(start_paused = true)]
async fn rejection_ends_the_call() {
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

/// The kill switch refuses what is open: the calls end, nothing is written, and an answer comes too late. So it does if the
/// worker ended before it refused them.
#[tokio::test(start_paused = true)]
async fn kill_switch_refuses_open_prompts() {
    for worker_ended in [false, true] {
        let world = World::proposing(json!([hinted(save_entry("a1", "Alice"), None)])).await;
        world.say("go").await;
        let prompt = world.prompts().await[0].clone();
        let rules =
            json!({"killSwitch": true, "limits": [], "recipients": null, "contracts": null, "tools": []});
        if worker_ended {
            world.write(Table::Settings, "policy", &rules.to_string()).await;
            assert_eq!(world.get("/api/policy").await, rules);
        } else {
            assert_eq!(world.call("PUT", "/api/policy", rules).await.0, 200);
            assert_eq!((world.prompts().await.len(), world.browser.attention()), (0, 0));
        }
        let late = world.answer_prompt(&prompt, json!({"approve": true})).await;
        assert_eq!((late.0, &late.1["error"]["code"]), (409, &json!("already_answered")));
        world.settle().await;
        let error = "kill_switch: everything was stopped before it was approved";
        assert_eq!(world.results(), [failure("a1", "add_address_book", error)], "{worker_ended}");
        assert_eq!(world.book().await, Vec::<Value>::new());
    }
}

/// T000-7: an unanswered prompt expires after ten minutes by the alarm alone, also if the worker that opened it is
/// gone.
#[tokio::test(start_paused = true)]
async fn unanswered_prompt_expires() {
    for restarts in [false, true] {
        let world = World::proposing(json!([hinted(save_entry("a1", "Alice"), None)])).await;
        world.say("go").await;
        let prompt = world.prompts().await[0].clone();
        if restarts {
            world.restart().await;
        }
        world.pass(TEN_MINUTES - 2_000).await;
        assert_eq!(world.results(), Vec::<Value>::new());
        world.pass(4_000).await;
        let error = "consent_expired: no answer in time";
        assert_eq!(world.results(), [failure("a1", "add_address_book", error)]);
        assert_eq!(
            (world.book().await, world.prompts().await, world.browser.attention()),
            (vec![], vec![], 0)
        );
        let late = world.answer_prompt(&prompt, json!({"approve": true})).await;
        assert_eq!(late.0, 409);
        assert_eq!(world.book().await, Vec::<Value>::new());
    }
}

/// T000-7: an answer after the expiry and before the alarm is too late.
#[tokio::test(start_paused = true)]
async fn answer_after_expiry_is_refused() {
    let world = World::proposing(json!([hinted(save_entry("a1", "Alice"), None)])).await;
    world.say("go").await;
    // Time passes without the alarm, as in a suspended browser.
    world.run(tokio::time::sleep(std::time::Duration::from_millis(TEN_MINUTES))).await;
    let (status, body) = world.answer(json!({"approve": true})).await;
    assert_eq!((status, &body["error"]["code"]), (409, &json!("already_answered")));
    assert_eq!(world.results()[0]["error"], "consent_expired: no answer in time");
    assert_eq!(world.book().await, Vec::<Value>::new());
}

/// The first answer counts; any other answer, concurrent or later, gets an error and changes nothing. An answer must
/// be true or false, to an existing prompt.
#[tokio::test(start_paused = true)]
async fn prompt_is_answered_once() {
    let world = World::proposing(json!([hinted(save_entry("a1", "Alice"), None)])).await;
    world.say("go").await;
    let prompt = world.prompts().await[0].clone();
    let before = world.records().await;
    let invalid =
        json!({"error": {"code": "invalid_request", "message": "must be true or false", "path": "/approve"}});
    for body in [json!({}), json!({"approve": "yes"}), json!({"approve": null}), json!({"approve": 1})] {
        assert_eq!(world.answer_prompt(&prompt, body).await, (400, invalid.clone()));
    }
    let (status, body) = world.answer_prompt(&prompt, json!({"approve": false, "reason": 7})).await;
    assert_eq!((status, &body["error"]["path"]), (400, &json!("/reason")));
    let unknown = json!({"error": {"code": "prompt_not_found", "message": "there is no such question"}});
    let answer = json!({"approve": true});
    assert_eq!(
        world.answer_prompt(&with(prompt.clone(), "id", json!("unknown")), answer).await,
        (404, unknown)
    );
    assert_eq!(world.records().await, before);

    let (no, yes) = tokio::join!(
        world.answer_prompt(&prompt, json!({"approve": false})),
        world.answer_prompt(&prompt, json!({"approve": true})),
    );
    let mut statuses = [no.0, yes.0];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409]);
    world.settle().await;
    let answered = json!({"error": {"code": "already_answered", "message": "this question has its answer"}});
    assert_eq!(world.answer_prompt(&prompt, json!({"approve": true})).await, (409, answered));
    assert_eq!(world.results().len(), 1);
    assert_eq!(world.results()[0]["success"], yes.0 == 200);
    assert_eq!(world.table(Table::Contacts).await.len(), usize::from(yes.0 == 200));
}

/// T000-9: prompts of one conversation open one after the other, in the order of the actions.
#[tokio::test(start_paused = true)]
async fn one_prompt_at_a_time() {
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

/// A waiting call blocks its own conversation and no other.
#[tokio::test(start_paused = true)]
async fn prompt_blocks_only_its_lane() {
    let world = World::proposing(json!([hinted(save_entry("a1", "Alice"), None)])).await;
    world.say("go").await;
    let result = world
        .act_once("add_address_book", json!({"entries": [{"title": "B", "address": BOB, "chain": "Base"}]}));
    assert_eq!(result.await["success"], true);
    assert_eq!((world.book().await.len(), world.prompts().await.len()), (1, 1));
}

/// Nothing keeps the worker alive while only the user is waited for.
#[tokio::test(start_paused = true)]
async fn waiting_for_the_user_needs_no_worker() {
    let world = World::proposing(json!([hinted(save_entry("a1", "Alice"), None)])).await;
    world.say("go").await;
    assert_eq!((world.work().await, world.browser.keep_alive().last()), (json!([]), Some(&false)));
}

/// A remembered approval lets the tool run without a prompt within its bounds, for that sender only; beyond the
/// bounds it prompts again.
#[tokio::test(start_paused = true)]
async fn remembered_approval_within_bounds() {
    let saves = |id: &str| hinted(save_entry(id, id), None);
    let world = World::scripted(vec![turn(
        when_said("go"),
        json!([saves("a1"), saves("a2"), saves("a3"), saves("a4")]),
    )])
    .await;
    world.say("go").await;
    let remember = json!({"kind": "allow", "perDay": 2, "until": null});
    assert_eq!(world.answer(json!({"approve": true, "remember": remember})).await.0, 200);
    assert_eq!((world.results().len(), world.prompts().await.len()), (3, 1), "two more, then a prompt");
    assert_eq!(world.prompts().await[0]["reasons"][0]["code"], "bounds_used_up");
    let own = json!({"actions": [hinted(save_entry("mine", "Mine"), None)]});
    assert_eq!(world.call("POST", "/api/actions?wait=false", own).await.0, 202);
    world.settle().await;
    assert_eq!(world.prompts().await.len(), 2, "the rule covers only the agent");
    world.pass(25 * 60 * 60_000).await;
    assert_eq!(world.prompts().await, [] as [Value; 0]);
}

/// A remembered denial ends the call, and every later one of that sender, without a prompt.
#[tokio::test(start_paused = true)]
async fn remembered_denial() {
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

/// A remembered decision must match the answer, and is refused for the user's own requests.
#[tokio::test(start_paused = true)]
async fn contradictory_remember_is_refused() {
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
    assert_eq!(world.prompts().await.len(), 1, "the prompt is still open");
}

/// An answer names the digest of the prompt that was shown: without it it is refused at its place, with another it was
/// given to something else. Rejections too.
#[tokio::test(start_paused = true)]
async fn answers_name_what_was_shown() {
    let world = World::proposing(json!([hinted(save_entry("a1", "Alice"), None)])).await;
    world.say("go").await;
    let prompt = world.prompts().await[0].clone();
    let target = format!("/api/prompts/{}", prompt["id"].as_str().unwrap());
    let before = world.records().await;
    let missing = json!({"error": {"code": "invalid_request", "path": "/digest",
        "message": "must be the digest of the prompt that was shown"}});
    for approve in [true, false] {
        for digest in [json!({}), json!({"digest": null})] {
            let answer = with(digest, "approve", json!(approve));
            assert_eq!(world.call("POST", &target, answer).await, (400, missing.clone()));
        }
        let (status, body) = world.call("POST", &target, json!({"approve": approve, "digest": 7})).await;
        assert_eq!((status, &body["error"]["path"]), (400, &json!("/digest")));
        for digest in ["", "00", prompt["subject"].as_str().unwrap()] {
            let answer = json!({"approve": approve, "digest": digest});
            let (status, body) = world.call("POST", &target, answer).await;
            assert_eq!((status, &body["error"]["code"]), (409, &json!("stale_answer")), "{digest}");
        }
    }
    assert_eq!(world.records().await, before);
    assert_eq!(world.answer(json!({"approve": true})).await.0, 200);
}

/// The digest is over everything that is shown: it changes with the title, the description, the parameters, the sender and
/// the reasons, also where everything else is the same.
#[tokio::test(start_paused = true)]
async fn digest_covers_everything_shown() {
    let asked = async |action: Value, auto_execute: Option<bool>| {
        let world = World::proposing(json!([hinted(action, auto_execute)])).await;
        world.say("go").await;
        let prompt = world.prompts().await[0].clone();
        let call = world.calls().await[0].clone();
        assert_eq!(
            (&prompt["subject"], prompt["subject"].as_str().map(str::len)),
            (&call["shown"], Some(64))
        );
        // Worlds run alike: the same ids at the same times.
        prompt
    };
    let usual = || save_entry("a1", "Alice");
    let first = asked(usual(), None).await;
    assert_eq!(asked(usual(), None).await, first, "the same prompt has the same digest");
    let mut digests = vec![first["digest"].clone()];
    for (action, hint) in [
        (with(usual(), "title", json!("Another title")), None),
        (with(usual(), "description", json!("")), None),
        (with(usual(), "description", json!("More")), None),
        (save_entry("a1", "Bob"), None),
        (usual(), Some(false)),
    ] {
        digests.push(asked(action, hint).await["digest"].clone());
    }
    let known = digests.len();
    // The hint is not shown, and makes no difference to what is.
    assert_eq!(digests.pop(), digests.first().cloned());
    digests.sort_by_key(Value::to_string);
    digests.dedup();
    assert_eq!(digests.len(), known - 1);
}

/// A prompt that an earlier version wrote is read and can be answered by its digest.
#[tokio::test(start_paused = true)]
async fn earlier_prompts_are_read() {
    let world = World::proposing(json!([hinted(save_entry("a1", "Alice"), None)])).await;
    world.say("go").await;
    let row = world.table(Table::Prompts).await.remove(0);
    let mut earlier: Value = serde_json::from_str(&row.text).unwrap();
    earlier.as_object_mut().unwrap().remove("subject");
    earlier["digest"] = json!("ab");
    world.write(Table::Prompts, &row.key, &earlier.to_string()).await;
    assert_eq!(world.prompts().await, [earlier]);
    assert_eq!(world.answer(json!({"approve": false})).await.0, 200);
}
