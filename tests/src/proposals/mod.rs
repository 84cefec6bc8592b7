//! Bundles as agents propose them, on every kind of chain: the rows of the tables of honest and of hostile ones.
//!
//! A row goes through the whole core: the agent proposes it with `skip_approval`, the user's setting is `always`. What is
//! then signed without an approval was found harmless; everything else is asked about, blocked or refused.

pub mod cardano;
pub mod cosmos;
pub mod evm;
pub mod nodes;
pub mod ripple;
pub mod solana;
pub mod sui;
pub mod ton;
pub mod tron;
pub mod utxo;

use crate::signer::fast_signer_account;
use crate::world::{Answer, NodeCall, World, address_of};
use chains::encoding::base64;
use chains::{Algorithm, Chain, Kind};
use prost::Message as _;
use serde_json::{Value, json};
use wire::keysign::keysign_payload::BlockchainSpecific;
use wire::keysign::*;

const PASSWORD: &str = "correct horse battery";

/// A bundle that an agent proposes, and what is known when it does.
pub struct Proposal {
    /// What it is, in a few words.
    pub name: &'static str,
    /// Its steps.
    pub steps: Vec<Value>,
    /// Chain and address of contacts that the user saved before.
    pub contacts: Vec<(Chain, String)>,
    /// What the chains' nodes answer; by default an index knows where the coins of UTXO chains come from, and that is all.
    pub nodes: Option<fn(&NodeCall) -> Answer>,
}

/// What became of a proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judgement {
    /// Signed without an approval, as the agent wished.
    Skipped,
    /// The user is asked; the codes of the warnings.
    Asked(Vec<String>),
    /// Refused before any question: the code.
    Refused(String),
}

impl Proposal {
    /// A bundle of these steps.
    pub const fn new(name: &'static str, steps: Vec<Value>) -> Self {
        Self { name, steps, contacts: Vec::new(), nodes: None }
    }

    /// Paid to a contact of the user.
    #[must_use]
    pub fn knowing(mut self, chain: Chain, address: impl Into<String>) -> Self {
        self.contacts.push((chain, address.into()));
        self
    }

    /// With nodes that answer.
    #[must_use]
    pub fn nodes(mut self, nodes: fn(&NodeCall) -> Answer) -> Self {
        self.nodes = Some(nodes);
        self
    }

    /// Puts it through the core.
    pub async fn judge(&self) -> Judgement {
        let params = json!({"transactions": numbered(&self.steps), "skip_approval": true});
        let action = json!({"id": "a1", "type": "sign_transaction_bundle", "title": self.name, "params": params,
            "auto_execute": true});
        let world = World::proposing(json!([action])).await;
        world.browser.use_fast_signer();
        world.make_vault(PASSWORD).await;
        world.set_nodes(self.nodes.unwrap_or(utxo::index));
        let settings = json!({"skipApproval": "always", "password": PASSWORD});
        let (status, answer) = world.call("PATCH", "/api/settings", settings).await;
        assert_eq!(status, 200, "{}: {answer}", self.name);
        for (number, (chain, address)) in self.contacts.iter().enumerate() {
            let entry =
                json!({"title": format!("Friend {number}"), "address": address, "chain": chain.name()});
            let action = json!({"id": format!("c{number}"), "type": "add_address_book", "params": {"entries": [entry]},
                "auto_execute": true});
            let (status, answer) = world.call("POST", "/api/actions", json!({"actions": [action]})).await;
            assert_eq!((status, &answer["results"][0]["success"]), (200, &json!(true)), "{answer}");
        }
        world.say("go").await;
        world.pass(20_000).await;
        judgement(&world).await
    }
}

async fn judgement(world: &World) -> Judgement {
    let prompts = world.prompts().await;
    match prompts.first() {
        Some(prompt) if prompt["kind"] == "password_required" => Judgement::Skipped,
        Some(prompt) => {
            let reasons = prompt["reasons"].as_array().expect("a prompt has reasons");
            let warned = reasons.iter().filter(|reason| reason["severity"] != "info");
            let code = |reason: &Value| reason["code"].as_str().expect("a reason has a code").to_owned();
            Judgement::Asked(warned.map(code).collect())
        }
        None => {
            let results = world.results();
            let error = results.last().and_then(|result| result["error"].as_str()).unwrap_or_default();
            Judgement::Refused(error.split(':').next().unwrap_or_default().to_owned())
        }
    }
}

/// Steps with their ids and numbers.
fn numbered(steps: &[Value]) -> Vec<Value> {
    let number = |(place, step): (usize, &Value)| {
        let mut step = step.clone();
        step["id"] = json!(format!("s{place}"));
        step["sequence"] = json!(place);
        step
    };
    steps.iter().enumerate().map(number).collect()
}

/// The address of the vault on a chain.
pub fn own(chain: Chain) -> String {
    fast_signer_account(chain).address
}

/// An address on a chain of a person whom the user may know.
pub fn friend(chain: Chain) -> String {
    address_of(1, chain.name())
}

/// An address on a chain that the user never saw.
pub fn stranger(chain: Chain) -> String {
    address_of(2, chain.name())
}

/// A step with raw bytes in hex.
pub fn raw(chain: Chain, hex: &str) -> Value {
    let mut step = json!({"chain": chain.name(), "action": "sign", "signing_mode": mode(chain), "unsigned_tx_hex": hex,
        "chain_context": {}});
    if let Some(id) = chain.evm_id() {
        step["chain_context"] = json!({"chain_id": format!("{id:#x}"), "tx_type": "eip1559"});
    }
    step
}

