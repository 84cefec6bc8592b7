//! The life of a vault: made, opened, sealed anew, written to a file and brought back.

use crate::world::{keys, payload_step, payment, sign};
use chains::Chain;
use chains::encoding::{base64, hex};
use countersign_signer::{Device, Platform, answer, answer_on};
use serde_json::Value;
use vault::seal::{Container, Parameters, seal};
use vault::{Random, RandomnessError};
use wire::secret::SecretText;
use wire::signer::{DecodeRequest, KeyRequest, Opened, Origin, Refusal, Reply};
use wire::vault::{PublicKeys, VaultKind};
use zeroize::Zeroizing;

const PASSWORD: &str = "correct horse";
const WORDS: &str =
    "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about";

fn text(text: &str) -> SecretText {
    SecretText::new(text.to_owned())
}

/// A vault that came in.
#[derive(Debug, Clone)]
struct Made {
    name: String,
    kind: VaultKind,
    keys: PublicKeys,
    addresses: Vec<(String, String)>,
    sealed: String,
}

fn make(name: &str, password: &str, origin: Origin) -> Result<Made, Refusal> {
    made(answer(KeyRequest::NewVault { name: name.into(), password: text(password), origin }))
}

fn made(reply: Reply) -> Result<Made, Refusal> {
    match reply {
        Reply::Vault { name, kind, keys, accounts, sealed } => {
            let addresses = accounts.into_iter().map(|account| (account.chain, account.address)).collect();
            Ok(Made { name, kind, keys, addresses, sealed: sealed.unwrap_or_default() })
        }
        Reply::Refused(refusal) => Err(refusal),
        other => panic!("{other:?}"),
    }
}

fn unlock(sealed: &str, password: &str) -> Result<(Opened, Option<String>), Refusal> {
    let request =
        KeyRequest::Unlock { sealed: sealed.into(), password: text(password), binding: "v/c".into() };
    match answer(request) {
        Reply::Opened { opened, resealed } => Ok((opened, resealed)),
        Reply::Refused(refusal) => Err(refusal),
        other => panic!("{other:?}"),
    }
}

fn export(vault: &Made, password: &str) -> Result<String, Refusal> {
    let request = KeyRequest::Export {
        name: vault.name.clone(),
        kind: vault.kind,
        keys: vault.keys.clone(),
        created_at: 7,
        sealed: vault.sealed.clone(),
        password: text(password),
    };
    match answer(request) {
        Reply::File { text } => Ok(text),
        Reply::Refused(refusal) => Err(refusal),
        other => panic!("{other:?}"),
    }
}

fn file(content: &str, password: &str) -> Origin {
    Origin::File { text: text(content), file_password: text(password) }
}

fn code_and_field<T: std::fmt::Debug>(result: Result<T, Refusal>) -> (String, Option<String>) {
    let refusal = result.unwrap_err();
    (refusal.code, refusal.field)
}

fn told(code: &str, field: &str) -> (String, Option<String>) {
    (code.to_owned(), Some(field.to_owned()))
}

/// Made by chance, opened with its password, and then it signs; with another password it stays closed.
#[test]
fn a_vault_is_made_opened_and_signs() {
    let vault = make(" Main ", PASSWORD, Origin::Random).unwrap();
    assert_eq!((vault.name.as_str(), vault.kind, vault.addresses.len()), ("Main", VaultKind::Local, 38));
    let (opened, resealed) = unlock(&vault.sealed, PASSWORD).unwrap();
    assert_eq!((opened.binding.as_str(), resealed), ("v/c", None));

    let to = "0x6c2D1A55808AA22C0b9328925E88b6Ab5Cca9c97";
    let step = payload_step(&payment(&vault.keys, Chain::Ethereum, to, "5"));
    let digest = crate::world::inspect_one(&vault.keys, &step).unwrap().remove(0).digest;
    assert!(sign(&opened, &vault.keys, &step, 0, &digest).is_ok());

    assert_eq!(code_and_field(unlock(&vault.sealed, "correct  horse")), told("wrong_password", "password"));
    let another = make("Main", PASSWORD, Origin::Random).unwrap();
    assert_ne!((vault.keys, vault.sealed), (another.keys, another.sealed));
}

