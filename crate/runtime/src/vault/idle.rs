//! Vaults are locked when the user has left: when the screen is locked, and when nothing was typed or moved for as long as
//! a vault stays open. What was approved goes on: a password that was given for one call stays until that call has ended,
//! or half an hour at most.

use super::{Closed, Vaults, noted};
use crate::Core;
use crate::ports::Presence;
use crate::store::{Batch, Durability, StoreError};
use std::rc::Rc;
use wire::event::Event;

/// The longest time without input that Chrome tells from a longer one.
const LONGEST_TOLD_MINUTES: u32 = 4 * 60;

/// Whether vaults are to be locked. Where they may stay open for longer than the browser can tell, an absence alone locks
/// nothing: their own deadline does.
fn is_away(presence: Presence, auto_lock_minutes: u32) -> bool {
    match presence {
        Presence::Active => false,
        Presence::Idle => auto_lock_minutes <= LONGEST_TOLD_MINUTES,
        Presence::Locked => true,
    }
}

/// Locks the open vaults if the user has left.
pub(crate) async fn lock_if_away(core: &Rc<Core>, presence: Presence) -> Result<(), StoreError> {
    let minutes = core.settings.read().await?.auto_lock_minutes;
    if is_away(presence, minutes) && core.vaults.lock_open().await? {
        core.wake_after(Ok(())).await;
    }
    Ok(())
}

/// At a start: tells the browser after how long an absence counts, and notices one that an earlier worker should have
/// been told of and was not.
pub(crate) async fn notice_presence(core: &Core) -> Result<(), StoreError> {
    let seconds = watch_presence(core).await?;
    if core.vaults.is_any_open().await? {
        let presence = core.ports.host.presence(seconds).await;
        if is_away(presence, seconds / 60) {
            core.vaults.lock_open().await?;
        }
    }
    Ok(())
}

/// Tells the browser after how many seconds without input the user counts as away; returns them.
pub(crate) async fn watch_presence(core: &Core) -> Result<u32, StoreError> {
    let seconds = core.settings.read().await?.auto_lock_minutes.saturating_mul(60);
    core.ports.host.watch_presence(seconds);
    Ok(seconds)
}

impl Vaults {
    /// Whether a vault is open, beyond single calls.
    async fn is_any_open(&self) -> Result<bool, StoreError> {
        Ok(self.unlocks("").await?.iter().any(|(row, _)| !row.key.contains('/')))
    }

    /// Locks the open vaults; not for calls that were given the password. Returns whether there was one.
    async fn lock_open(&self) -> Result<bool, StoreError> {
        let mut batch = Batch::new(Durability::Strict);
        let mut closed = Closed::default();
        for (row, unlock) in self.unlocks("").await? {
            if !row.key.contains('/') {
                closed.add(&row.key, unlock, &mut batch);
                batch.note(noted("vault_locked", &row.key));
            }
        }
        if batch.writes().is_empty() {
            return Ok(false);
        }
        // Before the commit: a full disk must not keep a vault open.
        self.forget(closed).await;
        batch.tell(&Event::VaultModified {});
        self.database.commit(batch).await?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absence_locks_unless_it_cannot_be_measured() {
        let table = [
            (Presence::Active, 1, false),
            (Presence::Idle, 1, true),
            (Presence::Idle, 240, true),
            (Presence::Idle, 241, false),
            (Presence::Locked, 1, true),
            (Presence::Locked, 1440, true),
        ];
        for (presence, minutes, locks) in table {
            assert_eq!(is_away(presence, minutes), locks, "{presence:?} {minutes}");
        }
    }
}
