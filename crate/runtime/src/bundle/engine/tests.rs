//! The state machine by itself: no store, no network, a clock that is a number.

use super::poll::{FIRST_PAUSE, LONGEST_PAUSE};
use super::*;
use proptest::prelude::*;
use wire::node::Finding;

const NOW: Millis = 1_000_000;
const FIRST: Place = Place { step: 0, index: 0 };
const SECOND: Place = Place { step: 1, index: 0 };
const THIRD: Place = Place { step: 2, index: 0 };

fn plan(transactions: usize, wait: bool) -> Plan {
    Plan {
        chain: "Ethereum".to_owned(),
        transactions,
        wait,
        timeout: 180_000,
        interval: 3_000,
        for_page: false,
    }
}

fn engine(plans: Vec<Plan>) -> Engine {
    Engine::new(plans)
}

fn signed() -> Outcome {
    Outcome::Signed(SignedBytes { bytes: "02".to_owned(), detached: None, id: "0xab".to_owned() })
}

fn sendable() -> Outcome {
    Outcome::Checked(Checked::Sendable { findings: Vec::new() })
}

fn leaves_gap() -> Outcome {
    let findings = vec![Finding { code: FindingCode::Gapped, message: "a gap".to_owned() }];
    Outcome::Checked(Checked::Sendable { findings })
}

fn stale() -> Outcome {
    Outcome::Checked(Checked::Stale { reason: "used".to_owned() })
}

fn accepted() -> Outcome {
    Outcome::Broadcast(Broadcast::Accepted)
}

fn rejected() -> Outcome {
    Outcome::Broadcast(Broadcast::Rejected { reason: "poor".to_owned() })
}

fn ambiguous() -> Outcome {
    Outcome::Broadcast(Broadcast::Ambiguous { reason: "lost".to_owned() })
}

fn confirmed() -> Outcome {
    Outcome::Found(Status::Confirmed { block: Some(1) })
}

fn not_found() -> Outcome {
    Outcome::Found(Status::NotFound)
}

fn unclear() -> Outcome {
    Outcome::Found(Status::Unclear { reason: "no".to_owned() })
}

fn disputed_receipt() -> Outcome {
    Outcome::Found(Status::Disputed { reason: "a says confirmed, b does not".to_owned() })
}

fn disputed_check() -> Outcome {
    Outcome::Checked(Checked::Disputed { reason: "a says used, b does not".to_owned() })
}

fn disputed_broadcast() -> Outcome {
    Outcome::Broadcast(Broadcast::Disputed { reason: "a rejects it, b does not".to_owned() })
}

fn at(now: Millis) -> Moment {
    Moment { now, not_before: 0, chance: 0 }
}

fn look(at: Place) -> Effect {
    Effect::LookUp { at, next: None }
}

/// Applies outcomes to one place, in one moment; gives its record.
fn with(engine: &mut Engine, place: Place, outcomes: impl IntoIterator<Item = Outcome>) -> Transmission {
    for outcome in outcomes {
        engine.apply(place, outcome, at(NOW));
    }
    engine.transmission(place).cloned().unwrap()
}

/// From the check to the broadcast that a node accepts.
fn sent() -> [Outcome; 4] {
    [Outcome::Began, sendable(), signed(), accepted()]
}

