//! The protobuf messages that are signed or explained here, by hand: field numbers as in `cosmos-sdk`, `ibc-go`,
//! `wasmd` and `thornode`. Each has its [`Schema`] beside it, by which bytes are read strictly.

use super::strict::{Schema, bytes, list, message, number, text};
use prost::Message;

/// `cosmos.tx.v1beta1.SignDoc`: what a signature in direct mode covers.
#[derive(Clone, PartialEq, Message)]
pub(super) struct SignDoc {
    #[prost(bytes = "vec", tag = "1")]
    pub(super) body_bytes: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    pub(super) auth_info_bytes: Vec<u8>,
    #[prost(string, tag = "3")]
    pub(super) chain_id: String,
    #[prost(uint64, tag = "4")]
    pub(super) account_number: u64,
}
pub(super) const SIGN_DOC: Schema = &[bytes(1), bytes(2), text(3), number(4)];

/// `cosmos.tx.v1beta1.TxRaw`: what is broadcast.
#[derive(Clone, PartialEq, Message)]
pub(super) struct TxRaw {
    #[prost(bytes = "vec", tag = "1")]
    pub(super) body_bytes: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    pub(super) auth_info_bytes: Vec<u8>,
    #[prost(bytes = "vec", repeated, tag = "3")]
    pub(super) signatures: Vec<Vec<u8>>,
}

/// `google.protobuf.Any`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Any {
    #[prost(string, tag = "1")]
    pub(super) type_url: String,
    #[prost(bytes = "vec", tag = "2")]
    pub(super) value: Vec<u8>,
}
const ANY: Schema = &[text(1), bytes(2)];

/// `cosmos.tx.v1beta1.TxBody`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct TxBody {
    #[prost(message, repeated, tag = "1")]
    pub(super) messages: Vec<Any>,
    #[prost(string, tag = "2")]
    pub(super) memo: String,
    #[prost(uint64, tag = "3")]
    pub(super) timeout_height: u64,
    #[prost(message, repeated, tag = "1023")]
    pub(super) extension_options: Vec<Any>,
    #[prost(message, repeated, tag = "2047")]
    pub(super) non_critical_extension_options: Vec<Any>,
}
pub(super) const TX_BODY: Schema = &[list(1, ANY), text(2), number(3), list(1023, ANY), list(2047, ANY)];

/// `cosmos.tx.v1beta1.AuthInfo`, without the tip that the SDK has given up again.
#[derive(Clone, PartialEq, Message)]
pub(super) struct AuthInfo {
    #[prost(message, repeated, tag = "1")]
    pub(super) signer_infos: Vec<SignerInfo>,
    #[prost(message, optional, tag = "2")]
    pub(super) fee: Option<Fee>,
}
pub(super) const AUTH_INFO: Schema = &[list(1, SIGNER_INFO), message(2, FEE)];

/// `cosmos.tx.v1beta1.SignerInfo`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct SignerInfo {
    #[prost(message, optional, tag = "1")]
    pub(super) public_key: Option<Any>,
    #[prost(message, optional, tag = "2")]
    pub(super) mode_info: Option<ModeInfo>,
    #[prost(uint64, tag = "3")]
    pub(super) sequence: u64,
}
const SIGNER_INFO: Schema = &[message(1, ANY), message(2, MODE_INFO), number(3)];

/// `cosmos.tx.v1beta1.ModeInfo`; of its two forms only that of a single key.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ModeInfo {
    #[prost(message, optional, tag = "1")]
    pub(super) single: Option<Single>,
}
const MODE_INFO: Schema = &[message(1, SINGLE)];

/// `cosmos.tx.v1beta1.ModeInfo.Single`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Single {
    #[prost(int32, tag = "1")]
    pub(super) mode: i32,
}
const SINGLE: Schema = &[number(1)];

/// `cosmos.tx.v1beta1.Fee`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Fee {
    #[prost(message, repeated, tag = "1")]
    pub(super) amount: Vec<Coin>,
    #[prost(uint64, tag = "2")]
    pub(super) gas_limit: u64,
    #[prost(string, tag = "3")]
    pub(super) payer: String,
    #[prost(string, tag = "4")]
    pub(super) granter: String,
}
const FEE: Schema = &[list(1, COIN), number(2), text(3), text(4)];

/// A public key: `cosmos.crypto.secp256k1.PubKey`, and `cosmos.crypto.mldsa.PubKey` of QBTC.
#[derive(Clone, PartialEq, Message)]
pub(super) struct PubKey {
    #[prost(bytes = "vec", tag = "1")]
    pub(super) key: Vec<u8>,
}
pub(super) const PUB_KEY: Schema = &[bytes(1)];

