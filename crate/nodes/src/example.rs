//! The bundle of specification 000 §1.4 with real bytes: a token approval and a bridge on Ethereum, a swap on
//! Arbitrum.
//!
//! Tokens, bridge and router are at the addresses of the real ones, which the wallet knows: what a function does is read
//! only there.

use crate::contracts::{self, BridgeTransfer, Swap};
use crate::evm::Unsigned;
use crate::{Anvil, Arg, Error};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use prost::Message as _;
use serde_json::{Value, json};
use wire::keysign::keysign_payload::{BlockchainSpecific, SwapPayload};
use wire::keysign::{
    Coin, Erc20ApprovePayload, EthereumSpecific, KeysignPayload, OneInchQuote, OneInchSwapPayload,
    OneInchTransaction,
};

/// USDC on Ethereum.
pub const USDC: &str = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
/// USDC on Arbitrum.
pub const USDC_THERE: &str = "0xaf88d065e77c8cC2239327C5EDb3A432268e5831";
/// ARB on Arbitrum.
pub const ARB: &str = "0x912CE59144191C1204E64559FE8253a0e49E6548";
/// Stargate's pool of USDC on Ethereum, with the `send` of LayerZero.
const BRIDGE: &str = "0xc026395860Db2d07ee33e05fE50ed7bD583189C7";
/// Uniswap's V2 router on Arbitrum.
const ROUTER: &str = "0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24";
/// One native coin in its smallest unit; ARB has as many decimals.
pub const ETHER: u128 = 1_000_000_000_000_000_000;
/// One USDC in its smallest unit.
pub const DOLLAR: u128 = 1_000_000;
/// The owner's initial USDC on Ethereum.
pub const SAVINGS: u128 = 700 * DOLLAR;
/// The amount bridged.
pub const BRIDGED: u128 = 500 * DOLLAR;
/// The amount bought with it: two ARB for a dollar.
pub const BOUGHT: u128 = 1_000 * ETHER;
/// The bridge's message fee.
pub const CROSSING_FEE: u128 = 0;
/// LayerZero's endpoint id of Arbitrum.
const ARBITRUM_ENDPOINT: u32 = 30_110;
const GWEI: u128 = 1_000_000_000;

/// The contracts on both chains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// The owner's address.
    pub owner: String,
    /// The near end of the bridge, on Ethereum.
    pub bridge: String,
    /// The router on Arbitrum.
    pub router: String,
}

impl Example {
    /// Deploys the contracts on both chains, and funds the owner with coins and USDC.
    pub async fn deploy(ethereum: &Anvil, arbitrum: &Anvil, owner: &str) -> Result<Self, Error> {
        token(ethereum, USDC, "USDC", 6).await?;
        ethereum.mint(USDC, owner, SAVINGS).await?;
        place(ethereum, BRIDGE, "Bridge", &[Arg::Address(USDC), Arg::Uint(CROSSING_FEE)]).await?;
        token(arbitrum, USDC_THERE, "USDC", 6).await?;
        token(arbitrum, ARB, "ARB", 18).await?;
        // Smallest units of ARB for one of USDC.
        place(arbitrum, ROUTER, "Router", &[Arg::Uint(BOUGHT / BRIDGED), Arg::Uint(1)]).await?;
        arbitrum.mint(ARB, ROUTER, 5 * BOUGHT).await?;
        for chain in [ethereum, arbitrum] {
            chain.set_balance(owner, 10 * ETHER).await?;
        }
        Ok(Self { owner: owner.to_owned(), bridge: BRIDGE.to_owned(), router: ROUTER.to_owned() })
    }

    /// The amount that the bridge has received.
    pub async fn taken_in(&self, ethereum: &Anvil) -> Result<u128, Error> {
        ethereum.erc20_balance(USDC, &self.bridge).await
    }

    /// Acts as the far end of the bridge: pays out what the near end received.
    pub async fn pay_out(&self, arbitrum: &Anvil) -> Result<(), Error> {
        arbitrum.mint(USDC_THERE, &self.owner, BRIDGED).await
    }

    /// The action as the specification writes it, for the owner's next nonces on the two chains.
    pub fn action(&self, on_ethereum: u64, on_arbitrum: u64) -> Result<Value, Error> {
        Ok(json!({
            "id": "{{uuid:bundle}}",
            "type": "sign_transaction_bundle",
            "title": "Bridge and swap",
            "params": {
                "transactions": [
                    {
                        "id": "a1",
                        "sequence": 0,
                        "chain": "Ethereum",
                        "action": "Approve USDC on Ethereum",
                        "signing_mode": "ecdsa_secp256k1",
                        "unsigned_tx_hex": self.approval(on_ethereum)?,
                        "chain_context": {"chain_id": "0x1", "derive_path": "m/44'/60'/0'/0/0", "tx_type": "eip1559"},
                        "tx_details": {"description": "Approve USDC", "amount_human": "Unlimited USDC"},
                        "wait_for_receipt": true,
                    },
                    {
                        "id": "a2",
                        "sequence": 1,
                        "chain": "Ethereum",
                        "action": "Bridge USDC to Arbitrum",
                        "signing_mode": "ecdsa_secp256k1",
                        "keysign_payload": encoded(&self.bridging(on_ethereum + 1)?),
                        "tx_details": {"description": "Bridge 500 USDC via LayerZero", "amount_human": "500 USDC"},
                        "wait_for_receipt": true,
                    },
                    {
                        "id": "a3",
                        "sequence": 2,
                        "chain": "Arbitrum",
                        "action": "Swap USDC → ARB",
                        "signing_mode": "ecdsa_secp256k1",
                        "keysign_payload": encoded(&self.swapping(on_arbitrum)?),
                        "tx_details": {"description": "Swap 500 USDC to ARB on Camelot", "amount_human": "500 USDC"},
                        "wait_for_receipt": true,
                    },
                ],
                "bundle_label": "Bridge & Swap: ETH USDC → ARB",
            },
        }))
    }

