//! Keysign payloads: what is planned, what is refused and why.

use super::support::*;
use countersign_chains::explain::{Asset, Bought, Effect, Explanation, Fee, Party, PartyRole, Swap};
use countersign_chains::facts::{Facts, Wanted};
use countersign_chains::transaction::{NetworkFacts, Role};
use countersign_chains::{Amount, Chain, Transaction, TransactionError, encoding, keysign};
use wire::keysign::keysign_payload::{SignData, SwapPayload};
use wire::keysign::{
    BitcoinInput, BitcoinOutput, Coin, KeysignPayload, OneInchSwapPayload, SignBitcoin, SignSui,
    SwapKitSwapPayload, ThorChainSwapPayload,
};
use wire::node::{FactQuery, NodeFact};

const FACTS: NetworkFacts = NetworkFacts { zcash_branch: Some([0xf0, 0x4d, 0xec, 0x4d]) };
const CHAINS: [Chain; 6] =
    [Chain::Bitcoin, Chain::Litecoin, Chain::Dogecoin, Chain::Dash, Chain::BitcoinCash, Chain::Zcash];

fn read(payload: &KeysignPayload) -> Result<Transaction, TransactionError> {
    let (chain, _) = keysign::coin(payload).unwrap();
    let mut transactions = keysign::transactions(payload, &account(chain), &FACTS)?;
    assert_eq!(transactions.len(), 1);
    Ok(transactions.remove(0))
}

fn code(payload: &KeysignPayload) -> &'static str {
    read(payload).unwrap_err().code()
}

/// What leaves, what returns and what the miner gets.
fn sums(explanation: &Explanation) -> (Amount, Amount, Amount) {
    let (mut sent, mut back) = (Amount::ZERO, Amount::ZERO);
    for effect in &explanation.effects {
        match effect {
            Effect::Transfer { amount, .. } | Effect::Swap(Swap { amount, .. }) => sent += *amount,
            Effect::Change { amount, .. } => back += *amount,
            other => panic!("{other:?}"),
        }
    }
    (sent, back, explanation.fee.known().unwrap())
}

#[test]
fn every_chain_pays_gets_change_and_signs() {
    for chain in CHAINS {
        let transaction =
            read(&KeysignPayload { memo: Some("thanks".to_owned()), ..payment(chain) }).unwrap();
        assert_eq!(transaction.role(), Role::Main);
        let facts = known_coins(chain);
        assert_eq!(transaction.check_facts(Facts(&facts)), Ok(()));
        let explanation = transaction.explain_with(Facts(&facts));
        let to = |effect: &Effect| matches!(effect, Effect::Transfer { asset: Asset::Native, to, .. } if to == other_address(chain));
        assert!(to(&explanation.effects[0]), "{:?}", explanation.effects);
        assert_eq!(explanation.memo.as_deref(), Some("thanks"));
        let (sent, back, fee) = sums(&explanation);
        assert_eq!(sent, Amount::from(2_000_000));
        let spent = if chain == Chain::Dogecoin { 5_000_000 } else { 3_000_000 };
        assert_eq!(sent + back + fee, Amount::from(spent), "{chain}");
        transaction.compile(&sign(&transaction)).unwrap();
    }
}

#[test]
fn everything_leaves_no_change() {
    for chain in CHAINS {
        let mut payload = payment(chain);
        payload.utxo_info.iter_mut().for_each(|coin| coin.amount *= 100);
        if let Some(wire::keysign::keysign_payload::BlockchainSpecific::UtxoSpecific(specific)) =
            payload.blockchain_specific.as_mut()
        {
            specific.send_max_amount = true;
        }
        let values = [(1, 300_000_000), (2, 500_000_000)];
        let earlier = values.map(|(number, value)| earlier(chain, number, value));
        for (coin, tx) in payload.utxo_info.iter_mut().zip(&earlier) {
            coin.hash = shown_id(tx);
        }
        let facts = earlier.map(|tx| known(&tx));
        let (sent, back, fee) = sums(&read(&payload).unwrap().explain_with(Facts(&facts)));
        assert_eq!((sent + fee, back), (Amount::from(800_000_000), Amount::ZERO), "{chain}");
    }
}

