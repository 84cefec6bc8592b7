//! `/api/vaults`: the life cycle of each kind of vault, what is refused, and the migration from the previous version.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test fails by panicking")]

use countersign_tests::world::*;
use runtime::store::Table;
use serde_json::{Value, json};

const PASSWORD: &str = "correct horse battery";
const MINUTE: u64 = 60_000;

/// A vault of random keys.
fn local(name: &str) -> Value {
    json!({"kind": "local", "name": name, "password": PASSWORD})
}

/// Vectors made by other programs.
fn vectors(text: &str) -> Vec<Value> {
    serde_json::from_str(text).unwrap()
}

fn phrases() -> Vec<Value> {
    vectors(include_str!("../../vectors/vault/phrases.json"))
}

fn other_wallets_files() -> Vec<Value> {
    vectors(include_str!("../../vectors/vault/vult.json"))
}

async fn create(world: &World, body: Value) -> Value {
    let (status, view) = world.call("POST", "/api/vaults", body).await;
    assert_eq!(status, 201, "{view}");
    view
}

async fn post(world: &World, vault: &Value, verb: &str, body: Value) -> (u16, Value) {
    world.call("POST", &format!("/api/vaults/{}/{verb}", vault["id"].as_str().unwrap()), body).await
}

async fn delete(world: &World, vault: &Value, body: Value) -> (u16, Value) {
    world.call("DELETE", &format!("/api/vaults/{}", vault["id"].as_str().unwrap()), body).await
}

/// The vault's address on a chain, read by adding the chain.
async fn address(world: &World, chain: &str) -> Value {
    let result = world.act_once("add_chain", json!({"chains": [{"chain": chain}]})).await;
    result["data"]["results"][0]["address"].clone()
}

fn error(code: &str, message: &str, path: Option<&str>) -> Value {
    let detail = json!({"code": code, "message": message});
    json!({"error": path.map_or(detail.clone(), |path| with(detail, "path", json!(path)))})
}

fn wrong_password() -> (u16, Value) {
    (403, error("wrong_password", "the password is wrong", Some("/password")))
}

/// Created, unlocked, locked, renamed, exported, given a new password, deleted: only the audit log mentions it
/// afterwards.
#[tokio::test(start_paused = true)]
async fn life_cycle_of_a_local_vault() {
    let world = World::new().await;
    assert_eq!(world.get("/api/vaults").await, json!({"vaults": []}));
    let vault = create(&world, local(" Main ")).await;
    let expected = json!({"id": vault["publicKeyEcdsa"], "name": "Main", "kind": "local",
        "publicKeyEcdsa": vault["publicKeyEcdsa"], "publicKeyEddsa": vault["publicKeyEddsa"],
        "hexChainCode": vault["hexChainCode"], "fromPhrase": false, "active": true, "unlockedUntil": null,
        "createdAt": world.browser.now()});
    assert_eq!((&vault, vault["id"].as_str().unwrap().len()), (&expected, 66));
    assert_eq!(world.get("/api/vaults").await, json!({"vaults": [expected]}));

    let open = with(vault.clone(), "unlockedUntil", json!(world.browser.now() + 15 * MINUTE));
    let password = json!({"password": PASSWORD});
    assert_eq!(post(&world, &vault, "unlock", password.clone()).await, (200, open));
    assert_eq!(post(&world, &vault, "lock", Value::Null).await, (200, vault.clone()));
    assert_eq!(post(&world, &vault, "lock", json!({})).await, (200, vault.clone()));

    let renamed = with(vault.clone(), "name", json!("Savings"));
    let target = format!("/api/vaults/{}", vault["id"].as_str().unwrap());
    assert_eq!(world.call("PATCH", &target, json!({"name": "Savings "})).await, (200, renamed.clone()));

    let (status, file) = post(&world, &vault, "export", password.clone()).await;
    assert_eq!((status, &file["fileName"]), (200, &json!("Savings.countersign.json")));
    let next = json!({"password": PASSWORD, "newPassword": "another password"});
    assert_eq!(post(&world, &vault, "password", next.clone()).await, (200, renamed));
    assert_eq!(post(&world, &vault, "password", next).await, wrong_password());

    assert_eq!(delete(&world, &vault, password).await, wrong_password());
    let missing = (400, error("invalid_request", "must be the vault's password", Some("/password")));
    assert_eq!(delete(&world, &vault, json!({})).await, missing);
    let password = json!({"password": "another password"});
    assert_eq!(post(&world, &vault, "unlock", password.clone()).await.0, 200);
    address(&world, "Base").await;
    assert_eq!(delete(&world, &vault, password).await, (200, json!({"vaults": []})));
    for table in [Table::Vaults, Table::Unlocks, Table::Coins] {
        assert_eq!(world.table(table).await, [], "{table:?}");
    }
    assert!(world.table(Table::Counters).await.iter().all(|row| !row.key.starts_with("attempts/")));
    assert!(world.browser.secrets().is_empty());
    assert_eq!(post(&world, &vault, "lock", json!({})).await.0, 404);

    // The file imports as a vault, with the password it had when it was written.
    let again = json!({"kind": "file", "file": file["text"], "filePassword": PASSWORD});
    let again = create(&world, again).await;
    assert_eq!(
        (&again["id"], &again["name"], &again["kind"]),
        (&vault["id"], &json!("Savings"), &json!("local"))
    );
    assert_eq!(world.coins().await, [json!(null); 0]);
    assert_eq!(post(&world, &again, "unlock", json!({"password": PASSWORD, "minutes": 1})).await.0, 200);
}

