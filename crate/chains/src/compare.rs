//! Whether a transaction does what was claimed of it.
