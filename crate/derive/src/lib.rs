//! Derives for the types of the wire.
//!
//! [`Code`](macro@Code) gives an error its stable code: what programs read, what the popup's table of sentences is
//! keyed by, and what stands before the sentence in a result.

mod code;
mod names;

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
