//! `eth_sendTransaction`: what a page leaves open is filled in from the user's node, the user approves, the page gets the
//! hash; and the fee that the user chooses instead.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test fails by panicking")]

use countersign_tests::bundle_run::{BundleRun, PASSWORD};
use countersign_tests::chain::{Chains, Fault, FaultKind};
use countersign_tests::dapp::{Asked, Dapp, ORIGIN};
use countersign_tests::evm::{PAYEE, STRANGER};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use runtime::store::Table;
use serde_json::{Value, json};

const SEND: &str = "eth_sendTransaction";

async fn page() -> Dapp {
    Dapp::connected(Chains::new()).await
}

/// The page is answered with the hash that the chain has; nonce, gas and fee are filled in.
#[tokio::test(start_paused = true)]
async fn page_gets_the_hash() {
    let page = page().await;
    let asked = page.ask("1", SEND, json!([page.pays(5)])).await;
    assert_eq!(asked.answer(), None);
    let bundle = page.asked_bundle().await;
    assert_eq!((&bundle["source"]["kind"], &bundle["source"]["origin"]), (&json!("dapp"), &json!(ORIGIN)));
    let explanation = &bundle["steps"][0]["transactions"][0]["explanation"];
    assert_eq!((&explanation["nonce"], &explanation["gasLimit"]), (&json!("7"), &json!("21000")));
    page.approve().await;
    let ledger = page.chains.on("Ethereum");
    let mined = ledger.mined();
    assert_eq!(asked.result(), json!(mined[0].signed.hash));
    assert_eq!((mined.len(), mined[0].signed.nonce), (1, 7));
}

/// The answer comes when a node has the bytes, not with the receipt.
#[tokio::test(start_paused = true)]
async fn answer_does_not_wait_for_the_block() {
    let page = Dapp::connected(Chains::mined_manually()).await;
    let asked = page.ask("1", SEND, json!([page.pays(5)])).await;
    page.approve().await;
    let hash = asked.result();
    assert_eq!(page.chains.on("Ethereum").mined().len(), 0);
    assert_eq!(page.chains.on("Ethereum").pool[0].1.hash, hash.as_str().unwrap());
}

/// A request that is sent again finds its call, before and after the end.
#[tokio::test(start_paused = true)]
async fn same_request_is_one_transaction() {
    let page = page().await;
    let first = page.ask("1", SEND, json!([page.pays(5)])).await;
    let again = page.ask("1", SEND, json!([page.pays(5)])).await;
    assert_eq!(page.world.prompts().await.len(), 1);
    page.approve().await;
    let late = page.ask("1", SEND, json!([page.pays(5)])).await;
    assert_eq!((first.result(), again.result()), (late.result(), late.result()));
    page.world.reopen().await;
    let reopened = page.ask("1", SEND, json!([page.pays(5)])).await;
    assert_eq!(reopened.result(), late.result());
    assert_eq!(page.chains.on("Ethereum").raw().len(), 1);
}

/// The user says no, or nothing: 4001, and nothing is signed.
#[tokio::test(start_paused = true)]
async fn rejected_and_expired() {
    let page = page().await;
    let asked = page.ask("1", SEND, json!([page.pays(5)])).await;
    page.reject().await;
    assert_eq!(asked.code(), 4_001);
    let asked = page.ask("2", SEND, json!([page.pays(5)])).await;
    page.world.pass(11 * 60_000).await;
    assert_eq!(asked.code(), 4_001);
    // After two rejections a page is not heard for a while.
    page.world.pass(5 * 60_000).await;
    let asked = page.ask("3", SEND, json!([page.pays(5)])).await;
    let (status, _) = page.world.answer(json!({"approve": true})).await;
    assert_eq!(status, 200);
    page.reject().await;
    assert_eq!(asked.code(), 4_001, "the password was refused");
    assert_eq!(page.chains.on("Ethereum").sent, []);
}

