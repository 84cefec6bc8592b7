//! Interruptions of a running bundle: another bundle of the same account, the user's stop, the kill switch, a locked
//! vault.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use countersign_tests::bundle_run::{BundleRun, MINUTE, PASSWORD, code, row, rows};
use countersign_tests::chain::Chains;
use countersign_tests::evm::{approve_and_swap, bundle, pay, payments, with_receipt};
use countersign_tests::signer::fast_signer_address;
use countersign_tests::world::World;
use serde_json::{Value, json};

/// The user starts a bundle from a page, approves and unlocks it. Returns its id.
async fn start(world: &World, id: &str, steps: Value) -> String {
    let (status, body) =
        world.call("POST", "/api/actions?wait=false", json!({"actions": [bundle(id, steps)]})).await;
    assert_eq!(status, 202, "{body}");
    world.settle().await;
    assert_eq!(world.answer(json!({"approve": true})).await.0, 200);
    assert_eq!(world.answer(json!({"approve": true, "password": PASSWORD})).await.0, 200);
    body["callIds"][0].as_str().unwrap().to_owned()
}

/// The rows of a bundle's result and its error code; `None` while it runs.
async fn ended(world: &World, id: &str) -> Option<(Vec<countersign_tests::bundle_run::Row>, String)> {
    let call = world.get(&format!("/api/calls/{id}")).await;
    let result = &call["state"]["result"];
    result.is_object().then(|| (rows(result), code(&result["error"])))
}

async fn stop(world: &World, id: &str) -> (u16, Value) {
    let answer = world.call("POST", &format!("/api/bundles/{id}/stop"), Value::Null).await;
    world.settle().await;
    answer
}

/// T000-20: two bundles of one account run one after the other: the second names the bundle it waits for, and starts
/// when the first has ended.
#[tokio::test(start_paused = true)]
async fn one_bundle_per_account() {
    let run = BundleRun::on(Chains::mined_manually(), json!([])).await;
    let first = start(
        &run.world,
        "a1",
        json!([with_receipt(pay(7).step("a", 0)), with_receipt(pay(8).step("b", 1))]),
    )
    .await;
    let second = start(&run.world, "a2", json!([with_receipt(pay(9).step("c", 0))])).await;
    run.world.pass(10_000).await;
    let view = run.view_of(&second).await;
    assert_eq!((&view["behind"], &view["state"]), (&json!(first), &json!("approved")));
    assert_eq!(run.view_of(&first).await["state"], "running");
    // A restart does not let the second start early.
    run.world.restart().await;
    run.chains.on("Ethereum").mine(0);
    run.world.pass(10_000).await;
    assert_eq!(run.chains.on("Ethereum").raw().len(), 2);
    run.chains.each(|ledger| ledger.delay = 0);
    run.world.pass(MINUTE).await;
    let both = ["a", "b"].map(|id| row(id, "confirmed", ""));
    assert_eq!(ended(&run.world, &first).await, Some((both.to_vec(), String::new())));
    assert_eq!(ended(&run.world, &second).await, Some((vec![row("c", "confirmed", "")], String::new())));
    assert_eq!(run.chains.on("Ethereum").nonces(), [7, 8, 9]);
    assert_eq!(run.view_of(&second).await["behind"], Value::Null);
}

/// A bundle on another chain runs concurrently; one that uses both chains waits.
#[tokio::test(start_paused = true)]
async fn bundles_on_different_chains_run_concurrently() {
    let run = BundleRun::on(Chains::mined_manually(), json!([])).await;
    let first = start(&run.world, "a1", json!([with_receipt(pay(7).step("a", 0))])).await;
    let beside = start(&run.world, "a2", json!([with_receipt(pay(7).on_arbitrum().step("b", 0))])).await;
    let both = json!([with_receipt(pay(8).on_arbitrum().step("c", 0)), with_receipt(pay(8).step("d", 1))]);
    let behind = start(&run.world, "a3", both).await;
    run.world.pass(5_000).await;
    run.chains.on("Arbitrum").mine(0);
    run.world.pass(5_000).await;
    assert_eq!(ended(&run.world, &beside).await, Some((vec![row("b", "confirmed", "")], String::new())));
    assert_eq!(ended(&run.world, &first).await, None);
    // Arbitrum is free, Ethereum is not.
    assert_eq!(run.view_of(&behind).await["behind"], json!(first));
    assert_eq!(run.chains.on("Arbitrum").raw().len(), 1);
    run.chains.each(|ledger| ledger.delay = 0);
    run.world.pass(MINUTE).await;
    let both = ["c", "d"].map(|id| row(id, "confirmed", ""));
    assert_eq!(ended(&run.world, &behind).await, Some((both.to_vec(), String::new())));
}

