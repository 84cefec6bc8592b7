//! A secret, sealed with a password. JSON text:
//!
//! ```json
//! {"version":1,
//!  "kdf":{"name":"argon2id","memoryKib":65536,"passes":6,"lanes":1,"salt":"…16 bytes…"},
//!  "nonce":"…24 bytes…","ciphertext":"…"}
//! ```
//!
//! Bytes are in base64. Argon2id (version 0x13) of the password gives the key, XChaCha20-Poly1305 seals. What stands
//! before the nonce is authenticated with it, as `countersign seal ‖ version ‖ memory ‖ passes ‖ lanes ‖ salt`, the
//! numbers of four bytes in big endian: a container cannot be made to look stronger or weaker than it is. The
//! cipher's own tag is the only check; there is no early exit.
//!
//! An opened vault is kept for a while as [`seal_with_key`] writes it: base64 of `nonce ‖ ciphertext`.

mod parameters;

pub use parameters::Parameters;

use crate::random::{Random, RandomnessError};
use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use chains::encoding::{base64, from_base64};
use derive::Code;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

/// No container's text is longer. The largest secret is another wallet's backup, of some hundred kilobytes.
pub const MAX_BYTES: usize = 4 << 20;

const VERSION: u32 = 1;
const KDF: &str = "argon2id";
const SALT: usize = 16;
const NONCE: usize = 24;
const TAG: usize = 16;

/// Why sealing or opening failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, Code)]
pub enum SealError {
    /// Longer than [`MAX_BYTES`].
    #[error("a sealed vault has at most {MAX_BYTES} bytes")]
    #[code("seal_too_long")]
    TooLong,
    /// Not a container.
    #[error("not a sealed vault")]
    #[code("seal_malformed")]
    Malformed,
    /// Made by a later version.
    #[error("this vault was sealed by a later version")]
    #[code("seal_version")]
    Version,
    /// Limits of the work: checked before memory is allocated.
    #[error("the sealed vault asks for more work than is done, or for hardly any")]
    #[code("seal_parameters")]
    Parameters,
    /// There is not enough memory for the password's hash.
    #[error("there is not enough memory to open the vault")]
    #[code("out_of_memory")]
    Memory,
    /// A wrong password or a changed container; they cannot be told apart.
    #[error("the password is wrong")]
    WrongPassword,
    /// Another key, another purpose, or changed bytes.
    #[error("the key does not open this")]
    WrongKey,
    /// There is no randomness for salt and nonce.
    #[error(transparent)]
    NoRandomness(#[from] RandomnessError),
}

/// A container that was read and whose parameters are within bounds. Not opened yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Container {
    parameters: Parameters,
    salt: [u8; SALT],
    nonce: [u8; NONCE],
    ciphertext: Vec<u8>,
}

/// The JSON of a container. Unknown fields would not be authenticated.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Form {
    version: u32,
    kdf: KdfForm,
    nonce: String,
    ciphertext: String,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct KdfForm {
    name: String,
    memory_kib: u32,
    passes: u32,
    lanes: u32,
    salt: String,
}

/// What every version has.
#[derive(Deserialize)]
struct Versioned {
    version: u32,
}

/// Seals `plaintext`. The password must be in NFKD already.
pub fn seal(
    password: &str,
    plaintext: &[u8],
    parameters: Parameters,
    random: &mut dyn Random,
) -> Result<String, SealError> {
    Ok(Container::seal(password, plaintext, parameters, random)?.to_text())
}

/// Opens a container. The password must be in NFKD already.
pub fn open(password: &str, text: &str) -> Result<Zeroizing<Vec<u8>>, SealError> {
    Container::parse(text)?.open(password)
}

/// Seals what `text` holds with another password, and with parameters of today.
pub fn change_password(
    text: &str,
    password: &str,
    new_password: &str,
    parameters: Parameters,
    random: &mut dyn Random,
) -> Result<String, SealError> {
    seal(new_password, &open(password, text)?, parameters, random)
}

/// Seals with a key. `purpose` is authenticated: it must be the same when it is opened.
pub fn seal_with_key(
    key: &Zeroizing<[u8; 32]>,
    purpose: &[u8],
    plaintext: &[u8],
    random: &mut dyn Random,
) -> Result<String, SealError> {
    let mut nonce = [0; NONCE];
    random.fill(&mut nonce)?;
    let ciphertext = encrypt(key, &nonce, purpose, plaintext)?;
    Ok(base64(&[nonce.as_slice(), &ciphertext].concat()))
}

/// Opens what [`seal_with_key`] wrote.
pub fn open_with_key(
    key: &Zeroizing<[u8; 32]>,
    purpose: &[u8],
    text: &str,
) -> Result<Zeroizing<Vec<u8>>, SealError> {
    let bytes = bytes(text)?;
    let (nonce, ciphertext) = bytes.split_first_chunk::<NONCE>().ok_or(SealError::Malformed)?;
    decrypt(key, nonce, purpose, ciphertext).ok_or(SealError::WrongKey)
}

