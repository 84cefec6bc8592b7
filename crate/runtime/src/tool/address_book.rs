//! `get_address_book`, `add_address_book`, `delete_address_book`: saved addresses (specification 000 §4–§6).

use super::shape::{Field, Kind, Shape};
use super::{About, BuiltIn, Category, Consequence, Context, DEFAULT_TIMEOUT, Definition};
use super::{Output, Params, RequestError, ToolError, resolve};
use crate::address::{self, Checked};
use crate::contacts::earlier::{Earlier, NameKey};
use crate::contacts::{Contact, Filter, Selection, corrupt, lowercase};
use crate::later::later;
use chains::Chain;
use serde_json::Value;
use std::borrow::Cow;
use wire::address_book::{AddedBy, AddedEntry, DeletedEntry, GetAddressBookResult, Rows};
use wire::json::Object;

/// Looking.
pub(crate) static GET_ADDRESS_BOOK: BuiltIn = BuiltIn {
    definition: Definition::built_in(About {
        name: "get_address_book",
        description: "Returns the saved addresses, all of them or those of a chain or with a word in title or address.",
        category: Category::Read,
        consequence: Consequence::Low,
        requires_confirmation: false,
        timeout: DEFAULT_TIMEOUT,
        tags: &["contacts"],
        arguments: &Shape {
            fields: &[
                Field::optional("chain", Kind::Text, "Only of this chain."),
                Field::optional("query", Kind::Text, "Only with this in title or address."),
            ],
        },
    }),
    run: |call, context| Box::pin(get(&call.params, context)),
};

/// Adding.
pub(crate) static ADD_ADDRESS_BOOK: BuiltIn = BuiltIn {
    definition: Definition::built_in(About {
        name: "add_address_book",
        description: "Saves one or more addresses under a name. The same address may be saved under several names.",
        category: Category::Write,
        consequence: Consequence::Low,
        requires_confirmation: false,
        timeout: DEFAULT_TIMEOUT,
        tags: &["contacts"],
        arguments: &Shape {
            fields: &[Field::required(
                "entries",
                entries(&NEW_ENTRY),
                "Each is saved, or refused, by itself.",
            )],
        },
    }),
    run: |call, context| Box::pin(add(&call.params, context)),
};

/// Deleting.
pub(crate) static DELETE_ADDRESS_BOOK: BuiltIn = BuiltIn {
    definition: Definition::built_in(About {
        name: "delete_address_book",
        description: "Removes saved addresses by id, by title and chain, by address and chain, or by a unique title.",
        category: Category::Delete,
        consequence: Consequence::Medium,
        requires_confirmation: false,
        timeout: DEFAULT_TIMEOUT,
        tags: &["contacts"],
        arguments: &Shape {
            fields: &[Field::required(
                "entries",
                entries(&OLD_ENTRY),
                "Each is removed, or refused, by itself.",
            )],
        },
    }),
    run: |call, context| {
        let core = context.wallet.core;
        later(core, delete(&call.params, context))
    },
};

const fn entries(entry: &'static Shape) -> Kind {
    Kind::Entries { what: "entry", most: None, entry }
}

static NEW_ENTRY: Shape = Shape {
    fields: &[
        Field::required("title", Kind::Text, "At most 200 characters."),
        Field::required("address", Kind::Text, ""),
        Field::required("chain", Kind::Text, ""),
    ],
};

