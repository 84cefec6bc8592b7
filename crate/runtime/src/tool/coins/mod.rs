//! `add_chain`, `add_token`: what the vault holds (specification 000 §2, §3).
//!
//! A chain is in the vault when its own coin is. That coin is written with the chain and before any token on it, in
//! one batch. Addresses were derived from the vault's public keys when it came: no password is asked for.

use super::{
    AddressProblem, Category, Consequence, Context, Definition, Output, Params, RequestError, ToolError,
    resolve,
};
use crate::address::{self, Checked};
use crate::coins::{self, CoinRow};
use crate::vault;
use chains::{Chain, Kind};
use serde_json::Value;
use wire::address_book::Rows;
use wire::coins::{AddedChain, AddedToken};
use wire::json::{FieldError, Object};
use wire::sorted::SortedSet;
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
    let params = Object::new(params);
    let entries = params.some("chains", "entry")?;
    let mut wallet = Wallet::open(context).await?;
    let mut results = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        let mut row = AddedChain::default();
        let added = wallet.add_chain(params.element("chains", index), entry, &mut row);
        row.error = added.err().map(Into::into);
        row.success = row.error.is_none();
        results.push(row);
    }
    let rows = Rows { results };
    Ok(Output::rows(&rows, rows.results.iter().map(|row| row.error.as_ref())))
}

/// Every token is attempted; one that fails does not stop the next (T000-67).
pub(crate) async fn add_token(params: &Params, context: &mut Context<'_>) -> Result<Output, ToolError> {
    let params = Object::new(params);
    let entries = params.some("tokens", "entry")?;
    let checked = address::check(context.signer, entries.iter().filter_map(contract_in)).await?;
    let mut wallet = Wallet::open(context).await?;
    let mut results = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        let mut row = AddedToken::default();
        let added = wallet.add_token(params.element("tokens", index), entry, &checked, &mut row);
        row.error = added.err().map(Into::into);
        row.success = row.error.is_none();
        results.push(row);
    }
    let rows = Rows { results };
    Ok(Output::rows(&rows, rows.results.iter().map(|row| row.error.as_ref())))
}

/// The active vault while a call runs, and what it holds on disk and by the call's own entries so far.
struct Wallet<'a, 'c> {
    context: &'a mut Context<'c>,
    vault: Vault,
    held: SortedSet<String>,
}

impl<'a, 'c> Wallet<'a, 'c> {
    async fn open(context: &'a mut Context<'c>) -> Result<Self, ToolError> {
        let Some(vault) = vault::active(context.store).await? else {
            return Err(RequestError::NoVault.into());
        };
        // A vault that is deleted meanwhile gets no coins.
        vault::expect_unchanged(&vault, &mut context.batch);
        let vault = vault.record;
        let held = context.coins.keys_of(vault.id()).await?;
        Ok(Self { context, vault: *vault, held })
    }

    fn add_chain(&mut self, path: String, entry: &Value, row: &mut AddedChain) -> Result<(), RequestError> {
        let fields = Object::at(path, entry)?;
        row.chain = fields.given("chain");
        let chain = resolve(fields.required_word("chain")?)?;
        row.chain = Some(chain.name().to_owned());
        row.ticker = Some(chain.native().ticker.to_owned());
        let address = self.address(chain)?;
        row.address = Some(address.clone());
        self.add(chain, "", native(chain, address))
    }

