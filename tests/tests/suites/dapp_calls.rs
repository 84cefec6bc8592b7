//! EIP-5792: batches of calls that run one after the other under one consent, their ids, statuses and receipts; and bundles over
//! several chains.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test fails by panicking")]

use countersign_tests::chain::{Chains, Fault, FaultKind, TrialScript};
use countersign_tests::dapp::{Asked, Dapp, ORIGIN};
use countersign_tests::evm::{Evm, PAYEE, STRANGER, USDC, pay, with_receipt};
use runtime::store::Table;
use serde_json::{Value, json};

const SEND: &str = "wallet_sendCalls";
const STATUS: &str = "wallet_getCallsStatus";
const BUNDLE: &str = "countersign_signTransactionBundle";
const DAY: u64 = 24 * 60 * 60_000;

async fn page() -> Dapp {
    Dapp::connected(Chains::new()).await
}

fn approve_data(units: u128) -> String {
    format!("0x{}", Evm::approves(USDC, STRANGER, Some(units)).data)
}

/// An approval and a payment.
fn batch() -> Value {
    json!({"version": "2.0.0", "chainId": "0x1", "atomicRequired": false,
        "calls": [{"to": USDC, "data": approve_data(7)}, {"to": PAYEE, "value": "0x5"}]})
}

fn with(name: &str, value: Value) -> Value {
    let mut batch = batch();
    batch[name] = value;
    json!([batch])
}

/// The batch is sent and approved; its id.
async fn sent(page: &Dapp, request: &str, params: Value) -> String {
    let asked = page.ask(request, SEND, params).await;
    page.approve().await;
    asked.result()["id"].as_str().unwrap().to_owned()
}

async fn status(page: &Dapp, id: &str) -> Value {
    let asked = page.ask(&format!("status-{}", page.world.browser.now()), STATUS, json!([id])).await;
    page.world.pass(1_000).await;
    asked.result()
}

/// One consent, two transactions with numbers in a row, and both receipts in the order of the chain.
#[tokio::test(start_paused = true)]
async fn two_calls_under_one_consent() {
    let page = page().await;
    let asked = page.ask("1", SEND, json!([batch()])).await;
    let bundle = page.asked_bundle().await;
    assert_eq!((bundle["steps"].as_array().unwrap().len(), page.world.prompts().await.len()), (2, 1));
    page.approve().await;
    let id = asked.result()["id"].as_str().unwrap().to_owned();
    assert!(id.starts_with("0x") && id.len() == 66, "{id}");
    page.world.pass(10_000).await;
    let found = status(&page, &id).await;
    let mined = page.chains.on("Ethereum").mined().to_vec();
    assert_eq!(mined.iter().map(|one| one.signed.nonce).collect::<Vec<_>>(), [7, 8]);
    let receipt = |place: usize| {
        let hash = &mined[place].signed.hash;
        let logs = if place == 0 {
            json!([{"address": USDC.to_lowercase(), "data": "0x", "topics": [hash]}])
        } else {
            json!([])
        };
        json!({"logs": logs, "status": "0x1", "blockHash": format!("0x{:064x}", mined[place].block),
            "blockNumber": format!("{:#x}", mined[place].block), "gasUsed": "0x5208", "transactionHash": hash})
    };
    let expected = json!({"version": "2.0.0", "id": id, "chainId": "0x1", "status": 200, "atomic": false,
        "receipts": [receipt(0), receipt(1)]});
    assert_eq!(found, expected);
    let view = page.world.get(&format!("/api/call-batches/{}", bundle["id"].as_str().unwrap())).await;
    assert_eq!((&view["id"], &view["origin"], &view["status"]), (&json!(id), &json!(ORIGIN), &json!(200)));
}

