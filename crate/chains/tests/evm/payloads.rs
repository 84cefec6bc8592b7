//! Payloads: which transactions they stand for, and which are refused.

use crate::caller;
use crate::calls::told;
use countersign_chains::explain::Fee;
use countersign_chains::facts::Facts;
use countersign_chains::transaction::{NetworkFacts, Role};
use countersign_chains::{Amount, Transaction, TransactionError, keysign};
use serde_json::json;
use wire::keysign::keysign_payload::{BlockchainSpecific, SignData, SwapPayload};
use wire::keysign::{
    Coin, Erc20ApprovePayload, EthereumSpecific, KeysignPayload, OneInchQuote, OneInchSwapPayload,
    OneInchTransaction, SignSui, SwapKitSwapPayload, ThorChainSwapPayload,
};
use wire::node::NodeFact;

const ALICE: &str = "0x17c5185167401eD00cF5F5b2fc97D9BBfDb7D025";
const USDC: &str = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const ROUTER: &str = "0x1111111254EEB25477B68fb85Ed929f73A960582";
/// A router of THORChain that our table does not have.
const NETWORK_ROUTER: &str = "0x2222222222222222222222222222222222222222";
const OTHER: &str = "0x6131B5fae19EA4f9D964eAc0408E4408b66337b5";

fn coin(chain: &str, contract: &str) -> Coin {
    Coin {
        chain: chain.to_owned(),
        address: caller().address,
        contract_address: contract.to_owned(),
        is_native_token: contract.is_empty(),
        ..Coin::default()
    }
}

fn payload(contract: &str, to: &str, amount: &str) -> KeysignPayload {
    let specific = EthereumSpecific {
        max_fee_per_gas_wei: "2000000000".to_owned(),
        priority_fee: "1000000000".to_owned(),
        nonce: 7,
        gas_limit: "60000".to_owned(),
    };
    KeysignPayload {
        coin: Some(coin("Ethereum", contract)),
        to_address: to.to_owned(),
        to_amount: amount.to_owned(),
        blockchain_specific: Some(BlockchainSpecific::EthereumSpecific(specific)),
        ..KeysignPayload::default()
    }
}

/// A token over a router, allowed first.
fn quoted() -> KeysignPayload {
    let tx = OneInchTransaction {
        from: caller().address,
        to: ROUTER.to_owned(),
        data: "0x12aa3caf".to_owned(),
        ..OneInchTransaction::default()
    };
    let swap = OneInchSwapPayload {
        quote: Some(OneInchQuote { dst_amount: "5".to_owned(), tx: Some(tx) }),
        provider: "1inch".to_owned(),
        ..OneInchSwapPayload::default()
    };
    KeysignPayload {
        swap_payload: Some(SwapPayload::OneinchSwapPayload(swap)),
        erc20_approve_payload: Some(Erc20ApprovePayload {
            amount: "9".to_owned(),
            spender: ROUTER.to_owned(),
        }),
        ..payload(USDC, ROUTER, "9")
    }
}

/// A token to THORChain, allowed first.
fn thorchain() -> KeysignPayload {
    let swap = ThorChainSwapPayload {
        from_coin: Some(coin("Ethereum", USDC)),
        vault_address: ALICE.to_owned(),
        router_address: Some(NETWORK_ROUTER.to_owned()),
        from_amount: "9".to_owned(),
        expiration_time: 1_800_000_000,
        ..ThorChainSwapPayload::default()
    };
    KeysignPayload {
        memo: Some("=:b:bc1qaddress:77/1/0".to_owned()),
        swap_payload: Some(SwapPayload::ThorchainSwapPayload(swap)),
        erc20_approve_payload: Some(Erc20ApprovePayload {
            amount: "9".to_owned(),
            spender: NETWORK_ROUTER.to_owned(),
        }),
        ..payload(USDC, NETWORK_ROUTER, "9")
    }
}

fn transactions(payload: &KeysignPayload) -> Result<Vec<Transaction>, TransactionError> {
    keysign::transactions(payload, &caller(), &NetworkFacts::default())
}

#[track_caller]
fn refused(payload: &KeysignPayload, expected: &str) {
    match transactions(payload) {
        Ok(transactions) => panic!("{} transactions", transactions.len()),
        Err(error) => assert_eq!(format!("{}: {error}", error.code()), expected),
    }
}

#[test]
fn an_allowance_comes_first_and_takes_the_nonce() {
    for payload in [quoted(), thorchain()] {
        let made = transactions(&payload).unwrap();
        let roles: Vec<Role> = made.iter().map(Transaction::role).collect();
        assert_eq!(roles, [Role::Approval, Role::Main]);
        let nonces: Vec<Option<u64>> = made.iter().map(|transaction| transaction.explain().nonce).collect();
        assert_eq!(nonces, [Some(7), Some(8)]);
    }
}

