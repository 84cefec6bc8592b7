//! Tron payloads: what each stands for, what is refused, and that no signature but the right one is built in.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test's own mistake must fail it"
)]

mod swap;
#[path = "../common/unsigned.rs"]
mod unsigned;
mod ways_out;

use countersign_chains::explain::{Asset, Effect, Explanation, Fee, Function};
use countersign_chains::signing::{PublicKey, Signature};
use countersign_chains::transaction::{Account, NetworkFacts};
use countersign_chains::{Amount, Chain, Transaction, TransactionError, encoding, keysign};
use k256::ecdsa::SigningKey;
use k256::ecdsa::signature::hazmat::PrehashSigner as _;
use proptest::prelude::*;
use wire::keysign::keysign_payload::{BlockchainSpecific, ContractPayload};
use wire::keysign::{
    Coin, Erc20ApprovePayload, KeysignPayload, TronSpecific, TronTransferAssetContractPayload,
    TronTransferContractPayload, TronTriggerSmartContractPayload,
};

/// The account of the private key 1.
const OWN: &str = "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC";
const OTHER: &str = "TDvSsdrNM5eeXNL3czpa6AxLDHZA9nwe9K";
const USDT: &str = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t";

fn key() -> SigningKey {
    let mut secret = [0; 32];
    secret[31] = 1;
    SigningKey::from_slice(&secret).unwrap()
}

fn account() -> Account {
    let key = key().verifying_key().to_sec1_point(true).as_bytes().try_into().unwrap();
    Account { chain: Chain::Tron, key: PublicKey::Secp256k1(key), address: OWN.to_owned() }
}

fn coin(contract: &str) -> Coin {
    Coin {
        chain: "Tron".to_owned(),
        ticker: if contract.is_empty() { "TRX" } else { "USDT" }.to_owned(),
        address: OWN.to_owned(),
        contract_address: contract.to_owned(),
        decimals: 6,
        is_native_token: contract.is_empty(),
        ..Coin::default()
    }
}

/// 5 sun to the other account.
fn payload() -> KeysignPayload {
    KeysignPayload {
        coin: Some(coin("")),
        to_address: OTHER.to_owned(),
        to_amount: "5".to_owned(),
        blockchain_specific: Some(BlockchainSpecific::TronSpecific(TronSpecific {
            timestamp: 1_700_000_000_000,
            expiration: 1_700_000_060_000,
            block_header_timestamp: 1_700_000_000_000,
            block_header_number: 50_000_000,
            block_header_version: 30,
            block_header_tx_trie_root: "11".repeat(32),
            block_header_parent_hash: "22".repeat(32),
            block_header_witness_address: format!("41{}", "33".repeat(20)),
            gas_estimation: 100_000_000,
        })),
        ..KeysignPayload::default()
    }
}

/// 5 units of a token to the other account.
fn token_payload() -> KeysignPayload {
    KeysignPayload { coin: Some(coin(USDT)), ..payload() }
}

fn memo(text: &str) -> KeysignPayload {
    KeysignPayload { to_address: OWN.to_owned(), memo: Some(text.to_owned()), ..payload() }
}

fn contract(contract: ContractPayload) -> KeysignPayload {
    KeysignPayload { contract_payload: Some(contract), ..payload() }
}

fn specific(payload: &mut KeysignPayload) -> &mut TronSpecific {
    match &mut payload.blockchain_specific {
        Some(BlockchainSpecific::TronSpecific(specific)) => specific,
        _ => panic!("not a Tron payload"),
    }
}

fn built(payload: &KeysignPayload) -> Result<Transaction, TransactionError> {
    let mut all = keysign::transactions(payload, &account(), &NetworkFacts::default())?;
    assert_eq!(all.len(), 1);
    Ok(all.remove(0))
}

fn explained(payload: &KeysignPayload) -> Explanation {
    built(payload).unwrap().explain()
}

fn refused(payload: &KeysignPayload) -> (&'static str, String) {
    let error = built(payload).unwrap_err();
    (error.code(), error.to_string())
}

