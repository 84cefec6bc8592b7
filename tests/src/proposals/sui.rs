//! Programmable transactions of Sui, command by command.

use super::{own, raw};
use chains::Chain;
use chains::encoding::{array_from_hex, hex};
use serde_json::Value;

/// USDC as a type of coin.
pub const USDC: &str = "0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC";
/// SUI as a type of coin.
pub const SUI: &str = "0x2::sui::SUI";

/// The id of an object of the vault.
pub fn object(number: u8) -> [u8; 32] {
    [number; 32]
}

/// An address, or an id that ends with these digits.
pub fn address(text: &str) -> [u8; 32] {
    let digits = text.trim_start_matches("0x");
    array_from_hex("address", &format!("{digits:0>64}")).expect("is an address")
}

fn counted(bytes: &[u8]) -> Vec<u8> {
    [&[u8::try_from(bytes.len()).expect("is short")], bytes].concat()
}

fn list(parts: &[Vec<u8>]) -> Vec<u8> {
    [vec![u8::try_from(parts.len()).expect("are few")], parts.concat()].concat()
}

fn reference(id: &[u8; 32]) -> Vec<u8> {
    [id.as_slice(), &9_u64.to_le_bytes(), &counted(&[3; 32])].concat()
}

/// A value among the inputs.
pub fn pure(bytes: &[u8]) -> Vec<u8> {
    [vec![0], counted(bytes)].concat()
}

/// An object of the vault among the inputs.
pub fn owned(number: u8) -> Vec<u8> {
    [vec![1, 0], reference(&object(number))].concat()
}

/// An object that anyone may use among the inputs.
pub fn shared(id: &str) -> Vec<u8> {
    [[1, 1].as_slice(), &address(id), &1_u64.to_le_bytes(), &[1]].concat()
}

/// The coin that pays for the transaction.
pub const GAS: [u8; 1] = [0];

/// An input, by its place.
pub fn input(place: u16) -> Vec<u8> {
    [[1].as_slice(), &place.to_le_bytes()].concat()
}

/// The first thing that a command made.
pub fn made(command: u16) -> Vec<u8> {
    [[3].as_slice(), &command.to_le_bytes(), &[0, 0]].concat()
}

/// `TransferObjects`.
pub fn transfer(objects: &[Vec<u8>], to: Vec<u8>) -> Vec<u8> {
    [vec![1], list(objects), to].concat()
}

/// `SplitCoins`.
pub fn split(coin: Vec<u8>, amounts: &[Vec<u8>]) -> Vec<u8> {
    [vec![2], coin, list(amounts)].concat()
}

/// `MergeCoins`.
pub fn merge(into: Vec<u8>, coins: &[Vec<u8>]) -> Vec<u8> {
    [vec![3], into, list(coins)].concat()
}

/// `Publish` of one module.
pub fn publish(module: &[u8]) -> Vec<u8> {
    [vec![4], list(&[counted(module)]), list(&[])].concat()
}

/// `MoveCall` of `package::module::function<types>`.
pub fn call(function: &str, types: &[&str], arguments: &[Vec<u8>]) -> Vec<u8> {
    let mut names = function.split("::");
    let mut name = || names.next().expect("has three names");
    let (package, module, function) = (address(name()), name(), name());
    let types: Vec<Vec<u8>> = types.iter().map(|text| type_tag(text)).collect();
    let names = [counted(module.as_bytes()), counted(function.as_bytes())].concat();
    [vec![0], package.to_vec(), names, list(&types), list(arguments)].concat()
}

fn type_tag(text: &str) -> Vec<u8> {
    let parts: Vec<&str> = text.split("::").collect();
    let [package, module, name] = parts.as_slice() else { panic!("{text} is no type of coin") };
    let names = [counted(module.as_bytes()), counted(name.as_bytes())].concat();
    [vec![7], address(package).to_vec(), names, list(&[])].concat()
}

/// A step with these inputs and commands, and the usual budget.
pub fn step(inputs: &[Vec<u8>], commands: &[Vec<u8>]) -> Value {
    step_with_budget(inputs, commands, 3_000_000)
}

/// A step with these inputs and commands, and a budget.
pub fn step_with_budget(inputs: &[Vec<u8>], commands: &[Vec<u8>], budget: u64) -> Value {
    let me = address(&own(Chain::Sui));
    let gas = [list(&[reference(&object(0x0a))]), me.to_vec()].concat();
    let price = [750_u64.to_le_bytes(), budget.to_le_bytes()].concat();
    let data = [vec![0, 0], list(inputs), list(commands), me.to_vec(), gas, price, vec![0]].concat();
    raw(Chain::Sui, &hex(&data))
}
