//! What loosens the rules or the settings needs the password of the active vault; what tightens them needs none.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test fails by panicking")]

use countersign_tests::world::*;
use runtime::store::Table;
use serde_json::{Value, json};

const PASSWORD: &str = "correct horse battery";
const NODE: &str = "https://node.example";
const HOST: &str = "api.example";

/// A world with a vault that has a password, and rules and settings that can be loosened.
async fn guarded() -> World {
    let world = World::proposing(json!([without(save_entry("a1", "Alice"), "auto_execute")])).await;
    world.browser.use_fast_signer();
    assert_eq!(world.call("PUT", "/api/policy", rules()).await.0, 200);
    let nodes = json!({"Ethereum": {"url": NODE, "others": ["https://second.example"]}});
    let settings = json!({"endpoints": nodes, "allowedHosts": [HOST]});
    assert_eq!(world.call("PATCH", "/api/settings", settings).await.0, 200);
    world.make_vault(PASSWORD).await;
    world
}

fn rules() -> Value {
    let limit = json!({"id": "l1", "who": {"kind": "anybody"}, "chain": "Ethereum", "token": null,
        "perTransaction": "10", "perDay": "100"});
    let denial = json!({"tool": "add_address_book", "who": {"kind": "dapp", "origin": "https://a.example"},
        "decision": {"kind": "deny"}});
    json!({"killSwitch": false, "limits": [limit], "recipients": [{"chain": "Ethereum", "address": ALICE}],
        "contracts": [], "tools": [denial]})
}

/// The rules with one part replaced, named by its JSON pointer.
fn changed(pointer: &str, value: Value) -> Value {
    let mut rules = rules();
    *rules.pointer_mut(pointer).unwrap() = value;
    rules
}

fn with_password(body: &Value, password: &str) -> Value {
    with(body.clone(), "password", json!(password))
}

/// The code and the path of a refusal.
fn refusal((status, body): &(u16, Value)) -> (u16, String, String) {
    let text = |name: &str| body["error"][name].as_str().unwrap_or_default().to_owned();
    (*status, text("code"), text("path"))
}

fn needed(path: &str) -> (u16, String, String) {
    (403, "password_required".to_owned(), path.to_owned())
}

/// Every way to loosen the rules is refused without the password, names its place and changes nothing; with it, it is
/// done.
#[tokio::test(start_paused = true)]
async fn loosening_the_rules_needs_the_password() {
    let permission = json!({"tool": "add_address_book", "who": {"kind": "agent"}, "decision": {"kind": "allow", "perDay": 1, "until": null}});
    let loosened = [
        (changed("/limits", json!([])), "/limits"),
        (changed("/limits/0/perTransaction", json!("11")), "/limits/0/perTransaction"),
        (changed("/limits/0/perDay", Value::Null), "/limits/0/perDay"),
        (changed("/limits/0/who", json!({"kind": "agent"})), "/limits/0/who"),
        (changed("/recipients", Value::Null), "/recipients"),
        (changed("/contracts", json!([{"chain": "Ethereum", "address": BOB}])), "/contracts/0"),
        (changed("/tools", json!([])), "/tools"),
        (changed("/tools/0", permission), "/tools"),
    ];
    for (rules, path) in loosened {
        let world = guarded().await;
        let before = world.records().await;
        let answer = world.call("PUT", "/api/policy", rules.clone()).await;
        assert_eq!(refusal(&answer), needed(path));
        let message = answer.1["error"]["message"].as_str().unwrap();
        assert!(message.starts_with("this ") && message.contains("“Signer”"), "{message}");
        assert_eq!(refusal(&world.call("PUT", "/api/policy", with_password(&rules, "")).await), needed(path));
        assert_eq!(world.records().await, before);
        assert_eq!(world.call("PUT", "/api/policy", with_password(&rules, PASSWORD)).await, (200, rules));
    }
}

/// Tightening needs no password, and no signer to check one: stopping everything must always work. Allowing again is
/// loosening.
#[tokio::test(start_paused = true)]
async fn tightening_the_rules_needs_nothing() {
    let world = guarded().await;
    world.browser.set_signer_unavailable(true);
    let mut stopped = rules();
    for (part, value) in
        [("/limits/0/perDay", json!("99")), ("/recipients", json!([])), ("/killSwitch", json!(true))]
    {
        *stopped.pointer_mut(part).unwrap() = value;
        assert_eq!(world.call("PUT", "/api/policy", stopped.clone()).await, (200, stopped.clone()));
    }
    let again = with(stopped, "killSwitch", json!(false));
    assert_eq!(refusal(&world.call("PUT", "/api/policy", again.clone()).await), needed("/killSwitch"));
    let unchecked = world.call("PUT", "/api/policy", with_password(&again, PASSWORD)).await;
    assert_eq!((unchecked.0, &unchecked.1["error"]["code"]), (503, &json!("signer_unavailable")));
    world.browser.set_signer_unavailable(false);
    assert_eq!(world.call("PUT", "/api/policy", with_password(&again, PASSWORD)).await.0, 200);
}

