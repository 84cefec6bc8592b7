//! Whatever is changed in payload fields that no signature covers changes no fact.
//!
//! Every committed payload is taken apart as protobuf, every field of it is changed in many ways, alone and wherever the
//! same text stands, fields are taken away and added, also whole fields of other payloads. Whenever what would be signed stays the same, what is explained of it
//! stays the same: effects, parties, memo, fee, and what nodes are asked. What the payload says beside that is free.

#![expect(clippy::unwrap_used, reason = "a test's own mistake must fail it")]

mod protobuf;

use countersign_chains::explain::{Effect, Party};
use countersign_chains::facts::{Facts, Wanted};
use countersign_chains::signing::{Image, PublicKey};
use countersign_chains::transaction::{Account, NetworkFacts};
use countersign_chains::{Algorithm, Chain, Explanation, Transaction, encoding, keysign, unsigned};
use protobuf::{Field, Message, Value};
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::path::Path;
use wire::keysign::KeysignPayload;
use wire::node::{FactQuery, NodeFact};

/// Different values that each field gets.
const CHANGES: usize = 5;
/// Fields of a payload that are changed; some have hundreds of coins.
const FIELDS: usize = 60;
/// Fields that each payload gets from elsewhere, and changes that each raw transaction gets.
const ADDITIONS: usize = 40;

/// Numbers that look like chance and are the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(bound.max(1)).unwrap()).unwrap()
    }

    fn one_of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        all.get(self.below(all.len())).unwrap()
    }
}

/// A payload of the vectors.
struct Case {
    name: String,
    account: Account,
    message: Message,
}

fn vectors(kind: &str, file: &str) -> Option<Json> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors");
    let text = std::fs::read_to_string(root.join(kind).join(file)).ok()?;
    Some(serde_json::from_str(&text).unwrap())
}

fn key(chain: Chain) -> PublicKey {
    let generator = "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798";
    match chain.algorithm() {
        Algorithm::Eddsa => PublicKey::Ed25519([0x66; 32]),
        _ => PublicKey::Secp256k1(encoding::array_from_hex("key", generator).unwrap()),
    }
}

fn cases(kind: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    for file in ["signed-tx-golden.json", "keysign-payload-base64.json"] {
        for case in vectors(kind, file).iter().filter_map(Json::as_array).flatten() {
            let text = case["keysign_payload_base64"].as_str().unwrap();
            let bytes = encoding::from_base64("payload", text).unwrap();
            let payload = KeysignPayload::from_bytes(&bytes).unwrap();
            let (chain, coin) = keysign::coin(&payload).unwrap();
            let account = Account { chain, key: key(chain), address: coin.address.clone() };
            let (name, message) =
                (case["name"].as_str().unwrap().to_owned(), Message::parse(&bytes).unwrap());
            cases.push(Case { name, account, message });
        }
    }
    assert!(!cases.is_empty(), "no vectors of {kind}");
    cases
}

/// What is said of a transaction.
#[derive(Debug, Clone, PartialEq)]
struct Told {
    payer: String,
    explanation: Explanation,
    parties: Vec<Party>,
    wanted: Vec<Wanted>,
}

fn told(transactions: &[Transaction], facts: &[NodeFact]) -> Vec<Told> {
    let told = |transaction: &Transaction| {
        let explanation = transaction.explain_with(Facts(facts));
        Told {
            payer: transaction.payer(),
            parties: explanation.every_party(),
            explanation,
            wanted: transaction.wanted(),
        }
    };
    transactions.iter().map(told).collect()
}

fn images(transactions: &[Transaction]) -> Vec<&[Image]> {
    transactions.iter().map(Transaction::images).collect()
}

fn read(bytes: &[u8], account: &Account) -> Vec<Transaction> {
    let network = NetworkFacts { zcash_branch: Some([1, 2, 3, 4]) };
    let payload = KeysignPayload::from_bytes(bytes).ok();
    payload.and_then(|payload| keysign::transactions(&payload, account, &network).ok()).unwrap_or_default()
}

/// Answers to everything that the transactions ask for, and deposits of a swap network at every account that is paid:
/// what nodes say must not let a claim in either.
fn answers(transactions: &[Transaction]) -> Vec<NodeFact> {
    let mut facts = Vec::new();
    for transaction in transactions {
        let chain = transaction.account().chain.name().to_owned();
        for wanted in transaction.wanted() {
            if let FactQuery::CoinObject { id } = wanted.query {
                let (coin_type, balance) = ("0x2::sui::SUI".to_owned(), "5000000000".to_owned());
                facts.push(NodeFact::CoinObject { id, coin_type, balance });
            }
        }
        for effect in transaction.explain().effects {
            if let Effect::Transfer { to: address, .. } = effect {
                let (network, chain) = ("THORChain".to_owned(), chain.clone());
                facts.push(NodeFact::DepositAddress { network, chain, address, router: None });
            }
        }
    }
    facts
}

/// What a field may become: nothing, a bit more, and what stands elsewhere in payloads.
fn changed(value: &Value, pool: &[Value], chance: &mut Chance) -> Value {
    match (value, chance.below(4)) {
        (Value::Number(number), 0) => Value::Number(number ^ 1),
        (Value::Number(_), _) => Value::Number(*chance.one_of(&[0, 1, 2, 7, 1 << 20, u64::MAX])),
        (Value::Text(bytes), 0) => {
            let mut bytes = bytes.clone();
            match bytes.last_mut() {
                Some(last) => *last ^= 1,
                None => bytes.push(b'1'),
            }
            Value::Text(bytes)
        }
        (Value::Text(_), 1) => {
            let texts = ["", "0", "1", "1000000", "USDC", "THORChain", "=:BTC.BTC:bc1qattacker:0/1/0", "x"];
            Value::Text(chance.one_of(&texts).as_bytes().to_vec())
        }
        _ => chance.one_of(pool).clone(),
    }
}

