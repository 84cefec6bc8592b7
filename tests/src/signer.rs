//! The signer in the same process, as the core's port. In the browser it is a separate module.

use crate::chain::signed::{id_of, stub};
use async_trait::async_trait;
use chains::encoding::base64;
use chains::{Account, Chain};
use runtime::ports::Signer;
use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{LazyLock, Mutex};
use vault::seal::seal_with_key;
use vault::{KeyRing, Random, RandomnessError, Secret};
use wire::bundle::Decoded;
use wire::node::SignedBytes;
use wire::secret::SecretText;
use wire::signer::{DecodeRequest, KeyRequest, Opened, Origin, Refusal, Reply, Request};
use wire::vault::{PublicKeys, VaultKind};
use zeroize::Zeroizing;

/// Cached replies. Simulations start thousands of worlds with the same vault and the same transactions, and deriving
/// accounts and decoding would take most of the time.
static CACHE: LazyLock<Mutex<HashMap<String, Reply>>> = LazyLock::new(Mutex::default);

/// The real signer.
pub struct InProcessSigner;

#[async_trait(?Send)]
impl Signer for InProcessSigner {
    async fn ask(&self, request: Request) -> Result<Reply, Refusal> {
        let reply = match &request {
            Request::Decode(DecodeRequest::WatchVault { .. }) => cached(request),
            _ => signer::answer(request),
        };
        match reply {
            Reply::Refused(refusal) => Err(refusal),
            reply => Ok(reply),
        }
    }
}

fn cached(request: impl Into<Request>) -> Reply {
    let request = request.into();
    let key = serde_json::to_string(&request).expect("a request is JSON");
    let mut known = CACHE.lock().expect("is not poisoned");
    known.entry(key).or_insert_with(|| signer::answer(request)).clone()
}

/// A signer without password hashing and without signatures, for runs with thousands of crashes: one vault, whose
/// container holds its password. It checks passwords, bindings and digests as the real signer does, and decodes with
/// it.
///
/// Its stub signatures are constant, or different each time: then signing twice is detected.
#[derive(Default)]
pub struct StubSigner {
    /// Number of signatures so far, if each must differ.
    pub signature_count: Option<Rc<Cell<u64>>>,
}

#[async_trait(?Send)]
impl Signer for StubSigner {
    async fn ask(&self, request: Request) -> Result<Reply, Refusal> {
        match request {
            Request::Key(KeyRequest::NewVault { name, password, origin: Origin::Random }) => {
                let watched =
                    InProcessSigner.ask(DecodeRequest::WatchVault { name, keys: stub_keys() }.into()).await?;
                let Reply::Vault { name, keys, accounts, .. } = watched else {
                    return Err(refusal("no_vault"));
                };
                let sealed = Some(format!("sealed:{}", password.expose()));
                Ok(Reply::Vault { name, kind: VaultKind::Local, keys, accounts, sealed })
            }
            Request::Key(KeyRequest::Unlock { sealed, password, binding }) => {
                let right = sealed == format!("sealed:{}", password.expose());
                let opened = Opened {
                    sealed: SecretText::new(format!("opened for {binding}")),
                    key: SecretText::new("key".to_owned()),
                    binding,
                };
                if right {
                    Ok(Reply::Opened { opened, resealed: None })
                } else {
                    Err(refusal("wrong_password"))
                }
            }
            Request::Key(KeyRequest::CheckPassword { sealed, password }) => check(&sealed, &password),
            Request::Key(KeyRequest::Sign { opened, account, step, index, digest }) => {
                let bound = opened.sealed.expose() == format!("opened for {}", opened.binding);
                let inspect =
                    DecodeRequest::Inspect { accounts: vec![account], steps: vec![step], tokens: Vec::new() };
                let Reply::Inspected { steps } = cached(inspect) else {
                    return Err(refusal("malformed"));
                };
                let same = steps.first().and_then(|step| step.get(index)).filter(|one| one.digest == digest);
                match (bound, same) {
                    (true, Some(decoded)) => Ok(Reply::Signed(signed(decoded, self.salt()))),
                    (false, _) => Err(refusal("not_opened")),
                    (_, None) => Err(refusal("digest_mismatch")),
                }
            }
            Request::Decode(_) => match cached(request) {
                Reply::Refused(refusal) => Err(refusal),
                reply => Ok(reply),
            },
            other => InProcessSigner.ask(other).await,
        }
    }
}