/// The same for every setting.
#[tokio::test(start_paused = true)]
async fn loosening_the_settings_needs_the_password() {
    let endpoint = |endpoint: Value| json!({"endpoints": {"Ethereum": endpoint}});
    let loosened = [
        (json!({"skipApproval": "always"}), "/skipApproval"),
        (json!({"autoLockMinutes": 16}), "/autoLockMinutes"),
        (json!({"backend": {"url": OTHER_URL}}), "/backend/url"),
        (json!({"backend": {"url": OTHER_URL, "token": "t"}}), "/backend/url"),
        (endpoint(json!({"url": "https://x.example"})), "/endpoints/Ethereum/url"),
        (endpoint(json!({"url": NODE, "others": ["https://x.example"]})), "/endpoints/Ethereum/others/0"),
        (endpoint(json!({"url": NODE, "statusUrl": "https://x.example"})), "/endpoints/Ethereum/statusUrl"),
        (json!({"endpoints": {"Zcash": {"url": "", "rpcUrl": NODE}}}), "/endpoints/Zcash/rpcUrl"),
        (json!({"endpoints": {"Base": {"url": NODE}}}), "/endpoints/Base/url"),
        (json!({"autoLockMinutes": 5, "skipApproval": "always"}), "/skipApproval"),
        (json!({"allowedHosts": [HOST, "x.example"]}), "/allowedHosts/1"),
    ];
    let world = guarded().await;
    let before = (world.records().await, world.browser.secrets());
    for (patch, path) in &loosened {
        let answer = world.call("PATCH", "/api/settings", patch.clone()).await;
        assert_eq!(refusal(&answer), needed(path), "{patch}");
    }
    assert_eq!((world.records().await, world.browser.secrets()), before, "nothing of any patch is kept");
    for (patch, _) in loosened {
        let world = guarded().await;
        let answer = world.call("PATCH", "/api/settings", with_password(&patch, PASSWORD)).await;
        assert_eq!(answer.0, 200, "{patch}: {}", answer.1);
        assert!(!answer.1.to_string().contains(PASSWORD));
    }
}

#[tokio::test(start_paused = true)]
async fn tightening_the_settings_needs_nothing() {
    let world = guarded().await;
    world.browser.set_signer_unavailable(true);
    for patch in [
        json!({"skipApproval": "never"}),
        json!({"autoLockMinutes": 14}),
        json!({"backend": {"url": URL, "token": "for-the-same-backend"}}),
        json!({"backend": {"token": null}}),
        json!({"endpoints": {"Ethereum": {"url": "https://second.example", "others": [NODE]}}}),
        json!({"endpoints": {"Ethereum": {"url": NODE}}}),
        json!({"endpoints": {"Ethereum": null}}),
        json!({"allowedHosts": [HOST, HOST]}),
        json!({"allowedHosts": []}),
        json!({"backend": {"url": ""}}),
    ] {
        assert_eq!(world.call("PATCH", "/api/settings", patch.clone()).await.0, 200, "{patch}");
    }
    let back = json!({"backend": {"url": URL}});
    assert_eq!(refusal(&world.call("PATCH", "/api/settings", back).await), needed("/backend/url"));
}