/// One password typed on two keyboards is one password; and its key is new every time.
#[test]
fn a_password_is_one_however_it_is_composed() {
    let vault = make("Main", "Gru\u{308}\u{df}e 12", Origin::Random).unwrap();
    let (first, _) = unlock(&vault.sealed, "Gr\u{fc}\u{df}e 12").unwrap();
    let (second, _) = unlock(&vault.sealed, "Gru\u{308}\u{df}e 12").unwrap();
    assert_ne!(first.key.expose(), second.key.expose());
    assert_ne!(first.sealed.expose(), second.sealed.expose());
}

#[test]
fn a_phrase_gives_the_accounts_that_every_wallet_finds() {
    let phrase = |words: &str| Origin::Phrase { words: text(words), passphrase: text("") };
    let vault = make("Old", PASSWORD, phrase(&format!(" {} ", WORDS.to_uppercase()))).unwrap();
    let address = |chain: &str| vault.addresses.iter().find(|(name, _)| name == chain).unwrap().1.as_str();
    assert_eq!(address("Ethereum"), "0x9858EfFD232B4033E47d90003D41EC34EcaEda94");
    assert_eq!(address("Bitcoin"), "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu");
    assert_eq!(vault.keys.chain_public_keys.len(), 38);
    let wrong = WORDS.replacen("about", "abandon", 1);
    assert_eq!(code_and_field(make("Old", PASSWORD, phrase(&wrong))), told("mnemonic_checksum", "mnemonic"));
    let long = Origin::Phrase { words: text(WORDS), passphrase: text(&"x".repeat(5000)) };
    assert_eq!(code_and_field(make("Old", PASSWORD, long)), told("passphrase_too_long", "passphrase"));
}

#[test]
fn private_keys_are_taken_as_they_are_or_refused_by_field() {
    let origin = |ecdsa: &str, eddsa: &str, code: &str| Origin::Keys {
        ecdsa: text(ecdsa),
        eddsa: text(eddsa),
        chain_code: text(code),
    };
    let one = "01".repeat(32);
    let vault = make("Keys", PASSWORD, origin(&one, &format!("0x{one}"), &one.to_uppercase())).unwrap();
    assert_eq!(vault.keys, keys(1));
    let refused = |origin| code_and_field(make("Keys", PASSWORD, origin));
    assert_eq!(refused(origin(&"00".repeat(32), &one, &one)), told("invalid_private_key", "keys/ecdsa"));
    assert_eq!(refused(origin(&one, &one[1..], &one)), told("invalid_private_key", "keys/eddsa"));
    assert_eq!(refused(origin(&one, &one, &"zz".repeat(32))), told("invalid_private_key", "keys/chainCode"));
}

#[test]
fn public_keys_are_checked_and_spelt_alike() {
    let mut upper = keys(1);
    upper.public_key_ecdsa = upper.public_key_ecdsa.to_uppercase();
    let watch = |keys: &PublicKeys| {
        made(answer(DecodeRequest::WatchVault { name: "Cold".into(), keys: keys.clone() }))
    };
    let vault = watch(&upper).unwrap();
    assert_eq!((vault.kind, vault.keys, vault.sealed.as_str()), (VaultKind::Watch, keys(1), ""));
    let none = PublicKeys { hex_chain_code: "0".into(), ..keys(1) };
    assert_eq!(code_and_field(watch(&none)), told("malformed_key", "hexChainCode"));
}

