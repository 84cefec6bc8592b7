//! Solana: tokens, accounts, stakes and swaps that stay the vault's.

use chains::Chain::{self, Solana};
use countersign_tests::proposals::nodes::{for_own_ether, networks, solana, vault};
use countersign_tests::proposals::solana::{
    ASSOCIATED, COMPUTE_BUDGET, Instruction, JUPITER, MEMO, ORCA, RAYDIUM, STAKE, SYSTEM, TOKEN, USDC,
    WRAPPED_SOL, account, amount, associated, create, key, numbered, own_account, pay, pay_usdc, route, step,
};
use countersign_tests::proposals::{Proposal, claiming, friend, own, payload, payment};
use countersign_tests::world::address_of;
use serde_json::json;
use wire::keysign::KeysignPayload;
use wire::keysign::keysign_payload::BlockchainSpecific;

/// Every row.
pub(super) fn rows() -> Vec<Proposal> {
    [payments(), accounts(), stakes(), swaps()].into_iter().flatten().collect()
}

/// Five USDC as a payload; `to` is the recipient's account where it is there already.
fn usdc(to: Option<String>) -> KeysignPayload {
    let mut sent = payment(Solana, &friend(Solana));
    let coin = sent.coin.as_mut().expect("has a coin");
    (coin.is_native_token, coin.ticker, coin.decimals) = (false, "USDC".to_owned(), 6);
    coin.contract_address = USDC.to_owned();
    sent.to_amount = "5000000".to_owned();
    if let Some(BlockchainSpecific::SolanaSpecific(specific)) = &mut sent.blockchain_specific {
        specific.from_token_associated_address = Some(own_account(USDC));
        specific.to_token_associated_address = to;
    }
    sent
}

fn payments() -> Vec<Proposal> {
    let (bob, carol) = (friend(Solana), address_of(3, "Solana"));
    let said = json!({"to": bob, "token_symbol": "USDC", "amount_human": "5 USDC"});
    let new = claiming(payload(&usdc(None)), said);
    let existing = payload(&usdc(Some(associated(&bob, USDC))));
    let mut noted = payment(Solana, &bob);
    noted.memo = Some("invoice 7".to_owned());
    let both = [create(&carol), pay_usdc(&associated(&carol, USDC), 5_000_000), pay(&bob, 5_000_000)];
    let budget: Instruction<'_> = (COMPUTE_BUDGET, vec![], amount(3, 50_000, &[]));
    let text: Instruction<'_> = (MEMO, vec![own(Solana)], b"thanks".to_vec());
    let wallet = step(&[budget, pay(&bob, 5_000_000), text]);
    let known = |name, step| Proposal::new(name, vec![step]).knowing(Solana, &bob).knowing(Solana, &carol);
    vec![
        known("USDC to a contact without an account for it", new),
        known("USDC to an account that a node knows", existing).nodes(solana),
        known("SOL with a note", payload(&noted)),
        known("USDC and SOL to two contacts", step(&both)),
        known("SOL as another wallet writes it", wallet),
    ]
}

/// Token accounts of the vault.
fn accounts() -> Vec<Proposal> {
    let (me, wrapped) = (own(Solana), own_account(WRAPPED_SOL));
    let close: Instruction<'_> = (TOKEN, vec![own_account(USDC), me.clone(), me.clone()], vec![9]);
    let revoke: Instruction<'_> = (TOKEN, vec![own_account(USDC), me.clone()], vec![5]);
    let made = [&me, &wrapped, &me, WRAPPED_SOL, SYSTEM, TOKEN].map(ToString::to_string).to_vec();
    let wrap = [(ASSOCIATED, made, vec![1]), pay(&wrapped, 1_000_000_000), (TOKEN, vec![wrapped], vec![17])];
    vec![
        Proposal::new("an empty account closed", vec![step(&[close])]),
        Proposal::new("a delegate taken back", vec![step(&[revoke])]),
        Proposal::new("SOL wrapped", vec![step(&wrap)]),
        Proposal::new("SOL to oneself", vec![step(&[pay(&me, 5_000_000)])]),
    ]
}

/// Stakes of the vault.
fn stakes() -> Vec<Proposal> {
    let (me, stake, vote) = (own(Solana), account(1), account(2));
    let own_key = key(&me);
    let create = numbered(
        3,
        &[
            &own_key,
            &6_u64.to_le_bytes(),
            b"stake0",
            &2_000_000_000_u64.to_le_bytes(),
            &200_u64.to_le_bytes(),
            &key(STAKE),
        ],
    );
    let initialise = numbered(0, &[&own_key, &own_key, &[0; 16], &[0; 32]]);
    let begun: [Instruction<'_>; 3] = [
        (SYSTEM, vec![me.clone(), stake.clone(), me.clone()], create),
        (STAKE, vec![stake.clone(), account(3)], initialise),
        (STAKE, vec![stake.clone(), vote, account(4), account(5), account(6), me.clone()], numbered(2, &[])),
    ];
    let ended: Instruction<'_> = (STAKE, vec![stake.clone(), account(4), me.clone()], numbered(5, &[]));
    let back = numbered(4, &[&2_000_000_000_u64.to_le_bytes()]);
    let back: Instruction<'_> = (STAKE, vec![stake, me.clone(), account(4), account(5), me], back);
    vec![
        Proposal::new("a stake made and delegated", vec![step(&begun)]),
        Proposal::new("a stake ended", vec![step(&[ended])]),
        Proposal::new("a stake taken back", vec![step(&[back])]),
    ]
}

/// Known tokens, for the vault's own accounts.
fn swaps() -> Vec<Proposal> {
    let (me, usdc, wrapped) = (own(Solana), own_account(USDC), own_account(WRAPPED_SOL));
    let close: Instruction<'_> = (TOKEN, vec![wrapped.clone(), me.clone(), me.clone()], vec![9]);
    let jupiter = [create(&me), pay(&wrapped, 1_000_000_000), route(&usdc, (JUPITER, 0), 50), close];
    let pool: Vec<String> = (10..24).map(account).collect();
    let users = vec![usdc.clone(), wrapped.clone(), me.clone()];
    let raydium = [[9].as_slice(), &150_000_000_u64.to_le_bytes(), &990_000_000_u64.to_le_bytes()].concat();
    let raydium: Instruction<'_> = (RAYDIUM, [pool, users].concat(), raydium);
    let orca = [
        [248, 198, 158, 145, 225, 117, 135, 200].as_slice(),
        &1_000_000_000_u64.to_le_bytes(),
        &149_000_000_u64.to_le_bytes(),
        &[0; 16],
        &[1, 0],
    ];
    let accounts = [TOKEN, &me, &account(30), &usdc, &account(31), &wrapped, &account(32)];
    let orca: Instruction<'_> = (ORCA, accounts.map(ToString::to_string).to_vec(), orca.concat());
    let mut thorchain = payment(Chain::Solana, &vault(Solana));
    thorchain.memo = Some(for_own_ether());
    vec![
        Proposal::new("SOL for USDC over Jupiter", vec![step(&jupiter)]),
        Proposal::new("USDC for SOL at Raydium", vec![step(&[raydium])]),
        Proposal::new("SOL for USDC at Orca", vec![step(&[orca])]),
        Proposal::new("SOL for own ether over THORChain", vec![payload(&thorchain)]).nodes(networks),
    ]
}
