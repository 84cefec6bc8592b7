//! Scopes (CAIP-217): a chain by its CAIP-2 id, such as `eip155:1`, and the methods that run in it.

use crate::dapp::evm;
use chains::{Chain, Kind};

/// Solana's mainnet: the beginning of the hash of its first block.
const SOLANA: &str = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp";
const SUI: &str = "mainnet";

/// A scope as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Scope<'a> {
    /// `eip155`.
    pub(super) namespace: &'a str,
    /// `1`; none for a whole namespace.
    pub(super) reference: Option<&'a str>,
}

impl<'a> Scope<'a> {
    /// Reads `namespace` or `namespace:reference` (CAIP-2, CAIP-104).
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let (namespace, reference) = match text.split_once(':') {
            Some((namespace, reference)) => (namespace, Some(reference)),
            None => (text, None),
        };
        let letters = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let fits = (3..=8).contains(&namespace.len()) && namespace.bytes().all(letters);
        let refers = |reference: &str| {
            let letters = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
            (1..=32).contains(&reference.len()) && reference.bytes().all(letters)
        };
        (fits && reference.is_none_or(refers)).then_some(Self { namespace, reference })
    }

    /// The chain of this wallet that it names.
    pub(super) fn chain(&self) -> Option<Chain> {
        self.reference.and_then(|reference| chain_of(self.namespace, reference))
    }
}

/// The chain of a namespace and a reference.
pub(super) fn chain_of(namespace: &str, reference: &str) -> Option<Chain> {
    match (namespace, reference) {
        ("eip155", number) => {
            let id: u64 = number.parse().ok()?;
            Chain::from_evm_id(id).filter(|_| id.to_string() == number)
        }
        ("solana", SOLANA | "mainnet") => Some(Chain::Solana),
        ("sui", SUI) => Some(Chain::Sui),
        _ => None,
    }
}

/// The chain of this wallet that a CAIP-2 id names, or the wallet standard's name of it.
pub(in crate::dapp) fn chain_named(text: &str) -> Option<Chain> {
    Scope::parse(text).and_then(|scope| scope.chain())
}

/// A chain as a scope.
pub(super) fn scope_of(chain: Chain) -> Option<String> {
    match (chain.kind(), chain.evm_id()) {
        (Kind::Evm, Some(id)) => Some(format!("eip155:{id}")),
        (Kind::Solana, _) => Some(["solana:", SOLANA].concat()),
        (Kind::Sui, _) => Some(["sui:", SUI].concat()),
        _ => None,
    }
}

/// Methods of an EVM scope. Those of the page as a whole, such as switching its chain, are not among them.
pub(super) const EVM_METHODS: &[&str] = &[
    "eth_accounts",
    "eth_blockNumber",
    "eth_call",
    "eth_chainId",
    "eth_estimateGas",
    "eth_feeHistory",
    "eth_gasPrice",
    "eth_getBalance",
    "eth_getBlockByHash",
    "eth_getBlockByNumber",
    "eth_getCode",
    "eth_getLogs",
    "eth_getStorageAt",
    "eth_getTransactionByHash",
    "eth_getTransactionCount",
    "eth_getTransactionReceipt",
    "eth_maxPriorityFeePerGas",
    "eth_sendTransaction",
    "eth_signTypedData_v4",
    "personal_sign",
    "wallet_getCallsStatus",
    "wallet_getCapabilities",
    "wallet_sendCalls",
    "wallet_showCallsStatus",
    "wallet_watchAsset",
    "web3_clientVersion",
];
/// Methods of a Solana scope, without the prefix that they have in the table of methods.
pub(super) const SOLANA_METHODS: &[&str] =
    &["signAndSendTransaction", "signIn", "signMessage", "signTransaction"];
/// Methods of a Sui scope.
pub(super) const SUI_METHODS: &[&str] =
    &["signAndExecuteTransaction", "signPersonalMessage", "signTransaction"];