/// A rejected number is free again: the next transaction is not left behind a gap.
#[tokio::test(start_paused = true)]
async fn numbers_of_rejected_requests_are_used_again() {
    let page = page().await;
    let first = page.ask("1", SEND, json!([page.pays(5)])).await;
    let second = page.ask("2", SEND, json!([page.pays(6)])).await;
    assert_eq!(page.world.prompts().await.len(), 1, "the second waits for its number");
    page.reject().await;
    assert_eq!((first.code(), second.answer()), (4_001, None));
    assert_eq!(page.asked_bundle().await["steps"][0]["transactions"][0]["explanation"]["nonce"], "7");
    page.approve().await;
    second.result();
    assert_eq!(page.chains.on("Ethereum").nonces(), [7]);
}

/// Requests that wait for their number count among what their site asks for; those of a page that is shown out are refused.
#[tokio::test(start_paused = true)]
async fn requests_that_wait_for_their_number() {
    let page = page().await;
    let mut asked = Vec::new();
    for number in 0..11 {
        asked.push(page.ask(&number.to_string(), SEND, json!([page.pays(number)])).await);
    }
    assert_eq!(asked.pop().unwrap().code(), -32_005);
    assert_eq!(page.world.prompts().await.len(), 1);
    assert!(asked.iter().all(|asked| asked.answer().is_none()));
    let target = "/api/connections/https%3A%2F%2Fapp.example";
    assert_eq!(page.world.call("DELETE", target, Value::Null).await.0, 200);
    page.world.pass(1_000).await;
    let codes: Vec<i64> = asked.iter().map(Asked::code).collect();
    assert_eq!(codes, [4_100; 10]);
    assert_eq!(page.world.prompts().await, [] as [Value; 0]);
}

/// Another bundle on the account is signed and waits for its block: the next number is one higher.
#[tokio::test(start_paused = true)]
async fn numbers_after_a_bundle_in_flight() {
    let page = Dapp::connected(Chains::mined_manually()).await;
    page.ask("1", SEND, json!([page.pays(5)])).await;
    page.approve().await;
    // A node that does not know what waits.
    let fault = Fault::on("eth_getTransactionCount", FaultKind::Result(json!("0x7")));
    page.chains.fault(fault.times(2));
    page.ask("2", SEND, json!([page.pays(6)])).await;
    let bundle = page.asked_bundle().await;
    assert_eq!(bundle["steps"][0]["transactions"][0]["explanation"]["nonce"], "8");
}

/// Bad parameters are refused with a code and no window.
#[tokio::test(start_paused = true)]
async fn bad_parameters_open_no_prompt() {
    let page = page().await;
    let with = |name: &str, value: Value| {
        let mut transaction = page.pays(5);
        transaction[name] = value;
        json!([transaction])
    };
    let cases = [
        (json!([]), -32_602),
        (with("from", json!(STRANGER)), 4_100),
        (with("chainId", json!("0xa4b1")), -32_602),
        (with("value", json!("5")), -32_602),
        (with("to", json!(null)), -32_602),
        (with("authorizationList", json!([])), -32_602),
        (with("type", json!("0x4")), -32_602),
        (with("type", json!("0x3")), -32_602),
        // A checksum that is not the address's.
        (with("to", json!(PAYEE.replace("aAeb", "AAeb"))), -32_602),
    ];
    for (number, (params, code)) in cases.into_iter().enumerate() {
        let asked = page.ask(&number.to_string(), SEND, params.clone()).await;
        assert_eq!(asked.code(), code, "{params}");
    }
    assert_eq!(page.ask_as("https://evil.example", "1", SEND, json!([page.pays(1)])).await.code(), 4_100);
    assert_eq!(page.world.prompts().await, [] as [Value; 0]);
    assert_eq!(page.world.table(Table::Calls).await.len(), 0);
}

