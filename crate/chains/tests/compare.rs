//! What is claimed of a transaction, held against what the transaction does.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test's own mistake must fail it")]

use countersign_chains::compare::{Claims, Field, compare};
use countersign_chains::explain::{Asset, Bought, Effect, Explanation, Fee, Function, Swap};
use countersign_chains::facts::Facts;
use countersign_chains::names::{Names, TokenName};
use countersign_chains::signing::PublicKey;
use countersign_chains::{Amount, Chain, Transaction, derive, encoding, unsigned};
use proptest::prelude::*;

const ME: &str = "0x77435f412e594Fe897fc889734b4FC7665359097";
const ALICE: &str = "0xb17B6Fd79E7b44dDc56DA70d8C9bDE80c4BD57f0";
const MALLORY: &str = "0x9B3B3C7B750B1baDcAcd77c00A90d46499A44077";
const USDC: &str = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const OWN_TOKEN: &str = "0xE770fC9d07b2590640Dc79965b60f8111D3Df1aC";

fn does(effects: Vec<Effect>) -> Explanation {
    Explanation {
        chain: Chain::Ethereum,
        from: ME.to_owned(),
        target: None,
        effects,
        parties: Vec::new(),
        memo: None,
        fee: Fee::AtMost(Amount::from(1)),
        gas_limit: Some(60_000),
        nonce: Some(7),
    }
}

fn send(to: &str, wei: u64) -> Effect {
    Effect::Transfer { asset: Asset::Native, to: to.to_owned(), amount: Amount::from(wei) }
}

fn send_token(id: &str, to: &str, amount: u64) -> Effect {
    Effect::Transfer {
        asset: Asset::Token { id: id.to_owned() },
        to: to.to_owned(),
        amount: Amount::from(amount),
    }
}

fn approve(id: &str, amount: Amount, unlimited: bool) -> Effect {
    Effect::Approve {
        asset: Asset::Token { id: id.to_owned() },
        spender: ALICE.to_owned(),
        amount,
        unlimited,
    }
}

fn claim(field: Field, text: &str) -> Claims {
    let text = Some(text.to_owned());
    let claims = Claims::default();
    match field {
        Field::Chain => Claims { chain: text, ..claims },
        Field::From => Claims { from: text, ..claims },
        Field::To => Claims { to: text, ..claims },
        Field::Value => Claims { value: text, ..claims },
        Field::TokenSymbol => Claims { token_symbol: text, ..claims },
        Field::AmountHuman => Claims { amount_human: text, ..claims },
        Field::GasLimit => Claims { gas_limit: text, ..claims },
    }
}

fn own_names() -> Vec<TokenName> {
    let (id, ticker) = (OWN_TOKEN.to_owned(), "OWN".to_owned());
    vec![TokenName { id, ticker, decimals: 2, by_agent: false }]
}

const fn names(own: &[TokenName]) -> Names<'_> {
    Names { chain: Chain::Ethereum, own, facts: Facts(&[]) }
}

/// What comes of one claim: nothing, `?` for unverified, or what the bytes say instead.
#[track_caller]
fn check(effects: Vec<Effect>, field: Field, text: &str, expected: &str) {
    let comparison = compare(&does(effects), &claim(field, text), names(&own_names()));
    let actual = match (&comparison.contradictions[..], &comparison.unverified[..]) {
        ([], []) => String::new(),
        ([], [unverified]) => {
            assert_eq!(*unverified, field);
            "?".to_owned()
        }
        ([contradiction], []) => {
            assert_eq!((contradiction.field, contradiction.claimed.as_str()), (field, text.trim()));
            contradiction.actual.clone()
        }
        other => panic!("one claim gave {other:?}"),
    };
    assert_eq!(actual, expected, "{} = {text:?}", field.name());
}

const ETHER: u64 = 1_000_000_000_000_000_000;

#[test]
fn a_recipient_must_be_the_recipient() {
    let to = |text: &str, expected: &str| check(vec![send(ALICE, 1)], Field::To, text, expected);
    to(ALICE, "");
    to(&ALICE.to_lowercase(), "");
    to("0xb17B…57f0", "");
    to("0xb17b...57F0", "");
    to(MALLORY, ALICE);
    to("0x9B3B…4077", ALICE);
    to("alice.eth", "?");
    to("my savings", "?");
    to("bc1qxpeg8k8xrygj9ae8q6pkzj29sf7w8e7krm4v5f", ALICE);
    to("", "");
}

#[test]
fn a_token_is_sent_to_its_recipient_through_its_contract() {
    let to = |text: &str, expected: &str| check(vec![send_token(USDC, ALICE, 1)], Field::To, text, expected);
    to(ALICE, "");
    to(USDC, "");
    to(MALLORY, &format!("{ALICE}, {USDC}"));
}

#[test]
fn a_second_recipient_is_not_hidden_behind_the_first() {
    check(vec![send(ALICE, 5), send(MALLORY, 5)], Field::To, ALICE, MALLORY);
    let change = Effect::Change { to: ME.to_owned(), amount: Amount::from(3) };
    check(vec![send(ALICE, 5), change], Field::To, ALICE, "");
}

