//! Calls by the text of ERC-7730 where the registry's suite has no case.

use crate::{ALICE, BOB, TOKEN, call, codes, data, descriptor, lines, rendering, transfer};
use serde_json::{Value, json};
use wire::descriptor::DescriptionOutcome;

const TRANSFER: &str = "transfer(address to,uint256 value)";

fn fields(list: Value) -> Value {
    json!({"intent": "Send", "fields": list})
}

/// Shows what one field makes of `transfer(BOB, 1.5 USDT)`.
fn shown(field: Value) -> String {
    let described = call(vec![descriptor(TRANSFER, fields(json!([field])))], transfer());
    lines(rendering(&described)).into_iter().map(|(_, value)| value).collect::<Vec<_>>().join("|")
}

#[test]
fn honest_descriptor_is_clear_signed() {
    let format = json!({
        "intent": "Send",
        "interpolatedIntent": "Send {value} to {to} {{sic}}",
        "fields": [
            {"path": "value", "label": "Amount", "format": "tokenAmount", "params": {"tokenPath": "@.to"}},
            {"path": "#.to", "label": "To", "format": "addressName"},
        ],
    });
    let described = call(vec![descriptor(TRANSFER, format)], transfer());
    assert_eq!(described.outcome, DescriptionOutcome::ClearSigned);
    assert_eq!(codes(&described), Vec::<&str>::new());
    let rendering = rendering(&described);
    assert_eq!(rendering.sentence.as_deref(), Some(format!("Send 1.5 USDT to {BOB} {{sic}}").as_str()));
    assert_eq!(rendering.owner.as_deref(), Some("Tether"));
}

#[test]
fn formats_of_the_text() {
    for (field, value) in [
        (
            json!({"path": "value", "format": "date", "params": {"encoding": "timestamp"}}),
            "1970-01-18 08:40:00Z",
        ),
        (json!({"path": "value", "format": "duration"}), "416:40:00"),
        (json!({"path": "value", "format": "unit", "params": {"base": "s", "prefix": true}}), "1.5Ms"),
        (json!({"path": "value", "format": "unit", "params": {"base": "%", "decimals": 4}}), "150%"),
        (json!({"path": "value", "format": "amount"}), "0.0000000000015 ETH"),
        (json!({"path": "@.chainId", "format": "chainId"}), "Ethereum"),
        (json!({"path": "@.to", "format": "tokenTicker"}), "USDT"),
        (json!({"path": "to.[0:2]", "format": "raw"}), "0x2222"),
        (json!({"path": "value", "visible": {"ifNotIn": ["1500000"]}}), ""),
        (json!({"path": "value", "visible": {"ifNotIn": [7]}}), "1500000"),
        (json!({"path": "value", "visible": {"mustMatch": [1_500_000]}}), ""),
        (json!({"path": "value", "encryption": {"fallbackLabel": "[Hidden]"}}), "[Hidden]"),
        (
            json!({"path": "value", "format": "tokenAmount", "params": {"token": TOKEN, "threshold": "0x16e360"}}),
            "Unlimited USDT",
        ),
        (json!({"value": "words", "label": "Note"}), "words"),
    ] {
        assert_eq!(shown(field.clone()), value, "{field}");
    }
}

/// ERC-7930, the example of the text.
#[test]
fn interoperable_addresses() {
    let format = fields(json!([{"path": "who", "format": "interoperableAddressName"}]));
    let key = "send(bytes who)";
    let selector = chains::encoding::hex(&chains::hash::keccak256(b"send(bytes)")[..4]);
    let address = "00010000010114d8da6bf26964af9d7eed9e03e53415d37aa96045";
    let data = format!("{}{address:0<64}", data(&selector, &["20", "1b"]));
    let described = call(vec![descriptor(key, format)], data);
    let line = &lines(rendering(&described))[0].1;
    assert_eq!(line, "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045@eip155:1#4CA88C9C");
}

