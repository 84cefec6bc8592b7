//! The digests that inputs sign. Every signature here covers all inputs and all outputs.
//!
//! - The first client's: the transaction with the script of the spent output in place of the input's own, all other
//!   inputs' scripts empty, and the hash type behind it. It does not cover the value of what is spent.
//! - BIP-143: hashes of all outpoints, sequences and outputs, then this input with the value that it spends.
//! - ZIP-243: as BIP-143, with BLAKE2b, personalised by purpose and by the consensus branch.

use super::rules::{Digest, Rules};
use super::script::{pay_to_key, pay_to_witness_key, push};
use super::spend::{Lock, Spend};
use super::tx::{Input, Tx, ZCASH_GROUP, write_bytes};
use crate::hash::{blake2b256_personal, sha256d};

/// What all inputs of a transaction have in common; hashed once.
struct Shared {
    outpoints: [u8; 32],
    sequences: [u8; 32],
    outputs: [u8; 32],
}

/// The digest of every input that is the account's, in the order of the inputs.
pub(super) fn digests(spend: &Spend) -> Vec<[u8; 32]> {
    let shared = Shared::of(spend);
    let own = spend.tx.inputs.iter().zip(&spend.spent).enumerate();
    own.filter_map(|(index, (input, spent))| {
        let script = match spent.lock {
            Lock::Key(hash) | Lock::WitnessKey(hash) | Lock::NestedKey(hash) => pay_to_key(&hash),
            Lock::Foreign => return None,
        };
        Some(match (spend.rules.digest, spent.lock) {
            (Digest::Bitcoin, Lock::Key(_)) => legacy(&spend.tx, index, &script, spend.rules),
            (Digest::Zcash, _) => zip_243(spend, &shared, input, &script, spent.value),
            (Digest::Bitcoin | Digest::ForkId, _) => bip_143(spend, &shared, input, &script, spent.value),
        })
    })
    .collect()
}

fn legacy(tx: &Tx, index: usize, script: &[u8], rules: &Rules) -> [u8; 32] {
    let mut tx = tx.clone();
    for (at, input) in tx.inputs.iter_mut().enumerate() {
        input.script = if at == index { script.to_vec() } else { Vec::new() };
    }
    let mut bytes = tx.encode_stripped();
    bytes.extend(u32::from(rules.hash_type).to_le_bytes());
    sha256d(&bytes)
}

fn bip_143(spend: &Spend, shared: &Shared, input: &Input, script: &[u8], value: u64) -> [u8; 32] {
    let mut bytes = spend.tx.version.to_le_bytes().to_vec();
    bytes.extend(shared.outpoints);
    bytes.extend(shared.sequences);
    write_input(&mut bytes, input, script, value);
    bytes.extend(shared.outputs);
    bytes.extend(spend.tx.lock_time.to_le_bytes());
    bytes.extend(u32::from(spend.rules.hash_type).to_le_bytes());
    sha256d(&bytes)
}

fn zip_243(spend: &Spend, shared: &Shared, input: &Input, script: &[u8], value: u64) -> [u8; 32] {
    let mut bytes = spend.tx.version.to_le_bytes().to_vec();
    bytes.extend(ZCASH_GROUP.to_le_bytes());
    bytes.extend(shared.outpoints);
    bytes.extend(shared.sequences);
    bytes.extend(shared.outputs);
    // No joinsplits, no shielded spends, no shielded outputs.
    bytes.extend([0; 96]);
    bytes.extend(spend.tx.lock_time.to_le_bytes());
    bytes.extend(spend.tx.expiry.unwrap_or_default().to_le_bytes());
    // The value balance of the shielded parts.
    bytes.extend([0; 8]);
    bytes.extend(u32::from(spend.rules.hash_type).to_le_bytes());
    write_input(&mut bytes, input, script, value);
    let mut person = *b"ZcashSigHash\0\0\0\0";
    if let Some(branch) = person.last_chunk_mut() {
        *branch = spend.branch;
    }
    blake2b256_personal(&person, &bytes)
}

fn write_input(out: &mut Vec<u8>, input: &Input, script: &[u8], value: u64) {
    input.previous.write(out);
    write_bytes(out, script);
    out.extend(value.to_le_bytes());
    out.extend(input.sequence.to_le_bytes());
}

impl Shared {
    fn of(spend: &Spend) -> Self {
        let (mut outpoints, mut sequences, mut outputs) = (Vec::new(), Vec::new(), Vec::new());
        for input in &spend.tx.inputs {
            input.previous.write(&mut outpoints);
            sequences.extend(input.sequence.to_le_bytes());
        }
        for output in &spend.tx.outputs {
            output.write(&mut outputs);
        }
        if spend.rules.digest == Digest::Zcash {
            return Self {
                outpoints: blake2b256_personal(b"ZcashPrevoutHash", &outpoints),
                sequences: blake2b256_personal(b"ZcashSequencHash", &sequences),
                outputs: blake2b256_personal(b"ZcashOutputsHash", &outputs),
            };
        }
        Self { outpoints: sha256d(&outpoints), sequences: sha256d(&sequences), outputs: sha256d(&outputs) }
    }
}

/// What an input shows: its script and its witness, for a signature in the network's form.
pub(super) fn show(lock: Lock, signature: &[u8], key: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let mut script = Vec::new();
    if let Lock::Key(_) = lock {
        push(&mut script, signature);
        push(&mut script, key);
        return (script, Vec::new());
    }
    if let Lock::NestedKey(hash) = lock {
        push(&mut script, &pay_to_witness_key(&hash));
    }
    let mut witness = vec![2];
    write_bytes(&mut witness, signature);
    write_bytes(&mut witness, key);
    (script, witness)
}