/// Each code of the standard, and no prompt for any of them.
#[tokio::test(start_paused = true)]
async fn each_code() {
    let page = page().await;
    let many = json!(vec![json!({"to": PAYEE}); 257]);
    let needs =
        |optional: bool| json!({"paymasterService": {"url": "https://p.example", "optional": optional}});
    let cases = [
        ("no capability that is not optional", with("capabilities", needs(false)), 5_700),
        ("nor one of a call", with("calls", json!([{"to": PAYEE, "capabilities": {"gasless": {}}}])), 5_700),
        ("a chain that the wallet does not know", with("chainId", json!("0x7a69")), 5_710),
        ("too many calls", with("calls", many), 5_740),
        ("several calls as one", with("atomicRequired", json!(true)), 5_760),
        ("a chain id with leading zeros", with("chainId", json!("0x01")), -32_602),
        ("another version", with("version", json!("1.0")), -32_602),
        ("no calls", with("calls", json!([])), -32_602),
        ("another account", with("from", json!(STRANGER)), 4_100),
        ("a chain that the user has not allowed", with("chainId", json!("0x89")), 4_100),
        ("no batch at all", json!([]), -32_602),
    ];
    for (number, (what, params, code)) in cases.into_iter().enumerate() {
        assert_eq!(page.ask(&number.to_string(), SEND, params).await.code(), code, "{what}");
    }
    for method in [STATUS, "wallet_showCallsStatus", "countersign_getBundleStatus"] {
        assert_eq!(page.ask("unknown", method, json!(["0x1234"])).await.code(), 5_730, "{method}");
    }
    assert_eq!(page.ask_as("https://evil.example", "1", SEND, json!([batch()])).await.code(), 4_100);
    assert_eq!(page.world.prompts().await, [] as [Value; 0]);
    assert_eq!(page.world.table(Table::Calls).await.len(), 0);
}

/// An optional capability is done without; one call may be required to be atomic, and is.
#[tokio::test(start_paused = true)]
async fn optional_capability_and_one_atomic_call() {
    let page = page().await;
    let mut params = with("calls", json!([{"to": PAYEE, "value": "0x1"}]));
    params[0]["atomicRequired"] = json!(true);
    params[0]["capabilities"] = json!({"paymasterService": {"url": "https://p.example", "optional": true}});
    let id = sent(&page, "1", params).await;
    page.world.pass(5_000).await;
    let found = status(&page, &id).await;
    assert_eq!((&found["status"], &found["atomic"]), (&json!(200), &json!(true)));
}

/// 5750 is for wallets that offer to upgrade an account. This one never does: no chain says `ready` or `supported`, and a batch
/// that needs atomicity is refused with 5760 on each of them, before anybody is asked.
#[tokio::test(start_paused = true)]
async fn no_upgrade_is_ever_offered() {
    let page = page().await;
    let chains: Vec<&str> = chains::Chain::ALL
        .iter()
        .filter(|chain| chain.evm_id().is_some())
        .map(|chain| chain.name())
        .collect();
    page.grant(ORIGIN, &chains).await;
    let capabilities = page.ask("1", "wallet_getCapabilities", json!([page.account])).await.result();
    let capabilities = capabilities.as_object().unwrap();
    assert_eq!(capabilities.len(), chains.len() + 1);
    for (chain_id, offered) in capabilities.iter().filter(|(chain_id, _)| *chain_id != "0x0") {
        assert_eq!(offered["atomic"]["status"], "unsupported", "{chain_id}");
        let mut params = with("atomicRequired", json!(true));
        params[0]["chainId"] = json!(chain_id);
        assert_eq!(page.ask(chain_id, SEND, params).await.code(), 5_760, "{chain_id}");
    }
    assert_eq!(page.world.prompts().await, [] as [Value; 0]);
}

