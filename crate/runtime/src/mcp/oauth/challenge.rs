//! What a refused request means, and what an allowed one sends.

use super::header::Challenge;
use super::{AuthError, CHALLENGES, ServerAuth, scope};
use crate::Core;
use crate::secrets::committed;
use crate::secrets::tokens::{Holder, TokensRow};
use crate::store::{self, Batch, Durability, StoreError, Stored};
use derive::Record;
use wire::api::Millis;
use wire::pieces::{HeaderPieces, Piece};

/// How often a server may want more scopes within [`WINDOW`]: one that always wants more is refused.
const MAX_STEP_UPS: u32 = 3;
const WINDOW: Millis = 10 * 60_000;

/// What a server last said of the sign-in that it wants. Its own words.
#[derive(Debug, Clone, Default, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChallengeRow {
    /// Where its metadata are.
    pub(super) metadata_url: Option<String>,
    /// What its requests need.
    pub(super) scopes: Vec<String>,
    /// How often it wanted more than the token had, since `since`.
    step_ups: u32,
    since: Millis,
}

/// What comes after a request that was refused with 401 or 403.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// The same request with another token: [`crate::secrets::refill`], once.
    Renew,
    /// The user must sign in, or sign in again for these scopes. What the server asked for is kept for [`super::authorize::begin`].
    SignIn {
        /// What the server wants; empty if it did not say.
        scopes: Vec<String>,
    },
    /// No sign-in helps.
    Refused,
}

/// The header that requests to a server have, with a hole for the token; `None` if it is not signed in for the active vault.
/// The request is filled by [`crate::secrets::fill`] for the tool id [`ServerAuth::id`] and without a server of its own.
pub async fn authorization(core: &Core, server: &ServerAuth) -> Result<Option<HeaderPieces>, StoreError> {
    let value = vec![Piece::Text("Bearer ".to_owned()), Piece::OAuthToken];
    let header = HeaderPieces { name: "Authorization".to_owned(), value };
    Ok(tokens(core, server).await?.map(|_| header))
}

/// What a refusal means. `renewed` if the request had a token that was made for it after an earlier refusal.
pub async fn challenge(
    core: &Core,
    server: &ServerAuth,
    (status, www_authenticate): (u16, Option<&str>),
    renewed: bool,
) -> Result<Next, AuthError> {
    let asked = www_authenticate.and_then(Challenge::parse).unwrap_or_default();
    let tokens = tokens(core, server).await?.map(|tokens| *tokens.record);
    let wants_more = asked.error.as_deref() == Some("insufficient_scope");
    match (status, tokens) {
        (401 | 403, Some(tokens)) if wants_more => step_up(core, server, asked, &tokens).await,
        (401, Some(tokens)) if tokens.is_refreshable() && !renewed => Ok(Next::Renew),
        (401, _) => sign_in(core, server, asked).await,
        (403, None) if wants_more => sign_in(core, server, asked).await,
        _ => Ok(Next::Refused),
    }
}

/// The tokens that the active vault has for a server, if they are for its address.
async fn tokens(core: &Core, server: &ServerAuth) -> Result<Option<Stored<TokensRow>>, StoreError> {
    let Some(vault) = core.vaults.active().await? else { return Ok(None) };
    let holder = Holder { vault_id: vault.record.id(), tool_id: &server.id };
    let is_its = |row: &Stored<TokensRow>| {
        row.record.granted.as_ref().is_some_and(|granted| granted.audience == server.url)
    };
    Ok(holder.tokens(core).await?.filter(is_its))
}

async fn sign_in(core: &Core, server: &ServerAuth, asked: Challenge) -> Result<Next, AuthError> {
    let scopes = asked.scopes.clone();
    change(core, server, |row| {
        (row.metadata_url, row.scopes) = (asked.resource_metadata.clone(), asked.scopes.clone());
        true
    })
    .await?;
    Ok(Next::SignIn { scopes })
}

/// A token that is good for more: what was asked for before, and what is missing.
async fn step_up(
    core: &Core,
    server: &ServerAuth,
    asked: Challenge,
    tokens: &TokensRow,
) -> Result<Next, AuthError> {
    // It has all of this, and is refused all the same.
    if !asked.scopes.is_empty() && asked.scopes.iter().all(|scope| tokens.scopes().contains(scope)) {
        return Ok(Next::Refused);
    }
    let now = core.now();
    let counted = change(core, server, |row| {
        if row.step_ups == 0 || now.saturating_sub(row.since) >= WINDOW {
            (row.step_ups, row.since) = (0, now);
        }
        row.step_ups += 1;
        row.metadata_url.clone_from(&asked.resource_metadata);
        row.scopes.clone_from(&asked.scopes);
        row.step_ups <= MAX_STEP_UPS
    });
    if !counted.await? {
        return Ok(Next::Refused);
    }
    let before = tokens.granted.as_ref().map_or(&[][..], |granted| &granted.asked);
    Ok(Next::SignIn { scopes: scope::union(before, asked.scopes.iter().map(String::as_str)) })
}

/// What the server last asked for.
pub(super) async fn asked(core: &Core, server: &ServerAuth) -> Result<ChallengeRow, StoreError> {
    let row = store::get(core.database.store(), CHALLENGES, &server.id).await?;
    Ok(row.map(|row| *row.record).unwrap_or_default())
}

/// The user signed in: what was asked for is done. How often more was wanted stays counted.
pub(super) async fn done(core: &Core, server: &ServerAuth) -> Result<(), StoreError> {
    let clear = |row: &mut ChallengeRow| {
        row.scopes.clear();
        true
    };
    change(core, server, clear).await.map(drop)
}

/// Changes what is kept of a server's challenges, if the change says so; whether it did.
async fn change(
    core: &Core,
    server: &ServerAuth,
    change: impl Fn(&mut ChallengeRow) -> bool,
) -> Result<bool, StoreError> {
    loop {
        let stored = store::get(core.database.store(), CHALLENGES, &server.id).await?;
        let mut row = stored.as_ref().map(|stored| (*stored.record).clone()).unwrap_or_default();
        let before = row.clone();
        if !change(&mut row) {
            return Ok(false);
        }
        if row == before {
            return Ok(true);
        }
        let mut batch = Batch::new(Durability::Relaxed);
        batch.expect(CHALLENGES, &server.id, stored.as_ref().map(|stored| stored.text.as_str()));
        batch.put(CHALLENGES, &server.id, &row);
        if committed(core, batch).await? {
            return Ok(true);
        }
    }
}
