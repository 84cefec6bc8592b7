//! `get_address_book`, `add_address_book`, `delete_address_book`: saved addresses (specification 000 §4–§6).

use super::params::{entries, invalid, object, required, resolve, text};
use super::{Category, Consequence, Context, Definition, Output, Params, ToolError};
use crate::contacts::{Contact, Filter, Selection};
use crate::store::StoreError;
use chains::{Chain, address};
use serde_json::Value;
use std::borrow::Cow;
use wire::address_book::{AddedBy, AddedEntry, DeletedEntry, GetAddressBookResult, Rows};

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

fn spell(added_by: &AddedBy) -> String {
    match added_by {
        AddedBy::User => "user".to_owned(),
        AddedBy::Agent => "agent".to_owned(),
        AddedBy::Dapp { origin } => format!("dapp:{origin}"),
    }
}

/// Both filters are optional and hold together; sorted by title as people read it (D6).
pub(crate) async fn get(params: &Params, context: &Context<'_>) -> Result<Output, ToolError> {
    let chain = match text(params, "", "chain").map_err(ToolError::Refused)? {
        Some(name) => Some(resolve(&name).map_err(ToolError::Refused)?),
        None => None,
    };
    let query = text(params, "", "query").map_err(ToolError::Refused)?.map(|query| query.to_lowercase());
    let filter = Filter { chain, query, ..Filter::default() };
    let Selection { entries, total } = context.contacts.book().await?.select(&filter)?;
    Ok(Output::done(&GetAddressBookResult { total_count: total, entries }))
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
            context.contacts.add(&mut context.batch, &contact);
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
    let book = context.contacts.book().await?;
    let mut contacts = book.contacts().collect::<Result<Vec<_>, StoreError>>()?;
    let mut results = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        let path = format!("/entries/{index}");
        let given = |name: &str| entry.get(name).and_then(Value::as_str).map(str::to_owned);
        let found = read_wanted(&path, entry).and_then(|wanted| position(&contacts, &wanted, &path));
        results.push(match found {
            Ok(position) => {
                let (text, contact) = contacts.swap_remove(position);
                context.contacts.delete(&mut context.batch, &contact.id, text);
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
