//! Secrets of tools: sealed for one vault under one name, and filled into requests.

use crate::world::{opened, secret};
use chains::encoding::{base64, hex};
use countersign_signer::{Platform, answer, answer_keys_text};
use proptest::prelude::*;
use std::sync::LazyLock;
use wire::pieces::{DigestEncoding, Encoding, HashAlgorithm, HeaderPieces, Piece, RequestPieces};
use wire::secret::SecretText;
use wire::signer::{FilledRequest, KeyRequest, Opened, Refusal, Reply, SealedSecret, SealedTokens};
use zeroize::Zeroizing;

const VALUE: &str = "s3cr\u{e9}t \"key\"\\/&=?%\u{1f511}";

fn text(text: &str) -> Piece {
    Piece::Text(text.to_owned())
}

fn slot(name: &str, encoding: Encoding) -> Piece {
    Piece::Secret { name: name.to_owned(), encoding }
}

/// Derived once: the properties open a vault a thousand times.
fn vault(byte: u8) -> Opened {
    static FIRST: LazyLock<Opened> = LazyLock::new(|| opened(&secret(1), "vault-1"));
    if byte == 1 { FIRST.clone() } else { opened(&secret(byte), &format!("vault-{byte}")) }
}

fn seal(opened: &Opened, name: &str, value: &str) -> SealedSecret {
    let value = SecretText::new(value.to_owned());
    match answer(KeyRequest::SealSecret { opened: opened.clone(), name: name.to_owned(), value }) {
        Reply::Sealed { sealed } => SealedSecret { name: name.to_owned(), sealed },
        other => panic!("{other:?}"),
    }
}

fn seal_tokens(
    opened: &Opened,
    tool: &str,
    access: &str,
    refresh: Option<&str>,
    earlier: Option<&SealedTokens>,
) -> SealedTokens {
    let secret = |text: &str| SecretText::new(text.to_owned());
    let request = KeyRequest::SealTokens {
        opened: opened.clone(),
        tool_id: tool.to_owned(),
        access: secret(access),
        refresh: refresh.map(secret),
        earlier: earlier.map(|earlier| earlier.sealed.clone()),
    };
    match answer(request) {
        Reply::Sealed { sealed } => SealedTokens { tool_id: tool.to_owned(), sealed },
        other => panic!("{other:?}"),
    }
}

fn fill(
    opened: &Opened,
    secrets: &[SealedSecret],
    tokens: Option<SealedTokens>,
    request: RequestPieces,
) -> Result<FilledRequest, Refusal> {
    let request = KeyRequest::FillRequest {
        opened: Some(opened.clone()),
        secrets: secrets.to_vec(),
        tokens,
        request,
        timestamp: "1700000000".to_owned(),
    };
    match answer(request) {
        Reply::Filled(filled) => Ok(*filled),
        Reply::Refused(refusal) => Err(refusal),
        other => panic!("{other:?}"),
    }
}

fn to(path: Vec<Piece>) -> Vec<Piece> {
    let mut url = vec![text("https://api.example/v1/")];
    url.extend(path);
    url
}

fn body(pieces: Vec<Piece>) -> RequestPieces {
    RequestPieces { url: to(Vec::new()), headers: Vec::new(), body: Some(pieces) }
}

fn header(pieces: Vec<Piece>) -> RequestPieces {
    let headers = vec![HeaderPieces { name: "authorization".to_owned(), value: pieces }];
    RequestPieces { url: to(Vec::new()), headers, body: None }
}

/// What pieces become in the body of a request.
fn filled_body(secrets: &[SealedSecret], pieces: Vec<Piece>) -> Result<String, Refusal> {
    let filled = fill(&vault(1), secrets, None, body(pieces))?;
    Ok(filled.body.unwrap().expose().to_owned())
}

fn filled_header(secrets: &[SealedSecret], pieces: Vec<Piece>) -> Result<String, Refusal> {
    let filled = fill(&vault(1), secrets, None, header(pieces))?;
    Ok(filled.headers[0].value.expose().to_owned())
}

fn code<T>(answer: Result<T, Refusal>) -> String {
    answer.map(drop).unwrap_err().code
}