fn signed_hex(payload: &KeysignPayload) -> String {
    let transaction = built(payload).unwrap();
    let signature = sign(&transaction);
    encoding::hex(&transaction.compile(&[signature]).unwrap().bytes)
}

fn sign(transaction: &Transaction) -> Signature {
    let image = transaction.images().first().unwrap().clone();
    let signature: k256::ecdsa::Signature = key().sign_prehash(image.as_bytes()).unwrap();
    Signature(signature.to_bytes().into())
}

fn effect(asset: Asset) -> Effect {
    Effect::Transfer { asset, to: OTHER.to_owned(), amount: Amount::from(5) }
}

fn usdt() -> Asset {
    Asset::Token { id: USDT.to_owned() }
}

#[test]
fn a_transfer_of_trx() {
    let expected = Explanation {
        chain: Chain::Tron,
        from: OWN.to_owned(),
        target: None,
        effects: vec![effect(Asset::Native)],
        parties: Vec::new(),
        memo: None,
        fee: Fee::SetByChain,
        gas_limit: None,
        nonce: None,
    };
    assert_eq!(explained(&payload()), expected);
    let with_memo = KeysignPayload { memo: Some("rent".to_owned()), ..payload() };
    assert_eq!(explained(&with_memo), Explanation { memo: Some("rent".to_owned()), ..expected });
}

/// The receiver's word keeps the byte 0x41, and the payload's estimate is the limit.
#[test]
fn a_transfer_of_a_token() {
    let explained = explained(&token_payload());
    assert_eq!(explained.effects, [effect(usdt())]);
    assert_eq!(explained.fee, Fee::AtMost(Amount::from(100_000_000)));
    let receiver = format!("a9059cbb{}41", "00".repeat(11));
    assert!(signed_hex(&token_payload()).contains(&receiver));
}

#[test]
fn contracts_that_a_page_made() {
    let owner_address = OWN.to_owned();
    let to_address = OTHER.to_owned();
    let amount = "5".to_owned();
    let transfer = TronTransferContractPayload { to_address, owner_address, amount };
    let payload = contract(ContractPayload::TronTransferContractPayload(transfer.clone()));
    assert_eq!(explained(&payload).effects, [effect(Asset::Native)]);
    let asset = TronTransferAssetContractPayload {
        to_address: transfer.to_address,
        owner_address: transfer.owner_address,
        amount: transfer.amount,
        asset_name: "1002000".to_owned(),
    };
    let payload = contract(ContractPayload::TronTransferAssetContractPayload(asset));
    assert_eq!(explained(&payload).effects, [effect(Asset::Token { id: "1002000".to_owned() })]);
    assert_eq!(explained(&payload).fee, Fee::AtMost(Amount::from(100_000_000)));
}

fn trigger(data: &str) -> TronTriggerSmartContractPayload {
    TronTriggerSmartContractPayload {
        owner_address: OWN.to_owned(),
        contract_address: USDT.to_owned(),
        data: Some(data.to_owned()),
        ..TronTriggerSmartContractPayload::default()
    }
}

fn call(trigger: TronTriggerSmartContractPayload) -> KeysignPayload {
    contract(ContractPayload::TronTriggerSmartContractPayload(trigger))
}

#[test]
fn an_allowance_without_limit_is_said_to_have_none() {
    let account = &"2b5ad5c4795c026514f8317c7a215e218dccd6cf";
    let padding = "00".repeat(12);
    for (amount, unlimited) in [("ff".repeat(32), true), (format!("{:064x}", 9), false)] {
        let payload = call(trigger(&format!("095ea7b3{padding}{account}{amount}")));
        let [Effect::Approve { asset, spender, unlimited: found, .. }] = &explained(&payload).effects[..]
        else {
            panic!("an approval");
        };
        assert_eq!((asset, spender.as_str(), *found), (&usdt(), OTHER, unlimited));
    }
}

