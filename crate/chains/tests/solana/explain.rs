//! What transactions are said to do.

use crate::given::*;
use countersign_chains::explain::{
    Asset, Bought, Effect, Explanation, Fee, Function, Party, PartyRole, Swap,
};
use countersign_chains::facts::Facts;
use countersign_chains::facts::Wanted;
use countersign_chains::{Amount, Chain};
use wire::keysign::keysign_payload::{BlockchainSpecific, SwapPayload};
use wire::keysign::{KeysignPayload, SolanaSpecific, ThorChainSwapPayload};
use wire::node::{FactQuery, NodeFact};

const JUPITER: &str = "JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4";
/// The USDC accounts of the keys 1 and 2, computed with @solana/spl-token.
const OWN_USDC: &str = "3wvJdyFnGvaMWpbq93NU91SggiVRveULUXL6iX5VZDGP";
const THEIR_USDC: &str = "ASZ2TDDNJG2n42TxAezqNNzwWipykHrENDKMCoLKgzup";

fn of(payload: &KeysignPayload) -> Explanation {
    build(payload).unwrap()[0].explain()
}

fn effects(bytes: &Bytes) -> Vec<Effect> {
    bytes.read().unwrap().explain().effects
}

fn amount(value: u64) -> Amount {
    Amount::from(value)
}

fn native(to: &str, value: u64) -> Effect {
    Effect::Transfer { asset: Asset::Native, to: to.to_owned(), amount: amount(value) }
}

fn usdc(to: &str, value: u64) -> Effect {
    Effect::Transfer { asset: Asset::Token { id: USDC.to_owned() }, to: to.to_owned(), amount: amount(value) }
}

fn other(name: &str, fields: &[(&str, &str)]) -> Effect {
    let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Effect::Other { name: name.to_owned(), fields }
}

fn note(name: &str, fields: &[(&str, &str)]) -> Effect {
    let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Effect::Note { name: name.to_owned(), fields }
}

fn fee(lamports: u64) -> Fee {
    Fee::AtMost(amount(lamports))
}

fn unknown(program: &str, data: &[u8]) -> Effect {
    let function = Function::Unknown { selector: data.first_chunk().copied(), bytes: data.len() };
    Effect::Call { contract: program.to_owned(), value: Amount::ZERO, function }
}

#[test]
fn a_transfer_with_a_memo() {
    let mut payload = payload();
    payload.memo = Some("rent".to_owned());
    let expected = Explanation {
        chain: Chain::Solana,
        from: account().address,
        target: None,
        effects: vec![native(&base58(&public(2)), 5)],
        parties: Vec::new(),
        memo: Some("rent".to_owned()),
        fee: fee(105_000),
        gas_limit: Some(100_000),
        nonce: None,
    };
    assert_eq!(of(&payload), expected);
}

#[test]
fn the_fee_is_rounded_up_and_follows_the_payload() {
    let specific = SolanaSpecific {
        priority_fee: "1000001".to_owned(),
        compute_limit: Some("3".to_owned()),
        ..specific()
    };
    let mut payload = payload();
    payload.blockchain_specific = Some(BlockchainSpecific::SolanaSpecific(specific));
    let found = of(&payload);
    assert_eq!((found.fee, found.gas_limit), (fee(5_004), Some(3)));
}

#[test]
fn without_a_limit_the_fee_is_bounded_by_the_usual_one() {
    let price = [&[3], 10_000_000_u64.to_le_bytes().as_slice()].concat();
    let found = Bytes::transfer().and(COMPUTE_BUDGET, &[], &price).read().unwrap().explain();
    assert_eq!((found.fee, found.gas_limit), (fee(5_000 + 2_000_000), None));
    assert_eq!(found.effects, vec![native(&base58(&public(2)), 5)]);
}

/// The network would read the price and ignore the byte behind it; the fee is then unknown.
#[test]
fn a_budget_that_cannot_be_read_leaves_the_fee_unknown() {
    let price = [&[3], 1_u64.to_le_bytes().as_slice(), &[0]].concat();
    let found = Bytes::transfer().and(COMPUTE_BUDGET, &[], &price).read().unwrap().explain();
    assert_eq!(found.fee, Fee::Unknown);
    assert_eq!(found.effects, vec![native(&base58(&public(2)), 5), unknown(COMPUTE_BUDGET, &price)]);
}

