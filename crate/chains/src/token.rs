//! Tokens that everybody means by their ticker.
