//! From a keysign payload to one transaction, or two where an allowance comes first.
//!
//! | payload | to | value | data |
//! |---|---|---|---|
//! | native coin | `to_address` | `to_amount` | the memo: hex after `0x`, else text |
//! | token | the token | 0 | `transfer(to_address, to_amount)` |
//! | token, amount `0`, memo `0x…` | `to_address` | 0 | the memo |
//! | aggregator swap | `quote.tx.to` | `quote.tx.value` | `quote.tx.data` |
//! | THORChain or MayaChain swap, native | `vault_address` | `from_amount` | the memo |
//! | the same, token | `router_address` | 0 | `depositWithExpiry(vault, token, amount, memo, expiration)` |
//!
//! All are EIP-1559 but on BSC, which has legacy transactions whose gas price is the maximal fee. An aggregator's quote
//! raises gas limit and fee of the swap where it asks for more. An allowance takes the nonce, and the payload's own gas
//! and fee; what follows has the next nonce.

use super::{Address, Envelope, EvmTransaction, Fields, abi};
use crate::address::evm;
use crate::amount::{parse, parse_u64};
use crate::transaction::{Account, Claim, Role, Transaction};
use crate::{Amount, Chain, TransactionError, encoding, keysign};
use wire::keysign::keysign_payload::{BlockchainSpecific, SwapPayload};
use wire::keysign::{Coin, EthereumSpecific, KeysignPayload, OneInchTransaction, ThorChainSwapPayload};

/// The transactions of a payload: an allowance where it asks for one, then what it is for.
pub(crate) fn transactions(
    payload: &KeysignPayload,
    account: &Account,
) -> Result<Vec<Transaction>, TransactionError> {
    let (_, coin) = keysign::coin(payload)?;
    account.check(&coin.address)?;
    if payload.sign_data.is_some() || payload.contract_payload.is_some() {
        return Err(TransactionError::Unsupported {
            what: "sign data or a contract of another kind of chain",
        });
    }
    let gas = Gas::of(payload)?;
    let main = main(payload, coin, account, gas)?;
    let mut transactions = Vec::new();
    let mut nonce = gas.nonce;
    if let Some(approval) = &payload.erc20_approve_payload {
        let spender = address("erc20_approve_payload.spender", &approval.spender)?;
        let amount = parse("erc20_approve_payload.amount", &approval.amount)?;
        if main.form == Form::Transfer || spender != main.to {
            return Err(TransactionError::Unsafe {
                what: "the allowance is not for the contract that is called",
            });
        }
        let call = Main {
            form: Form::Transfer,
            to: contract("coin.contract_address", coin)?,
            value: Amount::ZERO,
            data: abi::encode(APPROVE, &[abi::word(&spender), amount.to_be_bytes()]),
            gas,
        };
        transactions.push(call.transaction(account, Role::Approval, nonce)?);
        nonce = nonce.checked_add(1).ok_or(TransactionError::Amount { field: "ethereum_specific.nonce" })?;
    }
    transactions.push(main.transaction(account, Role::Main, nonce)?.with_claims(claims(payload)));
    Ok(transactions)
}

/// What a payload says of its swap that is not in the transaction.
fn claims(payload: &KeysignPayload) -> Vec<Claim> {
    let swap = |provider: &str, to: &Option<Coin>, amount: &str| {
        let asset = to.as_ref().map_or("", |coin| &coin.ticker);
        let chain = to.as_ref().map_or("", |coin| &coin.chain);
        vec![
            Claim::new("swap provider", provider),
            Claim::new("asset to be received", asset),
            Claim::new("chain of what is received", chain),
            Claim::new("amount to be received", amount),
        ]
    };
    match &payload.swap_payload {
        Some(SwapPayload::ThorchainSwapPayload(of)) => {
            swap(Chain::ThorChain.name(), &of.to_coin, &of.to_amount_decimal)
        }
        Some(SwapPayload::MayachainSwapPayload(of)) => {
            swap(Chain::MayaChain.name(), &of.to_coin, &of.to_amount_decimal)
        }
        Some(SwapPayload::OneinchSwapPayload(of)) => {
            let mut claims = swap(&of.provider, &of.to_coin, &of.to_amount_decimal);
            let quoted = of.quote.as_ref().map_or("", |quote| &quote.dst_amount);
            claims.push(Claim::new("quoted amount in smallest units", quoted));
            claims
        }
        #[expect(deprecated, reason = "old payloads still carry it")]
        Some(SwapPayload::KyberswapSwapPayload(of)) => swap("", &of.to_coin, &of.to_amount_decimal),
        Some(SwapPayload::SwapkitSwapPayload(_)) | None => Vec::new(),
    }
}

