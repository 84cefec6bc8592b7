//! Where a batch is, as EIP-5792 counts. Pure.

use wire::failure::Failure;
use wire::run::{BundleView, StepStatus};

/// Where a batch is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Standing {
    /// 100 pending · 200 all confirmed · 400 nothing is on the chain, nothing will be · 500 reverted, and nothing else
    /// landed · 600 some of it landed, the rest did not and will not.
    pub(super) code: u16,
    /// The transactions that are in a block, reverted ones too, in the order in which they were sent.
    pub(super) included: Vec<Included>,
}

/// A transaction in a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Included {
    /// Canonical name of the chain.
    pub(super) chain: String,
    /// Its id.
    pub(super) hash: String,
}

/// Still running, or a receipt is not known.
pub(super) const PENDING: u16 = 100;

/// Where a bundle is.
pub(super) fn standing(view: &BundleView) -> Standing {
    let mut included = Vec::new();
    let (mut confirmed, mut reverted, mut unsettled) = (0, 0, false);
    for (step, progress) in view.bundle.steps.iter().zip(&view.progress) {
        let failed_on_chain = progress
            .error
            .as_deref()
            .is_some_and(|error| Failure::parse(error).code() == "transaction_failed");
        for transaction in &progress.transactions {
            let lands = match transaction.status {
                StepStatus::Confirmed => true,
                StepStatus::Failed => failed_on_chain,
                StepStatus::Queued => false,
                // Signed bytes may be with a node: they are settled later, or looked for.
                StepStatus::Signing | StepStatus::Signed | StepStatus::Sent => {
                    unsettled |= transaction.tx_hash.is_some();
                    false
                }
                StepStatus::Timeout | StepStatus::Pending => {
                    unsettled = true;
                    false
                }
            };
            if let (true, Some(hash)) = (lands, &transaction.tx_hash) {
                included.push(Included { chain: step.chain.clone(), hash: hash.clone() });
            }
        }
        confirmed += usize::from(progress.status == StepStatus::Confirmed);
        reverted += usize::from(failed_on_chain);
    }
    let code = match view.success {
        None => PENDING,
        Some(_) if unsettled => PENDING,
        Some(_) if confirmed == view.bundle.steps.len() => 200,
        Some(_) if confirmed > 0 => 600,
        Some(_) if reverted > 0 => 500,
        Some(_) => 400,
    };
    Standing { code, included }
}