#[test]
fn a_deposit_to_thorchain_is_a_swap_if_its_node_says_so() {
    let swap = ThorChainSwapPayload {
        vault_address: base58(&public(2)),
        from_amount: "5".to_owned(),
        ..ThorChainSwapPayload::default()
    };
    let mut payload = payload();
    payload.memo = Some("=:BTC.BTC:bc1q:42".to_owned());
    payload.swap_payload = Some(SwapPayload::ThorchainSwapPayload(swap));
    let expected = Effect::Swap(Swap {
        provider: Some("THORChain"),
        router: base58(&public(2)),
        sell: Asset::Native,
        amount: amount(5),
        buy: Some(Bought::Named("BTC.BTC".to_owned())),
        minimum_out: Some(amount(42)),
        recipient: Some("bc1q".to_owned()),
    });
    let found = of(&payload);
    assert_eq!(found.effects, vec![native(&base58(&public(2)), 5)]);
    assert_eq!(found.parties, [Party::new("bc1q", PartyRole::Destination)]);
    let facts = [NodeFact::DepositAddress {
        network: "THORChain".to_owned(),
        chain: "Solana".to_owned(),
        address: base58(&public(2)),
        router: None,
    }];
    let transaction = &build(&payload).unwrap()[0];
    assert_eq!(transaction.explain_with(Facts(&facts)).effects, vec![expected]);
    assert_eq!(transaction.wanted().len(), 2);
}

#[test]
fn tokens_go_to_the_owner_of_an_associated_account() {
    let specific = SolanaSpecific { from_token_associated_address: Some(OWN_USDC.to_owned()), ..specific() };
    let receiver = base58(&public(2));
    let created = note(
        "createTokenAccount",
        &[("account", THEIR_USDC), ("owner", &receiver), ("mint", USDC), ("payer", &account().address)],
    );
    let absent = of(&token_payload(specific.clone()));
    assert_eq!(absent.effects, vec![created, usdc(&receiver, 5)]);
    assert_eq!(absent.parties, [Party::new(receiver.clone(), PartyRole::Recipient)]);
}

fn token_account(address: &str, owner: &str, token: &str) -> NodeFact {
    let [address, owner, token] = [address, owner, token].map(str::to_owned);
    NodeFact::TokenAccount { address, owner, token }
}

/// The payload says whose account it is: a claim, until a node says so too.
#[test]
fn tokens_to_an_account_that_is_there_go_to_that_account() {
    for account in [THEIR_USDC.to_owned(), base58(&public(77))] {
        let specific = SolanaSpecific {
            from_token_associated_address: Some(OWN_USDC.to_owned()),
            to_token_associated_address: Some(account.clone()),
            ..specific()
        };
        let transaction = &build(&token_payload(specific)).unwrap()[0];
        assert_eq!(transaction.explain().effects, vec![usdc(&account, 5)]);
        let claims: Vec<_> = transaction.claims().iter().map(|claim| claim.to_wire().text).collect();
        let receiver = base58(&public(2));
        assert_eq!(claims, std::slice::from_ref(&receiver));
        let query = FactQuery::TokenAccount { address: account.clone() };
        assert_eq!(transaction.wanted(), [Wanted { chain: Chain::Solana, query }]);
        let facts = [token_account(&account, &receiver, USDC)];
        assert_eq!(transaction.explain_with(Facts(&facts)).effects, vec![usdc(&receiver, 5)]);
    }
}

/// A call of the token program: the accounts, then the account's own key as authority.
fn token_call(accounts: &[&str], data: &[u8]) -> Bytes {
    let keys: Vec<Key> = accounts.iter().map(|account| key(account)).collect();
    let mut bytes = Bytes::calling(TOKEN, &keys, data);
    bytes.instructions[0].1 = (1..=u8::try_from(accounts.len()).unwrap()).chain([0]).collect();
    bytes
}

fn with_amount(tag: u8, value: u64, behind: &[u8]) -> Vec<u8> {
    [&[tag], value.to_le_bytes().as_slice(), behind].concat()
}

