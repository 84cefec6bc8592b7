//! The second wasm module: whatever touches keys or decodes transactions.
//!
//! It is loaded when it is first needed, and keeps nothing between two requests: whatever it needs comes with the
//! request, secrets sealed, and whatever must last goes back with the reply.

use wire::signer::{Refusal, Reply, Request};

/// Answers one request.
pub fn answer(request: Request) -> Reply {
    let _ = request;
    Reply::Refused(Refusal {
        code: "signer_unavailable".to_owned(),
        message: "not built yet".to_owned(),
        step: None,
        field: None,
    })
}
