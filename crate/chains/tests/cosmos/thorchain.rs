//! Keysign payloads of THORChain and MayaChain.

use crate::given::{address, amount, build, coin, contract, deposit, effects, refused};
use countersign_chains::Chain;
use countersign_chains::explain::{Asset, Bought, Effect, Fee, Function, Party, PartyRole, Swap};
use countersign_chains::facts::Facts;
use countersign_chains::transaction::Role;
use wire::keysign::keysign_payload::{BlockchainSpecific, SwapPayload};
use wire::keysign::{
    Coin, KeysignPayload, MayaChainSpecific, OneInchSwapPayload, ThorChainSpecific, ThorChainSwapPayload,
};

fn thor(is_deposit: bool, transaction_type: i32, memo: &str) -> KeysignPayload {
    let specific =
        ThorChainSpecific { account_number: 7, sequence: 3, fee: 2_000_000, is_deposit, transaction_type };
    KeysignPayload {
        coin: Some(coin(Chain::ThorChain)),
        to_address: address("thor", 2),
        to_amount: "5".to_owned(),
        memo: Some(memo.to_owned()),
        blockchain_specific: Some(BlockchainSpecific::ThorchainSpecific(specific)),
        ..KeysignPayload::default()
    }
}

fn maya(is_deposit: bool, memo: &str) -> KeysignPayload {
    let specific = MayaChainSpecific { account_number: 7, sequence: 3, is_deposit };
    KeysignPayload {
        coin: Some(coin(Chain::MayaChain)),
        to_address: address("maya", 2),
        blockchain_specific: Some(BlockchainSpecific::MayaSpecific(specific)),
        ..thor(false, 0, memo)
    }
}

fn token(payload: KeysignPayload, ticker: &str, contract_address: &str) -> KeysignPayload {
    let coin = payload.coin.clone().map(|coin| Coin {
        ticker: ticker.to_owned(),
        contract_address: contract_address.to_owned(),
        is_native_token: false,
        ..coin
    });
    KeysignPayload { coin, ..payload }
}

fn swap(from: Chain, from_amount: &str) -> ThorChainSwapPayload {
    ThorChainSwapPayload {
        from_coin: Some(coin(from)),
        from_amount: from_amount.to_owned(),
        vault_address: address("thor", 9),
        ..ThorChainSwapPayload::default()
    }
}

fn other(name: &str, fields: &[(&str, &str)]) -> Effect {
    let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Effect::Other { name: name.to_owned(), fields }
}

#[test]
fn thorchain_payment_states_no_fee() {
    let explanation = build(&thor(false, 0, "hello")).unwrap().explain();
    let sent = Effect::Transfer { asset: Asset::Native, to: address("thor", 2), amount: amount(5) };
    assert_eq!(explanation.effects, [sent]);
    assert_eq!((explanation.fee, explanation.gas_limit), (Fee::SetByChain, Some(20_000_000)));
    let asset = |id: &str| Asset::Token { id: id.to_owned() };
    let of = |payload: &KeysignPayload| match effects(payload).remove(0) {
        Effect::Transfer { asset, .. } => asset,
        other => panic!("{other:?}"),
    };
    assert_eq!(of(&token(thor(false, 0, ""), "LTC", "LTC-LTC")), asset("ltc-ltc"));
    assert_eq!(of(&token(maya(false, ""), "MAYA", "maya")), asset("maya"));
    assert_eq!(build(&maya(false, "")).unwrap().explain().gas_limit, Some(2_000_000_000));
}

/// What is put in stays the signer's. Coins beside another memo do not.
#[test]
fn what_is_put_into_the_network_is_no_payment() {
    let fields = vec![("amount".to_owned(), "5 THOR.RUNE".to_owned())];
    let put_in = Effect::Note { name: "POOL+".to_owned(), fields };
    let explanation = build(&thor(true, 0, "POOL+")).unwrap().explain();
    assert_eq!((explanation.effects.as_slice(), explanation.every_party()), ([put_in].as_slice(), vec![]));
    for memo in ["POOL-:100", "-:BTC.BTC:10000"] {
        assert_eq!(effects(&thor(true, 0, memo))[0], given("THORChain", Asset::Native, 5), "{memo}");
    }
}

fn given(network: &str, asset: Asset, sum: u64) -> Effect {
    Effect::Transfer { asset, to: network.to_owned(), amount: amount(sum) }
}

