//! What the rules say of bundles, case by case.

use super::*;

const STRANGE: &str = "ask: warn first_time_recipient@1, info signing";

/// Claims, chains and owners.
#[test]
fn claims() {
    run(
        World::signing,
        &[
            ("a true payment", |_| {}, ASK),
            (
                "a claim that is not true",
                |w| w.first().contradictions.push(contradiction()),
                "block: block contradiction@1",
            ),
            (
                "the same lie twice is told once",
                |w| {
                    w.first().contradictions = vec![contradiction(), contradiction()];
                },
                "block: block contradiction@1",
            ),
            (
                "a claim that cannot be checked",
                |w| w.first().unverified.push("contract_name".to_owned()),
                "ask: info unverified@1, info signing",
            ),
            (
                "a foreign account",
                |w| w.first().explanation.from = STRANGER.to_owned(),
                "block: block not_owned@1",
            ),
            (
                "an account of the vault on another chain",
                |w| {
                    w.steps = Some(vec![on("Bitcoin", OWN, 1, &[])]);
                },
                "block: block not_owned@1",
            ),
            (
                "a chain on which the vault has no account",
                |w| {
                    w.steps = Some(vec![on("Arbitrum", OWN, 1, &[])]);
                },
                "block: block not_owned@1",
            ),
            (
                "the own account in capitals",
                |w| {
                    w.vault.accounts[0].address = ALICE.to_owned();
                    w.first().explanation.from = ALICE.to_uppercase();
                },
                ASK,
            ),
            (
                "a transaction of another chain",
                |w| w.first().explanation.chain = "Base".to_owned(),
                "block: block chain_mismatch@1",
            ),
            (
                "a step on no chain",
                |w| w.steps.as_mut().unwrap()[0].chain = "Etherium".to_owned(),
                "block: block rule_error@1",
            ),
            (
                "a transaction of no chain",
                |w| w.first().explanation.chain = "Etherium".to_owned(),
                "block: block rule_error@1, block chain_mismatch@1",
            ),
            (
                "an amount that is none",
                |w| {
                    w.pays(&[Effect::Transfer {
                        asset: native(),
                        to: ALICE.to_owned(),
                        amount: units("-1"),
                    }]);
                },
                "block: block rule_error@1",
            ),
            (
                "a fee that is none",
                |w| w.first().explanation.fee = Some(units("1e3")),
                "block: block rule_error@1",
            ),
        ],
    );
}

