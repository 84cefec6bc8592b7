//! What `#[derive(Code)]` writes.

use crate::names::snake_case;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Data, DeriveInput, Error, Fields, GenericArgument, LitStr, PathArguments, Result, Type, Variant};

/// Where the code of a variant comes from.
enum Source<'a> {
    /// It is its own.
    Own(String),
    /// The error that it wraps has it.
    Inner(&'a Type),
}

pub(crate) fn expand(item: &DeriveInput) -> Result<TokenStream> {
    let Data::Enum(data) = &item.data else {
        return Err(Error::new_spanned(&item.ident, "`Code` is derived for enums: a variant is a code"));
    };
    if !item.generics.params.is_empty() {
        return Err(Error::new_spanned(&item.generics, "an error with codes has no parameters"));
    }
    let mut arms = Vec::new();
    let mut own: Vec<String> = Vec::new();
    let mut parts = Vec::new();
    for variant in &data.variants {
        let name = &variant.ident;
        match source(variant)? {
            Source::Own(code) => {
                arms.push(quote! { Self::#name { .. } => #code, });
                if !own.contains(&code) {
                    parts.push(quote! { &[#code] });
                    own.push(code);
                }
            }
            Source::Inner(inner) => {
                arms.push(quote! { Self::#name(inner) => inner.code(), });
                parts.push(quote_spanned! { inner.span() => <#inner>::CODES });
            }
        }
    }
    let name = &item.ident;
    let body = if arms.is_empty() {
        quote! { *self }
    } else {
        quote! { self }
    };
    Ok(quote! {
        impl #name {
            /// Every code that [`Self::code`] can give; one may stand here twice.
            pub const CODES: &'static [&'static str] = {
                const PARTS: &[&[&str]] = &[#(#parts),*];
                const LENGTH: usize = {
                    let mut parts = PARTS;
                    let mut length = 0;
                    while let [part, rest @ ..] = parts {
                        length += part.len();
                        parts = rest;
                    }
                    length
                };
                const JOINED: [&str; LENGTH] = {
                    let mut joined = [""; LENGTH];
                    let mut free: &mut [&str] = &mut joined;
                    let mut parts = PARTS;
                    while let [part, rest @ ..] = parts {
                        let mut codes: &[&str] = part;
                        while let [code, more @ ..] = codes {
                            if let [slot, left @ ..] = free {
                                *slot = *code;
                                free = left;
                            } else {
                                break;
                            }
                            codes = more;
                        }
                        parts = rest;
                    }
                    joined
                };
                &JOINED
            };

            /// The code that programs read; it does not change.
            pub const fn code(&self) -> &'static str {
                match #body { #(#arms)* }
            }
        }
    })
}

fn source(variant: &Variant) -> Result<Source<'_>> {
    let mut source = Source::Own(snake_case(&variant.ident.to_string()));
    for attribute in variant.attrs.iter().filter(|attribute| attribute.path().is_ident("code")) {
        source = attribute.parse_args_with(|input: syn::parse::ParseStream<'_>| {
            if input.peek(LitStr) {
                let code: LitStr = input.parse()?;
                return own(&code);
            }
            let word: syn::Ident = input.parse()?;
            if word != "transparent" {
                return Err(Error::new_spanned(word, "`#[code(\"…\")]` or `#[code(transparent)]`"));
            }
            inner(variant).map(Source::Inner)
        })?;
    }
    Ok(source)
}

fn own(code: &LitStr) -> Result<Source<'static>> {
    let text = code.value();
    let plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
    if text.is_empty() || !text.chars().all(plain) {
        return Err(Error::new_spanned(code, "a code is snake_case: lower-case letters, digits and `_`"));
    }
    Ok(Source::Own(text))
}

/// The type of the error that a variant wraps; of what is in the box, if it is in one.
fn inner(variant: &Variant) -> Result<&Type> {
    let Fields::Unnamed(fields) = &variant.fields else {
        return Err(Error::new_spanned(variant, "`transparent` stands on a variant with one unnamed field"));
    };
    let mut fields = fields.unnamed.iter();
    match (fields.next(), fields.next()) {
        (Some(field), None) => Ok(unboxed(&field.ty)),
        _ => Err(Error::new_spanned(variant, "`transparent` stands on a variant with one unnamed field")),
    }
}

fn unboxed(whole: &Type) -> &Type {
    let Type::Path(path) = whole else { return whole };
    let Some(last) = path.path.segments.last().filter(|last| last.ident == "Box") else { return whole };
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return whole };
    match arguments.args.first() {
        Some(GenericArgument::Type(inner)) => inner,
        _ => whole,
    }
}
