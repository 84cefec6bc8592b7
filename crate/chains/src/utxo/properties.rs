//! What holds for every transaction, every PSBT and every plan, not only for chosen examples.

use super::plan::{Coin, Order, Plan, memo_script, plan};
use super::previous;
use super::rules::{self, Digest};
use super::script::{pay_to, pay_to_key, pay_to_witness_key, payee, read_text};
use super::tx::{Input, OutPoint, Output, Tx, ZCASH_VERSION};
use crate::{Chain, TransactionError};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

const CHAINS: [Chain; 6] =
    [Chain::Bitcoin, Chain::Litecoin, Chain::Dogecoin, Chain::Dash, Chain::BitcoinCash, Chain::Zcash];

fn input() -> impl Strategy<Value = Input> {
    let witness = vec(vec(any::<u8>(), 0..80), 0..4).prop_map(|items| {
        let mut witness = Vec::new();
        if !items.is_empty() {
            super::tx::write_size(&mut witness, items.len());
        }
        items.iter().for_each(|item| super::tx::write_bytes(&mut witness, item));
        witness
    });
    (any::<[u8; 32]>(), any::<u32>(), vec(any::<u8>(), 0..300), any::<u32>(), witness).prop_map(
        |(id, index, script, sequence, witness)| Input {
            previous: OutPoint { id, index },
            script,
            sequence,
            witness,
        },
    )
}

fn output() -> impl Strategy<Value = Output> {
    (0..=i64::MAX.unsigned_abs(), vec(any::<u8>(), 0..300))
        .prop_map(|(value, script)| Output { value, script })
}

prop_compose! {
    fn transaction()(
        version in any::<u32>(),
        inputs in vec(input(), 1..6),
        outputs in vec(output(), 0..6),
        lock_time in any::<u32>(),
        expiry in any::<Option<u32>>(),
    ) -> Tx {
        let zcash = expiry.is_some();
        let inputs = inputs.into_iter().map(|input| Input { witness: Vec::new(), ..input }).collect();
        Tx { version: if zcash { ZCASH_VERSION } else { version }, inputs, outputs, lock_time, expiry }
    }
}

fn decode(tx: &Tx, bytes: &[u8]) -> Result<Tx, TransactionError> {
    if tx.expiry.is_some() { Tx::decode_zcash("tx", bytes) } else { Tx::decode("tx", bytes) }
}

/// What planners are asked.
#[derive(Debug, Clone)]
struct Wish {
    chain: Chain,
    values: Vec<u64>,
    amount: u64,
    everything: bool,
    byte_fee: u64,
    memo: String,
}

prop_compose! {
    fn wish()(
        chain in select(CHAINS.as_slice()),
        values in vec(prop_oneof![0_u64..5_000, 0_u64..5_000_000, 0_u64..50_000_000_000], 1..40),
        amount in prop_oneof![0_u64..5_000, 0_u64..10_000_000, 0_u64..100_000_000_000],
        everything in prop::bool::weighted(0.2),
        byte_fee in prop_oneof![Just(0_u64), 1_u64..500, 1_u64..500_000],
        memo in "[a-z:.=/]{0,80}",
    ) -> Wish {
        Wish { chain, values, amount, everything, byte_fee, memo }
    }
}

/// The scripts of a wish and its plan.
fn planned(wish: &Wish) -> (Option<Vec<u8>>, Vec<u8>, Result<Plan, TransactionError>) {
    let (rules, _) = rules::of(wish.chain).unwrap();
    let own = if rules.segwit { pay_to_witness_key(&[1; 20]) } else { pay_to_key(&[1; 20]) };
    let memo = memo_script(&wish.memo).unwrap();
    let coin = |(index, value): (usize, &u64)| Coin {
        previous: OutPoint { id: [7; 32], index: u32::try_from(index).unwrap() },
        value: *value,
    };
    let coins: Vec<Coin> = wish.values.iter().enumerate().map(coin).collect();
    let order = Order {
        rules,
        coins: &coins,
        amount: wish.amount,
        everything: wish.everything,
        byte_fee: wish.byte_fee,
        to: &pay_to_key(&[2; 20]),
        change: &own,
        memo: memo.as_deref(),
    };
    let plan = plan(&order);
    (memo, own, plan)
}

