//! The chains' dialects: what to send to a node, and what its responses mean. Nothing secret comes here.

use crate::error::AnswerError;
use crate::inspect::transactions;
use chains::encoding::{from_hex, hex};
use chains::rpc::{self, Method, Response};
use chains::transaction::Signed;
use chains::{Chain, Transaction};
use vault::public;
use wire::node::{
    Broadcast, CheckRequest, NetworkFacts, NodeQuery, NodeRequest, NodeResponse, NodeResult, SignedBytes,
};
use wire::signer::Reply;

/// What to send to a node of the chain.
pub(crate) fn build_requests(chain: &str, query: &NodeQuery) -> Result<Reply, AnswerError> {
    let chain = parse(chain)?;
    let requests = match query {
        NodeQuery::Broadcast(bytes) => vec![rpc::broadcast(chain, &signed(bytes)?)],
        NodeQuery::Status { id } => rpc::status(chain, id),
        NodeQuery::Check(check) => rpc::check(&transaction(check)?, check.ahead),
        NodeQuery::NetworkFacts if chain == Chain::Zcash => vec![rpc::zcash_branch()],
        NodeQuery::NetworkFacts => Vec::new(),
    };
    Ok(Reply::NodeRequests { requests: requests.into_iter().map(request).collect() })
}

/// What a node's responses mean.
pub(crate) fn parse_responses(
    chain: &str,
    query: &NodeQuery,
    responses: Vec<NodeResponse>,
) -> Result<Reply, AnswerError> {
    let chain = parse(chain)?;
    let responses: Vec<Response> = responses.into_iter().map(response).collect();
    Ok(Reply::NodeResult(match query {
        NodeQuery::Broadcast(_) => {
            let response = responses.first().ok_or(AnswerError::Malformed)?;
            NodeResult::Broadcast(broadcast(rpc::read_broadcast(chain, response)))
        }
        NodeQuery::Status { .. } => NodeResult::Status(rpc::read_status(chain, &responses)),
        NodeQuery::Check(check) => {
            NodeResult::Checked(rpc::read_check(&transaction(check)?, check.ahead, &responses))
        }
        NodeQuery::NetworkFacts => {
            let branch = responses.first().and_then(rpc::read_zcash_branch);
            NodeResult::NetworkFacts(NetworkFacts { zcash_branch: branch.map(|branch| hex(&branch)) })
        }
    }))
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
