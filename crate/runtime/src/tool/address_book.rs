//! `get_address_book`, `add_address_book`, `delete_address_book`: saved addresses (specification 000 §4–§6).

use super::params::{entries, invalid, object, required, resolve, text};
use super::{Category, Consequence, Context, Definition, Output, Params, ToolError};
use crate::id::time_of;
use crate::policy::KnownContact;
use crate::store::{Store, StoreError, Table};
use chains::{Chain, address};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use wire::address_book::{AddedBy, AddedEntry, DeletedEntry, Entry, GetAddressBookResult, Rows};

/// Looking.
pub const GET_ADDRESS_BOOK: Definition = Definition {
    name: "get_address_book",
    description: "Returns the saved addresses, all of them or those of a chain or with a word in title or address.",
    category: Category::Read,
    consequence: Consequence::Low,
    requires_confirmation: false,
};

/// Adding.
pub const ADD_ADDRESS_BOOK: Definition = Definition {
    name: "add_address_book",
    description: "Saves one or more addresses under a name. The same address may be saved under several names.",
    category: Category::Write,
    consequence: Consequence::Low,
    requires_confirmation: false,
};

/// Deleting.
pub const DELETE_ADDRESS_BOOK: Definition = Definition {
    name: "delete_address_book",
    description: "Removes saved addresses by id, by title and chain, by address and chain, or by a unique title.",
    category: Category::Delete,
    consequence: Consequence::Medium,
    requires_confirmation: false,
};

const MAX_TITLE: usize = 200;

/// A saved address on disk. Borrowed where it can be: a book of ten thousand is read through for each query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Contact<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
    #[serde(borrow)]
    title: Cow<'a, str>,
    #[serde(borrow)]
    address: Cow<'a, str>,
    #[serde(borrow)]
    chain: Cow<'a, str>,
    /// `user`, `agent`, or `dapp:` and its origin.
    #[serde(borrow)]
    added_by: Cow<'a, str>,
}

impl Contact<'_> {
    fn entry(&self) -> Entry {
        Entry {
            id: self.id.to_string(),
            title: self.title.to_string(),
            address: self.address.to_string(),
            chain: self.chain.to_string(),
            chain_kind: Chain::parse(&self.chain).map_or("", |chain| chain.kind().name()).to_owned(),
            added_by: match (self.added_by.as_ref(), self.added_by.strip_prefix("dapp:")) {
                (_, Some(origin)) => AddedBy::Dapp { origin: origin.to_owned() },
                ("agent", _) => AddedBy::Agent,
                _ => AddedBy::User,
            },
        }
    }
}

fn spell(added_by: &AddedBy) -> String {
    match added_by {
        AddedBy::User => "user".to_owned(),
        AddedBy::Agent => "agent".to_owned(),
        AddedBy::Dapp { origin } => format!("dapp:{origin}"),
    }
}

/// Every saved address, as the policy sees it.
pub(crate) async fn known(store: &dyn Store) -> Result<Vec<KnownContact>, StoreError> {
    let lines = store.lines(Table::Contacts).await?;
    let known = |line| {
        let Contact { id, title, address, chain, added_by } = contact(line)?;
        let by_agent = added_by != "user";
        Ok(KnownContact {
            chain: chain.into_owned(),
            address: address.into_owned(),
            title: title.into_owned(),
            by_agent_at: by_agent.then(|| time_of(&id)).flatten(),
        })
    };
    lines.lines().map(known).collect()
}

