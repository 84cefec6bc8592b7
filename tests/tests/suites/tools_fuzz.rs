//! The routes of the tool store under any requests: against a model that says what each is answered with, and with nonsense.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use countersign_tests::rounds::rounds;
use countersign_tests::tools::*;
use countersign_tests::world::*;
use proptest::prelude::*;
use proptest::test_runner::Config;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// So many cases in the short form.
fn config(cases: u32) -> Config {
    Config { cases: rounds(cases), failure_persistence: None, max_shrink_iters: 400, ..Config::default() }
}

/// Runs a case with the paused clock, on a thread of its own: the toolbox has one index a thread, and the worlds of two
/// cases have the same ids.
fn run<T: Send, F: Future<Output = T>>(case: impl FnOnce() -> F + Send) -> T {
    let on_thread = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
        runtime.expect("a runtime").block_on(case())
    };
    std::thread::scope(|scope| scope.spawn(on_thread).join()).expect("the case does not panic")
}

/// A bundle, slug and version, by their places.
type Place = (usize, usize, usize);

const SLUGS: [&str; 3] = ["weather", "Weather", "caf%C3%A9"];

fn bundle_id(place: usize) -> &'static str {
    [BUNDLE, OTHER_BUNDLE][place]
}

fn target((bundle, slug, version): Place) -> String {
    path_of(bundle_id(bundle), SLUGS[slug], ["v1", "v2.0"][version])
}

#[derive(Debug, Clone)]
enum Step {
    PutBundle(usize, bool),
    SwitchBundle(usize, bool),
    DeleteBundle(usize),
    PutTool(Place, bool),
    SwitchTool(Place, bool),
    DeleteTool(Place),
    Restart,
    Rebuild,
}

fn step() -> impl Strategy<Value = Step> {
    let place = || (0_usize..2, 0_usize..3, 0_usize..2);
    prop_oneof![
        3 => (0_usize..2, any::<bool>()).prop_map(|(bundle, on)| Step::PutBundle(bundle, on)),
        2 => (0_usize..2, any::<bool>()).prop_map(|(bundle, on)| Step::SwitchBundle(bundle, on)),
        1 => (0_usize..2).prop_map(Step::DeleteBundle),
        6 => (place(), any::<bool>()).prop_map(|(place, on)| Step::PutTool(place, on)),
        3 => (place(), any::<bool>()).prop_map(|(place, on)| Step::SwitchTool(place, on)),
        3 => place().prop_map(Step::DeleteTool),
        1 => Just(Step::Restart),
        1 => Just(Step::Rebuild),
    ]
}

/// What the store holds.
#[derive(Debug, Default)]
struct Model {
    /// Whether each is on, and whether it is deleted.
    bundles: BTreeMap<usize, (bool, bool)>,
    tools: BTreeMap<Place, bool>,
}

impl Model {
    /// What is wrong with a bundle in which something is put or switched.
    fn closed(&self, bundle: usize) -> Option<u16> {
        match self.bundles.get(&bundle) {
            None => Some(404),
            Some((_, true)) => Some(410),
            Some((false, false)) => Some(403),
            Some((true, false)) => None,
        }
    }

    /// The status of a step, which is taken.
    fn take(&mut self, step: &Step) -> u16 {
        match *step {
            Step::PutBundle(bundle, on) => match self.bundles.insert(bundle, (on, false)) {
                None => 201,
                Some(_) => 200,
            },
            Step::SwitchBundle(bundle, on) => match self.bundles.get_mut(&bundle) {
                None => 404,
                Some((_, true)) => 410,
                Some(row) => {
                    row.0 = on;
                    200
                }
            },
            Step::DeleteBundle(bundle) => match self.bundles.get_mut(&bundle) {
                None => 404,
                Some((_, true)) => 410,
                Some(_) if self.tools.keys().any(|(own, ..)| *own == bundle) => 409,
                Some(row) => {
                    row.1 = true;
                    204
                }
            },
            Step::PutTool(place, on) => match self.closed(place.0) {
                Some(status) => status,
                None if self.tools.contains_key(&place) => 409,
                None => {
                    self.tools.insert(place, on);
                    201
                }
            },
            Step::SwitchTool(place, on) => match (self.tools.contains_key(&place), self.closed(place.0)) {
                (false, _) => 404,
                (true, Some(status)) => status,
                (true, None) => {
                    self.tools.insert(place, on);
                    200
                }
            },
            Step::DeleteTool(place) => match self.tools.remove(&place) {
                Some(_) => 204,
                None => 404,
            },
            Step::Restart | Step::Rebuild => 200,
        }
    }

