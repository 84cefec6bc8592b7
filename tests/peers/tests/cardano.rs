//! Cardano: pallas, a ledger that others wrote, holds our signed bytes against the rules of mainnet. It is no chain:
//! which outputs there are to spend is said here.

use chains::transaction::{NetworkFacts, Signed};
use chains::{Chain, encoding, keysign};
use countersign_peers::{account, key, sign};
use pallas_primitives::conway::{
    CostModels, DRepVotingThresholds, ExUnits, PoolVotingThresholds, RationalNumber,
};
use pallas_traverse::{Era, MultiEraInput, MultiEraOutput, MultiEraTx};
use pallas_validate::phase1::validate_txs;
use pallas_validate::utils::{
    AccountState, CertState, ConwayProtParams, Environment, MultiEraProtocolParameters, UTxOs,
};
use std::collections::BTreeMap;
use wire::keysign::keysign_payload::{BlockchainSpecific, SwapPayload};
use wire::keysign::{
    CardanoChainSpecific, CardanoTokenAsset, Coin, KeysignPayload, SwapKitSwapPayload, UtxoInfo,
};

const SLOT: u64 = 160_000_000;
const POLICY: &str = "cccccccccccccccccccccccccccccccccccccccccccccccccccccccc";

fn address(seed: u8) -> String {
    account(Chain::Cardano, &key(Chain::Cardano, seed)).address
}

/// The address's bytes in hex, taken out of its bech32 by hand: the expectation must not come from what is tried.
fn address_hex(seed: u8) -> String {
    let text = address(seed);
    let digits = text.trim_start_matches("addr1").chars();
    let values = digits.map(|digit| "qpzry9x8gf2tvdw0s3jn54khce6mua7l".find(digit).expect("bech32"));
    let bits: Vec<usize> = values.flat_map(|value| (0..5).rev().map(move |bit| value >> bit & 1)).collect();
    let bytes = bits.chunks_exact(8).take(29).map(|byte| byte.iter().fold(0, |sum, bit| sum << 1 | bit));
    bytes.map(|byte| format!("{byte:02x}")).collect()
}

/// What the account of seed 1 can spend: coins, and tokens of one policy.
#[derive(Clone)]
struct Unspent {
    place: u8,
    coins: u64,
    tokens: Vec<(&'static str, u64)>,
}

impl Unspent {
    fn info(&self) -> UtxoInfo {
        let token = |(name, amount): &(&str, u64)| CardanoTokenAsset {
            policy_id: POLICY.to_owned(),
            asset_name_hex: (*name).to_owned(),
            amount: amount.to_string(),
        };
        UtxoInfo {
            hash: encoding::hex(&[self.place; 32]),
            amount: i64::try_from(self.coins).expect("an amount"),
            index: u32::from(self.place),
            cardano_tokens: self.tokens.iter().map(token).collect(),
        }
    }

