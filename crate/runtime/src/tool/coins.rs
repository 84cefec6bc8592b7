//! `add_chain`, `add_token`: what the vault holds (specification 000 §2, §3).
//!
//! A chain is in the vault when its own coin is. That coin is written with the chain and before any token on it, in
//! one batch. Addresses were derived from the vault's public keys when it came: nobody is asked for a password.

use super::params::{entries, invalid, object, required, resolve, text};
use super::{Category, Consequence, Context, Definition, Output, Params, ToolError};
use crate::store::{Range, Store, StoreError, Stored, Table, parse};
use crate::vault;
use chains::{Chain, Kind, address};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use wire::address_book::Rows;
use wire::coins::{AddedChain, AddedToken, Coin};
use wire::vault::Vault;

/// Adding chains.
pub const ADD_CHAIN: Definition = Definition {
    name: "add_chain",
    description: "Adds chains to the vault, each with its address and its own coin. Use when the user wants to hold or \
                  receive on a chain; for a token use add_token, which adds the chain by itself.",
    category: Category::Write,
    consequence: Consequence::Low,
    requires_confirmation: false,
};

/// Adding tokens.
pub const ADD_TOKEN: Definition = Definition {
    name: "add_token",
    description: "Adds tokens to the vault by chain and contract, with the chains that are not in it yet.",
    category: Category::Write,
    consequence: Consequence::Low,
    requires_confirmation: false,
};

/// No ticker, logo, price id or contract is longer, in bytes.
const MAX_TEXT: usize = 2_000;

/// What aggregators write for a chain's own coin; as contracts of tokens these would be traps.
const NOT_CONTRACTS: [&str; 2] =
    ["0x0000000000000000000000000000000000000000", "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"];

/// Every chain is attempted; one that fails does not stop the next.
pub(crate) async fn add_chain(params: &Params, context: &mut Context<'_>) -> Result<Output, ToolError> {
    let entries = entries(params, "chains")?;
    let mut wallet = Wallet::open(context).await?;
    let mut results = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        let mut row = AddedChain::default();
        row.error = wallet.add_chain(&format!("/chains/{index}"), entry, &mut row).err();
        row.success = row.error.is_none();
        results.push(row);
    }
    let rows = Rows { results };
    Ok(Output::rows(&rows, rows.results.iter().map(|row| row.error.as_deref())))
}

/// Every token is attempted; one that fails does not stop the next (T000-67).
pub(crate) async fn add_token(params: &Params, context: &mut Context<'_>) -> Result<Output, ToolError> {
    let entries = entries(params, "tokens")?;
    let mut wallet = Wallet::open(context).await?;
    let mut results = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        let mut row = AddedToken::default();
        row.error = wallet.add_token(&format!("/tokens/{index}"), entry, &mut row).err();
        row.success = row.error.is_none();
        results.push(row);
    }
    let rows = Rows { results };
    Ok(Output::rows(&rows, rows.results.iter().map(|row| row.error.as_deref())))
}

/// A vault's coins, in the order of their chains, each chain's own coin first.
pub(crate) async fn of_vault(store: &dyn Store, vault: &str) -> Result<Vec<Coin>, StoreError> {
    let rows = store.scan(Table::Coins, Range::prefix(format!("{vault}/"))).await?;
    rows.iter().map(|row| parse(Table::Coins, &row.key, &row.text)).collect()
}

/// The active vault while a call runs, and what it holds on disk and by the call's own entries so far.
struct Wallet<'a, 'c> {
    context: &'a mut Context<'c>,
    vault: Vault,
    held: BTreeSet<String>,
}

impl<'a, 'c> Wallet<'a, 'c> {
    async fn open(context: &'a mut Context<'c>) -> Result<Self, ToolError> {
        let Some(Stored { text, record: vault }) = vault::active(context.store).await? else {
            let reason = "no_vault: there is no vault yet that could hold anything";
            return Err(ToolError::Refused(reason.to_owned()));
        };
        // A vault that is deleted meanwhile gets no coins.
        context.batch.expect(Table::Vaults, vault.id(), Some(&text));
        let rows = context.store.scan(Table::Coins, Range::prefix(format!("{}/", vault.id()))).await?;
        let mut held = BTreeSet::new();
        held.extend(rows.into_iter().map(|row| row.key));
        Ok(Self { context, vault, held })
    }

    fn add_chain(&mut self, path: &str, entry: &Value, row: &mut AddedChain) -> Result<(), String> {
        let fields = object(path, entry)?;
        row.chain = given(fields, "chain");
        let chain = resolve(&required(fields, path, "chain")?)?;
        row.chain = Some(chain.name().to_owned());
        row.ticker = Some(chain.native().ticker.to_owned());
        let address = self.address(chain)?;
        row.address = Some(address.clone());
        self.add(chain, "", native(chain, address))
    }

