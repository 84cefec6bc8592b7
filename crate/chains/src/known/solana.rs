//! Known programs of Solana.

use super::{KnownContract, Protocol};

/// The known program with this id.
pub fn solana(program: &[u8; 32]) -> Option<KnownContract> {
    let (_, name, protocol) = *PROGRAMS.iter().find(|(id, ..)| id == program)?;
    Some(KnownContract { name, protocol })
}

const fn id(text: &str) -> [u8; 32] {
    bs58::decode(text.as_bytes()).into_array_const_unwrap()
}

pub(super) const PROGRAMS: &[([u8; 32], &str, Protocol)] = &[
    // Solana's documentation, native programs and the program library, as in `crate::solana`.
    (id("11111111111111111111111111111111"), "System program", Protocol::SolanaSystem),
    (id("ComputeBudget111111111111111111111111111111"), "Compute budget", Protocol::SolanaComputeBudget),
    (id("Stake11111111111111111111111111111111111111"), "Stake program", Protocol::SolanaStake),
    (id("Ed25519SigVerify111111111111111111111111111"), "Signature check", Protocol::SolanaSignatureCheck),
    (id("KeccakSecp256k11111111111111111111111111111"), "Signature check", Protocol::SolanaSignatureCheck),
    (id("Secp256r1SigVerify1111111111111111111111111"), "Signature check", Protocol::SolanaSignatureCheck),
    (id("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"), "Token program", Protocol::SplToken),
    (id("TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"), "Token-2022 program", Protocol::SplToken2022),
    (
        id("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"),
        "Associated token program",
        Protocol::SplAssociatedToken,
    ),
    (id("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr"), "Memo program", Protocol::SplMemo),
    (id("Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo"), "Memo program", Protocol::SplMemo),
    (id("JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4"), "Jupiter", Protocol::Jupiter),
    // Raydium's raydium-sdk-V2, src/common/programId.ts.
    (id("675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8"), "Raydium", Protocol::RaydiumAmm),
    (id("CAMMCzo5YL8w4VFF8KVHrK22GGUsp5VTaW7grrKgrWqK"), "Raydium", Protocol::RaydiumClmm),
    (id("CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C"), "Raydium", Protocol::RaydiumCpmm),
    (id("routeUGWgWzqBWFcrCfv8tritsqukccJPu3q5GPP3xS"), "Raydium", Protocol::RaydiumRouter),
    // Four public lists of swap programs that agree.
    (id("whirLbMiicVdio4qvUfM5KAg6Ct8VwpYzGff3uctyCc"), "Orca", Protocol::OrcaWhirlpool),
    (id("LBUZKhRxPF3XUpBCjp4YzTKgLccjZhTSDM9YuVaPwxo"), "Meteora", Protocol::Meteora),
    (id("Eo7WjKq67rjJQSZxS6z3YkapzY3eMj6Xy8X5EQVn5UaB"), "Meteora", Protocol::Meteora),
    (id("cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG"), "Meteora", Protocol::Meteora),
    (id("pAMMBay6oceH9fJKBRHGP5D4bD4sWpmSwMn52FMfXEA"), "PumpSwap", Protocol::PumpSwap),
    (id("6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P"), "Pump.fun", Protocol::PumpFun),
    // Circle's documentation, CCTP, Solana programs, as public code quotes it.
    (id("CCTPV2vPZJS2u2BBsUoscuikbYjnpFmbFsvVuJdgUMQe"), "CCTP", Protocol::CctpTokenMessengerV2),
    (id("CCTPiPYPc6AsJuwueEnWgSgucamXDZwBd53dQ11YiKX3"), "CCTP", Protocol::CctpTokenMessengerV1),
];
