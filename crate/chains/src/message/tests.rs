use super::*;
use crate::encoding::hex;
use crate::explain::{Asset, Effect};
use crate::signing::PublicKey;
use crate::{Amount, Chain};
use proptest::prelude::*;
use serde_json::{Value as Json, json};
use wire::message::MessageKind;
use wire::policy::ReasonCode;

const OWN: &str = "0x9858EfFD232B4033E47d90003D41EC34EcaEda94";
const USDC: &str = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const DAI: &str = "0x6B175474E89094C44Da98b954EedeAC495271d0F";
const PERMIT2: &str = "0x000000000022D473030F116dDEE9F6B43aC78BA3";
const ROUTER: &str = "0x66a9893cC07D91D95644AEDD05D03f95e1dBA8Af";
const COW: &str = "0x9008D19f58AAbD9eD0D60971565AA8510560ab41";
const SEAPORT: &str = "0x0000000000000068F116a894984e2DB1123eB395";
const STRANGER: &str = "0x1111111111111111111111111111111111111111";
const NOW: Millis = 1_800_000_000_000;

fn account(chain: Chain) -> Account {
    let key = match chain.kind() {
        Kind::Evm => PublicKey::Secp256k1([2; 33]),
        _ => PublicKey::Ed25519([7; 32]),
    };
    let address = match chain.kind() {
        Kind::Evm => OWN.to_owned(),
        _ => "4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T".to_owned(),
    };
    Account { chain, key, address }
}

fn request(chain: Chain, form: MessageForm, content: String) -> MessageRequest {
    MessageRequest { chain: chain.name().to_owned(), form, content, origin: "https://example.org".to_owned() }
}

fn personal(bytes: &[u8]) -> Result<Message, MessageError> {
    read(&request(Chain::Ethereum, MessageForm::Personal, hex(bytes)), &account(Chain::Ethereum))
}

/// The types of an `encodeType` text, so that the tests write each shape once.
fn types(shape: &str) -> Json {
    let mut types = serde_json::Map::new();
    for one in shape.split_inclusive(')') {
        let (name, members) = one.trim_end_matches(')').split_once('(').unwrap();
        let members = members.split(',').filter(|member| !member.is_empty()).map(|member| {
            let (kind, name) = member.rsplit_once(' ').unwrap();
            json!({"name": name, "type": kind})
        });
        types.insert(name.to_owned(), members.collect());
    }
    Json::Object(types)
}

fn data(shape: &str, contract: &str, message: Json) -> Json {
    let primary = shape.split_once('(').unwrap().0;
    json!({"types": types(shape), "primaryType": primary,
        "domain": {"name": "X", "version": "1", "chainId": 1, "verifyingContract": contract}, "message": message})
}

fn explained(data: &Json) -> Explained {
    let request = request(Chain::Ethereum, MessageForm::TypedData, data.to_string());
    read(&request, &account(Chain::Ethereum)).unwrap().explain(NOW, Facts::default())
}

fn codes(found: &Explained) -> Vec<ReasonCode> {
    found.notices.iter().map(|notice| notice.code).collect()
}

/// The `encodeType` of a struct that is explained, by its beginning.
fn shape(start: &str) -> &'static str {
    explain::shapes().into_iter().find(|shape| shape.starts_with(start)).unwrap()
}

fn approved(asset: &str, spender: &str, amount: u64) -> Effect {
    let (asset, spender) = (Asset::Token { id: asset.to_owned() }, spender.to_owned());
    Effect::Approve { asset, spender, amount: Amount::from(amount), unlimited: false }
}

/// The hash of EIP-191's own example, as ethers gives it.
#[test]
fn personal_messages_are_hashed_with_their_length() {
    let Image::Ecdsa(hash) = personal(b"Hello World").unwrap().image() else { panic!() };
    assert_eq!(hex(&hash), "a1de988600a42c4b4ab089b619297c17d53cffae5d5120d82d8a92d0bb3b78f2");
}

