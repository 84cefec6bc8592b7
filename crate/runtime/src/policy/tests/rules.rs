//! Lists and rules about tools, case by case.

use super::*;
use crate::policy::Spent;
use chains::Amount;

#[test]
fn lists() {
    const RECIPIENT: &str = "block: block recipient_not_allowed@1";
    const CONTRACT: &str = "block: block contract_not_allowed@1";
    run(
        World::signing,
        &[
            ("who is listed", |w| w.rules.recipients = listed(&[("Ethereum", ALICE)]), ASK),
            (
                "who is listed on another EVM chain",
                |w| w.rules.recipients = listed(&[("Base", &ALICE.to_uppercase())]),
                ASK,
            ),
            (
                "who is listed on another chain",
                |w| w.rules.recipients = listed(&[("Bitcoin", ALICE)]),
                RECIPIENT,
            ),
            ("no address is listed", |w| w.rules.recipients = listed(&[]), RECIPIENT),
            (
                "oneself",
                |w| {
                    w.rules.recipients = listed(&[]);
                    w.pays(&[transfer(OWN, 1)]);
                },
                ASK,
            ),
            (
                "a router receives",
                |w| {
                    w.rules.recipients = listed(&[]);
                    w.pays(&[swap(native(), 1, Some(OWN))]);
                },
                RECIPIENT,
            ),
            (
                "a spender may take",
                |w| {
                    w.rules.recipients = listed(&[]);
                    w.pays(&[approve(1, false)]);
                },
                RECIPIENT,
            ),
            (
                "coins go with a call",
                |w| {
                    w.rules.recipients = listed(&[]);
                    w.pays(&[call(1)]);
                },
                "block: block recipient_not_allowed@1, warn unweighed_effect@1",
            ),
            (
                "nothing goes with a call",
                |w| {
                    w.rules.recipients = listed(&[]);
                    w.pays(&[call(0)]);
                },
                "block: block recipient_not_allowed@1, warn unweighed_effect@1",
            ),
            (
                "unknown recipient",
                |w| {
                    w.rules.recipients = listed(&[("Ethereum", ALICE)]);
                    w.pays(&[other("AccountDelete")]);
                },
                "block: block recipient_not_allowed@1, warn unweighed_effect@1",
            ),
            (
                "a contract that is listed",
                |w| {
                    w.rules.contracts = listed(&[("Ethereum", ROUTER)]);
                    w.pays(&[call(1), approve(1, false), swap(native(), 1, None)]);
                },
                "ask: warn unweighed_effect@1, info signing",
            ),
            (
                "a contract of another chain",
                |w| {
                    w.rules.contracts = listed(&[("Base", ROUTER)]);
                    w.pays(&[call(1)]);
                },
                "block: block contract_not_allowed@1, warn unweighed_effect@1",
            ),
            (
                "a contract that is not listed",
                |w| {
                    w.rules.contracts = listed(&[("Ethereum", USDC)]);
                    w.pays(&[approve(1, false)]);
                },
                CONTRACT,
            ),
            (
                "a token that is not listed",
                |w| {
                    w.rules.contracts = listed(&[("Ethereum", ROUTER)]);
                    w.pays(&[send_token(ALICE, 1)]);
                    w.first().explanation.target = Some(USDC.to_owned());
                },
                CONTRACT,
            ),
            (
                "a new contract",
                |w| {
                    w.rules.contracts = listed(&[]);
                    w.pays(&[Effect::Create { value: units(0), bytes: 1 }]);
                },
                "block: block contract_not_allowed@1, warn contract_creation@1",
            ),
            ("no contract at all", |w| w.rules.contracts = listed(&[]), ASK),
        ],
    );
}

