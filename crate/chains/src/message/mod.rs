//! Messages: bytes that an account signs and no chain is sent. What a signature allows is read from the bytes, as it is
//! of transactions.
//!
//! | form | what is signed | signature |
//! |---|---|---|
//! | personal | keccak256(`19` "Ethereum Signed Message:\n" ‖ length ‖ bytes) (EIP-191) | r ‖ s ‖ 27 or 28 |
//! | typed data | see [`typed`] (EIP-712) | the same |
//! | Solana | the bytes | 64 bytes |
//! | Sui | blake2b-256(`03 00 00` ‖ BCS of the bytes): the intent "personal message" | flag ‖ 64 bytes ‖ public key |
//!
//! What could be something else than a message is refused: a transaction, a hash, the inside of another signature
//! ([`refuse`]); and so is a sign-in for another site than the one that asks ([`sign_in`]).

mod error;
mod explain;
mod refuse;
mod sign_in;
mod text;
mod time;
mod typed;

pub use error::MessageError;
pub use explain::Explained;
pub use sign_in::solana_text;

use crate::facts::Facts;
use crate::hash::{blake2b256, keccak256};
use crate::signing::{Image, Verified};
use crate::transaction::Account;
use crate::{Kind, encoding};
use sign_in::Reading;
use typed::TypedData;
use wire::api::Millis;
use wire::message::{MessageForm, MessageRequest};

/// No message is longer, in bytes.
const MAX_BYTES: usize = 64 * 1024;
/// Sui's intent of a personal message: scope, version, application.
const SUI_INTENT: [u8; 3] = [3, 0, 0];
/// Sui's flag of an Ed25519 signature.
const SUI_ED25519: u8 = 0;

/// A message that may be signed.
#[derive(Debug, Clone)]
pub struct Message {
    account: Account,
    origin: String,
    form: MessageForm,
    body: Body,
}

/// What a message is made of.
#[derive(Debug, Clone)]
enum Body {
    Bytes { bytes: Vec<u8>, reading: Reading },
    Typed(Box<TypedData>),
}

/// Reads a message for this account to sign, or refuses it.
pub fn read(request: &MessageRequest, account: &Account) -> Result<Message, MessageError> {
    let MessageRequest { form, content, origin, .. } = request;
    let fits = match form {
        MessageForm::Personal | MessageForm::TypedData => account.chain.kind() == Kind::Evm,
        MessageForm::Solana => account.chain.kind() == Kind::Solana,
        MessageForm::Sui => account.chain.kind() == Kind::Sui,
    };
    if !fits {
        return Err(MessageError::Unsupported(account.chain.name().to_owned()));
    }
    let body = match form {
        MessageForm::TypedData => Body::Typed(Box::new(typed(content, account)?)),
        _ => {
            let bytes =
                encoding::from_hex("message", content).map_err(|_| MessageError::Malformed("is not hex"))?;
            if bytes.len() > MAX_BYTES {
                return Err(MessageError::Malformed("is longer than 64 kB"));
            }
            match form {
                MessageForm::Solana => refuse::solana(&bytes)?,
                MessageForm::Sui => refuse::sui(&bytes)?,
                _ => refuse::personal(&bytes)?,
            }
            let reading = match str::from_utf8(&bytes) {
                Ok(text) if *form != MessageForm::Sui => sign_in::read(text, origin, account)?,
                _ => Reading::Other,
            };
            Body::Bytes { bytes, reading }
        }
    };
    Ok(Message { account: account.clone(), origin: origin.clone(), form: *form, body })
}

/// Typed data for the page's chain that hands nothing over by EIP-7702.
fn typed(content: &str, account: &Account) -> Result<TypedData, MessageError> {
    let data = TypedData::parse(content)?;
    let names = ["chainId", "address", "nonce"];
    if data.primary == "Authorization" && names.iter().all(|name| data.message.get(name).is_some()) {
        return Err(MessageError::Authorization);
    }
    let here = account.chain.evm_id().unwrap_or_default();
    match data.domain.number("chainId") {
        Some(found) if found != crate::Amount::from(here) => {
            Err(MessageError::Chain { expected: here.to_string(), found: found.to_string() })
        }
        _ => Ok(data),
    }
}

impl Message {
    /// The account that signs.
    pub const fn account(&self) -> &Account {
        &self.account
    }

    /// How the content becomes what is signed.
    pub const fn form(&self) -> MessageForm {
        self.form
    }

    /// What must be signed.
    pub fn image(&self) -> Image {
        match &self.body {
            Body::Typed(data) => Image::Ecdsa(data.hash),
            Body::Bytes { bytes, .. } => match self.form {
                MessageForm::Solana => Image::Eddsa(bytes.clone()),
                MessageForm::Sui => {
                    let mut message = SUI_INTENT.to_vec();
                    put_length(&mut message, bytes.len());
                    message.extend(bytes);
                    Image::Eddsa(blake2b256(&message).to_vec())
                }
                MessageForm::Personal | MessageForm::TypedData => {
                    let head = format!("\u{19}Ethereum Signed Message:\n{}", bytes.len());
                    Image::Ecdsa(keccak256(&[head.as_bytes(), bytes].concat()))
                }
            },
        }
    }

    /// The signature as pages take it.
    pub fn signature(&self, verified: Verified) -> Vec<u8> {
        match verified {
            Verified::Ecdsa { r, s, recovery } => [r.as_slice(), &s, &[27 + (recovery & 1)]].concat(),
            Verified::Eddsa(signature) if self.form == MessageForm::Sui => {
                [&[SUI_ED25519], signature.as_slice(), self.account.key.as_bytes()].concat()
            }
            Verified::Eddsa(signature) => signature.to_vec(),
        }
    }

    /// What it allows, read from what is signed and from what nodes said.
    pub fn explain(&self, now: Millis, facts: Facts<'_>) -> Explained {
        explain::explain(self, now, facts)
    }
}

/// A length in BCS: seven bits to a byte, the low ones first.
fn put_length(out: &mut Vec<u8>, length: usize) {
    let mut rest = length;
    loop {
        let low = u8::try_from(rest & 0x7f).unwrap_or_default();
        rest >>= 7;
        if rest == 0 {
            return out.push(low);
        }
        out.push(low | 0x80);
    }
}

#[cfg(test)]
mod tests;
