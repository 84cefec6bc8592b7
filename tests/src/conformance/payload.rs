//! `keysign-payload-base64.json`: payloads and the hashes that must be signed for them.

use super::Filter;
use super::case::{Difference, Outcome, Problem, images, plain_hex, refusal, same};
use chains::encoding::{array_from_hex, from_base64};
use chains::signing::PublicKey;
use chains::transaction::{Account, NetworkFacts};
use chains::{Algorithm, keysign};
use serde::Deserialize;
use std::borrow::Cow;
use wire::keysign::KeysignPayload;

#[derive(Deserialize)]
pub(crate) struct Case {
    name: String,
    chain: String,
    keysign_payload_base64: String,
    expected_image_hashes: Vec<String>,
    #[serde(default)]
    compare_as_set: bool,
    #[serde(default)]
    note: String,
}

/// The four bytes that the Zcash cases put behind the personalisation; they are not in the payload.
pub(crate) const FACTS: NetworkFacts = NetworkFacts { zcash_branch: Some([0xc2, 0xd6, 0xd0, 0xb4]) };

/// How a case says that it lacks something which its hashes depend on.
const INCOMPLETE: &str = "not self-contained";

pub(crate) fn run(cases: Vec<Case>, filter: &Filter) -> Vec<(String, Outcome)> {
    let wanted = cases.into_iter().filter(|case| filter.wants(&case.chain));
    wanted.map(|case| (format!("{} ({})", case.name, case.chain), outcome(&case))).collect()
}

fn outcome(case: &Case) -> Outcome {
    match check(case) {
        Err(_) if case.note.starts_with(INCOMPLETE) => Outcome::Doubtful { reason: case.note.clone() },
        result => Outcome::of(result),
    }
}

fn check(case: &Case) -> Result<(), Difference> {
    let mut expected: Vec<String> = case.expected_image_hashes.iter().map(|hash| plain_hex(hash)).collect();
    let mut actual = match hashes(case) {
        Ok(hashes) => hashes,
        Err(actual) => return Err(Difference { expected: format!("hashes {}", expected.join(" ")), actual }),
    };
    if case.compare_as_set {
        expected.sort();
        actual.sort();
    }
    same("hashes", &expected.join(" "), &actual.join(" "))
}

fn hashes(case: &Case) -> Result<Vec<String>, Problem> {
    let payload = read(&case.keysign_payload_base64)?;
    let account = account(&payload)?;
    let transactions = keysign::transactions(&payload, &account, &FACTS).map_err(|error| refusal(&error))?;
    Ok(transactions.iter().flat_map(images).collect())
}

pub(crate) fn read(base64: &str) -> Result<KeysignPayload, Problem> {
    let bytes = from_base64("keysign_payload_base64", base64).map_err(|error| refusal(&error))?;
    KeysignPayload::from_bytes(&bytes).map_err(|error| error.to_string())
}

/// The account that the payload itself names: these cases come without a vault.
fn account(payload: &KeysignPayload) -> Result<Account, Problem> {
    let (chain, coin) = keysign::coin(payload).map_err(|error| refusal(&error))?;
    let field = "coin.hex_public_key";
    let key = match chain.algorithm() {
        Algorithm::Ecdsa => {
            array_from_hex(field, &compressed(&coin.hex_public_key)).map(PublicKey::Secp256k1)
        }
        Algorithm::Eddsa => array_from_hex(field, &coin.hex_public_key).map(PublicKey::Ed25519),
        // An account holds no such key; QBTC's payload code reads it from the coin.
        Algorithm::MlDsa44 => Ok(PublicKey::Ed25519([0; 32])),
    };
    Ok(Account { chain, key: key.map_err(|error| refusal(&error))?, address: coin.address.clone() })
}

/// Some wallets write the whole point: `04`, x and y. The short form is the parity of y, and x.
fn compressed(key: &str) -> Cow<'_, str> {
    let point = key.strip_prefix("04").filter(|point| point.len() == 128);
    let x = point.and_then(|point| point.get(..64));
    let is_odd = key.ends_with(['1', '3', '5', '7', '9', 'b', 'd', 'f', 'B', 'D', 'F']);
    x.map_or(Cow::Borrowed(key), |x| Cow::Owned(format!("{}{x}", if is_odd { "03" } else { "02" })))
}
