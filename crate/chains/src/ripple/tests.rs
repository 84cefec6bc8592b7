//! What holds for every transaction, and each refusal by name.

use super::amount::{Decimal, Money, currency, currency_text};
use super::arbitrary::{any_decimal, any_money, any_object};
use super::*;
use crate::explain::{Asset, Bought, Effect, Fee, Party, PartyRole};
use crate::facts::Facts;
use crate::reader::Reader;
use crate::signing::PublicKey;
use crate::transaction::{NetworkFacts, Role, Transaction};
use crate::{Amount, Chain, keysign};
use proptest::prelude::*;
use serde_json::json;
use wire::keysign::keysign_payload::{BlockchainSpecific, SignData, SwapPayload};
use wire::keysign::{
    Coin, KeysignPayload, RippleSpecific, SignRipple, SwapKitSwapPayload, ThorChainSwapPayload,
};
use wire::node::NodeFact;

const OWN: &str = "rJTJMuEEAvq6iYpYqwQoWDj8Fkxf6CfDW9";
const OTHER: &str = "rpuHwvCqxWDDsRnDJWykjxKNYpAz6tsGPK";
const TOKEN: &str = "USD.rpuHwvCqxWDDsRnDJWykjxKNYpAz6tsGPK";

pub(super) fn account() -> Account {
    let key = "03a524739c987b6e5b8cb2340ad77b63a69253d93187aa5b334cab8f8144702687";
    let key = PublicKey::Secp256k1(encoding::array_from_hex("key", key).unwrap());
    Account { chain: Chain::Ripple, key, address: OWN.to_owned() }
}

pub(super) fn payload() -> KeysignPayload {
    let coin = Coin {
        chain: "Ripple".to_owned(),
        address: OWN.to_owned(),
        decimals: 6,
        is_native_token: true,
        ..Coin::default()
    };
    let specific = RippleSpecific {
        sequence: 99,
        gas: 10,
        last_ledger_sequence: 12_345_678,
        ..RippleSpecific::default()
    };
    KeysignPayload {
        coin: Some(coin),
        to_address: OTHER.to_owned(),
        to_amount: "1000".to_owned(),
        blockchain_specific: Some(BlockchainSpecific::RippleSpecific(specific)),
        ..KeysignPayload::default()
    }
}

fn token_payload(token: &str, amount: &str) -> KeysignPayload {
    let mut payload = KeysignPayload { to_amount: amount.to_owned(), ..payload() };
    let coin = payload.coin.as_mut().unwrap();
    (coin.is_native_token, coin.decimals, coin.contract_address) = (false, 15, token.to_owned());
    payload
}

pub(super) fn with(change: impl FnOnce(&mut RippleSpecific)) -> KeysignPayload {
    let mut payload = payload();
    if let Some(BlockchainSpecific::RippleSpecific(specific)) = &mut payload.blockchain_specific {
        change(specific);
    }
    payload
}

fn memo(text: &str) -> KeysignPayload {
    KeysignPayload { memo: Some(text.to_owned()), ..payload() }
}

fn given(json: &serde_json::Value) -> KeysignPayload {
    let sign = SignRipple { raw_json: json.to_string() };
    KeysignPayload { sign_data: Some(SignData::SignRipple(sign)), ..payload() }
}

fn made(payload: &KeysignPayload) -> Result<Transaction, TransactionError> {
    keysign::transactions(payload, &account(), &NetworkFacts::default()).map(|mut list| list.remove(0))
}

fn code(payload: &KeysignPayload) -> &'static str {
    made(payload).unwrap_err().code()
}

fn fee(drops: u64) -> Fee {
    Fee::AtMost(Amount::from(drops))
}

fn sent(amount: u64) -> Effect {
    Effect::Transfer { asset: Asset::Native, to: OTHER.to_owned(), amount: Amount::from(amount) }
}

