//! Turns an explanation into the wire's types: amounts with a text for people, tokens by name.

use chains::explain::{Asset, Bought, Effect, Fee, Function, Party, Swap};
use chains::names::Names;
use chains::{Amount, Explanation, amount, encoding, known};
use wire::explain as shown;
use wire::explain::{NamedText, Quantity};

/// An explanation for pages and for the policy.
pub(crate) fn explain(found: &Explanation, names: Names<'_>) -> shown::Explanation {
    let words = Words(names);
    shown::Explanation {
        chain: found.chain.name().to_owned(),
        from: found.from.clone(),
        target: found.target.clone(),
        effects: found.effects.iter().map(|effect| words.effect(effect)).collect(),
        parties: found.every_party().into_iter().map(|party| words.party(party)).collect(),
        memo: found.memo.clone(),
        fee: found.fee.known().map(|fee| words.coins(fee)),
        fee_unknown: found.fee == Fee::Unknown,
        gas_limit: found.gas_limit.map(|limit| limit.to_string()),
        nonce: found.nonce.map(|nonce| nonce.to_string()),
    }
}

/// Swap networks count every amount in 10⁻⁸.
const NETWORK_DECIMALS: u8 = 8;

/// Says what is moved in words, by these names.
pub(crate) struct Words<'a>(pub(crate) Names<'a>);

impl Words<'_> {
    fn effect(&self, effect: &Effect) -> shown::Effect {
        match effect {
            Effect::Transfer { asset, to, amount } => shown::Effect::Transfer {
                asset: self.asset(asset),
                to: to.clone(),
                amount: self.quantity(asset, *amount),
            },
            Effect::TransferFrom { asset, from, to, amount } => shown::Effect::TransferFrom {
                asset: self.asset(asset),
                from: from.clone(),
                to: to.clone(),
                amount: self.quantity(asset, *amount),
            },
            Effect::Change { to, amount } => {
                shown::Effect::Change { to: to.clone(), amount: self.coins(*amount) }
            }
            Effect::Approve { asset, spender, amount, unlimited } => shown::Effect::Approve {
                asset: self.asset(asset),
                spender: spender.clone(),
                amount: Quantity {
                    units: amount.to_string(),
                    shown: self.0.show(asset, *amount, *unlimited),
                },
                unlimited: *unlimited,
            },
            Effect::ApproveAll { collection, operator, approved } => shown::Effect::ApproveAll {
                collection: collection.clone(),
                operator: operator.clone(),
                approved: *approved,
            },
            Effect::Swap(swap) => self.swap(swap),
            Effect::Call { contract, value, function } => self.call(contract, *value, function),
            Effect::Create { value, bytes } => {
                shown::Effect::Create { value: self.coins(*value), bytes: length(*bytes) }
            }
            Effect::Note { name, fields } => {
                shown::Effect::Note { name: name.clone(), fields: named(fields) }
            }
            Effect::Other { name, fields } => {
                shown::Effect::Other { name: name.clone(), fields: named(fields) }
            }
            Effect::Unknown { what, bytes } => {
                shown::Effect::Unknown { what: what.clone(), bytes: length(*bytes) }
            }
        }
    }

    fn swap(&self, swap: &Swap) -> shown::Effect {
        let bought = match &swap.buy {
            Some(Bought::Here(asset)) => Some(self.asset(asset)),
            _ => None,
        };
        let minimum = swap.minimum_out.map(|amount| self.minimum(swap.buy.as_ref(), amount));
        shown::Effect::Swap {
            provider: swap.provider.map(str::to_owned),
            router: swap.router.clone(),
            sell: self.asset(&swap.sell),
            amount: self.quantity(&swap.sell, swap.amount),
            buy: swap.buy.as_ref().map(|bought| self.bought(bought)),
            bought,
            minimum_out: swap.minimum_out.map(|amount| amount.to_string()),
            minimum_shown: minimum,
            recipient: swap.recipient.clone(),
        }
    }

    /// What is bought, for people.
    fn bought(&self, bought: &Bought) -> String {
        match bought {
            Bought::Here(asset) => self.0.label(asset),
            Bought::Elsewhere { place, asset: Some(asset) } => format!("{asset} on {place}"),
            Bought::Elsewhere { place, asset: None } => format!("something on {place}"),
            Bought::Named(name) => name.clone(),
        }
    }

    fn minimum(&self, bought: Option<&Bought>, least: Amount) -> String {
        match bought {
            Some(Bought::Here(asset)) => self.0.show(asset, least, false),
            Some(Bought::Named(name)) => amount::show(least, NETWORK_DECIMALS, name),
            Some(Bought::Elsewhere { .. }) | None => format!("{least} smallest units"),
        }
    }

    fn party(&self, Party { address, role }: Party) -> shown::Party {
        let name = known::named(self.0.chain, &address).map(|contract| contract.name.to_owned());
        shown::Party { address, role, name, standing: None }
    }

    fn call(&self, contract: &str, value: Amount, function: &Function) -> shown::Effect {
        let (contract, value) = (contract.to_owned(), self.coins(value));
        match function {
            Function::Known { signature, arguments } => shown::Effect::Call {
                contract,
                value,
                signature: signature.clone(),
                arguments: named(arguments),
            },
            Function::Unknown { selector, bytes } => shown::Effect::UnknownCall {
                contract,
                value,
                selector: selector.map(|selector| encoding::hex(&selector)),
                bytes: length(*bytes),
            },
        }
    }

    pub(crate) fn asset(&self, asset: &Asset) -> shown::Asset {
        match asset {
            Asset::Native => shown::Asset::Native { ticker: self.0.chain.native().ticker.to_owned() },
            Asset::Token { id } => {
                let named = self.0.named(asset);
                shown::Asset::Token {
                    id: id.clone(),
                    ticker: named.and_then(|named| named.ticker).map(str::to_owned),
                    source: named.map(|named| named.source),
                    contract: self.0.contract(id),
                    agent_ticker: self.0.agent_ticker(id).map(str::to_owned),
                }
            }
            Asset::Item { collection, id } => {
                shown::Asset::Item { collection: collection.clone(), id: id.to_string() }
            }
        }
    }

    pub(crate) fn coins(&self, amount: Amount) -> Quantity {
        self.quantity(&Asset::Native, amount)
    }

    pub(crate) fn quantity(&self, asset: &Asset, amount: Amount) -> Quantity {
        Quantity { units: amount.to_string(), shown: self.0.show(asset, amount, false) }
    }
}

fn named(fields: &[(String, String)]) -> Vec<NamedText> {
    fields.iter().map(|(name, value)| NamedText { name: name.clone(), value: value.clone() }).collect()
}

fn length(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}
