use super::*;
use crate::encoding::hex;
use proptest::prelude::*;
use serde_json::json;

fn mail() -> Json {
    json!({
        "types": {
            "EIP712Domain": [
                {"name": "name", "type": "string"}, {"name": "version", "type": "string"},
                {"name": "chainId", "type": "uint256"}, {"name": "verifyingContract", "type": "address"}],
            "Person": [{"name": "name", "type": "string"}, {"name": "wallet", "type": "address"}],
            "Mail": [
                {"name": "from", "type": "Person"}, {"name": "to", "type": "Person"},
                {"name": "contents", "type": "string"}]},
        "primaryType": "Mail",
        "domain": {"name": "Ether Mail", "version": "1", "chainId": 1,
            "verifyingContract": "0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC"},
        "message": {
            "from": {"name": "Cow", "wallet": "0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826"},
            "to": {"name": "Bob", "wallet": "0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB"},
            "contents": "Hello, Bob!"}})
}

fn parse(data: &Json) -> Result<TypedData, String> {
    TypedData::parse(&data.to_string()).map_err(|error| error.to_string())
}

/// The example of the standard.
#[test]
fn mail_of_the_standard() {
    let found = parse(&mail()).unwrap();
    assert_eq!(hex(&found.hash), "be609aee343fb3c4b28e1df9e632fca64fcfaede20f02e86244efddf30957bd2");
    assert_eq!(found.shape, "Mail(Person from,Person to,string contents)Person(string name,address wallet)");
}

/// Libraries leave the domain's type to the wallet, and write numbers in several ways.
#[test]
fn the_domain_is_inferred() {
    let mut data = mail();
    data["types"].as_object_mut().unwrap().remove("EIP712Domain");
    for id in [json!(1), json!("1"), json!("0x1"), json!("0x01")] {
        data["domain"]["chainId"] = id;
        assert_eq!(parse(&data).unwrap().hash, parse(&mail()).unwrap().hash);
    }
    data["domain"]["owner"] = json!("me");
    assert_eq!(parse(&data).unwrap_err(), "typed data: /domain/owner is not a field of a domain");
}

