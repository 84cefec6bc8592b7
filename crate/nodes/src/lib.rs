//! Chain nodes of others on this machine, for suites, demo and benches: each decides by its own rules what it takes.
//!
//! In front of any of them stands a [`Proxy`], which counts what is sent, breaks what it is told to break, and holds a
//! request exactly where a test wants the wallet to die.
//!
//! `cargo xtask setup` installs them; all listen on 127.0.0.1, on free ports. With `COUNTERSIGN_NODES_LOG` in the
//! environment, the scripts of `scripts/` say what went wrong in them.

pub mod abi;
mod anvil;
pub mod contracts;
mod error;
pub mod evm;
pub mod example;
mod http;
mod process;
pub mod proxy;
mod script;
mod shim;

pub use abi::Arg;
pub use anvil::{Anvil, Mined};
pub use error::Error;
pub use proxy::{Fault, Proxy, When};
pub use shim::{Coin, Cosmos, CosmosAccount, Included, Litecoin, Shim, Solana, Ton};
