//! Secrets do not leak: known ones are typed, used, mistyped and exported, and then searched for in everything
//! stored, sent, emitted or logged, and in the raw files of the browser's profile.

#[path = "world/secret.rs"]
pub(crate) mod secret;

use crate::world::World;
use crate::world::bundle::{bundle, payment, proposing, step};
use crate::world::chains::Chains;
use crate::world::vault::phrase;
use secret::Secrets;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use webdriver::{Onboarding, Page, RootKeys, TIMEOUT, until};

const PASSWORD: &str = "Plum-Tortoise-4711-Gable";
const NEXT_PASSWORD: &str = "Quince-Heron-2096-Mortar";
const WRONG_PASSWORD: &str = "Sorrel-Badger-5582-Lintel";
const PHRASE: &str = "24 words with passphrase";
/// Derived from the phrase: its seed, its root key, and its signing key on Ethereum.
const SEED: &str = "308ca618ffa6f9db1fa253789af15878e2e6c645e5bc189d8f637dd1e4beb506c383b6502d85b9a39a1865f31be32ebbb94ee544a92d51b59adf2694e9b3b13a";
const ROOT: &str = "5bb97e32e6cf09856a22c398d0b4a486f3786b0bad324577b0dea926ef0bbada";
const ETHEREUM_KEY: &str = "fa8d1d62a5740dcd85b6ab5b1defcb9e9e9a87fe52ccadde6dc4c984b39e6f87";
const KEYS: RootKeys<'static> = RootKeys {
    ecdsa: "1f4e7a90c3b2d58e6f7a81b4c2d9e0f316273849a5b6c7d8e9fa0b1c2d3e4f56",
    eddsa: "0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f0a9b",
    chain_code: "77a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f",
};
/// The shares in the vectors' file "plain".
const SHARES: [&str; 2] =
    ["RIUSe/qDv1KSDivFI2NfqReqxh/gWFmLC8+ZXz6x1vo=", "mCvGIeAJwqeZBoUiBNMJGp6LgJnqhdim10qdjEuqiv0="];
const MARKER: &str = "Marker-Osprey-7345-Cellar";

/// Records the answers that a page gets, for the scan.
const RECORD: &str = "const real = window.fetch; window.answers = [];
    window.fetch = async (...args) => {
        const response = await real(...args);
        if (!response.headers.get('content-type')?.includes('event-stream'))
            void response.clone().text().then((text) => answers.push(text));
        return response;
    };";

fn vult() -> String {
    let files: Value = serde_json::from_str(include_str!("../../../tests/vectors/vault/vult.json")).unwrap();
    files.as_array().unwrap().iter().find(|file| file["name"] == "plain").unwrap()["text"]
        .as_str()
        .unwrap()
        .to_owned()
}

fn secrets() -> Secrets {
    let phrase = phrase(PHRASE);
    let words = phrase["words"].as_str().unwrap();
    let half = words.split(' ').skip(12).collect::<Vec<_>>().join(" ");
    // As pages and the signer may hold it: with other separators, and truncated.
    Secrets::new()
        .text("the password", PASSWORD)
        .text("the next password", NEXT_PASSWORD)
        .text("the wrong password", WRONG_PASSWORD)
        .text("the phrase", words)
        .text("half of the phrase", &half)
        .text("the phrase as a list", &half.replace(' ', "\",\""))
        .text("the passphrase", phrase["passphrase"].as_str().unwrap())
        .hex("the seed", &SEED[..64])
        .hex("the end of the seed", &SEED[64..])
        .hex("the root key", ROOT)
        .hex("the key of Ethereum", ETHEREUM_KEY)
        .hex("the ECDSA key", KEYS.ecdsa)
        .hex("the EdDSA key", KEYS.eddsa)
        .text("the first share", SHARES[0].trim_end_matches('='))
        .text("the second share", SHARES[1].trim_end_matches('='))
        .text("the file of shares", &vult()[400..480])
}