proptest! {
    /// One way to write a transaction, and it is read back.
    #[test]
    fn transactions_round_trip(tx in transaction()) {
        prop_assert_eq!(decode(&tx, &tx.encode()), Ok(tx));
    }

    /// An earlier transaction is known by its id, with or without its witnesses, and only by it.
    #[test]
    fn earlier_transactions_prove_themselves(
        tx in transaction(), witnesses in vec(vec(any::<u8>(), 0..80), 0..6), index in 0..8_u32,
        at in any::<prop::sample::Index>(), change in 1_u8..,
    ) {
        let mut tx = Tx { expiry: None, ..tx };
        for (input, item) in tx.inputs.iter_mut().zip(witnesses) {
            input.witness = vec![1];
            super::tx::write_bytes(&mut input.witness, &item);
        }
        let (id, stripped, mut bytes) = (tx.id(), tx.encode_stripped(), tx.encode());
        let mut shown = id;
        shown.reverse();
        prop_assert_eq!(previous::hashed(&bytes, &shown), Some(stripped.clone()));
        let expected = tx.outputs.get(usize::try_from(index).unwrap()).cloned();
        prop_assert_eq!(previous::output(&bytes, &id, index), expected.clone());
        prop_assert_eq!(previous::output(&stripped, &id, index), expected.clone());
        let at = at.index(bytes.len());
        bytes[at] ^= change;
        // Witnesses are not hashed.
        let found = previous::output(&bytes, &id, index);
        prop_assert!(found.is_none() || found == expected, "{:?}", found);
    }

    /// What is cut off or has something behind it is refused.
    #[test]
    fn transactions_end_where_they_end(tx in transaction(), cut in any::<prop::sample::Index>(), more in any::<u8>()) {
        let bytes = tx.encode();
        let part = &bytes[..cut.index(bytes.len())];
        prop_assert!(decode(&tx, part).is_err());
        prop_assert!(decode(&tx, &[bytes.as_slice(), &[more]].concat()).is_err());
    }

    /// What is read is written again byte by byte: nothing is overlooked.
    #[test]
    fn any_bytes_are_read_completely_or_not(tx in transaction(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = tx.encode();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(read) = decode(&tx, &bytes) {
            prop_assert_eq!(read.encode(), bytes);
        }
    }

    #[test]
    fn noise_never_panics(bytes in vec(any::<u8>(), 0..300)) {
        let _ = Tx::decode("tx", &bytes);
        let _ = previous::hashed(&bytes, &[0; 32]);
        let _ = Tx::decode_zcash("tx", &bytes);
        let _ = read_text(&bytes);
        if let Some(found) = payee(&bytes) {
            prop_assert_eq!(pay_to(&found), bytes);
        }
    }

    /// Nothing is lost, nothing is too small to be carried, and the miner gets what the rate says.
    #[test]
    fn plans_add_up(wish in wish()) {
        let (rules, _) = rules::of(wish.chain).unwrap();
        let (memo, own, plan) = planned(&wish);
        let Ok(plan) = plan else { return Ok(()) };
        let available: u64 = plan.coins.iter().map(|coin| coin.value).sum();
        prop_assert_eq!(available, plan.amount + plan.change + plan.fee);
        prop_assert!(plan.amount >= rules.dust);
        prop_assert!(plan.change == 0 || plan.change >= rules.dust);
        prop_assert!(plan.coins.iter().all(|coin| coin.value >= rules.dust));
        let mut places: Vec<u32> = plan.coins.iter().map(|coin| coin.previous.index).collect();
        places.sort_unstable();
        places.dedup();
        prop_assert_eq!(places.len(), plan.coins.len(), "a coin is spent twice");
        let total: u64 = wish.values.iter().sum();
        if wish.everything || wish.amount >= total {
            prop_assert_eq!(plan.change, 0);
        } else {
            prop_assert_eq!(plan.amount, wish.amount);
        }
        prop_assert!(plan.fee >= least_fee(&wish, &plan, memo.as_deref(), &own));
    }

    /// A payment that plainly can be made is made.
    #[test]
    fn enough_is_enough(chain in select(CHAINS.as_slice()), rate in 1_u64..100, memo in "[a-z]{0,80}") {
        let (rules, _) = rules::of(chain).unwrap();
        let amount = 10 * rules.dust;
        let wish = Wish { chain, values: vec![amount * 2 + 1_000_000; 3], amount, everything: false, byte_fee: rate, memo };
        let (_, _, plan) = planned(&wish);
        prop_assert_eq!(plan.map(|plan| plan.amount), Ok(amount));
    }
}

/// The rate for the bytes that are really sent, by a count of their own; ZIP-317's fee on Zcash.
fn least_fee(wish: &Wish, plan: &Plan, memo: Option<&[u8]>, own: &[u8]) -> u64 {
    let (rules, _) = rules::of(wish.chain).unwrap();
    let sent =
        [Some(pay_to_key(&[2; 20])), (plan.change > 0).then(|| own.to_vec()), memo.map(<[u8]>::to_vec)];
    let outputs: Vec<Output> = sent.into_iter().flatten().map(|script| Output { value: 0, script }).collect();
    let bytes = |outputs: &[Output]| {
        let mut bytes = Vec::new();
        outputs.iter().for_each(|output| output.write(&mut bytes));
        u64::try_from(bytes.len()).unwrap()
    };
    let inputs = u64::try_from(plan.coins.len()).unwrap();
    if rules.digest == Digest::Zcash {
        return 5_000 * (148 * inputs).div_ceil(150).max(bytes(&outputs).div_ceil(34)).max(2);
    }
    if rules.segwit {
        let input = |coin: &Coin| Input { witness: vec![0; 108], ..Input::unsigned(coin.previous, 0) };
        let inputs = plan.coins.iter().map(input).collect();
        let tx = Tx { version: 1, inputs, outputs, lock_time: 0, expiry: None };
        let (all, stripped) = (tx.encode().len(), tx.encode_stripped().len());
        return wish.byte_fee * u64::try_from((3 * stripped + all).div_ceil(4)).unwrap();
    }
    // The formula counts every output as one that pays to a key.
    wish.byte_fee * (148 * inputs + 34 * u64::try_from(outputs.len()).unwrap() + 10)
}