/// `transfer(address,uint256)`
const TRANSFER: [u8; 4] = [0xa9, 0x05, 0x9c, 0xbb];
/// `approve(address,uint256)`
const APPROVE: [u8; 4] = [0x09, 0x5e, 0xa7, 0xb3];
/// `depositWithExpiry(address,address,uint256,string,uint256)`
const DEPOSIT: [u8; 4] = [0x44, 0xbc, 0x93, 0x7b];

/// What a payload says of gas.
#[derive(Debug, Clone, Copy)]
struct Gas {
    nonce: u64,
    limit: u64,
    max_fee: Amount,
    priority_fee: Amount,
}

impl Gas {
    fn of(payload: &KeysignPayload) -> Result<Self, TransactionError> {
        let Some(BlockchainSpecific::EthereumSpecific(specific)) = &payload.blockchain_specific else {
            return Err(TransactionError::Missing { field: "ethereum_specific" });
        };
        let EthereumSpecific { max_fee_per_gas_wei, priority_fee, nonce, gas_limit } = specific;
        let field = "ethereum_specific.nonce";
        Ok(Self {
            nonce: u64::try_from(*nonce).map_err(|_| TransactionError::Amount { field })?,
            limit: parse_u64("ethereum_specific.gas_limit", gas_limit)?,
            max_fee: parse("ethereum_specific.max_fee_per_gas_wei", max_fee_per_gas_wei)?,
            priority_fee: parse("ethereum_specific.priority_fee", priority_fee)?,
        })
    }

    /// What a quote asks for, where it is more.
    fn at_least(self, quote: &OneInchTransaction) -> Result<Self, TransactionError> {
        let field = "quote.tx.gas";
        let limit = u64::try_from(quote.gas).map_err(|_| TransactionError::Amount { field })?;
        let max_fee = parse_or_zero("quote.tx.gas_price", &quote.gas_price)?;
        Ok(Self { limit: self.limit.max(limit), max_fee: self.max_fee.max(max_fee), ..self })
    }
}

/// The transaction that an allowance may come before.
struct Main {
    form: Form,
    to: Address,
    value: Amount,
    data: Vec<u8>,
    gas: Gas,
}

/// What decides whether an allowance may come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Coins or tokens to a recipient.
    Transfer,
    /// A contract is called.
    Call,
}

impl Main {
    fn transaction(self, account: &Account, role: Role, nonce: u64) -> Result<Transaction, TransactionError> {
        let no_id = TransactionError::Unsupported { what: "a chain without an EVM chain id" };
        let fields = Fields {
            envelope: if account.chain == Chain::Bsc { Envelope::Legacy } else { Envelope::DynamicFee },
            chain_id: account.chain.evm_id().ok_or(no_id)?,
            nonce,
            priority_fee: if account.chain == Chain::Bsc { Amount::ZERO } else { self.gas.priority_fee },
            max_fee: self.gas.max_fee,
            gas_limit: self.gas.limit,
            to: Some(self.to),
            value: self.value,
            data: self.data,
            access_list: Vec::new(),
        };
        Ok(Transaction::new(account, role, EvmTransaction { fields }))
    }
}

fn main(
    payload: &KeysignPayload,
    coin: &Coin,
    account: &Account,
    gas: Gas,
) -> Result<Main, TransactionError> {
    match &payload.swap_payload {
        None => send(payload, coin, gas),
        Some(SwapPayload::ThorchainSwapPayload(swap) | SwapPayload::MayachainSwapPayload(swap)) => {
            memo_swap(payload, coin, swap, gas)
        }
        Some(SwapPayload::OneinchSwapPayload(swap)) => {
            quoted_swap(swap.quote.as_ref().and_then(|quote| quote.tx.as_ref()), account, gas)
        }
        #[expect(deprecated, reason = "old payloads still carry it")]
        Some(SwapPayload::KyberswapSwapPayload(swap)) => quoted_swap(kyber(swap).as_ref(), account, gas),
        Some(SwapPayload::SwapkitSwapPayload(_)) => {
            Err(TransactionError::Unsupported { what: "a SwapKit payload without an EVM quote" })
        }
    }
}

fn send(payload: &KeysignPayload, coin: &Coin, gas: Gas) -> Result<Main, TransactionError> {
    let to = address("to_address", &payload.to_address)?;
    let amount = parse("to_amount", &payload.to_amount)?;
    let memo = payload.memo.as_deref().unwrap_or_default();
    if coin.is_native_token {
        return Ok(Main { form: Form::Transfer, to, value: amount, data: memo_bytes(memo)?, gas });
    }
    let token = contract("coin.contract_address", coin)?;
    if amount.is_zero() && memo.starts_with("0x") {
        return Ok(Main { form: Form::Call, to, value: Amount::ZERO, data: memo_bytes(memo)?, gas });
    }
    let data = abi::encode(TRANSFER, &[abi::word(&to), amount.to_be_bytes()]);
    Ok(Main { form: Form::Transfer, to: token, value: Amount::ZERO, data, gas })
}

