//! Polkadot and Bittensor payloads: what they stand for, what is refused, and that no signature but the right one is
//! built in.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test's own mistake must fail it"
)]

use countersign_chains::explain::{Asset, Effect, Explanation, Fee};
use countersign_chains::signing::{PublicKey, Signature};
use countersign_chains::transaction::{Account, NetworkFacts};
use countersign_chains::{Amount, Chain, Transaction, TransactionError, derive, encoding, keysign};
use ed25519_dalek::{Signer as _, SigningKey};
use proptest::prelude::*;
use std::sync::LazyLock;
use wire::keysign::keysign_payload::{BlockchainSpecific, SwapPayload};
use wire::keysign::{Coin, KeysignPayload, PolkadotSpecific, ThorChainSwapPayload};

const CHAINS: [Chain; 2] = [Chain::Polkadot, Chain::Bittensor];
/// The first runtime of Asset Hub with a metadata hash.
const NEW: u32 = 1_002_005;

fn key(seed: u8) -> SigningKey {
    SigningKey::from_bytes(&[seed; 32])
}

/// The public keys of seeds 1 and 2: computing them takes long without optimisation.
static PUBLIC: LazyLock<[[u8; 32]; 2]> =
    LazyLock::new(|| [1, 2].map(|seed| key(seed).verifying_key().to_bytes()));

fn account(chain: Chain, seed: usize) -> Account {
    derive::account(chain, PublicKey::Ed25519(PUBLIC[seed - 1])).unwrap()
}

/// 5 units from the account of seed 1 to that of seed 2, with nonce 3.
fn payload(chain: Chain) -> KeysignPayload {
    KeysignPayload {
        coin: Some(Coin {
            chain: chain.to_string(),
            address: account(chain, 1).address,
            is_native_token: true,
            ..Coin::default()
        }),
        to_address: account(chain, 2).address,
        to_amount: "5".to_owned(),
        blockchain_specific: Some(BlockchainSpecific::PolkadotSpecific(PolkadotSpecific {
            recent_block_hash: format!("0x{}", "aa".repeat(32)),
            nonce: 3,
            current_block_number: "1000".to_owned(),
            spec_version: NEW,
            transaction_version: 15,
            genesis_hash: "bb".repeat(32),
            gas: 0,
        })),
        ..KeysignPayload::default()
    }
}

fn specific(payload: &mut KeysignPayload) -> &mut PolkadotSpecific {
    match &mut payload.blockchain_specific {
        Some(BlockchainSpecific::PolkadotSpecific(specific)) => specific,
        _ => panic!("not a Polkadot payload"),
    }
}

fn coin(payload: &mut KeysignPayload) -> &mut Coin {
    payload.coin.as_mut().unwrap()
}

fn built(payload: &KeysignPayload) -> Result<Transaction, TransactionError> {
    let (chain, _) = keysign::coin(payload)?;
    let mut all = keysign::transactions(payload, &account(chain, 1), &NetworkFacts::default())?;
    assert_eq!(all.len(), 1);
    Ok(all.remove(0))
}

fn image(payload: &KeysignPayload) -> String {
    encoding::hex(built(payload).unwrap().images().first().unwrap().as_bytes())
}

fn sign(transaction: &Transaction) -> Signature {
    Signature(key(1).sign(transaction.images()[0].as_bytes()).to_bytes())
}

#[test]
fn a_transfer_of_the_native_coin() {
    for chain in CHAINS {
        let expected = Explanation {
            target: None,
            chain,
            from: account(chain, 1).address,
            effects: vec![Effect::Transfer {
                asset: Asset::Native,
                to: account(chain, 2).address,
                amount: Amount::from(5),
            }],
            memo: None,
            parties: Vec::new(),
            fee: Fee::SetByChain,
            gas_limit: None,
            nonce: Some(3),
        };
        assert_eq!(built(&payload(chain)).unwrap().explain(), expected);
    }
}

/// Call, era of 64 blocks from block 1000, nonce, no tip; then what each runtime wants.
#[test]
fn each_runtime_gets_its_own_bytes() {
    let key = encoding::hex(&PUBLIC[1]);
    let additional = |version: u32| {
        let version = encoding::hex(&version.to_le_bytes());
        format!("{version}0f000000{}{}", "bb".repeat(32), "aa".repeat(32))
    };
    let transfer = format!("00{key}14{}{}{}", "8502", "0c", "00");
    assert_eq!(image(&payload(Chain::Polkadot)), format!("0a03{transfer}0000{}00", additional(NEW)));
    assert_eq!(image(&payload(Chain::Bittensor)), format!("0500{transfer}00{}00", additional(NEW)));
    let mut old = payload(Chain::Polkadot);
    specific(&mut old).spec_version = NEW - 1;
    assert_eq!(image(&old), format!("0a03{transfer}00{}", additional(NEW - 1)));
}

/// What is sent begins with its length and leaves out what both sides know.
#[test]
fn the_extrinsic_carries_signer_and_signature() {
    let transaction = built(&payload(Chain::Polkadot)).unwrap();
    let signature = sign(&transaction);
    let signed = transaction.compile(&[signature]).unwrap();
    let [own, to] = *PUBLIC;
    let body = [
        "8400",
        &encoding::hex(&own),
        "00",
        &encoding::hex(&signature.0),
        "85020c000000",
        "0a0300",
        &encoding::hex(&to),
        "14",
    ];
    assert_eq!(encoding::hex(&signed.bytes), format!("3502{}", body.concat()));
    assert!(signed.id.starts_with("0x") && signed.id.len() == 66);
}