#[test]
fn a_router_is_named_for_all_that_it_is_told_to_do() {
    let call = |target: Option<&str>| Explanation {
        target: target.map(str::to_owned),
        ..does(vec![send_token(USDC, ALICE, 5), send_token(USDC, MALLORY, 5)])
    };
    let to_router = claim(Field::To, OWN_TOKEN);
    assert_eq!(compare(&call(Some(OWN_TOKEN)), &to_router, names(&[])), Default::default());
    assert_eq!(compare(&call(None), &to_router, names(&[])).contradictions.len(), 1);
    assert_eq!(compare(&call(Some(OWN_TOKEN)), &claim(Field::To, ALICE), names(&[])).contradictions.len(), 1);
}

#[test]
fn the_sender_must_be_the_signer() {
    check(vec![send(ALICE, 1)], Field::From, ME, "");
    check(vec![send(ALICE, 1)], Field::From, ALICE, ME);
    check(vec![send(ALICE, 1)], Field::From, "my wallet", "?");
}

#[test]
fn the_chain_must_be_the_chain() {
    check(vec![], Field::Chain, "ethereum", "");
    check(vec![], Field::Chain, "Arbitrum", "Ethereum");
    check(vec![], Field::Chain, "Nowhere", "Ethereum");
}

#[test]
fn a_plain_value_is_in_the_smallest_unit() {
    let value = |text: &str, expected: &str| check(vec![send(ALICE, ETHER)], Field::Value, text, expected);
    value("1000000000000000000", "");
    value("0xde0b6b3a7640000", "");
    value("1 ETH", "");
    value("1.0", "");
    value("1", "1 ETH");
    value("0", "1 ETH");
    value("0x1", "1 ETH");
    value("2 ETH", "1 ETH");
    value("1 USDC", "1 ETH");
    value("some", "?");
    check(vec![send_token(USDC, ALICE, 5)], Field::Value, "0", "");
    check(vec![send_token(USDC, ALICE, 5)], Field::Value, "5", "0 ETH");
}

#[test]
fn a_symbol_belongs_to_one_contract() {
    let symbol =
        |effect: Effect, text: &str, expected: &str| check(vec![effect], Field::TokenSymbol, text, expected);
    symbol(send_token(USDC, ALICE, 1), "usdc", "");
    symbol(send_token(USDC, ALICE, 1), "USDT", "USDC");
    symbol(send_token(USDC, ALICE, 1), "ETH", "USDC");
    symbol(send(ALICE, 1), "ETH", "");
    symbol(send(ALICE, 1), "USDC", "ETH");
    symbol(send_token(OWN_TOKEN, ALICE, 1), "OWN", "");
    symbol(send_token(OWN_TOKEN, ALICE, 1), "USDC", "OWN");
    symbol(send_token(MALLORY, ALICE, 1), "USDC", MALLORY);
    symbol(send_token(MALLORY, ALICE, 1), "NEW", "?");
}

#[test]
fn an_amount_is_that_of_the_bytes() {
    let amount = |text: &str, expected: &str| {
        check(vec![send_token(USDC, ALICE, 1_000_500_000)], Field::AmountHuman, text, expected);
    };
    amount("1000.5 USDC", "");
    amount("1,000.50 usdc", "");
    amount("1000.5", "");
    amount("1001 USDC", "");
    amount("1000 USDC", "");
    amount("999 USDC", "1000.5 USDC");
    amount("1000.4 USDC", "1000.5 USDC");
    amount("1000.5 DAI", "1000.5 USDC");
    amount("Unlimited USDC", "1000.5 USDC");
    amount("a lot", "?");
    check(vec![send_token(MALLORY, ALICE, 5)], Field::AmountHuman, "5 NEW", "?");
    check(vec![send_token(OWN_TOKEN, ALICE, 150)], Field::AmountHuman, "1.5 OWN", "");
    check(vec![send(ALICE, ETHER), send(ALICE, ETHER)], Field::AmountHuman, "2 ETH", "");
}

#[test]
fn an_unlimited_approval_is_not_called_limited() {
    let all = approve(USDC, Amount::MAX, true);
    check(vec![all.clone()], Field::AmountHuman, "Unlimited USDC", "");
    check(vec![all.clone()], Field::AmountHuman, "1000 USDC", "unlimited USDC");
    check(vec![all], Field::AmountHuman, "Unlimited DAI", "unlimited USDC");
    let some = approve(USDC, Amount::from(1_000_000_000), false);
    check(vec![some.clone()], Field::AmountHuman, "1000 USDC", "");
    check(vec![some.clone()], Field::AmountHuman, "Unlimited USDC", "1000 USDC");
    check(vec![some.clone()], Field::To, ALICE, "");
    check(vec![some], Field::To, MALLORY, &format!("{ALICE}, {USDC}"));
}

#[test]
fn a_swap_is_held_to_what_it_sells() {
    let swap = Effect::Swap(Swap {
        provider: Some("1inch"),
        router: ALICE.to_owned(),
        sell: Asset::Token { id: USDC.to_owned() },
        amount: Amount::from(500_000_000),
        buy: Some(Bought::Here(Asset::Native)),
        minimum_out: None,
        recipient: None,
    });
    check(vec![swap.clone()], Field::AmountHuman, "500 USDC → 0.2 ETH", "");
    check(vec![swap.clone()], Field::AmountHuman, "50 USDC", "500 USDC");
    check(vec![swap], Field::To, MALLORY, ALICE);
}

