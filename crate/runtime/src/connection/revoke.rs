//! The end of a grant: by the user, by the page, by its time, or with its last vault. What the page still waits for, and
//! nothing was signed of, is refused.

use super::grant::{settle_current, without_vault};
use super::{CONNECTIONS, ConnectionError, Grant, change, put};
use crate::alarm::Due;
use crate::store::{self, Batch, Durability, Range, StoreError, Stored};
use crate::work::until_rest;
use crate::{Core, dapp};
use chains::Chain;
use std::rc::Rc;

/// Deadlines that are looked at in one go.
const SOME: usize = 50;

/// Ends a grant.
pub(crate) async fn revoke(core: &Rc<Core>, origin: &str) -> Result<(), ConnectionError> {
    let row = core.connections.stored(origin).await?.ok_or(ConnectionError::ConnectionNotFound)?;
    end(core, row, "dapp_disconnected").await?;
    Ok(())
}

async fn end(core: &Rc<Core>, row: Stored<super::ConnectionRow>, what: &str) -> Result<(), StoreError> {
    let origin = &row.record.origin;
    let mut batch = Batch::new(Durability::Strict);
    batch.expect(CONNECTIONS, origin, Some(&row.text));
    batch.due(Due::Connection, origin, row.record.expires_at, None);
    batch.delete(CONNECTIONS, origin);
    batch.note(change(what, origin));
    core.commit(batch).await?;
    core.ports.host.pages_changed(Some(origin));
    dapp::refuse_open(core, origin).await
}

/// Ends the grants whose time is over, beside other work.
pub(crate) fn expire(core: &Rc<Core>) {
    core.spawn_single("connections".to_owned(), |core| async move {
        let outcome = crate::later::later(&core, until_rest(|| expire_some(&core))).await;
        core.wake_after(outcome).await;
    });
}

/// Whether there may be more.
async fn expire_some(core: &Rc<Core>) -> Result<bool, StoreError> {
    let passed = core.alarm.some_passed(Due::Connection, SOME).await?;
    for passed in &passed {
        match core.connections.stored(&passed.id).await? {
            Some(row) if row.record.expires_at.is_some_and(|at| at <= core.now()) => {
                end(core, row, "dapp_expired").await?;
            }
            // It was given more time, or is gone.
            _ => {
                let mut batch = Batch::new(Durability::Relaxed);
                batch.drop_deadline(passed);
                core.commit(batch).await?;
            }
        }
    }
    Ok(passed.len() == SOME)
}

/// A vault is gone: no page may use it should it come again. A page that has no other is disconnected.
pub(crate) async fn forget_vault(core: &Rc<Core>, vault_id: &str) -> Result<(), StoreError> {
    for row in store::scan(core.database.store(), CONNECTIONS, Range::all()).await? {
        let row = Stored::from(row);
        if !row.record.vault_ids.iter().any(|id| id == vault_id) {
            continue;
        }
        let ended = match without_vault(&row, vault_id) {
            None => end(core, row, "dapp_disconnected").await,
            Some(left) => {
                let mut batch = Batch::new(Durability::Strict);
                batch.expect(CONNECTIONS, &left.origin, Some(&row.text));
                put(Some(&row.record), &left, &mut batch);
                core.commit(batch).await
            }
        };
        match ended {
            // It changed meanwhile: the vault is gone in any case, and its id opens nothing.
            Ok(()) | Err(StoreError::Conflict { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// A page leaves chains; when none is left it is disconnected. Whether it had any of them.
pub(crate) async fn leave(
    core: &Rc<Core>,
    origin: &str,
    leaves: impl Fn(Chain) -> bool,
) -> Result<bool, StoreError> {
    let stays = |name: &String| Chain::parse(name).is_some_and(|chain| !leaves(chain));
    let Some(row) = core.connections.stored(origin).await? else { return Ok(false) };
    if row.record.chains.iter().all(stays) {
        return Ok(false);
    }
    if !row.record.chains.iter().any(stays) {
        end(core, row, "dapp_disconnected").await?;
        return Ok(true);
    }
    let apply = |row: &mut Grant| {
        row.chains.retain(stays);
        settle_current(row);
        Ok::<(), StoreError>(())
    };
    core.connections.change(origin, apply).await?;
    core.ports.host.pages_changed(Some(origin));
    dapp::refuse_lost(core, origin).await?;
    Ok(true)
}
