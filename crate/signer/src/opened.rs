//! What is held of a vault while it is open.

use crate::error::AnswerError;
use chains::encoding::from_base64;
use vault::KeyRing;
use vault::seal::{SealError, open_with_key};
use wire::signer::Opened;
use zeroize::Zeroizing;

/// What was sealed for this purpose; the purpose is part of the seal.
pub(crate) fn open(opened: &Opened) -> Result<KeyRing, AnswerError> {
    let key = Zeroizing::new(from_base64("key", opened.key.expose()).map_err(|_| SealError::WrongKey)?);
    let key = key.as_slice().try_into().map(Zeroizing::new).map_err(|_| SealError::WrongKey)?;
    let keys = open_with_key(&key, opened.binding.as_bytes(), opened.sealed.expose())?;
    Ok(KeyRing::from_bytes(&keys)?)
}

/// The id of the vault that a copy was opened for: what its binding begins with.
pub(crate) fn vault_id(opened: &Opened) -> &str {
    opened.binding.split('/').next().unwrap_or_default()
}
