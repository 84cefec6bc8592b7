//! `tx_ready`: the signing request that preceded bundles, alone and combined with the other forms.

use countersign_tests::evm::{Evm, PAYEE, STRANGER, USDC, bundle};
use countersign_tests::world::*;
use runtime::agent::classify::classify;
use serde_json::{Value, json};
use wire::action::Action;

const PATH: &str = "m/44'/60'/0'/0/0";
const REFUSED: &str = "rejected_by_user: the user said no";
const NOTHING: &str = "nothing_to_sign: there is no keysign_payload, no unsigned_tx in approval_tx or swap_tx, and no \
                       tx_ready came before";

/// A payment that a backend built.
fn payment() -> Value {
    let unsigned = Evm::pays(PAYEE, 1_500_000_000_000_000_000).hex();
    json!({"from_chain": "Ethereum", "from_symbol": "ETH", "amount": "1.5", "destination": PAYEE, "tx_type": "send",
        "swap_tx": {"unsigned_tx": unsigned, "to": PAYEE, "value": "1500000000000000000", "gas_limit": 21000}})
}

/// A swap that needs an approval first.
fn swap() -> Value {
    let approval = Evm::approves(USDC, STRANGER, Some(100_000_000));
    let call = Evm { data: "12345678".to_owned(), ..Evm::pays(STRANGER, 0).nonce(8) };
    json!({"provider": "1inch", "from_chain": "Ethereum", "from_symbol": "USDC", "to_chain": "Ethereum",
        "to_symbol": "ETH", "amount": "100", "destination": PAYEE, "tx_type": "swap", "needs_approval": true,
        "approval_tx": {"unsigned_tx": approval.hex(), "to": USDC, "value": "0", "gas_limit": 60000, "nonce": 7},
        "swap_tx": {"unsigned_tx": call.hex(), "to": STRANGER, "value": "0", "chain_id": "1", "nonce": 8}})
}

/// The events of an answer.
type Said<'a> = &'a [(&'a str, &'a Value)];

fn sign_tx(id: &str) -> Value {
    action(id, "sign_tx", json!({}))
}

fn events(events: Said<'_>) -> Answer {
    let events: Vec<(&str, Value)> = events.iter().map(|(name, data)| (*name, (*data).clone())).collect();
    Answer::events(&events)
}

fn actions(elements: Value) -> Value {
    json!({"actions": elements})
}

/// A world whose backend gives the first answer to the first message, and so on; it answers results with no events.
async fn world(answers: Vec<Answer>) -> World {
    let mut seen: Vec<String> = Vec::new();
    World::answering(move |sent| {
        if sent.body.get("content").is_none() {
            return Answer::events(&[]);
        }
        // A repeated message gets the same answer.
        let at = seen.iter().position(|key| *key == sent.key).unwrap_or_else(|| {
            seen.push(sent.key.clone());
            seen.len() - 1
        });
        answers.get(at).cloned().unwrap_or_else(|| Answer::events(&[]))
    })
    .await
}

async fn signing_world(answers: Vec<Answer>) -> World {
    let world = world(answers).await;
    world.make_vault("correct horse battery").await;
    world
}

fn ids(calls: &[Value]) -> Vec<&str> {
    calls.iter().map(|call| call["actionId"].as_str().unwrap_or_default()).collect()
}

fn steps_of(ready: &Value) -> Value {
    let action = Action {
        id: "a1".to_owned(),
        kind: "sign_tx".to_owned(),
        title: None,
        description: None,
        params: fields(ready).clone(),
        auto_execute: None,
    };
    classify(&action).params.get("transactions").cloned().unwrap_or_default()
}

