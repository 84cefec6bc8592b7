//! UTXO chains, Sui and Cardano: memos, swaps and tokens that nodes vouch for.

use chains::Chain::{Bitcoin, Cardano, Dogecoin, Ethereum, Litecoin, Sui};
use countersign_tests::proposals::{Proposal, friend, ledger, own, payload, payment};
use wire::keysign::KeysignPayload;

/// Every row.
pub(super) fn rows() -> Vec<Proposal> {
    [bitcoin(), swaps(), tokens()].into_iter().flatten().collect()
}

fn bitcoin() -> Vec<Proposal> {
    let memo = KeysignPayload { memo: Some("rent for May".to_owned()), ..payment(Bitcoin, &friend(Bitcoin)) };
    let change = (39_000, ledger::pay_to(&own(Bitcoin)));
    let outputs = [(60_000, ledger::pay_to(&friend(Bitcoin))), change];
    vec![
        Proposal::new("bitcoin with a text", vec![payload(&memo)]).knowing(Bitcoin, friend(Bitcoin)),
        Proposal::new("bitcoin that a page built", vec![payload(&ledger::sign_bitcoin(&outputs, 0))])
            .knowing(Bitcoin, friend(Bitcoin)),
    ]
}

/// Where THORChain takes deposits is its own word.
fn swaps() -> Vec<Proposal> {
    let memo = || format!("=:ETH.ETH:{}:100000/1/0", own(Ethereum));
    let names = [
        ("bitcoin for ether at THORChain", Bitcoin),
        ("dogecoin for ether at THORChain", Dogecoin),
        ("litecoin for ether at THORChain", Litecoin),
    ];
    let row = |(name, chain)| {
        let deposit = ledger::deposit(chain, &ledger::vault(chain), memo());
        Proposal::new(name, vec![payload(&deposit)]).nodes(ledger::thorchain)
    };
    names.map(row).into()
}

fn tokens() -> Vec<Proposal> {
    vec![
        Proposal::new("a token of Sui", vec![payload(&ledger::sui_token(&friend(Sui)))])
            .knowing(Sui, friend(Sui))
            .nodes(ledger::sui),
        Proposal::new("a token of Cardano", vec![payload(&ledger::cardano_token(&friend(Cardano)))])
            .knowing(Cardano, friend(Cardano)),
    ]
}
