//! What the user grants: the answer to a prompt about a connection, and later changes of it.

use super::{CONNECTIONS, ConnectionError, ConnectionRow, Grant, change, put};
use crate::store::{Batch, StoreError, Stored};
use crate::{Core, dapp};
use chains::{Chain, Kind};
use serde_json::{Map, Value};
use std::rc::Rc;
use wire::api::Millis;
use wire::connection::Connection;
use wire::json::{FieldError, Object};
use wire::vault::Vault;

/// How long a grant counts, unless the user says otherwise.
const USUAL_DAYS: u32 = 30;
/// The longest time that is not "until it is revoked".
const MOST_DAYS: u32 = 3_650;
const DAY: Millis = 24 * 60 * 60 * 1_000;

/// What the user chose to grant; what is not chosen is as usual.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Choice {
    /// The chains, of those that are shown.
    chains: Option<Vec<Chain>>,
    /// For how many days; `Some(None)` until it is revoked.
    days: Option<Option<u32>>,
}

impl Choice {
    /// Reads `{chains?, days?}` at a place.
    pub(crate) fn read(place: &str, fields: &Map<String, Value>) -> Result<Self, FieldError> {
        let object = Object::new(fields);
        let chains = match object.get("chains") {
            None => None,
            Some(Value::Array(names)) => Some(read_chains(place, names)?),
            Some(_) => return Err(FieldError::rule(format!("{place}/chains"), "must be an array")),
        };
        let days = match fields.get("days") {
            None => None,
            Some(Value::Null) => Some(None),
            Some(_) => match object.whole("days", 1, MOST_DAYS) {
                Some(days) => Some(Some(days)),
                None => {
                    let problem = "must be null, or a whole number from 1 to 3650";
                    return Err(FieldError::rule(format!("{place}/days"), problem));
                }
            },
        };
        Ok(Self { chains, days })
    }

    fn expires_at(&self, now: Millis, usual: Option<Millis>) -> Option<Millis> {
        match self.days {
            None => usual,
            Some(days) => days.map(|days| now + Millis::from(days) * DAY),
        }
    }
}

fn read_chains(place: &str, names: &[Value]) -> Result<Vec<Chain>, FieldError> {
    let mut chains: Vec<Chain> = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let chain = name.as_str().and_then(Chain::parse).filter(|chain| is_offered(*chain));
        let problem = "must be the name of a chain that web pages can use";
        let chain = chain.ok_or_else(|| FieldError::rule(format!("{place}/chains/{index}"), problem))?;
        if !chains.contains(&chain) {
            chains.push(chain);
        }
    }
    match chains.is_empty() {
        true => Err(FieldError::rule(format!("{place}/chains"), "must have at least one chain")),
        false => Ok(chains),
    }
}

/// Whether web pages can use a chain: those of the families that have a provider.
pub(crate) const fn is_offered(chain: Chain) -> bool {
    matches!(chain.kind(), Kind::Evm | Kind::Solana | Kind::Sui)
}

/// Stages that a page is connected: with the active vault, on the chains that the user chose, or that were asked for, or
/// all EVM chains where none were. What was granted before stays.
pub(crate) async fn stage_grant(
    core: &Core,
    origin: &str,
    asked: &[String],
    choice: &Choice,
    batch: &mut Batch,
) -> Result<(), StoreError> {
    let now = core.now();
    let before = core.connections.stored(origin).await?;
    let vault = core.vaults.active().await?.map(|stored| *stored.record);
    let text = before.as_ref().map(|stored| stored.text.as_str());
    let live = before.as_ref().map(|stored| &*stored.record).filter(|row| row.is_live(now));
    let mut row = live.cloned().unwrap_or_else(|| ConnectionRow {
        origin: origin.to_owned(),
        connected_at: now,
        vault_ids: Vec::new(),
        chains: Vec::new(),
        current_chain: None,
        expires_at: None,
        used_at: None,
    });
    if let Some(vault) = &vault {
        add(&mut row.vault_ids, vault.id());
        for chain in chosen(vault, asked, choice) {
            add(&mut row.chains, chain.name());
        }
    }
    row.expires_at = choice.expires_at(now, Some(now + Millis::from(USUAL_DAYS) * DAY));
    settle_current(&mut row);
    batch.expect(CONNECTIONS, origin, text);
    put(before.as_ref().map(|stored| &*stored.record), &row, batch);
    batch.note(change("dapp_connected", origin));
    Ok(())
}