/// T000-20: the second is not begun before the first is confirmed, and T000-43: in their order.
#[test]
fn steps_run_in_order() {
    let mut engine = engine(vec![plan(1, true), plan(1, true)]);
    assert_eq!(engine.next(NOW), Effect::Check(FIRST));
    with(&mut engine, FIRST, [Outcome::Began]);
    assert_eq!(engine.next(NOW), Effect::Check(FIRST));
    with(&mut engine, FIRST, [sendable()]);
    assert_eq!(engine.next(NOW), Effect::Sign(FIRST));
    let stored = engine.apply(FIRST, signed(), at(NOW)).unwrap();
    assert_eq!((stored.record.status, stored.record.deadline), (StepStatus::Signed, Some(NOW + 180_000)));
    assert_eq!((stored.store, stored.news), (Storing::Before, true));
    assert_eq!(engine.next(NOW), Effect::Broadcast(FIRST));
    let taken = engine.apply(FIRST, accepted(), at(NOW)).unwrap();
    assert_eq!((taken.record.status, taken.record.sent_at), (StepStatus::Sent, Some(NOW)));
    assert_eq!(taken.store, Storing::Soon);
    // A chain that mines at once has the receipt by now; the next transaction is checked in the same exchange.
    assert_eq!(engine.next(NOW), Effect::LookUp { at: FIRST, next: Some(SECOND) });
    with(&mut engine, FIRST, [Outcome::Found(Status::Pending)]);
    assert_eq!(engine.next(NOW), Effect::Wait { until: NOW + FIRST_PAUSE });
    assert_eq!(engine.next(NOW + FIRST_PAUSE), Effect::LookUp { at: FIRST, next: Some(SECOND) });
    with(&mut engine, FIRST, [confirmed()]);
    assert_eq!(engine.next(NOW), Effect::Check(SECOND));
    with(&mut engine, SECOND, sent().into_iter().chain([confirmed()]));
    assert_eq!(engine.next(NOW), Effect::End(Ending::Complete));
}

/// A check made in the same exchange as the lookup counts once the transaction before is confirmed, and only if it
/// finds nothing.
#[test]
fn precheck_counts_only_when_clean() {
    let clean = Checked::Sendable { findings: Vec::new() };
    let Outcome::Checked(gapped) = leaves_gap() else { unreachable!() };
    let Outcome::Checked(stale) = stale() else { unreachable!() };
    for (checked, next) in [
        (clean.clone(), Effect::Sign(SECOND)),
        (gapped, Effect::Check(SECOND)),
        (stale, Effect::Check(SECOND)),
        (Checked::Unclear { reason: "no".to_owned() }, Effect::Check(SECOND)),
    ] {
        let mut engine = engine(vec![plan(1, true), plan(1, true)]);
        with(&mut engine, FIRST, sent().into_iter().chain([confirmed()]));
        engine.prechecked(SECOND, &checked);
        assert_eq!(engine.next(NOW), next, "{checked:?}");
    }
    let mut engine = engine(vec![plan(1, true), plan(1, true)]);
    with(&mut engine, FIRST, sent());
    engine.prechecked(SECOND, &clean);
    assert_eq!(engine.next(NOW), Effect::LookUp { at: FIRST, next: Some(SECOND) });
    // That it begins does not undo the check.
    with(&mut engine, FIRST, [confirmed()]);
    engine.prechecked(SECOND, &clean);
    with(&mut engine, SECOND, [Outcome::Began]);
    assert_eq!(engine.next(NOW), Effect::Sign(SECOND));
}

/// A transaction that stays pending is checked now and then itself; a gap before it means that an earlier one was
/// reorganised away, which is sent again first.
#[test]
fn gap_before_a_sent_transaction_recalls_the_earlier() {
    let Outcome::Checked(gapped) = leaves_gap() else { unreachable!() };
    let mut engine = engine(vec![plan(1, true), plan(1, true)]);
    with(&mut engine, FIRST, sent().into_iter().chain([confirmed()]));
    with(&mut engine, SECOND, sent());
    for _ in 0..8 {
        with(&mut engine, SECOND, [Outcome::Found(Status::Pending)]);
    }
    let due = engine.transmission(SECOND).unwrap().next_look;
    assert_eq!(engine.next(due), Effect::LookUp { at: SECOND, next: Some(SECOND) });
    let mut standing = engine.clone();

    engine.prechecked(SECOND, &gapped);
    assert_eq!(engine.next(due), look(FIRST));
    let recalled = with(&mut engine, FIRST, [not_found()]);
    assert_eq!((recalled.status, recalled.settled_at), (StepStatus::Sent, None));
    with(&mut engine, FIRST, [not_found()]);
    assert_eq!(engine.next(due), Effect::Broadcast(FIRST));
    with(&mut engine, FIRST, [accepted(), confirmed()]);
    assert!(matches!(engine.next(due), Effect::LookUp { at: SECOND, .. }));

    // The earlier one stands: the gap is another sender's, and the bytes are not signed again.
    standing.prechecked(SECOND, &gapped);
    with(&mut standing, FIRST, [confirmed()]);
    assert!(matches!(standing.next(due), Effect::LookUp { at: SECOND, .. }));
}

