//! What `#[derive(Record)]` and its halves write.

mod attributes;
mod read;
mod shape;
mod write;

use attributes::Container;
use proc_macro2::TokenStream;
use quote::quote;
use shape::Shape;
use syn::{DeriveInput, GenericParam, Generics, Result, parse_quote};

/// `ToJson`, and serde's `Serialize` by it.
pub(crate) fn to_json(item: &DeriveInput) -> Result<TokenStream> {
    let container = Container::read(&item.attrs)?;
    let shape = Shape::read(item, &container)?;
    let generics = bounded(&item.generics, &parse_quote!(::wire::json::ToJson));
    let written = write::expand(&item.ident, &generics, &shape);
    let (name, (head, tail, bounds)) = (&item.ident, generics.split_for_impl());
    Ok(quote! {
        #written
        impl #head ::wire::json::serde::Serialize for #name #tail #bounds {
            fn serialize<S: ::wire::json::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                ::wire::json::serialize(self, serializer)
            }
        }
    })
}

/// `FromJson`, and serde's `Deserialize` by it.
pub(crate) fn from_json(item: &DeriveInput) -> Result<TokenStream> {
    let container = Container::read(&item.attrs)?;
    let shape = Shape::read(item, &container)?;
    let generics = bounded(&item.generics, &parse_quote!(::wire::json::FromJson));
    let read = read::expand(&item.ident, &generics, &shape, container.closed)?;
    let mut for_serde = generics.clone();
    for_serde.params.insert(0, parse_quote!('de));
    let (name, (_, tail, bounds)) = (&item.ident, generics.split_for_impl());
    let (head, ..) = for_serde.split_for_impl();
    Ok(quote! {
        #read
        impl #head ::wire::json::serde::Deserialize<'de> for #name #tail #bounds {
            fn deserialize<D: ::wire::json::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> ::core::result::Result<Self, D::Error> {
                ::wire::json::deserialize(deserializer)
            }
        }
    })
}

/// The parameters, each held to what the record's own fields are held to.
fn bounded(generics: &Generics, bound: &syn::TypeParamBound) -> Generics {
    let mut generics = generics.clone();
    for parameter in &mut generics.params {
        if let GenericParam::Type(parameter) = parameter {
            parameter.bounds.push(bound.clone());
        }
    }
    generics
}
