//! The state machine by itself: no store, no network, a clock that is a number.

use super::*;
use proptest::prelude::*;

const NOW: Millis = 1_000_000;
const FIRST: Place = Place { step: 0, index: 0 };
const SECOND: Place = Place { step: 1, index: 0 };

fn plan(transactions: usize, wait: bool) -> Plan {
    Plan { transactions, wait, timeout: 180_000, interval: 3_000 }
}

fn signed() -> Event {
    Event::Signed(SignedBytes { bytes: "02".to_owned(), detached: None, id: "0xab".to_owned() })
}

fn confirmed() -> Event {
    Event::Seen(Status::Confirmed { block: Some(1) })
}

fn unclear() -> Event {
    Event::Seen(Status::Unclear { reason: "no".to_owned() })
}

/// Applies events to one place, a moment apart.
fn with(engine: &mut Engine, at: Place, events: impl IntoIterator<Item = Event>) -> Transmission {
    let mut last = None;
    for event in events {
        last = engine.apply(at, event, NOW, 0, 0);
    }
    last.unwrap()
}

/// T000-20: the second is not begun before the first is confirmed, and T000-43: in their order.
#[test]
fn one_after_the_other() {
    let mut engine = Engine::new(vec![plan(1, true), plan(1, true)], false);
    assert_eq!(engine.next(NOW), Task::Sign(FIRST));
    with(&mut engine, FIRST, [Event::Began]);
    assert_eq!(engine.next(NOW), Task::Sign(FIRST));
    let stored = with(&mut engine, FIRST, [signed()]);
    assert_eq!((stored.status, stored.deadline), (StepStatus::Signed, Some(NOW + 180_000)));
    assert_eq!(engine.next(NOW), Task::Send { at: FIRST, untried: true });
    let sent = with(&mut engine, FIRST, [Event::Accepted]);
    assert_eq!((sent.status, sent.sent_at), (StepStatus::Sent, Some(NOW)));
    assert_eq!(engine.next(NOW), Task::Rest { until: NOW + FIRST_LOOK });
    assert_eq!(engine.next(NOW + FIRST_LOOK), Task::Look(FIRST));
    with(&mut engine, FIRST, [confirmed()]);
    assert_eq!(engine.next(NOW), Task::Sign(SECOND));
    with(&mut engine, SECOND, [Event::Began, signed(), Event::Accepted, confirmed()]);
    assert_eq!(engine.next(NOW), Task::End(Ending::Complete));
}

/// T000-36: nobody waits for a receipt that nobody asked for; a node must have it all the same.
#[test]
fn without_a_receipt_the_next_begins_when_a_node_has_it() {
    let mut engine = Engine::new(vec![plan(1, false), plan(1, true)], false);
    with(&mut engine, FIRST, [Event::Began, signed(), unclear()]);
    assert_eq!(engine.next(NOW), Task::Rest { until: NOW + FIRST_LOOK });
    assert_eq!(with(&mut engine, FIRST, [Event::Accepted]).status, StepStatus::Pending);
    assert_eq!(engine.next(NOW), Task::Sign(SECOND));
}

/// T000-44: an approval is confirmed before its swap is signed, whether or not a receipt was asked for.
#[test]
fn an_approval_is_always_waited_for() {
    let mut engine = Engine::new(vec![plan(2, false)], false);
    let swap = Place { step: 0, index: 1 };
    let sent = with(&mut engine, FIRST, [Event::Began, signed(), Event::Accepted]);
    assert_eq!(sent.status, StepStatus::Sent);
    with(&mut engine, FIRST, [confirmed()]);
    assert_eq!(engine.next(NOW), Task::Sign(swap));
    assert_eq!(status(engine.transmissions(0), 2), StepStatus::Signing);
    let sent = with(&mut engine, swap, [Event::Began, signed(), Event::Accepted]);
    assert_eq!((sent.status, engine.next(NOW)), (StepStatus::Pending, Task::End(Ending::Complete)));
}

/// T000-55: whoever did not sign it in this life looks it up before it is sent again.
#[test]
fn another_life_looks_first() {
    let mut engine = Engine::new(vec![plan(1, true)], false);
    let stored = with(&mut engine, FIRST, [Event::Began, signed()]);
    let mut next_life = Engine::new(vec![plan(1, true)], false);
    next_life.restore(FIRST, stored.clone());
    assert_eq!(next_life.next(NOW), Task::Send { at: FIRST, untried: false });
    assert_eq!(with(&mut next_life, FIRST, [Event::Accepted]).signed, stored.signed);
}

