//! The bundle of specification 000 §1.4, from the agent's stream to the blocks of two chains.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a suite fails by panicking")]

mod world;

use nodes::contracts::{self, Crossing, Swap};
use nodes::evm::Unsigned;
use nodes::{Arg, When};
use serde_json::{Value, json};
use webdriver::{Page, TIMEOUT, not_yet, until};
use world::World;
use world::bundle::{USDC, proposing};
use world::chains::{Chains, DOLLAR, ETHER, owner};
use world::payload::{self, coin, encoded};
use world::vault::{PASSWORD, phrase};

/// USDC and ARB on Arbitrum.
const USDC_THERE: &str = "0xaf88d065e77c8cC2239327C5EDb3A432268e5831";
const ARB: &str = "0x912CE59144191C1204E64559FE8253a0e49E6548";
/// What LayerZero calls Arbitrum.
const ARBITRUM_ENDPOINT: u32 = 30_110;
const BRIDGED: u128 = 500 * DOLLAR;
/// What the message over the bridge costs.
const CROSSING_FEE: u128 = 0;
/// Two ARB for a dollar.
const BOUGHT: u128 = 1_000 * ETHER;

/// The contracts, and the vault's money.
struct Contracts {
    bridge: String,
    router: String,
}

async fn contracts(chains: &Chains) -> Contracts {
    let Chains { ethereum, arbitrum } = chains;
    ethereum.token(USDC, "USDC", 6).await;
    ethereum.anvil.mint(USDC, &owner(), 700 * DOLLAR).await.unwrap();
    let args = [Arg::Address(USDC), Arg::Uint(CROSSING_FEE)];
    let bridge = ethereum.anvil.deploy("Bridge", &args).await.unwrap();
    arbitrum.token(USDC_THERE, "USDC", 6).await;
    arbitrum.token(ARB, "ARB", 18).await;
    // Smallest units of ARB for one of USDC.
    let rate = [Arg::Uint(BOUGHT / BRIDGED), Arg::Uint(1)];
    let router = arbitrum.anvil.deploy("Router", &rate).await.unwrap();
    arbitrum.anvil.mint(ARB, &router, 5_000 * ETHER).await.unwrap();
    Contracts { bridge, router }
}

/// The example as it is written, with bytes in it.
fn example(Contracts { bridge, router }: &Contracts) -> Value {
    let approval = contracts::approve(bridge, None).unwrap();
    let approve = Unsigned { chain_id: 1, nonce: 0, gas: 60_000, to: Some(USDC), value: 0, data: &approval };
    let me = owner();
    let crossing =
        Crossing { endpoint: ARBITRUM_ENDPOINT, to: &me, amount: BRIDGED, fee: CROSSING_FEE, refund: &me };
    let crossing = contracts::bridge(&crossing).unwrap();
    let bridging = payload::call("Ethereum", bridge, CROSSING_FEE, &crossing, 1);
    let swap = Swap {
        sell: USDC_THERE,
        buy: ARB,
        amount: BRIDGED,
        at_least: BOUGHT,
        to: &me,
        deadline: 4_000_000_000,
    };
    let swap = contracts::swap(&swap).unwrap();
    let (from, to) = (coin("Arbitrum", "USDC", Some(USDC_THERE), 6), coin("Arbitrum", "ARB", Some(ARB), 18));
    let swapping = payload::swap(from, to, BRIDGED, router, &swap, 0);
    json!({
      "id": "{{uuid}}",
      "type": "sign_transaction_bundle",
      "params": {
        "transactions": [
          {
            "id": "a1",
            "sequence": 0,
            "chain": "Ethereum",
            "action": "Approve USDC on Ethereum",
            "signing_mode": "ecdsa_secp256k1",
            "unsigned_tx_hex": approve.hex().unwrap(),
            "chain_context": { "chain_id": "0x1", "derive_path": "m/44'/60'/0'/0/0", "tx_type": "eip1559" },
            "tx_details": { "description": "Approve USDC", "amount_human": "Unlimited USDC" },
            "wait_for_receipt": true
          },
          {
            "id": "a2",
            "sequence": 1,
            "chain": "Ethereum",
            "action": "Bridge USDC to Arbitrum",
            "signing_mode": "ecdsa_secp256k1",
            "keysign_payload": encoded(&bridging),
            "tx_details": { "description": "Bridge 500 USDC via LayerZero", "amount_human": "500 USDC" },
            "wait_for_receipt": true
          },
          {
            "id": "a3",
            "sequence": 2,
            "chain": "Arbitrum",
            "action": "Swap USDC → ARB",
            "signing_mode": "ecdsa_secp256k1",
            "keysign_payload": encoded(&swapping),
            "tx_details": { "description": "Swap 500 USDC to ARB on Camelot", "amount_human": "500 USDC" },
            "wait_for_receipt": true
          }
        ],
        "bundle_label": "Bridge & Swap: ETH USDC → ARB"
      }
    })
}