fn memo_bytes(memo: &str) -> Result<Vec<u8>, TransactionError> {
    match memo.strip_prefix("0x") {
        Some(digits) => encoding::from_hex("memo", digits),
        None => Ok(memo.as_bytes().to_vec()),
    }
}

/// The bytes come from the aggregator; that they are for this account is all that can be checked here.
fn quoted_swap(
    quote: Option<&OneInchTransaction>,
    account: &Account,
    gas: Gas,
) -> Result<Main, TransactionError> {
    let quote = quote.ok_or(TransactionError::Missing { field: "swap_payload.quote.tx" })?;
    if !quote.from.is_empty() {
        account.check(&quote.from)?;
    }
    Ok(Main {
        form: Form::Call,
        to: address("quote.tx.to", &quote.to)?,
        value: parse_or_zero("quote.tx.value", &quote.value)?,
        data: encoding::from_hex("quote.tx.data", &quote.data)?,
        gas: gas.at_least(quote)?,
    })
}

/// The old message of one aggregator, in the form of the one that replaced it.
fn kyber(swap: &wire::keysign::KyberSwapPayload) -> Option<OneInchTransaction> {
    let tx = swap.quote.as_ref()?.tx.clone()?;
    let wire::keysign::KyberSwapTransaction { from, to, data, value, gas_price, gas, .. } = tx;
    Some(OneInchTransaction { from, to, data, value, gas_price, gas, ..OneInchTransaction::default() })
}

/// The router's assets are contracts; a swap of another coin than the payload's is refused.
fn memo_swap(
    payload: &KeysignPayload,
    coin: &Coin,
    swap: &ThorChainSwapPayload,
    gas: Gas,
) -> Result<Main, TransactionError> {
    let from =
        swap.from_coin.as_ref().ok_or(TransactionError::Missing { field: "swap_payload.from_coin" })?;
    let memo = payload.memo.as_deref().filter(|memo| !memo.is_empty());
    let memo = memo.ok_or(TransactionError::Missing { field: "memo" })?;
    let vault = address("swap_payload.vault_address", &swap.vault_address)?;
    let amount = parse("swap_payload.from_amount", &swap.from_amount)?;
    let form = Form::Call;
    let other_coin = TransactionError::Unsafe { what: "the swap sells another coin than the payload's" };
    if Chain::parse(&from.chain) != Chain::parse(&coin.chain) || from.is_native_token != coin.is_native_token
    {
        return Err(other_coin);
    }
    if coin.is_native_token {
        return Ok(Main { form, to: vault, value: amount, data: memo.as_bytes().to_vec(), gas });
    }
    let token = contract("coin.contract_address", coin)?;
    if contract("swap_payload.from_coin.contract_address", from)? != token {
        return Err(other_coin);
    }
    let router = swap.router_address.as_deref().filter(|router| !router.is_empty());
    let router = router.ok_or(TransactionError::Missing { field: "swap_payload.router_address" })?;
    let data = deposit(&vault, &token, amount, memo, swap.expiration_time);
    Ok(Main { form, to: address("swap_payload.router_address", router)?, value: Amount::ZERO, data, gas })
}

/// The memo stands behind the five words of the arguments.
fn deposit(vault: &Address, token: &Address, amount: Amount, memo: &str, expiration: u64) -> Vec<u8> {
    let number = |number: u64| Amount::from(number).to_be_bytes::<32>();
    let length = u64::try_from(memo.len()).unwrap_or(u64::MAX);
    let words = [
        abi::word(vault),
        abi::word(token),
        amount.to_be_bytes(),
        number(160),
        number(expiration),
        number(length),
    ];
    let mut data = abi::encode(DEPOSIT, &words);
    data.extend_from_slice(memo.as_bytes());
    data.resize(data.len() + memo.len().wrapping_neg() % 32, 0);
    data
}

fn address(field: &'static str, text: &str) -> Result<Address, TransactionError> {
    if text.is_empty() {
        return Err(TransactionError::Missing { field });
    }
    evm::decode(text).map_err(|error| TransactionError::Address { field, error })
}

fn contract(field: &'static str, coin: &Coin) -> Result<Address, TransactionError> {
    address(field, &coin.contract_address)
}

/// Quotes leave out what is zero.
fn parse_or_zero(field: &'static str, text: &str) -> Result<Amount, TransactionError> {
    if text.is_empty() { Ok(Amount::ZERO) } else { parse(field, text) }
}
