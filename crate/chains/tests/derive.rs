//! Accounts from a vault's public keys.

mod common;

use countersign_chains::derive::{self, DeriveError, VaultKeys};
use countersign_chains::encoding::{array_from_hex, hex};
use countersign_chains::signing::PublicKey;
use countersign_chains::{Algorithm, Chain, address};

/// The keys of test vector 1 and 2 of BIP-32, as a vault would have them; the Ed25519 key is that of RFC 8032, test 1.
const ECDSA: &str = "0339a36013301597daef41fbe593a02cc513d0b55527ec2df1050e2e8ff49c85c2";
const EDDSA: &str = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
const CHAIN_CODE: &str = "873dff81c02f525623fd1fe5167eac3a55a049de3d314bb42ee227ffed37d508";

#[expect(clippy::unwrap_used, reason = "a fixed vault")]
fn vault() -> VaultKeys {
    VaultKeys::parse(ECDSA, EDDSA, CHAIN_CODE).unwrap()
}

/// Key and address on every chain of every vault.
#[expect(clippy::unwrap_used, reason = "a broken file must fail the test that reads it")]
fn check(vaults: &serde_json::Value) {
    for vault in vaults.as_array().unwrap() {
        let text = |name: &str| vault[name].as_str().unwrap();
        let keys = VaultKeys::parse(text("ecdsa"), text("eddsa"), text("chain_code")).unwrap();
        let entries = vault["chains"].as_array().unwrap();
        assert_eq!(entries.len(), 38);
        for entry in entries {
            let chain = Chain::parse(entry["chain"].as_str().unwrap()).unwrap();
            let account = keys.account(chain).unwrap();
            let expected = (entry["public_key_hex"].as_str().unwrap(), entry["address"].as_str().unwrap());
            assert_eq!((hex(account.key.as_bytes()).as_str(), account.address.as_str()), expected, "{chain}");
        }
    }
}

#[test]
fn accounts_agree_with_the_vectors() {
    if let Some(vaults) = common::vectors("derived-addresses.json") {
        check(&vaults);
    }
}

/// Four vaults that other libraries derived (`tests/oracle/derive.mjs`).
#[test]
fn accounts_agree_with_other_libraries() {
    let text = include_str!("../../../tests/vectors/derive/derived-addresses.json");
    check(&serde_json::from_str(text).unwrap());
}

/// BIP-32's own test vector 1, chain m/0H/1 from m/0H, and test vector 2, chain m/0.
#[test]
fn children_are_those_of_bip_32() {
    let child = |key, code, path| {
        let (key, code) = (array_from_hex("key", key).unwrap(), array_from_hex("code", code).unwrap());
        derive::child(&key, &code, path).map(|key| hex(&key))
    };
    let first = child(
        "035a784662a4a20a65bf6aab9ae98a6c068a81c52e4b032c0fb5400c706cfccc56",
        "47fdacbd0f1097043b78c63c20c34ef4ed9a111d980047ad16282c7ae6236141",
        "m/1",
    );
    assert_eq!(first.as_deref(), Ok("03501e454bf00751f24b1b489aa925215d66af2234e3891c3b21a52bedb3cd711c"));
    let second = child(
        "03cbcaa9c98c877a26977d00825c956a238e8dddfbd322cce4f74b0b5bd6ace4a7",
        "60499f801b896d83179a4374aeb7822aaeaceaa0db1f85ee3e904c4defbd9689",
        "m/0'",
    );
    assert_eq!(second.as_deref(), Ok("02fc9e5af0ac8d9b3cecfe2a888e2117ba3d089d8585886c9c826b6b22a98d12ea"));
    for path in
        ["", "m", "m/", "0/1", "m/x", "m/-1", "m/0//1", "m/2147483648", "m/2147483648'", "m/4294967296"]
    {
        assert_eq!(child(ECDSA, CHAIN_CODE, path), Err(DeriveError::Path), "{path:?}");
    }
    assert!(child(ECDSA, CHAIN_CODE, "m/2147483647").is_ok());
}

/// An address that is made is one that is read, in the spelling it is made in.
#[test]
fn every_address_is_canonical() {
    for &chain in Chain::ALL.iter().filter(|chain| chain.algorithm() != Algorithm::MlDsa44) {
        let account = vault().account(chain).unwrap();
        assert_eq!(account.key.algorithm(), chain.algorithm(), "{chain}");
        assert_eq!(address::normalise(chain, &account.address).as_ref(), Ok(&account.address), "{chain}");
        assert!(account.owns(&account.address));
    }
}

#[test]
fn chains_that_share_a_key_share_what_follows_from_it() {
    let keys = vault();
    let account = |chain| keys.account(chain).unwrap();
    assert_eq!(account(Chain::MayaChain).key, account(Chain::ThorChain).key);
    assert!(account(Chain::MayaChain).address.starts_with("maya1"));
    assert_eq!(account(Chain::Terra).address, account(Chain::TerraClassic).address);
    assert_eq!(account(Chain::Bittensor).key, account(Chain::Polkadot).key);
    assert_ne!(account(Chain::Bittensor).address, account(Chain::Polkadot).address);
    assert_eq!(account(Chain::Sei).address, account(Chain::Ethereum).address);
    assert!(!account(Chain::BitcoinCash).address.contains(':'));
}

