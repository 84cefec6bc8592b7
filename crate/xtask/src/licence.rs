//! Licence expressions (SPDX): `MIT OR (Apache-2.0 AND BSD-3-Clause)`, and whether a list of licences covers them.

use anyhow::{Result, bail};

/// Whether the `accepted` licences satisfy this expression.
///
/// `/` between names is the old way to write `OR`; `AND` binds more tightly than `OR`.
pub(crate) fn is_covered(expression: &str, accepted: &[&str]) -> Result<bool> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let mut words = Words { words: spaced.split_whitespace().collect(), accepted };
    words.words.reverse();
    let covered = words.any()?;
    match words.words.pop() {
        None => Ok(covered),
        Some(word) => bail!("`{expression}`: unexpected `{word}`"),
    }
}

/// What is left of an expression, its next word last.
struct Words<'a> {
    words: Vec<&'a str>,
    accepted: &'a [&'a str],
}

impl Words<'_> {
    fn any(&mut self) -> Result<bool> {
        let mut covered = self.all()?;
        while self.words.pop_if(|word| *word == "OR").is_some() {
            covered |= self.all()?;
        }
        Ok(covered)
    }

    fn all(&mut self) -> Result<bool> {
        let mut covered = self.one()?;
        while self.words.pop_if(|word| *word == "AND").is_some() {
            covered &= self.one()?;
        }
        Ok(covered)
    }

    fn one(&mut self) -> Result<bool> {
        match self.words.pop() {
            Some("(") => {
                let covered = self.any()?;
                match self.words.pop() {
                    Some(")") => Ok(covered),
                    _ => bail!("a bracket is not closed"),
                }
            }
            None | Some(")" | "AND" | "OR" | "WITH") => bail!("a licence is missing"),
            Some(name) if self.words.pop_if(|word| *word == "WITH").is_some() => match self.words.pop() {
                Some(exception) => Ok(self.accepts(&format!("{name} WITH {exception}"))),
                None => bail!("an exception is missing"),
            },
            Some(name) => Ok(self.accepts(name)),
        }
    }

    fn accepts(&self, name: &str) -> bool {
        self.accepted.contains(&name)
    }
}

#[cfg(test)]
mod tests {
    use super::is_covered;

    const ACCEPTED: &[&str] = &["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "Unicode-3.0"];

    #[test]
    fn expressions_are_weighed() {
        for (expression, covered) in [
            ("MIT", true),
            ("GPL-3.0-only", false),
            ("MIT OR GPL-3.0-only", true),
            ("GPL-3.0-only OR MIT", true),
            ("MIT/GPL-3.0", true),
            ("MIT AND GPL-3.0-only", false),
            ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
            ("MIT OR Apache-2.0 AND GPL-3.0-only", true),
            ("(MIT OR Apache-2.0) AND GPL-3.0-only", false),
            ("Apache-2.0 WITH LLVM-exception", true),
            ("MIT WITH LLVM-exception", false),
            ("Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT", true),
        ] {
            assert_eq!(is_covered(expression, ACCEPTED).unwrap(), covered, "{expression}");
        }
    }

    #[test]
    fn broken_expressions_are_refused() {
        for expression in ["", "MIT OR", "(MIT", "MIT)", "MIT Apache-2.0", "AND", "MIT WITH"] {
            assert!(is_covered(expression, ACCEPTED).is_err(), "{expression}");
        }
    }
}
