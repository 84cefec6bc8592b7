//! Passwords and locks: the delay after wrong passwords, how long a vault stays unlocked and for which calls, and
//! that no secret is stored readably.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test fails by panicking")]

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use countersign_tests::world::*;
use runtime::ports::Presence;
use runtime::store::{Batch, Durability, Table};
use runtime::vault::Scope;
use serde_json::{Value, json};
use std::time::Duration;
use wire::secret::SecretText;
use wire::signer::Opened;
use wire::vault::Vault;

const PASSWORD: &str = "correct horse battery";
const MINUTE: u64 = 60_000;

/// A world with a vault of random keys, and the vault's id.
async fn with_local() -> (World, String) {
    let world = World::new().await;
    let body = json!({"kind": "local", "name": "Main", "password": PASSWORD});
    let (status, view) = world.call("POST", "/api/vaults", body).await;
    assert_eq!(status, 201, "{view}");
    (world, view["id"].as_str().unwrap().to_owned())
}

async fn post(world: &World, verb: &str, body: Value) -> (u16, Value) {
    world.call("POST", &format!("/api/vaults/active/{verb}"), body).await
}

async fn unlock(world: &World, password: &str, minutes: u64) -> (u16, Value) {
    post(world, "unlock", json!({"password": password, "minutes": minutes})).await
}

/// The answer to a password: status, code, and the delay before the next attempt.
async fn try_password(world: &World, password: &str) -> (u16, Value, Value) {
    let (status, body) = unlock(world, password, 1).await;
    let error = &body["error"];
    (status, error["code"].clone(), error["retryAfterMillis"].clone())
}

fn wrong_password(wait: Value) -> (u16, Value, Value) {
    (403, json!("wrong_password"), wait)
}

fn too_soon(wait: u64) -> (u16, Value, Value) {
    (429, json!("too_many_attempts"), json!(wait))
}

const RIGHT: (u16, Value, Value) = (200, Value::Null, Value::Null);

/// Until when the vault is unlocked, as pages see it.
async fn unlocked_until(world: &World) -> Value {
    world.get("/api/vaults").await["vaults"][0]["unlockedUntil"].clone()
}

async fn opened(world: &World, vault: &str, call: Option<&str>, fresh_only: bool) -> Option<Opened> {
    let core = world.core();
    world.run(core.vaults.opened(vault, call, fresh_only)).await.unwrap()
}

/// Whether the returned copy and key belong together.
fn is_consistent(opened: &Opened) -> bool {
    let key: [u8; 32] = STANDARD.decode(opened.key.expose()).unwrap().try_into().unwrap();
    let (binding, sealed) = (opened.binding.as_bytes(), opened.sealed.expose());
    vault::seal::open_with_key(&key.into(), binding, sealed).is_ok()
}

/// Unlocks the vault for a call, as an answered prompt does.
async fn unlock_for_call(world: &World, call: &str) {
    let vault: Vault = serde_json::from_str(&world.table(Table::Vaults).await[0].text).unwrap();
    let (core, password) = (world.core(), SecretText::new(PASSWORD.to_owned()));
    let mut batch = Batch::new(Durability::Strict);
    let opening = core.vaults.open(vault.id(), &password, Scope::Call(call), &mut batch);
    let replaced = world.run(opening).await.unwrap();
    world.commit(batch).await;
    world.run(core.vaults.forget(replaced)).await;
}

