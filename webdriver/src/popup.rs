//! The popup, by its contract of test ids (open as a tab; the same page).

use crate::wait::{TIMEOUT, not_yet, until};
use crate::{Error, Page};
use serde_json::Value;
use std::ops::Deref;

/// The popup in a tab. Everything a [`Page`] can do, and what a person does in the wallet.
#[derive(Debug, Clone)]
pub struct Popup {
    page: Page,
}

/// An action as the popup shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    /// The id the backend gave it.
    pub action_id: String,
    /// `running`, `done`, `failed`, …
    pub state: String,
    /// All that is written on the card.
    pub text: String,
}

/// Something said in the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// `user` or `agent`.
    pub role: String,
    /// What.
    pub text: String,
}

impl Deref for Popup {
    type Target = Page;
    fn deref(&self) -> &Page {
        &self.page
    }
}

impl Popup {
    pub(crate) async fn new(page: Page) -> Result<Self, Error> {
        page.controlled().await?;
        Ok(Self { page })
    }

    /// The id of the worker's present life; asking starts one if there is none.
    pub async fn boot_id(&self) -> Result<String, Error> {
        let (status, health) = self.fetch("GET", "/api/health", None).await?;
        let id = health.get("bootId").and_then(Value::as_str);
        id.map(str::to_owned).ok_or_else(|| Error::Input(format!("GET /api/health gave {status} {health}")))
    }

    /// Goes to `agent`, `wallet`, `contacts`, `activity` or `settings`.
    pub async fn go(&self, place: &str) -> Result<(), Error> {
        self.click(&format!("nav-{place}")).await
    }

    /// Loads the conversation again, where another page of ours took the popup's place in the tab.
    pub async fn come_back(&self) -> Result<(), Error> {
        let url = self.url().await?;
        let folder = url.rsplit_once('/').map_or(url.as_str(), |(folder, _)| folder);
        self.goto(&format!("{folder}/popup.html?view=tab#agent")).await?;
        self.controlled().await?;
        self.element("composer").await.map(|_| ())
    }

    /// Says something to the agent.
    pub async fn send_message(&self, text: &str) -> Result<(), Error> {
        self.fill("composer", text).await?;
        self.click("composer-send").await
    }

    /// The actions shown, in the order of the page.
    pub async fn cards(&self) -> Result<Vec<Card>, Error> {
        let rows = self.rows("action-card", &["actionId", "state"]).await?;
        let card = |row: Vec<String>| match <[String; 3]>::try_from(row) {
            Ok([action_id, state, text]) => Some(Card { action_id, state, text }),
            Err(_) => None,
        };
        Ok(rows.into_iter().filter_map(card).collect())
    }

    /// Waits until the cards are as many as that and none of them is still at work; returns them.
    pub async fn settled_cards(&self, count: usize) -> Result<Vec<Card>, Error> {
        until(&format!("{count} settled action cards"), TIMEOUT, async || {
            let cards = self.cards().await?;
            let settled = cards.iter().all(|card| matches!(card.state.as_str(), "done" | "failed"));
            if cards.len() == count && settled { Ok(cards) } else { Err(not_yet(cards)) }
        })
        .await
    }

    /// The conversation as shown.
    pub async fn messages(&self) -> Result<Vec<Said>, Error> {
        let rows = self.rows("message", &["role"]).await?;
        let said = |row: Vec<String>| match <[String; 2]>::try_from(row) {
            Ok([role, text]) => Some(Said { role, text }),
            Err(_) => None,
        };
        Ok(rows.into_iter().filter_map(said).collect())
    }

    /// Approves the prompt that is shown.
    pub async fn approve(&self) -> Result<(), Error> {
        self.click("prompt-approve").await
    }

    /// Rejects the prompt that is shown.
    pub async fn reject(&self) -> Result<(), Error> {
        self.click("prompt-reject").await
    }

    /// The text of every contact shown.
    pub async fn contacts(&self) -> Result<Vec<String>, Error> {
        self.texts("contact-row").await
    }

    /// The text of every chain of the wallet shown, with its tokens.
    pub async fn chains(&self) -> Result<Vec<String>, Error> {
        self.texts("wallet-chain").await
    }

    /// Adds a chain by the form.
    pub async fn add_chain(&self, name: &str) -> Result<(), Error> {
        self.fill("wallet-add-chain", name).await?;
        self.click("wallet-add-submit").await
    }

    /// Types into the contacts' search.
    pub async fn search(&self, text: &str) -> Result<(), Error> {
        self.fill("contacts-search", text).await
    }

    /// Adds a contact by the form.
    pub async fn add_contact(&self, title: &str, address: &str, chain: &str) -> Result<(), Error> {
        self.fill("contact-add-title", title).await?;
        self.fill("contact-add-address", address).await?;
        self.fill("contact-add-chain", chain).await?;
        self.click("contact-add-submit").await
    }

    /// Points the wallet at a backend, by the settings page.
    pub async fn set_backend(&self, url: &str, token: Option<&str>) -> Result<(), Error> {
        self.go("settings").await?;
        self.fill("settings-backend-url", url).await?;
        if let Some(token) = token {
            self.fill("settings-backend-token", token).await?;
        }
        self.click("settings-save").await
    }

    /// What the page says where there is nothing to show.
    pub async fn empty_state(&self) -> Result<Option<String>, Error> {
        Ok(self.texts("empty-state").await?.into_iter().next())
    }

    /// Of every element with a test id: the named `data-` attributes, then the text.
    async fn rows(&self, test_id: &str, data: &[&str]) -> Result<Vec<Vec<String>>, Error> {
        let body = "return [...document.querySelectorAll(`[data-testid=\"${args[0]}\"]`)]
            .map((e) => [...args[1].map((name) => e.dataset[name] ?? ''), e.innerText.trim()])";
        let rows = self.run(body, vec![test_id.into(), data.into()]).await?;
        let strings = |row: &Value| row.as_array().into_iter().flatten().map(text).collect();
        Ok(rows.as_array().into_iter().flatten().map(strings).collect())
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
