//! Which web pages may ask: by origin, and only those that a person let in.

use crate::Core;
use crate::audit::digest;
use crate::http::ApiError;
use crate::prompt::Ask;
use crate::store::{self, Batch, Durability, Range, StoreError, Table, parse};
use std::net::{Ipv4Addr, Ipv6Addr};
use std::rc::Rc;
use wire::audit::AuditRecord;
use wire::connection::Connection;
use wire::prompt::{Prompt, PromptOutcome, Question};

/// Longer than any name that can be looked up, with a scheme before it and a port behind.
const LONGEST_ORIGIN: usize = 300;

/// What an answer means: a page that was let in is written down with the answer.
pub(crate) fn settled(core: &Core, origin: &str, approved: bool, batch: &mut Batch) {
    if approved {
        let connection = Connection { origin: origin.to_owned(), connected_at: core.now() };
        batch.put(Table::Connections, origin, &connection);
        batch.note(change("dapp_connected", origin));
    }
}

fn change(what: &str, origin: &str) -> AuditRecord {
    AuditRecord::Change { what: what.to_owned(), subject: Some(origin.to_owned()) }
}

impl Core {
    /// Whether a page may ask; if that is not known, a person is asked, and this waits for the answer. A page that
    /// asks again while the question stands waits for the same answer.
    pub(crate) async fn ask_to_connect(self: &Rc<Self>, origin: &str) -> Result<bool, ApiError> {
        if !is_origin(origin) {
            let problem = "must be the origin of an https:// page, or of an http:// page on this machine";
            return Err(ApiError::invalid("/origin", problem));
        }
        let prompt_id = {
            // Whoever looks for an open question and finds none must have asked before the next one looks.
            let _alone = self.ports.host.lock(&format!("connect/{origin}")).await;
            if self.is_connected(origin).await? {
                return Ok(true);
            }
            match self.open_question(origin).await? {
                Some(id) => id,
                None => self.ask_about(origin).await?,
            }
        };
        Ok(self.wait_for_outcome(&prompt_id).await? == Some(PromptOutcome::Approved))
    }

    async fn is_connected(&self, origin: &str) -> Result<bool, StoreError> {
        Ok(self.ports.store.get(Table::Connections, origin).await?.is_some())
    }

    /// The open question about a page.
    async fn open_question(self: &Rc<Self>, origin: &str) -> Result<Option<String>, StoreError> {
        // One whose time is over gets no answer any more.
        self.expire_prompts().await?;
        let about = |prompt: &Prompt| matches!(&prompt.question, Question::ConnectDapp { origin: asked } if asked == origin);
        let open = self.open_prompts().await?.into_iter().map(|prompt| prompt.record);
        Ok(open.filter(about).map(|prompt| prompt.id).next())
    }

    async fn ask_about(self: &Rc<Self>, origin: &str) -> Result<String, StoreError> {
        let ask = Ask {
            question: Question::ConnectDapp { origin: origin.to_owned() },
            title: format!("Connect {origin}"),
            reasons: Vec::new(),
            digest: digest(origin),
        };
        let mut batch = Batch::new(Durability::Strict);
        let prompt = self.ask_person(ask, &mut batch);
        self.commit(batch).await?;
        self.asked(&prompt).await?;
        Ok(prompt.id)
    }

    /// Waits until a question is settled; `None` if it is no longer known.
    async fn wait_for_outcome(&self, id: &str) -> Result<Option<PromptOutcome>, StoreError> {
        loop {
            let seen = self.database.changed.version();
            match store::read::<Prompt>(&*self.ports.store, Table::Prompts, id).await? {
                Some(prompt) if prompt.record.outcome.is_none() => {
                    self.database.changed.changed_since(seen).await
                }
                settled => return Ok(settled.and_then(|prompt| prompt.record.outcome)),
            }
        }
    }

    /// The pages that may ask, by origin.
    pub(crate) async fn connections(&self) -> Result<Vec<Connection>, StoreError> {
        let rows = self.ports.store.scan(Table::Connections, Range::all()).await?;
        rows.iter().map(|row| parse(Table::Connections, &row.key, &row.text)).collect()
    }

    /// Shuts a page out.
    pub(crate) async fn disconnect(&self, origin: &str) -> Result<(), ApiError> {
        let Some(text) = self.ports.store.get(Table::Connections, origin).await? else {
            return Err(ApiError::not_found("connection_not_found", "this page is not connected"));
        };
        let mut batch = Batch::new(Durability::Strict);
        batch.expect(Table::Connections, origin, Some(&text));
        batch.delete(Table::Connections, origin);
        batch.note(change("dapp_disconnected", origin));
        Ok(self.commit(batch).await?)
    }
}