/// Both filters are optional and hold together; sorted by title as people read it (D6).
pub(crate) async fn get(params: &Params, context: &Context<'_>) -> Result<Output, ToolError> {
    let chain = match text(params, "", "chain").map_err(ToolError::Refused)? {
        Some(name) => Some(resolve(&name).map_err(ToolError::Refused)?),
        None => None,
    };
    let query = text(params, "", "query").map_err(ToolError::Refused)?.map(|query| query.to_lowercase());
    let lines = context.store.lines(Table::Contacts).await?;
    let mut folded = String::new();
    let mut found = Vec::new();
    for line in lines.lines() {
        let contact: Contact<'_> = contact(line)?;
        let matches = chain.is_none_or(|chain| contact.chain == chain.name())
            && query.as_ref().is_none_or(|query| {
                contains(&mut folded, &contact.title, query) || contains(&mut folded, &contact.address, query)
            });
        if matches {
            found.push(contact);
        }
    }
    found.sort_by_cached_key(|contact| {
        (contact.title.to_lowercase(), contact.title.clone(), contact.id.clone())
    });
    let entries: Vec<Entry> = found.iter().map(Contact::entry).collect();
    Ok(Output::done(&GetAddressBookResult { total_count: entries.len(), entries }))
}

/// Whether `text` contains the lower-case `query`, whatever its case.
fn contains(folded: &mut String, text: &str, query: &str) -> bool {
    if !text.is_ascii() {
        return text.to_lowercase().contains(query);
    }
    folded.clear();
    folded.push_str(text);
    folded.make_ascii_lowercase();
    folded.contains(query)
}

/// Every entry is attempted; one that fails does not stop the next (T000-103). Duplicates are welcome.
pub(crate) fn add(params: &Params, context: &mut Context<'_>) -> Result<Output, ToolError> {
    let results: Vec<AddedEntry> = entries(params, "entries")?
        .iter()
        .enumerate()
        .map(|(index, entry)| add_one(&format!("/entries/{index}"), entry, context))
        .collect();
    context.vault_modified = results.iter().any(|row| row.success);
    let rows = Rows { results };
    Ok(Output::rows(&rows, rows.results.iter().map(|row| row.error.as_deref())))
}

fn add_one(path: &str, entry: &Value, context: &mut Context<'_>) -> AddedEntry {
    let mut row =
        AddedEntry { id: None, title: None, address: None, chain: None, success: false, error: None };
    match read_new(path, entry, &mut row) {
        Ok((title, address, chain)) => {
            let id = context.ids.next();
            let contact = Contact {
                id: Cow::Borrowed(&id),
                title: Cow::Borrowed(&title),
                address: Cow::Borrowed(&address),
                chain: Cow::Borrowed(chain.name()),
                added_by: Cow::Owned(spell(&context.added_by)),
            };
            context.batch.put(Table::Contacts, &id, &contact);
            AddedEntry {
                address: Some(address),
                chain: Some(chain.name().to_owned()),
                title: Some(title),
                success: true,
                error: None,
                id: Some(id),
            }
        }
        Err(error) => AddedEntry { error: Some(error), ..row },
    }
}

/// Reads an entry; `row` keeps what could be read of one that is refused.
fn read_new(path: &str, entry: &Value, row: &mut AddedEntry) -> Result<(String, String, Chain), String> {
    let fields = object(path, entry)?;
    let given = |name: &str| fields.get(name).and_then(Value::as_str).map(str::to_owned);
    (row.title, row.address, row.chain) = (given("title"), given("address"), given("chain"));
    let title = required(fields, path, "title")?;
    if title.chars().count() > MAX_TITLE {
        return Err(invalid(&format!("{path}/title"), "must have at most 200 characters"));
    }
    let given_address = required(fields, path, "address")?;
    let chain = resolve(&required(fields, path, "chain")?)?;
    let address = address::normalise(chain, &given_address)
        .map_err(|error| format!("invalid_address: {chain}: {error}"))?;
    Ok((title, address, chain))
}

/// What one entry of `delete_address_book` asks for.
#[derive(Debug, Default)]
struct Wanted {
    id: Option<String>,
    title: Option<String>,
    address: Option<String>,
    chain: Option<Chain>,
}

