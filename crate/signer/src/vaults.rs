//! Vaults: made, opened for a while, sealed anew, written to a file.
//!
//! Passwords go through NFKD before anything is made of them. A `.vult` file's is taken as it is: the wallet that wrote
//! the file did so.

use crate::common::is_common;
use crate::device::Device;
use crate::error::AnswerError;
use chains::encoding::base64;
use vault::backup::Backup;
use vault::seal::{Container, Parameters, SealError, seal, seal_with_key};
use vault::{KeyRing, Mnemonic, Secret, public, vult};
use wire::api::Millis;
use wire::secret::SecretText;
use wire::signer::{Opened, Origin, Refusal, Reply};
use wire::vault::{PublicKeys, VaultKind};
use zeroize::Zeroizing;

type Answer = Result<Reply, Refusal>;

/// Makes a vault of what was brought, or of chance, and seals it.
pub(crate) fn create(
    name: String,
    password: &SecretText,
    origin: &Origin,
    device: &mut dyn Device,
) -> Answer {
    let password = device.nfkd(password.expose());
    if !matches!(origin, Origin::File { .. }) {
        uncommon(&password, "password")?;
    }
    let secret = match origin {
        Origin::Random => Secret::random(device).map_err(AnswerError::from)?,
        Origin::Phrase { words, passphrase } => phrase(words, passphrase, device)?,
        Origin::Keys { ecdsa, eddsa, chain_code } => keys(ecdsa, eddsa, chain_code)?,
        Origin::File { text, file_password } => {
            return Ok(from_file(name, &password, text, file_password, device)?);
        }
    };
    Ok(sealed(name, &password, &secret, device)?)
}

/// Checks public keys, and derives their accounts.
pub(crate) fn watch(name: String, keys: &PublicKeys) -> Answer {
    let keys = public::check(keys).map_err(AnswerError::from)?;
    Ok(vault(name, VaultKind::Watch, keys, None)?)
}

/// Opens a vault: its keys, without what they were derived from, are sealed with a key that was never used, for one
/// purpose.
pub(crate) fn unlock(
    sealed: &str,
    password: &SecretText,
    binding: String,
    device: &mut dyn Device,
) -> Answer {
    let password = device.nfkd(password.expose());
    Ok(unlocked(sealed, &password, binding, device)?)
}

/// Whether the password is right.
pub(crate) fn check_password(sealed: &str, password: &SecretText, device: &mut dyn Device) -> Answer {
    let password = device.nfkd(password.expose());
    open(sealed, &password).map_err(AnswerError::from)?;
    Ok(Reply::Done {})
}

/// Seals with another password.
pub(crate) fn change_password(
    sealed: &str,
    password: &SecretText,
    new_password: &SecretText,
    device: &mut dyn Device,
) -> Answer {
    let (password, new_password) = (device.nfkd(password.expose()), device.nfkd(new_password.expose()));
    uncommon(&new_password, "newPassword")?;
    let (_, secret) = open(sealed, &password).map_err(AnswerError::from)?;
    let sealed = seal_here(&new_password, &secret, device).map_err(AnswerError::from)?;
    Ok(Reply::Sealed { sealed })
}

/// What a backup file is made of.
pub(crate) struct File {
    pub(crate) name: String,
    pub(crate) kind: VaultKind,
    pub(crate) keys: PublicKeys,
    pub(crate) created_at: Millis,
    pub(crate) sealed: String,
}

/// A backup file, if the password opens it and its keys are those of the secret: one that does not open is no backup.
pub(crate) fn export(file: File, password: &SecretText, device: &mut dyn Device) -> Answer {
    let File { name, kind, keys, created_at, sealed } = file;
    let password = device.nfkd(password.expose());
    let sealed = Container::parse(&sealed).map_err(AnswerError::from)?;
    let backup = Backup { name, kind, created_at, keys, sealed };
    match backup.open(&password) {
        Ok(_) => Ok(Reply::File { text: backup.to_text() }),
        // Here it is the vault's own.
        Err(vault::backup::BackupError::Seal(error)) => Err(AnswerError::from(error).into()),
        Err(error) => Err(AnswerError::from(error).into()),
    }
}

fn phrase(
    words: &SecretText,
    passphrase: &SecretText,
    device: &mut dyn Device,
) -> Result<Secret, AnswerError> {
    let phrase = Mnemonic::parse(&device.nfkd(words.expose()))?;
    Ok(Secret::phrase(phrase, &device.nfkd(passphrase.expose()))?)
}

fn keys(ecdsa: &SecretText, eddsa: &SecretText, chain_code: &SecretText) -> Result<Secret, AnswerError> {
    let ecdsa = private_key("keys/ecdsa", ecdsa)?;
    let eddsa = private_key("keys/eddsa", eddsa)?;
    Ok(Secret::root(ecdsa, eddsa, private_key("keys/chainCode", chain_code)?)?)
}