/// No secret that was typed, imported or derived is in any store, area, event, answer, request or log line, nor in
/// any file of the profile, as text, in UTF-16, hexadecimal or Base64. A marker proves that the scan finds what is
/// there.
#[tokio::test]
async fn secrets_do_not_leak() {
    let pay = bundle("Rent", step(&payment(0), json!({})));
    let (mut world, chains) = tokio::join!(World::scripted(proposing([("rent", pay)])), Chains::start());
    world.use_nodes(chains.endpoints()).await;
    let console = world.browser.console().await.unwrap();
    let mut seen: Vec<(String, String)> = Vec::new();

    let setup = recorded(world.browser.onboarding().await.unwrap()).await;
    import_all(&world, &setup, &mut seen).await;
    use_all(&world, &mut seen).await;

    let received = events(&world.popup).await;
    assert!(received.contains("tx_bundle_approval") && received.contains("password_required"), "{received}");
    seen.push(("every event".to_owned(), received));
    seen.push(("what pages were answered".to_owned(), answers(&setup).await));
    let requests: Vec<Value> = world.agent.requests().into_iter().map(|request| request.body).collect();
    seen.push(("requests at the agent".to_owned(), format!("{requests:?} {:?}", world.agent.results())));
    world
        .popup
        .run("console.warn('received', { deep: args[0] }); return true", vec![json!(MARKER)])
        .await
        .unwrap();
    world.browser.evaluate_in_worker(&format!("console.warn('received as well: {MARKER}')")).await.unwrap();
    let both = until("the consoles", TIMEOUT, async || {
        let lines = console.lines();
        (lines.iter().filter(|line| line.contains(MARKER)).count() >= 2).then_some(lines)
    });
    seen.push(("the consoles".to_owned(), both.await.unwrap().concat()));
    seen.extend(stored(&world.popup).await);
    let secrets = secrets();
    let found: BTreeSet<String> =
        seen.iter().flat_map(|(place, text)| secrets.found(place, text.as_bytes())).collect();
    assert_eq!(found, BTreeSet::new());
    for (place, text) in &seen {
        assert!(text.len() > 2, "{place} was scanned and is empty");
    }

    let marker = Secrets::new().text("the marker", MARKER);
    world
        .popup
        .idb_put("countersign", "settings", "marker", &json!({"hidden": MARKER}).to_string())
        .await
        .unwrap();
    let (place, text) = &stored(&world.popup).await[0];
    assert_eq!(marker.found(place, text.as_bytes()).len(), 1, "the scan does not find the marker");
    drop(console);
    world.browser.end().await.unwrap();
    let profile = world.browser.profile();
    let files = files(profile);
    let found: BTreeSet<String> = files.iter().flat_map(|file| in_file(&secrets, profile, file)).collect();
    assert_eq!(found, BTreeSet::new());
    let hits: Vec<String> = files.iter().flat_map(|file| in_file(&marker, profile, file)).collect();
    assert!(hits.iter().any(|hit| hit.contains("IndexedDB")), "the marker is on disk: {hits:?}");
}

/// Imports a vault in every way, with some mistakes, through the page.
async fn import_all(world: &World, setup: &Onboarding, seen: &mut Vec<(String, String)>) {
    let again = async || {
        setup.goto(&world.browser.extension_url("onboarding.html")).await.unwrap();
        setup.controlled().await.unwrap();
    };
    let phrase = phrase(PHRASE);
    let text = |name: &str| phrase[name].as_str().unwrap();
    let misspelt = format!("{} zebraa", text("words"));
    setup.import_phrase("Main", &misspelt, "", PASSWORD).await.unwrap();
    setup.element("onboarding-error").await.unwrap();
    setup.click("onboarding-back").await.unwrap();
    setup.import_phrase("Main", text("words"), text("passphrase"), PASSWORD).await.unwrap();
    setup.click("onboarding-save-backup").await.unwrap();
    setup.done().await.unwrap();
    seen.push(("answers to the phrase".to_owned(), answers(setup).await));

    again().await;
    setup.import_keys("Keys", KEYS, PASSWORD).await.unwrap();
    setup.skip_backup().await.unwrap();
    seen.push(("answers to the keys".to_owned(), answers(setup).await));

    again().await;
    let file = tempfile::Builder::new().suffix(".vult").tempfile().unwrap();
    std::fs::write(file.path(), vult()).unwrap();
    setup.import_vult(file.path(), "", PASSWORD).await.unwrap();
    setup.done().await.unwrap();
    again().await;
    setup.create("New", PASSWORD).await.unwrap();
    setup.skip_backup().await.unwrap();
}

