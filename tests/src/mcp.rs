//! An MCP server in memory: strict about what it is sent, and faulty on request.
//!
//! It speaks both eras and HTTP+SSE. What breaks a rule of the protocol is in [`Peer::violations`], which a test expects to
//! be empty. What tools did is in [`Peer::executed`].

use crate::world::{Answer, Channel, NodeCall, World};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;

/// The server's address.
pub const MCP_URL: &str = "https://mcp.example/mcp";
const MODERN: &str = "2026-07-28";

/// What the server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaks {
    /// Stateless requests.
    Modern,
    /// Sessions.
    Legacy,
    /// HTTP+SSE of 2024.
    Sse,
}

/// A stream of events that can be taken up again.
#[derive(Default)]
struct Stream {
    events: Vec<(String, String)>,
    live: Option<Rc<Channel>>,
    /// The request that it answers.
    request: Value,
}

/// The server.
pub struct Peer {
    /// What it speaks.
    pub speaks: Speaks,
    /// What it lists.
    pub tools: Vec<Value>,
    /// Tools on a page; all on one if 0.
    pub page: usize,
    /// Cursors never end.
    pub endless: bool,
    /// The next cursor is refused once.
    pub refuses_cursor: bool,
    /// How long a list holds.
    pub ttl: Option<u64>,
    /// Sessions that it knows.
    pub sessions: HashSet<String>,
    /// Whether events have ids.
    pub resumable: bool,
    /// When streams may be taken up again.
    pub retry: Option<u64>,
    /// The status for every request, instead of an answer.
    pub refuses: Option<(u16, String)>,
    /// Names of tools whose calls are refused once with −32020.
    pub wants_headers: bool,
    /// What broke a rule.
    pub violations: Vec<String>,
    /// Calls that tools executed: name and arguments.
    pub executed: Vec<(String, Value)>,
    /// Answers of the client to requests of the server's.
    pub answers: Vec<Value>,
    /// Notifications of the client.
    pub notices: Vec<Value>,
    /// Ids of requests, none twice.
    ids: HashSet<String>,
    streams: Vec<Stream>,
    sse: Option<Rc<Channel>>,
    count: usize,
}

/// A definition of a tool, with these fields of its own.
pub fn tool(name: &str, fields: Value) -> Value {
    let mut tool = json!({"name": name, "description": format!("Use when {name} is wanted."),
        "inputSchema": {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
            "properties": {"text": {"type": "string"}}}});
    for (name, value) in fields.as_object().expect("fields are an object") {
        tool[name] = value.clone();
    }
    tool
}

/// A form that asks for a name.
pub fn form() -> Value {
    json!({"message": "Who are you?", "requestedSchema": {"type": "object",
        "properties": {"name": {"type": "string"}, "age": {"type": "integer", "default": 30}}, "required": ["name"]}})
}

