//! Messages that web pages ask to have signed: explained, judged, asked about, signed once, and refused where they are
//! something else.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test's support fails the test"
)]

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use countersign_tests::world::*;
use runtime::store::Table;
use serde_json::{Value, json};

pub(crate) const PAGE: &str = "https://app.example";
pub(crate) const PASSWORD: &str = "correct horse battery";
const PHRASE: &str =
    "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about";
pub(crate) const OWN: &str = "0x9858EfFD232B4033E47d90003D41EC34EcaEda94";
pub(crate) const USDC: &str = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
pub(crate) const ROUTER: &str = "0x66a9893cC07D91D95644AEDD05D03f95e1dBA8Af";
pub(crate) const STRANGER: &str = "0x1111111111111111111111111111111111111111";
/// "Hello World" by ethers, with the phrase's first key.
const HELLO: &str = "0x5f378439a4a24550a57d28727ebdbfb3779e20825b86b39e1df1b4e48523e1a81a982c255f9bc387c5af3d1ec4cb1e8157f1f2838b72ca4506bb9bfc6b2d50aa1b";
/// [`permit`] of half an hour by ethers.
const PERMIT: &str = "0x79727ad931a0f674e60112864ff6082d0b1894c4c6446525ef67991aa092cb7d12bb0653c51ae8fcab3b2e820d40624df151b96e25d40c1278812247b9b9fbc81c";

/// A world with a connected page. The vault is of the phrase, or, if `fast`, of a signer that needs no time.
pub(crate) async fn connected(fast: bool) -> World {
    let world = World::new().await;
    let mut body = json!({"kind": "local", "name": "Main", "password": PASSWORD});
    if fast {
        world.browser.use_fast_signer();
    } else {
        body["mnemonic"] = json!(PHRASE);
    }
    let (status, vault) = world.call("POST", "/api/vaults", body).await;
    assert_eq!(status, 201, "{vault}");
    let grant = json!({"origin": PAGE, "connectedAt": world.browser.now(), "vaultIds": [vault["id"]],
        "chains": ["Ethereum", "Solana", "Sui"], "currentChain": "Ethereum", "expiresAt": null});
    world.write(Table::Connections, PAGE, &grant.to_string()).await;
    world
}

/// The page's account on Ethereum or Solana.
pub(crate) async fn own(world: &World, chain: &str) -> String {
    let core = world.core();
    let state: Value = serde_json::from_str(&world.run(core.page_state(PAGE)).await.unwrap()).unwrap();
    let address = if chain == "Solana" { &state["solana"][0]["address"] } else { &state["accounts"][0] };
    address.as_str().unwrap().to_owned()
}

pub(crate) async fn request(world: &World, id: &str, method: &str, params: Value) -> Value {
    let text = json!({"id": id, "method": method, "params": params}).to_string();
    let core = world.core();
    let answer = world.run(core.page(PAGE, "document", 1, &text)).await;
    serde_json::from_str(&answer).unwrap()
}

/// Approves what is asked, with the password where one is; the kinds of the questions.
pub(crate) async fn approve_all(world: &World, count: usize) -> Vec<Value> {
    approve_each(world, count, true).await
}

/// The same; between two looks time passes, or the tasks make a step.
async fn approve_each(world: &World, count: usize, passes: bool) -> Vec<Value> {
    let mut kinds = Vec::new();
    while kinds.len() < count {
        match world.prompts().await.as_slice() {
            [prompt] => {
                kinds.push(prompt["kind"].clone());
                let answer = json!({"approve": true, "password": PASSWORD});
                assert_eq!(world.answer_prompt(prompt, answer).await.0, 200);
            }
            [] if passes => world.settle().await,
            [] => tokio::task::yield_now().await,
            several => panic!("{several:?}"),
        }
    }
    kinds
}

/// A request that is approved: its answer, and what was asked.
pub(crate) async fn approved(
    world: &World,
    method: &str,
    params: Value,
    prompts: usize,
) -> (Value, Vec<Value>) {
    tokio::join!(request(world, "n-1", method, params), approve_all(world, prompts))
}

