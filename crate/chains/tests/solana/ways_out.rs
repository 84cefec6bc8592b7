//! What is weighed and what is not, and that each way out is a party.

use crate::given::*;
use countersign_chains::explain::{Asset, Bought, Effect, Explanation, Party, PartyRole, Swap};
use countersign_chains::facts::Facts;
use countersign_chains::{Amount, Chain};
use wire::node::NodeFact;

const STAKE: &str = "Stake11111111111111111111111111111111111111";
const ASSOCIATED: &str = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL";
const JUPITER: &str = "JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4";
const RAYDIUM: &str = "675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8";
const CPMM: &str = "CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C";
const ORCA: &str = "whirLbMiicVdio4qvUfM5KAg6Ct8VwpYzGff3uctyCc";
const OWN_USDC: &str = "3wvJdyFnGvaMWpbq93NU91SggiVRveULUXL6iX5VZDGP";
const OWN_WRAPPED: &str = "7azMPufyz8EfKAif9WajHfBbFj5ic8C8rLfaTBfKdN1A";
const THEIR_USDC: &str = "ASZ2TDDNJG2n42TxAezqNNzwWipykHrENDKMCoLKgzup";

/// Whether every effect was read whole.
fn weighed(found: &Explanation) -> bool {
    !found
        .effects
        .iter()
        .any(|effect| matches!(effect, Effect::Other { .. } | Effect::Unknown { .. } | Effect::Call { .. }))
}

/// A call of a program with these accounts; the account's own key is `own()`.
fn call(program: &str, accounts: &[Key], data: &[u8]) -> Bytes {
    let mut others: Vec<Key> = Vec::new();
    for account in accounts {
        if *account != public(1) && !others.contains(account) {
            others.push(*account);
        }
    }
    let mut bytes = Bytes::calling(program, &others, data);
    let place = |key: &Key| bytes.keys.iter().position(|known| known == key).unwrap();
    bytes.instructions[0].1 = accounts.iter().map(|key| u8::try_from(place(key)).unwrap()).collect();
    bytes
}

fn explained(program: &str, accounts: &[Key], data: &[u8]) -> Explanation {
    call(program, accounts, data).read().unwrap().explain()
}

fn own() -> Key {
    public(1)
}

fn thief() -> Key {
    public(66)
}

fn numbered(number: u32, rest: &[&[u8]]) -> Vec<u8> {
    [&number.to_le_bytes(), rest.concat().as_slice()].concat()
}

fn with_amount(tag: u8, value: u64, behind: &[u8]) -> Vec<u8> {
    [&[tag], value.to_le_bytes().as_slice(), behind].concat()
}

/// `initialize` of a stake account: staker, withdrawer, lock, epoch, custodian.
fn stake(staker: Key, withdrawer: Key, until: u64, custodian: Key) -> Explanation {
    let data = numbered(0, &[&staker, &withdrawer, &until.to_le_bytes(), &[0; 8], &custodian]);
    explained(STAKE, &[public(70)], &data)
}

fn create_for(owner: Key, account: &str) -> Explanation {
    let accounts = [own(), key(account), owner, key(USDC), key(SYSTEM), key(TOKEN)];
    explained(ASSOCIATED, &accounts, &[1])
}

#[test]
fn what_stays_the_signers_is_weighed() {
    let account = key(OWN_USDC);
    let new = public(70);
    let cases = [
        ("coins", Bytes::transfer().read().unwrap().explain()),
        (
            "a checked transfer",
            explained(TOKEN, &[account, key(USDC), public(77), own()], &with_amount(12, 5, &[6])),
        ),
        ("a token account for the signer", create_for(own(), OWN_USDC)),
        ("a token account for another", create_for(public(2), THEIR_USDC)),
        (
            "one made ready for the signer",
            explained(TOKEN, &[new, key(USDC)], &[&[18], own().as_slice()].concat()),
        ),
        ("revoke", explained(TOKEN, &[account, own()], &[5])),
        ("close to the signer", explained(TOKEN, &[account, own(), own()], &[9])),
        ("sync", explained(TOKEN, &[account], &[17])),
        ("wrap", explained(SYSTEM, &[own(), key(OWN_WRAPPED)], &system_transfer(5))),
        ("a stake of the signer's", stake(own(), own(), 0, [0; 32])),
        ("delegate", explained(STAKE, &[new, public(71)], &numbered(2, &[]))),
        ("split", explained(STAKE, &[new, public(71)], &numbered(3, &[&[5; 8]]))),
        ("deactivate", explained(STAKE, &[new], &numbered(5, &[]))),
        ("merge", explained(STAKE, &[new, public(71)], &numbered(7, &[]))),
        ("withdraw to the signer", explained(STAKE, &[new, own()], &numbered(4, &[&[5; 8]]))),
        ("authorise the signer", explained(STAKE, &[new], &numbered(1, &[&own(), &[1, 0, 0, 0]]))),
        ("advance a nonce", explained(SYSTEM, &[new, public(71), own()], &numbered(4, &[]))),
        ("withdraw a nonce", explained(SYSTEM, &[new, own()], &numbered(5, &[&[5; 8]]))),
        ("a nonce of the signer's", explained(SYSTEM, &[new], &numbered(6, &[&own()]))),
    ];
    for (name, found) in cases {
        assert!(weighed(&found), "{name}: {:?}", found.effects);
        let strangers: Vec<_> =
            found.parties.iter().filter(|party| party.address == base58(&thief())).collect();
        assert!(strangers.is_empty(), "{name}: {strangers:?}");
    }
    assert_eq!(create_for(own(), OWN_USDC).parties, []);
    let rent = Party::new(base58(&public(2)), PartyRole::Recipient);
    assert_eq!(create_for(public(2), THEIR_USDC).parties, [rent]);
}