/// Read in place: no copy of a key is left behind.
fn private_key(field: &'static str, text: &SecretText) -> Result<Zeroizing<[u8; 32]>, AnswerError> {
    let text = text.expose().trim();
    let (pairs, []) = text.strip_prefix("0x").unwrap_or(text).as_bytes().as_chunks::<2>() else {
        return Err(AnswerError::PrivateKey { field });
    };
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let mut key = Zeroizing::new([0; 32]);
    if pairs.len() != key.len() {
        return Err(AnswerError::PrivateKey { field });
    }
    for (byte, [high, low]) in key.iter_mut().zip(pairs) {
        let value = digit(*high).zip(digit(*low)).map(|(high, low)| high << 4 | low);
        *byte = value.and_then(|value| value.try_into().ok()).ok_or(AnswerError::PrivateKey { field })?;
    }
    Ok(key)
}

/// The password that a vault gets must not be among those that are tried first.
fn uncommon(password: &str, field: &'static str) -> Result<(), AnswerError> {
    if is_common(password) { Err(AnswerError::CommonPassword { field }) } else { Ok(()) }
}

/// A backup of ours is JSON and stays sealed as it is; everything else is taken for another wallet's. A backup with a
/// common password gets the new one: refusing the file would lock its owner out.
fn from_file(
    name: String,
    password: &str,
    text: &SecretText,
    file_password: &SecretText,
    device: &mut dyn Device,
) -> Result<Reply, AnswerError> {
    let named = |own: String| if name.trim().is_empty() { own } else { name.clone() };
    if !text.expose().trim_start().starts_with('{') {
        uncommon(password, "password")?;
        let vult = vult::read(text.expose(), file_password.expose())?;
        return sealed(named(vult.name), password, &vult.secret, device);
    }
    let backup = Backup::parse(text.expose())?;
    let given = device.nfkd(file_password.expose());
    let own_password = if given.is_empty() { password } else { &given };
    let secret = backup.open(own_password)?;
    let sealed = if is_common(own_password) {
        uncommon(password, "password")?;
        seal_here(password, &secret.to_bytes(), device)?
    } else if backup.sealed.needs_upgrade() {
        seal_here(own_password, &secret.to_bytes(), device)?
    } else {
        backup.sealed.to_text()
    };
    vault(named(backup.name), backup.kind, backup.keys, Some(sealed))
}

fn sealed(
    name: String,
    password: &str,
    secret: &Secret,
    device: &mut dyn Device,
) -> Result<Reply, AnswerError> {
    let sealed = seal_here(password, &secret.to_bytes(), device)?;
    vault(name, secret.kind(), secret.public()?, Some(sealed))
}

fn vault(
    name: String,
    kind: VaultKind,
    keys: PublicKeys,
    sealed: Option<String>,
) -> Result<Reply, AnswerError> {
    let accounts = public::accounts(&keys)?;
    Ok(Reply::Vault { name: name.trim().to_owned(), kind, keys, accounts, sealed })
}

fn unlocked(
    sealed: &str,
    password: &str,
    binding: String,
    device: &mut dyn Device,
) -> Result<Reply, AnswerError> {
    let (container, secret) = open(sealed, password)?;
    let resealed = container.needs_upgrade().then(|| seal_here(password, &secret, device)).transpose()?;
    let mut key = Zeroizing::new([0; 32]);
    device.fill(key.as_mut_slice()).map_err(SealError::from)?;
    let keys = KeyRing::of(&Secret::from_bytes(&secret)?)?.to_bytes();
    let sealed = SecretText::new(seal_with_key(&key, binding.as_bytes(), &keys, device)?);
    let key = SecretText::new(base64(key.as_slice()));
    Ok(Reply::Opened { opened: Opened { sealed, key, binding }, resealed })
}

fn open(sealed: &str, password: &str) -> Result<(Container, Zeroizing<Vec<u8>>), SealError> {
    let container = Container::parse(sealed)?;
    let secret = container.open(password)?;
    Ok((container, secret))
}

/// Seals with as much work as this device does in about half a second. The least is done first, and timed.
fn seal_here(password: &str, secret: &[u8], device: &mut dyn Device) -> Result<String, SealError> {
    let start = device.millis();
    let least = seal(password, secret, Parameters::MINIMUM, device)?;
    // A number that does not fit becomes the nearest that does.
    let chosen = Parameters::chosen_for((device.millis() - start) as u32);
    if chosen == Parameters::MINIMUM { Ok(least) } else { seal(password, secret, chosen, device) }
}
