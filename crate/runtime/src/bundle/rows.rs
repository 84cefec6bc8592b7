//! The rows of a bundle, and where its transmissions are on disk.

use crate::audit::digest;
use crate::policy::Payee;
use crate::store::json;
use derive::Record;
use wire::api::{Millis, Source};
use wire::bundle::{Bundle, Step};
use wire::evm::FeeChoice;
use wire::node::SignedBytes;
use wire::policy::Verdict;
use wire::run::StepStatus;
use wire::trial::TrialRun;

/// A bundle with its steps decoded, as it was at its prompt; it does not change afterwards. Pages see a [`Bundle`] as a
/// part of their view.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub struct BundleRow {
    /// The id of its call.
    pub id: String,
    /// The heading that the sender gave it.
    pub label: Option<String>,
    /// The vault that signs.
    pub vault_id: String,
    /// That vault's name when it was asked.
    pub vault_name: String,
    /// The sender.
    pub source: Source,
    /// The steps, in the order in which they run.
    pub steps: Vec<Step>,
    /// What the chains' nodes say of a trial run, one for each chain: the nodes' word.
    #[record(default)]
    pub trial: Vec<TrialRun>,
    /// Of the vault and of every byte that would be signed, in order (hex): what consent is bound to.
    pub digest: String,
    /// Of everything else here (hex): what a prompt about it names as its subject. Empty if an earlier version made it.
    #[record(default)]
    pub shown: String,
    /// The policy's verdict before any prompt.
    pub verdict: Verdict,
    /// Whether the approval was skipped at the sender's request, as the user's settings allow.
    pub skipped_approval: bool,
    /// Whether the signed transactions go to the page that asked, and are not sent.
    #[serde(default, skip_serializing_if = "is_false")]
    pub for_page: bool,
    /// When it arrived.
    pub created_at: Millis,
    /// Who is paid by which transaction: they are known from its confirmation on. An earlier version wrote them down at
    /// the approval, and none here.
    #[record(default)]
    pub payees: Vec<Payee>,
    /// The fees that the user can choose from, where the wallet filled in the transactions.
    #[record(default, skip_serializing_if = "Option::is_none")]
    pub fees: Option<FeeChoice>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the writer hands it so")]
const fn is_false(value: &bool) -> bool {
    !*value
}

impl From<BundleRow> for Bundle {
    fn from(row: BundleRow) -> Self {
        let BundleRow { id, label, vault_id, vault_name, source, .. } = row;
        let BundleRow {
            steps,
            trial,
            digest,
            shown,
            verdict,
            skipped_approval,
            for_page,
            created_at,
            fees,
            ..
        } = row;
        Self {
            id,
            label,
            vault_id,
            vault_name,
            source,
            steps,
            trial,
            digest,
            shown,
            verdict,
            skipped_approval,
            for_page,
            created_at,
            fees,
        }
    }
}

impl BundleRow {
    /// Sets the digest of everything that is known of it; it does not change afterwards.
    pub(super) fn seal(&mut self) {
        self.shown.clear();
        self.shown = digest(&json(&*self));
    }
}

/// One transaction on its way to a chain. Before the first of its states there is no record.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub struct Transmission {
    /// Where it is; never [`StepStatus::Queued`].
    pub status: StepStatus,
    /// The bytes that go out, the same each time.
    pub signed: Option<SignedBytes>,
    /// Why it failed or is unsettled, as `code: sentence`.
    pub error: Option<String>,
    /// When it was signed.
    pub signed_at: Option<Millis>,
    /// When a node first had it.
    pub sent_at: Option<Millis>,
    /// When its receipt is waited for no longer.
    pub deadline: Option<Millis>,
    /// When it was settled.
    pub settled_at: Option<Millis>,
    /// Whether it was settled after its bundle had ended.
    pub late: bool,
    /// Looks since it last got further.
    pub looks: u32,
    /// Not to be looked at before.
    pub next_look: Millis,
    /// How often in a row no node of the chain knew it and none could take it any more.
    pub gone: u32,
}

/// A bundle under way.
#[derive(Debug, Clone, PartialEq, Eq, Default, Record)]
#[serde(rename_all = "camelCase")]
pub struct Run {
    /// When it began; not while it waits for another.
    pub started_at: Option<Millis>,
    /// The bundle that uses one of its accounts.
    pub behind: Option<String>,
    /// The user stopped it before its next step.
    pub stop: bool,
    /// Whether it has ended.
    pub ended: bool,
}

/// Which transaction of which step, counted from 0 in the order in which they run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The step.
    pub step: usize,
    /// The transaction of the step.
    pub index: usize,
}

/// The first transaction of a bundle.
pub(super) const FIRST: Place = Place { step: 0, index: 0 };

/// The key of a transmission; keys sort as the transmissions run.
pub(crate) fn key(bundle_id: &str, at: Place) -> String {
    format!("{bundle_id}/{:03}/{:03}", at.step, at.index)
}

/// The bundle and the place that a key names.
pub(crate) fn read_key(key: &str) -> Option<(&str, Place)> {
    let (bundle_id, rest) = key.split_once('/')?;
    let (step, index) = rest.split_once('/')?;
    Some((bundle_id, Place { step: step.parse().ok()?, index: index.parse().ok()? }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::json::{from_text, to_text};
    use wire::trial::{NoTrialReason, TrialOutcome};

    /// Rows that an earlier version wrote are read, and written as they were.
    #[test]
    fn rows_keep_their_text() {
        let sent = r#"{"status":"sent","signed":{"bytes":"02","detached":null,"id":"0xab"},"error":"x: y","signedAt":1,"sentAt":2,"deadline":3,"settledAt":4,"late":true,"looks":5,"nextLook":6,"gone":7}"#;
        assert_eq!(to_text(&from_text::<Transmission>(sent).unwrap()), sent);
        let run = r#"{"startedAt":1,"behind":"b","stop":true,"ended":false}"#;
        assert_eq!(to_text(&from_text::<Run>(run).unwrap()), run);
        assert_eq!(from_text::<Run>(r#"{"stop":false,"ended":false}"#).unwrap(), Run::default());
        let bundle = r#"{"id":"b","label":null,"vaultId":"v","vaultName":"n","source":{"kind":"user"},"steps":[],"digest":"d","verdict":{"name":"allow"},"skippedApproval":false,"createdAt":1}"#;
        assert_eq!(from_text::<BundleRow>(bundle).unwrap().payees, []);
    }

    /// A bundle that was stored before there were trial runs has none.
    #[test]
    fn a_bundle_without_trial_runs_is_read() {
        let old = r#"{"id":"b","label":null,"vaultId":"v","vaultName":"n","source":{"kind":"user"},"steps":[],"digest":"00","verdict":{"name":"allow"},"skippedApproval":false,"createdAt":7}"#;
        let row = from_text::<BundleRow>(old).unwrap();
        assert_eq!((row.id.as_str(), row.trial.len()), ("b", 0));
        let outcome = TrialOutcome::NotRun { reason: NoTrialReason::NodeHasNone };
        let trial = vec![TrialRun { chain: "Ethereum".to_owned(), outcome }];
        let row = BundleRow { trial, ..row };
        assert_eq!(from_text::<BundleRow>(&to_text(&row)).unwrap(), row);
    }
}