/// `cosmos.base.v1beta1.Coin`.
#[derive(Clone, PartialEq, Eq, Message)]
pub(super) struct Coin {
    #[prost(string, tag = "1")]
    pub(super) denom: String,
    #[prost(string, tag = "2")]
    pub(super) amount: String,
}
const COIN: Schema = &[text(1), text(2)];

/// `cosmos.bank.v1beta1.MsgSend`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct MsgSend {
    #[prost(string, tag = "1")]
    pub(super) from_address: String,
    #[prost(string, tag = "2")]
    pub(super) to_address: String,
    #[prost(message, repeated, tag = "3")]
    pub(super) amount: Vec<Coin>,
}
pub(super) const MSG_SEND: Schema = &[text(1), text(2), list(3, COIN)];

/// `cosmos.bank.v1beta1.MsgMultiSend`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct MsgMultiSend {
    #[prost(message, repeated, tag = "1")]
    pub(super) inputs: Vec<Party>,
    #[prost(message, repeated, tag = "2")]
    pub(super) outputs: Vec<Party>,
}
pub(super) const MSG_MULTI_SEND: Schema = &[list(1, PARTY), list(2, PARTY)];

/// `cosmos.bank.v1beta1.Input` and `Output`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Party {
    #[prost(string, tag = "1")]
    pub(super) address: String,
    #[prost(message, repeated, tag = "2")]
    pub(super) coins: Vec<Coin>,
}
const PARTY: Schema = &[text(1), list(2, COIN)];

/// `ibc.applications.transfer.v1.MsgTransfer`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct MsgTransfer {
    #[prost(string, tag = "1")]
    pub(super) source_port: String,
    #[prost(string, tag = "2")]
    pub(super) source_channel: String,
    #[prost(message, optional, tag = "3")]
    pub(super) token: Option<Coin>,
    #[prost(string, tag = "4")]
    pub(super) sender: String,
    #[prost(string, tag = "5")]
    pub(super) receiver: String,
    #[prost(message, optional, tag = "6")]
    pub(super) timeout_height: Option<Height>,
    #[prost(uint64, tag = "7")]
    pub(super) timeout_timestamp: u64,
    #[prost(string, tag = "8")]
    pub(super) memo: String,
}
pub(super) const MSG_TRANSFER: Schema =
    &[text(1), text(2), message(3, COIN), text(4), text(5), message(6, HEIGHT), number(7), text(8)];

/// `ibc.core.client.v1.Height`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Height {
    #[prost(uint64, tag = "1")]
    pub(super) revision_number: u64,
    #[prost(uint64, tag = "2")]
    pub(super) revision_height: u64,
}
const HEIGHT: Schema = &[number(1), number(2)];

/// `cosmwasm.wasm.v1.MsgExecuteContract`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct MsgExecuteContract {
    #[prost(string, tag = "1")]
    pub(super) sender: String,
    #[prost(string, tag = "2")]
    pub(super) contract: String,
    #[prost(bytes = "vec", tag = "3")]
    pub(super) msg: Vec<u8>,
    #[prost(message, repeated, tag = "5")]
    pub(super) funds: Vec<Coin>,
}
pub(super) const MSG_EXECUTE_CONTRACT: Schema = &[text(1), text(2), bytes(3), list(5, COIN)];

/// `cosmos.staking.v1beta1.MsgDelegate` and `MsgUndelegate`: both have the same fields.
#[derive(Clone, PartialEq, Message)]
pub(super) struct MsgDelegate {
    #[prost(string, tag = "1")]
    pub(super) delegator_address: String,
    #[prost(string, tag = "2")]
    pub(super) validator_address: String,
    #[prost(message, optional, tag = "3")]
    pub(super) amount: Option<Coin>,
}
pub(super) const MSG_DELEGATE: Schema = &[text(1), text(2), message(3, COIN)];

/// `cosmos.staking.v1beta1.MsgBeginRedelegate`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct MsgBeginRedelegate {
    #[prost(string, tag = "1")]
    pub(super) delegator_address: String,
    #[prost(string, tag = "2")]
    pub(super) validator_src_address: String,
    #[prost(string, tag = "3")]
    pub(super) validator_dst_address: String,
    #[prost(message, optional, tag = "4")]
    pub(super) amount: Option<Coin>,
}
pub(super) const MSG_BEGIN_REDELEGATE: Schema = &[text(1), text(2), text(3), message(4, COIN)];

