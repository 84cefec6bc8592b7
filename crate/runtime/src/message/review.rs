//! Before the approval: the message is read, explained and judged.

use super::SIGN_MESSAGE;
use super::error::SignMessageError;
use super::row::MessageRow;
use super::tool::Reviewed;
use crate::Core;
use crate::bundle;
use crate::call::CallRow;
use crate::descriptors::describe_typed_data;
use crate::id::digest;
use crate::policy::{DefinitionStanding, assess, blocked};
use crate::store::{Batch, StoreError};
use crate::tool::{Output, Params, Prepared, RequestError};
use chains::Chain;
use wire::api::Source;
use wire::bundle::{Step, TxDetails};
use wire::failure::Failure;
use wire::json::Object;
use wire::message::{InspectedMessage, MessageForm, MessageRequest};
use wire::node::{NetworkFacts, NodeFact};
use wire::policy::Verdict;
use wire::signer::{DecodeRequest, Refusal, Reply, TokenName};
use wire::vault::{Vault, VaultAccount, VaultKind};

/// More questions than this are not put to nodes.
const MOST_QUESTIONS: usize = 16;

/// Why a message goes to no approval.
enum ReviewError {
    Refused(Failure),
    Store(StoreError),
}

impl From<StoreError> for ReviewError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<SignMessageError> for ReviewError {
    fn from(error: SignMessageError) -> Self {
        Self::Refused(error.into())
    }
}

impl From<RequestError> for ReviewError {
    fn from(error: RequestError) -> Self {
        Self::Refused(error.into())
    }
}

/// Reads and explains a message that has arrived, or says why it is not signed.
pub(super) async fn read_message(core: &Core, call: &CallRow) -> Result<Prepared, StoreError> {
    match explained(core, call).await {
        Ok(reviewed) => Ok(Prepared::Proposal(Box::new(reviewed))),
        Err(ReviewError::Refused(why)) => Ok(Prepared::Refused(Output::failed(why))),
        Err(ReviewError::Store(error)) => Err(error),
    }
}

/// The parameters as a request to the signer.
fn request(params: &Params, origin: &str) -> Result<MessageRequest, RequestError> {
    let params = Object::new(params);
    let name = params.required_word("chain")?;
    let unknown = || RequestError::UnknownChain { name: name.to_owned(), path: Some("/chain".to_owned()) };
    let chain = Chain::parse(name).ok_or_else(unknown)?;
    let form = match params.required_word("form")? {
        "personal" => MessageForm::Personal,
        "typed_data" => MessageForm::TypedData,
        "solana" => MessageForm::Solana,
        "sui" => MessageForm::Sui,
        _ => return Err(params.broken("form", "is not a form of message").into()),
    };
    Ok(MessageRequest {
        chain: chain.name().to_owned(),
        form,
        content: params.required_text("content")?.to_owned(),
        origin: origin.to_owned(),
    })
}

