//! The messages of a transaction: what is known of them, and in whose name they act.

use super::proto::{
    self, Any, Coin, MsgBeginRedelegate, MsgDelegate, MsgExecuteContract, MsgGrant, MsgGrantAllowance,
    MsgMultiSend, MsgSend, MsgSetWithdrawAddress, MsgTransfer, MsgVote, MsgWithdrawDelegatorReward,
    ThorDeposit, ThorSend,
};
use super::strict;
use crate::address::cosmos as address;
use crate::transaction::Account;
use crate::{TransactionError, amount};
use prost::Message as _;

/// The field that errors name.
const FIELD: &str = "message";

/// No address, denom or channel is longer.
const MAX_TEXT: usize = 256;

/// What a transfer over IBC may carry.
const MAX_RECEIVER: usize = 2048;
const MAX_MEMO: usize = 32_768;

/// A known message.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Message {
    Send(MsgSend),
    MultiSend(MsgMultiSend),
    Transfer(MsgTransfer),
    Execute(MsgExecuteContract),
    Delegate(MsgDelegate),
    Undelegate(MsgDelegate),
    Redelegate(MsgBeginRedelegate),
    WithdrawReward(MsgWithdrawDelegatorReward),
    SetWithdrawAddress(MsgSetWithdrawAddress),
    Grant(MsgGrant),
    GrantAllowance(MsgGrantAllowance),
    Vote(MsgVote),
    ThorSend(ThorSend),
    ThorDeposit(ThorDeposit),
    /// Of a type that is not read here; the chain decides who must sign it.
    Unknown(Any),
}

const SEND: &str = "/cosmos.bank.v1beta1.MsgSend";
const MULTI_SEND: &str = "/cosmos.bank.v1beta1.MsgMultiSend";
const TRANSFER: &str = "/ibc.applications.transfer.v1.MsgTransfer";
const EXECUTE: &str = "/cosmwasm.wasm.v1.MsgExecuteContract";
const DELEGATE: &str = "/cosmos.staking.v1beta1.MsgDelegate";
const UNDELEGATE: &str = "/cosmos.staking.v1beta1.MsgUndelegate";
const REDELEGATE: &str = "/cosmos.staking.v1beta1.MsgBeginRedelegate";
const WITHDRAW_REWARD: &str = "/cosmos.distribution.v1beta1.MsgWithdrawDelegatorReward";
const SET_WITHDRAW_ADDRESS: &str = "/cosmos.distribution.v1beta1.MsgSetWithdrawAddress";
const GRANT: &str = "/cosmos.authz.v1beta1.MsgGrant";
const GRANT_ALLOWANCE: &str = "/cosmos.feegrant.v1beta1.MsgGrantAllowance";
const VOTE: &str = "/cosmos.gov.v1beta1.MsgVote";
const THOR_SEND: &str = "/types.MsgSend";
const THOR_DEPOSIT: &str = "/types.MsgDeposit";

impl Message {
    /// Reads a message. One of a known type must be nothing but that.
    pub(super) fn decode(any: &Any) -> Result<Self, TransactionError> {
        let bytes = any.value.as_slice();
        let message = match any.type_url.as_str() {
            SEND => Self::Send(strict::decode(FIELD, proto::MSG_SEND, bytes)?),
            MULTI_SEND => Self::MultiSend(strict::decode(FIELD, proto::MSG_MULTI_SEND, bytes)?),
            TRANSFER => Self::Transfer(strict::decode(FIELD, proto::MSG_TRANSFER, bytes)?),
            EXECUTE => Self::Execute(strict::decode(FIELD, proto::MSG_EXECUTE_CONTRACT, bytes)?),
            DELEGATE => Self::Delegate(strict::decode(FIELD, proto::MSG_DELEGATE, bytes)?),
            UNDELEGATE => Self::Undelegate(strict::decode(FIELD, proto::MSG_DELEGATE, bytes)?),
            REDELEGATE => Self::Redelegate(strict::decode(FIELD, proto::MSG_BEGIN_REDELEGATE, bytes)?),
            WITHDRAW_REWARD => {
                Self::WithdrawReward(strict::decode(FIELD, proto::MSG_WITHDRAW_DELEGATOR_REWARD, bytes)?)
            }
            SET_WITHDRAW_ADDRESS => {
                Self::SetWithdrawAddress(strict::decode(FIELD, proto::MSG_SET_WITHDRAW_ADDRESS, bytes)?)
            }
            GRANT => Self::Grant(strict::decode(FIELD, proto::MSG_GRANT, bytes)?),
            GRANT_ALLOWANCE => {
                Self::GrantAllowance(strict::decode(FIELD, proto::MSG_GRANT_ALLOWANCE, bytes)?)
            }
            VOTE => Self::Vote(strict::decode(FIELD, proto::MSG_VOTE, bytes)?),
            THOR_SEND => Self::ThorSend(strict::decode(FIELD, proto::THOR_SEND, bytes)?),
            THOR_DEPOSIT => Self::ThorDeposit(strict::decode(FIELD, proto::THOR_DEPOSIT, bytes)?),
            _ => Self::Unknown(any.clone()),
        };
        message.check_values()?;
        Ok(message)
    }

