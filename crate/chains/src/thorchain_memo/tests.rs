//! What memos ask for, and whom they name.

use super::*;

fn read(network: Chain, memo: &str) -> Option<Effect> {
    effect(network, memo, "router", &Asset::Native, Amount::from(5))
}

fn swap_of(memo: &str) -> Swap {
    match read(Chain::ThorChain, memo) {
        Some(Effect::Swap(swap)) => swap,
        other => panic!("{other:?}"),
    }
}

#[test]
fn swap_names_asset_recipient_and_minimum() {
    let expected = Swap {
        provider: Some("THORChain"),
        router: "router".to_owned(),
        sell: Asset::Native,
        amount: Amount::from(5),
        buy: Some(Bought::Named("DOGE.DOGE".to_owned())),
        minimum_out: Some(Amount::from(2_000_000_000_u64)),
        recipient: Some("DAddress".to_owned()),
    };
    for memo in [
        "=:DOGE.DOGE:DAddress:2000000000/14400/0:va:50",
        "SWAP:DOGE.DOGE:DAddress:2e9",
        "s:d:DAddress/thor1refund:2E9/1/0",
        "=<:DOGE.DOGE:DAddress:2000000000/14400/0:va:50",
    ] {
        assert_eq!(swap_of(memo), expected, "{memo}");
    }
}

#[test]
fn what_a_swap_does_not_state_is_not_made_up() {
    let swap = swap_of("=:BTC.BTC");
    assert_eq!((swap.recipient, swap.minimum_out), (None, None));
    assert_eq!(swap_of("=:BTC.BTC::x").minimum_out, None);
    assert_eq!(swap_of("=:BTC.BTC::1e90").minimum_out, None, "more than 256 bits");
    assert_eq!(swap_of("=:BTC.BTC:a:0/1/0").minimum_out, Some(Amount::ZERO));
}

#[test]
fn one_letter_means_another_asset_on_the_other_network() {
    assert_eq!(swap_of("=:c:a").buy, Some(Bought::Named("BCH.BCH".to_owned())));
    let Some(Effect::Swap(swap)) = read(Chain::MayaChain, "=:c:a") else { panic!("a swap") };
    assert_eq!(swap.buy, Some(Bought::Named("MAYA.CACAO".to_owned())));
}

#[test]
fn other_memo_actions_are_not_swaps() {
    let told = |name: &str, fields: &[(&str, &str)]| {
        Some(Effect::other(name, fields.iter().map(|(name, value)| (*name, (*value).to_owned()))))
    };
    assert_eq!(other("bond:thor1node::12"), told("BOND", &[("node", "thor1node"), ("fee", "12")]));
    assert_eq!(other("RUNEPOOL"), told("RUNEPOOL", &[]));
    assert_eq!(other("+:BTC.BTC:a:b:c:d"), {
        let fields =
            [("pool", "BTC.BTC"), ("paired_address", "a"), ("affiliate", "b"), ("affiliate_fee", "c")];
        told("ADD", &[&fields[..], &[("more", "d")]].concat())
    });
    for memo in ["bond:thor1node", "POOL+", "+:BTC.BTC"] {
        assert_eq!(read(Chain::ThorChain, memo), None, "{memo}");
    }
    assert_eq!(other("=:b:x"), None);
}

#[test]
fn a_text_that_is_no_such_memo_is_nothing() {
    let long = format!("=:b:{}", "x".repeat(500));
    for memo in ["", "hello", "=", "=:", "hello:world", &long] {
        assert_eq!((read(Chain::ThorChain, memo), other(memo)), (None, None), "{memo}");
    }
}

/// With an aggregator the network sells once more, for something else: the memo is not read whole.
#[test]
fn a_swap_that_goes_on_is_not_this_swap() {
    assert!(read(Chain::ThorChain, "=:ETH.ETH:0xto:5:t:50").is_some());
    assert!(read(Chain::ThorChain, "=:ETH.ETH:0xto:5:t:50:::").is_some());
    for memo in ["=:ETH.ETH:0xto:5:t:50:aggregator:token:0", "=:ETH.ETH:0xto:5::::token"] {
        assert_eq!(read(Chain::ThorChain, memo), None, "{memo}");
    }
    for memo in ["=:nonsense:0xto", "=:.X:0xto", "=:BTC.:0xto", "=:BTC.BTC:0x to", "=:BTC.BTC:0xtó"] {
        assert_eq!(read(Chain::ThorChain, memo), None, "{memo}");
    }
    assert_eq!(swap_of("lo:BTC.BTC:a:7").minimum_out, Some(Amount::from(7)));
    assert_eq!(swap_of("=:b:a:7|anything:else").minimum_out, Some(Amount::from(7)));
}

