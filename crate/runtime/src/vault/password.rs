//! Passwords of vaults: one attempt at a time, and from the third wrong one on a wait that grows. What was counted is
//! in the store, so that a restart forgets nothing. The data are never locked away: the longest wait is a minute.

use super::noted;
use crate::Core;
use crate::http::ApiError;
use crate::store::{Batch, Durability, StoreError, Stored, Table, read};
use derive::Record;
use wire::api::Millis;
use wire::signer::{Refusal, Reply, Request};
use wire::vault::Vault;

/// So many wrong passwords are free: anybody mistypes.
const FREE: u32 = 2;
const FIRST_WAIT: Millis = 1_000;
const LONGEST_WAIT: Millis = 60_000;

/// Why a vault did not open.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnlockError {
    /// It was deleted, or never was.
    #[error("there is no such vault")]
    VaultNotFound,
    /// It has public keys alone.
    #[error("this vault only watches: it has no secret, and no password")]
    WatchOnly,
    /// Not the password.
    #[error("the password is wrong")]
    WrongPassword {
        /// How long the next attempt must wait.
        retry_after: Option<Millis>,
    },
    /// The password was not looked at: it came too soon after wrong ones.
    #[error("too many wrong passwords: wait a moment")]
    TooManyAttempts {
        /// How long the next attempt must wait.
        retry_after: Millis,
    },
    /// The browser did not keep the opened copy.
    #[error("the browser has no room to keep the vault open")]
    SessionFull,
    /// The signer refused for another reason.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl UnlockError {
    /// Stable code for boundaries.
    pub fn code(&self) -> &str {
        match self {
            Self::VaultNotFound => "vault_not_found",
            Self::WatchOnly => "watch_only",
            Self::WrongPassword { .. } => "wrong_password",
            Self::TooManyAttempts { .. } => "too_many_attempts",
            Self::SessionFull => "session_full",
            Self::Refused(refusal) => &refusal.code,
            Self::Store(error) => error.code(),
        }
    }
}

impl From<UnlockError> for ApiError {
    fn from(error: UnlockError) -> Self {
        let (status, retry_after) = match &error {
            UnlockError::VaultNotFound => (404, None),
            UnlockError::WatchOnly => (409, None),
            UnlockError::WrongPassword { retry_after } => (403, *retry_after),
            UnlockError::TooManyAttempts { retry_after } => (429, Some(*retry_after)),
            UnlockError::SessionFull => (503, None),
            UnlockError::Refused(refusal) => return refused(refusal.clone()),
            UnlockError::Store(error) => return error.clone().into(),
        };
        let path = matches!(status, 403 | 429).then(|| "/password".to_owned());
        Self { retry_after, path, ..Self::new(status, error.code().to_owned(), error.to_string()) }
    }
}

/// What the signer will not do, as a page is told.
pub(crate) fn refused(refusal: Refusal) -> ApiError {
    let status = match refusal.code.as_str() {
        "wrong_password" | "wrong_file_password" => 403,
        "signer_unavailable" | "out_of_memory" | "no_randomness" => 503,
        _ => 400,
    };
    let path = refusal.field.map(|field| format!("/{field}"));
    ApiError { path, ..ApiError::new(status, refusal.code, refusal.message) }
}

/// A reply to another question than was asked: the signer is of another version.
pub(super) fn unexpected() -> Refusal {
    Refusal {
        code: "signer_unavailable".to_owned(),
        message: "the signer answered something else".to_owned(),
        step: None,
        field: None,
    }
}

/// Wrong passwords since the last right one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Record)]
#[serde(rename_all = "camelCase")]
struct Attempts {
    failures: u32,
    not_before: Millis,
}

impl Attempts {
    /// One more.
    fn failed(self, now: Millis) -> Self {
        let failures = self.failures.saturating_add(1);
        let wait = match failures.checked_sub(FREE + 1) {
            None => 0,
            Some(doublings) => FIRST_WAIT.saturating_mul(2_u64.saturating_pow(doublings)).min(LONGEST_WAIT),
        };
        Self { failures, not_before: now + wait }
    }

    /// How long the next attempt must wait. Longer than we ever ask for can only mean that the clock was set back,
    /// and nobody is locked out for that.
    fn wait(self, now: Millis) -> Option<Millis> {
        let left = self.not_before.saturating_sub(now);
        (1..=LONGEST_WAIT).contains(&left).then_some(left)
    }
}

fn attempts_key(vault_id: &str) -> String {
    format!("attempts/{vault_id}")
}

impl Core {
    /// Asks the signer something that takes a vault's password. A wrong one is counted at once; that a right one was
    /// given is staged, with whatever the caller does about it.
    pub(super) async fn with_password(
        &self,
        vault_id: &str,
        request: impl FnOnce(&Vault, String) -> Request,
        batch: &mut Batch,
    ) -> Result<(Stored<Vault>, Reply), UnlockError> {
        // Many guesses at once would all be made before the first of them is counted.
        let _alone = self.ports.host.lock(&format!("password/{vault_id}")).await;
        let store = &*self.ports.store;
        let vault = read::<Vault>(store, Table::Vaults, vault_id).await?.ok_or(UnlockError::VaultNotFound)?;
        let sealed = vault.record.sealed.clone().ok_or(UnlockError::WatchOnly)?;
        let key = attempts_key(vault_id);
        let attempts = read::<Attempts>(store, Table::Counters, &key).await?.map(|stored| stored.record);
        if let Some(retry_after) = attempts.and_then(|attempts| attempts.wait(self.now())) {
            return Err(UnlockError::TooManyAttempts { retry_after });
        }
        match self.ports.signer.ask(request(&vault.record, sealed)).await {
            Ok(reply) => {
                if attempts.is_some() {
                    batch.delete(Table::Counters, &key);
                }
                Ok((vault, reply))
            }
            Err(refusal) if refusal.code == "wrong_password" => {
                let attempts = attempts.unwrap_or_default().failed(self.now());
                let mut count = Batch::new(Durability::Strict);
                count.put(Table::Counters, &key, &attempts);
                count.note(noted("wrong_password", vault_id));
                self.commit(count).await?;
                Err(UnlockError::WrongPassword { retry_after: attempts.wait(self.now()) })
            }
            Err(refusal) => Err(refusal.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_doubles_up_to_a_minute() {
        let mut attempts = Attempts::default();
        let waits: Vec<Millis> = (0..12)
            .map(|_| {
                attempts = attempts.failed(5);
                attempts.wait(5).unwrap_or(0) / 1_000
            })
            .collect();
        assert_eq!(waits, [0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60, 60]);
        let many = Attempts { failures: u32::MAX, not_before: 0 }.failed(5);
        assert_eq!(many, Attempts { failures: u32::MAX, not_before: 60_005 });
    }

    #[test]
    fn a_clock_that_was_set_back_locks_nobody_out() {
        let attempts = Attempts { failures: 9, not_before: 100_000 };
        assert_eq!(
            [39_999, 40_000, 99_999, 100_000].map(|now| attempts.wait(now)),
            [None, Some(60_000), Some(1), None]
        );
    }
}