#[test]
fn constants_maps_and_definitions() {
    let mut document = descriptor(
        TRANSFER,
        fields(json!([
            {"path": "value", "$ref": "$.display.definitions.amount", "params": {"message": "All"}},
            {"value": "$.metadata.constants.note", "label": "Note"},
        ])),
    );
    document["metadata"]["constants"] = json!({"note": "constant", "most": "0x16e360"});
    document["metadata"]["maps"] = json!({"token": {"values": {"1": TOKEN}}});
    document["display"]["definitions"] = json!({"amount": {
        "label": "Amount", "format": "tokenAmount",
        "params": {
            "token": {"map": "$.metadata.maps.token", "keyPath": "@.chainId"},
            "threshold": "$.metadata.constants.most", "message": "Max",
        },
    }});
    let described = call(vec![document], transfer());
    let line = |label: &str, value: &str| (label.to_owned(), value.to_owned());
    assert_eq!(lines(rendering(&described)), [line("Amount", "All USDT"), line("Note", "constant")]);
    assert_eq!(described.outcome, DescriptionOutcome::ClearSigned);
}

/// Lists side by side, and a parameter at the same place.
#[test]
fn groups_and_lists() {
    let key = "pay(address[] to,uint256[] value)";
    let selector = chains::encoding::hex(&chains::hash::keccak256(b"pay(address[],uint256[])")[..4]);
    let data = data(&selector, &["40", "a0", "2", ALICE, TOKEN, "2", "1", "16e360"]);
    let list = json!([
        {"path": "value.[]", "label": "Amount", "format": "tokenAmount", "params": {"tokenPath": "to.[]"}},
        {"path": "to.[]", "label": "Token"},
    ]);
    let values = |format: Value| {
        let described = call(vec![descriptor(key, format)], data.clone());
        lines(rendering(&described)).into_iter().map(|(_, value)| value).collect::<Vec<_>>()
    };
    let checksummed = "0xdAC17F958D2ee523a2206206994597C13D831ec7";
    assert_eq!(values(fields(list.clone())), ["1", "1.5 USDT", ALICE, checksummed]);
    let bundled = json!([{"iteration": "bundled", "fields": list}]);
    assert_eq!(values(fields(bundled)), ["1", ALICE, "1.5 USDT", checksummed]);
}

#[test]
fn what_does_not_match_is_told_by_code() {
    let format = fields(json!([{"path": "value", "label": "Amount"}]));
    let other = json!({"display": {"formats": {}}});
    let cases = [
        (vec![], transfer(), "descriptor_not_found"),
        (vec![other], transfer(), "descriptor_not_found"),
        (
            vec![descriptor("approve(address to,uint256 value)", format.clone())],
            transfer(),
            "format_not_found",
        ),
        (vec![descriptor(TRANSFER, format.clone())], data("a9059cbb", &[BOB]), "undecodable_data"),
        (vec![descriptor(TRANSFER, format.clone())], "0xa9".to_owned(), "format_not_found"),
        (vec![descriptor(TRANSFER, format)], "nothing".to_owned(), "unreadable_input"),
    ];
    for (descriptors, data, code) in cases {
        let described = call(descriptors, data);
        assert_eq!((described.outcome, codes(&described)), (DescriptionOutcome::Failure, vec![code]));
    }
}

/// Two keys with one type-only signature make a descriptor invalid.
#[test]
fn ambiguous_formats_fail() {
    let mut document = descriptor(TRANSFER, fields(json!([])));
    document["display"]["formats"]["transfer(address a,uint256 b)"] = fields(json!([]));
    assert_eq!(codes(&call(vec![document], transfer())), ["ambiguous_format"]);
}

/// A descriptor of one contract says nothing of another, nor of the same address on another chain.
#[test]
fn only_its_own_contract() {
    for (chain, address) in [(10, TOKEN), (1, BOB)] {
        let mut document = descriptor(TRANSFER, fields(json!([])));
        document["context"]["contract"]["deployments"] = json!([{"chainId": chain, "address": address}]);
        assert_eq!(codes(&call(vec![document], transfer())), ["descriptor_not_found"]);
    }
}
