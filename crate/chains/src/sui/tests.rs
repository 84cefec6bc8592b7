//! What holds for every transaction, and each refusal by name.

use super::arbitrary::any_data;
use super::command::{Argument, Command, MoveCall};
use super::data::{Expiration, Gas, Input, ObjectRef, Validity};
use super::type_tag::TypeTag;
use super::*;
use crate::explain::{Asset, Effect, Function};
use crate::signing::PublicKey;
use crate::transaction::Transaction;
use crate::{Amount, Chain, keysign};
use proptest::prelude::*;
use wire::keysign::keysign_payload::{BlockchainSpecific, SignData, SwapPayload};
use wire::keysign::{Coin, KeysignPayload, SignSui, SuiCoin, SuiSpecific, SwapKitSwapPayload};

const OWN: Address = [0xaa; 32];
const OTHER: Address = [0xbb; 32];
const TOKEN: &str = "0x5d4b302506645c37ff133b98c4b50a5ae14841659738d6d733d59d0d217a93bf::coin::COIN";

fn account() -> Account {
    Account { chain: Chain::Sui, key: PublicKey::Ed25519([7; 32]), address: full(&OWN) }
}

fn object(name: u8) -> ObjectRef {
    ObjectRef { id: [name; 32], version: 5, digest: [name; 32] }
}

fn data(inputs: Vec<Input>, commands: Vec<Command>) -> TransactionData {
    let gas = Gas { payment: vec![object(1)], owner: OWN, price: 500, budget: 3_000_000 };
    TransactionData { inputs, commands, sender: OWN, gas, expiration: Expiration::None }
}

fn effects(data: &TransactionData) -> Vec<Effect> {
    raw::transaction(&data.encode(), &account()).unwrap().explain().effects
}

fn number(value: u64) -> Input {
    Input::Pure(value.to_le_bytes().to_vec())
}

fn to_other() -> Input {
    Input::Pure(OTHER.to_vec())
}

fn split(coin: Argument, amounts: &[u16]) -> Command {
    Command::SplitCoins { coin, amounts: amounts.iter().copied().map(Argument::Input).collect() }
}

fn give(object: Argument, to: u16) -> Command {
    Command::TransferObjects { objects: vec![object], address: Argument::Input(to) }
}

fn call(arguments: Vec<Argument>) -> Command {
    let (module, function) = ("router".to_owned(), "swap".to_owned());
    Command::MoveCall(Box::new(MoveCall { package: [9; 32], module, function, types: vec![], arguments }))
}

fn sent(amount: u64) -> Effect {
    Effect::Transfer { asset: Asset::Native, to: full(&OTHER), amount: Amount::from(amount) }
}

#[test]
fn the_chains_digest_is_that_of_mainnet() {
    let digest = bs58::decode(MAINNET).into_vec().unwrap();
    assert_eq!(encoding::hex(&digest[..4]), "35834a8a", "as explorers abbreviate it");
    assert_eq!(digest.len(), 32);
}

/// A coin that is split again, merged into or lent to a call no longer has the amount it was made with.
#[test]
fn amounts_are_followed() {
    let inputs = vec![number(100), number(40), to_other()];
    let part = Argument::Nested(0, 0);
    let whole = data(inputs.clone(), vec![split(Argument::GasCoin, &[0]), give(part, 2)]);
    assert_eq!(effects(&whole), [sent(100)]);

    let less =
        vec![split(Argument::GasCoin, &[0]), split(part, &[1]), give(part, 2), give(Argument::Result(1), 2)];
    assert_eq!(effects(&data(inputs.clone(), less)), [sent(60), sent(40)]);

    let destination = part;
    let more = Command::MergeCoins { destination, sources: vec![Argument::Nested(0, 1)] };
    let more = vec![split(Argument::GasCoin, &[0, 1]), more, give(part, 2)];
    assert_eq!(effects(&data(inputs.clone(), more)), [sent(140)]);

    let lent = vec![split(Argument::GasCoin, &[0]), call(vec![part]), give(part, 2)];
    let lent = effects(&data(inputs.clone(), lent));
    assert!(matches!(&lent[0], Effect::Call { value, .. } if *value == Amount::from(100u8)));
    assert!(matches!(&lent[1], Effect::Other { name, .. } if name == "TransferObjects"));

    let unknown = Command::MergeCoins { destination: part, sources: vec![Argument::Input(3)] };
    let inputs = [inputs, vec![Input::Owned(object(4))]].concat();
    let unknown = vec![split(Argument::GasCoin, &[0]), unknown, give(part, 2)];
    assert!(matches!(&effects(&data(inputs, unknown))[..], [Effect::Other { .. }]));
}

