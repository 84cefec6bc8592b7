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
        let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Some(Effect::Other { name: name.to_owned(), fields: fields.collect() })
    };
    assert_eq!(other("bond:thor1node::12"), told("BOND", &[("node", "thor1node"), ("fee", "12")]));
    assert_eq!(other("POOL+"), told("POOL+", &[]));
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
