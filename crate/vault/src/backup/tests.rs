//! A backup gives back the vault that it is of, or nothing.

use super::*;
use crate::random::tests::Counter;
use crate::seal::Parameters;
use crate::{Mnemonic, public};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::LazyLock;

/// Made once: the keys of 38 chains, and a password's hash.
static TEXT: LazyLock<String> = LazyLock::new(|| of(&secret()).to_text());

fn secret() -> Secret {
    Secret::phrase(Mnemonic::from_entropy(&[7; 16]).unwrap(), "").unwrap()
}

fn of(secret: &Secret) -> Backup {
    let sealed = seal::seal("p", &secret.to_bytes(), Parameters::QUICK, &mut Counter(0)).unwrap();
    Backup {
        name: "Savings".into(),
        kind: secret.kind(),
        created_at: 1_700_000_000_000,
        keys: secret.public().unwrap(),
        sealed: Container::parse(&sealed).unwrap(),
    }
}

fn changed(change: impl Fn(&mut Value)) -> String {
    let mut file: Value = serde_json::from_str(&TEXT).unwrap();
    change(&mut file);
    file.to_string()
}

#[test]
fn a_vault_comes_back_with_its_password() {
    for secret in [secret(), Secret::random(&mut Counter(3)).unwrap()] {
        let backup = of(&secret);
        let read = Backup::parse(&backup.to_text()).unwrap();
        assert_eq!(read, backup);
        assert_eq!(read.open("p").unwrap().to_bytes(), secret.to_bytes());
        assert_eq!(read.open("q").unwrap_err(), BackupError::Seal(SealError::WrongPassword));
    }
}

/// The form is fixed: other versions of us must read it.
#[test]
fn the_text_is_as_it_is_written_down() {
    let secret = Secret::random(&mut Counter(3)).unwrap();
    let (backup, keys) = (of(&secret), secret.public().unwrap());
    let sealed: Value = serde_json::from_str(&backup.sealed.to_text()).unwrap();
    let expected = json!({"countersign": "backup", "version": 1, "sealed": sealed, "vault": {
        "name": "Savings", "kind": "local", "createdAt": 1_700_000_000_000u64,
        "publicKeyEcdsa": keys.public_key_ecdsa, "publicKeyEddsa": keys.public_key_eddsa,
        "hexChainCode": keys.hex_chain_code}});
    assert_eq!(serde_json::from_str::<Value>(&backup.to_text()).unwrap(), expected);
}

/// Otherwise a changed file could make a person receive to an attacker's addresses.
#[test]
fn a_swapped_public_side_is_refused() {
    let other = of(&Secret::random(&mut Counter(9)).unwrap());
    let mut another_vault = of(&secret());
    another_vault.keys = other.keys.clone();
    assert_eq!(another_vault.open("p").unwrap_err(), BackupError::Changed);

    let mut one_key = of(&secret());
    one_key.keys.chain_public_keys[0].public_key = other.keys.public_key_ecdsa;
    assert!(public::check(&one_key.keys).is_ok());
    assert_eq!(Backup::parse(&one_key.to_text()).unwrap().open("p").unwrap_err(), BackupError::Changed);

    let mut fewer = of(&secret());
    fewer.keys.chain_public_keys.clear();
    assert_eq!(fewer.open("p").unwrap_err(), BackupError::Changed);

    let shares = Backup { kind: VaultKind::Shares, ..of(&secret()) };
    assert_eq!(shares.open("p").unwrap_err(), BackupError::Changed);
}

#[test]
fn what_is_no_backup_is_refused_by_name() {
    let refused = |change: fn(&mut Value)| Backup::parse(&changed(change)).unwrap_err();
    assert_eq!(refused(|file| file["countersign"] = json!("else")), BackupError::Malformed);
    assert_eq!(refused(|file| file["version"] = json!(2)), BackupError::Version);
    assert_eq!(refused(|file| file["vault"]["name"] = json!(1)), BackupError::Malformed);
    assert_eq!(refused(|file| file["vault"]["publicKeyEcdsa"] = json!("")).code(), "malformed_key");
    assert_eq!(refused(|file| file["sealed"]["version"] = json!(2)), BackupError::Seal(SealError::Version));
    let memory = |file: &mut Value| file["sealed"]["kdf"]["memoryKib"] = json!(u32::MAX);
    assert_eq!(refused(memory), BackupError::Seal(SealError::Parameters));
    assert_eq!(Backup::parse(&" ".repeat(MAX_BYTES + 1)).unwrap_err(), BackupError::TooLong);
    let mut junk = of(&secret());
    let sealed = seal::seal("p", b"junk", Parameters::QUICK, &mut Counter(0)).unwrap();
    junk.sealed = Container::parse(&sealed).unwrap();
    assert_eq!(junk.open("p").unwrap_err(), BackupError::Secret(SecretError::Version));
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in ".*", json in "[\\{\\}\"a-z0-9:,]*") {
        prop_assert!(Backup::parse(&text).is_err());
        prop_assert!(Backup::parse(&json).is_err());
    }

    /// One byte anywhere in the file: refused, or a file that was read.
    #[test]
    fn a_changed_file_is_read_or_refused(place: usize, byte in 32u8..127) {
        let mut text = TEXT.clone().into_bytes();
        let place = place % text.len();
        text[place] = byte;
        let text = String::from_utf8(text).unwrap();
        if let Ok(backup) = Backup::parse(&text) {
            prop_assert_eq!(Backup::parse(&backup.to_text()), Ok(backup));
        }
    }
}
