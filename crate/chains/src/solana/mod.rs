//! Solana transactions.
//!
//! ```text
//! transaction = length ‖ signature (64 bytes) × length ‖ message
//! message     = [0x80] ‖ signers ‖ read-only signers ‖ read-only others ‖ keys ‖ blockhash ‖ instructions [‖ lookups]
//! instruction = program ‖ accounts ‖ data
//! lookup      = table ‖ places to write ‖ places to read
//! ```
//!
//! The byte 0x80 and the lookups are there in version 0 and absent in a legacy message. Lists have their length before
//! them in "compact-u16". A program and its accounts are places in the keys and, behind them, in the lookup tables,
//! whose contents are not in the message. There is one signature for each of the first keys; it covers the message
//! as it is, without a hash. The first key pays, and its signature is the transaction's id.
//! (Solana documentation, "Transactions"; `solana-message` for what a validator drops unread.)

mod check;
mod explain;
mod instruction;
mod message;
pub(crate) mod payload;
mod program;
pub(crate) mod raw;
mod trial;

use crate::explain::Explanation;
use crate::facts::{Facts, Wanted};
use crate::reader::Reader;
use crate::rpc::check::conclude;
use crate::rpc::{Request, Response, Trial};
use crate::signing::{Image, PublicKey, Signature, Verified};
use crate::transaction::{Account, Signed, Transaction, Unsigned};
use crate::{Chain, TransactionError, address};
use message::{Key, MAX_LENGTH, Message};
use wire::node::Checked;

/// A slot that waits for its signature.
const EMPTY: [u8; 64] = [0; 64];

/// A message with one slot for each signature; all but the account's own are filled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Envelope {
    signatures: Vec<[u8; 64]>,
    slot: usize,
    message: Message,
}

/// A transaction with its slots, before it is known whose.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Slots {
    signatures: Vec<[u8; 64]>,
    message: Message,
}

impl Slots {
    /// Reads a whole transaction; `field` names the bytes in errors.
    fn decode(field: &'static str, bytes: &[u8]) -> Result<Self, TransactionError> {
        let mut reader = Reader::new(field, bytes);
        if bytes.len() > MAX_LENGTH {
            return Err(reader.malformed("is longer than the network carries"));
        }
        let count = message::length(&mut reader)?;
        if count.saturating_mul(EMPTY.len()) > reader.left() {
            return Err(reader.malformed("ends too early"));
        }
        let signatures = (0..count).map(|_| reader.array()).collect::<Result<Vec<_>, _>>()?;
        let wrong_count = reader.malformed("has another number of signatures than of signers");
        let message = Message::decode(reader)?;
        if message.signers().len() != signatures.len() {
            return Err(wrong_count);
        }
        Ok(Self { signatures, message })
    }

    /// The bytes for the network.
    fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(MAX_LENGTH);
        message::put_length(&mut out, self.signatures.len());
        out.extend(self.signatures.iter().flatten());
        out.extend(self.message.encode());
        out
    }

    /// Finds the account's own slot. The others must hold signatures that cover the message, or the network refuses it;
    /// those of a `partial` transaction may still be empty.
    fn claim(
        self,
        field: &'static str,
        account: &Account,
        partial: bool,
    ) -> Result<Envelope, TransactionError> {
        let own = key(account)?;
        let signers = self.message.signers();
        let slot = signers.iter().position(|signer| *signer == own).ok_or_else(|| {
            let address = self.message.payer().map(base58).unwrap_or_default();
            TransactionError::NotOwned { address }
        })?;
        let image = Image::Eddsa(self.message.encode());
        for (index, (signer, signature)) in signers.iter().zip(&self.signatures).enumerate() {
            if index == slot {
                continue;
            }
            if *signature == EMPTY && partial {
                continue;
            }
            if *signature == EMPTY {
                return Err(TransactionError::Unsupported {
                    what: "a transaction that others must sign too",
                });
            }
            if PublicKey::Ed25519(*signer).verify(&image, &Signature(*signature)).is_none() {
                let reason = "has a signature that does not cover it";
                return Err(TransactionError::Malformed { field, reason });
            }
        }
        Ok(Envelope { signatures: self.signatures, slot, message: self.message })
    }
}

