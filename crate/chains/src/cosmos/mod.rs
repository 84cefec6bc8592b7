//! Cosmos SDK chains, THORChain, MayaChain and QBTC.
//!
//! A transaction is three byte strings, `TxRaw { body, auth_info, signatures }`: what is done (messages and a memo),
//! by whom and for what fee, and one signature for each signer. A signature in direct mode covers
//! `SignDoc { body, auth_info, chain_id, account_number }`, in amino mode a JSON text that says the same; of either
//! the SHA-256. The sequence, which stops replays, is in the signer's part of `auth_info`. All of it is protobuf
//! (ADR-020); the id is the SHA-256 of `TxRaw` in upper-case hex.
//!
//! - [`payload`] builds the bytes from a keysign payload, [`raw`] takes a prebuilt `SignDoc`. Both
//!   end in [`Tx::direct`], which reads the bytes again, strictly: what is explained is what is signed.
//! - [`amino`] is the JSON form, [`message`] the messages that are understood, [`table`] what differs by chain.
//! - [`explain`] says what messages do, [`ibc`] and [`contract`] what is in the JSON that some of them carry.

mod amino;
mod check;
mod contract;
mod explain;
mod ibc;
mod json;
mod message;
pub(crate) mod payload;
mod proto;
pub(crate) mod raw;
mod strict;
mod table;
mod thorchain;

use crate::explain::Explanation;
use crate::facts::{Facts, Wanted};
use crate::hash::{hash160, sha256};
use crate::rpc::check::conclude;
use crate::rpc::{Request, Response};
use crate::signing::{Image, Verified};
use crate::transaction::{Account, Signed, Unsigned};
use crate::{Chain, TransactionError, address, encoding, thorchain_memo};
use message::Message;
use prost::Message as _;
use proto::{Any, AuthInfo, Fee, ModeInfo, PubKey, SignDoc, SignerInfo, Single, TxBody, TxRaw};
use wire::node::Checked;

const SECP256K1: &str = "/cosmos.crypto.secp256k1.PubKey";
const ML_DSA: &str = "/cosmos.crypto.mldsa.PubKey";

/// `SIGN_MODE_DIRECT`.
const DIRECT: i32 = 1;
/// `SIGN_MODE_LEGACY_AMINO_JSON`.
const AMINO_JSON: i32 = 127;

/// A transaction of one signer.
#[derive(Debug)]
pub(crate) struct Tx {
    body: TxBody,
    messages: Vec<Message>,
    auth_info: AuthInfo,
    body_bytes: Vec<u8>,
    auth_info_bytes: Vec<u8>,
    /// What the signature covers, before it is digested.
    sign_bytes: Vec<u8>,
    /// The account's number, which the signature covers.
    account_number: u64,
}

/// What the account that signs is on its chain.
#[derive(Debug, Clone, Copy)]
struct Signer<'a> {
    account: &'a Account,
    /// The key, where it is one that an account cannot hold: QBTC's.
    ml_dsa: Option<&'a [u8]>,
    account_number: u64,
    sequence: u64,
}

impl Signer<'_> {
    /// The key as a transaction names it.
    fn key(&self) -> Any {
        let (type_url, key) = match self.ml_dsa {
            Some(key) => (ML_DSA, key),
            None => (SECP256K1, self.account.key.as_bytes()),
        };
        Any { type_url: type_url.to_owned(), value: PubKey { key: key.to_vec() }.encode_to_vec() }
    }

    /// Its part of a transaction that pays `fee`.
    fn auth_info(&self, mode: i32, fee: Fee) -> AuthInfo {
        let mode_info = Some(ModeInfo { single: Some(Single { mode }) });
        let signer = SignerInfo { public_key: Some(self.key()), mode_info, sequence: self.sequence };
        AuthInfo { signer_infos: vec![signer], fee: Some(fee) }
    }

    /// Messages, a memo and a fee as a transaction in direct mode.
    fn direct(&self, messages: &[Message], memo: &str, fee: Fee) -> Result<Tx, TransactionError> {
        let doc = SignDoc {
            body_bytes: body(messages, memo).encode_to_vec(),
            auth_info_bytes: self.auth_info(DIRECT, fee).encode_to_vec(),
            chain_id: chain_id(self.account.chain)?.to_owned(),
            account_number: self.account_number,
        };
        Tx::direct(doc, self.account, &self.key())
    }
}

impl Tx {
    /// The transaction in a sign doc, if everything in it is understood to the last byte and the account's own.
    fn direct(doc: SignDoc, account: &Account, key: &Any) -> Result<Self, TransactionError> {
        let expected = chain_id(account.chain)?;
        if doc.chain_id != expected {
            return Err(TransactionError::ChainMismatch {
                expected: expected.to_owned(),
                found: doc.chain_id,
            });
        }
        let sign_bytes = doc.encode_to_vec();
        let bytes = [doc.body_bytes, doc.auth_info_bytes, sign_bytes];
        Self::new(bytes, doc.account_number, (account, key, DIRECT))
    }

