//! Derives for the types of the wire.
//!
//! [`Code`](macro@Code) gives an error its stable code: what programs read, what the popup's table of sentences is
//! keyed by, and what stands before the sentence in a result.
//!
//! [`Record`](macro@Record) lets a type be read from JSON and written as JSON by the code that all records share
//! (`wire::json`), with serde's attributes and in serde's bytes.

mod code;
mod names;
mod record;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Gives an error enum `code()`, the stable code of a variant, and `CODES`, the codes of all variants.
///
/// A code is the variant's name in snake_case. `#[code("…")]` names another, for example where a published code
/// differs from the name or where two variants share one. `#[code(transparent)]` stands on a variant with one unnamed
/// field, another error that derives `Code`: its code passes through, and its codes are among `CODES`.
///
/// ```
/// use countersign_derive::Code;
///
/// /// Why a key is not taken.
/// #[derive(Code)]
/// pub enum KeyError {
///     /// Not 32 bytes.
///     WrongLength,
///     /// No number of the curve's group.
///     #[code("invalid_private_key")]
///     OutOfRange,
/// }
///
/// /// Why a vault is not made.
/// #[derive(Code)]
/// pub enum VaultError {
///     /// There is one with this key.
///     VaultExists {
///         /// Its id.
///         id: String,
///     },
///     /// Its key is not taken.
///     #[code(transparent)]
///     Key(KeyError),
/// }
///
/// assert_eq!(VaultError::VaultExists { id: "02ab".into() }.code(), "vault_exists");
/// assert_eq!(VaultError::Key(KeyError::OutOfRange).code(), "invalid_private_key");
/// assert_eq!(VaultError::CODES, ["vault_exists", "wrong_length", "invalid_private_key"]);
/// ```
#[proc_macro_derive(Code, attributes(code))]
pub fn derive_code(item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    code::expand(&item).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Reads and writes a type as JSON: [`FromJson`](macro@FromJson) and [`ToJson`](macro@ToJson).
///
/// The attributes are those of serde that have a meaning here, with serde's meaning: on a type `rename_all`,
/// `rename_all_fields`, `tag`, `content`, `transparent`, `deny_unknown_fields`; on a variant `rename`; on a field
/// `rename`, `default`, `skip_serializing_if`, `flatten`. Any other is an error. `#[record(…)]` takes the same, for
/// what a reader of serde's attributes need not see.
///
/// A struct is an object, or what its one field without a name is. An enum is written as serde writes it: a name alone,
/// around, among or beside what the variant is made of.
#[proc_macro_derive(Record, attributes(serde, record))]
pub fn derive_record(item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    let both = record::to_json(&item).and_then(|mut written| {
        written.extend(record::from_json(&item)?);
        Ok(written)
    });
    both.unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Writes a type as JSON; serde's `Serialize` writes the same text.
#[proc_macro_derive(ToJson, attributes(serde, record))]
pub fn derive_to_json(item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    record::to_json(&item).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Reads a type from JSON; serde's `Deserialize` reads the same.
#[proc_macro_derive(FromJson, attributes(serde, record))]
pub fn derive_from_json(item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    record::from_json(&item).unwrap_or_else(syn::Error::into_compile_error).into()
}