/// The next transaction is checked in advance only while polls follow each other fast, and only on the same chain.
#[test]
fn precheck_ends_when_polls_slow_down() {
    let other = Plan { chain: "Arbitrum".to_owned(), ..plan(1, true) };
    let mut two_chains = engine(vec![plan(1, true), other]);
    with(&mut two_chains, FIRST, sent());
    assert_eq!(two_chains.next(NOW), look(FIRST));
    let mut engine = engine(vec![plan(1, true), plan(1, true)]);
    with(&mut engine, FIRST, sent());
    for _ in 0..=EAGER_POLLS {
        with(&mut engine, FIRST, [Outcome::Found(Status::Pending)]);
    }
    assert_eq!(engine.next(NOW + 10_000), look(FIRST));
}

/// T000-36: a receipt that is not asked for is not waited for; a node must have the transaction all the same.
#[test]
fn unawaited_receipt_needs_a_node_to_accept() {
    let mut engine = engine(vec![plan(1, false), plan(1, true)]);
    with(&mut engine, FIRST, [Outcome::Began, sendable(), signed(), ambiguous(), unclear()]);
    assert_eq!(engine.next(NOW), Effect::Wait { until: NOW + FIRST_PAUSE });
    assert_eq!(with(&mut engine, FIRST, [accepted()]).status, StepStatus::Pending);
    assert_eq!(engine.next(NOW), Effect::Check(SECOND));
}

/// T000-44: an approval is confirmed before its swap is signed, whether or not a receipt was asked for.
#[test]
fn approval_is_always_waited_for() {
    let mut engine = engine(vec![plan(2, false)]);
    let swap = Place { step: 0, index: 1 };
    assert_eq!(with(&mut engine, FIRST, sent()).status, StepStatus::Sent);
    assert_eq!(engine.next(NOW), Effect::LookUp { at: FIRST, next: Some(swap) });
    with(&mut engine, FIRST, [confirmed()]);
    assert_eq!(engine.next(NOW), Effect::Check(swap));
    assert_eq!(status(engine.transmissions(0), 2), StepStatus::Signing);
    let swapped = with(&mut engine, swap, sent());
    assert_eq!((swapped.status, engine.next(NOW)), (StepStatus::Pending, Effect::End(Ending::Complete)));
}

/// T000-55: a worker that did not sign it looks it up before it broadcasts it again, and broadcasts the same bytes.
#[test]
fn restart_looks_up_before_broadcast() {
    let mut engine = engine(vec![plan(1, true)]);
    let stored = with(&mut engine, FIRST, [Outcome::Began, sendable(), signed()]);
    for (found, next) in [
        (not_found(), Effect::Broadcast(FIRST)),
        (unclear(), Effect::Broadcast(FIRST)),
        (Outcome::Found(Status::Pending), look(FIRST)),
        (confirmed(), Effect::End(Ending::Complete)),
    ] {
        let mut restarted = Engine::new(vec![plan(1, true)]);
        restarted.restore(FIRST, stored.clone());
        assert_eq!(restarted.next(NOW), look(FIRST));
        assert_eq!(with(&mut restarted, FIRST, [found]).signed, stored.signed);
        assert_eq!(restarted.next(NOW), next);
    }
}

/// A check is not stored: a worker that starts anew checks again, with the deadline of the first.
#[test]
fn restart_checks_again() {
    let mut engine = engine(vec![plan(1, true)]);
    let away = Outcome::Checked(Checked::Unclear { reason: "away".to_owned() });
    let began = engine.apply(FIRST, Outcome::Began, at(NOW)).unwrap();
    assert_eq!((began.store, began.news), (Storing::Soon, true));
    let stored = engine.apply(FIRST, away, at(NOW)).unwrap();
    assert_eq!((stored.store, stored.record.deadline), (Storing::Soon, Some(NOW + 180_000)));
    let mut restarted = Engine::new(vec![plan(1, true)]);
    restarted.restore(FIRST, stored.record);
    assert_eq!(restarted.next(NOW + 5_000), Effect::Check(FIRST));
}