/// The page's own id is honoured and echoed; a second batch with it is refused while the first is asked about, while it runs,
/// and after its end; another page has its own.
#[tokio::test(start_paused = true)]
async fn ids_name_one_batch() {
    let page = page().await;
    let params = with("id", json!("swap-1"));
    let first = page.ask("1", SEND, params.clone()).await;
    assert_eq!(page.ask("2", SEND, params.clone()).await.code(), 5_720);
    page.approve().await;
    assert_eq!(first.result(), json!({"id": "swap-1"}));
    page.world.pass(10_000).await;
    assert_eq!(page.ask("3", SEND, params.clone()).await.code(), 5_720);
    page.world.reopen().await;
    assert_eq!(page.ask("4", SEND, params.clone()).await.code(), 5_720);
    assert_eq!(page.chains.on("Ethereum").raw().len(), 2);
    page.grant("https://other.example", &["Ethereum"]).await;
    let other = page.ask_as("https://other.example", "1", STATUS, json!(["swap-1"])).await;
    assert_eq!(other.code(), 5_730);
    let other = page.ask_as("https://other.example", "2", SEND, params).await;
    assert_eq!((other.answer(), page.world.prompts().await.len()), (None, 1));
}

/// The same request sent again is the same batch.
#[tokio::test(start_paused = true)]
async fn same_request_is_one_batch() {
    let page = page().await;
    let first = page.ask("1", SEND, json!([batch()])).await;
    let again = page.ask("1", SEND, json!([batch()])).await;
    page.approve().await;
    assert_eq!(first.result(), again.result());
    page.world.reopen().await;
    assert_eq!(page.ask("1", SEND, json!([batch()])).await.result(), first.result());
    assert_eq!(page.chains.on("Ethereum").raw().len(), 2);
}

/// Rejected: 4001, nothing is sent, the status is 400. The batch was never submitted, so its id is free for the next attempt;
/// the rejected request keeps its answer.
#[tokio::test(start_paused = true)]
async fn rejected_batch() {
    let page = page().await;
    let asked = page.ask("1", SEND, with("id", json!("a"))).await;
    page.reject().await;
    assert_eq!(asked.code(), 4_001);
    assert_eq!(status(&page, "a").await["status"], 400);
    assert_eq!(page.chains.on("Ethereum").sent, []);
    let next = page.ask("2", SEND, with("id", json!("a"))).await;
    assert_eq!(status(&page, "a").await["status"], 100);
    assert_eq!(page.ask("3", SEND, with("id", json!("a"))).await.code(), 5_720);
    page.approve().await;
    assert_eq!(next.result(), json!({"id": "a"}));
    page.world.pass(10_000).await;
    assert_eq!(status(&page, "a").await["status"], 200);
    assert_eq!(page.ask("1", SEND, with("id", json!("a"))).await.code(), 4_001);
    assert_eq!(page.ask("4", SEND, with("id", json!("a"))).await.code(), 5_720);
    // The id of a bundle is freed in the same way.
    let bundle = json!({"transactions": [with_receipt(pay(9).step("a", 0))], "id": "b"});
    let asked = page.ask("5", BUNDLE, bundle.clone()).await;
    page.reject().await;
    assert_eq!(asked.code(), 4_001);
    assert_eq!(page.ask("6", BUNDLE, bundle).await.answer(), None);
    assert_eq!(page.ask("5", BUNDLE, json!({"transactions": [pay(9).step("a", 0)]})).await.code(), 4_001);
}

