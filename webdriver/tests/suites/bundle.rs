//! The bundle of specification 000 §1.4, from the agent's stream to the blocks of two chains.

use crate::world::World;
use crate::world::bundle::proposing;
use crate::world::chains::{Chains, owner};
use crate::world::vault::{PASSWORD, phrase};
use nodes::When;
use nodes::example::{ARB, BOUGHT, BRIDGED, DOLLAR, Example, USDC, USDC_THERE};
use serde_json::json;
use webdriver::{Page, TIMEOUT, not_yet, until};

/// Waits until the page shows these step statuses.
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

/// T000-54, T000-18, T000-20, T000-43, T000-44, T000-45, T000-49, T000-53: proposed in a stream, approved and
/// unlocked by the user, the example runs as specified: a token approval from raw bytes, a bridge and a swap from
/// payloads, the swap's own token approval before it. Arbitrum gets no request before the bridge is mined on
/// Ethereum. Every transaction is on its chain once and has its effect, and the agent gets one result.
#[tokio::test]
async fn example_runs_on_two_chains() {
    let chains = Chains::start().await;
    let Chains { ethereum, arbitrum } = &chains;
    let example = Example::deploy(&ethereum.anvil, &arbitrum.anvil, &owner()).await.unwrap();
    let world = World::scripted(proposing([("bridge", example.action(0, 0).unwrap())])).await;
    world.import_vault(&phrase("12 words")).await;
    world.use_nodes(chains.endpoints()).await;

    world.popup.reopen().await.unwrap();
    world.popup.send_message("bridge and swap my dollars").await.unwrap();
    let page = world.popup.review().await.unwrap();
    page.says("bundle-label", "Bridge & Swap: ETH USDC → ARB").await.unwrap();
    assert_eq!((ethereum.nonce().await, arbitrum.nonce().await), (0, 0));
    let mut far = arbitrum.proxy.hold("eth_getTransactionCount", When::Before);
    page.approve().await.unwrap();
    page.give_password(PASSWORD, false).await.unwrap();

    // The far end of the bridge pays out what the near end received.
    far.wait_arrived().await.unwrap();
    shows(&page, ["confirmed", "confirmed", "signing"]).await;
    assert_eq!((ethereum.nonce().await, arbitrum.proxy.sent_raw().len()), (2, 0));
    assert_eq!(example.taken_in(&ethereum.anvil).await.unwrap(), BRIDGED);
    assert_eq!(world.arrived(), 0);
    example.pay_out(&arbitrum.anvil).await.unwrap();
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
    assert_eq!(anvil.erc20_allowance(USDC, &owner(), &example.bridge).await.unwrap(), u128::MAX);
    assert_eq!(anvil.erc20_balance(USDC, &owner()).await.unwrap(), 200 * DOLLAR);
    let anvil = &arbitrum.anvil;
    assert_eq!(anvil.erc20_allowance(USDC_THERE, &owner(), &example.router).await.unwrap(), 0);
    assert_eq!(anvil.erc20_balance(USDC_THERE, &owner()).await.unwrap(), 0);
    assert_eq!(anvil.erc20_balance(ARB, &owner()).await.unwrap(), BOUGHT);
}
