//! Secrets come back from their bytes, and their private keys are those of their public side.

use super::*;
use crate::random::tests::Counter;
use chains::derive::child;
use chains::encoding::array_from_hex;
use chains::signing::{Image, PublicKey};
use proptest::prelude::*;

fn root() -> Secret {
    Secret::random(&mut Counter(0)).unwrap()
}

fn phrase() -> Secret {
    let phrase =
        Mnemonic::parse("legal winner thank year wave sausage worth useful legal winner thank yellow");
    Secret::phrase(phrase.unwrap(), "TREZOR").unwrap()
}

fn image(chain: Chain) -> Image {
    match chain.algorithm() {
        Algorithm::Ecdsa => Image::Ecdsa([7; 32]),
        _ => Image::Eddsa(b"to be signed".to_vec()),
    }
}

/// The key of each chain, found from the private side, is the one that the public side gives; and it signs.
#[test]
fn every_account_has_its_private_key() {
    for secret in [root(), phrase()] {
        let keys = public::keys(&secret.public().unwrap()).unwrap();
        let mut signed = 0;
        for chain in public::chains() {
            let key = secret.key(chain).unwrap();
            let account = keys.account(chain).unwrap();
            assert_eq!(key.public(), account.key, "{secret:?} {chain}");
            let signature = key.sign(&image(chain)).unwrap();
            assert!(account.key.verify(&image(chain), &signature).is_some(), "{secret:?} {chain}");
            signed += 1;
        }
        assert_eq!(signed, 38);
    }
}

/// A root vault lists no keys, since all follow from its root; a phrase's lists one for each chain, since none does.
#[test]
fn a_root_derives_and_a_phrase_lists() {
    let public = root().public().unwrap();
    assert_eq!(public.chain_public_keys, []);
    let ecdsa = array_from_hex("", &public.public_key_ecdsa).unwrap();
    let chain_code = array_from_hex("", &public.hex_chain_code).unwrap();
    let bitcoin = child(&ecdsa, &chain_code, "m/84'/0'/0'/0/0").unwrap();
    assert_eq!(root().key(Chain::Bitcoin).unwrap().public(), PublicKey::Secp256k1(bitcoin));
    let listed = phrase().public().unwrap().chain_public_keys;
    assert_eq!(listed.len(), 38);
    assert_eq!((root().kind(), phrase().kind()), (VaultKind::Local, VaultKind::Local));
}

#[test]
fn qbtc_has_no_key() {
    for secret in [root(), phrase()] {
        let error = secret.key(Chain::Qbtc).unwrap_err();
        assert_eq!(error, SecretError::Derive(DeriveError::Unsupported { chain: Chain::Qbtc }));
    }
}

#[test]
fn the_bytes_are_as_they_are_written_down() {
    let bytes = root().to_bytes();
    assert_eq!((bytes.len(), &bytes[..4]), (98, &[1, 1, 1, 2][..]));
    let bytes = phrase().to_bytes();
    assert_eq!(&bytes[..3], [1, 2, 16]);
    assert_eq!((&bytes[3..19], &bytes[19..]), (&[0x7f; 16][..], &b"TREZOR"[..]));
    for secret in [root(), phrase()] {
        let read = Secret::from_bytes(&secret.to_bytes()).unwrap();
        assert_eq!((read.to_bytes(), read.public()), (secret.to_bytes(), secret.public()));
    }
    assert_eq!(phrase().mnemonic().unwrap().entropy(), [0x7f; 16]);
    assert!(root().mnemonic().is_none());
}

#[test]
fn what_is_no_secret_is_refused_by_name() {
    let refused = |bytes: &[u8]| Secret::from_bytes(bytes).unwrap_err();
    assert_eq!(refused(&[]), SecretError::Malformed);
    assert_eq!(refused(&[2, 1]), SecretError::Version);
    assert_eq!(refused(&[1, 4, 0]), SecretError::Malformed);
    assert_eq!(refused(&[&[1, 1], [1; 97].as_slice()].concat()), SecretError::Malformed);
    assert_eq!(refused(&[&[1, 1], [0; 96].as_slice()].concat()), SecretError::OutOfRange);
    assert_eq!(refused(&[1, 2, 16, 0]), SecretError::Malformed);
    assert_eq!(refused(&[&[1, 2, 17], [0; 17].as_slice()].concat()), SecretError::Malformed);
    assert_eq!(refused(&[&[1, 2, 16], [0; 16].as_slice(), &[0xff]].concat()), SecretError::Malformed);
    assert_eq!(refused(&[1, 3, 0xff]), SecretError::Malformed);
    let long = "x".repeat(1025);
    let phrase = phrase().mnemonic().unwrap().clone();
    assert_eq!(Secret::phrase(phrase, &long).unwrap_err(), SecretError::Passphrase);
}

#[test]
fn a_secret_prints_nothing_of_itself() {
    assert_eq!(format!("{:?} {:?}", root(), phrase()), "Secret(root) Secret(phrase)");
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(kind in 0u8..5, bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let bytes = [&[1, kind], bytes.as_slice()].concat();
        if let Ok(secret) = Secret::from_bytes(&bytes) {
            prop_assert_eq!(&*secret.to_bytes(), &bytes);
        }
    }
}