#[test]
fn tags_and_memos() {
    let explain = |payload: &KeysignPayload| {
        let explanation = made(payload).unwrap().explain();
        (explanation.effects.len(), explanation.memo)
    };
    assert_eq!(explain(&payload()), (1, None));
    assert_eq!(explain(&memo("12345")), (1, Some("12345".to_owned())));
    assert_eq!(explain(&memo("hello")), (1, Some("hello".to_owned())));
    assert_eq!(explain(&with(|specific| specific.destination_tag = Some(7))), (1, Some("7".to_owned())));
    let both = |text: &str| KeysignPayload {
        memo: Some(text.to_owned()),
        ..with(|specific| specific.destination_tag = Some(7))
    };
    assert_eq!(explain(&both("7")), (1, Some("7".to_owned())), "an echo of the tag");
    assert_eq!(explain(&both("8")), (2, Some("8".to_owned())), "the field is the tag, the memo stays a memo");
    assert_eq!(explain(&memo("007")), (1, Some("007".to_owned())));
    assert_eq!(explain(&memo("4294967296")), (1, Some("4294967296".to_owned())));
    assert_eq!(code(&memo("0")), "unsupported_payload");
    assert_eq!(code(&with(|specific| specific.destination_tag = Some(0))), "unsupported_payload");
}

#[test]
fn a_payment_is_explained_from_its_bytes() {
    let explanation = made(&payload()).unwrap().explain();
    assert_eq!(explanation.effects, [sent(1000)]);
    assert_eq!((explanation.from.as_str(), explanation.nonce), (OWN, Some(99)));
    assert_eq!(explanation.fee, fee(10));
}

#[test]
fn payload_refusals() {
    assert_eq!(code(&KeysignPayload { blockchain_specific: None, ..payload() }), "missing_field");
    assert_eq!(code(&KeysignPayload { to_address: OTHER.to_lowercase(), ..payload() }), "invalid_address");
    assert_eq!(code(&KeysignPayload { to_amount: "1.5".to_owned(), ..payload() }), "invalid_amount");
    assert_eq!(
        code(&KeysignPayload { to_amount: "100000000000000001".to_owned(), ..payload() }),
        "invalid_amount"
    );
    assert_eq!(code(&with(|specific| specific.sequence = 1 << 32)), "invalid_amount");
    assert_eq!(code(&with(|specific| specific.last_ledger_sequence = 1 << 32)), "invalid_amount");
    assert_eq!(code(&with(|specific| specific.gas = u64::MAX)), "invalid_amount");
    assert_eq!(code(&with(|specific| specific.transaction_type = 1)), "unsupported_payload");
    assert_eq!(
        code(&with(|specific| specific.transaction_type = 10)),
        "missing_field",
        "a trust line of XRP"
    );
    let mut foreign = payload();
    foreign.coin.as_mut().unwrap().address = OTHER.to_owned();
    assert_eq!(code(&foreign), "not_owned");
}

#[test]
fn a_token_is_a_trust_line() {
    let explanation = made(&token_payload(TOKEN, "1500000000000000")).unwrap().explain();
    let [Effect::Other { name, fields }] = &explanation.effects[..] else { panic!("one effect") };
    assert_eq!((name.as_str(), fields[0].1.as_str()), ("TrustSet", format!("1.5 {TOKEN}").as_str()));
    assert!(made(&token_payload(&format!("RLUSD.{OTHER}"), "1")).is_ok());
    assert_eq!(code(&token_payload("", "1")), "missing_field");
    assert_eq!(code(&token_payload("USD", "1")), "malformed");
    assert_eq!(code(&token_payload(&format!("XRP.{OTHER}"), "1")), "malformed");
    assert_eq!(code(&token_payload(TOKEN, "12345678901234567")), "invalid_amount", "17 digits");
    let elsewhere = KeysignPayload { to_address: OWN.to_owned(), ..token_payload(TOKEN, "1") };
    assert_eq!(code(&elsewhere), "unsupported_payload", "a payment, not a trust line");
    assert_eq!(
        code(&KeysignPayload { memo: Some("x".to_owned()), ..token_payload(TOKEN, "1") }),
        "unsupported_payload"
    );
}

fn pay() -> serde_json::Value {
    json!({ "TransactionType": "Payment", "Account": OWN, "Destination": OTHER, "Amount": "1000", "Fee": "12", "Sequence": 5 })
}

fn changed(name: &str, value: serde_json::Value) -> KeysignPayload {
    let mut json = pay();
    json[name] = value;
    given(&json)
}

