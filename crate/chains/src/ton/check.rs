//! What is asked before a letter is signed: the wallet's sequence number and balance (`getWalletInformation` of
//! toncenter's version 2), and the time of the chain's last block (`masterchainInfo` of version 3), which a letter must
//! not be older than.
//!
//! A trial run needs the signature: the wallet checks it before anything else.

use super::Letter;
use super::message::{Order, SEND_ALL};
use crate::rpc::check::{Found, funds, place, stale, unclear};
use crate::rpc::{Method, Request, Response};
use crate::transaction::Account;
use crate::{Amount, amount};
use serde_json::Value;

pub(super) fn ask(account: &Account) -> Vec<Request> {
    let wallet = format!("/v2/getWalletInformation?address={}", account.address);
    let get = |path| Request { method: Method::Get, path };
    vec![get(wallet), get("/v3/masterchainInfo".to_owned())]
}

pub(super) fn read(letter: &Letter, account: &Account, ahead: u32, answers: &[Response]) -> Found {
    let Some(order) = Order::decode(&letter.body) else {
        return Ok(Vec::new());
    };
    let answer = |index: usize| answers.get(index).filter(|answer| answer.status == 200)?.json();
    let now = answer(1).and_then(|body| number(body.pointer("/last/gen_utime")?));
    if let Some(now) = now.filter(|now| *now >= u64::from(order.valid_until)) {
        let until = order.valid_until;
        return Err(stale(format!(
            "It was valid until {until} seconds after 1970, and the chain's clock is at {now}."
        )));
    }
    let wallet = answer(0).and_then(|body| body.get("result").cloned()).unwrap_or_default();
    let next = next(&wallet).ok_or_else(|| unclear(answers.first()))?;
    let gap = place(order.sequence.into(), next, ahead)?;
    let sent = order.messages.iter().filter(|message| message.mode & SEND_ALL == 0);
    let sent = sent.map(|message| Amount::from(message.value)).fold(Amount::ZERO, Amount::saturating_add);
    let balance = wallet.get("balance").and_then(number);
    let poor = balance.and_then(|balance| funds(account, Amount::from(balance), sent));
    Ok([gap, poor].into_iter().flatten().collect())
}

/// A wallet that is not there yet has no number: its first letter has 0.
fn next(wallet: &Value) -> Option<u64> {
    match wallet.get("account_state")?.as_str()? {
        "uninitialized" | "uninit" | "nonexist" => Some(0),
        _ => number(wallet.get("seqno")?),
    }
}

/// A number, or its digits.
fn number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| amount::parse_u64("number", value.as_str()?).ok())
}

#[cfg(test)]
mod tests {
    use super::super::cell::Builder;
    use super::super::message::Message;
    use super::super::wallet;
    use super::*;
    use crate::Chain;
    use crate::rpc;
    use crate::rpc::check::tests::{fine, garbage, is_unclear, json_answer, refuses, useless, warned};
    use crate::signing::PublicKey;
    use crate::transaction::{Role, Transaction};
    use proptest::prelude::*;
    use serde_json::json;
    use wire::node::{Checked, FindingCode};

    const KEY: [u8; 32] = [7; 32];

    /// Number 5, half a coin, and all that is left in a second message.
    fn transaction() -> Transaction {
        let address = crate::address::ton::of_key(&KEY);
        let account = Account { chain: Chain::Ton, key: PublicKey::Ed25519(KEY), address };
        let wallet = wallet::account(&KEY);
        let message = |mode, value| Message {
            mode,
            to: wallet,
            bounce: true,
            value,
            state_init: None,
            body: Builder::new().fixed(),
        };
        let messages = vec![message(3, 500_000_000), message(SEND_ALL, 9_000_000_000)];
        let body = Order { valid_until: 1_900_000_000, sequence: 5, messages }.encode();
        let letter = Letter { body, wallet, state_init: None };
        Transaction::new(&account, Role::Main, letter)
    }

    fn known(seqno: &Value, balance: &str) -> Response {
        let result = json!({ "wallet": true, "balance": balance, "account_state": "active", "seqno": seqno });
        json_answer(&json!({ "ok": true, "result": result }))
    }

    fn clock(seconds: &str) -> Response {
        json_answer(&json!({ "last": { "seqno": 41, "gen_utime": seconds } }))
    }

    fn read(wallet: Response, ahead: u32) -> Checked {
        rpc::read_check(&transaction(), ahead, &[wallet, clock("1899999999")])
    }

    #[test]
    fn the_wallet_and_the_clock_are_asked_for() {
        let address = crate::address::ton::of_key(&KEY);
        let path = format!("/v2/getWalletInformation?address={address}");
        let clock = Request { method: Method::Get, path: "/v3/masterchainInfo".to_owned() };
        assert_eq!(rpc::check(&transaction(), 0), [Request { method: Method::Get, path }, clock]);
    }

    #[test]
    fn a_used_number_is_stale() {
        assert_eq!(read(known(&json!(5), "500000000"), 0), fine());
        assert_eq!(read(known(&json!(4), "500000000"), 1), fine());
        let used = "Its number 5 is used: the account's next is 6.".to_owned();
        assert_eq!(read(known(&json!(6), "0"), 0), stale(used));
        let gap = "Its number is 5, the account's next is 0: it waits for those between.";
        let none =
            json!({ "ok": true, "result": { "balance": "500000000", "account_state": "uninitialized" } });
        assert_eq!(read(json_answer(&none), 0), warned(FindingCode::Gapped, gap));
    }

    #[test]
    fn a_letter_does_not_outlive_its_time() {
        let wallet = || known(&json!(5), "500000000");
        let reason =
            "It was valid until 1900000000 seconds after 1970, and the chain's clock is at 1900000000.";
        let late = [wallet(), clock("1900000000")];
        assert_eq!(rpc::read_check(&transaction(), 0, &late), stale(reason.to_owned()));
        for answer in useless() {
            assert_eq!(
                rpc::read_check(&transaction(), 0, &[wallet(), answer]),
                fine(),
                "no clock, no refusal"
            );
        }
    }

    #[test]
    fn less_than_is_sent() {
        let message = "The account has 0.499999999 GRAM, and it takes up to 0.5 GRAM.";
        let expected = warned(FindingCode::InsufficientBalance, message);
        assert_eq!(read(known(&json!(5), "499999999"), 0), expected);
    }

    #[test]
    fn without_the_wallet_it_is_unclear() {
        for answer in useless().into_iter().chain([known(&Value::Null, "1"), known(&json!("-6"), "1")]) {
            assert!(is_unclear(&read(answer.clone(), 0)), "{answer:?}");
        }
        assert!(is_unclear(&rpc::read_check(&transaction(), 0, &[])));
    }

    proptest! {
        #[test]
        fn garbage_refuses_nothing(answers in garbage(), ahead in 0_u32..3) {
            let checked = rpc::read_check(&transaction(), ahead, &answers);
            prop_assert!(!refuses(&checked), "{checked:?}");
        }
    }
}
