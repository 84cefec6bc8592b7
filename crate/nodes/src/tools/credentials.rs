//! The credentials that the server's guarded paths accept.
//!
//! A request to `/hmac/{algorithm}/{encoding}` has the time in `X-Timestamp` (seconds or milliseconds since 1970, at most
//! five minutes off) and in `X-Signature` the HMAC of four lines: method, path, timestamp, body. The path is taken with
//! or without its query; the answer says in `covers` which it was (`target` or `path`).

use super::ToolRequest;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256, Sha512};
use std::time::{SystemTime, UNIX_EPOCH};

/// The token of `/bearer`.
pub const TOKEN: &str = "open-sesame-7f3a";
/// The user of `/basic`.
pub const USER: &str = "ada";
/// The password of `/basic`. A colon and letters beyond ASCII are allowed in passwords.
pub const PASSWORD: &str = "analytical:engine-ü";
/// The key of `/key`, as header `X-Api-Key` or as `api_key` in the query. In a URL it must be encoded.
pub const API_KEY: &str = "k-9b1d/+&=";
/// The key of `/hmac/…`.
pub const HMAC_KEY: &str = "hmac-key-51c8";

/// How far a timestamp may be off, in seconds.
const TOLERANCE: u64 = 300;

/// What a guarded path says about a request: the reason it is refused, or a word on what was checked.
pub(super) type Checked = Result<&'static str, &'static str>;

/// `Authorization: Bearer`.
pub(super) fn bearer(request: &ToolRequest) -> Checked {
    match bearer_token(request) {
        Some(TOKEN) => Ok("bearer"),
        Some(_) => Err("wrong token"),
        None => Err("no token"),
    }
}

/// The token of `Authorization: Bearer`.
pub(super) fn bearer_token(request: &ToolRequest) -> Option<&str> {
    request.header("authorization")?.strip_prefix("Bearer ")
}

/// `Authorization: Basic` in UTF-8 (RFC 7617).
pub(super) fn basic(request: &ToolRequest) -> Checked {
    let encoded = request.header("authorization").and_then(|value| value.strip_prefix("Basic "));
    let encoded = encoded.ok_or("no user")?;
    let pair = STANDARD.decode(encoded).map_err(|_| "not base64")?;
    if pair == format!("{USER}:{PASSWORD}").as_bytes() { Ok("basic") } else { Err("wrong user or password") }
}

/// The key in a header or in the query.
pub(super) fn key(request: &ToolRequest) -> Checked {
    if request.header("x-api-key") == Some(API_KEY) {
        Ok("header")
    } else if request.argument("api_key").as_deref() == Some(API_KEY) {
        Ok("query")
    } else {
        Err("no key, or a wrong one")
    }
}

/// The signature of `/hmac/{algorithm}/{encoding}`.
pub(super) fn hmac(request: &ToolRequest, algorithm: &str, encoding: &str) -> Checked {
    let signature = request.header("x-signature").ok_or("no signature")?;
    let timestamp = request.header("x-timestamp").ok_or("no timestamp")?;
    if !is_fresh(timestamp) {
        return Err("the timestamp is no time, or too far off");
    }
    let signed = |path: &str| -> Result<bool, &'static str> {
        let mut message = format!("{}\n{path}\n{timestamp}\n", request.method).into_bytes();
        message.extend_from_slice(&request.body);
        let mac = match algorithm {
            "sha256" => mac::<Sha256>(HMAC_KEY.as_bytes(), &message, 64),
            "sha512" => mac::<Sha512>(HMAC_KEY.as_bytes(), &message, 128),
            _ => return Err("no such algorithm"),
        };
        match encoding {
            "hex" => Ok(signature.eq_ignore_ascii_case(&hex(&mac))),
            "base64" => Ok(signature == STANDARD.encode(mac)),
            _ => Err("no such encoding"),
        }
    };
    if signed(&request.path)? {
        Ok("path")
    } else if signed(&format!("{}?{}", request.path, request.query))? {
        Ok("target")
    } else {
        Err("wrong signature")
    }
}

fn is_fresh(timestamp: &str) -> bool {
    let Ok(given) = timestamp.parse::<u64>() else { return false };
    // Seconds reach this number in the year 5138, milliseconds reached it in 1973.
    let given = if given > 100_000_000_000 { given / 1000 } else { given };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    now.abs_diff(given) <= TOLERANCE
}

/// HMAC as RFC 2104 writes it, by hand: the wallet uses a library, and must not be checked by the same one.
fn mac<D: Digest>(key: &[u8], message: &[u8], block: usize) -> Vec<u8> {
    let mut key = if key.len() > block { D::digest(key).to_vec() } else { key.to_vec() };
    key.resize(block, 0);
    let pad = |with: u8| key.iter().map(|byte| byte ^ with).collect::<Vec<u8>>();
    let inner = D::new().chain_update(pad(0x36)).chain_update(message).finalize();
    D::new().chain_update(pad(0x5c)).chain_update(inner).finalize().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 4231, test cases 2 and 6: a short key, and one longer than a block.
    #[test]
    fn mac_of_the_standard() {
        let (key, message) = (b"Jefe".as_slice(), b"what do ya want for nothing?".as_slice());
        assert_eq!(
            hex(&mac::<Sha256>(key, message, 64)),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        assert!(
            hex(&mac::<Sha512>(key, message, 128))
                .starts_with("164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd6")
        );
        let (key, message) =
            ([0xaa; 131], b"Test Using Larger Than Block-Size Key - Hash Key First".as_slice());
        assert_eq!(
            hex(&mac::<Sha256>(&key, message, 64)),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        );
        assert!(
            hex(&mac::<Sha512>(&key, message, 128))
                .starts_with("80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1")
        );
    }

    #[test]
    fn timestamps_in_both_units() {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        assert!(is_fresh(&now.to_string()) && is_fresh(&(now * 1000 + 17).to_string()));
        assert!(!is_fresh(&(now - 301).to_string()) && !is_fresh("now") && !is_fresh(""));
    }
}
