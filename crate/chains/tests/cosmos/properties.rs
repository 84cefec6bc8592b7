//! What holds for every input, not only for chosen examples.

use crate::given::{account, address, build, doc, payload, raw, sign};
use crate::unsigned;
use countersign_chains::signing::{Image, Signature, SignatureError};
use countersign_chains::transaction::NetworkFacts;
use countersign_chains::{Chain, Network, TransactionError, keysign};
use proptest::prelude::*;
use proptest::sample::select;
use sha2::{Digest, Sha256};
use wire::keysign::keysign_payload::{BlockchainSpecific, ContractPayload, SignData, SwapPayload};
use wire::keysign::{
    CosmosCoin, CosmosFee, CosmosIbcDenomTrace, CosmosMsg, CosmosSpecific, KeysignPayload, MayaChainSpecific,
    SignAmino, SignDirect, ThorChainSpecific, ThorChainSwapPayload, WasmExecuteContractPayload,
};

fn chain() -> impl Strategy<Value = Chain> {
    let cosmos = |chain: &&Chain| matches!(chain.network(), Network::Cosmos { .. } | Network::Qbtc { .. });
    select(Chain::ALL.iter().filter(cosmos).copied().collect::<Vec<_>>())
}

/// Texts that get further into the readers than noise does.
fn text() -> impl Strategy<Value = String> {
    let starts =
        ["", "merge:", "unmerge:a:", "=:b:", "a:channel-0:", "DYDX_VOTE:YES:", "1_", "{\"a\":", "ibc/"];
    let whole =
        vec![address("cosmos", 1), address("thor", 1), address("thor", 2), "7".to_owned(), "{}".to_owned()];
    let made = (select(starts.to_vec()), "[ -~é:]{0,40}").prop_map(|(start, rest)| format!("{start}{rest}"));
    prop_oneof![made, select(whole)]
}

fn specific() -> impl Strategy<Value = Option<BlockchainSpecific>> {
    let cosmos = (any::<[u64; 3]>(), 0..12, text(), any::<Option<u64>>()).prop_map(
        |([account_number, sequence, gas], transaction_type, latest_block, gas_limit)| {
            let trace = CosmosIbcDenomTrace { latest_block, ..CosmosIbcDenomTrace::default() };
            BlockchainSpecific::CosmosSpecific(CosmosSpecific {
                account_number,
                sequence,
                gas,
                transaction_type,
                ibc_denom_traces: Some(trace),
                gas_limit,
                ..CosmosSpecific::default()
            })
        },
    );
    let thor = (any::<[u64; 3]>(), any::<bool>(), 0..12).prop_map(
        |([account_number, sequence, fee], is_deposit, transaction_type)| {
            let specific = ThorChainSpecific { account_number, sequence, fee, is_deposit, transaction_type };
            BlockchainSpecific::ThorchainSpecific(specific)
        },
    );
    let maya = any::<([u64; 2], bool)>().prop_map(|([account_number, sequence], is_deposit)| {
        BlockchainSpecific::MayaSpecific(MayaChainSpecific { account_number, sequence, is_deposit })
    });
    proptest::option::weighted(0.95, prop_oneof![cosmos, thor, maya])
}