    /// Input and output as the ledger stores them, in CBOR.
    fn stored(&self) -> (Vec<u8>, Vec<u8>) {
        let input = format!("825820{}{:02x}", encoding::hex(&[self.place; 32]), self.place);
        let names: String = self
            .tokens
            .iter()
            .map(|(name, amount)| format!("4{}{name}1b{amount:016x}", name.len() / 2))
            .collect();
        let value = match self.tokens.len() {
            0 => format!("1b{:016x}", self.coins),
            count => format!("821b{:016x}a1581c{POLICY}a{count}{names}", self.coins),
        };
        let output = format!("82581d{}{value}", address_hex(1));
        let bytes = |hex: &str| encoding::from_hex("test", hex).expect("hex");
        (bytes(&input), bytes(&output))
    }
}

fn unspent(place: u8, coins: u64) -> Unspent {
    Unspent { place, coins, tokens: Vec::new() }
}

fn specific() -> CardanoChainSpecific {
    CardanoChainSpecific { byte_fee: 180_000, send_max_amount: false, ttl: SLOT + 720 }
}

/// Two coins from the account of seed 1 to that of seed 2.
fn payload(unspent: &[Unspent], specific: CardanoChainSpecific) -> KeysignPayload {
    KeysignPayload {
        coin: Some(Coin {
            chain: "Cardano".to_owned(),
            address: address(1),
            is_native_token: true,
            ..Coin::default()
        }),
        to_address: address(2),
        to_amount: "2000000".to_owned(),
        utxo_info: unspent.iter().map(Unspent::info).collect(),
        blockchain_specific: Some(BlockchainSpecific::Cardano(specific)),
        ..KeysignPayload::default()
    }
}

fn signed(payload: &KeysignPayload) -> Signed {
    let key = key(Chain::Cardano, 1);
    let account = account(Chain::Cardano, &key);
    let transactions = keysign::transactions(payload, &account, &NetworkFacts::default()).expect("a payload");
    sign(&transactions[0], &key)
}

/// What the ledger says of these bytes, and the outputs that it reads in them.
fn validate(bytes: &[u8], unspent: &[Unspent]) -> Result<(String, Vec<(String, u64, usize)>), String> {
    let transaction =
        MultiEraTx::decode_for_era(Era::Conway, bytes).map_err(|error| format!("unreadable: {error}"))?;
    let stored: Vec<_> = unspent.iter().map(Unspent::stored).collect();
    let mut utxos = UTxOs::new();
    for (input, output) in &stored {
        let input = pallas_codec::minicbor::decode(input).expect("an input");
        let input = MultiEraInput::AlonzoCompatible(Box::new(std::borrow::Cow::Owned(input)));
        utxos.insert(input, MultiEraOutput::decode(Era::Conway, output).expect("an output"));
    }
    let outputs = transaction.outputs().into_iter().map(|output| {
        let value = output.value();
        (output.address().expect("an address").to_string(), value.coin(), value.assets().len())
    });
    let seen = (transaction.hash().to_string(), outputs.collect());
    validate_txs(&[transaction.clone()], &mainnet(), &utxos, &mut CertState::default())
        .map_err(|error| format!("{error:?}"))?;
    Ok(seen)
}

#[test]
fn the_ledger_takes_payments() {
    let rich = [unspent(1, 9_000_000), unspent(2, 4_000_000)];
    let plain = payload(&rich, specific());
    let ours = signed(&plain);
    let (id, outputs) = validate(&ours.bytes, &rich).expect("valid");
    assert_eq!(id, ours.id);
    assert_eq!(outputs, [(address(2), 2_000_000, 0), (address(1), 6_820_000, 0)]);

    let memo = KeysignPayload { memo: Some("a memo of more than one line ".repeat(4)), ..plain.clone() };
    let ours = signed(&memo);
    assert_eq!(validate(&ours.bytes, &rich).expect("valid").0, ours.id);

    let everything = payload(&rich, CardanoChainSpecific { send_max_amount: true, ..specific() });
    let (_, outputs) = validate(&signed(&everything).bytes, &rich).expect("valid");
    assert_eq!(outputs, [(address(2), 12_820_000, 0)]);
}

#[test]
fn the_ledger_takes_tokens_and_gives_the_rest_back() {
    let tokens = vec![("aa", 50), ("bbbb", 7)];
    let rich = [Unspent { place: 3, coins: 9_000_000, tokens }];
    let mut transfer = payload(&rich, CardanoChainSpecific { byte_fee: 190_000, ..specific() });
    transfer.coin.as_mut().expect("a coin").contract_address = format!("{POLICY}.aa");
    transfer.to_amount = "20".to_owned();
    let (_, outputs) = validate(&signed(&transfer).bytes, &rich).expect("valid");
    assert_eq!(outputs, [(address(2), 1_500_000, 1), (address(1), 7_310_000, 1)]);
    let coins_only = payload(&rich, CardanoChainSpecific { byte_fee: 190_000, ..specific() });
    assert!(validate(&signed(&coins_only).bytes, &rich).is_ok());
}

#[test]
fn the_ledger_takes_what_a_service_built() {
    let rich = [unspent(1, 5_180_000)];
    let body = format!(
        "a400d9010281825820{}01018182581d{}1a004c4b40021a0002bf20031a{:08x}",
        encoding::hex(&[1; 32]),
        address_hex(2),
        SLOT + 100
    );
    let hex = format!("84{body}a0f5f6");
    let swap = SwapKitSwapPayload {
        from_amount: "5000000".to_owned(),
        tx_type: "CARDANO_PREBUILT".to_owned(),
        tx_payload: encoding::from_hex("test", &hex).expect("hex"),
        target_address: address(2),
        ..SwapKitSwapPayload::default()
    };
    let swap_payload = Some(SwapPayload::SwapkitSwapPayload(swap));
    let ours = signed(&KeysignPayload { swap_payload, ..payload(&rich, specific()) });
    let (id, outputs) = validate(&ours.bytes, &rich).expect("valid");
    assert_eq!((id, outputs), (ours.id, vec![(address(2), 5_000_000, 0)]));
}

/// The ledger is not one that says yes to everything.
#[test]
fn the_ledger_refuses_what_is_against_its_rules() {
    let rich = [unspent(1, 9_000_000)];
    let refused = |specific, unspent: &[Unspent]| {
        validate(&signed(&payload(&rich, specific)).bytes, unspent).expect_err("against the rules")
    };
    let cheap = refused(CardanoChainSpecific { byte_fee: 100_000, ..specific() }, &rich);
    assert!(cheap.contains("FeeBelowMin"), "{cheap}");
    let late = refused(CardanoChainSpecific { ttl: SLOT - 1, ..specific() }, &rich);
    assert!(late.contains("BlockExceedsValInt"), "{late}");
    let poor = refused(specific(), &[unspent(1, 8_999_999)]);
    assert!(poor.contains("PreservationOfValue"), "{poor}");
    let gone = refused(specific(), &[unspent(2, 9_000_000)]);
    assert!(gone.contains("InputNotInUTxO"), "{gone}");
}

/// A bit of the signature, of the key or of what is signed. The last two bytes, "valid" and no auxiliary data, are not
/// signed by any key; what the first of them must say is a rule for scripts.
#[test]
fn a_flipped_bit_is_refused() {
    let rich = [unspent(1, 9_000_000)];
    let ours = signed(&payload(&rich, specific())).bytes;
    assert!(validate(&ours, &rich).is_ok());
    for place in 0..ours.len() - 2 {
        let mut changed = ours.clone();
        changed[place] ^= 1;
        assert!(validate(&changed, &rich).is_err(), "byte {place}");
    }
    let mut changed = ours.clone();
    let signature = changed.len() - 10;
    changed[signature] ^= 1;
    let refused = validate(&changed, &rich).expect_err("another signature");
    assert!(refused.contains("VKWrongSignature"), "{refused}");
}

fn ratio(numerator: u64, denominator: u64) -> RationalNumber {
    RationalNumber { numerator, denominator }
}

/// Fees, sizes and deposits of mainnet; what concerns votes and scripts is not looked at for payments.
fn mainnet() -> Environment {
    let half = || ratio(1, 2);
    let nothing = || ExUnits { mem: 0, steps: 0 };
    let parameters = ConwayProtParams {
        system_start: chrono::DateTime::parse_from_rfc3339("2017-09-23T21:44:51Z").expect("a time"),
        epoch_length: 432_000,
        slot_length: 1,
        minfee_a: 44,
        minfee_b: 155_381,
        max_block_body_size: 90_112,
        max_transaction_size: 16_384,
        max_block_header_size: 1_100,
        key_deposit: 2_000_000,
        pool_deposit: 500_000_000,
        desired_number_of_stake_pools: 500,
        protocol_version: (10, 0),
        min_pool_cost: 170_000_000,
        ada_per_utxo_byte: 4_310,
        cost_models_for_script_languages: CostModels {
            plutus_v1: None,
            plutus_v2: None,
            plutus_v3: None,
            unknown: BTreeMap::new(),
        },
        execution_costs: pallas_primitives::ExUnitPrices { mem_price: half(), step_price: half() },
        max_tx_ex_units: nothing(),
        max_block_ex_units: nothing(),
        max_value_size: 5_000,
        collateral_percentage: 150,
        max_collateral_inputs: 3,
        expansion_rate: ratio(3, 1_000),
        treasury_growth_rate: ratio(2, 10),
        maximum_epoch: 18,
        pool_pledge_influence: ratio(3, 10),
        pool_voting_thresholds: PoolVotingThresholds {
            motion_no_confidence: half(),
            committee_normal: half(),
            committee_no_confidence: half(),
            hard_fork_initiation: half(),
            security_voting_threshold: half(),
        },
        drep_voting_thresholds: DRepVotingThresholds {
            motion_no_confidence: half(),
            committee_normal: half(),
            committee_no_confidence: half(),
            update_constitution: half(),
            hard_fork_initiation: half(),
            pp_network_group: half(),
            pp_economic_group: half(),
            pp_technical_group: half(),
            pp_governance_group: half(),
            treasury_withdrawal: half(),
        },
        min_committee_size: 7,
        committee_term_limit: 146,
        governance_action_validity_period: 6,
        governance_action_deposit: 100_000_000_000,
        drep_deposit: 500_000_000,
        drep_inactivity_period: 20,
        minfee_refscript_cost_per_byte: ratio(15, 1),
    };
    Environment {
        prot_params: MultiEraProtocolParameters::Conway(parameters),
        prot_magic: 764_824_073,
        block_slot: SLOT,
        network_id: 1,
        acnt: Some(AccountState::default()),
    }
}