/// The bytes and the networks' nodes say what happens; what else the payload says is a claim.
#[test]
fn a_payload_says_nothing_of_what_its_bytes_do() {
    let swap = |payload: &KeysignPayload, facts: &[NodeFact]| {
        let explanation = transactions(payload).unwrap().pop().unwrap().explain_with(Facts(facts));
        told(&explanation.effects[0])
    };
    let takes = |network: &str| NodeFact::DepositAddress {
        network: network.to_owned(),
        chain: "Ethereum".to_owned(),
        address: ALICE.to_lowercase(),
        router: Some(NETWORK_ROUTER.to_owned()),
    };
    let expected = |sell: &str, router: &str, provider: &str| {
        json!({ "swap": {
            "provider": provider, "router": router, "sell": sell, "amount": "9", "buy": { "named": "BTC.BTC" },
            "minimum_out": "77", "recipient": "bc1qaddress",
        } })
    };
    assert_eq!(swap(&thorchain(), &[takes("THORChain")]), expected(USDC, NETWORK_ROUTER, "THORChain"));
    let call = swap(&thorchain(), &[]);
    assert_eq!(call["call"]["contract"], NETWORK_ROUTER, "a router that nobody knows: {call}");
    let mut native = thorchain();
    native.erc20_approve_payload = None;
    native.coin = Some(coin("Ethereum", ""));
    let Some(SwapPayload::ThorchainSwapPayload(mut of)) = native.swap_payload.take() else {
        panic!("a swap")
    };
    of.from_coin = Some(coin("Ethereum", ""));
    native.swap_payload = Some(SwapPayload::MayachainSwapPayload(of));
    assert_eq!(swap(&native, &[takes("THORChain")]), expected("native", ALICE, "THORChain"));
    assert_eq!(swap(&native, &[])["call"]["value"], "9");
    let unknown =
        json!({ "call": { "contract": ROUTER, "value": "0", "selector": "0x12aa3caf", "bytes": 4 } });
    assert_eq!(swap(&quoted(), &[]), unknown, "the quote's promise is no effect");
}

/// Nothing that no signature covers changes what is explained.
#[test]
fn claims_change_no_explanation() {
    let to = |ticker: &str| Some(Coin { ticker: ticker.to_owned(), ..coin("Bitcoin", "") });
    let claimed = |payload: &KeysignPayload| -> Vec<(String, String)> {
        let made = transactions(payload).unwrap();
        let wire = made.last().unwrap().claims().iter().map(|claim| claim.to_wire());
        wire.map(|claim| (claim.about, claim.text)).collect()
    };
    let explained = |payload: &KeysignPayload| {
        let made = transactions(payload).unwrap();
        made.iter().map(Transaction::explain).collect::<Vec<_>>()
    };
    let (plain, mut told) = (quoted(), quoted());
    let Some(SwapPayload::OneinchSwapPayload(swap)) = &mut told.swap_payload else { panic!("a swap") };
    (swap.provider, swap.to_coin) = ("Uniswap".to_owned(), to("BTC"));
    swap.to_amount_decimal = "100".to_owned();
    swap.quote.as_mut().unwrap().dst_amount = "77".to_owned();
    assert_eq!(explained(&plain), explained(&told));
    let pairs = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        pairs.iter().map(|(about, text)| ((*about).to_owned(), (*text).to_owned())).collect()
    };
    let expected = [
        ("swap provider", "Uniswap"),
        ("asset to be received", "BTC"),
        ("chain of what is received", "Bitcoin"),
        ("amount to be received", "100"),
        ("quoted amount in smallest units", "77"),
    ];
    assert_eq!(claimed(&told), pairs(&expected));
    let (plain, mut told) = (thorchain(), thorchain());
    let Some(SwapPayload::ThorchainSwapPayload(swap)) = told.swap_payload.take() else { panic!("a swap") };
    told.swap_payload =
        Some(SwapPayload::MayachainSwapPayload(ThorChainSwapPayload { to_coin: to("BTC"), ..swap }));
    assert_eq!(explained(&plain), explained(&told));
    assert_eq!(claimed(&plain), pairs(&[("swap provider", "THORChain")]));
    assert_eq!(claimed(&told)[0], ("swap provider".to_owned(), "MayaChain".to_owned()));
}

#[test]
fn only_the_router_gets_an_allowance() {
    let unsafe_ = "unsafe_transaction: refused: the allowance is not for the contract that is called";
    for mut payload in [quoted(), thorchain()] {
        payload.erc20_approve_payload.as_mut().unwrap().spender = OTHER.to_owned();
        refused(&payload, unsafe_);
    }
    let allowance = Some(Erc20ApprovePayload { amount: "9".to_owned(), spender: USDC.to_owned() });
    refused(&KeysignPayload { erc20_approve_payload: allowance, ..payload(USDC, ALICE, "9") }, unsafe_);
}

#[test]
fn a_swap_of_another_coin_is_refused() {
    let other_coin = "unsafe_transaction: refused: the swap sells another coin than the payload's";
    for from in [coin("Ethereum", OTHER), coin("Ethereum", ""), coin("Arbitrum", USDC)] {
        let mut payload = thorchain();
        let Some(SwapPayload::ThorchainSwapPayload(swap)) = &mut payload.swap_payload else {
            panic!("a swap")
        };
        swap.from_coin = Some(from);
        refused(&payload, other_coin);
    }
}

