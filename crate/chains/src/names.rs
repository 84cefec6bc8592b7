//! Names for what is moved, and amounts of it for people.
//!
//! A token's name is known from our table, from the user, or from the chain, in this order ([`Source`]); the name under
//! which an agent added a token is a claim and is not used. No other token gets the name of a well-known one, and
//! where nothing says how many decimals a token has, its amount is in smallest units.

use crate::explain::{Asset, Source};
use crate::facts::Facts;
use crate::{Amount, Chain, Kind, address, amount, token};
use wire::explain::TokenContract;

/// A token with more decimals than this shows its units: nothing real has so many, and an amount would look like nothing.
const MOST_DECIMALS: u8 = 36;

/// The longest ticker.
const LONGEST_TICKER: usize = 16;

/// A token that the vault holds under a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenName {
    /// Contract, mint or denom, in canonical spelling.
    pub id: String,
    /// Its ticker.
    pub ticker: String,
    /// How many decimal places one token has.
    pub decimals: u8,
    /// Whether the agent added it and the user has not confirmed it.
    pub by_agent: bool,
}

/// What is known of an asset's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Named<'a> {
    /// The ticker.
    pub ticker: Option<&'a str>,
    /// How many decimal places one of it has.
    pub decimals: Option<u8>,
    /// Who says so.
    pub source: Source,
}

/// The names of one chain's assets.
#[derive(Debug, Clone, Copy)]
pub struct Names<'a> {
    /// The chain.
    pub chain: Chain,
    /// The vault's own.
    pub own: &'a [TokenName],
    /// What nodes say.
    pub facts: Facts<'a>,
}

/// Whether a text can be a ticker: few characters, none of which deceives.
pub fn is_ticker(text: &str) -> bool {
    (1..=LONGEST_TICKER).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".$+-".contains(&byte))
}

