//! Bundles from proposal to signature: decode, policy, approval, password; and every way in which a bundle is refused
//! before.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test fails by panicking")]

use countersign_tests::chain::Chains;
use countersign_tests::evm::{Evm, PAYEE, STRANGER, USDC, bundle};
use countersign_tests::world::*;
use serde_json::{Value, json};

const PASSWORD: &str = "correct horse battery";
const ETHER: u128 = 1_000_000_000_000_000_000;

/// A world with an agent that proposes these bundles, a vault that can sign, and chains.
async fn world(actions: Value) -> World {
    let world = World::proposing(actions).await;
    world.make_vault(PASSWORD).await;
    Chains::new().serve(&world);
    world
}

/// A payment of one ether; `a1` uses the account's next nonce, `a2` the one after it.
fn pay(id: &str) -> Value {
    let number: u64 = id.trim_start_matches('a').parse().unwrap();
    bundle(id, json!([Evm::pays(PAYEE, ETHER).nonce(6 + number).step("s0", 0)]))
}

/// A payment with claims in `tx_details`.
fn claiming(id: &str, transaction: &Evm, details: Value) -> Value {
    bundle(id, json!([with(transaction.step("s0", 0), "tx_details", details)]))
}

async fn kinds(world: &World) -> Vec<Value> {
    world.prompts().await.iter().map(|prompt| prompt["kind"].clone()).collect()
}

async fn approve(world: &World) {
    let (status, body) = world.answer(json!({"approve": true})).await;
    assert_eq!(status, 200, "{body}");
}

async fn submit_password(world: &World, password: &str) -> (u16, Value) {
    world.answer(json!({"approve": true, "password": password})).await
}

/// Whether the result reports its one step as sent (`pending`), without a receipt.
fn is_sent(result: &Value) -> bool {
    let rows = result["data"]["transactions"].as_array().map(Vec::as_slice).unwrap_or_default();
    let [row] = rows else { return false };
    result["success"] == true && row["status"] == "pending" && row["tx_hash"].is_string()
}

fn error_of(results: &[Value]) -> &str {
    results.last().and_then(|result| result["error"].as_str()).unwrap_or_default()
}

/// T000-38, T000-39, T000-40, T000-42: an approval with the sender's label, then the password, then the signatures;
/// each prompt is an event and notifies the user.
#[tokio::test(start_paused = true)]
async fn approval_then_password_then_signature() {
    let world = world(json!([pay("a1")])).await;
    world.say("go").await;
    let prompts = world.prompts().await;
    assert_eq!(
        (&prompts[0]["kind"], &prompts[0]["title"]),
        (&json!("tx_bundle_approval"), &json!("Label of a1"))
    );
    assert_eq!(world.browser.attention(), 1);
    approve(&world).await;
    assert_eq!(kinds(&world).await, ["password_required"]);
    assert_eq!(world.prompts().await[0]["why"], "sign");
    assert_eq!(submit_password(&world, PASSWORD).await.0, 200);
    let results = world.results();
    let tx_hash = &results[0]["data"]["transactions"][0]["tx_hash"];
    let row = json!({"id": "s0", "sequence": 0, "chain": "Ethereum", "tx_hash": tx_hash, "status": "pending",
        "error": null});
    let data = json!({"transactions": [row], "bundle_success": true});
    let sent = json!({"action": "sign_transaction_bundle", "action_id": "a1", "success": true, "data": data});
    assert_eq!(results, [sent]);
    let asked = ["tx_bundle_approval", "password_required"];
    let reported: Vec<String> = world
        .events()
        .await
        .into_iter()
        .map(|event| event.name)
        .filter(|name| asked.contains(&name.as_str()))
        .collect();
    assert_eq!(
        reported,
        ["tx_bundle_approval", "tx_bundle_approval", "password_required", "password_required"]
    );
    assert_eq!((world.prompts().await, world.browser.attention()), (vec![], 0));
    assert_eq!(world.browser.notified().len(), 2);
}

