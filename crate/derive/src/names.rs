//! Names in the spellings of the wire.

use syn::Ident;
use syn::ext::IdentExt as _;

/// How names are spelt on the wire.
#[derive(Clone, Copy, Default)]
pub(crate) enum Spelling {
    /// As in Rust.
    #[default]
    AsIs,
    /// `vault_exists`.
    Snake,
    /// `vaultExists`.
    Camel,
}

impl Spelling {
    /// By serde's name for it.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "snake_case" => Some(Self::Snake),
            "camelCase" => Some(Self::Camel),
            _ => None,
        }
    }

    /// A field, which is snake_case in Rust.
    pub(crate) fn field(self, name: &str) -> String {
        match self {
            Self::AsIs | Self::Snake => name.to_owned(),
            Self::Camel => camel_case(name),
        }
    }

    /// A variant, which is PascalCase in Rust.
    pub(crate) fn variant(self, name: &str) -> String {
        match self {
            Self::AsIs => name.to_owned(),
            Self::Snake => snake_case(name),
            Self::Camel => camel_case(&snake_case(name)),
        }
    }
}

/// `r#type` as `type`.
pub(crate) fn unraw(name: &Ident) -> String {
    name.unraw().to_string()
}

/// `VaultExists` as `vault_exists`.
pub(crate) fn snake_case(name: &str) -> String {
    let mut text = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.extend(letter.to_lowercase());
    }
    text
}

/// `vault_exists` as `vaultExists`.
fn camel_case(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    let mut raise = false;
    for letter in name.chars() {
        match letter {
            '_' => raise = true,
            _ if raise => {
                text.extend(letter.to_uppercase());
                raise = false;
            }
            _ => text.push(letter),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_in_snake_case() {
        let cases = [("Missing", "missing"), ("NotAPoint", "not_a_point"), ("Ss58Prefix", "ss58_prefix")];
        for (name, expected) in cases {
            assert_eq!(snake_case(name), expected);
        }
    }

    #[test]
    fn fields_in_camel_case() {
        let cases = [("id", "id"), ("tx_hash", "txHash"), ("public_key_ecdsa", "publicKeyEcdsa")];
        for (name, expected) in cases {
            assert_eq!(Spelling::Camel.field(name), expected);
        }
        assert_eq!(Spelling::Camel.variant("VaultExists"), "vaultExists");
    }
}
