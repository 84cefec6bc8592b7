//! The tests of the dapp in `dapp/`: a user connects, signs in, pays, changes their mind.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde_json::json;
use webdriver::{Dapp, Error, Site, Wallet};

/// One hundredth of an ether, in wei.
const TIP: u128 = 10_000_000_000_000_000;
const AUTHOR: &str = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

/// A wallet, the server of the dapp, and the dapp in a tab.
async fn open() -> Result<(Wallet, Site, Dapp), Error> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/dapp");
    let (wallet, site) = (Wallet::launch().await?, Site::serve(folder).await?);
    let dapp = wallet.open_dapp(&site.url("/")).await?;
    Ok((wallet, site, dapp))
}

/// The same, with the account connected.
async fn connected() -> Result<(Wallet, Site, Dapp), Error> {
    let (wallet, site, dapp) = open().await?;
    dapp.press("#connect").await?;
    wallet.approve().await?;
    dapp.text_that("#account", |text| text == wallet.address()).await?;
    Ok((wallet, site, dapp))
}

#[tokio::test]
async fn user_connects_and_signs_in() -> Result<(), Error> {
    let (wallet, _site, dapp) = connected().await?;
    assert_eq!(dapp.text("#chain").await?, "0x1");
    dapp.press("#sign-in").await?;
    wallet.approve().await?;
    let signature = dapp.text_that("#answer", |text| text.starts_with("0x")).await?;
    assert_eq!(signature.len(), 2 + 2 * 65);
    Ok(())
}

#[tokio::test]
async fn user_refuses() -> Result<(), Error> {
    let (wallet, _site, dapp) = open().await?;
    dapp.press("#connect").await?;
    wallet.reject().await?;
    dapp.text_that("#answer", |text| text.starts_with("refused: 4001")).await?;
    assert_eq!(dapp.request("eth_accounts", json!([])).await?, json!([]));
    Ok(())
}

#[tokio::test]
async fn tip_arrives() -> Result<(), Error> {
    let (wallet, _site, dapp) = connected().await?;
    let before = wallet.node()?.balance(AUTHOR).await?;
    dapp.press("#tip").await?;
    wallet.approve().await?;
    let hash = dapp.text_that("#answer", |text| text.starts_with("0x")).await?;
    wallet.node()?.wait_receipt(&hash).await?;
    assert_eq!(wallet.node()?.balance(AUTHOR).await? - before, TIP);
    Ok(())
}

/// The browser stops the wallet's worker whenever it likes: the batch goes on, and the dapp hears of its end.
#[tokio::test]
async fn both_tips_arrive_although_the_worker_is_killed() -> Result<(), Error> {
    let (wallet, _site, dapp) = connected().await?;
    dapp.press("#tip-both").await?;
    wallet.prompt().await?;
    wallet.kill_worker().await?;
    wallet.approve().await?;
    let id = dapp.text_that("#answer", |text| text != "waiting").await?;
    let calls = dapp.wait_for_status(&id, 200).await?;
    assert_eq!(calls["receipts"].as_array().map(Vec::len), Some(2));
    dapp.text_that("#status", |text| text == "200, 2 receipts").await?;
    Ok(())
}
