//! After the approval: the vault is opened, and the message signed. The signature and the call's result are one commit.

use super::error::SignMessageError;
use super::row::MessageRow;
use super::{MESSAGES, SIGN_MESSAGE};
use crate::Core;
use crate::call::CallRow;
use crate::policy;
use crate::prompt::{self, Ask, DeclinedError};
use crate::store::{Batch, Durability, Reads, StoreError, Stored};
use crate::tool::{Context, Outcome, Output};
use crate::vault::{Closing, Opening, SessionCopy};
use derive::ToJson;
use std::rc::Rc;
use wire::api::Source;
use wire::failure::Failure;
use wire::prompt::{PasswordReason, Question};
use wire::signer::{KeyRequest, Refusal, Reply};

/// The result's data.
#[derive(Debug, ToJson)]
struct SignedMessage {
    /// Hex, without `0x`.
    signature: String,
    /// The account that signed.
    account: String,
    /// The message in the form in which it was signed: JSON of typed data, hex of anything else.
    content: String,
}

/// Signs an approved message, or asks for the password first.
pub(super) async fn sign_message(
    call: &Stored<CallRow>,
    context: &mut Context<'_>,
) -> Result<Outcome, StoreError> {
    let core = context.wallet.core;
    let Some(message) = core.messages.get(&call.record.id).await? else {
        return Ok(ended(context, Output::failed(SignMessageError::MessageGone)));
    };
    // A page that was disconnected meanwhile gets nothing.
    if let Source::Dapp { origin } = &call.record.source
        && core.connections.grant(origin).await?.is_none()
    {
        return Ok(ended(context, Output::failed(SignMessageError::NotConnected)));
    }
    let mut reads = Reads::new();
    let rules = policy::read_rules(&mut reads);
    let opening = Opening::read(&mut reads, &message.record.vault_id, Some(&call.record.id), false);
    let closing = Closing::read(&mut reads, &message.record.vault_id, &call.record.id);
    let snapshot = reads.from(core.database.store()).await?;
    if snapshot.one(rules)?.is_some_and(|rules| rules.record.kill_switch) {
        return Ok(ended(context, Output::failed(DeclinedError::KillSwitch.failure())));
    }
    let Some(vault) = opening.vault(&snapshot)? else {
        let gone = SignMessageError::NoVault("the vault is no longer here");
        return Ok(ended(context, Output::failed(gone)));
    };
    let own = snapshot.expectation(rules);
    let Some(opened) = core.vaults.open_copy(opening, &snapshot, &mut SessionCopy::default()).await? else {
        return ask_for_password(core, call, *message.record).await;
    };
    let MessageRow { request, .. } = &*message.record;
    let Some(account) = vault.account(&request.chain).cloned() else {
        let none = SignMessageError::NoVault("the vault has no account on this chain");
        return Ok(ended(context, Output::failed(none)));
    };
    let asked = KeyRequest::SignMessage {
        opened: opened.opened,
        account,
        message: request.clone(),
        digest: message.record.message_digest().to_owned(),
    };
    let signature = match core.ports.signer.ask(asked.into()).await {
        Ok(Reply::MessageSigned { signature }) => signature,
        Ok(_) => return Ok(ended(context, Output::failed(SignMessageError::SignerUnavailable))),
        Err(Refusal { code, message, .. }) => {
            return Ok(ended(context, Output::failed(Failure::new(code, message))));
        }
    };
    // A signature that is made while the vault is locked or everything stopped is thrown away.
    let relied_on: Vec<_> = own.into_iter().chain(opened.record).collect();
    context.batch.expect_all(&relied_on);
    let closed = closing.stage(&snapshot, &mut context.batch)?;
    let data = SignedMessage {
        signature: signature.clone(),
        account: message.record.account.clone(),
        content: message.record.request.content.clone(),
    };
    let row = MessageRow { signature: Some(signature), ..(*message.record).clone() };
    context.batch.expect(MESSAGES, &row.id, Some(&message.text));
    context.batch.put(MESSAGES, &row.id, &row);
    let after = Rc::clone(core);
    context.after.push(Box::pin(async move { after.vaults.forget(closed).await }));
    Ok(ended(context, Output::done(&data)))
}

fn ended(context: &Context<'_>, output: Output) -> Outcome {
    Outcome::Ended(context.result(&SIGN_MESSAGE, output))
}

async fn ask_for_password(
    core: &Rc<Core>,
    call: &Stored<CallRow>,
    message: MessageRow,
) -> Result<Outcome, StoreError> {
    let call_id = call.record.id.clone();
    let why = PasswordReason::Message;
    let MessageRow { vault_id, vault_name, shown, .. } = message;
    let ask = Ask {
        question: Question::PasswordRequired { call_id, vault_id, vault_name, why },
        title: call.record.title.clone(),
        reasons: Vec::new(),
        subject: Some(shown),
        hosts: Vec::new(),
        pin: None,
    };
    let mut batch = Batch::new(Durability::Strict);
    let prompt = prompt::ask_for_call(core, call.clone(), ask, &mut batch);
    core.commit(batch).await?;
    prompt::notify(core, &prompt).await?;
    Ok(Outcome::Suspended)
}
