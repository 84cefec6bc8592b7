//! Solana's and Sui's wallet standards over the whole runtime: transactions that pages have signed, and sent.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chains::encoding::from_hex;
use chains::signing::{Image, PublicKey, Signature};
use countersign_tests::chain::Chains;
use countersign_tests::dapp::{Dapp, ORIGIN};
use countersign_tests::evm::PAYEE;
use countersign_tests::world::*;
use runtime::store::Table;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::rc::Rc;

const PAGE: &str = "https://app.example";
const PASSWORD: &str = "correct horse battery";
const PHRASE: &str =
    "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about";
const SEND: &str = "solana_signAndSendTransaction";
const SIGN: &str = "solana_signTransaction";
const EXECUTE: &str = "sui_signAndExecuteTransaction";

/// A connected page, its accounts, and nodes that keep what they are sent.
struct Families {
    world: World,
    solana: String,
    sui: String,
    /// Transactions that nodes were given, in order.
    sent: Rc<RefCell<Vec<Vec<u8>>>>,
}

impl Families {
    async fn new() -> Self {
        let world = World::new().await;
        let body = json!({"kind": "local", "name": "Main", "password": PASSWORD, "mnemonic": PHRASE});
        let (status, vault) = world.call("POST", "/api/vaults", body).await;
        assert_eq!(status, 201, "{vault}");
        let grant = json!({"origin": PAGE, "connectedAt": world.browser.now(), "vaultIds": [vault["id"]],
            "chains": ["Ethereum", "Solana", "Sui"], "currentChain": "Ethereum", "expiresAt": null});
        world.write(Table::Connections, PAGE, &grant.to_string()).await;
        world.unlock(PASSWORD).await;
        let state = world.page_state(PAGE).await;
        let address = |family: &str| state[family][0]["address"].as_str().unwrap().to_owned();
        let sent = Rc::new(RefCell::new(Vec::new()));
        let kept = Rc::clone(&sent);
        world.set_nodes(move |call| match &call.body {
            Value::Array(calls) => Answer::json(&calls.iter().map(|call| node(call, &kept)).collect()),
            body => Answer::json(&node(body, &kept)),
        });
        Self { solana: address("solana"), sui: address("sui"), world, sent }
    }

    fn key(&self) -> [u8; 32] {
        bs58::decode(&self.solana).into_vec().unwrap().try_into().unwrap()
    }

    /// A request that opens no prompt.
    async fn ask(&self, id: &str, method: &str, params: Value) -> Value {
        self.world.send(&WebPage::new(PAGE, "document", 1), id, method, params).await
    }

    /// A request that the user approves; its answer, and the bundle that was shown.
    async fn approved(&self, id: &str, method: &str, params: Value) -> (Value, Value) {
        let user = async {
            let prompt = self.world.next_prompt().await;
            let call = prompt["callId"].as_str().unwrap().to_owned();
            let shown = self.world.get(&format!("/api/bundles/{call}")).await;
            assert_eq!(self.world.answer_prompt(&prompt, json!({"approve": true})).await.0, 200);
            shown
        };
        tokio::join!(self.ask(id, method, params), user)
    }

    /// Each input is refused with a code at a place, without a prompt and without anything sent.
    async fn refuses(&self, cases: Vec<(&str, Value, i64, &str)>) {
        for (index, (method, params, code, path)) in cases.into_iter().enumerate() {
            let answer = self.ask(&format!("bad-{index}"), method, params.clone()).await;
            let error = &answer["error"];
            assert_eq!(error["code"], code, "{method} {params} {answer}");
            if !path.is_empty() {
                assert_eq!(error["data"]["path"], path, "{method} {params} {answer}");
            }
            assert!(error["message"].as_str().unwrap().len() > 8, "{answer}");
        }
        assert_eq!(self.world.prompts().await, Vec::<Value>::new());
        assert_eq!(self.world.table(Table::SettledPrompts).await.len(), 0);
        assert_eq!(*self.sent.borrow(), Vec::<Vec<u8>>::new());
    }
}