#[test]
fn what_is_given_is_bound_to_what_was_reviewed() {
    assert_eq!(made(&given(&pay())).unwrap().explain().effects, [sent(1000)]);
    assert_eq!(code(&changed("Account", json!(OTHER))), "not_owned");
    assert_eq!(code(&changed("Destination", json!(OWN))), "unsafe_transaction");
    assert_eq!(code(&changed("Amount", json!("1001"))), "unsafe_transaction");
    let issued = json!({ "currency": "USD", "issuer": OTHER, "value": "1000" });
    assert_eq!(code(&changed("Amount", issued)), "unsafe_transaction");
    assert_eq!(code(&changed("Flags", json!(0x0002_0000))), "unsafe_transaction");
    assert_eq!(code(&changed("NetworkID", json!(21338))), "chain_mismatch");
    assert_eq!(code(&changed("SigningPubKey", json!("03AA"))), "malformed");
    assert_eq!(code(&changed("TxnSignature", json!("3045"))), "malformed");
    assert_eq!(code(&changed("Delegate", json!(OTHER))), "malformed", "a field that is not in the table");
    assert_eq!(code(&changed("Flags", json!(-1))), "malformed");
    assert_eq!(code(&changed("Flags", json!("0"))), "malformed");
    assert_eq!(code(&changed("TransactionType", json!("XChainClaim"))), "unsupported_tx_type");
    assert_eq!(code(&changed("Memos", json!([{ "Memo": {}, "Extra": {} }]))), "malformed");
    let unreviewed = KeysignPayload { to_address: String::new(), to_amount: "0".to_owned(), ..given(&pay()) };
    assert_eq!(made(&unreviewed).unwrap().explain().effects, [sent(1000)]);
}

/// A partial payment that cannot be partial passes, and its flag is shown.
#[test]
fn a_partial_payment_must_deliver_everything() {
    let mut json = pay();
    json["Flags"] = json!(0x0002_0000);
    json["DeliverMin"] = json!("999");
    assert_eq!(code(&given(&json)), "unsafe_transaction");
    json["DeliverMin"] = json!("1000");
    let effects = made(&given(&json)).unwrap().explain().effects;
    assert!(matches!(&effects[1], Effect::Note { name, .. } if name == "tfPartialPayment"));
    assert!(weighed(&given(&json)));
}

/// Stated paths can lead over one account's offers alone; with others beside them the best are taken.
#[test]
fn only_stated_paths_are_not_weighed() {
    let mut json = pay();
    json["SendMax"] = json!({ "currency": "USD", "issuer": OTHER, "value": "1.25" });
    json["Paths"] = json!([[{ "currency": "EUR", "issuer": OTHER }]]);
    assert!(weighed(&given(&json)));
    json["Flags"] = json!(0x0001_0000);
    assert!(!weighed(&given(&json)));
}

/// wallet-core does the same; a payload without numbers leaves the transaction its own.
#[test]
fn numbers_of_the_payload_stand() {
    let numbers = |payload: &KeysignPayload| {
        let explanation = made(payload).unwrap().explain();
        (explanation.nonce, explanation.fee)
    };
    assert_eq!(numbers(&given(&pay())), (Some(99), fee(10)));
    let none = with(|specific| (specific.sequence, specific.gas) = (0, 0)).blockchain_specific;
    assert_eq!(
        numbers(&KeysignPayload { blockchain_specific: none.clone(), ..given(&pay()) }),
        (Some(5), fee(12))
    );
    let ticket = changed("TicketSequence", json!(4));
    assert_eq!(code(&ticket), "unsupported_payload");
    assert_eq!(numbers(&KeysignPayload { blockchain_specific: none, ..ticket }).0, Some(4));
}

#[test]
fn what_is_missing_comes_from_the_payload() {
    let json = json!({ "TransactionType": "OfferCancel", "Account": OWN, "OfferSequence": 3 });
    let explanation = made(&given(&json)).unwrap().explain();
    assert_eq!((explanation.nonce, explanation.fee), (Some(99), fee(10)));
    let fields = vec![("OfferSequence".to_owned(), "3".to_owned())];
    assert_eq!(explanation.effects, [Effect::Note { name: "OfferCancel".to_owned(), fields }]);
}

