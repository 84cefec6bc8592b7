//! From a keysign payload to the transactions it stands for: one, or several where an approval or a list comes first.

use crate::transaction::{Account, NetworkFacts, Transaction};
use crate::{Chain, Network, TransactionError};
use crate::{cardano, cosmos, evm, polkadot, ripple, solana, sui, ton, tron, utxo};
use wire::keysign::{Coin, KeysignPayload};

/// The chain and the coin that a payload names.
pub fn coin(payload: &KeysignPayload) -> Result<(Chain, &Coin), TransactionError> {
    let coin = payload.coin.as_ref().ok_or(TransactionError::Missing { field: "coin" })?;
    let unknown = TransactionError::Malformed { field: "coin.chain", reason: "is not a supported chain" };
    Ok((Chain::parse(&coin.chain).ok_or(unknown)?, coin))
}

/// The transactions of a payload, in the order in which they must be signed and sent.
///
/// `account` is the vault's own on that chain; a payload that pays from another is refused.
pub fn transactions(
    payload: &KeysignPayload,
    account: &Account,
    facts: &NetworkFacts,
) -> Result<Vec<Transaction>, TransactionError> {
    let (chain, _) = coin(payload)?;
    if chain != account.chain {
        let (expected, found) = (account.chain.to_string(), chain.to_string());
        return Err(TransactionError::ChainMismatch { expected, found });
    }
    match chain.network() {
        Network::Evm { .. } => evm::payload::transactions(payload, account),
        Network::Utxo(_) => utxo::payload::transactions(payload, account, facts),
        Network::Cosmos { .. } | Network::Qbtc { .. } => cosmos::payload::transactions(payload, account),
        Network::Sui => sui::payload::transactions(payload, account),
        Network::Solana => solana::payload::transactions(payload, account),
        Network::Polkadot { .. } | Network::Bittensor { .. } => {
            polkadot::payload::transactions(payload, account)
        }
        Network::Ton => ton::payload::transactions(payload, account),
        Network::Ripple => ripple::payload::transactions(payload, account),
        Network::Tron => tron::payload::transactions(payload, account),
        Network::Cardano => cardano::payload::transactions(payload, account),
    }
}