/// A node of Solana and an indexer of Sui: everything is in order, and what is sent is final.
fn node(body: &Value, sent: &RefCell<Vec<Vec<u8>>>) -> Value {
    if let Some(query) = body["query"].as_str() {
        return json!({ "data": indexer(query, &body["variables"], sent) });
    }
    let valued = |value: Value| json!({"context": {"slot": 7}, "value": value});
    let result = match body["method"].as_str().unwrap_or_default() {
        "isBlockhashValid" => valued(json!(true)),
        "getBalance" => valued(json!(5_000_000_000_u64)),
        "simulateTransaction" => valued(json!({"err": null, "logs": [], "unitsConsumed": 150})),
        "sendTransaction" => {
            let bytes = STANDARD.decode(body["params"][0].as_str().unwrap()).unwrap();
            let id = bs58::encode(&bytes[1..65]).into_string();
            sent.borrow_mut().push(bytes);
            json!(id)
        }
        "getSignatureStatuses" => {
            let id = body["params"][0][0].as_str().unwrap();
            let known = sent.borrow().iter().any(|bytes| bs58::encode(&bytes[1..65]).into_string() == id);
            let status =
                json!({"slot": 9, "confirmations": null, "err": null, "confirmationStatus": "finalized"});
            valued(json!([known.then_some(status)]))
        }
        method => {
            let error = json!({"code": -32601, "message": format!("no {method}")});
            return json!({"jsonrpc": "2.0", "id": body["id"], "error": error});
        }
    };
    json!({"jsonrpc": "2.0", "id": body["id"], "result": result})
}

fn indexer(query: &str, variables: &Value, sent: &RefCell<Vec<Vec<u8>>>) -> Value {
    if query.contains("executeTransaction") {
        let bytes = STANDARD.decode(variables["bytes"].as_str().unwrap()).unwrap();
        let digest = digest(&bytes);
        sent.borrow_mut().push(bytes);
        return json!({"executeTransaction": {"effects": {"digest": digest, "status": "SUCCESS"}}});
    }
    if query.contains("multiGetObjects") {
        let keys = variables["keys"].as_array().unwrap();
        let objects: Vec<Value> =
            keys.iter().map(|key| json!({"address": key["address"], "version": 9})).collect();
        return json!({"epoch": {"epochId": 900}, "multiGetObjects": objects});
    }
    if query.contains("transaction(digest") {
        let known = sent.borrow().iter().any(|bytes| variables["digest"] == digest(bytes));
        let effects =
            json!({"status": "SUCCESS", "checkpoint": {"sequenceNumber": 5}, "executionError": null});
        return json!({"transaction": known.then(|| json!({ "effects": effects }))});
    }
    Value::Null
}

/// The id of a transaction of Sui.
fn digest(bytes: &[u8]) -> String {
    let message = [b"TransactionData::".as_slice(), bytes].concat();
    bs58::encode(chains::hash::blake2b256(&message)).into_string()
}

/// A transaction of Solana before it is signed.
struct Unsigned {
    /// Keys that sign; the first pays the fee.
    signers: Vec<[u8; 32]>,
    /// Which of them pays the amount.
    from: u8,
    lamports: u64,
    /// Version 0, with a lookup table or without; else legacy.
    version: Option<bool>,
}

impl Unsigned {
    fn of(signer: [u8; 32], lamports: u64) -> Self {
        Self { signers: vec![signer], from: 0, lamports, version: None }
    }