#[test]
fn paying_with_another_currency_is_an_exchange() {
    let mut json = pay();
    json["SendMax"] = json!({ "currency": "USD", "issuer": OTHER, "value": "1.25" });
    let effects = made(&given(&json)).unwrap().explain().effects;
    let Effect::Swap(swap) = &effects[0] else { panic!("a swap") };
    assert_eq!(swap.sell, Asset::Token { id: TOKEN.to_owned() });
    assert_eq!(swap.amount, Amount::from(1_250_000_000_000_000u64));
    let buy = Some(Bought::Here(Asset::Native));
    assert_eq!((&swap.buy, swap.minimum_out), (&buy, Some(Amount::from(1000u16))));
    assert!(weighed(&given(&json)));
    json["Paths"] = json!([[{ "account": OTHER }]]);
    json["InvoiceID"] = json!("00".repeat(32));
    assert!(weighed(&given(&json)), "paths and an invoice give nothing away");
    json["Flags"] = json!(0x0002_0000);
    json["DeliverMin"] = json!("1000");
    let swap = made(&given(&json)).unwrap().explain().effects.remove(0);
    assert!(matches!(swap, Effect::Swap(swap) if swap.minimum_out == Some(Amount::from(1000u16))));
}

/// Whether nothing in it is unread.
fn weighed(payload: &KeysignPayload) -> bool {
    let effects = made(payload).unwrap().explain().effects;
    !effects.iter().any(|effect| matches!(effect, Effect::Other { .. } | Effect::Unknown { .. }))
}

fn parties(payload: &KeysignPayload) -> Vec<Party> {
    made(payload).unwrap().explain().every_party()
}

/// What leaves is the most that may be spent, not what arrives.
#[test]
fn spending_more_than_arrives_is_counted() {
    let issued = |value: &str| json!({ "currency": "USD", "issuer": OTHER, "value": value });
    let mut json = pay();
    json["Amount"] = issued("1");
    json["SendMax"] = issued("1.5");
    let unreviewed = KeysignPayload { to_address: String::new(), to_amount: "0".to_owned(), ..given(&json) };
    let effects = made(&unreviewed).unwrap().explain().effects;
    let asset = Asset::Token { id: TOKEN.to_owned() };
    let amount = Amount::from(1_500_000_000_000_000u64);
    assert_eq!(effects[0], Effect::Transfer { asset, to: OTHER.to_owned(), amount });
    assert!(matches!(&effects[1], Effect::Note { name, .. } if name == "SendMax"));
}

/// A field that the payment's own effects do not have is not passed over.
#[test]
fn flags_and_fields_that_are_not_known_are_not_weighed() {
    assert!(weighed(&changed("Flags", json!(0x8000_0000u32))));
    assert!(!weighed(&changed("Flags", json!(0x0000_0001))));
    assert!(weighed(&changed("SourceTag", json!(7))));
    assert!(!weighed(&changed("Expiration", json!(7))));
}

/// Each way out of the account by another type is a party, and none of them is weighed.
#[test]
fn other_types_name_who_gets_something_or_may_decide() {
    let of = |json: serde_json::Value| {
        let mut json = json;
        json["Account"] = json!(OWN);
        let payload = KeysignPayload { to_address: String::new(), to_amount: String::new(), ..given(&json) };
        (weighed(&payload), parties(&payload))
    };
    let other = |role| vec![Party::new(OTHER, role)];
    let usd = json!({ "currency": "USD", "issuer": OTHER, "value": "1" });
    let signer = json!({ "SignerEntry": { "Account": OTHER, "SignerWeight": 1 } });
    let bidder = json!({ "AuthAccount": { "Account": OTHER } });
    let cases = [
        (json!({ "TransactionType": "AccountDelete", "Destination": OTHER }), PartyRole::Recipient),
        (
            json!({ "TransactionType": "EscrowCreate", "Destination": OTHER, "Amount": "1" }),
            PartyRole::Recipient,
        ),
        (
            json!({ "TransactionType": "CheckCreate", "Destination": OTHER, "SendMax": "1" }),
            PartyRole::Recipient,
        ),
        (
            json!({ "TransactionType": "PaymentChannelCreate", "Destination": OTHER, "Amount": "1",
                "SettleDelay": 1, "PublicKey": "03AA" }),
            PartyRole::Recipient,
        ),
        (
            json!({ "TransactionType": "NFTokenCreateOffer", "Owner": OTHER, "Amount": "1",
            "NFTokenID": "00".repeat(32) }),
            PartyRole::Recipient,
        ),
        (json!({ "TransactionType": "SetRegularKey", "RegularKey": OTHER }), PartyRole::Authority),
        (json!({ "TransactionType": "AccountSet", "NFTokenMinter": OTHER }), PartyRole::Authority),
        (
            json!({ "TransactionType": "SignerListSet", "SignerQuorum": 1, "SignerEntries": [signer] }),
            PartyRole::Authority,
        ),
        (json!({ "TransactionType": "AMMBid", "AuthAccounts": [bidder] }), PartyRole::Authority),
        (json!({ "TransactionType": "TrustSet", "LimitAmount": usd }), PartyRole::Authority),
    ];
    for (json, role) in cases {
        assert_eq!(of(json.clone()), (false, other(role)), "{json}");
    }
    let offer = json!({ "TransactionType": "OfferCreate", "TakerGets": "1", "TakerPays": usd });
    assert_eq!(of(offer), (false, vec![]));
    for name in ["OfferCancel", "TicketCreate", "CheckCancel", "EscrowCancel"] {
        assert_eq!(of(json!({ "TransactionType": name })), (true, vec![]), "{name}");
        assert!(!of(json!({ "TransactionType": name, "Flags": 1 })).0, "{name} with a flag");
    }
}