#[test]
fn qbtc_has_no_account() {
    let refused = DeriveError::Unsupported { chain: Chain::Qbtc };
    assert_eq!(vault().account(Chain::Qbtc), Err(refused));
    let key = vault().key(Chain::Cosmos).unwrap();
    assert_eq!(derive::account(Chain::Qbtc, key), Err(refused));
    assert_eq!((refused.code(), vault().import(Chain::Qbtc, ECDSA)), ("unsupported_chain", Err(refused)));
}

#[test]
fn a_key_of_the_other_scheme_is_refused() {
    let keys = vault();
    let (ecdsa, eddsa) = (keys.key(Chain::Bitcoin).unwrap(), keys.key(Chain::Solana).unwrap());
    for &chain in Chain::ALL {
        let other = if chain.algorithm() == Algorithm::Ecdsa { eddsa } else { ecdsa };
        assert!(derive::account(chain, other).is_err(), "{chain}");
    }
    assert_eq!(derive::account(Chain::Sui, ecdsa), Err(DeriveError::WrongScheme { chain: Chain::Sui }));
}

#[test]
fn what_is_no_key_is_refused_by_its_field() {
    let parse = |ecdsa: &str, eddsa: &str, code: &str| VaultKeys::parse(ecdsa, eddsa, code).unwrap_err();
    let no_point = format!("02{}05", "00".repeat(31));
    assert_eq!(parse(&no_point, EDDSA, CHAIN_CODE), DeriveError::NotAPoint { field: "publicKeyEcdsa" });
    let uncompressed = format!("04{}", "11".repeat(64));
    let malformed = |field, length| DeriveError::Malformed { field, length };
    assert_eq!(parse(&uncompressed, EDDSA, CHAIN_CODE), malformed("publicKeyEcdsa", 33));
    let tagged = ECDSA.replacen("03", "05", 1);
    assert_eq!(parse(&tagged, EDDSA, CHAIN_CODE), DeriveError::NotAPoint { field: "publicKeyEcdsa" });
    let no_point = format!("02{}", "00".repeat(31));
    assert_eq!(parse(ECDSA, &no_point, CHAIN_CODE), DeriveError::NotAPoint { field: "publicKeyEddsa" });
    let weak = format!("01{}", "00".repeat(31));
    assert_eq!(parse(ECDSA, &weak, CHAIN_CODE), DeriveError::NotAPoint { field: "publicKeyEddsa" });
    assert_eq!(parse(ECDSA, "", CHAIN_CODE), malformed("publicKeyEddsa", 32));
    assert_eq!(parse(ECDSA, EDDSA, "zz"), malformed("hexChainCode", 32));
}

/// Vaults made from a seed phrase: the listed key as it is, nothing for a chain that is not listed.
#[test]
fn imported_keys_are_used_directly() {
    let other = "02fc9e5af0ac8d9b3cecfe2a888e2117ba3d089d8585886c9c826b6b22a98d12ea";
    let mut keys = vault();
    keys.import(Chain::Bitcoin, other).unwrap();
    keys.import(Chain::Solana, EDDSA).unwrap();
    let bitcoin = keys.account(Chain::Bitcoin).unwrap();
    assert_eq!(hex(bitcoin.key.as_bytes()), other);
    assert_ne!(bitcoin.address, vault().account(Chain::Bitcoin).unwrap().address);
    assert_eq!(keys.key(Chain::Solana), Ok(PublicKey::Ed25519(array_from_hex("key", EDDSA).unwrap())));
    let missing = DeriveError::ChainKeyMissing { chain: Chain::Ethereum };
    assert_eq!((keys.account(Chain::Ethereum), missing.code()), (Err(missing), "chain_key_missing"));
}

/// Older backups hold 32 bytes for an ECDSA chain: that chain is derived from the root, the others stay missing.
#[test]
fn an_imported_key_of_32_bytes_falls_back_to_the_root() {
    let mut keys = vault();
    keys.import(Chain::Ethereum, CHAIN_CODE).unwrap();
    assert_eq!(keys.account(Chain::Ethereum), vault().account(Chain::Ethereum));
    assert_eq!(keys.key(Chain::Base), Err(DeriveError::ChainKeyMissing { chain: Chain::Base }));
    let field = "chainPublicKeys";
    assert_eq!(keys.import(Chain::Base, "02"), Err(DeriveError::Malformed { field, length: 33 }));
    assert_eq!(keys.import(Chain::Sui, ECDSA), Err(DeriveError::Malformed { field, length: 32 }));
    let no_point = format!("02{}05", "00".repeat(31));
    assert_eq!(keys.import(Chain::Base, &no_point), Err(DeriveError::NotAPoint { field }));
}
