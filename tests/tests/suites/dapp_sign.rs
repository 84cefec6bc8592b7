//! Messages of web pages, hostile and honest: what imitates something else is refused or warned of, and what is shown is what
//! is signed.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::messages::{
    OWN, PASSWORD, ROUTER, STRANGER, USDC, approve_all, asked, codes, connected, permit, request,
};
use countersign_tests::world::*;
use runtime::store::Table;
use serde_json::{Value, json};

const TYPED: &str = "eth_signTypedData_v4";
const PERSONAL: &str = "personal_sign";

/// A sign-in for a site, as libraries write it.
fn sign_in(site: &str) -> String {
    format!(
        "{site} wants you to sign in with your Ethereum account:\n{OWN}\n\nWelcome.\n\nURI: https://{site}/login\n\
         Version: 1\nChain ID: 1\nNonce: 32891756\nIssued At: 2021-09-30T16:25:24Z"
    )
}

async fn rows(world: &World) -> usize {
    let mut count = 0;
    for table in [Table::Calls, Table::PageRequests, Table::Messages, Table::Prompts, Table::SettledPrompts] {
        count += world.table(table).await.len();
    }
    count
}

/// What is refused for what it is: a code, the place, a sentence; no window, and no record of it.
#[tokio::test(start_paused = true)]
async fn refused_messages_leave_nothing() {
    let world = connected(true).await;
    let account = crate::messages::own(&world, "Ethereum").await;
    let hex = |bytes: &[u8]| bytes.iter().fold("0x".to_owned(), |text, byte| format!("{text}{byte:02x}"));
    let authorization = [&[0x05, 0xd7, 0x01, 0x94][..], &[0x11; 20], &[0x80]].concat();
    let legacy =
        "0xec098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a764000080018080";
    let dynamic = [&[0x02][..], &[0xc9, 1, 1, 1, 1, 1, 1, 1, 1, 0xc0]].concat();
    let site = |site: &str| sign_in(site).replace(OWN, &account);
    let personal = [
        hex(&[0xab; 32]),
        hex(&[&[0x19, 0x01][..], &[7; 64]].concat()),
        hex(&[0x19, 0x00, 1, 2, 3]),
        hex(b"\x19Ethereum Signed Message:\n5hello"),
        hex(&authorization),
        legacy.to_owned(),
        hex(&dynamic),
        hex(&[0xff; 64 * 1024 + 1]),
        site("evil.example"),
        site("app.example.evil.example"),
        site("sub.app.example"),
        site("app.example:8443"),
        site("user@app.example"),
        site("http://app.example"),
        site("аpp.example"),
        site("evil.example").replace('\n', "\r\n"),
        format!("\u{2066}{}", site("app.example")),
        sign_in("app.example").replace(OWN, STRANGER),
    ];
    for (number, message) in personal.iter().enumerate() {
        let answer = request(&world, &format!("p-{number}"), PERSONAL, json!([message, account])).await;
        let error = &answer["error"];
        let short: String = message.chars().take(60).collect();
        assert_eq!(
            (&error["code"], &error["data"]["path"]),
            (&json!(-32_602), &json!("/0")),
            "{short} {answer}"
        );
    }
    let change = |pointer: &str, value: Value| {
        let mut data = permit(&account, "1", 1);
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        data.pointer_mut(parent).unwrap()[name] = value;
        data
    };
    let authorization = json!({"types": {"Authorization": [{"name": "chainId", "type": "uint256"},
            {"name": "address", "type": "address"}, {"name": "nonce", "type": "uint64"}]},
        "primaryType": "Authorization", "domain": {"chainId": 1},
        "message": {"chainId": 1, "address": STRANGER, "nonce": 0}});
    let mut deep = json!({"next": []});
    for _ in 0..60 {
        deep = json!({"next": [deep]});
    }
    let tree = json!({"types": {"Tree": [{"name": "next", "type": "Tree[]"}]}, "primaryType": "Tree",
        "domain": {}, "message": deep});
    let many = json!({"types": {"Many": [{"name": "v", "type": "uint8[]"}]}, "primaryType": "Many", "domain": {},
        "message": {"v": vec![1; 5_000]}});
    let typed = [
        authorization,
        tree,
        many,
        change("/domain/chainId", json!(137)),
        change("/domain/chainId", json!("0x89")),
        change("/message/value", json!("-1")),
        change("/message/value", json!(format!("0x1{}", "0".repeat(64)))),
        change("/message/value", json!(1e30)),
        change("/message/spender", json!(7)),
        change("/message/spender", json!(ROUTER.replace("a98", "A98"))),
        change("/primaryType", json!("Nothing")),
        change("/primaryType", json!("EIP712Domain")),
        change("/types/Permit/0/type", json!("Cat")),
        change("/types/Permit/0/type", json!("address,uint256 x")),
        change("/types/Permit/1/name", json!("owner")),
        change("/types/Per mit", json!([])),
        change("/types/uint256", json!([])),
        change("/types/Permit/2/type", json!("uint256[2]")),
        json!({"types": {}}),
        json!({}),
    ];
    for (number, data) in typed.iter().enumerate() {
        for (form, data) in [("o", data.clone()), ("t", json!(data.to_string()))] {
            let answer = request(&world, &format!("t-{form}{number}"), TYPED, json!([account, data])).await;
            let error = &answer["error"];
            assert_eq!(
                (&error["code"], &error["data"]["path"]),
                (&json!(-32_602), &json!("/1")),
                "{data} {answer}"
            );
        }
    }
    assert_eq!(rows(&world).await, 0);
}

