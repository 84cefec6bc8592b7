//! A repeated request runs once: repeated by the agent, by the user in two windows, or by a backend that lost an
//! answer.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use agent_backend::{At, Fault, Kind};
use countersign_tests::chain::Chains;
use countersign_tests::evm::{Evm, PAYEE, bundle, waiting};
use countersign_tests::story::{MINUTE, Story, row, rows};
use countersign_tests::world::with;
use serde_json::{Value, json};

fn steps() -> Value {
    json!([waiting(Evm::pays(PAYEE, 1_000).step("a", 0))])
}

/// The codes of the prompt's reasons.
async fn reasons(story: &Story) -> Vec<Value> {
    let prompts = story.world.prompts().await;
    let [prompt] = prompts.as_slice() else { panic!("{prompts:?}") };
    prompt["reasons"].as_array().unwrap().iter().map(|reason| reason["code"].clone()).collect()
}

/// T000-2: an action repeated in the same answer and in a later one is the same action: one prompt, one transaction,
/// and the result from the record.
#[tokio::test(start_paused = true)]
async fn repeated_action_runs_once() {
    let action = bundle("a1", steps());
    let story = Story::proposing(Chains::new(), json!([action, action])).await;
    assert_eq!(story.play().await, [row("a", "confirmed", "")]);
    let first = story.result();
    story.world.say("go").await;
    story.world.pass(MINUTE).await;
    assert!(story.world.results().iter().all(|result| *result == first));
    assert_eq!(story.world.prompts().await, [] as [Value; 0]);
    assert_eq!(story.world.browser.summoned().len(), 2, "one approval, one password");
    assert_eq!(story.chains.on("Ethereum").sent.len(), 1);
}

/// The same bytes under another id, within ten minutes: the user is prompted again with a warning. Sending them again
/// gives the existing transaction.
#[tokio::test(start_paused = true)]
async fn same_bytes_under_another_id_warn() {
    let again = with(bundle("a2", steps()), "title", json!("Something else"));
    for (wait, warned) in [(9 * MINUTE, true), (11 * MINUTE, false)] {
        let first = bundle("a1", json!([Evm::pays(PAYEE, 1_000).step("a", 0)]));
        let also = [("again", json!([again]))];
        let story = Story::proposing_also(Chains::by_hand(), json!([first]), &also).await;
        story.begin().await;
        assert_eq!(rows(&story.result()), [row("a", "pending", "")]);
        story.world.pass(wait).await;
        story.world.say("again").await;
        assert_eq!(reasons(&story).await.contains(&json!("duplicate_bundle")), warned);
        story.approve().await;
        story.open().await;
        story.chains.on("Ethereum").mine(0);
        assert_eq!(story.end().await, [row("a", "confirmed", "")]);
        let ledger = story.chains.on("Ethereum");
        assert_eq!((ledger.raw().len(), ledger.nonces()), (1, vec![7]));
    }
}

/// Once mined, the same bytes are refused without a prompt.
#[tokio::test(start_paused = true)]
async fn mined_bytes_are_refused() {
    let also = [("again", json!([bundle("a2", steps())]))];
    let story = Story::proposing_also(Chains::new(), json!([bundle("a1", steps())]), &also).await;
    story.play().await;
    story.world.say("again").await;
    assert!(story.result()["error"].as_str().unwrap().starts_with("stale_transaction: step 0: "));
    assert_eq!(story.world.browser.summoned().len(), 2);
}

/// Two windows approve and unlock at the same time: one answer of each counts, and one transaction is sent.
#[tokio::test(start_paused = true)]
async fn two_windows_send_once() {
    let story = Story::of(steps()).await;
    story.world.say("go").await;
    let password = countersign_tests::story::PASSWORD;
    for answer in [json!({"approve": true}), json!({"approve": true, "password": password})] {
        let prompts = story.world.prompts().await;
        let target = format!("/api/prompts/{}", prompts[0]["id"].as_str().unwrap());
        let (one, other) = tokio::join!(
            story.world.call("POST", &target, answer.clone()),
            story.world.call("POST", &target, answer.clone())
        );
        let mut statuses = [one.0, other.0];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409]);
        story.world.settle().await;
    }
    assert_eq!(story.end().await, [row("a", "confirmed", "")]);
    assert_eq!(story.chains.on("Ethereum").sent.len(), 1);
    assert_eq!(story.world.browser.signatures(), 1);
}

/// T000-2, T000-17: the backend's answer to the result is lost: the same result is sent again under the same key, and
/// a repeated proposal does not run again.
#[tokio::test(start_paused = true)]
async fn lost_acknowledgement_does_not_rerun() {
    let story = Story::of(steps()).await;
    story.world.set_fault(Fault::new(Kind::Cut(At::BeforeHeaders)).on_results().times(2));
    story.begin().await;
    story.world.pass(5 * MINUTE).await;
    let sent: Vec<_> = story
        .world
        .messages_sent()
        .into_iter()
        .filter(|sent| sent.body.get("action_result").is_some())
        .collect();
    assert_eq!(sent.len(), 3);
    assert!(sent.iter().all(|one| (&one.key, &one.body) == (&sent[0].key, &sent[0].body)));
    assert_eq!(rows(&story.result()), [row("a", "confirmed", "")]);
    story.world.say("go").await;
    story.world.pass(MINUTE).await;
    assert_eq!((story.chains.on("Ethereum").sent.len(), story.world.browser.signatures()), (1, 1));
}