#[test]
fn a_call_with_the_gas_coin_may_take_all_of_it() {
    let effects = effects(&data(vec![], vec![call(vec![Argument::GasCoin])]));
    assert!(matches!(&effects[0], Effect::Call { function: Function::Known { signature, .. }, .. }
        if signature == "router::swap"));
    assert_eq!(effects[1], Effect::Unknown { what: "how much SUI the call takes".to_owned(), bytes: 0 });
}

#[test]
fn merging_into_what_is_not_the_senders_is_shown() {
    let shared = Input::Shared { id: [3; 32], initial_version: 1, mutable: true };
    let merge = Command::MergeCoins { destination: Argument::Input(1), sources: vec![Argument::Result(0)] };
    let commands = vec![split(Argument::GasCoin, &[0]), merge];
    let effects = effects(&data(vec![number(1), shared], commands));
    assert!(matches!(&effects[..], [Effect::Other { name, .. }] if name == "MergeCoins"));
}

#[test]
fn whole_coins_are_sent_without_an_amount() {
    let effects = effects(&data(vec![to_other()], vec![give(Argument::GasCoin, 0)]));
    assert!(matches!(&effects[..], [Effect::Other { fields, .. }] if fields[0].1 == "the gas coin"));
}

fn refusal(data: &TransactionData) -> TransactionError {
    raw::transaction(&data.encode(), &account()).unwrap_err()
}

#[test]
fn raw_refusals() {
    let plain = data(vec![number(1)], vec![]);
    let foreign =
        TransactionData { sender: OTHER, gas: Gas { owner: OTHER, ..plain.gas.clone() }, ..plain.clone() };
    assert_eq!(refusal(&foreign).code(), "not_owned");
    let sponsored = TransactionData { gas: Gas { owner: OTHER, ..plain.gas.clone() }, ..plain.clone() };
    assert_eq!(refusal(&sponsored).code(), "unsupported_payload");
    let validity = Validity { bounds: [None; 4], chain: [1; 32], nonce: 0 };
    let elsewhere = TransactionData { expiration: Expiration::ValidDuring(validity), ..plain.clone() };
    assert_eq!(refusal(&elsewhere).code(), "chain_mismatch");
    assert_eq!(refusal(&data(vec![number(1)], vec![split(Argument::GasCoin, &[1])])).code(), "malformed");
    assert_eq!(refusal(&data(vec![], vec![give(Argument::Result(0), 0)])).code(), "malformed");

    let bytes = plain.encode();
    for kind in 1..=9 {
        let other = [&[0, kind], &bytes[2..]].concat();
        assert_eq!(raw::transaction(&other, &account()).unwrap_err().code(), "unsupported_tx_type");
    }
    let longer = [&bytes[..], &[0]].concat();
    assert_eq!(raw::transaction(&longer, &account()).unwrap_err().code(), "malformed");
    assert_eq!(raw::transaction(&vec![0; 128 * 1024 + 1], &account()).unwrap_err().code(), "malformed");
    let mut name = MoveCall {
        package: OWN,
        module: "a b".into(),
        function: "f".into(),
        types: vec![],
        arguments: vec![],
    };
    assert_eq!(refusal(&data(vec![], vec![Command::MoveCall(Box::new(name.clone()))])).code(), "malformed");
    name.module = "a".into();
    name.types = vec![(0..20).fold(TypeTag::Plain(1), |inner, _| TypeTag::Vector(Box::new(inner)))];
    assert_eq!(refusal(&data(vec![], vec![Command::MoveCall(Box::new(name))])).code(), "malformed");
}

