//! Keys, coins, payloads and PSBTs to test with. Written from the specifications, without the crate's own code.

use countersign_chains::signing::{Image, PublicKey, Signature};
use countersign_chains::{Account, Chain, Transaction, TransactionError, derive};
use k256::ecdsa::SigningKey;
use ripemd::Ripemd160;
use sha2::{Digest, Sha256};
use wire::keysign::keysign_payload::BlockchainSpecific;
use wire::keysign::{Coin, KeysignPayload, UtxoInfo, UtxoSpecific};
use wire::node::NodeFact;

/// A public private key.
pub(crate) fn signer() -> SigningKey {
    SigningKey::from_slice(&[0x11; 32]).unwrap()
}

/// Its account.
pub(crate) fn account(chain: Chain) -> Account {
    let key = signer().verifying_key().to_sec1_point(true);
    derive::account(chain, PublicKey::Secp256k1(key.as_bytes().try_into().unwrap())).unwrap()
}

pub(crate) fn hash160(bytes: &[u8]) -> [u8; 20] {
    Ripemd160::digest(Sha256::digest(bytes)).into()
}

pub(crate) fn key_hash() -> [u8; 20] {
    hash160(account(Chain::Bitcoin).key.as_bytes())
}

pub(crate) fn p2pkh(hash: [u8; 20]) -> Vec<u8> {
    [&[0x76, 0xa9, 0x14], hash.as_slice(), &[0x88, 0xac]].concat()
}

pub(crate) fn p2wpkh(hash: [u8; 20]) -> Vec<u8> {
    [&[0x00, 0x14], hash.as_slice()].concat()
}

pub(crate) fn p2sh(hash: [u8; 20]) -> Vec<u8> {
    [&[0xa9, 0x14], hash.as_slice(), &[0x87]].concat()
}

/// Behind a script hash, a witness program of the key.
pub(crate) fn nested() -> Vec<u8> {
    p2sh(hash160(&p2wpkh(key_hash())))
}

/// Signs all images.
pub(crate) fn sign(transaction: &Transaction) -> Vec<Signature> {
    let sign = |image: &Image| {
        let digest: [u8; 32] = image.as_bytes().try_into().unwrap();
        let (signature, _) = signer().sign_prehash_recoverable(&digest);
        Signature(signature.to_bytes().into())
    };
    transaction.images().iter().map(sign).collect()
}

/// A transaction that spends one coin of each script: version, inputs, outputs, lock time.
pub(crate) fn unsigned_tx(previous: &[([u8; 32], u32)], outputs: &[(u64, Vec<u8>)]) -> Vec<u8> {
    let mut tx = 2_u32.to_le_bytes().to_vec();
    tx.push(u8::try_from(previous.len()).unwrap());
    for (id, index) in previous {
        tx.extend(id);
        tx.extend(index.to_le_bytes());
        tx.push(0);
        tx.extend(0xffff_fffd_u32.to_le_bytes());
    }
    tx.push(u8::try_from(outputs.len()).unwrap());
    for (value, script) in outputs {
        tx.extend(output(*value, script));
    }
    tx.extend(0_u32.to_le_bytes());
    tx
}

pub(crate) fn output(value: u64, script: &[u8]) -> Vec<u8> {
    [&value.to_le_bytes(), [u8::try_from(script.len()).unwrap()].as_slice(), script].concat()
}

pub(crate) fn sha256d(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(Sha256::digest(bytes)).into()
}

/// A pair of a PSBT map.
pub(crate) fn pair(key: &[u8], value: &[u8]) -> Vec<u8> {
    let size = |length: usize| match u8::try_from(length) {
        Ok(short) if short < 0xfd => vec![short],
        _ => [&[0xfd], u16::try_from(length).unwrap().to_le_bytes().as_slice()].concat(),
    };
    [size(key.len()), key.to_vec(), size(value.len()), value.to_vec()].concat()
}

/// A PSBT whose parts can be changed before it is written.
#[derive(Clone)]
pub(crate) struct Psbt {
    pub(crate) tx: Vec<u8>,
    pub(crate) global: Vec<Vec<u8>>,
    pub(crate) inputs: Vec<Vec<Vec<u8>>>,
    pub(crate) outputs: usize,
}

/// The script of another account.
pub(crate) fn foreign_script() -> Vec<u8> {
    p2wpkh([9; 20])
}

