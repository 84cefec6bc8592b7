//! What only nodes know of a bundle: what signatures cover and what explanations need. Asked before the steps are decoded,
//! and kept with them, so that what is signed is what was approved.

use crate::Core;
use crate::agent::within;
use crate::node::{query_nodes, together};
use crate::ports::NetError;
use chains::Chain;
use wire::api::{Endpoint, Millis};
use wire::bundle::{Step, StepRequest, StepSource};
use wire::node::{FactQuery, NetworkFacts, NodeFact, NodeQuery, NodeResult};
use wire::signer::{DecodeRequest, Reply, TokenName, WantedFact};
use wire::vault::VaultAccount;

/// How long a node has to answer. A step whose signatures need what it did not say is refused; what an explanation lacks
/// is shown as unknown.
const PATIENCE: Millis = 8_000;
/// More than this, in bytes, is not kept with the steps of a bundle.
const MOST_BYTES: usize = 1 << 20;

/// Adds to the steps what nodes say.
pub(super) async fn add_network_facts(
    core: &Core,
    accounts: &[VaultAccount],
    tokens: &[TokenName],
    steps: &mut [StepRequest],
) {
    add_zcash_branch(core, steps).await;
    let (accounts, tokens) = (accounts.to_vec(), tokens.to_vec());
    let request = DecodeRequest::WantFacts { accounts, steps: steps.to_vec(), tokens };
    // What cannot be decoded is refused when it is inspected.
    let Ok(Reply::WantedFacts { queries }) = core.ports.signer.ask(request.into()).await else { return };
    if queries.is_empty() {
        return;
    }
    let found = ask_nodes(core, &queries).await;
    let mut left = MOST_BYTES;
    for (wanted, facts) in queries.iter().zip(found) {
        for fact in facts {
            let chain = match &fact {
                NodeFact::DepositAddress { chain, .. } => chain.clone(),
                _ => wanted.chain.clone(),
            };
            for step in steps.iter_mut().filter(|step| step.chain == chain) {
                let Some(rest) = left.checked_sub(size(&fact)) else { return };
                left = rest;
                step.network_facts.facts.push(fact.clone());
            }
        }
    }
}

/// What nodes answer to each question in time, all asked side by side.
pub(crate) async fn ask_nodes(core: &Core, queries: &[WantedFact]) -> Vec<Vec<NodeFact>> {
    let asked = queries.iter().map(|wanted| ask(core, wanted)).collect();
    together(asked).await.unwrap_or_default()
}

/// What the nodes of a chain answer to one question in time; nothing where they do not say. Each question is asked alone:
/// one without an answer does not cost the others theirs.
async fn ask(core: &Core, wanted: &WantedFact) -> Result<Vec<NodeFact>, NetError> {
    Ok(within(&*core.ports.host, PATIENCE, answer(core, wanted)).await.unwrap_or_default())
}

async fn answer(core: &Core, wanted: &WantedFact) -> Result<Vec<NodeFact>, NetError> {
    let WantedFact { chain, query } = wanted;
    let settings = core.settings.read().await.map_err(|error| NetError(error.to_string()))?;
    let chosen = settings.endpoints.get(chain.as_str());
    for query in [own_node(query, chosen), Some(query.clone())].into_iter().flatten() {
        let answers = core.nodes.query(chain, chosen, vec![NodeQuery::Fact(query)]).await;
        if let Some(NodeResult::Facts(facts)) = answers.results.into_iter().next()
            && !facts.is_empty()
        {
            return Ok(facts);
        }
    }
    Ok(Vec::new())
}

/// The same question for the user's own node of the chain, where there is one that can answer it.
fn own_node(query: &FactQuery, chosen: Option<&Endpoint>) -> Option<FactQuery> {
    match (query, chosen) {
        (FactQuery::PreviousTransaction { id, .. }, Some(Endpoint { rpc_url: Some(_), .. })) => {
            Some(FactQuery::PreviousTransaction { id: id.clone(), json_rpc: true })
        }
        _ => None,
    }
}

/// How many bytes a fact takes, about.
const fn size(fact: &NodeFact) -> usize {
    match fact {
        NodeFact::PreviousTransaction { bytes, .. } => bytes.len(),
        _ => 256,
    }
}

/// Only Zcash leaves something open that signatures cover: its consensus branch.
async fn add_zcash_branch(core: &Core, steps: &mut [StepRequest]) {
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