/// Every entry is attempted; what is deleted by an earlier one is not there for a later one (T000-100).
pub(crate) async fn delete(params: &Params, context: &mut Context<'_>) -> Result<Output, ToolError> {
    let entries = entries(params, "entries")?;
    let lines = context.store.lines(Table::Contacts).await?;
    let mut contacts =
        lines.lines().map(|line| Ok((line, contact(line)?))).collect::<Result<Vec<_>, ToolError>>()?;
    let mut results = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        let path = format!("/entries/{index}");
        let given = |name: &str| entry.get(name).and_then(Value::as_str).map(str::to_owned);
        let found = read_wanted(&path, entry).and_then(|wanted| position(&contacts, &wanted, &path));
        results.push(match found {
            Ok(position) => {
                let (text, contact) = contacts.swap_remove(position);
                context.batch.expect(Table::Contacts, &contact.id, Some(text));
                context.batch.delete(Table::Contacts, &contact.id);
                DeletedEntry {
                    id: Some(contact.id.into_owned()),
                    title: Some(contact.title.into_owned()),
                    chain: Some(contact.chain.into_owned()),
                    success: true,
                    error: None,
                }
            }
            Err(error) => DeletedEntry {
                id: given("id"),
                title: given("title"),
                chain: given("chain"),
                success: false,
                error: Some(error),
            },
        });
    }
    context.vault_modified = results.iter().any(|row| row.success);
    let rows = Rows { results };
    Ok(Output::rows(&rows, rows.results.iter().map(|row| row.error.as_deref())))
}

fn read_wanted(path: &str, entry: &Value) -> Result<Wanted, String> {
    let fields = object(path, entry)?;
    let id = text(fields, path, "id")?;
    if id.is_some() {
        // The id says it all: other fields are not even looked at (T000-93).
        return Ok(Wanted { id, ..Wanted::default() });
    }
    let chain = text(fields, path, "chain")?.map(|name| resolve(&name)).transpose()?;
    Ok(Wanted { id, title: text(fields, path, "title")?, address: text(fields, path, "address")?, chain })
}

/// The one contact that is meant: by id, else title and chain, else address and chain, else a title that only one
/// contact has, asked for without a chain (D8).
fn position(contacts: &[(&str, Contact<'_>)], wanted: &Wanted, path: &str) -> Result<usize, String> {
    let only = |matches: &dyn Fn(&Contact<'_>) -> bool| {
        let mut found = contacts.iter().enumerate().filter(|(_, (_, contact))| matches(contact));
        match (found.next(), found.next()) {
            (Some((position, _)), None) => Some(Ok(position)),
            (Some(_), Some(_)) => Some(Err("ambiguous_match".to_owned())),
            (None, _) => None,
        }
    };
    let answer = match wanted {
        Wanted { id: Some(id), .. } => only(&|contact| contact.id == *id),
        Wanted { chain: Some(chain), title, address, .. } if title.is_some() || address.is_some() => {
            let on_chain = |contact: &Contact<'_>| contact.chain == chain.name();
            let by_title = title
                .as_ref()
                .and_then(|title| only(&|contact| on_chain(contact) && contact.title == *title));
            by_title.or_else(|| {
                let given = address.as_ref()?;
                let canonical = address::normalise(*chain, given).unwrap_or_else(|_| given.clone());
                only(&|contact| on_chain(contact) && contact.address == canonical)
            })
        }
        Wanted { chain: None, title: Some(title), .. } => only(&|contact| contact.title == *title),
        _ => {
            return Err(invalid(path, "needs an id, a title, or an address with its chain"));
        }
    };
    answer.unwrap_or_else(|| Err("not_found".to_owned()))
}

fn contact(line: &str) -> Result<Contact<'_>, StoreError> {
    serde_json::from_str(line).map_err(|error| {
        let (table, key, reason) = (Table::Contacts.name(), String::new(), error.to_string());
        StoreError::Corrupt { table, key, reason }
    })
}
