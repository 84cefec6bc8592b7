//! Lies in `tx_details` are named, on every kind of chain and with an approval before the call.

use crate::world::{address, inspect_one, keys, payload_step, payment};
use chains::Chain;
use chains::encoding::base64;
use prost::Message as _;
use wire::bundle::{Decoded, StepRequest, StepSource, TransactionRole, TxDetails};
use wire::keysign::keysign_payload::{SignData, SwapPayload};
use wire::keysign::{
    Coin, Erc20ApprovePayload, KeysignPayload, OneInchQuote, OneInchSwapPayload, OneInchTransaction,
    SignSolana,
};

const USDC: &str = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const ROUTER: &str = "0x111111125421cA6dc452d289314280a0f8842A65";

fn told(field: &str, text: &str) -> TxDetails {
    let mut details = TxDetails::default();
    let place = match field {
        "from" => &mut details.from,
        "to" => &mut details.to,
        "value" => &mut details.value,
        "token_symbol" => &mut details.token_symbol,
        "amount_human" => &mut details.amount_human,
        "gas_limit" => &mut details.gas_limit,
        other => panic!("{other}"),
    };
    *place = Some(text.to_owned());
    details
}

fn with(step: &StepRequest, field: &str, text: &str) -> StepRequest {
    StepRequest { details: told(field, text), ..step.clone() }
}

/// The fields that the bytes contradict, and those that they say nothing of; all on the last transaction.
fn found(step: &StepRequest) -> (Vec<String>, Vec<String>) {
    let mut decoded = inspect_one(&keys(1), step).unwrap();
    let last = decoded.pop().unwrap();
    assert!(decoded.iter().all(|first| first.contradictions.is_empty() && first.unverified.is_empty()));
    (last.contradictions.into_iter().map(|lie| lie.field).collect(), last.unverified)
}

/// T000-35: of every field of `tx_details` that can be held against the bytes, the truth passes and a lie is named.
#[test]
fn every_lie_is_named_on_every_kind_of_chain() {
    let ours = keys(1);
    for (chain, to, amount) in [
        (Chain::Ethereum, "0x6c2D1A55808AA22C0b9328925E88b6Ab5Cca9c97", "1500000000000000000"),
        (Chain::Bitcoin, "bc1q46nrwgyrp3tqjxy5fvv27gctqp9s6f0dhrm9kf", "150000000"),
        (Chain::Solana, "63fZsBvEfPMDTyXZkwKexrbejFChATd3sFYKhu4sEP8k", "1500000000"),
        (Chain::Cosmos, "cosmos1xq4d66twvl3p6dufgze6c0knc6pmy379velyu5", "1500000"),
    ] {
        let step = payload_step(&payment(&ours, chain, to, amount));
        let (from, ticker) = (address(&ours, chain), chain.native().ticker);
        let (other, shown) = (address(&keys(2), chain), format!("1.5 {ticker}"));
        let lies = [
            ("from", from.as_str(), other.as_str()),
            ("to", to, &other),
            ("value", amount, "1"),
            ("token_symbol", ticker, "USDC"),
            ("amount_human", &shown, "2.5"),
            ("gas_limit", "21000", "50000"),
        ];
        for (field, truth, lie) in lies {
            // Bitcoin has no gas: nothing can be said of it.
            let has_it = chain != Chain::Bitcoin || field != "gas_limit";
            let named = |is: bool| if is { vec![field.to_owned()] } else { Vec::new() };
            assert_eq!(found(&with(&step, field, truth)), (Vec::new(), named(!has_it)), "{chain} {field}");
            assert_eq!(found(&with(&step, field, lie)), (named(has_it), named(!has_it)), "{chain} {field}");
        }
    }
}

/// Whose contract it is can never be checked; what it is for is no claim.
#[test]
fn a_contract_name_is_always_unverified() {
    let step = payload_step(&payment(&keys(1), Chain::Ethereum, ROUTER, "1"));
    let details = TxDetails {
        contract_name: Some("1inch".into()),
        description: Some("to the moon".into()),
        ..TxDetails::default()
    };
    assert_eq!(
        found(&StepRequest { details, ..step.clone() }),
        (Vec::new(), vec!["contract_name".to_owned()])
    );
    let details = TxDetails { contract_name: Some(" ".into()), ..TxDetails::default() };
    assert_eq!(found(&StepRequest { details, ..step }), (Vec::new(), Vec::new()));
}

/// 1000 USDC are approved for a router, which is then called with unknown bytes.
fn approved_call(value: &str) -> StepRequest {
    let mut payload = payment(&keys(1), Chain::Ethereum, ROUTER, "0");
    let coin = payload.coin.as_mut().unwrap();
    *coin =
        Coin { ticker: "USDC".into(), contract_address: USDC.into(), is_native_token: false, ..coin.clone() };
    payload.erc20_approve_payload =
        Some(Erc20ApprovePayload { amount: "1000000000".into(), spender: ROUTER.into() });
    let tx = OneInchTransaction {
        from: address(&keys(1), Chain::Ethereum),
        to: ROUTER.into(),
        data: "0xdeadbeef".into(),
        value: value.into(),
        gas: 300_000,
        ..OneInchTransaction::default()
    };
    payload.swap_payload = Some(SwapPayload::OneinchSwapPayload(OneInchSwapPayload {
        from_amount: "1000000000".into(),
        quote: Some(OneInchQuote { dst_amount: "1".into(), tx: Some(tx) }),
        ..OneInchSwapPayload::default()
    }));
    payload_step(&payload)
}