#[test]
fn a_quote_for_another_account_is_refused() {
    let mut payload = quoted();
    let Some(SwapPayload::OneinchSwapPayload(swap)) = &mut payload.swap_payload else { panic!("a swap") };
    swap.quote.as_mut().unwrap().tx.as_mut().unwrap().from = OTHER.to_owned();
    refused(&payload, &format!("not_owned: {OTHER} is not this vault's account"));
}

type Change<T> = fn(&mut T);

#[test]
fn what_a_payload_lacks_or_spoils() {
    let changes: &[(Change<KeysignPayload>, &str)] = &[
        (|payload| payload.blockchain_specific = None, "missing_field: ethereum_specific is missing"),
        (|payload| payload.coin = None, "missing_field: coin is missing"),
        (
            |payload| payload.coin.as_mut().unwrap().chain = "Base".to_owned(),
            "chain_mismatch: the transaction is for Base, not for Ethereum",
        ),
        (
            |payload| payload.coin.as_mut().unwrap().address = OTHER.to_owned(),
            "not_owned: 0x6131B5fae19EA4f9D964eAc0408E4408b66337b5 is not this vault's account",
        ),
        (
            |payload| payload.coin.as_mut().unwrap().contract_address.clear(),
            "missing_field: coin.contract_address is missing",
        ),
        (|payload| payload.to_address.clear(), "missing_field: to_address is missing"),
        (
            |payload| payload.to_address.push('0'),
            "invalid_address: to_address: an address of this form is not 41 long",
        ),
        (
            |payload| payload.to_amount = "-1".to_owned(),
            "invalid_amount: to_amount is not an amount the chain can carry",
        ),
        (
            |payload| payload.to_amount = "1".repeat(79),
            "invalid_amount: to_amount is not an amount the chain can carry",
        ),
        (
            |payload| payload.sign_data = Some(SignData::SignSui(SignSui::default())),
            "unsupported_payload: not supported: sign data or a contract of another kind of chain",
        ),
        (
            |payload| {
                payload.swap_payload = Some(SwapPayload::SwapkitSwapPayload(SwapKitSwapPayload::default()))
            },
            "unsupported_payload: not supported: a SwapKit payload without an EVM quote",
        ),
        (
            |payload| {
                payload.swap_payload = Some(SwapPayload::OneinchSwapPayload(OneInchSwapPayload::default()))
            },
            "missing_field: swap_payload.quote.tx is missing",
        ),
    ];
    for (change, expected) in changes {
        let mut payload = payload(USDC, ALICE, "9");
        change(&mut payload);
        refused(&payload, expected);
    }
}

#[test]
fn gas_must_be_numbers() {
    let changes: [(Change<EthereumSpecific>, &str); 4] = [
        (|specific| specific.nonce = -1, "ethereum_specific.nonce"),
        (|specific| specific.gas_limit = "18446744073709551616".to_owned(), "ethereum_specific.gas_limit"),
        (|specific| specific.max_fee_per_gas_wei.clear(), "ethereum_specific.max_fee_per_gas_wei"),
        (|specific| specific.priority_fee = "1.5".to_owned(), "ethereum_specific.priority_fee"),
    ];
    for (change, field) in changes {
        let mut payload = payload(USDC, ALICE, "9");
        let Some(BlockchainSpecific::EthereumSpecific(specific)) = &mut payload.blockchain_specific else {
            panic!("a specific")
        };
        change(specific);
        refused(&payload, &format!("invalid_amount: {field} is not an amount the chain can carry"));
    }
}

#[test]
fn a_memo_that_begins_like_hex_must_be_hex() {
    for memo in ["0xabc", "0xzz", "0x 00"] {
        let payload = KeysignPayload { memo: Some(memo.to_owned()), ..payload("", ALICE, "9") };
        refused(&payload, "malformed: memo is not hexadecimal");
    }
}

#[test]
fn a_memo_swap_needs_memo_vault_and_router() {
    let mut without = thorchain();
    without.memo = None;
    refused(&without, "missing_field: memo is missing");
    let changes: [(Change<ThorChainSwapPayload>, &str); 4] = [
        (|swap| swap.vault_address.clear(), "missing_field: swap_payload.vault_address is missing"),
        (|swap| swap.router_address = None, "missing_field: swap_payload.router_address is missing"),
        (|swap| swap.from_coin = None, "missing_field: swap_payload.from_coin is missing"),
        (
            |swap| swap.from_amount.clear(),
            "invalid_amount: swap_payload.from_amount is not an amount the chain can carry",
        ),
    ];
    for (change, expected) in changes {
        let mut payload = thorchain();
        let Some(SwapPayload::ThorchainSwapPayload(swap)) = &mut payload.swap_payload else {
            panic!("a swap")
        };
        change(swap);
        refused(&payload, expected);
    }
}

#[test]
fn the_fee_is_what_the_gas_limit_allows() {
    let explanation = transactions(&payload("", ALICE, "9")).unwrap()[0].explain();
    assert_eq!(explanation.fee, Fee::AtMost(Amount::from(120_000_000_000_000_u64)));
    assert_eq!((explanation.gas_limit, explanation.nonce), (Some(60_000), Some(7)));
}
