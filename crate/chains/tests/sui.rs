//! Sui: what holds for any bytes and any signature.

#![expect(clippy::unwrap_used, reason = "a test's own mistake must fail it")]

use countersign_chains::signing::{PublicKey, Signature};
use countersign_chains::{Account, Chain, unsigned};
use ed25519_dalek::{Signer, SigningKey};
use proptest::prelude::*;
use std::sync::LazyLock;

/// A transfer of 1000 MIST by the account whose key is `[7; 32]`, paid with one coin.
fn transfer(sender: &[u8], expiration: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0, 0, 2, 0, 8];
    bytes.extend(1000u64.to_le_bytes());
    bytes.extend([0, 32]);
    bytes.extend([0xbb; 32]);
    // SplitCoins(gas, [input 0]), TransferObjects([result (0, 0)], input 1).
    bytes.extend([2, 2, 0, 1, 1, 0, 0, 1, 1, 3, 0, 0, 0, 0, 1, 1, 0]);
    bytes.extend(sender);
    bytes.push(1);
    bytes.extend([0x11; 32]);
    bytes.extend(5u64.to_le_bytes());
    bytes.push(32);
    bytes.extend([0x22; 32]);
    bytes.extend(sender);
    bytes.extend(750u64.to_le_bytes());
    bytes.extend(3_000_000u64.to_le_bytes());
    bytes.extend(expiration);
    bytes
}

fn key() -> SigningKey {
    SigningKey::from_bytes(&[7; 32])
}

/// Making the key again for every case would be the slowest part.
static ACCOUNT: LazyLock<Account> = LazyLock::new(|| {
    let address = "0xa9a4bac7957a88ab52b4ac0e90e2a7acc35e6a5fa1d1b1f3c1fc7bd5e9a9d6cb".to_owned();
    Account { chain: Chain::Sui, key: PublicKey::Ed25519(key().verifying_key().to_bytes()), address }
});

fn sender() -> Vec<u8> {
    countersign_chains::encoding::from_hex("address", &ACCOUNT.address).unwrap()
}

fn read(bytes: &[u8]) -> Result<countersign_chains::Transaction, countersign_chains::TransactionError> {
    let hex = countersign_chains::encoding::hex(bytes);
    unsigned::transaction(&hex, &ACCOUNT, &unsigned::Context::default())
}

#[test]
fn one_signature_beside_the_bytes() {
    let bytes = transfer(&sender(), &[0]);
    let transaction = read(&bytes).unwrap();
    let [image] = transaction.images() else { panic!("one image") };
    let signature = key().sign(image.as_bytes());
    let signed = transaction.compile(&[Signature(signature.to_bytes())]).unwrap();
    assert_eq!(signed.bytes, bytes);
    let expected = [&[0][..], &signature.to_bytes(), key().verifying_key().as_bytes()].concat();
    assert_eq!(signed.detached, Some(expected));
}

/// Each of the 512 bits of a signature counts.
#[test]
fn no_bit_of_a_signature_may_change() {
    let transaction = read(&transfer(&sender(), &[1, 9, 0, 0, 0, 0, 0, 0, 0])).unwrap();
    let signature = key().sign(transaction.images()[0].as_bytes()).to_bytes();
    for bit in 0..512 {
        let mut changed = signature;
        changed[bit / 8] ^= 1 << (bit % 8);
        assert!(transaction.compile(&[Signature(changed)]).is_err(), "bit {bit}");
    }
    assert!(transaction.compile(&[]).is_err());
    assert!(transaction.compile(&[Signature(signature), Signature(signature)]).is_err());
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = read(&bytes);
    }

    /// Noise behind a good beginning gets further than noise alone.
    #[test]
    fn any_end_is_read_or_refused(keep in 0usize..240, rest in prop::collection::vec(any::<u8>(), 0..200)) {
        let good = transfer(&sender(), &[0]);
        let bytes = [&good[..keep.min(good.len())], &rest].concat();
        if let Ok(transaction) = read(&bytes) {
            let _ = transaction.explain();
        }
    }
}
