//! A repeated request runs once: repeated by the agent, by the user in two windows, or by a backend that lost an
//! answer.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use agent_backend::{At, Fault, Kind};
use countersign_tests::bundle_run::{BundleRun, MINUTE, row, rows};
use countersign_tests::chain::Chains;
use countersign_tests::evm::{Evm, PAYEE, bundle, with_receipt};
use countersign_tests::world::with;
use serde_json::{Value, json};

fn steps() -> Value {
    json!([with_receipt(Evm::pays(PAYEE, 1_000).step("a", 0))])
}

/// The codes of the prompt's reasons.
async fn reasons(run: &BundleRun) -> Vec<Value> {
    let prompts = run.world.prompts().await;
    let [prompt] = prompts.as_slice() else { panic!("{prompts:?}") };
    prompt["reasons"].as_array().unwrap().iter().map(|reason| reason["code"].clone()).collect()
}

/// T000-2: an action repeated in the same answer and in a later one is the same action: one prompt, one transaction,
/// and the result from the record.
#[tokio::test(start_paused = true)]
async fn repeated_action_runs_once() {
    let action = bundle("a1", steps());
    let run = BundleRun::proposing(Chains::new(), json!([action, action])).await;
    assert_eq!(run.complete().await, [row("a", "confirmed", "")]);
    let first = run.result();
    run.world.say("go").await;
    run.world.pass(MINUTE).await;
    assert!(run.world.results().iter().all(|result| *result == first));
    assert_eq!(run.world.prompts().await, [] as [Value; 0]);
    assert_eq!(run.world.browser.notified().len(), 2, "one approval, one password");
    assert_eq!(run.chains.on("Ethereum").sent.len(), 1);
}

/// The same bytes under another id, within ten minutes: the user is prompted again with a warning. Sending them again
/// gives the existing transaction.
#[tokio::test(start_paused = true)]
async fn same_bytes_under_another_id_warn() {
    let again = with(bundle("a2", steps()), "title", json!("Something else"));
    for (wait, warned) in [(9 * MINUTE, true), (11 * MINUTE, false)] {
        let first = bundle("a1", json!([Evm::pays(PAYEE, 1_000).step("a", 0)]));
        let also = [("again", json!([again]))];
        let run = BundleRun::proposing_also(Chains::mined_manually(), json!([first]), &also).await;
        run.start().await;
        assert_eq!(rows(&run.result()), [row("a", "pending", "")]);
        run.world.pass(wait).await;
        run.world.say("again").await;
        assert_eq!(reasons(&run).await.contains(&json!("duplicate_bundle")), warned);
        run.approve().await;
        run.unlock().await;
        run.chains.on("Ethereum").mine(0);
        assert_eq!(run.finish().await, [row("a", "confirmed", "")]);
        let ledger = run.chains.on("Ethereum");
        assert_eq!((ledger.raw().len(), ledger.nonces()), (1, vec![7]));
    }
}

/// Once mined, the same bytes are refused without a prompt.
#[tokio::test(start_paused = true)]
async fn mined_bytes_are_refused() {
    let also = [("again", json!([bundle("a2", steps())]))];
    let run = BundleRun::proposing_also(Chains::new(), json!([bundle("a1", steps())]), &also).await;
    run.complete().await;
    run.world.say("again").await;
    assert!(run.result()["error"].as_str().unwrap().starts_with("stale_transaction: step 0: "));
    assert_eq!(run.world.browser.notified().len(), 2);
}

/// Two windows approve and unlock at the same time: one answer of each counts, and one transaction is sent.
#[tokio::test(start_paused = true)]
async fn two_windows_send_once() {
    let run = BundleRun::of(steps()).await;
    run.world.say("go").await;
    let password = countersign_tests::bundle_run::PASSWORD;
    for answer in [json!({"approve": true}), json!({"approve": true, "password": password})] {
        let prompts = run.world.prompts().await;
        let (one, other) = tokio::join!(
            run.world.answer_prompt(&prompts[0], answer.clone()),
            run.world.answer_prompt(&prompts[0], answer.clone())
        );
        let mut statuses = [one.0, other.0];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409]);
        run.world.settle().await;
    }
    assert_eq!(run.first_result().await, [row("a", "confirmed", "")]);
    assert_eq!(run.chains.on("Ethereum").sent.len(), 1);
    assert_eq!(run.world.browser.signatures(), 1);
}

/// T000-2, T000-17: the backend's answer to the result is lost: the same result is sent again under the same key, and
/// a repeated proposal does not run again.
#[tokio::test(start_paused = true)]
async fn lost_acknowledgement_does_not_rerun() {
    let run = BundleRun::of(steps()).await;
    run.world.set_fault(Fault::new(Kind::Cut(At::BeforeHeaders)).on_results().times(2));
    run.start().await;
    run.world.pass(5 * MINUTE).await;
    let sent: Vec<_> = run
        .world
        .messages_sent()
        .into_iter()
        .filter(|sent| sent.body.get("action_result").is_some())
        .collect();
    assert_eq!(sent.len(), 3);
    assert!(sent.iter().all(|one| (&one.key, &one.body) == (&sent[0].key, &sent[0].body)));
    assert_eq!(rows(&run.result()), [row("a", "confirmed", "")]);
    run.world.say("go").await;
    run.world.pass(MINUTE).await;
    assert_eq!((run.chains.on("Ethereum").sent.len(), run.world.browser.signatures()), (1, 1));
}