    fn message(&self) -> Vec<u8> {
        let count = u8::try_from(self.signers.len()).unwrap();
        let mut message = match self.version {
            Some(_) => vec![0x80],
            None => Vec::new(),
        };
        message.extend([count, 0, 1, count + 2]);
        message.extend(self.signers.iter().flatten());
        message.extend([0x44; 32]);
        // The system program.
        message.extend([0; 32]);
        message.extend([9; 32]);
        message.extend([1, count + 1, 2, self.from, count, 12, 2, 0, 0, 0]);
        message.extend(self.lamports.to_le_bytes());
        match self.version {
            Some(true) => message.extend([[1].as_slice(), &[0x55; 32], &[1, 4, 0]].concat()),
            Some(false) => message.push(0),
            None => {}
        }
        message
    }

    /// With an empty slot for each signature.
    fn bytes(&self) -> Vec<u8> {
        let slots = vec![0; 64 * self.signers.len()];
        [vec![u8::try_from(self.signers.len()).unwrap()], slots, self.message()].concat()
    }

    fn input(&self) -> Value {
        json!({"transaction": STANDARD.encode(self.bytes()), "chain": "solana:mainnet"})
    }
}

fn is_signed(key: [u8; 32], message: &[u8], signature: &[u8]) -> bool {
    let signature = Signature(signature.try_into().unwrap());
    PublicKey::Ed25519(key).verify(&Image::Eddsa(message.to_vec()), &signature).is_some()
}

fn bytes(value: &Value) -> Vec<u8> {
    STANDARD.decode(value.as_str().unwrap_or_else(|| panic!("{value}"))).unwrap()
}

/// Approved, signed with the account's key, sent once, and answered with the signature that the network knows it by; the same
/// request finds the same answer. What the page says of how nodes are asked changes nothing.
#[tokio::test(start_paused = true)]
async fn solana_transaction_is_sent_once() {
    let page = Families::new().await;
    let unsigned = Unsigned::of(page.key(), 1_000);
    let mut input = unsigned.input();
    input["options"] =
        json!({"minContextSlot": 12, "skipPreflight": true, "commitment": "finalized", "maxRetries": 0});
    input["account"] = json!(page.solana);
    let (answer, shown) = page.approved("1", SEND, json!([input])).await;
    assert_eq!(shown["source"], json!({"kind": "dapp", "origin": PAGE}));
    let effects = &shown["steps"][0]["transactions"][0]["explanation"]["effects"];
    assert_eq!(
        (&effects[0]["kind"], effects.as_array().unwrap().len()),
        (&json!("transfer"), 1),
        "{effects}"
    );
    let signature = bytes(&answer["result"][0]["signature"]);
    assert!(is_signed(page.key(), &unsigned.message(), &signature));
    let sent = [vec![1], signature, unsigned.message()].concat();
    assert_eq!(*page.sent.borrow(), std::slice::from_ref(&sent));
    assert_eq!(page.ask("1", SEND, json!([input])).await, answer);
    page.world.reopen().await;
    assert_eq!(page.ask("1", SEND, json!([input])).await, answer);
    assert_eq!(*page.sent.borrow(), [sent]);
}

/// Several transactions of one request are one consent, and are answered in their order.
#[tokio::test(start_paused = true)]
async fn several_solana_transactions_are_one_consent() {
    let page = Families::new().await;
    let all = [1, 2, 3].map(|lamports| Unsigned::of(page.key(), lamports));
    let inputs: Vec<Value> = all.iter().map(Unsigned::input).collect();
    let (answer, shown) = page.approved("1", SEND, json!(inputs)).await;
    assert_eq!(shown["steps"].as_array().unwrap().len(), 3);
    let answers = answer["result"].as_array().unwrap();
    assert_eq!((answers.len(), page.sent.borrow().len()), (3, 3));
    for ((unsigned, answer), sent) in all.iter().zip(answers).zip(page.sent.borrow().iter()) {
        assert!(is_signed(page.key(), &unsigned.message(), &bytes(&answer["signature"])));
        assert!(sent.ends_with(&unsigned.message()));
    }
    let (answer, _) = page.approved("2", SIGN, json!(inputs)).await;
    let signed = answer["result"].as_array().unwrap();
    assert_eq!((signed.len(), page.sent.borrow().len()), (3, 3), "signed, and not sent");
}

