//! Vaults in the pages: created, exported, locked, unlocked, imported and switched, across restarts of worker and
//! browser.

use crate::world::World;
use crate::world::vault::{PASSWORD, address, phrase};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use webdriver::{Browser, Onboarding, Page, Popup, RootKeys, TIMEOUT, not_yet, until};

/// The downloaded file, once the browser has written all of it.
async fn downloaded(browser: &Browser) -> (PathBuf, Value) {
    until("a file that was saved", TIMEOUT, async || {
        let mut files = std::fs::read_dir(browser.downloads()).ok()?.flatten().map(|entry| entry.path());
        let file = files.find(|path| path.extension().is_some_and(|extension| extension == "json"))?;
        let content = serde_json::from_slice(&std::fs::read(&file).ok()?).ok()?;
        Some((file, content))
    })
    .await
    .unwrap()
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as u64
}

/// A vault is created on its page and its backup saved. It unlocks by its password in the popup, stays unlocked
/// across a restart of the worker and not of the browser; after a deletion its backup restores the same vault.
#[tokio::test]
async fn create_unlock_delete_and_restore() {
    let mut world = World::new(crate::world::DEMO).await;
    world.popup.click("vault-setup").await.unwrap();
    world.popup.element("onboarding-create").await.unwrap();
    let setup = world.browser.onboarding().await.unwrap();
    setup.create("Savings", PASSWORD).await.unwrap();
    setup.click("onboarding-save-backup").await.unwrap();
    setup.done().await.unwrap();
    let (backup, content) = downloaded(&world.browser).await;
    assert!(content.get("countersign").is_some(), "{content}");
    world.popup = world.browser.popup().await.unwrap();
    let vault = world.get("/api/vaults").await["vaults"][0].clone();
    assert_eq!(
        (&vault["name"], &vault["active"], &vault["kind"]),
        (&json!("Savings"), &json!(true), &json!("local"))
    );

    let page = world.popup.clone();
    page.wait_for_vault("Savings", "locked").await.unwrap();
    page.open_vaults().await.unwrap();
    page.unlock(PASSWORD).await.unwrap();
    page.wait_for_vault("Savings", "open").await.unwrap();
    page.lock().await.unwrap();
    page.wait_for_vault("Savings", "locked").await.unwrap();
    page.unlock(PASSWORD).await.unwrap();
    page.wait_for_vault("Savings", "open").await.unwrap();

    let until_before = world.unlocked_until().await;
    assert!(world.browser.kill_worker().await.unwrap(), "no worker was running");
    assert_eq!((world.unlocked_until().await, until_before.is_u64()), (until_before, true));

    world.browser.restart().await.unwrap();
    world.popup = world.browser.popup().await.unwrap();
    world.popup.wait_for_vault("Savings", "locked").await.unwrap();
    assert_eq!((world.unlocked_until().await, secrets(&world.popup).await), (Value::Null, 0));
    world.popup.open_vaults().await.unwrap();
    world.popup.unlock(PASSWORD).await.unwrap();
    world.popup.wait_for_vault("Savings", "open").await.unwrap();
    world.popup.close_vaults().await.unwrap();

    delete(&world.popup).await;
    assert_eq!((world.get("/api/vaults").await, secrets(&world.popup).await), (json!({"vaults": []}), 0));
    let setup = world.browser.onboarding().await.unwrap();
    setup.import_backup(&backup, "not the password").await.unwrap();
    setup.says("onboarding-error", "password is wrong").await.unwrap();
    setup.fill("onboarding-file-password", PASSWORD).await.unwrap();
    setup.click("onboarding-submit").await.unwrap();
    setup.done().await.unwrap();
    assert_eq!(world.get("/api/vaults").await["vaults"][0]["id"], vault["id"]);
    world.popup.wait_for_vault("Savings", "locked").await.unwrap();
}

/// Number of unlocked copies of vaults in the browser's session storage.
async fn secrets(page: &Page) -> usize {
    let session = page.storage().await.unwrap()["session"].clone();
    session.as_object().unwrap().keys().filter(|key| key.starts_with("secret:vault/")).count()
}

/// Deletes the only vault, in the settings.
async fn delete(page: &Popup) {
    page.go("settings").await.unwrap();
    page.click("vault-delete").await.unwrap();
    page.fill("vault-password", PASSWORD).await.unwrap();
    page.fill("vault-delete-word", "keep").await.unwrap();
    page.click("vault-task-submit").await.unwrap();
    page.says("vault-task-error", "delete").await.unwrap();
    page.fill("vault-delete-word", "delete").await.unwrap();
    page.click("vault-task-submit").await.unwrap();
    page.element("vault-setup").await.unwrap();
}

