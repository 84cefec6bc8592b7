//! The sender's hints: `auto_execute` (D2) and `skip_approval` (D3).

use super::*;

/// T003-14, T003-15, T000-7, T000-8: all 24 combinations of category, consequence and own demand, with every hint. Only
/// the tool's own demand and the hint count; without a hint (D2) only looking needs no tap.
#[test]
fn demand_is_never_inferred() {
    let categories = [Category::Read, Category::Write, Category::Delete, Category::SideEffect];
    let consequences = [Consequence::Low, Consequence::Medium, Consequence::High];
    let mut told = Vec::new();
    for category in categories {
        for consequence in consequences {
            for requires_confirmation in [false, true] {
                let mut world = World::calling(category);
                world.tool = Definition { consequence, requires_confirmation, ..world.tool };
                told.push([None, Some(true), Some(false)].map(|hint| {
                    world.auto_execute = hint;
                    world.told()
                }));
            }
        }
    }
    let (tap, demand) = ("ask: info tap_wanted", ["ask: info tool_asks"; 3]);
    let by_category = |category: Category| {
        let absent = if category == Category::Read { "allow" } else { tap };
        [[absent, "allow", tap], demand].repeat(consequences.len())
    };
    assert_eq!(told, categories.map(by_category).concat());
}

/// T000-38 (D3): every setting, sender, wish, age of the user's consent, and a risk or none.
#[test]
fn approval_is_skipped_only_as_the_person_set_it() {
    let ages = [None, Some(0), Some(10 * MINUTE), Some(10 * MINUTE + 1)];
    for setting in [SkipApproval::Confirmed, SkipApproval::Always, SkipApproval::Never] {
        for (sender, source) in [("agent", agent()), ("user", Source::User), ("dapp", dapp())] {
            for skip_approval in [false, true] {
                for age in ages {
                    for risky in [false, true] {
                        let mut world =
                            World { setting, skip_approval, source: source.clone(), ..World::signing() };
                        world.auto_execute = Some(true);
                        world.history.consents = age.map(consent).unwrap_or_default();
                        if risky {
                            world.pays(&[transfer(STRANGER, 1)]);
                        }
                        let consented = age.is_some_and(|age| age <= 10 * MINUTE);
                        let skipped = skip_approval
                            && match setting {
                                SkipApproval::Confirmed => sender != "dapp" && consented,
                                SkipApproval::Always => sender == "agent" && !risky,
                                SkipApproval::Never => false,
                            };
                        let mut reasons = vec!["info signing"];
                        if risky {
                            reasons.insert(0, "warn first_time_recipient@1");
                        }
                        if consented {
                            reasons.push("info already_approved");
                        }
                        let expected =
                            if skipped { "allow".to_owned() } else { format!("ask: {}", reasons.join(", ")) };
                        assert_eq!(
                            world.told(),
                            expected,
                            "{setting:?} {sender} {skip_approval} {age:?} {risky}"
                        );
                    }
                }
            }
        }
    }
}

/// T000-38: consent is to these bytes and to no others, and a consent of the future is none.
#[test]
fn consent_is_to_the_same_bytes() {
    let mut world = World { skip_approval: true, ..World::signing() };
    world.history.consents = consent(MINUTE);
    assert_eq!(world.told(), "allow");
    world.digest = "d2".to_owned();
    assert_eq!(world.told(), "ask: info signing");
    world.digest = "d1".to_owned();
    world.history.consents = vec![Consent { digest: "d1".to_owned(), at: NOW + 1 }];
    assert_eq!(world.told(), "ask: info signing");
}

/// T000-38: no consent and no setting skips what blocks.
#[test]
fn a_block_is_never_skipped() {
    for setting in [SkipApproval::Confirmed, SkipApproval::Always, SkipApproval::Never] {
        let mut world = World { skip_approval: true, setting, ..World::signing() };
        world.history.consents = consent(0);
        world.first().contradictions.push(contradiction());
        assert_eq!(world.told(), "block: block contradiction@1", "{setting:?}");
    }
}
