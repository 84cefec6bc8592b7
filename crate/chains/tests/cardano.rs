//! Cardano payloads: what each stands for, what is refused, and that no signature but the right one is built in.

#![expect(clippy::unwrap_used, reason = "a test's own mistake must fail it")]

use countersign_chains::explain::{Asset, Effect, Explanation, Fee};
use countersign_chains::signing::{PublicKey, Signature};
use countersign_chains::transaction::{Account, NetworkFacts, Role};
use countersign_chains::{Amount, Chain, Transaction, TransactionError, derive, encoding, keysign};
use ed25519_dalek::{Signer as _, SigningKey};
use proptest::prelude::*;
use wire::keysign::keysign_payload::{BlockchainSpecific, SignData, SwapPayload};
use wire::keysign::{
    CardanoChainSpecific, CardanoTokenAsset, Coin, Erc20ApprovePayload, KeysignPayload, SignSui,
    SwapKitSwapPayload, ThorChainSwapPayload, UtxoInfo,
};

const ADA: i64 = 1_000_000;
/// The enterprise address of the key hash of 28 bytes 0xbb.
const OTHER: &str = "addr1vxamhwamhwamhwamhwamhwamhwamhwamhwamhwamhwamhwcw0k7us";
const BYRON: &str = "Ae2tdPwUPEZMdfLWtWHeUgecoUzKV8vwRNXyhVjz6sbX3aVh9ZBR9EzDpJA";
const STAKE: &str = "stake1u8wamhwamhwamhwamhwamhwamhwamhwamhwamhwamhwamhgg4zkwc";
const POLICY: &str = "cccccccccccccccccccccccccccccccccccccccccccccccccccccccc";

fn key() -> SigningKey {
    SigningKey::from_bytes(&[9; 32])
}

fn account() -> Account {
    let key = PublicKey::Ed25519(key().verifying_key().to_bytes());
    derive::account(Chain::Cardano, key).unwrap()
}

fn own() -> String {
    account().address
}

fn specific() -> CardanoChainSpecific {
    CardanoChainSpecific { byte_fee: 170_000, send_max_amount: false, ttl: 160_000_000 }
}

fn with(payload: KeysignPayload, specific: CardanoChainSpecific) -> KeysignPayload {
    KeysignPayload { blockchain_specific: Some(BlockchainSpecific::Cardano(specific)), ..payload }
}

fn unspent(place: u8, amount: i64, tokens: &[(&str, &str)]) -> UtxoInfo {
    let token = |(name, amount): &(&str, &str)| CardanoTokenAsset {
        policy_id: POLICY.to_owned(),
        asset_name_hex: (*name).to_owned(),
        amount: (*amount).to_owned(),
    };
    let cardano_tokens = tokens.iter().map(token).collect();
    UtxoInfo { hash: encoding::hex(&[place; 32]), amount, index: 0, cardano_tokens }
}

/// 2 ADA of 10 to the other account.
fn payload() -> KeysignPayload {
    let coin = Coin {
        chain: "Cardano".to_owned(),
        ticker: "ADA".to_owned(),
        address: own(),
        decimals: 6,
        is_native_token: true,
        ..Coin::default()
    };
    let payload = KeysignPayload {
        coin: Some(coin),
        to_address: OTHER.to_owned(),
        to_amount: "2000000".to_owned(),
        utxo_info: vec![unspent(1, 10 * ADA, &[])],
        ..KeysignPayload::default()
    };
    with(payload, specific())
}

/// 3 of 5 tokens to the other account.
fn token() -> KeysignPayload {
    let mut payload = payload();
    let coin = payload.coin.as_mut().unwrap();
    (coin.is_native_token, coin.contract_address) = (false, format!("{POLICY}.aa"));
    payload.to_amount = "3".to_owned();
    payload.utxo_info = vec![unspent(1, 10 * ADA, &[("aa", "5"), ("bbbb", "7")])];
    payload
}

fn swap(change: impl FnOnce(&mut SwapKitSwapPayload)) -> KeysignPayload {
    let mut swap = SwapKitSwapPayload {
        to_coin: Some(Coin { chain: "Bitcoin".to_owned(), ticker: "BTC".to_owned(), ..Coin::default() }),
        from_amount: "2000000".to_owned(),
        tx_type: "CARDANO".to_owned(),
        target_address: OTHER.to_owned(),
        ..SwapKitSwapPayload::default()
    };
    change(&mut swap);
    KeysignPayload { swap_payload: Some(SwapPayload::SwapkitSwapPayload(swap)), ..payload() }
}

