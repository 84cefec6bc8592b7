//! Which coins a payment is made of. Every device of a vault must choose the same, so the order is fixed.

use super::NATIVE;
use super::data::{Address, ObjectRef};
use crate::order;
use crate::{TransactionError, amount, encoding};
use wire::keysign::SuiCoin;

/// The network merges at most 256 coins that pay for a transaction; one less is chosen.
const MAX_COINS: usize = 255;

/// A coin that may be spent.
#[derive(Debug, Clone)]
pub(super) struct Coin {
    /// Its type, as the payload writes it.
    pub(super) kind: String,
    /// The version to spend.
    pub(super) object: ObjectRef,
    /// How much is in it.
    balance: u64,
    /// Its name as the payload writes it, by which equal balances are ordered.
    name: String,
}

impl Coin {
    pub(super) fn read(coin: &SuiCoin) -> Result<Self, TransactionError> {
        let id: Address = encoding::array_from_hex("coins.coin_object_id", &coin.coin_object_id)?;
        let digest = bs58::decode(&coin.digest).into_vec().ok().and_then(|bytes| bytes.try_into().ok());
        let digest = digest.ok_or(TransactionError::Malformed {
            field: "coins.digest",
            reason: "is not base58 of 32 bytes",
        })?;
        let version = amount::parse_u64("coins.version", &coin.version)?;
        let balance = amount::parse_u64("coins.balance", &coin.balance)?;
        let object = ObjectRef { id, version, digest };
        Ok(Self { kind: coin.coin_type.clone(), object, balance, name: coin.coin_object_id.clone() })
    }

    /// Whether it is a coin of this type.
    pub(super) fn is(&self, kind: &str) -> bool {
        same_type(&self.kind, kind)
    }
}

/// The fewest coins that together hold `target`, the largest first.
pub(super) fn covering(coins: &[Coin], target: u64) -> Result<Vec<Coin>, TransactionError> {
    let mut sorted = coins.to_vec();
    order::sort_by(&mut sorted, |a, b| b.balance.cmp(&a.balance).then_with(|| a.name.cmp(&b.name)));
    let mut selected = Vec::new();
    let mut held = 0u64;
    for coin in sorted.into_iter().take(MAX_COINS) {
        held = held.saturating_add(coin.balance);
        selected.push(coin);
        if held >= target {
            return Ok(selected);
        }
    }
    Err(TransactionError::InsufficientFunds)
}

/// The smallest coin of SUI that alone holds `budget`.
pub(super) fn gas(coins: &[Coin], budget: u64) -> Result<Coin, TransactionError> {
    let enough = coins.iter().filter(|coin| coin.is(NATIVE) && coin.balance >= budget);
    enough.min_by_key(|coin| coin.balance).cloned().ok_or(TransactionError::InsufficientFunds)
}

/// Whether two texts name one coin type: packages may be written with or without leading zeros. Case is not looked
/// at, as other wallets do not; what is shown is the type that the coin itself states.
pub(super) fn same_type(a: &str, b: &str) -> bool {
    let parts = |text: &str| {
        let (package, rest) = text.split_once("::")?;
        let digits = package.strip_prefix("0x").or_else(|| package.strip_prefix("0X")).unwrap_or(package);
        Some((digits.trim_start_matches('0').to_ascii_lowercase(), rest.to_ascii_lowercase()))
    };
    parts(a).is_some_and(|a| parts(b) == Some(a))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coin(kind: &str, name: u8, balance: u64) -> Coin {
        let coin_object_id = format!("0x{name:064x}");
        let digest = bs58::encode([name; 32]).into_string();
        let (version, balance) = (name.to_string(), balance.to_string());
        let coin_type = kind.to_owned();
        let previous_transaction = String::new();
        Coin::read(&SuiCoin { coin_type, coin_object_id, version, digest, balance, previous_transaction })
            .unwrap()
    }

    fn names(coins: &[Coin]) -> Vec<u8> {
        coins.iter().map(|coin| *coin.object.id.last().unwrap()).collect()
    }

    #[test]
    fn the_largest_first_then_by_name() {
        let coins = [coin(NATIVE, 3, 5), coin(NATIVE, 2, 5), coin(NATIVE, 1, 9), coin(NATIVE, 4, 1)];
        assert_eq!(names(&covering(&coins, 0).unwrap()), [1]);
        assert_eq!(names(&covering(&coins, 10).unwrap()), [1, 2]);
        assert_eq!(names(&covering(&coins, 20).unwrap()), [1, 2, 3, 4]);
        assert_eq!(covering(&coins, 21).unwrap_err(), TransactionError::InsufficientFunds);
        assert_eq!(covering(&[], 0).unwrap_err(), TransactionError::InsufficientFunds);
    }

    #[test]
    fn no_more_than_the_network_merges() {
        let coins = vec![coin(NATIVE, 1, 1); 300];
        assert_eq!(covering(&coins, 255).unwrap().len(), 255);
        assert_eq!(covering(&coins, 256).unwrap_err(), TransactionError::InsufficientFunds);
    }

    #[test]
    fn the_smallest_that_pays_the_gas() {
        let coins = [coin(NATIVE, 1, 50), coin("0x5::a::A", 2, 20), coin(NATIVE, 3, 20), coin(NATIVE, 4, 19)];
        assert_eq!(names(&[gas(&coins, 20).unwrap()]), [3]);
        assert_eq!(gas(&coins, 51).unwrap_err(), TransactionError::InsufficientFunds);
    }

    #[test]
    fn types_are_compared_whole() {
        assert!(same_type(&format!("0x{:064x}::sui::SUI", 2), NATIVE));
        assert!(!same_type("0x2::xsui::XSUI", NATIVE));
        assert!(!same_type("SUI", "SUI"));
        assert!(!same_type("0x20::sui::SUI", NATIVE));
    }
}