#[test]
fn what_is_no_message_is_refused() {
    let code = |bytes: &[u8]| personal(bytes).err().map(|error| error.code());
    assert_eq!(code(&[0x5a; 32]), None, "a text of 32 letters");
    assert_eq!(code(&[0xab; 32]), Some("message_is_hash"));
    let preimage = [&[0x19, 0x01][..], &[7; 64]].concat();
    assert_eq!(code(&preimage), Some("message_is_preimage"));
    assert_eq!(code(&[0x19, 0x00, 1, 2]), Some("message_is_preimage"));
    assert_eq!(code(b"\x19Ethereum Signed Message:\n5hello"), Some("message_is_preimage"));
    // 05 ‖ rlp [1, address, 0]
    let authorization = [&[0x05, 0xd7, 0x01, 0x94][..], &[0x11; 20], &[0x80]].concat();
    assert_eq!(code(&authorization), Some("message_is_authorization"));
    let legacy = crate::encoding::from_hex(
        "x",
        "ec098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a764000080018080",
    )
    .unwrap();
    assert_eq!(code(&legacy), Some("message_is_transaction"));
    let typed = [&[0x02][..], &[0xc9, 1, 1, 1, 1, 1, 1, 1, 1, 0xc0]].concat();
    assert_eq!(code(&typed), Some("message_is_transaction"));
    assert_eq!(code(b"hello"), None);
    assert_eq!(code(&[0xff, 0xfe]), None);
}

#[test]
fn transactions_of_other_chains_are_refused() {
    let solana = |bytes: &[u8]| {
        read(&request(Chain::Solana, MessageForm::Solana, hex(bytes)), &account(Chain::Solana)).err()
    };
    // One signer, one other key, no instruction.
    let message = [&[1, 0, 1, 2][..], &[3; 32], &[4; 32], &[5; 32], &[0]].concat();
    assert_eq!(solana(&message), Some(MessageError::Transaction));
    let version_0 = [&[0x80][..], &message, &[0]].concat();
    assert_eq!(solana(&version_0), Some(MessageError::Transaction));
    let whole = [&[1][..], &[0; 64], &message].concat();
    assert_eq!(solana(&whole), Some(MessageError::Transaction));
    assert_eq!(solana(&[0x81, 1, 2]), Some(MessageError::Transaction));
    assert_eq!(solana(b"\xffsolana offchain\x00"), Some(MessageError::Preimage));
    assert_eq!(solana("grüße".as_bytes()), None);
    assert_eq!(solana(b"hello"), None);
    let wrong = request(Chain::Solana, MessageForm::Personal, hex(b"hello"));
    assert!(matches!(read(&wrong, &account(Chain::Solana)), Err(MessageError::Unsupported(_))));
}

#[test]
fn the_domain_is_of_the_pages_chain() {
    let permit = shape("Permit(address owner");
    let message =
        json!({"owner": OWN, "spender": ROUTER, "value": 1, "nonce": 0, "deadline": NOW / 1000 + 600});
    let mut typed = data(permit, USDC, message);
    typed["domain"]["chainId"] = json!(137);
    let request = request(Chain::Ethereum, MessageForm::TypedData, typed.to_string());
    let error = read(&request, &account(Chain::Ethereum)).unwrap_err();
    assert_eq!(error.code(), "chain_mismatch");
    typed["domain"].as_object_mut().unwrap().remove("chainId");
    assert_eq!(codes(&explained(&typed)), [ReasonCode::AnyChain]);
}

/// A bounded permit is told in full and warns of nothing; a far end, no limit and another owner are seen.
#[test]
fn permits() {
    let permit = |owner: &str, value: Json, deadline: Json| {
        explained(&data(
            shape("Permit(address owner"),
            USDC,
            json!({"owner": owner, "spender": ROUTER, "value": value, "nonce": 0, "deadline": deadline}),
        ))
    };
    let soon = json!(NOW / 1000 + 1800);
    let found = permit(OWN, json!("1500000"), soon.clone());
    assert_eq!((found.kind, codes(&found)), (MessageKind::Permit, vec![]));
    assert_eq!(found.explanation.effects, [approved(USDC, ROUTER, 1_500_000)]);
    assert_eq!(found.until, Some(NOW + 1_800_000));
    let all = "115792089237316195423570985008687907853269984665640564039457584007913129639935";
    let found = permit(OWN, json!(all), json!(all));
    assert!(matches!(found.explanation.effects[0], Effect::Approve { unlimited: true, .. }));
    assert_eq!(codes(&found), [ReasonCode::LongLasting]);
    assert_eq!(permit(STRANGER, json!(1), soon).kind, MessageKind::Unknown);

    let dai = |allowed: bool| {
        explained(&data(
            shape("Permit(address holder"),
            DAI,
            json!({"holder": OWN, "spender": ROUTER, "nonce": 1, "expiry": 0, "allowed": allowed}),
        ))
    };
    let found = dai(true);
    assert!(matches!(found.explanation.effects[0], Effect::Approve { unlimited: true, .. }));
    assert_eq!(codes(&found), [ReasonCode::LongLasting]);
    assert_eq!(dai(false).kind, MessageKind::Revocation);
}

