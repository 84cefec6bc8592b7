//! `.vult`, the backup of a Vultisig vault: the base64 text of a `VaultContainer` (`proto/vault.proto`).
//!
//! In it is, again in base64, a `Vault` or what hides one: `VLT\x02 ‖ salt 16 ‖ nonce 12 ‖ AES-256-GCM`, the key by
//! PBKDF2-HMAC-SHA-256 with 600 000 rounds. Older files have no marker, `nonce 12 ‖ AES-256-GCM`, and the SHA-256 of
//! the password as key. What has the marker is never tried in the old form: that would be a way around the rounds.

use crate::Secret;
use crate::proto::vultisig::vault::v1::vault::ChainPublicKey as Listed;
use crate::proto::vultisig::vault::v1::{Vault, VaultContainer};
use crate::public::{self, PublicKeysError};
use aes_gcm::aead::{Aead as _, KeyInit as _};
use aes_gcm::{Aes256Gcm, Nonce};
use chains::Chain;
use chains::encoding::from_base64;
use derive::Code;
use pbkdf2::pbkdf2_hmac;
use prost::Message as _;
use prost::encoding::{DecodeContext, decode_key, skip_field};
use sha2::{Digest as _, Sha256};
use wire::vault::{ChainPublicKey, PublicKeys};
use zeroize::{Zeroize as _, Zeroizing};

/// No file is longer; one with shares for every chain has some hundred kilobytes.
pub const MAX_BYTES: usize = 4 << 20;

/// A vault has a dozen fields, and one or two for each chain and device.
const MAX_FIELDS: usize = 1024;

const MARKER: &[u8] = b"VLT\x02";
const ROUNDS: u32 = 600_000;
const SALT: usize = 16;
const NONCE: usize = 12;

/// A vault that was read from a file.
#[derive(Debug, Clone)]
pub struct Vult {
    /// Its display name.
    pub name: String,
    /// Its shares, kept as they came.
    pub secret: Secret,
}

/// Why a file cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, Code)]
pub enum VultError {
    /// Longer than [`MAX_BYTES`].
    #[error("a .vult file has at most {MAX_BYTES} bytes")]
    #[code("vult_too_long")]
    TooLong,
    /// Not such a file.
    #[error("not a .vult file")]
    #[code("vult_malformed")]
    Malformed,
    /// It is encrypted, and no password was given.
    #[error("the file needs its password")]
    #[code("file_password_needed")]
    PasswordNeeded,
    /// Another password, or the file was changed.
    #[error("the file's password is wrong")]
    #[code("wrong_file_password")]
    WrongPassword,
    /// A vault with invalid keys.
    #[error(transparent)]
    #[code(transparent)]
    PublicKeys(#[from] PublicKeysError),
}

/// Reads a file. An empty password is none; another must be spelt as it was when the file was written.
pub fn read(text: &str, password: &str) -> Result<Vult, VultError> {
    if text.len() > MAX_BYTES {
        return Err(VultError::TooLong);
    }
    let bytes = Zeroizing::new(base64(text)?);
    let mut container = VaultContainer::decode(bytes.as_slice()).map_err(|_| VultError::Malformed)?;
    let inner = base64(&container.vault).map(Zeroizing::new);
    container.vault.zeroize();
    let vault = if container.is_encrypted { decrypt(&inner?, password)? } else { inner? };
    let (name, _) = public(&vault)?;
    Ok(Vult { name, secret: Secret::shares(vault)? })
}

/// The name and the public side of a vault message.
pub(crate) fn public(vault: &[u8]) -> Result<(String, PublicKeys), VultError> {
    // Two bytes can make an entry that takes fifty: their number is bounded, not only their length.
    if fields(vault).is_none_or(|count| count > MAX_FIELDS) {
        return Err(VultError::Malformed);
    }
    let mut vault = Vault::decode(vault).map_err(|_| VultError::Malformed)?;
    vault.key_shares.iter_mut().for_each(|share| share.keyshare.zeroize());
    let public = PublicKeys {
        public_key_ecdsa: vault.public_key_ecdsa,
        public_key_eddsa: vault.public_key_eddsa,
        hex_chain_code: vault.hex_chain_code,
        chain_public_keys: vault.chain_public_keys.iter().filter_map(known).collect(),
    };
    // Without its keys such a vault would look like one that derives them.
    if public.chain_public_keys.is_empty() && !vault.chain_public_keys.is_empty() {
        return Err(PublicKeysError::UnknownChain.into());
    }
    Ok((vault.name, public::check(&public)?))
}

/// Chains of later versions, and those whose keys are of another kind, are left out.
fn known(listed: &Listed) -> Option<ChainPublicKey> {
    let chain = Chain::parse(&listed.chain).filter(|chain| chain.derivation_path().is_some())?;
    Some(ChainPublicKey { chain: chain.name().to_owned(), public_key: listed.public_key.clone() })
}

fn fields(mut message: &[u8]) -> Option<usize> {
    let mut count = 0;
    while !message.is_empty() {
        let (tag, kind) = decode_key(&mut message).ok()?;
        skip_field(kind, tag, &mut message, DecodeContext::default()).ok()?;
        count += 1;
    }
    Some(count)
}

fn decrypt(blob: &[u8], password: &str) -> Result<Zeroizing<Vec<u8>>, VultError> {
    if password.is_empty() {
        return Err(VultError::PasswordNeeded);
    }
    let mut key = Zeroizing::new([0; 32]);
    let hidden = if let Some(blob) = blob.strip_prefix(MARKER) {
        let (salt, hidden) = blob.split_at_checked(SALT).ok_or(VultError::Malformed)?;
        pbkdf2_hmac::<Sha256>(password.as_bytes(), salt, ROUNDS, key.as_mut_slice());
        hidden
    } else {
        *key = Sha256::digest(password.as_bytes()).into();
        blob
    };
    let (nonce, ciphertext) = hidden.split_first_chunk::<NONCE>().ok_or(VultError::Malformed)?;
    let opened = Aes256Gcm::new((&*key).into()).decrypt(&Nonce::from(*nonce), ciphertext);
    opened.map(Zeroizing::new).map_err(|_| VultError::WrongPassword)
}

fn base64(text: &str) -> Result<Vec<u8>, VultError> {
    from_base64("vult", text.trim()).map_err(|_| VultError::Malformed)
}

#[cfg(test)]
mod tests;
