//! Messages: decoded and explained without a secret, and signed if they are still what was consented to.

use crate::error::AnswerError;
use crate::explain::explain;
use crate::inspect::{digest_of, own_names};
use crate::opened::open;
use crate::sign::signatures;
use crate::wanted::of_tokens;
use chains::address::spelled;
use chains::encoding::hex;
use chains::facts::{Facts, Wanted};
use chains::message::{self, Message};
use chains::names::Names;
use chains::signing::SignatureError;
use vault::public;
use wire::api::Millis;
use wire::bundle::{Decoded, TransactionRole};
use wire::explain::NamedText;
use wire::json::Named as _;
use wire::message::{InspectedMessage, MessageRequest};
use wire::node::NodeFact;
use wire::signer::{Opened, Reply, TokenName, WantedFact};
use wire::vault::VaultAccount;

/// Domain separation: the digest of anything else is never that of a message.
const DOMAIN: &[u8] = b"countersign message 1";

/// Reads a message and says what it allows.
pub(crate) fn inspect(
    account: &VaultAccount,
    request: &MessageRequest,
    tokens: &[TokenName],
    facts: &[NodeFact],
    now: Millis,
) -> Result<Reply, AnswerError> {
    let message = message::read(request, &public::account(account)?)?;
    let facts = Facts(facts);
    let found = message.explain(now, facts);
    let chain = message.account().chain;
    let own = own_names(chain, tokens);
    let explanation = explain(&found.explanation, Names { chain, own: &own, facts });
    let wanted = found.wanted.into_iter().chain(of_tokens(&found.explanation, tokens));
    let decoded = Decoded {
        role: TransactionRole::Transfer,
        addresses: spelled(&explanation),
        explanation,
        claims: Vec::new(),
        contradictions: Vec::new(),
        unverified: Vec::new(),
        digest: digest(&message),
        call: None,
        description: None,
    };
    let named = |(name, value)| NamedText { name, value };
    let asked = |Wanted { chain, query }| WantedFact { chain: chain.name().to_owned(), query };
    Ok(Reply::MessageInspected(Box::new(InspectedMessage {
        kind: found.kind,
        decoded,
        text: found.text,
        domain: found.domain,
        primary_type: found.primary_type,
        sign_in: found.sign_in,
        fields: found.fields.into_iter().map(named).collect(),
        until: found.until,
        notices: found.notices,
        wanted: wanted.map(asked).collect(),
    })))
}

/// Reads the message again and signs it. The secret is opened last, when nothing else can fail.
pub(crate) fn sign(
    opened: &Opened,
    account: &VaultAccount,
    request: &MessageRequest,
    consented: &str,
) -> Result<Reply, AnswerError> {
    let message = message::read(request, &public::account(account)?)?;
    if digest(&message) != consented {
        return Err(AnswerError::DigestMismatch);
    }
    let image = message.image();
    let images = [image];
    let made = signatures(open(opened)?, message.account(), &images)?;
    let ([image], [signature]) = (&images, made.as_slice()) else {
        return Err(SignatureError::Count { expected: 1, found: made.len() }.into());
    };
    let verified = message.account().key.verify(image, signature);
    let verified = verified.ok_or(SignatureError::Invalid { index: 0 })?;
    Ok(Reply::MessageSigned { signature: hex(&message.signature(verified)) })
}

/// What consent to a message is bound to: the chain, the form, and every byte that would be signed.
fn digest(message: &Message) -> String {
    let image = message.image();
    let chain = message.account().chain.name();
    let parts = [DOMAIN, chain.as_bytes(), message.form().name().as_bytes(), image.as_bytes()];
    digest_of(parts.into_iter())
}
