//! Keys, payloads, and transactions written byte by byte.

use countersign_chains::signing::{Image, PublicKey, Signature};
use countersign_chains::transaction::{Account, NetworkFacts, Signed};
use countersign_chains::{Chain, Transaction, TransactionError, encoding, keysign, unsigned};
use ed25519_dalek::{Signer as _, SigningKey};
use std::sync::LazyLock;
use wire::keysign::keysign_payload::BlockchainSpecific;
use wire::keysign::{Coin, KeysignPayload, SolanaSpecific};

pub(crate) type Key = [u8; 32];

pub(crate) const SYSTEM: &str = "11111111111111111111111111111111";
pub(crate) const COMPUTE_BUDGET: &str = "ComputeBudget111111111111111111111111111111";
pub(crate) const TOKEN: &str = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA";
pub(crate) const TOKEN_2022: &str = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb";
pub(crate) const USDC: &str = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
pub(crate) const WRAPPED_SOL: &str = "So11111111111111111111111111111111111111112";

pub(crate) fn signer(seed: u8) -> SigningKey {
    SigningKey::from_bytes(&[seed; 32])
}

pub(crate) fn public(seed: u8) -> Key {
    signer(seed).verifying_key().to_bytes()
}

pub(crate) fn base58(bytes: &[u8]) -> String {
    bs58::encode(bytes).into_string()
}

pub(crate) fn key(text: &str) -> Key {
    bs58::decode(text).into_vec().unwrap().try_into().unwrap()
}

/// The vault's own account, of the key 1.
pub(crate) fn account() -> Account {
    static KEY: LazyLock<Key> = LazyLock::new(|| public(1));
    let key = *KEY;
    Account { chain: Chain::Solana, key: PublicKey::Ed25519(key), address: base58(&key) }
}

pub(crate) fn sign(transaction: &Transaction) -> Signed {
    let sign = |image: &Image| Signature(signer(1).sign(image.as_bytes()).to_bytes());
    let signatures: Vec<_> = transaction.images().iter().map(sign).collect();
    transaction.compile(&signatures).unwrap()
}

/// A transaction, every part as it is written.
#[derive(Debug, Clone)]
pub(crate) struct Bytes {
    pub(crate) signatures: Vec<[u8; 64]>,
    pub(crate) version: Option<u8>,
    pub(crate) header: [u8; 3],
    pub(crate) keys: Vec<Key>,
    pub(crate) instructions: Vec<(u8, Vec<u8>, Vec<u8>)>,
    pub(crate) lookups: Vec<(Key, Vec<u8>, Vec<u8>)>,
}

impl Bytes {
    /// The account pays and calls one program with these accounts behind itself.
    pub(crate) fn calling(program: &str, accounts: &[Key], data: &[u8]) -> Self {
        let mut keys = vec![public(1)];
        keys.extend(accounts);
        let place = keys.iter().position(|known| *known == key(program)).unwrap_or_else(|| {
            keys.push(key(program));
            keys.len() - 1
        });
        let places = (0..u8::try_from(accounts.len() + 1).unwrap()).collect();
        let instructions = vec![(u8::try_from(place).unwrap(), places, data.to_vec())];
        let signatures = vec![[0; 64]];
        Self { signatures, version: Some(0x80), header: [1, 0, 1], keys, instructions, lookups: Vec::new() }
    }

    /// Five lamports to the key 2.
    pub(crate) fn transfer() -> Self {
        Self::calling(SYSTEM, &[public(2)], &system_transfer(5))
    }

    /// With one more call, of accounts given by their places.
    pub(crate) fn and(mut self, program: &str, places: &[u8], data: &[u8]) -> Self {
        let place = self.keys.iter().position(|known| *known == key(program)).unwrap_or_else(|| {
            self.keys.push(key(program));
            self.header[2] += 1;
            self.keys.len() - 1
        });
        self.instructions.push((u8::try_from(place).unwrap(), places.to_vec(), data.to_vec()));
        self
    }

    pub(crate) fn message(&self) -> Vec<u8> {
        let mut out: Vec<u8> = self.version.into_iter().chain(self.header).collect();
        put_length(&mut out, self.keys.len());
        out.extend(self.keys.iter().flatten());
        out.extend([7; 32]);
        put_length(&mut out, self.instructions.len());
        for (program, accounts, data) in &self.instructions {
            out.push(*program);
            put(&mut out, accounts);
            put(&mut out, data);
        }
        if self.version.is_some() {
            put_length(&mut out, self.lookups.len());
        }
        for (table, writable, readonly) in &self.lookups {
            out.extend(table);
            put(&mut out, writable);
            put(&mut out, readonly);
        }
        out
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put_length(&mut out, self.signatures.len());
        out.extend(self.signatures.iter().flatten());
        out.extend(self.message());
        out
    }

    pub(crate) fn read(&self) -> Result<Transaction, TransactionError> {
        read(&self.encode())
    }
}

pub(crate) fn read(bytes: &[u8]) -> Result<Transaction, TransactionError> {
    unsigned::transaction(&encoding::hex(bytes), &account(), &unsigned::Context::default())
}

pub(crate) fn system_transfer(lamports: u64) -> Vec<u8> {
    [2u32.to_le_bytes().as_slice(), &lamports.to_le_bytes()].concat()
}

fn put(out: &mut Vec<u8>, bytes: &[u8]) {
    put_length(out, bytes.len());
    out.extend(bytes);
}

fn put_length(out: &mut Vec<u8>, length: usize) {
    let mut rest = length;
    while rest >= 128 {
        out.push(u8::try_from(rest % 128).unwrap() | 0x80);
        rest /= 128;
    }
    out.push(u8::try_from(rest).unwrap());
}

/// Five lamports to the key 2, as a payload.
pub(crate) fn payload() -> KeysignPayload {
    KeysignPayload {
        coin: Some(Coin {
            chain: "Solana".to_owned(),
            ticker: "SOL".to_owned(),
            address: account().address,
            decimals: 9,
            is_native_token: true,
            ..Coin::default()
        }),
        to_address: base58(&public(2)),
        to_amount: "5".to_owned(),
        blockchain_specific: Some(BlockchainSpecific::SolanaSpecific(specific())),
        ..KeysignPayload::default()
    }
}

pub(crate) fn specific() -> SolanaSpecific {
    SolanaSpecific {
        recent_block_hash: base58(&[7; 32]),
        priority_fee: "0".to_owned(),
        ..SolanaSpecific::default()
    }
}

/// Five USDC units to the key 2.
pub(crate) fn token_payload(specific: SolanaSpecific) -> KeysignPayload {
    let mut payload = payload();
    let coin = payload.coin.as_mut().unwrap();
    coin.is_native_token = false;
    coin.contract_address = USDC.to_owned();
    coin.decimals = 6;
    payload.blockchain_specific = Some(BlockchainSpecific::SolanaSpecific(specific));
    payload
}

pub(crate) fn build(payload: &KeysignPayload) -> Result<Vec<Transaction>, TransactionError> {
    keysign::transactions(payload, &account(), &NetworkFacts::default())
}

/// The refusal of something that must be refused.
pub(crate) fn refusal<T: std::fmt::Debug>(result: Result<T, TransactionError>) -> (&'static str, String) {
    let error = result.unwrap_err();
    (error.code(), error.to_string())
}
