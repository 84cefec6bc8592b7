//! Keysign payloads: what is built, and what is refused.

use crate::given::*;
use countersign_chains::transaction::Role;
use ed25519_dalek::Signer as _;
use wire::keysign::keysign_payload::{BlockchainSpecific, ContractPayload, SignData, SwapPayload};
use wire::keysign::*;

fn with(change: impl FnOnce(&mut KeysignPayload)) -> (&'static str, String) {
    let mut payload = payload();
    change(&mut payload);
    refusal(build(&payload))
}

fn with_specific(change: impl FnOnce(&mut SolanaSpecific)) -> (&'static str, String) {
    let mut specific = specific();
    change(&mut specific);
    with(|payload| payload.blockchain_specific = Some(BlockchainSpecific::SolanaSpecific(specific)))
}

#[test]
fn a_transfer_is_one_transaction_of_the_account() {
    let transactions = build(&payload()).unwrap();
    assert_eq!(transactions.len(), 1);
    assert_eq!(transactions[0].role(), Role::Main);
    assert_eq!(sign(&transactions[0]).bytes.len(), 1 + 64 + transactions[0].images()[0].as_bytes().len());
}

#[test]
fn a_foreign_coin_is_not_owned() {
    let other = base58(&public(2));
    let found = with(|payload| payload.coin.as_mut().unwrap().address.clone_from(&other));
    assert_eq!(found, ("not_owned", format!("{other} is not this vault's account")));
}

#[test]
fn another_chains_specific_is_refused() {
    let other = BlockchainSpecific::EthereumSpecific(EthereumSpecific::default());
    assert_eq!(with(|payload| payload.blockchain_specific = Some(other)).0, "malformed");
    assert_eq!(with(|payload| payload.blockchain_specific = None).0, "missing_field");
}

#[test]
fn what_a_transfer_needs_is_there_and_in_range() {
    assert_eq!(with(|payload| payload.to_address.clear()).0, "missing_field");
    assert_eq!(with(|payload| payload.to_address = "nobody".to_owned()).0, "invalid_address");
    assert_eq!(with(|payload| payload.to_amount.clear()).0, "invalid_amount");
    assert_eq!(with(|payload| payload.to_amount = "18446744073709551616".to_owned()).0, "invalid_amount");
    assert_eq!(with(|payload| payload.to_amount = "-1".to_owned()).0, "invalid_amount");
    assert_eq!(with_specific(|specific| specific.recent_block_hash.clear()).0, "missing_field");
    assert_eq!(with_specific(|specific| specific.recent_block_hash = "abc".to_owned()).0, "malformed");
    assert_eq!(with_specific(|specific| specific.priority_fee = "1.5".to_owned()).0, "invalid_amount");
    assert_eq!(with_specific(|specific| specific.compute_limit = Some("0".to_owned())).0, "invalid_amount");
    assert_eq!(
        with_specific(|specific| specific.compute_limit = Some("4294967296".to_owned())).0,
        "invalid_amount"
    );
    let own_coin = with(|payload| payload.coin.as_mut().unwrap().contract_address = USDC.to_owned());
    assert_eq!(own_coin.0, "malformed");
}

#[test]
fn what_a_token_transfer_needs_is_there() {
    let no_account = refusal(build(&token_payload(specific())));
    assert_eq!(no_account.1, "solana_specific.from_token_associated_address is missing");
    let from = SolanaSpecific { from_token_associated_address: Some(base58(&public(5))), ..specific() };
    let mut no_mint = token_payload(from.clone());
    no_mint.coin.as_mut().unwrap().contract_address.clear();
    assert_eq!(refusal(build(&no_mint)).1, "coin.contract_address is missing");
    let mut decimals = token_payload(from.clone());
    decimals.coin.as_mut().unwrap().decimals = 256;
    assert_eq!(refusal(build(&decimals)).0, "malformed");
    let to = SolanaSpecific { to_token_associated_address: Some("x".to_owned()), ..from };
    assert_eq!(refusal(build(&token_payload(to))).0, "invalid_address");
}

#[test]
fn a_memo_fills_the_packet_and_no_more() {
    let with_memo = |length| {
        let mut payload = payload();
        payload.memo = Some("m".repeat(length));
        build(&payload)
    };
    let spare = 1232 - sign(&with_memo(200).unwrap()[0]).bytes.len();
    assert_eq!(sign(&with_memo(200 + spare).unwrap()[0]).bytes.len(), 1232);
    let expected = ("malformed", "memo is longer than the network carries".to_owned());
    assert_eq!(refusal(with_memo(201 + spare)), expected);
    assert_eq!(refusal(with_memo(70_000)), expected);
}

#[test]
fn forms_that_are_not_solanas_are_refused_by_name() {
    let swapkit = SwapPayload::SwapkitSwapPayload(SwapKitSwapPayload::default());
    assert_eq!(with(|payload| payload.swap_payload = Some(swapkit)).0, "unsupported_payload");
    let sui = SignData::SignSui(SignSui::default());
    assert_eq!(with(|payload| payload.sign_data = Some(sui)).0, "unsupported_payload");
    let wasm = ContractPayload::WasmExecuteContractPayload(WasmExecuteContractPayload::default());
    assert_eq!(with(|payload| payload.contract_payload = Some(wasm)).0, "unsupported_payload");
    let approve = Some(Erc20ApprovePayload::default());
    assert_eq!(with(|payload| payload.erc20_approve_payload = approve).0, "unsupported_payload");
}

