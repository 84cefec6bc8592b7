//! The user who answers the wallet's prompts while a judge waits.

use anyhow::{Result, bail};
use std::time::Duration;
use tokio::time::{Instant, sleep};
use webdriver::{Error, Wallet};

/// What the user does at a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Does {
    Approves,
    Rejects,
}

/// How long a case may take.
const TIMEOUT: Duration = Duration::from_secs(40);

/// Answers the prompts in this order until the judge has its outcome; the last answer is given again if `again` is set. Fails
/// if a prompt comes that is not expected, or one is missing; then no prompt is left for the next case.
pub(crate) async fn attends<T>(
    wallet: &Wallet,
    answers: &[Does],
    again: bool,
    outcome: impl AsyncFnMut() -> Result<Option<T>, Error>,
) -> Result<T> {
    let ended = answer_until(wallet, answers, again, outcome).await;
    if ended.is_err() {
        reject_what_is_left(wallet).await?;
    }
    ended
}

async fn reject_what_is_left(wallet: &Wallet) -> Result<()> {
    while let Some(window) = wallet.asking().await? {
        wallet.reject_in(&window).await?;
    }
    Ok(())
}

async fn answer_until<T>(
    wallet: &Wallet,
    answers: &[Does],
    again: bool,
    mut outcome: impl AsyncFnMut() -> Result<Option<T>, Error>,
) -> Result<T> {
    let deadline = Instant::now() + TIMEOUT;
    let mut given = 0;
    loop {
        if let Some(outcome) = outcome().await? {
            if given < answers.len() && !again {
                bail!("it ended after {given} of {} prompts", answers.len());
            }
            return Ok(outcome);
        }
        if let Some(window) = wallet.asking().await? {
            let next = if again { answers.last() } else { answers.get(given) };
            match next {
                Some(Does::Approves) => wallet.approve_in(&window).await?,
                Some(Does::Rejects) => wallet.reject_in(&window).await?,
                None => {
                    let shown = window.run("return document.body.innerText", vec![]).await?;
                    bail!("a prompt that was not expected: {shown}");
                }
            }
            given += 1;
        }
        if Instant::now() > deadline {
            bail!("no outcome after {TIMEOUT:?} and {given} prompts");
        }
        sleep(Duration::from_millis(30)).await;
    }
}