/// Moves the deadline of the unlocked vault, as if time had passed.
async fn move_deadline(page: &Page, until: u64) {
    let records = page.idb_all().await.unwrap()["countersign/unlocks"].clone();
    let (key, record) = (records[0][0].as_str().unwrap(), records[0][1].as_str().unwrap());
    let mut record: Value = serde_json::from_str(record).unwrap();
    record["until"] = json!(until);
    page.idb_put("countersign", "unlocks", key, &record.to_string()).await.unwrap();
    page.idb_put("countersign", "deadlines", &format!("{until:016}/unlock/{key}"), "null").await.unwrap();
}

/// An unlocked vault locks itself. Past its deadline it counts as locked even before the alarm; and the alarm,
/// without any request and without a running worker, removes key and copy.
#[tokio::test]
async fn vault_locks_itself() {
    let world = World::new(crate::world::DEMO).await;
    let id = world.import_vault(&phrase("12 words")).await;
    // This page sends nothing by itself, and reads the storage without the worker.
    let quiet = world.browser.open(&world.browser.extension_url("onboarding.html#create")).await.unwrap();
    open(&quiet).await;
    move_deadline(&quiet, now() - 1).await;
    assert_eq!(world.unlocked_until().await, Value::Null);

    world.popup.close().await.unwrap();
    let mut waits = [4_000, 10_000, 25_000].into_iter();
    while !left_to_the_alarm(&world, &quiet, waits.next().unwrap()).await {}
    let before = times_locked(&quiet, &id).await;
    until("the vault to lock by itself", Duration::from_secs(60), async || {
        let (unlocks, copies) = (quiet.idb("countersign", "unlocks").await?.len(), secrets(&quiet).await);
        if (unlocks, copies) == (0, 0) { Ok(()) } else { Err(not_yet((unlocks, copies))) }
    })
    .await
    .unwrap();
    assert_eq!(times_locked(&quiet, &id).await, before + 1, "the lock is in the log");
}

async fn open(page: &Page) {
    let body = json!({"password": PASSWORD, "minutes": 1});
    let (status, vault) = page.fetch("POST", "/api/vaults/active/unlock", Some(body)).await.unwrap();
    assert_eq!((status, vault["unlockedUntil"].is_u64()), (200, true), "{vault}");
}

/// Unlocks the vault, moves its deadline close, lets a new worker set the alarm for it, and kills that worker.
/// `false` if the deadline passed meanwhile: a slow machine needs a later one.
async fn left_to_the_alarm(world: &World, quiet: &Page, wait: u64) -> bool {
    open(quiet).await;
    assert_eq!(secrets(quiet).await, 1);
    let deadline = now() + wait;
    move_deadline(quiet, deadline).await;
    assert!(world.browser.kill_worker().await.unwrap(), "no worker was running");
    quiet.fetch("GET", "/api/health", None).await.unwrap();
    let set = until("the alarm", Duration::from_millis(wait), async || {
        quiet.alarm("wake").await.ok()?.filter(|at| *at <= deadline as f64)
    });
    let set = set.await.is_ok();
    world.browser.kill_worker().await.unwrap();
    set && now() < deadline
}

/// Number of log entries that say that the vault was locked.
async fn times_locked(page: &Page, id: &str) -> usize {
    let entries = page.idb("countersign", "audit").await.unwrap().into_iter();
    let entries = entries.map(|entry| serde_json::from_str::<Value>(entry.as_str().unwrap()).unwrap());
    entries.filter(|entry| entry["what"] == "vault_locked" && entry["subject"] == id).count()
}

/// A wrong password is reported. From the third on the next attempt must wait, with a countdown that begins anew in a
/// new worker; then the right password unlocks.
#[tokio::test]
async fn wrong_passwords_are_delayed() {
    let world = World::new(crate::world::DEMO).await;
    let vault = world.import_vault(&phrase("12 words")).await;
    let page = &world.popup;
    page.wait_for_vault("Main", "locked").await.unwrap();
    page.open_vaults().await.unwrap();
    page.unlock("wrong password 1").await.unwrap();
    page.says("unlock-error", "The password is wrong").await.unwrap();
    page.try_password("wrong password 2").await.unwrap();
    page.says("unlock-error", "The password is wrong").await.unwrap();
    page.try_password("wrong password 3").await.unwrap();
    until("the delay to be over", TIMEOUT, async || {
        let form = page.run("return document.querySelector('dialog form')?.innerText ?? ''", vec![]).await?;
        let over = form.as_str().is_some_and(|form| form.contains("You can try again now"));
        if over { Ok(()) } else { Err(not_yet(form)) }
    })
    .await
    .unwrap();

    // As if there had been many more.
    let attempts = |failures: u32| json!({"failures": failures}).to_string();
    let key = format!("attempts/{vault}");
    page.idb_put("countersign", "counters", &key, &attempts(7)).await.unwrap();
    world.browser.kill_worker().await.unwrap();
    let (status, body) = world.api("POST", "/api/vaults/active/unlock", json!({"password": PASSWORD})).await;
    assert_eq!((status, &body["error"]["code"]), (429, &json!("too_many_attempts")), "{body}");
    assert!((1..=16_000).contains(&body["error"]["retryAfterMillis"].as_u64().unwrap()), "{body}");
    page.try_password(PASSWORD).await.unwrap();
    page.says("unlock-error", "Too many wrong passwords in a row").await.unwrap();
    page.says("unlock-error", "Again in").await.unwrap();
    page.reload().await.unwrap();
    page.idb_put("countersign", "counters", &key, &attempts(2)).await.unwrap();
    page.open_vaults().await.unwrap();
    page.unlock(PASSWORD).await.unwrap();
    page.wait_for_vault("Main", "open").await.unwrap();
    let left = page.idb_all().await.unwrap()["countersign/counters"].to_string().contains("attempts/");
    assert!(!left, "a right password resets the count");
}

