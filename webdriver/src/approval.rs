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

/// The attribute of a button that was pressed by the library: the page makes new ones for the next prompt.
const PRESSED: &str = "data-webdriver-pressed";

impl Approval {
    /// Whether a prompt is shown that was not answered by [`Approval::answered`].
    pub async fn is_asking(&self) -> Result<bool, Error> {
        let body = "const all = [...document.querySelectorAll(
                '[data-testid=prompt-approve], [data-testid=prompt-submit], [data-testid=prompt-reject]')];
            return all.length > 0 && !all.some((button) => button.hasAttribute(args[0]))";
        Ok(self.run(body, vec![PRESSED.into()]).await? == true)
    }

    /// Whether the shown prompt is for the vault's password.
    pub async fn asks_for_password(&self) -> Result<bool, Error> {
        let body = "return document.querySelector('[data-testid=prompt-password]') !== null";
        Ok(self.run(body, vec![]).await? == true)
    }

    /// Marks the shown prompt as answered by a button that is about to be pressed.
    pub(crate) async fn answered(&self, test_id: &str) -> Result<(), Error> {
        self.ready(test_id).await?;
        let body =
            "document.querySelector(`[data-testid=\"${args[0]}\"]`)?.setAttribute(args[1], ''); return true";
        self.run(body, vec![test_id.into(), PRESSED.into()]).await.map(drop)
    }

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