/// A transaction that a service built, from hex of its outputs, fee, witnesses and what follows.
fn built(outputs: &str, fee: &str, end: &str) -> KeysignPayload {
    let input = format!("81825820{}00", "11".repeat(32));
    let hex = format!("84a400{input}01{outputs}02{fee}031a09896800{end}");
    let bytes = encoding::from_hex("test", &hex).unwrap();
    swap(|swap| (swap.tx_type, swap.tx_payload) = ("CARDANO_PREBUILT".to_owned(), bytes))
}

fn output(account: &str, value: &str) -> String {
    format!("82581d61{account}{value}")
}

fn strangers() -> String {
    "bb".repeat(28)
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

fn native(to: &str, amount: u64) -> Effect {
    Effect::Transfer { asset: Asset::Native, to: to.to_owned(), amount: Amount::from(amount) }
}

fn change(amount: u64) -> Effect {
    Effect::Change { to: own(), amount: Amount::from(amount) }
}

fn until(slot: u64) -> Effect {
    let fields = vec![("slot".to_owned(), slot.to_string())];
    Effect::Note { name: "valid until".to_owned(), fields }
}

#[test]
fn a_payment_says_whom_how_much_and_what_returns() {
    let memo = format!("{}…", "long ".repeat(30));
    let payload = KeysignPayload { memo: Some(memo.clone()), ..payload() };
    let expected = Explanation {
        chain: Chain::Cardano,
        from: own(),
        target: None,
        effects: vec![native(OTHER, 2_000_000), change(7_830_000), until(160_000_000)],
        parties: Vec::new(),
        memo: Some(memo),
        fee: Fee::AtMost(Amount::from(170_000)),
        gas_limit: None,
        nonce: None,
    };
    assert_eq!(told(&payload), expected);
    assert_eq!(one(&payload).role(), Role::Main);
}

#[test]
fn an_old_address_is_paid_and_named() {
    let payload = KeysignPayload { to_address: BYRON.to_owned(), ..payload() };
    assert_eq!(told(&payload).effects[0], native(BYRON, 2_000_000));
}

#[test]
fn everything_is_everything_but_the_fee() {
    let mut payload = with(payload(), CardanoChainSpecific { send_max_amount: true, ..specific() });
    payload.utxo_info.push(unspent(2, 3 * ADA, &[]));
    assert_eq!(told(&payload).effects, [native(OTHER, 12_830_000), until(160_000_000)]);
}

#[test]
fn a_token_goes_with_coins_and_the_rest_returns() {
    let asset = Asset::Token { id: format!("{POLICY}.aa") };
    let sent = Effect::Transfer { asset, to: OTHER.to_owned(), amount: Amount::from(3) };
    let fields = [("aa", "2"), ("bbbb", "7")];
    let fields = fields.map(|(name, amount)| (format!("{POLICY}.{name}"), amount.to_owned())).to_vec();
    let returned = Effect::Note { name: "tokens that return".to_owned(), fields };
    let expected = [sent, native(OTHER, 1_500_000), change(8_330_000), returned, until(160_000_000)];
    assert_eq!(told(&token()).effects, expected);
}

/// Who runs a swap and what it buys is the sender's word: what is signed is a payment.
#[test]
fn a_swap_is_a_deposit_that_was_quoted() {
    let payload = swap(|_| ());
    assert_eq!(one(&payload).role(), Role::Main);
    assert_eq!(told(&payload).effects[0], native(OTHER, 2_000_000));
    let said: Vec<_> = one(&payload).claims().iter().map(|claim| claim.to_wire()).collect();
    let said: Vec<_> = said.iter().map(|claim| (claim.about.as_str(), claim.text.as_str())).collect();
    assert_eq!(said, [("swap provider", "SwapKit"), ("buys", "BTC on Bitcoin")]);
    let other = swap(|swap| swap.target_address = BYRON.to_owned());
    assert_eq!(refused(&other).code(), "unsafe_transaction");
    let more = swap(|swap| swap.from_amount = "2000001".to_owned());
    assert_eq!(refused(&more).code(), "unsafe_transaction");
    let unknown = swap(|swap| swap.tx_type = "PSBT".to_owned());
    assert_eq!(refused(&unknown).code(), "unsupported_tx_type");
}

#[test]
fn a_built_transaction_is_signed_as_it_is() {
    let deposit = output(&strangers(), "1a001e8480");
    let payload = built(&format!("81{deposit}"), "1a00029810", "a0f5f6");
    let explanation = told(&payload);
    assert_eq!(explanation.effects[0], native(OTHER, 2_000_000));
    assert_eq!(explanation.fee, Fee::AtMost(Amount::from(170_000)));
    let transaction = one(&payload);
    let signature = key().sign(transaction.images()[0].as_bytes()).to_bytes();
    let signed = transaction.compile(&[Signature(signature)]).unwrap();
    let Some(SwapPayload::SwapkitSwapPayload(swap)) = &payload.swap_payload else { unreachable!() };
    let body = &swap.tx_payload[1..swap.tx_payload.len() - 3];
    assert_eq!(&signed.bytes[1..=body.len()], body);
}

#[test]
fn a_built_transaction_must_be_what_was_quoted() {
    let deposit = output(&strangers(), "1a001e8480");
    let fee = "1a00029810";
    let code = |payload: &KeysignPayload| refused(payload).to_string();
    let two = built(&format!("82{deposit}{deposit}"), fee, "a0f5f6");
    assert_eq!(code(&two), "refused: the swap pays more than one stranger");
    let more = built(&format!("81{}", output(&strangers(), "1a001e8481")), fee, "a0f5f6");
    assert_eq!(code(&more), "refused: the swap's deposit is more than was quoted");
    let tokens = format!("8201a1581c{POLICY}a14101{}", "01");
    let tokens = built(&format!("81{}", output(&strangers(), &tokens)), fee, "a0f5f6");
    assert_eq!(code(&tokens), "refused: the swap's deposit is more than coins");
    let costly = built(&format!("81{deposit}"), "1a001e8481", "a0f5f6");
    assert_eq!(code(&costly), "refused: the swap's fee is more than any payment costs");
    assert_eq!(code(&built("80", fee, "a0f5f6")), "refused: the swap has no recipient");
    for (end, reason) in [
        ("a0f4f6", "says of itself that it is not valid"),
        ("a0f5a0", "has auxiliary data that its body does not name"),
        ("a0f5", "ends too early"),
        ("a0f5f600", "has bytes after its end"),
    ] {
        let payload = built(&format!("81{deposit}"), fee, end);
        assert_eq!(code(&payload), format!("swapkit_swap_payload.tx_payload {reason}"));
    }
    let mut token = built(&format!("81{deposit}"), fee, "a0f5f6");
    token.coin.as_mut().unwrap().contract_address = format!("{POLICY}.aa");
    assert_eq!(refused(&token).code(), "unsupported_payload");
}

#[test]
fn what_is_not_there_cannot_be_spent() {
    for amount in ["9830001", "10000000", "18446744073709551615"] {
        let payload = KeysignPayload { to_amount: amount.to_owned(), ..payload() };
        assert_eq!(refused(&payload), TransactionError::InsufficientFunds, "{amount}");
    }
    let most = KeysignPayload { to_amount: "9830000".to_owned(), ..payload() };
    assert_eq!(told(&most).effects.len(), 2);
    let tokens = KeysignPayload { to_amount: "6".to_owned(), ..token() };
    assert_eq!(refused(&tokens), TransactionError::InsufficientFunds);
    let none = KeysignPayload { utxo_info: vec![unspent(1, 10 * ADA, &[])], ..token() };
    assert_eq!(refused(&none), TransactionError::InsufficientFunds);
    let fee = CardanoChainSpecific { byte_fee: 11 * ADA, send_max_amount: true, ..specific() };
    assert_eq!(refused(&with(payload(), fee)), TransactionError::InsufficientFunds);
}

/// Tokens cannot stay behind without coins.
#[test]
fn everything_with_tokens_beside_is_refused() {
    let mut payload = with(payload(), CardanoChainSpecific { send_max_amount: true, ..specific() });
    payload.utxo_info = vec![unspent(1, 10 * ADA, &[("aa", "5")])];
    assert_eq!(refused(&payload), TransactionError::BelowDust);
}

#[test]
fn a_field_that_is_wrong_is_named() {
    let missing = KeysignPayload { blockchain_specific: None, ..payload() };
    assert_eq!(refused(&missing), TransactionError::Missing { field: "cardano" });
    let empty = KeysignPayload { utxo_info: Vec::new(), ..payload() };
    assert_eq!(refused(&empty), TransactionError::Missing { field: "utxo_info" });
    for fee in [0, -1] {
        let payload = with(payload(), CardanoChainSpecific { byte_fee: fee, ..specific() });
        assert_eq!(refused(&payload), TransactionError::Amount { field: "cardano.byte_fee" });
    }
    for amount in ["0", "", "1.5", "18446744073709551616"] {
        let payload = KeysignPayload { to_amount: amount.to_owned(), ..payload() };
        assert_eq!(refused(&payload), TransactionError::Amount { field: "to_amount" });
    }
    for address in ["", "nobody", STAKE, "addr_test1vzamhwamhwamhwamhwamhwamhwamhwamhwamhwamhwamhwc48zzn4"] {
        let payload = KeysignPayload { to_address: address.to_owned(), ..payload() };
        assert!(
            matches!(refused(&payload), TransactionError::Address { field: "to_address", .. }),
            "{address}"
        );
    }
    let negative = KeysignPayload { utxo_info: vec![unspent(1, -5, &[])], ..payload() };
    assert_eq!(refused(&negative), TransactionError::Amount { field: "utxo_info.amount" });
}

#[test]
fn outputs_and_tokens_must_be_well_formed() {
    let twice = KeysignPayload { utxo_info: vec![unspent(1, 10 * ADA, &[]); 2], ..payload() };
    assert_eq!(refused(&twice).to_string(), "utxo_info names an output twice");
    let mut short = payload();
    short.utxo_info[0].hash.truncate(62);
    assert_eq!(refused(&short).to_string(), "utxo_info.hash has the wrong length");
    for contract in [POLICY, "aa.bb", &format!("{POLICY}.x"), &format!("{POLICY}.{}", "aa".repeat(33))] {
        let mut payload = token();
        payload.coin.as_mut().unwrap().contract_address = contract.to_owned();
        assert_eq!(refused(&payload).code(), "malformed", "{contract}");
    }
    let many = [("aa", "18446744073709551615"), ("aa", "1")];
    let many = KeysignPayload { utxo_info: vec![unspent(1, 10 * ADA, &many)], ..token() };
    assert_eq!(refused(&many).code(), "invalid_amount");
}

#[test]
fn only_the_vaults_own_account_pays() {
    let mut foreign = payload();
    foreign.coin.as_mut().unwrap().address = OTHER.to_owned();
    assert_eq!(refused(&foreign), TransactionError::NotOwned { address: OTHER.to_owned() });
}

#[test]
fn forms_of_other_chains_are_refused() {
    let sui = KeysignPayload { sign_data: Some(SignData::SignSui(SignSui::default())), ..payload() };
    let approval =
        KeysignPayload { erc20_approve_payload: Some(Erc20ApprovePayload::default()), ..payload() };
    let thorchain = SwapPayload::ThorchainSwapPayload(ThorChainSwapPayload::default());
    let thorchain = KeysignPayload { swap_payload: Some(thorchain), ..payload() };
    for payload in [sui, approval, thorchain] {
        assert_eq!(refused(&payload).code(), "unsupported_payload");
    }
}

#[test]
fn every_bit_of_a_signature_counts() {
    let transaction = one(&payload());
    let signature = key().sign(transaction.images()[0].as_bytes()).to_bytes();
    assert_eq!(transaction.compile(&[Signature(signature)]).unwrap().id.len(), 64);
    assert!(transaction.compile(&[]).is_err());
    for bit in 0..512 {
        let mut flipped = signature;
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(transaction.compile(&[Signature(flipped)]).is_err(), "bit {bit}");
    }
}

proptest! {
    #[test]
    fn no_built_transaction_breaks_anything(bytes in proptest::collection::vec(any::<u8>(), 1..300)) {
        let payload = swap(|swap| swap.tx_payload = bytes);
        if let Ok(transactions) = transactions(&payload) {
            prop_assert!(!transactions[0].explain().effects.is_empty());
        }
    }

    /// What goes in comes out: outputs and fee are the inputs that were chosen, and no more than were offered.
    #[test]
    fn coins_are_neither_made_nor_lost(
        amounts in proptest::collection::vec(0..50 * ADA, 1..12),
        value in 1..40 * ADA,
        everything in any::<bool>(),
    ) {
        let offered: i64 = amounts.iter().sum();
        let utxo_info = (0_u8..).zip(amounts).map(|(place, amount)| unspent(place, amount, &[])).collect();
        let payload = KeysignPayload { utxo_info, to_amount: value.to_string(), ..payload() };
        let payload = with(payload, CardanoChainSpecific { send_max_amount: everything, ..specific() });
        match transactions(&payload) {
            Ok(transactions) => {
                let effects = transactions[0].explain().effects;
                let sum = effects.iter().fold(Amount::from(170_000), |sum, effect| match effect {
                    Effect::Transfer { amount, .. } | Effect::Change { amount, .. } => sum + amount,
                    _ => sum,
                });
                prop_assert!(sum <= Amount::from(offered.unsigned_abs()));
                if everything {
                    prop_assert_eq!(sum, Amount::from(offered.unsigned_abs()));
                } else {
                    prop_assert_eq!(&effects[0], &native(OTHER, value.unsigned_abs()));
                }
            }
            Err(error) => {
                let least = if everything { 1 } else { value };
                prop_assert!(offered < least + 170_000, "{error}");
            }
        }
    }
}