/// Stopped between steps: the running step is finished and reported, the next is not started; a second stop is
/// refused.
#[tokio::test(start_paused = true)]
async fn stop_between_steps() {
    let run = BundleRun::on(Chains::mined_manually(), payments(3)).await;
    run.start().await;
    let id = run.view().await["id"].as_str().unwrap().to_owned();
    let (status, view) = stop(&run.world, &id).await;
    assert_eq!((status, &view["stopping"]), (200, &json!(true)));
    run.world.pass(10_000).await;
    assert_eq!(run.world.results(), [] as [Value; 0]);
    run.chains.on("Ethereum").mine(0);
    assert_eq!(run.finish().await, [row("a", "confirmed", "")]);
    assert_eq!(code(&run.result()["error"]), "stopped_by_user");
    let view = run.view().await;
    assert_eq!(
        (&view["state"], &view["stopping"], &view["success"]),
        (&json!("done"), &json!(false), &json!(false))
    );
    assert_eq!(run.world.browser.signatures(), 1);
    assert_eq!(stop(&run.world, &id).await.1["error"]["code"], "bundle_ended");
    assert_eq!(stop(&run.world, "none").await.1["error"]["code"], "bundle_not_found");
}

/// Stopped while it waits for another bundle: it ends without rows, and the other bundle continues.
#[tokio::test(start_paused = true)]
async fn stop_while_waiting() {
    let run = BundleRun::on(Chains::mined_manually(), json!([])).await;
    let first = start(&run.world, "a1", json!([with_receipt(pay(7).step("a", 0))])).await;
    let second = start(&run.world, "a2", json!([with_receipt(pay(8).step("b", 0))])).await;
    assert_eq!(stop(&run.world, &second).await.0, 200);
    assert_eq!(ended(&run.world, &second).await, Some((vec![], "stopped_by_user".to_owned())));
    run.chains.each(|ledger| ledger.delay = 0);
    run.world.pass(MINUTE).await;
    assert_eq!(ended(&run.world, &first).await, Some((vec![row("a", "confirmed", "")], String::new())));
    assert_eq!(run.chains.on("Ethereum").nonces(), [7]);
}

/// The kill switch during a bundle: nothing more is signed; the running step is reported.
#[tokio::test(start_paused = true)]
async fn kill_switch_during_a_bundle() {
    let run = BundleRun::on(Chains::mined_manually(), payments(3)).await;
    run.start().await;
    assert_eq!(run.world.call("PUT", "/api/policy", json!({"killSwitch": true})).await.0, 200);
    run.world.pass(10_000).await;
    run.chains.on("Ethereum").mine(0);
    assert_eq!(run.finish().await, [row("a", "confirmed", "")]);
    assert_eq!(code(&run.result()["error"]), "kill_switch");
    assert_eq!((run.world.browser.signatures(), run.chains.on("Ethereum").raw().len()), (1, 1));
}

/// The kill switch waits for no step: the swap behind an approval that is sent already is not signed. The user's stop does.
#[tokio::test(start_paused = true)]
async fn kill_switch_stops_in_the_middle_of_a_step() {
    for kill in [true, false] {
        let steps = json!([with_receipt(approve_and_swap("a", 0, &fast_signer_address(), 7))]);
        let run = BundleRun::on(Chains::mined_manually(), steps).await;
        run.start().await;
        let id = run.view().await["id"].as_str().unwrap().to_owned();
        let status = match kill {
            true => run.world.call("PUT", "/api/policy", json!({"killSwitch": true})).await.0,
            false => stop(&run.world, &id).await.0,
        };
        assert_eq!(status, 200);
        run.world.pass(10_000).await;
        run.chains.on("Ethereum").mine(0);
        run.chains.each(|ledger| ledger.delay = 0);
        let expected = if kill { row("a", "failed", "kill_switch") } else { row("a", "confirmed", "") };
        assert_eq!(run.finish().await, [expected]);
        assert_eq!(run.world.browser.signatures(), if kill { 1 } else { 2 });
    }
}

/// What the user forbids while a transaction is being signed holds: the signature is thrown away, and no node gets it.
#[tokio::test(start_paused = true)]
async fn signature_that_comes_too_late_is_thrown_away() {
    for (forbids, code_then) in [("kill switch", "kill_switch"), ("stop", "stopped_by_user"), ("lock", "")] {
        let run = BundleRun::on(Chains::new(), payments(2)).await;
        run.world.browser.set_signing_millis(1_000);
        run.start().await;
        run.world.pass(500).await;
        assert_eq!(run.world.browser.signatures(), 1, "{forbids}");
        let id = run.view().await["id"].as_str().unwrap().to_owned();
        let status = match forbids {
            "kill switch" => run.world.call("PUT", "/api/policy", json!({"killSwitch": true})).await.0,
            "stop" => stop(&run.world, &id).await.0,
            _ => run.world.call("POST", "/api/vaults/active/lock", Value::Null).await.0,
        };
        assert!(status < 300, "{forbids}: {status}");
        run.world.pass(5_000).await;
        assert_eq!(run.chains.on("Ethereum").raw().len(), 0, "{forbids}");
        if code_then.is_empty() {
            assert_eq!(run.world.prompts().await[0]["kind"], "password_required");
            run.unlock().await;
            assert_eq!(run.first_result().await, ["a", "b"].map(|id| row(id, "confirmed", "")));
        } else {
            assert_eq!(code(&run.result()["error"]), code_then);
            assert_eq!(run.world.browser.signatures(), 1, "{forbids}");
        }
    }
}

