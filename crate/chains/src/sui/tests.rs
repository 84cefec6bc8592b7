//! What holds for every transaction, and each refusal by name.

use super::arbitrary::any_data;
use super::command::{Argument, Command, MoveCall};
use super::data::{Expiration, Gas, Input, ObjectRef, Validity};
use super::type_tag::TypeTag;
use super::*;
use crate::explain::{Asset, Effect, Fee, Function, Party, PartyRole};
use crate::signing::PublicKey;
use crate::transaction::Transaction;
use crate::{Amount, Chain, keysign};
use proptest::prelude::*;
use wire::keysign::keysign_payload::{BlockchainSpecific, SignData, SwapPayload};
use wire::keysign::{Coin, KeysignPayload, SignSui, SuiCoin, SuiSpecific, SwapKitSwapPayload};
use wire::node::NodeFact;

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

fn held(name: u8, coin_type: &str, balance: u64) -> NodeFact {
    let (coin_type, balance) = (coin_type.to_owned(), balance.to_string());
    NodeFact::CoinObject { id: full(&[name; 32]), coin_type, balance }
}

/// What the payload says that an object is, is a claim: a node says it, or nothing does.
#[test]
fn a_coin_is_what_a_node_says() {
    let coins = vec![coin(TOKEN, 2, 70), coin(TOKEN, 3, 50), coin(NATIVE, 4, 10)];
    let transactions = made(&payment(Some(TOKEN), coins)).unwrap();
    let transaction = &transactions[0];
    let asked = |name| Wanted { chain: Chain::Sui, query: FactQuery::CoinObject { id: full(&[name; 32]) } };
    assert_eq!(transaction.wanted(), [asked(2), asked(3)]);
    for (kind, asset) in [(TOKEN, Asset::Token { id: TOKEN.to_owned() }), (NATIVE, Asset::Native)] {
        let facts = [held(2, kind, 70), held(3, kind, 50)];
        let explanation = transaction.explain_with(Facts(&facts));
        let sent = Effect::Transfer { asset, to: full(&OTHER), amount: Amount::from(100u8) };
        assert_eq!(explanation.effects, [sent]);
        assert_eq!(explanation.fee, Fee::AtMost(Amount::from(10u8)));
    }
    let unknown = transaction.explain();
    let [Effect::Other { name, fields }] = &unknown.effects[..] else { panic!("{:?}", unknown.effects) };
    assert_eq!(name, "TransferObjects");
    let shown: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
    let part = format!("a part of object {}", full(&[2; 32]));
    assert_eq!(shown, [("object", part), ("to", full(&OTHER)), ("units", "100".to_owned())]);
    assert_eq!(unknown.every_party(), [Party::new(full(&OTHER), PartyRole::Recipient)]);
}

/// A whole object is as much as a node says, less what was taken from it.
#[test]
fn whole_objects_are_worth_what_a_node_says() {
    let inputs = vec![number(30), to_other(), Input::Owned(object(4)), Input::Owned(object(5))];
    let merge = Command::MergeCoins { destination: Argument::Input(2), sources: vec![Argument::Input(3)] };
    let commands = vec![merge, split(Argument::Input(2), &[0]), give(Argument::Input(2), 1)];
    let transaction = raw::transaction(&data(inputs, commands).encode(), &account()).unwrap();
    let facts = [held(4, TOKEN, 70), held(5, TOKEN, 50)];
    let asset = Asset::Token { id: TOKEN.to_owned() };
    let sent = Effect::Transfer { asset, to: full(&OTHER), amount: Amount::from(90u8) };
    assert_eq!(transaction.explain_with(Facts(&facts)).effects, [sent]);
    let partly = transaction.explain_with(Facts(&facts[..1]));
    assert!(matches!(&partly.effects[..], [Effect::Other { .. }]), "{:?}", partly.effects);
}

fn system_call(package: u8, name: &str, types: &[&str], arguments: &[Argument]) -> Command {
    let (module, function) = name.split_once("::").unwrap();
    Command::MoveCall(Box::new(MoveCall {
        package: type_tag::system(package),
        module: module.to_owned(),
        function: function.to_owned(),
        types: types.iter().map(|text| TypeTag::parse(text).unwrap()).collect(),
        arguments: arguments.to_vec(),
    }))
}

fn of_token(amount: u64) -> Effect {
    let asset = Asset::Token { id: TOKEN.to_owned() };
    Effect::Transfer { asset, to: full(&OTHER), amount: Amount::from(amount) }
}

