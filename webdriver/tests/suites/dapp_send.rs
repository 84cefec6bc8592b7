//! A page sends transactions: `eth_sendTransaction`, `wallet_sendCalls` and bundles over two chains, on real nodes, with what the
//! person sees and chooses.

use crate::world::bundle::RECIPIENT;
use crate::world::chains::{Chains, owner};
use crate::world::dapp::{Dapp, answer, answers, begin, request};
use crate::world::vault::PASSWORD;
use crate::world::{PATIENCE, World};
use nodes::contracts;
use nodes::example::{DOLLAR, Example, USDC};
use serde_json::{Value, json};
use webdriver::{Approval, Page, until};

/// A wallet with nodes, and a page that it let in.
struct Connected {
    chains: Chains,
    world: World,
    page: Page,
    _dapp: Dapp,
}

impl Connected {
    async fn start() -> Self {
        let chains = Chains::start().await;
        Example::deploy(&chains.ethereum.anvil, &chains.arbitrum.anvil, &owner()).await.unwrap();
        let world = World::offered_with_vault().await;
        world.use_nodes(chains.endpoints()).await;
        let dapp = Dapp::serve().await;
        let page = world.dapp_page(&dapp.site.url("index.html")).await;
        begin(&page, "connect", "eth_requestAccounts", Value::Null).await;
        let prompt = world.prompts(1).await.remove(0);
        world.browser.approval(prompt["id"].as_str().unwrap()).await.unwrap().approve().await.unwrap();
        assert_eq!(answer(&page, "connect").await["result"], json!([owner()]));
        Self { chains, world, page, _dapp: dapp }
    }

    /// The window with the open approval of a bundle.
    async fn asked(&self) -> Approval {
        let prompt = self.world.prompts(1).await.remove(0);
        assert_eq!(prompt["kind"], "tx_bundle_approval", "{prompt}");
        self.world.browser.approval(prompt["id"].as_str().unwrap()).await.unwrap()
    }

    /// Approves the open bundle, with the password.
    async fn approve(&self) {
        let window = self.asked().await;
        window.approve().await.unwrap();
        window.give_password(PASSWORD, true).await.unwrap();
    }

    /// The status of a batch, once it is one of the final ones.
    async fn settled(&self, id: &str) -> Value {
        until("a settled batch", PATIENCE, async || {
            let status = request(&self.page, "wallet_getCallsStatus", json!([id])).await;
            (status["status"] != 100).then_some(status)
        })
        .await
        .unwrap()
    }
}

fn payment() -> Value {
    json!([{"from": owner(), "to": RECIPIENT, "value": "0x2386f26fc10000"}])
}

/// The person sees the fee, chooses a faster one, and signs; the page has the hash that is on the chain.
#[tokio::test]
async fn payment_with_another_fee() {
    let connected = Connected::start().await;
    let Connected { chains, world, page, .. } = &connected;
    begin(page, "pay", "eth_sendTransaction", payment()).await;
    let before = world.prompts(1).await.remove(0);
    let window = connected.asked().await;
    window.click("fee-fast").await.unwrap();
    let after = until("another prompt", PATIENCE, async || {
        let prompt = world.prompts(1).await.remove(0);
        (prompt["id"] != before["id"]).then_some(prompt)
    })
    .await
    .unwrap();
    assert_eq!(after["callId"], before["callId"]);
    until("the chosen fee", PATIENCE, async || {
        let shown = "return document.querySelector('[data-testid=fees]')?.dataset.chosen ?? ''";
        (window.run(shown, vec![]).await.ok()? == "fast").then_some(())
    })
    .await
    .unwrap();
    window.approve().await.unwrap();
    window.give_password(PASSWORD, false).await.unwrap();
    let hash = answer(page, "pay").await["result"].clone();
    until("the block", PATIENCE, async || (chains.ethereum.nonce().await == 1).then_some(())).await.unwrap();
    assert_eq!(json!(chains.ethereum.hashes().await), json!([hash]));
    let fee = &world.get(&format!("/api/bundles/{}", before["callId"].as_str().unwrap())).await["fees"];
    let mined = chains.ethereum.anvil.rpc("eth_getTransactionByHash", json!([hash])).await.unwrap();
    let most =
        u128::from_str_radix(mined["maxFeePerGas"].as_str().unwrap().trim_start_matches("0x"), 16).unwrap();
    assert_eq!(fee["now"]["price"]["maxFee"], json!(most.to_string()));
}