/// A backup opens with the password of its vault, here or elsewhere, and gives the same vault.
#[test]
fn a_backup_brings_the_vault_back() {
    let vault = make("Main", PASSWORD, Origin::Random).unwrap();
    let backup = export(&vault, PASSWORD).unwrap();
    let back = make("", "another one", file(&backup, PASSWORD)).unwrap();
    assert_eq!((back.name.as_str(), &back.keys, &back.sealed), ("Main", &vault.keys, &vault.sealed));
    let renamed = make("Second", PASSWORD, file(&backup, "")).unwrap();
    assert_eq!((renamed.name.as_str(), renamed.keys), ("Second", vault.keys.clone()));

    assert_eq!(
        code_and_field(make("", PASSWORD, file(&backup, "wrong"))),
        told("wrong_file_password", "filePassword")
    );
    let swapped = backup.replacen(&vault.keys.public_key_ecdsa, &keys(1).public_key_ecdsa, 1);
    assert_eq!(code_and_field(make("", PASSWORD, file(&swapped, PASSWORD))), told("backup_changed", "file"));
    assert_eq!(code_and_field(make("", PASSWORD, file("{}", ""))), told("backup_malformed", "file"));
}

/// No file is written that would not open: neither under a wrong password, nor with keys that are not its own.
#[test]
fn a_backup_is_written_only_if_it_opens() {
    let vault = make("Main", PASSWORD, Origin::Random).unwrap();
    assert_eq!(code_and_field(export(&vault, "wrong")), told("wrong_password", "password"));
    let other = Made { keys: keys(1), ..vault };
    assert_eq!(export(&other, PASSWORD).unwrap_err().code, "backup_changed");
}

/// Another wallet's shares are kept, sealed with the password that was chosen here.
#[test]
fn a_vult_file_becomes_a_vault_of_shares() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors/vault/vult.json");
    let cases: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let field = |case: &Value, name: &str| case[name].as_str().unwrap().to_owned();
    let hidden = cases.iter().find(|case| !field(case, "password").is_empty()).unwrap();
    let (content, password) = (field(hidden, "text"), field(hidden, "password"));
    let vault = make("", PASSWORD, file(&content, &password)).unwrap();
    assert_eq!((vault.kind, vault.keys.public_key_ecdsa), (VaultKind::Shares, field(hidden, "ecdsa")));
    assert!(unlock(&vault.sealed, PASSWORD).is_ok());
    let refused = |password: &str| code_and_field(make("", PASSWORD, file(&content, password)));
    assert_eq!(refused("wrong"), told("wrong_file_password", "filePassword"));
    assert_eq!(refused(""), told("file_password_needed", "filePassword"));
    assert_eq!(code_and_field(make("", PASSWORD, file("no file", ""))), told("vult_malformed", "file"));
}

#[test]
fn a_password_is_changed_and_the_old_one_opens_no_more() {
    let vault = make("Main", PASSWORD, Origin::Random).unwrap();
    let change = |password: &str| {
        let (sealed, password, new_password) = (vault.sealed.clone(), text(password), text("a new one"));
        answer(KeyRequest::ChangePassword { sealed, password, new_password })
    };
    let Reply::Sealed { sealed } = change(PASSWORD) else { panic!("refused") };
    let check = |password: &str| {
        matches!(
            answer(KeyRequest::CheckPassword { sealed: sealed.clone(), password: text(password) }),
            Reply::Done {}
        )
    };
    assert_eq!((check("a new one"), check(PASSWORD)), (true, false));
    assert!(matches!(change("wrong"), Reply::Refused(refusal) if refusal.code == "wrong_password"));
}

/// Sealed with a sixth of the memory and a third of the passes that are usual today.
const WEAK: &str = include_str!("weak.json");

#[test]
fn a_weak_seal_is_made_anew_when_it_is_opened() {
    let (_, resealed) = unlock(WEAK, PASSWORD).unwrap();
    let resealed = resealed.unwrap();
    assert_eq!(passes(&resealed), 3);
    assert!(unlock(&resealed, PASSWORD).unwrap().1.is_none());
}

fn passes(sealed: &str) -> u64 {
    let container: Value = serde_json::from_str(sealed).unwrap();
    assert_eq!(container["kdf"]["memoryKib"], 65536);
    container["kdf"]["passes"].as_u64().unwrap()
}

/// A device on which the least work takes so many milliseconds.
struct Timed(f64, f64, Platform);