/// Phrases give the addresses that other libraries derive; the passphrase matters.
#[tokio::test(start_paused = true)]
async fn phrases_give_their_addresses() {
    for case in phrases() {
        let world = World::new().await;
        let mnemonic = json!(format!(" {}\n", case["words"].as_str().unwrap().to_uppercase()));
        let body = with(with(local("Seed"), "mnemonic", mnemonic), "passphrase", case["passphrase"].clone());
        let vault = create(&world, body).await;
        let keys = [&vault["id"], &vault["publicKeyEddsa"], &vault["hexChainCode"], &vault["fromPhrase"]];
        assert_eq!(
            keys,
            [&case["ecdsa"], &case["eddsa"], &case["chain_code"], &json!(true)],
            "{}",
            case["name"]
        );
        for chain in ["Ethereum", "Solana"] {
            let chains = case["chains"].as_array().unwrap();
            let expected = chains.iter().find(|entry| entry["chain"] == chain).unwrap();
            assert_eq!(address(&world, chain).await, expected["address"], "{}", case["name"]);
        }
    }
}

/// Private keys are used unchanged: key 1 is the generator of its curve.
#[tokio::test(start_paused = true)]
async fn private_keys_are_used_unchanged() {
    let world = World::new().await;
    let one = format!("{}01", "00".repeat(31));
    let keys = json!({"ecdsa": one, "eddsa": one, "chainCode": "ab".repeat(32)});
    let vault = create(&world, with(local("One"), "keys", keys.clone())).await;
    assert_eq!(vault["id"], "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798");
    assert_eq!((&vault["hexChainCode"], &vault["fromPhrase"]), (&keys["chainCode"], &json!(false)));
    let exists = (409, error("vault_exists", "this vault is here already", None));
    assert_eq!(world.call("POST", "/api/vaults", with(local("Two"), "keys", keys)).await, exists);
}

/// A watch-only vault has no password: it cannot be unlocked, and deleting it needs no password.
#[tokio::test(start_paused = true)]
async fn watch_only_vault() {
    let world = World::new().await;
    let vault = create(&world, vault(0)).await;
    assert_eq!((&vault["kind"], &vault["active"]), (&json!("watch"), &json!(true)));
    assert_eq!(address(&world, "Bitcoin").await, address_of(0, "Bitcoin"));
    let message = "this vault only watches: it has no secret, and no password";
    for verb in ["unlock", "export", "password"] {
        let body = json!({"password": PASSWORD, "newPassword": "another password"});
        let body = if verb == "password" { body } else { without(body, "newPassword") };
        assert_eq!(
            post(&world, &vault, verb, body).await,
            (409, error("watch_only", message, None)),
            "{verb}"
        );
    }
    assert_eq!(delete(&world, &vault, Value::Null).await, (200, json!({"vaults": []})));

    let keys = vaults()[0].clone();
    let listed = json!([{"chain": "ethereum", "publicKey": keys["ecdsa"]}]);
    let listed = create(&world, with(countersign_tests::world::vault(0), "chainPublicKeys", listed)).await;
    assert_eq!(listed["fromPhrase"], true);
    assert!(address(&world, "Ethereum").await.is_string());
    let refused = world.act_once("add_chain", json!({"chains": [{"chain": "Bitcoin"}]})).await;
    assert_eq!(refused["error"], "unsupported_chain: Bitcoin needs a key that this vault does not have");
}

