//! Descriptors of contracts (ERC-7730), through the whole core: packs, and what they say of a bundle.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use countersign_tests::evm::{Evm, PAYEE, STRANGER, USDC, bundle};
use countersign_tests::world::*;
use serde_json::{Value, json};

const PACKS: &str = "/api/descriptors";
const PHRASE: &str =
    "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about";
const ADDRESS: &str = "https://packs.example/registry.json";
const TRANSFER: &str = "transfer(address to,uint256 value)";
const APPROVE: &str = "approve(address spender,uint256 value)";

/// A descriptor of USDC on Ethereum with one format.
fn descriptor(key: &str, fields: Value) -> Value {
    json!({
        "$schema": "erc7730-v2.schema.json",
        "context": {"contract": {"deployments": [{"chainId": 1, "address": USDC}]}},
        "metadata": {"owner": "Circle", "contractName": "USD Coin"},
        "display": {"formats": {key: {"intent": "Send", "interpolatedIntent": "Send {value}", "fields": fields}}},
    })
}

/// What an honest descriptor shows of a transfer.
fn honest() -> Value {
    descriptor(
        TRANSFER,
        json!([
            {"path": "value", "label": "Amount", "format": "tokenAmount", "params": {"tokenPath": "@.to"}},
            {"path": "to", "label": "To", "format": "addressName"},
        ]),
    )
}

fn file(document: &Value) -> Value {
    json!({"name": "Registry", "file": STANDARD.encode(document.to_string())})
}

/// A world with a vault whose agent proposes one transaction, and this pack.
async fn proposing(transaction: &Evm, document: &Value) -> World {
    let world = World::proposing(json!([bundle("a1", json!([transaction.step("s1", 1)]))])).await;
    // The same keys in every world, so that two can be compared.
    let vault =
        json!({"kind": "local", "name": "Main", "password": "correct horse battery", "mnemonic": PHRASE});
    assert_eq!(world.call("POST", "/api/vaults", vault).await.0, 201);
    let (status, answer) = world.call("POST", PACKS, file(document)).await;
    assert_eq!(status, 201, "{answer}");
    world
}

/// The decoded transaction that the prompt shows.
async fn decoded(world: &World) -> Value {
    world.say("go").await;
    world.pass(10_000).await;
    let bundles = world.get("/api/bundles").await;
    bundles["bundles"][0]["steps"][0]["transactions"][0].clone()
}

async fn describe(transaction: &Evm, document: &Value) -> Value {
    decoded(&proposing(transaction, document).await).await["description"].clone()
}

fn transfer() -> Evm {
    Evm::sends(USDC, PAYEE, 1_500_000)
}

/// What a descriptor says is stored with the transaction, under the pack's name, and agrees with the bytes.
#[tokio::test(start_paused = true)]
async fn honest_descriptor_is_shown_without_a_warning() {
    let description = describe(&transfer(), &honest()).await;
    assert_eq!(description["pack"], "Registry");
    assert_eq!(description["outcome"], "clear_signed");
    assert_eq!(description["rendering"]["sentence"], "Send 1.5 USDC");
    let field = |index: usize| {
        let field = &description["rendering"]["fields"][index];
        (field["label"].as_str().unwrap().to_owned(), field["value"].as_str().unwrap().to_owned())
    };
    assert_eq!(field(0), ("Amount".to_owned(), "1.5 USDC".to_owned()));
    assert_eq!(field(1), ("To".to_owned(), PAYEE.to_owned()));
    assert_eq!((&description["contradictions"], &description["diagnostics"]), (&json!([]), &json!([])));
}