/// What the unknown call leaves open, the approval confirms; what neither says is unverified.
#[test]
fn an_approval_confirms_what_its_call_leaves_open() {
    let step = approved_call("0");
    let roles: Vec<_> = inspect_one(&keys(1), &step).unwrap().iter().map(|decoded| decoded.role).collect();
    assert_eq!(roles, [TransactionRole::Approval, TransactionRole::Transfer]);
    let nothing = (Vec::new(), Vec::new());
    assert_eq!(found(&with(&step, "amount_human", "1,000 USDC")), nothing);
    assert_eq!(found(&with(&step, "token_symbol", "USDC")), nothing);
    assert_eq!(found(&with(&step, "to", ROUTER)), nothing);
    assert_eq!(found(&with(&step, "amount_human", "5 USDC")), (Vec::new(), vec!["amount_human".to_owned()]));
}

/// The approval is for 1000 USDC and for nothing; the call sends fifty ether. What is true of the approval alone does
/// not hide that.
#[test]
fn an_approval_hides_nothing() {
    let step = approved_call("50000000000000000000");
    assert_eq!(found(&with(&step, "value", "0")), (vec!["value".to_owned()], Vec::new()));
    for (field, true_of_the_approval) in
        [("amount_human", "1,000 USDC"), ("token_symbol", "USDC"), ("to", USDC)]
    {
        let open = vec![field.to_owned()];
        assert_eq!(found(&with(&step, field, true_of_the_approval)), (Vec::new(), open), "{field}");
    }
    assert_eq!(found(&with(&step, "amount_human", "1 ETH")), (vec!["amount_human".to_owned()], Vec::new()));
    assert_eq!(found(&with(&step, "value", "50 ETH")), (Vec::new(), Vec::new()));
}

/// A list of transactions is one step: all recipients are held against the claims.
#[test]
fn a_list_hides_nothing_behind_its_last() {
    let (ours, friend) = (keys(1), "63fZsBvEfPMDTyXZkwKexrbejFChATd3sFYKhu4sEP8k");
    let stranger = address(&keys(2), Chain::Solana);
    // The bytes of a payment, as a page would hand them over: one empty signature in front.
    let raw = |to: &str| {
        let opened = crate::world::opened(&crate::world::secret(1), "b");
        let step = payload_step(&payment(&ours, Chain::Solana, to, "1000000000"));
        let digest = inspect_one(&ours, &step).unwrap().remove(0).digest;
        let (bytes, ..) = crate::world::sign(&opened, &ours, &step, 0, &digest).unwrap();
        let mut bytes = chains::encoding::from_hex("bytes", &bytes).unwrap();
        bytes[1..65].fill(0);
        base64(&bytes)
    };
    let list = |transactions: Vec<String>| {
        let mut payload = payment(&ours, Chain::Solana, friend, "1000000000");
        payload.sign_data = Some(SignData::SignSolana(SignSolana { raw_transactions: transactions }));
        payload_step(&payload)
    };
    let both_to_a_friend = list(vec![raw(friend), raw(friend)]);
    assert_eq!(found(&with(&both_to_a_friend, "to", friend)), (Vec::new(), Vec::new()));
    assert_eq!(found(&with(&both_to_a_friend, "value", "2 SOL")), (Vec::new(), Vec::new()));
    let first_to_a_stranger = list(vec![raw(&stranger), raw(friend)]);
    assert_eq!(found(&with(&first_to_a_stranger, "to", friend)), (vec!["to".to_owned()], Vec::new()));
    assert_eq!(found(&with(&first_to_a_stranger, "value", "1 SOL")), (vec!["value".to_owned()], Vec::new()));
}

/// T000-35: claims are shown and compared; nothing that would be signed depends on them.
#[test]
fn no_claim_changes_a_digest() {
    let step = approved_call("7");
    let digests = |step: &StepRequest| -> Vec<String> {
        inspect_one(&keys(1), step).unwrap().into_iter().map(|Decoded { digest, .. }| digest).collect()
    };
    let honest = digests(&step);
    assert_ne!(honest[0], honest[1]);
    for field in ["from", "to", "value", "token_symbol", "amount_human", "gas_limit"] {
        assert_eq!(digests(&with(&step, field, "123456")), honest, "{field}");
    }
}

/// Two payloads that differ in one unit are two consents.
#[test]
fn a_digest_is_of_the_bytes() {
    let digest = |payload: &KeysignPayload| {
        let keysign_payload = base64(&payload.encode_to_vec());
        let step = crate::world::step(Chain::Ethereum, StepSource::Payload { keysign_payload });
        inspect_one(&keys(1), &step).unwrap().remove(0).digest
    };
    let pays = |amount| payment(&keys(1), Chain::Ethereum, ROUTER, amount);
    assert_eq!(digest(&pays("5")), digest(&pays("5")));
    assert_ne!(digest(&pays("5")), digest(&pays("6")));
}
