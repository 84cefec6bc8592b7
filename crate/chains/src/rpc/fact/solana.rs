//! A mint: its account says the decimals (a fixed place of the Token program's record). The ticker is in an extension of
//! Token-2022's mints, or in the account that Metaplex's program keeps for a mint.
//!
//! ```text
//! mint        authority 36 ‖ supply 8 ‖ decimals 1 ‖ initialised 1 ‖ freeze authority 36
//! Token-2022  mint, zeros up to 165 ‖ 01 ‖ extensions: type 2 ‖ length 2 ‖ value
//! metadata    authority 32 ‖ mint 32 ‖ name ‖ ticker ‖ address; texts behind their length of 4 bytes
//! Metaplex    04 ‖ metadata, texts filled up with zeros
//! ```

use super::Token;
use crate::encoding::from_base64;
use crate::hash::sha256;
use crate::rpc::{Request, Response};
use curve25519_dalek::edwards::CompressedEdwardsY;
use serde_json::{Value, json};

const TOKEN: &str = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA";
const TOKEN_2022: &str = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb";
const METAPLEX: &str = "metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s";

const MINT_LENGTH: usize = 82;
const DECIMALS_AT: usize = 44;
/// Where a Token-2022 account says what it is, and what it says if it is a mint.
const KIND_AT: usize = 165;
const IS_MINT: u8 = 1;
/// The extension with a token's name and ticker.
const METADATA: u16 = 19;
/// What Metaplex's accounts begin with that describe a mint.
const METAPLEX_METADATA: u8 = 4;

pub(super) fn ask(id: &str) -> Option<Vec<Request>> {
    let mint = key(id)?;
    let account = |name: &str| {
        let options = json!({ "encoding": "base64", "commitment": "confirmed" });
        Request::json_rpc("getAccountInfo", &json!([name, options]))
    };
    Some(vec![account(&bs58::encode(mint).into_string()), account(&described_by(&mint)?)])
}

pub(super) fn read(id: &str, responses: &[Response]) -> Option<Token> {
    let mint = key(id)?;
    let [account, metaplex] = responses else { return None };
    let (owner, bytes) = account_of(account)?;
    let is_2022 = owner == TOKEN_2022;
    let is_mint = match bytes.len() {
        MINT_LENGTH => is_2022 || owner == TOKEN,
        _ => is_2022 && bytes.get(KIND_AT) == Some(&IS_MINT),
    };
    if !is_mint || bytes.get(DECIMALS_AT + 1) != Some(&1) {
        return None;
    }
    let decimals = bytes.get(DECIMALS_AT).copied();
    let own = extension(&bytes, METADATA).and_then(|data| ticker(data, &mint));
    let kept = || {
        let (owner, bytes) = account_of(metaplex).filter(|(owner, _)| owner == METAPLEX)?;
        let (kind, data) = bytes.split_first().filter(|_| owner == METAPLEX)?;
        ticker(data, &mint).filter(|_| *kind == METAPLEX_METADATA)
    };
    Some(Token { ticker: own.or_else(kept), decimals, collection: false })
}

fn key(id: &str) -> Option<[u8; 32]> {
    bs58::decode(id).into_vec().ok()?.try_into().ok()
}

/// The account in which Metaplex's program describes a mint: the first hash, with a counter that runs down from 255, that
/// is not a point of the curve.
fn described_by(mint: &[u8; 32]) -> Option<String> {
    let program = key(METAPLEX)?;
    let found = (0..=u8::MAX).rev().find_map(|bump| {
        let seeds = [b"metadata", program.as_slice(), mint, &[bump], &program, b"ProgramDerivedAddress"];
        let hash = sha256(&seeds.concat());
        CompressedEdwardsY(hash).decompress().is_none().then_some(hash)
    })?;
    Some(bs58::encode(found).into_string())
}

/// The program that owns an account, and its bytes.
fn account_of(response: &Response) -> Option<(String, Vec<u8>)> {
    let mut result = response.result()?;
    let value = result.get_mut("value")?;
    let owner = value.get("owner")?.as_str()?.to_owned();
    let (data, form) =
        (value.pointer("/data/0")?.as_str()?, value.pointer("/data/1").and_then(Value::as_str));
    (form == Some("base64")).then(|| from_base64("data", data).ok())?.map(|bytes| (owner, bytes))
}

/// The value of an extension of a Token-2022 mint.
fn extension(bytes: &[u8], wanted: u16) -> Option<&[u8]> {
    let mut rest = bytes.get(KIND_AT + 1..)?;
    loop {
        let (kind, after) = rest.split_first_chunk()?;
        let (length, after) = after.split_first_chunk()?;
        let (value, after) = after.split_at_checked(usize::from(u16::from_le_bytes(*length)))?;
        if u16::from_le_bytes(*kind) == wanted {
            return Some(value);
        }
        rest = after;
    }
}

/// The ticker in a description of this mint.
fn ticker(data: &[u8], mint: &[u8; 32]) -> Option<String> {
    let (_, rest) = data.split_at_checked(32)?;
    let (described, rest) = rest.split_first_chunk()?;
    let (_, rest) = text(rest).filter(|_| described == mint)?;
    let (ticker, _) = text(rest)?;
    let end = ticker.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    super::ticker(ticker.get(..end)?)
}

fn text(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    rest.split_at_checked(usize::try_from(u32::from_le_bytes(*length)).ok()?)
}

/// A mint account as a node answers it, for tests.
#[cfg(test)]
pub(super) fn answer(owner: &str, bytes: &[u8]) -> Response {
    crate::rpc::check::tests::result(&json!({
        "context": { "slot": 1 },
        "value": { "owner": owner, "data": [crate::encoding::base64(bytes), "base64"], "lamports": 1 },
    }))
}
