//! Swaps: paid to a network's vault with a memo, or made by SwapKit and signed as they came.

use super::*;
use countersign_chains::explain::{Bought, Party, PartyRole, Swap};
use countersign_chains::facts::Facts;
use countersign_chains::transaction::Role;
use wire::keysign::keysign_payload::SwapPayload;
use wire::keysign::{SwapKitSwapPayload, ThorChainSwapPayload};
use wire::node::NodeFact;

pub(crate) fn swap(coin: Coin) -> KeysignPayload {
    let swap = ThorChainSwapPayload {
        from_address: OWN.to_owned(),
        from_coin: Some(coin.clone()),
        vault_address: OTHER.to_owned(),
        from_amount: "5".to_owned(),
        ..ThorChainSwapPayload::default()
    };
    KeysignPayload {
        coin: Some(coin),
        to_address: String::new(),
        memo: Some("=:BTC.BTC:bc1qxyz:700".to_owned()),
        swap_payload: Some(SwapPayload::ThorchainSwapPayload(swap)),
        ..payload()
    }
}

/// Router, least amount and receiver are read from the memo that is signed, once a node says whose the vault is. Before
/// that it is a payment, and whom the memo names is a party all the same.
#[test]
fn a_swap_pays_the_vault_with_its_memo() {
    for (coin, sell) in [(coin(""), Asset::Native), (coin(USDT), usdt())] {
        let transaction = built(&swap(coin)).unwrap();
        let expected = Swap {
            provider: Some("THORChain"),
            router: OTHER.to_owned(),
            sell: sell.clone(),
            amount: Amount::from(5),
            buy: Some(Bought::Named("BTC.BTC".to_owned())),
            minimum_out: Some(Amount::from(700)),
            recipient: Some("bc1qxyz".to_owned()),
        };
        assert_eq!(transaction.role(), Role::Main);
        let facts = [NodeFact::DepositAddress {
            network: "THORChain".to_owned(),
            chain: "Tron".to_owned(),
            address: OTHER.to_owned(),
            router: None,
        }];
        assert_eq!(transaction.explain_with(Facts(&facts)).effects, [Effect::Swap(expected)]);
        let unproven = transaction.explain();
        assert_eq!(unproven.effects, [effect(sell)]);
        assert_eq!(unproven.parties, [Party::new("bc1qxyz", PartyRole::Destination)]);
        assert_eq!(transaction.wanted().len(), 2);
    }
}

#[test]
fn a_swap_that_contradicts_its_payload_is_refused() {
    let silent = KeysignPayload { memo: None, ..swap(coin("")) };
    assert_eq!(refused(&silent), ("missing_field", "memo is missing".to_owned()));
    let other_amount = KeysignPayload { to_amount: "6".to_owned(), ..swap(coin("")) };
    assert_eq!(refused(&other_amount).0, "unsafe_transaction");
    let other_coin = KeysignPayload { coin: Some(coin(USDT)), ..swap(coin("")) };
    assert_eq!(refused(&other_coin).0, "unsafe_transaction");
}

/// What another payload gives, as SwapKit would hand it over.
fn swapkit(inner: &KeysignPayload) -> SwapKitSwapPayload {
    let transaction = built(inner).unwrap();
    let bytes = transaction.compile(&[sign(&transaction)]).unwrap();
    // Field 1 with a length of two bytes, field 2 with 65 bytes behind it.
    let raw = &bytes.bytes[3..bytes.bytes.len() - 67];
    let json = serde_json::json!({ "txID": bytes.id, "raw_data_hex": encoding::hex(raw) });
    SwapKitSwapPayload {
        from_coin: inner.coin.clone(),
        from_amount: "5".to_owned(),
        tx_type: "TRON".to_owned(),
        tx_payload: json.to_string().into_bytes(),
        target_address: OTHER.to_owned(),
        sub_provider: "NEAR".to_owned(),
        ..SwapKitSwapPayload::default()
    }
}

fn by_swapkit(swap: SwapKitSwapPayload) -> KeysignPayload {
    KeysignPayload { swap_payload: Some(SwapPayload::SwapkitSwapPayload(swap)), ..payload() }
}

/// Signed as it came.
#[test]
fn a_swap_that_swapkit_made() {
    for inner in [KeysignPayload { memo: Some("m".repeat(30)), ..payload() }, token_payload()] {
        let outer = by_swapkit(swapkit(&inner));
        assert_eq!(built(&outer).unwrap().images(), built(&inner).unwrap().images());
        assert_eq!(explained(&outer), explained(&inner), "who swaps is the sender's word");
        let transaction = built(&outer).unwrap();
        let claims: Vec<_> = transaction.claims().iter().map(|claim| claim.to_wire().text).collect();
        assert_eq!(claims, ["NEAR"]);
    }
}

#[test]
fn what_swapkit_made_must_pay_what_the_swap_says() {
    let inner = KeysignPayload { memo: Some("m".repeat(30)), ..payload() };
    let good = swapkit(&inner);
    let elsewhere = SwapKitSwapPayload { target_address: OWN.to_owned(), ..good.clone() };
    assert_eq!(refused(&by_swapkit(elsewhere)).0, "unsafe_transaction");
    let more = SwapKitSwapPayload { from_amount: "4".to_owned(), ..good.clone() };
    assert_eq!(refused(&by_swapkit(more)).0, "unsafe_transaction");
    let other = SwapKitSwapPayload { tx_type: "TON".to_owned(), ..good.clone() };
    assert_eq!(refused(&by_swapkit(other)).0, "unsupported_tx_type");
    for text in ["", "{}", r#"{"raw_data_hex":"0a"}"#, r#"{"raw_data_hex":"zz"}"#] {
        let broken = SwapKitSwapPayload { tx_payload: text.as_bytes().to_vec(), ..good.clone() };
        assert_eq!(refused(&by_swapkit(broken)).0, "malformed", "{text}");
    }
    let text = String::from_utf8(good.tx_payload.clone()).unwrap();
    let id = text.replace(r#""txID":""#, r#""txID":"00"#);
    let renamed = SwapKitSwapPayload { tx_payload: id.into_bytes(), ..good.clone() };
    assert_eq!(refused(&by_swapkit(renamed)).0, "malformed");
    let stranger = Account { address: OTHER.to_owned(), ..account() };
    let mut payload = by_swapkit(good);
    payload.coin = Some(Coin { address: OTHER.to_owned(), ..coin("") });
    let error = keysign::transactions(&payload, &stranger, &NetworkFacts::default()).unwrap_err();
    assert_eq!(error, TransactionError::NotOwned { address: OWN.to_owned() });
}

proptest! {
    /// Prebuilt bytes are refused or signed exactly as they are.
    #[test]
    fn any_bytes_of_swapkit_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let json = serde_json::json!({ "raw_data_hex": encoding::hex(&bytes) }).to_string();
        for tx_payload in [bytes, json.into_bytes()] {
            let tx_type = "TRON".to_owned();
            let swap = SwapKitSwapPayload { tx_type, tx_payload, ..SwapKitSwapPayload::default() };
            prop_assert!(built(&by_swapkit(swap)).is_err());
        }
    }
}