/// Waits until the page shows the steps so far.
async fn shows(page: &Page, statuses: [&str; 3]) {
    let look = "return [0, 1, 2].map((step) =>
        document.querySelector(`[data-testid=bundle-step-${step}-status]`)?.dataset.status ?? null)";
    until(&format!("the steps to be shown as {statuses:?}"), TIMEOUT, async || {
        let shown = page.run(look, vec![]).await?;
        if shown == json!(statuses) { Ok(()) } else { Err(not_yet(shown)) }
    })
    .await
    .unwrap();
}

/// T000-54, T000-18, T000-20, T000-43, T000-44, T000-45, T000-49, T000-53: proposed in a stream, approved and opened by
/// a person, the example runs as given: an allowance from raw bytes, a bridge and a swap from payloads, the swap's own
/// allowance before it. Arbitrum is not asked for anything before Ethereum has the bridge in a block. Every transaction
/// is on its chain once, does there what it was for, and the agent is told so once.
#[tokio::test]
async fn the_example_runs_on_two_chains() {
    let chains = Chains::start().await;
    let contracts = contracts(&chains).await;
    let Chains { ethereum, arbitrum } = &chains;
    let world = World::scripted(proposing([("bridge", example(&contracts))])).await;
    world.take_vault(&phrase("12 words")).await;
    world.use_nodes(chains.endpoints()).await;

    world.popup.come_back().await.unwrap();
    world.popup.send_message("bridge and swap my dollars").await.unwrap();
    let page = world.popup.review().await.unwrap();
    page.says("bundle-label", "Bridge & Swap: ETH USDC → ARB").await.unwrap();
    assert_eq!((ethereum.nonce().await, arbitrum.nonce().await), (0, 0));
    let mut far = arbitrum.proxy.hold("eth_getTransactionCount", When::Before);
    page.approve().await.unwrap();
    page.give_password(PASSWORD, false).await.unwrap();

    // The bridge's far end: it pays out what its near end took in.
    far.wait_arrived().await.unwrap();
    shows(&page, ["confirmed", "confirmed", "signing"]).await;
    assert_eq!((ethereum.nonce().await, arbitrum.proxy.sent_raw().len()), (2, 0));
    assert_eq!(ethereum.anvil.erc20_balance(USDC, &contracts.bridge).await.unwrap(), BRIDGED);
    assert_eq!(world.arrived(), 0);
    arbitrum.anvil.mint(USDC_THERE, &owner(), BRIDGED).await.unwrap();
    far.release();
    shows(&page, ["confirmed"; 3]).await;

    let result = world.result().await;
    let (near, there) = (ethereum.hashes().await, arbitrum.hashes().await);
    assert_eq!((near.len(), there.len()), (2, 2));
    let row = |id: &str, sequence: u32, chain: &str, hash: &str| json!({"id": id, "sequence": sequence, "chain": chain, "tx_hash": hash, "status": "confirmed", "error": null});
    let mut swapped = row("a3", 2, "Arbitrum", &there[1]);
    swapped["approval_tx_hash"] = json!(there[0]);
    let rows = [row("a1", 0, "Ethereum", &near[0]), row("a2", 1, "Ethereum", &near[1]), swapped];
    assert_eq!(result.data, Some(json!({"transactions": rows, "bundle_success": true})));
    assert_eq!(
        (result.action.as_str(), result.success, result.error),
        ("sign_transaction_bundle", true, None)
    );
    assert_eq!((ethereum.proxy.sent_raw().len(), arbitrum.proxy.sent_raw().len()), (2, 2));

    let anvil = &ethereum.anvil;
    assert_eq!(anvil.erc20_allowance(USDC, &owner(), &contracts.bridge).await.unwrap(), u128::MAX);
    assert_eq!(anvil.erc20_balance(USDC, &owner()).await.unwrap(), 200 * DOLLAR);
    assert_eq!(anvil.balance(&contracts.bridge).await.unwrap(), CROSSING_FEE);
    let anvil = &arbitrum.anvil;
    assert_eq!(anvil.erc20_allowance(USDC_THERE, &owner(), &contracts.router).await.unwrap(), 0);
    assert_eq!(anvil.erc20_balance(USDC_THERE, &owner()).await.unwrap(), 0);
    assert_eq!(anvil.erc20_balance(ARB, &owner()).await.unwrap(), BOUGHT);
}
