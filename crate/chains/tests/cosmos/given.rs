//! An account, a payload and a sign doc to begin with, made without the crate's own code.

use bech32::{Bech32, Hrp};
use countersign_chains::explain::Effect;
use countersign_chains::signing::{PublicKey, Signature};
use countersign_chains::transaction::{Account, NetworkFacts};
use countersign_chains::unsigned::{self, Context};
use countersign_chains::{Amount, Chain, Transaction, TransactionError, encoding, keysign};
use k256::ecdsa::SigningKey;
use k256::ecdsa::signature::hazmat::PrehashSigner as _;
use ripemd::Ripemd160;
use sha2::{Digest, Sha256};
use wire::keysign::keysign_payload::BlockchainSpecific;
use wire::keysign::{Coin, CosmosSpecific, KeysignPayload};
use wire::node::NodeFact;

/// A private key: this byte, 32 times.
pub(crate) fn key(byte: u8) -> SigningKey {
    SigningKey::from_slice(&[byte; 32]).unwrap()
}

pub(crate) fn public(byte: u8) -> [u8; 33] {
    key(byte).verifying_key().to_sec1_point(true).as_bytes().try_into().unwrap()
}

pub(crate) fn hash(byte: u8) -> [u8; 20] {
    Ripemd160::digest(Sha256::digest(public(byte))).into()
}

/// The address of the private key of this byte.
pub(crate) fn address(hrp: &str, byte: u8) -> String {
    bech32::encode::<Bech32>(Hrp::parse(hrp).unwrap(), &hash(byte)).unwrap()
}

/// A contract's address.
pub(crate) fn contract(hrp: &str) -> String {
    bech32::encode::<Bech32>(Hrp::parse(hrp).unwrap(), &[7; 32]).unwrap()
}

pub(crate) fn account(chain: Chain) -> Account {
    let address = address(chain.bech32_hrp().unwrap(), 1);
    Account { chain, key: PublicKey::Secp256k1(public(1)), address }
}

pub(crate) fn coin(chain: Chain) -> Coin {
    Coin {
        chain: chain.to_string(),
        ticker: chain.native().ticker.to_owned(),
        address: account(chain).address,
        decimals: chain.native().decimals.into(),
        is_native_token: true,
        hex_public_key: encoding::hex(&public(1)),
        ..Coin::default()
    }
}

/// 5 of the chain's smallest unit to the second account.
pub(crate) fn payload(chain: Chain) -> KeysignPayload {
    let specific = CosmosSpecific { account_number: 7, sequence: 3, gas: 7500, ..CosmosSpecific::default() };
    KeysignPayload {
        coin: Some(coin(chain)),
        to_address: address(chain.bech32_hrp().unwrap(), 2),
        to_amount: "5".to_owned(),
        blockchain_specific: Some(BlockchainSpecific::CosmosSpecific(specific)),
        ..KeysignPayload::default()
    }
}

/// A node's word that a swap network takes deposits at an account.
pub(crate) fn deposit(network: &str, chain: &str, address: &str) -> NodeFact {
    NodeFact::DepositAddress {
        network: network.to_owned(),
        chain: chain.to_owned(),
        address: address.to_owned(),
        router: None,
    }
}

pub(crate) fn build(payload: &KeysignPayload) -> Result<Transaction, TransactionError> {
    let (chain, _) = keysign::coin(payload)?;
    let mut transactions = keysign::transactions(payload, &account(chain), &NetworkFacts::default())?;
    assert_eq!(transactions.len(), 1);
    Ok(transactions.remove(0))
}

pub(crate) fn effects(payload: &KeysignPayload) -> Vec<Effect> {
    build(payload).unwrap().explain().effects
}

pub(crate) fn refused(payload: &KeysignPayload) -> String {
    build(payload).unwrap_err().to_string()
}

pub(crate) fn sign(transaction: &Transaction) -> Signature {
    let signature: k256::ecdsa::Signature = key(1).sign_prehash(transaction.images()[0].as_bytes()).unwrap();
    Signature(signature.to_bytes().into())
}

pub(crate) fn amount(value: u64) -> Amount {
    Amount::from(value)
}

pub(crate) fn raw(bytes: &[u8], chain: Chain) -> Result<Transaction, TransactionError> {
    unsigned::transaction(&encoding::hex(bytes), &account(chain), &Context::default())
}

/// A protobuf field that has a length.
pub(crate) fn part(number: u64, bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let bytes = bytes.as_ref();
    [varint(number << 3 | 2), varint(bytes.len() as u64), bytes.to_vec()].concat()
}

/// A protobuf field that is a number.
pub(crate) fn number(number: u64, value: u64) -> Vec<u8> {
    [varint(number << 3), varint(value)].concat()
}

pub(crate) fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

pub(crate) fn any(type_url: &str, value: impl AsRef<[u8]>) -> Vec<u8> {
    [part(1, type_url), part(2, value)].concat()
}

pub(crate) fn proto_coin(denom: &str, amount: &str) -> Vec<u8> {
    [part(1, denom), part(2, amount)].concat()
}

/// 5 uatom from the first account to the second.
pub(crate) fn send() -> Vec<u8> {
    let coin = proto_coin("uatom", "5");
    any(
        "/cosmos.bank.v1beta1.MsgSend",
        [part(1, address("cosmos", 1)), part(2, address("cosmos", 2)), part(3, coin)].concat(),
    )
}

/// The parts of a sign doc, each of which a test may replace.
pub(crate) struct Doc {
    pub(crate) messages: Vec<Vec<u8>>,
    pub(crate) body_end: Vec<u8>,
    pub(crate) key: Vec<u8>,
    pub(crate) mode: Vec<u8>,
    pub(crate) fee: Vec<u8>,
    pub(crate) auth_end: Vec<u8>,
    pub(crate) chain_id: &'static str,
    pub(crate) end: Vec<u8>,
}

pub(crate) fn doc() -> Doc {
    Doc {
        messages: vec![send()],
        body_end: part(2, "memo"),
        key: any("/cosmos.crypto.secp256k1.PubKey", part(1, public(1))),
        mode: part(1, number(1, 1)),
        fee: [part(1, proto_coin("uatom", "7500")), number(2, 200_000)].concat(),
        auth_end: Vec::new(),
        chain_id: "cosmoshub-4",
        end: number(4, 7),
    }
}

impl Doc {
    pub(crate) fn body(&self) -> Vec<u8> {
        let messages: Vec<u8> = self.messages.iter().flat_map(|message| part(1, message)).collect();
        [messages, self.body_end.clone()].concat()
    }

    pub(crate) fn auth_info(&self) -> Vec<u8> {
        let signer = [part(1, &self.key), part(2, &self.mode), number(3, 3)].concat();
        [part(1, signer), part(2, &self.fee), self.auth_end.clone()].concat()
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        [part(1, self.body()), part(2, self.auth_info()), part(3, self.chain_id), self.end.clone()].concat()
    }

    pub(crate) fn read(&self) -> Result<Transaction, TransactionError> {
        raw(&self.bytes(), Chain::Cosmos)
    }
}