/// The message of the only prompt, which is then rejected.
pub(crate) async fn asked(world: &World, id: &str, method: &str, params: Value) -> (Value, Value) {
    let user = async {
        loop {
            if let [prompt] = world.prompts().await.as_slice() {
                let target = format!("/api/messages/{}", prompt["callId"].as_str().unwrap());
                let message = world.get(&target).await;
                assert_eq!(prompt["subject"], message["shown"]);
                world.answer_prompt(prompt, json!({"approve": false})).await;
                return message;
            }
            world.settle().await;
        }
    };
    tokio::join!(request(world, id, method, params), user)
}

async fn calls(world: &World) -> Vec<Value> {
    world.get("/api/calls").await["calls"].as_array().unwrap().clone()
}

pub(crate) fn codes(message: &Value) -> Vec<&str> {
    let reasons = message["verdict"]["reasons"].as_array().unwrap();
    let codes = reasons.iter().map(|reason| reason["code"].as_str().unwrap());
    // What is said of the site is not the message's.
    codes.filter(|code| *code != "new_site").collect()
}

pub(crate) fn permit(owner: &str, value: &str, deadline: u64) -> Value {
    json!({
        "types": {"Permit": [
            {"name": "owner", "type": "address"}, {"name": "spender", "type": "address"},
            {"name": "value", "type": "uint256"}, {"name": "nonce", "type": "uint256"},
            {"name": "deadline", "type": "uint256"}]},
        "primaryType": "Permit",
        "domain": {"name": "USD Coin", "version": "2", "chainId": 1, "verifyingContract": USDC},
        "message": {"owner": owner, "spender": ROUTER, "value": value, "nonce": 0, "deadline": deadline}})
}

/// The user sees the text, gives the password, and the page gets the signature that any library makes. It is recorded once.
#[tokio::test(start_paused = true)]
async fn a_text_is_signed() {
    let world = connected(false).await;
    let (answer, kinds) = approved(&world, "personal_sign", json!(["Hello World", OWN]), 2).await;
    assert_eq!(kinds, ["message_approval", "password_required"]);
    assert_eq!(answer, json!({"result": HELLO}));
    let made = calls(&world).await;
    let id = made[0]["id"].as_str().unwrap();
    let message = world.get(&format!("/api/messages/{id}")).await;
    assert_eq!(
        (&message["kind"], &message["text"], &message["state"], &message["account"]),
        (&json!("text"), &json!("Hello World"), &json!("signed"), &json!(OWN))
    );
    assert_eq!(codes(&message), ["signing"]);
    assert_eq!(message["signature"], HELLO.trim_start_matches("0x"));
    // The same request again is the same call; in hex, and in the other order, it is the same message.
    assert_eq!(
        request(&world, "n-1", "personal_sign", json!(["Hello World", OWN])).await,
        json!({"result": HELLO})
    );
    assert_eq!(calls(&world).await.len(), 1);
    world.unlock(PASSWORD).await;
    let in_hex = json!([OWN.to_lowercase(), "0x48656c6c6f20576f726c64"]);
    let (again, _) = tokio::join!(request(&world, "n-2", "personal_sign", in_hex), approve_all(&world, 1));
    assert_eq!(again, json!({"result": HELLO}));
    let (status, none) = world.call("GET", "/api/messages/none", Value::Null).await;
    assert_eq!((status, &none["error"]["code"]), (404, &json!("message_not_found")));
}

/// A bounded permit of a known token for a known spender asks as any signature does; the signature is that of ethers.
#[tokio::test(start_paused = true)]
async fn a_permit_is_told_and_signed() {
    let world = connected(false).await;
    world.unlock(PASSWORD).await;
    let data = permit(OWN, "1500000", START / 1000 + 1800);
    let (answer, message) =
        asked(&world, "n-0", "eth_signTypedData_v4", json!([OWN, data.to_string()])).await;
    assert_eq!(answer["error"]["code"], 4001);
    assert_eq!((&message["kind"], codes(&message)), (&json!("permit"), vec!["signing"]));
    let effect = &message["step"]["transactions"][0]["explanation"]["effects"][0];
    assert_eq!((&effect["kind"], &effect["amount"]["shown"]), (&json!("approve"), &json!("1.5 USDC")));
    let (answer, _) = approved(&world, "eth_signTypedData_v4", json!([OWN, data]), 1).await;
    assert_eq!(answer, json!({"result": PERMIT}));
}