#[test]
fn everybody_whom_a_memo_names_is_a_party() {
    let named =
        |memo: &str| parties(memo).into_iter().map(|party| (party.address, party.role)).collect::<Vec<_>>();
    let of = |list: &[(&str, PartyRole)]| {
        list.iter().map(|(address, role)| ((*address).to_owned(), *role)).collect::<Vec<_>>()
    };
    use PartyRole::{Authority, Destination, FeePayee, Refund};
    let cases = [
        ("=:BTC.BTC:a", of(&[("a", Destination)])),
        (
            "SWAP:b:a/r:0:t1/t2:10/0",
            of(&[("a", Destination), ("r", Refund), ("t1", FeePayee), ("t2", FeePayee)]),
        ),
        ("=:b:a:0:t:0", of(&[("a", Destination)])),
        ("=:b:a:0:t", of(&[("a", Destination), ("t", FeePayee)])),
        ("=:ETH.ETH:a:0:t:9:agg:tok:0", of(&[("a", Destination), ("t", FeePayee), ("agg", Destination)])),
        ("limito:b:a|:x", of(&[("a", Destination)])),
        ("+:BTC.BTC:pair:aff:9", of(&[("pair", Destination), ("aff", FeePayee)])),
        ("BOND:node:provider:9", of(&[("node", Authority), ("provider", Authority)])),
        ("UNBOND:node:5:provider", of(&[("node", Authority), ("provider", Authority)])),
        ("TRADE-:to", of(&[("to", Destination)])),
        ("x:contract:e30=", of(&[("contract", Destination)])),
        ("hello:a:b", vec![]),
        ("", vec![]),
    ];
    for (memo, expected) in cases {
        assert_eq!(named(memo), expected, "{memo}");
    }
    let account = "thor1dheycdevq39qlkxs2a6wuuzyn4aqxhve4qxtxt";
    assert_eq!(named(&format!("LEAVE:x:{account}"))[1], (account.to_owned(), Destination));
}

/// What returns to the signer is harmless; with a parameter that is not known it is not.
#[test]
fn what_stays_the_signers_is_a_note() {
    for memo in ["-:BTC.BTC:10000", "wd:BTC.BTC:1:THOR.RUNE", "POOL+", "POOL-:100", "TCY+", "TCY-:10"] {
        assert!(matches!(other(memo), Some(Effect::Note { .. })), "{memo}");
    }
    for memo in ["POOL-:100:thor1aff:50", "POOL+:x", "BOND:n", "DONATE:b", "+:b:a", "TRADE-:a", "x:c:m"] {
        assert!(matches!(other(memo), Some(Effect::Other { .. })), "{memo}");
    }
}

/// Only the network's own node proves that a payment is a swap.
#[test]
fn a_payment_is_a_swap_where_the_network_takes_deposits() {
    let fact = wire::node::NodeFact::DepositAddress {
        network: "MayaChain".to_owned(),
        chain: "Dash".to_owned(),
        address: "vault".to_owned(),
        router: None,
    };
    let facts = [fact];
    let paid = |chain, memo, to| payment(chain, Facts(&facts), memo, to, Asset::Native, Amount::from(5));
    let swap = paid(Chain::Dash, "=:c:maya1x", "vault");
    assert!(matches!(swap, Effect::Swap(swap) if swap.provider == Some("MayaChain")));
    for plain in [
        paid(Chain::Dash, "=:c:maya1x", "thief"),
        paid(Chain::Bitcoin, "=:c:maya1x", "vault"),
        paid(Chain::Dash, "=:c:maya1x:0:t:9:agg", "vault"),
        paid(Chain::Dash, "hello", "vault"),
    ] {
        assert!(matches!(plain, Effect::Transfer { .. }), "{plain:?}");
    }
    assert_eq!((wanted("=:c:maya1x").len(), wanted("hello").len()), (2, 0));
}