/// Files of another wallet: their shares are stored, encrypted with the user's password.
#[tokio::test(start_paused = true)]
async fn files_of_another_wallet() {
    for case in other_wallets_files() {
        let world = World::new().await;
        let body = json!({"kind": "file", "name": "Phone", "file": case["text"], "password": PASSWORD});
        let vault = create(&world, with(body.clone(), "filePassword", case["password"].clone())).await;
        let shown = [&vault["id"], &vault["publicKeyEddsa"], &vault["hexChainCode"], &vault["kind"]];
        assert_eq!(shown, [&case["ecdsa"], &case["eddsa"], &case["chain_code"], &json!("shares")]);
        assert_eq!(post(&world, &vault, "unlock", json!({"password": PASSWORD})).await.0, 200);
        if case["password"] == "" {
            continue;
        }
        world.restart().await;
        let (status, refused) =
            world.call("POST", "/api/vaults", with(body, "filePassword", json!("wrong"))).await;
        let code = [&refused["error"]["code"], &refused["error"]["path"]];
        assert_eq!((status, code), (403, [&json!("wrong_file_password"), &json!("/filePassword")]));
    }
}

/// An invalid request is refused with its path, and stores nothing.
#[tokio::test(start_paused = true)]
async fn invalid_requests_are_refused() {
    let world = World::new().await;
    let before = world.records().await;
    let invalid = "invalid_request";
    let watched = |name: &str, value: Value| with(vault(0), name, value);
    let keys = |ecdsa: Value| with(local("K"), "keys", json!({"ecdsa": ecdsa, "eddsa": "", "chainCode": ""}));
    let file = |text: &str| json!({"kind": "file", "file": text, "password": PASSWORD});
    let phrase = |words: &str| with(local("P"), "mnemonic", json!(words));
    let table = [
        (json!({}), invalid, "/kind"),
        (json!({"kind": "other", "name": "X"}), invalid, "/kind"),
        (json!({"kind": "fast", "name": "X"}), "unsupported_kind", "/kind"),
        (with(local("X"), "name", json!("x".repeat(101))), invalid, "/name"),
        (with(local("X"), "name", json!(" ")), invalid, "/name"),
        (with(local("X"), "name", json!(7)), invalid, "/name"),
        (without(local("X"), "password"), invalid, "/password"),
        (with(local("X"), "password", json!(["secret words"])), invalid, "/password"),
        (with(local("X"), "password", json!("ä".repeat(7))), "weak_password", "/password"),
        (with(local("X"), "publicKeyEcdsa", json!("02")), invalid, "/publicKeyEcdsa"),
        (with(local("X"), "passphrase", json!("without a phrase")), invalid, "/passphrase"),
        (phrase("abandon abandon"), "mnemonic_word_count", "/mnemonic"),
        (phrase(&"abandon ".repeat(12)), "mnemonic_checksum", "/mnemonic"),
        (with(phrase("abandon"), "keys", json!({})), invalid, "/keys"),
        (with(local("X"), "keys", json!("00")), invalid, "/keys"),
        (with(local("X"), "keys", json!({})), invalid, "/keys/ecdsa"),
        (keys(json!("zz")), "invalid_private_key", "/keys/ecdsa"),
        (keys(json!("00".repeat(32))), "invalid_private_key", "/keys/eddsa"),
        (with(vault(0), "password", json!(PASSWORD)), invalid, "/password"),
        (without(vault(0), "hexChainCode"), invalid, "/hexChainCode"),
        (watched("hexChainCode", json!("ab")), "malformed_key", "/hexChainCode"),
        (
            watched("publicKeyEcdsa", json!(format!("02{}05", "00".repeat(31)))),
            "invalid_public_key",
            "/publicKeyEcdsa",
        ),
        (watched("chainPublicKeys", json!({})), invalid, "/chainPublicKeys"),
        (watched("chainPublicKeys", json!([7])), invalid, "/chainPublicKeys/0"),
        (watched("chainPublicKeys", json!([{"chain": "Base"}])), invalid, "/chainPublicKeys/0/publicKey"),
        (json!({"kind": "file", "password": PASSWORD}), invalid, "/file"),
        (without(file("{}"), "password"), "weak_password", "/password"),
        (file("{}"), "backup_malformed", "/file"),
        (file("not base64!"), "vult_malformed", "/file"),
    ];
    for (body, code, path) in table {
        let (status, answer) = world.call("POST", "/api/vaults", body.clone()).await;
        let found = (status, &answer["error"]["code"], &answer["error"]["path"]);
        assert_eq!(found, (400, &json!(code), &json!(path)), "{body} {answer}");
        let reported = answer["error"]["message"].as_str().unwrap();
        assert!(
            !["secret", "abandon", "zz", "ä"].iter().any(|secret| reported.contains(secret)),
            "{reported}"
        );
    }
    for verb in ["activate", "unlock", "lock", "export", "password"] {
        let body = json!({"password": PASSWORD, "newPassword": "another password"});
        let body = if verb == "password" { body } else { without(body, "newPassword") };
        let none = (404, error("vault_not_found", "there is no such vault", None));
        assert_eq!(post(&world, &json!({"id": "active"}), verb, body).await, none, "{verb}");
    }
    assert_eq!(world.records().await, before);

    let vault = create(&world, local("X")).await;
    let before = world.records().await;
    for (verb, body, code, path) in [
        ("unlock", json!({"password": PASSWORD, "minutes": 0}), invalid, "/minutes"),
        ("unlock", json!({"password": PASSWORD, "minutes": 1_441}), invalid, "/minutes"),
        ("unlock", json!({"password": PASSWORD, "hours": 1}), invalid, "/hours"),
        ("unlock", json!({}), invalid, "/password"),
        ("export", json!({"password": null}), invalid, "/password"),
        ("password", json!({"password": PASSWORD}), invalid, "/newPassword"),
        ("password", json!({"password": PASSWORD, "newPassword": "short"}), "weak_password", "/newPassword"),
    ] {
        let (status, answer) = post(&world, &vault, verb, body.clone()).await;
        let found = (status, &answer["error"]["code"], &answer["error"]["path"]);
        assert_eq!(found, (400, &json!(code), &json!(path)), "{verb} {body} {answer}");
    }
    world.browser.set_signer_unavailable(true);
    let gone = (503, error("signer_unavailable", "the signer gave no answer", None));
    assert_eq!(post(&world, &vault, "unlock", json!({"password": PASSWORD})).await, gone);
    assert_eq!(world.call("POST", "/api/vaults", local("Y")).await, gone);
    assert_eq!(world.records().await, before);
}