/// T000-34, T000-39: the sender's claims are stored beside the decoded bytes, in step order.
#[tokio::test(start_paused = true)]
async fn claims_and_decoded_bytes_are_both_shown() {
    let details = json!({"description": "Rent", "to": PAYEE, "value": ETHER.to_string(), "token_symbol": "ETH",
        "amount_human": "1 ETH", "contract_name": "Landlord", "gas_limit": 21000});
    let second = with(Evm::pays(PAYEE, ETHER).step("s0", 0), "tx_details", details);
    let world =
        world(json!([bundle("a1", json!([Evm::pays(STRANGER, 5).nonce(8).step("s1", 4), second]))])).await;
    world.say("go").await;
    let id = world.prompts().await[0]["callId"].as_str().unwrap().to_owned();
    let bundle = world.get(&format!("/api/bundles/{id}")).await;
    assert_eq!((&bundle["label"], &bundle["source"]["kind"]), (&json!("Label of a1"), &json!("agent")));
    let steps = bundle["steps"].as_array().unwrap();
    assert_eq!(steps.iter().map(|step| &step["id"]).collect::<Vec<_>>(), ["s0", "s1"]);
    assert_eq!(
        steps[0]["details"],
        json!({"description": "Rent", "from": null, "to": PAYEE, "value": ETHER.to_string(), "tokenSymbol": "ETH",
            "amountHuman": "1 ETH", "contractName": "Landlord", "gasLimit": "21000"})
    );
    let effect = &steps[0]["transactions"][0]["explanation"]["effects"][0];
    assert_eq!(
        (&effect["kind"], &effect["to"], &effect["amount"]["shown"]),
        (&json!("transfer"), &json!(PAYEE), &json!("1 ETH"))
    );
    assert_eq!(steps[0]["action"], "Action of s0");
}

/// T000-41: a rejection ends the bundle at once with the user's reason; no password prompt follows.
#[tokio::test(start_paused = true)]
async fn rejection_skips_the_password() {
    let world = world(json!([pay("a1")])).await;
    world.say("go").await;
    assert_eq!(world.answer(json!({"approve": false, "reason": "too much"})).await.0, 200);
    assert_eq!(error_of(&world.results()), "rejected_by_user: too much");
    assert_eq!(world.prompts().await, [] as [Value; 0]);
    let names = world.event_names(&[]).await;
    assert!(!names.contains(&"password_required".to_owned()), "{names:?}");
}

/// T000-42: after a wrong password the prompt stays open, with a delay after several; the right password continues;
/// cancelling ends the bundle.
#[tokio::test(start_paused = true)]
async fn wrong_password_can_be_retried() {
    let world = world(json!([pay("a1"), pay("a2")])).await;
    world.say("go").await;
    approve(&world).await;
    for _ in 0..3 {
        let (status, body) = submit_password(&world, "wrong password").await;
        assert_eq!((status, &body["error"]["code"]), (403, &json!("wrong_password")));
    }
    let (status, body) = submit_password(&world, PASSWORD).await;
    assert_eq!((status, &body["error"]["code"]), (429, &json!("too_many_attempts")));
    world.pass(body["error"]["retryAfterMillis"].as_u64().unwrap()).await;
    assert_eq!(submit_password(&world, PASSWORD).await.0, 200);
    assert!(is_sent(&world.results()[0]), "{:?}", world.results());
    assert_eq!(kinds(&world).await, ["tx_bundle_approval"], "the second bundle follows the first");
    approve(&world).await;
    assert_eq!(world.answer(json!({"approve": false})).await.0, 200);
    assert_eq!(error_of(&world.results()), "rejected_by_user: the user said no");
}