/// What is not decoded is shown as such, with everything that goes along.
#[test]
fn another_function_is_unknown() {
    let payload = call(TronTriggerSmartContractPayload {
        call_value: Some("7".to_owned()),
        call_token_value: Some("8".to_owned()),
        token_id: Some(1_002_000),
        ..trigger("deadbeef00")
    });
    let function = Function::Unknown { selector: Some([0xde, 0xad, 0xbe, 0xef]), bytes: 5 };
    let token = Asset::Token { id: "1002000".to_owned() };
    let expected = [
        Effect::Transfer { asset: token, to: USDT.to_owned(), amount: Amount::from(8) },
        Effect::Call { contract: USDT.to_owned(), value: Amount::from(7), function },
    ];
    assert_eq!(explained(&payload).effects, expected);
}

/// A token's transfer with TRX on top is not a mere transfer.
#[test]
fn a_token_call_with_value_is_not_shown_as_a_transfer() {
    let data = format!("a9059cbb{}", "00".repeat(64));
    let payload =
        call(TronTriggerSmartContractPayload { call_value: Some("7".to_owned()), ..trigger(&data) });
    assert!(matches!(&explained(&payload).effects[..], [Effect::Call { .. }]));
}

/// The memo says what to stake and is not itself written, nor is a limit.
#[test]
fn staking_by_memo() {
    let cases = [
        ("FREEZE:BANDWIDTH", "FreezeBalanceV2", Some("BANDWIDTH")),
        ("FREEZE:ENERGY", "FreezeBalanceV2", Some("ENERGY")),
        ("UNFREEZE:BANDWIDTH", "UnfreezeBalanceV2", Some("BANDWIDTH")),
        ("UNFREEZE:ENERGY", "UnfreezeBalanceV2", Some("ENERGY")),
        ("WITHDRAW_EXPIRE_UNFREEZE", "WithdrawExpireUnfreeze", None),
    ];
    for (text, name, resource) in cases {
        let field = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let fields = resource.map(|resource| vec![field("amount", "5"), field("resource", resource)]);
        let explained = explained(&memo(text));
        let expected = Effect::Note { name: name.to_owned(), fields: fields.unwrap_or_default() };
        let found = (explained.effects, explained.memo, explained.fee);
        assert_eq!(found, (vec![expected], None, Fee::SetByChain));
    }
}

#[test]
fn staking_that_is_not_plain_is_refused() {
    assert_eq!(refused(&memo("FREEZE:VOTES")).0, "malformed");
    assert_eq!(refused(&memo("UNFREEZE:")).0, "malformed");
    assert_eq!(refused(&memo("WITHDRAW_EXPIRE_UNFREEZE:1")).0, "malformed");
    let nothing = KeysignPayload { to_amount: "0".to_owned(), ..memo("FREEZE:ENERGY") };
    assert_eq!(refused(&nothing).0, "invalid_amount");
    let elsewhere = KeysignPayload { to_address: OTHER.to_owned(), ..memo("FREEZE:ENERGY") };
    assert_eq!(refused(&elsewhere).0, "unsafe_transaction");
    let token = KeysignPayload { coin: Some(coin(USDT)), ..memo("FREEZE:ENERGY") };
    assert_eq!(refused(&token).0, "unsafe_transaction");
    let twice = KeysignPayload {
        contract_payload: Some(ContractPayload::TronTriggerSmartContractPayload(trigger(""))),
        ..memo("FREEZE:ENERGY")
    };
    assert_eq!(refused(&twice).0, "unsafe_transaction");
}

#[test]
fn another_account_never_pays() {
    let strange = KeysignPayload { coin: Some(Coin { address: OTHER.to_owned(), ..coin("") }), ..payload() };
    assert_eq!(refused(&strange).0, "not_owned");
    let owner = TronTriggerSmartContractPayload { owner_address: OTHER.to_owned(), ..trigger("") };
    assert_eq!(refused(&call(owner)).0, "not_owned");
}