/// One vault is active: the first, until another is chosen; when it is deleted, the oldest of the others. Coins
/// belong to their vault and are deleted with it.
#[tokio::test(start_paused = true)]
async fn one_vault_is_active() {
    let world = World::new().await;
    let mut made = Vec::new();
    for index in [2, 0, 1] {
        made.push(create(&world, vault(index)).await);
        world.settle().await;
    }
    let active = async || {
        let listed = world.get("/api/vaults").await;
        let listed = listed["vaults"].as_array().unwrap().clone();
        listed.iter().map(|vault| (vault["name"].clone(), vault["active"] == true)).collect::<Vec<_>>()
    };
    let names: Vec<Value> = made.iter().map(|vault| vault["name"].clone()).collect();
    let expected = |active: usize, of: &[usize]| {
        of.iter().map(|index| (names[*index].clone(), *index == active)).collect::<Vec<_>>()
    };
    assert_eq!(active().await, expected(0, &[0, 1, 2]));
    assert_eq!(post(&world, &made[2], "activate", Value::Null).await.0, 200);
    world.restart().await;
    assert_eq!(active().await, expected(2, &[0, 1, 2]));
    assert_eq!(address(&world, "Base").await, address_of(1, "Base"));
    post(&world, &made[1], "activate", json!({})).await;
    address(&world, "Sui").await;
    assert_eq!(world.table(Table::Coins).await.len(), 2);

    delete(&world, &json!({"id": "active"}), Value::Null).await;
    assert_eq!(active().await, expected(0, &[0, 2]));
    assert_eq!(world.table(Table::Coins).await.len(), 1);
    delete(&world, &made[2], json!({})).await;
    assert_eq!((active().await, world.table(Table::Coins).await.len()), (expected(0, &[0]), 0));
    create(&world, vault(1)).await;
    world.use_vault(1).await;
    assert_eq!(world.coins().await, [json!(null); 0]);
}