impl Envelope {
    /// A message that only the account signs.
    fn new(message: Message) -> Self {
        Self { signatures: vec![EMPTY], slot: 0, message }
    }

    /// How long the signed transaction is.
    fn length(&self) -> usize {
        1 + self.signatures.len() * EMPTY.len() + self.message.encode().len()
    }
}

impl Unsigned for Envelope {
    fn images(&self) -> Vec<Image> {
        vec![Image::Eddsa(self.message.encode())]
    }

    fn assemble(&self, _: &Account, signatures: &[Verified]) -> Signed {
        let mut slots = Slots { signatures: self.signatures.clone(), message: self.message.clone() };
        if let (Some(slot), [Verified::Eddsa(signature)]) = (slots.signatures.get_mut(self.slot), signatures)
        {
            *slot = *signature;
        }
        // While the payer has not signed, the transaction has no id: our own signature stands for it.
        let own = slots.signatures.get(self.slot);
        let first = slots.signatures.first().filter(|first| **first != EMPTY).or(own);
        let id = first.map(base58).unwrap_or_default();
        Signed { bytes: slots.encode(), detached: None, id }
    }

    fn explain(&self, account: &Account, facts: Facts<'_>) -> Explanation {
        explain::explain(&self.message, account, facts)
    }

    fn wanted(&self, account: &Account) -> Vec<Wanted> {
        explain::wanted(&self.message, account)
    }

    fn check(&self, _: &Account, ahead: u32) -> Vec<Request> {
        check::ask(self, ahead)
    }

    fn read_check(&self, account: &Account, ahead: u32, answers: &[Response]) -> Checked {
        conclude(check::read(self, account, ahead, answers))
    }

    fn trial(&self, _: &Account, _: &[Transaction]) -> Vec<Request> {
        trial::ask(self)
    }

    fn read_trial(&self, account: &Account, later: &[Transaction], answers: &[Response]) -> Trial {
        trial::read(self, account, later.len(), answers)
    }
}

/// Whether bytes are a transaction or its message, of any account.
pub(crate) fn is_transaction(bytes: &[u8]) -> bool {
    let field = "message";
    Message::decode(Reader::new(field, bytes)).is_ok() || Slots::decode(field, bytes).is_ok()
}

/// The account's key, which its address spells.
fn key(account: &Account) -> Result<Key, TransactionError> {
    parse_key("account", &account.address)
}

/// Reads an address.
fn parse_key(field: &'static str, text: &str) -> Result<Key, TransactionError> {
    if text.is_empty() {
        return Err(TransactionError::Missing { field });
    }
    let wrong = |error| TransactionError::Address { field, error };
    let text = address::normalise(Chain::Solana, text).map_err(wrong)?;
    let mut key = [0; 32];
    bs58::decode(text).onto(&mut key).map_err(|_| wrong(crate::AddressError::Malformed))?;
    Ok(key)
}

/// Whether an account is the one in which `owner` keeps tokens of `mint` by default. The chain's own coin stands for the
/// wrapped one.
pub(crate) fn is_token_account_of(owner: &str, mint: Option<&str>, account: &str) -> bool {
    let (Ok(owner), Ok(account)) = (parse_key("owner", owner), parse_key("account", account)) else {
        return false;
    };
    let Ok(mint) = mint.map_or(Ok(program::WRAPPED_SOL), |mint| parse_key("mint", mint)) else {
        return false;
    };
    let programs = [program::TOKEN, program::TOKEN_2022];
    programs.iter().any(|program| program::associated_token(&owner, program, &mint) == Some(account))
}

/// The spelling of keys, hashes and signatures.
fn base58(bytes: &impl AsRef<[u8]>) -> String {
    bs58::encode(bytes).into_string()
}
