//! Passwords of vaults: one attempt at a time, and from the third wrong one on a wait that grows. The counts are in the
//! store, so that a restart forgets none. The user is never locked out: the longest wait is a minute.

use super::error::RefusalKind;
use super::{VAULTS, VaultError, Vaults, noted};
use crate::store::{Batch, Durability, Reads, Stored, owned_tables};
use derive::Record;
use wire::api::Millis;
use wire::signer::{KeyRequest, Reply};
use wire::vault::Vault;

owned_tables! {
    /// Vault id → wrong passwords since the last right one.
    ATTEMPTS: AttemptsRight = Attempts, Attempts;
}

/// So many wrong passwords cost no wait: typing errors are common.
const FREE: u32 = 2;
const FIRST_WAIT: Millis = 1_000;
const LONGEST_WAIT: Millis = 60_000;

/// Wrong passwords since the last right one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Attempts {
    failures: u32,
    not_before: Millis,
}

impl Attempts {
    /// After one more wrong password.
    fn failed(self, now: Millis) -> Self {
        let failures = self.failures.saturating_add(1);
        let wait = match failures.checked_sub(FREE + 1) {
            None => 0,
            Some(doublings) => FIRST_WAIT.saturating_mul(2_u64.saturating_pow(doublings)).min(LONGEST_WAIT),
        };
        Self { failures, not_before: now + wait }
    }

    /// How long the next attempt must wait. A wait above the longest one means that the clock was set back, which must
    /// not lock the user out.
    fn wait(self, now: Millis) -> Option<Millis> {
        let left = self.not_before.saturating_sub(now);
        (1..=LONGEST_WAIT).contains(&left).then_some(left)
    }
}

/// Makes the request to the signer from a vault and its sealed secrets. A value, not a type of each caller: the function that
/// takes it is in the module once.
pub(super) type MakeRequest<'a> = Box<dyn FnOnce(&Vault, String) -> KeyRequest + 'a>;

impl Vaults {
    /// Sends the signer a request that takes a vault's password. A wrong one is counted at once; that a right one was
    /// given is staged, together with what the caller does with it.
    pub(super) async fn ask_with_password(
        &self,
        vault_id: &str,
        request: MakeRequest<'_>,
        batch: &mut Batch,
    ) -> Result<(Stored<Vault>, Reply), VaultError> {
        // Guesses made at once would all be tried before the first of them is counted.
        let _alone = self.host.lock(&format!("password/{vault_id}")).await;
        let mut reads = Reads::new();
        let (vault, attempts) = (reads.get(VAULTS, vault_id), reads.get(ATTEMPTS, vault_id));
        let snapshot = reads.from(self.database.store()).await?;
        let vault = snapshot.one(vault)?.ok_or(VaultError::VaultNotFound)?;
        let attempts = snapshot.one(attempts)?.map(|stored| *stored.record);
        let sealed = vault.record.sealed.clone().ok_or(VaultError::WatchOnly)?;
        if let Some(retry_after) = attempts.and_then(|attempts| attempts.wait(self.host.now())) {
            return Err(VaultError::TooManyAttempts { retry_after });
        }
        match self.signer.ask(request(&vault.record, sealed).into()).await {
            Ok(reply) => {
                if attempts.is_some() {
                    batch.delete(ATTEMPTS, vault_id);
                }
                Ok((vault, reply))
            }
            Err(refusal) if RefusalKind::of(&refusal) == RefusalKind::WrongPassword => {
                let attempts = attempts.unwrap_or_default().failed(self.host.now());
                let mut count = Batch::new(Durability::Strict);
                count.put(ATTEMPTS, vault_id, &attempts);
                count.note(noted("wrong_password", vault_id));
                self.database.commit(count).await?;
                Err(VaultError::WrongPassword { retry_after: attempts.wait(self.host.now()) })
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
    fn clock_set_back_does_not_lock_out() {
        let attempts = Attempts { failures: 9, not_before: 100_000 };
        assert_eq!(
            [39_999, 40_000, 99_999, 100_000].map(|now| attempts.wait(now)),
            [None, Some(60_000), Some(1), None]
        );
    }
}
