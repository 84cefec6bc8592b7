//! Signers of one round and of several.

use super::*;
use crate::random::tests::Counter;
use crate::{Mnemonic, Secret, public};
use chains::signing::PublicKey;
use chains::{Algorithm, Chain};
use std::cell::{Cell, RefCell};

fn secrets() -> [Secret; 2] {
    let phrase = Mnemonic::from_entropy(&[7; 32]).unwrap();
    [Secret::random(&mut Counter(0)).unwrap(), Secret::phrase(phrase, "").unwrap()]
}

fn account(secret: &Secret, chain: Chain) -> Account {
    public::keys(&secret.public().unwrap()).unwrap().account(chain).unwrap()
}

fn images(chain: Chain) -> Vec<Image> {
    match chain.algorithm() {
        Algorithm::Ecdsa => vec![Image::Ecdsa([1; 32]), Image::Ecdsa([2; 32])],
        _ => vec![Image::Eddsa(b"one".to_vec()), Image::Eddsa(b"two".to_vec())],
    }
}

/// As a transaction does with what it gets.
fn verified(key: PublicKey, images: &[Image], signatures: &[Signature]) -> usize {
    images.iter().zip(signatures).filter(|(image, signature)| key.verify(image, signature).is_some()).count()
}

#[tokio::test]
async fn signs_for_every_account_of_its_vault() {
    for secret in secrets() {
        let signer = LocalSigner::new(KeyRing::of(&secret).unwrap());
        for chain in public::chains() {
            let (account, images) = (account(&secret, chain), images(chain));
            let signatures = signer.sign(&account, &images, &Cancel::default()).await.unwrap();
            assert_eq!(verified(account.key, &images, &signatures), 2, "{chain}");
        }
    }
}

#[tokio::test]
async fn an_account_of_another_vault_is_not_signed_for() {
    let [root, phrase] = secrets();
    for chain in public::chains() {
        let foreign = account(&phrase, chain);
        let refused = LocalSigner::new(KeyRing::of(&root).unwrap())
            .sign(&foreign, &images(chain), &Cancel::default())
            .await;
        assert_eq!(refused, Err(SignerError::NotMine), "{chain}");
    }
}

#[tokio::test]
async fn an_image_of_another_scheme_is_not_signed() {
    let [root, _] = secrets();
    let bitcoin = account(&root, Chain::Bitcoin);
    let refused = LocalSigner::new(KeyRing::of(&root).unwrap())
        .sign(&bitcoin, &images(Chain::Solana), &Cancel::default())
        .await;
    assert_eq!(refused, Err(SignerError::Key(KeyError::WrongScheme)));
}

/// Needs three rounds with a peer for each image, as a threshold signer does.
struct Rounds<F: Fn(u32)> {
    key: LocalKey,
    done: Cell<u32>,
    after: F,
    said: RefCell<Vec<u32>>,
}

#[async_trait(?Send)]
impl<F: Fn(u32)> Signer for Rounds<F> {
    async fn sign(
        &self,
        _: &Account,
        images: &[Image],
        cancel: &Cancel,
    ) -> Result<Vec<Signature>, SignerError> {
        let mut signatures = Vec::new();
        for image in images {
            for _ in 0..3 {
                cancel.check()?;
                tokio::task::yield_now().await;
                self.done.set(self.done.get() + 1);
                self.said.borrow_mut().push(self.done.get());
                (self.after)(self.done.get());
            }
            signatures.push(self.key.sign(image)?);
        }
        Ok(signatures)
    }
}

fn rounds<F: Fn(u32)>(secret: &Secret, after: F) -> Rounds<F> {
    let key = secret.key(Chain::Solana).unwrap();
    Rounds { key, done: Cell::new(0), after, said: RefCell::new(Vec::new()) }
}

#[tokio::test]
async fn a_signer_of_several_rounds_fits() {
    let [secret, _] = secrets();
    let (account, images) = (account(&secret, Chain::Solana), images(Chain::Solana));
    let signer: Box<dyn Signer> = Box::new(rounds(&secret, |_| {}));
    let signatures = signer.sign(&account, &images, &Cancel::default()).await.unwrap();
    assert_eq!(verified(account.key, &images, &signatures), 2);
}

/// Cancelled in the fourth round, it begins no fifth, and gives none of the signatures that it has.
#[tokio::test]
async fn a_signer_is_cancelled_between_two_rounds() {
    let [secret, _] = secrets();
    let (account, images) = (account(&secret, Chain::Solana), images(Chain::Solana));
    let cancel = Cancel::default();
    let other_hand = cancel.clone();
    let signer = rounds(&secret, |round| {
        if round == 4 {
            other_hand.cancel()
        }
    });
    assert_eq!(signer.sign(&account, &images, &cancel).await, Err(SignerError::Cancelled));
    assert_eq!(*signer.said.borrow(), [1, 2, 3, 4]);
    let local = LocalSigner::new(KeyRing::of(&secret).unwrap());
    assert_eq!(local.sign(&account, &images, &cancel).await, Err(SignerError::Cancelled));
}
