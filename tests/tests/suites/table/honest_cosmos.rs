//! Cosmos chains, THORChain and MayaChain: memos, staking, votes, transfers over IBC, swaps.

use chains::Chain::{
    self, Akash, Bitcoin, Cosmos, Dydx, Kujira, MayaChain, Osmosis, Terra, TerraClassic, ThorChain,
};
use chains::token;
use countersign_tests::proposals::cosmos::{TO_OSMOSIS, any, coin, own_message, part, send, step, transfer};
use countersign_tests::proposals::nodes::{for_own_ether, networks, vault};
use countersign_tests::proposals::{Proposal, claiming, friend, own, payload, payment};
use countersign_tests::world::address_of;
use serde_json::json;
use wire::keysign::keysign_payload::{BlockchainSpecific, SignData};
use wire::keysign::{
    CosmosCoin, CosmosFee, CosmosIbcDenomTrace, CosmosMsg, CosmosSpecific, KeysignPayload, MayaChainSpecific,
    SignAmino, ThorChainSpecific, TransactionType,
};

const VALIDATOR: &str = "cosmosvaloper1c4k24jzduc365kywrsvf5ujz4ya6mwympnc4en";
const OTHER_VALIDATOR: &str = "cosmosvaloper196ax4vc0lwpxndu9dyhvca7jhxp70rmcvrj90c";

/// Every row.
pub(super) fn rows() -> Vec<Proposal> {
    [payments(), staking(), over_ibc(), deposits()].into_iter().flatten().collect()
}

/// Five of a token to a contact.
fn token_sent(name: &'static str, chain: Chain, ticker: &str) -> Proposal {
    let known = token::known(chain, ticker).expect("is well known");
    let mut sent = payment(chain, &friend(chain));
    let coin = sent.coin.as_mut().expect("has a coin");
    (coin.is_native_token, coin.ticker) = (false, ticker.to_owned());
    (coin.contract_address, coin.decimals) = (known.contract.to_owned(), known.decimals.into());
    sent.to_amount = "5000000".to_owned();
    Proposal::new(name, vec![payload(&sent)]).knowing(chain, friend(chain))
}

fn payments() -> Vec<Proposal> {
    let (bob, carol) = (friend(Cosmos), address_of(3, "Cosmos"));
    let mut noted = payment(Cosmos, &bob);
    noted.memo = Some("104563".to_owned());
    let noted = claiming(payload(&noted), json!({"to": bob, "amount_human": "1 ATOM"}));
    let five = || coin("uatom", "5000000");
    let party = |address: &str, sum: Vec<u8>| [part(1, address), part(2, sum)].concat();
    let sums = [
        part(1, party(&own(Cosmos), coin("uatom", "10000000"))),
        part(2, party(&bob, five())),
        part(2, party(&carol, five())),
    ];
    let several = step(Cosmos, "uatom", &[any("/cosmos.bank.v1beta1.MsgMultiSend", sums.concat())], "");
    let messages = [send(Cosmos, &bob, "uatom", "5000000"), send(Cosmos, &carol, "uatom", "7000000")];
    let two = step(Cosmos, "uatom", &messages, "rent");
    let known = |name, step| Proposal::new(name, vec![step]).knowing(Cosmos, &bob).knowing(Cosmos, &carol);
    vec![
        Proposal::new("with an exchange's memo", vec![noted]).knowing(Cosmos, &bob),
        known("several contacts in one message", several),
        known("two contacts in two messages", two),
        token_sent("USDC on Osmosis", Osmosis, "USDC"),
        token_sent("USK, a token of a factory", Kujira, "USK"),
        token_sent("ASTRO, a CW20 token", Terra, "ASTRO"),
        token_sent("USTC, which pays its own fee", TerraClassic, "USTC"),
        token_sent("TCY on THORChain", ThorChain, "TCY"),
    ]
}

