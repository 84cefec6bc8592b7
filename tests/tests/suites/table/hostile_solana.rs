//! Solana: accounts and stakes that change hands, programs that no one knows, swaps for others.

use super::{Hostile, caught};
use chains::Chain::{Ethereum, Solana};
use countersign_tests::proposals::nodes::{networks, vault};
use countersign_tests::proposals::solana::{
    COMPUTE_BUDGET, Instruction, JUPITER, STAKE, SYSTEM, TOKEN, TOKEN_2022, USDC, account, address, amount,
    associated, create, key, numbered, own_account, pay, pay_usdc, route, step, step_with_table,
};
use countersign_tests::proposals::{Proposal, claiming, friend, own, payload, payment, stranger};
use serde_json::json;
use wire::keysign::keysign_payload::BlockchainSpecific;

/// Every row.
pub(super) fn rows() -> Vec<Hostile> {
    [authorities(), accounts(), programs(), swaps(), payments()].into_iter().flatten().collect()
}

fn one(name: &'static str, instruction: Instruction<'_>, code: &'static str) -> Hostile {
    caught(name, step(&[instruction]), code)
}

/// What another decides over from now on.
fn authorities() -> Vec<Hostile> {
    let (me, mallory) = (own(Solana), stranger(Solana));
    let thief = key(&mallory);
    let usdc = own_account(USDC);
    let (stake, nonce) = (account(1), account(2));
    let authority = |kind: u8| [[6, kind, 1].as_slice(), &thief].concat();
    let locked = [key(&me).as_slice(), &key(&me), &9_000_000_000_u64.to_le_bytes(), &[0; 8], &thief].concat();
    vec![
        one(
            "a token account given away",
            (TOKEN, vec![usdc.clone(), me.clone()], authority(2)),
            "first_time_recipient",
        ),
        one(
            "who may close a token account",
            (TOKEN, vec![usdc, me.clone()], authority(3)),
            "first_time_recipient",
        ),
        one(
            "the whole account given to a program",
            (SYSTEM, vec![me.clone()], numbered(1, &[&thief])),
            "unweighed_effect",
        ),
        one(
            "who may withdraw a stake",
            (STAKE, vec![stake.clone(), account(4), me.clone()], numbered(1, &[&thief, &[1, 0, 0, 0]])),
            "first_time_recipient",
        ),
        one(
            "a stake that another can lock",
            (STAKE, vec![stake, account(3)], numbered(0, &[&locked])),
            "first_time_recipient",
        ),
        one("who may use a nonce", (SYSTEM, vec![nonce, me], numbered(7, &[&thief])), "first_time_recipient"),
    ]
}

/// Token accounts and what is in them.
fn accounts() -> Vec<Hostile> {
    let (me, mallory) = (own(Solana), stranger(Solana));
    let usdc = own_account(USDC);
    let theirs = associated(&mallory, USDC);
    let hook = vec![usdc.clone(), USDC.to_owned(), own_account(USDC), me.clone(), account(7)];
    let made = numbered(0, &[&2_000_000_000_u64.to_le_bytes(), &165_u64.to_le_bytes(), &key(&mallory)]);
    vec![
        one(
            "closed to a stranger",
            (TOKEN, vec![usdc.clone(), mallory.clone(), me.clone()], vec![9]),
            "first_time_recipient",
        ),
        one(
            "a delegate for all",
            (TOKEN, vec![usdc.clone(), mallory.clone(), me.clone()], amount(4, u64::MAX, &[])),
            "unlimited_approval",
        ),
        one(
            "a delegate for some",
            (TOKEN, vec![usdc.clone(), USDC.to_owned(), mallory, me.clone()], amount(13, 5_000_000, &[6])),
            "unknown_spender",
        ),
        one(
            "tokens burnt",
            (TOKEN, vec![usdc, USDC.to_owned(), me.clone()], amount(8, 5_000_000, &[])),
            "unweighed_effect",
        ),
        one("a token that calls a program", (TOKEN_2022, hook, amount(12, 5, &[6])), "unweighed_effect"),
        one("an account whose owner nobody knows", pay_usdc(&theirs, 5_000_000), "first_time_recipient"),
        one(
            "a new account of another's program",
            (SYSTEM, vec![me, account(8)], made),
            "first_time_recipient",
        ),
    ]
}

