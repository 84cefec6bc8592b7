//! `FromJson`.

use super::shape::{Body, Named, Shape, Tagging, Variant};
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{Error, Generics, Result};

pub(crate) fn expand(name: &Ident, generics: &Generics, shape: &Shape, closed: bool) -> Result<TokenStream> {
    let (head, tail, bounds) = generics.split_for_impl();
    let (body, from_fields) = match shape {
        Shape::Transparent(field) => {
            let read = quote! { ::wire::json::FromJson::from_json(value, reader) };
            let body = field
                .as_ref()
                .map_or_else(|| quote! { Self(#read) }, |name| quote! { Self { #name: #read } });
            (body, None)
        }
        Shape::Struct(fields) => {
            let check = closed.then(|| only(name, fields, None)).transpose()?;
            let reads = read_fields(fields);
            (as_object(), Some(quote! { #check Self { #reads } }))
        }
        Shape::Enum(variants, Tagging::Names) => {
            let names = names(variants);
            let arms = choose(variants, |variant| {
                let ident = &variant.ident;
                Ok(quote! { Self::#ident })
            })?;
            (quote! { match reader.name(value, &[#(#names),*]) { #arms } }, None)
        }
        Shape::Enum(variants, Tagging::Around) => (around(variants)?, None),
        Shape::Enum(variants, Tagging::Among(tag)) => {
            let names = names(variants);
            let arms = choose(variants, |variant| among(variant, name, closed.then_some(tag.as_str())))?;
            (as_object(), Some(quote! { match fields.variant(#tag, &[#(#names),*]) { #arms } }))
        }
        Shape::Enum(variants, Tagging::Beside(tag, content)) => {
            let names = names(variants);
            let arms = choose(variants, |variant| Ok(inside(variant, content)))?;
            (as_object(), Some(quote! { match fields.variant(#tag, &[#(#names),*]) { #arms } }))
        }
    };
    let from_fields = from_fields.map(|body| {
        quote! {
            impl #head ::wire::json::FromFields for #name #tail #bounds {
                fn from_fields(fields: &mut ::wire::json::Fields<'_>) -> Self {
                    #body
                }
            }
        }
    });
    Ok(quote! {
        impl #head ::wire::json::FromJson for #name #tail #bounds {
            fn from_json(value: ::wire::json::Value, reader: &mut ::wire::json::Reader) -> Self {
                #body
            }
        }
        #from_fields
    })
}

fn as_object() -> TokenStream {
    quote! { ::wire::json::FromFields::from_fields(&mut ::wire::json::Fields::of(value, reader)) }
}

fn names(variants: &[Variant]) -> Vec<&str> {
    variants.iter().map(|variant| variant.name.as_str()).collect()
}

/// The arms of a match on a variant's number. An error counts as the first.
fn choose(variants: &[Variant], read: impl Fn(&Variant) -> Result<TokenStream>) -> Result<TokenStream> {
    let mut arms = Vec::new();
    for (index, variant) in variants.iter().enumerate().skip(1) {
        let read = read(variant)?;
        arms.push(quote! { #index => #read, });
    }
    let first = variants.first().map(read).transpose()?;
    Ok(quote! { #(#arms)* _ => #first, })
}

fn read_fields(fields: &[Named]) -> TokenStream {
    let reads = fields.iter().map(|field| {
        let (ident, name) = (&field.ident, &field.attributes.name);
        if field.attributes.flatten {
            return quote! { #ident: ::wire::json::FromFields::from_fields(fields) };
        }
        match &field.attributes.default {
            Some(default) => quote! { #ident: fields.take_or(#name, #default) },
            None => quote! { #ident: fields.take(#name) },
        }
    });
    quote! { #(#reads),* }
}

/// The check that there is no field beside these.
fn only(item: &Ident, fields: &[Named], tag: Option<&str>) -> Result<TokenStream> {
    if fields.iter().any(|field| field.attributes.flatten) {
        return Err(Error::new_spanned(item, "a record that flattens another cannot deny unknown fields"));
    }
    let names = tag.into_iter().chain(fields.iter().map(|field| field.attributes.name.as_str()));
    Ok(quote! { fields.only(&[#(#names),*]); })
}

fn among(variant: &Variant, item: &Ident, closed: Option<&str>) -> Result<TokenStream> {
    let ident = &variant.ident;
    Ok(match &variant.body {
        Body::Unit => {
            let check = closed.map(|tag| only(item, &[], Some(tag))).transpose()?;
            quote! { { #check Self::#ident } }
        }
        Body::One => quote! { Self::#ident(::wire::json::FromFields::from_fields(fields)) },
        Body::Fields(named) => {
            let check = closed.map(|tag| only(item, named, Some(tag))).transpose()?;
            let reads = read_fields(named);
            quote! { { #check Self::#ident { #reads } } }
        }
    })
}

/// A variant whose parts are the value of the field `place`.
fn inside(variant: &Variant, place: &str) -> TokenStream {
    let ident = &variant.ident;
    match &variant.body {
        Body::Unit => quote! { Self::#ident },
        Body::One => quote! { Self::#ident(fields.take(#place)) },
        Body::Fields(named) => {
            let reads = read_fields(named);
            quote! { fields.inside(#place, |fields| Self::#ident { #reads }) }
        }
    }
}

fn around(variants: &[Variant]) -> Result<TokenStream> {
    let units: Vec<&Variant> = variants.iter().filter(|variant| matches!(variant.body, Body::Unit)).collect();
    let others = || variants.iter().filter(|variant| !matches!(variant.body, Body::Unit));
    let other_names = others().map(|variant| variant.name.as_str());
    let mut arms: Vec<TokenStream> = Vec::new();
    let mut first = None;
    for (index, variant) in others().enumerate() {
        let read = inside(variant, &variant.name);
        if index == 0 {
            first = Some(read);
        } else {
            arms.push(quote! { #index => #read, });
        }
    }
    let object = quote! {
        {
            let fields = &mut ::wire::json::Fields::of(value, reader);
            match fields.only_variant(&[#(#other_names),*]) { #(#arms)* _ => #first, }
        }
    };
    if units.is_empty() {
        return Ok(object);
    }
    let unit_names = units.iter().map(|variant| variant.name.as_str());
    let mut arms: Vec<TokenStream> = Vec::new();
    let mut first = None;
    for (index, variant) in units.iter().enumerate() {
        let ident = &variant.ident;
        if index == 0 {
            first = Some(quote! { Self::#ident });
        } else {
            arms.push(quote! { #index => Self::#ident, });
        }
    }
    Ok(quote! {
        if value.is_object() #object else {
            match reader.name(value, &[#(#unit_names),*]) { #(#arms)* _ => #first, }
        }
    })
}
