//! `signed-tx-golden.json`: payloads with a private key, and the signed bytes and ids that must follow.

use super::Filter;
use super::case::{Difference, Outcome, Problem, images, instead_of, key, plain_hex, refusal, same, sign};
use super::payload::{FACTS, read};
use chains::transaction::{Account, Signed};
use chains::{Chain, Kind, encoding, keysign};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
pub(crate) struct Case {
    name: String,
    private_key_hex: String,
    curve: String,
    keysign_payload_base64: String,
    expected: Expected,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Expected {
    image_hashes: Vec<String>,
    raw_transaction: String,
    #[serde(default)]
    transaction_hash: String,
    /// Sui: beside the bytes.
    #[serde(default)]
    signature: Option<String>,
    #[serde(default)]
    approve_raw_transaction: Option<String>,
    #[serde(default)]
    approve_transaction_hash: Option<String>,
}

/// One of the transactions that a case expects.
struct Transmission<'a> {
    raw: &'a str,
    id: &'a str,
    detached: Option<&'a str>,
}

pub(crate) fn run(cases: Vec<Case>, filter: &Filter) -> Vec<(String, Outcome)> {
    let chain = |case: &Case| {
        let payload = read(&case.keysign_payload_base64).ok();
        payload.and_then(|payload| payload.coin).map_or_else(String::new, |coin| coin.chain)
    };
    let wanted = cases.into_iter().filter(|case| filter.wants(&chain(case)));
    wanted.map(|case| (case.name.clone(), Outcome::of(check(&case)))).collect()
}

fn check(case: &Case) -> Result<(), Difference> {
    let (chain, hashes, signed) = sign_payload(case).map_err(instead_of("signed transactions"))?;
    compare_hashes(chain, &case.expected.image_hashes, hashes)?;
    let expected = transmissions(&case.expected);
    same("transactions", &expected.len().to_string(), &signed.len().to_string())?;
    expected.iter().zip(&signed).try_for_each(|(expected, signed)| compare(chain, expected, signed))
}

fn sign_payload(case: &Case) -> Result<(Chain, Vec<String>, Vec<Signed>), Problem> {
    let key = key(&case.private_key_hex, case.curve == "ed25519")?;
    let payload = read(&case.keysign_payload_base64)?;
    let (chain, coin) = keysign::coin(&payload).map_err(|error| refusal(&error))?;
    let account = Account { chain, key: key.public(), address: coin.address.clone() };
    let transactions = keysign::transactions(&payload, &account, &FACTS).map_err(|error| refusal(&error))?;
    let hashes = transactions.iter().flat_map(images).collect();
    let signed = transactions.iter().map(|transaction| sign(transaction, &key).map(|(_, signed)| signed));
    Ok((chain, hashes, signed.collect::<Result<_, _>>()?))
}

fn compare_hashes(chain: Chain, expected: &[String], mut actual: Vec<String>) -> Result<(), Difference> {
    let mut expected: Vec<String> = expected.iter().map(|hash| plain_hex(hash)).collect();
    if chain.kind() == Kind::Utxo {
        expected.sort();
        actual.sort();
    }
    same("hashes", &expected.join(" "), &actual.join(" "))
}

fn transmissions(expected: &Expected) -> Vec<Transmission<'_>> {
    let approve = expected.approve_raw_transaction.as_deref().map(|raw| {
        let id = expected.approve_transaction_hash.as_deref().unwrap_or_default();
        Transmission { raw, id, detached: None }
    });
    let last = Transmission {
        raw: &expected.raw_transaction,
        id: &expected.transaction_hash,
        detached: expected.signature.as_deref(),
    };
    approve.into_iter().chain([last]).collect()
}

fn compare(chain: Chain, expected: &Transmission<'_>, signed: &Signed) -> Result<(), Difference> {
    compare_raw(chain, expected.raw, signed)?;
    if let Some(detached) = expected.detached {
        same("signature", detached, &signed.detached.as_deref().map(encoding::base64).unwrap_or_default())?;
    }
    // An empty id says that the other side did not compute one.
    if expected.id.is_empty() { Ok(()) } else { same("id", expected.id, &signed.id) }
}

/// Each kind's bytes are written in the form that its nodes take.
fn compare_raw(chain: Chain, expected: &str, signed: &Signed) -> Result<(), Difference> {
    match chain.kind() {
        Kind::Solana | Kind::Sui => same("bytes", expected, &encoding::base64(&signed.bytes)),
        Kind::Cosmos => {
            let json: Value = serde_json::from_str(expected).unwrap_or_default();
            let bytes = json.get("tx_bytes").and_then(Value::as_str).unwrap_or(expected);
            same("bytes", bytes, &encoding::base64(&signed.bytes))
        }
        // Equal cells can be written in several ways; the id is the hash of the root cell.
        Kind::Ton => Ok(()),
        Kind::Tron => compare_tron(expected, signed),
        _ => same("bytes", &plain_hex(expected), &encoding::hex(&signed.bytes)),
    }
}

/// The JSON form carries the same signature and an id that is the hash of the raw data.
fn compare_tron(expected: &str, signed: &Signed) -> Result<(), Difference> {
    let json: Value = serde_json::from_str(expected).unwrap_or_default();
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(plain_hex).unwrap_or_default();
    same("id", &text(json.get("txID")), &signed.id)?;
    let signature = text(json.get("signature").and_then(|list| list.get(0)));
    let bytes = encoding::hex(&signed.bytes);
    if !signature.is_empty() && bytes.contains(&signature) {
        return Ok(());
    }
    Err(Difference { expected: format!("bytes with signature {signature}"), actual: bytes })
}