/// Version 0, with a lookup table: signed as it is. What the table holds is not in the bytes, and the user is told.
#[tokio::test(start_paused = true)]
async fn versioned_solana_transactions() {
    let page = Families::new().await;
    for (id, table) in [("1", false), ("2", true)] {
        let unsigned = Unsigned { version: Some(table), ..Unsigned::of(page.key(), 5) };
        let (answer, _) = page.approved(id, SEND, json!([unsigned.input()])).await;
        assert!(is_signed(page.key(), &unsigned.message(), &bytes(&answer["result"][0]["signature"])));
    }
    assert_eq!(page.sent.borrow().len(), 2);
}

/// Another pays the fee, and others sign too: our signature is put in our slot, and the rest stays empty. What others must sign
/// is not sent from here.
#[tokio::test(start_paused = true)]
async fn solana_transactions_of_several_signers() {
    let page = Families::new().await;
    let sponsored =
        Unsigned { signers: vec![[0x66; 32], page.key()], from: 1, lamports: 7, version: Some(false) };
    let (answer, _) = page.approved("1", SIGN, sponsored.input()).await;
    let signed = bytes(&answer["result"]["signedTransaction"]);
    assert_eq!((&signed[..65], &signed[129..]), (&sponsored.bytes()[..65], &sponsored.bytes()[129..]));
    assert!(is_signed(page.key(), &sponsored.message(), &signed[65..129]));
    let page = Families::new().await;
    let cosigned = Unsigned { signers: vec![page.key(), [0x66; 32]], from: 0, lamports: 7, version: None };
    let mut forged = cosigned.bytes();
    forged[65..129].fill(0x77);
    let forged = json!({"transaction": STANDARD.encode(&forged)});
    page.refuses(vec![
        (SEND, sponsored.input(), 4_100, ""),
        (SEND, cosigned.input(), -32_602, "/0/transaction"),
        (SEND, forged.clone(), -32_602, "/0/transaction"),
        (SIGN, forged, -32_602, "/0/transaction"),
    ])
    .await;
}

/// What is no transaction, of another account, or for another network is refused with a place and without a window.
#[tokio::test(start_paused = true)]
async fn bad_solana_inputs() {
    let page = Families::new().await;
    let good = Unsigned::of(page.key(), 5).input();
    let of = |bytes: &[u8]| json!({"transaction": STANDARD.encode(bytes)});
    let bytes = Unsigned::of(page.key(), 5).bytes();
    let stranger = Unsigned::of([0x33; 32], 5).input();
    let mut cases = Vec::new();
    for method in [SEND, SIGN] {
        for network in
            ["solana:devnet", "solana:testnet", "solana:localnet", "sui:mainnet", "eip155:1", "solana", ""]
        {
            cases.push((method, json!([with(good.clone(), "chain", json!(network))]), -32_602, "/0/chain"));
        }
        cases.extend([
            (method, json!([good, with(good.clone(), "chain", json!("solana:devnet"))]), -32_602, "/1/chain"),
            (method, json!([with(good.clone(), "chain", json!(7))]), -32_602, "/0/chain"),
            (method, json!([of(b"hello")]), -32_602, "/0/transaction"),
            (method, json!([of(&[])]), -32_602, "/0/transaction"),
            (method, json!([of(&[bytes.as_slice(), &[0]].concat())]), -32_602, "/0/transaction"),
            (method, json!([of(&bytes[..bytes.len() - 1])]), -32_602, "/0/transaction"),
            // The message without the slots for signatures.
            (method, json!([of(&bytes[65..])]), -32_602, "/0/transaction"),
            (method, json!([good, of(b"hello")]), -32_602, "/1/transaction"),
            (method, json!([{"transaction": "%"}]), -32_602, "/0/transaction"),
            (method, json!([{"transaction": [1, 2]}]), -32_602, "/0/transaction"),
            (method, json!([{}]), -32_602, "/0/transaction"),
            (method, json!([7]), -32_602, "/0"),
            (method, json!([]), -32_602, ""),
            (method, json!(vec![good.clone(); 21]), -32_602, ""),
            (method, json!([with(good.clone(), "account", json!(7))]), -32_602, "/0/account"),
            (method, json!([with(good.clone(), "account", json!({}))]), -32_602, "/0/account"),
            (method, json!([with(good.clone(), "account", json!(page.sui))]), 4_100, ""),
            (method, json!([stranger]), 4_100, ""),
        ]);
    }
    page.refuses(cases).await;
    // A local network is one where the user's own node is on this machine.
    let nodes = json!({"endpoints": {"Solana": {"url": "http://127.0.0.1:8899"}}, "password": PASSWORD});
    let (status, body) = page.world.call("PATCH", "/api/settings", nodes).await;
    assert_eq!(status, 200, "{body}");
    let (answer, _) =
        page.approved("1", SEND, json!([with(good.clone(), "chain", json!("solana:localnet"))])).await;
    assert!(answer["result"][0]["signature"].is_string(), "{answer}");
    let refused = page.ask("2", SEND, json!([with(good, "chain", json!("solana:devnet"))])).await;
    assert_eq!(refused["error"]["code"], -32_602);
}