/// Calls that cannot be read.
fn programs() -> Vec<Hostile> {
    let me = own(Solana);
    let drained = vec![me.clone(), own_account(USDC), TOKEN.to_owned(), SYSTEM.to_owned()];
    let unknown: Instruction<'_> = (SYSTEM, vec![me.clone(), account(9)], numbered(13, &[&[1; 8]]));
    let listed: Instruction<'_> =
        (SYSTEM, vec![me, "table".to_owned()], numbered(2, &[&5_u64.to_le_bytes()]));
    let program = account(40);
    vec![
        caught(
            "a program that is not known",
            step(&[(&program, drained, vec![1, 2, 3])]),
            "unknown_calldata",
        ),
        one("a function that the system program does not have", unknown, "unknown_calldata"),
        caught(
            "a recipient that only a lookup table names",
            step_with_table(&[listed], Some(&account(41))),
            "unweighed_effect",
        ),
        caught(
            "a payment among calls of a program",
            step(&[pay(&friend(Solana), 5), (&program, vec![account(9)], vec![0])]),
            "unknown_calldata",
        ),
    ]
}

fn swaps() -> Vec<Hostile> {
    let (me, mallory) = (own(Solana), stranger(Solana));
    let (usdc, theirs) = (own_account(USDC), associated(&mallory, USDC));
    let mut thorchain = payment(Solana, &vault(Solana));
    thorchain.memo = Some(format!("=:ETH.ETH:{}:31000000", stranger(Ethereum)));
    let mut other = route(&usdc, (JUPITER, 0), 50);
    other.1[4] = theirs.clone();
    let mint = account(50);
    let mut worthless = route(&associated(&me, &mint), (JUPITER, 0), 50);
    worthless.1[5] = mint;
    vec![
        one("Jupiter buys a token that nobody knows", worthless, "unknown_token"),
        caught(
            "Jupiter pays a stranger",
            step(&[create(&mallory), route(&theirs, (JUPITER, 0), 50)]),
            "first_time_recipient",
        ),
        one("Jupiter pays through to another account", other, "first_time_recipient"),
        one("Jupiter with a fee for a stranger", route(&usdc, (&theirs, 200), 50), "first_time_recipient"),
        one("Jupiter at any price", route(&usdc, (JUPITER, 0), 10_000), "low_minimum_output"),
        caught(
            "Jupiter and then the account given away",
            step(&[
                route(&usdc, (JUPITER, 0), 50),
                (TOKEN, vec![usdc.clone(), me], [[6, 2, 1].as_slice(), &key(&mallory)].concat()),
            ]),
            "unweighed_effect",
        ),
        (
            Proposal::new("THORChain pays a stranger", vec![payload(&thorchain)]).nodes(networks),
            "first_time_recipient",
        ),
    ]
}

fn payments() -> Vec<Hostile> {
    let (bob, mallory) = (friend(Solana), stranger(Solana));
    let known = |name, step, code| (Proposal::new(name, vec![step]).knowing(Solana, &bob), code);
    let mut middle = key(&bob);
    middle[8..24].fill(9);
    // The end of the text depends on the last bytes alone.
    let near = alike(&bob, &address(&middle));
    let dear: Instruction<'_> = (COMPUTE_BUDGET, vec![], amount(3, 5_000_000_000_000, &[]));
    let limit: Instruction<'_> =
        (COMPUTE_BUDGET, vec![], [[2].as_slice(), &1_400_000_u32.to_le_bytes()].concat());
    let mut usdc = payment(Solana, &bob);
    let coin = usdc.coin.as_mut().expect("has a coin");
    (coin.is_native_token, coin.contract_address, coin.decimals) = (false, USDC.to_owned(), 6);
    if let Some(BlockchainSpecific::SolanaSpecific(specific)) = &mut usdc.blockchain_specific {
        specific.from_token_associated_address = Some(own_account(USDC));
        specific.to_token_associated_address = Some(associated(&mallory, USDC));
    }
    let lie = claiming(step(&[pay(&mallory, 5)]), json!({"to": bob}));
    vec![
        known("what looks like a contact", step(&[pay(&near, 5_000_000)]), "look_alike"),
        known("a fee of seven SOL", step(&[dear, limit, pay(&bob, 5_000_000)]), "high_fee"),
        known("a stranger's token account beside a contact's name", payload(&usdc), "first_time_recipient"),
        known("to another than said", lie, "contradiction"),
    ]
}

/// An address that begins and ends as another does.
fn alike(one: &str, other: &str) -> String {
    let (head, tail) = (&one[..8], &one[one.len() - 6..]);
    let middle = &other[8..other.len() - 6];
    format!("{head}{middle}{tail}")
}
