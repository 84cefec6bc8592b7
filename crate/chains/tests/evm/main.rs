//! EVM transactions: what calls do, as another library encoded them; what is refused; what holds for any bytes.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test's own mistake must fail it"
)]

mod calls;
mod payloads;
mod properties;
mod raw;

use countersign_chains::encoding::from_hex;
use countersign_chains::signing::PublicKey;
use countersign_chains::unsigned::{self, Context};
use countersign_chains::{Account, Chain, Transaction, TransactionError};
use k256::ecdsa::SigningKey;
use serde_json::Value;
use std::sync::LazyLock;

pub(crate) fn vectors(file: &str) -> Value {
    let path = format!("{}/../../tests/vectors/evm/{file}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

pub(crate) static CALLS: LazyLock<Value> = LazyLock::new(|| vectors("calls.json"));
pub(crate) static RAW: LazyLock<Value> = LazyLock::new(|| vectors("unsigned-tx.json"));
pub(crate) static GOLDEN: LazyLock<Value> = LazyLock::new(|| vectors("signed-tx-golden.json"));

pub(crate) fn key(text: &str) -> SigningKey {
    SigningKey::from_slice(&from_hex("key", text).unwrap()).unwrap()
}

pub(crate) fn account(chain: Chain, key: &SigningKey, address: &str) -> Account {
    let point = key.verifying_key().to_sec1_point(true);
    Account {
        chain,
        key: PublicKey::Secp256k1(point.as_bytes().try_into().unwrap()),
        address: address.to_owned(),
    }
}

pub(crate) fn caller() -> Account {
    let key = key(CALLS["private_key_hex"].as_str().unwrap());
    account(Chain::Ethereum, &key, CALLS["from"].as_str().unwrap())
}

pub(crate) fn read(hex: &str) -> Result<Transaction, TransactionError> {
    unsigned::transaction(hex, &caller(), &Context::default())
}