/// The chains to grant: those on which the vault has an account.
fn chosen(vault: &Vault, asked: &[String], choice: &Choice) -> Vec<Chain> {
    let asked: Vec<Chain> = asked.iter().filter_map(|name| Chain::parse(name)).collect();
    let evm = || Chain::ALL.iter().copied().filter(|chain| chain.kind() == Kind::Evm).collect();
    let chains = match &choice.chains {
        Some(chains) => chains.clone(),
        None if asked.is_empty() => evm(),
        None => asked,
    };
    chains.into_iter().filter(|chain| is_offered(*chain) && vault.account(chain.name()).is_some()).collect()
}

fn add(names: &mut Vec<String>, name: &str) {
    if !names.iter().any(|known| known == name) {
        names.push(name.to_owned());
    }
}

/// The page is on an EVM chain that it has, where it has one.
pub(super) fn settle_current(row: &mut Grant) {
    let is_evm = |name: &String| Chain::parse(name).is_some_and(|chain| chain.kind() == Kind::Evm);
    let stays = row.current_chain.as_ref().is_some_and(|current| row.chains.contains(current));
    if !stays {
        let ethereum = row.chains.iter().find(|name| *name == Chain::Ethereum.name());
        row.current_chain = ethereum.or_else(|| row.chains.iter().find(|name| is_evm(name))).cloned();
    }
}

/// The user changes a grant: PATCH `/api/connections/{origin}`.
pub(crate) async fn patch(
    core: &Rc<Core>,
    origin: &str,
    choice: &Choice,
) -> Result<Connection, ConnectionError> {
    let now = core.now();
    let apply = |row: &mut Grant| {
        if let Some(chains) = &choice.chains {
            row.chains = chains.iter().map(|chain| chain.name().to_owned()).collect();
        }
        row.expires_at = choice.expires_at(now, row.expires_at);
        settle_current(row);
        Ok::<(), ConnectionError>(())
    };
    let row = core.connections.change(origin, apply).await?.ok_or(ConnectionError::ConnectionNotFound)?;
    core.ports.host.pages_changed(Some(origin));
    if choice.chains.is_some() {
        dapp::refuse_lost(core, origin).await?;
    }
    core.wake_after(Ok(())).await;
    Ok(row.into())
}

impl Grant {
    /// The page is on another chain from now on.
    pub(crate) fn switch(&mut self, chain: Chain) {
        self.current_chain = Some(chain.name().to_owned());
    }
}

/// Without the vault; nothing if no other is left.
pub(super) fn without_vault(row: &Stored<ConnectionRow>, vault_id: &str) -> Option<ConnectionRow> {
    let mut left = (*row.record).clone();
    left.vault_ids.retain(|id| id != vault_id);
    (!left.vault_ids.is_empty()).then_some(left)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(value: Value) -> Result<Choice, String> {
        Choice::read("/grant", value.as_object().unwrap()).map_err(|error| error.to_string())
    }

    #[test]
    fn choices_are_checked() {
        assert_eq!(read(json!({})), Ok(Choice::default()));
        assert_eq!(
            read(json!({"chains": ["Base", "base", "Solana"], "days": null})),
            Ok(Choice { chains: Some(vec![Chain::Base, Chain::Solana]), days: Some(None) })
        );
        assert_eq!(read(json!({"days": 7})), Ok(Choice { chains: None, days: Some(Some(7)) }));
        for (bad, place) in [
            (json!({"chains": []}), "/grant/chains must"),
            (json!({"chains": "Base"}), "/grant/chains must"),
            (json!({"chains": ["Base", "Bitcoin"]}), "/grant/chains/1 must"),
            (json!({"chains": [7]}), "/grant/chains/0 must"),
            (json!({"days": 0}), "/grant/days must"),
            (json!({"days": 1.5}), "/grant/days must"),
            (json!({"days": "7"}), "/grant/days must"),
            (json!({"days": 3651}), "/grant/days must"),
        ] {
            let refused = read(bad.clone()).unwrap_err();
            assert!(refused.starts_with(place), "{bad}: {refused}");
        }
    }

    /// A row of version 10 knows no vault and no chain.
    #[test]
    fn rows_of_version_10() {
        let row: ConnectionRow =
            wire::json::from_text(r#"{"origin":"https://a.example","connectedAt":5}"#).unwrap();
        assert!(row.is_live(u64::MAX) && row.vault_ids.is_empty() && row.chains.is_empty());
    }
}
