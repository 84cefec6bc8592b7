//! The whole chains crate and the local signer as a module: every public function is reached from an export, so that
//! nothing is left out of its size, and what others do with their modules can be timed with ours.

pub mod transaction;

use chains::derive::VaultKeys;
use chains::signing::Image;
use chains::{Chain, hash};
use std::fmt::Display;
use vault::LocalKey;
use wasm_bindgen::prelude::*;
use zeroize::Zeroizing;

/// What crosses to JavaScript of an error: its words.
fn words(error: impl Display) -> JsError {
    JsError::new(&error.to_string())
}

/// The accounts of a vault on every chain that has one: a line of name and address each.
#[wasm_bindgen]
pub fn addresses(ecdsa: &str, eddsa: &str, chain_code: &str) -> Result<String, JsError> {
    let keys = VaultKeys::parse(ecdsa, eddsa, chain_code).map_err(words)?;
    let accounts = Chain::ALL.iter().filter_map(|chain| keys.account(*chain).ok());
    Ok(accounts.map(|account| format!("{} {}\n", account.chain, account.address)).collect())
}

/// The canonical spelling of an address.
#[wasm_bindgen]
pub fn address(chain: &str, text: &str) -> Result<String, JsError> {
    let chain: Chain = chain.parse().map_err(words)?;
    chains::address::normalise(chain, text).map_err(words)
}

/// A private key.
#[wasm_bindgen]
pub struct Key(LocalKey);

#[wasm_bindgen]
impl Key {
    /// A key of secp256k1.
    pub fn secp256k1(secret: &[u8]) -> Result<Self, JsError> {
        let secret = Zeroizing::new(secret.try_into().map_err(words)?);
        Ok(Self(LocalKey::secp256k1(&secret).map_err(words)?))
    }

    /// A key of Ed25519.
    pub fn ed25519(secret: &[u8]) -> Result<Self, JsError> {
        Ok(Self(LocalKey::ed25519(&Zeroizing::new(secret.try_into().map_err(words)?))))
    }

    /// An ECDSA signature of a digest: `r ‖ s`.
    pub fn sign_digest(&self, digest: &[u8]) -> Result<Vec<u8>, JsError> {
        let image = Image::Ecdsa(digest.try_into().map_err(words)?);
        Ok(self.0.sign(&image).map_err(words)?.0.to_vec())
    }

    /// An Ed25519 signature of a message: `R ‖ S`.
    pub fn sign_message(&self, message: &[u8]) -> Result<Vec<u8>, JsError> {
        Ok(self.0.sign(&Image::Eddsa(message.to_vec())).map_err(words)?.0.to_vec())
    }
}

/// Keccak-256.
#[wasm_bindgen]
pub fn keccak256(bytes: &[u8]) -> Vec<u8> {
    hash::keccak256(bytes).to_vec()
}