/// Who is paid.
#[test]
fn recipients() {
    run(
        World::signing,
        &[
            ("a stranger", |w| w.pays(&[transfer(STRANGER, 1)]), STRANGE),
            ("an own account", |w| w.pays(&[transfer(OWN, 1)]), ASK),
            (
                "an account of another vault",
                |w| {
                    w.history.own.push(("Arbitrum".to_owned(), STRANGER.to_owned()));
                    w.pays(&[transfer(STRANGER, 1)]);
                },
                ASK,
            ),
            (
                "a contact in another spelling, on another EVM chain",
                |w| {
                    w.steps = Some(vec![on("Base", OWN, 1, &[transfer(&ALICE.to_uppercase(), 1)])]);
                },
                ASK,
            ),
            (
                "paid before",
                |w| {
                    w.history.payees.insert(("Base".to_owned(), STRANGER.to_owned()));
                    w.pays(&[transfer(STRANGER, 1)]);
                },
                ASK,
            ),
            (
                "paid before on a chain of another kind",
                |w| {
                    w.history.payees.insert(("Bitcoin".to_owned(), STRANGER.to_owned()));
                    w.pays(&[transfer(STRANGER, 1)]);
                },
                STRANGE,
            ),
            (
                "tokens of others to a stranger",
                |w| {
                    let (from, to) = (ALICE.to_owned(), STRANGER.to_owned());
                    w.pays(&[Effect::TransferFrom { asset: token(), from, to, amount: units(1) }]);
                },
                STRANGE,
            ),
            ("a swap to a stranger", |w| w.pays(&[swap(native(), 1, Some(STRANGER))]), STRANGE),
            ("a swap to oneself", |w| w.pays(&[swap(native(), 1, Some(OWN))]), ASK),
            (
                "a swap that pays out to an own account of another chain",
                |w| {
                    w.pays(&[swap(native(), 1, Some(OWN_BTC))]);
                },
                ASK,
            ),
            (
                "a swap that pays out to a stranger on another chain",
                |w| {
                    w.pays(&[swap(native(), 1, Some("1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2"))]);
                },
                STRANGE,
            ),
            (
                "a validator who was paid before, whose name is no address",
                |w| {
                    w.history.payees.insert(("Cosmos".to_owned(), "cosmosvaloper1x".to_owned()));
                    w.steps = Some(vec![on(
                        "Cosmos",
                        OWN_COSMOS,
                        1,
                        &[transfer("cosmosvaloper1x", 1), note("MsgDelegate")],
                    )]);
                },
                ASK,
            ),
            (
                "what looks like a contact",
                |w| w.pays(&[transfer(MALLORY, 1)]),
                "ask: warn look_alike@1, warn first_time_recipient@1, info signing",
            ),
            (
                "what looks like a contact, on another EVM chain",
                |w| {
                    w.steps = Some(vec![on("Base", OWN, 1, &[transfer(MALLORY, 1)])]);
                },
                "ask: warn look_alike@1, warn first_time_recipient@1, info signing",
            ),
            (
                "what looks like an own address",
                |w| {
                    w.pays(&[transfer("0x1111999999999999999999999999999999991111", 1)]);
                },
                "ask: warn look_alike@1, warn first_time_recipient@1, info signing",
            ),
            (
                "what looks like an own address and was paid before",
                |w| {
                    let near = "0x1111999999999999999999999999999999991111";
                    w.history.payees.insert(("Ethereum".to_owned(), near.to_owned()));
                    w.pays(&[transfer(near, 1)]);
                },
                "ask: warn look_alike@1, info signing",
            ),
            (
                "only the first characters are alike",
                |w| {
                    w.pays(&[transfer("0xaaaa333333333333333333333333333333333333", 1)]);
                },
                STRANGE,
            ),
            (
                "an own TON account in its other spelling",
                |w| {
                    let given = "EQBynBO23ywHy_CgarY9NK9FTz0yDsG82PtcbSTQgGoXwiuA";
                    let raw = chains::address::spellings(chains::Chain::Ton, given).pop().unwrap();
                    (w.vault.accounts[0].chain, w.vault.accounts[0].address) = ("Ton".to_owned(), raw);
                    w.steps = Some(vec![on("Ton", given, 1, &[transfer(given, 1)])]);
                },
                ASK,
            ),
            (
                "a contact that the agent saved",
                |w| {
                    w.history.contacts.push(contact("Bob", STRANGER));
                    w.pays(&[transfer(STRANGER, 1)]);
                },
                "ask: warn fresh_contact@1, info signing",
            ),
            (
                "a contact that the user confirmed",
                |w| {
                    w.history.contacts.push(KnownContact { confirmed: true, ..contact("Bob", STRANGER) });
                    w.pays(&[transfer(STRANGER, 1)]);
                },
                ASK,
            ),
            (
                "a contact that the agent gave another address",
                |w| {
                    let replaces = Some(ALICE.to_owned());
                    w.history.contacts.push(KnownContact { replaces, ..contact("Alice", STRANGER) });
                    w.pays(&[transfer(STRANGER, 1)]);
                },
                "ask: warn replaced_contact@1, info signing",
            ),
            (
                "a contact of our table's contract, paid as a person",
                |w| w.pays(&[transfer(ROUTER, 1)]),
                STRANGE,
            ),
            (
                "a contact of the user that the agent saved again",
                |w| w.history.contacts.push(contact("Alicia", ALICE)),
                ASK,
            ),
            (
                "an own account that the agent saved",
                |w| {
                    w.history.contacts.push(contact("Me", OWN));
                    w.pays(&[transfer(OWN, 1)]);
                },
                ASK,
            ),
            (
                "a contact of a chain that is not known",
                |w| {
                    w.history.contacts.push(KnownContact {
                        chain: "?".to_owned(),
                        confirmed: true,
                        ..contact("Bob", STRANGER)
                    });
                    w.pays(&[transfer(STRANGER, 1)]);
                },
                STRANGE,
            ),
            (
                "each step is looked at",
                |w| {
                    w.steps = Some(vec![step(2, &[transfer(STRANGER, 1)]), step(1, &[transfer(ALICE, 1)])]);
                },
                "ask: warn first_time_recipient@2, info signing",
            ),
        ],
    );
}