/// A malformed request is refused at once, also while another is asked about, and leaves no record.
#[tokio::test(start_paused = true)]
async fn malformed_requests_leave_nothing() {
    let page = page().await;
    page.ask("open", SEND, json!([page.pays(5)])).await;
    let before = (page.world.table(Table::PageRequests).await, page.world.table(Table::Calls).await);
    let wrong = PAYEE.replace("aAeb", "AAeb");
    let cases = [
        (json!({"to": wrong}), "/0/to"),
        (json!({"accessList": [{"address": PAYEE}, {"address": wrong}]}), "/0/accessList/1/address"),
        (json!({"value": "-0x1"}), "/0/value"),
        (json!({"value": 1.5}), "/0/value"),
        (json!({"gas": 21_000}), "/0/gas"),
        (json!({"gas": "0x5208", "gasLimit": "0x5209"}), "/0/gasLimit"),
        (json!({"nonce": "7"}), "/0/nonce"),
        (json!({"chainId": 1}), "/0/chainId"),
        (json!({"data": "0xab", "input": "0xac"}), "/0/input"),
        (json!({"type": "0x2", "gasPrice": "0x1"}), "/0/type"),
        (json!({"type": "0x0", "maxFeePerGas": "0x1"}), "/0/type"),
        (json!({"type": "0x4"}), "/0/type"),
        (json!({"gasPrice": "0x1", "maxPriorityFeePerGas": "0x1"}), "/0/gasPrice"),
        (json!({"blobVersionedHashes": ["0x01"]}), "/0/blobVersionedHashes"),
        (
            json!({"authorizationList": [{"address": STRANGER, "chainId": "0x0", "nonce": "0x0"}]}),
            "/0/authorizationList",
        ),
    ];
    for (number, (fields, path)) in cases.into_iter().enumerate() {
        let mut transaction = page.pays(5);
        for (name, value) in fields.as_object().unwrap() {
            transaction[name] = value.clone();
        }
        let asked = page.ask(&format!("bad-{number}"), SEND, json!([transaction])).await;
        let told = asked.answer().unwrap()["error"]["data"]["path"].clone();
        assert_eq!((asked.code(), told), (-32_602, json!(path)), "{fields}");
    }
    let after = (page.world.table(Table::PageRequests).await, page.world.table(Table::Calls).await);
    assert_eq!((before, page.world.prompts().await.len()), (after, 1));
}

/// Addresses in one case are addresses: those of the page's account too.
#[tokio::test(start_paused = true)]
async fn addresses_in_one_case() {
    let page = page().await;
    let upper = |address: &str| format!("0x{}", address.trim_start_matches("0x").to_uppercase());
    let transaction = json!({"from": page.account.to_lowercase(), "to": upper(PAYEE), "value": "0x05"});
    let asked = page.ask("1", SEND, json!([transaction])).await;
    page.approve().await;
    asked.result();
    let mined = page.chains.on("Ethereum").mined()[0].signed.clone();
    assert!(mined.to.unwrap().eq_ignore_ascii_case(PAYEE));
}

/// What the verdict on the open bundle says.
async fn reasons(page: &Dapp) -> Vec<String> {
    let bundle = page.asked_bundle().await;
    let reasons = bundle["verdict"]["reasons"].as_array().unwrap();
    reasons.iter().map(|reason| reason["code"].as_str().unwrap().to_owned()).collect()
}

/// A node that names absurd gas or fees is bounded, and what it costs is warned of; nonsense is no number.
#[tokio::test(start_paused = true)]
async fn lying_nodes_are_bounded() {
    let limit = async |page: &Dapp| page.asked_bundle().await["fees"]["gasLimit"].as_u64().unwrap();
    let page = page().await;
    page.chains.fault(Fault::on("eth_estimateGas", FaultKind::Result(json!("0xffffffffffffffff"))));
    page.ask("1", SEND, json!([page.pays(5)])).await;
    assert!(limit(&page).await <= 60_000_000);
    page.reject().await;
    for nonsense in [json!("-0x1"), json!("0x1ffffffffffffffffff"), json!(null), json!({}), json!("12")] {
        page.world.pass(600_000).await;
        page.chains.clear_faults();
        page.chains.fault(Fault::on("eth_estimateGas", FaultKind::Result(nonsense.clone())));
        page.ask(&format!("n-{nonsense}"), SEND, json!([page.pays(5)])).await;
        assert_eq!(limit(&page).await, 1_500_000, "{nonsense}");
        page.reject().await;
    }
    page.world.pass(3_600_000).await;
    page.chains.clear_faults();
    // A thousand times the usual tip, in every place where a node says it.
    let tip = json!("0x2d79883d2000");
    let history = json!({"baseFeePerGas": ["0x1", "0x1"], "reward": [[tip, tip, tip]]});
    page.chains.fault(Fault::on("eth_feeHistory", FaultKind::Result(history)));
    page.chains.fault(Fault::on("eth_maxPriorityFeePerGas", FaultKind::Result(tip)));
    page.ask("fee", SEND, json!([page.pays(5)])).await;
    assert!(reasons(&page).await.contains(&"high_fee".to_owned()), "{:?}", reasons(&page).await);
}

