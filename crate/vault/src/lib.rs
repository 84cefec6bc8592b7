//! Secrets, seals and signers. No I/O and no clock; randomness comes from the caller.
//!
//! - [`Secret`] is what a vault keeps: private keys, a seed phrase ([`Mnemonic`]), or shares of another wallet's keys.
//!   [`Secret::public`] is its public side; [`public`] derives accounts from that.
//! - [`seal`] hides a secret behind a password; [`backup`] is a file with it; [`vult`] reads another wallet's.
//! - [`mac`] has message authentication codes, and a key derived from another.
//! - [`Signer`] signs transactions; [`LocalSigner`] with the keys of an open vault ([`KeyRing`]),
//!   [`LocalKey`] with one key.

pub mod backup;
mod derive;
mod local;
pub mod mac;
mod mnemonic;
mod proto;
pub mod public;
mod random;
mod ring;
pub mod seal;
mod secret;
mod signer;
pub mod vult;

pub use local::{KeyError, LocalKey};
pub use mnemonic::{Mnemonic, MnemonicError};
pub use random::{Random, RandomnessError};
pub use ring::KeyRing;
pub use secret::{Secret, SecretError};
pub use signer::{Cancel, LocalSigner, Signer, SignerError};