#[test]
fn each_way_out_is_a_party_and_is_not_weighed() {
    use PartyRole::{Authority, Recipient, Spender};
    let (account, new) = (key(OWN_USDC), public(70));
    let evil = thief();
    let owned_by = |program: &Key| {
        let data = numbered(0, &[&8_u64.to_le_bytes(), &165_u64.to_le_bytes(), program]);
        explained(SYSTEM, &[own(), new], &data)
    };
    let cases = [
        ("close", explained(TOKEN, &[account, evil, own()], &[9]), evil, Recipient),
        (
            "owner",
            explained(TOKEN, &[account, own()], &[&[6, 2, 1], evil.as_slice()].concat()),
            evil,
            Authority,
        ),
        (
            "close authority",
            explained(TOKEN, &[account, own()], &[&[6, 3, 1], evil.as_slice()].concat()),
            evil,
            Authority,
        ),
        (
            "another's token account",
            explained(TOKEN, &[new, key(USDC)], &[&[18], evil.as_slice()].concat()),
            evil,
            Authority,
        ),
        ("the older form", explained(TOKEN, &[new, key(USDC), evil], &[1]), evil, Authority),
        ("mint", explained(TOKEN, &[key(USDC), evil, own()], &with_amount(7, 5, &[])), evil, Recipient),
        (
            "an unknown token",
            explained(TOKEN, &[public(80), evil, own()], &with_amount(3, 5, &[])),
            evil,
            Recipient,
        ),
        (
            "an allowance of one",
            explained(TOKEN, &[public(80), evil, own()], &with_amount(4, 5, &[])),
            evil,
            Spender,
        ),
        ("assign", explained(SYSTEM, &[own()], &numbered(1, &[&evil])), evil, Authority),
        ("an account of a program", owned_by(&evil), evil, Authority),
        ("an account that nobody made ready", owned_by(&key(TOKEN)), new, Recipient),
        ("withdraw a nonce", explained(SYSTEM, &[new, evil], &numbered(5, &[&[5; 8]])), evil, Recipient),
        ("a nonce of another's", explained(SYSTEM, &[new], &numbered(6, &[&evil])), evil, Authority),
        ("authorise a nonce", explained(SYSTEM, &[new], &numbered(7, &[&evil])), evil, Authority),
        ("withdraw a stake", explained(STAKE, &[new, evil], &numbered(4, &[&[5; 8]])), evil, Recipient),
        (
            "authorise a stake",
            explained(STAKE, &[new], &numbered(1, &[&evil, &[1, 0, 0, 0]])),
            evil,
            Authority,
        ),
        ("a stake that another may withdraw", stake(own(), evil, 0, [0; 32]), evil, Authority),
        ("a stake that another may lock", stake(own(), own(), 9, evil), evil, Authority),
    ];
    for (name, found, address, role) in cases {
        assert!(!weighed(&found), "{name}: {:?}", found.effects);
        let parties = found.every_party();
        assert!(parties.contains(&Party::new(base58(&address), role)), "{name}: {parties:?}");
    }
    let token_2022 = [account, key(USDC), public(77), own(), public(78)];
    let hook = explained(TOKEN_2022, &token_2022, &with_amount(12, 5, &[6]));
    assert!(!weighed(&hook), "a program that the mint calls");
    assert!(weighed(&explained(TOKEN, &token_2022, &with_amount(12, 5, &[6]))));
    for (data, accounts) in [(with_amount(8, 5, &[]), 2), (vec![10], 2), (numbered(8, &[&[0; 8]]), 1)] {
        let program = if data.len() == 12 { SYSTEM } else { TOKEN };
        assert!(!weighed(&explained(program, &[account, key(USDC)][..accounts], &data)), "{data:?}");
    }
}

