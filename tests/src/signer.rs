//! The signer in the same process, as the core's port: what the browser runs as a module of its own.

use crate::chain::signed::{id_of, toy};
use async_trait::async_trait;
use chains::Chain;
use chains::encoding::base64;
use runtime::ports::Signer;
use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{LazyLock, Mutex};
use vault::seal::seal_with_key;
use vault::{NoRandomness, Random, Secret};
use wire::bundle::Decoded;
use wire::node::SignedBytes;
use wire::secret::SecretText;
use wire::signer::{Opened, Origin, Refusal, Reply, Request};
use wire::vault::{PublicKeys, VaultKind};
use zeroize::Zeroizing;

/// What was answered before. Simulations begin thousands of worlds with the same vault and the same transactions, and
/// deriving accounts and decoding takes longer than all the rest.
static ANSWERED: LazyLock<Mutex<HashMap<String, Reply>>> = LazyLock::new(Mutex::default);

/// The signer itself.
pub struct InProcess;

#[async_trait(?Send)]
impl Signer for InProcess {
    async fn ask(&self, request: Request) -> Result<Reply, Refusal> {
        let reply = match &request {
            Request::WatchVault { .. } => remembered(request),
            _ => signer::answer(request),
        };
        match reply {
            Reply::Refused(refusal) => Err(refusal),
            reply => Ok(reply),
        }
    }
}

fn remembered(request: Request) -> Reply {
    let key = serde_json::to_string(&request).expect("a request is JSON");
    let mut known = ANSWERED.lock().expect("nobody panics with it");
    known.entry(key).or_insert_with(|| signer::answer(request)).clone()
}

/// The signer with a lock that costs nothing, for runs in which the worker dies a thousand times: one vault, whose
/// container holds its password. As strict as the real one about passwords, bindings and digests; decodes with it.
///
/// What it signs is the same each time, or other bytes each time: whoever signs twice is then seen by it.
#[derive(Default)]
pub struct Quick {
    /// Signatures so far, where each is to be another.
    pub fickle: Option<Rc<Cell<u64>>>,
}

#[async_trait(?Send)]
impl Signer for Quick {
    async fn ask(&self, request: Request) -> Result<Reply, Refusal> {
        match request {
            Request::NewVault { name, password, origin: Origin::Random } => {
                let watched = InProcess.ask(Request::WatchVault { name, keys: quick_keys() }).await?;
                let Reply::Vault { name, keys, accounts, .. } = watched else {
                    return Err(refusal("no_vault"));
                };
                let sealed = Some(format!("sealed:{}", password.expose()));
                Ok(Reply::Vault { name, kind: VaultKind::Local, keys, accounts, sealed })
            }
            Request::Unlock { sealed, password, binding } => {
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
            Request::Sign { opened, account, step, index, digest } => {
                let bound = opened.sealed.expose() == format!("opened for {}", opened.binding);
                let inspect =
                    Request::Inspect { accounts: vec![account], steps: vec![step], tokens: Vec::new() };
                let Reply::Inspected { steps } = remembered(inspect) else {
                    return Err(refusal("malformed"));
                };
                let same = steps.first().and_then(|step| step.get(index)).filter(|one| one.digest == digest);
                match (bound, same) {
                    (true, Some(decoded)) => Ok(Reply::Signed(signed(decoded, self.salt()))),
                    (false, _) => Err(refusal("not_opened")),
                    (_, None) => Err(refusal("digest_mismatch")),
                }
            }
            Request::Inspect { .. }
            | Request::BuildNodeRequests { .. }
            | Request::ParseNodeResponses { .. } => match remembered(request) {
                Reply::Refused(refusal) => Err(refusal),
                reply => Ok(reply),
            },
            other => InProcess.ask(other).await,
        }
    }
}

/// The signer with a lock that costs nothing and a key that is known: it signs as the real one does, so that nodes can
/// check it, without the half second that a password takes.
pub struct Light;

#[async_trait(?Send)]
impl Signer for Light {
    async fn ask(&self, request: Request) -> Result<Reply, Refusal> {
        match request {
            Request::NewVault { name, password, origin: Origin::Random } => {
                let keys = light_secret().public().expect("the key is one");
                let Reply::Vault { name, keys, accounts, .. } =
                    remembered(Request::WatchVault { name, keys })
                else {
                    return Err(refusal("no_vault"));
                };
                let sealed = Some(format!("sealed:{}", password.expose()));
                Ok(Reply::Vault { name, kind: VaultKind::Local, keys, accounts, sealed })
            }
            Request::Unlock { sealed, password, binding } => {
                if sealed != format!("sealed:{}", password.expose()) {
                    return Err(refusal("wrong_password"));
                }
                let (key, secret) = (Zeroizing::new([9; 32]), light_secret().to_bytes());
                let sealed = seal_with_key(&key, binding.as_bytes(), &secret, &mut Sevens);
                let opened = Opened {
                    sealed: SecretText::new(sealed.expect("nothing is wrong with it")),
                    key: SecretText::new(base64(key.as_slice())),
                    binding,
                };
                Ok(Reply::Opened { opened, resealed: None })
            }
            other => InProcess.ask(other).await,
        }
    }
}

/// The address of the vault that [`Light`] makes, on EVM chains.
pub fn light_address() -> String {
    let keys = light_secret().public().expect("the key is one");
    let keys = vault::public::keys(&keys).expect("the key is one");
    keys.account(Chain::Ethereum).expect("every vault has one").address
}

fn light_secret() -> Secret {
    let part = || Zeroizing::new([5; 32]);
    Secret::root(part(), part(), part()).expect("the key is one")
}

/// Nothing here is worth guessing.
struct Sevens;

impl Random for Sevens {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), NoRandomness> {
        bytes.fill(7);
        Ok(())
    }
}

impl Quick {
    fn salt(&self) -> u64 {
        self.fickle.as_ref().map_or(0, |count| {
            count.set(count.get() + 1);
            count.get()
        })
    }
}

/// What [`Quick`] makes of a transaction.
fn signed(decoded: &Decoded, salt: u64) -> SignedBytes {
    let Decoded { explanation, digest, .. } = decoded;
    let chain_id = Chain::parse(&explanation.chain).and_then(Chain::evm_id).unwrap_or_default();
    let nonce = explanation.nonce.as_ref().and_then(|nonce| nonce.parse().ok()).unwrap_or_default();
    let bytes = toy(chain_id, nonce, &explanation.from, digest, salt);
    SignedBytes { id: id_of(&bytes), bytes, detached: None }
}

/// The keys of the vault that [`Quick`] makes.
fn quick_keys() -> PublicKeys {
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
