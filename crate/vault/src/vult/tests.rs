//! Files written here and read again; files that others wrote are in `tests/vectors/vault/`.

use super::*;
use crate::SecretError;
use crate::proto::vultisig::vault::v1::vault::KeyShare;
use chains::encoding::base64 as to_base64;
use proptest::prelude::*;
use wire::vault::VaultKind;

const GENERATOR: &str = "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798";
const POINT: &str = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";

fn vault() -> Vault {
    let share = KeyShare { public_key: GENERATOR.into(), keyshare: "c2VjcmV0".into() };
    Vault {
        name: "Savings".into(),
        public_key_ecdsa: GENERATOR.into(),
        public_key_eddsa: POINT.into(),
        hex_chain_code: "ab".repeat(32),
        key_shares: vec![share],
        ..Vault::default()
    }
}

fn listed(chain: &str) -> Listed {
    Listed { public_key: GENERATOR.into(), chain: chain.into(), is_eddsa: false }
}

fn file(inner: &[u8], is_encrypted: bool) -> String {
    let container = VaultContainer { version: 1, vault: to_base64(inner), is_encrypted };
    to_base64(&container.encode_to_vec())
}

fn encrypted(key: &[u8; 32], before: &[u8], plaintext: &[u8]) -> Vec<u8> {
    let nonce = [9; NONCE];
    let hidden = Aes256Gcm::new(key.into()).encrypt(&Nonce::from(nonce), plaintext).unwrap();
    [before, &nonce, &hidden].concat()
}

fn legacy(plaintext: &[u8]) -> Vec<u8> {
    encrypted(&Sha256::digest(b"p").into(), &[], plaintext)
}

fn marked(plaintext: &[u8]) -> Vec<u8> {
    let mut key = [0; 32];
    pbkdf2_hmac::<Sha256>(b"p", &[5; SALT], ROUNDS, &mut key);
    encrypted(&key, &[MARKER, &[5; SALT]].concat(), plaintext)
}

#[test]
fn a_vault_is_read_and_its_bytes_are_kept() {
    let bytes = vault().encode_to_vec();
    for (text, password) in [
        (file(&bytes, false), ""),
        (format!("\n{}\n", file(&bytes, false)), "not needed"),
        (file(&legacy(&bytes), true), "p"),
        (file(&marked(&bytes), true), "p"),
    ] {
        let Vult { name, secret } = read(&text, password).unwrap();
        let public = secret.public().unwrap();
        assert_eq!((name.as_str(), public.public_key_ecdsa.as_str()), ("Savings", GENERATOR));
        assert_eq!(secret.to_bytes()[2..], bytes);
        assert_eq!(Secret::from_bytes(&secret.to_bytes()).unwrap().public(), Ok(public));
        assert_eq!(secret.kind(), VaultKind::Shares);
        assert_eq!(secret.key(Chain::Bitcoin).unwrap_err(), SecretError::Shares);
        assert_eq!(format!("{secret:?}"), "Secret(shares)");
    }
}

#[test]
fn passwords_are_asked_for_and_checked() {
    let bytes = vault().encode_to_vec();
    for blob in [legacy(&bytes), marked(&bytes)] {
        let refused = |password| read(&file(&blob, true), password).unwrap_err();
        assert_eq!([refused(""), refused("q")], [VultError::PasswordNeeded, VultError::WrongPassword]);
    }
}

/// A blob that opens in the old form, were it not for its marker: the nonce itself begins with it.
#[test]
fn what_has_the_marker_is_never_tried_in_the_old_form() {
    let mut nonce = [9; NONCE];
    nonce[..4].copy_from_slice(MARKER);
    let key: [u8; 32] = Sha256::digest(b"p").into();
    let hidden = Aes256Gcm::new(&key.into()).encrypt(&Nonce::from(nonce), &*vault().encode_to_vec()).unwrap();
    let text = file(&[nonce.as_slice(), &hidden].concat(), true);
    assert_eq!(read(&text, "p").unwrap_err(), VultError::WrongPassword);
}

#[test]
fn a_vault_of_a_seed_phrase_lists_the_keys_that_are_known() {
    let with = |chains: &[&str]| {
        let chain_public_keys = chains.iter().map(|chain| listed(chain)).collect();
        let vault = Vault { chain_public_keys, ..vault() };
        Ok::<_, VultError>(public(&vault.encode_to_vec())?.1.chain_public_keys)
    };
    let names = |chains: &[&str]| with(chains).unwrap().into_iter().map(|key| key.chain).collect::<Vec<_>>();
    assert_eq!(names(&["ethereum", "Later", "QBTC", "Bitcoin-Cash"]), ["Ethereum", "Bitcoin-Cash"]);
    assert_eq!(with(&["Later", "QBTC"]), Err(PublicKeysError::UnknownChain.into()));
}

#[test]
fn what_is_no_vault_is_refused_by_name() {
    let refused = |text: &str| read(text, "p").unwrap_err();
    assert_eq!(refused("not base64!"), VultError::Malformed);
    assert_eq!(refused(&to_base64(b"\xff\xff")), VultError::Malformed);
    assert_eq!(refused(&file(b"\xff\xff", false)), VultError::Malformed);
    assert_eq!(refused(&file(MARKER, true)), VultError::Malformed);
    assert_eq!(refused(&file(&[0; 11], true)), VultError::Malformed);
    assert_eq!(refused(&"A".repeat(MAX_BYTES + 1)), VultError::TooLong);
    let keyless = Vault { public_key_ecdsa: String::new(), ..vault() };
    assert_eq!(refused(&file(&keyless.encode_to_vec(), false)).code(), "malformed_key");
    // Two bytes each, and each would be a string of its own.
    assert_eq!(refused(&file(&[0x22, 0].repeat(MAX_FIELDS + 1), false)), VultError::Malformed);
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in ".*", bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(read(&text, "").is_err());
        prop_assert!(read(&to_base64(&bytes), "").is_err());
        prop_assert!(read(&file(&bytes, false), "").is_err());
        prop_assert!(read(&file(&legacy(&bytes), true), "p").is_err());
    }

    /// A vault with one byte changed: read, or refused.
    #[test]
    fn a_changed_vault_is_read_or_refused(place in 0usize..300, byte: u8) {
        let mut bytes = vault().encode_to_vec();
        let place = place % bytes.len();
        bytes[place] = byte;
        if let Ok(Vult { secret, .. }) = read(&file(&bytes, false), "") {
            prop_assert_eq!(&secret.to_bytes()[2..], bytes);
        }
    }
}