fn coin(kind: &str, name: u8, balance: u64) -> SuiCoin {
    SuiCoin {
        coin_type: kind.to_owned(),
        coin_object_id: full(&[name; 32]),
        version: "9".to_owned(),
        digest: bs58::encode([name; 32]).into_string(),
        balance: balance.to_string(),
        previous_transaction: String::new(),
    }
}

fn payment(token: Option<&str>, coins: Vec<SuiCoin>) -> KeysignPayload {
    let coin = Coin {
        chain: "Sui".to_owned(),
        address: full(&OWN),
        contract_address: token.unwrap_or_default().to_owned(),
        is_native_token: token.is_none(),
        ..Coin::default()
    };
    let specific = SuiSpecific { reference_gas_price: "500".to_owned(), coins, gas_budget: "10".to_owned() };
    KeysignPayload {
        coin: Some(coin),
        to_address: full(&OTHER),
        to_amount: "100".to_owned(),
        blockchain_specific: Some(BlockchainSpecific::SuicheSpecific(specific)),
        ..KeysignPayload::default()
    }
}

fn made(payload: &KeysignPayload) -> Result<Vec<Transaction>, TransactionError> {
    keysign::transactions(payload, &account(), &crate::transaction::NetworkFacts::default())
}

fn code(payload: &KeysignPayload) -> &'static str {
    made(payload).unwrap_err().code()
}

#[test]
fn a_token_is_named_by_its_coins() {
    let coins = vec![coin(TOKEN, 2, 70), coin(TOKEN, 3, 50), coin(NATIVE, 4, 10)];
    let transactions = made(&payment(Some(TOKEN), coins)).unwrap();
    let explanation = transactions[0].explain();
    let asset = Asset::Token { id: TOKEN.to_owned() };
    assert_eq!(
        explanation.effects,
        [Effect::Transfer { asset, to: full(&OTHER), amount: Amount::from(100u8) }]
    );
    assert_eq!(explanation.fee, Some(Amount::from(10u8)));
}

#[test]
fn payload_refusals() {
    let good = payment(None, vec![coin(NATIVE, 2, 110)]);
    assert_eq!(made(&good).unwrap().len(), 1);
    let memo = KeysignPayload { memo: Some("hello".to_owned()), ..good.clone() };
    assert_eq!(code(&memo), "unsupported_payload");
    assert_eq!(code(&payment(None, vec![coin(NATIVE, 2, 109)])), "insufficient_funds");
    assert_eq!(code(&payment(None, vec![coin(TOKEN, 2, 500)])), "insufficient_funds");
    assert_eq!(code(&payment(Some(TOKEN), vec![coin(NATIVE, 2, 500)])), "insufficient_funds");
    assert_eq!(
        code(&payment(Some(TOKEN), vec![coin(TOKEN, 2, 100), coin(NATIVE, 3, 9)])),
        "insufficient_funds"
    );
    assert_eq!(code(&payment(Some(""), vec![coin(NATIVE, 2, 500)])), "missing_field");
    assert_eq!(code(&payment(Some(NATIVE), vec![coin(NATIVE, 2, 500)])), "malformed");
    let missing = KeysignPayload { blockchain_specific: None, ..good.clone() };
    assert_eq!(code(&missing), "missing_field");
    let wrong = Some(BlockchainSpecific::RippleSpecific(wire::keysign::RippleSpecific::default()));
    assert_eq!(code(&KeysignPayload { blockchain_specific: wrong, ..good.clone() }), "malformed");
    assert_eq!(code(&KeysignPayload { to_address: "0x2".to_owned(), ..good.clone() }), "invalid_address");
    assert_eq!(code(&KeysignPayload { to_amount: "1.5".to_owned(), ..good.clone() }), "invalid_amount");
    assert_eq!(code(&KeysignPayload { to_amount: u64::MAX.to_string(), ..good.clone() }), "invalid_amount");
    let mut foreign = good.clone();
    foreign.coin.as_mut().unwrap().address = full(&OTHER);
    assert_eq!(code(&foreign), "not_owned");
    let sign = SignData::SignRipple(wire::keysign::SignRipple { raw_json: "{}".to_owned() });
    assert_eq!(code(&KeysignPayload { sign_data: Some(sign), ..good.clone() }), "unsupported_payload");
    let swap = SwapPayload::ThorchainSwapPayload(wire::keysign::ThorChainSwapPayload::default());
    assert_eq!(code(&KeysignPayload { swap_payload: Some(swap), ..good }), "unsupported_payload");
}