/// The name of a struct says nothing: with another member it is unknown.
#[test]
fn the_shape_must_be_exact() {
    let other =
        "Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline,bytes extra)";
    let message =
        json!({"owner": OWN, "spender": ROUTER, "value": 1, "nonce": 0, "deadline": 1, "extra": "0x"});
    let found = explained(&data(other, USDC, message));
    assert_eq!(found.kind, MessageKind::Unknown);
    assert!(matches!(&found.explanation.effects[0], Effect::Other { name, .. } if name == "Permit"));
    let root =
        explained(&data("Root(bytes32 root)", STRANGER, json!({"root": format!("0x{}", "ab".repeat(32))})));
    assert_eq!(root.kind, MessageKind::Unknown);
    assert_eq!(root.explanation.every_party()[0].address, STRANGER);
}

#[test]
fn permit2() {
    let detail = |token: &str, amount: u64| json!({"token": token, "amount": amount, "expiration": NOW / 1000 + 86_400 * 30, "nonce": 0});
    let single = json!({"details": detail(USDC, 5), "spender": ROUTER, "sigDeadline": NOW / 1000 + 1800});
    let found = explained(&data(shape("PermitSingle"), PERMIT2, single.clone()));
    assert_eq!((found.kind, codes(&found)), (MessageKind::Permit, vec![]));
    assert_eq!(found.explanation.effects, [approved(USDC, ROUTER, 5)]);
    // At another contract it is something else.
    assert_eq!(explained(&data(shape("PermitSingle"), STRANGER, single)).kind, MessageKind::Unknown);
    let batch =
        json!({"details": [detail(USDC, 5), detail(DAI, 6)], "spender": ROUTER, "sigDeadline": NOW / 1000});
    let found = explained(&data(shape("PermitBatch(Permit"), PERMIT2, batch));
    assert_eq!(found.explanation.effects, [approved(USDC, ROUTER, 5), approved(DAI, ROUTER, 6)]);
    let transfer = json!({"permitted": {"token": USDC, "amount": 7}, "spender": STRANGER, "nonce": 1,
        "deadline": NOW / 1000});
    let found = explained(&data(shape("PermitTransferFrom"), PERMIT2, transfer));
    assert_eq!(found.explanation.effects, [approved(USDC, STRANGER, 7)]);
    let witness = "PermitWitnessTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,\
        uint256 deadline,Job witness)Job(uint256 id)TokenPermissions(address token,uint256 amount)";
    let message = json!({"permitted": {"token": USDC, "amount": 7}, "spender": STRANGER, "nonce": 1,
        "deadline": NOW / 1000, "witness": {"id": 1}});
    let found = explained(&data(witness, PERMIT2, message));
    assert_eq!(
        (found.kind, &found.explanation.effects[0]),
        (MessageKind::Permit, &approved(USDC, STRANGER, 7))
    );
}

/// A struct whose name only ends like that of Permit2 does not stand for it.
#[test]
fn another_struct_is_not_permit2s() {
    let shape = "PermitWitnessTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,\
        uint256 deadline,XTokenPermissions witness)TokenPermissions(address token,uint256 amount,bytes more)\
        XTokenPermissions(address token,uint256 amount)";
    let message = json!({"permitted": {"token": USDC, "amount": 7, "more": "0x"}, "spender": STRANGER, "nonce": 1,
        "deadline": NOW / 1000, "witness": {"token": USDC, "amount": 1}});
    assert_eq!(explained(&data(shape, PERMIT2, message)).kind, MessageKind::Unknown);
}

#[test]
fn uniswap_x_orders() {
    let order = "PermitWitnessTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,\
        uint256 deadline,ExclusiveDutchOrder witness)DutchOutput(address token,uint256 startAmount,\
        uint256 endAmount,address recipient)ExclusiveDutchOrder(OrderInfo info,address inputToken,\
        DutchOutput[] outputs)OrderInfo(address reactor,address swapper,uint256 nonce,uint256 deadline)\
        TokenPermissions(address token,uint256 amount)";
    let message = json!({"permitted": {"token": USDC, "amount": 7}, "spender": STRANGER, "nonce": 1,
        "deadline": NOW / 1000 + 60, "witness": {
            "info": {"reactor": STRANGER, "swapper": OWN, "nonce": 1, "deadline": NOW / 1000}, "inputToken": USDC,
            "outputs": [{"token": DAI, "startAmount": 9, "endAmount": 8, "recipient": OWN},
                {"token": DAI, "startAmount": 1, "endAmount": 1, "recipient": STRANGER}]}});
    let found = explained(&data(order, PERMIT2, message.clone()));
    let Effect::Swap(swap) = &found.explanation.effects[0] else { panic!("{found:?}") };
    assert_eq!(
        (found.kind, swap.provider, swap.minimum_out),
        (MessageKind::Order, None, Some(Amount::from(8)))
    );
    let reactor = "0x00000011F84B9aa48e5f8aA8B9897600006289Be";
    let known = data(order, PERMIT2, message).to_string().replace(STRANGER, reactor);
    let found = explained(&serde_json::from_str(&known).unwrap());
    let Effect::Swap(swap) = &found.explanation.effects[0] else { panic!("{found:?}") };
    assert_eq!((swap.provider, codes(&found)), (Some("UniswapX"), vec![]));
}

