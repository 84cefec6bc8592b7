//! The vault's balances, before and after.

use crate::shared::Chains;
use anyhow::Result;
use nodes::example::{ARB, DOLLAR, ETHER, USDC, USDC_THERE};

/// The rows of the table: chain, coin, smallest units in one coin.
const COINS: [(&str, &str, u128); 5] = [
    ("Ethereum", "USDC", DOLLAR),
    ("Ethereum", "ETH", ETHER),
    ("Arbitrum", "USDC", DOLLAR),
    ("Arbitrum", "ARB", ETHER),
    ("Arbitrum", "ETH", ETHER),
];

/// Balances in the order of the table.
pub(crate) type Money = [u128; 5];

pub(crate) async fn count(chains: &Chains, owner: &str) -> Result<Money> {
    let (ethereum, arbitrum) = (&chains.ethereum.anvil, &chains.arbitrum.anvil);
    Ok([
        ethereum.erc20_balance(USDC, owner).await?,
        ethereum.balance(owner).await?,
        arbitrum.erc20_balance(USDC_THERE, owner).await?,
        arbitrum.erc20_balance(ARB, owner).await?,
        arbitrum.balance(owner).await?,
    ])
}

pub(crate) fn table(before: Money, after: Money) -> String {
    let row = |((chain, coin, unit), (before, after)): ((&str, &str, u128), (u128, u128))| {
        format!("  {chain:<10}{coin:<6}{:>16}{:>16}", shown(before, unit), shown(after, unit))
    };
    let head = format!("  {:<10}{:<6}{:>16}{:>16}", "", "", "before", "after");
    let rows = COINS.into_iter().zip(before.into_iter().zip(after)).map(row);
    std::iter::once(head).chain(rows).collect::<Vec<_>>().join("\n")
}

/// Six decimal places: fees are small.
fn shown(amount: u128, unit: u128) -> String {
    format!("{}.{:06}", amount / unit, amount % unit * 1_000_000 / unit)
}