impl Container {
    fn seal(
        password: &str,
        plaintext: &[u8],
        parameters: Parameters,
        random: &mut dyn Random,
    ) -> Result<Self, SealError> {
        // In base64, with what stands around it: what is sealed must be readable again.
        if plaintext.len() > MAX_BYTES / 4 * 3 - 1024 {
            return Err(SealError::TooLong);
        }
        let (mut salt, mut nonce) = ([0; SALT], [0; NONCE]);
        random.fill(&mut salt)?;
        random.fill(&mut nonce)?;
        let key = parameters.key(password, &salt)?;
        let ciphertext = encrypt(&key, &nonce, &header(parameters, &salt), plaintext)?;
        Ok(Self { parameters, salt, nonce, ciphertext })
    }

    /// Reads a container's text. Takes no more memory than the text has, and does none of the work.
    pub fn parse(text: &str) -> Result<Self, SealError> {
        if text.len() > MAX_BYTES {
            return Err(SealError::TooLong);
        }
        let Versioned { version } = serde_json::from_str(text).map_err(|_| SealError::Malformed)?;
        if version != VERSION {
            return Err(SealError::Version);
        }
        let form: Form = serde_json::from_str(text).map_err(|_| SealError::Malformed)?;
        form.try_into()
    }

    /// Opens it. The password must be in NFKD already.
    pub fn open(&self, password: &str) -> Result<Zeroizing<Vec<u8>>, SealError> {
        let key = self.parameters.key(password, &self.salt)?;
        let header = header(self.parameters, &self.salt);
        decrypt(&key, &self.nonce, &header, &self.ciphertext).ok_or(SealError::WrongPassword)
    }

    /// Whether it is sealed with less work than is usual today: to be sealed anew when it is next opened.
    pub fn needs_upgrade(&self) -> bool {
        self.parameters.needs_upgrade()
    }

    /// The text, in its one spelling.
    pub fn to_text(&self) -> String {
        serde_json::to_string(&Form::from(self)).unwrap_or_default()
    }
}

impl TryFrom<Form> for Container {
    type Error = SealError;

    fn try_from(form: Form) -> Result<Self, SealError> {
        if form.version != VERSION {
            return Err(SealError::Version);
        }
        if form.kdf.name != KDF {
            return Err(SealError::Parameters);
        }
        let parameters = Parameters::checked(form.kdf.memory_kib, form.kdf.passes, form.kdf.lanes)?;
        let ciphertext = bytes(&form.ciphertext)?;
        if ciphertext.len() < TAG {
            return Err(SealError::Malformed);
        }
        Ok(Self { parameters, salt: array(&form.kdf.salt)?, nonce: array(&form.nonce)?, ciphertext })
    }
}

impl From<&Container> for Form {
    fn from(container: &Container) -> Self {
        let Parameters { memory_kib, passes, lanes } = container.parameters;
        let salt = base64(&container.salt);
        Self {
            version: VERSION,
            kdf: KdfForm { name: KDF.into(), memory_kib, passes, lanes, salt },
            nonce: base64(&container.nonce),
            ciphertext: base64(&container.ciphertext),
        }
    }
}

/// What is authenticated beside the secret.
fn header(parameters: Parameters, salt: &[u8; SALT]) -> Vec<u8> {
    let numbers = [VERSION, parameters.memory_kib, parameters.passes, parameters.lanes].map(u32::to_be_bytes);
    [b"countersign seal".as_slice(), numbers.as_flattened(), salt].concat()
}

fn encrypt(
    key: &Zeroizing<[u8; 32]>,
    nonce: &[u8; NONCE],
    aad: &[u8],
    plaintext: &[u8],
) -> Result<Vec<u8>, SealError> {
    let cipher = XChaCha20Poly1305::new((&**key).into());
    cipher.encrypt(&XNonce::from(*nonce), Payload { msg: plaintext, aad }).map_err(|_| SealError::TooLong)
}

fn decrypt(
    key: &Zeroizing<[u8; 32]>,
    nonce: &[u8; NONCE],
    aad: &[u8],
    ciphertext: &[u8],
) -> Option<Zeroizing<Vec<u8>>> {
    let cipher = XChaCha20Poly1305::new((&**key).into());
    cipher.decrypt(&XNonce::from(*nonce), Payload { msg: ciphertext, aad }).ok().map(Zeroizing::new)
}

fn bytes(text: &str) -> Result<Vec<u8>, SealError> {
    if text.len() > MAX_BYTES {
        return Err(SealError::TooLong);
    }
    from_base64("sealed", text).map_err(|_| SealError::Malformed)
}

fn array<const N: usize>(text: &str) -> Result<[u8; N], SealError> {
    bytes(text)?.try_into().map_err(|_| SealError::Malformed)
}

#[cfg(test)]
mod tests;
