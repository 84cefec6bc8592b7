//! The page that asks, by its contract of test ids: in a tab, or in the window that the worker opens for it.

use crate::{Browser, Error, Page, Popup};
use std::ops::Deref;

/// The approval page. Everything a [`Page`] can do, and what a person answers there.
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
    /// Opens the questions in a window of their own, beginning with this one.
    pub async fn approval(&self, prompt_id: &str) -> Result<Approval, Error> {
        let url = self.extension_url(&format!("approve.html?prompt={prompt_id}"));
        let page = self.open_window(&url).await?;
        page.controlled().await?;
        Ok(Approval { page })
    }

    /// The windows and tabs that show questions now, whoever opened them.
    pub async fn approvals(&self) -> Result<Vec<Approval>, Error> {
        let address = self.extension_url("approve.html");
        let pages = self.pages().await?.into_iter();
        let asking = pages.filter(|(url, _)| url.starts_with(&address));
        Ok(asking.map(|(_, page)| Approval { page }).collect())
    }
}

impl Approval {
    /// Says yes.
    pub async fn approve(&self) -> Result<(), Error> {
        self.click("prompt-approve").await
    }

    /// Says no, with a reason for whoever asked.
    pub async fn reject(&self, reason: Option<&str>) -> Result<(), Error> {
        if let Some(reason) = reason {
            self.click("prompt-give-reason").await?;
            self.fill("prompt-reason", reason).await?;
        }
        self.click("prompt-reject").await
    }

    /// Gives the vault's password for what is shown, and keeps the vault open if wanted.
    pub async fn give_password(&self, password: &str, keep_open: bool) -> Result<(), Error> {
        self.fill("prompt-password", password).await?;
        if keep_open {
            self.click("prompt-keep-unlocked").await?;
        }
        self.click("prompt-submit").await
    }
}

impl Popup {
    /// Follows the way from the first card that waits to its question, which takes the popup's place in the tab.
    pub async fn review(&self) -> Result<Approval, Error> {
        self.click("card-review").await?;
        self.element("prompt-place").await?;
        Ok(Approval { page: Page::clone(self) })
    }
}
