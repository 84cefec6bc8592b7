//! Receipt polling after the deadline, for 24 h: what is reported, and to whom (D4).

use countersign_tests::bundle_run::{BundleRun, MINUTE, row, rows};
use countersign_tests::chain::{Chains, Fault, FaultKind};
use countersign_tests::evm::{Evm, PAYEE, with_receipt};
use runtime::store::Table;
use serde_json::{Value, json};

const HOUR: u64 = 60 * MINUTE;

fn steps() -> Value {
    json!([with_receipt(Evm::pays(PAYEE, 1_000).step("a", 0)), Evm::pays(PAYEE, 1_000).nonce(8).step("b", 1)])
}

/// A bundle whose first step timed out.
async fn timed_out() -> BundleRun {
    let run = BundleRun::on(Chains::mined_manually(), steps()).await;
    assert_eq!(run.complete().await, [row("a", "timeout", "receipt_timeout")]);
    run
}

/// The results that the backend got, each with its key.
fn results(run: &BundleRun) -> Vec<(String, Value)> {
    let sent = run.world.messages_sent().into_iter();
    sent.filter_map(|sent| Some((sent.key, sent.body.get("action_result")?.clone()))).collect()
}

/// T000-51, D4: mined an hour after the deadline: the backend gets one more result under its own key, and the user
/// sees it; no worker was kept alive meanwhile, and the bundle does not continue.
#[tokio::test(start_paused = true)]
async fn confirmed_after_an_hour() {
    let run = timed_out().await;
    run.world.pass(HOUR).await;
    assert_eq!(run.world.work().await, json!([]));
    run.world.reopen().await;
    run.chains.on("Ethereum").mine(0);
    run.world.pass(HOUR).await;
    let [(first_key, first), (late_key, late)] = results(&run).try_into().expect("two results");
    assert_ne!(first_key, late_key);
    let hash = &first["data"]["transactions"][0]["tx_hash"];
    let reported = json!({"id": "a", "sequence": 0, "chain": "Ethereum", "tx_hash": hash, "status": "confirmed", "error": null});
    let data = json!({"transactions": [reported], "bundle_success": false, "late": true});
    // D12: the second step was skipped.
    let expected = json!({"action": "sign_transaction_bundle", "action_id": "a1", "success": false, "data": data,
        "error": "stopped: not every step was begun"});
    assert_eq!(late, expected);
    let view = run.view().await;
    let transaction = &view["progress"][0]["transactions"][0];
    assert_eq!((&transaction["status"], &transaction["late"]), (&json!("confirmed"), &json!(true)));
    assert_eq!((&view["success"], view["progress"][1]["status"].as_str()), (&json!(false), Some("queued")));
    let events = run.world.events().await;
    let reported = events.iter().rfind(|event| event.name == "tx_status").unwrap();
    assert_eq!((&reported.data["status"], &reported.data["late"]), (&json!("confirmed"), &json!(true)));
    run.world.pass(48 * HOUR).await;
    assert_eq!((results(&run).len(), run.world.violations()), (2, vec![]));
    assert_eq!((run.world.table(Table::Watched).await, run.world.browser.alarm()), (vec![], None));
    assert_eq!(run.world.browser.signatures(), 1);
}

/// D12: every step is confirmed by now, and none was skipped: the late result is a success.
#[tokio::test(start_paused = true)]
async fn late_confirmation_completes_the_bundle() {
    let step = with_receipt(Evm::pays(PAYEE, 1_000).step("a", 0));
    let run = BundleRun::on(Chains::mined_manually(), json!([step])).await;
    assert_eq!(run.complete().await, [row("a", "timeout", "receipt_timeout")]);
    run.chains.on("Ethereum").mine(0);
    run.world.pass(HOUR).await;
    let late = run.result();
    assert_eq!(rows(&late), [row("a", "confirmed", "")]);
    let told = [&late["success"], &late["data"]["bundle_success"], &late["data"]["late"], &late["error"]];
    assert_eq!(told, [&json!(true), &json!(true), &json!(true), &Value::Null]);
}

/// D4: mined and reverted: reported as a failure.
#[tokio::test(start_paused = true)]
async fn reverted_after_an_hour() {
    let run = timed_out().await;
    run.chains.on("Ethereum").reverts.insert(7);
    run.chains.on("Ethereum").mine(0);
    run.world.pass(HOUR).await;
    let late = run.result();
    assert_eq!((&late["success"], &late["data"]["late"]), (&json!(false), &json!(true)));
    assert_eq!(rows(&late), [row("a", "failed", "transaction_failed")]);
}

/// D4: after 24 h polling ends and no alarm is left; the interval had grown.
#[tokio::test(start_paused = true)]
async fn polling_ends_after_24_hours() {
    let run = timed_out().await;
    let before = run.chains.request_times("eth_getTransactionReceipt").len();
    run.world.pass(25 * HOUR).await;
    let looks = run.chains.request_times("eth_getTransactionReceipt").len() - before;
    assert!((40..80).contains(&looks), "{looks}");
    assert_eq!((run.world.table(Table::Watched).await, run.world.browser.alarm()), (vec![], None));
    run.chains.on("Ethereum").mine(0);
    run.world.pass(25 * HOUR).await;
    assert_eq!(results(&run).len(), 1);
    assert_eq!(run.progress().await, ["timeout", "queued"]);
}

/// A `pending` step is polled too: the user sees how it ends, and the backend gets no second result.
#[tokio::test(start_paused = true)]
async fn pending_step_is_polled_for_the_user() {
    let run = BundleRun::on(Chains::mined_manually(), json!([Evm::pays(PAYEE, 1_000).step("a", 0)])).await;
    run.start().await;
    assert_eq!(rows(&run.result()), [row("a", "pending", "")]);
    run.world.pass(10 * MINUTE).await;
    run.chains.on("Ethereum").mine(0);
    run.world.pass(10 * MINUTE).await;
    assert_eq!(run.progress().await, ["confirmed"]);
    assert_eq!((results(&run).len(), run.world.table(Table::Watched).await), (1, vec![]));
}

/// The backend is unreachable and a node fails when the transaction is mined: both are retried, and the result
/// arrives once.
#[tokio::test(start_paused = true)]
async fn late_result_survives_faults() {
    let run = timed_out().await;
    run.world.set_down(true);
    run.chains.fault(Fault::on("eth_getTransactionReceipt", FaultKind::Status(500)).times(3));
    run.chains.on("Ethereum").mine(0);
    run.world.pass(HOUR).await;
    run.world.restart().await;
    run.world.set_down(false);
    run.world.pass(HOUR).await;
    let late: Vec<_> = results(&run).into_iter().skip(1).collect();
    assert!(late.len() > 1, "it was sent while the backend was down");
    assert!(late.iter().all(|one| *one == late[0]) && late[0].1["data"]["late"] == true);
    assert_eq!(run.world.violations(), [] as [String; 0]);
}