#[test]
fn each_field_has_its_refusal() {
    let to = |to: &str| KeysignPayload { to_address: to.to_owned(), ..payload() };
    assert_eq!(refused(&to("")), ("missing_field", "to_address is missing".to_owned()));
    assert_eq!(refused(&to(&OTHER.replace('K', "L"))).0, "invalid_address");
    for amount in ["", "0", "-1", "1.5", "9223372036854775808"] {
        let payload = KeysignPayload { to_amount: amount.to_owned(), ..payload() };
        assert_eq!(refused(&payload).0, "invalid_amount", "{amount}");
    }
    let none = KeysignPayload { blockchain_specific: None, ..payload() };
    assert_eq!(refused(&none), ("missing_field", "tron_specific is missing".to_owned()));
    let nameless = KeysignPayload { coin: Some(Coin { is_native_token: false, ..coin("") }), ..payload() };
    assert_eq!(refused(&nameless).1, "coin.contract_address is missing");
    let approve = Erc20ApprovePayload::default();
    let approving = KeysignPayload { erc20_approve_payload: Some(approve), ..payload() };
    assert_eq!(refused(&approving).0, "unsupported_payload");
    assert_eq!(refused(&call(trigger("xyz"))).0, "malformed");
    let negative = TronTriggerSmartContractPayload { token_id: Some(-1), ..trigger("") };
    assert_eq!(refused(&call(negative)).0, "invalid_amount");
}

/// Two wallets that fill in a missing time from their clocks would sign different bytes.
#[test]
fn the_block_and_the_times_must_be_stated() {
    let changed = |change: fn(&mut TronSpecific)| {
        let mut payload = token_payload();
        change(specific(&mut payload));
        refused(&payload)
    };
    assert_eq!(changed(|specific| specific.timestamp = 0).1, "timestamp is missing");
    assert_eq!(changed(|specific| specific.expiration = 0).1, "expiration is missing");
    assert_eq!(changed(|specific| specific.block_header_parent_hash.clear()).0, "missing_field");
    assert_eq!(changed(|specific| specific.block_header_tx_trie_root.push('0')).0, "malformed");
    assert_eq!(changed(|specific| specific.block_header_number = u64::MAX).0, "invalid_amount");
    assert_eq!(changed(|specific| specific.block_header_version = u64::MAX).0, "invalid_amount");
    assert_eq!(changed(|specific| specific.gas_estimation = u64::MAX).0, "invalid_amount");
}

#[test]
fn every_flipped_bit_of_a_signature_is_refused() {
    let transaction = built(&payload()).unwrap();
    let good = sign(&transaction);
    assert!(transaction.compile(&[good]).is_ok());
    for bit in 0..512 {
        let mut flipped = good;
        flipped.0[bit / 8] ^= 1 << (bit % 8);
        assert!(transaction.compile(&[flipped]).is_err(), "bit {bit}");
    }
    assert!(transaction.compile(&[]).is_err());
    assert!(transaction.compile(&[good, good]).is_err());
}

proptest! {
    /// Any text in a payload: an answer, never a panic.
    #[test]
    fn any_payload_is_answered(
        texts in prop::array::uniform8(".{0,40}|[0-9a-f]{0,70}|[0-9]{0,30}"),
        numbers: [u64; 6],
        choice in 0..6,
    ) {
        let [to_address, to_amount, memo, data, value, root, parent, witness] = texts;
        let mut payload = match choice {
            0 => payload(),
            1 => token_payload(),
            2 => call(TronTriggerSmartContractPayload {
                call_value: Some(value.clone()), token_id: Some(3), ..trigger(&data)
            }),
            3 => swap::swap(coin("")),
            4 => KeysignPayload { to_amount: to_amount.clone(), ..payload() },
            _ => KeysignPayload { to_address, to_amount: to_amount.clone(), memo: Some(memo), ..payload() },
        };
        let [timestamp, expiration, number, version, time, gas] = numbers;
        *specific(&mut payload) = TronSpecific {
            timestamp,
            expiration,
            block_header_timestamp: time,
            block_header_number: number,
            block_header_version: version,
            block_header_tx_trie_root: root,
            block_header_parent_hash: parent,
            block_header_witness_address: witness,
            gas_estimation: gas,
        };
        if let Ok(transaction) = built(&payload) {
            let _ = transaction.explain();
        }
    }
}