/// T000-108: a keysign payload is one step, with its claims; a payment names its recipient, a swap does not.
#[test]
fn payload_is_one_step() {
    let ready = json!({"keysign_payload": "Cg==", "from_chain": "Bitcoin", "from_symbol": "BTC", "amount": 0.5,
        "sender": "bc1q", "destination": "bc1p", "tx_type": "send", "needs_approval": true,
        "tx_details": {"from": "somebody", "memo": "x"}});
    let step = json!({"id": "a1-0", "sequence": 0, "action": "send", "wait_for_receipt": true, "chain": "Bitcoin",
        "signing_mode": "ecdsa_secp256k1", "keysign_payload": "Cg==",
        "tx_details": {"from": "somebody", "memo": "x", "description": "Send 0.5 BTC to bc1p on Bitcoin",
            "to": "bc1p", "amount_human": "0.5 BTC"}});
    assert_eq!(steps_of(&ready), json!([step]));
    let swap = json!({"keysign_payload": "Cg==", "from_chain": "Solana", "from_symbol": "SOL", "amount": "2",
        "to_symbol": "RUNE", "to_chain": "THORChain", "provider": "thorchain", "destination": "thor1",
        "swap_tx": {"unsigned_tx": "0x02f8"}});
    let step = json!({"id": "a1-0", "sequence": 0, "action": "sign", "wait_for_receipt": true, "chain": "Solana",
        "signing_mode": "eddsa_ed25519", "keysign_payload": "Cg==", "tx_details": {
            "description": "Swap 2 SOL to RUNE on THORChain via thorchain", "amount_human": "2 SOL"}});
    assert_eq!(steps_of(&swap), json!([step]), "a payload takes priority over other fields");
}

/// T000-108: approval and swap are steps in order, each with the claims of its own data; no approval step if none is
/// needed; a needed approval that is missing is a step without a transaction.
#[test]
fn approval_and_swap_are_two_steps() {
    let ready = json!({"from_chain": "ethereum", "from_symbol": "USDC", "amount": "100", "sender": PAYEE,
        "to_symbol": "ETH", "needs_approval": true, "tx_details": {"contract_name": "Router"},
        "approval_tx": {"unsigned_tx": "0x02f8", "to": USDC, "value": "0", "gas_limit": 60000, "chain_id": "0x1"},
        "swap_tx": {"unsigned_tx": "f86b", "to": STRANGER, "value": "0x0"}});
    let step = |at: usize, label: &str, hex: &str, kind: &str, details: Value| {
        json!({"id": format!("a1-{at}"), "sequence": at, "action": label, "wait_for_receipt": true,
            "chain": "ethereum", "signing_mode": "ecdsa_secp256k1", "unsigned_tx_hex": hex, "tx_details": details,
            "chain_context": {"chain_id": "0x1", "derive_path": PATH, "tx_type": kind}})
    };
    let approval = step(
        0,
        "approval",
        "0x02f8",
        "eip1559",
        json!({"description": "Approve USDC", "from": PAYEE, "to": USDC, "value": "0", "gas_limit": "60000"}),
    );
    let swap = |at| {
        let details = json!({"description": "Swap 100 USDC to ETH", "from": PAYEE, "to": STRANGER, "value": "0x0",
            "amount_human": "100 USDC", "contract_name": "Router"});
        step(at, "swap", "f86b", "legacy", details)
    };
    assert_eq!(steps_of(&ready), json!([approval, swap(1)]));
    let unsaid = without(ready.clone(), "needs_approval");
    assert_eq!(steps_of(&unsaid), json!([approval, swap(1)]), "present means needed");
    let needless = with(ready.clone(), "needs_approval", json!(false));
    assert_eq!(steps_of(&needless), json!([swap(0)]));
    let missing = steps_of(&without(ready.clone(), "approval_tx"));
    assert_eq!((missing.as_array().unwrap().len(), &missing[0]["unsigned_tx_hex"]), (2, &Value::Null));
    let half = steps_of(&without(ready, "swap_tx"));
    assert_eq!((half.as_array().unwrap().len(), &half[1]["unsigned_tx_hex"]), (2, &Value::Null));
}

