//! Malformed input of every kind through the whole core: no panic, bounded growth, every complete action is answered
//! once, and the core keeps working afterwards.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test's support fails the test"
)]

use countersign_tests::rounds::rounds;
use countersign_tests::sim::raw_backend::RawBackend;
use countersign_tests::sim::scenario::{ask, begin};
use countersign_tests::sim::{Plan, Sim};
use proptest::prelude::*;
use proptest::test_runner::Config;
use runtime::store::Table;
use serde_json::{Map, Value, json};
use std::cell::RefCell;
use std::rc::Rc;

/// So many cases in the short form.
fn config(cases: u32) -> Config {
    Config { cases: rounds(cases), failure_persistence: None, max_shrink_iters: 400, ..Config::default() }
}

/// One element of an `actions` array: its JSON text, and the fields that can be read.
#[derive(Debug, Clone)]
struct Element {
    text: String,
    id: Option<String>,
    kind: Option<String>,
}

impl Element {
    fn of(value: &Value) -> Self {
        let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        Self {
            text: value.to_string(),
            id: text("id").filter(|id| !id.is_empty() && id.len() <= 256),
            kind: text("type").filter(|kind| !kind.is_empty()),
        }
    }
}

/// A name that rarely repeats. (A regex strategy is compiled again for every value.)
fn name() -> impl Strategy<Value = String> {
    any::<u32>().prop_map(|number| format!("{number:08x}"))
}

/// Any short text.
fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(any::<char>(), 0..8).prop_map(String::from_iter)
}

fn id() -> impl Strategy<Value = Value> {
    prop_oneof![
        8 => name().prop_map(Value::from),
        2 => prop::sample::select(vec!["a", "b"]).prop_map(Value::from),
        2 => text().prop_map(Value::from),
        1 => prop::sample::select(vec!["", "/", "../x", "a/b", "\u{0}", "__proto__", " ", "😀", "id\r\n\r\ndata: x"]).prop_map(Value::from),
        1 => (250usize..260).prop_map(|length| Value::from("x".repeat(length))),
        1 => json_value(),
    ]
}

fn kind() -> impl Strategy<Value = Value> {
    let known = [
        "add_address_book",
        "delete_address_book",
        "get_address_book",
        "address_book_add",
        "address_book_remove",
        "add_address_book_entry",
        "remove_address_book_entry",
        "add_chain",
        "add_coin",
        "add_token",
        "sign_tx",
        "sign_transaction_bundle",
        "",
        "order_pizza",
    ];
    prop_oneof![
        8 => prop::sample::select(known.to_vec()).prop_map(Value::from),
        1 => text().prop_map(Value::from),
        1 => json_value(),
    ]
}

/// Any small JSON value.
fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((text(), inner), 0..5)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// A value nested in this many arrays.
fn nested(depth: usize) -> String {
    format!("{}1{}", "[".repeat(depth), "]".repeat(depth))
}

