//! `ToJson`.

use super::shape::{Body, Named, Shape, Tagging, Variant};
use crate::names::unraw;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::Generics;

pub(crate) fn expand(name: &Ident, generics: &Generics, shape: &Shape) -> TokenStream {
    let (head, tail, bounds) = generics.split_for_impl();
    let (body, as_fields) = match shape {
        Shape::Transparent(field) => {
            let field = field.as_ref().map_or_else(|| quote! { 0 }, |name| quote! { #name });
            (quote! { ::wire::json::ToJson::to_json(&self.#field, out); }, None)
        }
        Shape::Struct(fields) => {
            let writes = fields.iter().map(|field| {
                let name = &field.ident;
                write_field(field, &quote! { &self.#name })
            });
            (in_braces(), Some(quote! { #(#writes)* }))
        }
        Shape::Enum(variants, Tagging::Names) => {
            let names = write_names(name, generics, variants);
            return quote! {
                #names
                impl #head ::wire::json::ToJson for #name #tail #bounds {
                    fn to_json(&self, out: &mut ::wire::json::Writer) {
                        out.text(::wire::json::Named::name(*self));
                    }
                }
            };
        }
        Shape::Enum(variants, Tagging::Around) => {
            let arms = variants.iter().map(around);
            (quote! { match self { #(#arms)* } }, None)
        }
        Shape::Enum(variants, Tagging::Among(tag)) => {
            let arms = variants.iter().map(|variant| among(variant, tag));
            (in_braces(), Some(quote! { match self { #(#arms)* } }))
        }
        Shape::Enum(variants, Tagging::Beside(tag, content)) => {
            let arms = variants.iter().map(|variant| beside(variant, tag, content));
            (in_braces(), Some(quote! { match self { #(#arms)* } }))
        }
    };
    let as_fields = as_fields.map(|writes| {
        quote! {
            impl #head ::wire::json::ToFields for #name #tail #bounds {
                fn to_fields(&self, out: &mut ::wire::json::Writer) {
                    #writes
                }
            }
        }
    });
    quote! {
        impl #head ::wire::json::ToJson for #name #tail #bounds {
            fn to_json(&self, out: &mut ::wire::json::Writer) {
                #body
            }
        }
        #as_fields
    }
}

fn in_braces() -> TokenStream {
    quote! {
        out.open();
        ::wire::json::ToFields::to_fields(self, out);
        out.close();
    }
}

fn write_names(name: &Ident, generics: &Generics, variants: &[Variant]) -> TokenStream {
    let (head, tail, bounds) = generics.split_for_impl();
    let names: Vec<&str> = variants.iter().map(|variant| variant.name.as_str()).collect();
    let idents = variants.iter().map(|variant| &variant.ident);
    quote! {
        impl #head ::wire::json::Named for #name #tail #bounds {
            const NAMES: &'static [&'static str] = &[#(#names),*];

            fn name(self) -> &'static str {
                match self { #(Self::#idents => #names,)* }
            }
        }
    }
}

/// `value` is a reference to the field.
fn write_field(field: &Named, value: &TokenStream) -> TokenStream {
    let name = &field.attributes.name;
    if field.attributes.flatten {
        return quote! { ::wire::json::ToFields::to_fields(#value, out); };
    }
    match &field.attributes.skip_if {
        Some(skip) => quote! { if !#skip(#value) { out.field(#name, #value); } },
        None => quote! { out.field(#name, #value); },
    }
}

/// The pattern of a variant, and what writes its fields.
fn parts(fields: &[Named]) -> (TokenStream, TokenStream) {
    let idents: Vec<&Ident> = fields.iter().map(|field| &field.ident).collect();
    let bound: Vec<Ident> = idents.iter().map(|ident| format_ident!("field_{}", unraw(ident))).collect();
    let writes = fields.iter().zip(&bound).map(|(field, bound)| write_field(field, &quote! { #bound }));
    (quote! { { #(#idents: #bound),* } }, quote! { #(#writes)* })
}

fn around(variant: &Variant) -> TokenStream {
    let Variant { ident, name, body } = variant;
    match body {
        Body::Unit => quote! { Self::#ident => out.text(#name), },
        Body::One => quote! {
            Self::#ident(inner) => {
                out.open();
                out.field(#name, inner);
                out.close();
            }
        },
        Body::Fields(fields) => {
            let (pattern, writes) = parts(fields);
            quote! {
                Self::#ident #pattern => {
                    out.open();
                    out.key(#name);
                    out.open();
                    #writes
                    out.close();
                    out.close();
                }
            }
        }
    }
}

fn among(variant: &Variant, tag: &str) -> TokenStream {
    let Variant { ident, name, body } = variant;
    match body {
        Body::Unit => quote! { Self::#ident => out.name(#tag, #name), },
        Body::One => quote! {
            Self::#ident(inner) => {
                out.name(#tag, #name);
                ::wire::json::ToFields::to_fields(inner, out);
            }
        },
        Body::Fields(fields) => {
            let (pattern, writes) = parts(fields);
            quote! {
                Self::#ident #pattern => {
                    out.name(#tag, #name);
                    #writes
                }
            }
        }
    }
}

fn beside(variant: &Variant, tag: &str, content: &str) -> TokenStream {
    let Variant { ident, name, body } = variant;
    match body {
        Body::Unit => quote! { Self::#ident => out.name(#tag, #name), },
        Body::One => quote! {
            Self::#ident(inner) => {
                out.name(#tag, #name);
                out.field(#content, inner);
            }
        },
        Body::Fields(fields) => {
            let (pattern, writes) = parts(fields);
            quote! {
                Self::#ident #pattern => {
                    out.name(#tag, #name);
                    out.key(#content);
                    out.open();
                    #writes
                    out.close();
                }
            }
        }
    }
}