    fn approval(&self, nonce: u64) -> Result<String, Error> {
        let data = contracts::approve(&self.bridge, None)?;
        Unsigned { chain_id: 1, nonce, gas: 60_000, to: Some(USDC), value: 0, data: &data }.hex()
    }

    /// In a payload, a contract call with value is a payment with the call data as its memo.
    fn bridging(&self, nonce: u64) -> Result<KeysignPayload, Error> {
        let transfer = BridgeTransfer {
            endpoint: ARBITRUM_ENDPOINT,
            to: &self.owner,
            amount: BRIDGED,
            fee: CROSSING_FEE,
            refund: &self.owner,
        };
        Ok(KeysignPayload {
            coin: Some(self.coin("Ethereum", "ETH", None, 18)),
            to_address: self.bridge.clone(),
            to_amount: CROSSING_FEE.to_string(),
            memo: Some(contracts::bridge(&transfer)?),
            blockchain_specific: Some(gas(nonce, 300_000)?),
            ..KeysignPayload::default()
        })
    }

    /// Two transactions: the token approval for the router, and the swap.
    fn swapping(&self, nonce: u64) -> Result<KeysignPayload, Error> {
        let swap = Swap {
            sell: USDC_THERE,
            buy: ARB,
            amount: BRIDGED,
            at_least: BOUGHT,
            to: &self.owner,
            deadline: 4_000_000_000,
        };
        let tx = OneInchTransaction {
            from: self.owner.clone(),
            to: self.router.clone(),
            data: contracts::swap(&swap)?,
            value: "0".to_owned(),
            gas_price: (20 * GWEI).to_string(),
            gas: 300_000,
            ..OneInchTransaction::default()
        };
        let from = self.coin("Arbitrum", "USDC", Some(USDC_THERE), 6);
        Ok(KeysignPayload {
            coin: Some(from.clone()),
            to_address: self.router.clone(),
            to_amount: BRIDGED.to_string(),
            blockchain_specific: Some(gas(nonce, 120_000)?),
            erc20_approve_payload: Some(Erc20ApprovePayload {
                amount: BRIDGED.to_string(),
                spender: self.router.clone(),
            }),
            swap_payload: Some(SwapPayload::OneinchSwapPayload(OneInchSwapPayload {
                from_coin: Some(from),
                to_coin: Some(self.coin("Arbitrum", "ARB", Some(ARB), 18)),
                from_amount: BRIDGED.to_string(),
                quote: Some(OneInchQuote { tx: Some(tx), ..OneInchQuote::default() }),
                ..OneInchSwapPayload::default()
            })),
            ..KeysignPayload::default()
        })
    }

    fn coin(&self, chain: &str, ticker: &str, contract: Option<&str>, decimals: i32) -> Coin {
        Coin {
            chain: chain.to_owned(),
            ticker: ticker.to_owned(),
            address: self.owner.clone(),
            contract_address: contract.unwrap_or_default().to_owned(),
            decimals,
            is_native_token: contract.is_none(),
            ..Coin::default()
        }
    }
}

/// Places a token at the address of the chain's real one.
async fn token(chain: &Anvil, place: &str, symbol: &str, decimals: u8) -> Result<(), Error> {
    let args = [Arg::Bytes(symbol.as_bytes()), Arg::Uint(decimals.into())];
    self::place(chain, place, "Token", &args).await
}

/// Places a contract at an address. What its constructor sets must be immutable, and so part of the code.
async fn place(chain: &Anvil, at: &str, name: &str, args: &[Arg<'_>]) -> Result<(), Error> {
    let deployed = chain.deploy(name, args).await?;
    let code = chain.rpc("eth_getCode", json!([deployed, "latest"])).await?;
    chain.rpc("anvil_setCode", json!([at, code])).await.map(drop)
}

fn gas(nonce: u64, limit: u64) -> Result<BlockchainSpecific, Error> {
    Ok(BlockchainSpecific::EthereumSpecific(EthereumSpecific {
        max_fee_per_gas_wei: (20 * GWEI).to_string(),
        priority_fee: GWEI.to_string(),
        nonce: i64::try_from(nonce).map_err(|_| Error::shape("a nonce", nonce))?,
        gas_limit: limit.to_string(),
    }))
}

/// The payload as it is encoded in `keysign_payload`.
pub fn encoded(payload: &KeysignPayload) -> String {
    BASE64_STANDARD.encode(payload.encode_to_vec())
}
