//! A dapp of others is driven by its buttons; what it shows is what it got.

use crate::Court;
use crate::report::{Case, Report};
use crate::user::{Does, attends};
use anyhow::{Result, ensure};
use std::time::Instant;
use webdriver::{Dapp, Error};

/// What an element shows in the end.
#[derive(Debug, Clone)]
pub(crate) enum Shows {
    /// A text that begins so.
    Begins(&'static str),
    /// A text with this in it, in any case of letters.
    Has(String),
    /// A text of this many characters or more.
    Long(usize),
    /// This and nothing else, in any case of letters.
    Is(String),
}

impl Shows {
    fn fits(&self, text: &str) -> bool {
        match self {
            Self::Begins(begin) => text.starts_with(begin),
            Self::Has(part) => text.to_lowercase().contains(&part.to_lowercase()),
            Self::Long(length) => text.len() >= *length,
            Self::Is(whole) => text.eq_ignore_ascii_case(whole),
        }
    }
}

/// One press of a button and its end.
pub(crate) struct Click<'a> {
    name: &'a str,
    method: &'a str,
    result: &'a str,
    press: &'a [&'a str],
    user: &'a [Does],
    at: &'a str,
    shows: Shows,
    mines: u64,
    is_output: bool,
}

impl<'a> Click<'a> {
    /// Buttons that are pressed one after the other, and an element that shows this in the end. Those that begin with `!` are there
    /// for tests, not shown, and pressed by a script.
    pub(crate) fn new(
        name: &'a str,
        method: &'a str,
        press: &'a [&'a str],
        (at, shows): (&'a str, Shows),
    ) -> Self {
        let (user, result) = (&[], "answered");
        Self { name, method, result, press, user, at, shows, mines: 0, is_output: false }
    }

    /// The user approves so many prompts.
    pub(crate) fn approved(self, prompts: usize) -> Self {
        const APPROVALS: [Does; 10] = [Does::Approves; 10];
        Self { user: APPROVALS.get(..prompts).unwrap_or(&APPROVALS), ..self }
    }

    /// How many transactions the account mines; the user approves each.
    pub(crate) fn mines(self, transactions: u64) -> Self {
        Self { mines: transactions, ..self.approved(usize::try_from(transactions).unwrap_or_default()) }
    }

    /// What the table says of it, if it is refused.
    pub(crate) fn refused(self, result: &'a str) -> Self {
        Self { result, ..self }
    }

    /// The element shows nothing but the end: what it shows of an earlier press is removed.
    pub(crate) fn output(self) -> Self {
        Self { is_output: true, ..self }
    }
}

/// Presses and waits, and records the case.
pub(crate) async fn click(court: &Court, dapp: &Dapp, judge: &str, click: Click<'_>, report: &mut Report) {
    let case = Case { judge, name: click.name, method: click.method, result: click.result };
    let begun = Instant::now();
    let ended = run(court, dapp, &click).await;
    report.record(&case, begun, ended);
}

async fn run(court: &Court, dapp: &Dapp, click: &Click<'_>) -> Result<()> {
    let nonce = async || Ok::<_, anyhow::Error>(court.wallet.node()?.nonce(court.wallet.address()).await?);
    let before = nonce().await?;
    if click.is_output {
        let clear = "const e = document.querySelector(args[0]); if (e) e.textContent = ''";
        dapp.run(clear, vec![click.at.into()]).await?;
    }
    for selector in click.press {
        match selector.strip_prefix('!') {
            None => dapp.press(selector).await?,
            Some(hidden) => {
                dapp.run("document.querySelector(args[0]).click()", vec![hidden.into()]).await?;
            }
        }
    }
    let mut last = String::new();
    let shown = attends(&court.wallet, click.user, false, async || {
        last = dapp.text(click.at).await.unwrap_or_default();
        let mined = match click.mines {
            0 => 0,
            _ => court.wallet.node()?.nonce(court.wallet.address()).await? - before,
        };
        Ok::<_, Error>((click.shows.fits(&last) && mined >= click.mines).then_some(()))
    })
    .await;
    shown.map_err(|error| error.context(format!("{} shows {last:?}, not {:?}", click.at, click.shows)))?;
    let mined = nonce().await? - before;
    ensure!(mined == click.mines, "{mined} transactions were mined, not {}", click.mines);
    Ok(())
}