/// A memo's target is a party also without proof that a swap network reads it.
#[test]
fn whom_a_memo_names_is_a_party() {
    let named = parties(&memo("SWAP:BTC.BTC:bc1thief/rRefund:0:t:75"));
    let expected = [
        Party::new(OTHER, PartyRole::Recipient),
        Party::new("bc1thief", PartyRole::Destination),
        Party::new("rRefund", PartyRole::Refund),
        Party::new("t", PartyRole::FeePayee),
    ];
    assert_eq!(named, expected);
    // What stands behind the mark is not read by the network, and cannot hide what stands before it.
    assert_eq!(parties(&memo("=:b:bc1thief|\u{202e}\n"))[1].address, "bc1thief");
}

#[test]
fn swaps() {
    let swap = |vault: &str, amount: &str| {
        SwapPayload::ThorchainSwapPayload(ThorChainSwapPayload {
            vault_address: vault.to_owned(),
            from_amount: amount.to_owned(),
            to_amount_limit: "5".to_owned(),
            ..ThorChainSwapPayload::default()
        })
    };
    let swapped = |swap| KeysignPayload { swap_payload: Some(swap), ..memo("=:BTC.BTC:bc1qexample:123") };
    let transaction = made(&swapped(swap(OTHER, "1000"))).unwrap();
    assert_eq!(transaction.role(), Role::Main);
    assert_eq!(transaction.explain().effects, [sent(1000)], "an account that is not proven is paid");
    let claims: Vec<_> = transaction.claims().iter().map(|claim| claim.to_wire()).collect();
    let told: Vec<_> = claims.iter().map(|claim| (claim.about.as_str(), claim.text.as_str())).collect();
    assert_eq!(told, [("swap provider", "THORChain"), ("minimum", "5")]);
    let facts = [NodeFact::DepositAddress {
        network: "THORChain".to_owned(),
        chain: "Ripple".to_owned(),
        address: OTHER.to_owned(),
        router: None,
    }];
    let proven = transaction.explain_with(Facts(&facts));
    let recipients: Vec<_> =
        proven.every_party().into_iter().filter(|party| party.role == PartyRole::Recipient).collect();
    assert_eq!(recipients, [], "the network's account only takes it in");
    let [Effect::Swap(found)] = &proven.effects[..] else { panic!("a swap") };
    assert_eq!((found.router.as_str(), found.minimum_out), (OTHER, Some(Amount::from(123u8))));
    assert_eq!(transaction.wanted().len(), 2);
    assert_eq!(code(&swapped(swap(OWN, "1000"))), "unsafe_transaction");
    assert_eq!(code(&swapped(swap(OTHER, "1001"))), "unsafe_transaction");
    let kit = |tx_payload: &[u8]| {
        SwapPayload::SwapkitSwapPayload(SwapKitSwapPayload {
            tx_payload: tx_payload.to_vec(),
            ..SwapKitSwapPayload::default()
        })
    };
    assert_eq!(made(&swapped(kit(&[]))).unwrap().role(), Role::Main);
    assert_eq!(code(&swapped(kit(&[1]))), "unsupported_payload");
}