/// The password unlocks the vault for one bundle, unless the user chose to keep it unlocked.
#[tokio::test(start_paused = true)]
async fn password_unlocks_once_or_for_a_time() {
    let world = world(json!([pay("a1"), pay("a2"), pay("a3")])).await;
    world.say("go").await;
    approve(&world).await;
    submit_password(&world, PASSWORD).await;
    assert_eq!(world.get("/api/vaults").await["vaults"][0]["unlockedUntil"], Value::Null);
    approve(&world).await;
    let answer = json!({"approve": true, "password": PASSWORD, "keepUnlocked": true});
    assert_eq!(world.answer(answer).await.0, 200);
    approve(&world).await;
    assert_eq!(world.results().len(), 3, "the vault is unlocked: the third needs no password");
    assert!(world.results().iter().all(is_sent), "{:?}", world.results());
}

/// T000-40: the same prompts are open, and can be answered, after a restart of the worker and of the browser.
#[tokio::test(start_paused = true)]
async fn prompts_survive_restarts() {
    let world = world(json!([pay("a1")])).await;
    world.say("go").await;
    let asked = world.prompts().await;
    world.restart().await;
    assert_eq!(world.prompts().await, asked);
    world.reopen().await;
    assert_eq!(world.prompts().await, asked);
    approve(&world).await;
    let asked = world.prompts().await;
    world.reopen().await;
    assert_eq!(world.prompts().await, asked);
    submit_password(&world, PASSWORD).await;
    assert!(is_sent(&world.results()[0]), "{:?}", world.results());
}

/// A bundle with a false claim in any field of `tx_details` that the bytes can contradict is blocked without a
/// prompt; its record shows the claimed and the actual value.
#[tokio::test(start_paused = true)]
async fn contradicted_claims_block_the_bundle() {
    let payment = Evm::pays(PAYEE, ETHER);
    let transfer = Evm::sends(USDC, PAYEE, 1_000_000);
    let approval = Evm::approves(USDC, STRANGER, None);
    let cases = [
        (&payment, "from", json!(STRANGER)),
        (&payment, "to", json!(STRANGER)),
        (&payment, "value", json!("1")),
        (&payment, "value", json!("0x1")),
        (&payment, "amount_human", json!("0.1 ETH")),
        (&payment, "gas_limit", json!("20000")),
        (&transfer, "to", json!(STRANGER)),
        (&transfer, "token_symbol", json!("DAI")),
        (&transfer, "amount_human", json!("100 USDC")),
        (&transfer, "value", json!("5")),
        (&approval, "amount_human", json!("1000 USDC")),
    ];
    for (transaction, field, claim) in cases {
        let world = world(json!([claiming("a1", transaction, json!({field: claim}))])).await;
        world.say("go").await;
        assert!(
            error_of(&world.results()).starts_with("contradiction: step 0: "),
            "{field}: {:?}",
            world.results()
        );
        assert_eq!((world.prompts().await, world.browser.notified()), (vec![], vec![]), "{field}");
        let bundles = world.get("/api/bundles").await;
        let bundle = &bundles["bundles"][0];
        let found = &bundle["steps"][0]["transactions"][0]["contradictions"];
        let [lie] = found.as_array().unwrap().as_slice() else { panic!("{field}: {found}") };
        let claimed = claim.as_str().unwrap();
        assert_eq!((&lie["field"], lie["claimed"].as_str()), (&json!(field), Some(claimed)));
        assert_ne!(lie["actual"].as_str().unwrap(), claimed);
        assert_eq!(bundle["verdict"]["name"], "block");
    }
}