/// `cosmos.distribution.v1beta1.MsgWithdrawDelegatorReward`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct MsgWithdrawDelegatorReward {
    #[prost(string, tag = "1")]
    pub(super) delegator_address: String,
    #[prost(string, tag = "2")]
    pub(super) validator_address: String,
}
pub(super) const MSG_WITHDRAW_DELEGATOR_REWARD: Schema = &[text(1), text(2)];

/// `cosmos.distribution.v1beta1.MsgSetWithdrawAddress`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct MsgSetWithdrawAddress {
    #[prost(string, tag = "1")]
    pub(super) delegator_address: String,
    #[prost(string, tag = "2")]
    pub(super) withdraw_address: String,
}
pub(super) const MSG_SET_WITHDRAW_ADDRESS: Schema = &[text(1), text(2)];

/// `cosmos.authz.v1beta1.MsgGrant`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct MsgGrant {
    #[prost(string, tag = "1")]
    pub(super) granter: String,
    #[prost(string, tag = "2")]
    pub(super) grantee: String,
    #[prost(message, optional, tag = "3")]
    pub(super) grant: Option<Grant>,
}
pub(super) const MSG_GRANT: Schema = &[text(1), text(2), message(3, GRANT)];

/// `cosmos.authz.v1beta1.Grant`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Grant {
    #[prost(message, optional, tag = "1")]
    pub(super) authorization: Option<Any>,
    #[prost(message, optional, tag = "2")]
    pub(super) expiration: Option<Timestamp>,
}
const GRANT: Schema = &[message(1, ANY), message(2, TIMESTAMP)];

/// `google.protobuf.Timestamp`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Timestamp {
    #[prost(int64, tag = "1")]
    pub(super) seconds: i64,
    #[prost(int32, tag = "2")]
    pub(super) nanos: i32,
}
const TIMESTAMP: Schema = &[number(1), number(2)];

/// `cosmos.feegrant.v1beta1.MsgGrantAllowance`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct MsgGrantAllowance {
    #[prost(string, tag = "1")]
    pub(super) granter: String,
    #[prost(string, tag = "2")]
    pub(super) grantee: String,
    #[prost(message, optional, tag = "3")]
    pub(super) allowance: Option<Any>,
}
pub(super) const MSG_GRANT_ALLOWANCE: Schema = &[text(1), text(2), message(3, ANY)];

/// `cosmos.gov.v1beta1.MsgVote`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct MsgVote {
    #[prost(uint64, tag = "1")]
    pub(super) proposal_id: u64,
    #[prost(string, tag = "2")]
    pub(super) voter: String,
    #[prost(int32, tag = "3")]
    pub(super) option: i32,
}
pub(super) const MSG_VOTE: Schema = &[number(1), text(2), number(3)];

/// `types.MsgSend` of THORChain and MayaChain: accounts as bytes.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ThorSend {
    #[prost(bytes = "vec", tag = "1")]
    pub(super) from_address: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    pub(super) to_address: Vec<u8>,
    #[prost(message, repeated, tag = "3")]
    pub(super) amount: Vec<Coin>,
}
pub(super) const THOR_SEND: Schema = &[bytes(1), bytes(2), list(3, COIN)];

/// `types.MsgDeposit` of THORChain and MayaChain: coins for the network itself, and what to do with them.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ThorDeposit {
    #[prost(message, repeated, tag = "1")]
    pub(super) coins: Vec<ThorCoin>,
    #[prost(string, tag = "2")]
    pub(super) memo: String,
    #[prost(bytes = "vec", tag = "3")]
    pub(super) signer: Vec<u8>,
}
pub(super) const THOR_DEPOSIT: Schema = &[list(1, THOR_COIN), text(2), bytes(3)];

/// `common.Coin`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ThorCoin {
    #[prost(message, optional, tag = "1")]
    pub(super) asset: Option<ThorAsset>,
    #[prost(string, tag = "2")]
    pub(super) amount: String,
    #[prost(int64, tag = "3")]
    pub(super) decimals: i64,
}
const THOR_COIN: Schema = &[message(1, THOR_ASSET), text(2), number(3)];

/// `common.Asset`.
#[derive(Clone, PartialEq, Eq, Message)]
pub(super) struct ThorAsset {
    #[prost(string, tag = "1")]
    pub(super) chain: String,
    #[prost(string, tag = "2")]
    pub(super) symbol: String,
    #[prost(string, tag = "3")]
    pub(super) ticker: String,
    #[prost(bool, tag = "4")]
    pub(super) synth: bool,
    #[prost(bool, tag = "5")]
    pub(super) trade: bool,
    #[prost(bool, tag = "6")]
    pub(super) secured: bool,
}
const THOR_ASSET: Schema = &[text(1), text(2), text(3), number(4), number(5), number(6)];
