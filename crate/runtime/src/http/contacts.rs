//! `/api/contacts`: the address book as pages read it, and the user's word on what others saved. Looking is not a call:
//! nothing is recorded, nothing written.

use super::connections::unescaped;
use super::routes::parameter;
use super::{ApiError, Reply, RouteError};
use crate::Core;
use crate::contacts::{self, Filter, Selection, lowercase};
use crate::store::{Batch, Durability};
use chains::Chain;
use std::rc::Rc;
use wire::api::Contacts;
use wire::audit::AuditRecord;
use wire::event::Event;

/// `?chain=` and `?query=` as `get_address_book` takes them, the query in chains' names too; `?limit=` for the
/// first of many.
pub(super) async fn get(core: &Core, query: &str) -> Result<Reply, ApiError> {
    let filter = filter(query)?;
    let Selection { entries: contacts, total } = core.contacts.select(&filter).await?;
    Ok(Reply::json(200, &Contacts { contacts, total }))
}

/// The user confirms a contact that the agent or a page saved.
pub(super) async fn confirm(core: &Rc<Core>, id: &str) -> Result<Reply, ApiError> {
    let mut batch = Batch::new(Durability::Strict);
    let entry = core.contacts.confirm(&mut batch, id).await?.ok_or(RouteError::ContactNotFound)?;
    // Nothing is staged for one that is confirmed already.
    if !batch.writes().is_empty() {
        batch
            .note(AuditRecord::Change { what: "contact_confirmed".to_owned(), subject: Some(id.to_owned()) });
        batch.tell(&Event::VaultModified {});
        core.commit(batch).await?;
        contacts::keep(core);
    }
    Ok(Reply::json(200, &entry))
}

/// Reads the query. What is empty counts as absent.
pub(crate) fn filter(query: &str) -> Result<Filter, ApiError> {
    let text = |name: &str| match parameter(query, name) {
        None => Ok(None),
        Some(value) => match unescaped(&value.replace('+', " ")) {
            Some(value) => Ok(Some(value.trim().to_owned()).filter(|value| !value.is_empty())),
            None => Err(ApiError::invalid(format!("?{name}"), "is not escaped as it must be")),
        },
    };
    let chain = text("chain")?.map(|name| {
        Chain::parse(&name).ok_or_else(|| {
            ApiError::new(400, RouteError::UnknownChain.code(), format!("{name:?}")).at("?chain")
        })
    });
    let limit = text("limit")?
        .map(|limit| limit.parse().map_err(|_| ApiError::invalid("?limit", "must be a number")));
    Ok(Filter {
        chain: chain.transpose()?,
        query: text("query")?.map(|query| lowercase(&query)),
        in_chain: true,
        limit: limit.transpose()?,
    })
}