#[test]
fn deposit_effect_follows_the_memo() {
    let explanation = build(&thor(true, 0, "BOND:thor1node")).unwrap().explain();
    let bond = other("BOND", &[("node", "thor1node")]);
    assert_eq!(explanation.effects, [given("THORChain", Asset::Native, 5), bond]);
    assert!(explanation.parties.contains(&Party::new("thor1node", PartyRole::Authority)));
    assert_eq!((explanation.fee, explanation.memo.as_deref()), (Fee::SetByChain, Some("BOND:thor1node")));
    let unknown = |memo| other("MsgDeposit", &[("memo", memo)]);
    let told = effects(&thor(true, 0, "what is this"));
    assert_eq!(told, [given("THORChain", Asset::Native, 5), unknown("what is this")]);
    let nothing = KeysignPayload { to_amount: "0".to_owned(), ..maya(true, "what") };
    assert_eq!(effects(&nothing), [unknown("what")]);
    let token = |ticker: &str, id: &str| token(thor(true, 0, "what"), ticker, id);
    let asset = |id: &str| Asset::Token { id: id.to_owned() };
    let secured = given("THORChain", asset("eth-usdc-0xa0"), 5);
    assert_eq!(effects(&token("USDC", "eth-usdc-0xa0")), [secured, unknown("what")]);
    let own = given("THORChain", asset("x/ruji"), 5);
    assert_eq!(effects(&token("x/ruji", "x/ruji-a")), [own, unknown("what")]);
}

/// A memo that asks for something else than a swap hides no payment.
#[test]
fn a_payment_with_any_memo_is_a_payment() {
    for memo in ["BOND:thor1node", "+:BTC.BTC", "name:somebody", "a"] {
        assert_eq!(effects(&thor(false, 0, memo)), [given(&address("thor", 2), Asset::Native, 5)], "{memo}");
    }
}

#[test]
fn swap_on_its_own_network_is_a_deposit() {
    let payload = KeysignPayload {
        swap_payload: Some(SwapPayload::ThorchainSwapPayload(swap(Chain::ThorChain, "9"))),
        ..thor(false, 0, "=:d:DAddress:2e9/1/0")
    };
    let transaction = build(&payload).unwrap();
    let expected = |provider: &'static str, sum, buy: &str| Swap {
        provider: Some(provider),
        router: provider.to_owned(),
        sell: Asset::Native,
        amount: amount(sum),
        buy: Some(Bought::Named(buy.to_owned())),
        minimum_out: Some(amount(2_000_000_000)),
        recipient: Some("DAddress".to_owned()),
    };
    assert_eq!(transaction.explain().effects, [Effect::Swap(expected("THORChain", 9, "DOGE.DOGE"))]);
    assert_eq!((transaction.role(), transaction.explain().memo), (Role::Main, None));
    let payload = KeysignPayload {
        swap_payload: Some(SwapPayload::MayachainSwapPayload(swap(Chain::MayaChain, "5"))),
        ..maya(true, "=:d:DAddress:2e9/1/0")
    };
    let explanation = build(&payload).unwrap().explain();
    assert_eq!(explanation.effects, [Effect::Swap(expected("MayaChain", 5, "DASH.DASH"))]);
    assert_eq!(explanation.memo.as_deref(), Some("=:d:DAddress:2e9/1/0"));
}

#[test]
fn a_swap_on_the_other_network_is_a_payment_with_a_memo() {
    let payload = KeysignPayload {
        swap_payload: Some(SwapPayload::MayachainSwapPayload(swap(Chain::ThorChain, "9"))),
        ..thor(false, 0, "=:c:maya1x:0/3/0")
    };
    assert_eq!(effects(&payload), [given(&address("thor", 2), Asset::Native, 5)], "nobody proves a swap");
    let facts = [deposit("MayaChain", "THORChain", &address("thor", 2))];
    let effects = build(&payload).unwrap().explain_with(Facts(&facts)).effects;
    let [Effect::Swap(swap)] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!(
        (swap.provider, &swap.router, swap.amount),
        (Some("MayaChain"), &address("thor", 2), amount(5))
    );
    assert_eq!(swap.buy, Some(Bought::Named("MAYA.CACAO".to_owned())));
}

