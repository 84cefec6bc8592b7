//! Codes of errors: from the variant's name, from an attribute, from the error that is wrapped.

use countersign_derive::Code;

/// Why an address is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, Code)]
enum AddressError {
    /// Nothing there.
    #[error("an address is not empty")]
    Empty,
    /// Of another network.
    #[error("prefix {found}")]
    Ss58Prefix {
        /// The prefix that is there.
        found: u16,
    },
}

/// Why a transaction is not taken.
#[derive(Debug, thiserror::Error, Code)]
enum TransactionError {
    /// Not the protobuf message.
    #[error("not a payload")]
    #[code("malformed")]
    Payload(u8),
    /// Not what the chain's rules take.
    #[error("malformed")]
    Malformed,
    /// An address in it.
    #[error(transparent)]
    #[code(transparent)]
    Address(#[from] AddressError),
    /// The same on the heap.
    #[error(transparent)]
    #[code(transparent)]
    Boxed(Box<AddressError>),
}

/// An error that cannot happen.
#[derive(Code)]
enum NeverError {}

#[test]
fn code_is_the_variant_in_snake_case() {
    const CODE: &str = AddressError::Empty.code();
    assert_eq!(CODE, "empty");
    assert_eq!(AddressError::Ss58Prefix { found: 7 }.code(), "ss58_prefix");
}

#[test]
fn attribute_names_another_code() {
    assert_eq!(TransactionError::Payload(1).code(), "malformed");
    assert_eq!(TransactionError::Malformed.code(), "malformed");
}

#[test]
fn code_of_a_wrapped_error_passes_through() {
    assert_eq!(TransactionError::Address(AddressError::Empty).code(), "empty");
    assert_eq!(
        TransactionError::Boxed(Box::new(AddressError::Ss58Prefix { found: 7 })).code(),
        "ss58_prefix"
    );
}

#[test]
fn all_codes_are_listed() {
    assert_eq!(AddressError::CODES, ["empty", "ss58_prefix"]);
    assert_eq!(TransactionError::CODES, ["malformed", "empty", "ss58_prefix", "empty", "ss58_prefix"]);
    assert!(NeverError::CODES.is_empty());
    let code: fn(&NeverError) -> &'static str = NeverError::code;
    let _ = code;
}