#[test]
fn what_is_not_well_formed_is_refused_by_its_place() {
    let refused = |change: fn(&mut Json)| {
        let mut data = mail();
        change(&mut data);
        parse(&data).unwrap_err()
    };
    type Case = (fn(&mut Json), &'static str);
    let cases: [Case; 16] = [
        (|data| data["message"]["cc"] = json!("x"), "/message/cc is not a field of its type"),
        (|data| data["message"]["from"]["age"] = json!(1), "/message/from/age is not a field of its type"),
        (|data| drop(data["message"].as_object_mut().unwrap().remove("to")), "/message/to is missing"),
        (|data| data["message"]["to"] = json!(null), "/message/to must be an object"),
        (|data| data["message"]["contents"] = json!(7), "/message/contents must be a text"),
        (
            |data| data["message"]["to"]["wallet"] = json!("0xBBBbBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB"),
            "/message/to/wallet must be an address with its checksum",
        ),
        (|data| data["message"]["to"]["wallet"] = json!("0xbb"), "/message/to/wallet must be an address"),
        (|data| data["primaryType"] = json!("Letter"), "/primaryType must be the name of one of the types"),
        (|data| data["primaryType"] = json!("EIP712Domain"), "/primaryType must be the name"),
        (
            |data| data["types"]["Person"][0]["type"] = json!("uint7"),
            "/types/Person/0 must have a name and a type",
        ),
        (|data| data["types"]["Person"][0]["type"] = json!("Cat"), "is of a type that is not there"),
        (|data| data["types"]["Person"][0]["type"] = json!("string,uint256 x"), "/types/Person/0"),
        (|data| data["types"]["Person"][1]["name"] = json!("name"), "has the name of another member"),
        (|data| data["types"]["address"] = json!([]), "/types/address is not a name of a struct"),
        (|data| data["types"] = json!([]), "/types must be an object"),
        (|data| data["domain"]["chainId"] = json!(1.5), "/domain/chainId must be a whole number"),
    ];
    for (change, expected) in cases {
        let found = refused(change);
        assert!(found.contains(expected), "{found} / {expected}");
    }
    assert!(TypedData::parse("[]").is_err() && TypedData::parse("{").is_err());
}

fn one(kind: &str, value: Json) -> Result<TypedData, String> {
    parse(&json!({"types": {"T": [{"name": "v", "type": kind}]}, "primaryType": "T", "domain": {},
        "message": {"v": value}}))
}

#[test]
fn numbers_are_within_their_types() {
    for (kind, value, fits) in [
        ("uint8", json!(255), true),
        ("uint8", json!(256), false),
        ("uint8", json!(-1), false),
        ("int8", json!(-128), true),
        ("int8", json!(-129), false),
        ("int8", json!("127"), true),
        ("int8", json!(128), false),
        (
            "int256",
            json!("-57896044618658097711785492504343953926634992332820282019728792003956564819968"),
            true,
        ),
        (
            "int256",
            json!("57896044618658097711785492504343953926634992332820282019728792003956564819968"),
            false,
        ),
        (
            "uint256",
            json!("115792089237316195423570985008687907853269984665640564039457584007913129639935"),
            true,
        ),
        (
            "uint256",
            json!("115792089237316195423570985008687907853269984665640564039457584007913129639936"),
            false,
        ),
        ("uint256", json!(1e21), false),
        ("uint256", json!(""), false),
        ("uint256", json!("0x"), false),
        ("uint256", json!("-0x1"), false),
        ("uint256", json!(" 1"), false),
        ("bytes4", json!("0x01020304"), true),
        ("bytes4", json!("0x010203"), false),
        ("bytes", json!("0x"), true),
        ("bytes", json!("0x0x01"), false),
        ("bytes", json!("01"), false),
        ("bool", json!("true"), false),
        ("uint256[2]", json!([1, 2]), true),
        ("uint256[2]", json!([1]), false),
        ("uint256[][2]", json!([[], [1]]), true),
        ("uint256[0]", json!([]), false),
        ("uint256[]", json!({}), false),
    ] {
        assert_eq!(one(kind, value.clone()).is_ok(), fits, "{kind} {value}");
    }
}

/// A struct may have others of its own kind in a list; values that go too deep are refused.
#[test]
fn recursive_types_end() {
    let tree = |depth: usize| {
        let mut value = json!({"v": 1, "next": []});
        for _ in 0..depth {
            value = json!({"v": 1, "next": [value]});
        }
        json!({"types": {"Tree": [{"name": "v", "type": "uint8"}, {"name": "next", "type": "Tree[]"}]},
            "primaryType": "Tree", "domain": {}, "message": value})
    };
    assert_eq!(parse(&tree(3)).unwrap().shape, "Tree(uint8 v,Tree[] next)");
    assert!(parse(&tree(20)).unwrap_err().contains("nested too deep"));
    let own = json!({"types": {"A": [{"name": "a", "type": "A"}]}, "primaryType": "A", "domain": {}, "message": {}});
    assert_eq!(parse(&own).unwrap_err(), "typed data: /message/a is missing");
}

/// Hashes of other libraries: see tests/oracle/message.mjs.
#[test]
fn others_agree() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/vectors/evm/typed_data.json");
    let vectors: Json = serde_json::from_str(&std::fs::read_to_string(path).expect(path)).expect("JSON");
    let cases = vectors["cases"].as_array().expect("cases");
    assert!(cases.len() >= 10);
    for case in cases {
        let found = parse(&case["data"]).unwrap();
        assert_eq!(format!("0x{}", hex(&found.hash)), case["hash"], "{}", case["name"]);
        assert_eq!(found.shape, case["encodeType"], "{}", case["name"]);
    }
}

proptest! {
    /// Any text, and any change of a field, is read or refused.
    #[test]
    fn never_panics(text in ".{0,200}", kind in "[a-z0-9\\[\\]]{0,12}", number in any::<i64>()) {
        let _ = TypedData::parse(&text);
        for value in [json!(text), json!(number), json!([number]), json!({"v": text.clone()}), json!(null)] {
            let _ = one(&kind, value.clone());
            for place in ["types", "domain", "message", "primaryType"] {
                let mut data = mail();
                data[place] = value.clone();
                let _ = parse(&data);
            }
        }
    }
}
