//! Our own backup of a vault. JSON text:
//!
//! ```json
//! {"countersign":"backup","version":1,
//!  "vault":{"name":"…","kind":"local","createdAt":0,"publicKeyEcdsa":"…","publicKeyEddsa":"…","hexChainCode":"…"},
//!  "sealed":{…}}
//! ```
//!
//! `sealed` is the vault's container as it is: the password of the vault is the password of the file. The rest can be
//! read without it, so that a person sees which vault it holds, and is checked against the secret when it is opened.

use crate::public::{self, PublicKeysError};
use crate::seal::{self, Container, Form, SealError};
use crate::secret::{Secret, SecretError};
use derive::Code;
use serde::{Deserialize, Serialize};
use wire::api::Millis;
use wire::vault::{ChainPublicKey, PublicKeys, VaultKind};

/// No file is longer: a container and the keys of all chains.
pub const MAX_BYTES: usize = seal::MAX_BYTES + (64 << 10);

const MAGIC: &str = "backup";
const VERSION: u32 = 1;

/// A backup: the vault's description and the sealed secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backup {
    /// Display name. Not authenticated.
    pub name: String,
    /// Where the keys are.
    pub kind: VaultKind,
    /// When the vault was made. Not authenticated.
    pub created_at: Millis,
    /// The public side.
    pub keys: PublicKeys,
    /// The secret.
    pub sealed: Container,
}

/// Why a backup cannot be read or opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, Code)]
pub enum BackupError {
    /// Longer than [`MAX_BYTES`].
    #[error("a backup has at most {MAX_BYTES} bytes")]
    #[code("backup_too_long")]
    TooLong,
    /// Not a backup.
    #[error("not a backup of a vault")]
    #[code("backup_malformed")]
    Malformed,
    /// Made by a later version.
    #[error("this backup was made by a later version")]
    #[code("backup_version")]
    Version,
    /// Invalid public keys.
    #[error(transparent)]
    #[code(transparent)]
    PublicKeys(#[from] PublicKeysError),
    /// An invalid container, or one that does not open.
    #[error(transparent)]
    #[code(transparent)]
    Seal(#[from] SealError),
    /// The sealed bytes are not a secret.
    #[error(transparent)]
    #[code(transparent)]
    Secret(#[from] SecretError),
    /// The keys that stand in the file are not those of its secret: they were changed.
    #[error("the backup was changed: its public keys are not those of its secret")]
    #[code("backup_changed")]
    Changed,
}

/// The JSON of a backup.
#[derive(Serialize, Deserialize)]
struct File {
    countersign: String,
    version: u32,
    vault: Described,
    sealed: Form,
}

/// Field by field: flattened, unknown fields would first be kept, at many times its length.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Described {
    name: String,
    kind: VaultKind,
    created_at: Millis,
    public_key_ecdsa: String,
    public_key_eddsa: String,
    hex_chain_code: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    chain_public_keys: Vec<ChainPublicKey>,
}

/// What every version has.
#[derive(Deserialize)]
struct Versioned {
    countersign: String,
    version: u32,
}

impl Backup {
    /// Reads a file. Nothing is opened, and no work is done.
    pub fn parse(text: &str) -> Result<Self, BackupError> {
        if text.len() > MAX_BYTES {
            return Err(BackupError::TooLong);
        }
        let head: Versioned = serde_json::from_str(text).map_err(|_| BackupError::Malformed)?;
        if head.countersign != MAGIC {
            return Err(BackupError::Malformed);
        }
        if head.version != VERSION {
            return Err(BackupError::Version);
        }
        let File { vault, sealed, .. } = serde_json::from_str(text).map_err(|_| BackupError::Malformed)?;
        let Described { name, kind, created_at, .. } = vault;
        let keys = public::check(&PublicKeys {
            public_key_ecdsa: vault.public_key_ecdsa,
            public_key_eddsa: vault.public_key_eddsa,
            hex_chain_code: vault.hex_chain_code,
            chain_public_keys: vault.chain_public_keys,
        })?;
        Ok(Self { name, kind, created_at, keys, sealed: sealed.try_into()? })
    }

    /// The file's text.
    pub fn to_text(&self) -> String {
        let PublicKeys { public_key_ecdsa, public_key_eddsa, hex_chain_code, chain_public_keys } =
            self.keys.clone();
        let vault = Described {
            name: self.name.clone(),
            kind: self.kind,
            created_at: self.created_at,
            public_key_ecdsa,
            public_key_eddsa,
            hex_chain_code,
            chain_public_keys,
        };
        let sealed = Form::from(&self.sealed);
        let file = File { countersign: MAGIC.into(), version: VERSION, vault, sealed };
        serde_json::to_string(&file).unwrap_or_default()
    }

    /// Opens it. The password must be in NFKD already. Refused where the public side is not that of the secret: money
    /// sent to substituted addresses would be gone.
    pub fn open(&self, password: &str) -> Result<Secret, BackupError> {
        let secret = Secret::from_bytes(&self.sealed.open(password)?)?;
        let same = secret.kind() == self.kind && secret.public()? == self.keys;
        if same { Ok(secret) } else { Err(BackupError::Changed) }
    }
}

#[cfg(test)]
mod tests;