    /// The tools that a list has: where they are, and whether they are on.
    fn listed(&self, disabled: bool) -> Vec<(String, bool)> {
        let shown = |(bundle, ..): &Place, on: bool| disabled || (on && self.bundles[bundle].0);
        let tools = self.tools.iter().filter(|(place, on)| shown(place, **on));
        let mut listed: Vec<(String, bool)> = tools.map(|(place, on)| (target(*place), *on)).collect();
        listed.sort();
        listed
    }
}

async fn take(world: &World, step: &Step) -> u16 {
    let on = |on: bool| json!({"isEnabled": on}).to_string();
    let (method, path, body) = match *step {
        Step::PutBundle(bundle, on) => {
            ("PUT", bundle_path(bundle_id(bundle)), with(bundle_body(), "isEnabled", json!(on)).to_string())
        }
        Step::SwitchBundle(bundle, to) => ("PATCH", bundle_path(bundle_id(bundle)), on(to)),
        Step::DeleteBundle(bundle) => ("DELETE", bundle_path(bundle_id(bundle)), String::new()),
        Step::PutTool(place, on) => ("PUT", target(place), tool_body(json!({"isEnabled": on})).to_string()),
        Step::SwitchTool(place, to) => ("PATCH", target(place), on(to)),
        Step::DeleteTool(place) => ("DELETE", target(place), String::new()),
        Step::Restart => {
            world.restart().await;
            return 200;
        }
        Step::Rebuild => ("POST", "/tools/index/rebuild".to_owned(), String::new()),
    };
    world.reply(method, &path, &body).await.status
}

/// The user's tools of a page: where they are, and whether they are on.
async fn listed(world: &World, query: &str) -> Vec<(String, bool)> {
    let page = world.get(query).await;
    let own = page["tools"].as_array().unwrap().iter().filter(|tool| tool["isBuiltIn"] == json!(false));
    let path = |tool: &Value| {
        let slug = tool["slug"].as_str().unwrap().replace('é', "%C3%A9");
        path_of(tool["bundleID"].as_str().unwrap(), &slug, tool["version"].as_str().unwrap())
    };
    let mut listed: Vec<(String, bool)> =
        own.map(|tool| (path(tool), tool["isEnabled"].as_bool().unwrap())).collect();
    listed.sort();
    listed
}

proptest! {
    #![proptest_config(config(60))]

    /// T002-45, T002-46, T002-48, T002-50, T002-51, T002-53, T002-64, T002-67: any order of requests has the statuses of the
    /// table, and lists and search show what is there.
    #[test]
    fn any_order_of_requests_is_answered_by_the_table(steps in prop::collection::vec(step(), 1..30)) {
        run(|| async {
            let world = World::new().await;
            let mut model = Model::default();
            for step in &steps {
                let expected = model.take(step);
                prop_assert_eq!(take(&world, step).await, expected, "{:?} of {:?}", step, steps);
            }
            for (query, disabled) in [("pageSize=256", false), ("pageSize=256&includeDisabled=true", true)] {
                let expected = model.listed(disabled);
                prop_assert_eq!(&listed(&world, &format!("/tools?{query}")).await, &expected, "{:?}", steps);
                let found = listed(&world, &format!("/tools/search?q=weather+report&{query}")).await;
                prop_assert_eq!(&found, &expected, "{:?}", steps);
            }
            for place in model.tools.keys() {
                let (status, tool) = world.call("GET", &target(*place), Value::Null).await;
                let on = model.tools[place];
                prop_assert_eq!((status, &tool["isEnabled"]), (200, &json!(on)));
                let reason = match (model.bundles[&place.0].0, on) {
                    (false, _) => "bundle_disabled",
                    (true, false) => "tool_disabled",
                    (true, true) => "host_not_allowed",
                };
                prop_assert_eq!(&tool["effective"], &json!({"isCallable": false, "reason": reason}));
            }
            Ok(())
        })?;
    }
}

