//! From what an agent sends to signed bytes, what they do, and the requests to a node.

use crate::words;
use chains::compare::{Claims, compare};
use chains::rpc::{self, Response};
use chains::signing::{PublicKey, Signature};
use chains::transaction::{Account, NetworkFacts, Signed};
use chains::{Algorithm, Chain, Transaction, encoding, keysign, unsigned};
use wasm_bindgen::prelude::*;
use wire::keysign::KeysignPayload;

/// The transactions of one request.
#[wasm_bindgen]
pub struct Transactions(Vec<Transaction>);

#[wasm_bindgen]
impl Transactions {
    /// From a keysign payload that pays from the account it names.
    pub fn of_payload(payload: &[u8]) -> Result<Self, JsError> {
        let payload = KeysignPayload::from_bytes(payload).map_err(words)?;
        let (chain, coin) = keysign::coin(&payload).map_err(words)?;
        let account = account(chain, &coin.hex_public_key, &coin.address)?;
        let facts = NetworkFacts { zcash_branch: Some([0xf0, 0x4d, 0xec, 0x4d]) };
        Ok(Self(keysign::transactions(&payload, &account, &facts).map_err(words)?))
    }

    /// From a raw transaction.
    pub fn of_raw(chain: &str, key: &str, address: &str, mode: &str, hex: &str) -> Result<Self, JsError> {
        let account = account(chain.parse().map_err(words)?, key, address)?;
        unsigned::check_signing_mode(&account, mode).map_err(words)?;
        let context = unsigned::Context::default();
        Ok(Self(vec![unsigned::transaction(hex, &account, &context).map_err(words)?]))
    }

    /// What must be signed, in hex, a line each.
    pub fn hashes(&self) -> String {
        let images = self.0.iter().flat_map(Transaction::images);
        images.map(|image| encoding::hex(image.as_bytes()) + "\n").collect()
    }

    /// What they do, and what of a claim is not so.
    pub fn explain(&self, claimed: &str) -> String {
        let claims = Claims {
            to: Some(claimed.to_owned()),
            amount_human: Some(claimed.to_owned()),
            ..Claims::default()
        };
        let explanations = self.0.iter().map(Transaction::explain);
        explanations
            .map(|found| format!("{found:?}\n{:?}\n", compare(&found, &claims, names(&found))))
            .collect()
    }

    /// The words that send and ask for the first transaction, from its signatures one after the other.
    pub fn compile(&self, signatures: &[u8]) -> Result<String, JsError> {
        let transaction = self.0.first().ok_or_else(|| words("nothing to sign"))?;
        let signatures: Vec<Signature> =
            signatures.chunks(64).filter_map(|bytes| Some(Signature(bytes.try_into().ok()?))).collect();
        let signed = transaction.compile(&signatures).map_err(words)?;
        Ok(requests(transaction.account().chain, &signed))
    }
}

fn account(chain: Chain, key: &str, address: &str) -> Result<Account, JsError> {
    let field = "key";
    let key = match chain.algorithm() {
        Algorithm::Eddsa => encoding::array_from_hex(field, key).map(PublicKey::Ed25519),
        _ => encoding::array_from_hex(field, key).map(PublicKey::Secp256k1),
    };
    Ok(Account { chain, key: key.map_err(words)?, address: address.to_owned() })
}

fn requests(chain: Chain, signed: &Signed) -> String {
    format!("{:?}\n{:?}", rpc::broadcast(chain, signed), rpc::status(chain, &signed.id))
}

/// What a node's answer means, for a broadcast and for a status.
#[wasm_bindgen]
pub fn read_answer(chain: &str, status: u16, body: &[u8]) -> Result<String, JsError> {
    let chain: Chain = chain.parse().map_err(words)?;
    let response = Response { status, body: body.to_vec() };
    let sent = rpc::read_broadcast(chain, &response);
    Ok(format!("{sent:?}\n{:?}", rpc::read_status(chain, &[response])))
}

/// The names that are known without a vault.
const fn names(found: &chains::Explanation) -> chains::names::Names<'_> {
    chains::names::Names { chain: found.chain, own: &[], facts: chains::facts::Facts(&[]) }
}
