//! The password for a call whose request needs secrets: asked for once the request is known, good for the call alone.

use crate::Core;
use crate::call::CallRow;
use crate::prompt::{self, Ask};
use crate::store::{Batch, Durability, StoreError, Stored};
use std::rc::Rc;
use wire::prompt::{PasswordReason, Question};

/// Asks for the password of a vault that is locked ([`super::FillError::Locked`]). The call waits; with the answer it is
/// approved and executed anew, and its request can be filled.
pub async fn ask_for_password(
    core: &Rc<Core>,
    call: Stored<CallRow>,
    (vault_id, vault_name): (String, String),
) -> Result<(), StoreError> {
    let call_id = call.record.id.clone();
    let ask = Ask {
        question: Question::PasswordRequired { call_id, vault_id, vault_name, why: PasswordReason::Secrets },
        title: call.record.title.clone(),
        reasons: Vec::new(),
        subject: Some(call.record.shown()),
        hosts: Vec::new(),
        pin: None,
    };
    let mut batch = Batch::new(Durability::Strict);
    let prompt = prompt::ask_for_call(core, call, ask, &mut batch);
    core.commit(batch).await?;
    prompt::notify(core, &prompt).await
}