/// The bytes of a message are signed as they are: none that the network could take for a transaction.
#[tokio::test(start_paused = true)]
async fn messages_that_are_transactions() {
    let page = Families::new().await;
    let of = |bytes: &[u8]| json!([{"message": STANDARD.encode(bytes)}]);
    let path = "/0/message";
    let mut cases = Vec::new();
    for version in [None, Some(false), Some(true)] {
        let unsigned = Unsigned { version, ..Unsigned::of(page.key(), 5) };
        cases.push(("solana_signMessage", of(&unsigned.message()), -32_602, path));
        cases.push(("solana_signMessage", of(&unsigned.bytes()), -32_602, path));
    }
    let sui = from_hex("step", sui_bytes(&page, 5).as_str()).unwrap();
    cases.extend([
        ("solana_signMessage", of(b"\xffsolana offchain\0\0\x05\0hello"), -32_602, path),
        ("solana_signMessage", of(&[0x81, 1, 2, 3]), -32_602, path),
        ("solana_signMessage", of(&[0xab; 32]), -32_602, path),
        ("sui_signPersonalMessage", of(&sui), -32_602, path),
        ("solana_signMessage", json!([{"message": 7}]), -32_602, path),
    ]);
    page.refuses(cases).await;
}

/// A sign-in is for the page's own site and the account's own address; what is doubtful about its chain and times is told.
#[tokio::test(start_paused = true)]
async fn sign_in_with_solana() {
    let page = Families::new().await;
    let method = "solana_signIn";
    page.refuses(vec![
        (method, json!([{"domain": "evil.example"}]), -32_602, "/0"),
        (method, json!([{"domain": "app.example.evil.example"}]), -32_602, "/0"),
        (method, json!([{"domain": "app.example:8443"}]), -32_602, "/0"),
        (method, json!([{"domain": "app.example\nevil"}]), -32_602, "/0"),
        (method, json!([{"address": "11111111111111111111111111111112"}]), -32_602, "/0"),
        (method, json!([{"nonce": 7}]), -32_602, "/0/nonce"),
        (method, json!([{"resources": "x"}]), -32_602, "/0/resources"),
    ])
    .await;
    let now = "2020-01-01T00:00:00Z";
    for (index, (input, doubtful)) in [
        (json!({}), false),
        (json!({"domain": "app.example", "chainId": "solana:mainnet", "nonce": "abcdefgh"}), false),
        (json!({"chainId": "solana:devnet"}), true),
        (json!({"expirationTime": now}), true),
        (json!({"notBefore": "2990-01-01T00:00:00Z"}), true),
        (json!({"uri": "https://evil.example/login"}), true),
    ]
    .into_iter()
    .enumerate()
    {
        let user = async {
            let prompt = page.world.next_prompt().await;
            page.world.answer_prompt(&prompt, json!({"approve": true})).await;
            prompt["reasons"].to_string().contains("doubtful_sign_in")
        };
        let id = format!("in-{index}");
        let (answer, warned) = tokio::join!(page.ask(&id, method, json!([input.clone()])), user);
        assert_eq!(warned, doubtful, "{input} {answer}");
        let signed = bytes(&answer["result"][0]["signedMessage"]);
        assert!(is_signed(page.key(), &signed, &bytes(&answer["result"][0]["signature"])), "{input}");
    }
}