/// T000-1, T000-107: the same in a body, as an event and in the other dialect: one call, with the same id each time
/// the same answer is read, reported under the legacy name.
#[tokio::test(start_paused = true)]
async fn tx_ready_in_three_forms() {
    let stream = format!(
        "data: {}\n\ndata: {{\"type\":\"finish\"}}\n\n",
        json!({"type": "data-tx_ready", "data": payment()})
    );
    let answers = [
        Answer::json(&json!({"message": {"content": "sign"}, "tx_ready": payment()})),
        events(&[("tx_ready", &payment())]),
        events(&[("tx_ready", &json!({"from_chain": "Base"})), ("tx_ready", &payment())]),
        Answer::Http(200, "text/event-stream", stream),
    ];
    let mut seen = Vec::new();
    for answer in answers {
        let world = world(vec![answer]).await;
        world.say("go").await;
        let calls = world.calls().await;
        let [call] = calls.as_slice() else { panic!("one call: {calls:?}") };
        assert_eq!((&call["type"], &call["tool"]), (&json!("sign_tx"), &json!("sign_transaction_bundle")));
        let id = call["actionId"].as_str().unwrap();
        let error = "no_vault: there is no vault yet that could sign";
        assert_eq!(world.results(), [refused_bundle(id, "sign_tx", error)]);
        seen.push((id.to_owned(), call["params"].clone()));
    }
    assert!(seen.iter().all(|one| *one == seen[0]), "{seen:?}");
}

/// T000-104: alone it opens an approval like any bundle, and its claims match its bytes.
#[tokio::test(start_paused = true)]
async fn tx_ready_alone_asks_for_approval() {
    for (ready, labels) in [(payment(), vec!["send"]), (swap(), vec!["approval", "swap"])] {
        let world = signing_world(vec![events(&[("tx_ready", &ready)])]).await;
        world.say("go").await;
        let prompts = world.prompts().await;
        let [prompt] = prompts.as_slice() else { panic!("one question: {:?}", world.results()) };
        let bundle = world.get(&format!("/api/bundles/{}", prompt["callId"].as_str().unwrap())).await;
        let steps = bundle["steps"].as_array().unwrap();
        assert_eq!(steps.iter().map(|step| &step["action"]).collect::<Vec<_>>(), labels);
        for step in steps {
            assert_eq!(step["transactions"][0]["contradictions"], json!([]));
        }
    }
}

/// T000-112: with a `sign_tx` without its own transaction in the same answer, before or after: one bundle, under the
/// action's id, in the order of the actions.
#[tokio::test(start_paused = true)]
async fn tx_ready_with_sign_tx_is_one_bundle() {
    let list = actions(json!([read_book("r1"), sign_tx("s1"), read_book("r2")]));
    let body = with(list.clone(), "tx_ready", payment());
    for answer in [
        events(&[("tx_ready", &payment()), ("actions", &list)]),
        events(&[("actions", &list), ("tx_ready", &payment())]),
        Answer::json(&with(body, "message", json!({"content": "x"}))),
    ] {
        let world = signing_world(vec![answer]).await;
        world.say("go").await;
        let calls = world.calls().await;
        assert_eq!(ids(&calls), ["r1", "s1", "r2"]);
        assert_eq!(calls[1]["params"]["transactions"][0]["action"], "send");
        assert_eq!(world.answer(json!({"approve": false})).await.0, 200);
        let results = world.results();
        assert_eq!((results.len(), &results[1]), (3, &refused_bundle("s1", "sign_tx", REFUSED)));
        assert_eq!(world.records().await["bundles"].len(), 1);
    }
}

/// A `sign_tx` in a later answer refers to the last `tx_ready` before it, which was prompted for when it arrived: it
/// gets the same result, without a second prompt, also across a restart.
#[tokio::test(start_paused = true)]
async fn later_sign_tx_gets_the_same_result() {
    let earlier = events(&[("tx_ready", &swap())]);
    let later = |id: &str| events(&[("actions", &actions(json!([sign_tx(id)])))]);
    let world =
        signing_world(vec![earlier, events(&[("tx_ready", &payment())]), later("s1"), later("s2")]).await;
    for reason in ["first", "second"] {
        world.say("go").await;
        assert_eq!(world.answer(json!({"approve": false, "reason": reason})).await.0, 200);
    }
    world.restart().await;
    world.say("sign it").await;
    world.reopen().await;
    world.say("again").await;
    let results = world.results();
    let reported: Vec<_> = results.iter().map(|result| result["error"].as_str().unwrap()).collect();
    let (first, second) = ("rejected_by_user: first", "rejected_by_user: second");
    assert_eq!(reported, [first, second, second, second]);
    assert_eq!((&results[2]["action_id"], &results[3]["action_id"]), (&json!("s1"), &json!("s2")));
    assert_eq!((world.prompts().await, world.browser.notified().len()), (vec![], 2));
}

