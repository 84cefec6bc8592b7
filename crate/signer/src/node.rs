//! The chains' dialects: builds the requests to a node and interprets its responses. Nothing secret comes here.

mod batch;
mod trial;

use crate::error::AnswerError;
use crate::inspect::transactions;
use chains::encoding::{from_hex, hex};
use chains::rpc::{self, Method, Response};
use chains::transaction::Signed;
use chains::{Chain, Transaction};
use vault::public;
use wire::node::{
    Broadcast, CheckRequest, NetworkFacts, NodeQuery, NodeRequest, NodeResponse, NodeResponses, NodeResult,
    SignedBytes,
};
use wire::signer::Reply;

/// The requests that put `queries` to a node of the chain.
pub(crate) fn build_requests(chain: &str, queries: &[NodeQuery]) -> Result<Reply, AnswerError> {
    let chain = parse(chain)?;
    let requests = queries.iter().map(|query| requests(chain, query)).collect::<Result<Vec<_>, _>>()?;
    Ok(Reply::NodeRequests { batch: batch::join(requests.iter().flatten()), requests })
}

/// What the responses of a node say.
pub(crate) fn parse_responses(
    chain: &str,
    queries: &[NodeQuery],
    responses: NodeResponses,
) -> Result<Reply, AnswerError> {
    let chain = parse(chain)?;
    let responses = match responses {
        NodeResponses::Single(responses) => responses,
        NodeResponses::Batch(response) => {
            let mut counts = Vec::with_capacity(queries.len());
            for query in queries {
                counts.push(requests(chain, query)?.len());
            }
            match batch::split(&response, &counts) {
                Some(responses) => responses,
                None => return Ok(Reply::BatchRefused {}),
            }
        }
    };
    if responses.len() != queries.len() {
        return Err(AnswerError::Malformed);
    }
    let results = queries.iter().zip(responses).map(|(query, responses)| result(chain, query, responses));
    Ok(Reply::NodeResults { results: results.collect::<Result<_, _>>()? })
}

fn requests(chain: Chain, query: &NodeQuery) -> Result<Vec<NodeRequest>, AnswerError> {
    let requests = match query {
        NodeQuery::Broadcast(bytes) => vec![rpc::broadcast(chain, &signed(bytes)?)],
        NodeQuery::Status { id } => rpc::status(chain, id),
        NodeQuery::Check(check) => rpc::check(&transaction(check)?, check.ahead),
        NodeQuery::TrialRun { transactions, .. } => rpc::trial(&trial::transactions(chain, transactions)?),
        NodeQuery::NetworkFacts if chain == Chain::Zcash => vec![rpc::zcash_branch()],
        NodeQuery::NetworkFacts => Vec::new(),
        NodeQuery::Fact(query) => rpc::fact(chain, query),
        NodeQuery::Fill(query) => rpc::fill(query),
        NodeQuery::Estimate { address, calls } => rpc::estimate(address, calls),
        NodeQuery::Receipt { id } => vec![rpc::receipt(id)],
    };
    Ok(requests.into_iter().map(request).collect())
}

fn result(chain: Chain, query: &NodeQuery, responses: Vec<NodeResponse>) -> Result<NodeResult, AnswerError> {
    let responses: Vec<Response> = responses.into_iter().map(response).collect();
    Ok(match query {
        NodeQuery::Broadcast(_) => {
            let response = responses.first().ok_or(AnswerError::Malformed)?;
            NodeResult::Broadcast(broadcast(rpc::read_broadcast(chain, response)))
        }
        NodeQuery::Status { .. } => NodeResult::Status(rpc::read_status(chain, &responses)),
        NodeQuery::Check(check) => {
            NodeResult::Checked(rpc::read_check(&transaction(check)?, check.ahead, &responses))
        }
        NodeQuery::TrialRun { transactions, tokens } => {
            let decoded = trial::transactions(chain, transactions)?;
            let trial = rpc::read_trial(&decoded, &responses);
            NodeResult::TrialRun(trial::outcome(chain, trial, transactions, tokens))
        }
        NodeQuery::NetworkFacts => {
            let branch = responses.first().and_then(rpc::read_zcash_branch);
            NodeResult::NetworkFacts(NetworkFacts {
                zcash_branch: branch.map(|branch| hex(&branch)),
                facts: Vec::new(),
            })
        }
        NodeQuery::Fact(query) => NodeResult::Facts(rpc::read_fact(chain, query, &responses)),
        NodeQuery::Fill(query) => NodeResult::Filling(rpc::read_fill(chain, query, &responses)),
        NodeQuery::Estimate { .. } => NodeResult::Estimates(rpc::read_estimate(&responses)),
        NodeQuery::Receipt { id } => {
            NodeResult::Receipt(responses.first().and_then(|answer| rpc::read_receipt(id, answer)))
        }
    })
}

fn parse(chain: &str) -> Result<Chain, AnswerError> {
    Chain::parse(chain).ok_or_else(|| AnswerError::UnknownChain { chain: chain.to_owned() })
}

fn transaction(check: &CheckRequest) -> Result<Transaction, AnswerError> {
    let transactions = transactions(&public::account(&check.account)?, &check.step)?;
    transactions.into_iter().nth(check.index).ok_or(AnswerError::NoSuchTransaction)
}

fn signed(signed: &SignedBytes) -> Result<Signed, AnswerError> {
    let SignedBytes { bytes, detached, id } = signed;
    let detached = detached.as_deref().map(|bytes| from_hex("detached", bytes)).transpose()?;
    Ok(Signed { bytes: from_hex("bytes", bytes)?, detached, id: id.clone() })
}

fn request(request: rpc::Request) -> NodeRequest {
    let body = match request.method {
        Method::Get => None,
        Method::Post(body) => Some(body),
    };
    NodeRequest { path: request.path, body }
}

fn response(response: NodeResponse) -> Response {
    Response { status: response.status, body: response.body.into_bytes() }
}

fn broadcast(outcome: rpc::Broadcast) -> Broadcast {
    match outcome {
        rpc::Broadcast::Accepted | rpc::Broadcast::AlreadyKnown => Broadcast::Accepted,
        rpc::Broadcast::Rejected { reason, .. } => Broadcast::Rejected { reason },
        rpc::Broadcast::Ambiguous { reason } => Broadcast::Ambiguous { reason },
    }
}