/// T000-35: true claims, other claims and no claims give the same bytes and therefore the same consent digest. What is
/// shown of them is another thing each time, and the prompt's digest says so.
#[tokio::test(start_paused = true)]
async fn claims_do_not_change_the_digest() {
    let payment = Evm::pays(PAYEE, ETHER);
    let claims = [json!({}), json!({"description": "x"}), json!({"to": PAYEE, "amount_human": "1 ETH"})];
    let actions: Vec<Value> = claims
        .into_iter()
        .enumerate()
        .map(|(n, details)| claiming(&format!("a{n}"), &payment, details))
        .collect();
    let world = world(json!(actions)).await;
    world.say("go").await;
    let (mut digests, mut shown) = (Vec::new(), Vec::new());
    for _ in 0..3 {
        let prompt = world.prompts().await[0].clone();
        let bundle = world.get(&format!("/api/bundles/{}", prompt["callId"].as_str().unwrap())).await;
        assert_eq!(
            (&bundle["shown"], bundle["shown"].as_str().map(str::len)),
            (&prompt["subject"], Some(64))
        );
        digests.push(bundle["digest"].clone());
        shown.extend([prompt["digest"].to_string(), prompt["subject"].to_string()]);
        world.answer(json!({"approve": false})).await;
    }
    assert!(digests.iter().all(|digest| *digest == digests[0] && digest.as_str().unwrap().len() == 64));
    shown.sort();
    shown.dedup();
    assert_eq!(shown.len(), 6, "what is shown differs: the claims are shown");
}

/// T000-38, D3: `skip_approval` under its three settings. The password is required in every case, though the vault is
/// unlocked.
#[tokio::test(start_paused = true)]
async fn skip_approval_still_requires_the_password() {
    let skipping = |id: &str, amount| {
        let mut action = bundle(id, json!([Evm::pays(PAYEE, amount).step("s0", 0)]));
        action["params"]["skip_approval"] = json!(true);
        action
    };
    let world = world(json!([pay("a1"), skipping("a2", ETHER), skipping("a3", ETHER + 1)])).await;
    // Not mined yet, so that the same bytes can be sent again.
    Chains::mined_manually().serve(&world);
    world.unlock(PASSWORD).await;
    world.say("go").await;
    // No approval exists yet: the first bundle is prompted for and signed; the vault is unlocked.
    approve(&world).await;
    assert_eq!(world.results().len(), 1);
    // The same bytes: only the password is required.
    assert_eq!(kinds(&world).await, ["password_required"]);
    assert_eq!(world.prompts().await[0]["why"], "approval_skipped");
    submit_password(&world, PASSWORD).await;
    // Different bytes.
    assert_eq!(kinds(&world).await, ["tx_bundle_approval"]);
    approve(&world).await;
    let [first, again, other] = world.results().try_into().expect("three results");
    assert!(is_sent(&first) && is_sent(&again));
    assert_eq!(again["data"]["transactions"][0]["tx_hash"], first["data"]["transactions"][0]["tx_hash"]);
    // A chain accepts one of two transactions with the same nonce.
    let refused = "broadcast_rejected: replacement transaction underpriced";
    assert_eq!(other["error"], refused);
}

/// D3: consent to identical bytes is valid for ten minutes.
#[tokio::test(start_paused = true)]
async fn consent_expires_after_ten_minutes() {
    for (wait, asked) in [(9 * 60_000, "password_required"), (10 * 60_000 + 1, "tx_bundle_approval")] {
        let mut again = with(pay("a1"), "id", json!("a2"));
        again["params"]["skip_approval"] = json!(true);
        let world = World::scripted(vec![
            turn(when_said("first"), json!([pay("a1")])),
            turn(when_said("again"), json!([again])),
        ])
        .await;
        world.make_vault(PASSWORD).await;
        Chains::mined_manually().serve(&world);
        world.say("first").await;
        approve(&world).await;
        submit_password(&world, PASSWORD).await;
        world.pass(wait).await;
        world.say("again").await;
        assert_eq!(kinds(&world).await, [asked]);
    }
}

/// D3: `always` honours the agent's `skip_approval` unless there is a risk; `never` honours none.
#[tokio::test(start_paused = true)]
async fn skip_approval_settings() {
    let skipping = |transaction: &Evm| {
        let mut action = bundle("a1", json!([transaction.step("s0", 0)]));
        action["params"]["skip_approval"] = json!(true);
        json!([action])
    };
    let known = Evm::pays(PAYEE, ETHER);
    let risky = Evm::approves(USDC, PAYEE, None);
    let cases = [
        ("always", &known, "password_required"),
        ("always", &risky, "tx_bundle_approval"),
        ("never", &known, "tx_bundle_approval"),
        ("confirmed", &known, "tx_bundle_approval"),
    ];
    for (setting, transaction, asked) in cases {
        let world = world(skipping(transaction)).await;
        world.save(&[("Payee", PAYEE, "Ethereum")]).await;
        let patch = json!({"skipApproval": setting, "password": PASSWORD});
        assert_eq!(world.call("PATCH", "/api/settings", patch).await.0, 200);
        world.say("go").await;
        assert_eq!(kinds(&world).await, [asked], "{setting}");
    }
}

