//! Connections, and the handling of requests.

use super::answer::{Answer, Piece};
use super::request::{CallerOutcome, ToolRequest};
use super::{Shared, State, routes};
use crate::gate::{Decision, Gate, When};
use std::io;
use std::sync::Arc;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

pub(super) async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                if let Ok((stream, _)) = accepted {
                    // Pieces are sent as they are written, without Nagle's algorithm.
                    let _ = stream.set_nodelay(true);
                    connections.spawn(serve(stream, Arc::clone(&shared)));
                }
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

/// Serves the one request of a connection. A broken connection is ignored.
async fn serve(stream: TcpStream, shared: Arc<Shared>) {
    let (mut reader, mut writer) = stream.into_split();
    let Ok(Some(request)) = ToolRequest::read(&mut reader).await else { return };
    if request.method == "OPTIONS" && request.header("access-control-request-method").is_some() {
        let answer = shared.for_pages(Answer::empty(204));
        let _ = write(&mut writer, &answer, false, |_| {}).await;
        return;
    }
    let head_only = request.method == "HEAD";
    let index = shared.record(request);
    // In its own task: a caller that leaves does not cancel a request in transit.
    let handling = tokio::spawn({
        let shared = Arc::clone(&shared);
        async move { handle(&shared, index).await }
    });
    let answering = async {
        let answer = handling.await.ok().flatten().map(|answer| shared.for_pages(answer));
        let Some(answer) = answer else { return CallerOutcome::Dropped };
        tokio::time::sleep(answer.delay).await;
        let count = |bytes: usize| shared.update(index, |request| request.sent += bytes);
        match write(&mut writer, &answer, head_only, count).await {
            Ok(true) => CallerOutcome::Answered,
            Ok(false) => CallerOutcome::Dropped,
            Err(_) => CallerOutcome::Left,
        }
    };
    let outcome = tokio::select! {
        outcome = answering => outcome,
        () = left(&mut reader) => CallerOutcome::Left,
    };
    shared.update(index, |request| request.outcome = outcome);
}

/// Returns when the caller has closed its end.
async fn left(reader: &mut OwnedReadHalf) {
    let mut ignored = [0; 64];
    while matches!(reader.read(&mut ignored).await, Ok(1..)) {}
}

/// Writes an answer; `false` if it ends the connection early.
async fn write(
    writer: &mut OwnedWriteHalf,
    answer: &Answer,
    head_only: bool,
    mut count: impl FnMut(usize),
) -> io::Result<bool> {
    let Some(head) = answer.head() else { return Ok(false) };
    writer.write_all(head.as_bytes()).await?;
    if head_only {
        writer.shutdown().await?;
        return Ok(true);
    }
    for piece in &answer.body {
        match piece {
            Piece::Bytes(bytes) => {
                writer.write_all(&answer.framed(bytes)).await?;
                count(bytes.len());
            }
            Piece::Pause(time) => tokio::time::sleep(*time).await,
            Piece::Endless(bytes, pause) => loop {
                writer.write_all(&answer.framed(bytes)).await?;
                count(bytes.len());
                tokio::time::sleep(*pause).await;
            },
            Piece::Cut => return Ok(false),
        }
    }
    writer.write_all(answer.end()).await?;
    writer.shutdown().await?;
    Ok(true)
}

/// Handles a request; without an answer its connection is dropped.
async fn handle(shared: &Shared, index: usize) -> Option<Answer> {
    shared.gate(index, When::Before).await?;
    let mut taken = None;
    shared.state.send_modify(|state| {
        if let Some(request) = state.requests.get_mut(index) {
            request.handled = true;
            let request = request.clone();
            taken = Some((state.take_answer(&request), request));
        }
    });
    let (set, request) = taken?;
    let answer = match set {
        Some(answer) => answer,
        None => routes::answer(shared, index, &request).await,
    };
    shared.gate(index, When::After).await?;
    Some(answer)
}

impl Shared {
    /// Adds a request to the record. Returns its place.
    fn record(&self, request: ToolRequest) -> usize {
        let mut index = 0;
        self.state.send_modify(|state| {
            index = state.requests.len();
            state.requests.push(request);
        });
        index
    }

    fn update(&self, index: usize, change: impl FnOnce(&mut ToolRequest)) {
        self.state.send_modify(|state| {
            if let Some(request) = state.requests.get_mut(index) {
                change(request);
            }
        });
    }

    /// Waits if a test holds the request; `None` if its connection is to be dropped.
    async fn gate(&self, index: usize, when: When) -> Option<()> {
        let mut found = None;
        self.state.send_modify(|state| {
            let State { requests, gates, .. } = state;
            found = requests
                .get(index)
                .and_then(|request| Gate::take(gates, request, when).map(|gate| (gate, request.clone())));
        });
        let Some((gate, request)) = found else { return Some(()) };
        (gate.pass(request).await == Decision::GoOn).then_some(())
    }

    /// The answer with the headers of CORS, if pages may read it.
    fn for_pages(&self, answer: Answer) -> Answer {
        if !self.state.borrow().open_to_pages {
            return answer;
        }
        answer
            .header("access-control-allow-origin", "*")
            .header("access-control-allow-methods", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS")
            .header("access-control-allow-headers", "*, Authorization")
            .header("access-control-allow-private-network", "true")
            .header("access-control-expose-headers", "*")
    }
}