/// The methods that a scope of a chain lists.
pub(super) const fn methods_of(chain: Chain) -> &'static [&'static str] {
    match chain.kind() {
        Kind::Evm => EVM_METHODS,
        Kind::Solana => SOLANA_METHODS,
        Kind::Sui => SUI_METHODS,
        _ => &[],
    }
}

/// Methods of an EVM scope that are not worth a line in its list.
const UNLISTED: &[&str] = &["eth_coinbase", "net_version"];

/// Notifications that a page gets in a scope of a chain.
pub(super) const fn notifications_of(chain: Chain) -> &'static [&'static str] {
    match chain.kind() {
        Kind::Evm => &["accountsChanged", "chainChanged"],
        _ => &[],
    }
}

/// Whether a scope of a chain has a method.
pub(super) fn has_method(chain: Chain, method: &str) -> bool {
    evm::refusal(method).is_none() && method_in(chain, method).is_some()
}

/// The method of our table that a method of a scope is.
pub(super) fn method_in(chain: Chain, method: &str) -> Option<String> {
    let prefixed = |prefix: &str, methods: &[&str]| {
        let name = method.strip_prefix(prefix).unwrap_or(method);
        methods.contains(&name).then(|| [prefix, name].concat())
    };
    match chain.kind() {
        // Methods of the page as a whole, such as switching its chain or a bundle over several, are none of a scope. One that is
        // refused on purpose says why.
        Kind::Evm => {
            let listed = EVM_METHODS.contains(&method) || UNLISTED.contains(&method);
            let known = listed || evm::is_read(method) || evm::refusal(method).is_some();
            known.then(|| method.to_owned())
        }
        Kind::Solana => prefixed("solana_", SOLANA_METHODS),
        Kind::Sui => prefixed("sui_", SUI_METHODS),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn scopes_are_chains() {
        let chain = |text| Scope::parse(text).and_then(|scope| scope.chain());
        assert_eq!(chain("eip155:1"), Some(Chain::Ethereum));
        assert_eq!(chain("eip155:8453"), Some(Chain::Base));
        assert_eq!(chain("solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"), Some(Chain::Solana));
        assert_eq!(chain("sui:mainnet"), Some(Chain::Sui));
        for none in ["eip155", "eip155:01", "eip155:+1", "eip155:1337", "solana:devnet", "cosmos:cosmoshub-4"]
        {
            assert_eq!(chain(none), None, "{none}");
        }
        for bad in ["", "ab", "EIP155:1", "eip155:", "eip155:1:2", "eip155:é", "toolongnamespace:1"] {
            assert_eq!(Scope::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn methods_of_scopes() {
        let method = |chain, name| method_in(chain, name);
        assert_eq!(method(Chain::Base, "eth_call").as_deref(), Some("eth_call"));
        assert_eq!(method(Chain::Solana, "signMessage").as_deref(), Some("solana_signMessage"));
        assert_eq!(method(Chain::Solana, "solana_signMessage").as_deref(), Some("solana_signMessage"));
        for (chain, name) in [
            (Chain::Base, "wallet_invokeMethod"),
            (Chain::Base, "wallet_switchEthereumChain"),
            (Chain::Base, "solana_signMessage"),
            (Chain::Base, "countersign_signTransactionBundle"),
            (Chain::Base, "countersign_submitToolResult"),
            (Chain::Base, "eth_requestAccounts"),
            (Chain::Base, "wallet_revokeSession"),
            (Chain::Base, "made_up"),
            (Chain::Solana, "eth_call"),
            (Chain::Solana, "connect"),
            (Chain::Bitcoin, "signPsbt"),
        ] {
            assert_eq!(method(chain, name), None, "{name}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_scope_or_not(text in "[a-z0-9-]{0,9}(:[a-zA-Z0-9_-]{0,34})?|.{0,40}") {
            if let Some(chain) = Scope::parse(&text).and_then(|scope| scope.chain()) {
                prop_assert!(scope_of(chain).is_some());
            }
        }
    }
}
