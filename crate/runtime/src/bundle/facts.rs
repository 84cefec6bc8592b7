//! What the signatures of a step cover and only a node of its chain knows: asked before the step is decoded, and kept
//! with it, so that what is signed is what was approved.

use crate::Core;
use crate::agent::within;
use crate::node::query_nodes;
use crate::ports::NetError;
use chains::Chain;
use wire::api::Millis;
use wire::bundle::{Step, StepRequest, StepSource};
use wire::node::{NetworkFacts, NodeQuery, NodeResult};

/// How long a node has to answer; a step without its facts is refused.
const PATIENCE: Millis = 8_000;

/// Adds to the steps what their chain's nodes say. Only Zcash leaves something open: its consensus branch.
pub(super) async fn add_network_facts(core: &Core, steps: &mut [StepRequest]) {
    let chain = Chain::Zcash.name();
    let open =
        |step: &&mut StepRequest| step.chain == chain && matches!(step.source, StepSource::Payload { .. });
    let mut open: Vec<&mut StepRequest> = steps.iter_mut().filter(open).collect();
    if open.is_empty() {
        return;
    }
    let asked = async { Ok::<_, NetError>(query_nodes(core, chain, vec![NodeQuery::NetworkFacts]).await) };
    let facts = match within(&*core.ports.host, PATIENCE, asked)
        .await
        .map(|answers| answers.results.into_iter().next())
    {
        Ok(Some(NodeResult::NetworkFacts(facts))) => facts,
        _ => NetworkFacts::default(),
    };
    open.iter_mut().for_each(|step| step.network_facts = facts.clone());
}

/// Gives steps that are read anew the facts they were approved with.
pub(super) fn restore(requests: &mut [StepRequest], steps: &[Step]) {
    for (request, step) in requests.iter_mut().zip(steps) {
        request.network_facts = step.network_facts.clone();
    }
}
