//! Limits, case by case.

use super::*;
use crate::policy::Spent;
use chains::Amount;

const OVER: &str = "block: block over_transaction_limit@1";
const OVER_DAY: &str = "block: block over_daily_limit";

fn limited(per_transaction: Option<u64>, per_day: Option<u64>, token: Option<&str>) -> Vec<Limit> {
    vec![limit(Who::Anybody, token, per_transaction, per_day)]
}

fn used(world: &mut World, amount: u64, ago: Millis) {
    let spent = Spent::default().add(NOW - ago, Amount::from(amount));
    world.history.spent.insert("limit/l1".to_owned(), spent);
}

#[test]
fn limits() {
    run(
        World::signing,
        &[
            ("as much as may be", |w| w.rules.limits = limited(Some(1000), Some(1000), None), ASK),
            ("one more by one transaction", |w| w.rules.limits = limited(Some(999), None, None), OVER),
            ("one more within a day", |w| w.rules.limits = limited(None, Some(999), None), OVER_DAY),
            (
                "both",
                |w| w.rules.limits = limited(Some(9), Some(9), None),
                "block: block over_transaction_limit@1, block over_daily_limit",
            ),
            (
                "with what was used before",
                |w| {
                    w.rules.limits = limited(None, Some(1999), None);
                    used(w, 1000, 0);
                },
                OVER_DAY,
            ),
            (
                "what was used the day before yesterday",
                |w| {
                    w.rules.limits = limited(None, Some(1000), None);
                    used(w, 1000, 2 * DAY);
                },
                ASK,
            ),
            (
                "the sum of all steps",
                |w| {
                    w.rules.limits = limited(Some(1000), Some(1999), None);
                    w.steps =
                        Some(vec![step(1, &[transfer(ALICE, 1000)]), step(2, &[transfer(ALICE, 1000)])]);
                },
                OVER_DAY,
            ),
            (
                "the sum of one transaction",
                |w| {
                    w.rules.limits = limited(Some(5), None, None);
                    w.pays(&[
                        transfer(ALICE, 1),
                        swap(native(), 2, None),
                        call(2),
                        Effect::Create { value: units(1), bytes: 1 },
                    ]);
                },
                "block: block over_transaction_limit@1, warn unweighed_effect@1, warn contract_creation@1",
            ),
            (
                "sums beyond all numbers",
                |w| {
                    w.rules.limits = limited(None, Some(5), None);
                    let most = Effect::Transfer {
                        asset: native(),
                        to: ALICE.to_owned(),
                        amount: units(Amount::MAX),
                    };
                    w.pays(&[most.clone(), most]);
                },
                OVER_DAY,
            ),
            ("another coin", |w| w.rules.limits = limited(Some(1), Some(1), Some(USDC)), ASK),
            (
                "another chain",
                |w| {
                    w.rules.limits = limited(Some(1), Some(1), None);
                    w.steps = Some(vec![on("Base", OWN, 1, &[transfer(ALICE, 1000)])]);
                },
                ASK,
            ),
            (
                "the token in another spelling",
                |w| {
                    w.rules.limits = limited(Some(1), None, Some(&USDC.to_uppercase()));
                    w.pays(&[send_token(ALICE, 2)]);
                },
                OVER,
            ),
            (
                "an item of a collection",
                |w| {
                    w.rules.limits = limited(Some(0), None, Some(USDC));
                    let asset = Asset::Item { collection: USDC.to_owned(), id: "7".to_owned() };
                    w.pays(&[Effect::Transfer { asset, to: ALICE.to_owned(), amount: units(1) }]);
                },
                "block: block over_transaction_limit@1, block rule_error@1, warn unknown_token@1",
            ),
            (
                "an allowance counts",
                |w| {
                    w.rules.limits = limited(None, Some(4), Some(USDC));
                    w.pays(&[approve(5, false)]);
                },
                OVER_DAY,
            ),
            (
                "an allowance and the swap that uses it count once",
                |w| {
                    w.rules.limits = limited(Some(5), Some(5), Some(USDC));
                    w.steps = Some(vec![step(1, &[approve(5, false)]), step(2, &[swap(token(), 5, None)])]);
                },
                ASK,
            ),
            (
                "a swap before the allowance counts by itself",
                |w| {
                    w.rules.limits = limited(Some(5), Some(5), Some(USDC));
                    w.steps = Some(vec![step(1, &[swap(token(), 5, None)]), step(2, &[approve(5, false)])]);
                },
                OVER_DAY,
            ),
            (
                "an allowance is used up once",
                |w| {
                    w.rules.limits = limited(None, Some(9), Some(USDC));
                    w.pays(&[approve(5, false), swap(token(), 5, None), swap(token(), 5, None)]);
                },
                OVER_DAY,
            ),
            (
                "an allowance without end",
                |w| {
                    w.rules.limits = limited(None, Some(u64::MAX), Some(USDC));
                    w.pays(&[approve(1, true)]);
                },
                "block: block over_daily_limit, warn unlimited_approval@1",
            ),
            (
                "others' tokens",
                |w| {
                    w.rules.limits = limited(Some(1), None, Some(USDC));
                    let (from, to) = (ALICE.to_owned(), OWN.to_owned());
                    w.pays(&[Effect::TransferFrom { asset: token(), from, to, amount: units(5) }]);
                },
                ASK,
            ),
            (
                "own tokens by an allowance",
                |w| {
                    w.rules.limits = limited(Some(1), None, Some(USDC));
                    let (from, to) = (OWN.to_owned(), ALICE.to_owned());
                    w.pays(&[Effect::TransferFrom { asset: token(), from, to, amount: units(5) }]);
                },
                OVER,
            ),
            (
                "the token is told something unknown",
                |w| {
                    w.rules.limits = limited(Some(1), None, Some(USDC));
                    w.pays(&[unknown_call(USDC, 0)]);
                },
                "block: block rule_error@1, warn unknown_calldata@1",
            ),
            (
                "another contract is told something unknown",
                |w| {
                    w.rules.limits = limited(Some(1), None, Some(USDC));
                    w.pays(&[unknown_call(ROUTER, 0)]);
                },
                "block: block rule_error@1, warn unknown_calldata@1",
            ),
            (
                "bytes that cannot be counted",
                |w| {
                    w.rules.limits = limited(Some(1), None, None);
                    w.pays(&[Effect::Unknown { what: "x".to_owned(), bytes: 3 }]);
                },
                "block: block rule_error@1, warn unknown_calldata@1",
            ),
            (
                "a limit for another sender",
                |w| {
                    w.rules.limits =
                        vec![limit(Who::Dapp { origin: ORIGIN.to_owned() }, None, Some(1), None)];
                },
                ASK,
            ),
            (
                "a limit for the agent",
                |w| w.rules.limits = vec![limit(Who::Agent, None, Some(1), None)],
                OVER,
            ),
            (
                "a limit for the agent, and the user asks",
                |w| {
                    w.source = Source::User;
                    w.rules.limits = vec![limit(Who::Agent, None, Some(1), None)];
                },
                ASK,
            ),
            (
                "a limit that cannot be read",
                |w| {
                    w.rules.limits = vec![Limit {
                        per_day: Some("many".to_owned()),
                        ..limit(Who::Agent, None, None, None)
                    }];
                },
                "block: block rule_error",
            ),
            (
                "a limit of no chain",
                |w| {
                    w.rules.limits =
                        vec![Limit { chain: "?".to_owned(), ..limit(Who::Agent, None, Some(1), None) }];
                },
                "block: block rule_error",
            ),
        ],
    );
}