/// From the third wrong password on there is a delay that doubles, also for the right password; restarting the worker
/// or the browser does not shorten it, and a right password resets it.
#[tokio::test(start_paused = true)]
async fn wrong_passwords_are_delayed() {
    let (world, _) = with_local().await;
    for wait in [Value::Null, Value::Null, json!(1_000)] {
        assert_eq!(try_password(&world, "wrong").await, wrong_password(wait));
    }
    assert_eq!(try_password(&world, PASSWORD).await, too_soon(1_000));
    world.pass(400).await;
    world.restart().await;
    assert_eq!(try_password(&world, PASSWORD).await, too_soon(1_000), "a new worker waits anew");
    world.pass(1_000).await;
    assert_eq!(try_password(&world, "wrong").await, wrong_password(json!(2_000)));
    world.reopen().await;
    assert_eq!(try_password(&world, PASSWORD).await, too_soon(2_000));
    // One counter for every route that takes the password.
    let both = json!({"password": "wrong", "newPassword": "another password"});
    for (verb, body) in [("export", json!({"password": PASSWORD})), ("password", both.clone())] {
        assert_eq!(post(&world, verb, body).await.0, 429, "{verb}");
    }
    world.pass(2_000).await;
    assert_eq!(post(&world, "password", both).await.1["error"]["retryAfterMillis"], 4_000);
    assert_eq!(world.call("DELETE", "/api/vaults/active", json!({"password": PASSWORD})).await.0, 429);
    world.pass(4_000).await;
    assert_eq!(try_password(&world, PASSWORD).await, RIGHT);
    assert_eq!(try_password(&world, "wrong").await, wrong_password(Value::Null));
}

/// The wait is not measured by the clock: setting it back or forward, by any amount and as often as one likes, neither
/// shortens nor lengthens it. A worker that starts anew waits anew.
#[tokio::test(start_paused = true)]
async fn setting_the_clock_changes_no_delay() {
    const HOUR: i64 = 3_600_000;
    for by in [-24 * HOUR, -HOUR, -61_000, -500, 500, 61_000, HOUR, 24 * HOUR] {
        let world = World::new().await;
        world.browser.use_fast_signer();
        world.make_vault(PASSWORD).await;
        for _ in 0..4 {
            try_password(&world, "wrong").await;
            world.pass(1_000).await;
        }
        assert_eq!(try_password(&world, PASSWORD).await, too_soon(1_000), "{by}");
        world.browser.set_clock(by);
        assert_eq!(try_password(&world, PASSWORD).await, too_soon(1_000), "{by}");
        world.pass(400).await;
        world.browser.set_clock(-2 * by);
        assert_eq!(try_password(&world, PASSWORD).await, too_soon(600), "{by}");
        world.restart().await;
        assert_eq!(try_password(&world, PASSWORD).await, too_soon(2_000), "{by}");
        world.browser.set_clock(by);
        world.pass(1_999).await;
        assert_eq!(try_password(&world, PASSWORD).await, too_soon(1), "{by}");
        world.pass(1).await;
        assert_eq!(try_password(&world, PASSWORD).await, RIGHT, "{by}");
    }
}

/// The worker is kept alive until the wait is over, or it would be stopped as idle and wait anew, for ever.
#[tokio::test(start_paused = true)]
async fn worker_lives_through_the_delay() {
    let (world, _) = with_local().await;
    for _ in 0..3 {
        try_password(&world, "wrong").await;
    }
    assert_eq!(world.work().await, json!(["password wait"]));
    world.pass(1_001).await;
    assert_eq!((world.work().await, world.browser.keep_alive().last()), (json!([]), Some(&false)));
}

/// The screen is locked, or nothing was typed for as long as a vault stays open: open vaults are locked, and pages are told.
/// A password that was given for one call stays for that call.
#[tokio::test(start_paused = true)]
async fn absent_user_locks() {
    let (world, vault) = with_local().await;
    let core = world.core();
    for presence in [Presence::Idle, Presence::Locked] {
        unlock(&world, PASSWORD, 240).await;
        unlock_for_call(&world, "c1").await;
        world.run(core.presence_changed(Presence::Active)).await.unwrap();
        assert!(opened(&world, &vault, None, false).await.is_some());
        let seen = world.events().await.len();
        world.run(core.presence_changed(presence)).await.unwrap();
        assert_eq!(unlocked_until(&world).await, Value::Null, "{presence:?}");
        assert!(opened(&world, &vault, None, false).await.is_none());
        assert!(opened(&world, &vault, Some("c1"), true).await.is_some());
        assert_eq!((world.browser.secrets().len(), world.table(Table::Unlocks).await.len()), (1, 1));
        let told = world.events().await.split_off(seen);
        assert_eq!(told.iter().map(|event| event.name.as_str()).collect::<Vec<_>>(), ["vaultModified"]);
    }
    // Nothing is open: nothing happens.
    let before = world.records().await;
    world.run(core.presence_changed(Presence::Locked)).await.unwrap();
    assert_eq!(world.records().await, before);
}

