//! Decodes the steps of a bundle from the bytes that would be signed, and compares the sender's claims with them.

use crate::claims;
use crate::error::AnswerError;
use crate::explain::explain;
use chains::address::spelled;
use chains::derive::DeriveError;
use chains::encoding::{array_from_hex, from_base64, hex};
use chains::facts::Facts;
use chains::hash::sha256;
use chains::names::{Names, TokenName};
use chains::transaction::{Claim, NetworkFacts, Role};
use chains::unsigned::{self, Context};
use chains::{Account, Chain, Explanation, Transaction, TransactionError, keysign};
use vault::public;
use wire::bundle::{Decoded, StepRequest, StepSource, TransactionRole};
use wire::keysign::KeysignPayload;
use wire::signer::{Refusal, Reply};
use wire::vault::VaultAccount;

/// Domain separation: the digest of anything else is never that of a transaction.
const DOMAIN: &[u8] = b"countersign transaction 1";

/// Decodes all steps, or refuses by the first that cannot be signed.
pub(crate) fn inspect(
    accounts: &[VaultAccount],
    steps: &[StepRequest],
    tokens: &[wire::signer::TokenName],
) -> Result<Reply, Refusal> {
    let mut accounts = Accounts::new(accounts);
    let decode = |(index, step): (usize, &StepRequest)| {
        let account = accounts.of(&step.chain);
        account.and_then(|account| decode(account, step, tokens)).map_err(|error| {
            let refusal = Refusal::from(error);
            // Without a field the bytes are meant.
            let field = refusal.field.unwrap_or_else(|| source(step).to_owned());
            Refusal { step: Some(index), field: Some(field), ..refusal }
        })
    };
    Ok(Reply::Inspected { steps: steps.iter().enumerate().map(decode).collect::<Result<_, _>>()? })
}

/// The accounts of a request, each read once for all its steps.
pub(crate) struct Accounts<'a> {
    kept: &'a [VaultAccount],
    read: Vec<Account>,
}

impl<'a> Accounts<'a> {
    pub(crate) const fn new(kept: &'a [VaultAccount]) -> Self {
        Self { kept, read: Vec::new() }
    }

    pub(crate) fn of(&mut self, chain: &str) -> Result<&Account, AnswerError> {
        let unknown = || AnswerError::UnknownChain { chain: chain.to_owned() };
        let chain = Chain::parse(chain).ok_or_else(unknown)?;
        let at = self.read.iter().position(|account| account.chain == chain).unwrap_or(self.read.len());
        if at == self.read.len() {
            let kept = self.kept.iter().find(|kept| Chain::parse(&kept.chain) == Some(chain));
            self.read.push(public::account(kept.ok_or_else(|| no_account(chain))?)?);
        }
        self.read.get(at).ok_or_else(|| no_account(chain))
    }
}

/// A vault made from a seed phrase has accounts on the chains that it lists; no vault has one on QBTC.
fn no_account(chain: Chain) -> AnswerError {
    AnswerError::NoAccount(match chain.derivation_path() {
        Some(_) => DeriveError::ChainKeyMissing { chain },
        None => DeriveError::Unsupported { chain },
    })
}

/// The transactions of a step, all of them the account's own.
pub(crate) fn transactions(account: &Account, step: &StepRequest) -> Result<Vec<Transaction>, AnswerError> {
    let chain = Chain::parse(&step.chain);
    let chain = chain.ok_or_else(|| AnswerError::UnknownChain { chain: step.chain.clone() })?;
    if chain != account.chain {
        let (expected, found) = (chain.to_string(), account.chain.to_string());
        return Err(TransactionError::ChainMismatch { expected, found }.into());
    }
    unsigned::check_signing_mode(account, &step.signing_mode)?;
    let transactions = match &step.source {
        StepSource::Payload { keysign_payload } => {
            let bytes = from_base64(source(step), keysign_payload)?;
            let payload = KeysignPayload::from_bytes(&bytes).map_err(TransactionError::from)?;
            keysign::transactions(&payload, account, &facts(step)?)?
        }
        StepSource::Raw { unsigned_tx_hex, chain_id, derive_path, tx_type } => {
            let context = Context {
                chain_id: chain_id.clone(),
                derive_path: derive_path.clone(),
                tx_type: tx_type.clone(),
            };
            vec![unsigned::transaction(unsigned_tx_hex, account, &context)?]
        }
    };
    // D15. Another account's transaction is refused.
    match transactions.iter().map(Transaction::payer).find(|from| !account.owns(from)) {
        Some(address) => Err(TransactionError::NotOwned { address }.into()),
        None => Ok(transactions),
    }
}