/// The prompt is still open when the `sign_tx` arrives: it waits for the same answer.
#[tokio::test(start_paused = true)]
async fn later_sign_tx_waits_for_the_answer() {
    let later = events(&[("actions", &actions(json!([sign_tx("s1")])))]);
    let world = signing_world(vec![events(&[("tx_ready", &payment())]), later]).await;
    world.say("go").await;
    world.say("sign it").await;
    assert_eq!((world.prompts().await.len(), world.results()), (1, vec![]));
    world.answer(json!({"approve": false})).await;
    let errors: Vec<Value> = world.results().iter().map(|result| result["error"].clone()).collect();
    assert_eq!((errors, world.prompts().await.len()), (vec![json!(REFUSED), json!(REFUSED)], 0));
}

/// T000-112: beside a newer form it is ignored, and a `sign_tx` without a transaction takes the newest form that has
/// one.
#[tokio::test(start_paused = true)]
async fn newest_form_takes_priority() {
    let transactions =
        json!([{"chain_id": "0x1", "action": "pay", "unsigned_tx_hex": Evm::pays(PAYEE, 5).hex()}]);
    let field = json!({"transactions": transactions});
    let ready = payment();
    let own = actions(json!([bundle("new", json!([Evm::pays(PAYEE, 5).step("s0", 0)]))]));
    let both = actions(json!([own["actions"][0], sign_tx("s1")]));
    let bare = actions(json!([sign_tx("s1"), sign_tx("s2")]));
    let cases: [(Said<'_>, Vec<&str>); 5] = [
        (&[("tx_ready", &ready), ("transactions", &field)], vec!["pay"]),
        (&[("tx_ready", &ready), ("actions", &own)], vec!["Action of s0"]),
        (&[("actions", &own), ("transactions", &field), ("tx_ready", &ready)], vec!["Action of s0"]),
        (&[("actions", &bare), ("transactions", &field), ("tx_ready", &ready)], vec!["pay", NOTHING]),
        (&[("actions", &both), ("tx_ready", &ready)], vec!["Action of s0", NOTHING]),
    ];
    for (said, expected) in cases {
        let world = signing_world(vec![events(said)]).await;
        world.say("go").await;
        let prompts = world.prompts().await;
        let [prompt] = prompts.as_slice() else { panic!("one question: {said:?}") };
        let bundle = world.get(&format!("/api/bundles/{}", prompt["callId"].as_str().unwrap())).await;
        assert_eq!(
            (&bundle["steps"][0]["action"], &bundle["steps"][0]["chain"]),
            (&json!(expected[0]), &json!("Ethereum"))
        );
        world.answer(json!({"approve": false})).await;
        let mut reported = vec![REFUSED];
        reported.extend(&expected[1..]);
        let results = world.results();
        assert_eq!(
            results.iter().map(|result| result["error"].as_str().unwrap()).collect::<Vec<_>>(),
            reported
        );
    }
}

/// A request that cannot be signed is refused once with a clear error and without a prompt.
#[tokio::test(start_paused = true)]
async fn malformed_tx_ready_is_refused() {
    let place = |field: &str| format!("invalid_params: /transactions/{field}");
    let source = "must have keysign_payload or unsigned_tx_hex";
    let cases = [
        ("7".to_owned(), NOTHING.to_owned()),
        ("[]".to_owned(), NOTHING.to_owned()),
        ("{}".to_owned(), NOTHING.to_owned()),
        (r#"{"amount":1e999,"swap_tx":{}}"#.to_owned(), NOTHING.to_owned()),
        (without(payment(), "swap_tx").to_string(), NOTHING.to_owned()),
        (without(payment(), "from_chain").to_string(), place("0/chain must be a non-empty string")),
        (
            with(payment(), "swap_tx", json!({"to": PAYEE, "value": "1"})).to_string(),
            place(&format!("0 {source}")),
        ),
        (without(swap(), "approval_tx").to_string(), place(&format!("0 {source}"))),
        (without(swap(), "swap_tx").to_string(), place(&format!("1 {source}"))),
        (with(payment(), "tx_details", json!("x")).to_string(), place("0/tx_details must be an object")),
        (
            with(payment(), "from_chain", json!("Narnia")).to_string(),
            "unknown_chain: \"Narnia\" at /transactions/0/chain".to_owned(),
        ),
    ];
    for (ready, error) in cases {
        let stream = format!("event: tx_ready\ndata: {ready}\n\nevent: done\ndata: {{}}\n\n");
        let world = signing_world(vec![Answer::Http(200, "text/event-stream", stream)]).await;
        world.say("go").await;
        let results = world.results();
        let [result] = results.as_slice() else { panic!("one result: {ready}: {results:?}") };
        assert_eq!((&result["action"], &result["error"]), (&json!("sign_tx"), &json!(error)), "{ready}");
        assert_eq!((world.prompts().await, world.browser.notified()), (vec![], vec![]), "{ready}");
    }
    for nothing in ["null", r#"{"tx_ready":null}"#] {
        let stream = format!("event: tx_ready\ndata: {nothing}\n\nevent: done\ndata: {{}}\n\n");
        let world = world(vec![Answer::Http(200, "text/event-stream", stream)]).await;
        world.say("go").await;
        assert_eq!(world.calls().await, Vec::<Value>::new(), "{nothing} asks for nothing");
    }
}

/// T000-107: an answer that is read twice is one call, wherever the worker crashed during the first reading; the next
/// answer with the same `tx_ready` is another call. The same with a `sign_tx` beside it.
#[tokio::test(start_paused = true)]
async fn answer_read_twice_is_one_call() {
    let mut read_twice = 0;
    for steps in 0..60 {
        let said = [("tx_ready", payment()), ("actions", actions(json!([sign_tx("s1")])))];
        for answer in [Answer::events(&said[..1]), Answer::events(&said)] {
            let world = world(vec![answer.clone(), Answer::events(&said[..1])]).await;
            read_twice += usize::from(world.restart_while_reading(steps).await);
            // A result whose acknowledgement was lost is sent again, unchanged.
            let mut results = world.results();
            results.dedup();
            assert_eq!((world.calls().await.len(), results.len()), (1, 1), "crashed after {steps} steps");
            world.say("again").await;
            let calls = world.calls().await;
            assert_eq!(calls.len(), 2);
            assert_ne!(calls[0]["actionId"], calls[1]["actionId"]);
        }
    }
    assert!(read_twice > 0, "no crash fell between the call and the end of its answer");
}

/// T000-9, T000-11: an answer that never ends loses no action: a `sign_tx` that waited for the end, and the actions
/// after it, are answered in order when the answer is given up.
#[tokio::test(start_paused = true)]
async fn unfinished_answer_loses_no_action() {
    let list = actions(json!([read_book("r1"), sign_tx("s1"), read_book("r2")]));
    let world = world(vec![Answer::broken(&[("actions", list)])]).await;
    world.say("go").await;
    world.pass(600_000).await;
    let results = world.results();
    let reported: Vec<&Value> = results.iter().map(|result| &result["action_id"]).collect();
    assert_eq!(reported, ["r1", "s1", "r2"]);
    assert_eq!(results[1], refused_bundle("s1", "sign_tx", NOTHING));
}

/// In a failed answer `tx_ready` is ignored; its actions still run.
#[tokio::test(start_paused = true)]
async fn failed_answer_ignores_tx_ready() {
    let (ready, error, list) = (payment(), json!({"error": "sorry"}), actions(json!([sign_tx("s1")])));
    let world = signing_world(vec![
        events(&[("tx_ready", &ready), ("error", &error)]),
        events(&[("tx_ready", &ready), ("actions", &list), ("error", &error)]),
    ])
    .await;
    world.say("go").await;
    assert_eq!(world.calls().await, Vec::<Value>::new());
    world.say("again").await;
    assert_eq!((ids(&world.calls().await), world.prompts().await.len()), (vec!["s1"], 1));
}