impl Random for Timed {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), RandomnessError> {
        self.2.fill(bytes)
    }
}

impl Device for Timed {
    fn millis(&mut self) -> f64 {
        self.1 += self.0;
        self.1
    }

    fn nfkd(&self, text: &str) -> Zeroizing<String> {
        self.2.nfkd(text)
    }
}

/// A fast device does more work in the same half second, and a slow one never less than the least.
#[test]
fn the_work_of_a_password_fits_the_device() {
    let on = |millis: f64| {
        let origin = Origin::Random;
        let request = KeyRequest::NewVault { name: "Main".into(), password: text(PASSWORD), origin };
        passes(&made(answer_on(&mut Timed(millis, 0.0, Platform::default()), request)).unwrap().sealed)
    };
    assert_eq!([on(300.0), on(5000.0), on(-1.0e300)], [5, 3, 20]);
}

/// No reply holds a password, a phrase or a key as text, hex or base64.
#[test]
fn no_reply_holds_a_secret() {
    let one = "5a".repeat(32);
    let origins = [
        Origin::Phrase { words: text(WORDS), passphrase: text("winter") },
        Origin::Keys { ecdsa: text(&one), eddsa: text(&one), chain_code: text(&"01".repeat(32)) },
    ];
    for origin in origins {
        let made = make("Main", PASSWORD, origin).unwrap();
        let (opened, _) = unlock(&made.sealed, PASSWORD).unwrap();
        let everything = format!("{made:?} {} {}", opened.sealed.expose(), opened.binding);
        let key = [0x5a; 32];
        for secret in [PASSWORD.as_bytes(), b"abandon", b"winter", &key] {
            for spelling in [String::from_utf8_lossy(secret).into_owned(), hex(secret), base64(secret)] {
                assert!(!everything.contains(spelling.trim_end_matches('=')), "{spelling} in {everything}");
            }
        }
        assert!(!format!("{opened:?}").contains(opened.key.expose()));
    }
}

/// A new password that is tried first is refused where it is given: for a new vault, for one that is brought, and for a
/// changed password.
#[test]
fn common_passwords_are_refused() {
    let one = text(&"5e".repeat(32));
    let keys = Origin::Keys { ecdsa: one.clone(), eddsa: one.clone(), chain_code: one };
    let phrase = Origin::Phrase { words: text(WORDS), passphrase: text("") };
    for origin in [Origin::Random, phrase, keys, file("a .vult file", "")] {
        assert_eq!(code_and_field(make("V", "Password1!", origin)), told("common_password", "password"));
    }
    let vault = make("V", PASSWORD, Origin::Random).unwrap();
    let change = KeyRequest::ChangePassword {
        sealed: vault.sealed.clone(),
        password: text(PASSWORD),
        new_password: text("Qwerty123!"),
    };
    assert_eq!(code_and_field(made(answer(change))), told("common_password", "newPassword"));
}

/// A backup whose password is common is not lost: it is taken with another password.
#[test]
fn a_backup_with_a_common_password_gets_another() {
    let common = "password2026";
    let mut vault = make("Old", PASSWORD, Origin::Random).unwrap();
    // As an earlier version sealed it.
    let secret = Container::parse(&vault.sealed).unwrap().open(PASSWORD).unwrap();
    vault.sealed = seal(common, &secret, Parameters::MINIMUM, &mut Platform::default()).unwrap();
    let backup = export(&vault, common).unwrap();
    for password in [common, "Password1!"] {
        let refused = make("", password, file(&backup, common));
        assert_eq!(code_and_field(refused), told("common_password", "password"));
    }
    let wrong = make("", PASSWORD, file(&backup, "password2027"));
    assert_eq!(code_and_field(wrong), told("wrong_file_password", "filePassword"));
    let taken = make("", PASSWORD, file(&backup, common)).unwrap();
    assert_eq!(taken.keys, vault.keys);
    assert_eq!(code_and_field(unlock(&taken.sealed, common)).0, "wrong_password");
    assert!(unlock(&taken.sealed, PASSWORD).is_ok());
}
