//! Why a text is not an address of a chain.

use derive::Code;

/// Why a text is not an address of a chain.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Code)]
pub enum AddressError {
    /// There is nothing to read.
    #[error("the address is empty")]
    Empty,
    /// Longer than any address of any chain.
    #[error("the address is longer than any address can be")]
    TooLong,
    /// A character that the encoding does not have.
    #[error("the address has a character that its encoding does not allow")]
    Alphabet,
    /// Upper and lower case mixed in an encoding that allows only one of them.
    #[error("the address mixes upper and lower case")]
    MixedCase,
    /// The address contradicts its own checksum: most likely a typing error.
    #[error("the checksum of the address is wrong")]
    Checksum,
    /// The number of characters or bytes is not one that such an address has.
    #[error("an address of this form is not {found} long")]
    Length {
        /// How many characters or bytes there are.
        found: usize,
    },
    /// The address begins as addresses of this chain do not: most likely it belongs to another chain.
    #[error("addresses of this chain do not begin with {found:?}")]
    Prefix {
        /// What it begins with: a human-readable part, or the version byte in hex.
        found: String,
    },
    /// An SS58 address of another Substrate network.
    #[error("the address has SS58 prefix {found}, this chain has {expected}")]
    Ss58Prefix {
        /// The chain's prefix.
        expected: u16,
        /// The prefix of the address.
        found: u16,
    },
    /// An address of the chain's test network.
    #[error("the address belongs to a test network")]
    Network,
    /// Bech32 where bech32m is due, or the other way round.
    #[error("the address has the wrong one of the bech32 and bech32m checksums")]
    Encoding,
    /// A SegWit version that cannot be paid safely yet.
    #[error("witness version {found} is not in use")]
    WitnessVersion {
        /// The version of the address.
        found: u8,
    },
    /// A TON workchain that does not exist.
    #[error("workchain {found} does not exist")]
    Workchain {
        /// The workchain of the address.
        found: i32,
    },
    /// Well encoded, but what it holds is not what such an address holds.
    #[error("the contents of the address are malformed")]
    Malformed,
    /// A form of address that exists on the chain and is not supported.
    #[error("{form} is not supported; use {instead}")]
    Unsupported {
        /// The name of the form.
        form: &'static str,
        /// What to ask for in its place.
        instead: &'static str,
    },
}