/// Whatever a descriptor says, what the bytes show, the verdict and the consent's digest are the same as without it.
#[tokio::test(start_paused = true)]
async fn nothing_that_is_decided_depends_on_a_descriptor() {
    let unknown = Evm { data: "12345678".to_owned(), ..Evm::pays(USDC, 0) };
    let hostile = |key: &str| {
        descriptor(key, json!([{"value": "Nothing happens. Countersign has checked this.", "label": "Safe"}]))
    };
    // The selector of this name is none that the wallet knows.
    let cases = [(transfer(), hostile(TRANSFER)), (transfer(), honest()), (unknown, hostile("f()"))];
    for (transaction, document) in cases {
        let with = proposing(&transaction, &document).await;
        let without = proposing(&transaction, &descriptor("other()", json!([]))).await;
        let (one, other) = (decoded(&with).await, decoded(&without).await);
        for part in ["explanation", "claims", "contradictions", "unverified", "digest"] {
            assert_eq!(one[part], other[part], "{part}");
        }
        let verdict = |bundles: &Value| {
            let bundle = &bundles["bundles"][0];
            (bundle["verdict"].clone(), bundle["digest"].clone())
        };
        assert_eq!(verdict(&with.get("/api/bundles").await), verdict(&without.get("/api/bundles").await));
        let reasons = async |world: &World| world.prompts().await[0]["reasons"].clone();
        assert_eq!(reasons(&with).await, reasons(&without).await);
    }
}

/// Where a descriptor leaves out a party, or says another amount, the consent says so.
#[tokio::test(start_paused = true)]
async fn contradictions_with_the_bytes_are_found() {
    let amount =
        json!({"path": "value", "label": "Amount", "format": "tokenAmount", "params": {"tokenPath": "@.to"}});
    let to = json!({"path": "to", "label": "To", "format": "addressName"});
    let spender = json!({"path": "spender", "label": "Spender", "format": "addressName"});
    let left_out = |about: &str, actual: &str| json!({"about": about, "described": null, "actual": actual});
    let with_params = |params: Value| with(amount.clone(), "params", params);
    let unit = |decimals: u32| json!({"path": "value", "label": "Amount", "format": "unit", "params": {"base": "USDC", "decimals": decimals}});
    let approval = |units| Evm::approves(USDC, STRANGER, units);
    for (transaction, key, fields, expected) in [
        (transfer(), TRANSFER, json!([amount]), json!([left_out("recipient", PAYEE)])),
        (
            transfer(),
            TRANSFER,
            json!([amount, with(to.clone(), "visible", json!("never"))]),
            json!([left_out("recipient", PAYEE)]),
        ),
        (
            transfer(),
            TRANSFER,
            json!([amount, {"value": STRANGER, "label": "To", "format": "addressName"}]),
            json!([left_out("recipient", PAYEE)]),
        ),
        (transfer(), TRANSFER, json!([to]), json!([left_out("amount", "1.5 USDC")])),
        (
            transfer(),
            TRANSFER,
            json!([to, unit(12)]),
            json!([{"about": "amount", "described": "0.0000015USDC", "actual": "1.5 USDC"}]),
        ),
        (
            transfer(),
            TRANSFER,
            json!([to, with_params(json!({"token": "0xdAC17F958D2ee523a2206206994597C13D831ec7"}))]),
            json!([{"about": "token", "described": "1.5 USDT", "actual": "1.5 USDC"}]),
        ),
        (
            transfer(),
            TRANSFER,
            json!([to, with_params(json!({"tokenPath": "@.to", "threshold": "1", "message": "A little"}))]),
            json!([{"about": "amount", "described": "A little USDC", "actual": "1.5 USDC"}]),
        ),
        (approval(Some(7)), APPROVE, json!([amount]), json!([left_out("spender", STRANGER)])),
        (transfer(), TRANSFER, json!([to, unit(6)]), json!([])),
        (
            approval(None),
            APPROVE,
            json!([spender, with_params(json!({"tokenPath": "@.to", "threshold": "0xffffffff"}))]),
            json!([]),
        ),
    ] {
        let description = describe(&transaction, &descriptor(key, fields.clone())).await;
        assert_eq!(description["contradictions"], expected, "{fields}");
    }
}