/// A step with a payload.
pub fn payload(payload: &KeysignPayload) -> Value {
    let chain = payload.coin.as_ref().and_then(|coin| Chain::parse(&coin.chain)).expect("names a chain");
    json!({"chain": chain.name(), "action": "sign", "signing_mode": mode(chain),
        "keysign_payload": base64(&payload.encode_to_vec())})
}

/// The step with what the agent says of it.
#[must_use]
pub fn claiming(mut step: Value, details: Value) -> Value {
    step["tx_details"] = details;
    step
}

fn mode(chain: Chain) -> &'static str {
    match chain.algorithm() {
        Algorithm::Eddsa => "eddsa_ed25519",
        Algorithm::Ecdsa | Algorithm::MlDsa44 => "ecdsa_secp256k1",
    }
}

/// A payment of one of the chain's own coins.
pub fn payment(chain: Chain, to: &str) -> KeysignPayload {
    let native = chain.native();
    let amount = 10_u128.pow(u32::from(native.decimals));
    let account = fast_signer_account(chain);
    KeysignPayload {
        coin: Some(Coin {
            chain: chain.name().to_owned(),
            ticker: native.ticker.to_owned(),
            address: account.address,
            decimals: native.decimals.into(),
            is_native_token: true,
            hex_public_key: chains::encoding::hex(account.key.as_bytes()),
            ..Coin::default()
        }),
        to_address: to.to_owned(),
        to_amount: amount.to_string(),
        blockchain_specific: Some(specific(chain)),
        utxo_info: coins(chain),
        ..KeysignPayload::default()
    }
}

/// The coins that a payment spends.
fn coins(chain: Chain) -> Vec<UtxoInfo> {
    match chain.kind() {
        Kind::Utxo => vec![utxo::coin(chain)],
        Kind::Cardano => vec![UtxoInfo { hash: "ab".repeat(32), amount: 90_000_000, ..UtxoInfo::default() }],
        _ => Vec::new(),
    }
}

fn specific(chain: Chain) -> BlockchainSpecific {
    let hash = || format!("0x{}", "91".repeat(32));
    match chain.kind() {
        Kind::Evm => BlockchainSpecific::EthereumSpecific(EthereumSpecific {
            max_fee_per_gas_wei: "1000000000".to_owned(),
            priority_fee: "1000000".to_owned(),
            nonce: 7,
            gas_limit: "90000".to_owned(),
        }),
        Kind::Utxo => BlockchainSpecific::UtxoSpecific(UtxoSpecific {
            byte_fee: "2".to_owned(),
            send_max_amount: false,
        }),
        Kind::Solana => BlockchainSpecific::SolanaSpecific(SolanaSpecific {
            recent_block_hash: "3Wi3THrgQZ1rC2PzXwjbifa5mbGceyeTkzhtWwurkVUM".to_owned(),
            priority_fee: "1000".to_owned(),
            ..SolanaSpecific::default()
        }),
        Kind::Ton => BlockchainSpecific::TonSpecific(TonSpecific {
            sequence_number: 5,
            expire_at: 1_767_229_000,
            ..TonSpecific::default()
        }),
        Kind::Ripple => BlockchainSpecific::RippleSpecific(RippleSpecific {
            sequence: 5,
            gas: 180_000,
            last_ledger_sequence: 90_000_000,
            ..RippleSpecific::default()
        }),
        Kind::Tron => BlockchainSpecific::TronSpecific(TronSpecific {
            timestamp: 1_767_225_600_000,
            expiration: 1_767_229_200_000,
            block_header_timestamp: 1_767_225_597_000,
            block_header_number: 79_000_000,
            block_header_version: 31,
            block_header_tx_trie_root: "ab".repeat(32),
            block_header_parent_hash: "cd".repeat(32),
            block_header_witness_address: format!("41{}", "ef".repeat(20)),
            gas_estimation: 0,
        }),
        Kind::Sui => BlockchainSpecific::SuicheSpecific(SuiSpecific {
            reference_gas_price: "750".to_owned(),
            gas_budget: "3000000".to_owned(),
            coins: vec![SuiCoin {
                coin_type: "0x2::sui::SUI".to_owned(),
                coin_object_id: format!("0x{}", "0a".repeat(32)),
                version: "9".to_owned(),
                digest: "3Wi3THrgQZ1rC2PzXwjbifa5mbGceyeTkzhtWwurkVUM".to_owned(),
                balance: "900000000000".to_owned(),
                ..SuiCoin::default()
            }],
        }),
        Kind::Polkadot | Kind::Bittensor => BlockchainSpecific::PolkadotSpecific(PolkadotSpecific {
            recent_block_hash: hash(),
            nonce: 5,
            current_block_number: "20000000".to_owned(),
            spec_version: 1_003_000,
            transaction_version: 26,
            genesis_hash: hash(),
            gas: 0,
        }),
        Kind::Cardano => BlockchainSpecific::Cardano(CardanoChainSpecific {
            byte_fee: 180_000,
            send_max_amount: false,
            ttl: 190_000_000,
        }),
        Kind::Cosmos => match chain {
            Chain::ThorChain => BlockchainSpecific::ThorchainSpecific(ThorChainSpecific {
                account_number: 1,
                sequence: 5,
                fee: 2_000_000,
                ..ThorChainSpecific::default()
            }),
            Chain::MayaChain => BlockchainSpecific::MayaSpecific(MayaChainSpecific {
                account_number: 1,
                sequence: 5,
                is_deposit: false,
            }),
            _ => BlockchainSpecific::CosmosSpecific(CosmosSpecific {
                account_number: 1,
                sequence: 5,
                gas: 7_500,
                ..CosmosSpecific::default()
            }),
        },
        Kind::Qbtc => panic!("no payment on {chain}"),
    }
}
