//! A wallet's use of a node: sign, send, and read the status.

use crate::client;
use chains::rpc::{self, Broadcast, Method, Request, Response, Status, Trial};
use chains::signing::Image;
use chains::transaction::{Account, NetworkFacts, Signed};
use chains::{Chain, Transaction, derive, keysign};
use std::ops::Deref;
use vault::LocalKey;
use wire::keysign::keysign_payload::BlockchainSpecific;
use wire::keysign::{Coin, KeysignPayload};
use wire::node::Checked;
use zeroize::Zeroizing;

/// A key of the chain's scheme, derived from one byte: the same in every run.
fn key(chain: Chain, seed: u8) -> LocalKey {
    let secret = Zeroizing::new([seed; 32]);
    match chain.algorithm() {
        chains::Algorithm::Eddsa => LocalKey::ed25519(&secret),
        _ => LocalKey::secp256k1(&secret).unwrap(),
    }
}

pub(crate) fn account(chain: Chain, seed: u8) -> Account {
    derive::account(chain, key(chain, seed).public()).unwrap()
}

/// A payment from the account of seed 1 to that of seed 2.
pub(crate) fn payment(chain: Chain, amount: u64, specific: BlockchainSpecific) -> KeysignPayload {
    KeysignPayload {
        coin: Some(Coin {
            chain: chain.to_string(),
            ticker: chain.native().ticker.to_owned(),
            address: account(chain, 1).address,
            decimals: chain.native().decimals.into(),
            is_native_token: true,
            ..Coin::default()
        }),
        to_address: account(chain, 2).address,
        to_amount: amount.to_string(),
        blockchain_specific: Some(specific),
        ..KeysignPayload::default()
    }
}

/// A transaction, unsigned and signed.
pub(crate) struct Ours {
    unsigned: Transaction,
    signed: Signed,
}

impl Deref for Ours {
    type Target = Signed;

    fn deref(&self) -> &Signed {
        &self.signed
    }
}

pub(crate) fn signed(chain: Chain, payload: &KeysignPayload) -> Ours {
    let key = key(chain, 1);
    let mut transactions =
        keysign::transactions(payload, &account(chain, 1), &NetworkFacts::default()).unwrap();
    let unsigned = transactions.remove(0);
    let sign = |image: &Image| key.sign(image).unwrap();
    let signatures: Vec<_> = unsigned.images().iter().map(sign).collect();
    let signed = unsigned.compile(&signatures).unwrap();
    Ours { unsigned, signed }
}

/// The wallet's check before signing.
pub(crate) async fn check(url: &str, ours: &Ours) -> Checked {
    let mut answers = Vec::new();
    for request in rpc::check(&ours.unsigned, 0) {
        answers.push(ask(url, &request).await);
    }
    rpc::read_check(&ours.unsigned, 0, &answers)
}

/// The wallet's trial run before signing.
pub(crate) async fn trial(url: &str, ours: &Ours) -> Trial {
    let transactions = std::slice::from_ref(&ours.unsigned);
    let mut answers = Vec::new();
    for request in rpc::trial(transactions) {
        answers.push(ask(url, &request).await);
    }
    rpc::read_trial(transactions, &answers)
}

async fn ask(url: &str, request: &Request) -> Response {
    let path = if request.path.is_empty() { "/" } else { &request.path };
    let reply = match &request.method {
        Method::Get => client::send(url, "GET", path, "").await,
        Method::Post(body) => client::send(url, "POST", path, body).await,
    };
    let reply = reply.unwrap();
    Response { status: reply.status, body: reply.body.into_bytes() }
}

pub(crate) async fn broadcast(url: &str, chain: Chain, signed: &Signed) -> Broadcast {
    rpc::read_broadcast(chain, &ask(url, &rpc::broadcast(chain, signed)).await)
}

pub(crate) async fn status(url: &str, chain: Chain, id: &str) -> Status {
    let mut answers = Vec::new();
    for request in rpc::status(chain, id) {
        answers.push(ask(url, &request).await);
    }
    rpc::read_status(chain, &answers)
}

/// The same bytes with one bit changed, at this distance from the end.
pub(crate) fn changed(signed: &Signed, from_end: usize) -> Signed {
    let mut changed = signed.clone();
    let place = changed.bytes.len() - from_end;
    changed.bytes[place] ^= 1;
    changed
}