#[test]
fn orders() {
    let cow = json!({"sellToken": USDC, "buyToken": DAI, "receiver": OWN, "sellAmount": 10, "buyAmount": 9,
        "validTo": NOW / 1000 + 1200, "appData": format!("0x{}", "00".repeat(32)), "feeAmount": 1, "kind": "sell",
        "partiallyFillable": false, "sellTokenBalance": "erc20", "buyTokenBalance": "erc20"});
    let found = explained(&data(shape("Order(address sellToken"), COW, cow.clone()));
    let Effect::Swap(swap) = &found.explanation.effects[0] else { panic!() };
    assert_eq!((swap.amount, swap.minimum_out), (Amount::from(11), Some(Amount::from(9))));
    assert!(swap.provider.is_some() && codes(&found).is_empty());
    assert_eq!(explained(&data(shape("Order(address sellToken"), STRANGER, cow)).kind, MessageKind::Unknown);

    let item = |kind: u8, token: &str, amount: u64| {
        json!({"itemType": kind, "token": token, "identifierOrCriteria": 4, "startAmount": amount,
            "endAmount": amount})
    };
    let to = |mut item: Json, who: &str| {
        item["recipient"] = json!(who);
        item
    };
    let zero = "0x0000000000000000000000000000000000000000";
    let order = |considered: Vec<Json>| {
        json!({"offerer": OWN, "zone": zero, "offer": [item(2, STRANGER, 1)], "consideration": considered,
            "orderType": 0, "startTime": 0, "endTime": NOW / 1000 + 1000, "zoneHash": format!("0x{}", "00".repeat(32)),
            "salt": 1, "conduitKey": format!("0x{}", "00".repeat(32)), "counter": 0})
    };
    let listing = order(vec![to(item(0, zero, 95), OWN), to(item(0, zero, 5), STRANGER)]);
    let found = explained(&data(shape("OrderComponents"), SEAPORT, listing.clone()));
    let Effect::Swap(swap) = &found.explanation.effects[0] else { panic!() };
    assert_eq!((swap.provider, swap.minimum_out), (Some("Seaport"), Some(Amount::from(95))));
    assert_eq!(found.explanation.every_party().len(), 3);
    // Nothing for it: there is no minimum, which the policy warns of.
    let found = explained(&data(shape("OrderComponents"), SEAPORT, order(vec![])));
    let Effect::Swap(swap) = &found.explanation.effects[0] else { panic!() };
    assert_eq!(swap.minimum_out, None);

    // One that gives nothing is not told as an order without an effect.
    let mut nothing = order(vec![to(item(0, zero, 95), OWN)]);
    nothing["offer"] = json!([]);
    assert_eq!(explained(&data(shape("OrderComponents"), SEAPORT, nothing)).kind, MessageKind::Unknown);

    let (first, rest) = shape("OrderComponents").split_once("ConsiderationItem(").unwrap();
    let bulk = format!("BulkOrder(OrderComponents[2][2] tree)ConsiderationItem({rest}{first}");
    let mut empty = order(vec![]);
    empty["offerer"] = json!(zero);
    empty["offer"] = json!([]);
    let tree = json!({"tree": [[listing.clone(), empty.clone()], [listing, empty]]});
    let found = explained(&data(&bulk, SEAPORT, tree));
    assert_eq!((found.kind, found.explanation.effects.len()), (MessageKind::Order, 2));
}

