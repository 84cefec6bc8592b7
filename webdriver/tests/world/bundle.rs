//! Bundles as an agent proposes them: unsigned transactions of Ethereum, written down field by field (EIP-1559, RLP).

use agent::{Script, Turn, When};
use serde_json::{Value, json};

pub(crate) const RECIPIENT: &str = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";
pub(crate) const USDC: &str = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
/// A tenth of an ether, in its smallest unit.
pub(crate) const TENTH: u64 = 100_000_000_000_000_000;
pub(crate) const GAS: u64 = 60_000;

/// Sends a tenth of an ether to the recipient. The nonce tells one from the next.
pub(crate) fn payment(nonce: u64) -> String {
    unsigned(nonce, RECIPIENT, TENTH, &[])
}

/// Sends 25 USDC to the recipient.
pub(crate) fn token_payment(nonce: u64) -> String {
    let transfer = format!("a9059cbb{:0>64}{:064x}", &RECIPIENT[2..], 25_000_000);
    unsigned(nonce, USDC, 0, &bytes(&transfer))
}

fn unsigned(nonce: u64, to: &str, value: u64, data: &[u8]) -> String {
    let (tip, fee) = (1_000_000_000, 20_000_000_000);
    let numbers = [1, nonce, tip, fee, GAS].map(|number| item(&digits(number)));
    let others = [item(&bytes(&to[2..])), item(&digits(value)), item(data), list(&[])];
    let fields: Vec<Vec<u8>> = numbers.into_iter().chain(others).collect();
    let hex: String = list(&fields).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("0x02{hex}")
}

fn bytes(hex: &str) -> Vec<u8> {
    let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    (0..hex.len()).step_by(2).map(byte).collect()
}

fn digits(number: u64) -> Vec<u8> {
    number.to_be_bytes().into_iter().skip_while(|byte| *byte == 0).collect()
}

fn item(bytes: &[u8]) -> Vec<u8> {
    match bytes {
        [byte] if *byte < 0x80 => vec![*byte],
        _ => [head(0x80, bytes.len()), bytes.to_vec()].concat(),
    }
}

fn list(items: &[Vec<u8>]) -> Vec<u8> {
    let content = items.concat();
    [head(0xc0, content.len()), content].concat()
}

fn head(kind: u8, length: usize) -> Vec<u8> {
    match u8::try_from(length).unwrap() {
        short @ 0..56 => vec![kind + short],
        long => vec![kind + 56, long],
    }
}

/// One step with what is said of it.
pub(crate) fn step(transaction: &str, details: Value) -> Value {
    json!({"id": "step-1", "sequence": 1, "chain": "Ethereum", "action": "transfer",
        "signing_mode": "ecdsa_secp256k1", "unsigned_tx_hex": transaction,
        "chain_context": {"chain_id": "0x1", "derive_path": "m/44'/60'/0'/0/0", "tx_type": "eip1559"},
        "tx_details": details})
}

/// The action that asks for its signature.
pub(crate) fn bundle(label: &str, step: Value) -> Value {
    json!({"id": "{{uuid}}", "type": "sign_transaction_bundle", "title": label,
        "params": {"bundle_label": label, "transactions": [step]}})
}

/// An agent that proposes each of these when it reads the word before it.
pub(crate) fn proposing<const N: usize>(proposals: [(&str, Value); N]) -> Script {
    let turn = |(word, action): (&str, Value)| Turn {
        when: When { message: Some(word.to_owned()), ..When::default() },
        once: false,
        text: "I propose this.".to_owned(),
        delay_ms: 0,
        title: None,
        actions: vec![action.to_string()],
        actions_per_event: None,
        events: Vec::new(),
        dialect: agent::Dialect::default(),
        faults: Vec::new(),
    };
    Script { name: "Proposes".to_owned(), turns: proposals.into_iter().map(turn).collect() }
}