/// A payment of Sui in hex, sent and paid for by the account.
fn sui_bytes(page: &Families, amount: u64) -> String {
    sui_of(&page.sui, &page.sui, amount)
}

fn sui_of(sender: &str, payer: &str, amount: u64) -> String {
    let address = |text: &str| from_hex("address", text).unwrap();
    let gas = [[1].as_slice(), &[0x0a; 32], &9_u64.to_le_bytes(), &[32], &[3; 32]].concat();
    let pure = |bytes: &[u8]| [&[0, u8::try_from(bytes.len()).unwrap()], bytes].concat();
    let data = [
        vec![0, 0, 2],
        pure(&amount.to_le_bytes()),
        pure(&[0x44; 32]),
        // Split the amount off the coin that pays, and give it away.
        vec![2, 2, 0, 1, 1, 0, 0, 1, 1, 2, 0, 0, 1, 1, 0],
        address(sender),
        gas,
        address(payer),
        750_u64.to_le_bytes().to_vec(),
        3_000_000_u64.to_le_bytes().to_vec(),
        vec![0],
    ];
    chains::encoding::hex(&data.concat())
}

/// The same as Sui's library writes it; without a sender and a payer, which are then the account.
fn sui_json(amount: u64) -> Value {
    let reference = json!({"objectId": format!("0x{}", "0a".repeat(32)), "version": "9",
        "digest": bs58::encode([3; 32]).into_string()});
    json!({"version": 2, "sender": null, "expiration": null,
        "gasData": {"budget": "3000000", "price": "750", "owner": null, "payment": [reference]},
        "inputs": [{"Pure": {"bytes": STANDARD.encode(amount.to_le_bytes())}},
            {"Pure": {"bytes": STANDARD.encode([0x44; 32])}}],
        "commands": [{"SplitCoins": {"coin": {"GasCoin": true}, "amounts": [{"Input": 0}]}},
            {"TransferObjects": {"objects": [{"Result": 0}], "address": {"Input": 1}}}]})
}

fn sui_input(hex: &str) -> Value {
    json!({"transaction": STANDARD.encode(from_hex("step", hex).unwrap()), "chain": "sui:mainnet"})
}

/// Checks a signature of Sui: flag, signature, key.
fn is_signed_for_sui(data: &[u8], signature: &[u8]) -> bool {
    let image = chains::hash::blake2b256(&[&[0, 0, 0], data].concat());
    let key: [u8; 32] = signature[65..].try_into().unwrap();
    signature.len() == 97 && signature[0] == 0 && is_signed(key, &image, &signature[1..65])
}