static OLD_ENTRY: Shape = Shape {
    fields: &[
        Field::optional("id", Kind::Text, "Says it all: other fields are not looked at."),
        Field::optional("title", Kind::Text, ""),
        Field::optional("address", Kind::Text, ""),
        Field::optional("chain", Kind::Text, ""),
    ],
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
async fn get(params: &Params, context: &Context<'_>) -> Result<Output, ToolError> {
    let params = Object::new(params);
    let chain = params.word("chain")?.map(resolve).transpose()?;
    let query = params.word("query")?.map(lowercase);
    let filter = Filter { chain, query, ..Filter::default() };
    let Selection { entries, total } = context.wallet.contacts().select(&filter).await?;
    Ok(Output::done(&GetAddressBookResult { total_count: total, entries }))
}

/// Every entry is attempted; one that fails does not stop the next (T000-103). Duplicates are welcome.
async fn add(params: &Params, context: &mut Context<'_>) -> Result<Output, ToolError> {
    let params = Object::new(params);
    let entries = params.some("entries", "entry")?;
    let checked = address::check(context.wallet.signer(), entries.iter().filter_map(address_in)).await?;
    // What the user saves under a name is what the user means by it.
    let names: Vec<NameKey> = match context.wallet.added_by {
        AddedBy::User => Vec::new(),
        _ => entries.iter().filter_map(name_in).collect(),
    };
    let earlier = context.wallet.contacts().earlier(&names).await?;
    let results: Vec<AddedEntry> = entries
        .iter()
        .enumerate()
        .map(|(index, entry)| add_one(params.element("entries", index), entry, &checked, &earlier, context))
        .collect();
    context.vault_modified = results.iter().any(|row| row.success);
    let rows = Rows { results };
    Ok(Output::rows(&rows, rows.results.iter().map(|row| row.error.as_ref())))
}

fn address_in(entry: &Value) -> Option<(Chain, &str)> {
    address::named(entry, "address")
}

fn name_in(entry: &Value) -> Option<NameKey> {
    let (chain, title) = address::named(entry, "title")?;
    Some(NameKey::new(chain, title))
}

fn add_one(
    path: String,
    entry: &Value,
    checked: &Checked,
    earlier: &Earlier,
    context: &mut Context<'_>,
) -> AddedEntry {
    let mut row =
        AddedEntry { id: None, title: None, address: None, chain: None, success: false, error: None };
    match read_new(path, entry, checked, &mut row) {
        Ok((title, address, chain)) => {
            let id = context.ids.next();
            let contact = Contact {
                id: Cow::Borrowed(&id),
                title: Cow::Borrowed(&title),
                address: Cow::Borrowed(&address),
                chain: Cow::Borrowed(chain.name()),
                added_by: Cow::Owned(spell(&context.wallet.added_by)),
                confirmed: false,
                replaces: earlier.replaced(&NameKey::new(chain, &title), &address),
            };
            context.wallet.contacts().add(&mut context.batch, &contact);
            AddedEntry {
                address: Some(address),
                chain: Some(chain.name().to_owned()),
                title: Some(title),
                success: true,
                error: None,
                id: Some(id),
            }
        }
        Err(error) => AddedEntry { error: Some(error.into()), ..row },
    }
}

/// Reads an entry; `row` keeps what could be read of one that is refused.
fn read_new(
    path: String,
    entry: &Value,
    checked: &Checked,
    row: &mut AddedEntry,
) -> Result<(String, String, Chain), RequestError> {
    let fields = Object::at(path, entry)?;
    (row.title, row.address) = (fields.given("title"), fields.given("address"));
    row.chain = fields.given("chain");
    let title = fields.required_word("title")?;
    if title.chars().count() > MAX_TITLE {
        return Err(fields.broken("title", "must have at most 200 characters").into());
    }
    let given_address = fields.required_word("address")?;
    let chain = resolve(fields.required_word("chain")?)?;
    let address = checked
        .canonical(chain, given_address)
        .map_err(|error| RequestError::InvalidAddress { chain, problem: error })?;
    Ok((title.to_owned(), address, chain))
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
async fn delete(params: &Params, context: &mut Context<'_>) -> Result<Output, ToolError> {
    let params = Object::new(params);
    let entries = params.some("entries", "entry")?;
    let has_id =
        |entry: &&Value| entry.get("id").and_then(Value::as_str).is_some_and(|id| !id.trim().is_empty());
    let without_id = entries.iter().filter(|entry| !has_id(entry));
    let checked = address::check(context.wallet.signer(), without_id.filter_map(address_in)).await?;
    let book = context.wallet.contacts().book().await?;
    let mut contacts = book.contacts().collect::<Result<Vec<_>, _>>().map_err(corrupt)?;
    let mut deleted = Vec::new();
    let mut results = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        let given = |name: &str| entry.get(name).and_then(Value::as_str).map(str::to_owned);
        let found = Object::at(params.element("entries", index), entry)
            .map_err(RequestError::from)
            .and_then(|entry| position(&contacts, &read_wanted(&entry)?, &entry, &checked));
        results.push(match found {
            Ok(position) => {
                let (text, contact) = contacts.swap_remove(position);
                context.wallet.contacts().delete(&mut context.batch, &contact, text);
                let row = DeletedEntry {
                    id: Some(contact.id.to_string()),
                    title: Some(contact.title.to_string()),
                    chain: Some(contact.chain.to_string()),
                    success: true,
                    error: None,
                };
                deleted.push(contact);
                row
            }
            Err(error) => DeletedEntry {
                id: given("id"),
                title: given("title"),
                chain: given("chain"),
                success: false,
                error: Some(error.into()),
            },
        });
    }
    context.wallet.contacts().remember_deleted(&deleted, context.now, &mut context.batch).await?;
    context.vault_modified = !deleted.is_empty();
    let rows = Rows { results };
    Ok(Output::rows(&rows, rows.results.iter().map(|row| row.error.as_ref())))
}

fn read_wanted(entry: &Object<'_>) -> Result<Wanted, RequestError> {
    let owned = |text: Option<&str>| text.map(str::to_owned);
    let id = owned(entry.word("id")?);
    if id.is_some() {
        // The id says it all: other fields are not even looked at (T000-93).
        return Ok(Wanted { id, ..Wanted::default() });
    }
    let chain = entry.word("chain")?.map(resolve).transpose()?;
    Ok(Wanted { id, title: owned(entry.word("title")?), address: owned(entry.word("address")?), chain })
}

/// The one contact that is meant: by id, else title and chain, else address and chain, else a title that only one
/// contact has, asked for without a chain (D8).
fn position(
    contacts: &[(&str, Contact<'_>)],
    wanted: &Wanted,
    entry: &Object<'_>,
    checked: &Checked,
) -> Result<usize, RequestError> {
    let only = |matches: &dyn Fn(&Contact<'_>) -> bool| {
        let mut found = contacts.iter().enumerate().filter(|(_, (_, contact))| matches(contact));
        match (found.next(), found.next()) {
            (Some((position, _)), None) => Some(Ok(position)),
            (Some(_), Some(_)) => Some(Err(RequestError::AmbiguousMatch)),
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
                let canonical = checked.canonical(*chain, given).unwrap_or_else(|_| given.clone());
                only(&|contact| on_chain(contact) && contact.address == canonical)
            })
        }
        Wanted { chain: None, title: Some(title), .. } => only(&|contact| contact.title == *title),
        _ => {
            return Err(entry.broken_itself("needs an id, a title, or an address with its chain").into());
        }
    };
    answer.unwrap_or(Err(RequestError::NotFound))
}