#[test]
fn plain_token_transfer_names_a_proven_mint_only() {
    let their = base58(&public(77));
    let proven = token_call(&[OWN_USDC, &their], &with_amount(3, 9, &[]));
    assert_eq!(effects(&proven), vec![usdc(&their, 9)]);
    let proven = token_call(&[OWN_USDC, THEIR_USDC], &with_amount(3, 9, &[]));
    assert_eq!(effects(&proven), vec![usdc(THEIR_USDC, 9)]);
    let source = base58(&public(76));
    let unproven = token_call(&[&source, &their], &with_amount(3, 9, &[]));
    let expected = other("transfer", &[("from", &source), ("to", &their), ("amount", "9")]);
    let found = unproven.read().unwrap().explain();
    assert_eq!(found.effects, vec![expected], "nobody knows what it is worth");
    assert_eq!(found.parties, [Party::new(their.clone(), PartyRole::Recipient)]);
    let facts = [token_account(&source, &account().address, USDC)];
    assert_eq!(unproven.read().unwrap().explain_with(Facts(&facts)).effects, vec![usdc(&their, 9)]);
}

#[test]
fn allowances_say_whether_they_end() {
    let spender = base58(&public(66));
    for (value, unlimited) in [(9, false), (u64::MAX, true)] {
        let asset = Asset::Token { id: USDC.to_owned() };
        let expected = Effect::Approve { asset, spender: spender.clone(), amount: amount(value), unlimited };
        let approve = token_call(&[OWN_USDC, &spender], &with_amount(4, value, &[]));
        assert_eq!(effects(&approve), vec![expected.clone()]);
        let checked = token_call(&[OWN_USDC, USDC, &spender], &with_amount(13, value, &[6]));
        assert_eq!(effects(&checked), vec![expected]);
    }
    let revoke = token_call(&[OWN_USDC], &[5]);
    assert_eq!(effects(&revoke), vec![note("revoke", &[("account", OWN_USDC)])]);
}

#[test]
fn authority_close_and_burn_name_the_account() {
    let thief = base58(&public(66));
    let given = [&[6, 2, 1], public(66).as_slice()].concat();
    let expected = other("setAuthority", &[("account", OWN_USDC), ("role", "owner"), ("authority", &thief)]);
    assert_eq!(effects(&token_call(&[OWN_USDC], &given)), vec![expected]);
    let closed = other("closeTokenAccount", &[("account", OWN_USDC), ("to", &thief)]);
    assert_eq!(effects(&token_call(&[OWN_USDC, &thief], &[9])), vec![closed]);
    let burnt = other("burn", &[("account", OWN_USDC), ("mint", USDC), ("amount", "7")]);
    assert_eq!(effects(&token_call(&[OWN_USDC, USDC], &with_amount(8, 7, &[]))), vec![burnt.clone()]);
    assert_eq!(effects(&token_call(&[OWN_USDC, USDC], &with_amount(15, 7, &[6]))), vec![burnt]);
}

#[test]
fn a_fee_of_token_2022_is_part_of_the_amount() {
    let data = [&[26, 1], 9_u64.to_le_bytes().as_slice(), &[6], &1_u64.to_le_bytes()].concat();
    let their = base58(&public(77));
    let mut bytes = token_call(&[OWN_USDC, USDC, &their], &data);
    assert_eq!(effects(&bytes), vec![unknown(TOKEN, &data)]);
    *bytes.keys.last_mut().unwrap() = key(TOKEN_2022);
    assert_eq!(effects(&bytes), vec![usdc(&their, 9)]);
}

#[test]
fn one_byte_too_many_makes_an_instruction_unknown() {
    let data = [system_transfer(5), vec![0]].concat();
    let bytes = Bytes::calling(SYSTEM, &[public(2)], &data);
    assert_eq!(effects(&bytes), vec![unknown(SYSTEM, &data)]);
    let data = with_amount(3, 9, &[0]);
    assert_eq!(effects(&token_call(&[OWN_USDC, THEIR_USDC], &data)), vec![unknown(TOKEN, &data)]);
}

#[test]
fn a_program_that_is_not_known_is_called_by_its_address() {
    let program = base58(&public(50));
    let bytes = Bytes::calling(&program, &[public(2)], &[1, 2, 3, 4, 5]);
    assert_eq!(effects(&bytes), vec![unknown(&program, &[1, 2, 3, 4, 5])]);
}

#[test]
fn foreign_lamports_and_fees_are_not_the_signers() {
    use ed25519_dalek::Signer as _;
    let mut bytes = Bytes { signatures: vec![[0; 64]; 2], header: [2, 0, 1], ..Bytes::transfer() };
    bytes.instructions[0].1 = vec![1, 0];
    bytes.signatures[1] = signer(2).sign(&bytes.message()).to_bytes();
    let (from, to) = (base58(&public(2)), account().address);
    let expected = Effect::TransferFrom { asset: Asset::Native, from, to, amount: amount(5) };
    let found = bytes.read().unwrap().explain();
    assert_eq!((found.effects, found.fee), (vec![expected], fee(10_000)));
}

