//! Late truth: what becomes of a transaction after its bundle has ended, and who is told (D4).

use countersign_tests::chain::{Chains, Fault, Trouble};
use countersign_tests::evm::{Evm, PAYEE, waiting};
use countersign_tests::story::{MINUTE, Story, row, rows};
use runtime::store::Table;
use serde_json::{Value, json};

const HOUR: u64 = 60 * MINUTE;

fn steps() -> Value {
    json!([waiting(Evm::pays(PAYEE, 1_000).step("a", 0)), Evm::pays(PAYEE, 1_000).nonce(8).step("b", 1)])
}

/// A bundle whose first step nobody knows of when its time is over.
async fn timed_out() -> Story {
    let story = Story::on(Chains::by_hand(), steps()).await;
    assert_eq!(story.play().await, [row("a", "timeout", "receipt_timeout")]);
    story
}

/// The results that the backend got, each with its key.
fn results(story: &Story) -> Vec<(String, Value)> {
    let sent = story.world.messages_sent().into_iter();
    sent.filter_map(|sent| Some((sent.key, sent.body.get("action_result")?.clone()))).collect()
}

/// T000-51, D4: in a block an hour after the deadline: the backend gets one more result, under a key of its own, and the
/// person sees it; no worker had to live all the time, and the bundle goes on with nothing.
#[tokio::test(start_paused = true)]
async fn confirmed_an_hour_later() {
    let story = timed_out().await;
    story.world.pass(HOUR).await;
    assert_eq!(story.world.work().await, json!([]));
    story.world.reopen().await;
    story.chains.on("Ethereum").mine(0);
    story.world.pass(HOUR).await;
    let [(first_key, first), (late_key, late)] = results(&story).try_into().expect("two results");
    assert_ne!(first_key, late_key);
    let hash = &first["data"]["transactions"][0]["tx_hash"];
    let told = json!({"id": "a", "sequence": 0, "chain": "Ethereum", "tx_hash": hash, "status": "confirmed", "error": null});
    let data = json!({"transactions": [told], "bundle_success": false, "late": true});
    let expected =
        json!({"action": "sign_transaction_bundle", "action_id": "a1", "success": true, "data": data});
    assert_eq!(late, expected);
    let view = story.view().await;
    let transaction = &view["progress"][0]["transactions"][0];
    assert_eq!((&transaction["status"], &transaction["late"]), (&json!("confirmed"), &json!(true)));
    assert_eq!((&view["success"], view["progress"][1]["status"].as_str()), (&json!(false), Some("queued")));
    let events = story.world.events().await;
    let told = events.iter().rfind(|event| event.name == "tx_status").unwrap();
    assert_eq!((&told.data["status"], &told.data["late"]), (&json!("confirmed"), &json!(true)));
    story.world.pass(48 * HOUR).await;
    assert_eq!((results(&story).len(), story.world.violations()), (2, vec![]));
    assert_eq!((story.world.table(Table::Watched).await, story.world.browser.alarm()), (vec![], None));
    assert_eq!(story.world.browser.signatures(), 1);
}

/// D4: in a block, and it did not work: told as a failure.
#[tokio::test(start_paused = true)]
async fn reverted_an_hour_later() {
    let story = timed_out().await;
    story.chains.on("Ethereum").reverts.insert(7);
    story.chains.on("Ethereum").mine(0);
    story.world.pass(HOUR).await;
    let late = story.result();
    assert_eq!((&late["success"], &late["data"]["late"]), (&json!(false), &json!(true)));
    assert_eq!(rows(&late), [row("a", "failed", "transaction_failed")]);
}

/// D4: a day later nobody looks any more, and nothing is left to wake a worker for; the looks had become rare.
#[tokio::test(start_paused = true)]
async fn given_up_after_a_day() {
    let story = timed_out().await;
    let before = story.chains.asked("eth_getTransactionReceipt").len();
    story.world.pass(25 * HOUR).await;
    let looks = story.chains.asked("eth_getTransactionReceipt").len() - before;
    assert!((40..80).contains(&looks), "{looks}");
    assert_eq!((story.world.table(Table::Watched).await, story.world.browser.alarm()), (vec![], None));
    story.chains.on("Ethereum").mine(0);
    story.world.pass(25 * HOUR).await;
    assert_eq!(results(&story).len(), 1);
    assert_eq!(story.progress().await, ["timeout", "queued"]);
}

/// A step that nobody waits for is followed too: the person sees its end, the backend was told `pending` and is left
/// alone.
#[tokio::test(start_paused = true)]
async fn pending_is_followed_for_the_person() {
    let story = Story::on(Chains::by_hand(), json!([Evm::pays(PAYEE, 1_000).step("a", 0)])).await;
    story.begin().await;
    assert_eq!(rows(&story.result()), [row("a", "pending", "")]);
    story.world.pass(10 * MINUTE).await;
    story.chains.on("Ethereum").mine(0);
    story.world.pass(10 * MINUTE).await;
    assert_eq!(story.progress().await, ["confirmed"]);
    assert_eq!((results(&story).len(), story.world.table(Table::Watched).await), (1, vec![]));
}

/// A backend that cannot be reached, and a node that fails, when the truth comes: both are asked again, and the result
/// arrives once.
#[tokio::test(start_paused = true)]
async fn a_bad_moment_for_the_truth() {
    let story = timed_out().await;
    story.world.set_down(true);
    story.chains.fault(Fault::on("eth_getTransactionReceipt", Trouble::Status(500)).times(3));
    story.chains.on("Ethereum").mine(0);
    story.world.pass(HOUR).await;
    story.world.restart().await;
    story.world.set_down(false);
    story.world.pass(HOUR).await;
    let late: Vec<_> = results(&story).into_iter().skip(1).collect();
    assert!(late.len() > 1, "it was tried while the backend was away");
    assert!(late.iter().all(|one| *one == late[0]) && late[0].1["data"]["late"] == true);
    assert_eq!(story.world.violations(), [] as [String; 0]);
}
