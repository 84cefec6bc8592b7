//! What the explanations of a bundle need from nodes, beside its bytes.

use crate::inspect::{Accounts, own_names, transactions};
use chains::explain::{Asset, Bought, Effect};
use chains::facts::{Facts, Wanted};
use chains::names::Names;
use chains::{Chain, Explanation};
use wire::bundle::StepRequest;
use wire::node::FactQuery;
use wire::signer::{Reply, TokenName, WantedFact};
use wire::vault::VaultAccount;

/// More questions than this are not asked: what they would answer is shown as not known.
const MOST: usize = 64;

/// Every question once, in the order of the steps. A step that cannot be decoded asks nothing: it is refused later.
pub(crate) fn want(accounts: &[VaultAccount], steps: &[StepRequest], tokens: &[TokenName]) -> Reply {
    let mut accounts = Accounts::new(accounts);
    let mut queries: Vec<WantedFact> = Vec::new();
    for step in steps {
        let Ok(account) = accounts.of(&step.chain) else { continue };
        for transaction in transactions(account, step).unwrap_or_default() {
            let found = transaction.explain();
            for Wanted { chain, query } in transaction.wanted().into_iter().chain(of_tokens(&found, tokens)) {
                let wanted = WantedFact { chain: chain.name().to_owned(), query };
                if queries.len() < MOST && !queries.contains(&wanted) {
                    queries.push(wanted);
                }
            }
        }
    }
    Reply::WantedFacts { queries }
}

/// The tokens of an explanation whose names neither our table nor the user knows.
pub(crate) fn of_tokens(found: &Explanation, tokens: &[TokenName]) -> Vec<Wanted> {
    let own = own_names(found.chain, tokens);
    let names = Names { chain: found.chain, own: &own, facts: Facts::default() };
    let unnamed = |asset: &Asset| match asset {
        Asset::Token { id } if names.named(asset).is_none() => Some(asked(found.chain, id)),
        _ => None,
    };
    found.effects.iter().flat_map(assets).filter_map(unnamed).collect()
}

fn asked(chain: Chain, id: &str) -> Wanted {
    Wanted { chain, query: FactQuery::Token { id: id.to_owned() } }
}

fn assets(effect: &Effect) -> Vec<&Asset> {
    match effect {
        Effect::Transfer { asset, .. }
        | Effect::TransferFrom { asset, .. }
        | Effect::Approve { asset, .. } => vec![asset],
        Effect::Swap(swap) => match &swap.buy {
            Some(Bought::Here(bought)) => vec![&swap.sell, bought],
            _ => vec![&swap.sell],
        },
        _ => Vec::new(),
    }
}