/// A sign-in of the page itself is told as one; what only looks like one warns.
#[tokio::test(start_paused = true)]
async fn sign_ins_and_what_looks_like_them() {
    let world = connected(false).await;
    let good = sign_in("app.example");
    let cases = [
        (good.clone(), "sign_in", vec!["signing"]),
        (sign_in("app.example:443"), "sign_in", vec!["signing"]),
        (good.replace("Chain ID: 1", "Chain ID: 137"), "sign_in", vec!["doubtful_sign_in", "signing"]),
        (
            format!("{good}\nExpiration Time: 2021-10-01T00:00:00Z"),
            "sign_in",
            vec!["doubtful_sign_in", "signing"],
        ),
        (format!("{good}\nNot Before: 2999-10-01T00:00:00Z"), "sign_in", vec!["doubtful_sign_in", "signing"]),
        (
            good.replace("URI: https://app.example", "URI: https://app.example@evil.example"),
            "sign_in",
            vec!["doubtful_sign_in", "signing"],
        ),
        (good.replace("Version: 1", "Version: 2"), "malformed_sign_in", vec!["doubtful_sign_in", "signing"]),
        (good.replace('\n', "\r\n"), "malformed_sign_in", vec!["doubtful_sign_in", "signing"]),
        (format!("Hello\n\n{good}"), "malformed_sign_in", vec!["doubtful_sign_in", "signing"]),
        (good.to_uppercase(), "malformed_sign_in", vec!["doubtful_sign_in", "signing"]),
        (
            format!("{good}\u{200b}"),
            "malformed_sign_in",
            vec!["doubtful_sign_in", "hidden_characters", "signing"],
        ),
    ];
    for (number, (text, kind, expected)) in cases.into_iter().enumerate() {
        world.pass(7_200_000).await;
        let (answer, message) = asked(&world, &format!("n-{number}"), PERSONAL, json!([text, OWN])).await;
        let mut found = codes(&message);
        found.sort_unstable();
        assert_eq!((&message["kind"], found), (&json!(kind), expected), "{text}");
        assert_eq!(answer["error"]["code"], 4_001);
    }
}

/// Both orders of the parameters; text, hex and bytes; nothing at all. The text that is shown is the one that is signed.
#[tokio::test(start_paused = true)]
async fn forms_of_personal_messages() {
    let world = connected(false).await;
    let cases = [
        (json!(["hello", OWN]), "text", "hello"),
        (json!([OWN, "hello"]), "text", "hello"),
        (json!(["0x68656c6c6f", OWN.to_lowercase()]), "text", "hello"),
        (json!(["0X68656C6C6F", OWN]), "text", "hello"),
        (json!(["0xabc", OWN]), "text", "0xabc"),
        (json!(["0xzz", OWN, "password"]), "text", "0xzz"),
        (json!(["0xfffe", OWN]), "bytes", "0xfffe"),
        (json!(["", OWN]), "text", ""),
        (json!(["0x", OWN]), "text", ""),
        // Where both are addresses the message comes first.
        (json!([USDC, OWN]), "bytes", "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"),
        (json!(["a\u{200b}b\u{202e}c\u{0}", OWN]), "text", "a⟨U+200B⟩b⟨U+202E⟩c⟨U+0000⟩"),
    ];
    for (number, (params, kind, text)) in cases.into_iter().enumerate() {
        world.pass(7_200_000).await;
        let (_, message) = asked(&world, &format!("n-{number}"), PERSONAL, params.clone()).await;
        assert_eq!((&message["kind"], &message["text"]), (&json!(kind), &json!(text)), "{params}");
    }
}

