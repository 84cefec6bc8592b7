//! Bundles as an agent proposes them: unsigned Ethereum transactions.

use agent_backend::{Script, Turn, When};
use nodes::contracts;
use nodes::evm::Unsigned;
use serde_json::{Value, json};

pub(crate) const RECIPIENT: &str = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";
pub(crate) const USDC: &str = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
/// A tenth of an ether, in wei.
pub(crate) const TENTH: u64 = 100_000_000_000_000_000;
pub(crate) const GAS: u64 = 60_000;

/// A payment of a tenth of an ether to the recipient, told apart by its nonce.
pub(crate) fn payment(nonce: u64) -> String {
    unsigned(nonce, RECIPIENT, TENTH, "")
}

/// A transfer of 25 USDC to the recipient.
pub(crate) fn token_payment(nonce: u64) -> String {
    let transfer = contracts::transfer(RECIPIENT, 25_000_000).unwrap();
    unsigned(nonce, USDC, 0, &transfer)
}

fn unsigned(nonce: u64, to: &str, value: u64, data: &str) -> String {
    Unsigned { chain_id: 1, nonce, gas: GAS, to: Some(to), value: value.into(), data }.hex().unwrap()
}

/// A step with these claims.
pub(crate) fn step(transaction: &str, details: Value) -> Value {
    json!({"id": "step-1", "sequence": 1, "chain": "Ethereum", "action": "transfer",
        "signing_mode": "ecdsa_secp256k1", "unsigned_tx_hex": transaction,
        "chain_context": {"chain_id": "0x1", "derive_path": "m/44'/60'/0'/0/0", "tx_type": "eip1559"},
        "tx_details": details})
}

/// A step that pays the recipient on an EVM chain, with `wait_for_receipt`.
pub(crate) fn transfer(chain_id: u64, nonce: u64) -> Value {
    let to = Some(RECIPIENT);
    let payment = Unsigned { chain_id, nonce, gas: 21_000, to, value: TENTH.into(), data: "" };
    sent(&payment)
}

/// A step with these bytes and `wait_for_receipt`.
pub(crate) fn sent(transaction: &Unsigned<'_>) -> Value {
    let mut step = step(&transaction.hex().unwrap(), json!({}));
    step["chain"] = json!(if transaction.chain_id == 1 { "Ethereum" } else { "Arbitrum" });
    step["chain_context"]["chain_id"] = json!(format!("{:#x}", transaction.chain_id));
    step["wait_for_receipt"] = json!(true);
    step
}

/// An action that proposes to sign this step.
pub(crate) fn bundle(label: &str, step: Value) -> Value {
    bundle_of(label, vec![step])
}

/// An action that proposes to sign several steps.
pub(crate) fn bundle_of(label: &str, steps: Vec<Value>) -> Value {
    json!({"id": "{{uuid}}", "type": "sign_transaction_bundle", "title": label,
        "params": {"bundle_label": label, "transactions": steps}})
}

/// An agent that proposes each action when it reads the word before it.
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
        dialect: agent_backend::Dialect::default(),
        faults: Vec::new(),
    };
    Script { name: "Proposes".to_owned(), turns: proposals.into_iter().map(turn).collect() }
}