#[test]
fn transfers_safes_and_delegations() {
    let message = json!({"from": OWN, "to": STRANGER, "value": 5, "validAfter": 0, "validBefore": NOW / 1000 + 60,
        "nonce": format!("0x{}", "01".repeat(32))});
    let found = explained(&data(shape("TransferWithAuth"), USDC, message));
    let asset = Asset::Token { id: USDC.to_owned() };
    let sent = Effect::Transfer { asset, to: STRANGER.to_owned(), amount: Amount::from(5) };
    assert_eq!((found.kind, &found.explanation.effects[0]), (MessageKind::Transfer, &sent));

    let transfer = format!("0xa9059cbb{:0>64}{:064x}", STRANGER.trim_start_matches("0x"), 5);
    let safe = |operation: u8| {
        explained(&data(
            shape("SafeTx"),
            "0x2222222222222222222222222222222222222222",
            json!({"to": USDC, "value": 0, "data": transfer, "operation": operation, "safeTxGas": 0, "baseGas": 0,
                "gasPrice": 0, "gasToken": STRANGER, "refundReceiver": STRANGER, "nonce": 3}),
        ))
    };
    let found = safe(0);
    assert_eq!((found.kind, &found.explanation.effects[1]), (MessageKind::SafeTransaction, &sent));
    assert!(matches!(&safe(1).explanation.effects[1], Effect::Other { name, .. } if name == "delegatecall"));

    let votes = json!({"delegatee": STRANGER, "nonce": 0, "expiry": NOW / 1000 + 60});
    let found = explained(&data(shape("Delegation(address delegatee"), STRANGER, votes));
    assert_eq!((found.kind, found.explanation.every_party().len()), (MessageKind::Delegation, 1));
    let authorization = data(
        "Authorization(uint256 chainId,address address,uint256 nonce)",
        STRANGER,
        json!({"chainId": 1, "address": STRANGER, "nonce": 0}),
    );
    let request = request(Chain::Ethereum, MessageForm::TypedData, authorization.to_string());
    assert!(matches!(read(&request, &account(Chain::Ethereum)), Err(MessageError::Authorization)));
}

#[test]
fn texts_are_shown_as_they_are_and_deceit_is_spelled_out() {
    let explain = |bytes: &[u8]| personal(bytes).unwrap().explain(NOW, Facts::default());
    let found = explain("Hello\nthere".as_bytes());
    assert_eq!((found.kind, found.text.as_deref()), (MessageKind::Text, Some("Hello\nthere")));
    let found = explain("\u{202e}olleh".as_bytes());
    assert_eq!(codes(&found), [ReasonCode::HiddenCharacters]);
    let found = explain(&[0xff, 1]);
    assert_eq!((found.kind, found.text.as_deref()), (MessageKind::Bytes, Some("0xff01")));
}

proptest! {
    /// Any bytes of any form are read or refused, and explained.
    #[test]
    fn never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..300), text in ".{0,300}") {
        for (chain, form) in [(Chain::Ethereum, MessageForm::Personal), (Chain::Solana, MessageForm::Solana),
            (Chain::Sui, MessageForm::Sui)]
        {
            for content in [hex(&bytes), hex(text.as_bytes()), text.clone()] {
                if let Ok(message) = read(&request(chain, form, content), &account(chain)) {
                    let _ = (message.image(), message.explain(NOW, Facts::default()));
                }
            }
        }
    }

    /// A known struct with any values is explained or unknown, and never fails.
    #[test]
    fn known_shapes_with_any_numbers(number in any::<u64>(), which in 0..100_usize, own in any::<bool>()) {
        let shapes = explain::shapes();
        let shape = shapes[which % shapes.len()];
        let types = types(shape);
        fn value(types: &Json, kind: &str, number: u64, own: bool) -> Json {
            if let Some(of) = kind.strip_suffix("[]") {
                return json!([value(types, of, number, own)]);
            }
            match kind {
                "address" => json!(if own { OWN } else { STRANGER }),
                "bool" => json!(own),
                "string" => json!(number.to_string()),
                "bytes" => json!(format!("0x{number:016x}")),
                "bytes32" => json!(format!("0x{number:064x}")),
                "uint8" => json!(number % 256),
                "uint32" => json!(number % (1 << 32)),
                "uint48" => json!(number % (1 << 48)),
                _ if kind.starts_with("uint") => json!(number),
                _ => types[kind].as_array().unwrap().iter().map(|member| {
                    let kind = member["type"].as_str().unwrap();
                    (member["name"].as_str().unwrap().to_owned(), value(types, kind, number, own))
                }).collect::<serde_json::Map<_, _>>().into(),
            }
        }
        let primary = shape.split_once('(').unwrap().0;
        for contract in [PERMIT2, COW, SEAPORT, USDC, STRANGER] {
            let found = explained(&data(shape, contract, value(&types, primary, number, own)));
            prop_assert!(!found.explanation.effects.is_empty());
        }
    }
}