/// A signer without password hashing and with a fixed key: its signatures are real, so that nodes can verify them,
/// without the half second that a password takes.
pub struct FastSigner;

#[async_trait(?Send)]
impl Signer for FastSigner {
    async fn ask(&self, request: Request) -> Result<Reply, Refusal> {
        match request {
            Request::Key(KeyRequest::NewVault { name, password, origin: Origin::Random }) => {
                let keys = fast_signer_secret().public().expect("the key is one");
                let Reply::Vault { name, keys, accounts, .. } =
                    cached(DecodeRequest::WatchVault { name, keys })
                else {
                    return Err(refusal("no_vault"));
                };
                let sealed = Some(format!("sealed:{}", password.expose()));
                Ok(Reply::Vault { name, kind: VaultKind::Local, keys, accounts, sealed })
            }
            Request::Key(KeyRequest::Unlock { sealed, password, binding }) => {
                if sealed != format!("sealed:{}", password.expose()) {
                    return Err(refusal("wrong_password"));
                }
                // Derived once: the simulations open vaults thousands of times.
                static KEYS: LazyLock<Zeroizing<Vec<u8>>> =
                    LazyLock::new(|| KeyRing::of(&fast_signer_secret()).expect("the key is one").to_bytes());
                let key = Zeroizing::new([9; 32]);
                let sealed = seal_with_key(&key, binding.as_bytes(), &KEYS, &mut FixedRandom);
                let opened = Opened {
                    sealed: SecretText::new(sealed.expect("nothing is wrong with it")),
                    key: SecretText::new(base64(key.as_slice())),
                    binding,
                };
                Ok(Reply::Opened { opened, resealed: None })
            }
            Request::Key(KeyRequest::CheckPassword { sealed, password }) => check(&sealed, &password),
            other => InProcessSigner.ask(other).await,
        }
    }
}

/// Whether the password is the one that a stub's container holds.
fn check(sealed: &str, password: &SecretText) -> Result<Reply, Refusal> {
    match sealed == format!("sealed:{}", password.expose()) {
        true => Ok(Reply::Done {}),
        false => Err(refusal("wrong_password")),
    }
}

/// The address of [`FastSigner`]'s vault on EVM chains.
pub fn fast_signer_address() -> String {
    fast_signer_account(Chain::Ethereum).address
}

/// The account of [`FastSigner`]'s vault on a chain.
pub fn fast_signer_account(chain: Chain) -> Account {
    let keys = fast_signer_secret().public().expect("the key is one");
    let keys = vault::public::keys(&keys).expect("the key is one");
    keys.account(chain).expect("every vault has one")
}

fn fast_signer_secret() -> Secret {
    let part = || Zeroizing::new([5; 32]);
    Secret::root(part(), part(), part()).expect("the key is one")
}

/// A constant source of random bytes.
struct FixedRandom;

impl Random for FixedRandom {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), RandomnessError> {
        bytes.fill(7);
        Ok(())
    }
}

impl StubSigner {
    fn salt(&self) -> u64 {
        self.signature_count.as_ref().map_or(0, |count| {
            count.set(count.get() + 1);
            count.get()
        })
    }
}

/// The stub that [`StubSigner`] returns for a transaction.
fn signed(decoded: &Decoded, salt: u64) -> SignedBytes {
    let Decoded { explanation, digest, .. } = decoded;
    let chain_id = Chain::parse(&explanation.chain).and_then(Chain::evm_id).unwrap_or_default();
    let nonce = explanation.nonce.as_ref().and_then(|nonce| nonce.parse().ok()).unwrap_or_default();
    let bytes = stub(chain_id, nonce, &explanation.from, digest, salt);
    SignedBytes { id: id_of(&bytes), bytes, detached: None }
}

/// The keys of [`StubSigner`]'s vault.
fn stub_keys() -> PublicKeys {
    let vault = crate::world::vault(0);
    let text = |name: &str| vault[name].as_str().unwrap_or_default().to_owned();
    PublicKeys {
        public_key_ecdsa: text("publicKeyEcdsa"),
        public_key_eddsa: text("publicKeyEddsa"),
        hex_chain_code: text("hexChainCode"),
        chain_public_keys: Vec::new(),
    }
}

fn refusal(code: &str) -> Refusal {
    Refusal { code: code.to_owned(), message: "refused".to_owned(), step: None, field: None }
}