#[test]
fn a_swap_that_says_two_things_is_refused() {
    let with = |payload: KeysignPayload, swap| KeysignPayload { swap_payload: Some(swap), ..payload };
    let own = |amount| SwapPayload::ThorchainSwapPayload(swap(Chain::ThorChain, amount));
    let foreign = SwapPayload::MayachainSwapPayload(swap(Chain::ThorChain, "5"));
    assert!(build(&with(thor(true, 0, "=:b:x"), own("5"))).is_ok());
    assert_eq!(
        refused(&with(thor(true, 0, "=:b:x"), own("6"))),
        "refused: to_amount and the swap's from_amount differ"
    );
    assert_eq!(
        refused(&with(thor(true, 0, "=:b:x"), foreign)),
        "refused: a deposit with the memo of another network"
    );
    assert_eq!(refused(&with(thor(false, 0, ""), own("5"))), "memo is missing");
    let bitcoin = SwapPayload::ThorchainSwapPayload(swap(Chain::Cosmos, "5"));
    assert_eq!(refused(&with(thor(false, 0, "=:b:x"), bitcoin)), "from_coin.chain is not the coin's chain");
    let inch = SwapPayload::OneinchSwapPayload(OneInchSwapPayload::default());
    assert_eq!(refused(&with(thor(false, 0, "=:b:x"), inch)), "not supported: this swap on this chain");
}

#[test]
fn merging_calls_the_contract_that_takes_over() {
    let merge = |kind, memo: &str| KeysignPayload { to_address: contract("thor"), ..thor(true, kind, memo) };
    let call = |signature: &str, arguments| Effect::Call {
        contract: contract("thor"),
        value: amount(0),
        function: Function::Known { signature: signature.to_owned(), arguments },
    };
    let sent = Effect::Transfer {
        asset: Asset::Token { id: "thor.kuji".to_owned() },
        to: contract("thor"),
        amount: amount(5),
    };
    for kind in [0, 4] {
        assert_eq!(effects(&merge(kind, "merge:THOR.KUJI")), [sent.clone(), call("deposit", Vec::new())]);
    }
    let shares = vec![("share_amount".to_owned(), "12".to_owned())];
    for kind in [0, 5] {
        assert_eq!(effects(&merge(kind, "unmerge:thor.kuji:12")), [call("withdraw", shares.clone())]);
    }
    assert_eq!(refused(&merge(4, "x")), "memo is not merge:denom");
    assert_eq!(refused(&merge(4, "merge:a b")), "memo is not a denom");
    assert_eq!(refused(&merge(5, "unmerge:thor.kuji")), "memo is not unmerge:denom:shares");
    let quoted = refused(&merge(5, r#"unmerge:thor.kuji:1" }, "x": { "y": "2"#));
    assert_eq!(quoted, "memo is not an amount the chain can carry");
    assert_eq!(refused(&merge(8, "x")), "wasm_execute_contract_payload is missing");
    assert_eq!(refused(&merge(1, "x")), "not supported: this transaction_type on this chain");
    assert_eq!(refused(&merge(77, "x")), "not supported: a transaction_type that is not known here");
}

#[test]
fn an_account_of_another_chain_is_no_account_here() {
    let other = KeysignPayload { to_address: address("maya", 2), ..thor(false, 0, "") };
    assert_eq!(build(&other).unwrap_err().code(), "invalid_address");
    let nowhere = KeysignPayload { to_address: String::new(), ..thor(false, 0, "") };
    assert_eq!(build(&nowhere).unwrap_err().code(), "invalid_address");
    assert!(build(&KeysignPayload { to_address: String::new(), ..thor(true, 0, "bond:x") }).is_ok());
}

/// The network is told what to do by the memo alone: what is not read of it is not weighed, and whom it names is a party.
#[test]
fn a_deposit_is_weighed_if_its_memo_is_read_whole() {
    use PartyRole::{Authority, Destination, FeePayee, Refund};
    type Named = &'static [(&'static str, PartyRole)];
    let cases: [(&str, bool, Named); 9] = [
        ("=:BTC.BTC:bc1:100", true, &[("bc1", Destination)]),
        ("=:b:bc1/thor1back:100/1/0:t:50", true, &[("thor1back", Refund), ("t", FeePayee)]),
        ("=:ETH.ETH:0xto:100:t:50:0xaggregator:0xtoken:0", false, &[("0xaggregator", Destination)]),
        ("=:nonsense:bc1", false, &[("bc1", Destination)]),
        ("-:BTC.BTC:10000", true, &[]),
        ("+:BTC.BTC:bc1pair", false, &[("bc1pair", Destination)]),
        ("BOND:thor1node:thor1provider", false, &[("thor1node", Authority), ("thor1provider", Authority)]),
        ("x:thor1contract:e30=", false, &[("thor1contract", Destination)]),
        ("what is this", false, &[]),
    ];
    for (memo, weighed, parties) in cases {
        let found = build(&thor(true, 0, memo)).unwrap().explain();
        let unread = found.effects.iter().any(|effect| matches!(effect, Effect::Other { .. }));
        assert_eq!(!unread, weighed, "{memo}: {:?}", found.effects);
        for (address, role) in parties {
            assert!(found.every_party().contains(&Party::new(*address, *role)), "{memo}: {address}");
        }
    }
}