/// The browser is told how long an absence must be: at a start, and when the setting changes. Chrome tells no absence
/// from a longer one beyond four hours, so there only a locked screen counts.
#[tokio::test(start_paused = true)]
async fn absence_is_as_long_as_the_setting() {
    let (world, vault) = with_local().await;
    assert_eq!(world.browser.watches_presence(), 15 * 60);
    for (minutes, idle_locks) in [(1, true), (240, true), (241, false), (1_440, false)] {
        let patch = json!({"autoLockMinutes": minutes, "password": PASSWORD});
        assert_eq!(world.call("PATCH", "/api/settings", patch).await.0, 200);
        assert_eq!(world.browser.watches_presence(), minutes * 60);
        unlock(&world, PASSWORD, 1_440).await;
        world.run(world.core().presence_changed(Presence::Idle)).await.unwrap();
        assert_eq!(opened(&world, &vault, None, false).await.is_none(), idle_locks, "{minutes}");
        world.run(world.core().presence_changed(Presence::Locked)).await.unwrap();
        assert!(opened(&world, &vault, None, false).await.is_none());
    }
    world.restart().await;
    assert_eq!(world.browser.watches_presence(), 1_440 * 60);
}

/// The worker died before it was told, or while it locked: the next start asks the browser.
#[tokio::test(start_paused = true)]
async fn missed_absence_is_noticed_at_the_next_start() {
    let (world, vault) = with_local().await;
    unlock(&world, PASSWORD, 60).await;
    world.restart().await;
    assert!(opened(&world, &vault, None, false).await.is_some(), "the user is there");
    world.browser.set_presence(Presence::Locked);
    world.restart().await;
    assert!(opened(&world, &vault, None, false).await.is_none());
    assert!(world.browser.secrets().is_empty() && world.table(Table::Unlocks).await.is_empty());

    for steps in 0.. {
        world.browser.set_presence(Presence::Active);
        unlock(&world, PASSWORD, 60).await;
        let core = world.core();
        let lived = tokio::select! {
            biased;
            _ = world.run(core.presence_changed(Presence::Locked)) => true,
            () = async { for _ in 0..steps { tokio::task::yield_now().await } } => false,
        };
        world.browser.set_presence(Presence::Locked);
        world.restart().await;
        assert_eq!(unlocked_until(&world).await, Value::Null, "after {steps} steps");
        assert!(world.browser.secrets().is_empty(), "after {steps} steps");
        if lived {
            assert!(steps > 2, "it was interrupted");
            break;
        }
    }
}

/// Concurrent attempts are checked one after the other: no more of them than sequential ones.
#[tokio::test(start_paused = true)]
async fn concurrent_guesses_are_counted() {
    let (world, _) = with_local().await;
    let guess = || try_password(&world, "wrong");
    let answers = tokio::join!(guess(), guess(), guess(), guess(), guess());
    let mut found: Vec<u16> = vec![answers.0.0, answers.1.0, answers.2.0, answers.3.0, answers.4.0];
    found.sort_unstable();
    assert_eq!(found, [403, 403, 403, 429, 429]);
}