/// What is unlimited, lasts, names a stranger, or is not known warns.
#[tokio::test(start_paused = true)]
async fn what_allows_much_warns() {
    let world = connected(false).await;
    let all = "115792089237316195423570985008687907853269984665640564039457584007913129639935";
    let mut data = permit(OWN, all, 99_999_999_999);
    data["message"]["spender"] = json!(STRANGER);
    let (_, message) = asked(&world, "n-1", "eth_signTypedData_v4", json!([OWN, data])).await;
    assert_eq!(codes(&message), ["unlimited_approval", "unknown_spender", "long_lasting", "signing"]);
    world.pass(120_000).await;
    let mut data = permit(OWN, "1", START / 1000 + 1800);
    data["types"]["Permit"][0]["type"] = json!("bytes20");
    data["message"]["owner"] = json!(OWN.to_lowercase());
    let (_, message) = asked(&world, "n-2", "eth_signTypedData_v4", json!([OWN, data])).await;
    assert_eq!((&message["kind"], codes(&message)), (&json!("unknown"), vec!["unweighed_effect", "signing"]));
    world.pass(120_000).await;
    let (_, message) = asked(&world, "n-3", "personal_sign", json!(["\u{202e}evil", OWN])).await;
    assert_eq!(
        (&message["text"], codes(&message)),
        (&json!("⟨U+202E⟩evil"), vec!["hidden_characters", "signing"])
    );
}

/// Limits and lists hold for messages: a permit is an approval.
#[tokio::test(start_paused = true)]
async fn limits_and_lists_hold() {
    let world = connected(false).await;
    world.unlock(PASSWORD).await;
    let limit = json!({"id": "usdc", "who": {"kind": "anybody"}, "chain": "Ethereum", "token": USDC,
        "perTransaction": "1000000", "perDay": null});
    let rules = json!({"limits": [limit]});
    assert_eq!(world.call("PUT", "/api/policy", rules).await.0, 200);
    let sign = |id: &'static str, data: Value| {
        let world = &world;
        async move { request(world, id, "eth_signTypedData_v4", json!([OWN, data])).await }
    };
    let over = sign("n-1", permit(OWN, "1500000", START / 1000 + 1800)).await;
    assert_eq!(over["error"]["data"]["code"], "over_transaction_limit");
    // What nothing is known of could break it.
    let mut unknown = permit(OWN, "1", START / 1000 + 1800);
    unknown["types"]["Permit"][0]["name"] = json!("holder");
    unknown["message"]["holder"] = unknown["message"]["owner"].take();
    unknown["message"].as_object_mut().unwrap().remove("owner");
    let unread = sign("n-2", unknown).await;
    assert_eq!(unread["error"]["data"]["code"], "rule_error", "{unread}");
    let listed = json!({"contracts": [{"chain": "Ethereum", "address": STRANGER}]});
    let (status, problem) = world.call("PUT", "/api/policy", with(listed, "password", json!(PASSWORD))).await;
    assert_eq!(status, 200, "{problem}");
    let blocked = sign("n-3", permit(OWN, "5", START / 1000 + 1800)).await;
    assert_eq!(blocked["error"]["data"]["code"], "contract_not_allowed", "{blocked}");
    assert_eq!(world.prompts().await, Vec::<Value>::new());
}