/// A descriptor that cannot be applied fails by itself; one that says nothing of the function is silent.
#[tokio::test(start_paused = true)]
async fn failures_are_told_by_code() {
    let broken = descriptor(TRANSFER, json!([{"path": "value", "label": "Amount", "format": "magic"}]));
    let description = describe(&transfer(), &broken).await;
    assert_eq!(description["outcome"], "failure");
    assert_eq!(description["diagnostics"][0]["code"], "invalid_descriptor");
    assert_eq!(describe(&transfer(), &descriptor(APPROVE, json!([]))).await, Value::Null);

    let world = proposing(&transfer(), &honest()).await;
    world.browser.set_clear_unavailable(true);
    let description = decoded(&world).await["description"].clone();
    assert_eq!(description["diagnostics"][0]["code"], "clear_unavailable");
    assert_eq!(world.prompts().await.len(), 1);
}

/// Without a pack, and for other contracts, the module is not loaded.
#[tokio::test(start_paused = true)]
async fn the_module_is_loaded_only_where_a_descriptor_is() {
    let world = World::proposing(json!([bundle("a1", json!([transfer().step("s1", 1)]))])).await;
    world.make_vault("correct horse battery").await;
    assert_eq!(decoded(&world).await["description"], Value::Null);
    assert_eq!(world.browser.clear_asked(), 0);

    let world = proposing(&transfer().on_arbitrum(), &honest()).await;
    assert_eq!(decoded(&world).await["description"], Value::Null);
    assert_eq!(world.browser.clear_asked(), 1, "to read the pack");
}

/// A step of a payload is described too, and a call inside a call by the descriptor of its own contract.
#[tokio::test(start_paused = true)]
async fn calls_inside_calls() {
    let inner = format!("a9059cbb{:0>64}{:064x}", PAYEE.trim_start_matches("0x"), 1_500_000);
    let length = inner.len() / 2;
    let selector = chains::encoding::hex(&chains::hash::keccak256(b"run(address,bytes)")[..4]);
    let data =
        format!("{selector}{:0>64}{:064x}{length:064x}{inner:0<192}", USDC.trim_start_matches("0x"), 64);
    let outer = json!({
        "context": {"contract": {"deployments": [{"chainId": 1, "address": STRANGER}]}},
        "display": {"formats": {"run(address target,bytes data)": {"intent": "Run", "fields": [
            {"path": "data", "label": "Call", "format": "calldata", "params": {"calleePath": "target"}},
        ]}}},
    });
    let pack = json!({"files": {"outer.json": outer, "inner.json": honest()}});
    let description = describe(&Evm { data, ..Evm::pays(STRANGER, 0) }, &pack).await;
    let call = &description["rendering"]["fields"][0]["call"];
    assert_eq!((&call["intent"], &call["fields"][0]["value"]), (&json!("Send"), &json!("1.5 USDC")));
    assert_eq!(description["file"], "outer.json");
}

/// Packs are listed and removed, and with them all that they say.
#[tokio::test(start_paused = true)]
async fn packs_come_and_go() {
    let world = World::new().await;
    let before = world.records().await["descriptors"].len();
    let (status, added) = world.call("POST", PACKS, file(&honest())).await;
    assert_eq!((status, &added["taken"], &added["replaces"]), (201, &json!(true), &Value::Null));
    let sha = chains::encoding::hex(&chains::hash::sha256(honest().to_string().as_bytes()));
    assert_eq!((&added["pack"]["digest"], &added["pack"]["count"]), (&json!(sha), &json!(1)));
    assert_eq!(world.get(PACKS).await, json!({"packs": [added["pack"]]}));
    let again = world.call("POST", PACKS, file(&honest())).await;
    assert_eq!((again.0, &again.1["error"]["code"]), (409, &json!("descriptor_pack_exists")));

    let files = json!([
        {"path": "r/registry/a.json", "text": honest().to_string()},
        {"path": "r/registry/testsv2/a.tests.json", "text": "no"},
    ]);
    let (status, folder) = world.call("POST", PACKS, json!({"name": "Folder", "files": files})).await;
    assert_eq!((status, &folder["pack"]["source"]), (201, &json!({"kind": "file"})));
    world.restart().await;
    for pack in [&added, &folder] {
        let path = format!("{PACKS}/{}", pack["pack"]["id"].as_str().unwrap());
        assert_eq!(world.call("DELETE", &path, Value::Null).await.0, 204);
        assert_eq!(world.call("DELETE", &path, Value::Null).await.0, 404);
    }
    assert_eq!(
        (world.get(PACKS).await, world.records().await["descriptors"].len()),
        (json!({"packs": []}), before)
    );
}