const UNCOVERED: [Chain; 2] = [Chain::Dogecoin, Chain::Dash];

fn wanted(chain: Chain, tx: &[u8]) -> Wanted {
    Wanted { chain, query: FactQuery::PreviousTransaction { id: shown_id(tx), json_rpc: false } }
}

/// The hash that Dogecoin and Dash sign does not cover what is spent: it comes from the transactions that are spent
/// from, or nobody is asked.
#[test]
fn values_that_no_signature_covers_come_from_earlier_transactions() {
    for chain in CHAINS {
        let transaction =
            read(&KeysignPayload { to_amount: "6000000".to_owned(), ..payment(chain) }).unwrap();
        if !UNCOVERED.contains(&chain) {
            assert_eq!((transaction.wanted(), transaction.check_facts(Facts::default())), (vec![], Ok(())));
            assert!(transaction.explain().fee.known().is_some());
            continue;
        }
        let both = [earlier(chain, 1, 3_000_000), earlier(chain, 2, 5_000_000)];
        assert_eq!(transaction.wanted(), both.clone().map(|tx| wanted(chain, &tx)));
        assert_eq!(transaction.explain().fee, Fee::Unknown);
        let missing = transaction.check_facts(Facts::default()).unwrap_err();
        assert_eq!(missing.code(), "network_fact_missing");
        let coin = format!("the value of the coin {}:1", shown_id(&both[0]));
        assert!(missing.to_string().contains(&coin), "{missing}");
        let one = [known(&both[0])];
        assert_eq!(transaction.explain_with(Facts(&one)).fee, Fee::Unknown, "of one of two");
        assert_eq!(transaction.check_facts(Facts(&one)).unwrap_err().code(), "network_fact_missing");
    }
}

/// What the payload says of a coin changes neither the fee that is shown nor what is signed; a node that knows better
/// stops it.
#[test]
fn a_claimed_value_is_no_fact() {
    // So much that the rest is below dust and goes to the miner: the outputs do not depend on it.
    for (chain, amount, more) in [(Chain::Dogecoin, 7_500_000, 100_000), (Chain::Dash, 7_996_000, 100)] {
        let facts = known_coins(chain);
        let honest = KeysignPayload { to_amount: amount.to_string(), ..payment(chain) };
        let mut lying = honest.clone();
        lying.utxo_info[1].amount += more;
        let [honest, lying] = [honest, lying].map(|payload| read(&payload).unwrap());
        assert_eq!(lying.images(), honest.images(), "{chain}");
        let explanation = honest.explain_with(Facts(&facts));
        assert_eq!(explanation.fee, Fee::AtMost(Amount::from(8_000_000 - amount)));
        assert_eq!(lying.explain_with(Facts(&facts)), explanation);
        assert_eq!(honest.check_facts(Facts(&facts)), Ok(()));
        assert_eq!(lying.check_facts(Facts(&facts)).unwrap_err().code(), "unsafe_transaction");
    }
}

/// The bytes of an earlier transaction prove themselves, and the coin must be the account's.
#[test]
fn an_earlier_transaction_must_be_the_one_that_is_spent() {
    let chain = Chain::Dogecoin;
    let mut payload = payment(chain);
    payload.utxo_info.truncate(1);
    payload.to_amount = "1000000".to_owned();
    let code = |payload: &KeysignPayload, fact: NodeFact| {
        let transaction = read(payload).unwrap();
        transaction.check_facts(Facts(&[fact])).map_err(|error| error.code())
    };
    let right = earlier(chain, 1, 3_000_000);
    assert_eq!(code(&payload, known(&right)), Ok(()));
    let lie = earlier(chain, 1, 3_000_001);
    let lie = NodeFact::PreviousTransaction { id: shown_id(&right), bytes: encoding::hex(&lie) };
    assert_eq!(code(&payload, lie), Err("network_fact_missing"), "bytes with another hash");
    payload.utxo_info[0].index = 2;
    assert_eq!(code(&payload, known(&right)), Err("network_fact_missing"), "there is no such output");
    let foreign = unsigned_tx(&[([1; 32], 0)], &[(3_000_000, p2pkh([9; 20])), (3_000_000, p2pkh([9; 20]))]);
    (payload.utxo_info[0].hash, payload.utxo_info[0].index) = (shown_id(&foreign), 1);
    assert_eq!(code(&payload, known(&foreign)), Err("not_owned"));
}

