//! The attributes that a record may have: those of serde that have a meaning here. Any other is an error, so that no
//! attribute is without effect.

use crate::names::{Spelling, unraw};
use proc_macro2::TokenStream;
use quote::quote;
use syn::meta::ParseNestedMeta;
use syn::{Attribute, Error, Expr, Field, LitStr, Path, Result, Token, Variant};

/// What stands on a struct or an enum.
#[derive(Default)]
pub(crate) struct Container {
    /// Of its fields, or of its variants.
    pub(crate) rename_all: Spelling,
    /// Of the fields of its variants.
    pub(crate) rename_all_fields: Spelling,
    /// The field that holds a variant's name.
    pub(crate) tag: Option<String>,
    /// The field that holds what a variant is made of.
    pub(crate) content: Option<String>,
    /// It is what its one field is.
    pub(crate) transparent: bool,
    /// A field that it does not know is an error.
    pub(crate) closed: bool,
}

/// What stands on a field.
pub(crate) struct FieldAttributes {
    /// On the wire.
    pub(crate) name: String,
    /// What it is where it is absent, if it may be.
    pub(crate) default: Option<TokenStream>,
    /// When it is not written.
    pub(crate) skip_if: Option<Path>,
    /// Its fields stand among those around it.
    pub(crate) flatten: bool,
}

/// Goes through `#[serde(…)]` and `#[record(…)]`.
fn each(attributes: &[Attribute], mut take: impl FnMut(&ParseNestedMeta<'_>) -> Result<bool>) -> Result<()> {
    for attribute in attributes {
        if attribute.path().is_ident("serde") || attribute.path().is_ident("record") {
            attribute.parse_nested_meta(|meta| {
                if take(&meta)? { Ok(()) } else { Err(meta.error("a record has no such attribute")) }
            })?;
        }
    }
    Ok(())
}

fn text(meta: &ParseNestedMeta<'_>) -> Result<String> {
    Ok(meta.value()?.parse::<LitStr>()?.value())
}

fn spelling(meta: &ParseNestedMeta<'_>) -> Result<Spelling> {
    let name = text(meta)?;
    Spelling::named(&name).ok_or_else(|| meta.error("snake_case or camelCase"))
}

impl Container {
    pub(crate) fn read(attributes: &[Attribute]) -> Result<Self> {
        let mut read = Self::default();
        each(attributes, |meta| {
            let path = &meta.path;
            if path.is_ident("rename_all") {
                read.rename_all = spelling(meta)?;
            } else if path.is_ident("rename_all_fields") {
                read.rename_all_fields = spelling(meta)?;
            } else if path.is_ident("tag") {
                read.tag = Some(text(meta)?);
            } else if path.is_ident("content") {
                read.content = Some(text(meta)?);
            } else if path.is_ident("transparent") {
                read.transparent = true;
            } else if path.is_ident("deny_unknown_fields") {
                read.closed = true;
            } else {
                return Ok(false);
            }
            Ok(true)
        })?;
        Ok(read)
    }
}

impl FieldAttributes {
    pub(crate) fn read(field: &Field, spelling: Spelling) -> Result<Self> {
        let name = field.ident.as_ref().map(|name| spelling.field(&unraw(name))).unwrap_or_default();
        let mut read = Self { name, default: None, skip_if: None, flatten: false };
        each(&field.attrs, |meta| {
            let path = &meta.path;
            if path.is_ident("rename") {
                read.name = text(meta)?;
            } else if path.is_ident("default") {
                read.default = Some(default(meta)?);
            } else if path.is_ident("skip_serializing_if") {
                read.skip_if = Some(meta.value()?.parse::<LitStr>()?.parse()?);
            } else if path.is_ident("flatten") {
                read.flatten = true;
            } else {
                // Where serde itself reads the record, from text that it borrows.
                return Ok(path.is_ident("borrow"));
            }
            Ok(true)
        })?;
        if read.flatten && (read.default.is_some() || read.skip_if.is_some()) {
            return Err(Error::new_spanned(field, "what is flattened is always there"));
        }
        Ok(read)
    }
}

fn default(meta: &ParseNestedMeta<'_>) -> Result<TokenStream> {
    if !meta.input.peek(Token![=]) {
        return Ok(quote! { ::core::default::Default::default });
    }
    let text: LitStr = meta.value()?.parse()?;
    let function: Expr = text.parse()?;
    Ok(quote! { #function })
}

/// The name of a variant on the wire.
pub(crate) fn variant_name(variant: &Variant, spelling: Spelling) -> Result<String> {
    let mut name = spelling.variant(&unraw(&variant.ident));
    each(&variant.attrs, |meta| {
        if !meta.path.is_ident("rename") {
            return Ok(false);
        }
        name = text(meta)?;
        Ok(true)
    })?;
    Ok(name)
}