fn routed(bytes: &Bytes) -> KeysignPayload {
    let data = countersign_chains::encoding::base64(&bytes.encode());
    let tx = OneInchTransaction { data, ..OneInchTransaction::default() };
    let quote = OneInchQuote { tx: Some(tx), ..OneInchQuote::default() };
    let swap = OneInchSwapPayload { quote: Some(quote), ..OneInchSwapPayload::default() };
    KeysignPayload { swap_payload: Some(SwapPayload::OneinchSwapPayload(swap)), ..payload() }
}

fn new_blockhash(mut payload: KeysignPayload) -> KeysignPayload {
    let specific = SolanaSpecific { recent_block_hash: base58(&[8; 32]), ..specific() };
    payload.blockchain_specific = Some(BlockchainSpecific::SolanaSpecific(specific));
    payload
}

#[test]
fn an_aggregators_swap_gets_a_new_blockhash_and_nothing_else() {
    let bytes = Bytes::transfer();
    let transaction = build(&new_blockhash(routed(&bytes))).unwrap().remove(0);
    assert_eq!(transaction.role(), Role::Main);
    let message = bytes.message();
    let at = message.windows(32).position(|window| window == [7; 32]).unwrap();
    let expected = [&message[..at], &[8; 32], &message[at + 32..]].concat();
    assert_eq!(transaction.images()[0].as_bytes(), expected);
}

#[test]
fn an_aggregators_swap_is_the_accounts_to_pay() {
    let mut bytes = Bytes::transfer();
    bytes.keys.swap(0, 1);
    assert_eq!(refusal(build(&routed(&bytes))).0, "not_owned");
}

#[test]
fn presigned_swap_keeps_its_blockhash() {
    let mut bytes = Bytes { signatures: vec![[0; 64]; 2], header: [2, 0, 1], ..Bytes::transfer() };
    bytes.signatures[1] = signer(2).sign(&bytes.message()).to_bytes();
    assert_eq!(refusal(build(&new_blockhash(routed(&bytes)))).0, "unsupported_payload");
    assert!(build(&routed(&bytes)).is_ok());
}

#[test]
fn a_durable_nonce_is_not_replaced() {
    let bytes = Bytes::calling(SYSTEM, &[public(2), public(3)], &4u32.to_le_bytes());
    assert_eq!(refusal(build(&routed(&bytes))).0, "unsupported_payload");
}

#[test]
fn an_aggregators_swap_has_bytes() {
    let mut payload = routed(&Bytes::transfer());
    payload.swap_payload = Some(SwapPayload::OneinchSwapPayload(OneInchSwapPayload::default()));
    assert_eq!(refusal(build(&payload)).0, "missing_field");
}

#[test]
fn a_deposit_is_what_the_swap_states() {
    let deposit = |vault: Key, amount: &str, memo: &str| {
        let swap = ThorChainSwapPayload {
            vault_address: base58(&vault),
            from_amount: amount.to_owned(),
            ..ThorChainSwapPayload::default()
        };
        build(&KeysignPayload {
            swap_payload: Some(SwapPayload::ThorchainSwapPayload(swap)),
            memo: Some(memo.to_owned()),
            ..payload()
        })
    };
    assert_eq!(deposit(public(2), "5", "=:BTC.BTC:bc1").unwrap()[0].role(), Role::Main);
    assert_eq!(refusal(deposit(public(3), "5", "=:BTC.BTC:bc1")).0, "unsafe_transaction");
    assert_eq!(refusal(deposit(public(2), "6", "=:BTC.BTC:bc1")).0, "unsafe_transaction");
    assert_eq!(refusal(deposit(public(2), "5", "")).0, "missing_field");
}

fn from_page(transactions: &[Bytes]) -> KeysignPayload {
    let raw_transactions =
        transactions.iter().map(|bytes| countersign_chains::encoding::base64(&bytes.encode())).collect();
    KeysignPayload { sign_data: Some(SignData::SignSolana(SignSolana { raw_transactions })), ..payload() }
}

#[test]
fn a_pages_transactions_are_signed_one_by_one_as_they_are() {
    let second = Bytes::calling(SYSTEM, &[public(3)], &system_transfer(6));
    let transactions = build(&from_page(&[Bytes::transfer(), second.clone()])).unwrap();
    assert_eq!(transactions.len(), 2);
    assert_eq!(transactions[0].images()[0].as_bytes(), Bytes::transfer().message());
    assert_eq!(transactions[1].images()[0].as_bytes(), second.message());
    assert_eq!(refusal(build(&from_page(&[]))).0, "missing_field");
}

/// Another account pays and signed already; the account's signature goes to its own slot, the id stays the payer's.
#[test]
fn a_signature_goes_to_the_slot_of_its_key() {
    let mut bytes = Bytes { signatures: vec![[0; 64]; 2], header: [2, 0, 1], ..Bytes::transfer() };
    bytes.keys.swap(0, 1);
    let theirs = signer(2).sign(&bytes.message()).to_bytes();
    bytes.signatures[0] = theirs;
    let signed = sign(&build(&from_page(std::slice::from_ref(&bytes))).unwrap()[0]);
    let ours = signer(1).sign(&bytes.message()).to_bytes();
    assert_eq!(signed.bytes, Bytes { signatures: vec![theirs, ours], ..bytes }.encode());
    assert_eq!(signed.id, base58(&theirs));
}

#[test]
fn page_transaction_must_name_the_account() {
    let mut bytes = Bytes::transfer();
    bytes.keys.swap(0, 1);
    assert_eq!(refusal(build(&from_page(&[bytes]))).0, "not_owned");
}
