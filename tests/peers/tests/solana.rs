//! Solana: our signed bytes run in LiteSVM, which is the chain's own virtual machine with its own programs.

use chains::transaction::{Account, NetworkFacts, Signed};
use chains::{Amount, Chain, Transaction, encoding, keysign, unsigned};
use countersign_peers::{Peer, account, key, sign};
use serde_json::{Value, json};
use wire::keysign::keysign_payload::{BlockchainSpecific, SwapPayload};
use wire::keysign::{
    Coin, KeysignPayload, OneInchQuote, OneInchSwapPayload, OneInchTransaction, SolanaSpecific,
};

const TOKEN: &str = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA";
const TOKEN_2022: &str = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb";
const MINT: &str = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
/// What the account of seed 1 has at first.
const FUNDS: u64 = 10_000_000_000;

struct Chamber {
    peer: Peer,
    own: Account,
    other: String,
}

impl Chamber {
    /// The machine, with funds for the account of seed 1.
    fn open() -> Self {
        let own = account(Chain::Solana, &key(Chain::Solana, 1));
        let other = account(Chain::Solana, &key(Chain::Solana, 2)).address;
        let mut chamber = Self { peer: Peer::start("../../crate/nodes/scripts/solana.mjs"), own, other };
        let address = chamber.own.address.clone();
        let funded =
            chamber.ask(json!({ "command": "airdrop", "address": address, "amount": FUNDS.to_string() }));
        assert_eq!(funded["done"], true);
        chamber
    }

    fn ask(&mut self, question: Value) -> Value {
        let answer = self.peer.ask(&question);
        assert!(answer.get("error").is_none(), "{question}: {answer}");
        answer
    }

    fn text(&mut self, question: Value, field: &str) -> String {
        let answer = self.ask(question);
        answer[field].as_str().unwrap_or_else(|| panic!("no {field}: {answer}")).to_owned()
    }

    fn blockhash(&mut self) -> String {
        self.text(json!({ "command": "blockhash" }), "blockhash")
    }

    fn balance(&mut self, address: &str) -> u64 {
        self.text(json!({ "command": "balance", "address": address }), "lamports").parse().expect("a number")
    }

    fn own_balance(&mut self) -> u64 {
        let own = self.own.address.clone();
        self.balance(&own)
    }

    fn tokens(&mut self, account: &str) -> Value {
        self.ask(json!({ "command": "tokens", "account": account }))
    }

    fn send(&mut self, bytes: &[u8]) -> Value {
        self.ask(json!({ "command": "send", "transaction": encoding::base64(bytes) }))
    }

    fn accept(&mut self, signed: &Signed) -> Value {
        let answer = self.send(&signed.bytes);
        assert_eq!(answer["accepted"], true, "{answer}");
        answer
    }

    fn refuse(&mut self, bytes: &[u8], failure: &str) {
        let answer = self.send(bytes);
        assert_eq!(
            (&answer["accepted"], answer["failure"].as_str()),
            (&json!(false), Some(failure)),
            "{answer}"
        );
    }

    fn specific(&mut self) -> SolanaSpecific {
        let recent_block_hash = self.blockhash();
        SolanaSpecific { recent_block_hash, priority_fee: "0".to_owned(), ..SolanaSpecific::default() }
    }

    /// A payload to the account of seed 2.
    fn payload(&self, specific: SolanaSpecific, amount: u64) -> KeysignPayload {
        KeysignPayload {
            coin: Some(Coin {
                chain: "Solana".to_owned(),
                address: self.own.address.clone(),
                is_native_token: true,
                ..Coin::default()
            }),
            to_address: self.other.clone(),
            to_amount: amount.to_string(),
            blockchain_specific: Some(BlockchainSpecific::SolanaSpecific(specific)),
            ..KeysignPayload::default()
        }
    }

    fn build(&self, payload: &KeysignPayload) -> Transaction {
        let mut transactions =
            keysign::transactions(payload, &self.own, &NetworkFacts::default()).expect("a payload");
        assert_eq!(transactions.len(), 1);
        transactions.remove(0)
    }

    fn raw(&self, transaction: &str) -> Transaction {
        let bytes = encoding::from_base64("transaction", transaction).expect("base64");
        let context = unsigned::Context::default();
        unsigned::transaction(&encoding::hex(&bytes), &self.own, &context).expect("a raw transaction")
    }

    /// A transaction that web3.js builds: `amount` lamports from the own account to the other.
    fn made(&mut self, command: &str, amount: u64) -> Value {
        let (from, to, blockhash) = (self.own.address.clone(), self.other.clone(), self.blockhash());
        self.ask(
            json!({ "command": command, "from": from, "to": to, "amount": amount, "blockhash": blockhash }),
        )
    }
}

fn signed(transaction: &Transaction) -> Signed {
    sign(transaction, &key(Chain::Solana, 1))
}

#[test]
fn a_transfer_moves_lamports_and_costs_what_was_said() {
    let mut chamber = Chamber::open();
    let specific = SolanaSpecific {
        priority_fee: "2000001".to_owned(),
        compute_limit: Some("30001".to_owned()),
        ..chamber.specific()
    };
    let mut payload = chamber.payload(specific, 5_000_000);
    payload.memo = Some("for the machine".to_owned());
    let transaction = chamber.build(&payload);
    let answer = chamber.accept(&signed(&transaction));
    assert!(answer["logs"].to_string().contains("for the machine"), "{answer}");
    let (own, other) = (chamber.own_balance(), chamber.other.clone());
    assert_eq!(chamber.balance(&other), 5_000_000);
    let spent = FUNDS - own - 5_000_000;
    assert_eq!(transaction.explain().fee.known(), Some(Amount::from(spent)));
}