/// What is malformed in a call is named by its place; nothing of it is written, and it does not wait behind an open prompt.
#[tokio::test(start_paused = true)]
async fn malformed_calls_leave_nothing() {
    let page = page().await;
    page.ask("open", SEND, json!([batch()])).await;
    let rows = |table| page.world.table(table);
    let before = (rows(Table::PageRequests).await, rows(Table::Calls).await, rows(Table::CallBatches).await);
    let wrong = PAYEE.replace("aAeb", "AAeb");
    let call = |call: Value| with("calls", json!([{"to": PAYEE}, call]));
    let cases = [
        (call(json!({"to": wrong})), "/0/calls/1/to"),
        (call(json!({"to": "0x12"})), "/0/calls/1/to"),
        (call(json!({"to": PAYEE, "value": "5"})), "/0/calls/1/value"),
        (call(json!({"to": PAYEE, "value": 5})), "/0/calls/1/value"),
        (call(json!({"to": PAYEE, "value": "-0x1"})), "/0/calls/1/value"),
        (call(json!({"to": PAYEE, "value": format!("0x1{}", "0".repeat(64))})), "/0/calls/1/value"),
        (call(json!({"to": PAYEE, "data": "0xabc"})), "/0/calls/1/data"),
        (call(json!({"to": PAYEE, "data": "0xab", "input": "0xcd"})), "/0/calls/1/input"),
        (call(json!({})), "/0/calls/1/to"),
        (call(json!("x")), "/0/calls/1"),
        (call(json!({"to": PAYEE, "capabilities": []})), "/0/calls/1/capabilities"),
        (with("capabilities", json!({"a/b": 7})), "/0/capabilities/a/b"),
        (with("chainId", json!(1)), "/0/chainId"),
        (with("atomicRequired", Value::Null), "/0/atomicRequired"),
        (with("from", json!("me")), "/0/from"),
        (with("id", json!("é".repeat(2_049))), "/0/id"),
        (with("calls", json!({})), "/0/calls"),
    ];
    for (number, (params, path)) in cases.into_iter().enumerate() {
        let asked = page.ask(&format!("bad-{number}"), SEND, params.clone()).await;
        assert_eq!(
            (asked.code(), asked.answer().unwrap()["error"]["data"]["path"].clone()),
            (-32_602, json!(path))
        );
    }
    let after = (rows(Table::PageRequests).await, rows(Table::Calls).await, rows(Table::CallBatches).await);
    assert_eq!(before, after);
    assert_eq!(page.world.prompts().await.len(), 1);
}

/// A call without a receiver creates a contract; one without data or value only calls.
#[tokio::test(start_paused = true)]
async fn creation_and_bare_call() {
    let page = page().await;
    page.chains.on("Ethereum").gas = 50_000;
    let calls = json!([{"data": "0x6001600155"}, {"to": PAYEE}]);
    page.ask("1", SEND, with("calls", calls)).await;
    let bundle = page.asked_bundle().await;
    let effect =
        |step: usize| bundle["steps"][step]["transactions"][0]["explanation"]["effects"][0]["kind"].clone();
    assert_eq!((effect(0), effect(1)), (json!("create"), json!("transfer")));
    let reasons = bundle["verdict"]["reasons"].as_array().unwrap();
    assert!(reasons.iter().any(|reason| reason["code"] == "contract_creation"), "{reasons:?}");
    page.approve().await;
    page.world.pass(10_000).await;
    let ledger = page.chains.on("Ethereum");
    assert_eq!((ledger.mined()[0].signed.to.clone(), ledger.mined().len()), (None, 2));
}

/// 100 while the first transaction waits for its block, with what is there of receipts; the answer to the page does not wait.
#[tokio::test(start_paused = true)]
async fn pending_batch() {
    let page = Dapp::connected(Chains::mined_manually()).await;
    let id = sent(&page, "1", json!([batch()])).await;
    let found = status(&page, &id).await;
    assert_eq!((&found["status"], found.get("receipts")), (&json!(100), None));
    let now = page.world.browser.now();
    page.chains.on("Ethereum").mine(now);
    page.world.pass(10_000).await;
    let found = status(&page, &id).await;
    assert_eq!((&found["status"], found["receipts"].as_array().unwrap().len()), (&json!(100), 1));
    let now = page.world.browser.now();
    page.chains.on("Ethereum").mine(now);
    page.world.pass(10_000).await;
    assert_eq!(status(&page, &id).await["status"], 200);
}

