//! `unsigned-tx.json`: raw transactions with a private key, what must follow from them, and bytes to be refused.

use super::Filter;
use super::case::{Difference, Outcome, Problem, images, instead_of, key, plain_hex, refusal, same, sign};
use chains::compare::{Claims, compare};
use chains::explain::{Effect, Explanation};
use chains::facts::Facts;
use chains::names::Names;
use chains::signing::{PublicKey, Signature};
use chains::transaction::{Account, Signed};
use chains::{Algorithm, Amount, Chain, Transaction, encoding, unsigned};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
pub(crate) struct Cases {
    valid: Vec<Case>,
    malformed: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    chain: String,
    signing_mode: String,
    unsigned_tx_hex: String,
    #[serde(default)]
    chain_context: Context,
    #[serde(default)]
    private_key_hex: String,
    #[serde(default)]
    from: String,
    #[serde(default)]
    expected: Expected,
    #[serde(default)]
    expected_error: String,
}

#[derive(Deserialize, Default)]
struct Context {
    chain_id: Option<String>,
    derive_path: Option<String>,
    tx_type: Option<String>,
}

#[derive(Deserialize, Default)]
struct Expected {
    #[serde(default)]
    hash: Option<String>,
    #[serde(default)]
    hashes: Option<Vec<String>>,
    #[serde(default)]
    message_hex: Option<String>,
    #[serde(default)]
    r: Option<String>,
    #[serde(default)]
    s: Option<String>,
    #[serde(default)]
    signature_hex: Option<String>,
    #[serde(default)]
    signature_base64: Option<String>,
    #[serde(default)]
    signed_tx_hex: Option<String>,
    #[serde(default)]
    tx_raw_base64: Option<String>,
    #[serde(default)]
    transaction_hash: String,
    #[serde(default)]
    decoded: Value,
}

pub(crate) fn run(cases: Cases, filter: &Filter) -> Vec<(String, Outcome)> {
    let valid = cases.valid.iter().filter(|case| filter.wants(&case.chain));
    let malformed = cases.malformed.iter().filter(|case| filter.wants(&case.chain));
    let valid = valid.map(|case| (case.name.clone(), Outcome::of(check(case))));
    let malformed =
        malformed.map(|case| (format!("refused: {}", case.name), Outcome::of(check_refused(case))));
    valid.chain(malformed).collect()
}

fn transaction(case: &Case, account: &Account) -> Result<Transaction, Problem> {
    let context = unsigned::Context {
        chain_id: case.chain_context.chain_id.clone(),
        derive_path: case.chain_context.derive_path.clone(),
        tx_type: case.chain_context.tx_type.clone(),
    };
    let transaction = unsigned::check_signing_mode(account, &case.signing_mode)
        .and_then(|()| unsigned::transaction(&case.unsigned_tx_hex, account, &context));
    transaction.map_err(|error| refusal(&error))
}

fn check(case: &Case) -> Result<(), Difference> {
    let (transaction, signatures, signed) = sign_raw(case).map_err(instead_of("a signed transaction"))?;
    let expected = &case.expected;
    let hashes = images(&transaction).join(" ");
    let wanted = expected.hashes.as_ref().map(|list| list.join(" ")).or_else(|| expected.hash.clone());
    optional("hash", wanted.as_deref().or(expected.message_hex.as_deref()), &hashes)?;
    compare_signature(expected, &signatures, &signed)?;
    optional("bytes", expected.signed_tx_hex.as_deref(), &encoding::hex(&signed.bytes))?;
    if let Some(bytes) = &expected.tx_raw_base64 {
        same("bytes", bytes, &encoding::base64(&signed.bytes))?;
    }
    same("id", &expected.transaction_hash, &signed.id)?;
    compare_view(&expected.decoded, &transaction.explain())
}

fn sign_raw(case: &Case) -> Result<(Transaction, Vec<Signature>, Signed), Problem> {
    let chain = Chain::parse(&case.chain).ok_or("a chain that is not known")?;
    let key = key(&case.private_key_hex, chain.algorithm() == Algorithm::Eddsa)?;
    let transaction = transaction(case, &Account { chain, key: key.public(), address: case.from.clone() })?;
    let (signatures, signed) = sign(&transaction, &key)?;
    Ok((transaction, signatures, signed))
}

fn compare_signature(
    expected: &Expected,
    signatures: &[Signature],
    signed: &Signed,
) -> Result<(), Difference> {
    let actual: String = signatures.iter().map(|signature| encoding::hex(&signature.0)).collect();
    if let (Some(r), Some(s)) = (&expected.r, &expected.s) {
        same("signature", &format!("{}{}", plain_hex(r), plain_hex(s)), &actual)?;
    }
    if let Some(detached) = &expected.signature_base64 {
        same("signature", detached, &signed.detached.as_deref().map(encoding::base64).unwrap_or_default())?;
    }
    optional("signature", expected.signature_hex.as_deref(), &actual)
}