/// Nothing that is no message, no typed data, or for another account is asked about.
#[tokio::test(start_paused = true)]
async fn bad_requests_are_refused_without_a_window() {
    let world = connected(false).await;
    let mut other_chain = permit(OWN, "1", 1);
    other_chain["domain"]["chainId"] = json!(137);
    let sign_in =
        format!("evil.example wants you to sign in with your Ethereum account:\n{OWN}\n\n\nURI: x:");
    let cases = [
        ("eth_sign", json!([OWN, "0x00"]), 4200),
        ("eth_signTypedData", json!([OWN, []]), 4200),
        ("eth_signTypedData_v1", json!([[], OWN]), 4200),
        ("eth_signTypedData_v3", json!([OWN, {}]), 4200),
        ("personal_sign", json!(["hi", STRANGER]), 4100),
        ("personal_sign", json!(["hi"]), -32602),
        ("personal_sign", json!({}), -32602),
        ("personal_sign", json!([7, OWN]), -32602),
        ("personal_sign", json!([format!("0x{}", "ab".repeat(32)), OWN]), -32602),
        ("personal_sign", json!([format!("0x1901{}", "ab".repeat(64)), OWN]), -32602),
        ("personal_sign", json!([sign_in, OWN]), -32602),
        ("eth_signTypedData_v4", json!([OWN, "{}"]), -32602),
        ("eth_signTypedData_v4", json!([OWN, "x"]), -32602),
        ("eth_signTypedData_v4", json!([OWN, 7]), -32602),
        ("eth_signTypedData_v4", json!([STRANGER, permit(OWN, "1", 1)]), 4100),
        ("eth_signTypedData_v4", json!([OWN, other_chain]), -32602),
        ("solana_signMessage", json!({"message": "%"}), -32602),
        ("solana_signMessage", json!([]), -32602),
        ("solana_signMessage", json!({"message": "aGk=", "account": STRANGER}), 4100),
        ("solana_signIn", json!({"domain": "evil.example"}), -32602),
        ("solana_signIn", json!({"statement": "a\nURI: b"}), -32602),
        ("solana_signTransaction", json!({"transaction": 7}), -32602),
        ("sui_signPersonalMessage", json!(["x"]), -32602),
    ];
    for (index, (method, params, code)) in cases.into_iter().enumerate() {
        let answer = request(&world, &format!("n-{index}"), method, params.clone()).await;
        assert_eq!(answer["error"]["code"], code, "{method} {params} {answer}");
        assert!(answer["error"]["message"].as_str().unwrap().len() > 8, "{answer}");
    }
    assert_eq!(world.prompts().await, Vec::<Value>::new());
    assert_eq!(world.table(Table::SettledPrompts).await.len(), 0);
    // A page that is not connected gets nothing.
    world.call("DELETE", "/api/connections/https%3A%2F%2Fapp.example", Value::Null).await;
    let answer = request(&world, "m-1", "personal_sign", json!(["hi", OWN])).await;
    assert_eq!(answer["error"]["code"], 4100);
}

/// An agent and the user's own pages have no messages signed.
#[tokio::test(start_paused = true)]
async fn messages_are_for_pages() {
    let world = connected(false).await;
    let params = json!({"chain": "Ethereum", "form": "personal", "content": "0x6869"});
    for tool in ["sign_message", "sign_transaction"] {
        let result = world.act_once(tool, params.clone()).await;
        assert!(result["error"].as_str().unwrap().starts_with("only_for_pages"), "{result}");
    }
}

/// Solana signs the bytes as they are, and makes the text of a sign-in by itself; Sui adds its intent.
#[tokio::test(start_paused = true)]
async fn other_chains_sign() {
    let world = connected(false).await;
    world.unlock(PASSWORD).await;
    let text =
        |encoded: &Value| String::from_utf8(STANDARD.decode(encoded.as_str().unwrap()).unwrap()).unwrap();
    let params = json!([{"message": STANDARD.encode("one")}, {"message": STANDARD.encode("two")}]);
    let (answer, _) = approved(&world, "solana_signMessage", params, 2).await;
    let results = answer["result"].as_array().unwrap();
    assert_eq!(
        (text(&results[0]["signedMessage"]), text(&results[1]["signedMessage"])),
        ("one".into(), "two".into())
    );
    assert_eq!(STANDARD.decode(results[1]["signature"].as_str().unwrap()).unwrap().len(), 64);
    let input = json!({"statement": "Welcome", "nonce": "abcdefgh"});
    let (answer, _) = tokio::join!(request(&world, "n-2", "solana_signIn", input), approve_all(&world, 1));
    let signed = text(&answer["result"]["signedMessage"]);
    assert!(signed.starts_with("app.example wants you to sign in with your Solana account:\n"), "{signed}");
    assert_eq!(answer["result"]["account"]["address"], signed.lines().nth(1).unwrap());
    let params = json!({"message": STANDARD.encode("three")});
    let (answer, _) =
        tokio::join!(request(&world, "n-3", "sui_signPersonalMessage", params), approve_all(&world, 1));
    let signature = STANDARD.decode(answer["result"]["signature"].as_str().unwrap()).unwrap();
    assert_eq!(
        (signature.len(), signature[0], text(&answer["result"]["bytes"])),
        (97, 0, "three".to_owned())
    );
}