/// A ZIP of a registry's folder.
#[tokio::test(start_paused = true)]
async fn archives() {
    let stored = |name: &str, content: &str| (name.to_owned(), content.to_owned());
    let archive = zip(&[
        stored("registry-main/README.md", "# text"),
        stored("registry-main/ercs/common.json", &json!({"metadata": {"owner": "Circle"}}).to_string()),
        stored(
            "registry-main/registry/circle/usdc.json",
            &with(honest(), "includes", json!("../../ercs/common.json")).to_string(),
        ),
    ]);
    let world = World::new().await;
    let body = json!({"name": "Zip", "file": STANDARD.encode(&archive)});
    let (status, answer) = world.call("POST", PACKS, body).await;
    assert_eq!((status, &answer["pack"]["count"]), (201, &json!(1)), "{answer}");
    let body = json!({"name": "Zip", "file": STANDARD.encode(&archive[..archive.len() - 5])});
    let (status, answer) = world.call("POST", PACKS, body).await;
    assert_eq!((status, &answer["error"]["code"]), (400, &json!("invalid_archive")));
}

/// What an address gives is shown first, and taken only with the digest that was shown.
#[tokio::test(start_paused = true)]
async fn addresses_are_pinned() {
    let world = World::new().await;
    let serve = |document: Value| world.set_nodes(move |_| Answer::json(&document));
    let post = async |digest: Option<&Value>| {
        let mut body = json!({"name": "Online", "url": ADDRESS});
        if let Some(digest) = digest {
            body["digest"] = digest.clone();
        }
        world.call("POST", PACKS, body).await
    };
    serve(honest());
    let (status, shown) = post(None).await;
    assert_eq!((status, &shown["taken"]), (200, &json!(false)));
    assert_eq!(world.get(PACKS).await, json!({"packs": []}));
    let (status, first) = post(Some(&shown["pack"]["digest"])).await;
    assert_eq!((status, &first["taken"]), (201, &json!(true)));

    // The bytes change: nothing is taken without the new digest, and the old one does not do.
    serve(descriptor(TRANSFER, json!([])));
    let (status, changed) = post(None).await;
    assert_eq!((status, &changed["replaces"]), (200, &first["pack"]["digest"]));
    let (status, refused) = post(Some(&first["pack"]["digest"])).await;
    assert_eq!((status, &refused["error"]["code"]), (409, &json!("descriptor_pack_changed")));
    assert_eq!(world.get(PACKS).await["packs"][0]["digest"], first["pack"]["digest"]);
    let (status, second) = post(Some(&changed["pack"]["digest"])).await;
    assert_eq!((status, &second["replaces"]), (201, &first["pack"]["digest"]));
    assert_eq!(world.get(PACKS).await, json!({"packs": [second["pack"]]}));
}

/// A pack is removed, and another takes its place, while the user looks at what it said: what is shown stays what was shown, with
/// the digest of the pack that said it, and the answer to it counts.
#[tokio::test(start_paused = true)]
async fn packs_that_change_while_the_user_is_asked() {
    let world = proposing(&transfer(), &honest()).await;
    let before = decoded(&world).await;
    let prompt = world.prompts().await.remove(0);
    let pack = world.get(PACKS).await["packs"][0].clone();
    let path = format!("{PACKS}/{}", pack["id"].as_str().unwrap());
    assert_eq!(world.call("DELETE", &path, Value::Null).await.0, 204);
    let lying = descriptor(TRANSFER, json!([{"value": "Nothing", "label": "Amount"}]));
    assert_eq!(world.call("POST", PACKS, file(&lying)).await.0, 201);
    world.restart().await;
    let bundles = world.get("/api/bundles").await;
    let after = &bundles["bundles"][0]["steps"][0]["transactions"][0]["description"];
    assert_eq!((after, &after["digest"]), (&before["description"], &pack["digest"]));
    let open = world.prompts().await;
    assert_eq!((open.len(), &open[0]["digest"]), (1, &prompt["digest"]));
    assert_eq!(world.answer_prompt(&prompt, json!({"approve": true})).await.0, 200);
}