/// T002-34: a sealed secret opens for its vault and its name, and for nothing else; its text says nothing of it.
#[test]
fn sealed_secret_opens_for_its_vault_and_name_only() {
    let sealed = seal(&vault(1), "API_KEY", VALUE);
    let plain = || vec![slot("API_KEY", Encoding::Plain)];
    assert_eq!(filled_body(std::slice::from_ref(&sealed), plain()).unwrap(), VALUE);
    for hidden in [VALUE.to_owned(), base64(VALUE.as_bytes()), hex(VALUE.as_bytes())] {
        assert!(!sealed.sealed.contains(&hidden));
    }
    // For a call of the same vault too.
    let for_call = opened(&secret(1), "vault-1/call");
    let secrets = std::slice::from_ref(&sealed);
    assert!(fill(&for_call, secrets, None, body(plain())).is_ok());
    // Under another name.
    let renamed = SealedSecret { name: "OTHER".to_owned(), ..sealed.clone() };
    let other = vec![slot("OTHER", Encoding::Plain)];
    assert_eq!(code(filled_body(&[renamed], other)), "secret_unreadable");
    // For another vault, and for the same keys under another id.
    for thief in [vault(2), opened(&secret(1), "vault-2")] {
        assert_eq!(code(fill(&thief, secrets, None, body(plain()))), "secret_unreadable");
    }
    // As tokens.
    let tokens = SealedTokens { tool_id: "API_KEY".to_owned(), sealed: sealed.sealed.clone() };
    let request = header(vec![Piece::OAuthToken]);
    assert_eq!(code(fill(&vault(1), &[], Some(tokens), request)), "tokens_unreadable");
    // Changed in one place.
    let mut changed = sealed.sealed.clone().into_bytes();
    changed[40] = if changed[40] == b'A' { b'B' } else { b'A' };
    let changed = SealedSecret { sealed: String::from_utf8(changed).unwrap(), ..sealed };
    assert_eq!(code(filled_body(&[changed], plain())), "secret_unreadable");
}

/// What another implementation of HKDF and XChaCha20-Poly1305 sealed, by the description in `secrets.rs`, opens: and so does
/// what is sealed today after an update.
#[test]
fn sealed_secret_of_an_earlier_version_opens() {
    let sealed = SealedSecret { name: "API_KEY".to_owned(), sealed: EARLIER.to_owned() };
    assert_eq!(filled_body(&[sealed], vec![slot("API_KEY", Encoding::Plain)]).unwrap(), "known answer");
    let key = secret(1).tool_secrets_key().unwrap();
    assert_eq!(hex(key.as_slice()), KEY);
}

const KEY: &str = "280942891e904f44779105c349c12ec6ce46eef77c7e85c99e7c1304656509e5";
const EARLIER: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYX23l2Ek7MUC6LjA9YV/oDFySityMZpSxzHQdrkg==";

/// T002-33: a secret is written for its position.
#[test]
fn encodings_by_position() {
    let sealed = [seal(&vault(1), "KEY", "a b/\u{e9}\"\\\n~")];
    let url = to(vec![slot("KEY", Encoding::Percent), text("?q=1")]);
    let filled =
        fill(&vault(1), &sealed, None, RequestPieces { url, headers: Vec::new(), body: None }).unwrap();
    assert_eq!(filled.url.expose(), "https://api.example/v1/a%20b%2F%C3%A9%22%5C%0A~?q=1");
    let in_json = filled_body(&sealed, vec![text("{\"k\":\""), slot("KEY", Encoding::Json), text("\"}")]);
    assert_eq!(in_json.unwrap(), "{\"k\":\"a b/\u{e9}\\\"\\\\\\n~\"}");
    let refused = filled_header(&sealed, vec![slot("KEY", Encoding::Header)]).unwrap_err();
    assert_eq!((refused.code.as_str(), refused.message.contains("KEY")), ("secret_not_sendable", true));
    // Also where the template says that it is plain.
    assert_eq!(code(filled_header(&sealed, vec![slot("KEY", Encoding::Plain)])), "secret_not_sendable");
    let sealed = [seal(&vault(1), "KEY", "sk-1\t2")];
    let bearer = filled_header(&sealed, vec![text("Bearer "), slot("KEY", Encoding::Header)]);
    assert_eq!(bearer.unwrap(), "Bearer sk-1\t2");
}