/// Rejected, expired, stopped, disconnected meanwhile: the page gets one error, and no signature is made.
#[tokio::test(start_paused = true)]
async fn what_is_not_approved_is_not_signed() {
    let world = connected(true).await;
    let account = own(&world, "Ethereum").await;
    let hello = json!(["Hello", account]);
    let (answer, message) = asked(&world, "n-1", "personal_sign", hello.clone()).await;
    assert_eq!((&answer["error"]["code"], &message["state"]), (&json!(4001), &json!("asking")));
    let (late, ()) =
        tokio::join!(request(&world, "n-2", "personal_sign", hello.clone()), world.pass(11 * 60_000));
    assert_eq!(late["error"]["code"], 4001);
    // A site that was rejected twice waits a while.
    world.pass(3_600_000).await;
    // The password is not given.
    let user = async {
        approve_all(&world, 1).await;
        loop {
            if let [prompt] = world.prompts().await.as_slice() {
                assert_eq!(prompt["kind"], "password_required");
                return world.answer_prompt(prompt, json!({"approve": false})).await;
            }
            world.settle().await;
        }
    };
    let (answer, _) = tokio::join!(request(&world, "n-3", "personal_sign", hello.clone()), user);
    assert_eq!(answer["error"]["code"], 4001, "{answer}");
    // The page is disconnected while the password is asked for.
    world.pass(3_600_000).await;
    let user = async {
        approve_all(&world, 1).await;
        world.call("DELETE", "/api/connections/https%3A%2F%2Fapp.example", Value::Null).await;
    };
    let (answer, ()) = tokio::join!(request(&world, "n-4", "personal_sign", hello), user);
    assert!([4001, 4100].contains(&answer["error"]["code"].as_i64().unwrap()), "{answer}");
    let rows = world.table(Table::Messages).await;
    assert!(rows.iter().all(|row| row.text.contains(r#""signature":null"#)));
}

/// Killed at any point, and asked again with the same id: one call, one prompt, one signature, one answer.
#[tokio::test(start_paused = true)]
async fn killed_at_any_point_there_is_one_signature() {
    let undisturbed = connected(true).await;
    undisturbed.unlock(PASSWORD).await;
    let account = own(&undisturbed, "Ethereum").await;
    let params = json!(["Hello", account]);
    let (expected, _) = approved(&undisturbed, "personal_sign", params.clone(), 1).await;
    assert!(expected["result"].as_str().is_some_and(|signature| signature.len() == 132), "{expected}");
    for point in 0..60 {
        let world = connected(true).await;
        world.unlock(PASSWORD).await;
        tokio::select! {
            biased;
            // The user approves as soon as there is something to approve.
            _ = async { tokio::join!(
                request(&world, "n-1", "personal_sign", params.clone()),
                approve_each(&world, 1, false),
            ) } => {}
            () = async { for _ in 0..point { tokio::task::yield_now().await; } } => {}
        }
        world.restart().await;
        let user = async {
            for _ in 0..50 {
                if let [prompt] = world.prompts().await.as_slice() {
                    world.answer_prompt(prompt, json!({"approve": true})).await;
                }
                world.settle().await;
            }
        };
        let (answer, ()) = tokio::join!(request(&world, "n-1", "personal_sign", params.clone()), user);
        assert_eq!(answer, expected, "{point}");
        assert_eq!(calls(&world).await.len(), 1, "{point}");
        assert_eq!(world.table(Table::SettledPrompts).await.len(), 1, "{point}");
        assert_eq!(world.table(Table::Messages).await.len(), 1, "{point}");
        world.settle().await;
        assert_eq!(world.work().await, json!([]), "{point}");
    }
}

/// What a registry's descriptor says of a permit stands beside its explanation, and changes neither it nor the verdict. A
/// descriptor that leaves out the spender is contradicted.
#[tokio::test(start_paused = true)]
async fn a_descriptor_of_a_permit_is_quoted() {
    let key = "Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)";
    let amount =
        json!({"path": "value", "label": "Most", "format": "tokenAmount", "params": {"tokenPath": "@.to"}});
    let spender = json!({"path": "spender", "label": "Spender", "format": "addressName"});
    let data = permit(OWN, "1500000", START / 1000 + 1800);
    let mut without = None;
    for (fields, contradictions) in [
        (json!([]), json!(null)),
        (json!([spender, amount]), json!([])),
        (json!([amount]), json!([{"about": "spender", "described": null, "actual": ROUTER}])),
    ] {
        let world = connected(false).await;
        if fields != json!([]) {
            let descriptor = json!({
                "context": {"eip712": {"deployments": [{"chainId": 1, "address": USDC}], "domain": {"name": "USD Coin"}}},
                "display": {"formats": {key: {"intent": "Permit", "fields": fields}}},
            });
            let pack = json!({"name": "Registry", "file": STANDARD.encode(descriptor.to_string())});
            assert_eq!(world.call("POST", "/api/descriptors", pack).await.0, 201);
        }
        let (_, message) = asked(&world, "n-0", "eth_signTypedData_v4", json!([OWN, data])).await;
        let decoded = &message["step"]["transactions"][0];
        assert_eq!(decoded["description"]["contradictions"], contradictions, "{decoded}");
        let decided = (decoded["explanation"].clone(), message["verdict"].clone(), message["digest"].clone());
        assert_eq!(without.get_or_insert_with(|| decided.clone()).0, decided.0);
        assert_eq!(without.as_ref().map(|without| &without.1), Some(&decided.1));
    }
}

/// A transaction of two signers, of whom the first pays: one slot is empty, the other ours.
fn solana_transaction(own: &str, payer: [u8; 32]) -> Vec<u8> {
    let own = bs58::decode(own).into_vec().unwrap();
    let mut bytes =
        [&[2][..], &[0; 128], &[2, 0, 1, 3], &payer, &own, &[0; 32], &[5; 32], &[1, 2, 2, 1, 0, 12]].concat();
    bytes.extend(2_u32.to_le_bytes());
    bytes.extend(1_000_u64.to_le_bytes());
    bytes
}

/// A transaction is signed and not sent: our signature in our slot, everything else as it was. Killed at any point, the page
/// gets the same bytes, and no node gets any.
#[tokio::test(start_paused = true)]
async fn a_transaction_is_signed_for_the_page() {
    let mut seen = Vec::new();
    for point in [None, Some(5), Some(15), Some(30), Some(60)] {
        let world = connected(true).await;
        world.unlock(PASSWORD).await;
        let own = own(&world, "Solana").await;
        let unsigned = solana_transaction(&own, [9; 32]);
        let params = json!({"transaction": STANDARD.encode(&unsigned)});
        if let Some(point) = point {
            tokio::select! {
                biased;
                _ = async { tokio::join!(
                    request(&world, "n-1", "solana_signTransaction", params.clone()),
                    approve_each(&world, 1, true),
                ) } => {}
                () = async { for _ in 0..point { world.settle().await; } } => {}
            }
            world.restart().await;
        }
        let user = async {
            for _ in 0..20_000 {
                if let [prompt] = world.prompts().await.as_slice() {
                    assert_eq!(prompt["kind"], "tx_bundle_approval");
                    world.answer_prompt(prompt, json!({"approve": true})).await;
                }
                world.settle().await;
                if world.table(Table::Transmissions).await.len() == 1 {
                    break;
                }
            }
        };
        let (answer, ()) =
            tokio::join!(request(&world, "n-1", "solana_signTransaction", params.clone()), user);
        let signed =
            STANDARD.decode(answer["result"]["signedTransaction"].as_str().unwrap_or_default()).unwrap();
        assert_eq!(signed.len(), unsigned.len(), "{answer}");
        assert_eq!((&signed[..65], &signed[129..]), (&unsigned[..65], &unsigned[129..]));
        assert_ne!(&signed[65..129], &[0; 64]);
        let bundles = world.get("/api/bundles").await;
        let bundle = &bundles["bundles"][0];
        assert_eq!((&bundle["forPage"], &bundle["progress"][0]["status"]), (&json!(true), &json!("signed")));
        assert_eq!(bundle["success"], true, "{bundle}");
        let sent =
            world.node_calls().iter().filter(|call| format!("{call:?}").contains("sendTransaction")).count();
        assert_eq!(sent, 0);
        seen.push(signed);
    }
    assert!(seen.windows(2).all(|pair| pair[0] == pair[1]));
}