fn route(bytes: &[u8]) -> KeysignPayload {
    let to_coin = Some(Coin { ticker: "USDC".to_owned(), ..Coin::default() });
    let swap = SwapKitSwapPayload {
        tx_type: "SUI".to_owned(),
        tx_payload: bytes.to_vec(),
        sub_provider: "NEAR".to_owned(),
        to_coin,
        ..SwapKitSwapPayload::default()
    };
    let swap_payload = Some(SwapPayload::SwapkitSwapPayload(swap));
    KeysignPayload { swap_payload, ..payment(None, vec![]) }
}

#[test]
fn a_route_that_is_a_transfer_is_a_swap() {
    let commands = vec![split(Argument::GasCoin, &[0]), give(Argument::Nested(0, 0), 1)];
    let bytes = data(vec![number(77), to_other()], commands).encode();
    let transactions = made(&route(&bytes)).unwrap();
    assert_eq!(transactions[0].role(), crate::transaction::Role::Main);
    let [Effect::Swap(swap)] = &transactions[0].explain().effects[..] else { panic!("a swap") };
    assert_eq!((swap.provider.as_str(), swap.router.as_str()), ("NEAR", full(&OTHER).as_str()));
    assert_eq!((swap.amount, swap.buy.as_deref()), (Amount::from(77u8), Some("USDC")));
}

#[test]
fn route_refusals() {
    let bytes = data(vec![], vec![]).encode();
    let sign = |bytes: &[u8]| Some(SignData::SignSui(SignSui { unsigned_tx_msg: encoding::base64(bytes) }));
    assert!(made(&KeysignPayload { sign_data: sign(&bytes), ..route(&bytes) }).is_ok());
    assert_eq!(code(&KeysignPayload { sign_data: sign(&[1]), ..route(&bytes) }), "unsafe_transaction");
    assert_eq!(code(&route(&[])), "missing_field");
    let mut other = route(&bytes);
    if let Some(SwapPayload::SwapkitSwapPayload(swap)) = &mut other.swap_payload {
        swap.tx_type = "TRON".to_owned();
    }
    assert_eq!(code(&other), "unsupported_payload");
}

/// `sign_sui` is signed as it stands; a foreign sender is shown first.
#[test]
fn a_foreign_sender_is_said_first() {
    let plain = data(vec![], vec![]);
    let foreign = TransactionData { sender: OTHER, gas: Gas { owner: OTHER, ..plain.gas.clone() }, ..plain };
    let unsigned_tx_msg = encoding::base64(&foreign.encode());
    let sign_data = Some(SignData::SignSui(SignSui { unsigned_tx_msg }));
    let explanation = made(&KeysignPayload { sign_data, ..payment(None, vec![]) }).unwrap()[0].explain();
    assert_eq!(explanation.from, full(&OTHER));
    assert!(matches!(&explanation.effects[0], Effect::Unknown { .. }));
}

proptest! {
    #[test]
    fn what_is_written_is_read(data in any_data(OWN)) {
        let bytes = data.encode();
        prop_assert_eq!(TransactionData::decode("bytes", &bytes), Ok(data));
        for end in 0..bytes.len() {
            prop_assert!(TransactionData::decode("bytes", &bytes[..end]).is_err());
        }
    }

    /// A changed byte is refused or changes what is signed, never ignored; and everything read can be explained.
    #[test]
    fn no_byte_is_ignored(data in any_data(OWN), at: prop::sample::Index, change in 1u8..) {
        let mut bytes = data.encode();
        let at = at.index(bytes.len());
        bytes[at] ^= change;
        if let Ok(read) = TransactionData::decode("bytes", &bytes) {
            prop_assert_ne!(&read, &data);
            prop_assert_eq!(read.encode(), bytes);
            let transaction = Programmable { data: read, coin_types: vec![], swap: None };
            let _ = transaction.explain(&account());
        }
    }
}