#[test]
fn bytes_out_of_form_are_refused() {
    for bytes in [
        "12",
        "120000120000",
        "2400000001120000",
        "01011200",
        "73ff",
        "610000000000000001",
        "c0",
        "18120000",
        "6180000000000000010000",
        "f9ea",
        "ea",
        "8113aa",
        "011200",
    ] {
        let bytes = encoding::from_hex("bytes", bytes).unwrap();
        assert!(object::decode(&bytes).is_err(), "{bytes:02x?}");
    }
}

#[test]
fn a_tag_may_be_text() {
    let read = |tag: &str| json::parse(&format!(r#"{{"DestinationTag":{tag}}}"#));
    assert_eq!(read(r#""4294967295""#), read("4294967295"));
    assert!(read("0").is_ok());
    for tag in ["", "05", "+5", "-5", " 5", "5.0", "0x5", "4294967296"] {
        assert_eq!(read(&format!("\"{tag}\"")).unwrap_err().code(), "malformed", "{tag}");
    }
}

#[test]
fn decimals_have_one_form() {
    let none = "- + . -. +-1 --1 1e .e1 1e1.5 1.2.3 0x10 12345678901234567 1e97 1e-97 ١";
    for text in none.split(' ').chain(["", "1 "]) {
        assert_eq!(Decimal::parse(text), None, "{text}");
    }
    for (text, same) in [("+1", "1"), (".5", "0.5"), ("-.5", "-0.5"), ("5.", "5"), ("5.e1", "50")] {
        assert!(Decimal::parse(same).is_some(), "{same}");
        assert_eq!(Decimal::parse(text), Decimal::parse(same), "{text}");
    }
    assert_eq!(Decimal::parse("1.50"), Decimal::parse("15e-1"));
    assert_eq!(Decimal::parse("-0"), Decimal::parse("0.000"));
    assert_eq!(Decimal::parse("12345678901234560"), Decimal::parse("1234567890123456e1"));
    assert!(Decimal::parse("9999999999999999e80").is_some());
}

#[test]
fn currencies() {
    assert_eq!(currency_text(&currency("c", "USD").unwrap()), "USD");
    assert_eq!(currency_text(&currency("c", "RLUSD").unwrap()), "524C555344000000000000000000000000000000");
    for text in ["XRP", "", "US", "€", "a b c", &"0".repeat(40), "0000000000000000000000005852500000000000"]
    {
        assert!(currency("c", text).is_err(), "{text}");
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read(object in any_object()) {
        let bytes = object::encode(&object);
        prop_assert_eq!(object::decode(&bytes), Ok(object));
    }

    /// A changed byte is refused or read as something else, never ignored; and everything read can be explained.
    #[test]
    fn no_byte_is_ignored(object in any_object(), at: prop::sample::Index, change in 1u8..) {
        let mut bytes = object::encode(&object);
        prop_assume!(!bytes.is_empty());
        let at = at.index(bytes.len());
        bytes[at] ^= change;
        if let Ok(read) = object::decode(&bytes) {
            prop_assert_ne!(&read, &object);
            prop_assert_eq!(&object::encode(&read), &bytes);
            let _ = Prepared { bytes, object: read }.explain(&account(), Facts::default());
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        if let Ok(read) = object::decode(&bytes) {
            prop_assert_eq!(object::encode(&read), bytes);
        }
    }

    #[test]
    fn amounts_return(money in any_money()) {
        let mut bytes = Vec::new();
        money.write(&mut bytes);
        prop_assert_eq!(Money::read(&mut Reader::new("amount", &bytes)), Ok(money));
    }

    #[test]
    fn any_text_is_a_decimal_or_none(text in "[-0-9.eE+]{0,24}", decimal in any_decimal()) {
        let _ = Decimal::parse(&text);
        let shown = Money::Issued { value: decimal, currency: [1; 20], issuer: [2; 20] }.text();
        let number = shown.split(' ').next().unwrap();
        prop_assert_eq!(Decimal::parse(number).or(Some(decimal)), Some(decimal));
    }

    #[test]
    fn any_json_is_read_or_refused(name in prop::sample::select(vec!["Amount", "Memos", "Paths", "Flags", "Asset", "Fee", "x"]),
        text in "[\\[\\]{}\":,0-9a-zA-Z]{0,40}") {
        let _ = json::parse(&format!("{{\"{name}\":{text}}}"));
    }
}
