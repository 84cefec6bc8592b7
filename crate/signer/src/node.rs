//! The chains' dialects: what to send to a node, and what its answers mean. Nothing secret comes here.

use crate::error::AnswerError;
use crate::inspect::transactions;
use chains::encoding::from_hex;
use chains::rpc::{self, Method, Response};
use chains::transaction::Signed;
use chains::{Chain, Transaction};
use vault::public;
use wire::node::{About, Broadcast, CheckRequest, Heard, NodeAnswer, NodeRequest, SignedBytes};
use wire::signer::Reply;

/// What to send to a node of the chain.
pub(crate) fn ask(chain: &str, about: &About) -> Result<Reply, AnswerError> {
    let chain = parse(chain)?;
    let requests = match about {
        About::Broadcast(bytes) => vec![rpc::broadcast(chain, &signed(bytes)?)],
        About::Status { id } => rpc::status(chain, id),
        About::Check(check) => rpc::check(&transaction(check)?, check.ahead),
    };
    Ok(Reply::Asks { requests: requests.into_iter().map(request).collect() })
}

/// What a node's answers mean.
pub(crate) fn hear(chain: &str, about: &About, answers: Vec<NodeAnswer>) -> Result<Reply, AnswerError> {
    let chain = parse(chain)?;
    let answers: Vec<Response> = answers.into_iter().map(response).collect();
    Ok(Reply::Heard(match about {
        About::Broadcast(_) => {
            let answer = answers.first().ok_or(AnswerError::Malformed)?;
            Heard::Broadcast(broadcast(rpc::read_broadcast(chain, answer)))
        }
        About::Status { .. } => Heard::Status(rpc::read_status(chain, &answers)),
        About::Check(check) => Heard::Checked(rpc::read_check(&transaction(check)?, check.ahead, &answers)),
    }))
}

fn parse(chain: &str) -> Result<Chain, AnswerError> {
    Chain::parse(chain).ok_or_else(|| AnswerError::UnknownChain { chain: chain.to_owned() })
}

fn transaction(check: &CheckRequest) -> Result<Transaction, AnswerError> {
    let transactions = transactions(&public::keys(&check.keys)?, &check.step)?;
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

fn response(answer: NodeAnswer) -> Response {
    Response { status: answer.status, body: answer.body.into_bytes() }
}

fn broadcast(outcome: rpc::Broadcast) -> Broadcast {
    match outcome {
        rpc::Broadcast::Accepted | rpc::Broadcast::AlreadyKnown => Broadcast::Accepted,
        rpc::Broadcast::Rejected { reason, .. } => Broadcast::Rejected { reason },
        rpc::Broadcast::Ambiguous { reason } => Broadcast::Ambiguous { reason },
    }
}