/// A segment of a path: a known word, an id, or any text.
fn segment() -> impl Strategy<Value = String> {
    let known = [
        "tools",
        "bundles",
        "search",
        "version",
        "v1",
        "index",
        "rebuild",
        "weather",
        BUNDLE,
        WALLET_BUNDLE,
        "",
        "%2F",
        "%",
    ];
    prop_oneof![
        10 => prop::sample::select(known.to_vec()).prop_map(str::to_owned),
        1 => prop::collection::vec(any::<char>(), 0..6).prop_map(String::from_iter),
    ]
}

fn request() -> impl Strategy<Value = (&'static str, String, String)> {
    let method = prop::sample::select(vec!["GET", "PUT", "PATCH", "DELETE", "POST", "", "get"]);
    let known =
        (0_usize..2, prop::sample::select(vec!["weather", "get-address-book", "%E2%80%AE", "..", "a"]))
            .prop_map(|(bundle, slug)| path_of([BUNDLE, WALLET_BUNDLE][bundle], slug, "v1"));
    let path = prop_oneof![
        2 => known,
        1 => prop::sample::select(vec![bundle_path(BUNDLE), bundle_path(WALLET_BUNDLE), "/tools".to_owned(), "/tools/search".to_owned()]),
        2 => prop::collection::vec(segment(), 0..7).prop_map(|segments| format!("/tools/{}", segments.join("/"))),
    ];
    let query = prop_oneof![
        3 => Just(String::new()),
        2 => prop::sample::select(vec!["?q=wea", "?q=%", "?pageToken=e30", "?pageSize=-1", "?includeDisabled=2", "?tags=a,b&bundleIDs=x", "?q=\u{0}"]).prop_map(str::to_owned),
        1 => prop::collection::vec(any::<char>(), 0..12).prop_map(|text| format!("?{}", String::from_iter(text))),
    ];
    let body = prop_oneof![
        2 => Just(tool_body(json!({})).to_string()),
        1 => Just(bundle_body().to_string()),
        1 => Just(json!({"isEnabled": false}).to_string()),
        1 => prop::sample::select(vec!["", "{}", "[]", "null", "{\"isEnabled\":null}", "{\"args\":{}}", "{\"isEnabled\":true,\"x\":1}"]).prop_map(str::to_owned),
        1 => (1_usize..300).prop_map(|depth| format!("{{\"impl\":{}1{}}}", "[".repeat(depth), "]".repeat(depth))),
        1 => prop::collection::vec(any::<char>(), 0..20).prop_map(String::from_iter),
    ];
    (method, path, query, body)
        .prop_map(|(method, path, query, body)| (method, format!("{path}{query}"), body))
}

proptest! {
    #![proptest_config(config(120))]

    /// Any request below `/tools` is answered with JSON and a status of the table, or with nothing and 204.
    #[test]
    fn any_request_is_answered(requests in prop::collection::vec(request(), 1..8)) {
        run(|| async {
            let world = World::with_bundle().await;
            for (method, target, body) in &requests {
                let reply = world.reply(method, target, body).await;
                if reply.status == 204 {
                    prop_assert_eq!(reply.body.as_str(), "");
                    continue;
                }
                let known = [200, 201, 202, 400, 403, 404, 405, 409, 410, 413, 422, 429];
                prop_assert!(known.contains(&reply.status), "{} {}: {:?}", method, target, reply);
                let answer: Value = serde_json::from_str(&reply.body).expect("JSON");
                let error = answer["error"]["code"].is_string() && answer["error"]["message"].is_string();
                prop_assert_eq!(error, reply.status >= 400, "{} {}: {:?}", method, target, reply);
            }
            prop_assert_eq!(world.call("GET", "/tools?includeDisabled=true", Value::Null).await.0, 200);
            Ok(())
        })?;
    }
}
