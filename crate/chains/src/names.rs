//! Names for what is moved, and amounts of it for people: the chain's own coin, well-known tokens, and then the vault's
//! own names. No other token gets the name of a well-known one.

use crate::explain::Asset;
use crate::{Amount, Chain, amount, token};

/// A token that the vault knows by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenName {
    /// Contract, mint or denom, in canonical spelling.
    pub id: String,
    /// Its ticker.
    pub ticker: String,
    /// How many decimal places one token has.
    pub decimals: u8,
}

/// The names of one chain's assets.
#[derive(Debug, Clone, Copy)]
pub struct Names<'a> {
    /// The chain.
    pub chain: Chain,
    /// The vault's own, used where the built-in ones end.
    pub own: &'a [TokenName],
}

impl<'a> Names<'a> {
    /// The ticker, where it is known.
    pub fn ticker(&self, asset: &Asset) -> Option<&'a str> {
        match asset {
            Asset::Native => Some(self.chain.native().ticker),
            Asset::Token { id } => self.token(id).map(|(ticker, _)| ticker),
            Asset::Item { .. } => None,
        }
    }

    /// How many decimal places it has, where that is known.
    pub fn decimals(&self, asset: &Asset) -> Option<u8> {
        match asset {
            Asset::Native => Some(self.chain.native().decimals),
            Asset::Token { id } => self.token(id).map(|(_, decimals)| decimals),
            Asset::Item { .. } => Some(0),
        }
    }

    /// The ticker, or what the chain calls it.
    pub fn label(&self, asset: &Asset) -> String {
        match (self.ticker(asset), asset) {
            (Some(ticker), _) => ticker.to_owned(),
            (None, Asset::Token { id }) => id.clone(),
            (None, Asset::Item { collection, id }) => format!("{collection} #{id}"),
            (None, Asset::Native) => String::new(),
        }
    }

    /// An amount for people. Where the decimals are not known it is the smallest units.
    pub fn show(&self, asset: &Asset, amount: Amount, unlimited: bool) -> String {
        let label = self.label(asset);
        match self.decimals(asset) {
            _ if unlimited => format!("unlimited {label}"),
            Some(decimals) => amount::show(amount, decimals, &label),
            None => format!("{amount} of {label}"),
        }
    }

    fn token(&self, id: &str) -> Option<(&'a str, u8)> {
        let built_in = token::on(self.chain).iter().find(|token| token.contract.eq_ignore_ascii_case(id));
        let own = || self.own.iter().find(|token| token.id.eq_ignore_ascii_case(id));
        built_in
            .map(|token| (token.ticker, token.decimals))
            .or_else(|| own().map(|token| (token.ticker.as_str(), token.decimals)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_token_keeps_its_name_and_an_unknown_one_its_units() {
        let usdc = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48".to_owned();
        let own = |id: &str| TokenName { id: id.to_owned(), ticker: "OWN".to_owned(), decimals: 2 };
        let own = [own(&usdc), own("0x01")];
        let names = Names { chain: Chain::Ethereum, own: &own };
        let show = |asset: Asset| names.show(&asset, Amount::from(1_500_000), false);
        assert_eq!(show(Asset::Native), "0.0000000000015 ETH");
        assert_eq!(show(Asset::Token { id: usdc }), "1.5 USDC");
        assert_eq!(show(Asset::Token { id: "0x01".into() }), "15000 OWN");
        assert_eq!(show(Asset::Token { id: "0x02".into() }), "1500000 of 0x02");
        assert_eq!(show(Asset::Item { collection: "0x03".into(), id: Amount::from(7) }), "1500000 0x03 #7");
        assert_eq!(names.show(&Asset::Token { id: "0x02".into() }, Amount::MAX, true), "unlimited 0x02");
    }
}