/// Members that the types do not have are in no hash: they are not shown, kept or described, and the signature is that of the
/// data without them.
#[tokio::test(start_paused = true)]
async fn members_without_a_type_are_not_signed() {
    let world = connected(false).await;
    world.unlock(PASSWORD).await;
    let plain = permit(OWN, "1500000", START / 1000 + 1800);
    let mut more = plain.clone();
    more["message"]["amount"] = json!("1");
    more["message"]["recipient"] = json!({"name": "you"});
    more["note"] = json!("harmless");
    more["types"]["EIP712Domain"] = json!([{"name": "name", "type": "string"}, {"name": "version", "type": "string"},
        {"name": "chainId", "type": "uint256"}, {"name": "verifyingContract", "type": "address"}]);
    more["domain"]["salt"] = json!("nothing");
    let sign = async |id: &'static str, data: Value| {
        let (answer, _) =
            tokio::join!(request(&world, id, TYPED, json!([OWN, data])), approve_all(&world, 1));
        answer["result"].as_str().unwrap().to_owned()
    };
    assert_eq!(sign("n-1", plain).await, sign("n-2", json!(more.to_string())).await);
    let rows = world.table(Table::Messages).await;
    assert_eq!(rows.len(), 2);
    for row in rows {
        let message: Value = serde_json::from_str(&row.text).unwrap();
        assert_eq!(message["fields"].as_array().unwrap().len(), 9, "{message}");
        assert!(!row.text.contains("harmless") && !row.text.contains("recipient"));
    }
}

/// A permit of a token that nothing is known of warns; the name of a struct or of a domain makes nothing known.
#[tokio::test(start_paused = true)]
async fn imitations_are_not_taken_for_the_real_thing() {
    let world = connected(false).await;
    let soon = START / 1000 + 1800;
    let mut stranger = permit(OWN, "5", soon);
    stranger["domain"]["verifyingContract"] = json!(STRANGER);
    let (_, message) = asked(&world, "n-1", TYPED, json!([OWN, stranger])).await;
    assert_eq!((&message["kind"], codes(&message)), (&json!("permit"), vec!["unknown_token", "signing"]));
    assert_eq!(message["domain"]["contractName"], Value::Null);
    world.pass(7_200_000).await;
    let other = |change: fn(&mut Value)| {
        let mut data = permit(OWN, "5", soon);
        change(&mut data);
        data
    };
    let cases: [fn(&mut Value); 4] = [
        |data| data["types"]["Permit"][2]["type"] = json!("uint128"),
        |data| data["message"]["owner"] = json!(STRANGER),
        |data| data["types"]["Permit"].as_array_mut().unwrap().swap(0, 1),
        |data| {
            data["types"]["PermitSingle"] = data["types"]["Permit"].take();
            data["types"].as_object_mut().unwrap().remove("Permit");
            data["primaryType"] = json!("PermitSingle");
        },
    ];
    for (number, change) in cases.into_iter().enumerate() {
        world.pass(7_200_000).await;
        let (_, message) = asked(&world, &format!("m-{number}"), TYPED, json!([OWN, other(change)])).await;
        assert_eq!(message["kind"], "unknown", "{number}");
        assert!(codes(&message).contains(&"unweighed_effect"), "{number} {:?}", codes(&message));
    }
}

/// However many values there are, none is left out of what is shown.
#[tokio::test(start_paused = true)]
async fn every_value_is_shown() {
    let world = connected(false).await;
    let filler = vec![json!(1); 3_000];
    let data = json!({"types": {"Long": [{"name": "filler", "type": "uint8[]"}, {"name": "pay", "type": "address"}]},
        "primaryType": "Long", "domain": {"chainId": 1}, "message": {"filler": filler, "pay": STRANGER}});
    let (_, message) = asked(&world, "n-1", TYPED, json!([OWN, data])).await;
    let fields = message["fields"].as_array().unwrap();
    assert_eq!((fields.len(), &fields[3_001]["value"]), (3_002, &json!(STRANGER)));
}
