//! `derived-addresses.json`: vaults, and their key and address on every chain.

use super::Filter;
use super::case::{Difference, Outcome, Problem, instead_of, plain_hex, same};
use chains::derive::VaultKeys;
use chains::{Account, Chain, encoding};
use serde::Deserialize;

#[derive(Deserialize)]
pub(crate) struct Vault {
    name: String,
    ecdsa: String,
    eddsa: String,
    chain_code: String,
    chains: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    chain: String,
    public_key_hex: String,
    address: String,
}

pub(crate) fn run(vaults: Vec<Vault>, filter: &Filter) -> Vec<(String, Outcome)> {
    let mut outcomes = Vec::new();
    for vault in &vaults {
        for case in vault.chains.iter().filter(|case| filter.wants(&case.chain)) {
            outcomes.push((format!("{}: {}", vault.name, case.chain), Outcome::of(check(vault, case))));
        }
    }
    outcomes
}

fn check(vault: &Vault, case: &Case) -> Result<(), Difference> {
    let account = account(vault, case).map_err(instead_of(&case.address))?;
    same("key", &plain_hex(&case.public_key_hex), &encoding::hex(account.key.as_bytes()))?;
    same("address", &case.address, &account.address)
}

fn account(vault: &Vault, case: &Case) -> Result<Account, Problem> {
    let chain = Chain::parse(&case.chain).ok_or("a chain that is not known")?;
    let keys = VaultKeys::parse(&vault.ecdsa, &vault.eddsa, &vault.chain_code);
    keys.and_then(|keys| keys.account(chain)).map_err(|error| format!("{}: {error}", error.code()))
}