/// Only the first node that ever saw a transaction can refuse it for good, and only if no node knows it.
#[test]
fn first_refusal_is_final_unless_a_node_knows_it() {
    let begun = || [Outcome::Began, sendable(), signed()];
    let mut refused = engine(vec![plan(1, true)]);
    with(&mut refused, FIRST, begun().into_iter().chain([rejected()]));
    assert_eq!(refused.next(NOW), look(FIRST));
    let mut known = refused.clone();
    let failed = with(&mut refused, FIRST, [not_found()]);
    assert_eq!(failed.error.as_deref(), Some("broadcast_rejected: poor"));
    assert_eq!(with(&mut known, FIRST, [confirmed()]).status, StepStatus::Confirmed);
    // After an ambiguous broadcast another node may have it: a refusal says nothing then.
    let mut tried = engine(vec![plan(1, true)]);
    with(&mut tried, FIRST, begun().into_iter().chain([ambiguous(), unclear(), not_found(), rejected()]));
    assert_eq!(tried.next(NOW), look(FIRST));
    with(&mut tried, FIRST, [not_found()]);
    assert_eq!(tried.next(NOW), Effect::Check(FIRST));
    assert_eq!(with(&mut tried, FIRST, [sendable()]).status, StepStatus::Signed);
}

/// A transaction that no node knows is broadcast again; if no node takes it, it is checked: what can no longer be part
/// of the chain is gone after four times, what can be is polled on.
#[test]
fn lost_transaction_is_broadcast_then_checked() {
    let mut engine = engine(vec![plan(1, true)]);
    with(&mut engine, FIRST, sent());
    for gone in 1..=3 {
        with(&mut engine, FIRST, [not_found()]);
        assert_eq!(engine.next(NOW), Effect::Broadcast(FIRST));
        with(&mut engine, FIRST, [rejected()]);
        assert_eq!(engine.next(NOW), Effect::Check(FIRST));
        assert_eq!(with(&mut engine, FIRST, [stale()]).gone, gone);
        // Not at once: a node that is behind says the same for a while.
        assert_eq!(engine.next(NOW), Effect::Wait { until: NOW + 3_000 });
    }
    let mut again = engine.clone();
    assert_eq!(with(&mut again, FIRST, [not_found(), accepted()]).gone, 0);
    assert_eq!(with(&mut again, FIRST, [not_found(), ambiguous(), sendable()]).gone, 0);
    let failed = with(&mut engine, FIRST, [not_found(), ambiguous(), stale()]);
    assert_eq!(
        (failed.status, failed.error.as_deref()),
        (StepStatus::Failed, Some("stale_transaction: used"))
    );
}

/// A gap before a transaction: confirmed ones on the same chain are looked up, the latest first, until one stands.
/// Those whose blocks are gone are waited for again, in order, before the check is repeated.
#[test]
fn gap_recalls_reorganised_transactions() {
    let mut engine = engine(vec![plan(1, true), plan(1, true), plan(1, true)]);
    with(&mut engine, FIRST, sent().into_iter().chain([confirmed()]));
    with(&mut engine, SECOND, sent().into_iter().chain([confirmed()]));
    with(&mut engine, THIRD, [Outcome::Began, leaves_gap()]);
    assert_eq!(engine.next(NOW), look(SECOND));
    let recalled = engine.apply(SECOND, not_found(), at(NOW)).unwrap();
    assert_eq!((recalled.at, recalled.record.status), (SECOND, StepStatus::Sent));
    assert_eq!(engine.next(NOW), look(FIRST));
    let mut both = engine.clone();
    assert_eq!(engine.apply(FIRST, confirmed(), at(NOW)), None);
    assert_eq!(engine.next(NOW), Effect::LookUp { at: SECOND, next: Some(THIRD) });
    with(&mut engine, SECOND, [confirmed()]);
    assert_eq!(engine.next(NOW), Effect::Check(THIRD));
    with(&mut both, FIRST, [Outcome::Found(Status::Pending)]);
    assert_eq!(both.next(NOW), Effect::LookUp { at: FIRST, next: Some(SECOND) });
    with(&mut both, FIRST, [confirmed()]);
    assert_eq!(both.next(NOW), Effect::LookUp { at: SECOND, next: Some(THIRD) });
}

