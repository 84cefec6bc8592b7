//! Names in the spellings of the wire.

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
}
