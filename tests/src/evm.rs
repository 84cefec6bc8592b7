//! Unsigned EVM transactions for tests to propose, and a payload of two.

use chains::encoding::base64;
use nodes::evm::Unsigned;
use prost::Message as _;
use serde_json::{Value, json};
use wire::keysign::keysign_payload::{BlockchainSpecific, SwapPayload};
use wire::keysign::{
    Coin, Erc20ApprovePayload, EthereumSpecific, KeysignPayload, OneInchQuote, OneInchSwapPayload,
    OneInchTransaction,
};

/// USDC on Ethereum.
pub const USDC: &str = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
/// The recipient of payments in tests.
pub const PAYEE: &str = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
/// Another account.
pub const STRANGER: &str = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359";

/// The router for token swaps.
pub const ROUTER: &str = "0x1111111254EEB25477B68fb85Ed929f73A960582";

/// An unsigned EIP-1559 transaction.
#[derive(Debug, Clone)]
pub struct Evm {
    /// The chain id.
    pub chain_id: u64,
    /// The nonce.
    pub nonce: u64,
    /// The gas limit.
    pub gas: u64,
    /// The called contract or the recipient; `None` creates a contract.
    pub to: Option<&'static str>,
    /// Value in wei.
    pub value: u128,
    /// Call data in hex.
    pub data: String,
}

impl Evm {
    /// A payment in ether.
    pub fn pays(to: &'static str, value: u128) -> Self {
        Self { chain_id: 1, nonce: 7, gas: 21_000, to: Some(to), value, data: String::new() }
    }

    /// A transfer of ERC-20 tokens.
    pub fn sends(token: &'static str, to: &str, units: u128) -> Self {
        let data = format!("a9059cbb{:0>64}{units:064x}", to.trim_start_matches("0x"));
        Self { gas: 65_000, data, ..Self::pays(token, 0) }
    }

    /// An ERC-20 approval; unlimited if `units` is absent.
    pub fn approves(token: &'static str, spender: &str, units: Option<u128>) -> Self {
        let units = units.map_or_else(|| "f".repeat(64), |units| format!("{units:064x}"));
        let data = format!("095ea7b3{:0>64}{units}", spender.trim_start_matches("0x"));
        Self { gas: 60_000, data, ..Self::pays(token, 0) }
    }

    /// The same transaction on Arbitrum.
    pub fn on_arbitrum(self) -> Self {
        Self { chain_id: 42_161, ..self }
    }

    /// The same transaction with another nonce.
    pub fn nonce(self, nonce: u64) -> Self {
        Self { nonce, ..self }
    }

    /// The bytes to sign, in hex.
    pub fn hex(&self) -> String {
        let Self { chain_id, nonce, gas, to, value, .. } = *self;
        Unsigned { chain_id, nonce, gas, to, value, data: &self.data }.hex().expect("is hex")
    }

    /// A step with this transaction, without claims.
    pub fn step(&self, id: &str, sequence: u32) -> Value {
        let chain = if self.chain_id == 42_161 { "Arbitrum" } else { "Ethereum" };
        json!({"id": id, "sequence": sequence, "chain": chain, "action": format!("Action of {id}"),
            "signing_mode": "ecdsa_secp256k1", "unsigned_tx_hex": self.hex(),
            "chain_context": {"chain_id": format!("{:#x}", self.chain_id), "derive_path": "m/44'/60'/0'/0/0",
                "tx_type": "eip1559"}})
    }
}

/// A small payment with this nonce.
pub fn pay(nonce: u64) -> Evm {
    Evm::pays(PAYEE, 1_000).nonce(nonce)
}

/// This many payments on Ethereum from nonce 7 on, as steps `a`, `b`, …, each with `wait_for_receipt`.
pub fn payments(count: u32) -> Value {
    let step = |index: u32| {
        let id = char::from(b'a' + index as u8).to_string();
        with_receipt(pay(7 + u64::from(index)).step(&id, index))
    };
    (0..count).map(step).collect()
}

/// The step with `wait_for_receipt`.
pub fn with_receipt(mut step: Value) -> Value {
    step["wait_for_receipt"] = json!(true);
    step
}

/// The step with `wait_for_receipt` and a timeout in seconds.
pub fn with_receipt_timeout(step: Value, seconds: u32) -> Value {
    let mut step = with_receipt(step);
    step["receipt_timeout_seconds"] = json!(seconds);
    step
}

/// A step with one payload of two transactions: a token approval for a router, and a swap.
pub fn approve_and_swap(id: &str, sequence: u32, from: &str, nonce: i64) -> Value {
    let tx = OneInchTransaction {
        from: from.to_owned(),
        to: ROUTER.to_owned(),
        data: "0x12aa3caf".to_owned(),
        ..OneInchTransaction::default()
    };
    let swap = OneInchSwapPayload {
        quote: Some(OneInchQuote { dst_amount: "5".to_owned(), tx: Some(tx) }),
        provider: "1inch".to_owned(),
        ..OneInchSwapPayload::default()
    };
    let specific = EthereumSpecific {
        max_fee_per_gas_wei: "2000000000".to_owned(),
        priority_fee: "1000000000".to_owned(),
        nonce,
        gas_limit: "60000".to_owned(),
    };
    let payload = KeysignPayload {
        coin: Some(Coin {
            chain: "Ethereum".to_owned(),
            address: from.to_owned(),
            contract_address: USDC.to_owned(),
            ..Coin::default()
        }),
        to_address: ROUTER.to_owned(),
        to_amount: "9".to_owned(),
        blockchain_specific: Some(BlockchainSpecific::EthereumSpecific(specific)),
        swap_payload: Some(SwapPayload::OneinchSwapPayload(swap)),
        erc20_approve_payload: Some(Erc20ApprovePayload {
            amount: "9".to_owned(),
            spender: ROUTER.to_owned(),
        }),
        ..KeysignPayload::default()
    };
    json!({"id": id, "sequence": sequence, "chain": "Ethereum", "action": format!("Action of {id}"),
        "signing_mode": "ecdsa_secp256k1", "keysign_payload": base64(&payload.encode_to_vec())})
}

/// An action that proposes to sign these steps.
pub fn bundle(id: &str, steps: Value) -> Value {
    json!({"id": id, "type": "sign_transaction_bundle", "title": format!("Title of {id}"),
        "params": {"transactions": steps, "bundle_label": format!("Label of {id}")}, "auto_execute": true})
}