    fn new(
        [body_bytes, auth_info_bytes, sign_bytes]: [Vec<u8>; 3],
        account_number: u64,
        (account, key, mode): (&Account, &Any, i32),
    ) -> Result<Self, TransactionError> {
        let body: TxBody = strict::decode("body", proto::TX_BODY, &body_bytes)?;
        let auth_info: AuthInfo = strict::decode("auth_info", proto::AUTH_INFO, &auth_info_bytes)?;
        check_signer(&auth_info, account, key, mode)?;
        if let Some(fee) = &auth_info.fee {
            message::check(&[&fee.payer, &fee.granter], &fee.amount)?;
        }
        if body.messages.is_empty() {
            return Err(TransactionError::Missing { field: "messages" });
        }
        let messages: Vec<Message> = body.messages.iter().map(Message::decode).collect::<Result<_, _>>()?;
        messages.iter().try_for_each(|message| message.check_signer(account))?;
        Ok(Self { body, messages, auth_info, body_bytes, auth_info_bytes, sign_bytes, account_number })
    }

    fn raw(&self, signatures: Vec<Vec<u8>>) -> TxRaw {
        let (body_bytes, auth_info_bytes) = (self.body_bytes.clone(), self.auth_info_bytes.clone());
        TxRaw { body_bytes, auth_info_bytes, signatures }
    }

    /// Whether the key is of the kind that signs on QBTC.
    fn is_ml_dsa(&self) -> bool {
        let mut keys = self.auth_info.signer_infos.iter().filter_map(|signer| signer.public_key.as_ref());
        keys.any(|key| key.type_url == ML_DSA)
    }
}

impl Unsigned for Tx {
    fn images(&self) -> Vec<Image> {
        let digest = sha256(&self.sign_bytes);
        vec![if self.is_ml_dsa() { Image::MlDsa44(digest) } else { Image::Ecdsa(digest) }]
    }

    fn assemble(&self, _: &Account, signatures: &[Verified]) -> Signed {
        let bytes = |signature: &Verified| match signature {
            Verified::Ecdsa { r, s, .. } => [*r, *s].concat(),
            Verified::Eddsa(signature) => signature.to_vec(),
        };
        let bytes = self.raw(signatures.iter().map(bytes).collect()).encode_to_vec();
        Signed { id: encoding::hex(&sha256(&bytes)).to_ascii_uppercase(), bytes, detached: None }
    }

    fn explain(&self, account: &Account, facts: Facts<'_>) -> Explanation {
        explain::explain(self, account, facts)
    }

    fn wanted(&self, _: &Account) -> Vec<Wanted> {
        let pays = |message: &Message| matches!(message, Message::Send(_) | Message::ThorSend(_));
        if self.messages.iter().any(pays) { thorchain_memo::wanted(&self.body.memo) } else { Vec::new() }
    }

    fn check(&self, account: &Account, ahead: u32) -> Vec<Request> {
        check::ask(self, account, ahead)
    }

    fn read_check(&self, account: &Account, ahead: u32, answers: &[Response]) -> Checked {
        conclude(check::read(self, account, ahead, answers))
    }
}

/// One signer with the account's key, in this mode.
fn check_signer(
    auth_info: &AuthInfo,
    account: &Account,
    expected: &Any,
    mode: i32,
) -> Result<(), TransactionError> {
    let malformed = |reason| TransactionError::Malformed { field: "auth_info", reason };
    let [signer] = auth_info.signer_infos.as_slice() else {
        return Err(malformed("must have exactly one signer"));
    };
    if auth_info.fee.is_none() {
        return Err(malformed("has no fee"));
    }
    let key = signer.public_key.as_ref().ok_or_else(|| malformed("has no public key"))?;
    if key.type_url != expected.type_url {
        return Err(TransactionError::UnsupportedTxType { what: key.type_url.clone() });
    }
    if key.value != expected.value {
        let found: PubKey = strict::decode("public_key", proto::PUB_KEY, &key.value)?;
        let hrp = account.chain.bech32_hrp().unwrap_or_default();
        let address = address::cosmos::of_key_hash(hrp, &hash160(&found.key));
        return Err(TransactionError::NotOwned { address });
    }
    let found = signer.mode_info.as_ref().and_then(|mode| mode.single.as_ref()).map(|single| single.mode);
    if found != Some(mode) {
        let what = found.map_or_else(|| "multisignature".to_owned(), |found| format!("sign mode {found}"));
        return Err(TransactionError::UnsupportedTxType { what });
    }
    Ok(())
}

fn body(messages: &[Message], memo: &str) -> TxBody {
    let messages = messages.iter().map(Message::to_any).collect();
    TxBody { messages, memo: memo.to_owned(), ..TxBody::default() }
}

fn chain_id(chain: Chain) -> Result<&'static str, TransactionError> {
    table::chain_id(chain).ok_or(TransactionError::Unsupported { what: "a chain without a Cosmos chain id" })
}

/// The chain's row of the table.
fn row(chain: Chain) -> Result<table::Row, TransactionError> {
    table::row(chain).ok_or(TransactionError::Unsupported { what: "a chain that is not of the Cosmos kind" })
}