/// An unlocked vault locks itself: by the alarm, with or without a running worker, and by the clock if the alarm is
/// late. Use does not extend the time.
#[tokio::test(start_paused = true)]
async fn vault_locks_itself() {
    let (world, vault) = with_local().await;
    let until = world.browser.now() + 2 * MINUTE;
    assert_eq!(unlock(&world, PASSWORD, 2).await.1["unlockedUntil"], until);
    assert_eq!(world.browser.alarm(), Some(until));
    world.pass(MINUTE).await;
    world.restart().await;
    assert!(is_consistent(&opened(&world, &vault, None, false).await.unwrap()));
    assert_eq!((unlocked_until(&world).await, world.browser.alarm()), (json!(until), Some(until)));
    let seen = world.events().await.len();
    world.pass(MINUTE).await;
    assert_eq!(unlocked_until(&world).await, Value::Null);
    assert!(world.browser.secrets().is_empty() && world.table(Table::Unlocks).await.is_empty());
    let received: Vec<String> =
        world.events().await.split_off(seen).into_iter().map(|event| event.name).collect();
    assert_eq!((received, world.browser.alarm()), (vec!["vaultModified".to_owned()], None));

    unlock(&world, PASSWORD, 1).await;
    tokio::time::advance(Duration::from_millis(MINUTE - 1)).await;
    assert!(opened(&world, &vault, None, false).await.is_some());
    tokio::time::advance(Duration::from_millis(1)).await;
    assert!(opened(&world, &vault, None, false).await.is_none());
    assert_eq!(unlocked_until(&world).await, Value::Null);
}

/// A record that cannot be read opens nothing, and its deadline does not ring again and again.
#[tokio::test(start_paused = true)]
async fn damaged_unlock_rings_once() {
    let (world, vault) = with_local().await;
    unlock(&world, PASSWORD, 5).await;
    world.write(Table::Unlocks, &vault, "damaged").await;
    world.restart().await;
    assert_eq!(unlocked_until(&world).await, Value::Null);
    world.pass(6 * MINUTE).await;
    assert_eq!((world.table(Table::Deadlines).await, world.browser.alarm()), (vec![], None));
    assert_eq!(unlock(&world, PASSWORD, 5).await.0, 200, "it can be unlocked again");
}

/// Closing the browser locks the vaults; a restart of the worker does not.
#[tokio::test(start_paused = true)]
async fn closing_the_browser_locks() {
    let (world, vault) = with_local().await;
    unlock(&world, PASSWORD, 60).await;
    unlock_for_call(&world, "c1").await;
    world.restart().await;
    assert!(opened(&world, &vault, None, false).await.is_some());
    world.reopen().await;
    assert!(opened(&world, &vault, Some("c1"), false).await.is_none());
    world.settle().await;
    assert_eq!((world.table(Table::Unlocks).await, world.browser.alarm()), (Vec::new(), None));
}

/// A password given for a call unlocks for that call only: until half an hour has passed, the call has ended, or the
/// vault is locked; an unlock for some minutes does not count as one for the call.
#[tokio::test(start_paused = true)]
async fn password_for_one_call() {
    let (world, vault) = with_local().await;
    unlock_for_call(&world, "c1").await;
    assert_eq!(unlocked_until(&world).await, Value::Null);
    let own = opened(&world, &vault, Some("c1"), true).await.unwrap();
    assert!(is_consistent(&own) && own.binding == format!("{vault}/c1"));
    assert!(!is_consistent(&Opened { binding: format!("{vault}/c2"), ..own }));
    for (call, fresh_only) in [(Some("c2"), false), (Some("c"), false), (None, false), (None, true)] {
        assert!(opened(&world, &vault, call, fresh_only).await.is_none(), "{call:?} {fresh_only}");
    }
    unlock(&world, PASSWORD, 60).await;
    assert_eq!(opened(&world, &vault, Some("c2"), false).await.unwrap().binding, vault);
    assert!(opened(&world, &vault, Some("c2"), true).await.is_none());

    let mut batch = Batch::new(Durability::Strict);
    let core = world.core();
    let closed = world.run(core.vaults.close_for_call(&vault, "c1", &mut batch)).await.unwrap();
    world.commit(batch).await;
    world.run(core.vaults.forget(closed)).await;
    assert!(opened(&world, &vault, Some("c1"), true).await.is_none());
    assert_eq!(world.browser.secrets().len(), 1);

    unlock_for_call(&world, "c3").await;
    world.pass(30 * MINUTE).await;
    assert!(opened(&world, &vault, Some("c3"), true).await.is_none());
    unlock_for_call(&world, "c4").await;
    assert_eq!(post(&world, "lock", Value::Null).await.0, 200);
    assert!(opened(&world, &vault, Some("c4"), false).await.is_none());
    assert!(world.browser.secrets().is_empty() && world.table(Table::Unlocks).await.is_empty());
}

