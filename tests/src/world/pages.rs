//! Web pages, as the content script speaks for them.

use super::World;
use serde_json::{Value, json};
use std::cell::Cell;
use std::time::Duration;

/// A document of a web page in a tab.
#[derive(Debug)]
pub struct WebPage {
    /// Its origin, as the browser says it.
    pub origin: String,
    /// The browser's id of the document.
    pub document: String,
    /// Its tab.
    pub tab: u32,
    next: Cell<u32>,
}

impl WebPage {
    /// A document.
    pub fn new(origin: &str, document: &str, tab: u32) -> Self {
        Self { origin: origin.to_owned(), document: document.to_owned(), tab, next: Cell::new(0) }
    }

    /// The document that a reload puts in its place.
    pub fn reloaded(&self, document: &str) -> Self {
        Self::new(&self.origin, document, self.tab)
    }

    /// The id of its next request.
    pub fn next_id(&self) -> String {
        self.next.set(self.next.get() + 1);
        format!("{}-{}", self.document, self.next.get())
    }
}

impl World {
    /// A page's request with an id; what it is answered: `{"result"}` or `{"error"}`.
    pub async fn send(&self, page: &WebPage, id: &str, method: &str, params: Value) -> Value {
        let text = json!({"id": id, "method": method, "params": params}).to_string();
        self.send_text(page, &text).await
    }

    /// The same, with any text.
    pub async fn send_text(&self, page: &WebPage, text: &str) -> Value {
        let core = self.core();
        let answer = core.page(&page.origin, &page.document, page.tab, text);
        let limit = Duration::from_secs(3_600);
        let text = self.run(tokio::time::timeout(limit, answer)).await.expect("answers within an hour");
        serde_json::from_str(&text).expect("an answer is JSON")
    }

    /// A new request of a page.
    pub async fn request(&self, page: &WebPage, method: &str, params: Value) -> Value {
        self.send(page, &page.next_id(), method, params).await
    }

    /// A request of a page that the user answers; the page's answer.
    pub async fn request_and(&self, page: &WebPage, method: &str, params: Value, answer: Value) -> Value {
        tokio::join!(self.request(page, method, params), self.answer_next(answer)).0
    }

    /// Waits for the one open prompt and answers it; the prompt.
    pub async fn answer_next(&self, answer: Value) -> Value {
        let prompt = self.next_prompt().await;
        let (status, body) = self.answer_prompt(&prompt, answer).await;
        assert_eq!(status, 200, "{body}");
        prompt
    }

    /// Waits for the one open prompt.
    pub async fn next_prompt(&self) -> Value {
        for _ in 0..10_000 {
            match self.prompts().await.as_slice() {
                [prompt] => return prompt.clone(),
                [] => self.steps(1).await,
                several => panic!("{several:?}"),
            }
        }
        panic!("there is no prompt")
    }

    /// Connects a page with the usual chains.
    pub async fn connect_page(&self, page: &WebPage) {
        let answer = self.request_and(page, "eth_requestAccounts", json!([]), json!({"approve": true})).await;
        assert!(answer["result"].is_array(), "{answer}");
    }

    /// What a page may know now.
    pub async fn page_state(&self, origin: &str) -> Value {
        let core = self.core();
        let text = self.run(core.page_state(origin)).await.expect("the store is there");
        serde_json::from_str(&text).expect("a state is JSON")
    }

    /// A document is gone.
    pub async fn page_gone(&self, page: &WebPage) {
        let core = self.core();
        self.run(core.page_gone(&page.origin, &page.document)).await.expect("the store is there");
    }
}
