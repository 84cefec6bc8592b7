//! Adding: every entry is attempted. A token is held against our table and against the chain before it is stored.

use super::Wallet;
use crate::address::{AddressError, Unavailable};
use crate::call::CallRow;
use crate::coins::{CoinRow, TokenFact, against_chain, against_table, ask_table};
use crate::ports::Signer;
use crate::tool::{Context, Output, Params, RequestError, ToolError, resolve};
use chains::Chain;
use serde_json::Value;
use wire::address_book::{AddedBy, Rows};
use wire::coins::{AddedChain, AddedToken, DecimalsSource};
use wire::json::{FieldError, Object};
use wire::signer::{CheckedAddress, CheckedToken, TokenToCheck};

/// No ticker, logo, price id or contract is longer, in bytes.
const MAX_TEXT: usize = 2_000;

/// Every chain is attempted; one that fails does not stop the next.
pub(super) async fn add_chain(params: &Params, context: &mut Context<'_>) -> Result<Output, ToolError> {
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
pub(super) async fn add_token(call: &CallRow, context: &mut Context<'_>) -> Result<Output, ToolError> {
    let params = Object::new(&call.params);
    let mut entries = params.some("tokens", "entry")?.to_vec();
    if call.legacy {
        complete(context.wallet.signer(), &mut entries).await?;
    }
    let (signer, facts) = (context.wallet.signer(), context.wallet.facts());
    let mut wallet = Wallet::open(context).await?;
    let mut candidates: Vec<Candidate> = entries
        .iter()
        .enumerate()
        .map(|(index, entry)| Candidate::read(params.element("tokens", index), entry))
        .collect();
    check(signer, &mut candidates).await?;
    let asked: Vec<_> = candidates.iter().map(|candidate| wallet.unknown(candidate)).collect();
    for (candidate, fact) in candidates.iter_mut().zip(facts.ask(&asked).await) {
        candidate.fact = fact;
    }
    let results = candidates.into_iter().map(|candidate| wallet.add_candidate(candidate)).collect();
    let rows = Rows { results };
    Ok(Output::rows(&rows, rows.results.iter().map(|row: &AddedToken| row.error.as_ref())))
}

/// An older request may leave out what is well known: the contract and the decimals of a common token (T000-108).
async fn complete(signer: &dyn Signer, entries: &mut [Value]) -> Result<(), Unavailable> {
    let mut incomplete: Vec<(&mut Params, TokenToCheck)> = entries
        .iter_mut()
        .filter_map(Value::as_object_mut)
        .filter_map(|fields| incomplete(fields).map(|token| (fields, token)))
        .collect();
    let tokens = incomplete.iter().map(|(_, token)| token.clone()).collect();
    for ((fields, token), checked) in incomplete.iter_mut().zip(ask_table(signer, tokens).await?) {
        let known = if token.contract.is_some() { checked.listed } else { checked.meant };
        let Some(known) = known else { continue };
        if token.contract.is_none() {
            fields.insert("contract_address".to_owned(), known.contract.into());
        }
        if lacks(fields, "decimals") {
            fields.insert("decimals".to_owned(), known.decimals.into());
        }
    }
    Ok(())
}

/// The token of an entry without a contract or without decimals, as far as it is named.
fn incomplete(fields: &Params) -> Option<TokenToCheck> {
    let word = |name: &str| {
        let text = fields.get(name).and_then(Value::as_str).map(str::trim);
        text.filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let is_native = fields.get("is_native") == Some(&Value::Bool(true));
    let contract = word("contract_address");
    let complete = contract.is_some() && !lacks(fields, "decimals");
    let chain = Chain::parse(&word("chain")?).filter(|_| !complete && !is_native)?;
    Some(TokenToCheck { chain: chain.name().to_owned(), ticker: word("ticker")?, contract })
}

fn lacks(fields: &Params, name: &str) -> bool {
    fields.get(name).is_none_or(Value::is_null)
}

/// Checks the tokens of the entries that could be read.
async fn check(signer: &dyn Signer, candidates: &mut [Candidate]) -> Result<(), Unavailable> {
    let to_check = |candidate: &Candidate| {
        let token = candidate.token.as_ref().ok().filter(|token| token.contract.is_some())?;
        let (chain, ticker) = (token.chain.name().to_owned(), token.ticker.clone());
        Some(TokenToCheck { chain, ticker, contract: token.contract.clone() })
    };
    let asked = candidates.iter().filter_map(to_check).collect();
    let mut checked = ask_table(signer, asked).await?.into_iter();
    for candidate in candidates {
        if to_check(candidate).is_some() {
            candidate.checked = checked.next();
        }
    }
    Ok(())
}

/// One entry of `add_token` on its way to its row.
struct Candidate {
    path: String,
    row: AddedToken,
    token: Result<Token, RequestError>,
    /// What our table says of it; nothing of a chain's own coin.
    checked: Option<CheckedToken>,
    /// What the chain says of it.
    fact: Option<TokenFact>,
}

impl Candidate {
    fn read(path: String, entry: &Value) -> Self {
        let mut row = AddedToken::default();
        let token = Object::at(path.clone(), entry).map_err(RequestError::from).and_then(|fields| {
            row.chain = fields.given("chain");
            row.ticker = fields.given("ticker");
            row.contract_address = fields.given("contract_address");
            Token::read(&fields)
        });
        Self { path: path + "/", row, token, checked: None, fact: None }
    }
}

impl Wallet<'_, '_> {
    fn add_chain(&mut self, path: String, entry: &Value, row: &mut AddedChain) -> Result<(), RequestError> {
        let fields = Object::at(path, entry)?;
        row.chain = fields.given("chain");
        let chain = resolve(fields.required_word("chain")?)?;
        row.chain = Some(chain.name().to_owned());
        row.ticker = Some(chain.native().ticker.to_owned());
        let address = self.address(chain)?;
        row.address = Some(address.clone());
        let coin = self.native(chain, address);
        self.add_native(chain, coin)
    }

    /// The contract that nodes are asked about: that of a token which could be added, and which our table does not know.
    fn unknown(&self, candidate: &Candidate) -> Option<(Chain, String)> {
        let token = candidate.token.as_ref().ok()?;
        let checked = candidate.checked.as_ref()?;
        let Some(CheckedAddress::Valid { canonical }) = &checked.contract else { return None };
        let listed = against_table(checked, token.decimals, &candidate.path).ok()?;
        let wanted = listed.is_none() && !self.holds_token(token.chain, canonical);
        (wanted && self.address(token.chain).is_ok()).then(|| (token.chain, canonical.clone()))
    }

    fn add_candidate(&mut self, candidate: Candidate) -> AddedToken {
        let Candidate { path, mut row, token, checked, fact } = candidate;
        let added = token.and_then(|token| match &checked {
            None => self.add_native_token(token, &mut row),
            Some(checked) => self.add_token(token, checked, fact, &path, &mut row),
        });
        row.error = added.err().map(Into::into);
        row.success = row.error.is_none();
        row
    }

    fn add_native_token(&mut self, token: Token, row: &mut AddedToken) -> Result<(), RequestError> {
        let (chain, address) = self.begin(&token, row)?;
        let coin = CoinRow { logo: token.logo, ..self.native(chain, address) };
        let price_provider_id = token.price_provider_id.or_else(|| coin.price_provider_id.clone());
        row.ticker = Some(coin.ticker.clone());
        self.add_native(chain, CoinRow { price_provider_id, ..coin })?;
        row.chain_added = true;
        Ok(())
    }

    fn add_token(
        &mut self,
        token: Token,
        checked: &CheckedToken,
        fact: Option<TokenFact>,
        path: &str,
        row: &mut AddedToken,
    ) -> Result<(), RequestError> {
        let (chain, address) = self.begin(&token, row)?;
        let given = token.contract.unwrap_or_default();
        let contract = match &checked.contract {
            Some(CheckedAddress::Valid { canonical }) => Ok(canonical.clone()),
            Some(CheckedAddress::Invalid { problem }) => Err(AddressError::Invalid(problem.clone())),
            None => Err(AddressError::Unchecked),
        };
        // A token that is held is known by its contract, even where the case of a digit is wrong.
        if self.holds_token(chain, contract.as_ref().unwrap_or(&given)) {
            return Err(RequestError::AlreadyExists);
        }
        let contract = contract.map_err(|problem| RequestError::InvalidAddress { chain, problem })?;
        let listed = against_table(checked, token.decimals, path)?;
        let decimals_from = match listed {
            Some(_) => DecimalsSource::Table,
            None => against_chain(fact, token.decimals, path)?,
        };
        // Under another name than its own a well-known token would not be recognised.
        let ticker = listed.map_or(token.ticker, |listed| listed.ticker.clone());
        row.ticker = Some(ticker.clone());
        row.contract_address = Some(contract.clone());
        if !self.holds_chain(chain) {
            let coin = self.native(chain, address.clone());
            self.add(chain, coin);
            row.chain_added = true;
        }
        let added_by = self.context.wallet.added_by.clone();
        let coin = CoinRow {
            chain: chain.name().to_owned(),
            ticker,
            address,
            contract_address: Some(contract),
            decimals: token.decimals,
            is_native: false,
            logo: token.logo,
            price_provider_id: token.price_provider_id,
            confirmed: listed.is_some() || added_by == AddedBy::User,
            added_by: Some(added_by),
            decimals_from,
        };
        self.add(chain, coin);
        Ok(())
    }

    /// What the row of every token says, also of one that is refused further on.
    fn begin(&self, token: &Token, row: &mut AddedToken) -> Result<(Chain, String), RequestError> {
        let chain = token.chain;
        row.chain = Some(chain.name().to_owned());
        row.ticker = Some(token.ticker.clone());
        row.contract_address.clone_from(&token.contract);
        let address = self.address(chain)?;
        row.address = Some(address.clone());
        Ok((chain, address))
    }

    fn add_native(&mut self, chain: Chain, coin: CoinRow) -> Result<(), RequestError> {
        if self.holds_chain(chain) {
            return Err(RequestError::AlreadyExists);
        }
        self.add(chain, coin);
        Ok(())
    }

    /// A chain's own coin.
    fn native(&self, chain: Chain, address: String) -> CoinRow {
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
            added_by: Some(self.context.wallet.added_by.clone()),
            confirmed: true,
            decimals_from: DecimalsSource::Table,
        }
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
