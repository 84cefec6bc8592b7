//! Calls of EVM contracts as steps.

use super::raw;
use chains::Chain;
use chains::encoding::hex;
use chains::hash::keccak256;
use nodes::abi::{Arg, encode};
use nodes::evm::Unsigned;
use serde_json::Value;

/// A transaction with calldata.
pub fn transaction(chain: Chain, nonce: u64, to: &str, value: u128, data: &str) -> Value {
    let chain_id = chain.evm_id().expect("is an EVM chain");
    let gas = if data.is_empty() { 21_000 } else { 200_000 };
    let unsigned = Unsigned { chain_id, nonce, gas, to: Some(to), value, data };
    raw(chain, &unsigned.hex().expect("is hex"))
}

/// Calldata: a function by its name and types, and its arguments.
pub fn calldata(signature: &str, args: &[Arg<'_>]) -> String {
    let [a, b, c, d, ..] = keccak256(signature.as_bytes());
    format!("{}{}", hex(&[a, b, c, d]), encode(args))
}

/// A call of a contract.
pub fn call(chain: Chain, nonce: u64, to: &str, value: u128, signature: &str, args: &[Arg<'_>]) -> Value {
    transaction(chain, nonce, to, value, &calldata(signature, args))
}

/// An allowance.
pub fn approve(chain: Chain, nonce: u64, token: &str, spender: &str, units: u128) -> Value {
    let args = [Arg::Address(spender), Arg::Uint(units)];
    call(chain, nonce, token, 0, "approve(address,uint256)", &args)
}

/// A transfer of tokens.
pub fn transfer(chain: Chain, nonce: u64, token: &str, to: &str, units: u128) -> Value {
    call(chain, nonce, token, 0, "transfer(address,uint256)", &[Arg::Address(to), Arg::Uint(units)])
}

/// A program of Uniswap's Universal Router: each command and its arguments.
pub fn program(router: &str, value: u128, commands: &[(u8, Vec<Arg<'_>>)]) -> Value {
    let names: Vec<u8> = commands.iter().map(|(name, _)| *name).collect();
    let from_hex = |text: String| chains::encoding::from_hex("input", &text).expect("is hex");
    let inputs: Vec<Vec<u8>> = commands.iter().map(|(_, args)| from_hex(encode(args))).collect();
    let inputs = inputs.iter().map(|input| Arg::Bytes(input)).collect();
    let args = [Arg::Bytes(&names), Arg::List(inputs), Arg::Uint(1_767_229_200)];
    call(Chain::Ethereum, 7, router, value, "execute(bytes,bytes[],uint256)", &args)
}