/// Parameters as a backend sends them, with one or two invalid fields.
fn params() -> impl Strategy<Value = Value> {
    let words = |names: &[&'static str]| prop::sample::select(names.to_vec()).prop_map(Value::from);
    let field = (
        prop::sample::select(vec![
            "title",
            "name",
            "address",
            "chain",
            "id",
            "query",
            "chains",
            "entries",
            "transactions",
            "tokens",
            "ticker",
            "contract_address",
            "decimals",
            "is_native",
            "logo",
            "chain_id",
            "keysign_payload",
        ]),
        prop_oneof![
            4 => words(&["Alice", "Bob", "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045", "Ethereum", "ethereum", "Narnia", "Solana", "USDC"]),
            1 => (0u16..300).prop_map(Value::from),
            1 => any::<bool>().prop_map(Value::from),
            1 => json_value(),
        ],
    );
    let fields = prop::collection::vec(field, 0..5).prop_map(|fields| {
        fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>()
    });
    let list = prop::collection::vec(
        prop_oneof![6 => fields.clone().prop_map(Value::Object), 1 => json_value()],
        0..4,
    );
    let entries = (prop::sample::select(vec!["entries", "tokens", "chains"]), list)
        .prop_map(|(name, entries)| json!({name: entries}));
    let coins = prop::sample::select(vec!["Solana", "sui", "Narnia", "QBTC"]).prop_map(|chain| {
        let token = json!({"chain": chain, "ticker": "X", "contract_address": "0x2::x::X", "decimals": 6});
        json!({"chains": [{"chain": chain}, {"chain": chain}], "tokens": [token]})
    });
    let good = prop::sample::select(vec!["Alice", "Bob", "Eve"]).prop_map(|title| {
        json!({"entries": [
        {"title": title, "address": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045", "chain": "Ethereum"}]})
    });
    prop_oneof![3 => good, 2 => coins, 3 => entries, 2 => fields.prop_map(Value::Object), 1 => json_value()]
}

fn element() -> impl Strategy<Value = Element> {
    let hint = prop_oneof![4 => Just(json!(true)), 1 => Just(Value::Null), 1 => json_value()];
    let action = (id(), kind(), params(), hint, any::<u8>(), json_value()).prop_map(|(id, kind, params, hint, gone, odd)| {
        let mut action = json!({"id": id, "type": kind, "params": params, "auto_execute": hint, "title": odd, "later": 1});
        // Sometimes a field is missing, the id less often than others.
        if let Some(name) = ["id", "type", "params", "auto_execute", "title"].get(usize::from(gone) / 8) {
            action.as_object_mut().unwrap().remove(*name);
        }
        Element::of(&action)
    });
    // Valid JSON, but deeper than the parser accepts.
    let odd = (name(), 1usize..400, 0usize..5).prop_map(|(id, depth, form)| {
        let deep = nested(depth);
        let (params, kind) = match form {
            0 => (format!(r#"{{"x":{deep}}}"#), "get_address_book"),
            1 => (format!(r#"{{"name":{deep},"chain":{deep}}}"#), "address_book_add"),
            2 => (
                format!(r#"{{"transactions":[{{"keysign_payload":{deep}}}],"keysign_payload":{deep}}}"#),
                "sign_tx",
            ),
            3 => (r#"{"x":1e999}"#.to_owned(), "get_address_book"),
            _ => (r#"{"x":"\ud800"}"#.to_owned(), "get_address_book"),
        };
        let text = format!(r#"{{"type":"{kind}","params":{params},"id":"{id}"}}"#);
        Element { text, id: Some(id), kind: Some(kind.to_owned()) }
    });
    prop_oneof![
        10 => action,
        1 => odd,
        1 => json_value().prop_map(|value| Element::of(&value)),
        1 => (1usize..300).prop_map(|depth| Element { text: nested(depth), id: None, kind: None }),
    ]
}

/// A part of a stream: its bytes, and the elements that it completes.
#[derive(Debug, Clone)]
struct Part {
    bytes: Vec<u8>,
    elements: Vec<Element>,
}

/// An event of either dialect, with one of three line endings.
fn event(name: Option<&str>, data: &str, ends: usize) -> Vec<u8> {
    let end = ["\n", "\r\n", "\r"][ends % 3];
    let mut text = name.map(|name| format!("event: {name}{end}")).unwrap_or_default();
    for line in data.split('\n') {
        text.push_str(&format!("data: {line}{end}"));
    }
    text.push_str(end);
    text.into_bytes()
}

fn actions() -> impl Strategy<Value = Part> {
    (prop::collection::vec(element(), 0..4), 0usize..5, 0usize..3).prop_map(|(elements, form, ends)| {
        let list = elements.iter().map(|element| element.text.as_str()).collect::<Vec<_>>().join(",\n ");
        let bytes = match form {
            0 => event(Some("actions"), &format!(r#"{{"actions":[{list}]}}"#), ends),
            1 => event(Some("actions"), &format!("[{list}]"), ends),
            2 => event(None, &format!(r#"{{"type":"data-actions","data":{{"actions":[{list}]}}}}"#), ends),
            3 => event(None, &format!(r#"{{"data":[{list}],"type":"data-actions"}}"#), ends),
            _ => event(
                Some("message"),
                &format!(r#"{{"type":"data-actions","data":{{"other":1,"actions":[{list}]}}}}"#),
                ends,
            ),
        };
        Part { bytes, elements }
    })
}

/// Input that is not an action. It ends with empty lines, so that it affects only itself.
fn noise() -> impl Strategy<Value = Part> {
    let fixed: Vec<&[u8]> = vec![
        b"event: text_delta\ndata: {\"delta\":\"hello\"}",
        b"data: {\"type\":\"text-delta\",\"id\":\"0\",\"delta\":\"\xff\xfe\"}",
        b"data: {\"type\":\"text-replace\",\"text\":\"new\"}",
        b"event: title\ndata: {\"title\":\"T\"}",
        b"event: message\ndata: {\"message\":{\"content\":\"all of it\"}}",
        b"data: [DONE]",
        b"event: actions\ndata: {\"actions\":[{\"id\":\"cut",
        b"event: actions\ndata: {\"actions\":7}",
        b"event: actions\ndata: null",
        b"event: text_delta\ndata: {\"delta\":\"{\\\"actions\\\":[{\\\"id\\\":\\\"1\\\",\\\"type\\\":\\\"get_address_book\\\"}]}\"}",
        b"event: tool_progress\ndata: {\"actions\":[{\"id\":\"1\",\"type\":\"get_address_book\"}]}",
        b"event: error\ndata: {\"error\":\"sorry\"}",
        b": comment\nid: 7\nretry: 5",
        b"\xef\xbb\xbf\0\0",
    ];
    let bytes = prop_oneof![
        6 => prop::sample::select(fixed).prop_map(<[u8]>::to_vec),
        2 => prop::collection::vec(any::<u8>(), 0..200),
        1 => text().prop_map(String::into_bytes),
        1 => (1usize..20_000).prop_map(|length| [b"data: ".as_slice(), &vec![b'x'; length]].concat()),
    ];
    bytes.prop_map(|mut bytes| {
        bytes.extend_from_slice(b"\n\n");
        Part { bytes, elements: Vec::new() }
    })
}

/// A stream and all elements in it; sometimes truncated.
fn stream() -> impl Strategy<Value = Part> {
    let parts = prop::collection::vec(prop_oneof![3 => actions(), 2 => noise()], 0..5);
    (parts, 0..12).prop_map(|(parts, end)| {
        let mut whole = Part { bytes: Vec::new(), elements: Vec::new() };
        for part in parts {
            whole.bytes.extend(part.bytes);
            whole.elements.extend(part.elements);
        }
        if end > 0 {
            whole.bytes.extend_from_slice(b"event: done\ndata: {}\n\n");
        } else {
            whole.bytes.extend_from_slice(
                b"event: actions\ndata: {\"actions\":[{\"id\":\"last\",\"type\":\"get_address_book\"}]}\n",
            );
        }
        whole
    })
}

/// The results that the backend must get: one for each element, in order; a repeated id is the same action.
fn expected(elements: &[Element]) -> Vec<(String, String)> {
    let mut seen: Vec<&str> = Vec::new();
    let mut expected = Vec::new();
    for element in elements {
        if let Some(id) = &element.id {
            if seen.contains(&id.as_str()) {
                continue;
            }
            seen.push(id);
        }
        expected.push((element.id.clone().unwrap_or_default(), element.kind.clone().unwrap_or_default()));
    }
    expected
}

struct World {
    sim: Sim,
    backend: Rc<RefCell<RawBackend>>,
    conversation: String,
}

impl World {
    fn new(content_type: &'static str, body: Vec<u8>) -> Self {
        let seed = body.len() as u64;
        let backend = Rc::new(RefCell::new(RawBackend::new(content_type, body, seed)));
        let sim = Sim::new(&Plan::undisturbed(), backend.clone());
        let conversation = begin(&sim, false, &json!({}));
        Self { sim, backend, conversation }
    }

    fn say(&self) {
        let target = format!("/api/conversations/{}/messages", self.conversation);
        assert_eq!(ask(&self.sim, "POST", &target, r#"{"content":"go"}"#).0, 202);
    }

    fn messages(&self) -> Vec<Value> {
        let target = format!("/api/conversations/{}/messages", self.conversation);
        let (status, timeline) = ask(&self.sim, "GET", &target, "");
        assert_eq!(status, 200, "{timeline}");
        let items = timeline["items"].as_array().unwrap();
        items.iter().filter(|item| item["kind"] == "message").map(|item| item["message"].clone()).collect()
    }

    /// Results received, as id and type; each came once, with an error exactly if it failed.
    fn results(&self) -> Vec<(String, String)> {
        let backend = self.backend.borrow();
        let mut keys: Vec<&str> = backend.results.iter().map(|(key, _)| key.as_str()).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), backend.results.len(), "a result was sent twice");
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        backend
            .results
            .iter()
            .map(|(_, result)| {
                let failed = result.get("error").is_some_and(|error| !error.as_str().unwrap().is_empty());
                assert_eq!(result["success"], !failed, "{result}");
                (text(&result["action_id"]), text(&result["action"]))
            })
            .collect()
    }

    /// Bytes in the store.
    fn size(&self) -> usize {
        Table::ALL.iter().flat_map(|table| self.sim.rows(*table)).map(|row| row.text.len()).sum()
    }

    /// No work is left over, every stored record can be read, and a valid action is answered as before.
    fn assert_working(&self) {
        assert_eq!(self.sim.failures(), [""; 0]);
        for table in [Table::Outbox, Table::Pending] {
            assert_eq!(self.sim.rows(table), [], "left over");
        }
        for target in ["/api/health", "/api/calls", "/api/conversations", "/api/settings", "/api/prompts"] {
            assert_eq!(ask(&self.sim, "GET", target, "").0, 200, "{target}");
        }
        let events = self.sim.ask("GET", "/api/events?after=0", "");
        self.sim.run(&mut ());
        let text = events.reply().unwrap().body;
        assert!(text.starts_with("id: "), "{text}");
        self.messages();
        self.backend.borrow_mut().results.clear();
        let good = r#"{"message":"fine","actions":[{"id":"the good one","type":"get_address_book"}]}"#;
        self.backend.borrow_mut().content_type = "application/json";
        self.backend.borrow_mut().body = good.as_bytes().to_vec();
        self.say();
        assert_eq!(self.results(), [("the good one".to_owned(), "get_address_book".to_owned())]);
        assert_eq!(self.messages().last().unwrap()["content"], "fine");
    }
}

proptest! {
    #![proptest_config(config(250))]

    /// T000-1, T000-3, T000-9, T000-11, T000-12, T000-13, T000-14, T000-15: streams of both dialects, mixed with
    /// bytes that are not events, JSON, UTF-8 or actions.
    #[test]
    fn every_action_in_any_stream_is_answered_once(stream in stream()) {
        let world = World::new("text/event-stream", stream.bytes);
        world.say();
        prop_assert_eq!(world.results(), expected(&stream.elements));
        world.assert_working();
    }

    /// T000-1, T000-11, D18: any objects as actions in one JSON body, and the same from a page; the same id is one action.
    #[test]
    fn any_object_is_answered_once(elements in prop::collection::vec(element(), 0..6)) {
        let list = elements.iter().map(|element| element.text.as_str()).collect::<Vec<_>>().join(",");
        let body = format!(r#"{{"message":{{"content":"so"}},"actions":[{list}]}}"#);
        let world = World::new("application/json", body.clone().into_bytes());
        world.say();
        prop_assert_eq!(world.results(), expected(&elements));
        let (status, answer) = ask(&world.sim, "POST", "/api/actions", &body);
        match serde_json::from_str::<Value>(&body) {
            Ok(_) => {
                let answered = answer["results"].as_array().map(Vec::len);
                prop_assert_eq!((status, answered), (200, Some(expected(&elements).len())));
            }
            Err(_) => prop_assert_eq!(status, 400),
        }
        world.assert_working();
    }
}

/// A `tx_ready` as a backend sends it, with any values in its fields; or any other value.
fn tx_ready() -> impl Strategy<Value = String> {
    let data = prop_oneof![
        3 => prop::sample::select(vec!["0x02f8", "f8", "0x", "0xzz", "02c0"])
            .prop_map(|hex| json!({"unsigned_tx": hex, "chain_id": "1", "to": "0x", "gas_limit": 7})),
        1 => json_value(),
    ];
    let word =
        prop::sample::select(vec!["Ethereum", "Solana", "Narnia", "ETH", "1.5", "swap", "send", "é", ""]);
    let field = prop_oneof![
        3 => (prop::sample::select(vec!["approval_tx", "swap_tx"]), data),
        6 => (
            prop::sample::select(vec!["from_chain", "from_symbol", "amount", "to_symbol", "tx_type", "destination", "keysign_payload", "provider"]),
            prop_oneof![4 => word.prop_map(Value::from), 1 => json_value()],
        ),
        2 => (prop::sample::select(vec!["needs_approval", "tx_details", "transactions", "tx_ready"]), json_value()),
    ];
    let fields = prop::collection::vec(field, 0..9).prop_map(|fields| {
        let fields: Map<_, _> = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Value::Object(fields).to_string()
    });
    prop_oneof![
        12 => fields,
        1 => json_value().prop_map(|value| value.to_string()),
        1 => (1usize..300).prop_map(nested),
    ]
}

proptest! {
    #![proptest_config(config(100))]

    /// T000-107: any `tx_ready`, in a stream of either dialect or in a body, is one request with one answer; `null`
    /// is no request.
    #[test]
    fn any_tx_ready_is_answered_once(ready in tx_ready(), form in 0usize..3) {
        let (content_type, body) = match form {
            0 => ("text/event-stream", event(Some("tx_ready"), &ready, 0)),
            1 => ("text/event-stream", event(None, &format!(r#"{{"type":"data-tx_ready","data":{ready}}}"#), 0)),
            _ => ("application/json", format!(r#"{{"message":"so","tx_ready":{ready}}}"#).into_bytes()),
        };
        let done = if form < 2 { event(Some("done"), "{}", 0) } else { Vec::new() };
        let world = World::new(content_type, [body, done].concat());
        world.say();
        // In a stream, `{"tx_ready": …}` may wrap it.
        let value: Option<Value> = serde_json::from_str(&ready).ok();
        let inner = value.as_ref().map(|value| value.get("tx_ready").unwrap_or(value));
        let nothing = if form < 2 { inner == Some(&Value::Null) } else { value == Some(Value::Null) };
        let kinds: Vec<String> = world.results().into_iter().map(|(_, kind)| kind).collect();
        prop_assert_eq!(kinds, vec!["sign_tx".to_owned(); usize::from(!nothing)]);
        world.assert_working();
    }
}

/// A stream that exceeds a bound is aborted: actions completed before are answered, the message has the reason, and
/// nothing larger than the bound is stored.
#[test]
fn oversized_stream_is_aborted() {
    let before = event(Some("actions"), r#"{"actions":[{"id":"before","type":"get_address_book"}]}"#, 0);
    let after = event(Some("actions"), r#"{"actions":[{"id":"after","type":"get_address_book"}]}"#, 0);
    let long_line = [b"data: ".as_slice(), &vec![b'x'; 5 << 20], b"\n\n"].concat();
    let large_event = [b"data: ".as_slice(), &vec![b'x'; 1 << 20], b"\n"].concat().repeat(9);
    let no_end = vec![b'x'; 5 << 20];
    for (middle, code) in
        [(long_line, "line_too_long"), (large_event, "event_too_large"), (no_end, "line_too_long")]
    {
        let world = World::new("text/event-stream", [before.clone(), middle, after.clone()].concat());
        world.say();
        assert_eq!(world.results(), [("before".to_owned(), "get_address_book".to_owned())]);
        let message = world.messages().last().unwrap().clone();
        assert_eq!(message["state"], "failed");
        assert!(message["error"].as_str().unwrap().starts_with(code), "{message}");
        assert!(world.size() < 100_000, "{}", world.size());
        world.assert_working();
    }
}

/// An endless answer fills one message up to its bound, and an oversized document is refused.
#[test]
fn oversized_answer_is_truncated() {
    let word = event(Some("text_delta"), &json!({"delta": "é".repeat(100_000)}).to_string(), 0);
    let done = event(Some("done"), "{}", 0);
    let world = World::new("text/event-stream", [word.repeat(8), done].concat());
    world.say();
    assert_eq!(world.messages().last().unwrap()["content"].as_str().unwrap().len(), 1 << 20);
    world.assert_working();

    let huge = format!(
        r#"{{"message":"{}","actions":[{{"id":"1","type":"get_address_book"}}]}}"#,
        "x".repeat(9 << 20)
    );
    let world = World::new("application/json", huge.into_bytes());
    world.say();
    assert_eq!(world.results(), []);
    assert_eq!(world.messages().last().unwrap()["state"], "failed");
    assert!(world.size() < 100_000, "{}", world.size());
    world.assert_working();
}

fn target() -> impl Strategy<Value = String> {
    let segment = prop_oneof![
        6 => prop::sample::select(vec!["api", "health", "settings", "actions", "calls", "conversations", "messages", "prompts", "vaults", "active", "unlock"]).prop_map(str::to_owned),
        1 => name(),
        1 => text(),
    ];
    let query = prop::sample::select(vec![
        "",
        "?",
        "?wait=false",
        "?cursor=",
        "?cursor=\u{0}",
        "?after=x",
        "?a=b&c",
        "?wait",
    ]);
    (prop::collection::vec(segment, 0..4), any::<bool>(), query).prop_map(|(segments, api, query)| {
        format!("{}/{}{query}", if api { "/api" } else { "" }, segments.join("/"))
    })
}

fn request_body() -> impl Strategy<Value = String> {
    let fields = ["backend", "kind", "password", "keys", "actions", "title", "content", "approve", "reason"];
    prop_oneof![
        4 => (prop::sample::select(fields.to_vec()), json_value()).prop_map(|(name, value)| json!({name: value}).to_string()),
        1 => json_value().prop_map(|value| value.to_string()),
        1 => text(),
        1 => (1usize..200).prop_map(nested),
        1 => element().prop_map(|element| format!(r#"{{"actions":[{}]}}"#, element.text)),
    ]
}

proptest! {
    #![proptest_config(config(100))]

    /// Every request of a page is answered with JSON and a status, never with a panic.
    #[test]
    fn any_request_is_answered(
        requests in prop::collection::vec(
            (prop::sample::select(vec!["GET", "POST", "PATCH", "DELETE", "", "get", "\u{0}"]), target(), request_body()),
            1..6,
        )
    ) {
        let world = World::new("text/event-stream", event(Some("done"), "{}", 0));
        for (method, target, body) in requests {
            let asked = world.sim.ask(method, &target, &body);
            world.sim.run(&mut ());
            let reply = asked.reply().expect("an answer once the core is idle");
            let body: Value = serde_json::from_str(&reply.body).expect("JSON");
            let error = body["error"]["code"].is_string() && body["error"]["message"].is_string();
            prop_assert_eq!(error, reply.status >= 400, "{} {}: {:?}", method, target, reply);
        }
        prop_assert_eq!(ask(&world.sim, "GET", "/api/health", "").0, 200);
    }
}
