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
