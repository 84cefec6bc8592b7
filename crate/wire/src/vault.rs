//! Vaults: what the core keeps of one, and what pages see of it.

use crate::api::Millis;
use derive::Record;

/// Where a vault's keys are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum VaultKind {
    /// Here, encrypted with the user's password: created here, or imported as a phrase or as keys.
    Local,
    /// This device's shares of a threshold vault, kept as they came. Nothing here signs with them yet.
    Shares,
    /// Elsewhere: only public keys are known.
    Watch,
}

/// A vault's public keys, hex.
#[derive(Debug, Clone, PartialEq, Eq, Default, Record)]
#[serde(rename_all = "camelCase")]
pub struct PublicKeys {
    /// 33-byte compressed secp256k1 key.
    pub public_key_ecdsa: String,
    /// 32-byte Ed25519 key.
    pub public_key_eddsa: String,
    /// 32-byte chain code.
    pub hex_chain_code: String,
    /// The key of each chain, where the vault was made from a seed phrase; otherwise empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[record(default)]
    pub chain_public_keys: Vec<ChainPublicKey>,
}

/// The key of one chain in a vault made from a seed phrase.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub struct ChainPublicKey {
    /// Canonical name of the chain.
    pub chain: String,
    /// Hex.
    pub public_key: String,
}

/// A vault's account on a chain, derived once.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub struct VaultAccount {
    /// Canonical name of the chain.
    pub chain: String,
    /// The key that signs there, hex.
    pub public_key: String,
    /// Its address, in canonical spelling.
    pub address: String,
}

/// A vault as the core keeps it. Its id is its ECDSA public key.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub struct Vault {
    /// Display name.
    pub name: String,
    /// Where the keys are.
    pub kind: VaultKind,
    /// Its public keys.
    #[serde(flatten)]
    pub keys: PublicKeys,
    /// Its account on every chain that it has one on.
    pub accounts: Vec<VaultAccount>,
    /// The sealed container; absent where there is nothing to seal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sealed: Option<String>,
    /// When it came here.
    pub created_at: Millis,
}

impl Vault {
    /// Its id.
    pub fn id(&self) -> &str {
        &self.keys.public_key_ecdsa
    }

    /// Its account on a chain, by the chain's canonical name.
    pub fn account(&self, chain: &str) -> Option<&VaultAccount> {
        self.accounts.iter().find(|account| account.chain == chain)
    }

    /// Its address on a chain, by the chain's canonical name.
    pub fn address(&self, chain: &str) -> Option<&str> {
        self.account(chain).map(|account| account.address.as_str())
    }
}

/// A vault as pages see it.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct VaultView {
    /// Its ECDSA public key.
    pub id: String,
    /// Display name.
    pub name: String,
    /// Where the keys are.
    pub kind: VaultKind,
    /// 33-byte compressed secp256k1 key, hex.
    pub public_key_ecdsa: String,
    /// 32-byte Ed25519 key, hex.
    pub public_key_eddsa: String,
    /// 32-byte chain code, hex.
    pub hex_chain_code: String,
    /// Whether it was made from a seed phrase, with keys of its own for each chain.
    pub from_phrase: bool,
    /// Whether its addresses and the agent's calls are this vault's.
    pub active: bool,
    /// Until when it stays open; `null` while it is locked, or has nothing to open.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub unlocked_until: Option<Millis>,
    /// When it came here.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub created_at: Millis,
}

/// GET `/api/vaults`: oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Vaults {
    /// All of them.
    pub vaults: Vec<VaultView>,
}

/// A file for the user to keep: POST `/api/vaults/{id}/export`, GET `/api/audit/export`.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ExportedFile {
    /// What to call the file.
    pub file_name: String,
    /// Its text.
    pub text: String,
}