#[test]
fn an_account_in_a_lookup_table_is_not_guessed() {
    let mut bytes = Bytes::transfer();
    bytes.lookups = vec![(public(40), vec![4], vec![]), (public(41), vec![], vec![6])];
    for (place, table, index) in [(3, 40, 4), (4, 41, 6)] {
        bytes.instructions[0].1 = vec![0, place];
        let name = format!("lookup table {}[{index}]", base58(&public(table)));
        let (from, to) = (account().address, name.as_str());
        let expected = other("transfer", &[("from", &from), ("to", to), ("amount", "5")]);
        let found = bytes.read().unwrap().explain();
        assert_eq!(found.effects, vec![expected]);
        assert_eq!(found.parties, [Party::new(to, PartyRole::Recipient)]);
    }
}

#[test]
fn a_durable_nonce_and_a_new_account_are_told() {
    let advance = Bytes::calling(SYSTEM, &[public(2), public(3)], &4u32.to_le_bytes());
    let (nonce, authority) = (account().address, base58(&public(3)));
    let expected = note("advanceNonce", &[("account", &nonce), ("authority", &authority)]);
    assert_eq!(effects(&advance), vec![expected]);
    let data = [[0; 4].as_slice(), &8_u64.to_le_bytes(), &165_u64.to_le_bytes(), &key(TOKEN)].concat();
    let new = base58(&public(2));
    let from = account().address;
    let fields =
        [("from", from.as_str()), ("account", &new), ("program", TOKEN), ("space", "165"), ("lamports", "8")];
    let created = Bytes::calling(SYSTEM, &[public(2)], &data);
    assert_eq!(effects(&created), vec![native(&new, 8), other("createAccount", &fields)]);
    let initialise = |owner: u8| [&[18], public(owner).as_slice()].concat();
    let owned = |owner| created.clone().and(TOKEN, &[1, 2], &initialise(owner));
    assert_eq!(effects(&owned(1))[0], note("createAccount", &fields), "it is the signer's");
    assert_eq!(effects(&owned(9))[..2], [native(&new, 8), other("createAccount", &fields)]);
}

#[test]
fn stake_is_delegated_to_a_vote_account() {
    let (stake, vote) = (account().address, base58(&public(3)));
    let program = "Stake11111111111111111111111111111111111111";
    let bytes = Bytes::calling(program, &[public(3)], &2u32.to_le_bytes());
    assert_eq!(effects(&bytes), vec![note("delegateStake", &[("stake", &stake), ("vote", &vote)])]);
}

/// A route over one Raydium market, from wrapped SOL to USDC, with half a percent of slippage.
fn route(behind: &[u8]) -> Bytes {
    let own_wrapped = "7azMPufyz8EfKAif9WajHfBbFj5ic8C8rLfaTBfKdN1A";
    let accounts = [key(TOKEN), public(90), key(own_wrapped), key(OWN_USDC), key(JUPITER), key(USDC)];
    let plan =
        [&[229, 23, 203, 151, 122, 227, 173, 42], 1_u32.to_le_bytes().as_slice(), &[26, 100, 0, 1]].concat();
    let data = [&plan, 1_000_000_u64.to_le_bytes().as_slice(), &2_001_u64.to_le_bytes(), &[50, 0, 0], behind]
        .concat();
    let mut bytes = Bytes::calling(JUPITER, &accounts, &data);
    bytes.instructions[0].1 = vec![1, 0, 3, 4, 5, 6];
    bytes
}

#[test]
fn a_jupiter_route_states_its_least() {
    let expected = Effect::Swap(Swap {
        provider: Some("Jupiter"),
        router: JUPITER.to_owned(),
        sell: Asset::Native,
        amount: amount(1_000_000),
        buy: Some(Bought::Here(Asset::Token { id: USDC.to_owned() })),
        minimum_out: Some(amount(1_990)),
        recipient: Some(account().address),
    });
    assert_eq!(effects(&route(&[])), vec![expected]);
}

/// Bytes behind the arguments could show amounts that the program does not read.
#[test]
fn jupiter_route_with_trailing_bytes_is_unknown() {
    let found = effects(&route(&[0; 19]));
    assert!(
        matches!(found.as_slice(), [Effect::Call { function: Function::Unknown { .. }, .. }]),
        "{found:?}"
    );
}