/// What goes to the signer's own address is the payment where nothing goes elsewhere.
#[test]
fn a_payment_to_oneself_is_told_as_one() {
    let to_address = account(Chain::Bitcoin).address;
    let explanation = read(&KeysignPayload { to_address, ..payment(Chain::Bitcoin) }).unwrap().explain();
    assert!(matches!(explanation.effects.as_slice(), [Effect::Transfer { .. }, Effect::Change { .. }]));
}

#[test]
fn refuses_a_payload_without_what_it_needs() {
    let payload = KeysignPayload { blockchain_specific: None, ..payment(Chain::Bitcoin) };
    assert_eq!(code(&payload), "missing_field");
    let payload = KeysignPayload { utxo_info: Vec::new(), ..payment(Chain::Bitcoin) };
    assert_eq!(code(&payload), "missing_field");
}

#[test]
fn refuses_another_account() {
    let mut payload = payment(Chain::Bitcoin);
    payload.coin.as_mut().unwrap().address = other_address(Chain::Bitcoin).to_owned();
    assert_eq!(code(&payload), "not_owned");
}

#[test]
fn refuses_addresses_of_other_chains() {
    for to in ["", "nobody", "0x52908400098527886E0F7030069857D2E4169EE7", other_address(Chain::Litecoin)] {
        let payload = KeysignPayload { to_address: to.to_owned(), ..payment(Chain::Bitcoin) };
        assert_eq!(code(&payload), "invalid_address", "{to}");
    }
}

#[test]
fn refuses_amounts_that_are_none() {
    for amount in ["", "0", "-1", "1.5", "1e6", "18446744073709551616"] {
        let payload = KeysignPayload { to_amount: amount.to_owned(), ..payment(Chain::Bitcoin) };
        assert_eq!(code(&payload), "invalid_amount", "{amount}");
    }
    let mut payload = payment(Chain::Bitcoin);
    payload.utxo_info[0].amount = -1;
    assert_eq!(code(&payload), "invalid_amount");
}

#[test]
fn refuses_too_little_and_too_much() {
    let payload = KeysignPayload { to_amount: "545".to_owned(), ..payment(Chain::Bitcoin) };
    assert_eq!(code(&payload), "below_dust");
    let payload = KeysignPayload { to_amount: "7999999".to_owned(), ..payment(Chain::Bitcoin) };
    assert_eq!(code(&payload), "insufficient_funds");
}

#[test]
fn refuses_coins_that_are_wrong_or_named_twice() {
    let mut payload = payment(Chain::Bitcoin);
    payload.utxo_info[0].hash = "ab".to_owned();
    assert_eq!(code(&payload), "malformed");
    let mut payload = payment(Chain::Bitcoin);
    payload.to_amount = "4000000".to_owned();
    payload.utxo_info[1] = payload.utxo_info[0].clone();
    assert_eq!(code(&payload), "malformed");
}

/// Nodes relay 80 bytes.
#[test]
fn refuses_a_memo_that_is_too_long() {
    let memo = |length| KeysignPayload { memo: Some("m".repeat(length)), ..payment(Chain::Bitcoin) };
    assert!(read(&memo(80)).is_ok());
    assert_eq!(code(&memo(81)), "malformed");
}