/// No secret decides where a request goes, and none is anywhere but where a template put it.
#[test]
fn misplaced_pieces_are_refused() {
    let secrets = [seal(&vault(1), "KEY", "evil.example")];
    let request = |url: Vec<Piece>| RequestPieces { url, headers: Vec::new(), body: None };
    let percent = || slot("KEY", Encoding::Percent);
    let hosts = [
        vec![percent()],
        vec![text("https://"), percent(), text("/v1")],
        vec![text("https://api."), percent()],
        vec![text("https:"), text("//api.example"), percent(), text("/")],
        to(vec![slot("KEY", Encoding::Plain)]),
        to(vec![Piece::Path]),
        to(vec![Piece::Body]),
    ];
    for url in hosts {
        assert_eq!(
            code(fill(&vault(1), &secrets, None, request(url.clone()))),
            "secret_misplaced",
            "{url:?}"
        );
    }
    for pieces in [vec![Piece::Body], vec![Piece::Path]] {
        assert_eq!(code(filled_header(&secrets, pieces.clone())), "secret_misplaced");
        assert_eq!(code(filled_body(&secrets, pieces)), "secret_misplaced");
    }
    let of_body = Piece::Hmac {
        algorithm: HashAlgorithm::Sha256,
        key: vec![slot("KEY", Encoding::Plain)],
        message: vec![Piece::Body],
        encoding: DigestEncoding::Hex,
    };
    assert_eq!(code(filled_body(&secrets, vec![of_body.clone()])), "secret_misplaced");
    assert_eq!(code(fill(&vault(1), &secrets, None, request(to(vec![of_body])))), "secret_misplaced");
    let refused = filled_body(&secrets, vec![slot("NOPE", Encoding::Plain)]).unwrap_err();
    assert_eq!(
        (refused.code.as_str(), refused.message.as_str()),
        ("secret_missing", "there is no secret NOPE")
    );
    assert_eq!(code(filled_header(&secrets, vec![Piece::OAuthToken])), "tokens_missing");
}

