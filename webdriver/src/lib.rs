//! Drives the wallet in Chromium: the built extension, its pages and its service worker.
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
mod worker;

pub use approval::Approval;
pub use browser::{Browser, Options};
pub use cdp::{DevTools, Target};
pub use compilation::Compilation;
pub use console::Console;
pub use error::Error;
pub use onboarding::{Onboarding, RootKeys};
pub use page::{Page, Pending};
pub use popup::{Card, Message, Popup};
pub use press::Aim;
pub use site::Site;
pub use tools::HttpTool;
pub use wait::{Progress, TIMEOUT, not_yet, until};