/// A new password closes what the old one opened, also for calls.
#[tokio::test(start_paused = true)]
async fn changed_password_closes_the_vault() {
    let (world, vault) = with_local().await;
    unlock(&world, PASSWORD, 60).await;
    unlock_for_call(&world, "c1").await;
    let wrong = json!({"password": "not the password", "newPassword": "another password"});
    assert_eq!(post(&world, "password", wrong).await.0, 403);
    assert!(opened(&world, &vault, Some("c1"), true).await.is_some());
    let change = json!({"password": PASSWORD, "newPassword": "another password"});
    assert_eq!(post(&world, "password", change).await.0, 200);
    assert_eq!(unlocked_until(&world).await, Value::Null);
    assert!(opened(&world, &vault, Some("c1"), false).await.is_none());
    assert!(world.browser.secrets().is_empty() && world.table(Table::Unlocks).await.is_empty());
}

/// Concurrent and repeated unlocks: the stored record always fits the stored copy.
#[tokio::test(start_paused = true)]
async fn concurrent_unlocks() {
    let (world, vault) = with_local().await;
    let (first, second) = tokio::join!(unlock(&world, PASSWORD, 5), unlock(&world, PASSWORD, 7));
    assert_eq!((first.0, second.0), (200, 200));
    assert!(is_consistent(&opened(&world, &vault, None, false).await.unwrap()));
    unlock(&world, PASSWORD, 9).await;
    assert!(is_consistent(&opened(&world, &vault, None, false).await.unwrap()));
    assert_eq!(unlocked_until(&world).await, world.browser.now() + 9 * MINUTE);
    post(&world, "lock", Value::Null).await;
    assert!(opened(&world, &vault, None, false).await.is_none());
}

/// Unlocks for five minutes, unless the worker crashes after this many steps. Returns whether it survived.
async fn unlock_within(world: &World, steps: usize) -> bool {
    let core = world.core();
    let body = json!({"password": PASSWORD, "minutes": 5}).to_string();
    let request = core.handle("POST", "/api/vaults/active/unlock", &body);
    let lived = tokio::select! {
        biased;
        _ = world.run(request) => true,
        () = async { for _ in 0..steps { tokio::task::yield_now().await } } => false,
    };
    world.restart().await;
    lived
}

/// A crash at any point of an unlock, of a locked or an unlocked vault, leaves it unlocked or locked, never with a
/// key that does not fit.
#[tokio::test(start_paused = true)]
async fn crash_leaves_it_unlocked_or_locked() {
    let (world, vault) = with_local().await;
    let mut seen = Vec::new();
    for open in [false, true] {
        for steps in 0.. {
            post(&world, "lock", Value::Null).await;
            if open {
                unlock(&world, PASSWORD, 3).await;
            }
            let lived = unlock_within(&world, steps).await;
            let opened = opened(&world, &vault, None, false).await;
            assert!(opened.as_ref().is_none_or(is_consistent), "open: {open}, after {steps} steps");
            let left =
                unlocked_until(&world).await.as_u64().map(|until| (until - world.browser.now()) / MINUTE);
            seen.push((open, left));
            if lived {
                break;
            }
        }
    }
    seen.dedup();
    let expected = [(false, None), (false, Some(5)), (true, Some(3)), (true, Some(5))];
    assert_eq!(seen, expected);
}