    /// The message as a transaction carries it.
    pub(super) fn to_any(&self) -> Any {
        let (type_url, value) = match self {
            Self::Send(message) => (SEND, message.encode_to_vec()),
            Self::MultiSend(message) => (MULTI_SEND, message.encode_to_vec()),
            Self::Transfer(message) => (TRANSFER, message.encode_to_vec()),
            Self::Execute(message) => (EXECUTE, message.encode_to_vec()),
            Self::Delegate(message) => (DELEGATE, message.encode_to_vec()),
            Self::Undelegate(message) => (UNDELEGATE, message.encode_to_vec()),
            Self::Redelegate(message) => (REDELEGATE, message.encode_to_vec()),
            Self::WithdrawReward(message) => (WITHDRAW_REWARD, message.encode_to_vec()),
            Self::SetWithdrawAddress(message) => (SET_WITHDRAW_ADDRESS, message.encode_to_vec()),
            Self::Grant(message) => (GRANT, message.encode_to_vec()),
            Self::GrantAllowance(message) => (GRANT_ALLOWANCE, message.encode_to_vec()),
            Self::Vote(message) => (VOTE, message.encode_to_vec()),
            Self::ThorSend(message) => (THOR_SEND, message.encode_to_vec()),
            Self::ThorDeposit(message) => (THOR_DEPOSIT, message.encode_to_vec()),
            Self::Unknown(any) => return any.clone(),
        };
        Any { type_url: type_url.to_owned(), value }
    }

    /// Refuses a message that acts in another account's name.
    pub(super) fn check_signer(&self, account: &Account) -> Result<(), TransactionError> {
        match self {
            Self::Send(message) => account.check(&message.from_address),
            Self::MultiSend(message) => {
                message.inputs.iter().try_for_each(|input| account.check(&input.address))
            }
            Self::Transfer(message) => account.check(&message.sender),
            Self::Execute(message) => account.check(&message.sender),
            Self::Delegate(message) | Self::Undelegate(message) => account.check(&message.delegator_address),
            Self::Redelegate(message) => account.check(&message.delegator_address),
            Self::WithdrawReward(message) => account.check(&message.delegator_address),
            Self::SetWithdrawAddress(message) => account.check(&message.delegator_address),
            Self::Grant(message) => account.check(&message.granter),
            Self::GrantAllowance(message) => account.check(&message.granter),
            Self::Vote(message) => account.check(&message.voter),
            Self::ThorSend(message) => account.check(&bech32(account, &message.from_address)?),
            Self::ThorDeposit(message) => account.check(&bech32(account, &message.signer)?),
            Self::Unknown(_) => Ok(()),
        }
    }

    /// Amounts are numbers, and no text is so long that a transaction could be made to look endless.
    fn check_values(&self) -> Result<(), TransactionError> {
        match self {
            Self::Send(message) => check(&[&message.from_address, &message.to_address], &message.amount),
            Self::MultiSend(message) => {
                let mut parties = message.inputs.iter().chain(&message.outputs);
                parties.try_for_each(|party| check(&[&party.address], &party.coins))
            }
            Self::Transfer(message) => {
                let token = message.token.as_ref().ok_or(TransactionError::Missing { field: "token" })?;
                let texts = [&message.source_port, &message.source_channel, &message.sender];
                check(&texts, std::slice::from_ref(token))?;
                check_lengths(message)
            }
            Self::Execute(message) => check(&[&message.sender, &message.contract], &message.funds),
            Self::Delegate(message) | Self::Undelegate(message) => {
                check(&[&message.delegator_address, &message.validator_address], message.amount.as_slice())
            }
            Self::Redelegate(message) => {
                let to = &message.validator_dst_address;
                check(
                    &[&message.delegator_address, &message.validator_src_address, to],
                    message.amount.as_slice(),
                )
            }
            Self::WithdrawReward(message) => {
                check(&[&message.delegator_address, &message.validator_address], &[])
            }
            Self::SetWithdrawAddress(message) => {
                check(&[&message.delegator_address, &message.withdraw_address], &[])
            }
            Self::Grant(message) => check(&[&message.granter, &message.grantee], &[]),
            Self::GrantAllowance(message) => check(&[&message.granter, &message.grantee], &[]),
            Self::Vote(message) => check(&[&message.voter], &[]),
            Self::ThorSend(message) => check(&[], &message.amount),
            Self::ThorDeposit(message) => check_deposit(message),
            Self::Unknown(any) => check(&[&any.type_url], &[]),
        }
    }
}

/// The address of an account that a message carries as bytes.
pub(super) fn bech32(account: &Account, bytes: &[u8]) -> Result<String, TransactionError> {
    let hrp = account.chain.bech32_hrp().unwrap_or_default();
    address::encode(hrp, bytes).map_err(|error| TransactionError::Address { field: FIELD, error })
}

/// Amounts must be numbers, and no text longer than any that means something.
pub(super) fn check(texts: &[&String], coins: &[Coin]) -> Result<(), TransactionError> {
    let reason = "has a text that is too long";
    let denoms = coins.iter().map(|coin| &coin.denom);
    if texts.iter().copied().chain(denoms).any(|text| text.len() > MAX_TEXT) {
        return Err(TransactionError::Malformed { field: FIELD, reason });
    }
    coins.iter().try_for_each(|coin| amount::parse("amount", &coin.amount).map(drop))
}

/// Longer ones are refused by `ibc-go` as well.
fn check_lengths(message: &MsgTransfer) -> Result<(), TransactionError> {
    let reason = "has a text that is too long";
    if message.receiver.len() > MAX_RECEIVER || message.memo.len() > MAX_MEMO {
        return Err(TransactionError::Malformed { field: FIELD, reason });
    }
    Ok(())
}

/// A coin of nothing may have no amount.
fn check_deposit(message: &ThorDeposit) -> Result<(), TransactionError> {
    for coin in &message.coins {
        if !coin.amount.is_empty() {
            amount::parse("amount", &coin.amount)?;
        }
        let asset = coin.asset.as_ref().ok_or(TransactionError::Missing { field: "asset" })?;
        check(&[&asset.chain, &asset.symbol, &asset.ticker], &[])?;
    }
    Ok(())
}