/// T002-79: the pair of RFC 7617.
#[test]
fn basic_authentication() {
    let secrets = [seal(&vault(1), "PASSWORD", "open sesame"), seal(&vault(1), "COLON", "a:b")];
    let basic = |username, password| vec![text("Basic "), Piece::Basic { username, password }];
    let pair = basic(vec![text("Aladdin")], vec![slot("PASSWORD", Encoding::Plain)]);
    assert_eq!(filled_header(&secrets, pair).unwrap(), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
    let colon = basic(vec![slot("COLON", Encoding::Plain)], Vec::new());
    assert_eq!(code(filled_header(&secrets, colon)), "secret_misplaced");
}

/// T002-79: known answers: RFC 4231, case 2; the example of a well-known exchange's documentation; an order of parts as others
/// sign it.
#[test]
fn message_authentication() {
    let exchange = "NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j";
    let secrets = [seal(&vault(1), "JEFE", "Jefe"), seal(&vault(1), "EXCHANGE", exchange)];
    let hmac = |algorithm, key: &str, message, encoding| Piece::Hmac {
        algorithm,
        key: vec![slot(key, Encoding::Plain)],
        message,
        encoding,
    };
    let question = || vec![text("what do ya want "), text("for nothing?")];
    let cases = [
        (
            hmac(HashAlgorithm::Sha256, "JEFE", question(), DigestEncoding::Hex),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
        ),
        (
            hmac(HashAlgorithm::Sha256, "JEFE", question(), DigestEncoding::Base64),
            "W9zBRr9gdU5qBCQmCJV1x1oAPwidJzmDnexYuWTsOEM=",
        ),
        (
            hmac(HashAlgorithm::Sha512, "JEFE", question(), DigestEncoding::Hex),
            "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554\
             9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
        ),
        (
            hmac(
                HashAlgorithm::Sha256,
                "EXCHANGE",
                vec![text(
                    "symbol=LTCBTC&side=BUY&type=LIMIT&timeInForce=GTC&quantity=1&price=0.1&recvWindow=5000\
                     &timestamp=1499827319559",
                )],
                DigestEncoding::Hex,
            ),
            "c8db56825ae71d6d79447849e617115f4a920fa2acdcab2b053c4b2838bd6b71",
        ),
    ];
    for (piece, expected) in cases {
        assert_eq!(filled_header(&secrets, vec![piece]).unwrap(), expected);
    }
    let parts = vec![text("POST\n"), Piece::Path, text("\n"), Piece::Timestamp, text("\n"), Piece::Body];
    let whole = vec![text("POST\n/v1/a?b=Jefe\n1700000000\n{\"k\":\"Jefe\"}")];
    let signed = |message| {
        let value = vec![hmac(HashAlgorithm::Sha512, "EXCHANGE", message, DigestEncoding::Base64)];
        let request = RequestPieces {
            url: to(vec![text("a?b="), slot("JEFE", Encoding::Percent), text("#no")]),
            headers: vec![HeaderPieces { name: "x-sign".to_owned(), value }],
            body: Some(vec![text("{\"k\":\""), slot("JEFE", Encoding::Json), text("\"}")]),
        };
        fill(&vault(1), &secrets, None, request).unwrap().headers[0].value.expose().to_owned()
    };
    assert_eq!(signed(parts), signed(whole));
}

/// An answer that repeats a secret can be masked; the key of an authentication code stays in the signer.
#[test]
fn what_went_out_is_listed_for_masking() {
    let secrets = [seal(&vault(1), "KEY", "a key/1"), seal(&vault(1), "SIGN", "never sent")];
    let tokens = seal_tokens(&vault(1), "tool", "access-1", Some("refresh-1"), None);
    let hmac = Piece::Hmac {
        algorithm: HashAlgorithm::Sha256,
        key: vec![slot("SIGN", Encoding::Plain)],
        message: vec![slot("KEY", Encoding::Plain)],
        encoding: DigestEncoding::Hex,
    };
    let pair = Piece::Basic { username: vec![text("u")], password: vec![slot("KEY", Encoding::Plain)] };
    let header = |value| HeaderPieces { name: "h".to_owned(), value };
    let request = RequestPieces {
        url: to(vec![slot("KEY", Encoding::Percent)]),
        headers: vec![header(vec![hmac]), header(vec![pair]), header(vec![Piece::OAuthToken])],
        body: None,
    };
    let filled = fill(&vault(1), &secrets, Some(tokens), request).unwrap();
    let masks: Vec<&str> = filled.masks.iter().map(SecretText::expose).collect();
    assert_eq!(masks, ["dTphIGtleS8x", "a%20key%2F1", "access-1", "a key/1"]);
    let printed = format!("{filled:?}");
    assert!(
        !printed.contains("key") && !printed.contains("access-1") && !printed.contains("dTph"),
        "{printed}"
    );
}

/// T002-79: a refresh token stays where a server gives no new one, and is replaced where it does.
#[test]
fn tokens_are_kept_for_their_tool() {
    let refreshed = |tokens: &SealedTokens| {
        let request = body(vec![text("refresh_token="), Piece::OAuthRefreshToken]);
        fill(&vault(1), &[], Some(tokens.clone()), request)
            .map(|filled| filled.body.unwrap().expose().to_owned())
    };
    let access = |tokens: &SealedTokens| {
        let request = header(vec![text("Bearer "), Piece::OAuthToken]);
        let filled = fill(&vault(1), &[], Some(tokens.clone()), request);
        filled.map(|filled| filled.headers[0].value.expose().to_owned())
    };
    let first = seal_tokens(&vault(1), "tool", "access 1", Some("refresh/1"), None);
    assert_eq!(access(&first).unwrap(), "Bearer access 1");
    assert_eq!(refreshed(&first).unwrap(), "refresh_token=refresh%2F1");
    let second = seal_tokens(&vault(1), "tool", "access 2", None, Some(&first));
    assert_eq!(
        (access(&second).unwrap(), refreshed(&second).unwrap()),
        ("Bearer access 2".into(), "refresh_token=refresh%2F1".into())
    );
    let third = seal_tokens(&vault(1), "tool", "access 3", Some("r3"), Some(&second));
    assert_eq!(refreshed(&third).unwrap(), "refresh_token=r3");
    let none = seal_tokens(&vault(1), "tool", "access 4", None, None);
    assert_eq!(code(refreshed(&none)), "tokens_missing");
    let stolen = SealedTokens { tool_id: "other".to_owned(), ..first };
    assert_eq!(code(access(&stolen)), "tokens_unreadable");
    let split = seal_tokens(&vault(1), "tool", "a\r\nX-Evil: 1", None, None);
    assert_eq!(code(access(&split)), "secret_not_sendable");
}

/// What is written never takes more memory than a request may have.
#[test]
fn requests_do_not_grow_without_bounds() {
    let secrets = [seal(&vault(1), "KEY", &"k".repeat(16 * 1024))];
    let many = vec![slot("KEY", Encoding::Plain); 2_000];
    assert_eq!(code(filled_body(&secrets, many)), "request_too_large");
    let message = vec![Piece::Body; 20_000];
    let hmac = Piece::Hmac {
        algorithm: HashAlgorithm::Sha256,
        key: vec![slot("KEY", Encoding::Plain)],
        message,
        encoding: DigestEncoding::Hex,
    };
    let value = vec![hmac];
    let request = RequestPieces {
        url: to(Vec::new()),
        headers: vec![HeaderPieces { name: "h".to_owned(), value }],
        body: Some(vec![text(&"b".repeat(100_000))]),
    };
    assert_eq!(code(fill(&vault(1), &secrets, None, request)), "request_too_large");
}

fn pieces() -> impl Strategy<Value = Piece> {
    let encoding = || {
        let all = [Encoding::Percent, Encoding::Json, Encoding::Header, Encoding::Plain];
        proptest::sample::select(all.to_vec())
    };
    let name = || proptest::sample::select(vec!["A", "B", "MISSING"]);
    let leaf = prop_oneof![
        ".{0,12}".prop_map(Piece::Text),
        (name(), encoding()).prop_map(|(name, encoding)| slot(name, encoding)),
        Just(Piece::Body),
        Just(Piece::Path),
        Just(Piece::Timestamp),
        Just(Piece::OAuthToken),
        Just(Piece::OAuthRefreshToken),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let list = || prop::collection::vec(inner.clone(), 0..4);
        prop_oneof![
            (list(), list()).prop_map(|(username, password)| Piece::Basic { username, password }),
            (list(), list(), any::<bool>(), any::<bool>()).prop_map(|(key, message, long, hex)| {
                Piece::Hmac {
                    algorithm: if long { HashAlgorithm::Sha512 } else { HashAlgorithm::Sha256 },
                    key,
                    message,
                    encoding: if hex { DigestEncoding::Hex } else { DigestEncoding::Base64 },
                }
            }),
        ]
    })
}