impl Peer {
    /// A server with the usual tools.
    pub fn new(speaks: Speaks) -> Rc<RefCell<Self>> {
        let structured = json!({"outputSchema": {"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]}});
        let tools = vec![
            tool("echo", json!({})),
            tool("sum", structured.clone()),
            tool("no_sum", structured.clone()),
            tool("bad_sum", structured),
            tool("fail", json!({})),
            tool("refuse", json!({})),
            tool("ask", json!({})),
            tool("visit", json!({})),
            tool("slow", json!({})),
            tool("broken", json!({})),
            tool("silent", json!({})),
            tool("huge", json!({})),
            tool("wrong_id", json!({})),
            tool("sample", json!({})),
            tool("wipe", json!({"annotations": {"destructiveHint": true, "readOnlyHint": true}})),
        ];
        Rc::new(RefCell::new(Self {
            speaks,
            tools,
            page: 0,
            endless: false,
            refuses_cursor: false,
            ttl: None,
            sessions: HashSet::new(),
            resumable: true,
            retry: None,
            refuses: None,
            wants_headers: false,
            violations: Vec::new(),
            executed: Vec::new(),
            answers: Vec::new(),
            notices: Vec::new(),
            ids: HashSet::new(),
            streams: Vec::new(),
            sse: None,
            count: 0,
        }))
    }

    fn violated(&mut self, what: impl Into<String>) {
        self.violations.push(what.into());
    }

    /// Answers one HTTP request.
    pub fn handle(&mut self, call: &NodeCall) -> Answer {
        if let Some((status, body)) = &self.refuses {
            return Answer::Http(*status, "text/plain", body.clone());
        }
        match (call.method.as_str(), self.speaks) {
            ("GET", Speaks::Sse) if call.url == MCP_URL => self.open_sse(),
            ("GET", Speaks::Legacy) => self.resume(call),
            ("POST", Speaks::Sse) if call.url == MCP_URL => Answer::Http(405, "text/plain", String::new()),
            ("POST", _) => self.post(call),
            _ => Answer::Http(405, "text/plain", String::new()),
        }
    }

    fn post(&mut self, call: &NodeCall) -> Answer {
        let accept = call.header("accept").unwrap_or_default();
        if !accept.contains("application/json") || !accept.contains("text/event-stream") {
            self.violated("M1: not both content types");
        }
        if call.header("content-type") != Some("application/json") || call.body["jsonrpc"] != "2.0" {
            self.violated("not JSON-RPC");
        }
        let Some(method) = call.body["method"].as_str() else { return self.client_answer(call) };
        if call.body.get("id").is_none() {
            self.notices.push(call.body.clone());
            return Answer::Http(202, "", String::new());
        }
        match call.body["id"].as_str() {
            Some(id) if self.ids.insert(id.to_owned()) => {}
            _ => self.violated(format!("M2: the id {}", call.body["id"])),
        }
        match self.speaks {
            Speaks::Modern => self.modern(call, method),
            Speaks::Legacy => self.legacy(call, method),
            Speaks::Sse => self.on_sse(call, method),
        }
    }

    fn modern(&mut self, call: &NodeCall, method: &str) -> Answer {
        let params = &call.body["params"];
        let meta = &params["_meta"];
        if method == "initialize" {
            return error(400, call, -32_022, json!({"supported": [MODERN]}));
        }
        if meta["io.modelcontextprotocol/protocolVersion"] != MODERN
            || call.header("mcp-protocol-version") != Some(MODERN)
            || !meta["io.modelcontextprotocol/clientCapabilities"].is_object()
        {
            self.violated("M14: the version of a modern request");
        }
        if call.header("mcp-method") != Some(method) || call.header("mcp-session-id").is_some() {
            self.violated("the headers of a modern request");
        }
        if method == "tools/call" && call.header("mcp-name") != params["name"].as_str() {
            self.violated("Mcp-Name");
        }
        match method {
            "server/discover" => ok(
                call,
                json!({"resultType": "complete", "supportedVersions": [MODERN],
                "serverInfo": {"name": "peer", "version": "1"}, "capabilities": {"tools": {}}}),
            ),
            "tools/list" => self.list(call),
            "tools/call" => self.called(call),
            _ => error(404, call, -32_601, Value::Null),
        }
    }

    fn legacy(&mut self, call: &NodeCall, method: &str) -> Answer {
        if method == "initialize" {
            if call.body["params"]["protocolVersion"] != "2025-11-25" {
                self.violated("M14: the version of initialize");
            }
            self.count += 1;
            let session = format!("session-{}", self.count);
            self.sessions.insert(session.clone());
            let result = json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                "serverInfo": {"name": "peer", "version": "1"}});
            return Answer::With(vec![("mcp-session-id", session)], Box::new(ok(call, result)));
        }
        let Some(session) = call.header("mcp-session-id").map(str::to_owned) else {
            return error(400, call, -32_000, Value::Null);
        };
        if call.header("mcp-protocol-version") != Some("2025-11-25") {
            self.violated("M14: the negotiated version");
        }
        if !self.sessions.contains(&session) {
            // It was not executed: it may be sent again as it is.
            self.ids.remove(call.body["id"].as_str().unwrap_or_default());
            return Answer::Http(404, "text/plain", "no such session".to_owned());
        }
        match method {
            "tools/list" => self.list(call),
            "tools/call" => self.called(call),
            _ => error(200, call, -32_601, Value::Null),
        }
    }

    fn open_sse(&mut self) -> Answer {
        let channel = Rc::new(Channel::default());
        channel.feed("event: endpoint\ndata: /messages?id=1\n\n");
        self.sse = Some(Rc::clone(&channel));
        Answer::Live(channel)
    }

    fn on_sse(&mut self, call: &NodeCall, method: &str) -> Answer {
        let answer = match method {
            "initialize" => ok(
                call,
                json!({"protocolVersion": "2024-11-05", "capabilities": {}, "serverInfo": {"name": "old"}}),
            ),
            "tools/list" => self.list(call),
            _ => self.called(call),
        };
        if let (Some(channel), Answer::Http(_, _, body)) = (&self.sse, answer) {
            channel.feed(&format!("event: message\ndata: {body}\n\n"));
        }
        Answer::Http(202, "", String::new())
    }

    fn list(&mut self, call: &NodeCall) -> Answer {
        let cursor = call.body["params"].get("cursor").and_then(Value::as_str).map(str::to_owned);
        if self.refuses_cursor && cursor.is_some() {
            self.refuses_cursor = false;
            return error(200, call, -32_602, Value::Null);
        }
        let from: usize = match cursor.as_deref() {
            None => 0,
            Some("") => self.page,
            Some(place) => place.parse().unwrap_or_default(),
        };
        let size = if self.page == 0 { self.tools.len() } else { self.page };
        let tools: Vec<Value> = self.tools.iter().skip(from).take(size).cloned().collect();
        let mut result = json!({"resultType": "complete", "tools": tools});
        if self.endless {
            result["nextCursor"] = json!((from + 1).to_string());
        } else if from + size < self.tools.len() {
            // An empty text is a cursor too.
            result["nextCursor"] = json!(if from == 0 { String::new() } else { (from + size).to_string() });
        }
        if let Some(ttl) = self.ttl {
            result["ttlMs"] = json!(ttl);
        }
        ok(call, result)
    }

    /// A stream of events in the way of the era.
    fn stream(&mut self, call: &NodeCall, events: &[Value]) -> (Answer, Rc<Channel>) {
        let channel = Rc::new(Channel::default());
        let number = self.streams.len();
        let mut stream =
            Stream { live: Some(Rc::clone(&channel)), request: call.body["id"].clone(), ..Stream::default() };
        channel.feed(": hello\n\n");
        if self.resumable && self.speaks == Speaks::Legacy {
            let retry = self.retry.map(|retry| format!("retry: {retry}\n")).unwrap_or_default();
            channel.feed(&format!("id: {number}/0\n{retry}data:\n\n"));
        }
        for event in events {
            push(&mut stream, number, event, self.resumable);
        }
        self.streams.push(stream);
        (
            Answer::Live(channel),
            self.streams.last().and_then(|stream| stream.live.clone()).unwrap_or_default(),
        )
    }

    fn resume(&mut self, call: &NodeCall) -> Answer {
        let Some((number, last)) = call.header("last-event-id").and_then(|id| id.split_once('/')) else {
            return Answer::Http(405, "text/plain", String::new());
        };
        if !call.header("mcp-session-id").is_some_and(|session| self.sessions.contains(session)) {
            return Answer::Http(404, "text/plain", String::new());
        }
        let (number, last): (usize, usize) = (number.parse().unwrap_or(0), last.parse().unwrap_or(0));
        let Some(stream) = self.streams.get_mut(number) else {
            return Answer::Http(404, "text/plain", String::new());
        };
        let channel = Rc::new(Channel::default());
        stream.live = Some(Rc::clone(&channel));
        for (_, text) in stream.events.iter().skip(last) {
            channel.feed(text);
        }
        Answer::Live(channel)
    }

    /// The client's answer to a request of ours.
    fn client_answer(&mut self, call: &NodeCall) -> Answer {
        self.answers.push(call.body.clone());
        let of = call.body["id"]
            .as_str()
            .and_then(|id| id.strip_prefix("q-"))
            .and_then(|number| number.parse::<usize>().ok());
        let Some(number) = of else {
            return Answer::Http(202, "", String::new());
        };
        let said = call.body["result"].to_string();
        if let Some(stream) = self.streams.get_mut(number) {
            let result = json!({"jsonrpc": "2.0", "id": stream.request, "result": text(&said)});
            self.executed.push(("ask".to_owned(), call.body["result"].clone()));
            push(stream, number, &result, self.resumable);
        }
        Answer::Http(202, "", String::new())
    }

    /// Sends another event on the last stream.
    pub fn send(&mut self, event: &Value) {
        let (number, resumable) = (self.streams.len().saturating_sub(1), self.resumable);
        if let Some(stream) = self.streams.last_mut() {
            push(stream, number, event, resumable);
        }
    }

    /// The answer to the request of the last stream.
    pub fn finish(&mut self, result: Value) {
        let id = self.streams.last().map(|stream| stream.request.clone()).unwrap_or_default();
        self.send(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
    }

    /// Breaks the connection of the last stream.
    pub fn cut(&mut self) {
        if let Some(live) = self.streams.last().and_then(|stream| stream.live.clone()) {
            live.cut();
        }
    }

    fn called(&mut self, call: &NodeCall) -> Answer {
        let params = &call.body["params"];
        let name = params["name"].as_str().unwrap_or_default().to_owned();
        if self.wants_headers {
            self.wants_headers = false;
            return error(400, call, -32_020, Value::Null);
        }
        let runs = |peer: &mut Self| peer.executed.push((name.clone(), params["arguments"].clone()));
        match name.as_str() {
            "ask" | "visit" if self.speaks == Speaks::Modern => return self.ask_modern(call, &name),
            "ask" | "visit" => {
                let number = self.streams.len();
                let wanted = if name == "ask" { form() } else { visit() };
                let question = json!({"jsonrpc": "2.0", "id": format!("q-{number}"), "method": "elicitation/create", "params": wanted});
                return self.stream(call, &[question]).0;
            }
            _ => runs(self),
        }
        match name.as_str() {
            "echo" if self.speaks != Speaks::Sse => {
                let result = json!({"jsonrpc": "2.0", "id": call.body["id"], "result": text(&params["arguments"].to_string())});
                let (answer, channel) = self.stream(call, &[result]);
                channel.close();
                answer
            }
            "sum" => ok(call, json!({"content": [], "structuredContent": {"sum": 3}})),
            "bad_sum" => ok(call, json!({"content": [], "structuredContent": {"sum": "three"}})),
            "no_sum" => ok(call, json!({"content": [{"type": "text", "text": "3"}]})),
            "fail" => {
                ok(call, json!({"content": [{"type": "text", "text": "no such user"}], "isError": true}))
            }
            "refuse" => error(200, call, -32_603, Value::Null),
            "slow" => {
                let token = &params["_meta"]["progressToken"];
                let event = |done: f64| {
                    json!({"jsonrpc": "2.0", "method": "notifications/progress",
                    "params": {"progressToken": token, "progress": done, "total": 3, "message": "working"}})
                };
                self.stream(call, &[event(0.5), event(1.5)]).0
            }
            "broken" | "silent" => self.stream(call, &[]).0,
            "huge" => {
                let (answer, channel) = self.stream(call, &[]);
                channel.feed(&format!("data: {}\n\n", "x".repeat(3 << 20)));
                answer
            }
            "wrong_id" => {
                let wrong = json!({"jsonrpc": "2.0", "id": "other", "result": text("not yours")});
                let right = json!({"jsonrpc": "2.0", "id": call.body["id"], "result": text("yours")});
                self.stream(call, &[json!(7), wrong, right]).0
            }
            "sample" => {
                let ask = |id: &str, method: &str| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": {}});
                let done = json!({"jsonrpc": "2.0", "id": call.body["id"], "result": text("done")});
                let events =
                    [ask("p", "ping"), ask("s", "sampling/createMessage"), ask("r", "roots/list"), done];
                self.stream(call, &events).0
            }
            _ => ok(call, text(&params["arguments"].to_string())),
        }
    }

    fn ask_modern(&mut self, call: &NodeCall, name: &str) -> Answer {
        let params = &call.body["params"];
        if params.get("inputResponses").is_none() {
            let wanted = if name == "ask" { form() } else { visit() };
            return ok(
                call,
                json!({"resultType": "input_required", "requestState": STATE,
                "inputRequests": {"who": {"method": "elicitation/create", "params": wanted}}}),
            );
        }
        if params["requestState"] != STATE {
            self.violated("M13: the state is not the one that was given");
        }
        let answer = &params["inputResponses"]["who"];
        self.executed.push((name.to_owned(), answer.clone()));
        ok(call, text(&answer.to_string()))
    }
}

/// A state with everything that a careless echo would change.
pub const STATE: &str = "s1 \u{0}\\\"\u{1f600}é==";

fn visit() -> Value {
    json!({"mode": "url", "message": "Pay there.", "url": "https://pay.example/x", "elicitationId": "e"})
}

fn push(stream: &mut Stream, number: usize, event: &Value, with_id: bool) {
    let id = format!("{number}/{}", stream.events.len() + 1);
    let text = match with_id {
        true => format!("id: {id}\nevent: message\ndata: {event}\n\n"),
        false => format!("data: {event}\n\n"),
    };
    if let Some(live) = &stream.live {
        live.feed(&text);
    }
    stream.events.push((id, text));
}

/// A result of one text.
pub fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

fn ok(call: &NodeCall, result: Value) -> Answer {
    Answer::json(&json!({"jsonrpc": "2.0", "id": call.body["id"], "result": result}))
}

fn error(status: u16, call: &NodeCall, code: i64, data: Value) -> Answer {
    let body = json!({"jsonrpc": "2.0", "id": call.body["id"], "error": {"code": code, "message": "refused", "data": data}});
    Answer::Http(status, "application/json", body.to_string())
}

impl World {
    /// Connects the server's host.
    pub fn serve_mcp(&self, peer: &Rc<RefCell<Peer>>) {
        let peer = Rc::clone(peer);
        self.set_nodes(move |call| peer.borrow_mut().handle(call));
    }

    /// Adds the server as `Peer`; what the page is answered.
    pub async fn add_mcp(&self, peer: &Rc<RefCell<Peer>>, fields: Value) -> Value {
        self.serve_mcp(peer);
        let mut body = json!({"name": "Peer", "url": MCP_URL, "transport": "http"});
        for (name, value) in fields.as_object().expect("fields are an object") {
            body[name] = value.clone();
        }
        let (status, answer) = self.call("POST", "/api/mcp/servers", body).await;
        assert_eq!(status, 201, "{answer}");
        answer
    }

    /// A tool of the first server, as pages see it.
    pub async fn mcp_tool(&self, name: &str) -> Value {
        let servers = self.get("/api/mcp/servers").await;
        let tools = servers["servers"][0]["tools"].as_array().expect("a server has tools");
        tools.iter().find(|tool| tool["name"] == name).cloned().unwrap_or_default()
    }

    /// Allows a tool of the first server as it is.
    pub async fn allow_mcp(&self, name: &str) {
        let servers = self.get("/api/mcp/servers").await;
        let id = servers["servers"][0]["id"].as_str().expect("a server has an id").to_owned();
        let digest = self.mcp_tool(name).await["digest"].clone();
        let path = format!("/api/mcp/servers/{id}/tools/{name}/allow");
        let (status, answer) = self.call("POST", &path, json!({"digest": digest})).await;
        assert_eq!(status, 200, "{answer}");
    }
}
