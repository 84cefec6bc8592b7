//! TON payloads: what each stands for, what is refused, and that no signature but the right one is built in.

#![expect(clippy::unwrap_used, reason = "a test's own mistake must fail it")]

#[path = "common/unsigned.rs"]
mod unsigned;

use countersign_chains::compare::{Claims, compare};
use countersign_chains::explain::{Asset, Effect, Explanation, Fee, Function, Party, PartyRole};
use countersign_chains::facts::Facts;
use countersign_chains::names::Names;
use countersign_chains::signing::{PublicKey, Signature};
use countersign_chains::transaction::{Account, NetworkFacts, Role};
use countersign_chains::{Amount, Chain, Transaction, TransactionError, encoding, keysign};
use ed25519_dalek::{Signer as _, SigningKey};
use proptest::prelude::*;
use wire::keysign::keysign_payload::{BlockchainSpecific, SignData, SwapPayload};
use wire::keysign::{
    Coin, Erc20ApprovePayload, KeysignPayload, OneInchSwapPayload, SignSui, SignTon, SwapKitSwapPayload,
    TonMessage, TonSpecific,
};

/// The account of the private key 1, 0, 0, …
const OWN: &str = "UQDEZ4h6dpyJZmvOoYuvfZVrI9KaZJ4KJwqoW7i8aup6kocf";
const OWN_BOUNCEABLE: &str = "EQDEZ4h6dpyJZmvOoYuvfZVrI9KaZJ4KJwqoW7i8aup6ktra";
const OTHER: &str = "UQC7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7MR";
const OTHER_BOUNCEABLE: &str = "EQC7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u-7U";
const JETTON: &str = "EQDd3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3Rl2";
const JETTON_WALLET: &str = "EQDMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzDA5";

fn key() -> SigningKey {
    let mut secret = [0; 32];
    secret[0] = 1;
    SigningKey::from_bytes(&secret)
}

fn account() -> Account {
    let key = PublicKey::Ed25519(key().verifying_key().to_bytes());
    Account { chain: Chain::Ton, key, address: OWN.to_owned() }
}

fn specific() -> TonSpecific {
    TonSpecific { sequence_number: 5, expire_at: 1_900_000_000, ..TonSpecific::default() }
}

fn with(payload: KeysignPayload, specific: TonSpecific) -> KeysignPayload {
    KeysignPayload { blockchain_specific: Some(BlockchainSpecific::TonSpecific(specific)), ..payload }
}

/// 500 nanotons to the other account.
fn payload() -> KeysignPayload {
    let coin = Coin {
        chain: "Ton".to_owned(),
        ticker: "TON".to_owned(),
        address: OWN.to_owned(),
        decimals: 9,
        is_native_token: true,
        ..Coin::default()
    };
    let payload = KeysignPayload {
        coin: Some(coin),
        to_address: OTHER.to_owned(),
        to_amount: "500".to_owned(),
        ..KeysignPayload::default()
    };
    with(payload, specific())
}

/// 500 units of a jetton to the other account.
fn jetton() -> KeysignPayload {
    let mut payload = payload();
    let coin = payload.coin.as_mut().unwrap();
    (coin.is_native_token, coin.contract_address) = (false, JETTON.to_owned());
    let jetton_address = JETTON_WALLET.to_owned();
    with(payload, TonSpecific { jetton_address, is_active_destination: true, ..specific() })
}

fn requested(messages: Vec<TonMessage>) -> KeysignPayload {
    KeysignPayload { sign_data: Some(SignData::SignTon(SignTon { ton_messages: messages })), ..payload() }
}

fn request(payload: Option<&str>) -> TonMessage {
    let payload = payload.map(str::to_owned);
    TonMessage { to: OTHER.to_owned(), amount: "7".to_owned(), payload, state_init: None }
}