/// A gap that is not this bundle's, or of transactions on another chain, is no reason to wait.
#[test]
fn foreign_gap_is_signed_over() {
    let other = Plan { chain: "Arbitrum".to_owned(), ..plan(1, true) };
    let mut two_chains = engine(vec![plan(1, true), other]);
    with(&mut two_chains, FIRST, sent().into_iter().chain([confirmed()]));
    with(&mut two_chains, SECOND, [Outcome::Began, leaves_gap()]);
    assert_eq!(two_chains.next(NOW), Effect::Sign(SECOND));
    let mut stands = engine(vec![plan(1, true), plan(1, true)]);
    with(&mut stands, FIRST, sent().into_iter().chain([confirmed()]));
    with(&mut stands, SECOND, [Outcome::Began, leaves_gap()]);
    assert_eq!(stands.next(NOW), look(FIRST));
    assert_eq!(stands.apply(FIRST, unclear(), at(NOW)), None);
    assert_eq!(stands.next(NOW), Effect::Sign(SECOND));
}

/// T000-47: after a failure nothing more is begun. T000-50: what fails before it is signed has no hash, what fails
/// after keeps it.
#[test]
fn failure_ends_the_bundle() {
    let gone = || [not_found(), rejected(), stale()];
    let ways: [(Vec<Outcome>, &str, bool); 4] = [
        (vec![Outcome::Began, stale()], "stale_transaction", false),
        (vec![Outcome::Began, sendable(), signed(), rejected(), not_found()], "broadcast_rejected", true),
        (
            sent()
                .into_iter()
                .chain([Outcome::Found(Status::Failed { reason: "reverted".to_owned() })])
                .collect(),
            "transaction_failed",
            true,
        ),
        (
            sent().into_iter().chain(gone()).chain(gone()).chain(gone()).chain(gone()).collect(),
            "stale_transaction",
            true,
        ),
    ];
    for (outcomes, code, hash) in ways {
        let mut engine = engine(vec![plan(1, true), plan(1, true)]);
        let failed = with(&mut engine, FIRST, outcomes);
        assert_eq!((failed.status, failed.signed.is_some()), (StepStatus::Failed, hash), "{code}");
        assert!(failed.error.as_deref().is_some_and(|error| error.starts_with(code)), "{failed:?}");
        assert_eq!(engine.next(NOW), Effect::End(Ending::Broken));
    }
}

/// T000-46: no answer is no failure; T000-51: it is a time-out, after one more poll at the deadline.
#[test]
fn no_answer_is_a_timeout() {
    let mut engine = engine(vec![plan(1, true)]);
    with(&mut engine, FIRST, sent());
    let mut now = NOW;
    let late = loop {
        match engine.next(now) {
            Effect::Wait { until } => now = until,
            Effect::LookUp { at: place, .. } => {
                let polled = engine.apply(place, unclear(), Moment { chance: 255, ..at(now) }).unwrap();
                if polled.record.settled_at.is_some() {
                    break polled.record;
                }
                assert!(now < NOW + 180_000);
            }
            other => panic!("{other:?}"),
        }
    };
    assert_eq!((late.status, now), (StepStatus::Timeout, NOW + 180_000));
    assert!(late.signed.is_some() && late.error.unwrap().starts_with("receipt_timeout: no_answer"));
    assert_eq!(engine.next(now), Effect::End(Ending::Broken));
}

#[test]
fn late_wake_polls_before_timeout() {
    let mut engine = engine(vec![plan(1, true)]);
    with(&mut engine, FIRST, sent());
    let next_day = NOW + 86_400_000;
    assert_eq!(engine.next(next_day), look(FIRST));
    let found = engine.apply(FIRST, confirmed(), at(next_day)).unwrap();
    assert_eq!(found.record.status, StepStatus::Confirmed);
}

#[test]
fn unreachable_before_signing_fails_at_deadline() {
    let mut engine = engine(vec![plan(1, true)]);
    let away = || Outcome::Checked(Checked::Unclear { reason: "away".to_owned() });
    let waiting = with(&mut engine, FIRST, [Outcome::Began, away()]);
    assert_eq!(
        (waiting.status, engine.next(NOW)),
        (StepStatus::Signing, Effect::Wait { until: NOW + FIRST_PAUSE })
    );
    let failed = engine.apply(FIRST, away(), at(NOW + 180_000)).unwrap().record;
    assert_eq!((failed.status, failed.signed), (StepStatus::Failed, None));
    assert_eq!(failed.error.as_deref(), Some("node_unreachable: away"));
}