/// Every changed form of a payload.
fn mutations(case: &Case, all: &[Case], pool: &[Value], chance: &mut Chance) -> Vec<Message> {
    let mut mutations = Vec::new();
    let mut paths = case.message.paths();
    while paths.len() > FIELDS {
        paths.swap_remove(chance.below(paths.len()));
    }
    for path in paths {
        mutations.push(case.message.without(&path));
        for _ in 0..CHANGES {
            let value = changed(case.message.at(&path), pool, chance);
            mutations.push(case.message.with(&path, value));
        }
    }
    // A lie that is told consistently: a text becomes another one wherever it stands.
    let texts: BTreeSet<Value> = case.message.values().into_iter().collect();
    for text in texts.iter().filter(|value| matches!(value, Value::Text(_))).take(FIELDS) {
        let value = changed(text, pool, chance);
        mutations.push(case.message.renamed(text, &value));
    }
    for _ in 0..ADDITIONS {
        let other = &chance.one_of(all).message;
        let field = match chance.below(2) {
            0 => chance.one_of(&other.0).clone(),
            _ => Field {
                number: u32::try_from(chance.below(50) + 1).unwrap(),
                value: chance.one_of(pool).clone(),
            },
        };
        let mut message = case.message.clone();
        // Behind the others it wins over a field of the same number.
        message.0.push(field);
        mutations.push(message);
    }
    mutations
}

/// The whole of a kind: every mutation that leaves what is signed alone leaves alone what is said of it.
fn payload_fields_change_no_fact(kind: &str) {
    let cases = cases(kind);
    let values = cases.iter().flat_map(|case| case.message.values());
    let pool: Vec<Value> = values.collect::<BTreeSet<_>>().into_iter().collect();
    let mut chance = Chance(0x0dd_ba11);
    let (mut unsigned, mut failures) = (0_usize, Vec::new());
    for case in &cases {
        let transactions = read(&case.message.bytes(), &case.account);
        let answers = answers(&transactions);
        for facts in [&[][..], &answers] {
            let honest = told(&transactions, facts);
            for mutation in mutations(case, &cases, &pool, &mut chance) {
                let found = read(&mutation.bytes(), &case.account);
                if found.is_empty() || images(&found) != images(&transactions) {
                    continue;
                }
                unsigned += 1;
                let found = told(&found, facts);
                if found != honest {
                    let what = mutation.difference(&case.message);
                    failures.push(format!("{}: {what}\n{honest:?}\n{found:?}", case.name));
                }
            }
        }
    }
    let count = failures.len();
    assert!(failures.is_empty(), "{kind}: {count} of {unsigned}, such as\n{}", failures.first().unwrap());
    assert!(unsigned > cases.len() * 10, "{kind}: too few changes left alone what is signed: {unsigned}");
}

/// Raw transactions carry little that is not signed: the maps of a PSBT.
fn raw_bytes_change_no_fact(kind: &str) {
    let mut chance = Chance(0x0dd_ba11);
    let file = vectors(kind, "unsigned-tx.json").unwrap();
    for case in file.get("valid").and_then(Json::as_array).unwrap() {
        let chain = Chain::parse(case["chain"].as_str().unwrap()).unwrap();
        let account = Account { chain, key: key(chain), address: case["from"].as_str().unwrap().to_owned() };
        let raw = encoding::from_hex("raw", case["unsigned_tx_hex"].as_str().unwrap()).unwrap();
        let read = |bytes: &[u8]| {
            let context = unsigned::Context::default();
            let read = unsigned::transaction(&encoding::hex(bytes), &account, &context);
            read.into_iter().collect::<Vec<_>>()
        };
        let honest = read(&raw);
        for _ in 0..ADDITIONS * CHANGES {
            let mut bytes = raw.clone();
            let place = chance.below(bytes.len());
            *bytes.get_mut(place).unwrap() ^= u8::try_from(1 + chance.below(255)).unwrap();
            let found = read(&bytes);
            if !found.is_empty() && images(&found) == images(&honest) {
                assert_eq!(told(&found, &[]), told(&honest, &[]), "{} at byte {place}", case["name"]);
            }
        }
    }
}

#[test]
fn utxo() {
    payload_fields_change_no_fact("utxo");
    raw_bytes_change_no_fact("utxo");
}

#[test]
fn sui() {
    payload_fields_change_no_fact("sui");
    raw_bytes_change_no_fact("sui");
}

#[test]
fn cardano() {
    payload_fields_change_no_fact("cardano");
}

#[test]
fn polkadot() {
    payload_fields_change_no_fact("polkadot");
}

#[test]
fn evm() {
    payload_fields_change_no_fact("evm");
    raw_bytes_change_no_fact("evm");
}

#[test]
fn cosmos() {
    payload_fields_change_no_fact("cosmos");
    raw_bytes_change_no_fact("cosmos");
}

#[test]
fn solana() {
    payload_fields_change_no_fact("solana");
    raw_bytes_change_no_fact("solana");
}

#[test]
fn tron() {
    payload_fields_change_no_fact("tron");
}

#[test]
fn ton() {
    payload_fields_change_no_fact("ton");
}

#[test]
fn ripple() {
    payload_fields_change_no_fact("ripple");
}
