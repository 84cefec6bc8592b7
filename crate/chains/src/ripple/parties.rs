//! Whom a transaction of any type names as one that gets something or may decide.

use super::account_text;
use super::amount::Money;
use super::object::{Object, Value};
use crate::explain::{Party, PartyRole};

/// The parties of a transaction of this type, in the order of its fields.
pub(super) fn of(kind: &str, object: &Object) -> Vec<Party> {
    let mut parties = Vec::new();
    collect(kind, None, object, &mut parties);
    parties
}

/// Objects are as deep as the reader lets them be: four levels.
fn collect(kind: &str, inside: Option<&str>, object: &Object, parties: &mut Vec<Party>) {
    for (field, value) in object {
        match value {
            Value::Object(fields) | Value::Array(fields) => collect(kind, Some(field.name), fields, parties),
            Value::Account(account) => {
                let role = role(kind, inside, field.name);
                parties.extend(role.map(|role| Party::new(account_text(account), role)));
            }
            // Who issues what is trusted can freeze it and take it back.
            Value::Amount(Money::Issued { issuer, .. }) if field.name == "LimitAmount" => {
                parties.push(Party::new(account_text(issuer), PartyRole::Authority));
            }
            _ => {}
        }
    }
}

fn role(kind: &str, inside: Option<&str>, field: &str) -> Option<PartyRole> {
    match (field, inside) {
        ("Destination", _) => Some(PartyRole::Recipient),
        // An offer to buy an item is paid to who has it.
        ("Owner", _) if kind == "NFTokenCreateOffer" => Some(PartyRole::Recipient),
        ("RegularKey" | "NFTokenMinter", _) => Some(PartyRole::Authority),
        ("Account", Some("SignerEntry" | "AuthAccount")) => Some(PartyRole::Authority),
        _ => None,
    }
}
