//! Counts what happened, from the records of the chains, the proxies and the agent.

use crate::shared::{Chains, Node};
use agent_backend::{Agent, ReceivedResult};
use anyhow::{Result, bail};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The totals.
pub(crate) struct Counted {
    bundles: usize,
    steps: usize,
    /// Bundles without a result at the agent, or with one in which not every step is confirmed.
    lost: usize,
    /// Bundles with more than one result; repeated deliveries under the same key do not count.
    answered_twice: usize,
    /// Steps whose transaction is not mined.
    missing: usize,
    /// Steps with more than one signed transaction.
    doubled: usize,
    /// Mined transactions that no result names.
    unnamed: usize,
    /// Requests with a signed transaction, including repeated ones.
    broadcasts: usize,
    violations: Vec<String>,
}

pub(crate) async fn count(chains: &Chains, agent: &Agent, owner: &str, bundles: usize) -> Result<Counted> {
    let mut by_action: BTreeMap<String, Vec<ReceivedResult>> = BTreeMap::new();
    for result in agent.results() {
        by_action.entry(result.action_id.clone()).or_default().push(result);
    }
    let whole = |results: &&Vec<ReceivedResult>| results.iter().all(confirmed);
    let keys = |results: &Vec<ReceivedResult>| {
        results.iter().map(|result| result.key.as_str()).collect::<BTreeSet<_>>().len()
    };
    let named: BTreeSet<String> = by_action.values().flatten().flat_map(hashes).collect();
    let (mut mined, mut signed, mut broadcasts) = (BTreeSet::new(), 0, 0);
    for Node { anvil, proxy, .. } in chains.both() {
        let worked = anvil.transactions_from(owner).await?.into_iter().filter(|one| one.succeeded);
        mined.extend(worked.map(|one| one.hash));
        signed += proxy.sent_raw().len();
        broadcasts += proxy.count("eth_sendRawTransaction");
    }
    let steps = 3 * bundles;
    Ok(Counted {
        bundles,
        steps,
        lost: bundles - by_action.values().filter(whole).count().min(bundles),
        answered_twice: by_action.values().filter(|results| keys(results) > 1).count(),
        missing: steps - named.intersection(&mined).count().min(steps),
        doubled: signed.saturating_sub(steps),
        unnamed: mined.difference(&named).count(),
        broadcasts,
        violations: agent.violations(),
    })
}

/// Three rows, all confirmed.
fn confirmed(result: &ReceivedResult) -> bool {
    let rows = rows(result);
    let in_block = |row: &&Value| row.get("status").and_then(Value::as_str) == Some("confirmed");
    result.success && rows.len() == 3 && rows.iter().filter(in_block).count() == 3
}

fn hashes(result: &ReceivedResult) -> Vec<String> {
    rows(result).iter().filter_map(|row| row.get("tx_hash")?.as_str().map(str::to_owned)).collect()
}

fn rows(result: &ReceivedResult) -> &[Value] {
    let rows = result.data.as_ref().and_then(|data| data.get("transactions")?.as_array());
    rows.map(Vec::as_slice).unwrap_or_default()
}

impl Counted {
    /// Fails unless every bundle has one result, and every step is on its chain once.
    pub(crate) fn verdict(&self) -> Result<()> {
        let wrong = [self.lost, self.answered_twice, self.missing, self.doubled, self.unnamed];
        if wrong.iter().any(|count| *count > 0) {
            bail!("a bundle, step or result was lost or doubled");
        }
        if !self.violations.is_empty() {
            bail!("the wallet did not keep to the protocol: {}", self.violations.join("; "));
        }
        Ok(())
    }
}

impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bundles, steps, lost, answered_twice, missing, doubled, unnamed, broadcasts, .. } = self;
        writeln!(f, "bundles   {bundles}, lost {lost}, answered twice {answered_twice}")?;
        writeln!(
            f,
            "steps     {steps}, missing {missing}, doubled {doubled}, unnamed on the chains {unnamed}"
        )?;
        write!(f, "sent      {broadcasts} times, {} of them again", broadcasts.saturating_sub(*steps))
    }
}
