//! The signer in the same process, as the core's port: what the browser runs as a module of its own.

use async_trait::async_trait;
use runtime::ports::Signer;
use std::collections::BTreeMap;
use std::sync::Mutex;
use wire::secret::SecretText;
use wire::signer::{Opened, Origin, Refusal, Reply, Request};
use wire::vault::{PublicKeys, VaultKind};

/// What was answered about public keys. Simulations begin thousands of worlds with the same vault, and deriving its
/// accounts takes longer than all the rest.
static WATCHED: Mutex<BTreeMap<String, Reply>> = Mutex::new(BTreeMap::new());

/// The signer itself.
pub struct InProcess;

#[async_trait(?Send)]
impl Signer for InProcess {
    async fn ask(&self, request: Request) -> Result<Reply, Refusal> {
        let reply = match &request {
            Request::WatchVault { .. } => watched(request),
            _ => signer::answer(request),
        };
        match reply {
            Reply::Refused(refusal) => Err(refusal),
            reply => Ok(reply),
        }
    }
}

fn watched(request: Request) -> Reply {
    let key = serde_json::to_string(&request).expect("a request is JSON");
    let mut known = WATCHED.lock().expect("nobody panics with it");
    known.entry(key).or_insert_with(|| signer::answer(request)).clone()
}

/// The signer with a lock that costs nothing, for runs in which the worker dies a thousand times: one vault, whose
/// container holds its password. As strict as the real one about passwords, bindings and digests; decodes with it.
pub struct Quick;

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
            Request::Sign { opened, keys, step, index, digest } => {
                let bound = opened.sealed.expose() == format!("opened for {}", opened.binding);
                let inspect = Request::Inspect { keys, steps: vec![step], tokens: Vec::new() };
                let Reply::Inspected { steps } = InProcess.ask(inspect).await? else {
                    return Err(refusal("malformed"));
                };
                let same =
                    steps.first().and_then(|step| step.get(index)).is_some_and(|one| one.digest == digest);
                match (bound, same) {
                    (true, true) => Ok(Reply::Signed(wire::node::SignedBytes {
                        bytes: digest,
                        detached: None,
                        id: "0x".to_owned(),
                    })),
                    (false, _) => Err(refusal("not_opened")),
                    (_, false) => Err(refusal("digest_mismatch")),
                }
            }
            other => InProcess.ask(other).await,
        }
    }
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