/// A token account whose owner the bytes do not say: a claim of its owner is true by the account's address, and a claim
/// of another is not.
#[test]
fn a_claim_may_name_the_owner_of_a_token_account() {
    use countersign_chains::compare::{Claims, compare};
    use countersign_chains::names::Names;
    let data = with_amount(12, 5, &[6]);
    let found = explained(TOKEN, &[key(OWN_USDC), key(USDC), key(THEIR_USDC), own()], &data);
    let names = Names { chain: Chain::Solana, own: &[], facts: Facts::default() };
    let contradictions = |to: Key| {
        let claims = Claims { to: Some(base58(&to)), ..Claims::default() };
        compare(&found, &claims, names).contradictions.len()
    };
    assert_eq!([public(2), key(THEIR_USDC), thief()].map(contradictions), [0, 0, 1]);
}

fn swap(found: &Explanation) -> &Swap {
    match &found.effects[..] {
        [Effect::Swap(swap), ..] => swap,
        other => panic!("{other:?}"),
    }
}

/// A route from wrapped coins to USDC over one market; `destination` gets it and `fee` part of it.
fn route(destination: Key, fee: (Key, u8)) -> Bytes {
    let accounts =
        [key(TOKEN), own(), key(OWN_WRAPPED), destination, key(JUPITER), key(USDC), fee.0, public(90)];
    let data = [
        &[229, 23, 203, 151, 122, 227, 173, 42],
        1_u32.to_le_bytes().as_slice(),
        &[26, 100, 0, 1],
        &1_000_000_u64.to_le_bytes(),
        &2_000_u64.to_le_bytes(),
        &[50, 0, fee.1],
    ]
    .concat();
    call(JUPITER, &accounts, &data)
}

#[test]
fn a_jupiter_route_names_who_gets_what() {
    let none = (key(JUPITER), 0);
    let honest = route(key(OWN_USDC), none).read().unwrap().explain();
    assert!(weighed(&honest));
    let party = |address: String, role| Party::new(address, role);
    let expected =
        [party(account().address, PartyRole::Recipient), party(JUPITER.to_owned(), PartyRole::Router)];
    assert_eq!(honest.every_party(), expected);
    let stolen = route(key(THEIR_USDC), none);
    let found = stolen.read().unwrap().explain();
    assert_eq!(swap(&found).recipient.as_deref(), Some(THEIR_USDC), "not the signer's, as far as is known");
    let facts = [NodeFact::TokenAccount {
        address: THEIR_USDC.to_owned(),
        owner: base58(&public(2)),
        token: USDC.to_owned(),
    }];
    let found = stolen.read().unwrap().explain_with(Facts(&facts));
    assert_eq!(swap(&found).recipient, Some(base58(&public(2))));
    let paid = route(key(OWN_USDC), (thief(), 50)).read().unwrap().explain();
    assert!(paid.parties.contains(&party(base58(&thief()), PartyRole::FeePayee)));
    assert!(weighed(&paid));
    let free = route(key(OWN_USDC), (thief(), 0)).read().unwrap().explain();
    assert_eq!(free.parties, [], "no fee, no payee");
}

/// The newer routes do not name who gets a fee.
#[test]
fn a_newer_route_with_a_fee_is_not_weighed() {
    let routed = |discriminator: [u8; 8], fee: u16, gain: u16| {
        let accounts = [own(), key(OWN_WRAPPED), key(OWN_USDC), key(WRAPPED_SOL), key(USDC), key(TOKEN)];
        let rest = [key(TOKEN), key(JUPITER), public(90)];
        let data = [
            discriminator.as_slice(),
            &1_000_000_u64.to_le_bytes(),
            &2_000_u64.to_le_bytes(),
            &50_u16.to_le_bytes(),
            &fee.to_le_bytes(),
            &gain.to_le_bytes(),
            &0_u32.to_le_bytes(),
        ]
        .concat();
        explained(JUPITER, &[accounts.as_slice(), &rest].concat(), &data)
    };
    let exact_in = [187, 100, 250, 204, 49, 196, 175, 20];
    let found = routed(exact_in, 0, 0);
    assert!(weighed(&found), "{:?}", found.effects);
    assert_eq!(
        (swap(&found).amount, swap(&found).minimum_out),
        (Amount::from(1_000_000), Some(Amount::from(1_990)))
    );
    assert!(!weighed(&routed(exact_in, 50, 0)));
    assert!(!weighed(&routed(exact_in, 0, 50)));
    let found = routed([157, 138, 184, 82, 21, 244, 243, 36], 0, 0);
    assert_eq!(
        (swap(&found).amount, swap(&found).minimum_out),
        (Amount::from(2_010), Some(Amount::from(1_000_000)))
    );
}