/// The vault that the previous version kept in the settings is migrated once, with its coins. If the signer is
/// unavailable, the next start migrates it.
#[tokio::test(start_paused = true)]
async fn vault_of_the_previous_version_is_migrated() {
    let world = World::proposing(json!([])).await;
    let earlier = without(vault(0), "kind");
    let settings = json!({"backendUrl": URL, "vault": earlier, "guestId": null}).to_string();
    world.write(Table::Settings, "settings", &settings).await;
    let coin = json!({"chain": "Base", "ticker": "ETH", "address": address_of(0, "Base"), "decimals": 18,
        "isNative": true});
    world.write(Table::Coins, &format!("{}/Base/", vault_id(0)), &coin.to_string()).await;

    world.browser.set_signer_unavailable(true);
    world.restart().await;
    assert_eq!(world.get("/api/vaults").await, json!({"vaults": []}));
    assert_eq!(world.table(Table::Settings).await[0].text, settings);
    world.browser.set_signer_unavailable(false);
    for _ in 0..2 {
        world.restart().await;
        let listed = world.get("/api/vaults").await["vaults"].clone();
        assert_eq!(listed.as_array().unwrap().len(), 1);
        let shown = (&listed[0]["id"], &listed[0]["kind"], &listed[0]["name"], &listed[0]["active"]);
        assert_eq!(shown, (&json!(vault_id(0)), &json!("watch"), &earlier["name"], &json!(true)));
        let shown = with(with(coin.clone(), "confirmed", json!(true)), "decimalsFrom", json!("table"));
        assert_eq!(world.coins().await, [shown]);
        let kept: Value = serde_json::from_str(&world.table(Table::Settings).await[0].text).unwrap();
        assert_eq!((kept.get("vault"), &kept["backendUrl"]), (None, &json!(URL)));
    }
    let modified = world.events().await.iter().filter(|event| event.name == "vaultModified").count();
    assert_eq!(modified, 1);
    assert_eq!(address(&world, "Sui").await, address_of(0, "Sui"));

    // Invalid keys had no address: they are removed. A vault that already exists is unchanged.
    let none = with(earlier.clone(), "publicKeyEcdsa", json!(format!("02{}05", "00".repeat(31))));
    for earlier in [none, with(earlier, "name", json!("Other"))] {
        let before = world.table(Table::Vaults).await;
        let settings = json!({"activeVault": vault_id(0), "vault": earlier}).to_string();
        world.write(Table::Settings, "settings", &settings).await;
        world.restart().await;
        assert_eq!(world.table(Table::Vaults).await, before);
        assert!(!world.table(Table::Settings).await[0].text.contains("\"vault\""));
    }
}

/// A password that is tried first is refused with its reason: for a new vault, for one that is brought, and for a changed
/// password. Nothing is kept, and no attempt is counted.
#[tokio::test(start_paused = true)]
async fn common_passwords_are_refused() {
    let world = World::new().await;
    let common = |path: &str| {
        (
            400,
            error("common_password", "is among the most common passwords, which are tried first", Some(path)),
        )
    };
    let before = world.records().await;
    let key = "5e".repeat(32);
    let keys = json!({"ecdsa": key, "eddsa": key, "chainCode": key});
    let file = json!({"kind": "file", "file": "a .vult file", "filePassword": "Plum-Tortoise-4711-Gable"});
    for (body, password) in [
        (local("A"), "password"),
        (local("A"), "PassWord2026!"),
        (local("A"), "aaaaaaaaaaaa"),
        (with(local("A"), "mnemonic", phrases()[0]["words"].clone()), "qwertyuiop"),
        (with(local("A"), "keys", keys), "iloveyou"),
        (file, "12345678"),
    ] {
        let body = with(body, "password", json!(password));
        assert_eq!(world.call("POST", "/api/vaults", body).await, common("/password"), "{password}");
    }
    assert_eq!(world.records().await, before);
    let made = create(&world, local("A")).await;
    let before = world.records().await;
    for password in [PASSWORD, "not the password"] {
        let change = json!({"password": password, "newPassword": "Sunshine1"});
        assert_eq!(post(&world, &made, "password", change).await, common("/newPassword"));
    }
    assert_eq!(world.records().await, before);
}
