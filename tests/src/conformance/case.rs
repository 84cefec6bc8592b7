//! What became of a case, and the few values that every file writes the same way.

use chains::signing::{Image, Signature};
use chains::transaction::Signed;
use chains::{Transaction, TransactionError, encoding};
use vault::LocalKey;
use zeroize::Zeroizing;

/// What became of one case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Equal in everything.
    Passed,
    /// Different.
    Failed {
        /// What the file says.
        expected: String,
        /// What came out.
        actual: String,
    },
    /// Different, and the file itself says why it cannot be equal.
    Doubtful {
        /// The file's reason.
        reason: String,
    },
}

/// What became of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Its name.
    pub file: &'static str,
    /// Its cases by name, in its order.
    pub cases: Vec<(String, Outcome)>,
}

impl Report {
    /// Cases that were equal.
    pub fn passed(&self) -> usize {
        self.cases.iter().filter(|(_, outcome)| *outcome == Outcome::Passed).count()
    }

    /// Cases that were different.
    pub fn failed(&self) -> usize {
        self.cases.iter().filter(|(_, outcome)| matches!(outcome, Outcome::Failed { .. })).count()
    }

    /// Cases that cannot be equal.
    pub fn doubtful(&self) -> usize {
        self.cases.iter().filter(|(_, outcome)| matches!(outcome, Outcome::Doubtful { .. })).count()
    }
}

/// Something that should have worked and did not, in words.
pub(crate) type Problem = String;

impl Outcome {
    /// From a check that says what it expected and what it found.
    pub(crate) fn of(result: Result<(), Difference>) -> Self {
        match result {
            Ok(()) => Self::Passed,
            Err(Difference { expected, actual }) => Self::Failed { expected, actual },
        }
    }
}

/// What a case says and what came out instead.
#[derive(Debug)]
pub(crate) struct Difference {
    pub(crate) expected: String,
    pub(crate) actual: String,
}

/// Compares one value of a case; `what` stands before both sides.
pub(crate) fn same(what: &str, expected: &str, actual: &str) -> Result<(), Difference> {
    if expected == actual {
        return Ok(());
    }
    Err(Difference { expected: format!("{what} {expected}"), actual: format!("{what} {actual}") })
}

/// A case that should have given something gave an error.
pub(crate) fn instead_of(expected: &str) -> impl FnOnce(Problem) -> Difference + '_ {
    move |actual| Difference { expected: expected.to_owned(), actual }
}

/// An error with its code.
pub(crate) fn refusal(error: &TransactionError) -> Problem {
    format!("{}: {error}", error.code())
}

/// Hex without `0x`, in lower case.
pub(crate) fn plain_hex(text: &str) -> String {
    text.strip_prefix("0x").unwrap_or(text).to_ascii_lowercase()
}

/// The images of a transaction in hex.
pub(crate) fn images(transaction: &Transaction) -> Vec<String> {
    transaction.images().iter().map(|image| encoding::hex(image.as_bytes())).collect()
}

/// The private key of a case.
pub(crate) fn key(secret: &str, is_ed25519: bool) -> Result<LocalKey, Problem> {
    let secret: [u8; 32] =
        encoding::array_from_hex("private_key_hex", secret).map_err(|error| error.to_string())?;
    let secret = Zeroizing::new(secret);
    if is_ed25519 {
        return Ok(LocalKey::ed25519(&secret));
    }
    LocalKey::secp256k1(&secret).map_err(|error| error.to_string())
}

/// Signs a transaction with one key.
pub(crate) fn sign(transaction: &Transaction, key: &LocalKey) -> Result<(Vec<Signature>, Signed), Problem> {
    let sign = |image: &Image| key.sign(image).map_err(|error| error.to_string());
    let signatures: Vec<Signature> = transaction.images().iter().map(sign).collect::<Result<_, _>>()?;
    let signed = transaction.compile(&signatures).map_err(|error| error.to_string())?;
    Ok((signatures, signed))
}