impl Psbt {
    /// Spends 100 000 behind each script, pays 60 000 per input elsewhere and the rest but 1000 back.
    pub(crate) fn spending(scripts: &[Vec<u8>]) -> Self {
        let count = u64::try_from(scripts.len()).unwrap();
        let earlier = |(index, script): (usize, &Vec<u8>)| {
            let index = u8::try_from(index).unwrap();
            unsigned_tx(&[([index; 32], 0)], &[(1, foreign_script()), (100_000, script.clone())])
        };
        let earlier: Vec<Vec<u8>> = scripts.iter().enumerate().map(earlier).collect();
        let previous: Vec<_> = earlier.iter().map(|tx| (sha256d(tx), 1)).collect();
        let outputs = [(60_000 * count, foreign_script()), (40_000 * count - 1000, p2wpkh(key_hash()))];
        let tx = unsigned_tx(&previous, &outputs);
        let coin = |(script, earlier): (&Vec<u8>, Vec<u8>)| match script.first() {
            Some(0x76) => vec![pair(&[0], &earlier)],
            _ => vec![pair(&[1], &output(100_000, script))],
        };
        let inputs = scripts.iter().zip(earlier).map(coin).collect();
        Self { tx, global: Vec::new(), inputs, outputs: 2 }
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = b"psbt\xff".to_vec();
        bytes.extend(pair(&[0], &self.tx));
        bytes.extend(self.global.concat());
        bytes.push(0);
        for input in &self.inputs {
            bytes.extend(input.concat());
            bytes.push(0);
        }
        bytes.extend(vec![0; self.outputs]);
        bytes
    }

    pub(crate) fn read(&self, chain: Chain) -> Result<Transaction, TransactionError> {
        read_psbt(chain, &self.bytes())
    }
}

pub(crate) fn read_psbt(chain: Chain, bytes: &[u8]) -> Result<Transaction, TransactionError> {
    let hex = countersign_chains::encoding::hex(bytes);
    countersign_chains::unsigned::transaction(&hex, &account(chain), &Default::default())
}

/// The script of the account's coins.
pub(crate) fn own_script(chain: Chain) -> Vec<u8> {
    if matches!(chain, Chain::Bitcoin | Chain::Litecoin) { p2wpkh(key_hash()) } else { p2pkh(key_hash()) }
}

/// A transaction whose second output is a coin of the account.
pub(crate) fn earlier(chain: Chain, number: u8, value: u64) -> Vec<u8> {
    unsigned_tx(&[([number; 32], 0)], &[(1, foreign_script()), (value, own_script(chain))])
}

/// The id of a transaction as explorers spell it.
pub(crate) fn shown_id(tx: &[u8]) -> String {
    let mut id = sha256d(tx);
    id.reverse();
    countersign_chains::encoding::hex(&id)
}

/// What a node says of a transaction.
pub(crate) fn known(tx: &[u8]) -> NodeFact {
    NodeFact::PreviousTransaction { id: shown_id(tx), bytes: countersign_chains::encoding::hex(tx) }
}

/// What a node says of the coins of [`payment`].
pub(crate) fn known_coins(chain: Chain) -> Vec<NodeFact> {
    vec![known(&earlier(chain, 1, 3_000_000)), known(&earlier(chain, 2, 5_000_000))]
}

/// A payload that sends two million from two coins.
pub(crate) fn payment(chain: Chain) -> KeysignPayload {
    let account = account(chain);
    let coin = |number, amount: i64| {
        let hash = shown_id(&earlier(chain, number, amount.unsigned_abs()));
        UtxoInfo { hash, amount, index: 1, ..Default::default() }
    };
    KeysignPayload {
        coin: Some(Coin {
            chain: chain.to_string(),
            address: account.address,
            is_native_token: true,
            ..Default::default()
        }),
        to_address: other_address(chain).to_owned(),
        to_amount: "2000000".to_owned(),
        blockchain_specific: Some(BlockchainSpecific::UtxoSpecific(UtxoSpecific {
            byte_fee: "10".to_owned(),
            send_max_amount: false,
        })),
        utxo_info: vec![coin(1, 3_000_000), coin(2, 5_000_000)],
        ..Default::default()
    }
}

pub(crate) const fn other_address(chain: Chain) -> &'static str {
    match chain {
        Chain::Litecoin => "ltc1q9w8v76teggv76qc8l9sdhfg05dqqsxadlpy8zy",
        Chain::Dogecoin => "DSxRrchVLpu6r9rvSRTy9LR9si7NuLrGdm",
        Chain::Dash => "Xcb81BKjvDRoCMfoAQHybV12NNXgjQD8Li",
        Chain::BitcoinCash => "qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a",
        Chain::Zcash => "t1KmtBG5yvpzoe487EwnssmR9nh95Xjf3d9",
        _ => "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
    }
}