#[test]
fn requested_pause_ends_at_the_deadline() {
    let mut engine = engine(vec![plan(1, true)]);
    with(&mut engine, FIRST, sent());
    let until = |not_before| Moment { not_before, ..at(NOW) };
    let long = engine.apply(FIRST, unclear(), until(NOW + 60_000)).unwrap();
    assert_eq!(engine.next(NOW), Effect::Wait { until: NOW + 60_000 });
    assert_eq!(long.store, Storing::Soon);
    engine.apply(FIRST, unclear(), until(NOW + 3_600_000));
    assert_eq!(engine.next(NOW), Effect::Wait { until: NOW + 180_000 });
}

/// A poll without news is not stored, unless the pause after it is long.
#[test]
fn polls_without_news_are_not_stored() {
    let mut engine = engine(vec![plan(1, true)]);
    with(&mut engine, FIRST, sent());
    let pending = || Outcome::Found(Status::Pending);
    assert_eq!(engine.apply(FIRST, pending(), at(NOW)).unwrap().store, Storing::Never);
    let troubled = engine.apply(FIRST, unclear(), at(NOW)).unwrap();
    assert_eq!((troubled.store, troubled.news), (Storing::Soon, true));
    assert_eq!(engine.apply(FIRST, unclear(), at(NOW)).unwrap().store, Storing::Never);
    let answered = engine.apply(FIRST, pending(), at(NOW)).unwrap();
    assert_eq!((answered.store, answered.news), (Storing::Soon, true));
}

/// A receipt that one node gives and a second does not: waited for with the reason, sent again if it may never have
/// been, and a time-out at the deadline, never an end of its own.
#[test]
fn disputed_receipt_is_waited_for() {
    let reason = "nodes_disagree: a says confirmed, b does not";
    let mut engine = engine(vec![plan(1, true), plan(1, true)]);
    let stored = with(&mut engine, FIRST, [Outcome::Began, sendable(), signed()]);
    with(&mut engine, FIRST, [accepted()]);
    let waits = engine.apply(FIRST, disputed_receipt(), at(NOW)).unwrap();
    assert_eq!((waits.record.status, waits.record.error.as_deref()), (StepStatus::Sent, Some(reason)));
    assert_eq!((waits.store, waits.news), (Storing::Soon, true));
    assert_eq!(engine.next(NOW), Effect::Wait { until: NOW + FIRST_PAUSE });
    let mut agreed = engine.clone();
    assert_eq!(with(&mut agreed, FIRST, [confirmed()]).status, StepStatus::Confirmed);
    assert_eq!(agreed.next(NOW), Effect::Check(SECOND));
    let late = engine.apply(FIRST, disputed_receipt(), at(NOW + 180_000)).unwrap().record;
    let expected = format!("receipt_timeout: {reason}");
    assert_eq!((late.status, late.error), (StepStatus::Timeout, Some(expected)));

    let mut restarted = Engine::new(vec![plan(1, true)]);
    restarted.restore(FIRST, stored);
    with(&mut restarted, FIRST, [disputed_receipt()]);
    assert_eq!(restarted.next(NOW), Effect::Broadcast(FIRST));
    let doubted = with(&mut restarted, FIRST, [ambiguous(), disputed_receipt()]);
    assert_eq!((doubted.status, doubted.error.as_deref()), (StepStatus::Signed, Some(reason)));
    assert_eq!(restarted.next(NOW), Effect::Wait { until: NOW + FIRST_PAUSE });
}

/// What one node refuses and a second does not is not signed and does not fail, until the deadline.
#[test]
fn disputed_check_fails_at_deadline() {
    let reason = Some("nodes_disagree: a says used, b does not");
    let mut engine = engine(vec![plan(1, true)]);
    let waiting = with(&mut engine, FIRST, [Outcome::Began, disputed_check()]);
    assert_eq!((waiting.status, waiting.error.as_deref()), (StepStatus::Signing, reason));
    assert_eq!(engine.next(NOW + FIRST_PAUSE), Effect::Check(FIRST));
    let mut agreed = engine.clone();
    with(&mut agreed, FIRST, [sendable()]);
    assert_eq!(agreed.next(NOW), Effect::Sign(FIRST));
    let failed = engine.apply(FIRST, disputed_check(), at(NOW + 180_000)).unwrap().record;
    assert_eq!((failed.status, failed.signed, failed.error.as_deref()), (StepStatus::Failed, None, reason));
}