proptest! {
    /// T002-33: what a real parser reads is the secret, wherever it stands.
    #[test]
    fn encodings_are_read_back_by_real_parsers(value in "\\PC{1,40}|[\\x00-\\x7f]{1,40}") {
        let secrets = [seal(&vault(1), "KEY", &value)];
        let percent = || slot("KEY", Encoding::Percent);
        let url = to(vec![percent(), text("/x?a="), percent(), text("&b=2")]);
        let request = RequestPieces { url, headers: Vec::new(), body: None };
        let filled = fill(&vault(1), &secrets, None, request).unwrap();
        let url = url::Url::parse(filled.url.expose()).unwrap();
        prop_assert_eq!(url.host_str(), Some("api.example"));
        let query: Vec<(String, String)> = url.query_pairs().into_owned().collect();
        prop_assert_eq!(query, [("a".to_owned(), value.clone()), ("b".to_owned(), "2".to_owned())]);
        // `.` and `..` are segments of their own meaning: an address cannot hold them in any spelling.
        if value != "." && value != ".." {
            let segments: Vec<&str> = url.path_segments().unwrap().collect();
            let decoded = percent_encoding::percent_decode_str(segments[1]).decode_utf8().unwrap();
            prop_assert_eq!((segments.len(), decoded.as_ref()), (3, value.as_str()));
        }
        let body = filled_body(&secrets, vec![text("[\""), slot("KEY", Encoding::Json), text("\",1]")]).unwrap();
        let read: (String, u8) = serde_json::from_str(&body).unwrap();
        prop_assert_eq!(read, (value, 1));
    }

    /// Any request is filled or refused, and a refusal says nothing of a secret.
    #[test]
    fn any_request_is_filled_or_refused(
        url in prop::collection::vec(pieces(), 0..4),
        value in prop::collection::vec(pieces(), 0..4),
        content in prop::option::of(prop::collection::vec(pieces(), 0..4)),
    ) {
        let secrets = [seal(&vault(1), "A", "first secret"), seal(&vault(1), "B", "second\nsecret")];
        let tokens = seal_tokens(&vault(1), "t", "token", None, None);
        let headers = vec![HeaderPieces { name: "h".to_owned(), value }];
        let request = RequestPieces { url: to(url), headers, body: content };
        match fill(&vault(1), &secrets, Some(tokens), request) {
            Ok(filled) => {
                prop_assert!(filled.url.expose().starts_with("https://api.example/v1/"));
                prop_assert!(!filled.headers[0].value.expose().contains(['\r', '\n']));
            }
            Err(refusal) => {
                prop_assert!(!format!("{refusal:?}").contains("secret\\n"), "{refusal:?}");
                prop_assert!(!refusal.message.contains("first secret"), "{refusal:?}");
            }
        }
    }

    /// Any text is no request, or is answered.
    #[test]
    fn any_sealed_text_is_refused(sealed in ".{0,80}", name in ".{0,8}") {
        let secret = SealedSecret { name: name.clone(), sealed };
        let refused = fill(&vault(1), &[secret], None, body(vec![slot(&name, Encoding::Plain)]));
        prop_assert_eq!(code(refused), "secret_unreadable");
        let text = Zeroizing::new(format!("{{\"fill_request\":{{\"opened\":{name:?}}}}}"));
        prop_assert!(answer_keys_text(&mut Platform::default(), text).contains("malformed_request"));
    }
}