async fn explained(core: &Core, call: &CallRow) -> Result<Reviewed, ReviewError> {
    let Source::Dapp { origin } = &call.source else { return Err(SignMessageError::OnlyForPages.into()) };
    let request = request(&call.params, origin)?;
    let vault = signing_vault(core).await?;
    let account = vault.account(&request.chain).cloned();
    let account = account.ok_or(SignMessageError::NoVault("the vault has no account on this chain"))?;
    let held = core.coins.of_vault(vault.id()).await?;
    let tokens: Vec<TokenName> = held
        .into_iter()
        .filter_map(|coin| {
            let id = coin.contract_address?;
            let (ticker, decimals) = (coin.ticker, coin.decimals);
            Some(TokenName { chain: coin.chain, id, ticker, decimals, by_agent: !coin.confirmed })
        })
        .collect();
    let mut found = inspect(core, (&account, &request, &tokens), Vec::new()).await?;
    found.wanted.truncate(MOST_QUESTIONS);
    let facts = match found.wanted.as_slice() {
        [] => Vec::new(),
        wanted => bundle::ask_nodes(core, wanted).await.concat(),
    };
    let network_facts = NetworkFacts { facts: facts.clone(), ..NetworkFacts::default() };
    if !facts.is_empty() {
        found = inspect(core, (&account, &request, &tokens), facts).await?;
    }
    if request.form == MessageForm::TypedData {
        describe_typed_data(core, &request.content, &account.address, &mut found.decoded, &tokens).await?;
    }
    let InspectedMessage {
        kind, decoded, text, domain, primary_type, sign_in, fields, until, notices, ..
    } = found;
    let message_digest = decoded.digest.clone();
    let step = Step {
        id: call.id.clone(),
        sequence: 1,
        chain: request.chain.clone(),
        action: String::new(),
        details: TxDetails::default(),
        transactions: vec![decoded],
        findings: Vec::new(),
        wait_for_receipt: false,
        receipt_timeout_seconds: None,
        network_facts,
    };
    let message = MessageRow {
        id: call.id.clone(),
        vault_id: vault.id().to_owned(),
        vault_name: vault.name.clone(),
        source: call.source.clone(),
        account: account.address,
        request,
        kind,
        step,
        text,
        domain,
        primary_type,
        sign_in,
        fields,
        until,
        notices,
        digest: digest(&["message", vault.id(), &message_digest]),
        shown: String::new(),
        verdict: Verdict::Allow,
        created_at: call.received_at,
        signature: None,
    };
    Ok(Reviewed { message, vault })
}

async fn signing_vault(core: &Core) -> Result<Vault, ReviewError> {
    let vault = core.vaults.active().await?.map(|stored| stored.record);
    let vault = vault.ok_or(SignMessageError::NoVault("there is no vault yet that could sign"))?;
    match vault.kind {
        VaultKind::Local => Ok(*vault),
        VaultKind::Watch => Err(SignMessageError::WatchOnly.into()),
        VaultKind::Shares => Err(SignMessageError::NoSigner.into()),
    }
}

async fn inspect(
    core: &Core,
    (account, message, tokens): (&VaultAccount, &MessageRequest, &[TokenName]),
    facts: Vec<NodeFact>,
) -> Result<InspectedMessage, ReviewError> {
    let (account, message, tokens) = (account.clone(), message.clone(), tokens.to_vec());
    let request = DecodeRequest::InspectMessage { account, message, tokens, facts, now: core.now() };
    match core.ports.signer.ask(request.into()).await {
        Ok(Reply::MessageInspected(found)) => Ok(*found),
        Ok(_) => Err(SignMessageError::SignerUnavailable.into()),
        Err(Refusal { code, message, .. }) => Err(ReviewError::Refused(Failure::new(code, message))),
    }
}

/// Whether the signer reads a message, or why it refuses it. Nothing is recorded.
pub(crate) async fn check(
    core: &Core,
    account: &VaultAccount,
    message: &MessageRequest,
) -> Result<(), Failure> {
    match inspect(core, (account, message, &[]), Vec::new()).await {
        Err(ReviewError::Refused(failure)) => Err(failure),
        Ok(_) | Err(ReviewError::Store(_)) => Ok(()),
    }
}

/// The user approved the message: the limits are checked once more, in the batch that records the consent. Returns the
/// call's end if they do not allow it.
pub(crate) async fn consent(
    core: &Core,
    prompt_id: &str,
    call: &CallRow,
    batch: &mut Batch,
) -> Result<Option<Output>, StoreError> {
    let refused = |error: SignMessageError| Ok(Some(Output::failed(error)));
    let Some(stored) = core.messages.get(&call.id).await? else {
        return refused(SignMessageError::MessageGone);
    };
    let Some(vault) = core.vaults.get(&stored.record.vault_id).await? else {
        return refused(SignMessageError::NoVault("the vault is no longer here"));
    };
    let reviewed = Reviewed { message: *stored.record, vault: *vault.record };
    let to_sign = Some(reviewed.signing());
    let assessment = assess(core, call, &SIGN_MESSAGE, to_sign, &[], DefinitionStanding::Own).await?;
    if let Verdict::Block { reasons } = &assessment.verdict {
        return Ok(Some(Output::failed(blocked(reasons))));
    }
    assessment.stage_uses(batch);
    assessment.stage_consent(prompt_id, &reviewed.message.digest, batch);
    Ok(None)
}