/// Signed and not sent, as bytes and as the JSON of Sui's library; then executed once.
#[tokio::test(start_paused = true)]
async fn sui_transactions() {
    let page = Families::new().await;
    let hex = sui_bytes(&page, 5);
    let data = from_hex("step", &hex).unwrap();
    let (answer, shown) = page.approved("1", "sui_signTransaction", sui_input(&hex)).await;
    assert_eq!(bytes(&answer["result"]["bytes"]), data);
    assert!(is_signed_for_sui(&data, &bytes(&answer["result"]["signature"])));
    assert_eq!((&shown["forPage"], page.sent.borrow().len()), (&json!(true), 0));
    let effects = &shown["steps"][0]["transactions"][0]["explanation"]["effects"];
    assert_eq!(effects[0]["kind"], "transfer", "{effects}");
    // The library's own text of it is the same transaction.
    let written = json!({"transaction": sui_json(5).to_string(), "account": {"address": page.sui}});
    let (same, _) = page.approved("2", "sui_signTransaction", written).await;
    assert_eq!(same, answer);
    let (executed, _) = page.approved("3", EXECUTE, sui_input(&hex)).await;
    assert_eq!(executed["result"]["digest"], digest(&data));
    assert_eq!(bytes(&executed["result"]["bytes"]), data);
    assert!(is_signed_for_sui(&data, &bytes(&executed["result"]["signature"])));
    assert_eq!(page.ask("3", EXECUTE, sui_input(&hex)).await, executed);
    assert_eq!(*page.sent.borrow(), [data]);
}

/// What is no transaction of this account, is not resolved, or for another network.
#[tokio::test(start_paused = true)]
async fn bad_sui_inputs() {
    let page = Families::new().await;
    let good = sui_input(&sui_bytes(&page, 5));
    let other = format!("0x{}", "cd".repeat(32));
    let changed = |place: &str, value: Value| {
        let mut text = sui_json(5);
        *text.pointer_mut(place).unwrap() = value;
        json!({"transaction": text.to_string()})
    };
    let cut = from_hex("step", &sui_bytes(&page, 5)).unwrap();
    let mut cases = Vec::new();
    for method in ["sui_signTransaction", EXECUTE] {
        cases.extend([
            (method, with(good.clone(), "chain", json!("sui:testnet")), -32_602, "/0/chain"),
            (method, with(good.clone(), "chain", json!("solana:mainnet")), -32_602, "/0/chain"),
            (method, with(good.clone(), "account", json!(other)), 4_100, ""),
            (method, json!({"transaction": STANDARD.encode("hello")}), -32_602, "/0/transaction"),
            (
                method,
                json!({"transaction": STANDARD.encode(&cut[..cut.len() - 1])}),
                -32_602,
                "/0/transaction",
            ),
            (method, json!({"transaction": "%"}), -32_602, "/0/transaction"),
            (method, json!({"transaction": "{"}), -32_602, "/0/transaction"),
            (method, json!({"transaction": "{}"}), -32_602, "/0/transaction/version"),
            (method, json!({"transaction": {"version": 2}}), -32_602, "/0/transaction"),
            (method, changed("/gasData/payment", Value::Null), -32_602, "/0/transaction/gasData/payment"),
            (
                method,
                changed("/inputs/0", json!({"UnresolvedObject": {"objectId": other}})),
                -32_602,
                "/0/transaction/inputs/0/UnresolvedObject",
            ),
            (
                method,
                changed("/commands/1/TransferObjects/address", json!({"Input": 9})),
                -32_602,
                "/0/transaction",
            ),
            (method, changed("/sender", json!(other)), 4_100, ""),
            (method, sui_input(&sui_of(&other, &other, 5)), 4_100, ""),
            // Another pays.
            (method, sui_input(&sui_of(&page.sui, &other, 5)), -32_602, "/0/transaction"),
        ]);
    }
    page.refuses(cases).await;
}