#[test]
fn zcash_needs_the_branch() {
    let transactions =
        keysign::transactions(&payment(Chain::Zcash), &account(Chain::Zcash), &NetworkFacts::default());
    assert_eq!(transactions.unwrap_err().code(), "network_fact_missing");
    let images = |branch| {
        let facts = NetworkFacts { zcash_branch: Some(branch) };
        keysign::transactions(&payment(Chain::Zcash), &account(Chain::Zcash), &facts).unwrap()[0]
            .images()
            .to_vec()
    };
    assert_ne!(images([1, 2, 3, 4]), images([1, 2, 3, 5]), "the branch is signed");
}

fn swap(memo: &str) -> KeysignPayload {
    let swap = ThorChainSwapPayload {
        vault_address: other_address(Chain::Bitcoin).to_owned(),
        from_amount: "1000000".to_owned(),
        ..Default::default()
    };
    KeysignPayload {
        to_address: account(Chain::Bitcoin).address,
        memo: Some(memo.to_owned()),
        swap_payload: Some(SwapPayload::ThorchainSwapPayload(swap)),
        ..payment(Chain::Bitcoin)
    }
}

fn deposit(network: &str) -> NodeFact {
    NodeFact::DepositAddress {
        network: network.to_owned(),
        chain: "Bitcoin".to_owned(),
        address: other_address(Chain::Bitcoin).to_owned(),
        router: None,
    }
}

/// The vault is paid, not `to_address`; what is wanted is read from the memo that is signed, if the network's own nodes
/// say that it takes deposits there.
#[test]
fn a_swap_pays_the_vault_and_says_what_it_wants() {
    let transaction = read(&swap("=:ETH.ETH:0xdead/0xbeef:123/1/0")).unwrap();
    assert_eq!(transaction.role(), Role::Main);
    let networks = [Chain::ThorChain, Chain::MayaChain];
    let asked = networks.map(|chain| Wanted { chain, query: FactQuery::DepositAddresses });
    assert_eq!(transaction.wanted(), asked);
    let facts = [deposit("MayaChain")];
    let explanation = transaction.explain_with(Facts(&facts));
    let expected = Swap {
        provider: Some("MayaChain"),
        router: other_address(Chain::Bitcoin).to_owned(),
        sell: Asset::Native,
        amount: Amount::from(1_000_000),
        buy: Some(Bought::Named("ETH.ETH".to_owned())),
        minimum_out: Some(Amount::from(123)),
        recipient: Some("0xdead".to_owned()),
    };
    assert_eq!(explanation.effects[0], Effect::Swap(expected));
    let parties = explanation.every_party();
    for party in [Party::new("0xdead", PartyRole::Destination), Party::new("0xbeef", PartyRole::Refund)] {
        assert!(parties.contains(&party), "{parties:?}");
    }
}

/// Whatever the payload says, without the network's word it is a payment to the address, and the memo's target is a way
/// out all the same.
#[test]
fn a_swap_to_an_unproven_address_is_a_payment() {
    let to = other_address(Chain::Bitcoin).to_owned();
    let sent = Effect::Transfer { asset: Asset::Native, to, amount: Amount::from(1_000_000) };
    let with_payload = swap("=:ETH.ETH:0xdead:123/1/0");
    let without = KeysignPayload {
        swap_payload: None,
        to_address: other_address(Chain::Bitcoin).to_owned(),
        to_amount: "1000000".to_owned(),
        ..with_payload.clone()
    };
    let explained = [with_payload, without].map(|payload| read(&payload).unwrap().explain());
    assert_eq!(explained[0], explained[1]);
    assert_eq!(explained[0].effects[0], sent);
    assert!(explained[0].every_party().contains(&Party::new("0xdead", PartyRole::Destination)));
}

#[test]
fn refuses_a_swap_without_a_network() {
    assert_eq!(code(&swap("")), "missing_field");
    let aggregator = SwapPayload::OneinchSwapPayload(OneInchSwapPayload::default());
    let payload = KeysignPayload { swap_payload: Some(aggregator), ..payment(Chain::Bitcoin) };
    assert_eq!(code(&payload), "unsupported_payload");
}

