//! Signs one transaction, if it is still the one that was consented to.

use crate::error::AnswerError;
use crate::inspect::{digest, proven_transactions};
use crate::opened::open;
use chains::Account;
use chains::encoding::hex;
use chains::signing::{Image, Signature};
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use vault::{Cancel, KeyRing, LocalSigner, Signer as _, public};
use wire::bundle::StepRequest;
use wire::node::SignedBytes;
use wire::signer::{Opened, Reply};
use wire::vault::VaultAccount;

/// Rebuilds the transaction from its step and signs it. The secret is opened last, when nothing else can fail.
pub(crate) fn sign(
    opened: &Opened,
    account: &VaultAccount,
    step: &StepRequest,
    index: usize,
    consented: &str,
) -> Result<Reply, AnswerError> {
    let transactions = proven_transactions(&public::account(account)?, step)?;
    let transaction = transactions.get(index).ok_or(AnswerError::NoSuchTransaction)?;
    if digest(transaction) != consented {
        return Err(AnswerError::DigestMismatch);
    }
    let signatures = signatures(open(opened)?, transaction.account(), transaction.images())?;
    let signed = transaction.compile(&signatures)?;
    Ok(Reply::Signed(SignedBytes {
        bytes: hex(&signed.bytes),
        detached: signed.detached.as_deref().map(hex),
        id: signed.id,
    }))
}

/// A local signer never waits: one poll is enough.
pub(crate) fn signatures(
    keys: KeyRing,
    account: &Account,
    images: &[Image],
) -> Result<Vec<Signature>, AnswerError> {
    let (signer, cancel) = (LocalSigner::new(keys), Cancel::default());
    let mut signing = pin!(signer.sign(account, images, &cancel));
    match signing.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(signatures) => Ok(signatures?),
        Poll::Pending => Err(AnswerError::Unfinished),
    }
}
