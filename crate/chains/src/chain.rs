//! Which chains there are and what is fixed about each of them.
//!
//! On the wire a chain is its canonical name, a string such as `Ethereum`, `Bitcoin-Cash` or `THORChain`; a kind is a
//! lower-case word such as `evm`. Names are written in that spelling and read in any case. The facts themselves are in
//! one place, the table in `table.rs`.

use core::fmt;
use core::str::FromStr;

pub use crate::table::Chain;

/// Everything the registry knows of one chain: one row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// The canonical spelling on the wire.
    pub name: &'static str,
    /// Names that other wallets and older records use. Read, never written.
    pub aliases: &'static [&'static str],
    /// The coin that pays for transactions.
    pub native: Native,
    /// The BIP-32 path under which wallets keep the chain's key, if keys of its kind are derived by path at all.
    pub path: Option<&'static str>,
    /// The signature scheme of a plain account.
    pub algorithm: Algorithm,
    /// The family the chain belongs to, with what distinguishes it inside the family.
    pub network: Network,
    /// Under which name prices of the native coin are looked up.
    pub price_id: &'static str,
    /// The node that is asked unless the user chose another; what follows it is in [`crate::rpc::Request::path`].
    pub endpoint: &'static str,
    /// Where a transaction's status is asked for, if the node does not know it.
    pub indexer: Option<&'static str>,
    /// Where people look at transactions and addresses.
    pub explorer: Explorer,
    /// How a receipt is waited for.
    pub polling: Polling,
}

/// A site that shows a chain's transactions and addresses: `base ‖ transaction ‖ id`, `base ‖ address ‖ address`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Explorer {
    /// The site, with a slash at the end.
    pub base: &'static str,
    /// What stands before a transaction's id.
    pub transaction: &'static str,
    /// What stands before an address.
    pub address: &'static str,
}

/// How a receipt is waited for, unless a request says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Polling {
    /// From one look to the next.
    pub interval_seconds: u32,
    /// After this the transaction is still pending and the wait is over.
    pub timeout_seconds: u32,
}

/// A chain's own coin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Native {
    /// Upper-case ticker.
    pub ticker: &'static str,
    /// How many decimal places one coin has: 10^decimals base units are one coin.
    pub decimals: u8,
}

/// The signature scheme of a chain's accounts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// ECDSA over secp256k1.
    Ecdsa,
    /// EdDSA over Ed25519.
    Eddsa,
    /// ML-DSA-44 (FIPS 204).
    MlDsa44,
}

/// A chain's family with the parameters that tell its members apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Network {
    /// Ethereum and other EVM chains.
    Evm {
        /// EIP-155 chain id.
        chain_id: u64,
    },
    /// Bitcoin and other UTXO chains.
    Utxo(UtxoPrefixes),
    /// Cosmos SDK chains.
    Cosmos {
        /// The chain id that is signed.
        chain_id: &'static str,
        /// Human-readable part of account addresses.
        hrp: &'static str,
    },
    /// Sui.
    Sui,
    /// Solana.
    Solana,
    /// Polkadot.
    Polkadot {
        /// SS58 network prefix of its addresses.
        ss58: u16,
    },
    /// Bittensor: Substrate accounts as on Polkadot, another prefix.
    Bittensor {
        /// SS58 network prefix of its addresses.
        ss58: u16,
    },
    /// The Open Network.
    Ton,
    /// The XRP ledger.
    Ripple,
    /// Tron.
    Tron,
    /// Cardano.
    Cardano,
    /// QBTC: bech32 accounts as on Cosmos, post-quantum keys.
    Qbtc {
        /// Human-readable part of account addresses.
        hrp: &'static str,
    },
}

/// How the addresses of one UTXO chain begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UtxoPrefixes {
    /// Version bytes of a base58check pay-to-public-key-hash address.
    pub p2pkh: &'static [u8],
    /// Version bytes of a base58check pay-to-script-hash address.
    pub p2sh: &'static [u8],
    /// Older script-hash version that is still read and rewritten to `p2sh`.
    pub p2sh_legacy: Option<&'static [u8]>,
    /// Human-readable part of SegWit addresses, where the chain has SegWit.
    pub segwit: Option<&'static str>,
    /// Prefix of cashaddr addresses, where the chain uses them. Not part of the canonical spelling.
    pub cashaddr: Option<&'static str>,
}

/// The family of a chain, by which code is chosen and address books group their entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// `evm`
    Evm,
    /// `utxo`
    Utxo,
    /// `cosmos`
    Cosmos,
    /// `sui`
    Sui,
    /// `solana`
    Solana,
    /// `polkadot`
    Polkadot,
    /// `bittensor`
    Bittensor,
    /// `ton`
    Ton,
    /// `ripple`
    Ripple,
    /// `tron`
    Tron,
    /// `cardano`
    Cardano,
    /// `qbtc`
    Qbtc,
}