#[test]
fn refuses_sign_data_of_other_chains() {
    let data = SignData::SignSui(SignSui::default());
    assert_eq!(
        code(&KeysignPayload { sign_data: Some(data), ..payment(Chain::Bitcoin) }),
        "unsupported_payload"
    );
    let data = SignData::SignBitcoin(structured());
    let payload = KeysignPayload { sign_data: Some(data), ..payment(Chain::Dogecoin) };
    assert_eq!(code(&payload), "unsupported_payload");
}

/// One own input and a foreign one.
fn structured() -> SignBitcoin {
    let own = BitcoinInput {
        hash: "ab".repeat(32),
        index: 1,
        amount: 100_000,
        script_pub_key: encoding::hex(&p2wpkh(key_hash())),
        script_type: "p2wpkh".to_owned(),
        is_ours: true,
        ..Default::default()
    };
    let pay = BitcoinOutput {
        amount: 60_000,
        address: other_address(Chain::Bitcoin).to_owned(),
        script_pub_key: "0014751e76e8199196d454941c45d1b3a323f1433bd6".to_owned(),
        ..Default::default()
    };
    let back = BitcoinOutput {
        amount: 39_000,
        address: account(Chain::Bitcoin).address,
        script_pub_key: encoding::hex(&p2wpkh(key_hash())),
        is_change: true,
        ..Default::default()
    };
    SignBitcoin { version: 2, locktime: 0, inputs: vec![own], outputs: vec![pay, back] }
}

fn with(data: SignBitcoin) -> KeysignPayload {
    KeysignPayload { sign_data: Some(SignData::SignBitcoin(data)), ..payment(Chain::Bitcoin) }
}

#[test]
fn sign_bitcoin_is_signed_as_it_is() {
    let transaction = read(&with(structured())).unwrap();
    assert_eq!(
        sums(&transaction.explain()),
        (Amount::from(60_000), Amount::from(39_000), Amount::from(1000))
    );
    transaction.compile(&sign(&transaction)).unwrap();
}

/// The inputs of others get no signature, and with them the fee is unknown.
#[test]
fn sign_bitcoin_signs_own_inputs_only() {
    let mut data = structured();
    let mut other = data.inputs[0].clone();
    (other.hash, other.is_ours) = ("cd".repeat(32), false);
    other.script_pub_key = encoding::hex(&foreign_script());
    data.inputs.push(other);
    let transaction = read(&with(data.clone())).unwrap();
    assert_eq!(transaction.images().len(), 1);
    let explanation = transaction.explain();
    assert_eq!(explanation.fee, Fee::Unknown);
    let named = |effect: &Effect| matches!(effect, Effect::Other { name, .. } if name == "inputs of others");
    assert!(explanation.effects.iter().any(named));
    data.inputs.remove(0);
    assert_eq!(code(&with(data)), "not_owned", "none of them is ours");
}

#[test]
fn sign_bitcoin_refuses_what_does_not_fit_together() {
    type Change = fn(&mut SignBitcoin);
    let cases: [(Change, &str); 10] = [
        (|data| data.inputs[0].script_pub_key = encoding::hex(&foreign_script()), "not_owned"),
        (|data| data.inputs[0].script_type = "p2tr".to_owned(), "unsupported_payload"),
        (|data| data.inputs[0].script_type = "p2sh-p2wpkh".to_owned(), "unsupported_payload"),
        (|data| data.inputs[0].sighash_type = Some(0x81), "unsupported_payload"),
        (|data| data.inputs[0].amount = -5, "invalid_amount"),
        (|data| data.inputs[0].amount = 98_999, "insufficient_funds"),
        (|data| data.inputs.clear(), "missing_field"),
        (|data| data.outputs[0].is_change = true, "unsafe_transaction"),
        (|data| data.outputs[0].address = account(Chain::Bitcoin).address, "unsafe_transaction"),
        (|data| data.outputs[0].op_return_data = Some("00".to_owned()), "unsafe_transaction"),
    ];
    for (index, (change, expected)) in cases.into_iter().enumerate() {
        let mut data = structured();
        change(&mut data);
        assert_eq!(code(&with(data)), expected, "case {index}");
    }
}

