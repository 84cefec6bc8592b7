//! Hosts that a tool sends to: asked about once, and stopped by the kill switch.

use super::*;

fn outbound(tool_id: &str, host: &str, secrets: &[&str]) -> Outbound {
    let secrets = secrets.iter().map(|name| (*name).to_owned()).collect();
    Outbound { tool_id: tool_id.to_owned(), host: host.to_owned(), secrets }
}

/// The agent calls a tool that sends to a host.
fn sending() -> World {
    World { outbound: vec![outbound("t1", "api.example", &[])], ..World::calling(Category::Read) }
}

fn approve(world: &mut World, tool_id: &str, host: &str) {
    world.history.hosts.insert((tool_id.to_owned(), host.to_owned()));
}

/// The first call to a host is asked about, for any tool, hint and permission; the next one is not.
#[test]
fn first_call_to_a_host_is_asked_about() {
    const NEW: &str = "ask: warn new_host";
    run(
        sending,
        &[
            ("a look", |_| {}, NEW),
            ("a hint", |w| w.auto_execute = Some(true), NEW),
            ("a permission", |w| w.rules.tools = vec![rule(Who::Agent, allow(9, None))], NEW),
            (
                "a permission, where a tap is due",
                |w| {
                    w.auto_execute = Some(false);
                    w.rules.tools = vec![rule(Who::Agent, allow(9, None))];
                },
                NEW,
            ),
            ("a tap is due", |w| w.auto_execute = Some(false), "ask: warn new_host, info tap_wanted"),
            ("the tool asks", |w| w.tool.requires_confirmation = true, "ask: warn new_host, info tool_asks"),
            ("a page", |w| w.source = dapp(), NEW),
            ("the user, whose page shows the request", |w| w.source = Source::User, "allow"),
            ("approved before", |w| approve(w, "t1", "api.example"), "allow"),
            ("another port", |w| approve(w, "t1", "api.example:8443"), NEW),
            ("another tool", |w| approve(w, "t2", "api.example"), NEW),
            (
                "a tool with steps, one of them new",
                |w| {
                    approve(w, "t1", "api.example");
                    w.outbound.push(outbound("t2", "api.example", &[]));
                },
                NEW,
            ),
            (
                "denied",
                |w| w.rules.tools = vec![rule(Who::Agent, ToolDecision::Deny)],
                "block: block tool_denied, warn new_host",
            ),
        ],
    );
}

/// What is sent to whom is told with the names of secrets; a host's name cannot deceive.
#[test]
fn hosts_are_told_with_their_secrets() {
    let told = |outbound: Outbound| {
        let world = World { outbound: vec![outbound], ..sending() };
        world.verdict().reasons()[0].message.clone()
    };
    assert_eq!(told(outbound("t", "api.example", &[])), "tool sends to “api.example” for the first time.");
    assert_eq!(
        told(outbound("t", "api.example:8443", &["API_KEY", "TOKEN"])),
        "tool sends to “api.example:8443” with the secrets API_KEY, TOKEN for the first time."
    );
    assert!(!told(outbound("t", "a\u{202e}b", &[])).contains('\u{202e}'));
}

/// The kill switch stops what others send, also where it only reads and the host is approved; the user's own goes on.
#[test]
fn kill_switch_stops_what_others_send() {
    const STOPPED: &str = "block: block kill_switch";
    fn stopped() -> World {
        let mut world = sending();
        approve(&mut world, "t1", "api.example");
        world.rules.kill_switch = true;
        world
    }
    run(
        stopped,
        &[
            ("the agent looks at a host", |_| {}, STOPPED),
            ("a page does", |w| w.source = dapp(), STOPPED),
            ("the user does", |w| w.source = Source::User, "allow"),
            ("the agent looks at what is here", |w| w.outbound.clear(), "allow"),
            ("a permission", |w| w.rules.tools = vec![rule(Who::Anybody, allow(9, None))], STOPPED),
        ],
    );
}