/// Bittensor accounts are also met in Polkadot's spelling; the key counts.
#[test]
fn polkadots_spelling_is_taken_on_bittensor() {
    let mut spelled = payload(Chain::Bittensor);
    coin(&mut spelled).address = account(Chain::Polkadot, 1).address;
    spelled.to_address = account(Chain::Polkadot, 2).address;
    assert_eq!(image(&spelled), image(&payload(Chain::Bittensor)));
    let mut other = payload(Chain::Polkadot);
    other.to_address = account(Chain::Bittensor, 2).address;
    assert_eq!(built(&other).unwrap_err().code(), "invalid_address");
}

#[test]
fn another_account_never_pays() {
    for chain in CHAINS {
        let mut strange = payload(chain);
        coin(&mut strange).address = account(chain, 2).address;
        let address = account(chain, 2).address;
        assert_eq!(built(&strange).unwrap_err(), TransactionError::NotOwned { address });
    }
}

/// A field that the bytes cannot carry must not be dropped in silence.
#[test]
fn what_the_chain_cannot_carry_is_refused() {
    let refused = |change: fn(&mut KeysignPayload)| {
        let mut payload = payload(Chain::Polkadot);
        change(&mut payload);
        built(&payload).unwrap_err().code()
    };
    assert_eq!(refused(|payload| payload.memo = Some("hello".to_owned())), "unsupported_payload");
    assert_eq!(refused(|payload| coin(payload).is_native_token = false), "unsupported_payload");
    assert_eq!(refused(|payload| coin(payload).contract_address = "1984".to_owned()), "unsupported_payload");
    let swap = |payload: &mut KeysignPayload| {
        payload.swap_payload = Some(SwapPayload::ThorchainSwapPayload(ThorChainSwapPayload::default()));
    };
    assert_eq!(refused(swap), "unsupported_payload");
    let mut empty = payload(Chain::Polkadot);
    empty.memo = Some(String::new());
    assert!(built(&empty).is_ok());
}

#[test]
fn each_field_has_its_refusal() {
    let refused = |change: fn(&mut KeysignPayload)| {
        let mut payload = payload(Chain::Bittensor);
        change(&mut payload);
        let error = built(&payload).unwrap_err();
        (error.code(), error.to_string())
    };
    let missing = |field: &str| ("missing_field", format!("{field} is missing"));
    assert_eq!(refused(|payload| payload.blockchain_specific = None), missing("polkadot_specific"));
    assert_eq!(refused(|payload| payload.to_address.clear()), missing("to_address"));
    assert_eq!(refused(|payload| specific(payload).genesis_hash.clear()), missing("genesis_hash"));
    assert_eq!(refused(|payload| specific(payload).recent_block_hash.clear()), missing("recent_block_hash"));
    assert_eq!(refused(|payload| payload.to_address.push('1')).0, "invalid_address");
    assert_eq!(refused(|payload| specific(payload).genesis_hash.push_str("00")).0, "malformed");
    assert_eq!(refused(|payload| specific(payload).nonce = 1 << 32).0, "invalid_amount");
    assert_eq!(refused(|payload| specific(payload).current_block_number.clear()).0, "invalid_amount");
    assert_eq!(refused(|payload| payload.to_amount = "-1".to_owned()).0, "invalid_amount");
    assert_eq!(refused(|payload| payload.to_amount = format!("1{}", "0".repeat(39))).0, "invalid_amount");
}

#[test]
fn every_flipped_bit_of_a_signature_is_refused() {
    let transaction = built(&payload(Chain::Polkadot)).unwrap();
    let good = sign(&transaction);
    assert!(transaction.compile(&[good]).is_ok());
    for bit in 0..512 {
        let mut flipped = good;
        flipped.0[bit / 8] ^= 1 << (bit % 8);
        assert!(transaction.compile(&[flipped]).is_err(), "bit {bit}");
    }
    assert!(transaction.compile(&[]).is_err());
}

proptest! {
    /// Any payload fields: an answer, never a panic.
    #[test]
    fn any_payload_is_answered(
        texts in prop::array::uniform5(".{0,40}|[0-9a-f]{64}|[0-9]{0,40}"),
        spec_version: u32,
        nonce: u64,
        keep in 0..32_u8,
    ) {
        let [to_address, to_amount, block_hash, genesis_hash, number] = texts;
        for chain in CHAINS {
            let mut payload = payload(chain);
            if keep & 1 == 0 { payload.to_address.clone_from(&to_address) }
            if keep & 2 == 0 { payload.to_amount.clone_from(&to_amount) }
            let specific = specific(&mut payload);
            if keep & 4 == 0 { specific.recent_block_hash.clone_from(&block_hash) }
            if keep & 8 == 0 { specific.genesis_hash.clone_from(&genesis_hash) }
            if keep & 16 == 0 { specific.current_block_number.clone_from(&number) }
            specific.spec_version = spec_version;
            specific.nonce = nonce;
            if let Ok(transaction) = built(&payload) {
                let _ = transaction.explain();
            }
        }
    }
}