/// An origin as a browser writes it, and of a page that nobody can alter on the way: `https`, or plain `http` on this
/// machine. Any other spelling would be another key for the same page.
pub(crate) fn is_origin(origin: &str) -> bool {
    match origin.split_once("://") {
        _ if origin.len() > LONGEST_ORIGIN => false,
        Some(("https", rest)) => host(rest, "443").is_some(),
        Some(("http", rest)) => {
            host(rest, "80").is_some_and(|host| matches!(host, "localhost" | "127.0.0.1" | "[::1]"))
        }
        _ => false,
    }
}

/// The host of `host[:port]`, if both are written as a browser writes them; the usual port is never written.
fn host<'a>(text: &'a str, usual_port: &str) -> Option<&'a str> {
    let (host, port) = match text.rsplit_once(':') {
        // The last colon of an IPv6 address is inside its brackets.
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (text, None),
    };
    let port_fits = port.is_none_or(|port| {
        port != usual_port && port.parse::<u16>().is_ok_and(|number| number.to_string() == port)
    });
    let host_fits = match host.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')) {
        Some(inner) => inner.parse::<Ipv6Addr>().is_ok_and(|address| address.to_string() == inner),
        None => is_name(host),
    };
    (port_fits && host_fits).then_some(host)
}

/// A name in lower case (others come as punycode), or an IPv4 address: what ends in a number is one.
fn is_name(host: &str) -> bool {
    let letters = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte);
    let labels = host.split('.').all(|label| !label.is_empty() && label.bytes().all(letters));
    let last = host.rsplit('.').next().unwrap_or_default();
    let numeric = last.bytes().all(|byte| byte.is_ascii_digit())
        || last.strip_prefix("0x").is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
    labels && (!numeric || host.parse::<Ipv4Addr>().is_ok_and(|address| address.to_string() == host))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_origins_as_a_browser_writes_them() {
        for good in [
            "https://app.example",
            "https://app.example:8443",
            "https://xn--bcher-kva.example",
            "https://a_b.example",
            "https://203.0.113.7",
            "https://[2001:db8::1]",
            "https://[2001:db8::1]:8443",
            "http://localhost",
            "http://localhost:5173",
            "http://127.0.0.1:8080",
            "http://[::1]:3000",
        ] {
            assert!(is_origin(good), "{good}");
        }
        for bad in [
            "",
            "null",
            "app.example",
            "https://",
            "https://app.example/",
            "https://app.example/path",
            "https://app.example?x",
            "https://app.example#x",
            "https://App.example",
            "HTTPS://app.example",
            "https://app.example:443",
            "https://app.example:",
            "https://app.example:0443",
            "https://app.example:65536",
            "https://app.example:+1",
            "https://user@app.example",
            "https://app..example",
            "https://.example",
            "https://bücher.example",
            "https://a b.example",
            "https://127.1",
            "https://1.2.3.4.5",
            "https://0x7f.0x1",
            "https://[::0001]",
            "https://[::1",
            "https://::1",
            "http://app.example",
            "http://localhost:80",
            "http://localhost.evil.example",
            "http://127.0.0.1.evil.example",
            "http://localhost@evil.example",
            "ftp://app.example",
            "chrome-extension://abcdef",
            "javascript:alert(1)",
            "https://app.example\n",
            &format!("https://{}.example", "a".repeat(300)),
        ] {
            assert!(!is_origin(bad), "{bad}");
        }
    }

    proptest! {
        /// Whatever is taken is a scheme, a host and perhaps a port, and nothing that a browser would write otherwise.
        #[test]
        fn any_text_is_taken_or_refused(text in "(https?://)?[a-zA-Z0-9.:\\[\\]/@_ é%-]{0,40}|.{0,60}") {
            if is_origin(&text) {
                let (scheme, rest) = text.split_once("://").unwrap();
                prop_assert!(scheme == "https" || ["localhost", "127.0.0.1", "[::1]"].iter().any(|host| rest.starts_with(host)));
                prop_assert!(!rest.is_empty() && !rest.contains(['/', '@', '?', '#', '%', ' ']));
                prop_assert!(rest.is_ascii() && !rest.bytes().any(|byte| byte.is_ascii_uppercase() || byte.is_ascii_control()));
            }
        }
    }
}