/// T000-47: after a failure nothing more is begun. T000-50: what fails before it is signed has no hash, what fails
/// after keeps it.
#[test]
fn a_failure_ends_it() {
    let ways: [(Vec<Event>, &str, bool); 4] = [
        (
            vec![Event::Began, Event::Refused("stale_transaction: used".to_owned())],
            "stale_transaction",
            false,
        ),
        (vec![Event::Began, signed(), Event::Rejected("poor".to_owned())], "broadcast_rejected", true),
        (
            vec![
                Event::Began,
                signed(),
                Event::Accepted,
                Event::Seen(Status::Failed { reason: "reverted".to_owned() }),
            ],
            "transaction_failed",
            true,
        ),
        (
            [vec![Event::Began, signed(), Event::Accepted], vec![Event::Gone("used".to_owned()); 4]].concat(),
            "stale_transaction",
            true,
        ),
    ];
    for (events, code, hash) in ways {
        let mut engine = Engine::new(vec![plan(1, true), plan(1, true)], false);
        let failed = with(&mut engine, FIRST, events);
        assert_eq!((failed.status, failed.signed.is_some()), (StepStatus::Failed, hash), "{code}");
        assert!(failed.error.as_deref().is_some_and(|error| error.starts_with(code)), "{failed:?}");
        assert_eq!(engine.next(NOW), Task::End(Ending::Broken));
    }
}

/// T000-46: no answer is no failure; T000-51: it is a time-out, and only once the deadline is over and one more look
/// was taken.
#[test]
fn no_answer_is_a_time_out() {
    let mut engine = Engine::new(vec![plan(1, true)], false);
    with(&mut engine, FIRST, [Event::Began, signed(), Event::Accepted]);
    let mut now = NOW;
    let late = loop {
        match engine.next(now) {
            Task::Rest { until } => now = until,
            Task::Look(at) => {
                let looked = engine.apply(at, unclear(), now, 0, 255).unwrap();
                if looked.settled_at.is_some() {
                    break looked;
                }
                assert!(now < NOW + 180_000);
            }
            other => panic!("{other:?}"),
        }
    };
    assert_eq!((late.status, now), (StepStatus::Timeout, NOW + 180_000));
    assert!(late.signed.is_some() && late.error.unwrap().starts_with("receipt_timeout: no_answer"));
    assert_eq!(engine.next(now), Task::End(Ending::Broken));
}

#[test]
fn a_worker_that_wakes_long_after_the_deadline_looks_before_it_gives_up() {
    let mut engine = Engine::new(vec![plan(1, true)], false);
    with(&mut engine, FIRST, [Event::Began, signed(), Event::Accepted]);
    let next_day = NOW + 86_400_000;
    assert_eq!(engine.next(next_day), Task::Look(FIRST));
    assert_eq!(engine.apply(FIRST, confirmed(), next_day, 0, 0).unwrap().status, StepStatus::Confirmed);
}

#[test]
fn nodes_that_are_away_before_anything_is_signed_are_waited_for_and_then_it_failed_without_a_hash() {
    let mut engine = Engine::new(vec![plan(1, true)], false);
    let away = || Event::Unready("away".to_owned());
    let waiting = with(&mut engine, FIRST, [Event::Began, away()]);
    assert_eq!(
        (waiting.status, engine.next(NOW)),
        (StepStatus::Signing, Task::Rest { until: NOW + FIRST_LOOK })
    );
    let failed = engine.apply(FIRST, away(), NOW + 180_000, 0, 0).unwrap();
    assert_eq!((failed.status, failed.signed), (StepStatus::Failed, None));
    assert_eq!(failed.error.as_deref(), Some("node_unreachable: away"));
}

#[test]
fn a_node_that_wants_to_be_left_alone_is_but_not_beyond_the_deadline() {
    let mut engine = Engine::new(vec![plan(1, true)], false);
    with(&mut engine, FIRST, [Event::Began, signed(), Event::Accepted]);
    engine.apply(FIRST, unclear(), NOW, NOW + 60_000, 0);
    assert_eq!(engine.next(NOW), Task::Rest { until: NOW + 60_000 });
    engine.apply(FIRST, unclear(), NOW, NOW + 3_600_000, 0);
    assert_eq!(engine.next(NOW), Task::Rest { until: NOW + 180_000 });
}

