//! Chain nodes on this machine, for suites, demo and benches: real nodes and virtual machines with their own rules.
//!
//! A [`Proxy`] in front of a node records requests, plays faults, and holds a request where a test kills the wallet.
//! A [`ToolServer`] is what HTTP tools call, and [`Oidc`] gives out the tokens for it. [`Everything`] and [`ModernMcp`] are MCP
//! servers.
//!
//! `cargo xtask setup` installs them; all listen on 127.0.0.1, on free ports. With `COUNTERSIGN_NODES_LOG` in the
//! environment, the scripts of `scripts/` log their errors.
//!
//! Without the feature `all` there is only [`Anvil`] and what it needs.

pub mod abi;
mod anvil;
pub mod contracts;
mod error;
pub mod evm;
#[cfg(feature = "all")]
pub mod example;
#[cfg(feature = "all")]
mod gate;
mod http;
#[cfg(feature = "all")]
pub mod mcp;
#[cfg(feature = "all")]
pub mod oidc;
mod process;
#[cfg(feature = "all")]
pub mod proxy;
#[cfg(feature = "all")]
mod script;
#[cfg(feature = "all")]
mod shim;
#[cfg(feature = "all")]
pub mod tools;

pub use abi::Arg;
pub use anvil::{Anvil, Mined};
pub use error::Error;
#[cfg(feature = "all")]
pub use gate::{Held, When};
#[cfg(feature = "all")]
pub use mcp::{Everything, McpOptions, ModernMcp};
#[cfg(feature = "all")]
pub use oidc::{Oidc, OidcOptions};
#[cfg(feature = "all")]
pub use proxy::{Fault, Proxy};
#[cfg(feature = "all")]
pub use shim::{Coin, Cosmos, CosmosAccount, Included, Litecoin, Shim, Solana, Ton};
#[cfg(feature = "all")]
pub use tools::ToolServer;