/// A transaction that fails when it is tried is warned of, with the contract's own words.
#[tokio::test(start_paused = true)]
async fn failing_transactions_warn() {
    let page = page().await;
    for method in ["eth_estimateGas", "eth_call"] {
        page.chains
            .fault(Fault::on(method, FaultKind::Error(3, "execution reverted: not yours")).times(u32::MAX));
    }
    let asked = page.ask("1", SEND, json!([page.pays(5)])).await;
    assert_eq!(asked.answer(), None);
    assert!(reasons(&page).await.contains(&"simulation_failed".to_owned()), "{:?}", reasons(&page).await);
}

/// Nodes that cannot be asked, or that refuse, are named with their reason.
#[tokio::test(start_paused = true)]
async fn nodes_in_trouble() {
    let page = page().await;
    page.chains.fault(Fault::always(FaultKind::Down));
    let asked = page.ask("1", SEND, json!([page.pays(5)])).await;
    page.world.pass(20_000).await;
    assert_eq!(asked.code(), 4_901);
    page.chains.clear_faults();
    page.world.pass(60_000).await;
    page.chains.on("Ethereum").balance = 1_000;
    let asked = page.ask("2", SEND, json!([page.pays(5)])).await;
    assert_eq!(asked.code(), -32_000);
    let message = asked.answer().unwrap()["error"]["message"].as_str().unwrap().to_owned();
    assert!(message.starts_with("insufficient funds") && message.contains("ETH"), "{message}");
    page.chains.on("Ethereum").balance = u128::MAX / 2;
    page.chains
        .fault(Fault::on("eth_sendRawTransaction", FaultKind::Error(-32_000, "transaction underpriced")));
    let asked = page.ask("3", SEND, json!([page.pays(5)])).await;
    page.approve().await;
    let answer = asked.answer().unwrap();
    assert_eq!((asked.code(), &answer["error"]["message"]), (-32_000, &json!("transaction underpriced")));
    assert_eq!(page.world.table(Table::Pending).await.len(), 0);
}

/// What a page names is followed where it can be meant, and otherwise told as its claim.
#[tokio::test(start_paused = true)]
async fn wishes_of_the_page() {
    let page = page().await;
    page.chains.on("Ethereum").gas = 50_000;
    let mut sane = page.pays(5);
    (sane["gas"], sane["maxFeePerGas"]) = (json!("0x249f0"), json!("0x12a05f200"));
    page.ask("1", SEND, json!([sane])).await;
    let bundle = page.asked_bundle().await;
    assert_eq!(bundle["steps"][0]["transactions"][0]["explanation"]["gasLimit"], "150000");
    assert_eq!(
        (&bundle["fees"]["chosen"], &bundle["steps"][0]["details"]["description"]),
        (&json!("page"), &Value::Null)
    );
    page.reject().await;
    let mut wild = page.pays(5);
    (wild["gas"], wild["nonce"]) = (json!("0x5208"), json!("0x63"));
    wild["maxFeePerGas"] = json!("0xffffffffffffffff");
    page.ask("2", SEND, json!([wild])).await;
    let bundle = page.asked_bundle().await;
    let explanation = &bundle["steps"][0]["transactions"][0]["explanation"];
    assert_eq!((&explanation["nonce"], &explanation["gasLimit"]), (&json!("7"), &json!("62500")));
    let claim = bundle["steps"][0]["details"]["description"].as_str().unwrap();
    assert_eq!(claim, "The page named another nonce, gas limit, fee than can be used.");
    assert_eq!(bundle["fees"]["chosen"], "normal");
}

/// A chain without a base fee.
#[tokio::test(start_paused = true)]
async fn legacy_price() {
    let page = page().await;
    page.chains.on("Ethereum").base_fee = None;
    page.ask("1", SEND, json!([page.pays(5)])).await;
    let bundle = page.asked_bundle().await;
    assert_eq!(bundle["fees"]["now"]["price"], json!({"kind": "legacy", "gasPrice": "2200000000"}));
}

async fn choose(page: &Dapp, id: &str, choice: Value) -> (u16, Value) {
    page.world.call("POST", &format!("/api/bundles/{id}/fee"), choice).await
}

