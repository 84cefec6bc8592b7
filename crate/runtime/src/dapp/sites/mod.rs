//! Sites: what the wallet has seen of them, and what the user said of them.

mod throttle;

pub(crate) use throttle::{NotHeard, SiteRow};

use super::error::RpcError;
use super::{phishing, refuse_open};
use crate::Core;
use crate::database::Database;
use crate::http::ApiError;
use crate::store::{self, Batch, Durability, Keyed, Range, StoreError, Stored, owned_tables};
use chains::order::sort_by;
use std::rc::Rc;
use wire::api::Millis;
use wire::audit::AuditRecord;
use wire::dapp as view;

owned_tables! {
    /// Origin → what was seen of a site.
    SITES: SitesRight = Sites, SiteRow;
}

/// A site as it was read: of one that never asked there is nothing on disk.
pub(crate) struct Site {
    text: Option<String>,
    pub(crate) row: SiteRow,
}

/// Sites. The only writer of `sites`.
pub(crate) struct Sites {
    database: Rc<Database>,
}

impl Sites {
    pub(crate) const fn new(database: Rc<Database>) -> Self {
        Self { database }
    }

    /// What was seen of a site.
    pub(crate) async fn get(&self, origin: &str) -> Result<Site, StoreError> {
        let stored = store::get(self.database.store(), SITES, origin).await?;
        Ok(match stored {
            Some(Stored { text, record }) => Site { text: Some(text), row: *record },
            None => Site { text: None, row: SiteRow::new(origin, self.database.now()) },
        })
    }

    /// All sites that ever asked, by origin.
    pub(crate) async fn all(&self) -> Result<Vec<Keyed<SiteRow>>, StoreError> {
        store::scan(self.database.store(), SITES, Range::all()).await
    }
}

impl Site {
    /// Stages the site as it is now, unless it changed since it was read.
    pub(crate) fn stage(&self, batch: &mut Batch) {
        batch.expect(SITES, &self.row.origin, self.text.as_deref());
        batch.put(SITES, &self.row.origin, &self.row);
    }
}

impl From<NotHeard> for RpcError {
    fn from(why: NotHeard) -> Self {
        match why {
            NotHeard::Blocked => Self::Blocked,
            NotHeard::Paused(left) => Self::LimitExceeded {
                why: "the user rejected this site's requests: it may ask again later",
                retry_after: Some(left),
            },
        }
    }
}

/// Whether a site has not asked for long, and the user said nothing of it.
fn is_forgotten(site: &SiteRow, now: Millis) -> bool {
    const KEPT: Millis = 180 * 24 * 60 * 60 * 1_000;
    !site.blocked && !site.let_in && site.last_asked_at.saturating_add(KEPT) < now
}

/// A site as pages of ours see it.
fn view(row: SiteRow, now: Millis, listed: Option<String>, connected: bool) -> view::Site {
    let paused_for = row.paused_for(now);
    view::Site {
        shown: phishing::decoded_host(phishing::host(&row.origin)),
        origin: row.origin,
        first_asked_at: row.first_asked_at,
        last_asked_at: row.last_asked_at,
        blocked: row.blocked,
        let_in: row.let_in,
        listed,
        connected,
        paused_until: paused_for.map(|left| now + left),
        refused: if paused_for.is_some() { row.refused } else { 0 },
    }
}

/// The sites that asked for something, those that keep asking first, then by when they last asked.
pub(crate) async fn list(core: &Core) -> Result<view::Sites, StoreError> {
    let now = core.now();
    let connected = core.connections.all().await?;
    let mut sites = Vec::new();
    for Keyed { record, .. } in core.sites.all().await? {
        let listed = core.site_lists.find(phishing::host(&record.origin)).await?.blocked;
        let is_connected = connected.iter().any(|connection| connection.origin == record.origin);
        sites.push(view(record, now, listed, is_connected));
    }
    sort_by(&mut sites, |one, other| {
        (other.refused > 0, other.last_asked_at).cmp(&(one.refused > 0, one.last_asked_at))
    });
    Ok(view::Sites { sites })
}

/// The user blocks a site, or lets one in that a list names: PATCH `/api/sites/{origin}`.
pub(crate) async fn patch(
    core: &Rc<Core>,
    origin: &str,
    blocked: Option<bool>,
    let_in: Option<bool>,
) -> Result<view::Site, StoreError> {
    loop {
        let mut site = core.sites.get(origin).await?;
        let was = site.row.clone();
        site.row.blocked = blocked.unwrap_or(was.blocked);
        site.row.let_in = let_in.unwrap_or(was.let_in);
        if was.blocked && !site.row.blocked {
            site.row.forgive();
        }
        let mut batch = Batch::new(Durability::Strict);
        site.stage(&mut batch);
        let change =
            |what: &str| AuditRecord::Change { what: what.to_owned(), subject: Some(origin.to_owned()) };
        if site.row.blocked != was.blocked {
            batch.note(change(if site.row.blocked { "site_blocked" } else { "site_unblocked" }));
        }
        if site.row.let_in != was.let_in {
            batch.note(change(if site.row.let_in { "site_let_in" } else { "site_not_let_in" }));
        }
        match core.commit(batch).await {
            Ok(()) => {}
            Err(StoreError::Conflict { .. }) => continue,
            Err(error) => return Err(error),
        }
        if site.row.blocked {
            // What it asks now is answered as what it would ask later.
            refuse_open(core, origin).await?;
        }
        let connected = core.connections.grant(origin).await?.is_some();
        let listed = core.site_lists.find(phishing::host(origin)).await?.blocked;
        return Ok(view(site.row, core.now(), listed, connected));
    }
}

/// GET `/api/sites/list`.
pub(crate) async fn view_list(core: &Core) -> Result<view::SiteList, StoreError> {
    Ok(view_head(core.site_lists.head().await?))
}

/// PUT `/api/sites/list`: the text of a list, in the place of the one that there is; empty for none.
pub(crate) async fn put_list(core: &Core, text: &str) -> Result<view::SiteList, ApiError> {
    let list = phishing::parse_list(text).map_err(|problem| ApiError::invalid("/text", problem))?;
    Ok(view_head(core.site_lists.replace(text, list).await?))
}

fn view_head(head: phishing::ListHead) -> view::SiteList {
    view::SiteList {
        count: head.count,
        allowed: head.allowed.len() as u64,
        protected: head.protected.len() as u64,
        digest: head.digest,
        updated_at: head.updated_at,
    }
}

/// Stages the removal of what is known of sites that have not asked for long.
pub(crate) async fn forget_old(core: &Core, batch: &mut Batch) -> Result<(), StoreError> {
    for site in core.sites.all().await? {
        if is_forgotten(&site.record, core.now()) {
            batch.expect(SITES, &site.key, Some(&site.text));
            batch.delete(SITES, &site.key);
        }
    }
    Ok(())
}