/// T000-42: closing the browser locks the vault: the running step is polled without a password, the next step prompts
/// for it again with the reason.
#[tokio::test(start_paused = true)]
async fn password_is_prompted_again_after_restart() {
    let run = BundleRun::on(Chains::mined_manually(), payments(3)).await;
    run.start().await;
    run.world.reopen().await;
    run.world.pass(10_000).await;
    assert_eq!(run.world.prompts().await, [] as [Value; 0]);
    run.chains.on("Ethereum").mine(0);
    run.world.pass(10_000).await;
    let prompts = run.world.prompts().await;
    assert_eq!(
        (&prompts[0]["kind"], &prompts[0]["why"]),
        (&json!("password_required"), &json!("locked_meanwhile"))
    );
    assert_eq!(run.progress().await, ["confirmed", "queued", "queued"]);
    run.chains.each(|ledger| ledger.delay = 0);
    run.unlock().await;
    assert_eq!(run.first_result().await, ["a", "b", "c"].map(|id| row(id, "confirmed", "")));
}

/// T000-48: no password for the next step: completed steps are reported, and nothing more runs.
#[tokio::test(start_paused = true)]
async fn rejected_password_ends_a_running_bundle() {
    let run = BundleRun::on(Chains::mined_manually(), payments(3)).await;
    run.start().await;
    run.world.reopen().await;
    run.chains.on("Ethereum").mine(0);
    run.world.pass(10_000).await;
    assert_eq!(run.world.answer(json!({"approve": false, "reason": "not now"})).await.0, 200);
    run.world.settle().await;
    assert_eq!(rows(&run.result()), [row("a", "confirmed", "")]);
    assert_eq!(run.result()["error"], "rejected_by_user: not now");
    assert_eq!((run.result()["success"].clone(), run.chains.on("Ethereum").raw().len()), (json!(false), 1));
    run.world.pass(MINUTE).await;
    assert_eq!((run.world.results().len(), run.world.browser.signatures()), (1, 1));
}

/// A bundle as a page sees it: each step's state, hash and times, and an event for each change.
#[tokio::test(start_paused = true)]
async fn progress_for_pages() {
    let run = BundleRun::on(
        Chains::mined_manually(),
        json!([with_receipt(pay(7).step("a", 4)), with_receipt(pay(8).step("b", 5))]),
    )
    .await;
    run.world.say("go").await;
    assert_eq!(run.view().await["state"], "asking");
    assert_eq!(run.progress().await, ["queued", "queued"]);
    run.approve().await;
    run.unlock().await;
    let view = run.view().await;
    let hash = run.chains.on("Ethereum").pool[0].1.hash.clone();
    let now = run.world.browser.now();
    let first = &view["progress"][0];
    assert_eq!((&view["state"], &view["success"]), (&json!("running"), &Value::Null));
    assert_eq!(
        (&first["sequence"], &first["status"], &first["txHash"]),
        (&json!(4), &json!("sent"), &json!(hash))
    );
    let transaction = &first["transactions"][0];
    assert_eq!(transaction["explorerUrl"], format!("https://etherscan.io/tx/{hash}"));
    let signed_at = transaction["signedAt"].as_u64().unwrap();
    assert_eq!(transaction["deadline"], signed_at + 3 * MINUTE);
    assert!(signed_at <= transaction["sentAt"].as_u64().unwrap() && now - signed_at < 10);
    assert_eq!(view["progress"][1]["transactions"][0]["txHash"], Value::Null);
    run.chains.each(|ledger| ledger.delay = 0);
    run.finish().await;
    let view = run.view().await;
    assert_eq!(
        (&view["state"], &view["success"], &view["error"]),
        (&json!("done"), &json!(true), &Value::Null)
    );
    assert!(view["progress"][1]["transactions"][0]["settledAt"].as_u64().unwrap() > now);
    let events = run.world.events().await;
    let reported: Vec<_> = events.iter().filter(|event| event.name == "tx_status").collect();
    let statuses: Vec<_> =
        reported.iter().map(|event| (&event.data["sequence"], &event.data["status"])).collect();
    let each = ["signing", "signed", "sent", "confirmed"];
    let expected: Vec<_> =
        [4, 5].iter().flat_map(|step| each.map(|status| (json!(step), json!(status)))).collect();
    assert_eq!(statuses, expected.iter().map(|(step, status)| (step, status)).collect::<Vec<_>>());
}
