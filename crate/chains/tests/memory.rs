//! No bytes from outside make a decoder take more memory than a small multiple of their own length.
//!
//! Every committed raw transaction and payload is read with bytes changed, cut and repeated, and the most memory that was
//! in use meanwhile is looked at. Alone in its file: memory is counted for the whole process.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test's own mistake must fail it")]

use countersign_chains::rpc::{self, Response};
use countersign_chains::signing::PublicKey;
use countersign_chains::transaction::{Account, NetworkFacts};
use countersign_chains::{Algorithm, Chain, address, encoding, keysign, unsigned};
use peak_alloc::PeakAlloc;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use wire::keysign::KeysignPayload;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// For every byte that comes in. A protobuf field of three bytes can become a record of a hundred.
const BYTES_FOR_A_BYTE: usize = 32;
/// For what every call needs, with any input.
const BYTES_FOR_A_CALL: usize = 32 << 10;
/// Changed versions of every case.
const CHANGES: u32 = 40;

struct Case {
    chain: Chain,
    account: Account,
    bytes: Vec<u8>,
    is_payload: bool,
}

/// Numbers that look like chance and are the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(bound.max(1)).unwrap()).unwrap()
    }
}

fn files(name: &str) -> Vec<Value> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors");
    let paths = fs::read_dir(root).unwrap().map(|folder| folder.unwrap().path().join(name));
    let paths: Vec<PathBuf> = paths.filter(|path| path.is_file()).collect();
    paths.iter().map(|path| serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()).collect()
}

fn key(chain: Chain) -> PublicKey {
    let generator = "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798";
    match chain.algorithm() {
        Algorithm::Eddsa => PublicKey::Ed25519([0x66; 32]),
        _ => PublicKey::Secp256k1(encoding::array_from_hex("key", generator).unwrap()),
    }
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for file in files("unsigned-tx.json") {
        for case in file["valid"].as_array().unwrap() {
            let chain = Chain::parse(case["chain"].as_str().unwrap()).unwrap();
            let account =
                Account { chain, key: key(chain), address: case["from"].as_str().unwrap().to_owned() };
            let bytes = encoding::from_hex("raw", case["unsigned_tx_hex"].as_str().unwrap()).unwrap();
            cases.push(Case { chain, account, bytes, is_payload: false });
        }
    }
    for file in files("signed-tx-golden.json") {
        for case in file.as_array().unwrap() {
            let text = case["keysign_payload_base64"].as_str().unwrap();
            let bytes = encoding::from_base64("payload", text).unwrap();
            let payload = KeysignPayload::from_bytes(&bytes).unwrap();
            let (chain, coin) = keysign::coin(&payload).unwrap();
            let account = Account { chain, key: key(chain), address: coin.address.clone() };
            cases.push(Case { chain, account, bytes, is_payload: true });
        }
    }
    cases
}

/// One byte, several bytes, an end that is missing, a middle that is there many times.
fn changed(bytes: &[u8], chance: &mut Chance) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let at = chance.below(bytes.len());
    match chance.below(4) {
        0 => bytes[at] = [0, 1, 0x7f, 0x80, 0xfd, 0xfe, 0xff][chance.below(7)],
        1 => {
            let end = bytes.len().min(at + 1 + chance.below(8));
            bytes[at..end].fill(0xff);
        }
        2 => bytes.truncate(at),
        _ => {
            let end = bytes.len().min(at + 1 + chance.below(16));
            let piece = bytes[at..end].repeat(1 + chance.below(200));
            bytes.splice(at..at, piece);
        }
    }
    bytes
}

/// Reads the bytes in every way they could be meant.
fn read(case: &Case, bytes: &[u8], hex: &str) {
    let facts = NetworkFacts { zcash_branch: Some([1, 2, 3, 4]) };
    if !case.is_payload {
        let transaction = unsigned::transaction(hex, &case.account, &unsigned::Context::default());
        drop(transaction.map(|transaction| (transaction.images().to_vec(), transaction.explain())));
    } else if let Ok(payload) = KeysignPayload::from_bytes(bytes) {
        let transactions = keysign::transactions(&payload, &case.account, &facts).unwrap_or_default();
        for transaction in transactions {
            drop((transaction.images(), transaction.explain()));
        }
    }
    let response = Response { status: 200, body: bytes.to_vec() };
    drop((rpc::read_broadcast(case.chain, &response), rpc::read_status(case.chain, &[response])));
    drop(address::normalise(case.chain, hex));
}

#[test]
fn memory_follows_the_length_of_what_comes_in() {
    let mut chance = Chance(0x0c0f_fee0);
    for case in cases() {
        for _ in 0..CHANGES {
            let bytes = changed(&case.bytes, &mut chance);
            let hex = encoding::hex(&bytes);
            let before = MEMORY.current_usage();
            MEMORY.reset_peak_usage();
            read(&case, &bytes, &hex);
            let used = MEMORY.peak_usage().saturating_sub(before);
            let allowed = BYTES_FOR_A_CALL + BYTES_FOR_A_BYTE * bytes.len();
            assert!(used <= allowed, "{} bytes took {used} ({}): {hex}", bytes.len(), case.chain);
        }
    }
}
