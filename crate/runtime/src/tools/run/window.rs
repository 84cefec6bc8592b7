//! How often a tool may be called in a minute (T002-83): the times of its calls, on disk, so that a restart forgets none.

use super::error::RunError;
use crate::Core;
use crate::ports::Lock;
use crate::store::{self, Batch, StoreError, owned_tables};
use wire::api::Millis;

owned_tables! {
    /// Tool id → when it was called, within a minute.
    WINDOWS: ToolWindowsRight = ToolWindows, Vec<Millis>;
}

const MINUTE: Millis = 60_000;

/// The calls of a tool within the last minute.
pub(super) struct Window {
    times: Vec<Millis>,
    text: Option<String>,
    /// No other call is counted meanwhile.
    _alone: Option<Lock>,
}

impl Window {
    /// The calls up to now, to be counted with the next.
    pub(super) async fn open(core: &Core, tool_id: &str) -> Result<Self, StoreError> {
        let alone = core.ports.host.lock(&["tool-window/", tool_id].concat()).await;
        Ok(Self { _alone: Some(alone), ..Self::read(core, tool_id).await? })
    }

    async fn read(core: &Core, tool_id: &str) -> Result<Self, StoreError> {
        let stored = store::get(core.database.store(), WINDOWS, tool_id).await?;
        let (times, text) = stored.map_or((Vec::new(), None), |stored| (*stored.record, Some(stored.text)));
        Ok(Self { times: within(times, core.now()), text, _alone: None })
    }

    /// Fails if there were as many calls as may be.
    pub(super) fn check(&self, most: u32, now: Millis) -> Result<(), RunError> {
        let most = most as usize;
        match self.times.len().checked_sub(most).and_then(|first| self.times.get(first)) {
            Some(first) => Err(RunError::RateLimited { most, millis: (first + MINUTE).saturating_sub(now) }),
            None => Ok(()),
        }
    }

    /// Stages one more.
    pub(super) fn stage(mut self, tool_id: &str, now: Millis, batch: &mut Batch) -> Option<Lock> {
        self.times.push(now);
        batch.expect(WINDOWS, tool_id, self.text.as_deref());
        batch.put(WINDOWS, tool_id, &self.times);
        self._alone
    }
}

/// Fails if a tool was called as often as may be.
pub(super) async fn check(core: &Core, tool_id: &str, most: u32) -> Result<Result<(), RunError>, StoreError> {
    Ok(Window::read(core, tool_id).await?.check(most, core.now()))
}

/// Stages that a tool is gone.
pub(crate) fn stage_tool_removed(tool_id: &str, batch: &mut Batch) {
    batch.delete(WINDOWS, tool_id);
}

/// The times within a minute, oldest first. What a clock that was set back left in the future does not count.
fn within(mut times: Vec<Millis>, now: Millis) -> Vec<Millis> {
    times.retain(|time| *time <= now && now - *time < MINUTE);
    times
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(times: &[Millis], now: Millis) -> Window {
        Window { times: within(times.to_vec(), now), text: None, _alone: None }
    }

    /// T002-83: the window slides: each call counts for a minute from its own time.
    #[test]
    fn each_call_counts_for_a_minute() {
        let times = [1_000, 2_000, 3_000];
        let wait = |most, now| match window(&times, now).check(most, now) {
            Ok(()) => 0,
            Err(RunError::RateLimited { millis, .. }) => millis,
            Err(other) => panic!("{other}"),
        };
        assert_eq!((wait(4, 3_000), wait(3, 3_000), wait(2, 3_000)), (0, 58_000, 59_000));
        assert_eq!((wait(3, 60_999), wait(3, 61_000), wait(2, 61_000)), (1, 0, 1_000));
        assert_eq!(wait(1, 500), 0, "the clock was set back");
        assert_eq!(wait(1, 900_000), 0);
    }
}
