//! Waits for what a page is answered with: that a node has the bytes, or that the bundle has begun.

use crate::Core;
use crate::dapp::RpcError;
use crate::dapp::asked::told;
use crate::store::StoreError;
use wire::action::ActionResult;
use wire::api::CallState;
use wire::failure::Failure;
use wire::run::{BundleState, BundleView, StepStatus};

/// How far a bundle is.
pub(crate) enum Begun {
    /// The user approved it, and it runs or waits for its turn.
    Running,
    /// It has ended.
    Ended(ActionResult),
}

/// Waits until a bundle is approved and begun, or has ended.
pub(crate) async fn wait_until_begun(core: &Core, id: &str) -> Result<Begun, StoreError> {
    wait(core, id, |view, result| match (view, result) {
        (_, Some(result)) => Some(Begun::Ended(result.clone())),
        (Some(view), None) if is_begun(view) => Some(Begun::Running),
        _ => None,
    })
    .await
}

/// Whether it was approved, and the vault opened for it.
fn is_begun(view: &BundleView) -> bool {
    let turn = view.behind.is_some() && view.state == BundleState::Approved;
    turn || view.state == BundleState::Running
        || view.progress.iter().any(|step| step.status != StepStatus::Queued)
}

/// Waits until a node has the first transaction of a bundle; gives its hash.
pub(super) async fn wait_until_sent(core: &Core, id: &str) -> Result<String, RpcError> {
    let sent = wait(core, id, |view, result| {
        let sent = view.and_then(sent);
        match (sent, result) {
            (Some(hash), _) => Some(Ok(hash)),
            (None, Some(result)) => Some(Err(refusal(result))),
            (None, None) => None,
        }
    });
    match sent.await? {
        Ok(hash) => Ok(hash),
        Err(error) => Err(told(core, id, error).await?),
    }
}

/// The hash of a first transaction that a node has, or may have.
fn sent(view: &BundleView) -> Option<String> {
    let first = view.progress.first()?;
    let transaction = first.transactions.first()?;
    let hash = transaction.tx_hash.clone()?;
    let reverted =
        || first.error.as_deref().is_some_and(|error| Failure::parse(error).code() == "transaction_failed");
    let is_sent = match transaction.status {
        // At the deadline a node may have it: the page must not send another.
        StepStatus::Sent | StepStatus::Confirmed | StepStatus::Pending | StepStatus::Timeout => true,
        StepStatus::Failed => transaction.sent_at.is_some() || reverted(),
        StepStatus::Queued | StepStatus::Signing | StepStatus::Signed => false,
    };
    is_sent.then_some(hash)
}

/// What a page is told of a bundle that was not sent.
pub(crate) fn refusal(result: &ActionResult) -> RpcError {
    let failure = Failure::parse(result.error.as_deref().unwrap_or("failed"));
    match failure.code() {
        // The node's own word.
        "broadcast_rejected" => RpcError::Node {
            code: -32_000,
            message: failure.message().unwrap_or("the node rejected the transaction").to_owned(),
            data: None,
        },
        _ => RpcError::of_result(result),
    }
}

/// Waits until `decide` decides, of the bundle as it is and of its call's result.
async fn wait<T>(
    core: &Core,
    id: &str,
    mut decide: impl FnMut(Option<&BundleView>, Option<&ActionResult>) -> Option<T>,
) -> Result<T, StoreError> {
    loop {
        let seen = core.database.changed.version();
        let state = core.journal.call(id).await?.map(|call| call.record.state);
        let result = match &state {
            None => return Err(StoreError::corrupt("calls", id, "is missing".to_owned())),
            Some(CallState::Done { result, .. }) => Some(result),
            Some(_) => None,
        };
        let view = match &state {
            Some(CallState::Received) => None,
            _ => core.bundles.view(id).await?,
        };
        if let Some(decided) = decide(view.as_ref(), result) {
            return Ok(decided);
        }
        core.database.changed.changed_since(seen).await;
    }
}