/// Of two concurrent answers one counts, and the other gets an error. Stale, repeated and forged answers are refused.
#[tokio::test(start_paused = true)]
async fn only_one_answer_counts() {
    let world = world(json!([pay("a1")])).await;
    world.say("go").await;
    let prompt = world.prompts().await[0].clone();
    let target = format!("/api/prompts/{}", prompt["id"].as_str().unwrap());
    let stale = world.call("POST", &target, json!({"approve": true, "digest": "00"})).await;
    assert_eq!((stale.0, &stale.1["error"]["code"]), (409, &json!("stale_answer")));
    let other = with(prompt.clone(), "id", json!("019b0000-0000-7000-8000-000000000000"));
    let forged = world.answer_prompt(&other, json!({"approve": true})).await;
    assert_eq!((forged.0, &forged.1["error"]["code"]), (404, &json!("prompt_not_found")));
    let (one, other) = tokio::join!(
        world.answer_prompt(&prompt, json!({"approve": true})),
        world.answer_prompt(&prompt, json!({"approve": false}))
    );
    let mut statuses = [one.0, other.0];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409]);
    let late = world.answer_prompt(&prompt, json!({"approve": true})).await;
    assert_eq!((late.0, &late.1["error"]["code"]), (409, &json!("already_answered")));
    assert_ne!(world.get(&target).await["outcome"], Value::Null);
}

/// An unanswered approval ends the bundle as refused when the prompt expires.
#[tokio::test(start_paused = true)]
async fn unanswered_approval_expires() {
    let world = world(json!([pay("a1")])).await;
    world.say("go").await;
    world.pass(10 * 60_000 + 1).await;
    assert_eq!(error_of(&world.results()), "consent_expired: no answer in time");
    assert_eq!(world.prompts().await, [] as [Value; 0]);
}

/// An approval spends from the daily limit in the same commit: two bundles that fit one by one do not both fit, even
/// if both were prompted for before either was approved.
#[tokio::test(start_paused = true)]
async fn approvals_share_the_daily_limit() {
    let world = World::new().await;
    world.make_vault(PASSWORD).await;
    let limit = json!({"id": "l1", "who": {"kind": "anybody"}, "chain": "Ethereum", "token": null,
        "perTransaction": null, "perDay": (ETHER + ETHER / 2).to_string()});
    assert_eq!(world.call("PUT", "/api/policy", json!({"limits": [limit]})).await.0, 200);
    for id in ["a1", "a2"] {
        let body = json!({"actions": [pay(id)]});
        assert_eq!(world.call("POST", "/api/actions?wait=false", body).await.0, 202);
    }
    world.settle().await;
    let prompts = world.prompts().await;
    assert_eq!(prompts.len(), 2);
    for prompt in &prompts {
        assert_eq!(world.answer_prompt(prompt, json!({"approve": true})).await.0, 200);
    }
    world.settle().await;
    let second = world.get(&format!("/api/calls/{}", prompts[1]["callId"].as_str().unwrap())).await;
    let error = second["state"]["result"]["error"].as_str().unwrap();
    assert!(error.starts_with("over_daily_limit: "), "{error}");
    assert_eq!(kinds(&world).await, ["password_required"]);
}