#[test]
fn tools() {
    const TAP: &str = "ask: info tap_wanted";
    const USED_UP: &str = "ask: info bounds_used_up, info tap_wanted";
    run(
        || World::calling(Category::Write),
        &[
            ("no rule", |_| {}, TAP),
            ("allowed", |w| w.rules.tools = vec![rule(Who::Agent, allow(1, None))], "allow"),
            (
                "allowed where the sender wants a tap",
                |w| {
                    w.auto_execute = Some(false);
                    w.rules.tools = vec![rule(Who::Anybody, allow(1, None))];
                },
                "allow",
            ),
            (
                "allowed where the tool asks",
                |w| {
                    w.tool.requires_confirmation = true;
                    w.rules.tools = vec![rule(Who::Agent, allow(1, None))];
                },
                "allow",
            ),
            (
                "never more than none a day",
                |w| w.rules.tools = vec![rule(Who::Agent, allow(0, None))],
                USED_UP,
            ),
            (
                "used up",
                |w| {
                    w.rules.tools = vec![rule(Who::Agent, allow(2, None))];
                    let spent = Spent::default().add(NOW, Amount::from(2));
                    w.history.spent.insert("tool/tool/agent".to_owned(), spent);
                },
                USED_UP,
            ),
            ("over", |w| w.rules.tools = vec![rule(Who::Agent, allow(9, Some(NOW)))], USED_UP),
            ("not over yet", |w| w.rules.tools = vec![rule(Who::Agent, allow(9, Some(NOW + 1)))], "allow"),
            (
                "another permission has room",
                |w| {
                    w.rules.tools =
                        vec![rule(Who::Agent, allow(0, None)), rule(Who::Anybody, allow(1, None))];
                },
                "allow",
            ),
            (
                "used up, and no tap was due",
                |w| {
                    w.auto_execute = Some(true);
                    w.rules.tools = vec![rule(Who::Agent, allow(0, None))];
                },
                "allow",
            ),
            (
                "denied",
                |w| w.rules.tools = vec![rule(Who::Agent, ToolDecision::Deny)],
                "block: block tool_denied",
            ),
            (
                "denied and allowed",
                |w| {
                    w.rules.tools =
                        vec![rule(Who::Agent, allow(9, None)), rule(Who::Anybody, ToolDecision::Deny)];
                },
                "block: block tool_denied",
            ),
            (
                "denied to another sender",
                |w| {
                    w.rules.tools = vec![rule(Who::Dapp { origin: ORIGIN.to_owned() }, ToolDecision::Deny)];
                },
                TAP,
            ),
            (
                "another tool is denied",
                |w| {
                    w.rules.tools =
                        vec![ToolRule { tool: "t".to_owned(), ..rule(Who::Anybody, ToolDecision::Deny) }];
                },
                TAP,
            ),
            (
                "stopped",
                |w| {
                    w.auto_execute = Some(true);
                    w.rules.kill_switch = true;
                },
                "block: block kill_switch",
            ),
            (
                "stopped, and the user asks",
                |w| {
                    (w.source, w.auto_execute, w.rules.kill_switch) = (Source::User, Some(true), true);
                },
                "allow",
            ),
            (
                "stopped, and a call reads",
                |w| {
                    (w.tool.category, w.rules.kill_switch) = (Category::Read, true);
                },
                "allow",
            ),
            ("a connected page", |w| w.source = dapp(), TAP),
            (
                "a page that is not connected looks",
                |w| {
                    w.tool.category = Category::Read;
                    w.source = Source::Dapp { origin: "https://example.com".to_owned() };
                },
                "block: block not_connected",
            ),
            (
                "a connected page, while stopped",
                |w| (w.source, w.rules.kill_switch) = (dapp(), true),
                "block: block kill_switch",
            ),
        ],
    );
    run(
        World::signing,
        &[
            (
                "a permission is none for signing",
                |w| w.rules.tools = vec![rule(Who::Agent, allow(9, None))],
                ASK,
            ),
            (
                "signing is denied",
                |w| w.rules.tools = vec![rule(Who::Agent, ToolDecision::Deny)],
                "block: block tool_denied",
            ),
            (
                "the user signs while stopped",
                |w| (w.source, w.rules.kill_switch) = (Source::User, true),
                "block: block kill_switch",
            ),
            ("a hint is none for signing", |w| w.auto_execute = Some(true), ASK),
        ],
    );
}