#[test]
fn what_is_known_again_is_not_gone() {
    let mut engine = Engine::new(vec![plan(1, true)], false);
    with(&mut engine, FIRST, [Event::Began, signed(), Event::Accepted]);
    let gone = || Event::Gone("used".to_owned());
    let back = with(&mut engine, FIRST, [gone(), gone(), gone(), Event::Seen(Status::Pending), gone()]);
    assert_eq!((back.status, back.gone), (StepStatus::Sent, 1));
}

#[test]
fn a_block_that_is_gone_is_waited_for_again() {
    let mut engine = Engine::new(vec![plan(1, true), plan(1, true)], false);
    with(&mut engine, FIRST, [Event::Began, signed(), Event::Accepted, confirmed()]);
    with(&mut engine, SECOND, [Event::Began]);
    with(&mut engine, FIRST, [Event::Reorganised]);
    assert_eq!(engine.next(NOW), Task::Look(FIRST));
    with(&mut engine, FIRST, [confirmed()]);
    assert_eq!(engine.next(NOW), Task::Sign(SECOND));
}

#[test]
fn it_is_stopped_between_steps_only() {
    let mut engine = Engine::new(vec![plan(2, true), plan(1, true)], false);
    with(&mut engine, FIRST, [Event::Began, signed(), Event::Accepted, confirmed()]);
    engine.stop();
    let swap = Place { step: 0, index: 1 };
    assert_eq!(engine.next(NOW), Task::Sign(swap));
    with(&mut engine, swap, [Event::Began, signed(), Event::Accepted, confirmed()]);
    assert_eq!(engine.next(NOW), Task::End(Ending::Stopped));
}

fn any_event() -> impl Strategy<Value = Event> {
    prop_oneof![
        Just(Event::Began),
        Just(Event::Unready("x".to_owned())),
        Just(Event::Refused("x: y".to_owned())),
        Just(signed()),
        Just(Event::Accepted),
        Just(Event::Rejected("x".to_owned())),
        Just(Event::Seen(Status::Pending)),
        Just(confirmed()),
        Just(Event::Seen(Status::NotFound)),
        Just(unclear()),
        Just(Event::Gone("x".to_owned())),
    ]
}

proptest! {
    /// Whatever happens: the bytes are never others, at most one transaction is under way, nothing is begun after a
    /// failure, and there is always a next task until there is an end.
    #[test]
    fn whatever_happens(
        plans in prop::collection::vec((1_usize..3, any::<bool>()), 1..4),
        events in prop::collection::vec((any_event(), 0_u64..60_000), 0..60),
    ) {
        let plans: Vec<Plan> = plans.into_iter().map(|(transactions, wait)| plan(transactions, wait)).collect();
        let mut engine = Engine::new(plans.clone(), false);
        let mut now = NOW;
        for (event, pause) in events {
            let at = match engine.next(now) {
                Task::Sign(at) => at,
                Task::Send { at, .. } | Task::Look(at) => at,
                Task::Rest { until } => {
                    prop_assert!(until > now);
                    now = until;
                    continue;
                }
                Task::End(_) => break,
            };
            let before = engine.transmission(at).cloned();
            // A signer signs only what is to be signed.
            let unsigned = before.as_ref().is_none_or(|one| one.signed.is_none());
            let of_signing =
                matches!(event, Event::Began | Event::Unready(_) | Event::Refused(_) | Event::Signed(_));
            if of_signing != unsigned {
                continue;
            }
            let after = engine.apply(at, event, now, 0, 7).unwrap();
            if let Some(bytes) = before.and_then(|one| one.signed) {
                prop_assert_eq!(after.signed.as_ref(), Some(&bytes));
            }
            let under_way = (0..plans.len()).flat_map(|step| engine.transmissions(step)).filter(|one| {
                matches!(one.status, StepStatus::Signing | StepStatus::Signed | StepStatus::Sent)
            });
            prop_assert!(under_way.count() <= 1);
            let broken = (0..plans.len()).flat_map(|step| engine.transmissions(step)).any(|one| {
                matches!(one.status, StepStatus::Failed | StepStatus::Timeout)
            });
            prop_assert_eq!(engine.next(now) == Task::End(Ending::Broken), broken);
            now += pause;
        }
    }

    /// Looks never stop coming and never come faster than the first.
    #[test]
    fn pauses_have_bounds(looks in any::<u32>(), interval in 1_000_u64..20_000, chance in any::<u8>()) {
        let pause = pause(looks, interval, chance);
        prop_assert!((FIRST_LOOK..=LONGEST_PAUSE + LONGEST_PAUSE / 10).contains(&pause), "{pause}");
    }
}