impl Chain {
    /// The canonical spelling, as it is written on the wire.
    pub const fn name(self) -> &'static str {
        self.facts().name
    }

    /// The family the chain belongs to.
    pub const fn kind(self) -> Kind {
        self.facts().network.kind()
    }

    /// The chain under whose name its addresses are compared. An address of one EVM chain names the same account on all of
    /// them, so they are one realm; every other chain is its own.
    pub fn realm(self) -> Self {
        if self.kind() == Kind::Evm { Self::Ethereum } else { self }
    }

    /// One chain of each realm.
    pub fn realms() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|chain| chain.realm() == *chain)
    }

    /// The chain's own coin.
    pub const fn native(self) -> Native {
        self.facts().native
    }

    /// The signature scheme of a plain account.
    pub const fn algorithm(self) -> Algorithm {
        self.facts().algorithm
    }

    /// The BIP-32 path of the chain's key. `None` on QBTC, whose keys are not derived.
    pub const fn derivation_path(self) -> Option<&'static str> {
        self.facts().path
    }

    /// The chain's family and its parameters.
    pub const fn network(self) -> Network {
        self.facts().network
    }

    /// EIP-155 chain id of an EVM chain.
    pub const fn evm_id(self) -> Option<u64> {
        match self.network() {
            Network::Evm { chain_id } => Some(chain_id),
            _ => None,
        }
    }

    /// Chain id of a Cosmos SDK chain, as it stands in a sign doc.
    pub const fn cosmos_id(self) -> Option<&'static str> {
        match self.network() {
            Network::Cosmos { chain_id, .. } => Some(chain_id),
            _ => None,
        }
    }

    /// Human-readable part of the chain's bech32 addresses, where it has any.
    pub const fn bech32_hrp(self) -> Option<&'static str> {
        match self.network() {
            Network::Cosmos { hrp, .. } | Network::Qbtc { hrp } => Some(hrp),
            Network::Utxo(prefixes) => prefixes.segwit,
            Network::Cardano => Some("addr"),
            _ => None,
        }
    }

    /// Whether people mean the chain's own coin by this ticker, in any case: by its name, or by the one it had before.
    pub fn is_native_ticker(self, ticker: &str) -> bool {
        let before = match self {
            Self::Ton => "TON",
            Self::Polygon => "MATIC",
            _ => "",
        };
        [self.native().ticker, before]
            .iter()
            .any(|name| !name.is_empty() && name.eq_ignore_ascii_case(ticker))
    }

    /// The number of the coin in the chain's path (SLIP-44): 60 for Ethereum and every chain that shares its key.
    pub fn coin_type(self) -> Option<u32> {
        self.derivation_path()?.split('/').nth(2)?.trim_end_matches('\'').parse().ok()
    }

    /// What comes before the path of a request of [`crate::rpc::status`], unless the user chose another.
    pub fn status_endpoint(self) -> &'static str {
        let facts = self.facts();
        facts.indexer.unwrap_or(facts.endpoint)
    }

    /// Where people look at a transaction.
    pub fn transaction_url(self, id: &str) -> String {
        let Explorer { base, transaction, .. } = self.facts().explorer;
        [base, transaction, id].concat()
    }

    /// Where people look at an address.
    pub fn address_url(self, of: &str) -> String {
        let Explorer { base, address, .. } = self.facts().explorer;
        [base, address, of].concat()
    }

    /// The EVM chain with this EIP-155 chain id.
    pub fn from_evm_id(id: u64) -> Option<Self> {
        Self::ALL.iter().copied().find(|chain| chain.evm_id() == Some(id))
    }

    /// Reads a chain's name or one of its known aliases, in any case. Blanks around it are ignored, blanks inside are
    /// not: `" ethereum "` is Ethereum, `"Bitcoin Cash"` is nothing.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let named = |name: &&str| name.eq_ignore_ascii_case(text);
        Self::ALL.iter().copied().find(|chain| {
            let facts = chain.facts();
            named(&facts.name) || facts.aliases.iter().any(named)
        })
    }
}

impl Network {
    /// The family without its parameters.
    pub const fn kind(&self) -> Kind {
        match self {
            Self::Evm { .. } => Kind::Evm,
            Self::Utxo(_) => Kind::Utxo,
            Self::Cosmos { .. } => Kind::Cosmos,
            Self::Sui => Kind::Sui,
            Self::Solana => Kind::Solana,
            Self::Polkadot { .. } => Kind::Polkadot,
            Self::Bittensor { .. } => Kind::Bittensor,
            Self::Ton => Kind::Ton,
            Self::Ripple => Kind::Ripple,
            Self::Tron => Kind::Tron,
            Self::Cardano => Kind::Cardano,
            Self::Qbtc { .. } => Kind::Qbtc,
        }
    }
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 12] = [
        Self::Evm,
        Self::Utxo,
        Self::Cosmos,
        Self::Sui,
        Self::Solana,
        Self::Polkadot,
        Self::Bittensor,
        Self::Ton,
        Self::Ripple,
        Self::Tron,
        Self::Cardano,
        Self::Qbtc,
    ];

    /// The word on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Evm => "evm",
            Self::Utxo => "utxo",
            Self::Cosmos => "cosmos",
            Self::Sui => "sui",
            Self::Solana => "solana",
            Self::Polkadot => "polkadot",
            Self::Bittensor => "bittensor",
            Self::Ton => "ton",
            Self::Ripple => "ripple",
            Self::Tron => "tron",
            Self::Cardano => "cardano",
            Self::Qbtc => "qbtc",
        }
    }
}

/// A text that names no chain of the registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not the name of a supported chain")]
pub struct UnknownChainError;

impl fmt::Display for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Chain {
    type Err = UnknownChainError;

    fn from_str(text: &str) -> Result<Self, UnknownChainError> {
        Self::parse(text).ok_or(UnknownChainError)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