/// A rejection of one node is not final: it is looked up, checked and sent again, and the reason is kept in sight.
#[test]
fn disputed_rejection_is_not_final() {
    let reason = Some("nodes_disagree: a rejects it, b does not");
    let mut engine = engine(vec![plan(1, true)]);
    with(&mut engine, FIRST, [Outcome::Began, sendable(), signed(), disputed_broadcast()]);
    assert_eq!(engine.next(NOW), look(FIRST));
    with(&mut engine, FIRST, [not_found()]);
    assert_eq!(engine.next(NOW), Effect::Check(FIRST));
    let waits = with(&mut engine, FIRST, [sendable()]);
    assert_eq!((waits.status, waits.error.as_deref()), (StepStatus::Signed, reason));
    assert_eq!(with(&mut engine, FIRST, [not_found(), accepted()]).status, StepStatus::Sent);
    // A transaction that was sent before, is unknown now, and that only one node says is stale: not gone.
    let stays = with(&mut engine, FIRST, [not_found(), disputed_broadcast(), disputed_check()]);
    assert_eq!((stays.status, stays.gone), (StepStatus::Sent, 0));
}

/// Pages are notified when a transaction waits for another reason than before, and not of the same one again.
#[test]
fn another_reason_to_wait_is_news() {
    let mut engine = engine(vec![plan(1, true)]);
    with(&mut engine, FIRST, sent());
    for (outcome, news) in
        [(unclear(), true), (unclear(), false), (disputed_receipt(), true), (disputed_receipt(), false)]
    {
        assert_eq!(engine.apply(FIRST, outcome.clone(), at(NOW)).unwrap().news, news, "{outcome:?}");
    }
}

/// The user's stop waits for the end of a step, the kill switch only for what is signed.
#[test]
fn stops_between_steps_or_transactions() {
    let approved = |stop: Stop| {
        let mut engine = engine(vec![plan(2, true), plan(1, true)]);
        with(&mut engine, FIRST, sent().into_iter().chain([confirmed()]));
        engine.stop(stop);
        engine
    };
    let swap = Place { step: 0, index: 1 };
    let mut stopped = approved(Stop::ByUser);
    assert_eq!(stopped.next(NOW), Effect::Check(swap));
    with(&mut stopped, swap, sent().into_iter().chain([confirmed()]));
    assert_eq!(stopped.next(NOW), Effect::End(Ending::Stopped(Stop::ByUser)));
    let killed = approved(Stop::KillSwitch);
    assert_eq!(killed.next(NOW), Effect::End(Ending::Stopped(Stop::KillSwitch)));
    let mut sent_already = engine(vec![plan(2, true), plan(1, true)]);
    with(&mut sent_already, FIRST, sent());
    sent_already.stop(Stop::KillSwitch);
    assert!(!matches!(sent_already.next(NOW), Effect::End(_)), "what is sent is looked up");
}

fn outcome_of(effect: &Effect, choice: u8) -> Outcome {
    let pick = |all: Vec<Outcome>| all[usize::from(choice) % all.len()].clone();
    match effect {
        Effect::Check(_) => {
            let unclear = Outcome::Checked(Checked::Unclear { reason: "x".to_owned() });
            let wrong = Outcome::Checked(Checked::WrongNetwork { reason: "x".to_owned() });
            pick(vec![
                sendable(),
                leaves_gap(),
                stale(),
                unclear,
                wrong,
                disputed_check(),
                sendable(),
                sendable(),
            ])
        }
        Effect::Sign(_) => pick(vec![signed(), signed(), Outcome::NotSigned(Failure::bare("x"))]),
        Effect::Broadcast(_) => pick(vec![accepted(), rejected(), ambiguous(), disputed_broadcast()]),
        _ => {
            let failed = Outcome::Found(Status::Failed { reason: "x".to_owned() });
            pick(vec![
                Outcome::Found(Status::Pending),
                confirmed(),
                not_found(),
                unclear(),
                disputed_receipt(),
                failed,
                confirmed(),
            ])
        }
    }
}

