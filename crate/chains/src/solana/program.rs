//! The programs that are known here, and the addresses that follow from them.

use super::message::Key;
use crate::hash::sha256;
use curve25519_dalek::edwards::CompressedEdwardsY;

const fn id(text: &str) -> Key {
    bs58::decode(text.as_bytes()).into_array_const_unwrap()
}

pub(super) const SYSTEM: Key = id("11111111111111111111111111111111");
pub(super) const COMPUTE_BUDGET: Key = id("ComputeBudget111111111111111111111111111111");
pub(super) const STAKE: Key = id("Stake11111111111111111111111111111111111111");
pub(super) const ED25519: Key = id("Ed25519SigVerify111111111111111111111111111");
pub(super) const SECP256K1: Key = id("KeccakSecp256k11111111111111111111111111111");
pub(super) const SECP256R1: Key = id("Secp256r1SigVerify1111111111111111111111111");
pub(super) const TOKEN: Key = id("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA");
pub(super) const TOKEN_2022: Key = id("TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb");
pub(super) const ASSOCIATED_TOKEN: Key = id("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL");
pub(super) const MEMO: Key = id("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr");
pub(super) const MEMO_V1: Key = id("Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo");
pub(super) const JUPITER: Key = id("JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4");
pub(super) const RAYDIUM_AMM: Key = id("675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8");
pub(super) const RAYDIUM_CPMM: Key = id("CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C");
pub(super) const ORCA_WHIRLPOOL: Key = id("whirLbMiicVdio4qvUfM5KAg6Ct8VwpYzGff3uctyCc");

/// The account that holds what the chain asks for storage.
pub(super) const RENT: Key = id("SysvarRent111111111111111111111111111111111");
/// The native coin where a token is expected.
pub(super) const WRAPPED_SOL: Key = id("So11111111111111111111111111111111111111112");

/// The account in which `owner` keeps tokens of `mint` by default.
///
/// It is an address without a private key: the first hash, with a counter that runs down from 255, that is not a
/// point of the curve. One in two hashes is, so 256 tries do not fail.
pub(super) fn associated_token(owner: &Key, program: &Key, mint: &Key) -> Option<Key> {
    let mut seeds =
        [owner.as_slice(), program, mint, &[0], &ASSOCIATED_TOKEN, b"ProgramDerivedAddress"].concat();
    (0..=u8::MAX).rev().find_map(|bump| {
        *seeds.get_mut(96)? = bump;
        let hash = sha256(&seeds);
        CompressedEdwardsY(hash).decompress().is_none().then_some(hash)
    })
}