    fn add_token(
        &mut self,
        path: String,
        entry: &Value,
        checked: &Checked,
        row: &mut AddedToken,
    ) -> Result<(), RequestError> {
        let fields = Object::at(path, entry)?;
        row.chain = fields.given("chain");
        row.ticker = fields.given("ticker");
        row.contract_address = fields.given("contract_address");
        let token = Token::read(&fields)?;
        let chain = token.chain;
        row.chain = Some(chain.name().to_owned());
        row.ticker = Some(token.ticker.clone());
        row.contract_address.clone_from(&token.contract);
        let address = self.address(chain)?;
        row.address = Some(address.clone());
        let Some(contract) = token.contract.clone() else {
            let coin = CoinRow { logo: token.logo, ..native(chain, address) };
            let price_provider_id = token.price_provider_id.or_else(|| coin.price_provider_id.clone());
            row.ticker = Some(coin.ticker.clone());
            self.add(chain, "", CoinRow { price_provider_id, ..coin })?;
            row.chain_added = true;
            return Ok(());
        };
        let id = if chain.kind() == Kind::Evm { contract.to_ascii_lowercase() } else { contract.clone() };
        if self.holds(chain, &id) {
            return Err(RequestError::AlreadyExists);
        }
        let contract = spell_contract(chain, &contract, checked)?;
        row.contract_address = Some(contract.clone());
        if !self.holds(chain, "") {
            self.add(chain, "", native(chain, address.clone()))?;
            row.chain_added = true;
        }
        let coin = CoinRow {
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

    fn address(&self, chain: Chain) -> Result<String, RequestError> {
        match self.vault.address(chain.name()) {
            Some(address) => Ok(address.to_owned()),
            None => Err(RequestError::UnsupportedChain { chain }),
        }
    }

    fn key(&self, chain: Chain, id: &str) -> String {
        coins::key(self.vault.id(), chain, id)
    }

    fn holds(&self, chain: Chain, id: &str) -> bool {
        self.held.contains(&self.key(chain, id))
    }

    /// Stages a coin that is not held, if it is still not held when all is committed.
    fn add(&mut self, chain: Chain, id: &str, coin: CoinRow) -> Result<(), RequestError> {
        let key = self.key(chain, id);
        if self.held.contains(&key) {
            return Err(RequestError::AlreadyExists);
        }
        coins::stage_new(&key, &coin, &mut self.context.batch);
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
    fn read(fields: &Object<'_>) -> Result<Self, RequestError> {
        let chain = resolve(fields.required_word("chain")?)?;
        let ticker = fields.required_word("ticker")?;
        let decimals = fields
            .whole("decimals", 0, 255)
            .and_then(|decimals| u8::try_from(decimals).ok())
            .ok_or_else(|| fields.broken("decimals", "must be an integer from 0 to 255"))?;
        let contract = if fields.flag("is_native")? {
            check_native(fields, chain, ticker, decimals)?;
            None
        } else {
            Some(fields.required_word("contract_address")?)
        };
        let logo = fields.word("logo")?;
        let price_provider_id = fields.word("price_provider_id")?;
        let texts = [Some(ticker), contract, logo, price_provider_id];
        if texts.into_iter().flatten().any(|text| text.len() > MAX_TEXT) {
            return Err(fields.broken_itself("has a text of more than 2000 bytes").into());
        }
        let owned = |text: Option<&str>| text.map(str::to_owned);
        Ok(Self {
            chain,
            ticker: ticker.to_owned(),
            contract: owned(contract),
            decimals,
            logo: owned(logo),
            price_provider_id: owned(price_provider_id),
        })
    }
}

/// A chain has one coin of its own. Under another name it is a mistake, and with other decimals every amount would be
/// wrong by powers of ten.
fn check_native(fields: &Object<'_>, chain: Chain, ticker: &str, decimals: u8) -> Result<(), FieldError> {
    let native = chain.native();
    if !chain.is_native_ticker(ticker) {
        let problem = format!("is not the native coin of {chain}, which is {}", native.ticker);
        return Err(fields.broken("ticker", problem));
    }
    if decimals != native.decimals {
        let problem = format!("must be {}, as {} has them", native.decimals, native.ticker);
        return Err(fields.broken("decimals", problem));
    }
    Ok(())
}

/// The contract that an entry names, where its chain names contracts by addresses.
fn contract_in(entry: &Value) -> Option<(Chain, &str)> {
    address::named(entry, "contract_address").filter(|(chain, _)| names_contracts_by_address(chain.kind()))
}

const fn names_contracts_by_address(kind: Kind) -> bool {
    matches!(kind, Kind::Evm | Kind::Solana | Kind::Tron | Kind::Ton)
}

/// A contract in its chain's one spelling, where its chain names contracts by addresses.
fn spell_contract(chain: Chain, given: &str, checked: &Checked) -> Result<String, RequestError> {
    let refused = |problem: AddressProblem| RequestError::InvalidAddress { chain, problem };
    match chain.kind() {
        Kind::Evm if NOT_CONTRACTS.iter().any(|other| other.eq_ignore_ascii_case(given)) => {
            Err(refused(AddressProblem::StandsForNative))
        }
        kind if names_contracts_by_address(kind) => {
            checked.canonical(chain, given).map_err(|error| refused(error.into()))
        }
        _ if given.bytes().all(|byte| byte.is_ascii_graphic()) => Ok(given.to_owned()),
        _ => Err(refused(AddressProblem::Character)),
    }
}

/// A chain's own coin.
fn native(chain: Chain, address: String) -> CoinRow {
    let native = chain.native();
    CoinRow {
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