/// 500: the first is reverted, and nothing follows it.
#[tokio::test(start_paused = true)]
async fn reverted_batch() {
    let page = page().await;
    page.chains.on("Ethereum").reverts.insert(7);
    let id = sent(&page, "1", json!([batch()])).await;
    page.world.pass(10_000).await;
    let found = status(&page, &id).await;
    let receipts = found["receipts"].as_array().unwrap();
    assert_eq!((&found["status"], receipts.len(), &receipts[0]["status"]), (&json!(500), 1, &json!("0x0")));
    assert_eq!(page.chains.on("Ethereum").raw().len(), 1);
}

/// 600: the second is reverted; both receipts are there, in order.
#[tokio::test(start_paused = true)]
async fn partly_reverted_batch() {
    let page = page().await;
    page.chains.on("Ethereum").reverts.insert(8);
    let id = sent(&page, "1", json!([batch()])).await;
    page.world.pass(10_000).await;
    let found = status(&page, &id).await;
    let statuses: Vec<&Value> =
        found["receipts"].as_array().unwrap().iter().map(|one| &one["status"]).collect();
    assert_eq!((&found["status"], statuses), (&json!(600), vec![&json!("0x1"), &json!("0x0")]));
}

/// 400: the node refuses the first, and nothing of it is on the chain.
#[tokio::test(start_paused = true)]
async fn refused_batch() {
    let page = page().await;
    page.chains
        .fault(Fault::on("eth_sendRawTransaction", FaultKind::Error(-32_000, "transaction underpriced")));
    let id = sent(&page, "1", json!([batch()])).await;
    page.world.pass(10_000).await;
    let found = status(&page, &id).await;
    assert_eq!((&found["status"], found.get("receipts")), (&json!(400), None));
}

/// A status is there a day later, and after the browser was closed; receipts are kept, so that no node is needed for it.
#[tokio::test(start_paused = true)]
async fn status_lasts() {
    let page = page().await;
    let id = sent(&page, "1", json!([batch()])).await;
    page.world.pass(10_000).await;
    let first = status(&page, &id).await;
    page.chains.fault(Fault::always(FaultKind::Down));
    page.world.reopen().await;
    page.world.pass(DAY + 60_000).await;
    assert_eq!(status(&page, &id).await, first);
    page.world.pass(7 * DAY).await;
    page.chains.clear_faults();
    // With the next batch, what is a week old is forgotten.
    let next = page.ask("2", SEND, json!([batch()])).await;
    page.reject().await;
    assert_eq!(next.code(), 4_001);
    assert_eq!(page.ask("3", STATUS, json!([id])).await.code(), 5_730);
}

/// Without the receipts a batch is not settled for the page; nothing is made up.
#[tokio::test(start_paused = true)]
async fn no_receipts_no_final_status() {
    let page = page().await;
    let id = sent(&page, "1", json!([batch()])).await;
    page.world.pass(10_000).await;
    page.chains.fault(Fault::always(FaultKind::Error(-32_005, "limit exceeded")));
    assert_eq!(status(&page, &id).await["status"], 100);
    page.chains.clear_faults();
    page.world.pass(120_000).await;
    assert_eq!(status(&page, &id).await["status"], 200);
}

/// A later call that cannot be tried alone is not refused: its gas is known from the run behind the first, or it is generous.
#[tokio::test(start_paused = true)]
async fn gas_of_calls_that_need_each_other() {
    let page = page().await;
    let limits = async || {
        let bundle = page.asked_bundle().await;
        let steps = bundle["steps"].as_array().unwrap().clone();
        let limit =
            |step: &Value| step["transactions"][0]["explanation"]["gasLimit"].as_str().unwrap().to_owned();
        steps.iter().map(limit).collect::<Vec<_>>()
    };
    // No node runs them together, and the second fails alone.
    page.chains.on("Ethereum").gas = 50_000;
    page.chains.fault(Fault::on("eth_estimateGas", FaultKind::Result(json!("0xc350"))).times(2));
    page.chains.fault(
        Fault::on("eth_estimateGas", FaultKind::Error(3, "execution reverted: no allowance")).times(1),
    );
    page.ask("1", SEND, json!([batch()])).await;
    assert_eq!(limits().await, ["62500", "1500000"]);
    page.reject().await;
    page.chains.clear_faults();
    page.chains.set_trial("Ethereum", TrialScript::of(&[&[], &[]]));
    page.ask("2", SEND, json!([batch()])).await;
    assert_eq!(limits().await, ["62500", "21000"]);
}