fn swapkit(psbt: &Psbt, target_address: &str, from_amount: &str) -> KeysignPayload {
    let swap = SwapKitSwapPayload {
        tx_type: "PSBT".to_owned(),
        tx_payload: psbt.bytes(),
        target_address: target_address.to_owned(),
        from_amount: from_amount.to_owned(),
        to_coin: Some(Coin { chain: "Ethereum".to_owned(), ticker: "ETH".to_owned(), ..Default::default() }),
        sub_provider: "CHAINFLIP".to_owned(),
        ..Default::default()
    };
    KeysignPayload { swap_payload: Some(SwapPayload::SwapkitSwapPayload(swap)), ..payment(Chain::Bitcoin) }
}

/// The address of [`foreign_script`].
fn foreign_address() -> String {
    bech32::segwit::encode_v0(bech32::hrp::BC, &[9; 20]).unwrap()
}

#[test]
fn swapkit_must_pay_whom_it_names_and_not_more() {
    let psbt = Psbt::spending(&[p2wpkh(key_hash())]);
    let foreign_script = read(&KeysignPayload { to_address: foreign_address(), ..payment(Chain::Bitcoin) });
    assert!(foreign_script.is_ok(), "{foreign_script:?}");
    let transaction = read(&swapkit(&psbt, &foreign_address(), "60000")).unwrap();
    assert_eq!(transaction.role(), Role::Main);
    let Effect::Transfer { to, .. } = transaction.explain().effects.remove(0) else { panic!("a payment") };
    assert_eq!(to, foreign_address());
    let said: Vec<_> = transaction.claims().iter().map(|claim| claim.to_wire()).collect();
    assert!(said.iter().any(|claim| claim.about == "swap provider" && claim.text == "CHAINFLIP"), "{said:?}");
    assert_eq!(code(&swapkit(&psbt, &foreign_address(), "59999")), "unsafe_transaction");
    assert_eq!(code(&swapkit(&psbt, other_address(Chain::Bitcoin), "60000")), "unsafe_transaction");
    let mut two = psbt;
    two.tx = unsigned_tx(
        &[([3; 32], 0)],
        &[(30_000, super::support::foreign_script()), (30_000, p2wpkh([8; 20]))],
    );
    assert_eq!(code(&swapkit(&two, &foreign_address(), "60000")), "unsafe_transaction");
    two.tx = unsigned_tx(
        &[([3; 32], 0)],
        &[(10_000, super::support::foreign_script()), (1_000, p2wpkh(key_hash()))],
    );
    assert_eq!(
        code(&swapkit(&two, &foreign_address(), "60000")),
        "unsafe_transaction",
        "the fee is more than the amount"
    );
}

/// A payload may carry the PSBT taken apart as well; both must be one transaction.
#[test]
fn swapkit_and_sign_bitcoin_must_agree() {
    let mut payload = swapkit(&Psbt::spending(&[p2wpkh(key_hash())]), &foreign_address(), "60000");
    payload.sign_data = Some(SignData::SignBitcoin(structured()));
    assert_eq!(code(&payload), "unsafe_transaction");
}

#[test]
fn refuses_swapkit_transactions_of_other_kinds() {
    for kind in ["", "SUI", "something new"] {
        let mut payload = swapkit(&Psbt::spending(&[p2wpkh(key_hash())]), &foreign_address(), "60000");
        if let Some(SwapPayload::SwapkitSwapPayload(swap)) = payload.swap_payload.as_mut() {
            swap.tx_type = kind.to_owned();
        }
        assert_eq!(code(&payload), "unsupported_payload", "{kind}");
    }
}
