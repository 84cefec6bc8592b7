//! Chain nodes on this machine, for suites, demo and benches: real nodes and virtual machines with their own rules.
//!
//! A [`Proxy`] in front of a node records requests, plays faults, and holds a request where a test kills the wallet.
//! A [`ToolServer`] is what HTTP tools call, and [`Oidc`] gives out the tokens for it. [`Everything`] and [`ModernMcp`] are MCP
//! servers.
//!
//! `cargo xtask setup` installs them; all listen on 127.0.0.1, on free ports. With `COUNTERSIGN_NODES_LOG` in the
//! environment, the scripts of `scripts/` log their errors.

pub mod abi;
mod anvil;
pub mod contracts;
mod error;
pub mod evm;
pub mod example;
mod gate;
mod http;
pub mod mcp;
pub mod oidc;
mod process;
pub mod proxy;
mod script;
mod shim;
pub mod tools;

pub use abi::Arg;
pub use anvil::{Anvil, Mined};
pub use error::Error;
pub use gate::{Held, When};
pub use mcp::{Everything, McpOptions, ModernMcp};
pub use oidc::{Oidc, OidcOptions};
pub use proxy::{Fault, Proxy};
pub use shim::{Coin, Cosmos, CosmosAccount, Included, Litecoin, Shim, Solana, Ton};
pub use tools::ToolServer;
