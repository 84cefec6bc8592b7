//! The committed vectors (`tests/vectors/`), as steps.

use crate::world::step;
use chains::encoding::{array_from_hex, from_base64};
use chains::signing::PublicKey;
use chains::{Algorithm, Chain};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::fs;
use std::path::Path;
use vault::LocalKey;
use wire::bundle::{StepRequest, StepSource};
use wire::keysign::KeysignPayload;
use wire::vault::{ChainPublicKey, PublicKeys};
use zeroize::Zeroizing;

const FOLDERS: [&str; 10] =
    ["cardano", "cosmos", "evm", "polkadot", "ripple", "solana", "sui", "ton", "tron", "utxo"];

/// A payload with the key that signs it.
#[derive(Deserialize)]
pub(crate) struct Golden {
    pub(crate) name: String,
    pub(crate) private_key_hex: String,
    keysign_payload_base64: String,
    pub(crate) expected: Expected,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Expected {
    #[serde(default)]
    pub(crate) transaction_hash: String,
}

/// Raw bytes with the key that signs them, or with none where they are to be refused.
#[derive(Deserialize)]
pub(crate) struct Raw {
    pub(crate) name: String,
    chain: String,
    signing_mode: String,
    unsigned_tx_hex: String,
    #[serde(default)]
    chain_context: Context,
    #[serde(default)]
    private_key_hex: String,
}

#[derive(Deserialize, Default)]
struct Context {
    chain_id: Option<String>,
    derive_path: Option<String>,
    tx_type: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct RawCases {
    pub(crate) valid: Vec<Raw>,
    pub(crate) malformed: Vec<Raw>,
}

fn read<T: DeserializeOwned>(folder: &str, file: &str) -> Option<T> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors").join(folder).join(file);
    Some(serde_json::from_str(&fs::read_to_string(path).ok()?).unwrap())
}

pub(crate) fn goldens() -> Vec<Golden> {
    let all: Vec<Golden> =
        FOLDERS.iter().flat_map(|folder| read::<Vec<_>>(folder, "signed-tx-golden.json").unwrap()).collect();
    assert!(all.len() > 200, "only {} vectors", all.len());
    all
}

pub(crate) fn raws() -> RawCases {
    let mut all = RawCases { valid: Vec::new(), malformed: Vec::new() };
    for cases in FOLDERS.iter().filter_map(|folder| read::<RawCases>(folder, "unsigned-tx.json")) {
        all.valid.extend(cases.valid);
        all.malformed.extend(cases.malformed);
    }
    assert!(all.valid.len() > 50 && all.malformed.len() > 50);
    all
}

impl Golden {
    pub(crate) fn payload(&self) -> KeysignPayload {
        KeysignPayload::from_bytes(&from_base64("payload", &self.keysign_payload_base64).unwrap()).unwrap()
    }

    pub(crate) fn chain(&self) -> Chain {
        Chain::parse(&self.payload().coin.unwrap().chain).unwrap()
    }

    pub(crate) fn step(&self) -> StepRequest {
        let keysign_payload = self.keysign_payload_base64.clone();
        step(self.chain(), StepSource::Payload { keysign_payload })
    }

    /// A vault that has the case's key on the case's chain.
    pub(crate) fn keys(&self) -> PublicKeys {
        listing(self.chain(), &self.private_key_hex)
    }
}

impl Raw {
    pub(crate) fn chain(&self) -> Chain {
        Chain::parse(&self.chain).unwrap()
    }

    pub(crate) fn step(&self) -> StepRequest {
        let Context { chain_id, derive_path, tx_type } = &self.chain_context;
        let source = StepSource::Raw {
            unsigned_tx_hex: self.unsigned_tx_hex.clone(),
            chain_id: chain_id.clone(),
            derive_path: derive_path.clone(),
            tx_type: tx_type.clone(),
        };
        StepRequest { signing_mode: self.signing_mode.clone(), ..step(self.chain(), source) }
    }

    pub(crate) fn keys(&self) -> PublicKeys {
        let unused = "11".repeat(32);
        let key = if self.private_key_hex.is_empty() { &unused } else { &self.private_key_hex };
        listing(self.chain(), key)
    }
}

/// A vault whose key on one chain is this one, as a vault made from a seed phrase would list it.
fn listing(chain: Chain, private: &str) -> PublicKeys {
    let private = Zeroizing::new(array_from_hex("private_key_hex", private).unwrap());
    let key: PublicKey = match chain.algorithm() {
        Algorithm::Eddsa => LocalKey::ed25519(&private).public(),
        _ => LocalKey::secp256k1(&private).unwrap().public(),
    };
    let public_key = chains::encoding::hex(key.as_bytes());
    let listed = ChainPublicKey { chain: chain.name().into(), public_key };
    PublicKeys { chain_public_keys: vec![listed], ..crate::world::keys(1) }
}
