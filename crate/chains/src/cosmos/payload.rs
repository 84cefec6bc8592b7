//! From a keysign payload to a transaction: a transfer, a transfer over IBC, a call of a contract, a vote, or bytes
//! that others built.

use super::message::Message;
use super::proto::{Coin, Fee, Height, MsgExecuteContract, MsgSend, MsgTransfer, MsgVote, SignDoc};
use super::table::{Row, Style};
use super::{Signer, Tx, amino, row, thorchain};
use crate::address::cosmos as address;
use crate::transaction::{Account, Claim, Role, Transaction};
use crate::{AddressError, Chain, TransactionError, amount, encoding, keysign, swap_claims};
use wire::keysign::keysign_payload::{BlockchainSpecific, ContractPayload, SignData, SwapPayload};
use wire::keysign::{
    CosmosSpecific, KeysignPayload, SignDirect, TransactionType, WasmExecuteContractPayload,
};

/// The one transaction of a payload.
pub(crate) fn transactions(
    payload: &KeysignPayload,
    account: &Account,
) -> Result<Vec<Transaction>, TransactionError> {
    let (_, coin) = keysign::coin(payload)?;
    account.check(&coin.address)?;
    let row = row(account.chain)?;
    let (account_number, sequence) = numbers(payload, account.chain)?;
    let ml_dsa = match account.chain {
        Chain::Qbtc => Some(encoding::from_hex("coin.hex_public_key", &coin.hex_public_key)?),
        _ => None,
    };
    let signer = Signer { account, ml_dsa: ml_dsa.as_deref(), account_number, sequence };
    let tx = match &payload.sign_data {
        Some(SignData::SignDirect(doc)) => direct(doc, &signer)?,
        Some(SignData::SignAmino(doc)) => amino::transaction(doc, payload.memo(), &signer)?,
        Some(_) => return Err(TransactionError::Unsupported { what: "bytes for another kind of chain" }),
        None => build(payload, &row, &signer)?,
    };
    Ok(vec![Transaction::new(account, Role::Main, tx).with_claims(claims(payload))])
}

/// What the payload says and the signature does not cover: of a swap, and the chain that a transfer over IBC goes to,
/// of which the bytes have the channel only.
fn claims(payload: &KeysignPayload) -> Vec<Claim> {
    let mut claims = swap_claims::of(payload);
    if let Some(BlockchainSpecific::CosmosSpecific(specific)) = &payload.blockchain_specific
        && payload.sign_data.is_none()
        && kind(specific.transaction_type) == Ok(TransactionType::IbcTransfer)
    {
        let (chain, _) = payload.memo().split_once(':').unwrap_or_default();
        claims.push(swap_claims::claim("destination chain", chain));
    }
    claims
}

/// Account number and sequence; the chain decides in which part of the payload they are.
fn numbers(payload: &KeysignPayload, chain: Chain) -> Result<(u64, u64), TransactionError> {
    match (&payload.blockchain_specific, chain) {
        (Some(BlockchainSpecific::ThorchainSpecific(specific)), Chain::ThorChain) => {
            Ok((specific.account_number, specific.sequence))
        }
        (Some(BlockchainSpecific::MayaSpecific(specific)), Chain::MayaChain) => {
            Ok((specific.account_number, specific.sequence))
        }
        (Some(BlockchainSpecific::CosmosSpecific(specific)), chain) if row(chain)?.style == Style::Sdk => {
            Ok((specific.account_number, specific.sequence))
        }
        _ => Err(TransactionError::Missing { field: "blockchain_specific" }),
    }
}

/// Body and signer's part as they are. What stands beside them must agree.
fn direct(stated: &SignDirect, signer: &Signer<'_>) -> Result<Tx, TransactionError> {
    let field = "sign_direct.account_number";
    let account_number = amount::parse_u64(field, &stated.account_number)?;
    if account_number != signer.account_number {
        let reason = "is not the one of blockchain_specific";
        return Err(TransactionError::Malformed { field, reason });
    }
    let doc = SignDoc {
        body_bytes: encoding::from_base64("sign_direct.body_bytes", &stated.body_bytes)?,
        auth_info_bytes: encoding::from_base64("sign_direct.auth_info_bytes", &stated.auth_info_bytes)?,
        chain_id: stated.chain_id.clone(),
        account_number,
    };
    Tx::direct(doc, signer.account, &signer.key())
}