/// The kill switch stops bundles that are approved and not yet signed: their questions are refused.
#[tokio::test(start_paused = true)]
async fn kill_switch_stops_approved_bundles() {
    let world = world(json!([pay("a1"), pay("a2")])).await;
    world.say("go").await;
    approve(&world).await;
    assert_eq!(kinds(&world).await, ["password_required"]);
    assert_eq!(world.call("PUT", "/api/policy", json!({"killSwitch": true})).await.0, 200);
    world.settle().await;
    assert_eq!(kinds(&world).await, [] as [&str; 0]);
    let errors: Vec<Value> = world.results().iter().map(|result| result["error"].clone()).collect();
    assert_eq!(errors.len(), 2);
    assert!(errors.iter().all(|error| error.as_str().unwrap().starts_with("kill_switch: ")), "{errors:?}");
}

/// T000-19, T000-24, T000-26, T000-31, T000-33: a bundle with an invalid step is refused as a whole without a prompt;
/// so is a bundle for a vault that cannot sign.
#[tokio::test(start_paused = true)]
async fn invalid_bundles_are_refused_without_a_prompt() {
    let good = Evm::pays(PAYEE, 1).step("s0", 0);
    let context = |name: &str, value: Value| {
        let mut step = good.clone();
        step["chain_context"][name] = value;
        step
    };
    let cases = [
        (json!([]), "invalid_params: /transactions must have at least one step"),
        (json!([with(good.clone(), "chain", json!("Narnia"))]), "unknown_chain: \"Narnia\""),
        (
            json!([with(good.clone(), "signing_mode", json!("eddsa_ed25519"))]),
            "signing_mode_mismatch: step 0: ",
        ),
        (json!([context("chain_id", json!("0x2"))]), "chain_mismatch: step 0: "),
        (json!([context("tx_type", json!("legacy"))]), "tx_type_mismatch: step 0: "),
        (json!([with(good.clone(), "chain", json!("Base"))]), "chain_mismatch: step 0: "),
        (
            json!([
                good.clone(),
                with(Evm::pays(PAYEE, 1).step("s1", 9), "unsigned_tx_hex", json!("0x02c0"))
            ]),
            "malformed: step 9: ",
        ),
    ];
    for (steps, error) in cases {
        let world = world(json!([bundle("a1", steps)])).await;
        world.say("go").await;
        assert!(error_of(&world.results()).starts_with(error), "{error}: {:?}", world.results());
        assert_eq!((world.prompts().await, world.browser.notified()), (vec![], vec![]));
    }
    let world = World::proposing(json!([pay("a1")])).await;
    world.say("go").await;
    assert!(error_of(&world.results()).starts_with("no_vault: "));
    let world = World::proposing(json!([pay("a1")])).await.with_vault().await;
    world.say("go").await;
    assert!(error_of(&world.results()).starts_with("watch_only: "));
}

/// D17: a bundle that is refused or rejected has its data beside its error: by the user, by expiry, by the policy, by
/// the kill switch, and when the password is refused before the first step.
#[tokio::test(start_paused = true)]
async fn refused_bundle_has_its_data() {
    let data = json!({"transactions": [], "bundle_success": false});
    let refused = |world: &World, code: &str| {
        let results = world.results();
        assert!(error_of(&results).starts_with(code), "{results:?}");
        assert_eq!(results.last().map(|result| &result["data"]), Some(&data), "{code}");
    };
    let rejected = world(json!([pay("a1")])).await;
    rejected.say("go").await;
    rejected.answer(json!({"approve": false})).await;
    rejected.pass(1_000).await;
    refused(&rejected, "rejected_by_user");
    let expired = world(json!([pay("a1")])).await;
    expired.say("go").await;
    expired.pass(11 * 60_000).await;
    refused(&expired, "consent_expired");
    let no_password = world(json!([pay("a1")])).await;
    no_password.say("go").await;
    approve(&no_password).await;
    no_password.answer(json!({"approve": false})).await;
    no_password.pass(1_000).await;
    refused(&no_password, "rejected_by_user");
    let contradicted =
        world(json!([claiming("a1", &Evm::pays(PAYEE, ETHER), json!({"to": STRANGER}))])).await;
    contradicted.say("go").await;
    refused(&contradicted, "contradiction");
}