/// What is done.
#[test]
fn risks() {
    run(
        World::signing,
        &[
            ("an allowance with a bound", |w| w.pays(&[approve(5, false)]), ASK),
            (
                "an allowance without one",
                |w| w.pays(&[approve(5, true)]),
                "ask: warn unlimited_approval@1, info signing",
            ),
            (
                "a whole collection",
                |w| {
                    w.pays(&[Effect::ApproveAll {
                        collection: USDC.to_owned(),
                        operator: ROUTER.to_owned(),
                        approved: true,
                    }]);
                },
                "ask: warn unlimited_approval@1, warn unknown_token@1, info signing",
            ),
            (
                "a collection taken back",
                |w| {
                    w.pays(&[Effect::ApproveAll {
                        collection: USDC.to_owned(),
                        operator: ROUTER.to_owned(),
                        approved: false,
                    }]);
                },
                "ask: warn unknown_token@1, info signing",
            ),
            (
                "a call that was decoded and not weighed",
                |w| w.pays(&[call(1)]),
                "ask: warn unweighed_effect@1, info signing",
            ),
            (
                "a token of an unknown contract",
                |w| {
                    let asset = of_contract(TokenContract::Unknown);
                    w.pays(&[Effect::Transfer { asset, to: ALICE.to_owned(), amount: units(1) }]);
                },
                "ask: warn unknown_token@1, info signing",
            ),
            (
                "a token that the chain itself moves",
                |w| {
                    let asset = of_contract(TokenContract::Ledger);
                    w.pays(&[Effect::Transfer { asset, to: ALICE.to_owned(), amount: units(1) }]);
                },
                ASK,
            ),
            (
                "an allowance for a stranger",
                |w| {
                    let spender = STRANGER.to_owned();
                    w.pays(&[Effect::Approve {
                        asset: token(),
                        spender,
                        amount: units(1),
                        unlimited: false,
                    }]);
                },
                "ask: warn unknown_spender@1, info signing",
            ),
            (
                "a swap by a contract that is not known",
                |w| {
                    let mut swap = swap(native(), 1, Some(OWN));
                    let Effect::Swap { provider, .. } = &mut swap else { return };
                    *provider = None;
                    w.pays(&[swap]);
                },
                "ask: warn unweighed_effect@1, info signing",
            ),
            (
                "a swap that takes nothing for it",
                |w| {
                    let mut swap = swap(native(), 1, Some(OWN));
                    let Effect::Swap { minimum_out, .. } = &mut swap else { return };
                    *minimum_out = Some("0".to_owned());
                    w.pays(&[swap]);
                },
                "ask: warn low_minimum_output@1, info signing",
            ),
            (
                "a fee that cannot be known",
                |w| w.first().explanation.fee_unknown = true,
                "ask: warn fee_unknown@1, info signing",
            ),
            (
                "a refund to a stranger, a fee for one, and one who decides: one line",
                |w| {
                    let party =
                        |role| Party { address: STRANGER.to_owned(), role, name: None, standing: None };
                    let roles = [PartyRole::Refund, PartyRole::FeePayee, PartyRole::Authority];
                    w.first().explanation.parties = roles.map(party).into();
                },
                STRANGE,
            ),
            (
                "a call that was not",
                |w| w.pays(&[unknown_call(ROUTER, 0)]),
                "ask: warn unknown_calldata@1, info signing",
            ),
            (
                "bytes that were not",
                |w| w.pays(&[Effect::Unknown { what: "x".to_owned(), bytes: 3 }]),
                "ask: warn unknown_calldata@1, info signing",
            ),
            (
                "a new contract",
                |w| w.pays(&[Effect::Create { value: units(0), bytes: 9 }]),
                "ask: warn contract_creation@1, info signing",
            ),
            (
                "a key that is given away",
                |w| w.pays(&[other("SetRegularKey")]),
                "ask: warn unweighed_effect@1, info signing",
            ),
            ("a memo", |w| w.pays(&[transfer(ALICE, 1), note("memo")]), ASK),
            ("change", |w| w.pays(&[Effect::Change { to: OWN.to_owned(), amount: units(1) }]), ASK),
            (
                "a usual fee",
                |w| {
                    w.pays(&[transfer(ALICE, 10_u64.pow(18))]);
                    w.first().explanation.fee = Some(units(5 * 10_u64.pow(16)));
                },
                ASK,
            ),
            (
                "a fee above the highest",
                |w| w.first().explanation.fee = Some(units(5 * 10_u64.pow(16) + 1)),
                "ask: warn high_fee@1, info signing",
            ),
            (
                "a fee that eats the payment",
                |w| {
                    w.pays(&[transfer(ALICE, 10_u64.pow(15))]);
                    w.first().explanation.fee = Some(units(5 * 10_u64.pow(14) + 1));
                },
                "ask: warn high_fee@1, info signing",
            ),
            (
                "a fee of half the payment",
                |w| {
                    w.pays(&[transfer(ALICE, 10_u64.pow(15))]);
                    w.first().explanation.fee = Some(units(5 * 10_u64.pow(14)));
                },
                ASK,
            ),
            (
                "a fee that eats a payment of dust",
                |w| w.first().explanation.fee = Some(units(5 * 10_u64.pow(14))),
                ASK,
            ),
            (
                "a fee for moving tokens",
                |w| {
                    w.pays(&[send_token(ALICE, 1)]);
                    w.first().explanation.fee = Some(units(4 * 10_u64.pow(16)));
                },
                ASK,
            ),
            ("a known token is bought", |w| w.pays(&[buying(Some(KnownFrom::Table))]), ASK),
            ("the user's own token is bought", |w| w.pays(&[buying(Some(KnownFrom::User))]), ASK),
            (
                "a token of a name that only a node knows is bought",
                |w| w.pays(&[buying(Some(KnownFrom::Node))]),
                "ask: warn unknown_token@1, info signing",
            ),
            (
                "a token without a name is bought",
                |w| w.pays(&[buying(None)]),
                "ask: warn unknown_token@1, info signing",
            ),
            (
                "a fee above the coins that go with tokens",
                |w| {
                    w.pays(&[send_token(ALICE, 1), transfer(ALICE, 10_u64.pow(15))]);
                    w.first().explanation.fee = Some(units(4 * 10_u64.pow(15)));
                },
                ASK,
            ),
            (
                "100 001 satoshi",
                |w| {
                    w.steps = Some(vec![on("Bitcoin", OWN_BTC, 1, &[])]);
                    w.first().explanation.fee = Some(units(100_001));
                },
                "ask: warn high_fee@1, info signing",
            ),
            (
                "a block is told first",
                |w| {
                    w.pays(&[transfer(STRANGER, 1), approve(1, true)]);
                    w.first().contradictions.push(contradiction());
                },
                "block: block contradiction@1, warn unlimited_approval@1, warn first_time_recipient@1",
            ),
        ],
    );
}