fn optional(what: &str, expected: Option<&str>, actual: &str) -> Result<(), Difference> {
    expected.map_or(Ok(()), |expected| same(what, &plain_hex(expected), actual))
}

/// The fields of the decoded view that an explanation also has.
fn compare_view(view: &Value, found: &Explanation) -> Result<(), Difference> {
    let text = |name: &str| match view.get(name) {
        Some(Value::String(text)) => Some(text.clone()),
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => None,
    };
    let number = |number: Option<u64>| number.map_or_else(String::new, |number| number.to_string());
    let amount = |amount: Option<Amount>| amount.map_or_else(String::new, |amount| amount.to_string());
    let checks = [
        ("nonce", text("nonce").or_else(|| text("sequence")), number(found.nonce)),
        ("gas limit", text("gas_limit"), number(found.gas_limit)),
        ("fee", text("fee_ceiling_wei").or_else(|| text("fee")), amount(found.fee.known())),
        ("from", text("fee_payer").or_else(|| text("sender")), found.from.clone()),
        ("native value", text("value"), amount(native_value(found))),
    ];
    checks.iter().try_for_each(|(what, expected, actual)| {
        expected.as_ref().map_or(Ok(()), |expected| same(what, expected, actual))
    })?;
    compare_recipient(text("to"), found)?;
    compare_outputs(view, found)
}

/// The view names only parties of the effects.
fn compare_recipient(to: Option<String>, found: &Explanation) -> Result<(), Difference> {
    let claims = Claims { to: to.clone(), ..Claims::default() };
    let names = Names { chain: found.chain, own: &[], facts: Facts::default() };
    let contradictions = compare(found, &claims, names).contradictions;
    let actual = contradictions.first().map(|lie| lie.actual.as_str()).or(to.as_deref()).unwrap_or_default();
    same("to", to.as_deref().unwrap_or_default(), actual)
}

/// Every output with an amount, and whether it returns to the signer.
fn compare_outputs(view: &Value, found: &Explanation) -> Result<(), Difference> {
    let Some(outputs) = view.get("outputs").and_then(Value::as_array) else {
        return Ok(());
    };
    let field = |output: &Value, name: &str| output.get(name).map(ToString::to_string).unwrap_or_default();
    let expected = outputs
        .iter()
        .map(|output| format!("{} {}", field(output, "value").trim_matches('"'), field(output, "is_change")));
    let actual = found.effects.iter().filter_map(|effect| match effect {
        Effect::Transfer { amount, .. } => Some(format!("{amount} false")),
        Effect::Change { amount, .. } => Some(format!("{amount} true")),
        _ => None,
    });
    let expected: Vec<String> = expected.filter(|output| !output.starts_with("0 ")).collect();
    same("outputs", &expected.join(", "), &actual.collect::<Vec<_>>().join(", "))
}

/// Native coins that leave the signer with the transaction itself.
fn native_value(found: &Explanation) -> Option<Amount> {
    use chains::explain::Asset;
    let of = |effect: &Effect| match effect {
        Effect::Transfer { asset: Asset::Native, amount, .. } => *amount,
        Effect::Call { value, .. } | Effect::Create { value, .. } => *value,
        // Coins that become wrapped coins of the signer's own.
        Effect::Note { name, fields } if name == "wrapSol" => {
            let amount = fields.iter().find(|(name, _)| name == "lamports").map(|(_, amount)| amount);
            amount.and_then(|amount| amount.parse().ok()).unwrap_or_default()
        }
        _ => Amount::ZERO,
    };
    Some(found.effects.iter().map(of).fold(Amount::ZERO, |sum, amount| sum.saturating_add(amount)))
}

/// A refusal counts; its code counts where the case insists on one.
fn check_refused(case: &Case) -> Result<(), Difference> {
    let accepted = |transaction: Transaction| Difference {
        expected: format!("refused with {}", case.expected_error),
        actual: format!("accepted: {:?}", transaction.explain()),
    };
    let chain = Chain::parse(&case.chain).ok_or("a chain that is not known".to_owned());
    let chain = chain.map_err(instead_of("a known chain"))?;
    let account = Account { chain, key: any_key(chain), address: case.from.clone() };
    let code = match transaction(case, &account) {
        Ok(transaction) => return Err(accepted(transaction)),
        Err(error) => error,
    };
    let code = code.split(':').next().unwrap_or_default();
    match case.expected_error.as_str() {
        "" | "malformed" | "unsupported_tx_type" => Ok(()),
        expected => same("code", expected, code),
    }
}

/// A key for cases that are refused before any key matters: the generators of the two curves.
fn any_key(chain: Chain) -> PublicKey {
    let mut base = [0x66; 32];
    base[0] = 0x58;
    let generator = "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798";
    match chain.algorithm() {
        Algorithm::Eddsa => PublicKey::Ed25519(base),
        _ => PublicKey::Secp256k1(encoding::array_from_hex("generator", generator).unwrap_or([2; 33])),
    }
}