/// Functions of the system's packages that pay are payments; what is not known of them is not made up.
#[test]
fn known_calls_are_read() {
    let inputs = vec![number(30), to_other(), Input::Owned(object(4)), Input::Owned(object(5))];
    let [amount, to, coin, other] = [0, 1, 2, 3].map(Argument::Input);
    let coin_type = format!("0x2::coin::Coin<{TOKEN}>");
    let explained = |facts: &[NodeFact], commands: Vec<Command>| {
        let data = data(inputs.clone(), commands);
        raw::transaction(&data.encode(), &account()).unwrap().explain_with(Facts(facts))
    };
    let facts = [held(4, TOKEN, 70), held(5, TOKEN, 50)];
    let read = |commands: Vec<Command>| explained(&facts, commands).effects;
    let transfer = |object| system_call(2, "transfer::public_transfer", &[&coin_type], &[object, to]);
    assert_eq!(read(vec![transfer(coin)]), [of_token(70)]);
    let split = system_call(2, "coin::split", &[TOKEN], &[coin, amount]);
    assert_eq!(
        read(vec![split.clone(), transfer(Argument::Result(0)), transfer(coin)]),
        [of_token(30), of_token(40)]
    );
    let join = |name| system_call(2, name, &[TOKEN], &[coin, other]);
    assert_eq!(read(vec![join("coin::join"), transfer(coin)]), [of_token(120)]);
    assert_eq!(read(vec![join("pay::join"), transfer(coin)]), [of_token(120)]);
    let pay = system_call(2, "pay::split_and_transfer", &[TOKEN], &[coin, amount, to]);
    assert_eq!(read(vec![pay, transfer(coin)]), [of_token(30), of_token(40)]);
    let gather = Command::MakeMoveVec { kind: None, elements: vec![coin, other] };
    let all = system_call(2, "pay::join_vec_and_transfer", &[TOKEN], &[Argument::Result(0), to]);
    assert_eq!(read(vec![gather, all]), [of_token(120)]);
    let keep = system_call(2, "pay::split", &[TOKEN], &[coin, amount]);
    assert_eq!(read(vec![keep, transfer(coin)]), [of_token(40)]);
    // The type argument is signed and says what it is; the object alone does not say how much.
    let unknown = explained(&[], vec![transfer(coin)]);
    assert!(matches!(&unknown.effects[..], [Effect::Other { name, .. }] if name == "public_transfer"));
    assert_eq!(unknown.every_party(), [Party::new(full(&OTHER), PartyRole::Recipient)]);
    assert_eq!(explained(&[], vec![split, transfer(Argument::Result(0))]).effects, [of_token(30)]);
    let item = system_call(2, "transfer::public_transfer", &["0x7::art::Item"], &[coin, to]);
    assert!(matches!(&read(vec![item])[..], [Effect::Other { .. }]), "no coin by its type");
}

#[test]
fn stakes_stay_the_senders() {
    let state = Input::Shared { id: type_tag::system(5), initial_version: 1, mutable: true };
    let other_state = Input::Shared { id: [5; 32], initial_version: 1, mutable: true };
    let stake = system_call(
        3,
        "sui_system::request_add_stake",
        &[],
        &[Argument::Input(0), Argument::Nested(0, 0), Argument::Input(2)],
    );
    let commands = vec![split(Argument::GasCoin, &[1]), stake];
    let read = |state: Input| effects(&data(vec![state, number(9), to_other()], commands.clone()));
    let fields = [("validator", full(&OTHER)), ("amount", "9".to_owned())];
    assert_eq!(read(state), [Effect::note("request_add_stake", fields)]);
    assert!(matches!(&read(other_state)[..], [Effect::Call { .. }]));
}

/// Only the system's own packages are known by these names.
#[test]
fn names_of_other_packages_are_not_known() {
    let inputs = vec![to_other(), Input::Owned(object(4))];
    for package in [1, 3, 4, 9] {
        let arguments = [Argument::Input(1), Argument::Input(0)];
        let coin_type = format!("0x2::coin::Coin<{TOKEN}>");
        let call = system_call(package, "transfer::public_transfer", &[&coin_type], &arguments);
        let data = data(inputs.clone(), vec![call]);
        let facts = [held(4, TOKEN, 70)];
        let explanation = raw::transaction(&data.encode(), &account()).unwrap().explain_with(Facts(&facts));
        assert!(matches!(&explanation.effects[..], [Effect::Call { .. }]), "{package}");
        let named = Party::new(full(&OTHER), PartyRole::Destination);
        assert!(explanation.every_party().contains(&named));
    }
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

/// Who runs a route and what it buys is the sender's word.
#[test]
fn a_route_that_is_a_transfer_is_a_transfer() {
    let commands = vec![split(Argument::GasCoin, &[0]), give(Argument::Nested(0, 0), 1)];
    let bytes = data(vec![number(77), to_other()], commands).encode();
    let transactions = made(&route(&bytes)).unwrap();
    assert_eq!(transactions[0].explain().effects, [sent(77)]);
    let said: Vec<_> = transactions[0].claims().iter().map(|claim| claim.to_wire()).collect();
    let said: Vec<_> = said.iter().map(|claim| (claim.about.as_str(), claim.text.as_str())).collect();
    assert_eq!(said, [("swap provider", "NEAR"), ("buys", "USDC")]);
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
            let _ = Programmable(read).explain(&account(), Facts::default());
        }
    }
}