fn sign_data() -> impl Strategy<Value = Option<SignData>> {
    let direct =
        (text(), text(), text(), text()).prop_map(|(body_bytes, auth_info_bytes, chain_id, number)| {
            let account_number = number;
            SignData::SignDirect(SignDirect { body_bytes, auth_info_bytes, chain_id, account_number })
        });
    let kinds =
        ["cosmos-sdk/MsgSend", "cosmos-sdk/MsgTransfer", "thorchain/MsgDeposit", "wasm/MsgExecuteContract"];
    let amino = (select(kinds.to_vec()), text(), text(), text()).prop_map(|(kind, value, gas, denom)| {
        let amount = vec![CosmosCoin { denom, amount: "1".to_owned() }];
        let fee = Some(CosmosFee { amount, gas, ..CosmosFee::default() });
        SignData::SignAmino(SignAmino { fee, msgs: vec![CosmosMsg { r#type: kind.to_owned(), value }] })
    });
    proptest::option::weighted(0.3, prop_oneof![direct, amino])
}

fn any_payload() -> impl Strategy<Value = (Chain, KeysignPayload)> {
    let parts =
        (chain(), specific(), sign_data(), [text(), text(), text(), text(), text(), text()], any::<u8>());
    parts.prop_map(|(chain, blockchain_specific, sign_data, texts, choice)| {
        let [to_address, to_amount, memo, contract, message, key] = texts;
        let mut payload = KeysignPayload {
            to_address,
            to_amount,
            memo: Some(memo),
            blockchain_specific,
            sign_data,
            ..payload(chain)
        };
        if let Some(coin) = &mut payload.coin {
            coin.is_native_token = choice & 1 == 0;
            coin.contract_address.clone_from(&contract);
            coin.hex_public_key = key;
        }
        let swap = ThorChainSwapPayload {
            from_coin: payload.coin.clone(),
            vault_address: contract.clone(),
            from_amount: payload.to_amount.clone(),
            ..ThorChainSwapPayload::default()
        };
        payload.swap_payload = match choice >> 1 & 3 {
            0 => Some(SwapPayload::ThorchainSwapPayload(swap)),
            1 => Some(SwapPayload::MayachainSwapPayload(swap)),
            _ => None,
        };
        let sender_address = account(chain).address;
        payload.contract_payload = (choice & 8 != 0).then(|| {
            let call = WasmExecuteContractPayload {
                sender_address,
                contract_address: contract,
                execute_msg: message,
                coins: Vec::new(),
            };
            ContractPayload::WasmExecuteContractPayload(call)
        });
        (chain, payload)
    })
}

proptest! {
    #[test]
    fn no_bytes_panic(chain in chain(), bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = raw(&bytes, chain);
    }

    /// What is accepted is signed byte for byte as it came: nothing is passed over, nothing put in order.
    #[test]
    fn what_is_accepted_is_what_is_signed(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3),
        cut in proptest::option::of(any::<prop::sample::Index>()),
        tail in proptest::collection::vec(any::<u8>(), 0..3),
    ) {
        let mut bytes = doc().bytes();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(at) = cut {
            bytes.truncate(at.index(bytes.len()));
        }
        bytes.extend(tail);
        if let Ok(transaction) = raw(&bytes, Chain::Cosmos) {
            let digest: [u8; 32] = Sha256::digest(&bytes).into();
            prop_assert_eq!(transaction.images(), vec![Image::Ecdsa(digest)]);
            let _ = transaction.explain();
        }
    }

    #[test]
    fn no_payload_panics((chain, payload) in any_payload()) {
        if let Ok(transactions) = keysign::transactions(&payload, &account(chain), &NetworkFacts::default()) {
            for transaction in transactions {
                prop_assert_eq!(transaction.explain().from, account(chain).address);
                prop_assert_eq!(transaction.images().len(), 1);
            }
        }
    }

    /// What no signature covers changes neither what is explained nor whom it names.
    #[test]
    fn unsigned_fields_change_no_fact((chain, payload) in any_payload(), change in unsigned::change()) {
        let read = |payload: &KeysignPayload| {
            keysign::transactions(payload, &account(chain), &NetworkFacts::default()).ok()
        };
        if let (Some(first), Some(second)) = (read(&payload), read(&change.apply(payload.clone()))) {
            for (first, second) in first.iter().zip(&second) {
                if first.images() == second.images() {
                    prop_assert_eq!(first.explain(), second.explain());
                    prop_assert_eq!(first.explain().every_party(), second.explain().every_party());
                }
            }
        }
    }

    /// The same payload always gives the same bytes, and another amount gives others.
    #[test]
    fn what_is_paid_is_what_is_signed(chain in chain(), first in any::<u64>(), second in any::<u64>()) {
        prop_assume!(!matches!(chain, Chain::ThorChain | Chain::MayaChain));
        let image = |sum: u64| -> Result<_, TransactionError> {
            Ok(build(&KeysignPayload { to_amount: sum.to_string(), ..payload(chain) })?.images().to_vec())
        };
        prop_assert_eq!(image(first), image(first));
        prop_assert_eq!(image(first) == image(second), first == second);
    }
}

#[test]
fn claims_of_a_payload_are_not_signed() {
    let base = payload(Chain::Osmosis);
    let changed = unsigned::Change::of_claims().apply(base.clone());
    assert_ne!(base, changed);
    let (base, changed) = (build(&base).unwrap(), build(&changed).unwrap());
    assert_eq!((base.images(), base.explain()), (changed.images(), changed.explain()));
}

#[test]
fn every_bit_of_a_signature_counts() {
    let transaction = build(&payload(Chain::Akash)).unwrap();
    let signature = sign(&transaction);
    assert!(transaction.compile(&[signature]).is_ok());
    for bit in 0..512 {
        let mut flipped = signature;
        flipped.0[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(transaction.compile(&[flipped]), Err(SignatureError::Invalid { index: 0 }), "bit {bit}");
    }
    assert!(transaction.compile(&[]).is_err());
    assert!(transaction.compile(&[signature, signature]).is_err());
    assert!(transaction.compile(&[Signature([0; 64])]).is_err());
}