#[test]
fn what_cannot_be_decoded_verifies_nothing() {
    let call = Effect::Call {
        contract: ALICE.to_owned(),
        value: Amount::ZERO,
        function: Function::Unknown { selector: Some([1, 2, 3, 4]), bytes: 36 },
    };
    check(vec![call.clone()], Field::AmountHuman, "5 USDC", "?");
    check(vec![call.clone()], Field::TokenSymbol, "USDC", "?");
    check(vec![call.clone()], Field::To, ALICE, "");
    check(vec![call.clone()], Field::Value, "1", "0 ETH");
    check(vec![call], Field::To, MALLORY, "?");
}

/// An honest bridge: a message fee in coins beside the claim of tokens, which an unread call may move.
#[test]
fn a_contradiction_needs_a_fact_on_both_sides() {
    let call = Effect::Call {
        contract: ALICE.to_owned(),
        value: Amount::from(10).pow(Amount::from(15)),
        function: Function::Unknown { selector: Some([1, 2, 3, 4]), bytes: 36 },
    };
    check(vec![call.clone()], Field::AmountHuman, "500 USDC", "?");
    check(vec![call.clone()], Field::TokenSymbol, "USDC", "?");
    check(vec![call.clone()], Field::AmountHuman, "0.001 ETH", "");
    check(vec![call.clone()], Field::AmountHuman, "0.002 ETH", "0.001 ETH");
    let sent = send_token(USDC, ALICE, 7_000_000);
    check(vec![call.clone(), sent.clone()], Field::AmountHuman, "500 USDC", "0.001 ETH, 7 USDC");
    check(vec![call, sent], Field::AmountHuman, "7 USDC", "");
}

#[test]
fn a_gas_limit_is_a_number() {
    check(vec![], Field::GasLimit, "60000", "");
    check(vec![], Field::GasLimit, "0xea60", "");
    check(vec![], Field::GasLimit, "21000", "60000");
    check(vec![], Field::GasLimit, "much", "?");
}

#[test]
fn every_lie_is_named() {
    let found = does(vec![send(ALICE, ETHER)]);
    let lies = Claims {
        chain: Some("Base".to_owned()),
        from: Some(MALLORY.to_owned()),
        to: Some(MALLORY.to_owned()),
        value: Some("0".to_owned()),
        token_symbol: Some("USDC".to_owned()),
        amount_human: Some("5 USDC".to_owned()),
        gas_limit: Some("1".to_owned()),
    };
    let fields: Vec<Field> =
        compare(&found, &lies, names(&[])).contradictions.iter().map(|lie| lie.field).collect();
    let all = [
        Field::Chain,
        Field::From,
        Field::To,
        Field::Value,
        Field::TokenSymbol,
        Field::AmountHuman,
        Field::GasLimit,
    ];
    assert_eq!(fields, all);
    assert_eq!(compare(&found, &Claims::default(), names(&[])), Default::default());
}

/// A transfer of one ether to [`ALICE`] on Ethereum, not yet signed.
const RAW: &str = "0x02ef0107843b9aca008477359400825208\
                   94b17b6fd79e7b44ddc56da70d8c9bde80c4bd57f0880de0b6b3a764000080c0";

fn transaction() -> Transaction {
    let generator = "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798";
    let key = PublicKey::Secp256k1(encoding::array_from_hex("key", generator).unwrap());
    let account = derive::account(Chain::Ethereum, key).unwrap();
    unsigned::transaction(RAW, &account, &unsigned::Context::default()).unwrap()
}

fn any_claim() -> impl Strategy<Value = Option<String>> {
    let sensible =
        prop::sample::select(vec![ALICE, MALLORY, USDC, "1 ETH", "2 ETH", "Unlimited USDC", "0x", "…", "."]);
    prop_oneof![Just(None), sensible.prop_map(|text| Some(text.to_owned())), any::<String>().prop_map(Some)]
}

proptest! {
    /// T000-35: claims change no byte to be signed, and a false recipient is named.
    #[test]
    fn no_claim_changes_what_is_signed(
        (from, to, value) in (any_claim(), any_claim(), any_claim()),
        (token_symbol, amount_human, gas_limit) in (any_claim(), any_claim(), any_claim()),
    ) {
        let honest = transaction().images().to_vec();
        let claims = Claims { chain: None, from, to, value, token_symbol, amount_human, gas_limit };
        let transaction = transaction();
        let comparison = compare(&transaction.explain(), &claims, names(&own_names()));
        prop_assert_eq!(transaction.images(), honest);
        let is_named = comparison.contradictions.iter().any(|lie| lie.field == Field::To);
        match claims.to.as_deref() {
            Some(MALLORY | USDC) => prop_assert!(is_named),
            Some(ALICE) | None => prop_assert!(!is_named),
            Some(_) => {}
        }
    }
}