impl<'a> Names<'a> {
    /// Ticker and decimals, with their source.
    pub fn named(&self, asset: &Asset) -> Option<Named<'a>> {
        match asset {
            Asset::Native => {
                let native = self.chain.native();
                let (ticker, decimals) = (Some(native.ticker), Some(native.decimals));
                Some(Named { ticker, decimals, source: Source::Table })
            }
            Asset::Token { id } => self.token(id),
            Asset::Item { .. } => None,
        }
    }

    /// The ticker, where it is known.
    pub fn ticker(&self, asset: &Asset) -> Option<&'a str> {
        self.named(asset)?.ticker
    }

    /// How many decimal places it has, where that is known.
    pub fn decimals(&self, asset: &Asset) -> Option<u8> {
        match asset {
            Asset::Item { .. } => Some(0),
            _ => self.named(asset)?.decimals,
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

    /// An amount for people. Where the decimals are not known it is the smallest units, and says so.
    pub fn show(&self, asset: &Asset, amount: Amount, unlimited: bool) -> String {
        let label = self.label(asset);
        match self.decimals(asset) {
            _ if unlimited => format!("unlimited {label}"),
            Some(decimals) => amount::show(amount, decimals, &label),
            None => format!("{amount} units of {label} (decimals unknown)"),
        }
    }

    /// Whose code moves a token.
    pub fn contract(&self, id: &str) -> TokenContract {
        let is_contract = match self.chain.kind() {
            Kind::Evm | Kind::Ton => true,
            Kind::Tron | Kind::Cosmos => address::normalise(self.chain, id).is_ok(),
            _ => false,
        };
        match self.token(id).map(|named| named.source) {
            _ if !is_contract => TokenContract::Ledger,
            Some(Source::Table | Source::User) => TokenContract::Known,
            _ => TokenContract::Unknown,
        }
    }

    /// The ticker under which the agent added a token that has no better name.
    pub fn agent_ticker(&self, id: &str) -> Option<&'a str> {
        let unnamed = self.token(id).is_none_or(|named| named.ticker.is_none());
        let added = self.own.iter().find(|token| token.by_agent && token.id.eq_ignore_ascii_case(id));
        added.filter(|_| unnamed).map(|token| token.ticker.as_str())
    }

    fn token(&self, id: &str) -> Option<Named<'a>> {
        let built_in = token::on(self.chain).iter().find(|token| token.contract.eq_ignore_ascii_case(id));
        if let Some(token) = built_in {
            let (ticker, decimals) = (Some(token.ticker), Some(token.decimals));
            return Some(Named { ticker, decimals, source: Source::Table });
        }
        let mut own = self.own.iter().filter(|token| !token.by_agent);
        if let Some(token) = own.find(|token| token.id.eq_ignore_ascii_case(id)) {
            let (ticker, decimals) = (Some(token.ticker.as_str()), Some(token.decimals));
            return Some(Named { ticker, decimals, source: Source::User });
        }
        let fact = self.facts.token(id)?;
        let ticker = fact.ticker.filter(|ticker| is_ticker(ticker) && !self.is_taken(ticker));
        let decimals = fact.decimals.filter(|decimals| *decimals <= MOST_DECIMALS);
        Some(Named { ticker, decimals, source: Source::Node })
    }

    /// Whether a reader would take a ticker for that of a well-known token of the chain, or of its coin.
    fn is_taken(&self, ticker: &str) -> bool {
        token::taken(self.chain, ticker).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::node::NodeFact;

    const USDC: &str = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";

    fn own(id: &str, by_agent: bool) -> TokenName {
        TokenName { id: id.to_owned(), ticker: "OWN".to_owned(), decimals: 2, by_agent }
    }

    fn fact(id: &str, ticker: &str, decimals: u8) -> NodeFact {
        let (id, ticker) = (id.to_owned(), Some(ticker.to_owned()));
        NodeFact::Token { id, ticker, decimals: Some(decimals), collection: false }
    }

    fn token(id: &str) -> Asset {
        Asset::Token { id: id.to_owned() }
    }

    /// Our table, then the user, then the chain; never the agent.
    #[test]
    fn sources_in_their_order() {
        let own = [own(USDC, false), own("0x01", false), own("0x02", true), own("0x03", true)];
        let facts = [fact("0x01", "NODE", 3), fact("0x02", "NODE", 3), fact("0x04", "USDC", 250)];
        let names = Names { chain: Chain::Ethereum, own: &own, facts: Facts(&facts) };
        let show = |asset: Asset| names.show(&asset, Amount::from(1_500_000), false);
        assert_eq!(show(Asset::Native), "0.0000000000015 ETH");
        assert_eq!(show(token(USDC)), "1.5 USDC");
        assert_eq!(show(token("0x01")), "15000 OWN");
        assert_eq!(show(token("0x02")), "1500 NODE");
        assert_eq!(show(token("0x03")), "1500000 units of 0x03 (decimals unknown)");
        assert_eq!(names.agent_ticker("0x03"), Some("OWN"));
        assert_eq!(names.agent_ticker("0x02"), None);
        assert_eq!(show(token("0x04")), "1500000 units of 0x04 (decimals unknown)", "no second USDC");
        assert_eq!(show(Asset::Item { collection: "0x05".into(), id: Amount::from(7) }), "1500000 0x05 #7");
        assert_eq!(names.show(&token("0x06"), Amount::MAX, true), "unlimited 0x06");
    }

    #[test]
    fn a_contract_is_known_by_the_table_or_the_user() {
        let own = [own("0x01", false), own("0x02", true)];
        let facts = [fact("0x02", "NODE", 3)];
        let names = Names { chain: Chain::Ethereum, own: &own, facts: Facts(&facts) };
        let found = [USDC, "0x01", "0x02", "0x03"].map(|id| names.contract(id));
        use TokenContract::{Known, Unknown};
        assert_eq!(found, [Known, Known, Unknown, Unknown]);
        let names = Names { chain: Chain::Osmosis, own: &[], facts: Facts::default() };
        assert_eq!(names.contract("ibc/27394"), TokenContract::Ledger);
    }

    #[test]
    fn tickers() {
        for good in ["USDC", "USDC.e", "$WIF", "a+b-c", "0123456789abcdef"] {
            assert!(is_ticker(good), "{good}");
        }
        for bad in ["", "US DC", "USDС", "0123456789abcdefg", "USD/C", "\u{202e}x"] {
            assert!(!is_ticker(bad), "{bad}");
        }
    }
}