fn swap(change: impl FnOnce(&mut SwapKitSwapPayload)) -> KeysignPayload {
    let mut swap = SwapKitSwapPayload {
        to_coin: Some(Coin { chain: "Bitcoin".to_owned(), ticker: "BTC".to_owned(), ..Coin::default() }),
        from_amount: "500".to_owned(),
        tx_type: "TON".to_owned(),
        tx_payload: format!(r#"[{{"address":"{OTHER_BOUNCEABLE}","amount":"500"}}]"#).into_bytes(),
        target_address: OTHER.to_owned(),
        sub_provider: "CHAINFLIP".to_owned(),
        ..SwapKitSwapPayload::default()
    };
    change(&mut swap);
    KeysignPayload { swap_payload: Some(SwapPayload::SwapkitSwapPayload(swap)), ..payload() }
}

fn transactions(payload: &KeysignPayload) -> Result<Vec<Transaction>, TransactionError> {
    keysign::transactions(payload, &account(), &NetworkFacts::default())
}

fn one(payload: &KeysignPayload) -> Transaction {
    let mut all = transactions(payload).unwrap();
    assert_eq!(all.len(), 1);
    all.remove(0)
}

fn told(payload: &KeysignPayload) -> Explanation {
    one(payload).explain()
}

#[track_caller]
fn refused(payload: &KeysignPayload) -> TransactionError {
    transactions(payload).unwrap_err()
}

fn native(to: &str, amount: Amount) -> Effect {
    Effect::Transfer { asset: Asset::Native, to: to.to_owned(), amount }
}

fn until(seconds: u32) -> Effect {
    let fields = vec![("seconds since 1970".to_owned(), seconds.to_string())];
    Effect::Note { name: "valid until".to_owned(), fields }
}

#[test]
fn a_transfer_says_whom_how_much_and_until_when() {
    let payload = KeysignPayload { memo: Some("thanks ♥".to_owned()), ..payload() };
    let expected = Explanation {
        chain: Chain::Ton,
        from: OWN.to_owned(),
        target: None,
        effects: vec![native(OTHER, Amount::from(500)), until(1_900_000_000)],
        parties: Vec::new(),
        memo: Some("thanks ♥".to_owned()),
        fee: Fee::SetByChain,
        gas_limit: None,
        nonce: Some(5),
    };
    assert_eq!(told(&payload), expected);
    assert_eq!(one(&payload).role(), Role::Main);
}

#[test]
fn a_stake_goes_to_a_contract_that_can_send_it_back() {
    for (memo, to) in [("d", OTHER_BOUNCEABLE), (" w ", OTHER_BOUNCEABLE), ("dw", OTHER)] {
        let explanation = told(&KeysignPayload { memo: Some(memo.to_owned()), ..payload() });
        assert_eq!(explanation.effects[0], native(to, Amount::from(500)), "{memo}");
    }
}

/// The message names no amount, so no claim of an amount and no limit may be taken to cover it.
#[test]
fn a_sweep_has_no_limit() {
    let effects = told(&with(payload(), TonSpecific { send_max_amount: true, ..specific() })).effects;
    let Effect::Note { name, .. } = &effects[0] else { panic!("{effects:?}") };
    assert_eq!(name, "send the whole balance");
    assert_eq!(effects[1], native(OTHER, Amount::MAX));
}

/// The first letter deploys the wallet; it does not expire.
#[test]
fn the_first_letter_brings_the_wallet_along() {
    let first = one(&with(payload(), TonSpecific { sequence_number: 0, ..specific() }));
    assert_eq!(first.explain().effects[1], until(u32::MAX));
    let length = |transaction: &Transaction| {
        let signature = key().sign(transaction.images()[0].as_bytes()).to_bytes();
        transaction.compile(&[Signature(signature)]).unwrap().bytes.len()
    };
    assert!(length(&first) > length(&one(&payload())) + 700);
}

#[test]
fn a_jetton_transfer_says_what_goes_where() {
    let explanation = told(&KeysignPayload { memo: Some("invoice 7".to_owned()), ..jetton() });
    assert_eq!(explanation.memo.as_deref(), Some("invoice 7"));
    let asset = Asset::Token { id: JETTON_WALLET.to_owned() };
    let transfer = Effect::Transfer { asset, to: OTHER.to_owned(), amount: Amount::from(500) };
    let fields = [
        ("contract", JETTON_WALLET),
        ("attached", "80000000"),
        ("forwarded", "1"),
        ("query", "0"),
        ("rest returns to", OWN),
    ];
    let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let attached = Effect::Note { name: "jetton transfer".to_owned(), fields };
    assert_eq!(explanation.effects, [transfer, attached, until(1_900_000_000)]);
    assert_eq!(explanation.parties, [Party::new(OWN, PartyRole::Refund)]);
}

/// `b5ee9c72 01 01 01 01 00 06 00 | 00 08 deadbeef`: an unknown body.
const UNKNOWN_BODY: &str = "te6ccgEBAQEABgAACN6tvu8=";

#[test]
fn requested_messages_are_all_told() {
    let state = TonMessage { state_init: Some(UNKNOWN_BODY.to_owned()), ..request(None) };
    let explanation = told(&requested(vec![request(Some("")), request(Some(UNKNOWN_BODY)), state]));
    let function = Function::Unknown { selector: Some([0xde, 0xad, 0xbe, 0xef]), bytes: 4 };
    let call = Effect::Call { contract: OTHER.to_owned(), value: Amount::from(7), function };
    let plain = native(OTHER, Amount::from(7));
    let create = Effect::Create { value: Amount::ZERO, bytes: 4 };
    assert_eq!(explanation.effects, [plain.clone(), call, create, plain, until(1_900_000_000)]);
}

/// What the wallet would do on its own, by its flag or by a comment, does not reach them.
#[test]
fn requested_messages_bounce_as_their_addresses_say() {
    let raw = format!("0:{}", "bb".repeat(32));
    let message = |to: &str, state: Option<&str>| TonMessage {
        to: to.to_owned(),
        state_init: state.map(str::to_owned),
        ..request(None)
    };
    let state = Some(UNKNOWN_BODY);
    let cases = [
        (message(OTHER, None), OTHER),
        (message(OTHER_BOUNCEABLE, None), OTHER_BOUNCEABLE),
        (message(OTHER_BOUNCEABLE, state), OTHER_BOUNCEABLE),
        (message(&raw, None), OTHER_BOUNCEABLE),
        (message(&raw, state), OTHER),
    ];
    for (message, to) in cases {
        for bounceable in [false, true] {
            let mut payload =
                with(requested(vec![message.clone()]), TonSpecific { bounceable, ..specific() });
            payload.memo = bounceable.then(|| "d".to_owned());
            let effects = told(&payload).effects;
            assert!(effects.contains(&native(to, Amount::from(7))), "{effects:?}");
        }
    }
}

#[test]
fn a_swap_is_a_transfer_that_was_quoted() {
    let payload = swap(|_| ());
    let transaction = one(&payload);
    assert_eq!(transaction.role(), Role::Main);
    assert_eq!(transaction.explain().effects[0], native(OTHER, Amount::from(500)), "who swaps is a claim");
    let claims: Vec<_> = transaction.claims().iter().map(|claim| claim.to_wire()).collect();
    let told: Vec<_> = claims.iter().map(|claim| (claim.about.as_str(), claim.text.as_str())).collect();
    assert_eq!(told, [("swap provider", "CHAINFLIP"), ("buys", "BTC on Bitcoin")]);
    assert!(transactions(&swap(|swap| swap.tx_payload.clear())).is_ok());
}

#[test]
fn a_swap_for_another_transfer_is_refused() {
    let refused = |change: fn(&mut SwapKitSwapPayload)| refused(&swap(change)).code();
    assert_eq!(refused(|swap| swap.from_amount = "501".to_owned()), "unsafe_transaction");
    assert_eq!(refused(|swap| swap.target_address = JETTON.to_owned()), "unsafe_transaction");
    let other = format!(r#"[{{"address":"{OTHER}","amount":501}}]"#);
    let payload = swap(|swap| swap.tx_payload = other.into_bytes());
    assert_eq!(transactions(&payload).unwrap_err().code(), "unsafe_transaction");
    assert_eq!(refused(|swap| swap.tx_payload = b"[]".to_vec()), "malformed");
    assert_eq!(refused(|swap| swap.tx_payload = b"{".to_vec()), "malformed");
    assert_eq!(refused(|swap| swap.tx_type = "PSBT".to_owned()), "unsupported_tx_type");
}

#[test]
fn a_field_that_is_wrong_is_named() {
    let missing = KeysignPayload { blockchain_specific: None, ..payload() };
    assert_eq!(refused(&missing), TransactionError::Missing { field: "ton_specific" });
    let long = KeysignPayload { memo: Some("x".repeat(124)), ..payload() };
    assert_eq!(refused(&long).to_string(), "memo is longer than 123 bytes");
    let fits = KeysignPayload { memo: Some("x".repeat(123)), ..payload() };
    assert!(transactions(&fits).is_ok());
    let full = KeysignPayload { memo: Some("x".repeat(60)), ..jetton() };
    assert_eq!(refused(&full).to_string(), "memo does not fit into one cell");
    let late = with(payload(), TonSpecific { expire_at: 1 << 32, ..specific() });
    assert_eq!(refused(&late).to_string(), "ton_specific.expire_at has more than 32 bits");
    let high = with(payload(), TonSpecific { sequence_number: 1 << 32, ..specific() });
    assert_eq!(refused(&high).to_string(), "ton_specific.sequence_number has more than 32 bits");
    let mixed = with(payload(), TonSpecific { jetton_address: JETTON.to_owned(), ..specific() });
    assert_eq!(refused(&mixed).code(), "malformed");
    let homeless = with(jetton(), specific());
    assert!(matches!(
        refused(&homeless),
        TransactionError::Address { field: "ton_specific.jetton_address", .. }
    ));
}

#[test]
fn amounts_and_addresses_must_be_the_chains() {
    for amount in ["", "-1", "1.5", &(1_u128 << 120).to_string()] {
        let payload = KeysignPayload { to_amount: amount.to_owned(), ..payload() };
        assert_eq!(refused(&payload), TransactionError::Amount { field: "to_amount" });
    }
    let test_network = "kQC7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u1Ve";
    for address in ["", "nobody", test_network] {
        let payload = KeysignPayload { to_address: address.to_owned(), ..payload() };
        assert!(matches!(refused(&payload), TransactionError::Address { field: "to_address", .. }));
    }
}

#[test]
fn only_the_vaults_own_account_pays() {
    let mut foreign = payload();
    foreign.coin.as_mut().unwrap().address = OTHER.to_owned();
    assert_eq!(refused(&foreign), TransactionError::NotOwned { address: OTHER.to_owned() });
    for own in [OWN_BOUNCEABLE, "0:c467887a769c89666bcea18baf7d956b23d29a649e0a270aa85bb8bc6aea7a92"] {
        let mut spelt = payload();
        spelt.coin.as_mut().unwrap().address = own.to_owned();
        assert_eq!(told(&spelt).from, OWN);
    }
}

/// Bounceable or not, an address names the same account, and a claim may spell it either way.
#[test]
fn a_claim_may_spell_an_account_in_any_form() {
    let staked = told(&KeysignPayload { memo: Some("d".to_owned()), ..payload() });
    let names = Names { chain: Chain::Ton, own: &[], facts: Facts::default() };
    let contradictions = |to: &str| {
        let claims =
            Claims { to: Some(to.to_owned()), from: Some(OWN_BOUNCEABLE.to_owned()), ..Claims::default() };
        compare(&staked, &claims, names).contradictions.len()
    };
    assert_eq!([OTHER, OTHER_BOUNCEABLE, "UQC7u7u7…u7MR", "EQC7u7u7…u-7U"].map(contradictions), [0; 4]);
    assert_eq!([OWN, JETTON_WALLET, "UQC7u7u7…u7MS"].map(contradictions), [1; 3]);
}

#[test]
fn bad_messages_are_refused() {
    assert_eq!(refused(&requested(Vec::new())).code(), "missing_field");
    assert_eq!(refused(&requested(vec![request(None); 5])).code(), "malformed");
    let nothing = TonMessage { amount: "0".to_owned(), ..request(None) };
    assert_eq!(refused(&requested(vec![nothing])).code(), "invalid_amount");
    assert_eq!(refused(&requested(vec![request(Some("!"))])).code(), "malformed");
    assert_eq!(refused(&requested(vec![request(Some("AAAA"))])).code(), "malformed");
    let state = TonMessage { state_init: Some("AAAA".to_owned()), ..request(None) };
    assert_eq!(refused(&requested(vec![state])).code(), "malformed");
}

#[test]
fn forms_of_other_chains_are_refused() {
    let sui = KeysignPayload { sign_data: Some(SignData::SignSui(SignSui::default())), ..payload() };
    let jetton_request = KeysignPayload { coin: jetton().coin, ..requested(vec![request(None)]) };
    let approval =
        KeysignPayload { erc20_approve_payload: Some(Erc20ApprovePayload::default()), ..payload() };
    let aggregator = SwapPayload::OneinchSwapPayload(OneInchSwapPayload::default());
    let aggregator = KeysignPayload { swap_payload: Some(aggregator), ..payload() };
    let mut both = swap(|_| ());
    both.sign_data = requested(vec![request(None)]).sign_data;
    for payload in [sui, jetton_request, approval, aggregator, both] {
        assert_eq!(refused(&payload).code(), "unsupported_payload");
    }
}

#[test]
fn every_bit_of_a_signature_counts() {
    let transaction = one(&payload());
    let signature = key().sign(transaction.images()[0].as_bytes()).to_bytes();
    let signed = transaction.compile(&[Signature(signature)]).unwrap();
    assert_eq!(signed.id.len(), 64);
    assert!(transaction.compile(&[]).is_err());
    for bit in 0..512 {
        let mut flipped = signature;
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(transaction.compile(&[Signature(flipped)]).is_err(), "bit {bit}");
    }
}

/// Not only the cells: also the bytes in which Wallet Core writes them. Where cells are shared, as in some of the
/// requests, it puts them last; any place after their parents is right.
#[test]
fn the_bytes_are_those_of_wallet_core() {
    let cases: Vec<serde_json::Value> =
        serde_json::from_str(include_str!("../../../tests/vectors/ton/signed-tx-golden.json")).unwrap();
    for case in cases {
        let text = |path| case.pointer(path).unwrap().as_str().unwrap();
        let secret = encoding::array_from_hex("key", text("/private_key_hex")).unwrap();
        let key = SigningKey::from_bytes(&secret);
        let bytes = encoding::from_base64("payload", text("/keysign_payload_base64")).unwrap();
        let payload = KeysignPayload::from_bytes(&bytes).unwrap();
        let address = payload.coin.as_ref().unwrap().address.clone();
        let public = PublicKey::Ed25519(key.verifying_key().to_bytes());
        let account = Account { chain: Chain::Ton, key: public, address };
        let transaction = &keysign::transactions(&payload, &account, &NetworkFacts::default()).unwrap()[0];
        let signature = key.sign(transaction.images()[0].as_bytes()).to_bytes();
        let signed = transaction.compile(&[Signature(signature)]).unwrap();
        let (name, expected) = (text("/name"), text("/expected/rawTransaction"));
        let bytes = encoding::base64(&signed.bytes);
        assert!(bytes == expected || name.contains("request") && bytes.len() == expected.len(), "{name}");
    }
}

/// The target of a comment is a party with any recipient of the payment.
#[test]
fn targets_of_comments_are_parties() {
    let found = told(&KeysignPayload { memo: Some("=:BTC.BTC:thief/back:0:t:9".to_owned()), ..payload() });
    assert_eq!(found.effects[0], native(OTHER, Amount::from(500)));
    let named: Vec<_> = found.parties.iter().map(|party| (party.address.as_str(), party.role)).collect();
    use PartyRole::{Destination, FeePayee, Refund};
    assert_eq!(named, [("thief", Destination), ("back", Refund), ("t", FeePayee)]);
}

#[test]
fn claims_of_a_payload_are_not_signed() {
    let base = swap(|_| ());
    let changed = unsigned::Change::of_claims().apply(base.clone());
    assert_ne!(base, changed);
    let (base, changed) = (one(&base), one(&changed));
    assert_eq!((base.images(), base.explain()), (changed.images(), changed.explain()));
    assert_ne!(base.claims(), changed.claims());
}

proptest! {
    /// What no signature covers changes neither what is explained nor whom it names.
    #[test]
    fn unsigned_fields_change_no_fact(change in unsigned::change(), choice in 0..4) {
        let base = match choice {
            0 => payload(),
            1 => jetton(),
            2 => swap(|_| ()),
            _ => requested(vec![request(None)]),
        };
        if let (Ok(first), Ok(second)) = (transactions(&base), transactions(&change.apply(base.clone())))
            && first[0].images() == second[0].images()
        {
            prop_assert_eq!(first[0].explain(), second[0].explain());
            prop_assert_eq!(first[0].explain().every_party(), second[0].explain().every_party());
        }
    }

    #[test]
    fn no_request_breaks_anything(body in proptest::collection::vec(any::<u8>(), 0..300), head in any::<bool>()) {
        let head: &[u8] = if head { &[0xb5, 0xee, 0x9c, 0x72, 1, 1] } else { &[] };
        let text = encoding::base64(&[head, &body].concat());
        if let Ok(transactions) = transactions(&requested(vec![request(Some(&text))])) {
            prop_assert!(!transactions[0].explain().effects.is_empty());
        }
    }

    #[test]
    fn every_comment_is_told_as_it_was_given(memo in "\\PC{1,30}", amount in any::<u64>()) {
        let payload =
            KeysignPayload { memo: Some(memo.clone()), to_amount: amount.to_string(), ..payload() };
        let explanation = told(&payload);
        prop_assert_eq!(explanation.memo, Some(memo));
        let bounced = ["d", "w", "Deposit", "Withdraw"].contains(&payload.memo.as_deref().unwrap_or("").trim());
        let to = if bounced { OTHER_BOUNCEABLE } else { OTHER };
        prop_assert_eq!(&explanation.effects[0], &native(to, Amount::from(amount)));
    }
}