/// A rejection is 4001, and nothing is on the chain.
#[tokio::test]
async fn rejected_payment() {
    let connected = Connected::start().await;
    begin(&connected.page, "pay", "eth_sendTransaction", payment()).await;
    connected.asked().await.reject(None).await.unwrap();
    assert_eq!(answer(&connected.page, "pay").await["code"], 4001);
    assert_eq!(connected.chains.ethereum.nonce().await, 0);
}

/// An approval and a transfer of tokens that needs nothing of it, as one batch: one consent, two blocks, two receipts.
#[tokio::test]
async fn approval_and_transfer_in_one_batch() {
    let connected = Connected::start().await;
    let Connected { chains, world, page, .. } = &connected;
    let calls = json!([
        {"to": USDC, "data": contracts::approve(RECIPIENT, Some(5 * DOLLAR)).unwrap()},
        {"to": USDC, "data": contracts::transfer(RECIPIENT, 7 * DOLLAR).unwrap()},
    ]);
    let batch = json!([{"version": "2.0.0", "chainId": "0x1", "from": owner(), "atomicRequired": false,
        "id": "my-batch", "calls": calls}]);
    begin(page, "send", "wallet_sendCalls", batch.clone()).await;
    connected.approve().await;
    assert_eq!(answer(page, "send").await["result"], json!({"id": "my-batch"}));
    let status = connected.settled("my-batch").await;
    assert_eq!((&status["status"], &status["atomic"]), (&json!(200), &json!(false)), "{status}");
    let receipts = status["receipts"].as_array().unwrap();
    let hashes: Vec<&Value> = receipts.iter().map(|receipt| &receipt["transactionHash"]).collect();
    assert_eq!(json!(hashes), json!(chains.ethereum.hashes().await));
    assert!(
        receipts.iter().all(|receipt| receipt["logs"].as_array().is_some_and(|logs| logs.len() == 1)),
        "{status}"
    );
    assert_eq!(chains.ethereum.anvil.erc20_balance(USDC, RECIPIENT).await.unwrap(), 7 * DOLLAR);
    assert_eq!(request(page, "wallet_sendCalls", batch).await["code"], 5720);

    // The page can show it to the person, in a window of the wallet.
    assert_eq!(request(page, "wallet_showCallsStatus", json!(["my-batch"])).await, Value::Null);
    let popup = world.browser.extension_url("popup.html");
    until("the wallet's window", PATIENCE, async || {
        let pages = world.browser.pages().await.ok()?;
        pages.iter().any(|(url, _)| url.starts_with(&popup) && url.contains("bundle=")).then_some(())
    })
    .await
    .unwrap();
}

/// The worker is killed while the batch is asked about and while it runs: one answer, each transaction once.
#[tokio::test]
async fn batch_survives_the_worker() {
    let connected = Connected::start().await;
    let Connected { chains, world, page, .. } = &connected;
    let pays = |value: &str| json!({"to": RECIPIENT, "value": value});
    let batch = json!([{"version": "2.0.0", "chainId": "0x1", "atomicRequired": false,
        "calls": [pays("0x1"), pays("0x2"), pays("0x3")]}]);
    begin(page, "send", "wallet_sendCalls", batch).await;
    world.prompts(1).await;
    world.browser.kill_worker().await.unwrap();
    connected.approve().await;
    world.browser.kill_worker().await.unwrap();
    let id = answer(page, "send").await["result"]["id"].as_str().unwrap().to_owned();
    world.browser.kill_worker().await.unwrap();
    let status = connected.settled(&id).await;
    assert_eq!(status["status"], 200, "{status}");
    assert_eq!((answers(page, "send").await.len(), chains.ethereum.hashes().await.len()), (1, 3));
}
