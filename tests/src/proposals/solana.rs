//! Transactions of Solana, instruction by instruction.

use super::{own, raw};
use chains::Chain;
use chains::encoding::hex;
use chains::hash::sha256;
use curve25519_dalek::edwards::CompressedEdwardsY;
use serde_json::Value;

/// The system program.
pub const SYSTEM: &str = "11111111111111111111111111111111";
/// The Token program.
pub const TOKEN: &str = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA";
/// The Token program with extensions.
pub const TOKEN_2022: &str = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb";
/// The program of the accounts in which wallets keep tokens.
pub const ASSOCIATED: &str = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL";
/// Staking.
pub const STAKE: &str = "Stake11111111111111111111111111111111111111";
/// Texts.
pub const MEMO: &str = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr";
/// Limit and price of computing.
pub const COMPUTE_BUDGET: &str = "ComputeBudget111111111111111111111111111111";
/// Jupiter's router.
pub const JUPITER: &str = "JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4";
/// Raydium's pools.
pub const RAYDIUM: &str = "675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8";
/// Orca's pools.
pub const ORCA: &str = "whirLbMiicVdio4qvUfM5KAg6Ct8VwpYzGff3uctyCc";
/// USDC.
pub const USDC: &str = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
/// Wrapped SOL.
pub const WRAPPED_SOL: &str = "So11111111111111111111111111111111111111112";

/// An instruction: program, accounts, data.
pub type Instruction<'a> = (&'a str, Vec<String>, Vec<u8>);

/// The bytes of an address.
pub fn key(address: &str) -> [u8; 32] {
    bs58::decode(address).into_vec().ok().and_then(|bytes| bytes.try_into().ok()).expect("is an address")
}

/// The address of these bytes.
pub fn address(key: &[u8; 32]) -> String {
    bs58::encode(key).into_string()
}

/// An account that only the network knows anything of.
pub fn account(number: u8) -> String {
    address(&sha256(&[number]))
}

/// The account in which an owner keeps tokens of a mint by default.
pub fn associated(owner: &str, mint: &str) -> String {
    let found = (0..=u8::MAX).rev().find_map(|bump| {
        let keys = [key(owner), key(TOKEN), key(mint)].concat();
        let seeds = [keys.as_slice(), &[bump], &key(ASSOCIATED), b"ProgramDerivedAddress"].concat();
        let hash = sha256(&seeds);
        CompressedEdwardsY(hash).decompress().is_none().then_some(hash)
    });
    address(&found.expect("one hash in two is no point"))
}

/// The vault's own account for a mint.
pub fn own_account(mint: &str) -> String {
    associated(&own(Chain::Solana), mint)
}

/// A step with these instructions, which the vault signs and pays for.
pub fn step(instructions: &[Instruction<'_>]) -> Value {
    step_with_table(instructions, None)
}

/// The same, where an account that is called `table` is the fourth in a lookup table.
pub fn step_with_table(instructions: &[Instruction<'_>], table: Option<&str>) -> Value {
    let mut keys: Vec<String> = vec![own(Chain::Solana)];
    for (program, accounts, _) in instructions {
        for name in accounts.iter().chain([&(*program).to_owned()]) {
            if !keys.contains(name) && name != "table" {
                keys.push(name.clone());
            }
        }
    }
    let count = |length: usize| u8::try_from(length).expect("are few");
    let place = |name: &String| count(keys.iter().position(|known| known == name).unwrap_or(keys.len()));
    let mut message = vec![0x80, 1, 0, 0, count(keys.len())];
    message.extend(keys.iter().flat_map(|name| key(name)));
    message.extend([7; 32]);
    message.push(count(instructions.len()));
    for (program, accounts, data) in instructions {
        message.extend([place(&(*program).to_owned()), count(accounts.len())]);
        message.extend(accounts.iter().map(place));
        message.push(count(data.len()));
        message.extend(data);
    }
    match table {
        None => message.push(0),
        Some(table) => message.extend([&[1], key(table).as_slice(), &[1, 4, 0]].concat()),
    }
    raw(Chain::Solana, &hex(&[[1].as_slice(), &[0; 64], &message].concat()))
}

/// Data that begins with a number of 32 bits.
pub fn numbered(number: u32, rest: &[&[u8]]) -> Vec<u8> {
    [number.to_le_bytes().as_slice(), &rest.concat()].concat()
}

/// Data that begins with a byte and an amount.
pub fn amount(tag: u8, units: u64, rest: &[u8]) -> Vec<u8> {
    [&[tag], units.to_le_bytes().as_slice(), rest].concat()
}

/// Lamports from the vault to an account.
pub fn pay(to: &str, lamports: u64) -> Instruction<'static> {
    let accounts = vec![own(Chain::Solana), to.to_owned()];
    (SYSTEM, accounts, numbered(2, &[&lamports.to_le_bytes()]))
}

/// USDC from the vault's account to another.
pub fn pay_usdc(to: &str, units: u64) -> Instruction<'static> {
    let accounts = [own_account(USDC), USDC.to_owned(), to.to_owned(), own(Chain::Solana)];
    (TOKEN, accounts.to_vec(), amount(12, units, &[6]))
}

/// Makes the account of an owner for USDC, if there is none.
pub fn create(owner: &str) -> Instruction<'static> {
    let (payer, account) = (own(Chain::Solana), associated(owner, USDC));
    let accounts = [payer.as_str(), &account, owner, USDC, SYSTEM, TOKEN];
    (ASSOCIATED, accounts.map(ToString::to_string).to_vec(), vec![1])
}

/// A route of Jupiter's from wrapped SOL to USDC over one market: who gets it, who gets how much of it as a fee, and by how
/// many basis points it may be less than 150 USDC.
pub fn route(destination: &str, (payee, fee): (&str, u8), slippage: u16) -> Instruction<'static> {
    let me = own(Chain::Solana);
    let accounts = [TOKEN, &me, &own_account(WRAPPED_SOL), destination, JUPITER, USDC, payee, &account(90)];
    let data = [
        &[229, 23, 203, 151, 122, 227, 173, 42],
        1_u32.to_le_bytes().as_slice(),
        &[26, 100, 0, 1],
        &1_000_000_000_u64.to_le_bytes(),
        &150_000_000_u64.to_le_bytes(),
        &slippage.to_le_bytes(),
        &[fee],
    ]
    .concat();
    (JUPITER, accounts.map(ToString::to_string).to_vec(), data)
}
