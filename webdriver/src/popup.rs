//! The popup by its test ids (opened as a tab; the same page).

use crate::wait::{TIMEOUT, not_yet, until};
use crate::{Error, Page};
use serde_json::Value;
use std::ops::Deref;

/// The popup in a tab: everything a [`Page`] can do, and what a user does in the wallet.
#[derive(Debug, Clone)]
pub struct Popup {
    page: Page,
}

/// An action as the popup shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    /// The action id from the backend.
    pub action_id: String,
    /// `running`, `done`, `failed`, …
    pub state: String,
    /// The whole text of the card.
    pub text: String,
}

/// A message of the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// `user` or `agent`.
    pub role: String,
    /// The text.
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

    /// The boot id of the running worker; a stopped worker is started.
    pub async fn boot_id(&self) -> Result<String, Error> {
        let (status, health) = self.fetch("GET", "/api/health", None).await?;
        let id = health.get("bootId").and_then(Value::as_str);
        id.map(str::to_owned).ok_or_else(|| Error::Input(format!("GET /api/health gave {status} {health}")))
    }

    /// Opens `agent`, `wallet`, `contacts`, `activity` or `settings`.
    pub async fn go(&self, place: &str) -> Result<(), Error> {
        self.click(&format!("nav-{place}")).await
    }

    /// Loads the popup again after another page replaced it in the tab.
    pub async fn reopen(&self) -> Result<(), Error> {
        let url = self.url().await?;
        let folder = url.rsplit_once('/').map_or(url.as_str(), |(folder, _)| folder);
        let popup = format!("{folder}/popup.html?view=tab");
        self.goto(&format!("{popup}#agent")).await?;
        if url.split('#').next() == Some(popup.as_str()) {
            // Only the place in the page is another: the browser has loaded nothing.
            self.reload().await?;
        }
        self.controlled().await?;
        self.element("composer").await.map(|_| ())
    }

    /// Sends a message to the agent.
    pub async fn send_message(&self, text: &str) -> Result<(), Error> {
        self.fill("composer", text).await?;
        self.click("composer-send").await
    }

    /// The action cards, in document order.
    pub async fn cards(&self) -> Result<Vec<Card>, Error> {
        let rows = self.rows("action-card", &["actionId", "state"]).await?;
        let card = |row: Vec<String>| match <[String; 3]>::try_from(row) {
            Ok([action_id, state, text]) => Some(Card { action_id, state, text }),
            Err(_) => None,
        };
        Ok(rows.into_iter().filter_map(card).collect())
    }

    /// Waits until there are this many cards and none is running. Returns them.
    pub async fn settled_cards(&self, count: usize) -> Result<Vec<Card>, Error> {
        until(&format!("{count} settled action cards"), TIMEOUT, async || {
            let cards = self.cards().await?;
            let settled = cards.iter().all(|card| matches!(card.state.as_str(), "done" | "failed"));
            if cards.len() == count && settled { Ok(cards) } else { Err(not_yet(cards)) }
        })
        .await
    }

    /// The messages of the conversation.
    pub async fn messages(&self) -> Result<Vec<Message>, Error> {
        let rows = self.rows("message", &["role"]).await?;
        let said = |row: Vec<String>| match <[String; 2]>::try_from(row) {
            Ok([role, text]) => Some(Message { role, text }),
            Err(_) => None,
        };
        Ok(rows.into_iter().filter_map(said).collect())
    }

    /// Approves the shown prompt.
    pub async fn approve(&self) -> Result<(), Error> {
        self.click("prompt-approve").await
    }

    /// Rejects the shown prompt.
    pub async fn reject(&self) -> Result<(), Error> {
        self.click("prompt-reject").await
    }

    /// The text of every shown contact.
    pub async fn contacts(&self) -> Result<Vec<String>, Error> {
        self.texts("contact-row").await
    }

    /// The text of every shown chain, with its tokens.
    pub async fn chains(&self) -> Result<Vec<String>, Error> {
        self.texts("wallet-chain").await
    }

    /// The text of every shown token.
    pub async fn tokens(&self) -> Result<Vec<String>, Error> {
        self.texts("wallet-token").await
    }

    /// Adds a chain by the form.
    pub async fn add_chain(&self, name: &str) -> Result<(), Error> {
        self.fill("wallet-add-chain", name).await?;
        self.click("wallet-add-submit").await
    }

    /// Types into the search of contacts.
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

    /// Sets the backend on the settings page.
    pub async fn set_backend(&self, url: &str, token: Option<&str>) -> Result<(), Error> {
        self.go("settings").await?;
        self.fill("settings-backend-url", url).await?;
        if let Some(token) = token {
            self.fill("settings-backend-token", token).await?;
        }
        self.click("settings-save").await
    }

    /// The text of an empty page.
    pub async fn empty_state(&self) -> Result<Option<String>, Error> {
        Ok(self.texts("empty-state").await?.into_iter().next())
    }

    /// For every element with a test id: the named `data-` attributes, then the text.
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