/// Unlocks, locks, mistypes, signs, exports, changes the password: every operation with a secret.
async fn use_all(world: &World, seen: &mut Vec<(String, String)>) {
    let mut post = async |path: &str, body: Value| {
        let (status, answer) = world.api("POST", path, body).await;
        seen.push((format!("the answer to {path}"), answer.to_string()));
        (status, answer)
    };
    assert_eq!(post("/api/vaults/active/unlock", json!({"password": WRONG_PASSWORD})).await.0, 403);
    assert_eq!(post("/api/vaults/active/unlock", json!({"password": PASSWORD})).await.0, 200);
    assert_eq!(post("/api/vaults/active/export", json!({"password": PASSWORD})).await.0, 200);
    let change = json!({"password": PASSWORD, "newPassword": NEXT_PASSWORD});
    assert_eq!(post("/api/vaults/active/password", change).await.0, 200);
    assert_eq!(
        post(
            "/api/vaults",
            json!({"kind": "local", "name": "", "password": NEXT_PASSWORD, "mnemonic": [PASSWORD]})
        )
        .await
        .0,
        400
    );
    assert_eq!(
        post("/api/vaults", json!({"kind": PASSWORD, "name": "x", "password": NEXT_PASSWORD})).await.0,
        400
    );
    assert_eq!(post("/api/vaults/active/lock", Value::Null).await.0, 200);

    world.say("rent").await;
    let prompt = world.prompts(1).await.remove(0);
    let path = format!("/api/prompts/{}", prompt["id"].as_str().unwrap());
    assert_eq!(post(&path, json!({"approve": true, "digest": prompt["digest"]})).await.0, 200);
    let prompt = world.prompts(1).await.remove(0);
    let path = format!("/api/prompts/{}", prompt["id"].as_str().unwrap());
    let digest = &prompt["digest"];
    let wrong = json!({"approve": true, "digest": digest, "password": WRONG_PASSWORD});
    assert_eq!(post(&path, wrong).await.0, 403);
    let answer = json!({"approve": true, "digest": digest, "password": NEXT_PASSWORD, "keepUnlocked": true});
    assert_eq!(post(&path, answer).await.0, 200);
    let result = world.results(1).await.remove(0);
    // Signed, and sent to a node where this account has nothing.
    assert!(result.error.as_deref().unwrap().starts_with("broadcast_rejected: "), "{result:?}");
    assert!(world.unlocked_until().await.is_u64(), "the scan must see an unlocked vault too");
}

/// Records the answers to this page from its next load on.
async fn recorded(page: Onboarding) -> Onboarding {
    page.cdp("Page.addScriptToEvaluateOnNewDocument", json!({"source": RECORD})).await.unwrap();
    page.reload().await.unwrap();
    page.controlled().await.unwrap();
    page
}

async fn answers(page: &Page) -> String {
    page.run("return window.answers", vec![]).await.unwrap().to_string()
}

/// Every stored event, as a page receives it.
pub(crate) async fn events(page: &Page) -> String {
    let read_events = "const reader = (await fetch('/api/events?after=0')).body.pipeThrough(new TextDecoderStream()).getReader();
        let received = '';
        for (;;) {
            const quiet = new Promise((resolve) => setTimeout(() => resolve({ done: true }), 1000));
            const { done, value } = await Promise.race([reader.read(), quiet]);
            if (done) break;
            received += value;
        }
        void reader.cancel();
        return received";
    page.run(read_events, vec![]).await.unwrap().as_str().unwrap().to_owned()
}

/// Every place where the extension can store data.
pub(crate) async fn stored(page: &Page) -> [(String, String); 3] {
    let storage = page.storage().await.unwrap();
    [
        ("IndexedDB".to_owned(), page.idb_all().await.unwrap().to_string()),
        ("chrome.storage".to_owned(), storage.to_string()),
        ("the page's storage".to_owned(), page.web_storage().await.unwrap().to_string()),
    ]
}

pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().flatten();
    let below = entries.flat_map(|entry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => files(&entry.path()),
        Ok(kind) if kind.is_file() => vec![entry.path()],
        _ => Vec::new(),
    });
    below.collect()
}

pub(crate) fn in_file(secrets: &Secrets, profile: &Path, file: &Path) -> BTreeSet<String> {
    let content = std::fs::read(file).unwrap_or_default();
    let place = file.strip_prefix(profile).unwrap_or(file).display().to_string();
    secrets.found(&place, &content)
}
