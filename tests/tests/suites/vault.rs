//! Vaults made by other libraries (`tests/oracle/vault.mjs`): phrases with their accounts, and files.
#![allow(clippy::unwrap_used, reason = "what a test arranges may fail the test")]

use chains::encoding::{array_from_hex, hex};
use chains::signing::Image;
use chains::{Account, Algorithm, Chain};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::path::Path;
use vault::{Cancel, KeyRing, LocalSigner, Mnemonic, Secret, Signer as _, public, vult};
use wire::vault::PublicKeys;

#[derive(Deserialize)]
struct Phrase {
    name: String,
    words: String,
    passphrase: String,
    message: String,
    #[serde(flatten)]
    root: Root,
    chains: Vec<OnChain>,
}

#[derive(Deserialize)]
struct File {
    name: String,
    password: String,
    #[serde(flatten)]
    root: Root,
    chains: Vec<Listed>,
    text: String,
}

#[derive(Deserialize, Debug, PartialEq)]
struct Root {
    ecdsa: String,
    eddsa: String,
    chain_code: String,
}

#[derive(Deserialize)]
struct OnChain {
    chain: String,
    public_key_hex: String,
    address: String,
    signature: String,
}

#[derive(Deserialize, Debug, PartialEq)]
struct Listed {
    chain: String,
    public_key_hex: String,
}

fn vectors<T: DeserializeOwned>(file: &str) -> Vec<T> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/vault");
    serde_json::from_str(&std::fs::read_to_string(folder.join(file)).unwrap()).unwrap()
}

fn root(public: &PublicKeys) -> Root {
    let PublicKeys { public_key_ecdsa, public_key_eddsa, hex_chain_code, .. } = public.clone();
    Root { ecdsa: public_key_ecdsa, eddsa: public_key_eddsa, chain_code: hex_chain_code }
}

fn secret(phrase: &Phrase) -> Secret {
    Secret::phrase(Mnemonic::parse(&phrase.words).unwrap(), &phrase.passphrase).unwrap()
}

/// A phrase derives the same keys and addresses as other libraries, on every chain.
#[test]
fn phrase_derives_the_same_accounts() {
    let phrases: Vec<Phrase> = vectors("phrases.json");
    assert!(phrases.len() >= 5);
    for phrase in phrases {
        let public = secret(&phrase).public().unwrap();
        assert_eq!(root(&public), phrase.root, "{}", phrase.name);
        let mut accounts = public::accounts(&public).unwrap();
        assert_eq!((accounts.len(), phrase.chains.len()), (38, 38));
        for OnChain { chain, public_key_hex, address, .. } in &phrase.chains {
            let place = accounts.iter().position(|account| account.chain == *chain).unwrap();
            let account = accounts.swap_remove(place);
            let found = (&account.public_key, &account.address);
            assert_eq!(found, (public_key_hex, address), "{}: {chain}", phrase.name);
        }
    }
}

/// RFC 6979 and RFC 8032 are deterministic: the signatures are the same too, also with Cardano's keys.
#[tokio::test]
async fn phrase_makes_the_same_signatures() {
    for phrase in vectors::<Phrase>("phrases.json") {
        let secret = secret(&phrase);
        let keys = public::keys(&secret.public().unwrap()).unwrap();
        let signer = LocalSigner::new(KeyRing::of(&secret).unwrap());
        let message: [u8; 32] = array_from_hex("message", &phrase.message).unwrap();
        for OnChain { chain, signature, .. } in &phrase.chains {
            let account: Account = keys.account(Chain::parse(chain).unwrap()).unwrap();
            let image = match account.chain.algorithm() {
                Algorithm::Ecdsa => Image::Ecdsa(message),
                _ => Image::Eddsa(message.to_vec()),
            };
            let signed = signer.sign(&account, &[image], &Cancel::default()).await.unwrap();
            let signed: Vec<String> = signed.iter().map(|signature| hex(&signature.0)).collect();
            assert_eq!(signed, [signature.as_str()], "{}: {chain}", phrase.name);
        }
    }
}

/// Files in each of the three forms, written by other wallets.
#[test]
fn vult_file_opens_with_its_password() {
    let files: Vec<File> = vectors("vult.json");
    assert!(files.len() >= 4);
    for file in files {
        let read = vult::read(&file.text, &file.password).unwrap();
        assert_eq!(read.name, file.name);
        let public = read.secret.public().unwrap();
        assert_eq!(root(&public), file.root, "{}", file.name);
        let listed = public.chain_public_keys.into_iter();
        let listed = listed.map(|key| Listed { chain: key.chain, public_key_hex: key.public_key });
        assert_eq!(listed.collect::<Vec<_>>(), file.chains, "{}", file.name);
        if !file.password.is_empty() {
            let error = vult::read(&file.text, &format!("{} ", file.password)).unwrap_err();
            assert_eq!(error.code(), "wrong_file_password");
        }
    }
}
