//! The approval page by its test ids: in a tab, or in the window that the worker opens.

use crate::{Browser, Error, Page, Popup};
use std::ops::Deref;

/// The approval page: everything a [`Page`] can do, and the user's answers.
#[derive(Debug, Clone)]
pub struct Approval {
    page: Page,
}

impl Deref for Approval {
    type Target = Page;
    fn deref(&self) -> &Page {
        &self.page
    }
}

impl Browser {
    /// Opens the approval page in its own window, starting with this prompt.
    pub async fn approval(&self, prompt_id: &str) -> Result<Approval, Error> {
        let url = self.extension_url(&format!("approve.html?prompt={prompt_id}"));
        let page = self.open_window(&url).await?;
        page.controlled().await?;
        Ok(Approval { page })
    }

    /// All windows and tabs that show the approval page, also those that the worker opened.
    pub async fn approvals(&self) -> Result<Vec<Approval>, Error> {
        let address = self.extension_url("approve.html");
        let pages = self.pages().await?.into_iter();
        let asking = pages.filter(|(url, _)| url.starts_with(&address));
        Ok(asking.map(|(_, page)| Approval { page }).collect())
    }
}

impl Approval {
    /// Approves.
    pub async fn approve(&self) -> Result<(), Error> {
        self.click("prompt-approve").await
    }

    /// Rejects, with a reason for the sender.
    pub async fn reject(&self, reason: Option<&str>) -> Result<(), Error> {
        if let Some(reason) = reason {
            self.click("prompt-give-reason").await?;
            self.fill("prompt-reason", reason).await?;
        }
        self.click("prompt-reject").await
    }

    /// Submits the vault's password for the prompt, and keeps the vault unlocked if wanted.
    pub async fn give_password(&self, password: &str, keep_open: bool) -> Result<(), Error> {
        self.fill("prompt-password", password).await?;
        if keep_open {
            self.click("prompt-keep-unlocked").await?;
        }
        self.click("prompt-submit").await
    }
}

impl Popup {
    /// Opens the prompt of the first waiting card; the approval page replaces the popup in the tab.
    pub async fn review(&self) -> Result<Approval, Error> {
        self.click("card-review").await?;
        self.element("prompt-place").await?;
        Ok(Approval { page: Page::clone(self) })
    }
}