fn staking() -> Vec<Proposal> {
    let (validator, other) = (part(2, VALIDATOR), part(3, OTHER_VALIDATOR));
    let sum = |number| part(number, coin("uatom", "5000000"));
    let message = |name: &str, rest: &[Vec<u8>]| own_message(Cosmos, name, rest);
    let rewards =
        |validator: &str| message("distribution.v1beta1.MsgWithdrawDelegatorReward", &[part(2, validator)]);
    let one = |name, message| Proposal::new(name, vec![step(Cosmos, "uatom", &[message], "")]);
    let fee = CosmosFee {
        amount: vec![CosmosCoin { denom: "uatom".to_owned(), amount: "7500".to_owned() }],
        gas: "300000".to_owned(),
        ..CosmosFee::default()
    };
    let delegate = json!({"delegator_address": own(Cosmos), "validator_address": VALIDATOR,
        "amount": {"denom": "uatom", "amount": "5000000"}});
    let delegate = CosmosMsg { r#type: "cosmos-sdk/MsgDelegate".to_owned(), value: delegate.to_string() };
    let mut amino = payment(Cosmos, "");
    amino.sign_data = Some(SignData::SignAmino(SignAmino { fee: Some(fee), msgs: vec![delegate] }));
    let mut vote = payment(Dydx, "");
    vote.memo = Some("DYDX_VOTE:YES:42".to_owned());
    set_type(&mut vote, TransactionType::Vote);
    vec![
        one("delegate", message("staking.v1beta1.MsgDelegate", &[validator.clone(), sum(3)])),
        one("undelegate", message("staking.v1beta1.MsgUndelegate", &[validator.clone(), sum(3)])),
        one("redelegate", message("staking.v1beta1.MsgBeginRedelegate", &[validator, other, sum(4)])),
        Proposal::new(
            "rewards of two validators",
            vec![step(Cosmos, "uatom", &[rewards(VALIDATOR), rewards(OTHER_VALIDATOR)], "")],
        ),
        Proposal::new("delegate, in the older form", vec![payload(&amino)]),
        Proposal::new("a vote", vec![payload(&vote)]),
    ]
}

fn set_type(payload: &mut KeysignPayload, kind: TransactionType) {
    if let Some(BlockchainSpecific::CosmosSpecific(specific)) = &mut payload.blockchain_specific {
        let trace = CosmosIbcDenomTrace {
            latest_block: "1_1767229200000000000".to_owned(),
            ..CosmosIbcDenomTrace::default()
        };
        *specific = CosmosSpecific {
            transaction_type: kind.into(),
            ibc_denom_traces: Some(trace),
            ..specific.clone()
        };
    }
}

/// To the vault itself, or to a contact, on another chain.
fn over_ibc() -> Vec<Proposal> {
    let mut home = payment(Cosmos, &own(Osmosis));
    home.memo = Some(format!("Osmosis:channel-141:{}", own(Osmosis)));
    set_type(&mut home, TransactionType::IbcTransfer);
    let forward = json!({"forward": {"receiver": own(Kujira), "port": "transfer", "channel": "channel-259",
        "timeout": "10m", "retries": 2}});
    let over = transfer(TO_OSMOSIS, &own(Osmosis), &forward.to_string());
    let noted = transfer("channel-184", &friend(Akash), "invoice 7");
    vec![
        Proposal::new("to oneself on Osmosis", vec![payload(&home)]),
        Proposal::new("to oneself on Kujira over Osmosis", vec![step(Cosmos, "uatom", &[over], "")]),
        Proposal::new("to a contact on Akash, with a note", vec![step(Cosmos, "uatom", &[noted], "")])
            .knowing(Akash, friend(Akash)),
    ]
}

/// Something for THORChain or MayaChain itself.
fn deposit(chain: Chain, amount: &str, memo: String) -> KeysignPayload {
    let mut paid = payment(chain, "");
    paid.to_amount = amount.to_owned();
    paid.memo = Some(memo);
    paid.blockchain_specific = Some(match chain {
        MayaChain => BlockchainSpecific::MayaSpecific(MayaChainSpecific {
            account_number: 1,
            sequence: 5,
            is_deposit: true,
        }),
        _ => BlockchainSpecific::ThorchainSpecific(ThorChainSpecific {
            account_number: 1,
            sequence: 5,
            fee: 2_000_000,
            is_deposit: true,
            ..ThorChainSpecific::default()
        }),
    });
    paid
}

fn deposits() -> Vec<Proposal> {
    let one = |name, sent: &KeysignPayload| Proposal::new(name, vec![payload(sent)]);
    let rune = deposit(ThorChain, "500000000", format!("=:BTC.BTC:{}:1500", own(Bitcoin)));
    let cacao = deposit(MayaChain, "500000000000", for_own_ether());
    let leaves = deposit(ThorChain, "0", "-:BTC.BTC:10000".to_owned());
    let unstakes = deposit(ThorChain, "0", "TCY-:5000".to_owned());
    let pools = deposit(ThorChain, "500000000", "POOL+".to_owned());
    let mut atom = payment(Cosmos, &vault(Cosmos));
    atom.memo = Some(for_own_ether());
    vec![
        one("RUNE for own bitcoin", &rune),
        one("CACAO for own ether", &cacao),
        one("own liquidity taken back", &leaves),
        one("TCY unstaked", &unstakes),
        one("RUNE into its own pool", &pools),
        one("ATOM for own ether over THORChain", &atom).nodes(networks),
    ]
}
