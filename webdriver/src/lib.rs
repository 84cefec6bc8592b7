//! Drives the wallet in Chromium: the built extension, its pages and its service worker.
//!
//! For the tests of a dapp, [`Wallet`] has it all: a vault with money, a node, and a user who approves.
//!
//! ```no_run
//! # async fn example() -> Result<(), webdriver::Error> {
//! use serde_json::json;
//! use webdriver::{Site, Wallet};
//!
//! let (wallet, site) = (Wallet::launch().await?, Site::serve("dapp").await?);
//! let dapp = wallet.open_dapp(&site.url("/")).await?;
//! dapp.press("#connect").await?;
//! wallet.approve().await?;
//! assert_eq!(dapp.request("eth_accounts", json!([])).await?, json!([wallet.address()]));
//! # Ok(())
//! # }
//! ```
//!
//! Below it are the parts that the wallet's own suites use.
//!
//! ```no_run
//! # async fn example() -> Result<(), webdriver::Error> {
//! use webdriver::{Browser, Options};
//!
//! let browser = Browser::launch(Options::from_env()?).await?;
//! let popup = browser.popup().await?;
//! let (status, health) = popup.fetch("GET", "/api/health", None).await?;
//! assert_eq!(status, 200);
//! browser.kill_worker().await?;
//! assert_ne!(popup.boot_id().await?, health["bootId"]);
//! # Ok(())
//! # }
//! ```
//!
//! Nothing here sleeps for a fixed time: [`until`] polls until the condition holds; a timeout says what it waited for
//! and what it saw last.

mod approval;
mod browser;
mod cdp;
mod compilation;
mod console;
mod dapp;
mod error;
mod idb;
mod onboarding;
mod page;
mod popup;
mod press;
mod processes;
mod site;
mod storage;
mod tools;
mod vaults;
mod wait;
mod wallet;
mod worker;

pub use approval::Approval;
pub use browser::{Browser, Options, extension_id};
pub use cdp::{DevTools, Target};
pub use compilation::Compilation;
pub use console::Console;
pub use dapp::{Dapp, Request};
pub use error::Error;
pub use nodes::Anvil;
pub use onboarding::{Onboarding, RootKeys};
pub use page::{Page, Pending};
pub use popup::{Card, Message, Popup};
pub use press::Aim;
pub use site::Site;
pub use tools::HttpTool;
pub use wait::{Progress, TIMEOUT, not_yet, until};
pub use wallet::{PASSWORD, PHRASE, Wallet, WalletOptions};