proptest! {
    /// In any order of outcomes and restarts: the bytes never change, no transaction is signed before the one before
    /// it is confirmed or sent without waiting, nothing begins after a failure, and there is an effect until the end.
    #[test]
    fn any_order_of_outcomes(
        plans in prop::collection::vec((1_usize..3, any::<bool>()), 1..4),
        outcomes in prop::collection::vec((any::<u8>(), 0_u64..60_000, 0_u8..10), 0..80),
    ) {
        let plans: Vec<Plan> = plans.into_iter().map(|(transactions, wait)| plan(transactions, wait)).collect();
        let mut engine = Engine::new(plans.clone());
        let mut now = NOW;
        for (choice, pause, restart) in outcomes {
            if restart == 0 {
                // A worker that starts anew knows the records and nothing else.
                let mut next = Engine::new(plans.clone());
                for (step, index) in plans.iter().enumerate().flat_map(|(step, plan)| {
                    (0..plan.transactions).map(move |index| (step, index))
                }) {
                    let place = Place { step, index };
                    if let Some(record) = engine.transmission(place) {
                        next.restore(place, record.clone());
                    }
                }
                engine = next;
            }
            let effect = engine.next(now);
            let place = match &effect {
                Effect::Check(at) | Effect::Sign(at) | Effect::Broadcast(at) | Effect::LookUp { at, .. } => *at,
                Effect::Wait { until } => {
                    prop_assert!(*until > now);
                    now = *until;
                    continue;
                }
                Effect::End(_) => break,
            };
            let before = engine.transmission(place).cloned();
            let has_bytes = before.as_ref().is_some_and(|one| one.signed.is_some());
            prop_assert_eq!(matches!(effect, Effect::Broadcast(_) | Effect::LookUp { .. }), has_bytes && !matches!(effect, Effect::Check(_)));
            engine.apply(place, outcome_of(&effect, choice), Moment { chance: 7, ..at(now) });
            if let (Some(before), Some(after)) = (before.and_then(|one| one.signed), engine.transmission(place)) {
                prop_assert_eq!(after.signed.as_ref(), Some(&before));
            }
            let all = || (0..plans.len()).flat_map(|step| engine.transmissions(step));
            let broken = all().any(|one| matches!(one.status, StepStatus::Failed | StepStatus::Timeout));
            if broken {
                prop_assert!(all().filter(|one| one.status == StepStatus::Signing).count() <= 1);
            }
            now += pause;
        }
    }

    /// Pauses have an upper and a lower bound.
    #[test]
    fn pauses_have_bounds(polls in any::<u32>(), interval in 1_000_u64..20_000, chance in any::<u8>()) {
        let pause = pause(polls, interval, chance);
        prop_assert!((FIRST_PAUSE..=LONGEST_PAUSE + LONGEST_PAUSE / 10).contains(&pause), "{pause}");
    }
}

/// What goes to a page is signed without a question to a node, and ends with its signature, which is stored before the page
/// has it. A worker that starts anew signs nothing again.
#[test]
fn for_a_page_it_ends_when_signed() {
    let plans = || vec![Plan { for_page: true, ..plan(1, false) }, Plan { for_page: true, ..plan(1, false) }];
    let mut running = engine(plans());
    assert_eq!(running.next(NOW), Effect::Sign(FIRST));
    running.apply(FIRST, Outcome::Began, at(NOW));
    assert_eq!(running.next(NOW), Effect::Sign(FIRST));
    let Change { record, store, .. } = running.apply(FIRST, signed(), at(NOW)).unwrap();
    let ended = (record.status, record.settled_at, store);
    assert_eq!(ended, (StepStatus::Signed, Some(NOW), Storing::Before));
    assert_eq!(running.next(NOW), Effect::Sign(SECOND));
    let mut again = engine(plans());
    again.restore(FIRST, record);
    assert_eq!(again.next(NOW), Effect::Sign(SECOND));
    with(&mut again, SECOND, [Outcome::Began, signed()]);
    assert_eq!(again.next(NOW), Effect::End(Ending::Complete));
}