/// A page that leaves a family, or that the user takes a chain from, gets nothing signed there any more: what it waits for is
/// refused as not connected, and what it waits for elsewhere goes on.
#[tokio::test(start_paused = true)]
async fn a_lost_chain_ends_what_waits_on_it() {
    for way in ["disconnect", "session", "user"] {
        let page = Families::new().await;
        let input = Unsigned::of(page.key(), 5).input();
        let message = json!({"message": STANDARD.encode("hello")});
        let user = async {
            for _ in 0..10_000 {
                if page.world.prompts().await.len() == 3 {
                    break;
                }
                page.world.steps(1).await;
            }
            assert_eq!(page.world.prompts().await.len(), 3, "{way}");
            match way {
                "disconnect" => drop(page.ask("d", "solana_disconnect", json!([])).await),
                "session" => {
                    let scopes = json!({"scopes": ["solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"]});
                    assert_eq!(page.ask("d", "wallet_revokeSession", scopes).await, json!({"result": true}));
                }
                _ => {
                    let target = "/api/connections/https%3A%2F%2Fapp.example";
                    let chains = json!({"chains": ["Ethereum", "Sui"]});
                    assert_eq!(page.world.call("PATCH", target, chains).await.0, 200);
                }
            }
            let left = page.world.next_prompt().await;
            assert_eq!(page.world.answer_prompt(&left, json!({"approve": true})).await.0, 200);
        };
        let (sent, signed, elsewhere, ()) = tokio::join!(
            page.ask("1", SEND, json!([input])),
            page.ask("2", "solana_signMessage", message.clone()),
            page.ask("3", "sui_signPersonalMessage", message.clone()),
            user
        );
        assert_eq!(
            (&sent["error"]["code"], &signed["error"]["code"]),
            (&json!(4_100), &json!(4_100)),
            "{way} {sent}"
        );
        assert!(elsewhere["result"]["signature"].is_string(), "{way} {elsewhere}");
        assert_eq!(page.sent.borrow().len(), 0, "{way}");
        let state = page.world.page_state(PAGE).await;
        assert_eq!((&state["solana"], state["sui"].as_array().unwrap().len()), (&json!([]), 1), "{way}");
    }
}

/// A bundle runs when its page is shown out: what it has begun is finished, the rest is never signed, and the page is told that
/// it is not connected. With a worker that dies in between it is the same.
#[tokio::test(start_paused = true)]
async fn a_running_bundle_ends_when_its_page_is_revoked() {
    for dies in [false, true] {
        let page = Dapp::connected(Chains::mined_manually()).await;
        let call = |value: u64| json!({"to": PAYEE, "value": format!("{value:#x}")});
        let params = json!([{"version": "2.0.0", "from": page.account, "chainId": "0x1", "atomicRequired": false,
            "calls": [call(1), call(2)]}]);
        let asked = page.ask("1", "wallet_sendCalls", params).await;
        page.approve().await;
        let id = asked.result()["id"].as_str().unwrap().to_owned();
        assert_eq!(page.chains.on("Ethereum").pool.len(), 1, "the first waits for its block");
        let target = "/api/connections/https%3A%2F%2Fapp.example";
        assert_eq!(page.world.call("DELETE", target, Value::Null).await.0, 200);
        if dies {
            page.world.restart().await;
        }
        let now = page.world.browser.now();
        page.chains.on("Ethereum").mine(now);
        page.world.pass(600_000).await;
        assert_eq!(page.chains.on("Ethereum").raw().len(), 1, "the second is never signed");
        let bundles = page.world.get("/api/bundles").await;
        let bundle = &bundles["bundles"][0];
        assert_eq!(
            (&bundle["success"], bundle["open"].as_bool().unwrap_or(false)),
            (&json!(false), false),
            "{bundle}"
        );
        let told = page.ask("2", "wallet_getCallsStatus", json!([id])).await;
        assert_eq!(told.code(), 4_100);
        // Let in again, it learns what became of its batch.
        page.grant(ORIGIN, &["Ethereum"]).await;
        let told = page.ask("3", "wallet_getCallsStatus", json!([id])).await.result();
        assert_eq!(told["receipts"].as_array().map(Vec::len), Some(1), "{told}");
    }
}
