//! The row of a message, and what pages see of it.

use crate::audit::digest;
use crate::call::CallRow;
use crate::store::json;
use derive::Record;
use wire::api::{CallState, Millis, Source};
use wire::bundle::Step;
use wire::explain::NamedText;
use wire::message::{
    MessageDomain, MessageKind, MessageNotice, MessageRequest, MessageView, SignIn, SignatureState,
};
use wire::policy::Verdict;

/// A message as it was at its prompt, and its signature once it is made.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MessageRow {
    /// The id of its call.
    pub(super) id: String,
    pub(super) vault_id: String,
    pub(super) vault_name: String,
    pub(super) source: Source,
    /// The account that signs.
    pub(super) account: String,
    /// What was asked for: what is signed is made from it.
    pub(super) request: MessageRequest,
    pub(super) kind: MessageKind,
    /// The message as the policy judges it: a bundle of one step.
    pub(super) step: Step,
    pub(super) text: Option<String>,
    pub(super) domain: Option<MessageDomain>,
    pub(super) primary_type: Option<String>,
    pub(super) sign_in: Option<SignIn>,
    pub(super) fields: Vec<NamedText>,
    pub(super) until: Option<Millis>,
    pub(super) notices: Vec<MessageNotice>,
    /// Of the vault and of what would be signed.
    pub(super) digest: String,
    /// Of everything else here but the signature.
    pub(super) shown: String,
    pub(super) verdict: Verdict,
    pub(super) created_at: Millis,
    /// Hex, without `0x`.
    pub(super) signature: Option<String>,
}

impl MessageRow {
    /// Sets the digest of everything that is known of it; only the signature comes afterwards.
    pub(super) fn seal(&mut self) {
        self.shown.clear();
        self.shown = digest(&json(&*self));
    }

    /// What consent to the message itself is bound to.
    pub(super) fn message_digest(&self) -> &str {
        self.step.transactions.first().map_or("", |decoded| &decoded.digest)
    }

    /// As pages see it.
    pub(super) fn view(self, call: Option<&CallRow>) -> MessageView {
        let (state, error) = match call.map(|call| &call.state) {
            _ if self.signature.is_some() => (SignatureState::Signed, None),
            Some(CallState::Received | CallState::Waiting { .. }) => (SignatureState::Asking, None),
            Some(CallState::Approved) => (SignatureState::Approved, None),
            Some(CallState::Done { result, .. }) => (SignatureState::Refused, result.error.clone()),
            None => (SignatureState::Refused, None),
        };
        let Self { id, vault_id, vault_name, source, account, request, kind, step, .. } = self;
        let Self { text, domain, primary_type, sign_in, fields, until, digest, shown, .. } = self;
        MessageView {
            id,
            vault_id,
            vault_name,
            source,
            chain: request.chain,
            account,
            form: request.form,
            kind,
            step,
            text,
            domain,
            primary_type,
            sign_in,
            fields,
            until,
            digest,
            shown,
            verdict: self.verdict,
            state,
            signature: self.signature,
            error,
            created_at: self.created_at,
        }
    }
}