/// The user is shown the bundle; its page is told nothing.
#[tokio::test(start_paused = true)]
async fn shown_to_the_user() {
    let page = page().await;
    let id = sent(&page, "1", json!([batch()])).await;
    assert_eq!(page.ask("2", "wallet_showCallsStatus", json!([id])).await.result(), Value::Null);
    let bundles = page.world.get("/api/bundles").await;
    assert_eq!(page.world.browser.shown_bundles(), [bundles["bundles"][0]["id"].as_str().unwrap()]);
}

/// By chain, as far as the user allowed it; what is not supported is left out, never an error.
#[tokio::test(start_paused = true)]
async fn capabilities() {
    let page = page().await;
    let ask = async |id: &str, params: Value| page.ask(id, "wallet_getCapabilities", params).await;
    let all = ask("1", json!([page.account])).await.result();
    let mut names: Vec<&String> = all.as_object().unwrap().keys().collect();
    names.sort();
    assert_eq!(names, ["0x0", "0x1", "0xa4b1"]);
    assert_eq!(all["0x1"]["atomic"], json!({"status": "unsupported"}));
    assert_eq!(all["0x1"][BUNDLE]["supported"], true);
    let some = ask("2", json!([page.account.to_lowercase(), ["0xa4b1", "0x7a69", "0x89"]])).await.result();
    assert_eq!(some.as_object().unwrap().keys().collect::<Vec<_>>(), ["0x0", "0xa4b1"]);
    assert_eq!(ask("3", json!([STRANGER])).await.code(), 4_100);
    assert_eq!(ask("4", json!(["0x1"])).await.code(), -32_602);
    assert_eq!(ask("5", json!([page.account, ["mainnet"]])).await.code(), -32_602);
    let other =
        page.ask_as("https://evil.example", "1", "wallet_getCapabilities", json!([page.account])).await;
    assert_eq!(other.code(), 4_100);
}

fn two_chains() -> Value {
    json!([with_receipt(pay(7).step("a", 0)), with_receipt(pay(7).on_arbitrum().step("b", 1))])
}

/// Transactions on two chains under one consent; the answer is the bundle's result.
#[tokio::test(start_paused = true)]
async fn bundle_over_two_chains() {
    let page = page().await;
    let params =
        json!([{"transactions": two_chains(), "bundle_label": "Bridge", "skip_approval": true, "id": "b1"}]);
    let asked = page.ask("1", BUNDLE, params.clone()).await;
    assert_eq!(page.world.prompts().await[0]["kind"], "tx_bundle_approval", "never skipped");
    page.approve().await;
    page.world.pass(10_000).await;
    let result = asked.result();
    let statuses: Vec<&Value> =
        result["transactions"].as_array().unwrap().iter().map(|row| &row["status"]).collect();
    assert_eq!((&result["id"], &result["bundle_success"]), (&json!("b1"), &json!(true)));
    assert_eq!(statuses, [&json!("confirmed"), &json!("confirmed")]);
    let found = page.ask("2", "countersign_getBundleStatus", json!(["b1"])).await.result();
    assert_eq!((&found["status"], &found["transactions"][1]["chain"]), (&json!(200), &json!("Arbitrum")));
    assert_eq!(page.ask("3", BUNDLE, params).await.code(), 5_720);
    // It has no chain id: the standard's method does not know it.
    assert_eq!(page.ask("4", STATUS, json!(["b1"])).await.code(), 5_730);
}

