//! Passwords of vaults: one attempt at a time, and from the third wrong one on a wait that grows. The count is in the
//! store, so that a restart forgets none. The user is never locked out: the longest wait is a minute.
//!
//! The wait is time that this worker has run ([`crate::ports::Host::monotonic`]), not time of the clock: setting the clock
//! back or forward neither shortens nor lengthens it. A worker that starts anew knows nothing of the time before, and its
//! wait begins with it: a restart costs at most one more wait. So that an idle worker is not stopped in the middle of a
//! wait, it is kept alive until the end.

use super::error::RefusalKind;
use super::{VAULTS, VaultError, Vaults, noted};
use crate::ports::Task;
use crate::store::{Batch, Durability, Reads, Stored, owned_tables};
use derive::Record;
use std::rc::Rc;
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
pub(crate) struct Attempts {
    failures: u32,
}

impl Attempts {
    /// After one more wrong password.
    const fn failed(self) -> Self {
        Self { failures: self.failures.saturating_add(1) }
    }

    /// How long the next attempt must wait after the last one.
    fn wait(self) -> Millis {
        match self.failures.checked_sub(FREE + 1) {
            None => 0,
            Some(doublings) => FIRST_WAIT.saturating_mul(2_u64.saturating_pow(doublings)).min(LONGEST_WAIT),
        }
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
        if let Some(retry_after) = self.wait_left(vault_id, attempts.unwrap_or_default()) {
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
                let attempts = attempts.unwrap_or_default().failed();
                let mut count = Batch::new(Durability::Strict);
                count.put(ATTEMPTS, vault_id, &attempts);
                count.note(noted("wrong_password", vault_id));
                self.database.commit(count).await?;
                self.last_wrong.borrow_mut().insert(vault_id.to_owned(), self.host.monotonic());
                Err(VaultError::WrongPassword { retry_after: self.wait_left(vault_id, attempts) })
            }
            Err(refusal) => Err(refusal.into()),
        }
    }

    /// How much of the wait is left in this worker, which is kept alive until its end.
    fn wait_left(&self, vault_id: &str, attempts: Attempts) -> Option<Millis> {
        let since = self.last_wrong.borrow().get(vault_id).copied().unwrap_or(0);
        let until = since + attempts.wait();
        let left = until.checked_sub(self.host.monotonic()).filter(|left| *left > 0)?;
        let host = Rc::clone(&self.host);
        let sleep = move || {
            let host = Rc::clone(&host);
            Box::pin(async move { host.sleep(left).await }) as Task
        };
        self.work.spawn_single("password wait".to_owned(), Box::new(sleep));
        Some(left)
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
                attempts = attempts.failed();
                attempts.wait() / 1_000
            })
            .collect();
        assert_eq!(waits, [0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60, 60]);
        let many = Attempts { failures: u32::MAX }.failed();
        assert_eq!((many.failures, many.wait()), (u32::MAX, 60_000));
    }

    /// Earlier versions also kept the time at which the wait ended.
    #[test]
    fn earlier_counts_are_read() {
        let earlier = r#"{"failures":5,"notBefore":1700000000000}"#;
        assert_eq!(wire::json::from_text::<Attempts>(earlier).unwrap(), Attempts { failures: 5 });
    }
}
