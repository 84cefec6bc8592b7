//! Chains of other families: a page is let in for one, and leaves it.

use super::connect::{Wanted, connect, granted};
use super::error::RpcError;
use super::page::{Page, account};
use super::params::no_others;
use crate::Core;
use crate::connection::{Grant, leave};
use chains::Chain;
use serde_json::{Map, Value};
use std::rc::Rc;
use wire::json::to_value;
use wire::vault::Vault;

pub(super) async fn connect_solana(core: &Rc<Core>, page: &Page, params: Value) -> Result<Value, RpcError> {
    connect_to(core, page, params, Chain::Solana).await
}

pub(super) async fn connect_sui(core: &Rc<Core>, page: &Page, params: Value) -> Result<Value, RpcError> {
    connect_to(core, page, params, Chain::Sui).await
}

pub(super) async fn disconnect_solana(core: &Rc<Core>, page: &Page) -> Result<Value, RpcError> {
    disconnect_from(core, page, Chain::Solana).await
}

pub(super) async fn disconnect_sui(core: &Rc<Core>, page: &Page) -> Result<Value, RpcError> {
    disconnect_from(core, page, Chain::Sui).await
}

/// `{accounts: [{address, publicKey}]}`. A silent request opens no prompt: without a grant there are none.
async fn connect_to(core: &Rc<Core>, page: &Page, params: Value, chain: Chain) -> Result<Value, RpcError> {
    let silent = is_silent(&params)?;
    let wanted = Wanted::Chains(vec![chain]);
    let granted = match silent {
        true => granted(core, page, &wanted).await?,
        false => Some(connect(core, page, &wanted).await?),
    };
    let mut fields = Map::new();
    let accounts: Vec<Value> = granted.iter().flat_map(|granted| accounts(granted, chain)).collect();
    fields.insert("accounts".to_owned(), accounts.into());
    Ok(Value::Object(fields))
}

fn accounts((grant, vault): &(Grant, Vault), chain: Chain) -> Option<Value> {
    account(grant, vault, chain).map(|account| to_value(&account))
}

/// `{silent?}`, an array of it, or nothing.
fn is_silent(params: &Value) -> Result<bool, RpcError> {
    let (fields, place) = match params {
        Value::Null => return Ok(false),
        Value::Array(values) if values.is_empty() => return Ok(false),
        _ => super::params::only_object(params)?,
    };
    no_others(place, fields, &["silent"])?;
    match fields.get("silent") {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(silent)) => Ok(*silent),
        Some(_) => Err(RpcError::invalid(format!("{place}/silent"), "must be true or false")),
    }
}

async fn disconnect_from(core: &Rc<Core>, page: &Page, chain: Chain) -> Result<Value, RpcError> {
    leave(core, &page.origin, |granted| granted == chain).await?;
    Ok(Value::Null)
}