/// A wrong password is refused and counted as at an unlock: one count, one wait, for all routes.
#[tokio::test(start_paused = true)]
async fn wrong_passwords_count_as_at_an_unlock() {
    let world = guarded().await;
    let loosened = changed("/limits", json!([]));
    let patch = json!({"skipApproval": "always"});
    let wrong = (403, "wrong_password".to_owned(), "/password".to_owned());
    let tried = world.call("PUT", "/api/policy", with_password(&loosened, "guess one")).await;
    assert_eq!(refusal(&tried), wrong);
    let tried = world.call("PATCH", "/api/settings", with_password(&patch, "guess two")).await;
    assert_eq!(refusal(&tried), wrong);
    let unlock = json!({"password": "guess three"});
    let tried = world.call("POST", "/api/vaults/active/unlock", unlock).await;
    assert_eq!((refusal(&tried), &tried.1["error"]["retryAfterMillis"]), (wrong, &json!(1_000)));
    let soon = world.call("PUT", "/api/policy", with_password(&loosened, PASSWORD)).await;
    assert_eq!((soon.0, &soon.1["error"]["code"]), (429, &json!("too_many_attempts")));
    assert_eq!(world.get("/api/policy").await, rules());
    world.pass(1_000).await;
    assert_eq!(world.call("PUT", "/api/policy", with_password(&loosened, PASSWORD)).await.0, 200);
    assert_eq!(
        world.table(Table::Counters).await.iter().filter(|row| row.key.starts_with("attempts")).count(),
        0
    );
    let bad = world.call("PUT", "/api/policy", with(rules(), "password", json!(7))).await;
    assert_eq!(refusal(&bad), (400, "invalid_request".to_owned(), "/password".to_owned()));
}

/// Until there is a password there is nothing to guard. A watch-only vault has none; activating one takes no guard away.
#[tokio::test(start_paused = true)]
async fn only_a_vault_with_a_password_guards() {
    let loosened = changed("/limits", json!([]));
    let world = World::new().await;
    assert_eq!(world.call("PUT", "/api/policy", rules()).await.0, 200);
    assert_eq!(world.call("PUT", "/api/policy", loosened.clone()).await.0, 200, "no vault");
    world.use_vault(0).await;
    assert_eq!(world.call("PUT", "/api/policy", rules()).await.0, 200);
    assert_eq!(world.call("PUT", "/api/policy", loosened.clone()).await.0, 200, "a watch-only vault");

    let world = guarded().await;
    world.use_vault(0).await;
    assert_eq!(refusal(&world.call("PUT", "/api/policy", loosened.clone()).await), needed("/limits"));
    assert_eq!(world.call("PUT", "/api/policy", with_password(&loosened, PASSWORD)).await.0, 200);
}

/// Allowing a tool for good in the answer to a prompt is loosening too; denying it is not.
#[tokio::test(start_paused = true)]
async fn always_allow_needs_the_password() {
    let world = guarded().await;
    world.say("go").await;
    let prompt = world.prompts().await[0].clone();
    let allow = json!({"approve": true, "remember": {"kind": "allow", "perDay": 2, "until": null}});
    let before = world.records().await;
    assert_eq!(refusal(&world.answer_prompt(&prompt, allow.clone()).await), needed("/remember"));
    assert_eq!(world.records().await, before, "the prompt is open, and nothing was done");
    let wrong = world.answer_prompt(&prompt, with_password(&allow, "a guess")).await;
    assert_eq!(refusal(&wrong), (403, "wrong_password".to_owned(), "/password".to_owned()));
    assert_eq!((world.prompts().await.len(), world.get("/api/policy").await), (1, rules()));
    let (status, answered) = world.answer(with_password(&allow, PASSWORD)).await;
    assert_eq!((status, &answered["outcome"]), (200, &json!("approved")));
    assert_eq!(world.get("/api/policy").await["tools"].as_array().unwrap().len(), 2);
    assert_eq!(world.results()[0]["success"], true);

    let world = guarded().await;
    world.say("go").await;
    let deny = json!({"approve": false, "remember": {"kind": "deny"}});
    assert_eq!(world.answer(deny).await.0, 200);
}

/// Two loosening changes at once are both made, each with one check of its password; and neither the right password nor a
/// wrong one is in any record.
#[tokio::test(start_paused = true)]
async fn concurrent_changes_are_both_made() {
    let world = guarded().await;
    let (first, second) = tokio::join!(
        world.call("PATCH", "/api/settings", with_password(&json!({"skipApproval": "always"}), PASSWORD)),
        world.call("PATCH", "/api/settings", with_password(&json!({"autoLockMinutes": 60}), PASSWORD)),
    );
    assert_eq!((first.0, second.0), (200, 200));
    let settings = world.get("/api/settings").await;
    assert_eq!((&settings["skipApproval"], &settings["autoLockMinutes"]), (&json!("always"), &json!(60)));
    world
        .call("PATCH", "/api/settings", with_password(&json!({"autoLockMinutes": 61}), "Sorrel-Badger"))
        .await;
    // The stub's container holds its password.
    let mut records = world.records().await;
    records.remove("vaults");
    let kept = format!("{records:?}{:?}", world.browser.secrets());
    assert!(!kept.contains(PASSWORD) && !kept.contains("Sorrel-Badger"));
}
