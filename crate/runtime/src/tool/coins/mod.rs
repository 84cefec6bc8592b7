//! `add_chain`, `add_token`, `remove_token`: what the vault holds (specification 000 §2, §3).
//!
//! A chain is in the vault when its own coin is. That coin is written with the chain and before any token on it, in
//! one batch. Addresses were derived from the vault's public keys when it came: no password is asked for.

mod add;
mod remove;

use add::{add_chain, add_token};
use remove::remove_token;

use super::shape::{Field, Kind, Shape};
use super::{About, BuiltIn, Category, Consequence, Context, DEFAULT_TIMEOUT, Definition};
use super::{RequestError, ToolError};
use crate::coins::{self, CoinRow};
use crate::later::later;
use crate::store::Keyed;
use crate::vault;
use chains::Chain;
use wire::vault::Vault;

/// Adding chains.
pub(crate) static ADD_CHAIN: BuiltIn = BuiltIn {
    definition: Definition::built_in(About {
        name: "add_chain",
        description: "Adds chains to the vault, each with its address and its own coin. Use when the user wants to hold or \
                      receive on a chain; for a token use add_token, which adds the chain by itself.",
        category: Category::Write,
        consequence: Consequence::Low,
        requires_confirmation: false,
        timeout: DEFAULT_TIMEOUT,
        tags: &["coins"],
        arguments: &Shape {
            fields: &[Field::required("chains", entries(&CHAIN), "Each is added, or refused, by itself.")],
        },
    }),
    run: |call, context| {
        let core = context.wallet.core;
        later(core, add_chain(&call.params, context))
    },
};

/// Adding tokens.
pub(crate) static ADD_TOKEN: BuiltIn = BuiltIn {
    definition: Definition::built_in(About {
        name: "add_token",
        description: "Adds tokens to the vault by chain and contract, with the chains that are not in it yet.",
        category: Category::Write,
        consequence: Consequence::Low,
        requires_confirmation: false,
        timeout: DEFAULT_TIMEOUT,
        tags: &["coins"],
        arguments: &Shape {
            fields: &[Field::required(
                "tokens",
                entries(&NEW_TOKEN),
                "Each is added, or refused, by itself.",
            )],
        },
    }),
    run: |call, context| {
        let core = context.wallet.core;
        later(core, add_token(call, context))
    },
};

/// Removing tokens.
pub(crate) static REMOVE_TOKEN: BuiltIn = BuiltIn {
    definition: Definition::built_in(About {
        name: "remove_token",
        description: "Removes tokens from the vault's list by chain and contract, or by chain and a ticker that only one of \
                      them has. What they are worth stays on the chain; a chain's own coin is not removed.",
        category: Category::Delete,
        consequence: Consequence::Low,
        requires_confirmation: false,
        timeout: DEFAULT_TIMEOUT,
        tags: &["coins"],
        arguments: &Shape {
            fields: &[Field::required(
                "tokens",
                entries(&OLD_TOKEN),
                "Each is removed, or refused, by itself.",
            )],
        },
    }),
    run: |call, context| {
        let core = context.wallet.core;
        later(core, remove_token(&call.params, context))
    },
};

const fn entries(entry: &'static Shape) -> Kind {
    Kind::Entries { what: "entry", most: None, entry }
}

static CHAIN: Shape = Shape { fields: &[Field::required("chain", Kind::Text, "")] };

static NEW_TOKEN: Shape = Shape {
    fields: &[
        Field::required("chain", Kind::Text, ""),
        Field::required("ticker", Kind::Text, ""),
        Field::required("decimals", Kind::Whole(0, 255), ""),
        Field::optional("contract_address", Kind::Text, "Unless is_native."),
        Field::optional("is_native", Kind::Flag, "The chain's own coin."),
        Field::optional("logo", Kind::Text, ""),
        Field::optional("price_provider_id", Kind::Text, ""),
    ],
};

static OLD_TOKEN: Shape = Shape {
    fields: &[
        Field::required("chain", Kind::Text, ""),
        Field::optional("contract_address", Kind::Text, ""),
        Field::optional("ticker", Kind::Text, "Instead of the contract, if only one token has it."),
    ],
};

/// The active vault while a call runs, and what it holds on disk and by the call's own entries so far.
struct Wallet<'a, 'c> {
    context: &'a mut Context<'c>,
    vault: Vault,
    held: Vec<Keyed<CoinRow>>,
}

impl<'a, 'c> Wallet<'a, 'c> {
    async fn open(context: &'a mut Context<'c>) -> Result<Self, ToolError> {
        let Some(vault) = vault::active(context.store).await? else {
            return Err(RequestError::NoVault.into());
        };
        // A vault that is deleted meanwhile gets no coins.
        vault::expect_unchanged(&vault, &mut context.batch);
        let vault = vault.record;
        let held = context.wallet.coins().rows(vault.id()).await?;
        Ok(Self { context, vault: *vault, held })
    }

    fn address(&self, chain: Chain) -> Result<String, RequestError> {
        match self.vault.address(chain.name()) {
            Some(address) => Ok(address.to_owned()),
            None => Err(RequestError::UnsupportedChain { chain }),
        }
    }

    fn holds_chain(&self, chain: Chain) -> bool {
        self.held.iter().any(|coin| coin.record.is_native_of(chain))
    }

    fn holds_token(&self, chain: Chain, contract: &str) -> bool {
        self.held.iter().any(|coin| coin.record.is(chain, contract))
    }

    /// Stages a coin that is not held, if it is still not held when all is committed.
    fn add(&mut self, chain: Chain, record: CoinRow) {
        let contract = record.contract_address.as_deref().unwrap_or_default();
        let key = coins::key(self.vault.id(), chain, contract);
        coins::stage_new(&key, &record, &mut self.context.batch);
        self.context.vault_modified = true;
        self.held.push(Keyed { key, text: String::new(), record });
    }
}