#[test]
fn a_transfer_is_accepted_once_and_only_as_it_was_signed() {
    let mut chamber = Chamber::open();
    let specific = chamber.specific();
    let transaction = chamber.build(&chamber.payload(specific, 5_000_000));
    let signed = signed(&transaction);
    for bit in [8, 100, 300, 519] {
        let mut flipped = signed.bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        chamber.refuse(&flipped, "SignatureFailure");
    }
    let mut other_amount = signed.bytes.clone();
    let last_lamport_byte = other_amount.len() - 2;
    other_amount[last_lamport_byte] ^= 1;
    chamber.refuse(&other_amount, "SignatureFailure");
    assert_eq!(chamber.own_balance(), FUNDS);
    chamber.accept(&signed);
    chamber.refuse(&signed.bytes, "AlreadyProcessed");
}

#[test]
fn an_old_blockhash_and_too_large_an_amount_are_refused() {
    let mut chamber = Chamber::open();
    let specific = chamber.specific();
    let too_much = chamber.build(&chamber.payload(specific.clone(), FUNDS));
    chamber.refuse(&signed(&too_much).bytes, "InstructionError");
    chamber.ask(json!({ "command": "expire" }));
    let late = chamber.build(&chamber.payload(specific, 5_000_000));
    chamber.refuse(&signed(&late).bytes, "BlockhashNotFound");
}

/// Both programs: first to a receiver without an account, which is made, then to the account that is there.
#[test]
fn tokens_move_and_accounts_are_made() {
    for (program, token_2022) in [(TOKEN, false), (TOKEN_2022, true)] {
        let mut chamber = Chamber::open();
        let (own, other) = (chamber.own.address.clone(), chamber.other.clone());
        let question = json!({
            "command": "mint", "mint": MINT, "owner": own, "amount": "1000", "decimals": 6, "program": program,
        });
        let source = chamber.text(question, "address");
        let question = json!({ "command": "wallet", "mint": MINT, "owner": other, "program": program });
        let destination = chamber.text(question, "address");
        for (received, existing) in [(400, None), (800, Some(destination.clone()))] {
            chamber.ask(json!({ "command": "expire" }));
            let specific = SolanaSpecific {
                from_token_associated_address: Some(source.clone()),
                to_token_associated_address: existing,
                program_id: Some(token_2022),
                ..chamber.specific()
            };
            let mut payload = chamber.payload(specific, 400);
            let coin = payload.coin.as_mut().expect("a coin");
            (coin.is_native_token, coin.decimals) = (false, 6);
            coin.contract_address = MINT.to_owned();
            let transaction = chamber.build(&payload);
            chamber.accept(&signed(&transaction));
            let expected = json!({
                "amount": received.to_string(), "owner": other, "mint": MINT, "program": program,
            });
            assert_eq!(chamber.tokens(&destination), expected);
        }
        assert_eq!(chamber.tokens(&source)["amount"], "200");
    }
}

#[test]
fn wrong_decimals_are_refused_by_the_token_program() {
    let mut chamber = Chamber::open();
    let own = chamber.own.address.clone();
    let question = json!({
        "command": "mint", "mint": MINT, "owner": own, "amount": "1000", "decimals": 6, "program": TOKEN,
    });
    let source = chamber.text(question, "address");
    let specific = SolanaSpecific { from_token_associated_address: Some(source), ..chamber.specific() };
    let mut payload = chamber.payload(specific, 400);
    let coin = payload.coin.as_mut().expect("a coin");
    (coin.is_native_token, coin.decimals) = (false, 9);
    coin.contract_address = MINT.to_owned();
    let transaction = chamber.build(&payload);
    chamber.refuse(&signed(&transaction).bytes, "InstructionError");
}

#[test]
fn foreign_raw_transactions_are_accepted() {
    let mut chamber = Chamber::open();
    let other = chamber.other.clone();
    for (command, received) in [("legacy", 3_000_000), ("looked_up", 6_000_000)] {
        let made = chamber.made(command, 3_000_000);
        let transaction = chamber.raw(made["transaction"].as_str().expect("a transaction"));
        chamber.accept(&signed(&transaction));
        assert_eq!(chamber.balance(&other), received);
    }
}

#[test]
fn a_signature_that_is_there_already_is_kept() {
    let mut chamber = Chamber::open();
    let made = chamber.made("cosigned", 4_000_000);
    let transaction = chamber.raw(made["transaction"].as_str().expect("a transaction"));
    chamber.accept(&signed(&transaction));
    assert_eq!(chamber.balance(made["account"].as_str().expect("an account")), 4_000_000);
}

/// Built by others on a blockhash that is old by now.
#[test]
fn a_swap_is_accepted_on_the_payloads_blockhash() {
    let mut chamber = Chamber::open();
    let made = chamber.made("legacy", 3_000_000);
    let data = made["transaction"].as_str().expect("a transaction").to_owned();
    chamber.ask(json!({ "command": "expire" }));
    let stale = signed(&chamber.raw(&data));
    chamber.refuse(&stale.bytes, "BlockhashNotFound");
    let specific = chamber.specific();
    let tx = OneInchTransaction { data, ..OneInchTransaction::default() };
    let quote = OneInchQuote { tx: Some(tx), ..OneInchQuote::default() };
    let swap = OneInchSwapPayload { quote: Some(quote), ..OneInchSwapPayload::default() };
    let payload = KeysignPayload {
        swap_payload: Some(SwapPayload::OneinchSwapPayload(swap)),
        ..chamber.payload(specific, 0)
    };
    chamber.accept(&signed(&chamber.build(&payload)));
    let other = chamber.other.clone();
    assert_eq!(chamber.balance(&other), 3_000_000);
}