/// Every bad pack has a code and a place, and changes nothing.
#[tokio::test(start_paused = true)]
async fn bad_packs_change_nothing() {
    let world = World::new().await;
    let before = world.records().await;
    let of = |text: &str| json!({"name": "Bad", "file": STANDARD.encode(text)});
    let endless = json!({"files": {"a.json": {"includes": "b.json"}, "b.json": {"includes": "a.json"}}});
    for (body, status, code, path) in [
        (of("{"), 400, "descriptor_not_json", "descriptor.json"),
        (of("[]"), 400, "invalid_descriptor", "descriptor.json"),
        (of(&endless.to_string()), 400, "includes_loop", "a.json"),
        (of(r#"{"context": {}}"#), 400, "empty_pack", ""),
        (json!({"name": "Bad", "file": "*"}), 400, "invalid_request", "/file"),
        (json!({"name": "Bad", "file": STANDARD.encode([0xff])}), 400, "invalid_request", "/file"),
        (json!({"name": "Bad"}), 400, "invalid_request", ""),
        (json!({"name": "Bad", "file": "", "url": ADDRESS}), 400, "invalid_request", ""),
        (json!({"name": " ", "file": ""}), 400, "invalid_request", "/name"),
        (json!({"name": 7, "file": ""}), 400, "invalid_request", "/name"),
        (json!({"name": "Bad", "other": 1}), 400, "invalid_request", "/other"),
        (json!({"name": "Bad", "url": "http://packs.example"}), 400, "invalid_request", "/url"),
        (json!({"name": "Bad", "url": ADDRESS}), 502, "descriptor_pack_unreachable", "/url"),
    ] {
        let (found, answer) = world.call("POST", PACKS, body.clone()).await;
        let error = &answer["error"];
        assert_eq!((found, error["code"].as_str()), (status, Some(code)), "{body} {answer}");
        assert_eq!(error["path"].as_str().unwrap_or_default(), path, "{answer}");
    }
    world.set_nodes(|_| Answer::Http(200, "application/json", " ".repeat(5 << 20)));
    let (status, answer) = world.call("POST", PACKS, json!({"name": "Bad", "url": ADDRESS})).await;
    assert_eq!((status, &answer["error"]["code"]), (413, &json!("pack_too_large")));
    world.browser.set_clear_unavailable(true);
    let (status, answer) = world.call("POST", PACKS, file(&honest())).await;
    assert_eq!((status, &answer["error"]["code"]), (503, &json!("clear_unavailable")));
    assert_eq!(world.records().await, before);
}

/// A ZIP of stored files.
fn zip(files: &[(String, String)]) -> Vec<u8> {
    let crc = |bytes: &[u8]| {
        !bytes.iter().fold(!0_u32, |crc, byte| {
            (0..8)
                .fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg()))
        })
    };
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in files {
        let size = u32::try_from(content.len()).unwrap().to_le_bytes();
        let mut header = vec![20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0];
        header.extend(crc(content.as_bytes()).to_le_bytes());
        header.extend([size, size].concat());
        header.extend(u16::try_from(name.len()).unwrap().to_le_bytes());
        header.extend([0, 0]);
        let offset = u32::try_from(archive.len()).unwrap().to_le_bytes();
        archive.extend(*b"PK\x03\x04");
        archive.extend(&header);
        archive.extend(name.bytes().chain(content.bytes()));
        directory.extend(*b"PK\x01\x02\x14\x00");
        directory.extend(&header);
        directory.extend([0; 10]);
        directory.extend(offset);
        directory.extend(name.bytes());
    }
    let start = u32::try_from(archive.len()).unwrap().to_le_bytes();
    let size = u32::try_from(directory.len()).unwrap().to_le_bytes();
    let count = u16::try_from(files.len()).unwrap().to_le_bytes();
    archive.extend(directory);
    archive.extend(*b"PK\x05\x06\x00\x00\x00\x00");
    archive.extend([count, count].concat());
    archive.extend([size, start].concat());
    archive.extend([0, 0]);
    archive
}