/// Known phrases, typed on the page, give the addresses that other libraries derive, on all 38 chains; a watch-only
/// vault cannot be unlocked; the list switches between them.
#[tokio::test]
async fn known_phrases_and_public_keys() {
    let world = World::new(crate::world::DEMO).await;
    let setup = world.browser.onboarding().await.unwrap();
    for name in ["24 words with passphrase", "12 words"] {
        let known = phrase(name);
        import(&setup, &known).await;
        world
            .popup
            .fetch("POST", &format!("/api/vaults/{}/activate", known["ecdsa"].as_str().unwrap()), None)
            .await
            .unwrap();
        world.popup.wait_for_vault(name, "locked").await.unwrap();
        assert_eq!(all_addresses(&world, &known).await, expected(&known), "{name}");
        setup.goto(&world.browser.extension_url("onboarding.html")).await.unwrap();
    }

    let watched = phrase("a public example");
    let text = |name: &str| watched[name].as_str().unwrap();
    let keys = RootKeys { ecdsa: text("ecdsa"), eddsa: text("eddsa"), chain_code: text("chain_code") };
    setup.watch("Elsewhere", keys).await.unwrap();
    setup.done().await.unwrap();
    let page = &world.popup;
    page.wait_for_vault("12 words", "locked").await.unwrap();
    page.open_vaults().await.unwrap();
    let rows = page.texts("vault-row").await.unwrap();
    let begins: Vec<&str> = rows.iter().map(|row| row.lines().next().unwrap()).collect();
    assert_eq!(begins, ["24 words with passphrase", "12 words", "Elsewhere"]);
    switch_to(page, 2).await;
    page.wait_for_vault("Elsewhere", "unable").await.unwrap();
    let (status, body) = world.api("POST", "/api/vaults/active/unlock", json!({"password": PASSWORD})).await;
    assert_eq!((status, &body["error"]["code"]), (409, &json!("watch_only")));
    switch_to(page, 0).await;
    page.wait_for_vault("24 words with passphrase", "locked").await.unwrap();
    page.close_vaults().await.unwrap();
    page.go("wallet").await.unwrap();
    let rows =
        until("its chains", TIMEOUT, async || page.chains().await.ok().filter(|rows| rows.len() == 38))
            .await
            .unwrap();
    let bitcoin = address(&phrase("24 words with passphrase"), "Bitcoin");
    assert!(rows.iter().any(|row| row.contains(&bitcoin)), "{bitcoin} in {rows:?}");
}

async fn import(setup: &Onboarding, phrase: &Value) {
    let text = |name: &str| phrase[name].as_str().unwrap();
    setup.import_phrase(text("name"), text("words"), text("passphrase"), PASSWORD).await.unwrap();
    setup.skip_backup().await.unwrap();
}

/// Activates a vault of the open list, by its position.
async fn switch_to(page: &Popup, place: u64) {
    let press = "const row = document.querySelectorAll('[data-testid=vault-row]')[args[0]];
        row.querySelector('[data-testid=vault-activate]').click(); return true";
    page.run(press, vec![json!(place)]).await.unwrap();
}

/// Adds every chain of the vector to the active vault. Returns the chain and address of each coin.
async fn all_addresses(world: &World, phrase: &Value) -> Vec<(String, String)> {
    let chain = |account: &Value| json!({"chain": account["chain"]});
    let chains: Vec<Value> = phrase["chains"].as_array().unwrap().iter().map(chain).collect();
    let action = json!({"id": format!("all of {}", phrase["name"]), "type": "add_chain", "auto_execute": true,
        "params": {"chains": chains}});
    let (status, body) = world.api("POST", "/api/actions", json!({"actions": [action]})).await;
    assert_eq!((status, &body["results"][0]["success"]), (200, &json!(true)), "{body}");
    sorted(&world.get("/api/vaults/active/coins").await["coins"])
}

fn expected(phrase: &Value) -> Vec<(String, String)> {
    let accounts = sorted(&phrase["chains"]);
    assert_eq!(accounts.len(), 38);
    accounts
}

fn sorted(accounts: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let accounts = accounts.as_array().unwrap().iter();
    let mut pairs: Vec<_> = accounts.map(|one| (text(&one["chain"]), text(&one["address"]))).collect();
    pairs.sort();
    pairs
}