/// The session storage is full: the vault is not unlocked, and is not shown as unlocked.
#[tokio::test(start_paused = true)]
async fn full_session_storage_refuses_to_unlock() {
    let (world, _) = with_local().await;
    world.browser.set_storage_full(true);
    let (status, answer) = unlock(&world, PASSWORD, 5).await;
    assert_eq!((status, &answer["error"]["code"]), (503, &json!("session_full")));
    assert_eq!((unlocked_until(&world).await, world.table(Table::Unlocks).await), (Value::Null, Vec::new()));
    world.browser.set_storage_full(false);
    assert_eq!(unlock(&world, PASSWORD, 5).await.0, 200);
}

/// T000-42: the password, the phrase and the keys are in no record, event, answer or session entry, in no encoding,
/// after every operation and every refusal.
#[tokio::test(start_paused = true)]
async fn secrets_are_never_stored_readably() {
    let world = World::proposing(json!([])).await;
    let (phrase, passphrase) =
        ("legal winner thank year wave sausage worth useful legal winner thank yellow", "Tr0ub4dor&3");
    let key = "5e".repeat(32);
    let (next, mistyped) = ("a password after that", "correct horse batterie");
    let mut seen = Vec::new();
    let of_phrase = json!({"kind": "local", "name": "P", "password": PASSWORD, "mnemonic": phrase, "passphrase": passphrase});
    let keys = json!({"ecdsa": key, "eddsa": key, "chainCode": "ab".repeat(32)});
    for body in [
        of_phrase.clone(),
        of_phrase.clone(),
        with(of_phrase, "mnemonic", json!(format!("{phrase} again"))),
        json!({"kind": "local", "name": "K", "password": PASSWORD, "keys": keys}),
        json!({"kind": "local", "name": "K", "password": PASSWORD, "keys": key}),
        json!({"kind": "local", "name": "K", "password": [PASSWORD], "mnemonic": [phrase]}),
    ] {
        seen.push(world.reply("POST", "/api/vaults", &body.to_string()).await.body);
    }
    for (verb, body) in [
        ("unlock", json!({"password": mistyped})),
        ("unlock", json!({"password": PASSWORD})),
        ("password", json!({"password": PASSWORD, "newPassword": next})),
        ("export", json!({"password": next})),
        // A new password closes the vault.
        ("unlock", json!({"password": next})),
    ] {
        let target = format!("/api/vaults/active/{verb}");
        seen.push(world.reply("POST", &target, &body.to_string()).await.body);
    }
    assert_eq!((world.table(Table::Vaults).await.len(), world.browser.secrets().len()), (2, 1));
    seen.push(format!("{:?}{:?}{:?}", world.records().await, world.events().await, world.browser.secrets()));
    seen.push(format!("{:?}", world.sent()));
    let entropy = "7f".repeat(16);
    for secret in [PASSWORD, phrase, passphrase, &key, next, mistyped, &entropy] {
        let bytes = (0..secret.len() / 2)
            .map_while(|at| u8::from_str_radix(secret.get(at * 2..at * 2 + 2)?, 16).ok());
        let bytes: Vec<u8> = bytes.collect();
        let bytes = if bytes.len() * 2 == secret.len() { bytes } else { secret.as_bytes().to_vec() };
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        // The part of the base64 that does not depend on the preceding bytes.
        let spelt = (0..3).map(|shift| {
            let text = STANDARD.encode([&vec![0; shift][..], &bytes].concat());
            text.get(4..text.len() - 4).unwrap().to_owned()
        });
        for spelling in spelt.chain([secret.to_owned(), secret.to_uppercase(), hex]) {
            assert!(seen.iter().all(|text| !text.contains(&spelling)), "{secret} as {spelling}");
        }
    }
}