fn build(payload: &KeysignPayload, row: &Row, signer: &Signer<'_>) -> Result<Tx, TransactionError> {
    let specific = match &payload.blockchain_specific {
        Some(BlockchainSpecific::CosmosSpecific(specific)) => specific,
        _ => return thorchain::build(payload, row, signer),
    };
    let (message, memo) = match kind(specific.transaction_type)? {
        TransactionType::Unspecified => sent(payload, row, signer)?,
        TransactionType::IbcTransfer => ibc(payload, row, specific, signer)?,
        TransactionType::GenericContract => (contract(payload)?, payload.memo().to_owned()),
        TransactionType::Vote => (vote(payload, signer)?, String::new()),
        _ => return Err(TransactionError::Unsupported { what: "this transaction_type on a Cosmos chain" }),
    };
    let fee = Fee {
        amount: vec![Coin { denom: fee_denom(payload, row, signer), amount: specific.gas.to_string() }],
        gas_limit: specific.gas_limit.unwrap_or(row.gas_limit),
        ..Fee::default()
    };
    signer.direct(&[message], &memo, fee)
}

/// What a payload says that it is. A type from a later version must not pass for a plain payment.
pub(super) fn kind(number: i32) -> Result<TransactionType, TransactionError> {
    let what = "a transaction_type that is not known here";
    TransactionType::try_from(number).map_err(|_| TransactionError::Unsupported { what })
}

/// Terra Classic takes the tax on its own stable coins, and with it the fee, in the coin that is sent.
fn fee_denom(payload: &KeysignPayload, row: &Row, signer: &Signer<'_>) -> String {
    let token = payload
        .coin
        .as_ref()
        .map_or("", |coin| if coin.is_native_token { "" } else { &coin.contract_address });
    if signer.account.chain == Chain::TerraClassic && token.starts_with('u') {
        return token.to_owned();
    }
    row.denom.to_owned()
}