/// Another fee is other bytes: the prompt is replaced, once, and what is signed is what was chosen last.
#[tokio::test(start_paused = true)]
async fn fee_replaces_the_prompt() {
    let page = page().await;
    let asked = page.ask("1", SEND, json!([page.pays(5)])).await;
    let old = page.world.prompts().await.remove(0);
    let before = page.asked_bundle().await;
    let id = before["id"].as_str().unwrap().to_owned();
    let options = before["fees"]["options"].as_array().unwrap();
    let costs: Vec<u128> =
        options.iter().map(|one| one["atMost"]["units"].as_str().unwrap().parse().unwrap()).collect();
    assert!(costs[0] < costs[1] && costs[1] < costs[2], "{costs:?}");
    let (status, after) = choose(&page, &id, json!({"speed": "fast"})).await;
    assert_eq!((status, &after["fees"]["chosen"]), (200, &json!("fast")));
    assert_ne!(after["digest"], before["digest"]);
    let prompts = page.world.prompts().await;
    assert_eq!((prompts.len(), &prompts[0]["callId"]), (1, &json!(id)));
    assert_ne!(prompts[0]["id"], old["id"]);
    let settled = page.world.get(&format!("/api/prompts/{}", old["id"].as_str().unwrap())).await;
    assert_eq!(settled["outcome"], "replaced");
    let (status, body) = page.world.answer_prompt(&old, json!({"approve": true})).await;
    assert_eq!((status, &body["error"]["code"]), (409, &json!("already_answered")));
    // The same once more changes nothing.
    assert_eq!(choose(&page, &id, json!({"speed": "fast"})).await.0, 200);
    assert_eq!(page.world.prompts().await, prompts);
    page.world.restart().await;
    page.approve().await;
    let asked =
        if asked.answer().is_some() { asked } else { page.ask("1", SEND, json!([page.pays(5)])).await };
    assert_eq!(asked.result(), json!(page.chains.on("Ethereum").mined()[0].signed.hash));
    let cost: u128 = page.chains.on("Ethereum").mined()[0].signed.cost;
    assert_eq!(cost, costs[2] + 5);
    let (status, body) = choose(&page, &id, json!({"speed": "slow"})).await;
    assert_eq!((status, &body["error"]["code"]), (409, &json!("not_asking")));
}

/// A fee of the user's own has bounds, and a limit can be set.
#[tokio::test(start_paused = true)]
async fn own_fee() {
    let page = page().await;
    page.ask("1", SEND, json!([page.pays(5)])).await;
    let id = page.asked_bundle().await["id"].as_str().unwrap().to_owned();
    for (choice, path) in [
        (json!({"own": {"maxFeePerGas": "1"}}), "/own/maxFeePerGas"),
        (json!({"own": {"maxFeePerGas": "9000000000000000000"}}), "/own/maxFeePerGas"),
        (
            json!({"own": {"maxFeePerGas": "3000000000", "maxPriorityFeePerGas": "3000000001"}}),
            "/own/maxPriorityFeePerGas",
        ),
        (json!({"own": {"maxFeePerGas": "3000000000", "gasLimit": "20999"}}), "/own/gasLimit"),
        (json!({"own": {"maxFeePerGas": "3000000000", "gasLimit": "30000001"}}), "/own/gasLimit"),
        (json!({"speed": "page"}), "/speed"),
        (json!({}), "/speed"),
    ] {
        let (status, body) = choose(&page, &id, choice.clone()).await;
        assert_eq!((status, &body["error"]["path"]), (400, &json!(path)), "{choice}: {body}");
    }
    let own =
        json!({"own": {"maxFeePerGas": "3000000000", "maxPriorityFeePerGas": "1", "gasLimit": "40000"}});
    let (status, view) = choose(&page, &id, own).await;
    assert_eq!(
        (status, &view["fees"]["chosen"], &view["fees"]["gasLimit"]),
        (200, &json!("own"), &json!(40_000))
    );
    assert_eq!(view["fees"]["now"]["atMost"]["units"], "120000000000000");
    page.approve().await;
    let mined = page.chains.on("Ethereum").mined()[0].signed.clone();
    assert_eq!((mined.gas, mined.cost), (40_000, 120_000_000_000_005));
}

