//! A vault, its steps, and the ways to ask about them.

use chains::Chain;
use chains::encoding::base64;
use countersign_signer::answer;
use prost::Message as _;
use std::collections::BTreeSet;
use vault::seal::seal_with_key;
use vault::{KeyRing, Random, RandomnessError, Secret, public};
use wire::bundle::{Decoded, StepRequest, StepSource, TxDetails};
use wire::keysign::keysign_payload::BlockchainSpecific;
use wire::keysign::{
    Coin, CosmosSpecific, EthereumSpecific, KeysignPayload, SolanaSpecific, UtxoInfo, UtxoSpecific,
};
use wire::secret::SecretText;
use wire::signer::{DecodeRequest, KeyRequest, Opened, Refusal, Reply};
use wire::vault::{PublicKeys, VaultAccount};
use zeroize::Zeroizing;

/// Always the same bytes: no secret here is real.
pub(crate) struct Same;

impl Random for Same {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), RandomnessError> {
        bytes.fill(7);
        Ok(())
    }
}

/// A vault whose private keys are this byte, over and over.
pub(crate) fn secret(byte: u8) -> Secret {
    let half = || Zeroizing::new([byte; 32]);
    Secret::root(half(), half(), half()).unwrap()
}

pub(crate) fn keys(byte: u8) -> PublicKeys {
    secret(byte).public().unwrap()
}

pub(crate) fn address(keys: &PublicKeys, chain: Chain) -> String {
    public::keys(keys).unwrap().account(chain).unwrap().address
}

/// The vault's accounts on the chains of the steps, as the core keeps and sends them.
pub(crate) fn accounts(keys: &PublicKeys, steps: &[StepRequest]) -> Vec<VaultAccount> {
    let chains: BTreeSet<Chain> = steps.iter().filter_map(|step| Chain::parse(&step.chain)).collect();
    let keys = public::keys(keys).unwrap();
    let kept = |chain| {
        let account = keys.account(chain).ok()?;
        let public_key = chains::encoding::hex(account.key.as_bytes());
        Some(VaultAccount { chain: chain.name().to_owned(), public_key, address: account.address })
    };
    chains.into_iter().filter_map(kept).collect()
}

/// An opened vault, without the half second that opening takes.
pub(crate) fn opened(secret: &Secret, binding: &str) -> Opened {
    let key = Zeroizing::new([9; 32]);
    let sealed =
        seal_with_key(&key, binding.as_bytes(), &KeyRing::of(secret).unwrap().to_bytes(), &mut Same).unwrap();
    Opened {
        sealed: SecretText::new(sealed),
        key: SecretText::new(base64(key.as_slice())),
        binding: binding.to_owned(),
    }
}

pub(crate) fn step(chain: Chain, source: StepSource) -> StepRequest {
    let mode = match chain.algorithm() {
        chains::Algorithm::Eddsa => "eddsa_ed25519",
        _ => "ecdsa_secp256k1",
    };
    StepRequest {
        id: "s1".into(),
        sequence: 1,
        chain: chain.name().into(),
        action: "send".into(),
        signing_mode: mode.into(),
        source,
        details: TxDetails::default(),
        wait_for_receipt: false,
        receipt_timeout_seconds: None,
        network_facts: wire::node::NetworkFacts::default(),
    }
}

pub(crate) fn payload_step(payload: &KeysignPayload) -> StepRequest {
    let chain = Chain::parse(&payload.coin.as_ref().unwrap().chain).unwrap();
    step(chain, StepSource::Payload { keysign_payload: base64(&payload.encode_to_vec()) })
}

/// A payment by the vault of `keys`: on Ethereum, Bitcoin, Solana and Cosmos.
pub(crate) fn payment(keys: &PublicKeys, chain: Chain, to: &str, amount: &str) -> KeysignPayload {
    let account = public::keys(keys).unwrap().account(chain).unwrap();
    let native = chain.native();
    let specific = match chain {
        Chain::Ethereum => BlockchainSpecific::EthereumSpecific(EthereumSpecific {
            max_fee_per_gas_wei: "30000000000".into(),
            priority_fee: "1000000000".into(),
            nonce: 5,
            gas_limit: "21000".into(),
        }),
        Chain::Bitcoin => {
            BlockchainSpecific::UtxoSpecific(UtxoSpecific { byte_fee: "10".into(), send_max_amount: false })
        }
        Chain::Solana => BlockchainSpecific::SolanaSpecific(SolanaSpecific {
            recent_block_hash: "3Wi3THrgQZ1rC2PzXwjbifa5mbGceyeTkzhtWwurkVUM".into(),
            compute_limit: Some("21000".into()),
            ..SolanaSpecific::default()
        }),
        _ => BlockchainSpecific::CosmosSpecific(CosmosSpecific {
            account_number: 1,
            sequence: 5,
            gas: 7500,
            gas_limit: Some(21000),
            ..CosmosSpecific::default()
        }),
    };
    let coin = UtxoInfo { hash: "ab".repeat(32), amount: 900_000_000, ..UtxoInfo::default() };
    KeysignPayload {
        coin: Some(Coin {
            chain: chain.name().into(),
            ticker: native.ticker.into(),
            address: account.address,
            decimals: native.decimals.into(),
            is_native_token: true,
            hex_public_key: chains::encoding::hex(account.key.as_bytes()),
            ..Coin::default()
        }),
        to_address: to.into(),
        to_amount: amount.into(),
        blockchain_specific: Some(specific),
        utxo_info: if chain == Chain::Bitcoin { vec![coin] } else { Vec::new() },
        ..KeysignPayload::default()
    }
}

pub(crate) fn inspect(keys: &PublicKeys, steps: &[StepRequest]) -> Result<Vec<Vec<Decoded>>, Refusal> {
    match answer(DecodeRequest::Inspect {
        accounts: accounts(keys, steps),
        steps: steps.to_vec(),
        tokens: Vec::new(),
    }) {
        Reply::Inspected { steps } => Ok(steps),
        Reply::Refused(refusal) => Err(refusal),
        other => panic!("{other:?}"),
    }
}

pub(crate) fn inspect_one(keys: &PublicKeys, step: &StepRequest) -> Result<Vec<Decoded>, Refusal> {
    inspect(keys, std::slice::from_ref(step)).map(|mut steps| steps.remove(0))
}

/// A signed transaction: bytes and signature beside them in hex, id.
pub(crate) type Signed = (String, Option<String>, String);

pub(crate) fn sign(
    opened: &Opened,
    keys: &PublicKeys,
    step: &StepRequest,
    index: usize,
    digest: &str,
) -> Result<Signed, Refusal> {
    let request = KeyRequest::Sign {
        opened: opened.clone(),
        account: accounts(keys, std::slice::from_ref(step)).remove(0),
        step: step.clone(),
        index,
        digest: digest.to_owned(),
    };
    match answer(request) {
        Reply::Signed(wire::node::SignedBytes { bytes, detached, id }) => Ok((bytes, detached, id)),
        Reply::Refused(refusal) => Err(refusal),
        other => panic!("{other:?}"),
    }
}