/// The same, refused where what nodes said is missing or contradicts them.
pub(crate) fn proven_transactions(
    account: &Account,
    step: &StepRequest,
) -> Result<Vec<Transaction>, AnswerError> {
    let transactions = transactions(account, step)?;
    for transaction in &transactions {
        transaction.check_facts(Facts(&step.network_facts.facts))?;
    }
    Ok(transactions)
}

/// What the wallet's nodes said of the network.
fn facts(step: &StepRequest) -> Result<NetworkFacts, TransactionError> {
    let branch = step.network_facts.zcash_branch.as_deref();
    Ok(NetworkFacts { zcash_branch: branch.map(|text| array_from_hex("zcash_branch", text)).transpose()? })
}

/// What consent to a transaction is bound to: the chain, and every byte that would be signed.
pub(crate) fn digest(transaction: &Transaction) -> String {
    let images = transaction.images().iter().map(|image| image.as_bytes());
    digest_of([DOMAIN, transaction.account().chain.name().as_bytes()].into_iter().chain(images))
}

/// The digest of a list of parts.
pub(crate) fn digest_of<'a>(parts: impl Iterator<Item = &'a [u8]>) -> String {
    let mut bytes = Vec::new();
    for part in parts {
        // With its length in front: no two lists of parts become the same bytes.
        bytes.extend((part.len() as u64).to_be_bytes());
        bytes.extend(part);
    }
    hex(&sha256(&bytes))
}

fn decode(
    account: &Account,
    step: &StepRequest,
    tokens: &[wire::signer::TokenName],
) -> Result<Vec<Decoded>, AnswerError> {
    let transactions = proven_transactions(account, step)?;
    let facts = Facts(&step.network_facts.facts);
    let found: Vec<_> = transactions
        .iter()
        .map(|transaction| (transaction.role(), transaction.explain_with(facts)))
        .collect();
    let Some(((_, last), before)) = found.split_last() else {
        return Err(TransactionError::Missing { field: source(step) }.into());
    };
    let own = own_names(last.chain, tokens);
    let names = Names { chain: last.chain, own: &own, facts };
    let decoded = |(transaction, (role, found)): (&Transaction, &(Role, Explanation))| {
        let explanation = explain(found, names);
        Decoded {
            role: match role {
                Role::Approval => TransactionRole::Approval,
                Role::Main => TransactionRole::Transfer,
            },
            addresses: spelled(&explanation),
            explanation,
            claims: transaction.claims().iter().map(Claim::to_wire).collect(),
            contradictions: Vec::new(),
            unverified: Vec::new(),
            digest: digest(transaction),
            description: None,
            call: transaction.contract_call().map(Box::new),
        }
    };
    let mut decoded: Vec<Decoded> = transactions.iter().zip(&found).map(decoded).collect();
    // What is claimed of the step is told of its last transaction, which the others prepare.
    if let Some(told) = decoded.last_mut() {
        let claims::ClaimCheck { contradictions, unverified } = claims::check(step, last, before, names);
        (told.contradictions, told.unverified) = (contradictions, unverified);
    }
    Ok(decoded)
}

/// The vault's names for the tokens of a chain.
pub(crate) fn own_names(chain: Chain, tokens: &[wire::signer::TokenName]) -> Vec<TokenName> {
    tokens.iter().filter(|token| Chain::parse(&token.chain) == Some(chain)).map(name).collect()
}

fn name(token: &wire::signer::TokenName) -> TokenName {
    let wire::signer::TokenName { id, ticker, decimals, by_agent, .. } = token.clone();
    TokenName { id, ticker, decimals, by_agent }
}

/// The field with the step's bytes.
const fn source(step: &StepRequest) -> &'static str {
    match step.source {
        StepSource::Payload { .. } => "keysign_payload",
        StepSource::Raw { .. } => "unsigned_tx_hex",
    }
}
