//! What a record looks like in JSON.

use super::attributes::{Container, FieldAttributes, variant_name};
use crate::names::Spelling;
use proc_macro2::{Ident, Span};
use syn::{Data, DeriveInput, Error, Fields, Result};

/// A type in JSON.
pub(crate) enum Shape {
    /// What its one field is; the field's name, if it has one.
    Transparent(Option<Ident>),
    /// An object.
    Struct(Vec<Named>),
    /// An enum.
    Enum(Vec<Variant>, Tagging),
}

/// How a variant's name is told.
pub(crate) enum Tagging {
    /// The name alone: no variant has anything beside.
    Names,
    /// Around what it is made of: `{"name":{…}}`.
    Around,
    /// Among its fields: `{"tag":"name",…}`.
    Among(String),
    /// Beside what it is made of: `{"tag":"name","content":{…}}`.
    Beside(String, String),
}

/// A field with a name.
pub(crate) struct Named {
    pub(crate) ident: Ident,
    pub(crate) attributes: FieldAttributes,
}

/// A variant.
pub(crate) struct Variant {
    pub(crate) ident: Ident,
    pub(crate) name: String,
    pub(crate) body: Body,
}

/// What a variant is made of.
pub(crate) enum Body {
    Unit,
    One,
    Fields(Vec<Named>),
}

impl Shape {
    pub(crate) fn read(item: &DeriveInput, container: &Container) -> Result<Self> {
        match &item.data {
            Data::Struct(data) if container.transparent => match (&data.fields, data.fields.len()) {
                (fields, 1) => {
                    Ok(Self::Transparent(fields.iter().next().and_then(|field| field.ident.clone())))
                }
                _ => Err(Error::new_spanned(&item.ident, "a transparent record has one field")),
            },
            Data::Struct(data) => match &data.fields {
                Fields::Unnamed(fields) if fields.unnamed.len() == 1 => Ok(Self::Transparent(None)),
                Fields::Named(_) => Ok(Self::Struct(named(&data.fields, container.rename_all)?)),
                _ => Err(Error::new_spanned(&item.ident, "a record has named fields, or one without a name")),
            },
            Data::Enum(data) => {
                let variants: Vec<Variant> = data
                    .variants
                    .iter()
                    .map(|variant| read_variant(variant, container))
                    .collect::<Result<_>>()?;
                if variants.is_empty() {
                    return Err(Error::new_spanned(&item.ident, "a record has a variant"));
                }
                let tagging = tagging(item, &variants, container)?;
                Ok(Self::Enum(variants, tagging))
            }
            Data::Union(_) => Err(Error::new_spanned(&item.ident, "a union is no record")),
        }
    }
}

fn tagging(item: &DeriveInput, variants: &[Variant], container: &Container) -> Result<Tagging> {
    match (&container.tag, &container.content) {
        (Some(tag), Some(content)) => Ok(Tagging::Beside(tag.clone(), content.clone())),
        (Some(tag), None) => Ok(Tagging::Among(tag.clone())),
        (None, None) if variants.iter().all(|variant| matches!(variant.body, Body::Unit)) => {
            Ok(Tagging::Names)
        }
        (None, None) => Ok(Tagging::Around),
        (None, Some(_)) => Err(Error::new_spanned(&item.ident, "`content` needs a `tag`")),
    }
}

fn read_variant(variant: &syn::Variant, container: &Container) -> Result<Variant> {
    let body = match &variant.fields {
        Fields::Unit => Body::Unit,
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 => Body::One,
        Fields::Unnamed(_) => {
            return Err(Error::new_spanned(variant, "a variant has named fields, or one without a name"));
        }
        fields @ Fields::Named(_) => Body::Fields(named(fields, container.rename_all_fields)?),
    };
    let name = variant_name(variant, container.rename_all)?;
    Ok(Variant { ident: variant.ident.clone(), name, body })
}

fn named(fields: &Fields, spelling: Spelling) -> Result<Vec<Named>> {
    fields
        .iter()
        .map(|field| {
            let ident = field.ident.clone().unwrap_or_else(|| Ident::new("_", Span::call_site()));
            Ok(Named { ident, attributes: FieldAttributes::read(field, spelling)? })
        })
        .collect()
}