#[test]
fn swaps_with_a_pool_state_both_sides() {
    let usdc = Asset::Token { id: USDC.to_owned() };
    let expected = |provider, router: &str, recipient: &str| Swap {
        provider: Some(provider),
        router: router.to_owned(),
        sell: Asset::Native,
        amount: Amount::from(7),
        buy: Some(Bought::Here(usdc.clone())),
        minimum_out: Some(Amount::from(5)),
        recipient: Some(recipient.to_owned()),
    };
    let me = account().address;
    let pool: Vec<Key> = (100..114).map(public).collect();
    let amm = |destination: &str, data: &[u8], count: usize| {
        let users = [key(OWN_WRAPPED), key(destination), own()];
        explained(RAYDIUM, &[&pool[..count], &users].concat(), data)
    };
    let data = |tag| [&[tag], 7_u64.to_le_bytes().as_slice(), &5_u64.to_le_bytes()].concat();
    assert_eq!(*swap(&amm(OWN_USDC, &data(9), 14)), expected("Raydium", RAYDIUM, &me));
    assert_eq!(*swap(&amm(OWN_USDC, &data(11), 14)), expected("Raydium", RAYDIUM, &me));
    assert!(!weighed(&amm(OWN_USDC, &data(9), 13)), "another number of accounts");
    assert!(!weighed(&amm(OWN_USDC, &data(8), 14)), "another instruction");
    let stolen = amm(THEIR_USDC, &data(9), 14);
    assert_eq!(swap(&stolen).recipient.as_deref(), Some(THEIR_USDC));
    assert_eq!(swap(&stolen).buy, None, "nobody knows of which mint that account is");

    let cpmm = |destination: &str| {
        let head = [own(), public(100), public(101), public(102), key(OWN_WRAPPED), key(destination)];
        let tail =
            [public(103), public(104), key(TOKEN), key(TOKEN_2022), key(WRAPPED_SOL), key(USDC), public(105)];
        let data =
            [&[143, 190, 90, 218, 196, 30, 51, 222], 7_u64.to_le_bytes().as_slice(), &5_u64.to_le_bytes()]
                .concat();
        explained(CPMM, &[head.as_slice(), &tail].concat(), &data)
    };
    assert_eq!(*swap(&cpmm(OWN_USDC)), expected("Raydium", CPMM, &me));
    assert_eq!(*swap(&cpmm(THEIR_USDC)), expected("Raydium", CPMM, THEIR_USDC));

    let orca = |exact_in: u8, amounts: [u64; 2]| {
        let accounts =
            [key(TOKEN), own(), public(100), key(OWN_USDC), public(101), key(OWN_WRAPPED), public(102)];
        let [first, second] = amounts.map(u64::to_le_bytes);
        let data =
            [[248, 198, 158, 145, 225, 117, 135, 200].as_slice(), &first, &second, &[0; 16], &[exact_in, 0]];
        explained(ORCA, &accounts, &data.concat())
    };
    assert_eq!(*swap(&orca(1, [7, 5])), expected("Orca", ORCA, &me));
    assert_eq!(*swap(&orca(0, [5, 7])), expected("Orca", ORCA, &me));
    assert!(!weighed(&orca(2, [7, 5])));
}

/// The instruction's accounts are in a table that only the network knows.
#[test]
fn what_is_in_a_lookup_table_is_not_weighed() {
    let mut bytes = route(key(OWN_USDC), (key(JUPITER), 0));
    bytes.lookups = vec![(public(40), vec![4], vec![])];
    let entry = u8::try_from(bytes.keys.len()).unwrap();
    bytes.instructions[0].1[3] = entry;
    let found = bytes.read().unwrap().explain();
    assert!(!weighed(&found));
    let name = format!("lookup table {}[4]", base58(&public(40)));
    assert!(found.parties.contains(&Party::new(name, PartyRole::Recipient)), "{:?}", found.parties);
}

/// A whole swap as an aggregator builds it: wrap, route, close; nothing but the sale leaves.
#[test]
fn wrapping_for_a_swap_is_counted_once() {
    let mut bytes = route(key(OWN_USDC), (key(JUPITER), 0));
    let place = |bytes: &Bytes, key: Key| {
        u8::try_from(bytes.keys.iter().position(|known| *known == key).unwrap()).unwrap()
    };
    let (wrapped, me) = (place(&bytes, key(OWN_WRAPPED)), 0);
    bytes = bytes.and(SYSTEM, &[me, wrapped], &system_transfer(1_000_000));
    bytes = bytes.and(TOKEN, &[wrapped], &[17]).and(TOKEN, &[wrapped, me, me], &[9]);
    let found = bytes.read().unwrap().explain();
    assert!(weighed(&found), "{:?}", found.effects);
    let moves = |effect: &&Effect| matches!(effect, Effect::Swap(_) | Effect::Transfer { .. });
    assert_eq!(found.effects.iter().filter(moves).count(), 1);
    assert_eq!(swap(&found).sell, Asset::Native);
}