/// Only what the wallet filled in has a fee to choose.
#[tokio::test(start_paused = true)]
async fn fee_of_an_agents_bundle_is_its_own() {
    let run = BundleRun::of(countersign_tests::evm::payments(1)).await;
    run.world.say("go").await;
    let view = run.view().await;
    assert_eq!(view.get("fees"), None);
    let id = view["id"].as_str().unwrap();
    let (status, body) =
        run.world.call("POST", &format!("/api/bundles/{id}/fee"), json!({"speed": "fast"})).await;
    assert_eq!((status, &body["error"]["code"]), (409, &json!("fee_fixed")));
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

/// The worker dies after any step, before, during and after the approval and the choice of a fee: one prompt, one
/// transaction, one answer.
#[tokio::test(start_paused = true)]
async fn killed_between_any_two_steps() {
    for steps in 0..90 {
        let page = page().await;
        let params = json!([page.pays(5)]);
        let mut asked = page.begin(ORIGIN, "1", SEND, params.clone()).await;
        page.world.steps(steps).await;
        page.world.restart().await;
        asked = if asked.answer().is_some() { asked } else { page.ask("1", SEND, params.clone()).await };
        let open = page.world.prompts().await;
        assert!(open.len() <= 1, "{steps}: {open:?}");
        if let [prompt] = open.as_slice() {
            // The choice of a fee is cut off as well.
            let target = format!("/api/bundles/{}/fee", prompt["callId"].as_str().unwrap());
            let core = page.world.core();
            let chosen = core.handle("POST", &target, r#"{"speed":"slow"}"#);
            let cut = async {
                tokio::select! {
                    _ = chosen => (),
                    () = async { for _ in 0..steps { tokio::task::yield_now().await; } } => (),
                }
            };
            page.world.run(cut).await;
            page.world.restart().await;
            let open = page.world.prompts().await;
            assert_eq!((open.len(), &open[0]["callId"]), (1, &prompt["callId"]), "{steps}");
        }
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
        asked = carry_on(&page, asked, &params).await;
        asked = carry_on(&page, asked, &params).await;
        let hash = asked.result();
        let ledger = page.chains.on("Ethereum");
        assert_eq!((ledger.raw().len(), json!(ledger.mined()[0].signed.hash)), (1, hash), "{steps}");
    }
}

/// Any parameters are refused without a prompt and without a call, or they are a transaction that is asked about.
#[test]
fn any_parameters_are_refused_or_asked() {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let page = runtime.block_on(page());
    let text = prop_oneof!["0x[0-9a-f]{0,42}", ".{0,12}", Just(PAYEE.to_owned()), Just(page.account.clone())];
    let value = prop_oneof![
        text.prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        Just(Value::Null),
        Just(json!([])),
        Just(json!({}))
    ];
    let names = "(from|to|value|data|input|gas|gasPrice|maxFeePerGas|nonce|type|chainId|accessList|authorizationList)";
    let strategy = prop::collection::btree_map(names, value, 0..8);
    let mut runner = TestRunner::new(Config { cases: 64, failure_persistence: None, ..Config::default() });
    let number = std::cell::Cell::new(0);
    runner
        .run(&strategy, |fields| {
            number.set(number.get() + 1);
            runtime.block_on(async {
                let fields: serde_json::Map<String, Value> = fields.into_iter().collect();
                let asked = page.ask(&number.get().to_string(), SEND, json!([fields])).await;
                let open = page.world.prompts().await.len();
                match asked.answer() {
                    None => {
                        assert_eq!(open, 1, "{fields:?}");
                        page.reject().await;
                    }
                    Some(answer) => {
                        assert!(open == 0 && answer["error"]["code"].is_i64(), "{fields:?}: {answer}")
                    }
                }
            });
            Ok(())
        })
        .unwrap();
}

/// The password is not asked for again while the vault is open.
#[tokio::test(start_paused = true)]
async fn open_vault_needs_no_password() {
    let page = page().await;
    page.world.unlock(PASSWORD).await;
    let asked = page.ask("1", SEND, json!([page.pays(5)])).await;
    assert_eq!(page.world.answer(json!({"approve": true})).await.0, 200);
    asked.result();
}
