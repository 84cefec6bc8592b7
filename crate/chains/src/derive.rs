//! A vault's accounts: from its root keys and chain code to a key and an address on every chain.