/// A payment, or what a swap asks to be paid to the network's vault.
fn sent(
    payload: &KeysignPayload,
    row: &Row,
    signer: &Signer<'_>,
) -> Result<(Message, String), TransactionError> {
    let memo = payload.memo().to_owned();
    let (to, sum) = match &payload.swap_payload {
        None => (&payload.to_address, amount::parse("to_amount", &payload.to_amount)?),
        Some(SwapPayload::ThorchainSwapPayload(swap) | SwapPayload::MayachainSwapPayload(swap)) => {
            if memo.is_empty() {
                return Err(TransactionError::Missing { field: "memo" });
            }
            (&swap.vault_address, amount::parse("from_amount", &swap.from_amount)?)
        }
        Some(_) => return Err(TransactionError::Unsupported { what: "this swap on a Cosmos chain" }),
    };
    if signer.account.chain != Chain::Qbtc {
        address::check_any(to).map_err(|error| TransactionError::Address { field: "to_address", error })?;
    }
    let message = match asset(payload, row, signer)? {
        Held::Denom(denom) => Message::Send(MsgSend {
            from_address: signer.account.address.clone(),
            to_address: to.clone(),
            amount: vec![Coin { denom, amount: sum.to_string() }],
        }),
        Held::Contract(contract) => Message::Execute(MsgExecuteContract {
            sender: signer.account.address.clone(),
            contract,
            msg: format!(r#"{{"transfer": {{ "amount": "{sum}", "recipient": "{to}" }} }}"#).into_bytes(),
            funds: Vec::new(),
        }),
    };
    Ok((message, memo))
}

/// How the chain keeps a coin.
enum Held {
    /// In the bank module.
    Denom(String),
    /// In a contract.
    Contract(String),
}

fn asset(payload: &KeysignPayload, row: &Row, signer: &Signer<'_>) -> Result<Held, TransactionError> {
    let (chain, coin) = keysign::coin(payload)?;
    if coin.is_native_token {
        return Ok(Held::Denom(row.denom.to_owned()));
    }
    let field = "coin.contract_address";
    let id = &coin.contract_address;
    if address::decode(signer.account.chain.bech32_hrp().unwrap_or_default(), id).is_ok() {
        return match chain {
            Chain::Terra | Chain::TerraClassic => Ok(Held::Contract(id.clone())),
            _ => Err(TransactionError::Unsupported { what: "a token that is a contract on this chain" }),
        };
    }
    check_denom(field, id)?;
    Ok(Held::Denom(id.clone()))
}

/// A letter, then 2 to 127 letters, digits or `/:._-`.
pub(super) fn check_denom(field: &'static str, denom: &str) -> Result<(), TransactionError> {
    let inside = |byte: u8| byte.is_ascii_alphanumeric() || b"/:._-".contains(&byte);
    let fits = (3..=128).contains(&denom.len())
        && denom.starts_with(|first: char| first.is_ascii_alphabetic())
        && denom.bytes().all(inside);
    if fits { Ok(()) } else { Err(TransactionError::Malformed { field, reason: "is not a denom" }) }
}

/// The payload packs the destination into the memo: `chain:channel:address[:memo]`.
fn ibc(
    payload: &KeysignPayload,
    row: &Row,
    specific: &CosmosSpecific,
    signer: &Signer<'_>,
) -> Result<(Message, String), TransactionError> {
    let mut parts = payload.memo().splitn(4, ':');
    let (_, channel, named, memo) = (parts.next(), parts.next(), parts.next(), parts.next());
    let number = channel.and_then(|channel| channel.strip_prefix("channel-"));
    let is_number =
        |text: &str| !text.is_empty() && text.len() <= 20 && text.bytes().all(|byte| byte.is_ascii_digit());
    let (Some(channel), Some(_)) = (channel.filter(|_| number.is_some_and(is_number)), named) else {
        return Err(TransactionError::Malformed { field: "memo", reason: "names no channel of IBC" });
    };
    let latest = specific.ibc_denom_traces.as_ref().map_or("", |trace| &trace.latest_block);
    let timeout = latest.split_once('_').map_or("", |(_, timeout)| timeout);
    let timeout_timestamp = amount::parse_u64("ibc_denom_traces.latest_block", timeout)?;
    if timeout_timestamp == 0 {
        return Err(TransactionError::Missing { field: "ibc_denom_traces.latest_block" });
    }
    if payload.to_address.is_empty() {
        return Err(TransactionError::Address { field: "to_address", error: AddressError::Empty });
    }
    if payload.swap_payload.is_some() {
        return Err(TransactionError::Unsupported { what: "a swap over IBC" });
    }
    let Held::Denom(denom) = asset(payload, row, signer)? else {
        return Err(TransactionError::Unsupported { what: "a contract's token over IBC" });
    };
    let sum = amount::parse("to_amount", &payload.to_amount)?;
    let message = MsgTransfer {
        source_port: "transfer".to_owned(),
        source_channel: channel.to_owned(),
        token: Some(Coin { denom, amount: sum.to_string() }),
        sender: signer.account.address.clone(),
        receiver: payload.to_address.clone(),
        // Nothing, and yet written: Wallet Core does so. QBTC's own encoder does not.
        timeout_height: (signer.account.chain != Chain::Qbtc).then(Height::default),
        timeout_timestamp,
        memo: String::new(),
    };
    Ok((Message::Transfer(message), memo.unwrap_or_default().to_owned()))
}

/// The contract call of a payload, word for word.
pub(super) fn contract(payload: &KeysignPayload) -> Result<Message, TransactionError> {
    let Some(ContractPayload::WasmExecuteContractPayload(call)) = &payload.contract_payload else {
        return Err(TransactionError::Missing { field: "wasm_execute_contract_payload" });
    };
    let WasmExecuteContractPayload { sender_address, contract_address, execute_msg, coins } = call;
    address::check_any(contract_address)
        .map_err(|error| TransactionError::Address { field: "contract_address", error })?;
    if serde_json::from_str::<serde_json::Value>(execute_msg).is_err() {
        return Err(TransactionError::Malformed { field: "execute_msg", reason: "is not JSON" });
    }
    Ok(Message::Execute(MsgExecuteContract {
        sender: sender_address.clone(),
        contract: contract_address.clone(),
        msg: execute_msg.clone().into_bytes(),
        funds: coins
            .iter()
            .map(|coin| Coin { denom: coin.denom.clone(), amount: coin.amount.clone() })
            .collect(),
    }))
}

/// `DYDX_VOTE:option:proposal`, and the same with QBTC.
fn vote(payload: &KeysignPayload, signer: &Signer<'_>) -> Result<Message, TransactionError> {
    let malformed = TransactionError::Malformed { field: "memo", reason: "is not a vote" };
    let memo = payload.memo();
    let stated = memo.strip_prefix("DYDX_VOTE:").or_else(|| memo.strip_prefix("QBTC_VOTE:"));
    let (option, proposal) = stated.and_then(|text| text.split_once(':')).ok_or(malformed.clone())?;
    let option: String =
        option.chars().filter(char::is_ascii_alphabetic).collect::<String>().to_ascii_lowercase();
    let option = match option.strip_prefix("voteoption").unwrap_or(&option) {
        "yes" => 1,
        "abstain" => 2,
        "no" => 3,
        "nowithveto" => 4,
        _ => return Err(malformed),
    };
    let proposal_id = amount::parse_u64("memo", proposal)?;
    Ok(Message::Vote(MsgVote { proposal_id, voter: signer.account.address.clone(), option }))
}