    fn add_token(&mut self, path: &str, entry: &Value, row: &mut AddedToken) -> Result<(), String> {
        let fields = object(path, entry)?;
        row.chain = given(fields, "chain");
        row.ticker = given(fields, "ticker");
        row.contract_address = given(fields, "contract_address");
        let token = Token::read(path, fields)?;
        let chain = token.chain;
        row.chain = Some(chain.name().to_owned());
        row.ticker = Some(token.ticker.clone());
        row.contract_address.clone_from(&token.contract);
        let address = self.address(chain)?;
        row.address = Some(address.clone());
        let Some(contract) = token.contract.clone() else {
            let coin = Coin { logo: token.logo, ..native(chain, address) };
            let price_provider_id = token.price_provider_id.or_else(|| coin.price_provider_id.clone());
            row.ticker = Some(coin.ticker.clone());
            self.add(chain, "", Coin { price_provider_id, ..coin })?;
            row.chain_added = true;
            return Ok(());
        };
        let id = if chain.kind() == Kind::Evm { contract.to_ascii_lowercase() } else { contract.clone() };
        if self.holds(chain, &id) {
            return Err("already_exists".to_owned());
        }
        let contract = spell_contract(chain, &contract)?;
        row.contract_address = Some(contract.clone());
        if !self.holds(chain, "") {
            self.add(chain, "", native(chain, address.clone()))?;
            row.chain_added = true;
        }
        let coin = Coin {
            chain: chain.name().to_owned(),
            ticker: token.ticker,
            address,
            contract_address: Some(contract),
            decimals: token.decimals,
            is_native: false,
            logo: token.logo,
            price_provider_id: token.price_provider_id,
        };
        self.add(chain, &id, coin)
    }

    fn address(&self, chain: Chain) -> Result<String, String> {
        match self.vault.address(chain.name()) {
            Some(address) => Ok(address.to_owned()),
            None => Err(format!("unsupported_chain: {chain} needs a key that this vault does not have")),
        }
    }

    fn key(&self, chain: Chain, id: &str) -> String {
        [self.vault.id(), "/", chain.name(), "/", id].concat()
    }

    fn holds(&self, chain: Chain, id: &str) -> bool {
        self.held.contains(&self.key(chain, id))
    }

    /// Stages a coin that is not held, if it is still not held when all is committed.
    fn add(&mut self, chain: Chain, id: &str, coin: Coin) -> Result<(), String> {
        let key = self.key(chain, id);
        if self.held.contains(&key) {
            return Err("already_exists".to_owned());
        }
        self.context.batch.expect(Table::Coins, &key, None);
        self.context.batch.put(Table::Coins, &key, &coin);
        self.context.vault_modified = true;
        self.held.insert(key);
        Ok(())
    }
}

/// What one entry of `add_token` asks for.
struct Token {
    chain: Chain,
    ticker: String,
    /// As given; `None` is the chain's own coin.
    contract: Option<String>,
    decimals: u8,
    logo: Option<String>,
    price_provider_id: Option<String>,
}

impl Token {
    fn read(path: &str, fields: &Map<String, Value>) -> Result<Self, String> {
        let chain = resolve(&required(fields, path, "chain")?)?;
        let ticker = required(fields, path, "ticker")?;
        let decimals = fields
            .get("decimals")
            .and_then(Value::as_u64)
            .and_then(|decimals| u8::try_from(decimals).ok())
            .ok_or_else(|| invalid(&format!("{path}/decimals"), "must be an integer from 0 to 255"))?;
        let is_native = match fields.get("is_native") {
            None | Some(Value::Null) => false,
            Some(Value::Bool(is_native)) => *is_native,
            Some(_) => return Err(invalid(&format!("{path}/is_native"), "must be true or false")),
        };
        let contract = if is_native {
            check_native(path, chain, &ticker, decimals)?;
            None
        } else {
            Some(required(fields, path, "contract_address")?)
        };
        let logo = text(fields, path, "logo")?;
        let price_provider_id = text(fields, path, "price_provider_id")?;
        let texts = [Some(&ticker), contract.as_ref(), logo.as_ref(), price_provider_id.as_ref()];
        if texts.into_iter().flatten().any(|text| text.len() > MAX_TEXT) {
            return Err(invalid(path, "has a text of more than 2000 bytes"));
        }
        Ok(Self { chain, ticker, contract, decimals, logo, price_provider_id })
    }
}

/// A chain has one coin of its own. Under another name it is a mistake, and with other decimals every amount would be
/// wrong by powers of ten.
fn check_native(path: &str, chain: Chain, ticker: &str, decimals: u8) -> Result<(), String> {
    let native = chain.native();
    if !chain.is_native_ticker(ticker) {
        let problem = format!("is not the native coin of {chain}, which is {}", native.ticker);
        return Err(invalid(&format!("{path}/ticker"), &problem));
    }
    if decimals != native.decimals {
        let problem = format!("must be {}, as {} has them", native.decimals, native.ticker);
        return Err(invalid(&format!("{path}/decimals"), &problem));
    }
    Ok(())
}

/// A contract in its chain's one spelling, where its chain names contracts by addresses.
fn spell_contract(chain: Chain, given: &str) -> Result<String, String> {
    let refused = |problem: &dyn std::fmt::Display| format!("invalid_address: {chain}: {problem}");
    match chain.kind() {
        Kind::Evm if NOT_CONTRACTS.iter().any(|other| other.eq_ignore_ascii_case(given)) => {
            Err(refused(&"this stands for the chain's own coin, which is added with is_native"))
        }
        Kind::Evm | Kind::Solana | Kind::Tron | Kind::Ton => {
            address::normalise(chain, given).map_err(|error| refused(&error))
        }
        _ if given.bytes().all(|byte| byte.is_ascii_graphic()) => Ok(given.to_owned()),
        _ => Err(refused(&"the contract has a character that none has")),
    }
}

/// A chain's own coin, as everybody knows it.
fn native(chain: Chain, address: String) -> Coin {
    let native = chain.native();
    Coin {
        chain: chain.name().to_owned(),
        ticker: native.ticker.to_owned(),
        address,
        contract_address: None,
        decimals: native.decimals,
        is_native: true,
        logo: None,
        price_provider_id: Some(chain.facts().price_id.to_owned()),
    }
}

/// A field as it was given, for the row of an entry that is refused.
fn given(fields: &Map<String, Value>, name: &str) -> Option<String> {
    fields.get(name).and_then(Value::as_str).map(str::to_owned)
}