/// Every chain must be one that the user allowed; the error names it.
#[tokio::test(start_paused = true)]
async fn bundle_on_a_chain_without_permission() {
    let page = page().await;
    page.grant(ORIGIN, &["Ethereum"]).await;
    let asked = page.ask("1", BUNDLE, json!({"transactions": two_chains()})).await;
    let message = asked.answer().unwrap()["error"]["message"].as_str().unwrap().to_owned();
    assert_eq!((asked.code(), message.contains("Arbitrum")), (4_100, true), "{message}");
    for (params, code) in [
        (json!({"transactions": []}), -32_602),
        (json!({"transactions": [{"id": "a"}]}), -32_602),
        (json!({"transactions": two_chains(), "wait": "no"}), -32_602),
        (json!({"transactions": vec![pay(7).step("a", 0); 257]}), 5_740),
        (json!([1]), -32_602),
    ] {
        assert_eq!(page.ask("2", BUNDLE, params).await.code(), code);
    }
    assert_eq!(page.world.prompts().await, [] as [Value; 0]);
}

/// Without waiting, the page has the id once the user has approved.
#[tokio::test(start_paused = true)]
async fn bundle_without_waiting() {
    let page = Dapp::connected(Chains::mined_manually()).await;
    let asked = page.ask("1", BUNDLE, json!({"transactions": two_chains(), "wait": false})).await;
    assert_eq!(asked.answer(), None);
    page.approve().await;
    let id = asked.result()["id"].clone();
    let found = page.ask("2", "countersign_getBundleStatus", json!([id])).await.result();
    assert_eq!((&found["status"], &found["state"]), (&json!(100), &json!("running")));
    let asked = page.ask("3", BUNDLE, json!({"transactions": two_chains(), "wait": false})).await;
    page.reject().await;
    assert_eq!(asked.code(), 4_001);
}

/// Asks again if the worker died, and approves what is open.
async fn carry_on(page: &Dapp, asked: Asked, params: &Value) -> Asked {
    if asked.answer().is_some() {
        return asked;
    }
    let asked = page.ask("1", SEND, params.clone()).await;
    page.approve().await;
    page.world.pass(5_000).await;
    asked
}

/// The worker dies after any step, before and after the approval: one batch, one answer, each transaction once.
#[tokio::test(start_paused = true)]
async fn killed_between_any_two_steps() {
    for steps in 0..120 {
        let page = page().await;
        let params = with("id", json!("a"));
        let mut asked = page.begin(ORIGIN, "1", SEND, params.clone()).await;
        page.world.steps(steps).await;
        page.world.restart().await;
        asked = if asked.answer().is_some() { asked } else { page.ask("1", SEND, params.clone()).await };
        for prompt in page.world.prompts().await {
            let target = format!("/api/prompts/{}", prompt["id"].as_str().unwrap());
            let body = json!({"approve": true, "digest": prompt["digest"]}).to_string();
            let core = page.world.core();
            let answered = core.handle("POST", &target, &body);
            let cut = async {
                tokio::select! {
                    _ = answered => (),
                    () = async { for _ in 0..steps { tokio::task::yield_now().await; } } => (),
                }
            };
            page.world.run(cut).await;
        }
        page.world.restart().await;
        for _ in 0..3 {
            asked = carry_on(&page, asked, &params).await;
            page.world.steps(steps).await;
            page.world.restart().await;
        }
        page.world.pass(60_000).await;
        assert_eq!(asked.result(), json!({"id": "a"}), "{steps}");
        assert_eq!(status(&page, "a").await["status"], 200, "{steps}");
        let ledger = page.chains.on("Ethereum");
        assert_eq!((ledger.raw().len(), ledger.nonces()), (2, vec![7, 8]), "{steps}");
    }
}
